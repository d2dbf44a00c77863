/* hybrid.c - smooth arcs and jumps, kept as knots.
 *
 * Knots are added at the end only, always by the same steps: the answer does not depend on the order of the questions.
 * A state between two knots is one extrapolated step from the first: exact to the rounding of that step.
 *
 * Events. Along a step the guards are looked at in four places; between two of them a guard has an event if it changes
 * sign, or if it has a minimum there (its rate changes sign) that is not positive. The first zero is found by Newton's
 * method within its bracket. A guard that has just fired is zero by definition and its later values are changes from
 * there, so that bounces keep their relative accuracy down to any size; its return is searched from the start, by
 * halving, in the interval where it is first found below zero.
 *
 * An event makes two knots: the state before it, then the state after it, at the same time.
 * Limit: a guard that dips below zero and comes back between two of those places is not seen unless its rate
 * changes sign once. */
#include "math/hybrid.h"
#include <float.h>
#include <math.h>

enum { LOOKS = 4, KNOTS_MAX = 1 << 18, ITERATIONS = 200 };

typedef struct probe {
    double s, g, rate;
} probe;

typedef struct search {
    const ss_hybrid *motion;
    const ss_knot *from;
    int guard;
} search;

static ss_ode equations(const ss_hybrid *m, const ss_knot *from)
{
    ss_ode ode = m->ode;
    ode.mode = from->mode;
    return ode;
}

static probe look(const search *in, double s)
{
    const ss_hybrid *m = in->motion;
    const ss_knot *from = in->from;
    ss_ode ode = equations(m, from);
    double d[SS_ODE_MAX] = { 0 };
    ss_guard_value value = { 0 };
    if (s > 0) {
        ss_ode_step(&ode, from->t, from->y, s, d);
    }
    m->guard(m->ode.user, from->mode, in->guard, from->y, d, &value);
    double start = from->zero >> in->guard & 1 ? 0 : value.start;
    return (probe){ s, start + value.change, value.rate };
}

/* a.g > 0 >= b.g: the zero between them, by Newton's method, by bisection where that leaves the bracket */
static double root(const search *in, probe a, probe b)
{
    probe x = b;
    for (int n = 0; n < ITERATIONS; n++) {
        double s = x.s - x.g / x.rate;
        if (fabs(s - x.s) <= DBL_EPSILON * x.s) {
            break;
        }
        s = s > a.s && s < b.s ? s : 0.5 * (a.s + b.s);
        if (!(s > a.s && s < b.s)) {
            break; /* neighbouring numbers */
        }
        x = look(in, s);
        *(x.g > 0 ? &a : &b) = x;
    }
    return x.s;
}

/* The guard leaves zero at s = 0 with a positive rate and is not positive at b: where it comes back. */
static double return_to_zero(const search *in, probe b)
{
    for (int n = 0; n < ITERATIONS; n++) {
        probe a = look(in, 0.5 * b.s);
        if (a.g > 0) {
            return root(in, a, b);
        }
        b = a;
    }
    return 0;
}

/* Positive at a and at b, falling at a and rising at b: a place between them where it is not positive, or b. */
static probe dip(const search *in, probe a, probe b)
{
    probe right = b;
    for (int n = 0; n < ITERATIONS; n++) {
        if (a.g + a.rate * (right.s - a.s) > 0) {
            return b; /* the tangent at a stays above zero, and the guard above the tangent */
        }
        probe x = look(in, 0.5 * (a.s + right.s));
        if (x.g <= 0) {
            return x;
        }
        if (right.s - a.s <= 4 * DBL_EPSILON * right.s) {
            return b;
        }
        *(x.rate < 0 ? &a : &right) = x;
    }
    return b;
}

/* First zero of the guard in [a, b]; INFINITY: none */
static double crossing(const search *in, probe a, probe b)
{
    if (a.g <= 0 && (a.rate < 0 || (a.rate == 0 && b.g <= 0))) {
        return a.s;
    }
    if (b.g <= 0) {
        return a.g > 0 ? root(in, a, b) : return_to_zero(in, b);
    }
    if (a.rate < 0 && b.rate > 0) {
        probe low = dip(in, a, b);
        return low.g <= 0 ? root(in, a, low) : INFINITY;
    }
    return INFINITY;
}

static double first_zero(const search *in, double h)
{
    probe a = look(in, 0);
    for (int j = 1; j <= LOOKS; j++) {
        probe b = look(in, h * j / LOOKS);
        double s = crossing(in, a, b);
        if (s < INFINITY) {
            return s;
        }
        a = b;
    }
    return INFINITY;
}

/* The first guard to fall to zero within h of the knot, and when; -1: none */
static int first_event(const ss_hybrid *m, const ss_knot *from, double h, double *s)
{
    static const double no_change[SS_ODE_MAX] = { 0 };
    int first = -1;
    *s = INFINITY;
    for (int k = 0; k < m->guards; k++) {
        ss_guard_value value;
        if (m->guard(m->ode.user, from->mode, k, from->y, no_change, &value)) {
            double zero = first_zero(&(search){ m, from, k }, h);
            first = zero < *s ? k : first;
            *s = fmin(*s, zero);
        }
    }
    return first;
}

/* ---- knots ---------------------------------------------------------------------------------- */

