/* test_ground.c - bodies on a height field move as they do on a plane where it is one. */
#include "sim/sim.h"
#include "test.h"
#include <stdio.h>

/* a flat field of 12 m by 2 m, its heights 0.3 m apart: 41 columns, 7 rows */
static void write_heights(char *text, size_t size)
{
    size_t used = 0;
    for (int j = 0; j < 7; j++) {
        used += (size_t)snprintf(text + used, size - used, "%s[", j ? "," : "");
        for (int i = 0; i < 41; i++) {
            used += (size_t)snprintf(text + used, size - used, "%s0", i ? "," : "");
        }
        used += (size_t)snprintf(text + used, size - used, "]");
    }
}

/* positions after 1 s of a body that slides and rolls over ten cells, on the ground given */
static void travel(const char *ground, const char *shape, double q[7])
{
    static char text[8192];
    snprintf(text, sizeof text,
             "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-9.81],\"time\":{\"until\":1,\"step\":1e-2},"
             "\"materials\":[{\"name\":\"m\",\"mu\":0.3}],\"bodies\":["
             "{\"name\":\"ground\",\"type\":\"fixed\",\"shapes\":[%s]},"
             "{\"name\":\"body\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[0.1,0.1,0.1],\"position\":[-4,0.1,0.5],"
             "\"velocity\":[4,0.3,0],\"shapes\":[%s]}]}",
             ground, shape);
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *model;
    ss_sim *sim;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    const ss_sim_options options = ss_sim_options_default();
    CHECK_OK(ctx, ss_sim_create(ctx, model, &options, &sim));
    CHECK_OK(ctx, ss_sim_advance(sim, 1));
    CHECK(ss_sim_summary(sim)->unconverged_steps == 0);
    memcpy(q, ss_sim_q(sim), 7 * sizeof *q);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

static void check_same(const char *shape)
{
    char heights[2048], field[4096];
    double on_field[7], on_plane[7];
    write_heights(heights, sizeof heights);
    snprintf(field, sizeof field, "{\"type\":\"height_field\",\"heights\":[%s],\"spacing\":0.3,\"material\":\"m\"}", heights);
    travel(field, shape, on_field);
    travel("{\"type\":\"half_space\",\"normal\":[0,0,1],\"material\":\"m\"}", shape, on_plane);
    CHECK(on_plane[0] > -2); /* it did travel: seven cells */
    for (int k = 0; k < 7; k++) {
        CHECK_NEAR(on_field[k], on_plane[k], 1e-12); /* the same gaps up to rounding, over a hundred steps */
    }
}

TEST(a_ball_rolls_over_the_seams_of_a_flat_field_as_over_a_plane)
{
    check_same("{\"type\":\"sphere\",\"radius\":0.5,\"material\":\"m\"}");
}

TEST(a_box_slides_over_the_seams_of_a_flat_field_as_over_a_plane)
{
    check_same("{\"type\":\"box\",\"size\":[1,1,1],\"material\":\"m\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_over_the_seams_of_a_flat_field_as_over_a_plane),
        cmocka_unit_test(a_box_slides_over_the_seams_of_a_flat_field_as_over_a_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
