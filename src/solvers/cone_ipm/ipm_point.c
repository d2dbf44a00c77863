/* ipm_point.c - the equations of the interior point method at a point.
 *
 *   u = J v + w,     F = b + J' r - A v          J = (H, G), rows scaled by f (row_units.h), r = (r, lam), w = (w, -c)
 *
 * Local form u = W r + q: A = I and J J' = (W + W')/2; w = q + (W - J J') r takes what J J' misses of W, with the r at hand.
 * Norms       of velocities sqrt(v' A v), of momenta sqrt(x' B^-1 x), island by island
 * Cost        linear in the entries of A and J                                                        */
#include "solvers/cone_ipm/ipm_inside.h"

#include <math.h>

/* ---- products ---------------------------------------------------------------------------------- */

void ss_ipm_times_A(const ss_ipm_run *run, const double *x, double *y)
{
    const ss_problem *p = run->problem;
    if (!run->problem->local) {
        ss_matrix_times(&p->A, x, y);
    } else {
        memcpy(y, x, (size_t)run->units.n * sizeof *y);
    }
}

void ss_ipm_times_J(const ss_ipm_run *run, const double *v, double *u)
{
    ss_csr_times(&run->work->J, 1, v, 0, u);
    for (int i = 0; i < run->units.rows; i++) {
        u[i] *= run->units.factor[i];
    }
}

void ss_ipm_add_impulses(const ss_ipm_run *run, const double *r, double *x)
{
    for (int i = 0; i < run->units.rows; i++) {
        run->scratch.e[i] = run->units.factor[i] * r[i];
    }
    ss_csr_transpose_times(&run->work->J, 1, run->scratch.e, 1, x);
}

void ss_ipm_norms(const ss_ipm_run *run, const double *x, const double *y, double *norm)
{
    const ss_row_units *units = &run->units;
    memset(norm, 0, (size_t)units->islands * sizeof *norm);
    for (int i = 0; i < units->n; i++) {
        if (units->of_v[i] >= 0) {
            norm[units->of_v[i]] += x[i] * y[i];
        }
    }
    for (int k = 0; k < units->islands; k++) {
        norm[k] = sqrt(fmax(0, norm[k]));
    }
}

void ss_ipm_momentum_norms(const ss_ipm_run *run, const double *x, double *norm)
{
    memcpy(run->scratch.y, x, (size_t)run->units.n * sizeof *x);
    if (!run->problem->local) {
        ss_blockdiag_solve(&run->problem->scale, run->work->factor.L, run->scratch.y);
    }
    ss_ipm_norms(run, x, run->scratch.y, norm);
}

/* ---- the point ---------------------------------------------------------------------------------- */

/* w = q + (W - J J') r */
void ss_ipm_update_offsets(ss_ipm_run *run)
{
    if (!run->problem->local) {
        return;
    }
    memset(run->scratch.x, 0, (size_t)run->units.n * sizeof *run->scratch.x);
    ss_ipm_add_impulses(run, run->at.r, run->scratch.x); /* e = f r, x = J' e */
    ss_csr_times(&run->problem->W, 1, run->scratch.e, 0, run->at.w);
    ss_csr_times(&run->work->J, -1, run->scratch.x, 1, run->at.w);
    for (int i = 0; i < run->units.rows; i++) {
        run->at.w[i] = run->units.w[i] + run->units.factor[i] * run->at.w[i];
    }
}

void ss_ipm_balance(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    ss_ipm_times_J(run, run->at.v, run->at.u);
    for (int i = 0; i < y->rows; i++) {
        run->at.u[i] += run->at.w[i];
    }
    ss_ipm_times_A(run, run->at.v, run->at.F);
    for (int i = 0; i < y->n; i++) {
        run->at.F[i] = y->b[i] - run->at.F[i];
    }
    ss_ipm_add_impulses(run, run->at.r, run->at.F);
}

void ss_ipm_evaluate(ss_ipm_run *run)
{
    ss_cone_newton_impulse(&run->cones, run->at.r);
    ss_ipm_update_offsets(run);
    ss_ipm_balance(run);
    ss_cone_newton_residual(&run->cones, run->at.u);
}
