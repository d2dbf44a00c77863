/* limit.h - the limit of (B + eps C) x = g for eps -> 0, where B may be singular. */
#ifndef SS_LIMIT_H
#define SS_LIMIT_H

#include "base/base.h"

/* The factors of B and C; they live in the arena. */
typedef struct ss_limit {
    int n, rank;         /* of B                                                    */
    double *QR, *tau;    /* of B'                                                   */
    int *order, *pivots; /* row order[k] of B is the k-th; of Y                     */
    double *Z, *CQ;      /* n x (n - rank): left null vectors of B; Q' C' Z         */
    double *gram, *Y;    /* Cholesky factor of Z' Z; LU factors of Z' C Q_2         */
    double *b, *work;    /* n - rank; 32 (n + 1)                                    */
} ss_limit;

/* B, C: n x n by columns. Pivots of B below tol times the largest count as none. *exists false: C leaves null vectors of B open,
 * and there is no limit. */
ss_status ss_limit_factor(ss_arena *arena, int n, const double *B, const double *C, double tol, ss_limit *out, bool *exists);
/* In: g[n]; out: its part in the range of B, and x[n]. */
void ss_limit_solve(const ss_limit *limit, double *g, double *x);

#endif
