/* solver.c - what all solvers share: registry, options, checks before, certificate after.
 *
 * Before: the problem is checked (NaN, sizes, laws), and the solver's entry must take it. Without contacts there is
 * nothing to choose: one solve of the joints' system. After: the certificate is computed from the problem, whatever the
 * solver believes, unless it has just asked for that very certificate; `converged` needs contact, momentum and joint
 * <= tol.
 * Where a solver has not converged, contacts that the joints close (opposed.c) prove that there is no solution.
 * A singular matrix is an outcome (breakdown, the reason in the error text), not a status: v is then v_old.
 * Cost        check and certificate are linear in the data                                          */
#include "solvers/solver.h"
#include "base/extensions.h"
#include "base/tolerances.h"

#include "problem/kkt.h"
#include "problem/opposed.h"
#include "problem/residual.h"
#include "problem/sharing.h"

#include <math.h>
#include <stdio.h>

#define SS_SOLVER(name) extern const ss_solver_type ss_solver_##name;
#include "solvers/solvers.def"
#undef SS_SOLVER

const ss_solver_type *const ss_solver_types[] = {
#define SS_SOLVER(name) &ss_solver_##name,
#include "solvers/solvers.def"
#undef SS_SOLVER
    NULL,
};

enum { SOLVERS = sizeof ss_solver_types / sizeof *ss_solver_types }; /* with the NULL */

struct ss_solver {
    ss_context *ctx;
    const ss_solver_type *type;
    double tol;
    int max_iter;
    ss_share share;
    unsigned effort; /* SS_EFFORT_ bits */
    void *params, *work;
    ss_kkt *kkt; /* for problems without contacts, and opposed.c */
    ss_residual_work *residual;
    ss_opposed *opposed;
    ss_sharing *sharing;
};

ss_solver_options ss_solver_options_default(void) { return (ss_solver_options){ .name = "auto", .tol = SS_TOL_SOLVER }; }

const char *ss_outcome_name(ss_outcome outcome)
{
    static const char *const name[] = { "converged", "inaccurate", "max_iter", "ray", "infeasible", "breakdown" };
    return (unsigned)outcome < sizeof name / sizeof *name ? name[outcome] : "unknown";
}

bool ss_solver_knows(const ss_solver *solver, unsigned law) { return solver->type->info.laws & law; }

const char *ss_solver_name(const ss_solver *solver) { return solver->type->info.name; }

void ss_solver_set_effort(ss_solver *solver, unsigned effort)
{
    solver->effort = effort;
    if (solver->type->set_effort) {
        solver->type->set_effort(solver->work, effort);
    }
}

bool ss_solver_takes(const ss_solver_type *type, const ss_problem *problem)
{
    if (type->info.needs & SS_NEEDS_SYMMETRIC_A && !problem->local && !problem->A.symmetric) {
        return false;
    }
    for (int k = 0; k < problem->nc; k++) {
        if (!(problem->law[k] & type->info.laws)) {
            return false;
        }
    }
    return true;
}

/* ---- create ----------------------------------------------------------------------------------- */

