/* coulomb.c - slip along a line under dry friction, in closed form.
 *
 * A slip to the side s is smooth: with a = pull - s grip, b = omega t0 + phase, x = omega tau, tau = t - t0,
 *     u = u0 + a tau + swing tau (sin b c1(x) + cos b x c2(x))
 *     y = y0 + u0 tau + a tau^2 / 2 + swing tau^2 (sin b c2(x) + cos b x c3(x))
 *     c1 = sin x / x,  c2 = (1 - cos x) / x^2,  c3 = (x - sin x) / x^3
 * which lose no digits for small x. It ends at the first zero of w = s u. As w' = G + B sin(omega t + phase), G = s pull - grip,
 * B = s swing, the minima of w lie at one angle of every period and are lower by |G| 2 pi / omega from one to the next (or
 * never lower, G >= 0): the zero lies before the first minimum that is not positive and after the maximum before it, where
 * w falls. Stick ends at the first angle at which pull + swing sin(..) rises through grip, or falls through -grip.
 *
 * Accurate to a few units of round-off of y, u and t. */
#include "exact/coulomb.h"

#include "exact/bracket.h"
#include <math.h>

enum { MOST_PHASES = 100000 };
static const double full_turn = 6.28318530717958648;
/* angles (rad) closer than this are the same but for rounding: a slip over so small an angle moves by its cube, about 1e-24 */
static const double same_angle = 1e-8;

/* ---- one slip ------------------------------------------------------------------------------------ */

static double c1(double x) { return x == 0 ? 1 : sin(x) / x; }

static double c2(double x)
{
    double s = c1(0.5 * x);
    return 0.5 * s * s;
}

/* the series has alternating terms; from the ninth on they are below round-off for |x| < 1 */
static double c3(double x)
{
    double term = 1.0 / 6, sum = 0;
    if (fabs(x) >= 1) {
        return (x - sin(x)) / (x * x * x);
    }
    for (int k = 1; k < 10; k++) {
        sum += term;
        term *= -x * x / ((2 * k + 2) * (2 * k + 3));
    }
    return sum;
}

static double angle_at(const ss_coulomb *c, double t) { return c->omega * t + c->phase; }

static double drive_at(const ss_coulomb *c, double t) { return c->pull + c->swing * sin(angle_at(c, t)); }

static double speed_after(const ss_coulomb *c, const ss_coulomb_phase *p, double tau)
{
    double b = angle_at(c, p->t), x = c->omega * tau;
    return p->u + (c->pull - p->side * c->grip) * tau + c->swing * tau * (sin(b) * c1(x) + cos(b) * x * c2(x));
}

static double place_after(const ss_coulomb *c, const ss_coulomb_phase *p, double tau)
{
    double b = angle_at(c, p->t), x = c->omega * tau;
    return p->y +
           tau * (p->u + 0.5 * (c->pull - p->side * c->grip) * tau + c->swing * tau * (sin(b) * c2(x) + cos(b) * x * c3(x)));
}

/* ---- when it ends -------------------------------------------------------------------------------- */

/* angle in [0, 2 pi) */
static double turned(double angle)
{
    double rest = fmod(angle, full_turn);
    return rest < 0 ? rest + full_turn : rest;
}

/* where G + B sin(angle) rises through zero; |G| < |B| */
static double rising_angle(double G, double B)
{
    double a = asin(-G / B);
    return B > 0 ? a : 0.5 * full_turn - a;
}

typedef struct slip {
    const ss_coulomb *c;
    const ss_coulomb_phase *p;
} slip;

/* w at tau after the slip began, and its slope */
static double forward_speed(const void *user, double tau, double *slope)
{
    const slip *s = user;
    *slope = s->p->side * drive_at(s->c, s->p->t + tau) - s->c->grip;
    return s->p->side * speed_after(s->c, s->p, tau);
}

/* zero of w between lo, where w >= 0, and hi, where w <= 0 but for rounding */
static double zero_between(const ss_coulomb *c, const ss_coulomb_phase *p, double lo, double hi)
{
    const slip s = { c, p };
    return ss_bracket_root(forward_speed, &s, lo, hi, 0.5 * (lo + hi));
}

/* how long a slip lasts whose w' changes its sign */
static double swinging_duration(const ss_coulomb *c, const ss_coulomb_phase *p, double G, double B)
{
    double period = full_turn / c->omega, rising = rising_angle(G, B);
    double ahead = turned(rising - angle_at(c, p->t)), falling = turned(2 * rising - 0.5 * full_turn);
    if (p->u == 0 && ahead < same_angle) {
        ahead = full_turn; /* it begins at a minimum */
    }
    double lowest = ahead / c->omega, w = p->side * speed_after(c, p, lowest);
    if (w > 0 && G >= 0) {
        return INFINITY;
    }
    if (w > 0) {
        lowest += period * ceil(w / (-G * period));
    }
    return zero_between(c, p, fmax(0, lowest - falling / c->omega), lowest);
}

