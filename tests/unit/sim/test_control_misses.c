/* test_control_misses.c - step control where one step and two halves may agree and both be wrong: closed forms of motion that an
 * estimate overlooks easily. */
#include "unit/sim/scene_run.h"

#define SCENE(gravity, bodies, more)                                                                                             \
    "{\"slipstick\":1,\"dimension\":2,\"length_scale\":1,\"time\":{\"until\":1},\"gravity\":[0," gravity "],"                    \
    "\"materials\":[{\"name\":\"m\",\"mu\":0.5,\"e\":0}],\"bodies\":[" bodies "]" more "}"

static const ss_scheme_type *scheme_called(const char *name)
{
    int k = 0;
    while (strcmp(ss_scheme_types[k]->info.name, name) != 0) {
        k++;
    }
    return ss_scheme_types[k];
}

/* ---- intervals --------------------------------------------------------------------------------------- */

static const char flight[] =
    SCENE("0", "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0],\"velocity\":[100,0]}", "");

/* the smallest step, 6e-16 s, is lost in the rounding of 10 s and not in that of the times at which steps are that short */
TEST(a_run_that_is_long_beside_the_time_of_its_motion_is_not_refused)
{
    scene_run r = open_text(flight, "time.until=10", scheme_called("moreau"), 1e-11);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 10));
    CHECK_NEAR(ss_sim_q(r.sim)[0], 1000, 1e-9);
    CHECK(ss_sim_time(r.sim) == 10 && ss_sim_summary(r.sim)->unmet_steps == 0);
    close_scene(&r);
}

TEST(an_advance_is_made_however_short_it_is)
{
    scene_run r = open_text(flight, NULL, scheme_called("moreau"), 1e-3);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1e-15));
    CHECK(ss_sim_time(r.sim) == 1e-15);
    CHECK_NEAR(ss_sim_q(r.sim)[0], 1e-13, 1e-28);
    close_scene(&r);
}

/* ---- functions of time --------------------------------------------------------------------------------- */

#define PUSHED(velocity, force)                                                                                                  \
    SCENE("0", "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0],\"velocity\":[" velocity ",0]}",             \
          ",\"forces\":[{\"type\":\"expression\",\"body\":\"p\",\"force\":[\"" force "\",\"0\"]}]")

static const char *const every_kind[] = { "event_capturing_rk", "moreau", "schatzman_paoli" };

/* x at t, in a run that is made to go on until `until`; it must not say that a tolerance was not met */
static double end_of(const char *text, const char *until, const char *scheme, double tol, double t)
{
    scene_run r = open_text(text, until, scheme_called(scheme), tol);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, t));
    CHECK(ss_sim_summary(r.sim)->unmet_steps == 0);
    double x = ss_sim_q(r.sim)[0];
    close_scene(&r);
    return x;
}

TEST(a_pulse_is_seen_however_long_the_run)
{
    static const char *const until[] = { "time.until=1", "time.until=50", "time.until=1e6" };
    const double moved = 100 * sqrt(acos(-1) / 1e4) * 0.7; /* its impulse, 0.7 s long */
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            double x = end_of(PUSHED("0", "100*exp(-1e4*(t-0.3)^2)"), until[i], every_kind[k], 1e-4, 1);
            CHECK_NEAR(x, moved, 3e-3); /* order 1: the square root of the tolerance, over a third of a unit */
        }
    }
}

/* 3 exp(-(t - 10)^2) sin(5 t), twice integrated, from a start at 1e-6 lengths/s */
TEST(a_body_that_creeps_at_first_is_followed_when_a_force_takes_it)
{
    const double moved = 20e-6 + 3 * sqrt(acos(-1)) * exp(-6.25) * (10 * sin(50) - 2.5 * cos(50));
    for (int k = 0; k < 3; k++) {
        double x = end_of(PUSHED("1e-6", "3*exp(-(t-10)^2)*sin(5*t)"), "time.until=20", every_kind[k], 1e-4, 20);
        CHECK_NEAR(x, moved, 3e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_is_long_beside_the_time_of_its_motion_is_not_refused),
        cmocka_unit_test(an_advance_is_made_however_short_it_is),
        cmocka_unit_test(a_pulse_is_seen_however_long_the_run),
        cmocka_unit_test(a_body_that_creeps_at_first_is_followed_when_a_force_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
