/* test_cones.c - a projection P of y on a convex cone K is known by: P in K, and (y - P) . g <= 0 for all g in K with
 * (y - P) . P = 0. That is checked for every cone, beside closed forms. */
#include "base/base.h"
#include "math/array.h"
#include "math/cones.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/* tolerance of all checks: values up to 10, a few dozen operations of 1e-16 each */
static const double TOL = 1e-13;

static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void random_point(uint64_t *state, double *y)
{
    for (int k = 0; k < 3; k++) {
        y[k] = 4 * ss_random_uniform(state) - 2;
    }
}

TEST(circular_projection_has_its_closed_form)
{
    double inside[3] = { 1, 0.2, 0.3 }, polar[3] = { -2, 0.3, -0.4 }, side[3] = { 0, 3, 4 };
    ss_cone_project_circular(3, 0.5, inside);
    CHECK(inside[0] == 1 && inside[1] == 0.2 && inside[2] == 0.3);
    ss_cone_project_circular(3, 0.5, polar);
    CHECK(polar[0] == 0 && polar[1] == 0 && polar[2] == 0);

    /* t = mu |y_T| / (1 + mu^2) = 2, tangential part mu t (3,4)/5 */
    ss_cone_project_circular(3, 0.5, side);
    CHECK_NEAR(side[0], 2, TOL);
    CHECK_NEAR(side[1], 0.6, TOL);
    CHECK_NEAR(side[2], 0.8, TOL);
}

/* squares of 1e-200 and 1e200 are no numbers; the length is */
TEST(lengths_of_tiny_and_huge_vectors_are_scaled_ones)
{
    const double size[] = { 1e-200, 1e-140, 1, 1e140, 1e200 };
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(ss_length2(3 * size[k], -4 * size[k]) / size[k], 5, TOL);
    }
    CHECK(ss_length2(0, 0) == 0 && isnan(ss_length2(NAN, 0)) && isinf(ss_length2(0, INFINITY)));
}

TEST(without_friction_the_cone_is_a_half_line)
{
    const double square[] = { 1, 0, -1, 0, 0, 1, 0, -1 };
    double up[3] = { 2, 1, 1 }, down[3] = { -1, 0, 0 }, polygonal[3] = { 2, 1, 1 }, below[3] = { -1, 0, 0 };
    ss_cone_project_circular(3, 0, up);
    CHECK(up[0] == 2 && up[1] == 0 && up[2] == 0);
    ss_cone_project_circular(3, 0, down);
    CHECK(down[0] == 0);
    ss_cone_project_polygonal(3, 0, 4, square, polygonal);
    CHECK(polygonal[0] == 2 && polygonal[1] == 0 && polygonal[2] == 0);
    ss_cone_project_polygonal(3, 0, 4, square, below);
    CHECK(below[0] == 0);
}

TEST(circular_projection_satisfies_the_variational_inequality)
{
    uint64_t state = 11;
    for (int trial = 0; trial < 2000; trial++) {
        double mu = 2 * ss_random_uniform(&state), y[3], p[3], e[3];
        random_point(&state, y);
        memcpy(p, y, sizeof p);
        ss_cone_project_circular(3, mu, p);
        CHECK(hypot(p[1], p[2]) <= mu * p[0] * (1 + TOL) + TOL);
        for (int k = 0; k < 3; k++) {
            e[k] = y[k] - p[k];
        }
        CHECK_NEAR(dot3(e, p), 0, TOL);
        for (int k = 0; k < 60; k++) {
            double g[3] = { 1, mu * cos(PI * k / 30), mu * sin(PI * k / 30) };
            CHECK(dot3(e, g) <= TOL);
        }
    }
}

/* random symmetric sets: regular, of any lengths, at random angles and, if allowed, all on one line */
static int random_directions(uint64_t *state, bool flat, double *d)
{
    int half = (flat ? 1 : 2) + (int)(ss_random_u64(state) % 4), kind = (int)(ss_random_u64(state) % (flat ? 4 : 3));
    for (int k = 0; k < half; k++) {
        double angle = kind == 0 ? PI * k / half : PI * ss_random_uniform(state);
        double length = kind == 1 ? 0.2 + ss_random_uniform(state) : 1;
        d[2 * k] = length * cos(kind == 3 ? 0.7 : angle);
        d[2 * k + 1] = length * sin(kind == 3 ? 0.7 : angle);
        d[2 * (half + k)] = -d[2 * k];
        d[2 * (half + k) + 1] = -d[2 * k + 1];
    }
    return 2 * half;
}

TEST(polygonal_projection_satisfies_the_variational_inequality_for_any_set)
{
    uint64_t state = 5;
    for (int trial = 0; trial < 5000; trial++) {
        double d[20], mu = 2 * ss_random_uniform(&state), y[3], p[3], e[3], again[3];
        int n = random_directions(&state, true, d);
        random_point(&state, y);
        memcpy(p, y, sizeof p);
        ss_cone_project_polygonal(3, mu, n, d, p);
        for (int k = 0; k < 3; k++) {
            e[k] = y[k] - p[k];
        }
        CHECK_NEAR(dot3(e, p), 0, TOL);
        for (int k = 0; k < n; k++) { /* the rays span the cone: testing them is testing all of K */
            CHECK(dot3(e, (double[]){ 1, mu * d[2 * k], mu * d[2 * k + 1] }) <= TOL);
        }
        memcpy(again, p, sizeof again); /* P lies in K: it is its own projection */
        ss_cone_project_polygonal(3, mu, n, d, again);
        CHECK_NEAR(fabs(again[0] - p[0]) + fabs(again[1] - p[1]) + fabs(again[2] - p[2]), 0, TOL);
    }
}

