/* rule.c - the difference formulae of the generalized-alpha method, and what goes from step to step.
 *
 *     q~' = q (+) [h v + h^2 (1/2 - beta) a + h^2 beta a']                                       [BAC14 eq. 30a]
 *     v~' = v + h (1 - gamma) a + h gamma a'                                                     [BAC14 eq. 30c]
 *     (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) w' + alpha_f w,   w = dv~/dt                   [BAC14 eq. 30e]
 *     alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
 *     beta = (gamma + 1/2)^2/4                                                                   [BAC14 eq. 31]
 *
 * a is an acceleration at the time t + (alpha_m - alpha_f) h. So where the length of the step changes,  a - w  is made
 * h'/h times as large, which keeps the order; where it becomes more than twice as long, a = w as at the start: beside an impact
 * a - w is no derivative of anything, and must not be made much larger.
 *
 * All of this is linear: it holds for the part of the acceleration that each kind of force causes, and these parts are what is
 * kept. So every kind has an impulse of its own in the ledger.
 * Start   M w = f + G' lam,  G w as the joints ask of accelerations;  a = w                       [BAC14 Algorithm 1]
 *         So it is, too, after an impact, unless `restart` = false as in the paper: w and a of the velocities before it make the
 *         forces of joints swing to and fro for some steps, all the longer the larger rho is      [BAC14 Fig. 14]
 * Cost    linear in the velocities */
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

static const double FAR = 0.1; /* of the unit: a way in one step that only stiff forces predict */

galpha_rule galpha_rule_of(double rho)
{
    galpha_rule r = { .alpha_m = (2 * rho - 1) / (rho + 1), .alpha_f = rho / (rho + 1) };
    r.gamma = 0.5 + r.alpha_f - r.alpha_m;
    r.beta = 0.25 * (r.gamma + 0.5) * (r.gamma + 0.5);
    return r;
}

int galpha_history_size(const ss_model *m) { return 1 + 2 * GALPHA_KINDS * m->nv + m->nj; }

galpha_history galpha_history_in(const ss_model *m, double *state)
{
    const int n = GALPHA_KINDS * m->nv;
    return (galpha_history){ .h = state, .rate = state + 1, .mean = state + 1 + n, .lam = state + 1 + 2 * n };
}

/* ---- accelerations that begin anew ------------------------------------------------------------------------------ */

/* M^-1 times the forces of each class, and what is left of the acceleration a for the joints */
static void part_by_kind(galpha *x, const double *a)
{
    const ss_problem *p = &x->position->problem;
    const int nv = p->nv;
    double *rate = x->history.rate, *joints = rate + GALPHA_OF_JOINTS * nv;
    memcpy(joints, a, (size_t)nv * sizeof *joints);
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        memcpy(rate + kind * nv, x->end.force + kind * nv, (size_t)nv * sizeof *rate);
        ss_blockdiag_solve(&p->scale, x->inner.L, rate + kind * nv);
        for (int i = 0; i < nv; i++) {
            joints[i] -= rate[kind * nv + i];
        }
    }
}

ss_status galpha_history_begin(galpha *x)
{
    const ss_model *m = x->s->model;
    ss_problem *p = &x->position->problem;
    ss_config *c = &x->start.here;
    ss_config_set(m, x->start.t, x->start.q, c);
    ss_config_drive(m, x->start.t, x->start.t, c);
    SS_TRY(ss_assembly_geometry(x->position, c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    SS_TRY(ss_model_forces(x->ctx, m, c, x->start.v, x->end.force));
    ss_forces_add(m->nv, 1, x->end.force, p->b);
    SS_TRY(ss_model_joint_acceleration(x->ctx, m, c, x->start.v, p->c));
    ss_kkt_set_redundant(x->kkt, SS_TOL_REDUNDANT);
    SS_TRY(ss_kkt_factor(x->kkt, p));
    SS_TRY(ss_kkt_solve(x->kkt, p->b, p->c, x->scratch, x->history.lam));
    SS_TRY(ss_block_factor_update(x->ctx, &x->inner, &p->scale));
    part_by_kind(x, x->scratch);
    memcpy(x->history.mean, x->history.rate, (size_t)(GALPHA_KINDS * m->nv) * sizeof(double));
    return SS_OK;
}

/* ---- a substep ------------------------------------------------------------------------------------------ */

void galpha_start_means(galpha *x)
{
    const galpha_history *past = &x->history;
    const int nv = x->s->model->nv;
    const double before = *past->h, ratio = before > 0 && x->h <= GALPHA_LONGER * before ? x->h / before : 0;
    memset(x->start.rate, 0, (size_t)nv * sizeof(double));
    memset(x->start.mean, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < GALPHA_KINDS * nv; i++) {
        const double w = past->rate[i], a = ratio == 1 ? past->mean[i] : w + ratio * (past->mean[i] - w);
        x->start.mean_by_kind[i] = a;
        x->start.rate[i % nv] += w;
        x->start.mean[i % nv] += a;
    }
}

double galpha_velocity_per_way(const galpha *x) { return x->rule.gamma / (x->rule.beta * x->h); }

double galpha_rate_per_way(const galpha *x)
{
    const galpha_rule r = x->rule;
    return (1 - r.alpha_m) / ((1 - r.alpha_f) * r.beta * x->h * x->h);
}

void galpha_difference(galpha *x, const double *v_free)
{
    const galpha_rule r = x->rule;
    const galpha_start *s = &x->start;
    const double h = x->h;
    for (int i = 0; i < x->s->model->nv; i++) {
        const double a = s->mean[i], end = (v_free[i] - s->v[i] - h * (1 - r.gamma) * a) / (h * r.gamma);
        x->end.mean[i] = end;
        x->end.rate[i] = ((1 - r.alpha_m) * end + r.alpha_m * a - r.alpha_f * s->rate[i]) / (1 - r.alpha_f);
        x->end.way[i] = h * (s->v[i] + h * ((0.5 - r.beta) * a + r.beta * end));
    }
}

double galpha_gain(const galpha *x, double rate_before, double rate, double mean_before, double *mean)
{
    const galpha_rule r = x->rule;
    *mean = ((1 - r.alpha_f) * rate + r.alpha_f * rate_before - r.alpha_m * mean_before) / (1 - r.alpha_m);
    return x->h * ((1 - r.gamma) * mean_before + r.gamma * *mean);
}

void galpha_predict(const galpha *x, double *v_free)
{
    const galpha_start *s = &x->start;
    const double *unit = x->s->model->v_unit;
    double speed = 0, gained = 0, mean;
    for (int i = 0; i < x->s->model->nv; i++) {
        v_free[i] = s->v[i] + galpha_gain(x, s->rate[i], s->rate[i], s->mean[i], &mean);
        speed = fmax(speed, fabs(s->v[i]) / unit[i]);
        gained = fmax(gained, fabs(v_free[i] - s->v[i]) / unit[i]);
    }
    if (gained > speed && x->h * gained > FAR) {
        memcpy(v_free, s->v, (size_t)x->s->model->nv * sizeof *v_free);
    }
}
