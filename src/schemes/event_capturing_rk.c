/* event_capturing_rk.c - Runge-Kutta between events, which are located: contact, friction and joints at full order.
 *
 *   smooth   M dv/dt = k + G' lam + H' r with a fixed set of closed contacts, each of which sticks or slips,
 *            by one Runge-Kutta step over what is left of the step (stages.c), then projected onto joints and
 *            closed contacts (phase.c)                                                        [Aca09 eq. 71-73]
 *   events   a gap falls to zero; slip comes to rest; a closed contact comes off or begins to slip, as the contact
 *            problem of accelerations says (modes.c) [eq. 72]; a corner leaves its face; a pivot of slip vanishes
 *   at one   impacts by Newton's law; then the same problem tells how every contact that touches goes on
 *
 * An event is a root of what the scheme itself would compute with a shorter step, found to round-off. So the error
 * of the event is that of the method, whatever its order.                                    [Aca09 Algorithm 1]
 *
 * Deviations
 *   The paper closes a critical step of length C h^(p+1) by Moreau's scheme. That length is below round-off for
 *   p >= 5; here the event itself is found, and Moreau's problem with h = 0 is solved there.
 *   {g <= 0} alone would keep a contact closed after its impact: it has to be at rest in its normal, too.
 * Friction, beyond the paper
 *   Where contacts share a load in a way that statics does not determine (a box on its corners) the verdict on stick
 *   and slip is that of the contact problem, not of one distribution of forces.
 * Accumulation
 *   After an impact the next flight of a contact rises u^2/(2|a|), a its acceleration then. If that is below
 *   `accumulation` of the contact's unit the contact is closed, and an event says so: what is left of infinitely many
 *   impacts is smaller in position than that.
 * Painleve
 *   If H_N K^-1 (H_N' - mu H_T' s) <= 0 accelerations do not say what happens. A step of Moreau's scheme takes over, of a
 *   millionth of h, and four times as much each time that it does not suffice. So it does where stages are not solved,
 *   or events are too many.
 *
 * Order   p of the method, through events too
 * Cost    a factorisation per stage; an event costs about ten steps of its own */
#include "events/events.h"
#include "kernels/impact.h"
#include "kernels/modes.h"
#include "kernels/stages.h"
#include "kernels/theta.h"
#include <math.h>

typedef struct rk_params {
    int method, max_events;
    double accumulation;
} rk_params;

static const ss_field fields[] = {
    SS_OPTION_CHOICE(rk_params, method, 1, SS_RUNGE_KUTTA_NAMES, "Runge-Kutta method; its number is its order"),
    SS_OPTION_NUMBER(rk_params, accumulation, 1e-11, 0, 1,
                     "flights after an impact that rise less than this, relative to the length, end in a closed contact"),
    SS_OPTION_INT(rk_params, max_events, 1000, 1, 1e9, "events in one step before the rest of it is left to Moreau's scheme"),
    SS_FIELD_END,
};

typedef struct rk_work {
    ss_context *ctx;
    ss_vicinity *around;
    ss_phase *phase;
    ss_stages *stages;
    ss_modes *modes;
    ss_assembly *touching; /* impacts */
    ss_theta *moreau;
    ss_theta_params moreau_params;
    ss_contact_id *before; /* how contacts held until the event at hand */
    ss_hold *hold_before;
    int count_before, before_cap, hold_cap;
} rk_work;

/* How a contact of the survey stands. */
typedef enum standing { APART, REBOUND, COMES_OFF, CLOSED } standing;

/* Contacts that the last event was about. */
typedef struct noted {
    ss_contact_id *id;
    int n;
} noted;

/* A step under way. */
typedef struct rk_step {
    ss_stepper *s;
    const rk_params *p;
    rk_work *w;
    double t, *q, *v; /* the state being built */
    ss_config here, there;
    /* contacts of the survey */
    standing *stands;
    int *held;    /* its place in the phase, -1: none    */
    double *rise; /* REBOUND: its speed; COMES_OFF: half its acceleration */
    int *which;   /* scratch: candidates                  */
    bool *slides; /* the same                             */
    noted lost, stopped;
    /* the trial */
    double length;                 /* that is searched for events          */
    double tried;                  /* its own length; < 0: none            */
    bool found;                    /* it has an end                        */
    double *q_end, *v_end, *v_raw; /* v_raw: before the projection */
    double *a_end, *multiplier;    /* there, where judged           */
    bool judged;                   /* modes are those of its end           */
    bool solved, regular;          /* the problem of accelerations; the equations of the phase */
    bool persists;                 /* the phase that begins is the one before                 */
    double release;
    int events, stalled; /* in this step; one upon the other without time passing */
    double critical;     /* what Moreau's scheme is given next */
    bool impacted, known_before;
} rk_step;

static const double TOUCH = 1e-12;    /* of a unit: a gap below it is closed                          */
static const double ROUNDING = 1e-14; /* of positions and velocities                                  */
static const double ROOT = 1e-13;     /* on event functions, each in its own unit                     */
static const double RELEASE = 1e-8;   /* relative acceleration at which a contact comes off or slips  */
static const double SETTLED = 1e-9;   /* below which it does not                                      */
static const double NEAR = 1e-4;      /* of a unit: an overlap that is closed, not kept               */

/* ---- small questions ----------------------------------------------------------------------------- */

