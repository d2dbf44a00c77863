/* cone_ipm.c - primal-dual interior point method in velocity space, for the laws that are one convex program.
 *
 *   min  1/2 v' A v - b' v    with   G v = c,   H v + w in K*        (bounded rows add mu |u|)
 *
 * Its optimality conditions are the one-step problem with associated laws: r and lam are the multipliers. On the central path
 * s o z = mu e; Newton's method for it with the Nesterov-Todd scaling W, predictor and corrector (Mehrotra). The slacks are
 * eliminated contact by contact (cone_newton.c, ipm_step.c):
 *     (A + J' D J) dv = b + G' lam + H' r - A v + J' dr0,       dr = dr0 - D J dv,       J = (H, G),   D ~ W^-2
 * as large as the velocities, sparse, symmetric positive definite, however redundant contacts and joints are. Its pattern is that
 * of the contact graph: ordered once, factorised once an iteration. Joint rows have the same proximal term as contacts have: G v
 * - c = -delta (lam - lam_now), so D = 1/delta for them.
 *
 * All is scaled by row_units.c: units of mass, length and time drop out, each island has its own, and friction cones have mu = 1.
 * Local form u = W r + q: (W + W')/2 = J J', A = I; what J J' misses of W goes into w with the r at hand.
 *
 * Converged: the certificate, and a gap that bounds the error of the velocities (ipm_verdict.c). Infeasible: impulses that cancel
 * prove that nothing obeys the constraints (ipm_infeasible.c).
 *
 * Reference   S. Mehrotra, SIAM J. Optim. 2 (1992) 575; Y. E. Nesterov, M. J. Todd, SIAM J. Optim. 8 (1998) 324;
 *             the program: [Ani06] (5.3), (5.5)
 * Converges   in some 10 to 40 iterations, where impulses stay below some 1e12 times what stops the largest free velocity; beyond
 *             (wedges with mass ratios, contacts that nearly oppose each other) it may end `inaccurate` or `max_iter`
 * Cost        a factorisation of A + J' D J and two solutions with it per iteration. Memory when a size is new, besides MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "problem/velocity_rows.h"
#include "solvers/cone_ipm/ipm_inside.h"

#include <math.h>

static const double PROGRESS = 0.5; /* of the least figure so far: what counts as progress */

enum { PATIENCE = 20 }; /* iterations without progress after which it gives up */

static const ss_field fields[] = {
    SS_OPTION_INT(ss_ipm_params, max_iterations, 100, 1, 1e9, "most iterations (factorisations), if the solver's max_iter is 0"),
    SS_OPTION_NUMBER(ss_ipm_params, prox, 1e-12, 1e-16, 1, "weight delta of the proximal term in the impulses"),
    SS_FIELD_END,
};

/* give all memory back: the next solver may need it */
static void release(ss_ipm_work *work)
{
    ss_arena_destroy(work->arena);
    ss_csr_free(work->ctx, &work->J);
    ss_gram_free(work->ctx, &work->gram);
    ss_block_factor_free(work->ctx, &work->factor);
    ss_newton_matrix_destroy(work->matrix);
    ss_residual_destroy(work->residual);
    *work = (ss_ipm_work){ .ctx = work->ctx, .params = work->params };
}

void ss_ipm_destroy(ss_context *ctx, void *data)
{
    ss_ipm_work *work = data;
    if (work) {
        release(work);
        ss_free(ctx, work);
    }
}

/* what is not there yet */
static ss_status create_parts(ss_ipm_work *work)
{
    SS_TRY(work->arena ? SS_OK : ss_arena_create(work->ctx, 1 << 16, &work->arena));
    SS_TRY(work->matrix ? SS_OK : ss_newton_matrix_create(work->ctx, true, &work->matrix));
    return work->residual ? SS_OK : ss_residual_create(work->ctx, &work->residual);
}

ss_status ss_ipm_create(ss_context *ctx, const void *params, void **out)
{
    ss_ipm_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    return create_parts(work);
}

/* ---- the iteration ------------------------------------------------------------------------------ */

/* One iteration and its verdict. Factors that cannot be had, for want of memory or because the matrix is singular in its last
 * bits, end it: a breakdown, with the best iterate so far. */
static ss_status iterate_once(ss_ipm_run *run)
{
    int worst = -1;
    SS_TRY(ss_check_interrupt(run->work->ctx));
    ss_status status = ss_ipm_step_forward(run);
    if (status == SS_ERR_MEMORY || status == SS_ERR_NUMERIC) {
        run->info->outcome = SS_BREAKDOWN;
        run->info->starved = status == SS_ERR_MEMORY;
        return SS_OK;
    }
    SS_TRY(status);
    run->info->iterations++;
    ss_ipm_evaluate(run);
    SS_TRY(ss_ipm_judge(run));
    if (ss_ipm_look_for_proof(run, &worst)) {
        run->info->outcome = SS_INFEASIBLE;
        run->info->residual.worst = worst;
    }
    return SS_OK;
}

/* has none of the figures (certificate, gap, proof) halved since the mark? */
static bool stalls(const ss_ipm_run *run, ss_ipm_progress *mark)
{
    const ss_ipm_progress *now = &run->least;
    bool stalled =
        now->residual > PROGRESS * mark->residual && now->gap > PROGRESS * mark->gap && !(now->ray < PROGRESS * mark->ray);
    *mark = stalled ? *mark : *now;
    return stalled;
}

