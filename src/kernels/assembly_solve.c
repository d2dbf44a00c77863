/* assembly_solve.c - an assembled problem is solved, and what is done where it has no solution.
 *
 * A problem whose offsets are not below those of driven bodies, and whose joints have nothing to make up for, has a solution
 * [AP97 Theorem 2.1]; relaxing it means to leave out what is beyond that. */
#include "kernels/assembly.h"
#include "problem/contact_law.h"
#include <math.h>

/* the solver, told how much it may do; iterations that led to no solution are counted against the step */
static ss_status solve(ss_assembly *a, ss_stepper *s, const double *v_old, unsigned effort)
{
    a->problem.v_old = v_old;
    a->info = (ss_solver_info){ 0 };
    ss_solver_set_effort(s->solver, effort | SS_EFFORT_STEP | (ss_stepper_is_exhausted(s) ? SS_EFFORT_BRIEF : 0));
    ss_status status = ss_solver_solve(s->solver, &a->problem, &a->solution, &a->info);
    ss_solver_set_effort(s->solver, 0);
    s->wasted.iterations += a->info.outcome != SS_CONVERGED ? ss_stepper_waste_of(a->info.iterations) : 0;
    return status;
}

ss_status ss_assembly_solve(ss_assembly *a, ss_stepper *s, const double *v_old, int fallbacks)
{
    SS_TRY(solve(a, s, v_old, 0));
    a->info.fallbacks += fallbacks;
    s->report->count(s->report, &a->info);
    return SS_OK;
}

ss_status ss_assembly_try(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    SS_TRY(solve(a, s, v_old, SS_EFFORT_DECLINES));
    s->report->count(s->report, &a->info);
    return SS_OK;
}

ss_status ss_assembly_try_unshared(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    SS_TRY(solve(a, s, v_old, SS_EFFORT_DECLINES | SS_EFFORT_UNSHARED));
    if (a->problem.nc > 0) {
        s->report->count(s->report, &a->info);
    }
    return SS_OK;
}

ss_status ss_assembly_try_auxiliary(ss_assembly *a, ss_stepper *s, const double *v_old)
{
    if (a->problem.nc > 0) {
        return ss_assembly_try(a, s, v_old);
    }
    a->problem.v_old = v_old;
    a->info = (ss_solver_info){ 0 };
    return ss_solver_solve(s->solver, &a->problem, &a->solution, &a->info);
}

bool ss_assembly_is_unsolvable(const ss_assembly *a) { return a->info.outcome == SS_RAY || a->info.outcome == SS_INFEASIBLE; }

void ss_assembly_relax_contacts(ss_assembly *a, const ss_stepper *s, double h)
{
    for (int k = 0; k < a->problem.nc; k++) {
        int row = a->problem.row[k];
        double slack = ss_stepper_touch(s) * ss_contact_unit(a->model, a->contacts.c[k]) / h;
        if (ss_law_has_normal(a->problem.law[k])) {
            a->problem.w[row] = fmax(a->problem.w[row], a->w_drive[row] + slack);
        }
    }
}

void ss_assembly_relax_joints(ss_assembly *a)
{
    for (int i = 0; i < a->problem.nj; i++) {
        a->problem.c[i] = a->target[i] + a->c_drive[i];
    }
}

ss_status ss_assembly_try_relaxed(ss_assembly *a, ss_stepper *s, const double *v_old, double h, bool *relaxed)
{
    if (!*relaxed) {
        SS_TRY(ss_assembly_try(a, s, v_old));
        *relaxed = ss_assembly_is_unsolvable(a);
        a->solution.warm = a->solution.warm && !*relaxed;
    }
    if (!*relaxed) {
        return SS_OK;
    }
    ss_assembly_relax_contacts(a, s, h);
    ss_assembly_relax_joints(a);
    return ss_assembly_solve(a, s, v_old, 1);
}

bool ss_assembly_has_solution(const ss_assembly *a) { return !ss_assembly_is_unsolvable(a) && a->info.outcome != SS_BREAKDOWN; }

ss_status ss_assembly_require_solution(const ss_assembly *a, double t)
{
    if (ss_assembly_has_solution(a)) {
        return SS_OK;
    }
    char name[128] = "";
    if (a->info.residual.worst >= 0) {
        ss_contact_name(a->model, a->contacts.c[a->info.residual.worst], name, sizeof name);
    }
    return ss_fail(a->ctx, SS_ERR_NUMERIC, "no solution of the contact problem at t = %.9g with %d contacts: %s%s%s", t,
                   a->problem.nc, ss_outcome_name(a->info.outcome), *name ? ", worst at " : "", name);
}
