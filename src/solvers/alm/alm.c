/* alm.c - proximal Newton method in velocity space; every law, every contact at once.
 *
 *   given impulses r0 and a stiffness k, find v with
 *       F(v) = A v - b - J' r(v) = 0,     r_i(v) = map_i( r0_i - (k/d_i) (J v + w)_i )
 *   then r0 <- r(v), a larger k, and again. A fixed point of this obeys the laws exactly, for any k.
 *
 * J holds the rows of the contacts and of the joints, w their offsets (-c for a joint row), d_i is the mobility of contact i
 * (residual.c). map_i is Coulomb's own map, disc or polygon of radius mu r_N with the r_N of the same v; the projection on
 * the cone for associated laws; max(0, y) for unilateral contacts, an interval for bounded rows, y itself for joints. It is
 * an augmented Lagrangian method for each law that has a potential; Coulomb's has none, and its Jacobian is not symmetric.
 * Fixing the shift mu|u_T| instead, so that each problem is convex, was tried: it converges linearly at best and not at
 * all where sliding and normal impulses are strongly coupled; see docs/alm.md.
 *
 * F(v) = 0 is solved by Newton's method (alm_newton.c), whose matrix A + J' D J is as large as the velocities. It is regular
 * however redundant contacts and joints are; of all impulses that solve the problem those nearest to r0 are found. This file
 * has the sequence of k, the start and the verdict.
 * k is the inverse of a pseudo time step: it grows while Newton's method converges in a few steps, and falls when it does not;
 * where it has reached its limit and only round-off is left, a softer k gives the last digits. A residual that stays the same
 * from one k to the next is a drift: redundant contacts contradict each other by a velocity u of a few last bits, and each round
 * only moves their impulses by (k/d) u, until one of them opens or slips. Then k goes far beyond the limit, where this takes a
 * few steps, and back to a soft one. Newton's method is quick where impulses act over long distances and slow at deciding,
 * contact by contact, which open, stick and slip; Gauss-Seidel is the reverse: sweeps come first, and again where Newton's method
 * fails. Local form u = W r + q: (W + W')/2 = J J' by a pivoted Cholesky, A = I; what J J' misses of W goes into w with r0.
 *
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353 (the maps); C. T. Kelley, D. E. Keyes,
 *             SIAM J. Numer. Anal. 35 (1998) 508 (the control of k)
 * Converges   for convex laws from anywhere; for Coulomb's no proof: measured in docs/alm.md
 * Cost        a factorisation of A + J' D J per Newton step. Memory only when a size is new, besides KLU's and MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "problem/cost.h"
#include "problem/law_map.h"
#include "problem/velocity_rows.h"
#include "solvers/alm/alm_inside.h"

#include <limits.h>
#include <math.h>

/* the first k: larger for a better start; a smaller k is safer */
static const double SAFE_START = 0.01, MOST_START = 1e4; /* k = SAFE_START/residual, at most MOST_START */
static const double NEAR = 1e-6; /* a guess with at most this residual is not swept: sweeps creep there      */

/* how k changes from one proximal problem to the next */
static const double STALLED = 0.9;      /* a residual above this fraction of the last is no gain           */
static const double SOFTER = 1e-3;      /* of the limit: k after one that gains nothing there: less round-off */
static const double SAME = 0.01;        /* of the residual: a smaller change with another k is a drift     */
static const double BEYOND = 1e3;       /* of the limit: largest k in a drift                              */
static const double DROP = 0.1;         /* factor of a k for which Newton's method failed                  */
static const double LEAST_K = 1e-6;     /* below it there is no hope                                       */
static const double SMALL_GROWTH = 2;   /* factor of k where Newton took some steps; no failure makes the growth less */
static const double GROWTH_POWER = 0.7; /* the growth becomes this power of itself after a failure         */
static const double WORTH = 5;          /* Newton steps that sweeps may cost                                   */
static const double PROGRESS = 0.5;     /* the best residual must fall by this factor: progress            */

enum { FEW_STEPS = 4, SOME_STEPS = 8 }; /* Newton steps up to which k grows by the full factor; by at most SMALL_GROWTH */

