/* slip_ipm.c - Coulomb's law exactly: Newton's method for the slip around the convex interior point method.
 *
 *   u^ = u + s n,   u^ in K*, r in K, u^ . r = 0        for given s: the convex program of cone_ipm with offsets w + s n
 *   F(s) = s - mu |u_T(s)| = 0                          one equation per contact with friction
 *
 * The program's own linearisation gives the derivative of u_T by s (slip_step.c). Steps are those of Levenberg and Marquardt:
 * with a small weight they are Newton's; where |F| does not fall the weight grows and the step is tried again. It ends where |F|
 * does not fall with any weight, or hardly falls any more.
 *
 * Reference   G. De Saxce, Z.-Q. Feng, Math. Comput. Modelling 28 (1998) 225 (u^); V. Acary, F. Cadoux, C. Lemarechal, J. Malick,
 *             ZAMM 91 (2011) 155 (the map s -> mu |u_T(s)|)
 * Symbols     |F|^2 is the sum of F_i^2/d_i, d_i the mobility of contact i
 * Converges   in 3 to 8 steps where the start is good (docs/slip_ipm.md); there is no proof: the map may have several fixed
 *             points, or turn back
 * Cost        each step a convex program (some 20 factorisations), a solution per contact and contacts^3 operations. Memory
 *             when a size is new                                                                        */
#include "base/tolerances.h"
#include "math/dense.h"
#include "solvers/cone_ipm/slip_inside.h"

#include <math.h>

static const double INNER = 1e-3;         /* of the tolerance: that of the convex programs             */
static const double DECREASE = 1e-3;      /* of |F|: least decrease that makes a step                  */
static const double FIRST_WEIGHT = 1e-6;  /* of the square of the largest singular values, about 1     */
static const double LEAST_WEIGHT = 1e-14; /* round-off of B' B                                         */
static const double MOST_WEIGHT = 10;
static const double HEAVIER = 30, LIGHTER = 0.1; /* factors of the weight after a failure; after a step */
static const double PROGRESS = 0.5;              /* of |F|: what counts as progress                     */

enum {
    PATIENCE = 12,       /* steps without progress        */
    MOST_CONTACTS = 3000 /* with friction: dense matrices */
};

static const ss_field fields[] = {
    SS_OPTION_INT(ss_slip_params, max_steps, 30, 1, 1e9, "most convex programs, if the solver's max_iter is 0"),
    SS_FIELD_END,
};

static void destroy(ss_context *ctx, void *data)
{
    ss_slip_work *work = data;
    if (!work) {
        return;
    }
    ss_ipm_destroy(ctx, work->convex);
    ss_arena_destroy(work->arena);
    ss_residual_destroy(work->residual);
    ss_kkt_destroy(work->kkt);
    ss_free(ctx, work);
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    extern const ss_solver_type ss_solver_cone_ipm;
    ss_slip_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->ctx = ctx;
    work->params = params;
    ss_dense_start();
    ss_fields_default(ss_solver_cone_ipm.info.fields, &work->ipm);
    SS_TRY(ss_ipm_create(ctx, &work->ipm, &work->convex));
    SS_TRY(ss_arena_create(ctx, 1 << 14, &work->arena));
    SS_TRY(ss_kkt_create(ctx, &work->kkt));
    return ss_residual_create(ctx, &work->residual);
}

/* ---- the convex program ---------------------------------------------------------------------------- */

/* the same data with associated laws; the offsets follow from s */
static ss_status make_convex(ss_slip_run *run)
{
    const ss_problem *p = run->problem;
    run->program.problem = *p;
    SS_TRY(ss_arena_take(run->work->arena, (size_t)p->nc, sizeof *run->program.problem.law, &run->program.problem.law));
    SS_TRY(ss_arena_take(run->work->arena, (size_t)p->row[p->nc], sizeof *run->program.problem.w, &run->program.problem.w));
    for (int k = 0; k < p->nc; k++) {
        run->program.problem.law[k] = p->law[k] == SS_LAW_COULOMB ? SS_LAW_ASSOCIATED : p->law[k];
    }
    return SS_OK;
}

/* mu |u_T| of every contact with friction, and g */
static void measure_slip(ss_slip_run *run, const double *u, double *slip)
{
    const ss_problem *p = run->problem;
    for (int i = 0; i < run->count; i++) {
        const int k = run->contact[i], n = p->row[k + 1] - p->row[k] - 1;
        const double *t = u + p->row[k] + 1, size = n == 2 ? hypot(t[0], t[1]) : fabs(t[0]);
        slip[i] = p->mu[k] * size;
        for (int a = 0; a < n; a++) {
            run->newton.g[2 * i + a] = size > 0 ? p->mu[k] * t[a] / size : 0;
        }
    }
}

