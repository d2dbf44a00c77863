/* The limit eps -> 0 of (B + eps C) x = g: against solutions for small eps, and the equations that it obeys. */
#include "math/dense.h"
#include "math/limit.h"
#include "test.h"

enum { N = 7, RANK = 4 };

static double number(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

/* B of rank RANK, C nearly the identity, and g in the range of B */
static void make(uint64_t *seed, double *B, double *C, double *g)
{
    double P[N * RANK], Q[RANK * N], x[N];
    for (int i = 0; i < N * RANK; i++) {
        P[i] = number(seed);
        Q[i] = number(seed);
    }
    ss_dense_product(N, N, RANK, 1, P, N, Q, RANK, 0, B, N);
    for (int i = 0; i < N * N; i++) {
        C[i] = 0.2 * number(seed) + (i % (N + 1) == 0);
    }
    memset(g, 0, N * sizeof *g);
    for (int i = 0; i < N; i++) {
        x[i] = number(seed);
    }
    ss_dense_times(N, N, 1, B, N, x, g);
}

static void solve_with(double eps, const double *B, const double *C, const double *g, double *x)
{
    double A[N * N];
    int pivots[N];
    for (int i = 0; i < N * N; i++) {
        A[i] = B[i] + eps * C[i];
    }
    memcpy(x, g, N * sizeof *x);
    CHECK(ss_dense_lu(N, A, N, pivots));
    ss_dense_lu_solve(N, A, N, pivots, x);
}

TEST(the_limit_is_that_of_small_eps)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    uint64_t seed = 7;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 12, &arena));
    for (int trial = 0; trial < 30; trial++) {
        double B[N * N], C[N * N], g[N], x[N], coarse[N], fine[N], Bx[N] = { 0 };
        ss_limit limit;
        bool exists;
        ss_arena_reset(arena);
        make(&seed, B, C, g);
        solve_with(2e-6, B, C, g, coarse);
        solve_with(1e-6, B, C, g, fine);
        CHECK_OK(ctx, ss_limit_factor(arena, N, B, C, 1e-10, &limit, &exists));
        CHECK(exists && limit.rank == RANK);
        double given[N];
        memcpy(given, g, sizeof g);
        ss_limit_solve(&limit, g, x);
        ss_dense_times(N, N, 1, B, N, x, Bx);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(g[i], given[i], 1e-12);
            CHECK_NEAR(Bx[i], given[i], 1e-11);
            CHECK_NEAR(x[i], 2 * fine[i] - coarse[i], 1e-6 * (1 + fabs(x[i])));
        }
    }
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(what_is_not_in_the_range_is_taken_away_and_a_regular_matrix_is_solved)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 12, &arena));
    const double B[4] = { 1, 1, 1, 1 }, C[4] = { 1, 0, 0, 1 }, regular[4] = { 2, 0, 1, 4 };
    double g[2] = { 1.5, 0.5 }, x[2], h[2] = { 3, 4 };
    ss_limit limit;
    bool exists;
    CHECK_OK(ctx, ss_limit_factor(arena, 2, B, C, 1e-10, &limit, &exists));
    ss_limit_solve(&limit, g, x);
    CHECK_NEAR(g[0], 1, 1e-15); /* the nearest point of the range */
    CHECK_NEAR(g[1], 1, 1e-15);
    CHECK_NEAR(x[0], 0.5, 1e-15);
    CHECK_NEAR(x[1], 0.5, 1e-15);
    CHECK_OK(ctx, ss_limit_factor(arena, 2, regular, C, 1e-10, &limit, &exists));
    ss_limit_solve(&limit, h, x);
    CHECK(exists && limit.rank == 2);
    CHECK_NEAR(x[0], 1, 1e-15);
    CHECK_NEAR(x[1], 1, 1e-15);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(without_a_weight_on_the_null_space_there_is_no_limit)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    CHECK_OK(ctx, ss_arena_create(ctx, 1 << 12, &arena));
    const double B[4] = { 1, 0, 0, 0 }, C[4] = { 1, 0, 0, 0 };
    ss_limit limit;
    bool exists;
    CHECK_OK(ctx, ss_limit_factor(arena, 2, B, C, 1e-10, &limit, &exists));
    CHECK(!exists);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_is_that_of_small_eps),
        cmocka_unit_test(what_is_not_in_the_range_is_taken_away_and_a_regular_matrix_is_solved),
        cmocka_unit_test(without_a_weight_on_the_null_space_there_is_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
