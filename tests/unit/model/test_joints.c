/* test_joints.c - bilateral rows of whole models: against differences along the retraction, closed forms, motors. */
#include "rich.h"

enum { NJ_MAX = 40 };

typedef struct rows {
    double g[NJ_MAX], drive[NJ_MAX], target[NJ_MAX];
    ss_csr G;
} rows;

static void rows_at(ss_context *ctx, const ss_model *m, double t, const double *q, rows *r)
{
    place p = place_at(ctx, m, t, q);
    CHECK(m->nj <= NJ_MAX);
    CHECK_OK(ctx, ss_model_joints(ctx, m, &p.c, r->g, &r->G, r->drive, r->target));
    leave(&p);
}

TEST(a_pendulum_has_the_squared_distance_row_of_the_paper)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc bob = particle("bob", 0.6, -0.8);
    ss_joint_desc rod = joint_between("rod", "distance", "world", "bob");
    const double v[2] = { 3, 4 }, lam[1] = { 2 };
    bob.velocity[0] = 0.8;
    bob.velocity[1] = 0.6;
    rod.length = 1;
    add_body(scene, ctx, bob);
    add_joint(scene, ctx, rod);
    ss_model *m = compiled(ctx, scene);
    place p = place_at(ctx, m, 0, m->q0);
    rows r = { 0 };
    ss_csr K = { 0 };
    double curvature[1];
    rows_at(ctx, m, 0, m->q0, &r);
    CHECK(m->nj == 1 && r.G.p[1] == 2);
    CHECK_NEAR(r.g[0], 0, 1e-16); /* (x^2 + y^2 - 1) / 2 */
    CHECK_NEAR(r.G.x[0], 0.6, 0);
    CHECK_NEAR(r.G.x[1], -0.8, 0);
    CHECK_OK(ctx, ss_model_joint_curvature(ctx, m, &p.c, v, curvature));
    CHECK_NEAR(curvature[0], 25, 1e-14); /* |v|^2 / L */
    CHECK_OK(ctx, ss_model_joint_stiffness(ctx, m, &p.c, lam, &K));
    CHECK(K.x[0] == 2 && K.x[1] == 0 && K.x[3] == 2); /* lam / L times the identity */
    ss_csr_free(ctx, &K);
    ss_csr_free(ctx, &r.G);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* the position rows change at the rate G v + drive while q moves along v and time goes on */
