/* on_plane.h - exact solutions of bodies on a half space, held against the laws of motion.
 *
 * What the solution leaves of M dv/dt - k, by differences of order six, is what the plane must exert: it has to press, to obey
 * Coulomb's law with the slip of the point that touches, and to act at that point. Nothing here knows a formula of a solution. */
#ifndef SS_TEST_ON_PLANE_H
#define SS_TEST_ON_PLANE_H

#include "exact/exact.h"
#include "test.h"

enum { MOST_COORDINATES = 8 };

typedef struct motion {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *model;
    ss_exact *exact;
} motion;

/* the scene with settings, compiled; its solution is not made yet */
static inline motion motion_scene(const char *path, int sets, const char *const *set)
{
    motion m = { .ctx = test_context() };
    CHECK_OK(m.ctx, ss_scene_read(m.ctx, path, sets, set, &m.scene));
    CHECK_OK(m.ctx, ss_model_compile(m.ctx, m.scene, &m.model));
    CHECK(m.model->nq <= MOST_COORDINATES && m.model->nv <= MOST_COORDINATES);
    return m;
}

static inline motion motion_of(const char *path, int sets, const char *const *set)
{
    motion m = motion_scene(path, sets, set);
    CHECK_OK(m.ctx, ss_exact_create(m.ctx, m.model, &m.exact));
    return m;
}

static inline void motion_end(motion *m)
{
    ss_exact_destroy(m->exact);
    ss_model_destroy(m->model);
    ss_scene_destroy(m->scene);
    ss_context_destroy(m->ctx);
}

#define MOTION(path, ...)                                                                                                        \
    motion_of(path, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)), (const char *[]){ __VA_ARGS__ })

/* the solution refuses the scene with these settings, for a reason that contains the text */
#define CHECK_REFUSED(path, text, ...)                                                                                           \
    do {                                                                                                                         \
        const char *refused_set_[] = { __VA_ARGS__ };                                                                            \
        motion refused_ = motion_scene(path, (int)(sizeof refused_set_ / sizeof(char *)), refused_set_);                         \
        CHECK_FAILS(refused_.ctx, ss_exact_create(refused_.ctx, refused_.model, &refused_.exact), SS_ERR_INPUT, text);           \
        CHECK(refused_.exact == NULL);                                                                                           \
        motion_end(&refused_);                                                                                                   \
    } while (0)

static inline void motion_at(const motion *m, double t, double *q, double *v)
{
    CHECK_OK(m->ctx, ss_exact_at(m->exact, t, 1, q, v));
}

/* coordinate k of q, of v */
static inline double q_at(const motion *m, double t, int k)
{
    double q[MOST_COORDINATES], v[MOST_COORDINATES];
    motion_at(m, t, q, v);
    return q[k];
}

static inline double v_at(const motion *m, double t, int k)
{
    double q[MOST_COORDINATES], v[MOST_COORDINATES];
    motion_at(m, t, q, v);
    return v[k];
}

/* ---- differences ----------------------------------------------------------------------------------- */

static const double difference_step = 1e-3;

/* dq/dt as a velocity, and dv/dt, at t: central differences of order six over seven points */
static inline void rates(const motion *m, double t, double *qdot, double *vdot)
{
    const double weight[7] = { -1, 9, -45, 0, 45, -9, 1 };
    double q[MOST_COORDINATES], v[MOST_COORDINATES], there[MOST_COORDINATES], step[MOST_COORDINATES];
    int n = m->model->nv;
    motion_at(m, t, q, v);
    for (int i = 0; i < n; i++) {
        qdot[i] = vdot[i] = 0;
    }
    for (int k = 0; k < 7; k++) {
        motion_at(m, t + (k - 3) * difference_step, there, v);
        ss_model_difference(m->model, q, there, step);
        for (int i = 0; i < n; i++) {
            qdot[i] += weight[k] * step[i] / (60 * difference_step);
            vdot[i] += weight[k] * v[i] / (60 * difference_step);
        }
    }
}

/* ---- what the plane exerts --------------------------------------------------------------------------- */

typedef struct exerted {
    ss_vec3 force, torque; /* world, about the centre of mass */
    ss_vec3 slip;          /* of the point of the body `height` below its centre */
} exerted;

static inline ss_vec3 linear_part(const motion *m, const double *x)
{
    return ss_v3(x[0], x[1], m->model->dimension == 3 ? x[2] : 0);
}

/* of the body that moves: it is the first one in all scenes of these tests */
static inline ss_vec3 angular_part(const motion *m, ss_mat3 R, const double *x)
{
    int d = m->model->dimension;
    bool turns = m->model->body_type[0] == SS_BODY_RIGID;
    return !turns ? ss_v3(0, 0, 0) : d == 2 ? ss_v3(0, 0, x[2]) : ss_rotate(R, ss_v3_from(x + 3));
}

