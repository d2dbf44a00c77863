/* test_height_field.c - ground: a flat one is a plane, a rough one is as far away as its nearest triangle, seams are not felt. */
#include "geom/cylinder.h"
#include "geom/gjk.h"
#include "geom/pairs.h"
#include "geom/terrain.h"
#include "test.h"

enum { ROWS = 7, COLUMNS = 9, MOST = 64 };

/* ---- shapes -------------------------------------------------------------------------------- */

static double uniform(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(seed); }

static ss_status try_shape(ss_context *ctx, int dimension, const ss_shape_desc *desc, ss_shape *out)
{
    for (int k = 0; k < SS_SHAPE_KINDS; k++) {
        if (strcmp(ss_shape_types[k]->info.name, desc->type) == 0) {
            *out = (ss_shape){ .kind = (ss_shape_kind)k, .dimension = dimension, .local = ss_frame_identity() };
            return ss_shape_types[k]->compile(ctx, desc, "shape", out);
        }
    }
    return ss_fail(ctx, SS_ERR_INPUT, "no shape is called %s", desc->type);
}

static ss_shape make(ss_context *ctx, int dimension, const ss_shape_desc *desc)
{
    ss_shape shape;
    CHECK_OK(ctx, try_shape(ctx, dimension, desc, &shape));
    return shape;
}

static ss_shape make_ground(ss_context *ctx, int dimension, int rows, int columns, const double *z, double spacing)
{
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = "height_field";
    desc.heights = (ss_heights){ dimension == 3 ? rows : 1, columns, z };
    desc.spacing = spacing;
    return make(ctx, dimension, &desc);
}

static ss_shape make_solid(ss_context *ctx, int dimension, int kind)
{
    static const char *const names[] = { "sphere", "capsule", "box", "point" };
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = names[kind];
    desc.radius = 0.3;
    desc.length = 0.8;
    desc.size[0] = 0.9;
    desc.size[1] = 0.5;
    desc.size[2] = 0.7;
    return make(ctx, dimension, &desc);
}

static void fill(uint64_t *seed, double roughness, int n, double *z)
{
    for (int k = 0; k < n; k++) {
        z[k] = uniform(seed, -roughness, roughness);
    }
}

static ss_frame random_pose(uint64_t *seed, int dimension, double spread, double height)
{
    const double x = uniform(seed, -spread, spread), y = uniform(seed, -spread, spread), h = uniform(seed, 0, height);
    const ss_vec3 turn = { uniform(seed, -2, 2), uniform(seed, -2, 2), uniform(seed, -2, 2) };
    return dimension == 3 ? (ss_frame){ { x, y, h }, ss_quat_matrix(ss_quat_exp(turn)) }
                          : (ss_frame){ { x, h, 0 }, ss_rotation_z(turn.z) };
}

static double least_gap(const ss_manifold *m, const ss_frame *fa, const ss_frame *fb)
{
    double least = INFINITY;
    for (int k = 0; k < m->n; k++) {
        ss_gap_value value;
        ss_gap_eval(&m->gap[k], fa, fb, &value);
        CHECK(value.outside <= 1e-7); /* corners of overlapping sizes of one: rims are 1e-9 of them */
        least = fmin(least, value.gap);
    }
    return least;
}

/* ---- a flat field -------------------------------------------------------------------------- */

