/* test_sparse_lu.c - small and large matrices against known solutions; patterns, singular matrices, equal bits. */
#include "math/csr.h"
#include "math/sparse_lu.h"
#include "test.h"

#include <math.h>

/* rows of a cubic lattice of `side`^3 points with 3 unknowns each, joined to their neighbours: unsymmetric numbers, diagonal
 * larger than the rest of its row, so that errors are a few times the round-off of x */
static void lattice(ss_context *ctx, int side, uint64_t seed, ss_csr *A)
{
    int n = 3 * side * side * side, step[4] = { 0, 3, 3 * side, 3 * side * side };
    ss_csr_reset(A, n);
    for (int i = 0; i < n; i++) {
        int first = i - i % 3;
        for (int k = -3; k <= 3; k++) {
            int other = first + (k < 0 ? -step[-k] : step[k]);
            for (int c = 0; other >= 0 && other < n && c < 3; c++) {
                double x = ss_random_uniform(&seed) - 0.5;
                CHECK_OK(ctx, ss_csr_push(ctx, A, other + c, other + c == i ? 12 + x : x));
            }
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, A));
    }
}

/* b = A x for x = 1, 2, .., then the largest error of the solution found, relative to n */
static double error_of(ss_context *ctx, ss_sparse_lu *lu, const ss_csr *A, double *x)
{
    bool regular;
    double worst = 0, *exact = calloc((size_t)A->m, sizeof *exact);
    for (int i = 0; i < A->m; i++) {
        exact[i] = i + 1;
    }
    ss_csr_times(A, 1, exact, 0, x);
    CHECK_OK(ctx, ss_sparse_lu_factor(lu, A, &regular));
    CHECK(regular);
    CHECK_OK(ctx, ss_sparse_lu_solve(lu, x));
    for (int i = 0; i < A->m; i++) {
        worst = fmax(worst, fabs(x[i] - exact[i]) / A->m);
    }
    free(exact);
    return worst;
}

static void check(int side, bool large)
{
    ss_context *ctx = test_context();
    ss_sparse_lu *lu;
    ss_csr A = { 0 };
    CHECK_OK(ctx, ss_sparse_lu_create(ctx, &lu));
    lattice(ctx, side, 1, &A);
    CHECK((A.m >= SS_SPARSE_LU_LARGE) == large);
    size_t bytes = (size_t)A.m * sizeof(double);
    double *x = malloc(bytes), *first = malloc(bytes);
    CHECK(error_of(ctx, lu, &A, first) < 1e-13);
    lattice(ctx, side, 2, &A);
    CHECK(error_of(ctx, lu, &A, x) < 1e-13);
    CHECK(ss_sparse_lu_analyses(lu) == 1); /* the numbers changed, the pattern did not */
    lattice(ctx, side - 1, 1, &A);
    CHECK(error_of(ctx, lu, &A, x) < 1e-13);
    CHECK(ss_sparse_lu_analyses(lu) == 2);
    lattice(ctx, side, 1, &A);
    CHECK(error_of(ctx, lu, &A, x) < 1e-13);
    CHECK(memcmp(x, first, bytes) == 0); /* whatever was ordered before */
    free(x);
    free(first);
    ss_csr_free(ctx, &A);
    ss_sparse_lu_destroy(lu);
    ss_context_destroy(ctx);
}

TEST(small_matrices_are_solved_and_ordered_once_for_a_pattern) { check(6, false); }
TEST(large_matrices_are_solved_and_ordered_once_for_a_pattern) { check(10, true); }

static void check_singular(int side)
{
    ss_context *ctx = test_context();
    ss_sparse_lu *lu;
    ss_csr A = { 0 };
    bool regular = true;
    CHECK_OK(ctx, ss_sparse_lu_create(ctx, &lu));
    lattice(ctx, side, 1, &A);
    int row = A.m / 2;
    for (int e = A.p[row]; e < A.p[row + 1]; e++) {
        A.x[e] = 0;
    }
    double *x = calloc((size_t)A.m, sizeof *x);
    CHECK_OK(ctx, ss_sparse_lu_factor(lu, &A, &regular));
    CHECK(!regular);
    CHECK(ss_sparse_lu_solve(lu, x) == SS_ERR_NUMERIC);
    lattice(ctx, side, 1, &A); /* and is none the worse for it */
    CHECK(error_of(ctx, lu, &A, x) < 1e-13);
    free(x);
    ss_csr_free(ctx, &A);
    ss_sparse_lu_destroy(lu);
    ss_context_destroy(ctx);
}

TEST(a_row_of_zeros_is_reported_as_singular)
{
    check_singular(4);
    check_singular(9);
}

/* largest error of a row of A x = b, beside the sum of its terms */
static double backward_error(const ss_csr *A, const double *b, const double *x)
{
    double worst = 0;
    for (int i = 0; i < A->m; i++) {
        double size = fabs(b[i]);
        for (int k = A->p[i]; k < A->p[i + 1]; k++) {
            size += fabs(A->x[k] * x[A->i[k]]);
        }
        worst = fmax(worst, fabs(ss_csr_row_dot(A, i, x) - b[i]) / size);
    }
    return worst;
}

