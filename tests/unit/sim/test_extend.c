/* test_extend.c - schemes and solvers from outside the library: their steps are those of their equations, certified and accounted
 * for like any other; what is added wrongly is refused. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/extend.h>

/* ---- a scheme: M (v' - v) = h k + G' lam + H' r, q' = q + h v' ------------------------------------------ */

typedef struct fault {
    bool no_end, early_solve, twice, late_forces;
} fault;

static ss_status euler_step(void *user, ss_step *s, double h)
{
    const fault *x = user;
    const double *q = ss_step_q(s), *gap, *g;
    const ss_solution *solution = NULL;
    ss_problem *problem;
    double *end;
    SS_TRY(x->early_solve ? ss_step_solve(s, &solution) : SS_OK);
    SS_TRY(ss_step_add_forces(s, 1, ss_step_time(s), q, ss_step_v(s)));
    SS_TRY(ss_step_pose(s, ss_step_time(s), q, 0.05, SS_LAW_ASSOCIATED, &problem, &gap, &g));
    SS_TRY(x->late_forces ? ss_step_add_forces(s, 1, ss_step_time(s), q, ss_step_v(s)) : SS_OK);
    for (int i = 0; i < problem->nj; i++) {
        problem->c[i] -= g[i] / h;
    }
    SS_TRY(ss_step_close_gaps(s));
    SS_TRY(ss_step_solve(s, &solution));
    SS_TRY(ss_step_take(s, (size_t)ss_step_nq(s), &end));
    ss_step_move(s, q, solution->v, h, end);
    SS_TRY(x->no_end ? SS_OK : ss_step_end(s, end));
    return x->twice ? ss_step_end(s, end) : SS_OK;
}

static ss_own_scheme own_scheme(fault *x)
{
    return (ss_own_scheme){ .info = { .name = "own",
                                      .title = "own",
                                      .order = { .smooth = 1, .impacts = 1, .overlap = 1 },
                                      .laws = SS_LAW_UNILATERAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED | SS_LAW_INELASTIC,
                                      .dimensions = 4 | 8 },
                            .user = x,
                            .step = euler_step };
}

/* ---- a solver: contacts without friction, by projected Gauss-Seidel -------------------------------------- */

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

static ss_status sweep(ss_context *ctx, void *work, const ss_problem *p, double tol, int max_iter, ss_solution *s,
                       ss_solver_info *info)
{
    const int n = p->row[p->nc];
    const double *W, *q;
    (void)tol, (void)max_iter;
    SS_TRY(ss_reduction_take(work, p, &W, &q));
    memset(s->r, 0, (size_t)n * sizeof *s->r);
    for (info->iterations = 0; info->iterations < 2000; info->iterations++) {
        for (int i = 0; i < n; i++) {
            double u = q[i];
            for (int j = 0; j < n; j++) {
                u += W[i + n * j] * s->r[j];
            }
            s->r[i] = fmax(0, s->r[i] - u / W[i * (n + 1)]);
        }
    }
    (void)ctx;
    return ss_reduction_recover(work, s);
}

static const ss_solver_type SWEEPS = {
    .info = { .name = "sweeps", .title = "sweeps", .laws = SS_LAW_UNILATERAL },
    .create = create,
    .destroy = destroy,
    .solve = sweep,
};

/* ---- scenes ------------------------------------------------------------------------------------------------ */

#define HEAD(dimension, gravity)                                                                                                 \
    "{\"slipstick\": 1, \"dimension\": " #dimension ", \"gravity\": " gravity ", \"time\": {\"until\": 1, \"step\": 0.002},"
/* two spheres, one on the other in a trough; a hinge whose body turns by many turns */
static const char *const SCENE = HEAD(3, "[0, 0, -9.81]") "\"bodies\": ["
                                                          "{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": "
                                                          "\"half_space\", \"normal\": [0, 0, 1]}]},"
                                                          "{\"name\": \"low\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": "
                                                          "[0.01, 0.01, 0.01], \"position\": [0, 0, 0.13],"
                                                          " \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]},"
                                                          "{\"name\": \"high\", \"type\": \"rigid\", \"mass\": 3, \"inertia\": "
                                                          "[0.01, 0.01, 0.01], \"position\": [0, 0, 0.35],"
                                                          " \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]},"
                                                          "{\"name\": \"fan\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": "
                                                          "[0.01, 0.02, 0.03], \"position\": [5, 0, 5],"
                                                          " \"angular_velocity\": [0, 0, 30]}],"
                                                          "\"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"bodies\": "
                                                          "[\"world\", \"fan\"], \"at\": [5, 0, 5], \"axis\": [0, 0, 1]}]}";

static scene_run open_own(const ss_own_scheme *scheme, const char *solver, double tol)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_sim_options o = with_tol(tol);
    o.scheme = "own";
    o.solver = solver;
    CHECK_OK(r.ctx, ss_context_add_scheme(r.ctx, scheme));
    CHECK_OK(r.ctx, ss_context_add_solver(r.ctx, &SWEEPS));
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, SCENE, strlen(SCENE), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    ss_scene_destroy(scene);
    CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &o, &r.sim));
    return r;
}

