/* joint_laws.h - is an exact solution a motion under joints and contacts without friction (2D)?
 *
 * Between events dq/dt = v, and M dv/dt - k, by differences of the solution, is in the span of the rows of the joints and of the
 * closed contacts; at a jump the momentum changes along such rows. */
#ifndef SS_TEST_JOINT_LAWS_H
#define SS_TEST_JOINT_LAWS_H

#include "known_motion.h"

/* ---- forces ---------------------------------------------------------------------------------------- */

typedef struct here {
    ss_arena *arena;
    ss_config c;
} here;

static inline here go_to(const known *k, double t, const double *q)
{
    here at;
    CHECK_OK(k->ctx, ss_arena_create(k->ctx, 4096, &at.arena));
    CHECK_OK(k->ctx, ss_config_take(at.arena, k->m, &at.c));
    ss_config_set(k->m, t, q, &at.c);
    return at;
}

static inline bool is_quiet(const known *k, double from, double to)
{
    return from >= 0 && ss_exact_next_jump(k->x, from) > to && ss_exact_next_kink(k->x, from) > to;
}

/* dq/dt as a velocity, and dv/dt: central differences over nine states h apart, exact for polynomials of degree 8 */
static inline void rates(const known *k, double t, double h, double *qdot, double *vdot)
{
    const double weight[9] = { 1. / 280, -4. / 105, 1. / 5, -4. / 5, 0, 4. / 5, -1. / 5, 4. / 105, -1. / 280 };
    double q[N_MAX], v[N_MAX], there[N_MAX], moved[N_MAX];
    CHECK(is_quiet(k, t - 4 * h, t + 4 * h));
    state_at(k, t, 1, q, v);
    memset(qdot, 0, (size_t)k->m->nv * sizeof *qdot);
    memset(vdot, 0, (size_t)k->m->nv * sizeof *vdot);
    for (int s = 0; s < 9; s++) {
        state_at(k, t + (s - 4) * h, 1, there, v);
        ss_model_difference(k->m, q, there, moved);
        for (int i = 0; i < k->m->nv; i++) {
            qdot[i] += weight[s] * moved[i] / h;
            vdot[i] += weight[s] * v[i] / h;
        }
    }
}

/* dq/dt = v within tol; and M dv/dt - k: what is left for joints and contacts */
static inline void exerted_at(const known *k, double t, double h, double tol, double *left)
{
    double q[N_MAX], v[N_MAX], qdot[N_MAX], vdot[N_MAX], force[SS_FORCE_CLASSES * N_MAX];
    int n = k->m->nv;
    state_at(k, t, 1, q, v);
    rates(k, t, h, qdot, vdot);
    here at = go_to(k, t, q);
    CHECK_OK(k->ctx, ss_model_forces(k->ctx, k->m, &at.c, v, force));
    ss_matrix_times(&k->m->mass, vdot, left);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(qdot[i], v[i], tol * (1 + fabs(v[i])));
    }
    for (int i = 0; i < SS_FORCE_CLASSES * n; i++) {
        left[i % n] -= force[i];
    }
    ss_arena_destroy(at.arena);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows {
    int n, joints;
    double row[ROWS_MAX][N_MAX]; /* joints first, then contacts */
    double g[ROWS_MAX];
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

/* joints and gaps (2D) */
static inline rows rows_at(const known *k, double t, const double *q)
{
    const ss_model *m = k->m;
    ss_csr G = { 0 };
    rows r = { .n = m->nj, .joints = m->nj };
    double drive[ROWS_MAX], target[ROWS_MAX];
    here at = go_to(k, t, q);
    CHECK_OK(k->ctx, ss_model_joints(k->ctx, m, &at.c, r.g, &G, drive, target));
    for (int j = 0; j < m->nj; j++) {
        for (int e = G.p[j]; e < G.p[j + 1]; e++) {
            r.row[j][G.i[e]] = G.x[e];
        }
    }
    for (int a = 0; a < m->shapes && m->dimension == 2; a++) {
        for (int b = 0; b < m->shapes; b++) {
            if (m->shape[a].kind != SS_SHAPE_half_space && m->shape[b].kind == SS_SHAPE_half_space) {
                push_gap(k, &at.c, a, b, &r);
            }
        }
    }
    ss_csr_free(k->ctx, &G);
    ss_arena_destroy(at.arena);
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

/* x less its parts along the unit vectors: Gram and Schmidt, twice */
static inline void take_away(int n, double basis[][N_MAX], int count, double *x)
{
    for (int b = 0; b < 2 * count; b++) {
        const double *unit = basis[b % count];
        double s = product(n, unit, x);
        for (int i = 0; i < n; i++) {
            x[i] -= s * unit[i];
        }
    }
}

/* largest entry of what is left of p when its part in the span of the rows marked by `use` is taken away */
static inline double outside_span(int n, const rows *r, unsigned use, const double *p)
{
    double basis[ROWS_MAX][N_MAX], rest[N_MAX], largest = 0;
    int count = 0;
    for (int j = 0; j < r->n; j++) {
        if (use >> j & 1) {
            double *x = basis[count];
            memcpy(x, r->row[j], (size_t)n * sizeof *x);
            take_away(n, basis, count, x);
            double size = sqrt(product(n, x, x));
            CHECK(size > 1e-9);
            for (int i = 0; i < n; i++) {
                x[i] /= size;
            }
            count++;
        }
    }
    memcpy(rest, p, (size_t)n * sizeof *p);
    take_away(n, basis, count, rest);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(rest[i]));
    }
    return largest;
}

