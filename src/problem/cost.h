/* cost.h - what iterations on a problem cost, before they are made. */
#ifndef SS_COST_H
#define SS_COST_H

#include "base/base.h"
#include <slipstick/problem.h>

/* Gauss-Seidel sweeps that cost about as much as so many Newton steps in velocity space (alm, cone_ipm); from the sizes alone. */
double ss_cost_sweeps(const ss_problem *p, double newton_steps);
/* Operations of one factorisation of the matrix of such a step, from the sparsity: an ordering of the bodies and the fill that it
 * leaves. Scratch from the arena. */
ss_status ss_cost_factor(ss_context *ctx, ss_arena *arena, const ss_problem *p, double *operations);

#endif
