/* test_csr.c - sparse rows and block-diagonal matrices against dense arithmetic. */
#include "math/csr.h"
#include "test.h"

enum { ROWS = 7, COLUMNS = 5 };

/* about half of the entries, in a pattern that leaves row 3 empty */
static void fill(ss_context *ctx, ss_csr *A, double dense[ROWS][COLUMNS], uint64_t seed)
{
    uint64_t state = seed;
    ss_csr_reset(A, COLUMNS);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double x = ss_random_uniform(&state) - 0.5;
            dense[i][j] = i != 3 && ss_random_uniform(&state) < 0.5 ? x : 0;
            if (dense[i][j] != 0) {
                CHECK_OK(ctx, ss_csr_push(ctx, A, j, x));
            }
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, A));
    }
}

TEST(products_agree_with_dense_arithmetic)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 };
    double dense[ROWS][COLUMNS], x[COLUMNS] = { 1, -2, 3, 0.5, 4 }, z[ROWS] = { 1, 2, -1, 3, 0.5, -2, 1 }, y[ROWS], t[COLUMNS];
    fill(ctx, &A, dense, 3);
    for (int i = 0; i < ROWS; i++) {
        y[i] = NAN; /* beta 0 overwrites whatever is there */
    }
    for (int j = 0; j < COLUMNS; j++) {
        t[j] = 1;
    }
    ss_csr_times(&A, 2, x, 0, y);
    ss_csr_transpose_times(&A, -1, z, 3, t);
    for (int i = 0; i < ROWS; i++) {
        double s = 0;
        for (int j = 0; j < COLUMNS; j++) {
            s += 2 * dense[i][j] * x[j];
        }
        CHECK_NEAR(y[i], s, 1e-14); /* at most 5 products of size 2 */
    }
    for (int j = 0; j < COLUMNS; j++) {
        double s = 3;
        for (int i = 0; i < ROWS; i++) {
            s -= dense[i][j] * z[i];
        }
        CHECK_NEAR(t[j], s, 1e-14);
    }
    ss_csr_free(ctx, &A);
    ss_context_destroy(ctx);
}

TEST(transpose_twice_is_the_matrix_itself)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 }, T = { 0 }, B = { 0 };
    double dense[ROWS][COLUMNS];
    fill(ctx, &A, dense, 5);
    CHECK_OK(ctx, ss_csr_transpose(ctx, &A, &T));
    CHECK(T.m == COLUMNS && T.n == ROWS);
    for (int i = 0; i < T.m; i++) {
        for (int e = T.p[i]; e < T.p[i + 1]; e++) {
            CHECK_NEAR(T.x[e], dense[T.i[e]][i], 0);
        }
    }
    CHECK_OK(ctx, ss_csr_transpose(ctx, &T, &B));
    CHECK(B.m == A.m && B.p[B.m] == A.p[A.m]);
    CHECK(memcmp(A.i, B.i, sizeof(int) * (size_t)A.p[A.m]) == 0 && memcmp(A.x, B.x, sizeof(double) * (size_t)A.p[A.m]) == 0);

    /* a transposed matrix can be built on like any other */
    CHECK_OK(ctx, ss_csr_push(ctx, &T, 2, 9));
    CHECK_OK(ctx, ss_csr_end_row(ctx, &T));
    CHECK(T.m == COLUMNS + 1 && T.p[T.m] == T.p[T.m - 1] + 1);
    ss_csr_free(ctx, &A);
    ss_csr_free(ctx, &T);
    ss_csr_free(ctx, &B);
    ss_context_destroy(ctx);
}

TEST(rebuilding_takes_no_memory)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 };
    double dense[ROWS][COLUMNS];
    fill(ctx, &A, dense, 7);
    uint64_t before = ss_context_allocations(ctx);
    fill(ctx, &A, dense, 7);
    CHECK(ss_context_allocations(ctx) == before);
    ss_csr_free(ctx, &A);
    ss_context_destroy(ctx);
}

