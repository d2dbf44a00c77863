/* test_cost.c - what iterations cost: operations of factorisations against closed forms. */
#include "problem/cost.h"
#include "unit/problem/small_problem.h"

enum { BODIES = 8, SIZE = 3 };

static double operations_of(small_problem *y)
{
    ss_arena *arena;
    double operations;
    CHECK_OK(y->ctx, ss_arena_create(y->ctx, 4096, &arena));
    CHECK_OK(y->ctx, ss_cost_factor(y->ctx, arena, &y->p, &operations));
    ss_arena_destroy(arena);
    return operations;
}

static void open_bodies(small_problem *y, ss_context *ctx)
{
    sp_open(y, ctx, 2);
    for (int b = 0; b < BODIES; b++) {
        sp_block(y, SIZE, (double[]){ 1, 1, 1 }, false);
    }
}

static void touch(small_problem *y, int a, int b)
{
    double row[SP_V] = { 0 };
    row[SIZE * a] = 1;
    row[SIZE * b] = -1;
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, row, 0, NULL);
}

/* A row of bodies has no fill: each elimination multiplies once, but the last. */
TEST(a_row_of_bodies_costs_as_many_operations_as_it_has_bodies)
{
    ss_context *ctx = test_context();
    small_problem y;
    open_bodies(&y, ctx);
    for (int b = 0; b + 1 < BODIES; b++) {
        touch(&y, b, b + 1);
    }
    const double cube = SIZE * SIZE * SIZE;
    CHECK_NEAR(operations_of(&y), cube * (BODIES + 2 * (BODIES - 1)), 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* A ring has one body more to carry along: two others are met by each body that is eliminated, until three are left. */
TEST(a_closed_ring_costs_more_by_its_fill)
{
    ss_context *ctx = test_context();
    small_problem y;
    open_bodies(&y, ctx);
    for (int b = 0; b < BODIES; b++) {
        touch(&y, b, (b + 1) % BODIES);
    }
    const double cube = SIZE * SIZE * SIZE, products = (BODIES - 2) * 3 + 1; /* L D L': (c^2 + c)/2 for c others */
    CHECK_NEAR(operations_of(&y), cube * (BODIES + 2 * products), 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* u = W r + q is a full matrix: twice the rows, eight times the operations, and sweeps are worth as many more */
TEST(a_local_form_costs_the_cube_of_its_rows)
{
    ss_context *ctx = test_context();
    small_problem y;
    sp_open(&y, ctx, 2);
    y.p.local = true;
    y.p.nc = 1;
    y.row[1] = 6;
    const double small = operations_of(&y);
    y.row[1] = 12;
    CHECK_NEAR(operations_of(&y), 8 * small, 1e-9);
    CHECK_NEAR(small, 8.0 / 3 * 216, 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* n velocities: a Newton step grows with n^2, a sweep with the contacts */
TEST(sweeps_are_worth_more_of_them_where_a_factorisation_is_dear)
{
    ss_context *ctx = test_context();
    small_problem y;
    int row[1001];
    for (int k = 0; k <= 1000; k++) {
        row[k] = k;
    }
    sp_open(&y, ctx, 3);
    y.p.row = row;
    y.p.nc = 100;
    y.p.nv = 120;
    const double few = ss_cost_sweeps(&y.p, 10), many = ss_cost_sweeps(&y.p, 20);
    y.p.nc = 1000;
    y.p.nv = 6000;
    const double pile = ss_cost_sweeps(&y.p, 10);
    CHECK(few > 20 && few < 200 && pile > 1000);
    CHECK_NEAR(many, 2 * few, 1e-9);
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_bodies_costs_as_many_operations_as_it_has_bodies),
        cmocka_unit_test(a_closed_ring_costs_more_by_its_fill),
        cmocka_unit_test(a_local_form_costs_the_cube_of_its_rows),
        cmocka_unit_test(sweeps_are_worth_more_of_them_where_a_factorisation_is_dear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
