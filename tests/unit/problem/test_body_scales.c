/* test_body_scales.c - the error of a light body is seen beside a heavy one; rounding is told from errors.
 *
 * Bodies move along one line. A light body of mass 1 lies on the floor, another of mass M on top of it; in the step gravity gives
 * both the speed G. At rest v = 0, the floor gives (1 + M) G, the light body M G. */
#include "problem/body_scales.h"
#include "problem/residual.h"
#include "unit/problem/small_problem.h"

#include <float.h>

static const double G = 0.01, TOL = 1e-10;

static void stack(small_problem *y, ss_context *ctx, double light, double ratio, double speed)
{
    const double heavy = ratio * light, v[] = { 0, 0 }, pull[] = { -speed, -speed };
    const double floor[] = { 1, 0 }, between[] = { -1, 1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, &light, false);
    sp_block(y, 1, &heavy, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, floor, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, between, 0, NULL);
    sp_motion(y, v, pull);
    y->r[0] = (light + heavy) * speed;
    y->r[1] = heavy * speed;
}

static double worst_of(small_problem *y)
{
    ss_residual out;
    CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &out));
    return ss_residual_worst(&out);
}

/* the light body moves by itself, as far as its own momentum is concerned */
static void move_light(small_problem *y, double light, double v)
{
    y->v[0] += v;
    y->r[0] += light * v;
}

TEST(a_stack_at_rest_is_certified_whatever_the_masses_and_units)
{
    ss_context *ctx = test_context();
    for (double ratio = 1e-6; ratio < 1e13; ratio *= 100) {
        for (double unit = 1e-6; unit < 1e7; unit *= 1e3) {
            small_problem y;
            stack(&y, ctx, unit, ratio, G / unit);
            CHECK(worst_of(&y) <= TOL);
            sp_close(&y);
        }
    }
    ss_context_destroy(ctx);
}

TEST(the_velocity_of_a_light_body_is_seen_beside_a_heavy_one)
{
    ss_context *ctx = test_context();
    for (double unit = 1e-3; unit < 1e4; unit *= 1e3) {
        for (int sign = -1; sign < 2; sign += 2) {
            small_problem y;
            stack(&y, ctx, unit, 1e6, G);
            move_light(&y, unit, sign * 1e-6 * G);
            double worst = worst_of(&y);
            CHECK(worst > 10 * TOL && worst < 1e-6); /* the error itself, weighed by SS_TOL_OWN */
            sp_close(&y);
        }
    }
    ss_context_destroy(ctx);
}