static double slip_duration(const ss_coulomb *c, const ss_coulomb_phase *p)
{
    double G = p->side * c->pull - c->grip, B = p->side * c->swing, w = p->side * p->u;
    if (c->grip == 0) {
        return INFINITY; /* nothing changes when u passes zero */
    }
    if (fabs(G) < fabs(B)) {
        return swinging_duration(c, p, G, B);
    }
    if (G >= 0) {
        return INFINITY;
    }
    return B == 0 ? w / -G : zero_between(c, p, 0, (w + 2 * fabs(B) / c->omega) / -G);
}

/* how long it takes until the pull exceeds the grip to one side */
static double stick_duration(const ss_coulomb *c, double t, int side)
{
    double G = side * c->pull - c->grip, B = side * c->swing;
    if (fabs(G) >= fabs(B)) {
        return INFINITY;
    }
    double ahead = turned(rising_angle(G, B) - angle_at(c, t));
    return ahead > full_turn - same_angle ? 0 : ahead / c->omega;
}

/* ---- phases -------------------------------------------------------------------------------------- */

static int side_of(double x) { return (x > 0) - (x < 0); }

static int side_from_rest(const ss_coulomb *c, double t)
{
    double drive = drive_at(c, t);
    return fabs(drive) > c->grip ? side_of(drive) : 0;
}

static ss_coulomb_phase first_phase(const ss_coulomb *c)
{
    ss_coulomb_phase p = { .u = c->speed, .side = side_of(c->speed) };
    if (p.u == 0) {
        p.side = c->grip == 0 ? 1 : side_from_rest(c, 0);
    }
    return p;
}

static ss_coulomb_phase after_stick(const ss_coulomb *c, const ss_coulomb_phase *p)
{
    double up = stick_duration(c, p->t, 1), down = stick_duration(c, p->t, -1);
    return (ss_coulomb_phase){ .t = p->t + fmin(up, down), .y = p->y, .side = up < down ? 1 : -1 };
}

/* a slip that ends when it begins is caused by rounding at the limit of stick: the next phase is stick */
static ss_coulomb_phase after_slip(const ss_coulomb *c, const ss_coulomb_phase *p)
{
    double tau = slip_duration(c, p);
    ss_coulomb_phase next = { .t = p->t + tau };
    if (isfinite(next.t)) {
        next.y = place_after(c, p, tau);
        next.side = next.t > p->t ? side_from_rest(c, next.t) : 0;
    }
    return next;
}

static ss_coulomb_phase phase_after(const ss_coulomb *c, const ss_coulomb_phase *p)
{
    return p->side ? after_slip(c, p) : after_stick(c, p);
}

/* sin(-w t + f) is -sin(w t - f); a force that does not swing is part of the pull */
static void tidy(ss_coulomb *c)
{
    if (c->omega < 0) {
        c->swing = -c->swing;
        c->omega = -c->omega;
        c->phase = -c->phase;
    }
    if (c->omega == 0) {
        c->pull += c->swing * sin(c->phase);
        c->swing = 0;
    }
}

ss_status ss_coulomb_prepare(ss_context *ctx, double until, ss_coulomb *c)
{
    tidy(c);
    ss_coulomb_phase p = first_phase(c);
    do {
        if (c->count == MOST_PHASES) {
            return ss_fail(ctx, SS_ERR_INPUT, "slip begins or ends more than %d times until t = %g", MOST_PHASES, until);
        }
        SS_PUSH(ctx, c->list, c->count, c->capacity, p);
        p = phase_after(c, &p);
    } while (p.t <= until);
    return SS_OK;
}

void ss_coulomb_free(ss_context *ctx, ss_coulomb *c) { ss_free(ctx, c->list); }

/* the last phase of the list that has begun at t */
static ss_coulomb_phase listed_at(const ss_coulomb *c, double t)
{
    int lo = 0, hi = c->count;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        *(c->list[mid].t <= t ? &lo : &hi) = mid;
    }
    return c->list[lo];
}

/* the phase at t and the one after it; false: too far from the list */
static bool phases_at(const ss_coulomb *c, double t, ss_coulomb_phase *now, ss_coulomb_phase *next)
{
    *now = listed_at(c, t);
    *next = phase_after(c, now);
    for (int n = 0; next->t <= t && n < MOST_PHASES; n++) {
        *now = *next;
        *next = phase_after(c, now);
    }
    return next->t > t;
}

ss_status ss_coulomb_at(ss_context *ctx, const ss_coulomb *c, double t, double *y, double *u)
{
    ss_coulomb_phase p, next;
    if (!phases_at(c, t, &p, &next)) {
        return ss_fail(ctx, SS_ERR_INPUT, "slip begins or ends more than %d times until t = %g", MOST_PHASES, t);
    }
    *y = p.side ? place_after(c, &p, t - p.t) : p.y;
    *u = p.side ? speed_after(c, &p, t - p.t) : 0;
    return SS_OK;
}

double ss_coulomb_next(const ss_coulomb *c, double t)
{
    ss_coulomb_phase p, next;
    return phases_at(c, t, &p, &next) ? next.t : INFINITY;
}
