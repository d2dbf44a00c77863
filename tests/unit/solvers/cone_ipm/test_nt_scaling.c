/* test_nt_scaling.c - the scaling of one cone: what it must satisfy, steps, and how far towards the boundary it holds. */
#include "base/base.h"
#include "solvers/cone_ipm/nt_scaling.h"
#include "test.h"

#include <float.h>

static double uniform(uint64_t *state, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(state); }

/* inside by at least 0.01 */
static void inner_point(uint64_t *state, int dim, double *x)
{
    for (int i = 1; i < 3; i++) {
        x[i] = i < dim ? uniform(state, -1, 1) : 0;
    }
    x[0] = hypot(x[1], x[2]) + uniform(state, 0.01, 1);
}

/* y = W^power x, power 1 or -1 */
static void scale(const ss_nt *nt, int power, const double *x, double *y)
{
    double omega[3];
    ss_nt_eigenvalues(nt, omega);
    ss_nt_to_axes(nt, x, y);
    for (int i = 0; i < nt->dim; i++) {
        y[i] = power > 0 ? omega[i] * y[i] : y[i] / omega[i];
    }
    ss_nt_from_axes(nt, y, y);
}

TEST(s_and_z_have_one_scaled_point)
{
    uint64_t state = 5;
    for (int k = 0; k < 300; k++) {
        int dim = 1 + k % 3;
        double s[3], z[3], a[3], b[3];
        ss_nt nt;
        inner_point(&state, dim, s);
        inner_point(&state, dim, z);
        ss_nt_start(&nt, dim, s, z);
        scale(&nt, -1, s, a);
        scale(&nt, 1, z, b);
        for (int i = 0; i < dim; i++) {
            CHECK_NEAR(a[i], nt.lambda[i], 1e-13); /* W^-1 s = W z = lambda; W and W^-1 are below 100 */
            CHECK_NEAR(b[i], nt.lambda[i], 1e-13);
        }
        ss_nt_points(&nt, a, b);
        for (int i = 0; i < dim; i++) {
            CHECK_NEAR(a[i], s[i], 1e-13);
            CHECK_NEAR(b[i], z[i], 1e-13);
        }
    }
}

TEST(a_step_in_scaled_variables_is_the_step_of_s_and_z)
{
    uint64_t state = 6;
    for (int k = 0; k < 300; k++) {
        int dim = 1 + k % 3;
        double s[3], z[3], ds[3], dz[3], a[3], b[3];
        ss_nt nt, fresh;
        inner_point(&state, dim, s);
        inner_point(&state, dim, z);
        ss_nt_start(&nt, dim, s, z);
        for (int i = 0; i < 3; i++) {
            ds[i] = uniform(&state, -1, 1);
            dz[i] = uniform(&state, -1, 1);
        }
        scale(&nt, -1, ds, a);
        scale(&nt, 1, dz, b);
        double t = 0.9 * ss_nt_reach(&nt, b, ss_nt_reach(&nt, a, 1));
        CHECK(t > 0 && ss_nt_advance(&nt, t, a, b));
        for (int i = 0; i < dim; i++) {
            s[i] += t * ds[i];
            z[i] += t * dz[i];
        }
        ss_nt_start(&fresh, dim, s, z);
        ss_nt_points(&nt, a, b);
        for (int i = 0; i < dim; i++) {
            CHECK_NEAR(a[i], s[i], 1e-12);
            CHECK_NEAR(b[i], z[i], 1e-12);
            CHECK_NEAR(nt.lambda[i], fresh.lambda[i], 1e-11); /* the tangents are turned rightly */
        }
    }
}

TEST(the_reach_ends_on_the_boundary)
{
    uint64_t state = 7;
    int ended = 0;
    for (int k = 0; k < 600; k++) {
        int dim = 1 + k % 3;
        double s[3], z[3], d[3], end[3];
        ss_nt nt;
        inner_point(&state, dim, s);
        inner_point(&state, dim, z);
        ss_nt_start(&nt, dim, s, z);
        for (int i = 0; i < 3; i++) {
            d[i] = uniform(&state, -1, 1);
        }
        double t = ss_nt_reach(&nt, d, 10);
        for (int i = 0; i < dim; i++) {
            end[i] = nt.lambda[i] + t * d[i];
        }
        CHECK(ss_cone_margin(dim, end) > -1e-12);
        CHECK(t == 10 || fabs(ss_cone_margin(dim, end)) < 1e-12);
        ended += t < 10;
        CHECK(t == 10 || !ss_nt_advance(&nt, 1.001 * t, d, d));
    }
    CHECK(ended > 100);
}

/* margin of lambda + a d with 64 bits of mantissa */
static long double margin_at(const ss_nt *nt, const double *d, double a)
{
    long double x[3] = { 0, 0, 0 };
    for (int i = 0; i < nt->dim; i++) {
        x[i] = nt->lambda[i] + (long double)a * d[i];
    }
    return x[0] - hypotl(x[1], x[2]);
}

/* lambda down to 1e-14 from the boundary, directions of any size, many of them nearly along the boundary: what is left of the
 * cone at the end of the reach is round-off of the point there, and 1 % more leaves it */
