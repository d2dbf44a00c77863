/* auto.c - chooses a solver by size and law for every island, and goes down a chain until the certificate is granted.
 *
 *   small         lemke -> cone_ipm -> alm -> nsgs  all laws are lemke's, and its unknowns are few, or its basis is remembered
 *   polygonal     nsgs* -> alm -> lemke -> nsgs     all laws are lemke's; lemke only while its matrix is bearable
 *   convex        nsgs* -> cone_ipm -> apgd -> alm -> nsgs       all laws are those of one convex program
 *   small convex  cone_ipm -> apgd -> alm -> nsgs                the same, with few rows and velocities
 *   with moments  nsgs* -> alm -> nsgs -> alm -> nsgs                      rolling friction, with few rows
 *   other         nsgs* -> alm -> nsgs -> alm -> alm -> slip_ipm -> alm_path -> nsgs      the second pair where few sweeps were
 *                 made; alm_path where the tolerance is tight and the problem small enough for thousands of steps
 *   clustered     alm -> lemke -> nsgs, convex: cone_ipm -> alm -> nsgs      springs or dampers couple many bodies: sweeping
 *                 would need the response of all of them to every contact row; these factorise them with their active rows
 *   (* with a limited number of sweeps: as many as cost what some Newton steps do)
 *
 * The chain is chosen for each island. The first solver of a chain is asked about all islands that have it at once, as one
 * problem (the problem itself, if there is but one chain); solvers go island by island through it. Islands that it leaves above
 * the tolerance go on alone: one that is hard does not hold up others, and is not paid for by them. If it proves that there is no
 * solution, or knows that its velocities are wrong, that is about some island only: each is then asked about alone.
 *
 * The chain ends where cone_ipm has proved a convex program infeasible, or finds its velocities wrong although the residual is
 * small. Small convex programs are solved to three digits more than asked for: that costs next to nothing, and keeps bodies of
 * very different mass at rest. So are small problems with moments, to two: which of many equal distributions of forces is found
 * should not depend on where sweeps stop. apgd needs no factorisation: it takes over where that of cone_ipm does not fit into
 * memory.
 * Pivoting is exact and quickest where it is small; Gauss-Seidel is cheap and mostly enough; Newton's method in velocity
 * space (alm) settles what Gauss-Seidel only creeps towards, where its factors are affordable (descent.c). Where a guess was
 * given alm is asked twice, the second time from zero: the impulses of a step that was far longer lead nowhere. The choice
 * depends on the problem only.
 *
 * Cost   that of the solvers asked, with limits that fall with the size: some ten seconds in all, then the best iterate is
 *        returned with the outcome `max_iter`; memory only when a size is new */
#include "math/matrix.h"
#include "problem/clusters.h"
#include "problem/subproblem.h"
#include "problem/sweep.h"
#include "solvers/auto/auto_inside.h"

#include <math.h>

/* one solve */
typedef struct auto_run {
    ss_auto_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_iter;
    bool given;         /* a warm start */
    ss_islands islands; /* until a solver is asked */
    ss_island_members members;
    const ss_auto_link **chain; /* of every island with contacts; NULL: it has been solved */
    int *group, *place;         /* scratch: islands of a part; for ss_subproblem_make */
    int most_rows, culprit;     /* contact rows of the part that info->solver has solved; the contact that proves an outcome */
} auto_run;

enum { NOWHERE = -1 }; /* no link of a chain */

static const ss_field fields[] = { SS_FIELD_END };

