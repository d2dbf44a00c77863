/* alm_path.c - Coulomb's law by following the solution of alm's proximal problem from a soft stiffness k to a hard one.
 *
 *   F(v, k) = A v - b - J' r(y) = 0,    r_i = map_i(y_i),   y = r0 - (k/d) (J v + w)          symbols as in alm.c
 *
 * r0, the impulses given, stays where it is. For small k the solution is r0 itself, and the only one. For large k it obeys the
 * laws to |r - r0|/k. Both are joined by a path: for every k solutions are bounded, and their number, each counted with the sign
 * of det K, is 1. Newton's method for a given k fails where the path turns back and k has to fall before it can grow on; there
 * alm goes round in circles. Here the path is followed by its length, so that k may fall.
 *
 * Each contact is on a smooth piece of its map (path_pieces.c): open, sticking, sliding. A step ends where the first contact
 * leaves its piece; beyond, the tangent is the one that leads on into the next piece. In between corrections lead back to the
 * path (path_step.c), with a matrix that is factorised as rarely as possible (path_matrix.c).
 *
 * Gauss-Seidel sweeps and alm are tried before: the better r0, the shorter the path. Where a step fails at any length, where k
 * falls below its start, or where many steps after a gain bring no other, the path begins again with the best impulses so far as
 * r0.
 *
 * Reference   H. B. Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems, in P. H. Rabinowitz (ed.),
 *             Applications of Bifurcation Theory (1977) 359 (paths by their length); C. E. Lemke, Manage. Sci. 11 (1965) 681
 *             (from piece to piece)
 * Converges   no proof: the degree says that there is a path, not how long it is; it ends with the steps allowed
 * Cost        some ten solutions and about one factorisation a step, four steps for every contact that changes its piece: some
 *             thousand in a settled pile of 200. Memory when a size is new                               */
#include "problem/cost.h"
#include "solvers/alm/path_inside.h"

#include <math.h>

static const double FIRST_LENGTH = 1, LEAST_LENGTH = 1e-15; /* of a step, in units of the largest impulse          */
static const double LONGER = 2.5, ON = 1.5, SHORTER = 0.9;  /* factors of the length after few corrections, some, many */
static const double AFTER_FAILURE = 0.25;                   /* the same after a step that failed                    */
static const double NO_LENGTH = 1e-13;                      /* a shorter step does not move                         */
static const double PROGRESS = 0.5; /* of the best residual: what a path must gain to go on, or for another one to begin */
static const double SLACK = 1;      /* of ln k: a path that is so far behind its start does not come back    */

static const double WORTH = 400; /* Newton steps that the sweeps may cost                                 */

enum { SWEEPS = 20 };       /* for every step that is allowed */
enum { FEW = 5, SOME = 9 }; /* corrections          */
enum { IDLE = 200 };        /* steps without length */

extern const ss_solver_type ss_solver_alm, ss_solver_nsgs;

static const ss_field fields[] = {
    SS_OPTION_INT(ss_path_params, max_steps, 5000, 1, 1e9, "most steps along the path"),
    SS_OPTION_INT(ss_path_params, patience, 1000, 1, 1e9,
                  "a path that has gained ends after this many steps that have not halved the residual"),
    SS_OPTION_INT(ss_path_params, newton, 400, 1, 1e9, "most Newton steps of alm before the path"),
    SS_OPTION_INT(ss_path_params, sweeps, 20000, 0, 1e9,
                  "most Gauss-Seidel sweeps before alm; no more than cost what 400 Newton steps do"),
    SS_OPTION_NUMBER(ss_path_params, start, 1, 1e-6, 1e12, "stiffness k at which the path begins"),
    SS_OPTION_NUMBER(ss_path_params, limit, 1e10, 1, 1e14, "stiffness k at which it ends"),
    SS_FIELD_END,
};

static void destroy(ss_context *ctx, void *data)
{
    ss_path_work *work = data;
    if (work) {
        ss_alm_destroy(ctx, work->alm);
        ss_solver_nsgs.destroy(ctx, work->nsgs);
        ss_free(ctx, work->sweeping);
        ss_free(ctx, work);
    }
}

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    ss_path_work *work;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    *out = work;
    work->params = params;
    ss_fields_default(ss_solver_alm.info.fields, &work->newton);
    SS_TRY(ss_calloc(ctx, 1, ss_solver_nsgs.info.params_size, &work->sweeping));
    ss_fields_default(ss_solver_nsgs.info.fields, work->sweeping);
    SS_TRY(ss_solver_nsgs.create(ctx, work->sweeping, &work->nsgs));
    return ss_alm_create(ctx, &work->newton, &work->alm);
}

