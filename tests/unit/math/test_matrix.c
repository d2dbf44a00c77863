/* Matrices of diagonal blocks and a sparse part, against the same matrix written out in full. */
#include "math/matrix.h"
#include "test.h"

enum { N = 7, BLOCKS = 3 };

/* blocks of 2, 3 and 2 rows, and a sparse part that couples the first with the last */
typedef struct example {
    ss_context *ctx;
    int offset[BLOCKS], size[BLOCKS], start[BLOCKS];
    double x[17], full[N][N];
    ss_matrix A;
} example;

static void put(example *e, int i, int j, double value)
{
    CHECK_OK(e->ctx, ss_csr_push(e->ctx, &e->A.sparse, j, value));
    e->full[i][j] += value;
}

static void put_blocks(example *e)
{
    const double block[17] = { 4, 1, 1, 3, 5, 1, 0, 1, 6, 2, 0, 2, 7, 2, -1, -1, 2 };
    for (int b = 0, row = 0, at = 0; b < BLOCKS; b++) {
        e->offset[b] = row;
        e->size[b] = b == 1 ? 3 : 2;
        e->start[b] = at;
        for (int i = 0; i < e->size[b] * e->size[b]; i++) {
            e->x[at + i] = block[at + i];
            e->full[row + i / e->size[b]][row + i % e->size[b]] += block[at + i];
        }
        row += e->size[b];
        at += e->size[b] * e->size[b];
    }
    e->A.diagonal = (ss_blockdiag){ BLOCKS, N, e->offset, e->size, e->start, e->x, NULL };
}

/* skew: what makes the sparse part unsymmetric */
static void make(example *e, bool blocks, bool sparse, double skew)
{
    memset(e, 0, sizeof *e);
    e->ctx = test_context();
    e->A.symmetric = skew == 0;
    if (blocks) {
        put_blocks(e);
    }
    for (int i = 0; sparse && i < N; i++) {
        e->A.sparse.n = N;
        if (!blocks || i == 0 || i == 5) {
            put(e, i, i, 2);
        }
        if (i == 0 || i == 5) {
            put(e, i, 5 - i, i == 0 ? -0.5 : -0.5 + skew);
        }
        CHECK_OK(e->ctx, ss_csr_end_row(e->ctx, &e->A.sparse));
    }
}

static void end(example *e)
{
    ss_csr_free(e->ctx, &e->A.sparse);
    ss_context_destroy(e->ctx);
}

static void multiply(const example *e, const double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++) {
            y[i] += e->full[i][j] * x[j];
        }
    }
}

/* blocks alone, a sparse matrix alone, both; symmetric and not */
static const struct {
    bool blocks, sparse;
    double skew;
} FORMS[] = { { true, false, 0 }, { false, true, 0 }, { false, true, 0.3 }, { true, true, 0 }, { true, true, 0.3 } };

TEST(products_are_those_of_the_full_matrix_in_every_form)
{
    const double x[N] = { 1, -2, 3, 0.5, 4, -1, 2 };
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++) {
        example e;
        double y[N] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN }, expected[N];
        make(&e, FORMS[f].blocks, FORMS[f].sparse, FORMS[f].skew);
        multiply(&e, x, expected);
        ss_matrix_times(&e.A, x, y);
        CHECK(ss_matrix_rows(&e.A) == N);
        CHECK(ss_matrix_is_block_diagonal(&e.A) == !FORMS[f].sparse);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(y[i], expected[i], 1e-14);
        }
        end(&e);
    }
}

TEST(a_factor_solves_with_the_matrix_in_every_form_and_follows_its_numbers)
{
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++) {
        example e;
        ss_matrix_factor *factor;
        make(&e, FORMS[f].blocks, FORMS[f].sparse, FORMS[f].skew);
        CHECK_OK(e.ctx, ss_matrix_factor_create(e.ctx, &factor));
        for (int change = 0; change < 2; change++) {
            const double x[N] = { 1, -2, 3, 0.5, 4, -1, 2 };
            double b[N];
            if (FORMS[f].blocks && change > 0) {
                e.x[0] += 1;
                e.full[0][0] += 1;
            }
            multiply(&e, x, b);
            CHECK_OK(e.ctx, ss_matrix_factor_update(factor, &e.A));
            CHECK_OK(e.ctx, ss_matrix_factor_solve(factor, b));
            for (int i = 0; i < N; i++) {
                CHECK_NEAR(b[i], x[i], 1e-13); /* condition about 10 */
            }
        }
        ss_matrix_factor_destroy(factor);
        end(&e);
    }
}

