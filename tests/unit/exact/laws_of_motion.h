/* laws_of_motion.h - is an exact solution a motion of its model? Everything is asked of the model itself (mass, forces,
 * joints) and of the shapes (gaps), nothing of the solution's own equations. */
#ifndef SS_TEST_LAWS_OF_MOTION_H
#define SS_TEST_LAWS_OF_MOTION_H

#include "exact/exact.h"
#include "test.h"
#include <stdio.h>

enum { N_MAX = 16, ROWS_MAX = 8 };

typedef struct known {
    ss_context *ctx;
    ss_model *m;
    ss_exact *x;
} known;

static inline ss_model *model_of(ss_context *ctx, const char *path, int sets, const char *const *set)
{
    ss_scene *scene = NULL;
    ss_model *m = NULL;
    CHECK_OK(ctx, ss_scene_read(ctx, path, sets, set, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
    ss_scene_destroy(scene);
    CHECK(m->nq <= N_MAX && m->nj <= ROWS_MAX - 2);
    return m;
}

/* text[0]: the scene's path; then its changes, "path=value" */
static inline known known_of(int texts, const char *const *text)
{
    known k = { .ctx = test_context() };
    k.m = model_of(k.ctx, text[0], texts - 1, text + 1);
    CHECK_OK(k.ctx, ss_exact_create(k.ctx, k.m, &k.x));
    return k;
}

#define TEXTS(...)                                                                                                               \
    (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)), (const char *[]) { __VA_ARGS__ }
#define KNOWN(...) known_of(TEXTS(__VA_ARGS__))

static inline void forget(known *k)
{
    ss_exact_destroy(k->x);
    ss_model_destroy(k->m);
    ss_context_destroy(k->ctx);
}

/* the scene with these changes is not the solution's, and the message says so */
static inline void check_refused(const char *message, int texts, const char *const *text)
{
    ss_context *ctx = test_context();
    ss_model *m = model_of(ctx, text[0], texts - 1, text + 1);
    ss_exact *x = NULL;
    CHECK_FAILS(ctx, ss_exact_create(ctx, m, &x), SS_ERR_INPUT, message);
    CHECK(x == NULL);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

#define REFUSED(message, ...) check_refused(message, TEXTS(__VA_ARGS__))

static inline void state_at(const known *k, double t, int side, double *q, double *v)
{
    CHECK_OK(k->ctx, ss_exact_at(k->x, t, side, q, v));
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

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows {
    int n, joints;
    double row[ROWS_MAX][N_MAX]; /* joints first, then contacts */
    double g[ROWS_MAX];
    double force[N_MAX];
} rows;

static inline void push_gap(const known *k, const ss_config *c, int shape, int plane, rows *r)
{
    const ss_model *m = k->m;
    int body = m->shape_body[shape], i = m->body_v[body];
    ss_manifold found;
    ss_gap_value value;
    ss_collide(&m->shape[shape], &c->frame[body], &m->shape[plane], &c->frame[m->shape_body[plane]], INFINITY, &found);
    CHECK(found.n == 1);
    ss_gap_eval(&found.gap[0], &c->frame[body], &c->frame[m->shape_body[plane]], &value);
    ss_vec3 n = value.normal, arm = ss_sub(value.point, c->frame[body].p);
    double *row = r->row[r->n];
    row[i] = n.x;
    row[i + 1] = n.y;
    if (m->body_type[body] == SS_BODY_RIGID) {
        row[i + 2] = arm.x * n.y - arm.y * n.x;
    }
    r->g[r->n++] = value.gap;
}

/* Joints, gaps (2D) and the sum of all forces at a state. */
static inline rows rows_at(const known *k, double t, const double *q, const double *v)
{
    const ss_model *m = k->m;
    ss_arena *arena;
    ss_config c;
    ss_csr G = { 0 };
    rows r = { .n = m->nj, .joints = m->nj };
    double drive[ROWS_MAX], target[ROWS_MAX], force[SS_FORCE_CLASSES * N_MAX];
    CHECK_OK(k->ctx, ss_arena_create(k->ctx, 4096, &arena));
    CHECK_OK(k->ctx, ss_config_take(arena, m, &c));
    ss_config_set(m, t, q, &c);
    ss_model_forces(m, &c, v, force);
    for (int i = 0; i < SS_FORCE_CLASSES * m->nv; i++) {
        r.force[i % m->nv] += force[i];
    }
    CHECK_OK(k->ctx, ss_model_joints(k->ctx, m, &c, r.g, &G, drive, target));
    for (int j = 0; j < m->nj; j++) {
        for (int e = G.p[j]; e < G.p[j + 1]; e++) {
            r.row[j][G.i[e]] = G.x[e];
        }
    }
    for (int a = 0; a < m->shapes && m->dimension == 2; a++) {
        for (int b = 0; b < m->shapes; b++) {
            if (m->shape[a].kind != SS_SHAPE_half_space && m->shape[b].kind == SS_SHAPE_half_space) {
                push_gap(k, &c, a, b, &r);
            }
        }
    }
    ss_csr_free(k->ctx, &G);
    ss_arena_destroy(arena);
    return r;
}

static inline double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* largest entry of what is left of p when its part in the span of the rows marked by `use` is taken away */
static inline double outside_span(int n, const rows *r, unsigned use, const double *p)
{
    double basis[ROWS_MAX][N_MAX], rest[N_MAX], largest = 0;
    int count = 0;
    memcpy(rest, p, (size_t)n * sizeof *p);
    for (int j = 0; j <= r->n; j++) {
        double *x = j < r->n ? basis[count] : rest;
        if (j < r->n && !(use >> j & 1)) {
            continue;
        }
        if (j < r->n) {
            memcpy(x, r->row[j], (size_t)n * sizeof *x);
        }
        for (int again = 0; again < 2; again++) { /* Gram and Schmidt, twice */
            for (int b = 0; b < count; b++) {
                double s = product(n, basis[b], x);
                for (int i = 0; i < n; i++) {
                    x[i] -= s * basis[b][i];
                }
            }
        }
        if (j < r->n) {
            double size = sqrt(product(n, x, x));
            CHECK(size > 1e-9);
            for (int i = 0; i < n; i++) {
                x[i] /= size;
            }
            count++;
        }
    }
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(rest[i]));
    }
    return largest;
}

static inline unsigned joint_rows(const rows *r) { return (1u << r->joints) - 1; }

/* ---- laws ------------------------------------------------------------------------------------------ */

/* derivative at 0 of f(-4h) .. f(4h), exact for polynomials of degree 8 */
static inline double slope(const double f[9], double h)
{
    return (4.0 / 5 * (f[5] - f[3]) - 1.0 / 5 * (f[6] - f[2]) + 4.0 / 105 * (f[7] - f[1]) - 1.0 / 280 * (f[8] - f[0])) / h;
}

/* At a time that is farther than 4 h from any event: dq/dt = v, M dv/dt - k in the span of the joints' rows (and the
 * contacts' marked in `held`), joints kept, no gap below zero. tol: of accelerations; the joints are held to 1e-13. */
static inline void check_equations(const known *k, double t, double h, unsigned held, double tol)
{
    const ss_model *m = k->m;
    double q[9][N_MAX], v[9][N_MAX], moved[9][N_MAX], a[N_MAX], p[N_MAX];
    CHECK(ss_exact_next_jump(k->x, t - 4 * h) > t + 4 * h && ss_exact_next_kink(k->x, t - 4 * h) > t + 4 * h);
    for (int s = 0; s < 9; s++) {
        state_at(k, t + (s - 4) * h, 1, q[s], v[s]);
    }
    for (int s = 0; s < 9; s++) {
        ss_model_difference(m, q[4], q[s], moved[s]);
    }
    for (int i = 0; i < m->nv; i++) {
        double x[9], y[9];
        for (int s = 0; s < 9; s++) {
            x[s] = moved[s][i];
            y[s] = v[s][i];
        }
        CHECK_NEAR(slope(x, h), v[4][i], tol);
        a[i] = slope(y, h);
    }
    rows r = rows_at(k, t, q[4], v[4]);
    ss_blockdiag_times(&m->mass, a, p);
    for (int i = 0; i < m->nv; i++) {
        p[i] -= r.force[i];
    }
    CHECK_NEAR(outside_span(m->nv, &r, joint_rows(&r) | held << r.joints, p), 0, tol);
    for (int j = 0; j < r.n; j++) {
        bool closed = j < r.joints || (held >> (j - r.joints) & 1);
        CHECK(closed ? fabs(r.g[j]) <= 1e-13 : r.g[j] >= -1e-14);
        CHECK_NEAR(closed ? product(m->nv, r.row[j], v[4]) : 0, 0, 1e-12);
    }
}

/* At a jump: q stays, gap `contact` is zero, u+ = -e u- < 0, and momentum changes along that contact and the joints. */
static inline void check_jump(const known *k, double t, int contact, double e, double tol)
{
    const ss_model *m = k->m;
    double q[2][N_MAX], v[2][N_MAX], change[N_MAX], p[N_MAX];
    state_at(k, t, -1, q[0], v[0]);
    state_at(k, t, 1, q[1], v[1]);
    rows r = rows_at(k, t, q[0], v[0]);
    for (int i = 0; i < m->nq; i++) {
        CHECK_NEAR(q[1][i], q[0][i], tol);
    }
    for (int i = 0; i < m->nv; i++) {
        change[i] = v[1][i] - v[0][i];
    }
    int row = r.joints + contact;
    double before = product(m->nv, r.row[row], v[0]), after = product(m->nv, r.row[row], v[1]);
    CHECK_NEAR(r.g[row], 0, tol);
    CHECK(before < 0);
    CHECK_NEAR(after, -e * before, tol);
    ss_blockdiag_times(&m->mass, change, p);
    CHECK_NEAR(outside_span(m->nv, &r, joint_rows(&r) | 1u << row, p), 0, tol);
    for (int j = 0; j < r.joints; j++) {
        CHECK_NEAR(product(m->nv, r.row[j], v[0]), 0, tol);
        CHECK_NEAR(product(m->nv, r.row[j], v[1]), 0, tol);
    }
    for (int side = 0; side < 2; side++) { /* the limits from both sides; accelerations are far below 1e3 */
        double near_q[N_MAX], near_v[N_MAX];
        state_at(k, side == 0 ? t - 1e-9 : t + 1e-9, 1, near_q, near_v);
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(near_v[i], v[side][i], 1e-6);
        }
    }
}

/* no gap below -tol at n times */
static inline void check_gaps(const known *k, double until, int n, double tol)
{
    for (int i = 0; i <= n; i++) {
        double q[N_MAX], v[N_MAX], t = until * i / n;
        state_at(k, t, 1, q, v);
        rows r = rows_at(k, t, q, v);
        for (int j = r.joints; j < r.n; j++) {
            CHECK(r.g[j] >= -tol);
        }
    }
}

#endif
