/* test_accelerations.c - what joints ask of accelerations, against differences of G v + drive - target along a motion. */
#include "path.h"
#include "rich.h"

enum { NJ_MAX = 40 };

/* f = G v + drive - target at time t + s of the motion; with a: G a as well */
static void rate_at(ss_context *ctx, const path *p, double s, double *f, double *G_a)
{
    double q[PATH_MAX], v[PATH_MAX], g[NJ_MAX], drive[NJ_MAX], target[NJ_MAX];
    ss_csr G = { 0 };
    path_at(p, s, q, v);
    place at = place_at(ctx, p->m, p->t + s, q);
    CHECK_OK(ctx, ss_model_joints(ctx, p->m, &at.c, g, &G, drive, target));
    for (int i = 0; i < p->m->nj; i++) {
        f[i] = ss_csr_row_dot(&G, i, v) + drive[i] - target[i];
        if (G_a) {
            G_a[i] = ss_csr_row_dot(&G, i, p->a);
        }
    }
    ss_csr_free(ctx, &G);
    leave(&at);
}

/* the largest error of d/dt (G v + drive - target) = G a - out over all rows, relative above 1 */
static double acceleration_error(ss_context *ctx, const path *p)
{
    double f[NJ_MAX], G_a[NJ_MAX], out[NJ_MAX], expected[NJ_MAX] = { 0 }, worst = 0;
    CHECK(p->m->nj <= NJ_MAX);
    for (int k = 1; k <= PATH_POINTS; k++) {
        for (int side = -1; side <= 1; side += 2) {
            rate_at(ctx, p, side * k * path_step, f, NULL);
            for (int i = 0; i < p->m->nj; i++) {
                expected[i] += side * path_weight[k - 1] * f[i];
            }
        }
    }
    rate_at(ctx, p, 0, f, G_a);
    place at = place_at(ctx, p->m, p->t, p->q);
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_model_joint_acceleration(ctx, p->m, &at.c, p->v, out));
    CHECK(ss_context_allocations(ctx) == before);
    leave(&at);
    for (int i = 0; i < p->m->nj; i++) {
        worst = fmax(worst, fabs(G_a[i] - out[i] - expected[i]) / (1 + fabs(expected[i])));
    }
    return worst;
}

static path random_path(const ss_model *m, uint64_t *seed, double t)
{
    path p = { .m = m, .t = t };
    random_state(m, seed, p.q, p.v);
    for (int i = 0; i < m->nv; i++) {
        p.a[i] = 2 * uniform(seed);
    }
    return p;
}

/* differences of sixth order, h = 2^-10: h^6/140 = 6e-21 times seventh derivatives, up to 1e7 here; 2 ulp(4) / h = 2e-12 of
 * rounding */
static const double accuracy = 4e-12;

TEST(joints_ask_for_the_accelerations_that_keep_their_rates)
{
    ss_context *ctx = test_context();
    uint64_t seed = 12;
    double worst = 0;
    for (int trial = 0; trial < 40; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        const path p = random_path(m, &seed, 0.6);
        worst = fmax(worst, acceleration_error(ctx, &p));
        ss_model_destroy(m);
    }
    CHECK_NEAR(worst, 0, accuracy);
    ss_context_destroy(ctx);
}

/* a joint between an arm that is driven along a curve and turns, and a body; both sides, with a motor where it has one */
static ss_model *driven_joint(ss_context *ctx, int dimension, const char *type, bool motor, bool swap)
{
    ss_scene *scene = new_scene(ctx, dimension);
    ss_body_desc arm = standing("arm", SS_BODY_DRIVEN), body = rigid("body", 2.5, 0.3);
    ss_joint_desc joint = joint_between("j", type, swap ? "body" : "arm", swap ? "arm" : "body");
    arm.motion[0] = "1 - cos(2*t)"; /* at rest at t = 0, as the body is */
    arm.motion[1] = "t^2*sin(3*t)";
    arm.motion_angle = "1.5*t^2 + t^3";
    arm.motion_axis[0] = dimension == 3 ? 0.6 : 0;
    arm.motion_axis[2] = dimension == 3 ? 0.8 : 1;
    joint.axis[0] = 1;
    joint.axis[1] = 0.5;
    joint.axis[2] = 0;
    if (strcmp(type, "distance") != 0) {
        joint.at[0] = 0.3;
        joint.at[1] = 0.1;
        joint.at[2] = dimension == 3 ? 0.2 : 0;
    }
    joint.motor.speed = motor ? "sin(3*t)" : NULL;
    add_body(scene, ctx, arm);
    add_body(scene, ctx, body);
    add_joint(scene, ctx, joint);
    return compiled(ctx, scene);
}

