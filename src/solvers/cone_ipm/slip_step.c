/* slip_step.c - the derivative of the slip by the slip that a convex program has, and a step of Levenberg and Marquardt.
 *
 * At the solution of the program, dr = -D (du + ds n) with the D of its Nesterov-Todd scaling, and A dv = J' dr:
 *     (A + J' D J) dv = -J' D n ds,       d(mu |u_T|)_i = g_i . (J dv)_T,i       g = mu u_T/|u_T|
 *     B = dF/ds = 1 - g . d u_T/ds        one solution with the program's own matrix for every column
 * F and s are measured by 1/sqrt(d) of their contacts.
 *
 * Where the map turns back (a fold), B has singular values near zero, and Newton's step leads far away along a few modes. The
 * weight takes these out and solves all others:  ds = -(B' B + weight)^-1 B' F.
 *
 * Cost   a factorisation, a solution per contact, then count^3 operations */
#include "math/dense.h"
#include "solvers/cone_ipm/slip_inside.h"

#include <math.h>

/* J' D n of contact i into ipm->step.dv */
static void load(ss_slip_run *run, int i)
{
    const ss_problem *p = run->problem;
    ss_ipm_run *ipm = &run->ipm;
    const ss_csr *J = &ipm->work->J;
    const int k = run->contact[i], size = p->row[k + 1] - p->row[k];
    memset(ipm->step.dv, 0, (size_t)ipm->units.n * sizeof *ipm->step.dv);
    for (int a = 0; a < size; a++) {
        const double impulse = ipm->step.D[9 * k + a * size];
        for (int e = J->p[p->row[k] + a]; e < J->p[p->row[k] + a + 1]; e++) {
            ipm->step.dv[J->i[e]] -= J->x[e] * impulse;
        }
    }
}

/* g_i . (J dv)_T */
static double change_of_slip(const ss_slip_run *run, int i)
{
    const ss_problem *p = run->problem;
    const int k = run->contact[i];
    double change = 0;
    for (int a = 1; a < p->row[k + 1] - p->row[k]; a++) {
        change += run->newton.g[2 * i + a - 1] * ss_csr_row_dot(&run->ipm.work->J, p->row[k] + a, run->ipm.step.dv);
    }
    return change;
}

static ss_status find_column(ss_slip_run *run, int j)
{
    const int n = run->count;
    double *B = run->newton.B + (size_t)n * (size_t)j, own = run->newton.unit[j];
    load(run, j);
    SS_TRY(ss_newton_matrix_solve(run->ipm.work->matrix, run->ipm.step.dv));
    for (int i = 0; i < n; i++) {
        B[i] = (i == j) - (own > 0 ? change_of_slip(run, i) * run->newton.unit[i] / own : 0);
    }
    return SS_OK;
}

ss_status ss_slip_derive(ss_slip_run *run)
{
    const int n = run->count;
    run->info->factorisations++;
    ss_cone_newton_blocks(&run->ipm.cones, run->ipm.step.D);
    SS_TRY(ss_ipm_factorise(&run->ipm));
    for (int j = 0; j < n; j++) {
        SS_TRY(find_column(run, j));
    }
    for (int j = 0; j < n; j++) {
        const double *B = run->newton.B + (size_t)n * (size_t)j;
        run->newton.BF[j] = 0;
        for (int i = 0; i < n; i++) {
            run->newton.BF[j] += B[i] * run->newton.unit[i] * (run->at.s[i] - run->at.slip[i]);
        }
    }
    return SS_OK;
}

bool ss_slip_step(ss_slip_run *run, double weight)
{
    const int n = run->count;
    ss_slip_newton *x = &run->newton;
    ss_dense_gram(n, n, x->B, n, x->BB, n);
    for (int i = 0; i < n; i++) {
        x->BB[(size_t)i * (size_t)(n + 1)] += weight;
        x->ds[i] = -x->BF[i];
    }
    bool found = ss_dense_cholesky(n, x->BB, n);
    if (found) {
        ss_dense_cholesky_solve(n, x->BB, n, x->ds);
    }
    for (int i = 0; i < n; i++) {
        const double unit = run->newton.unit[i];
        x->ds[i] = unit > 0 ? x->ds[i] / unit : 0;
        found = found && isfinite(x->ds[i]);
    }
    return found;
}
