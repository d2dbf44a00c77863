/* test_shapes.c - mass properties, bounds and field tables of the shapes. */
#include "poses.h"
#include "unit/base/failing.h"

enum { SAMPLES = 2000 };

/* x' J y with J stored as xx yy zz xy xz yz */
static double bilinear(const double J[6], ss_vec3 x, ss_vec3 y)
{
    return J[0] * x.x * y.x + J[1] * x.y * y.y + J[2] * x.z * y.z + J[3] * (x.x * y.y + x.y * y.x) +
           J[4] * (x.x * y.z + x.z * y.x) + J[5] * (x.y * y.z + x.z * y.y);
}

/* volume and principal moments about the centre, from the textbook */
static double textbook(const ss_shape *s, double J[3])
{
    const double pi = 3.14159265358979323846, r = s->radius, x = 2 * s->half.x, y = 2 * s->half.y, z = 2 * s->half.z;
    const bool flat = s->dimension == 2;
    if (s->kind == SS_SHAPE_sphere) {
        const double m = flat ? pi * r * r : 4 * pi * r * r * r / 3;
        J[0] = J[1] = m * r * r * (flat ? 0.25 : 0.4);
        J[2] = m * r * r * (flat ? 0.5 : 0.4);
        return m;
    }
    const double m = flat ? x * y : x * y * z;
    J[0] = m / 12 * (y * y + z * z);
    J[1] = m / 12 * (x * x + z * z);
    J[2] = m / 12 * (x * x + y * y);
    return m;
}

TEST(mass_properties_follow_the_parallel_axis_theorem)
{
    uint64_t seed = 2;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_shape s = pose_shape(&seed, 2 + k % 2, k % 4 < 2 ? SS_SHAPE_sphere : SS_SHAPE_box);
        const ss_mass_properties mass = ss_shape_mass(&s);
        double J[3];
        const double m = textbook(&s, J);
        CHECK_NEAR(mass.volume, m, 1e-14);
        CHECK_NEAR(ss_norm(ss_sub(mass.centroid, s.local.p)), 0, 1e-15);
        /* about any axis u through the body's origin: sum J_i (u . axis_i)^2 + m |u x p|^2 */
        const ss_vec3 u = ss_unit(pose_vector(&seed, 3, 1)), arm = ss_cross(u, s.local.p);
        double expected = m * ss_dot(arm, arm);
        for (int i = 0; i < 3; i++) {
            expected += J[i] * ss_dot(u, s.local.R.c[i]) * ss_dot(u, s.local.R.c[i]);
        }
        CHECK_NEAR(bilinear(mass.inertia, u, u), expected, 1e-13); /* rounding of quantities below 10 */
    }
}

/* x against the random points of a shape's bounding ball: volume, first and second moments by counting */
TEST(mass_properties_agree_with_random_points_inside)
{
    const ss_shape_kind kinds[] = { SS_SHAPE_capsule, SS_SHAPE_box, SS_SHAPE_polygon, SS_SHAPE_hull };
    uint64_t seed = 21;
    for (int k = 0; k < 8; k++) {
        const int dimension = 2 + k / 4, n = 400000;
        if (!pose_exists(kinds[k % 4], dimension)) {
            continue;
        }
        const ss_shape s = pose_shape(&seed, dimension, kinds[k % 4]);
        const ss_frame body = ss_frame_identity();
        const ss_mass_properties mass = ss_shape_mass(&s);
        const double half = ss_shape_radius(&s), cell = pow(2 * half, dimension) / n;
        double volume = 0, J[6] = { 0 };
        ss_vec3 first = { 0, 0, 0 };
        for (int i = 0; i < n; i++) {
            const ss_vec3 x = pose_vector(&seed, dimension, half);
            if (pose_outside(&s, &body, x) <= 0) {
                volume += cell;
                first = ss_axpy(cell, x, first);
                J[0] += cell * (x.y * x.y + x.z * x.z);
                J[2] += cell * (x.x * x.x + x.y * x.y);
                J[3] -= cell * x.x * x.y;
                J[5] -= cell * x.y * x.z;
            }
        }
        /* four standard deviations of a count: 4 sqrt(cells / n), over the whole cube */
        const double tol = 4 * n * cell / sqrt(n), arm = half * half;
        CHECK_NEAR(mass.volume, volume, tol);
        CHECK_NEAR(ss_norm(ss_sub(ss_scale(mass.volume, mass.centroid), first)), 0, 2 * half * tol);
        CHECK_NEAR(mass.inertia[0], J[0], 2 * arm * tol);
        CHECK_NEAR(mass.inertia[2], J[2], 2 * arm * tol);
        CHECK_NEAR(mass.inertia[3], J[3], 2 * arm * tol);
        CHECK_NEAR(mass.inertia[5], J[5], 2 * arm * tol);
    }
}

