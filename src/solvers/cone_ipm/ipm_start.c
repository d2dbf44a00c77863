/* ipm_start.c - where the interior point method begins.
 *
 *   cold        v minimises  1/2 v' A v - b' v + 1/2 |J v + w|^2;  s = u and z = -u there, and both are moved into their cones
 *   warm        v and lam follow from the given impulses,  A v - G' lam = b + H' r,  G v = c;  s and z are moved into their cones
 *               as far as these impulses fail to obey the laws. Impulses that fail by much, or that have grown without end on
 *               an infeasible problem, are not used
 * Cost        a factorisation, that of a step; a warm start also a certificate                         */
#include "solvers/cone_ipm/ipm_inside.h"

#include <math.h>

static const double SHALLOW = 0.01; /* of the tolerance: a warm start lies so deep in the cones at least      */
static const double DEEP = 10;      /* and so deep at most; a cold start lies about 1 deep                    */
static const double HOPELESS = 2;   /* times |v|: impulses that prove every feasible v larger are not used    */

enum { PASSES = 3 }; /* solutions of the system with joints, whose factors have few digits */

/* ---- without a guess ---------------------------------------------------------------------------- */

/* min 1/2 v' A v - b' v + 1/2 |u|^2; then z = -s there, and both are moved into their cones */
static ss_status start_cold(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    memcpy(run->at.u, run->at.w, (size_t)y->rows * sizeof *run->at.u);
    memcpy(run->at.F, y->b, (size_t)y->n * sizeof *run->at.F);
    ss_cone_newton_identity(&run->cones, run->at.u);
    ss_cone_newton_blocks(&run->cones, run->step.D);
    SS_TRY(ss_ipm_factorise(run));
    SS_TRY(ss_ipm_direction(run));
    memcpy(run->at.v, run->step.dv, (size_t)y->n * sizeof *run->at.v);
    memcpy(run->at.r, run->step.dr, (size_t)y->rows * sizeof *run->at.r);
    for (int i = 0; i < y->rows; i++) {
        run->at.u[i] += run->step.du[i];
    }
    ss_cone_newton_start(&run->cones, run->at.u);
    return SS_OK;
}

/* ---- from the impulses that are given ------------------------------------------------------------ */

/* scaled; those of joints are not given */
static void read_impulses(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    for (int g = 0; g < y->groups; g++) {
        for (int row = y->first[g]; row < y->first[g + 1]; row++) {
            double f = y->factor[row] * y->unit[g];
            run->at.r[row] = f > 0 && row < y->nr ? run->solution->r[row] / f : 0;
        }
    }
}

/* v and lam of the given impulses: A v - G' lam = b + H' r, G v = c. A + G' G / delta leaves few digits of what joints do not
 * hold: the solution is refined. */
static ss_status follow(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    int passes = y->rows > y->nr ? PASSES : 1;
    memset(run->step.D, 0, 9 * (size_t)y->groups * sizeof *run->step.D);
    memset(run->step.dr, 0, (size_t)y->rows * sizeof *run->step.dr);
    memset(run->at.v, 0, (size_t)y->n * sizeof *run->at.v);
    ss_ipm_update_offsets(run);
    SS_TRY(ss_ipm_factorise(run));
    for (int k = 0; k < passes; k++) {
        ss_ipm_balance(run);
        SS_TRY(ss_ipm_respond(run));
        ss_ipm_move(run, 1);
    }
    ss_ipm_balance(run);
    return SS_OK;
}

/* start inside the cones, as deep as the given impulses fail to obey the laws */
static ss_status start_warm(ss_ipm_run *run, bool *useful)
{
    read_impulses(run);
    SS_TRY(follow(run));
    SS_TRY(ss_ipm_judge(run)); /* as it was given */
    *useful = !ss_ipm_ray_refutes(run, run->at.r, HOPELESS) &&
              ss_cone_newton_warm(&run->cones, run->at.u, run->at.r, SHALLOW * run->tol, DEEP);
    if (!*useful) {
        run->best.merit = INFINITY;
        run->best.granted = false;
    }
    return SS_OK;
}

/* ---- either --------------------------------------------------------------------------------------- */

ss_status ss_ipm_start(ss_ipm_run *run)
{
    bool given = run->solution->warm;
    for (int i = 0; i < run->units.nr && given; i++) {
        given = isfinite(run->solution->r[i]);
    }
    if (given) {
        SS_TRY(start_warm(run, &given));
    }
    return given ? SS_OK : start_cold(run);
}
