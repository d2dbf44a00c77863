/* test_cone_ipm_infeasible.c - the interior point method on problems that nothing obeys, and on bodies that are wedged. */
#include "problem/residual.h"
#include "unit/problem/small_problem.h"
#include "unit/solvers/convex_system.h"
#include "unit/solvers/solve_by.h"

/* ---- no solution, or too many ----------------------------------------------------------------- */

/* Contact 1 asks for a velocity of at least 2, a joint for -1; contact 0 has nothing to do with it */
static void squeezed(small_problem *y, ss_context *ctx, double wanted, double scale)
{
    const double mass[] = { scale, scale }, other[] = { 0, 1 }, row[] = { 1, 0 }, v[] = { 0, -1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, mass, false);
    sp_block(y, 1, mass, false);
    sp_joint(y, row, -1);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, other, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
    y->w[1] = -wanted;
    sp_motion(y, v, NULL);
}

TEST(a_contact_that_no_velocity_obeys_is_reported_as_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    for (double scale = 1e-6; scale < 1e7; scale *= 1e3) {
        small_problem y;
        ss_solver_info info;
        squeezed(&y, ctx, 2, scale);
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst == 1);
        CHECK(strcmp(ss_outcome_name(info.outcome), "infeasible") == 0);
        sp_close(&y);

        squeezed(&y, ctx, -1, scale); /* u = v + 1 = 0: just possible, and the impulse is free */
        CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        CHECK_NEAR(y.v[0], -1, 1e-9);
        CHECK_NEAR(y.v[1], 0, 1e-9);
        sp_close(&y);
    }
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(contradicting_walls_and_joints_are_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1, 1, 1 }, up[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, down[] = { -1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const double v[] = { -1, 0.5, 0 };
    sp_open(&y, ctx, 3); /* between two walls that close in on each other */
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, up, 0, NULL);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, down, 0, NULL);
    y.w[0] = y.w[3] = -1e-3;
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst >= 0);

    y.w[0] = y.w[3] = 0; /* wedged: possible only at rest, with impulses that have no limit */
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(y.v[i], 0, 1e-8); /* impulses may be large: ten times the tolerance for each power of ten */
    }
    sp_close(&y);

    sp_open(&y, ctx, 2); /* joints alone that contradict each other */
    sp_block(&y, 1, mass, false);
    sp_joint(&y, up, 1);
    sp_joint(&y, up, 2);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, up, 0, NULL);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst == -1); /* no contact is to blame */
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* u_0 = v_l - 1 >= 0 and u_1 = slope v_h - v_l >= 0: a light body that must move drives a heavy one up a slope, by impulses of
 * 1/slope^2. v = (1, 1/slope). */
static void wedge(small_problem *y, ss_context *ctx, double ratio, double slope)
{
    const double light[] = { 1 / ratio }, heavy[] = { 1 }, push[] = { 1, 0 }, wedge[] = { -1, slope }, v[] = { 0, 0 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, light, false);
    sp_block(y, 1, heavy, false);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, push, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, wedge, 0, NULL);
    y->w[0] = -1;
    sp_motion(y, v, NULL);
}

/* slope/sqrt(ratio) is how far the impulses are from cancelling: below 1e-10 nobody can tell. Impulses are ratio/slope^2 times
 * the velocities here: relative to impulses alone, an error of the light body's velocity would not be seen. */
TEST(wedges_are_neither_called_infeasible_nor_solved_with_wrong_velocities)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    int outcomes[SS_BREAKDOWN + 1] = { 0 };
    for (double ratio = 1; ratio < 1e17; ratio *= 10) {
        for (double slope = 1; slope > 1e-9; slope *= 0.1) {
            small_problem y;
            ss_solver_info info;
            wedge(&y, ctx, ratio, slope);
            CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
            CHECK(info.outcome != SS_INFEASIBLE || slope / sqrt(ratio) < 1e-10);
            CHECK(info.outcome == SS_CONVERGED || ratio / (slope * slope) > 2e12); /* 1/prox */
            if (info.outcome == SS_CONVERGED || ss_residual_worst(&info.residual) <= 1e-10) {
                CHECK_NEAR(y.v[0], 1, 1e-5); /* root of the gap that is aimed at */
                CHECK_NEAR(slope * y.v[1], 1, 1e-5);
            }
            outcomes[info.outcome]++;
            sp_close(&y);
        }
    }
    CHECK(outcomes[SS_MAX_ITER] > 0); /* too hard, and said to be */
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* a random system, and the first contact once more from the other side: the two close in on each other by `closing` */
static void draw_vice(ss_context *ctx, random_system *y, uint64_t seed, double closing)
{
    draw(ctx, y, seed, seed % 2 ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, 2);
    int k = y->p.nc++, rows = y->row[1], directions = y->dir[1];
    y->law[0] = y->law[0] == SS_LAW_BOUNDED ? SS_LAW_UNILATERAL : y->law[0];
    y->law[k] = y->law[0];
    y->mu[0] = y->law[0] == SS_LAW_UNILATERAL ? 0 : y->mu[0];
    y->mu[k] = y->mu[0];
    rs_contact_rows(ctx, y, rows, 0, -1);
    y->row[k + 1] = y->row[k] + rows;
    y->dir[k + 1] = y->dir[k] + directions;
    memcpy(y->direction + 2 * y->dir[k], y->direction, 2 * (size_t)directions * sizeof *y->direction);
    memset(y->w + y->row[k], 0, (size_t)rows * sizeof *y->w);
    y->w[0] = y->w[y->row[k]] = -0.5 * closing;
    rs_wire(y);
}

/* whatever else happens in the same island; a few in a hundred are given up, none is solved */
TEST(a_vice_among_innocent_contacts_is_infeasible)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    int count = systems(100, 1000);
    for (double closing = 1; closing > 1e-7; closing *= 1e-2) {
        int found = 0;
        for (int k = 1; k <= count; k++) {
            ss_solver_info info;
            draw_vice(ctx, y, (uint64_t)k, closing);
            CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
            CHECK(info.outcome != SS_CONVERGED);
            found += info.outcome == SS_INFEASIBLE;
        }
        CHECK(found >= count - count / 10 - 1);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_no_velocity_obeys_is_reported_as_infeasible),
        cmocka_unit_test(contradicting_walls_and_joints_are_infeasible),
        cmocka_unit_test(wedges_are_neither_called_infeasible_nor_solved_with_wrong_velocities),
        cmocka_unit_test(a_vice_among_innocent_contacts_is_infeasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
