/* test_cylinder.c - the cylinder and its pairs: closed forms of where it touches. */
#include "cylinder_touch.h"

static const double pi = 3.14159265358979323846;

static ss_shape cylinder(double radius, double length)
{
    const ss_shape_desc desc = { .radius = radius, .length = length };
    return pose_compile(SS_SHAPE_cylinder, 3, ss_frame_identity(), &desc);
}

static ss_shape capsule(double radius, double length)
{
    const ss_shape_desc desc = { .radius = radius, .length = length };
    return pose_compile(SS_SHAPE_capsule, 3, ss_frame_identity(), &desc);
}

static ss_shape ground(void)
{
    const ss_shape_desc desc = { .normal = { 0, 0, 1 } };
    return pose_compile(SS_SHAPE_half_space, 3, ss_frame_identity(), &desc);
}

static ss_frame tilted(double x, double y, double z, ss_vec3 turn)
{
    return (ss_frame){ { x, y, z }, ss_quat_matrix(ss_quat_exp(turn)) };
}

static int count_kind(const touch *t, ss_gap_kind kind)
{
    int n = 0;
    for (int k = 0; k < t->m.n; k++) {
        n += t->m.gap[k].kind == kind;
    }
    return n;
}

static void check_all_gaps(const touch *t, int n, double gap, double tol)
{
    CHECK(t->m.n == n);
    for (int k = 0; k < t->m.n; k++) {
        CHECK_NEAR(t->v[k].gap, gap, tol);
    }
}

/* ---- the shape ----------------------------------------------------------------------------- */

TEST(a_cylinder_has_the_volume_inertia_and_bounds_of_its_formulas)
{
    const ss_shape c = cylinder(0.5, 3);
    const ss_mass_properties m = ss_shape_mass(&c);
    const double volume = pi * 0.25 * 3;
    CHECK_NEAR(m.volume, volume, 1e-14);
    CHECK_NEAR(m.inertia[2], volume * 0.25 / 2, 1e-14);
    CHECK_NEAR(m.inertia[0], volume * (0.25 / 4 + 9.0 / 12), 1e-14);
    CHECK_NEAR(ss_shape_thickness(&c), 0.5, 0);
    CHECK_NEAR(ss_shape_radius(&c), hypot(0.5, 1.5), 1e-15);
    const ss_frame lying = tilted(1, 2, 3, ss_v3(0.5 * pi, 0, 0));
    const ss_box3 box = ss_shape_bounds(&c, &lying);
    CHECK_NEAR(box.hi.x, 1.5, 1e-15);
    CHECK_NEAR(box.hi.y, 3.5, 1e-15);
    CHECK_NEAR(box.lo.z, 2.5, 1e-15);
}

TEST(bounds_hold_the_cylinder_tightly)
{
    uint64_t seed = 4;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_shape c = pose_shape(&seed, 3, SS_SHAPE_cylinder);
        const ss_frame f = pose_frame(&seed, 3, 1);
        const ss_box3 box = ss_shape_bounds(&c, &f);
        CHECK_NEAR(box.hi.x, pose_support(&c, &f, ss_v3(1, 0, 0)), 1e-14);
        CHECK_NEAR(box.lo.y, -pose_support(&c, &f, ss_v3(0, -1, 0)), 1e-14);
        CHECK_NEAR(box.hi.z, pose_support(&c, &f, ss_v3(0, 0, 1)), 1e-14);
    }
}

/* ---- on a plane ---------------------------------------------------------------------------- */

TEST(a_standing_cylinder_has_four_points_that_stay_with_it)
{
    const ss_shape c = cylinder(0.5, 2), floor = ground();
    const ss_frame still = ss_frame_identity(), up = pose_still(0, 0, 1.01), turned = tilted(0.3, 0, 1, ss_v3(0, 0, 0.7));
    const touch t = meet(&c, &up, &floor, &still, 0.1), u = meet(&c, &turned, &floor, &still, 0.1);
    check_all_gaps(&t, 4, 0.01, 1e-15);
    check_all_gaps(&u, 4, 0, 1e-15);
    for (int k = 0; k < 4; k++) {
        CHECK(t.m.feature[k] == u.m.feature[k]);
        CHECK_NEAR(ss_norm(ss_sub(t.m.gap[k].a, u.m.gap[k].a)), 0, 1e-15); /* the same material points */
        CHECK_NEAR(t.v[k].point.z, 0.005, 1e-15);
    }
}

