/* closing.c - contacts that close in a trial: which they are, and how far each went beyond its gap before the scheme reacted.
 *
 * A scheme that does not locate impacts lets a contact close anywhere in a step. One that notices too late, at the step after,
 * makes the same mistake with h as with h/2 + h/2: the difference of the two says nothing. What does is how far the
 * contact has gone too far in a half step, in its unit (a length, or a radian):
 *
 *     depth at the end                                           it was open at the start and is closed at the end
 *     depth where v at the start alone leads to                  it was open at the start (pushed back: no depth at the end)
 *     depth where v at the end alone leads to                    it is closed at the end, and was open or without any impulse
 *     depth where the mean of the two leads to                   it is open at the end, and was open or without any impulse
 *
 * each less the depth at the start. The last two are flights that ended within it; a contact open at the end may have been
 * pushed back further than it had to be, or still be in flight: then v at the end says nothing yet, and the mean leads to
 * where it is. Steps that report an impact know its time, and so does a scheme whose order through impacts is above 1: for
 * these the depth at the end is all.
 *
 * A contact that is open at the end, was closed and has had no impulse, may have been passed: |u_N| h, u_N the slower of the
 * approaches by v at the start and at the end. One that was met and left again is open at both ends. If it has had an impulse,
 * and v at the start alone leads through the shapes, the distance by which the approach goes on after they meet counts: (h - s)
 * |u_N|, s the time of the meeting.
 *
 * A contact that is closed at both ends may have stopped a body that came to it: where v at the start alone leads into it by more
 * than STRAIGHT of the way, velocities jump within the step, and dense output is told so. And it may have ended a slip: a scheme
 * that moves by the velocity at the end of a step does not move at all then, in one step and in two. The way between the
 * two is |u_T| h/2 at most, u_T at the start.
 *
 * A scheme that does not locate impacts throws back the velocity that it has at the start of the half. Behind the impact it is
 * off by |a| h, a the acceleration by forces, although positions may agree because the half happens to end at the impact. What
 * that makes of positions in the time of the motion, T, or until forces have brought the body back, is h min(|a| T, |u_N|).
 * A driven body whose velocity changes by c in the half adds c T.
 *
 * A touch at no speed of a contact that forces pull open (a ball that a spring lifts from the floor and brings back to it) makes
 * of an error A its root: the contact is met at u, u^2 = 2 a A, in place of 0, or is not met. Where errors have added up to an A
 * so large that this exceeds what the contact is met with, the step has the remark `grazed`, and what is added to A is T u (1 +
 * e).
 *
 * Status   closed: gap <= SS_TOL_CLOSED_COMPARED units, witness on the features                        [Aca09 eq. 68]
 * Symbols  u_N, u_T velocity of a contact along its normal, in its tangent plane
 * Cost     two searches for contacts for a half step whose impacts have no time */
#include "base/tolerances.h"
#include "math/worse.h"
#include "model/blocks.h"
#include "sim/sim.h"
#include <math.h>

static const double STRAIGHT = 0.25;
enum { SECTIONS = 40 };           /* of an interval: a time is found to 1e-8 of it by golden ones, to 1e-12 by halves */
static const double STUCK = 1e-3; /* of the speed of a slip: below this it has ended */

/* ---- which are closed -------------------------------------------------------------------------------- */

/* a motor has no gap */
static ss_status find_closed(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact, bool *closed)
{
    ss_contact_value value;
    SS_TRY(ss_contact_eval(ctx, m, c, contact, &value));
    *closed = value.gap <= SS_TOL_CLOSED_COMPARED * ss_contact_unit(m, contact) && value.outside <= 0 &&
              contact->id.kind != SS_CONTACT_MOTOR;
    return SS_OK;
}

/* leaves in sim->scratch.overlap all that it has looked at */
ss_status ss_closed_find(ss_sim *sim, const ss_state *state, ss_closed *out)
{
    const ss_model *m = sim->model;
    ss_config c;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, state->t, state->q, &c);
    SS_TRY(ss_finder_find(sim->finder, &c, SS_TOL_CLOSED_COMPARED * m->length, &sim->scratch.overlap));
    out->n = 0;
    for (int k = 0; k < sim->scratch.overlap.n; k++) {
        bool closed;
        SS_TRY(find_closed(sim->ctx, m, &c, &sim->scratch.overlap.c[k], &closed));
        if (closed) {
            SS_PUSH(sim->ctx, out->id, out->n, out->cap, sim->scratch.overlap.c[k].id);
        }
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}

