/* control.c - how long a step may be: the local error of a step, and the length that keeps it at the tolerance.
 *
 * From q0 one step of h leads to q1, two steps of h/2 lead to q2, which is kept (Runge's device).
 *
 *     e     = (q2 (-) q1)/(2^k - 1)      where motion is smooth: k the order of the scheme            [Aca09 eq. 63]
 *     e     = q2 (-) q1                  elsewhere: k = 0 where a contact closes                      [Aca09 eq. 67]
 *     error = max over bodies of |e| / (tol (unit + max(|x0|, |x2|)))                                 [Aca09 eq. 65]
 *     h'    = h min(5, max(0.5, 0.9 (1/error)^(1/(k+1))))                                             [Aca09 eq. 66]
 *
 * A contact closes if its gap is positive before a half step and not after it [Aca09 eq. 68-70], or if the scheme reports an
 * impact, an accumulation, a limit or a Painleve event. Where one opens, sticks or slips the acceleration jumps: k = 1 at most.
 * A scheme whose order through impacts is above 1 has located all these in time, to that order: k is that order, but for
 * accumulations and Painleve events. A trial ends just behind the first event (ss_stepper_rest), both ways have it there, and the
 * error is that of smooth motion; where one way does not have it yet, the difference itself is the error.
 *
 * Where a force jumps in time, one step and two halves that both miss it, or both end at it, agree. So trials end at the known
 * times at which forces, motors and driven motions jump or bend: the last step up to there is computed to a few roundings
 * before it, and the next one starts as many after it, each with the force of its own side. A scheme that remembers earlier
 * steps in its private state starts anew there, as at the start of the run.
 *
 * The error is also at least that of contacts which close, and of slips which end, without being noticed (closing.c).
 * With time.variable_order = false k = 0 everywhere, and positions alone are compared: (67) alone.
 *
 * Norm         Euclidean over the position and over the rotation of each body, and of these the largest: a body's error does
 *              not depend on how many others there are, nor on how the axes lie. `unit` is the model's length or 1 rad; x is
 *              measured from where the body was at t = 0, so that the place of the origin has no influence.
 * Velocities   times the time of the motion, T, are compared as positions are, where no impact makes them differ by O(1) whatever
 *              h is [Aca09 section 5.3]: if the scheme locates impacts, unless one way has one that the other has not;
 *              else in smooth motion without contacts and joints, which make velocities means over a step (not in schemes that
 *              declare an order for contacts that turn).
 *              T is that of the start (pace.c), or the time in which a body covers its unit at the speeds of either end of the
 *              trial, if that is shorter. The smallest step goes with it, unless it is given.
 * Unit of time Where k > 1, in smooth motion or through located impacts, errors are those of a unit of time: times T/h. They add
 *              up to the tolerance then, however many steps there are. A scheme of order 1 would take 1/tol steps for that; with
 *              errors of a step they add up to tol^(1/2) in tol^(-1/2) steps. In between, times (T/h)^(2/3), they add up to
 *              tol^(3/4) in tol^(-3/4) steps.
 * Aim          h' is where the error is 0.9^(k+1) of the tolerance, or a twentieth of that from power 4 on: impacts make of an
 *              error a multiple of it (a ball on a stiff spring: 3 times in each), and there a step of half the length pays for
 *              them all. A trial is accepted up to the tolerance itself.
 * Dense output of a scheme that gives accelerations is as good as the tolerance, too: states that are right at any length of the
 *              step, as of a ball on a driven plate, say nothing of what lies between them.
 * Deviations   0.9 where the paper has 1: with 1 the error exceeds the tolerance in every other trial (the ball of
 *              Aca09 at 1e-6: 1162 rejected trials instead of 22, two fifths more work, no smaller error).
 * Symbols      q (-) q' is ss_model_difference: geodesic for rotations
 * Cost         three steps for two that are kept, and a search for contacts after each of the two */
#include "base/tolerances.h"
#include "math/worse.h"
#include "sim/sim.h"
#include <float.h>
#include <math.h>

