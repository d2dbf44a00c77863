/* test_rolling_events.c - rolling and spinning that begin and end within steps, by the schemes that locate events; what the
 * associated law makes of rolling.
 *
 *   disk or ball that rolls   a = m_r m g R/(J + m R^2): it stops after v/a on the way v^2/(2 a)
 *   ball that spins           w' = m_s m g/J: it stops after w/w' at the angle w^2/(2 w')
 *   pulled by c t             rests until c t = m_r m g/R at t0, then x = c (t - t0)^3/(6 (m + J/R^2))
 *   thrown up                 associated law: u_N = m_s w0/(1 + m_s^2 m/J) after the first step; a gap h m_s |w| once it spins on
 */
#include "scheme_run.h"

/* R = 0.2, m = 2, J = m R^2/2 (disk), 2/5 m R^2 (ball); g = 10 */
#define DISK(velocity, rate)                                                                                                     \
    "{'slipstick': 1, 'dimension': 2, 'gravity': [0, -10], 'time': {'until': 3, 'step': 0.07}, 'scheme': {'name': 'moreau'},"    \
    " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02}],"                                                \
    " 'bodies': [{'name': 'disk', 'type': 'rigid', 'mass': 2, 'inertia': 0.04, 'position': [0, 0.2], 'velocity': [" velocity     \
    ", 0], 'angular_velocity': " rate ", 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"                       \
    "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], 'material': 'm'}]}]"
#define BALL(velocity, rate)                                                                                                     \
    "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 3, 'step': 0.07}, 'scheme': {'name': 'moreau'}," \
    " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02, 'spinning_friction': 0.01}],"                     \
    " 'bodies': [{'name': 'ball', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032], 'position': [0, 0, 0.2],"        \
    "   'velocity': " velocity ", 'angular_velocity': " rate ","                                                                 \
    "   'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"                                                        \
    "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm'}]}]"
#define SPRING                                                                                                                   \
    ", 'forces': [{'name': 's', 'type': 'spring', 'bodies': ['world', 'disk'], 'anchors': [[-1, 0.2], [0, 0]], 'stiffness': 40," \
    " 'length': 1}]}"

static const double R = 0.2, m = 2, G = 10, M_R = 0.02, M_S = 0.01;

static double slowing(double inertia) { return M_R * m * G * R / (inertia + m * R * R); }

static const char *const located[] = { "trapezoidal", "event_capturing_rk" };

/* ---- events ---------------------------------------------------------------------------------------- */

enum { MOST = 8 };

typedef struct history {
    int n;
    double t[MOST];
    ss_event_kind kind[MOST];
    char name[MOST][64];
} history;

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    history *h = user;
    (void)sim;
    CHECK(h->n < MOST);
    h->t[h->n] = event->t;
    h->kind[h->n] = event->kind;
    snprintf(h->name[h->n++], sizeof h->name[0], "%s", event->contact);
    return SS_OK;
}

/* a run to the end of the scene with steps of length h */
static run run_to_end(const char *text, int scheme, double until, double h, history *events)
{
    char step[64];
    const char *set[] = { step };
    snprintf(step, sizeof step, "time.step=%.17g", h);
    run r = start(text, NULL, scheme, NULL, 1, set);
    *events = (history){ .n = 0 };
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = events, .on_event = on_event }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, until));
    CHECK(ss_sim_summary(r.sim)->unconverged_steps == 0);
    return r;
}

static void check_event(const history *h, int k, ss_event_kind kind, const char *name, double t, double off)
{
    CHECK(k < h->n && h->kind[k] == kind && strcmp(h->name[k], name) == 0);
    CHECK_NEAR(h->t[k], t, off);
}

TEST(a_disk_stops_where_the_closed_form_says_within_a_long_step)
{
    const double a = slowing(0.04);
    for (int k = 0; k < 2; k++) {
        history events;
        run r = run_to_end(DISK("0.4", "-2") "}", find_scheme(located[k]), 1.4, 0.07, &events);
        CHECK(events.n == 1);
        check_event(&events, 0, SS_EVENT_STICK, "disk.0-floor.0.rolling", 0.4 / a, 1e-9);
        CHECK_NEAR(ss_sim_q(r.sim)[0], 0.4 * 0.4 / (2 * a), 1e-9);
        CHECK_NEAR(ss_sim_q(r.sim)[2], -0.4 * 0.4 / (2 * a) / R, 1e-8);
        CHECK_NEAR(ss_sim_v(r.sim)[0], 0, 1e-9); /* by the solver's tolerance */
        leave(&r);
    }
}

