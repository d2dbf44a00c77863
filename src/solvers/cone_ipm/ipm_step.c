/* ipm_step.c - one step of the interior point method: predictor and corrector with one factorisation.
 *
 *   (A + J' D J) dv = F + J' dr0,     dr = dr0 - D J dv                 contacts: dr0 and D from cone_newton.c
 *                                     joints: D = 1/delta, dr0 = -u/delta, which is  G v - c = -delta dlam
 * The predictor aims at gap 0 and shows how much of the gap a step could leave; the corrector aims at that part to the third
 * power and takes the product of the predictor's changes into account.
 *
 * Reference   S. Mehrotra, SIAM J. Optim. 2 (1992) 575
 * Cost        a factorisation and two solutions                                                       */
#include "solvers/cone_ipm/ipm_inside.h"

#include <math.h>

static const double CLOSE = 0.99;     /* of the way to the boundary of the cones                          */
static const double SHORTER = 0.5;    /* factor of a step that round-off puts outside                     */
static const double SHORTEST = 1e-10; /* a shorter step is none                                           */
static const double SOFTER = 100;     /* factor of delta where a pivot is not positive                    */
static const double SOFTEST = 1e-6;   /* delta up to which that is tried                                  */
static const double CENTRING = 3;     /* power of the part of the gap that the predictor leaves: the aim  */

/* ---- the direction ------------------------------------------------------------------------------ */

void ss_ipm_scale_blocks(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    for (int g = 0; g < y->groups; g++) {
        int first = y->first[g], size = y->first[g + 1] - first;
        double *D = run->step.D + 9 * g;
        if (ss_row_units_is_joint(y, g)) {
            D[0] = 1 / run->cones.prox;
        }
        for (int a = 0; a < size; a++) {
            for (int b = 0; b < size; b++) {
                D[a * size + b] *= y->factor[first + a] * y->factor[first + b];
            }
        }
    }
}

ss_status ss_ipm_factorise(ss_ipm_run *run)
{
    bool regular;
    ss_ipm_scale_blocks(run);
    run->info->factorisations++;
    SS_TRY(ss_newton_matrix_factor(run->work->matrix, run->step.D, &regular));
    return regular ? SS_OK : ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: a matrix of %d rows is singular", run->units.n);
}

ss_status ss_ipm_respond(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    for (int i = y->nr; i < y->rows; i++) {
        run->step.dr[i] = -run->at.u[i] / run->cones.prox;
    }
    memcpy(run->step.dv, run->at.F, (size_t)y->n * sizeof *run->step.dv);
    ss_ipm_add_impulses(run, run->step.dr, run->step.dv);
    SS_TRY(ss_newton_matrix_solve(run->work->matrix, run->step.dv));
    for (int i = 0; i < y->n; i++) {
        if (!isfinite(run->step.dv[i])) {
            return ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: velocity %d of a step is not finite", i);
        }
    }
    ss_ipm_times_J(run, run->step.dv, run->step.du);
    for (int i = y->nr; i < y->rows; i++) {
        run->step.dr[i] = -(run->at.u[i] + run->step.du[i]) / run->cones.prox;
    }
    return SS_OK;
}

ss_status ss_ipm_direction(ss_ipm_run *run)
{
    ss_cone_newton_force(&run->cones, run->step.dr);
    SS_TRY(ss_ipm_respond(run));
    ss_cone_newton_direct(&run->cones, run->step.du);
    return SS_OK;
}

/* ---- the step ----------------------------------------------------------------------------------- */

void ss_ipm_move(ss_ipm_run *run, double a)
{
    for (int i = 0; i < run->units.n; i++) {
        run->at.v[i] += a * run->step.dv[i];
    }
    for (int i = run->units.nr; i < run->units.rows; i++) {
        run->at.r[i] += a * run->step.dr[i];
    }
}

/* as far as the cones allow; less where round-off puts one of them outside nevertheless */
static ss_status advance(ss_ipm_run *run)
{
    double length = fmin(1, CLOSE * ss_cone_newton_reach(&run->cones, 1 / CLOSE));
    ss_cone_newton_growth(&run->cones, run->step.growth);
    memcpy(run->step.growth + run->units.nr, run->step.dr + run->units.nr,
           (size_t)(run->units.rows - run->units.nr) * sizeof *run->step.dr);
    while (!ss_cone_newton_advance(&run->cones, length)) {
        length *= SHORTER;
        if (!(length > SHORTEST)) {
            return ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: no step stays in the cones");
        }
    }
    ss_ipm_move(run, length);
    return SS_OK;
}

/* with D as stiff as the factorisation bears: delta is raised until all pivots are positive */
static ss_status factorise_soft(ss_ipm_run *run)
{
    ss_cone_newton_blocks(&run->cones, run->step.D);
    ss_status status = ss_ipm_factorise(run);
    while (status == SS_ERR_NUMERIC && run->cones.prox < SOFTEST) {
        run->cones.prox *= SOFTER;
        ss_cone_newton_blocks(&run->cones, run->step.D);
        status = ss_ipm_factorise(run);
    }
    return status;
}

ss_status ss_ipm_step_forward(ss_ipm_run *run)
{
    double gap = ss_cone_newton_gap(&run->cones);
    SS_TRY(factorise_soft(run));
    ss_cone_newton_aim(&run->cones, 0, false);
    SS_TRY(ss_ipm_direction(run));
    double a = ss_cone_newton_reach(&run->cones, 1), left = gap > 0 ? ss_cone_newton_gap_at(&run->cones, a) / gap : 0;
    double centre = pow(fmin(1, fmax(0, left)), CENTRING);
    ss_cone_newton_aim(&run->cones, centre * gap, true);
    SS_TRY(ss_ipm_direction(run));
    return advance(run);
}
