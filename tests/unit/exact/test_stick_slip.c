/* A block under a force that swings: when it slips and sticks, how far it gets, and what is not this problem. */
#include "laws_of_motion.h"

#define BLOCK "papers/pagt06/block.json"
#define BOX   "papers/aca09/sliding_block.json"
#define CUBE  "papers/ap97/sliding_cube.json"

static const on_plane table = { .normal = { 0, 1, 0 }, .mu = 0.8 };

TEST(block_slips_when_the_paper_says)
{
    /* papers.md, PAGT06 section 10.2, to the digits given there */
    const double change[] = { .338608184672,  2.946346791224, 3.532834608887, 6.087939444814,
                              6.674427262477, 9.229532098403, 9.816019916067 };
    known m = KNOWN(BLOCK, "time.until=10");
    double t = 0;
    for (int k = 0; k < 7; k++) {
        t = ss_exact_next_kink(m.x, t);
        CHECK_NEAR(t, change[k], 6e-13);
    }
    CHECK(ss_exact_next_kink(m.x, t) > 10);
    forget(&m);
}

TEST(block_gets_as_far_as_the_paper_says)
{
    known m = KNOWN(BLOCK, "time.until=10");
    CHECK_NEAR(q_at(&m, 2, 0), 3.00434856972686523, 1e-14); /* round-off of numbers near 3 */
    CHECK_NEAR(q_at(&m, 10, 0), 2.99130283311503152, 1e-14);
    CHECK(v_at(&m, 2, 0) == 0);
    CHECK(q_at(&m, 10, 1) == 0 && v_at(&m, 10, 1) == 0);
    forget(&m);
}

TEST(block_obeys_newton_and_coulomb)
{
    known m = KNOWN(BLOCK, "time.until=10");
    CHECK(check_resting(&m, &table, 10, 20) == 7);
    forget(&m);
}

TEST(box_moves_as_the_block_does_and_stays_upright)
{
    known m = KNOWN(BLOCK, "time.until=10"), box = KNOWN(BOX, "time.until=10");
    on_plane p = table;
    p.height = 0.1;
    check_resting(&box, &p, 5, 5);
    for (double t = 0; t < 10; t += 0.37) {
        CHECK(q_at(&box, t, 0) == q_at(&m, t, 0));
        CHECK(v_at(&box, t, 0) == v_at(&m, t, 0));
        CHECK(q_at(&box, t, 2) == 0 && v_at(&box, t, 2) == 0);
    }
    forget(&m);
    forget(&box);
}

TEST(answers_after_the_end_of_the_scene_are_the_same)
{
    known early = KNOWN(BLOCK, "time.until=1"), late = KNOWN(BLOCK, "time.until=40");
    for (double t = 0; t < 40; t += 0.61) {
        CHECK(q_at(&early, t, 0) == q_at(&late, t, 0));
        CHECK(ss_exact_next_kink(early.x, t) == ss_exact_next_kink(late.x, t));
    }
    forget(&early);
    forget(&late);
}

/* everything that a scene may change, at random: weak and strong friction, forces of its size, slow and fast, slopes, throws */
TEST(blocks_of_any_data_obey_newton_and_coulomb)
{
    uint64_t seed = 12;
    int kinks = 0;
    for (int n = 0; n < 60; n++) {
        char text[7][80];
        double strength = exp(6 * ss_random_uniform(&seed) - 4), mu = strength / 8,
               slope = n % 3 ? strength * ss_random_uniform(&seed) : 0;
        double omega = exp(6 * ss_random_uniform(&seed) - 3), push = 3 * strength * (2 * ss_random_uniform(&seed) - 1);
        snprintf(text[0], sizeof text[0], "pairs[0].mu=%.17g", mu);
        snprintf(text[1], sizeof text[1], "gravity=[%.17g,%.17g]", slope, -1 - 9 * ss_random_uniform(&seed));
        snprintf(text[2], sizeof text[2], "forces[0].omega=%.17g", n % 2 ? omega : -omega);
        snprintf(text[3], sizeof text[3], "forces[0].phase=%.17g", 7 * ss_random_uniform(&seed));
        snprintf(text[4], sizeof text[4], "forces[0].force=[%.17g,0]", push);
        snprintf(text[5], sizeof text[5], "bodies[0].velocity=[%.17g,0]",
                 n % 4 ? strength * (ss_random_uniform(&seed) - 0.5) : 0);
        snprintf(text[6], sizeof text[6], "bodies[0].mass=%.17g", 0.5 + 3 * ss_random_uniform(&seed));
        known m = KNOWN(BLOCK, text[0], text[1], text[2], text[3], text[4], text[5], text[6]);
        on_plane p = table;
        p.mu = mu;
        kinks += check_resting(&m, &p, 8, 2);
        forget(&m);
    }
    CHECK(kinks > 200);
}

