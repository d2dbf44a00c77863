/* tangent.h - the matrix of a step that takes forces implicitly: A = M - a dk/dv - b dk/dq. */
#ifndef SS_TANGENT_H
#define SS_TANGENT_H

#include "kernels/assembly.h"

typedef struct ss_tangent ss_tangent;

ss_status ss_tangent_create(ss_context *ctx, const ss_model *m, ss_tangent **out);
void ss_tangent_destroy(ss_tangent *x);
/* Does any force but the gyroscopic one depend on position or velocity of this body? Of any body? Only such bodies have
 * derivatives here: the gyroscopic force of the others is the caller's affair. */
bool ss_tangent_touches(const ss_tangent *x, int body);
bool ss_tangent_touches_any(const ss_tangent *x);
/* Take dk/dq and dk/dv at c with velocities v. */
ss_status ss_tangent_take(ss_tangent *x, const ss_config *c, const double *v);
/* p += c (dk/dv dv + dk/dq dx) */
void ss_tangent_add(const ss_tangent *x, double c, const double *dv, const double *dx, double *p);
/* A and scale of the problem, whose mass is that of the assembly's geometry. Both point into this object and are valid until
 * the next call. Memory from the arena is scratch. */
ss_status ss_tangent_put(ss_tangent *x, ss_arena *arena, double a, double b, ss_assembly *to);

#endif
