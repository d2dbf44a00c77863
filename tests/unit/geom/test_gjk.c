/* test_gjk.c - distance and depth of convex bodies known by their supports.
 *
 * Oracles. For clouds of points, every triangle (2D: segment) of differences: the distance is the least over all of them,
 * the depth the least offset of those that have all differences on one side. For many pairs, duality: the witnesses belong
 * to the bodies and the normal separates them by the same amount, so that amount is the distance. For balls and capsules,
 * closed forms. */
#include "geom/gjk.h"
#include "poses.h"

enum { CLOUD = 6, PAIRS = 100000, ORACLES = 3000 };

typedef struct cloud {
    int n;
    ss_vec3 x[CLOUD];
    double radius; /* the body is the hull, rounded */
} cloud;

static ss_vec3 cloud_support(const void *data, ss_vec3 d, int *name)
{
    const cloud *c = data;
    int best = 0;
    for (int k = 1; k < c->n; k++) {
        best = ss_dot(d, c->x[k]) > ss_dot(d, c->x[best]) ? k : best;
    }
    *name = c->radius > 0 ? -1 : best;
    return ss_axpy(c->radius, ss_unit(d), c->x[best]);
}

static ss_convex convex(const cloud *c, int dimension) { return (ss_convex){ cloud_support, c, dimension }; }

static ss_nearest measure(const cloud *a, const cloud *b, int dimension, double tol)
{
    const ss_convex A = convex(a, dimension), B = convex(b, dimension);
    return ss_gjk_nearest(&A, &B, tol);
}

/* one to CLOUD points within `size` of a random place; `flat` bodies lie in a random plane or line or are repeated */
static cloud random_cloud(uint64_t *seed, int dimension, double size, double far, bool flat)
{
    cloud c = { .n = 1 + (int)(ss_random_u64(seed) % CLOUD) };
    const ss_vec3 place = pose_vector(seed, dimension, far), u = pose_vector(seed, dimension, 1),
                  v = pose_vector(seed, dimension, 1);
    const bool line = ss_random_uniform(seed) < 0.5;
    for (int k = 0; k < c.n; k++) {
        const double s = pose_uniform(seed, -1, 1), t = line ? 0 : pose_uniform(seed, -1, 1);
        const ss_vec3 x = flat ? ss_add(ss_scale(s, u), ss_scale(t, v)) : pose_vector(seed, dimension, 1);
        c.x[k] = ss_axpy(size, x, place);
    }
    if (flat && c.n > 2) {
        c.x[1] = c.x[0];
    }
    return c;
}

/* ---- oracles ------------------------------------------------------------------------------- */

static double segment_distance(ss_vec3 a, ss_vec3 b)
{
    const ss_vec3 d = ss_sub(b, a);
    const double t = ss_dot(d, d) > 0 ? fmin(fmax(-ss_dot(a, d) / ss_dot(d, d), 0), 1) : 0;
    return ss_norm(ss_axpy(t, d, a));
}

/* distance of the origin from a triangle: within its prism that from the plane */
static double triangle_distance(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    const ss_vec3 n = ss_unit(ss_cross(ss_sub(b, a), ss_sub(c, a)));
    const double sides[3] = { ss_dot(n, ss_cross(a, b)), ss_dot(n, ss_cross(b, c)), ss_dot(n, ss_cross(c, a)) };
    if (ss_norm(n) > 0 && fmin(sides[0], fmin(sides[1], sides[2])) >= 0) {
        return fabs(ss_dot(n, a));
    }
    return fmin(segment_distance(a, b), fmin(segment_distance(b, c), segment_distance(c, a)));
}

/* the plane of a face of the hull, if all differences are behind it: its offset */
static double face_offset(int count, const ss_vec3 *w, ss_vec3 n, double at, double tol)
{
    double high = -INFINITY, low = INFINITY;
    for (int k = 0; k < count; k++) {
        high = fmax(high, ss_dot(n, w[k]));
        low = fmin(low, ss_dot(n, w[k]));
    }
    if (high <= at + tol && low >= at - tol) { /* flat: nothing is inside */
        return -fabs(at);
    }
    return high <= at + tol ? at : low >= at - tol ? -at : INFINITY;
}

/* distance, or minus the depth, of the origin from the hull of w */
static double oracle(int dimension, int count, const ss_vec3 *w)
{
    double apart = INFINITY, inside = INFINITY;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            const ss_vec3 e = ss_sub(w[j], w[i]), n = ss_unit(ss_v3(-e.y, e.x, 0));
            if (dimension == 2) {
                apart = fmin(apart, segment_distance(w[i], w[j]));
                inside = i == j ? inside : fmin(inside, face_offset(count, w, n, ss_dot(n, w[i]), 1e-12));
            }
            for (int k = 0; dimension == 3 && k <= j; k++) {
                const ss_vec3 m = ss_cross(e, ss_sub(w[k], w[i]));
                apart = fmin(apart, triangle_distance(w[i], w[j], w[k]));
                if (ss_norm(m) > 1e-9) {
                    inside = fmin(inside, face_offset(count, w, ss_unit(m), ss_dot(ss_unit(m), w[i]), 1e-12));
                }
            }
        }
    }
    return isfinite(inside) && inside > 0 ? -inside : apart;
}

