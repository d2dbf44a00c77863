/* apgd.c - accelerated projected gradient for convex contact laws, island by island side by side.
 *
 *   min over x in K of  f(x) = 1/2 x' N x + p' x,  g(x) = N x + p;   x = sqrt(d) r, g = u/sqrt(d), joints eliminated [dual.c]
 *
 *   x+        = P_K( y - g(y)/L )
 *   test      s' N s <= L s' s,  s = x+ - y;  f is quadratic: this is f(x+) <= f(y) + g(y)'s + L/2 s's. If it fails L grows
 *             to the quotient that was seen, by 1.3 at least, and the step is tried again
 *   momentum  y+ = x+ + beta (x+ - x),  beta = (t - 1)/t+,  t+ = (1 + sqrt(1 + 4 t^2))/2                      [Nes83, BT09]
 *   restart   if (y - x+).(x+ - x) > 0: t = 1, and L becomes 0.7 L, to be found anew where the contacts are now       [OC15]
 *
 * g is affine, g(y+) = g(x+) + beta (g(x+) - g(x)): an iteration is one gradient and one projection, a step that is refused
 * included. g(x+) is always made from x+ itself, nothing drifts.
 * Every island has its own L, t and restarts, and is left alone as soon as it is solved. x - P_K(x - g(x)) is the natural map of
 * the certificate: it is looked at every few iterations, and the best iterate is kept. The true certificate comes last; if it is
 * not granted, the inner tolerance is tightened and the islands go on from where they are. A guess must be ten times better than
 * asked to be taken as it is: its errors would add up if every step took over the impulses of the step before.
 *
 * Converges   f - f* falls as 1/k^2 without restarts, also where N is singular; the restarts are a heuristic
 * Reference   H. Mazhar, T. Heyn, D. Negrut, A. Tasora, ACM Trans. Graph. 34 (2015) 32 [MHNT15] for the method on contacts;
 *             [Nes83]; A. Beck, M. Teboulle, SIAM J. Imaging Sci. 2 (2009) 183 [BT09];
 *             B. O'Donoghue, E. Candes, Found. Comput. Math. 15 (2015) 715 [OC15]
 * Deviates    from [MHNT15]: scaled variables; islands; joints by elimination; L from the curvature, falls at restarts only
 * Cost        an iteration is linear in the entries of H, docs/apgd.md for their number; memory only when a size is new */
#include "base/tolerances.h"
#include "math/csr.h"
#include "math/worse.h"
#include "problem/islands.h"
#include "solvers/apgd/apgd_inside.h"
#include "solvers/solver.h"

#include <float.h>
#include <math.h>

static const double GUESS = 0.1;       /* a guess within this fraction of the inner tolerance is taken as it is         */
static const double OUTSIDE = 2;       /* any other guess counts as this many inner tolerances: not solved yet         */
static const double GOAL_FALLS = 0.3;  /* the next inner tolerance is at most this fraction of the last one            */
static const double GOAL_MARGIN = 0.5; /* the next inner tolerance should lead to this fraction of the tolerance       */

static const ss_field fields[] = {
    SS_OPTION_INT(apgd_params, max_iterations, 20000, 1, 1e9,
                  "most iterations for an island of contacts, if the solver's max_iter is 0"),
    SS_OPTION_INT(apgd_params, check, 10, 1, 1e6, "iterations between two evaluations of the residual"),
    SS_FIELD_END,
};

