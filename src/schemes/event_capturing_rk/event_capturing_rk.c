/* event_capturing_rk.c - Runge-Kutta between events, which are located: contact, friction and joints at full order.
 *
 *   smooth   M dv/dt = k + G' lam + H' r with a fixed set of closed contacts, each of which sticks or slips,
 *            by one Runge-Kutta step over what is left of the step, then projected onto joints and closed
 *            contacts (attempt.c)                                                               [Aca09 eq. 71-73]
 *   events   a gap falls to zero; slip comes to rest; a closed contact comes off or begins to slip, as the contact
 *            problem of accelerations says [eq. 72]; a corner leaves its face; a pivot of slip vanishes (watch.c)
 *   at one   impacts by Newton's law; then the same problem tells how every contact that touches goes on (onset.c)
 *
 * An event is a root of what the scheme itself would compute with a shorter step, found to round-off. So the error
 * of the event is that of the method, whatever its order.                                    [Aca09 Algorithm 1]
 *
 * Deviations
 *   The paper closes a critical step of length C h^(p+1) by Moreau's scheme. That length is below round-off for
 *   p >= 5; here the event itself is found, and Moreau's problem with h = 0 is solved there.
 *   {g <= 0} alone would keep a contact closed after its impact: it has to be at rest in its normal, too.
 * Functions of time
 *   An attempt ends where one of them has a kink or jumps, and a phase begins on the other side: a driven body that stops there
 *   lets go of what it pushes.
 * Accumulation
 *   Flights after an impact that would rise less than `accumulation` of the contact's unit are left out, and an event
 *   says so: what is left of infinitely many impacts is smaller in position than that. So is slip in space that ends within as
 *   much; where slip turns as it slows down substeps get shorter with its speed.
 * Points that move
 *   The gap of a rim may be that of a point which is fixed in its body for an attempt. The end of an attempt and the place of an
 *   event are looked at with the points that are nearest there: an open contact that overlaps is taken at these, and the attempt
 *   repeated; where a closed one does, the attempt is halved.
 * Handing over
 *   Where accelerations do not say what happens (Painleve), where stages are not solved, or events are too many, a step of
 *   Moreau's scheme takes over, of a millionth of h, and four times as much each time that it does not suffice. Where
 *   that ends with an overlap, positions are put apart (separation.h).
 *
 * Order   p of the method, through events too
 * Cost    a factorisation per stage; an event costs about ten steps of its own; a step at most `max_events` events and
 *         `max_evaluations` evaluations of its stages, then Moreau's scheme does the rest */
#include "base/tolerances.h"
#include "kernels/jump.h"
#include "kernels/passing.h"
#include "kernels/separation.h"
#include "kernels/theta.h"
#include "schemes/event_capturing_rk/watch.h"
#include <float.h>
#include <math.h>

/* lengths of attempts and substeps, as fractions of the nominal step */
static const double SHORTEST_TRIAL = 1e-6; /* attempt that is made where longer ones fail                    */
static const double SHORTEST_LOOK = 1e-4;  /* attempt halved because contacts may have passed unseen         */
static const double SHORTEST_SAFE = 1e-3;  /* taken even if bodies might pass through each other in it       */
static const double PROGRESS = 1e-10;      /* a shorter substep is no progress; too many in a row: stuck     */
static const double GOOD_PROGRESS = 1e-3;  /* after it the first critical step is short again                */
static const double CRITICAL = 1e-6;       /* first critical step                                            */
static const double ROUNDINGS = 8;         /* of a time: a kink of a function of time is known as well as that */
static const double PIECE = 1.0 / 32;      /* of Moreau's scheme where it does the rest      */

/* A step that gets nowhere shall not spend all its evaluations at one place: Moreau's scheme does a piece first. */
static const double AT_FIRST = 0.5;    /* of the evaluations: may be spent at the start of a step          */
static const double ALL_FROM = 0.0625; /* of the step: all evaluations may be spent when so much is done   */

enum { LOOKS = 20 }; /* most attempts from one state, each with the contacts that the one before has shown */

typedef struct rk_params {
    int method, max_events, max_evaluations;
    double accumulation;
} rk_params;

static const ss_field fields[] = {
    SS_OPTION_CHOICE(rk_params, method, 1, SS_RUNGE_KUTTA_NAMES, "Runge-Kutta method; its number is its order"),
    SS_OPTION_NUMBER(
        rk_params, accumulation, 1e-11, 0, 1,
        "a flight after an impact that rises less than this part of the length scale is skipped: the contact closes"),
    SS_OPTION_INT(rk_params, max_events, 1000, 1, 1e9,
                  "most events in one step; the rest of the step is then done by Moreau's scheme"),
    SS_OPTION_INT(
        rk_params, max_evaluations, 2000, 1, 1e9,
        "most evaluations of all stages in one step, over all attempts; the rest of the step is then done by Moreau's scheme"),
    SS_FIELD_END,
};

