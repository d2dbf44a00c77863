/* driver.c - the step loop: try, measure, accept, tell the observers.
 *
 * A step is tried on `next`, which starts as a copy of `now`. Only when the scheme has come back and the
 * end state has been measured are the two exchanged and the step's account added to the run's: a step
 * that fails, or is not kept, leaves no trace but the work it took, and can be made again with another length. So does one that
 * is interrupted.
 *
 * With step control (control.c) a trial of length h is one step of h, of which only the end is kept, and two steps of h/2,
 * now -> middle -> next. If its error is within the tolerance these two are accepted, one after the other; else the trial is
 * made again with a shorter h, down to h_min, where it is accepted whatever its error: that is counted, or under `strict` an
 * error. Between the halves the run can be saved: the end of the second one is part of the state.
 *
 * An advance ends at its time exactly, and so does a trial where a force jumps in time. The step that is cut for it says little
 * about the length of the next: the one that was wanted before is kept, unless the cut step asks for a longer one. */
#include "base/tolerances.h"
#include "math/worse.h"
#include "sim/sim.h"
#include <math.h>

static bool all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

/* ---- trying -------------------------------------------------------------------------------------- */

/* One step of the scheme, reported to `pending`. */
static ss_status try_once(ss_sim *sim, const ss_state *from, ss_state *to, int64_t number, double h)
{
    const ss_model *m = sim->model;
    sim->next_is_previous = false;
    ss_account_begin(sim->pending, number);
    sim->pending->info.h = h;
    ss_audit_begin(sim->pending, from->q, from == &sim->middle ? sim->other->audit.paid : sim->audit.sums.paid);
    SS_TRY(ss_state_copy(sim, from, to));
    if (sim->control.tol > 0) {
        ss_control_restart(sim, to);
    }
    sim->stepper.now = from;
    sim->stepper.next = to;
    sim->stepper.report = &sim->pending->report;
    sim->stepper.h_nominal = sim->control.tol > 0 ? h : sim->asked.step;
    sim->stepper.length = (ss_step_length){ .controlled = sim->control.tol > 0,
                                            .stretch = number == 0 ? ss_control_floor(&sim->control, from->t) : 0 };
    sim->stepper.wasted = (ss_wasted){ 0 };
    const volatile int *watched = ss_context_watch(sim->ctx, sim->asked.interrupt);
    ss_arena *lent = ss_context_lend(sim->ctx, sim->arena);
    ss_status status = sim->scheme->step(&sim->stepper, h);
    ss_context_lend(sim->ctx, lent);
    ss_context_watch(sim->ctx, watched);
    SS_TRY(status);
    ss_turns_settle(m, to->t, to->q);
    if (!all_finite(m->nq, to->q) || !all_finite(m->nv, to->v)) {
        return ss_fail(sim->ctx, SS_ERR_NUMERIC, "the scheme produced a number that is not finite");
    }
    if (number == 0) {
        return SS_OK;
    }
    SS_TRY(ss_audit_end(sim->pending, to));
    return ss_outputs_note(sim, from, to);
}

/* bad input found during a step is a numerical failure, not an error of the caller */
static ss_status fail_from(ss_sim *sim, ss_status status)
{
    if (status == SS_ERR_INTERRUPTED) {
        return ss_fail(sim->ctx, status, "interrupted at t = %.9g", sim->now.t);
    }
    return ss_fail_within(sim->ctx, status == SS_ERR_INPUT ? SS_ERR_NUMERIC : status, "step from t = %.9g", sim->now.t);
}

static ss_status try_step(ss_sim *sim, double h)
{
    ss_arena_reset(sim->trial_arena);
    ss_status status = ss_model_check_driven(sim->ctx, sim->model, sim->now.t, sim->now.t + h);
    status = status == SS_OK ? try_once(sim, &sim->now, &sim->next, sim->summary.steps + 1, h) : status;
    return status == SS_OK ? ss_sim_measure(sim, &sim->next, &sim->pending->info) : fail_from(sim, status);
}

/* ---- accepting ----------------------------------------------------------------------------------- */

/* Whole steps are counted from an anchor, so that their times carry one rounding each, not a sum of them. */
static double time_after(ss_sim *sim, double h)
{
    if (h == sim->asked.step) {
        return sim->clock.anchor + (double)++sim->clock.whole * sim->asked.step;
    }
    sim->clock.anchor = sim->now.t + h;
    sim->clock.whole = 0;
    return sim->clock.anchor;
}

