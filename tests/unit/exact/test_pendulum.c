/* The pendulum with impacts: the paper's numbers, the model's laws, closed forms of the period, other scenes. */
#include "laws_of_motion.h"

#include "unit/base/failing.h"

#define BAC14   "papers/bac14/pendulum.json"
#define STOP    "papers/aca09/pendulum_stop.json"
#define NO_STOP "papers/aca09/pendulum_stop.json", "bodies.bob.shapes=[]", "bodies.wall.shapes=[]"

static const double pi = 3.14159265358979323846;

/* BAC14 section 10.2, from two independent computations, twelve and thirteen digits */
TEST(the_pendulum_of_the_paper_has_its_impacts_and_its_accumulation)
{
    known k = KNOWN(BAC14);
    double q[3], v[3], t1 = ss_exact_next_jump(k.x, 0), t2 = ss_exact_next_jump(k.x, t1);
    CHECK_NEAR(t1, 0.4861104432972, 5e-14);
    CHECK_NEAR(t2, 1.281225256909, 5e-13);
    CHECK_NEAR(ss_exact_next_kink(k.x, 0), 5.053981620657, 5e-13);
    state_at(&k, t1, -1, q, v);
    CHECK_NEAR(v[2], -4.1907383300214, 5e-13);
    state_at(&k, 0.4, 1, q, v);
    CHECK_NEAR(q[2], -0.450878091411, 5e-13);
    forget(&k);
}

/* After the last impact that counts, with omega+ of about 1e-13, the time that is left is the geometric series of flights
 * 2 omega+ / a, a = m g L cos(45) / (J + m L^2); times are rounded to 9e-16. */
TEST(the_impacts_that_are_too_small_to_count_take_their_time)
{
    known k = KNOWN(BAC14);
    double q[3], v[3], last = 0, a = 10 * sqrt(0.5) / 1.1, kink = ss_exact_next_kink(k.x, 0);
    int impacts = 0;
    for (double t = ss_exact_next_jump(k.x, 0); t < INFINITY; t = ss_exact_next_jump(k.x, t), impacts++) {
        last = t;
    }
    state_at(&k, last, 1, q, v);
    CHECK(v[2] > 1e-14 && v[2] < 2e-13 && impacts > 130);
    CHECK_NEAR(kink - last, 2 * v[2] / (a * (1 - 0.8)), 4e-15);
    forget(&k);
}

TEST(a_hinged_body_moves_by_the_laws_of_its_model)
{
    known k = KNOWN(BAC14);
    double t = ss_exact_next_jump(k.x, 0);
    for (double s = 0.02; s < 3; s += 0.06) {
        double next = ss_exact_next_jump(k.x, s);
        if (next > s + 0.01 && ss_exact_next_jump(k.x, s - 0.01) == next) {
            check_equations(&k, s, 2e-3, 0, 1e-10); /* rounding 1e-15 / h in v, accelerations of 20 */
        }
    }
    for (int n = 0; n < 20; n++, t = ss_exact_next_jump(k.x, t)) {
        check_jump(&k, t, 0, 0.8, 1e-13);
    }
    check_gaps(&k, 6, 3000, 1e-15);
    forget(&k);
}

TEST(a_bob_on_a_rod_moves_by_the_laws_of_its_model)
{
    known k = KNOWN(STOP);
    int impacts = 0;
    for (double s = 0.02; s < 5; s += 0.055) {
        double next = ss_exact_next_jump(k.x, s);
        if (next > s + 0.01 && ss_exact_next_jump(k.x, s - 0.01) == next) {
            check_equations(&k, s, 2e-3, 0, 1e-10);
        }
    }
    for (double t = ss_exact_next_jump(k.x, 0); t < INFINITY; t = ss_exact_next_jump(k.x, t), impacts++) {
        check_jump(&k, t, 0, 0.8, 1e-13);
    }
    CHECK(impacts == 3);
    CHECK(ss_exact_next_kink(k.x, 0) == INFINITY);
    check_gaps(&k, 5, 2000, 1e-15);
    forget(&k);
}

