/* dense.c - dense linear algebra through BLAS and LAPACK, and small pivoted Cholesky factors without them.
 *
 *   P A = L U (dgetrf), A x = b (dgetrs), A^-1 (dgetri); y += alpha A x, A += alpha x y', C = alpha A B + beta C
 *   A(p, p) = L L' (dpstrf), p_j the largest diagonal that is left: l_jj = sqrt(a_jj), l_ij = a_ij / l_jj, a_ik <- a_ik - l_ij
 * l_kj
 *
 * All matrices are column-major, so LAPACKE's _work functions pass straight through and take no memory.
 * ss_dense_start asks OpenBLAS for one thread: the sizes here are small, and the order of summation must
 * not depend on the number of cores.                                                                 */
#include "math/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

void ss_dense_start(void)
{
    if (openblas_get_num_threads() != 1) {
        openblas_set_num_threads(1);
    }
}

bool ss_dense_lu(int n, double *A, int ld, int *pivots)
{
    return n == 0 || LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, ld, pivots) == 0;
}

void ss_dense_lu_solve(int n, const double *A, int ld, const int *pivots, double *x)
{
    if (n > 0) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, A, ld, pivots, x, n);
    }
}

bool ss_dense_lu_inverse(int n, double *A, int ld, const int *pivots, double *work)
{
    return n == 0 || LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, A, ld, pivots, work, SS_DENSE_WORK * n) == 0;
}

void ss_dense_times(int m, int n, double alpha, const double *A, int ld, const double *x, double *y)
{
    if (m > 0 && n > 0) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, alpha, A, ld, x, 1, 1, y, 1);
    }
}

void ss_dense_rank_one(int m, int n, double alpha, const double *x, const double *y, double *A, int ld)
{
    if (m > 0 && n > 0) {
        cblas_dger(CblasColMajor, m, n, alpha, x, 1, y, 1, A, ld);
    }
}

void ss_dense_product(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                      double *C, int ldc)
{
    if (m > 0 && n > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    }
}

void ss_dense_gram(int m, int n, const double *A, int ld, double *C, int ldc)
{
    if (n == 0) {
        return;
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, m, 1, A, ld, 0, C, ldc);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            C[(size_t)i + (size_t)ldc * (size_t)j] = C[(size_t)j + (size_t)ldc * (size_t)i];
        }
    }
}

void ss_dense_transpose_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc)
{
    if (m > 0 && n > 0 && k > 0) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, 1, A, lda, B, ldb, 1, C, ldc);
    }
}