static const ss_contact *contact_of(const rk_step *x, int k) { return &x->w->around->near.c[k]; }

static bool is_motor(const rk_step *x, int k) { return contact_of(x, k)->id.kind == SS_CONTACT_MOTOR; }

/* What the last event has said of contacts: some have left their faces, some have come to rest in their slip. */
static bool is_noted(const noted *list, const ss_contact_id *id)
{
    for (int i = 0; i < list->n; i++) {
        if (ss_contact_id_compare(&list->id[i], id) == 0) {
            return true;
        }
    }
    return false;
}

static bool touches(const rk_step *x, int k)
{
    const ss_vicinity *n = x->w->around;
    return !is_motor(x, k) && n->gap[k] <= TOUCH * ss_contact_unit(x->s->model, contact_of(x, k)) &&
           n->outside[k] <= 1e-9 * x->s->model->length && !is_noted(&x->lost, &contact_of(x, k)->id);
}

/* speed of the fastest body, turns at the distance of a length */
static double fastest(const rk_step *x)
{
    const ss_model *m = x->s->model;
    double most = 0;
    for (int b = 0; b < m->mass.blocks; b++) {
        for (int i = 0; i < m->mass.size[b]; i++) {
            most = fmax(most, fabs(x->v[m->mass.offset[b] + i]) * (i < m->dimension ? 1 : m->length));
        }
    }
    return most;
}

/* A speed of a contact that is nothing but round-off of others. */
static double still(const rk_step *x, int k)
{
    double unit = ss_contact_unit(x->s->model, contact_of(x, k)) / x->s->model->length;
    return 1e-9 * x->w->around->gain[k] + 1e-11 * fastest(x) * unit;
}

static bool approaches(const rk_step *x, int k) { return touches(x, k) && x->w->around->approach[k] > still(x, k); }

static bool rests(const rk_step *x, int k) { return touches(x, k) && fabs(x->w->around->approach[k]) <= still(x, k); }

/* ---- surveys ------------------------------------------------------------------------------------- */

static ss_status survey(rk_step *x, double h)
{
    const ss_model *m = x->s->model;
    ss_vicinity *n = x->w->around;
    ss_config_set(m, x->t, x->q, &x->here);
    ss_config_drive(m, x->t, x->t, &x->here);
    SS_TRY(ss_vicinity_survey(n, x->s, &x->here, x->v, h, 0));
    size_t count = (size_t)n->near.n;
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->stands, &x->stands));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->held, &x->held));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->rise, &x->rise));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->which, &x->which));
    SS_TRY(ss_arena_take(x->s->arena, count, sizeof *x->slides, &x->slides));
    return ss_arena_take(x->s->arena, 3 * count + (size_t)m->nj, sizeof *x->multiplier, &x->multiplier);
}

static ss_status report_event(rk_step *x, ss_event_kind kind, const ss_contact *contact)
{
    char name[128];
    ss_event event = { .t = x->t, .kind = kind, .q = x->q };
    ss_contact_name(x->s->model, contact, name, sizeof name);
    event.contact = name;
    for (int i = 0; i < 2; i++) {
        event.bodies[i] = contact->body[i] < x->s->model->bodies ? contact->body[i] : -1;
    }
    return x->s->report->event(x->s->report, &event);
}

/* ---- impacts ------------------------------------------------------------------------------------- */

/* Resolve what touches and approaches, all of it at once. */
static ss_status collide(rk_step *x)
{
    ss_assembly *a = x->w->touching;
    int n = 0, trigger = -1;
    double *e;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->w->around->near.n, sizeof *e, &e));
    for (int k = 0; k < x->w->around->near.n; k++) {
        if (touches(x, k)) {
            trigger = trigger < 0 && approaches(x, k) ? n : trigger;
            e[n] = contact_of(x, k)->e;
            x->which[n++] = k;
        }
    }
    x->impacted = trigger >= 0;
    if (!x->impacted) {
        return SS_OK;
    }
    x->events++;
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->w->around->near, n, x->which, x->w->phase->friction, 0));
    return ss_impact(x->s, a, &x->here, SS_RESTITUTION_NEWTON, e, trigger, x->v);
}

/* ---- how contacts go on -------------------------------------------------------------------------- */

static void remember_holds(rk_step *x)
{
    rk_work *w = x->w;
    for (int i = 0; i < w->phase->n; i++) {
        w->before[i] = w->phase->held[i].contact.id;
        w->hold_before[i] = w->phase->held[i].hold;
    }
    w->count_before = w->phase->n;
}

/* direction in which contact i of the problem slips, or begins to */
static void put_slip(const rk_step *x, int i, ss_held *held)
{
    const ss_modes *modes = x->w->modes;
    const ss_problem *p = &modes->a->problem;
    int first = p->row[i], rows = p->row[i + 1] - first, from = rows > 1;
    double u[2] = { 0, 0 };
    for (int row = from; row < rows; row++) {
        u[row - from] = x->slides[i] ? modes->slip[first + row] : modes->a->solution.u[first + row];
    }
    double size = hypot(u[0], u[1]);
    held->sign = u[0] < 0 ? -1 : 1;
    held->speed = x->slides[i] ? size : 0;
    held->gain = x->slides[i] ? 0 : size;
    if (rows == 3 && size > 0) {
        const ss_vec3 *tangent = modes->a->value[i].tangent;
        held->along = ss_add(ss_scale(u[0] / size, tangent[0]), ss_scale(u[1] / size, tangent[1]));
    }
}

