/* What forces alone do: their sum over classes, and the change of velocity that it makes. */
#include "kernels/free_motion.h"
#include "sim/sim.h"
#include "test.h"

/* a ball on a spring that is longer by 0.5 m than at rest, with a damper beside it; a second ball that only falls */
static const char text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-10],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{\"name\":\"moreau\"},"
    "\"bodies\":[{\"name\":\"a\",\"type\":\"particle\",\"mass\":2,\"position\":[0,0],\"velocity\":[0,3]},"
    "{\"name\":\"b\",\"type\":\"particle\",\"mass\":5,\"position\":[7,0],\"velocity\":[1,0]}],"
    "\"forces\":[{\"name\":\"s\",\"type\":\"spring_damper\",\"bodies\":[\"world\",\"a\"],\"anchors\":[[0,2],[0,0]],"
    "\"stiffness\":100,\"damping\":4,\"length\":1.5}]}";

TEST(forces_alone_change_velocities_by_their_impulse_over_the_mass)
{
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    ss_free_motion *x;
    ss_config here;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    CHECK_OK(ctx, ss_sim_create(ctx, model, NULL, &sim));
    CHECK_OK(ctx, ss_free_motion_create(ctx, model, &x));
    CHECK_OK(ctx, ss_config_take(sim->arena, model, &here));
    ss_config_set(model, 0, ss_sim_q(sim), &here);
    const double h = 0.25, force = 100 * 0.5 - 4 * 3; /* of spring and damper on a, upwards */
    for (int k = 0; k < 2; k++) {                     /* what was found before does not matter */
        CHECK_OK(ctx, ss_free_motion_find(x, &here, ss_sim_v(sim), h));
        const double expected[4] = { 0, h * (force / 2 - 10), 0, -10 * h };
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(x->change[i], expected[i], 1e-14); /* round-off of velocities of 5 m/s */
            CHECK_NEAR(x->impulse[i], (i < 2 ? 2 : 5) * expected[i], 1e-13);
        }
    }
    double sum[4] = { 1, 1, 1, 1 };
    ss_forces_add(4, 2, x->by_class, sum);
    CHECK_NEAR(sum[1], 1 + 2 * (force - 20), 1e-13);
    CHECK_NEAR(sum[2], 1, 0);
    ss_free_motion_destroy(x);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_alone_change_velocities_by_their_impulse_over_the_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