static const ss_field fields[] = {
    SS_OPTION_INT(ss_alm_params, max_newton, 400, 1, 1e9, "most Newton steps (factorisations) for one problem"),
    SS_OPTION_INT(ss_alm_params, inner, 15, 1, 1000, "most Newton steps for one value of the proximal parameter k"),
    SS_OPTION_INT(ss_alm_params, patience, 150, 1, 1e9,
                  "gives up after this many Newton steps that have not halved the residual"),
    SS_OPTION_INT(
        ss_alm_params, sweeps, 500, 0, 1e9,
        "most Gauss-Seidel sweeps before the first Newton step of a cold start; no more than cost what five Newton steps do"),
    SS_OPTION_INT(ss_alm_params, more_sweeps, 200, 0, 1e9,
                  "the same for a warm start, in rounds of so many, and after Newton's method failed for a value of k"),
    SS_OPTION_NUMBER(ss_alm_params, start, 1, 1e-6, 1e12,
                     "smallest initial value of k; a better starting point gives a larger one"),
    SS_OPTION_NUMBER(ss_alm_params, growth, 10, 1, 1e6, "largest factor by which k grows at once"),
    SS_OPTION_NUMBER(ss_alm_params, limit, 1e7, 1, 1e12,
                     "largest value of k; a thousand times as much where impulses only drift"),
    SS_FIELD_END,
};

static void destroy(ss_context *ctx, void *data)
{
    ss_alm_work *work = data;
    if (!work) {
        return;
    }
    ss_arena_destroy(work->arena);
    ss_csr_free(ctx, &work->J);
    ss_gram_free(ctx, &work->gram);
    ss_block_factor_free(ctx, &work->factor);
    ss_newton_matrix_destroy(work->matrix);
    ss_residual_destroy(work->residual);
    ss_kkt_destroy(work->kkt);
    ss_sweep_destroy(work->sweep);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    ss_alm_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    SS_TRY(ss_arena_create(ctx, 1 << 16, &work->arena));
    SS_TRY(ss_newton_matrix_create(ctx, false, &work->matrix));
    SS_TRY(ss_residual_create(ctx, &work->residual));
    SS_TRY(ss_kkt_create(ctx, &work->kkt));
    return ss_sweep_create(ctx, &work->sweep);
}

/* ---- the rows --------------------------------------------------------------------------------- */

/* mobility of each row, with B or from the diagonal of W */
static double row_scale(const ss_alm_run *run, int row)
{
    const ss_csr *W = &run->problem->W;
    if (!run->problem->local) {
        return ss_gram_diagonal(&run->work->gram, &run->problem->scale, row);
    }
    double diagonal = 0;
    for (int e = W->p[row]; e < W->p[row + 1]; e++) {
        diagonal += W->i[e] == row ? W->x[e] : 0;
    }
    return diagonal;
}

static void count_rows(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    int joints = p->local ? 0 : p->nj, nr = p->row[p->nc];
    run->rows = (ss_alm_rows){ .n = p->nv, .nr = nr, .count = nr + joints, .groups = p->nc + joints };
}

static void number_groups(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    for (int g = 0; g <= run->rows.groups; g++) {
        run->rows.first[g] = g <= p->nc ? p->row[g] : run->rows.nr + g - p->nc;
    }
    for (int g = 0; g < run->rows.groups; g++) {
        double trace = 0;
        for (int row = run->rows.first[g]; row < run->rows.first[g + 1]; row++) {
            trace += row_scale(run, row);
        }
        run->rows.d[g] = trace / (run->rows.first[g + 1] - run->rows.first[g]);
    }
    for (int i = 0; i < run->rows.count; i++) {
        run->rows.offset[i] = i < run->rows.nr ? p->w[i] : -p->c[i - run->rows.nr];
    }
}

/* ---- verdict ---------------------------------------------------------------------------------- */

static void write_solution(const ss_alm_run *run, const double *v, const double *r)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    memcpy(s->r, r, (size_t)run->rows.nr * sizeof *r);
    if (!run->problem->local) {
        memcpy(s->v, v, (size_t)p->nv * sizeof *v);
    }
    if (!run->problem->local && p->nj > 0) {
        memcpy(s->lam, r + run->rows.nr, (size_t)p->nj * sizeof *r);
    }
}

