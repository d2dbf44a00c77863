/* test_lcp.c - islands, the contacts' matrix in all forms, and the reduction to an LCP. */
#include "problem/islands.h"
#include "solvers/lemke/lcp.h"
#include "unit/problem/small_problem.h"

/* ---- islands ---------------------------------------------------------------------------------- */

/* five bodies of one velocity: 0-1 joined, 2-3 in contact, 4 alone */
static void five_bodies(small_problem *y, ss_context *ctx)
{
    const double one[] = { 1 }, joint[] = { 1, -1, 0, 0, 0 }, contact[] = { 0, 0, 1, -1, 0 }, nothing[] = { 0, 0, 0, 0, 0 };
    const double wall[] = { 0, 1, 0, 0, 0 };
    sp_open(y, ctx, 2);
    for (int k = 0; k < 5; k++) {
        sp_block(y, 1, one, false);
    }
    sp_joint(y, joint, 0);
    sp_joint(y, nothing, 0);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, contact, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, nothing, 0, NULL);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, wall, 0, NULL);
}

TEST(joints_contacts_and_entries_of_A_join_islands)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_islands islands;
    small_problem y;
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    five_bodies(&y, ctx);
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.count == 3);
    CHECK(islands.of_contact[0] == 0 && islands.of_contact[1] == -1 && islands.of_contact[2] == 1);
    CHECK(islands.of_joint[0] == 1 && islands.of_joint[1] == -1);
    const int expected[] = { 1, 1, 0, 0, 2 };
    for (int k = 0; k < 5; k++) {
        CHECK(islands.of_block[k] == expected[k]);
    }
    CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 4, 0)); /* a stored zero joins nothing */
    CHECK_OK(ctx, ss_csr_push(ctx, &y.p.G, 0, 1));
    CHECK_OK(ctx, ss_csr_end_row(ctx, &y.p.G));
    y.p.nj++;
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.count == 3 && islands.of_joint[2] == 1);
    sp_make_sparse(&y, false, 4, 2, 0.5); /* one entry couples body 4 to body 2 */
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.count == 2 && islands.of_block[4] == islands.of_block[3]);
    sp_close(&y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(the_local_form_has_the_islands_of_its_matrix)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_islands islands;
    small_problem y;
    const double none[] = { 0 };
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    sp_open(&y, ctx, 2);
    y.p.local = true;
    y.p.W.n = 3;
    sp_row(&y, &y.p.W, (double[]){ 1, 0, 0.2 });
    sp_row(&y, &y.p.W, (double[]){ 0, 1, 0 });
    sp_row(&y, &y.p.W, (double[]){ 0.2, 0, 1 });
    for (int k = 0; k < 3; k++) {
        sp_contact(&y, SS_LAW_UNILATERAL, 0, 0, none, 0, NULL);
        y.row[k + 1] = k + 1;
    }
    CHECK_OK(ctx, ss_islands_find(arena, &y.p, &islands));
    CHECK(islands.count == 2 && islands.of_contact[0] == 0 && islands.of_contact[1] == 1 && islands.of_contact[2] == 0);
    sp_close(&y);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* ---- W and q ---------------------------------------------------------------------------------- */

/* three 2D bodies, contacts between them and with the ground, optionally joints (one redundant) */
static void three_bodies(small_problem *y, ss_context *ctx, int joints, uint64_t seed)
{
    uint64_t state = seed;
    double x[3][9] = { { 0 } }, v[9];
    sp_open(y, ctx, 2);
    for (int b = 0; b < 3; b++) {
        const double M[9] = { 2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 0.5 };
        sp_block(y, 3, M, true);
    }
    for (int k = 0; k < 3; k++) {
        double rows[18] = { 0 };
        for (int i = 0; i < 18; i++) {
            int column = i % 9;
            bool touches = k == 2 ? column < 3 : column / 3 == k || column / 3 == k + 1;
            rows[i] = touches ? 2 * ss_random_uniform(&state) - 1 : 0;
        }
        sp_contact(y, SS_LAW_POLYHEDRAL, 0.3, 2, rows, 2, sp_line);
    }
    for (int j = 0; j < joints; j++) {
        for (int i = 0; i < 9; i++) {
            x[j][i] = j == 2 ? 2 * x[0][i] - x[1][i] : i / 3 != 2 - j ? ss_random_uniform(&state) : 0;
        }
        sp_joint(y, x[j], 0);
    }
    for (int i = 0; i < 9; i++) {
        v[i] = 2 * ss_random_uniform(&state) - 1;
    }
    for (int j = 0; j < joints; j++) {
        y->c[j] = 0.1 * (j == 2 ? 2 * 1 - 2 : j + 1); /* consistent */
    }
    for (int i = 0; i < 6; i++) {
        y->w[i] = 0.01 * i;
    }
    sp_motion(y, v, NULL);
}

/* W r + q against H v + w with v from the kkt solve for b + H' r: the definition itself */
static void check_definition(ss_context *ctx, small_problem *y)
{
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    const int row[] = { 4, 5, 0, 1, 2, 3 };
    double W[36], q[6], r[6] = { 0.3, -0.1, 0.7, 0.2, 0.5, -0.4 }, b[SP_V];
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y->p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &y->p, kkt));
    CHECK_OK(ctx, ss_delassus_submatrix(delassus, arena, 6, row, W, q));
    memcpy(b, y->b, sizeof b);
    ss_csr_transpose_times(&y->p.H, 1, r, 1, b);
    CHECK_OK(ctx, ss_kkt_solve(kkt, b, y->c, y->v, y->lam));
    for (int i = 0; i < 6; i++) {
        double u = q[i], exact = ss_csr_row_dot(&y->p.H, row[i], y->v) + y->w[row[i]];
        for (int j = 0; j < 6; j++) {
            u += W[i + 6 * j] * r[row[j]];
        }
        CHECK_NEAR(u, exact, 1e-13); /* values of order one */
    }
    ss_delassus_destroy(delassus);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
}