/* without rolling the axes of its rows do not turn in the body: the trapezoidal rule has no error */
TEST(a_ball_that_spins_stops_at_the_right_angle)
{
    const double slows = M_S * m * G / 0.032, angle = 9 / (2 * slows);
    for (int k = 0; k < 2; k++) {
        history events;
        run r = run_to_end(BALL("[0, 0, 0]", "[0, 0, 3]") "}", find_scheme(located[k]), 1.4, 0.07, &events);
        CHECK(events.n == 1);
        check_event(&events, 0, SS_EVENT_STICK, "ball.0-floor.0.spinning", 3 / slows, 1e-9);
        CHECK_NEAR(2 * asin(ss_sim_q(r.sim)[6]), angle, 1e-9);
        leave(&r);
    }
}

/* error of where a ball that rolls and spins comes to rest */
static double ball_error(const char *scheme, double h)
{
    const double way = 0.4 * 0.4 / (2 * slowing(0.032)), end = 0.4 / slowing(0.032);
    history events;
    run r = run_to_end(BALL("[0.32, 0.24, 0]", "[-1.2, 1.6, 3]") "}", find_scheme(scheme), 1.5, h, &events);
    const double error = hypot(ss_sim_q(r.sim)[0] - 0.8 * way, ss_sim_q(r.sim)[1] - 0.6 * way);
    CHECK(events.n == 2);
    check_event(&events, 0, SS_EVENT_STICK, "ball.0-floor.0.spinning", 3 * 0.032 / (M_S * m * G), h * h);
    check_event(&events, 1, SS_EVENT_STICK, "ball.0-floor.0.rolling", end, h * h);
    leave(&r);
    return error;
}

TEST(a_ball_that_rolls_and_spins_stops_there_to_the_order_of_the_scheme)
{
    const double coarse = ball_error("trapezoidal", 0.0375), fine = ball_error("trapezoidal", 0.01875);
    CHECK(coarse < 1e-5 && log2(coarse / fine) > 1.75);
    const double five = ball_error("event_capturing_rk", 0.075);
    CHECK(five < 1e-8 && log2(five / ball_error("event_capturing_rk", 0.0375)) > 4.5);
}

/* error at 1.4 s of a disk that a growing force sets rolling; by how much the event is off */
static double pulled_error(const char *scheme, double h, double *begins)
{
    const double c = 2, t0 = M_R * m * G / R / c, mass = m + 0.04 / (R * R), t = 1.4 - t0;
    history events;
    run r = run_to_end(DISK("0", "0") ", 'forces': [{'name': 'f', 'type': 'expression', 'body': 'disk',"
                                      " 'force': ['2*t', '0']}]}",
                       find_scheme(scheme), 1.4, h, &events);
    CHECK(events.n == 1 && events.kind[0] == SS_EVENT_SLIP && strcmp(events.name[0], "disk.0-floor.0.rolling") == 0);
    *begins = fabs(events.t[0] - t0);
    const double error = fabs(ss_sim_q(r.sim)[0] - c * t * t * t / (6 * mass));
    leave(&r);
    return error;
}

TEST(rolling_begins_where_the_force_reaches_the_limit)
{
    double begins;
    CHECK_NEAR(pulled_error("event_capturing_rk", 0.07, &begins), 0, 1e-9);
    CHECK(begins < 1e-6); /* a contact lets go at 1e-8 of the free acceleration */
    const double coarse = pulled_error("trapezoidal", 0.07, &begins);
    CHECK(begins < 1e-6 && log2(coarse / pulled_error("trapezoidal", 0.035, &begins)) > 1.75);
}

