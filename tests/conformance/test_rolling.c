/* test_rolling.c - rolling and spinning friction by every scheme of the registry that knows it, beside closed forms.
 *
 *   disk or ball that rolls   a = m_r m g R/(J + m R^2),   m_r the rolling friction; it stops and stays where it is
 *   on a slope alpha          rests for tan(alpha) <= m_r/R, else a = (sin(alpha) R - m_r cos(alpha)) m g R/(J + m R^2)
 *   that slips at first       v' = -mu g, w' = (mu R - m_r) m g/J until v = R w
 *   ball that spins           w' = -m_s m g/J, m_s the spinning friction
 *   pulled by a spring        (m + J/R^2) x'' = -k x - m_r m g/R, until it stops
 */
#include "scheme_run.h"

/* R = 0.2, m = 2, J = m R^2/2 (disk), 2/5 m R^2 (ball); g = 10 */
#define DISK                                                                                                                     \
    "{'slipstick': 1, 'dimension': 2, 'gravity': [0, -10], 'time': {'until': 1, 'step': 0.01}, 'scheme': {'name': 'moreau'},"    \
    " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02}],"                                                \
    " 'bodies': [{'name': 'disk', 'type': 'rigid', 'mass': 2, 'inertia': 0.04, 'position': [0, 0.2], 'velocity': [0.4, 0],"      \
    "   'angular_velocity': -2, 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"                                \
    "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], 'material': 'm'}]}]"
#define BALL                                                                                                                     \
    "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01}, 'scheme': {'name': 'moreau'}," \
    " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02, 'spinning_friction': 0.01}],"                     \
    " 'bodies': [{'name': 'ball', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032], 'position': [0, 0, 0.2],"        \
    "   'velocity': [0.32, 0.24, 0], 'angular_velocity': [-1.2, 1.6, 0],"                                                        \
    "   'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"                                                        \
    "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm'}]}]"

static const double R = 0.2, m = 2, J = 0.04, G = 10, M_R = 0.02;

/* velocities beside these, which the solver knows to 1e-10 and which add up over a hundred steps */
static const double EXACT = 1e-8;

/* The associated law lifts what rolls by a gap h (m_r |w_T| + m_s |w_N|), which changes with w: all closed forms are off by O(h).
 * With h = 0.01 a tenth of that is more than these scenes make of it. */
static const double LIFTED = 1e-3;

static bool rolls(int k) { return ss_scheme_types[k]->info.laws & SS_LAW_ROLLING; }

static bool lifts(int k) { return ss_scheme_types[k]->info.laws & SS_LAW_ASSOCIATED; }

static double near(int k) { return lifts(k) ? LIFTED : EXACT; }

static double slowing(double inertia) { return M_R * m * G * R / (inertia + m * R * R); }

/* ---- closed forms ------------------------------------------------------------------------------ */

/* it slows down, stops and stays */
TEST(a_disk_is_stopped_by_rolling_friction_and_stays)
{
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(DISK "}", NULL, k, NULL, 0, NULL);
            const double a = slowing(J), *v = ss_sim_v(r.sim), *q = ss_sim_q(r.sim);
            make_steps(&r, 30);
            CHECK_NEAR(v[0], 0.4 - 0.3 * a, near(k));
            CHECK_NEAR(v[2], -v[0] / R, near(k));
            make_steps(&r, 40); /* it stops at 0.6 s */
            const double x = q[0], angle = q[2];
            CHECK_NEAR(x, 0.4 * 0.4 / (2 * a), 0.01 * 0.4);
            CHECK_NEAR(v[0], 0, 1e-10);
            make_steps(&r, 100);
            CHECK_NEAR(v[0], 0, 1e-10);
            CHECK_NEAR(q[0], x, 1e-10);
            CHECK_NEAR(q[2], angle, 1e-9);
            leave(&r);
        }
    }
}

