/* test_flexible.c - flexible bodies in motion, with every scheme: the bar that strikes a wall against its exact solution, damped
 * and free vibration against closed forms, a beam that swings on a hinge and falls on the floor, a beam rolled up by a moment. */
#include "text_run.h"

/* ---- the bar of BAC14 --------------------------------------------------------------------------------- */

static const char bar[] =
    "{ 'slipstick': 1, 'dimension': 2, 'time': { 'until': 1.3, 'step': 0.02 }, 'scheme': { 'name': 'galpha_ggl' },"
    "  'materials': [ { 'name': 'm', 'e': 0 } ],"
    "  'elements': [ { 'name': 'bar', 'type': 'bar', 'size': [10, 1], 'divisions': 20, 'E': 900, 'density': 1,"
    "                  'position': [5.005, 0], 'velocity': [-10, 0], 'contact': 'ends', 'material': 'm' } ],"
    "  'bodies': [ { 'name': 'wall', 'type': 'fixed', 'shapes': [ { 'type': 'half_space', 'normal': [1, 0], 'material': 'm' } ] "
    "} ] }";

/* Where the point is that is X from the end at the wall. The front of the impact stops it after X/c, the one that comes back from
 * the free end sends it away after (2 l - X)/c. */
static double exact_place(double X, double t)
{
    const double c = 30, l = 10, v = 10, struck = t - 0.5005;
    if (struck < X / c) {
        return X - v * struck;
    }
    return X * (1 - v / c) + v * fmax(0, struck - (2 * l - X) / c);
}

/* mean error of all nodes at t; n elements */
static double bar_error(const char *scheme, int n, double t)
{
    char name[64], divisions[64], length[64];
    snprintf(name, sizeof name, "scheme.name=%s", scheme);
    snprintf(divisions, sizeof divisions, "elements.bar.divisions=%d", n);
    snprintf(length, sizeof length, "time.step=%.17g", 0.4 / n);
    run r = begin(bar, 3, (const char *const[]){ name, divisions, length });
    double sum = 0;
    advance(&r, t);
    const double *q = ss_sim_q(r.sim);
    for (int i = 0; i <= n; i++) {
        sum += fabs(q[2 * i] - exact_place(10.0 * i / n, t));
    }
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
    return sum / (n + 1);
}

TEST(the_bar_converges_to_the_exact_solution_when_step_and_mesh_are_halved)
{
    const char *const schemes[] = { "galpha_ggl", "moreau", "trapezoidal" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        for (int time = 0; time < 2; time++) {
            const double t = time == 0 ? 1 : 1.3; /* while a front runs through it; after the rebound */
            const double coarse = bar_error(schemes[k], 20, t), fine = bar_error(schemes[k], 80, t);
            CHECK(fine < 0.08);                    /* of 10 m */
            CHECK(log2(coarse / fine) / 2 > 0.75); /* order 1 but for the oscillations behind the fronts */
        }
    }
}

TEST(the_bar_bounces_off_the_wall_with_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        char name[64];
        snprintf(name, sizeof name, "scheme.name=%s", scheme->name);
        run r = begin(bar, 2, (const char *const[]){ name, "elements.bar.divisions=8" });
        advance(&r, 1.3);
        const ss_summary *s = summary(&r);
        double momentum = 0, mass = 0;
        for (int i = 0; i <= 8; i++) {
            const double m = i % 8 == 0 ? 0.625 : 1.25;
            mass += m;
            momentum += m * ss_sim_v(r.sim)[2 * i];
            CHECK(fabs(ss_sim_q(r.sim)[2 * i + 1]) < 1e-12); /* it stays on its line */
        }
        CHECK(s->unconverged_steps == 0);
        CHECK(momentum / mass > 7 && momentum / mass < 10.5); /* 10, less what implicit Euler takes */
        CHECK(scheme->order.overlap > 0 || s->max_penetration < 1e-9);
        leave(&r);
    }
}

TEST(the_bar_moves_along_any_line_as_along_the_x_axis)
{
    const double c = cos(0.7), s = sin(0.7);
    run straight = begin(bar, 0, NULL);
    run turned =
        begin(bar, 4,
              (const char *const[]){ "elements.bar.angle=0.7", "elements.bar.position=[\"5.005*cos(0.7)\", \"5.005*sin(0.7)\"]",
                                     "elements.bar.velocity=[\"-10*cos(0.7)\", \"-10*sin(0.7)\"]",
                                     "bodies.wall.shapes[0].normal=[\"cos(0.7)\", \"sin(0.7)\"]" });
    advance(&straight, 1.3);
    advance(&turned, 1.3);
    for (int i = 0; i <= 20; i++) {
        const double *q = ss_sim_q(turned.sim) + 2 * i;
        CHECK_NEAR(c * q[0] + s * q[1], ss_sim_q(straight.sim)[2 * i], 1e-9);
        CHECK_NEAR(c * q[1] - s * q[0], 0, 1e-9); /* compressed, it does not buckle */
    }
    leave(&straight);
    leave(&turned);
}

