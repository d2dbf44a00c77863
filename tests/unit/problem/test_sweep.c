/* test_sweep.c - what a pass says of itself is what it has done to the impulses, in every form. */
#include "problem/sweep.h"

#include "unit/solvers/local_form.h"
#include "unit/solvers/pile.h"

enum { PASSES = 4 };

typedef struct island {
    ss_sweep *sweep;
    int rows;
    const int *row;
    double *r, *last, *before, *y;
} island;

static double *take(int n) { return calloc((size_t)n, sizeof(double)); }

static island open_island(ss_sweep *sweep)
{
    island x = { .sweep = sweep };
    x.rows = ss_sweep_rows(sweep, 0, &x.row);
    x.r = take(x.rows);
    x.last = take(x.rows);
    x.before = take(x.rows);
    x.y = take(x.rows);
    ss_sweep_start(sweep, 0, x.r);
    ss_sweep_extrapolate(sweep, 0, 0);
    return x;
}

static void close_island(island *x)
{
    free(x->r);
    free(x->last);
    free(x->before);
    free(x->y);
    ss_sweep_destroy(x->sweep);
}

/* change and square by y and r, turn by all three; rounding: of weights that a record may hold in single precision */
static void check_measure(const island *x, const ss_sweep_measure *seen, double rounding)
{
    const double *d = ss_sweep_weights(x->sweep);
    double square = 0, turn = 0, terms = 0;
    for (int i = 0; i < x->rows; i++) {
        const double change = x->r[i] - x->y[i], on = x->r[i] - x->before[i];
        square += d[x->row[i]] * change * change;
        turn -= d[x->row[i]] * change * on;
        terms += d[x->row[i]] * fabs(change * on);
    }
    CHECK_NEAR(seen->square, square, rounding * square);
    CHECK_NEAR(seen->turn, turn, rounding * terms);
    CHECK(seen->change * seen->change <= (1 + rounding) * square);
}

/* a pass from y = r + beta (r - last) */
static void check_pass(island *x, double beta, double rounding)
{
    double *r = take(x->rows), *kept = x->last;
    memcpy(r, x->r, (size_t)x->rows * sizeof *r);
    for (int i = 0; i < x->rows; i++) {
        x->y[i] = r[i] + beta * (r[i] - x->last[i]);
    }
    ss_sweep_extrapolate(x->sweep, 0, beta);
    const ss_sweep_measure seen =
        ss_sweep_pass(x->sweep, 0, &(ss_sweep_motion){ .r = x->r, .last = x->last, .before = x->before, .beta = beta });
    CHECK(seen.square > 0 && memcmp(x->before, r, (size_t)x->rows * sizeof *r) == 0);
    check_measure(x, &seen, rounding);
    x->last = x->before;
    x->before = kept;
    free(r);
}

/* one_at_a_time: in the order of the problem; single: records in single precision */
static void check_problem(ss_context *ctx, const ss_problem *p, bool one_at_a_time, bool single)
{
    const ss_sweep_options options = { .colour_above = one_at_a_time ? 1 << 20 : 0, .largest_cluster = 300, .single = single };
    ss_sweep *sweep;
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_sweep_create(ctx, &sweep));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    if (!p->local) {
        CHECK_OK(ctx, ss_kkt_factor(kkt, p));
    }
    CHECK_OK(ctx, ss_sweep_prepare(sweep, p, p->local ? NULL : kkt, &options, NULL));
    island x = open_island(sweep);
    for (int k = 0; k < PASSES; k++) {
        check_pass(&x, 0.2 * k, single ? 1e-6 : 1e-9);
    }
    close_island(&x);
    ss_kkt_destroy(kkt);
}

static void check_pile(bool joint)
{
    ss_context *ctx = test_context();
    double c[1] = { 0 };
    pile y;
    pile_make(ctx, &y, 5, 4, SS_LAW_COULOMB, 1);
    if (joint) { /* balls 0 and 1 rise together */
        ss_csr_reset(&y.p.G, y.p.nv);
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 2, 1));
        CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 8, -1));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.G));
        y.p.nj = 1;
        y.p.c = c;
    }
    check_problem(ctx, &y.p, true, false);
    check_problem(ctx, &y.p, false, false);
    check_problem(ctx, &y.p, false, true);
    ss_csr_free(ctx, &y.p.G);
    pile_free(ctx, &y);
    ss_context_destroy(ctx);
}

TEST(the_measure_of_a_pass_over_loose_bodies) { check_pile(false); }

TEST(the_measure_of_a_pass_over_jointed_bodies) { check_pile(true); }

TEST(the_measure_of_a_pass_by_rows)
{
    ss_context *ctx = test_context();
    packing k;
    pk_make(ctx, &k, 4, 3, 0.5, SS_LAW_COULOMB);
    ss_problem local = pk_local(ctx, &k);
    check_problem(ctx, &local, true, false);
    pk_local_free(ctx, &local);
    pk_free(ctx, &k);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measure_of_a_pass_over_loose_bodies),
        cmocka_unit_test(the_measure_of_a_pass_over_jointed_bodies),
        cmocka_unit_test(the_measure_of_a_pass_by_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
