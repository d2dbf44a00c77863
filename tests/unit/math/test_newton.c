/* test_newton.c - Newton's method: quadratic convergence, active sets that cycle, kept factors, round-residual, and what ends
 * badly.
 */
#include "math/newton.h"
#include "unit/base/failing.h"

typedef struct bench {
    failing_allocator memory;
    ss_context *ctx;
    ss_arena *arena;
    ss_newton_work *work;
} bench;

static bench *begin(void)
{
    bench *b = calloc(1, sizeof *b);
    b->ctx = failing_context(&b->memory);
    CHECK_OK(b->ctx, ss_arena_create(b->ctx, 4096, &b->arena));
    CHECK_OK(b->ctx, ss_newton_work_create(b->ctx, &b->work));
    return b;
}

static void end(bench *b)
{
    ss_newton_work_destroy(b->work);
    ss_arena_destroy(b->arena);
    ss_context_destroy(b->ctx);
    CHECK(b->memory.live == 0);
    free(b);
}

static ss_status push_dense(ss_context *ctx, int n, const double *a, ss_csr *J)
{
    ss_csr_reset(J, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            SS_TRY(ss_csr_push(ctx, J, j, a[i * n + j]));
        }
        SS_TRY(ss_csr_end_row(ctx, J));
    }
    return SS_OK;
}

static const ss_newton_options exact = { .tol = 1e-14, .stall = 1e-12, .iterations = 50 };

/* ---- smooth ---------------------------------------------------------------------------------------- */

/* x^2 + y^2 = 4, x y = 1; every |F| it was asked for is kept */
typedef struct curves {
    ss_context *ctx;
    int count;
    double residual[64];
} curves;

static ss_status curves_residual(void *user, const double *x, double *F, double *residual, uint64_t *branch)
{
    curves *c = user;
    F[0] = x[0] * x[0] + x[1] * x[1] - 4;
    F[1] = x[0] * x[1] - 1;
    *residual = hypot(F[0], F[1]) / 4;
    *branch = 0;
    c->residual[c->count++ % 64] = *residual;
    return SS_OK;
}

static ss_status curves_jacobian(void *user, const double *x, ss_csr *J)
{
    const curves *c = user;
    const double a[4] = { 2 * x[0], 2 * x[1], x[1], x[0] };
    return push_dense(c->ctx, 2, a, J);
}

TEST(digits_double_with_every_step_near_a_regular_zero)
{
    bench *b = begin();
    curves c = { .ctx = b->ctx };
    ss_newton_system system = { .n = 2, .user = &c, .residual = curves_residual, .jacobian = curves_jacobian };
    ss_newton_result result;
    double x[2] = { 2.2, 0.3 };
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, x, &result));
    CHECK(result.converged);
    CHECK(result.damped == 0 && result.iterations <= 5);
    CHECK_NEAR(x[0] + x[1], sqrt(6), 1e-14); /* (x + y)^2 = 4 + 2, (x - y)^2 = 4 - 2 */
    CHECK_NEAR(x[0] - x[1], sqrt(2), 1e-14);
    for (int k = 1; k < c.count && c.residual[k] > 1e-14; k++) {
        CHECK(c.residual[k] <= c.residual[k - 1] * c.residual[k - 1] * 2); /* |F''| |J^-1|^2 / 2 < 2 around there */
    }
    end(b);
}

/* atan(x) = 0: undamped Newton leaves for infinity from |x| > 1.392 */
static ss_status arc_residual(void *user, const double *x, double *F, double *residual, uint64_t *branch)
{
    (void)user;
    F[0] = atan(x[0]);
    *residual = fabs(F[0]);
    *branch = 0;
    return SS_OK;
}

static ss_status arc_jacobian(void *user, const double *x, ss_csr *J)
{
    const double a = 1 / (1 + x[0] * x[0]);
    return push_dense(user, 1, &a, J);
}

TEST(a_step_that_would_overshoot_is_damped)
{
    bench *b = begin();
    ss_newton_system system = { .n = 1, .user = b->ctx, .residual = arc_residual, .jacobian = arc_jacobian };
    ss_newton_result result;
    double x = 10;
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, &x, &result));
    CHECK(result.converged);
    CHECK(result.damped > 0);
    CHECK_NEAR(x, 0, 1e-14);
    end(b);
}

/* ---- semi-smooth ------------------------------------------------------------------------------------- */