/* the certificate of (v, r), kept if it is the best so far */
static ss_status offer(ss_alm_run *run, const double *v, const double *r, double *residual)
{
    ss_residual now;
    write_solution(run, v, r);
    SS_TRY(run->best.residual == INFINITY ? ss_residual_compute(run->work->residual, run->problem, run->solution, &now)
                                          : ss_residual_again(run->work->residual, run->problem, run->solution, &now));
    *residual = ss_residual_worst(&now);
    if (*residual < run->best.residual || run->best.residual == INFINITY) {
        run->best.residual = *residual;
        run->info->residual = now;
        memcpy(run->best.v, v, (size_t)run->rows.n * sizeof *v);
        memcpy(run->best.r, r, (size_t)run->rows.count * sizeof *r);
    }
    return SS_OK;
}

/* v of the momentum equation for the impulses r: A^-1 (b + J' r), A = B */
static void velocity_of(const ss_alm_run *run, const double *r, double *v)
{
    memcpy(v, run->problem->b, (size_t)run->rows.n * sizeof *v);
    ss_csr_transpose_times(&run->work->J, 1, r, 1, v);
    ss_blockdiag_solve(&run->problem->scale, run->work->factor.L, v);
}

/* the iterate, with its own v or the one of the momentum equation; the better residual of the two */
static ss_status judge(ss_alm_run *run, double *residual)
{
    double other = INFINITY;
    SS_TRY(offer(run, run->at.v, run->at.r, residual));
    if (*residual > run->tol && !run->problem->local && ss_matrix_is_block_diagonal(&run->problem->A)) {
        velocity_of(run, run->at.r, run->scratch.x);
        SS_TRY(offer(run, run->scratch.x, run->at.r, &other));
    }
    *residual = fmin(*residual, other);
    return SS_OK;
}

/* ---- the sequence of k ------------------------------------------------------------------------ */

/* r0 <- r, and w with it: W r0 + q = J J' r0 + w */
static void move_centre(ss_alm_run *run, const double *r)
{
    if (r != run->prox.r0) {
        memcpy(run->prox.r0, r, (size_t)run->rows.count * sizeof *r);
    }
    memcpy(run->prox.w, run->rows.offset, (size_t)run->rows.count * sizeof *run->prox.w);
    if (run->problem->local) {
        ss_csr_transpose_times(&run->work->J, 1, r, 0, run->scratch.x);
        ss_csr_times(&run->work->J, -1, run->scratch.x, 1, run->prox.w);
        ss_csr_times(&run->problem->W, 1, r, 1, run->prox.w);
    }
}

/* v, and lam, of the impulses r0 alone: A v - G' lam = b + H' r0, G v = c */
static ss_status start_velocity(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    if (run->problem->local) {
        ss_csr_transpose_times(&run->work->J, 1, run->prox.r0, 0, run->at.v);
        return SS_OK;
    }
    memcpy(run->scratch.x, p->b, (size_t)run->rows.n * sizeof *run->scratch.x);
    ss_csr_transpose_times(&p->H, 1, run->prox.r0, 1, run->scratch.x);
    return ss_kkt_solve(run->work->kkt, run->scratch.x, p->c, run->at.v, run->prox.r0 + run->rows.nr);
}

/* Gauss-Seidel sweeps on r0; then v and lam from it */
static ss_status settle(ss_alm_run *run, int sweeps)
{
    ss_sweep *sweep = run->work->sweep;
    double residual, *r = run->scratch.u;
    for (int island = 0; island < ss_sweep_islands(sweep) && sweeps > 0; island++) {
        if (!ss_sweep_takes(sweep, island)) {
            continue;
        }
        ss_sweep_read(sweep, island, run->prox.r0, r);
        ss_sweep_start(sweep, island, r);
        for (int k = 0; k < sweeps && !ss_is_interrupted(run->work->ctx); k++) {
            ss_sweep_pass(sweep, island, r);
        }
        ss_sweep_write(sweep, island, r, run->prox.r0);
    }
    SS_TRY(start_velocity(run));
    move_centre(run, run->prox.r0);
    return offer(run, run->at.v, run->prox.r0, &residual);
}

