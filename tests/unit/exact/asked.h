/* asked.h - what any exact solution of one body over one half space must obey, asked through the public functions:
 * its equations of motion and laws of contact, from differences of its own states; its jumps; its order of events. */
#ifndef SS_TEST_ASKED_H
#define SS_TEST_ASKED_H

#include "exact/exact.h"
#include "test.h"
#include <slipstick/io.h>

enum { NUMBERS = 8 }; /* of q or v of one body at most */

typedef struct asked {
    ss_context *ctx;
    ss_model *model;
    ss_exact *exact;
    ss_exact_floor floor;
    double mass;
} asked;

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
    ss_model *model = NULL;
    while (set && set[sets]) {
        sets++;
    }
    if (scene[0] == '{') {
        s = scene_of_text(ctx, scene, sets, set);
    } else {
        CHECK_OK(ctx, ss_scene_read(ctx, scene, sets, set, &s));
    }
    CHECK_OK(ctx, ss_model_compile(ctx, s, &model));
    ss_scene_destroy(s);
    return model;
}

static inline asked ask(const char *scene, const char *const *set)
{
    asked a = { .ctx = test_context() };
    int body;
    a.model = model_of(a.ctx, scene, set);
    CHECK_OK(a.ctx, ss_exact_create(a.ctx, a.model, &a.exact));
    CHECK_OK(a.ctx, ss_exact_only_body(a.exact, &body));
    CHECK_OK(a.ctx, ss_exact_find_floor(a.exact, body, &a.floor));
    a.mass = a.model->body_mass[body];
    return a;
}

static inline void thank(asked *a)
{
    ss_exact_destroy(a->exact);
    ss_model_destroy(a->model);
    ss_context_destroy(a->ctx);
}