static ss_status take(ss_path_run *run)
{
    ss_arena *arena = run->alm.work->arena;
    const size_t n = (size_t)run->alm.rows.n, rows = (size_t)run->alm.rows.count;
    double **of_rows[] = { &run->tangent.y, &run->tangent.dy, &run->y, &run->Jz };
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        SS_TRY(ss_arena_take(arena, rows, sizeof **of_rows[k], of_rows[k]));
    }
    SS_TRY(ss_arena_take(arena, n, sizeof *run->z, &run->z));
    SS_TRY(ss_arena_take(arena, n, sizeof *run->tangent.dv, &run->tangent.dv));
    SS_TRY(ss_arena_take(arena, (size_t)run->alm.rows.groups, sizeof *run->piece, &run->piece));
    run->matrix = (ss_path_matrix){ .factors = run->alm.work->matrix,
                                    .J = &run->alm.work->J,
                                    .first = run->alm.rows.first,
                                    .n = run->alm.rows.n,
                                    .groups = run->alm.rows.groups };
    return ss_path_matrix_take(&run->matrix, arena);
}

/* ---- where the path begins ------------------------------------------------------------------------ */

/* largest sqrt(d) |r0| */
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

/* The solution for the first k, by Newton's method from r0. *begun: it was found. */
static ss_status begin(ss_path_run *run, double k, bool *begun)
{
    ss_alm_run *alm = &run->alm;
    int steps;
    run->force = largest_force(alm);
    run->t = log(k);
    run->tangent.dt = 1;
    memset(run->tangent.dv, 0, (size_t)alm->rows.n * sizeof *run->tangent.dv);
    run->matrix.listed = -1;
    alm->prox.k = k;
    alm->prox.piece = NULL;
    memcpy(alm->prox.v0, alm->at.v, (size_t)alm->rows.n * sizeof *alm->prox.v0);
    SS_TRY(ss_alm_newton(alm, begun, &steps));
    ss_path_find_pieces(run);
    alm->newton += steps;
    *begun = *begun && run->force > 0;
    return SS_OK;
}

/* ---- along the path ------------------------------------------------------------------------------- */

static bool may_go_on(const ss_path_run *run)
{
    return run->alm.best.residual > run->alm.tol && run->alm.newton < run->alm.max_newton;
}

/* A step of at most this length, shortened until it leads to the next point. *length becomes that of the next one to try; *moved:
 * there is a next point. */
static ss_status step(ss_path_run *run, double *length, ss_path_event *event, bool *moved)
{
    int corrections = 0;
    double t = run->t, s = *length;
    for (*moved = false; !*moved && *length > LEAST_LENGTH;) {
        s = *length;
        *event = ss_path_next_event(run, &s);
        SS_TRY(ss_path_move(run, s, event, &t, &corrections));
        *moved = corrections > 0;
        run->matrix.listed = *moved ? run->matrix.listed : -1;
        *length = *moved ? *length : AFTER_FAILURE * s;
    }
    run->idle = s > NO_LENGTH ? 0 : run->idle + 1;
    *moved = *moved && run->idle < IDLE;
    *length *= corrections <= FEW ? LONGER : corrections <= SOME ? ON : SHORTER;
    run->t = *moved ? t : run->t;
    return SS_OK;
}

/* the group goes over to the piece behind the side; the piece that it leaves */
static ss_law_piece cross(ss_path_run *run, const ss_path_event *event)
{
    const int g = event->group;
    if (g < 0) {
        return SS_PIECE_FREE;
    }
    const ss_law_piece before = run->piece[g];
    run->piece[g] = ss_piece_beyond(run->alm.problem, g < run->alm.problem->nc ? g : -1, before, event->side);
    return before;
}

/* From point to point until k is at its end or back at its start, and once the best residual has been halved, as long as it is
 * halved now and then. Before, it says little: impulses that have far to go take a path along which the residual stays the same.
 */
