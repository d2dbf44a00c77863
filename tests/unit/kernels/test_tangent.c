/* test_tangent.c - blocks that scale a problem whose mass matrix has one place for equal bodies. */
#include "kernels/tangent.h"
#include "sim/sim.h"
#include "test.h"

/* three equal particles; two of them on springs with different stiffness */
static const char text[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,0],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{\"name\":\"moreau\"},"
    "\"bodies\":[{\"name\":\"a\",\"type\":\"particle\",\"mass\":2,\"position\":[0,0]},"
    "{\"name\":\"b\",\"type\":\"particle\",\"mass\":2,\"position\":[7,0]},"
    "{\"name\":\"c\",\"type\":\"particle\",\"mass\":2,\"position\":[14,0]}],"
    "\"forces\":[{\"name\":\"s\",\"type\":\"spring\",\"bodies\":[\"world\",\"a\"],\"anchors\":[[0,2],[0,0]],"
    "\"stiffness\":100,\"length\":2},{\"name\":\"t\",\"type\":\"spring\",\"bodies\":[\"world\",\"c\"],\"anchors\":"
    "[[14,2],[0,0]],\"stiffness\":300,\"length\":2}]}";

TEST(equal_bodies_on_different_springs_have_blocks_of_their_own)
{
    ss_context *ctx = test_context();
    ss_scene *scene;
    ss_model *m;
    ss_arena *arena;
    ss_tangent *x;
    ss_assembly *a;
    ss_config c;
    CHECK_OK(ctx, ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_tangent_create(ctx, m, &x));
    CHECK_OK(ctx, ss_assembly_create(ctx, m, &a));
    CHECK_OK(ctx, ss_config_take(arena, m, &c));
    ss_config_set(m, 0, m->q0, &c);
    CHECK_OK(ctx, ss_assembly_geometry(a, &c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    CHECK_OK(ctx, ss_tangent_take(x, &c, m->v0));
    const double h = 0.5, stiffness[] = { 100, 0, 300 };
    CHECK_OK(ctx, ss_tangent_put(x, arena, 0, h * h, a));
    const ss_blockdiag *B = &a->problem.scale, *M = &a->mass.diagonal;
    CHECK(M->start[0] == M->start[1] && M->start[1] == M->start[2]);
    for (int b = 0; b < 3; b++) { /* springs along y, at their lengths: they resist motion along y alone */
        CHECK_NEAR(fabs(B->x[B->start[b] + 3] - 2), h * h * stiffness[b], 1e-12);
        CHECK_NEAR(B->x[B->start[b]], 2, 1e-12);
        CHECK(M->x[M->start[b] + 3] == 2);
    }
    ss_assembly_destroy(ctx, a);
    ss_tangent_destroy(x);
    ss_arena_destroy(arena);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bodies_on_different_springs_have_blocks_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