TEST(a_matrix_that_is_not_positive_definite_is_refused_where_it_should_be)
{
    example e;
    ss_matrix_factor *factor;
    make(&e, true, true, 0);
    CHECK_OK(e.ctx, ss_matrix_factor_create(e.ctx, &factor));
    e.x[0] = -10;
    CHECK_FAILS(e.ctx, ss_matrix_factor_update(factor, &e.A), SS_ERR_NUMERIC, "not positive definite");
    e.A.symmetric = false; /* nothing is said of it: LU */
    CHECK_OK(e.ctx, ss_matrix_factor_update(factor, &e.A));
    ss_matrix_factor_destroy(factor);
    end(&e);
}

TEST(both_parts_are_merged_without_duplicates)
{
    example e;
    ss_csr C = { 0 };
    int seen[N];
    make(&e, true, true, 0.3);
    CHECK_OK(e.ctx, ss_matrix_merge(e.ctx, &e.A, seen, &C));
    CHECK(C.m == N && C.n == N && C.p[N] == 17 + 2); /* the blocks, and two entries outside them */
    for (int i = 0; i < N; i++) {
        for (int k = C.p[i]; k < C.p[i + 1]; k++) {
            CHECK_NEAR(C.x[k], e.full[i][C.i[k]], 0);
        }
    }
    ss_csr_free(e.ctx, &C);
    end(&e);
}

TEST(the_scale_of_a_row_is_its_square_in_the_inverse_of_the_blocks)
{
    example e;
    ss_csr R = { .n = N };
    ss_row_scales scales = { 0 };
    ss_row_shares shares = { 0 };
    double L[17], out[2], x[N] = { 1, -2, 0, 0, 3, 0, 0 };
    make(&e, true, false, 0);
    for (int i = 0; i < 2; i++) { /* the second row writes column 1 in two halves */
        CHECK_OK(e.ctx, ss_csr_push(e.ctx, &R, 0, 1));
        CHECK_OK(e.ctx, ss_csr_push(e.ctx, &R, 1, i == 0 ? -2 : -1));
        CHECK_OK(e.ctx, ss_csr_push(e.ctx, &R, 4, 3));
        if (i == 1) {
            CHECK_OK(e.ctx, ss_csr_push(e.ctx, &R, 1, -1));
        }
        CHECK_OK(e.ctx, ss_csr_end_row(e.ctx, &R));
    }
    CHECK_OK(e.ctx, ss_blockdiag_factor(e.ctx, &e.A.diagonal, L));
    CHECK_OK(e.ctx, ss_row_scales_update(e.ctx, &scales, &e.A.diagonal, L));
    CHECK_OK(e.ctx, ss_row_scales_of(e.ctx, &scales, &e.A.diagonal, L, &R, NULL, out, &shares));
    double solved[N], expected = 0;
    memcpy(solved, x, sizeof solved);
    ss_blockdiag_solve(&e.A.diagonal, L, solved);
    for (int i = 0; i < N; i++) {
        expected += x[i] * solved[i];
    }
    CHECK_NEAR(out[0], expected, 1e-14);
    CHECK_NEAR(out[1], expected, 1e-14);
    ss_row_scales_free(e.ctx, &scales);
    ss_row_shares_free(e.ctx, &shares);
    ss_csr_free(e.ctx, &R);
    end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_full_matrix_in_every_form),
        cmocka_unit_test(a_factor_solves_with_the_matrix_in_every_form_and_follows_its_numbers),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused_where_it_should_be),
        cmocka_unit_test(both_parts_are_merged_without_duplicates),
        cmocka_unit_test(the_scale_of_a_row_is_its_square_in_the_inverse_of_the_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