/* one gap for every corner of the solid below the margin, with the same value and the plane's own normal */
static void check_flat(int dimension, ss_vec3 origin)
{
    ss_context *ctx = test_context();
    uint64_t seed = 3;
    double z[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        z[k] = 0.25;
    }
    ss_shape ground = make_ground(ctx, dimension, ROWS, COLUMNS, z, 0.5);
    CHECK(ground.terrain->planes == 1);
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = "half_space";
    desc.normal[0] = 0;
    desc.normal[1] = dimension == 2;
    desc.normal[2] = dimension == 3;
    desc.offset = 0.25;
    ss_shape plane = make(ctx, dimension, &desc);
    const ss_frame at = { origin, ss_mat3_identity() };
    for (int trial = 0; trial < 2000; trial++) {
        ss_shape solid = make_solid(ctx, dimension, trial % 4);
        ss_frame pose = random_pose(&seed, dimension, 0.8, 1);
        pose.p = ss_add(pose.p, origin);
        ss_manifold on_ground = { 0 }, on_plane = { 0 };
        ss_pair_polytope_height_field(&solid, &pose, &ground, &at, 0.2, &on_ground);
        ss_pair_polytope_half_space(&solid, &pose, &plane, &at, 0.2, &on_plane);
        const double least = least_gap(&on_plane, &pose, &at);
        if (least < 0.2) {
            CHECK(on_ground.n == on_plane.n);
            for (int k = 0; k < on_ground.n; k++) {
                ss_gap_value x, y;
                ss_gap_eval(&on_ground.gap[k], &pose, &at, &x);
                ss_gap_eval(&on_plane.gap[k], &pose, &at, &y);
                CHECK_NEAR(x.gap, y.gap, 1e-12 + 4e-16 * ss_norm(origin));
                CHECK(x.normal.x == y.normal.x && x.normal.y == y.normal.y && x.normal.z == y.normal.z);
                CHECK(on_ground.feature[k] >> 28 == SS_GAP_POINT_PLANE);
            }
        } else {
            CHECK(on_ground.n == 0);
        }
        ss_shape_free(ctx, &solid);
    }
    ss_shape_free(ctx, &plane);
    ss_shape_free(ctx, &ground);
    ss_context_destroy(ctx);
}

TEST(a_flat_field_is_a_plane)
{
    check_flat(2, ss_v3(0, 0, 0));
    check_flat(3, ss_v3(0, 0, 0));
    check_flat(3, ss_v3(1e6, -1e6, 1e6));
}

/* the identity of a ball's contact changes where the ground bends, and only there */
TEST(seams_inside_a_patch_have_no_identity_of_their_own)
{
    ss_context *ctx = test_context();
    double z[ROWS * COLUMNS];
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; i < COLUMNS; i++) {
            z[j * COLUMNS + i] = i < COLUMNS / 2 ? 0.1 * i : 0.1 * (COLUMNS / 2) - 0.2 * (i - COLUMNS / 2); /* a ridge */
        }
    }
    ss_shape ground = make_ground(ctx, 3, ROWS, COLUMNS, z, 1), ball = make_solid(ctx, 3, 0);
    CHECK(ground.terrain->planes == 2);
    const ss_frame at = ss_frame_identity();
    uint32_t last = 0;
    int changes = 0;
    for (int k = 0; k <= 1000; k++) {
        const double x = -3 + 6e-3 * k, surface = x < 0 ? 0.4 + 0.1 * x : 0.4 - 0.2 * x;
        const ss_frame pose = { { x, 0.1 + 1e-3 * k, surface + 0.3 }, ss_mat3_identity() };
        ss_manifold m = { 0 };
        ss_pair_polytope_height_field(&ball, &pose, &ground, &at, 0.1, &m);
        CHECK(m.n == 1);
        changes += k > 0 && m.feature[0] != last;
        last = m.feature[0];
    }
    CHECK(changes == 2); /* slope, ridge, slope */
    ss_shape_free(ctx, &ground);
    ss_shape_free(ctx, &ball);
    ss_context_destroy(ctx);
}

/* ---- a rough field against the distances of all its faces ------------------------------------ */

typedef struct corners {
    int n;
    ss_vec3 x[MOST];
} corners;

static ss_vec3 support(const void *data, ss_vec3 d, int *name)
{
    const corners *c = data;
    *name = 0;
    for (int k = 1; k < c->n; k++) {
        *name = ss_dot(c->x[k], d) > ss_dot(c->x[*name], d) ? k : *name;
    }
    return c->x[*name];
}