static void destroy(ss_context *ctx, void *data)
{
    ss_auto_work *work = data;
    if (!work) {
        return;
    }
    for (int k = 0; k < SS_AUTO_SOLVERS && ss_solver_types[k]; k++) {
        ss_auto_drop(work, k);
        ss_free(ctx, work->params[k]);
    }
    ss_arena_destroy(work->arena);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    ss_auto_work *work;
    (void)params;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    SS_TRY(ss_arena_create(ctx, 4096, &work->arena));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* does a solver take these laws, and the form of A? */
static bool takes(const char *solver, unsigned laws, const ss_problem *p)
{
    const int k = ss_auto_find(solver);
    const ss_entry *info = k >= 0 ? &ss_solver_types[k]->info : NULL;
    return info && !(laws & ~info->laws) && (p->local || p->A.symmetric || !(info->needs & SS_NEEDS_SYMMETRIC_A));
}

/* Contacts that touch nothing belong to the part of island 0. */
static void count_contacts(const auto_run *run, ss_auto_case *cases)
{
    const ss_problem *p = run->problem;
    for (int k = 0; k < p->nc; k++) {
        ss_auto_case *c = &cases[run->islands.of_contact[k] >= 0 ? run->islands.of_contact[k] : 0];
        c->basis_remembered = (c->rows == 0 || c->basis_remembered) && run->given && run->solution->basis[k] != 0;
        c->laws |= p->law[k];
        c->rows += p->row[k + 1] - p->row[k];
        c->unknowns += ss_auto_unknowns_of(p, k);
    }
}

/* velocities of the islands, and which of them have a coupled cluster that is too large to be swept */
static ss_status count_velocities(const auto_run *run, ss_auto_case *cases)
{
    const ss_problem *p = run->problem;
    ss_clusters clusters = { 0 };
    if (p->local) {
        return SS_OK;
    }
    SS_TRY(ss_matrix_is_block_diagonal(&p->A) ? SS_OK : ss_clusters_find(run->work->arena, p, &clusters));
    for (int b = 0; b < p->scale.blocks; b++) {
        const int island = run->islands.of_block[b], cluster = clusters.count > 0 ? clusters.of_block[b] : -1;
        if (island < run->members.islands) {
            cases[island].velocities += p->scale.size[b];
            cases[island].clustered |=
                cluster >= 0 && clusters.coupled[cluster] && clusters.velocities[cluster] > SS_SWEPT_CLUSTER;
        }
    }
    return SS_OK;
}

static ss_status choose(auto_run *run)
{
    ss_arena *arena = run->work->arena;
    const size_t count = run->members.islands > 0 ? (size_t)run->members.islands : 1;
    ss_auto_case *cases;
    SS_TRY(ss_arena_take(arena, count, sizeof *run->chain, &run->chain));
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_arena_take(arena, count, sizeof *cases, &cases));
    count_contacts(run, cases);
    SS_TRY(count_velocities(run, cases));
    for (size_t i = 0; i < count; i++) {
        cases[i].tol = run->tol;
        cases[i].all_rows = run->problem->row[run->problem->nc];
        cases[i].all_velocities = run->problem->local ? 0 : run->problem->nv;
        cases[i].lcp = takes("lemke", cases[i].laws, run->problem);
        cases[i].convex = takes("cone_ipm", cases[i].laws, run->problem);
        run->chain[i] = ss_auto_choose(&cases[i]);
    }
    ss_arena_release(arena, mark);
    return SS_OK;
}

/* ---- answers put together -------------------------------------------------------------------------- */

/* the worse of two outcomes */
static ss_outcome worse_outcome(ss_outcome a, ss_outcome b)
{
    static const int rank[] = {
        [SS_CONVERGED] = 0, [SS_INACCURATE] = 1, [SS_MAX_ITER] = 2, [SS_BREAKDOWN] = 3, [SS_RAY] = 4, [SS_INFEASIBLE] = 5
    };
    return rank[a] >= rank[b] ? a : b;
}

static void add_choice(ss_solver_choice *sum, const ss_solver_choice *own)
{
    for (int k = 0; k < SS_CHOICES; k++) {
        sum->first[k] += own->first[k];
        sum->left[k] += own->left[k];
    }
}

/* what was found about a part goes into the sum; its solver is named if it had the most contact rows. contact: numbers of the
 * part's contacts in the whole; NULL: it is the whole */
