/* test_cone_derivatives.c - the maps of contact impulses: their values against cones.c and the laws, their Jacobians
 * against differences. */
#include "test.h"

#include "base/base.h"
#include "math/cones.h"
#include "problem/cone_derivatives.h"

enum { POINTS = 4000, SIDES = 6 };

typedef struct sample {
    int dim;
    double mu, d[2 * SIDES], y[3];
} sample;

typedef void (*map)(const sample *s, const double *y, double *p, double *D);

static void cone_circle(const sample *s, const double *y, double *p, double *D) { ss_cone_map_circular(s->dim, s->mu, y, p, D); }

static void cone_polygon(const sample *s, const double *y, double *p, double *D)
{
    ss_cone_map_polygonal(s->dim, s->mu, SIDES, s->d, y, p, D);
}

static void friction_circle(const sample *s, const double *y, double *p, double *D)
{
    ss_friction_map_circular(s->dim, s->mu, y, p, D);
}

static void friction_polygon(const sample *s, const double *y, double *p, double *D)
{
    ss_friction_map_polygonal(s->dim, s->mu, SIDES, s->d, y, p, D);
}

static const map maps[] = { cone_circle, cone_polygon, friction_circle, friction_polygon };

static sample draw(uint64_t *state)
{
    sample s = { .dim = 2 + (int)(ss_random_u64(state) % 2), .mu = 2 * ss_random_uniform(state) };
    double turn = ss_random_uniform(state), squeeze = 0.3 + 0.7 * ss_random_uniform(state);
    for (int k = 0; k < SIDES; k++) {
        double angle = turn + 2 * acos(-1) * (k % (SIDES / 2)) / SIDES, sign = k < SIDES / 2 ? 1 : -1;
        s.d[2 * k] = s.dim == 2 ? sign : sign * cos(angle);
        s.d[2 * k + 1] = s.dim == 2 ? 0 : sign * squeeze * sin(angle);
    }
    for (int i = 0; i < 3; i++) {
        s.y[i] = i < s.dim ? 4 * ss_random_uniform(state) - 2 : 0;
    }
    return s;
}

/* the largest difference between D and central differences over a step, -1 if a kink lies within the step */
static double mismatch(map f, const sample *s, double step)
{
    double p[3] = { 0 }, D[9], near[2][3], E[2][9], worst = 0;
    f(s, s->y, p, D);
    for (int j = 0; j < s->dim; j++) {
        for (int side = 0; side < 2; side++) {
            double y[3] = { s->y[0], s->y[1], s->y[2] };
            y[j] += side == 0 ? -step : step;
            f(s, y, near[side], E[side]);
            for (int i = 0; i < s->dim * s->dim; i++) {
                if (fabs(E[side][i] - D[i]) > 100 * step) { /* D is smooth with slopes of a few units between kinks */
                    return -1;
                }
            }
        }
        for (int i = 0; i < s->dim; i++) {
            worst = fmax(worst, fabs((near[1][i] - near[0][i]) / (2 * step) - D[i * s->dim + j]));
        }
    }
    return worst;
}

TEST(jacobians_match_differences_away_from_kinks)
{
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
        uint64_t state = 11 + m;
        int smooth = 0;
        for (int k = 0; k < POINTS; k++) {
            sample s = draw(&state);
            double off = mismatch(maps[m], &s, 1e-5);
            smooth += off >= 0;
            CHECK(off < 1e-6); /* step^2 times third derivatives, which reach 1/|y_T|^2; round-off 1e-16/1e-5 */
        }
        CHECK(smooth > POINTS * 9 / 10);
    }
}

TEST(cone_maps_are_the_projections)
{
    uint64_t state = 5;
    for (int k = 0; k < POINTS; k++) {
        sample s = draw(&state);
        double p[3], D[9], circle[3] = { s.y[0], s.y[1], s.y[2] }, polygon[3] = { s.y[0], s.y[1], s.y[2] };
        ss_cone_project_circular(s.dim, s.mu, circle);
        ss_cone_project_polygonal(s.dim, s.mu, SIDES, s.d, polygon);
        cone_circle(&s, s.y, p, D);
        for (int i = 0; i < s.dim; i++) {
            CHECK_NEAR(p[i], circle[i], 0); /* the same function */
        }
        cone_polygon(&s, s.y, p, D);
        for (int i = 0; i < s.dim; i++) {
            CHECK_NEAR(p[i], polygon[i], 4e-16); /* in the plane by another order of products */
        }
    }
}

/* p of the map and u = p - y: u_N >= 0, u_N p_N = 0, p_T in R C, and -u_T . p_T the largest over R C */
TEST(friction_maps_obey_coulombs_law)
{
    uint64_t state = 17;
    for (int k = 0; k < POINTS; k++) {
        sample s = draw(&state);
        for (int m = 2; m < 4; m++) {
            double p[3] = { 0 }, D[9], power = 0, most = 0;
            maps[m](&s, s.y, p, D);
            double u[3] = { p[0] - s.y[0], p[1] - s.y[1], s.dim == 3 ? p[2] - s.y[2] : 0 };
            power = -(u[1] * p[1] + u[2] * p[2]);
            most = m == 2 ? hypot(u[1], u[2]) : ss_polygon_slip(s.dim, SIDES, s.d, u + 1);
            CHECK(p[0] >= 0 && u[0] >= 0 && u[0] * p[0] == 0);
            CHECK_NEAR(power, s.mu * p[0] * most, 1e-14); /* values of a few units */
            if (m == 3 && s.dim == 3) {
                CHECK(ss_polygon_gauge(SIDES, s.d, p + 1) <= s.mu * p[0] * (1 + 1e-14) + 1e-300);
            } else {
                CHECK(hypot(p[1], p[2]) <= s.mu * p[0] * (1 + 1e-15));
            }
        }
    }
}

TEST(degenerate_polygons_and_no_friction_are_harmless)
{
    double p[3], D[9], y[3] = { 1, 0.3, 2 }, line[4] = { 1, 0, -1, 0 };
    ss_friction_map_polygonal(3, 1, 2, line, y, p, D); /* a segment: across it there is no friction */
    CHECK_NEAR(p[1], 0.3, 1e-16);
    CHECK_NEAR(p[2], 0, 0);
    CHECK_NEAR(D[4], 1, 1e-15);
    CHECK_NEAR(D[8], 0, 1e-15);
    ss_friction_map_polygonal(3, 0, 2, line, y, p, D);
    CHECK(p[0] == 1 && p[1] == 0 && p[2] == 0 && D[0] == 1 && D[3] == 0 && D[6] == 0);
    ss_friction_map_polygonal(3, 1, 0, NULL, y, p, D);
    CHECK(p[0] == 1 && p[1] == 0 && p[2] == 0);
    ss_friction_map_circular(3, 0, y, p, D);
    CHECK(p[0] == 1 && p[1] == 0 && p[2] == 0 && D[0] == 1 && D[4] == 0);
    ss_cone_map_circular(3, 0, y, p, D);
    CHECK(p[0] == 1 && p[1] == 0 && p[2] == 0 && D[0] == 1 && D[4] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_match_differences_away_from_kinks),
        cmocka_unit_test(cone_maps_are_the_projections),
        cmocka_unit_test(friction_maps_obey_coulombs_law),
        cmocka_unit_test(degenerate_polygons_and_no_friction_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