typedef struct rk_work {
    ss_vicinity *around;
    ss_phase *phase;
    ss_stages *stages;
    ss_modes *modes;
    ss_assembly *touching;
    ss_theta *moreau;
    ss_separation *apart;
    ss_theta_params moreau_params;
} rk_work;

/* A step under way. */
typedef struct rk_step {
    ss_stepper *s;
    const rk_params *p;
    rk_work *w;
    double h;             /* its length                                       */
    double t, *q, *v;     /* the state being built                            */
    double *v_before;     /* scratch                                          */
    ss_onset onset;       /* from the state to the current phase              */
    ss_attempt attempt;   /* the attempt over the current phase               */
    double visible;       /* longest attempt whose end is believed to hide nothing, s */
    ss_event_notes event; /* with which it ends                               */
    int events, stalled;  /* events in this step; those in a row without time passing */
    double critical;      /* what Moreau's scheme is given next               */
} rk_step;

/* ---- a phase begins ------------------------------------------------------------------------------ */

/* A projection is a jump of its own, so that the ledger knows what it did. */
static ss_status report_projection(rk_step *x, double t, const double *q, const double *v0, const double *v1)
{
    return ss_jump_report(x->s, SS_IMPULSE_PROJECTION, t, q, v0, v1);
}

/* Project positions and velocities onto the joints and closed contacts of the new phase. */
static ss_status settle(rk_step *x, bool *found)
{
    memcpy(x->v_before, x->v, (size_t)x->s->model->nv * sizeof *x->v);
    SS_TRY(ss_phase_project(x->w->phase, x->s, x->t, x->q, x->v, found));
    return report_projection(x, x->t, x->q, x->v_before, x->v);
}

/* Resolve the collisions of touching contacts and begin the next phase; *found false: the accelerations do not determine it. */
static ss_status begin_phase(rk_step *x, double h, bool *found)
{
    SS_TRY(ss_onset_find(&x->onset, x->t, h, found));
    x->events += x->onset.impacted;
    return *found ? settle(x, found) : SS_OK;
}

/* Too many events in the step, or too much work. */
static bool is_exhausted(const rk_step *x) { return x->events > x->p->max_events || ss_stages_is_exhausted(x->w->stages); }

/* So it is, or there are more events at one instant than contacts that can strike one another in turn. */
static bool is_stuck(const rk_step *x)
{
    return is_exhausted(x) || x->stalled > 6 + (x->onset.impacted ? x->w->around->near.n : 0);
}

/* Evaluations that the step may have spent by now: a part of all, and more as it gets on. */
static int allowance(const rk_step *x)
{
    const double done = (x->t - x->s->now->t) / x->h;
    return (int)ceil(x->p->max_evaluations * fmin(1, fmax(AT_FIRST, done / ALL_FROM)));
}

/* ---- it is tried --------------------------------------------------------------------------------- */

/* An attempt that passes through something is cut where it overlaps it: the event is before that. */
static ss_status cut_passage(rk_step *x)
{
    const ss_model *m = x->s->model;
    ss_attempt *attempt = &x->attempt;
    double *way;
    ss_met met;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *way, &way));
    ss_path_way(m, x->q, attempt->q_end, x->v, attempt->v_end, attempt->length, way);
    const ss_path path = { x->t, attempt->length, x->q, x->v, attempt->v_end, way };
    SS_TRY(ss_passing_check(x->w->around->passing, x->s, x->w->around, NULL, &path, &met));
    return met.any ? ss_attempt_to(attempt, met.inside) : SS_OK;
}

/* The longest attempt within `most` that passes through nothing that is thin. */
static ss_status try_length(rk_step *x, double most)
{
    ss_attempt *attempt = &x->attempt;
    SS_TRY(ss_attempt_start(attempt, x->t));
    SS_TRY(ss_attempt_within(attempt, most));
    SS_TRY(attempt->found ? ss_watch_dips(&x->onset, attempt) : SS_OK);
    return attempt->found ? cut_passage(x) : SS_OK;
}

/* Does the end of the attempt show overlaps that the survey does not explain? *more: the next survey has them. *hidden: they need
 * a shorter attempt to be seen, which x->visible is. */
