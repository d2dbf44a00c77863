/* control.c - how long a step may be: the local error of a step, and the length that keeps it at the tolerance.
 *
 * From q0 one step of h leads to q1, two steps of h/2 lead to q2, which is kept (Runge's device).
 *
 *     e     = q2 (-) q1                  where a contact closes in the step: local order k = 0        [Aca09 eq. 67]
 *     e     = (q2 (-) q1)/(2^k - 1)      elsewhere: k the order of the scheme                         [Aca09 eq. 63]
 *     error = max over bodies of |e| / (tol (unit + max(|x0|, |x2|)))                                 [Aca09 eq. 65]
 *     h'    = h min(5, max(0.5, 0.9 (1/error)^(1/(k+1))))                                             [Aca09 eq. 66]
 *
 * A contact closes if its gap is positive at the start and not at the end [Aca09 eq. 68-70], or if the scheme reports an
 * impact, an accumulation, a limit or a Painleve event. Where one opens, sticks or slips the acceleration jumps: k = 1 at most.
 *
 * Norm         Euclidean over the position and over the rotation of each body, and of these the largest: a body's error does
 *              not depend on how many others there are, nor on how the axes lie. `unit` is the model's length or 1 rad; x is
 *              measured from where the body was at t = 0, so that the place of the origin has no influence.
 * Velocities   are not looked at: they are off by O(1) next to an impact whatever h is [Aca09 section 5.3], and where
 *              motion is smooth an error in the velocity of the first half enters the positions in the second.
 * Deviations   0.9 where the paper has 1: a step that aims at the tolerance itself is missed every other time (the ball of
 *              Aca09 at 1e-6: 1162 rejected trials instead of 22, two fifths more work, no smaller error).
 * Symbols      q (-) q' is ss_model_difference: geodesic for rotations
 * Cost         three steps for two that are kept, and one search for contacts more */
#include "sim/sim.h"
#include <float.h>
#include <math.h>

static const double SAFETY = 0.9, SHRINK = 0.5, GROW = 5;
static const double TOUCH = 1e-8;   /* of a contact's unit: a smaller gap is closed */
static const double FINEST = 1e-13; /* tolerance below which differences are rounding */

/* ---- what was asked for -------------------------------------------------------------------------- */

static ss_status check_tol(ss_context *ctx, double tol)
{
    if (!(tol > 0 && tol < 1)) {
        return ss_fail(ctx, SS_ERR_INPUT, "time.tol: expected a number > 0 and < 1, got %g", tol);
    }
    return tol >= FINEST
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT, "time.tol: %g is below %g: in double precision that is rounding", tol, FINEST);
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
    double interval = isnan(s->until) ? 1000 * first : s->until;
    c->tol = tol;
    c->order = fmax(sim->scheme->info.order.smooth, 0);
    c->h_max = isnan(s->h_max) ? fmax(interval / 10, isnan(first) ? 0 : first) : s->h_max;
    c->h_min = isnan(s->h_min) ? fmin(1e-3 * tol * interval, c->h_max) : s->h_min;
    if (c->h_min > c->h_max) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.h_min: expected at most time.h_max = %g, got %g", c->h_max, c->h_min);
    }
    sim->step = fmin(isnan(first) ? c->h_max * pow(tol, 1 / (c->order + 1)) : first, c->h_max);
    c->h_min = isnan(s->h_min) ? fmin(c->h_min, sim->step) : c->h_min;
    return SS_OK;
}

ss_status ss_control_create(ss_sim *sim)
{
    const ss_model *m = sim->model;
    ss_control *c = &sim->control;
    if (!(c->tol > 0)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nq, sizeof *c->whole, &c->whole));
    SS_TRY(ss_calloc(sim->ctx, 3 * (size_t)m->nv, sizeof *c->difference, &c->difference));
    return ss_state_create(sim->ctx, m, sim->block_size, &sim->middle);
}

void ss_control_destroy(ss_context *ctx, ss_control *control)
{
    ss_free(ctx, control->whole);
    ss_free(ctx, control->difference);
    ss_free(ctx, control->before.id);
    ss_free(ctx, control->after.id);
}

/* half of it still moves the time by a hundred roundings */
double ss_control_floor(const ss_control *control, double t) { return fmax(control->h_min, 256 * DBL_EPSILON * fabs(t)); }

/* ---- status of contacts -------------------------------------------------------------------------- */