static void add_info(auto_run *run, const ss_solver_info *own, int rows, const int *contact)
{
    ss_solver_info *sum = run->info;
    const bool proved = own->outcome == SS_RAY || own->outcome == SS_INFEASIBLE, first = !sum->basis_tried;
    if (proved && own->residual.worst >= 0) {
        run->culprit = contact ? contact[own->residual.worst] : own->residual.worst;
    }
    sum->outcome = worse_outcome(sum->outcome, own->outcome);
    sum->iterations += own->iterations;
    sum->factorisations += own->factorisations;
    sum->restarts += own->restarts;
    sum->fallbacks += own->fallbacks;
    sum->starved |= own->starved;
    sum->basis_hit = own->basis_tried ? own->basis_hit && (first || sum->basis_hit) : sum->basis_hit;
    sum->basis_tried |= own->basis_tried;
    add_choice(&sum->choice, &own->choice);
    if (rows >= run->most_rows) {
        run->most_rows = rows;
        sum->solver = own->solver;
    }
}

/* ---- parts ------------------------------------------------------------------------------------- */

static ss_auto_descent descent_of(const auto_run *run, const ss_problem *p, ss_solution *s, ss_solver_info *info)
{
    return (ss_auto_descent){ .work = run->work,
                              .problem = p,
                              .solution = s,
                              .info = info,
                              .tol = run->tol,
                              .max_iter = run->max_iter,
                              .given = run->given };
}

/* One island goes on alone from link number `from` of its chain. Behind the first link, it does so only if its certificate is not
 * granted yet; before it, it starts from nothing. */
static ss_status go_on(auto_run *run, int island, const ss_auto_link *chain, int from)
{
    ss_auto_end end = { 0 };
    ss_subproblem part;
    ss_residual residual;
    ss_solver_info own = { .residual.worst = -1 };
    SS_TRY(ss_subproblem_make(run->work->arena, run->problem, &run->members, 1, &island, run->place, &part));
    ss_subproblem_read(&part, run->solution);
    ss_auto_descent d = descent_of(run, &part.problem, &part.solution, &own);
    if (from == 0) {
        part.solution.warm = d.given = false;
    } else {
        SS_TRY(ss_residual_compute(run->work->residual, &part.problem, &part.solution, &residual));
        if (ss_residual_worst(&residual) <= run->tol) {
            return SS_OK;
        }
        SS_TRY(ss_auto_resume(&d, chain[0].solver, &residual));
    }
    SS_TRY(ss_auto_descend(&d, chain, from, &end));
    ss_subproblem_write(&part, run->solution);
    add_info(run, &own, part.rows, part.contact);
    return SS_OK;
}

/* every island of a part that is not solved yet */
static ss_status go_on_alone(auto_run *run, int count, const ss_auto_link *chain, int from)
{
    for (int i = 0; i < count; i++) {
        ss_arena_mark mark = ss_arena_save(run->work->arena);
        SS_TRY(go_on(run, run->group[i], chain, from));
        ss_arena_release(run->work->arena, mark);
    }
    return SS_OK;
}

/* The first link about all islands of a part. *from: the link from which on they go on alone; NOWHERE: they do not. A part of one
 * island, or one about which the first solver has no answer at all, goes down the chain as it is. A ray settles all: the caller
 * declines the whole problem. */
static ss_status ask_together(ss_auto_descent *d, int islands, const ss_auto_link *chain, int *from)
{
    ss_auto_end end = { 0 };
    *from = NOWHERE;
    if (islands <= 1) {
        return ss_auto_descend(d, chain, 0, &end);
    }
    SS_TRY(ss_auto_try(d, &chain[0], &end));
    if (d->failure != SS_OK) {
        return ss_auto_descend(d, chain, 1, &end);
    }
    const bool declined = end.settled && d->info->outcome == SS_RAY;
    *from = end.granted || declined ? NOWHERE : end.settled ? 0 : 1;
    return SS_OK;
}

/* run->group: the islands that have this chain, which are done with by that; returns how many */
static int gather(auto_run *run, const ss_auto_link *chain)
{
    int count = 0;
    for (int i = 0; i < run->members.islands; i++) {
        if (run->chain[i] == chain) {
            run->group[count++] = i;
            run->chain[i] = NULL;
        }
    }
    return count;
}

