/* nsgs.c - nonsmooth block Gauss-Seidel: every contact solved exactly in turn, with momentum.
 *
 *   sweep       for all i:  r_i <- solution of contact i, the other impulses fixed                  [sweep.c, one_contact.c]
 *   momentum    each sweep starts from where the last two point to                                 [momentum.c]
 *   frozen      where friction makes that go in circles: s_i = mu |u_T| of u^ = u + s n is fixed: a convex problem in which
 *               momentum works, solved a little better than s is known; then s goes half of the way to its new value [ACLM11]
 *
 * Islands are solved one by one, each until its sweeps move less than an inner tolerance relative to its impulses; then v and lam
 * follow from the momentum balance and the certificate is computed. If it is not granted, the inner tolerance is tightened and
 * the sweeps go on. A warm start is certified first: a guess that still solves the problem costs no sweep.
 *
 * Converges   always without friction and for the associated laws (convex), also where W is singular; with Coulomb friction in
 *             practice, without a proof. Ends after max_sweeps with the best iterate
 * Reference   [JAJ98] for the method, [AB08 ch. 13]
 * Symbols     r, u, W, H as in problem.h and residual.c
 * Cost        a sweep is linear in the entries of H (or W); docs/nsgs.md for the number of sweeps */
#include "problem/momentum.h"
#include "problem/residual.h"
#include "problem/sweep.h"
#include "solvers/solver.h"

#include "base/parallel.h"
#include "math/csr.h"
#include "math/dense.h"

#include <math.h>

/* Numbers that are relative to the tolerance, to an inner tolerance or to an error. */
static const double TIGHT = 1e-5;        /* up to this tolerance, systems at rest are solved better         */
static const double NEARLY_AT_REST = 10; /* residual in tolerances: below it nearly at rest                 */
static const double AT_REST = 1e-4;      /* fraction of the tolerance asked for there                       */
static const double LEAST_AIM = 1e-12;   /* smallest residual that is asked for                             */
static const double INNER_FALLS = 0.3;   /* the next inner tolerance is at most this fraction of the last one          */
static const double INNER_MARGIN = 0.5;  /* the next inner tolerance should lead to this fraction of aim_of()          */
static const double INNER_FROZEN = 0.3;  /* sweeps with fixed s: never tighter than this times inner_tol               */
static const double FAR = 4;             /* squares: momentum begins anew                                   */
static const double FAR_LOOSE = 2;       /* the same above TIGHT: half the sweeps of a falling pile to 1e-4 */
static const double LARGE_LOOSE = 1.5;   /* inner tolerances that a large island is swept to above TIGHT */
static const double NEAR = 4;            /* inner tolerances: below it the certificate may be granted already */
static const double GUESS = 0.1;         /* a guess within this fraction of tol is taken, whatever v_old says */

enum {
    ASK_EVERY = 30, /* sweeps after which the certificate is asked for there; it costs as much as a dozen of them */
    PATIENT = 10,   /* above TIGHT slip is held after so many times `patience` sweeps only                    */
    LARGE = 20000,  /* rows of an island from which on the residual is about .4 times the last sweep's change */
    COLOURED = 200, /* contacts from which on islands are visited by colours above TIGHT, four contacts at once */
};

typedef struct nsgs_params {
    int max_sweeps, patience, colour_above;
    bool momentum;
} nsgs_params;

static const ss_field fields[] = {
    SS_OPTION_INT(nsgs_params, max_sweeps, 20000, 1, 1e9,
                  "most sweeps over an island of contacts, if the solver's max_iter is 0"),
    SS_OPTION_BOOL(nsgs_params, momentum, true, "accelerate by extrapolating from sweep to sweep"),
    SS_OPTION_INT(
        nsgs_params, patience, 300, 1, 1e9,
        "sweeps without halving the error after which slip directions are held fixed; ten times as many above a tolerance of "
        "1e-5"),
    SS_OPTION_INT(
        nsgs_params, colour_above, 10000, 0, 1e9,
        "islands with more contacts than this are swept in coloured order, on all threads; 200 above a tolerance of 1e-5"),
    SS_FIELD_END,
};