TEST(an_inverted_element_ends_the_run_with_its_number_and_the_time)
{
    run r = begin(bar, 2, (const char *const[]){ "elements.bar.E=1", "scheme.name=moreau" });
    CHECK_FAILS(r.ctx, ss_sim_advance(r.sim, 1.3), SS_ERR_NUMERIC, "elements.bar: element 0 is inverted at t = 0.5");
    CHECK(ss_sim_time(r.sim) > 0.5 && ss_sim_time(r.sim) < 0.6); /* the last good state */
    leave(&r);
}

/* ---- vibration ------------------------------------------------------------------------------------------- */

static const char rod[] =
    "{ 'slipstick': 1, 'dimension': 2, 'time': { 'until': 1, 'step': 1e-3 }, 'scheme': { 'name': 'galpha_ggl' },"
    "  'elements': [ { 'name': 'rod', 'type': 'bar', 'size': [1, 0.5], 'divisions': 1, 'E': 100, 'density': 8, 'angle': 0.6,"
    "                  'velocity': ['0.3*cos(0.6)', '0.3*sin(0.6)'],"
    "                  'first': 'world', 'contact': 'none', 'mass_damping': 0.8, 'stiffness_damping': 0.02 } ] }";

/* one element: m = 2 at the free node, k = 50, so w = 5 and the damping a m + b k = 2.6: x = e^(-d t) v sin(w' t)/w' */
TEST(rayleigh_damping_has_the_decay_of_a_damped_oscillator)
{
    run r = begin(rod, 0, NULL);
    CHECK(r.model->nv == 2);
    advance(&r, 1);
    const double d = 2.6 / (2 * 2), w = sqrt(25 - d * d), x = 0.3 * exp(-d) * sin(w) / w;
    CHECK_NEAR(hypot(ss_sim_q(r.sim)[0], ss_sim_q(r.sim)[1]), 1 + x, 1e-6); /* h^2 w^3 */
    leave(&r);
}

TEST(a_free_vibration_keeps_its_energy_with_the_midpoint_rule)
{
    run r = begin(bar, 4,
                  (const char *const[]){ "scheme.name=moreau", "elements.bar.divisions=4", "elements.bar.position=[20, 0]",
                                         "elements.bar.first=world" });
    advance(&r, 200);                                                              /* 10^4 steps */
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-11); /* round-off of so many steps */
    leave(&r);
}

static const char spinning[] =
    "{ 'slipstick': 1, 'dimension': 2, 'time': { 'until': 1, 'step': 0.01 }, 'scheme': { 'name': 'trapezoidal' },"
    "  'elements': [ { 'name': 's', 'type': 'triangle', 'size': [1, 0.5], 'divisions': [2, 1], 'E': 1e6, 'nu': 0.3, 'density': "
    "100,"
    "                  'angular_velocity': 10, 'stiffness_damping': 0.1 } ] }";

/* Forces are linearised once a step, and nodes that turn by a = 0.1 rad in a step go straight on: the block is drawn out by
 * a^2/2, which is 24 J of 469 J. They are gone again with a fourth of the step: the gain goes with h^4. */
TEST(a_step_in_which_a_stiff_block_turns_too_far_is_not_certified)
{
    run coarse = begin(spinning, 0, NULL), fine = begin(spinning, 1, (const char *const[]){ "time.step=0.0025" });
    advance(&coarse, 0.01);
    advance(&fine, 0.1);
    CHECK(summary(&coarse)->energy_final > 1.04 * summary(&coarse)->energy_initial);
    CHECK(summary(&coarse)->unconverged_steps == 1);
    CHECK(summary(&fine)->unconverged_steps == 0);
    leave(&coarse);
    leave(&fine);
}

static const char free_beam[] =
    "{ 'slipstick': 1, 'dimension': 3, 'time': { 'until': 100, 'step': 1e-3 }, 'scheme': { 'name': 'moreau', 'theta': 0.5 },"
    "  'elements': [ { 'name': 'x', 'type': 'beam', 'size': [1, 0.1, 0.08], 'divisions': 4, 'E': 1e6, 'nu': 0.3, 'density': 1000,"
    "                  'velocity': [0, 0.5, 0.3], 'first': 'world', 'contact': 'none' } ] }";

