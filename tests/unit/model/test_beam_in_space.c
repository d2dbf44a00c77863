/* test_beam_in_space.c - the beam in 3D: rigid motion, objectivity, the planar beam in any plane, statics and frequencies of
 * theory, roll-up, twist that cannot be followed. Derivatives and energy: test_elements.c. */
#include "flexible.h"

static const double E = 3000, G = 3000 / 2.6, height = 0.1, width = 0.25, length = 2;

static ss_elements_desc beam(int divisions)
{
    ss_elements_desc d = elements("beam", divisions);
    d.size[2] = width;
    ss_quat_to(ss_quat_unit((ss_quat){ 0.8, -0.3, 0.4, 0.2 }), d.orientation);
    return d;
}

static ss_mat3 axes(const ss_elements_desc *d) { return ss_quat_matrix(ss_quat_from(d->orientation)); }

/* q of a model of beams after a rigid motion: x -> p + R x */
static void move_all(const ss_model *m, const double *from, ss_vec3 p, ss_quat R, double *to)
{
    for (int i = 0; i < 7 * (m->nv / 6); i += 7) {
        ss_v3_to(ss_add(p, ss_rotate(ss_quat_matrix(R), ss_v3_from(from + i))), to + i);
        ss_quat_to(ss_quat_product(R, ss_quat_from(from + i + 3)), to + i + 3);
    }
}