TEST(a_nearly_flat_cone_is_projected_to_its_last_digit)
{
    /* mu = 1e-8: rays differ from the axis by 1e-8, squared distances by 1e-16; the tangential part must still be right */
    const double square[] = { 1, 0, 0, 1, -1, 0, 0, -1 }, mu = 1e-8;
    double y[3] = { 1, 1, 0.999999 };
    ss_cone_project_polygonal(3, mu, 4, square, y);

    /* face of d_1 and d_2: P_T = mu (a, b) with a + b = 1 (to 1e-8), a - b = (y_1 - y_2)/mu cut to [-1, 1] -> a = 1 */
    CHECK_NEAR(y[1] / mu, 1, 1e-7);
    CHECK_NEAR(y[2] / mu, 0, 1e-7);
    double z[3] = { 1, 1, 1 - 0.5 * mu };
    ss_cone_project_polygonal(3, mu, 4, square, z);
    CHECK_NEAR(z[1] / mu, 0.75, 1e-6); /* a - b = 0.5; 1 - 0.5e-8 itself is known to 1e-16, so a to 1e-8 */
    CHECK_NEAR(z[2] / mu, 0.25, 1e-6);
}

TEST(many_directions_approach_the_circle)
{
    double d[128], y[3] = { 0.3, 2, -1 }, c[3] = { 0.3, 2, -1 };
    for (int k = 0; k < 60; k++) {
        d[2 * k] = cos(2 * PI * k / 60);
        d[2 * k + 1] = sin(2 * PI * k / 60);
    }
    ss_cone_project_polygonal(3, 0.7, 60, d, y);
    ss_cone_project_circular(3, 0.7, c);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(y[k], c[k], 2 * (PI / 60) * 1.5); /* a corner is at most half a side, pi/60 of |P| = 1.3, away */
    }
}

TEST(two_dimensional_cones_have_the_longest_direction)
{
    const double d[] = { 1, 0, -1, 0, 0.4, 0, -0.4, 0 };
    double y[2] = { 1, 3 }, c[2] = { 1, 3 };
    ss_cone_project_polygonal(2, 0.5, 4, d, y);
    ss_cone_project_circular(2, 0.5, c);
    CHECK(y[0] == c[0] && y[1] == c[1]);
    CHECK_NEAR(y[0], 2, TOL); /* t = (1 + 1.5)/1.25 */
    CHECK_NEAR(y[1], 1, TOL);
}

TEST(gauge_and_slip_are_dual)
{
    uint64_t state = 3;
    for (int trial = 0; trial < 500; trial++) {
        double d[20], u[2] = { ss_random_uniform(&state) - 0.5, ss_random_uniform(&state) - 0.5 };
        int n = random_directions(&state, false, d);
        double slip = ss_polygon_slip(3, n, d, u);
        for (int k = 0; k < n; k++) {
            double y[2] = { 0.7 * d[2 * k], 0.7 * d[2 * k + 1] }, gauge = ss_polygon_gauge(n, d, y);
            CHECK(gauge <= 0.7 * (1 + TOL));                           /* one way to make y is 0.7 d_k */
            CHECK(-(y[0] * u[0] + y[1] * u[1]) <= gauge * slip + TOL); /* -y.u <= gauge(y) slip(u)     */
        }
    }
    const double square[] = { 1, 0, -1, 0, 0, 1, 0, -1 }, half[] = { 1, 0, -1, 0 }, y[] = { 0.3, -0.5 };
    CHECK_NEAR(ss_polygon_gauge(4, square, y), 0.8, TOL);
    CHECK(isinf(ss_polygon_gauge(2, half, y)));
    CHECK(ss_polygon_gauge(2, half, (double[]){ 0, 0 }) == 0);
    CHECK_NEAR(ss_polygon_slip(3, 4, square, (double[]){ 0.3, -0.5 }), 0.5, TOL);
    CHECK_NEAR(ss_polygon_slip(2, 2, half, (double[]){ 0.3, NAN }), 0.3, TOL); /* in 2D the second number is not looked at */
}

/* Bounds on the gauge must not decide against it, however near to the radius it is. */
TEST(a_polygon_holds_what_its_gauge_says)
{
    uint64_t state = 8;
    int held = 0;
    for (int trial = 0; trial < 5000; trial++) {
        double d[20], y[3];
        const int n = random_directions(&state, true, d);
        random_point(&state, y);
        const double gauge = ss_polygon_gauge(n, d, y);
        CHECK(ss_polygon_holds(n, d, y, y[2]) == (gauge <= y[2]));
        held += gauge <= y[2];
        CHECK(isinf(gauge) || ss_polygon_holds(n, d, y, gauge * (1 + TOL)));
        CHECK(isinf(gauge) || !ss_polygon_holds(n, d, y, gauge * (1 - TOL)));
    }
    CHECK(held > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circular_projection_has_its_closed_form),
        cmocka_unit_test(lengths_of_tiny_and_huge_vectors_are_scaled_ones),
        cmocka_unit_test(without_friction_the_cone_is_a_half_line),
        cmocka_unit_test(circular_projection_satisfies_the_variational_inequality),
        cmocka_unit_test(polygonal_projection_satisfies_the_variational_inequality_for_any_set),
        cmocka_unit_test(a_nearly_flat_cone_is_projected_to_its_last_digit),
        cmocka_unit_test(many_directions_approach_the_circle),
        cmocka_unit_test(two_dimensional_cones_have_the_longest_direction),
        cmocka_unit_test(gauge_and_slip_are_dual),
        cmocka_unit_test(a_polygon_holds_what_its_gauge_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