/* tilted by theta about x the lowest point of the lower rim is at height z - L cos(theta) - R sin(theta) */
TEST(a_tilted_cylinder_stands_on_the_lowest_point_of_its_rim)
{
    const ss_shape c = cylinder(0.5, 2), floor = ground();
    const ss_frame still = ss_frame_identity();
    for (int k = 0; k <= 200; k++) {
        const double theta = pow(10, -12 + 0.06 * k) * 0.5 * pi;
        const ss_frame f = tilted(0, 0, 1.2, ss_v3(theta, 0, 0));
        const touch t = meet(&c, &f, &floor, &still, 0.02);
        CHECK_NEAR(t.least, 1.2 - cos(theta) - 0.5 * sin(theta), 1e-9); /* below 1e-9 a tilt is none */
        CHECK(t.m.n >= 1 && t.m.n <= 5);
    }
}

TEST(a_lying_cylinder_rolls_on_its_two_rims)
{
    const ss_shape c = cylinder(0.5, 2), floor = ground();
    const ss_frame still = ss_frame_identity();
    uint32_t code[2] = { 0, 0 };
    for (int k = 0; k < 100; k++) {
        const ss_mat3 roll = ss_quat_matrix(ss_quat_exp(ss_v3(0, 0, 0.1 * k)));
        const ss_frame f = { { 0.05 * k, 0, 0.5 }, ss_compose(tilted(0, 0, 0, ss_v3(0.5 * pi, 0, 0)).R, roll) };
        const touch t = meet(&c, &f, &floor, &still, 0.1);
        check_all_gaps(&t, 2, 0, 1e-15);
        CHECK(count_kind(&t, SS_GAP_CIRCLE_PLANE) == 2);
        CHECK_NEAR(fabs(t.v[0].point.y), 1, 1e-14);
        CHECK_NEAR(t.v[0].point.x, 0.05 * k, 1e-14);
        for (int i = 0; i < 2; i++) {
            CHECK(k == 0 || t.m.feature[i] == code[i]);
            code[i] = t.m.feature[i];
        }
    }
}

/* ---- on a box ------------------------------------------------------------------------------ */

TEST(a_cylinder_on_a_box_has_all_corners_of_the_common_area)
{
    const ss_shape c = cylinder(0.5, 1), box = pose_box(3, 2, 2, 1), small = pose_box(3, 0.4, 0.4, 1);
    const ss_frame low = ss_frame_identity(), up = pose_still(0.1, 0.2, 1);
    const touch inside = meet(&c, &up, &box, &low, 0.01);
    check_all_gaps(&inside, 4, 0, 1e-14);
    /* a box smaller than the end: its four corners */
    const ss_frame over = pose_still(0.05, 0, 1);
    const touch corners = meet(&c, &over, &small, &low, 0.01);
    check_all_gaps(&corners, 4, 0, 1e-14);
    CHECK_NEAR(fabs(corners.v[0].point.x), 0.2, 1e-14);
    /* half over the edge x = 1: three fixed points, of which two on the edge, where it crosses the rim as well */
    const ss_frame half = pose_still(1, 0, 1);
    const touch edge = meet(&c, &half, &box, &low, 0.01);
    CHECK_NEAR(edge.least, 0, 1e-14);
    double reach[2] = { 0, 0 };
    for (int k = 0; k < edge.m.n; k++) {
        CHECK(edge.v[k].point.x <= 1 + 1e-9);
        reach[edge.v[k].point.y > 0] = fmax(reach[edge.v[k].point.y > 0], fabs(edge.v[k].point.y));
    }
    CHECK_NEAR(reach[0], 0.5, 1e-9);
    CHECK_NEAR(reach[1], 0.5, 1e-9);
}