static bool has(const ss_closed *set, const ss_contact_id *id)
{
    int low = 0, high = set->n;
    while (low < high) {
        int middle = (low + high) / 2, order = ss_contact_id_compare(&set->id[middle], id);
        if (order == 0) {
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

bool ss_closed_has_more(const ss_closed *set, const ss_closed *other)
{
    for (int k = 0; k < set->n; k++) {
        if (!has(other, &set->id[k])) {
            return true;
        }
    }
    return false;
}

/* ---- what went too far --------------------------------------------------------------------------------- */

/* The ends of a half step, and where the velocities at its ends, and the mean of the two, alone lead to from its start. */
enum { AT_START, AT_END, BY_FIRST, BY_LAST, BY_MEAN, PLACES };

static ss_status take_places(ss_sim *sim, const ss_state *from, const ss_state *to, ss_config place[PLACES])
{
    const ss_model *m = sim->model;
    double *v, *led;
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nv, sizeof(double), &v));
    for (int k = 0; k < PLACES; k++) {
        SS_TRY(ss_config_take(sim->arena, m, &place[k]));
    }
    for (int k = BY_FIRST; k < PLACES; k++) {
        double first = k == BY_FIRST ? 1 : k == BY_LAST ? 0 : 0.5;
        for (int i = 0; i < m->nv; i++) {
            v[i] = first * from->v[i] + (1 - first) * to->v[i];
        }
        SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof(double), &led));
        ss_model_retract(m, from->q, v, to->t - from->t, led);
        ss_config_set(m, to->t, led, &place[k]);
    }
    ss_config_set(m, from->t, from->q, &place[AT_START]);
    ss_config_set(m, to->t, to->q, &place[AT_END]);
    ss_config_drive(m, from->t, from->t, &place[AT_START]);
    ss_config_drive(m, to->t, to->t, &place[AT_END]);
    return SS_OK;
}

/* A half step that is judged. */
typedef struct half {
    const ss_closed *before, *after; /* closed at its start, at its end */
    bool located;                    /* the scheme locates what happens  */
    bool timed;                      /* its impacts have their times     */
    const ss_state *from, *to;
    ss_config place[PLACES];
} half;

/* overlap of a contact at c; 0 if it is open or its witness is off the features */
static ss_status find_depth(const ss_sim *sim, const ss_config *c, const ss_contact *contact, double *depth)
{
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &value));
    *depth = value.outside > 0 ? 0 : ss_worse(ss_contact_depth(&value), 0);
    return SS_OK;
}

/* By how far the approach at the start would have passed the surface where it was seen then: a body that is stopped by a small
 * peg is beyond it where its first velocity alone leads. */
static ss_status find_passage(const ss_sim *sim, const half *x, const ss_contact *contact, double *depth)
{
    const ss_config *c = &x->place[AT_START];
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &value));
    const double speed = ss_contact_velocity(sim->model, c, contact, &value, 0, x->from->v);
    *depth = value.outside > 0 ? 0 : ss_worse(-value.gap - (x->place[AT_END].t - c->t) * speed, 0);
    return SS_OK;
}

static ss_status find_overshoot(const ss_sim *sim, const half *x, const ss_contact *contact, double *out)
{
    bool fresh = !has(x->before, &contact->id), closed = has(x->after, &contact->id);
    bool flight = fresh || ss_account_normal_impulse(sim->pending, &contact->id) == 0;
    const bool asked[PLACES] = { [AT_END] = fresh && closed,
                                 [BY_FIRST] = !x->timed && fresh,
                                 [BY_LAST] = !x->timed && flight && closed,
                                 [BY_MEAN] = !x->timed && flight && !closed };
    double most = 0, start;
    for (int k = AT_END; k < PLACES; k++) {
        double depth = 0;
        if (asked[k]) {
            SS_TRY(find_depth(sim, &x->place[k], contact, &depth));
        }
        most = ss_worse(most, depth);
    }
    if (!x->timed && fresh && closed && contact->id.kind == SS_CONTACT_SHAPES) {
        double depth;
        SS_TRY(find_passage(sim, x, contact, &depth));
        most = ss_worse(most, depth);
    }
    SS_TRY(find_depth(sim, &x->place[AT_START], contact, &start));
    *out = (most - start) / ss_contact_unit(sim->model, contact);
    return SS_OK;
}

/* speed of a contact in its tangent plane */
static ss_status find_slip(const ss_sim *sim, const ss_config *c, const ss_contact *contact, const double *v, double *slip)
{
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &value));
    *slip = 0;
    for (int k = 1; k < sim->model->dimension; k++) {
        *slip = hypot(*slip, ss_contact_velocity(sim->model, c, contact, &value, k, v));
    }
    return SS_OK;
}

