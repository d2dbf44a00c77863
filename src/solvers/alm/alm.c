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
 *   Newton:  (A + J' D J) dv = -F,  D = (k/d_i) dmap_i/dy
 *
 * Where every law has a potential (all but Coulomb's) F is the gradient of a convex function of v, and the step ends where this
 * is lowest along dv. With Coulomb's law it does so too, as long as that works; else steps are halved until |F| falls, with |F|^2
 * = F' B^-1 F.
 *
 * The matrix is as large as the velocities. It is regular however redundant contacts and joints are; the impulses that
 * are found are those nearest to r0, as the proximal term has it. k is the inverse of a pseudo time step: it grows while
 * Newton's method converges in a few steps, and falls when it does not; where it has reached its limit and only round-off
 * is left, a softer k gives the last digits. Newton's method is quick at what reaches far and slow at deciding contact by
 * contact who opens, sticks and slips; Gauss-Seidel is the reverse: sweeps come first, and again where Newton fails.
 * Local form u = W r + q: (W + W')/2 = J J' by a pivoted Cholesky, A = I; what J J' misses of W goes into w with r0.
 *
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353 (the maps); C. T. Kelley, D. E. Keyes,
 *             SIAM J. Numer. Anal. 35 (1998) 508 (the control of k)
 * Converges   for convex laws from anywhere; for Coulomb's no proof: measured in docs/alm.md
 * Cost        a factorisation of A + J' D J per Newton step. Memory only when a size is new, besides KLU's and MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "math/matrix.h"
#include "problem/gram.h"
#include "problem/kkt.h"
#include "problem/newton_matrix.h"
#include "problem/residual.h"
#include "problem/sweep.h"
#include "problem/velocity_rows.h"
#include "solvers/alm/law_map.h"
#include "solvers/solver.h"

#include <float.h>
#include <limits.h>
#include <math.h>

typedef struct alm_params {
    int max_newton, inner, patience, sweeps, more_sweeps;
    double start, growth, limit;
} alm_params;

static const ss_field fields[] = {
    SS_OPTION_INT(alm_params, max_newton, 400, 1, 1e9, "most Newton steps (factorisations) for one problem"),
    SS_OPTION_INT(alm_params, inner, 15, 1, 1000, "most Newton steps for one value of the proximal parameter k"),
    SS_OPTION_INT(alm_params, patience, 150, 1, 1e9, "gives up after this many Newton steps that have not halved the residual"),
    SS_OPTION_INT(alm_params, sweeps, 500, 0, 1e9, "Gauss-Seidel sweeps before the first Newton step of a cold start"),
    SS_OPTION_INT(alm_params, more_sweeps, 200, 0, 1e9,
                  "Gauss-Seidel sweeps of a warm start, and after Newton's method failed for a value of k"),
    SS_OPTION_NUMBER(alm_params, start, 1, 1e-6, 1e12, "smallest initial value of k; a better starting point gives a larger one"),
    SS_OPTION_NUMBER(alm_params, growth, 10, 1, 1e6, "largest factor by which k grows at once"),
    SS_OPTION_NUMBER(alm_params, limit, 1e7, 1, 1e12, "largest value of k"),
    SS_FIELD_END,
};

typedef struct alm_work {
    ss_context *ctx;
    const alm_params *params;
    ss_arena *arena;
    ss_csr J;
    ss_gram gram;
    ss_block_factor factor; /* of B */
    ss_newton_matrix *matrix;
    ss_residual_work *residual;
    ss_kkt *kkt;
    ss_sweep *sweep;
} alm_work;

/* a velocity and what follows from it */
typedef struct alm_point {
    double *v, *F, *r, *D; /* n, n, rows, 9 per group */
    double size;           /* |F|                     */
} alm_point;

/* one solve */
typedef struct alm_run {
    alm_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_newton;
    bool local, potential;   /* form; every law has a potential */
    int n, nr, rows, groups; /* velocities; contact rows; with joint rows; contacts and joint rows */
    int *first;              /* groups+1: rows of a group                        */
    double *d;               /* groups: mobility                                 */
    double *offset, *w;      /* rows: as given; with what J J' misses of W       */
    double *r0;              /* rows: the impulses to stay near                  */
    double *v0;              /* n: velocity where this k began                   */
    alm_point at, next;
    double *step, *x, *y; /* n                                                */
    double *u;            /* rows                                             */
    double k;
    double best; /* residual of the best iterate, which follows      */
    double *best_v, *best_r;
    int newton;
} alm_run;

static void destroy(ss_context *ctx, void *data)
{
    alm_work *work = data;
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
    alm_work *work;
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
static double row_scale(const alm_run *run, int row)
{
    const ss_csr *W = &run->problem->W;
    if (!run->local) {
        return ss_gram_diagonal(&run->work->gram, &run->problem->scale, row);
    }
    double diagonal = 0;
    for (int e = W->p[row]; e < W->p[row + 1]; e++) {
        diagonal += W->i[e] == row ? W->x[e] : 0;
    }
    return diagonal;
}

static void number_groups(alm_run *run)
{
    const ss_problem *p = run->problem;
    for (int g = 0; g <= run->groups; g++) {
        run->first[g] = g <= p->nc ? p->row[g] : run->nr + g - p->nc;
    }
    for (int g = 0; g < run->groups; g++) {
        double trace = 0;
        for (int row = run->first[g]; row < run->first[g + 1]; row++) {
            trace += row_scale(run, row);
        }
        run->d[g] = trace / (run->first[g + 1] - run->first[g]);
    }
    for (int i = 0; i < run->rows; i++) {
        run->offset[i] = i < run->nr ? p->w[i] : -p->c[i - run->nr];
    }
}

/* ---- laws ------------------------------------------------------------------------------------- */

/* r and D = -dr/du of every group at u; a group that touches nothing has none */
static void impulses(const alm_run *run, double *r, double *D)
{
    for (int g = 0; g < run->groups; g++) {
        int first = run->first[g], size = run->first[g + 1] - first;
        double rho = run->d[g] > 0 ? run->k / run->d[g] : 0, y[3];
        for (int i = 0; i < size; i++) {
            y[i] = run->d[g] > 0 ? run->r0[first + i] - rho * run->u[first + i] : 0;
        }
        ss_law_map(run->problem, g < run->problem->nc ? g : -1, y, r + first, D + 9 * g);
        for (int i = 0; i < size * size; i++) {
            D[9 * g + i] *= rho;
        }
    }
}

/* ---- momentum --------------------------------------------------------------------------------- */

static void times_A(const alm_run *run, const double *x, double *y)
{
    const ss_problem *p = run->problem;
    if (!run->local) {
        ss_matrix_times(&p->A, x, y);
    } else {
        memcpy(y, x, (size_t)run->n * sizeof *y);
    }
}

/* x <- B^-1 x */
static void solve_B(const alm_run *run, double *x)
{
    if (!run->local) {
        ss_blockdiag_solve(&run->problem->scale, run->work->factor.L, x);
    }
}

static double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
    }
    return s;
}

/* sqrt(x' B^-1 x) */
static double momentum_norm(const alm_run *run, const double *x)
{
    memcpy(run->y, x, (size_t)run->n * sizeof *x);
    solve_B(run, run->y);
    return sqrt(fmax(0, dot(run->n, x, run->y)));
}

/* r, D and F = A v - b - J' r at point->v */
static void evaluate(const alm_run *run, alm_point *point)
{
    const ss_csr *J = &run->work->J;
    memcpy(run->u, run->w, (size_t)run->rows * sizeof *run->u);
    ss_csr_times(J, 1, point->v, 1, run->u);
    impulses(run, point->r, point->D);
    times_A(run, point->v, point->F);
    ss_csr_transpose_times(J, -1, point->r, 1, point->F);
    for (int i = 0; i < run->n && !run->local; i++) {
        point->F[i] -= run->problem->b[i];
    }
    point->size = momentum_norm(run, point->F);
}

/* what round-off alone makes of |F|: eps times |A v| + |J|' ( |r0| + (k/d)(|J||v| + |w|) ) */
static double round_off(const alm_run *run, const alm_point *point)
{
    const ss_csr *J = &run->work->J;
    times_A(run, point->v, run->x);
    for (int i = 0; i < run->n; i++) {
        run->x[i] = fabs(run->x[i]);
    }
    for (int g = 0; g < run->groups; g++) {
        double rho = run->d[g] > 0 ? run->k / run->d[g] : 0;
        for (int row = run->first[g]; row < run->first[g + 1]; row++) {
            double u = fabs(run->w[row]);
            for (int e = J->p[row]; e < J->p[row + 1]; e++) {
                u += fabs(J->x[e] * point->v[J->i[e]]);
            }
            for (int e = J->p[row]; e < J->p[row + 1]; e++) {
                run->x[J->i[e]] += fabs(J->x[e]) * (fabs(run->r0[row]) + rho * u);
            }
        }
    }
    return 4 * DBL_EPSILON * momentum_norm(run, run->x);
}

/* sqrt(dv' A dv) from where this k began */
static double moved(const alm_run *run)
{
    for (int i = 0; i < run->n; i++) {
        run->x[i] = run->at.v[i] - run->v0[i];
    }
    times_A(run, run->x, run->y);
    return sqrt(fmax(0, dot(run->n, run->x, run->y)));
}

/* ---- Newton's method for one k ---------------------------------------------------------------- */

static void swap_points(alm_run *run)
{
    alm_point t = run->at;
    run->at = run->next;
    run->next = t;
}

/* next <- v + t step; its slope F . step */
static double try_step(alm_run *run, double t)
{
    for (int i = 0; i < run->n; i++) {
        run->next.v[i] = run->at.v[i] + t * run->step[i];
    }
    evaluate(run, &run->next);
    return dot(run->n, run->next.F, run->step);
}

/* the largest t = 1, 1/2, .. at which |F| falls, or is nothing but round-off */
static bool search_size(alm_run *run, double floor)
{
    enum { HALVINGS = 12 };
    double t = 1;
    bool falls = false;
    for (int k = 0; k < HALVINGS && !falls; k++, t *= 0.5) {
        try_step(run, t);
        falls = run->next.size <= (1 - 1e-3 * t) * run->at.size || run->next.size <= floor;
    }
    return falls;
}

/* With a potential F is its gradient: t = 1 if |F| is halved there or the potential still falls, else the t where it is flat, to
 * a tenth of the slope at the beginning, by regula falsi with the value of the end that stays halved. */
static bool search_minimum(alm_run *run, double slope, double floor)
{
    enum { TRIALS = 30 };
    double low = 0, high = 1, at_low = slope, at_high = try_step(run, 1), flat = -0.1 * slope;
    bool found = at_high <= flat || run->next.size <= fmax(0.5 * run->at.size, floor);
    for (int k = 0; k < TRIALS && !found; k++) {
        double t = (low * at_high - high * at_low) / (at_high - at_low), s = try_step(run, t);
        found = fabs(s) <= flat || run->next.size <= floor;
        if (s > 0) {
            high = t;
            at_high = s;
            at_low *= 0.5;
        } else {
            low = t;
            at_low = s;
            at_high *= 0.5;
        }
    }
    return found;
}

/* move along the step. Coulomb's law has no potential, yet F is nearly a gradient: both searches serve, in turn after a failure
 */
static bool search(alm_run *run, double floor)
{
    double slope = dot(run->n, run->at.F, run->step);
    bool flat = slope < 0 && (run->potential || run->info->restarts % 2 == 0);
    bool found = flat ? search_minimum(run, slope, floor) : search_size(run, floor);
    found = found && isfinite(run->next.size);
    if (found) {
        swap_points(run);
    }
    return found;
}

static ss_status newton_step(alm_run *run, double floor, bool *done)
{
    run->newton++;
    run->info->factorisations++;
    SS_TRY(ss_newton_matrix_factor(run->work->matrix, run->at.D, done));
    if (!*done) {
        return SS_OK;
    }
    for (int i = 0; i < run->n; i++) {
        run->step[i] = -run->at.F[i];
    }
    SS_TRY(ss_newton_matrix_solve(run->work->matrix, run->step));
    *done = search(run, floor);
    return SS_OK;
}

/* F(v) = 0 to a tenth of what v has moved: r0 moves on anyway. *steps: Newton steps taken */
static ss_status newton(alm_run *run, bool *solved, int *steps)
{
    const double inner_tol = 0.1;
    bool going = true;
    evaluate(run, &run->at);
    double begun = run->at.size;
    *solved = false;
    for (*steps = 0; going && !*solved && *steps <= run->work->params->inner; ++*steps) {
        double floor = round_off(run, &run->at);
        *solved = *steps > 0 && run->at.size <= fmax(inner_tol * fmin(begun, moved(run)), floor);
        if (!*solved) {
            SS_TRY(newton_step(run, floor, &going));
        }
    }
    --*steps;
    return SS_OK;
}

/* ---- verdict ---------------------------------------------------------------------------------- */

static void write_solution(const alm_run *run, const double *v, const double *r)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    memcpy(s->r, r, (size_t)run->nr * sizeof *r);
    if (!run->local) {
        memcpy(s->v, v, (size_t)p->nv * sizeof *v);
    }
    if (!run->local && p->nj > 0) {
        memcpy(s->lam, r + run->nr, (size_t)p->nj * sizeof *r);
    }
}

/* the certificate of (v, r), kept if it is the best so far */
static ss_status offer(alm_run *run, const double *v, const double *r, double *residual)
{
    ss_residual now;
    write_solution(run, v, r);
    SS_TRY(ss_residual_compute(run->work->residual, run->problem, run->solution, &now));
    *residual = ss_residual_worst(&now);
    if (*residual < run->best || run->best == INFINITY) {
        run->best = *residual;
        run->info->residual = now;
        memcpy(run->best_v, v, (size_t)run->n * sizeof *v);
        memcpy(run->best_r, r, (size_t)run->rows * sizeof *r);
    }
    return SS_OK;
}

/* v of the momentum equation for the impulses r: A^-1 (b + J' r) */
static void velocity_of(const alm_run *run, const double *r, double *v)
{
    memcpy(v, run->problem->b, (size_t)run->n * sizeof *v);
    ss_csr_transpose_times(&run->work->J, 1, r, 1, v);
    solve_B(run, v);
}

/* the iterate, with its own v or the one of the momentum equation; the better residual of the two */
static ss_status judge(alm_run *run, double *residual)
{
    double other = INFINITY;
    SS_TRY(offer(run, run->at.v, run->at.r, residual));
    if (*residual > run->tol && !run->local && ss_matrix_is_block_diagonal(&run->problem->A)) {
        velocity_of(run, run->at.r, run->x);
        SS_TRY(offer(run, run->x, run->at.r, &other));
    }
    *residual = fmin(*residual, other);
    return SS_OK;
}

/* ---- the sequence of k ------------------------------------------------------------------------ */

/* r0 <- r, and w with it: W r0 + q = J J' r0 + w */
static void move_centre(alm_run *run, const double *r)
{
    if (r != run->r0) {
        memcpy(run->r0, r, (size_t)run->rows * sizeof *r);
    }
    memcpy(run->w, run->offset, (size_t)run->rows * sizeof *run->w);
    if (run->local) {
        ss_csr_transpose_times(&run->work->J, 1, r, 0, run->x);
        ss_csr_times(&run->work->J, -1, run->x, 1, run->w);
        ss_csr_times(&run->problem->W, 1, r, 1, run->w);
    }
}

/* v, and lam, of the impulses r0 alone: A v - G' lam = b + H' r0, G v = c */
static ss_status start_velocity(alm_run *run)
{
    const ss_problem *p = run->problem;
    if (run->local) {
        ss_csr_transpose_times(&run->work->J, 1, run->r0, 0, run->at.v);
        return SS_OK;
    }
    memcpy(run->x, p->b, (size_t)run->n * sizeof *run->x);
    ss_csr_transpose_times(&p->H, 1, run->r0, 1, run->x);
    return ss_kkt_solve(run->work->kkt, run->x, p->c, run->at.v, run->r0 + run->nr);
}

/* Gauss-Seidel sweeps on r0; then v and lam from it */
static ss_status settle(alm_run *run, int sweeps)
{
    ss_sweep *sweep = run->work->sweep;
    double residual;
    for (int island = 0; island < ss_sweep_islands(sweep) && sweeps > 0; island++) {
        if (!ss_sweep_takes(sweep, island)) {
            continue;
        }
        ss_sweep_start(sweep, island, run->r0);
        for (int k = 0; k < sweeps; k++) {
            ss_sweep_pass(sweep, island, run->r0);
        }
    }
    SS_TRY(start_velocity(run));
    move_centre(run, run->r0);
    return offer(run, run->at.v, run->r0, &residual);
}

/* the given impulses, if there are any; where a group touches nothing, none */
static void read_impulses(alm_run *run)
{
    for (int g = 0; g < run->groups; g++) {
        for (int i = run->first[g]; i < run->first[g + 1]; i++) {
            bool given = i < run->nr && run->solution->warm && run->d[g] > 0 && isfinite(run->solution->r[i]);
            run->r0[i] = given ? run->solution->r[i] : 0;
        }
    }
}

/* sweeps, and a k that is the larger the better they end */
static ss_status start(alm_run *run)
{
    const alm_params *params = run->work->params;
    const ss_sweep_options options = { .colour_above = INT_MAX, .largest_cluster = SS_SWEPT_CLUSTER };
    const double safe = 0.1, most = 1e4;
    if (!run->local) {
        SS_TRY(ss_kkt_factor(run->work->kkt, run->problem));
        run->info->factorisations++;
    }
    SS_TRY(ss_sweep_prepare(run->work->sweep, run->problem, run->local ? NULL : run->work->kkt, &options));
    read_impulses(run);
    SS_TRY(settle(run, 0));
    if (run->best > run->tol) {
        SS_TRY(settle(run, run->solution->warm ? params->more_sweeps : params->sweeps));
    }
    run->k = fmax(params->start, fmin(most, safe / run->best));
    return SS_OK;
}

/* k after a solve that took `steps` Newton steps */
static void grow(alm_run *run, double growth, int steps, double residual, double before)
{
    const double softer = 1e-3, limit = run->work->params->limit;
    if (residual > 0.9 * before && run->k >= limit) {
        run->k *= softer; /* round-off grows with k */
    } else if (steps <= 4) {
        run->k = fmin(run->k * growth, limit);
    } else if (steps <= 8) {
        run->k = fmin(run->k * fmin(growth, 2), limit);
    }
}

static ss_status iterate(alm_run *run)
{
    const alm_params *params = run->work->params;
    const double least = 1e-6, drop = 0.1;
    double growth = params->growth, residual = run->best, before = INFINITY, mark = run->best;
    int mark_at = 0;
    while (run->best > run->tol && run->newton < run->max_newton && run->k > least && run->newton - mark_at < params->patience) {
        bool solved;
        int steps;
        memcpy(run->v0, run->at.v, (size_t)run->n * sizeof *run->v0);
        SS_TRY(newton(run, &solved, &steps));
        if (!solved) {
            SS_TRY(settle(run, run->local ? 0 : params->more_sweeps)); /* a sweep over W costs as much as a Newton step */
            run->k *= drop;
            growth = fmax(2, pow(growth, 0.7));
            run->info->restarts++;
            continue;
        }
        SS_TRY(judge(run, &residual));
        move_centre(run, run->at.r);
        grow(run, growth, steps, residual, before);
        before = residual;
        if (run->best <= 0.5 * mark) {
            mark = run->best;
            mark_at = run->newton;
        }
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take_point(alm_run *run, alm_point *point)
{
    ss_arena *arena = run->work->arena;
    SS_TRY(ss_arena_take(arena, (size_t)run->n, sizeof *point->v, &point->v));
    SS_TRY(ss_arena_take(arena, (size_t)run->n, sizeof *point->F, &point->F));
    SS_TRY(ss_arena_take(arena, (size_t)run->rows, sizeof *point->r, &point->r));
    return ss_arena_take(arena, 9 * (size_t)run->groups, sizeof *point->D, &point->D);
}

static ss_status take(alm_run *run)
{
    ss_arena *arena = run->work->arena;
    double **of_rows[] = { &run->offset, &run->w, &run->r0, &run->u, &run->best_r };
    double **of_n[] = { &run->v0, &run->step, &run->x, &run->y, &run->best_v };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->rows, sizeof **of_rows[k], of_rows[k]));
    }
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->n, sizeof **of_n[k], of_n[k]));
    }
    SS_TRY(ss_arena_take(arena, (size_t)run->groups + 1, sizeof *run->first, &run->first));
    SS_TRY(ss_arena_take(arena, (size_t)run->groups, sizeof *run->d, &run->d));
    SS_TRY(take_point(run, &run->at));
    return take_point(run, &run->next);
}

