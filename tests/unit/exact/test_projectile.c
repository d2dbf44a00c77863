/* The projectile: Ani06's particle by hand, slides in every direction of a slope, stops, and what it refuses. */
#include "laws_of_motion.h"

static const char *const ANI06 = "papers/ani06/particle_drop.json";
static const char *const SLOPE =
    "{ 'slipstick': 1, 'dimension': 3, 'gravity': [3, 0, -9],"
    "  'materials': [ { 'name': 'm', 'mu': 0.5, 'e': 0 } ],"
    "  'bodies': [ { 'name': 'stone', 'type': 'particle', 'mass': 2, 'position': [1, 2, 0.5],"
    "      'velocity': [-4, 5, 1], 'shapes': [ { 'type': 'sphere', 'radius': 0.1, 'material': 'm' } ] },"
    "    { 'name': 'floor', 'type': 'fixed', 'shapes': [ { 'type': 'half_space', 'normal': [0, 0, 1],"
    "      'material': 'm' } ] } ],"
    "  'exact': { 'name': 'projectile' } }";

TEST(particle_of_ani06_lands_slides_and_goes_on_as_computed_by_hand)
{
    known a = KNOWN(ANI06);
    double fall = sqrt(6 / 9.8), hit = sqrt(6 * 9.8), after = 3 - 0.2 * hit, stop = after / (0.2 * 9.8);
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), fall, 1e-15);
    CHECK_NEAR(see(&a, fall, -1).v[1], -hit, 1e-14);
    CHECK_NEAR(see(&a, fall, 1).v[0], after, 1e-14);
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), fall + stop, 1e-14);
    CHECK(check_solution(&a, 1.6, 1e-10) == 1);
    CHECK_NEAR(see(&a, 1.6, 0).q[0], 3 * fall + after * after / (2 * 0.2 * 9.8), 1e-14);
    CHECK_NEAR(see(&a, 1.6, 0).v[0], 0, 1e-300);
    forget(&a);
}

/* with mu = 0.3, as the paper prints it, the particle is stopped sooner */
TEST(particle_follows_the_scene)
{
    known a = KNOWN(ANI06, "pairs.0.mu=0.3"), b = KNOWN(ANI06, "pairs.0.mu=0.5"), c = KNOWN(ANI06, "gravity=[0,-1.62]");
    double after = 3 - 0.3 * sqrt(6 * 9.8);
    CHECK_NEAR(see(&a, 2, 0).q[0], 3 * sqrt(6 / 9.8) + after * after / (2 * 0.3 * 9.8), 1e-14);
    CHECK_NEAR(see(&b, 2, 0).q[0], 3 * sqrt(6 / 9.8), 1e-15); /* mu u = 3.83 > 3: it sticks where it lands */
    CHECK(isinf(ss_exact_next_kink(b.x, 0)));
    CHECK_NEAR(ss_exact_next_jump(c.x, 0), sqrt(6 / 1.62), 1e-15);
    CHECK(check_solution(&a, 2, 1e-10) == 1 && check_solution(&b, 2, 1e-10) == 1);
    forget(&a);
    forget(&b);
    forget(&c);
}

/* ---- slopes ------------------------------------------------------------------------------------------ */

/* gravity (3, 0, -9): |g_T| = 3, mu a = 9 mu; stops if mu > 1/3 */
TEST(stone_slides_along_a_curve_and_stops_if_the_slope_is_shallow)
{
    known a = KNOWN(SLOPE);
    CHECK(check_solution(&a, 3, 1e-10) == 1);
    double kink = ss_exact_next_kink(a.x, 0);
    CHECK(kink < 3);
    seen end = see(&a, kink, 1), later = see(&a, 1e6, 1);
    CHECK(ss_norm(end.slip) == 0);
    CHECK(memcmp(end.q, later.q, 3 * sizeof(double)) == 0);
    forget(&a);
}

TEST(stone_obeys_coulomb_on_slopes_of_any_steepness_thrown_in_any_direction)
{
    const char *const mus[] = { "materials.m.mu=0.1", "materials.m.mu=0.3333333333333333333", "materials.m.mu=0.34",
                                "materials.m.mu=2", "materials.m.mu=0" };
    const char *const throws[] = { "bodies.stone.velocity=[9,0,0]",   "bodies.stone.velocity=[-9,0,0]",
                                   "bodies.stone.velocity=[0,9,0]",   "bodies.stone.velocity=[-9,4,0]",
                                   "bodies.stone.velocity=[-5,-8,2]", "bodies.stone.velocity=[7,1e-9,-3]" };
    for (int k = 0; k < 5; k++) {
        for (int j = 0; j < 6; j++) {
            const char *const set[] = { mus[k], throws[j], NULL };
            known a = known_of(SLOPE, set);
            CHECK(check_solution(&a, 4, 1e-9) == 1);
            forget(&a);
        }
    }
}

/* with k = mu a / |g_T| = 2, thrown across: V^2 / |g_T| = v, c^2 = b^2 = 1/2: time V/|g_T| (1/2 + 1/6), way across
 * V^2/|g_T| (1/6 + 1/10), down V^2/|g_T| (1/8 - 1/24) */
