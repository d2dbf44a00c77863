/* oscillator.c - a particle on a spring and a damper along the normal of a floor that it bounces on.
 *
 *   y'' + 2 z y' + o^2 y = f  while y > 0,   w+ = -e w-  at y = 0;   y = 0 stays where it rests there and f <= 0
 *
 * Reference   [Aca09 eq. 11], where f = 0
 * Symbols     y the gap, w = y', z = c / (2 m), o^2 = k / m, f the acceleration by spring and gravity at y = 0;
 *             an arc starts with (y0, w0), and s is the time in it. With S the response to a unit kick, S'' + 2 z S' + o^2 S = 0,
 *             S(0) = 0, S'(0) = 1, and B its integral (the response to f = 1):
 *               y = y0 (1 - o^2 B) + w0 S + f B,   w = w0 S' + (f - o^2 y0) S,   S' = 1 - o^2 B - 2 z S
 * Small s     B is summed as a power series: where impacts accumulate (f < 0) a flight is as exact as the first one.
 * Impacts     an arc falls from its highest to its lowest point, both in closed form; the root in between is by Newton's
 *             method. Amplitudes only shrink: an arc whose first lowest point is above the floor never comes down.
 *             Impacts are kept as far as somebody has asked, and at most MOST of them. Refused are data whose flights get
 *             shorter for ever without coming to rest after LONGEST_FALL impacts (f < 0 with e very near 1).
 * Rest        impacts slower than round-off of the fastest motion end it. An arc that grazes the floor is as sensitive as a
 *             square root: its impact is known to half of the digits.
 * Spring      with a rest length above zero it has a direction, which must never reverse: refused if the energy allows that. */
#include "base/tolerances.h"
#include "exact/bracket.h"
#include "exact/over_floor.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LONGEST_FALL = 16384, MOST = 100000 };

typedef struct arc {
    double t, y, w; /* its start                              */
    double tail;    /* rounding error of t, a compensated sum */
    double before;  /* w before the impact that began it      */
} arc;

typedef struct oscillator {
    ss_over_floor floor;
    double z, o2, f; /* as above                                         */
    double turn;     /* sqrt |o^2 - z^2|: of the sine, or of the sinh     */
    bool wave;       /* o > z: underdamped                               */
    double fade;     /* z - turn, if overdamped: the slower rate of decay */
    double slow;     /* speed that counts as rest                        */
    int arcs, capacity;
    arc *arc;      /* in order of time                */
    bool complete; /* the last of them never ends     */
} oscillator;

/* ---- one arc -------------------------------------------------------------------------------------- */

/* S: e^(-z s) times sin(turn s)/turn, s, or sinh(turn s)/turn; the last without overflow */
static double kick(const oscillator *x, double s)
{
    if (x->turn == 0) {
        return s * exp(-x->z * s);
    }
    if (x->wave) {
        return exp(-x->z * s) * sin(x->turn * s) / x->turn;
    }
    return -exp(-x->fade * s) * expm1(-2 * x->turn * s) / (2 * x->turn);
}

/* S' = e^(-z s) (cos(turn s) - z sin(turn s)/turn), ... */
static double kick_rate(const oscillator *x, double s)
{
    double even = x->wave ? cos(x->turn * s) * exp(-x->z * s) : 0.5 * (exp(-x->fade * s) + exp(-(x->turn + x->z) * s));
    return even - x->z * kick(x, s);
}

/* B: sum of b_n s^n with n (n-1) b_n = -2 z (n-1) b_(n-1) - o^2 b_(n-2), b_2 = 1/2; or (1 - S' - 2 z S) / o^2 */
static double push(const oscillator *x, double s)
{
    if (s * (2 * x->z + sqrt(x->o2)) > 0.5) {
        return (1 - kick_rate(x, s) - 2 * x->z * kick(x, s)) / x->o2;
    }
    double term[2] = { 0, 0.5 * s * s }, sum = term[1]; /* of n-2 and n-1 */
    for (int n = 3; n < 24; n++) {
        double next = -(2 * x->z * (n - 1) * s * term[1] + x->o2 * s * s * term[0]) / (n * (n - 1));
        term[0] = term[1];
        term[1] = next;
        sum += next;
    }
    return sum;
}

static bool is_closed(const oscillator *x, const arc *a) { return a->y == 0 && a->w == 0 && x->f <= 0; }

static void arc_at(const oscillator *x, const arc *a, double s, double *y, double *w)
{
    double S = kick(x, s), B = push(x, s), pull = x->f - x->o2 * a->y;
    *y = is_closed(x, a) ? 0 : a->y + a->w * S + pull * B;
    *w = is_closed(x, a) ? 0 : a->w * kick_rate(x, s) + pull * S;
}

/* ---- its end -------------------------------------------------------------------------------------- */

