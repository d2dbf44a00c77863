/* test_pivot.c - Lemke's method on dense LCPs, against enumeration of all complementary bases. */
#include "base/base.h"
#include "math/dense.h"
#include "solvers/lemke/basis.h"
#include "solvers/lemke/pivot.h"
#include "test.h"

enum { MAX = 8 };

typedef struct lcp {
    int n;
    double M[MAX * MAX], q[MAX], z[MAX]; /* M by columns */
    bool basic[MAX];
    ss_pivot_result result;
} lcp;

static void add_times(const void *data, const double *z, long double *w)
{
    const lcp *p = data;
    for (int k = 0; k < p->n * p->n; k++) {
        w[k % p->n] += (long double)p->M[k] * z[k / p->n];
    }
}

static void gather(const void *data, int count, const int *index, double *A)
{
    const lcp *p = data;
    for (int k = 0; k < count * count; k++) {
        A[k] = p->M[index[k % count] + p->n * index[k / count]];
    }
}

static void dense(const void *data, double *M)
{
    const lcp *p = data;
    memcpy(M, p->M, (size_t)(p->n * p->n) * sizeof *M);
}

static void solve(ss_context *ctx, lcp *p, bool known)
{
    const ss_pivot_matrix matrix = { .n = p->n, .data = p, .add_times = add_times, .gather = gather, .dense = dense };
    ss_arena *arena;
    ss_pivot_options options = ss_pivot_options_default();
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_pivot_solve(arena, &options, &matrix, p->q, known, p->basic, p->z, &p->result));
    ss_arena_destroy(arena);
}

/* |min(z, M z + q)| */
static double error_of(const lcp *p)
{
    double worst = 0;
    for (int i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int j = 0; j < p->n; j++) {
            w += p->M[i + p->n * j] * p->z[j];
        }
        worst = fmax(worst, fabs(fmin(w, p->z[i])));
    }
    return worst;
}

/* is the basis with z_i for the bits of `set` nonsingular and feasible? */
static bool basis_solves(const lcp *p, unsigned set)
{
    double A[MAX * MAX], x[MAX];
    int pivots[MAX], index[MAX], s = 0;
    for (int i = 0; i < p->n; i++) {
        if (set >> i & 1) {
            index[s++] = i;
        }
    }
    for (int j = 0; j < s; j++) {
        for (int i = 0; i < s; i++) {
            A[i + s * j] = p->M[index[i] + p->n * index[j]];
        }
        x[j] = -p->q[index[j]];
    }
    if (!ss_dense_lu(s, A, s, pivots)) {
        return false;
    }
    ss_dense_lu_solve(s, A, s, pivots, x);
    lcp trial = *p;
    memset(trial.z, 0, sizeof trial.z);
    for (int j = 0; j < s; j++) {
        trial.z[index[j]] = x[j];
        if (!(x[j] >= -1e-9 && x[j] < 1e9)) { /* beyond: a basis that is singular but for round-off */
            return false;
        }
    }
    return error_of(&trial) <= 1e-9;
}

static bool solvable_by_enumeration(const lcp *p)
{
    for (unsigned set = 0; set < 1u << p->n; set++) {
        if (basis_solves(p, set)) {
            return true;
        }
    }
    return false;
}

/* M = R' R of the given rank + skew part + nonnegative part: copositive */
static void random_copositive(lcp *p, uint64_t *state, bool symmetric)
{
    double R[MAX][MAX];
    int rank = 1 + (int)(ss_random_u64(state) % (unsigned)p->n);
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < p->n; i++) {
            R[k][i] = 2 * ss_random_uniform(state) - 1;
        }
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            p->M[i + p->n * j] = 0;
            for (int k = 0; k < rank; k++) {
                p->M[i + p->n * j] += R[k][i] * R[k][j];
            }
        }
        p->q[i] = 2 * ss_random_uniform(state) - 1.2;
    }
    for (int i = 0; i < p->n && !symmetric; i++) {
        for (int j = 0; j < i; j++) {
            double skew = ss_random_uniform(state) - 0.5, extra = ss_random_uniform(state) < 0.2 ? ss_random_uniform(state) : 0;
            p->M[i + p->n * j] += skew + extra;
            p->M[j + p->n * i] -= skew;
        }
    }
}