static void exchange(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* rows and columns j < k of a symmetric matrix change places, in its lower triangle */
static void exchange_rows(int n, double *A, size_t ld, int j, int k)
{
    exchange(&A[(size_t)j * (ld + 1)], &A[(size_t)k * (ld + 1)]);
    for (int i = 0; i < j; i++) {
        exchange(&A[(size_t)j + ld * (size_t)i], &A[(size_t)k + ld * (size_t)i]);
    }
    for (int i = j + 1; i < k; i++) {
        exchange(&A[(size_t)i + ld * (size_t)j], &A[(size_t)k + ld * (size_t)i]);
    }
    for (int i = k + 1; i < n; i++) {
        exchange(&A[(size_t)i + ld * (size_t)j], &A[(size_t)i + ld * (size_t)k]);
    }
}

/* the largest diagonal from j on; what is no number is the largest */
static int next_pivot(int n, const double *A, size_t ld, int j)
{
    int pivot = j;
    for (int i = j + 1; i < n; i++) {
        const double a = A[(size_t)i * (ld + 1)];
        pivot = a > A[(size_t)pivot * (ld + 1)] || isnan(a) ? i : pivot;
    }
    return pivot;
}

/* column j of L, and what is left of the matrix behind it: l_ij = a_ij / l_jj, a_ik <- a_ik - l_ij l_kj */
static void eliminate(int n, double *A, size_t ld, int j)
{
    double *own = A + ld * (size_t)j;
    own[j] = sqrt(own[j]);
    for (int i = j + 1; i < n; i++) {
        own[i] /= own[j];
    }
    for (int k = j + 1; k < n; k++) {
        double *column = A + ld * (size_t)k;
        for (int i = k; i < n; i++) {
            column[i] -= own[k] * own[i];
        }
    }
}

/* Small matrices, of which a pile has one for every few contacts: calls of a library would take longer than their sums. Returns
 * the rank. */
static int factor_small(int n, double *A, size_t ld, double least, int *p)
{
    for (int i = 0; i < n; i++) {
        p[i] = i;
    }
    for (int j = 0; j < n; j++) {
        const int pivot = next_pivot(n, A, ld, j), kept = p[j];
        if (!(A[(size_t)pivot * (ld + 1)] > least)) {
            return j;
        }
        if (pivot != j) {
            exchange_rows(n, A, ld, j, pivot);
            p[j] = p[pivot];
            p[pivot] = kept;
        }
        eliminate(n, A, ld, j);
    }
    return n;
}

int ss_dense_cholesky_pivoted(int n, double *A, int ld, double tol, int *p, double *work)
{
    enum { SMALL = 32 };
    double largest = 0;
    int rank = 0;
    for (int i = 0; i < n; i++) {
        double a = A[(size_t)i + (size_t)ld * (size_t)i];
        largest = a > largest ? a : largest;
    }
    if (!(largest > 0)) {
        return 0;
    }
    if (n <= SMALL) {
        return factor_small(n, A, (size_t)ld, tol * largest, p);
    }
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld, p, &rank, tol * largest, work);
    for (int i = 0; i < n; i++) {
        p[i]--; /* LAPACK counts from 1 */
    }
    return rank;
}

bool ss_dense_cholesky(int n, double *A, int ld) { return n == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, ld) == 0; }

void ss_dense_cholesky_solve(int n, const double *A, int ld, double *x)
{
    if (n > 0) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, A, ld, x, n);
    }
}

bool ss_dense_eigen(int n, double *A, int ld, double *values, double *work)
{
    bool finite = true;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            finite = finite && isfinite(A[(size_t)i + (size_t)ld * (size_t)j]);
        }
    }
    return n == 0 || (finite && LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, ld, values, work, SS_DENSE_WORK * n) == 0);
}

void ss_dense_qr_pivoted(int n, double *A, int ld, int *p, double *tau, double *work)
{
    for (int i = 0; i < n; i++) {
        p[i] = 0; /* every column may be exchanged */
    }
    if (n > 0) {
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, n, A, ld, p, tau, work, SS_DENSE_WORK * (n + 1));
    }
    for (int i = 0; i < n; i++) {
        p[i]--; /* LAPACK counts from 1 */
    }
}

void ss_dense_qr_times(int n, const double *A, int ld, const double *tau, bool transposed, double *x, double *work)
{
    if (n > 0) {
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed ? 'T' : 'N', n, 1, n, A, ld, tau, x, n, work, SS_DENSE_WORK * n);
    }
}

void ss_dense_upper_solve(int n, const double *A, int ld, bool transposed, double *x)
{
    if (n > 0) {
        cblas_dtrsv(CblasColMajor, CblasUpper, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, n, A, ld, x, 1);
    }
}

double ss_dense_dot(int n, const double *x, const double *y) { return cblas_ddot(n, x, 1, y, 1); }

void ss_dense_add(int n, double alpha, const double *x, double *y) { cblas_daxpy(n, alpha, x, 1, y, 1); }

void ss_dense_symmetrise(int n, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            double *a = &A[(size_t)i + (size_t)n * (size_t)j], *b = &A[(size_t)j + (size_t)n * (size_t)i];
            *a = *b = 0.5 * (*a + *b);
        }
    }
}