static ss_status look_at_end(rk_step *x, bool *more, bool *hidden)
{
    const ss_attempt *attempt = &x->attempt;
    ss_vicinity *around = x->w->around;
    bool *held;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)around->near.n, sizeof *held, &held));
    for (int k = 0; k < around->near.n; k++) {
        held[k] = x->onset.in_phase[k] >= 0;
    }
    ss_vicinity_hold(around, held);
    SS_TRY(ss_vicinity_look_again(around, x->s, &x->onset.here, &attempt->end, more, hidden));
    *hidden = *hidden && attempt->length > SHORTEST_LOOK * x->s->h_nominal;
    x->visible = *hidden ? 0.5 * attempt->length : x->visible;
    return SS_OK;
}

/* The longest attempt within `most` whose end hides nothing; *more: it shows contacts that the survey does not have. */
static ss_status look_ahead(rk_step *x, double most, bool *more)
{
    bool hidden = true;
    *more = false;
    for (x->attempt.found = true; hidden && !*more && x->attempt.found;) {
        hidden = false;
        SS_TRY(try_length(x, fmin(most, x->visible)));
        SS_TRY(x->attempt.found ? look_at_end(x, more, &hidden) : SS_OK);
    }
    return SS_OK;
}

/* The attempt up to its first event. Where that cuts it, the new end is looked at too: a contact whose point moves along its
 * features is closed there at the point of the survey, and may overlap at another one. */
static ss_status find_first(rk_step *x, double *most, bool *again)
{
    ss_attempt *attempt = &x->attempt;
    const double looked = attempt->length;
    bool hidden = false;
    SS_TRY(ss_watch_first(&x->onset, attempt, &x->event));
    if (attempt->found && attempt->length < looked) {
        *most = attempt->length;
        SS_TRY(look_at_end(x, again, &hidden));
        *again = *again || hidden;
    }
    return SS_OK;
}

/* The time in which the fastest body turns by a quarter. The chart of rotations (ss_model_chart_rate) ends at a whole turn, and
 * Newton's method for the stages does not converge over half a turn. */
static double time_to_turn(const rk_step *x)
{
    const ss_model *m = x->s->model;
    double fastest = 0;
    for (int b = 0; m->dimension == 3 && b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_RIGID) {
            fastest = fmax(fastest, ss_norm(ss_v3_from(x->v + m->body_v[b] + 3)));
        }
    }
    return fastest > 0 ? 0.5 * acos(-1) / fastest : INFINITY;
}

/* A phase, and an attempt of it up to its first event that needs no contact which the survey did not have; *found false: there is
 * none. */
static ss_status find_attempt(rk_step *x, double h, bool *found)
{
    bool again = true;
    double most = h;
    ss_vicinity_forget(x->w->around);
    for (int look = 1; again; look++) {
        SS_TRY(begin_phase(x, h, found));
        *found = *found && !is_stuck(x);
        if (!*found) {
            return SS_OK;
        }
        most = fmin(most, fmax(fmin(x->w->around->safe, time_to_turn(x)), SHORTEST_SAFE * x->s->h_nominal));
        most = fmin(most, fmax(x->onset.steady, SHORTEST_TRIAL * x->s->h_nominal));
        SS_TRY(look_ahead(x, most, &again));
        again = again && look < LOOKS;
        SS_TRY(x->attempt.found && !again ? find_first(x, &most, &again) : SS_OK);
        again = again && look < LOOKS;
        *found = x->attempt.found;
    }
    return SS_OK;
}

/* ---- it is accepted, or not ---------------------------------------------------------------------- */

/* What the ledger and dense output are told of the attempt. */
static ss_status report_attempt(rk_step *x)
{
    const ss_model *m = x->s->model;
    const ss_attempt *attempt = &x->attempt;
    const ss_assembly *forces = ss_phase_is_bound(x->w->phase) ? x->w->modes->a : NULL;
    ss_matrix M = m->mass;
    double *impulse[SS_IMPULSES], *buffer, *room, work[SS_IMPULSES];
    const ss_segment_end from = { .t = x->t, .q = x->q, .v = x->v, .a = x->w->stages->first },
                         to = { .t = x->t + attempt->length,
                                .q = attempt->q_end,
                                .v = attempt->v_raw,
                                .a = attempt->verdict.regular ? attempt->verdict.a : NULL };
    ss_segment segment = forces ? ss_assembly_segment(forces, from, to) : (ss_segment){ .from = from, .to = to };
    segment.level = SS_LEVEL_ACCELERATION;
    segment.mass = &M;
    segment.stages.shown = true;
    segment.stages.work = work;
    segment.nonlinear = x->w->stages->residual;
    segment.own_residual = !forces;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)(SS_IMPULSES * m->nv), sizeof *buffer, &buffer));
    SS_TRY(ss_arena_take(x->s->arena, ss_model_mass_room(m), sizeof *room, &room));
    for (int kind = 0; kind < SS_IMPULSES; kind++) {
        segment.impulse[kind] = impulse[kind] = buffer + kind * m->nv;
    }
    SS_TRY(ss_model_mass_at(x->s->ctx, m, to.t, attempt->q_end, room, &M.diagonal));
    SS_TRY(ss_stages_impulses(x->w->stages, x->s->arena, &M, impulse, work, segment.stages.driven));
    return x->s->report->segment(x->s->report, &segment);
}

