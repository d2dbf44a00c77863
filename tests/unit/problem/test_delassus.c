/* The contacts' matrix where joints hold what contacts push: a point on a rail, and a contact almost along the rail's normal. */
#include "problem/delassus.h"
#include "unit/problem/small_problem.h"

/* W of the row (1, slope) of a unit mass whose first velocity a joint holds: slope^2 */
static double matrix_of(double slope)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *w;
    small_problem y;
    const double mass[] = { 1, 1 }, rail[] = { 1, 0 }, normal[] = { 1, slope };
    const int row = 0;
    double W, q;
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, mass, false);
    sp_joint(&y, rail, 0);
    sp_contact(&y, SS_LAW_UNILATERAL, NAN, 1, normal, 0, NULL);
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 12, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    CHECK_OK(ctx, ss_delassus_create(ctx, &w));
    CHECK_OK(ctx, ss_delassus_prepare(w, &y.p, kkt));
    CHECK_OK(ctx, ss_delassus_submatrix(w, arena, 1, &row, &W, &q));
    ss_delassus_destroy(w);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
    sp_close(&y);
    ss_context_destroy(ctx);
    return W;
}

TEST(a_row_is_immobile_where_round_off_is_all_that_moves_it)
{
    CHECK_NEAR(matrix_of(0.5), 0.25, 1e-15);
    CHECK_NEAR(matrix_of(2e-11), 4e-22, 1e-26); /* 1e-12 is round-off, with room */
    CHECK(matrix_of(2e-13) == 0 && matrix_of(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_immobile_where_round_off_is_all_that_moves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
