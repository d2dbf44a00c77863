/* driven_range.c - all places of a driven body in an interval of time.
 *
 * A driven body moves by expressions in t, which may do anything between two times at which they are evaluated. What bounds them
 * is their range (ss_expr_range), the union of those of PARTS parts of the interval. Where a range is not known, as at a pole
 * that rounding may reach, the values at the ends of the parts stand in its place, with as much on both sides as neighbours
 * differ.
 *
 * Cost   PARTS evaluations with ranges of every expression that names t */
#include "math/expr.h"
#include "math/worse.h"
#include "model/model.h"
#include <math.h>

enum { PARTS = 4 };

static void include(double y[2], double lo, double hi)
{
    y[0] = fmin(y[0], lo);
    y[1] = fmax(y[1], hi);
}

/* the range as far as a few values show it */
static void sample(const ss_expr *x, double from, double to, double y[2])
{
    double before = ss_expr_eval(x, from), step = 0;
    y[0] = y[1] = before;
    for (int k = 1; k <= PARTS; k++) {
        const double now = ss_expr_eval(x, from + (to - from) * k / PARTS);
        include(y, now, now);
        step = ss_worse(step, fabs(now - before));
        before = now;
    }
    include(y, y[0] - step, y[1] + step);
}

static void find_range(const ss_expr *x, double from, double to, double y[2])
{
    y[0] = INFINITY;
    y[1] = -INFINITY;
    const int parts = from < to ? PARTS : 1;
    for (int k = 0; k < parts; k++) {
        double part[2];
        ss_expr_range(x, from + (to - from) * k / parts, from + (to - from) * (k + 1) / parts, part);
        include(y, part[0], part[1]);
    }
    if (!isfinite(y[1] - y[0])) {
        sample(x, from, to, y);
    }
}

void ss_model_driven_range(const ss_model *m, int body, double from, double to, ss_driven_range *out)
{
    double start[SS_DRIVEN_NUMBERS] = { 0 };
    ss_v3_to(m->body_frame0[body].p, start);
    for (int k = 0; k < SS_DRIVEN_NUMBERS; k++) {
        const ss_expr *x = k == SS_DRIVEN_ANGLE ? m->body_motion_angle[body] : m->body_motion[body][k];
        double y[2] = { start[k], start[k] };
        if (x && !ss_expr_is_constant(x)) {
            find_range(x, from, to, y);
        }
        out->lo[k] = y[0];
        out->hi[k] = y[1];
    }
}
