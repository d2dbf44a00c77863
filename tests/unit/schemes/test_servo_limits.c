/* test_servo_limits.c - several servos with limits in one linearly implicit step: which of them are at their limits is found, or
 * the user is told. */
#include "test.h"
#include "unit/sim/scene_run.h"

static int64_t unsettled(const ss_sim *sim) { return ss_sim_summary(sim)->remark[SS_REMARK_UNSETTLED].steps; }

/* An arm whose last servo overshoots with either limit: with the force of one, its law asks for the other. What it gives is in
 * between, and the law itself says what. */
TEST(a_servo_that_overshoots_with_both_limits_is_at_neither)
{
    static const char *const arm =
        "{\"slipstick\": 1, \"dimension\": 2, \"gravity\": [0, -10], \"time\": {\"until\": 0.5, \"step\": 0.01},"
        " \"scheme\": {\"name\": \"anitescu_potra\"},"
        " \"bodies\": [{\"name\": \"a\", \"mass\": 1.8, \"inertia\": 0.18, \"position\": [0.5, 0]},"
        "  {\"name\": \"b\", \"mass\": 0.85, \"inertia\": 0.085, \"position\": [1.5, 0]},"
        "  {\"name\": \"c\", \"mass\": 1.2, \"inertia\": 0.12, \"position\": [2.5, 0]}],"
        " \"joints\": ["
        "  {\"type\": \"revolute\", \"bodies\": [\"world\", \"a\"], \"at\": [0, 0],"
        "   \"motor\": {\"position\": \"1.5*sin(39*t + 5.6)\", \"stiffness\": 91000, \"damping\": 580, \"max\": 0.12}},"
        "  {\"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [1, 0],"
        "   \"motor\": {\"position\": \"1.9*sin(20*t + 5.4)\", \"stiffness\": 280, \"damping\": 26, \"max\": 0.55}},"
        "  {\"type\": \"revolute\", \"bodies\": [\"b\", \"c\"], \"at\": [2, 0],"
        "   \"motor\": {\"position\": \"1.2*sin(t + 1.3)\", \"stiffness\": 1300, \"damping\": 560, \"max\": 20}}]}";
    scene_run r = open_text(arm, NULL, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.5));
    CHECK(unsettled(r.sim) == 0 && ss_sim_summary(r.sim)->unconverged_steps == 0);
    close_scene(&r);
}

/* Active sets of  min c'x + x'H x/2, x <= 0  that go round in a circle of three, from the full one on
 * [F. E. Curtis, Z. Han, D. P. Robinson, Comput. Optim. Appl. 60 (2015) 311]:  H and c, scaled to a unit diagonal. */
static void cycling(double H[3][3], double c[3])
{
    const double h[3][3] = { { 4, 5, -5 }, { 5, 9, -5 }, { -5, -5, 7 } }, b[3] = { 2, 1, -3 };
    for (int i = 0; i < 3; i++) {
        c[i] = b[i] / sqrt(h[i][i]);
        for (int j = 0; j < 3; j++) {
            H[i][j] = h[i][j] / sqrt(h[i][i] * h[j][j]);
        }
    }
}

/* rows of L, H = L L': three directions with these cosines between them */
static void directions(double H[3][3], double L[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = H[i][j];
            for (int k = 0; k < j; k++) {
                sum -= L[i][k] * L[j][k];
            }
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
}

/* A particle of mass 1 that three servos pull along three lines. They want the speed s, and are at their limit M where x = 0,
 * with f = x + M: the rates after a step are h (H (x + M) + L F) = s - h (H x + c), if L F = c - M H 1 + s/h. */
TEST(servos_that_go_round_in_a_circle_are_remarked)
{
    const double h = 0.01, M = 50, s = 1;
    double H[3][3], c[3], L[3][3] = { 0 }, F[3], rest[3];
    cycling(H, c);
    directions(H, L);
    for (int i = 0; i < 3; i++) { /* forward substitution */
        rest[i] = c[i] - M * (H[i][0] + H[i][1] + H[i][2]) + s / h;
        F[i] = rest[i];
        for (int j = 0; j < i; j++) {
            F[i] -= L[i][j] * F[j];
        }
        F[i] /= L[i][i];
    }
    char text[2000], *at = text;
    at += sprintf(at,
                  "{\"slipstick\": 1, \"dimension\": 3, \"length_scale\": 1, \"time\": {\"until\": 1, \"step\": %g}, \"scheme\": "
                  "{\"name\": \"anitescu_potra\"}, \"bodies\": [{\"name\": \"p\", \"type\": \"particle\", \"mass\": 1, "
                  "\"position\": [0, 0, 0]}], \"forces\": [{\"type\": \"constant\", \"body\": \"p\", \"force\": [%.17g, %.17g, "
                  "%.17g]}], \"joints\": [",
                  h, F[0], F[1], F[2]);
    for (int i = 0; i < 3; i++) {
        at +=
            sprintf(at,
                    "%s{\"type\": \"distance\", \"bodies\": [\"world\", \"p\"], \"anchors\": [[%.17g, %.17g, %.17g], [0, 0, 0]], "
                    "\"limits\": [0, 2000], \"motor\": {\"speed\": %g, \"damping\": 1e6, \"max\": %g}}",
                    i > 0 ? ", " : "", -1000 * L[i][0], -1000 * L[i][1], -1000 * L[i][2], s, M);
    }
    strcpy(at, "]}");
    scene_run r = open_text(text, NULL, NULL, NAN);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, h));
    CHECK(unsettled(r.sim) == 1 && ss_sim_summary(r.sim)->unconverged_steps == 1);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_servo_that_overshoots_with_both_limits_is_at_neither),
        cmocka_unit_test(servos_that_go_round_in_a_circle_are_remarked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