/* It slips, rolls, turns back and stops: 40 x < m_r m g/R where that is. */
static double spring_end(const char *scheme, double h)
{
    history events;
    run r = run_to_end(DISK("1", "0") SPRING, find_scheme(scheme), 1.5, h, &events);
    const double x = ss_sim_q(r.sim)[0];
    CHECK(events.n == 2);
    check_event(&events, 0, SS_EVENT_STICK, "disk.0-floor.0", 0.0733, 0.001);
    check_event(&events, 1, SS_EVENT_STICK, "disk.0-floor.0.rolling", 1.19, 0.02);
    leave(&r);
    return x;
}

TEST(orders_are_kept_through_slip_rolling_back_and_rest)
{
    const double exact = spring_end("event_capturing_rk", 1.5 / 1600);
    const double two = log2((spring_end("trapezoidal", 0.03) - exact) / (spring_end("trapezoidal", 0.015) - exact)),
                 five =
                     log2((spring_end("event_capturing_rk", 0.03) - exact) / (spring_end("event_capturing_rk", 0.015) - exact));
    CHECK(two > 1.75 && two < 2.5 && five > 4.5 && five < 5.5);
}

/* ---- Newton's method ----------------------------------------------------------------------------------- */

/* A bob swings on a spring above a disk that rolls, so that the load of the disk changes in every step. 181 iterations; without
 * the change of the bound of its moment in the matrix 226. */
TEST(newtons_method_of_galpha_knows_what_bounds_a_moment)
{
    static const char text[] =
        "{'slipstick': 1, 'dimension': 2, 'gravity': [0, -10], 'time': {'until': 0.5, 'step': 0.01},"
        " 'materials': [{'name': 'm', 'mu': 0.5, 'e': 0, 'rolling_friction': 0.02}],"
        " 'bodies': [{'name': 'disk', 'type': 'rigid', 'mass': 2, 'inertia': 0.04, 'position': [0, 0.2], 'velocity': [1, 0],"
        "   'angular_velocity': -5, 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]},"
        "  {'name': 'bob', 'type': 'rigid', 'mass': 1, 'inertia': 0.01, 'position': [0.3, 0.9], 'velocity': [2, 0]},"
        "  {'name': 'floor', 'type': 'fixed', 'shapes': [{'type': 'half_space', 'normal': [0, 1], 'material': 'm'}]}],"
        " 'forces': [{'name': 's', 'type': 'spring', 'bodies': ['disk', 'bob'], 'anchors': [[0, 0], [0, 0]], 'stiffness': 400,"
        "   'length': 0.7}]}";
    run r = start(text, NULL, find_scheme("galpha_ggl"), NULL, 0, NULL);
    make_steps(&r, 50);
    CHECK(ss_sim_summary(r.sim)->newton <= 200);
    leave(&r);
}

/* Twelve balls, so many that the matrix is sparse, fall, roll and spin at different rates. 172 steps of Newton's method in 20
 * problems; without what moments and contacts do to each other in the matrix 1764. */
TEST(newtons_method_takes_few_steps_where_moments_slip)
{
    enum { BALLS = 12 };
    static const char *const set[] = { "solver={\"name\":\"alm\",\"sweeps\":0,\"more_sweeps\":0}" };
    char text[400 * (BALLS + 2)];
    int at = snprintf(text, sizeof text,
                      "{'slipstick': 1, 'dimension': 3, 'gravity': [0, 0, -10], 'time': {'until': 1, 'step': 0.01},"
                      " 'materials': [{'name': 'm', 'mu': 0.3, 'e': 0, 'rolling_friction': 0.03, 'spinning_friction': 0.02}],"
                      " 'bodies': [{'name': 'floor', 'type': 'fixed',"
                      "   'shapes': [{'type': 'half_space', 'normal': [0, 0, 1], 'material': 'm'}]}");
    for (int k = 0; k < BALLS; k++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", {'name': 'b%d', 'type': 'rigid', 'mass': 2, 'inertia': [0.032, 0.032, 0.032], 'position': [%g, 0, 0.2],"
                       " 'velocity': [0, %g, -0.5], 'angular_velocity': [%g, 1, %g],"
                       " 'shapes': [{'type': 'sphere', 'radius': 0.2, 'material': 'm'}]}",
                       k, 0.5 * k, 0.4 + 0.05 * k, -2 - 0.1 * k, 3 - 0.2 * k);
    }
    CHECK((size_t)at + 3 < sizeof text);
    memcpy(text + at, "]}", 3);
    run r = start(text, NULL, find_scheme("anitescu_convex"), NULL, 1, set);
    make_steps(&r, 20);
    CHECK(ss_sim_summary(r.sim)->solver_iterations <= 400);
    leave(&r);
}