TEST(stone_thrown_across_a_slope_stops_at_a_known_place)
{
    known a = KNOWN(SLOPE, "materials.m.mu=2/3", "bodies.stone.position=[0,0,0.1]", "bodies.stone.velocity=[0,6,0]");
    CHECK(isinf(ss_exact_next_jump(a.x, 0)));
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 2 * (0.5 + 1. / 6), 1e-14);
    CHECK_NEAR(see(&a, 5, 0).q[1], 12 * (1. / 6 + 0.1), 1e-14);
    CHECK_NEAR(see(&a, 5, 0).q[0], 12 * (1. / 8 - 1. / 24), 1e-14);
    CHECK(check_solution(&a, 2, 1e-10) == 0);
    forget(&a);
}

TEST(stone_thrown_up_a_steep_slope_stops_and_comes_down)
{
    known a = KNOWN(SLOPE, "materials.m.mu=1/9", "bodies.stone.position=[0,0,0.1]", "bodies.stone.velocity=[-4,0,0]");
    CHECK_NEAR(ss_exact_next_kink(a.x, 0), 1, 1e-15); /* 3 + 1 up */
    CHECK_NEAR(see(&a, 3, 0).q[0], -2 + 4, 1e-14);    /* 3 - 1 down */
    CHECK_NEAR(see(&a, 3, 0).v[0], 4, 1e-14);
    CHECK(check_solution(&a, 3, 1e-10) == 0);
    forget(&a);
}

/* turns round within microseconds, where the straight one stops and starts */
TEST(stone_thrown_almost_straight_up_moves_as_if_it_were)
{
    known a = KNOWN(SLOPE, "materials.m.mu=0.1", "bodies.stone.velocity=[-12,0,0]"),
          b = KNOWN(SLOPE, "materials.m.mu=0.1", "bodies.stone.velocity=[-12,1e-6,0]");
    for (double t = 0; t < 9; t += 0.05) {
        check_vec(see(&a, t, 0).place, see(&b, t, 0).place, 1e-5);
        check_vec(see(&a, t, 0).velocity, see(&b, t, 0).velocity, 1e-5);
    }
    CHECK(isfinite(ss_exact_next_kink(a.x, 0)) && isinf(ss_exact_next_kink(b.x, 0)));
    forget(&a);
    forget(&b);
}

TEST(stone_at_rest_stays_or_slides_as_friction_says)
{
    known a = KNOWN(SLOPE, "bodies.stone.position=[0,0,0.1]", "bodies.stone.velocity=[0,0,0]"),
          b = KNOWN(SLOPE, "bodies.stone.position=[0,0,0.1]", "bodies.stone.velocity=[0,0,0]", "materials.m.mu=1/9");
    CHECK(see(&a, 7, 0).q[0] == 0 && see(&a, 7, 0).v[0] == 0);
    CHECK_NEAR(see(&b, 7, 0).q[0], 49, 1e-13);
    CHECK(isinf(ss_exact_next_jump(b.x, 0)) && isinf(ss_exact_next_kink(b.x, 0)));
    forget(&a);
    forget(&b);
}

TEST(stone_moves_alike_on_a_turned_floor)
{
    /* everything turned about y by the angle with cosine 3/5 and sine 4/5: x' = .6 x + .8 z, z' = -.8 x + .6 z */
    known a = KNOWN(SLOPE), b = KNOWN(SLOPE, "gravity=[-5.4,0,-7.8]", "bodies.stone.position=[1,2,-0.5]",
                                      "bodies.stone.velocity=[-1.6,5,3.8]", "bodies.floor.shapes.0.normal=[0.8,0,0.6]");
    for (double t = 0; t < 3; t += 0.07) {
        seen s = see(&a, t, 0), r = see(&b, t, 0);
        ss_vec3 p = s.place, v = s.velocity;
        check_vec(r.place, ss_v3(0.6 * p.x + 0.8 * p.z, p.y, -0.8 * p.x + 0.6 * p.z), 1e-13);
        check_vec(r.velocity, ss_v3(0.6 * v.x + 0.8 * v.z, v.y, -0.8 * v.x + 0.6 * v.z), 1e-13);
    }
    forget(&a);
    forget(&b);
}

TEST(projectile_refuses_what_is_another_problem)
{
    REFUSED("expected e = 0, got 0.5", ANI06, "pairs.0.e=0.5");
    REFUSED("gravity into", ANI06, "gravity=[0,9.8]");
    REFUSED("expected a particle", ANI06, "bodies.particle.type=rigid", "bodies.particle.inertia=1");
    REFUSED("one coefficient of friction", SLOPE, "materials.m.mu=[0.1,0.2]");
    REFUSED("one half space", ANI06,
            "bodies.line.shapes=[{\"type\":\"half_space\",\"normal\":[0,1]},{\"type\":\"half_space\",\"normal\":[1,0]}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_of_ani06_lands_slides_and_goes_on_as_computed_by_hand),
        cmocka_unit_test(particle_follows_the_scene),
        cmocka_unit_test(stone_slides_along_a_curve_and_stops_if_the_slope_is_shallow),
        cmocka_unit_test(stone_obeys_coulomb_on_slopes_of_any_steepness_thrown_in_any_direction),
        cmocka_unit_test(stone_thrown_across_a_slope_stops_at_a_known_place),
        cmocka_unit_test(stone_thrown_up_a_steep_slope_stops_and_comes_down),
        cmocka_unit_test(stone_thrown_almost_straight_up_moves_as_if_it_were),
        cmocka_unit_test(stone_at_rest_stays_or_slides_as_friction_says),
        cmocka_unit_test(stone_moves_alike_on_a_turned_floor),
        cmocka_unit_test(projectile_refuses_what_is_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
