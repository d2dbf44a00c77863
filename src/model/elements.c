/* elements.c - the list of elements, and what they share.
 *
 * Drag, the part of Rayleigh damping that belongs to the mass: each node has half of the element's mass m and moment of inertia
 * J, and is slowed down by a (m/2) v and a (J/2) w.
 * Inverted are elements whose nodes have passed each other: forces are those of another shape then, and the motion is not that
 * of the body any more. A beam counts as inverted too where its nodes are turned against each other by half a turn or more,
 * because its middle points back then. */
#include "model/elements.h"
#include "model/attachment.h"
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

void ss_element_drag(const ss_element *e, const ss_spot s[2], ss_wrench w[2])
{
    for (int k = 0; k < 2; k++) {
        w[k].force = ss_axpy(-0.5 * e->mass_damping * e->mass, s[k].v, w[k].force);
        w[k].torque = ss_axpy(-0.5 * e->mass_damping * e->inertia, s[k].w, w[k].torque);
    }
}

void ss_element_drag_jacobian(const ss_element *e, double *k_v)
{
    enum { ROWS = 2 * SS_SPOT_DOFS };
    for (int i = 0; i < ROWS; i++) {
        k_v[i * (ROWS + 1)] -= 0.5 * e->mass_damping * (i % SS_SPOT_DOFS < 3 ? e->mass : e->inertia);
    }
}

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