TEST(a_two_by_two_problem_has_its_known_solution)
{
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { 2, 1, 1, 2 }, .q = { -3, 1 } };
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_SOLVED && p.basic[0] && !p.basic[1]);
    CHECK_NEAR(p.z[0], 1.5, 1e-15);
    CHECK(p.z[1] == 0); /* not basic: exactly zero */
    ss_context_destroy(ctx);
}

TEST(nonnegative_q_needs_no_pivot)
{
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { -1, 0, 0, -1 }, .q = { 0, 5 } };
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_SOLVED && p.result.pivots == 0 && p.z[0] == 0 && p.z[1] == 0);
    ss_context_destroy(ctx);
}

TEST(an_infeasible_problem_ends_on_a_ray)
{
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { 0, -1, -1, 0 }, .q = { -1, -1 } }; /* w = -z_other - 1 < 0 */
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_RAY);
    ss_context_destroy(ctx);
}

TEST(a_wedge_that_only_round_off_forbids_is_solved)
{
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { 1, -1, -1, 1 }, .q = { -1, 1 - 4e-16 } }; /* z = (1 + t, t); exactly solvable only for q_2 = 1 */
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_SOLVED);
    CHECK_NEAR(error_of(&p), 0, 1e-15);
    ss_context_destroy(ctx);
}

TEST(a_ray_on_which_z0_is_below_the_accepted_error_is_a_solution)
{
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { 1, -1, -1, 1 }, .q = { -1, 1 - 5e-12 } }; /* beyond a tie (1e-12), within accept_tol (1e-11) */
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_SOLVED);
    CHECK_NEAR(error_of(&p), 0, 1e-11);
    p.q[1] = 1 - 5e-9; /* really infeasible */
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_RAY);
    ss_context_destroy(ctx);
}

TEST(a_basis_that_only_round_off_makes_regular_is_no_solution)
{
    /* walls that close: infeasible, but M differs from a singular matrix in its last digit and then "has" z = 1e16 */
    ss_context *ctx = test_context();
    lcp p = { .n = 2, .M = { 1, -1, -1, 1 + 2.3e-16 }, .q = { -1, -1 }, .basic = { true, true } };
    solve(ctx, &p, true);
    CHECK(!p.result.basis_hit && p.result.end == SS_PIVOT_RAY);
    ss_context_destroy(ctx);
}

TEST(ties_do_not_make_the_path_go_round_in_circles)
{
    /* M = I + 2 P, P a cyclic permutation, q = -1: all ratios tie, and picking the first each time repeats a basis */
    ss_context *ctx = test_context();
    lcp p = { .n = 3, .M = { 1, 0, 2, 2, 1, 0, 0, 2, 1 }, .q = { -1, -1, -1 } };
    solve(ctx, &p, false);
    CHECK(p.result.end == SS_PIVOT_SOLVED && p.result.restarts == 0 && p.result.pivots <= 8); /* 2^3 bases */
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(p.z[i], 1.0 / 3, 1e-15);
    }
    ss_context_destroy(ctx);
}

TEST(semidefinite_problems_are_solved_exactly_when_enumeration_finds_a_solution)
{
    ss_context *ctx = test_context();
    uint64_t state = 2;
    int solved = 0, rays = 0;
    for (int trial = 0; trial < 3000; trial++) {
        lcp p = { .n = 1 + (int)(ss_random_u64(&state) % 6) };
        random_copositive(&p, &state, true);
        solve(ctx, &p, false);
        bool found = p.result.end == SS_PIVOT_SOLVED;
        CHECK(found == solvable_by_enumeration(&p)); /* Lemke processes positive semidefinite M [CPS92 Theorem 4.4.1] */
        CHECK(!found || error_of(&p) <= 1e-9);       /* as in the enumeration */
        CHECK(found || p.result.end == SS_PIVOT_RAY);
        solved += found;
        rays += !found;
    }
    CHECK(solved > 1000 && rays > 100); /* both kinds were met */
    ss_context_destroy(ctx);
}

