/* projectile.c - a particle thrown over a rough floor: it flies, lands, slides and stops, or slides down for ever.
 *
 *   flight    x'' = g until the gap closes at T with the normal speed u
 *   landing   w+ = 0,  s'+ = s'- max(0, 1 - mu u / |s'-|)           Coulomb's law for the impulses, e = 0
 *   sliding   s'' = g_T - mu a s'/|s'|,  until s' = 0; then rest if |g_T| <= mu a, else from rest down the floor
 *
 * Reference   [Ani06 section 10.1, first example]
 * Symbols     s the way along the floor, w the rate of the gap, g = -a n + g_T, m = mu a, V the speed after landing
 * Straight    where s' is along g_T, or one of m, g_T is zero, the acceleration is constant.
 * Curved      (3D) with k = m / |g_T|, phi the angle of s' with g_T, V and phi_0 those after landing, c = cos(phi_0 / 2),
 *             b = sin(phi_0 / 2), the hodograph is known in the parameter p = log(tan(phi_0/2) / tan(phi/2)) >= 0:
 *               s' . g_T/|g_T| = V (c^2 e^((1-k)p) - b^2 e^(-(1+k)p)),   across: 2 V c b e^(-kp),
 *               time  = V/|g_T| (c^2 E(k-1) + b^2 E(k+1)),                    E(j) = (1 - e^(-jp)) / j,
 *               way   = V^2/|g_T| (c^4 E(2k-2) - b^4 E(2k+2)),    across: 2 V^2/|g_T| c b (c^2 E(2k-1) + b^2 E(2k+1)).
 *             The time is inverted for p; it ends at a finite time (p infinite) if k > 1. */
#include "exact/bracket.h"
#include "exact/over_floor.h"

#include <float.h>
#include <math.h>

typedef struct slide {
    ss_vec3 start; /* velocity after landing                                     */
    ss_vec3 pull;  /* acceleration, if it is straight                            */
    ss_vec3 later; /* acceleration after the stop                                */
    double stop;   /* time from landing; INFINITY: never                         */
    bool curved;
    double speed, g, k, c, b; /* V, |g_T|, k, cos and sin of half the angle                  */
    ss_vec3 down, across;     /* unit: along g_T, and across on the side of the motion       */
} slide;

typedef struct projectile {
    ss_over_floor floor;
    ss_fall fall;
    slide slide;
} projectile;

/* ---- curved slide -------------------------------------------------------------------------------- */

static double decayed(double j, double p) { return j == 0 ? p : -expm1(-j * p) / j; } /* E(j) */

static double time_at(const slide *s, double p)
{
    return s->speed / s->g * (s->c * s->c * decayed(s->k - 1, p) + s->b * s->b * decayed(s->k + 1, p));
}

static ss_vec3 curved_velocity(const slide *s, double p)
{
    double down = s->c * s->c * exp((1 - s->k) * p) - s->b * s->b * exp(-(1 + s->k) * p);
    double across = 2 * s->c * s->b * exp(-s->k * p);
    return ss_scale(s->speed, ss_axpy(across, s->across, ss_scale(down, s->down)));
}

static ss_vec3 curved_way(const slide *s, double p)
{
    double c2 = s->c * s->c, b2 = s->b * s->b, k = s->k;
    double down = c2 * c2 * decayed(2 * k - 2, p) - b2 * b2 * decayed(2 * k + 2, p);
    double across = 2 * s->c * s->b * (c2 * decayed(2 * k - 1, p) + b2 * decayed(2 * k + 1, p));
    return ss_scale(s->speed * s->speed / s->g, ss_axpy(across, s->across, ss_scale(down, s->down)));
}

typedef struct wanted {
    const slide *slide;
    double time;
} wanted;

static double time_left(const void *user, double p, double *slope)
{
    const wanted *w = user;
    *slope = ss_norm(curved_velocity(w->slide, p)) / w->slide->g;
    return time_at(w->slide, p) - w->time;
}

/* p at this time after landing, before the stop */
static double parameter_at(const slide *s, double time)
{
    wanted w = { s, time };
    double hi = 1;
    while (time_at(s, hi) < time) {
        hi *= 2;
    }
    return ss_bracket_root(time_left, &w, 0, hi, time * s->g / s->speed);
}

/* ---- any slide ------------------------------------------------------------------------------------ */

static void make_curved(slide *s, ss_vec3 along, ss_vec3 drift)
{
    double cosine;
    s->curved = true;
    s->down = ss_scale(1 / s->g, drift);
    cosine = ss_dot(along, s->down);
    s->across = ss_unit(ss_axpy(-cosine, s->down, along));
    double angle = atan2(ss_dot(along, s->across), cosine);
    s->c = cos(0.5 * angle);
    s->b = sin(0.5 * angle);
    s->stop = s->k > 1 ? time_at(s, INFINITY) : INFINITY;
}

