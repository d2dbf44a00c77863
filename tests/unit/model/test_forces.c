/* test_forces.c - mass, forces, energy and their derivatives on whole models. */
#include "rich.h"

static void classes_at(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *k)
{
    place p = place_at(ctx, m, t, q);
    CHECK_OK(ctx, ss_model_forces(ctx, m, &p.c, v, k));
    leave(&p);
}

static void total_at(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *out)
{
    double k[SS_FORCE_CLASSES * NV_MAX];
    classes_at(ctx, m, t, q, v, k);
    for (int i = 0; i < m->nv; i++) {
        out[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            out[i] += k[kind * m->nv + i];
        }
    }
}

static double potential_at(ss_context *ctx, const ss_model *m, double t, const double *q)
{
    place p = place_at(ctx, m, t, q);
    double V;
    CHECK_OK(ctx, ss_model_potential(ctx, m, &p.c, &V));
    leave(&p);
    return V;
}

TEST(a_hanging_spring_has_hookes_force_and_energy)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_force_desc spring = force_between("s", "spring", "world", "ball");
    spring.length = 1;
    add_body(scene, ctx, particle("ball", 0, -3));
    add_force(scene, ctx, spring);
    ss_model *m = compiled(ctx, scene);
    double k[SS_FORCE_CLASSES * 2];
    classes_at(ctx, m, 0, m->q0, m->v0, k);
    CHECK_NEAR(k[2 * SS_FORCE_SPRING + 1], 3 * (3 - 1), 1e-15);
    CHECK_NEAR(k[2 * SS_FORCE_GRAVITY + 1], -9.81, 0);
    CHECK_NEAR(potential_at(ctx, m, 0, m->q0), 0.5 * 3 * 4 - 9.81 * 3, 1e-14);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_rest_length_that_is_not_given_is_the_initial_distance)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    add_body(scene, ctx, particle("ball", 3, 4));
    add_force(scene, ctx, force_between("s", "spring", "world", "ball"));
    ss_model *m = compiled(ctx, scene);
    CHECK_NEAR(m->force[0].length, 5, 1e-15);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(tables_are_linear_inside_and_constant_outside)
{
    const double times[] = { 1, 2, 4 }, value[] = { 1, 0, 0, 5, 0, 0, -1, 0, 0 };
    const double t[] = { -3, 1, 1.25, 2, 3, 4, 9 }, expected[] = { 1, 1, 2, 5, 2, -1, -1 };
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_force_desc d = force_between("f", "table", "ball", NULL);
    d.table = (ss_table){ 3, times, value, NULL };
    add_body(scene, ctx, particle("ball", 0, 0));
    add_force(scene, ctx, d);
    ss_model *m = compiled(ctx, scene);
    for (int i = 0; i < 7; i++) {
        double k[SS_FORCE_CLASSES * 2];
        classes_at(ctx, m, t[i], m->q0, m->v0, k);
        CHECK_NEAR(k[2 * SS_FORCE_APPLIED], expected[i], 0); /* these numbers are exact in binary */
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_force_off_the_centre_turns_the_body)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc body = rigid("plate", 0, 0);
    ss_force_desc push = force_between("f", "constant", "plate", NULL);
    body.angle = acos(-1) / 2;
    push.force[0] = 3;
    push.point[0] = 2;
    push.torque[2] = 0.5;
    add_body(scene, ctx, body);
    add_force(scene, ctx, push);
    ss_model *m = compiled(ctx, scene);
    double k[SS_FORCE_CLASSES * 3];
    classes_at(ctx, m, 0, m->q0, m->v0, k);
    CHECK_NEAR(k[3 * SS_FORCE_APPLIED + 2], 0.5 - 2 * 3, 1e-14); /* arm (0, 2), force (3, 0) */
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_motor_force_acts_along_the_coordinate)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_joint_desc slider = joint_between("j", "prismatic", "world", "cart"),
                  hinge = joint_between("h", "revolute", "cart", "pole");
    slider.axis[0] = 1;
    slider.axis[1] = 0;
    slider.motor.force = "4 + t";
    hinge.motor.force = "7";
    add_body(scene, ctx, rigid("cart", 0, 0));
    add_body(scene, ctx, rigid("pole", 0, 0));
    add_joint(scene, ctx, slider);
    add_joint(scene, ctx, hinge);
    ss_model *m = compiled(ctx, scene);
    double k[SS_FORCE_CLASSES * 6];
    const double *applied = k + 6 * SS_FORCE_APPLIED;
    classes_at(ctx, m, 2, m->q0, m->v0, k);
    CHECK_NEAR(applied[0], 6, 0);
    CHECK_NEAR(applied[2], -7, 0);
    CHECK_NEAR(applied[5], 7, 0);
    CHECK(m->nj == 4 && !m->row_motor[1]);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(the_gyroscopic_force_is_workless_and_is_eulers)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    ss_body_desc body = rigid("top", 0, 0);
    const double I[3] = { 1, 2, 3 - 1e-3 };
    memcpy(body.inertia, I, sizeof I);
    body.angular_velocity[0] = 1;
    body.angular_velocity[1] = 0.5;
    body.angular_velocity[2] = -0.8;
    add_body(scene, ctx, body);
    ss_model *m = compiled(ctx, scene);
    double k[SS_FORCE_CLASSES * 6];
    const double *w = m->v0 + 3, *g = k + 6 * SS_FORCE_GYROSCOPIC + 3;
    classes_at(ctx, m, 0, m->q0, m->v0, k);
    CHECK_NEAR(g[0], (I[1] - I[2]) * w[1] * w[2], 1e-15); /* I1 w1' = (I2 - I3) w2 w3 */
    CHECK_NEAR(g[1], (I[2] - I[0]) * w[2] * w[0], 1e-15);
    CHECK_NEAR(g[2], (I[0] - I[1]) * w[0] * w[1], 1e-15);
    CHECK_NEAR(g[0] * w[0] + g[1] * w[1] + g[2] * w[2], 0, 1e-15);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(the_mass_matrix_is_symmetric_positive_definite_and_gives_the_kinetic_energy)
{
    ss_context *ctx = test_context();
    uint64_t seed = 4;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, dimension));
        double q[NV_MAX], v[NV_MAX], Mv[NV_MAX], x[36 * 12], L[36 * 12], sum = 0, energy;
        random_state(m, &seed, q, v);
        CHECK_OK(ctx, ss_model_mass(ctx, m, 0.3, q, x));
        ss_blockdiag M = m->mass.diagonal;
        M.x = x;
        CHECK(!m->constant_mass);
        for (int b = 0; b < M.blocks; b++) {
            for (int i = 0; i < M.size[b] * M.size[b]; i++) {
                int row = i / M.size[b], column = i % M.size[b];
                CHECK_NEAR(x[M.start[b] + i], x[M.start[b] + column * M.size[b] + row], 0);
            }
        }
        CHECK_OK(ctx, ss_blockdiag_factor(ctx, &M, L));
        ss_blockdiag_times(&M, v, Mv);
        for (int i = 0; i < m->nv; i++) {
            sum += 0.5 * v[i] * Mv[i];
        }
        CHECK_OK(ctx, ss_model_kinetic(ctx, m, 0.3, q, v, &energy));
        CHECK_NEAR(energy, sum, 1e-13);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(a_constant_mass_matrix_and_its_factors_are_the_models_and_others_are_written_to_the_room_given)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 3);
    ss_body_desc body = rigid("top", 0, 0);
    body.inertia[3] = 0.05; /* off the diagonal */
    add_body(scene, ctx, body);
    ss_model *still = compiled(ctx, scene), *varying = compiled(ctx, rich_scene(ctx, 3));
    ss_blockdiag M;
    double L[36], room[36 * 12], fresh[36 * 12];
    CHECK(ss_model_mass_room(still) == 0);
    CHECK_OK(ctx, ss_model_mass_at(ctx, still, 0, still->q0, NULL, &M));
    CHECK_OK(ctx, ss_blockdiag_factor(ctx, &M, L));
    CHECK(M.x == still->mass.diagonal.x && M.factor[0] == L[0] && M.factor[27] == L[27] && L[27] != 0);
    CHECK(ss_model_mass_room(varying) == ss_model_mass_size(varying));
    CHECK_OK(ctx, ss_model_mass_at(ctx, varying, 0.3, varying->q0, room, &M));
    CHECK_OK(ctx, ss_model_mass(ctx, varying, 0.3, varying->q0, fresh));
    CHECK(M.x == room && !M.factor && memcmp(room, fresh, ss_model_mass_size(varying) * sizeof *room) == 0);
    ss_model_destroy(still);
    ss_model_destroy(varying);
    ss_context_destroy(ctx);
}

