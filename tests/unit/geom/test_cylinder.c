/* test_cylinder.c - the cylinder and its pairs: closed forms of where it touches, and properties along random motions.
 *
 * A cylinder apart from another shape: the least gap is proved to be the distance from both sides (the witnesses belong to
 * the shapes, the normal separates them by the gap). Overlapping: along the normal the gap is the overlap, and no sampled
 * direction has a smaller one. */
#include "geom/cylinder.h"
#include "poses.h"

enum { SAMPLES = 3000, PATHS = 60, STEPS = 200 };

static const double pi = 3.14159265358979323846;

typedef struct scene {
    ss_shape a, b;
    motion ma, mb;
} scene;

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

/* all gaps of a pair, evaluated */
typedef struct touch {
    ss_manifold m;
    ss_gap_value v[SS_MANIFOLD_MAX];
    double least;
} touch;

static touch meet(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin)
{
    touch t = { .least = INFINITY };
    ss_collide(a, fa, b, fb, margin, &t.m);
    for (int k = 0; k < t.m.n; k++) {
        ss_gap_eval(&t.m.gap[k], fa, fb, &t.v[k]);
        t.least = fmin(t.least, t.v[k].gap);
    }
    return t;
}

static int least_index(const touch *t)
{
    int best = 0;
    for (int k = 1; k < t->m.n; k++) {
        best = t->v[k].gap < t->v[best].gap ? k : best;
    }
    return best;
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

/* ---- properties ---------------------------------------------------------------------------- */

typedef void (*visit)(uint64_t *seed, ss_shape_kind other);

static void for_all_partners(visit check)
{
    for (ss_shape_kind k = 0; k < SS_SHAPE_KINDS; k++) {
        uint64_t seed = 100 + (uint64_t)k;
        if (ss_can_collide(SS_SHAPE_cylinder, k) && pose_exists(k, 3) && k <= SS_SHAPE_half_space) {
            check(&seed, k);
        }
    }
}

static scene random_scene(uint64_t *seed, ss_shape_kind other, double scale)
{
    scene s = { .a = pose_scaled_shape(seed, 3, SS_SHAPE_cylinder, 1), .b = pose_scaled_shape(seed, 3, other, scale) };
    s.ma = pose_motion(seed, 3, 1);
    s.mb = pose_motion(seed, 3, 1);
    return s;
}

static double separation(const scene *s, const ss_frame *fa, const ss_frame *fb, ss_vec3 n)
{
    return -pose_support(&s->a, fa, ss_scale(-1, n)) - pose_support(&s->b, fb, n);
}

static void check_measure(const scene *s, const ss_frame *fa, const ss_frame *fb, double tol, uint64_t *seed)
{
    const touch t = meet(&s->a, fa, &s->b, fb, 0.1);
    CHECK(t.m.n > 0);
    const ss_gap_value *g = &t.v[least_index(&t)];
    CHECK(g->outside <= 0);
    /* deeper than the shapes are thick the depth of curved bodies is found by a polytope of 260 points */
    const double thin = fmin(ss_shape_thickness(&s->a), ss_shape_thickness(&s->b));
    CHECK_NEAR(separation(s, fa, fb, g->normal), g->gap, g->gap < -thin ? 1e-6 : tol);
    if (g->gap > 0) {
        CHECK(pose_outside(&s->a, fa, ss_axpy(0.5 * g->gap, g->normal, g->point)) <= tol);
        CHECK(pose_outside(&s->b, fb, ss_axpy(-0.5 * g->gap, g->normal, g->point)) <= tol);
    }
    for (int k = 0; k < 20 && s->b.kind != SS_SHAPE_half_space; k++) {
        CHECK(separation(s, fa, fb, ss_unit(pose_vector(seed, 3, 1))) <= g->gap + tol);
    }
}

static void check_pairs(uint64_t *seed, ss_shape_kind other)
{
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, other, 1);
        check_measure(&s, &s.ma.start, &s.mb.start, 2e-9, seed); /* what counts as rounding: 1e-9 of the size */
    }
}