static inline unsigned joint_rows(const rows *r) { return (1u << r->joints) - 1; }

/* At a time that is farther than 4 h from any event: dq/dt = v, M dv/dt - k in the span of the joints' rows (and the
 * contacts' marked in `held`), joints kept, no gap below zero. tol: of accelerations; the joints are held to 1e-13. */
static inline void check_equations(const known *k, double t, double h, unsigned held, double tol)
{
    double q[N_MAX], v[N_MAX], left[N_MAX];
    int n = k->m->nv;
    state_at(k, t, 1, q, v);
    exerted_at(k, t, h, tol, left);
    rows r = rows_at(k, t, q);
    CHECK_NEAR(outside_span(n, &r, joint_rows(&r) | held << r.joints, left), 0, tol);
    for (int j = 0; j < r.n; j++) {
        bool closed = j < r.joints || (held >> (j - r.joints) & 1);
        CHECK(closed ? fabs(r.g[j]) <= 1e-13 : r.g[j] >= -1e-14);
        CHECK_NEAR(closed ? product(n, r.row[j], v) : 0, 0, 1e-12);
    }
}

/* At a jump: gap `contact` is zero, u+ = -e u- < 0, and momentum changes along that contact and the joints. */
static inline void check_jump(const known *k, double t, int contact, double e, double tol)
{
    double q[N_MAX], before[N_MAX], after[N_MAX], change[N_MAX], p[N_MAX];
    int n = k->m->nv;
    check_sides(k, t, tol);
    state_at(k, t, 1, q, after);
    state_at(k, t, -1, q, before);
    for (int i = 0; i < n; i++) {
        change[i] = after[i] - before[i];
    }
    rows r = rows_at(k, t, q);
    int row = r.joints + contact;
    CHECK_NEAR(r.g[row], 0, tol);
    CHECK(product(n, r.row[row], before) < 0);
    CHECK_NEAR(product(n, r.row[row], after), -e * product(n, r.row[row], before), tol);
    ss_matrix_times(&k->m->mass, change, p);
    CHECK_NEAR(outside_span(n, &r, joint_rows(&r) | 1u << row, p), 0, tol);
    for (int j = 0; j < r.joints; j++) {
        CHECK_NEAR(product(n, r.row[j], before), 0, tol);
        CHECK_NEAR(product(n, r.row[j], after), 0, tol);
    }
}

/* no gap below -tol at n times */
static inline void check_gaps(const known *k, double until, int n, double tol)
{
    for (int i = 0; i <= n; i++) {
        double q[N_MAX], v[N_MAX], t = until * i / n;
        state_at(k, t, 1, q, v);
        rows r = rows_at(k, t, q);
        for (int j = r.joints; j < r.n; j++) {
            CHECK(r.g[j] >= -tol);
        }
    }
}

#endif