static double size_of(const ss_slip_run *run, const ss_slip_state *x)
{
    double sum = 0;
    for (int i = 0; i < run->count; i++) {
        const double F = run->newton.unit[i] * (x->s[i] - x->slip[i]);
        sum += F * F;
    }
    return sqrt(sum);
}

/* the solution of the program is offered as one of Coulomb's problem */
static ss_status offer(ss_slip_run *run)
{
    const ss_problem *p = run->problem;
    ss_residual now;
    SS_TRY(ss_residual_compute(run->work->residual, p, &run->program.solution, &now));
    if (!(ss_residual_worst(&now) < run->best)) {
        return SS_OK;
    }
    run->best = ss_residual_worst(&now);
    run->info->residual = now;
    memcpy(run->solution->r, run->program.solution.r, (size_t)p->row[p->nc] * sizeof *run->program.solution.r);
    for (int i = 0; i < p->nv && !p->local; i++) {
        run->solution->v[i] = run->program.solution.v[i];
    }
    for (int i = 0; i < p->nj && !p->local; i++) {
        run->solution->lam[i] = run->program.solution.lam[i];
    }
    return SS_OK;
}

/* the program for run->at.s; *solved: its solution says something */
static ss_status solve_convex(ss_slip_run *run, bool *solved)
{
    const ss_problem *p = run->problem;
    memcpy(run->program.problem.w, p->w, (size_t)p->row[p->nc] * sizeof *p->w);
    for (int i = 0; i < run->count; i++) {
        run->program.problem.w[p->row[run->contact[i]]] += run->at.s[i];
    }
    run->program.info = (ss_solver_info){ .residual = { .contact = NAN, .worst = -1 } };
    run->ipm = (ss_ipm_run){ .work = run->work->convex,
                             .problem = &run->program.problem,
                             .solution = &run->program.solution,
                             .info = &run->program.info,
                             .tol = fmax(INNER * run->tol, SS_TOL_ROUND_OFF),
                             .max_iter = run->work->ipm.max_iterations };
    ss_status status = ss_ipm_solve(&run->ipm);
    run->info->factorisations += run->program.info.factorisations;
    run->info->iterations++;
    const ss_outcome outcome = run->program.info.outcome;
    *solved = status == SS_OK && (outcome == SS_CONVERGED || outcome == SS_INACCURATE || outcome == SS_MAX_ITER);
    if (status != SS_OK) {
        return status == SS_ERR_NUMERIC ? SS_OK : status;
    }
    run->program.solution.warm = *solved;
    for (int i = 0; i < run->count; i++) {
        run->newton.unit[i] = run->ipm.units.factor[p->row[run->contact[i]]];
    }
    measure_slip(run, run->program.solution.u, run->at.slip);
    run->at.size = size_of(run, &run->at);
    return offer(run);
}

/* ---- the iteration ---------------------------------------------------------------------------------- */

/* the last program becomes where steps begin */
static void stand(ss_slip_run *run)
{
    memcpy(run->from.s, run->at.s, (size_t)run->count * sizeof *run->at.s);
    memcpy(run->from.slip, run->at.slip, (size_t)run->count * sizeof *run->at.s);
    run->from.size = run->at.size;
}

static bool may_go_on(const ss_slip_run *run) { return run->best > run->tol && run->info->iterations < run->max_steps; }

/* the program after a step of this weight; *falls: |F| does */
static ss_status try_weight(ss_slip_run *run, double weight, bool *falls)
{
    bool solved = false;
    *falls = false;
    if (!ss_slip_step(run, weight)) {
        return SS_OK;
    }
    for (int i = 0; i < run->count; i++) {
        run->at.s[i] = fmax(0, run->from.s[i] + run->newton.ds[i]);
    }
    SS_TRY(solve_convex(run, &solved));
    *falls = solved && run->at.size <= (1 - DECREASE) * run->from.size;
    return SS_OK;
}

/* One step, with the weight that it needs. *going: there was one. */
static ss_status step(ss_slip_run *run, double *weight, bool *going)
{
    bool falls = false;
    stand(run);
    ss_status status = ss_slip_derive(run);
    for (; status == SS_OK && !falls && *weight <= MOST_WEIGHT && may_go_on(run); *weight *= falls ? LIGHTER : HEAVIER) {
        status = try_weight(run, *weight, &falls);
    }
    *weight = fmax(LEAST_WEIGHT, *weight);
    *going = falls;
    return status == SS_ERR_NUMERIC ? SS_OK : status;
}

static ss_status iterate(ss_slip_run *run)
{
    bool going = run->best > run->tol;
    double weight = FIRST_WEIGHT, mark = INFINITY;
    SS_TRY(going ? solve_convex(run, &going) : SS_OK);
    for (int idle = 0; going && may_go_on(run) && idle < PATIENCE; idle++) {
        if (run->at.size < PROGRESS * mark) {
            mark = run->at.size;
            idle = 0;
        }
        SS_TRY(ss_check_interrupt(run->work->ctx));
        SS_TRY(step(run, &weight, &going));
    }
    return SS_OK;
}

