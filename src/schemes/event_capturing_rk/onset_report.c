/* onset_report.c - what an onset tells of itself: contacts and moments that stick, slip or come off unlike in the phase before.
 *
 * Cost   contacts times contacts of the phase before */
#include "schemes/event_capturing_rk/onset.h"

ss_status ss_onset_report(ss_onset *x, ss_event_kind kind, const ss_contact *contact)
{
    char name[128];
    ss_event event = { .t = x->t, .kind = kind, .q = x->q };
    ss_contact_name(x->s->model, contact, name, sizeof name);
    event.contact = name;
    for (int i = 0; i < 2; i++) {
        event.bodies[i] = contact->at[i].body < x->s->model->bodies ? contact->at[i].body : -1;
    }
    return x->s->report->event(x->s->report, &event);
}

static ss_contact_mode held_as(const ss_onset *x, const ss_contact_id *id)
{
    for (int i = 0; i < x->before.n; i++) {
        if (ss_contact_id_compare(&x->before.id[i], id) == 0) {
            return x->before.mode[i];
        }
    }
    return SS_MODE_NONE;
}

static ss_status remember_holds(ss_onset *x)
{
    const ss_phase *phase = x->phase;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)phase->n, sizeof *x->before.id, &x->before.id));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)phase->n, sizeof *x->before.mode, &x->before.mode));
    for (int i = 0; i < phase->n; i++) {
        x->before.id[i] = phase->closed[i].contact.id;
        x->before.mode[i] = phase->closed[i].mode;
    }
    x->before.n = phase->n;
    return SS_OK;
}

/* stick and slip of a contact, or of a moment */
static ss_status report_change(ss_onset *x, const ss_contact *contact, ss_contact_mode was, ss_contact_mode now)
{
    if (was == SS_MODE_SLIP && now == SS_MODE_STICK) {
        return ss_onset_report(x, SS_EVENT_STICK, contact);
    }
    return was == SS_MODE_STICK && now == SS_MODE_SLIP ? ss_onset_report(x, SS_EVENT_SLIP, contact) : SS_OK;
}

/* stick, slip and take-off: contact modes before, and now */
ss_status ss_onset_report_changes(ss_onset *x)
{
    const ss_phase *phase = x->phase;
    for (int k = 0; x->before.n >= 0 && k < x->around->near.n; k++) {
        const ss_contact *contact = ss_onset_contact(x, k);
        ss_contact_mode now = x->in_phase[k] >= 0 ? phase->closed[x->in_phase[k]].mode : SS_MODE_NONE,
                        was = held_as(x, &contact->id);
        SS_TRY(report_change(x, contact, was, now));
        if (was != SS_MODE_NONE && x->stands[k] == SS_STANDS_LEAVING) {
            SS_TRY(ss_onset_report(x, SS_EVENT_TAKEOFF, contact));
        }
    }
    for (int i = phase->set.n; x->before.n >= 0 && i < phase->n; i++) {
        const ss_contact *moment = &phase->closed[i].contact;
        SS_TRY(report_change(x, moment, held_as(x, &moment->id), phase->closed[i].mode));
    }
    return remember_holds(x);
}
