/* couplings.h - joints that couple the coordinates of two other joints: gears and racks. */
#ifndef SS_COUPLINGS_H
#define SS_COUPLINGS_H

#include "model/model.h"

/* g, the row pushed into G and its part that comes from driven bodies; type->couples */
ss_status ss_coupling_eval(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, double *g, ss_csr *G,
                           double *drive);
/* The second derivative of g while all bodies keep their world twists. */
double ss_coupling_curvature(const ss_model *m, const ss_config *c, const double *v, const ss_joint *joint);
/* What the row takes from the acceleration of driven bodies. */
double ss_coupling_drive_rate(const ss_model *m, const ss_config *c, const ss_joint *joint);
/* K += lam d(row)/dq; K has the pattern of the joints. */
void ss_coupling_stiffness(const ss_model *m, const ss_config *c, const ss_joint *joint, double lam, ss_csr *K);
/* Push v' d(row)/dq as a row of R. */
ss_status ss_coupling_gradient(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, const double *v,
                               ss_csr *R);

#endif
