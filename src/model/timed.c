/* timed.c - functions of time in a scene, and how long a step may be that follows them.
 *
 * Forces, motors and driven motions may depend on time. A body that rests while its force goes through a whole period is at rest
 * at both ends of a step of that length. So a step is no longer than half a period of a sinusoid, and no longer than a
 * piece of an expression on which SAMPLES + 1 of its values, equally spaced, lie on a curve:
 *
 *     max |f_(k+1) - 2 f_k + f_(k-1)|  <=  BEND (max f - min f)
 *
 * A sinusoid satisfies it up to about two thirds of a period. An expression that is about zero but for a time much shorter than
 * the step is not seen.
 *
 * Cost   a few times SAMPLES values of every expression */
#include "math/expr.h"
#include "math/worse.h"
#include "model/model.h"
#include <math.h>

enum { SAMPLES = 8 };
static const double BEND = 0.15;
static const double ROUNDING = 1e-12; /* of the largest value: differences below this are none */

/* Do the samples of f over [t, t + h] lie on a curve? */
static bool is_followed(const ss_expr *f, double t, double h)
{
    double y[SAMPLES + 1], low = INFINITY, high = -INFINITY, bend = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        y[k] = ss_expr_eval(f, t + h * (k + 0.5) / (SAMPLES + 1)); /* not at the ends: there f may jump */
        low = fmin(low, y[k]);
        high = fmax(high, y[k]);
    }
    for (int k = 1; k < SAMPLES; k++) {
        bend = ss_worse(bend, fabs(y[k + 1] - 2 * y[k] + y[k - 1]));
    }
    return !(bend > BEND * (high - low) + ROUNDING * fmax(fabs(low), fabs(high)));
}

/* h, halved until f is followed; NULL: a constant */
static void follow(const ss_expr *f, double t, double *h)
{
    enum { HALVINGS = 40 };
    for (int k = 0; f && k < HALVINGS && !is_followed(f, t, *h); k++) {
        *h *= 0.5;
    }
}

double ss_model_follow_time(const ss_model *m, double t, double h)
{
    for (int i = 0; i < m->forces; i++) {
        const ss_force *force = &m->force[i];
        h = force->omega != 0 ? fmin(h, acos(-1) / fabs(force->omega)) : h;
        for (int k = 0; k < 3; k++) {
            follow(force->force_t[k], t, &h);
            follow(force->torque_t[k], t, &h);
        }
    }
    for (int j = 0; j < m->joints; j++) {
        follow(m->joint[j].speed, t, &h);
        follow(m->joint[j].force, t, &h);
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < 3; k++) {
            follow(m->body_motion[b][k], t, &h);
        }
        follow(m->body_motion_angle[b], t, &h);
    }
    return h;
}
