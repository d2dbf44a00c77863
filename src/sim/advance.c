/* advance.c - the calls that step a simulation: one at a time, with a controller between the steps.
 *
 * Samples  the controller with period T is called in the first state at or after each k T, before the step from there. A time
 *          that misses k T by less than SS_TOL_TIME max(T, h), h the step, is at k T: what is left is too short to step over.
 *          A period is longer than SS_TOL_TIME h, and each advance to a sample must move the time. Whether a sample is due
 *          follows from the time of the last call, which is part of the state: a run that was restored calls the controller
 *          when the run that was saved would have.
 * Busy     the phase of the simulation changes by one atomic exchange, so that of two threads one is refused. */
#include "base/tolerances.h"
#include "sim/sim.h"
#include <math.h>

/* ---- one call at a time -------------------------------------------------------------------------------- */

ss_status ss_usage_enter(ss_sim *sim, bool by_controller, int *before)
{
    ss_usage *u = sim->usage;
    *before = SS_IDLE;
    if (atomic_compare_exchange_strong(&u->phase, before, SS_BUSY)) {
        return SS_OK;
    }
    return by_controller && *before == SS_ASKING && pthread_equal(u->asker, pthread_self()) ? SS_OK : SS_ERR_BUSY;
}

void ss_usage_leave(ss_sim *sim, int before) { atomic_store(&sim->usage->phase, before); }

bool ss_sim_is_busy(const ss_sim *sim) { return atomic_load(&sim->usage->phase) != SS_IDLE; }

/* ---- the controller ------------------------------------------------------------------------------------ */

/* a sample that is nearer than this part of the period is the present one */
static double slack(const ss_sim *sim) { return SS_TOL_TIME * fmax(1, sim->asked.step / sim->usage->controller.period); }

static double sample_at(const ss_sim *sim, double t) { return floor(t / sim->usage->controller.period + slack(sim)); }

static bool is_due(const ss_sim *sim)
{
    const ss_usage *u = sim->usage;
    return u->controller.update && (u->controller.period == 0 || sample_at(sim, sim->now.t) > sample_at(sim, u->asked));
}

ss_status ss_controller_ask(ss_sim *sim)
{
    ss_usage *u = sim->usage;
    if (!is_due(sim)) {
        return SS_OK;
    }
    u->asker = pthread_self();
    atomic_store(&u->phase, SS_ASKING);
    const ss_status status = u->controller.update(u->controller.user, sim);
    atomic_store(&u->phase, SS_BUSY);
    u->asked = status == SS_OK ? sim->now.t : u->asked;
    return status;
}

static ss_status check_controller(const ss_sim *sim, const ss_controller *c)
{
    if (!c->update) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "controller: it has no function `update`");
    }
    if (!(c->period >= 0 && isfinite(c->period))) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "controller: expected a period >= 0, got %g", c->period);
    }
    if (c->period > 0 && c->period <= SS_TOL_TIME * sim->asked.step) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "controller: its period of %g s is too short for steps of %g s", c->period,
                       sim->asked.step);
    }
    if (c->period == 0 && sim->control.tol > 0) {
        return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED,
                       "controller: a tolerance chooses the steps, so that it needs a period of its own, got 0");
    }
    return SS_OK;
}

static ss_status set_controller(ss_sim *sim, const ss_controller *controller)
{
    SS_TRY(controller ? check_controller(sim, controller) : SS_OK);
    sim->usage->controller = controller ? *controller : (ss_controller){ .user = NULL };
    return SS_OK;
}

ss_status ss_sim_set_controller(ss_sim *sim, const ss_controller *controller)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    const ss_status status = set_controller(sim, controller);
    ss_usage_leave(sim, before);
    return status;
}

/* ---- stepping ------------------------------------------------------------------------------------------ */

ss_status ss_sim_step(ss_sim *sim, double h)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    ss_status status = ss_sim_check_functions(sim);
    status = status == SS_OK ? ss_driver_step(sim, h) : status;
    ss_usage_leave(sim, before);
    return status;
}

/* to the next sample, and on from there */
static ss_status advance_by_samples(ss_sim *sim, double until)
{
    const double period = sim->usage->controller.period, last = until - slack(sim) * period;
    while (sim->now.t < last) {
        const double begin = sim->now.t;
        SS_TRY(ss_controller_ask(sim));
        const double next = (sample_at(sim, begin) + 1) * period;
        SS_TRY(ss_driver_advance(sim, next < last ? next : until));
        if (!(sim->now.t > begin)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "controller: its period of %g s is lost in the rounding of t = %g s", period,
                           begin);
        }
    }
    return SS_OK;
}

static ss_status advance(ss_sim *sim, double until)
{
    if (!isfinite(until)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "until: expected a finite time, got %g", until);
    }
    const double begin = ss_clock_seconds();
    const ss_controller *c = &sim->usage->controller;
    const ss_status status = c->update && c->period > 0 ? advance_by_samples(sim, until) : ss_driver_advance(sim, until);
    sim->summary.wall_s += ss_clock_seconds() - begin;
    return status;
}

ss_status ss_sim_advance(ss_sim *sim, double until)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    ss_status status = ss_sim_check_functions(sim);
    status = status == SS_OK ? advance(sim, until) : status;
    ss_usage_leave(sim, before);
    return status;
}

ss_status ss_sim_observe(ss_sim *sim, const ss_observer *observer)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    sim->observer = observer ? *observer : (ss_observer){ 0 };
    ss_usage_leave(sim, before);
    return SS_OK;
}
