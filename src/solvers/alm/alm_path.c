/* alm_path.c - Coulomb's law by following the solution of alm's proximal problem from a small stiffness k to a large one.
 *
 *   F(v, k) = A v - b - J' r(y) = 0,   y = r0 - (k/d) (J v + w)            alm.c has the symbols
 */
#include "solvers/alm/path_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FIRST_LENGTH = 1;
static const double LEAST_LENGTH = 1e-15;

enum { QUICK = 5, SLOW = 9, IDLE = 200 };

static const ss_field fields[] = {
    SS_OPTION_INT(ss_path_params, max_steps, 20000, 1, 1e9, "most steps along the path (factorisations), if the solver's max_iter is 0"),
    SS_OPTION_NUMBER(ss_path_params, start, 1, 1e-6, 1e12, "stiffness k at which the path begins"),
    SS_OPTION_NUMBER(ss_path_params, limit, 1e10, 1, 1e12, "stiffness k at which it ends"),
    SS_FIELD_END,
};

static void destroy(ss_context *ctx, void *data)
{
    ss_path_work *work = data;
    if (work) {
        ss_alm_destroy(ctx, work->alm);
        ss_free(ctx, work);
    }
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    extern const ss_solver_type ss_solver_alm;
    ss_path_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->params = params;
    ss_fields_default(ss_solver_alm.info.fields, &work->newton);
    return ss_alm_create(ctx, &work->newton, &work->alm);
}

static ss_status take(ss_path_run *run)
{
    ss_arena *arena = run->alm.work->arena;
    const size_t n = (size_t)run->alm.rows.n, rows = (size_t)run->alm.rows.count;
    SS_TRY(ss_arena_take(arena, n, sizeof *run->z, &run->z));
    SS_TRY(ss_arena_take(arena, n, sizeof *run->tangent.dv, &run->tangent.dv));
    SS_TRY(ss_arena_take(arena, rows, sizeof *run->tangent.dy, &run->tangent.dy));
    SS_TRY(ss_arena_take(arena, rows, sizeof *run->y, &run->y));
    SS_TRY(ss_arena_take(arena, rows, sizeof *run->y, &run->tangent.y));
    SS_TRY(ss_arena_take(arena, rows, sizeof *run->y, &run->Jz));
    run->matrix = (ss_path_matrix){ .factors = run->alm.work->matrix,
                                    .J = &run->alm.work->J,
                                    .first = run->alm.rows.first,
                                    .n = run->alm.rows.n,
                                    .groups = run->alm.rows.groups };
    SS_TRY(ss_path_matrix_take(&run->matrix, arena));
    return ss_arena_take(arena, (size_t)run->alm.rows.groups, sizeof *run->piece, &run->piece);
}

static double largest_force(const ss_alm_run *run)
{
    double most = 0;
    for (int g = 0; g < run->problem->nc; g++) {
        double sum = 0;
        for (int i = run->rows.first[g]; i < run->rows.first[g + 1]; i++) {
            sum += run->prox.r0[i] * run->prox.r0[i];
        }
        most = fmax(most, sqrt(run->rows.d[g] * sum));
    }
    return most;
}

/* every group on the piece of its y at `at` */
static void find_pieces(ss_path_run *run)
{
    ss_alm_run *alm = &run->alm;
    alm->prox.piece = NULL;
    ss_alm_evaluate(alm, &alm->at);
    for (int g = 0; g < alm->rows.groups; g++) {
        double y[3] = { 0 };
        for (int i = alm->rows.first[g]; i < alm->rows.first[g + 1]; i++) {
            y[i - alm->rows.first[g]] =
                alm->rows.d[g] > 0 ? alm->prox.r0[i] - alm->prox.k / alm->rows.d[g] * alm->scratch.u[i] : 0;
        }
        run->piece[g] = ss_piece_of(alm->problem, g < alm->problem->nc ? g : -1, y);
    }
    alm->prox.piece = run->piece;
}

static void swap_points(ss_alm_run *run)
{
    ss_alm_point t = run->at;
    run->at = run->next;
    run->next = t;
}

static ss_status begin(ss_path_run *run, bool *begun)
{
    ss_alm_run *alm = &run->alm;
    int steps;
    run->force = largest_force(alm);
    alm->prox.k = exp(run->t);
    alm->prox.piece = NULL;
    *begun = false;
    for (int round = 0; round < 5 && !*begun; round++) {
        memcpy(alm->prox.v0, alm->at.v, (size_t)alm->rows.n * sizeof *alm->prox.v0);
        SS_TRY(ss_alm_newton(alm, begun, &steps));
        if (!*begun) break;
    }
    find_pieces(run);
    *begun = *begun && run->force > 0;
    return SS_OK;
}

