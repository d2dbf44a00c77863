/* The oscillator: Aca09's numbers, every kind of damping, springs that press, hold or lift, and what it refuses. */
#include "asked.h"

static const char *const ACA09 = "papers/aca09/oscillator.json";

TEST(oscillator_of_aca09_has_the_known_impacts_and_end)
{
    asked a = ask(ACA09, NULL);
    double t = ss_exact_next_jump(a.exact, 0);
    CHECK_NEAR(t, 0.506984636430, 1e-12); /* as printed */
    CHECK_NEAR(see(&a, t, -1).v[1], -3.005951277714, 1e-12);
    CHECK_NEAR(see(&a, t, 1).v[1], 0.5 * 3.005951277714, 1e-12);
    for (int n = 0; n < 30; n++) {
        double next = ss_exact_next_jump(a.exact, t);
        CHECK_NEAR(next - t, 0.993955928851, 1e-12);
        t = next;
    }
    CHECK_NEAR(see(&a, 5, 0).q[1], 1.89248772712264e-2, 1e-14); /* two ways, to 15 digits */
    CHECK_NEAR(see(&a, 5, 0).v[1], -5.71928536710464e-3, 1e-14);
    CHECK(isinf(ss_exact_next_kink(a.exact, 0))); /* nothing presses: impacts fade, they do not accumulate */
    thank(&a);
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
                asked a = ask(ACA09, set);
                jumps += check_solution(&a, 6, 100, 1e-9);
                thank(&a);
            }
        }
    }
    CHECK(jumps > 300);
}

/* o = z = 3, to the last bit: y = (1 + 3 s) e^(-3 s) falls for ever; thrown down with 6 m/s, (1 - 3 s) e^(-3 s) */
TEST(critically_damped_oscillator_is_a_polynomial_times_an_exponential)
{
    const char *const let[] = { "forces.spring.stiffness=9", "forces.spring.damping=6", NULL };
    const char *const thrown[] = { "forces.spring.stiffness=9", "forces.spring.damping=6", "bodies.mass.velocity=[0,-6]", NULL };
    const char *const pulled[] = { "forces.spring.stiffness=9", "forces.spring.damping=6", "gravity=[0,-9]", NULL };
    asked a = ask(ACA09, let), b = ask(ACA09, thrown), c = ask(ACA09, pulled);
    CHECK(check_solution(&a, 3, 100, 1e-10) == 0);
    CHECK(check_solution(&b, 3, 100, 1e-10) >= 1);
    CHECK(check_solution(&c, 3, 100, 1e-10) > 40);
    CHECK_NEAR(see(&a, 0.7, 0).gap, 3.1 * exp(-2.1), 1e-15);
    CHECK_NEAR(ss_exact_next_jump(b.exact, 0), 1. / 3, 1e-15);
    thank(&a);
    thank(&b);
    thank(&c);
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
    const char *const set[] = { "forces.s.length=0", NULL };
    asked a = ask(scene, NULL), b = ask(scene, set);
    CHECK(check_solution(&a, 6, 100, 1e-9) >= 2); /* rest at 9 - 7 - 1 - 3 * 2/20 = 0.7 above the floor */
    CHECK(check_solution(&b, 6, 100, 1e-9) == 0); /* rest at 9 - 1 - 3 * 2/20 = 7.7, amplitude 5.8            */
    thank(&a);
    thank(&b);
}

/* f < 0: near the end a flight is that of a ball with a = -f, and the last ones take  d e / (1 - e)  together */
TEST(oscillator_pressed_on_the_floor_accumulates_its_impacts_and_rests)
{
    const char *const set[] = { "gravity=[0,-10]", NULL };
    asked a = ask(ACA09, set);
    double end = ss_exact_next_kink(a.exact, 0), t = 0, next;
    int n = 0;
    for (next = ss_exact_next_jump(a.exact, t); isfinite(next); next = ss_exact_next_jump(a.exact, t)) {
        double speed = see(&a, next, 1).v[1];
        if (n >= 12 && speed > 1e-8) { /* spring and damper change a flight by about its duration in seconds */
            CHECK_NEAR((end - next) / (2 * speed / 10 / (1 - 0.5)), 1, speed + 1e-14 / speed);
        }
        t = next;
        n++;
    }
    CHECK(n > 45 && n < 60); /* e^-n: round-off */
    CHECK(see(&a, end, 1).gap == 0 && see(&a, end + 1, 0).v[1] == 0 && see(&a, 1e6, 0).gap == 0);
    CHECK(isinf(ss_exact_next_kink(a.exact, end)));
    thank(&a);
}

/* no damper, e = 1: a period of its own, for ever; energy is kept */
TEST(elastic_oscillator_without_a_damper_repeats_itself)
{
    const char *const set[] = { "pairs.0.e=1", "forces.spring.damping=0", "gravity=[0,-3]", NULL };
    asked a = ask(ACA09, set);
    double first = ss_exact_next_jump(a.exact, 0), period = ss_exact_next_jump(a.exact, first) - first;
    CHECK_NEAR(period, 2 * first, 1e-14);
    CHECK_NEAR(first, acos(0.3 / 1.3) / sqrt(10), 1e-14);           /* 1.3 cos(o t) - 0.3 = 0 */
    seen s = see(&a, 0.3, 0), r = see(&a, 0.3 + 20000 * period, 0); /* beyond the table */
    CHECK_NEAR(r.q[1], s.q[1], 1e-10);                              /* 20000 round-offs of the period, 1e-16 each, times 3 m/s */
    CHECK_NEAR(r.v[1], s.v[1], 1e-10);
    CHECK_NEAR(ss_exact_next_jump(a.exact, 20000 * period), first + 20000 * period, 1e-10);
    thank(&a);
}

