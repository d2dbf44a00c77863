/* test_config.c - frames, driven bodies, retraction and difference, twists and rows. */
#include "build.h"
#include "model/attachment.h"

/* one of each body in 3D: particle, rigid, fixed, driven, rigid */
static ss_model *five_bodies(ss_context *ctx)
{
    ss_scene *scene = new_scene(ctx, 3);
    ss_body_desc turned = rigid("turned", 1, 2), wall = standing("wall", SS_BODY_FIXED), arm = standing("arm", SS_BODY_DRIVEN);
    turned.orientation[0] = 2;
    turned.orientation[1] = 1;
    wall.position[2] = 4;
    wall.orientation[0] = 0;
    wall.orientation[3] = -3;
    arm.motion[0] = "sin(2*t)";
    arm.motion[2] = "1 + t";
    arm.position[1] = 5;
    arm.motion_angle = "0.3 + 4*t";
    arm.motion_axis[0] = 3;
    arm.motion_axis[1] = 4;
    arm.motion_axis[2] = 0;
    add_body(scene, ctx, particle("dot", 0, 0));
    add_body(scene, ctx, turned);
    add_body(scene, ctx, wall);
    add_body(scene, ctx, arm);
    add_body(scene, ctx, rigid("other", -1, 0));
    return compiled(ctx, scene);
}

