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
 *
 * Infeasible: if r in K and lam cancel, J'(r, lam) = 0, while -(w.r - c.lam) > 0, no v obeys the constraints. In numbers: on an
 * island |J'(r, lam)| is below 3e-11 of the sum of its terms, and every v that obeyed would have
 *     |v| >= -(w.r - c.lam) / |J'(r, lam)|,
 * a thousand times what it is; for r or what r grows by, in two iterates in a row.
 *
 * Converged: the certificate, and a gap. The certificate alone is relative to impulses; where these are huge it is granted to
 * wrong velocities. The function is strongly convex: with F = b + J' r - A v
 *     |v - v*|^2 <= 2 (u.r + what u lacks of K* times r + |F|^2)    about, r standing for r* in the second
 *
 * Reference   S. Mehrotra, SIAM J. Optim. 2 (1992) 575; Y. E. Nesterov, M. J. Todd, SIAM J. Optim. 8 (1998) 324;
 *             the program: [Ani06] (5.3), (5.5)
 * Converges   in some 10 to 40 iterations, where impulses stay below some 1e12 times what stops the largest free velocity; beyond
 *             (wedges with mass ratios, contacts that nearly oppose each other) it may end `inaccurate` or `max_iter`
 * Cost        a factorisation of A + J' D J and two solutions with it per iteration. Memory when a size is new, besides MUMPS's
 * Certificate that of what is returned, left in info                                                  */
#include "base/tolerances.h"
#include "math/matrix.h"
#include "problem/gram.h"
#include "problem/newton_matrix.h"
#include "problem/residual.h"
#include "problem/velocity_rows.h"
#include "solvers/cone_ipm/cone_newton.h"
#include "solvers/cone_ipm/row_units.h"
#include "solvers/solver.h"

#include <float.h>
#include <math.h>

/* Gap that is aimed at, at any tolerance, and that is taken where no less is to be had: velocities to 1e-5 and 1e-4 at the worst,
 * mostly much better. */
static const double AIM_GAP = 1e-10, MOST_GAP = 1e-8;

typedef struct ipm_params {
    int max_iterations;
    double prox;
} ipm_params;

static const ss_field fields[] = {
    SS_OPTION_INT(ipm_params, max_iterations, 100, 1, 1e9, "most iterations (factorisations), if the solver's max_iter is 0"),
    SS_OPTION_NUMBER(ipm_params, prox, 1e-12, 1e-16, 1, "weight delta of the proximal term in the impulses"),
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

/* of a ray (impulses in K that might prove something) and of the point, by island */
typedef struct ipm_islands {
    double *value, *offsets; /* -w . r, and the sum of its terms without their signs      */
    double *size, *terms;    /* |J' r|, and the sum of the |J_g' r_g|                      */
    double *speed;           /* |v|                                                        */
    double *gap;             /* what the point lacks of complementarity                    */
    bool *found;             /* a ray proves the island infeasible                         */
    int *shown;              /* iterations in a row that did                               */
    int *blame, *culprit;    /* the contact with the largest share in the ray, in the last proof; -1 */
} ipm_islands;

/* least figures so far: certificate, gap, and what a ray that refutes an island lacks of a proof */
typedef struct ipm_progress {
    double residual, gap, ray;
} ipm_progress;

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
    ipm_islands islands;
    double *w;         /* rows: scaled offsets, in local form with what J J' misses of W */
    double *v, *r, *u; /* n, rows, rows: where it is                       */
    double *F;         /* n: b + J' r - A v                                */
    double *dv, *dr, *du;
    double *growth; /* rows: that of r in the last step, as far as it is in K     */
    double *D;      /* 9 per group                                      */
    double *x, *y;  /* n: scratch                                       */
    double *e;      /* rows: scratch                                    */
    ss_cone_newton cones;
    bool doubtful;         /* an island is proved infeasible, by one iterate only         */
    bool granted;          /* the best iterate has both certificate and gap               */
    ipm_progress least;    /* of all iterates                                        */
    double best, best_gap; /* merit and gap of the best iterate, which follows     */
    double *best_v, *best_r;
} ipm_run;

