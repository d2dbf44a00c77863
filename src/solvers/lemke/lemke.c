/* lemke.c - the contact problem by complementary pivoting.
 *
 *   joints eliminated:  u = W r + q,  W = H K^-1 H',  q = H v_free + w          [AP97 (A.4)]
 *   polygonal friction as an LCP, solved by Lemke's method in contact space      [AP97 (2.10)-(2.13), Theorem 2.2]
 *   then v, lam from  A v - G' lam = b + H' r,  G v = c                          [AP97 (2.8)-(2.9)]
 *
 * Islands are separate LCPs. The basis of last time, if given, is tried first with one linear solve [AP97 section 6];
 * when it is not the solution, the path may start from it (`advance`).
 * Refinement: u = H v + w from the recovered v differs from W r + q by the round-off of W, which mass ratios make
 * large against small u; q is corrected by that difference and the same basis solved again, until it stops falling.
 * A certificate that is still not granted brings a path from all w with another covering vector, then the best
 * iterate is returned, whatever it is worth.
 * Converges   always, for positive definite A (symmetric part), mu >= 0 and w = 0 up to round-off; otherwise it may
 *             end on a ray. It is reported as one if its impulses balance themselves and work against the offsets; else
 *             round-off has made it, and the outcome is max_iter
 * The certificate left in info is that of what is returned.
 * Cost        W of each island once; a given basis that is right: (basic unknowns)^3/3 and a few products with W; otherwise a
 *             pivot costs (unknowns) x (basic ones). Memory only when a size is new                  */
#include "base/tolerances.h"
#include "math/dense.h"
#include "problem/islands.h"
#include "problem/residual.h"
#include "solvers/lemke/lcp.h"
#include "solvers/lemke/pivot.h"
#include "solvers/solver.h"

#include "math/csr.h"

#include <math.h>

typedef struct lemke_params {
    int max_pivots, refactor, restarts;
    double pivot_tol, tie_tol;
    bool reuse, advance;
} lemke_params;

static const ss_field fields[] = {
    SS_OPTION_INT(lemke_params, max_pivots, 0, 0, 1e9, "most pivots in one attempt; 0: 100 + 20 per unknown"),
    SS_OPTION_INT(lemke_params, refactor, 60, 1, 1e6, "pivots between two new factorisations of the basis"),
    SS_OPTION_INT(lemke_params, restarts, 12, 0, 1000, "further attempts if round-off spoils the first"),
    SS_OPTION_NUMBER(lemke_params, pivot_tol, 1e-11, 0, 1e-3, "smallest pivot accepted, relative to its column"),
    SS_OPTION_NUMBER(lemke_params, tie_tol, 1e-12, 0, 1e-3,
                     "ratios that differ by less than this count as ties, relative to the largest value"),
    SS_OPTION_BOOL(lemke_params, reuse, true, "warm start: try the basis of the previous step first"),
    SS_OPTION_BOOL(lemke_params, advance, true, "if that basis is not a solution, start the pivoting from it"),
    SS_FIELD_END,
};

typedef struct lemke_work {
    ss_context *ctx;
    const lemke_params *params;
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_residual_work *residual;
} lemke_work;

/* what the LCPs see, by contact row */
typedef struct lemke_velocities {
    double *shift;  /* correction of q        */
    double *q;      /* with that correction   */
    double *u;      /* W r + q                */
    double *ray;    /* r of a ray             */
    double *of_ray; /* W r + q of it         */
} lemke_velocities;

/* the iterate with the smallest residual so far */
typedef struct lemke_best {
    double residual;
    double *r;
    uint64_t *basis;
} lemke_best;

/* one LCP for each island that has contacts that can move */
typedef struct lemke_lcps {
    int count;
    ss_lcp *lcp;
    int *first, *contact; /* contacts of island k: contact[first[k]] .. contact[first[k+1]-1] */
} lemke_lcps;

typedef struct lemke_attempt {
    uint64_t seed;
    bool basis_known; /* solution->basis is worth trying                 */
    bool refining;    /* only the values of the basis at hand are sought */
} lemke_attempt;

/* one solve */
typedef struct lemke_run {
    lemke_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_iter, nr;
    ss_islands islands;
    lemke_lcps lcps;
    lemke_velocities velocity;
    lemke_attempt attempt;
    double now; /* residual of the iterate judged last */
    lemke_best best;
} lemke_run;

