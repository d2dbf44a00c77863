/* packed_lanes.h - the visit of four packed contacts of one colour at once, a contact in each lane of a vector.
 *
 * The cases of circle.h, all of them computed and chosen from by masks: which case a contact is in differs from lane to lane and
 * from visit to visit, so branches would be guessed wrong. Only slip is skipped where no lane slips, and everything behind the
 * normal velocity where all four stay open. A lane in which Newton's method for the direction of slip does not end is left to
 * one_contact.c.
 *
 * Inlined by packed_visits.c into functions for different instruction sets. Every operation is rounded by itself
 * (-ffp-contract=off) and in the same order, so that all machines give the same bits. */
#ifndef SS_PACKED_LANES_H
#define SS_PACKED_LANES_H

#include "problem/packed_visits.h"

#include <float.h>
#include <math.h>

enum { LANES = SS_PACKED_LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef long long lanes_mask __attribute__((vector_size(LANES * sizeof(double)))); /* all bits, or none */

static const double lanes_at_rest[6]; /* the second body where there is none */

#define LANES_INLINE static inline __attribute__((always_inline))

/* ---- vectors ------------------------------------------------------------------------------------ */

LANES_INLINE lanes lanes_at(const double *x)
{
    lanes y;
    memcpy(&y, x, sizeof y);
    return y;
}

LANES_INLINE void put_lanes(double *x, lanes y) { memcpy(x, &y, sizeof y); }

LANES_INLINE lanes choose(lanes_mask where, lanes a, lanes b)
{
    return (lanes)(((lanes_mask)a & where) | ((lanes_mask)b & ~where));
}

LANES_INLINE bool any(lanes_mask m)
{
    m |= __builtin_shufflevector(m, m, 2, 3, 0, 1);
    return (m[0] | m[1]) != 0;
}

LANES_INLINE bool all(lanes_mask m)
{
    m &= __builtin_shufflevector(m, m, 2, 3, 0, 1);
    return (m[0] & m[1]) != 0;
}

LANES_INLINE lanes lanes_abs(lanes x) { return choose(x < 0, -x, x); }

LANES_INLINE lanes lanes_sqrt(lanes x) { return (lanes){ sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3]) }; }

