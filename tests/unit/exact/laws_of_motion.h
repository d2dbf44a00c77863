/* laws_of_motion.h - is an exact solution a motion of its model? Everything is asked of the model itself (mass, forces,
 * joints) and of the shapes (gaps), nothing of the solution's own equations.
 *
 * Between events   dq/dt = v, and M dv/dt - k, by differences of the solution, is what joints and contacts exert
 * rows             joints and contacts without friction (2D): that is in the span of their rows (joint_laws.h)
 * floor            one body over a half space: it is zero in flight; in contact it presses, obeys Coulomb's law with the slip of
 *                  the point that touches, and acts there
 * At a jump        the place stays, the laws of impact hold, and the states go on to both sides; at a kink only the force changes
 */
#ifndef SS_TEST_LAWS_OF_MOTION_H
#define SS_TEST_LAWS_OF_MOTION_H

#include "joint_laws.h"

/* ---- floor ----------------------------------------------------------------------------------------- */

/* A state, split as the plane sees it. */
typedef struct seen {
    double q[N_MAX], v[N_MAX];
    ss_vec3 place, velocity; /* of the centre; world                       */
    ss_vec3 moved;           /* since t = 0                                */
    double gap, rate;        /* along the normal                           */
    ss_vec3 slip;            /* of the point `height` below the centre     */
} seen;

static inline ss_vec3 linear_part(const known *k, const double *x) { return ss_v3(x[0], x[1], k->m->dimension == 3 ? x[2] : 0); }

/* the angular part of v or of a force, in the world; q: where */
static inline ss_vec3 angular_part(const known *k, const double *q, const double *x)
{
    bool turns = k->m->body_type[k->body] == SS_BODY_RIGID;
    return !turns                 ? ss_v3(0, 0, 0)
           : k->m->dimension == 2 ? ss_v3(0, 0, x[2])
                                  : ss_rotate(ss_quat_matrix(ss_quat_from(q + 3)), ss_v3_from(x + 3));
}

static inline ss_vec3 arm_of(const on_plane *p) { return ss_scale(-p->height, p->normal); }

static inline seen see_on(const known *k, const on_plane *p, double t, int side)
{
    seen s;
    state_at(k, t, side, s.q, s.v);
    s.place = linear_part(k, s.q);
    s.velocity = linear_part(k, s.v);
    s.moved = ss_sub(s.place, linear_part(k, k->m->q0));
    s.gap = p->gap + ss_dot(p->normal, s.moved);
    s.rate = ss_dot(p->normal, s.velocity);
    s.slip = ss_add(ss_axpy(-s.rate, p->normal, s.velocity), ss_cross(angular_part(k, s.q, s.v), arm_of(p)));
    return s;
}

static inline seen see(const known *k, double t, int side) { return see_on(k, &k->floor, t, side); }

static inline void check_vec(ss_vec3 a, ss_vec3 b, double tol) { CHECK_NEAR(ss_norm(ss_sub(a, b)), 0, tol); }

/* mu r_N s'/|s'| against the slip, or any friction within the bound where there is none; forces or impulses */
static inline void check_coulomb(const on_plane *p, double normal, ss_vec3 friction, ss_vec3 slip, double tol)
{
    CHECK(normal >= -tol);
    CHECK(ss_norm(friction) <= p->mu * normal + tol);
    if (ss_norm(slip) > 1e-10) {
        check_vec(friction, ss_scale(-p->mu * normal, ss_unit(slip)), tol);
    }
}

/* what the differences lose: h^8 of the ninth derivative, and round-off / h, some 1e-10 in the fastest spin used */
static const double difference_step = 1e-3;

/* Between events: the floor exerts nothing in flight, and what Coulomb's law says in contact. Does it press? tol is of lengths,
 * velocities and forces of about 1. */
static inline bool check_motion(const known *k, const on_plane *p, double t, double tol)
{
    double left[N_MAX];
    seen s = see_on(k, p, t, 1);
    exerted_at(k, t, difference_step, tol, left);
    ss_vec3 force = linear_part(k, left), torque = angular_part(k, s.q, left);
    double N = ss_dot(force, p->normal), scale = tol * (1 + fabs(N));
    if (s.gap > tol || fabs(s.rate) > tol) {
        check_vec(force, ss_v3(0, 0, 0), tol);
        check_vec(torque, ss_v3(0, 0, 0), tol);
        return false;
    }
    CHECK_NEAR(s.gap, 0, 1e-14 * (1 + ss_norm(s.moved)));
    check_coulomb(p, N, ss_axpy(-N, p->normal, force), s.slip, scale);
    check_vec(torque, p->round ? ss_cross(arm_of(p), force) : ss_v3(0, 0, 0), scale);
    return N > 0;
}

