/* beam_in_space.c - the beam in 3D: it stretches, shears, twists and bends, with any rotation; geometrically exact, two nodes.
 *
 *     B_k    axes of node k: those at rest, turned with the node      n, 2 phi   axis and angle of the turn from B_0 to B_1
 *     B      axes of the middle, half of that turn ahead of B_0       c = phi n  the turn from the middle to node 1
 *     strains     B' d / L - e_1  (stretch, two shears)               B' 2c / L  (twist, two curvatures)
 *     energy      U = (L/2) (sum of EA, GA*_2, GA*_3 times the squares of the former + GJ, EI_2, EI_3 of the latter)
 *     resultants  f, u  (world): stiffness times strain, plus b times strain rate       b: Rayleigh damping
 *     on node 1   force -f,  moment l/2 - m        l = d x f
 *     on node 0   force  f,  moment l/2 + m        m = Y u + (l x g)/2
 *
 * The strains are those of the middle, as in the plane: a thin beam does not lock, and a rigid motion leaves them as they are.
 * Turns       When the nodes turn by a_0 and a_1 (world), the middle turns by p, and with the middle's axes held fixed (a circle
 *             marks that) g and c change by
 *
 *     p = (a_0 + a_1)/2 - g x (a_1 - a_0)/2        g = tan(phi/2) n
 *     g_o = (1 + g.g)/4 (a_1 - a_0)                c_o = Y (a_1 - a_0)/2,     Y = s 1 + r c c',  s = phi/sin(phi),  r = (1 -
 * s)/phi^2
 *
 * Derivatives Along each of the twelve motions of the nodes: any world vector x that is built from d, c and g by the middle's
 * axes changes by p x x + x_o, and x_o follows from d_o = d' - p x d, c_o, g_o by the rules of products. They are exact.
 * Reference   J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, part II, Computer Methods in Applied Mechanics
 *             and Engineering 58 (1986) 79-116; the middle's axes as means: M. A. Crisfield, G. Jelenic, Proc. R. Soc. A 455
 *             (1999) 1125-1147, where this keeps strains free of rigid motions
 * Symbols     L length at rest; d from node 0 to node 1; a prime is a transpose, or d' a change of d
 * Cost        about two thousand operations for the derivatives */
#include "base/tolerances.h"
#include "model/elements.h"
#include "model/primitives.h"

/* Below this square of phi, s and r are series: what they leave out is round-off. */
#define SMALL 1e-4

/* ---- where it is ---------------------------------------------------------------------------------------- */

typedef struct pose {
    ss_mat3 B;
    ss_vec3 d, c, g;
    double s, r, s_u, r_u; /* and the derivatives of s and r by phi^2 */
} pose;

/* e: sin(phi) n, w: cos(phi) */
static void set_turn(ss_vec3 e, double w, pose *x)
{
    const double sine = ss_norm(e), phi = atan2(sine, w), u = phi * phi;
    if (u < SMALL) {
        x->s = 1 + u / 6 + 7 * u * u / 360;
        x->s_u = 1.0 / 6 + 7 * u / 180 + 31 * u * u / 5040;
        x->r = -1.0 / 6 - 7 * u / 360 - 31 * u * u / 15120;
        x->r_u = -7.0 / 360 - 31 * u / 7560;
    } else {
        x->s = phi / sine;
        x->s_u = x->s * (1 - x->s * w) / (2 * u);
        x->r = (1 - x->s) / u;
        x->r_u = -(x->s_u + x->r) / u;
    }
    x->c = ss_scale(x->s, e);
    x->g = ss_scale(1 / (1 + w), e);
}

static pose pose_of(const ss_force *force, const ss_spot s[2])
{
    const ss_element *element = force->element;
    const ss_mat3 B0 = ss_compose(s[0].R, element->basis[0]), B1 = ss_compose(s[1].R, element->basis[1]);
    const ss_quat q = ss_quat_of_matrix(ss_uncompose(B0, B1));
    pose x = { .d = ss_span(s), .B = ss_compose(B0, ss_quat_matrix(ss_quat_unit((ss_quat){ 1 + q.w, q.x, q.y, q.z }))) };
    set_turn(ss_rotate(B0, ss_v3(q.x, q.y, q.z)), q.w, &x);
    return x;
}

/* Y v */
static ss_vec3 spread(const pose *x, ss_vec3 v) { return ss_axpy(x->r * ss_dot(x->c, v), x->c, ss_scale(x->s, v)); }

/* p, where the nodes turn by a[0], a[1] */
static ss_vec3 middle_turn(const pose *x, const ss_vec3 a[2])
{
    const ss_vec3 mean = ss_scale(0.5, ss_add(a[0], a[1])), half = ss_scale(0.5, ss_sub(a[1], a[0]));
    return ss_sub(mean, ss_cross(x->g, half));
}

/* ---- resultants ----------------------------------------------------------------------------------------- */

typedef struct resultants {
    ss_vec3 f, u;
} resultants;