/* The attempt is what happened. */
static ss_status accept(rk_step *x)
{
    const ss_model *m = x->s->model;
    const ss_attempt *attempt = &x->attempt;
    double t = x->t + attempt->length;
    SS_TRY(ss_attempt_judge(&x->attempt));
    SS_TRY(report_attempt(x));
    SS_TRY(report_projection(x, t, attempt->q_end, attempt->v_raw, attempt->v_end));
    memcpy(x->q, attempt->q_end, (size_t)m->nq * sizeof *x->q);
    memcpy(x->v, attempt->v_end, (size_t)m->nv * sizeof *x->v);
    x->t = t;
    return SS_OK;
}

/* Forces of the last phase, if any, are the first guess of the impulses: where laws leave several solutions (Painleve) contacts
 * go on as they were. */
static ss_status hand_forces_on(rk_step *x)
{
    ss_contact_cache *cache = &x->s->next->cache;
    const bool any = cache->level[SS_LEVEL_ACCELERATION].n > 0;
    return any ? ss_contact_cache_hand_on(x->s->ctx, cache, SS_LEVEL_ACCELERATION, SS_LEVEL_VELOCITY) : SS_OK;
}

/* Positions at the end of what Moreau's scheme has done are put where nothing overlaps. Not where overlaps are small: contacts
 * that are closed are put back onto their surfaces as the next phase begins, and one that is pushed open would fall and strike
 * again. */
static ss_status put_apart(void *user, ss_stepper *s, double t, double *q, const double *v)
{
    const ss_overlapping_state what = { .t = t, .q = q, .v = v, .touch = SS_TOL_FITS, .e = 1 };
    return ss_separation_apply(user, s, &what);
}

