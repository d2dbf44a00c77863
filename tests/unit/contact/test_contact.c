/* test_contact.c - rows, tangents and names of contacts. */
#include "scenes.h"

enum { SAMPLES = 2000 };

static double uniform(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

/* two rigid bodies near each other and a driven wall; 2D and 3D */
static world two_bodies(int dimension, uint64_t *seed)
{
    world w = world_begin(dimension);
    add_material(&w, "rough", 0.5, 0);
    ss_body_desc wall = body_desc("wall", SS_BODY_DRIVEN, 0, 0, 0);
    wall.motion[0] = "0.3*t";
    wall.motion[1] = "0.7*t-0.5*t^2";
    wall.motion_angle = "0.4*t";
    add_floor(&w, add_body(&w, &wall), "rough");
    for (int k = 0; k < 2; k++) {
        ss_body_desc body = body_desc(k == 0 ? "first" : "second", SS_BODY_RIGID, 0.3 * uniform(seed), 0.5 + 0.9 * k, 0);
        ss_quat turn = ss_quat_exp(ss_v3(uniform(seed), uniform(seed), uniform(seed)));
        body.angle = uniform(seed);
        ss_quat_to(turn, body.orientation);
        add_box(&w, add_body(&w, &body), 0.8, 0.9, 0.7, "rough");
    }
    world_compile(&w);
    return w;
}

static void random_velocity(uint64_t *seed, int n, double *v)
{
    for (int i = 0; i < n; i++) {
        v[i] = uniform(seed);
    }
}

/* gap of contact k after moving for h with velocities v */
static double gap_after(world *w, int k, const double *v, double h, double *q)
{
    ss_model_retract(w->model, w->model->q0, v, h, q);
    ss_config_set(w->model, h, q, &w->config);
    ss_contact_value value;
    CHECK_OK(w->ctx, ss_contact_eval(w->ctx, w->model, &w->config, &w->set.c[k], &value));
    return value.gap;
}

static void go_to_start(world *w)
{
    ss_config_set(w->model, 0, w->model->q0, &w->config);
    ss_config_drive(w->model, 0, 0, &w->config);
}

static void check_normal_rows(int dimension)
{
    uint64_t seed = 21;
    int seen = 0;
    for (int trial = 0; trial < 40; trial++) {
        world w = two_bodies(dimension, &seed);
        CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.5, &w.set));
        for (int k = 0; k < w.set.n; k++) {
            double v[12], q[14], drive[3];
            random_velocity(&seed, w.model->nv, v);
            go_to_start(&w);
            CHECK(world_rows(&w, k, true, drive) == dimension);
            const double rate = ss_csr_row_dot(&w.H, 0, v) + drive[0], h = 1e-5;
            ss_contact_value value;
            CHECK_OK(w.ctx, ss_contact_eval(w.ctx, w.model, &w.config, &w.set.c[k], &value));
            for (int i = 0; i < dimension; i++) { /* the same sums */
                const double row = ss_csr_row_dot(&w.H, i, v) + drive[i];
                CHECK(ss_contact_velocity(w.model, &w.config, &w.set.c[k], &value, i, v) == row);
            }
            const double difference = (gap_after(&w, k, v, h, q) - gap_after(&w, k, v, -h, q)) / (2 * h);
            CHECK_NEAR(rate, difference, 1e-6); /* h^2 times third derivatives (below 1e3), rounding 1e-15 / h */
            seen++;
        }
        world_end(&w);
    }
    CHECK(seen > 80);
}

TEST(normal_row_times_velocity_plus_drive_is_the_rate_of_the_gap)
{
    check_normal_rows(2);
    check_normal_rows(3);
}

/* relative velocity of the two bodies at the contact point */
static ss_vec3 slip_velocity(const world *w, const ss_contact *c, ss_vec3 point, const double *v)
{
    ss_vec3 velocity[2];
    for (int k = 0; k < 2; k++) {
        ss_vec3 twist[2];
        ss_model_twist(w->model, &w->config, v, c->at[k].body, twist);
        velocity[k] = ss_add(twist[0], ss_cross(twist[1], ss_sub(point, w->config.frame[c->at[k].body].p)));
    }
    return ss_sub(velocity[0], velocity[1]);
}

TEST(tangent_rows_are_the_relative_velocity_at_the_contact_point)
{
    uint64_t seed = 22;
    for (int trial = 0; trial < 40; trial++) {
        const int dimension = 2 + trial % 2;
        world w = two_bodies(dimension, &seed);
        CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.5, &w.set));
        for (int k = 0; k < w.set.n; k++) {
            double v[12], drive[3];
            ss_contact_value value;
            random_velocity(&seed, w.model->nv, v);
            world_rows(&w, k, true, drive);
            CHECK_OK(w.ctx, ss_contact_eval(w.ctx, w.model, &w.config, &w.set.c[k], &value));
            const ss_vec3 slip = slip_velocity(&w, &w.set.c[k], value.point, v);
            for (int i = 1; i < dimension; i++) {
                CHECK_NEAR(ss_csr_row_dot(&w.H, i, v) + drive[i], ss_dot(slip, value.tangent[i - 1]), 1e-14); /* rounding */
            }
            CHECK(world_rows(&w, k, false, drive) == 1);
        }
        world_end(&w);
    }
}

