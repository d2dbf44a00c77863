/* cone_ipm.c - primal-dual interior point method in velocity space, for the laws that are one convex program.
 *
 *   min  1/2 v' A v - b' v    with   G v = c,   H v + w in K*        (bounded rows add mu |u|)
 *
 * Its optimality conditions are the one-step problem with associated laws: r and lam are the multipliers. On the central path
 * s o z = mu e; Newton's method for it with the Nesterov-Todd scaling W, predictor and corrector (Mehrotra). The slacks are
 * eliminated contact by contact (cone_newton.c):
 *     (A + J' D J) dv = b + G' lam + H' r - A v + J' dr0,       dr = dr0 - D J dv,       J = (H, G),   D ~ W^-2
 * as large as the velocities, sparse, symmetric positive definite, however redundant contacts and joints are. Its pattern is that
 * of the contact graph: ordered once, factorised once an iteration. Joint rows have the same proximal term as contacts have: G v
 * - c = -delta (lam - lam_now), so D = 1/delta for them.
 *
 * All is scaled by row_units.c: units of mass, length and time drop out, each island has its own, and friction cones have mu = 1.
 * Local form u = W r + q: (W + W')/2 = J J', A = I; what J J' misses of W goes into w with the r at hand.
 * Infeasible: if r in K and lam make J'(r, lam) small against -(w.r - c.lam) > 0, every v that obeys the constraints has
 * |v| >= -(w.r - c.lam) / |J'(r, lam)|; when that is absurdly large, there is none.
 *
 * Reference   S. Mehrotra, SIAM J. Optim. 2 (1992) 575; Y. E. Nesterov, M. J. Todd, SIAM J. Optim. 8 (1998) 324;
 *             the program: [Ani06] (5.3), (5.5)
 * Converges   for every feasible problem of these laws, in some 20 to 40 iterations
 * Cost        a factorisation of A + J' D J and two solutions with it per iteration. Memory when a size is new, besides MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "math/csr.h"
#include "problem/cone_newton.h"
#include "problem/gram.h"
#include "problem/newton_matrix.h"
#include "problem/residual.h"
#include "problem/row_units.h"
#include "problem/velocity_rows.h"
#include "solvers/solver.h"

#include <math.h>

typedef struct ipm_params {
    int max_iterations;
    double prox;
} ipm_params;

static const ss_field fields[] = {
    SS_OPTION_INT(ipm_params, max_iterations, 100, 1, 1e9, "iterations (factorisations), if the solver's max_iter is 0"),
    SS_OPTION_NUMBER(ipm_params, prox, 1e-12, 1e-16, 1, "delta: weight of the proximal term in the impulses"),
    SS_FIELD_END,
};

typedef struct ipm_work {
    ss_context *ctx;
    const ipm_params *params;
    ss_arena *arena;
    ss_csr J;
    ss_gram gram;
    ss_block_factor factor; /* of B */
    ss_newton_matrix *matrix;
    ss_residual_work *residual;
} ipm_work;

typedef enum ipm_proof { PROOF_NONE, PROOF_POSSIBLE, PROOF_FOUND } ipm_proof; /* that nothing obeys the constraints */

/* one solve; scaled: see above */
typedef struct ipm_run {
    ipm_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_iter;
    bool local;
    ss_row_units units;
    double *w;         /* rows: scaled offsets, in local form with what J J' misses of W */
    double *v, *r, *u; /* n, rows, rows: where it is                       */
    double *F;         /* n: b + J' r - A v                                */
    double *dv, *dr, *du;
    double *D;     /* 9 per group                                      */
    double *x, *y; /* n: scratch                                       */
    double *e;     /* rows: scratch                                    */
    ss_cone_newton cones;
    ipm_proof proof;
    double best; /* residual of the best iterate, which follows               */
    double *best_v, *best_r;
} ipm_run;

static void destroy(ss_context *ctx, void *data)
{
    ipm_work *work = data;
    if (!work) {
        return;
    }
    ss_arena_destroy(work->arena);
    ss_csr_free(ctx, &work->J);
    ss_gram_free(ctx, &work->gram);
    ss_block_factor_free(ctx, &work->factor);
    ss_newton_matrix_destroy(work->matrix);
    ss_residual_destroy(work->residual);
    ss_free(ctx, work);
}

