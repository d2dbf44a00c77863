/* The bouncing ball: published impacts, the corrected closed form of Aca09, laws at every impact up to the accumulation. */
#include "laws_of_motion.h"

static const char *const ACA09 = "papers/aca09/ball.json";
static const char *const BAC14 = "papers/bac14/ball.json";
static const char *const SLOPE =
    "{ 'slipstick': 1, 'dimension': 3, 'gravity': [1, -2, -9],"
    "  'materials': [ { 'name': 'm', 'mu': 0, 'e': 0.7 } ],"
    "  'bodies': [ { 'name': 'ball', 'type': 'rigid', 'mass': 3, 'position': [0.5, 1, 3],"
    "      'velocity': [1, -2, 3], 'shapes': [ { 'type': 'sphere', 'radius': 0.25, 'material': 'm' } ] },"
    "    { 'name': 'floor', 'type': 'fixed', 'position': [0, 0, 0.5],"
    "      'shapes': [ { 'type': 'half_space', 'normal': [2, 1, 2], 'offset': 0.1, 'material': 'm' } ] } ],"
    "  'exact': { 'name': 'bouncing_ball' } }";

/* ---- published numbers --------------------------------------------------------------------------- */

TEST(ball_of_bac14_hits_when_the_paper_says)
{
    known a = KNOWN(BAC14);
    const double impacts[] = { 0.400249921924, 1.040649797, 1.552969697, 1.962825617 }, digits[] = { 1e-12, 1e-9, 1e-9, 1e-9 };
    double t = 0;
    for (int k = 0; k < 4; k++) {
        t = ss_exact_next_jump(a.x, t);
        CHECK_NEAR(t, impacts[k], digits[k]); /* as printed */
    }
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 3.602249297314, 1e-12);
    forget(&a);
}

TEST(ball_of_aca09_follows_the_corrected_equation_10)
{
    known a = KNOWN(ACA09);
    for (int n = 0; n < 12; n++) {
        for (int k = 0; k < 5; k++) {
            double from = 3 - 2 * pow(0.5, n), t = from + (k + 0.5) / 5 * pow(0.5, n), s = t - 3;
            seen now = see(&a, t, 0);
            CHECK_NEAR(now.q[1], -s * s - 3 * pow(0.5, n) * s - 2 * pow(0.25, n), 1e-14);
            CHECK_NEAR(now.v[1], -2 * s - 3 * pow(0.5, n), 1e-14);
        }
    }
    CHECK_NEAR(see(&a, 0.3, 0).q[1], 1 - 0.09, 1e-15);
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 3, 1e-15);
    CHECK(see(&a, 3, 0).q[1] == 0 && see(&a, 3, 0).v[1] == 0 && see(&a, 1e9, 0).q[1] == 0);
    forget(&a);
}

TEST(ball_of_ap97_rests_from_its_accumulation_on)
{
    known a = KNOWN("papers/ap97/chatter.json");
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 3 * sqrt(2 / 9.81), 1e-15);
    CHECK_NEAR(see(&a, 2, 0).q[1], 0.1, 1e-16);
    forget(&a);
}

/* ---- equations and laws --------------------------------------------------------------------------- */

TEST(ball_obeys_its_equations_between_impacts_and_its_law_at_each)
{
    known a = KNOWN(ACA09), b = KNOWN(BAC14), c = KNOWN(SLOPE);
    CHECK(check_solution(&a, 5, 1e-10) > 40); /* e^40 = 1e-12 */
    CHECK(check_solution(&b, 5, 1e-10) > 100);
    CHECK(check_solution(&c, 8, 1e-10) > 60); /* slides along the slope at rest on it */
    forget(&a);
    forget(&b);
    forget(&c);
}

TEST(ball_keeps_the_ratio_of_speeds_to_round_off_through_forty_impacts)
{
    known a = KNOWN(BAC14);
    double t = 0, speed = sqrt(2 * 10 * 0.801);
    for (int n = 1; n <= 60; n++) {
        t = ss_exact_next_jump(a.x, t);
        seen before = see(&a, t, -1), after = see(&a, t, 1);
        CHECK_NEAR(before.v[1] / -speed, 1, 1e-13); /* relative, however slow */
        speed *= 0.8;
        CHECK_NEAR(after.v[1] / speed, 1, 1e-13);
    }
    forget(&a);
}

TEST(ball_starts_any_way_it_likes)
{
    const char *const up[] = { "bodies.ball.velocity=[0,1.5]", NULL }, *const down[] = { "bodies.ball.velocity=[0,-1.5]", NULL },
                      *const touching[] = { "bodies.ball.position=[0,0]", "bodies.ball.velocity=[0.5,-2]", NULL },
                      *const off[] = { "bodies.ball.position=[0,0]", "bodies.ball.velocity=[0,2]", NULL },
                      *const rest[] = { "bodies.ball.position=[0,0]", NULL };
    const char *const *const starts[] = { up, down, touching, off, rest };
    for (int k = 0; k < 5; k++) {
        known a = known_of(ACA09, starts[k]);
        int jumps = check_solution(&a, 6, 1e-10);
        CHECK(k == 4 ? jumps == 0 : jumps >= 30);
        forget(&a);
    }
    known a = KNOWN(ACA09, "bodies.ball.position=[0,0]",
                    "bodies.ball.velocity=[0.5,-2]"); /* hits at once: 2 up, flights of 1, 1/2 ... seconds */
    CHECK(see(&a, 0, -1).v[1] == -2 && see(&a, 0, 1).v[1] == 1 && see(&a, 0, 1).v[0] == 0.5);
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), 1, 1e-15);
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 2, 1e-15);
    forget(&a);
    a = KNOWN(ACA09, "bodies.ball.velocity=[0,-1.5]"); /* -1.5 t - t^2 = -1 */
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), 0.5, 1e-15);
    forget(&a);
}

