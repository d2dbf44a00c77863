/* test_driven.c - where driven bodies may be in a time, and for how long they move evenly. */
#include "base/tolerances.h"
#include "build.h"

/* a driven ball of radius 0.1, and a free one unless the world is to be empty; functions of time for x and the angle */
static ss_model *driven_ball(ss_context *ctx, const char *x, const char *angle, bool free_ball)
{
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc ball = standing("driven", SS_BODY_DRIVEN);
    ball.motion[0] = x;
    ball.motion_angle = angle;
    ball.position[1] = 5;
    add_sphere(scene, ctx, add_body(scene, ctx, ball), 0.1, NULL);
    const int other = add_body(scene, ctx, rigid("free", 9, 9));
    if (free_ball) {
        add_sphere(scene, ctx, other, 0.1, NULL);
    }
    return compiled(ctx, scene);
}

static ss_driven_range range_of(const char *x, const char *angle, double from, double to)
{
    ss_context *ctx = test_context();
    ss_model *m = driven_ball(ctx, x, angle, true);
    ss_driven_range range;
    ss_model_driven_range(m, 0, from, to, &range);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
    return range;
}

static double even_time(const char *x, const char *angle, bool free_ball, double h)
{
    ss_context *ctx = test_context();
    ss_model *m = driven_ball(ctx, x, angle, free_ball);
    const double even = ss_model_even_time(m, 0, h);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
    return even;
}

TEST(every_place_of_a_driven_body_lies_in_its_range)
{
    static const char *const motions[] = { "sin(7*t)",     "exp(-t)*cos(20*t)",    "t^3 - t",
                                           "abs(t - 0.3)", "min(max(10*t, 1), 3)", "sqrt(1 + t^2)",
                                           "1/(1 + t^2)",  "t*t - sin(3*t)*t" };
    uint64_t seed = 17;
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
        ss_context *ctx = test_context();
        ss_model *m = driven_ball(ctx, motions[k], "2*t", true);
        for (int trial = 0; trial < 200; trial++) {
            const double from = 2 * uniform(&seed), to = from + exp(4 * uniform(&seed) - 3);
            ss_driven_range range;
            ss_model_driven_range(m, 0, from, to, &range);
            for (int i = 0; i <= 100; i++) {
                const double t = from + (to - from) * i / 100;
                place p = place_at(ctx, m, t, m->q0);
                const double x = p.c.frame[0].p.x, round = 1e-12 * (1 + fabs(x));
                CHECK(range.lo[0] <= x + round && x - round <= range.hi[0]);
                CHECK(range.lo[SS_DRIVEN_ANGLE] <= 2 * t + 1e-12 && 2 * t - 1e-12 <= range.hi[SS_DRIVEN_ANGLE]);
                leave(&p);
            }
            CHECK(range.lo[1] == 5 && range.hi[1] == 5); /* has no function of time */
        }
        ss_model_destroy(m);
        ss_context_destroy(ctx);
    }
}

TEST(the_range_of_a_function_that_names_t_once_is_that_of_its_values)
{
    const ss_driven_range turn = range_of("sin(7*t)", "0", 0, 1), ramp = range_of("3*t - 1", "0", 0, 2);
    CHECK_NEAR(turn.lo[0], -1, 1e-15);
    CHECK_NEAR(turn.hi[0], 1, 1e-15);
    CHECK_NEAR(ramp.lo[0], -1, 1e-14);
    CHECK_NEAR(ramp.hi[0], 5, 1e-14);
    CHECK(turn.lo[SS_DRIVEN_ANGLE] == 0 && turn.hi[SS_DRIVEN_ANGLE] == 0);
}

TEST(a_leap_within_a_microsecond_is_in_the_range)
{
    const ss_driven_range range = range_of("max(0, 1 - 1e6*abs(t - 0.3456))", "0", 0, 1);
    CHECK(range.lo[0] <= 0);
    CHECK(range.hi[0] >= 1);
}

TEST(where_no_range_is_known_the_values_at_the_quarters_stand_in_its_place)
{
    const ss_driven_range range = range_of("1/(2*t - t - 0.3)", "0", 0, 1);
    const double pole[] = { 1 / -0.3, 1 / -0.05, 1 / 0.2, 1 / 0.45, 1 / 0.7 };
    for (int k = 0; k < 5; k++) {
        CHECK(range.lo[0] <= pole[k] && pole[k] <= range.hi[0]);
    }
    CHECK(isfinite(range.lo[0]) && isfinite(range.hi[0]));
}

/* x = a t^2 is farthest from its chord over [0, h] in the middle, by a h^2/4. */
TEST(an_accelerated_body_moves_evenly_while_the_arrow_of_its_chord_is_small)
{
    const double allowed = SS_TOL_EVEN * 0.2;
    double expected = 1;
    while (3 * expected * expected / 4 > allowed) {
        expected *= 0.5;
    }
    CHECK_NEAR(even_time("3*t^2", "0", true, 1), expected, 0);
    CHECK_NEAR(even_time("0", "30*t^2", true, 1), expected, 0); /* at the radius 0.1 */
}

TEST(a_body_of_constant_velocity_moves_evenly_however_fast)
{
    CHECK(even_time("1e6*t", "0", true, 1) == 1);
    CHECK(even_time("0", "-1e4*t", true, 1) == 1);
}

TEST(an_even_time_ends_before_a_leap_that_lasts_a_microsecond)
{
    CHECK(even_time("max(0, 1 - 1e6*abs(t - 0.3456))", "0", true, 1) <= 0.3456);
    CHECK(even_time("max(0, 1 - 1e6*abs(t - 0.3456))", "0", true, 0.25) == 0.25);
}

TEST(where_nothing_is_free_to_be_met_every_time_is_even) { CHECK(even_time("3*t^2", "0", false, 1) == 1); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_of_a_driven_body_lies_in_its_range),
        cmocka_unit_test(the_range_of_a_function_that_names_t_once_is_that_of_its_values),
        cmocka_unit_test(a_leap_within_a_microsecond_is_in_the_range),
        cmocka_unit_test(where_no_range_is_known_the_values_at_the_quarters_stand_in_its_place),
        cmocka_unit_test(an_accelerated_body_moves_evenly_while_the_arrow_of_its_chord_is_small),
        cmocka_unit_test(a_body_of_constant_velocity_moves_evenly_however_fast),
        cmocka_unit_test(an_even_time_ends_before_a_leap_that_lasts_a_microsecond),
        cmocka_unit_test(where_nothing_is_free_to_be_met_every_time_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