/* stiffness over L, along the middle's axes */
typedef struct stiffness {
    ss_vec3 stretch, bend;
} stiffness;

static stiffness stiffness_of(const ss_force *force)
{
    const ss_element *e = force->element;
    const double L = force->length;
    const ss_vec3 stretch = { e->EA, ss_element_shear(e, L, e->EI.z), ss_element_shear(e, L, e->EI.y) };
    return (stiffness){ ss_scale(1 / L, stretch), ss_scale(1 / L, e->EI) };
}

/* B diag(k) B' v */
static ss_vec3 along_axes(const pose *x, ss_vec3 k, ss_vec3 v)
{
    const ss_vec3 own = ss_unrotate(x->B, v);
    return ss_rotate(x->B, ss_v3(k.x * own.x, k.y * own.y, k.z * own.z));
}

static resultants resist(const pose *x, const stiffness *k, ss_vec3 stretched, ss_vec3 bent)
{
    return (resultants){ along_axes(x, k->stretch, stretched), along_axes(x, k->bend, bent) };
}

static resultants elastic(const ss_force *force, const pose *x, const stiffness *k)
{
    return resist(x, k, ss_axpy(-force->length, x->B.c[0], x->d), ss_scale(2, x->c));
}

static resultants scaled(double a, resultants y) { return (resultants){ ss_scale(a, y.f), ss_scale(a, y.u) }; }

static resultants sum(resultants y, resultants z) { return (resultants){ ss_add(y.f, z.f), ss_add(y.u, z.u) }; }

/* b times those of the rates at which the nodes move apart (rate) and turn (w) */
static resultants viscous(const ss_force *force, const pose *x, const stiffness *k, ss_vec3 rate, const ss_vec3 w[2])
{
    const ss_vec3 stretching = ss_sub(rate, ss_cross(middle_turn(x, w), x->d));
    return scaled(force->damping, resist(x, k, stretching, spread(x, ss_sub(w[1], w[0]))));
}

static void add_wrenches(const pose *x, const resultants *y, ss_wrench w[2])
{
    const ss_vec3 l = ss_cross(x->d, y->f), m = ss_axpy(0.5, ss_cross(l, x->g), spread(x, y->u));
    w[0].force = ss_add(w[0].force, y->f);
    w[1].force = ss_sub(w[1].force, y->f);
    w[0].torque = ss_add(w[0].torque, ss_axpy(0.5, l, m));
    w[1].torque = ss_add(w[1].torque, ss_sub(ss_scale(0.5, l), m));
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* a motion of the nodes: what changes */
typedef struct change {
    ss_vec3 d, a[2], p; /* d', turns of the nodes and of the middle */
    ss_vec3 d_o, c_o, g_o;
    double s_o, r_o;
} change;

static change change_along(const pose *x, ss_vec3 d, const ss_vec3 a[2])
{
    const ss_vec3 turn = ss_sub(a[1], a[0]), p = middle_turn(x, a), c_o = ss_scale(0.5, spread(x, turn));
    const double u_o = 2 * ss_dot(x->c, c_o);
    return (change){ .d = d,
                     .a = { a[0], a[1] },
                     .p = p,
                     .d_o = ss_sub(d, ss_cross(p, x->d)),
                     .c_o = c_o,
                     .g_o = ss_scale(0.25 * (1 + ss_dot(x->g, x->g)), turn),
                     .s_o = x->s_u * u_o,
                     .r_o = x->r_u * u_o };
}

/* (Y v)_o */
static ss_vec3 spread_change(const pose *x, const change *y, ss_vec3 v, ss_vec3 v_o)
{
    const double cv = ss_dot(x->c, v), cv_o = ss_dot(y->c_o, v) + ss_dot(x->c, v_o);
    const ss_vec3 along = ss_axpy(y->r_o * cv + x->r * cv_o, x->c, ss_scale(x->r * cv, y->c_o));
    return ss_add(along, ss_axpy(y->s_o, v, ss_scale(x->s, v_o)));
}

static resultants elastic_change(const pose *x, const stiffness *k, const change *y)
{
    return resist(x, k, y->d_o, ss_scale(2, y->c_o));
}

/* the velocities of both points stay as they are in the world */
static resultants viscous_change(const ss_force *force, const pose *x, const stiffness *k, const ss_spot s[2], const change *y)
{
    const ss_vec3 w[2] = { s[0].w, s[1].w }, turning = ss_sub(w[1], w[0]), P = middle_turn(x, w);
    const ss_vec3 rate = ss_sub(ss_span_rate(s), ss_cross(P, x->d)), g = ss_add(ss_cross(y->p, x->g), y->g_o);
    const ss_vec3 moved = ss_sub(ss_cross(ss_cross(g, ss_scale(0.5, turning)), x->d), ss_cross(P, y->d));
    const ss_vec3 bent = spread_change(x, y, turning, ss_cross(turning, y->p));
    return scaled(force->damping, resist(x, k, ss_sub(moved, ss_cross(y->p, rate)), bent));
}

/* w: how the wrenches of the resultants y change, which change by y_o themselves */
static void change_wrenches(const pose *x, const change *z, const resultants *y, const resultants *y_o, ss_wrench w[2])
{
    const ss_vec3 l = ss_cross(x->d, y->f), l_o = ss_add(ss_cross(z->d_o, y->f), ss_cross(x->d, y_o->f));
    const ss_vec3 lever = ss_add(ss_cross(l_o, x->g), ss_cross(l, z->g_o));
    const ss_vec3 m_o = ss_axpy(0.5, lever, spread_change(x, z, y->u, y_o->u));
    ss_wrench own[2] = { 0 };
    add_wrenches(x, y, own);
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? 1 : -1;
        w[k].force = ss_axpy(side, y_o->f, ss_cross(z->p, own[k].force));
        w[k].torque = ss_add(ss_cross(z->p, own[k].torque), ss_axpy(side, m_o, ss_scale(0.5, l_o)));
    }
}