/* low falls 3 cm, high 5 cm onto it, and both stay: 0.1 and 0.3 m; the fan turns by 30 rad in 1 s */
TEST(a_scheme_from_outside_drops_balls_and_turns_a_fan_with_any_solver)
{
    static const char *const solvers[] = { "auto", "nsgs", "sweeps" };
    for (int k = 0; k < 4; k++) {
        fault x = { 0 };
        const ss_own_scheme scheme = own_scheme(&x);
        scene_run r = open_own(&scheme, solvers[k % 3], k == 3 ? 1e-4 : NAN);
        double angle;
        CHECK(strcmp(ss_sim_scheme(r.sim), "own") == 0);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
        CHECK_NEAR(ss_sim_q(r.sim)[2], 0.1, 1e-9);
        CHECK_NEAR(ss_sim_q(r.sim)[9], 0.3, 1e-9);
        CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, 0, &angle, NULL));
        CHECK_NEAR(angle, 30, 1e-6);
        CHECK(ss_sim_ledger(r.sim)->closure < 1e-12); /* round-off */
        close_scene(&r);
    }
}

/* v' = v - g h, z' = z + h v' : by hand */
TEST(its_step_is_that_of_its_equations)
{
    fault x = { 0 };
    const ss_own_scheme scheme = own_scheme(&x);
    scene_run r = open_own(&scheme, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
    CHECK_NEAR(ss_sim_v(r.sim)[2], -0.0981, 1e-16);
    CHECK_NEAR(ss_sim_q(r.sim)[2], 0.13 - 0.000981, 1e-16);
    close_scene(&r);
}

TEST(its_runs_restart_with_the_same_bits_and_take_no_memory)
{
    fault x = { 0 };
    const ss_own_scheme scheme = own_scheme(&x);
    scene_run r = open_own(&scheme, "sweeps", NAN), other = open_own(&scheme, "sweeps", NAN);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.3));
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    const uint64_t before = ss_context_allocations(r.ctx);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.4));
    CHECK(ss_context_allocations(r.ctx) == before);
    CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
    CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.4));
    check_same_state(r.sim, other.sim);
    ss_blob_free(r.ctx, blob);
    close_scene(&other);
    close_scene(&r);
}

TEST(a_step_with_a_fault_says_so_and_the_simulation_goes_on)
{
    const struct {
        fault fault;
        const char *text;
    } wrong[] = {
        { { .no_end = true }, "scheme own: its step has not called ss_step_end" },
        { { .early_solve = true }, "scheme own: there is no problem that has been posed" },
        { { .twice = true }, "ss_step_end is called once" },
        { { .late_forces = true }, "forces are added before the problem is posed" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        fault x = wrong[k].fault;
        const ss_own_scheme scheme = own_scheme(&x);
        scene_run r = open_own(&scheme, NULL, NAN);
        CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.01), SS_ERR_NUMERIC, wrong[k].text);
        CHECK(ss_sim_time(r.sim) == 0);
        x = (fault){ 0 };
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.01));
        close_scene(&r);
    }
}

TEST(names_that_are_taken_or_missing_and_entries_without_functions_are_refused)
{
    fault x = { 0 };
    ss_context *ctx = test_context();
    ss_own_scheme scheme = own_scheme(&x);
    ss_solver_type solver = SWEEPS;
    ss_solver *made = NULL;
    ss_solver_options o = ss_solver_options_default();
    o.name = "sweeps";
    CHECK_FAILS(ctx, ss_solver_create(ctx, &o, &made), SS_ERR_INPUT, "solver \"sweeps\" is not known");
    CHECK_OK(ctx, ss_context_add_solver(ctx, &SWEEPS));
    CHECK_OK(ctx, ss_solver_create(ctx, &o, &made));
    ss_solver_destroy(made);
    CHECK_FAILS(ctx, ss_context_add_solver(ctx, &SWEEPS), SS_ERR_INPUT, "solvers: there is one called \"sweeps\" already");
    scheme.info.name = "moreau";
    CHECK_FAILS(ctx, ss_context_add_scheme(ctx, &scheme), SS_ERR_INPUT, "schemes: there is one called \"moreau\" already");
    scheme.info.name = "";
    CHECK_FAILS(ctx, ss_context_add_scheme(ctx, &scheme), SS_ERR_INPUT, "needs a name");
    scheme.step = NULL;
    CHECK_FAILS(ctx, ss_context_add_scheme(ctx, &scheme), SS_ERR_INPUT, "needs a function `step`");
    solver.destroy = NULL;
    CHECK_FAILS(ctx, ss_context_add_solver(ctx, &solver), SS_ERR_INPUT, "`destroy` if it has `create`");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scheme_from_outside_drops_balls_and_turns_a_fan_with_any_solver),
        cmocka_unit_test(its_step_is_that_of_its_equations),
        cmocka_unit_test(its_runs_restart_with_the_same_bits_and_take_no_memory),
        cmocka_unit_test(a_step_with_a_fault_says_so_and_the_simulation_goes_on),
        cmocka_unit_test(names_that_are_taken_or_missing_and_entries_without_functions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
