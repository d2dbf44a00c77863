/* beam.c - a planar beam that stretches, shears and bends, with any rotation: geometrically exact (Reissner), two nodes; the one
 * in space is in beam_in_space.c.
 *
 *     a_k    director of node k: the line at rest, turned with the node;   th  the angle from a_0 to a_1, below half a turn
 *     a, n   director of the middle, half way between a_0 and a_1; n is a quarter turn ahead of it
 *     strains     e = a . d / L - 1      g = n . d / L      k = th / L           d from node 0 to node 1
 *     energy      U = (L/2) (EA e^2 + GA* g^2 + EI k^2)
 *     resultants  N = EA (e + b e'),  Q = GA* (g + b g'),  M = EI (k + b k')     b: Rayleigh damping, by strain rates
 *     on node 1   force -f,  moment -m/2 - M        f = N a + Q n
 *     on node 0   force  f,  moment -m/2 + M        m = N (d . n) - Q (d . a)
 *
 * The strains are taken in the middle and nowhere else (one-point integration): a thin beam does not lock, and a rigid motion
 * of both nodes leaves them as they are, to the last digit. One-point integration makes the element too stiff when
 * it is bent by shear forces; 1/GA* = 1/GA + L^2/(12 EI) takes that back, so that under small loads at its nodes a straight beam
 * has the deflections of Timoshenko's theory at the nodes, for any number of elements.
 * Derivatives By d and by the turn p of the middle: a' = n p', n' = -a p'. With N_d, N_p those of N, and so on,
 *
 *     f_d = a N_d' + n Q_d'                          f_p = N_p a + Q_p n + N n - Q a
 *     m_d = (d.n) N_d + N n - (d.a) Q_d - Q a        m_p = (d.n) N_p - N (d.a) - (d.a) Q_p - Q (d.n)
 *
 * Reference   E. Reissner, On one-dimensional finite-strain beam theory: the plane problem, ZAMP 23 (1972) 795-804;
 *             GA*: R. H. MacNeal, A simple quadrilateral shell element, Computers and Structures 8 (1978) 175-183
 * Symbols     L length at rest; d.n = n . d; a prime is a transpose or a derivative in time
 * Cost        some hundred operations */
#include "model/elements.h"
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_ELEMENT_FIELDS,
    SS_PART_FIELD(ss_elements_desc, "angular_velocity", SS_FIELD_SPIN, angular_velocity, 0,
                  "rad/s about its middle; 3D in its own frame"),
    SS_FIELD_END,
};

/* ---- strains ------------------------------------------------------------------------------------------ */

typedef struct pose {
    ss_vec3 a, n;
    double da, dn; /* d . a, d . n */
    double th;
} pose;

static const ss_vec3 z_axis = { 0, 0, 1 };

static pose pose_of(const ss_force *force, const ss_spot s[2])
{
    const ss_vec3 d = ss_span(s), a0 = ss_rotate(s[0].R, force->element->basis[0].c[0]),
                  a1 = ss_rotate(s[1].R, force->element->basis[1].c[0]);
    const double th = atan2(ss_dot(z_axis, ss_cross(a0, a1)), ss_dot(a0, a1));
    const ss_vec3 a = ss_rotate(ss_rotation_z(0.5 * th), a0), n = ss_cross(z_axis, a);
    return (pose){ .a = a, .n = n, .da = ss_dot(d, a), .dn = ss_dot(d, n), .th = th };
}

static double shear_stiffness(const ss_force *force)
{
    return ss_element_shear(force->element, force->length, force->element->EI.z);
}

/* ---- resultants --------------------------------------------------------------------------------------- */

/* N, Q, M and their derivatives: by d, by the turn of the middle, by th */
typedef struct resultants {
    double N, Q, M;
    ss_vec3 N_d, Q_d;
    double N_p, Q_p, M_th;
} resultants;

static resultants elastic(const ss_force *force, const pose *x)
{
    const double L = force->length, EA = force->element->EA / L, GA = shear_stiffness(force) / L, EI = force->element->EI.z / L;
    return (resultants){ .N = EA * (x->da - L),
                         .Q = GA * x->dn,
                         .M = EI * x->th,
                         .N_d = ss_scale(EA, x->a),
                         .Q_d = ss_scale(GA, x->n),
                         .N_p = EA * x->dn,
                         .Q_p = -GA * x->da,
                         .M_th = EI };
}

/* L e' = a . d' + p' d.n,  L g' = n . d' - p' d.a,  L k' = th', at the rates d', p' and th' that the nodes have */
static resultants viscous(const ss_force *force, const pose *x, const ss_spot s[2])
{
    const double b = force->damping / force->length, EA = b * force->element->EA, GA = b * shear_stiffness(force),
                 EI = b * force->element->EI.z;
    const ss_vec3 rate = ss_span_rate(s);
    const double p = 0.5 * (s[0].w.z + s[1].w.z), along = ss_dot(x->a, rate), across = ss_dot(x->n, rate);
    return (resultants){ .N = EA * (along + p * x->dn),
                         .Q = GA * (across - p * x->da),
                         .M = EI * (s[1].w.z - s[0].w.z),
                         .N_d = ss_scale(EA * p, x->n),
                         .Q_d = ss_scale(-GA * p, x->a),
                         .N_p = EA * (across - p * x->da),
                         .Q_p = -GA * (along + p * x->dn) };
}

/* ---- forces and their derivatives ------------------------------------------------------------------------ */

