/* The extrapolated midpoint rule: closed forms, rounding, how far a step may go. */
#include "test.h"

#include "math/extrapolation.h"

static int evaluations; /* of the rates below */

static void oscillator(const void *user, int mode, double t, const double *y, double *out)
{
    const double *omega = user;
    (void)mode;
    (void)t;
    evaluations++;
    out[0] = y[1];
    out[1] = -*omega * *omega * y[0];
}

/* y = exp(sin t); mode 1: exp(-sin t) */
static void driven(const void *user, int mode, double t, const double *y, double *out)
{
    (void)user;
    out[0] = (mode == 1 ? -1 : 1) * cos(t) * y[0];
}

static void explosion(const void *user, int mode, double t, const double *y, double *out)
{
    (void)user;
    (void)mode;
    (void)t;
    out[0] = y[0] * y[0];
}

static void nonsense(const void *user, int mode, double t, const double *y, double *out)
{
    (void)user;
    (void)mode;
    (void)t;
    (void)y;
    out[0] = NAN;
}

TEST(a_step_is_exact_to_rounding_where_its_estimate_says_so)
{
    double omega = 1;
    ss_ode ode = { .n = 2, .rate = oscillator, .user = &omega, .scale = { 1, 1 } };
    for (double h = -0.25; h <= 0.25; h += 0.03125) {
        double y[2] = { cos(0.3), -sin(0.3) }, d[2];
        evaluations = 0;
        CHECK(ss_ode_step(&ode, 0, y, h, d) <= 1e-15);
        CHECK(evaluations <= 37);
        CHECK_NEAR(y[0] + d[0], cos(0.3 + h), 8e-16);
        CHECK_NEAR(y[1] + d[1], -sin(0.3 + h), 8e-16);
    }
}

/* the estimate is that of the value before the last: never smaller than the error, until rounding */
TEST(the_estimate_bounds_the_error_of_long_steps)
{
    double omega = 1, last = 0;
    ss_ode ode = { .n = 2, .rate = oscillator, .user = &omega, .scale = { 1, 1 } };
    for (double h = 0.3; h <= 2; h *= 1.1) {
        double y[2] = { 1, 0 }, d[2], estimate = ss_ode_step(&ode, 0, y, h, d);
        double error = fmax(fabs(1 + d[0] - cos(h)), fabs(d[1] + sin(h)));
        CHECK(error <= estimate + 2e-15);
        last = estimate;
    }
    CHECK(last > 1e-7); /* at the end it knows how much it has lost */
}

TEST(six_rows_have_order_twelve)
{
    double error[2], omega = 1;
    ss_ode ode = { .n = 2, .rate = oscillator, .user = &omega, .scale = { 1, 1 } };
    for (int k = 0; k < 2; k++) {
        double y[2] = { 1, 0 }, d[2], h = k == 0 ? 2.4 : 1.6;
        ss_ode_step(&ode, 0, y, h, d);
        error[k] = hypot(1 + d[0] - cos(h), d[1] + sin(h));
    }
    double order = log(error[0] / error[1]) / log(2.4 / 1.6) - 1; /* the error of one step has one power more */
    CHECK(order > 11.5 && order < 13);
}

/* d is accurate relative to itself, where y + d would lose all of it; few evaluations do */
TEST(short_steps_keep_the_digits_of_the_increment)
{
    double omega = 1;
    ss_ode ode = { .n = 2, .rate = oscillator, .user = &omega, .scale = { 1, 1 } };
    for (double h = 1e-3; h > 1e-14; h *= 0.1) {
        double y[2] = { 1, 0 }, d[2];
        evaluations = 0;
        ss_ode_step(&ode, 0, y, h, d);
        CHECK(evaluations <= 17);
        CHECK_NEAR(d[0] / (-2 * sin(h / 2) * sin(h / 2)), 1, 1e-13); /* of the estimate 2^-56 over h^2 = 1e-6: 1e-11 and better */
        CHECK_NEAR(d[1] / -sin(h), 1, 4e-16);
    }
}

TEST(time_and_mode_reach_the_equations)
{
    for (int mode = 0; mode < 2; mode++) {
        ss_ode ode = { .n = 1, .mode = mode, .rate = driven, .scale = { 1 } };
        double sign = mode == 1 ? -1 : 1, y[1] = { exp(sign * sin(2)) }, d[1];
        CHECK(ss_ode_step(&ode, 2, y, 0.15, d) <= 1e-15);
        CHECK_NEAR(y[0] + d[0], exp(sign * sin(2.15)), 1e-15);
    }
}

/* a hundred periods by the steps it chooses, 2500 of them; 1e-15 each would be 2.5e-12 */
TEST(long_motions_lose_only_rounding)
{
    double omega = 3, y[2] = { 1, 0 }, d[2], end = 200 * acos(-1) / omega, t = 0, largest = 0;
    ss_ode ode = { .n = 2, .rate = oscillator, .user = &omega, .scale = { 1, omega } };
    int steps = 0;
    for (double h = 10; t < end; steps++) {
        h = fmin(2 * h, end - t);
        CHECK(ss_ode_longest_step(NULL, &ode, t, y, &h, d) == SS_OK);
        t += h;
        y[0] += d[0];
        y[1] += d[1];
        largest = fmax(largest, h);
    }
    CHECK_NEAR(y[0], 1, 1e-12);
    CHECK_NEAR(y[1], 0, 3e-12);
    CHECK(steps < 3000 && largest > 0.07);
}

TEST(steps_shrink_before_a_singularity_and_fail_in_words)
{
    ss_context *ctx = test_context();
    ss_ode ode = { .n = 1, .rate = explosion, .scale = { 1 } }, bad = { .n = 1, .rate = nonsense, .scale = { 1 } };
    double y[1] = { 1 }, d[1], h = 4; /* y = 1 / (1 - t) */
    CHECK_OK(ctx, ss_ode_longest_step(ctx, &ode, 0, y, &h, d));
    CHECK(h < 1 && h > 0.01);
    CHECK_NEAR(1 + d[0], 1 / (1 - h), 1e-15);
    h = 1;
    CHECK(ss_ode_step(&bad, 0, y, 1, d) == INFINITY && d[0] == 0);
    CHECK_FAILS(ctx, ss_ode_longest_step(ctx, &bad, 0, y, &h, d), SS_ERR_NUMERIC, "no step after t = 0");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_exact_to_rounding_where_its_estimate_says_so),
        cmocka_unit_test(the_estimate_bounds_the_error_of_long_steps),
        cmocka_unit_test(six_rows_have_order_twelve),
        cmocka_unit_test(short_steps_keep_the_digits_of_the_increment),
        cmocka_unit_test(time_and_mode_reach_the_equations),
        cmocka_unit_test(long_motions_lose_only_rounding),
        cmocka_unit_test(steps_shrink_before_a_singularity_and_fail_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