TEST(W_and_q_are_what_they_are_defined_to_be_in_every_form)
{
    ss_context *ctx = test_context();
    for (int joints = 0; joints <= 3; joints++) {
        for (uint64_t seed = 1; seed < 6; seed++) {
            small_problem y;
            three_bodies(&y, ctx, joints, seed);
            check_definition(ctx, &y);
            sp_make_sparse(&y, true, -1, 0, 0);
            check_definition(ctx, &y);
            sp_make_sparse(&y, false, 2, 5, 0.2);
            check_definition(ctx, &y);
            sp_close(&y);
        }
    }
    ss_context_destroy(ctx);
}

TEST(a_contact_that_the_joints_hold_fast_has_a_row_of_exact_zeros)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    small_problem y;
    const double mass[] = { 3, 7 }, fixed_x[] = { 1, 0 }, fixed_y[] = { 0.3, 1 }, rows[] = { 0.6, 0.8, 0.8, -0.6 },
                 v[] = { 1, 2 };
    const int row[] = { 0, 1 };
    double W[4], q[2];
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, mass, false);
    sp_joint(&y, fixed_x, 0);
    sp_joint(&y, fixed_y, 0);
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.3, 2, rows, 2, sp_line);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &y.p, kkt));
    CHECK_OK(ctx, ss_delassus_submatrix(delassus, arena, 2, row, W, q));
    for (int k = 0; k < 4; k++) {
        CHECK(W[k] == 0 && q[k / 2] == 0);
    }
    ss_delassus_destroy(delassus);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* ---- the LCP ---------------------------------------------------------------------------------- */