/* ---- the solver ------------------------------------------------------------------------------------- */

static ss_status list_contacts(ss_slip_run *run)
{
    const ss_problem *p = run->problem;
    SS_TRY(ss_arena_take(run->work->arena, (size_t)p->nc, sizeof *run->contact, &run->contact));
    for (int k = 0; k < p->nc; k++) {
        if (p->law[k] == SS_LAW_COULOMB && p->mu[k] > 0) {
            run->contact[run->count++] = k;
        }
    }
    return run->count <= MOST_CONTACTS
               ? SS_OK
               : ss_fail(run->work->ctx, SS_ERR_UNSUPPORTED, "slip_ipm: %d contacts with friction, at most %d are taken",
                         run->count, MOST_CONTACTS);
}

static ss_status take(ss_slip_run *run)
{
    ss_arena *arena = run->work->arena;
    const ss_problem *p = run->problem;
    const size_t n = (size_t)run->count, nr = (size_t)p->row[p->nc];
    double **vector[] = { &run->at.s,      &run->at.slip,   &run->from.s,     &run->from.slip,
                          &run->newton.ds, &run->newton.BF, &run->newton.unit };
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        SS_TRY(ss_arena_take(arena, n, sizeof **vector[k], vector[k]));
    }
    SS_TRY(ss_arena_take(arena, 2 * n, sizeof *run->newton.g, &run->newton.g));
    SS_TRY(ss_arena_take_raw(arena, n * n, sizeof *run->newton.B, &run->newton.B));
    SS_TRY(ss_arena_take_raw(arena, n * n, sizeof *run->newton.BB, &run->newton.BB));
    SS_TRY(ss_arena_take(arena, (size_t)p->nv, sizeof *run->program.solution.v, &run->program.solution.v));
    SS_TRY(ss_arena_take(arena, (size_t)p->nj, sizeof *run->program.solution.lam, &run->program.solution.lam));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->program.solution.r, &run->program.solution.r));
    SS_TRY(ss_arena_take(arena, nr, sizeof *run->program.solution.u, &run->program.solution.u));
    return ss_arena_take(arena, (size_t)p->nc, sizeof *run->program.solution.basis, &run->program.solution.basis);
}

/* The slip that a given guess has. Without one, that of the offsets: bodies at rest then obey the program where w_N >= 0, which
 * without slip may have no solution, as between surfaces that move along and cannot be left. */
static ss_status start(ss_slip_run *run)
{
    const ss_problem *p = run->problem;
    run->program.solution.warm = run->solution->warm;
    for (int i = 0; i < p->row[p->nc]; i++) {
        run->program.solution.r[i] = run->program.solution.warm && isfinite(run->solution->r[i]) ? run->solution->r[i] : 0;
    }
    if (!run->program.solution.warm) {
        measure_slip(run, p->w, run->at.s);
        return SS_OK;
    }
    SS_TRY(p->local ? SS_OK : ss_kkt_factor(run->work->kkt, p));
    SS_TRY(ss_kkt_recover(run->work->kkt, p, &run->program.solution));
    measure_slip(run, run->program.solution.u, run->at.s);
    return offer(run);
}

static void finish(ss_slip_run *run)
{
    const ss_problem *p = run->problem;
    ss_solution *s = run->solution;
    ss_csr_times(p->local ? &p->W : &p->H, 1, p->local ? s->r : s->v, 0, s->u);
    for (int i = 0; i < p->row[p->nc]; i++) {
        s->u[i] += p->w[i];
    }
    for (int k = 0; k < p->nc; k++) {
        s->basis[k] = 0;
    }
    run->info->outcome = run->best <= run->tol ? SS_CONVERGED : SS_MAX_ITER;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_slip_run run = { .work = data, .problem = problem, .solution = solution, .info = info, .tol = tol, .best = INFINITY };
    run.max_steps = max_iter > 0 ? max_iter : run.work->params->max_steps;
    ss_arena_reset(run.work->arena);
    SS_TRY(list_contacts(&run));
    SS_TRY(take(&run));
    SS_TRY(make_convex(&run));
    SS_TRY(start(&run));
    SS_TRY(iterate(&run));
    if (run.best == INFINITY) {
        return ss_fail(ctx, SS_ERR_NUMERIC, "slip_ipm: no convex program was solved");
    }
    finish(&run);
    return SS_OK;
}

const ss_solver_type ss_solver_slip_ipm = {
    .info = { .name = "slip_ipm",
              .title = "Newton's method for the slip around cone_ipm, for Coulomb's law",
              .reference = "De Saxce, Feng 1998",
              .kind = "interior point",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_BOUNDED,
              .needs = SS_NEEDS_SYMMETRIC_A,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_slip_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
