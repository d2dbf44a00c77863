/* extend.c - a scheme, a solver and a force from outside the library, by its public headers alone; docs/extending.md explains it.
 *
 *   scheme   M (v' - v) = h k(q, v) + G' lam + H' r,  q' = q + h v';  gaps may close within the step: w = gap/h   [Ani06]
 *   solver   projected Gauss-Seidel: r_i = P(r_i - (W r + q)_i / d_i), contact by contact, P onto the cone |r_T| <= mu r_N
 *   force    the wind: -c |v - wind| (v - wind)
 *
 * A crate slides against the wind and stops; the friction of the associated law is that of Coulomb here, as no contact opens. */
#include <math.h>
#include <slipstick/slipstick.h>
#include <stdio.h>
#include <string.h>

/* ---- the scheme ---------------------------------------------------------------------------------------- */

static ss_status euler_step(void *user, ss_step *s, double h)
{
    const double reach = *(const double *)user, *q = ss_step_q(s), *v = ss_step_v(s), *gap, *g;
    const ss_solution *solution;
    ss_problem *problem;
    double *end;
    ss_status status = ss_step_add_forces(s, 1, ss_step_time(s), q, v);
    status = status != SS_OK ? status : ss_step_pose(s, ss_step_time(s), q, reach, SS_LAW_ASSOCIATED, &problem, &gap, &g);
    status = status != SS_OK ? status : ss_step_close_gaps(s);
    status = status != SS_OK ? status : ss_step_solve(s, &solution);
    status = status != SS_OK ? status : ss_step_take(s, (size_t)ss_step_nq(s), &end);
    if (status != SS_OK) {
        return status;
    }
    ss_step_move(s, q, solution->v, h, end);
    return ss_step_end(s, end);
}

/* ---- the solver ---------------------------------------------------------------------------------------- */

static ss_status create(ss_context *ctx, const void *params, void **work)
{
    (void)params;
    return ss_reduction_create(ctx, (ss_reduction **)work);
}

static void destroy(ss_context *ctx, void *work)
{
    (void)ctx;
    ss_reduction_destroy(work);
}

/* onto the cone |r_T| <= mu r_N of n rows */
static void project(double mu, int n, double *r)
{
    const double slip = n == 3 ? hypot(r[1], r[2]) : n == 2 ? fabs(r[1]) : 0;
    const double normal = slip <= mu * r[0] ? r[0] : fmax(0, (r[0] + mu * slip) / (1 + mu * mu));
    for (int i = 1; i < n; i++) {
        r[i] *= slip <= mu * normal ? 1 : mu * normal / slip;
    }
    r[0] = normal;
}

/* one contact; how far its impulse moves */
static double visit(const ss_problem *p, const double *W, const double *q, int k, double *r)
{
    const int rows = p->row[p->nc], first = p->row[k], n = p->row[k + 1] - first;
    double next[3] = { 0 }, d = 0, moved = 0;
    for (int i = 0; i < n; i++) {
        d += W[(first + i) * (rows + 1)];
    }
    for (int i = 0; i < n; i++) {
        double u = q[first + i];
        for (int j = 0; j < rows; j++) {
            u += W[first + i + rows * j] * r[j];
        }
        next[i] = r[first + i] - u / d;
    }
    project(n > 1 ? p->mu[k] : 0, n, next);
    for (int i = 0; i < n; i++) {
        moved = fmax(moved, fabs(next[i] - r[first + i]));
        r[first + i] = next[i];
    }
    return moved;
}

static ss_status solve(ss_context *ctx, void *work, const ss_problem *p, double tol, int max_iter, ss_solution *s,
                       ss_solver_info *info)
{
    const int rows = p->row[p->nc], most = max_iter > 0 ? max_iter : 10000;
    const double *W, *q;
    double moved = 1, size = 0;
    const ss_status status = ss_reduction_take(work, p, &W, &q);
    (void)ctx;
    if (status != SS_OK) {
        return status;
    }
    memset(s->r, 0, (size_t)rows * sizeof *s->r);
    for (; info->iterations < most && moved > 0.01 * tol * size; info->iterations++) {
        moved = 0;
        for (int k = 0; k < p->nc; k++) {
            moved = fmax(moved, visit(p, W, q, k, s->r));
            size = fmax(size, fabs(s->r[p->row[k]]));
        }
    }
    info->outcome = info->iterations < most ? SS_CONVERGED : SS_MAX_ITER;
    return ss_reduction_recover(work, s);
}