/* four rows of four numbers become four columns, and back */
LANES_INLINE void transpose(lanes *x)
{
    const lanes a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const lanes c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* ---- velocities of bodies ------------------------------------------------------------------------ */

/* The six numbers of a body of each lane, as six vectors: numbers 0 to 3, then 2 to 5. */
LANES_INLINE void read_bodies(double *const *body, lanes *x)
{
    lanes low[LANES], high[LANES];
    for (int l = 0; l < LANES; l++) {
        const double *x_l = body[l] ? body[l] : lanes_at_rest;
        low[l] = lanes_at(x_l);
        high[l] = lanes_at(x_l + 2);
    }
    transpose(low);
    transpose(high);
    for (int j = 0; j < 4; j++) {
        x[j] = low[j];
    }
    x[4] = high[2];
    x[5] = high[3];
}

LANES_INLINE void write_bodies(double *const *body, const lanes *x)
{
    lanes low[LANES] = { x[0], x[1], x[2], x[3] }, high[LANES] = { x[2], x[3], x[4], x[5] };
    transpose(low);
    transpose(high);
    for (int l = 0; l < LANES; l++) {
        if (body[l]) {
            put_lanes(body[l], low[l]);
            put_lanes(body[l] + 2, high[l]);
        }
    }
}

/* ---- slip: circle.c in lanes ----------------------------------------------------------------------- */

/* What four contacts are: W and its inverse by rows, interleaved. */
typedef struct lanes_circle {
    const double *W, *inverse;
    lanes mu;
    bool associated;
} lanes_circle;

typedef struct lanes_ray {
    lanes g[2], p[2], D, N; /* g without its first number, 1; t = -N/D */
} lanes_ray;

/* row i of a matrix times (1, g), times (0, turn), times x */
LANES_INLINE lanes row_times_ray(const double *W, int i, const lanes *g)
{
    return lanes_at(W + 3 * LANES * i) + lanes_at(W + 3 * LANES * i + LANES) * g[0] +
           lanes_at(W + 3 * LANES * i + 2 * LANES) * g[1];
}

LANES_INLINE lanes row_times_turn(const double *W, int i, const lanes *turn)
{
    return lanes_at(W + 3 * LANES * i + LANES) * turn[0] + lanes_at(W + 3 * LANES * i + 2 * LANES) * turn[1];
}

LANES_INLINE lanes row_times_lanes(const double *A, int i, const lanes *x)
{
    return lanes_at(A + 3 * LANES * i) * x[0] + lanes_at(A + 3 * LANES * i + LANES) * x[1] +
           lanes_at(A + 3 * LANES * i + 2 * LANES) * x[2];
}

LANES_INLINE lanes lanes_cross(const lanes *a, const lanes *b) { return a[0] * b[1] - a[1] * b[0]; }

LANES_INLINE lanes_ray lanes_ray_along(const lanes_circle *c, const lanes *q, const lanes *e)
{
    lanes_ray y = { .g = { c->mu * e[0], c->mu * e[1] } };
    const lanes Wg = row_times_ray(c->W, 0, y.g);
    y.p[0] = row_times_ray(c->W, 1, y.g);
    y.p[1] = row_times_ray(c->W, 2, y.g);
    y.D = c->associated ? Wg + y.g[0] * y.p[0] + y.g[1] * y.p[1] : Wg;
    y.N = c->associated ? q[0] + q[1] * y.g[0] + q[2] * y.g[1] : q[0];
    return y;
}

/* the tangent of the angle by which e is to turn */
LANES_INLINE lanes lanes_newton_step(const lanes_circle *c, const lanes *q, const lanes *e, const lanes_ray *y)
{
    const lanes f[2] = { -e[1], e[0] }, turn[2] = { c->mu * f[0], c->mu * f[1] };
    const lanes Wt[3] = { row_times_turn(c->W, 0, turn), row_times_turn(c->W, 1, turn), row_times_turn(c->W, 2, turn) };
    lanes dD = Wt[0], dN = { 0 };
    if (c->associated) {
        dD += turn[0] * y->p[0] + turn[1] * y->p[1] + y->g[0] * Wt[1] + y->g[1] * Wt[2];
        dN = q[1] * turn[0] + q[2] * turn[1];
    }
    const lanes eq = lanes_cross(e, q + 1), ep = lanes_cross(e, y->p), fq = lanes_cross(f, q + 1),
                fp = lanes_cross(f, y->p) + lanes_cross(e, Wt + 1);
    return -(y->D * eq - y->N * ep) / (dD * eq + y->D * fq - dN * ep - y->N * fp);
}

/* cosines of the angles with tangents x; by their series where all are small */
LANES_INLINE lanes lanes_cosine(lanes x, bool small)
{
    const lanes y = x * x;
    return small ? 1 - y * (0.5 - 0.375 * y) : 1 / lanes_sqrt(1 + y);
}

/* The impulses of slip; returns the lanes of `wanted` in which one is found. */
LANES_INLINE lanes_mask lanes_slip(const lanes_circle *c, const lanes *q, const lanes *u, const lanes *r, lanes_mask wanted,
                                   lanes *out)
{
    enum { STEPS = 12 };
    const double last = 1e-8, none = 4 * DBL_EPSILON, lost = 1e3; /* radians, see circle.c */
    const lanes b = 0.5 * (lanes_at(c->W + 4 * LANES) + lanes_at(c->W + 8 * LANES)), x = b * r[1] - u[1], y = b * r[2] - u[2],
                size = 1 / lanes_sqrt(x * x + y * y);
    lanes e[2] = { size * x, size * y };
    lanes_ray at = lanes_ray_along(c, q, e);
    lanes_mask open = wanted;
    for (int k = 0; k < STEPS && any(open); k++) {
        const lanes turn = lanes_newton_step(c, q, e, &at), angle = lanes_abs(turn), e0 = e[0];
        wanted &= angle < lost; /* a number */
        open &= wanted & (angle >= none);
        if (!any(open)) {
            break;
        }
        const lanes cosine = lanes_cosine(turn, all((angle < 1e-3) | ~open));
        e[0] = choose(open, cosine * (e0 - turn * e[1]), e0);
        e[1] = choose(open, cosine * (e[1] + turn * e0), e[1]);
        open &= angle >= last;
        at = lanes_ray_along(c, q, e);
    }
    const lanes t = -at.N / at.D, along = e[0] * (q[1] + t * at.p[0]) + e[1] * (q[2] + t * at.p[1]);
    out[0] = t;
    out[1] = t * at.g[0];
    out[2] = t * at.g[1];
    return wanted & ~open & (at.D > 0) & (t >= 0) & (along <= 0);
}

/* ---- the cases ------------------------------------------------------------------------------------ */

/* q_T = u_T - (W r)_T */
LANES_INLINE void free_slip(const lanes_circle *c, const lanes *u, const lanes *r, lanes *q)
{
    q[1] = u[1] - row_times_lanes(c->W, 1, r);
    q[2] = u[2] - row_times_lanes(c->W, 2, r);
}

/* In: impulses r and the velocities u that go with them. Returns the lanes in which no case was found; r is as it was there. */
LANES_INLINE lanes_mask lanes_solve(const lanes_circle *c, const lanes *u, lanes *r)
{
    const lanes zero = { 0 };
    lanes q[3] = { u[0] - row_times_lanes(c->W, 0, r), zero, zero };
    lanes slip[3] = { zero, zero, zero };
    lanes trial[3] = { r[0] - row_times_lanes(c->inverse, 0, u), r[1] - row_times_lanes(c->inverse, 1, u),
                       r[2] - row_times_lanes(c->inverse, 2, u) };
    const lanes most = c->mu * trial[0];
    lanes_mask off = q[0] >= 0, found = { 0 };
    if (c->associated) {
        free_slip(c, u, r, q);
        off &= q[0] * q[0] >= c->mu * c->mu * (q[1] * q[1] + q[2] * q[2]);
    }
    const lanes_mask stick = (trial[0] >= 0) & (trial[1] * trial[1] + trial[2] * trial[2] <= most * most) & ~off;
    const lanes_mask slips = ~(off | stick);
    if (any(slips)) {
        free_slip(c, u, r, q);
        found = lanes_slip(c, q, u, r, slips, slip);
    }
    for (int i = 0; i < 3; i++) {
        lanes y = choose(stick, trial[i], r[i]);
        y = choose(off, zero, y);
        r[i] = choose(found, slip[i], y);
    }
    return slips & ~found;
}

/* ---- the visit ------------------------------------------------------------------------------------ */

typedef struct lanes_bodies {
    lanes a[6], b[6];
} lanes_bodies;

LANES_INLINE lanes lanes_velocity(const double *X, const lanes_bodies *x)
{
    lanes of_a = lanes_at(X) * x->a[0], of_b = lanes_at(X + 6 * LANES) * x->b[0];
    for (int j = 1; j < 6; j++) {
        of_a += lanes_at(X + j * LANES) * x->a[j];
        of_b += lanes_at(X + (6 + j) * LANES) * x->b[j];
    }
    return of_a + of_b;
}

LANES_INLINE void lanes_push(const double *X, const lanes *dr, lanes_bodies *x)
{
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 3; i++) {
            x->a[j] += lanes_at(X + (12 * i + j) * LANES) * dr[i];
            x->b[j] += lanes_at(X + (12 * i + 6 + j) * LANES) * dr[i];
        }
    }
}

