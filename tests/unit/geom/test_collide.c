/* test_collide.c - every pair of shapes in 2D and 3D: distance, normal row, continuity, exchange, rotation.
 *
 * The least gap g of shapes apart, with normal n and witnesses p +- g/2 n, is proved to be the distance from
 * both sides: the witnesses belong to the shapes (so the distance is at most g), and n separates the shapes
 * by g (so it is at least g). */
#include "poses.h"

enum { SAMPLES = 1000 };

typedef struct scene {
    ss_shape a, b;
    motion ma, mb;
} scene;

static scene random_scene(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    scene s = { .a = pose_shape(seed, dimension, ka), .b = pose_shape(seed, dimension, kb) };
    s.ma = pose_motion(seed, dimension, 1);
    s.mb = pose_motion(seed, dimension, 1);
    return s;
}

typedef void (*visit)(uint64_t *seed, int dimension, ss_shape_kind a, ss_shape_kind b);

/* run a check for every pair of convex shapes that can meet, in both orders, in 2D and 3D */
static void for_all_pairs(visit check)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (ss_shape_kind a = 0; a <= SS_SHAPE_half_space; a++) {
            for (ss_shape_kind b = 0; b <= SS_SHAPE_half_space; b++) {
                uint64_t seed = 1000 * (uint64_t)dimension + 10 * (uint64_t)a + (uint64_t)b;
                if (ss_can_collide(a, b) && pose_exists(a, dimension) && pose_exists(b, dimension)) {
                    check(&seed, dimension, a, b);
                }
            }
        }
    }
}

static ss_gap_value least_gap(const ss_manifold *m, const ss_frame *fa, const ss_frame *fb)
{
    ss_gap_value best = { .gap = INFINITY };
    for (int k = 0; k < m->n; k++) {
        ss_gap_value v;
        ss_gap_eval(&m->gap[k], fa, fb, &v);
        if (v.gap < best.gap) {
            best = v;
        }
    }
    return best;
}

/* separation of the shapes along n (from b to a) by brute force */
static double separation(const scene *s, ss_vec3 n)
{
    return -pose_support(&s->a, &s->ma.start, ss_scale(-1, n)) - pose_support(&s->b, &s->mb.start, n);
}

static void check_distance(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    const double tol = 1e-9; /* rims and ties of boxes: 1e-9 of their size, which is below 1 */
    int apart = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        ss_manifold m;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        CHECK(m.n > 0);
        const ss_gap_value g = least_gap(&m, &s.ma.start, &s.mb.start);
        CHECK(isfinite(g.gap) && g.outside <= 0);
        if (g.gap > 0) {
            apart++;
            CHECK_NEAR(separation(&s, g.normal), g.gap, tol);
            CHECK(pose_outside(&s.a, &s.ma.start, ss_axpy(0.5 * g.gap, g.normal, g.point)) <= tol);
            CHECK(pose_outside(&s.b, &s.mb.start, ss_axpy(-0.5 * g.gap, g.normal, g.point)) <= tol);
        }
    }
    CHECK(apart > SAMPLES / 10 && apart < SAMPLES);
}

TEST(least_gap_of_shapes_apart_is_their_distance) { for_all_pairs(check_distance); }

/* no direction separates overlapping shapes by more than the depth reported; sampled directions and all axes of boxes */
static double best_separation(const scene *s, int dimension, uint64_t *seed)
{
    const ss_mat3 A = ss_frame_compose(s->ma.start, s->a.local).R, B = ss_frame_compose(s->mb.start, s->b.local).R;
    double best = -INFINITY;
    for (int k = 0; k < 60; k++) {
        ss_vec3 n = k < 3    ? A.c[k]
                    : k < 6  ? B.c[k - 3]
                    : k < 15 ? ss_cross(A.c[(k - 6) / 3], B.c[(k - 6) % 3])
                             : pose_vector(seed, 3, 1);
        n = dimension == 2 ? ss_v3(n.x, n.y, 0) : n;
        if (ss_norm(n) > 1e-6) {
            n = ss_unit(n);
            best = fmax(best, fmax(separation(s, n), separation(s, ss_scale(-1, n))));
        }
    }
    return best;
}

static void check_depth(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    if (ka == SS_SHAPE_half_space || kb == SS_SHAPE_half_space) {
        return;
    }
    for (int k = 0; k < SAMPLES / 4; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        const double depth = best_separation(&s, dimension, seed);
        ss_manifold m;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        const ss_gap_value g = least_gap(&m, &s.ma.start, &s.mb.start);
        /* a face is taken although an edge is better by up to 1/20 */
        CHECK(g.gap >= 1.06 * depth - 1e-6 || depth >= 0);
        /* an axis of the boxes separates, or they overlap and so must a gap */
        CHECK(depth > -1e-6 || ka != SS_SHAPE_box || kb != SS_SHAPE_box || g.gap < 0);
    }
}

