/* pivot.h - Lemke's method for a linear complementarity problem, made to survive round-off.
 *
 *     w = M z + q,   0 <= z  _|_  w >= 0
 *
 * M should be scaled so that its entries are of order one; q is scaled inside. */
#ifndef SS_PIVOT_H
#define SS_PIVOT_H

#include "base/base.h"
#include "solvers/lemke/basis_trial.h"

typedef struct ss_pivot_options {
    const ss_context *ctx; /* an interrupt of it ends the path, as if pivots were exhausted; NULL: none */
    int max_pivots;        /* of one attempt; 0: 100 + 20 n                                  */
    int refactor;          /* pivots between two fresh factorisations                        */
    int restarts;          /* attempts after the first                                       */
    double pivot_tol;      /* smallest pivot, relative to the largest entry of its column    */
    double tie_tol;        /* ratios this close are ties, relative to the largest value      */
    double accept_tol;     /* on |min(z, w)| relative to q; relative to z if nothing better turns up     */
    bool advance;          /* start the path at the given basis when it is not the solution  */
    bool settle;           /* the given basis will do if it is right relative to z           */
    uint64_t seed;         /* 0: the covering vector of all ones first                       */
} ss_pivot_options;

typedef enum ss_pivot_end {
    SS_PIVOT_SOLVED,
    SS_PIVOT_RAY,   /* secondary ray: no solution was found       */
    SS_PIVOT_LIMIT, /* pivots exhausted                           */
    SS_PIVOT_LOST,  /* feasibility lost to round-off, every time  */
} ss_pivot_end;

typedef struct ss_pivot_result {
    ss_pivot_end end;
    int pivots, factorisations, restarts;
    bool basis_hit; /* the given basis was right                  */
    double error;   /* |min(z, w)| as for accept_tol              */
    double *ray;    /* n, in the arena: at the end RAY, the direction in which z can grow for ever */
} ss_pivot_result;

ss_pivot_options ss_pivot_options_default(void);
/* basic[n]: in, if `known`, the z that were basic last time; out, those of the answer. z[n] out: exactly 0 where not
 * basic. The matrix is written out only when the given basis is not the answer. Scratch comes from the arena, which
 * the caller releases. */
ss_status ss_pivot_solve(ss_arena *arena, const ss_pivot_options *options, const ss_pivot_matrix *M, const double *q, bool known,
                         bool *basic, double *z, ss_pivot_result *result);

#endif
