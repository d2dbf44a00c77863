/* test_large.c - problems of more bodies and contacts than one range of a loop on threads holds: sums body by body are those of a
 * loop over rows, and certificates have the same bits for any number of threads. */
#include "problem/acting_rows.h"
#include "problem/contact_blocks.h"
#include "problem/kkt.h"
#include "problem/residual.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 700, CONTACTS = 2500, JOINTS = 300, NV = 6 * BODIES, NR = 3 * CONTACTS };

typedef struct large_problem {
    ss_context *ctx;
    ss_problem p;
    ss_solution s;
    int offset[BODIES], size[BODIES], start[BODIES], row[CONTACTS + 1];
    unsigned law[CONTACTS];
    double M[36 * BODIES], b[NV], v_old[NV], c[JOINTS], w[NR], mu[CONTACTS];
    double v[NV], lam[JOINTS], r[NR], u[NR];
} large_problem;

/* two bodies */
typedef struct pair {
    int a, b;
} pair;

static pair any_pair(uint64_t *seed)
{
    const int a = (int)(ss_random_uniform(seed) * BODIES);
    return (pair){ a, (a + 1 + (int)(ss_random_uniform(seed) * 20)) % BODIES };
}

/* body a, then body b; again: one entry of a once more behind those of b, which adds to the one that was there */
static void push_row(large_problem *y, ss_csr *R, pair of, bool again, uint64_t *seed)
{
    for (int k = 0; k < 12; k++) {
        CHECK_OK(y->ctx, ss_csr_push(y->ctx, R, 6 * (k < 6 ? of.a : of.b) + k % 6, ss_random_uniform(seed) - 0.5));
    }
    if (again) {
        CHECK_OK(y->ctx, ss_csr_push(y->ctx, R, 6 * of.a + 2, 0.25));
    }
    CHECK_OK(y->ctx, ss_csr_end_row(y->ctx, R));
}

/* rows of a contact act on two bodies, now and then on more */
static void push_contact(large_problem *y, int k, uint64_t *seed)
{
    pair of = any_pair(seed);
    for (int i = 0; i < 3; i++) {
        of = i == 2 && k % 5 == 1 ? any_pair(seed) : of;
        push_row(y, &y->p.H, of, k % 7 == 0 || (k % 11 == 1 && i == 1), seed);
    }
}

static void fill(int n, double *x, uint64_t *seed)
{
    for (int i = 0; i < n; i++) {
        x[i] = ss_random_uniform(seed) - 0.5;
    }
}

static void make_blocks(large_problem *y)
{
    for (int k = 0; k < BODIES; k++) {
        y->offset[k] = 6 * k;
        y->size[k] = 6;
        y->start[k] = 36 * k;
        for (int i = 0; i < 6; i++) {
            y->M[36 * k + 7 * i] = 1 + i + 0.001 * k;
        }
        y->M[36 * k + 1] = y->M[36 * k + 6] = k % 2 ? 0.25 : 0; /* every other one is diagonal */
    }
}

static large_problem *make(void)
{
    large_problem *y = calloc(1, sizeof *y);
    uint64_t seed = 7;
    assert_non_null(y);
    y->ctx = test_context();
    y->p = ss_problem_make(3);
    make_blocks(y);
    const ss_blockdiag M = { .blocks = BODIES, .n = NV, .offset = y->offset, .size = y->size, .start = y->start, .x = y->M };
    ss_problem_set_blocks(&y->p, &M);
    ss_csr_reset(&y->p.H, NV);
    ss_csr_reset(&y->p.G, NV);
    for (int k = 0; k < CONTACTS; k++) {
        push_contact(y, k, &seed);
    }
    for (int i = 0; i < JOINTS; i++) {
        push_row(y, &y->p.G, any_pair(&seed), i % 7 == 0, &seed);
    }
    for (int k = 0; k < CONTACTS; k++) {
        y->row[k + 1] = 3 * (k + 1);
        y->law[k] = SS_LAW_COULOMB;
        y->mu[k] = 0.5;
    }
    y->p.nc = CONTACTS;
    y->p.nj = JOINTS;
    y->p.row = y->row;
    y->p.law = y->law;
    y->p.mu = y->mu;
    y->p.b = y->b;
    y->p.c = y->c;
    y->p.w = y->w;
    y->p.v_old = y->v_old;
    y->s = (ss_solution){ .v = y->v, .lam = y->lam, .r = y->r, .u = y->u };
    fill(NV, y->b, &seed);
    fill(NV, y->v_old, &seed);
    fill(NV, y->v, &seed);
    fill(JOINTS, y->lam, &seed);
    fill(NR, y->w, &seed);
    fill(NR, y->r, &seed);
    CHECK_OK(y->ctx, ss_problem_check(y->ctx, &y->p));
    return y;
}