static void destroy(ss_context *ctx, void *data)
{
    lemke_work *work = data;
    if (!work) {
        return;
    }
    ss_arena_destroy(work->arena);
    ss_kkt_destroy(work->kkt);
    ss_delassus_destroy(work->delassus);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    lemke_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    ss_dense_start();
    SS_TRY(ss_arena_create(ctx, 1 << 16, &work->arena));
    SS_TRY(ss_kkt_create(ctx, &work->kkt));
    SS_TRY(ss_delassus_create(ctx, &work->delassus));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- one island ------------------------------------------------------------------------------- */

static ss_pivot_options pivot_options(const lemke_run *run)
{
    const lemke_params *p = run->work->params;
    ss_pivot_options o = ss_pivot_options_default();
    o.ctx = run->work->ctx;
    o.max_pivots = run->max_iter > 0 ? run->max_iter : p->max_pivots;
    o.refactor = p->refactor;
    o.restarts = p->restarts;
    o.pivot_tol = p->pivot_tol;
    o.tie_tol = p->tie_tol;
    o.advance = p->advance;
    o.settle = run->attempt.refining;
    o.seed = run->attempt.seed;
    return o;
}

/* the worse of two outcomes, in the order converged < max_iter < ray */
static void note_end(ss_solver_info *info, ss_pivot_end end)
{
    if (end == SS_PIVOT_RAY) {
        info->outcome = SS_RAY;
    } else if (end == SS_PIVOT_LIMIT && info->outcome != SS_RAY) {
        info->outcome = SS_MAX_ITER;
    }
}

/* does the contact touch anything? */
static bool can_move(const lemke_run *run, int k)
{
    double scale = 0;
    for (int i = run->problem->row[k]; i < run->problem->row[k + 1]; i++) {
        scale += ss_delassus_scale(run->work->delassus, i);
    }
    return run->islands.of_contact[k] >= 0 && scale > 0;
}

/* the contacts of each island, in their order; counted into first[island + 2], so that first[island + 1] is where to
 * write next */
static void sort_contacts(lemke_run *run)
{
    const int *island = run->islands.of_contact;
    for (int k = 0; k < run->problem->nc; k++) {
        if (can_move(run, k)) {
            run->lcps.first[island[k] + 2]++;
        }
    }
    for (int i = 2; i <= run->islands.count + 1; i++) {
        run->lcps.first[i] += run->lcps.first[i - 1];
    }
    for (int k = 0; k < run->problem->nc; k++) {
        if (can_move(run, k)) {
            run->lcps.contact[run->lcps.first[island[k] + 1]++] = k;
        }
    }
}

/* W and q of every island: they stay while r is sought */
static ss_status build_islands(lemke_run *run)
{
    ss_arena *arena = run->work->arena;
    SS_TRY(ss_arena_take(arena, (size_t)run->islands.count + 2, sizeof *run->lcps.first, &run->lcps.first));
    SS_TRY(ss_arena_take_raw(arena, (size_t)run->islands.count, sizeof *run->lcps.lcp, &run->lcps.lcp));
    sort_contacts(run);
    for (int i = 0; i < run->islands.count; i++) {
        int contacts = run->lcps.first[i + 1] - run->lcps.first[i];
        if (contacts > 0) {
            SS_TRY(ss_lcp_build(arena, run->problem, run->work->delassus, contacts, run->lcps.contact + run->lcps.first[i],
                                &run->lcps.lcp[run->lcps.count++]));
        }
    }
    return SS_OK;
}

static bool basis_given(const lemke_run *run, const ss_lcp *lcp)
{
    for (int a = 0; a < lcp->n; a++) {
        if (!(run->solution->basis[lcp->unknown[a].contact] & SS_LCP_BASIS_KNOWN)) {
            return false;
        }
    }
    return run->attempt.basis_known;
}

/* Do impulses along the ray balance themselves, W r = 0, and work against the offsets, q . r < 0? Then it is no artefact of
 * round-off: r may grow for ever without changing u, and no u of the dual cones exists. */
static bool is_proof(const lemke_run *run, const ss_lcp *lcp, const double *ray)
{
    double *r = run->velocity.ray, *u = run->velocity.of_ray, work = 0, size = 0;
    ss_lcp_impulses(lcp, ray, r, u);
    for (int i = 0; i < lcp->rows; i++) {
        int row = lcp->row[i];
        double terms = 0;
        for (int j = 0; j < lcp->rows; j++) {
            terms += fabs(lcp->W[(size_t)i + (size_t)lcp->rows * (size_t)j] * r[lcp->row[j]]);
        }
        if (!(fabs(u[row] - lcp->w[i]) <= SS_TOL_INFEASIBLE * terms)) {
            return false;
        }
        work += lcp->w[i] * r[row];
        size += fabs(lcp->w[i] * r[row]);
    }
    return work < -SS_TOL_INFEASIBLE * size;
}

static void note_result(ss_solver_info *info, const ss_pivot_result *result, bool known)
{
    info->iterations += result->pivots;
    info->factorisations += result->factorisations;
    info->restarts += result->restarts;
    info->basis_tried = info->basis_tried || known;
    info->basis_hit = info->basis_hit && result->basis_hit;
    note_end(info, result->end);
}

/* one LCP: r, u and basis of its contacts */
static ss_status solve_lcp(lemke_run *run, ss_lcp *lcp)
{
    ss_arena *arena = run->work->arena;
    ss_pivot_options options = pivot_options(run);
    ss_pivot_matrix matrix = ss_lcp_matrix(lcp);
    ss_pivot_result result;
    bool *basic, known = basis_given(run, lcp);
    double *z;
    SS_TRY(ss_arena_take(arena, (size_t)lcp->n, sizeof *basic, &basic));
    SS_TRY(ss_arena_take_raw(arena, (size_t)lcp->n, sizeof *z, &z));
    if (known) {
        ss_lcp_basis_read(lcp, run->solution->basis, basic);
    }
    ss_lcp_shift(lcp, run->velocity.shift);
    SS_TRY(ss_check_interrupt(run->work->ctx));
    SS_TRY(ss_pivot_solve(arena, &options, &matrix, lcp->q, known, basic, z, &result));
    SS_TRY(ss_check_interrupt(run->work->ctx));
    ss_lcp_impulses(lcp, z, run->solution->r, run->velocity.u);
    for (int i = 0; i < lcp->rows; i++) {
        run->velocity.q[lcp->row[i]] = lcp->w[i];
    }
    if (result.end == SS_PIVOT_SOLVED) {
        ss_lcp_basis_write(lcp, basic, run->solution->basis);
    }
    if (result.end == SS_PIVOT_RAY && !is_proof(run, lcp, result.ray)) {
        result.end = SS_PIVOT_LIMIT;
    }
    note_result(run->info, &result, known);
    return SS_OK;
}

static ss_status solve_islands(lemke_run *run)
{
    run->info->outcome = SS_CONVERGED;
    run->info->basis_hit = true;
    for (int i = 0; i < run->nr; i++) {
        run->solution->r[i] = 0;
    }
    for (int k = 0; k < run->lcps.count; k++) {
        ss_arena_mark mark = ss_arena_save(run->work->arena);
        ss_status status = solve_lcp(run, &run->lcps.lcp[k]);
        ss_arena_release(run->work->arena, mark);
        SS_TRY(status);
    }
    return SS_OK;
}

/* ---- the verdict ------------------------------------------------------------------------------ */

/* the certificate; the iterate is kept as the best if it is better than the last best, or well within tol */
static ss_status judge(lemke_run *run)
{
    const double well = 1e-2; /* of tol */
    SS_TRY(ss_residual_compute(run->work->residual, run->problem, run->solution, &run->info->residual));
    run->now = run->info->residual.contact; /* momentum and joints are the kkt's: no pivot can mend them */
    if (run->now < run->best.residual || run->now <= well * run->tol) {
        run->best.residual = run->now;
        for (int i = 0; i < run->nr; i++) {
            run->best.r[i] = run->solution->r[i];
        }
        for (int k = 0; k < run->problem->nc; k++) {
            run->best.basis[k] = run->solution->basis[k];
        }
    }
    return SS_OK;
}

static ss_status restore_best(lemke_run *run)
{
    for (int i = 0; i < run->nr; i++) {
        run->solution->r[i] = run->best.r[i];
    }
    for (int k = 0; k < run->problem->nc; k++) {
        run->solution->basis[k] = run->best.basis[k];
    }
    SS_TRY(ss_kkt_recover(run->work->kkt, run->problem, run->solution));
    return ss_residual_compute(run->work->residual, run->problem, run->solution, &run->info->residual);
}

/* how far the u of the LCP is from H v + w, scaled row by row, against the largest u of either */
static double mismatch(const lemke_run *run)
{
    double off = 0, size = 0;
    for (int i = 0; i < run->nr; i++) {
        double d = ss_delassus_scale(run->work->delassus, i), root = d > 0 ? 1 / sqrt(d) : 0;
        off = fmax(off, root * fabs(run->solution->u[i] - run->velocity.u[i]));
        size = fmax(size, root * fmax(fabs(run->velocity.q[i]), fabs(run->velocity.u[i])));
    }
    return size > 0 ? off / size : 0;
}

/* q takes the difference between H v + w and the u that the LCP saw; the basis at hand is solved again */
static ss_status refine(lemke_run *run)
{
    enum { ROUNDS = 8 };
    const double falls = 0.5; /* the difference must fall by this factor in a round, or refinement ends */
    bool given = run->attempt.basis_known, hit = run->info->basis_hit, tried = run->info->basis_tried;
    double before = INFINITY, now = mismatch(run);
    if (now > SS_TOL_ROUND_OFF) { /* something to come back to */
        SS_TRY(judge(run));
    }
    run->attempt.basis_known = run->attempt.refining = true;
    for (int round = 0; round < ROUNDS && now > SS_TOL_ROUND_OFF && now < falls * before; round++) {
        for (int i = 0; i < run->nr; i++) {
            run->velocity.shift[i] += run->solution->u[i] - run->velocity.u[i];
        }
        SS_TRY(solve_islands(run));
        SS_TRY(ss_kkt_recover(run->work->kkt, run->problem, run->solution));
        before = now;
        now = mismatch(run);
    }
    run->attempt.basis_known = given;
    run->attempt.refining = false;
    run->info->basis_hit = hit;
    run->info->basis_tried = tried;
    return SS_OK;
}

/* solve, refine; if the certificate is not granted, again from scratch with another covering vector */
static ss_status attempts(lemke_run *run)
{
    enum { ATTEMPTS = 3 };
    for (int k = 0; k < ATTEMPTS; k++) {
        run->attempt.seed = (uint64_t)k;
        run->attempt.basis_known = k == 0 && run->solution->warm && run->work->params->reuse;
        for (int i = 0; i < run->nr; i++) {
            run->velocity.shift[i] = 0;
        }
        SS_TRY(solve_islands(run));
        SS_TRY(ss_kkt_recover(run->work->kkt, run->problem, run->solution));
        if (run->info->outcome == SS_CONVERGED) {
            SS_TRY(refine(run));
        }
        SS_TRY(judge(run));
        if (run->best.residual <= run->tol || run->info->outcome == SS_RAY) {
            break;
        }
        run->info->restarts++;
    }
    return run->now <= run->best.residual ? SS_OK : restore_best(run);
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take(lemke_run *run)
{
    ss_arena *arena = run->work->arena;
    size_t nr = (size_t)run->nr, nc = (size_t)run->problem->nc;
    SS_TRY(ss_arena_take_raw(arena, nr, sizeof *run->velocity.shift, &run->velocity.shift));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->velocity.q, &run->velocity.q));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->velocity.u, &run->velocity.u));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->velocity.ray, &run->velocity.ray));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->velocity.of_ray, &run->velocity.of_ray));
    SS_TRY(ss_arena_take_raw(arena, nr, sizeof *run->best.r, &run->best.r));
    SS_TRY(ss_arena_take_raw(arena, nc, sizeof *run->best.basis, &run->best.basis));
    return ss_arena_take_raw(arena, nc, sizeof *run->lcps.contact, &run->lcps.contact);
}

