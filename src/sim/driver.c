/* driver.c - the step loop: try, measure, accept, tell the observers.
 *
 * A step is tried on `next`, which starts as a copy of `now`. Only when the scheme has come back and the
 * end state has been measured are the two exchanged and the step's account added to the run's: a step
 * that fails, or that the scheme rejects (h_retry), leaves no trace. */
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

static ss_status try_once(ss_sim *sim, double h)
{
    const ss_model *m = sim->model;
    ss_account_begin(sim->pending);
    SS_TRY(ss_state_copy(sim->ctx, m, sim->block_size, &sim->now, &sim->next));
    sim->stepper.h_retry = 0;
    SS_TRY(sim->scheme->step(&sim->stepper, h));
    if (!all_finite(m->nq, sim->next.q) || !all_finite(m->nv, sim->next.v)) {
        return ss_fail(sim->ctx, SS_ERR_NUMERIC, "it produced a number that is not finite");
    }
    return SS_OK;
}

/* Try until the scheme is content with its own step; *h is the length that was. */
static ss_status try_step(ss_sim *sim, double *h)
{
    ss_status status = try_once(sim, *h);
    while (status == SS_OK && sim->stepper.h_retry > 0 && sim->stepper.h_retry < *h) {
        *h = sim->stepper.h_retry;
        sim->summary.rejected++;
        status = try_once(sim, *h);
    }
    if (status != SS_OK) {
        /* bad numbers found on the way are not the caller's input */
        return ss_fail_within(sim->ctx, status == SS_ERR_INPUT ? SS_ERR_NUMERIC : status, "step from t = %.9g", sim->now.t);
    }
    return ss_sim_measure(sim, &sim->next, &sim->pending->info);
}

static void count(ss_sim *sim)
{
    ss_summary *sum = &sim->summary;
    const ss_account *a = sim->last;
    const ss_residual *r = &a->info.residual;
    double energy = a->info.kinetic + a->info.potential;
    sum->steps++;
    sum->lcps += a->lcps;
    sum->fallbacks += a->fallbacks;
    sum->basis_tried += a->basis_tried;
    sum->basis_hits += a->basis_hits;
    sum->newton += a->newton;
    sum->contacts_found += a->contacts_found;
    sum->contacts_kept += a->contacts_kept;
    for (int k = 0; k < SS_SUMMARY_SOLVERS; k++) {
        sum->answered[k] += a->answered[k];
    }
    sum->unconverged_steps += !a->info.certified;
    sum->events += a->events;
    sum->max_contacts = a->info.contacts > sum->max_contacts ? a->info.contacts : sum->max_contacts;
    sum->max_penetration = fmax(sum->max_penetration, a->info.penetration);
    sum->max_joint_error = fmax(sum->max_joint_error, a->info.joint_error);
    sum->max_residual = fmax(sum->max_residual, fmax(r->contact, fmax(r->momentum, r->joint)));
    double gain = energy - sum->energy_final;
    sum->energy_max_gain = sum->steps == 1 ? gain : fmax(sum->energy_max_gain, gain);
    sum->energy_max = fmax(sum->energy_max, energy);
    sum->energy_final = energy;
}

/* Whole steps are counted from an anchor, so that their times carry one rounding each, not a sum of them. */
static double time_after(ss_sim *sim, double h)
{
    if (h == sim->step) {
        return sim->t_anchor + (double)++sim->steps_since * sim->step;
    }
    sim->t_anchor = sim->now.t + h;
    sim->steps_since = 0;
    return sim->t_anchor;
}

static void accept(ss_sim *sim, double h)
{
    ss_account *a = sim->pending;
    ss_state taken = sim->next;
    taken.t = time_after(sim, h);
    sim->next = sim->now;
    sim->now = taken;
    sim->pending = sim->last;
    sim->last = a;
    sim->stepper.report = &sim->pending->report;
    a->ledger.integration_error = a->info.potential - sim->potential + a->ledger.gravity + a->ledger.springs;
    ss_ledger_add(&sim->ledger, &a->ledger);
    sim->kinetic = a->info.kinetic;
    sim->potential = a->info.potential;
    count(sim);
    a->info.step = sim->summary.steps;
    a->info.t = sim->now.t;
    a->info.h = h;
}

static ss_status tell(ss_sim *sim)
{
    const ss_observer *o = &sim->observer;
    for (int k = 0; o->on_event && k < sim->last->events; k++) {
        SS_TRY(o->on_event(o->user, sim, &sim->last->event[k]));
    }
    return o->on_step ? o->on_step(o->user, sim, &sim->last->info) : SS_OK;
}

static ss_status demand_certificate(ss_sim *sim)
{
    const ss_step_info *i = &sim->last->info;
    return ss_fail(sim->ctx, SS_ERR_NUMERIC,
                   "step %lld to t = %.9g is not certified (%s): residual of contacts %.3g, momentum %.3g, joints %.3g, allowed "
                   "%.3g; worst contact %d",
                   (long long)i->step, i->t, ss_outcome_name(i->outcome), i->residual.contact, i->residual.momentum,
                   i->residual.joint, sim->solver_tol, i->residual.worst);
}

ss_status ss_sim_step(ss_sim *sim, double h)
{
    if (!(h > 0 && isfinite(h))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "step: expected a number > 0, got %g", h);
    }
    ss_status status = try_step(sim, &h);
    if (status == SS_OK) {
        accept(sim, h);
        status = tell(sim);
    }
    ss_arena_reset(sim->arena);
    if (status == SS_OK && sim->strict && !sim->last->info.certified) {
        status = demand_certificate(sim);
    }
    return status;
}

/* A rest of the interval that differs from h by rounding only is a whole step: a run in two halves then
 * makes the same steps as a straight one. */
static double next_step(const ss_sim *sim, double until)
{
    double left = until - sim->now.t, step = sim->now.h_next > 0 ? sim->now.h_next : sim->step;
    if (left <= 1e-9 * step) {
        return 0;
    }
    return left < (1 - 1e-9) * step ? left : step;
}

ss_status ss_sim_advance(ss_sim *sim, double until)
{
    if (!isfinite(until)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "until: expected a finite time, got %g", until);
    }
    if (until > sim->now.t && until + sim->step == until) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "time.step: a step of %g s is lost in the rounding of t = %g s", sim->step, until);
    }
    double begin = ss_clock_seconds();
    ss_status status = SS_OK;
    for (double h = next_step(sim, until); h > 0 && status == SS_OK; h = next_step(sim, until)) {
        if (sim->interrupt && *sim->interrupt) {
            status = ss_fail(sim->ctx, SS_ERR_INTERRUPTED, "interrupted at t = %.9g", sim->now.t);
        } else {
            status = ss_sim_step(sim, h);
        }
    }
    sim->summary.wall_s += ss_clock_seconds() - begin;
    return status;
}

ss_status ss_sim_observe(ss_sim *sim, const ss_observer *observer)
{
    sim->observer = observer ? *observer : (ss_observer){ 0 };
    return SS_OK;
}