TEST(oscillator_without_restitution_stays_if_pressed_and_leaves_if_lifted)
{
    const char *const pressed[] = { "pairs.0.e=0", "gravity=[0,-1]", NULL };
    const char *const lifted[] = { "pairs.0.e=0", "gravity=[0,2]", "forces.spring.damping=0", NULL };
    asked a = ask(ACA09, pressed), b = ask(ACA09, lifted);
    double t = ss_exact_next_jump(a.exact, 0);
    CHECK(isinf(ss_exact_next_jump(a.exact, t)) && isinf(ss_exact_next_kink(a.exact, 0)));
    CHECK(see(&a, t, 1).v[1] == 0 && see(&a, 9, 0).gap == 0);
    t = ss_exact_next_jump(b.exact, 0); /* then 0.2 (1 - cos(o s)) */
    CHECK_NEAR(see(&b, t + 0.4, 0).gap, 0.2 * (1 - cos(sqrt(10) * 0.4)), 1e-14);
    thank(&a);
    thank(&b);
}

TEST(oscillator_may_start_on_the_floor)
{
    const char *const hit[] = { "bodies.mass.position=[0,0]", "bodies.mass.velocity=[0,-2]", "forces.spring.length=1.5", NULL };
    const char *const rest[] = { "bodies.mass.position=[0,0]", "gravity=[0,-1]", NULL };
    const char *const lifted[] = { "bodies.mass.position=[0,0]", "gravity=[0,1]", NULL };
    asked a = ask(ACA09, hit), b = ask(ACA09, rest), c = ask(ACA09, lifted);
    CHECK(see(&a, 0, -1).v[1] == -2 && see(&a, 0, 1).v[1] == 1);
    CHECK(see(&b, 3, 0).gap == 0 && isinf(ss_exact_next_jump(b.exact, 0)) && isinf(ss_exact_next_kink(b.exact, 0)));
    CHECK(see(&c, 0.5, 0).gap > 0.05);
    check_solution(&a, 5, 50, 1e-10);
    check_solution(&c, 5, 50, 1e-10);
    thank(&a);
    thank(&b);
    thank(&c);
}

/* ---- the scene -------------------------------------------------------------------------------------- */

TEST(oscillator_follows_the_scene)
{
    const char *const heavy[] = { "bodies.mass.mass=4", "forces.spring.damping=0", NULL };
    const char *const plain[] = { "forces.0={\"type\":\"spring\",\"bodies\":[\"mass\",\"world\"],\"anchors\":[[0,0],[0,-1]],"
                                  "\"stiffness\":40,\"length\":1}",
                                  NULL };
    asked a = ask(ACA09, heavy), b = ask(ACA09, plain);
    CHECK_NEAR(ss_exact_next_jump(a.exact, 0), acos(0) / sqrt(2.5), 1e-15);
    CHECK_NEAR(ss_exact_next_jump(b.exact, 0), acos(0) / sqrt(40), 1e-15);
    thank(&a);
    thank(&b);
}

TEST(oscillator_refuses_what_is_another_problem)
{
    const char *const aslant[] = { "forces.spring.anchors=[[0.5,-1],[0,0]]", NULL };
    const char *const over[] = { "forces.spring.anchors=[[0,0.5],[0,0]]", "bodies.mass.velocity=[0,-3]", NULL };
    const char *const side[] = { "bodies.mass.velocity=[1,0]", NULL }, *const wind[] = { "gravity=[1,0]", NULL };
    const char *const soft[] = { "forces.spring.stiffness=0", NULL };
    const char *const load[] = { "forces.0={\"type\":\"constant\",\"body\":\"mass\",\"force\":[0,1]}", NULL };
    const char *const none[] = { "forces=[]", NULL };
    const char *const lively[] = { "pairs.0.e=0.99999", "gravity=[0,-10]", NULL };
    const char *const rigid[] = { "bodies.mass.type=rigid", "bodies.mass.inertia=1", NULL };
    check_refused(ACA09, aslant, "along the normal");
    check_refused(ACA09, over, "never turns over, it may reach from -0.0723805 to 2.07238"); /* hypot(0.5, 3/sqrt(10)) about 1 */
    check_refused(ACA09, side, "along the normal only");
    check_refused(ACA09, wind, "along the normal only");
    check_refused(ACA09, soft, "stiffness above 0");
    check_refused(ACA09, load, "of type constant");
    check_refused(ACA09, none, "expected 1 forces");
    check_refused(ACA09, lively, "too near 1");
    check_refused(ACA09, rigid, "expected a particle");
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
        cmocka_unit_test(oscillator_without_restitution_stays_if_pressed_and_leaves_if_lifted),
        cmocka_unit_test(oscillator_may_start_on_the_floor),
        cmocka_unit_test(oscillator_follows_the_scene),
        cmocka_unit_test(oscillator_refuses_what_is_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