TEST(gravity_springs_and_blocks_lose_potential_at_the_rate_they_give_power)
{
    ss_context *ctx = test_context();
    uint64_t seed = 5;
    const double h = 1e-5; /* central: h^2 times third derivatives, 2e-16 * 100 J / h = 2e-9 */
    for (int trial = 0; trial < 40; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX], q1[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX], power = 0;
        random_state(m, &seed, q, v);
        classes_at(ctx, m, 0.4, q, v, k);
        for (int i = 0; i < m->nv; i++) {
            power += (k[SS_FORCE_GRAVITY * m->nv + i] + k[SS_FORCE_SPRING * m->nv + i]) * v[i];
        }
        ss_model_retract(m, q, v, h, q1);
        double up = potential_at(ctx, m, 0.4, q1);
        ss_model_retract(m, q, v, -h, q1);
        CHECK_NEAR((up - potential_at(ctx, m, 0.4, q1)) / (2 * h), -power, 1e-7);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- Jacobians through the retraction -------------------------------------------------------------------- */

static void check_column(ss_context *ctx, const ss_model *m, const double *q, const double *v, int j, const ss_csr K[2])
{
    /* central differences, step 1e-5: 1e-10 times third derivatives of order 1e3 at most, 2e-16 * 100 N / 1e-5 */
    const double h = 1e-5, t = 0.4;
    double x[NV_MAX] = { 0 }, there[NV_MAX], w[NV_MAX], plus[NV_MAX], minus[NV_MAX], unit[NV_MAX] = { 0 }, column[NV_MAX];
    unit[j] = x[j] = 1;
    for (int which = 0; which < 2; which++) {
        for (int side = 1; side >= -1; side -= 2) {
            memcpy(w, v, sizeof w);
            ss_model_retract(m, q, x, which == 0 ? side * h : 0, there);
            w[j] += which == 1 ? side * h : 0;
            total_at(ctx, m, t, there, w, side > 0 ? plus : minus);
        }
        ss_csr_times(&K[which], 1, unit, 0, column);
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(column[i], (plus[i] - minus[i]) / (2 * h), 1e-6 * (1 + fabs(column[i])));
        }
    }
}

