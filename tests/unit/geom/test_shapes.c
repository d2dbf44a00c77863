/* test_shapes.c - mass properties, bounds and field tables of the shapes. */
#include "poses.h"

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
        const ss_shape s = pose_shape(&seed, dimension, (ss_shape_kind)(k % 3)); /* point, sphere, box */
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
        ss_shape s = { .kind = SS_SHAPE_half_space, .dimension = 3, .local = pose_frame(&seed, 3, 2) };
        ss_shape_types[SS_SHAPE_half_space]->compile(&desc, &s);
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
        const ss_shape s = pose_shape(&seed, dimension, (ss_shape_kind)(k % 3)); /* point, sphere, box */
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
        CHECK(ss_shape_types[kinds]->info.dimensions == 12);
    }
    CHECK(kinds == SS_SHAPE_KINDS);
    CHECK(find_field(ss_shape_types[SS_SHAPE_sphere], "radius")->flags == (SS_FIELD_REQUIRED | SS_FIELD_OPEN_MIN));
    CHECK(find_field(ss_shape_types[SS_SHAPE_box], "size")->offset == offsetof(ss_shape_desc, size));
    CHECK(find_field(ss_shape_types[SS_SHAPE_half_space], "normal")->type == SS_FIELD_DIRECTION);
    CHECK(find_field(ss_shape_types[SS_SHAPE_half_space], "offset")->def == 0);
    CHECK(strcmp(ss_shape_types[SS_SHAPE_sphere]->info.aliases, "disk") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_properties_follow_the_parallel_axis_theorem),
        cmocka_unit_test(point_and_half_space_have_no_mass),
        cmocka_unit_test(bounds_are_the_supports_along_the_axes),
        cmocka_unit_test(thickness_is_the_radius_of_the_largest_ball_inside),
        cmocka_unit_test(half_space_is_unbounded_and_keeps_its_plane_when_placed),
        cmocka_unit_test(every_shape_has_the_common_fields_and_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