static ss_status create_parts(ipm_work *work)
{
    SS_TRY(ss_arena_create(work->ctx, 1 << 16, &work->arena));
    SS_TRY(ss_newton_matrix_create(work->ctx, true, &work->matrix));
    return ss_residual_create(work->ctx, &work->residual);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    ipm_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    work->ctx = ctx;
    work->params = params;
    ss_status status = create_parts(work);
    if (status != SS_OK) {
        destroy(ctx, work);
        work = NULL;
    }
    *out = work;
    return status;
}

/* ---- products --------------------------------------------------------------------------------- */

static double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
    }
    return s;
}

static void times_A(const ipm_run *run, const double *x, double *y)
{
    const ss_problem *p = run->problem;
    if (p->kind == SS_A_BLOCK_DIAGONAL) {
        ss_blockdiag_times(&p->M, x, y);
    } else if (!run->local) {
        ss_csr_times(&p->A, 1, x, 0, y);
    } else {
        memcpy(y, x, (size_t)run->units.n * sizeof *y);
    }
}

/* u = f J v */
static void times_J(const ipm_run *run, const double *v, double *u)
{
    ss_csr_times(&run->work->J, 1, v, 0, u);
    for (int i = 0; i < run->units.rows; i++) {
        u[i] *= run->units.factor[i];
    }
}

/* x += J' f r */
static void add_impulses(const ipm_run *run, const double *r, double *x)
{
    for (int i = 0; i < run->units.rows; i++) {
        run->e[i] = run->units.factor[i] * r[i];
    }
    ss_csr_transpose_times(&run->work->J, 1, run->e, 1, x);
}

/* sqrt(x' B^-1 x) */
static double momentum_norm(const ipm_run *run, const double *x)
{
    memcpy(run->y, x, (size_t)run->units.n * sizeof *x);
    if (!run->local) {
        ss_blockdiag_solve(&run->problem->M, run->work->factor.L, run->y);
    }
    return sqrt(fmax(0, dot(run->units.n, x, run->y)));
}

/* ---- one iteration ---------------------------------------------------------------------------- */

/* local form: w = q + (W - J J') r, with the r at hand */
static void add_missing(ipm_run *run)
{
    memset(run->x, 0, (size_t)run->units.n * sizeof *run->x);
    add_impulses(run, run->r, run->x); /* e = f r, x = J' e */
    ss_csr_times(&run->problem->W, 1, run->e, 0, run->w);
    ss_csr_times(&run->work->J, -1, run->x, 1, run->w);
    for (int i = 0; i < run->units.rows; i++) {
        run->w[i] = run->units.w[i] + run->units.factor[i] * run->w[i];
    }
}

/* u = J v + w and F = b + J' r - A v */
static void balance(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    times_J(run, run->v, run->u);
    for (int i = 0; i < y->rows; i++) {
        run->u[i] += run->w[i];
    }
    times_A(run, run->v, run->F);
    for (int i = 0; i < y->n; i++) {
        run->F[i] = y->b[i] - run->F[i];
    }
    add_impulses(run, run->r, run->F);
}

/* all that follows from v, lam and the points of the cones */
static void evaluate(ipm_run *run)
{
    ss_cone_newton_impulse(&run->cones, run->r);
    if (run->local) {
        add_missing(run);
    }
    balance(run);
    ss_cone_newton_residual(&run->cones, run->u);
}

/* K with the D of the contacts that run->D holds, scaled, and that of the joints */
static ss_status factorise(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    bool regular;
    for (int g = 0; g < y->groups; g++) {
        int first = y->first[g], size = y->first[g + 1] - first;
        double *D = run->D + 9 * g;
        if (ss_row_units_is_joint(y, g)) {
            D[0] = 1 / run->cones.prox;
        }
        for (int a = 0; a < size; a++) {
            for (int b = 0; b < size; b++) {
                D[a * size + b] *= y->factor[first + a] * y->factor[first + b];
            }
        }
    }
    run->info->factorisations++;
    SS_TRY(ss_newton_matrix_factor(run->work->matrix, run->D, &regular));
    return regular ? SS_OK : ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: a matrix of %d rows is singular", y->n);
}