TEST(a_frictional_contact_becomes_the_matrix_of_ap97)
{
    /* particle of mass 4 in the plane: W = I/4, d = 1/4, impulses scaled by 2, lambda by 1/2 */
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_lcp lcp;
    small_problem y;
    const double mass[] = { 4, 4 }, rows[] = { 1, 0, 0, 1 }, v[] = { -3, 5 };
    sp_open(&y, ctx, 2);
    sp_block(&y, 2, mass, false);
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.7, 2, rows, 2, sp_line);
    sp_motion(&y, v, NULL);
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &y.p, kkt));
    CHECK_OK(ctx, ss_lcp_build(arena, &y.p, delassus, 1, (int[]){ 0 }, &lcp));
    CHECK(lcp.n == 4 && lcp.rows == 2);
    const double M[4][4] = { { 1, 0, 0, 0 }, { 0, 1, -1, 1 }, { 0, -1, 1, 1 }, { 0.7, -1, -1, 0 } }, q[] = { -6, 10, -10, 0 };
    double dense[16];
    ss_lcp_matrix(&lcp).dense(&lcp, dense);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            CHECK_NEAR(dense[i + 4 * j], M[i][j], 1e-15);
        }
        CHECK_NEAR(lcp.q[i], q[i], 1e-14);
    }

    /* back: z' = (1, 0, 3, 2) is c_n = 2, beta = (0, 6): r = (2, -6), u = r/4 + v */
    double z[] = { 1, 0, 3, 2 }, r[2], u[2];
    ss_lcp_impulses(&lcp, z, r, u);
    CHECK_NEAR(r[0], 2, 1e-15);
    CHECK_NEAR(r[1], -6, 1e-15);
    CHECK_NEAR(u[0], -2.5, 1e-15);
    CHECK_NEAR(u[1], 3.5, 1e-15);

    /* the basis is written into one word and read again */
    bool basic[4] = { true, false, true, true }, read[4];
    uint64_t word[1] = { 0 };
    ss_lcp_basis_write(&lcp, basic, word);
    CHECK(word[0] == (SS_LCP_BASIS_KNOWN | 1 | 4 | 8));
    ss_lcp_basis_read(&lcp, word, read);
    CHECK(memcmp(basic, read, sizeof basic) == 0);
    ss_delassus_destroy(delassus);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* two 3D bodies: contacts with 4 directions, one without friction, a bounded row */
static void mixed_contacts(small_problem *y, ss_context *ctx, uint64_t seed)
{
    uint64_t state = seed;
    const double mass[] = { 1, 1, 1, 0.2, 0.3, 0.4 }, heavy[] = { 50, 50, 50, 9, 8, 7 };
    double rows[4][36], v[12];
    sp_open(y, ctx, 3);
    sp_block(y, 6, mass, false);
    sp_block(y, 6, heavy, false);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 36; i++) {
            rows[k][i] = k == 0 && i % 12 > 5 ? 0 : 2 * ss_random_uniform(&state) - 1;
        }
    }
    for (int i = 0; i < 12; i++) {
        v[i] = 2 * ss_random_uniform(&state) - 1;
    }
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.4, 3, rows[0], 4, sp_square);
    sp_contact(y, SS_LAW_UNILATERAL, 0, 1, rows[1], 0, NULL);
    sp_contact(y, SS_LAW_BOUNDED, 0.7, 1, rows[2], 0, NULL);
    sp_contact(y, SS_LAW_POLYHEDRAL, 0.9, 3, rows[3], 4, sp_square);
    sp_motion(y, v, NULL);
}

/* M by its definition, column by column: the velocities that a unit of unknown b causes, and the couplings */
static double entry_by_definition(const small_problem *y, const ss_lcp *lcp, int a, int b)
{
    const ss_lcp_unknown *za = &lcp->unknown[a], *zb = &lcp->unknown[b];
    double s = 0;
    for (int i = 0; i < za->rows; i++) {
        for (int j = 0; j < zb->rows; j++) {
            s += za->along[i] * lcp->W[za->row + i + lcp->rows * (zb->row + j)] * zb->along[j];
        }
    }
    if (za->contact == zb->contact && zb->kind == SS_LCP_SLIP) {
        s += za->kind == SS_LCP_FRICTION;
    } else if (za->contact == zb->contact && za->kind == SS_LCP_SLIP) {
        s += zb->kind == SS_LCP_FRICTION ? -1 : y->mu[za->contact];
    }
    return za->scale * s * zb->scale;
}