TEST(force_jacobians_agree_with_differences_along_the_retraction)
{
    ss_context *ctx = test_context();
    uint64_t seed = 6;
    for (int trial = 0; trial < 10; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX];
        ss_csr K[2] = { { 0 }, { 0 } };
        random_state(m, &seed, q, v);
        place p = place_at(ctx, m, 0.4, q);
        CHECK_OK(ctx, ss_model_force_jacobian(ctx, m, &p.c, v, &K[0], &K[1]));
        CHECK(K[0].m == m->nv && K[0].n == m->nv && K[1].m == m->nv);
        for (int j = 0; j < m->nv; j++) {
            check_column(ctx, m, q, v, j, K);
        }
        /* the second time takes no memory, and the columns of every row are sorted and single */
        uint64_t taken = ss_context_allocations(ctx);
        CHECK_OK(ctx, ss_model_force_jacobian(ctx, m, &p.c, v, &K[0], &K[1]));
        CHECK(ss_context_allocations(ctx) == taken);
        for (int i = 0; i < m->nv; i++) {
            for (int e = K[0].p[i] + 1; e < K[0].p[i + 1]; e++) {
                CHECK(K[0].i[e] > K[0].i[e - 1]);
            }
        }
        leave(&p);
        ss_csr_free(ctx, &K[0]);
        ss_csr_free(ctx, &K[1]);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* ---- invariance ------------------------------------------------------------------------------------------------ */

/* two rigid bodies in 3D with a spring_damper, everything turned by Q */
static ss_model *turned_pair(ss_context *ctx, ss_quat Q)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_mat3 R = ss_quat_matrix(Q);
    ss_scene *scene = NULL;
    settings.dimension = 3;
    ss_v3_to(ss_rotate(R, ss_v3(1, -9, 2)), settings.gravity);
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    for (int b = 0; b < 2; b++) {
        ss_body_desc d = rigid(b ? "b" : "a", 0, 0);
        ss_v3_to(ss_rotate(R, ss_v3(b, 0.3, -0.2)), d.position);
        ss_v3_to(ss_rotate(R, ss_v3(0.4, b, -1)), d.velocity);
        ss_quat_to(ss_quat_product(Q, ss_quat_exp(ss_v3(0.1, b, 0.2))), d.orientation);
        d.angular_velocity[b] = 2; /* body frame: does not turn */
        add_body(scene, ctx, d);
    }
    ss_force_desc link = force_between("link", "spring_damper", "a", "b");
    link.anchors[0][1] = 0.5;
    link.anchors[1][2] = -0.25;
    link.length = 0.4;
    add_force(scene, ctx, link);
    return compiled(ctx, scene);
}

