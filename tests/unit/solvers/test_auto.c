/* test_auto.c - the choice of a solver: pivoting where it is small, the chain below it, counts and names. */
#include "unit/base/failing.h"
#include "unit/problem/small_problem.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/random_system.h"

#include "unit/solvers/solve_by.h"

static void set_law(random_system *y, unsigned law)
{
    for (int k = 0; k < y->p.nc; k++) {
        y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? law : y->law[k];
    }
}

TEST(few_unknowns_with_polygons_are_given_to_lemke_with_the_same_bits)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL), *lemke = create(ctx, "lemke", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double r[RS_ROWS];
        ss_solver_info info;
        rs_make(ctx, y, seed, 4, 2, 3);
        size_t size = (size_t)y->row[y->p.nc] * sizeof *r;
        CHECK_OK(ctx, ss_solver_solve(lemke, &y->p, &y->s, &info));
        memcpy(r, y->r, size);
        CHECK(strcmp(info.solver, "lemke") == 0);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(strcmp(info.solver, "lemke") == 0 && info.fallbacks == 0);
        CHECK(memcmp(r, y->r, size) == 0);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_solver_destroy(lemke);
    ss_context_destroy(ctx);
}

TEST(every_law_is_certified_by_some_solver_of_the_chain)
{
    const unsigned laws[] = { SS_LAW_COULOMB, SS_LAW_POLYHEDRAL, SS_LAW_ASSOCIATED, SS_LAW_ASSOCIATED_POLYHEDRAL };
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL);
    random_system *y = calloc(1, sizeof *y);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        ss_solver_info info;
        rs_make(ctx, y, 31 * seed, 1 + (int)(seed % 16), (int)(seed % 5), 3);
        set_law(y, laws[seed % 4]);
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        CHECK(info.outcome == SS_CONVERGED);
    }
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(a_step_down_the_chain_is_counted_and_keeps_the_best)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL), *cut = create(ctx, "auto", 1e-14, 1, NULL),
              *first = create(ctx, "nsgs", 1e-14, 1, NULL);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, 6, 8, 0.5, SS_LAW_COULOMB);
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK(info.fallbacks == (strcmp(info.solver, "alm") == 0 ? 1 : 0));

    /* one iteration each: nobody gets there, and what is returned is no worse than what the first one had */
    pk_free(ctx, &k);
    pk_make(ctx, &k, 12, 12, 0.5, SS_LAW_COULOMB);
    CHECK_OK(ctx, ss_solver_solve(first, &k.p, &k.s, &info));
    double alone = info.residual.contact;
    CHECK_OK(ctx, ss_solver_solve(cut, &k.p, &k.s, &info));
    CHECK(info.outcome != SS_CONVERGED && info.fallbacks == 3);
    CHECK(info.residual.contact <= alone);
    ss_residual own;
    CHECK_OK(ctx, ss_problem_residual(ctx, &k.p, &k.s, &own));
    CHECK(own.contact == info.residual.contact && own.momentum == info.residual.momentum);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_solver_destroy(cut);
    ss_solver_destroy(first);
    ss_context_destroy(ctx);
}

static int place_of(const char *name)
{
    int k = 0;
    while (ss_solver_types[k] && strcmp(ss_solver_types[k]->info.name, name) != 0) {
        k++;
    }
    return k;
}

static const uint64_t slidings[] = { 17, 19, 26, 35, 42 }; /* packings that sweeps, alm and slip_ipm do not solve to 1e-8 */
enum { SLIDINGS = sizeof slidings / sizeof *slidings };

/* The last resort to a tight tolerance is the path. */
TEST(packings_that_others_leave_are_solved_along_the_path)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-8, 0, NULL);
    int solved = 0;
    for (int i = 0; i < SLIDINGS; i++) {
        ss_residual own;
        packing k;
        pk_make_sliding(ctx, &k, slidings[i]);
        const ss_solver_info info = solve(ctx, solver, &k.p, &k.s);
        CHECK_OK(ctx, ss_problem_residual(ctx, &k.p, &k.s, &own));
        solved += info.outcome == SS_CONVERGED && strcmp(info.solver, "alm_path") == 0 && worst_of(&own) <= 1e-8;
        pk_free(ctx, &k);
    }
    print_message("%d of %d solved\n", solved, SLIDINGS);
    CHECK(solved >= 3); /* 5: how long a path is depends on the last bits */
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* Is the path asked? Each solver may make one iteration, so that all of the chain are. */
static bool path_is_tried(ss_context *ctx, packing *k, unsigned effort)
{
    ss_solver *solver = create(ctx, "auto", 1e-14, 1, NULL);
    ss_solver_set_effort(solver, effort);
    k->s.warm = false;
    const ss_solver_info info = solve(ctx, solver, &k->p, &k->s);
    ss_solver_destroy(solver);
    return strcmp(info.solver, "alm_path") == 0 || info.choice.left[place_of("alm_path")] > 0;
}

/* The problem decides, and whether it is one of many. */
TEST(a_path_is_tried_where_thousands_of_its_steps_can_be_paid_for)
{
    ss_context *ctx = test_context();
    packing few, many;
    pk_make_sliding(ctx, &few, 42);                 /* 13 spheres */
    pk_make(ctx, &many, 6, 8, 0.5, SS_LAW_COULOMB); /* 244 */
    CHECK(path_is_tried(ctx, &few, SS_EFFORT_STEP));
    CHECK(!path_is_tried(ctx, &few, SS_EFFORT_STEP | SS_EFFORT_BRIEF)); /* a step in which others have failed */
    CHECK(path_is_tried(ctx, &many, 0));
    CHECK(!path_is_tried(ctx, &many, SS_EFFORT_STEP));
    pk_free(ctx, &few);
    pk_free(ctx, &many);
    ss_context_destroy(ctx);
}

