/* descent.c - one problem down a chain of solvers, until the certificate is granted.
 *
 * Each solver starts from the best iterate so far and has its default options; the best iterate of all is returned. A solver that
 * does not take the problem, as its registry entry says, or whose factors are not affordable, is left out. A step down counts in
 * info->fallbacks, and info->choice.left says from which solver.
 *
 * A caller that has something else to solve (SS_EFFORT_DECLINES) is told as soon as it is known that there may be no solution:
 * where Lemke's method ends on a ray, or fails together with alm, and, before the last resort, where cone_ipm proves that no
 * velocity obeys the associated laws on the same data. There are then contact impulses that balance themselves and work against
 * the offsets: the condition under which Coulomb's problem is known to have solutions is violated. What other solvers find are
 * impulses that grow without bound, relative to which every residual becomes small. The outcome is `ray`.
 *
 * Cost   that of the solvers asked; memory only when a size is new */
#include "base/tolerances.h"
#include "problem/cost.h"
#include "solvers/auto/auto_inside.h"

#include <math.h>

/* Operations of one factorisation up to which Newton's method is worth them: some seconds. Sweeps go on where it is more. */
static const double AFFORDABLE = 3e10;

enum { SOLVERS_OWN = -1 }; /* a number of iterations that no link gives */

int ss_auto_find(const char *name)
{
    for (int k = 0; k < SS_AUTO_SOLVERS && ss_solver_types[k]; k++) {
        if (strcmp(ss_solver_types[k]->info.name, name) == 0) {
            return k;
        }
    }
    return -1;
}

void ss_auto_drop(ss_auto_work *work, int k)
{
    if (work->work[k]) {
        ss_solver_types[k]->destroy(work->ctx, work->work[k]);
        work->work[k] = NULL;
    }
}

/* ---- one solver of the chain ------------------------------------------------------------------ */

static ss_status make(ss_auto_work *work, int k)
{
    const ss_solver_type *type = ss_solver_types[k];
    if (work->work[k]) {
        return SS_OK;
    }
    if (!work->params[k]) {
        SS_TRY(ss_calloc(work->ctx, 1, type->info.params_size, &work->params[k]));
        ss_fields_default(type->info.fields, work->params[k]);
    }
    ss_status status = type->create(work->ctx, work->params[k], &work->work[k]);
    if (status != SS_OK) {
        ss_auto_drop(work, k);
    }
    return status;
}

/* what the chain has cost so far, and where its answer comes from */
static void add_counts(ss_solver_info *sum, const ss_solver_info *info)
{
    sum->iterations += info->iterations;
    sum->factorisations += info->factorisations;
    sum->restarts += info->restarts;
    sum->starved = sum->starved || info->starved;
    sum->basis_tried = sum->basis_tried || info->basis_tried;
    sum->basis_hit = sum->basis_hit || info->basis_hit;
}

/* Solver k could not answer. A singular matrix is its failure, not ours; so is a problem that is too large for it; so is memory
 * that it does not get, where others need less: what it holds is given back. */
static ss_status give_up(ss_auto_descent *d, int k, const ss_auto_link *how, ss_status status)
{
    bool starved = how->spared && status == SS_ERR_MEMORY;
    d->failure = status;
    if (starved) {
        d->info->starved = true;
        ss_auto_drop(d->work, k);
    }
    return status == SS_ERR_NUMERIC || status == SS_ERR_UNSUPPORTED || starved ? SS_OK : status;
}

/* iterations that the link allows; 0: it is left out */
static int allowed(const ss_auto_descent *d, const ss_auto_link *how)
{
    const bool in_step = how->in_step && (d->work->effort & SS_EFFORT_STEP);
    return in_step ? how->in_step(d->problem, d->tol) : how->limit ? how->limit(d->problem, d->tol) : SOLVERS_OWN;
}

/* ask solver k */
static ss_status ask(ss_auto_descent *d, int k, const ss_auto_link *how, bool *answered)
{
    const int limit = d->max_iter > 0 ? d->max_iter : allowed(d, how), max_iter = limit == SOLVERS_OWN ? 0 : limit;
    double tol = how->tighter > 0 ? fmax(how->tighter * d->tol, fmin(d->tol, SS_TOL_ROUND_OFF)) : d->tol;
    const ss_solver_type *type = ss_solver_types[k];
    ss_solver_info info = { .outcome = SS_CONVERGED, .residual = { .contact = NAN, .worst = -1 }, .solver = type->info.name };
    ss_status status = make(d->work, k);
    if (status != SS_OK) {
        *answered = false;
        return give_up(d, k, how, status);
    }
    status = type->solve(d->work->ctx, d->work->work[k], d->problem, tol, max_iter, d->solution, &info);
    *answered = status == SS_OK;
    if (status == SS_OK && isnan(info.residual.contact)) {
        SS_TRY(ss_residual_compute(d->work->residual, d->problem, d->solution, &info.residual));
    }
    add_counts(d->info, &info);
    d->info->outcome = info.outcome;
    d->info->residual = info.residual;
    d->info->solver = info.solver;
    return status == SS_OK ? SS_OK : give_up(d, k, how, status);
}