enum { LCP_MAX = 6 };

/* F = min(z, w), w = M z + q; the branch is the set of rows where w is the smaller one */
typedef struct lcp {
    ss_context *ctx;
    int n;
    double M[LCP_MAX * LCP_MAX], q[LCP_MAX];
} lcp;

static double lcp_w(const lcp *p, int i, const double *z)
{
    double w = p->q[i];
    for (int j = 0; j < p->n; j++) {
        w += p->M[i * p->n + j] * z[j];
    }
    return w;
}

static ss_status lcp_residual(void *user, const double *z, double *F, double *residual, uint64_t *branch)
{
    const lcp *p = user;
    double sum = 0;
    *branch = 1; /* the empty set is a set, too */
    for (int i = 0; i < p->n; i++) {
        double w = lcp_w(p, i, z);
        F[i] = fmin(z[i], w);
        sum += F[i] * F[i];
        *branch |= (uint64_t)(w < z[i]) << (i + 1);
    }
    *residual = sqrt(sum);
    return SS_OK;
}

static ss_status lcp_jacobian(void *user, const double *z, ss_csr *J)
{
    const lcp *p = user;
    double a[LCP_MAX * LCP_MAX] = { 0 };
    for (int i = 0; i < p->n; i++) {
        if (lcp_w(p, i, z) < z[i]) {
            memcpy(a + i * p->n, p->M + i * p->n, (size_t)p->n * sizeof *a);
        } else {
            a[i * p->n + i] = 1;
        }
    }
    return push_dense(p->ctx, p->n, a, J);
}

static ss_newton_system lcp_system(lcp *p)
{
    return (ss_newton_system){ .n = p->n, .user = p, .residual = lcp_residual, .jacobian = lcp_jacobian };
}

/* the example of Ben Gharbia and Gilbert: a P-matrix, det = 1 + 2^3, whose only solution is z = 0 */
static lcp cycling(ss_context *ctx) { return (lcp){ ctx, 3, { 1, 0, 2, 2, 1, 0, 0, 2, 1 }, { 1, 1, 1 } }; }

TEST(a_cycle_of_active_sets_is_broken)
{
    bench *b = begin();
    lcp p = cycling(b->ctx);
    ss_newton_system system = lcp_system(&p);
    ss_newton_result result;
    double z[3] = { -1, 0, 0 };
    /* undamped: (-1, 0, 0) -> (0, -1, 0) -> (0, 0, -1) -> (-1, 0, 0), each the solution of the active set of the one before */
    for (int k = 0; k < 3; k++) {
        double at[3] = { 0 }, F[3], residual;
        uint64_t branch;
        at[k] = -1;
        CHECK_OK(b->ctx, lcp_residual(&p, at, F, &residual, &branch));
        CHECK(branch == (1u | 1u << ((k + 1) % 3 + 1)));
    }
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, z, &result));
    CHECK(result.converged);
    CHECK(result.damped > 0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(z[i], 0, 1e-14);
    }
    end(b);
}

/* a random matrix whose symmetric part is positive definite, far from symmetric: a P-matrix */
static lcp random_lcp(ss_context *ctx, int n, uint64_t *seed)
{
    lcp p = { .ctx = ctx, .n = n };
    for (int i = 0; i < n; i++) {
        p.q[i] = 2 * ss_random_uniform(seed) - 1.2;
        p.M[i * n + i] = 0.05 + ss_random_uniform(seed);
        for (int j = 0; j < i; j++) {
            double skew = 4 * ss_random_uniform(seed) - 2;
            p.M[i * n + j] += skew;
            p.M[j * n + i] -= skew;
        }
    }
    return p;
}

TEST(random_complementarity_problems_are_solved)
{
    bench *b = begin();
    uint64_t seed = 7;
    int solved = 0, tried = 0;
    for (; tried < 2000; tried++) {
        lcp p = random_lcp(b->ctx, 2 + tried % (LCP_MAX - 1), &seed);
        ss_newton_system system = lcp_system(&p);
        ss_newton_result result;
        double z[LCP_MAX] = { 0 };
        CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, z, &result));
        solved += result.converged;
        for (int i = 0; i < p.n && result.converged; i++) {
            CHECK_NEAR(fmin(z[i], lcp_w(&p, i, z)), 0, 1e-12); /* F is what it says: the matrices are of size 1 to 10 */
        }
    }
    CHECK(solved >= tried * 999 / 1000); /* the minimum map is no merit function: a kink can trap it */
    end(b);
}

