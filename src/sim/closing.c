/* closing.c - contacts that close in a trial: which they are, and what went too far before anybody noticed.
 *
 * A scheme that does not locate impacts lets a contact close anywhere in a step. One that notices too late, at the step after,
 * makes the same mistake with h as with h/2 + h/2: the difference of the two says nothing. What does is how far the
 * contact has gone too far in a half step, in its unit (a length, or a radian):
 *
 *     depth at the end - depth at the start                           it closed, or touched all the time
 *     depth where v at the start, or at the end, alone leads to       it closed; projected back, it has no depth at the end
 *     depth where v at the end alone leads to                         it touched all the time without any impulse
 *
 * each where positive. The last is a flight that ended within the step. Steps that report an impact know its time, and so
 * does a scheme whose order through impacts is above 1: for these the depth at the end is all.
 *
 * Status   closed: gap <= 1e-8 of the unit                                                             [Aca09 eq. 68] */
#include "sim/sim.h"
#include <math.h>

static const double TOUCH = 1e-8; /* of a contact's unit: a smaller gap is closed */

/* ---- which are closed -------------------------------------------------------------------------------- */

static double depth_at(const ss_model *m, const ss_config *c, const ss_contact *contact)
{
    ss_contact_value value;
    ss_contact_eval(m, c, contact, &value);
    return ss_contact_depth(&value);
}

/* a motor has no gap */
static bool is_closed(const ss_model *m, const ss_config *c, const ss_contact *contact)
{
    ss_contact_value value;
    ss_contact_eval(m, c, contact, &value);
    return value.gap <= TOUCH * ss_contact_unit(m, contact) && value.outside <= 0 && contact->id.kind != SS_CONTACT_MOTOR;
}

/* leaves in sim->overlap all that it has looked at */
ss_status ss_closed_find(ss_sim *sim, const ss_state *state, ss_closed *out)
{
    const ss_model *m = sim->model;
    ss_config c;
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, state->t, state->q, &c);
    SS_TRY(ss_finder_find(sim->finder, &c, TOUCH * m->length, &sim->overlap));
    out->n = 0;
    for (int k = 0; k < sim->overlap.n; k++) {
        if (is_closed(m, &c, &sim->overlap.c[k])) {
            SS_PUSH(sim->ctx, out->id, out->n, out->cap, sim->overlap.c[k].id);
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

/* The ends of a half step, and where the velocities at its ends alone lead to from its start. */
enum { AT_START, AT_END, BY_FIRST, BY_LAST, PLACES };

static ss_status take_places(ss_sim *sim, const ss_state *from, const ss_state *to, ss_config place[PLACES])
{
    const ss_model *m = sim->model;
    double *led[2];
    for (int k = 0; k < PLACES; k++) {
        SS_TRY(ss_config_take(sim->arena, m, &place[k]));
    }
    for (int k = 0; k < 2; k++) {
        SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof(double), &led[k]));
        ss_model_retract(m, from->q, k == 0 ? from->v : to->v, to->t - from->t, led[k]);
        ss_config_set(m, to->t, led[k], &place[BY_FIRST + k]);
    }
    ss_config_set(m, from->t, from->q, &place[AT_START]);
    ss_config_set(m, to->t, to->q, &place[AT_END]);
    return SS_OK;
}

/* of a contact that is closed at the end; fresh: it was open at the start */
static double overshoot(const ss_sim *sim, const ss_config place[PLACES], const ss_contact *contact, bool fresh)
{
    const unsigned jumps = 1u << SS_EVENT_IMPACT | 1u << SS_EVENT_LIMIT;
    const ss_model *m = sim->model;
    const ss_account *a = sim->pending;
    bool timed = sim->control.impacts > 1 || (a->kinds & jumps);
    double depth = fresh ? depth_at(m, &place[AT_END], contact) : 0;
    if (!timed && fresh) {
        depth = fmax(depth, depth_at(m, &place[BY_FIRST], contact));
    }
    if (!timed && (fresh || ss_account_normal_impulse(a, &contact->id) == 0)) {
        depth = fmax(depth, depth_at(m, &place[BY_LAST], contact));
    }
    return (depth - fmax(depth_at(m, &place[AT_START], contact), 0)) / ss_contact_unit(m, contact);
}

ss_status ss_closed_overshoot(ss_sim *sim, const ss_state *from, const ss_state *to, const ss_closed *before,
                              const ss_closed *after, ss_estimate *worst)
{
    const ss_model *m = sim->model;
    ss_config place[PLACES];
    if (after->n == 0) {
        return SS_OK;
    }
    ss_arena_mark mark = ss_arena_save(sim->arena);
    SS_TRY(take_places(sim, from, to, place));
    for (int k = 0; k < sim->overlap.n; k++) {
        const ss_contact *contact = &sim->overlap.c[k];
        double error = has(after, &contact->id) ? overshoot(sim, place, contact, !has(before, &contact->id)) : 0;
        if (error > worst->error) {
            worst->error = error;
            worst->body = contact->body[ss_model_is_dynamic(m, contact->body[0]) ? 0 : 1];
        }
    }
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}
