/* links.c - springs, dampers and loads: wrenches and their exact derivatives.
 *
 *   spring  F = -k (l - L) n,  dF/dd = -k [ (1 - L/l) (1 - n n') + n n' ],  energy k (l - L)^2 / 2
 *   damper  F = -c s n,        dF/dd' = -c n n',  dF/dd = -c/l [ n (P d')' + s P ],  P = 1 - n n'
 *   load    F, T fixed in the world; the arm turns with the body
 *
 * Symbols     d from anchor 0 to anchor 1, l = |d|, n = d/l, s = n . d', L the rest length
 * Where       l = 0: a spring with L = 0 is linear there (F = 0, dF/dd = -k); any other direction is
 *             undefined and the force is taken as zero. d' itself turns with the arms: at fixed twists
 *             d(d') = w_1 x (th_1 x arm_1) - w_0 x (th_0 x arm_0).
 * The geometric part of dF/dd is kept: without it the trapezoidal scheme loses an order (PAGT06 10.13). */
#include "model/links.h"

/* F on body 1 at its anchor, -F on body 0 */
static void add_pull(const ss_span *s, ss_vec3 F, ss_wrench w[2])
{
    w[0].force = ss_sub(w[0].force, F);
    w[0].torque = ss_sub(w[0].torque, ss_cross(s->arm[0], F));
    w[1].force = ss_add(w[1].force, F);
    w[1].torque = ss_add(w[1].torque, ss_cross(s->arm[1], F));
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

void ss_spring_add(const ss_force *force, const ss_frame f[2], ss_wrench w[2])
{
    ss_span s = ss_span_at(force->anchor, f);
    add_pull(&s, ss_scale(spring_factor(force, ss_norm(s.d)), s.d), w);
}

double ss_spring_energy(const ss_force *force, const ss_frame f[2])
{
    ss_span s = ss_span_at(force->anchor, f);
    double x = ss_norm(s.d) - force->length;
    return 0.5 * force->stiffness * x * x;
}

void ss_spring_jacobian(const ss_force *force, const ss_frame f[2], double *k_q)
{
    ss_span s = ss_span_at(force->anchor, f);
    double l = ss_norm(s.d), a = spring_factor(force, l);
    double b = l > 0 ? -force->stiffness - a : 0;
    ss_span_stiffness(&s, ss_scale(a, s.d), spread(a, b, ss_unit(s.d)), k_q);
}

/* ---- damper -------------------------------------------------------------------------------------- */

void ss_damper_add(const ss_force *force, const ss_frame f[2], const ss_vec3 tw[2][2], ss_wrench w[2])
{
    ss_span s = ss_span_at(force->anchor, f);
    ss_vec3 n = ss_unit(s.d);
    double rate = ss_dot(n, ss_span_rate(&s, tw));
    add_pull(&s, ss_scale(-force->damping * rate, n), w);
}

/* K += P' D P_rate, where the wrenches are sign_b (1, S(arm_b)) and D acts on d' = sum sign_c (rate part of c) */
static void add_rate_part(const ss_span *s, ss_mat3 D, int c, int column, ss_mat3 part, double *K)
{
    ss_mat3 DP = ss_compose(D, part);
    for (int b = 0; b < 2; b++) {
        double sign = b == c ? 1 : -1;
        ss_twist_block(K, 2 * b, column, sign, DP);
        ss_twist_block(K, 2 * b + 1, column, sign, ss_compose(ss_skew(s->arm[b]), DP));
    }
}

void ss_damper_jacobian(const ss_force *force, const ss_frame f[2], const ss_vec3 tw[2][2], double *k_q, double *k_v)
{
    ss_span s = ss_span_at(force->anchor, f);
    double l = ss_norm(s.d), c = force->damping;
    if (l == 0) {
        return;
    }
    ss_vec3 n = ss_unit(s.d), rate = ss_span_rate(&s, tw);
    double along = ss_dot(n, rate);
    ss_mat3 by_rate = spread(0, -c, n);
    ss_mat3 by_d = spread(-c / l * along, c / l * along, n);
    ss_mat3 turn = ss_outer(ss_scale(-c / l, n), ss_axpy(-along, n, rate));
    for (int k = 0; k < 3; k++) {
        by_d.c[k] = ss_add(by_d.c[k], turn.c[k]);
    }
    ss_span_stiffness(&s, ss_scale(-c * along, n), by_d, k_q);
    ss_span_stiffness(&s, ss_v3(0, 0, 0), by_rate, k_v);
    for (int b = 0; b < 2; b++) { /* w x (th x arm) = -S(w) S(arm) th */
        ss_mat3 part = ss_compose(ss_skew(ss_scale(-1, tw[b][1])), ss_skew(s.arm[b]));
        add_rate_part(&s, by_rate, b, 2 * b + 1, part, k_q);
    }
}

/* ---- load ------------------------------------------------------------------------------------------ */

void ss_load_add(const ss_force *force, const ss_frame f[2], ss_vec3 F, ss_vec3 T, ss_wrench w[2])
{
    ss_vec3 arm = ss_rotate(f[0].R, force->anchor[0]);
    w[0].force = ss_add(w[0].force, F);
    w[0].torque = ss_add(w[0].torque, ss_add(T, ss_cross(arm, F)));
}

void ss_load_jacobian(const ss_force *force, const ss_frame f[2], ss_vec3 F, double *k_q)
{
    ss_twist_block(k_q, SS_ANG0, SS_ANG0, 1, ss_lever(ss_rotate(f[0].R, force->anchor[0]), F));
}