/* r0 <- the given impulses, if there are any; zero for a group that touches nothing */
static void read_impulses(ss_alm_run *run)
{
    for (int g = 0; g < run->rows.groups; g++) {
        for (int i = run->rows.first[g]; i < run->rows.first[g + 1]; i++) {
            bool given = i < run->rows.nr && run->solution->warm && run->rows.d[g] > 0 && isfinite(run->solution->r[i]);
            run->prox.r0[i] = given ? run->solution->r[i] : 0;
        }
    }
}

/* at most so many sweeps, and no more than cost what some Newton steps do */
static int worthwhile(const ss_alm_run *run, int sweeps) { return (int)fmin(sweeps, ss_cost_sweeps(run->problem, WORTH)); }

/* Rounds of sweeps on a given guess that cost no more than some Newton steps; one round in local form, where a sweep costs as
 * much as a Newton step. */
static ss_status improve(ss_alm_run *run)
{
    const int sweeps = run->work->params->more_sweeps;
    int left = worthwhile(run, run->problem->local ? sweeps : INT_MAX);
    while (sweeps > 0 && left > 0 && run->best.residual > fmax(run->tol, NEAR)) {
        SS_TRY(settle(run, left < sweeps ? left : sweeps));
        SS_TRY(ss_check_interrupt(run->work->ctx));
        left -= sweeps;
    }
    return SS_OK;
}

/* sweeps, then the first k: the larger, the smaller the residual they leave */
static ss_status start(ss_alm_run *run)
{
    const ss_alm_params *params = run->work->params;
    const ss_sweep_options options = { .colour_above = INT_MAX, .largest_cluster = SS_SWEPT_CLUSTER };
    if (!run->problem->local) {
        SS_TRY(ss_kkt_factor(run->work->kkt, run->problem));
        run->info->factorisations++;
    }
    SS_TRY(ss_sweep_prepare(run->work->sweep, run->problem, run->problem->local ? NULL : run->work->kkt, &options, NULL));
    read_impulses(run);
    SS_TRY(settle(run, 0));
    if (run->solution->warm) {
        SS_TRY(improve(run));
    } else if (run->best.residual > run->tol) {
        SS_TRY(settle(run, worthwhile(run, params->sweeps)));
    }
    run->prox.k = fmax(params->start, fmin(MOST_START, SAFE_START / run->best.residual));
    return SS_OK;
}

/* k after a solve that took `steps` Newton steps. A drift ends where more than one was needed: a contact has opened or slipped.
 * What is left is mostly the round-off of so large a k; if it is another drift, k goes at once to where the last one ended, and
 * on from there. */
static void grow(ss_alm_run *run, double growth, int steps, double residual, double before)
{
    ss_alm_prox *x = &run->prox;
    const bool ended = x->drifts && steps > 1;
    x->drifts = x->drifts || (isfinite(before) && fabs(residual - before) <= SAME * before);
    const double usual = run->work->params->limit, limit = x->drifts ? BEYOND * usual : usual;
    x->ended = ended ? x->k : x->ended;
    if (ended || (residual > STALLED * before && x->k >= limit)) {
        x->k = fmin(x->k, SOFTER * usual); /* round-off grows with k */
        x->drifts = false;
    } else if (steps <= FEW_STEPS) {
        x->k = fmin(fmax(x->k, x->drifts ? x->ended : 0) * growth, limit);
    } else if (steps <= SOME_STEPS) {
        x->k = fmin(x->k * fmin(growth, SMALL_GROWTH), limit);
    }
}