/* pushed along the circle: 0.5 rad/s about a pivot that is not the origin */
TEST(it_starts_as_the_model_does)
{
    known k = KNOWN(STOP, "joints.rod.anchors=[[0.3,0.2],[0,0]]", "bodies.bob.position=[1.1,-0.4]",
                    "bodies.bob.velocity=[0.3,0.4]"),
          s = KNOWN(BAC14, "joints.pivot.anchors=[[0.3,0.2],[-1,0]]", "bodies.pendulum.angle=7",
                    "bodies.pendulum.position=[\"0.3+cos(7)\",\"0.2+sin(7)\"]", "bodies.pendulum.angular_velocity=0.5",
                    "bodies.pendulum.velocity=[\"-0.5*sin(7)\",\"0.5*cos(7)\"]");
    check_start(&k);
    check_start(&s);
    check_equations(&k, 0.1, 2e-3, 0, 1e-10);
    check_equations(&s, 0.1, 2e-3, 0, 1e-10);
    forget(&k);
    forget(&s);
}

/* v^2 = 2 g L (cos 30 - cos 60) at the first impact, 0.64 of it at each later one */
TEST(impacts_have_the_speed_that_energy_gives)
{
    known k = KNOWN(STOP);
    double speed = sqrt(2 * 9.81 * (cos(pi / 6) - cos(pi / 3))), q[2], v[2], t = 0;
    for (int n = 0; n < 3; n++, speed *= 0.8) {
        t = ss_exact_next_jump(k.x, t);
        state_at(&k, t, -1, q, v);
        CHECK_NEAR(hypot(v[0], v[1]), speed, 1e-13);
        CHECK_NEAR(q[0], -0.5, 1e-15);
    }
    forget(&k);
}