/* overhanging by o, the edge passes under the rim at +- sqrt(R^2 - o^2) */
TEST(an_overhanging_cylinder_rests_where_the_edge_passes_under_its_rim)
{
    const ss_shape c = cylinder(0.5, 1), box = pose_box(3, 2, 2, 1);
    const ss_frame low = ss_frame_identity();
    for (int k = 1; k < 40; k++) {
        const double o = 0.01 * k, beside = sqrt(0.25 - o * o);
        const ss_frame f = tilted(1 - o, 0.1, 1 + 1e-6, ss_v3(1e-4, 2e-4, 0.3));
        const touch t = meet(&c, &f, &box, &low, 0.01);
        int crossings = 0;
        for (int i = 0; i < t.m.n; i++) {
            const ss_vec3 p = t.v[i].point;
            crossings += t.m.gap[i].kind == SS_GAP_LINE_LINE && fabs(fabs(p.y - 0.1) - beside) < 1e-3 && fabs(p.x - 1) < 1e-3;
        }
        CHECK(crossings == 2);
    }
}

TEST(a_cylinder_lying_on_a_box_has_the_ends_of_the_common_line)
{
    const ss_shape c = cylinder(0.5, 3), box = pose_box(3, 2, 2, 1);
    const ss_frame low = ss_frame_identity(), f = tilted(0.2, 0, 1, ss_v3(0.5 * pi, 0, 0)); /* along y, from -1.5 to 1.5 */
    const touch t = meet(&c, &f, &box, &low, 0.01);
    check_all_gaps(&t, 2, 0, 1e-14);
    CHECK(count_kind(&t, SS_GAP_LINE_LINE) == 2); /* the box's edges y = +-1 across the side */
    CHECK_NEAR(t.v[0].point.y + t.v[1].point.y, 0, 1e-14);
    CHECK_NEAR(fabs(t.v[0].point.y), 1, 1e-14);
    const ss_shape stub = cylinder(0.5, 1);
    const touch u = meet(&stub, &f, &box, &low, 0.01);
    check_all_gaps(&u, 2, 0, 1e-14);
    CHECK(count_kind(&u, SS_GAP_CIRCLE_PLANE) == 2);
}

/* ---- round shapes -------------------------------------------------------------------------- */

TEST(a_ball_touches_the_side_an_end_or_the_rim)
{
    const ss_shape c = cylinder(0.5, 2), ball = pose_ball(3, 0.25);
    const ss_frame still = ss_frame_identity();
    const ss_frame beside = pose_still(1, 0, 0.3), above = pose_still(0.2, 0.1, 1.5), corner = pose_still(0.8, 0, 1.4);
    const touch side = meet(&ball, &beside, &c, &still, 0.1), end = meet(&ball, &above, &c, &still, 0.1);
    const touch rim = meet(&ball, &corner, &c, &still, 0.1);
    check_all_gaps(&side, 1, 0.25, 1e-15);
    check_all_gaps(&end, 1, 0.25, 1e-15);
    check_all_gaps(&rim, 1, 0.25, 1e-15); /* 0.3, 0.4, 0.5 */
    CHECK_NEAR(side.v[0].normal.x, 1, 1e-15);
    CHECK_NEAR(end.v[0].normal.z, 1, 1e-15);
    CHECK_NEAR(rim.v[0].normal.x, 0.6, 1e-15);
}

TEST(a_parallel_capsule_has_two_points_and_a_crossing_one)
{
    const ss_shape c = cylinder(0.5, 2), rod = capsule(0.1, 3), stub = capsule(0.1, 1);
    const ss_frame still = ss_frame_identity(), beside = pose_still(0.6, 0, 0), across = tilted(0, 0.6, 0, ss_v3(0, 0.5 * pi, 0));
    const touch longer = meet(&rod, &beside, &c, &still, 0.01), shorter = meet(&stub, &beside, &c, &still, 0.01);
    check_all_gaps(&longer, 2, 0, 1e-14);
    check_all_gaps(&shorter, 2, 0, 1e-14);
    CHECK_NEAR(fabs(longer.v[0].point.z), 1, 1e-9); /* the cylinder's rims */
    CHECK_NEAR(fabs(shorter.v[0].point.z), 0.5, 1e-14);
    const touch one = meet(&rod, &across, &c, &still, 0.01);
    check_all_gaps(&one, 1, 0, 1e-14);
    CHECK(one.m.gap[0].kind == SS_GAP_LINE_LINE);
}

