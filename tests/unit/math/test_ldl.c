/* test_ldl.c - sparse LDL' on random matrices, with redundant rows, and on chains. */
#include "base/base.h"
#include "math/ldl.h"
#include "test.h"

enum { N = 30, COLUMNS = 40 };

/* A = R R' from sparse random rows R (N x COLUMNS), dense storage and full pattern by rows */
typedef struct gram {
    double R[N][COLUMNS], A[N][N], x[N * N];
    int p[N + 1], i[N * N];
} gram;

static void multiply(gram *g)
{
    int end = 0;
    for (int r = 0; r < N; r++) {
        g->p[r] = end;
        for (int c = 0; c < N; c++) {
            double s = 0;
            for (int k = 0; k < COLUMNS; k++) {
                s += g->R[r][k] * g->R[c][k];
            }
            g->A[r][c] = s;
            if (s != 0 || r == c) {
                g->i[end] = c;
                g->x[end++] = s;
            }
        }
    }
    g->p[N] = end;
}

static void random_rows(gram *g, uint64_t seed)
{
    uint64_t state = seed;
    for (int r = 0; r < N; r++) {
        for (int k = 0; k < COLUMNS; k++) {
            double x = ss_random_uniform(&state) - 0.5;
            g->R[r][k] = ss_random_uniform(&state) < 0.1 || k == r ? x + (k == r) : 0;
        }
    }
}

static double residual(const gram *g, const double *x, const double *b)
{
    double worst = 0;
    for (int r = 0; r < N; r++) {
        double s = -b[r];
        for (int c = 0; c < N; c++) {
            s += g->A[r][c] * x[c];
        }
        worst = fmax(worst, fabs(s));
    }
    return worst;
}

