/* test_check.c - every way in which a problem can fail to be one is refused, with the place named. */
#include "unit/problem/small_problem.h"

/* a body, a joint, and one contact of every law that has tangents or a bound */
static void good(small_problem *y, ss_context *ctx)
{
    const double mass[] = { 1, 2, 3 }, normal[] = { 1, 0, 0 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    sp_open(y, ctx, 3);
    sp_block(y, 3, mass, false);
    sp_joint(y, normal, 0);
    sp_contact(y, SS_LAW_UNILATERAL, NAN, 1, normal, 0, NULL); /* mu does not matter here */
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 4, sp_square);
    sp_contact(y, SS_LAW_BOUNDED, 2, 1, normal, 0, NULL);
}

TEST(a_good_problem_passes)
{
    ss_context *ctx = test_context();
    small_problem y;
    good(&y, ctx);
    CHECK_OK(ctx, ss_problem_check(ctx, &y.p));
    sp_close(&y);
    ss_context_destroy(ctx);
}

typedef void (*change)(small_problem *y);

static void refuse(change apply, const char *text)
{
    ss_context *ctx = test_context();
    small_problem y;
    good(&y, ctx);
    apply(&y);
    CHECK_FAILS(ctx, ss_problem_check(ctx, &y.p), SS_ERR_INPUT, text);
    sp_close(&y);
    ss_context_destroy(ctx);
}

static void nan_in_b(small_problem *y) { y->b[1] = NAN; }
static void inf_in_c(small_problem *y) { y->c[0] = INFINITY; }
static void nan_in_w(small_problem *y) { y->w[3] = NAN; }
static void nan_in_mass(small_problem *y) { y->M[4] = NAN; }
static void nan_in_v_old(small_problem *y) { y->v_old[2] = NAN; }
static void nan_in_row(small_problem *y) { y->p.H.x[0] = NAN; }
static void nan_direction(small_problem *y) { y->direction[2] = NAN; }

TEST(numbers_that_are_not_finite_are_refused)
{
    refuse(nan_in_b, "b[1]");
    refuse(inf_in_c, "c[0]");
    refuse(nan_in_w, "w[3]");
    refuse(nan_in_mass, "scale[4]");
    refuse(nan_in_v_old, "v_old[2]");
    refuse(nan_in_row, "row 0 of H");
    refuse(nan_direction, "direction[2]");
}

static void negative_size(small_problem *y) { y->p.nc = -1; }
static void dimension_four(small_problem *y) { y->p.dimension = 4; }
static void short_joint(small_problem *y) { y->p.nj = 2; }
static void wide_rows(small_problem *y) { y->p.H.n = 4; }
static void column_outside(small_problem *y) { y->p.G.i[0] = 3; }
static void rows_backwards(small_problem *y) { y->p.H.p[1] = y->p.H.p[2] + 1; }
static void first_entry(small_problem *y) { y->p.G.p[0] = 1; }
static void first_row(small_problem *y) { y->row[0] = 1; }
static void block_gap(small_problem *y) { y->offset[0] = 1; }
static void short_blocks(small_problem *y) { y->p.scale.blocks = 0; }
static void no_b(small_problem *y) { y->p.b = NULL; }
static void sparse_without_matrix(small_problem *y) { y->p.A.diagonal = (ss_blockdiag){ 0 }; }
static void blocks_cut_otherwise(small_problem *y)
{
    static const int offset[] = { 0, 1 }, size[] = { 1, 2 }, start[] = { 0, 1 };
    static double x[] = { 1, 1, 0, 0, 1 };
    y->p.A.diagonal =
        (ss_blockdiag){ .blocks = y->p.scale.blocks, .n = 3, .offset = offset, .size = size, .start = start, .x = x };
}
static void local_without_matrix(small_problem *y) { y->p.local = true; }

TEST(sizes_and_patterns_that_do_not_fit_are_refused)
{
    refuse(blocks_cut_otherwise, "of A has offset");
    refuse(negative_size, "-1 contacts");
    refuse(dimension_four, "dimension 4");
    refuse(short_joint, "G is 1 x 3, expected 2 x 3");
    refuse(wide_rows, "H is 5 x 4, expected 5 x 3");
    refuse(column_outside, "column 3");
    refuse(rows_backwards, "row 1 of H ends before it begins");
    refuse(first_entry, "G begins at entry 1");
    refuse(first_row, "begins at row 1");
    refuse(block_gap, "offset 1");
    refuse(short_blocks, "cover 0 velocities");
    refuse(no_b, "b is missing");
    refuse(sparse_without_matrix, "block 0 of scale is not that of A");
    refuse(local_without_matrix, "W is 0 x 0");
}

static void no_law(small_problem *y) { y->law[1] = 0; }
static void two_laws(small_problem *y) { y->law[1] = SS_LAW_POLYHEDRAL | SS_LAW_COULOMB; }
static void impact_law(small_problem *y) { y->law[1] = SS_LAW_POISSON; }
static void negative_mu(small_problem *y) { y->mu[1] = -0.1; }
static void nan_mu(small_problem *y) { y->mu[1] = NAN; }
static void infinite_bound(small_problem *y) { y->mu[2] = INFINITY; }
static void wrong_rows(small_problem *y) { y->law[1] = SS_LAW_UNILATERAL; }
static void lopsided(small_problem *y) { y->direction[0] = 0.9; }
static void no_directions(small_problem *y) { y->dir[2] = y->dir[3] = y->dir[1]; }

TEST(laws_that_make_no_sense_are_refused)
{
    refuse(no_law, "contact 1 has law 0");
    refuse(two_laws, "contact 1 has law 6");
    refuse(impact_law, "contact 1 has law 512");
    refuse(negative_mu, "contact 1 has mu -0.1");
    refuse(nan_mu, "contact 1 has mu nan");
    refuse(infinite_bound, "contact 2 has mu inf");
    refuse(wrong_rows, "contact 1 has 3 rows, expected 1");
    refuse(lopsided, "contact 1 has direction (0.9, 0) but not its opposite");
    refuse(no_directions, "contact 1 has no direction");
}

TEST(the_opposite_of_a_direction_may_stand_anywhere_in_the_set)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1, 1, 1 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, shuffled[] = { 1, 0, -1, 0, 0, 1, 0, -1 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 4, shuffled);
    CHECK_OK(ctx, ss_problem_check(ctx, &y.p));
    y.direction[7] = -0.9;
    CHECK_FAILS(ctx, ss_problem_check(ctx, &y.p), SS_ERR_INPUT, "contact 0 has direction (0, 1) but not its opposite");
    sp_close(&y);
    ss_context_destroy(ctx);
}

static void nearly_opposite(small_problem *y) { y->direction[0] += 2e-11; }

/* sines and cosines are off by 1e-16 each; a part of 1e-12 of the length of a direction is allowed */
TEST(directions_are_opposite_up_to_round_off_only)
{
    ss_context *ctx = test_context();
    small_problem y;
    good(&y, ctx);
    y.direction[0] += 2e-13;
    CHECK_OK(ctx, ss_problem_check(ctx, &y.p));
    sp_close(&y);
    ss_context_destroy(ctx);
    refuse(nearly_opposite, "direction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_problem_passes),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(sizes_and_patterns_that_do_not_fit_are_refused),
        cmocka_unit_test(laws_that_make_no_sense_are_refused),
        cmocka_unit_test(the_opposite_of_a_direction_may_stand_anywhere_in_the_set),
        cmocka_unit_test(directions_are_opposite_up_to_round_off_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