/* The first time >= 0 with w = 0:  w0 S' = (o^2 y0 - f) S, that is tan or tanh(turn s) = turn w0 / (z w0 + o^2 y0 - f). */
static double first_turn(const oscillator *x, const arc *a)
{
    double over = a->w, under = x->z * a->w + x->o2 * a->y - x->f;
    if (x->wave) {
        double angle = atan2(x->turn * over, under);
        return (angle < 0 ? angle + acos(-1) : angle) / x->turn;
    }
    double ratio = over / under;
    if (over == 0 || !(ratio > 0 && ratio * x->turn < 1)) {
        return over == 0 && under >= 0 ? 0 : INFINITY;
    }
    return x->turn == 0 ? ratio : atanh(ratio * x->turn) / x->turn;
}

/* The part of the arc that falls first: from `high` to `low`, INFINITY where there is none. */
static void falling_part(const oscillator *x, const arc *a, double *high, double *low)
{
    double turn = first_turn(x, a);
    bool falls = a->w < 0;
    *high = falls ? 0 : turn;
    *low = falls ? turn : x->wave ? turn + acos(-1) / x->turn : INFINITY;
}

static double height(const void *user, double s, double *slope)
{
    const void *const *pair = user;
    double y;
    arc_at(pair[0], pair[1], s, &y, slope);
    return y;
}

/* how long the arc lasts until it meets the floor; INFINITY: it does not */
static double arc_length(const oscillator *x, const arc *a)
{
    const void *pair[2] = { x, a };
    double high, low, slope;
    falling_part(x, a, &high, &low);
    if (is_closed(x, a) || !isfinite(high) || (isinf(low) && x->f >= 0)) {
        return INFINITY;
    }
    if (isinf(low)) { /* down to f / o^2 < 0; a level too small to be told from 0 is never reached */
        low = 2 * high + 1 / x->z;
        while (height(pair, low, &slope) >= 0 && low * x->fade < -log(DBL_MIN)) {
            low *= 2;
        }
    }
    return height(pair, low, &slope) < 0 ? ss_bracket_root(height, pair, high, low, 2 * high) : INFINITY;
}

/* the arc after this one; false: this one never ends */
static bool next_arc(const oscillator *x, const arc *a, arc *out)
{
    double length = arc_length(x, a), y;
    if (isinf(length)) {
        return false;
    }
    *out = (arc){ .t = a->t + (a->tail + length) };
    out->tail = (a->tail + length) - (out->t - a->t);
    arc_at(x, a, length, &y, &out->before);
    out->w = -x->floor.e * out->before;
    out->w = out->w > x->slow ? out->w : 0;
    return true;
}

/* ---- all arcs ------------------------------------------------------------------------------------- */

static ss_status add_arc(const ss_exact *x, oscillator *o)
{
    arc next;
    o->complete = !next_arc(o, &o->arc[o->arcs - 1], &next);
    if (o->complete) {
        return SS_OK;
    }
    if (o->arcs > MOST) {
        return ss_exact_refuse(x, "more than %d impacts before t = %g", MOST, next.t);
    }
    SS_PUSH(x->ctx, o->arc, o->arcs, o->capacity, next);
    return SS_OK;
}

/* until the last arc begins after t, or never ends */
static ss_status extend_beyond(const ss_exact *x, oscillator *o, double t)
{
    while (!o->complete && o->arc[o->arcs - 1].t <= t) {
        SS_TRY(add_arc(x, o));
    }
    return SS_OK;
}

/* The arc at t, and the one after it (NULL: none). An arc that begins at t itself has begun if `with`, else it comes after t. */
static const arc *find_arc(const oscillator *x, double t, bool with, const arc **after)
{
    int lo = 0, hi = x->arcs; /* arc lo has begun, hi has not */
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        bool begun = with ? x->arc[mid].t <= t : x->arc[mid].t < t;
        *(begun ? &lo : &hi) = mid;
    }
    *after = hi < x->arcs ? &x->arc[hi] : NULL;
    return &x->arc[lo];
}

/* Make the first arc; where impacts accumulate make all arcs, so that the time of accumulation is known. */
static ss_status start(const ss_exact *x, oscillator *o)
{
    bool accumulate = o->f < 0 && (o->floor.e < 1 || o->z > 0);
    const arc first = { .y = o->floor.gap, .w = o->floor.speed }; /* on the floor and falling: it ends at once */
    SS_PUSH(x->ctx, o->arc, o->arcs, o->capacity, first);
    while (accumulate && !o->complete) {
        if (o->arcs == LONGEST_FALL) {
            return ss_exact_refuse(x, "expected rest after less than %d impacts, e = %g is too near 1", LONGEST_FALL, o->floor.e);
        }
        SS_TRY(add_arc(x, o));
    }
    return SS_OK;
}

/* ---- the model ------------------------------------------------------------------------------------ */