TEST(random_sparse_systems_are_solved)
{
    ss_context *ctx = test_context();
    ss_ldl *f;
    gram g;
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double b[N], x[N];
        random_rows(&g, seed);
        multiply(&g);
        CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
        ss_ldl_factor(f, g.x, 1e-13, NULL);
        for (int k = 0; k < N; k++) {
            x[k] = b[k] = k - 10;
        }
        ss_ldl_solve(f, x);
        CHECK(ss_ldl_redundant(f) == 0);
        CHECK_NEAR(residual(&g, x, b), 0, 1e-11); /* entries of 20, condition up to 1e3 */
    }
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(dependent_rows_are_counted_and_a_consistent_system_is_solved)
{
    ss_context *ctx = test_context();
    ss_ldl *f;
    gram g;
    double b[N], x[N];
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    random_rows(&g, 9);
    for (int k = 0; k < COLUMNS; k++) {
        g.R[7][k] = 2 * g.R[3][k];
        g.R[20][k] = g.R[3][k] - g.R[15][k] + 0.5 * g.R[28][k];
        g.R[25][k] = 0;
    }
    multiply(&g);
    for (int r = 0; r < N; r++) { /* b = R z lies in the range */
        b[r] = 0;
        for (int k = 0; k < COLUMNS; k++) {
            b[r] += g.R[r][k] * (k % 3 - 1);
        }
        x[r] = b[r];
    }
    CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
    ss_ldl_factor(f, g.x, 1e-13, NULL);
    ss_ldl_solve(f, x);
    CHECK(ss_ldl_redundant(f) == 3);
    CHECK(ss_ldl_is_redundant(f, 25) && x[25] == 0);
    int zeros = 0;
    for (int r = 0; r < N; r++) {
        zeros += ss_ldl_is_redundant(f, r) && x[r] == 0;
    }
    CHECK(zeros == 3);
    CHECK_NEAR(residual(&g, x, b), 0, 1e-12); /* all three equations follow from the others */
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(rows_to_be_skipped_are_left_out)
{
    ss_context *ctx = test_context();
    ss_ldl *f;
    gram g;
    double b[N], x[N];
    bool skip[N] = { false };
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    random_rows(&g, 12);
    multiply(&g);
    skip[4] = skip[17] = true;
    for (int r = 0; r < N; r++) {
        x[r] = b[r] = r + 1;
    }
    CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
    ss_ldl_factor(f, g.x, 1e-13, skip);
    ss_ldl_solve(f, x);
    CHECK(ss_ldl_redundant(f) == 2 && x[4] == 0 && x[17] == 0);
    for (int r = 0; r < N; r++) { /* all other equations hold */
        b[r] = skip[r] ? 0 : b[r];
        for (int c = 0; c < N && skip[r]; c++) {
            b[r] += g.A[r][c] * x[c];
        }
    }
    CHECK_NEAR(residual(&g, x, b), 0, 1e-11); /* as above */
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

/* tridiagonal 2, -1 */
static int chain_entries(ss_context *ctx, ss_ldl *f, int n, double *error)
{
    int *p = calloc((size_t)n + 1, sizeof *p), *i = calloc(3 * (size_t)n, sizeof *i), end = 0;
    double *x = calloc(3 * (size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b);
    for (int r = 0; r < n; r++) {
        for (int c = r > 0 ? r - 1 : 0; c <= r + 1 && c < n; c++) {
            i[end] = c;
            x[end++] = c == r ? 2 : -1;
        }
        p[r + 1] = end;
        b[r] = 1; /* then the solution is (r+1)(n-r)/2 */
    }
    CHECK_OK(ctx, ss_ldl_analyse(f, n, p, i));
    ss_ldl_factor(f, x, 1e-13, NULL);
    ss_ldl_solve(f, b);
    *error = 0;
    for (int r = 0; r < n; r++) {
        double exact = 0.5 * (r + 1.0) * (n - r);
        *error = fmax(*error, fabs(b[r] / exact - 1));
    }
    int entries = ss_ldl_entries(f);
    free(p);
    free(i);
    free(x);
    free(b);
    return entries;
}

TEST(the_smallest_pivot_is_the_squared_sine_of_the_smallest_angle)
{
    /* rows (1, 0) and (cos a, sin a): the second pivot is sin^2 a of its diagonal, whichever row comes first */
    ss_context *ctx = test_context();
    ss_ldl *f;
    const int p[] = { 0, 2, 4 }, i[] = { 0, 1, 0, 1 };
    const bool skip[] = { false, true };
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    CHECK_OK(ctx, ss_ldl_analyse(f, 2, p, i));
    for (double a = 1; a > 1e-3; a /= 2) {
        ss_ldl_factor(f, (double[]){ 1, cos(a), cos(a), 1 }, 1e-13, NULL);
        CHECK_NEAR(ss_ldl_smallest_pivot(f), sin(a) * sin(a), 4e-16); /* 1 - cos^2 a */
    }
    ss_ldl_factor(f, (double[]){ 1, 0.5, 0.5, 1 }, 1e-13, skip);
    CHECK_NEAR(ss_ldl_smallest_pivot(f), 1, 0);
    ss_ldl_factor(f, (double[]){ 1, 0, 0, 0 }, 1e-13, NULL); /* a row that touches nothing */
    CHECK_NEAR(ss_ldl_smallest_pivot(f), 0, 0);
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

/* Rows (1, 0), (1, a), (0, 1): the last depends on the others. The pivot of the second is a^2, known to 1e-16, and so the third,
 * which is zero, comes out as 1e-16/a^2. With the entry (0, 1, b) it is b^2/(1 + b^2), and not zero. */
static int redundant_of(ss_ldl *f, double a, double b)
{
    const double R[3][3] = { { 1, 0, 0 }, { 1, a, 0 }, { 0, 1, b } };
    double x[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            x[3 * i + j] = R[i][0] * R[j][0] + R[i][1] * R[j][1] + R[i][2] * R[j][2];
        }
    }
    ss_ldl_factor(f, x, 1e-13, NULL);
    return ss_ldl_redundant(f);
}

TEST(a_pivot_that_is_nothing_but_rounding_marks_a_dependent_row)
{
    ss_context *ctx = test_context();
    const int p[] = { 0, 3, 6, 9 }, i[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2 };
    ss_ldl *f;
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    CHECK_OK(ctx, ss_ldl_analyse(f, 3, p, i));
    for (double a = 0.9e-2; a > 1e-5; a *= 0.37) {
        CHECK(redundant_of(f, a, 0) == 1);
        CHECK(redundant_of(f, a, 3e-7 / a) == 0); /* b^2 is some fifty roundings of what the pivot is made of, 2/a^2 */
    }
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(a_pivot_that_is_no_number_is_not_forgotten_by_the_pivots_after_it)
{
    ss_context *ctx = test_context();
    const int p[] = { 0, 2, 4, 6, 8 }, i[] = { 0, 1, 0, 1, 2, 3, 2, 3 }; /* two blocks of two rows */
    ss_ldl *f;
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    CHECK_OK(ctx, ss_ldl_analyse(f, 4, p, i));
    for (int block = 0; block < 2; block++) { /* one of them is eliminated first */
        double x[] = { 1, 0.5, 0.5, 1, 1, 0.5, 0.5, 1 };
        x[4 * block + 1] = x[4 * block + 2] = NAN;
        ss_ldl_factor(f, x, 1e-13, NULL);
        CHECK(isnan(ss_ldl_smallest_pivot(f)));
    }
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(a_chain_has_a_factor_of_linear_size)
{
    ss_context *ctx = test_context();
    ss_ldl *f;
    double error;
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    int hundred = chain_entries(ctx, f, 100, &error);
    CHECK(hundred == 99); /* no fill at all in a good order */
    CHECK(chain_entries(ctx, f, 1000, &error) == 999);
    CHECK_NEAR(error, 0, 1e-9); /* condition 4e5, round-off 1e-16 */
    ss_ldl_destroy(f);
    ss_context_destroy(ctx);
}

TEST(a_pattern_is_analysed_once_and_its_refresh_takes_no_memory)
{
    ss_context *ctx = test_context();
    ss_ldl *f;
    gram g;
    CHECK_OK(ctx, ss_ldl_create(ctx, &f));
    random_rows(&g, 4);
    multiply(&g);
    CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
    uint64_t before = ss_context_allocations(ctx);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
        ss_ldl_factor(f, g.x, 1e-13, NULL);
    }
    CHECK(ss_ldl_analyses(f) == 1 && ss_context_allocations(ctx) == before);
    random_rows(&g, 5);
    multiply(&g);
    CHECK_OK(ctx, ss_ldl_analyse(f, N, g.p, g.i));
    CHECK(ss_ldl_analyses(f) == 2);
    ss_ldl_destroy(f);
    ss_ldl_destroy(NULL);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sparse_systems_are_solved),
        cmocka_unit_test(dependent_rows_are_counted_and_a_consistent_system_is_solved),
        cmocka_unit_test(rows_to_be_skipped_are_left_out),
        cmocka_unit_test(the_smallest_pivot_is_the_squared_sine_of_the_smallest_angle),
        cmocka_unit_test(a_pivot_that_is_nothing_but_rounding_marks_a_dependent_row),
        cmocka_unit_test(a_pivot_that_is_no_number_is_not_forgotten_by_the_pivots_after_it),
        cmocka_unit_test(a_chain_has_a_factor_of_linear_size),
        cmocka_unit_test(a_pattern_is_analysed_once_and_its_refresh_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