static void drop(large_problem *y)
{
    ss_csr_free(y->ctx, &y->p.H);
    ss_csr_free(y->ctx, &y->p.G);
    ss_context_destroy(y->ctx);
    free(y);
}

TEST(sums_body_by_body_are_those_of_a_loop_over_rows)
{
    large_problem *y = make();
    const ss_problem *p = &y->p;
    ss_residual_work *work;
    ss_islands islands;
    double *by_rows = calloc(NV, sizeof *by_rows), *by_bodies = calloc(NV, sizeof *by_bodies);
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &work));
    ss_residual_hold(work, p);
    CHECK(!ss_residual_held_contacts(y->ctx, p)); /* nobody has asked about it */
    CHECK_OK(y->ctx, ss_residual_find_islands(work, p, &islands));
    const ss_acting_rows *rows = ss_residual_held_contacts(y->ctx, p);
    assert_non_null(rows);
    for (int threads = 1; threads <= 3; threads++) {
        const ss_acting_matrix by = { rows, &p->H, p->row, &p->scale };
        ss_context_set_threads(y->ctx, threads);
        memcpy(by_rows, y->b, sizeof y->b);
        memcpy(by_bodies, y->b, sizeof y->b);
        ss_csr_transpose_times(&p->H, 1, y->r, 1, by_rows);
        ss_acting_add_all(y->ctx, &by, y->r, by_bodies);
        CHECK(memcmp(by_rows, by_bodies, sizeof y->b) == 0);
    }
    ss_residual_destroy(work);
    free(by_rows);
    free(by_bodies);
    drop(y);
}

/* d_i = trace(H_i B^-1 H_i')/3 and the shares of bodies in it, against products written out */
TEST(scales_of_contacts_are_means_over_their_rows)
{
    large_problem *y = make();
    const ss_problem *p = &y->p;
    const ss_share_groups contacts = { CONTACTS, y->row };
    ss_row_scales scales = { 0 };
    ss_row_shares shares = { 0 };
    double *L = calloc(36 * BODIES, sizeof *L), *of_row = calloc(NR, sizeof *L), *of_contact = calloc(CONTACTS, sizeof *L);
    CHECK_OK(y->ctx, ss_blockdiag_factor(y->ctx, &p->scale, L));
    CHECK_OK(y->ctx, ss_row_scales_update(y->ctx, &scales, &p->scale, L));
    CHECK_OK(y->ctx, ss_row_scales_of(y->ctx, &scales, &p->scale, L, &p->H, NULL, of_row, &shares));
    CHECK_OK(y->ctx, ss_row_scales_of(y->ctx, &scales, &p->scale, L, &p->H, &contacts, of_contact, &shares));
    for (int k = 0; k < CONTACTS; k++) {
        double sum = 0;
        for (int e = shares.first[k]; e < shares.first[k + 1]; e++) {
            for (int f = shares.first[k]; f < e; f++) {
                CHECK(shares.block[f] != shares.block[e]);
            }
            sum += shares.x[e];
        }
        CHECK_NEAR(sum, of_contact[k], 1e-14 * of_contact[k]);
        CHECK_NEAR((of_row[3 * k] + of_row[3 * k + 1] + of_row[3 * k + 2]) / 3, of_contact[k], 1e-14 * of_contact[k]);
    }
    double x[6] = { 0 }, solved[6], expected = 0; /* row 0: its second body has no entry that comes twice */
    const int b = p->H.i[6] / 6;
    memcpy(x, p->H.x + 6, sizeof x);
    memcpy(solved, x, sizeof x);
    ss_block_solve(6, L + 36 * b, solved);
    for (int i = 0; i < 6; i++) {
        expected += x[i] * solved[i];
    }
    CHECK_OK(y->ctx, ss_row_scales_of(y->ctx, &scales, &p->scale, L, &p->H, NULL, of_row, &shares));
    CHECK(shares.first[1] == 2 && shares.block[1] == b);
    CHECK_NEAR(shares.x[1], expected, 1e-14);
    ss_row_scales_free(y->ctx, &scales);
    ss_row_shares_free(y->ctx, &shares);
    free(L);
    free(of_row);
    free(of_contact);
    drop(y);
}