/* Contact i of the problem joins the phase. */
static ss_status add_held(rk_step *x, int i, ss_hold hold, double load)
{
    int k = x->which[i];
    double gap = x->w->around->gap[k];
    ss_held held = { .contact = *contact_of(x, k), .hold = hold, .load = load };
    held.keep = fabs(gap) <= NEAR * ss_contact_unit(x->s->model, &held.contact) ? 0 : gap;
    if (hold == SS_HOLD_SLIP || hold == SS_HOLD_FULL) {
        put_slip(x, i, &held);
    }
    x->stands[k] = CLOSED;
    x->held[k] = x->w->phase->n;
    return ss_phase_add(x->w->phase, &held);
}

/* how contact i of the problem holds if nothing comes off: `moves` or not */
static ss_hold hold_if(const ss_problem *p, int i, bool moves)
{
    if (p->law[i] == SS_LAW_BOUNDED) {
        return moves ? SS_HOLD_FULL : SS_HOLD_TRACK;
    }
    return p->row[i + 1] - p->row[i] == 1 ? SS_HOLD_NORMAL : moves ? SS_HOLD_SLIP : SS_HOLD_STICK;
}

static const ss_held *find_paradox(const ss_phase *phase)
{
    for (int i = 0; i < phase->n; i++) {
        if (phase->held[i].hold == SS_HOLD_SLIP && phase->held[i].pivot <= ROOT) {
            return &phase->held[i];
        }
    }
    return NULL;
}

/* Equations of a phase in which the contacts that are not `off` hold; *fits: they obey all laws. */
static ss_status try_holds(rk_step *x, int n, const bool *off, bool *fits)
{
    ss_phase *phase = x->w->phase;
    const ss_problem *p = &x->w->modes->a->problem;
    bool regular;
    ss_phase_clear(phase);
    for (int i = 0; i < n; i++) {
        const ss_memory_entry *entry = ss_memory_find(&x->s->next->memory, &contact_of(x, x->which[i])->id);
        SS_TRY(add_held(x, i, off[i] ? SS_HOLD_NONE : hold_if(p, i, x->slides[i]), entry ? entry->scalar : 0));
    }
    SS_TRY(ss_phase_close(phase, x->s->arena, x->t, x->q, x->v));
    SS_TRY(ss_phase_evaluate(phase, x->s->arena, x->t, x->q, x->v));
    SS_TRY(ss_phase_accelerate(phase, x->a_end, x->multiplier, &regular));
    *fits = regular && !find_paradox(phase) && ss_modes_adopt(x->w->modes, x->slides, x->a_end, x->multiplier);
    return SS_OK;
}

/* What is at rest stays so and what slips goes on, but for contacts that would pull: if forces bear that, it is what happens,
 * whatever else might (accelerations need not be unique). */
static ss_status persist(rk_step *x, int n)
{
    enum { PASSES = 8 };
    bool *off, changed = true;
    x->persists = false;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)n, sizeof *off, &off));
    for (int pass = 0; changed && pass < PASSES; pass++) {
        SS_TRY(try_holds(x, n, off, &x->persists));
        changed = false;
        for (int i = 0; !x->persists && i < n; i++) {
            ss_fault fault = ss_modes_fault(x->w->modes, x->slides, i);
            bool turns = fault == (off[i] ? SS_FAULT_GOES_IN : SS_FAULT_PULLS);
            off[i] = turns ? !off[i] : off[i];
            changed = changed || turns;
        }
    }
    return SS_OK;
}

/* Accelerations at the state at hand, the n contacts which[] closed: as they are, or as the contact problem has them. */
static ss_status resolve(rk_step *x, int n)
{
    ss_modes *modes = x->w->modes;
    SS_TRY(ss_modes_pose(modes, x->s, x->t, x->q, x->v, &x->w->around->near, n, x->which));
    for (int i = 0; i < n; i++) {
        int k = x->which[i];
        x->slides[i] = modes->speed[i] > still(x, k) && !is_noted(&x->stopped, &contact_of(x, k)->id);
    }
    x->solved = true;
    SS_TRY(persist(x, n));
    return x->persists ? SS_OK : ss_modes_solve(modes, x->s, x->slides, &x->solved);
}

