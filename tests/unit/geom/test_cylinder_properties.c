/* test_cylinder_properties.c - the gaps of the cylinder and its pairs, along random motions.
 *
 * A cylinder apart from another shape: the least gap is proved to be the distance from both sides (the witnesses belong to
 * the shapes, the normal separates them by the gap). Overlapping: along the normal the gap is the overlap, and no sampled
 * direction has a smaller one. */
#include "cylinder_touch.h"

typedef struct scene {
    ss_shape a, b;
    motion ma, mb;
} scene;

static int least_index(const touch *t)
{
    int best = 0;
    for (int k = 1; k < t->m.n; k++) {
        best = t->v[k].gap < t->v[best].gap ? k : best;
    }
    return best;
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
        cmocka_unit_test(the_least_gap_is_the_distance_or_the_depth),
        cmocka_unit_test(size_ratios_of_a_million_and_far_places_are_no_trouble),
        cmocka_unit_test(the_normal_row_is_the_derivative_of_the_gap),
        cmocka_unit_test(the_distance_changes_along_a_path_by_its_own_rows),
        cmocka_unit_test(exchanging_the_bodies_mirrors_the_manifold_of_a_cylinder),
        cmocka_unit_test(the_lowest_point_of_a_circle_has_the_curvature_of_its_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
