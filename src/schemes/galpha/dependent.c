/* dependent.c - joint rows that are left out of a substep because they depend on others.
 *
 * Redundant joints   Their rows depend on others wherever the joints are satisfied: at the start of the substep, where they are
 *                    found (kernels/redundancy.h), and a little ahead of it, at q (+) [tau v + tau^2/2 w], a way of
 *                    SS_TOL_AHEAD. A row that is independent there, by more than its joint errors can make it, depended on
 *                    others in a singular position only, which the mechanism is leaving: it counts.
 * Singular end       Where a mechanism comes to a singular position, a closed loop of links that is flat for instance, more rows
 *                    depend on each other: the matrices of Newton's method are then singular, and forces are quotients of two
 *                    small numbers. What rounding cannot tell from dependent, a squared sine below SS_TOL_RANK, is left out.
 *                    What such a row demands is not met to round-off there, but again by the next substep.
 *
 * Cost    a factorisation of G M^-1 G' at each point, for mechanisms with loops only; one more where joints are redundant */
#include "base/tolerances.h"
#include "math/worse.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

ss_status galpha_dependent_create(galpha *x, int nj)
{
    if (x->around->redundant) {
        SS_TRY(ss_calloc(x->ctx, (size_t)nj, sizeof *x->left_out, &x->left_out));
        SS_TRY(ss_calloc(x->ctx, (size_t)nj, sizeof *x->redundant, &x->redundant));
    }
    x->position->redundant = x->velocity->redundant = x->left_out;
    return SS_OK;
}

/* Leave out those of the rows in `among` (NULL: all) whose squared sine is below eps. */
static ss_status leave_out(galpha *x, const bool *among, double eps)
{
    const ss_problem *p = &x->position->problem;
    ss_kkt_set_redundant(x->kkt, eps);
    SS_TRY(ss_kkt_factor(x->kkt, p));
    for (int i = 0; i < p->nj; i++) {
        x->left_out[i] = x->left_out[i] || ((!among || among[i]) && ss_kkt_is_redundant(x->kkt, i));
    }
    ss_assembly_leave_out(x->position);
    return SS_OK;
}

/* ---- redundant joints ------------------------------------------------------------------------------------------- */

/* The time in which the way is SS_TOL_AHEAD, V tau + A tau^2/2; INFINITY: nothing moves. */
static double time_ahead(const galpha *x)
{
    const ss_model *m = x->s->model;
    double V = 0, A = 0;
    for (int i = 0; i < m->nv; i++) {
        V = ss_worse(V, fabs(x->start.v[i]) / m->v_unit[i]);
        A = ss_worse(A, fabs(x->start.rate[i]) / m->v_unit[i]);
    }
    return 2 * SS_TOL_AHEAD / (V + sqrt(V * V + 2 * A * SS_TOL_AHEAD));
}

/* all joint rows at the point ahead */
static ss_status take_rows_ahead(galpha *x, double tau)
{
    const ss_model *m = x->s->model;
    const ss_friction none = { .law = SS_LAW_UNILATERAL };
    for (int i = 0; i < m->nv; i++) {
        x->end.way[i] = tau * (x->start.v[i] + 0.5 * tau * x->start.rate[i]);
    }
    ss_model_retract(m, x->start.q, x->end.way, 1, x->end.q);
    ss_config_set(m, x->start.t + tau, x->end.q, &x->end.at);
    ss_config_drive(m, x->end.at.t, x->end.at.t, &x->end.at);
    memset(x->left_out, 0, (size_t)m->nj * sizeof *x->left_out);
    return ss_assembly_geometry(x->position, &x->end.at, &(ss_contact_set){ 0 }, 0, NULL, none, 0);
}

ss_status galpha_dependent_begin(galpha *x)
{
    const size_t nj = (size_t)x->s->model->nj;
    bool any = false;
    for (size_t i = 0; x->redundant && i < nj; i++) {
        x->redundant[i] = x->around->redundant[i];
        any = any || x->redundant[i];
    }
    const double tau = any ? time_ahead(x) : INFINITY;
    if (isfinite(tau)) {
        SS_TRY(take_rows_ahead(x, tau));
        SS_TRY(leave_out(x, x->around->redundant, SS_TOL_REDUNDANT));
        memcpy(x->redundant, x->left_out, nj * sizeof *x->redundant);
    }
    return SS_OK;
}

/* ---- a point ------------------------------------------------------------------------------------------------------- */

void galpha_dependent_recall(galpha *x)
{
    if (x->left_out) {
        memcpy(x->left_out, x->redundant, (size_t)x->s->model->nj * sizeof *x->left_out);
    }
}

ss_status galpha_dependent_find(galpha *x) { return x->left_out ? leave_out(x, NULL, SS_TOL_RANK) : SS_OK; }
