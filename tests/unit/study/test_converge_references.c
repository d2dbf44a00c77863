/* test_converge_references.c - what a run is compared with: an exact solution, a finer run, and which of them are refused. */
#include "study/reference.h"
#include "unit/study/ball_study.h"

/* ---- references -------------------------------------------------------------------------------------- */

/* at t = 1 and 2 the velocity jumps from -2 to 1, from -1 to 1/2 */
TEST(an_exact_reference_is_taken_after_its_jump)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(5, SS_NORM_L1, SS_QUANTITY_V);
    const double t[2] = { 1, 2 };
    double v[4];
    ss_reference *r;
    CHECK_OK(ctx, ss_reference_create(ctx, &o.base, NULL, SS_QUANTITY_V, &r));
    CHECK_OK(ctx, ss_reference_at(r, 2, t, v));
    CHECK_NEAR(v[1], 1, 1e-15);
    CHECK_NEAR(v[3], 0.5, 1e-15);
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

TEST(a_finer_run_serves_as_reference)
{
    ss_context *ctx = test_context();
    const ss_norm_kind norms[] = { SS_NORM_FINAL, SS_NORM_L1, SS_NORM_L2, SS_NORM_MAX };
    for (int i = 0; i < 4; i++) {
        ss_converge_options o = ball_options(0.75, norms[i], SS_QUANTITY_Q);
        o.reference = "anitescu_potra@2^-8";
        ss_convergence *c = measure(ctx, &o);
        for (int k = 0; k < 3; k++) { /* both have their error, t h and t H */
            double share = 1 - 0x1p-8 / steps[k];
            CHECK_NEAR(c->scheme[0].row[k].error, share * closed_form(norms[i], steps[k], 0.75), 1e-13);
        }
        CHECK(!c->exact);
        ss_convergence_destroy(c);
    }
    ss_context_destroy(ctx);
}

static void count_warnings(void *user, ss_log_level level, const char *message)
{
    int *warnings = user;
    *warnings += level == SS_LOG_WARNING && strstr(message, "reference") != NULL;
}

/* the smallest step is 1/32 s */
TEST(a_reference_that_is_coarser_than_a_run_is_refused_and_one_not_much_finer_told)
{
    int warnings = 0;
    ss_context_options hooks = ss_context_options_default();
    ss_context *ctx = NULL;
    hooks.log = count_warnings;
    hooks.log_user = &warnings;
    CHECK(ss_context_create(&hooks, &ctx) == SS_OK);
    ss_converge_options o = ball_options(0.75, SS_NORM_L1, SS_QUANTITY_Q);
    ss_convergence *c;
    o.reference = "anitescu_potra@2^-4";
    CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, "up to 0.0625 s apart, more than the smallest step of 0.03125 s");
    CHECK(!c && warnings == 0);
    o.reference = "anitescu_potra@2^-6";
    ss_convergence_destroy(measure(ctx, &o));
    CHECK(warnings == 1);
    o.reference = "anitescu_potra@2^-7";
    ss_convergence_destroy(measure(ctx, &o));
    CHECK(warnings == 1);
    ss_context_destroy(ctx);
}

TEST(what_an_exact_solution_does_not_know_comes_out_before_the_first_run)
{
    ss_context *ctx = test_context();
    ss_study_case base = ss_study_case_default();
    ss_reference *r;
    base.scene = "papers/aca09/oscillator.json";
    base.set = (const char *[]){ "forces.0.stiffness=1e14", "pairs.0.e=1", "forces.0.damping=0" };
    base.sets = 3;
    CHECK_FAILS(ctx, ss_reference_create(ctx, &base, NULL, SS_QUANTITY_Q, &r), SS_ERR_INPUT, "more than 100000 impacts");
    CHECK(!r);
    ss_context_destroy(ctx);
}

TEST(an_exact_reference_can_be_interrupted)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(5, SS_NORM_L1, SS_QUANTITY_V);
    volatile int stop = 0;
    ss_reference *r;
    ss_reference_graph g;
    double v[2];
    o.base.watch.interrupt = &stop;
    CHECK_OK(ctx, ss_reference_create(ctx, &o.base, NULL, SS_QUANTITY_V, &r));
    stop = 1;
    CHECK_FAILS(ctx, ss_reference_at(r, 1, (double[]){ 1.5 }, v), SS_ERR_INTERRUPTED, "interrupted");
    CHECK_FAILS(ctx, ss_reference_draw(r, 1e-3, &g), SS_ERR_INTERRUPTED, "interrupted");
    ss_reference_destroy(r);
    ss_context_destroy(ctx);
}

TEST(references_that_do_not_fit_are_refused)
{
    ss_context *ctx = test_context();
    ss_converge_options o = ball_options(0.75, SS_NORM_FINAL, SS_QUANTITY_Q);
    ss_convergence *c;
    const char *bad[][2] = { { "anitescu_potra@0.5", "does not divide" }, { "anitescu_potra@-1", "step > 0" },
                             { "anitescu_potra@", "reference" },          { "@0.25", "SCHEME@H" },
                             { "none_such@0.25", "none_such" },           { "fine", "SCHEME@H" },
                             { "/nowhere/a.h5", "cannot be opened" } };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        o.reference = bad[k][0];
        CHECK_FAILS(ctx, ss_converge(ctx, &o, &c), SS_ERR_INPUT, bad[k][1]);
        CHECK(c == NULL);
    }
    o.reference = NULL;
    o.base.set = (const char *[]){ "exact={}" };
    o.base.sets = 1;
    CHECK(ss_converge(ctx, &o, &c) == SS_ERR_INPUT);
    ss_context_destroy(ctx);
}

TEST(quaternions_follow_each_other)
{
    int quat[5] = { -1, 1, 1, 1, 1 };
    const ss_trajectory shape = { .nq = 5, .quat = quat };
    const double like[5] = { 7, 1, 0, 0, 0 };
    double q[10] = { 1, -0.8, 0.6, 0, 0, -2, 0.7, -0.7, 0, 0.1 };
    ss_straighten(&shape, like, 2, q);
    const double wanted[10] = { 1, 0.8, -0.6, 0, 0, -2, 0.7, -0.7, 0, 0.1 };
    for (int k = 0; k < 10; k++) {
        CHECK(q[k] == wanted[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_reference_is_taken_after_its_jump),
        cmocka_unit_test(a_finer_run_serves_as_reference),
        cmocka_unit_test(a_reference_that_is_coarser_than_a_run_is_refused_and_one_not_much_finer_told),
        cmocka_unit_test(what_an_exact_solution_does_not_know_comes_out_before_the_first_run),
        cmocka_unit_test(an_exact_reference_can_be_interrupted),
        cmocka_unit_test(references_that_do_not_fit_are_refused),
        cmocka_unit_test(quaternions_follow_each_other),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ball_scene_remove();
    return failed;
}
