/* test_solver.c - what all solvers share: choosing one, options, refusals, outcomes. The first test covers any solver
 * the moment it enters solvers.def. */
#include "solvers/solver.h"
#include "unit/problem/small_problem.h"

/* a particle slides on the floor in 3D: r = m (1, -1/2, 0), u = (0, 0.5, 0.4); see test_residual.c */
static void sliding_particle(small_problem *y, ss_context *ctx)
{
    const double mass[] = { 3, 3, 3 }, v[] = { -1, 1, 0.4 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    sp_open(y, ctx, 3);
    sp_block(y, 3, mass, false);
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 4, sp_square);
    sp_motion(y, v, NULL);
}

static ss_status create(ss_context *ctx, const char *name, const ss_setting *settings, ss_solver **out)
{
    ss_solver_options options = ss_solver_options_default();
    options.name = name;
    options.settings = settings;
    return ss_solver_create(ctx, &options, out);
}

TEST(every_solver_that_takes_a_problem_finds_its_known_solution)
{
    ss_context *ctx = test_context();
    const double r[] = { 3, -1.5, 0 }, u[] = { 0, 0.5, 0.4 };
    for (int k = 0; ss_solver_types[k]; k++) {
        small_problem y;
        ss_solver *solver;
        ss_solver_info info;
        sliding_particle(&y, ctx);
        if (ss_solver_takes(ss_solver_types[k], &y.p)) {
            CHECK_OK(ctx, create(ctx, ss_solver_types[k]->info.name, NULL, &solver));
            CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
            CHECK(info.outcome == SS_CONVERGED);
            for (int i = 0; i < 3; i++) {
                CHECK_NEAR(y.r[i], r[i], 1e-9); /* ten times the default tol */
                CHECK_NEAR(y.u[i], u[i], 1e-9);
                CHECK_NEAR(y.v[i], u[i], 1e-9);
            }
            ss_solver_destroy(solver);
        }
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

TEST(auto_is_the_default_and_answers_to_its_name)
{
    ss_context *ctx = test_context();
    ss_solver *solver;
    CHECK_OK(ctx, ss_solver_create(ctx, NULL, &solver));
    CHECK(strcmp(ss_solver_name(solver), "auto") == 0);
    ss_solver_destroy(solver);
    ss_solver_destroy(NULL);
    ss_context_destroy(ctx);
}

TEST(problems_are_solved_to_the_tolerance_of_the_docs_unless_another_is_given)
{
    CHECK(ss_solver_options_default().tol == 1e-10);
    CHECK(ss_scene_settings_default().solver_tol == 1e-10);
}

TEST(unknown_names_and_options_are_refused_with_the_nearest_one)
{
    ss_context *ctx = test_context();
    ss_solver *solver;
    const ss_setting misspelt[] = { { .key = "refacto", .number = 3 }, { .key = NULL } };
    const ss_setting outside[] = { { .key = "refactor", .number = 0 }, { .key = NULL } };
    const ss_setting good[] = { { .key = "refactor", .number = 5 }, { .key = "advance", .text = "false" }, { .key = NULL } };
    CHECK_FAILS(ctx, create(ctx, "lemk", NULL, &solver), SS_ERR_INPUT, "did you mean \"lemke\"");
    CHECK(solver == NULL);
    CHECK_FAILS(ctx, create(ctx, "lemke", misspelt, &solver), SS_ERR_INPUT, "refactor");
    CHECK_FAILS(ctx, create(ctx, "lemke", outside, &solver), SS_ERR_INPUT, "refactor");
    CHECK_OK(ctx, create(ctx, "lemke", good, &solver));
    ss_solver_destroy(solver);
    ss_solver_options options = ss_solver_options_default();
    options.tol = 0;
    CHECK_FAILS(ctx, ss_solver_create(ctx, &options, &solver), SS_ERR_INPUT, "tol 0");
    ss_context_destroy(ctx);
}

TEST(laws_that_no_solver_takes_are_refused)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    sliding_particle(&y, ctx);
    y.law[0] = SS_LAW_ASSOCIATED;
    CHECK_OK(ctx, create(ctx, "lemke", NULL, &solver));
    CHECK_FAILS(ctx, ss_solver_solve(solver, &y.p, &y.s, &info), SS_ERR_UNSUPPORTED, "solver lemke takes the laws");
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_bad_problem_is_refused_before_anything_is_solved)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    sliding_particle(&y, ctx);
    y.b[1] = NAN;
    CHECK_OK(ctx, create(ctx, "auto", NULL, &solver));
    CHECK_FAILS(ctx, ss_solver_solve(solver, &y.p, &y.s, &info), SS_ERR_INPUT, "b[1] is nan");
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(without_contacts_the_joints_alone_are_solved)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    const double mass[] = { 1 }, heavy[] = { 3 }, joint[] = { 1, -1 }, v[] = { 4, 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_block(&y, 1, heavy, false);
    sp_joint(&y, joint, 0);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, create(ctx, "auto", NULL, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations == 0 && info.residual.worst == -1);
    CHECK_NEAR(y.v[0], 1, 1e-15); /* common velocity: momentum 4 over mass 4 */
    CHECK_NEAR(y.v[1], 1, 1e-15);
    CHECK_NEAR(y.lam[0], -3, 1e-15);
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_singular_matrix_is_a_breakdown_that_keeps_the_old_velocity)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    sliding_particle(&y, ctx);
    y.M[0] = 0;
    CHECK_OK(ctx, create(ctx, "auto", NULL, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_BREAKDOWN && isinf(info.residual.contact));
    CHECK(strstr(ss_last_error(ctx), "not positive definite"));
    CHECK(y.v[1] == 1 && y.r[0] == 0);
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(inconsistent_joints_are_not_certified)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_solver *solver;
    ss_solver_info info;
    const double mass[] = { 1 }, joint[] = { 1 }, v[] = { 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_joint(&y, joint, 1);
    sp_joint(&y, joint, 2); /* v = 1 and v = 2 */
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, create(ctx, "auto", NULL, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INACCURATE && info.residual.joint > 0.1);
    ss_solver_destroy(solver);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(outcomes_have_names)
{
    CHECK(strcmp(ss_outcome_name(SS_CONVERGED), "converged") == 0);
    CHECK(strcmp(ss_outcome_name(SS_BREAKDOWN), "breakdown") == 0);
    CHECK(strcmp(ss_outcome_name((ss_outcome)99), "unknown") == 0);
}

/* an allocator that refuses the n-th request */
typedef struct miser {
    int left;
} miser;

static void *miserly(void *user, void *p, size_t size)
{
    miser *m = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return m->left-- > 0 ? realloc(p, size) : NULL;
}

TEST(running_out_of_memory_anywhere_is_reported_and_leaks_nothing)
{
    small_problem y;
    ss_context *plain = test_context();
    sliding_particle(&y, plain);
    sp_joint(&y, (double[]){ 0, 0, 1 }, 0);
    bool done = false;
    for (int n = 1; !done; n++) {
        miser m = { n };
        ss_context_options options = ss_context_options_default();
        options.allocator = (ss_allocator){ .resize = miserly, .user = &m };
        ss_context *ctx;
        ss_solver *solver = NULL;
        ss_solver_info info;
        if (ss_context_create(&options, &ctx) != SS_OK) {
            continue;
        }
        ss_status status = create(ctx, "auto", NULL, &solver);
        if (status == SS_OK) {
            status = ss_solver_solve(solver, &y.p, &y.s, &info);
        }
        done = status == SS_OK;
        CHECK(done || status == SS_ERR_MEMORY);
        CHECK(n < 1000);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
    }
    sp_close(&y);
    ss_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_that_takes_a_problem_finds_its_known_solution),
        cmocka_unit_test(auto_is_the_default_and_answers_to_its_name),
        cmocka_unit_test(problems_are_solved_to_the_tolerance_of_the_docs_unless_another_is_given),
        cmocka_unit_test(unknown_names_and_options_are_refused_with_the_nearest_one),
        cmocka_unit_test(laws_that_no_solver_takes_are_refused),
        cmocka_unit_test(a_bad_problem_is_refused_before_anything_is_solved),
        cmocka_unit_test(without_contacts_the_joints_alone_are_solved),
        cmocka_unit_test(a_singular_matrix_is_a_breakdown_that_keeps_the_old_velocity),
        cmocka_unit_test(inconsistent_joints_are_not_certified),
        cmocka_unit_test(outcomes_have_names),
        cmocka_unit_test(running_out_of_memory_anywhere_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