/* at an impact: w+ = -e w-, friction's impulse is Coulomb's */
static inline void check_impact(const known *k, const on_plane *p, double t, double tol)
{
    seen before = see_on(k, p, t, -1), after = see_on(k, p, t, 1);
    double mass = k->m->body_mass[k->body];
    check_sides(k, t, tol);
    CHECK_NEAR(before.gap, 0, tol);
    CHECK(before.rate < 0);
    CHECK_NEAR(after.rate, -p->e * before.rate, tol);
    check_coulomb(p, mass * (after.rate - before.rate), ss_scale(mass, ss_sub(after.slip, before.slip)), after.slip, tol);
}

/* 1 or -1: it slips (towards or against the largest part of the slip); 0: it sticks, or rolls */
static inline int slip_side(const known *k, const on_plane *p, double t)
{
    ss_vec3 s = see_on(k, p, t, 1).slip;
    double largest = fabs(s.x) > fabs(s.y) ? s.x : s.y;
    largest = fabs(s.z) > fabs(largest) ? s.z : largest;
    return fabs(largest) < 1e-12 * (1 + p->height) ? 0 : largest > 0 ? 1 : -1;
}

/* Nothing happens at a kink but a change of the force: position and velocity go on. */
static inline void check_kink(const known *k, double t)
{
    double q[2][N_MAX], v[2][N_MAX];
    state_at(k, t * (1 - 1e-15), -1, q[0], v[0]);
    state_at(k, t, 1, q[1], v[1]);
    for (int i = 0; i < k->m->nv; i++) {
        CHECK_NEAR(q[0][i], q[1][i], 1e-12 * (1 + fabs(q[1][i])));
        CHECK_NEAR(v[0][i], v[1][i], 1e-12 * (1 + fabs(v[1][i])));
    }
}

/* What was met on the way. */
typedef struct met {
    int jumps, kinks;
    int looked, pressed; /* times at which the motion was checked; at which the body was on the floor */
} met;

/* `tries` random times between two events: no gap, no jump, no event but those to come; and the motion, away from both.
 * True: there was room for that. */
static inline bool check_stretch(const known *k, const on_plane *p, double from, double to, int tries, double tol, met *out)
{
    uint64_t seed = 7;
    double room = 5 * difference_step, rough = ss_exact_next_kink(k->x, from) == to ? p->rough : 0;
    double width = to - from - 2 * room - rough;
    for (int n = 0; n < tries; n++) {
        double u = ss_random_uniform(&seed), t = from + (to - from) * u;
        if (t > from && t < to) {
            seen s = see_on(k, p, t, 0), other = see_on(k, p, t, -1);
            CHECK(s.gap >= -tol);
            CHECK(memcmp(s.v, other.v, (size_t)k->m->nv * sizeof(double)) == 0);
            CHECK(ss_exact_next_jump(k->x, t) > t && ss_exact_next_kink(k->x, t) > t);
        }
        if (width > 0) {
            out->pressed += check_motion(k, p, from + room + width * u, tol);
            out->looked++;
        }
    }
    return width > 0;
}

/* Everything from 0 to `until`: every stretch, every jump, every kink. At a kink between two stretches on the floor the slip
 * begins, ends or turns. */
static inline met check_laws(const known *k, const on_plane *p, double until, int tries, double tol)
{
    met out = { 0 };
    double before = NAN; /* the middle of the stretch before a kink */
    for (double start = 0; start < until;) {
        double jump = ss_exact_next_jump(k->x, start), kink = ss_exact_next_kink(k->x, start);
        double end = fmin(fmin(jump, kink), until);
        CHECK(end > start);
        int pressed = out.pressed;
        bool wide = check_stretch(k, p, start, end, tries, tol, &out) && out.pressed > pressed;
        double middle = wide ? 0.5 * (start + end) : NAN;
        if (isfinite(before + middle)) {
            CHECK(slip_side(k, p, before) != slip_side(k, p, middle));
        }
        before = end == kink ? middle : NAN;
        if (jump <= until && end == jump) {
            check_impact(k, p, jump, tol);
            out.jumps++;
        }
        if (kink <= until && end == kink) {
            check_kink(k, kink);
            out.kinks++;
        }
        start = end;
    }
    return out;
}

/* A body that flies, bounces or slides over the floor of the scene; returns the number of jumps. */
static inline int check_solution(const known *k, double until, double tol)
{
    met found = check_laws(k, &k->floor, until, 120, tol);
    CHECK(found.looked > 100);
    return found.jumps;
}

/* A body that never leaves the plane and is always pressed on it; returns the number of kinks. */
static inline int check_resting(const known *k, const on_plane *p, double until, int tries)
{
    met found = check_laws(k, p, until, tries, 1e-9);
    CHECK(found.jumps == 0 && found.pressed == found.looked && found.looked > 0);
    return found.kinks;
}

#endif
