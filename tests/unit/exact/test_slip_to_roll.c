/* A ball on a rough plane: when it rolls and how fast, how it turns meanwhile, and what is not this problem. */
#include "laws_of_motion.h"

#define BALL "scenes/slip_to_roll.json"

static const on_plane lane = { .normal = { 0, 0, 1 }, .mu = 0.2, .height = 0.1, .round = true };

/* a disk of radius 0.5 in 2D, its slope given by gravity */
static const char disk_bodies[] =
    "bodies=[{\"name\":\"disk\",\"type\":\"rigid\",\"mass\":3,\"position\":[1,0.5],\"velocity\":[2,0],"
    "\"shapes\":[{\"type\":\"sphere\",\"radius\":0.5,\"material\":\"ball\"}]},"
    "{\"name\":\"lane\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"lane\"}]}]";
#define DISK(...) KNOWN(BALL, "dimension=2", "gravity=[0,-10]", disk_bodies, __VA_ARGS__)
static const on_plane floor_of_disk = { .normal = { 0, 1, 0 }, .mu = 0.2, .height = 0.5, .round = true };

TEST(ball_rolls_when_and_as_fast_as_the_textbook_says)
{
    /* benchmarks.md: 5 v0/7 after 2 v0/(7 mu g) */
    known m = KNOWN(BALL, "time.until=1");
    double roll = ss_exact_next_kink(m.x, 0), v = 15.0 / 7;
    CHECK_NEAR(roll, 6 / (7 * 0.2 * 9.81), 1e-15);
    CHECK(ss_exact_next_kink(m.x, roll) == INFINITY);
    CHECK_NEAR(v_at(&m, roll, 0), v, 1e-14);
    CHECK_NEAR(v_at(&m, 100, 0), v, 1e-14);
    CHECK_NEAR(v_at(&m, 100, 4), v / 0.1, 1e-13);
    CHECK_NEAR(q_at(&m, 1, 0), 0.5 * (3 + v) * roll + v * (1 - roll), 1e-14);
    forget(&m);
}

TEST(ball_obeys_newton_and_coulomb)
{
    known m = KNOWN(BALL, "time.until=1");
    CHECK(check_resting(&m, &lane, 1, 20) == 1);
    forget(&m);
}

/* in 3D the slip keeps its direction but the axis does not: the orientation is a series */
TEST(ball_with_any_spin_obeys_newton_and_coulomb)
{
    uint64_t seed = 8;
    for (int n = 0; n < 20; n++) {
        char text[3][120];
        double x[9];
        for (int k = 0; k < 9; k++) {
            x[k] = 2 * ss_random_uniform(&seed) - 1;
        }
        snprintf(text[0], sizeof text[0], "bodies[0].velocity=[%.17g,%.17g,0]", 3 * x[0], 3 * x[1]);
        snprintf(text[1], sizeof text[1], "bodies[0].angular_velocity=[%.17g,%.17g,%.17g]", 20 * x[2], 20 * x[3], 20 * x[4]);
        snprintf(text[2], sizeof text[2], "bodies[0].orientation=[%.17g,%.17g,%.17g,%.17g]", x[5], x[6], x[7], x[8]);
        known m = KNOWN(BALL, text[0], text[1], text[2], "time.until=2");
        CHECK(check_resting(&m, &lane, 2, 4) == 1);
        forget(&m);
    }
}

/* the classical draw shot: enough backspin, and the ball comes back */
TEST(ball_with_backspin_comes_back)
{
    known m = KNOWN(BALL, "bodies[0].angular_velocity=[0,-100,0]");
    double slip = 3 + 10, v = 3 - slip * 2 / 7;
    CHECK_NEAR(ss_exact_next_kink(m.x, 0), 2 * slip / (7 * 0.2 * 9.81), 1e-14);
    CHECK_NEAR(v_at(&m, 10, 0), v, 1e-14);
    CHECK(v < 0);
    CHECK(check_resting(&m, &lane, 3, 10) == 1);
    forget(&m);
}

TEST(ball_that_rolls_goes_on_and_keeps_its_pivoting)
{
    known m = KNOWN(BALL, "bodies[0].angular_velocity=[0,30,7]");
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    CHECK_NEAR(q_at(&m, 2, 0), 6, 1e-14);
    CHECK(check_resting(&m, &lane, 2, 10) == 0);
    forget(&m);
}

/* after a whole number of turns the orientation is the first one, and the spin in the body frame too */
TEST(rolling_ball_turns_about_its_axis)
{
    known m = KNOWN(BALL, "bodies[0].angular_velocity=[0,30,0]");
    double q[N_MAX], v[N_MAX], angle = 30 * 0.1;
    state_at(&m, 0.1, 1, q, v);
    CHECK_NEAR(q[3], cos(angle / 2), 1e-15);
    CHECK_NEAR(q[5], sin(angle / 2), 1e-15);
    CHECK_NEAR(v[4], 30, 1e-13);
    forget(&m);
}

