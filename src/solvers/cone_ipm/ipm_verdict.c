/* ipm_verdict.c - how good a point of the interior point method is: the certificate, and a gap.
 *
 * The certificate alone is relative to impulses; where these are huge it is granted to wrong velocities. The function that is
 * minimised is strongly convex: with F = b + J' r - A v
 *     |v - v*|^2 <= 2 (u.r + what u lacks of K* times r + |F|^2)    about, r standing for r* in the second term
 * The gap is that sum, without the factor 2, over max(1, |J' r|^2): 1 is the largest free velocity of the island, |J' r| what the
 * impulses change. What is nothing but round-off of u.r does not count.
 *
 * Cost        of the certificate (residual.c), and linear in the entries of J                          */
#include "base/tolerances.h"
#include "math/worse.h"
#include "solvers/cone_ipm/ipm_inside.h"

#include <float.h>
#include <math.h>

/* Gaps that are small enough, or the tolerance if that is larger: to stop, and to call the best iterate converged when no better
 * one is found. They bound the errors of velocities by about 1e-5 and 1e-4; mostly these are much smaller. */
static const double AIM_GAP = 1e-10, MOST_GAP = 1e-8;

static const double LESS = 1e3; /* times the tolerance: a smaller residual with a large gap is called `inaccurate` */

void ss_ipm_write(const ss_ipm_run *run, const double *v, const double *r)
{
    ss_solution *s = run->solution;
    for (int i = 0; i < run->units.n && !run->problem->local; i++) {
        s->v[i] = v[i] * run->units.v_unit[i];
    }
    for (int g = 0; g < run->units.groups; g++) {
        for (int row = run->units.first[g]; row < run->units.first[g + 1]; row++) {
            double *to = ss_row_units_is_joint(&run->units, g) ? s->lam + row - run->units.nr : s->r + row;
            *to = run->units.factor[row] * r[row] * run->units.unit[g];
        }
    }
}

/* ---- the gap ------------------------------------------------------------------------------------ */

/* round-off of u . r: |r| (|J| |v| + |w|) in last bits */
static double round_off(const ss_ipm_run *run, int g)
{
    const ss_csr *J = &run->work->J;
    double sum = 0;
    for (int row = run->units.first[g]; row < run->units.first[g + 1]; row++) {
        double size = 0;
        for (int e = J->p[row]; e < J->p[row + 1]; e++) {
            size += fabs(J->x[e] * run->at.v[J->i[e]]);
        }
        sum += fabs(run->at.r[row]) * (run->units.factor[row] * size + fabs(run->at.w[row]));
    }
    return SS_TOL_CANCELLED * sum;
}

/* what u.r of a group lacks of 0, with u in K* */
static double lack_of(const ss_ipm_run *run, int g)
{
    int row = run->units.first[g];
    double lack = ss_row_units_is_joint(&run->units, g)
                      ? fabs(run->at.u[row] * run->at.r[row])
                      : ss_cone_newton_slackness(&run->cones, g, run->at.u + row, run->at.r + row);
    return fmax(0, lack - round_off(run, g));
}

/* The largest over the islands of  (sum of what u.r lacks + |F|^2) / max(1, |J' r|^2),  the latter being what the impulses
 * change, and 1 the largest free velocity. Strong convexity: |v - v*|^2 is at most about twice that. */
static double relative_gap(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    ss_ipm_islands *i = &run->islands;
    double worst = 0;
    ss_ipm_momentum_norms(run, run->at.F, i->gap);
    memset(run->scratch.x, 0, (size_t)y->n * sizeof *run->scratch.x);
    ss_ipm_add_impulses(run, run->at.r, run->scratch.x);
    ss_ipm_momentum_norms(run, run->scratch.x, i->size);
    for (int k = 0; k < y->islands; k++) {
        i->gap[k] *= i->gap[k];
    }
    for (int g = 0; g < y->groups; g++) {
        if (y->moves[g]) {
            i->gap[y->of_group[g]] += lack_of(run, g);
        }
    }
    for (int k = 0; k < y->islands; k++) {
        worst = ss_worse(worst, i->gap[k] / fmax(1, i->size[k] * i->size[k]));
    }
    return worst;
}

/* ---- verdicts ------------------------------------------------------------------------------------ */

/* Points are compared by their residuals; where these are within the tolerance, by their gaps. */
ss_status ss_ipm_judge(ss_ipm_run *run)
{
    ss_residual now;
    ss_ipm_write(run, run->at.v, run->at.r);
    SS_TRY(run->info->iterations == 0 ? ss_residual_compute(run->work->residual, run->problem, run->solution, &now)
                                      : ss_residual_again(run->work->residual, run->problem, run->solution, &now));
    double residual = ss_residual_worst(&now), gap = relative_gap(run);
    double merit = residual > run->tol ? residual : run->tol * gap / (1 + gap);
    run->least.residual = fmin(run->least.residual, residual);
    run->least.gap = fmin(run->least.gap, gap);
    if (merit < run->best.merit) {
        run->best.merit = merit;
        run->best.granted = residual <= run->tol && gap <= fmax(run->tol, AIM_GAP);
        run->best.gap = gap;
        run->info->residual = now;
        memcpy(run->best.v, run->at.v, (size_t)run->units.n * sizeof *run->at.v);
        memcpy(run->best.r, run->at.r, (size_t)run->units.rows * sizeof *run->at.r);
    }
    return SS_OK;
}

/* Without the gap a small residual means nothing: neither one within the tolerance, nor one that a looser tolerance would
 * grant. */
ss_outcome ss_ipm_verdict(const ss_ipm_run *run)
{
    double residual = ss_residual_worst(&run->info->residual);
    bool close = run->best.gap <= fmax(run->tol, MOST_GAP) && !run->proof.doubtful;
    return residual <= run->tol && close           ? SS_CONVERGED
           : residual <= LESS * run->tol && !close ? SS_INACCURATE
                                                   : run->info->outcome;
}
