/* test_boxes.c - manifolds of two boxes: stacks, bricks, crossings, and inputs that have no good answer. */
#include "poses.h"

enum { TRIALS = 2000 };

/* the manifold of box a standing on box b, as a sorted list of places in the plane of contact */
static ss_manifold collide(const ss_shape *a, ss_frame fa, const ss_shape *b, ss_frame fb, double margin)
{
    ss_manifold m;
    ss_collide(a, &fa, b, &fb, margin, &m);
    return m;
}

/* is there exactly one contact within tol of this place, with this gap? */
static bool contact_at(const ss_manifold *m, ss_frame fa, ss_frame fb, ss_vec3 place, double gap, double tol)
{
    int found = 0;
    for (int k = 0; k < m->n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m->gap[k], &fa, &fb, &v);
        found += ss_norm(ss_sub(v.point, place)) < tol && fabs(v.gap - gap) < tol && fabs(fabs(v.normal.y) - 1) < tol;
    }
    return found == 1;
}

static ss_frame shaken(ss_frame f, uint64_t *seed, int dimension, double size)
{
    f.p = ss_add(f.p, pose_vector(seed, dimension, size));
    f.R = ss_compose(ss_quat_matrix(ss_quat_exp(pose_spin(seed, dimension, size))), f.R);
    return f;
}

/* equal boxes, stacked along y, shaken by `size`: one contact per corner, always the same features */
static void check_stack(int dimension, double size)
{
    const ss_shape box = pose_box(dimension, 1, 1, 1);
    const int corners = dimension == 3 ? 4 : 2;
    uint64_t seed = 42;
    uint32_t first[4] = { 0 };
    for (int k = 0; k < TRIALS; k++) {
        const ss_frame low = pose_still(0.3, 0, 0), high = shaken(pose_still(0.3, 1, 0), &seed, dimension, size);
        const ss_manifold m = collide(&box, high, &box, low, 0.1);
        CHECK(m.n == corners);
        for (int c = 0; c < corners; c++) {
            const ss_vec3 place = ss_v3(c & 1 ? 0.8 : -0.2, 0.5, dimension == 2 ? 0 : c & 2 ? 0.5 : -0.5);
            CHECK(contact_at(&m, high, low, place, 0, 1e-11 + 10 * size));
            first[c] = k == 0 ? m.feature[c] : first[c];
            CHECK(m.feature[c] == first[c]);
        }
    }
}

TEST(aligned_equal_boxes_touch_at_their_corners_and_keep_their_features)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        check_stack(dimension, 0);
        check_stack(dimension, 1e-16);
        check_stack(dimension, 1e-12);
        check_stack(dimension, 1e-10);
    }
}

/* whatever the size of a shift or turn about the normal, aligned squares have about one contact per corner:
 * never none, and corners spread over the whole face */
TEST(shifted_and_turned_stacks_keep_a_full_base)
{
    const ss_shape box = pose_box(3, 1, 1, 1), flat = pose_box(2, 1, 1, 1);
    uint64_t seed = 8;
    for (int k = 0; k < TRIALS; k++) {
        const double size = pow(10, pose_uniform(&seed, -12, -2));
        ss_frame high = pose_still(0, 1, 0), low = pose_still(0, 0, 0);
        high.p = ss_add(high.p, ss_v3(pose_uniform(&seed, -size, size), 0, pose_uniform(&seed, -size, size)));
        high.R = ss_quat_matrix(ss_quat_exp(ss_v3(0, k % 2 ? pose_uniform(&seed, -size, size) : 0, 0)));
        const ss_manifold m = collide(&box, high, &box, low, 0.1);
        int quadrants = 0;
        for (int i = 0; i < m.n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[i], &high, &low, &v);
            CHECK_NEAR(v.gap, 0, 1e-11); /* rounding over the sine between two edges, at least 1e-3 */
            CHECK(v.outside <= 0);
            const bool far = fabs(v.point.x) > 0.45 && fabs(v.point.z) > 0.45;
            quadrants |= far ? 1 << ((v.point.x > 0) + 2 * (v.point.z > 0)) : 0;
        }
        CHECK(quadrants == 15);
        CHECK(m.n <= 8);
        high.p.z = 0;
        high.R = ss_mat3_identity();
        CHECK(collide(&flat, high, &flat, low, 0.1).n == 2);
    }
}