/* The way by which the end of a slip may be missed, in units; 0: it goes on, or there was none. */
static ss_status find_slip_end(const ss_sim *sim, const half *x, const ss_contact *contact, double *out)
{
    double before, after;
    *out = 0;
    if (x->located || contact->id.kind != SS_CONTACT_SHAPES || !has(x->before, &contact->id) || !has(x->after, &contact->id)) {
        return SS_OK;
    }
    SS_TRY(find_slip(sim, &x->place[AT_START], contact, x->from->v, &before));
    SS_TRY(find_slip(sim, &x->place[AT_END], contact, x->to->v, &after));
    if (after <= STUCK * before) {
        *out = 0.5 * before * (x->to->t - x->from->t) / sim->model->length;
    }
    return SS_OK;
}

/* Does contact k, closed before and after, stop a body that came straight to it? */
static ss_status find_stop(const ss_sim *sim, const half *x, const ss_contact *contact, const ss_state *from, bool *stops)
{
    const ss_model *m = sim->model;
    double deep = 0, start = 0, way = 0;
    for (int k = 0; k < 2; k++) {
        const int body = contact->at[k].body;
        for (int i = 0; ss_model_is_dynamic(m, body) && i < m->dimension && !ss_model_is_block(m, body); i++) {
            way = hypot(way, (x->place[AT_END].t - x->place[AT_START].t) * from->v[m->body_v[body] + i]);
        }
    }
    SS_TRY(find_depth(sim, &x->place[BY_FIRST], contact, &deep));
    SS_TRY(find_depth(sim, &x->place[AT_START], contact, &start));
    *stops = way > 0 && deep - start > STRAIGHT * way;
    return SS_OK;
}

/* the first of its bodies that moves freely */
static int mover_of(const ss_model *m, const ss_contact *contact)
{
    return contact->at[ss_model_is_dynamic(m, contact->at[0].body) ? 0 : 1].body;
}

/* overshoot of the contacts in sim->scratch.overlap; motors are left out, they have no gap */
static ss_status judge_found(ss_sim *sim, const half *x, const ss_state *from, ss_estimate *worst)
{
    for (int k = 0; k < sim->scratch.overlap.n; k++) {
        const ss_contact *contact = &sim->scratch.overlap.c[k];
        if (contact->id.kind != SS_CONTACT_MOTOR) {
            double off, slip;
            bool stops = false;
            SS_TRY(find_overshoot(sim, x, contact, &off));
            SS_TRY(find_slip_end(sim, x, contact, &slip));
            SS_TRY(x->timed ? SS_OK : find_stop(sim, x, contact, from, &stops));
            sim->pending->nonsmooth = sim->pending->nonsmooth || stops;
            ss_estimate_raise(worst, ss_worse(off, slip), mover_of(sim->model, contact));
        }
    }
    return SS_OK;
}

/* ---- what was met and left again ------------------------------------------------------------------------ */

/* Gap of a contact of shapes where v at the start of the half alone leads to in the time s; q: scratch. */
static double gap_after(const ss_model *m, const half *x, const ss_contact *contact, double s, double *q)
{
    ss_gap_value value;
    ss_frame frame[2];
    for (int k = 0; k < 2; k++) {
        const int body = m->shape_body[k == 0 ? contact->id.a : contact->id.b];
        if (ss_model_is_dynamic(m, body)) {
            ss_model_retract_body(m, body, x->from->q, x->from->v, s, q);
        }
        frame[k] = ss_model_frame(m, body, x->from->t + s, q);
    }
    ss_gap_eval(&contact->gap, &frame[0], &frame[1], &value);
    return value.gap;
}

/* The time after which the gap is least, by golden sections: along a line the gap of convex shapes is a convex function. */
static double find_nearest(const ss_model *m, const half *x, const ss_contact *contact, double *q)
{
    const double part = 0.3819660112501051;
    double low = 0, high = x->to->t - x->from->t;
    for (int k = 0; k < SECTIONS; k++) {
        const double a = low + part * (high - low), b = high - part * (high - low);
        const bool earlier = gap_after(m, x, contact, a, q) < gap_after(m, x, contact, b, q);
        high = earlier ? b : high;
        low = earlier ? low : a;
    }
    return 0.5 * (low + high);
}

