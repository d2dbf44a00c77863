/* test_scene_write.c - a scene as JSON reads back to the same scene, bit for bit. */
#include "failing_allocator.h"
#include "model/scene.h"

static char *text_of(ss_context *ctx, const ss_scene *scene)
{
    char *text = NULL;
    CHECK_OK(ctx, ss_scene_to_json(ctx, scene, &text));
    return text;
}

static ss_scene *scene_of(ss_context *ctx, const char *text)
{
    ss_scene *scene = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "text", 0, NULL, &scene));
    return scene;
}

/* A rigid body whose every number is drawn at random: no digit may get lost. */
static ss_scene *random_scene(ss_context *ctx, uint64_t *seed)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_scene *scene = NULL;
    settings.dimension = 3;
    settings.step = ss_random_uniform(seed);
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    ss_body_desc body = ss_body_desc_default();
    double norm = 0;
    body.name = "body \"one\", \xc3\xa9";
    body.type = SS_BODY_RIGID;
    body.mass = exp(40 * ss_random_uniform(seed) - 20);
    for (int k = 0; k < 6; k++) {
        body.inertia[k] = k < 3 ? 1 + ss_random_uniform(seed) : 0.1 * ss_random_uniform(seed);
    }
    for (int k = 0; k < 3; k++) {
        body.position[k] = exp(40 * ss_random_uniform(seed) - 20) - 1;
        body.velocity[k] = ss_random_uniform(seed) - 0.5;
        body.angular_velocity[k] = ss_random_uniform(seed) - 0.5;
    }
    for (int k = 0; k < 4; k++) {
        body.orientation[k] = ss_random_uniform(seed) - 0.5;
        norm += body.orientation[k] * body.orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        body.orientation[k] /= sqrt(norm);
    }
    CHECK_OK(ctx, ss_scene_add_body(scene, &body, NULL));
    return scene;
}

TEST(every_bit_of_every_number_survives)
{
    ss_context *ctx = test_context();
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        ss_scene *scene = random_scene(ctx, &seed);
        char *text = text_of(ctx, scene);
        ss_scene *again = scene_of(ctx, text);
        const ss_body_desc *a = &scene->body[0], *b = &again->body[0];
        CHECK(scene->settings.step == again->settings.step && strcmp(a->name, b->name) == 0 && a->mass == b->mass);
        CHECK(memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0 &&
              memcmp(a->position, b->position, sizeof a->position) == 0);
        CHECK(memcmp(a->orientation, b->orientation, sizeof a->orientation) == 0);
        CHECK(memcmp(a->velocity, b->velocity, sizeof a->velocity) == 0);
        CHECK(memcmp(a->angular_velocity, b->angular_velocity, sizeof a->angular_velocity) == 0);
        ss_scene_destroy(again);
        ss_scene_destroy(scene);
        ss_blob_free(ctx, text);
    }
    ss_context_destroy(ctx);
}

TEST(what_was_not_given_stays_away)
{
    ss_context *ctx = test_context();
    ss_scene *scene = scene_of(ctx, "{\"slipstick\":1,\"dimension\":2,\"bodies\":[{\"type\":\"rigid\",\"mass\":1,\"inertia\":2}],"
                                    "\"materials\":[{\"name\":\"m\"}]}");
    char *text = text_of(ctx, scene);
    CHECK(!strstr(text, "density") && !strstr(text, "\"mu\"") && !strstr(text, "until") && !strstr(text, "NaN"));
    CHECK(strstr(text, "\"inertia\": 2.0") && strstr(text, "\"tol\": 1e-10") && strstr(text, "\"name\": \"anitescu_potra\""));
    ss_blob_free(ctx, text);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

/* a scene made in C may have any */
TEST(types_that_nobody_knows_are_refused)
{
    static const char *const wrong[] = { "hinche", NULL };
    for (int k = 0; k < 2; k++) {
        ss_context *ctx = test_context();
        ss_scene_settings settings = ss_scene_settings_default();
        ss_joint_desc joint = ss_joint_desc_default();
        ss_scene *scene = NULL;
        char *text = NULL;
        settings.dimension = 3;
        joint.type = wrong[k];
        CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
        CHECK_OK(ctx, ss_scene_add_joint(scene, &joint, NULL));
        CHECK_FAILS(ctx, ss_scene_to_json(ctx, scene, &text), SS_ERR_INPUT,
                    k ? "joints.type: \"\" is not" : "\"hinche\" is not known");
        CHECK(text == NULL);
        ss_scene_destroy(scene);
        ss_context_destroy(ctx);
    }
}

TEST(running_out_of_memory_is_an_error_and_leaks_nothing)
{
    ss_context *plain = test_context();
    ss_scene *scene =
        scene_of(plain, "{\"slipstick\":1,\"dimension\":2,\"bodies\":[{\"type\":\"particle\",\"mass\":1,\"position\":[0,0]}]}");
    ss_status status = SS_ERR_MEMORY;
    for (int n = 0; status != SS_OK && n < 100; n++) {
        failing f;
        ss_context *ctx = failing_context(&f, n);
        char *text = NULL;
        if (ctx) {
            status = ss_scene_to_json(ctx, scene, &text);
            CHECK(status == SS_OK ? text != NULL : !text);
            ss_blob_free(ctx, text);
            ss_context_destroy(ctx);
            CHECK(f.held == 0);
        }
    }
    CHECK(status == SS_OK);
    ss_scene_destroy(scene);
    ss_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_every_number_survives),
        cmocka_unit_test(what_was_not_given_stays_away),
        cmocka_unit_test(types_that_nobody_knows_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