/* 2 pi sqrt(L / g) / agm(1, cos(th / 2)) */
static double period(double length, double gravity, double amplitude)
{
    double a = 1, b = cos(0.5 * amplitude);
    for (int n = 0; n < 8; n++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * pi * sqrt(length / gravity) / a;
}

/* 20 periods: 300 steps add 3e-13 s of rounding to the phase; accelerations of 8 */
TEST(without_a_stop_it_swings_with_the_period_of_the_elliptic_integral)
{
    known k = KNOWN(NO_STOP);
    double q[2], v[2], T = period(1, 9.81, pi / 3);
    state_at(&k, 20 * T, 1, q, v);
    CHECK_NEAR(q[0], sin(pi / 3), 1e-13);
    CHECK_NEAR(q[1], -cos(pi / 3), 1e-13);
    CHECK_NEAR(v[0], 0, 4e-12);
    state_at(&k, 19.75 * T, 1, q, v);
    CHECK_NEAR(q[0], 0, 1e-12);
    CHECK_NEAR(v[0], sqrt(2 * 9.81 * (1 - cos(pi / 3))), 1e-12); /* a quarter before it comes back */
    CHECK(ss_exact_next_jump(k.x, 0) == INFINITY);
    forget(&k);
}

/* L = 1 um, g = 1e6 m/s^2; the clock runs 1e6 times faster, with the same shape of motion */
TEST(size_and_units_drop_out)
{
    known k = KNOWN(STOP),
          s = KNOWN(STOP, "gravity=[0,-9.81e6]", "joints.rod.length=1e-6", "time.until=5e-6",
                    "bodies.bob.position=[\"1e-6*sin(pi/3)\",\"-1e-6*cos(pi/3)\"]", "bodies.wall.shapes.0.offset=-0.5e-6");
    double a[2], b[2], q[2], v[2];
    for (double t = 0; t < 5; t += 0.11) {
        state_at(&k, t, 1, a, b);
        state_at(&s, 1e-6 * t, 1, q, v);
        CHECK_NEAR(1e6 * q[0], a[0], 1e-12);
        CHECK_NEAR(v[0], b[0], 1e-11);
    }
    CHECK_NEAR(1e6 * ss_exact_next_jump(s.x, 0), ss_exact_next_jump(k.x, 0), 1e-13);
    forget(&k);
    forget(&s);
}

/* everything turned by 0.7 about the pivot, and moved */
TEST(a_turned_scene_has_the_turned_solution)
{
    known k = KNOWN(BAC14),
          s = KNOWN(BAC14, "gravity=[\"10*sin(0.7)\",\"-10*cos(0.7)\"]", "joints.pivot.anchors=[[100,20],[-1,0]]",
                    "bodies.pendulum.position=[\"100+cos(pi/12+0.7)\",\"20+sin(pi/12+0.7)\"]",
                    "bodies.pendulum.angle=\"pi/12+0.7\"", "bodies.wall.position=[100,20]",
                    "bodies.wall.shapes.0.normal=[\"cos(0.7)\",\"sin(0.7)\"]");
    double a[3], b[3], q[3], v[3];
    for (double t = 0; t < 6; t += 0.21) {
        state_at(&k, t, 1, a, b);
        state_at(&s, t, 1, q, v);
        CHECK_NEAR(q[2], a[2] + 0.7, 1e-12);
        CHECK_NEAR(q[0], 100 + cos(0.7) * a[0] - sin(0.7) * a[1], 1e-12);
        CHECK_NEAR(q[1], 20 + sin(0.7) * a[0] + cos(0.7) * a[1], 1e-12);
        CHECK_NEAR(v[2], b[2], 1e-10); /* of fast bounces near the end */
    }
    forget(&k);
    forget(&s);
}

TEST(the_solution_follows_gravity_restitution_and_inertia)
{
    known k = KNOWN(BAC14), g = KNOWN(BAC14, "gravity=[0,-2.5]"), e = KNOWN(BAC14, "pairs.0.e=0.4"),
          j = KNOWN(BAC14, "bodies.pendulum.inertia=3.4");
    double t = ss_exact_next_jump(k.x, 0);
    CHECK_NEAR(ss_exact_next_jump(g.x, 0), 2 * t, 1e-13); /* a quarter of gravity: half as fast */
    CHECK_NEAR(ss_exact_next_jump(j.x, 0), 2 * t, 1e-13); /* four times the inertia about the pivot */
    CHECK_NEAR(ss_exact_next_jump(e.x, 0), t, 0);
    check_jump(&e, t, 0, 0.4, 1e-13);
    CHECK(ss_exact_next_kink(e.x, 0) < 2);
    forget(&k);
    forget(&g);
    forget(&e);
    forget(&j);
}

/* e = 0: one jump, then the wall and the joint hold it */
TEST(without_restitution_it_stays_where_it_hits)
{
    known k = KNOWN(BAC14, "pairs.0.e=0");
    double q[3], v[3], t = ss_exact_next_jump(k.x, 0);
    check_jump(&k, t, 0, 0, 1e-13);
    CHECK(ss_exact_next_jump(k.x, t) == INFINITY);
    state_at(&k, 1000, 1, q, v);
    CHECK_NEAR(q[2], -pi / 4, 1e-15);
    CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0);
    check_equations(&k, 1, 2e-3, 1, 1e-12);
    forget(&k);
}

TEST(what_starts_in_contact_rests_or_bounces_at_once)
{
    known rest = KNOWN(BAC14, "bodies.pendulum.position=[\"sqrt(2)/2\",\"-sqrt(2)/2\"]", "bodies.pendulum.angle=\"-pi/4\""),
          hit = KNOWN(BAC14, "bodies.pendulum.position=[\"sqrt(2)/2\",\"-sqrt(2)/2\"]", "bodies.pendulum.angle=\"-pi/4\"",
                      "bodies.pendulum.angular_velocity=-1", "bodies.pendulum.velocity=[\"-sqrt(2)/2\",\"-sqrt(2)/2\"]");
    double q[3], v[3];
    state_at(&rest, 3, 1, q, v);
    CHECK_NEAR(q[2], -pi / 4, 1e-15);
    CHECK(v[2] == 0 && ss_exact_next_jump(rest.x, 0) == INFINITY);
    state_at(&hit, 0, -1, q, v);
    CHECK_NEAR(v[2], -1, 1e-15);
    state_at(&hit, 0, 1, q, v);
    CHECK_NEAR(v[2], 0.8, 1e-15);
    forget(&rest);
    forget(&hit);
}