static ss_status follow(ss_path_run *run, double end, int max_steps)
{
    ss_alm_run *alm = &run->alm;
    ss_path_event left = { .group = -1 };
    ss_piece before = SS_PIECE_FREE;
    double ds = FIRST_LENGTH, residual = INFINITY;
    bool going = true, first = true;
    int events = 0, fails = 0, turns = 0, idle=0; double olddt = 1;
    while (going && alm->best.residual > alm->tol && alm->newton < max_steps && run->t < end) {
        SS_TRY(ss_check_interrupt(alm->work->ctx));
        alm->newton++;
        SS_TRY(ss_path_find_tangent(run, &left, before, first, &going));
        if (!going) { if (getenv("PV")) fprintf(stderr, "singular\n"); break; }
        if (olddt * run->tangent.dt < 0) turns++;
        olddt = run->tangent.dt;
        first = false;
        int corrections = 0;
        double length = 0, t = 0;
        ss_path_event event;
        while (going && corrections == 0) {
            length = ds;
            event = ss_path_next_event(run, &length);
            if (run->tangent.dt > 0 && run->t + length * run->tangent.dt > end + 1e-3) { length = (end + 1e-4 - run->t) / run->tangent.dt; event.group = -1; }
            SS_TRY(ss_path_move(run, length, &event, &t, &corrections));
            if (corrections == 0) {
                fails++;
                ds = fmin(ds, length) * 0.25;
                going = ds > LEAST_LENGTH;
            }
        }
        if (getenv("PV") && (alm->newton % 500 == 0 || !going)) fprintf(stderr, "t %.5f k %.3e dt %.2e ds %.2e steps %d events %d turns %d fails %d fact %d residual %.3e best %.3e  ev %d %d len %.2e\n", run->t, exp(run->t), run->tangent.dt, ds, alm->newton, events, turns, fails, alm->info->factorisations, residual, alm->best.residual, event.group,event.side,length);
        if (!going) break;
        ds *= corrections <= QUICK ? 4 : corrections <= SLOW ? 1.5 : 0.9;
        idle = length > 1e-13 ? 0 : idle + 1;
        going = idle < IDLE;
        run->t = t;
        swap_points(alm);
        left = event;
        if (event.group >= 0) {
            events++;
            before = run->piece[event.group];
            run->piece[event.group] = ss_piece_beyond(alm->problem, event.group < alm->problem->nc ? event.group : -1, before, event.side);
        }
        SS_TRY(ss_alm_judge(alm, &residual));
    }
    if (getenv("PV")) fprintf(stderr, "end t %.5f k %.3e steps %d events %d turns %d fails %d residual %.3e best %.3e\n", run->t, exp(run->t), alm->newton, events, turns, fails, residual, alm->best.residual);
    return SS_OK;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_path_work *work = data;
    (void)ctx;
    ss_path_run run = { .alm = { .work = work->alm,
                                 .problem = problem,
                                 .solution = solution,
                                 .info = info,
                                 .tol = tol,
                                 .best.residual = INFINITY } };
    double residual;
    bool begun = true;
    SS_TRY(ss_alm_prepare(&run.alm));
    SS_TRY(take(&run));
    if (!problem->local) {
        SS_TRY(ss_kkt_factor(run.alm.work->kkt, problem));
    }
    ss_alm_read_impulses(&run.alm);
    SS_TRY(ss_alm_start_velocity(&run.alm));
    ss_alm_move_centre(&run.alm, run.alm.prox.r0);
    SS_TRY(ss_alm_offer(&run.alm, run.alm.at.v, run.alm.prox.r0, &residual));
    if (residual > tol) {
        run.t = log(work->params->start);
        SS_TRY(begin(&run, &begun));
        if (getenv("PV")) fprintf(stderr, "start %d residual %.3e force %.3e\n", begun, residual, run.force);
        SS_TRY(begun ? follow(&run, log(work->params->limit), max_iter > 0 ? max_iter : work->params->max_steps) : SS_OK);
    }
    ss_alm_finish(&run.alm);
    return SS_OK;
}

const ss_solver_type ss_solver_alm_path = {
    .info = { .name = "alm_path",
              .title = "the path of alm's proximal problem, around its turning points, for Coulomb's law",
              .reference = "Keller 1977",
              .kind = "newton",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_BOUNDED,
              .dimensions = 4 | 8,
              .fields = fields,
              .params_size = sizeof(ss_path_params) },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
