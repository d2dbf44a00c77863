/* test_nsgs_piles.c - Gauss-Seidel on piles: weight, momentum, threads, warm starts, limits.
 *
 * Piles are spheres of radius 1/2 on a grid that touch their neighbours, which is hyperstatic. */
#include "unit/solvers/pile.h"
#include "unit/solvers/solve_by.h"

/* ---- piles: momentum, threads, warm starts ---------------------------------------------------- */

TEST(a_resting_pile_carries_its_weight)
{
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 4, 6, SS_LAW_COULOMB, 0);
    ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s);
    CHECK(info.outcome == SS_CONVERGED);
    double weight = 0, carried = 0;
    for (int k = 0; k < 96; k++) {
        weight -= y.b[6 * k + 2];
    }
    for (int k = 0; k < y.p.nc; k++) { /* contacts with the floor touch one ball */
        carried += y.p.H.p[3 * k + 1] - y.p.H.p[3 * k] == 1 ? y.s.r[3 * k] : 0;
    }
    CHECK_NEAR(carried / weight, 1, 1e-9); /* ten times tol */
    for (int i = 0; i < y.p.nv; i++) {
        CHECK_NEAR(y.s.v[i], 0, 1e-9);
    }
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(momentum_saves_most_of_the_sweeps_of_a_high_pile)
{
    ss_context *ctx = test_context();
    const ss_setting plain[] = { { .key = "momentum", .text = "false" }, { .key = "patience", .number = 1e8 }, { .key = NULL } };
    pile y;
    pile_make(ctx, &y, 2, 30, SS_LAW_ASSOCIATED, 0);
    ss_solver *with = create(ctx, "nsgs", 1e-8, 0, NULL), *without = create(ctx, "nsgs", 1e-8, 0, plain);
    ss_solver_info a = solve(ctx, with, &y.p, &y.s), b = solve(ctx, without, &y.p, &y.s);
    print_message("30 layers: %d sweeps with momentum, %d without\n", a.iterations, b.iterations);
    CHECK(a.outcome == SS_CONVERGED && 3 * a.iterations < b.iterations);
    ss_solver_destroy(with);
    ss_solver_destroy(without);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(hundreds_of_extrapolated_sweeps_keep_impulses_and_velocities_together)
{
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 6, 6, SS_LAW_COULOMB, 1);
    ss_solver_info info = solve_by(ctx, "nsgs", 1e-10, &y.p, &y.s);
    print_message("pushed pile: %d sweeps\n", info.iterations);
    CHECK(info.outcome == SS_CONVERGED && info.iterations < 2000);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

/* islands are coloured above a tolerance of 1e-5, and their contacts visited by fours */
TEST(four_contacts_at_once_solve_what_one_at_a_time_solves)
{
    ss_context *ctx = test_context();
    const ss_setting coloured[] = { { .key = "colour_above", .number = 0 }, { .key = NULL } };
    pile y;
    pile_make(ctx, &y, 6, 6, SS_LAW_ASSOCIATED, 1); /* a strictly convex program: one velocity */
    ss_solver *one = create(ctx, "nsgs", 1e-9, 0, NULL), *four = create(ctx, "nsgs", 1e-9, 0, coloured);
    double v[6 * 216];
    ss_solver_info a = solve(ctx, one, &y.p, &y.s);
    memcpy(v, y.s.v, sizeof v);
    ss_solver_info b = solve(ctx, four, &y.p, &y.s);
    print_message("%d sweeps contact by contact, %d by fours\n", a.iterations, b.iterations);
    CHECK(a.outcome == SS_CONVERGED && b.outcome == SS_CONVERGED && b.iterations < 3 * a.iterations);
    for (int i = 0; i < y.p.nv; i++) {
        CHECK_NEAR(y.s.v[i], v[i], 1e-6); /* residuals of 1e-9 times the condition of the pile */
    }
    ss_solver_destroy(one);
    ss_solver_destroy(four);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

/* tol: tight, or above 1e-5, where records are in single precision. Height 5: 5600 contacts, classes of several ranges; 60: many,
 * in tiles */
static void check_threads(double tol, int height)
{
    const ss_setting coloured[] = { { .key = "colour_above", .number = 0 }, { .key = NULL } };
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 20, height, SS_LAW_COULOMB, 1);
    size_t bytes = (size_t)y.row[y.p.nc] * sizeof(double);
    double *first = malloc(bytes);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(ctx, threads);
        ss_solver *solver = create(ctx, "nsgs", tol, 40, coloured);
        CHECK(solve(ctx, solver, &y.p, &y.s).iterations > 20);
        if (threads == 1) {
            memcpy(first, y.s.r, bytes);
        }
        CHECK(memcmp(first, y.s.r, bytes) == 0);
        ss_solver_destroy(solver);
    }
    free(first);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(the_same_bits_for_any_number_of_threads) { check_threads(1e-8, 5); }

TEST(the_same_bits_for_any_number_of_threads_in_single_precision) { check_threads(2e-5, 5); }

TEST(the_same_bits_for_any_number_of_threads_in_tiles) { check_threads(2e-5, 60); }

/* Masses times `mass`, velocities times `speed`: units in which single precision has no such numbers. */
static void check_units(double mass, double speed)
{
    ss_context *ctx = test_context();
    pile y;
    double v[6 * 216];
    pile_make(ctx, &y, 6, 6, SS_LAW_ASSOCIATED, 1);
    CHECK(solve_by(ctx, "nsgs", 2e-5, &y.p, &y.s).outcome == SS_CONVERGED);
    memcpy(v, y.s.v, sizeof v);
    for (int i = 0; i < 36 * 216; i++) {
        y.M[i] *= mass;
    }
    for (int i = 0; i < y.p.nv; i++) {
        y.b[i] *= mass * speed;
    }
    CHECK(solve_by(ctx, "nsgs", 2e-5, &y.p, &y.s).outcome == SS_CONVERGED);
    for (int i = 0; i < y.p.nv; i++) {
        CHECK_NEAR(y.s.v[i] / speed, v[i], 1e-2); /* tolerances of 2e-5 times the condition of the pile */
    }
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(units_of_mass_and_velocity_may_be_out_of_all_proportion)
{
    check_units(0x1p+140, 1);
    check_units(0x1p-140, 1);
    check_units(1, 0x1p+130);
    check_units(1, 0x1p-130);
}

/* ranges of contacts that threads take begin in the middle of four contacts that are visited at once */
TEST(fours_on_the_border_of_two_ranges_are_solved_like_others)
{
    const ss_setting coloured[] = { { .key = "colour_above", .number = 0 }, { .key = NULL } };
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 19, 5, SS_LAW_COULOMB, 1);
    ss_solver *solver = create(ctx, "nsgs", 1e-4, 0, coloured);
    CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
    ss_solver_destroy(solver);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(colours_change_the_way_but_not_the_velocities)
{
    const ss_setting coloured[] = { { .key = "colour_above", .number = 0 }, { .key = NULL } };
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 4, 4, SS_LAW_ASSOCIATED, 1); /* convex: one velocity */
    double v[6 * 64];
    ss_solver *solver = create(ctx, "nsgs", 1e-11, 0, coloured);
    CHECK(solve_by(ctx, "nsgs", 1e-11, &y.p, &y.s).outcome == SS_CONVERGED);
    memcpy(v, y.s.v, sizeof v);
    CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
    for (int i = 0; i < y.p.nv; i++) {
        CHECK_NEAR(y.s.v[i], v[i], 1e-8); /* strictly convex in v: the root of tol at worst, here far better */
    }
    ss_solver_destroy(solver);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(an_unchanged_problem_costs_no_sweep_and_no_memory)
{
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 4, 4, SS_LAW_COULOMB, 0);
    ss_solver *solver = create(ctx, "nsgs", 1e-10, 0, NULL);
    CHECK(solve(ctx, solver, &y.p, &y.s).iterations > 1);
    y.s.warm = true;
    CHECK(solve(ctx, solver, &y.p, &y.s).iterations == 0);
    y.s.warm = false;
    solve(ctx, solver, &y.p, &y.s);
    uint64_t before = ss_context_allocations(ctx);
    CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
    y.s.warm = true;
    CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
    CHECK(ss_context_allocations(ctx) == before);
    ss_solver_destroy(solver);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(a_guess_that_is_nearly_right_saves_sweeps_and_one_that_is_no_number_is_ignored)
{
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 3, 8, SS_LAW_COULOMB, 0);
    ss_solver *solver = create(ctx, "nsgs", 1e-10, 0, NULL);
    int cold = solve(ctx, solver, &y.p, &y.s).iterations;
    for (int i = 0; i < y.p.nv; i++) {
        y.b[i] *= 1 + 1e-7;
    }
    y.s.warm = true;
    ss_solver_info warm = solve(ctx, solver, &y.p, &y.s);
    CHECK(warm.outcome == SS_CONVERGED && 2 * warm.iterations < cold);
    y.s.r[4] = NAN;
    y.s.r[7] = INFINITY;
    CHECK(solve(ctx, solver, &y.p, &y.s).outcome == SS_CONVERGED);
    ss_solver_destroy(solver);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

/* sweeps from impulses that are wrong by 3 tol; their residual is between a tenth of tol and tol */
static ss_solver_info solve_from_nearly(ss_context *ctx, double tol)
{
    pile y;
    pile_make(ctx, &y, 3, 3, SS_LAW_COULOMB, 0);
    CHECK(solve_by(ctx, "nsgs", 1e-3 * tol, &y.p, &y.s).outcome == SS_CONVERGED);
    for (int i = 0; i < y.row[y.p.nc]; i++) {
        y.s.r[i] *= 1 + 3 * tol;
    }
    y.s.warm = true;
    solve_by(ctx, "nsgs", 10 * tol, &y.p, &y.s); /* no sweep: the velocities of these impulses */
    double *before = malloc((size_t)y.p.nv * sizeof *before);
    memcpy(before, y.s.v, (size_t)y.p.nv * sizeof *before);
    y.p.v_old = before; /* as after a step that was wrong by as much */
    ss_solver_info info = solve_by(ctx, "nsgs", tol, &y.p, &y.s);
    free(before);
    pile_free(ctx, &y);
    return info;
}

TEST(errors_of_a_pile_at_rest_are_taken_away_before_they_reach_a_tight_tolerance)
{
    ss_context *ctx = test_context();
    ss_solver_info tight = solve_from_nearly(ctx, 1e-8), loose = solve_from_nearly(ctx, 1e-4);
    print_message("sweeps %d, residual %.1e; %d, %.1e\n", tight.iterations, tight.residual.contact, loose.iterations,
                  loose.residual.contact);
    CHECK(tight.iterations > 0 && tight.residual.contact < 1e-9);
    CHECK(loose.iterations == 0 && loose.residual.contact > 1e-5);
    ss_context_destroy(ctx);
}

TEST(the_limit_on_sweeps_is_kept_and_the_certificate_is_that_of_what_is_returned)
{
    ss_context *ctx = test_context();
    pile y;
    pile_make(ctx, &y, 3, 10, SS_LAW_COULOMB, 0.2);
    ss_solver *solver = create(ctx, "nsgs", 1e-10, 7, NULL);
    ss_solver_info info = solve(ctx, solver, &y.p, &y.s);
    ss_residual own;
    CHECK(info.outcome == SS_MAX_ITER && info.iterations == 7 && info.residual.contact > 1e-10);
    CHECK_OK(ctx, ss_problem_residual(ctx, &y.p, &y.s, &own));
    CHECK(own.contact == info.residual.contact && own.momentum == info.residual.momentum);
    ss_solver_destroy(solver);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resting_pile_carries_its_weight),
        cmocka_unit_test(momentum_saves_most_of_the_sweeps_of_a_high_pile),
        cmocka_unit_test(hundreds_of_extrapolated_sweeps_keep_impulses_and_velocities_together),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads_in_single_precision),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads_in_tiles),
        cmocka_unit_test(units_of_mass_and_velocity_may_be_out_of_all_proportion),
        cmocka_unit_test(fours_on_the_border_of_two_ranges_are_solved_like_others),
        cmocka_unit_test(colours_change_the_way_but_not_the_velocities),
        cmocka_unit_test(an_unchanged_problem_costs_no_sweep_and_no_memory),
        cmocka_unit_test(a_guess_that_is_nearly_right_saves_sweeps_and_one_that_is_no_number_is_ignored),
        cmocka_unit_test(errors_of_a_pile_at_rest_are_taken_away_before_they_reach_a_tight_tolerance),
        cmocka_unit_test(the_limit_on_sweeps_is_kept_and_the_certificate_is_that_of_what_is_returned),
        cmocka_unit_test(four_contacts_at_once_solve_what_one_at_a_time_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