/* g = 0: between the stops at 45 degrees up and down at constant rate, 0.8 of it after each impact */
TEST(both_ends_of_the_arc_are_stops)
{
    known k = KNOWN(BAC14, "gravity=[0,0]", "bodies.pendulum.angular_velocity=2", "time.until=3",
                    "bodies.pendulum.velocity=[\"-2*sin(pi/12)\",\"2*cos(pi/12)\"]");
    double t1 = pi / 12, t2 = t1 + pi / 2 / 1.6, q[3], v[3];
    CHECK_NEAR(ss_exact_next_jump(k.x, 0), t1, 1e-15); /* (pi/4 - pi/12) / 2 */
    CHECK_NEAR(ss_exact_next_jump(k.x, t1 + 1e-9), t2, 1e-15);
    check_jump(&k, ss_exact_next_jump(k.x, 0), 0, 0.8, 1e-13);
    state_at(&k, t2 + 0.5, 1, q, v);
    CHECK_NEAR(q[2], -pi / 4 + 0.5 * 1.28, 1e-14);
    CHECK_NEAR(v[2], 1.28, 1e-15);
    forget(&k);
}

/* a ball of 10 cm beside the arm: it meets the wall elsewhere, and its row has a moment about the centre of mass */
TEST(the_contact_point_need_not_be_the_centre_of_mass)
{
    known k =
        KNOWN(BAC14, "bodies.pendulum.shapes=[{\"type\":\"sphere\",\"radius\":0.1,\"position\":[0.2,0.3],\"material\":\"bob\"}]");
    double t = 0, q[3], v[3];
    for (int n = 0; n < 6; n++) {
        t = ss_exact_next_jump(k.x, t);
        check_jump(&k, t, 0, 0.8, 1e-13);
    }
    state_at(&k, t, 1, q, v);
    CHECK_NEAR(hypot(1.2, 0.3) * cos(q[2] + atan2(0.3, 1.2)), sqrt(0.5) + 0.1, 1e-14);
    check_gaps(&k, 6, 1000, 1e-14);
    forget(&k);
}

/* any gravity, wall, restitution and push; impacts of less than 1e-6 are left to the accumulation tests */
TEST(random_pendulums_obey_the_laws_at_their_impacts)
{
    uint64_t seed = 5;
    int impacts = 0;
    for (int trial = 0; trial < 60; trial++) {
        double r[6], v[3], q[3], t = 0;
        char gravity[80], normal[80], offset[80], e[80], spin[80], velocity[80];
        for (int i = 0; i < 6; i++) {
            r[i] = 2 * ss_random_uniform(&seed) - 1;
        }
        double c = cos(pi / 12), s = sin(pi / 12), gap = 0.6 * (1 + r[3]);
        double n = hypot(r[0], r[1]), inside = (r[0] * c + r[1] * s) / n - gap;
        snprintf(gravity, sizeof gravity, "gravity=[%.17g,%.17g]", 9 * r[2], 9 * r[5]);
        snprintf(normal, sizeof normal, "bodies.wall.shapes.0.normal=[%.17g,%.17g]", r[0], r[1]);
        snprintf(offset, sizeof offset, "bodies.wall.shapes.0.offset=%.17g", inside);
        snprintf(e, sizeof e, "pairs.0.e=%.17g", 0.5 * (1 + r[4]));
        snprintf(spin, sizeof spin, "bodies.pendulum.angular_velocity=%.17g", 4 * r[1]);
        snprintf(velocity, sizeof velocity, "bodies.pendulum.velocity=[%.17g,%.17g]", -4 * r[1] * s, 4 * r[1] * c);
        known k = KNOWN(BAC14, gravity, normal, offset, e, spin, velocity);
        for (int i = 0; i < 8 && (t = ss_exact_next_jump(k.x, t)) < INFINITY; i++) {
            state_at(&k, t, -1, q, v);
            if (fabs(v[2]) > 1e-6) {
                check_jump(&k, t, 0, 0.5 * (1 + r[4]), 1e-11);
                impacts++;
            }
        }
        check_gaps(&k, 6, 300, 1e-13);
        forget(&k);
    }
    CHECK(impacts > 100);
}

