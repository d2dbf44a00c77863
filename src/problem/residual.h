/* residual.h - the certificate of a candidate solution, with memory that is reused from call to call, and shared by all users of
 * a context (residual_scales.h). */
#ifndef SS_RESIDUAL_H
#define SS_RESIDUAL_H

#include "base/base.h"
#include "problem/islands.h"
#include <slipstick/problem.h>

typedef struct ss_residual_work ss_residual_work;

ss_status ss_residual_create(ss_context *ctx, ss_residual_work **out);
void ss_residual_destroy(ss_residual_work *work);
/* As ss_problem_residual; takes no memory once the largest size has been seen. What depends on the problem alone is computed for
 * the first candidate of a problem, whoever asks, and kept until somebody asks about another problem. */
ss_status ss_residual_compute(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out);
/* The same for another candidate, the problem being that of the last call of this user: it is not looked at again, unless others
 * have asked about another one in between. */
ss_status ss_residual_again(ss_residual_work *work, const ss_problem *problem, const ss_solution *solution, ss_residual *out);
/* Islands of a problem, found once for all who ask about it; of the problem of the last call, which is given once more. Both are
 * valid until anybody asks about another problem. */
ss_status ss_residual_find_islands(ss_residual_work *work, const ss_problem *problem, ss_islands *out);
ss_status ss_residual_islands(ss_residual_work *work, const ss_problem *problem, ss_islands *out);
/* A problem that does not change until it is let go: all who ask about it, at this address, look at it once. What was held before
 * is returned, and is held again afterwards. */
typedef struct ss_residual_held {
    const ss_problem *problem; /* NULL: none                               */
    uint64_t filling;          /* number of the one with it; 0: none yet   */
} ss_residual_held;
ss_residual_held ss_residual_hold(ss_residual_work *work, const ss_problem *problem);
void ss_residual_let_go(ss_residual_work *work, ss_residual_held before);
/* The contacts of a problem by the bodies they act on, if it is held and somebody has asked about it; else NULL. */
const struct ss_acting_rows *ss_residual_held_contacts(ss_context *ctx, const ss_problem *problem);
/* Its islands in the same case; else false. */
bool ss_residual_held_islands(ss_context *ctx, const ss_problem *problem, ss_islands *out);
/* Larger of the three figures that `converged` needs. */
double ss_residual_worst(const ss_residual *residual);

#endif