/* ---- the best iterate ------------------------------------------------------------------------- */

static void copy_solution(const ss_problem *p, const ss_solution *from, ss_solution *to)
{
    size_t nr = (size_t)p->row[p->nc], nv = p->local ? 0 : (size_t)p->nv, nj = p->local ? 0 : (size_t)p->nj;
    memcpy(to->r, from->r, nr * sizeof *to->r);
    memcpy(to->u, from->u, nr * sizeof *to->u);
    memcpy(to->basis, from->basis, (size_t)p->nc * sizeof *to->basis);
    if (nv > 0) {
        memcpy(to->v, from->v, nv * sizeof *to->v);
    }
    if (nj > 0) {
        memcpy(to->lam, from->lam, nj * sizeof *to->lam);
    }
}

static ss_status take_solution(const ss_auto_descent *d, ss_solution *s)
{
    const ss_problem *p = d->problem;
    ss_arena *arena = d->work->arena;
    SS_TRY(ss_arena_take(arena, (size_t)p->nv, sizeof *s->v, &s->v));
    SS_TRY(ss_arena_take(arena, (size_t)p->nj, sizeof *s->lam, &s->lam));
    SS_TRY(ss_arena_take(arena, (size_t)p->row[p->nc], sizeof *s->r, &s->r));
    SS_TRY(ss_arena_take(arena, (size_t)p->row[p->nc], sizeof *s->u, &s->u));
    return ss_arena_take(arena, (size_t)p->nc, sizeof *s->basis, &s->basis);
}

static double worst(const ss_solver_info *info) { return ss_residual_worst(&info->residual); }

/* keep the better of the last answer and the best so far, in both places: the next solver starts from it */
static ss_status keep_better(ss_auto_descent *d, bool answered)
{
    if (!d->best.r) {
        SS_TRY(take_solution(d, &d->best));
        d->best_info.residual.contact = INFINITY;
    }
    if (answered && worst(d->info) < worst(&d->best_info)) {
        copy_solution(d->problem, d->solution, &d->best);
        d->best_info = *d->info;
    } else if (isfinite(worst(&d->best_info))) {
        copy_solution(d->problem, &d->best, d->solution);
        d->info->outcome = d->best_info.outcome;
        d->info->residual = d->best_info.residual;
        d->info->solver = d->best_info.solver;
    }
    return SS_OK;
}

/* ---- is there a solution? ----------------------------------------------------------------------- */

/* the same data with associated laws */
static ss_status make_associated(const ss_auto_descent *d, ss_problem *out)
{
    const ss_problem *p = d->problem;
    *out = *p;
    SS_TRY(ss_arena_take(d->work->arena, (size_t)p->nc, sizeof *out->law, &out->law));
    for (int k = 0; k < p->nc; k++) {
        unsigned law = p->law[k];
        out->law[k] = law == SS_LAW_COULOMB ? SS_LAW_ASSOCIATED : law == SS_LAW_POLYHEDRAL ? SS_LAW_ASSOCIATED_POLYHEDRAL : law;
    }
    if (!p->local && !p->A.symmetric) { /* which velocities obey the laws does not depend on A */
        out->A = (ss_matrix){ .diagonal = p->scale, .symmetric = true };
    }
    return SS_OK;
}

/* *none: it is proved that no velocity obeys the associated laws; info->residual.worst is then the contact with the largest share
 */
static ss_status look_for_proof(ss_auto_descent *d, bool *none)
{
    const ss_auto_link how = { .solver = "cone_ipm", .spared = true };
    const int k = ss_auto_find(how.solver);
    ss_problem associated;
    ss_solution answer = { 0 };
    ss_solver_info info = { .outcome = SS_CONVERGED, .residual = { .contact = NAN, .worst = -1 } };
    SS_TRY(make_associated(d, &associated));
    if (k < 0 || ss_solver_takes(ss_solver_types[k], d->problem) || !ss_solver_takes(ss_solver_types[k], &associated)) {
        return SS_OK; /* it has been asked, or cannot be */
    }
    SS_TRY(take_solution(d, &answer));
    ss_status status = make(d->work, k);
    status = status != SS_OK ? status
                             : ss_solver_types[k]->solve(d->work->ctx, d->work->work[k], &associated, d->tol, 0, &answer, &info);
    add_counts(d->info, &info);
    *none = status == SS_OK && info.outcome == SS_INFEASIBLE;
    if (*none) {
        d->info->outcome = SS_RAY;
        d->info->residual.worst = info.residual.worst;
    }
    return status == SS_OK ? SS_OK : give_up(d, k, &how, status);
}

/* ---- which links -------------------------------------------------------------------------------- */