/* Until certificate and gap are granted, or nothing has got better for a while. A certificate alone is not converged: it is
 * relative to the impulses, which may be huge. */
static ss_status iterate(ss_ipm_run *run)
{
    ss_solver_info *info = run->info;
    ss_ipm_progress mark = { INFINITY, INFINITY, INFINITY };
    int since = 0;
    if (!run->best.granted) {
        ss_ipm_evaluate(run);
        SS_TRY(ss_ipm_judge(run));
    }
    info->outcome = SS_CONVERGED;
    while (info->outcome == SS_CONVERGED && (!run->best.granted || run->proof.doubtful)) {
        since = stalls(run, &mark) ? since + 1 : 0;
        if (since >= PATIENCE || info->iterations >= run->max_iter) {
            info->outcome = SS_MAX_ITER;
        } else {
            SS_TRY(iterate_once(run));
        }
    }
    if (info->outcome == SS_MAX_ITER || info->outcome == SS_BREAKDOWN) {
        info->outcome = ss_ipm_verdict(run);
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take_islands(ss_arena *arena, int count, ss_ipm_islands *i, ss_ipm_proof *proof)
{
    double **numbers[] = { &i->value, &i->offsets, &i->size, &i->terms, &i->share, &i->speed, &i->gap };
    int **integers[] = { &i->blame, &proof->shown, &proof->culprit };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)count, sizeof **numbers[k], numbers[k]));
    }
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)count, sizeof **integers[k], integers[k]));
    }
    return ss_arena_take(arena, (size_t)count, sizeof *proof->found, &proof->found);
}

static ss_status take(ss_ipm_run *run)
{
    ss_arena *arena = run->work->arena;
    double **of_rows[] = { &run->at.w,    &run->at.r,      &run->at.u,   &run->step.dr,
                           &run->step.du, &run->scratch.e, &run->best.r, &run->step.growth };
    double **of_n[] = { &run->at.v, &run->at.F, &run->step.dv, &run->scratch.x, &run->scratch.y, &run->best.v };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.rows, sizeof **of_rows[k], of_rows[k]));
    }
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.n, sizeof **of_n[k], of_n[k]));
    }
    SS_TRY(ss_arena_take(arena, 9 * (size_t)run->units.groups, sizeof *run->step.D, &run->step.D));
    return take_islands(arena, run->units.islands, &run->islands, &run->proof);
}

static ss_status build_rows(ss_ipm_run *run)
{
    const ss_problem *p = run->problem;
    ss_ipm_work *work = run->work;
    SS_TRY(ss_velocity_rows(work->ctx, work->arena, p, &work->J));
    if (!run->problem->local) {
        SS_TRY(ss_block_factor_update(work->ctx, &work->factor, &p->scale));
        SS_TRY(ss_gram_build(work->ctx, &work->gram, &p->scale, work->factor.L, &work->J));
    }
    return ss_row_units_find(work->arena, p, &work->J, &work->gram, work->factor.L, &run->units);
}

static ss_status prepare(ss_ipm_run *run)
{
    const ss_row_units *y = &run->units;
    SS_TRY(create_parts(run->work));
    ss_arena_reset(run->work->arena);
    SS_TRY(build_rows(run));
    SS_TRY(take(run));
    memcpy(run->at.w, y->w, (size_t)y->rows * sizeof *run->at.w);
    SS_TRY(ss_cone_newton_prepare(run->work->arena, run->problem, y->moves, y->bound, run->work->params->prox, &run->cones));
    ss_row_groups rows = { .J = &run->work->J, .count = y->groups, .first = y->first };
    return ss_newton_matrix_prepare(run->work->matrix, run->problem, &rows);
}

static void finish(ss_ipm_run *run)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    ss_ipm_write(run, run->best.v, run->best.r);
    ss_csr_times(run->problem->local ? &p->W : &p->H, 1, run->problem->local ? s->r : s->v, 0, s->u);
    for (int i = 0; i < run->units.nr; i++) {
        s->u[i] += p->w[i];
    }
    for (int k = 0; k < p->nc; k++) {
        s->basis[k] = 0;
    }
}

ss_status ss_ipm_solve(ss_ipm_run *run)
{
    run->best.merit = run->least.residual = run->least.gap = run->least.ray = INFINITY;
    SS_TRY(prepare(run));
    SS_TRY(ss_ipm_start(run));
    SS_TRY(iterate(run));
    finish(run);
    return SS_OK;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_ipm_work *work = data;
    (void)ctx;
    ss_ipm_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol };
    run.max_iter = max_iter > 0 ? max_iter : work->params->max_iterations;
    ss_status status = ss_ipm_solve(&run);
    bool misfit = status == SS_ERR_MEMORY || status == SS_ERR_UNSUPPORTED; /* rows or factors too large: for another solver */
    info->starved = info->starved || status == SS_ERR_MEMORY;
    if (misfit || info->starved) {
        release(work);
    }
    return misfit ? SS_ERR_NUMERIC : status;
}

const ss_solver_type ss_solver_cone_ipm = {
    .info = { .name = "cone_ipm",
              .title = "interior point method in velocity space, for convex laws",
              .reference = "Ani06",
              .kind = "interior point",
              .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL | SS_LAW_BOUNDED,
              .needs = SS_NEEDS_SYMMETRIC_A,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_ipm_params) },
    .create = ss_ipm_create,
    .destroy = ss_ipm_destroy,
    .solve = solve,
};