/* ---- kept factors ------------------------------------------------------------------------------------- */

TEST(factors_are_kept_while_they_gain_and_their_memory_from_call_to_call)
{
    bench *b = begin();
    int factorisations[2];
    for (int keep = 0; keep < 2; keep++) {
        curves c = { .ctx = b->ctx };
        ss_newton_system system = { 2, &c, curves_residual, curves_jacobian, keep };
        ss_newton_result result;
        double x[2] = { 1.95, 0.5 };
        int before = ss_newton_factorisations(b->work);
        CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, x, &result));
        CHECK(result.converged);
        CHECK_NEAR(x[0] + x[1], sqrt(6), 1e-14);
        factorisations[keep] = ss_newton_factorisations(b->work) - before;
        CHECK(keep || factorisations[keep] == result.iterations || factorisations[keep] == result.iterations + 1);
        int requests = b->memory.requests;
        for (int i = 0; i < 3; i++) {
            x[0] = 1.9;
            ss_arena_reset(b->arena);
            CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, x, &result));
        }
        CHECK(b->memory.requests == requests);
    }
    CHECK(factorisations[0] >= 3);
    CHECK(factorisations[1] == 1); /* 0.05 away, each step gains a factor of about 20 */
    end(b);
}

TEST(factors_that_no_longer_gain_are_replaced)
{
    bench *b = begin();
    curves c = { .ctx = b->ctx };
    ss_newton_system system = { 2, &c, curves_residual, curves_jacobian, true };
    ss_newton_result result;
    double x[2] = { 30, 1 }; /* far off: every step halves x at best */
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, x, &result));
    CHECK(result.converged);
    CHECK_NEAR(x[0] + x[1], sqrt(6), 1e-14);
    CHECK(ss_newton_factorisations(b->work) > 2);
    end(b);
}

TEST(numbers_do_not_depend_on_what_was_solved_before)
{
    bench *b = begin();
    curves c = { .ctx = b->ctx };
    ss_newton_system system = { 2, &c, curves_residual, curves_jacobian, true };
    ss_newton_options three = { .tol = 0, .iterations = 3 };
    ss_newton_result result;
    double first[2] = { 2.2, 0.3 }, again[2] = { 2.2, 0.3 }, between[2] = { 0.1, 3 };
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &three, first, &result));
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &three, between, &result));
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &three, again, &result));
    CHECK(memcmp(first, again, sizeof first) == 0);
    end(b);
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

/* x^2 + 1 = 0 has no zero; its model at 0 is singular */
static ss_status none_residual(void *user, const double *x, double *F, double *residual, uint64_t *branch)
{
    (void)user;
    F[0] = x[0] * x[0] + 1;
    *residual = fabs(F[0]);
    *branch = 0;
    return SS_OK;
}

static ss_status none_jacobian(void *user, const double *x, ss_csr *J)
{
    const double a = 2 * x[0];
    return push_dense(user, 1, &a, J);
}

TEST(a_singular_jacobian_ends_it_at_the_best_point)
{
    bench *b = begin();
    ss_newton_system system = { .n = 1, .user = b->ctx, .residual = none_residual, .jacobian = none_jacobian };
    ss_newton_result result;
    double x = 0;
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, &x, &result));
    CHECK(!result.converged && result.iterations == 0);
    CHECK(x == 0 && result.residual == 1);
    x = 3; /* goes down to about 0, no further */
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, &x, &result));
    CHECK(!result.converged);
    CHECK(result.residual >= 1 && result.residual < 1.1);
    CHECK_NEAR(result.residual, x * x + 1, 0);
    end(b);
}

/* sqrt(x) - 1, no number for x < 0 */
static ss_status root_residual(void *user, const double *x, double *F, double *residual, uint64_t *branch)
{
    (void)user;
    F[0] = sqrt(x[0]) - 1;
    *residual = fabs(F[0]);
    *branch = 0;
    return SS_OK;
}

static ss_status root_jacobian(void *user, const double *x, ss_csr *J)
{
    const double a = 0.5 / sqrt(x[0]);
    return push_dense(user, 1, &a, J);
}