static ss_status build_rows(alm_run *run)
{
    const ss_problem *p = run->problem;
    alm_work *work = run->work;
    SS_TRY(ss_velocity_rows(work->ctx, work->arena, p, &work->J));
    run->n = work->J.n;
    if (run->local) {
        return SS_OK;
    }
    SS_TRY(ss_block_factor_update(work->ctx, &work->factor, &p->scale));
    return ss_gram_build(work->ctx, &work->gram, &p->scale, work->factor.L, &work->J);
}

static void finish(alm_run *run)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    write_solution(run, run->best_v, run->best_r);
    ss_csr_times(run->local ? &p->W : &p->H, 1, run->local ? s->r : s->v, 0, s->u);
    for (int i = 0; i < run->nr; i++) {
        s->u[i] += p->w[i];
    }
    for (int k = 0; k < p->nc; k++) {
        s->basis[k] = 0;
    }
    run->info->iterations = run->newton;
    run->info->outcome = run->best <= run->tol ? SS_CONVERGED : SS_MAX_ITER;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    alm_work *work = data;
    (void)ctx;
    alm_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol, .best = INFINITY };
    run.max_newton = max_iter > 0 ? max_iter : work->params->max_newton;
    run.local = problem->local;
    run.potential = ss_law_map_has_potential(problem);
    run.nr = problem->row[problem->nc];
    run.rows = run.nr + (run.local ? 0 : problem->nj);
    run.groups = problem->nc + (run.local ? 0 : problem->nj);
    run.n = problem->nv;
    ss_arena_reset(work->arena);
    SS_TRY(build_rows(&run));
    SS_TRY(take(&run));
    number_groups(&run);
    ss_row_groups rows = { .J = &work->J, .count = run.groups, .first = run.first };
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
                      SS_LAW_ASSOCIATED_POLYHEDRAL,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(alm_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
