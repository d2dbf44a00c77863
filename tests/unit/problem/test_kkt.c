/* test_kkt.c - the joints' system: residuals on random mechanisms, redundant rows, chains, sparse matrices. */
#include "problem/kkt.h"
#include "unit/base/failing.h"
#include "unit/problem/small_problem.h"

/* largest entry of A v - G' lam - b and of G v - c */
static void remainders(const small_problem *y, const double *b, const double *c, double *momentum, double *joint)
{
    const ss_problem *p = &y->p;
    double x[SP_V];
    ss_matrix_times(&p->A, y->v, x);
    ss_csr_transpose_times(&p->G, -1, y->lam, 1, x);
    *momentum = *joint = 0;
    for (int i = 0; i < p->nv; i++) {
        *momentum = fmax(*momentum, fabs(x[i] - b[i]));
    }
    for (int j = 0; j < p->nj; j++) {
        *joint = fmax(*joint, fabs(ss_csr_row_dot(&p->G, j, y->v) - c[j]));
    }
}

/* four bodies of three velocities with full mass matrices; joint rows at random, the last two dependent */
static void mechanism(small_problem *y, ss_context *ctx, uint64_t seed, bool redundant)
{
    uint64_t state = seed;
    double rows[8][SP_V] = { { 0 } }, v[SP_V];
    sp_open(y, ctx, 2);
    for (int b = 0; b < 4; b++) {
        double m = pow(10, 3 * ss_random_uniform(&state)), M[9] = { 2 * m, 0.3 * m, 0, 0.3 * m, m, 0.1 * m, 0, 0.1 * m, 0.5 * m };
        sp_block(y, 3, M, true);
    }
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) {
            rows[j][(3 * j + i) % 12] = 2 * ss_random_uniform(&state) - 1;
        }
    }
    for (int i = 0; i < 12; i++) {
        rows[6][i] = 3 * rows[2][i];
        rows[7][i] = rows[0][i] - rows[1][i] + 2 * rows[4][i];
        v[i] = 2 * ss_random_uniform(&state) - 1;
    }
    for (int j = 0; j < (redundant ? 8 : 6); j++) {
        double c = 0;
        for (int i = 0; i < 12; i++) {
            c += rows[j][i] * v[i]; /* consistent */
        }
        sp_joint(y, rows[j], c);
    }
    for (int i = 0; i < 12; i++) {
        y->b[i] = 10 * ss_random_uniform(&state) - 5;
    }
}

static void check_solved(ss_context *ctx, small_problem *y, ss_kkt *kkt, int redundant)
{
    double momentum, joint, b[SP_V], c[SP_J];
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y->p));
    CHECK(ss_kkt_redundant(kkt) == redundant);
    CHECK_OK(ctx, ss_kkt_solve(kkt, y->b, y->c, y->v, y->lam));
    remainders(y, y->b, y->c, &momentum, &joint);
    CHECK_NEAR(momentum, 0, 1e-10); /* forces up to 1e3, conditions up to 1e3 */
    CHECK_NEAR(joint, 0, 1e-12);    /* velocities up to 10 */

    /* in place, and with nothing on one side */
    memcpy(y->v, y->b, sizeof b);
    memcpy(y->lam, y->c, sizeof c);
    CHECK_OK(ctx, ss_kkt_solve(kkt, y->v, y->lam, y->v, y->lam));
    remainders(y, y->b, y->c, &momentum, &joint);
    CHECK_NEAR(momentum, 0, 1e-10);
    memset(c, 0, sizeof c);
    CHECK_OK(ctx, ss_kkt_solve(kkt, y->b, NULL, y->v, y->lam));
    remainders(y, y->b, c, &momentum, &joint);
    CHECK_NEAR(momentum, 0, 1e-10);
    CHECK_NEAR(joint, 0, 1e-12);
    memset(b, 0, sizeof b);
    CHECK_OK(ctx, ss_kkt_solve(kkt, NULL, y->c, y->v, y->lam));
    remainders(y, b, y->c, &momentum, &joint);
    CHECK_NEAR(momentum, 0, 1e-10);
    CHECK_NEAR(joint, 0, 1e-12);
}

