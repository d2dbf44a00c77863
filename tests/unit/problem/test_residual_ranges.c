/* test_residual_ranges.c - the certificate of more contacts than one range of a loop on threads holds: what is wrong is found
 * wherever it is, whether a range has one island or many. */
#include "problem/residual.h"
#include "test.h"

#include <math.h>

enum { N = 3000 };

/* N particles of mass 2 come down at 1 m/s and are stopped: each by a floor of its own, or in a stack, each by the one below. */
typedef struct particles {
    ss_context *ctx;
    ss_problem p;
    ss_solution s;
    int offset[N], size[N], start[N], row[N + 1];
    unsigned law[N];
    double M[N], b[N], v_old[N], w[N], mu[N], v[N], r[N], u[N];
} particles;

/* contact k lies below particle k; nothing: of no effect */
static void push_contact(particles *y, int k, bool stacked, bool nothing)
{
    if (stacked && k > 0) {
        CHECK_OK(y->ctx, ss_csr_push(y->ctx, &y->p.H, k - 1, -1));
    }
    CHECK_OK(y->ctx, ss_csr_push(y->ctx, &y->p.H, k, nothing ? 0 : 1));
    CHECK_OK(y->ctx, ss_csr_end_row(y->ctx, &y->p.H));
}

static particles *make(bool stacked, int nothing)
{
    particles *y = calloc(1, sizeof *y);
    assert_non_null(y);
    y->ctx = test_context();
    ss_context_set_threads(y->ctx, 2);
    y->p = ss_problem_make(2);
    for (int k = 0; k < N; k++) {
        y->offset[k] = y->start[k] = k;
        y->size[k] = 1;
        y->M[k] = 2;
        y->v_old[k] = -1;
        y->b[k] = -2;
        y->row[k + 1] = k + 1;
        y->law[k] = SS_LAW_UNILATERAL;
        y->r[k] = stacked ? 2.0 * (N - k) : 2;
    }
    const ss_blockdiag M = { .blocks = N, .n = N, .offset = y->offset, .size = y->size, .start = y->start, .x = y->M };
    ss_problem_set_blocks(&y->p, &M);
    ss_csr_reset(&y->p.H, N);
    ss_csr_reset(&y->p.G, N);
    for (int k = 0; k < N; k++) {
        push_contact(y, k, stacked, nothing > 0 && k % nothing == 1);
    }
    y->p.nc = N;
    y->p.row = y->row;
    y->p.law = y->law;
    y->p.mu = y->mu;
    y->p.b = y->b;
    y->p.w = y->w;
    y->p.v_old = y->v_old;
    y->s = (ss_solution){ .v = y->v, .r = y->r, .u = y->u };
    return y;
}

static void drop(particles *y)
{
    ss_csr_free(y->ctx, &y->p.H);
    ss_csr_free(y->ctx, &y->p.G);
    ss_context_destroy(y->ctx);
    free(y);
}

static ss_residual residual_of(particles *y)
{
    ss_residual out;
    CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &out));
    return out;
}

static const int places[] = { 0, 1, 1023, 1024, 1500, 2047, 2048, N - 1 };

TEST(an_error_in_one_of_many_islands_is_found)
{
    particles *y = make(false, 0);
    CHECK(residual_of(y).contact == 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int k = places[i], other = (k + N / 2) % N;
        y->v[k] = -2e-6;
        y->v[other] = -1e-6;
        const ss_residual r = residual_of(y);
        CHECK(r.worst == k && r.dropped == 0);
        CHECK_NEAR(r.contact, 2e-6, 1e-9);
        CHECK_NEAR(r.classical * sqrt(N), sqrt(5) * 1e-6, 1e-12);
        y->v[k] = y->v[other] = 0;
    }
    drop(y);
}

TEST(an_error_anywhere_in_a_large_island_is_found)
{
    particles *y = make(true, 0);
    CHECK(residual_of(y).contact == 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int k = 0; k < N; k++) { /* those from here on come down on the one below */
            y->v[k] = k >= places[i] ? -1e-6 : 0;
        }
        const ss_residual r = residual_of(y);
        CHECK(r.worst == places[i]);
        CHECK(r.contact >= 1e-6 / (2 * N)); /* against the impulse at the bottom of the stack */
        CHECK_NEAR(r.classical, 1e-6, 1e-10);
    }
    drop(y);
}

TEST(contacts_of_no_effect_are_counted_in_all_ranges)
{
    enum { EVERY = 7 };
    particles *y = make(false, EVERY);
    for (int k = 1; k < N; k += EVERY) { /* they fall on */
        y->r[k] = 0;
        y->v[k] = -1;
    }
    const ss_residual r = residual_of(y);
    CHECK(r.contact == 0 && r.momentum == 0);
    CHECK(r.dropped == (N - 2) / EVERY + 1);
    drop(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_in_one_of_many_islands_is_found),
        cmocka_unit_test(an_error_anywhere_in_a_large_island_is_found),
        cmocka_unit_test(contacts_of_no_effect_are_counted_in_all_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