/* large rotations are no linear vibration: the energy swings by (h w)^2 of itself and does not drift; docs/flexible.md has 1e5
 * steps */
TEST(a_vibration_of_a_beam_in_space_neither_gains_nor_loses_energy)
{
    run r = begin(free_beam, 0, NULL);
    advance(&r, 5); /* 5000 steps, 7 vibrations */
    CHECK_NEAR(summary(&r)->energy_max / summary(&r)->energy_initial, 1, 1e-5);
    CHECK_NEAR(summary(&r)->energy_final / summary(&r)->energy_initial, 1, 1e-5);
    CHECK(summary(&r)->unconverged_steps == 0);
    leave(&r);
}

/* ---- beams -------------------------------------------------------------------------------------------------- */

static const char swing[] =
    "{ 'slipstick': 1, 'dimension': 2, 'gravity': [0, -9.81], 'time': { 'until': 0.4, 'step': 0.002 },"
    "  'materials': [ { 'name': 'm', 'mu': 0.3, 'e': 0 } ],"
    "  'elements': [ { 'name': 'beam', 'type': 'beam', 'size': [1, 0.02], 'divisions': 4, 'E': 1e7, 'density': 1000,"
    "                  'position': [0, 0.3], 'material': 'm' } ],"
    "  'joints': [ { 'type': 'revolute', 'bodies': ['world', 'beam.0'], 'at': [0, 0.3] } ],"
    "  'bodies': [ { 'name': 'floor', 'type': 'fixed', 'shapes': [ { 'type': 'half_space', 'normal': [0, 1], 'material': 'm' } ] "
    "} ] }";

TEST(a_beam_on_a_hinge_falls_on_the_floor_with_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        char name[64];
        snprintf(name, sizeof name, "scheme.name=%s", scheme->name);
        run r = begin(swing, 1, (const char *const[]){ name });
        advance(&r, 0.4);
        const double *tip = ss_sim_q(r.sim) + 12;
        CHECK(summary(&r)->unconverged_steps == 0);
        CHECK(scheme->order.overlap > 0 || summary(&r)->max_penetration < 1e-9);
        CHECK(summary(&r)->max_joint_error < 1e-9);
        CHECK_NEAR(tip[0], 0.861, 0.005); /* all schemes with h/8 */
        CHECK_NEAR(tip[1], 0, 0.01);
        leave(&r);
    }
}

static const char strip[] =
    "{ 'slipstick': 1, 'dimension': 2, 'time': { 'until': 22, 'step': 0.05 }, 'scheme': { 'name': 'moreau', 'theta': 1 },"
    "  'elements': [ { 'name': 'strip', 'type': 'beam', 'size': [2, 0.1], 'divisions': 8, 'E': 3000, 'density': 4,"
    "                  'first': 'world', 'stiffness_damping': 0.1, 'mass_damping': 1 } ],"
    "  'forces': [ { 'type': 'expression', 'body': 'strip.8', 'force': [0, 0], 'torque': '0.25*pi*min(t/2, 1)' } ] }";

TEST(a_slow_moment_rolls_a_beam_up_until_its_end_is_back_at_its_start)
{
    run r = begin(strip, 0, NULL);
    advance(&r, 22);
    const double *end = ss_sim_q(r.sim) + 21;
    CHECK_NEAR(end[0], 0, 1e-5); /* what is left of the motion after 20 s */
    CHECK_NEAR(end[1], 0, 1e-5);
    CHECK_NEAR(end[2], 2 * acos(-1), 1e-5);
    CHECK(summary(&r)->unconverged_steps == 0); /* also where forces that balance are all there is */
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bar_converges_to_the_exact_solution_when_step_and_mesh_are_halved),
        cmocka_unit_test(the_bar_bounces_off_the_wall_with_every_scheme),
        cmocka_unit_test(the_bar_moves_along_any_line_as_along_the_x_axis),
        cmocka_unit_test(an_inverted_element_ends_the_run_with_its_number_and_the_time),
        cmocka_unit_test(rayleigh_damping_has_the_decay_of_a_damped_oscillator),
        cmocka_unit_test(a_free_vibration_keeps_its_energy_with_the_midpoint_rule),
        cmocka_unit_test(a_step_in_which_a_stiff_block_turns_too_far_is_not_certified),
        cmocka_unit_test(a_vibration_of_a_beam_in_space_neither_gains_nor_loses_energy),
        cmocka_unit_test(a_beam_on_a_hinge_falls_on_the_floor_with_every_scheme),
        cmocka_unit_test(a_slow_moment_rolls_a_beam_up_until_its_end_is_back_at_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