/* ---- polygons and hulls ---------------------------------------------------------------------- */

static ss_status compile_points(ss_context *ctx, ss_shape_kind kind, int n, const double *x, ss_shape *shape)
{
    const ss_shape_desc desc = { .points = { n, x } };
    *shape = (ss_shape){ .kind = kind, .dimension = kind == SS_SHAPE_hull ? 3 : 2, .local = ss_frame_identity() };
    return ss_shape_types[kind]->compile(ctx, &desc, "bodies/0/shapes/0", shape);
}

/* a box as a polygon or hull, its corners and more points of it, far from the origin and of any size */
TEST(a_cube_of_many_points_is_the_box)
{
    ss_context *ctx = test_context();
    uint64_t seed = 5;
    const double sizes[] = { 1e-6, 1, 1e6 };
    for (int k = 0; k < 60; k++) {
        const double side = sizes[k % 3];
        const ss_vec3 at = ss_scale(k % 2 ? 1e3 * side : 0, pose_vector(&seed, 3, 1));
        double x[3 * 100];
        const int n = 8 + (int)pose_uniform(&seed, 0, 92);
        for (int i = 0; i < n; i++) { /* corners, then points of faces, edges and the inside, and duplicates */
            for (int j = 0; j < 3; j++) {
                const double in = floor(pose_uniform(&seed, 0, 5)) / 2 - 1;
                const double c = i < 8 ? (i >> j & 1 ? 0.5 : -0.5) : fmin(0.5, fmax(-0.5, in));
                x[3 * i + j] = side * c + (j == 0 ? at.x : j == 1 ? at.y : at.z);
            }
        }
        ss_shape hull;
        CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_hull, n, x, &hull));
        CHECK(hull.polytope->corners == 8 && hull.polytope->edges == 12 && hull.polytope->faces == 6);
        const ss_mass_properties mass = ss_shape_mass(&hull);
        CHECK_NEAR(mass.volume / (side * side * side), 1, 1e-11); /* points are rounded to 1e-13 of the side */
        CHECK_NEAR(ss_norm(ss_sub(mass.centroid, at)), 0, 1e-11 * side);
        CHECK_NEAR(ss_shape_thickness(&hull), 0.5 * side, 1e-2 * side); /* a lower bound */
        ss_shape_free(ctx, &hull);
    }
    ss_context_destroy(ctx);
}

TEST(a_polygon_may_run_either_way_round)
{
    ss_context *ctx = test_context();
    const double left[] = { 0, 0, 0, 3, 0, 0, 3, 2, 0, 0, 2, 0 }, right[] = { 0, 0, 0, 0, 2, 0, 3, 2, 0, 3, 0, 0 };
    ss_shape a, b;
    CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, left, &a));
    CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, right, &b));
    const ss_mass_properties ma = ss_shape_mass(&a), mb = ss_shape_mass(&b);
    CHECK_NEAR(ma.volume, 6, 1e-14);
    CHECK_NEAR(mb.volume, 6, 1e-14);
    CHECK_NEAR(ma.inertia[2], 6 * (9 + 4) / 3.0, 1e-13); /* about a corner: m (a^2 + b^2) / 3 */
    CHECK_NEAR(mb.inertia[3], -6 * 1.5, 1e-13);          /* - m a b / 4 */
    CHECK_NEAR(ss_norm(ss_sub(ma.centroid, ss_v3(1.5, 1, 0))), 0, 1e-15);
    ss_shape_free(ctx, &a);
    ss_shape_free(ctx, &b);
    ss_context_destroy(ctx);
}