/* KLU keeps to the diagonal down to a thousandth of the column: here entries grow by some hundreds in every other elimination. */
TEST(refinement_makes_every_row_hold_to_round_off_where_pivots_are_small)
{
    enum { SIZE = 8 };
    ss_context *ctx = test_context();
    ss_sparse_lu *lu;
    ss_csr A = { 0 };
    double plain = 0, refined = 0;
    CHECK_OK(ctx, ss_sparse_lu_create(ctx, &lu));
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t state = seed;
        bool regular;
        double b[SIZE], x[SIZE], y[SIZE], scratch[2 * SIZE];
        ss_csr_reset(&A, SIZE);
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                CHECK_OK(ctx, ss_csr_push(ctx, &A, j, i == j ? 2e-3 : 0.5 + ss_random_uniform(&state)));
            }
            CHECK_OK(ctx, ss_csr_end_row(ctx, &A));
            b[i] = x[i] = y[i] = ss_random_uniform(&state);
        }
        CHECK_OK(ctx, ss_sparse_lu_factor(lu, &A, &regular));
        CHECK_OK(ctx, ss_sparse_lu_solve(lu, x));
        CHECK_OK(ctx, ss_sparse_lu_solve_refined(lu, &A, y, scratch));
        plain = fmax(plain, backward_error(&A, b, x));
        refined = fmax(refined, backward_error(&A, b, y));
    }
    CHECK(plain > 3e-14);
    CHECK(refined <= 1e-14);
    ss_csr_free(ctx, &A);
    ss_sparse_lu_destroy(lu);
    ss_context_destroy(ctx);
}

/* Bodies with 3 velocities, each tied to the one before by 2 rows G, at three levels that feel each other as those of galpha_ggl
 * do. K is nearly diagonal, k is small, and the rows of multipliers have no diagonal entry.
 *     [ K  G'  k  0   0  0  ]
 *     [ G  0   k  0   0  0  ]
 *     [ k  0   K  G'  0  0  ]
 *     [ G  0   G  0   0  0  ]
 *     [ k  0   k  0   K  G' ]
 *     [ G  0   k  0   G  0  ] */
static double hinge(int joint_row, int velocity)
{
    const double arm[2][3] = { { 1, 0, 0 }, { 0, 1, 0.5 } };
    const int direction = velocity % 3;
    const double x = arm[joint_row % 2][direction];
    return velocity / 3 == joint_row / 2 ? x : direction < 2 ? -x : x; /* of the body, or the one before */
}

static void put_row(ss_context *ctx, ss_csr *A, int n, int level, int row, uint64_t *seed)
{
    const bool joint = row >= 3 * n;
    const int body = joint ? (row - 3 * n) / 2 : row / 3, before = body > 0 ? body - 1 : 0;
    const int after = body + 1 < n ? body + 1 : body, last = joint ? body : after;
    for (int to = 0; to < (level < 2 ? 2 : 3); to++) {
        const bool whole = to == level || (joint && to == 0);
        for (int j = 3 * before; j < 3 * last + 3; j++) {
            const double x = joint && whole ? hinge(row - 3 * n, j) : 1e-4 * ss_random_uniform(seed);
            CHECK_OK(ctx, ss_csr_push(ctx, A, 5 * n * to + j, (j == row && whole) + (whole ? x : 1e-2 * x)));
        }
        for (int j = 2 * body; !joint && to == level && j < 2 * after + 2; j++) {
            CHECK_OK(ctx, ss_csr_push(ctx, A, 5 * n * to + 3 * n + j, hinge(j, row)));
        }
    }
    CHECK_OK(ctx, ss_csr_end_row(ctx, A));
}

static void hinged_bodies(ss_context *ctx, int n, ss_csr *A)
{
    uint64_t seed = 3;
    ss_csr_reset(A, 15 * n);
    for (int level = 0; level < 3; level++) {
        for (int row = 0; row < 5 * n; row++) {
            put_row(ctx, A, n, level, row, &seed);
        }
    }
}

TEST(factors_of_bodies_with_multipliers_grow_no_faster_than_their_number)
{
    ss_context *ctx = test_context();
    ss_sparse_lu *lu;
    ss_csr A = { 0 };
    int fill[2];
    CHECK_OK(ctx, ss_sparse_lu_create(ctx, &lu));
    for (int k = 0; k < 2; k++) {
        hinged_bodies(ctx, k ? 80 : 20, &A);
        double *x = malloc((size_t)A.m * sizeof *x);
        CHECK(error_of(ctx, lu, &A, x) < 1e-10); /* round-off times the condition */
        fill[k] = ss_sparse_lu_fill(lu);
        free(x);
    }
    CHECK(fill[0] > 0);
    CHECK(fill[1] < 5 * fill[0]);  /* four times as many bodies; 4.1 was seen */
    CHECK(fill[1] < 2 * A.p[A.m]); /* entries of A; 1.6 was seen */
    ss_csr_free(ctx, &A);
    ss_sparse_lu_destroy(lu);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_are_solved_and_ordered_once_for_a_pattern),
        cmocka_unit_test(large_matrices_are_solved_and_ordered_once_for_a_pattern),
        cmocka_unit_test(refinement_makes_every_row_hold_to_round_off_where_pivots_are_small),
        cmocka_unit_test(factors_of_bodies_with_multipliers_grow_no_faster_than_their_number),
        cmocka_unit_test(a_row_of_zeros_is_reported_as_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