static ss_status find_type(ss_context *ctx, const char *name, const ss_solver_type **out)
{
    const char *names[SOLVERS];
    for (int k = 0; k < SOLVERS; k++) {
        names[k] = ss_solver_types[k] ? ss_solver_types[k]->info.name : NULL;
        if (names[k] && ss_entry_answers(&ss_solver_types[k]->info, name)) {
            *out = ss_solver_types[k];
            return SS_OK;
        }
    }
    const ss_entry *added = ss_extension_find(ctx, SS_SOLVERS, name);
    if (added) {
        *out = (const ss_solver_type *)(const void *)added; /* its first member */
        return SS_OK;
    }
    const char *near = ss_nearest_name(name, names);
    return ss_fail(ctx, SS_ERR_INPUT, "solver \"%s\" is not known%s%s%s", name, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
}

static ss_status set_options(ss_solver *solver, const ss_setting *settings)
{
    const ss_entry *info = &solver->type->info;
    char what[64];
    snprintf(what, sizeof what, "solver %s", info->name);
    static const ss_field none[] = { SS_FIELD_END };
    const ss_field *fields = info->fields ? info->fields : none;
    SS_TRY(ss_calloc(solver->ctx, 1, info->params_size, &solver->params));
    ss_fields_default(fields, solver->params);
    for (int k = 0; settings && settings[k].key; k++) {
        SS_TRY(ss_fields_set(solver->ctx, fields, solver->params, what, &settings[k]));
    }
    return SS_OK;
}

static ss_status build(ss_solver *solver, const ss_solver_options *options)
{
    if (!(options->tol > 0 && isfinite(options->tol)) || options->max_iter < 0) {
        return ss_fail(solver->ctx, SS_ERR_INPUT, "solver tol %g, max_iter %d: expected tol > 0 and max_iter >= 0", options->tol,
                       options->max_iter);
    }
    solver->tol = options->tol;
    solver->max_iter = options->max_iter;
    solver->share = options->share;
    SS_TRY(find_type(solver->ctx, options->name ? options->name : "auto", &solver->type));
    SS_TRY(set_options(solver, options->settings));
    SS_TRY(ss_kkt_create(solver->ctx, &solver->kkt));
    SS_TRY(ss_residual_create(solver->ctx, &solver->residual));
    SS_TRY(ss_opposed_create(solver->ctx, &solver->opposed));
    SS_TRY(ss_sharing_create(solver->ctx, solver->kkt, solver->residual, &solver->sharing));
    return solver->type->create ? solver->type->create(solver->ctx, solver->params, &solver->work) : SS_OK;
}

ss_status ss_context_add_solver(ss_context *ctx, const ss_solver_type *type)
{
    if (!type->solve || (type->create && !type->destroy)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "solvers: one that is added needs a function `solve`, and `destroy` if it has `create`");
    }
    return ss_extension_add(ctx, SS_SOLVERS, &type->info, false);
}

