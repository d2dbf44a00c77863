/* test_norms.c - errors over a grid of times against sums done by hand. */
#include "study/norms.h"
#include "test.h"

static ss_error_norms norms_of(int n, const double *t, const double *x, const double *y)
{
    ss_context *ctx = test_context();
    ss_graph g = { n, t, x, 1 };
    ss_error_norms out;
    CHECK_OK(ctx, ss_error_norms_of(ctx, &g, y, 1, &out));
    ss_context_destroy(ctx);
    return out;
}

TEST(equal_steps_give_the_paper_s_sums)
{
    /* h = 1/2, errors 1, 2, 2, 4: h sum |e| = 4.5, sqrt(h sum e^2) = sqrt(12.5) */
    const double t[] = { 0, 0.5, 1, 1.5 }, x[] = { 1, 2, -2, 4 }, y[] = { 0, 0, 0, 0 };
    ss_error_norms e = norms_of(4, t, x, y);
    CHECK(e.final == 4 && e.max == 4 && e.t_max == 1.5);
    CHECK_NEAR(e.l1, 4.5, 1e-15); /* a few roundings */
    CHECK_NEAR(e.l2, sqrt(12.5), 1e-15);
}

TEST(unequal_steps_are_weighted_by_their_length_and_jumps_not_at_all)
{
    /* weights 1/4 (the first step), 1/4, 1, 0, 1/2 */
    const double t[] = { 1, 1.25, 2.25, 2.25, 2.75 }, x[] = { 1, 1, 1, 9, 1 }, y[] = { 0, 0, 0, 0, 0 };
    ss_error_norms e = norms_of(5, t, x, y);
    CHECK_NEAR(e.l1, 2, 1e-15);
    CHECK(e.max == 9 && e.t_max == 2.25 && e.final == 1);
}

TEST(a_grid_that_starts_with_a_jump_takes_its_first_real_step)
{
    const double t[] = { 0, 0, 0.5, 1 }, x[] = { 1, 3, 1, 1 }, y[] = { 0, 0, 0, 0 };
    CHECK_NEAR(norms_of(4, t, x, y).l1, 1.5, 1e-15); /* 1/2 (1 + 1 + 1); the second point has no weight */
}

TEST(refined_grids_converge_to_the_integral)
{
    static double t[4001], x[4001], y[4001];
    for (int k = 0; k <= 4000; k++) {
        double s = k / 4000.0;
        t[k] = s * s; /* unequal steps */
        x[k] = t[k];
    }
    ss_error_norms e = norms_of(4001, t, x, y);
    CHECK_NEAR(e.l1, 0.5, 1e-3); /* int t = 1/2, int t^2 = 1/3; the sum is of first order, the largest step 5e-4 */
    CHECK_NEAR(e.l2, sqrt(1.0 / 3), 1e-3);
}

TEST(huge_and_tiny_errors_neither_overflow_nor_vanish)
{
    const double t[] = { 0, 1 }, huge[] = { 3e200, 4e200 }, tiny[] = { 3e-200, 4e-200 }, y[] = { 0, 0 };
    CHECK_NEAR(norms_of(2, t, huge, y).l2 / 5e200, 1, 1e-15);
    CHECK_NEAR(norms_of(2, t, tiny, y).l2 / 5e-200, 1, 1e-15);
}

TEST(no_error_is_zero_in_every_norm_and_one_point_has_no_length)
{
    const double t[] = { 2, 3 }, x[] = { 7, 8 }, y[] = { 5, 8 };
    ss_error_norms e = norms_of(2, t, x, x);
    CHECK(e.final == 0 && e.l1 == 0 && e.l2 == 0 && e.max == 0 && e.t_max == 2);
    e = norms_of(1, t, x, y);
    CHECK(e.final == 2 && e.max == 2 && e.l1 == 0 && e.l2 == 0);
}

TEST(a_column_of_a_table_is_read_by_its_stride)
{
    ss_context *ctx = test_context();
    const double t[] = { 0, 1 }, rows[] = { 1, 10, 100, 2, 20, 200 };
    ss_graph g = { 2, t, rows + 1, 3 };
    ss_error_norms e;
    CHECK_OK(ctx, ss_error_norms_of(ctx, &g, rows + 2, 3, &e));
    CHECK(e.final == 180 && e.l1 == 270);
    ss_context_destroy(ctx);
}

TEST(a_reference_is_linear_between_its_points_and_taken_after_a_jump)
{
    ss_context *ctx = test_context();
    const double t[] = { 0, 1, 1, 1, 3 }, x[] = { 0, 2, 7, -2, 2 };
    const double at[] = { 3, 0.5, 1, 2, 0, -1e-10, 3 + 1e-10 }, expected[] = { 2, 1, -2, 0, 0, 0, 2 };
    ss_graph g = { 5, t, x, 1 };
    double got[7];
    CHECK_OK(ctx, ss_graph_sample(ctx, &g, 7, at, got));
    for (int k = 0; k < 7; k++) {
        CHECK(got[k] == expected[k]);
    }
    ss_context_destroy(ctx);
}

TEST(bad_input_is_refused_with_its_place)
{
    ss_context *ctx = test_context();
    const double t[] = { 0, 1, 0.5 }, x[] = { 0, NAN, 1 }, fine[] = { 1, 2, 3 }, late[] = { 0.5, 1.5 }, big[] = { 1e308, 1e308 },
                 small[] = { -1e308, -1e308 };
    ss_graph good = { 2, t, fine, 1 }, nan = { 2, t, x, 1 }, back = { 3, t, fine, 1 }, none = { 0, t, fine, 1 },
             flat = { 2, t, fine, 0 }, far = { 2, t, big, 1 };
    ss_error_norms e;
    double got[2];
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &nan, fine, 1, &e), SS_ERR_INPUT, "trajectory: point 1");
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &good, x, 1, &e), SS_ERR_INPUT, "reference: point 1");
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &back, fine, 1, &e), SS_ERR_INPUT, "time goes back from 1 to 0.5 at point 2");
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &none, fine, 1, &e), SS_ERR_INPUT, "0 points");
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &flat, fine, 1, &e), SS_ERR_INPUT, "stride 0");
    CHECK_FAILS(ctx, ss_error_norms_of(ctx, &far, small, 1, &e), SS_ERR_INPUT, "overflows");
    CHECK_FAILS(ctx, ss_graph_sample(ctx, &good, 2, late, got), SS_ERR_INPUT,
                "it covers t = 0 to 1, but its value is needed at t = 1.5");
    CHECK_FAILS(ctx, ss_graph_sample(ctx, &good, 1, &x[1], got), SS_ERR_INPUT, "needed at t = nan");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_steps_give_the_paper_s_sums),
        cmocka_unit_test(unequal_steps_are_weighted_by_their_length_and_jumps_not_at_all),
        cmocka_unit_test(a_grid_that_starts_with_a_jump_takes_its_first_real_step),
        cmocka_unit_test(refined_grids_converge_to_the_integral),
        cmocka_unit_test(huge_and_tiny_errors_neither_overflow_nor_vanish),
        cmocka_unit_test(no_error_is_zero_in_every_norm_and_one_point_has_no_length),
        cmocka_unit_test(a_column_of_a_table_is_read_by_its_stride),
        cmocka_unit_test(a_reference_is_linear_between_its_points_and_taken_after_a_jump),
        cmocka_unit_test(bad_input_is_refused_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
