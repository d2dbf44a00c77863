/* test_readings.c - what a program reads of a simulation, beside closed forms and finite differences. */
#include "test.h"
#include "unit/sim/scene_run.h"
#include <slipstick/drive.h>

static const char *const ARM = "scenes/arm.json"; /* joints of every kind in space, motors, a driven base */
enum { HAND = 5, ELBOW = 2, WELD = 3 };

/* q moved by h along velocity i */
static void displace(const ss_sim *sim, int i, double h, double *q)
{
    double v[64] = { 0 };
    v[i] = 1;
    ss_model_retract(sim->model, sim->now.q, v, h, q);
}

/* at fixed time, so that driven bodies stand still */
static void point_at(const ss_sim *sim, const double *q, int body, ss_vec3 point, double x[3])
{
    const ss_frame f = ss_model_frame(sim->model, body, sim->now.t, q);
    ss_v3_to(ss_add(f.p, ss_rotate(f.R, point)), x);
}

TEST(the_jacobian_of_a_point_is_the_derivative_of_its_position)
{
    scene_run r = open_scene(ARM, NULL, NAN);
    const int nv = ss_model_nv(r.model), nq = r.sim->model->nq;
    const double point[3] = { 0.1, -0.2, 0.3 }, h = 1e-6;
    double *J = calloc(6 * (size_t)nv, sizeof *J), *q = calloc((size_t)nq, sizeof *q);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_point_jacobian(r.sim, HAND, NULL, point, J));
    for (int i = 0; i < nv; i++) {
        double x[2][3];
        for (int k = 0; k < 2; k++) {
            displace(r.sim, i, k ? h : -h, q);
            point_at(r.sim, q, HAND, ss_v3_from(point), x[k]);
        }
        for (int row = 0; row < 3; row++) {
            CHECK_NEAR(J[row * nv + i], (x[1][row] - x[0][row]) / (2 * h), 1e-9);
        }
    }
    /* angular velocity in world axes: the columns of the body's own rotation */
    const ss_mat3 R = ss_model_frame(r.sim->model, HAND, r.sim->now.t, r.sim->now.q).R;
    const int first = ss_model_body_v(r.model, HAND) + 3;
    for (int k = 0; k < 3; k++) {
        double column[3];
        ss_v3_to(R.c[k], column);
        for (int row = 0; row < 3; row++) {
            CHECK_NEAR(J[(3 + row) * nv + first + k], column[row], 1e-15);
        }
    }
    free(J);
    free(q);
    close_scene(&r);
}

TEST(the_rows_of_the_joints_are_the_derivatives_of_their_errors)
{
    scene_run r = open_scene(ARM, NULL, NAN);
    const int nv = ss_model_nv(r.model), rows = ss_sim_joint_row_count(r.sim), nq = r.sim->model->nq;
    const double h = 1e-6;
    double *G = calloc((size_t)(rows * nv), sizeof *G), *q = calloc((size_t)nq, sizeof *q),
           *g = calloc(4 * (size_t)rows, sizeof *g);
    ss_csr unused = { 0 };
    ss_config c;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_joint_jacobian(r.sim, NULL, G));
    CHECK_OK(r.ctx, ss_config_take(r.sim->arena, r.sim->model, &c));
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < 2; k++) {
            displace(r.sim, i, k ? h : -h, q);
            ss_config_set(r.sim->model, r.sim->now.t, q, &c);
            CHECK_OK(r.ctx, ss_model_joints(r.ctx, r.sim->model, &c, g + k * rows, &unused, g + 2 * rows, g + 3 * rows));
        }
        for (int row = 0; row < rows; row++) {
            if (!r.sim->model->row_motor[row]) {
                CHECK_NEAR(G[row * nv + i], (g[rows + row] - g[row]) / (2 * h), 1e-8);
            }
        }
    }
    ss_csr_free(r.ctx, &unused);
    free(G);
    free(q);
    free(g);
    close_scene(&r);
}

