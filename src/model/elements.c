/* elements.c - the list of elements, and what they share.
 *
 * Drag, the part of Rayleigh damping that belongs to the mass: each node has half of the element's mass m and of its inertia
 * J = B diag(J_1, J_2, J_3) B', B the axes that turn with the node, and is slowed down by a (m/2) v and a (J/2) w.
 * Inverted are elements whose nodes have passed each other: forces are those of another shape then, and the motion is not that
 * of the body any more. A beam counts as inverted too where its nodes are turned against each other by half a turn or more,
 * because its middle points back then. */
#include "model/elements.h"
#include "model/attachment.h"
#include "model/primitives.h"
#include "model/simplices.h"

#define SS_ELEMENT(name) extern const ss_element_type ss_element_##name;
#include "model/elements/elements.def"
#undef SS_ELEMENT

const ss_element_type *const ss_element_types[] = {
#define SS_ELEMENT(name) &ss_element_##name,
#include "model/elements/elements.def"
#undef SS_ELEMENT
    NULL,
};

/* B diag(J) B' w at node k */
static ss_vec3 spin_momentum(const ss_element *e, ss_mat3 B, ss_vec3 w)
{
    const ss_vec3 own = ss_unrotate(B, w);
    return ss_rotate(B, ss_v3(e->inertia.x * own.x, e->inertia.y * own.y, e->inertia.z * own.z));
}

void ss_element_drag(const ss_element *e, const ss_spot s[2], ss_wrench w[2])
{
    for (int k = 0; k < 2; k++) {
        const ss_vec3 spin = spin_momentum(e, ss_compose(s[k].R, e->basis[k]), s[k].w);
        w[k].force = ss_axpy(-0.5 * e->mass_damping * e->mass, s[k].v, w[k].force);
        w[k].torque = ss_axpy(-0.5 * e->mass_damping, spin, w[k].torque);
    }
}

/* a turn th changes J w by th x (J w) - J (th x w) while w stays */
void ss_element_drag_jacobian(const ss_element *e, const ss_spot s[2], double *k_q, double *k_v)
{
    const ss_mat3 one = ss_mat3_identity();
    const double a = 0.5 * e->mass_damping;
    for (int k = 0; k < 2 && a > 0; k++) {
        const ss_mat3 B = ss_compose(s[k].R, e->basis[k]);
        const ss_vec3 spin = spin_momentum(e, B, s[k].w);
        ss_mat3 J, turned;
        for (int i = 0; i < 3; i++) {
            J.c[i] = spin_momentum(e, B, one.c[i]);
            turned.c[i] = ss_sub(ss_cross(one.c[i], spin), spin_momentum(e, B, ss_cross(one.c[i], s[k].w)));
        }
        ss_twist_block(k_v, 2 * k, 2 * k, -a * e->mass, one);
        ss_twist_block(k_v, 2 * k + 1, 2 * k + 1, -a, J);
        ss_twist_block(k_q, 2 * k + 1, 2 * k + 1, -a, turned);
    }
}

double ss_element_shear(const ss_element *e, double L, double EI) { return 1 / (1 / e->GA + L * L / (12 * EI)); }

ss_status ss_elements_check(ss_context *ctx, const ss_model *m, const ss_config *c)
{
    for (int i = m->forces - m->elements; i < m->forces; i++) {
        const ss_force *force = &m->force[i];
        ss_spot s[2];
        ss_spots_at(c, force->at, s);
        if (force->type->inverted(force, s)) {
            return ss_fail(ctx, SS_ERR_NUMERIC,
                           "elements.%.80s: element %d is inverted at t = %.9g: its nodes have passed each other",
                           force->element->owner, force->element->number, c->t);
        }
    }
    return ss_simplices_check(ctx, m, c);
}
