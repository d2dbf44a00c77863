/* classical.h - the residual of a contact problem as published tables have it. */
#ifndef SS_CLASSICAL_H
#define SS_CLASSICAL_H

#include "base/base.h"
#include <slipstick/problem.h>

/* *out = |r - P_K(r - u^)| over all contacts; r, u: impulses and velocities of all rows; lifted: u less what moments take from it
 * (ss_law_lift). */
ss_status ss_classical_residual(ss_arena *arena, const ss_problem *problem, const double *r, const double *u,
                                const double *lifted, double *out);

#endif
