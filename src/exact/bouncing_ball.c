/* bouncing_ball.c - a point or a ball without spin that bounces on a floor under gravity, to rest or for ever.
 *
 *   y'' = -a,  y >= 0,  w+ = -e w-;   impacts at  T_n = T_1 + d (e + e^2 + ... + e^(n-1)),  d = 2 u / a,
 *   after the n-th:  speed u e^n,  a flight of d e^n;   they accumulate at  T_1 + d e / (1 - e),  then y = 0
 *
 * Reference   [Aca09 eq. 10] for a = 2, e = 1/2, y0 = 1; its second branch is misprinted: with the constant -2^(1-2n) it is this.
 * Symbols     y the gap, w = y', u the speed before the first impact, n the number of impacts so far
 * Along       the floor it moves freely, which friction would change: with mu > 0 only motion along the normal is known.
 * Accuracy    round-off of t for every e in [0,1]: the number of impacts comes from a logarithm, and a flight is counted from
 *             its nearer end. Flights too short to be told apart at their time (RESOLUTION) are at rest; with e nearer
 *             to 1 than 1e-14 it would still be fast then, and such a time is refused. */
#include "exact/over_floor.h"

#include <float.h>
#include <math.h>

static const double RESOLUTION = 16 * DBL_EPSILON; /* shortest flight, relative to the time of it */

typedef struct ball {
    ss_over_floor floor;
    ss_fall fall;
    double e, log_e;
    double flight; /* d                                                     */
    double last;   /* number of the impact after which it is at rest        */
    double end;    /* accumulation; INFINITY: e = 1                          */
} ball;

/* e + e^2 + ... + e^k */
static double series(const ball *b, double k)
{
    if (k == 0 || b->e == 1) {
        return k;
    }
    return b->e * (-expm1(k * b->log_e) / (1 - b->e));
}

static double impact_time(const ball *b, double n) { return b->fall.end + b->flight * series(b, n - 1); }

/* the least n with  e^n <= RESOLUTION (e + ... + e^n) */
static double last_told_apart(double e, double log_e)
{
    return e < 1 ? ceil(1 - log1p((1 - e) * (1 / RESOLUTION - 1)) / log_e) : floor(1 / RESOLUTION);
}

/* ---- which flight --------------------------------------------------------------------------------- */

/* from  T_n <= t, solved for n; right to one or two */
static double guess_impacts(const ball *b, double t)
{
    double k = (t - b->fall.end) / b->flight;
    if (k < 0) {
        return 0;
    }
    if (b->e < 1) {
        double part = k * (1 - b->e) / b->e;
        k = part < 1 ? log1p(-part) / b->log_e : b->last;
    }
    return fmin(1 + floor(k), b->last);
}

/* impacts before t, or with that at t */
static double count_impacts(const ball *b, double t, bool with)
{
    double n = b->last > 0 ? guess_impacts(b, t) : 0;
    while (n < b->last && (with ? impact_time(b, n + 1) <= t : impact_time(b, n + 1) < t)) {
        n++;
    }
    while (n > 0 && (with ? impact_time(b, n) > t : impact_time(b, n) >= t)) {
        n--;
    }
    return n;
}

/* ---- the solution --------------------------------------------------------------------------------- */

static ss_status create(ss_exact *x, void **data)
{
    ball *b;
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *b, &b));
    *data = b;
    SS_TRY(ss_over_floor_take_falling(x, &b->floor));
    if (b->floor.mu > 0 && ss_norm(b->floor.slip) + ss_norm(b->floor.drift) > 0) {
        return ss_exact_refuse(x, "with friction (mu = %g) expected motion along the normal only", b->floor.mu);
    }
    b->fall = ss_fall_from(&b->floor);
    b->e = b->floor.e;
    b->log_e = log(b->e);
    b->flight = 2 * b->fall.hit / b->fall.pull;
    b->last = b->fall.hit > 0 ? last_told_apart(b->e, b->log_e) : 0;
    b->end = b->e < 1 ? b->fall.end + b->flight * (b->e / (1 - b->e)) : INFINITY;
    return SS_OK;
}

/* between impacts n and n + 1, counted from the nearer one */
static void flight_at(const ball *b, double n, double t, double *y, double *w)
{
    double after = t - impact_time(b, n), left = impact_time(b, n + 1) - t, s = fmin(after, left);
    double up = b->fall.hit * exp(n * b->log_e);
    *y = fmax(0, s * (up - 0.5 * b->fall.pull * s));
    *w = after < left ? up - b->fall.pull * s : b->fall.pull * s - up;
}

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    const ball *b = x->data;
    const ss_over_floor *o = &b->floor;
    double n = count_impacts(b, t, side >= 0), y = 0, w = 0;
    if (n == b->last && b->last > 0 && n * b->log_e > -1) {
        return ss_exact_refuse(x, "with e = %.17g the impacts can no longer be told apart at t = %g", b->e, t);
    }
    if (n < b->last) {
        if (n == 0) {
            ss_fall_at(&b->fall, t, &y, &w);
        } else {
            flight_at(b, n, t, &y, &w);
        }
    }
    ss_vec3 slip = ss_axpy(t, o->drift, o->slip), mean = ss_axpy(0.5 * t, o->drift, o->slip);
    ss_over_floor_put(x, o, y, w, ss_scale(t, mean), slip, q, v);
    return SS_OK;
}

static double next_jump(const ss_exact *x, double t)
{
    const ball *b = x->data;
    double n = count_impacts(b, t, true) + 1;
    return n <= b->last ? impact_time(b, n) : INFINITY;
}

static double next_kink(const ss_exact *x, double t)
{
    const ball *b = x->data;
    return b->last > 1 && b->end > t ? b->end : INFINITY;
}

const ss_exact_type ss_exact_bouncing_ball = {
    .info = { .name = "bouncing_ball",
              .title = "point or ball that bounces on a floor, impacts accumulate",
              .reference = "Aca09 10",
              .dimensions = 4 | 8 },
    .create = create,
    .at = at,
    .next_jump = next_jump,
    .next_kink = next_kink,
};