/* all memory, which somebody else may need more */
static void release(ipm_work *work)
{
    ss_arena_destroy(work->arena);
    ss_csr_free(work->ctx, &work->J);
    ss_gram_free(work->ctx, &work->gram);
    ss_block_factor_free(work->ctx, &work->factor);
    ss_newton_matrix_destroy(work->matrix);
    ss_residual_destroy(work->residual);
    *work = (ipm_work){ .ctx = work->ctx, .params = work->params };
}

static void destroy(ss_context *ctx, void *data)
{
    ipm_work *work = data;
    if (work) {
        release(work);
        ss_free(ctx, work);
    }
}

/* what is not there yet */
static ss_status create_parts(ipm_work *work)
{
    SS_TRY(work->arena ? SS_OK : ss_arena_create(work->ctx, 1 << 16, &work->arena));
    SS_TRY(work->matrix ? SS_OK : ss_newton_matrix_create(work->ctx, true, &work->matrix));
    return work->residual ? SS_OK : ss_residual_create(work->ctx, &work->residual);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    ipm_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    return create_parts(work);
}

/* ---- products --------------------------------------------------------------------------------- */

static void times_A(const ipm_run *run, const double *x, double *y)
{
    const ss_problem *p = run->problem;
    if (!run->local) {
        ss_matrix_times(&p->A, x, y);
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

/* norm[island] = sqrt(x . y) */
static void norms(const ipm_run *run, const double *x, const double *y, double *norm)
{
    const ss_row_units *units = &run->units;
    memset(norm, 0, (size_t)units->islands * sizeof *norm);
    for (int i = 0; i < units->n; i++) {
        if (units->of_v[i] >= 0) {
            norm[units->of_v[i]] += x[i] * y[i];
        }
    }
    for (int k = 0; k < units->islands; k++) {
        norm[k] = sqrt(fmax(0, norm[k]));
    }
}

/* norm[island] = sqrt(x' B^-1 x) */
static void momentum_norms(const ipm_run *run, const double *x, double *norm)
{
    memcpy(run->y, x, (size_t)run->units.n * sizeof *x);
    if (!run->local) {
        ss_blockdiag_solve(&run->problem->scale, run->work->factor.L, run->y);
    }
    norms(run, x, run->y, norm);
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
    for (int i = 0; i < y->n; i++) {
        if (!isfinite(run->dv[i])) {
            return ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: velocity %d of a step is not finite", i);
        }
    }
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

/* as far as the cones allow; less where round-off puts one of them outside nevertheless */
static ss_status advance(ipm_run *run)
{
    const double close = 0.99, least = 1e-10;
    double length = fmin(1, close * ss_cone_newton_reach(&run->cones, 1 / close));
    ss_cone_newton_growth(&run->cones, run->growth);
    memcpy(run->growth + run->units.nr, run->dr + run->units.nr, (size_t)(run->units.rows - run->units.nr) * sizeof *run->dr);
    while (!ss_cone_newton_advance(&run->cones, length)) {
        length *= 0.5;
        if (!(length > least)) {
            return ss_fail(run->work->ctx, SS_ERR_NUMERIC, "cone_ipm: no step stays in the cones");
        }
    }
    move(run, length);
    return SS_OK;
}

/* with D as stiff as the factorisation bears: delta is raised until all pivots are positive */
static ss_status factorise_soft(ipm_run *run)
{
    const double softest = 1e-6;
    ss_cone_newton_blocks(&run->cones, run->D);
    ss_status status = factorise(run);
    while (status == SS_ERR_NUMERIC && run->cones.prox < softest) {
        run->cones.prox *= 100;
        ss_cone_newton_blocks(&run->cones, run->D);
        status = factorise(run);
    }
    return status;
}

static ss_status step(ipm_run *run)
{
    double gap = ss_cone_newton_gap(&run->cones);
    SS_TRY(factorise_soft(run));
    ss_cone_newton_aim(&run->cones, 0, false);
    SS_TRY(direction(run));
    double a = ss_cone_newton_reach(&run->cones, 1), left = gap > 0 ? ss_cone_newton_gap_at(&run->cones, a) / gap : 0;
    double centre = pow(fmin(1, fmax(0, left)), 3);
    ss_cone_newton_aim(&run->cones, centre * gap, true);
    SS_TRY(direction(run));
    return advance(run);
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

/* round-off of u . r: |r| (|J| |v| + |w|) in last bits */
static double round_off(const ipm_run *run, int g)
{
    const ss_csr *J = &run->work->J;
    double sum = 0;
    for (int row = run->units.first[g]; row < run->units.first[g + 1]; row++) {
        double size = 0;
        for (int e = J->p[row]; e < J->p[row + 1]; e++) {
            size += fabs(J->x[e] * run->v[J->i[e]]);
        }
        sum += fabs(run->r[row]) * (run->units.factor[row] * size + fabs(run->w[row]));
    }
    return SS_TOL_CANCELLED * sum;
}

static double lack_of(const ipm_run *run, int g)
{
    int row = run->units.first[g];
    double lack = ss_row_units_is_joint(&run->units, g) ? fabs(run->u[row] * run->r[row])
                                                        : ss_cone_newton_slackness(&run->cones, g, run->u + row, run->r + row);
    return fmax(0, lack - round_off(run, g));
}

/* The largest over the islands of  (sum of what u.r lacks + |F|^2) / max(1, |J' r|^2),  the latter being what the impulses
 * change, and 1 the largest free velocity. Strong convexity: |v - v*|^2 is at most about twice that. */
static double relative_gap(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    ipm_islands *i = &run->islands;
    double worst = 0;
    momentum_norms(run, run->F, i->gap);
    memset(run->x, 0, (size_t)y->n * sizeof *run->x);
    add_impulses(run, run->r, run->x);
    momentum_norms(run, run->x, i->size);
    for (int k = 0; k < y->islands; k++) {
        i->gap[k] *= i->gap[k];
    }
    for (int g = 0; g < y->groups; g++) {
        if (y->moves[g]) {
            i->gap[y->of_group[g]] += lack_of(run, g);
        }
    }
    for (int k = 0; k < y->islands; k++) {
        worst = fmax(worst, i->gap[k] / fmax(1, i->size[k] * i->size[k]));
    }
    return worst;
}

/* The certificate and the gap of the point, kept if it is the best so far: by its residual, and once that is granted by its gap.
 */
static ss_status judge(ipm_run *run)
{
    ss_residual now;
    write_solution(run, run->v, run->r);
    SS_TRY(run->info->iterations == 0 ? ss_residual_compute(run->work->residual, run->problem, run->solution, &now)
                                      : ss_residual_again(run->work->residual, run->problem, run->solution, &now));
    double residual = ss_residual_worst(&now), gap = relative_gap(run);
    double merit = residual > run->tol ? residual : run->tol * gap / (1 + gap);
    run->least.residual = fmin(run->least.residual, residual);
    run->least.gap = fmin(run->least.gap, gap);
    if (merit < run->best) {
        run->best = merit;
        run->granted = residual <= run->tol && gap <= fmax(run->tol, AIM_GAP);
        run->best_gap = gap;
        run->info->residual = now;
        memcpy(run->best_v, run->v, (size_t)run->units.n * sizeof *run->v);
        memcpy(run->best_r, run->r, (size_t)run->units.rows * sizeof *run->r);
    }
    return SS_OK;
}

/* ---- proof that nothing obeys the constraints ----------------------------------------------- */

/* -w . r of a group; none of a box, whose row forbids nothing */
static double proof_of(ipm_run *run, int g, const double *ray)
{
    const ss_row_units *y = &run->units;
    ipm_islands *i = &run->islands;
    int island = y->of_group[g];
    double value = 0, square = 0;
    bool forbids = y->moves[g] && (ss_row_units_is_joint(y, g) || run->cones.kind[g] != SS_CONE_BOX);
    for (int row = y->first[g]; row < y->first[g + 1]; row++) {
        run->du[row] = forbids ? ray[row] : 0;
        value -= y->w[row] * run->du[row];
        square += pow(y->factor[row] * run->du[row], 2);
    }
    if (forbids) {
        i->value[island] += value;
        i->offsets[island] += fabs(value);
        i->terms[island] += sqrt(square) / y->factor[y->first[g]];
    }
    return value;
}

/* figures of the ray on every island, and whom to blame there */
static void weigh(ipm_run *run, const double *ray)
{
    const ss_row_units *y = &run->units;
    ipm_islands *i = &run->islands;
    double *most = i->gap; /* nobody needs it any more */
    for (int k = 0; k < y->islands; k++) {
        i->value[k] = i->offsets[k] = i->terms[k] = most[k] = 0;
        i->blame[k] = -1;
    }
    for (int g = 0; g < y->groups; g++) {
        double own = proof_of(run, g, ray);
        if (own > 0 && !ss_row_units_is_joint(y, g) && own > most[y->of_group[g]]) {
            most[y->of_group[g]] = own;
            i->blame[y->of_group[g]] = g;
        }
    }
    memset(run->x, 0, (size_t)y->n * sizeof *run->x);
    add_impulses(run, run->du, run->x);
    momentum_norms(run, run->x, i->size);
    times_A(run, run->v, run->y);
    norms(run, run->v, run->y, i->speed);
}

/* every v that obeys the constraints of the island would be more than so many times as large as it is */
static bool refutes(const ipm_run *run, int k, double times)
{
    const ipm_islands *i = &run->islands;
    const double digits = 1e-12; /* of the sum -w . r */
    return i->value[k] > digits * i->offsets[k] && i->value[k] > times * fmax(1, i->speed[k]) * i->size[k];
}

/* Impulses r in K and lam that cancel, |J' r| being nothing but round-off of its terms, while -w . r > 0. */
static bool proves(ipm_run *run, int k)
{
    const double absurd = 1e3;
    double ratio = run->islands.size[k] / run->islands.terms[k];
    bool refuted = refutes(run, k, absurd);
    run->least.ray = refuted ? fmin(run->least.ray, ratio) : run->least.ray;
    return refuted && ratio <= SS_TOL_INFEASIBLE;
}

/* Ask the impulses, and what they grow by: those that have nothing to do with it drop out of the latter. An island is infeasible
 * when two iterates in a row say so. */
static bool look_for_proof(ipm_run *run, int *worst)
{
    const double *rays[] = { run->r, run->growth };
    ipm_islands *i = &run->islands;
    bool proved = false;
    memset(i->found, 0, (size_t)run->units.islands * sizeof *i->found);
    for (int j = 0; j < 2; j++) {
        weigh(run, rays[j]);
        for (int k = 0; k < run->units.islands; k++) {
            if (proves(run, k)) {
                i->found[k] = true;
                i->culprit[k] = i->blame[k];
            }
        }
    }
    run->doubtful = false;
    for (int k = 0; k < run->units.islands; k++) {
        i->shown[k] = i->found[k] ? i->shown[k] + 1 : 0;
        run->doubtful = run->doubtful || i->found[k];
        if (i->shown[k] >= 2 && !proved) {
            proved = true;
            *worst = i->culprit[k];
        }
    }
    return proved;
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
    const double least = 0.01 * run->tol, most = 10; /* a cold start goes in by about 1 */
    read_impulses(run);
    SS_TRY(follow(run));
    SS_TRY(judge(run)); /* as it was given */
    *useful = true;
    weigh(run, run->r);
    for (int k = 0; k < run->units.islands && *useful; k++) {
        *useful = !refutes(run, k, 2); /* impulses of an infeasible problem, grown without end */
    }
    *useful = *useful && ss_cone_newton_warm(&run->cones, run->u, run->r, least, most);
    if (!*useful) {
        run->best = INFINITY;
        run->granted = false;
    }
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
    int worst = -1;
    ss_status status = step(run);
    if (status == SS_ERR_MEMORY || status == SS_ERR_NUMERIC) {
        run->info->outcome = SS_BREAKDOWN;
        run->info->starved = status == SS_ERR_MEMORY;
        return SS_OK;
    }
    SS_TRY(status);
    run->info->iterations++;
    evaluate(run);
    SS_TRY(judge(run));
    if (look_for_proof(run, &worst)) {
        run->info->outcome = SS_INFEASIBLE;
        run->info->residual.worst = worst;
    }
    return SS_OK;
}

/* nothing is half of what it was */
static bool stalls(const ipm_run *run, ipm_progress *mark)
{
    const ipm_progress *now = &run->least;
    bool stalled = now->residual > 0.5 * mark->residual && now->gap > 0.5 * mark->gap && !(now->ray < 0.5 * mark->ray);
    *mark = stalled ? *mark : *now;
    return stalled;
}

/* Of the best iterate, where no better one is to be had. Without the gap a residual that is small, or would be granted to someone
 * who asks for less, means nothing. */
static ss_outcome verdict(const ipm_run *run)
{
    const double less = 1e3;
    double residual = ss_residual_worst(&run->info->residual);
    bool close = run->best_gap <= fmax(run->tol, MOST_GAP) && !run->doubtful;
    return residual <= run->tol && close           ? SS_CONVERGED
           : residual <= less * run->tol && !close ? SS_INACCURATE
                                                   : run->info->outcome;
}

/* Until certificate and gap are granted, or nothing has got better for a while. A certificate alone is not converged: it is
 * relative to the impulses, which may be huge. */
static ss_status iterate(ipm_run *run)
{
    enum { PATIENCE = 20 };
    ss_solver_info *info = run->info;
    ipm_progress mark = { INFINITY, INFINITY, INFINITY };
    int since = 0;
    if (!run->granted) {
        evaluate(run);
        SS_TRY(judge(run));
    }
    info->outcome = SS_CONVERGED;
    while (info->outcome == SS_CONVERGED && (!run->granted || run->doubtful)) {
        since = stalls(run, &mark) ? since + 1 : 0;
        if (since >= PATIENCE || info->iterations >= run->max_iter) {
            info->outcome = SS_MAX_ITER;
        } else {
            SS_TRY(iterate_once(run));
        }
    }
    if (info->outcome == SS_MAX_ITER || info->outcome == SS_BREAKDOWN) {
        info->outcome = verdict(run);
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------- */

static ss_status take_islands(ss_arena *arena, int count, ipm_islands *i)
{
    double **numbers[] = { &i->value, &i->offsets, &i->size, &i->terms, &i->speed, &i->gap };
    int **integers[] = { &i->shown, &i->blame, &i->culprit };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)count, sizeof **numbers[k], numbers[k]));
    }
    for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)count, sizeof **integers[k], integers[k]));
    }
    return ss_arena_take(arena, (size_t)count, sizeof *i->found, &i->found);
}