/* an impulse between two free bodies changes neither momentum nor angular momentum: with unit mass and
 * inertia, H' r are the changes themselves */
TEST(impulses_between_free_bodies_conserve_momentum_and_angular_momentum)
{
    uint64_t seed = 23;
    for (int trial = 0; trial < 40; trial++) {
        world w = two_bodies(3, &seed);
        CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.5, &w.set));
        for (int k = 0; k < w.set.n; k++) {
            if (!ss_model_is_dynamic(w.model, w.set.c[k].at[0].body)) {
                continue;
            }
            double drive[3], dv[12] = { 0 };
            const double r[3] = { uniform(&seed), uniform(&seed), uniform(&seed) };
            world_rows(&w, k, true, drive);
            ss_csr_transpose_times(&w.H, 1, r, 0, dv);
            ss_vec3 linear = { 0, 0, 0 }, angular = { 0, 0, 0 };
            for (int b = 1; b <= 2; b++) {
                const double *x = dv + w.model->body_v[b];
                const ss_frame *f = &w.config.frame[b];
                linear = ss_add(linear, ss_v3_from(x));
                angular = ss_add(angular, ss_add(ss_cross(f->p, ss_v3_from(x)), ss_rotate(f->R, ss_v3_from(x + 3))));
            }
            CHECK_NEAR(ss_norm(linear), 0, 1e-15);
            CHECK_NEAR(ss_norm(angular), 0, 1e-14);
        }
        world_end(&w);
    }
}

/* ---- tangents ---------------------------------------------------------------------------------- */

TEST(tangents_are_orthonormal_and_the_same_set_when_the_bodies_are_exchanged)
{
    ss_model m = { .dimension = 3, .friction_axes = ss_quat_matrix(ss_quat_exp(ss_v3(0.3, -0.8, 0.2))) };
    ss_frame frame[1] = { { { 0, 0, 0 }, ss_quat_matrix(ss_quat_exp(ss_v3(1, 0.5, -0.2))) } };
    const ss_config config = { .frame = frame };
    uint64_t seed = 24;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_pair_law law = { .grain = { 0, 1, 0 } };
        const ss_contact contact = { .law = &law, .grain_body = k % 2 ? 0 : -1 };
        const ss_vec3 n = ss_unit(ss_v3(uniform(&seed), uniform(&seed), uniform(&seed)));
        ss_vec3 t[2], s[2];
        ss_contact_tangents(&m, &config, &contact, n, t);
        ss_contact_tangents(&m, &config, &contact, ss_scale(-1, n), s);
        CHECK_NEAR(ss_norm(t[0]), 1, 1e-15);
        CHECK_NEAR(ss_dot(t[0], n), 0, 1e-14);
        CHECK_NEAR(ss_norm(ss_sub(t[1], ss_cross(n, t[0]))), 0, 0);
        CHECK_NEAR(ss_norm(ss_sub(s[0], t[0])), 0, 1e-15);
        CHECK_NEAR(ss_norm(ss_add(s[1], t[1])), 0, 1e-15);
    }
}

TEST(turning_the_friction_frame_with_the_scene_turns_the_tangents)
{
    const ss_quat turn = ss_quat_axis(ss_v3(1, 2, 3), 37 * 3.14159265358979323846 / 180);
    const ss_mat3 R = ss_quat_matrix(turn);
    const ss_model plain = { .dimension = 3, .friction_axes = ss_mat3_identity() },
                   turned = { .dimension = 3, .friction_axes = ss_quat_matrix(turn) };
    const ss_contact contact = { .grain_body = -1 };
    const ss_config config = { 0 };
    uint64_t seed = 25;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_vec3 n = ss_unit(ss_v3(uniform(&seed), uniform(&seed), uniform(&seed)));
        ss_vec3 t[2], s[2];
        ss_contact_tangents(&plain, &config, &contact, n, t);
        ss_contact_tangents(&turned, &config, &contact, ss_rotate(R, n), s);
        CHECK_NEAR(ss_norm(ss_sub(s[0], ss_rotate(R, t[0]))), 0, 1e-14);
        CHECK_NEAR(ss_norm(ss_sub(s[1], ss_rotate(R, t[1]))), 0, 1e-14);
    }
}