/* both moments at once: rolling keeps its direction, and spinning does not feel it */
TEST(a_ball_that_rolls_and_spins_loses_each_at_its_own_rate)
{
    static const char *const spin[] = { "bodies.ball.angular_velocity=[-1.2,1.6,2]" };
    const double inertia = 0.032, w = 0.01 * m * G / inertia;
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(BALL "}", NULL, k, NULL, 1, spin);
            const double *v = ss_sim_v(r.sim), a = slowing(inertia);
            make_steps(&r, 20);
            CHECK_NEAR(hypot(v[0], v[1]), 0.4 - 0.2 * a, fmax(1e-5, near(k)));
            CHECK_NEAR(0.6 * v[0] - 0.8 * v[1], 0, 0.01 * 0.4); /* O(h): the rows turn with the body within a step */
            const ss_mat3 turned = ss_quat_matrix(ss_quat_from(ss_sim_q(r.sim) + 3));
            CHECK_NEAR(ss_rotate(turned, ss_v3_from(v + 3)).z, 2 - 0.2 * w, fmax(1e-4, near(k)));
            make_steps(&r, 60);
            CHECK_NEAR(ss_norm(ss_v3_from(v + 3)), 0, 1e-9);
            CHECK_NEAR(fabs(v[0]) + fabs(v[1]), 0, 1e-9);
            leave(&r);
        }
    }
}

static void check_slope(int k, double tangent)
{
    char gravity[96];
    const char *set[] = { gravity, "bodies.disk.velocity=[0,0]", "bodies.disk.angular_velocity=0" };
    const double alpha = atan(tangent), a = (sin(alpha) * R - M_R * cos(alpha)) * m * G * R / (J + m * R * R);
    snprintf(gravity, sizeof gravity, "gravity=[%.17g,%.17g]", G * sin(alpha), -G * cos(alpha));
    run r = start(DISK "}", NULL, k, NULL, 3, set);
    make_steps(&r, 50);
    CHECK_NEAR(ss_sim_v(r.sim)[0], a > 0 ? 0.5 * a : 0, a > 0 ? near(k) : 1e-10);
    CHECK_NEAR(ss_sim_q(r.sim)[0], a > 0 ? 0.125 * a : 0, a > 0 ? 0.01 * a : 1e-10);
    CHECK_NEAR(ss_sim_q(r.sim)[2], a > 0 ? -0.125 * a / R : 0, a > 0 ? 0.01 * a / R : 1e-9);
    leave(&r);
}

TEST(a_disk_rests_on_a_slope_below_the_limit_and_rolls_above_it)
{
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            check_slope(k, 0.95 * M_R / R);
            check_slope(k, 1.05 * M_R / R);
            check_slope(k, 3 * M_R / R);
        }
    }
}

TEST(a_disk_that_slips_at_first_rolls_later)
{
    static const char *const set[] = { "bodies.disk.velocity=[1,0]", "bodies.disk.angular_velocity=0", "materials.m.mu=0.3",
                                       "time.step=0.001" };
    const double slip = -0.3 * G, spin = (0.3 * R - M_R) * m * G / J, end = 1 / (-slip + R * spin);
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(DISK "}", NULL, k, NULL, 4, set);
            const double *v = ss_sim_v(r.sim);
            make_steps(&r, 100);
            CHECK_NEAR(v[0], 1 + 0.1 * slip, near(k));
            CHECK_NEAR(v[2], -0.1 * spin, 10 * near(k));
            make_steps(&r, 200);
            CHECK_NEAR(v[0], 1 + slip * end - slowing(J) * (0.3 - end), 0.001 * G); /* off by the step in which slip ends */
            CHECK_NEAR(v[2], -v[0] / R, 10 * near(k));
            leave(&r);
        }
    }
}