TEST(points_without_a_polygon_or_a_hull_are_refused_with_their_place)
{
    ss_context *ctx = test_context();
    ss_shape s;
    const double dent[] = { 0, 0, 0, 2, 0, 0, 1, 0.5, 0, 0, 2, 0 }, twice[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0 };
    const double line[] = { 0, 0, 0, 1, 1, 0, 2, 2, 0 }, nan[] = { 0, 0, 0, NAN, 0, 0, 0, 1, 0, 0, 0, 1 };
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, dent, &s), SS_ERR_INPUT,
                "bodies/0/shapes/0.points.2: the polygon is not convex");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, twice, &s), SS_ERR_INPUT,
                "points.2: this corner and the one before coincide");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 3, line, &s), SS_ERR_INPUT, "no area");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, nan, &s), SS_ERR_INPUT, "points.1: expected finite numbers");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 2, line, &s), SS_ERR_INPUT, "2 corners");
    double star[15]; /* five corners, twice round */
    for (int k = 0; k < 5; k++) {
        star[3 * k] = cos(0.8 * k * 3.14159265358979323846);
        star[3 * k + 1] = sin(0.8 * k * 3.14159265358979323846);
        star[3 * k + 2] = 0;
    }
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 5, star, &s), SS_ERR_INPUT, "more than once");

    const double flat[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.2, 0 }, same[12] = { 0 };
    const double needle[] = { 0, 0, 0, 1, 0, 0, 1, 1e-9, 0, 1, 0, 1e-9 };
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 5, flat, &s), SS_ERR_INPUT, "bodies/0/shapes/0.points");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 4, same, &s), SS_ERR_INPUT, "coincide");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 4, needle, &s), SS_ERR_INPUT, "bodies/0/shapes/0.points");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 4, nan, &s), SS_ERR_INPUT, "points.1: expected finite numbers");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 3, flat, &s), SS_ERR_INPUT, "3 points");
    const double huge[] = { 0, 0, 0, 1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200 };
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 4, huge, &s), SS_ERR_INPUT, "at most 1e+50 m");
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 3, huge, &s), SS_ERR_INPUT, "at most 1e+50 m");
    ss_context_destroy(ctx);
}

/* neighbours agree: every edge has two faces, runs round the first one's normal, and no corner is above a face; Euler */
static ss_shape_kind refused_kind;
static int refused_dimension;

/* what qhull itself takes is not asked of the context */
static ss_status compile_once(ss_context *ctx)
{
    double points[3 * POSE_POINTS];
    const double z[9] = { 0, 0.1, 0, 0.2, 0, 0.1, 0, 0, 0.3 };
    uint64_t seed = 9;
    pose_points(&seed, refused_dimension, points);
    const bool space = refused_dimension == 3;
    const ss_shape_desc desc = { .size = { 1, 2, 3 },
                                 .radius = 1,
                                 .length = 2,
                                 .normal = { 0, 1, 0 },
                                 .spacing = 0.5,
                                 .points = { POSE_POINTS, points },
                                 .heights = { space ? 3 : 1, space ? 3 : 9, z } };
    ss_shape shape = { .kind = refused_kind, .dimension = refused_dimension, .local = ss_frame_identity() };
    const ss_status status = ss_shape_types[refused_kind]->compile(ctx, &desc, "shape", &shape);
    CHECK(status == SS_OK || shape.owned == NULL);
    ss_shape_free(ctx, &shape);
    return status;
}

TEST(every_shape_survives_a_refusal_of_memory_at_every_request)
{
    for (refused_dimension = 2; refused_dimension <= 3; refused_dimension++) {
        for (refused_kind = 0; refused_kind < SS_SHAPE_KINDS; refused_kind++) {
            if (pose_exists(refused_kind, refused_dimension)) {
                const bool listed =
                    refused_kind == SS_SHAPE_polygon || refused_kind == SS_SHAPE_hull || refused_kind == SS_SHAPE_height_field;
                CHECK(fail_at_every_request(compile_once) >= (listed ? 3 : 1)); /* one of them is the context's own */
            }
        }
    }
}

TEST(the_tables_of_a_hull_fit_together)
{
    uint64_t seed = 17;
    for (int k = 0; k < 200; k++) {
        const ss_shape s = pose_shape(&seed, 3, SS_SHAPE_hull);
        const ss_polytope *p = s.polytope;
        CHECK(p->corners - p->edges + p->faces == 2);
        for (int e = 0; e < p->edges; e++) {
            const ss_vec3 d = ss_sub(p->corner[p->edge[e][1]], p->corner[p->edge[e][0]]);
            const ss_vec3 fold = ss_cross(p->normal[p->edge_face[e][0]], p->normal[p->edge_face[e][1]]);
            CHECK(ss_dot(d, fold) > 0);
        }
        for (int f = 0; f < p->faces; f++) {
            for (int c = 0; c < p->corners; c++) {
                CHECK(ss_dot(p->normal[f], p->corner[c]) <= p->offset[f] + 1e-14);
            }
        }
    }
}