/* bases that hold nothing or are not to be used */
static void open_bases(const lemke_run *run)
{
    for (int k = 0; k < run->problem->nc && !run->solution->warm; k++) {
        run->solution->basis[k] = 0;
    }
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    lemke_work *work = data;
    lemke_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .max_iter = max_iter };
    run.nr = problem->row[problem->nc];
    run.best.residual = INFINITY;
    SS_TRY(ss_lcp_check(ctx, problem));
    ss_arena_reset(work->arena);
    SS_TRY(take(&run));
    SS_TRY(ss_islands_find(work->arena, problem, &run.islands));
    if (!problem->local) {
        SS_TRY(ss_kkt_factor(work->kkt, problem));
        info->factorisations++;
    }
    SS_TRY(ss_delassus_prepare(work->delassus, problem, problem->local ? NULL : work->kkt));
    SS_TRY(build_islands(&run));
    open_bases(&run);
    SS_TRY(attempts(&run));
    info->basis_hit = info->basis_hit && info->basis_tried;
    return SS_OK;
}

const ss_solver_type ss_solver_lemke = {
    .info = { .name = "lemke",
              .title = "Lemke's method in contact space, polygonal friction",
              .reference = "AP97",
              .kind = "pivoting",
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_BOUNDED,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(lemke_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
