/* The double pendulum against a wall: the paper's numbers, the laws of its model for other data, its refusals. */
#include "laws_of_motion.h"

#define PAGT06 "papers/pagt06/double_pendulum.json"
/* other masses, lengths, gravity, wall and restitution; the chain is world - bob2 - bob1, its first joint written backwards */
#define OTHER                                                                                                                    \
    PAGT06, "gravity=[1.5,-7]", "bodies.bob1.mass=0.7", "bodies.bob2.mass=2.5", "bodies.bob2.position=[0.8,0.2]",                \
        "bodies.bob1.position=[1.3,1.4]", "bodies.bob2.velocity=[0.3,0.4]", "bodies.bob1.velocity=[-0.54,0.75]",                 \
        "materials=[{\"name\":\"bob\"},{\"name\":\"rubber\"},{\"name\":\"wall\"}]", "bodies.bob1.shapes.0.material=rubber",      \
        "pairs=[{\"materials\":[\"bob\",\"wall\"],\"mu\":0,\"e\":0.6},{\"materials\":[\"rubber\",\"wall\"],\"mu\":0,\"e\":0.9}"  \
        "]",                                                                                                                     \
        "bodies.wall.shapes.0.normal=[0.8,0.6]", "bodies.wall.shapes.0.offset=0.1",                                              \
        "joints=[{\"name\":\"outer\",\"type\":\"distance\",\"bodies\":[\"bob1\",\"bob2\"]},{\"name\":\"inner\",\"type\":"        \
        "\"distance\",\"bodies\":[\"bob2\",\"world\"],\"anchors\":[[0,0],[0,0.8]]}]"

/* PAGT06 section 10.1 with g = 9.8: two independent computations, as many digits as they agree in */
TEST(the_double_pendulum_of_the_paper_ends_where_it_should)
{
    known k = KNOWN(PAGT06);
    const double times[5] = { 0.545508051442, 0.707932699996, 1.284726645955, 2.097739454881, 2.131640284304 };
    const double end[4] = { 0.0219621176949, -0.9997588036053, 0.0237694867739, -1.9997571703125 };
    double q[4], v[4], t = 0, energy;
    for (int n = 0; n < 5; n++) {
        t = ss_exact_next_jump(k.x, t);
        CHECK_NEAR(t, times[n], 6e-13);
        check_jump(&k, t, n % 2, 0.1, 1e-13);
    }
    CHECK(ss_exact_next_jump(k.x, t) > 2.5);
    state_at(&k, 2.5, 1, q, v);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(q[i], end[i], 1e-13);
    }
    energy = 0.5 * product(4, v, v) + 9.8 * (q[1] + q[3]);
    CHECK_NEAR(energy, -29.39312305263, 1e-11);
    forget(&k);
}

static void check_smooth_parts(const known *k, double until)
{
    int checked = 0;
    for (double s = 0.02; s < until; s += 0.043) {
        double next = ss_exact_next_jump(k->x, s);
        if (next > s + 0.01 && ss_exact_next_jump(k->x, s - 0.01) == next) {
            check_equations(k, s, 2e-3, 0, 1e-9); /* rounding 1e-15 / h in v, times accelerations of 100 */
            checked++;
        }
    }
    CHECK(checked > 20);
    check_gaps(k, until, 1000, 1e-14);
}

TEST(it_moves_by_the_laws_of_its_model)
{
    known k = KNOWN(PAGT06);
    check_smooth_parts(&k, 2.5);
    forget(&k);
}

TEST(it_does_so_with_other_masses_lengths_and_walls)
{
    known k = KNOWN(OTHER);
    check_start(&k);
    int impacts[2] = { 0, 0 };
    check_smooth_parts(&k, 2.5);
    for (double t = ss_exact_next_jump(k.x, 0); t < 2.5; t = ss_exact_next_jump(k.x, t)) {
        double q[4], v[4];
        state_at(&k, t, -1, q, v);
        rows r = rows_at(&k, t, q);
        int bob = fabs(r.g[2]) < fabs(r.g[3]) ? 0 : 1;
        check_jump(&k, t, bob, bob == 0 ? 0.9 : 0.6, 1e-12);
        impacts[bob]++;
    }
    CHECK(impacts[0] > 0 && impacts[1] > 0);
    forget(&k);
}

/* e = 1 at both: the energy of the start for ever, through impacts */
TEST(elastic_impacts_keep_the_energy)
{
    known k = KNOWN(PAGT06, "pairs.0.e=1");
    double q[4], v[4], first = NAN;
    int impacts = 0;
    for (double t = ss_exact_next_jump(k.x, 0); t <= 2.5; t = ss_exact_next_jump(k.x, t)) {
        impacts++;
    }
    for (double t = 0; t <= 2.5; t += 0.1) {
        state_at(&k, t, 1, q, v);
        double energy = 0.5 * product(4, v, v) + 9.8 * (q[1] + q[3]);
        first = t == 0 ? energy : first;
        CHECK_NEAR(energy, first, 1e-12);
    }
    CHECK(impacts >= 3);
    forget(&k);
}

