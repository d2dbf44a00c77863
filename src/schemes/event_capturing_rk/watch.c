/* watch.c - the event functions of an attempt, and the first of them that falls to zero.
 *
 *   gap       of a contact that carries nothing                                              impact
 *   slip      its velocity along the direction that it had, or takes, at the start; of
 *             moments the angular velocity                                                   stick
 *   pivot     H_N K^-1 (H_N' - mu H_T' s) of a slipping contact                              Painleve
 *   face      how far the witness of a closed contact is inside its features                 a corner leaves its face
 *   release   a threshold less the acceleration at which any contact comes off or begins
 *             to slip, as the contact problem of accelerations says                          takeoff, slip
 *
 * Every function has its own unit. Some start from zero and grow: the gap of a rebound like s, that of a contact which
 * comes off like s^2, slip that begins like s. Divided by as many powers of s/length they start from their growth, and
 * their zero at the start is no event.
 *
 * A function may fall below zero and rise again within the attempt. So all are also looked at on the cubic that joins its
 * ends, at the inner ones of PARTS + 1 places, and where a parabola through three neighbours is lowest, if it is below zero
 * there. `release` is flat where nothing is released: the least margin of a force, r_N or mu r_N - |r_T| beside the sum
 * of both, tells where to look. What the cubic shows counts only if an attempt that ends there shows it, too. */
#include "schemes/event_capturing_rk/watch.h"
#include "base/tolerances.h"
#include "events/events.h"
#include "problem/contact_law.h"
#include <math.h>

static const double TIME = 1e-15; /* of the nominal step: the search ends where times cannot be told apart */

typedef enum watch_kind { GAP, SLIP, PIVOT, FACE, RELEASE_OF_ANY } watch_kind;
typedef struct watch {
    watch_kind kind;
    int of;          /* GAP: contact of the survey; else of the phase                                      */
    int zero;        /* it starts from a zero of this order: divided by as many powers of s/length          */
    double start;    /* at the start, in its unit                                                          */
    double unit, up; /* value = (raw + up)/unit; up: so that round-off near a zero at the start is no event */
} watch;

typedef struct watch_list {
    const ss_onset *onset;
    ss_attempt *attempt;
    double length;   /* of the attempt: powers of it scale what starts from zero      */
    double searched; /* up to here                                                    */
    double failed;   /* a length for which the attempt has no end; 0: none was met    */
    watch *w;
    int n;
} watch_list;

/* ---- what is watched ----------------------------------------------------------------------------- */

static void push(watch_list *list, watch w) { list->w[list->n++] = w; }

/* Overlap of a contact that touches at the start, beyond round-off. It is watched from there: that it goes apart from an overlap
 * is no event, that it goes deeper is one. */
static double overlap_at_start(const ss_onset *onset, int k)
{
    bool beyond = onset->around->gap[k] < -SS_TOL_CLOSED_LOCATED * ss_onset_unit(onset, k);
    return beyond && onset->stands[k] != SS_STANDS_APART ? -onset->around->gap[k] : 0;
}

static void watch_gap(watch_list *list, int k)
{
    const ss_onset *onset = list->onset;
    double unit = ss_onset_unit(onset, k), h = list->length, overlap = overlap_at_start(onset, k);
    watch w = { .kind = GAP, .of = k, .unit = unit, .up = SS_TOL_ROUND_OFF * unit + overlap };
    switch (onset->stands[k]) {
    case SS_STANDS_REBOUNDING:
        w.zero = 1;
        w.start = onset->rise[k] * h / unit;
        break;
    case SS_STANDS_LEAVING:
        w.zero = 2;
        w.start = onset->rise[k] * h * h / unit;
        break;
    default: /* apart: to the root itself; or closed without a force */
        w.up = overlap + (onset->stands[k] == SS_STANDS_CLOSED ? 10 * SS_TOL_CLOSED_LOCATED * unit : 0);
        w.start = (fmax(onset->around->gap[k], onset->around->outside[k]) + w.up) / unit;
    }
    push(list, w);
}

static void watch_slip(watch_list *list, int i)
{
    const ss_closed_contact *closed = &list->attempt->phase->closed[i];
    bool begins = !(closed->speed > 0);
    push(list, (watch){ .kind = SLIP,
                        .of = i,
                        .zero = begins,
                        .start = 1,
                        .unit = begins ? closed->gain * list->length : closed->speed,
                        .up = begins ? SS_TOL_ROUND_OFF * ss_onset_fastest(list->onset) : 0 });
}