/* the islands with the chain of island `first`, cut out of the problem, and, with island 0, what belongs to no island */
static ss_status solve_part(auto_run *run, int first)
{
    const ss_auto_link *chain = run->chain[first];
    const int islands = gather(run, chain);
    int from;
    ss_subproblem part;
    ss_solver_info own = { .residual = { .contact = NAN, .worst = -1 } };
    run->group[islands] = run->members.islands;
    SS_TRY(
        ss_subproblem_make(run->work->arena, run->problem, &run->members, islands + (first == 0), run->group, run->place, &part));
    ss_subproblem_read(&part, run->solution);
    ss_auto_descent d = descent_of(run, &part.problem, &part.solution, &own);
    SS_TRY(ask_together(&d, islands, chain, &from));
    ss_subproblem_write(&part, run->solution);
    own.outcome = from != NOWHERE ? SS_CONVERGED : own.outcome; /* the islands that go on will say */
    add_info(run, &own, part.rows, part.contact);
    run->info->choice.parts++;
    return from != NOWHERE ? go_on_alone(run, islands, chain, from) : SS_OK;
}

/* the certificate of the whole, after its parts were solved */
static ss_status judge(auto_run *run)
{
    SS_TRY(ss_residual_compute(run->work->residual, run->problem, run->solution, &run->info->residual));
    run->info->residual.worst = run->culprit >= 0 ? run->culprit : run->info->residual.worst;
    return SS_OK;
}

/* islands with different chains: one part after the other */
static ss_status solve_parts(auto_run *run)
{
    for (int i = 0; i < run->members.islands; i++) {
        if (run->chain[i]) {
            ss_arena_mark mark = ss_arena_save(run->work->arena);
            SS_TRY(solve_part(run, i));
            ss_arena_release(run->work->arena, mark);
        }
    }
    return judge(run);
}

/* one chain for all islands: the problem is taken as it is */
static ss_status solve_whole(auto_run *run)
{
    const ss_auto_link *chain = run->chain[0];
    int from;
    ss_solver_info own = { .residual = { .contact = NAN, .worst = -1 } };
    ss_auto_descent d = descent_of(run, run->problem, run->solution, &own);
    SS_TRY(ask_together(&d, run->members.islands, chain, &from));
    run->solution->warm = run->given;
    own.outcome = from != NOWHERE ? SS_CONVERGED : own.outcome;
    add_info(run, &own, from != NOWHERE ? 0 : run->problem->row[run->problem->nc], NULL);
    run->info->residual = own.residual;
    if (from == NOWHERE) {
        return SS_OK;
    }
    const int islands = gather(run, chain);
    SS_TRY(go_on_alone(run, islands, chain, from));
    return judge(run);
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status find_islands(auto_run *run)
{
    const ss_problem *p = run->problem;
    ss_arena *arena = run->work->arena;
    const int rows = p->row[p->nc], numbers = p->local || rows > p->nv ? rows : p->nv;
    SS_TRY(ss_residual_find_islands(run->work->residual, p, &run->islands));
    SS_TRY(ss_island_members_find(arena, p, &run->islands, &run->members));
    SS_TRY(ss_arena_take(arena, (size_t)run->members.islands + 1, sizeof *run->group, &run->group));
    return ss_arena_take(arena, (size_t)numbers, sizeof *run->place, &run->place);
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    (void)ctx;
    auto_run run = { .work = data, .problem = problem, .solution = solution, .info = info, .tol = tol, .max_iter = max_iter };
    run.given = solution->warm;
    run.culprit = -1;
    ss_arena_reset(run.work->arena);
    SS_TRY(find_islands(&run));
    SS_TRY(choose(&run));
    bool one = true;
    for (int i = 1; i < run.members.islands; i++) {
        one = one && run.chain[i] == run.chain[0];
    }
    ss_status status = one ? solve_whole(&run) : solve_parts(&run);
    solution->warm = run.given;
    return status;
}

static void set_effort(void *data, unsigned effort) { ((ss_auto_work *)data)->effort = effort; }

const ss_solver_type ss_solver_auto = {
    .info = { .name = "auto",
              .title = "chooses a solver by size and law for every island, and falls back on others",
              .kind = "choice",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_ROLLING,
              .dimensions = 4 | 8,
              .fields = fields },
    .create = create,
    .destroy = destroy,
    .solve = solve,
    .set_effort = set_effort,
};
