/* Every request for memory refused in turn, from reading the scene to the last step: an error each time, nothing lost. */
#include "unit/base/failing.h"

#include "sim/sim.h"

static ss_status whole_run(ss_context *ctx, const char *path, double until)
{
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_status status = ss_scene_read(ctx, path, 0, NULL, &scene);
    status = status != SS_OK ? status : ss_model_compile(ctx, scene, &model);
    status = status != SS_OK ? status : ss_sim_create(ctx, model, NULL, &sim);
    status = status != SS_OK ? status : ss_sim_advance(sim, until);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

static ss_status impact(ss_context *ctx) { return whole_run(ctx, "papers/ap97/rod_impact.json", 0.01); }
static ss_status stack(ss_context *ctx) { return whole_run(ctx, "scenes/mass_ratio.json", 0.01); }
static ss_status joints(ss_context *ctx) { return whole_run(ctx, "scenes/cradle.json", 0.002); }

TEST(refused_memory_is_an_error_and_loses_nothing)
{
    print_message("%d, %d and %d requests refused\n", fail_at_every_request(impact), fail_at_every_request(stack),
                  fail_at_every_request(joints));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refused_memory_is_an_error_and_loses_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
