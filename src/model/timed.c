/* timed.c - functions of time in a scene, and how long a step may be that follows them.
 *
 * Forces, motors and driven motions may depend on time. A body that rests while its force goes through a whole period is at rest
 * at both ends of a step of that length. So SAMPLES + 1 values of a function f in the step have to lie on a curve:
 *
 *     max |f_k - chord from f_(k-1) to f_(k+1)|  <=  BEND (max f - min f)
 *
 * A sinusoid satisfies it up to about two thirds of a period. The times of the values are uneven, so that no period meets
 * all of them at the same phase.
 *
 * Between the values f may do something for a short time. All that it can do lies in its range over the parts of the step
 * (ss_expr_range). f is followed if it goes beyond the values by no more than these differ, or by so little that no body moves by
 * more than the tolerance for it. If all that it does in the step moves no body by more than SLIGHT tolerances, it does not
 * have to be followed. Of a force on a user block nobody knows what it moves: there the values alone decide.
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
 * Cost     a few times SAMPLES values and ranges of every function */
#include "math/expr.h"
#include "math/worse.h"
#include "model/model.h"
#include <math.h>

enum { SAMPLES = 8, HALVINGS = 60 };
static const double BEND = 0.075;
static const double ROUNDING = 1e-12; /* of the largest value: differences below this are none */
static const double END = 1e-14;      /* of a time: ends of steps are that close to times at which f jumps */
static const double SLIGHT = 1e-3;    /* of the tolerance */

/* where the values are, in parts of the step: even but for a part of a spacing. Not at the ends: there f may jump. */
static const double PLACE[SAMPLES + 1] = { 1.0 / 18,          0.179117803398875, 0.260339887498948,
                                           0.402247948685821, 0.487813661705257, 0.590416994374947,
                                           0.733704914142136, 0.817820508075689, 17.0 / 18 };

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

/* all values from t on, over h, in `parts` of it: y = [lo, hi]; of a sinusoid: about 0. Its ends are left out: f may jump there.
 */
static void range_of(const timed *f, double t, double h, int parts, double y[2])
{
    const double inset = END * (fabs(t) + h);
    t += inset;
    h = fmax(h - 2 * inset, 0);
    y[0] = INFINITY;
    y[1] = -INFINITY;
    for (int k = 0; k < parts; k++) {
        double part[2] = { -fabs(f->size), fabs(f->size) };
        if (f->expr) {
            ss_expr_range(f->expr, t + h * k / parts, t + h * (k + 1) / parts, part);
        }
        y[0] = fmin(y[0], part[0]);
        y[1] = fmax(y[1], part[1]);
    }
}

/* What a scheme that takes f by its mean over a step of h may miss, in units, where f changes by `range`, and in the middle of
 * the step is `off` its chord. */
static double unseen(const timed *f, double h, double range, double off)
{
    return 0.5 * range * f->response * h * h + 0.5 * range * f->speed * h + off * f->place;
}

/* ---- how long a step may be -------------------------------------------------------------------------- */

/* Values of f in a step: the least and the largest; how far they are off chords, all of them and the middle one. */
typedef struct samples {
    double low, high, bend, off;
} samples;

/* distance of value k from the chord between two others */
static double off_chord(const double *y, int k, int from, int to)
{
    const double s = (PLACE[k] - PLACE[from]) / (PLACE[to] - PLACE[from]);
    return fabs(y[k] - (1 - s) * y[from] - s * y[to]);
}

static samples sample(const timed *f, double t, double h)
{
    double y[SAMPLES + 1];
    samples x = { .low = INFINITY, .high = -INFINITY };
    for (int k = 0; k <= SAMPLES; k++) {
        y[k] = value_of(f, t + h * PLACE[k]);
        x.low = fmin(x.low, y[k]);
        x.high = fmax(x.high, y[k]);
    }
    for (int k = 1; k < SAMPLES; k++) {
        x.bend = ss_worse(x.bend, off_chord(y, k, k - 1, k + 1));
    }
    x.off = off_chord(y, SAMPLES / 2, 0, SAMPLES);
    return x;
}

/* by how much f may exceed its values in a step; 0 where its range is not known */
static double hidden_of(const timed *f, double t, double h, const samples *x)
{
    double y[2];
    range_of(f, t, h, SAMPLES, y);
    return f->expr && isfinite(y[1] - y[0]) ? fmax(fmax(y[1] - x->high, x->low - y[0]), 0) : 0;
}