TEST(overlapping_shapes_report_the_least_penetration) { for_all_pairs(check_depth); }

TEST(centre_inside_a_box_is_pushed_through_the_nearest_face)
{
    uint64_t seed = 3;
    for (int k = 0; k < SAMPLES; k++) {
        const int dimension = 2 + k % 2;
        scene s = random_scene(&seed, dimension, k % 3 ? SS_SHAPE_sphere : SS_SHAPE_point, SS_SHAPE_box);
        const ss_vec3 h = s.b.half;
        const ss_vec3 x = ss_v3(pose_uniform(&seed, -h.x, h.x), pose_uniform(&seed, -h.y, h.y), pose_uniform(&seed, -h.z, h.z));
        const ss_frame box = ss_frame_compose(s.mb.start, s.b.local);
        s.ma.start.p = ss_sub(ss_point_to_world(box, x), ss_rotate(s.ma.start.R, s.a.local.p));
        ss_manifold m;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        const double flat = fmin(h.x - fabs(x.x), h.y - fabs(x.y)), depth = dimension == 3 ? fmin(flat, h.z - fabs(x.z)) : flat;
        /* positions of order 1: rounding */
        CHECK_NEAR(least_gap(&m, &s.ma.start, &s.mb.start).gap, -depth - s.a.radius, 1e-14);
    }
}

/* fourth-order difference of a gap along the motions */
static double gap_rate(const ss_gap *gap, const scene *s, double h)
{
    double g[5] = { 0 };
    for (int i = 0; i < 5; i++) {
        const ss_frame fa = pose_at(&s->ma, (i - 2) * h), fb = pose_at(&s->mb, (i - 2) * h);
        ss_gap_value v;
        ss_gap_eval(gap, &fa, &fb, &v);
        g[i] = v.gap;
    }
    return (8 * (g[3] - g[1]) - (g[4] - g[0])) / (12 * h);
}

static void check_rows(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    int seen = 0;
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        ss_manifold m;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        for (int i = 0; i < m.n; i++) {
            ss_gap_value v;
            ss_gap_eval(&m.gap[i], &s.ma.start, &s.mb.start, &v);
            /* where centres nearly coincide, or lines are near parallel, the gap bends within the step of the difference */
            if (fabs(ss_gap_curvature(&m.gap[i], &s.ma.start, &s.mb.start, s.ma.twist, s.mb.twist)) < 300) {
                seen++;
                CHECK_NEAR(pose_normal_rate(&v, &s.ma.start, &s.mb.start, s.ma.twist, s.mb.twist), gap_rate(&m.gap[i], &s, 1e-5),
                           1e-6);
            }
        }
    }
    CHECK(seen > SAMPLES * 9 / 10);
}

TEST(normal_row_of_every_pair_is_the_derivative_of_its_gap) { for_all_pairs(check_rows); }

/* along a path: a feature found at both ends of a short piece has a gap that changed by its rate */
static void check_path(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    const double dt = 1e-3;
    int persisted = 0;
    for (int k = 0; k < SAMPLES / 100; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        ss_manifold old = { .n = 0 }, now;
        double rate[SS_MANIFOLD_MAX], gap[SS_MANIFOLD_MAX];
        for (int step = 0; step < 100; step++) {
            const ss_frame fa = pose_at(&s.ma, step * dt), fb = pose_at(&s.mb, step * dt);
            ss_collide(&s.a, &fa, &s.b, &fb, 0.1, &now);
            for (int i = 0; i < now.n; i++) {
                ss_gap_value v;
                ss_gap_eval(&now.gap[i], &fa, &fb, &v);
                for (int j = 0; j < old.n; j++) {
                    const double bend = fabs(ss_gap_curvature(&now.gap[i], &fa, &fb, s.ma.twist, s.mb.twist));
                    if (old.feature[j] == now.feature[i] && bend < 100) {
                        persisted++;
                        CHECK_NEAR(v.gap - gap[j], dt * rate[j],
                                   200 * dt * dt); /* curvature below 100, doubled over the step at worst */
                    }
                }
            }
            old = now;
            for (int i = 0; i < old.n; i++) {
                ss_gap_value v;
                ss_gap_eval(&old.gap[i], &fa, &fb, &v);
                gap[i] = v.gap;
                rate[i] = pose_normal_rate(&v, &fa, &fb, s.ma.twist, s.mb.twist);
            }
        }
    }
    CHECK(persisted > SAMPLES / 4);
}

TEST(gap_is_continuous_along_a_path_while_its_feature_persists) { for_all_pairs(check_path); }

/* index of a feature code in a manifold, -1: absent */
static int find_feature(const ss_manifold *m, uint32_t code)
{
    for (int k = 0; k < m->n; k++) {
        if (m->feature[k] == code) {
            return k;
        }
    }
    return -1;
}

