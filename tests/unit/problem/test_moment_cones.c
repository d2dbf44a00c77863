/* test_moment_cones.c - moments of rolling friction that make one cone with an associated host, and moments along one axis alone.
 *
 * Oracles: r in K, u in the dual of K and u . r = 0, K = { |r_T| <= mu r_N, |m_i| <= mu_i r_N }; what one row along the axis has;
 * differences. */
#include "math/cones.h"
#include "problem/contact_law.h"
#include "problem/law_map.h"
#include "problem/one_contact.h"
#include "small_problem.h"
#include "solvers/solver.h"

static double any(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

/* ---- one cone ----------------------------------------------------------------------------------- */

/* a body on a floor with rolling and spinning friction, by an associated law; the arm of the contact is random, the lengths of
 * the moments are `size`, and ten times as much or less */
static void open_cone(small_problem *y, ss_context *ctx, uint64_t *seed, int *host, unsigned law, double size)
{
    static const double polygon[8] = { 1, 0, 0, 1, -1, 0, 0, -1 };
    const double mass[6] = { 1, 1, 1, 0.2, 0.3, 0.4 };
    double H[18] = { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 }, v[6];
    const double rolls[12] = { 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 }, spins[6] = { 0, 0, 0, 1, 0, 0 };
    for (int i = 0; i < 6; i++) {
        H[6 * (i % 3) + 3 + i / 3] = 0.5 * any(seed);
        v[i] = 2 * any(seed) - (i == 0);
    }
    sp_open(y, ctx, 3);
    sp_block(y, 6, mass, false);
    sp_contact(y, law, 0.6, 3, H, law == SS_LAW_ASSOCIATED_POLYHEDRAL ? 4 : 0, polygon);
    sp_contact(y, SS_LAW_ROLLING, size * pow(10, any(seed)), 2, rolls, 0, NULL);
    sp_contact(y, SS_LAW_ROLLING, size * pow(10, any(seed)), 1, spins, 0, NULL);
    y->p.host = host;
    sp_motion(y, v, NULL);
}

/* |u_T| as the cone measures it */
static double slip_of(const small_problem *y)
{
    return y->law[0] == SS_LAW_ASSOCIATED ? hypot(y->u[1], y->u[2]) : fmax(fabs(y->u[1]), fabs(y->u[2]));
}

static void check_cone(const small_problem *y, double off)
{
    const double *r = y->r, *u = y->u, turn = y->mu[1] * hypot(u[3], u[4]) + y->mu[2] * fabs(u[5]);
    const double friction = y->law[0] == SS_LAW_ASSOCIATED ? hypot(r[1], r[2]) : fabs(r[1]) + fabs(r[2]);
    double work = 0;
    for (int i = 0; i < 6; i++) {
        work += r[i] * u[i];
    }
    CHECK(friction <= 0.6 * r[0] + off && hypot(r[3], r[4]) <= y->mu[1] * r[0] + off && fabs(r[5]) <= y->mu[2] * r[0] + off);
    CHECK(u[0] >= 0.6 * slip_of(y) + turn - off);
    CHECK_NEAR(work, 0, off);
}

/* How often contacts press and roll, press and stick, and leave. */
typedef struct seen {
    int rolls, sticks, leaves;
} seen;

static void solve_cones(const char *name, unsigned law, double size, int count, seen *out)
{
    ss_context *ctx = test_context();
    uint64_t seed = 21;
    int host[3] = { 0, 0, 0 };
    for (int k = 0; k < count; k++) {
        small_problem y;
        ss_solver *solver;
        ss_solver_info info;
        open_cone(&y, ctx, &seed, host, law, size);
        CHECK_OK(ctx, ss_solver_create(ctx, &(ss_solver_options){ .name = name, .tol = 1e-10 }, &solver));
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED && info.residual.classical < 1e-8);
        check_cone(&y, 1e-7 * size); /* 100 times the tolerance, on moments of up to 10 `size` times the normal impulse */
        const double turn = hypot(y.u[3], y.u[4]);
        out->rolls += y.r[0] > 1e-6 && turn > 1e-6;
        out->sticks += y.r[0] > 1e-6 && turn < 1e-8;
        out->leaves += y.r[0] == 0;
        ss_solver_destroy(solver);
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

/* with lengths of up to twenty times the body's, too: moments then move the normal more than the contact itself does */
TEST(a_contact_with_an_associated_law_makes_one_cone_with_its_moments)
{
    seen all = { 0 };
    solve_cones("nsgs", SS_LAW_ASSOCIATED, 1, 200, &all);
    solve_cones("auto", SS_LAW_ASSOCIATED, 1, 200, &all);
    solve_cones("alm", SS_LAW_ASSOCIATED, 1, 200, &all);
    solve_cones("alm", SS_LAW_ASSOCIATED, 0.05, 200, &all);
    solve_cones("auto", SS_LAW_ASSOCIATED_POLYHEDRAL, 1, 100, &all);
    CHECK(all.rolls > 200 && all.sticks > 100 && all.leaves > 10);
}

/* the certificate sees a contact that moments ought to lift */
TEST(a_contact_that_its_moments_do_not_lift_is_not_certified)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_residual residual;
    const double mass[3] = { 1, 1, 1 }, H[6] = { 1, 0, 0, 0, 1, 0 }, turns[3] = { 0, 0, 1 };
    int host[2] = { 0, 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 2, H, 0, NULL);
    sp_contact(&y, SS_LAW_ROLLING, 0.1, 1, turns, 0, NULL);
    y.p.host = host;
    sp_motion(&y, (const double[]){ 0, 0, 2 }, NULL);
    y.v[2] = 2; /* it turns, presses on nothing and does not rise: u_N = 0 < 0.1 |w| */
    CHECK_OK(ctx, ss_problem_residual(ctx, &y.p, &y.s, &residual));
    CHECK(residual.contact > 0.01 && residual.classical > 0.01);
    y.law[0] = SS_LAW_COULOMB; /* which asks for no more than u_N >= 0 */
    CHECK_OK(ctx, ss_problem_residual(ctx, &y.p, &y.s, &residual));
    CHECK(residual.contact == 0);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- along an axis ------------------------------------------------------------------------------ */

/* what a moment of one row along the axis has */
TEST(a_moment_along_an_axis_is_that_of_one_row)
{
    uint64_t seed = 31;
    int inside = 0;
    for (int k = 0; k < 2000; k++) {
        const double angle = 3 * any(&seed), e[2] = { cos(angle), sin(angle) }, a = any(&seed), bound = ss_random_uniform(&seed);
        const double W[4] = { 1, 0.5 * a, 0.5 * a, 1.5 }, q[2] = { any(&seed), any(&seed) }, t = any(&seed);
        const double w = e[0] * (W[0] * e[0] + W[1] * e[1]) + e[1] * (W[2] * e[0] + W[3] * e[1]), f = q[0] * e[0] + q[1] * e[1];
        const ss_one_contact two = { .law = SS_LAW_ROLLING,
                                     .rows = 2,
                                     .W = { W[0], W[1], W[2], W[3] },
                                     .d = 1.25,
                                     .direction = e },
                             one = { .law = SS_LAW_ROLLING, .rows = 1, .W = { w }, .d = w };
        double r[2] = { t * e[0], t * e[1] }, alone = t;
        const double u[2] = { q[0] + W[0] * r[0] + W[1] * r[1], q[1] + W[2] * r[0] + W[3] * r[1] }, own = f + w * t;
        CHECK(ss_one_moment_solve(&two, bound, u, r) && ss_one_moment_solve(&one, bound, &own, &alone));
        CHECK_NEAR(r[0], alone * e[0], 1e-14);
        CHECK_NEAR(r[1], alone * e[1], 1e-14);
        inside += fabs(alone) < bound;
    }
    CHECK(inside > 100 && inside < 1900);
}

TEST(the_map_of_a_moment_along_an_axis_is_its_projection_and_agrees_with_differences)
{
    const double step = 1e-6, e[2] = { 0.6, -0.8 };
    uint64_t seed = 32;
    for (int k = 0; k < 200; k++) {
        const double y[2] = { 2 * any(&seed), 2 * any(&seed) }, bound = 0.2 + ss_random_uniform(&seed);
        double r[2], D[4], unused[4], nearest[2] = { y[0], y[1] };
        const bool rim = fabs(fabs(y[0] * e[0] + y[1] * e[1]) - bound) < 10 * step; /* a kink */
        ss_moment_map(2, bound, e, y, r, D);
        ss_law_project(SS_LAW_ROLLING, 2, bound, 2, (const double[]){ e[0], e[1], -e[0], -e[1] }, nearest);
        CHECK_NEAR(r[0], nearest[0], 1e-15);
        CHECK_NEAR(r[1], nearest[1], 1e-15);
        for (int j = 0; j < 2 && !rim; j++) {
            double plus[2] = { y[0], y[1] }, minus[2] = { y[0], y[1] }, up[2], down[2];
            plus[j] += step;
            minus[j] -= step;
            ss_moment_map(2, bound, e, plus, up, unused);
            ss_moment_map(2, bound, e, minus, down, unused);
            for (int i = 0; i < 2; i++) {
                CHECK_NEAR(D[2 * i + j], (up[i] - down[i]) / (2 * step), 1e-8);
            }
        }
    }
}

/* both solvers hold a moment to its axis */
TEST(solvers_keep_a_moment_on_its_axis)
{
    static const char *const names[] = { "nsgs", "alm", "auto" };
    static const double axis[4] = { 0.6, 0.8, -0.6, -0.8 };
    ss_context *ctx = test_context();
    const double mass[3] = { 1, 2, 4 }, normal[3] = { 1, 0, 0 }, turns[6] = { 0, 1, 0, 0, 0, 1 };
    int host[2] = { 0, 0 };
    for (int k = 0; k < 3; k++) {
        small_problem y;
        ss_solver *solver;
        ss_solver_info info;
        sp_open(&y, ctx, 3);
        sp_block(&y, 3, mass, false);
        sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, normal, 0, NULL);
        sp_contact(&y, SS_LAW_ROLLING, 0.5, 2, turns, 2, axis);
        y.p.host = host;
        sp_motion(&y, (const double[]){ -1, 0, 3 }, NULL);
        CHECK_OK(ctx, ss_solver_create(ctx, &(ss_solver_options){ .name = names[k], .tol = 1e-10 }, &solver));
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK_NEAR(y.r[1], -0.3, 1e-9);
        CHECK_NEAR(y.r[2], -0.4, 1e-9);
        ss_solver_destroy(solver);
        y.p.direction[0] = 0.7;
        CHECK_FAILS(ctx, ss_problem_check(ctx, &y.p), SS_ERR_INPUT, "expected none, or d and -d of length 1");
        sp_close(&y);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_with_an_associated_law_makes_one_cone_with_its_moments),
        cmocka_unit_test(a_contact_that_its_moments_do_not_lift_is_not_certified),
        cmocka_unit_test(a_moment_along_an_axis_is_that_of_one_row),
        cmocka_unit_test(the_map_of_a_moment_along_an_axis_is_its_projection_and_agrees_with_differences),
        cmocka_unit_test(solvers_keep_a_moment_on_its_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