static void destroy(ss_context *ctx, void *data)
{
    apgd_work *work = data;
    if (!work) {
        return;
    }
    ss_arena_destroy(work->arena);
    ss_kkt_destroy(work->kkt);
    ss_dual_destroy(work->dual);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    apgd_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    SS_TRY(ss_arena_create(ctx, 1 << 14, &work->arena));
    SS_TRY(ss_kkt_create(ctx, &work->kkt));
    SS_TRY(ss_dual_create(ctx, &work->dual));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- how good is x ---------------------------------------------------------------------------- */

static double norm(int n, const double *x)
{
    double s = 0;
    for (int k = 0; k < n; k++) {
        s += x[k] * x[k];
    }
    return sqrt(s);
}

/* |x - P_K(x - g)| of contact k */
static double natural_map(const apgd_run *run, int k)
{
    int first = run->problem->row[k], rows = run->problem->row[k + 1] - first;
    const double *x = run->at.x + first, *g = run->at.g + first;
    double z[3];
    for (int i = 0; i < rows; i++) {
        z[i] = x[i] - g[i];
    }
    ss_dual_project(run->work->dual, k, z);
    for (int i = 0; i < rows; i++) {
        z[i] -= x[i];
    }
    return norm(rows, z);
}

/* the certificate of the contacts by the gradient at hand */
static void look(apgd_run *run)
{
    const int *row = run->problem->row;
    for (int i = 0; i < run->islands.count; i++) {
        run->islands.island[i].number = 0;
        run->islands.island[i].scale = run->islands.island[i].given;
    }
    for (int e = 0; e < run->open.count; e++) {
        int k = run->open.contact[e];
        apgd_island *I = apgd_island_of(run, k);
        double number = natural_map(run, k);
        I->number = ss_worse(I->number, number <= run->contacts.floor[k] ? 0 : number);
        I->scale = ss_worse(I->scale, norm(row[k + 1] - row[k], run->at.x + row[k]));
    }
    for (int i = 0; i < run->islands.count; i++) {
        apgd_island *I = &run->islands.island[i];
        double quotient = I->number == 0 ? 0 : I->number / I->scale;
        I->better = I->open && quotient < I->best;
        I->best = I->better ? quotient : I->best;
    }
}

/* keep what is better; islands that are good enough, or at their limit, give their best and are left alone */
static void sort_out(apgd_run *run, double inner_tol)
{
    const int *row = run->problem->row;
    int open = 0;
    for (int e = 0; e < run->open.count; e++) {
        int k = run->open.contact[e];
        apgd_island *I = apgd_island_of(run, k);
        size_t size = (size_t)(row[k + 1] - row[k]) * sizeof(double);
        if (I->better) {
            memcpy(run->best + row[k], run->at.x + row[k], size);
        }
        I->open = I->best > inner_tol && I->iterations < run->limit;
        if (I->open) {
            run->open.contact[open++] = k;
            continue;
        }
        for (int i = row[k]; i < row[k + 1]; i++) {
            run->solution->r[i] = run->best[i] / run->contacts.root[k];
        }
    }
    run->open.count = open;
}

/* ---- all islands to an inner tolerance -------------------------------------------------------- */

static int most_iterations(const apgd_run *run)
{
    int most = 0;
    for (int i = 0; i < run->islands.count; i++) {
        most = run->islands.island[i].iterations > most ? run->islands.island[i].iterations : most;
    }
    return most;
}

/* from the impulses as they are, without momentum */
static ss_status start(apgd_run *run)
{
    const int *row = run->problem->row;
    for (int i = 0; i < run->islands.count; i++) {
        run->islands.island[i].open = false;
        run->islands.island[i].t = 1;
        run->islands.island[i].best = INFINITY;
    }
    run->open.count = 0;
    for (int k = 0; k < run->problem->nc; k++) {
        if (run->contacts.root[k] > 0) {
            run->open.contact[run->open.count++] = k;
            apgd_island_of(run, k)->open = true;
            for (int i = row[k]; i < row[k + 1]; i++) {
                run->at.x[i] = run->solution->r[i] * run->contacts.root[k];
            }
            ss_dual_project(run->work->dual, k, run->at.x + row[k]);
        }
    }
    SS_TRY(ss_dual_gradient(run->work->dual, run->open.count, run->open.contact, run->at.x, run->at.g));
    memcpy(run->y.x, run->at.x, (size_t)run->nr * sizeof(double));
    memcpy(run->y.g, run->at.g, (size_t)run->nr * sizeof(double));
    return SS_OK;
}

/* close the islands whose guess is good enough; in the others the guess counts as outside the inner tolerance, so that
 * an iterate within it takes the place of the guess */
static void try_guess(apgd_run *run, double inner_tol)
{
    look(run);
    sort_out(run, GUESS * inner_tol);
    for (int i = 0; i < run->islands.count; i++) {
        apgd_island *I = &run->islands.island[i];
        I->best = I->open ? fmax(I->best, OUTSIDE * inner_tol) : I->best;
    }
}

static ss_status iterate(apgd_run *run, double inner_tol)
{
    SS_TRY(start(run));
    try_guess(run, inner_tol);
    for (int n = 1; run->open.count > 0; n++) {
        SS_TRY(ss_check_interrupt(run->work->ctx));
        SS_TRY(ss_apgd_iteration(run));
        if (n % run->work->params->check == 0 || most_iterations(run) >= run->limit) {
            look(run);
            sort_out(run, inner_tol);
        }
    }
    return SS_OK;
}

/* ---- the verdict ------------------------------------------------------------------------------ */

/* tighten the inner tolerance until the certificate is granted; only the contact residual counts: momentum and joints are solved
 * by kkt, and iterations cannot reduce their residuals */
static ss_status rounds(apgd_run *run)
{
    enum { ROUNDS = 5 };
    ss_residual *residual = &run->info->residual;
    double inner_tol = run->tol;
    bool more = true;
    for (int k = 0; k < ROUNDS && more; k++) {
        SS_TRY(iterate(run, inner_tol));
        SS_TRY(ss_kkt_recover(run->work->kkt, run->problem, run->solution));
        SS_TRY(k == 0 ? ss_residual_compute(run->work->residual, run->problem, run->solution, residual)
                      : ss_residual_again(run->work->residual, run->problem, run->solution, residual));
        inner_tol *= fmin(GOAL_FALLS, GOAL_MARGIN * run->tol / residual->contact);
        more = residual->contact > run->tol && most_iterations(run) < run->limit;
    }
    run->info->iterations = most_iterations(run);
    bool granted = ss_residual_worst(residual) <= run->tol;
    run->info->outcome = granted ? SS_CONVERGED : run->info->iterations >= run->limit ? SS_MAX_ITER : SS_INACCURATE;
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take(apgd_run *run)
{
    const ss_problem *p = run->problem;
    ss_arena *arena = run->work->arena;
    ss_islands islands;
    SS_TRY(ss_islands_find(arena, p, &islands));
    run->islands.count = islands.count;
    run->islands.of_contact = islands.of_contact;
    SS_TRY(ss_arena_take(arena, (size_t)run->islands.count, sizeof *run->islands.island, &run->islands.island));
    SS_TRY(ss_arena_take(arena, (size_t)p->nc, sizeof *run->contacts.floor, &run->contacts.floor));
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nc, sizeof *run->open.contact, &run->open.contact));
    double **rows[] = { &run->at.x, &run->at.g, &run->y.x, &run->y.g, &run->next.x, &run->next.g, &run->best };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->nr, sizeof(double), rows[k]));
    }
    return ss_arena_take_raw(arena, (size_t)p->nv, sizeof *run->contacts.v_free, &run->contacts.v_free);
}

