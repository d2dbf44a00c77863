/* limit.h - the limit of (B + eps C) x = g for eps -> 0, where B may be singular. */
#ifndef SS_LIMIT_H
#define SS_LIMIT_H

#include "base/base.h"

/* B, C n x n by columns, g[n]. In: g; out: its part in the range of B. x[n]. rank: of B, pivots below tol times the largest are
 * none. *found false: the limit does not exist (C leaves null vectors of B open). Scratch from the arena; B and C stay. */
typedef struct ss_limit {
    int n;
    const double *B, *C;
    double *g, *x;
    double tol;
    int rank;
} ss_limit;

ss_status ss_limit_solve(ss_arena *arena, ss_limit *limit, bool *found);

#endif
