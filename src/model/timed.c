/* timed.c - functions of time in a scene, and how long a step may be that follows them.
 *
 * Forces, motors and driven motions may depend on time. A body that rests while its force goes through a whole period is at rest
 * at both ends of a step of that length. So SAMPLES + 1 values of a function f, equally spaced in the step, have to lie on a
 * curve:
 *
 *     max |f_(k+1) - 2 f_k + f_(k-1)|  <=  BEND (max f - min f)
 *
 * A sinusoid satisfies it up to about two thirds of a period. A function that is about zero but for a time much shorter than
 * the step is not seen.
 *
 * A scheme that does not locate the beginning of slip takes a force by its mean over a step. A body that friction holds
 * against the mean may slip by
 *
 *     (max f - min f) h^2/(2 m)  <=  finest * unit
 *
 * in the step, which no difference of positions shows. The same bound holds a free body at the error of a scheme of order 2.
 * Such a scheme also takes a driven body, and a motor, by its mean velocity over a step. A body that is carried is where it is
 * at the end of the step even if it was thrown within it. So the driven position may be off its chord, in the middle of the
 * step, by `finest` of its unit, and the way of a motor likewise, by the change of its speed times h/2.
 *
 * Symbols  h length of the step, m mass or moment of inertia
 * Cost     a few times SAMPLES values of every function */
#include "math/expr.h"
#include "math/worse.h"
#include "model/model.h"
#include <math.h>

enum { SAMPLES = 8, HALVINGS = 60 };
static const double BEND = 0.15;
static const double ROUNDING = 1e-12; /* of the largest value: differences below this are none */

/* A function of time: an expression, or a sinusoid where there is none. */
typedef struct timed {
    const ss_expr *expr;
    double size, omega, phase;
    double response; /* accelerations that it gives a body, in units of that body */
    double speed;    /* 1/unit, if it is a speed                                    */
    double place;    /* 1/unit, if it is a position                                 */
} timed;

static double value_of(const timed *f, double t)
{
    return f->expr ? ss_expr_eval(f->expr, t) : f->size * sin(f->omega * t + f->phase);
}

/* What a scheme that takes f by its mean over a step of h may miss, in units, where f changes by `range`, and in the middle of
 * the step is `off` its chord. */
static double unseen(const timed *f, double h, double range, double off)
{
    return 0.5 * range * f->response * h * h + 0.5 * range * f->speed * h + off * f->place;
}

/* Is a step of h from t short enough for f? */
static bool is_followed(const timed *f, double t, double h, double finest)
{
    double y[SAMPLES + 1], low = INFINITY, high = -INFINITY, bend = 0;
    for (int k = 0; k <= SAMPLES; k++) {
        y[k] = value_of(f, t + h * (k + 0.5) / (SAMPLES + 1)); /* not at the ends: there f may jump */
        low = fmin(low, y[k]);
        high = fmax(high, y[k]);
    }
    for (int k = 1; k < SAMPLES; k++) {
        bend = ss_worse(bend, fabs(y[k + 1] - 2 * y[k] + y[k - 1]));
    }
    const double noise = ROUNDING * fmax(fabs(low), fabs(high)), range = fmax(high - low - noise, 0);
    const double off = fmax(fabs(y[SAMPLES / 2] - 0.5 * (y[0] + y[SAMPLES])) - noise, 0);
    return !(bend > BEND * range + noise) && unseen(f, h, range, off) <= finest;
}

/* h, halved until f is followed */
static void follow(const timed *f, double t, double finest, double *h)
{
    for (int k = 0; k < HALVINGS && !is_followed(f, t, *h, finest); k++) {
        *h *= 0.5;
    }
}

static void follow_expression(const ss_expr *expr, timed f, double t, double finest, double *h)
{
    if (expr) {
        f.expr = expr;
        follow(&f, t, finest, h);
    }
}

/* accelerations by a force and by a torque of 1, in units; 0: the body does not respond */
static void find_responses(const ss_model *m, int body, double *force, double *torque)
{
    *force = *torque = 0;
    if (ss_model_is_dynamic(m, body) && m->body_mass[body] > 0) {
        *force = 1 / (m->body_mass[body] * m->length);
    }
    if (ss_model_is_dynamic(m, body) && m->body_type[body] == SS_BODY_RIGID) {
        const ss_mat3 *inertia = &m->body_inertia[body];
        const double least = m->dimension == 2 ? inertia->c[2].z : fmin(inertia->c[0].x, fmin(inertia->c[1].y, inertia->c[2].z));
        *torque = 1 / least;
    }
}

static void follow_force(const ss_model *m, const ss_force *force, double t, double finest, double *h)
{
    double by_force, by_torque;
    find_responses(m, force->at[0].body, &by_force, &by_torque);
    if (force->omega != 0) {
        const timed swing = { .size = 1,
                              .omega = force->omega,
                              .phase = force->phase,
                              .response = by_force * ss_norm(force->force) + by_torque * ss_norm(force->torque) };
        follow(&swing, t, finest, h);
    }
    for (int k = 0; k < 3; k++) {
        follow_expression(force->force_t[k], (timed){ .response = by_force }, t, finest, h);
        follow_expression(force->torque_t[k], (timed){ .response = by_torque }, t, finest, h);
    }
}

double ss_model_follow_time(const ss_model *m, double t, double h, double finest)
{
    for (int i = 0; i < m->forces; i++) {
        follow_force(m, &m->force[i], t, finest, &h);
    }
    for (int j = 0; j < m->joints; j++) {
        const double unit = m->joint[j].type->angular ? 1 : m->length;
        follow_expression(m->joint[j].speed, (timed){ .speed = 1 / unit }, t, finest, &h);
        follow_expression(m->joint[j].force, (timed){ 0 }, t, finest, &h);
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < 3; k++) {
            follow_expression(m->body_motion[b][k], (timed){ .place = 1 / m->length }, t, finest, &h);
        }
        follow_expression(m->body_motion_angle[b], (timed){ .place = 1 }, t, finest, &h);
    }
    return h;
}
