/* bar.c - a straight bar that is stretched and compressed along a line which keeps its direction.
 *
 *     strain   s = a . d / L - 1        d from node 0 to node 1, a the line's direction at rest, in the world
 *     energy   U = EA L s^2 / 2         force on node 1  -N a,  N = EA (s + b s'),  on node 0  N a
 *
 * With Rayleigh damping a M v + b K v: b is in N; of the bar's mass each node has half, and a force -a (m/2) v.
 * Sideways    nothing resists: the bar is linear, its nodes are free to move across the line, and a compressed bar does not
 *             buckle. A beam resists bending and turns with its nodes.
 * Symbols     L length at rest; EA modulus times section; m mass of an element
 * Cost        a few dozen operations */
#include "model/elements.h"
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = { SS_ELEMENT_FIELDS, SS_FIELD_END };

static ss_vec3 direction(const ss_force *force) { return force->element->basis[0].c[0]; }

static double strain(const ss_force *force, const ss_spot s[2])
{
    return ss_dot(direction(force), ss_span(s)) / force->length - 1;
}

/* N a between the nodes: it pulls both together */
static void add_pull(const ss_force *force, double N, ss_wrench w[2])
{
    w[0].force = ss_axpy(N, direction(force), w[0].force);
    w[1].force = ss_axpy(-N, direction(force), w[1].force);
}

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    const ss_element *e = force->element;
    const double rate = ss_dot(direction(force), ss_span_rate(s)) / force->length;
    (void)t;
    add_pull(force, e->EA * strain(force, s), w[SS_FORCE_SPRING]);
    add_pull(force, force->damping * e->EA * rate, w[SS_FORCE_DAMPER]);
    ss_element_drag(e, s, w[SS_FORCE_DAMPER]);
}

static double energy(const ss_force *force, const ss_spot s[2])
{
    const double x = strain(force, s);
    return 0.5 * force->element->EA * force->length * x * x;
}

static const char *const stress_name[] = { "force", NULL };

static void stress(const ss_force *force, const ss_spot s[2], double *out) { out[0] = force->element->EA * strain(force, s); }

static bool inverted(const ss_force *force, const ss_spot s[2]) { return ss_dot(direction(force), ss_span(s)) <= 0; }

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    const ss_vec3 a = direction(force);
    const double stiffness = force->element->EA / force->length;
    (void)t;
    ss_span_stiffness(ss_outer(ss_scale(-stiffness, a), a), k_q);
    ss_span_stiffness(ss_outer(ss_scale(-force->damping * stiffness, a), a), k_v);
    ss_element_drag_jacobian(force->element, s, k_q, k_v);
}

const ss_element_type ss_element_bar = {
    .info = { .name = "bar",
              .title = "linear bar, stretched along its line",
              .reference = "textbook",
              .dimensions = 4 | 8,
              .fields = fields },
    .node = SS_BODY_PARTICLE,
    .force = { .two_bodies = true,
               .eval = eval,
               .potential = energy,
               .jacobian = jacobian,
               .inverted = inverted,
               .stress_name = stress_name,
               .stress = stress },
};