TEST(forces_turn_with_the_scene)
{
    ss_context *ctx = test_context();
    const double angle = 37 * acos(-1) / 180;
    ss_quat Q = ss_quat_axis(ss_v3(1, 2, -0.5), angle), one = { 1, 0, 0, 0 };
    ss_mat3 R = ss_quat_matrix(Q);
    ss_model *here = turned_pair(ctx, one), *there = turned_pair(ctx, Q);
    double k[NV_MAX], kr[NV_MAX];
    total_at(ctx, here, 0, here->q0, here->v0, k);
    total_at(ctx, there, 0, there->q0, there->v0, kr);
    for (int b = 0; b < 2; b++) { /* 1e-14: roundings of forces of order 10 */
        CHECK_NEAR(ss_norm(ss_sub(ss_rotate(R, ss_v3_from(k + 6 * b)), ss_v3_from(kr + 6 * b))), 0, 1e-14);
        CHECK_NEAR(ss_norm(ss_sub(ss_v3_from(k + 6 * b + 3), ss_v3_from(kr + 6 * b + 3))), 0, 1e-14);
    }
    CHECK_NEAR(here->length, there->length, 1e-15);
    ss_model_destroy(here);
    ss_model_destroy(there);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_spring_has_hookes_force_and_energy),
        cmocka_unit_test(a_rest_length_that_is_not_given_is_the_initial_distance),
        cmocka_unit_test(tables_are_linear_inside_and_constant_outside),
        cmocka_unit_test(a_force_off_the_centre_turns_the_body),
        cmocka_unit_test(a_motor_force_acts_along_the_coordinate),
        cmocka_unit_test(the_gyroscopic_force_is_workless_and_is_eulers),
        cmocka_unit_test(the_mass_matrix_is_symmetric_positive_definite_and_gives_the_kinetic_energy),
        cmocka_unit_test(a_constant_mass_matrix_and_its_factors_are_the_models_and_others_are_written_to_the_room_given),
        cmocka_unit_test(gravity_springs_and_blocks_lose_potential_at_the_rate_they_give_power),
        cmocka_unit_test(force_jacobians_agree_with_differences_along_the_retraction),
        cmocka_unit_test(forces_turn_with_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