/* of the solid from all faces, and from the column of solid below them as far as it matters */
static double true_distance(const ss_shape *solid, const ss_frame *pose, const ss_terrain *t, double depth)
{
    corners x = { .n = solid->polytope->corners }, y;
    for (int k = 0; k < x.n; k++) {
        x.x[k] = ss_point_to_world(*pose, solid->polytope->corner[k]);
    }
    double least = INFINITY;
    for (int f = 0; f < ss_terrain_faces(t); f++) {
        const int n = ss_terrain_corners(t, f, y.x);
        for (int k = 0; k < n; k++) {
            y.x[n + k] = ss_sub(y.x[k], t->dimension == 3 ? ss_v3(0, 0, depth) : ss_v3(0, depth, 0));
        }
        y.n = 2 * n;
        const ss_convex a = { support, &x, t->dimension }, b = { support, &y, t->dimension };
        least = fmin(least, ss_gjk_nearest(&a, &b, 1e-12).distance);
    }
    return least - solid->radius;
}

/* above the middle of the field, where its border does not matter */
static void check_rough(int dimension, double roughness)
{
    ss_context *ctx = test_context();
    uint64_t seed = 17;
    double z[ROWS * COLUMNS];
    const ss_frame at = ss_frame_identity();
    const double margin = 0.3;
    int near = 0;
    for (int trial = 0; trial < 1500; trial++) {
        fill(&seed, roughness, ROWS * COLUMNS, z);
        ss_shape ground = make_ground(ctx, dimension, ROWS, COLUMNS, z, 0.7), solid = make_solid(ctx, dimension, trial % 4);
        const ss_frame pose = random_pose(&seed, dimension, 0.8, 1.5);
        const double distance = true_distance(&solid, &pose, ground.terrain, 2);
        ss_manifold m = { 0 };
        ss_pair_polytope_height_field(&solid, &pose, &ground, &at, margin, &m);
        if (distance > 1e-6 && distance < margin - 1e-6) {
            CHECK_NEAR(least_gap(&m, &pose, &at), distance, 1e-9); /* GJK's tolerance and the rims */
            near++;
        } else if (distance > margin) {
            CHECK(m.n == 0);
        }
        ss_shape_free(ctx, &ground);
        ss_shape_free(ctx, &solid);
    }
    CHECK(near > 100);
    ss_context_destroy(ctx);
}

TEST(a_rough_field_is_as_far_away_as_its_nearest_face)
{
    check_rough(2, 0.05);
    check_rough(2, 0.7);
    check_rough(3, 0.05);
    check_rough(3, 0.7);
}

/* ---- cylinders ----------------------------------------------------------------------------- */

static ss_shape make_cylinder(ss_context *ctx)
{
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = "cylinder";
    desc.radius = 0.4;
    desc.length = 0.9;
    return make(ctx, 3, &desc);
}

static double cylinder_distance(const ss_shape *cylinder, const ss_frame *pose, const ss_terrain *t)
{
    const ss_drum drum = ss_drum_of(cylinder, pose);
    corners y = { .n = 6 };
    double least = INFINITY;
    for (int f = 0; f < ss_terrain_faces(t); f++) {
        ss_terrain_corners(t, f, y.x);
        for (int k = 0; k < 3; k++) {
            y.x[3 + k] = ss_sub(y.x[k], ss_v3(0, 0, 2));
        }
        const ss_convex a = { ss_drum_support, &drum, 3 }, b = { support, &y, 3 };
        least = fmin(least, ss_gjk_nearest(&a, &b, 1e-12).distance);
    }
    return least;
}