/* the frame of the body at t = 0 must not matter for the motion of the world: turned by a quarter about z and back */
TEST(first_orientation_does_not_matter)
{
    known a = KNOWN(BALL, "bodies[0].angular_velocity=[5,-8,3]");
    known b = KNOWN(BALL, "bodies[0].angular_velocity=[-8,-5,3]", "bodies[0].orientation=[\"sqrt(1/2)\",0,0,\"sqrt(1/2)\"]");
    for (double t = 0; t < 2; t += 0.13) {
        double q[2][N_MAX], v[2][N_MAX];
        state_at(&a, t, 1, q[0], v[0]);
        state_at(&b, t, 1, q[1], v[1]);
        ss_quat back = ss_quat_product(ss_quat_from(q[1] + 3), ss_quat_conjugate(ss_quat_from(b.m->q0 + 3)));
        ss_vec3 off = ss_quat_log(ss_quat_product(back, ss_quat_conjugate(ss_quat_from(q[0] + 3))));
        CHECK_NEAR(ss_norm(off), 0, 1e-14);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(q[0][k], q[1][k], 1e-14);
            CHECK_NEAR(v[0][k], v[1][k], 1e-14);
        }
    }
    forget(&a);
    forget(&b);
}

TEST(disk_rolls_at_two_thirds)
{
    known m = DISK("bodies[0].velocity=[2,0]");
    double roll = ss_exact_next_kink(m.x, 0);
    CHECK_NEAR(roll, 2 / (3 * 0.2 * 10), 1e-15); /* I = m r^2 / 2: v0 / (3 mu g) */
    CHECK_NEAR(v_at(&m, 5, 0), 4.0 / 3, 1e-15);
    CHECK_NEAR(v_at(&m, 5, 2), -8.0 / 3, 1e-14);
    CHECK_NEAR(q_at(&m, 5, 2), -0.5 * roll * 8 / 3 - (5 - roll) * 8 / 3, 1e-13);
    CHECK(check_resting(&m, &floor_of_disk, 1, 20) == 1);
    forget(&m);
}

/* on a slope of tangent s it rolls iff mu >= s / 3 (disk), and then with 2/3 of the slope's acceleration */
TEST(disk_rolls_down_a_slope_that_is_rough_enough)
{
    known rolls = DISK("gravity=[5.99,-10]", "bodies[0].velocity=[0,0]");
    known slips = DISK("gravity=[6.01,-10]", "bodies[0].velocity=[0,0]");
    CHECK_NEAR(v_at(&rolls, 3, 0), 2 * 5.99, 1e-14);
    CHECK_NEAR(v_at(&rolls, 3, 2), -4 * 5.99, 1e-13);
    CHECK_NEAR(v_at(&slips, 3, 0), 3 * (6.01 - 2), 1e-14);
    CHECK_NEAR(v_at(&slips, 3, 2), -3 * 2 / 0.25, 1e-13); /* I w' = mu N r: 2 m r / (m r^2 / 2) */
    CHECK(check_resting(&rolls, &floor_of_disk, 3, 10) == 0);
    CHECK(check_resting(&slips, &floor_of_disk, 3, 10) == 0);
    forget(&rolls);
    forget(&slips);
}

/* a solid ball on a slope, by its normal: (2/7) tan(angle) */
TEST(ball_rolls_down_a_slope_that_is_rough_enough)
{
    const double tangent[2] = { 0.699, 0.701 };
    for (int k = 0; k < 2; k++) {
        char normal[80], place[80];
        double c = 1 / hypot(1, tangent[k]), s = tangent[k] * c, a = k ? s - 0.2 * c : 5 * s / 7;
        snprintf(normal, sizeof normal, "bodies[1].shapes[0].normal=[%.17g,0,%.17g]", s, c);
        snprintf(place, sizeof place, "bodies[0].position=[%.17g,0,%.17g]", 0.1 * s, 0.1 * c);
        known m = KNOWN(BALL, normal, place, "bodies[0].velocity=[0,0,0]");
        CHECK_NEAR(v_at(&m, 1, 0), 9.81 * a * c, 1e-13);
        CHECK_NEAR(v_at(&m, 1, 2), -9.81 * a * s, 1e-13);
        CHECK(check_resting(&m, &(on_plane){ .normal = { s, 0, c }, .mu = 0.2, .height = 0.1, .round = true }, 1, 10) == 0);
        forget(&m);
    }
}

