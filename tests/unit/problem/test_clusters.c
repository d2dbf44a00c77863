/* Clusters: bodies that joints, springs and dampers tie together, and problems whose clusters are solved one by one. */
#include "problem/clusters.h"
#include "problem/kkt.h"
#include "small_problem.h"
#include "unit/solvers/solve_by.h"

/* six bodies of two velocities each */
static void six_bodies(small_problem *y, ss_context *ctx)
{
    const double mass[] = { 2, 3 };
    sp_open(y, ctx, 2);
    for (int b = 0; b < 6; b++) {
        sp_block(y, 2, mass, false);
    }
}

/* the sparse part: `n` entries (i, j, x) */
static void couple(small_problem *y, int n, const double (*entry)[3], bool symmetric)
{
    ss_csr *S = &y->p.A.sparse;
    ss_csr_reset(S, y->p.nv);
    for (int i = 0; i < y->p.nv; i++) {
        for (int k = 0; k < n; k++) {
            if ((int)entry[k][0] == i) {
                CHECK_OK(y->ctx, ss_csr_push(y->ctx, S, (int)entry[k][1], entry[k][2]));
            }
        }
        CHECK_OK(y->ctx, ss_csr_end_row(y->ctx, S));
    }
    y->p.A.symmetric = symmetric;
}

/* bodies 0 and 1 have a joint, 2 and 3 a spring, 4 a damper to the world; entries of 0 couple nothing */
static const double SPRING[][3] = {
    { 4, 4, 7 }, { 4, 6, -7 }, { 6, 4, -7 }, { 6, 6, 7 }, { 8, 8, 5 }, { 8, 10, 0 }, { 10, 8, 0 }
};

static void tie_bodies(small_problem *y, ss_context *ctx)
{
    const double joint[12] = { 1, 0, -1, 0 };
    six_bodies(y, ctx);
    sp_joint(y, joint, 0.5);
    couple(y, 7, SPRING, true);
}

TEST(joints_and_couplings_make_clusters_and_stored_zeros_do_not)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    small_problem y;
    ss_clusters c;
    tie_bodies(&y, ctx);
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    CHECK_OK(ctx, ss_clusters_find(arena, &y.p, &c));
    const int of_block[6] = { 0, 0, 1, 1, 2, 3 };
    CHECK(c.count == 4 && memcmp(c.of_block, of_block, sizeof of_block) == 0);
    const bool jointed[4] = { true, false, false, false }, coupled[4] = { false, true, true, false };
    for (int k = 0; k < 4; k++) {
        CHECK(c.jointed[k] == jointed[k] && c.coupled[k] == coupled[k]);
        CHECK(c.velocities[k] == (k < 2 ? 4 : 2));
        CHECK(c.list.first[k + 1] - c.list.first[k] == (k < 2 ? 2 : 1));
    }
    CHECK(c.largest_coupled == 4);
    ss_arena_destroy(arena);
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(every_cluster_solves_its_own_part_of_the_equations)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    small_problem y;
    double x[SP_V];
    tie_bodies(&y, ctx);
    for (int i = 0; i < y.p.nv; i++) {
        y.b[i] = sin(1 + 3 * i);
    }
    for (int skew = 0; skew < 2; skew++) {
        if (skew) { /* a coupling that is not symmetric, and one that reaches a body with a joint */
            const double more[][3] = { { 4, 4, 7 }, { 4, 6, -7 }, { 6, 4, -5 }, { 6, 6, 7 }, { 2, 8, 0.5 }, { 8, 8, 1 } };
            couple(&y, 6, more, false);
        }
        CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_kkt_solve(kkt, y.b, y.c, y.v, y.lam));
        ss_matrix_times(&y.p.A, y.v, x);
        ss_csr_transpose_times(&y.p.G, -1, y.lam, 1, x);
        for (int i = 0; i < y.p.nv; i++) {
            CHECK_NEAR(x[i], y.b[i], 1e-14);
        }
        CHECK_NEAR(y.v[0] - y.v[2], 0.5, 1e-14);
        CHECK(fabs(y.lam[0]) > 0.01);
        ss_kkt_destroy(kkt);
    }
    sp_close(&y);
    ss_context_destroy(ctx);
}

