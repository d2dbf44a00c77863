/* A checkpoint belongs to its scene: whatever a trajectory depends on must be the same. */
#include "test.h"

#include "sim/sim.h"

static ss_sim *make(ss_context *ctx, const char *set, ss_model **model)
{
    ss_scene *scene = NULL;
    ss_sim *sim = NULL;
    CHECK_OK(ctx, ss_scene_read(ctx, "scenes/arm.json", set ? 1 : 0, &set, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, model));
    CHECK_OK(ctx, ss_sim_create(ctx, *model, NULL, &sim));
    ss_scene_destroy(scene);
    return sim;
}

static ss_status restore_into(const char *set, const void *blob, size_t size)
{
    ss_context *ctx = test_context();
    ss_model *model = NULL;
    ss_sim *sim = make(ctx, set, &model);
    ss_status status = ss_sim_restore(sim, blob, size);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
    return status;
}

TEST(a_checkpoint_is_refused_by_every_other_scene_and_taken_by_its_own)
{
    static const char *const others[] = { "gravity=[0,0,-9.8]",
                                          "materials.brush.mu=0.5",
                                          "materials.steel.e=0.1",
                                          "joints.elbow.limits=[-0.1,0.15]",
                                          "joints.lift.motor={\"speed\":\"-0.1*sin(2*t)\"}",
                                          "bodies.base.angle=0.2*(1-cos(2*t))",
                                          "scheme.directions=12",
                                          "bodies.hand.mass=0.6",
                                          "joints.shoulder.motor={\"speed\":\"0.5*sin(2*t)\",\"max\":41}" };
    ss_context *ctx = test_context();
    ss_model *model = NULL;
    ss_sim *sim = make(ctx, NULL, &model);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(ctx, ss_sim_advance(sim, 0.02));
    CHECK_OK(ctx, ss_sim_save(sim, &blob, &size));
    CHECK(restore_into(NULL, blob, size) == SS_OK);
    CHECK(restore_into("time.step=1e-3", blob, size) == SS_OK); /* another step may follow */
    CHECK(restore_into("solver.tol=1e-8", blob, size) == SS_OK);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (restore_into(others[k], blob, size) != SS_ERR_INPUT) {
            fail_msg("%s: the checkpoint of another scene was taken", others[k]);
        }
    }
    ss_blob_free(ctx, blob);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_checkpoint_is_refused_by_every_other_scene_and_taken_by_its_own) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