static void check_matrix(const small_problem *y, const ss_lcp *lcp)
{
    enum { N = 16 };
    const int index[] = { 1, 5, 6, 9, 15 };
    double M[N * N], A[25], z[N];
    long double w[N] = { 0 };
    ss_pivot_matrix matrix = ss_lcp_matrix(lcp);
    CHECK(lcp->n == N && matrix.n == N);
    matrix.dense(matrix.data, M);
    matrix.gather(matrix.data, 5, index, A);
    for (int i = 0; i < N; i++) {
        z[i] = i % 3 == 0 ? 0 : i - 7.5;
    }
    matrix.add_times(matrix.data, z, w);
    for (int i = 0; i < N; i++) {
        double s = 0;
        for (int j = 0; j < N; j++) {
            CHECK_NEAR(M[i + N * j], entry_by_definition(y, lcp, i, j), 1e-14); /* entries of order one */
            s += M[i + N * j] * z[j];
        }
        CHECK_NEAR((double)w[i], s, 1e-12); /* sums of 16 terms of order 10 */
    }
    for (int k = 0; k < 25; k++) {
        CHECK_NEAR(A[k], M[index[k % 5] + N * index[k / 5]], 0);
    }
}

TEST(the_matrix_does_by_its_structure_what_it_does_written_out)
{
    ss_context *ctx = test_context();
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    CHECK_OK(ctx, ss_arena_create(ctx, 1024, &arena));
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    for (uint64_t seed = 1; seed < 6; seed++) {
        ss_lcp lcp;
        small_problem y;
        double q[16], shift[8] = { 0.5, 0, 0, 0.25, 0, 0, 0, -1 };
        mixed_contacts(&y, ctx, seed);
        CHECK_OK(ctx, ss_kkt_factor(kkt, &y.p));
        CHECK_OK(ctx, ss_delassus_prepare(delassus, &y.p, kkt));
        CHECK_OK(ctx, ss_lcp_build(arena, &y.p, delassus, 4, (int[]){ 0, 1, 2, 3 }, &lcp));
        check_matrix(&y, &lcp);

        /* a shift of u is seen by the unknowns of that row, and is gone when it is taken back */
        memcpy(q, lcp.q, sizeof q);
        ss_lcp_shift(&lcp, shift);
        CHECK_NEAR(lcp.q[0], q[0] + 0.5 * lcp.unknown[0].scale, 1e-14);
        CHECK_NEAR(lcp.q[6], q[6] + 0.25 * lcp.unknown[6].scale, 1e-14);
        CHECK(lcp.q[1] == q[1] && lcp.q[7] == q[7] && lcp.q[15] == q[15]);
        ss_lcp_shift(&lcp, NULL);
        CHECK(memcmp(q, lcp.q, sizeof q) == 0);
        ss_arena_reset(arena);
        sp_close(&y);
    }
    ss_delassus_destroy(delassus);
    ss_kkt_destroy(kkt);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(laws_and_numbers_of_directions_that_do_not_fit_are_named)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double mass[] = { 1, 1, 1 }, rows[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    double many[2 * 62] = { 0 };
    sp_open(&y, ctx, 3);
    sp_block(&y, 3, mass, false);
    sp_contact(&y, SS_LAW_POLYHEDRAL, 0.5, 3, rows, 62, many);
    CHECK_FAILS(ctx, ss_lcp_check(ctx, &y.p), SS_ERR_UNSUPPORTED, "62 friction directions, at most 60");
    y.law[0] = SS_LAW_COULOMB;
    CHECK_FAILS(ctx, ss_lcp_check(ctx, &y.p), SS_ERR_UNSUPPORTED, "contact 0 has law 2");
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_contacts_and_entries_of_A_join_islands),
        cmocka_unit_test(the_local_form_has_the_islands_of_its_matrix),
        cmocka_unit_test(W_and_q_are_what_they_are_defined_to_be_in_every_form),
        cmocka_unit_test(a_contact_that_the_joints_hold_fast_has_a_row_of_exact_zeros),
        cmocka_unit_test(a_frictional_contact_becomes_the_matrix_of_ap97),
        cmocka_unit_test(the_matrix_does_by_its_structure_what_it_does_written_out),
        cmocka_unit_test(laws_and_numbers_of_directions_that_do_not_fit_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
