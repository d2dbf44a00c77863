/* ipm_infeasible.c - the proof that nothing obeys the constraints of a convex problem.
 *
 *   If r in K and lam cancel, J'(r, lam) = 0, while -(w.r - c.lam) > 0, no v has  H v + w in K*  and  G v = c  (Farkas).
 *
 * In numbers: on an island |J'(r, lam)| is below SS_TOL_INFEASIBLE of the sum of its terms, and every v that obeyed would have
 *     |v| >= -(w.r - c.lam) / |J'(r, lam)|,
 * ABSURD times what it is. The ray (r, lam) is what the impulses of an infeasible problem tend to as they grow without end: the
 * impulses themselves are asked, and what they grew by in the last step. An island is infeasible when ITERATES iterates in a row
 * say so.
 *
 * Cost        linear in the entries of J, twice an iteration                                            */
#include "base/tolerances.h"
#include "solvers/cone_ipm/ipm_inside.h"

#include <math.h>

static const double DIGITS = 1e-12; /* of the sum of the sizes of its terms: a smaller -w . r has no sign  */
static const double ABSURD = 1e3;   /* times |v|: if v must be larger to obey, none does                   */

enum { ITERATES = 2 };

/* ---- figures of a ray --------------------------------------------------------------------------- */

/* -w . r of a group, 0 for a box, whose row forbids nothing. The ray without its boxes is left in du, which a point does not
 * need. */
static double proof_of(ss_ipm_run *run, int g, const double *ray)
{
    const ss_row_units *y = &run->units;
    ss_ipm_islands *i = &run->islands;
    int island = y->of_group[g];
    double value = 0, square = 0;
    bool forbids = y->moves[g] && (ss_row_units_is_joint(y, g) || run->cones.kind[g] != SS_CONE_BOX);
    for (int row = y->first[g]; row < y->first[g + 1]; row++) {
        run->step.du[row] = forbids ? ray[row] : 0;
        value -= y->w[row] * run->step.du[row];
        square += pow(y->factor[row] * run->step.du[row], 2);
    }
    if (forbids) {
        i->value[island] += value;
        i->offsets[island] += fabs(value);
        i->terms[island] += sqrt(square) / y->factor[y->first[g]];
    }
    return value;
}

/* figures of the ray on every island, and whom to blame there */
static void weigh(ss_ipm_run *run, const double *ray)
{
    const ss_row_units *y = &run->units;
    ss_ipm_islands *i = &run->islands;
    for (int k = 0; k < y->islands; k++) {
        i->value[k] = i->offsets[k] = i->terms[k] = i->share[k] = 0;
        i->blame[k] = -1;
    }
    for (int g = 0; g < y->groups; g++) {
        double own = proof_of(run, g, ray);
        if (own > 0 && !ss_row_units_is_joint(y, g) && own > i->share[y->of_group[g]]) {
            i->share[y->of_group[g]] = own;
            i->blame[y->of_group[g]] = g;
        }
    }
    memset(run->scratch.x, 0, (size_t)y->n * sizeof *run->scratch.x);
    ss_ipm_add_impulses(run, run->step.du, run->scratch.x);
    ss_ipm_momentum_norms(run, run->scratch.x, i->size);
    ss_ipm_times_A(run, run->at.v, run->scratch.y);
    ss_ipm_norms(run, run->at.v, run->scratch.y, i->speed);
}

/* does the ray prove that every v which obeys the constraints of island k is more than `times` as large as v? */
static bool refutes(const ss_ipm_run *run, int k, double times)
{
    const ss_ipm_islands *i = &run->islands;
    return i->value[k] > DIGITS * i->offsets[k] && i->value[k] > times * fmax(1, i->speed[k]) * i->size[k];
}

bool ss_ipm_ray_refutes(ss_ipm_run *run, const double *ray, double times)
{
    bool refuted = false;
    weigh(run, ray);
    for (int k = 0; k < run->units.islands && !refuted; k++) {
        refuted = refutes(run, k, times);
    }
    return refuted;
}

/* ---- the proof ------------------------------------------------------------------------------------ */

/* Impulses r in K and lam that cancel, |J' r| being nothing but round-off of its terms, while -w . r > 0. */
static bool proves(ss_ipm_run *run, int k)
{
    double ratio = run->islands.size[k] / run->islands.terms[k];
    bool refuted = refutes(run, k, ABSURD);
    run->least.ray = refuted ? fmin(run->least.ray, ratio) : run->least.ray;
    return refuted && ratio <= SS_TOL_INFEASIBLE;
}

/* Two rays are asked: the impulses, and what they grow by. Impulses that have no part in the infeasibility drop out of the
 * latter. */
bool ss_ipm_look_for_proof(ss_ipm_run *run, int *worst)
{
    const double *rays[] = { run->at.r, run->step.growth };
    ss_ipm_islands *i = &run->islands;
    ss_ipm_proof *proof = &run->proof;
    bool proved = false;
    memset(proof->found, 0, (size_t)run->units.islands * sizeof *proof->found);
    for (int j = 0; j < 2; j++) {
        weigh(run, rays[j]);
        for (int k = 0; k < run->units.islands; k++) {
            if (proves(run, k)) {
                proof->found[k] = true;
                proof->culprit[k] = i->blame[k];
            }
        }
    }
    proof->doubtful = false;
    for (int k = 0; k < run->units.islands; k++) {
        proof->shown[k] = proof->found[k] ? proof->shown[k] + 1 : 0;
        proof->doubtful = proof->doubtful || proof->found[k];
        if (proof->shown[k] >= ITERATES && !proved) {
            proved = true;
            *worst = proof->culprit[k];
        }
    }
    return proved;
}