/* thrown uphill it slips, then rolls (or slips) back; with a spin about the normal its axis changes for ever */
TEST(ball_thrown_up_a_slope_obeys_newton_and_coulomb)
{
    known rough = KNOWN(BALL, "gravity=[-3,0,-9]", "bodies[0].angular_velocity=[0,0,11]", "time.until=3");
    known smooth = KNOWN(BALL, "gravity=[-9,0,-9]", "bodies[0].angular_velocity=[0,0,11]", "time.until=3");
    CHECK(check_resting(&rough, &lane, 3, 6) == 1);
    CHECK(check_resting(&smooth, &lane, 3, 6) == 1);
    forget(&rough);
    forget(&smooth);
}

TEST(inertia_of_the_scene_is_followed)
{
    known m = KNOWN(BALL, "bodies[0].inertia=[0.05,0.05,0.05]"); /* a hoop's: k = 1, half the speed is left */
    CHECK_NEAR(v_at(&m, 10, 0), 1.5, 1e-14);
    CHECK_NEAR(ss_exact_next_kink(m.x, 0), 3 / (2 * 0.2 * 9.81), 1e-15);
    CHECK(check_resting(&m, &lane, 1, 4) == 1);
    forget(&m);
}

TEST(friction_of_the_scene_is_followed)
{
    known m = KNOWN(BALL, "pairs[0].mu=0.35");
    on_plane p = lane;
    p.mu = 0.35;
    CHECK_NEAR(ss_exact_next_kink(m.x, 0), 6 / (7 * 0.35 * 9.81), 1e-15);
    CHECK(check_resting(&m, &p, 1, 4) == 1);
    forget(&m);
}

TEST(without_friction_the_ball_slips_for_ever)
{
    known m = KNOWN(BALL, "pairs[0].mu=0");
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    CHECK_NEAR(q_at(&m, 7, 0), 21, 1e-14);
    CHECK(v_at(&m, 7, 4) == 0);
    forget(&m);
}

TEST(too_many_turns_about_a_changing_axis_are_refused)
{
    known m = KNOWN(BALL, "gravity=[-3,0,-9]", "bodies[0].angular_velocity=[0,0,11]");
    double q[N_MAX], v[N_MAX];
    CHECK_FAILS(m.ctx, ss_exact_at(m.x, 1e9, 1, q, v), SS_ERR_INPUT, "too many turns");
    forget(&m);
}

TEST(other_problems_are_refused)
{
    REFUSED("equal moments", BALL, "bodies[0].inertia=[0.02,0.02,0.021]");
    REFUSED("rigid sphere", BALL, "bodies[0].shapes[0]={\"type\":\"box\",\"size\":[0.2,0.2,0.2],\"material\":\"ball\"}");
    REFUSED("rigid sphere", BALL, "forces=[{\"type\":\"constant\",\"body\":\"ball\",\"force\":[1,0,0]}]");
    REFUSED("centre of mass", BALL, "bodies[0].shapes[0].position=[0.01,0,0]", "bodies[0].inertia=[0.02,0.02,0.02]");
    REFUSED("rolling", BALL, "materials[0].rolling_friction=0.01");
    REFUSED("spinning", BALL, "materials[0].spinning_friction=0.01");
    REFUSED("touches", BALL, "bodies[0].position=[0,0,0.11]");
    REFUSED("one line", BALL, "gravity=[0,-1,-9]");
    REFUSED("gravity", BALL, "gravity=[0,0,9]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_rolls_when_and_as_fast_as_the_textbook_says),
        cmocka_unit_test(ball_obeys_newton_and_coulomb),
        cmocka_unit_test(ball_with_any_spin_obeys_newton_and_coulomb),
        cmocka_unit_test(ball_with_backspin_comes_back),
        cmocka_unit_test(ball_that_rolls_goes_on_and_keeps_its_pivoting),
        cmocka_unit_test(rolling_ball_turns_about_its_axis),
        cmocka_unit_test(first_orientation_does_not_matter),
        cmocka_unit_test(disk_rolls_at_two_thirds),
        cmocka_unit_test(disk_rolls_down_a_slope_that_is_rough_enough),
        cmocka_unit_test(ball_rolls_down_a_slope_that_is_rough_enough),
        cmocka_unit_test(ball_thrown_up_a_slope_obeys_newton_and_coulomb),
        cmocka_unit_test(inertia_of_the_scene_is_followed),
        cmocka_unit_test(friction_of_the_scene_is_followed),
        cmocka_unit_test(without_friction_the_ball_slips_for_ever),
        cmocka_unit_test(too_many_turns_about_a_changing_axis_are_refused),
        cmocka_unit_test(other_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
