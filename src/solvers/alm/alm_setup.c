/* alm_setup.c - what every method on alm's proximal problem begins and ends with: the rows of J, memory, the start, the verdict.
 *
 * Local form u = W r + q: (W + W')/2 = J J' by a pivoted Cholesky, A = I; what J J' misses of W goes into w with r0.
 * Cost   a factorisation of the joints' system, and in local form of W; memory only when a size is new */
#include "problem/law_map.h"
#include "problem/velocity_rows.h"
#include "solvers/alm/alm_inside.h"

#include <math.h>

void ss_alm_destroy(ss_context *ctx, void *data)
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

ss_status ss_alm_create(ss_context *ctx, const void *params, void **out)
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

ss_status ss_alm_prepare(ss_alm_run *run)
{
    ss_alm_work *work = run->work;
    run->potential = ss_law_map_has_potential(run->problem);
    count_rows(run);
    ss_arena_reset(work->arena);
    SS_TRY(build_rows(run));
    SS_TRY(take(run));
    number_groups(run);
    const ss_row_groups rows = { .J = &work->J,
                                 .count = run->rows.groups,
                                 .first = run->rows.first,
                                 .links = run->rows.links,
                                 .link = (const int(*)[2])run->rows.link };
    return ss_newton_matrix_prepare(work->matrix, run->problem, &rows);
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
ss_status ss_alm_offer(ss_alm_run *run, const double *v, const double *r, double *residual)
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
ss_status ss_alm_judge(ss_alm_run *run, double *residual)
{
    double other = INFINITY;
    SS_TRY(ss_alm_offer(run, run->at.v, run->at.r, residual));
    if (*residual > run->tol && !run->problem->local && ss_matrix_is_block_diagonal(&run->problem->A)) {
        velocity_of(run, run->at.r, run->scratch.x);
        SS_TRY(ss_alm_offer(run, run->scratch.x, run->at.r, &other));
    }
    *residual = fmin(*residual, other);
    return SS_OK;
}

void ss_alm_finish(ss_alm_run *run)
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

/* ---- where it begins ---------------------------------------------------------------------------- */

/* r0 <- r, and w with it: W r0 + q = J J' r0 + w */
void ss_alm_move_centre(ss_alm_run *run, const double *r)
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
ss_status ss_alm_start_velocity(ss_alm_run *run)
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

/* r0 <- the given impulses, if there are any; zero for a group that touches nothing */
void ss_alm_read_impulses(ss_alm_run *run)
{
    for (int g = 0; g < run->rows.groups; g++) {
        for (int i = run->rows.first[g]; i < run->rows.first[g + 1]; i++) {
            bool given = i < run->rows.nr && run->solution->warm && run->rows.d[g] > 0 && isfinite(run->solution->r[i]);
            run->prox.r0[i] = given ? run->solution->r[i] : 0;
        }
    }
}