TEST(every_joint_feels_the_acceleration_of_a_driven_body)
{
    static const struct {
        const char *type;
        bool motor;
    } joints[] = { { "revolute", true },   { "revolute", false }, { "prismatic", true }, { "prismatic", false },
                   { "spherical", false }, { "fixed", false },    { "distance", false }, { "distance", true } };
    ss_context *ctx = test_context();
    uint64_t seed = 13;
    double worst = 0;
    for (int trial = 0; trial < 32 * 8; trial++) {
        int k = trial / 32;
        ss_model *m = driven_joint(ctx, 2 + trial % 2, joints[k].type, joints[k].motor, trial / 2 % 2);
        const path p = random_path(m, &seed, 0.4);
        worst = fmax(worst, acceleration_error(ctx, &p));
        ss_model_destroy(m);
    }
    CHECK_NEAR(worst, 0, accuracy);
    ss_context_destroy(ctx);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* g = (q0 q1 - sin(w t) q0, cos(w q0) - 1 + exp(-q1) t^2/2), w = *user */
static ss_status fast_constraint(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    const double w = *(const double *)user;
    g[0] = q[0] * q[1] - sin(w * t) * q[0];
    g[1] = cos(w * q[0]) - 1 + 0.5 * exp(-q[1]) * t * t;
    G[0] = q[1] - sin(w * t);
    G[1] = q[0];
    G[2] = -w * sin(w * q[0]);
    G[3] = -0.5 * exp(-q[1]) * t * t;
    g_t[0] = -w * cos(w * t) * q[0];
    g_t[1] = exp(-q[1]) * t;
    return SS_OK;
}

TEST(constraints_of_blocks_are_differentiated_to_ten_digits_slow_or_fast)
{
    ss_context *ctx = test_context();
    uint64_t seed = 14;
    for (double w = 1; w < 2000; w *= 10) {
        const ss_block block = {
            .size = sizeof(ss_block), .n = 2, .mass = block_mass, .constraints = 2, .constraint = fast_constraint, .user = &w
        };
        const double q0[2] = { 0, 0 };
        ss_scene *scene = new_scene(ctx, 2);
        ss_body_desc d = standing("block", SS_BODY_BLOCK);
        d.block = &block;
        d.block_q = q0;
        add_body(scene, ctx, d);
        ss_model *m = NULL;
        CHECK_OK(ctx, ss_model_compile(ctx, scene, &m));
        ss_scene_destroy(scene);
        double worst = 0;
        for (int trial = 0; trial < 100; trial++) {
            const double t = 0.3, q[2] = { uniform(&seed), uniform(&seed) }, v[2] = { 3 * uniform(&seed), uniform(&seed) };
            const double e = exp(-q[1]), s = sin(w * t), c = cos(w * t);
            const double a = 2 * v[0] * v[1] - 2 * w * c * v[0] + w * w * s * q[0];
            const double b = -w * w * cos(w * q[0]) * v[0] * v[0] + 0.5 * e * t * t * v[1] * v[1] - 2 * e * t * v[1] + e;
            double out[2];
            place p = place_at(ctx, m, t, q);
            CHECK_OK(ctx, ss_model_joint_acceleration(ctx, m, &p.c, v, out));
            worst = fmax(worst, fmax(fabs(out[0] + a), fabs(out[1] + b)) / (1 + w * w));
            leave(&p);
        }
        CHECK_NEAR(worst, 0, fmax(1e-11, 4e-14 * w)); /* w q and w t are rounded before their sine is taken */
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* g = q0 - 0.1 (1 - cos(2 t)), in units of user[0] for lengths and user[1] for times */
static ss_status swinging(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    const double *unit = user, w = 2 / unit[1];
    g[0] = q[0] - 0.1 * unit[0] * (1 - cos(w * t));
    G[0] = 1;
    g_t[0] = -0.1 * unit[0] * w * sin(w * t);
    return SS_OK;
}

TEST(the_rate_of_a_block_at_rest_has_all_its_digits_in_any_unit_of_time)
{
    ss_context *ctx = test_context();
    for (double time = 1e-9; time < 1e10; time *= 1e3) {
        double unit[2] = { 1e-3, time }, out;
        const double still[2] = { 0, 0 };
        ss_block block = ss_block_default();
        ss_scene_settings settings = ss_scene_settings_default();
        ss_scene *scene = NULL;
        ss_body_desc d = standing("block", SS_BODY_BLOCK);
        block.user = unit;
        block.n = 2;
        block.mass = block_mass;
        block.constraints = 1;
        block.constraint = swinging;
        d.block = &block;
        settings.until = time;
        settings.length_scale = unit[0];
        CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
        add_body(scene, ctx, d);
        ss_model *m = compiled(ctx, scene);
        place p = place_at(ctx, m, 0, still);
        CHECK_OK(ctx, ss_model_joint_acceleration(ctx, m, &p.c, still, &out));
        CHECK_NEAR(out * time * time / unit[0], 0.4, 1e-11);
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_ask_for_the_accelerations_that_keep_their_rates),
        cmocka_unit_test(every_joint_feels_the_acceleration_of_a_driven_body),
        cmocka_unit_test(constraints_of_blocks_are_differentiated_to_ten_digits_slow_or_fast),
        cmocka_unit_test(the_rate_of_a_block_at_rest_has_all_its_digits_in_any_unit_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