/* Normal acceleration of a contact that is not in the problem, with the accelerations of its solution. */
static ss_status acceleration_of(rk_step *x, int k, double *out)
{
    ss_assembly *a = x->w->touching;
    double rate;
    SS_TRY(ss_assembly_geometry(a, &x->here, &x->w->around->near, 1, &k, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    ss_contact_acceleration(x->s->model, &x->here, contact_of(x, k), &a->value[0], x->v, 1, &rate);
    *out = rate + ss_csr_row_dot(&a->problem.H, 0, x->w->modes->a->solution.v);
    return SS_OK;
}

/* Flights after the impact at hand that are too low to be followed: their contacts are closed. */
static ss_status close_accumulations(rk_step *x, int *n)
{
    int count = *n;
    for (int k = 0; k < x->w->around->near.n; k++) {
        double a, u = -x->w->around->approach[k];
        if (x->stands[k] != REBOUND) {
            continue;
        }
        SS_TRY(acceleration_of(x, k, &a));
        if (a < 0 && u * u <= -2 * a * x->p->accumulation * ss_contact_unit(x->s->model, contact_of(x, k))) {
            x->stands[k] = CLOSED;
            x->which[count++] = k;
            SS_TRY(contact_of(x, k)->e > 0 ? report_event(x, SS_EVENT_ACCUMULATION, contact_of(x, k)) : SS_OK);
        }
    }
    bool more = count > *n;
    *n = count;
    return more ? resolve(x, count) : SS_OK;
}

/* Contact i of the problem joins the phase as its solution says, or comes off. */
static ss_status enter(rk_step *x, int i)
{
    const ss_modes *modes = x->w->modes;
    const ss_problem *p = &modes->a->problem;
    double normal = modes->a->solution.r[p->row[i]];
    if (ss_modes_lift(modes, i) > SETTLED) {
        x->stands[x->which[i]] = COMES_OFF;
        x->held[x->which[i]] = -1;
        x->rise[x->which[i]] = 0.5 * modes->a->solution.u[p->row[i]];
        return SS_OK;
    }
    bool moves = x->slides[i] || ss_modes_creep(modes, i) > SETTLED, carries = p->law[i] == SS_LAW_BOUNDED || normal > 0;
    return add_held(x, i, carries ? hold_if(p, i, moves) : SS_HOLD_NONE, normal);
}

/* The phase that begins now. */
static ss_status choose(rk_step *x)
{
    rk_work *w = x->w;
    int n = 0;
    for (int k = 0; k < w->around->near.n; k++) {
        x->held[k] = -1;
        x->stands[k] = rests(x, k) || is_motor(x, k) ? CLOSED : touches(x, k) ? REBOUND : APART;
        x->rise[k] = -w->around->approach[k];
        if (x->stands[k] == CLOSED) {
            x->which[n++] = k;
        }
    }
    SS_TRY(resolve(x, n));
    if (x->solved && x->impacted) {
        SS_TRY(close_accumulations(x, &n));
    }
    ss_phase_clear(w->phase);
    for (int i = 0; x->solved && i < n; i++) {
        SS_TRY(enter(x, i));
    }
    return x->solved ? ss_phase_close(w->phase, x->s->arena, x->t, x->q, x->v) : SS_OK;
}

/* ---- what has changed ---------------------------------------------------------------------------- */

static ss_hold held_as(const rk_step *x, const ss_contact_id *id)
{
    for (int i = 0; i < x->w->count_before; i++) {
        if (ss_contact_id_compare(&x->w->before[i], id) == 0) {
            return x->w->hold_before[i];
        }
    }
    return SS_HOLD_NONE;
}

/* stick, slip and take-off: how contacts held before, and how they hold now */
static ss_status report_changes(rk_step *x)
{
    const ss_phase *phase = x->w->phase;
    for (int k = 0; x->known_before && k < x->w->around->near.n; k++) {
        ss_hold now = x->held[k] >= 0 ? phase->held[x->held[k]].hold : SS_HOLD_NONE;
        ss_hold was = held_as(x, &contact_of(x, k)->id);
        if (was == SS_HOLD_SLIP && now == SS_HOLD_STICK) {
            SS_TRY(report_event(x, SS_EVENT_STICK, contact_of(x, k)));
        } else if (was == SS_HOLD_STICK && now == SS_HOLD_SLIP) {
            SS_TRY(report_event(x, SS_EVENT_SLIP, contact_of(x, k)));
        } else if (was != SS_HOLD_NONE && x->stands[k] == COMES_OFF) {
            SS_TRY(report_event(x, SS_EVENT_TAKEOFF, contact_of(x, k)));
        }
    }
    x->known_before = true;
    SS_TRY(ss_reserve(x->s->ctx, &x->w->before, &x->w->before_cap, phase->n, sizeof *x->w->before));
    SS_TRY(ss_reserve(x->s->ctx, &x->w->hold_before, &x->w->hold_cap, phase->n, sizeof *x->w->hold_before));
    remember_holds(x);
    return SS_OK;
}

/* ---- trials -------------------------------------------------------------------------------------- */

/* A Runge-Kutta step over h, projected: the end as a function of the length. The phase is evaluated there. */
static ss_status attempt(rk_step *x, double h)
{
    const ss_model *m = x->s->model;
    if (x->tried == h) {
        return SS_OK;
    }
    x->tried = h;
    x->judged = false;
    SS_TRY(ss_stages_step(x->w->stages, x->s, x->t, x->q, x->v, h, x->q_end, x->v_end, &x->found));
    if (x->found) {
        memcpy(x->v_raw, x->v_end, (size_t)m->nv * sizeof *x->v_raw);
        SS_TRY(ss_phase_project(x->w->phase, x->s, x->t + h, x->q_end, x->v_end, &x->found));
    }
    for (int i = 0; x->found && i < m->nv; i++) {
        x->found = isfinite(x->v_end[i]);
    }
    return x->found ? ss_phase_evaluate(x->w->phase, x->s->arena, x->t + h, x->q_end, x->v_end) : SS_OK;
}

/* The problem of accelerations at the end of the trial, its contacts those of the phase; x->release is the fastest that one of
 * them comes off or begins to slip. */
static ss_status judge(rk_step *x)
{
    const ss_phase *phase = x->w->phase;
    ss_modes *modes = x->w->modes;
    if (x->judged) {
        return SS_OK;
    }
    x->judged = true;
    x->release = 0;
    SS_TRY(ss_modes_pose(modes, x->s, x->t + x->tried, x->q_end, x->v_end, &phase->set, phase->n, NULL));
    for (int i = 0; i < phase->n; i++) {
        x->slides[i] = phase->held[i].hold == SS_HOLD_SLIP || phase->held[i].hold == SS_HOLD_FULL;
        if (x->slides[i]) {
            ss_modes_direct(modes, i, phase->direction + 3 * i);
        }
    }
    SS_TRY(ss_phase_accelerate(x->w->phase, x->a_end, x->multiplier, &x->regular));
    x->solved = true;
    if (x->regular && ss_modes_adopt(modes, x->slides, x->a_end, x->multiplier)) {
        return SS_OK;
    }
    SS_TRY(ss_modes_solve(modes, x->s, x->slides, &x->solved));
    for (int i = 0; x->solved && i < phase->n; i++) {
        bool carries = phase->held[i].hold != SS_HOLD_NONE;
        double lift = carries ? ss_modes_lift(modes, i) : 0, creep = carries && !x->slides[i] ? ss_modes_creep(modes, i) : 0;
        x->release = fmax(x->release, fmax(lift, creep));
    }
    return SS_OK;
}

/* ---- events -------------------------------------------------------------------------------------- */

/* A function of the trial's length whose fall to zero is an event. */
typedef enum watch_kind { GAP, SLIP, PIVOT, FACE, RELEASE_OF_ANY } watch_kind;
typedef struct watch {
    watch_kind kind;
    int of;          /* GAP: contact of the survey; else of the phase                                          */
    int zero;        /* it starts from a zero of this order: divided by as many powers of the time that passed */
    double start;    /* at the start, in its unit                                                              */
    double unit, up; /* value = (raw + up)/unit; up: so that round-off near a zero at the start is no event     */
} watch;

typedef struct watch_list {
    rk_step *x;
    watch *w;
    int n;
} watch_list;

static void watch_gap(watch_list *list, int k)
{
    const rk_step *x = list->x;
    const ss_vicinity *around = x->w->around;
    double unit = ss_contact_unit(x->s->model, contact_of(x, k)), h = x->length;
    watch w = { .kind = GAP, .of = k, .unit = unit, .up = ROUNDING * unit };
    switch (x->stands[k]) {
    case REBOUND:
        w.zero = 1;
        w.start = x->rise[k] * h / unit;
        break;
    case COMES_OFF:
        w.zero = 2;
        w.start = x->rise[k] * h * h / unit;
        break;
    default:                                                   /* apart; or closed without a force */
        w.up = x->stands[k] == CLOSED ? 10 * TOUCH * unit : 0; /* else: to the root itself */
        w.start = (fmax(around->gap[k], around->outside[k]) + w.up) / unit;
    }
    list->w[list->n++] = w;
}

/* the phase has been evaluated at the end of a trial */
static double outside_at_start(const rk_step *x, int i)
{
    for (int k = 0; k < x->w->around->near.n; k++) {
        if (x->held[k] == i) {
            return x->w->around->outside[k];
        }
    }
    return -INFINITY;
}

static void watch_held(watch_list *list, int i)
{
    const rk_step *x = list->x;
    const ss_held *held = &x->w->phase->held[i];
    double outside = outside_at_start(x, i), length = x->s->model->length;
    if (held->hold == SS_HOLD_SLIP || held->hold == SS_HOLD_FULL) {
        double from_rest = held->gain * x->length;
        bool begins = !(held->speed > 0);
        list->w[list->n++] = (watch){ .kind = SLIP,
                                      .of = i,
                                      .zero = begins,
                                      .start = 1,
                                      .unit = begins ? from_rest : held->speed,
                                      .up = begins ? ROUNDING * fastest(x) : 0 };
    }
    if (held->hold == SS_HOLD_SLIP) {
        list->w[list->n++] = (watch){ .kind = PIVOT, .of = i, .start = held->pivot, .unit = 1 };
    }
    if (isfinite(outside)) {
        list->w[list->n++] = (watch){ .kind = FACE, .of = i, .start = -outside / length, .unit = length };
    }
}

static ss_status set_watches(rk_step *x, watch_list *list)
{
    int near = x->w->around->near.n;
    list->x = x;
    list->n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(near + 3 * x->w->phase->n + 1), sizeof *list->w, &list->w));
    for (int k = 0; k < near; k++) {
        bool carried = x->held[k] >= 0 && x->w->phase->held[x->held[k]].hold != SS_HOLD_NONE;
        if (!carried && !is_motor(x, k)) {
            watch_gap(list, k);
        }
    }
    for (int i = 0; i < x->w->phase->n; i++) {
        watch_held(list, i);
    }
    if (x->w->phase->n > 0) {
        list->w[list->n++] = (watch){ .kind = RELEASE_OF_ANY, .start = 2 * ROOT, .unit = 0.5 * RELEASE / ROOT };
    }
    return SS_OK;
}