TEST(a_column_out_of_range_is_refused)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 };
    ss_csr_reset(&A, 4);
    CHECK_FAILS(ctx, ss_csr_push(ctx, &A, 4, 1), SS_ERR_INPUT, "column 4, expected 0 to 3");
    CHECK_FAILS(ctx, ss_csr_push(ctx, &A, -1, 1), SS_ERR_INPUT, "column -1");
    ss_csr_free(ctx, &A);
    ss_context_destroy(ctx);
}

/* blocks of 1, 2 and 3 rows */
static double values[] = { 4, 2, 1, 1, 3, 5, 1, 0.5, 1, 6, -1, 0.5, -1, 7 };
static const int offset[] = { 0, 1, 3 }, size[] = { 1, 2, 3 }, start[] = { 0, 1, 5 };
static const ss_blockdiag blocks = { .blocks = 3, .n = 6, .offset = offset, .size = size, .start = start, .x = values };

TEST(a_run_of_entries_is_the_same_as_one_after_the_other)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 }, B = { 0 };
    const double x[] = { 3, 0, -2, 5 };
    ss_csr_reset(&A, 6);
    ss_csr_reset(&B, 6);
    for (int row = 0; row < 3; row++) {
        CHECK_OK(ctx, ss_csr_push_run(ctx, &A, row, 4, x));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
        for (int k = 0; k < 4; k++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &B, row + k, x[k]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &B));
    }
    CHECK(ss_csr_same_pattern(&A, &B) && memcmp(A.x, B.x, (size_t)B.p[3] * sizeof *B.x) == 0);
    CHECK_FAILS(ctx, ss_csr_push_run(ctx, &A, 3, 4, x), SS_ERR_INPUT, "columns 3 to 6, expected 0 to 5");
    CHECK_FAILS(ctx, ss_csr_push_run(ctx, &A, -1, 4, x), SS_ERR_INPUT, "columns -1 to 2");
    ss_csr_free(ctx, &A);
    ss_csr_free(ctx, &B);
    ss_context_destroy(ctx);
}

TEST(rows_of_a_known_length_are_the_same_as_rows_that_are_pushed)
{
    ss_context *ctx = test_context();
    ss_csr A = { 0 }, B = { 0 };
    const double x[] = { 3, 0, -2, 5, 1, 7 };
    int place;
    ss_csr_reset(&A, 6);
    ss_csr_reset(&B, 6);
    for (int block = 0; block < 2; block++) { /* 2 rows of 3 entries, then one that is pushed */
        CHECK_OK(ctx, ss_csr_extend(ctx, &A, 2, 3, &place));
        for (int k = 0; k < 6; k++) {
            A.i[place + k] = block + k % 3;
            A.x[place + k] = x[k];
        }
        CHECK_OK(ctx, ss_csr_push_run(ctx, &A, 1, 2, x));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
        for (int row = 0; row < 3; row++) {
            CHECK_OK(ctx, ss_csr_push_run(ctx, &B, row < 2 ? block : 1, row < 2 ? 3 : 2, row < 2 ? x + 3 * row : x));
            CHECK_OK(ctx, ss_csr_end_row(ctx, &B));
        }
    }
    CHECK(A.m == 6 && ss_csr_same_pattern(&A, &B) && memcmp(A.x, B.x, (size_t)B.p[6] * sizeof *B.x) == 0);
    ss_csr_free(ctx, &A);
    ss_csr_free(ctx, &B);
    ss_context_destroy(ctx);
}

TEST(a_block_solve_undoes_a_block_product)
{
    ss_context *ctx = test_context();
    double L[14], x[6] = { 1, -2, 3, 4, -5, 6 }, y[6];
    CHECK_OK(ctx, ss_blockdiag_factor(ctx, &blocks, L));
    ss_blockdiag_times(&blocks, x, y);
    CHECK_NEAR(y[1], 2 * -2 + 1 * 3, 0);
    ss_blockdiag_solve(&blocks, L, y);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(y[i], x[i], 1e-14); /* condition below 10 */
    }
    ss_context_destroy(ctx);
}

