/* The oscillator: Aca09's numbers, every kind of damping, springs that press, hold or lift, and what it refuses. */
#include "laws_of_motion.h"

static const char *const ACA09 = "papers/aca09/oscillator.json";

TEST(oscillator_of_aca09_has_the_known_impacts_and_end)
{
    known a = KNOWN(ACA09);
    double t = ss_exact_next_jump(a.x, 0);
    CHECK_NEAR(t, 0.506984636430, 1e-12); /* as printed */
    CHECK_NEAR(see(&a, t, -1).v[1], -3.005951277714, 1e-12);
    CHECK_NEAR(see(&a, t, 1).v[1], 0.5 * 3.005951277714, 1e-12);
    for (int n = 0; n < 30; n++) {
        double next = ss_exact_next_jump(a.x, t);
        CHECK_NEAR(next - t, 0.993955928851, 1e-12);
        t = next;
    }
    CHECK_NEAR(see(&a, 5, 0).q[1], 1.89248772712264e-2, 1e-14); /* two ways, to 15 digits */
    CHECK_NEAR(see(&a, 5, 0).v[1], -5.71928536710464e-3, 1e-14);
    CHECK(isinf(ss_exact_next_kink(a.x, 0))); /* nothing presses: impacts fade, they do not accumulate */
    forget(&a);
}

/* ---- equations and laws --------------------------------------------------------------------------- */

TEST(oscillator_obeys_its_equations_for_every_damping_spring_and_load)
{
    const char *const dampings[] = {
        "forces.spring.damping=0",          "forces.spring.damping=0.2", "forces.spring.damping=6",
        "forces.spring.damping=2*sqrt(10)", "forces.spring.damping=6.4", "forces.spring.damping=30"
    };
    const char *const loads[] = { "gravity=[0,0]", "gravity=[0,-9.81]", "gravity=[0,3]", "gravity=[0,-0.01]" };
    const char *const starts[] = { "bodies.mass.velocity=[0,0]", "bodies.mass.velocity=[0,4]", "bodies.mass.velocity=[0,-5]" };
    int jumps = 0;
    for (int k = 0; k < 6; k++) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 3; i++) {
                const char *const set[] = { dampings[k], loads[j], starts[i], NULL };
                known a = known_of(ACA09, set);
                jumps += check_solution(&a, 6, 1e-9);
                forget(&a);
            }
        }
    }
    CHECK(jumps > 300);
}

/* o = z = 3, to the last bit: y = (1 + 3 s) e^(-3 s) falls for ever; thrown down with 6 m/s, (1 - 3 s) e^(-3 s) */
TEST(critically_damped_oscillator_is_a_polynomial_times_an_exponential)
{
    known a = KNOWN(ACA09, "forces.spring.stiffness=9", "forces.spring.damping=6"),
          b = KNOWN(ACA09, "forces.spring.stiffness=9", "forces.spring.damping=6", "bodies.mass.velocity=[0,-6]"),
          c = KNOWN(ACA09, "forces.spring.stiffness=9", "forces.spring.damping=6", "gravity=[0,-9]");
    CHECK(check_solution(&a, 3, 1e-10) == 0);
    CHECK(check_solution(&b, 3, 1e-10) >= 1);
    CHECK(check_solution(&c, 3, 1e-10) > 40);
    CHECK_NEAR(see(&a, 0.7, 0).gap, 3.1 * exp(-2.1), 1e-15);
    CHECK_NEAR(ss_exact_next_jump(b.x, 0), 1. / 3, 1e-15);
    forget(&a);
    forget(&b);
    forget(&c);
}