TEST(the_solution_follows_the_scene)
{
    known k = KNOWN(PAGT06), g = KNOWN(PAGT06, "gravity=[0,-39.2]"), m = KNOWN(PAGT06, "bodies.bob2.mass=2");
    double t = ss_exact_next_jump(k.x, 0);
    CHECK_NEAR(ss_exact_next_jump(g.x, 0), 0.5 * t, 1e-13); /* four times gravity: twice as fast */
    CHECK(fabs(ss_exact_next_jump(m.x, 0) - t) > 1e-3);
    forget(&k);
    forget(&g);
    forget(&m);
}

/* Bob 1 falls on a floor below the pivot and is pressed on it. */
TEST(where_impacts_accumulate_the_solution_ends_and_says_so)
{
    known k = KNOWN(PAGT06, "bodies.wall.shapes.0.normal=[0,1]", "bodies.wall.shapes.0.offset=-0.9",
                    "bodies.bob2.position=[\"sin(pi/3)+1\",\"-cos(pi/3)\"]", "time.until=20");
    double q[4], v[4], t = ss_exact_next_kink(k.x, 0);
    CHECK(t > 0.1 && t < 20 && ss_exact_next_jump(k.x, 0) < t);
    CHECK_OK(k.ctx, ss_exact_at(k.x, t, -1, q, v));
    CHECK_FAILS(k.ctx, ss_exact_at(k.x, t + 0.1, 1, q, v), SS_ERR_INPUT, "accumulated");
    CHECK_OK(k.ctx, ss_exact_at(k.x, 0.5 * t, 1, q, v));
    forget(&k);
}

/* No gravity, rods at 150 and 210 degrees, both turning at the rate 2 but for 1e-12: bob 2 touches with 5e-13 m/s. Its
 * acceleration is sqrt(3) w^2 away from the wall by the turning and 4/7 of that back by the rods. */
TEST(a_slow_touch_that_leads_away_is_no_rest)
{
    known k = KNOWN(PAGT06, "gravity=[0,0]", "bodies.bob1.position=[\"-cos(pi/6)\",0.5]",
                    "bodies.bob2.position=[\"-2*cos(pi/6)\",0]", "bodies.bob1.velocity=[-1,\"-2*cos(pi/6)\"]",
                    "bodies.bob2.velocity=[-5e-13,\"-4*cos(pi/6)+8.66e-13\"]", "bodies.wall.shapes.0.offset=\"-2*cos(pi/6)\"");
    double q[4], v[4], h = 1e-4, s = sqrt(3);
    state_at(&k, 0, 1, q, v);
    CHECK_NEAR(v[2], 5e-14, 3e-15); /* e = 0.1, rounding of speeds of 4 */
    state_at(&k, h, 1, q, v);
    CHECK_NEAR(v[2] / h, 4 * 3 * s / 7, 1e-2); /* h times its rate, about 10 */
    CHECK_NEAR(2 * (q[2] + s) / (h * h), 4 * 3 * s / 7, 1e-2);
    forget(&k);
}

TEST(scenes_that_are_something_else_are_refused)
{
    REFUSED("expected 0", PAGT06, "pairs.0.mu=0.1");
    REFUSED("two particles, two distance joints", PAGT06, "joints=[]");
    REFUSED("two particles, two distance joints", PAGT06,
            "forces=[{\"name\":\"f\",\"type\":\"constant\",\"body\":\"bob1\",\"force\":[1,0]}]");
    REFUSED("from the world to one particle", PAGT06, "joints.rod2.bodies=[\"world\",\"bob2\"]",
            "joints.rod2.length=\"sqrt((sin(pi/3)+sin(pi/5))^2+(cos(pi/3)+cos(pi/5))^2)\"");
    REFUSED("two particles", "papers/bac14/pendulum.json", "exact.name=double_pendulum");
    REFUSED("starts inside the half space", PAGT06, "bodies.wall.shapes.0.offset=0.9");
    REFUSED("one shape", PAGT06, "bodies.bob2.shapes=[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_double_pendulum_of_the_paper_ends_where_it_should),
        cmocka_unit_test(it_moves_by_the_laws_of_its_model),
        cmocka_unit_test(it_does_so_with_other_masses_lengths_and_walls),
        cmocka_unit_test(elastic_impacts_keep_the_energy),
        cmocka_unit_test(the_solution_follows_the_scene),
        cmocka_unit_test(where_impacts_accumulate_the_solution_ends_and_says_so),
        cmocka_unit_test(a_slow_touch_that_leads_away_is_no_rest),
        cmocka_unit_test(scenes_that_are_something_else_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