ss_status ss_solver_create(ss_context *ctx, const ss_solver_options *options, ss_solver **out)
{
    ss_solver_options defaults = ss_solver_options_default();
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = build(*out, options ? options : &defaults);
    if (status != SS_OK) {
        ss_solver_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_solver_destroy(ss_solver *solver)
{
    if (!solver) {
        return;
    }
    if (solver->work) {
        solver->type->destroy(solver->ctx, solver->work);
    }
    ss_kkt_destroy(solver->kkt);
    ss_residual_destroy(solver->residual);
    ss_opposed_destroy(solver->opposed);
    ss_sharing_destroy(solver->sharing);
    ss_free(solver->ctx, solver->params);
    ss_free(solver->ctx, solver);
}

/* ---- solve ------------------------------------------------------------------------------------ */

static ss_status refuse_problem(const ss_solver *solver, const ss_problem *problem)
{
    char takes[128], has[128];
    unsigned laws = 0;
    for (int k = 0; k < problem->nc; k++) {
        laws |= problem->law[k];
    }
    ss_law_names(solver->type->info.laws, takes, sizeof takes);
    ss_law_names(laws, has, sizeof has);
    return ss_fail(solver->ctx, SS_ERR_UNSUPPORTED, "solver %s takes the laws %s%s; the problem has %s", solver->type->info.name,
                   takes, solver->type->info.needs ? ", and not this form of A" : "", has);
}

static ss_status solve_without_contacts(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info)
{
    if (problem->local) {
        return SS_OK;
    }
    SS_TRY(ss_kkt_factor(solver->kkt, problem));
    info->factorisations++;
    return ss_kkt_solve(solver->kkt, problem->b, problem->c, solution->v, solution->lam);
}

/* nothing was found: leave the state as it was */
static void break_down(const ss_problem *p, ss_solution *s, ss_solver_info *info)
{
    for (int i = 0; i < p->nv && !p->local; i++) {
        s->v[i] = p->v_old ? p->v_old[i] : 0;
    }
    for (int i = 0; i < p->nj && !p->local; i++) {
        s->lam[i] = 0;
    }
    for (int i = 0; p->nc > 0 && i < p->row[p->nc]; i++) {
        s->r[i] = s->u[i] = 0;
    }
    info->outcome = SS_BREAKDOWN;
    info->residual =
        (ss_residual){ .contact = INFINITY, .momentum = INFINITY, .joint = INFINITY, .classical = INFINITY, .worst = -1 };
}

static ss_status certify(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info)
{
    if (isnan(info->residual.contact)) {
        SS_TRY(ss_residual_compute(solver->residual, problem, solution, &info->residual));
    }
    double worst = ss_residual_worst(&info->residual);
    if (isinf(worst)) {
        info->outcome = info->outcome == SS_CONVERGED || info->outcome == SS_INACCURATE ? SS_BREAKDOWN : info->outcome;
    } else if (worst <= solver->tol && info->outcome != SS_INFEASIBLE) { /* a proof outweighs a residual */
        info->outcome = SS_CONVERGED;
    } else if (info->outcome == SS_CONVERGED) {
        info->outcome = SS_INACCURATE;
    }
    return SS_OK;
}

/* a contact that the joints close makes the problem infeasible, and is named */
static ss_status look_for_opposed(ss_solver *solver, const ss_problem *problem, const ss_solution *solution, ss_solver_info *info)
{
    int contact = -1;
    if (info->outcome != SS_CONVERGED && info->outcome != SS_BREAKDOWN && problem->nc > 0) {
        SS_TRY(ss_opposed_find(solver->opposed, solver->kkt, problem, solution->v, &contact));
    }
    if (contact >= 0) {
        info->outcome = SS_INFEASIBLE;
        info->residual.worst = contact;
    }
    return SS_OK;
}

static bool shares(const ss_solver *solver, const ss_problem *problem)
{
    return solver->share == SS_SHARE_LIMIT && !(solver->effort & SS_EFFORT_UNSHARED) && problem->nc > 0;
}

/* the limit of vanishing compliance in place of what the solver found */
static ss_status share(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info)
{
    const bool some = info->outcome == SS_CONVERGED || info->outcome == SS_INACCURATE || info->outcome == SS_MAX_ITER;
    ss_sharing_info what;
    if (!shares(solver, problem) || !some) {
        return SS_OK;
    }
    SS_TRY(ss_sharing_apply(solver->sharing, problem, solver->tol, solution, &info->residual, &what));
    info->shared = what.dependent;
    info->chosen = what.chosen;
    info->outcome = ss_residual_worst(&info->residual) <= solver->tol ? SS_CONVERGED : info->outcome;
    return SS_OK;
}

/* of a problem that is valid and held */
static ss_status solve_held(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info)
{
    SS_TRY(shares(solver, problem) ? ss_sharing_note(solver->sharing, problem, solution) : SS_OK);
    ss_status status =
        problem->nc == 0 ? solve_without_contacts(solver, problem, solution, info)
                         : solver->type->solve(solver->ctx, solver->work, problem, solver->tol, solver->max_iter, solution, info);
    if (status == SS_ERR_NUMERIC) {
        break_down(problem, solution, info);
        return SS_OK;
    }
    SS_TRY(status);
    SS_TRY(certify(solver, problem, solution, info));
    SS_TRY(look_for_opposed(solver, problem, solution, info));
    return share(solver, problem, solution, info);
}

ss_status ss_solver_solve(ss_solver *solver, const ss_problem *problem, ss_solution *solution, ss_solver_info *info)
{
    *info = (ss_solver_info){ .outcome = SS_CONVERGED,
                              .residual = { .contact = NAN, .worst = -1 },
                              .solver = ss_solver_name(solver) };
    SS_TRY(ss_check_interrupt(solver->ctx));
    SS_TRY(ss_problem_check(solver->ctx, problem));
    if (!ss_solver_takes(solver->type, problem)) {
        return refuse_problem(solver, problem);
    }
    const ss_residual_held before = ss_residual_hold(solver->residual, problem);
    const ss_status status = solve_held(solver, problem, solution, info);
    ss_residual_let_go(solver->residual, before);
    return status;
}