/* the phase has been evaluated at the end of an attempt: the start is in the survey */
static double outside_at_start(const ss_onset *onset, int i)
{
    for (int k = 0; k < onset->around->near.n; k++) {
        if (onset->in_phase[k] == i) {
            return onset->around->outside[k];
        }
    }
    return -INFINITY;
}

static void watch_held(watch_list *list, int i)
{
    const ss_closed_contact *closed = &list->attempt->phase->closed[i];
    double outside = outside_at_start(list->onset, i), length = list->attempt->s->model->length;
    if (closed->mode == SS_MODE_SLIP || closed->mode == SS_MODE_FULL) {
        watch_slip(list, i);
    }
    if (closed->mode == SS_MODE_SLIP && !ss_contact_is_moment(&closed->contact)) {
        push(list, (watch){ .kind = PIVOT, .of = i, .start = closed->pivot, .unit = 1 });
    }
    if (isfinite(outside)) {
        push(list, (watch){ .kind = FACE, .of = i, .start = -outside / length, .unit = length });
    }
}

static ss_status set_watches(watch_list *list)
{
    const ss_onset *onset = list->onset;
    const ss_phase *phase = onset->phase;
    int near = onset->around->near.n;
    SS_TRY(ss_arena_take(onset->s->arena, (size_t)(near + 3 * phase->n + 1), sizeof *list->w, &list->w));
    for (int k = 0; k < near; k++) {
        bool carries = onset->in_phase[k] >= 0 && phase->closed[onset->in_phase[k]].mode != SS_MODE_NONE;
        if (!carries && !ss_onset_is_motor(onset, k)) {
            watch_gap(list, k);
        }
    }
    for (int i = 0; i < phase->n; i++) {
        watch_held(list, i);
    }
    if (phase->n > 0) {
        push(list, (watch){ .kind = RELEASE_OF_ANY, .start = 2 * SS_TOL_ROOT, .unit = 0.5 * SS_TOL_RELEASE / SS_TOL_ROOT });
    }
    return SS_OK;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* A gap is open where its witness is off the features, too, and where the shapes slide past each other. */
static ss_status find_gap(const ss_onset *onset, const ss_config *c, int k, double *gap)
{
    ss_contact_value value;
    SS_TRY(ss_contact_eval(onset->s->ctx, onset->s->model, c, ss_onset_contact(onset, k), &value));
    *gap = ss_vicinity_has_passed(onset->around, k, &value) ? value.gap : fmax(value.gap, value.outside);
    *gap = ss_vicinity_slides_past(onset->around, onset->s->model, c, k, &value, 0) ? fabs(*gap) : *gap;
    return SS_OK;
}

/* velocity of slip at the end of the attempt along where it went at the start */
static double slip_along(const ss_attempt *attempt, int i)
{
    const ss_assembly *at = attempt->phase->at;
    const ss_problem *p = &at->problem;
    const ss_closed_contact *closed = &attempt->phase->closed[i];
    const int first = ss_law_first_tangent(p, i), tangents = p->row[i + 1] - first;
    double sum = 0;
    for (int k = 0; k < tangents; k++) {
        double u = ss_csr_row_dot(&p->H, first + k, attempt->v_end) + at->w_drive[first + k];
        sum += u * (tangents == 2 ? ss_dot(closed->along, at->value[i]->tangent[k]) : closed->sign);
    }
    return sum;
}

/* value of one function at the end of the attempt, not yet shifted and scaled */
static ss_status raw_value(const watch_list *list, const watch *w, ss_attempt *attempt, double *out)
{
    switch (w->kind) {
    case GAP:
        return find_gap(list->onset, &attempt->end, w->of, out);
    case SLIP:
        *out = slip_along(attempt, w->of);
        return SS_OK;
    case PIVOT:
        return ss_phase_pivot(attempt->phase, attempt->s->arena, w->of, out);
    case FACE:
        *out = -attempt->phase->at->value[w->of]->outside;
        return SS_OK;
    case RELEASE_OF_ANY:
        SS_TRY(ss_attempt_judge(attempt));
        *out = attempt->verdict.solved ? SS_TOL_RELEASE - attempt->verdict.release : SS_TOL_RELEASE;
        return SS_OK;
    }
    return SS_OK;
}

/* the same, shifted and scaled */
static ss_status find_value(const watch_list *list, const watch *w, ss_attempt *attempt, double *out)
{
    SS_TRY(raw_value(list, w, attempt, out));
    *out = (*out + w->up) / w->unit;
    for (int power = 0; power < w->zero; power++) {
        *out *= list->length / attempt->length;
    }
    return SS_OK;
}

/* The functions after a step of length s. Where it has no end nothing is known of them: the search is led to its end without
 * further attempts, and what it finds does not count. */
static ss_status values_after(void *user, double s, int count, const int *which, double *g)
{
    watch_list *list = user;
    SS_TRY(list->failed > 0 ? SS_OK : ss_attempt_to(list->attempt, s));
    list->failed = list->failed > 0 || list->attempt->found ? list->failed : s;
    for (int j = 0; j < count; j++) {
        const watch *w = &list->w[which[j]];
        g[j] = -w->start;
        SS_TRY(list->failed > 0 ? SS_OK : find_value(list, w, list->attempt, &g[j]));
    }
    return SS_OK;
}

/* ---- inside the attempt -------------------------------------------------------------------------- */

enum { PARTS = 4 };

static double armed_above(const watch *w) { return w->zero > 0 ? 0 : SS_TOL_ROOT; }

/* The functions at a place inside the attempt: the armed ones, and behind them the least margin of a force; INFINITY: of none. */
typedef struct place {
    double s, *value;
} place;

/* The least margin of the forces that the verdict has found. */
static double least_margin(const ss_attempt *attempt)
{
    const ss_phase *phase = attempt->phase;
    const ss_problem *p = &phase->at->problem;
    double least = INFINITY;
    for (int i = 0; attempt->verdict.regular && i < phase->n; i++) {
        const double *r = attempt->verdict.multiplier + phase->model->nj, bound = p->mu[i] * r[ss_phase_normal(phase, i)];
        double friction = 0;
        for (int row = ss_law_first_tangent(p, i); row < p->row[i + 1]; row++) {
            friction = hypot(friction, r[row]);
        }
        if (phase->closed[i].mode == SS_MODE_STICK && friction > 0) {
            least = fmin(least, (bound - friction) / (fabs(bound) + friction));
        }
    }
    return least;
}

/* An attempt that ends at s on the cubic, not at the end of a step of the method. */
static ss_status interpolate(const ss_attempt *attempt, double s, ss_attempt *out)
{
    const ss_model *m = attempt->s->model;
    double *scratch;
    SS_TRY(ss_attempt_begin(out));
    SS_TRY(ss_arena_take(attempt->s->arena, 2 * (size_t)m->nv, sizeof *scratch, &scratch));
    ss_hermite(m, attempt->q, attempt->v, attempt->q_end, attempt->v_end, attempt->length, s, scratch, out->q_end, out->v_end);
    out->length = s;
    out->verdict.known = false;
    ss_config_set(m, attempt->t + s, out->q_end, &out->end);
    return ss_phase_evaluate(attempt->phase, attempt->t + s, out->q_end, out->v_end);
}

static ss_status look_at_end(const watch_list *list, ss_attempt *end, place *at)
{
    at->s = end->length;
    for (int j = 0; j < list->n; j++) {
        at->value[j] = INFINITY;
        if (list->w[j].start > armed_above(&list->w[j])) {
            SS_TRY(find_value(list, &list->w[j], end, &at->value[j]));
        }
    }
    at->value[list->n] = list->attempt->phase->n > 0 ? least_margin(end) : INFINITY;
    return SS_OK;
}

static ss_status look_inside(const watch_list *list, double s, place *at)
{
    ss_attempt end = *list->attempt;
    ss_arena_mark mark = ss_arena_save(list->attempt->s->arena);
    SS_TRY(interpolate(list->attempt, s, &end));
    SS_TRY(look_at_end(list, &end, at));
    ss_arena_release(list->attempt->s->arena, mark);
    return SS_OK;
}

static bool is_negative(const watch_list *list, const place *at)
{
    bool any = false;
    for (int j = 0; j < list->n; j++) {
        any = any || at->value[j] < -SS_TOL_ROOT;
    }
    return any;
}

/* Where the parabola through three places, a step apart, is lowest, if it is below zero there and no place is; else 0. */
static double lowest(const place *p, int j, double step)
{
    const double a = p[0].value[j], b = p[1].value[j], c = p[2].value[j], bend = a - 2 * b + c, slope = 0.5 * (c - a);
    const bool dips = a > 0 && b > 0 && c > 0 && bend > 0 && fabs(slope) < bend && b < 0.5 * slope * slope / bend;
    return dips ? p[1].s - step * slope / bend : 0;
}

/* Does an attempt that ends at s show an event, too? Then what is searched ends there; else the attempt is what it was. */
static ss_status confirm(watch_list *list, place *at, bool *found)
{
    const double length = list->attempt->length, s = at->s;
    SS_TRY(ss_attempt_to(list->attempt, s));
    if (list->attempt->found) {
        SS_TRY(look_at_end(list, list->attempt, at));
    }
    *found = list->attempt->found && is_negative(list, at);
    list->searched = *found ? s : list->searched;
    return *found ? SS_OK : ss_attempt_to(list->attempt, length);
}

static ss_status take_places(const watch_list *list, place p[PARTS + 2])
{
    for (int k = 0; k < PARTS + 2; k++) {
        SS_TRY(ss_arena_take(list->attempt->s->arena, (size_t)list->n + 1, sizeof(double), &p[k].value));
    }
    for (int j = 0; j < list->n; j++) {
        p[0].value[j] = list->w[j].start > armed_above(&list->w[j]) ? list->w[j].start : INFINITY;
    }
    p[0].value[list->n] = INFINITY;
    p[0].s = 0;
    return SS_OK;
}

/* Dips between the places: each lowest point of a parabola is looked at. */
static ss_status find_dips(watch_list *list, place p[PARTS + 2], bool *found)
{
    place *extra = &p[PARTS + 1];
    for (int j = 0; !*found && j <= list->n; j++) {
        for (int k = 0; !*found && k + 2 <= PARTS; k++) {
            double s = lowest(p + k, j, list->length / PARTS);
            if (s > 0 && s < list->length) {
                SS_TRY(look_inside(list, s, extra));
                SS_TRY(is_negative(list, extra) ? confirm(list, extra, found) : SS_OK);
            }
        }
    }
    return SS_OK;
}

/* Events that begin and end within the attempt: what is searched ends where the first was seen. */
static ss_status watch_inside(watch_list *list)
{
    place p[PARTS + 2];
    bool found = false;
    ss_attempt *attempt = list->attempt;
    SS_TRY(take_places(list, p));
    for (int k = 1; !found && k < PARTS; k++) {
        SS_TRY(look_inside(list, list->length * k / PARTS, &p[k]));
        SS_TRY(is_negative(list, &p[k]) ? confirm(list, &p[k], &found) : SS_OK);
    }
    if (!found) {
        attempt->verdict.known = false;
        SS_TRY(ss_phase_evaluate(attempt->phase, attempt->t + attempt->length, attempt->q_end, attempt->v_end));
        SS_TRY(look_at_end(list, attempt, &p[PARTS]));
        SS_TRY(is_negative(list, &p[PARTS]) ? SS_OK : find_dips(list, p, &found));
    }
    attempt->verdict.known = false;
    return found ? SS_OK : ss_phase_evaluate(attempt->phase, attempt->t + attempt->length, attempt->q_end, attempt->v_end);
}

/* ---- the first event ----------------------------------------------------------------------------- */

/* The first event, NULL: none; the attempt ends there. If an attempt on the way had no end, it is a shorter one, to be searched.
 */
static ss_status find_event(watch_list *list, const watch **event)
{
    ss_stepper *s = list->attempt->s;
    double *start, *armed;
    SS_TRY(ss_arena_take(s->arena, (size_t)list->n, sizeof *start, &start));
    SS_TRY(ss_arena_take(s->arena, (size_t)list->n, sizeof *armed, &armed));
    for (int j = 0; j < list->n; j++) {
        start[j] = list->w[j].start;
        armed[j] = armed_above(&list->w[j]);
    }
    ss_event_search search = { .eval = values_after,
                               .user = list,
                               .count = list->n,
                               .start = start,
                               .armed = armed,
                               .length = list->searched,
                               .tol = TIME * s->h_nominal,
                               .accept = SS_TOL_ROOT };
    ss_event_found found;
    SS_TRY(ss_events_first(s->arena, &search, &found));
    *event = found.found && !(list->failed > 0) ? &list->w[found.which[0]] : NULL;
    if (list->failed > 0) {
        return ss_attempt_within(list->attempt, 0.5 * list->failed);
    }
    return ss_attempt_to(list->attempt, found.found ? found.s : list->searched); /* the search ends on another length */
}

/* Has a slip come to rest at the end of the attempt? Its velocity is then what is left of it across its direction: the error of
 * the method. Much more is left where it has only turned. */
static bool comes_to_rest(const ss_attempt *attempt, int i)
{
    const ss_assembly *at = attempt->phase->at;
    const ss_problem *p = &at->problem;
    const ss_closed_contact *closed = &attempt->phase->closed[i];
    double u = 0, reference = closed->speed > 0 ? closed->speed : closed->gain * attempt->length;
    for (int row = ss_law_first_tangent(p, i); row < p->row[i + 1]; row++) {
        u = hypot(u, ss_csr_row_dot(&p->H, row, attempt->v_end) + at->w_drive[row]);
    }
    return closed->mode == SS_MODE_SLIP && slip_along(attempt, i) <= SS_TOL_STOPPED * reference && u <= SS_TOL_TURNED * reference;
}

static void note(ss_noted *list, const ss_closed_contact *closed) { list->id[list->n++] = closed->contact.id; }

/* Note what the event says about contacts, so that the next onset does not depend on round-off in their gaps and speeds. */
static ss_status note_event(const ss_attempt *attempt, const watch *event, ss_event_notes *notes)
{
    const ss_phase *phase = attempt->phase;
    ss_arena *arena = attempt->s->arena;
    *notes = (ss_event_notes){ .any = event != NULL };
    SS_TRY(ss_arena_take(arena, (size_t)phase->n, sizeof *notes->lost.id, &notes->lost.id));
    SS_TRY(ss_arena_take(arena, (size_t)phase->n, sizeof *notes->stopped.id, &notes->stopped.id));
    if (event && event->kind == FACE) {
        note(&notes->lost, &phase->closed[event->of]);
    }
    for (int i = 0; event && event->kind == SLIP && i < phase->n; i++) {
        if (comes_to_rest(attempt, i)) {
            note(&notes->stopped, &phase->closed[i]);
        }
    }
    return SS_OK;
}

ss_status ss_watch_first(const ss_onset *onset, ss_attempt *attempt, ss_event_notes *notes)
{
    watch_list list = { .onset = onset, .attempt = attempt, .failed = attempt->length };
    const watch *first = NULL;
    while (list.failed > 0 && attempt->found) {
        list = (watch_list){ .onset = onset, .attempt = attempt, .length = attempt->length, .searched = attempt->length };
        SS_TRY(set_watches(&list));
        SS_TRY(onset->phase->n > 0 ? watch_inside(&list) : SS_OK);
        if (!attempt->found) {
            return SS_OK;
        }
        SS_TRY(find_event(&list, &first));
    }
    return attempt->found ? note_event(attempt, first, notes) : SS_OK;
}

/* ---- dips ---------------------------------------------------------------------------------------- */

/* Is an open gap clearly closed at c, or deeper than it was at the start? */
static ss_status find_closed(const ss_onset *onset, const ss_config *c, bool *any)
{
    *any = false;
    for (int k = 0; !*any && k < onset->around->near.n; k++) {
        if (onset->stands[k] != SS_STANDS_CLOSED) {
            double gap;
            SS_TRY(find_gap(onset, c, k, &gap));
            *any = gap + overlap_at_start(onset, k) < -SS_TOL_UNSEEN * ss_onset_unit(onset, k);
        }
    }
    return SS_OK;
}

ss_status ss_watch_dips(const ss_onset *onset, ss_attempt *attempt)
{
    const ss_model *m = onset->s->model;
    ss_arena *arena = onset->s->arena;
    ss_config between;
    double *scratch, *q, *v;
    SS_TRY(ss_config_take(arena, m, &between));
    SS_TRY(ss_arena_take(arena, 2 * (size_t)m->nv, sizeof *scratch, &scratch));
    SS_TRY(ss_arena_take(arena, (size_t)m->nq, sizeof *q, &q));
    SS_TRY(ss_arena_take(arena, (size_t)m->nv, sizeof *v, &v));
    for (int part = 1; part < 4; part++) {
        double s = 0.25 * part * attempt->length;
        ss_hermite(m, attempt->q, attempt->v, attempt->q_end, attempt->v_end, attempt->length, s, scratch, q, v);
        ss_config_set(m, attempt->t + s, q, &between);
        bool dips;
        SS_TRY(find_closed(onset, &between, &dips));
        if (dips) {
            return ss_attempt_to(attempt, s);
        }
    }
    return SS_OK;
}