TEST(the_angle_of_a_joint_and_its_rate_agree_with_finite_differences)
{
    scene_run r = open_scene(ARM, NULL, NAN);
    const double h = 1e-7;
    double angle, rate, before, ahead;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_joint_motion(r.sim, ELBOW, &angle, &rate));
    ss_config c;
    ss_twist_row row;
    double q[2][64];
    CHECK_OK(r.ctx, ss_config_take(r.sim->arena, r.sim->model, &c));
    for (int k = 0; k < 2; k++) { /* neither end of the elbow is the driven base */
        ss_model_retract(r.sim->model, r.sim->now.q, r.sim->now.v, k ? h : -h, q[k]);
    }
    ss_config_set(r.sim->model, r.sim->now.t, q[0], &c);
    before = ss_model_joint_coordinate(r.sim->model, &c, ELBOW, &row);
    ss_config_set(r.sim->model, r.sim->now.t, q[1], &c);
    ahead = ss_model_joint_coordinate(r.sim->model, &c, ELBOW, &row);
    CHECK_NEAR(rate, (ahead - before) / (2 * h), 1e-7 * (1 + fabs(rate)));
    CHECK_NEAR(angle, 0.5 * (before + ahead), 1e-12);
    CHECK_FAILS(r.ctx, ss_sim_joint_motion(r.sim, WELD, &angle, NULL), SS_ERR_INPUT,
                "joint weld: a fixed joint has no coordinate");
    CHECK_FAILS(r.ctx, ss_sim_joint_motion(r.sim, 9, &angle, NULL), SS_ERR_INPUT, "joint 9");
    close_scene(&r);
}

TEST(the_mass_matrix_gives_the_kinetic_energy_and_the_forces_their_power)
{
    scene_run r = open_scene(ARM, NULL, NAN);
    const int nv = ss_model_nv(r.model);
    double *M = calloc((size_t)(nv * nv), sizeof *M), *k = calloc((size_t)nv, sizeof *k), twice = 0, power = 0, gravity = 0;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(r.ctx, ss_sim_mass_matrix(r.sim, NULL, M));
    CHECK_OK(r.ctx, ss_sim_forces(r.sim, NULL, NULL, k));
    const double *v = ss_sim_v(r.sim);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            CHECK(M[i * nv + j] == M[j * nv + i]);
            twice += v[i] * M[i * nv + j] * v[j];
        }
        power += k[i] * v[i];
    }
    CHECK_NEAR(0.5 * twice, ss_sim_last_step(r.sim)->kinetic, 1e-13);
    for (int b = 0; b < r.model->bodies; b++) { /* gyroscopic torques do no work, and there is no other force */
        gravity -= r.model->body_v[b] >= 0 ? 9.81 * r.model->body_mass[b] * v[r.model->body_v[b] + 2] : 0;
    }
    CHECK_NEAR(power, gravity, 1e-12);
    free(M);
    free(k);
    close_scene(&r);
}

static const char *const BALL =
    "{\"slipstick\": 1, \"dimension\": 3, \"gravity\": [0, 0, -10], \"time\": {\"until\": 1, \"step\": 0.01},"
    "\"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", \"normal\": [0, 0, 1]}]},"
    "{\"name\": \"low\", \"type\": \"rigid\", \"mass\": 3, \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"sphere\", "
    "\"radius\": 0.1}]},"
    "{\"name\": \"high\", \"type\": \"rigid\", \"mass\": 2, \"inertia\": [1, 2, 3], \"position\": [0, 0, 5], "
    "\"angular_velocity\": [1, 2, 3],"
    "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}]}";