static ss_status push_after(ss_context *ctx, ss_hybrid *m, const ss_knot *from, double s, const double *d)
{
    ss_knot next = *from;
    next.t += s;
    next.zero = 0;
    next.kind = SS_KNOT_SMOOTH;
    for (int i = 0; i < m->ode.n; i++) {
        next.y[i] += d[i];
    }
    SS_PUSH(ctx, m->knot, m->knots, m->capacity, next);
    return SS_OK;
}

static ss_status push_event(ss_context *ctx, ss_hybrid *m, int guard)
{
    ss_knot next = m->knot[m->knots - 1];
    next.zero |= 1u << guard;
    next.kind = SS_KNOT_JUMP;
    m->jump(m->ode.user, guard, &next);
    if (next.t > m->knot[m->knots - 1].t) {
        ss_knot held = next;
        held.t = m->knot[m->knots - 1].t;
        held.kind = SS_KNOT_SMOOTH;
        SS_PUSH(ctx, m->knot, m->knots, m->capacity, held);
    }
    SS_PUSH(ctx, m->knot, m->knots, m->capacity, next);
    return SS_OK;
}

/* One more arc: a whole step, or up to the first event in it. */
static ss_status extend(ss_context *ctx, ss_hybrid *m)
{
    ss_knot from = m->knot[m->knots - 1];
    ss_ode ode = equations(m, &from);
    double h = fmin(m->longest, 2 * m->h), s, d[SS_ODE_MAX] = { 0 };
    if (from.mode == SS_MODE_REST) {
        return push_after(ctx, m, &from, INFINITY, d);
    }
    if (m->knots + 3 > KNOTS_MAX) {
        return ss_fail(ctx, SS_ERR_NUMERIC, "the motion has more than %d arcs before t = %g", KNOTS_MAX, from.t);
    }
    SS_TRY(ss_ode_longest_step(ctx, &ode, from.t, from.y, &h, d));
    m->h = h;
    int guard = first_event(m, &from, h, &s);
    if (guard < 0) {
        return push_after(ctx, m, &from, h, d);
    }
    if (s > 0) {
        ss_ode_step(&ode, from.t, from.y, s, d);
        SS_TRY(push_after(ctx, m, &from, s, d));
    }
    return push_event(ctx, m, guard);
}

/* until the last knot lies after t: what happens at t itself is then known too */
static ss_status extend_beyond(ss_context *ctx, ss_hybrid *m, double t)
{
    while (m->knot[m->knots - 1].t <= t) {
        SS_TRY(extend(ctx, m));
    }
    return SS_OK;
}

/* number of knots with time < t, or <= t */
static int knots_before(const ss_hybrid *m, double t, bool or_at)
{
    int lo = 0, hi = m->knots;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        bool in = or_at ? m->knot[mid].t <= t : m->knot[mid].t < t;
        *(in ? &lo : &hi) = in ? mid + 1 : mid;
    }
    return lo;
}

ss_status ss_hybrid_start(ss_context *ctx, ss_hybrid *m, int mode, const double *y)
{
    static const double no_change[SS_ODE_MAX] = { 0 };
    ss_knot first = { .mode = mode };
    memcpy(first.y, y, (size_t)m->ode.n * sizeof *y);
    for (int k = 0; k < m->guards; k++) {
        ss_guard_value value;
        bool watched = m->guard(m->ode.user, mode, k, y, no_change, &value);
        first.zero |= watched && fabs(value.start) <= m->touch ? 1u << k : 0;
    }
    m->h = m->longest;
    SS_PUSH(ctx, m->knot, m->knots, m->capacity, first);
    return SS_OK;
}

void ss_hybrid_free(ss_context *ctx, ss_hybrid *m)
{
    ss_free(ctx, m->knot);
    m->knot = NULL;
    m->knots = m->capacity = 0;
}

ss_status ss_hybrid_at(ss_context *ctx, ss_hybrid *m, double t, int side, double *y, int *mode)
{
    if (!(t >= 0 && t < INFINITY)) {
        return ss_fail(ctx, SS_ERR_INPUT, "t: %g, expected a time >= 0", t);
    }
    if (m->failed) { /* ss_hybrid_next could not say so: what failed there fails here again */
        SS_TRY(extend(ctx, m));
        m->failed = false;
    }
    SS_TRY(extend_beyond(ctx, m, t));
    int before = knots_before(m, t, side >= 0);
    const ss_knot *from = &m->knot[before > 0 ? before - 1 : 0];
    ss_ode ode = equations(m, from);
    double d[SS_ODE_MAX] = { 0 };
    if (t > from->t && from->mode != SS_MODE_REST) {
        ss_ode_step(&ode, from->t, from->y, t - from->t, d);
    }
    for (int i = 0; i < m->ode.n; i++) {
        y[i] = from->y[i] + d[i];
    }
    if (mode) {
        *mode = from->mode;
    }
    return SS_OK;
}

double ss_hybrid_next(ss_context *ctx, ss_hybrid *m, ss_knot_kind kind, double t, double horizon)
{
    for (int k = knots_before(m, t, true);; k++) {
        while (k >= m->knots) {
            if (!(m->knot[m->knots - 1].t <= horizon)) {
                return INFINITY;
            }
            if (extend(ctx, m) != SS_OK) {
                m->failed = true;
                return INFINITY;
            }
        }
        if (m->knot[k].kind == kind && m->knot[k].t > t) {
            return m->knot[k].t;
        }
    }
}