TEST(the_reach_never_overshoots_however_near_the_boundary_is)
{
    uint64_t state = 9;
    int ended = 0;
    for (int k = 0; k < 100000; k++) {
        int dim = 2 + k % 2;
        double l = pow(10, uniform(&state, -3, 3)), t = l * (1 - pow(10, uniform(&state, -14, -0.001)));
        double angle = dim == 2 ? 0 : uniform(&state, 0, 6.28), size = pow(10, uniform(&state, -6, 12)), d[3];
        ss_nt nt = { .dim = dim, .lambda = { l, t * cos(angle), t * sin(angle) } };
        if (!(ss_cone_margin(dim, nt.lambda) > 0)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            d[i] = size * uniform(&state, -1, 1);
        }
        d[0] = k % 3 ? d[0] : fabs(d[0]) * pow(10, uniform(&state, -1, 1));
        double a = ss_nt_reach(&nt, d, 1), round_off = 8 * DBL_EPSILON * (l + a * size);
        CHECK(a > 0 && a <= 1);
        CHECK(margin_at(&nt, d, 0.99 * a) > -round_off);
        CHECK(a == 1 || margin_at(&nt, d, 1.01 * a) < round_off);
        ended += a < 1;
    }
    CHECK(ended > 10000);
}

/* steps that leave a cone are refused beforehand, and so are numbers that are none */
TEST(a_step_out_of_the_cone_is_refused)
{
    const double one[3] = { 1, 0, 0 }, in[3] = { 0, 0.5, 0 }, out[3] = { 0, 2, 0 }, none[3] = { NAN, 0, 0 },
                 far[3] = { INFINITY };
    const double *bad[] = { out, none, far };
    ss_nt nt;
    ss_nt_start(&nt, 3, one, one);
    CHECK(ss_nt_admits(&nt, 1, in, in));
    for (int k = 0; k < 3; k++) {
        CHECK(!ss_nt_admits(&nt, 1, in, bad[k]) && !ss_nt_admits(&nt, 1, bad[k], in));
        ss_nt before = nt;
        CHECK(!ss_nt_advance(&nt, 1, in, bad[k]) && memcmp(&before, &nt, sizeof nt) == 0);
    }
}

TEST(division_undoes_the_product)
{
    uint64_t state = 8;
    for (int k = 0; k < 100; k++) {
        int dim = 1 + k % 3;
        double s[3], z[3], x[3], y[3];
        ss_nt nt;
        inner_point(&state, dim, s);
        inner_point(&state, dim, z);
        ss_nt_start(&nt, dim, s, z);
        for (int i = 0; i < 3; i++) {
            x[i] = uniform(&state, -1, 1);
        }
        ss_nt_product(dim, nt.lambda, x, y);
        ss_nt_divide(&nt, y, y);
        for (int i = 0; i < dim; i++) {
            CHECK_NEAR(y[i], x[i], 1e-11); /* lambda is inside by some 1e-2: condition 1e2 to 1e4 */
        }
    }
}

/* s and z run into opposite sides of the boundary, as where a contact slides: s_0 - |s_1| falls to 1e-27 of s_0, far below what
 * s itself can hold, and lambda = (s.z)^1/2 follows */
TEST(points_may_come_as_near_to_the_boundary_as_one_likes)
{
    const double one[3] = { 1, 0, 0 };
    ss_nt nt;
    double s[3], z[3];
    ss_nt_start(&nt, 3, one, one);
    for (int k = 0; k < 60; k++) { /* boosts of s towards (1, t), of z towards (1, -t), lambda halved; t turns a little */
        double l = 0.25 * nt.lambda[0], t[3] = { 0, l * cos(0.01 * k), l * sin(0.01 * k) }, ds[3], dz[3];
        for (int i = 0; i < 3; i++) {
            ds[i] = -0.5 * nt.lambda[i] + t[i];
            dz[i] = -0.5 * nt.lambda[i] - t[i];
        }
        CHECK(ss_nt_advance(&nt, 1, ds, dz));
    }
    ss_nt_points(&nt, s, z);
    double inner = 0;
    for (int i = 0; i < 3; i++) {
        inner += nt.lambda[i] * nt.lambda[i];
    }
    CHECK(nt.stretch > 1e13 && inner < 1e-26 * s[0] * z[0]);
    CHECK_NEAR(hypot(s[1], s[2]) / s[0], 1, 1e-14);
    CHECK_NEAR(hypot(z[1], z[2]) / z[0], 1, 1e-14);
    CHECK_NEAR((s[1] * z[1] + s[2] * z[2]) / (s[0] * z[0]), -1, 1e-14); /* s . z = 0 to the last bit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s_and_z_have_one_scaled_point),
        cmocka_unit_test(a_step_in_scaled_variables_is_the_step_of_s_and_z),
        cmocka_unit_test(the_reach_ends_on_the_boundary),
        cmocka_unit_test(the_reach_never_overshoots_however_near_the_boundary_is),
        cmocka_unit_test(a_step_out_of_the_cone_is_refused),
        cmocka_unit_test(division_undoes_the_product),
        cmocka_unit_test(points_may_come_as_near_to_the_boundary_as_one_likes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