/* dv, and dr of the joints, where the contacts change by dr - D du */
static ss_status respond(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    for (int i = y->nr; i < y->rows; i++) {
        run->dr[i] = -run->u[i] / run->cones.prox;
    }
    memcpy(run->dv, run->F, (size_t)y->n * sizeof *run->dv);
    add_impulses(run, run->dr, run->dv);
    SS_TRY(ss_newton_matrix_solve(run->work->matrix, run->dv));
    times_J(run, run->dv, run->du);
    for (int i = y->nr; i < y->rows; i++) {
        run->dr[i] = -(run->u[i] + run->du[i]) / run->cones.prox;
    }
    return SS_OK;
}

/* dv, dlam, ds and dz for the aim that was set */
static ss_status direction(ipm_run *run)
{
    ss_cone_newton_force(&run->cones, run->dr);
    SS_TRY(respond(run));
    ss_cone_newton_direct(&run->cones, run->du);
    return SS_OK;
}

/* v and lam */
static void move(ipm_run *run, double a)
{
    for (int i = 0; i < run->units.n; i++) {
        run->v[i] += a * run->dv[i];
    }
    for (int i = run->units.nr; i < run->units.rows; i++) {
        run->r[i] += a * run->dr[i];
    }
}

static ss_status step(ipm_run *run)
{
    const double close = 0.99;
    double gap = ss_cone_newton_gap(&run->cones);
    ss_cone_newton_blocks(&run->cones, run->D);
    SS_TRY(factorise(run));
    ss_cone_newton_aim(&run->cones, 0, false);
    SS_TRY(direction(run));
    double a = ss_cone_newton_reach(&run->cones, 1), left = gap > 0 ? ss_cone_newton_gap_at(&run->cones, a) / gap : 0;
    double centre = pow(fmin(1, fmax(0, left)), 3);
    ss_cone_newton_aim(&run->cones, centre * gap, true);
    SS_TRY(direction(run));
    double length = fmin(1, close * ss_cone_newton_reach(&run->cones, 1 / close));
    ss_cone_newton_advance(&run->cones, length);
    move(run, length);
    return SS_OK;
}

/* ---- verdict ---------------------------------------------------------------------------------- */

static void write_solution(const ipm_run *run, const double *v, const double *r)
{
    ss_solution *s = run->solution;
    for (int i = 0; i < run->units.n && !run->local; i++) {
        s->v[i] = v[i] * run->units.v_unit[i];
    }
    for (int g = 0; g < run->units.groups; g++) {
        for (int row = run->units.first[g]; row < run->units.first[g + 1]; row++) {
            double *to = ss_row_units_is_joint(&run->units, g) ? s->lam + row - run->units.nr : s->r + row;
            *to = run->units.factor[row] * r[row] * run->units.unit[g];
        }
    }
}

/* the certificate of the point, kept if it is the best so far */
static ss_status judge(ipm_run *run)
{
    ss_residual now;
    write_solution(run, run->v, run->r);
    SS_TRY(run->info->iterations == 0 ? ss_residual_compute(run->work->residual, run->problem, run->solution, &now)
                                      : ss_residual_again(run->work->residual, run->problem, run->solution, &now));
    double worst = ss_residual_worst(&now);
    if (worst < run->best) {
        run->best = worst;
        run->info->residual = now;
        memcpy(run->best_v, run->v, (size_t)run->units.n * sizeof *run->v);
        memcpy(run->best_r, run->r, (size_t)run->units.rows * sizeof *run->r);
    }
    return SS_OK;
}

/* -w . r of a group; none of a box, whose row forbids nothing */
static double proof_of(const ipm_run *run, int g)
{
    double value = 0;
    bool forbids = ss_row_units_is_joint(&run->units, g) || run->cones.kind[g] != SS_CONE_BOX;
    for (int row = run->units.first[g]; row < run->units.first[g + 1]; row++) {
        run->du[row] = forbids ? run->r[row] : 0;
        value -= run->w[row] * run->du[row];
    }
    return value;
}