/* wheels on hinges: (M + 2 m + 2 J/R^2) a = m_r (M + 2 m) g/R, however the weight is shared */
TEST(a_cart_is_slowed_by_the_rolling_friction_of_its_wheels)
{
#define WHEEL(name, x)                                                                                                           \
    "{'name': '" name "', 'type': 'rigid', 'mass': 2, 'inertia': 0.04, 'position': [" x ", 0.2], 'velocity': [1, 0],"            \
    " 'angular_velocity': -5, 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"
    static const char cart[] =
        "{'slipstick': 1, 'dimension': 2, 'gravity': [0, -10], 'time': {'until': 1, 'step': 0.01},"
        " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02}],"
        " 'bodies': [{'name': 'frame', 'type': 'rigid', 'mass': 4, 'inertia': 0.5, 'position': [0.1, 0.2], 'velocity': [1, "
        "0]}," WHEEL("rear", "-0.5") WHEEL(
            "front",
            "0.5") "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], 'material': 'm'}]}],"
                   " 'joints': [{'name': 'a', 'type': 'revolute', 'bodies': ['frame', 'rear'], 'anchors': [[-0.6, 0], [0, 0]]},"
                   "  {'name': 'b', 'type': 'revolute', 'bodies': ['frame', 'front'], 'anchors': [[0.4, 0], [0, 0]]}]}";
#undef WHEEL
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(cart, NULL, k, NULL, 0, NULL);
            make_steps(&r, 50);
            CHECK_NEAR(ss_sim_v(r.sim)[0], 1 - 0.5 * M_R * 80 / R / 10, 10 * near(k));
            CHECK_NEAR(ss_sim_v(r.sim)[5], -ss_sim_v(r.sim)[0] / R, 100 * EXACT + 10 * near(k));
            make_steps(&r, 100);
            CHECK_NEAR(ss_sim_v(r.sim)[0], 0, near(k));
            leave(&r);
        }
    }
}

/* a driven floor that turns: the moment is that of the difference of the two spins */
TEST(a_turntable_takes_a_ball_with_it)
{
    static const char table[] =
        "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01},"
        " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'spinning_friction': 0.01}],"
        " 'bodies': [{'name': 'ball', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032], 'position': [0, 0, 0.2],"
        "   'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"
        "  {'name': 'table', 'type': 'driven', 'angle': '3*t', 'axis': [0, 0, 1],"
        "   'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm'}]}]}";
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(table, NULL, k, NULL, 0, NULL);
            make_steps(&r, 20);
            CHECK_NEAR(ss_sim_v(r.sim)[5], 0.2 * 0.01 * m * G / 0.032, near(k));
            make_steps(&r, 60);
            CHECK_NEAR(ss_sim_v(r.sim)[5], 3, near(k));
            CHECK(ss_sim_ledger(r.sim)->contact_friction < 0 && ss_sim_ledger(r.sim)->driven > 0);
            leave(&r);
        }
    }
}

/* the impulse of an impact bounds the moment, as that of a force does: J dw = m_s (m v + m g t) */
TEST(an_impact_takes_spin_in_proportion_to_its_impulse)
{
    static const char *const set[] = { "bodies.ball.velocity=[0,0,-1]", "bodies.ball.angular_velocity=[0,0,4]" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(BALL "}", NULL, k, NULL, 2, set);
            make_steps(&r, 10);
            CHECK_NEAR(ss_sim_v(r.sim)[2], 0, near(k));
            CHECK_NEAR(ss_sim_v(r.sim)[5], 4 - 0.01 * m * (1 + 0.1 * G) / 0.032, near(k));
            leave(&r);
        }
    }
}

/* error of a disk on a spring after 0.2 s, which is before it stops */
static double spring_error(int k, double h)
{
    char step[64];
    const char *set[] = { step };
    const double mass = m + J / (R * R), omega = sqrt(40 / mass), offset = -M_R * m * G / R / 40, t = 0.2;
    snprintf(step, sizeof step, "time.step=%.17g", h);
    run r = start(DISK ", 'forces': [{'name': 's', 'type': 'spring', 'bodies': ['world', 'disk'], 'anchors': [[-1, 0.2], [0, 0]],"
                       " 'stiffness': 40, 'length': 1}]}",
                  NULL, k, NULL, 1, set);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, t));
    const double exact = offset - offset * cos(omega * t) + 0.4 / omega * sin(omega * t);
    const double error = fabs(ss_sim_q(r.sim)[0] - exact);
    leave(&r);
    return error;
}

TEST(order_is_kept_while_a_disk_rolls)
{
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            const double order = log2(spring_error(k, 0.2 / 40) / spring_error(k, 0.2 / 80));
            CHECK(order > ss_scheme_types[k]->info.order.smooth - 0.25);
        }
    }
}

