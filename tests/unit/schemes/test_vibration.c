/* test_vibration.c - flexible bodies over long times and far from straight: 10^5 steps of a free vibration against the difference
 * equation of each scheme, a beam in space that vibrates and whirls, rest under gravity and on a motor, a curved beam bent out of
 * its plane, and a beam in space that falls on the floor with every scheme. */
#include "text_run.h"

/* ---- 10^5 steps ------------------------------------------------------------------------------------------ */

/* one element, k = 50 and m = 2 at the free node: w^2 = 25 */
static const char rod[] =
    "{ 'slipstick': 1, 'dimension': 2, 'time': { 'until': 200, 'step': 2e-3 },"
    "  'elements': [ { 'name': 'rod', 'type': 'bar', 'size': [1, 0.5], 'divisions': 1, 'E': 100, 'density': 8,"
    "                  'velocity': [0.3, 0], 'first': 'world', 'contact': 'none' } ] }";

typedef struct oscillator {
    double u, v, a, rate; /* stretch, speed; generalized-alpha: its acceleration, and that of the motion */
} oscillator;

static const double W = 25;

static oscillator midpoint_step(oscillator x, double h)
{
    const double v = (x.v * (1 - 0.25 * h * h * W) - h * W * x.u) / (1 + 0.25 * h * h * W);
    return (oscillator){ .u = x.u + 0.5 * h * (x.v + v), .v = v };
}

static oscillator euler_step(oscillator x, double h)
{
    const double v = (x.v - h * W * x.u) / (1 + h * h * W);
    return (oscillator){ .u = x.u + h * v, .v = v };
}

static oscillator alpha_step(oscillator x, double h)
{
    const double rho = 0.8, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am,
                 beta = 0.25 * (gamma + 0.5) * (gamma + 0.5), P = x.u + h * x.v + h * h * (0.5 - beta) * x.a;
    const double a = (-(1 - af) * W * P + af * x.rate - am * x.a) / ((1 - am) + (1 - af) * W * h * h * beta);
    const double u = P + h * h * beta * a;
    return (oscillator){ .u = u, .v = x.v + h * ((1 - gamma) * x.a + gamma * a), .a = a, .rate = -W * u };
}

TEST(a_hundred_thousand_steps_lose_what_the_scheme_itself_loses_and_nothing_else)
{
    static const struct {
        const char *scheme;
        oscillator (*step)(oscillator x, double h);
    } cases[] = { { "scheme.name=moreau", midpoint_step },
                  { "scheme.name=trapezoidal", midpoint_step },
                  { "scheme.name=anitescu_convex", euler_step },
                  { "scheme.name=galpha_ggl", alpha_step } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run r = begin(rod, 1, &cases[k].scheme);
        oscillator x = { .v = 0.3 };
        advance(&r, 200);
        for (int i = 0; i < 100000; i++) {
            x = cases[k].step(x, 2e-3);
        }
        CHECK(summary(&r)->steps == 100000 && summary(&r)->unconverged_steps == 0);
        CHECK_NEAR(summary(&r)->energy_final / (x.v * x.v + W * x.u * x.u), 1, 1e-9); /* m/2 = 1; round-off of so many steps */
        leave(&r);
    }
}

static const char whirl[] =
    "{ 'slipstick': 1, 'dimension': 3, 'time': { 'until': 20, 'step': 1e-3 }, 'scheme': { 'name': 'moreau' },"
    "  'elements': [ { 'name': 'beam', 'type': 'beam', 'size': [1, 0.1, 0.15], 'divisions': 1, 'E': 1e5, 'nu': 0.3, 'density': 8,"
    "                  'velocity': [0, 0.3, 0.2], 'angular_velocity': [2, 0, 0], 'first': 'world', 'contact': 'none' } ] }";

TEST(a_beam_in_space_that_bends_both_ways_and_twists_keeps_its_energy)
{
    run r = begin(whirl, 0, NULL);
    advance(&r, 20);
    CHECK(summary(&r)->unconverged_steps == 0);
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-4); /* it swings by h^2, without a drift */
    leave(&r);
}

/* ---- rest ------------------------------------------------------------------------------------------------ */

