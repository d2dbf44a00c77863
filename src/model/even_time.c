/* even_time.c - how long a substep may be in which driven bodies move evenly.
 *
 * A substep takes a driven body by its mean velocity. That says nothing of one that stands still and then leaps, or comes back
 * within the substep. So substeps are halved until the motion x(t) of every driven body stays near its chord c(t):
 *
 *     |x - c|  <=  SS_TOL_EVEN (its thickness + that of the thinnest free shape)           angles: times the radius of its shapes
 *
 * What x does in a part of the substep lies in its range there (ss_expr_range). A part whose range goes beyond the chord by more
 * than that is bisected, until a value is found that does, or no such part is left. Ranges may be too wide: where more than
 * MOST_PARTS are left, and none of all their values is off the chord, the motion is taken to be even.
 *
 * Cost   one range per expression where the motion is even at once; else up to a few times MOST_PARTS */
#include "base/tolerances.h"
#include "math/expr.h"
#include "model/model.h"
#include <math.h>

enum { HALVINGS = 48, MOST_PARTS = 128 };

/* The chord of an expression over [t, t + h], and how far it may be left. */
typedef struct chord {
    const ss_expr *x;
    double t, h, from, to, allowed;
} chord;

static double on_chord(const chord *c, double s) { return c->from + (c->to - c->from) * s; }

/* by how much [lo, hi] goes beyond the chord between s and s + ds, in parts of h; NaN, where nothing is known, is none */
static double beyond(const chord *c, double lo, double hi, double s, double ds)
{
    const double a = on_chord(c, s), b = on_chord(c, s + ds), off = fmax(hi - fmax(a, b), fmin(a, b) - lo);
    return isfinite(off) ? off : 0;
}

static bool may_leave(const chord *c, double s, double ds)
{
    double y[2];
    ss_expr_range(c->x, c->t + c->h * s, c->t + c->h * (s + ds), y);
    return beyond(c, y[0], y[1], s, ds) > c->allowed;
}

static bool leaves(const chord *c, double s)
{
    const double y = ss_expr_eval(c->x, c->t + c->h * s);
    return beyond(c, y, y, s, 0) > c->allowed;
}

/* Bisect the parts that may leave the chord; false: one of them does, halfway. */
static bool bisect(const chord *c, double size, int *parts, double *part)
{
    double next[2 * MOST_PARTS];
    int n = 0;
    for (int k = 0; k < *parts; k++) {
        if (leaves(c, part[k] + 0.5 * size)) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            const double s = part[k] + 0.5 * i * size;
            next[n] = s;
            n += may_leave(c, s, 0.5 * size);
        }
    }
    memcpy(part, next, (size_t)n * sizeof *part);
    *parts = n;
    return true;
}

static bool is_even(const ss_expr *x, double t, double h, double allowed)
{
    const chord c = { x, t, h, ss_expr_eval(x, t), ss_expr_eval(x, t + h), allowed };
    const double ways = fabs(c.to - c.from) / allowed; /* in a part the chord moves by no more than it may be left */
    double part[2 * MOST_PARTS], size = 1 / fmin(fmax(ceil(ways), 1), MOST_PARTS);
    int parts = 0;
    for (int k = 0; k * size < 1 - 0.5 * size; k++) {
        part[parts] = k * size;
        parts += may_leave(&c, k * size, size);
    }
    for (; parts > 0 && parts <= MOST_PARTS; size *= 0.5) {
        if (!bisect(&c, size, &parts, part)) {
            return false;
        }
    }
    return true;
}

/* ---- the driven bodies of a model ----------------------------------------------------------------------- */

static double thinnest_free(const ss_model *m)
{
    double least = INFINITY;
    for (int s = 0; s < m->shapes; s++) {
        least = ss_model_is_dynamic(m, m->shape_body[s]) ? fmin(least, m->shape_thickness[s]) : least;
    }
    return least;
}

/* h, halved until this expression is even; NULL: it is */
static double fit(const ss_expr *x, double t, double h, double allowed)
{
    for (int k = 0; x && !ss_expr_is_constant(x) && k < HALVINGS && !is_even(x, t, h, allowed); k++) {
        h *= 0.5;
    }
    return h;
}

/* The same for a body with one of its shapes. */
static double fit_shape(const ss_model *m, int body, const ss_shape *shape, double free, double t, double h)
{
    const double thick = ss_shape_thickness(shape), radius = ss_shape_radius(shape), own = isfinite(thick) ? thick : 0,
                 allowed = SS_TOL_EVEN * (own + free > 0 ? own + free : m->length);
    for (int k = 0; k < 3; k++) {
        h = fit(m->body_motion[body][k], t, h, allowed);
    }
    return fit(m->body_motion_angle[body], t, h, allowed / (isfinite(radius) ? fmax(radius, own) : m->length));
}

double ss_model_even_time(const ss_model *m, double t, double h)
{
    double free = -1;
    for (int b = 0; b < m->bodies; b++) {
        for (int s = m->shape_start[b]; m->body_type[b] == SS_BODY_DRIVEN && s < m->shape_start[b + 1]; s++) {
            free = free < 0 ? thinnest_free(m) : free;
            h = isfinite(free) ? fit_shape(m, b, &m->shape[s], free, t, h) : h;
        }
    }
    return h;
}
