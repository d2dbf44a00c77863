/* test_cone_ipm_forms.c - the interior point method: forms of the problem, islands, memory, and the same bits again. */
#include "unit/problem/small_problem.h"
#include "unit/solvers/local_form.h"
#include "unit/solvers/solve_by.h"

/* ---- form, memory, bits ----------------------------------------------------------------------- */

/* A with a spring between velocities: the blocks are then only a scale */
TEST(a_sparse_symmetric_matrix_is_taken)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-12, 0, NULL);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1 }, rows[] = { 1, 0 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, mass, false);
    sp_block(&y, 1, mass, false);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, rows, 0, NULL);
    y.p.A.diagonal = (ss_blockdiag){ 0 }; /* [2 -1; -1 2], blocks 2 and 2 */
    y.M[0] = y.M[1] = 2;
    sp_row(&y, &y.p.A.sparse, (double[]){ 2, -1 });
    sp_row(&y, &y.p.A.sparse, (double[]){ -1, 2 });
    y.b[0] = -3;
    y.b[1] = 1;
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(y.v[0], 0, 1e-11); /* v_0 = 0, 2 v_1 = 1, r = -v_1 + 3 */
    CHECK_NEAR(y.v[1], 0.5, 1e-11);
    CHECK_NEAR(y.r[0], 2.5, 1e-11);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* W and q of a pile as a problem of its own */
TEST(local_form_has_the_certificate_and_the_velocities_of_the_global_one)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-11, 0, NULL);
    ss_solver_info info;
    packing k;
    pk_make(ctx, &k, 3, 2, 0.5, SS_LAW_ASSOCIATED);
    for (int i = 0; i < k.p.nv; i++) {
        k.p.b[i] += 0.01 * (i % 5); /* so that something moves */
    }
    int nr = 3 * k.p.nc;
    double *u = pk_take((size_t)nr, sizeof *u);
    CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    memcpy(u, k.s.u, (size_t)nr * sizeof *u);
    ss_problem local = pk_local(ctx, &k);
    CHECK_OK(ctx, ss_solver_solve(solver, &local, &k.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.residual.contact <= 1e-11);
    double largest = 0;
    for (int i = 0; i < nr; i++) {
        CHECK_NEAR(k.s.u[i], u[i], 1e-9);
        largest = fmax(largest, fabs(u[i]));
    }
    CHECK(largest > 1e-3);
    pk_local_free(ctx, &local);
    free(u);
    pk_free(ctx, &k);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* u = W r + q with W = [2 1.1; 0.9 2] and a third contact that opens: r = W^-1 (1, 1) of the first two */
TEST(a_local_matrix_need_not_be_quite_symmetric)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-12, 0, NULL);
    small_problem y;
    ss_solver_info info;
    sp_open(&y, ctx, 2);
    y.p.local = true;
    y.p.W.n = y.p.nc = 3;
    for (int k = 0; k < 3; k++) {
        y.law[k] = SS_LAW_UNILATERAL;
        y.row[k + 1] = k + 1;
        y.w[k] = k < 2 ? -1 : 1;
        sp_row(&y, &y.p.W, (double[3][3]){ { 2, 1.1, 0 }, { 0.9, 2, 0 }, { 0, 0, 1 } }[k]);
    }
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    CHECK_NEAR(y.r[0], 0.9 / 3.01, 1e-11);
    CHECK_NEAR(y.r[1], 1.1 / 3.01, 1e-11);
    CHECK_NEAR(y.r[2], 0, 1e-11);
    CHECK_NEAR(y.u[2], 1, 1e-11);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* a piece that is hit hard beside one that is touched gently: each has its own unit, in the solver as in the certificate */
TEST(islands_of_very_different_size_are_solved_together)
{
    ss_context *ctx = test_context();
    ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 0, NULL);
    small_problem y;
    ss_solver_info info;
    const double mass[] = { 1e6, 1e6, 1e6 }, light[] = { 1e-6, 1e-6, 1e-6 },
                 rows[18] = { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 };
    const double other[18] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 }, v[6] = { -1e3, 1e3, 0, -1e-6, 3e-6, 4e-6 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, mass, false);
    sp_block(&y, 3, light, false);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, rows, 0, NULL);
    sp_contact(&y, SS_LAW_ASSOCIATED, 0.5, 3, other, 0, NULL);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_solver_solve(solver, &y.p, &y.s, &info));
    CHECK(info.outcome == SS_CONVERGED && info.iterations <= 20);
    double along = (5e-6 - 0.5e-6) / 1.25; /* as above */
    CHECK_NEAR(y.v[3], 0.5 * along, 1e-14);
    CHECK_NEAR(y.v[4], 0.6 * along, 1e-14);
    sp_close(&y);
    ss_solver_destroy(solver);
    ss_context_destroy(ctx);
}