/* friction: mu a */
static slide slide_from(ss_vec3 start, ss_vec3 drift, double friction)
{
    slide s = { .start = start, .stop = INFINITY, .speed = ss_norm(start), .g = ss_norm(drift) };
    ss_vec3 along = ss_unit(start);
    s.k = s.g > 0 ? friction / s.g : INFINITY;
    s.later = s.k < 1 ? ss_scale(1 - s.k, drift) : ss_v3(0, 0, 0);
    if (s.speed == 0) {
        s.stop = 0;
    } else if (friction > 0 && ss_norm(ss_cross(along, drift)) > 32 * DBL_EPSILON * s.g) {
        make_curved(&s, along, drift);
    } else {
        s.pull = ss_axpy(-friction, along, drift);
        double rate = ss_dot(s.pull, along);
        s.stop = friction > 0 && rate < 0 ? -s.speed / rate : INFINITY;
    }
    return s;
}

/* until the stop */
static void slide_moving(const slide *s, double time, ss_vec3 *way, ss_vec3 *velocity)
{
    if (s->curved) {
        double p = time < s->stop ? parameter_at(s, time) : INFINITY;
        *way = curved_way(s, p);
        *velocity = curved_velocity(s, p);
    } else {
        *way = ss_scale(time, ss_axpy(0.5 * time, s->pull, s->start));
        *velocity = ss_axpy(time, s->pull, s->start);
    }
}

static void slide_at(const slide *s, double time, ss_vec3 *way, ss_vec3 *velocity)
{
    double past = time - s->stop;
    slide_moving(s, fmin(time, s->stop), way, velocity);
    if (past >= 0) {
        *way = ss_axpy(0.5 * past * past, s->later, *way);
        *velocity = ss_scale(past, s->later);
    }
}

/* ---- the solution --------------------------------------------------------------------------------- */

static void fly(const projectile *p, double t, ss_vec3 *way, ss_vec3 *slip)
{
    *way = ss_scale(t, ss_axpy(0.5 * t, p->floor.drift, p->floor.slip));
    *slip = ss_axpy(t, p->floor.drift, p->floor.slip);
}

/* the velocity along the floor that an impulse of at most mu u leaves */
static ss_vec3 land(const projectile *p)
{
    ss_vec3 way, slip;
    fly(p, p->fall.end, &way, &slip);
    double impulse = p->floor.mu * p->fall.hit, size = ss_norm(slip);
    return impulse < size ? ss_scale(1 - impulse / size, slip) : ss_v3(0, 0, 0);
}

static ss_status create(ss_exact *x, void **data)
{
    projectile *p;
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *p, &p));
    *data = p;
    SS_TRY(ss_over_floor_take_falling(x, &p->floor));
    if (x->model->body_type[p->floor.body] != SS_BODY_PARTICLE) {
        return ss_exact_refuse(x, "expected a particle, which friction cannot turn");
    }
    if (p->floor.e > 0) {
        return ss_exact_refuse(x, "expected e = 0, got %g", p->floor.e);
    }
    p->fall = ss_fall_from(&p->floor);
    p->slide = slide_from(land(p), p->floor.drift, p->floor.mu * p->floor.pull);
    return SS_OK;
}

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    const projectile *p = x->data;
    double y = 0, w = 0;
    ss_vec3 way, slip;
    if (t < p->fall.end || (t == p->fall.end && side < 0)) {
        ss_fall_at(&p->fall, t, &y, &w);
        fly(p, t, &way, &slip);
    } else {
        ss_vec3 landed, before;
        fly(p, p->fall.end, &landed, &before);
        slide_at(&p->slide, t - p->fall.end, &way, &slip);
        way = ss_add(landed, way);
    }
    ss_over_floor_put(x, &p->floor, y, w, way, slip, q, v);
    return SS_OK;
}

static double next_jump(const ss_exact *x, double t)
{
    const projectile *p = x->data;
    return p->fall.hit > 0 && p->fall.end > t ? p->fall.end : INFINITY;
}

static double next_kink(const ss_exact *x, double t)
{
    const projectile *p = x->data;
    double stop = p->fall.end + p->slide.stop;
    return p->slide.stop > 0 && stop > t ? stop : INFINITY;
}

const ss_exact_type ss_exact_projectile = {
    .info = { .name = "projectile",
              .title = "particle that lands on a rough floor, slides and stops",
              .reference = "Ani06 10.1",
              .laws = SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED, /* convex schemes have the same limit */
              .dimensions = 4 | 8 },
    .create = create,
    .at = at,
    .next_jump = next_jump,
    .next_kink = next_kink,
};