static const double SAFETY = 0.9, SHRINK = 0.5, GROW = 5;
/* a step is at least so many roundings of the time long, so that a half step still changes the time by a hundred of them */
static const double ROUNDINGS = 256;
static const double BETWEEN = 2.0 / 3; /* schemes of order 1: power of T/h by which errors of a step are multiplied */
static const double HIGH = 4;          /* power from which on trials aim at AIM of the tolerance */
static const double AIM = 0.05;
static const double REACH = 4;       /* trials wanted: how far functions of time are followed */
static const double SMALLEST = 1e-3; /* default h_min: this times the tolerance times the time of the motion */
static const double REST = 1e-6;     /* of the smallest step: a shorter remainder of the interval is ignored */
static const double FINEST = 1e-13;  /* smallest tolerance: differences below it are round-off */

/* ---- what was asked for -------------------------------------------------------------------------- */

static ss_status check_tol(ss_context *ctx, double tol)
{
    if (!(tol > 0 && tol < 1)) {
        return ss_fail(ctx, SS_ERR_INPUT, "time.tol: expected a number > 0 and < 1, got %g", tol);
    }
    return tol >= FINEST
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "time.tol: %g is below %g, the smallest tolerance that double precision can meet",
                         tol, FINEST);
}

static ss_status check_bound(const ss_sim *sim, const char *key, double h, double interval)
{
    return isnan(h) || interval + h > interval
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "time.%s: a step of %g s is lost in the rounding of t = %g s", key, h, interval);
}

/* The time of the motion at the start; where nothing moves anything that of the run. */
static ss_status find_time(ss_sim *sim, double interval)
{
    ss_control *c = &sim->control;
    ss_arena *arena = NULL;
    SS_TRY(ss_pace_create(sim->ctx, sim->model, &c->pace));
    SS_TRY(ss_arena_create(sim->ctx, 1 << 12, &arena));
    ss_status status = ss_pace_scale(&c->pace, arena, &c->start);
    ss_arena_destroy(arena);
    c->time = c->trial.time = c->start = c->start > 0 && isfinite(c->start) ? c->start : interval;
    return status;
}

/* h_min and h_max, given or by default; first: the first step, NAN: none is given */
static ss_status choose_bounds(ss_sim *sim, double first)
{
    const ss_scene_settings *s = &sim->model->settings;
    ss_control *c = &sim->control;
    double interval = isnan(s->until) ? 1000 * first : s->until;
    SS_TRY(check_bound(sim, "h_max", s->h_max, interval));
    SS_TRY(check_bound(sim, "h_min", s->h_min, interval));
    SS_TRY(find_time(sim, interval));
    c->h_max = isnan(s->h_max) ? INFINITY : s->h_max;
    c->h_min = isnan(s->h_min) ? fmin(fmax(SMALLEST * c->tol, ROUNDINGS * DBL_EPSILON) * c->start, c->h_max) : s->h_min;
    return c->h_min <= c->h_max
               ? SS_OK
               : ss_fail(sim->ctx, SS_ERR_INPUT, "time.h_min: expected at most time.h_max = %g, got %g", c->h_max, c->h_min);
}

ss_status ss_control_choose(ss_sim *sim, const ss_sim_options *options, double tol)
{
    const ss_scene_settings *s = &sim->model->settings;
    ss_control *c = &sim->control;
    double first = isnan(options->step) ? s->step : options->step;
    SS_TRY(check_tol(sim->ctx, tol));
    if (!isnan(first) && !(first > 0 && isfinite(first))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: expected a number > 0, got %g", first);
    }
    if (isnan(first) && isnan(s->until)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: missing; without time.until steps need a first one, time.tol or not");
    }
    c->tol = tol;
    ss_order order = sim->scheme->order ? sim->scheme->order(sim->params) : sim->scheme->info.order;
    c->order = s->variable_order ? fmax(order.smooth, 0) : 0;
    c->impacts = fmax(order.impacts, 0);
    SS_TRY(choose_bounds(sim, first));
    sim->asked.step = fmin(isnan(first) ? c->start * pow(tol, 1 / (c->order + 1)) : first, c->h_max);
    c->h_min = isnan(s->h_min) ? fmin(c->h_min, sim->asked.step) : c->h_min;
    return SS_OK;
}

