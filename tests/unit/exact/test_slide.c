/* A block on a plane with dry friction: where and when it stops, whether a ramp holds it, and what is not this problem. */
#include "laws_of_motion.h"

#define CUBE "papers/ap97/sliding_cube.json"
#define RAMP "papers/ap97/ramp.json"

static const double pi = 3.14159265358979324;

TEST(cube_stops_where_the_textbook_says)
{
    /* benchmarks.md: v = 6, mu = 0.5, g = 9.81: 3.66972477 m after 1.22324159 s */
    known m = KNOWN(CUBE, "time.until=1.5");
    double stop = ss_exact_next_kink(m.x, 0);
    CHECK_NEAR(stop, 1.22324159, 5e-9);
    CHECK_NEAR(q_at(&m, stop, 0), 3.66972477, 5e-9);
    CHECK_NEAR(stop, 6 / (0.5 * 9.81), 1e-15);
    CHECK_NEAR(q_at(&m, 100, 0), 36 / 9.81, 1e-15);
    CHECK(v_at(&m, stop, 0) == 0 && v_at(&m, 100, 0) == 0);
    CHECK(ss_exact_next_kink(m.x, stop) == INFINITY);
    forget(&m);
}

TEST(cube_obeys_newton_and_coulomb)
{
    known m = KNOWN(CUBE, "time.until=1.5");
    CHECK(check_resting(&m, &(on_plane){ .normal = { 0, 0, 1 }, .mu = 0.5, .height = 0.5 }, 1.5, 20) == 1);
    forget(&m);
}

TEST(cube_slides_in_any_direction)
{
    known m = KNOWN(CUBE, "bodies[0].velocity=[-3,4,0]", "bodies[0].orientation=[0.6,0,0,0.8]");
    CHECK(check_resting(&m, &(on_plane){ .normal = { 0, 0, 1 }, .mu = 0.5, .height = 0.5 }, 1.5, 10) == 1);
    CHECK_NEAR(q_at(&m, 2, 0), -0.6 * 25 / 9.81, 1e-14);
    CHECK_NEAR(q_at(&m, 2, 1), 0.8 * 25 / 9.81, 1e-14);
    CHECK(q_at(&m, 2, 3) == 0.6 && q_at(&m, 2, 6) == 0.8);
    forget(&m);
}

TEST(ramp_holds_the_box_for_ever)
{
    known m = KNOWN(RAMP, "time.until=10");
    for (int k = 0; k < 6; k++) {
        CHECK(v_at(&m, 1e9, k) == 0);
        CHECK(q_at(&m, 1e9, k) == m.m->q0[k]);
    }
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    CHECK(check_resting(&m, &(on_plane){ .normal = { sin(pi / 9), 0, cos(pi / 9) }, .mu = 0.5, .height = 0.25 }, 1, 3) == 0);
    forget(&m);
}

TEST(smooth_ramp_lets_the_box_slide)
{
    known m = KNOWN(RAMP, "pairs[0].mu=0.3");
    double a = 9.81 * (sin(pi / 9) - 0.3 * cos(pi / 9));
    CHECK(check_resting(&m, &(on_plane){ .normal = { sin(pi / 9), 0, cos(pi / 9) }, .mu = 0.3, .height = 0.25 }, 5, 10) == 0);
    CHECK_NEAR(v_at(&m, 3, 0), 3 * a * cos(pi / 9), 1e-14);
    CHECK_NEAR(v_at(&m, 3, 2), -3 * a * sin(pi / 9), 1e-14);
    CHECK_NEAR(q_at(&m, 3, 0) - q_at(&m, 0, 0), 4.5 * a * cos(pi / 9), 1e-14);
    forget(&m);
}

/* thrown up the ramp it turns where friction changes its side: v / (g (sin + mu cos)) */
TEST(box_thrown_uphill_turns_or_stays)
{
    char up[90];
    snprintf(up, sizeof up, "bodies[0].velocity=[%.17g,0,%.17g]", -2 * cos(pi / 9), 2 * sin(pi / 9));
    for (int k = 0; k < 2; k++) {
        double mu = k ? 0.5 : 0.3;
        known m = KNOWN(RAMP, up, k ? "pairs[0].mu=0.5" : "pairs[0].mu=0.3");
        double turn = 2 / (9.81 * (sin(pi / 9) + mu * cos(pi / 9)));
        CHECK_NEAR(ss_exact_next_kink(m.x, 0), turn, 1e-15);
        CHECK(check_resting(&m, &(on_plane){ .normal = { sin(pi / 9), 0, cos(pi / 9) }, .mu = mu, .height = 0.25 }, 3, 10) == 1);
        CHECK(k ? v_at(&m, 3, 0) == 0 : v_at(&m, 3, 0) > 0);
        forget(&m);
    }
}