typedef struct nsgs_work {
    ss_context *ctx;
    const nsgs_params *params;
    ss_arena *arena;
    ss_kkt *kkt;
    ss_sweep *sweep;
    ss_residual_work *residual;
} nsgs_work;

/* the iterate with the smallest residual so far */
typedef struct nsgs_best {
    double *r;
    double contact; /* its residual */
} nsgs_best;

/* one solve */
typedef struct nsgs_run {
    nsgs_work *work;
    ss_arena *arena; /* lent, or its own */
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_sweeps, nr;
    double *v_old; /* a copy */
    ss_momentum momentum;
    nsgs_best best;
    bool judged;    /* the certificate has been asked          */
    bool *reached;  /* islands: the inner tolerance of this round */
    int *sweeps;    /* islands: so far                         */
    bool *circling; /* islands: sweeps alone did not get there */
} nsgs_run;

static void destroy(ss_context *ctx, void *data)
{
    nsgs_work *work = data;
    if (!work) {
        return;
    }
    ss_arena_destroy(work->arena);
    ss_kkt_destroy(work->kkt);
    ss_sweep_destroy(work->sweep);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    nsgs_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    ss_dense_start();
    SS_TRY(ss_arena_create(ctx, 1 << 14, &work->arena));
    SS_TRY(ss_kkt_create(ctx, &work->kkt));
    SS_TRY(ss_sweep_create(ctx, &work->sweep));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- the verdict ------------------------------------------------------------------------------ */

/* the certificate of r; the best iterate is kept */
static ss_status judge(nsgs_run *run)
{
    SS_TRY(ss_kkt_recover(run->work->kkt, run->problem, run->solution));
    SS_TRY(run->judged ? ss_residual_again(run->work->residual, run->problem, run->solution, &run->info->residual)
                       : ss_residual_compute(run->work->residual, run->problem, run->solution, &run->info->residual));
    run->judged = true;
    if (run->info->residual.contact <= run->best.contact) {
        run->best.contact = run->info->residual.contact;
        memcpy(run->best.r, run->solution->r, (size_t)run->nr * sizeof *run->best.r);
    }
    return SS_OK;
}

static bool is_granted(const nsgs_run *run) { return ss_residual_worst(&run->info->residual) <= run->tol; }

/* ---- an island -------------------------------------------------------------------------------- */

/* an island that is swept: small ones several at a time */
typedef struct nsgs_island {
    nsgs_run *run;
    int island;
    ss_momentum momentum;
} nsgs_island;

/* convex problems with the slip held, until the slip agrees with what it was; the island stays frozen */
static void iterate_frozen(nsgs_island *x, double inner_tol)
{
    const double part = 0.5, better = 0.1; /* s moves by `part` of the way; sweeps leave `better` of the error of s */
    nsgs_run *run = x->run;
    ss_sweep *sweep = run->work->sweep;
    ss_momentum *momentum = &x->momentum;
    const ss_momentum_progress *now = &momentum->now;
    int *sweeps = &run->sweeps[x->island];
    double wrong = INFINITY, inner = better;
    while (*sweeps < run->max_sweeps && !(wrong <= inner_tol && now->error <= inner_tol)) {
        ss_sweep_start(sweep, x->island, momentum->rows.r);
        wrong = ss_sweep_freeze(sweep, x->island, part, momentum->rows.r) / (now->size > 0 ? now->size : 1);
        inner = fmax(INNER_FROZEN * inner_tol, fmin(inner, better * wrong));
        ss_momentum_start(momentum);
        ss_momentum_iterate(momentum, inner, sweeps, run->max_sweeps, run->max_sweeps);
        if (!(now->error <= inner)) {
            ss_momentum_take_best(momentum);
        }
        if (isnan(now->error) || ss_is_interrupted(run->work->ctx)) {
            break;
        }
    }
}

/* Is it worth asking for the certificate while the island is swept? Not if it is one of many, and not where a small residual is
 * asked for, which the changes tell as well. */
static bool is_watched(const nsgs_run *run, int rows) { return run->tol > TIGHT && 2 * rows >= run->nr; }

/* some sweeps: until the certificate may be granted, then ASK_EVERY of them at a time */
static ss_status iterate_some(nsgs_island *x, double inner_tol, int patience, bool *granted)
{
    nsgs_run *run = x->run;
    ss_momentum *momentum = &x->momentum;
    int *sweeps = &run->sweeps[x->island], limit = run->max_sweeps;
    const bool watched = is_watched(run, momentum->count), near = watched && momentum->now.error <= NEAR * inner_tol;
    limit = near && limit > *sweeps + ASK_EVERY ? *sweeps + ASK_EVERY : limit;
    ss_momentum_iterate(momentum, watched && !near ? NEAR * inner_tol : inner_tol, sweeps, limit, patience);
    if (near && momentum->now.error > inner_tol) {
        ss_momentum_close(momentum, run->solution->r);
        SS_TRY(judge(run));
        *granted = ss_residual_worst(&run->info->residual) <= INNER_MARGIN * run->tol;
    }
    return SS_OK;
}

/* Sweeps with momentum; *granted: the certificate was, before the changes were small. A sweep also takes back what momentum has
 * overshot: its change is more than the error that it leaves. */
static ss_status iterate(nsgs_island *x, double inner_tol, bool *granted)
{
    nsgs_run *run = x->run;
    const ss_momentum_progress *now = &x->momentum.now;
    const int *sweeps = &run->sweeps[x->island], patience = (run->tol > TIGHT ? PATIENT : 1) * run->work->params->patience;
    bool going = true;
    ss_momentum_start(&x->momentum);
    while (going) {
        SS_TRY(iterate_some(x, inner_tol, patience, granted));
        going = !*granted && now->error > inner_tol && *sweeps < run->max_sweeps && now->idle < patience &&
                !ss_is_interrupted(run->work->ctx);
    }
    if (!*granted && !(now->error <= inner_tol)) {
        ss_momentum_take_best(&x->momentum);
    }
    return SS_OK;
}

/* Note whether the island reaches the inner tolerance `tol`, a large one LARGE_LOOSE times that, or its certificate, within its
 * sweeps. */
static ss_status solve_island(nsgs_run *run, int island, double tol)
{
    nsgs_island x = { .run = run, .island = island, .momentum = run->momentum };
    const ss_momentum_progress *now = &x.momentum.now;
    bool granted = false;
    ss_momentum_open(&x.momentum, island, run->solution->r);
    const double inner_tol = run->tol > TIGHT && x.momentum.count > LARGE ? LARGE_LOOSE * tol : tol;
    if (!run->circling[island]) {
        SS_TRY(iterate(&x, inner_tol, &granted));
    }
    if (!granted && !(now->error <= inner_tol)) {
        run->circling[island] = true;
        iterate_frozen(&x, inner_tol);
    }
    ss_momentum_close(&x.momentum, run->solution->r);
    run->reached[island] = granted || now->error <= inner_tol;
    return SS_OK;
}

/* Is an island swept beside others? Larger ones are swept by all threads, and one that is watched asks for the certificate. */
static bool is_small(const nsgs_run *run, int island)
{
    enum { ROWS = 600 };
    const int *row, rows = ss_sweep_rows(run->work->sweep, island, &row);
    return rows <= ROWS && !is_watched(run, rows);
}

typedef struct small_islands {
    nsgs_run *run;
    double inner_tol;
} small_islands;

/* Small islands touch nothing of each other: neither impulses nor velocities. */
static void solve_small(void *data, int begin, int end)
{
    const small_islands *all = data;
    for (int i = begin; i < end && !ss_is_interrupted(all->run->work->ctx); i++) {
        if (is_small(all->run, i)) {
            solve_island(all->run, i, all->inner_tol); /* cannot fail: it is not watched */
        }
    }
}

/* all islands to an inner tolerance; *reached: within their sweeps */
static ss_status solve_islands(nsgs_run *run, double inner_tol, bool *reached)
{
    enum { GRAIN = 16 };
    const int islands = ss_sweep_islands(run->work->sweep);
    small_islands small = { run, inner_tol };
    ss_parallel_for(run->work->ctx, islands, GRAIN, solve_small, &small);
    for (int i = 0; i < islands; i++) {
        SS_TRY(is_small(run, i) ? SS_OK : solve_island(run, i, inner_tol));
        *reached = *reached && run->reached[i];
    }
    return ss_check_interrupt(run->work->ctx);
}

/* the best iterate, if the last one is not; nothing at all if none has finite numbers */
static ss_status settle(nsgs_run *run)
{
    if (run->info->residual.contact <= run->best.contact && run->best.contact < INFINITY) {
        return SS_OK;
    }
    for (int i = 0; i < run->nr; i++) {
        run->solution->r[i] = run->best.contact < INFINITY ? run->best.r[i] : 0;
    }
    return judge(run);
}

static int most_sweeps(const nsgs_run *run)
{
    int most = 0;
    for (int i = 0; i < ss_sweep_islands(run->work->sweep); i++) {
        most = run->sweeps[i] > most ? run->sweeps[i] : most;
    }
    return most;
}

/* The residual that is asked for. An error that is left comes back in the next step: with a tight tolerance a system nearly at
 * rest is solved far better, if some more sweeps (MORE) can do it; the following steps then find it solved already. */
static double aim_of(const nsgs_run *run)
{
    bool rests = run->tol <= TIGHT && run->info->residual.contact <= NEARLY_AT_REST * run->tol;
    return rests ? fmin(run->tol, fmax(AT_REST * run->tol, LEAST_AIM)) : run->tol;
}

/* all islands to an inner tolerance, the certificate, then a tighter inner tolerance. Only the contact residual is compared:
 * momentum and joints are solved by kkt, and sweeps cannot reduce their residuals */
static ss_status rounds(nsgs_run *run)
{
    enum { ROUNDS = 20, MORE = 10 };
    double aim = aim_of(run), inner_tol = run->tol;
    bool reached = true;
    for (int k = 0; k < ROUNDS && reached && ss_residual_worst(&run->info->residual) > aim; k++) {
        int enough = most_sweeps(run) + MORE;
        run->max_sweeps = is_granted(run) && run->max_sweeps > enough ? enough : run->max_sweeps;
        SS_TRY(solve_islands(run, inner_tol, &reached));
        SS_TRY(judge(run));
        reached = reached && run->info->residual.contact > aim;
        inner_tol *= fmin(INNER_FALLS, INNER_MARGIN * aim / run->info->residual.contact);
    }
    return settle(run);
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take(nsgs_run *run)
{
    ss_arena *arena = run->arena;
    SS_TRY(ss_momentum_take(&run->momentum, arena, run->nr));
    SS_TRY(ss_arena_take_raw(arena, (size_t)run->nr, sizeof *run->best.r, &run->best.r));
    SS_TRY(ss_arena_take_raw(arena, (size_t)run->problem->nv, sizeof *run->v_old, &run->v_old));
    SS_TRY(ss_arena_take(arena, (size_t)run->problem->nc, sizeof *run->sweeps, &run->sweeps));
    SS_TRY(ss_arena_take(arena, (size_t)run->problem->nc, sizeof *run->reached, &run->reached));
    return ss_arena_take(arena, (size_t)run->problem->nc, sizeof *run->circling, &run->circling);
}

/* the guess where it is one */
static void open_impulses(const nsgs_run *run)
{
    double *r = run->solution->r;
    for (int i = 0; i < run->nr; i++) {
        r[i] = run->solution->warm && isfinite(r[i]) ? r[i] : 0;
    }
}

/* contacts that cannot move have no impulse */
static void clear_immobile_contacts(const nsgs_run *run)
{
    const double *d = ss_sweep_weights(run->work->sweep);
    for (int i = 0; i < run->nr; i++) {
        run->solution->r[i] = d[i] > 0 ? run->solution->r[i] : 0;
    }
}

static ss_status factor(nsgs_run *run)
{
    if (run->problem->local) {
        return SS_OK;
    }
    run->info->factorisations++;
    return ss_kkt_factor(run->work->kkt, run->problem);
}

/* Does the guess solve the problem as it is? Not if its residual exceeds that of the old velocities by GUESS tol: if it were
 * accepted in every step, the effect of a small unbalanced force would add up. With a tight tolerance, not if it exceeds GUESS
 * tol at all: impulses that stay the same do not hold up a stack, whose errors grow from step to step. A few sweeps take them
 * away while they are small, hundreds do not once they have reached the tolerance. */
static ss_status try_guess(nsgs_run *run, bool *holds)
{
    ss_solution before = *run->solution;
    ss_residual residual = { 0 };
    SS_TRY(judge(run));
    const bool near = !run->problem->v_old || run->info->residual.contact <= GUESS * run->tol;
    *holds = is_granted(run) && (near || run->tol > TIGHT);
    if (*holds && !near) {
        before.v = run->v_old;
        memcpy(before.v, run->problem->v_old, (size_t)run->problem->nv * sizeof *before.v);
        SS_TRY(ss_residual_again(run->work->residual, run->problem, &before, &residual));
        *holds = run->info->residual.contact <= residual.contact + GUESS * run->tol;
    }
    return SS_OK;
}

static ss_status refuse_large_clusters(const nsgs_run *run)
{
    const ss_sweep *sweep = run->work->sweep;
    for (int island = 0; island < ss_sweep_islands(sweep); island++) {
        const int *row;
        int rows = ss_sweep_rows(sweep, island, &row);
        if (!ss_sweep_takes(sweep, island)) {
            return ss_fail(
                run->work->ctx, SS_ERR_UNSUPPORTED,
                "solver nsgs: %d contact rows act on bodies that springs or joints tie into clusters too large to sweep; "
                "use alm",
                rows);
        }
    }
    return SS_OK;
}

static ss_status sweep_to_rest(nsgs_run *run)
{
    nsgs_work *work = run->work;
    bool local = run->problem->local;
    const int above = work->params->colour_above;
    const bool loose = run->tol > TIGHT;
    const ss_sweep_options options = { .colour_above = loose && above > COLOURED ? COLOURED : above, .single = loose };
    SS_TRY(ss_sweep_prepare(work->sweep, run->problem, local ? NULL : work->kkt, &options, run->arena));
    SS_TRY(refuse_large_clusters(run));
    clear_immobile_contacts(run);
    SS_TRY(rounds(run));
    run->info->iterations = most_sweeps(run);
    return SS_OK;
}

static ss_status solve_in(nsgs_run *run)
{
    bool holds = false;
    SS_TRY(take(run));
    SS_TRY(factor(run));
    open_impulses(run);
    run->info->residual.contact = INFINITY;
    SS_TRY(run->solution->warm ? try_guess(run, &holds) : SS_OK);
    SS_TRY(holds ? SS_OK : sweep_to_rest(run));
    run->info->outcome = is_granted(run) ? SS_CONVERGED : run->best.contact > run->tol ? SS_MAX_ITER : SS_INACCURATE;
    return SS_OK;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    nsgs_work *work = data;
    nsgs_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .best.contact = INFINITY };
    run.momentum =
        (ss_momentum){ .ctx = ctx, .sweep = work->sweep, .off = !work->params->momentum, .far = tol > TIGHT ? FAR_LOOSE : FAR };
    run.max_sweeps = max_iter > 0 ? max_iter : work->params->max_sweeps;
    run.nr = problem->row[problem->nc];
    ss_arena_reset(work->arena);
    run.arena = ss_context_lent(ctx) ? ss_context_lent(ctx) : work->arena;
    const ss_arena_mark mark = ss_arena_save(run.arena);
    const ss_status status = solve_in(&run);
    ss_arena_release(run.arena, mark);
    return status;
}

const ss_solver_type ss_solver_nsgs = {
    .info = { .name = "nsgs",
              .title = "nonsmooth Gauss-Seidel, contact by contact, with momentum",
              .reference = "JAJ98",
              .kind = "splitting",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_ROLLING,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(nsgs_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