TEST(the_net_wrench_is_the_weight_in_free_fall_and_nothing_at_rest)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    double force[3], torque[3];
    CHECK_OK(r.ctx, ss_sim_net_wrench(r.sim, 2, force, torque));
    CHECK(force[2] == 0);
    CHECK_OK(r.ctx, ss_sim_set_wrench(r.sim, 2, NULL, (double[3]){ 0.3, -0.2, 0.1 }));
    for (int k = 0; k < 10; k++) {
        CHECK_OK(r.ctx, ss_sim_step(r.sim, 1e-5));
    }
    CHECK_OK(r.ctx, ss_sim_net_wrench(r.sim, 2, force, torque));
    CHECK_NEAR(force[2], -20, 1e-9);
    CHECK_NEAR(torque[0], 0.3, 1e-3); /* the angular momentum of the body changes by the torque alone: order 1 in h */
    CHECK_NEAR(torque[1], -0.2, 1e-3);
    CHECK_NEAR(torque[2], 0.1, 1e-3);
    CHECK_OK(r.ctx, ss_sim_net_wrench(r.sim, 1, force, torque));
    CHECK_NEAR(force[2], 0, 1e-9);
    CHECK_FAILS(r.ctx, ss_sim_net_wrench(r.sim, 0, force, torque), SS_ERR_INPUT, "body floor: it is fixed");
    close_scene(&r);
}

TEST(contacts_as_arrays_are_those_that_are_asked_for_one_by_one)
{
    scene_run r = open_scene(ARM, NULL, NAN);
    ss_contact_arrays a;
    CHECK_OK(r.ctx, ss_sim_contacts(r.sim, &a));
    CHECK(a.n == 0);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.6));
    CHECK_OK(r.ctx, ss_sim_contacts(r.sim, &a));
    CHECK(a.n == ss_sim_contact_count(r.sim) && a.n > 0);
    for (int k = 0; k < a.n; k++) {
        ss_contact_info one;
        CHECK_OK(r.ctx, ss_sim_contact(r.sim, k, &one));
        CHECK(memcmp(a.bodies + 2 * k, one.bodies, sizeof one.bodies) == 0 && a.gap[k] == one.gap);
        CHECK(memcmp(a.point + 3 * k, one.point, sizeof one.point) == 0);
        CHECK(memcmp(a.normal + 3 * k, one.normal, sizeof one.normal) == 0);
        CHECK(memcmp(a.tangent + 6 * k, one.tangent, sizeof one.tangent) == 0);
        CHECK(memcmp(a.force + 3 * k, one.force, sizeof one.force) == 0);
    }
    close_scene(&r);
}

TEST(gaps_are_those_of_the_state_within_reach)
{
    scene_run r = open_text(BALL, NULL, NULL, NAN);
    ss_contact_arrays a;
    CHECK_OK(r.ctx, ss_sim_gaps(r.sim, 1, &a));
    CHECK(a.n == 1 && a.bodies[0] + a.bodies[1] == 1);
    CHECK_NEAR(a.gap[0], 0, 1e-15);
    CHECK_OK(r.ctx, ss_sim_gaps(r.sim, 10, &a));
    CHECK(a.n == 3 && a.force[2] == 0);
    CHECK_NEAR(a.gap[0] + a.gap[1] + a.gap[2], 4.9 + 4.7, 1e-14);
    CHECK_FAILS(r.ctx, ss_sim_gaps(r.sim, NAN, &a), SS_ERR_INPUT, "reach: expected a number >= 0");
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jacobian_of_a_point_is_the_derivative_of_its_position),
        cmocka_unit_test(the_rows_of_the_joints_are_the_derivatives_of_their_errors),
        cmocka_unit_test(the_angle_of_a_joint_and_its_rate_agree_with_finite_differences),
        cmocka_unit_test(the_mass_matrix_gives_the_kinetic_energy_and_the_forces_their_power),
        cmocka_unit_test(the_net_wrench_is_the_weight_in_free_fall_and_nothing_at_rest),
        cmocka_unit_test(contacts_as_arrays_are_those_that_are_asked_for_one_by_one),
        cmocka_unit_test(gaps_are_those_of_the_state_within_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
