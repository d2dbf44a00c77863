/* stiff.h - forces that depend on positions or velocities, as a step takes them that is implicit and solves one linear problem.
 */
#ifndef SS_STIFF_H
#define SS_STIFF_H

#include "model/blocks.h"

/* Stiff are the forces of types that give a Jacobian, those of user blocks, and those that drive joints (drives.h). */
static inline bool ss_force_is_stiff(const ss_force *force) { return force->type->jacobian != NULL; }
static inline bool ss_block_is_stiff(const ss_model *m, int body)
{
    return ss_model_is_block(m, body) && m->body_callbacks[body]->force;
}

bool ss_model_has_stiff(const ss_model *m); /* any of them */

/* Of a force whose points are at s. Classes x nv: k += it. Its wrenches of all classes, and their 12 x 12 derivatives by
 * displacements and velocities of the points. They fail where a function of the program does. */
ss_status ss_force_add(ss_context *ctx, const ss_model *m, double t, const ss_force *force, const ss_spot s[2], double *k);
ss_status ss_force_at_points(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                             ss_wrench w[2], double *by_x, double *by_v);

typedef struct ss_stiff ss_stiff;

ss_status ss_stiff_create(ss_context *ctx, const ss_model *m, ss_stiff **out);
void ss_stiff_destroy(ss_stiff *x);
/* The model  k(q (+) x, v') ~ k0 + K x + C v'  of the stiff forces at c, tangent at v. k0: by class, SS_FORCE_CLASSES x nv; K and
 * C: nv x nv, pattern of the model's forces, symmetric and negative semidefinite. Driven bodies have the velocities of c. */
ss_status ss_stiff_take(ss_stiff *x, const ss_config *c, const double *v, double *k0, ss_csr *K, ss_csr *C);
/* Take K of the links anew, with the lengths that they have when all bodies have moved for h with velocities v. */
ss_status ss_stiff_stretch(ss_stiff *x, const ss_config *c, const double *v, double h, ss_csr *K);
/* From now on servos are at their limits, or not, as they are when all bodies have moved for h from c with velocities v. */
void ss_stiff_settle(ss_stiff *x, const ss_config *c, double h, const double *v);
/* Is that no other choice than the one at hand? */
bool ss_stiff_is_settled(const ss_stiff *x, const ss_config *c, double h, const double *v);
/* p -= C dv of servos alone. */
void ss_stiff_spare(const ss_stiff *x, const ss_config *c, const double *dv, double *p);
/* Of the impulse h C v' + h^2 K v', which was added to springs and dampers by class, move that of servos to applied forces. */
void ss_stiff_sort(const ss_stiff *x, const ss_config *c, double h, const double *v_end, double *by_class);

#endif