TEST(distance_and_depth_are_those_of_all_features_tried)
{
    uint64_t seed = 5;
    int apart = 0, overlaps = 0;
    for (int k = 0; k < 2 * ORACLES; k++) {
        const int dimension = 2 + k % 2;
        const cloud a = random_cloud(&seed, dimension, 1, 0.8, false), b = random_cloud(&seed, dimension, 1, 0.8, false);
        ss_vec3 w[CLOUD * CLOUD];
        for (int i = 0; i < a.n * b.n; i++) {
            w[i] = ss_sub(a.x[i / b.n], b.x[i % b.n]);
        }
        const ss_nearest near = measure(&a, &b, dimension, 0);
        const double expected = oracle(dimension, a.n * b.n, w);
        CHECK(near.converged);
        CHECK_NEAR(near.distance, expected, 1e-12); /* sizes of order one, needles lose some digits */
        apart += expected > 0;
        overlaps += expected < 0;
    }
    CHECK(apart > ORACLES / 4 && overlaps > ORACLES / 4);
}

/* ---- duality ------------------------------------------------------------------------------- */

static double separation(const cloud *a, const cloud *b, ss_vec3 n)
{
    int name;
    return ss_dot(n, ss_sub(cloud_support(a, ss_scale(-1, n), &name), cloud_support(b, n, &name)));
}

/* apart: the normal separates by the distance. Overlapping: no sampled direction is a shorter way out. Always: the
 * witnesses are where they say. */
static void check_certificate(const cloud *a, const cloud *b, int dimension, double tol, uint64_t *seed)
{
    const ss_nearest near = measure(a, b, dimension, tol);
    CHECK(isfinite(near.distance) && near.converged);
    CHECK(near.points >= 1 && near.points <= 3);
    CHECK_NEAR(ss_norm(near.normal), 1, 1e-14);
    /* differences of points have an error of 1e-3 tol at most, and the normal that over the distance */
    const double turned = near.distance > 0 ? 1e-3 * tol / near.distance : 0;
    CHECK_NEAR(separation(a, b, near.normal), near.distance, 2 * tol + turned * ss_norm(ss_sub(a->x[0], b->x[0])));
    const ss_vec3 off = ss_axpy(-near.distance, near.normal, ss_sub(near.a, near.b));
    CHECK_NEAR(ss_norm(off), 0, 4 * tol);
    for (int k = 0; near.distance < 0 && k < 10; k++) {
        CHECK(separation(a, b, ss_unit(pose_vector(seed, dimension, 1))) <= near.distance + 2 * tol);
    }
}

TEST(witnesses_and_normal_prove_the_distance_of_every_pair)
{
    uint64_t seed = 7;
    for (int k = 0; k < PAIRS; k++) {
        const int dimension = 2 + k % 2;
        const bool flat = k % 8 == 0;
        const cloud a = random_cloud(&seed, dimension, 1, 1, flat), b = random_cloud(&seed, dimension, 1, 1, flat && k % 16);
        check_certificate(&a, &b, dimension, 1e-13, &seed);
    }
}

TEST(distance_does_not_depend_on_the_scale)
{
    uint64_t seed = 8;
    for (int k = 0; k < PAIRS / 10; k++) {
        const double scale = pow(10, pose_uniform(&seed, -6, 6)), ratio = pow(10, pose_uniform(&seed, -6, 0));
        const cloud a = random_cloud(&seed, 3, scale, scale, false), b = random_cloud(&seed, 3, scale * ratio, scale, false);
        check_certificate(&a, &b, 3, 1e-13 * scale, &seed);
    }
}

TEST(far_from_the_origin_only_the_digits_of_the_coordinates_are_lost)
{
    uint64_t seed = 9;
    for (int k = 0; k < PAIRS / 10; k++) {
        cloud a = random_cloud(&seed, 3, 1, 1, false), b = random_cloud(&seed, 3, 1, 1, false);
        for (int i = 0; i < CLOUD; i++) {
            a.x[i] = ss_add(a.x[i], ss_v3(1e6, -1e6, 1e6));
            b.x[i] = ss_add(b.x[i], ss_v3(1e6, -1e6, 1e6));
        }
        check_certificate(&a, &b, 3, 1e-8, &seed); /* eps 1e6 = 2e-10, and some for needles */
    }
}

/* ---- closed forms and degenerate bodies ---------------------------------------------------- */