/* column j of a 12 x 12 matrix += the wrenches */
static void add_column(const ss_wrench w[2], int j, double *K)
{
    for (int k = 0; k < 2; k++) {
        double x[6];
        ss_v3_to(w[k].force, x);
        ss_v3_to(w[k].torque, x + 3);
        for (int i = 0; i < 6; i++) {
            K[12 * (6 * k + i) + j] += x[i];
        }
    }
}

/* motion j of the nodes: *d of one from the other, turns a */
static void unit_motion(int j, ss_vec3 *d, ss_vec3 a[2])
{
    const ss_vec3 none = { 0, 0, 0 }, one = ss_mat3_identity().c[j % 3];
    const int node = j / 6;
    const bool turns = j % 6 >= 3;
    *d = turns ? none : ss_scale(node == 0 ? -1 : 1, one);
    a[node] = turns ? one : none;
    a[1 - node] = none;
}

/* ---- the element ------------------------------------------------------------------------------------------- */

static resultants damper(const ss_force *force, const pose *x, const stiffness *k, const ss_spot s[2])
{
    return viscous(force, x, k, ss_span_rate(s), (const ss_vec3[2]){ s[0].w, s[1].w });
}

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    const pose x = pose_of(force, s);
    const stiffness k = stiffness_of(force);
    const resultants spring = elastic(force, &x, &k), rubbing = damper(force, &x, &k, s);
    (void)t;
    add_wrenches(&x, &spring, w[SS_FORCE_SPRING]);
    add_wrenches(&x, &rubbing, w[SS_FORCE_DAMPER]);
    ss_element_drag(force->element, s, w[SS_FORCE_DAMPER]);
}

static double energy(const ss_force *force, const ss_spot s[2])
{
    const pose x = pose_of(force, s);
    const stiffness k = stiffness_of(force);
    const resultants y = elastic(force, &x, &k);
    return 0.5 * ss_dot(y.f, ss_axpy(-force->length, x.B.c[0], x.d)) + ss_dot(y.u, x.c);
}

static const char *const stress_name[] = { "force", "shear_2", "shear_3", "torque", "moment_2", "moment_3", NULL };

/* along the axes of the middle */
static void stress(const ss_force *force, const ss_spot s[2], double *out)
{
    const pose x = pose_of(force, s);
    const stiffness k = stiffness_of(force);
    const resultants y = elastic(force, &x, &k);
    ss_v3_to(ss_unrotate(x.B, y.f), out);
    ss_v3_to(ss_unrotate(x.B, y.u), out + 3);
}

/* The middle points back, or the nodes are twisted against each other by nearly half a turn, beyond which the twist would be
 * taken for one of the other sense. */
static bool inverted(const ss_force *force, const ss_spot s[2])
{
    const pose x = pose_of(force, s);
    const double twist = 2 * ss_dot(x.B.c[0], x.c);
    return !(ss_dot(x.B.c[0], x.d) > 0) || !(fabs(twist) < SS_TOL_TWIST * acos(-1));
}

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    const pose x = pose_of(force, s);
    const stiffness k = stiffness_of(force);
    const resultants y = sum(elastic(force, &x, &k), damper(force, &x, &k, s));
    (void)t;
    for (int j = 0; j < 12; j++) {
        ss_vec3 d, a[2];
        ss_wrench w[2], w_v[2] = { 0 };
        unit_motion(j, &d, a);
        const change z = change_along(&x, d, a);
        const resultants y_o = sum(elastic_change(&x, &k, &z), viscous_change(force, &x, &k, s, &z)),
                         y_v = viscous(force, &x, &k, d, a);
        change_wrenches(&x, &z, &y, &y_o, w);
        add_wrenches(&x, &y_v, w_v);
        add_column(w, j, k_q);
        add_column(w_v, j, k_v);
    }
    ss_element_drag_jacobian(force->element, s, k_q, k_v);
}

const ss_force_type ss_beam_in_space = { .two_bodies = true,
                                         .eval = eval,
                                         .potential = energy,
                                         .jacobian = jacobian,
                                         .inverted = inverted,
                                         .stress_name = stress_name,
                                         .stress = stress };
