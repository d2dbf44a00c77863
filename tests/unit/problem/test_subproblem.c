/* test_subproblem.c - islands cut out of a problem: solved by themselves they are the whole, number by number. */
#include "problem/residual.h"
#include "problem/subproblem.h"
#include "unit/problem/small_problem.h"

/* Two islands and a body in flight: two particles that a joint ties, one of which lies on the floor; a particle between two
 * walls with polygonal friction; a particle that touches nothing. */
static void make(small_problem *y, ss_context *ctx)
{
    const double line[] = { 1, 0, -1, 0 };
    sp_open(y, ctx, 2);
    for (int b = 0; b < 4; b++) {
        sp_block(y, 2, (double[]){ 1 + b, 1 + b }, false);
    }
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.3, 2, (double[16]){ [5] = 1, [8 + 4] = 1 }, 2, line);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, (double[8]){ [1] = 1 }, 0, NULL);
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.4, 2, (double[16]){ [4] = 1, [8 + 5] = -1 }, 2, line);
    sp_joint(y, (double[8]){ [1] = 1, [3] = -1 }, 0.5);
    sp_motion(y, (double[]){ 1, -2, 0, -1, -0.4, -3, 2, 5 }, (double[]){ 0, -1, 0, -1, 0, -1, 0, -1 });
    for (int i = 0; i < 5; i++) {
        y->w[i] = 0.01 * i;
    }
}

static void solve(ss_context *ctx, const ss_problem *p, ss_solution *s)
{
    ss_solver_options options = ss_solver_options_default();
    options.name = "lemke";
    options.share = SS_SHARE_ANY;
    ss_solver *solver;
    ss_solver_info info;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    CHECK_OK(ctx, ss_solver_solve(solver, p, s, &info));
    CHECK(info.outcome == SS_CONVERGED);
    ss_solver_destroy(solver);
}

static void check_no_zeros(const ss_csr *rows)
{
    for (int e = 0; rows->m > 0 && e < rows->p[rows->m]; e++) {
        CHECK(rows->x[e] != 0);
    }
}

/* every group by itself, put together */
static int solve_parts(ss_context *ctx, const small_problem *y, ss_solution *s)
{
    ss_arena *arena;
    ss_islands islands;
    ss_island_members members;
    int place[SP_V + SP_R];
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_islands_find(arena, &y->p, &islands));
    CHECK_OK(ctx, ss_island_members_find(arena, &y->p, &islands, &members));
    for (int g = 0; g <= members.islands; g++) {
        ss_subproblem part;
        CHECK_OK(ctx, ss_subproblem_make(arena, &y->p, &members, 1, &g, place, &part));
        CHECK_OK(ctx, ss_problem_check(ctx, &part.problem));
        check_no_zeros(&part.problem.H);
        ss_subproblem_read(&part, s);
        solve(ctx, &part.problem, &part.solution);
        ss_subproblem_write(&part, s);
    }
    ss_arena_destroy(arena);
    return members.islands;
}

TEST(parts_solved_by_themselves_are_the_solution_of_the_whole)
{
    ss_context *ctx = test_context();
    small_problem y, z;
    make(&y, ctx);
    make(&z, ctx);
    solve(ctx, &y.p, &y.s);
    CHECK(solve_parts(ctx, &z, &z.s) == 2);
    for (int i = 0; i < y.p.nv; i++) {
        CHECK_NEAR(z.v[i], y.v[i], 1e-14); /* the same operations but for their order */
    }
    for (int i = 0; i < y.row[y.p.nc]; i++) {
        CHECK_NEAR(z.r[i], y.r[i], 1e-14);
        CHECK_NEAR(z.u[i], y.u[i], 1e-14);
    }
    CHECK_NEAR(z.lam[0], y.lam[0], 1e-14);
    CHECK(z.v[6] == 2 && z.v[7] == 4); /* the body in flight: M (v + kick) over M */
    sp_close(&y);
    sp_close(&z);
    ss_context_destroy(ctx);
}

/* a stored zero that points at a body of another island joins nothing, and is not taken along */
TEST(stored_zeros_do_not_lead_out_of_an_island)
{
    ss_context *ctx = test_context();
    small_problem y;
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, (double[]){ 1 }, false);
    sp_block(&y, 1, (double[]){ 2 }, false);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.H, k, 1));
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.H, 1 - k, 0));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.H));
        y.row[++y.p.nc] = k + 1;
        y.law[k] = SS_LAW_UNILATERAL;
    }
    sp_motion(&y, (double[]){ -1, -3 }, NULL);
    CHECK(solve_parts(ctx, &y, &y.s) == 2);
    CHECK_NEAR(y.r[0], 1, 1e-14); /* mass times speed, to round-off */
    CHECK_NEAR(y.r[1], 6, 1e-14);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* u = W r + q with two contacts that do not feel each other: r = -q / W */
TEST(local_forms_are_cut_along_W)
{
    ss_context *ctx = test_context();
    small_problem y;
    sp_open(&y, ctx, 2);
    y.p.local = true;
    y.p.nc = 2;
    y.row[1] = 1;
    y.row[2] = 2;
    y.law[0] = y.law[1] = SS_LAW_UNILATERAL;
    y.p.W.n = 2;
    sp_row(&y, &y.p.W, (double[]){ 2, 0 });
    sp_row(&y, &y.p.W, (double[]){ 0, 4 });
    y.w[0] = -1;
    y.w[1] = -2;
    CHECK(solve_parts(ctx, &y, &y.s) == 2);
    CHECK_NEAR(y.r[0], 0.5, 1e-15);
    CHECK_NEAR(y.r[1], 0.5, 1e-15);
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_solved_by_themselves_are_the_solution_of_the_whole),
        cmocka_unit_test(stored_zeros_do_not_lead_out_of_an_island),
        cmocka_unit_test(local_forms_are_cut_along_W),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