/* mu = tan(angle): whoever moves down goes on for ever */
TEST(friction_that_balances_the_slope_keeps_the_speed)
{
    known m = KNOWN(RAMP, "pairs[0].mu=0.75", "gravity=[0,0,-10]", "bodies[1].shapes[0].normal=[0,0,1]", "gravity=[6,0,-8]",
                    "bodies[0].position=[0,0,0.25]", "bodies[0].orientation=[1,0,0,0]", "bodies[0].velocity=[2,0,0]");
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    CHECK_NEAR(v_at(&m, 1000, 0), 2, 1e-15);
    CHECK_NEAR(q_at(&m, 1000, 0), 2000, 1e-12);
    forget(&m);
}

TEST(data_of_the_scene_are_followed)
{
    known m = KNOWN(CUBE, "pairs[0].mu=0.25", "gravity=[0,0,-5]", "bodies[0].velocity=[1,0,0]");
    CHECK_NEAR(ss_exact_next_kink(m.x, 0), 1 / 1.25, 1e-15);
    CHECK_NEAR(q_at(&m, 2, 0), 1 / 2.5, 1e-15);
    forget(&m);
}

TEST(other_problems_are_refused)
{
    REFUSED("no force", CUBE, "forces=[{\"type\":\"constant\",\"body\":\"cube\",\"force\":[1,0,0]}]");
    REFUSED("joints", CUBE, "joints=[{\"type\":\"distance\",\"bodies\":[\"cube\",\"world\"],\"anchors\":[[0,0,0],[0,0,5]]}]");
    REFUSED("touches", CUBE, "bodies[0].position=[0,0,0.6]");
    REFUSED("touches", CUBE, "bodies[0].position=[0,0,0.4]");
    REFUSED("off it", CUBE, "bodies[0].velocity=[6,0,1]");
    REFUSED("spins", CUBE, "bodies[0].angular_velocity=[0,0,1]");
    REFUSED("tip over", CUBE, "pairs[0].mu=1.001");
    REFUSED("tip over", CUBE, "bodies[0].orientation=[\"cos(pi/8)\",\"sin(pi/8)\",0,0]",
            "bodies[0].position=[0,0,\"sqrt(1/2)\"]");
    REFUSED("round", CUBE, "bodies[0].shapes=[{\"type\":\"sphere\",\"radius\":0.5,\"material\":\"cube\"}]");
    REFUSED("gravity", CUBE, "gravity=[0,0,0]");
    REFUSED("all directions", CUBE, "pairs[0].mu=[0.5,0.4]");
    REFUSED("one line", RAMP, "bodies[0].velocity=[0,1,0]");
}

/* held by the ramp its centre of pressure is tan(20 deg) * 0.25 = 0.091 m down the slope, whatever mu is */
TEST(box_that_is_held_may_be_narrow)
{
    known m = KNOWN(RAMP, "bodies[0].shapes[0].size=[0.2,0.8,0.5]");
    CHECK(v_at(&m, 1, 0) == 0);
    forget(&m);
    REFUSED("tip over", RAMP, "bodies[0].shapes[0].size=[0.18,0.8,0.5]");
}

/* the corners that carry a cube thrown along its diagonal are farther away: mu up to sqrt(2) */
TEST(cube_thrown_along_its_diagonal_may_have_more_friction)
{
    known m = KNOWN(CUBE, "pairs[0].mu=1.4", "bodies[0].velocity=[1,1,0]");
    CHECK_NEAR(ss_exact_next_kink(m.x, 0), sqrt(2) / (1.4 * 9.81), 1e-15);
    forget(&m);
    REFUSED("tip over", CUBE, "pairs[0].mu=1.4", "bodies[0].velocity=[1,0.9,0]");
    REFUSED("tip over", CUBE, "pairs[0].mu=1.42", "bodies[0].velocity=[1,1,0]");
}

TEST(a_cube_off_the_plane_by_round_off_touches_it)
{
    known m = KNOWN(CUBE, "bodies[0].position=[0,0,\"0.5+5e-14\"]"); /* 1e-12 of the length, nearly 1 m */
    forget(&m);
    REFUSED("touches", CUBE, "bodies[0].position=[0,0,\"0.5+1e-11\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_stops_where_the_textbook_says),
        cmocka_unit_test(cube_obeys_newton_and_coulomb),
        cmocka_unit_test(cube_slides_in_any_direction),
        cmocka_unit_test(ramp_holds_the_box_for_ever),
        cmocka_unit_test(smooth_ramp_lets_the_box_slide),
        cmocka_unit_test(box_thrown_uphill_turns_or_stays),
        cmocka_unit_test(friction_that_balances_the_slope_keeps_the_speed),
        cmocka_unit_test(data_of_the_scene_are_followed),
        cmocka_unit_test(other_problems_are_refused),
        cmocka_unit_test(box_that_is_held_may_be_narrow),
        cmocka_unit_test(cube_thrown_along_its_diagonal_may_have_more_friction),
        cmocka_unit_test(a_cube_off_the_plane_by_round_off_touches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