TEST(the_answer_does_not_depend_on_the_order_of_the_questions)
{
    known k = KNOWN(BAC14), s = KNOWN(BAC14);
    for (int n = 0; n < 200; n++) {
        double a[3], b[3], q[3], v[3], t = 0.03 * (n * 77 % 200), later = 0.03 * n;
        state_at(&k, t, 1, a, b);
        state_at(&s, later, 1, q, v);
        state_at(&s, t, 1, q, v);
        CHECK(memcmp(a, q, sizeof a) == 0 && memcmp(b, v, sizeof b) == 0);
    }
    forget(&k);
    forget(&s);
}

TEST(scenes_that_are_something_else_are_refused)
{
    REFUSED("mu = 0.3", BAC14, "pairs.0.mu=0.3");
    REFUSED("no force but gravity", BAC14,
            "forces=[{\"name\":\"f\",\"type\":\"constant\",\"body\":\"pendulum\",\"force\":[1,0]}]");
    REFUSED("one joint, revolute", BAC14, "joints=[]");
    REFUSED("neither motor nor limits", BAC14, "joints.pivot.limits=[-1,1]");
    REFUSED("between the world and body", BAC14, "joints.pivot.bodies=[\"wall\",\"pendulum\"]");
    REFUSED("a point or a sphere", BAC14, "bodies.pendulum.shapes=[{\"type\":\"box\",\"size\":[0.1,0.1]}]");
    REFUSED("starts inside the half space", BAC14, "bodies.wall.shapes.0.offset=0.98");
    REFUSED("one body that moves", "papers/pagt06/double_pendulum.json", "exact.name=pendulum");
}

static const ss_model *falling; /* of the test below */

static ss_status ask(ss_context *ctx)
{
    double q[3], v[3];
    ss_exact *x = NULL;
    SS_TRY(ss_exact_create(ctx, falling, &x));
    ss_status status = ss_exact_at(x, 6, 1, q, v);
    ss_exact_destroy(x);
    return status;
}

TEST(memory_may_be_refused_at_any_moment)
{
    ss_context *ctx = test_context();
    ss_model *m = model_of(ctx, BAC14, (const char *[]){ NULL });
    falling = m;
    CHECK(fail_at_every_request(ask) > 5);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_of_the_paper_has_its_impacts_and_its_accumulation),
        cmocka_unit_test(the_impacts_that_are_too_small_to_count_take_their_time),
        cmocka_unit_test(a_hinged_body_moves_by_the_laws_of_its_model),
        cmocka_unit_test(a_bob_on_a_rod_moves_by_the_laws_of_its_model),
        cmocka_unit_test(it_starts_as_the_model_does),
        cmocka_unit_test(impacts_have_the_speed_that_energy_gives),
        cmocka_unit_test(without_a_stop_it_swings_with_the_period_of_the_elliptic_integral),
        cmocka_unit_test(size_and_units_drop_out),
        cmocka_unit_test(a_turned_scene_has_the_turned_solution),
        cmocka_unit_test(the_solution_follows_gravity_restitution_and_inertia),
        cmocka_unit_test(without_restitution_it_stays_where_it_hits),
        cmocka_unit_test(what_starts_in_contact_rests_or_bounces_at_once),
        cmocka_unit_test(both_ends_of_the_arc_are_stops),
        cmocka_unit_test(the_contact_point_need_not_be_the_centre_of_mass),
        cmocka_unit_test(random_pendulums_obey_the_laws_at_their_impacts),
        cmocka_unit_test(the_answer_does_not_depend_on_the_order_of_the_questions),
        cmocka_unit_test(memory_may_be_refused_at_any_moment),
        cmocka_unit_test(scenes_that_are_something_else_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