TEST(point_and_half_space_have_no_mass)
{
    uint64_t seed = 4;
    const ss_shape point = pose_shape(&seed, 3, SS_SHAPE_point), wall = pose_shape(&seed, 3, SS_SHAPE_half_space);
    CHECK_NEAR(ss_shape_mass(&point).volume, 0, 0);
    CHECK_NEAR(ss_shape_mass(&wall).volume, 0, 0);
}

TEST(bounds_are_the_supports_along_the_axes)
{
    uint64_t seed = 9;
    for (int k = 0; k < SAMPLES; k++) {
        const int dimension = 2 + k % 2;
        const ss_shape s = pose_shape(&seed, dimension, (ss_shape_kind)(k % 4)); /* point, sphere, capsule, box */
        const ss_frame f = pose_frame(&seed, dimension, 5);
        const ss_box3 box = ss_shape_bounds(&s, &f);
        const ss_vec3 x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 };
        /* rounding of positions below 10 */
        CHECK_NEAR(box.hi.x, pose_support(&s, &f, x), 1e-14);
        CHECK_NEAR(box.lo.y, -pose_support(&s, &f, ss_scale(-1, y)), 1e-14);
        CHECK_NEAR(box.hi.z, dimension == 3 ? pose_support(&s, &f, z) : 0, 1e-14);
        /* and the ball about the body's origin holds it */
        const ss_vec3 u = ss_unit(pose_vector(&seed, 3, 1));
        CHECK(pose_support(&s, &f, u) - ss_dot(u, f.p) <= ss_shape_radius(&s) + 1e-14);
    }
}

TEST(half_space_is_unbounded_and_keeps_its_plane_when_placed)
{
    uint64_t seed = 10;
    for (int k = 0; k < SAMPLES; k++) {
        ss_shape_desc desc = { .type = "half_space", .offset = pose_uniform(&seed, -1, 1) };
        ss_v3_to(ss_scale(3, pose_vector(&seed, 3, 1)), desc.normal); /* of any length */
        const ss_shape s = pose_compile(SS_SHAPE_half_space, 3, pose_frame(&seed, 3, 2), &desc);
        /* a point of the plane as described lies in the plane as stored */
        const ss_vec3 n = ss_unit(ss_v3_from(desc.normal)), slide = ss_cross(n, pose_vector(&seed, 3, 1));
        const ss_vec3 x = ss_point_to_world(s.local, ss_axpy(desc.offset, n, slide));
        CHECK_NEAR(ss_dot(s.normal, x), s.offset, 1e-14);
        const ss_frame f = pose_frame(&seed, 3, 2);
        const ss_box3 box = ss_shape_bounds(&s, &f);
        CHECK(isinf(box.lo.x) && isinf(box.hi.z) && isinf(ss_shape_radius(&s)));
    }
}

/* the ball of that radius about the middle stays inside, and a larger one does not */
TEST(thickness_is_the_radius_of_the_largest_ball_inside)
{
    uint64_t seed = 12;
    for (int k = 0; k < SAMPLES; k++) {
        const int dimension = 2 + k % 2;
        const ss_shape s = pose_shape(&seed, dimension, (ss_shape_kind)(k % 4)); /* point, sphere, capsule, box */
        const ss_frame f = pose_frame(&seed, dimension, 5);
        const ss_vec3 middle = ss_point_to_world(f, s.local.p);
        double least = INFINITY; /* support about the middle, over the directions in which a box is thinnest */
        for (int i = 0; i < dimension; i++) {
            const ss_vec3 n = ss_frame_compose(f, s.local).R.c[i];
            least = fmin(least, pose_support(&s, &f, n) - ss_dot(n, middle));
        }
        CHECK_NEAR(ss_shape_thickness(&s), least, 1e-14); /* rounding of positions below 10 */
    }
    const ss_shape wall = pose_shape(&seed, 3, SS_SHAPE_half_space);
    CHECK(isinf(ss_shape_thickness(&wall)));
}