TEST(half_overlapping_bricks_have_four_contacts)
{
    const ss_shape brick = pose_box(3, 2, 1, 1);
    const ss_frame low = pose_still(0, 0, 0), high = pose_still(1, 1, 0);
    const ss_manifold m = collide(&brick, high, &brick, low, 0.1);
    CHECK(m.n == 4);
    for (int c = 0; c < 4; c++) {
        CHECK(contact_at(&m, high, low, ss_v3(c & 1, 0.5, c & 2 ? 0.5 : -0.5), 0, 1e-14)); /* exact up to rounding */
    }
}

TEST(small_box_on_a_large_one_stands_on_its_corners)
{
    const ss_shape small = pose_box(3, 0.2, 0.2, 0.2), large = pose_box(3, 100, 1, 100);
    const ss_frame low = pose_still(0, -0.5, 0), high = pose_still(3, 0.11, 4);
    const ss_manifold m = collide(&small, high, &large, low, 0.05);
    CHECK(m.n == 4);
    for (int c = 0; c < 4; c++) {
        CHECK(contact_at(&m, high, low, ss_v3(c & 1 ? 3.1 : 2.9, 0.005, c & 2 ? 4.1 : 3.9), 0.01, 1e-13)); /* rounding at 50 m */
    }
}

TEST(crossed_planks_touch_at_the_four_crossings_of_their_edges)
{
    const ss_shape plank = pose_box(3, 10, 0.1, 0.2);
    const ss_frame low = pose_still(0, 0, 0);
    for (int k = 1; k <= 30; k++) {
        const double angle = 0.05 * k;
        ss_frame high = pose_still(0, 0.1, 0);
        high.R = ss_quat_matrix(ss_quat_exp(ss_v3(0, angle, 0)));
        const ss_manifold m = collide(&plank, high, &plank, low, 0.1);
        CHECK(m.n == 4);
        /* the crossing strips make a rhombus with half diagonals w / sin(angle/2) and w / cos(angle/2), w = 0.1 */
        const double along = 0.1 / sin(0.5 * angle), across = 0.1 / cos(0.5 * angle);
        const ss_vec3 axis = ss_v3(cos(0.5 * angle), 0, -sin(0.5 * angle)), normal = ss_v3(sin(0.5 * angle), 0, cos(0.5 * angle));
        const ss_vec3 height = { 0, 0.05, 0 };
        CHECK(contact_at(&m, high, low, ss_axpy(along, axis, height), 0, 1e-11)); /* rounding over sin(0.05)^2 */
        CHECK(contact_at(&m, high, low, ss_axpy(-along, axis, height), 0, 1e-11));
        CHECK(contact_at(&m, high, low, ss_axpy(across, normal, height), 0, 1e-11));
        CHECK(contact_at(&m, high, low, ss_axpy(-across, normal, height), 0, 1e-11));
    }
}

/* one square turned on another by 45 degrees: an octagon, whichever edge is lower by a hair */
TEST(a_tilt_of_rounding_size_does_not_reduce_a_face_to_an_edge)
{
    const ss_shape box = pose_box(3, 1, 1, 1);
    const ss_frame low = pose_still(0, 0, 0);
    uint64_t seed = 15;
    for (int k = 0; k < TRIALS; k++) {
        ss_frame high = pose_still(0, 1, 0);
        high.R = ss_quat_matrix(ss_quat_exp(ss_v3(0, 0.25 * 3.14159265358979323846, 0)));
        high = shaken(high, &seed, 3, 1e-8);
        CHECK(collide(&box, high, &box, low, 0.1).n == 8);
    }
}

