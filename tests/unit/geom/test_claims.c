/* test_claims.c - a gap never claims a penetration that the shapes do not have.
 *
 * The oracle for boxes is the separating axis theorem on half extents, for a ball and a box the distance of the
 * centre. A depth that a gap claims is compared with the oracle where the gap was found and along short motions. */
#include "poses.h"

enum { PAIRS = 100000, STEPS = 20 };

typedef struct pair {
    ss_shape a, b;
    motion ma, mb;
} pair;

/* ---- oracles ------------------------------------------------------------------------------------ */

static double extent(const ss_shape *s, const ss_mat3 *R, ss_vec3 n)
{
    return s->half.x * fabs(ss_dot(R->c[0], n)) + s->half.y * fabs(ss_dot(R->c[1], n)) + s->half.z * fabs(ss_dot(R->c[2], n));
}

static double box_separation(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb)
{
    const ss_frame A = ss_frame_compose(*fa, a->local), B = ss_frame_compose(*fb, b->local);
    const ss_vec3 d = ss_sub(A.p, B.p);
    double best = -INFINITY;
    for (int k = 0; k < 15; k++) {
        const ss_vec3 m = k < 3 ? A.R.c[k] : k < 6 ? B.R.c[k - 3] : ss_cross(A.R.c[(k - 6) / 3], B.R.c[(k - 6) % 3]);
        const ss_vec3 n = ss_unit(m);
        const bool flat = a->dimension == 3 || fabs(n.z) < 0.5; /* 2D: axes in the plane */
        if (ss_norm(m) > 1e-6 && flat) {
            best = fmax(best, fabs(ss_dot(d, n)) - extent(a, &A.R, n) - extent(b, &B.R, n));
        }
    }
    return best;
}

static double ball_separation(const ss_shape *ball, const ss_frame *fa, const ss_shape *box, const ss_frame *fb)
{
    const ss_vec3 x = ss_point_to_body(ss_frame_compose(*fb, box->local), ss_point_to_world(*fa, ball->local.p)), h = box->half;
    const double flat = box->dimension == 2 ? -INFINITY : fabs(x.z) - h.z, px = fabs(x.x) - h.x, py = fabs(x.y) - h.y;
    const double deepest = fmax(flat, fmax(px, py));
    const double apart = ss_norm(ss_v3(fmax(px, 0), fmax(py, 0), fmax(flat, 0)));
    return (deepest > 0 ? apart : deepest) - ball->radius;
}

static double separation(const pair *p, const ss_frame *fa, const ss_frame *fb)
{
    return p->a.kind == SS_SHAPE_box ? box_separation(&p->a, fa, &p->b, fb) : ball_separation(&p->a, fa, &p->b, fb);
}

/* ---- random pairs that nearly touch ---------------------------------------------------------------- */

/* sides below 1, so that the rims, 2e-9 of the half size, are below 1e-9 */
static ss_shape small_box(uint64_t *seed, int dimension)
{
    ss_shape box = pose_box(dimension, pose_uniform(seed, 0.05, 1), pose_uniform(seed, 0.05, 1), pose_uniform(seed, 0.05, 1));
    box.local = pose_frame(seed, dimension, 0.3);
    return box;
}

/* a is moved towards b along a random line until they touch, then to and fro by up to 2 cm */
static pair near_pair(uint64_t *seed, int dimension, ss_shape_kind kind)
{
    pair p = { .a = kind == SS_SHAPE_box ? small_box(seed, dimension) : pose_shape(seed, dimension, kind) };
    p.b = small_box(seed, dimension);
    p.ma = pose_motion(seed, dimension, 1);
    p.mb = pose_motion(seed, dimension, 1);
    const ss_vec3 u = ss_unit(pose_vector(seed, dimension, 1));
    p.ma.start.p = ss_axpy(4, u, p.mb.start.p);
    for (int k = 0; k < 8; k++) { /* from outside: the separation is at most the way that is left */
        p.ma.start.p = ss_axpy(-separation(&p, &p.ma.start, &p.mb.start), u, p.ma.start.p);
    }
    p.ma.start.p = ss_axpy(pose_uniform(seed, -0.02, 0.02), u, p.ma.start.p);
    return p;
}

/* 1.05 is where a face is preferred to an edge; rims below 1e-9 */
static double allowed(double s) { return 1.06 * fmax(0, -s) + 1e-9; }

static void check_found(int dimension, ss_shape_kind kind)
{
    uint64_t seed = 31 + (uint64_t)dimension;
    int deep = 0;
    for (int k = 0; k < PAIRS; k++) {
        const pair p = near_pair(&seed, dimension, kind);
        const double s = separation(&p, &p.ma.start, &p.mb.start);
        ss_manifold m;
        ss_collide(&p.a, &p.ma.start, &p.b, &p.mb.start, k % 2 ? 0.05 : 0, &m);
        for (int i = 0; i < m.n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[i], &p.ma.start, &p.mb.start, &v);
            CHECK(-v.gap <= allowed(s));
            deep += v.gap < -1e-9;
        }
    }
    CHECK(deep > PAIRS / 10);
}