TEST(rounding_of_an_axis_aligned_normal_does_not_turn_the_tangents)
{
    const ss_model m = { .dimension = 3, .friction_axes = ss_mat3_identity() };
    const ss_contact contact = { .grain_body = -1 };
    const ss_config config = { 0 };
    uint64_t seed = 26;
    const ss_vec3 normals[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.6, 0.8, 0 } };
    const ss_vec3 first[] = { { 0, 1, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0.8, -0.6, 0 } };
    for (int k = 0; k < SAMPLES; k++) {
        const ss_vec3 noise = ss_v3(uniform(&seed), uniform(&seed), uniform(&seed)),
                      n = ss_unit(ss_axpy(1e-12, noise, normals[k % 4]));
        ss_vec3 t[2];
        ss_contact_tangents(&m, &config, &contact, n, t);
        CHECK_NEAR(ss_norm(ss_sub(t[0], first[k % 4])), 0, 1e-11); /* ten times the noise */
    }
}

TEST(the_grain_leads_the_first_tangent_and_a_normal_along_it_falls_back)
{
    const ss_model m = { .dimension = 3, .friction_axes = ss_mat3_identity() };
    ss_frame frame[1] = { { { 0, 0, 0 }, ss_rotation_z(0.5) } };
    const ss_config config = { .frame = frame };
    const ss_pair_law law = { .grain = { 1, 0, 0 } };
    const ss_contact contact = { .law = &law, .grain_body = 0 };
    ss_vec3 t[2];
    ss_contact_tangents(&m, &config, &contact, ss_v3(0, 0, 1), t);
    CHECK_NEAR(t[0].x, cos(0.5), 1e-15);
    CHECK_NEAR(t[0].y, sin(0.5), 1e-15);
    ss_contact_tangents(&m, &config, &contact, ss_v3(cos(0.5), sin(0.5), 0), t);
    CHECK_NEAR(ss_norm(t[0]), 1, 1e-15);
}

TEST(the_tangent_in_2d_is_the_normal_turned_back_by_a_right_angle)
{
    const ss_model m = { .dimension = 2 };
    const ss_config config = { 0 };
    const ss_contact contact = { .grain_body = -1 };
    ss_vec3 t[2];
    ss_contact_tangents(&m, &config, &contact, ss_v3(0.6, 0.8, 0), t);
    CHECK_NEAR(t[0].x, 0.8, 0);
    CHECK_NEAR(t[0].y, -0.6, 0);
}

/* ---- limits, motors, blocks -------------------------------------------------------------------- */

static ss_status one_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user;
    gap[0] = 3 * q[0] * q[0] - 2 * t;
    gap[1] = q[1];
    H[0] = 6 * q[0];
    H[1] = H[2] = 0;
    H[3] = 1;
    gap_t[0] = -2;
    gap_t[1] = 0;
    return SS_OK;
}

static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    (void)user;
    (void)t;
    (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
    return SS_OK;
}

/* an arm hinged to a driven cart, with limits and a bounded motor; a block of two coordinates */
static world machine(const ss_block *block, const double *block_q)
{
    world w = world_begin(2);
    ss_body_desc cart = body_desc("cart", SS_BODY_DRIVEN, 0, 0, 0);
    cart.motion_angle = "0.2*t";
    add_body(&w, &cart);
    add_simple(&w, "arm", SS_BODY_RIGID, 1, 0, 0);
    ss_body_desc body = body_desc("lever", SS_BODY_BLOCK, 0, 0, 0);
    body.block = block;
    body.block_q = block_q;
    add_body(&w, &body);
    ss_joint_desc joint = ss_joint_desc_default();
    joint.name = "pin";
    joint.type = "revolute";
    joint.bodies[0] = "cart";
    joint.bodies[1] = "arm";
    joint.at[0] = joint.at[1] = joint.at[2] = 0;
    joint.limits[0] = -0.25;
    joint.limits[1] = 0.5;
    joint.motor.speed = "1.5";
    joint.motor.max = 3;
    CHECK_OK(w.ctx, ss_scene_add_joint(w.scene, &joint, NULL));
    world_compile(&w);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.1, &w.set));
    return w;
}

TEST(limits_motors_and_block_gaps_have_their_own_rows)
{
    const ss_block block = {
        .size = sizeof(ss_block), .n = 2, .constant_mass = true, .mass = unit_mass, .gaps = 2, .gap = one_gap
    };
    const double block_q[2] = { 0.5, 4 }, v[5] = { 0, 0, 0.7, 2, -1 }; /* arm: x y angle; lever */
    world w = machine(&block, block_q);
    ss_contact_value value;
    double drive[3];
    CHECK(w.set.n == 5);

    /* the coordinate is the angle of the arm against the cart: rate 0.7 - 0.2 */
    const double gaps[] = { 0.25, 0.5, 0, 3 * 0.25, 4 }, rates[] = { 0.5, -0.5, 0.5 - 1.5, 3 * 2 - 2, -1 };
    for (int k = 0; k < 5; k++) {
        CHECK_OK(w.ctx, ss_contact_eval(w.ctx, w.model, &w.config, &w.set.c[k], &value));
        CHECK_NEAR(value.gap, gaps[k], 1e-15);
        CHECK(value.outside <= 0);
        CHECK(world_rows(&w, k, true, drive) == 1);
        CHECK_NEAR(ss_csr_row_dot(&w.H, 0, v) + drive[0], rates[k], 1e-15); /* rounding */
    }
    world_end(&w);
}