/* Moreau's scheme takes a piece of what is left; if the step has cost too much all others will be its, too. */
static ss_status hand_over(rk_step *x, double left, double *taken)
{
    x->s->report->remark(x->s->report, SS_REMARK_HANDED, NULL);
    *taken = fmin(left, is_exhausted(x) ? PIECE * x->s->h_nominal : x->critical);
    x->critical *= 4;
    x->stalled = 0;
    x->attempt.verdict.known = false; /* the contact cache is now filled by Moreau's scheme */
    SS_TRY(hand_forces_on(x));
    SS_TRY(ss_theta_continue(x->w->moreau, x->s, x->t, *taken, put_apart, x->w->apart));
    x->t += *taken;
    return SS_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

/* How far functions of time are smooth, at most h: up to their next kink. *over: what it takes to get to its other side, where a
 * driven body may have another velocity, and a force another value. */
static double time_to_kink(const rk_step *x, double h, double *over)
{
    const double near = ROUNDINGS * DBL_EPSILON * fabs(x->t + h), kink = ss_model_next_kink(x->s->model, x->t, x->t + h);
    *over = isfinite(kink) ? fmin(2 * near, h) : 0;
    return isfinite(kink) ? fmax(kink - near - x->t, 0) : h;
}

/* Go over to the other side of a kink of a function of time: that takes no time but a rounding of it. */
static ss_status go_over(rk_step *x, double over, double *taken)
{
    *taken = over;
    x->t += over;
    return SS_OK;
}

/* One substep: a phase begins and goes on for h at most, to the next kink of a function of time, or to the next event.
 * [Algorithm 1] */
static ss_status advance(rk_step *x, double left, double *taken)
{
    bool found = false;
    double over;
    const double h = time_to_kink(x, left, &over);
    if (h <= over && over > 0) {
        return go_over(x, over, taken);
    }
    double nominal = x->s->h_nominal;
    ss_stages_allow(x->w->stages, allowance(x));
    SS_TRY(is_exhausted(x) ? SS_OK : find_attempt(x, h, &found));
    if (!found) {
        return hand_over(x, h, taken);
    }
    *taken = x->attempt.length;
    x->visible *= 2;
    x->events += x->event.any;
    x->onset.last = x->event;
    x->stalled = *taken > PROGRESS * nominal ? 0 : x->stalled + 1;
    x->critical = *taken > GOOD_PROGRESS * nominal ? CRITICAL * nominal : x->critical;
    return accept(x);
}

static ss_status begin(rk_step *x)
{
    rk_work *w = x->w;
    ss_stepper *s = x->s;
    x->t = s->now->t;
    x->q = s->next->q;
    x->v = s->next->v;
    x->critical = CRITICAL * s->h_nominal;
    x->visible = INFINITY;
    x->onset = (ss_onset){ .s = s,
                           .around = w->around,
                           .phase = w->phase,
                           .modes = w->modes,
                           .touching = w->touching,
                           .accumulation = x->p->accumulation,
                           .q = x->q,
                           .v = x->v };
    x->attempt = (ss_attempt){ .s = s,
                               .stages = w->stages,
                               .phase = w->phase,
                               .modes = w->modes,
                               .q = x->q,
                               .v = x->v,
                               .least = SHORTEST_TRIAL * s->h_nominal };
    SS_TRY(ss_arena_take(s->arena, (size_t)s->model->nv, sizeof *x->v_before, &x->v_before));
    ss_stages_begin(w->stages, x->p->max_evaluations);
    SS_TRY(ss_onset_begin(&x->onset));
    SS_TRY(ss_attempt_begin(&x->attempt));
    SS_TRY(ss_phase_begin(w->phase, s->arena));
    return ss_modes_begin(w->modes, s->arena);
}

/* Remember the forces at the end of the last phase; impulses of a substep by Moreau's scheme are older and are forgotten. */
static ss_status remember(const rk_step *x)
{
    ss_contact_cache *cache = &x->s->next->cache;
    ss_contact_cache_forget(cache, SS_LEVEL_VELOCITY);
    return ss_assembly_remember(x->w->modes->a, cache, SS_LEVEL_ACCELERATION);
}

static ss_status step(ss_stepper *s, double h)
{
    rk_step x = { .s = s, .p = s->params, .w = s->work, .h = h };
    SS_TRY(begin(&x));
    for (double left = h, taken = 0; left > 0; left = ss_stepper_rest(s, h, left, taken)) {
        SS_TRY(advance(&x, left, &taken));
    }
    s->next->t = s->now->t + s->length.taken;
    return x.w->phase->n > 0 && x.attempt.verdict.known ? remember(&x) : SS_OK;
}

/* ---- the scheme ---------------------------------------------------------------------------------- */

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
        ss_separation_destroy(ctx, w->apart);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    const rk_params *p = s->params;
    const ss_friction friction = { s->model->dimension == 2 ? SS_LAW_POLYHEDRAL : SS_LAW_COULOMB, 2 };
    const ss_setting circular = { .key = "cone", .text = s->model->dimension == 2 ? "polyhedral" : "circular" };
    rk_work *w;
    (void)scheme_state;
    SS_TRY(ss_friction_check(s, friction));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    ss_fields_default(ss_theta_fields, &w->moreau_params);
    SS_TRY(ss_fields_set(s->ctx, ss_theta_fields, &w->moreau_params, "Moreau's scheme", &circular));
    SS_TRY(ss_vicinity_create(s->ctx, s->model, &w->around));
    ss_vicinity_follow(w->around);
    SS_TRY(ss_phase_create(s->ctx, s->model, friction, w->around->redundant, &w->phase));
    SS_TRY(ss_stages_create(s->ctx, ss_runge_kutta_methods[p->method], w->phase, &w->stages));
    SS_TRY(ss_modes_create(s->ctx, s->model, friction, w->around->redundant, &w->modes));
    SS_TRY(ss_assembly_create(s->ctx, s->model, &w->touching));
    w->touching->redundant = w->around->redundant;
    SS_TRY(ss_separation_create(s->ctx, s->model, &w->apart));
    return ss_theta_create(s, &w->moreau_params, &w->moreau);
}

const ss_scheme_type ss_scheme_event_capturing_rk = {
    .info = { .name = "event_capturing_rk",
              .title = "Runge-Kutta of any order between located events",
              .reference = "Aca09",
              .order = { .smooth = 5, .impacts = 5, .norm = "l1" },
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(rk_params) },
    .order = order,
    .contact_numbers = &ss_theta_numbers,
    .create = create,
    .destroy = destroy,
    .step = step,
};