/* ---- what else it must be ----------------------------------------------------------------------- */

/* four corners hold a box that slides: it does not turn, and moments do no work */
TEST(a_box_on_its_corners_slides_as_without_rolling_friction)
{
    static const char box[] =
        "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01},"
        " 'materials': [{'name': 'm', 'mu': 0.2, 'e': 0, 'rolling_friction': 0.05, 'spinning_friction': 0.05}],"
        " 'bodies': [{'name': 'box', 'type': 'rigid', 'mass': 2, 'inertia': [0.1, 0.1, 0.1], 'position': [0, 0, 0.2],"
        "   'velocity': [1, 0, 0], 'shapes': [{'type': 'box', 'size': [1, 1, 0.4], 'material': 'm'}]},"
        "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm'}]}]}";
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(box, NULL, k, NULL, 0, NULL);
            make_steps(&r, 30);
            CHECK_NEAR(ss_sim_v(r.sim)[0], 1 - 0.3 * 2, 10 * near(k));
            for (int i = 1; i < 6; i++) {
                CHECK_NEAR(ss_sim_v(r.sim)[i], 0, 10 * near(k));
            }
            leave(&r);
        }
    }
}

/* what the ball loses while it rolls and spins is the work of friction, which is never positive */
TEST(the_work_of_moments_is_that_of_friction)
{
    static const char *const spin[] = { "bodies.ball.angular_velocity=[-1.2,1.6,2]" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(BALL "}", NULL, k, NULL, 1, spin);
            double before = 0;
            for (int step = 0; step < 40; step++) {
                make_steps(&r, 1);
                const double now = ss_sim_ledger(r.sim)->contact_friction;
                CHECK(now < before);
                before = now;
            }
            const ss_ledger *ledger = ss_sim_ledger(r.sim); /* schatzman_paoli: the ends of steps are no ends of its balances */
            const double rises = ledger->contact_normal + ledger->stabilisation + ledger->gravity; /* by the associated law */
            CHECK_NEAR(ledger->kinetic_change, before + (lifts(k) ? rises : 0) + ledger->scheme, 1e-9 * fabs(before));
            CHECK(ledger->applied == 0 && fabs(ledger->scheme) < 0.01 * fabs(before));
            leave(&r);
        }
    }
}

/* Two equal balls one above the other spin against each other about the line of their centres, on a floor without such friction:
 * the upper one alone feels the weight of one ball, and each gets the opposite moment, so that the sum of their spins stays. */
TEST(two_balls_turn_each_other_by_opposite_moments)
{
    static const char *const set[] = { "materials.m.rolling_friction=0" };
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start("{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01},"
                          " 'materials': [{'name': 'm', 'mu': 0.5, 'spinning_friction': 0.01}, {'name': 'ice'}],"
                          " 'pairs': [{'materials': ['m', 'ice'], 'mu': 0, 'spinning_friction': 0}],"
                          " 'bodies': [{'name': 'low', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032],"
                          "   'position': [0, 0, 0.2], 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"
                          "  {'name': 'high', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032],"
                          "   'position': [0, 0, 0.6], 'angular_velocity': [0, 0, 4],"
                          "   'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"
                          "  {'name': 'floor', 'type': 'fixed',"
                          "   'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'ice'}]}]}",
                          NULL, k, NULL, 1, set);
            const double *v = ss_sim_v(r.sim), turn = 0.01 * m * G / 0.032;
            make_steps(&r, 20);
            CHECK_NEAR(v[5], 0.2 * turn, near(k));
            CHECK_NEAR(v[11], 4 - 0.2 * turn, near(k));
            make_steps(&r, 30);
            CHECK_NEAR(v[5], 2, near(k));
            CHECK_NEAR(v[11], 2, near(k));
            leave(&r);
        }
    }
}