static ss_status iterate(ss_alm_run *run)
{
    const ss_alm_params *params = run->work->params;
    double growth = params->growth, residual = run->best.residual, before = INFINITY, mark = run->best.residual;
    int mark_at = 0;
    while (run->best.residual > run->tol && run->newton < run->max_newton && run->prox.k > LEAST_K &&
           run->newton - mark_at < params->patience) {
        bool solved;
        int steps;
        SS_TRY(ss_check_interrupt(run->work->ctx));
        memcpy(run->prox.v0, run->at.v, (size_t)run->rows.n * sizeof *run->prox.v0);
        SS_TRY(ss_alm_newton(run, &solved, &steps));
        if (!solved) {
            SS_TRY(settle(run, run->problem->local
                                   ? 0
                                   : worthwhile(run, params->more_sweeps))); /* a sweep over W costs as much as a Newton step */
            run->prox.k *= DROP;
            growth = fmax(SMALL_GROWTH, pow(growth, GROWTH_POWER));
            run->info->restarts++;
            continue;
        }
        SS_TRY(judge(run, &residual));
        move_centre(run, run->at.r);
        grow(run, growth, steps, residual, before);
        before = residual;
        if (run->best.residual <= PROGRESS * mark) {
            mark = run->best.residual;
            mark_at = run->newton;
        }
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take_point(ss_alm_run *run, ss_alm_point *point)
{
    ss_arena *arena = run->work->arena;
    SS_TRY(ss_arena_take(arena, (size_t)run->rows.n, sizeof *point->v, &point->v));
    SS_TRY(ss_arena_take(arena, (size_t)run->rows.n, sizeof *point->F, &point->F));
    SS_TRY(ss_arena_take(arena, (size_t)run->rows.count, sizeof *point->r, &point->r));
    return ss_arena_take(arena, 9 * (size_t)(run->rows.groups + run->rows.links), sizeof *point->D, &point->D);
}

static ss_status take(ss_alm_run *run)
{
    ss_arena *arena = run->work->arena;
    double **of_rows[] = { &run->rows.offset, &run->prox.w, &run->prox.r0, &run->scratch.u, &run->best.r };
    double **of_n[] = { &run->prox.v0, &run->step, &run->scratch.x, &run->scratch.y, &run->best.v };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->rows.count, sizeof **of_rows[k], of_rows[k]));
    }
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->rows.n, sizeof **of_n[k], of_n[k]));
    }
    SS_TRY(ss_arena_take(arena, (size_t)run->rows.groups + 1, sizeof *run->rows.first, &run->rows.first));
    SS_TRY(ss_arena_take(arena, (size_t)run->rows.groups, sizeof *run->rows.d, &run->rows.d));
    SS_TRY(ss_arena_take(arena, 2 * (size_t)run->problem->nc, sizeof *run->scratch.wider, &run->scratch.wider));
    SS_TRY(ss_alm_find_links(run));
    SS_TRY(take_point(run, &run->at));
    return take_point(run, &run->next);
}

static ss_status build_rows(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    ss_alm_work *work = run->work;
    SS_TRY(ss_velocity_rows(work->ctx, work->arena, p, &work->J));
    run->rows.n = work->J.n; /* local form: the rank of W */
    if (run->problem->local) {
        return SS_OK;
    }
    SS_TRY(ss_block_factor_update(work->ctx, &work->factor, &p->scale));
    return ss_gram_build(work->ctx, &work->gram, &p->scale, work->factor.L, &work->J);
}

static void finish(ss_alm_run *run)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    write_solution(run, run->best.v, run->best.r);
    ss_csr_times(run->problem->local ? &p->W : &p->H, 1, run->problem->local ? s->r : s->v, 0, s->u);
    for (int i = 0; i < run->rows.nr; i++) {
        s->u[i] += p->w[i];
    }
    for (int k = 0; k < p->nc; k++) {
        s->basis[k] = 0;
    }
    run->info->iterations = run->newton;
    run->info->outcome = run->best.residual <= run->tol ? SS_CONVERGED : SS_MAX_ITER;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_alm_work *work = data;
    (void)ctx;
    ss_alm_run run = {
        .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .best.residual = INFINITY
    };
    run.max_newton = max_iter > 0 ? max_iter : work->params->max_newton;
    run.potential = ss_law_map_has_potential(problem);
    count_rows(&run);
    ss_arena_reset(work->arena);
    SS_TRY(build_rows(&run));
    SS_TRY(take(&run));
    number_groups(&run);
    const ss_row_groups rows = { .J = &work->J,
                                 .count = run.rows.groups,
                                 .first = run.rows.first,
                                 .links = run.rows.links,
                                 .link = (const int(*)[2])run.rows.link };
    SS_TRY(ss_newton_matrix_prepare(work->matrix, problem, &rows));
    SS_TRY(start(&run));
    SS_TRY(iterate(&run));
    finish(&run);
    return SS_OK;
}

const ss_solver_type ss_solver_alm = {
    .info = { .name = "alm",
              .title = "proximal Newton method in velocity space",
              .reference = "Alart, Curnier 1991",
              .kind = "newton",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_ROLLING,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_alm_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