TEST(crossing_edges_give_one_line_line_gap)
{
    const ss_shape box = pose_box(3, 2, 1, 1);
    const double quarter = 0.25 * 3.14159265358979323846, depth = 0.01;
    ss_frame low = pose_still(0, 0, 0), high = pose_still(0, sqrt(2) - depth, 0);
    low.R = ss_quat_matrix(ss_quat_exp(ss_v3(quarter, 0, 0)));                         /* ridge along x */
    high.R = ss_compose(ss_quat_matrix(ss_quat_exp(ss_v3(0, 2 * quarter, 0))), low.R); /* ridge along z */
    const ss_manifold m = collide(&box, high, &box, low, 0.1);
    CHECK(m.n == 1 && m.gap[0].kind == SS_GAP_LINE_LINE);
    CHECK(contact_at(&m, high, low, ss_v3(0, (sqrt(2) - depth) / 2, 0), -depth, 1e-14));
}

TEST(rocking_box_keeps_the_corner_it_stands_on)
{
    const ss_shape box = pose_box(2, 1, 2, 0), floor = pose_box(2, 10, 1, 0);
    const ss_frame low = pose_still(0, -0.5, 0);
    for (int k = -40; k <= 40; k++) {
        const double tilt = 0.01 * k;
        ss_frame high = { .R = ss_rotation_z(tilt) };
        const ss_vec3 corner = ss_rotate(high.R, ss_v3(tilt > 0 ? -0.5 : 0.5, -1, 0)); /* the lower one, put at the origin */
        high.p = ss_scale(-1, corner);
        const ss_manifold m = collide(&box, high, &floor, low, 1.5);
        const double rise = fabs(sin(tilt));
        CHECK(m.n == 2);
        CHECK(contact_at(&m, high, low, ss_v3(0, 0, 0), 0, 1e-14));
        CHECK(contact_at(&m, high, low, ss_v3((tilt > 0 ? 1 : -1) * cos(tilt), 0.5 * rise, 0), rise, 1e-14));
    }
}

TEST(contacts_do_not_depend_on_which_box_comes_first)
{
    const ss_shape box = pose_box(3, 1, 1, 1);
    const ss_frame low = pose_still(0, 0, 0), high = pose_still(0, 1, 0);
    const ss_manifold m = collide(&box, high, &box, low, 0.1), w = collide(&box, low, &box, high, 0.1);
    CHECK(m.n == 4 && w.n == 4);
    for (int k = 0; k < 4; k++) {
        /* the same box gives the vertices in both calls: features are those of m, exchanged */
        ss_gap_value v;
        ss_gap_eval(&m.gap[k], &high, &low, &v);
        CHECK(contact_at(&w, low, high, v.point, v.gap, 1e-15));
        CHECK(m.gap[k].swap != w.gap[k].swap);
    }
}

/* ---- inputs that have no good answer ---------------------------------------------------------- */

static void check_finite(const ss_manifold *m, ss_frame fa, ss_frame fb)
{
    CHECK(m->n >= 1);
    for (int k = 0; k < m->n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m->gap[k], &fa, &fb, &v);
        CHECK(isfinite(v.gap) && isfinite(ss_norm(v.point)));
        CHECK_NEAR(ss_norm(v.normal), 1, 1e-12);
    }
}