/* What the impulses at hand say about the constraints: every v that obeys them has |v| >= value / |J' r|. Twice the v at hand is
 * doubtful: as r grows without end, the certificate is granted to anything, being relative to r. */
static ipm_proof look_for_proof(ipm_run *run, int *worst)
{
    const double absurd = 1e8;
    double value = 0, most = 0;
    for (int g = 0; g < run->units.groups; g++) {
        double own = proof_of(run, g);
        value += own;
        if (own > most && !ss_row_units_is_joint(&run->units, g)) {
            most = own;
            *worst = g;
        }
    }
    memset(run->x, 0, (size_t)run->units.n * sizeof *run->x);
    add_impulses(run, run->du, run->x);
    double size = momentum_norm(run, run->x);
    times_A(run, run->v, run->y);
    double speed = sqrt(fmax(0, dot(run->units.n, run->v, run->y)));
    return value > absurd * size ? PROOF_FOUND : value > 2 * speed * size ? PROOF_POSSIBLE : PROOF_NONE;
}

/* ---- start ------------------------------------------------------------------------------------ */

/* min 1/2 v' A v - b' v + 1/2 |u|^2; then z = -s there, and both are moved into their cones */
static ss_status start_cold(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    memcpy(run->u, run->w, (size_t)y->rows * sizeof *run->u);
    memcpy(run->F, y->b, (size_t)y->n * sizeof *run->F);
    ss_cone_newton_identity(&run->cones, run->u);
    ss_cone_newton_blocks(&run->cones, run->D);
    SS_TRY(factorise(run));
    SS_TRY(direction(run));
    memcpy(run->v, run->dv, (size_t)y->n * sizeof *run->v);
    memcpy(run->r, run->dr, (size_t)y->rows * sizeof *run->r);
    for (int i = 0; i < y->rows; i++) {
        run->u[i] += run->du[i];
    }
    ss_cone_newton_start(&run->cones, run->u);
    return SS_OK;
}

/* the impulses that are given, scaled; those of joints are not */
static void read_impulses(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    for (int g = 0; g < y->groups; g++) {
        for (int row = y->first[g]; row < y->first[g + 1]; row++) {
            double f = y->factor[row] * y->unit[g];
            run->r[row] = f > 0 && row < y->nr ? run->solution->r[row] / f : 0;
        }
    }
}

/* v and lam of the given impulses: A v - G' lam = b + H' r, G v = c. A + G' G / delta leaves few digits of what joints do not
 * hold: the solution is refined. */
static ss_status follow(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    int passes = y->rows > y->nr ? 3 : 1;
    memset(run->D, 0, 9 * (size_t)y->groups * sizeof *run->D);
    memset(run->dr, 0, (size_t)y->rows * sizeof *run->dr);
    memset(run->v, 0, (size_t)y->n * sizeof *run->v);
    if (run->local) {
        add_missing(run);
    }
    SS_TRY(factorise(run));
    for (int k = 0; k < passes; k++) {
        balance(run);
        SS_TRY(respond(run));
        move(run, 1);
    }
    balance(run);
    return SS_OK;
}

/* the cones go in as deep as the given impulses fail to obey the laws */
static ss_status start_warm(ipm_run *run, bool *useful)
{
    int worst;
    const double least = 0.01 * run->tol, most = 10; /* a cold start goes in by about 1 */
    read_impulses(run);
    SS_TRY(follow(run));
    SS_TRY(judge(run)); /* as it was given */
    *useful = look_for_proof(run, &worst) == PROOF_NONE && ss_cone_newton_warm(&run->cones, run->u, run->r, least, most);
    run->best = *useful ? run->best : INFINITY;
    return SS_OK;
}

static ss_status start(ipm_run *run)
{
    bool given = run->solution->warm;
    for (int i = 0; i < run->units.nr && given; i++) {
        given = isfinite(run->solution->r[i]);
    }
    if (given) {
        SS_TRY(start_warm(run, &given));
    }
    return given ? SS_OK : start_cold(run);
}

/* ---- the iteration ------------------------------------------------------------------------------ */

/* One iteration and its verdict. Factors that cannot be had, for want of memory or because the matrix is singular in its last
 * bits, end it: a breakdown, with the best iterate so far. */
