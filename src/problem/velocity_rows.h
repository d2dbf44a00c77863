/* velocity_rows.h - the rows of contacts and joints on velocities, for global and local problems alike. */
#ifndef SS_VELOCITY_ROWS_H
#define SS_VELOCITY_ROWS_H

#include "base/base.h"
#include <slipstick/problem.h>

/* Global form: J = (H, G). Local form: J with J J' = (W + W')/2 as far as that is positive; J.n is its rank. Scratch comes from
 * the arena and is given back. */
ss_status ss_velocity_rows(ss_context *ctx, ss_arena *arena, const ss_problem *problem, ss_csr *J);

#endif