TEST(a_certificate_has_the_same_bits_for_any_number_of_threads)
{
    large_problem *y = make();
    ss_residual of[4];
    memset(of, 0, sizeof of);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(y->ctx, threads);
        CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &of[threads]));
        CHECK(of[threads].contact > 0 && of[threads].momentum > 0 && of[threads].joint > 0 && of[threads].classical > 0);
        CHECK(memcmp(&of[threads], &of[1], sizeof of[1]) == 0);
    }
    y->M[36 * (BODIES - 1)] *= 2; /* one number of a long array */
    CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &of[0]));
    CHECK(of[0].momentum != of[1].momentum);
    drop(y);
}

TEST(velocities_are_recovered_to_the_bit_whether_the_problem_is_held_or_not)
{
    large_problem *y = make();
    ss_residual_work *work;
    ss_islands islands;
    ss_kkt *kkt;
    double *v = calloc(NV, sizeof *v), *u = calloc(NR, sizeof *u);
    CHECK_OK(y->ctx, ss_kkt_create(y->ctx, &kkt));
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &work));
    CHECK_OK(y->ctx, ss_kkt_factor(kkt, &y->p));
    CHECK_OK(y->ctx, ss_kkt_recover(kkt, &y->p, &y->s));
    memcpy(v, y->v, sizeof y->v);
    memcpy(u, y->u, sizeof y->u);
    ss_residual_hold(work, &y->p);
    CHECK_OK(y->ctx, ss_residual_find_islands(work, &y->p, &islands));
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(y->ctx, threads);
        CHECK_OK(y->ctx, ss_kkt_recover(kkt, &y->p, &y->s));
        CHECK(memcmp(v, y->v, sizeof y->v) == 0 && memcmp(u, y->u, sizeof y->u) == 0);
    }
    ss_residual_destroy(work);
    ss_kkt_destroy(kkt);
    free(v);
    free(u);
    drop(y);
}

/* Whoever holds a problem promises that it stays: it is not looked at again until it is let go. */
TEST(a_problem_that_is_held_is_looked_at_once)
{
    large_problem *y = make();
    ss_residual_work *work, *other;
    ss_residual before, held, after;
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &work));
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &other));
    const ss_residual_held none = ss_residual_hold(work, &y->p);
    CHECK(!none.problem);
    CHECK_OK(y->ctx, ss_residual_compute(work, &y->p, &y->s, &before));
    for (int i = 0; i < NV; i++) {
        y->v_old[i] *= 1e3; /* a scale of momentum */
    }
    CHECK_OK(y->ctx, ss_residual_compute(other, &y->p, &y->s, &held));
    CHECK(before.contact == held.contact && before.momentum == held.momentum);
    const ss_problem copy = y->p; /* at another address: it is not the one that is held */
    CHECK_OK(y->ctx, ss_residual_compute(other, &copy, &y->s, &after));
    CHECK(after.momentum < 0.1 * before.momentum);
    CHECK_OK(y->ctx, ss_residual_compute(work, &y->p, &y->s, &after)); /* the store was filled for another one in between */
    CHECK(after.momentum < 0.1 * before.momentum);
    for (int i = 0; i < NV; i++) {
        y->v_old[i] *= 1e-3;
    }
    ss_residual_let_go(work, none);
    CHECK_OK(y->ctx, ss_residual_compute(work, &y->p, &y->s, &after));
    CHECK_NEAR(after.momentum, before.momentum, 1e-12 * before.momentum);
    ss_residual_destroy(work);
    ss_residual_destroy(other);
    drop(y);
}

/* Sweeps take islands, and the bodies of contacts, from the certificate's store. */
TEST(what_is_known_of_a_problem_that_is_held_is_what_is_found_afresh)
{
    large_problem *y = make();
    const ss_problem *p = &y->p;
    ss_residual_work *work;
    ss_residual residual;
    ss_arena *arena;
    ss_islands held, found;
    ss_contact_blocks blocks;
    CHECK_OK(y->ctx, ss_arena_create(y->ctx, 64, &arena));
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &work));
    const ss_residual_held none = ss_residual_hold(work, p);
    CHECK(!ss_residual_held_islands(y->ctx, p, &held)); /* nobody has asked about it */
    CHECK_OK(y->ctx, ss_residual_compute(work, p, &y->s, &residual));
    CHECK(ss_residual_held_islands(y->ctx, p, &held));
    CHECK_OK(y->ctx, ss_islands_find(arena, p, &found));
    CHECK(held.count == found.count);
    CHECK(memcmp(held.of_block, found.of_block, BODIES * sizeof(int)) == 0);
    CHECK(memcmp(held.of_contact, found.of_contact, CONTACTS * sizeof(int)) == 0);
    CHECK_OK(y->ctx, ss_contact_blocks_find(y->ctx, arena, p, &blocks));
    const ss_row_shares *shares = &ss_residual_held_contacts(y->ctx, p)->shares;
    CHECK(memcmp(shares->first, blocks.first, (CONTACTS + 1) * sizeof(int)) == 0);
    CHECK(memcmp(shares->block, blocks.block, (size_t)blocks.first[CONTACTS] * sizeof(int)) == 0);
    ss_residual_let_go(work, none);
    CHECK(!ss_residual_held_islands(y->ctx, p, &held));
    ss_residual_destroy(work);
    ss_arena_destroy(arena);
    drop(y);
}