/* The common area is between nothing and all of the faces: narrow ones have another way out, sideways. */
TEST(a_box_that_rests_on_another_is_as_deep_as_the_axes_say)
{
    uint64_t seed = 77;
    for (int k = 0; k < PAIRS / 5; k++) {
        const ss_shape a = pose_box(3, 1, 1, pose_uniform(&seed, 0.1, 1)), b = pose_box(3, 1, 1, pose_uniform(&seed, 0.1, 1));
        const double depth = copysign(pow(10, pose_uniform(&seed, -12, -2)), pose_uniform(&seed, -1, 1));
        const double strip = pow(10, pose_uniform(&seed, -8, 0)), turn = k % 3 ? 0 : pose_uniform(&seed, 0, 3);
        const ss_frame world = pose_frame(&seed, 3, 1);
        ss_frame fa = pose_still(1 - strip, pose_uniform(&seed, -0.5, 0.5), a.half.z + b.half.z - depth);
        fa.R = ss_quat_matrix(ss_quat_axis(ss_v3(0, 0, 1), turn));
        fa = ss_frame_compose(world, fa);
        ss_manifold m;
        ss_collide(&a, &fa, &b, &world, 0.05, &m);
        double least = INFINITY;
        for (int i = 0; i < m.n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[i], &fa, &world, &v);
            least = fmin(least, v.gap);
        }
        const double s = box_separation(&a, &fa, &b, &world);
        CHECK(m.n > 0 && least >= -allowed(s) && (s > 0 ? least >= s - 1e-9 : least <= 0.99 * s + 1e-8));
    }
}

TEST(no_gap_is_found_deeper_than_the_shapes_overlap)
{
    check_found(3, SS_SHAPE_box);
    check_found(2, SS_SHAPE_box);
    check_found(3, SS_SHAPE_sphere);
    check_found(2, SS_SHAPE_point);
}

/* the gaps found at the start, evaluated along a motion of 2 mm and 2 mrad per step */
static void check_along(const pair *p, const ss_manifold *m, int *claims, int *doubts)
{
    for (int step = 1; step <= STEPS; step++) {
        const ss_frame fa = pose_at(&p->ma, 2e-3 * step), fb = pose_at(&p->mb, 2e-3 * step);
        const double s = separation(p, &fa, &fb);
        for (int i = 0; i < m->n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m->gap[i], &fa, &fb, &v);
            if (v.outside <= 0 && v.gap < -1e-9) {
                CHECK(s <= 1e-9);
                CHECK(v.excess > 0 || -v.gap <= allowed(s));
                CHECK(v.excess <= 0 || -v.gap >= fmax(0, -s));
                *claims += 1;
                *doubts += v.excess > 0;
            }
        }
    }
}

static void check_paths(int dimension, ss_shape_kind kind)
{
    uint64_t seed = 77 + (uint64_t)dimension;
    int claims = 0, doubts = 0;
    for (int k = 0; k < PAIRS / 2; k++) {
        const pair p = near_pair(&seed, dimension, kind);
        ss_manifold m;
        ss_collide(&p.a, &p.ma.start, &p.b, &p.mb.start, 0.05, &m);
        check_along(&p, &m, &claims, &doubts);
    }
    CHECK(claims > PAIRS && doubts < claims / 10);
}

TEST(along_a_motion_a_depth_is_claimed_only_by_shapes_that_overlap)
{
    check_paths(3, SS_SHAPE_box);
    check_paths(2, SS_SHAPE_box);
    check_paths(3, SS_SHAPE_sphere);
    check_paths(2, SS_SHAPE_point);
}

/* ---- closed forms ----------------------------------------------------------------------------------- */

/* Two ridges that cross at right angles, 1 cm apart. Turned about its own edge by phi, the upper one keeps its line;
 * from 45 degrees on its faces no longer look down on both sides of it, and by 0.05 more the edge has let go. */
TEST(an_edge_lets_go_when_the_normal_leaves_its_faces)
{
    const ss_shape box = pose_box(3, 2, 1, 1);
    const double quarter = 0.25 * 3.14159265358979323846, height = 0.01, half = 1;
    const ss_frame low = { { 0, 0, 0 }, ss_quat_matrix(ss_quat_exp(ss_v3(quarter, 0, 0))) };
    const ss_mat3 across = ss_quat_matrix(ss_quat_exp(ss_v3(0, 2 * quarter, 0)));
    const ss_vec3 edge = { 0, sqrt(0.5) + height, 0 }; /* a point of the upper edge, which runs along z */
    ss_manifold m = { .n = 0 };
    for (int k = 0; k <= 100; k++) {
        const double phi = 0.01 * k;
        const ss_mat3 turn = ss_quat_matrix(ss_quat_exp(ss_v3(0, 0, phi)));
        const ss_frame high = { ss_add(edge, ss_rotate(turn, ss_v3(0, sqrt(0.5), 0))),
                                ss_compose(turn, ss_compose(across, low.R)) };
        ss_gap_value v;
        if (k == 0) {
            ss_collide(&box, &high, &box, &low, 0.1, &m);
            CHECK(m.n == 1 && m.gap[0].kind == SS_GAP_LINE_LINE);
        }
        ss_gap_eval(&m.gap[0], &high, &low, &v);
        CHECK_NEAR(v.gap, height, 1e-14);
        CHECK_NEAR(v.outside, fmax(-half, (sin(phi - quarter) - 0.05) * half), 1e-8); /* the rim, 1e-9 */
    }
}