/* the ways out are a diameter sideways and a length along the axis; round bodies to 1e-3 of it, see epa.c */
TEST(cylinders_with_a_common_centre_overlap_by_the_shorter_way_out)
{
    const double length[] = { 0.4, 1, 3 };
    for (int k = 0; k < 3; k++) {
        const ss_shape c = cylinder(0.5, length[k]);
        const ss_frame f = pose_still(0, 0, 1);
        ss_manifold m;
        ss_collide(&c, &f, &c, &f, 0.01, &m);
        double least = INFINITY;
        for (int i = 0; i < m.n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[i], &f, &f, &v);
            least = fmin(least, v.gap);
        }
        CHECK_NEAR(least, -fmin(1, length[k]), 1e-3);
    }
}

TEST(two_cylinders_touch_side_by_side_crossed_and_stacked)
{
    const ss_shape c = cylinder(0.5, 2), d = cylinder(0.25, 1);
    const ss_frame still = ss_frame_identity(), beside = pose_still(0, 0.75, 0.2), on = pose_still(0.1, 0, 1.5);
    const ss_frame across = tilted(0, 0.75, 0.1, ss_v3(0, 0.5 * pi, 0)), shifted = pose_still(0.4, 0, 1.5);
    const touch parallel = meet(&d, &beside, &c, &still, 0.01), crossed = meet(&d, &across, &c, &still, 0.01);
    const touch stacked = meet(&d, &on, &c, &still, 0.01), over = meet(&d, &shifted, &c, &still, 0.01);
    check_all_gaps(&parallel, 2, 0, 1e-14);
    check_all_gaps(&crossed, 1, 0, 1e-14);
    check_all_gaps(&stacked, 4, 0, 1e-14);
    CHECK_NEAR(over.least, 0, 1e-14);
    CHECK(count_kind(&over, SS_GAP_LINE_LINE) == 2); /* where the rims cross */
}

/* gaps that were found once are those of cylinders that have rolled on: circles whose centres are 0.8 apart */
TEST(parallel_cylinders_roll_on_each_other_as_circles_do)
{
    const ss_shape c = cylinder(0.5, 2), d = cylinder(0.25, 1), rod = capsule(0.25, 1);
    const ss_frame still = ss_frame_identity(), beside = pose_still(0, 0.75, 0.2), turned = tilted(0, 0, 0, ss_v3(0, 0, -0.7));
    const ss_frame moved = tilted(0.8 * sin(0.3), 0.8 * cos(0.3), 0.2, ss_v3(0, 0, 1.1));
    const touch found[] = { meet(&d, &beside, &c, &still, 0.01), meet(&rod, &beside, &c, &still, 0.01) };
    for (int i = 0; i < 2; i++) {
        check_all_gaps(&found[i], 2, 0, 1e-14);
        for (int k = 0; k < 2; k++) {
            ss_gap_value v;
            ss_gap_eval(&found[i].m.gap[k], &moved, &turned, &v);
            CHECK_NEAR(v.gap, 0.8 - 0.75, 1e-14);
            CHECK_NEAR(v.normal.x, sin(0.3), 1e-14);
        }
    }
}