TEST(where_the_tolerance_is_loose_there_is_no_path)
{
    ss_context *ctx = test_context();
    int failed = 0;
    for (int i = 0; i < SLIDINGS; i++) {
        packing k;
        pk_make_sliding(ctx, &k, slidings[i]);
        const ss_solver_info info = solve_by(ctx, "auto", 1e-5, &k.p, &k.s);
        CHECK(strcmp(info.solver, "alm_path") != 0 && info.choice.left[place_of("alm_path")] == 0);
        failed += info.outcome == SS_MAX_ITER;
        pk_free(ctx, &k);
    }
    CHECK(failed > 0); /* 3: there, the path would have been asked */
    ss_context_destroy(ctx);
}

/* With every single request refused once: an error, or an answer; and somewhere it was the interior point method that went
 * without, and another solver that answered. */
TEST(a_convex_program_whose_factors_do_not_fit_is_solved_by_another_and_that_is_said)
{
    int starved = 0, refusals = 0;
    for (bool more = true; more; refusals++) {
        failing_allocator memory = { 0 };
        ss_context *ctx = failing_context(&memory);
        ss_solver *solver = create(ctx, "auto", 1e-8, 0, NULL);
        ss_solver_info info = { .outcome = SS_BREAKDOWN };
        packing k;
        pk_make(ctx, &k, 3, 3, 0.5, SS_LAW_ASSOCIATED);
        memory.fail_at = memory.requests + refusals + 1;
        ss_status status = ss_solver_solve(solver, &k.p, &k.s, &info);
        more = memory.requests >= memory.fail_at;
        memory.fail_at = 0;
        CHECK(status == SS_ERR_MEMORY || (status == SS_OK && info.outcome == SS_CONVERGED));
        CHECK(!info.starved || strcmp(info.solver, "cone_ipm") != 0);
        starved += status == SS_OK && info.starved;
        pk_free(ctx, &k);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
        CHECK(memory.live == 0);
    }
    print_message("%d requests refused, %d times another solver answered\n", refusals - 1, starved);
    CHECK(refusals > 10 && starved > 0);
}

/* what a refusal has left half made is not taken for a solver */
TEST(a_solver_that_was_refused_memory_answers_when_it_gets_it)
{
    int refusals = 0;
    for (bool more = true; more; refusals++) {
        failing_allocator memory = { 0 };
        ss_context *ctx = failing_context(&memory);
        ss_solver *solver = create(ctx, "auto", 1e-8, 0, NULL);
        ss_solver_info info;
        packing k;
        pk_make(ctx, &k, 3, 3, 0.5, SS_LAW_COULOMB);
        memory.fail_at = memory.requests + refusals + 1;
        ss_status status = ss_solver_solve(solver, &k.p, &k.s, &info);
        more = memory.requests >= memory.fail_at;
        CHECK(status == (more ? SS_ERR_MEMORY : SS_OK));
        memory.fail_at = 0;
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        CHECK(info.outcome == SS_CONVERGED);
        pk_free(ctx, &k);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
        CHECK(memory.live == 0);
    }
    CHECK(refusals > 10);
}

/* a mass of 1 kg held by a joint, and a floor that asks it to rise: the proof counts, whatever the residual is */
TEST(a_program_that_is_proved_infeasible_is_not_called_converged)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-4, 0, NULL);
    small_problem y;
    ss_solver_info info;
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, (double[]){ 1, 1 }, false);
    sp_joint(&y, (double[]){ 0, 1 }, 0);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 2, (double[]){ 0, 1, 1, 0 }, 0, NULL);
    sp_motion(&y, (double[]){ 0, 0 }, (double[]){ 0, -0.01 });
    y.w[0] = -10; /* an overlap that would have to open at 10 m/s */
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_INFEASIBLE && info.residual.worst == 0);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* walls that close on a particle: Lemke's method proves it; others are asked only by who has nothing else to solve
 */
TEST(a_proof_that_there_is_no_solution_ends_the_chain_for_a_caller_that_can_do_without)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "auto", 1e-10, 0, NULL);
    small_problem y;
    ss_solver_info alone, insisted;
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, (double[]){ 1 }, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[]){ 1 }, 0, NULL);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[]){ -1 }, 0, NULL);
    sp_motion(&y, (double[]){ 0.3 }, NULL);
    y.w[0] = y.w[1] = -1; /* v >= 1 and -v >= 1 */
    ss_solver_set_effort(solver, SS_EFFORT_DECLINES);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &alone));
    ss_solver_set_effort(solver, 0);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &insisted));
    CHECK(alone.outcome == SS_RAY && alone.fallbacks == 0);
    CHECK(insisted.fallbacks > 0 && insisted.iterations > alone.iterations);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_unknowns_with_polygons_are_given_to_lemke_with_the_same_bits),
        cmocka_unit_test(every_law_is_certified_by_some_solver_of_the_chain),
        cmocka_unit_test(a_step_down_the_chain_is_counted_and_keeps_the_best),
        cmocka_unit_test(packings_that_others_leave_are_solved_along_the_path),
        cmocka_unit_test(a_path_is_tried_where_thousands_of_its_steps_can_be_paid_for),
        cmocka_unit_test(where_the_tolerance_is_loose_there_is_no_path),
        cmocka_unit_test(a_convex_program_whose_factors_do_not_fit_is_solved_by_another_and_that_is_said),
        cmocka_unit_test(a_solver_that_was_refused_memory_answers_when_it_gets_it),
        cmocka_unit_test(a_program_that_is_proved_infeasible_is_not_called_converged),
        cmocka_unit_test(a_proof_that_there_is_no_solution_ends_the_chain_for_a_caller_that_can_do_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