static uint32_t exchanged(uint32_t code) { return (code & 0xf0000000u) | (code & 0x3fffu) << 14 | (code >> 14 & 0x3fffu); }

static void check_exchange(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        ss_manifold m, w;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        ss_collide(&s.b, &s.mb.start, &s.a, &s.ma.start, 0.1, &w);
        CHECK(m.n == w.n);
        for (int i = 0; i < m.n; i++) {
            const int j = find_feature(&w, exchanged(m.feature[i]));
            CHECK(j >= 0);
            ss_gap_value v, u;
            ss_gap_eval(&m.gap[i], &s.ma.start, &s.mb.start, &v);
            ss_gap_eval(&w.gap[j], &s.mb.start, &s.ma.start, &u);
            CHECK_NEAR(v.gap, u.gap, 1e-11); /* rounding over the sine between two lines, at least 1e-4 here */
            CHECK_NEAR(ss_norm(ss_add(v.normal, u.normal)), 0, 1e-11);
        }
    }
}

TEST(exchanging_the_bodies_mirrors_the_manifold) { for_all_pairs(check_exchange); }

static ss_frame turned(const ss_frame *f, ss_mat3 R) { return (ss_frame){ ss_rotate(R, f->p), ss_compose(R, f->R) }; }

static void check_turn(uint64_t *seed, int dimension, ss_shape_kind ka, ss_shape_kind kb)
{
    const ss_vec3 axis = dimension == 3 ? ss_v3(1, 2, 3) : ss_v3(0, 0, 1);
    const ss_mat3 R = ss_quat_matrix(ss_quat_axis(axis, 37 * 3.14159265358979323846 / 180));
    for (int k = 0; k < SAMPLES; k++) {
        const scene s = random_scene(seed, dimension, ka, kb);
        const ss_frame fa = turned(&s.ma.start, R), fb = turned(&s.mb.start, R);
        ss_manifold m, w;
        ss_collide(&s.a, &s.ma.start, &s.b, &s.mb.start, 0.1, &m);
        ss_collide(&s.a, &fa, &s.b, &fb, 0.1, &w);
        CHECK(m.n == w.n);
        for (int i = 0; i < m.n; i++) {
            CHECK(m.feature[i] == w.feature[i]);
            ss_gap_value v, u;
            ss_gap_eval(&m.gap[i], &s.ma.start, &s.mb.start, &v);
            ss_gap_eval(&w.gap[i], &fa, &fb, &u);
            CHECK_NEAR(v.gap, u.gap, 1e-12);
        }
    }
}

TEST(turning_the_scene_by_37_degrees_keeps_every_gap) { for_all_pairs(check_turn); }

/* point with point, what is fixed to the world's scenery with its like, and shapes of the plane with shapes of space */
TEST(every_pair_that_can_meet_has_a_function)
{
    for (ss_shape_kind a = 0; a < SS_SHAPE_KINDS; a++) {
        for (ss_shape_kind b = 0; b < SS_SHAPE_KINDS; b++) {
            const bool points = a == SS_SHAPE_point && b == SS_SHAPE_point;
            const bool walls = a >= SS_SHAPE_half_space && b >= SS_SHAPE_half_space; /* half_space, height_field */
            const bool strangers = !(ss_shape_types[a]->info.dimensions & ss_shape_types[b]->info.dimensions);
            CHECK(ss_can_collide(a, b) == !(points || walls || strangers));
        }
    }
}

TEST(shapes_that_cannot_meet_give_an_empty_manifold)
{
    uint64_t seed = 1;
    const ss_shape point = pose_shape(&seed, 3, SS_SHAPE_point), wall = pose_shape(&seed, 3, SS_SHAPE_half_space);
    const ss_frame f = ss_frame_identity();
    ss_manifold m = { .n = 7 };
    ss_collide(&point, &f, &point, &f, 1, &m);
    CHECK(m.n == 0);
    ss_collide(&wall, &f, &wall, &f, 1, &m);
    CHECK(m.n == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_that_can_meet_has_a_function),
        cmocka_unit_test(shapes_that_cannot_meet_give_an_empty_manifold),
        cmocka_unit_test(least_gap_of_shapes_apart_is_their_distance),
        cmocka_unit_test(overlapping_shapes_report_the_least_penetration),
        cmocka_unit_test(centre_inside_a_box_is_pushed_through_the_nearest_face),
        cmocka_unit_test(normal_row_of_every_pair_is_the_derivative_of_its_gap),
        cmocka_unit_test(gap_is_continuous_along_a_path_while_its_feature_persists),
        cmocka_unit_test(exchanging_the_bodies_mirrors_the_manifold),
        cmocka_unit_test(turning_the_scene_by_37_degrees_keeps_every_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
