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

#include "math/worse.h"
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

/* ---- records ------------------------------------------------------------------------------------- */

/* Numbers of four records; where single is known, nothing is decided in a visit. */
typedef struct lanes_record {
    const void *x;
    bool single;
} lanes_record;

/* number i of each */
LANES_INLINE lanes number(lanes_record r, int i)
{
    float single[LANES];
    if (!r.single) {
        return lanes_at((const double *)r.x + LANES * i);
    }
    memcpy(single, (const char *)r.x + (size_t)i * sizeof single, sizeof single);
    return (lanes){ single[0], single[1], single[2], single[3] };
}

enum { NUMBER_X = SS_PACKED_Q + 3, NUMBER_W = NUMBER_X + 36, NUMBER_INVERSE = NUMBER_W + 9 };

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

/* what four contacts are */
typedef struct lanes_circle {
    lanes_record record;
    lanes mu;
    bool associated;
} lanes_circle;

typedef struct lanes_ray {
    lanes g[2], p[2], D, N; /* g without its first number, 1; t = -N/D */
} lanes_ray;

/* row i of W times (1, g), times (0, turn); of a matrix that begins with number A times x */
LANES_INLINE lanes row_times_ray(const lanes_circle *c, int i, const lanes *g)
{
    const int row = NUMBER_W + 3 * i;
    return number(c->record, row) + number(c->record, row + 1) * g[0] + number(c->record, row + 2) * g[1];
}

LANES_INLINE lanes row_times_turn(const lanes_circle *c, int i, const lanes *turn)
{
    const int row = NUMBER_W + 3 * i;
    return number(c->record, row + 1) * turn[0] + number(c->record, row + 2) * turn[1];
}

LANES_INLINE lanes row_times_lanes(const lanes_circle *c, int A, int i, const lanes *x)
{
    const int row = A + 3 * i;
    return number(c->record, row) * x[0] + number(c->record, row + 1) * x[1] + number(c->record, row + 2) * x[2];
}

LANES_INLINE lanes lanes_cross(const lanes *a, const lanes *b) { return a[0] * b[1] - a[1] * b[0]; }

LANES_INLINE lanes_ray lanes_ray_along(const lanes_circle *c, const lanes *q, const lanes *e)
{
    lanes_ray y = { .g = { c->mu * e[0], c->mu * e[1] } };
    const lanes Wg = row_times_ray(c, 0, y.g);
    y.p[0] = row_times_ray(c, 1, y.g);
    y.p[1] = row_times_ray(c, 2, y.g);
    y.D = c->associated ? Wg + y.g[0] * y.p[0] + y.g[1] * y.p[1] : Wg;
    y.N = c->associated ? q[0] + q[1] * y.g[0] + q[2] * y.g[1] : q[0];
    return y;
}

/* the tangent of the angle by which e is to turn */
LANES_INLINE lanes lanes_newton_step(const lanes_circle *c, const lanes *q, const lanes *e, const lanes_ray *y)
{
    const lanes f[2] = { -e[1], e[0] }, turn[2] = { c->mu * f[0], c->mu * f[1] };
    const lanes Wt[3] = { row_times_turn(c, 0, turn), row_times_turn(c, 1, turn), row_times_turn(c, 2, turn) };
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
    const lanes b = 0.5 * (number(c->record, NUMBER_W + 4) + number(c->record, NUMBER_W + 8)), x = b * r[1] - u[1],
                y = b * r[2] - u[2], size = 1 / lanes_sqrt(x * x + y * y);
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
    q[1] = u[1] - row_times_lanes(c, NUMBER_W, 1, r);
    q[2] = u[2] - row_times_lanes(c, NUMBER_W, 2, r);
}