/* ---- the associated law -------------------------------------------------------------------------------- */

/* by anitescu_convex: the first step of a ball that spins at t = 0 throws it up, however short it is */
TEST(the_associated_law_throws_up_what_spins_at_the_start)
{
    history events;
    const double up = M_S * 3 / (1 + M_S * M_S * m / 0.032), h = 1e-6;
    run r = run_to_end(BALL("[0, 0, 0]", "[0, 0, 3]") "}", find_scheme("anitescu_convex"), h, h, &events);
    CHECK_NEAR(ss_sim_v(r.sim)[2], up, 1e-10 + G * h);
    CHECK_NEAR(ss_sim_v(r.sim)[5], 3 - M_S * m * up / 0.032, 1e-8 + M_S * m * G * h / 0.032); /* and of its weight */
    leave(&r);
}

/* later it spins on a gap h m_s |w|, which falls as w does */
TEST(the_associated_law_lifts_what_spins_by_a_gap_of_the_order_of_the_step)
{
    for (double h = 0.01; h > 0.002; h /= 2) {
        history events;
        run r = run_to_end(BALL("[0, 0, 0]", "[0, 0, 3]") "}", find_scheme("anitescu_convex"), 0.3, h, &events);
        const double w = ss_sim_v(r.sim)[5], slows = M_S * m * G / 0.032;
        CHECK_NEAR(ss_sim_q(r.sim)[2] - R, h * M_S * w, 1e-9);
        CHECK_NEAR(w, 3 - 0.3 * slows, h * M_S * slows * M_S * m / 0.032 + 1e-8);
        leave(&r);
    }
}

/* without weight, a gap Phi above the floor: (1/m + m_s^2/J) r_N = m_s w0 - Phi/h. With m_s = 0.15 m the lift in a step, 4.5 mm,
 * is more than the half of the way of the ball's fastest point, 3 mm, within which a program begins with a contact. */
TEST(the_associated_law_lifts_what_spins_near_the_floor)
{
    static const char *const set[] = { "gravity=[0,0,0]", "bodies.ball.position=[0,0,0.204]", "time.step=0.01",
                                       "materials.0.spinning_friction=0.15" };
    const double wide = 0.15, r_N = (wide * 3 - 4e-3 / 0.01) / (1 / m + wide * wide / 0.032);
    run r = start(BALL("[0, 0, 0]", "[0, 0, 3]") "}", NULL, find_scheme("anitescu_convex"), NULL, 4, set);
    make_steps(&r, 1);
    CHECK_NEAR(ss_sim_v(r.sim)[2], r_N / m, 1e-9);
    CHECK_NEAR(ss_sim_v(r.sim)[5], 3 - wide * r_N / 0.032, 1e-9);
    leave(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_stops_where_the_closed_form_says_within_a_long_step),
        cmocka_unit_test(a_ball_that_spins_stops_at_the_right_angle),
        cmocka_unit_test(a_ball_that_rolls_and_spins_stops_there_to_the_order_of_the_scheme),
        cmocka_unit_test(rolling_begins_where_the_force_reaches_the_limit),
        cmocka_unit_test(orders_are_kept_through_slip_rolling_back_and_rest),
        cmocka_unit_test(newtons_method_of_galpha_knows_what_bounds_a_moment),
        cmocka_unit_test(newtons_method_takes_few_steps_where_moments_slip),
        cmocka_unit_test(the_associated_law_throws_up_what_spins_at_the_start),
        cmocka_unit_test(the_associated_law_lifts_what_spins_by_a_gap_of_the_order_of_the_step),
        cmocka_unit_test(the_associated_law_lifts_what_spins_near_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