/* The time *s after which shapes meet that were apart; false: they do not. */
static bool find_meeting(const ss_model *m, const half *x, const ss_contact *contact, double *q, double *s)
{
    double apart = 0, inside = find_nearest(m, x, contact, q);
    if (!(gap_after(m, x, contact, inside, q) < 0)) {
        return false;
    }
    for (int k = 0; k < SECTIONS; k++) {
        const double middle = 0.5 * (apart + inside);
        const bool met = gap_after(m, x, contact, middle, q) < 0;
        inside = met ? middle : inside;
        apart = met ? apart : middle;
    }
    *s = apart;
    return true;
}

/* How far the approach would go on after shapes have met, in units; 0: they do not meet. */
static ss_status find_way_on(ss_sim *sim, const half *x, const ss_contact *contact, double *out)
{
    const ss_model *m = sim->model;
    ss_contact_value value;
    ss_config c;
    double *q, s;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(ss_config_take(sim->arena, m, &c));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof(double), &q));
    *out = 0;
    if (find_meeting(m, x, contact, q, &s)) {
        ss_model_retract(m, x->from->q, x->from->v, s, q);
        ss_config_set(m, x->from->t + s, q, &c);
        ss_config_drive(m, c.t, c.t, &c);
        SS_TRY(ss_contact_eval(sim->ctx, m, &c, contact, &value));
        *out = ss_worse(-ss_contact_velocity(m, &c, contact, &value, 0, x->from->v), 0) * (x->to->t - c.t) / m->length;
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}

/* By how far a contact that was closed was passed: the approach at its start, if the velocity at the end is one too. */
static ss_status find_way_through(const ss_sim *sim, const half *x, const ss_contact *contact, double *out)
{
    const ss_config *c = &x->place[AT_START];
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &value));
    const double first = ss_contact_velocity(sim->model, c, contact, &value, 0, x->from->v),
                 last = ss_contact_velocity(sim->model, c, contact, &value, 0, x->to->v);
    *out = (x->to->t - x->from->t) * fmax(-fmax(first, last), 0) / sim->model->length;
    return SS_OK;
}

/* contacts that were closed, are open at the end, and have had no impulse */
static ss_status judge_opened(ss_sim *sim, const half *x, ss_estimate *worst)
{
    if (!ss_closed_has_more(x->before, x->after)) {
        return SS_OK;
    }
    ss_contact_set *set = &sim->scratch.overlap;
    SS_TRY(ss_finder_find(sim->finder, &x->place[AT_START], SS_TOL_CLOSED_COMPARED * sim->model->length, set));
    for (int k = 0; k < set->n; k++) {
        const ss_contact_id *id = &set->c[k].id;
        double off = 0;
        if (id->kind == SS_CONTACT_SHAPES && has(x->before, id) && !has(x->after, id) &&
            ss_account_normal_impulse(sim->pending, id) == 0) {
            SS_TRY(find_way_through(sim, x, &set->c[k], &off));
        }
        ss_estimate_raise(worst, off, mover_of(sim->model, &set->c[k]));
    }
    return SS_OK;
}

static bool was_met_and_left(const ss_sim *sim, const half *x, int k)
{
    const ss_reactions *r = &sim->pending->reactions;
    const ss_contact_id *id = &r->contact[k].id;
    return id->kind == SS_CONTACT_SHAPES && r->contact[k].impulse[0] > 0 && !has(x->before, id) && !has(x->after, id);
}

static ss_status judge_passages(ss_sim *sim, const half *x, ss_estimate *worst)
{
    const ss_contact_set *set = sim->pending->reactions.full;
    for (int k = 0; k < set->n; k++) {
        double off = 0;
        SS_TRY(was_met_and_left(sim, x, k) ? find_way_on(sim, x, &set->c[k], &off) : SS_OK);
        ss_estimate_raise(worst, off, mover_of(sim->model, &set->c[k]));
    }
    return SS_OK;
}

/* ---- what was thrown back --------------------------------------------------------------------------------- */

/* A contact at the start of the half: its gap, its approach, by how much forces change that in a second, and driven bodies in the
 * half. */
typedef struct approach {
    double gap, speed, change, driven;
} approach;

/* *later: the velocities that the bodies would have a second after the start of the half. BY_FIRST becomes the place of the start
 * with the driven velocities of the end. */
static ss_status find_later(ss_sim *sim, half *x, double **later)
{
    ss_config_set(sim->model, x->from->t, x->from->q, &x->place[BY_FIRST]);
    ss_config_drive(sim->model, x->to->t, x->to->t, &x->place[BY_FIRST]);
    SS_TRY(ss_arena_take(sim->arena, (size_t)sim->model->nv, sizeof **later, later));
    SS_TRY(ss_free_motion_find(sim->control.pace.free, &x->place[AT_START], x->from->v, 1));
    for (int i = 0; i < sim->model->nv; i++) {
        (*later)[i] = x->from->v[i] + sim->control.pace.free->change[i];
    }
    return SS_OK;
}