TEST(ball_without_restitution_stays_where_it_lands)
{
    known a = KNOWN(ACA09, "pairs.0.e=0", "pairs.0.mu=0.5");
    CHECK(check_solution(&a, 5, 1e-10) == 1);
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), 1, 0);
    CHECK(isinf(ss_exact_next_jump(a.x, 1)) && isinf(ss_exact_next_kink(a.x, 0)));
    forget(&a);
}

TEST(elastic_ball_bounces_for_ever)
{
    known a = KNOWN(ACA09, "pairs.0.e=1");
    CHECK(check_solution(&a, 30, 1e-10) == 15); /* at 1, 3, 5 ... */
    CHECK(isinf(ss_exact_next_kink(a.x, 0)));
    CHECK_NEAR(see(&a, 1e6 + 0.25, 0).q[1], 1 - 0.0625, 1e-9); /* at its top at even times */
    CHECK_NEAR(ss_exact_next_jump(a.x, 1e6), 1e6 + 1, 1e-9);
    double q[2], v[2];
    CHECK_FAILS(a.ctx, ss_exact_at(a.x, 1e17, 0, q, v), SS_ERR_INPUT, "told apart");
    forget(&a);
}

TEST(ball_is_found_in_its_flight_for_any_restitution)
{
    const char *const es[] = { "pairs.0.e=1e-300", "pairs.0.e=1e-9",      "pairs.0.e=0.01",          "pairs.0.e=0.9",
                               "pairs.0.e=0.999",  "pairs.0.e=0.9999999", "pairs.0.e=0.999999999999" };
    for (int k = 0; k < 7; k++) {
        const char *const set[] = { es[k], NULL };
        known a = known_of(ACA09, set);
        double e = a.floor.e, t = 0, expected = 1, flight = 2;
        for (int n = 1; n < 300 && flight > 1e-12; n++) {
            t = ss_exact_next_jump(a.x, t);
            CHECK_NEAR(t, expected, 1e-13 * expected); /* summed term by term: n round-offs */
            flight *= e;
            expected += flight;
        }
        for (double s = 0.125; s < 1e15; s *= 1.7) {
            seen now = see(&a, s, 0);
            CHECK(now.gap >= 0 && now.gap <= 1 && fabs(now.v[1]) <= 2);
        }
        forget(&a);
    }
}

/* ---- the scene -------------------------------------------------------------------------------------- */

TEST(ball_follows_the_scene)
{
    known a = KNOWN(ACA09, "gravity=[0,-8]"), b = KNOWN(ACA09, "gravity=[3,-2]");
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), 0.5, 1e-15);
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 1.5, 1e-15);
    CHECK_NEAR(see(&b, 4, 0).q[0], 24, 1e-13); /* 3 t^2 / 2, also along the floor */
    CHECK_NEAR(see(&b, 4, 0).v[0], 12, 1e-13);
    forget(&a);
    forget(&b);
}

TEST(ball_works_far_from_the_origin)
{
    known a = KNOWN(ACA09, "bodies.ball.position=[3e6,1000001]", "bodies.floor.position=[0,1e6]");
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 3, 1e-15);
    CHECK_NEAR(see(&a, 4, 0).q[1], 1e6, 1e-9);
    forget(&a);
}

TEST(ball_refuses_what_is_another_problem)
{
    REFUSED("along the normal", ACA09, "pairs.0.mu=0.1", "bodies.ball.velocity=[1,0]");
    REFUSED("along the normal", ACA09, "pairs.0.mu=0.1", "gravity=[1,-2]");
    REFUSED("gravity into the half space", ACA09, "gravity=[0,2]");
    REFUSED("gravity into the half space", ACA09, "gravity=[0,0]");
    REFUSED("outside the half space, the gap is -0.1", ACA09, "bodies.ball.position=[0,-0.1]");
    REFUSED("without spin", BAC14, "bodies.ball.angular_velocity=1");
    REFUSED("without spin", SLOPE, "bodies.ball.angular_velocity=[0,0,1]");
    REFUSED("point or a sphere", BAC14, "bodies.ball.shapes=[{\"type\":\"box\",\"size\":[1,1]}]");
    REFUSED("centre of mass", BAC14, "bodies.ball.inertia=1", "bodies.ball.shapes.0.position=[0.1,0]");
    REFUSED("expected 0 forces", ACA09, "forces=[{\"type\":\"constant\",\"body\":\"ball\",\"force\":[0,1]}]");
    REFUSED("no joints", ACA09, "joints=[{\"type\":\"distance\",\"bodies\":[\"world\",\"ball\"],\"length\":1}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_of_bac14_hits_when_the_paper_says),
        cmocka_unit_test(ball_of_aca09_follows_the_corrected_equation_10),
        cmocka_unit_test(ball_of_ap97_rests_from_its_accumulation_on),
        cmocka_unit_test(ball_obeys_its_equations_between_impacts_and_its_law_at_each),
        cmocka_unit_test(ball_keeps_the_ratio_of_speeds_to_round_off_through_forty_impacts),
        cmocka_unit_test(ball_starts_any_way_it_likes),
        cmocka_unit_test(ball_without_restitution_stays_where_it_lands),
        cmocka_unit_test(elastic_ball_bounces_for_ever),
        cmocka_unit_test(ball_is_found_in_its_flight_for_any_restitution),
        cmocka_unit_test(ball_follows_the_scene),
        cmocka_unit_test(ball_works_far_from_the_origin),
        cmocka_unit_test(ball_refuses_what_is_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