ss_status ss_control_create(ss_sim *sim)
{
    const ss_model *m = sim->model;
    ss_control *c = &sim->control;
    SS_TRY(ss_calloc(sim->ctx, (size_t)sim->scheme_state_size, sizeof *c->first, &c->first));
    if (!(c->tol > 0)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nq, sizeof *c->trial.whole, &c->trial.whole));
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nv, sizeof *c->trial.whole_v, &c->trial.whole_v));
    SS_TRY(ss_calloc(sim->ctx, (size_t)(m->nq + m->nv), sizeof *c->trial.struck, &c->trial.struck));
    SS_TRY(ss_calloc(sim->ctx, 3 * (size_t)m->nv, sizeof *c->trial.difference, &c->trial.difference));
    return ss_state_create(sim, &sim->middle);
}

void ss_control_destroy(ss_context *ctx, ss_control *control)
{
    ss_free(ctx, control->trial.whole);
    ss_free(ctx, control->trial.whole_v);
    ss_free(ctx, control->trial.struck);
    ss_pace_destroy(&control->pace);
    ss_free(ctx, control->trial.difference);
    ss_free(ctx, control->first);
    for (int k = 0; k < 3; k++) {
        ss_free(ctx, control->trial.closed[k].id);
    }
}

double ss_control_floor(const ss_control *control, double t)
{
    const bool given = !isnan(control->pace.model->settings.h_min);
    return fmax(control->h_min * (given ? 1 : control->trial.time / control->start), ROUNDINGS * DBL_EPSILON * fabs(t));
}

double ss_control_negligible(const ss_control *control, double t) { return REST * ss_control_floor(control, t); }

/* ---- jumps in time -------------------------------------------------------------------------------- */

double ss_control_rounding(double t) { return 8 * DBL_EPSILON * fabs(t); }

double ss_control_stop(const ss_sim *sim, double h, double until)
{
    const ss_control *c = &sim->control;
    double t = sim->now.t, far = fmin(until, t + h + ss_control_floor(c, t));
    double stop = ss_model_next_kink(sim->model, t + ROUNDINGS * DBL_EPSILON * fabs(far), far) + ss_control_rounding(far);
    return until - stop > ss_control_negligible(c, t) ? stop : until;
}

static double nearby(const ss_sim *sim, double t) { return 2 * ss_control_rounding(t) + ss_control_negligible(&sim->control, t); }

double ss_control_length(const ss_sim *sim, double from, double end)
{
    double near = nearby(sim, end);
    double before = ss_model_next_kink(sim->model, fmax(from, end - near), end) - ss_control_rounding(end);
    return (before > from && before < end ? before : end) - from;
}

void ss_control_restart(const ss_sim *sim, ss_state *state)
{
    double t = state->t;
    if (sim->scheme_state_size > 0 && isfinite(ss_model_next_kink(sim->model, t - nearby(sim, t), t))) {
        memcpy(state->scheme_state, sim->control.first, (size_t)sim->scheme_state_size * sizeof *state->scheme_state);
    }
}

/* ---- watching a trial ---------------------------------------------------------------------------- */

/* The longest trial from `now` on: the user's bound, or what follows turns, vibrations and functions of time. The latter are
 * followed for REACH times the length that is wanted: what comes later is looked at then. */
static ss_status find_longest(ss_sim *sim, double wanted, double stop)
{
    ss_control *c = &sim->control;
    const ss_state *now = &sim->now;
    double springs;
    c->longest = c->h_max;
    if (isinf(c->h_max)) {
        SS_TRY(ss_pace_of_springs(&c->pace, sim->arena, now->t, now->q, now->v, c->tol, &springs));
        c->longest = fmin(fmin(stop - now->t, springs), ss_pace_of_turns(sim->model, now->v));
        const ss_following limit = { .tol = c->tol, .finest = c->impacts > 1 ? INFINITY : c->tol };
        const double followed = ss_model_follow_time(sim->model, now->t, REACH * wanted, stop - now->t, limit);
        c->longest = followed < REACH * wanted ? fmin(c->longest, followed) : c->longest;
    }
    return SS_OK;
}