TEST(oscillator_obeys_them_in_space_with_a_spring_from_above)
{
    const char *scene =
        "{ 'slipstick': 1, 'dimension': 3, 'gravity': [-2, -1, -2],"
        "  'materials': [ { 'name': 'm', 'mu': 0.3, 'e': 0.8 } ],"
        "  'bodies': [ { 'name': 'bob', 'type': 'particle', 'mass': 2, 'position': [2, 1, 2], 'velocity': [2, 1, 2],"
        "      'shapes': [ { 'type': 'sphere', 'radius': 1, 'material': 'm' } ] },"
        "    { 'name': 'floor', 'type': 'fixed', 'shapes': [ { 'type': 'half_space', 'normal': [2, 1, 2],"
        "      'material': 'm' } ] } ],"
        "  'forces': [ { 'name': 's', 'type': 'spring_damper', 'bodies': ['bob', 'floor'],"
        "      'anchors': [[0, 0, 0], [6, 3, 6]], 'stiffness': 20, 'damping': 1, 'length': 7 } ],"
        "  'exact': { 'name': 'oscillator' } }";
    known a = KNOWN(scene), b = KNOWN(scene, "forces.s.length=0");
    CHECK(check_solution(&a, 6, 1e-9) >= 2); /* rest at 9 - 7 - 1 - 3 * 2/20 = 0.7 above the floor */
    CHECK(check_solution(&b, 6, 1e-9) == 0); /* rest at 9 - 1 - 3 * 2/20 = 7.7, amplitude 5.8            */
    forget(&a);
    forget(&b);
}

/* f < 0: near the end a flight is that of a ball with a = -f, and the last ones take  d e / (1 - e)  together */
TEST(oscillator_pressed_on_the_floor_accumulates_its_impacts_and_rests)
{
    known a = KNOWN(ACA09, "gravity=[0,-10]");
    double end = ss_exact_next_kink(a.x, 0), t = 0, next;
    int n = 0;
    for (next = ss_exact_next_jump(a.x, t); isfinite(next); next = ss_exact_next_jump(a.x, t)) {
        double speed = see(&a, next, 1).v[1];
        if (n >= 12 && speed > 1e-8) { /* spring and damper change a flight by about its duration in seconds */
            CHECK_NEAR((end - next) / (2 * speed / 10 / (1 - 0.5)), 1, speed + 1e-14 / speed);
        }
        t = next;
        n++;
    }
    CHECK(n > 45 && n < 60); /* e^-n: round-off */
    CHECK(see(&a, end, 1).gap == 0 && see(&a, end + 1, 0).v[1] == 0 && see(&a, 1e6, 0).gap == 0);
    CHECK(isinf(ss_exact_next_kink(a.x, end)));
    forget(&a);
}

/* no damper, e = 1: a period of its own, for ever; energy is kept */
TEST(elastic_oscillator_without_a_damper_repeats_itself)
{
    known a = KNOWN(ACA09, "pairs.0.e=1", "forces.spring.damping=0", "gravity=[0,-3]");
    double first = ss_exact_next_jump(a.x, 0), period = ss_exact_next_jump(a.x, first) - first;
    CHECK_NEAR(period, 2 * first, 1e-14);
    CHECK_NEAR(first, acos(0.3 / 1.3) / sqrt(10), 1e-14); /* 1.3 cos(o t) - 0.3 = 0 */
    seen s = see(&a, 0.3, 0), r = see(&a, 0.3 + 20000 * period, 0);
    CHECK_NEAR(r.q[1], s.q[1], 1e-10); /* 20000 round-offs of the period, 1e-16 each, times 3 m/s */
    CHECK_NEAR(r.v[1], s.v[1], 1e-10);
    CHECK_NEAR(ss_exact_next_jump(a.x, 20000 * period), first + 20000 * period, 1e-10);
    forget(&a);
}

/* 1.6e7 impacts in 5 s: an answer, and soon */
TEST(oscillator_refuses_times_after_too_many_impacts)
{
    known a = KNOWN(ACA09, "pairs.0.e=1", "forces.spring.damping=0", "forces.spring.stiffness=1e14");
    double q[8], v[8], period = acos(-1) * 1e-7;
    CHECK_OK(a.ctx, ss_exact_at(a.x, 90000 * period, 1, q, v));
    CHECK_FAILS(a.ctx, ss_exact_at(a.x, 5, 1, q, v), SS_ERR_INPUT, "more than 100000 impacts before t = 0.031");
    CHECK(isinf(ss_exact_next_jump(a.x, 5)));
    CHECK_OK(a.ctx, ss_exact_at(a.x, 90000 * period, 1, q, v)); /* what is known stays so */
    forget(&a);
}