TEST(a_contact_of_bodies_that_cannot_move_has_empty_rows)
{
    world w = world_begin(2);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    add_ball(&w, add_simple(&w, "stone", SS_BODY_FIXED, 0, 0.5, 0), 0.5, NULL);
    add_simple(&w, "free", SS_BODY_RIGID, 5, 5, 0);
    world_compile(&w);
    ss_manifold m;
    ss_collide(&w.model->shape[0], &w.config.frame[0], &w.model->shape[1], &w.config.frame[1], 0.1, &m);
    const ss_contact contact = { .at = { { .body = 0 }, { .body = 1 } }, .gap = m.gap[0], .mu = { 0.5, 0.5 }, .grain_body = -1 };
    ss_contact_value value;
    double drive[3] = { 7, 7, 7 };
    int rows;
    CHECK_OK(w.ctx, ss_contact_eval(w.ctx, w.model, &w.config, &contact, &value));
    CHECK_OK(w.ctx, ss_contact_rows(w.ctx, w.model, &w.config, &contact, &value, true, &w.H, drive, &rows));
    CHECK(rows == 2 && w.H.m == 2 && w.H.p[2] == 0);
    CHECK_NEAR(drive[0], 0, 0);
    CHECK_NEAR(drive[1], 0, 0);
    world_end(&w);
}

/* ---- names ------------------------------------------------------------------------------------- */

static void check_name(const world *w, int k, const char *expected)
{
    char text[64];
    ss_contact_name(w->model, &w->set.c[k], text, sizeof text);
    assert_string_equal(text, expected);
}

TEST(names_say_bodies_shapes_and_features)
{
    world w = world_begin(2);
    add_floor(&w, add_simple(&w, "floor", SS_BODY_FIXED, 0, 0, 0), NULL);
    const int ball = add_simple(&w, "ball", SS_BODY_RIGID, 0, 0.5, 0);
    add_ball(&w, ball, 0.1, NULL);
    add_ball(&w, ball, 0.5, NULL);
    add_box(&w, add_simple(&w, "crate", SS_BODY_RIGID, 5, 0.5, 0), 1, 1, 1, NULL);
    world_compile(&w);
    CHECK_OK(w.ctx, ss_finder_find(w.finder, &w.config, 0.1, &w.set));
    CHECK(w.set.n == 3);
    check_name(&w, 0, "floor.0-ball.1");
    check_name(&w, 1, "floor.0-crate.0#0"); /* vertices 0 and 1 of the box */
    check_name(&w, 2, "floor.0-crate.0#1");
    char text[8];
    ss_contact_name(w.model, &w.set.c[1], text, sizeof text);
    assert_string_equal(text, "floor.0");
    world_end(&w);

    const ss_block block = {
        .size = sizeof(ss_block), .n = 2, .constant_mass = true, .mass = unit_mass, .gaps = 2, .gap = one_gap
    };
    w = machine(&block, NULL);
    check_name(&w, 0, "pin.lower");
    check_name(&w, 1, "pin.upper");
    check_name(&w, 2, "pin.motor");
    check_name(&w, 4, "lever.gap1");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_row_times_velocity_plus_drive_is_the_rate_of_the_gap),
        cmocka_unit_test(tangent_rows_are_the_relative_velocity_at_the_contact_point),
        cmocka_unit_test(impulses_between_free_bodies_conserve_momentum_and_angular_momentum),
        cmocka_unit_test(tangents_are_orthonormal_and_the_same_set_when_the_bodies_are_exchanged),
        cmocka_unit_test(turning_the_friction_frame_with_the_scene_turns_the_tangents),
        cmocka_unit_test(rounding_of_an_axis_aligned_normal_does_not_turn_the_tangents),
        cmocka_unit_test(the_grain_leads_the_first_tangent_and_a_normal_along_it_falls_back),
        cmocka_unit_test(the_tangent_in_2d_is_the_normal_turned_back_by_a_right_angle),
        cmocka_unit_test(limits_motors_and_block_gaps_have_their_own_rows),
        cmocka_unit_test(a_contact_of_bodies_that_cannot_move_has_empty_rows),
        cmocka_unit_test(names_say_bodies_shapes_and_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
