/* gyroscopic.h - the gyroscopic torque k = -w x I w of one rigid body in space, over a step of length h; gyroscopic.c has the
 * equations. All vectors are in the body's frame. */
#ifndef SS_GYROSCOPIC_H
#define SS_GYROSCOPIC_H

#include "math/vec.h"

/* Its impulse on a free body, by a rule that keeps the energy and the size of the angular momentum. */
ss_vec3 ss_gyroscopic_impulse(const ss_mat3 *inertia, ss_vec3 w, double h);
/* a, where h [a] (w + w')/2 is that impulse on a free body, and does no work on any other. w is not 0. */
ss_vec3 ss_gyroscopic_axis(const ss_mat3 *inertia, ss_vec3 w, double h);
/* By about which share of the energy of a free body a step is wrong that linearises the torque at w. NaN where that step has no
 * solution. */
double ss_gyroscopic_share(const ss_mat3 *inertia, ss_vec3 w, double h);

#endif