/* Rims of flush ends have parallel tangents where they are nearest: these cross nowhere, whatever round-off says of them. */
TEST(cylinders_side_by_side_with_flush_ends_touch_along_their_sides_alone)
{
    const double gap = 5e-5, off[] = { 0, 1e-17, -1e-16, 3e-16, -1e-15, 1e-13 };
    const ss_shape c = cylinder(0.1, 0.3);
    const ss_frame still = ss_frame_identity(), rolled = tilted(0, 0, 0, ss_v3(0, 0, 1e-3));
    for (int i = 0; i < 36; i++) {
        const ss_frame beside = tilted(0.2 + gap, 0, 0, ss_v3(off[i % 6], off[i / 6], 0.3));
        const touch found = meet(&c, &still, &c, &beside, 0.01);
        for (int k = 0; k < found.m.n; k++) {
            ss_gap_value v;
            ss_gap_eval(&found.m.gap[k], &rolled, &beside, &v);
            CHECK_NEAR(v.gap, gap, 1e-12); /* 1e-13 rad of 0.15 m, and round-off */
        }
        CHECK(found.m.n == 2);
    }
}

/* the place beside a thick side along z where a thin cylinder, 45 degrees off its normal, has turned about that */
static ss_frame beside_thick(double turn)
{
    const ss_mat3 tilt = ss_quat_matrix(ss_quat_exp(ss_v3(-0.25 * pi, 0, 0)));
    return (ss_frame){ { 0, 1.03, 0 }, ss_compose(ss_quat_matrix(ss_quat_exp(ss_v3(0, turn, 0))), tilt) };
}

/* The tangent of the rim is 0.05 rad off the axis of the thick one. When it comes to be along that axis, after 0.05 rad, it
 * crosses it nowhere; the rim still touches where it did. */
TEST(a_rim_on_a_thick_side_touches_at_its_own_point_when_its_tangent_turns_along_the_axis)
{
    const ss_shape thick = cylinder(1, 4), thin = cylinder(0.01, 0.04);
    const ss_frame still = ss_frame_identity(), at = beside_thick(0.5 * pi - 0.05);
    const touch found = meet(&thin, &at, &thick, &still, 0.1);
    CHECK(found.m.n == 1);
    for (int k = 0; k <= 10; k++) {
        const ss_frame to = beside_thick(0.5 * pi - 0.05 + 0.01 * k);
        const touch end = meet(&thin, &to, &thick, &still, 0.1);
        ss_gap_value v;
        ss_gap_eval(&found.m.gap[0], &to, &still, &v);
        /* the nearest point runs along the rim by a hundredth of its radius a radian: (0.1 0.01)^2 0.01/2 at most */
        CHECK_NEAR(v.gap, end.least, 1e-8);
        CHECK(ss_norm(ss_sub(v.point, to.p)) < 1.3 * ss_shape_radius(&thin)); /* a gap of 0.009, in the middle of which it is */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_has_the_volume_inertia_and_bounds_of_its_formulas),
        cmocka_unit_test(bounds_hold_the_cylinder_tightly),
        cmocka_unit_test(a_standing_cylinder_has_four_points_that_stay_with_it),
        cmocka_unit_test(a_tilted_cylinder_stands_on_the_lowest_point_of_its_rim),
        cmocka_unit_test(a_lying_cylinder_rolls_on_its_two_rims),
        cmocka_unit_test(a_cylinder_on_a_box_has_all_corners_of_the_common_area),
        cmocka_unit_test(an_overhanging_cylinder_rests_where_the_edge_passes_under_its_rim),
        cmocka_unit_test(a_cylinder_lying_on_a_box_has_the_ends_of_the_common_line),
        cmocka_unit_test(a_ball_touches_the_side_an_end_or_the_rim),
        cmocka_unit_test(a_parallel_capsule_has_two_points_and_a_crossing_one),
        cmocka_unit_test(cylinders_with_a_common_centre_overlap_by_the_shorter_way_out),
        cmocka_unit_test(two_cylinders_touch_side_by_side_crossed_and_stacked),
        cmocka_unit_test(parallel_cylinders_roll_on_each_other_as_circles_do),
        cmocka_unit_test(cylinders_side_by_side_with_flush_ends_touch_along_their_sides_alone),
        cmocka_unit_test(a_rim_on_a_thick_side_touches_at_its_own_point_when_its_tangent_turns_along_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
