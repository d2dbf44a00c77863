/* auto.c - chooses a solver by size and law, and goes down a chain until the certificate is granted.
 *
 *   small         lemke -> cone_ipm -> alm -> nsgs  all laws are lemke's, and its unknowns are few, or its basis is remembered
 *   polygonal     nsgs* -> alm -> lemke -> nsgs     all laws are lemke's; lemke only while its matrix is bearable
 *   convex        nsgs* -> cone_ipm -> apgd -> alm -> nsgs       all laws are those of one convex program
 *   small convex  cone_ipm -> apgd -> alm -> nsgs                the same, with few rows and velocities
 *   other         nsgs* -> alm -> nsgs
 *   clustered     alm -> lemke -> nsgs, convex: cone_ipm -> alm -> nsgs      springs or dampers couple many bodies: sweeping
 *                 would need the response of all of them to every contact row; these factorise them with their active rows
 *   (* with a limited number of sweeps)
 *
 * A caller that has something else to solve (SS_EFFORT_DECLINES) is told as soon as it is known that there may be no solution:
 * where Lemke's method ends on a ray, or fails together with alm, and, before the last resort, where cone_ipm proves that no
 * velocity obeys the associated laws on the same data. There are then contact impulses that balance themselves and work against
 * the offsets: the condition under which Coulomb's problem is known to have solutions is violated. What other solvers find are
 * impulses that grow without bound, relative to which every residual becomes small. The outcome is `ray`.
 *
 * The chain ends where cone_ipm has proved a convex program infeasible, or finds its velocities wrong although the residual is
 * small. Small convex programs are solved to three digits more than asked for: that costs next to nothing, and keeps bodies of
 * very different mass at rest. apgd needs no factorisation: it takes over where
 * that of cone_ipm does not fit into memory.
 * Pivoting is exact and quickest where it is small; Gauss-Seidel is cheap and mostly enough; Newton's method in velocity
 * space (alm) settles what Gauss-Seidel only creeps towards. A solver that does not take the problem is left out, as its
 * registry entry says. Each starts from the best iterate so far and has its default options; the best iterate of all is
 * returned. Where a guess was given alm is asked twice, the second time from zero: the impulses of a step that was far longer
 * lead nowhere. A step down the chain counts in info->fallbacks; info->solver names the solver whose answer it is. The choice
 * depends on the problem only.
 * Cost        that of the solvers asked, with limits that fall with the size: some ten seconds in all, then the best iterate
 *             is returned with the outcome `max_iter`; memory only when a size is new              */
#include "base/tolerances.h"
#include "math/matrix.h"
#include "problem/clusters.h"
#include "problem/residual.h"
#include "problem/sweep.h"
#include "solvers/auto/chains.h"
#include "solvers/solver.h"

#include <math.h>

enum { AUTO_MAX = 32 };

typedef struct auto_work {
    ss_context *ctx;
    ss_arena *arena;
    ss_residual_work *residual;
    unsigned effort;                         /* SS_EFFORT_ bits                               */
    void *work[AUTO_MAX], *params[AUTO_MAX]; /* of ss_solver_types[k]; made when first needed */
} auto_work;

/* one solve */
typedef struct auto_run {
    auto_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_iter, unknowns;
    bool clustered;    /* a coupled cluster is too large to be swept */
    int asked;         /* solvers so far                      */
    ss_status failure; /* of the last that could not answer    */
    ss_solution best;  /* copy, made before a step down       */
    ss_solver_info best_info;
    bool given; /* a warm start                        */
} auto_run;

static const ss_field fields[] = { SS_FIELD_END };

static void drop(auto_work *work, int k)
{
    if (work->work[k]) {
        ss_solver_types[k]->destroy(work->ctx, work->work[k]);
        work->work[k] = NULL;
    }
}