/* Make the account in *slot that of the last step and add it to the run's totals; *slot then points to the old one, for reuse. */
static void adopt(ss_sim *sim, ss_account **slot)
{
    ss_account *a = *slot;
    *slot = sim->last;
    sim->last = a;
    ss_account_keep(a);
    a->ledger.integration_error = a->info.potential - sim->audit.sums.potential + a->ledger.gravity + a->ledger.springs -
                                  a->ledger.position_correction - a->ledger.driven_springs;
    ss_audit_accept(sim, a);
    ss_ledger_add(&sim->ledger, &a->ledger);
    sim->audit.sums.potential = a->info.potential;
    a->info.t = sim->now.t;
    ss_sim_count(sim);
    a->info.step = sim->summary.steps;
    sim->next_is_previous = true;
}

static void accept(ss_sim *sim, double h)
{
    sim->next.t = time_after(sim, h);
    ss_state_exchange(sim, &sim->now, &sim->next);
    adopt(sim, &sim->pending);
}

static ss_status notify_observers(ss_sim *sim)
{
    const ss_observer *o = &sim->observer;
    for (int k = 0; o->on_event && k < sim->last->events.n; k++) {
        SS_TRY(o->on_event(o->user, sim, &sim->last->events.event[k]));
    }
    return o->on_step ? o->on_step(o->user, sim, &sim->last->info) : SS_OK;
}

/* The step has been accepted: notify the observer; under `strict` an uncertified step is an error. */
static ss_status close_step(ss_sim *sim)
{
    SS_TRY(notify_observers(sim));
    return sim->asked.strict && !sim->last->info.certified ? ss_sim_refuse(sim) : SS_OK;
}

ss_status ss_driver_step(ss_sim *sim, double h)
{
    if (!(h > 0 && isfinite(h))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "step: expected a number > 0, got %g", h);
    }
    SS_TRY(ss_controller_ask(sim));
    ss_status status = try_step(sim, h);
    if (status == SS_OK) {
        sim->control.halfway = SS_WHOLE;
        accept(sim, h);
        status = close_step(sim);
    }
    ss_state_empty_arena(sim);
    return status;
}

/* ---- fixed steps --------------------------------------------------------------------------------- */

/* A remainder of the interval that differs from h by rounding only is a whole step: a run in two parts then
 * makes the same steps as an uninterrupted one. */
static double next_step(const ss_sim *sim, double until)
{
    double left = until - sim->now.t, step = sim->asked.step;
    if (left <= SS_TOL_TIME * step) {
        return 0;
    }
    return left < (1 - SS_TOL_TIME) * step ? left : step;
}

static ss_status check_interrupt(const ss_sim *sim)
{
    bool wanted = sim->asked.interrupt && *sim->asked.interrupt;
    return wanted ? ss_fail(sim->ctx, SS_ERR_INTERRUPTED, "interrupted at t = %.9g", sim->now.t) : SS_OK;
}

static ss_status advance_fixed(ss_sim *sim, double until)
{
    if (until > sim->now.t && until + sim->asked.step == until) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: a step of %g s is lost in the rounding of t = %g s", sim->asked.step,
                       until);
    }
    for (double h = next_step(sim, until); h > 0; h = next_step(sim, until)) {
        SS_TRY(check_interrupt(sim));
        SS_TRY(ss_driver_step(sim, h));
    }
    return SS_OK;
}

/* ---- steps by tolerance -------------------------------------------------------------------------- */

/* A trial from `now`, to be accepted or not. */
typedef struct trial {
    double h, end; /* its length; when it ends                   */
    bool cut;      /* shortened by the end of the advance, or by a force that jumps in time */
    bool outruns;  /* its whole step is too long to see what its impacts have started; there are no halves */
    bool first;    /* it is the first stretch of a longer one, where the scheme cuts its step */
    ss_estimate result;
} trial;

/* The three states exchange roles. The contact caches of all get the capacity that one has needed, so that later exchanges
 * allocate nothing. */
static ss_status reserve_caches(ss_sim *sim, const ss_state *state)
{
    ss_contact_cache *cache[3] = { &sim->now.cache, &sim->middle.cache, &sim->next.cache };
    for (int k = 0; k < 3 * SS_LEVELS; k++) {
        ss_level level = (ss_level)(k / 3);
        SS_TRY(ss_contact_cache_reserve(sim->ctx, cache[k % 3], level, state->cache.level[level].n));
    }
    return SS_OK;
}

/* The whole step has ended where the scheme cuts it for the first time: so does the trial. */
static void end_at_cut(const ss_sim *sim, trial *x)
{
    const double taken = sim->stepper.length.taken; /* 0: the scheme does not cut its steps */
    x->first = taken > 0 && taken < x->h;
    if (x->first) {
        x->h = taken;
        x->end = sim->now.t + x->h;
        x->cut = false;
    }
}

