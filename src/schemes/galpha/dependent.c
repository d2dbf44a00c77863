/* dependent.c - joint rows that are left out of a substep because they depend on others.
 *
 * Redundant joints   Their rows are found at the start of the substep, where the joints are satisfied (kernels/redundancy.h). At
 *                    a point of Newton's method, where they are not, such rows are independent by a hair: their sine is about
 *                    the joint error. They stay out while it is below SS_TOL_ASKEW times the joint errors there. Otherwise the
 *                    start was a singular position, which the mechanism has left, and they count.
 * Singular end       Where a mechanism comes to a singular position, a closed loop of links that is flat for instance, more rows
 *                    depend on each other: the matrices of Newton's method are then singular, and forces are quotients of two
 *                    small numbers. What rounding cannot tell from dependent, a squared sine below SS_TOL_RANK, is left out.
 *                    What such a row demands is not met to round-off there, but again by the next substep.
 *
 * Cost    two factorisations of G M^-1 G' at each point, for mechanisms with loops only; one where nothing is redundant */
#include "base/tolerances.h"
#include "math/worse.h"
#include "schemes/galpha/galpha_inside.h"
#include <math.h>

ss_status galpha_dependent_create(galpha *x, int nj)
{
    SS_TRY(x->around->redundant ? ss_calloc(x->ctx, (size_t)nj, sizeof *x->left_out, &x->left_out) : SS_OK);
    x->position->redundant = x->velocity->redundant = x->left_out;
    return SS_OK;
}

void galpha_dependent_clear(galpha *x)
{
    for (int i = 0; x->left_out && i < x->s->model->nj; i++) {
        x->left_out[i] = false;
    }
}

/* the largest joint error of the rows at hand, of its unit */
static double find_joint_error(const galpha *x)
{
    const ss_model *m = x->s->model;
    double worst = 0;
    for (int i = 0; i < m->nj; i++) {
        worst = ss_worse(worst, m->row_motor[i] ? 0 : fabs(x->position->g[i]) / m->row_unit[i]);
    }
    return worst;
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

ss_status galpha_dependent_find(galpha *x)
{
    const double sine = SS_TOL_ASKEW * find_joint_error(x);
    bool any = false;
    for (int i = 0; i < x->s->model->nj; i++) {
        any = any || x->around->redundant[i];
    }
    SS_TRY(any ? leave_out(x, x->around->redundant, fmin(fmax(sine * sine, SS_TOL_RANK), 1)) : SS_OK);
    return leave_out(x, NULL, SS_TOL_RANK);
}