ss_status ss_control_begin(ss_sim *sim, double wanted, double stop)
{
    ss_control *c = &sim->control;
    c->time = c->trial.time = fmin(c->start, ss_pace_of_speeds(&c->pace, sim->now.v));
    SS_TRY(find_longest(sim, wanted, stop));
    return ss_closed_find(sim, &sim->now, &c->trial.closed[0]);
}

void ss_control_forget(ss_control *control)
{
    memset(control->trial.kinds, 0, sizeof control->trial.kinds);
    control->trial.struck_t = INFINITY;
    control->trial.blurred = false;
    control->trial.time = control->time;
    control->trial.overshoot = (ss_estimate){ .body = -1 };
    control->trial.grown = 0;
}

void ss_control_note_impact(ss_sim *sim, const ss_event *event)
{
    const ss_model *m = sim->model;
    ss_trial_record *trial = &sim->control.trial;
    if (event->q && event->v_plus) {
        memcpy(trial->struck, event->q, (size_t)m->nq * sizeof *trial->struck);
        memcpy(trial->struck + m->nq, event->v_plus, (size_t)m->nv * sizeof *trial->struck);
        trial->struck_t = event->t;
    }
}

ss_status ss_control_outruns(ss_sim *sim, double h, bool *too_long)
{
    ss_control *c = &sim->control;
    const double *q = c->trial.struck, t = sim->now.t;
    double springs = INFINITY;
    if (isfinite(c->trial.struck_t) && isinf(c->h_max)) {
        SS_TRY(ss_pace_of_springs(&c->pace, sim->arena, c->trial.struck_t, q, q + sim->model->nq, c->tol, &springs));
    }
    *too_long = t + h - c->trial.struck_t > springs && h > ss_control_floor(c, t) + ss_control_negligible(c, t);
    return SS_OK;
}

static bool can_turn(const ss_model *m, int body) { return ss_model_is_dynamic(m, body) && m->body_type[body] == SS_BODY_RIGID; }

/* Has a contact acted on a body that can turn? */
static bool presses_what_turns(const ss_sim *sim)
{
    const ss_reactions *x = &sim->pending->reactions;
    bool any = false;
    for (int k = 0; !any && k < x->n; k++) {
        const ss_reacted *c = &x->contact[k];
        any = c->id.kind == SS_CONTACT_SHAPES && c->impulse[0] > 0 &&
              (can_turn(sim->model, c->bodies[0]) || can_turn(sim->model, c->bodies[1]));
    }
    return any;
}

/* Are velocities those of the mean of the half step, because contacts or joints act? Not if the scheme has an order of its own
 * for contacts that turn, and a body that touches can turn: these contacts act along the rows of the end. Such errors show in
 * velocities alone, where they add up. They do not where a contact stops a body, or throws it back: the time of that is not
 * known. */
static bool is_blurred(const ss_sim *sim)
{
    const bool turning = sim->scheme->info.order.turning > 0 && !sim->pending->nonsmooth && presses_what_turns(sim);
    return ss_account_has_impulses(sim->pending) ? !turning : sim->model->nj > 0;
}

ss_status ss_control_note(ss_sim *sim, int half, const ss_state *from, const ss_state *to)
{
    ss_control *c = &sim->control;
    c->trial.kinds[half] |= sim->pending->events.kinds;
    if (half == 0) {
        return SS_OK;
    }
    SS_TRY(ss_closed_find(sim, to, &c->trial.closed[half]));
    SS_TRY(ss_closed_overshoot(sim, from, to, &c->trial.closed[half - 1], &c->trial.closed[half], &c->trial.overshoot));
    c->trial.blurred = c->trial.blurred || is_blurred(sim);
    return SS_OK;
}

enum {
    LOST = 1u << SS_EVENT_ACCUMULATION | 1u << SS_EVENT_PAINLEVE, /* events at which the order is */
    JUMPS = 1u << SS_EVENT_IMPACT | 1u << SS_EVENT_LIMIT,         /* of velocities                 */
};

/* May velocities of a scheme that locates impacts be compared? Not where one way has an impact and the other does not have it
 * yet: they differ by the jump. */