static ss_status follow(ss_path_run *run, const ss_path_params *params)
{
    ss_alm_run *alm = &run->alm;
    const double begin = log(params->start) - SLACK, end = log(params->limit);
    ss_path_event event = { .group = -1 };
    ss_law_piece before = SS_PIECE_FREE;
    double length = FIRST_LENGTH, residual, mark = alm->best.residual;
    int mark_at = alm->newton;
    bool going = true, gained = false;
    run->idle = 0;
    while (going && may_go_on(run) && run->t < end && run->t > begin && (!gained || alm->newton - mark_at < params->patience)) {
        SS_TRY(ss_check_interrupt(alm->work->ctx));
        alm->newton++;
        SS_TRY(ss_path_find_tangent(run, &event, before, &going));
        SS_TRY(going ? step(run, &length, &event, &going) : SS_OK);
        if (going) {
            ss_alm_swap_points(alm);
            before = cross(run, &event);
            SS_TRY(ss_alm_judge(alm, &residual));
        }
        if (alm->best.residual <= PROGRESS * mark) {
            mark = alm->best.residual;
            mark_at = alm->newton;
            gained = true;
        }
    }
    return SS_OK;
}

/* ---- the solver ----------------------------------------------------------------------------------- */

/* r0 and its velocity, offered as they are */
static ss_status start(ss_path_run *run)
{
    ss_alm_run *alm = &run->alm;
    double residual;
    SS_TRY(ss_alm_start_velocity(alm));
    ss_alm_move_centre(alm, alm->prox.r0);
    return ss_alm_offer(alm, alm->at.v, alm->prox.r0, &residual);
}

/* paths, as long as each gains much */
static ss_status iterate(ss_path_run *run, const ss_path_params *params)
{
    ss_alm_run *alm = &run->alm;
    double mark = INFINITY;
    bool begun = true;
    while (begun && may_go_on(run) && alm->best.residual <= PROGRESS * mark) {
        mark = alm->best.residual;
        memcpy(alm->prox.r0, alm->best.r, (size_t)alm->rows.count * sizeof *alm->best.r);
        SS_TRY(start(run));
        SS_TRY(begin(run, params->start, &begun));
        SS_TRY(begun ? follow(run, params) : SS_OK);
    }
    return SS_OK;
}

static int at_most(int count, int max_iter) { return max_iter > 0 && max_iter < count ? max_iter : count; }

/* sweeps, which are not counted, then alm from what they leave */
static ss_status try_others(ss_context *ctx, ss_path_work *work, const ss_problem *problem, double tol, int max_iter,
                            ss_solution *solution, ss_solver_info *info)
{
    const double allowed = max_iter > 0 ? SWEEPS * (double)max_iter : INFINITY;
    const int worthwhile = (int)fmin(fmin(work->params->sweeps, allowed), ss_cost_sweeps(problem, WORTH));
    if (worthwhile > 0) {
        SS_TRY(ss_solver_nsgs.solve(ctx, work->nsgs, problem, tol, worthwhile, solution, info));
        info->iterations = 0;
        solution->warm = true;
    }
    return ss_solver_alm.solve(ctx, work->alm, problem, tol, at_most(work->params->newton, max_iter), solution, info);
}

/* the path from the impulses that alm has left in the solution, for as many steps as alm has not made of max_iter */
static ss_status go_on(ss_path_work *work, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_path_run run = { .alm = { .work = work->alm,
                                 .problem = problem,
                                 .solution = solution,
                                 .info = info,
                                 .tol = tol,
                                 .newton = info->iterations,
                                 .max_newton = at_most(info->iterations + work->params->max_steps, max_iter),
                                 .best.residual = INFINITY } };
    solution->warm = true;
    SS_TRY(ss_alm_prepare(&run.alm));
    SS_TRY(take(&run));
    ss_alm_read_impulses(&run.alm);
    SS_TRY(start(&run));
    SS_TRY(iterate(&run, work->params));
    ss_alm_finish(&run.alm);
    return SS_OK;
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    ss_path_work *work = data;
    const bool warm = solution->warm;
    ss_status status = try_others(ctx, work, problem, tol, max_iter, solution, info);
    if (status == SS_OK && info->outcome != SS_CONVERGED) {
        status = go_on(work, problem, tol, max_iter, solution, info);
    }
    solution->warm = warm;
    return status;
}

const ss_solver_type ss_solver_alm_path = {
    .info = { .name = "alm_path",
              .title = "the path of alm's proximal problem around its turning points, for Coulomb's law",
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