TEST(the_least_gap_is_the_distance_or_the_depth) { for_all_partners(check_pairs); }

static void check_far(uint64_t *seed, ss_shape_kind other)
{
    for (int k = 0; k < SAMPLES / 10; k++) {
        const double scale = pow(10, pose_uniform(seed, -6, 6));
        scene s = random_scene(seed, other, scale);
        const double size = fmax(1, scale);
        s.mb.start.p = ss_axpy(other == SS_SHAPE_half_space ? 0 : scale, pose_vector(seed, 3, 1), s.ma.start.p);
        check_measure(&s, &s.ma.start, &s.mb.start, 1e-8 * size, seed);
        const ss_vec3 shift = { 1e6, -1e6, 1e6 };
        s.ma.start.p = ss_add(s.ma.start.p, shift);
        s.mb.start.p = ss_add(s.mb.start.p, shift);
        check_measure(&s, &s.ma.start, &s.mb.start, 1e-8 * size, seed); /* eps 1e6 = 2e-10 in the oracle */
    }
}

TEST(size_ratios_of_a_million_and_far_places_are_no_trouble) { for_all_partners(check_far); }

static double rate_of(const ss_gap *gap, const scene *s, double h)
{
    double g[5];
    for (int i = 0; i < 5; i++) {
        const ss_frame fa = pose_at(&s->ma, (i - 2) * h), fb = pose_at(&s->mb, (i - 2) * h);
        ss_gap_value v;
        ss_gap_eval(gap, &fa, &fb, &v);
        g[i] = v.gap;
    }
    return (8 * (g[3] - g[1]) - (g[4] - g[0])) / (12 * h);
}

static void check_rows(uint64_t *seed, ss_shape_kind other)
{
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, other, 1);
        const touch t = meet(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1);
        for (int i = 0; i < t.m.n; i++) {
            /* where lines are near parallel or a circle near flat the gap bends within the step of the difference */
            if (fabs(ss_gap_curvature(&t.m.gap[i], &s.ma.start, &s.mb.start, s.ma.twist, s.mb.twist)) < 300) {
                CHECK_NEAR(pose_normal_rate(&t.v[i], &s.ma.start, &s.mb.start, s.ma.twist, s.mb.twist),
                           rate_of(&t.m.gap[i], &s, 1e-5), 1e-6);
            }
        }
    }
}

TEST(the_normal_row_is_the_derivative_of_the_gap) { for_all_partners(check_rows); }

/* The distance found anew along a path changes by its own rate: frozen tangents and witnesses have the rows of the distance
 * itself. Depths up to the thickness of the shapes. */
static void check_path(uint64_t *seed, ss_shape_kind other)
{
    const double dt = 1e-4;
    int seen = 0;
    for (int k = 0; k < PATHS; k++) {
        const scene s = random_scene(seed, other, 1);
        const double deep = -0.5 * fmin(ss_shape_thickness(&s.a), fmax(ss_shape_thickness(&s.b), 0.05));
        double gap = 0, rate = 0;
        for (int step = 0; step < STEPS; step++) {
            const ss_frame fa = pose_at(&s.ma, step * dt), fb = pose_at(&s.mb, step * dt);
            const touch t = meet(&s.a, &fa, &s.b, &fb, 0.01);
            const ss_gap_value *g = &t.v[least_index(&t)];
            const double old = gap, old_rate = rate;
            gap = g->gap;
            rate = pose_normal_rate(g, &fa, &fb, s.ma.twist, s.mb.twist);
            if (step > 0 && fmin(gap, old) > deep) {
                seen++;
                /* between the two rates; twists of order one and shapes of order one: curvature below 100 */
                const double lo = fmin(rate, old_rate) * dt, hi = fmax(rate, old_rate) * dt;
                CHECK(gap - old >= lo - 100 * dt * dt - 1e-9 && gap - old <= hi + 100 * dt * dt + 1e-9);
            }
        }
    }
    CHECK(seen > PATHS * STEPS / 20);
}

