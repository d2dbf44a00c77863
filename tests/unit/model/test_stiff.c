/* The linear model of stiff forces: symmetric, negative semidefinite, and the whole derivative where that is both. */
#include "model/stiff.h"
#include "test.h"

#include <float.h>

/* two bodies and a particle; the springs are compressed or stretched, at corners or between centres */
#define HEAD                                                                                                                     \
    "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-10],\"time\":{\"until\":1,\"step\":0.01},\"bodies\":["                   \
    "{\"name\":\"a\",\"type\":\"rigid\",\"mass\":2,\"inertia\":[0.1,0.2,0.3],\"position\":[0,0,0],\"velocity\":[1,0,0],"         \
    "\"angular_velocity\":[1,2,3]},"                                                                                             \
    "{\"name\":\"b\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[0.1,0.2,0.15],\"position\":[1,0.5,0.2],\"velocity\":[0,1,0]},"   \
    "{\"name\":\"p\",\"type\":\"particle\",\"mass\":1,\"position\":[0,0,1],\"velocity\":[0,1,1]}],\"forces\":["

static const char corners[] =
    HEAD "{\"name\":\"s\",\"type\":\"spring_damper\",\"bodies\":[\"a\",\"b\"],\"anchors\":[[0.2,0.1,0],[0,0.3,0.1]],"
         "\"stiffness\":300,\"damping\":5,\"length\":0.7},"
         "{\"name\":\"r\",\"type\":\"spring\",\"bodies\":[\"b\",\"p\"],\"anchors\":[[0.2,0.1,0],[0,0,0]],"
         "\"stiffness\":200,\"length\":3},"
         "{\"name\":\"q\",\"type\":\"damper\",\"bodies\":[\"world\",\"a\"],\"anchors\":[[0,0,2],[0.1,0,0]],\"damping\":20},"
         "{\"name\":\"load\",\"type\":\"constant\",\"body\":\"b\",\"point\":[1,0,0],\"force\":[0,0,9]}]}";

static const char centres[] = HEAD "{\"name\":\"s\",\"type\":\"spring_damper\",\"bodies\":[\"a\",\"b\"],"
                                   "\"anchors\":[[0,0,0],[0,0,0]],\"stiffness\":300,\"damping\":5,\"length\":0.7},"
                                   "{\"name\":\"r\",\"type\":\"spring\",\"bodies\":[\"world\",\"p\"],"
                                   "\"anchors\":[[0,0,0],[0,0,0]],\"stiffness\":200,\"length\":0}]}";

enum { NV = 15 };

typedef struct rig {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *m;
    ss_arena *arena;
    ss_stiff *x;
    ss_config c;
    ss_csr K, C;
    double k0[SS_FORCE_CLASSES * NV];
} rig;

static rig begin(const char *text)
{
    rig r = { .ctx = test_context() };
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &r.scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.m));
    CHECK_OK(r.ctx, ss_arena_create(r.ctx, 4096, &r.arena));
    CHECK_OK(r.ctx, ss_stiff_create(r.ctx, r.m, &r.x));
    CHECK_OK(r.ctx, ss_config_take(r.arena, r.m, &r.c));
    CHECK(r.m->nv == NV);
    ss_config_set(r.m, 0, r.m->q0, &r.c);
    CHECK_OK(r.ctx, ss_stiff_take(r.x, &r.c, r.m->v0, r.k0, &r.K, &r.C));
    return r;
}

static void end(rig *r)
{
    ss_csr_free(r->ctx, &r->K);
    ss_csr_free(r->ctx, &r->C);
    ss_stiff_destroy(r->x);
    ss_arena_destroy(r->arena);
    ss_model_destroy(r->m);
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->ctx);
}

