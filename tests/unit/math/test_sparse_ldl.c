/* test_sparse_ldl.c - small and large positive definite matrices against known solutions; patterns, singular matrices, bits. */
#include "math/csr.h"
#include "math/sparse_ldl.h"
#include "test.h"

/* a cubic lattice of `side`^3 points with 3 unknowns each: springs of random stiffness to the neighbours, and to the ground with
 * a stiffness of 1 or, at every other point, of `stiff` */
static void lattice(ss_context *ctx, int side, uint64_t seed, double stiff, ss_csr *A)
{
    int n = 3 * side * side * side, step[4] = { 0, 3, 3 * side, 3 * side * side };
    ss_csr_reset(A, n);
    for (int i = 0; i < n; i++) {
        double ground = i % 2 ? stiff : 1, diagonal = ground;
        for (int k = -3; k <= 3; k++) {
            int other = i + (k < 0 ? -step[-k] : step[k]), low = other < i ? other : i;
            if (k == 0 || other < 0 || other >= n) {
                continue;
            }
            uint64_t state = seed + 7919 * (uint64_t)low + (uint64_t)abs(k); /* the same from both ends */
            double stiffness = 0.1 + ss_random_uniform(&state);
            diagonal += stiffness;
            CHECK_OK(ctx, ss_csr_push(ctx, A, other, -stiffness));
        }
        CHECK_OK(ctx, ss_csr_push(ctx, A, i, diagonal));
        CHECK_OK(ctx, ss_csr_end_row(ctx, A));
    }
}

/* b = A x for x = 1, 2, .., then the largest error of the solution found, relative to n */
static double error_of(ss_context *ctx, ss_sparse_ldl *f, const ss_csr *A, double *x)
{
    bool regular;
    double worst = 0, *exact = calloc((size_t)A->m, sizeof *exact);
    for (int i = 0; i < A->m; i++) {
        exact[i] = i + 1;
    }
    ss_csr_times(A, 1, exact, 0, x);
    CHECK_OK(ctx, ss_sparse_ldl_factor(f, A, &regular));
    CHECK(regular);
    CHECK_OK(ctx, ss_sparse_ldl_solve(f, x));
    for (int i = 0; i < A->m; i++) {
        worst = fmax(worst, fabs(x[i] - exact[i]) / A->m);
    }
    free(exact);
    return worst;
}

static void check(int side, bool large)
{
    ss_context *ctx = test_context();
    ss_sparse_ldl *f;
    ss_csr A = { 0 };
    CHECK_OK(ctx, ss_sparse_ldl_create(ctx, &f));
    lattice(ctx, side, 1, 1, &A);
    CHECK((A.m >= SS_SPARSE_LDL_LARGE) == large);
    size_t bytes = (size_t)A.m * sizeof(double);
    double *x = malloc(bytes), *first = malloc(bytes);
    CHECK(error_of(ctx, f, &A, first) < 1e-13); /* condition 10 */
    lattice(ctx, side, 2, 1e12, &A);            /* scales of all kinds need no pivots */
    CHECK(error_of(ctx, f, &A, x) < 1e-13);
    CHECK(ss_sparse_ldl_analyses(f) == 1); /* the numbers changed, the pattern did not */
    lattice(ctx, side - 1, 1, 1, &A);
    CHECK(error_of(ctx, f, &A, x) < 1e-13);
    CHECK(ss_sparse_ldl_analyses(f) == 2);
    lattice(ctx, side, 1, 1, &A);
    CHECK(error_of(ctx, f, &A, x) < 1e-13);
    CHECK(memcmp(x, first, bytes) == 0); /* whatever was ordered before */
    free(x);
    free(first);
    ss_csr_free(ctx, &A);
    ss_sparse_ldl_destroy(f);
    ss_sparse_ldl_destroy(NULL);
    ss_context_destroy(ctx);
}

TEST(small_matrices_are_solved_and_ordered_once_for_a_pattern) { check(6, false); }
TEST(large_matrices_are_solved_and_ordered_once_for_a_pattern) { check(9, true); }

static void check_singular(int side)
{
    ss_context *ctx = test_context();
    ss_sparse_ldl *f;
    ss_csr A = { 0 };
    bool regular = true;
    CHECK_OK(ctx, ss_sparse_ldl_create(ctx, &f));
    lattice(ctx, side, 1, 1, &A);
    int gone = A.m / 2;
    for (int i = 0; i < A.m; i++) {
        for (int e = A.p[i]; e < A.p[i + 1]; e++) {
            A.x[e] = i == gone || A.i[e] == gone ? 0 : A.x[e];
        }
    }
    double *x = calloc((size_t)A.m, sizeof *x);
    CHECK_OK(ctx, ss_sparse_ldl_factor(f, &A, &regular));
    CHECK(!regular);
    CHECK(ss_sparse_ldl_solve(f, x) == SS_ERR_NUMERIC);
    lattice(ctx, side, 1, 1, &A); /* and is none the worse for it */
    CHECK(error_of(ctx, f, &A, x) < 1e-13);
    free(x);
    ss_csr_free(ctx, &A);
    ss_sparse_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(an_unknown_without_any_stiffness_is_reported_as_singular)
{
    check_singular(4);
    check_singular(9);
}

static double *entry(ss_csr *A, int row, int column)
{
    int e = A->p[row];
    while (A->i[e] != column) {
        e++;
    }
    return &A->x[e];
}

/* one diagonal entry of `value` in a lattice that is sound otherwise */
static void check_wrong(int side, double value)
{
    ss_context *ctx = test_context();
    ss_sparse_ldl *f;
    ss_csr A = { 0 };
    bool regular = true;
    CHECK_OK(ctx, ss_sparse_ldl_create(ctx, &f));
    lattice(ctx, side, 1, 1, &A);
    *entry(&A, A.m / 2, A.m / 2) = value;
    double *x = calloc((size_t)A.m, sizeof *x);
    CHECK_OK(ctx, ss_sparse_ldl_factor(f, &A, &regular));
    CHECK(!regular);
    CHECK(ss_sparse_ldl_solve(f, x) == SS_ERR_NUMERIC);
    lattice(ctx, side, 1, 1, &A);
    CHECK(error_of(ctx, f, &A, x) < 1e-13);
    x[0] = NAN;
    CHECK(ss_sparse_ldl_solve(f, x) == SS_ERR_NUMERIC);
    free(x);
    ss_csr_free(ctx, &A);
    ss_sparse_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(indefinite_matrices_and_numbers_that_are_none_are_not_regular)
{
    for (int side = 4; side <= 9; side += 5) { /* by ldl.c, by MUMPS */
        check_wrong(side, -10);
        check_wrong(side, NAN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_are_solved_and_ordered_once_for_a_pattern),
        cmocka_unit_test(large_matrices_are_solved_and_ordered_once_for_a_pattern),
        cmocka_unit_test(an_unknown_without_any_stiffness_is_reported_as_singular),
        cmocka_unit_test(indefinite_matrices_and_numbers_that_are_none_are_not_regular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
