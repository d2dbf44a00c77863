/* test_dense_corners.c - dense output inside steps in which something happens: a disc that slips and then rolls, a ball that
 * rests on a plate which moves. */
#include "unit/sim/scene_run.h"

static const ss_scheme_type *scheme_called(const char *name)
{
    int k = 0;
    while (strcmp(ss_scheme_types[k]->info.name, name) != 0) {
        k++;
    }
    return ss_scheme_types[k];
}

/* ---- a disc that slips until it rolls ---------------------------------------------------------------- */

static const char disc[] =
    "{\"slipstick\":1,\"dimension\":2,\"length_scale\":1,\"time\":{\"step\":0.5,\"until\":1},\"gravity\":[0,-10],"
    "\"materials\":[{\"name\":\"m\",\"mu\":0.2,\"e\":0}],\"bodies\":["
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]},"
    "{\"name\":\"disc\",\"type\":\"rigid\",\"density\":100,\"position\":[0,0.25],\"velocity\":[2,0],"
    "\"shapes\":[{\"type\":\"sphere\",\"radius\":0.25,\"material\":\"m\"}]}]}";

/* mu g = 2: v = 2 - 2 t, and r w = -4 t (twice the mass resists it), until they agree at t = 1/3 */
static void roll(double t, double *q, double *v)
{
    const double slip = fmin(t, 1.0 / 3), rest = t - slip;
    v[0] = 2 - 2 * slip;
    v[2] = -4 * slip / 0.25;
    q[0] = 2 * slip - slip * slip + v[0] * rest;
    q[2] = -2 * slip * slip / 0.25 + v[2] * rest;
    q[1] = 0.25;
    v[1] = 0;
}

typedef struct errors {
    double ends, within, speeds; /* of positions at the ends of steps and between them, of velocities between them */
} errors;

static double distance(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), 0.25 * fabs(a[2] - b[2])));
}

static ss_status compare_with_rolling(void *user, const ss_sim *sim, const ss_step_info *info)
{
    errors *e = user;
    double q[3], v[3], exact[3], speed[3];
    for (int k = 1; k <= 40; k++) {
        const double t = k == 40 ? info->t : info->t - info->h * (1 - k / 40.0);
        CHECK(ss_sim_at(sim, t, q, v) == SS_OK);
        roll(t, exact, speed);
        e->within = fmax(e->within, distance(q, exact));
        e->speeds = fmax(e->speeds, distance(v, speed));
    }
    e->ends = fmax(e->ends, distance(q, exact));
    return SS_OK;
}

static errors errors_of(const ss_scheme_type *scheme, const char *step)
{
    errors e = { 0, 0, 0 };
    scene_run r = open_text(disc, step, scheme, NAN);
    CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &e, .on_step = compare_with_rolling }));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    close_scene(&r);
    return e;
}

/* The step is cut where slip ends: positions are parabolas on either side. Events are located to 1e-13. */
TEST(a_disc_that_ceases_to_slip_within_a_step_is_known_everywhere_in_it)
{
    static const char *const cutting[] = { "trapezoidal", "event_capturing_rk" };
    for (int k = 0; k < 2; k++) {
        const errors e = errors_of(scheme_called(cutting[k]), "time.step=0.5");
        CHECK_NEAR(e.within, 0, 1e-12);
        CHECK_NEAR(e.speeds, 0, 1e-11);
    }
}

/* Between states that are right, an acceleration that jumps by mu g takes the path off a cubic, or a line, by mu g h^2/8 at most.
 */
TEST(by_every_scheme_dense_output_is_as_good_as_its_states)
{
    for (int k = 0; ss_scheme_types[k]; k++) {
        const ss_scheme_type *scheme = ss_scheme_types[k];
        if (!scheme->info.demonstration && (scheme->info.dimensions & 4)) {
            const errors e = errors_of(scheme, "time.step=0.05");
            print_message("%s: %.3g at ends, %.3g within\n", scheme->info.name, e.ends, e.within);
            CHECK(e.within <= e.ends + 2 * 0.05 * 0.05 / 8);
        }
    }
}

/* ---- a ball on a plate ------------------------------------------------------------------------------- */

static const char plate[] = "{\"slipstick\":1,\"dimension\":2,\"length_scale\":1,\"time\":{\"until\":2},\"gravity\":[0,-10],"
                            "\"materials\":[{\"name\":\"m\",\"mu\":0,\"e\":0}],\"bodies\":["
                            "{\"name\":\"plate\",\"type\":\"driven\",\"position\":[\"0\",\"0.1*cos(5*t)\"],"
                            "\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":\"m\"}]},"
                            "{\"name\":\"ball\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0.2],"
                            "\"shapes\":[{\"type\":\"sphere\",\"radius\":0.1,\"material\":\"m\"}]}]}";

static ss_status compare_with_plate(void *user, const ss_sim *sim, const ss_step_info *info)
{
    errors *e = user;
    double q[2], v[2];
    for (int k = 1; k < 20; k++) {
        const double t = info->t - info->h * (1 - k / 20.0);
        CHECK(ss_sim_at(sim, t, q, v) == SS_OK);
        e->within = fmax(e->within, fabs(q[1] - 0.1 - 0.1 * cos(5 * t)));
        e->speeds = fmax(e->speeds, fabs(v[1] + 0.5 * sin(5 * t)));
    }
    return SS_OK;
}

/* The states are right whatever the step: the motion is that of the plate. What lies between them limits the steps. */
TEST(what_lies_between_exact_states_is_as_good_as_the_tolerance)
{
    for (double tol = 1e-4; tol > 1e-11; tol *= 1e-2) {
        errors e = { 0, 0, 0 };
        scene_run r = open_text(plate, NULL, scheme_called("event_capturing_rk"), tol);
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &(ss_observer){ .user = &e, .on_step = compare_with_plate }));
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 2));
        print_message("tol %g: positions %.3g, velocities %.3g in %lld steps\n", tol, e.within, e.speeds,
                      (long long)ss_sim_summary(r.sim)->steps);
        CHECK(e.within < tol && e.speeds < 3 * tol); /* velocities times the time of the motion, 0.3 s */
        close_scene(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_that_ceases_to_slip_within_a_step_is_known_everywhere_in_it),
        cmocka_unit_test(by_every_scheme_dense_output_is_as_good_as_its_states),
        cmocka_unit_test(what_lies_between_exact_states_is_as_good_as_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
