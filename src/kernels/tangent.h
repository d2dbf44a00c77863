/* tangent.h - the matrix of a step that takes forces implicitly: A = M - a dk/dv - b dk/dq, or with the definite parts of stiff
 * forces alone, A = M - a C - b K (model/stiff.h). */
#ifndef SS_TANGENT_H
#define SS_TANGENT_H

#include "kernels/assembly.h"

typedef struct ss_tangent ss_tangent;

/* With all forces; or with stiff ones only, so that A is symmetric and positive definite. */
ss_status ss_tangent_create(ss_context *ctx, const ss_model *m, ss_tangent **out);
ss_status ss_tangent_create_definite(ss_context *ctx, const ss_model *m, ss_tangent **out);
void ss_tangent_destroy(ss_tangent *x);
/* Does any force but the gyroscopic one depend on position or velocity of this body? Of any body? Only such bodies have
 * derivatives here: the gyroscopic force of the others is the caller's affair. */
bool ss_tangent_touches(const ss_tangent *x, int body);
bool ss_tangent_touches_any(const ss_tangent *x);
/* The model may have got forces since: bodies that they touch are touched. */
void ss_tangent_follow(ss_tangent *x);
/* From now on gyroscopic forces count for every rigid body in space, also for those that no other force touches. */
void ss_tangent_touch_turning(ss_tangent *x);
/* Take dk/dq and dk/dv at c with velocities v. */
ss_status ss_tangent_take(ss_tangent *x, const ss_config *c, const double *v);
/* Of a definite one: take K and C, and the rest k0 of the model of the stiff forces, by class. */
ss_status ss_tangent_take_definite(ss_tangent *x, const ss_config *c, const double *v, double *k0);
/* Of a definite one: take K and C, and for bodies that turn the skew part [I w] of the derivative of their gyroscopic force
 * [I w] w: v'A v stays positive for all v. */
ss_status ss_tangent_take_positive(ss_tangent *x, ss_arena *arena, const ss_config *c, const double *v);
/* After ss_tangent_take or ss_tangent_take_positive: the gyroscopic torque of this rigid body in space, taken with velocities v,
 * is [a] w instead, with a fixed a. */
void ss_tangent_turn(ss_tangent *x, int body, const double *v, ss_vec3 a);
/* Take K again, with the lengths that springs have after h with velocities v. */
ss_status ss_tangent_stretch(ss_tangent *x, const ss_config *c, const double *v, double h);
/* Of a definite one: the functions ss_stiff_.. of these names (model/stiff.h). */
void ss_tangent_settle(ss_tangent *x, const ss_config *c, double h, const double *v);
bool ss_tangent_is_settled(const ss_tangent *x, const ss_config *c, double h, const double *v);
void ss_tangent_spare(const ss_tangent *x, const ss_config *c, const double *dv, double *p);
void ss_tangent_sort(const ss_tangent *x, const ss_config *c, double h, const double *v_end, double *by_class);
/* The largest -dk/dv over M on the diagonal: how fast dampers stop something, 1/s. */
double ss_tangent_damping(const ss_tangent *x, const ss_blockdiag *M);
/* p += c (dk/dv dv + dk/dq dx); NULL: 0 */
void ss_tangent_add(const ss_tangent *x, double c, const double *dv, const double *dx, double *p);
/* A and scale of the problem, whose mass is that of the assembly's geometry. Both point into this object and are valid until
 * the next call. Memory from the arena is scratch. */
ss_status ss_tangent_put(ss_tangent *x, ss_arena *arena, double a, double b, ss_assembly *to);
/* Is v'A v > 0 for all v, with the A that was put last into `to`? */
ss_status ss_tangent_is_positive(ss_tangent *x, ss_arena *arena, const ss_assembly *to, bool *positive);

#endif