TEST(coincident_shapes_have_finite_gaps_and_unit_normals)
{
    const double places[] = { 0, 1, 1e6 };
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int p = 0; p < 3; p++) {
            uint64_t seed = 77;
            const ss_frame f = pose_still(places[p], -places[p], 0);
            ss_shape shape[SS_SHAPE_KINDS];
            for (ss_shape_kind k = 0; k < SS_SHAPE_KINDS; k++) {
                const bool exists = pose_exists(k, dimension);
                shape[k] = pose_shape(&seed, dimension, exists ? k : SS_SHAPE_sphere);
                if (k != SS_SHAPE_half_space) {
                    shape[k].local = ss_frame_identity();
                }
            }
            for (int k = 0; k < SS_SHAPE_KINDS * SS_SHAPE_KINDS; k++) {
                const ss_shape *a = &shape[k / SS_SHAPE_KINDS], *b = &shape[k % SS_SHAPE_KINDS];
                const bool convex = a->kind != SS_SHAPE_height_field && b->kind != SS_SHAPE_height_field;
                if (convex && ss_can_collide(a->kind, b->kind)) {
                    const ss_manifold m = collide(a, f, b, f, 0.1);
                    check_finite(&m, f, f);
                }
            }
        }
    }
}

TEST(point_on_a_vertex_edge_or_face_of_a_box_has_zero_gap_and_an_outward_normal)
{
    const ss_shape box = pose_box(3, 2, 2, 2), point = pose_ball(3, 0);
    const ss_vec3 places[] = { { 1, 1, 1 }, { 1, 0, -1 }, { 0, 1, 0 } };
    for (int k = 0; k < 3; k++) {
        const ss_frame fa = { places[k], ss_mat3_identity() }, fb = pose_still(0, 0, 0);
        const ss_manifold m = collide(&point, fa, &box, fb, 0.1);
        ss_gap_value v;
        ss_gap_eval(&m.gap[0], &fa, &fb, &v);
        CHECK_NEAR(v.gap, 0, 0);
        CHECK(ss_dot(v.normal, places[k]) > 0.99);
    }
}

TEST(deep_overlap_is_resolved_along_the_shortest_way_out)
{
    const ss_shape box = pose_box(3, 2, 2, 2);
    const ss_frame low = pose_still(0, 0, 0), high = pose_still(0.1, 1.4, 0.2); /* out by 0.6 along y, 1.9 along x */
    const ss_manifold m = collide(&box, high, &box, low, 0.1);
    for (int k = 0; k < m.n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[k], &high, &low, &v);
        CHECK_NEAR(v.gap, -0.6, 1e-15);
        CHECK_NEAR(v.normal.y, 1, 0);
    }
    CHECK(m.n == 4);
}

TEST(boxes_that_touch_have_a_gap_even_with_no_margin)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        const ss_shape box = pose_box(dimension, 1, 1, 1);
        const ss_frame low = pose_still(0, 0, 0), high = pose_still(0.25, 1, 0);
        const ss_manifold m = collide(&box, high, &box, low, 0);
        CHECK(m.n >= 1);
        for (int k = 0; k < m.n; k++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[k], &high, &low, &v);
            CHECK_NEAR(v.gap, 0, 0);
            CHECK_NEAR(v.normal.y, 1, 0);
            CHECK(v.point.x >= -0.25 && v.point.x <= 0.5); /* where one is over the other */
        }
    }
}

/* The upper box overhangs by 0.6 and is tilted about the edge of the lower one by next to nothing: its far corner is below the
 * lower one's upper face, but not over it. */
TEST(a_box_that_hangs_over_an_edge_touches_nothing_beyond_it)
{
    static const double tilts[] = { 1e-16, 1e-13, 1e-11, 1e-10, 3e-10, 1e-9, 1e-8, 1e-6 };
    for (int dimension = 2; dimension <= 3; dimension++) {
        const ss_shape box = pose_box(dimension, 1, 1, 1);
        for (size_t i = 0; i < 2 * sizeof tilts / sizeof *tilts; i++) {
            const double tilt = tilts[i / 2], margin = i % 2 ? 1e-3 : 0;
            const ss_frame low = pose_still(0, 0, 0);
            ss_frame high = { .p = { 0.5 + 0.1 * cos(tilt) + 0.5 * sin(tilt), 0.5 + 0.5 * cos(tilt) - 0.1 * sin(tilt), 0 } };
            high.R = ss_quat_matrix(ss_quat_axis(ss_v3(0, 0, 1), -tilt));
            const ss_manifold m = collide(&box, high, &box, low, margin);
            CHECK(m.n >= 1);
            for (int k = 0; k < m.n; k++) {
                ss_gap_value v;
                ss_gap_eval(&m.gap[k], &high, &low, &v);
                CHECK(v.point.x <= 0.5 + 1e-9 && v.gap >= -1e-15);
            }
        }
    }
}

