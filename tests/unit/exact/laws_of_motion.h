/* laws_of_motion.h - is an exact solution a motion of its model? Everything is asked of the model itself (mass, forces,
 * joints) and of the shapes (gaps), nothing of the solution's own equations.
 *
 * Between events   dq/dt = v, and M dv/dt - k, by differences of the solution, is what joints and contacts exert
 * rows             joints and contacts without friction (2D): that is in the span of their rows
 * floor            one body over a half space: it is zero in flight; in contact it presses, obeys Coulomb's law with the slip of
 *                  the point that touches, and acts there
 * At a jump        the place stays, the laws of impact hold, and the states go on to both sides; at a kink only the force changes
 */
#ifndef SS_TEST_LAWS_OF_MOTION_H
#define SS_TEST_LAWS_OF_MOTION_H

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
    ss_blockdiag_times(&k->m->mass, vdot, left);
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
    ss_blockdiag_times(&k->m->mass, change, p);
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
