/* known_motion.h - an exact solution beside its model: scenes that have one or are refused, states, and what holds for any. */
#ifndef SS_TEST_KNOWN_MOTION_H
#define SS_TEST_KNOWN_MOTION_H

#include "exact/exact.h"
#include "test.h"
#include <slipstick/io.h>

enum { N_MAX = 16, ROWS_MAX = 8 };

/* A half space under one body. */
typedef struct on_plane {
    ss_vec3 normal;
    double mu, height; /* of the centre over the point that touches                                           */
    bool round;        /* friction turns the body; else it stays upright and its torque is zero               */
    double gap, e;     /* gap at t = 0, restitution                                                           */
    double rough;      /* s before a kink in which derivatives may grow without bound: no differences there   */
} on_plane;

typedef struct known {
    ss_context *ctx;
    ss_model *m;
    ss_exact *x;
    int body;       /* the first that moves                                          */
    on_plane floor; /* as the model has it, where it has one shape and a half space  */
} known;

/* ---- scenes ---------------------------------------------------------------------------------------- */

/* a scene as text, written with ' instead of " */
static inline ss_scene *scene_of_text(ss_context *ctx, const char *text, int sets, const char *const *set)
{
    char json[4096];
    size_t n = strlen(text);
    ss_scene *scene = NULL;
    CHECK(n < sizeof json);
    for (size_t k = 0; k < n; k++) {
        json[k] = text[k] == '\'' ? '"' : text[k];
    }
    CHECK_OK(ctx, ss_scene_parse(ctx, json, n, "test", sets, set, &scene));
    return scene;
}

/* the scene, a file or a text that begins with {, with settings ended by NULL */
static inline ss_model *model_of(ss_context *ctx, const char *scene, const char *const *set)
{
    int sets = 0;
    ss_scene *s = NULL;
    ss_model *m = NULL;
    while (set[sets]) {
        sets++;
    }
    if (scene[0] == '{') {
        s = scene_of_text(ctx, scene, sets, set);
    } else {
        CHECK_OK(ctx, ss_scene_read(ctx, scene, sets, set, &s));
    }
    CHECK_OK(ctx, ss_model_compile(ctx, s, &m));
    ss_scene_destroy(s);
    CHECK(m->nq <= N_MAX && m->nv <= N_MAX && m->nj <= ROWS_MAX - 2);
    return m;
}

/* smallest gap of a shape over a plane, with its first state */
static inline double first_gap(const ss_model *m, int shape, int plane)
{
    ss_manifold found;
    double least = INFINITY;
    const ss_frame *body = &m->body_frame0[m->shape_body[shape]], *ground = &m->body_frame0[m->shape_body[plane]];
    ss_collide(&m->shape[shape], body, &m->shape[plane], ground, INFINITY, &found);
    for (int k = 0; k < found.n; k++) {
        ss_gap_value value;
        ss_gap_eval(&found.gap[k], body, ground, &value);
        least = fmin(least, value.gap);
    }
    return least;
}

static inline on_plane floor_of(const ss_model *m, int body)
{
    int shape = m->shape_start[body], plane = 0;
    while (plane < m->shapes && m->shape[plane].kind != SS_SHAPE_half_space) {
        plane++;
    }
    if (plane == m->shapes || m->shape_start[body + 1] == shape) {
        return (on_plane){ .gap = NAN };
    }
    const ss_pair_law *law = ss_model_pair_law(m, shape, plane);
    return (on_plane){ .normal = ss_rotate(m->body_frame0[m->shape_body[plane]].R, m->shape[plane].normal),
                       .mu = law->mu[0],
                       .height = m->shape[shape].radius,
                       .round = m->body_type[body] == SS_BODY_RIGID,
                       .gap = first_gap(m, shape, plane),
                       .e = law->e,
                       .rough = 0.03 };
}

static inline known known_of(const char *scene, const char *const *set)
{
    known k = { .ctx = test_context() };
    k.m = model_of(k.ctx, scene, set);
    while (!ss_model_is_dynamic(k.m, k.body)) {
        k.body++;
    }
    k.floor = floor_of(k.m, k.body);
    CHECK_OK(k.ctx, ss_exact_create(k.ctx, k.m, &k.x));
    return k;
}

/* KNOWN(scene, "path=value", ..) */
#define KNOWN(...) known_of(((const char *[]){ __VA_ARGS__, NULL })[0], (const char *[]){ __VA_ARGS__, NULL } + 1)

static inline void forget(known *k)
{
    ss_exact_destroy(k->x);
    ss_model_destroy(k->m);
    ss_context_destroy(k->ctx);
}

static inline void check_refused(const char *message, const char *scene, const char *const *set)
{
    ss_context *ctx = test_context();
    ss_model *m = model_of(ctx, scene, set);
    ss_exact *x = NULL;
    CHECK_FAILS(ctx, ss_exact_create(ctx, m, &x), SS_ERR_INPUT, message);
    CHECK(x == NULL);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* REFUSED(message, scene, "path=value", ..): with these changes it is not the solution's, and the message says so */
#define REFUSED(message, ...)                                                                                                    \
    check_refused(message, ((const char *[]){ __VA_ARGS__, NULL })[0], (const char *[]){ __VA_ARGS__, NULL } + 1)

/* ---- states ---------------------------------------------------------------------------------------- */

static inline void state_at(const known *k, double t, int side, double *q, double *v)
{
    CHECK_OK(k->ctx, ss_exact_at(k->x, t, side, q, v));
}

/* coordinate i of q, of v */
static inline double q_at(const known *k, double t, int i)
{
    double q[N_MAX], v[N_MAX];
    state_at(k, t, 1, q, v);
    return q[i];
}

static inline double v_at(const known *k, double t, int i)
{
    double q[N_MAX], v[N_MAX];
    state_at(k, t, 1, q, v);
    return v[i];
}

/* it starts as the model does */
static inline void check_start(const known *k)
{
    double q[N_MAX], v[N_MAX];
    state_at(k, 0, -1, q, v);
    for (int i = 0; i < k->m->nq; i++) {
        CHECK_NEAR(q[i], k->m->q0[i], 4e-16 * (1 + fabs(q[i])));
    }
    for (int i = 0; i < k->m->nv; i++) {
        CHECK_NEAR(v[i], k->m->v0[i], 4e-16 * (1 + fabs(v[i])));
    }
}

/* At a jump q stays, side 0 is that after it, and v goes on to both sides unless another event is too near; accelerations are
 * far below 1e3. */
static inline void check_sides(const known *k, double t, double tol)
{
    const double near = 1e-9;
    size_t size = (size_t)k->m->nv * sizeof(double);
    double q[2][N_MAX], v[2][N_MAX], near_q[N_MAX], near_v[N_MAX];
    state_at(k, t, -1, q[0], v[0]);
    state_at(k, t, 1, q[1], v[1]);
    state_at(k, t, 0, near_q, near_v);
    CHECK(memcmp(near_v, v[1], size) == 0);
    for (int i = 0; i < k->m->nq; i++) {
        CHECK_NEAR(q[1][i], q[0][i], tol);
    }
    for (int side = 0; side < 2; side++) {
        double from = side == 0 ? t - near : t, next = fmin(ss_exact_next_jump(k->x, from), ss_exact_next_kink(k->x, from));
        if (from < 0 || !(side == 0 ? next == t : next > t + near)) {
            continue;
        }
        state_at(k, side == 0 ? t - near : t + near, 0, near_q, near_v);
        for (int i = 0; i < k->m->nv; i++) {
            CHECK_NEAR(near_v[i], v[side][i], 1e3 * near);
        }
    }
}

#endif