/* Can the matrix of a Newton step be factorised in a time that is worth it? */
static ss_status weigh_factor(ss_auto_descent *d, bool *affordable)
{
    if (d->operations == 0) {
        SS_TRY(ss_cost_factor(d->work->ctx, d->work->arena, d->problem, &d->operations));
    }
    *affordable = d->operations <= AFFORDABLE;
    return SS_OK;
}

static ss_status can_ask(ss_auto_descent *d, const ss_auto_link *how, bool *can)
{
    int k = ss_auto_find(how->solver);
    bool spared = (how->slow || how->last_resort) && d->asked > 0 && (d->work->effort & SS_EFFORT_BRIEF);
    *can = k >= 0 && allowed(d, how) != 0 && !spared && (!how->afresh || d->given) &&
           (how->unknowns == 0 || ss_auto_unknowns(d->problem) <= how->unknowns) &&
           ss_solver_takes(ss_solver_types[k], d->problem);
    return *can && how->factorises ? weigh_factor(d, can) : SS_OK;
}

/* Before the last resort: *none, if a caller that has something else to solve is not to wait for it. Few unknowns with which
 * Lemke's method and Newton's have failed need no proof. */
static ss_status weigh_last_resort(ss_auto_descent *d, const ss_auto_link *how, bool *none)
{
    bool affordable;
    if (!(d->work->effort & SS_EFFORT_DECLINES) || d->asked == 0 || d->weighed) {
        return SS_OK;
    }
    d->weighed = true;
    if (how->hopeless) {
        *none = true;
        d->info->outcome = SS_RAY;
        return SS_OK;
    }
    SS_TRY(weigh_factor(d, &affordable));
    return affordable ? look_for_proof(d, none) : SS_OK;
}

/* ---- down the chain ------------------------------------------------------------------------------- */

/* Does the outcome end the chain? Where there is no solution, or where velocities are known to be wrong, others would spend their
 * whole time in vain. */
static bool is_settled(const ss_auto_descent *d, const ss_auto_link *how)
{
    ss_outcome outcome = d->info->outcome;
    return (outcome == SS_RAY && (d->work->effort & SS_EFFORT_DECLINES)) || outcome == SS_INFEASIBLE ||
           (outcome == SS_INACCURATE && how->knows_gap && worst(d->info) > d->tol);
}

/* how often a solver was asked first, and how often another one had to go on */
static void count_choice(ss_auto_descent *d, int k)
{
    const int place = d->asked++ > 0 ? d->last : k;
    int *counts = d->asked > 1 ? d->info->choice.left : d->info->choice.first;
    counts[place < SS_CHOICES ? place : SS_CHOICES - 1]++;
    d->last = k;
}

ss_status ss_auto_try(ss_auto_descent *d, const ss_auto_link *how, ss_auto_end *end)
{
    const int k = ss_auto_find(how->solver);
    bool answered = false;
    if (d->asked > 0) {
        d->info->fallbacks++;
        d->solution->warm = !how->afresh && (d->given || isfinite(worst(&d->best_info)));
    }
    count_choice(d, k);
    SS_TRY(ask(d, k, how, &answered));
    end->settled = answered && is_settled(d, how);
    end->granted = answered && !end->settled && worst(d->info) <= d->tol;
    if (end->granted) {
        d->info->outcome = SS_CONVERGED;
    } else if (!end->settled) {
        SS_TRY(keep_better(d, answered));
    }
    return SS_OK;
}

static ss_status refuse(ss_context *ctx, const ss_problem *problem)
{
    unsigned laws = 0;
    char text[128];
    for (int k = 0; k < problem->nc; k++) {
        laws |= problem->law[k];
    }
    ss_law_names(laws, text, sizeof text);
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "solver auto: no solver takes contact laws %s with %s", text,
                   problem->local         ? "the matrix W"
                   : problem->A.symmetric ? "a symmetric matrix A"
                                          : "a matrix A that is not symmetric");
}

ss_status ss_auto_resume(ss_auto_descent *d, const char *solver, const ss_residual *residual)
{
    d->asked = 1;
    d->last = ss_auto_find(solver);
    d->info->outcome = SS_MAX_ITER;
    d->info->residual = *residual;
    d->info->solver = ss_solver_types[d->last]->info.name;
    return keep_better(d, true);
}

ss_status ss_auto_descend(ss_auto_descent *d, const ss_auto_link *chain, int first, ss_auto_end *end)
{
    for (int i = first; i < SS_AUTO_CHAIN && chain[i].solver && !end->granted && !end->settled; i++) {
        bool can = false;
        if (chain[i].last_resort) {
            SS_TRY(weigh_last_resort(d, &chain[i], &end->settled));
        }
        SS_TRY(end->settled ? SS_OK : can_ask(d, &chain[i], &can));
        SS_TRY(can ? ss_auto_try(d, &chain[i], end) : SS_OK);
    }
    if (d->asked == 0) {
        return refuse(d->work->ctx, d->problem);
    }
    bool some = end->granted || end->settled || (d->best.r && isfinite(worst(&d->best_info)));
    return some ? SS_OK : d->failure;
}