/* One of the three steps of a trial; the work of those that will not be adopted is counted at once. */
static ss_status try_trial_step(ss_sim *sim, const ss_state *from, ss_state *to, int64_t number, double end, double h)
{
    ss_status status = try_once(sim, from, to, number, h);
    to->t = end;
    status = status == SS_OK ? ss_control_note(sim, number > 0 ? (int)(number - sim->summary.steps) : 0, from, to) : status;
    status = status == SS_OK ? reserve_caches(sim, to) : status;
    if (status == SS_OK && number > 0) {
        status = ss_sim_measure(sim, to, &sim->pending->info);
    }
    if (status != SS_OK || number == 0) {
        ss_sim_count_work(&sim->summary, &sim->pending->effort);
    }
    ss_state_empty_arena(sim);
    return status;
}

static void swap_accounts(ss_sim *sim)
{
    ss_account *first = sim->pending;
    sim->pending = sim->other;
    sim->other = first;
}

/* The second half begins with the account of the first put aside, in `other`. */
static ss_status try_second_half(ss_sim *sim, double end)
{
    swap_accounts(sim);
    double h = ss_control_length(sim, sim->middle.t, end);
    ss_status status = try_trial_step(sim, &sim->middle, &sim->next, sim->summary.steps + 2, end, h);
    if (status != SS_OK) {
        ss_sim_count_work(&sim->summary, &sim->other->effort);
    }
    return status;
}

static ss_status try_trial(ss_sim *sim, trial *x)
{
    ss_control_forget(&sim->control);
    ss_arena_reset(sim->trial_arena);
    SS_TRY(try_trial_step(sim, &sim->now, &sim->next, 0, x->end, x->h));
    end_at_cut(sim, x);
    const double half = 0.5 * x->h;
    SS_TRY(ss_control_outruns(sim, x->h, &x->outruns));
    if (x->outruns) {
        return SS_OK;
    }
    memcpy(sim->control.trial.whole, sim->next.q, (size_t)sim->model->nq * sizeof(double));
    memcpy(sim->control.trial.whole_v, sim->next.v, (size_t)sim->model->nv * sizeof(double));
    SS_TRY(try_trial_step(sim, &sim->now, &sim->middle, sim->summary.steps + 1, sim->now.t + half, half));
    SS_TRY(try_second_half(sim, x->end));
    return ss_control_estimate(sim, &sim->next, x->h, &x->result);
}

/* Length and end of a trial that would be h long if nothing were in the way. If less than `floor` would remain, it takes half. */
static void set_length(const ss_sim *sim, double h, double floor, double until, trial *x)
{
    double left = ss_control_length(sim, sim->now.t, until);
    bool all = h >= (1 - SS_TOL_TIME) * left;
    x->first = x->outruns = false;
    x->cut = h + floor > left;
    x->h = all ? left : x->cut ? 0.5 * left : h;
    x->end = all ? until : sim->now.t + x->h;
}

static bool is_bad_number(ss_status status) { return status == SS_ERR_NUMERIC || status == SS_ERR_INPUT; }

/* work of the two halves of a trial that is not accepted */
static void count_trial(ss_sim *sim)
{
    ss_sim_count_work(&sim->summary, &sim->other->effort);
    ss_sim_count_work(&sim->summary, &sim->pending->effort);
}

/* The trial cannot be shorter: go on with it and say so, or refuse. */
static ss_status settle_unmet(ss_sim *sim, const trial *x)
{
    if (sim->asked.strict) {
        count_trial(sim);
        return ss_control_refuse(sim, x->h, &x->result);
    }
    sim->summary.unmet_steps++;
    sim->summary.max_unmet_error = ss_worse(sim->summary.max_unmet_error, x->result.error);
    return SS_OK;
}

/* Try ever shorter steps from `now`, beginning with h, until one is good enough or cannot be shorter. */
static ss_status find_trial(ss_sim *sim, double h, double until, trial *x, bool *rejected)
{
    SS_TRY(ss_control_begin(sim, h, until));
    double floor = ss_control_floor(&sim->control, sim->now.t);
    h = fmax(floor, fmin(h, sim->control.longest));
    for (;;) {
        SS_TRY(check_interrupt(sim));
        set_length(sim, h, floor, until, x);
        ss_status status = try_trial(sim, x);
        floor = ss_control_floor(&sim->control, sim->now.t);
        bool failed = status != SS_OK, last = x->h <= floor + ss_control_negligible(&sim->control, sim->now.t);
        if (failed && (last || !is_bad_number(status))) {
            return fail_from(sim, status);
        }
        const bool judged = !failed && !x->outruns;
        if (judged && x->result.error <= 1) {
            return SS_OK;
        }
        if (judged && last) {
            return settle_unmet(sim, x);
        }
        if (judged) {
            count_trial(sim);
        }
        h = fmax(floor, x->h * (judged ? ss_control_factor(&x->result) : 0.5));
        sim->summary.rejected++;
        *rejected = true;
    }
}