TEST(without_friction_it_swings_freely)
{
    known m = KNOWN(BLOCK, "pairs[0].mu=0", "bodies[0].velocity=[0.25,0]");
    for (double t = 0; t < 30; t += 0.7) {
        CHECK_NEAR(v_at(&m, t, 0), 0.25 + 8 * sin(t), 1e-13);
        CHECK_NEAR(q_at(&m, t, 0), 3 + 0.25 * t + 8 * (1 - cos(t)), 1e-13);
    }
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    forget(&m);
}

TEST(weak_force_moves_nothing)
{
    known m = KNOWN(BLOCK, "forces[0].force=[7.84,0]");
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    CHECK(q_at(&m, 1e6, 0) == 3 && v_at(&m, 1e6, 0) == 0);
    forget(&m);
}

TEST(force_that_does_not_swing_is_a_constant_one)
{
    known m = KNOWN(BLOCK, "forces[0].omega=0", "forces[0].phase=pi/2", "forces[0].force=[10,0]");
    CHECK_NEAR(v_at(&m, 2, 0), 2 * (10 - 0.8 * 9.81), 1e-14);
    CHECK_NEAR(q_at(&m, 2, 0), 3 + 2 * (10 - 0.8 * 9.81), 1e-14);
    forget(&m);
}

/* as omega -> 0 the closed form must not lose digits: cos(omega t) is 1 - (omega t)^2 / 2 */
TEST(slow_force_loses_no_digits)
{
    known m = KNOWN(BLOCK, "forces[0].omega=1e-7", "forces[0].force=[10,0]");
    CHECK_NEAR(v_at(&m, 2, 0), 2 * (10 - 0.8 * 9.81) - 10e-14 * 8 / 6, 1e-14);
    CHECK_NEAR(q_at(&m, 2, 0), 3 + 2 * (10 - 0.8 * 9.81) - 10e-14 * 16 / 24, 1e-14);
    forget(&m);
}

/* a slope that the swing almost carries: slip goes on for many periods before it ends, and the end is found at once */
TEST(slip_that_lasts_many_periods_ends)
{
    known m = KNOWN(BLOCK, "gravity=[7.8,-9.81]", "forces[0].omega=300", "bodies[0].velocity=[1,0]", "time.until=30");
    double end = ss_exact_next_kink(m.x, 0), drift = 0.8 * 9.81 - 7.8;
    CHECK_NEAR(end, 1 / drift, 2 * 8.0 / 300 / drift); /* without the swing, which is 8/300 at most, twice */
    CHECK(fabs(v_at(&m, end, 0)) < 1e-13);
    for (int k = 1; k < 4000; k++) {
        CHECK(v_at(&m, end * k / 4000, 0) > 0);
    }
    forget(&m);
}

/* the push is the grip at t = 0 and rises: whatever rounding makes of that, the block starts now and not a period later */
TEST(slip_that_begins_at_once_begins_at_once)
{
    for (int k = 0; k < 60; k++) {
        char phase[60], mu[60];
        double angle = 0.02 * (k + 1);
        snprintf(phase, sizeof phase, "forces[0].phase=%.17g", angle);
        snprintf(mu, sizeof mu, "pairs[0].mu=%.17g", sin(angle));
        known m = KNOWN(BLOCK, mu, "gravity=[0,-8]", phase);
        CHECK(v_at(&m, 1e-3, 0) > 0);
        CHECK(ss_exact_next_kink(m.x, 1e-3) > 0.5);
        forget(&m);
    }
}

