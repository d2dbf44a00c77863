/* test_apgd_piles.c - the accelerated projected gradient on packings of spheres: threads, warm starts, limits. */
#include "unit/solvers/packing.h"
#include "unit/solvers/unique.h"

/* ---- piles: threads, warm starts, limits ------------------------------------------------------ */

TEST(a_packing_is_solved_and_its_velocities_are_those_of_gauss_seidel)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, 5, 5, 0.3, SS_LAW_ASSOCIATED);
    double *v = malloc((size_t)k.p.nv * sizeof *v);
    for (int i = 0; i < k.p.nv; i++) {
        k.p.b[i] += 0.02 * sin(3.0 * i); /* pushed about */
    }
    CHECK(solve_by(ctx, "nsgs", 1e-10, &k.p, &k.s).outcome == SS_CONVERGED);
    memcpy(v, k.s.v, (size_t)k.p.nv * sizeof *v);
    ss_solver_info info = solve_by(ctx, "apgd", 1e-10, &k.p, &k.s);
    double off = distance(k.p.nv, v, k.s.v);
    print_message("%d contacts: %d iterations, velocities differ by %.1e\n", k.p.nc, info.iterations, off);
    CHECK(info.outcome == SS_CONVERGED && off < SAME);
    free(v);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(the_same_bits_for_any_number_of_threads)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, 9, 10, 0.4, SS_LAW_ASSOCIATED);
    CHECK(k.p.nc > 2048); /* several ranges */
    size_t bytes = (size_t)k.p.row[k.p.nc] * sizeof(double);
    double *first = malloc(bytes);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(ctx, threads);
        ss_solver *solver = create(ctx, "apgd", 1e-10, 45, NULL);
        CHECK(solve(ctx, solver, &k.p, &k.s).iterations == 45);
        if (threads == 1) {
            memcpy(first, k.s.r, bytes);
        }
        CHECK(memcmp(first, k.s.r, bytes) == 0);
        ss_solver_destroy(solver);
    }
    free(first);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(a_warm_start_saves_iterations_and_nothing_is_allocated_twice)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, 4, 4, 0.4, SS_LAW_ASSOCIATED);
    ss_solver *solver = create(ctx, "apgd", 1e-6, 0, NULL);
    int cold = solve(ctx, solver, &k.p, &k.s).iterations;
    k.s.warm = true;
    CHECK(solve(ctx, solver, &k.p, &k.s).iterations <= 10); /* one look: a guess is not kept for being just good enough */
    for (int i = 0; i < k.p.nv; i++) {
        k.p.b[i] *= 1 + 1e-5;
    }
    uint64_t before = ss_context_allocations(ctx);
    ss_solver_info warm = solve(ctx, solver, &k.p, &k.s);
    CHECK(warm.outcome == SS_CONVERGED && 2 * warm.iterations < cold);
    k.s.r[4] = NAN;
    k.s.r[7] = -INFINITY;
    CHECK(solve(ctx, solver, &k.p, &k.s).outcome == SS_CONVERGED);
    CHECK(ss_context_allocations(ctx) == before);
    ss_solver_destroy(solver);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(the_limit_is_kept_and_more_iterations_never_give_a_worse_answer)
{
    ss_context *ctx = test_context();
    packing k;
    double last = INFINITY;
    pk_make(ctx, &k, 4, 6, 0.4, SS_LAW_ASSOCIATED);
    for (int limit = 10; limit <= 160; limit *= 2) {
        ss_solver *solver = create(ctx, "apgd", 1e-14, limit, NULL);
        ss_solver_info info = solve(ctx, solver, &k.p, &k.s);
        ss_residual own;
        CHECK_OK(ctx, ss_problem_residual(ctx, &k.p, &k.s, &own));
        CHECK(info.outcome == SS_MAX_ITER && info.iterations == limit);
        CHECK(own.contact == info.residual.contact && own.momentum == info.residual.momentum);
        CHECK(own.contact <= last * (1 + 1e-9)); /* the best iterate; the certificate rounds otherwise than the gradient */
        last = own.contact;
        ss_solver_destroy(solver);
    }
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packing_is_solved_and_its_velocities_are_those_of_gauss_seidel),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_warm_start_saves_iterations_and_nothing_is_allocated_twice),
        cmocka_unit_test(the_limit_is_kept_and_more_iterations_never_give_a_worse_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