TEST(coordinates_follow_scene_order_and_only_free_bodies_have_them)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    CHECK(ss_model_nq(m) == 3 + 7 + 7 && ss_model_nv(m) == 3 + 6 + 6);
    CHECK(ss_model_body_q(m, 1) == 3 && ss_model_body_v(m, 1) == 3);
    CHECK(ss_model_body_q(m, 2) == -1 && ss_model_body_v(m, 3) == -1);
    CHECK(ss_model_body_q(m, 4) == 10 && ss_model_body_v(m, 4) == 9);
    CHECK(strcmp(ss_model_body_name(m, 3), "arm") == 0 && ss_model_body_type(m, 3) == SS_BODY_DRIVEN);
    CHECK_NEAR(ss_model_initial_q(m)[6], 2 / sqrt(5), 1e-16); /* normalised */
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(driven_bodies_follow_their_expressions_exactly)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    const double t = 0.7, pi = acos(-1);
    place p = place_at(ctx, m, t, m->q0);
    const ss_vec3 axis = { 0.6, 0.8, 0 };
    ss_mat3 R = ss_quat_matrix(ss_quat_axis(axis, 0.3 + 4 * t));
    double position[3], orientation[4], angle;
    CHECK_NEAR(p.c.frame[3].p.x, sin(2 * t), 1e-16);
    CHECK_NEAR(p.c.frame[3].p.y, 5, 0);
    CHECK_NEAR(p.c.frame[3].p.z, 1 + t, 0);
    for (int k = 0; k < 3; k++) { /* two rotations composed: a few roundings */
        CHECK_NEAR(ss_norm(ss_sub(p.c.frame[3].R.c[k], R.c[k])), 0, 1e-15);
    }
    ss_model_body_pose(m, 3, t, m->q0, position, orientation, &angle);
    CHECK_NEAR(fabs(orientation[0]), fabs(cos(0.5 * (0.3 + 4 * t))), 1e-15);
    CHECK_NEAR(p.c.frame[2].R.c[0].x, cos(pi), 1e-15); /* the wall is turned by pi about z */
    CHECK_NEAR(p.c.frame[5].R.c[1].y, 1, 0);           /* the world */
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(drive_over_a_step_is_the_chord_and_at_an_instant_the_tangent)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    place p = place_at(ctx, m, 0.7, m->q0);
    CHECK_NEAR(p.c.drive[6].x, 2 * cos(1.4), 1e-15); /* exact derivatives: a few roundings */
    CHECK_NEAR(p.c.drive[6].y, 0, 0);
    CHECK_NEAR(p.c.drive[7].x, 4 * 0.6, 1e-15);
    CHECK_NEAR(p.c.drive_rate[6].x, -4 * sin(1.4), 1e-15);
    CHECK_NEAR(ss_norm(p.c.drive_rate[7]), 0, 0);
    ss_config_drive(m, 0.5, 2.5, &p.c); /* turns by 8 rad: more than pi, still the full turn */
    CHECK_NEAR(p.c.drive[6].x, (sin(5) - sin(1)) / 2, 1e-15);
    CHECK_NEAR(p.c.drive[7].y, 4 * 0.8, 1e-15);
    CHECK_NEAR(ss_norm(p.c.drive[0]), 0, 0);
    CHECK_NEAR(ss_norm(p.c.drive_rate[6]), 0, 0); /* a chord is straight */
    ss_config_drive(m, 0.7, 0.7, &p.c);
    ss_config_set(m, 0.7, m->q0, &p.c);
    CHECK_NEAR(ss_norm(p.c.drive[6]) + ss_norm(p.c.drive_rate[6]), 0, 0);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_motion_that_begins_at_zero_has_a_forward_derivative)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc d = standing("piston", SS_BODY_DRIVEN);
    d.motion[0] = "3*t + t^2.5"; /* not a number for t < 0 */
    add_body(scene, ctx, particle("p", 0, 0));
    add_body(scene, ctx, d);
    ss_model *m = compiled(ctx, scene);
    place p = place_at(ctx, m, 0, m->q0);
    CHECK_NEAR(p.c.drive[2].x, 3, 0);
    CHECK_NEAR(p.c.drive_rate[2].x, 0, 0);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(difference_undoes_retraction_up_to_half_a_turn)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    uint64_t seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        double q[NV_MAX], v[NV_MAX], q1[NV_MAX], back[NV_MAX];
        random_state(m, &seed, q, v);
        for (int i = 0; i < m->nv; i++) {
            v[i] *= 1.7; /* |rotation| <= 1.7 sqrt(3) < pi */
        }
        ss_model_retract(m, q, v, 1, q1);
        ss_model_difference(m, q, q1, back);
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(back[i], v[i], 1e-14); /* quaternion product and atan2 */
        }
        double norm = 0;
        for (int k = 0; k < 4; k++) {
            norm += q1[6 + k] * q1[6 + k];
        }
        CHECK_NEAR(norm, 1, 1e-15); /* four squares and a division */
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* 20 rad are more than three turns; a guess that is off by 1 rad is still nearest to the right one */
TEST(difference_undoes_retraction_over_any_number_of_turns_for_who_has_a_guess)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        double q[NV_MAX], v[NV_MAX], q1[NV_MAX], back[NV_MAX], guess[NV_MAX];
        random_state(m, &seed, q, v);
        for (int i = 0; i < m->nv; i++) {
            v[i] *= 20;
            guess[i] = v[i] + uniform(&seed) / sqrt(3);
        }
        ss_model_retract(m, q, v, 1, q1);
        ss_model_difference_near(m, q, q1, guess, back);
        for (int i = 0; i < m->nv; i++) {
            CHECK_NEAR(back[i], v[i], 1e-11); /* the axis of a small remainder: 1e-15 over what is left of the last turn */
        }
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(a_whole_turn_goes_about_the_axis_of_the_guess)
{
    const double turn = 2 * acos(-1);
    const ss_quat one = { 1, 0, 0, 0 }, other = { -1, 0, 0, 0 };
    ss_vec3 r = ss_quat_log_near(one, ss_v3(0, 6, 0)), none = ss_quat_log_near(one, ss_v3(0, 0, 0));
    CHECK_NEAR(ss_norm(ss_sub(r, ss_v3(0, turn, 0))), 0, 1e-15);
    CHECK(ss_norm(none) == 0);
    r = ss_quat_log_near(other, ss_v3(-13, 0, 0));
    CHECK_NEAR(ss_norm(ss_sub(r, ss_v3(-2 * turn, 0, 0))), 0, 1e-14);
}

TEST(retraction_may_work_in_place)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    uint64_t seed = 2;
    double q[NV_MAX], v[NV_MAX], out[NV_MAX];
    random_state(m, &seed, q, v);
    ss_model_retract(m, q, v, 0.3, out);
    ss_model_retract(m, q, v, 0.3, q);
    CHECK(memcmp(q, out, (size_t)m->nq * sizeof *q) == 0);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* where a body is that turns by exp(w s) after q, seen from q0 */