static ss_status prepare(apgd_run *run)
{
    const ss_problem *p = run->problem;
    apgd_work *work = run->work;
    bool local = p->local;
    if (!local) {
        SS_TRY(ss_kkt_factor(work->kkt, p));
        run->info->factorisations++;
        memcpy(run->contacts.v_free, p->b, (size_t)p->nv * sizeof *run->contacts.v_free);
        ss_blockdiag_solve(&p->scale, ss_kkt_block_factor(work->kkt), run->contacts.v_free);
    }
    SS_TRY(ss_dual_prepare(work->dual, p, local ? NULL : work->kkt));
    run->contacts.root = ss_dual_roots(work->dual);
    return SS_OK;
}

/* what the certificate compares contact k with, besides its impulse, and the round-off it forgives: that of H v + w */
static void scale_contact(apgd_run *run, int k)
{
    const ss_problem *p = run->problem;
    const bool global = !p->local; /* in local form there is no H */
    int first = p->row[k], rows = p->row[k + 1] - first;
    double q[3] = { 0 }, old[3] = { 0 }, sum[3] = { 0 };
    for (int i = 0; i < rows; i++) {
        q[i] = p->w[first + i];
        sum[i] = fabs(q[i]);
        for (int e = global ? p->H.p[first + i] : 0; global && e < p->H.p[first + i + 1]; e++) {
            double free = p->H.x[e] * run->contacts.v_free[p->H.i[e]];
            q[i] += free;
            sum[i] += fabs(free);
            old[i] += p->v_old ? p->H.x[e] * p->v_old[p->H.i[e]] : 0;
        }
    }
    apgd_island *I = apgd_island_of(run, k);
    I->given = ss_worse(I->given, fmax(norm(rows, q), norm(rows, old)) / run->contacts.root[k]);
    run->contacts.floor[k] = SS_TOL_CANCELLED * norm(rows, sum) / run->contacts.root[k];
}

/* the guess where it is one; contacts that cannot move have no impulse */
static void open_impulses(apgd_run *run)
{
    const int *row = run->problem->row;
    double *r = run->solution->r;
    for (int k = 0; k < run->problem->nc; k++) {
        for (int i = row[k]; i < row[k + 1]; i++) {
            r[i] = run->solution->warm && isfinite(r[i]) && run->contacts.root[k] > 0 ? r[i] : 0;
        }
        if (run->contacts.root[k] > 0) {
            scale_contact(run, k);
        }
    }
    for (int i = 0; i < run->islands.count; i++) {
        run->islands.island[i].L = 1; /* the mean eigenvalue of N */
    }
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    apgd_work *work = data;
    apgd_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol };
    (void)ctx;
    run.limit = max_iter > 0 ? max_iter : work->params->max_iterations;
    run.nr = problem->row[problem->nc];
    ss_arena_reset(work->arena);
    SS_TRY(take(&run));
    SS_TRY(prepare(&run));
    open_impulses(&run);
    return rounds(&run);
}

const ss_solver_type ss_solver_apgd = {
    .info = { .name = "apgd",
              .title = "accelerated projected gradient with restarts, for convex laws",
              .reference = "MHNT15",
              .kind = "first order",
              .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED | SS_LAW_ASSOCIATED_POLYHEDRAL,
              .needs = SS_NEEDS_SYMMETRIC_A,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(apgd_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