TEST(copositive_problems_are_solved_or_end_on_a_ray)
{
    ss_context *ctx = test_context();
    uint64_t state = 8;
    int solved = 0;
    for (int trial = 0; trial < 3000; trial++) {
        lcp p = { .n = 1 + (int)(ss_random_u64(&state) % 6) };
        random_copositive(&p, &state, false);
        solve(ctx, &p, false);
        if (p.result.end == SS_PIVOT_SOLVED) {
            double size = 1;
            for (int i = 0; i < p.n; i++) {
                size = fmax(size, p.z[i]);
            }
            CHECK_NEAR(error_of(&p), 0, 1e-11 * size); /* accept_tol */
            CHECK(size > 1e6 || solvable_by_enumeration(&p));
            solved++;
        } else {
            CHECK(p.result.end == SS_PIVOT_RAY);
        }
    }
    CHECK(solved > 1500);
    ss_context_destroy(ctx);
}

TEST(the_basis_of_last_time_is_recognised_and_a_near_one_is_a_short_way)
{
    ss_context *ctx = test_context();
    uint64_t state = 4;
    for (int trial = 0; trial < 200; trial++) {
        lcp p = { .n = 6 };
        random_copositive(&p, &state, true);
        for (int i = 0; i < p.n; i++) {
            p.M[i * (p.n + 1)] += 0.5;
        }
        solve(ctx, &p, false);
        double z[MAX];
        memcpy(z, p.z, sizeof z);
        solve(ctx, &p, true);
        CHECK(p.result.basis_hit && p.result.pivots == 0);
        p.basic[2] = !p.basic[2]; /* now wrong in one place, M positive definite: the solution is unique */
        solve(ctx, &p, true);
        CHECK(p.result.end == SS_PIVOT_SOLVED && !p.result.basis_hit && p.result.pivots > 0);
        for (int i = 0; i < p.n; i++) {
            CHECK_NEAR(p.z[i], z[i], 1e-12); /* z below 10, condition below 50 */
        }
    }
    ss_context_destroy(ctx);
}