TEST(the_distance_changes_along_a_path_by_its_own_rows) { for_all_partners(check_path); }

static uint32_t exchanged(uint32_t code) { return (code & 0xf0000000u) | (code & 0x3fffu) << 14 | (code >> 14 & 0x3fffu); }

static void check_exchange(uint64_t *seed, ss_shape_kind other)
{
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, other, 1);
        const touch t = meet(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1), u = meet(&s.b, &s.mb.start, &s.a, &s.ma.start, 0.1);
        CHECK(t.m.n == u.m.n);
        for (int i = 0; i < t.m.n; i++) {
            int j = 0;
            while (j < u.m.n && u.m.feature[j] != exchanged(t.m.feature[i])) {
                j++;
            }
            CHECK(j < u.m.n);
            CHECK_NEAR(t.v[i].gap, u.v[j].gap, 1e-12);
            CHECK_NEAR(ss_norm(ss_add(t.v[i].normal, u.v[j].normal)), 0, 1e-12);
        }
    }
}

TEST(exchanging_the_bodies_mirrors_the_manifold_of_a_cylinder) { for_all_partners(check_exchange); }

static double circle_gap(const ss_gap *gap, const motion *a, const motion *b, double t)
{
    const ss_frame fa = pose_at(a, t), fb = pose_at(b, t);
    ss_gap_value v;
    ss_gap_eval(gap, &fa, &fb, &v);
    return v.gap;
}

TEST(the_lowest_point_of_a_circle_has_the_curvature_of_its_gap)
{
    uint64_t seed = 6;
    int seen = 0;
    while (seen < SAMPLES) {
        const ss_gap gap = { .kind = SS_GAP_CIRCLE_PLANE,
                             .swap = seen % 2,
                             .a = pose_vector(&seed, 3, 1),
                             .b = pose_vector(&seed, 3, 1),
                             .da = ss_unit(pose_vector(&seed, 3, 1)),
                             .db = ss_unit(pose_vector(&seed, 3, 1)),
                             .tb = { 1, 0, 0 },
                             .ra = 0.5,
                             .rb = 0.1,
                             .eb = { INFINITY, INFINITY } };
        const motion a = pose_motion(&seed, 3, 1), b = pose_motion(&seed, 3, 1);
        const ss_frame *A = seen % 2 ? &b.start : &a.start, *B = seen % 2 ? &a.start : &b.start;
        if (ss_norm(ss_cross(ss_rotate(A->R, gap.da), ss_rotate(B->R, gap.db))) < 0.3) {
            continue; /* near flat the derivatives grow with 1 / sine^3 */
        }
        seen++;
        const double h = 1e-3;
        double g[5];
        for (int i = 0; i < 5; i++) {
            g[i] = circle_gap(&gap, &a, &b, (i - 2) * h);
        }
        /* fourth order: h^4 times the sixth derivative, below 1e7 here, over 90; rounding 1e-15 / h^2 */
        const double second = (16 * (g[3] + g[1]) - (g[4] + g[0]) - 30 * g[2]) / (12 * h * h);
        CHECK_NEAR(ss_gap_curvature(&gap, &a.start, &b.start, a.twist, b.twist), second, 1e-6);
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
        cmocka_unit_test(the_least_gap_is_the_distance_or_the_depth),
        cmocka_unit_test(size_ratios_of_a_million_and_far_places_are_no_trouble),
        cmocka_unit_test(the_normal_row_is_the_derivative_of_the_gap),
        cmocka_unit_test(the_distance_changes_along_a_path_by_its_own_rows),
        cmocka_unit_test(exchanging_the_bodies_mirrors_the_manifold_of_a_cylinder),
        cmocka_unit_test(the_lowest_point_of_a_circle_has_the_curvature_of_its_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