/* what no case was found for: the general way */
LANES_INLINE void solve_alone(const ss_packed_pass *p, int k, int lane, const lanes *u, lanes *r)
{
    double own_u[3] = { u[0][lane], u[1][lane], u[2][lane] }, own_r[3] = { r[0][lane], r[1][lane], r[2][lane] };
    ss_packed_solve(p, k + lane, own_u, own_r);
    for (int i = 0; i < 3; i++) {
        r[i] = choose((lanes_mask){ 0, 1, 2, 3 } == lane, (lanes){ own_r[i], own_r[i], own_r[i], own_r[i] }, r[i]);
    }
}

LANES_INLINE void visit_lanes(const ss_packed_pass *p, int k)
{
    enum { ROWS = 3, SIZE = 6 };
    const ss_packed_place *at = &p->place[k];
    const double *record = p->records + at->at, *X = record + LANES * (SS_PACKED_Q + ROWS), *W = X + LANES * 2 * ROWS * SIZE;
    double *a[LANES], *b[LANES], *mine = p->r + at->r;
    for (int l = 0; l < LANES; l++) {
        a[l] = p->x + at[l].a;
        b[l] = at[l].b >= 0 ? p->x + at[l].b : NULL;
    }
    lanes_bodies x;
    read_bodies(a, x.a);
    read_bodies(b, x.b);
    const lanes before[3] = { lanes_at(mine), lanes_at(mine + LANES), lanes_at(mine + 2 * LANES) };
    lanes r[3] = { before[0], before[1], before[2] }, u[3], dr[3], change = { 0 }, load = { 0 };
    u[0] = lanes_at(record + LANES * SS_PACKED_Q) + lanes_at(p->slide + k) + lanes_velocity(X, &x);
    if (at->law == SS_LAW_COULOMB && all((u[0] >= 0) & (r[0] == 0) & (r[1] == 0) & (r[2] == 0))) { /* all stay open */
        put_lanes(p->change + k, change);
        put_lanes(p->load + k, load);
        return;
    }
    for (int i = 1; i < ROWS; i++) {
        u[i] = lanes_at(record + LANES * (SS_PACKED_Q + i)) + lanes_velocity(X + LANES * 2 * SIZE * i, &x);
    }
    const lanes_circle c = { W, W + LANES * ROWS * ROWS, lanes_at(record + LANES * SS_PACKED_MU), at->law == SS_LAW_ASSOCIATED };
    const lanes_mask left = lanes_solve(&c, u, r);
    for (int l = 0; any(left) && l < LANES; l++) {
        if (left[l]) {
            solve_alone(p, k, l, u, r);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        dr[i] = r[i] - before[i];
        change += dr[i] * dr[i];
        load += r[i] * r[i];
        put_lanes(mine + LANES * i, r[i]);
    }
    const lanes d = lanes_at(record + LANES * SS_PACKED_D);
    put_lanes(p->change + k, d * change);
    put_lanes(p->load + k, d * load);
    lanes_push(X, dr, &x);
    write_bodies(a, x.a);
    write_bodies(b, x.b);
}

#endif