TEST(a_trial_is_refined_beyond_the_condition_of_its_basis)
{
    /* Pascal's matrix, M_ij = (i+j)! / (i! j!): condition 2e7 for n = 8, integers and so exact data for z = (1, 2, ..) */
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_basis_trial trial;
    lcp p = { .n = MAX };
    bool basic[MAX];
    for (int k = 0; k < MAX * MAX; k++) {
        p.M[k] = k < MAX || k % MAX == 0 ? 1 : p.M[k - 1] + p.M[k - MAX];
        p.q[k % MAX] -= p.M[k] * (1 + k / MAX);
        basic[k % MAX] = true;
    }
    const ss_pivot_matrix matrix = { .n = MAX, .data = &p, .add_times = add_times, .gather = gather, .dense = dense };
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_basis_trial_take(&trial, arena, &matrix, p.q, p.z));
    CHECK(ss_basis_trial_solve(&trial, basic));
    for (int i = 0; i < MAX; i++) {
        CHECK_NEAR(p.z[i], i + 1, 9e-12); /* condition times 2^-64 times 8; without refinement it is off by 1e-9 */
    }
    CHECK_NEAR(trial.error, 0, 1e-10); /* w is 0 up to the round-off of z times entries of 3432 */
    CHECK_NEAR(trial.size, 8, 9e-12);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(a_basis_that_is_right_relative_to_z_is_settled_for_only_when_asked)
{
    /* M = 1e-3, q = (-1, 1e-11 below what is allowed): z = 1000, w_2 = -2e-11 is 2e-14 of z */
    ss_context *ctx = test_context();
    ss_arena *arena;
    lcp p = { .n = 2, .M = { 1e-3, 0, 0, 1 }, .q = { -1, -2e-11 }, .basic = { true, false } };
    const ss_pivot_matrix matrix = { .n = 2, .data = &p, .add_times = add_times, .gather = gather, .dense = dense };
    ss_pivot_options options = ss_pivot_options_default();
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    options.settle = true;
    CHECK_OK(ctx, ss_pivot_solve(arena, &options, &matrix, p.q, true, p.basic, p.z, &p.result));
    CHECK(p.result.basis_hit && p.basic[0] && !p.basic[1]);
    options.settle = false;
    CHECK_OK(ctx, ss_pivot_solve(arena, &options, &matrix, p.q, true, p.basic, p.z, &p.result));
    CHECK(!p.result.basis_hit && p.basic[0] && p.basic[1]);
    CHECK_NEAR(p.z[1], 2e-11, 1e-25);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(pivots_keep_the_inverse_of_the_basis)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_basis b;
    lcp p = { .n = 6 };
    uint64_t state = 6;
    double a[MAX], d[MAX], x[MAX], y[MAX];
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    random_copositive(&p, &state, true);
    for (int i = 0; i < p.n; i++) {
        p.M[i * (p.n + 1)] += 1;
    }
    CHECK_OK(ctx, ss_basis_take(&b, arena, p.n, p.M));
    const int entering[] = { 6, 8, 9, 11, 2, 7, 0, 3, 10 }; /* z and w in and out, each at the largest pivot */
    for (size_t k = 0; k < sizeof entering / sizeof *entering; k++) {
        int place = 0;
        ss_basis_column(&b, entering[k], a);
        ss_basis_solve(&b, a, d);
        for (int i = 0; i < p.n; i++) {
            place = fabs(d[i]) > fabs(d[place]) ? i : place;
        }
        ss_basis_pivot(&b, place, entering[k], d);
        for (int i = 0; i < p.n; i++) {
            x[i] = i - 2.5;
        }
        ss_basis_times(&b, x, y); /* B^-1 (B x) = x, entry by entry of the inverse */
        for (int i = 0; i < p.n; i++) {
            double s = 0;
            for (int j = 0; j < p.n; j++) {
                s += ss_basis_inverse(&b, i, j) * y[j];
            }
            CHECK_NEAR(s, x[i], 1e-12); /* a dozen pivots of order one */
        }
    }
    double before[MAX * MAX];
    for (int k = 0; k < p.n * p.n; k++) {
        before[k] = ss_basis_inverse(&b, k % p.n, k / p.n);
    }
    CHECK(ss_basis_factor(&b) && b.pivoted == 0);
    for (int k = 0; k < p.n * p.n; k++) {
        CHECK_NEAR(ss_basis_inverse(&b, k % p.n, k / p.n), before[k], 1e-12);
    }
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

int main(void)
{
    ss_dense_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_two_by_two_problem_has_its_known_solution),
        cmocka_unit_test(nonnegative_q_needs_no_pivot),
        cmocka_unit_test(an_infeasible_problem_ends_on_a_ray),
        cmocka_unit_test(a_wedge_that_only_round_off_forbids_is_solved),
        cmocka_unit_test(a_ray_on_which_z0_is_below_the_accepted_error_is_a_solution),
        cmocka_unit_test(a_basis_that_only_round_off_makes_regular_is_no_solution),
        cmocka_unit_test(ties_do_not_make_the_path_go_round_in_circles),
        cmocka_unit_test(semidefinite_problems_are_solved_exactly_when_enumeration_finds_a_solution),
        cmocka_unit_test(copositive_problems_are_solved_or_end_on_a_ray),
        cmocka_unit_test(the_basis_of_last_time_is_recognised_and_a_near_one_is_a_short_way),
        cmocka_unit_test(a_trial_is_refined_beyond_the_condition_of_its_basis),
        cmocka_unit_test(a_basis_that_is_right_relative_to_z_is_settled_for_only_when_asked),
        cmocka_unit_test(pivots_keep_the_inverse_of_the_basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
