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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_is_long_beside_the_time_of_its_motion_is_not_refused),
        cmocka_unit_test(an_advance_is_made_however_short_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