TEST(rows_and_drive_are_the_rate_of_the_constraints)
{
    ss_context *ctx = test_context();
    uint64_t seed = 8;
    const double h = 1e-5; /* central: 1e-10 times third derivatives, 2e-11 of round-off */
    for (int trial = 0; trial < 20; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX], q1[NV_MAX], t = 0.6;
        rows r = { 0 }, plus = { 0 }, minus = { 0 };
        random_state(m, &seed, q, v);
        rows_at(ctx, m, t, q, &r);
        ss_model_retract(m, q, v, h, q1);
        rows_at(ctx, m, t + h, q1, &plus);
        ss_model_retract(m, q, v, -h, q1);
        rows_at(ctx, m, t - h, q1, &minus);
        for (int k = 0; k < m->nj; k++) {
            double rate = ss_csr_row_dot(&r.G, k, v) + r.drive[k];
            if (!m->row_motor[k]) {
                CHECK_NEAR(rate, (plus.g[k] - minus.g[k]) / (2 * h), 1e-8);
            }
            for (int e = r.G.p[k] + 1; e < r.G.p[k + 1]; e++) {
                CHECK(r.G.i[e] > r.G.i[e - 1]);
            }
        }
        uint64_t taken = ss_context_allocations(ctx);
        place p = place_at(ctx, m, t, q);
        uint64_t after = ss_context_allocations(ctx);
        CHECK_OK(ctx, ss_model_joints(ctx, m, &p.c, r.g, &r.G, r.drive, r.target));
        CHECK(ss_context_allocations(ctx) == after && after > taken);
        leave(&p);
        ss_csr_free(ctx, &r.G);
        ss_csr_free(ctx, &plus.G);
        ss_csr_free(ctx, &minus.G);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(curvature_is_the_change_of_the_rows_along_the_motion)
{
    ss_context *ctx = test_context();
    uint64_t seed = 9;
    const double h = 1e-5;
    for (int trial = 0; trial < 20; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX], q1[NV_MAX], out[NJ_MAX];
        rows plus = { 0 }, minus = { 0 };
        random_state(m, &seed, q, v);
        place p = place_at(ctx, m, 0, q); /* at t = 0 the driven body of the scene stands still: its rows need no drive */
        CHECK_OK(ctx, ss_model_joint_curvature(ctx, m, &p.c, v, out));
        ss_model_retract(m, q, v, h, q1);
        rows_at(ctx, m, 0, q1, &plus);
        ss_model_retract(m, q, v, -h, q1);
        rows_at(ctx, m, 0, q1, &minus);
        for (int k = 0; k < m->nj; k++) {
            double rate = (ss_csr_row_dot(&plus.G, k, v) - ss_csr_row_dot(&minus.G, k, v)) / (2 * h);
            if (m->row_joint[k] >= 0) {
                CHECK_NEAR(out[k], rate, 1e-6 * (1 + fabs(rate))); /* third derivatives of cosines and angles */
            } else {
                /* d/dt (G v + g_t) of the block: 2 v0 v1 - 2 cos(t) v0 + sin(t) q0 at t = 0 */
                const double *w = v + m->body_v[-1 - m->row_joint[k]];
                CHECK_NEAR(out[k], 2 * w[0] * w[1] - 2 * w[0], 1e-9);
            }
        }
        ss_csr_free(ctx, &plus.G);
        ss_csr_free(ctx, &minus.G);
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* G' lam at q */
static void reaction_at(ss_context *ctx, const ss_model *m, const double *q, const double *lam, double *out)
{
    rows r = { 0 };
    rows_at(ctx, m, 0.6, q, &r);
    ss_csr_transpose_times(&r.G, 1, lam, 0, out);
    ss_csr_free(ctx, &r.G);
}

TEST(joint_stiffness_is_the_change_of_the_reactions_along_the_retraction)
{
    ss_context *ctx = test_context();
    uint64_t seed = 10;
    const double h = 1e-5;
    for (int trial = 0; trial < 10; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX], lam[NJ_MAX], q1[NV_MAX], plus[NV_MAX], minus[NV_MAX], got[NV_MAX];
        ss_csr K = { 0 };
        random_state(m, &seed, q, v);
        for (int k = 0; k < m->nj; k++) {
            lam[k] = uniform(&seed);
        }
        place p = place_at(ctx, m, 0.6, q);
        CHECK_OK(ctx, ss_model_joint_stiffness(ctx, m, &p.c, lam, &K));
        ss_model_retract(m, q, v, h, q1);
        reaction_at(ctx, m, q1, lam, plus);
        ss_model_retract(m, q, v, -h, q1);
        reaction_at(ctx, m, q1, lam, minus);
        ss_csr_times(&K, 1, v, 0, got);
        for (int i = 0; i < m->nv; i++) {
            double expected = (plus[i] - minus[i]) / (2 * h);
            CHECK_NEAR(got[i], expected, 1e-6 * (1 + fabs(expected)));
        }
        ss_csr_free(ctx, &K);
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(joint_gradient_is_the_change_of_the_rates_along_the_retraction)
{
    ss_context *ctx = test_context();
    uint64_t seed = 11;
    const double h = 1e-5;
    for (int trial = 0; trial < 10; trial++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, 2 + trial % 2));
        double q[NV_MAX], v[NV_MAX], x[NV_MAX], q1[NV_MAX], got[NJ_MAX];
        rows plus = { 0 }, minus = { 0 };
        ss_csr R = { 0 };
        random_state(m, &seed, q, v);
        for (int i = 0; i < m->nv; i++) {
            x[i] = uniform(&seed);
        }
        place p = place_at(ctx, m, 0.6, q);
        CHECK_OK(ctx, ss_model_joint_gradient(ctx, p.arena, m, &p.c, v, &R));
        ss_model_retract(m, q, x, h, q1);
        rows_at(ctx, m, 0.6, q1, &plus);
        ss_model_retract(m, q, x, -h, q1);
        rows_at(ctx, m, 0.6, q1, &minus);
        ss_csr_times(&R, 1, x, 0, got);
        CHECK(R.m == m->nj);
        for (int k = 0; k < m->nj; k++) {
            double expected = (ss_csr_row_dot(&plus.G, k, v) - ss_csr_row_dot(&minus.G, k, v)) / (2 * h);
            CHECK_NEAR(got[k], expected, 1e-6 * (1 + fabs(expected)));
        }
        ss_csr_free(ctx, &R);
        ss_csr_free(ctx, &plus.G);
        ss_csr_free(ctx, &minus.G);
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(rows_are_numbered_joint_by_joint_with_motors_after_their_joint)
{
    ss_context *ctx = test_context();
    ss_model *m = compiled(ctx, rich_scene(ctx, 3));
    /* revolute 5 + motor, prismatic 5, spherical 3, fixed 6, distance 1, hinge 5 with a bounded motor, gear 1, rack 1, screw 5,
     * block 1 */
    CHECK(m->nj == 6 + 5 + 3 + 6 + 1 + 5 + 1 + 1 + 5 + 1);
    CHECK(m->row_motor[5] && !m->row_motor[4] && m->row_joint[5] == 0 && m->row_joint[6] == 1);
    CHECK(m->row_joint[m->nj - 1] == -1 - 10);
    CHECK(m->joint[0].motor.row && !m->joint[0].motor.bounded);
    CHECK(m->joint[5].motor.bounded && !m->joint[5].motor.row && m->joint[5].motor.max == 10);
    CHECK(m->joint[3].first_row == 14 && m->joint[3].rows == 6);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* rows of angles have torques, rows of lengths forces; no two rows of a joint share a name */
TEST(every_row_has_a_name_that_says_what_its_reaction_is)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_model *m = compiled(ctx, rich_scene(ctx, dimension));
        for (int j = 0; j < m->joints; j++) {
            for (int k = 0; k < ss_model_joint_rows(m, j); k++) {
                const char *name = ss_model_joint_row_name(m, j, k), *last = strrchr(name, '.');
                const bool motor = k == m->joint[j].rows;
                const bool angle = motor ? m->joint[j].type->angular : m->row_unit[m->joint[j].first_row + k] != m->length;
                CHECK(strncmp(last ? last + 1 : name, angle ? "torque" : "force", angle ? 6 : 5) == 0);
                CHECK((last != NULL) == motor);
                CHECK(k == 0 || strcmp(name, ss_model_joint_row_name(m, j, k - 1)) != 0);
            }
            CHECK(!ss_model_joint_row_name(m, j, ss_model_joint_rows(m, j)) && !ss_model_joint_row_name(m, j, -1));
        }
        CHECK(m->length != 1);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(a_motor_row_asks_for_the_speed_at_that_time)
{
    ss_context *ctx = test_context();
    ss_model *m = compiled(ctx, rich_scene(ctx, 2));
    rows r = { 0 };
    rows_at(ctx, m, 0.6, m->q0, &r);
    CHECK_NEAR(r.target[2], sin(0.6), 0);
    CHECK_NEAR(r.g[2], 0, 0);
    CHECK_NEAR(r.G.x[r.G.p[3] - 1], 1, 0); /* the angle's rate is the body's rate */
    ss_csr_free(ctx, &r.G);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(coordinates_measure_angles_displacements_and_lengths)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = new_scene(ctx, dimension);
        ss_joint_desc j[3] = { joint_between("h", "revolute", "world", "a"), joint_between("s", "prismatic", "world", "b"),
                               joint_between("r", "distance", "a", "b") };
        j[0].axis[0] = j[0].axis[1] = 0;
        j[0].axis[2] = j[1].axis[0] = 1;
        j[1].axis[1] = j[1].axis[2] = 0;
        j[1].anchors[0][0] = -2; /* the displacement is still zero at the start */
        j[2].limits[1] = 9;
        add_body(scene, ctx, rigid("a", 0, 0));
        add_body(scene, ctx, rigid("b", 5, 0));
        for (int k = 0; k < 3; k++) {
            add_joint(scene, ctx, j[k]);
        }
        ss_model *m = compiled(ctx, scene);
        double q[NV_MAX], x[12] = { 0 };
        int half = m->nv / 2;
        x[half - 1] = 2.5; /* a turns about z */
        x[half] = 1.25;    /* b slides along x */
        ss_model_retract(m, m->q0, x, 1, q);
        place p = place_at(ctx, m, 0, q);
        ss_twist_row row;
        CHECK_NEAR(ss_model_joint_coordinate(m, &p.c, 0, &row), 2.5, 1e-15);
        CHECK_NEAR(row.ang[1].z, 1, 1e-15);
        CHECK_NEAR(ss_model_joint_coordinate(m, &p.c, 1, &row), 1.25, 1e-15);
        CHECK_NEAR(row.lin[1].x, 1, 0);
        CHECK_NEAR(ss_model_joint_coordinate(m, &p.c, 2, &row), 6.25, 1e-15);
        CHECK_NEAR(row.lin[0].x, -1, 0);
        CHECK(m->joint[2].rows == 0); /* limits and no length: no bilateral row */
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* one body on a hinge about z that begins at 5 rad, turned by x about it in 2D and 3D */
TEST(a_hinge_counts_turns_along_retractions_and_settles_on_its_frames)
{
    ss_context *ctx = test_context();
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = new_scene(ctx, dimension);
        ss_joint_desc j = joint_between("h", "revolute", "a", "world");
        j.axis[0] = j.axis[1] = 0;
        j.axis[2] = 1;
        j.start = 5;
        add_body(scene, ctx, rigid("a", 0, 0));
        add_joint(scene, ctx, j);
        ss_model *m = compiled(ctx, scene);
        double q[NV_MAX], x[6] = { 0 };
        ss_twist_row row;
        memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
        x[m->nv - 1] = 11;
        for (int k = 1; k <= 7; k++) { /* the body comes first: the angle falls as it turns */
            ss_model_retract(m, q, x, 1, q);
            place p = place_at(ctx, m, 0, q);
            CHECK_NEAR(ss_model_joint_coordinate(m, &p.c, 0, &row), 5 - 11 * k, 1e-13);
            leave(&p);
        }
        CHECK(m->counters == (dimension == 3) && ss_model_nq(m) == m->nq - m->counters);
        if (dimension == 3) {
            int counter = m->joint[0].turns.counter;
            double before = q[counter];
            q[counter] += 3; /* less than half a turn: what a step leaves */
            ss_turns_settle(m, 0, q);
            CHECK_NEAR(q[counter], before, 1e-13);
        }
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

/* A body that has turned by 20 rad about a hinge on a driven body, which has turned by 100 rad about an axis of its own at t = 1:
 * about that of the hinge, the other way, and across it. */
TEST(turns_of_a_driven_body_count_along_the_axis_of_the_hinge_only)
{
    static const double share[3] = { 1, -1, 0 };
    ss_context *ctx = test_context();
    for (int k = 0; k < 3; k++) {
        ss_scene *scene = new_scene(ctx, 3);
        ss_body_desc d = standing("d", SS_BODY_DRIVEN);
        ss_joint_desc j = joint_between("h", "revolute", "d", "a");
        d.motion_angle = "100*t^2";
        d.motion_axis[2] = k == 2 ? 0 : share[k];
        d.motion_axis[1] = k == 2 ? 1 : 0;
        j.axis[0] = j.axis[1] = 0;
        j.axis[2] = 1;
        add_body(scene, ctx, d);
        add_body(scene, ctx, rigid("a", 0, 0));
        add_joint(scene, ctx, j);
        ss_model *m = compiled(ctx, scene);
        ss_quat base = ss_quat_axis(ss_v3_from(d.motion_axis), 100), turn = ss_quat_axis(ss_v3(0, 0, 1), 20);
        double q[NV_MAX];
        ss_twist_row row;
        memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
        ss_quat_to(ss_quat_product(base, turn), q + 3);
        q[m->joint[0].turns.counter] = 20 + 100 * share[k] + 1; /* all turns of the body in the world, and not exact */
        place p = place_at(ctx, m, 1, q);
        CHECK_NEAR(ss_model_joint_coordinate(m, &p.c, 0, &row), 20, 1e-13);
        ss_turns_settle(m, 1, q);
        CHECK_NEAR(q[m->joint[0].turns.counter], 20 + 100 * share[k], 1e-13);
        leave(&p);
        ss_model_destroy(m);
    }
    ss_context_destroy(ctx);
}

TEST(a_joint_on_a_driven_body_carries_its_velocity)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc crank = standing("crank", SS_BODY_DRIVEN), pin = particle("pin", 2, 0);
    ss_joint_desc joint = joint_between("j", "spherical", "crank", "pin");
    crank.motion_angle = "3*t";
    pin.velocity[1] = 6;
    joint.anchors[0][0] = 2;
    add_body(scene, ctx, crank);
    add_body(scene, ctx, pin);
    add_joint(scene, ctx, joint);
    ss_model *m = compiled(ctx, scene);
    rows r = { 0 };
    rows_at(ctx, m, 0, m->q0, &r);
    CHECK_NEAR(r.drive[0], 0, 0);
    CHECK_NEAR(r.drive[1], -6, 0);
    ss_csr_free(ctx, &r.G);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_the_squared_distance_row_of_the_paper),
        cmocka_unit_test(rows_and_drive_are_the_rate_of_the_constraints),
        cmocka_unit_test(curvature_is_the_change_of_the_rows_along_the_motion),
        cmocka_unit_test(joint_stiffness_is_the_change_of_the_reactions_along_the_retraction),
        cmocka_unit_test(joint_gradient_is_the_change_of_the_rates_along_the_retraction),
        cmocka_unit_test(rows_are_numbered_joint_by_joint_with_motors_after_their_joint),
        cmocka_unit_test(every_row_has_a_name_that_says_what_its_reaction_is),
        cmocka_unit_test(a_motor_row_asks_for_the_speed_at_that_time),
        cmocka_unit_test(coordinates_measure_angles_displacements_and_lengths),
        cmocka_unit_test(a_hinge_counts_turns_along_retractions_and_settles_on_its_frames),
        cmocka_unit_test(turns_of_a_driven_body_count_along_the_axis_of_the_hinge_only),
        cmocka_unit_test(a_joint_on_a_driven_body_carries_its_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
