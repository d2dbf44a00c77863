/* convex_system.h - random systems whose laws of friction are convex. */
#ifndef SS_TEST_CONVEX_SYSTEM_H
#define SS_TEST_CONVEX_SYSTEM_H

#include "unit/solvers/random_system.h"

/* ---- random systems --------------------------------------------------------------------------- */

/* friction of the given law; one of three frictionless contacts becomes a bounded row, with a bound over fifteen decades */
static inline void draw(ss_context *ctx, random_system *y, uint64_t seed, unsigned law, double decades)
{
    uint64_t state = seed * 7919;
    int contacts = 1 + (int)(ss_random_u64(&state) % 12), joints = (int)(ss_random_u64(&state) % 7);
    rs_make(ctx, y, state, contacts, joints, decades);
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? law : y->law[k];
        if (y->law[k] == SS_LAW_UNILATERAL && k % 3 == 0) {
            y->law[k] = SS_LAW_BOUNDED;
            y->mu[k] = pow(10, rs_uniform(y, -3, 12));
        }
    }
}

#endif