static inline exerted exerted_at(const motion *m, double t, ss_vec3 normal, double height)
{
    double q[MOST_COORDINATES], v[MOST_COORDINATES], qdot[MOST_COORDINATES], vdot[MOST_COORDINATES], left[MOST_COORDINATES];
    double M[MOST_COORDINATES * MOST_COORDINATES], k[SS_FORCE_CLASSES * MOST_COORDINATES];
    int n = m->model->nv;
    ss_arena *arena;
    ss_config c;
    CHECK_OK(m->ctx, ss_arena_create(m->ctx, 1 << 12, &arena));
    CHECK_OK(m->ctx, ss_config_take(arena, m->model, &c));
    motion_at(m, t, q, v);
    rates(m, t, qdot, vdot);
    ss_config_set(m->model, t, q, &c);
    ss_model_mass(m->model, t, q, M);
    ss_model_forces(m->model, &c, v, k);
    for (int i = 0; i < n; i++) {
        left[i] = 0;
        for (int j = 0; j < n; j++) {
            left[i] += M[n * i + j] * vdot[j];
        }
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            left[i] -= k[kind * n + i];
        }
    }
    ss_mat3 R = c.frame[0].R;
    ss_arena_destroy(arena);
    ss_vec3 arm = ss_scale(-height, normal);
    return (exerted){ linear_part(m, left), angular_part(m, R, left),
                      ss_add(linear_part(m, v), ss_cross(angular_part(m, R, v), arm)) };
}

/* ---- laws ------------------------------------------------------------------------------------------ */

typedef struct on_plane {
    ss_vec3 normal;
    double mu, height;
    bool round; /* friction turns it; else it stays upright and its torque is zero */
} on_plane;

/* 1e-9: the differences err by 1e-18 v^(7) / 140 + 1e-13 v, some 1e-10 in the fastest spin used; forces are of order 1 to 100 */
static const double law_tol = 1e-9;

static inline void check_slip_law(const exerted *e, const on_plane *p)
{
    double N = ss_dot(e->force, p->normal), scale = law_tol * (1 + N);
    ss_vec3 friction = ss_axpy(-N, p->normal, e->force);
    CHECK(N > 0);
    CHECK(ss_norm(friction) <= p->mu * N + scale);
    if (ss_norm(e->slip) > 1e-10) {
        CHECK_NEAR(ss_norm(ss_axpy(p->mu * N, ss_unit(e->slip), friction)), 0, scale);
    }
    ss_vec3 arm = ss_scale(-p->height, p->normal), torque = p->round ? ss_cross(arm, e->force) : ss_v3(0, 0, 0);
    CHECK_NEAR(ss_norm(ss_sub(e->torque, torque)), 0, scale);
}

static inline void check_laws_at(const motion *m, double t, const on_plane *p)
{
    double q[MOST_COORDINATES], v[MOST_COORDINATES], qdot[MOST_COORDINATES], vdot[MOST_COORDINATES];
    motion_at(m, t, q, v);
    rates(m, t, qdot, vdot);
    for (int i = 0; i < m->model->nv; i++) {
        CHECK_NEAR(qdot[i], v[i], law_tol * (1 + fabs(v[i])));
    }
    ss_vec3 moved = ss_sub(linear_part(m, q), linear_part(m, m->model->q0));
    CHECK_NEAR(ss_dot(p->normal, moved), 0, 1e-14 * (1 + ss_norm(moved)));
    const exerted e = exerted_at(m, t, p->normal, p->height);
    check_slip_law(&e, p);
}

/* 1 or -1: it slips (towards or against the largest part of the slip); 0: it sticks, or rolls */
static inline int slip_side(const motion *m, double t, const on_plane *p)
{
    ss_vec3 s = exerted_at(m, t, p->normal, p->height).slip;
    double largest = fabs(s.x) > fabs(s.y) ? s.x : s.y;
    largest = fabs(s.z) > fabs(largest) ? s.z : largest;
    return fabs(largest) < 1e-12 * (1 + p->height) ? 0 : largest > 0 ? 1 : -1;
}

/* Nothing happens at a kink but a change of the friction: position and velocity go on, the slip ends or begins. */
static inline void check_kink(const motion *m, double t, double before, double after, const on_plane *p)
{
    double q[2][MOST_COORDINATES], v[2][MOST_COORDINATES];
    CHECK_OK(m->ctx, ss_exact_at(m->exact, t * (1 - 1e-15), -1, q[0], v[0]));
    CHECK_OK(m->ctx, ss_exact_at(m->exact, t, 1, q[1], v[1]));
    for (int i = 0; i < m->model->nv; i++) {
        CHECK_NEAR(q[0][i], q[1][i], 1e-12 * (1 + fabs(q[1][i])));
        CHECK_NEAR(v[0][i], v[1][i], 1e-12 * (1 + fabs(v[1][i])));
    }
    CHECK(slip_side(m, before, p) != slip_side(m, after, p));
}

/* The laws at `tries` random times of every stretch between kinks in [0, until], and the kinks themselves; returns their
 * number. Stretches too short for the differences are left out. */
static inline int check_laws(const motion *m, double until, int tries, const on_plane *p)
{
    uint64_t seed = 5;
    int kinks = 0;
    double room = 4 * difference_step, start = 0, middle = NAN;
    while (start < until) {
        double kink = ss_exact_next_kink(m->exact, start), end = fmin(kink, until);
        CHECK(kink > start);
        CHECK(ss_exact_next_jump(m->exact, start) == INFINITY);
        bool wide = end - start > 2 * room;
        for (int k = 0; k < tries && wide; k++) {
            check_laws_at(m, start + room + (end - start - 2 * room) * ss_random_uniform(&seed), p);
        }
        double here = wide ? 0.5 * (start + end) : NAN;
        if (start > 0 && isfinite(middle + here)) {
            check_kink(m, start, middle, here, p);
        }
        middle = here;
        kinks += kink < until;
        start = end;
    }
    return kinks;
}

#endif
