/* test_control_jumps.c - step control where forces jump in time: the step ends at the jump, and no jump is missed. */
#include "unit/sim/planned_scheme.h"

/* ---- forces that jump in time ------------------------------------------------------------------------ */

static const char kick[] = "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"length_scale\":1,\"time\":{\"until\":1},"
                           "\"scheme\":{\"name\":\"moreau\"},"
                           "\"bodies\":[{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0]}],\"forces\":"
                           "[{\"name\":\"f\",\"type\":\"expression\",\"body\":\"p\",\"force\":[\"step(t-0.333)\",\"0\"]}]}";

/* Rest, then constant acceleration: schemes of order 2 have both exactly, so only the jump can be missed. */
TEST(a_force_that_is_switched_on_is_not_missed)
{
    static const char *const pulses[] = { "forces.f.force=[\"step(t-0.333)\",\"0\"]",
                                          "forces.f.force=[\"1e6*(step(t-0.333)-step(t-0.333000000001))\",\"0\"]" };
    const double end_x[] = { 0.5 * 0.667 * 0.667, 1e-6 * 0.667 };
    int tried = 0;
    for (int k = 0; k < tested_schemes(); k++) {
        const ss_scheme_type *scheme = ss_scheme_types[k];
        for (int i = 0; scheme->info.order.smooth >= 2 && i < 2; i++, tried++) {
            scene_run r = open_text(kick, pulses[i], scheme, 1e-3);
            CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
            /* the length 1e-12 of the pulse is known to the rounding of 0.333 on both sides: 16 x 8 x 2^-53 of it */
            CHECK_NEAR(ss_sim_q(r.sim)[0], end_x[i], i == 0 ? 1e-14 : 3e-9);
            CHECK_NEAR(ss_sim_time(r.sim), 1, 0);
            CHECK(ss_sim_summary(r.sim)->steps < 50);
            close_scene(&r);
        }
    }
    CHECK(tried >= 8);
}

TEST(a_run_may_end_at_a_jump_or_just_beside_it)
{
    for (int k = -40; k <= 40; k += 4) {
        scene_run r = open_text(kick, NULL, NULL, 1e-6);
        double t = 0.333 + k * 5.55e-17; /* its last digit, or many of them */
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, t));
        CHECK(ss_sim_time(r.sim) == t);
        CHECK_NEAR(ss_sim_v(r.sim)[0], 0, 1e-14);
        CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
        CHECK_NEAR(ss_sim_q(r.sim)[0], 0.5 * 0.667 * 0.667, 1e-14);
        close_scene(&r);
    }
}

typedef struct saved {
    void *blob;
    size_t size;
} saved;

/* between the halves of the step that ends at the jump */
static ss_status save_before_the_jump(void *user, const ss_sim *sim, const ss_step_info *info)
{
    saved *x = user;
    bool there = !x->blob && info->t < 0.333 && sim->control.halfway != SS_WHOLE && sim->control.second >= 0.333;
    return there ? ss_sim_save(sim, &x->blob, &x->size) : SS_OK;
}

TEST(a_run_saved_in_the_step_before_a_jump_continues_with_the_same_bits)
{
    scene_run straight = open_text(kick, NULL, NULL, 1e-4), again = open_text(kick, NULL, NULL, 1e-4);
    saved x = { .blob = NULL };
    CHECK_OK(straight.ctx, ss_sim_observe(straight.sim, &(ss_observer){ .user = &x, .on_step = save_before_the_jump }));
    CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, 1));
    CHECK(x.blob);
    CHECK_OK(again.ctx, ss_sim_restore(again.sim, x.blob, x.size));
    CHECK_OK(again.ctx, ss_sim_advance(again.sim, 1));
    check_same(straight.sim, again.sim);
    ss_blob_free(straight.ctx, x.blob);
    close_scene(&straight);
    close_scene(&again);
}

TEST(the_model_knows_when_tables_motors_and_driven_bodies_jump)
{
    static const char text[] =
        "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"time\":{\"until\":1},\"bodies\":["
        "{\"name\":\"a\",\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"position\":[0,0]},"
        "{\"name\":\"d\",\"type\":\"driven\",\"position\":[\"max(t,0.5)\",\"0\"]}],"
        "\"joints\":[{\"name\":\"j\",\"type\":\"hinge\",\"bodies\":[\"a\",\"world\"],\"at\":[0,0],\"motor\":{\"speed\":\"floor(t/"
        "4)\"}}],"
        "\"forces\":[{\"name\":\"f\",\"type\":\"table\",\"body\":\"a\",\"table\":{\"t\":[0.25,3],\"force\":[[0,0],[1,0]]}}]}";
    const double expected[] = { 0.25, 0.5, 3, 4, 8 };
    scene_run r = open_text(text, NULL, ss_scheme_types[0], 1e-3);
    double t = 0;
    for (int k = 0; k < 5; k++) {
        t = ss_model_next_kink(r.model, t, 10);
        CHECK_NEAR(t, expected[k], 0);
    }
    CHECK(ss_model_next_kink(r.model, t, 10) == INFINITY && ss_model_next_kink(r.model, 0, 0.2) == INFINITY);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_that_is_switched_on_is_not_missed),
        cmocka_unit_test(a_run_may_end_at_a_jump_or_just_beside_it),
        cmocka_unit_test(a_run_saved_in_the_step_before_a_jump_continues_with_the_same_bits),
        cmocka_unit_test(the_model_knows_when_tables_motors_and_driven_bodies_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
