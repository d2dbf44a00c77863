/* limit.c - a singular linear system, made regular by a vanishing second matrix.
 *
 *   (B + eps C) x = g,  eps -> 0:        B x = g,   Z' C x = 0,      Z: the left null vectors, Z' B = 0
 *
 * The second set of equations is Z' times the first at any eps > 0, divided by eps, where g lies in the range of B; what does not
 * (round-off) is taken away first, orthogonally. With B' P = Q R, R = (R1 R2; 0 0) and x = Q (a; b):
 *   R1' a = (P' g)_1,    Z = P (-R1^-1 R2; 1),    (Z' C Q_2) b = -Z' C Q_1 a
 * Q R with column pivoting finds the rank. Nothing is divided by eps: x is as accurate as B and C allow.
 * Reference   G. H. Golub, C. F. Van Loan, Matrix Computations, section 5.5 (rank by pivoted Q R)
 * Cost        (4/3 + 2 d/n) n^3 for a null space of dimension d                                        */
#include "math/limit.h"

#include "math/dense.h"

#include <math.h>

/* the factors, and what is derived from them */
typedef struct factors {
    int n, rank, null; /* null = n - rank                           */
    double *QR, *tau;  /* of B'                                     */
    int *p;            /* row p[k] of B is the k-th                 */
    double *Z;         /* n x null                                  */
    double *small;     /* null x null                               */
    double *y, *work;  /* n; 32 (n + 1)                             */
    int *pivots;       /* null                                      */
    double *b;         /* null                                      */
} factors;

static double *column(double *A, int n, int j) { return A + (size_t)n * (size_t)j; }

static ss_status take(ss_arena *arena, const ss_limit *limit, factors *f)
{
    const size_t n = (size_t)limit->n;
    f->n = limit->n;
    SS_TRY(ss_arena_take(arena, n * n, sizeof *f->QR, &f->QR));
    SS_TRY(ss_arena_take(arena, n, sizeof *f->tau, &f->tau));
    SS_TRY(ss_arena_take(arena, n, sizeof *f->p, &f->p));
    SS_TRY(ss_arena_take(arena, n, sizeof *f->y, &f->y));
    return ss_arena_take(arena, SS_DENSE_WORK * (n + 1), sizeof *f->work, &f->work);
}

/* Q R of B', and the rank of B */
static void factorise(const ss_limit *limit, factors *f)
{
    const int n = f->n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            column(f->QR, n, i)[j] = limit->B[(size_t)i + (size_t)n * (size_t)j];
        }
    }
    ss_dense_qr_pivoted(n, f->QR, n, f->p, f->tau, f->work);
    while (f->rank < n && fabs(column(f->QR, n, f->rank)[f->rank]) > limit->tol * fabs(f->QR[0])) {
        f->rank++;
    }
    f->null = n - f->rank;
}

/* Z = P (-R1^-1 R2; 1) */
static ss_status find_null_vectors(ss_arena *arena, factors *f)
{
    const int n = f->n;
    SS_TRY(ss_arena_take(arena, (size_t)n * (size_t)f->null, sizeof *f->Z, &f->Z));
    SS_TRY(ss_arena_take(arena, (size_t)f->null * (size_t)f->null, sizeof *f->small, &f->small));
    SS_TRY(ss_arena_take(arena, (size_t)f->null, sizeof *f->pivots, &f->pivots));
    SS_TRY(ss_arena_take(arena, (size_t)f->null, sizeof *f->b, &f->b));
    for (int j = 0; j < f->null; j++) {
        const double *R2 = column(f->QR, n, f->rank + j);
        memcpy(f->y, R2, (size_t)f->rank * sizeof *f->y);
        ss_dense_upper_solve(f->rank, f->QR, n, false, f->y);
        for (int i = 0; i < f->rank; i++) {
            column(f->Z, n, j)[f->p[i]] = -f->y[i];
        }
        column(f->Z, n, j)[f->p[f->rank + j]] = 1;
    }
    return SS_OK;
}

/* g <- g - Z (Z' Z)^-1 Z' g */
static bool project(const factors *f, double *g)
{
    for (int j = 0; j < f->null; j++) {
        f->b[j] = ss_dense_dot(f->n, column(f->Z, f->n, j), g);
    }
    ss_dense_gram(f->n, f->null, f->Z, f->n, f->small, f->null);
    if (!ss_dense_cholesky(f->null, f->small, f->null)) {
        return false;
    }
    ss_dense_cholesky_solve(f->null, f->small, f->null, f->b);
    ss_dense_times(f->n, f->null, -1, f->Z, f->n, f->b, g);
    return true;
}

/* x = Q (a; 0), the solution of B x = g without a part in the null space */
static void solve_range(const ss_limit *limit, const factors *f)
{
    for (int i = 0; i < f->n; i++) {
        limit->x[i] = i < f->rank ? limit->g[f->p[i]] : 0;
    }
    ss_dense_upper_solve(f->rank, f->QR, f->n, true, limit->x);
    ss_dense_qr_times(f->n, f->QR, f->n, f->tau, false, limit->x, f->work);
}

/* y = Z' C x */
static void weigh(const ss_limit *limit, const factors *f, const double *x, double *Cx, double *y)
{
    memset(Cx, 0, (size_t)f->n * sizeof *Cx);
    ss_dense_times(f->n, f->n, 1, limit->C, f->n, x, Cx);
    for (int j = 0; j < f->null; j++) {
        y[j] = ss_dense_dot(f->n, column(f->Z, f->n, j), Cx);
    }
}

/* column j of Q_2, into q */
static void null_column(const factors *f, int j, double *q)
{
    memset(q, 0, (size_t)f->n * sizeof *q);
    q[f->rank + j] = 1;
    ss_dense_qr_times(f->n, f->QR, f->n, f->tau, false, q, f->work);
}

/* x <- x + Q_2 b with Z' C x = 0; q, Cx: n numbers of scratch each */
static bool solve_null(const ss_limit *limit, const factors *f, double *q, double *Cx)
{
    for (int j = 0; j < f->null; j++) {
        null_column(f, j, q);
        weigh(limit, f, q, Cx, column(f->small, f->null, j));
    }
    weigh(limit, f, limit->x, Cx, f->b);
    if (!ss_dense_lu(f->null, f->small, f->null, f->pivots)) {
        return false;
    }
    ss_dense_lu_solve(f->null, f->small, f->null, f->pivots, f->b);
    memset(q, 0, (size_t)f->n * sizeof *q);
    memcpy(q + f->rank, f->b, (size_t)f->null * sizeof *q);
    ss_dense_qr_times(f->n, f->QR, f->n, f->tau, false, q, f->work);
    ss_dense_add(f->n, -1, q, limit->x);
    return true;
}

ss_status ss_limit_solve(ss_arena *arena, ss_limit *limit, bool *found)
{
    factors f = { 0 };
    double *q;
    *found = true;
    SS_TRY(take(arena, limit, &f));
    factorise(limit, &f);
    limit->rank = f.rank;
    if (f.null > 0) {
        SS_TRY(find_null_vectors(arena, &f));
        SS_TRY(ss_arena_take(arena, (size_t)f.n, sizeof *q, &q));
        *found = project(&f, limit->g);
    }
    solve_range(limit, &f);
    if (f.null > 0 && *found) {
        *found = solve_null(limit, &f, q, f.y);
    }
    for (int i = 0; i < f.n; i++) {
        *found = *found && isfinite(limit->x[i]);
    }
    return SS_OK;
}