TEST(balls_and_capsules_have_their_closed_forms)
{
    uint64_t seed = 10;
    for (int k = 0; k < 2000; k++) {
        cloud a = { .n = 1 + k % 2, .radius = pose_uniform(&seed, 0.1, 1) },
              b = { .n = 1, .radius = pose_uniform(&seed, 0.1, 1) };
        a.x[0] = pose_vector(&seed, 3, 1);
        a.x[1] = pose_vector(&seed, 3, 1);
        b.x[0] = pose_vector(&seed, 3, 2);
        const double core = segment_distance(ss_sub(a.x[0], b.x[0]), ss_sub(a.x[a.n - 1], b.x[0]));
        const double expected = core - a.radius - b.radius;
        const ss_nearest near = measure(&a, &b, 3, 1e-9);
        /* near the middle of a ball every direction is as good as any: points run out, and that is said */
        CHECK_NEAR(near.distance, expected, near.converged ? 1e-9 : 1e-4);
        CHECK(near.converged || expected < -0.1);
        CHECK(near.name_a[0] == -1);
    }
}

TEST(names_are_those_of_the_nearest_features)
{
    const cloud edge = { .n = 2, .x = { { -1, 0, 0 }, { 1, 0, 0 } } }, point = { .n = 1, .x = { { 0.2, 3, 0 } } };
    const ss_nearest near = measure(&point, &edge, 3, 1e-12);
    CHECK(near.points == 2 && near.name_a[0] == 0 && near.name_b[0] + near.name_b[1] == 1);
    CHECK_NEAR(near.distance, 3, 1e-15);
    CHECK_NEAR(near.normal.y, 1, 1e-15); /* from b to a */
    CHECK_NEAR(near.b.x, 0.2, 1e-15);
}

/* aligned with its copies: every direction of degeneracy at once */
static cloud octahedron(double x)
{
    return (cloud){ .n = 6, .x = { { x + 1, 0, 0 }, { x - 1, 0, 0 }, { x, 1, 0 }, { x, -1, 0 }, { x, 0, 1 }, { x, 0, -1 } } };
}

TEST(touching_aligned_and_coincident_bodies_are_measured)
{
    const double shift[] = { 0, 1e-17, 1e-9, 0.5, 1, 2 - 1e-9, 2, 2 + 1e-12, 2 + 1e-9, 3 };
    for (int k = 0; k < 10; k++) {
        const cloud a = octahedron(shift[k]), b = octahedron(0);
        const ss_nearest near = measure(&a, &b, 3, 1e-13);
        /* inside, the octahedron |x| + |y| + |z| <= 2 is left through a face: (2 - shift) / sqrt 3 */
        const double expected = shift[k] < 2 ? (shift[k] - 2) / sqrt(3) : shift[k] - 2;
        CHECK_NEAR(near.distance, expected, 1e-13 + 1e-15);
        CHECK_NEAR(ss_norm(near.normal), 1, 1e-14);
    }
}

TEST(crossing_needles_touch_with_the_normal_across_both)
{
    const cloud a = { .n = 2, .x = { { -1, 0, 0 }, { 2, 0, 0 } } }, b = { .n = 2, .x = { { 0, -3, 0 }, { 0, 1, 0 } } };
    const ss_nearest near = measure(&a, &b, 3, 1e-12);
    CHECK_NEAR(near.distance, 0, 1e-15);
    CHECK_NEAR(fabs(near.normal.z), 1, 1e-15);
    CHECK_NEAR(ss_norm(near.a) + ss_norm(near.b), 0, 1e-14);
}

TEST(a_point_on_itself_and_numbers_that_are_none_end)
{
    const cloud a = { .n = 1, .x = { { 1, 2, 3 } } };
    const ss_nearest same = measure(&a, &a, 3, 1e-12);
    CHECK(same.distance == 0 && fabs(ss_norm(same.normal) - 1) < 1e-15);
    const cloud bad = { .n = 2, .x = { { NAN, 0, 0 }, { 0, INFINITY, 1 } } };
    CHECK(!measure(&bad, &a, 3, 1e-12).converged);
    CHECK(!measure(&a, &bad, 2, 1e-12).converged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_and_depth_are_those_of_all_features_tried),
        cmocka_unit_test(witnesses_and_normal_prove_the_distance_of_every_pair),
        cmocka_unit_test(distance_does_not_depend_on_the_scale),
        cmocka_unit_test(far_from_the_origin_only_the_digits_of_the_coordinates_are_lost),
        cmocka_unit_test(balls_and_capsules_have_their_closed_forms),
        cmocka_unit_test(names_are_those_of_the_nearest_features),
        cmocka_unit_test(touching_aligned_and_coincident_bodies_are_measured),
        cmocka_unit_test(crossing_needles_touch_with_the_normal_across_both),
        cmocka_unit_test(a_point_on_itself_and_numbers_that_are_none_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