static void seen_from(const ss_model *m, const double *q0, const double *q, const double *v, double s, double *x)
{
    double there[NV_MAX];
    ss_model_retract(m, q, v, s, there);
    ss_model_difference(m, q0, there, x);
}

TEST(the_chart_moves_at_the_rate_of_the_difference)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    uint64_t seed = 4;
    const double h = 1e-2; /* sixth order: h^6/140 = 7e-15 times seventh derivatives, up to 1e3 near half a turn */
    for (int trial = 0; trial < 400; trial++) {
        double q0[NV_MAX], v[NV_MAX], x[NV_MAX], q[NV_MAX], at[7][NV_MAX], rate[NV_MAX];
        const double size = trial % 4 == 0 ? 1e-9 : trial % 4 == 1 ? 0.15 : 1.5; /* up to 2.6 rad */
        random_state(m, &seed, q0, v);
        for (int i = 0; i < m->nv; i++) {
            x[i] = size * uniform(&seed);
        }
        ss_model_retract(m, q0, x, 1, q);
        for (int k = 0; k < 7; k++) {
            seen_from(m, q0, q, v, (k - 3) * h, at[k]);
        }
        ss_model_chart_rate(m, x, v, rate);
        for (int i = 0; i < m->nv; i++) {
            double expected = (45 * (at[4][i] - at[2][i]) - 9 * (at[5][i] - at[1][i]) + (at[6][i] - at[0][i])) / (60 * h);
            CHECK_NEAR(rate[i], expected, 2e-12);
        }
        ss_model_chart_rate(m, x, v, v); /* may work in place */
        CHECK(memcmp(v, rate, (size_t)m->nv * sizeof *v) == 0);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(the_chart_is_the_same_on_both_sides_of_where_its_series_ends)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    double x[NV_MAX] = { 0 }, v[NV_MAX] = { 0 }, below[NV_MAX], above[NV_MAX];
    x[3 + 3] = nextafter(0.125, 0);
    v[3 + 4] = 1;
    ss_model_chart_rate(m, x, v, below);
    x[3 + 3] = 0.125;
    ss_model_chart_rate(m, x, v, above);
    CHECK_NEAR(above[3 + 4], 0.0625 / tan(0.0625), 2e-16); /* x across w: what is left along w is (a/2) cot(a/2) */
    CHECK_NEAR(below[3 + 4], above[3 + 4], 2e-16);
    CHECK_NEAR(above[3 + 5], 0.0625, 0);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

/* where a point of a body is after moving along v by s */
static ss_vec3 point_at(ss_context *ctx, const ss_model *m, const double *q, const double *v, double s, int body, ss_vec3 x)
{
    double there[NV_MAX];
    ss_model_retract(m, q, v, s, there);
    place p = place_at(ctx, m, 0, there);
    ss_vec3 out = ss_point_to_world(p.c.frame[body], x);
    leave(&p);
    return out;
}

TEST(twists_and_rows_agree_with_the_motion_of_points)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    uint64_t seed = 3;
    const double h = 1e-5; /* central: h^2 and 2e-16/h, both below 1e-9 */
    for (int trial = 0; trial < 50; trial++) {
        double q[NV_MAX], v[NV_MAX], drive = 0;
        random_state(m, &seed, q, v);
        const ss_vec3 x = { uniform(&seed), uniform(&seed), uniform(&seed) }, n = { 0.3, -0.5, 0.8 };
        const ss_attachment at[2] = { { 1, x }, { m->bodies, x } };
        ss_spot s[2];
        ss_vec3 rate;
        ss_csr A = { 0 };
        place p = place_at(ctx, m, 0, q);
        rate = ss_scale(0.5 / h, ss_sub(point_at(ctx, m, q, v, h, 1, x), point_at(ctx, m, q, v, -h, 1, x)));
        ss_spots_moving(m, &p.c, v, at, s);
        CHECK_NEAR(ss_norm(ss_sub(s[0].v, rate)), 0, 1e-9);
        ss_csr_reset(&A, m->nv);
        CHECK_OK(ctx, ss_spot_push(ctx, m, &p.c, &s[0], n, ss_v3(0, 0, 0), &A, &drive));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
        CHECK_NEAR(ss_csr_row_dot(&A, 0, v), ss_dot(n, rate), 1e-9);
        CHECK_NEAR(drive, 0, 0);
        ss_csr_free(ctx, &A);
        leave(&p);
    }
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(rows_on_driven_bodies_go_into_the_drive)
{
    ss_context *ctx = test_context();
    ss_model *m = five_bodies(ctx);
    place p = place_at(ctx, m, 0, m->q0);
    ss_csr A = { 0 };
    double drive = 1;
    ss_csr_reset(&A, m->nv);
    for (int body = 3; body <= 5; body += 2) { /* a driven body and the world */
        const ss_spot s = ss_spot_at(&p.c, &(ss_attachment){ .body = body });
        CHECK_OK(ctx, ss_spot_push(ctx, m, &p.c, &s, ss_v3(1, 0, 0), ss_v3(0, 1, 0), &A, &drive));
    }
    CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
    CHECK(A.p[1] == 0);
    CHECK_NEAR(drive, 1 + 2 + 4 * 0.8, 1e-15); /* rounding */
    ss_csr_free(ctx, &A);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

TEST(the_plane_uses_the_same_conventions)
{
    ss_context *ctx = test_context();
    ss_scene *scene = new_scene(ctx, 2);
    ss_body_desc body = rigid("plate", 1, 2), wheel = standing("wheel", SS_BODY_DRIVEN);
    body.angle = 0.4;
    body.velocity[0] = 3;
    body.angular_velocity[2] = 5;
    wheel.angle = 0.1;
    wheel.motion_angle = "0.2 + 7*t";
    add_body(scene, ctx, body);
    add_body(scene, ctx, wheel);
    ss_model *m = compiled(ctx, scene);
    place p = place_at(ctx, m, 2, m->q0);
    ss_vec3 tw[2];
    double position[3], orientation[4], angle, drive = 0;
    ss_csr A = { 0 };
    CHECK(m->nq == 3 && m->nv == 3);
    ss_model_twist(m, &p.c, m->v0, 0, tw);
    CHECK(tw[0].x == 3 && tw[1].z == 5);
    ss_csr_reset(&A, 3);
    const ss_spot s = ss_spot_at(&p.c, &(ss_attachment){ .body = 0 });
    CHECK_OK(ctx, ss_spot_push(ctx, m, &p.c, &s, ss_v3(1, 2, 0), ss_v3(0, 0, 3), &A, &drive));
    CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
    CHECK(A.p[1] == 3 && A.x[0] == 1 && A.x[1] == 2 && A.x[2] == 3);
    ss_model_body_pose(m, 1, 2, m->q0, position, orientation, &angle);
    CHECK_NEAR(angle, 14.3, 1e-14); /* not wrapped */
    CHECK_NEAR(p.c.frame[1].R.c[0].y, sin(14.3), 1e-14);
    ss_csr_free(ctx, &A);
    leave(&p);
    ss_model_destroy(m);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_follow_scene_order_and_only_free_bodies_have_them),
        cmocka_unit_test(driven_bodies_follow_their_expressions_exactly),
        cmocka_unit_test(drive_over_a_step_is_the_chord_and_at_an_instant_the_tangent),
        cmocka_unit_test(a_motion_that_begins_at_zero_has_a_forward_derivative),
        cmocka_unit_test(difference_undoes_retraction_up_to_half_a_turn),
        cmocka_unit_test(difference_undoes_retraction_over_any_number_of_turns_for_who_has_a_guess),
        cmocka_unit_test(a_whole_turn_goes_about_the_axis_of_the_guess),
        cmocka_unit_test(retraction_may_work_in_place),
        cmocka_unit_test(the_chart_moves_at_the_rate_of_the_difference),
        cmocka_unit_test(the_chart_is_the_same_on_both_sides_of_where_its_series_ends),
        cmocka_unit_test(twists_and_rows_agree_with_the_motion_of_points),
        cmocka_unit_test(rows_on_driven_bodies_go_into_the_drive),
        cmocka_unit_test(the_plane_uses_the_same_conventions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