static const char diagonal[] = "forces=[{\"type\":\"sinusoid\",\"body\":\"cube\",\"force\":[3,4,0],\"omega\":2}]";

TEST(cube_pushed_along_a_line_of_the_floor_obeys_newton_and_coulomb)
{
    known m = KNOWN(CUBE, "exact.name=stick_slip", diagonal, "pairs[0].mu=0.3", "bodies[0].velocity=[-0.6,-0.8,0]");
    CHECK(check_resting(&m, &(on_plane){ .normal = { 0, 0, 1 }, .mu = 0.3, .height = 0.5 }, 8, 5) > 4);
    forget(&m);
    REFUSED("one line", CUBE, "exact.name=stick_slip", diagonal, "bodies[0].velocity=[1,0,0]");
}

/* 0.2 high and 0.15 wide it tips under friction of 0.75 times the load: never reached by 4 N, but by 4 N and a slope of 3.6 */
TEST(box_that_never_slips_may_be_narrow)
{
    known m = KNOWN(BOX, "bodies[0].shapes[0].size=[0.15,0.2]", "forces[0].force=[4,0]");
    CHECK(ss_exact_next_kink(m.x, 0) == INFINITY);
    forget(&m);
    REFUSED("tip over", BOX, "bodies[0].shapes[0].size=[0.15,0.2]", "forces[0].force=[4,0]", "gravity=[3.6,-9.81]");
    REFUSED("tip over", BOX, "bodies[0].shapes[0].size=[0.15,0.2]", "forces[0].force=[4,0]", "bodies[0].velocity=[1,0]");
}

TEST(friction_of_the_scene_is_followed)
{
    known m = KNOWN(BLOCK, "pairs[0].mu=0.7");
    on_plane p = table;
    p.mu = 0.7;
    CHECK(fabs(q_at(&m, 2, 0) - 3.00434856972686523) > 1e-3);
    check_resting(&m, &p, 10, 4);
    forget(&m);
}

TEST(other_problems_are_refused)
{
    REFUSED("sinusoid", BLOCK, "forces=[]");
    REFUSED("sinusoid", BLOCK, "forces=[{\"type\":\"expression\",\"body\":\"block\",\"force\":[\"8*cos(t)\",\"0\"]}]");
    REFUSED("one line", BLOCK, "forces[0].force=[8,1]");
    REFUSED("touches", BLOCK, "bodies[0].position=[3,0.001]");
    REFUSED("off it", BLOCK, "bodies[0].velocity=[1,-0.001]");
    REFUSED("gravity", BLOCK, "gravity=[0,9.81]");
    REFUSED("tip over", BOX, "bodies[0].shapes[0].size=[0.15,0.2]");
    REFUSED("centre of mass", BOX, "forces[0].point=[0,0.1]");
    REFUSED("centre of mass", BOX, "forces[0].torque=0.1");
    REFUSED("spins", BOX, "bodies[0].angular_velocity=0.1");
    REFUSED("100000 times", BLOCK, "forces[0].omega=1e6", "forces[0].force=[80,0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_slips_when_the_paper_says),
        cmocka_unit_test(block_gets_as_far_as_the_paper_says),
        cmocka_unit_test(block_obeys_newton_and_coulomb),
        cmocka_unit_test(box_moves_as_the_block_does_and_stays_upright),
        cmocka_unit_test(answers_after_the_end_of_the_scene_are_the_same),
        cmocka_unit_test(blocks_of_any_data_obey_newton_and_coulomb),
        cmocka_unit_test(without_friction_it_swings_freely),
        cmocka_unit_test(weak_force_moves_nothing),
        cmocka_unit_test(force_that_does_not_swing_is_a_constant_one),
        cmocka_unit_test(slow_force_loses_no_digits),
        cmocka_unit_test(slip_that_lasts_many_periods_ends),
        cmocka_unit_test(slip_that_begins_at_once_begins_at_once),
        cmocka_unit_test(cube_pushed_along_a_line_of_the_floor_obeys_newton_and_coulomb),
        cmocka_unit_test(box_that_never_slips_may_be_narrow),
        cmocka_unit_test(friction_of_the_scene_is_followed),
        cmocka_unit_test(other_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
