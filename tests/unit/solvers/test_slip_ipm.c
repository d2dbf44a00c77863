/* test_slip_ipm.c - Newton's method for the slip: one sliding particle in closed form, random systems, packings, few programs. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/local_form.h"
#include "unit/solvers/packing.h"
#include "unit/solvers/random_system.h"

#include "solvers/solver.h"

static ss_solver *make(ss_context *ctx, double tol)
{
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    options.name = "slip_ipm";
    options.tol = tol;
    ss_solver *solver;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

/* A particle that falls on a floor while it moves along it: friction takes mu times what the floor gives, and it does not rise,
 * as the convex law alone would make it. */
TEST(a_particle_that_slides_does_not_rise)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, 1e-12);
    small_problem y;
    ss_solver_info info;
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, (double[]){ 2, 2, 2 }, false);
    sp_contact(&y, SS_LAW_COULOMB, 0.25, 3, (double[]){ 0, 0, 1, 1, 0, 0, 0, 1, 0 }, 0, NULL);
    sp_motion(&y, (double[]){ 3, 4, -1 }, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 4);
    CHECK_NEAR(y.v[0], 3 - 0.25 * 0.6, 1e-11); /* 1e-12 of the residual, times a condition of some units */
    CHECK_NEAR(y.v[1], 4 - 0.25 * 0.8, 1e-11);
    CHECK_NEAR(y.v[2], 0, 1e-11);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

TEST(random_systems_with_joints_are_certified)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, 1e-10);
    random_system *y = calloc(1, sizeof *y);
    const int seeds = test_repeats(400, 100, 20);
    int solved = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        ss_solver_info info;
        rs_make(ctx, y, 7 * (uint64_t)seed, 1 + seed % 8, seed % 4, 3);
        for (int k = 0; k < y->p.nc; k++) {
            y->law[k] = y->law[k] == SS_LAW_POLYHEDRAL ? SS_LAW_COULOMB : y->law[k];
        }
        CHECK_OK(ctx, ss_solver_solve(solver, &y->p, &y->s, &info));
        solved += info.outcome == SS_CONVERGED;
    }
    print_message("%d of %d random systems solved cold\n", solved, seeds);
    CHECK(solved >= 0.9 * seeds); /* 94 of 100: there is no proof of convergence, and what is left is for other solvers */
    rs_free(ctx, y);
    free(y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* The convergence is that of Newton's method: a fixed-point iteration on the slip needs far more programs. */
TEST(a_hyperstatic_packing_is_solved_in_a_few_programs_in_either_form)
{
    ss_context *ctx = test_context();
    ss_solver *solver = make(ctx, 1e-10);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, 4, 4, 0.3, SS_LAW_COULOMB);
    uint64_t state = 5;
    for (int i = 0; i < 3 * k.p.nc; i++) { /* surfaces move along, so that contacts slide */
        k.p.w[i] = i % 3 > 0 ? fabs(k.p.b[2]) * (ss_random_uniform(&state) - 0.5) : 0;
    }
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    print_message("%d contacts, %d programs, residual %g\n", k.p.nc, info.iterations, info.residual.contact);
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 20); /* 14 */
    ss_problem local = pk_local(ctx, &k);
    k.s.warm = false;
    CHECK_OK(ctx, ss_solver_solve(solver, &local, &k.s, &info));
    print_message("local form: %d programs, residual %g\n", info.iterations, info.residual.contact);
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 20); /* 14 */
    /* a guess that solves the problem costs no program */
    k.s.warm = true;
    CHECK_OK(ctx, ss_solver_solve(solver, &local, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations == 0);
    pk_local_free(ctx, &local);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_that_slides_does_not_rise),
        cmocka_unit_test(random_systems_with_joints_are_certified),
        cmocka_unit_test(a_hyperstatic_packing_is_solved_in_a_few_programs_in_either_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