static void destroy(ss_context *ctx, void *data)
{
    auto_work *work = data;
    if (!work) {
        return;
    }
    for (int k = 0; k < AUTO_MAX && ss_solver_types[k]; k++) {
        drop(work, k);
        ss_free(ctx, work->params[k]);
    }
    ss_arena_destroy(work->arena);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    auto_work *work;
    (void)params;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    SS_TRY(ss_arena_create(ctx, 4096, &work->arena));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* the place of a solver in the registry, -1 if it is not there */
static int find(const char *name)
{
    for (int k = 0; k < AUTO_MAX && ss_solver_types[k]; k++) {
        if (strcmp(ss_solver_types[k]->info.name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* unknowns of the LCP of these laws (lcp.c): c_n, a beta per direction, lambda */
static int count_unknowns(const ss_problem *p)
{
    int64_t count = 0;
    for (int k = 0; k < p->nc; k++) {
        bool polygon = p->law[k] == SS_LAW_POLYHEDRAL && p->mu[k] > 0;
        count += p->law[k] == SS_LAW_BOUNDED ? 3 : polygon ? 2 + p->dir[k + 1] - p->dir[k] : 1;
    }
    return count > INT32_MAX ? INT32_MAX : (int)count;
}

static bool basis_remembered(const auto_run *run)
{
    for (int k = 0; k < run->problem->nc; k++) {
        if (run->solution->basis[k] == 0) {
            return false;
        }
    }
    return run->solution->warm;
}

static bool takes(const char *solver, const ss_problem *problem)
{
    int k = find(solver);
    return k >= 0 && ss_solver_takes(ss_solver_types[k], problem);
}

/* has the problem a coupled cluster that is too large to be swept? */
static ss_status find_large_cluster(auto_run *run)
{
    ss_clusters clusters = { 0 };
    if (!run->problem->local && !ss_matrix_is_block_diagonal(&run->problem->A)) {
        SS_TRY(ss_clusters_find(run->work->arena, run->problem, &clusters));
    }
    run->clustered = clusters.largest_coupled > SS_SWEPT_CLUSTER;
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

/* ---- one solver of the chain ------------------------------------------------------------------ */

static ss_status make(auto_work *work, int k)
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
        drop(work, k);
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
static ss_status give_up(auto_run *run, int k, const ss_auto_link *how, ss_status status)
{
    bool starved = how->spared && status == SS_ERR_MEMORY;
    run->failure = status;
    if (starved) {
        run->info->starved = true;
        drop(run->work, k);
    }
    return status == SS_ERR_NUMERIC || status == SS_ERR_UNSUPPORTED || starved ? SS_OK : status;
}

/* ask solver k */
static ss_status ask(auto_run *run, int k, const ss_auto_link *how, bool *answered)
{
    int max_iter = run->max_iter > 0 ? run->max_iter : how->limit ? how->limit(run->problem, run->tol) : 0;
    double tol = how->tighter > 0 ? fmax(how->tighter * run->tol, fmin(run->tol, SS_TOL_ROUND_OFF)) : run->tol;
    const ss_solver_type *type = ss_solver_types[k];
    ss_solver_info info = { .outcome = SS_CONVERGED, .residual = { .contact = NAN, .worst = -1 }, .solver = type->info.name };
    ss_status status = make(run->work, k);
    if (status != SS_OK) {
        *answered = false;
        return give_up(run, k, how, status);
    }
    status = type->solve(run->work->ctx, run->work->work[k], run->problem, tol, max_iter, run->solution, &info);
    *answered = status == SS_OK;
    if (status == SS_OK && isnan(info.residual.contact)) {
        SS_TRY(ss_residual_compute(run->work->residual, run->problem, run->solution, &info.residual));
    }
    add_counts(run->info, &info);
    run->info->outcome = info.outcome;
    run->info->residual = info.residual;
    run->info->solver = info.solver;
    return status == SS_OK ? SS_OK : give_up(run, k, how, status);
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

static ss_status take_solution(const auto_run *run, ss_solution *s)
{
    const ss_problem *p = run->problem;
    ss_arena *arena = run->work->arena;
    SS_TRY(ss_arena_take(arena, (size_t)p->nv, sizeof *s->v, &s->v));
    SS_TRY(ss_arena_take(arena, (size_t)p->nj, sizeof *s->lam, &s->lam));
    SS_TRY(ss_arena_take(arena, (size_t)p->row[p->nc], sizeof *s->r, &s->r));
    SS_TRY(ss_arena_take(arena, (size_t)p->row[p->nc], sizeof *s->u, &s->u));
    return ss_arena_take(arena, (size_t)p->nc, sizeof *s->basis, &s->basis);
}

static double worst(const ss_solver_info *info) { return ss_residual_worst(&info->residual); }

/* keep the better of the last answer and the best so far, in both places: the next solver starts from it */
static ss_status keep_better(auto_run *run, bool answered)
{
    if (!run->best.r) {
        SS_TRY(take_solution(run, &run->best));
        run->best_info.residual.contact = INFINITY;
    }
    if (answered && worst(run->info) < worst(&run->best_info)) {
        copy_solution(run->problem, run->solution, &run->best);
        run->best_info = *run->info;
    } else if (isfinite(worst(&run->best_info))) {
        copy_solution(run->problem, &run->best, run->solution);
        run->info->outcome = run->best_info.outcome;
        run->info->residual = run->best_info.residual;
        run->info->solver = run->best_info.solver;
    }
    return SS_OK;
}

/* ---- is there a solution? ----------------------------------------------------------------------- */

/* the same data with associated laws */
static ss_status make_associated(const auto_run *run, ss_problem *out)
{
    const ss_problem *p = run->problem;
    *out = *p;
    SS_TRY(ss_arena_take(run->work->arena, (size_t)p->nc, sizeof *out->law, &out->law));
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
static ss_status look_for_proof(auto_run *run, bool *none)
{
    const ss_auto_link how = { .solver = "cone_ipm", .spared = true };
    const int k = find(how.solver);
    ss_problem associated;
    ss_solution answer = { 0 };
    ss_solver_info info = { .outcome = SS_CONVERGED, .residual = { .contact = NAN, .worst = -1 } };
    SS_TRY(make_associated(run, &associated));
    if (k < 0 || ss_solver_takes(ss_solver_types[k], run->problem) || !ss_solver_takes(ss_solver_types[k], &associated)) {
        return SS_OK; /* it has been asked, or cannot be */
    }
    SS_TRY(take_solution(run, &answer));
    ss_status status = make(run->work, k);
    status = status != SS_OK
                 ? status
                 : ss_solver_types[k]->solve(run->work->ctx, run->work->work[k], &associated, run->tol, 0, &answer, &info);
    add_counts(run->info, &info);
    *none = status == SS_OK && info.outcome == SS_INFEASIBLE;
    if (*none) {
        run->info->outcome = SS_RAY;
        run->info->residual.worst = info.residual.worst;
    }
    return status == SS_OK ? SS_OK : give_up(run, k, &how, status);
}

/* Before the last resort: *none, if a caller that has something else to solve is not to wait for it. Few unknowns with which
 * Lemke's method and Newton's have failed need no proof. */
static ss_status weigh_last_resort(auto_run *run, const ss_auto_link *how, bool *none)
{
    if (!(run->work->effort & SS_EFFORT_DECLINES) || run->asked == 0) {
        return SS_OK;
    }
    if (how->hopeless) {
        *none = true;
        run->info->outcome = SS_RAY;
        return SS_OK;
    }
    return look_for_proof(run, none);
}

/* ---- the solver ------------------------------------------------------------------------------- */

/* Does the outcome end the chain? Where there is no solution, or where velocities are known to be wrong, others would spend their
 * whole time in vain. */
static bool is_settled(const auto_run *run, const ss_auto_link *how)
{
    ss_outcome outcome = run->info->outcome;
    return (outcome == SS_RAY && (run->work->effort & SS_EFFORT_DECLINES)) || outcome == SS_INFEASIBLE ||
           (outcome == SS_INACCURATE && how->knows_gap && worst(run->info) > run->tol);
}

static bool can_ask(const auto_run *run, const ss_auto_link *how)
{
    int k = find(how->solver);
    bool spared = how->last_resort && run->asked > 0 && (run->work->effort & SS_EFFORT_BRIEF);
    return k >= 0 && !spared && (!how->afresh || run->given) && (how->unknowns == 0 || run->unknowns <= how->unknowns) &&
           ss_solver_takes(ss_solver_types[k], run->problem);
}

/* One link of the chain; *granted or *settled: it is the last. */
static ss_status try_link(auto_run *run, const ss_auto_link *how, bool *granted, bool *settled)
{
    bool answered = false;
    if (run->asked++ > 0) {
        run->info->fallbacks++;
        run->solution->warm = !how->afresh && (run->given || isfinite(worst(&run->best_info)));
    }
    SS_TRY(ask(run, find(how->solver), how, &answered));
    *settled = answered && is_settled(run, how);
    *granted = answered && !*settled && worst(run->info) <= run->tol;
    if (*granted) {
        run->info->outcome = SS_CONVERGED;
    } else if (!*settled) {
        SS_TRY(keep_better(run, answered));
    }
    return SS_OK;
}

static ss_status solve_chain(auto_run *run, const ss_auto_link *chain)
{
    bool granted = false, settled = false;
    for (int i = 0; i < SS_AUTO_CHAIN && chain[i].solver && !granted && !settled; i++) {
        if (chain[i].last_resort) {
            SS_TRY(weigh_last_resort(run, &chain[i], &settled));
        }
        if (!settled && can_ask(run, &chain[i])) {
            SS_TRY(try_link(run, &chain[i], &granted, &settled));
        }
    }
    if (run->asked == 0) {
        return refuse(run->work->ctx, run->problem);
    }
    bool some = granted || settled || (run->best.r && isfinite(worst(&run->best_info)));
    return some ? SS_OK : run->failure;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    (void)ctx;
    auto_run run = { .work = data, .problem = problem, .solution = solution, .info = info, .tol = tol, .max_iter = max_iter };
    run.given = solution->warm;
    ss_arena_reset(run.work->arena);
    run.unknowns = count_unknowns(problem);
    SS_TRY(find_large_cluster(&run));
    const ss_auto_case what = { .problem = problem,
                                .lcp = takes("lemke", problem),
                                .convex = takes("cone_ipm", problem),
                                .unknowns = run.unknowns,
                                .basis_remembered = basis_remembered(&run),
                                .clustered = run.clustered };
    ss_status status = solve_chain(&run, ss_auto_choose(&what));
    solution->warm = run.given;
    return status;
}

static void set_effort(void *data, unsigned effort) { ((auto_work *)data)->effort = effort; }

const ss_solver_type ss_solver_auto = {
    .info = { .name = "auto",
              .title = "chooses a solver by size and law, and falls back on others",
              .kind = "choice",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL,
              .dimensions = 4 | 8,
              .fields = fields },
    .create = create,
    .destroy = destroy,
    .solve = solve,
    .set_effort = set_effort,
};