TEST(mechanisms_are_solved_to_round_off)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    for (uint64_t seed = 1; seed < 40; seed++) {
        small_problem y;
        mechanism(&y, ctx, seed, false);
        check_solved(ctx, &y, kkt, 0);
        sp_close(&y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(redundant_joints_are_counted_and_a_consistent_system_is_solved)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    for (uint64_t seed = 1; seed < 40; seed++) {
        small_problem y;
        mechanism(&y, ctx, seed, true);
        check_solved(ctx, &y, kkt, 2);
        sp_close(&y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

/* a rod of length 2 hung at its end by a pin, held once more by a string between pin and centre */
static void pinned_rod(small_problem *y, ss_context *ctx, double mass, double drift)
{
    const double m[] = { mass, mass, mass / 3 }, angle = 0.7;
    sp_open(y, ctx, 2);
    sp_block(y, 3, m, false);
    sp_joint(y, (double[]){ 1, 0, cos(angle) }, 0);
    sp_joint(y, (double[]){ 0, 1, sin(angle) }, 0);
    sp_joint(y, (double[]){ sin(angle) + drift, -cos(angle), 0 }, 0); /* the sum of both, if nothing had drifted */
    y->b[0] = mass * -cos(angle);                                     /* M v for a turn about the pin at rate 1 */
    y->b[1] = mass * -sin(angle);
    y->b[2] = mass / 3;
}

TEST(a_joint_that_repeats_another_but_for_drift_does_not_lock_the_mechanism)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    ss_kkt_set_redundant(kkt, 1e-10);
    for (int k = 0; k < 3; k++) {
        const double mass[] = { 1e-6, 1, 1e6 };
        small_problem y;
        pinned_rod(&y, ctx, mass[k], 1e-6);
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        CHECK(ss_kkt_redundant(kkt) == 1);
        CHECK_NEAR(y.v[2], 1, 2e-6); /* whichever row is left out, the others are off by the drift */
        sp_close(&y);
        pinned_rod(&y, ctx, mass[k], 1e-2); /* really a third condition: it stands still */
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        CHECK(ss_kkt_redundant(kkt) == 0);
        CHECK_NEAR(y.v[2], 0, 1e-10); /* condition 1e4 */
        sp_close(&y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(a_light_link_between_heavy_ones_is_no_redundancy)
{
    /* world - light - heavy, ratio 1e12: the second pivot of S is 1e-12 of its diagonal, of S^ it is 1/2 */
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    small_problem y;
    const double light[] = { 1 }, heavy[] = { 1e12 };
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    ss_kkt_set_redundant(kkt, 1e-9); /* wide, as for joints that have drifted */
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, light, false);
    sp_block(&y, 1, heavy, false);
    sp_joint(&y, (double[]){ 1, 0 }, 0);
    sp_joint(&y, (double[]){ -1, 1 }, 0);
    y.b[1] = -1e12;
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
    CHECK(ss_kkt_redundant(kkt) == 0);
    CHECK_NEAR(y.v[0], 0, 1e-3); /* reactions of 1e12 have a last digit of 1e-4 */
    CHECK_NEAR(y.v[1], 0, 1e-7); /* S has condition 1e12: one refinement leaves (1e12 * 2e-16)^2 of 1 */
    sp_close(&y);
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(whether_rows_are_redundant_does_not_depend_on_what_came_before)
{
    /* one kkt that sees mechanisms with and without redundant rows in turn, against one that sees only the last */
    ss_context *ctx = test_context();
    ss_kkt *used;
    CHECK_OK(ctx, ss_kkt_create(ctx, &used));
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ss_kkt *fresh;
        small_problem y;
        double v[SP_V], lam[SP_J];
        mechanism(&y, ctx, seed, seed % 3 == 0);
        CHECK_OK(ctx, ss_kkt_create(ctx, &fresh));
        CHECK_OK(ctx, ss_kkt_factor(fresh, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(fresh, y.b, y.c, v, lam));
        CHECK_OK(ctx, ss_kkt_factor(used, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(used, y.b, y.c, y.v, y.lam));
        CHECK(ss_kkt_redundant(used) == (seed % 3 == 0 ? 2 : 0) && ss_kkt_redundant(fresh) == ss_kkt_redundant(used));
        CHECK(memcmp(v, y.v, sizeof(double) * (size_t)y.p.nv) == 0 && memcmp(lam, y.lam, sizeof(double) * (size_t)y.p.nj) == 0);
        ss_kkt_destroy(fresh);
        sp_close(&y);
    }
    ss_kkt_destroy(used);
    ss_context_destroy(ctx);
}

/* a body of one velocity and one of nine; the first joint row holds the large one, the second the small one or also the
 * large one: as many rows and as many pieces, but they now share a block, and the last piece needs more room */
static void two_rows(small_problem *y, ss_context *ctx, bool shared)
{
    const double one[] = { 1 }, nine[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    sp_open(y, ctx, 2);
    sp_block(y, 1, one, false);
    sp_block(y, 9, nine, false);
    sp_joint(y, (double[]){ 0, 1, 1, 0, 0, 0, 0, 0, 0, 0 }, 2);
    sp_joint(y, shared ? (double[]){ 0, 1, -1, 0, 0, 0, 0, 0, 0, 0.5 } : (double[]){ 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0);
    y->b[1] = 7;
}

TEST(a_factorisation_that_ran_out_of_memory_can_be_asked_for_again)
{
    for (int n = 1;; n++) {
        failing_allocator memory = { 0 };
        ss_context *ctx = failing_context(&memory);
        ss_kkt *kkt;
        small_problem before, after;
        double momentum, joint;
        two_rows(&before, ctx, false);
        two_rows(&after, ctx, true);
        CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
        CHECK_OK(ctx, ss_kkt_factor(kkt, &before.p));
        memory.fail_at = memory.requests + n;
        bool refused = ss_kkt_factor(kkt, &after.p) != SS_OK;
        CHECK_OK(ctx, ss_kkt_factor(kkt, &after.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, after.b, after.c, after.v, after.lam));
        remainders(&after, after.b, after.c, &momentum, &joint);
        CHECK_NEAR(momentum, 0, 1e-14); /* values below 10 */
        CHECK_NEAR(joint, 0, 1e-14);
        ss_kkt_destroy(kkt);
        sp_close(&before);
        sp_close(&after);
        ss_context_destroy(ctx);
        CHECK(memory.live == 0);
        if (!refused) {
            CHECK(n > 2); /* some requests were met */
            return;
        }
    }
}

TEST(a_redundancy_that_only_equal_masses_show_is_found)
{
    /* Rows (1, 0) and (1, s) on a heavy and a light body: with equal masses they are the same but for s^2 = 1e-12, with
     * the real ones the second row sees mostly the light body and looks independent. */
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    small_problem y;
    const double heavy[] = { 1e9 }, light[] = { 1e-9 };
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    ss_kkt_set_redundant(kkt, 1e-10);
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, heavy, false);
    sp_block(&y, 1, light, false);
    sp_joint(&y, (double[]){ 1, 0 }, 0);
    sp_joint(&y, (double[]){ 1, 1e-6 }, 0);
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    CHECK(ss_kkt_redundant(kkt) == 1);
    sp_close(&y);
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(a_sparse_matrix_gives_what_its_blocks_give)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    for (int redundant = 0; redundant < 2; redundant++) {
        small_problem y;
        double v[SP_V];
        mechanism(&y, ctx, 3, redundant);
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        memcpy(v, y.v, sizeof v);
        sp_make_sparse(&y, true, -1, 0, 0);
        check_solved(ctx, &y, kkt, 2 * redundant);
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        for (int i = 0; i < y.p.nv; i++) {
            CHECK_NEAR(y.v[i], v[i], 1e-11); /* velocities of order 1; mass ratio 1e3 */
        }
        sp_close(&y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(an_unsymmetric_matrix_is_solved_and_refactorised)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    small_problem y;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    mechanism(&y, ctx, 7, true);
    for (int k = 0; k < 5; k++) { /* the same pattern, other values */
        sp_make_sparse(&y, false, 1, 9, 0.4 * (k + 1));
        check_solved(ctx, &y, kkt, 2);
    }
    sp_close(&y);
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(a_singular_matrix_is_an_error_that_says_so)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    small_problem y;
    const double zero[] = { 1, 0 }, one[] = { 1, 1 };
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, zero, false);
    CHECK_FAILS(ctx, ss_kkt_factor(kkt, &y.p), SS_ERR_NUMERIC, "not positive definite");
    sp_close(&y);
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, one, false);
    sp_make_sparse(&y, false, 1, 1, -1);
    CHECK_FAILS(ctx, ss_kkt_factor(kkt, &y.p), SS_ERR_NUMERIC, "singular");
    sp_close(&y);
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

/* ---- a chain of n links: point masses joined by rods, three velocities each ------------------- */

typedef struct chain {
    ss_problem p;
    int *offset, *size, *start;
    double *M, *b, *c, *v, *lam;
} chain;

static void make_chain(ss_context *ctx, chain *y, int n)
{
    *y = (chain){ .p = ss_problem_make(3) };
    y->p.nj = n;
    int **ints[] = { &y->offset, &y->size, &y->start };
    double **doubles[] = { &y->b, &y->c, &y->v, &y->lam };
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, ss_calloc(ctx, (size_t)n, sizeof(int), ints[k]));
    }
    for (int k = 0; k < 4; k++) {
        CHECK_OK(ctx, ss_calloc(ctx, 3 * (size_t)n, sizeof(double), doubles[k]));
    }
    CHECK_OK(ctx, ss_calloc(ctx, 9 * (size_t)n, sizeof(double), &y->M));
    ss_csr_reset(&y->p.G, 3 * n);
    for (int k = 0; k < n; k++) {
        double direction[3] = { cos(0.1 * k), sin(0.1 * k), 0.2 };
        y->offset[k] = 3 * k;
        y->size[k] = 3;
        y->start[k] = 9 * k;
        for (int i = 0; i < 3; i++) {
            y->M[9 * k + 4 * i] = 1 + k % 3;
            if (k > 0) {
                CHECK_OK(ctx, ss_csr_push(ctx, &y->p.G, 3 * k - 3 + i, -direction[i]));
            }
            CHECK_OK(ctx, ss_csr_push(ctx, &y->p.G, 3 * k + i, direction[i]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &y->p.G));
        y->b[3 * k + 1] = -9.81;
    }
    ss_problem_set_blocks(&y->p, &(ss_blockdiag){ n, 3 * n, y->offset, y->size, y->start, y->M, NULL });
    y->p.b = y->b;
    y->p.c = y->c;
}

static void free_chain(ss_context *ctx, chain *y)
{
    void *owned[] = { y->offset, y->size, y->start, y->M, y->b, y->c, y->v, y->lam };
    for (int k = 0; k < 8; k++) {
        ss_free(ctx, owned[k]);
    }
    ss_csr_free(ctx, &y->p.G);
}

TEST(a_chain_costs_in_proportion_to_its_links)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    for (int n = 10; n <= 1000; n *= 10) {
        chain y;
        make_chain(ctx, &y, n);
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        CHECK(ss_kkt_schur_entries(kkt) == n - 1); /* no fill: flops and memory are linear */
        double worst = 0;
        for (int j = 0; j < n; j++) {
            worst = fmax(worst, fabs(ss_csr_row_dot(&y.p.G, j, y.v)));
        }
        CHECK_NEAR(worst, 0, 1e-12); /* velocities of order 10 */
        free_chain(ctx, &y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

TEST(factor_and_solve_take_no_memory_while_the_pattern_stays)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    chain y;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    make_chain(ctx, &y, 50);
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    uint64_t before = ss_context_allocations(ctx);
    for (int k = 0; k < 3; k++) {
        y.p.G.x[k] *= 1.1;
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
    }
    CHECK(ss_context_allocations(ctx) == before);
    free_chain(ctx, &y);
    ss_kkt_destroy(kkt);
    ss_kkt_destroy(NULL);
    ss_context_destroy(ctx);
}

/* a row that is off the span of the others by an angle of about 1e-6 has a pivot of about 1e-12 of its diagonal */
TEST(without_a_wider_tolerance_only_round_off_makes_a_row_redundant)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    const double drift[] = { 1e-6, 1e-8 };
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    for (int k = 0; k < 2; k++) {
        small_problem y;
        pinned_rod(&y, ctx, 1, drift[k]);
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK(ss_kkt_redundant(kkt) == k);
        sp_close(&y);
    }
    ss_kkt_destroy(kkt);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_are_solved_to_round_off),
        cmocka_unit_test(redundant_joints_are_counted_and_a_consistent_system_is_solved),
        cmocka_unit_test(a_joint_that_repeats_another_but_for_drift_does_not_lock_the_mechanism),
        cmocka_unit_test(a_light_link_between_heavy_ones_is_no_redundancy),
        cmocka_unit_test(whether_rows_are_redundant_does_not_depend_on_what_came_before),
        cmocka_unit_test(a_factorisation_that_ran_out_of_memory_can_be_asked_for_again),
        cmocka_unit_test(a_redundancy_that_only_equal_masses_show_is_found),
        cmocka_unit_test(a_sparse_matrix_gives_what_its_blocks_give),
        cmocka_unit_test(an_unsymmetric_matrix_is_solved_and_refactorised),
        cmocka_unit_test(a_singular_matrix_is_an_error_that_says_so),
        cmocka_unit_test(a_chain_costs_in_proportion_to_its_links),
        cmocka_unit_test(factor_and_solve_take_no_memory_while_the_pattern_stays),
        cmocka_unit_test(without_a_wider_tolerance_only_round_off_makes_a_row_redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