static void add_wrenches(const resultants *r, const pose *x, ss_wrench w[2])
{
    const ss_vec3 f = ss_axpy(r->N, x->a, ss_scale(r->Q, x->n));
    const double m = r->N * x->dn - r->Q * x->da;
    w[0].force = ss_add(w[0].force, f);
    w[1].force = ss_sub(w[1].force, f);
    w[0].torque.z += r->M - 0.5 * m;
    w[1].torque.z -= r->M + 0.5 * m;
}

/* Derivatives of f and m, by d and by the turn of the middle, and of M by th */
typedef struct slopes {
    ss_mat3 f_d;
    ss_vec3 f_p, m_d;
    double m_p, M_th;
} slopes;

/* K += the derivatives of the wrenches of both nodes: d = x_1 - x_0, p = (turn 0 + turn 1)/2, th = turn 1 - turn 0 */
static void add_slopes(const slopes *y, double *K)
{
    const ss_vec3 none = { 0, 0, 0 };
    for (int i = 0; i < 2; i++) {
        const double force = i == 0 ? 1 : -1; /* f acts on node 0, -f on node 1; so does M */
        for (int j = 0; j < 2; j++) {
            const double moved = j == 0 ? -1 : 1;
            const ss_mat3 turns = { { none, none, { 0, 0, force * moved * y->M_th - 0.25 * y->m_p } } };
            ss_twist_block(K, 2 * i, 2 * j, force * moved, y->f_d);
            ss_twist_block(K, 2 * i, 2 * j + 1, 0.5 * force, (ss_mat3){ { none, none, y->f_p } });
            ss_twist_block(K, 2 * i + 1, 2 * j, -0.5 * moved, ss_outer(z_axis, y->m_d));
            ss_twist_block(K, 2 * i + 1, 2 * j + 1, 1, turns);
        }
    }
}

static ss_mat3 sum(ss_mat3 A, ss_mat3 B)
{
    return (ss_mat3){ { ss_add(A.c[0], B.c[0]), ss_add(A.c[1], B.c[1]), ss_add(A.c[2], B.c[2]) } };
}

/* by the places of the nodes */
static void add_by_place(const resultants *r, const pose *x, double *K)
{
    const ss_vec3 turned = ss_axpy(r->N, x->n, ss_scale(-r->Q, x->a));
    add_slopes(&(slopes){ .f_d = sum(ss_outer(x->a, r->N_d), ss_outer(x->n, r->Q_d)),
                          .f_p = ss_add(ss_axpy(r->N_p, x->a, ss_scale(r->Q_p, x->n)), turned),
                          .m_d = ss_add(ss_axpy(x->dn, r->N_d, ss_scale(-x->da, r->Q_d)), turned),
                          .m_p = x->dn * r->N_p - r->N * x->da - x->da * r->Q_p - r->Q * x->dn,
                          .M_th = r->M_th },
               K);
}

/* of the viscous part by the rates: what the elastic one is by the places without stress, times b */
static void add_by_rate(const ss_force *force, const pose *x, double *K)
{
    resultants r = elastic(force, x);
    const double b = force->damping;
    add_slopes(&(slopes){ .f_d = sum(ss_outer(x->a, ss_scale(b, r.N_d)), ss_outer(x->n, ss_scale(b, r.Q_d))),
                          .f_p = ss_axpy(b * r.N_p, x->a, ss_scale(b * r.Q_p, x->n)),
                          .m_d = ss_axpy(b * x->dn, r.N_d, ss_scale(-b * x->da, r.Q_d)),
                          .m_p = b * (x->dn * r.N_p - x->da * r.Q_p),
                          .M_th = b * r.M_th },
               K);
}

/* ---- the element ------------------------------------------------------------------------------------------ */

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    const pose x = pose_of(force, s);
    const resultants spring = elastic(force, &x), damper = viscous(force, &x, s);
    (void)t;
    add_wrenches(&spring, &x, w[SS_FORCE_SPRING]);
    add_wrenches(&damper, &x, w[SS_FORCE_DAMPER]);
    ss_element_drag(force->element, s, w[SS_FORCE_DAMPER]);
}

static double energy(const ss_force *force, const ss_spot s[2])
{
    const pose x = pose_of(force, s);
    const resultants r = elastic(force, &x);
    return 0.5 * (r.N * (x.da - force->length) + r.Q * x.dn + r.M * x.th);
}

static const char *const stress_name[] = { "force", "shear", "moment", NULL };

static void stress(const ss_force *force, const ss_spot s[2], double *out)
{
    const pose x = pose_of(force, s);
    const resultants r = elastic(force, &x);
    out[0] = r.N;
    out[1] = r.Q;
    out[2] = r.M;
}

static bool inverted(const ss_force *force, const ss_spot s[2]) { return pose_of(force, s).da <= 0; }

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    const pose x = pose_of(force, s);
    const resultants spring = elastic(force, &x), damper = viscous(force, &x, s);
    (void)t;
    add_by_place(&spring, &x, k_q);
    add_by_place(&damper, &x, k_q);
    add_by_rate(force, &x, k_v);
    ss_element_drag_jacobian(force->element, s, k_q, k_v);
}

const ss_element_type ss_element_beam = {
    .info = { .name = "beam",
              .title = "beam with large rotations, geometrically exact",
              .reference = "Reissner 1972, Simo and Vu-Quoc 1986",
              .dimensions = 4 | 8,
              .fields = fields },
    .node = SS_BODY_RIGID,
    .force = { .two_bodies = true,
               .eval = eval,
               .potential = energy,
               .jacobian = jacobian,
               .inverted = inverted,
               .stress_name = stress_name,
               .stress = stress },
    .in_space = &ss_beam_in_space,
};
