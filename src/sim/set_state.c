/* set_state.c - positions and velocities that the user sets.
 *
 *   1 take      numbers are finite; quaternions get length 1; turn counters stay in the turn nearest to the angle before
 *   2 assemble  positions move onto the joints, velocities too (kernels/projection.h): by the least motion, measured by mass
 *   3 measure   joints fit, bodies do not overlap more than before
 *   4 adopt     the past is forgotten: the scheme's private state, remembered contacts, the length of the next step. The energy
 *               that the new state has more or less is the ledger's `state_set`, and no error of any step
 *
 * Nothing is changed before the last of these. */
#include "base/tolerances.h"
#include "kernels/projection.h"
#include "kernels/redundancy.h"
#include "sim/sim.h"
#include <math.h>

/* ---- taking ------------------------------------------------------------------------------------------- */

static ss_status check_finite(const ss_sim *sim, const char *what, int n, const double *x)
{
    for (int i = 0; x && i < n; i++) {
        if (!isfinite(x[i])) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "state: %s[%d] is %g, expected a finite number", what, i, x[i]);
        }
    }
    return SS_OK;
}

static ss_status normalise(const ss_sim *sim, double *q)
{
    const ss_model *m = sim->model;
    for (int b = 0; m->dimension == 3 && b < m->bodies; b++) {
        if (m->body_type[b] != SS_BODY_RIGID) {
            continue;
        }
        double *w = q + m->body_q[b] + 3;
        const double length = hypot(hypot(w[0], w[1]), hypot(w[2], w[3]));
        if (!(length > 0)) {
            return ss_fail(sim->ctx, SS_ERR_INPUT, "state: the quaternion of body %.80s is zero", m->body_name[b]);
        }
        for (int k = 0; k < 4 && length != 1; k++) {
            w[k] /= length;
        }
    }
    return SS_OK;
}

/* memory from the arena; the given numbers, those of `now` where none are given */
static ss_status take(ss_sim *sim, const double *q, const double *v, ss_state *to)
{
    const ss_model *m = sim->model;
    const int nq = ss_model_nq(m);
    SS_TRY(check_finite(sim, "q", nq, q));
    SS_TRY(check_finite(sim, "v", m->nv, v));
    to->t = sim->now.t;
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nq, sizeof *to->q, &to->q));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nv, sizeof *to->v, &to->v));
    memcpy(to->q, sim->now.q, (size_t)m->nq * sizeof *to->q);
    memcpy(to->v, v ? v : sim->now.v, (size_t)m->nv * sizeof *to->v);
    if (q) {
        memcpy(to->q, q, (size_t)nq * sizeof *to->q);
        SS_TRY(normalise(sim, to->q));
    }
    ss_turns_settle(m, to->t, to->q);
    return SS_OK;
}

/* ---- assembling ---------------------------------------------------------------------------------------- */

/* the joint that is violated most, for the error text */
static const char *worst_joint(const ss_sim *sim)
{
    const ss_model *m = sim->model;
    int worst = 0;
    for (int i = 1; i < m->nj; i++) {
        const double *g = sim->scratch.joint;
        worst = !m->row_motor[i] && fabs(g[i]) / m->row_unit[i] > fabs(g[worst]) / m->row_unit[worst] ? i : worst;
    }
    const int joint = m->row_joint[worst];
    return joint >= 0 ? m->joint_name[joint] : m->body_name[-1 - joint];
}

static ss_status assemble_by(ss_sim *sim, ss_projection *p, ss_state *to)
{
    bool satisfied;
    ss_projection_know_redundant(p, ss_redundancy_rows(sim->loops));
    SS_TRY(ss_projection_apply(p, &sim->stepper, to->t, to->q, &satisfied));
    ss_turns_settle(sim->model, to->t, to->q);
    if (!satisfied) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "state: the joints do not fit these positions, and no positions that they fit were found nearby");
    }
    SS_TRY(ss_projection_apply_velocities(p, &sim->stepper, to->t, to->q, to->v, &satisfied));
    return satisfied ? SS_OK
                     : ss_fail(sim->ctx, SS_ERR_INPUT, "state: joints and motors demand velocities that contradict each other");
}

static ss_status assemble(ss_sim *sim, ss_state *to)
{
    ss_projection *p = NULL;
    if (sim->model->nj == 0) {
        return SS_OK;
    }
    SS_TRY(ss_projection_create(sim->ctx, sim->model, &p));
    const ss_status status = assemble_by(sim, p, to);
    ss_projection_destroy(p);
    return status;
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

static ss_status measure(ss_sim *sim, const ss_state *to)
{
    const ss_model *m = sim->model;
    ss_step_info info = { .h = 0 };
    ss_account_begin(sim->pending, sim->summary.steps);
    SS_TRY(ss_sim_measure(sim, to, &info));
    if (sim->pending->remark[SS_REMARK_JOINTS].steps > 0) {
        return ss_fail(sim->ctx, SS_ERR_INPUT,
                       "state: joint %.80s cannot be satisfied together with the others: it is off by %.3g", worst_joint(sim),
                       info.joint_error);
    }
    const double most = fmax(SS_TOL_OVERLAP * m->length, sim->last->info.penetration);
    if (!sim->asked.allow_overlap && !(info.penetration <= most)) {
        return ss_fail(sim->ctx, SS_ERR_INPUT, "state: bodies overlap by %.6g m; separate them or allow overlap",
                       info.penetration);
    }
    return SS_OK;
}

/* ---- adopting ------------------------------------------------------------------------------------------ */

static void forget_past(ss_sim *sim)
{
    ss_sim_forget_scheme(sim);
    for (int k = 0; k < SS_LEVELS; k++) {
        ss_contact_cache_forget(&sim->now.cache, (ss_level)k);
    }
    sim->control.h = 0;
    sim->control.trial.time = sim->control.start;
    sim->next_is_previous = false;
    sim->audit.sums.paid = 0;
}

static ss_status adopt(ss_sim *sim, const ss_state *from)
{
    const double before = sim->last->info.kinetic + sim->last->info.potential;
    memcpy(sim->now.q, from->q, (size_t)sim->model->nq * sizeof *from->q);
    memcpy(sim->now.v, from->v, (size_t)sim->model->nv * sizeof *from->v);
    forget_past(sim);
    SS_TRY(ss_sim_describe(sim));
    const ss_step_info *info = &sim->last->info;
    sim->audit.sums.potential = info->potential;
    sim->summary.energy_final = info->kinetic + info->potential;
    sim->ledger.state_set += sim->summary.energy_final - before;
    return SS_OK;
}

static ss_status set_state(ss_sim *sim, const double *q, const double *v)
{
    ss_state to = { .t = 0 };
    SS_TRY(take(sim, q, v, &to));
    SS_TRY(assemble(sim, &to));
    ss_status status = measure(sim, &to);
    status = status == SS_ERR_NUMERIC ? ss_fail_within(sim->ctx, SS_ERR_INPUT, "state") : status;
    return status == SS_OK ? adopt(sim, &to) : status;
}

ss_status ss_sim_set_state(ss_sim *sim, const double *q, const double *v)
{
    int before;
    SS_TRY(ss_usage_enter(sim, false, &before));
    const ss_status status = set_state(sim, q, v);
    ss_state_empty_arena(sim);
    ss_usage_leave(sim, before);
    return status;
}