/* ---- the force ------------------------------------------------------------------------------------------ */

static ss_status blow(void *user, const ss_force_points *at, double w[12])
{
    const double c = *(const double *)user, wind = -2, x = at->velocity[1][0] - wind, y = at->velocity[1][1];
    w[6] = -c * hypot(x, y) * x;
    w[7] = -c * hypot(x, y) * y;
    return SS_OK;
}

/* ---- the program ---------------------------------------------------------------------------------------- */

static const char SCENE[] =
    "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"until\": 1, \"step\": 0.001},"
    " \"materials\": [{\"name\": \"wood\", \"mu\": 0.4}], \"bodies\": ["
    "  {\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 1], \"material\": "
    "\"wood\"}]},"
    "  {\"name\": \"crate\", \"type\": \"rigid\", \"mass\": 2, \"inertia\": 0.1, \"position\": [0, 0.1], \"velocity\": [3, 0],"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [0.4, 0.2], \"material\": \"wood\"}]}],"
    " \"forces\": [{\"name\": \"wind\", \"type\": \"callback\", \"bodies\": [\"world\", \"crate\"]}]}";

static ss_status run(ss_context *ctx, const ss_model *model, const char *scheme, const char *solver, double *x)
{
    double drag = 0.05;
    ss_sim_options options = ss_sim_options_default();
    const ss_force_functions wind = { .user = &drag, .wrench = blow };
    ss_sim *sim = NULL;
    options.scheme = scheme;
    options.solver = solver;
    ss_status status = ss_sim_create(ctx, model, &options, &sim);
    status = status != SS_OK ? status : ss_sim_set_functions(sim, 0, &wind);
    status = status != SS_OK ? status : ss_sim_advance(sim, 1);
    if (status == SS_OK) {
        const ss_summary *sum = ss_sim_summary(sim);
        *x = ss_sim_q(sim)[0];
        printf("%s with %s: the crate stops at %.4f m; %lld of %lld steps not certified, ledger closes to %.1g\n", scheme, solver,
               *x, (long long)sum->unconverged_steps, (long long)sum->steps, ss_sim_ledger(sim)->closure);
        status = sum->unconverged_steps == 0 ? SS_OK : SS_ERR_NUMERIC;
    }
    ss_sim_destroy(sim);
    return status;
}

int main(void)
{
    double reach = 0.05, own = 0, known = 1;
    const ss_own_scheme scheme = {
        .info = { .name = "own_euler",
                  .title = "semi-implicit Euler, written outside",
                  .order = { .smooth = 1, .impacts = 1, .norm = "l1", .overlap = 2, .joints_drift = true },
                  .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED | SS_LAW_INELASTIC,
                  .dimensions = 4 | 8 },
        .user = &reach,
        .step = euler_step,
    };
    const ss_solver_type solver = {
        .info = { .name = "own_sweeps", .title = "projected Gauss-Seidel", .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED },
        .create = create,
        .destroy = destroy,
        .solve = solve,
    };
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_status status = ss_context_create(NULL, &ctx);
    status = status != SS_OK ? status : ss_context_add_scheme(ctx, &scheme);
    status = status != SS_OK ? status : ss_context_add_solver(ctx, &solver);
    status = status != SS_OK ? status : ss_scene_parse(ctx, SCENE, strlen(SCENE), "crate", 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : run(ctx, model, "own_euler", "own_sweeps", &own);
    status = status != SS_OK ? status : run(ctx, model, "moreau", "auto", &known);
    printf("%s\n", status != SS_OK ? ss_last_error(ctx) : "");
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status != SS_OK || !(fabs(own - known) < 0.01); /* both are of order h */
}