TEST(a_beam_in_space_that_turns_and_moves_as_a_whole_has_no_strain)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = beam(6);
    double q[2 * NV_MAX], v[NV_MAX], k[SS_FORCE_CLASSES * NV_MAX];
    uint64_t seed = 3;
    d.stiffness_damping = 0.5;
    ss_model *m = alone(ctx, 3, d);
    for (int trial = 0; trial < 20; trial++) {
        const ss_vec3 p = { uniform(&seed), uniform(&seed), uniform(&seed) };
        const ss_vec3 w = { 3 * uniform(&seed), 3 * uniform(&seed), 3 * uniform(&seed) };
        move_all(m, m->q0, p, ss_quat_exp(ss_v3(6 * uniform(&seed), 6 * uniform(&seed), 6 * uniform(&seed))), q);
        for (int i = 0; i <= 6; i++) { /* about p, w in the world */
            ss_v3_to(ss_cross(w, ss_sub(ss_v3_from(q + 7 * i), p)), v + 6 * i);
            ss_v3_to(ss_unrotate(ss_quat_matrix(ss_quat_from(q + 7 * i + 3)), w), v + 6 * i + 3);
        }
        CHECK(potential(ctx, m, 0, q) < 1e-26); /* strains of 1e-15, stiffness of 100 */
        forces(ctx, m, 0, q, v, k);
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(k[SS_FORCE_SPRING * m->nv + i], 0, 1e-12);
            CHECK_NEAR(k[SS_FORCE_DAMPER * m->nv + i], 0, 1e-12);
        }
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(forces_of_a_bent_beam_turn_with_it_and_its_energy_stays)
{
    ss_context *ctx = test_context();
    ss_model *m = alone(ctx, 3, beam(4));
    double q[2 * NV_MAX], v[NV_MAX], turned[2 * NV_MAX], k[2][SS_FORCE_CLASSES * NV_MAX];
    const ss_quat R = ss_quat_exp(ss_v3(1.3, -0.4, 2.1));
    uint64_t seed = 5;
    random_state(m, &seed, q, v);
    move_all(m, q, ss_v3(4, -3, 2), R, turned);
    memset(v, 0, sizeof v);
    forces(ctx, m, 0, q, v, k[0]);
    forces(ctx, m, 0, turned, v, k[1]);
    CHECK_NEAR(potential(ctx, m, 0, turned), potential(ctx, m, 0, q), 1e-12 * potential(ctx, m, 0, q));
    for (int i = 0; i < m->nv; i += 6) {
        const double *own[2] = { k[0] + SS_FORCE_SPRING * m->nv + i, k[1] + SS_FORCE_SPRING * m->nv + i };
        const ss_vec3 force = ss_rotate(ss_quat_matrix(R), ss_v3_from(own[0]));
        CHECK(ss_norm(ss_sub(force, ss_v3_from(own[1]))) < 1e-11);
        CHECK(ss_norm(ss_sub(ss_v3_from(own[0] + 3), ss_v3_from(own[1] + 3))) < 1e-11); /* in the frame of the node */
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* the same planar state of a planar beam and of one in space that is 1 m wide */
TEST(a_beam_in_space_that_is_bent_in_a_plane_is_the_planar_beam)
{
    enum { N = 4 };
    ss_context *ctx = test_context();
    ss_elements_desc d = elements("beam", N), wide = elements("beam", N);
    double q[NV_MAX], v[NV_MAX], Q[2 * NV_MAX], V[NV_MAX] = { 0 }, k[SS_FORCE_CLASSES * NV_MAX], K[SS_FORCE_CLASSES * NV_MAX];
    uint64_t seed = 9;
    wide.size[2] = 1;
    d.stiffness_damping = wide.stiffness_damping = 0.3;
    d.mass_damping = wide.mass_damping = 0.7;
    ss_model *plane = alone(ctx, 2, d), *space = alone(ctx, 3, wide);
    random_state(plane, &seed, q, v);
    for (int i = 0; i <= N; i++) {
        const double *x = q + 3 * i;
        ss_v3_to(ss_v3(x[0], x[1], 0), Q + 7 * i);
        ss_quat_to(ss_quat_exp(ss_v3(0, 0, x[2])), Q + 7 * i + 3);
        memcpy(V + 6 * i, v + 3 * i, 2 * sizeof *V);
        V[6 * i + 5] = v[3 * i + 2];
    }
    forces(ctx, plane, 0, q, v, k);
    forces(ctx, space, 0, Q, V, K);
    for (int kind = SS_FORCE_SPRING; kind <= SS_FORCE_DAMPER; kind++) {
        for (int i = 0; i <= N; i++) {
            const double *x = k + kind * plane->nv + 3 * i, *X = K + kind * space->nv + 6 * i;
            const double expected[6] = { x[0], x[1], 0, 0, 0, x[2] };
            for (int j = 0; j < 6; j++) {
                CHECK_NEAR(X[j], expected[j], 1e-11);
            }
        }
    }
    CHECK_NEAR(potential(ctx, space, 0, Q), potential(ctx, plane, 0, q), 1e-12);
    ss_model_destroy(plane);
    ss_model_destroy(space);
    ss_context_destroy(ctx);
}

/* displacement and turn of the free end of a cantilever, along its own axes, under a force and a moment along axis k there */
static void tip(ss_context *ctx, int n, int k, bool moment, ss_vec3 out[2])
{
    ss_elements_desc d = beam(n);
    double K[NV_MAX * NV_MAX], C[NV_MAX * NV_MAX], x[NV_MAX] = { 0 };
    int pivot[NV_MAX];
    d.first = "world";
    ss_model *m = alone(ctx, 3, d);
    jacobians(ctx, m, 0, m->q0, m->v0, K, C);
    if (moment) {
        x[m->nv - 3 + k] = -1; /* of the node's frame */
    } else {
        ss_v3_to(ss_scale(-1, axes(&d).c[k]), x + m->nv - 6);
    }
    CHECK(ss_dense_lu(m->nv, K, m->nv, pivot)); /* symmetric without stress: rows are columns */
    ss_dense_lu_solve(m->nv, K, m->nv, pivot, x);
    out[0] = ss_unrotate(axes(&d), ss_v3_from(x + m->nv - 6));
    out[1] = ss_v3_from(x + m->nv - 3);
    ss_model_destroy(m);
}

/* J of a rectangle 2.5 times as wide as high: beta = 0.249 in the tables; here with all digits of the series summed by hand */
static double torsion_constant(void)
{
    const double pi = acos(-1);
    double sum = 0;
    for (int n = 1; n < 2001; n += 2) {
        sum += tanh(n * pi * width / (2 * height)) / pow(n, 5);
    }
    return width * pow(height, 3) * (1.0 / 3 - 64 / pow(pi, 5) * (height / width) * sum);
}

TEST(a_cantilever_in_space_has_the_deflections_of_timoshenko_and_the_twist_of_saint_venant)
{
    ss_context *ctx = test_context();
    const double A = height * width, l = length, I[3] = { 0, A * width * width / 12, A * height * height / 12 };
    CHECK_NEAR(torsion_constant() / (width * pow(height, 3)), 0.249, 5e-4);
    for (int n = 1; n <= 7; n += 3) {
        ss_vec3 x[2];
        tip(ctx, n, 0, false, x);
        CHECK_NEAR(x[0].x, l / (E * A), 1e-12);
        tip(ctx, n, 1, false, x); /* along the height: bending about the third axis */
        CHECK_NEAR(x[0].y, l * l * l / (3 * E * I[2]) + l / (5.0 / 6 * G * A), 1e-9);
        CHECK_NEAR(x[1].z, l * l / (2 * E * I[2]), 1e-9);
        tip(ctx, n, 2, false, x); /* along the width: bending about the second axis */
        CHECK_NEAR(x[0].z, l * l * l / (3 * E * I[1]) + l / (5.0 / 6 * G * A), 1e-9);
        CHECK_NEAR(x[1].y, -l * l / (2 * E * I[1]), 1e-9);
        tip(ctx, n, 0, true, x);
        CHECK_NEAR(x[1].x, l / (G * torsion_constant()), 1e-10);
        CHECK(ss_norm(x[0]) < 1e-10);
    }
    ss_context_destroy(ctx);
}

/* Bending in both planes and twisting, with different masses of the three: frequencies come in groups of their own. */
TEST(frequencies_of_a_cantilever_in_space_converge_with_the_square_of_the_mesh_size)
{
    ss_context *ctx = test_context();
    const double root[3] = { 1.875104068711961, 4.694091132974174, 7.854757438237613 };
    double value[2][MOST];
    for (int which = 0; which < 2; which++) {
        ss_elements_desc d = beam(which == 0 ? 16 : 32);
        d.size[1] = 0.002;
        d.size[2] = 0.003; /* frequencies of the planes: 2 to 3 */
        d.first = "world";
        squared_frequencies(ctx, 3, d, value[which]);
    }
    for (int k = 0; k < 6; k++) { /* 1, 1.5; 6.27, 9.4; 17.5, 26.3 times the first */
        const double beta = root[k / 2] / length, size = k % 2 == 0 ? 0.002 : 0.003,
                     exact = beta * beta * sqrt(E * size * size / 12 / 4);
        const double far = sqrt(value[0][k]) / exact - 1, near = sqrt(value[1][k]) / exact - 1;
        CHECK(fabs(near) < 0.01);
        CHECK_NEAR(log2(far / near), 2, 0.1);
    }
    ss_context_destroy(ctx);
}

/* the first torsional vibration: a quarter of a wave of speed sqrt(GJ / (rho (I_2 + I_3))), on a mesh with lumped masses */
TEST(a_cantilever_in_space_twists_with_the_frequency_of_its_mesh)
{
    enum { N = 8 };
    ss_context *ctx = test_context();
    ss_elements_desc d = beam(N);
    double value[MOST], best = INFINITY;
    d.first = "world";
    squared_frequencies(ctx, 3, d, value);
    const double pi = acos(-1), polar = height * width * (height * height + width * width) / 12;
    const double c = sqrt(G * torsion_constant() / (4 * polar)), w = 2 * c * N / length * sin(pi / (4 * N));
    for (int k = 0; k < 6 * N; k++) {
        best = fmin(best, fabs(sqrt(value[k]) / w - 1));
    }
    CHECK(best < 1e-10);
    ss_context_destroy(ctx);
}

/* nodes on a circle in the plane across axis k of the beam, in balance with a moment of 2 pi EI_k / l at the end */
TEST(an_end_moment_rolls_a_beam_in_space_up_to_a_circle)
{
    enum { N = 10 };
    ss_context *ctx = test_context();
    for (int k = 1; k <= 2; k++) {
        ss_elements_desc d = beam(N);
        double q[2 * NV_MAX], force[SS_FORCE_CLASSES * NV_MAX];
        d.first = "world";
        ss_model *m = alone(ctx, 3, d);
        const ss_mat3 B = axes(&d);
        const double turn = 2 * acos(-1) / N, side = k == 1 ? width : height, EI = E * height * width * side * side / 12;
        const ss_quat start = ss_quat_from(d.orientation);
        ss_vec3 x = { 0, 0, 0 };
        for (int i = 1; i <= N; i++) {
            const ss_mat3 middle = ss_quat_matrix(ss_quat_axis(B.c[k], (i - 0.5) * turn));
            x = ss_axpy(length / N, ss_rotate(middle, B.c[0]), x);
            ss_v3_to(x, q + 7 * (i - 1));
            ss_quat_to(ss_quat_product(ss_quat_axis(B.c[k], i * turn), start), q + 7 * (i - 1) + 3);
        }
        CHECK(ss_norm(x) < 1e-14);
        forces(ctx, m, 0, q, m->v0, force);
        const double moment = 2 * acos(-1) * EI / length;
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(force[SS_FORCE_SPRING * m->nv + i], i == m->nv - 3 + k ? -moment : 0, 1e-11);
        }
        CHECK_NEAR(potential(ctx, m, 0, q), 0.5 * moment * 2 * acos(-1), 1e-11);
        double stress[6 * N];
        ss_model_stresses(m, 0, q, stress);
        for (int i = 0; i < 6 * N; i++) { /* force, two shears, torque, two moments */
            CHECK_NEAR(stress[i], i % 6 == 3 + k ? moment : 0, 1e-11);
        }
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* the second node of one element, turned by an angle about the beam's own axis k, and half as far moved about the first one */
static ss_status check_turned(ss_context *ctx, int k, double angle)
{
    ss_elements_desc d = beam(1);
    double q[14];
    ss_model *m = alone(ctx, 3, d);
    const ss_vec3 about = axes(&d).c[k];
    memcpy(q, m->q0, sizeof q);
    ss_v3_to(ss_rotate(ss_quat_matrix(ss_quat_axis(about, 0.5 * angle)), ss_v3_from(m->q0 + 7)), q + 7);
    ss_quat_to(ss_quat_product(ss_quat_axis(about, angle), ss_quat_from(d.orientation)), q + 10);
    place p = place_at(ctx, m, 0, q);
    const ss_status status = ss_elements_check(ctx, m, &p.c);
    leave(&p);
    ss_model_destroy(m);
    return status;
}

TEST(a_twist_near_half_a_turn_between_two_nodes_is_refused)
{
    ss_context *ctx = test_context();
    CHECK_OK(ctx, check_turned(ctx, 0, 2));
    CHECK_FAILS(ctx, check_turned(ctx, 0, 3), SS_ERR_NUMERIC, "elements.x: element 0 is inverted");
    CHECK_FAILS(ctx, check_turned(ctx, 0, 3.5), SS_ERR_NUMERIC, "elements.x: element 0 is inverted");
    CHECK_OK(ctx, check_turned(ctx, 1, 3)); /* bent: its middle still points from node to node */
    CHECK_FAILS(ctx, check_turned(ctx, 1, 3.2), SS_ERR_NUMERIC, "elements.x: element 0 is inverted");
    ss_context_destroy(ctx);
}

TEST(nodes_in_space_have_half_of_the_inertia_of_each_element_and_spin_about_the_middle)
{
    ss_context *ctx = test_context();
    ss_elements_desc d = beam(2);
    d.angular_velocity[0] = 0.5;
    d.angular_velocity[2] = 3;
    ss_model *m = alone(ctx, 3, d);
    const double line = 4 * height * width * length / 2 / 12; /* of the node in the middle, which has one element in sum */
    CHECK_NEAR(m->body_inertia[2].c[0].x, line * (height * height + width * width), 1e-16);
    CHECK_NEAR(m->body_inertia[2].c[1].y, line * width * width, 1e-16);
    CHECK_NEAR(m->body_inertia[2].c[2].z, line * height * height, 1e-16);
    CHECK_NEAR(m->body_inertia[1].c[2].z, 0.5 * line * height * height, 1e-16);
    const ss_vec3 end = ss_scale(3, axes(&d).c[1]); /* 1 m from the middle */
    CHECK(ss_norm(ss_sub(ss_v3_from(m->v0 + 12), end)) < 1e-14);
    CHECK(m->v0[3] == 0.5 && m->v0[5] == 3);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_in_space_that_turns_and_moves_as_a_whole_has_no_strain),
        cmocka_unit_test(forces_of_a_bent_beam_turn_with_it_and_its_energy_stays),
        cmocka_unit_test(a_beam_in_space_that_is_bent_in_a_plane_is_the_planar_beam),
        cmocka_unit_test(a_cantilever_in_space_has_the_deflections_of_timoshenko_and_the_twist_of_saint_venant),
        cmocka_unit_test(frequencies_of_a_cantilever_in_space_converge_with_the_square_of_the_mesh_size),
        cmocka_unit_test(a_cantilever_in_space_twists_with_the_frequency_of_its_mesh),
        cmocka_unit_test(an_end_moment_rolls_a_beam_in_space_up_to_a_circle),
        cmocka_unit_test(a_twist_near_half_a_turn_between_two_nodes_is_refused),
        cmocka_unit_test(nodes_in_space_have_half_of_the_inertia_of_each_element_and_spin_about_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
