/* fuzz_scene.c - any bytes as a scene: refused with a reason, or read, written and read again to the same text. */
#include "fuzz.h"

/* what was understood must be understood again, and compile or be refused */
static void use(ss_context *ctx, const ss_scene *scene)
{
    char *text = NULL, *again = NULL;
    ss_scene *copy = NULL;
    ss_model *model = NULL;
    if (ss_scene_to_json(ctx, scene, &text) != SS_OK ||
        ss_scene_parse(ctx, text, strlen(text), "written", 0, NULL, &copy) != SS_OK ||
        ss_scene_to_json(ctx, copy, &again) != SS_OK || strcmp(text, again) != 0) {
        abort();
    }
    if (ss_model_compile(ctx, copy, &model) != SS_OK) {
        fuzz_expect_reason(ctx);
    }
    ss_model_destroy(model);
    ss_scene_destroy(copy);
    ss_blob_free(ctx, again);
    ss_blob_free(ctx, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *ctx = fuzz_context();
    ss_scene *scene = NULL;
    if (ss_scene_parse(ctx, (const char *)data, size, "fuzz", 0, NULL, &scene) == SS_OK) {
        use(ctx, scene);
    } else {
        fuzz_expect_reason(ctx);
    }
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return 0;
}
