/* test_solid_cantilever.c - cantilevers of triangles and tetrahedra against the theory of beams: deflection and frequencies.
 *
 * With nu = 0 the clamped sections stay plane, and the theory is Timoshenko's:
 *
 *     deflection     F l^3/(3 E I) + F l/(5/6 G A)
 *     frequencies    those of the beam elements, extrapolated from 48 and 96 (3D: 24 and 48) of them; their errors go with the
 *                    square of the length of an element (unit.model.elements, unit.model.beam_in_space)
 *
 * Elements of constant strain are too stiff in bending: they shear where they should bend. The error is large, and goes with the
 * square of the mesh size, as it does for the frequencies. */
#include "solids.h"

/* so slender that the first three vibrations bend it: length; height and width */
static const double length[2] = { 16, 8 }, section[2] = { 1, 0.8 };
static double side_of(int dimension, int axis) { return axis == 0 ? length[dimension - 2] : section[axis - 1]; }

/* n cells over the height and, in 3D, over the width */
static ss_elements_desc cantilever(int dimension, int n)
{
    ss_elements_desc d = solid(dimension);
    for (int axis = 0; axis < dimension; axis++) {
        d.size[axis] = side_of(dimension, axis);
        d.solid.divisions[axis] = axis == 0 ? n * length[dimension - 2] : n;
    }
    d.solid.plane = SS_PLANE_STRESS;
    d.solid.side[SS_LEFT] = "world";
    d.nu = 0;
    return d;
}

/* ---- deflection ---------------------------------------------------------------------------------------------- */

/* f: 1 N downwards, spread over the nodes of the end */
static void load_end(const ss_model *m, double *f)
{
    const int d = m->dimension;
    const double end = length[d - 2] - 1e-9;
    int nodes = 0;
    for (int i = 0; i < m->nv; i += d) {
        nodes += m->q0[i] > end;
    }
    for (int i = 0; i < m->nv; i += d) {
        f[i + 1] = m->q0[i] > end ? -1.0 / nodes : 0;
    }
}

/* mean deflection of the end, of which the load makes nothing but this */
static double deflection(ss_context *ctx, int dimension, int n)
{
    ss_model *m = alone(ctx, dimension, cantilever(dimension, n));
    const size_t rows = (size_t)m->nv;
    double *K = test_malloc(sizeof *K * rows * rows), *C = test_malloc(sizeof *C * rows * rows), sum = 0;
    double *f = test_calloc(rows, sizeof *f), *x = test_calloc(rows, sizeof *x);
    load_end(m, f);
    jacobians(ctx, m, 0, m->q0, m->v0, K, C);
    for (size_t k = 0; k < rows * rows; k++) {
        K[k] = -K[k];
    }
    memcpy(x, f, rows * sizeof *x);
    CHECK(ss_dense_cholesky(m->nv, K, m->nv));
    ss_dense_cholesky_solve(m->nv, K, m->nv, x);
    for (size_t i = 0; i < rows; i++) {
        sum += f[i] * x[i]; /* work of the load: the mean deflection, times 1 N */
    }
    void *const scratch[] = { K, C, f, x };
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++) {
        test_free(scratch[k]);
    }
    ss_model_destroy(m);
    return sum;
}

static double exact_deflection(int dimension)
{
    const double width = dimension == 2 ? 1 : section[1], E = 3000, l = length[dimension - 2], I = width / 12, A = width;
    return l * l * l / (3 * E * I) + l / (5.0 / 6 * E / 2 * A);
}

TEST(deflection_of_a_cantilever_converges_with_the_square_of_the_mesh_size)
{
    ss_context *ctx = test_context();
    const int coarse[2] = { 2, 1 }; /* cells over the height */
    for (int dimension = 2; dimension <= 3; dimension++) {
        const int n = coarse[dimension - 2];
        const double exact = exact_deflection(dimension);
        const double far = exact / deflection(ctx, dimension, n) - 1, near = exact / deflection(ctx, dimension, 2 * n) - 1;
        CHECK(near > 0 && near < (dimension == 2 ? 0.2 : 0.7)); /* too stiff */
        CHECK_NEAR(log2(far / near), 2, dimension == 2 ? 0.02 : 0.2);
    }
    ss_context_destroy(ctx);
}

/* ---- frequencies --------------------------------------------------------------------------------------------- */

enum { COUNT = 3, VALUES = 1200 };

static void frequencies(ss_context *ctx, int dimension, ss_elements_desc d, double out[COUNT])
{
    double *values = test_malloc(sizeof *values * VALUES);
    squared_frequencies(ctx, dimension, d, values);
    for (int k = 0; k < COUNT; k++) {
        out[k] = sqrt(values[k]);
    }
    test_free(values);
}

static void exact_frequencies(ss_context *ctx, int dimension, double out[COUNT])
{
    const int most = dimension == 2 ? 96 : 48;
    double coarse[COUNT], fine[COUNT];
    ss_elements_desc d = elements("beam", most / 2);
    for (int axis = 0; axis < dimension; axis++) {
        d.size[axis] = side_of(dimension, axis);
    }
    d.first = "world";
    d.nu = 0;
    frequencies(ctx, dimension, d, coarse);
    d.divisions = most;
    frequencies(ctx, dimension, d, fine);
    for (int k = 0; k < COUNT; k++) {
        out[k] = fine[k] + (fine[k] - coarse[k]) / 3;
    }
}

TEST(first_three_frequencies_of_a_cantilever_converge_with_the_square_of_the_mesh_size)
{
    ss_context *ctx = test_context();
    const int coarse[2] = { 2, 1 };
    for (int dimension = 2; dimension <= 3; dimension++) {
        const int n = coarse[dimension - 2];
        double exact[COUNT], far[COUNT], near[COUNT];
        exact_frequencies(ctx, dimension, exact);
        frequencies(ctx, dimension, cantilever(dimension, n), far);
        frequencies(ctx, dimension, cantilever(dimension, 2 * n), near);
        for (int k = 0; k < COUNT; k++) {
            const double a = pow(far[k] / exact[k], 2) - 1, b = pow(near[k] / exact[k], 2) - 1; /* of the stiffness */
            CHECK(b > 0 && b < (dimension == 2 ? 0.2 : 0.7));
            CHECK_NEAR(log2(a / b), 2, dimension == 2 ? 0.1 : 0.35);
        }
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deflection_of_a_cantilever_converges_with_the_square_of_the_mesh_size),
        cmocka_unit_test(first_three_frequencies_of_a_cantilever_converge_with_the_square_of_the_mesh_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