/* velocity of slip along where it went at the start; the phase is evaluated at the end of the trial */
static double slip_along(const rk_step *x, int i)
{
    const ss_phase *phase = x->w->phase;
    const ss_problem *p = &phase->at->problem;
    const ss_held *held = &phase->held[i];
    int first = p->row[i], rows = p->row[i + 1] - first, from = rows > 1;
    double sum = 0;
    for (int row = from; row < rows; row++) {
        double u = ss_csr_row_dot(&p->H, first + row, x->v_end) + phase->at->w_drive[first + row];
        sum += u * (rows == 3 ? ss_dot(held->along, phase->at->value[i].tangent[row - 1]) : held->sign);
    }
    return sum;
}

static ss_status raw_value(rk_step *x, const watch *w, double *out)
{
    ss_contact_value value;
    switch (w->kind) {
    case GAP:
        ss_contact_eval(x->s->model, &x->there, contact_of(x, w->of), &value);
        *out = fmax(value.gap, value.outside);
        return SS_OK;
    case SLIP:
        *out = slip_along(x, w->of);
        return SS_OK;
    case PIVOT:
        return ss_phase_pivot(x->w->phase, x->s->arena, w->of, out);
    case FACE:
        *out = -x->w->phase->at->value[w->of].outside;
        return SS_OK;
    case RELEASE_OF_ANY:
        SS_TRY(judge(x));
        *out = x->solved ? RELEASE - x->release : RELEASE;
        return SS_OK;
    }
    return SS_OK;
}

