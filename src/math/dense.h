/* dense.h - the few dense kernels of the library; matrices are column-major with leading dimension ld. */
#ifndef SS_DENSE_H
#define SS_DENSE_H

#include "base/base.h"

void ss_dense_start(void); /* one BLAS thread: same bits and no hidden threads; call before the others */

/* P A = L U in place; false if a pivot is exactly zero. Then A x = b, and A <- A^-1 (work: 32 n). */
bool ss_dense_lu(int n, double *A, int ld, int *pivots);
void ss_dense_lu_solve(int n, const double *A, int ld, const int *pivots, double *x);
bool ss_dense_lu_inverse(int n, double *A, int ld, const int *pivots, double *work);

/* y <- y + alpha A x (m x n);  A <- A + alpha x y';  C <- alpha A B + beta C (m x k times k x n) */
void ss_dense_times(int m, int n, double alpha, const double *A, int ld, const double *x, double *y);
void ss_dense_rank_one(int m, int n, double alpha, const double *x, const double *y, double *A, int ld);
void ss_dense_product(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                      double *C, int ldc);
void ss_dense_gram(int m, int n, const double *A, int ld, double *C, int ldc); /* C <- A' A, both triangles */
/* C <- C + A' B (A k x m, B k x n) */
void ss_dense_transpose_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc);
/* Pivoted Cholesky of a symmetric positive semidefinite A (lower triangle), in place: A(p, p) = L L' with L n x rank, p[] the
 * order (0-based). Diagonals below tol times the largest end it. work: 2 n. Returns the rank. */
int ss_dense_cholesky_pivoted(int n, double *A, int ld, double tol, int *p, double *work);
/* A = L L' in the lower triangle, in place; false if A is not positive definite. Then A x = b. */
bool ss_dense_cholesky(int n, double *A, int ld);
void ss_dense_cholesky_solve(int n, const double *A, int ld, double *x);
void ss_dense_symmetrise(int n, double *A); /* A <- (A + A')/2, leading dimension n */
/* Eigenvalues of a symmetric A (lower triangle) into values[n], the smallest first; A becomes the matrix whose columns are the
 * unit eigenvectors. work: 32 n. false: the iteration did not converge, or A is not finite. */
bool ss_dense_eigen(int n, double *A, int ld, double *values, double *work);
/* A P = Q R by Householder reflections, in place, the columns with the largest remainders first: A(:, p[k]) is column k; p[n]
 * from 0, tau[n], work: 32 (n + 1). R is the upper triangle. Then x <- Q' x, or x <- Q x, for n-vectors. */
void ss_dense_qr_pivoted(int n, double *A, int ld, int *p, double *tau, double *work);
void ss_dense_qr_times(int n, const double *A, int ld, const double *tau, bool transposed, double *x, double *work);
/* x <- U^-1 x, or U'^-1 x, with the upper triangle of A */
void ss_dense_upper_solve(int n, const double *A, int ld, bool transposed, double *x);
double ss_dense_dot(int n, const double *x, const double *y);
void ss_dense_add(int n, double alpha, const double *x, double *y); /* y <- y + alpha x */

enum { SS_DENSE_WORK = 32 }; /* numbers per row that ss_dense_lu_inverse, ss_dense_eigen and ss_dense_qr_ need */

#endif