TEST(a_point_without_a_value_is_never_taken)
{
    bench *b = begin();
    ss_newton_system system = { .n = 1, .user = b->ctx, .residual = root_residual, .jacobian = root_jacobian };
    ss_newton_result result;
    double x = 9; /* the whole step leads to -3 */
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, &x, &result));
    CHECK(result.converged && result.damped > 0);
    CHECK_NEAR(x, 1, 1e-13);
    x = -1;
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &exact, &x, &result));
    CHECK(!result.converged && result.measured == 1);
    CHECK(x == -1);
    end(b);
}

TEST(what_round_off_leaves_counts_as_converged_only_below_the_limit_for_it)
{
    bench *b = begin();
    curves c = { .ctx = b->ctx };
    ss_newton_system system = { .n = 2, .user = &c, .residual = curves_residual, .jacobian = curves_jacobian };
    ss_newton_options options = { .tol = -1, .stall = 1e-12, .iterations = 50 }; /* |F| is never below 0 */
    ss_newton_result result;
    double x[2] = { 2.2, 0.3 };
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &options, x, &result));
    CHECK(result.converged && result.iterations < 10);
    options.stall = 0;
    x[0] = 2.2;
    CHECK_OK(b->ctx, ss_newton_sparse(b->work, b->arena, &system, &options, x, &result));
    CHECK(!result.converged && result.residual <= 1e-15);
    end(b);
}

/* ---- a model of the user's own --------------------------------------------------------------------------- */

typedef struct watched {
    double last; /* where it was measured last */
} watched;

static ss_status kink_measure(void *user, const double *x, double *residual, uint64_t *branch)
{
    ((watched *)user)->last = x[0];
    *residual = fabs(x[0]) + 1;
    *branch = 1 + (x[0] > 0);
    return SS_OK;
}

static ss_status kink_improve(void *user, const double *x, double *target, bool *found)
{
    CHECK(((watched *)user)->last == x[0]);
    *target = -2 * x[0];
    *found = true;
    return SS_OK;
}

TEST(the_best_point_is_the_one_returned_and_the_one_measured_last)
{
    bench *b = begin();
    watched w;
    ss_newton_problem problem = { .n = 1, .user = &w, .measure = kink_measure, .improve = kink_improve };
    ss_newton_options options = { .tol = 1e-3, .iterations = 1 }; /* the first step goes to the other side, for the worse */
    ss_newton_result result;
    double x = 1;
    CHECK_OK(b->ctx, ss_newton(b->arena, &problem, &options, &x, &result));
    CHECK(!result.converged && result.iterations == 1);
    CHECK(x == 1 && w.last == 1 && result.residual == 2);
    end(b);
}

static ss_status use(ss_context *ctx)
{
    ss_newton_work *work = NULL;
    ss_arena *arena = NULL;
    curves c = { .ctx = ctx };
    ss_newton_system system = { .n = 2, .user = &c, .residual = curves_residual, .jacobian = curves_jacobian };
    ss_newton_result result;
    double x[2] = { 2.2, 0.3 };
    ss_status status = ss_newton_work_create(ctx, &work);
    status = status != SS_OK ? status : ss_arena_create(ctx, 16, &arena);
    status = status != SS_OK ? status : ss_newton_sparse(work, arena, &system, &exact, x, &result);
    ss_arena_destroy(arena);
    ss_newton_work_destroy(work);
    return status;
}

TEST(memory_that_is_refused_is_an_error_and_nothing_is_lost) { CHECK(fail_at_every_request(use) > 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_double_with_every_step_near_a_regular_zero),
        cmocka_unit_test(a_step_that_would_overshoot_is_damped),
        cmocka_unit_test(a_cycle_of_active_sets_is_broken),
        cmocka_unit_test(random_complementarity_problems_are_solved),
        cmocka_unit_test(factors_are_kept_while_they_gain_and_their_memory_from_call_to_call),
        cmocka_unit_test(factors_that_no_longer_gain_are_replaced),
        cmocka_unit_test(numbers_do_not_depend_on_what_was_solved_before),
        cmocka_unit_test(a_singular_jacobian_ends_it_at_the_best_point),
        cmocka_unit_test(a_point_without_a_value_is_never_taken),
        cmocka_unit_test(what_round_off_leaves_counts_as_converged_only_below_the_limit_for_it),
        cmocka_unit_test(the_best_point_is_the_one_returned_and_the_one_measured_last),
        cmocka_unit_test(memory_that_is_refused_is_an_error_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