TEST(oscillator_without_restitution_stays_if_pressed_and_leaves_if_lifted)
{
    known a = KNOWN(ACA09, "pairs.0.e=0", "gravity=[0,-1]"),
          b = KNOWN(ACA09, "pairs.0.e=0", "gravity=[0,2]", "forces.spring.damping=0");
    double t = ss_exact_next_jump(a.x, 0);
    CHECK(isinf(ss_exact_next_jump(a.x, t)) && isinf(ss_exact_next_kink(a.x, 0)));
    CHECK(see(&a, t, 1).v[1] == 0 && see(&a, 9, 0).gap == 0);
    t = ss_exact_next_jump(b.x, 0); /* then 0.2 (1 - cos(o s)) */
    CHECK_NEAR(see(&b, t + 0.4, 0).gap, 0.2 * (1 - cos(sqrt(10) * 0.4)), 1e-14);
    forget(&a);
    forget(&b);
}

TEST(oscillator_may_start_on_the_floor)
{
    known a = KNOWN(ACA09, "bodies.mass.position=[0,0]", "bodies.mass.velocity=[0,-2]", "forces.spring.length=1.5"),
          b = KNOWN(ACA09, "bodies.mass.position=[0,0]", "gravity=[0,-1]"),
          c = KNOWN(ACA09, "bodies.mass.position=[0,0]", "gravity=[0,1]");
    CHECK(see(&a, 0, -1).v[1] == -2 && see(&a, 0, 1).v[1] == 1);
    CHECK(see(&b, 3, 0).gap == 0 && isinf(ss_exact_next_jump(b.x, 0)) && isinf(ss_exact_next_kink(b.x, 0)));
    CHECK(see(&c, 0.5, 0).gap > 0.05);
    check_solution(&a, 5, 1e-10);
    check_solution(&c, 5, 1e-10);
    forget(&a);
    forget(&b);
    forget(&c);
}

/* ---- the scene -------------------------------------------------------------------------------------- */

TEST(oscillator_follows_the_scene)
{
    known a = KNOWN(ACA09, "bodies.mass.mass=4", "forces.spring.damping=0"),
          b = KNOWN(ACA09, "forces.0={\"type\":\"spring\",\"bodies\":[\"mass\",\"world\"],\"anchors\":[[0,0],[0,-1]],"
                           "\"stiffness\":40,\"length\":1}");
    CHECK_NEAR(ss_exact_next_jump(a.x, 0), acos(0) / sqrt(2.5), 1e-15);
    CHECK_NEAR(ss_exact_next_jump(b.x, 0), acos(0) / sqrt(40), 1e-15);
    forget(&a);
    forget(&b);
}

TEST(oscillator_refuses_what_is_another_problem)
{
    REFUSED("along the normal", ACA09, "forces.spring.anchors=[[0.5,-1],[0,0]]");
    REFUSED("ends never pass each other, its length along the normal may go from -0.0723805 to 2.07238", ACA09,
            "forces.spring.anchors=[[0,0.5],[0,0]]", "bodies.mass.velocity=[0,-3]"); /* hypot(0.5, 3/sqrt(10)) about 1 */
    REFUSED("along the normal only", ACA09, "bodies.mass.velocity=[1,0]");
    REFUSED("along the normal only", ACA09, "gravity=[1,0]");
    REFUSED("stiffness above 0", ACA09, "forces.spring.stiffness=0");
    REFUSED("of type constant", ACA09, "forces.0={\"type\":\"constant\",\"body\":\"mass\",\"force\":[0,1]}");
    REFUSED("expected 1 forces", ACA09, "forces=[]");
    REFUSED("too near 1", ACA09, "pairs.0.e=0.99999", "gravity=[0,-10]");
    REFUSED("expected a particle", ACA09, "bodies.mass.type=rigid", "bodies.mass.inertia=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator_of_aca09_has_the_known_impacts_and_end),
        cmocka_unit_test(oscillator_obeys_its_equations_for_every_damping_spring_and_load),
        cmocka_unit_test(critically_damped_oscillator_is_a_polynomial_times_an_exponential),
        cmocka_unit_test(oscillator_obeys_them_in_space_with_a_spring_from_above),
        cmocka_unit_test(oscillator_pressed_on_the_floor_accumulates_its_impacts_and_rests),
        cmocka_unit_test(elastic_oscillator_without_a_damper_repeats_itself),
        cmocka_unit_test(oscillator_refuses_times_after_too_many_impacts),
        cmocka_unit_test(oscillator_without_restitution_stays_if_pressed_and_leaves_if_lifted),
        cmocka_unit_test(oscillator_may_start_on_the_floor),
        cmocka_unit_test(oscillator_follows_the_scene),
        cmocka_unit_test(oscillator_refuses_what_is_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