/* Is a step of h from t short enough for f? */
static bool is_followed(const timed *f, double t, double h, ss_following limit)
{
    double all[2];
    range_of(f, t, h, 1, all);
    const bool known = f->response + f->speed + f->place > 0;
    if (known && unseen(f, h, all[1] - all[0], all[1] - all[0]) <= SLIGHT * limit.tol) {
        return true;
    }
    const samples x = sample(f, t, h);
    const double noise = ROUNDING * fmax(fabs(x.low), fabs(x.high)), range = fmax(x.high - x.low - noise, 0);
    const double hidden = fmax(hidden_of(f, t, h, &x) - noise, 0);
    return !(x.bend > BEND * range + noise) && unseen(f, h, range, fmax(x.off - noise, 0)) <= limit.finest &&
           (hidden <= range || unseen(f, h, hidden, hidden) <= limit.tol);
}

/* ---- the functions of a scene ------------------------------------------------------------------------ */

typedef void visitor(const timed *f, void *user);

static void visit_expression(const ss_expr *expr, timed f, visitor *visit, void *user)
{
    if (expr && !ss_expr_is_constant(expr)) {
        f.expr = expr;
        visit(&f, user);
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
        *torque = least > 0 ? 1 / least : 0;
    }
}

static void visit_force(const ss_model *m, const ss_force *force, visitor *visit, void *user)
{
    double by_force, by_torque;
    find_responses(m, force->at[0].body, &by_force, &by_torque);
    if (force->omega != 0) {
        visit(&(timed){ .size = 1,
                        .omega = force->omega,
                        .phase = force->phase,
                        .response = by_force * ss_norm(force->force) + by_torque * ss_norm(force->torque) },
              user);
    }
    for (int k = 0; k < 3; k++) {
        visit_expression(force->force_t[k], (timed){ .response = by_force }, visit, user);
        visit_expression(force->torque_t[k], (timed){ .response = by_torque }, visit, user);
    }
}

static void visit_motor(const ss_model *m, const ss_joint *joint, visitor *visit, void *user)
{
    double force[2], torque[2];
    for (int k = 0; k < 2; k++) {
        find_responses(m, joint->at[k].body, &force[k], &torque[k]);
    }
    const bool angular = joint->type->angular;
    const double response = angular ? fmax(torque[0], torque[1]) : fmax(force[0], force[1]);
    visit_expression(joint->motor.speed, (timed){ .speed = 1 / (angular ? 1 : m->length) }, visit, user);
    visit_expression(joint->motor.force, (timed){ .response = response }, visit, user);
    visit_expression(joint->motor.position, (timed){ .place = 1 / (angular ? 1 : m->length) }, visit, user);
}

static void visit_all(const ss_model *m, visitor *visit, void *user)
{
    for (int i = 0; i < m->forces; i++) {
        visit_force(m, &m->force[i], visit, user);
    }
    for (int j = 0; j < m->joints; j++) {
        visit_motor(m, &m->joint[j], visit, user);
    }
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < 3; k++) {
            visit_expression(m->body_motion[b][k], (timed){ .place = 1 / m->length }, visit, user);
        }
        visit_expression(m->body_motion_angle[b], (timed){ .place = 1 }, visit, user);
    }
}

/* ---- what is asked of them --------------------------------------------------------------------------- */

typedef struct search {
    double t, h, room;
    ss_following limit;
    bool any;
} search;

/* h, halved until f is followed */
static void follow(const timed *f, void *user)
{
    search *x = user;
    for (int k = 0; k < HALVINGS && !is_followed(f, x->t, fmin(x->h, x->room), x->limit); k++) {
        x->h *= 0.5;
    }
}

double ss_model_follow_time(const ss_model *m, double t, double h, double room, ss_following limit)
{
    search x = { .t = t, .h = h, .room = room, .limit = limit };
    visit_all(m, follow, &x);
    return x.h;
}

static void reach(const timed *f, void *user)
{
    search *x = user;
    double y[2];
    range_of(f, 0, x->h, 1, y);
    const double most = fmax(fabs(y[0]), fabs(y[1])),
                 moved = most * x->h * (f->response * x->h + f->speed) + (y[1] - y[0]) * f->place;
    x->any = x->any || (isfinite(moved) && moved >= 1);
}

bool ss_model_time_reaches(const ss_model *m, double t)
{
    search x = { .h = t };
    visit_all(m, reach, &x);
    return x.any;
}

static void find_one(const timed *f, void *user)
{
    (void)f;
    *(bool *)user = true;
}

bool ss_model_is_timed(const ss_model *m)
{
    bool any = false;
    for (int i = 0; i < m->forces; i++) {
        any = any || m->force[i].table.rows > 0;
    }
    visit_all(m, find_one, &any);
    return any;
}
