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

/* the version is the 32 bits after the eight characters that say what it is */
TEST(a_checkpoint_of_an_older_version_is_refused)
{
    ss_context *ctx = test_context();
    ss_model *model = NULL;
    ss_sim *sim = make(ctx, NULL, &model);
    void *blob = NULL;
    size_t size = 0;
    uint32_t version;
    CHECK_OK(ctx, ss_sim_save(sim, &blob, &size));
    memcpy(&version, (char *)blob + 8, sizeof version);
    version--;
    memcpy((char *)blob + 8, &version, sizeof version);
    CHECK_FAILS(ctx, ss_sim_restore(sim, blob, size), SS_ERR_INPUT, "this program reads version");
    ss_blob_free(ctx, blob);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* ---- numbers of contacts ----------------------------------------------------------------------------- */

static ss_status stand_still(ss_stepper *s, double h)
{
    s->next->t = s->now->t + h;
    return SS_OK;
}

/* Saved with some numbers of contacts, restored with others. */
static ss_status change_numbers(const ss_contact_numbers *before, const ss_contact_numbers *after)
{
    ss_context *ctx = test_context();
    ss_model *model = NULL;
    ss_sim *arm = make(ctx, NULL, &model), *sim[2];
    const ss_scheme_type scheme[2] = {
        { .info = { .name = "still", .laws = ~0u }, .contact_numbers = before, .step = stand_still },
        { .info = { .name = "still", .laws = ~0u }, .contact_numbers = after, .step = stand_still },
    };
    void *blob = NULL;
    size_t size = 0;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, ss_sim_create_with(ctx, model, &scheme[k], NULL, &sim[k]));
    }
    CHECK_OK(ctx, ss_sim_step(sim[0], 0.01));
    CHECK_OK(ctx, ss_sim_save(sim[0], &blob, &size));
    ss_status status = ss_sim_restore(sim[1], blob, size);
    ss_blob_free(ctx, blob);
    ss_sim_destroy(sim[0]);
    ss_sim_destroy(sim[1]);
    ss_sim_destroy(arm);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
    return status;
}

TEST(a_checkpoint_is_refused_by_a_scheme_that_keeps_other_numbers_of_contacts)
{
    const ss_contact_numbers age = { 1, (const char *const[]){ "age" }, SS_LEVEL_VELOCITY };
    const ss_contact_numbers gap = { 1, (const char *const[]){ "gap" }, SS_LEVEL_VELOCITY };
    const ss_contact_numbers deep = { 1, (const char *const[]){ "age" }, SS_LEVEL_POSITION };
    const ss_contact_numbers both = { 2, (const char *const[]){ "age", "gap" }, SS_LEVEL_VELOCITY };
    const ss_contact_numbers *others[] = { &gap, &deep, &both, NULL };
    CHECK(change_numbers(&age, &age) == SS_OK);
    CHECK(change_numbers(NULL, NULL) == SS_OK);
    for (int k = 0; k < 4; k++) {
        CHECK(change_numbers(&age, others[k]) == SS_ERR_INPUT);
        CHECK(change_numbers(others[k], &age) == SS_ERR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_refused_by_every_other_scene_and_taken_by_its_own),
        cmocka_unit_test(a_checkpoint_of_an_older_version_is_refused),
        cmocka_unit_test(a_checkpoint_is_refused_by_a_scheme_that_keeps_other_numbers_of_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