/* now -> middle -> next: the first of the two comes to be `now`, the state before it `next`, the other waits in `middle` */
static void move_on(ss_sim *sim)
{
    ss_state_exchange(sim, &sim->now, &sim->middle);
    ss_state_exchange(sim, &sim->middle, &sim->next);
    sim->clock.anchor = sim->now.t;
    sim->clock.whole = 0;
}

/* The length to try next: not longer after a rejected trial; after a trial that was cut short at the end, at least the length
 * wanted before, and half of it after one that the scheme has cut: there may have been an event, or it may have failed. */
static double next_length(const ss_sim *sim, const trial *x, bool rejected, double wanted)
{
    const ss_control *c = &sim->control;
    double h = x->h * fmin(ss_control_factor(&x->result), rejected ? 1 : INFINITY);
    double before = x->cut ? wanted : x->first ? 0.5 * wanted : 0;
    h = rejected ? h : fmax(h, before);
    return fmin(c->h_max, fmax(ss_control_floor(c, sim->now.t), h));
}

/* Accept the half step whose end is in `middle` and whose account is in *slot; the next half, if any, moves to `middle`. */
static ss_status accept_half(ss_sim *sim, ss_account **slot)
{
    move_on(sim);
    adopt(sim, slot);
    return close_step(sim);
}

static ss_status accept_trial(ss_sim *sim, const trial *x)
{
    ss_control *c = &sim->control;
    sim->other->nonsmooth = sim->other->nonsmooth || x->result.order < 1;
    sim->pending->nonsmooth = sim->pending->nonsmooth || x->result.order < 1;
    sim->summary.accumulated_error += x->result.local + c->trial.grown;
    if (c->trial.grown > 0) {
        sim->other->report.remark(&sim->other->report, SS_REMARK_GRAZED, &c->trial.grazed);
    }
    c->second = x->end;
    c->halfway = sim->pending->nonsmooth ? SS_HALFWAY_NONSMOOTH : SS_HALFWAY;
    SS_TRY(accept_half(sim, &sim->other));
    c->halfway = SS_WHOLE;
    return accept_half(sim, &sim->pending);
}

static ss_status take_trial(ss_sim *sim, double until)
{
    ss_control *c = &sim->control;
    double wanted = c->h > 0 ? c->h : sim->asked.step;
    bool rejected = false;
    trial x = { .h = 0 };
    double stop = ss_control_stop(sim, wanted, until);
    ss_status status = ss_model_check_driven(sim->ctx, sim->model, sim->now.t, stop);
    if (status != SS_OK) {
        return fail_from(sim, status);
    }
    status = find_trial(sim, wanted, stop, &x, &rejected);
    if (status == SS_OK) {
        c->h = next_length(sim, &x, rejected, wanted);
        c->binds = c->binds || rejected || (!x.cut && !x.first && ss_control_is_bound(c, &x.result, x.h));
        status = accept_trial(sim, &x);
    }
    ss_state_empty_arena(sim);
    return status;
}

/* A run was stopped or saved between the two half steps of an accepted trial: make the second one again, without a new trial. */
static ss_status take_second_half(ss_sim *sim)
{
    ss_control *c = &sim->control;
    double end = c->second;
    ss_arena_reset(sim->trial_arena);
    double h = ss_control_length(sim, sim->now.t, end);
    ss_status status = try_trial_step(sim, &sim->now, &sim->middle, sim->summary.steps + 1, end, h);
    if (status != SS_OK) {
        return fail_from(sim, status);
    }
    sim->pending->nonsmooth = c->halfway == SS_HALFWAY_NONSMOOTH;
    c->halfway = SS_WHOLE;
    status = accept_half(sim, &sim->pending);
    ss_state_empty_arena(sim);
    return status;
}

static ss_status advance_controlled(ss_sim *sim, double until)
{
    const ss_control *c = &sim->control;
    double ignored = ss_control_rounding(sim->now.t); /* an advance is made however short it is */
    while (until - sim->now.t > ignored) {
        SS_TRY(check_interrupt(sim));
        bool second = c->halfway != SS_WHOLE && c->second > sim->now.t && c->second <= until;
        SS_TRY(second ? take_second_half(sim) : take_trial(sim, until));
        ignored = ss_control_negligible(c, sim->now.t);
    }
    return SS_OK;
}

ss_status ss_driver_advance(ss_sim *sim, double until)
{
    return sim->control.tol > 0 ? advance_controlled(sim, until) : advance_fixed(sim, until);
}