static void check_cylinder(double roughness, double tol)
{
    ss_context *ctx = test_context();
    uint64_t seed = 29;
    double z[ROWS * COLUMNS];
    const ss_frame at = ss_frame_identity();
    ss_shape cylinder = make_cylinder(ctx);
    int near = 0;
    for (int trial = 0; trial < 1000; trial++) {
        fill(&seed, roughness, ROWS * COLUMNS, z);
        ss_shape ground = make_ground(ctx, 3, ROWS, COLUMNS, z, 0.7);
        const ss_frame pose = random_pose(&seed, 3, 0.8, 1.5);
        const double distance = cylinder_distance(&cylinder, &pose, ground.terrain);
        ss_manifold m = { 0 };
        ss_pair_cylinder_height_field(&cylinder, &pose, &ground, &at, 0.3, &m);
        if (distance > 1e-6 && distance < 0.3 - 1e-6) {
            CHECK_NEAR(least_gap(&m, &pose, &at), distance, tol);
            near++;
        }
        ss_shape_free(ctx, &ground);
    }
    CHECK(near > 50);
    ss_shape_free(ctx, &cylinder);
    ss_context_destroy(ctx);
}

TEST(a_cylinder_is_as_far_from_the_ground_as_from_its_nearest_face)
{
    check_cylinder(0, 1e-9);
    check_cylinder(0.05, 1e-9);
    check_cylinder(0.5, 1e-9);
}

/* Lowered until they just touch and a thousandth farther, solids have a gap of about that depth, along a normal that leads out:
 * at least `up` of it upwards. */
static void check_pushed(double spread, double shallowest, double up)
{
    ss_context *ctx = test_context();
    uint64_t seed = 23;
    double z[ROWS * COLUMNS];
    const ss_frame at = ss_frame_identity();
    int met = 0;
    for (int trial = 0; trial < 1000; trial++) {
        fill(&seed, 0.3, ROWS * COLUMNS, z);
        const int dimension = 2 + trial % 2;
        ss_shape ground = make_ground(ctx, dimension, ROWS, COLUMNS, z, 0.7), solid = make_solid(ctx, dimension, trial / 2 % 4);
        ss_frame pose = random_pose(&seed, dimension, spread, 0);
        double *h = dimension == 3 ? &pose.p.z : &pose.p.y, lo = -1, hi = 3;
        while (hi - lo > 1e-12) {
            *h = 0.5 * (lo + hi);
            *(true_distance(&solid, &pose, ground.terrain, 5) > 0 ? &hi : &lo) = *h;
        }
        *h -= 1e-3;
        ss_manifold m = { 0 };
        ss_pair_polytope_height_field(&solid, &pose, &ground, &at, 0.1, &m);
        const double least = least_gap(&m, &pose, &at);
        const bool beside = lo < -0.9;
        met += !beside;
        CHECK(beside || (m.n > 0 && least < shallowest && least > -1.06e-3));
        for (int k = 0; k < m.n && !beside; k++) {
            ss_gap_value value;
            ss_gap_eval(&m.gap[k], &pose, &at, &value);
            CHECK((dimension == 3 ? value.normal.z : value.normal.y) > up);
        }
        ss_shape_free(ctx, &ground);
        ss_shape_free(ctx, &solid);
    }
    CHECK(met > 500);
    ss_context_destroy(ctx);
}

TEST(a_solid_pushed_in_a_little_is_pushed_out_again) { check_pushed(0.8, -1e-5, 0); }

/* the border is vertical: what grazes it is hardly in, and its normals may be level up to the play of 0.05 */
TEST(a_solid_pushed_into_the_border_a_little_is_pushed_out_again) { check_pushed(3, 0, -0.051); }

TEST(what_is_far_below_the_surface_is_held_too)
{
    ss_context *ctx = test_context();
    double z[ROWS * COLUMNS] = { 0 };
    ss_shape ground = make_ground(ctx, 3, ROWS, COLUMNS, z, 1);
    const ss_frame at = ss_frame_identity();
    for (int kind = 0; kind < 4; kind++) {
        ss_shape solid = make_solid(ctx, 3, kind);
        const ss_frame pose = { { 0.2, 0.1, -50 }, ss_mat3_identity() };
        ss_manifold m = { 0 };
        ss_pair_polytope_height_field(&solid, &pose, &ground, &at, 0, &m);
        CHECK(m.n > 0 && least_gap(&m, &pose, &at) < -49);
        ss_shape_free(ctx, &solid);
    }
    ss_shape_free(ctx, &ground);
    ss_context_destroy(ctx);
}