static const char hanging[] = "{ 'slipstick': 1, 'dimension': 2, 'gravity': [0, -10], 'time': { 'until': 40, 'step': 0.05 }, "
                              "'scheme': { 'name': 'galpha_ggl' },"
                              "  'elements': [ { 'name': 'bar', 'type': 'bar', 'size': [2, 0.1], 'divisions': 4, 'E': 5000, "
                              "'density': 10, 'angle': '-pi/2',"
                              "                  'first': 'world', 'contact': 'none', 'mass_damping': 2 } ] }";

/* nodes of a hanging bar: rho g (l s - s^2/2)/E below where they were, s from the held end; exact at nodes for any mesh */
TEST(a_hanging_bar_comes_to_rest_stretched_by_its_weight_with_the_generalized_alpha_method)
{
    run r = begin(hanging, 0, NULL);
    double stress[4];
    advance(&r, 40);
    for (int i = 1; i <= 4; i++) {
        const double s = 0.5 * i, down = 10 * 10 * (2 * s - 0.5 * s * s) / 5000;
        CHECK_NEAR(ss_sim_q(r.sim)[2 * i - 1], -(s + down), 1e-9);
        CHECK_NEAR(ss_sim_v(r.sim)[2 * i - 1], 0, 1e-9);
    }
    ss_model_stresses(r.model, 40, ss_sim_q(r.sim), stress);
    for (int i = 0; i < 4; i++) { /* the weight of what hangs below the middle of the element */
        CHECK_NEAR(stress[i], 10 * 0.1 * 10 * (2 - 0.5 * (i + 0.5)), 1e-7);
    }
    leave(&r);
}

static const char propeller[] =
    "{ 'slipstick': 1, 'dimension': 3, 'time': { 'until': 3, 'step': 0.002 }, 'scheme': { 'name': 'galpha_ggl' },"
    "  'elements': [ { 'name': 'beam', 'type': 'beam', 'size': [1, 0.1, 0.1], 'divisions': 3, 'E': 3e5, 'density': 100,"
    "                  'contact': 'none', 'stiffness_damping': 0.2, 'velocity': [0, 1, 0], 'angular_velocity': [0, 0, 2] } ],"
    "  'joints': [ { 'type': 'revolute', 'bodies': ['world', 'beam.0'], 'axis': [0, 0, 1], 'at': [0, 0, 0],"
    "                'motor': { 'speed': 2 } } ] }";

