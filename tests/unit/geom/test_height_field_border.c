/* test_height_field_border.c - bodies over the border of a field of heights are held and tip as on a fixed box. */
#include "sim/sim.h"
#include "test.h"

/* ---- over the border ------------------------------------------------------------------------- */

enum { OVERHANGS = 7 };

/* bodies whose lowest face, or line, is 0.2 below their origin; the first four in 3D */
static const struct overhang {
    int dimension;
    const char *shape;
} overhang[OVERHANGS] = {
    { 3, "\"type\":\"box\",\"size\":[0.4,0.4,0.4]" },
    { 3, "\"type\":\"hull\",\"points\":[[-0.25,-0.2,-0.2],[-0.25,0.2,-0.2],[0.25,-0.2,-0.2],[0.25,0.2,-0.2],[0,-0.2,0.4],"
         "[0,0.2,0.4]]" },
    { 3, "\"type\":\"cylinder\",\"radius\":0.25,\"length\":0.4" },
    { 3, "\"type\":\"capsule\",\"radius\":0.2,\"length\":0.5,\"orientation\":[1,0,1,0]" },
    { 2, "\"type\":\"box\",\"size\":[0.4,0.4]" },
    { 2, "\"type\":\"polygon\",\"points\":[[-0.2,-0.2],[0.2,-0.2],[0.3,0],[0.2,0.2],[-0.2,0.2],[-0.3,0]]" },
    { 2, "\"type\":\"capsule\",\"radius\":0.2,\"length\":0.5,\"angle\":\"pi/2\"" },
};

/* a body at (x, y, h), 2D (x, h), on ground of 2 m by 2 m about the origin: a field, or the top of a fixed box */
static ss_model *place_overhang(ss_context *ctx, const struct overhang *o, bool on_field, ss_vec3 at)
{
    static const char *const ground[2][2] = {
        { "\"type\":\"box\",\"size\":[2,2],\"position\":[0,-1]", "\"type\":\"height_field\",\"heights\":[0,0,0],\"spacing\":1" },
        { "\"type\":\"box\",\"size\":[2,2,2],\"position\":[0,0,-1]",
          "\"type\":\"height_field\",\"heights\":[[0,0,0],[0,0,0],[0,0,0]],\"spacing\":1" },
    };
    char text[2048], across[32] = "";
    if (o->dimension == 3) {
        snprintf(across, sizeof across, "%.17g,", at.y);
    }
    snprintf(text, sizeof text,
             "{\"slipstick\":1,\"dimension\":%d,\"gravity\":[0,%s-9.81],\"time\":{\"until\":1,\"step\":5e-3},"
             "\"materials\":[{\"name\":\"m\",\"mu\":0.5}],\"bodies\":["
             "{\"name\":\"body\",\"type\":\"rigid\",\"density\":1000,\"position\":[%.17g,%s%.17g],\"shapes\":[{%s,\"material\":"
             "\"m\"}]},"
             "{\"name\":\"ground\",\"type\":\"fixed\",\"shapes\":[{%s,\"material\":\"m\"}]}]}",
             o->dimension, o->dimension == 3 ? "0," : "", at.x, across, at.z, o->shape, ground[o->dimension == 3][on_field]);
    ss_scene *scene;
    ss_model *model;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
    ss_scene_destroy(scene);
    return model;
}

/* flat on the ground, a little above and a little in it: that height is the gap, upwards, also at the border itself */
static void check_overhang(const struct overhang *o, ss_vec3 at, double height)
{
    ss_context *ctx = test_context();
    at.z = 0.2 + height;
    ss_model *model = place_overhang(ctx, o, true, at);
    ss_manifold m = { 0 };
    int on_border = 0;
    ss_collide(&model->shape[0], &model->body_frame0[0], &model->shape[1], &model->body_frame0[1], 0.01, &m);
    for (int k = 0; k < m.n; k++) {
        ss_gap_value value;
        ss_gap_eval(&m.gap[k], &model->body_frame0[0], &model->body_frame0[1], &value);
        CHECK_NEAR(value.gap, height, 1e-9); /* rims */
        CHECK_NEAR(o->dimension == 3 ? value.normal.z : value.normal.y, 1, 1e-9);
        on_border += fabs(value.point.x - 1) < 1e-6;
    }
    CHECK(m.n >= 2 && on_border >= 1);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

TEST(what_overhangs_the_border_touches_it_from_above)
{
    const ss_vec3 at[] = { { 0.95, 0.7, 0 }, { 0.9, 0.93, 0 }, { 1.1, 0.3, 0 } };
    for (int k = 0; k < OVERHANGS; k++) {
        for (int i = 0; i < 3; i++) {
            check_overhang(&overhang[k], at[i], 0);
            check_overhang(&overhang[k], at[i], 1e-3);
            check_overhang(&overhang[k], at[i], -1e-3);
        }
    }
}

static void move_overhang(const struct overhang *o, bool on_field, ss_vec3 at, double until, double q[7])
{
    ss_context *ctx = test_context();
    ss_model *model = place_overhang(ctx, o, on_field, at);
    ss_sim *sim;
    const ss_sim_options options = ss_sim_options_default();
    CHECK_OK(ctx, ss_sim_create(ctx, model, &options, &sim));
    CHECK_OK(ctx, ss_sim_advance(sim, until));
    memcpy(q, ss_sim_q(sim), (o->dimension == 3 ? 7 : 3) * sizeof *q);
    ss_sim_destroy(sim);
    ss_model_destroy(model);
    ss_context_destroy(ctx);
}

/* resting with the centre over the field, and tipping over the border with the centre beyond it */
TEST(the_border_holds_bodies_as_a_fixed_box_does)
{
    const ss_vec3 rest = { 0.95, 0.7, 0.2 }, tip = { 1.12, 0.7, 0.2 };
    for (int k = 0; k < OVERHANGS; k++) {
        const int d = overhang[k].dimension;
        double q[7], p[7];
        move_overhang(&overhang[k], true, rest, 0.3, q);
        CHECK_NEAR(q[0], rest.x, 1e-8); /* the solver's tolerance, over sixty steps */
        CHECK_NEAR(q[d - 1], rest.z, 1e-8);
        move_overhang(&overhang[k], true, tip, 0.3, q);
        move_overhang(&overhang[k], false, tip, 0.3, p);
        CHECK(q[d - 1] < 0.19); /* it does tip */
        for (int i = 0; i < (d == 3 ? 7 : 3); i++) {
            CHECK_NEAR(q[i], p[i], 1e-6);
        }
    }
}

static void check_carried(const char *ground, const char *message)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"slipstick\":1,\"dimension\":2,\"time\":{\"until\":1,\"step\":0.1},\"bodies\":[{\"name\":\"raft\","
             "\"type\":\"rigid\",\"mass\":1,\"inertia\":1,\"shapes\":[{%s}]}]}",
             ground);
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *model = NULL;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_FAILS(ctx, ss_model_compile(ctx, scene, &model), SS_ERR_INPUT, message);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(bodies_free_to_fall_carry_no_ground)
{
    check_carried("\"type\":\"height_field\",\"heights\":[0,0],\"spacing\":1",
                  "bodies.raft.shapes.0.type: a height_field has no end");
    check_carried("\"type\":\"half_space\",\"normal\":[0,1]", "bodies.raft.shapes.0.type: a half_space has no end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overhangs_the_border_touches_it_from_above),
        cmocka_unit_test(the_border_holds_bodies_as_a_fixed_box_does),
        cmocka_unit_test(bodies_free_to_fall_carry_no_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