static const ss_field *find_field(const ss_shape_type *type, const char *name)
{
    for (const ss_field *f = type->info.fields; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}

TEST(every_shape_has_the_common_fields_and_its_own)
{
    const char *common[] = { "type", "material", "position", "angle", "orientation" };
    int kinds = 0;
    for (; ss_shape_types[kinds]; kinds++) {
        for (int k = 0; k < 5; k++) {
            CHECK(find_field(ss_shape_types[kinds], common[k]) != NULL);
        }
        CHECK(pose_exists((ss_shape_kind)kinds, 2) || pose_exists((ss_shape_kind)kinds, 3));
    }
    CHECK(kinds == SS_SHAPE_KINDS);
    CHECK(find_field(ss_shape_types[SS_SHAPE_sphere], "radius")->flags == (SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN));
    CHECK(find_field(ss_shape_types[SS_SHAPE_box], "size")->offset == offsetof(ss_shape_desc, size));
    CHECK(find_field(ss_shape_types[SS_SHAPE_half_space], "normal")->type == SS_FIELD_DIRECTION);
    CHECK(find_field(ss_shape_types[SS_SHAPE_half_space], "offset")->def == 0);
    CHECK(strcmp(ss_shape_types[SS_SHAPE_sphere]->info.aliases, "disk") == 0);
}

/* lengths are compared with the size of the shape, here 1 m or little more */
TEST(corners_that_round_off_tells_apart_are_two_and_a_hull_thicker_than_that_is_solid)
{
    ss_context *ctx = test_context();
    ss_shape s;
    const double near[] = { 0, 0, 0, 1, 0, 0, 1, 2e-10, 0, 0.5, 1, 0 }, apart[] = { 0, 0, 0, 1, 0, 0, 1, 2e-8, 0, 0.5, 1, 0 };
    const double thin[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 2e-6 }, flat[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 2e-8 };
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, near, &s), SS_ERR_INPUT, "coincide");
    CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_polygon, 4, apart, &s));
    ss_shape_free(ctx, &s);
    CHECK_FAILS(ctx, compile_points(ctx, SS_SHAPE_hull, 4, flat, &s), SS_ERR_INPUT, "flat");
    CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_hull, 4, thin, &s));
    ss_shape_free(ctx, &s);
    ss_context_destroy(ctx);
}

/* of a side and the corner farthest from it: the altitude of a triangle, a side of a rectangle */
TEST(the_width_of_a_face_is_half_its_least_altitude)
{
    ss_context *ctx = test_context();
    const double corner[] = { 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 12 }; /* sides 3, 4, 5; altitudes 4, 3, 2.4 */
    uint64_t seed = 31;
    for (int k = 0; k < SAMPLES; k++) {
        const ss_shape s = pose_shape(&seed, 3, SS_SHAPE_box);
        const ss_vec3 h = s.half;
        const double least[3] = { fmin(h.y, h.z), fmin(h.x, h.z), fmin(h.x, h.y) };
        for (int f = 0; f < 6; f++) {
            CHECK_NEAR(s.polytope->width[f], least[f / 2], 1e-15);
        }
    }
    ss_shape s;
    CHECK_OK(ctx, compile_points(ctx, SS_SHAPE_hull, 4, corner, &s));
    for (int f = 0; f < s.polytope->faces; f++) {
        CHECK(s.polytope->normal[f].z > -0.9 || fabs(s.polytope->width[f] - 1.2) < 1e-14);
    }
    ss_shape_free(ctx, &s);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_properties_follow_the_parallel_axis_theorem),
        cmocka_unit_test(mass_properties_agree_with_random_points_inside),
        cmocka_unit_test(a_cube_of_many_points_is_the_box),
        cmocka_unit_test(a_polygon_may_run_either_way_round),
        cmocka_unit_test(points_without_a_polygon_or_a_hull_are_refused_with_their_place),
        cmocka_unit_test(every_shape_survives_a_refusal_of_memory_at_every_request),
        cmocka_unit_test(the_tables_of_a_hull_fit_together),
        cmocka_unit_test(point_and_half_space_have_no_mass),
        cmocka_unit_test(bounds_are_the_supports_along_the_axes),
        cmocka_unit_test(thickness_is_the_radius_of_the_largest_ball_inside),
        cmocka_unit_test(the_width_of_a_face_is_half_its_least_altitude),
        cmocka_unit_test(half_space_is_unbounded_and_keeps_its_plane_when_placed),
        cmocka_unit_test(every_shape_has_the_common_fields_and_its_own),
        cmocka_unit_test(corners_that_round_off_tells_apart_are_two_and_a_hull_thicker_than_that_is_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
