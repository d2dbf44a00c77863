/* test_capsules.c - manifolds of capsules: lying, standing, crossed, parallel, in a row. */
#include "poses.h"

static const double quarter_turn = 0.5 * 3.14159265358979323846;

/* along the shape's last axis */
static ss_shape capsule(int dimension, double radius, double length)
{
    const ss_shape_desc desc = { .radius = radius, .length = length };
    return pose_compile(SS_SHAPE_capsule, dimension, ss_frame_identity(), &desc);
}

static ss_frame turned(ss_vec3 at, ss_vec3 rotation) { return (ss_frame){ at, ss_quat_matrix(ss_quat_exp(rotation)) }; }

/* every gap of the manifold has this kind, value and normal, and there are `count` of them */
static void check_gaps(const ss_manifold *m, const ss_frame *fa, const ss_frame *fb, int count, ss_gap_kind kind, double gap,
                       ss_vec3 normal)
{
    CHECK(m->n == count);
    for (int k = 0; k < m->n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m->gap[k], fa, fb, &v);
        CHECK(m->gap[k].kind == kind && v.outside <= 0);
        CHECK_NEAR(v.gap, gap, 1e-14);
        CHECK_NEAR(ss_norm(ss_sub(v.normal, normal)), 0, 1e-14);
    }
}

TEST(a_capsule_lies_on_a_face_with_both_ends)
{
    const ss_shape rod = capsule(3, 0.1, 0.6), floor = pose_box(3, 4, 4, 2), wall = pose_box(3, 0.4, 4, 2);
    const ss_frame low = pose_still(0, 0, 0), high = turned(ss_v3(0.2, 0, 1.11), ss_v3(0, quarter_turn, 0));
    const ss_vec3 up = { 0, 0, 1 };
    ss_manifold m;
    ss_collide(&rod, &high, &floor, &low, 0.05, &m);
    check_gaps(&m, &high, &low, 2, SS_GAP_POINT_PLANE, 0.01, up);
    /* over the edge of a narrow one: it rests on one end and where it crosses the rim */
    ss_collide(&rod, &high, &wall, &low, 0.05, &m);
    CHECK(m.n == 2 && m.gap[0].kind == SS_GAP_POINT_PLANE && m.gap[1].kind == SS_GAP_LINE_LINE);
    for (int k = 0; k < 2; k++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[k], &high, &low, &v);
        CHECK_NEAR(v.gap, 0.01, 1e-14);
        CHECK_NEAR(v.point.x, k == 0 ? -0.1 : 0.2, 1e-14);
    }
}

TEST(crossed_capsules_touch_once_and_parallel_ones_twice)
{
    const ss_shape rod = capsule(3, 0.1, 0.6);
    const ss_frame low = pose_still(0, 0, 0);
    const ss_vec3 x = { 1, 0, 0 };
    ss_manifold m;
    ss_frame high = turned(ss_v3(0.22, 0, 0), ss_v3(quarter_turn, 0, 0));
    ss_collide(&rod, &high, &rod, &low, 0.05, &m);
    check_gaps(&m, &high, &low, 1, SS_GAP_LINE_LINE, 0.02, x);
    high = pose_still(0.22, 0, 0.1);
    ss_collide(&rod, &high, &rod, &low, 0.05, &m);
    check_gaps(&m, &high, &low, 2, SS_GAP_POINT_LINE, 0.02, x);
}

TEST(a_capsule_along_the_edge_of_a_box_has_two_contacts)
{
    const ss_shape rod = capsule(3, 0.1, 0.6), box = pose_box(3, 1, 1, 2);
    const double off = 0.11 / sqrt(2);
    const ss_frame low = pose_still(0, 0, 0), high = pose_still(0.5 + off, 0.5 + off, 0.3);
    ss_manifold m;
    ss_collide(&rod, &high, &box, &low, 0.05, &m);
    check_gaps(&m, &high, &low, 2, SS_GAP_POINT_LINE, 0.01, ss_v3(sqrt(0.5), sqrt(0.5), 0));
}

TEST(capsules_in_a_row_are_apart_by_what_lies_between_their_ends)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        const ss_shape rod = capsule(dimension, 0.1, 0.6);
        const ss_vec3 along = dimension == 3 ? ss_v3(0, 0, 1) : ss_v3(0, 1, 0);
        const ss_frame low = pose_still(0, 0, 0), high = { ss_scale(0.83, along), ss_mat3_identity() };
        ss_manifold m;
        ss_collide(&rod, &high, &rod, &low, 0.05, &m);
        double least = INFINITY;
        for (int k = 0; k < m.n; k++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[k], &high, &low, &v);
            least = fmin(least, v.gap);
            CHECK_NEAR(ss_dot(v.normal, along), 1, 1e-14);
        }
        CHECK_NEAR(least, 0.03, 1e-15);
    }
}

/* a disk of 60 corners on a face: more than a manifold holds. What stays lies all round. */
TEST(a_full_manifold_keeps_places_all_round)
{
    double x[3 * 120];
    for (int k = 0; k < 120; k++) {
        const double angle = 4 * quarter_turn * (k % 60) / 60;
        x[3 * k] = cos(angle);
        x[3 * k + 1] = k < 60 ? 0 : 1;
        x[3 * k + 2] = sin(angle);
    }
    const ss_shape_desc desc = { .points = { 120, x } };
    const ss_shape disk = pose_compile(SS_SHAPE_hull, 3, ss_frame_identity(), &desc), ground = pose_box(3, 4, 2, 4);
    const ss_frame low = pose_still(0, -1, 0), high = turned(ss_v3(0, -1e-3, 0), ss_v3(0, 0, 1e-3));
    ss_manifold m;
    ss_collide(&disk, &high, &ground, &low, 0.05, &m);
    CHECK(m.n == SS_MANIFOLD_MAX);
    int sectors = 0;
    double least = INFINITY;
    for (int k = 0; k < m.n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[k], &high, &low, &v);
        sectors |= 1 << (int)floor((atan2(v.point.z, v.point.x) / (4 * quarter_turn) + 0.5) * 11.999);
        least = fmin(least, v.gap);
    }
    CHECK(sectors == (1 << 12) - 1);
    CHECK_NEAR(least, -1e-3 - sin(1e-3), 1e-14); /* the lowest corner */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capsule_lies_on_a_face_with_both_ends),
        cmocka_unit_test(crossed_capsules_touch_once_and_parallel_ones_twice),
        cmocka_unit_test(a_capsule_along_the_edge_of_a_box_has_two_contacts),
        cmocka_unit_test(capsules_in_a_row_are_apart_by_what_lies_between_their_ends),
        cmocka_unit_test(a_full_manifold_keeps_places_all_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