TEST(the_response_to_a_row_is_the_solution_for_it_on_its_clusters_alone)
{
    ss_context *ctx = test_context();
    ss_kkt *kkt;
    ss_gram gram = { 0 };
    ss_csr R = { 0 };
    small_problem y;
    double v[SP_V], expected[SP_V], lam[SP_J];
    const double rows[3][12] = { { 1, 2 }, { 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0 }, { 0, 0, 0, 0, 0, 0, 2, 0, 1, 0 } };
    tie_bodies(&y, ctx);
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    R.n = y.p.nv;
    for (int i = 0; i < 3; i++) {
        sp_row(&y, &R, rows[i]);
    }
    CHECK_OK(ctx, ss_gram_build(ctx, &gram, &y.p.scale, ss_kkt_block_factor(kkt), &R));
    for (int i = 0; i < 3; i++) {
        memset(v, 0, sizeof v);
        CHECK_OK(ctx, ss_kkt_response(kkt, &gram, i, v));
        CHECK_OK(ctx, ss_kkt_solve(kkt, rows[i], NULL, expected, lam));
        for (int k = 0; k < y.p.nv; k++) {
            CHECK_NEAR(v[k], expected[k], 1e-15);
        }
    }
    ss_gram_free(ctx, &gram);
    ss_csr_free(ctx, &R);
    ss_kkt_destroy(kkt);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- contacts on clusters ------------------------------------------------------------------------ */

/* six bodies in a row, pressed down onto frictional contacts of their own; springs tie the first `tied` of them in a line */
static void row_of_bodies(small_problem *y, ss_context *ctx, int tied, double skew)
{
    double entry[40][3], v[SP_V], kick[SP_V];
    int n = 0;
    six_bodies(y, ctx);
    for (int b = 0; b + 1 < tied; b++) {
        for (int i = 0; i < 2; i++) {
            const double k = i == 0 ? 4 : 1.5;
            int a = 2 * b + i, c = a + 2;
            memcpy(entry[n++], (double[]){ a, a, k }, sizeof *entry);
            memcpy(entry[n++], (double[]){ a, c, -k + skew }, sizeof *entry);
            memcpy(entry[n++], (double[]){ c, a, -k }, sizeof *entry);
            memcpy(entry[n++], (double[]){ c, c, k }, sizeof *entry);
        }
    }
    couple(y, n, (const double(*)[3])entry, skew == 0);
    for (int b = 0; b < 6; b++) {
        double rows[24] = { 0 };
        rows[2 * b + 1] = 1;  /* normal  */
        rows[12 + 2 * b] = 1; /* tangent */
        sp_contact(y, SS_LAW_POLYHEDRAL, 0.1 * (b + 1), 2, rows, 2, sp_line);
        v[2 * b] = 1 - 0.5 * b;
        v[2 * b + 1] = b == 3 ? 2 : -1;
        kick[2 * b] = 0.2;
        kick[2 * b + 1] = -0.5;
    }
    sp_motion(y, v, kick);
    sp_scale_by_A(y);
}

TEST(sweeps_newton_and_pivoting_agree_where_springs_tie_some_bodies)
{
    ss_context *ctx = test_context();
    const char *const solvers[] = { "lemke", "nsgs", "alm", "auto" };
    for (int tied = 0; tied <= 6; tied += 2) {
        for (int skew = 0; skew < 2; skew++) {
            double v[SP_V] = { 0 };
            for (int k = 0; k < 4; k++) {
                small_problem y;
                row_of_bodies(&y, ctx, tied, 0.3 * skew);
                ss_solver_info info = solve_by(ctx, solvers[k], 1e-12, &y.p, &y.s);
                CHECK(info.outcome == SS_CONVERGED);
                for (int i = 0; i < y.p.nv; i++) {
                    v[i] = k == 0 ? y.v[i] : v[i];
                    CHECK_NEAR(y.v[i], v[i], 1e-10); /* tolerance 1e-12 times velocities of order 1, and the condition */
                }
                sp_close(&y);
            }
        }
    }
    ss_context_destroy(ctx);
}

/* body 0 is held by joints in every direction; contacts press 0 alone, and 0 and 1 together; spring: of two other bodies, NULL:
 * none */
static void press_what_is_held(ss_context *ctx, const char *solver, const double spring[4][3])
{
    enum { ALONE = 5 }; /* so many that sweeps keep velocities, not W */
    const double held[2][12] = { { 0.6, 0.8 }, { 0.8, -0.6 } }, both[12] = { 1, 0, -1, 0 };
    double v[12] = { [2] = 1 };
    small_problem y;
    six_bodies(&y, ctx);
    if (spring) {
        couple(&y, 4, spring, true);
    }
    sp_joint(&y, held[0], 0);
    sp_joint(&y, held[1], 0);
    for (int i = 0; i < ALONE; i++) {
        const double alone[12] = { cos(0.7 * i), sin(0.7 * i) };
        sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, alone, 0, NULL);
        y.w[i] = -1e-20; /* round-off that noise in W would turn into an impulse */
    }
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, both, 0, NULL);
    sp_motion(&y, v, NULL);
    if (spring) {
        sp_scale_by_A(&y);
    }
    ss_solver_info info = solve_by(ctx, solver, 1e-10, &y.p, &y.s);
    CHECK(info.outcome == SS_CONVERGED);
    for (int i = 0; i < ALONE; i++) {
        CHECK_NEAR(y.r[i], 0, 1e-9);
    }
    CHECK_NEAR(y.v[0], 0, 1e-14);
    CHECK(y.v[2] <= 1e-10 && y.r[ALONE] > 0.1); /* body 1 stops at body 0 */
    sp_close(&y);
}

TEST(a_row_that_joints_hold_has_no_impulse_although_springs_are_near)
{
    ss_context *ctx = test_context();
    const char *const solvers[] = { "lemke", "nsgs", "alm" };
    const double spring[2][4][3] = { { { 2, 2, 4 }, { 2, 4, -4 }, { 4, 2, -4 }, { 4, 4, 4 } },
                                     { { 0, 0, 4 }, { 0, 2, -4 }, { 2, 0, -4 }, { 2, 2, 4 } } };
    for (int k = 0; k < 6; k++) {
        press_what_is_held(ctx, solvers[k % 3], spring[k / 3]);
    }
    ss_context_destroy(ctx);
}

TEST(a_row_that_joints_hold_has_no_impulse)
{
    ss_context *ctx = test_context();
    const char *const solvers[] = { "lemke", "nsgs", "alm" };
    for (int k = 0; k < 3; k++) {
        press_what_is_held(ctx, solvers[k], NULL);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_and_couplings_make_clusters_and_stored_zeros_do_not),
        cmocka_unit_test(every_cluster_solves_its_own_part_of_the_equations),
        cmocka_unit_test(the_response_to_a_row_is_the_solution_for_it_on_its_clusters_alone),
        cmocka_unit_test(sweeps_newton_and_pivoting_agree_where_springs_tie_some_bodies),
        cmocka_unit_test(a_row_that_joints_hold_has_no_impulse_although_springs_are_near),
        cmocka_unit_test(a_row_that_joints_hold_has_no_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