TEST(a_pair_has_the_geometric_mean_unless_it_has_its_own)
{
    static const char text[] =
        "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01},"
        " 'materials': [{'name': 'a', 'rolling_friction': 0.04}, {'name': 'b', 'rolling_friction': 0.01,"
        "   'spinning_friction': 0.3}, {'name': 'c'}], 'pairs': [{'materials': ['b', 'c'], 'rolling_friction': 0.5}],"
        " 'bodies': [{'name': 'point', 'type': 'particle', 'mass': 1, 'position': [0, 0, 0]}]}";
    static const double expected[4][4] = { { 0, 1, 0.02, 0.3 }, { 0, 2, 0.04, 0 }, { 1, 2, 0.5, 0.3 }, { 2, 2, 0, 0 } };
    run r = begin(text, 0, NULL);
    for (int k = 0; k < 4; k++) {
        double rolling, spinning;
        CHECK_OK(r.ctx, ss_sim_pair_moments(r.sim, (int)expected[k][0], (int)expected[k][1], &rolling, &spinning));
        CHECK_NEAR(rolling, expected[k][2], 1e-15);
        CHECK_NEAR(spinning, expected[k][3], 1e-15);
    }
    leave(&r);
}

/* mean forces of a step: moments are contacts of their own, and part of the wrench between two bodies */
TEST(moments_are_shown_with_their_contact)
{
    run r = start(DISK "}", NULL, find_scheme("moreau"), NULL, 0, NULL);
    ss_contact_info info;
    double force[3], torque[3];
    make_steps(&r, 1);
    CHECK(ss_sim_contact_count(r.sim) == 2);
    CHECK_OK(r.ctx, ss_sim_contact(r.sim, 1, &info));
    CHECK(strcmp(info.name, "disk.0-floor.0.rolling") == 0);
    CHECK_NEAR(info.force[0], M_R * m * G, 1e-7); /* against a turn in the negative sense */
    CHECK(info.normal[0] == 0 && info.normal[1] == 0);
    CHECK_OK(r.ctx, ss_sim_contact_wrench(r.sim, 0, 1, force, torque));
    CHECK_NEAR(force[1], m * G, 1e-7);
    CHECK_NEAR(torque[2], M_R * m * G + R * force[0], 1e-6);
    leave(&r);
}