/* An entry that is no number, wherever it is, on any number of threads. */
TEST(a_wrong_entry_among_many_is_named)
{
    large_problem *y = make();
    ss_csr *H = &y->p.H;
    const int entries = H->p[H->m], at[] = { 0, entries / 2, entries - 1 };
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(y->ctx, threads);
        for (int k = 0; k < 3; k++) {
            const double before = H->x[at[k]];
            H->x[at[k]] = INFINITY;
            CHECK_FAILS(y->ctx, ss_problem_check(y->ctx, &y->p), SS_ERR_INPUT, "of H has inf in column");
            H->x[at[k]] = before;
        }
        H->i[entries - 1] -= NV;
        CHECK_FAILS(y->ctx, ss_problem_check(y->ctx, &y->p), SS_ERR_INPUT, "row 7499 of H");
        H->i[entries - 1] += NV;
        CHECK_OK(y->ctx, ss_problem_check(y->ctx, &y->p));
    }
    drop(y);
}

/* H v of all contacts, most of them of rigid bodies: to the bit that of a loop over rows, and with the sizes of their terms. */
TEST(products_of_contacts_are_those_of_their_rows)
{
    large_problem *y = make();
    const ss_problem *p = &y->p;
    ss_residual_work *work;
    ss_islands islands;
    double *out = calloc(NR, sizeof *out), *sized = calloc(NR, sizeof *sized), *size = calloc(NR, sizeof *size);
    int rigid = 0;
    CHECK_OK(y->ctx, ss_residual_create(y->ctx, &work));
    ss_residual_hold(work, p);
    CHECK_OK(y->ctx, ss_residual_find_islands(work, p, &islands));
    const ss_acting_matrix by = { ss_residual_held_contacts(y->ctx, p), &p->H, p->row, &p->scale };
    ss_acting_times(&by, 0, p->nc, y->v, out);
    ss_acting_times_sized(&by, 0, p->nc, y->v, sized, size);
    for (int k = 0; k < p->nc; k++) {
        rigid += by.rows->rigid[k];
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            double sum = 0, terms = 0;
            for (int e = p->H.p[i]; e < p->H.p[i + 1]; e++) {
                sum += p->H.x[e] * y->v[p->H.i[e]];
                terms += fabs(p->H.x[e] * y->v[p->H.i[e]]);
            }
            CHECK(out[i] == sum);
            CHECK_NEAR(sized[i], sum, 1e-14 * terms);
            CHECK_NEAR(size[i], terms, 1e-14 * terms);
        }
    }
    CHECK(rigid > 0 && rigid < p->nc);
    ss_residual_destroy(work);
    free(out);
    free(sized);
    free(size);
    drop(y);
}

/* The first or last number of a candidate that is none: nothing is granted. */
TEST(a_candidate_with_a_number_that_is_none_is_refused)
{
    large_problem *y = make();
    double *const number[] = { y->v, y->v + NV - 1, y->r, y->r + NR - 1, y->lam, y->lam + JOINTS - 1 };
    ss_residual residual;
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        const double before = *number[k];
        *number[k] = k % 2 ? INFINITY : NAN;
        CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &residual));
        CHECK(isinf(residual.contact) && isinf(residual.momentum) && isinf(residual.joint) && isinf(residual.classical));
        *number[k] = before;
    }
    CHECK_OK(y->ctx, ss_problem_residual(y->ctx, &y->p, &y->s, &residual));
    CHECK(isfinite(residual.contact) && isfinite(residual.momentum));
    drop(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_body_by_body_are_those_of_a_loop_over_rows),
        cmocka_unit_test(scales_of_contacts_are_means_over_their_rows),
        cmocka_unit_test(a_certificate_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(velocities_are_recovered_to_the_bit_whether_the_problem_is_held_or_not),
        cmocka_unit_test(a_problem_that_is_held_is_looked_at_once),
        cmocka_unit_test(what_is_known_of_a_problem_that_is_held_is_what_is_found_afresh),
        cmocka_unit_test(a_wrong_entry_among_many_is_named),
        cmocka_unit_test(products_of_contacts_are_those_of_their_rows),
        cmocka_unit_test(a_candidate_with_a_number_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