static ss_status find_approach(const ss_sim *sim, const half *x, const ss_contact *contact, const double *later, approach *out)
{
    const ss_config *c = &x->place[AT_START];
    ss_contact_value value;
    SS_TRY(ss_contact_eval(sim->ctx, sim->model, c, contact, &value));
    out->gap = value.gap;
    out->speed = -ss_contact_velocity(sim->model, c, contact, &value, 0, x->from->v);
    out->change = -ss_contact_velocity(sim->model, c, contact, &value, 0, later) - out->speed;
    out->driven = -ss_contact_velocity(sim->model, &x->place[BY_FIRST], contact, &value, 0, x->from->v) - out->speed;
    return SS_OK;
}

/* A contact is met at the speed u, u^2 = speed^2 - 2 a gap, while forces pull it open by a. With an error A of its gap it would
 * be met at sqrt(u^2 + 2 a A), or not at all; where that is mostly due to A, it is grazed. */
static void judge_graze(ss_sim *sim, const ss_contact *contact, const approach *p)
{
    ss_trial_record *trial = &sim->control.trial;
    const double error = (sim->summary.accumulated_error + sim->control.tol) * sim->model->length,
                 u2 = fmax(p->speed * p->speed + 2 * p->change * p->gap, 0), gain = -2 * p->change * error;
    if (gain > u2) {
        const double jump = (1 + contact->e) * (sqrt(u2 + gain) - sqrt(u2));
        trial->grown = ss_worse(trial->grown, trial->time * jump / sim->model->length);
        trial->grazed = *contact;
    }
}

/* Was contact k of the step met in it: has it pressed, but not in the step before, or from an open gap? */
static bool was_met(const ss_sim *sim, const half *x, int k)
{
    const ss_reactions *r = &sim->pending->reactions;
    const ss_contact_id *id = &r->contact[k].id;
    return id->kind == SS_CONTACT_SHAPES && r->contact[k].impulse[0] > 0 &&
           (!has(x->before, id) || !(ss_contact_cache_normal(&x->from->cache, id) > 0));
}

/* Contacts that were met in the half: the velocity behind the impact is off by |a| h, and by what driven bodies change. */
static ss_status judge_rebounds(ss_sim *sim, half *x, ss_estimate *worst)
{
    const ss_reactions *r = &sim->pending->reactions;
    const double h = x->to->t - x->from->t, time = sim->control.trial.time;
    double *later = NULL;
    for (int k = 0; k < r->n; k++) {
        const ss_contact *contact = &r->full->c[k];
        if (was_met(sim, x, k)) {
            approach p;
            SS_TRY(later ? SS_OK : find_later(sim, x, &later));
            SS_TRY(find_approach(sim, x, contact, later, &p));
            const double off = h * fmin(fabs(p.change) * time, fmax(p.speed, 0)) + fabs(p.driven) * time;
            ss_estimate_raise(worst, off / sim->model->length, mover_of(sim->model, contact));
            judge_graze(sim, contact, &p);
        }
    }
    return SS_OK;
}

ss_status ss_closed_overshoot(ss_sim *sim, const ss_state *from, const ss_state *to, const ss_closed *before,
                              const ss_closed *after, ss_estimate *worst)
{
    const unsigned jumps = 1u << SS_EVENT_IMPACT | 1u << SS_EVENT_LIMIT;
    const bool located = sim->control.impacts > 1;
    half x = { .before = before,
               .after = after,
               .located = located,
               .timed = located || (sim->pending->events.kinds & jumps),
               .from = from,
               .to = to };
    if (x.timed && after->n == 0) {
        return SS_OK;
    }
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(take_places(sim, from, to, x.place));
    SS_TRY(judge_found(sim, &x, from, worst));
    for (int k = 0; !x.timed && k < 2; k++) { /* contacts that were pushed open again are not found at the end */
        SS_TRY(ss_finder_find(sim->finder, &x.place[k == 0 ? BY_FIRST : BY_MEAN], 0, &sim->scratch.overlap));
        SS_TRY(judge_found(sim, &x, from, worst));
    }
    SS_TRY(x.timed ? SS_OK : judge_passages(sim, &x, worst));
    SS_TRY(x.timed ? SS_OK : judge_opened(sim, &x, worst));
    SS_TRY(x.timed ? SS_OK : judge_rebounds(sim, &x, worst));
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}