/* after one solve of a size nothing is taken from the context; what MUMPS takes comes from malloc */
TEST(a_size_seen_before_takes_no_memory)
{
    for (int n = 4; n <= 7; n += 3) { /* by ldl.c, by MUMPS */
        ss_context *ctx = test_context();
        ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 4, NULL);
        ss_solver_info info;
        packing k;
        pk_make(ctx, &k, n, n - 1, 0.5, SS_LAW_ASSOCIATED);
        for (int i = 0; i < 2; i++) {
            CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        }
        uint64_t before = ss_context_allocations(ctx);
        k.p.w[0] = 1e-3; /* another problem of the same size */
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        CHECK(info.iterations == 4 && info.outcome == SS_MAX_ITER);
        CHECK(ss_context_allocations(ctx) == before);
        pk_free(ctx, &k);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
    }
}

static void check_bits(int n, int layers)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, n, layers, 0.5, SS_LAW_ASSOCIATED);
    size_t bytes = 3 * (size_t)k.p.nc * sizeof(double);
    double *r = pk_take(3 * (size_t)k.p.nc, sizeof *r);
    for (int again = 0; again < 4; again++) {
        ss_solver *solver = create(ctx, "cone_ipm", 1e-10, 5, NULL);
        ss_solver_info info;
        ss_context_set_threads(ctx, 1 + again % 2);
        CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
        if (again == 0) {
            memcpy(r, k.s.r, bytes);
        }
        CHECK(memcmp(r, k.s.r, bytes) == 0);
        ss_solver_destroy(solver);
    }
    free(r);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

TEST(the_same_problem_gives_the_same_bits_for_any_number_of_threads)
{
    check_bits(4, 3);
    check_bits(7, 6);
}

/* an allocator that refuses the n-th request and all that follow */
static void *miserly(void *user, void *p, size_t size)
{
    int *left = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(p, size) : NULL;
}

/* Whatever does not fit is a breakdown of the solve, so that another solver can have its turn; memory is given back for it */
TEST(running_out_of_memory_in_a_solve_is_a_breakdown)
{
    ss_context *plain = test_context();
    packing k;
    int breakdowns = 0;
    bool done = false;
    pk_make(plain, &k, 3, 2, 0.5, SS_LAW_ASSOCIATED);
    for (int n = 1; !done; n++) {
        int left = n;
        ss_context_options options = ss_context_options_default();
        options.allocator = (ss_allocator){ .resize = miserly, .user = &left };
        ss_solver_options solver_options = ss_solver_options_default();
        solver_options.share = SS_SHARE_ANY; /* what the solver finds by itself */
        solver_options.name = "cone_ipm";
        ss_context *ctx;
        ss_solver *solver = NULL;
        ss_solver_info info = { .outcome = SS_MAX_ITER };
        if (ss_context_create(&options, &ctx) != SS_OK) {
            continue;
        }
        ss_status status = ss_solver_create(ctx, &solver_options, &solver);
        CHECK(status == SS_OK || status == SS_ERR_MEMORY);
        if (status == SS_OK) {
            CHECK_OK(ctx, ss_solver_solve(solver, &k.p, &k.s, &info));
            done = info.outcome == SS_CONVERGED;
            breakdowns += info.outcome == SS_BREAKDOWN;
            CHECK(done || (info.outcome == SS_BREAKDOWN && info.starved));
        }
        CHECK(n < 1000);
        ss_solver_destroy(solver);
        ss_context_destroy(ctx);
    }
    CHECK(breakdowns > 0);
    pk_free(plain, &k);
    ss_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sparse_symmetric_matrix_is_taken),
        cmocka_unit_test(local_form_has_the_certificate_and_the_velocities_of_the_global_one),
        cmocka_unit_test(a_local_matrix_need_not_be_quite_symmetric),
        cmocka_unit_test(islands_of_very_different_size_are_solved_together),
        cmocka_unit_test(a_size_seen_before_takes_no_memory),
        cmocka_unit_test(the_same_problem_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(running_out_of_memory_in_a_solve_is_a_breakdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