/* every element holds the nodes beyond it on their circles: its force is w^2 times the sum of their masses times radii */
TEST(a_motor_at_a_node_turns_a_beam_that_is_stretched_by_its_own_mass)
{
    run r = begin(propeller, 0, NULL);
    double stress[18], pull = 0;
    advance(&r, 3);
    ss_model_stresses(r.model, 3, ss_sim_q(r.sim), stress);
    for (int i = 3; i > 0; i--) {
        const double radius = ss_norm(ss_v3_from(ss_sim_q(r.sim) + 7 * i)), mass = (i == 3 ? 0.5 : 1) * 100 * 0.01 / 3;
        pull += 4 * mass * radius;
        CHECK(radius > 1.0001 * i / 3);
        CHECK_NEAR(stress[6 * (i - 1)] / pull, 1, 1e-4); /* (w h)^2 and what is left of the vibration */
        CHECK_NEAR(stress[6 * (i - 1) + 5], 0, 1e-3 * pull);
    }
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* ---- a curved beam ----------------------------------------------------------------------------------------- */

enum { PIECES = 8 };

/* an arc of 45 degrees and radius 100 m, in PIECES straight beams of one element, loaded across its plane at its end */
static void write_arc(char *text, size_t size)
{
    const double pi = acos(-1), R = 100;
    size_t at = (size_t)snprintf(text, size,
                                 "{ 'slipstick': 1, 'dimension': 3, 'time': { 'until': 60, 'step': 0.5 }, 'scheme': { 'name': "
                                 "'moreau', 'theta': 1 }, 'elements': [");
    for (int i = 0; i < PIECES; i++) {
        const double turn = pi / 4 / PIECES, a = i * turn, middle = pi / 2 - a - 0.5 * turn;
        at += (size_t)snprintf(text + at, size - at,
                               "%s{'name':'b%d','type':'beam','size':[%.17g,1,1],'divisions':1,'E':1e7,'density':1,'position':[%."
                               "17g,%.17g,0],'orientation':[%.17g,0,0,%.17g],'contact':'none','mass_damping':2%s}",
                               i ? "," : "", i, 2 * R * sin(0.5 * turn), R * (1 - cos(a)), R * sin(a), cos(0.5 * middle),
                               sin(0.5 * middle), i ? "" : ",'first':'world'");
    }
    at += (size_t)snprintf(text + at, size - at, "],'joints':[");
    for (int i = 1; i < PIECES; i++) {
        const double a = i * pi / 4 / PIECES;
        at += (size_t)snprintf(text + at, size - at, "%s{'type':'fixed','bodies':['b%d.1','b%d.0'],'at':[%.17g,%.17g,0]}",
                               i > 1 ? "," : "", i - 1, i, R * (1 - cos(a)), R * sin(a));
    }
    snprintf(text + at, size - at, "],'forces':[{'type':'expression','body':'b%d.1','force':['0','0','600*min(t/10,1)']}]}",
             PIECES - 1);
}

/* K. J. Bathe, S. Bolourchi, International Journal for Numerical Methods in Engineering 14 (1979) 961-986: the end of the arc
 * is at (15.9, 47.2, 53.4) under 600 N; others have 15.5 to 15.9, 46.8 to 47.3, 53.3 to 53.7, with 8 elements */
TEST(an_arc_of_beams_is_bent_and_twisted_out_of_its_plane_as_bathe_computed)
{
    char text[8000];
    write_arc(text, sizeof text);
    run r = begin(text, 0, NULL);
    advance(&r, 60);
    const double *end = ss_sim_q(r.sim) + ss_model_body_q(r.model, 2 * PIECES - 2);
    CHECK(ss_norm(ss_sub(ss_v3_from(end), ss_v3(15.9, 47.2, 53.4))) < 0.6); /* of a way of 60 m */
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* ---- every scheme -------------------------------------------------------------------------------------------- */

static const char swing[] =
    "{ 'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'time': { 'until': 0.3, 'step': 0.002 },"
    "  'materials': [ { 'name': 'm', 'mu': 0.3, 'e': 0 } ],"
    "  'elements': [ { 'name': 'beam', 'type': 'beam', 'size': [1, 0.04, 0.06], 'divisions': 3, 'E': 1e6, 'nu': 0.3,"
    "                  'density': 1000, 'position': [0, 0, 0.3], 'angular_velocity': [5, 0, 0], 'material': 'm' } ],"
    "  'joints': [ { 'type': 'spherical', 'bodies': ['world', 'beam.0'], 'at': [0, 0, 0.3] } ],"
    "  'bodies': [ { 'name': 'floor', 'type': 'fixed', 'shapes': [ { 'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm' "
    "} ] } ] }";

TEST(a_beam_in_space_falls_on_the_floor_with_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        char name[64];
        snprintf(name, sizeof name, "scheme.name=%s", scheme->name);
        run r = begin(swing, 1, (const char *const[]){ name });
        advance(&r, 0.3);
        const double *tip = ss_sim_q(r.sim) + 21;
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK(scheme->order.overlap > 0 || summary(&r)->max_penetration < 1e-9);
        CHECK(summary(&r)->max_joint_error < 1e-6);
        CHECK_NEAR(tip[2], 0, 0.02);
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_steps_lose_what_the_scheme_itself_loses_and_nothing_else),
        cmocka_unit_test(a_beam_in_space_that_bends_both_ways_and_twists_keeps_its_energy),
        cmocka_unit_test(a_hanging_bar_comes_to_rest_stretched_by_its_weight_with_the_generalized_alpha_method),
        cmocka_unit_test(a_motor_at_a_node_turns_a_beam_that_is_stretched_by_its_own_mass),
        cmocka_unit_test(an_arc_of_beams_is_bent_and_twisted_out_of_its_plane_as_bathe_computed),
        cmocka_unit_test(a_beam_in_space_falls_on_the_floor_with_every_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