static ss_status iterate_once(ipm_run *run)
{
    int worst = run->info->residual.worst;
    ss_status status = step(run);
    if (status == SS_ERR_MEMORY || status == SS_ERR_NUMERIC) {
        run->info->outcome = SS_BREAKDOWN;
        return SS_OK;
    }
    SS_TRY(status);
    run->info->iterations++;
    evaluate(run);
    SS_TRY(judge(run));
    run->proof = look_for_proof(run, &worst);
    if (run->proof == PROOF_FOUND) {
        run->info->outcome = SS_INFEASIBLE;
        run->info->residual.worst = worst;
    }
    return SS_OK;
}

/* until the certificate is granted, or has not been halved for a while */
static ss_status iterate(ipm_run *run)
{
    enum { PATIENCE = 20 };
    ss_solver_info *info = run->info;
    int since = 0;
    if (run->best > run->tol) {
        evaluate(run);
        SS_TRY(judge(run));
    }
    double mark = run->best;
    info->outcome = SS_CONVERGED;
    while (info->outcome == SS_CONVERGED && (run->best > run->tol || run->proof != PROOF_NONE)) {
        if (since >= PATIENCE || info->iterations >= run->max_iter) {
            info->outcome = SS_MAX_ITER;
            break;
        }
        SS_TRY(iterate_once(run));
        since = run->best <= 0.5 * mark ? 0 : since + 1;
        mark = since == 0 ? run->best : mark;
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take(ipm_run *run)
{
    ss_arena *arena = run->work->arena;
    double **of_rows[] = { &run->w, &run->r, &run->u, &run->dr, &run->du, &run->e, &run->best_r };
    double **of_n[] = { &run->v, &run->F, &run->dv, &run->x, &run->y, &run->best_v };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.rows, sizeof **of_rows[k], of_rows[k]));
    }
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.n, sizeof **of_n[k], of_n[k]));
    }
    return ss_arena_take(arena, 9 * (size_t)run->units.groups, sizeof *run->D, &run->D);
}

static ss_status build_rows(ipm_run *run)
{
    const ss_problem *p = run->problem;
    ipm_work *work = run->work;
    SS_TRY(ss_velocity_rows(work->ctx, work->arena, p, &work->J));
    if (!run->local) {
        SS_TRY(ss_block_factor_update(work->ctx, &work->factor, &p->M));
        SS_TRY(ss_gram_build(work->ctx, &work->gram, &p->M, work->factor.L, &work->J));
    }
    return ss_row_units_find(work->arena, p, &work->J, &work->gram, work->factor.L, &run->units);
}

static ss_status prepare(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    SS_TRY(build_rows(run));
    SS_TRY(take(run));
    memcpy(run->w, y->w, (size_t)y->rows * sizeof *run->w);
    SS_TRY(ss_cone_newton_prepare(run->work->arena, run->problem, y->moves, y->bound, run->work->params->prox, &run->cones));
    ss_row_groups rows = { .J = &run->work->J, .count = y->groups, .first = y->first };
    return ss_newton_matrix_prepare(run->work->matrix, run->problem, &rows);
}

static void finish(ipm_run *run)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    write_solution(run, run->best_v, run->best_r);
    ss_csr_times(run->local ? &p->W : &p->H, 1, run->local ? s->r : s->v, 0, s->u);
    for (int i = 0; i < run->units.nr; i++) {
        s->u[i] += p->w[i];
    }
    for (int k = 0; k < p->nc; k++) {
        s->basis[k] = 0;
    }
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ipm_work *work = data;
    (void)ctx;
    ipm_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .best = INFINITY };
    run.max_iter = max_iter > 0 ? max_iter : work->params->max_iterations;
    run.local = problem->kind == SS_A_NONE;
    ss_arena_reset(work->arena);
    SS_TRY(prepare(&run));
    ss_status status = start(&run);
    SS_TRY(status == SS_ERR_MEMORY ? SS_ERR_NUMERIC : status); /* factors that do not fit: somebody else's turn */
    SS_TRY(iterate(&run));
    finish(&run);
    return SS_OK;
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
              .params_size = sizeof(ipm_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
