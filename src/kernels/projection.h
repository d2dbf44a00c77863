/* projection.h - positions back onto the joints. */
#ifndef SS_PROJECTION_H
#define SS_PROJECTION_H

#include "kernels/assembly.h"

typedef struct ss_projection ss_projection;

ss_status ss_projection_create(ss_context *ctx, const ss_model *m, ss_projection **out);
void ss_projection_destroy(ss_projection *p);
/* Joint rows (nj marks, as ss_redundancy_rows has them) that were redundant where the joints were satisfied last; NULL: none. */
void ss_projection_know_redundant(ss_projection *p, const bool *rows);
/* The largest error of a joint at (t, q), in the unit of its row. */
ss_status ss_projection_error(ss_projection *p, ss_stepper *s, double t, const double *q, double *error);
/* q[nq] moves to the nearest position, by mass, where the joints are satisfied at time t; *satisfied is false if none was found
 * nearby. */
ss_status ss_projection_apply(ss_projection *p, ss_stepper *s, double t, double *q, bool *satisfied);
/* v[nv] moves to the nearest velocities, by mass, that joints, motors with a speed and driven bodies allow at (t, q), where the
 * joints are satisfied; they stay if they are allowed. *satisfied is false if there are none. */
ss_status ss_projection_apply_velocities(ss_projection *p, ss_stepper *s, double t, const double *q, double *v, bool *satisfied);

#endif