/* the spring, and where its far end is seen from the body: d = x n at t = 0 */
static ss_status take_spring(const ss_exact *x, const ss_over_floor *o, double *along)
{
    const ss_model *m = x->model;
    const ss_force *s = &m->force[0];
    const char *type = s->type->info.name;
    int end = s->at[0].body == o->body ? 0 : 1, other = s->at[1 - end].body;
    if (strcmp(type, "spring") != 0 && strcmp(type, "spring_damper") != 0) {
        return ss_exact_refuse(x, "expected a spring or a spring_damper, found a force of type %s", type);
    }
    if (other < m->bodies && m->body_type[other] != SS_BODY_FIXED) {
        return ss_exact_refuse(x, "expected the spring to end at the world or at a fixed body");
    }
    ss_frame far = other < m->bodies ? m->body_frame0[other] : ss_frame_identity();
    ss_vec3 d =
        ss_sub(ss_point_to_world(m->body_frame0[o->body], s->at[end].point), ss_point_to_world(far, s->at[1 - end].point));
    *along = ss_dot(d, o->normal);
    if (ss_norm(ss_axpy(-*along, o->normal, d)) > SS_TOL_EXACT * ss_norm(d)) {
        return ss_exact_refuse(x, "expected the spring along the normal of the half space");
    }
    return SS_OK;
}

/* with a rest length, the spring must keep its direction for all y that the energy allows about the point of rest */
static ss_status check_direction(const ss_exact *x, const oscillator *o, double along)
{
    double rest = o->f / o->o2, reach = hypot(o->floor.gap - rest, o->floor.speed / sqrt(o->o2));
    double shift = along - o->floor.gap, low = fmax(0, rest - reach) + shift, high = rest + reach + shift;
    if (x->model->force[0].length > 0 && !(along > 0 ? low > 0 : high < 0)) {
        return ss_exact_refuse(
            x, "expected a spring whose ends never pass each other, its length along the normal may go from %g to %g", low, high);
    }
    return SS_OK;
}

static ss_status take_model(const ss_exact *x, oscillator *o)
{
    const ss_model *m = x->model;
    const ss_force *s = &m->force[0];
    double mass, along = 0;
    SS_TRY(ss_over_floor_take(x, 1, &o->floor));
    if (m->body_type[o->floor.body] != SS_BODY_PARTICLE) {
        return ss_exact_refuse(x, "expected a particle");
    }
    if (ss_norm(o->floor.slip) + ss_norm(o->floor.drift) > 0) {
        return ss_exact_refuse(x, "expected velocity and gravity along the normal only");
    }
    SS_TRY(take_spring(x, &o->floor, &along));
    if (!(s->stiffness > 0)) {
        return ss_exact_refuse(x, "expected a stiffness above 0, got %g", s->stiffness);
    }
    mass = m->body_mass[o->floor.body];
    o->z = s->damping > 0 ? 0.5 * s->damping / mass : 0;
    o->o2 = s->stiffness / mass;
    o->f = o->o2 * (copysign(s->length, along) - along + o->floor.gap) - o->floor.pull;
    o->wave = o->o2 > o->z * o->z;
    o->turn = sqrt(fabs(o->o2 - o->z * o->z));
    o->fade = o->o2 / (o->z + o->turn);
    o->slow = 8 * DBL_EPSILON * (fabs(o->floor.speed) + sqrt(o->o2) * (o->floor.gap + fabs(o->f) / o->o2));
    return check_direction(x, o, along);
}

/* ---- the solution --------------------------------------------------------------------------------- */

static ss_status create(ss_exact *x, void **data)
{
    oscillator *o;
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *o, &o));
    *data = o;
    SS_TRY(take_model(x, o));
    return start(x, o);
}

static void destroy(ss_context *ctx, void *data)
{
    oscillator *o = data;
    ss_free(ctx, o->arc);
}

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    oscillator *o = x->data;
    const ss_vec3 zero = { 0, 0, 0 };
    const arc *after;
    double y, w;
    SS_TRY(extend_beyond(x, o, t));
    const arc *now = find_arc(o, t, side >= 0, &after);
    arc_at(o, now, t - now->t, &y, &w);
    if (side < 0 && after && after->t == t) { /* before an impact: its own numbers */
        y = 0;
        w = after->before;
    }
    ss_over_floor_put(x, &o->floor, fmax(0, y), w, zero, zero, q, v);
    return SS_OK;
}

static double next_jump(const ss_exact *x, double t)
{
    const arc *after;
    if (extend_beyond(x, x->data, t) != SS_OK) {
        return INFINITY; /* `at` says why */
    }
    find_arc(x->data, t, true, &after);
    return after ? after->t : INFINITY;
}

/* where the last arc stays on the floor after at least one impact, impacts have accumulated; with f >= 0 they only get weaker */
static double next_kink(const ss_exact *x, double t)
{
    const oscillator *o = x->data;
    const arc *last = &o->arc[o->arcs - 1];
    bool accumulated = o->arcs > 1 && o->floor.e > 0 && o->f < 0 && is_closed(o, last);
    return accumulated && last->t > t ? last->t : INFINITY;
}

const ss_exact_type ss_exact_oscillator = {
    .info = { .name = "oscillator",
              .title = "particle on a spring and a damper that bounces on a floor",
              .reference = "Aca09 11",
              .dimensions = 4 | 8 },
    .create = create,
    .destroy = destroy,
    .at = at,
    .next_jump = next_jump,
    .next_kink = next_kink,
};