static bool has_equal_jumps(const ss_trial_record *x)
{
    const unsigned halves = x->kinds[1] | x->kinds[2];
    return (x->kinds[0] & JUMPS) == (halves & JUMPS) && !((x->kinds[0] | halves) & LOST);
}

/* The power of T/h that errors are multiplied by. */
static double share_of(const ss_control *c, double order, bool known)
{
    return known && order > 1 ? 1 : c->order == 1 && order == 1 ? BETWEEN : 0;
}

/* [Aca09 eq. 69, 70] */
static ss_estimate guess_order(const ss_control *c)
{
    const ss_trial_record *x = &c->trial;
    const unsigned kinds = x->kinds[0] | x->kinds[1] | x->kinds[2];
    const ss_closed *closed = x->closed;
    bool closes = (kinds & JUMPS) || ss_closed_has_more(&closed[1], &closed[0]) || ss_closed_has_more(&closed[2], &closed[1]);
    bool opens = ss_closed_has_more(&closed[0], &closed[1]) || ss_closed_has_more(&closed[1], &closed[2]);
    bool smooth = !kinds && !closes && !opens, located = c->impacts > 1;
    double order = smooth ? c->order : fmin(c->order, located ? c->impacts : closes ? 0 : 1);
    order = kinds & LOST ? 0 : order;
    return (ss_estimate){ .order = order,
                          .power = order + 1 - share_of(c, order, located || smooth),
                          .smooth = smooth,
                          .speeds = c->order > 0 && (located ? has_equal_jumps(x) : smooth && !x->blurred),
                          .body = -1 };
}

/* ---- the error ----------------------------------------------------------------------------------- */

void ss_estimate_raise(ss_estimate *worst, double error, int body)
{
    bool worse = !(worst->error >= error || isnan(worst->error));
    worst->body = worse || worst->body < 0 ? body : worst->body;
    worst->error = ss_worse(worst->error, error);
}

static double length_of(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s = hypot(s, x[i]);
    }
    return s;
}

/* difference of two ends, and sizes that it is small beside: displacements since t = 0, or velocities, at the start and at the
 * end
 */
typedef struct changes {
    const double *e, *x0, *x2;
    double scale; /* errors are multiplied by it to be compared with units: 1, or a time */
} changes;

static double relative_change(const changes *d, int first, int n, double unit)
{
    double far = d->scale * fmax(length_of(n, d->x0 + first), length_of(n, d->x2 + first));
    return d->scale * length_of(n, d->e + first) / (unit + far);
}

/* error of one body, not yet divided by the tolerance */
static double body_error(const ss_model *m, const changes *d, int body)
{
    int at = m->body_v[body], size = m->mass.diagonal.size[m->body_block[body]];
    double worst = 0;
    for (int i = 0, n; i < size; i += n) {
        n = ss_model_vector_size(m, body, i);
        worst = ss_worse(worst, relative_change(d, at + i, n, m->v_unit[at + i]));
    }
    return worst;
}

static void raise_by_bodies(const ss_model *m, const changes *d, ss_estimate *out)
{
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            ss_estimate_raise(out, body_error(m, d, b), b);
        }
    }
}

static void compare_positions(ss_sim *sim, const ss_state *end, ss_estimate *out)
{
    const ss_model *m = sim->model;
    double *e = sim->control.trial.difference, *x0 = e + m->nv, *x2 = x0 + m->nv;
    ss_model_difference(m, sim->control.trial.whole, end->q, e);
    ss_model_difference(m, m->q0, sim->now.q, x0);
    ss_model_difference(m, m->q0, end->q, x2);
    raise_by_bodies(m, &(changes){ e, x0, x2, 1 }, out);
}

static void compare_velocities(ss_sim *sim, const ss_state *end, ss_estimate *out)
{
    const ss_model *m = sim->model;
    double *e = sim->control.trial.difference;
    for (int i = 0; i < m->nv; i++) {
        e[i] = end->v[i] - sim->control.trial.whole_v[i];
    }
    raise_by_bodies(m, &(changes){ e, sim->now.v, end->v, sim->control.trial.time }, out);
}

