/* limit.c - a singular linear system, made regular by a vanishing second matrix.
 *
 *   (B + eps C) x = g,  eps -> 0:        B x = g,   Z' C x = 0,      Z: the left null vectors, Z' B = 0
 *
 * The second set of equations is Z' times the first at any eps > 0, divided by eps, where g lies in the range of B; what does not
 * (round-off) is taken away first, orthogonally. With B' P = Q R, R = (R1 R2; 0 0) and x = Q (a; b):
 *   R1' a = (P' g)_1,    Z = P (-R1^-1 R2; 1),    (Z' C Q_2) b = -Z' C Q_1 a
 * Q R with column pivoting finds the rank. Nothing is divided by eps: x is as accurate as B and C allow.
 * Reference   G. H. Golub, C. F. Van Loan, Matrix Computations, section 5.5 (rank by pivoted Q R)
 * Cost        (4/3 + 4 d/n) n^3 for a null space of dimension d; n^2 for each solve                    */
#include "math/limit.h"

#include "math/dense.h"

#include <math.h>

static double *column(double *A, int n, int j) { return A + (size_t)n * (size_t)j; }

static int null_of(const ss_limit *f) { return f->n - f->rank; }

static ss_status take_null(ss_arena *arena, ss_limit *f)
{
    const size_t n = (size_t)f->n, null = (size_t)null_of(f);
    SS_TRY(ss_arena_take(arena, n * null, sizeof *f->Z, &f->Z));
    SS_TRY(ss_arena_take(arena, n * null, sizeof *f->CQ, &f->CQ));
    SS_TRY(ss_arena_take(arena, null * null, sizeof *f->gram, &f->gram));
    SS_TRY(ss_arena_take(arena, null * null, sizeof *f->Y, &f->Y));
    SS_TRY(ss_arena_take(arena, null, sizeof *f->pivots, &f->pivots));
    return ss_arena_take(arena, null, sizeof *f->b, &f->b);
}

/* Q R of B', and the rank of B */
static void factor_range(ss_limit *f, const double *B, double tol)
{
    const int n = f->n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            column(f->QR, n, i)[j] = B[(size_t)i + (size_t)n * (size_t)j];
        }
    }
    ss_dense_qr_pivoted(n, f->QR, n, f->order, f->tau, f->work);
    while (f->rank < n && fabs(column(f->QR, n, f->rank)[f->rank]) > tol * fabs(f->QR[0])) {
        f->rank++;
    }
}

/* Z = P (-R1^-1 R2; 1); y: n numbers of scratch */
static void find_null_vectors(ss_limit *f, double *y)
{
    const int n = f->n;
    for (int j = 0; j < null_of(f); j++) {
        memcpy(y, column(f->QR, n, f->rank + j), (size_t)f->rank * sizeof *y);
        ss_dense_upper_solve(f->rank, f->QR, n, false, y);
        for (int i = 0; i < f->rank; i++) {
            column(f->Z, n, j)[f->order[i]] = -y[i];
        }
        column(f->Z, n, j)[f->order[f->rank + j]] = 1;
    }
}

/* CQ = Q' C' Z, of which the last rows are (Z' C Q_2)' = Y' */
static void weigh(ss_limit *f, const double *C)
{
    const int n = f->n, null = null_of(f);
    ss_dense_transpose_product(n, null, n, C, n, f->Z, n, f->CQ, n);
    for (int j = 0; j < null; j++) {
        ss_dense_qr_times(n, f->QR, n, f->tau, true, column(f->CQ, n, j), f->work);
        for (int i = 0; i < null; i++) {
            column(f->Y, null, i)[j] = column(f->CQ, n, j)[f->rank + i];
        }
    }
}

ss_status ss_limit_factor(ss_arena *arena, int n, const double *B, const double *C, double tol, ss_limit *f, bool *exists)
{
    const size_t size = (size_t)n;
    double *y;
    *f = (ss_limit){ .n = n };
    SS_TRY(ss_arena_take(arena, size * size, sizeof *f->QR, &f->QR));
    SS_TRY(ss_arena_take(arena, size, sizeof *f->tau, &f->tau));
    SS_TRY(ss_arena_take(arena, size, sizeof *f->order, &f->order));
    SS_TRY(ss_arena_take(arena, size, sizeof *y, &y));
    SS_TRY(ss_arena_take_raw(arena, SS_DENSE_WORK * (size + 1), sizeof *f->work, &f->work));
    factor_range(f, B, tol);
    SS_TRY(take_null(arena, f));
    const int null = null_of(f);
    find_null_vectors(f, y);
    weigh(f, C);
    ss_dense_gram(n, null, f->Z, n, f->gram, null);
    *exists = ss_dense_cholesky(null, f->gram, null) && ss_dense_lu(null, f->Y, null, f->pivots);
    return SS_OK;
}

/* g <- g - Z (Z' Z)^-1 Z' g */
static void project(const ss_limit *f, double *g)
{
    const int null = null_of(f);
    for (int j = 0; j < null; j++) {
        f->b[j] = ss_dense_dot(f->n, column(f->Z, f->n, j), g);
    }
    ss_dense_cholesky_solve(null, f->gram, null, f->b);
    ss_dense_times(f->n, null, -1, f->Z, f->n, f->b, g);
}

void ss_limit_solve(const ss_limit *f, double *g, double *x)
{
    const int null = null_of(f);
    project(f, g);
    for (int i = 0; i < f->n; i++) {
        x[i] = i < f->rank ? g[f->order[i]] : 0;
    }
    ss_dense_upper_solve(f->rank, f->QR, f->n, true, x); /* a */
    for (int j = 0; j < null; j++) {
        f->b[j] = -ss_dense_dot(f->rank, column(f->CQ, f->n, j), x);
    }
    ss_dense_lu_solve(null, f->Y, null, f->pivots, f->b);
    memcpy(x + f->rank, f->b, (size_t)null * sizeof *x);
    ss_dense_qr_times(f->n, f->QR, f->n, f->tau, false, x, f->work);
}