/* positions there are known to 1e-10 m only, and a few such errors must not change what touches what */
TEST(boxes_a_million_metres_away_still_touch_at_their_corners)
{
    const ss_shape box = pose_box(3, 1, 1, 1);
    uint64_t seed = 6;
    uint32_t first[4] = { 0 };
    for (int k = 0; k < TRIALS; k++) {
        const ss_frame low = pose_still(1e6 + 0.3, -1e6, 0.1),
                       high = shaken(pose_still(1e6 + 0.3, -1e6 + 1, 0.1), &seed, 3, 1e-9);
        const ss_manifold m = collide(&box, high, &box, low, 0.1);
        CHECK(m.n == 4);
        check_finite(&m, high, low);
        for (int c = 0; c < 4; c++) {
            first[c] = k == 0 ? m.feature[c] : first[c];
            CHECK(m.feature[c] == first[c]);
        }
    }
}

TEST(far_apart_boxes_still_name_their_nearest_features)
{
    const ss_shape box = pose_box(2, 1, 1, 0);
    const ss_frame fa = pose_still(10, 0, 0), fb = pose_still(0, 0.2, 0), corner = pose_still(4, 5, 0);
    ss_manifold m = collide(&box, fa, &box, fb, 0.1);
    ss_gap_value v;
    CHECK(m.n == 1);
    ss_gap_eval(&m.gap[0], &fa, &fb, &v);
    CHECK_NEAR(v.gap, 9, 1e-14);
    m = collide(&box, corner, &box, pose_still(0, 0, 0), 0.1);
    CHECK(m.n == 1 && m.gap[0].kind == SS_GAP_POINT_POINT);
    const ss_frame origin = pose_still(0, 0, 0);
    ss_gap_eval(&m.gap[0], &corner, &origin, &v);
    CHECK_NEAR(v.gap, 5, 1e-14); /* from (0.5, 0.5) to (3.5, 4.5) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_equal_boxes_touch_at_their_corners_and_keep_their_features),
        cmocka_unit_test(shifted_and_turned_stacks_keep_a_full_base),
        cmocka_unit_test(half_overlapping_bricks_have_four_contacts),
        cmocka_unit_test(small_box_on_a_large_one_stands_on_its_corners),
        cmocka_unit_test(crossed_planks_touch_at_the_four_crossings_of_their_edges),
        cmocka_unit_test(a_tilt_of_rounding_size_does_not_reduce_a_face_to_an_edge),
        cmocka_unit_test(crossing_edges_give_one_line_line_gap),
        cmocka_unit_test(rocking_box_keeps_the_corner_it_stands_on),
        cmocka_unit_test(contacts_do_not_depend_on_which_box_comes_first),
        cmocka_unit_test(coincident_shapes_have_finite_gaps_and_unit_normals),
        cmocka_unit_test(point_on_a_vertex_edge_or_face_of_a_box_has_zero_gap_and_an_outward_normal),
        cmocka_unit_test(deep_overlap_is_resolved_along_the_shortest_way_out),
        cmocka_unit_test(boxes_that_touch_have_a_gap_even_with_no_margin),
        cmocka_unit_test(a_box_that_hangs_over_an_edge_touches_nothing_beyond_it),
        cmocka_unit_test(boxes_a_million_metres_away_still_touch_at_their_corners),
        cmocka_unit_test(far_apart_boxes_still_name_their_nearest_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