/* In: impulses r and the velocities u that go with them. Returns the lanes in which no case was found; r is as it was there. */
LANES_INLINE lanes_mask lanes_solve(const lanes_circle *c, const lanes *u, lanes *r)
{
    const lanes zero = { 0 };
    lanes q[3] = { u[0] - row_times_lanes(c, NUMBER_W, 0, r), zero, zero };
    lanes slip[3] = { zero, zero, zero };
    lanes trial[3] = { r[0] - row_times_lanes(c, NUMBER_INVERSE, 0, u), r[1] - row_times_lanes(c, NUMBER_INVERSE, 1, u),
                       r[2] - row_times_lanes(c, NUMBER_INVERSE, 2, u) };
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

/* where they are: first bodies, second ones; NULL: there is none */
typedef struct lanes_places {
    double *a[LANES], *b[LANES];
} lanes_places;

LANES_INLINE lanes_places places_at(const ss_packed_pass *p, int k)
{
    const ss_packed_place *at = &p->place[k];
    lanes_places of;
    for (int l = 0; l < LANES; l++) {
        of.a[l] = p->x + at[l].a;
        of.b[l] = at[l].b >= 0 ? p->x + at[l].b : NULL;
    }
    return of;
}

LANES_INLINE void lanes_read(const lanes_places *of, lanes_bodies *x)
{
    read_bodies(of->a, x->a);
    read_bodies(of->b, x->b);
}

LANES_INLINE void lanes_write(const lanes_places *of, const lanes_bodies *x)
{
    write_bodies(of->a, x->a);
    write_bodies(of->b, x->b);
}

/* row i of X times x */
LANES_INLINE lanes lanes_velocity(lanes_record record, int i, const lanes_bodies *x)
{
    const int row = NUMBER_X + 12 * i;
    lanes of_a = number(record, row) * x->a[0], of_b = number(record, row + 6) * x->b[0];
    for (int j = 1; j < 6; j++) {
        of_a += number(record, row + j) * x->a[j];
        of_b += number(record, row + 6 + j) * x->b[j];
    }
    return of_a + of_b;
}

LANES_INLINE void lanes_push(lanes_record record, const lanes *dr, lanes_bodies *x)
{
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 3; i++) {
            x->a[j] += number(record, NUMBER_X + 12 * i + j) * dr[i];
            x->b[j] += number(record, NUMBER_X + 12 * i + 6 + j) * dr[i];
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

LANES_INLINE lanes_record lanes_record_at(const ss_packed_place *at, const double *records, bool single)
{
    return (lanes_record){ (const char *)records + at->at * (single ? sizeof(float) : sizeof(double)), single };
}

/* ss_packed_seen, a lane for each of four contacts */
typedef struct lanes_seen {
    lanes change, square, load, turn;
} lanes_seen;

/* the larger of both; what is no number stays (worse.h) */
LANES_INLINE lanes worse_lanes(lanes a, lanes b) { return choose((a >= b) | (a != a), a, b); }

/* four contacts have been visited: |dr|^2, |r|^2, and (y - r).(r - r') of each, by which momentum.c begins anew */
LANES_INLINE void note(lanes_seen *seen, lanes d, lanes change, lanes load, lanes turn)
{
    seen->change = worse_lanes(seen->change, d * change);
    seen->square += d * change;
    seen->load = worse_lanes(seen->load, d * load);
    seen->turn += d * turn;
}

/* one contact has */
LANES_INLINE void note_one(lanes_seen *seen, double d, double change, double load, double turn)
{
    seen->change[0] = ss_worse(seen->change[0], d * change);
    seen->square[0] += d * change;
    seen->load[0] = ss_worse(seen->load[0], d * load);
    seen->turn[0] += d * turn;
}

LANES_INLINE void visit_lanes(const ss_packed_pass *p, int k, bool single, lanes_seen *seen)
{
    enum { ROWS = 3 };
    const ss_packed_place *at = &p->place[k];
    const lanes_record record = lanes_record_at(at, p->records, single);
    const lanes_places of = places_at(p, k);
    double *mine = p->r + at->r;
    lanes_bodies x;
    lanes_read(&of, &x);
    const lanes y[3] = { lanes_at(mine), lanes_at(mine + LANES), lanes_at(mine + 2 * LANES) };
    lanes r[3] = { y[0], y[1], y[2] }, u[3], dr[3], change = { 0 }, load = { 0 }, turn = { 0 };
    u[0] = number(record, SS_PACKED_Q) + lanes_at(p->slide + k) + lanes_velocity(record, 0, &x);
    if (at->law == SS_LAW_COULOMB && all((u[0] >= 0) & (r[0] == 0) & (r[1] == 0) & (r[2] == 0))) { /* all stay open */
        return;
    }
    for (int i = 1; i < ROWS; i++) {
        u[i] = number(record, SS_PACKED_Q + i) + lanes_velocity(record, i, &x);
    }
    const lanes_circle c = { .record = record, .mu = number(record, SS_PACKED_MU), .associated = at->law == SS_LAW_ASSOCIATED };
    const lanes_mask left = at->law != 0 ? lanes_solve(&c, u, r) : ~(lanes_mask){ 0 };
    for (int l = 0; any(left) && l < LANES; l++) {
        if (left[l]) {
            solve_alone(p, k, l, u, r);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        dr[i] = r[i] - y[i];
        change += dr[i] * dr[i];
        load += r[i] * r[i];
        turn -= p->before ? dr[i] * (r[i] - lanes_at(p->before + at->r + LANES * i)) : (lanes){ 0 };
        put_lanes(mine + LANES * i, r[i]);
    }
    note(seen, number(record, SS_PACKED_D), change, load, turn);
    lanes_push(record, dr, &x);
    lanes_write(&of, &x);
}

/* x += X' r of four contacts */
LANES_INLINE void push_lanes(const ss_packed_pass *p, int k, bool single)
{
    const ss_packed_place *at = &p->place[k];
    const lanes_places of = places_at(p, k);
    const double *mine = p->r + at->r;
    const lanes r[3] = { lanes_at(mine), lanes_at(mine + LANES), lanes_at(mine + 2 * LANES) };
    lanes_bodies x;
    lanes_read(&of, &x);
    lanes_push(lanes_record_at(at, p->records, single), r, &x);
    lanes_write(&of, &x);
}

#endif
