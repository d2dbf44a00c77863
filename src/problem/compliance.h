/* compliance.h - contact impulses as the limit of vanishing compliance, for one island by a direct method.
 *
 *     u = W r + q,   u_i + eps e_i r_i and r_i obey law_i,   eps -> 0                                    */
#ifndef SS_COMPLIANCE_H
#define SS_COMPLIANCE_H

#include "base/base.h"
#include <slipstick/problem.h>

/* An island: some contacts of a problem with their dense W. Contact i of it has the rows first[i] .. first[i+1]-1. */
typedef struct ss_compliant {
    const ss_problem *problem; /* for the laws                                   */
    int nc, n;                 /* contacts, rows                                 */
    const int *contact;        /* nc: their numbers in the problem               */
    const int *first;          /* nc+1                                           */
    const double *W;           /* n x n                                          */
    double *q;                 /* n; out: what rows that depend on each other agree upon */
    const double *d;           /* nc: trace of W_ii over its rows, > 0           */
    const double *e;           /* nc: share of the compliance, > 0               */
    double *r, *u;             /* n: in: a solution; out: the limit              */
    int rank, unknowns;        /* out: of the equations of the active contacts   */
} ss_compliant;

/* Take the state of each contact (open, stick, slip) from its velocity. *found: the limit on these states obeys the laws, and
 * still does if impulses and velocities change a little; so it is the limit. */
ss_status ss_compliance_guess(ss_arena *arena, ss_compliant *c, bool *found);
/* Follow the solution from a large eps to a small one, whatever r and u are; then the limit on the states found there. */
ss_status ss_compliance_follow(ss_context *ctx, ss_arena *arena, ss_compliant *c, bool *found);

#endif