/* the functions after a step of length s */
static ss_status values_after(void *user, double s, int count, const int *which, double *g)
{
    watch_list *list = user;
    rk_step *x = list->x;
    SS_TRY(attempt(x, s));
    ss_config_set(x->s->model, x->t + s, x->q_end, &x->there);
    for (int j = 0; j < count; j++) {
        const watch *w = &list->w[which[j]];
        g[j] = w->start; /* nothing is known of a trial without an end: it will be made shorter */
        if (x->found) {
            SS_TRY(raw_value(x, w, &g[j]));
            g[j] = (g[j] + w->up) / w->unit;
        }
        for (int power = 0; x->found && power < w->zero; power++) {
            g[j] *= x->length / s;
        }
    }
    return SS_OK;
}

/* The first event within x->length, if any; the trial ends there. */
static ss_status find_event(rk_step *x, watch_list *list, double *length, int *event)
{
    double *start, *armed;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)list->n, sizeof *start, &start));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)list->n, sizeof *armed, &armed));
    for (int j = 0; j < list->n; j++) {
        start[j] = list->w[j].start;
        armed[j] = list->w[j].zero > 0 || list->w[j].kind == RELEASE_OF_ANY ? 0 : ROOT;
    }
    ss_event_search search = { .eval = values_after,
                               .user = list,
                               .count = list->n,
                               .start = start,
                               .armed = armed,
                               .length = x->length,
                               .tol = 1e-15 * x->s->h_nominal,
                               .accept = ROOT };
    ss_event_found found;
    SS_TRY(ss_events_first(x->s->arena, &search, &found));
    *length = found.found ? found.s : x->length;
    *event = found.found ? found.which[0] : -1;
    return attempt(x, *length); /* the search ends on another length than the one it returns */
}

/* Has a slip come to rest at the end of the trial? Its velocity is then what is left of it across its direction: the error of
 * the method. Much more is left where it has only turned. */
static bool comes_to_rest(const rk_step *x, int i)
{
    const ss_phase *phase = x->w->phase;
    const ss_problem *p = &phase->at->problem;
    const ss_held *held = &phase->held[i];
    double u = 0, reference = held->speed > 0 ? held->speed : held->gain * x->tried;
    for (int row = p->row[i] + 1; row < p->row[i + 1]; row++) {
        u = hypot(u, ss_csr_row_dot(&p->H, row, x->v_end) + phase->at->w_drive[row]);
    }
    return held->hold == SS_HOLD_SLIP && slip_along(x, i) <= 1e-9 * reference && u <= 1e-3 * reference;
}

/* What the event tells of contacts, wherever round-off has them. */
static ss_status note_event(rk_step *x, const watch_list *list, int event)
{
    const ss_phase *phase = x->w->phase;
    watch_kind kind = event >= 0 ? list->w[event].kind : GAP;
    x->lost.n = x->stopped.n = 0;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)phase->n, sizeof *x->lost.id, &x->lost.id));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)phase->n, sizeof *x->stopped.id, &x->stopped.id));
    if (kind == FACE) {
        x->lost.id[x->lost.n++] = phase->held[list->w[event].of].contact.id;
    }
    for (int i = 0; kind == SLIP && i < phase->n; i++) {
        if (comes_to_rest(x, i)) {
            x->stopped.id[x->stopped.n++] = phase->held[i].contact.id;
        }
    }
    return SS_OK;
}

/* ---- one stretch --------------------------------------------------------------------------------- */

/* Does a gap that is open at both ends of the trial close in between? Then the trial is cut there. */
static ss_status cut_at_dips(rk_step *x)
{
    const ss_model *m = x->s->model;
    double *scratch, *q, *v;
    SS_TRY(ss_arena_take(x->s->arena, 2 * (size_t)m->nv, sizeof *scratch, &scratch));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nq, sizeof *q, &q));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *v, &v));
    for (int part = 1; part < 4; part++) {
        double s = 0.25 * part * x->length;
        ss_hermite(m, x->q, x->v, x->q_end, x->v_end, x->length, s, scratch, q, v);
        ss_config_set(m, x->t + s, q, &x->there);
        for (int k = 0; k < x->w->around->near.n; k++) {
            ss_contact_value value;
            bool open = x->stands[k] != CLOSED;
            if (!open) {
                continue;
            }
            ss_contact_eval(m, &x->there, contact_of(x, k), &value);
            if (fmax(value.gap, value.outside) < -1e-6 * ss_contact_unit(m, contact_of(x, k))) {
                x->length = s;
                return attempt(x, s);
            }
        }
    }
    return SS_OK;
}