/* A box comes down on the last 5 mm of another one. 3 cm later the way out to the side is shorter; the gap that
 * closed is still in contact, so that its closing can be located, but says that it is no measure of the depth. */
TEST(a_gap_that_closed_stays_closed_when_another_way_out_becomes_shorter)
{
    const ss_shape box = pose_box(3, 1, 1, 1);
    const ss_frame low = pose_still(0, 0, 0), start = pose_still(0.995, 1.02, 0.1), end = pose_still(0.995, 0.97, 0.1);
    ss_manifold m;
    ss_collide(&box, &start, &box, &low, 0.1, &m);
    CHECK(m.n == 4);
    for (int i = 0; i < m.n; i++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[i], &end, &low, &v);
        CHECK_NEAR(v.gap, -0.03, 1e-14);
        CHECK(v.outside <= 0);
        CHECK_NEAR(v.excess, 0.03 - 1.05 * 0.005, 1e-8); /* the rim, 1e-9 */
    }
    /* found there, the contact is that of the side */
    ss_collide(&box, &end, &box, &low, 0.1, &m);
    ss_gap_value v;
    ss_gap_eval(&m.gap[0], &end, &low, &v);
    CHECK_NEAR(v.gap, -0.005, 1e-14);
    CHECK_NEAR(v.normal.x, 1, 1e-14);
}

/* A sphere that has gone through a plate is not in contact with the face it came from. */
TEST(a_gap_lets_go_of_what_has_passed_to_the_other_side)
{
    const ss_shape plate = pose_box(3, 1, 0.02, 1);
    const ss_shape ball = pose_ball(3, 0.1);
    const ss_frame low = pose_still(0, 0, 0), above = pose_still(0, 0.12, 0), below = pose_still(0, -0.2, 0);
    ss_manifold m;
    ss_gap_value v;
    ss_collide(&ball, &above, &plate, &low, 0.1, &m);
    ss_gap_eval(&m.gap[0], &above, &low, &v);
    CHECK_NEAR(v.gap, 0.01, 1e-15);
    ss_gap_eval(&m.gap[0], &below, &low, &v);
    CHECK_NEAR(v.outside, 0.09, 1e-8); /* apart by so much, up to the rim */
}

/* A plank across another one, tilted by 3 mrad about a diagonal of their rhombus, rests on both of its other corners. */
TEST(a_plank_that_leans_a_little_still_has_all_its_corners)
{
    const ss_shape plank = pose_box(3, 2, 0.1, 0.2);
    const double quarter = 0.25 * 3.14159265358979323846, tilt = 3e-3;
    const ss_frame low = pose_still(0, 0, 0);
    const ss_mat3 turned = ss_quat_matrix(ss_quat_exp(ss_v3(0, quarter, 0)));
    const ss_vec3 diagonal = { cos(0.5 * quarter), 0, -sin(0.5 * quarter) };
    const ss_frame high = { { 0, 0.1, 0 }, ss_compose(ss_quat_matrix(ss_quat_exp(ss_scale(tilt, diagonal))), turned) };
    ss_manifold m;
    ss_collide(&plank, &high, &plank, &low, 0.01, &m);
    int level = 0;
    for (int i = 0; i < m.n; i++) {
        ss_gap_value v;
        ss_gap_eval(&m.gap[i], &high, &low, &v);
        /* on the axis of the tilt the height does not change in first order */
        level += v.outside <= 0 && fabs(v.gap) < 10 * tilt * tilt && fabs(fabs(ss_dot(v.point, diagonal)) - 0.261) < 0.01;
    }
    CHECK(level == 2); /* half diagonal 0.1 / sin(pi/8) = 0.261 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_rests_on_another_is_as_deep_as_the_axes_say),
        cmocka_unit_test(no_gap_is_found_deeper_than_the_shapes_overlap),
        cmocka_unit_test(along_a_motion_a_depth_is_claimed_only_by_shapes_that_overlap),
        cmocka_unit_test(an_edge_lets_go_when_the_normal_leaves_its_faces),
        cmocka_unit_test(a_gap_that_closed_stays_closed_when_another_way_out_becomes_shorter),
        cmocka_unit_test(a_gap_lets_go_of_what_has_passed_to_the_other_side),
        cmocka_unit_test(a_plank_that_leans_a_little_still_has_all_its_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