static double power(const ss_csr *A, const double *x)
{
    double y[NV] = { 0 }, sum = 0;
    ss_csr_times(A, 1, x, 0, y);
    for (int i = 0; i < NV; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* round-off of x' A x: that of each number of A, and of a sum of NV of them in each row */
static double round_off(const ss_csr *A, const double *x)
{
    double sum = 0;
    for (int i = 0; i < NV; i++) {
        for (int e = A->p[i]; e < A->p[i + 1]; e++) {
            sum += fabs(x[i] * A->x[e] * x[A->i[e]]);
        }
    }
    return 0.5 * NV * DBL_EPSILON * sum;
}

static void check_definite(rig *r, const ss_csr *A)
{
    ss_csr T = { 0 };
    uint64_t seed = 5;
    CHECK_OK(r->ctx, ss_csr_transpose(r->ctx, A, &T));
    CHECK(ss_csr_same_pattern(A, &T));
    for (int e = 0; e < A->p[A->m]; e++) {
        CHECK(A->x[e] == T.x[e]);
    }
    ss_csr_free(r->ctx, &T);
    for (int trial = 0; trial < 1000; trial++) {
        double x[NV];
        for (int i = 0; i < NV; i++) {
            x[i] = 2 * ss_random_uniform(&seed) - 1;
        }
        CHECK(power(A, x) <= round_off(A, x));
    }
}

TEST(derivatives_are_symmetric_and_never_positive)
{
    rig r = begin(corners);
    const double forth[NV] = { 1, 2, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3 };
    check_definite(&r, &r.K);
    check_definite(&r, &r.C);
    CHECK_NEAR(power(&r.K, forth), 0,
               round_off(&r.K, forth)); /* all springs are between the bodies: they do not resist a common motion */
    CHECK_OK(r.ctx, ss_stiff_stretch(r.x, &r.c, r.m->v0, 0.1, &r.K));
    check_definite(&r, &r.K);
    end(&r);
}

static void check_same(const ss_csr *A, const ss_csr *B)
{
    CHECK(ss_csr_same_pattern(A, B));
    for (int e = 0; e < A->p[A->m]; e++) {
        CHECK_NEAR(A->x[e], B->x[e], 1e-12); /* round-off of 300 */
    }
}

TEST(stretched_springs_between_centres_are_linearised_whole)
{
    rig r = begin(centres);
    const double rest[NV] = { 0 };
    ss_csr k_q = { 0 }, k_v = { 0 };
    CHECK_OK(r.ctx, ss_model_force_jacobian(r.ctx, r.m, &r.c, rest, &k_q, &k_v));
    check_same(&r.K, &k_q);
    check_same(&r.C, &k_v);
    ss_csr_free(r.ctx, &k_q);
    ss_csr_free(r.ctx, &k_v);
    end(&r);
}

TEST(the_rest_and_the_velocities_make_up_the_stiff_forces)
{
    rig r = begin(corners);
    double all[SS_FORCE_CLASSES * NV], others[SS_FORCE_CLASSES * NV], damping[NV] = { 0 };
    CHECK_OK(r.ctx, ss_model_forces(r.ctx, r.m, &r.c, r.m->v0, all));
    CHECK_OK(r.ctx, ss_model_other_forces(r.ctx, r.m, &r.c, r.m->v0, others));
    ss_csr_times(&r.C, 1, r.m->v0, 0, damping);
    for (int i = 0; i < SS_FORCE_CLASSES * NV; i++) {
        const double stiff = r.k0[i] + (i / NV == SS_FORCE_DAMPER ? damping[i % NV] : 0);
        CHECK_NEAR(all[i], others[i] + stiff, 1e-12); /* round-off of 500 N */
    }
    CHECK(others[SS_FORCE_APPLIED * NV + 8] == 9 && all[SS_FORCE_DAMPER * NV] != 0);
    end(&r);
}

/* the sideways stiffness is k (1 - L/l) at the length that the link will have */
TEST(links_are_stretched_by_what_their_ends_move_apart)
{
    rig r = begin(centres);
    const double v[NV] = { [12] = 7, [14] = 1 };
    r.m->force[1].length = 0.6;
    CHECK_OK(r.ctx, ss_stiff_stretch(r.x, &r.c, v, 0.5, &r.K));
    const double across[NV] = { [12] = 1 }, along[NV] = { [14] = 1 };
    CHECK_NEAR(power(&r.K, across), -200 * (1 - 0.6 / 1.5), 1e-12);
    CHECK_NEAR(power(&r.K, along), -200, 1e-12);
    end(&r);
}

TEST(a_derivative_that_is_not_finite_is_refused)
{
    rig r = begin(centres);
    r.m->force[0].stiffness = INFINITY;
    CHECK(ss_stiff_take(r.x, &r.c, r.m->v0, r.k0, &r.K, &r.C) == SS_ERR_NUMERIC);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_symmetric_and_never_positive),
        cmocka_unit_test(stretched_springs_between_centres_are_linearised_whole),
        cmocka_unit_test(the_rest_and_the_velocities_make_up_the_stiff_forces),
        cmocka_unit_test(links_are_stretched_by_what_their_ends_move_apart),
        cmocka_unit_test(a_derivative_that_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
