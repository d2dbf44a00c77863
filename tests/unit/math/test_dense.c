/* test_dense.c - the pivoted Cholesky factor of a semidefinite matrix: its product, its order, its rank. */
#include "math/dense.h"
#include "test.h"

#include <math.h>

enum { MOST = 48 }; /* small matrices and large ones have code of their own */

/* A = B B', B n x rank, whose rows differ much in size */
static void make(int n, int rank, int ld, uint64_t *seed, double *A)
{
    double B[MOST * MOST];
    for (int i = 0; i < n; i++) {
        const double size = pow(10, 2 * ss_random_uniform(seed) - 1);
        for (int j = 0; j < rank; j++) {
            B[i + n * j] = size * (ss_random_uniform(seed) - 0.5);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[i + ld * j] = 0;
            for (int k = 0; k < rank; k++) {
                A[i + ld * j] += B[i + n * k] * B[j + n * k];
            }
        }
    }
}

/* the largest |A(p, p) - L L'| of the rows and columns that L has */
static double largest_error(int n, int rank, int ld, const double *A, const double *L, const int *p)
{
    double error = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < rank && k <= j; k++) {
                sum += L[i + ld * k] * L[j + ld * k];
            }
            error = fmax(error, fabs(A[p[i] + ld * p[j]] - sum));
        }
    }
    return error;
}

static void check(int n, int rank, uint64_t *seed)
{
    const int ld = n + 1;
    double A[MOST * (MOST + 1)], L[MOST * (MOST + 1)], work[2 * MOST], largest = 0;
    bool seen[MOST] = { false };
    int p[MOST];
    make(n, rank, ld, seed, A);
    memcpy(L, A, sizeof A);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, A[i + ld * i]);
        for (int j = 0; j < i; j++) {
            L[j + ld * i] = NAN; /* the upper triangle is not read */
        }
    }
    const int found = ss_dense_cholesky_pivoted(n, L, ld, 1e-12, p, work);
    CHECK(found == rank);
    for (int i = 0; i < n; i++) {
        CHECK(p[i] >= 0 && p[i] < n && !seen[p[i]]);
        seen[p[i]] = true;
    }
    for (int i = 1; i < found; i++) { /* the largest that is left comes first */
        CHECK(L[i * (ld + 1)] <= L[(i - 1) * (ld + 1)] * (1 + 1e-12));
    }
    CHECK(largest_error(n, found, ld, A, L, p) <= 1e-11 * largest);
}

TEST(a_pivoted_cholesky_factor_has_the_rank_and_the_product_of_its_matrix)
{
    uint64_t seed = 3;
    for (int n = 1; n <= MOST; n++) {
        for (int rank = n > 6 ? n - 6 : 1; rank <= n; rank++) {
            check(n, rank, &seed);
        }
    }
}

TEST(a_matrix_of_zeros_has_rank_0_and_what_is_no_number_ends_it)
{
    double zero[9] = { 0 }, wrong[9] = { 4, 0, 0, 0, NAN, 0, 0, 0, 1 }, work[6];
    int p[3];
    CHECK(ss_dense_cholesky_pivoted(3, zero, 3, 1e-12, p, work) == 0);
    CHECK(ss_dense_cholesky_pivoted(3, wrong, 3, 1e-12, p, work) < 3);
    CHECK(ss_dense_cholesky_pivoted(0, zero, 1, 1e-12, p, work) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pivoted_cholesky_factor_has_the_rank_and_the_product_of_its_matrix),
        cmocka_unit_test(a_matrix_of_zeros_has_rank_0_and_what_is_no_number_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