/* A trial over h, halved until it has an end. */
static ss_status attempt_halving(rk_step *x, double h)
{
    x->tried = -1;
    for (x->length = h;; x->length *= 0.5) {
        SS_TRY(attempt(x, x->length));
        if (x->found || x->length < 1e-6 * x->s->h_nominal) {
            return SS_OK;
        }
    }
}

static ss_status report_projection(rk_step *x, double t, const double *q, const double *v0, const double *v1)
{
    const ss_model *m = x->s->model;
    ss_blockdiag M = m->mass;
    double *p, *dv;
    if (memcmp(v0, v1, (size_t)m->nv * sizeof *v0) == 0) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(x->s->arena, ss_model_mass_size(m), sizeof *M.x, &M.x));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *p, &p));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *dv, &dv));
    ss_model_mass(m, t, q, M.x);
    for (int i = 0; i < m->nv; i++) {
        dv[i] = v1[i] - v0[i];
    }
    ss_blockdiag_times(&M, dv, p);
    ss_segment jump = { .t0 = t, .t1 = t, .q0 = q, .q1 = q, .v0 = v0, .v1 = v1, .mass = &M, .impulse[SS_IMPULSE_PROJECTION] = p };
    return x->s->report->segment(x->s->report, &jump);
}

/* Positions and velocities onto what the new phase holds. */
static ss_status settle(rk_step *x, bool *fits)
{
    const ss_model *m = x->s->model;
    memcpy(x->v_raw, x->v, (size_t)m->nv * sizeof *x->v);
    SS_TRY(ss_phase_project(x->w->phase, x->s, x->t, x->q, x->v, fits));
    return report_projection(x, x->t, x->q, x->v_raw, x->v);
}

/* The trial is what happened. */
static ss_status accept(rk_step *x)
{
    const ss_model *m = x->s->model;
    const ss_modes *modes = x->w->modes;
    ss_blockdiag M = m->mass;
    double *impulse[SS_IMPULSES], *buffer, work[SS_IMPULSES], t = x->t + x->tried;
    bool bound = x->w->phase->n > 0;
    ss_segment segment = { .t0 = x->t,
                           .t1 = t,
                           .level = SS_LEVEL_ACCELERATION,
                           .shown = true,
                           .q0 = x->q,
                           .v0 = x->v,
                           .q1 = x->q_end,
                           .v1 = x->v_raw,
                           .nonlinear = x->w->stages->residual,
                           .own_residual = !bound };
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(SS_IMPULSES * m->nv), sizeof *buffer, &buffer));
    SS_TRY(ss_arena_take(x->s->arena, ss_model_mass_size(m), sizeof *M.x, &M.x));
    for (int kind = 0; kind < SS_IMPULSES; kind++) {
        segment.impulse[kind] = impulse[kind] = buffer + kind * m->nv;
    }
    ss_model_mass(m, t, x->q_end, M.x);
    segment.mass = &M;
    segment.work = work;
    SS_TRY(judge(x));
    SS_TRY(ss_stages_impulses(x->w->stages, x->s->arena, &M, impulse, work, segment.driven));
    segment.a0 = x->w->stages->first;
    segment.a1 = x->regular ? x->a_end : NULL;
    if (bound) {
        segment.problem = &modes->a->problem;
        segment.solution = &modes->a->solution;
        segment.info = &modes->a->info;
        segment.contacts = &modes->a->contacts;
    }
    SS_TRY(x->s->report->segment(x->s->report, &segment));
    SS_TRY(report_projection(x, t, x->q_end, x->v_raw, x->v_end));
    memcpy(x->q, x->q_end, (size_t)m->nq * sizeof *x->q);
    memcpy(x->v, x->v_end, (size_t)m->nv * sizeof *x->v);
    x->t = t;
    return SS_OK;
}

/* Moreau's scheme takes a piece of what is left. */
static ss_status hand_over(rk_step *x, double left, double *taken)
{
    x->s->report->remark(x->s->report, SS_REMARK_HANDED, NULL);
    *taken = fmin(left, x->critical);
    x->critical *= 4;
    x->stalled = 0;
    SS_TRY(ss_theta_continue(x->w->moreau, x->s, x->t, *taken));
    x->t += *taken;
    return SS_OK;
}

/* What touches now collides, and a phase begins; *fits false: accelerations do not say which. */
static ss_status begin_phase(rk_step *x, double h, bool *fits)
{
    SS_TRY(survey(x, h));
    SS_TRY(collide(x));
    SS_TRY(x->impacted ? survey(x, h) : SS_OK);
    SS_TRY(choose(x));
    *fits = x->solved;
    const ss_held *paradox = x->solved ? find_paradox(x->w->phase) : NULL;
    if (paradox) {
        *fits = false;
        return report_event(x, SS_EVENT_PAINLEVE, &paradox->contact);
    }
    SS_TRY(*fits ? report_changes(x) : SS_OK);
    return *fits ? settle(x, fits) : SS_OK;
}