/* [Aca09 eq. 68] */
static ss_status find_closed(ss_sim *sim, const ss_state *state, ss_closed *out)
{
    const ss_model *m = sim->model;
    ss_config c;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, state->t, state->q, &c);
    SS_TRY(ss_finder_find(sim->finder, &c, TOUCH * m->length, &sim->overlap));
    out->n = 0;
    for (int k = 0; k < sim->overlap.n; k++) {
        const ss_contact *contact = &sim->overlap.c[k];
        ss_contact_value value;
        ss_contact_eval(m, &c, contact, &value);
        bool closed = value.gap <= TOUCH * ss_contact_unit(m, contact) && value.outside <= 0;
        if (closed && contact->id.kind != SS_CONTACT_MOTOR) {
            SS_PUSH(sim->ctx, out->id, out->n, out->cap, contact->id);
        }
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}

/* Is there one in `set` that is not in `other`? Both are sorted. */
static bool has_more(const ss_closed *set, const ss_closed *other)
{
    int at = 0;
    for (int k = 0; k < set->n; k++) {
        while (at < other->n && ss_contact_id_compare(&other->id[at], &set->id[k]) < 0) {
            at++;
        }
        if (at == other->n || ss_contact_id_compare(&other->id[at], &set->id[k]) != 0) {
            return true;
        }
    }
    return false;
}

ss_status ss_control_begin(ss_sim *sim)
{
    sim->control.kinds = 0;
    return find_closed(sim, &sim->now, &sim->control.before);
}

void ss_control_note(ss_control *control, const ss_account *account) { control->kinds |= account->kinds; }

/* [Aca09 eq. 69, 70] */
static double local_order(const ss_control *c)
{
    const unsigned jumps = 1u << SS_EVENT_IMPACT | 1u << SS_EVENT_ACCUMULATION | 1u << SS_EVENT_PAINLEVE | 1u << SS_EVENT_LIMIT;
    if ((c->kinds & jumps) || has_more(&c->after, &c->before)) {
        return 0;
    }
    bool kink = c->kinds || has_more(&c->before, &c->after);
    return kink ? fmin(c->order, 1) : c->order;
}

/* ---- the error ----------------------------------------------------------------------------------- */

static double length_of(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s = hypot(s, x[i]);
    }
    return s;
}

/* difference of the two ends, and displacements from t = 0 of the start and of the end */
typedef struct changes {
    const double *e, *x0, *x2;
} changes;

static double part(const changes *d, int first, int n, double unit)
{
    double far = fmax(length_of(n, d->x0 + first), length_of(n, d->x2 + first));
    return length_of(n, d->e + first) / (unit + far);
}

/* without the tolerance */
static double body_error(const ss_model *m, const changes *d, int body)
{
    int at = m->body_v[body], linear = m->dimension;
    double worst = 0;
    switch (m->body_type[body]) {
    case SS_BODY_RIGID:
        worst = part(d, at + linear, m->dimension == 2 ? 1 : 3, 1);
        return fmax(worst, part(d, at, linear, m->length));
    case SS_BODY_BLOCK:
        for (int i = 0; i < m->body_callbacks[body]->n; i++) {
            worst = fmax(worst, part(d, at + i, 1, m->length));
        }
        return worst;
    default:
        return part(d, at, linear, m->length);
    }
}

ss_status ss_control_estimate(ss_sim *sim, const ss_state *end, ss_estimate *out)
{
    const ss_model *m = sim->model;
    ss_control *c = &sim->control;
    double *e = c->difference, *x0 = e + m->nv, *x2 = x0 + m->nv;
    SS_TRY(find_closed(sim, end, &c->after));
    *out = (ss_estimate){ .order = local_order(c), .body = -1 };
    ss_model_difference(m, c->whole, end->q, e);
    ss_model_difference(m, m->q0, sim->now.q, x0);
    ss_model_difference(m, m->q0, end->q, x2);
    const changes d = { e, x0, x2 };
    for (int b = 0; b < m->bodies; b++) {
        double error = ss_model_is_dynamic(m, b) ? body_error(m, &d, b) : -1;
        if (!(error <= out->error) || (out->body < 0 && error >= 0)) {
            out->error = error;
            out->body = b;
        }
    }
    out->error /= c->tol * (out->order >= 1 ? exp2(out->order) - 1 : 1);
    return SS_OK;
}

double ss_control_factor(const ss_estimate *estimate)
{
    double wanted = SAFETY * pow(1 / estimate->error, 1 / (estimate->order + 1));
    return fmin(GROW, fmax(SHRINK, wanted));
}