static ss_status take(ipm_run *run)
{
    ss_arena *arena = run->work->arena;
    double **of_rows[] = { &run->w, &run->r, &run->u, &run->dr, &run->du, &run->e, &run->best_r, &run->growth };
    double **of_n[] = { &run->v, &run->F, &run->dv, &run->x, &run->y, &run->best_v };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.rows, sizeof **of_rows[k], of_rows[k]));
    }
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)run->units.n, sizeof **of_n[k], of_n[k]));
    }
    SS_TRY(ss_arena_take(arena, 9 * (size_t)run->units.groups, sizeof *run->D, &run->D));
    return take_islands(arena, run->units.islands, &run->islands);
}

static ss_status build_rows(ipm_run *run)
{
    const ss_problem *p = run->problem;
    ipm_work *work = run->work;
    SS_TRY(ss_velocity_rows(work->ctx, work->arena, p, &work->J));
    if (!run->local) {
        SS_TRY(ss_block_factor_update(work->ctx, &work->factor, &p->scale));
        SS_TRY(ss_gram_build(work->ctx, &work->gram, &p->scale, work->factor.L, &work->J));
    }
    return ss_row_units_find(work->arena, p, &work->J, &work->gram, work->factor.L, &run->units);
}

static ss_status prepare(ipm_run *run)
{
    const ss_row_units *y = &run->units;
    SS_TRY(create_parts(run->work));
    ss_arena_reset(run->work->arena);
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
    ipm_run run = { .work = work, .problem = problem, .solution = solution, .info = info, .tol = tol };
    run.best = run.least.residual = run.least.gap = run.least.ray = INFINITY;
    run.max_iter = max_iter > 0 ? max_iter : work->params->max_iterations;
    run.local = problem->local;
    ss_status status = prepare(&run);
    status = status == SS_OK ? start(&run) : status;
    status = status == SS_OK ? iterate(&run) : status;
    if (status == SS_OK) {
        finish(&run);
    }
    bool misfit = status == SS_ERR_MEMORY || status == SS_ERR_UNSUPPORTED; /* rows or factors: somebody else's turn */
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
              .params_size = sizeof(ipm_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