TEST(an_indefinite_block_is_named)
{
    ss_context *ctx = test_context();
    double x[] = { 4, 2, 3, 3, 1 }, L[5];
    const ss_blockdiag bad = { .blocks = 2, .n = 3, .offset = offset, .size = size, .start = start, .x = x };
    CHECK_FAILS(ctx, ss_blockdiag_factor(ctx, &bad, L), SS_ERR_NUMERIC, "block 1");
    ss_context_destroy(ctx);
}

/* factors of the kept kind against those made afresh */
static void check_factor(ss_context *ctx, const ss_block_factor *f, const ss_blockdiag *M)
{
    double L[14], kept[6] = { 1, -2, 3, 4, -5, 6 }, fresh[6] = { 1, -2, 3, 4, -5, 6 };
    CHECK_OK(ctx, ss_blockdiag_factor(ctx, M, L));
    ss_blockdiag_solve(M, f->L, kept);
    ss_blockdiag_solve(M, L, fresh);
    CHECK(memcmp(kept, fresh, sizeof kept) == 0);
}

TEST(factors_that_are_kept_follow_every_change_of_numbers_and_layout)
{
    ss_context *ctx = test_context();
    ss_block_factor f = { 0 };
    double x[14], square[] = { 4, 0, 0, 4 };
    const int at[] = { 0, 1, 2, 3 }, one[] = { 1, 1, 1, 1 }, two[] = { 2 };
    memcpy(x, values, sizeof x);
    ss_blockdiag M = blocks;
    M.x = x;
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &M));
    check_factor(ctx, &f, &M);
    uint64_t before = ss_context_allocations(ctx);
    x[8] = 1; /* the last block, its first row alone: what is factorised is the lower triangle */
    x[5 + 4] = 8;
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &M));
    check_factor(ctx, &f, &M);
    x[1] = 0.1; /* refused half way, then as it was: nothing of the failed call is believed */
    CHECK_FAILS(ctx, ss_block_factor_update(ctx, &f, &M), SS_ERR_NUMERIC, "block 1");
    x[1] = 2;
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &M));
    check_factor(ctx, &f, &M);
    CHECK(ss_context_allocations(ctx) == before);

    /* the same four numbers as one block, whose factor is not that of four */
    square[1] = square[2] = 1;
    const ss_blockdiag four = { .blocks = 4, .n = 4, .offset = at, .size = one, .start = at, .x = square };
    const ss_blockdiag whole = { .blocks = 1, .n = 2, .offset = at, .size = two, .start = at, .x = square };
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &four));
    CHECK_NEAR(f.L[2], 1, 0);
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &whole));
    CHECK_NEAR(f.L[2], 0.5, 0);
    ss_block_factor_free(ctx, &f);
    ss_context_destroy(ctx);
}

TEST(factors_that_a_matrix_brings_along_are_taken_and_not_copied)
{
    ss_context *ctx = test_context();
    ss_block_factor f = { 0 };
    double L[14];
    ss_blockdiag known = blocks;
    CHECK_OK(ctx, ss_blockdiag_factor(ctx, &blocks, L));
    known.factor = L;
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &known));
    CHECK(f.L == L && ss_context_allocations(ctx) == before);
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &blocks)); /* the same matrix, without them */
    CHECK(f.L != L);
    check_factor(ctx, &f, &blocks);
    CHECK_OK(ctx, ss_block_factor_update(ctx, &f, &known));
    CHECK(f.L == L);
    ss_block_factor_free(ctx, &f);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_dense_arithmetic),
        cmocka_unit_test(transpose_twice_is_the_matrix_itself),
        cmocka_unit_test(rebuilding_takes_no_memory),
        cmocka_unit_test(a_column_out_of_range_is_refused),
        cmocka_unit_test(a_run_of_entries_is_the_same_as_one_after_the_other),
        cmocka_unit_test(rows_of_a_known_length_are_the_same_as_rows_that_are_pushed),
        cmocka_unit_test(a_block_solve_undoes_a_block_product),
        cmocka_unit_test(an_indefinite_block_is_named),
        cmocka_unit_test(factors_that_are_kept_follow_every_change_of_numbers_and_layout),
        cmocka_unit_test(factors_that_a_matrix_brings_along_are_taken_and_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
