/* test_hull_mass.c - mass properties of polygons and hulls against affine images of a triangle, a square, a tetrahedron and a
 * cube.
 *
 * For y = A x + b the moments follow those of x exactly:
 *     volume |det A| V,   first moment |det A| (A s + V b),   second |det A| (A C A' + A s b' + b (A s)' + V b b')
 * with V, s_i = s, C_ij = same or other for i = j or not, the same along every axis by symmetry. */
#include "poses.h"
#include "test.h"

#include <math.h>

/* a solid in the first orthant: its corners, and moments by integration of 1, x, x^2 and x y */
typedef struct reference {
    ss_shape_kind kind;
    int dimension, corners;
    double x[24], volume, first, same, other;
} reference;

static const reference references[] = {
    { SS_SHAPE_polygon, 2, 3, { 0, 0, 1, 0, 0, 1 }, 1 / 2.0, 1 / 6.0, 1 / 12.0, 1 / 24.0 },
    { SS_SHAPE_polygon, 2, 4, { 0, 0, 1, 0, 1, 1, 0, 1 }, 1, 1 / 2.0, 1 / 3.0, 1 / 4.0 },
    { SS_SHAPE_hull, 3, 4, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 1 / 6.0, 1 / 24.0, 1 / 60.0, 1 / 120.0 },
    { SS_SHAPE_hull,
      3,
      8,
      { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1 },
      1,
      1 / 2.0,
      1 / 3.0,
      1 / 4.0 },
};

/* A and b; in the plane the rest of them is zero */
typedef struct affine {
    double A[3][3], b[3], det;
} affine;

static affine random_affine(uint64_t *seed, int dimension)
{
    affine f = { 0 };
    for (int i = 0; i < dimension; i++) {
        f.b[i] = pose_uniform(seed, -2, 2);
        for (int j = 0; j < dimension; j++) {
            f.A[i][j] = pose_uniform(seed, -1, 1) + (i == j ? 2 : 0); /* far from singular */
        }
    }
    double(*A)[3] = f.A;
    f.det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    if (dimension == 3) {
        f.det = f.det * A[2][2] + A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]) -
                A[1][2] * (A[0][0] * A[2][1] - A[0][1] * A[2][0]);
    }
    f.det = fabs(f.det);
    return f;
}

/* second moments of the image, over |det A| */
static double second(const reference *r, const affine *f, int i, int j)
{
    double sum = r->volume * f->b[i] * f->b[j];
    for (int k = 0; k < r->dimension; k++) {
        sum += r->first * (f->A[i][k] * f->b[j] + f->b[i] * f->A[j][k]);
        for (int l = 0; l < r->dimension; l++) {
            sum += f->A[i][k] * f->A[j][l] * (k == l ? r->same : r->other);
        }
    }
    return sum;
}

static void compile_image(ss_context *ctx, const reference *r, const affine *f, ss_shape *shape)
{
    double y[24] = { 0 }; /* three numbers to a point, in the plane too */
    for (int k = 0; k < r->corners; k++) {
        for (int i = 0; i < r->dimension; i++) {
            y[3 * k + i] = f->b[i];
            for (int j = 0; j < r->dimension; j++) {
                y[3 * k + i] += f->A[i][j] * r->x[r->dimension * k + j];
            }
        }
    }
    const ss_shape_desc desc = { .points = { r->corners, y } };
    *shape = (ss_shape){ .kind = r->kind, .dimension = r->dimension, .local = ss_frame_identity() };
    CHECK_OK(ctx, ss_shape_types[r->kind]->compile(ctx, &desc, "bodies/0/shapes/0", shape));
}

/* xx yy zz xy xz yz about the origin: tr(C) 1 - C */
static void check_inertia(const reference *r, const affine *f, const double *inertia)
{
    const int at[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
    const double trace = second(r, f, 0, 0) + second(r, f, 1, 1) + second(r, f, 2, 2);
    for (int k = 0; k < 6; k++) {
        const double expected = f->det * ((k < 3 ? trace : 0) - second(r, f, at[k][0], at[k][1]));
        CHECK_NEAR(inertia[k], expected, 1e-13 * f->det * trace); /* a few hundred roundings */
    }
}

TEST(mass_properties_of_affine_images_are_exact)
{
    ss_context *ctx = test_context();
    uint64_t seed = 11;
    for (int k = 0; k < 400; k++) {
        const reference *r = &references[k % 4];
        const affine f = random_affine(&seed, r->dimension);
        ss_shape shape;
        compile_image(ctx, r, &f, &shape);
        const ss_mass_properties mass = ss_shape_mass(&shape);
        const double centre[3] = { mass.centroid.x, mass.centroid.y, mass.centroid.z };
        CHECK_NEAR(mass.volume, f.det * r->volume, 1e-13 * f.det);
        for (int i = 0; i < 3; i++) {
            const double sum = f.A[i][0] + f.A[i][1] + f.A[i][2];
            CHECK_NEAR(centre[i], f.b[i] + r->first / r->volume * sum, 1e-13 * 10);
        }
        check_inertia(r, &f, mass.inertia);
        ss_shape_free(ctx, &shape);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_properties_of_affine_images_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