/* The longest trial within `most` in which nothing is passed through unseen; *again: contacts have been found that the survey
 * did not have. */
static ss_status look_ahead(rk_step *x, double *most, bool *again)
{
    bool more = false, hidden = false;
    SS_TRY(attempt_halving(x, *most));
    *again = false;
    if (!x->found) {
        return SS_OK;
    }
    SS_TRY(cut_at_dips(x));
    ss_config_set(x->s->model, x->t + x->tried, x->q_end, &x->there);
    SS_TRY(ss_vicinity_look_again(x->w->around, x->s, &x->here, &x->there, &more, &hidden));
    hidden = hidden && x->tried > 1e-4 * x->s->h_nominal;
    *most = hidden ? 0.5 * x->tried : *most;
    *again = more || hidden;
    return SS_OK;
}

/* Too many events, or too many in one instant: more than there are contacts to strike one another in turn. */
static bool is_stuck(const rk_step *x)
{
    return x->events > x->p->max_events || x->stalled > 6 + (x->impacted ? x->w->around->near.n : 0);
}

/* One stretch: a phase begins and goes on for h at most, or to the next event. */
static ss_status advance(rk_step *x, double h, double *taken)
{
    bool fits = true, again = true;
    double most = h;
    ss_vicinity_forget(x->w->around);
    for (int look = 0; again && look < 12; look++) {
        SS_TRY(begin_phase(x, h, &fits));
        if (!fits || is_stuck(x)) {
            return hand_over(x, h, taken);
        }
        most = fmin(most, fmax(x->w->around->safe, 1e-3 * x->s->h_nominal));
        SS_TRY(look_ahead(x, &most, &again));
    }
    watch_list list;
    int event = -1;
    SS_TRY(set_watches(x, &list));
    SS_TRY(x->found ? find_event(x, &list, taken, &event) : SS_OK);
    if (!x->found) {
        return hand_over(x, h, taken);
    }
    x->events += event >= 0;
    x->stalled = *taken > 1e-10 * x->s->h_nominal ? 0 : x->stalled + 1;
    SS_TRY(note_event(x, &list, event));
    x->critical = *taken > 1e-3 * x->s->h_nominal ? 1e-6 * x->s->h_nominal : x->critical;
    return accept(x);
}

/* ---- the scheme ---------------------------------------------------------------------------------- */

static ss_status begin(rk_step *x)
{
    const ss_model *m = x->s->model;
    x->t = x->s->now->t;
    x->q = x->s->next->q;
    x->v = x->s->next->v;
    x->critical = 1e-6 * x->s->h_nominal;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nq, sizeof *x->q_end, &x->q_end));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->v_end, &x->v_end));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->v_raw, &x->v_raw));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->a_end, &x->a_end));
    SS_TRY(ss_config_take(x->s->arena, m, &x->here));
    SS_TRY(ss_config_take(x->s->arena, m, &x->there));
    SS_TRY(ss_phase_begin(x->w->phase, x->s->arena));
    return ss_modes_begin(x->w->modes, x->s->arena);
}

static ss_status step(ss_stepper *s, double h)
{
    rk_step x = { .s = s, .p = s->params, .w = s->work };
    SS_TRY(begin(&x));
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        SS_TRY(advance(&x, left, &taken));
    }
    s->next->t = s->now->t + h;
    return x.w->phase->n > 0 && x.judged ? ss_assembly_remember(x.w->modes->a, &s->next->memory) : SS_OK;
}

static ss_order order(const void *params)
{
    double p = ss_runge_kutta_methods[((const rk_params *)params)->method]->order;
    return (ss_order){ .smooth = p, .impacts = p, .norm = "l1" };
}

static void destroy(ss_context *ctx, void *work)
{
    rk_work *w = work;
    if (w) {
        ss_vicinity_destroy(ctx, w->around);
        ss_stages_destroy(w->stages);
        ss_phase_destroy(w->phase);
        ss_modes_destroy(w->modes);
        ss_assembly_destroy(ctx, w->touching);
        ss_theta_destroy(ctx, w->moreau);
        ss_free(ctx, w->before);
        ss_free(ctx, w->hold_before);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *block)
{
    const rk_params *p = s->params;
    const ss_friction friction = { s->model->dimension == 2 ? SS_LAW_POLYHEDRAL : SS_LAW_COULOMB, 2 };
    rk_work *w;
    (void)block;
    SS_TRY(ss_friction_check(s, friction));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    w->ctx = s->ctx;
    ss_fields_default(ss_theta_fields, &w->moreau_params);
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &w->around));
    SS_TRY(ss_phase_create(s->ctx, s->model, friction, w->around->redundant, &w->phase));
    SS_TRY(ss_stages_create(s->ctx, ss_runge_kutta_methods[p->method], w->phase, &w->stages));
    SS_TRY(ss_modes_create(s->ctx, s->model, friction, w->around->redundant, &w->modes));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &w->touching));
    w->touching->redundant = w->around->redundant;
    return ss_theta_create(s, &w->moreau_params, &w->moreau);
}

const ss_scheme_type ss_scheme_event_capturing_rk = {
    .info = { .name = "event_capturing_rk",
              .title = "Runge-Kutta of any order between located events",
              .reference = "Aca09",
              .order = { .smooth = 5, .impacts = 5, .norm = "l1" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(rk_params) },
    .order = order,
    .create = create,
    .destroy = destroy,
    .step = step,
};