/* The time of the motion, by the acceleration of the trial too: a body that is at rest until a force takes it has no other. A
 * scheme that locates impacts has accelerations that jump within a trial, and goes without. */
static double time_of_trial(ss_sim *sim, const ss_state *end, double h)
{
    ss_control *c = &sim->control;
    double *acceleration = c->trial.difference;
    for (int i = 0; i < sim->model->nv; i++) {
        acceleration[i] = (end->v[i] - sim->now.v[i]) / h;
    }
    return c->impacts > 1 ? c->trial.time : fmin(c->trial.time, sqrt(ss_pace_of_speeds(&c->pace, acceleration)));
}

/* Dense output within the halves, where the scheme gives accelerations. That over the whole trial, h, is off by 2^6 times as
 * much. Its error goes with z^3 (1 - z)^3, which is 1/64 in the middle; the slope of that is 0.0537 at most, so that velocities
 * are off by 2 STEEP/h of what positions are. */
static ss_status compare_between(ss_sim *sim, double h, ss_estimate *out)
{
    const double STEEP = 64 * 0.0537, finer = 1.0 / 64;
    const ss_model *m = sim->model;
    const double by_speeds = fmax(1, 2 * STEEP * sim->control.trial.time / h);
    double *e = sim->control.trial.difference, *x0 = e + m->nv, *x2 = x0 + m->nv, *q, *v;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof *q, &q));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nv, sizeof *v, &v));
    memcpy(q, sim->middle.q, (size_t)m->nq * sizeof *q); /* with the turn counters */
    if (ss_dense_foretell(m, sim->other, sim->pending, q, v)) {
        ss_model_difference(m, q, sim->middle.q, e);
        ss_model_difference(m, m->q0, sim->now.q, x0);
        ss_model_difference(m, m->q0, sim->next.q, x2);
        raise_by_bodies(m, &(changes){ e, x0, x2, 1 }, out);
        out->error = ss_worse(finer * out->error - SS_TOL_ROUND_OFF, 0) * by_speeds;
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}

ss_status ss_control_estimate(ss_sim *sim, const ss_state *end, double h, ss_estimate *out)
{
    ss_control *c = &sim->control;
    ss_estimate between = { .body = -1 };
    c->trial.time = fmin(c->time, ss_pace_of_speeds(&c->pace, end->v));
    *out = guess_order(c);
    compare_positions(sim, end, out);
    if (out->speeds) {
        compare_velocities(sim, end, out);
    }
    out->error /= out->smooth || out->speeds ? fmax(1, exp2(out->order) - 1) : 1;
    out->local = ss_worse(out->error, c->trial.overshoot.error);
    const double share = out->order + 1 - out->power;
    if (share > 0) {
        out->error = ss_worse(out->error - SS_TOL_ROUND_OFF, 0) * pow(fmax(1, time_of_trial(sim, end, h) / h), share);
    }
    ss_estimate_raise(out, c->trial.overshoot.error, c->trial.overshoot.body);
    SS_TRY(c->order > 0 ? compare_between(sim, h, &between) : SS_OK);
    ss_estimate_raise(out, between.error, between.body);
    out->error /= c->tol;
    return SS_OK;
}

double ss_control_factor(const ss_estimate *estimate)
{
    const double aim = estimate->power >= HIGH ? AIM : 1;
    double wanted = SAFETY * pow(aim / estimate->error, 1 / estimate->power);
    return fmin(GROW, fmax(SHRINK, wanted));
}

bool ss_control_is_bound(const ss_control *control, const ss_estimate *estimate, double h)
{
    double factor = ss_control_factor(estimate);
    return factor < GROW && h * factor < control->longest;
}

ss_status ss_control_refuse(const ss_sim *sim, double h, const ss_estimate *unmet)
{
    return ss_fail(sim->ctx, SS_ERR_NUMERIC,
                   "step from t = %.9g: at the smallest step, %.3g s, the error of %s is %.3g times the tolerance %.3g",
                   sim->now.t, h, unmet->body >= 0 ? sim->model->body_name[unmet->body] : "the scene", unmet->error,
                   sim->control.tol);
}