/* ---- the shape ----------------------------------------------------------------------------- */

TEST(bounds_hold_the_surface_and_all_below)
{
    ss_context *ctx = test_context();
    const double z[] = { 0, 1, 2, 3, -1, 0 };
    ss_shape ground = make_ground(ctx, 3, 2, 3, z, 2);
    ss_frame pose = { { 10, 20, 30 }, ss_mat3_identity() };
    const ss_box3 box = ss_shape_bounds(&ground, &pose);
    CHECK(box.lo.x == 8 && box.hi.x == 12 && box.lo.y == 19 && box.hi.y == 21);
    CHECK(box.lo.z == -INFINITY && box.hi.z == 33);
    pose.R = ss_quat_matrix(ss_quat_axis(ss_v3(1, 0, 0), 1)); /* up is now (0, -sin 1, cos 1): down has a part along y */
    const ss_box3 turned = ss_shape_bounds(&ground, &pose);
    CHECK(turned.lo.z == -INFINITY && turned.hi.y == INFINITY && isfinite(turned.lo.y) && isfinite(turned.hi.z));
    CHECK(ss_shape_mass(&ground).volume == 0);
    ss_shape_free(ctx, &ground);
    ss_context_destroy(ctx);
}

TEST(fields_that_are_no_ground_are_refused)
{
    ss_context *ctx = test_context();
    ss_shape shape;
    const double z[] = { 0, 1, NAN, 2 };
    ss_shape_desc desc = ss_shape_desc_default();
    desc.type = "height_field";
    desc.spacing = 1;
    desc.heights = (ss_heights){ 1, 1, z };
    CHECK_FAILS(ctx, try_shape(ctx, 2, &desc, &shape), SS_ERR_INPUT, "heights");
    desc.heights = (ss_heights){ 1, 2, z };
    CHECK_FAILS(ctx, try_shape(ctx, 3, &desc, &shape), SS_ERR_INPUT, "rows");
    desc.heights = (ss_heights){ 2, 2, z };
    CHECK_FAILS(ctx, try_shape(ctx, 3, &desc, &shape), SS_ERR_INPUT, "finite");
    CHECK_FAILS(ctx, try_shape(ctx, 2, &desc, &shape), SS_ERR_INPUT, "one row");
    desc.heights = (ss_heights){ 1, 2, z };
    desc.spacing = 0;
    CHECK_FAILS(ctx, try_shape(ctx, 2, &desc, &shape), SS_ERR_INPUT, "spacing");
    desc.spacing = 1;
    desc.heights = (ss_heights){ 1 << 15, 1 << 15, z };
    CHECK_FAILS(ctx, try_shape(ctx, 3, &desc, &shape), SS_ERR_INPUT, "at most");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_field_is_a_plane),
        cmocka_unit_test(seams_inside_a_patch_have_no_identity_of_their_own),
        cmocka_unit_test(a_rough_field_is_as_far_away_as_its_nearest_face),
        cmocka_unit_test(a_cylinder_is_as_far_from_the_ground_as_from_its_nearest_face),
        cmocka_unit_test(a_solid_pushed_in_a_little_is_pushed_out_again),
        cmocka_unit_test(a_solid_pushed_into_the_border_a_little_is_pushed_out_again),
        cmocka_unit_test(what_is_far_below_the_surface_is_held_too),
        cmocka_unit_test(bounds_hold_the_surface_and_all_below),
        cmocka_unit_test(fields_that_are_no_ground_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