TEST(the_momentum_of_a_light_body_is_seen_beside_a_heavy_one)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_residual out;
    stack(&y, ctx, 1, 1e6, G);
    y.r[0] += 1e-6 * G;
    CHECK_OK(ctx, ss_problem_residual(ctx, &y.p, &y.s, &out));
    CHECK(out.contact <= TOL &&
          out.momentum > 50 * TOL); /* 1e-9 beside the momentum of the heavy one, 1e-8 weighed beside its own */
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(a_joint_of_a_light_body_is_seen_beside_a_heavy_one)
{
    ss_context *ctx = test_context();
    const double light = 1, heavy = 1e6, still[] = { 0, 0 }, pull[] = { -G, -G }, held[] = { 1, 0 }, between[] = { -1, 1 };
    small_problem y;
    ss_residual out;
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, &light, false);
    sp_block(&y, 1, &heavy, false);
    sp_joint(&y, held, 0); /* in place of the floor */
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, between, 0, NULL);
    sp_motion(&y, still, pull);
    y.r[0] = heavy * G;
    y.lam[0] = (light + heavy) * G;
    CHECK(worst_of(&y) <= TOL);
    y.v[0] = 1e-6 * G;
    y.lam[0] += 1e-6 * G;
    CHECK_OK(ctx, ss_problem_residual(ctx, &y.p, &y.s, &out));
    CHECK(out.joint > 10 * TOL);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(rounding_of_a_heavy_force_is_no_error_of_the_light_body)
{
    ss_context *ctx = test_context();
    small_problem y;
    stack(&y, ctx, 1, 1e6, G);
    y.r[0] *= 1 + 60 * DBL_EPSILON; /* 1.3e-8 of the light body's momentum */
    CHECK(worst_of(&y) <= TOL);
    sp_close(&y);

    stack(&y, ctx, 1, 1e6, G); /* what a solver leaves that stops at 1e-10 of the force */
    y.r[0] *= 1 + 1e-10;
    CHECK(worst_of(&y) > TOL);
    sp_close(&y);

    stack(&y, ctx, 1, 1e6, G);
    move_light(&y, 1, -2e-8 * G);
    CHECK(worst_of(&y) <= TOL);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(forces_so_large_that_velocities_drown_excuse_nothing)
{
    ss_context *ctx = test_context();
    small_problem y;
    stack(&y, ctx, 1, 1e12, G); /* 64 last bits of the forces are 3 % of the light body's momentum */
    move_light(&y, 1, -1e-6 * G);
    CHECK(worst_of(&y) > TOL);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* A piston of mass 1 that would get the speed 1 presses a ball against a wall; `own` is the speed the ball gets by itself. */
static void press(small_problem *y, ss_context *ctx, double ball, double own)
{
    const double piston = 1, v[] = { 0, 0 }, push[] = { 1, own }, pressed[] = { -1, 1 }, wall[] = { 0, -1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, &piston, false);
    sp_block(y, 1, &ball, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, pressed, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, wall, 0, NULL);
    sp_motion(y, v, push);
    y->r[0] = 1;
    y->r[1] = 1 + ball * own;
}

TEST(a_body_to_which_nothing_happens_is_measured_by_the_speed_of_its_neighbours)
{
    ss_context *ctx = test_context();
    small_problem y;
    press(&y, ctx, 1, 0);
    y.v[1] = 0.5 * TOL; /* of the speed of the piston */
    y.r[1] -= 0.5 * TOL;
    CHECK(worst_of(&y) <= TOL);
    sp_close(&y);

    press(&y, ctx, 1e-6, 0); /* by its speed, not by its forces, which move a light ball a million times as fast */
    y.v[1] = 1e-6;
    y.r[1] -= 1e-12;
    CHECK(worst_of(&y) > TOL);
    sp_close(&y);

    press(&y, ctx, 1, 2e-3); /* something happens to this one */
    y.v[1] = 0.9 * TOL;
    y.r[1] -= 0.9 * TOL;
    CHECK(worst_of(&y) > TOL);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* A body of mass 1 at rest, a motor that gives it the momentum PUSH at most, and a stop. */
static void drive(small_problem *y, ss_context *ctx, double push)
{
    const double mass = 1, still = 0, motor = 1, stop = -1;
    sp_open(y, ctx, 2);
    sp_block(y, 1, &mass, false);
    sp_contact(y, SS_LAW_BOUNDED, push, 1, &motor, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, &stop, 0, NULL);
    sp_motion(y, &still, &still);
    y->w[0] = -3; /* the speed that the motor does not reach */
    y->r[0] = y->r[1] = push;
}

TEST(a_body_that_a_motor_alone_presses_is_measured_by_what_the_motor_does)
{
    ss_context *ctx = test_context();
    const double push = 0.5;
    small_problem y;
    drive(&y, ctx, push);
    y.v[0] = 1e-26; /* what round-off leaves of push - push */
    CHECK(worst_of(&y) <= TOL);
    sp_close(&y);

    drive(&y, ctx, push); /* an error beside that speed is seen */
    y.v[0] = 1e-6 * push;
    y.r[1] -= 1e-6 * push;
    CHECK(worst_of(&y) > 10 * TOL);
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_at_rest_is_certified_whatever_the_masses_and_units),
        cmocka_unit_test(the_velocity_of_a_light_body_is_seen_beside_a_heavy_one),
        cmocka_unit_test(the_momentum_of_a_light_body_is_seen_beside_a_heavy_one),
        cmocka_unit_test(a_joint_of_a_light_body_is_seen_beside_a_heavy_one),
        cmocka_unit_test(rounding_of_a_heavy_force_is_no_error_of_the_light_body),
        cmocka_unit_test(forces_so_large_that_velocities_drown_excuse_nothing),
        cmocka_unit_test(a_body_to_which_nothing_happens_is_measured_by_the_speed_of_its_neighbours),
        cmocka_unit_test(a_body_that_a_motor_alone_presses_is_measured_by_what_the_motor_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