/* on the floor the weight presses m_r ahead of the disk, and moments are no forces */
TEST(a_force_plate_reads_the_weight_ahead_of_what_rolls)
{
    for (int k = 0; k < tested_schemes(); k++) {
        if (rolls(k)) {
            run r = start(DISK ", 'outputs': [{'name': 'p', 'type': 'force_plate', 'body': 'floor'}]}", NULL, k, NULL, 0, NULL);
            double read[4];
            make_steps(&r, 20);
            CHECK_OK(r.ctx, ss_sim_outputs(r.sim, read));
            CHECK_NEAR(read[1], -m * G, lifts(k) ? 0.1 : 1e-5); /* N */
            CHECK_NEAR(read[2] - ss_sim_q(r.sim)[0], M_R, lifts(k) ? LIFTED : 1e-5);
            leave(&r);
        }
    }
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static void check_refused(const char *text, const char *set, const char *scheme, ss_status expected, const char *message)
{
    run r = { .ctx = test_context() };
    char name[64];
    const char *sets[2] = { name, set };
    snprintf(name, sizeof name, "scheme.name=%s", scheme);
    ss_status status = parse(&r, text, set ? 2 : 1, sets);
    status = status == SS_OK ? ss_model_compile(r.ctx, r.scene, &r.model) : status;
    status = status == SS_OK ? ss_sim_create(r.ctx, r.model, NULL, &r.sim) : status;
    status = status == SS_OK ? ss_sim_step(r.sim, 0.01) : status;
    CHECK_FAILS(r.ctx, status, expected, message);
    leave(&r);
}

TEST(schemes_that_do_not_know_moments_refuse_them)
{
    for (int k = 0; k < ss_registry_count(SS_SCHEMES); k++) {
        if (!rolls(k)) { /* of schemes without friction of any kind this is what is left */
            check_refused(DISK "}", "materials.m.mu=0", scheme_name(k), SS_ERR_UNSUPPORTED,
                          "does not treat rolling and spinning friction");
        }
    }
}

TEST(bad_values_and_solvers_without_the_law_are_refused)
{
    check_refused(DISK "}", "materials.m.rolling_friction=-0.1", "moreau", SS_ERR_INPUT, "rolling_friction");
    check_refused(DISK "}", "materials.m.rolling_friction=1/0", "moreau", SS_ERR_INPUT, "rolling_friction");
    check_refused(DISK "}", "materials.m.spinning_friction=0.1", "moreau", SS_ERR_INPUT, "spinning_friction");
    check_refused(BALL "}", "materials.m.spinning_friction=-1", "moreau", SS_ERR_INPUT, "spinning_friction");
    check_refused(DISK "}", "solver.name=lemke", "moreau", SS_ERR_UNSUPPORTED, "rolling");
}

/* its solid has no material of its own: there is no name to print */
TEST(moments_on_solids_are_refused)
{
    run r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_read(r.ctx, "tests/cli/full_3d.json", 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
    CHECK_FAILS(r.ctx, ss_sim_create(r.ctx, r.model, NULL, &r.sim), SS_ERR_UNSUPPORTED,
                "a solid of the material (none) can meet");
    leave(&r);
}

/* ---- at run time ----------------------------------------------------------------------------------- */

TEST(moments_of_a_pair_can_be_set_between_steps)
{
    static const char *const none[] = { "materials.m.rolling_friction=0" };
    run r = start(DISK "}", NULL, find_scheme("moreau"), NULL, 1, none);
    double rolling, spinning, mu, e;
    make_steps(&r, 10);
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0.4, EXACT);
    CHECK_OK(r.ctx, ss_sim_set_pair_moments(r.sim, 0, 0, M_R, NAN));
    make_steps(&r, 10);
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0.4 - 0.1 * slowing(J), EXACT);
    CHECK_OK(r.ctx, ss_sim_set_pair(r.sim, 0, 0, 0.4, NAN)); /* leaves them as they are */
    CHECK_OK(r.ctx, ss_sim_pair_moments(r.sim, 0, 0, &rolling, &spinning));
    CHECK_OK(r.ctx, ss_sim_pair(r.sim, 0, 0, &mu, &e));
    CHECK(rolling == M_R && spinning == 0 && mu == 0.4 && e == 0);
    CHECK_FAILS(r.ctx, ss_sim_set_pair_moments(r.sim, 0, 0, -1, NAN), SS_ERR_INPUT, "rolling friction >= 0");
    CHECK_FAILS(r.ctx, ss_sim_set_pair_moments(r.sim, 0, 0, NAN, INFINITY), SS_ERR_INPUT, "spinning friction >= 0");
    CHECK_FAILS(r.ctx, ss_sim_set_pair_moments(r.sim, 0, 7, 0, 0), SS_ERR_INPUT, "material");
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_is_stopped_by_rolling_friction_and_stays),
        cmocka_unit_test(a_ball_that_rolls_and_spins_loses_each_at_its_own_rate),
        cmocka_unit_test(a_disk_rests_on_a_slope_below_the_limit_and_rolls_above_it),
        cmocka_unit_test(a_disk_that_slips_at_first_rolls_later),
        cmocka_unit_test(a_cart_is_slowed_by_the_rolling_friction_of_its_wheels),
        cmocka_unit_test(a_turntable_takes_a_ball_with_it),
        cmocka_unit_test(an_impact_takes_spin_in_proportion_to_its_impulse),
        cmocka_unit_test(order_is_kept_while_a_disk_rolls),
        cmocka_unit_test(a_box_on_its_corners_slides_as_without_rolling_friction),
        cmocka_unit_test(the_work_of_moments_is_that_of_friction),
        cmocka_unit_test(two_balls_turn_each_other_by_opposite_moments),
        cmocka_unit_test(a_pair_has_the_geometric_mean_unless_it_has_its_own),
        cmocka_unit_test(moments_are_shown_with_their_contact),
        cmocka_unit_test(a_force_plate_reads_the_weight_ahead_of_what_rolls),
        cmocka_unit_test(schemes_that_do_not_know_moments_refuse_them),
        cmocka_unit_test(bad_values_and_solvers_without_the_law_are_refused),
        cmocka_unit_test(moments_on_solids_are_refused),
        cmocka_unit_test(moments_of_a_pair_can_be_set_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
