/* links.c - springs and dampers between two points: forces and their exact derivatives.
 *
 *   spring  F = -k (l - L) n,  dF/dd = -k [ (1 - L/l) (1 - n n') + n n' ],  energy k (l - L)^2 / 2
 *   damper  F = -c s n,        dF/dd' = -c n n',  dF/dd = -c/l [ n (P d')' + s P ],  P = 1 - n n'
 *
 * Symbols     d from point 0 to point 1, l = |d|, n = d/l, s = n . d', L the rest length
 * Where       l = 0: a spring with L = 0 is linear there (F = 0, dF/dd = -k); any other direction is
 *             undefined and the force is taken as zero.
 * The geometric part of dF/dd is kept: without it the trapezoidal scheme loses an order (PAGT06 10.13). The step from
 * points to body velocities is made in attachment.c. */
#include "model/links.h"

/* F at point 1, -F at point 0 */
static void add_pull(ss_vec3 F, ss_wrench w[2])
{
    w[0].force = ss_sub(w[0].force, F);
    w[1].force = ss_add(w[1].force, F);
}

/* a 1 + b n n' */
static ss_mat3 spread(double a, double b, ss_vec3 n)
{
    ss_mat3 D = ss_outer(ss_scale(b, n), n);
    D.c[0].x += a;
    D.c[1].y += a;
    D.c[2].z += a;
    return D;
}

/* ---- spring ------------------------------------------------------------------------------------- */

/* -k (1 - L/l): the factor of d */
static double spring_factor(const ss_force *force, double l)
{
    if (force->length == 0) {
        return -force->stiffness;
    }
    return l > 0 ? -force->stiffness * (1 - force->length / l) : 0;
}

void ss_spring_add(const ss_force *force, const ss_spot s[2], ss_wrench w[2])
{
    ss_vec3 d = ss_span(s);
    add_pull(ss_scale(spring_factor(force, ss_norm(d)), d), w);
}

double ss_spring_energy(const ss_force *force, const ss_spot s[2])
{
    double x = ss_norm(ss_span(s)) - force->length;
    return 0.5 * force->stiffness * x * x;
}

void ss_spring_jacobian(const ss_force *force, const ss_spot s[2], double *k_q)
{
    ss_vec3 d = ss_span(s);
    double l = ss_norm(d), a = spring_factor(force, l);
    double b = l > 0 ? -force->stiffness - a : 0;
    ss_span_stiffness(spread(a, b, ss_unit(d)), k_q);
}

/* ---- damper -------------------------------------------------------------------------------------- */

void ss_damper_add(const ss_force *force, const ss_spot s[2], ss_wrench w[2])
{
    ss_vec3 n = ss_unit(ss_span(s));
    double rate = ss_dot(n, ss_span_rate(s));
    add_pull(ss_scale(-force->damping * rate, n), w);
}

void ss_damper_jacobian(const ss_force *force, const ss_spot s[2], double *k_q, double *k_v)
{
    ss_vec3 d = ss_span(s), n = ss_unit(d), rate = ss_span_rate(s);
    double l = ss_norm(d), c = force->damping;
    if (l == 0) {
        return;
    }
    double along = ss_dot(n, rate);
    ss_mat3 by_d = spread(-c / l * along, c / l * along, n);
    ss_mat3 turn = ss_outer(ss_scale(-c / l, n), ss_axpy(-along, n, rate));
    for (int k = 0; k < 3; k++) {
        by_d.c[k] = ss_add(by_d.c[k], turn.c[k]);
    }
    ss_span_stiffness(by_d, k_q);
    ss_span_stiffness(spread(0, -c, n), k_v);
}