static inline void check_refused(const char *scene, const char *const *set, const char *text)
{
    ss_context *ctx = test_context();
    ss_model *model = model_of(ctx, scene, set);
    ss_exact *exact = NULL;
    CHECK_FAILS(ctx, ss_exact_create(ctx, model, &exact), SS_ERR_INPUT, text);
    CHECK(!exact);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* a state, split as the floor sees it */
typedef struct seen {
    double q[NUMBERS], v[NUMBERS];
    double gap, rate; /* along the normal */
    ss_vec3 slip;
} seen;

static inline ss_vec3 place_of(const asked *a, const double *x) { return ss_v3(x[0], x[1], a->model->dimension == 3 ? x[2] : 0); }

static inline seen see(const asked *a, double t, int side)
{
    seen s;
    CHECK_OK(a->ctx, ss_exact_at(a->exact, t, side, s.q, s.v));
    ss_vec3 n = a->floor.normal, v = place_of(a, s.v);
    s.gap = a->floor.gap + ss_dot(n, ss_sub(place_of(a, s.q), place_of(a, a->model->q0)));
    s.rate = ss_dot(n, v);
    s.slip = ss_axpy(-s.rate, n, v);
    return s;
}

static inline void check_vec(ss_vec3 a, ss_vec3 b, double tol) { CHECK_NEAR(ss_norm(ss_sub(a, b)), 0, tol); }

/* mu r_N s'/|s'| against the slip, or any friction within the bound where there is none */
static inline void check_friction(const asked *a, double normal, ss_vec3 friction, ss_vec3 slip, double tol)
{
    double bound = a->floor.law->mu[0] * normal;
    CHECK(normal >= -tol);
    CHECK(ss_norm(friction) <= bound + tol);
    if (ss_norm(slip) > 1e3 * tol) {
        check_vec(friction, ss_scale(-bound, ss_unit(slip)), tol);
    }
}

/* sixth-order difference of seven states of which number `offset` bytes in is looked at; h apart */
static inline double slope_of(const seen *s, size_t offset, double h)
{
    double f[7];
    for (int k = 0; k < 7; k++) {
        memcpy(&f[k], (const char *)&s[k] + offset, sizeof f[k]);
    }
    return (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h);
}

/* dq/dt = v, and M dv/dt - k is a force that the contact may give. tol is of lengths, velocities and forces of about 1: the
 * differences are wrong by h^6 times the seventh derivative, and by round-off / h. False: an event is too near, or a stop,
 * before which derivatives may grow without bound (as powers of the time left). */
static inline bool check_motion(const asked *a, double t, double h, double tol)
{
    seen s[7];
    double k[SS_FORCE_CLASSES * NUMBERS], force[3] = { 0, 0, 0 }, from = t - 3 * h;
    int dim = a->model->dimension, nv = a->model->nv;
    if (from < 0 || ss_exact_next_jump(a->exact, from) <= t + 3 * h || ss_exact_next_kink(a->exact, from) <= t + 30 * h) {
        return false;
    }
    for (int j = 0; j < 7; j++) {
        s[j] = see(a, from + j * h, 0);
    }
    ss_arena *arena = NULL;
    ss_config c;
    CHECK_OK(a->ctx, ss_arena_create(a->ctx, 1024, &arena));
    CHECK_OK(a->ctx, ss_config_take(arena, a->model, &c));
    ss_config_set(a->model, t, s[3].q, &c);
    ss_model_forces(a->model, &c, s[3].v, k);
    for (int i = 0; i < dim; i++) {
        CHECK_NEAR(slope_of(s, offsetof(seen, q) + (size_t)i * sizeof(double), h), s[3].v[i], tol);
        force[i] = a->mass * slope_of(s, offsetof(seen, v) + (size_t)i * sizeof(double), h);
        for (int class = 0; class < SS_FORCE_CLASSES; class ++) {
            force[i] -= k[class * nv + i];
        }
    }
    ss_vec3 F = ss_v3_from(force), n = a->floor.normal;
    if (s[3].gap > tol || fabs(s[3].rate) > tol) {
        check_vec(F, ss_v3(0, 0, 0), tol);
    } else {
        check_friction(a, ss_dot(F, n), ss_axpy(-ss_dot(F, n), n, F), s[3].slip, tol);
    }
    ss_arena_destroy(arena);
    return true;
}

/* at a jump: the place stays, w+ = -e w-, friction's impulse is Coulomb's; before and after it the states go on */
static inline void check_jump(const asked *a, double t, double tol)
{
    seen before = see(a, t, -1), after = see(a, t, 1);
    double normal = a->mass * (after.rate - before.rate), near = 1e-9;
    check_vec(place_of(a, before.q), place_of(a, after.q), tol);
    CHECK(memcmp(see(a, t, 0).v, after.v, (size_t)a->model->nv * sizeof(double)) == 0);
    CHECK_NEAR(before.gap, 0, tol);
    CHECK(before.rate < 0);
    CHECK_NEAR(after.rate, -a->floor.law->e * before.rate, tol);
    check_friction(a, normal, ss_scale(a->mass, ss_sub(after.slip, before.slip)), after.slip, tol);
    if (t > near && ss_exact_next_jump(a->exact, t - near) == t && isinf(ss_exact_next_kink(a->exact, t - near))) {
        check_vec(place_of(a, see(a, t - near, 0).v), place_of(a, before.v), 1e3 * near);
    }
    if (ss_exact_next_jump(a->exact, t) > t + near && ss_exact_next_kink(a->exact, t) > t + near) {
        check_vec(place_of(a, see(a, t + near, 0).v), place_of(a, after.v), 1e3 * near);
    }
}

/* Everything, at random times up to `until` and at the first `most` jumps; returns how many jumps there were. */
static inline int check_solution(const asked *a, double until, int most, double tol)
{
    uint64_t seed = 7;
    int jumps = 0, looked = 0;
    double last = -1;
    for (double t = ss_exact_next_jump(a->exact, 0); t <= until && jumps < most; t = ss_exact_next_jump(a->exact, t)) {
        CHECK(t > last);
        check_jump(a, t, tol);
        last = t;
        jumps++;
    }
    for (int k = 0; k < 400; k++) {
        double t = until * ss_random_uniform(&seed);
        seen s = see(a, t, 0), other = see(a, t, -1);
        CHECK(s.gap >= -tol);
        CHECK(memcmp(s.v, other.v, (size_t)a->model->nv * sizeof(double)) == 0); /* no jump at any other time */
        CHECK(ss_exact_next_jump(a->exact, t) > t && ss_exact_next_kink(a->exact, t) > t);
        looked += check_motion(a, t, 1e-3, 10 * tol);
    }
    CHECK(looked > 100);
    double kink = ss_exact_next_kink(a->exact, 0);
    if (kink <= until) { /* the velocity is continuous there */
        check_vec(place_of(a, see(a, kink, -1).v), place_of(a, see(a, kink, 1).v), tol);
        check_vec(place_of(a, see(a, kink * (1 - 1e-12), 0).v), place_of(a, see(a, kink * (1 + 1e-12), 0).v), 1e-9);
    }
    return jumps;
}

#endif
