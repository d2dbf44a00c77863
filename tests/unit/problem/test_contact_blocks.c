/* test_contact_blocks.c - which blocks contacts touch. */
#include "problem/contact_blocks.h"
#include "unit/problem/small_problem.h"

static ss_contact_blocks find(ss_context *ctx, const ss_problem *p, ss_arena **arena)
{
    ss_contact_blocks found;
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, arena));
    CHECK_OK(ctx, ss_contact_blocks_find(ctx, *arena, p, &found));
    return found;
}

static void check_list(const ss_contact_blocks *found, int contact, int n, const int *block)
{
    const int first = found->first[contact];
    CHECK(found->first[contact + 1] - first == n);
    for (int i = 0; i < n; i++) {
        CHECK(found->block[first + i] == block[i]);
    }
}

TEST(blocks_are_listed_once_each_in_the_order_in_which_rows_meet_them)
{
    ss_context *ctx = test_context();
    small_problem y;
    ss_arena *arena;
    sp_open(&y, ctx, 2);
    for (int b = 0; b < 4; b++) {
        sp_block(&y, 2, (double[]){ 1, 1 }, false);
    }
    sp_contact(&y, SS_LAW_COULOMB, 0.3, 2, (double[16]){ [2] = 1, [6] = 1, [8 + 3] = 1, [8 + 7] = 1 }, 0, NULL); /* to and fro */
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[8]){ 0 }, 0, NULL);
    sp_contact(&y, SS_LAW_COULOMB, 0.3, 2, (double[16]){ [6] = 1, [8 + 0] = 1, [8 + 2] = 1, [8 + 7] = 1 }, 0, NULL);
    sp_contact(&y, SS_LAW_UNILATERAL, 0, 1, (double[8]){ [4] = 1, [5] = 1 }, 0, NULL);
    y.p.H.x[y.p.H.p[y.p.H.m] - 2] = 0; /* a stored zero */
    const ss_contact_blocks found = find(ctx, &y.p, &arena);
    check_list(&found, 0, 2, (int[]){ 1, 3 });
    check_list(&found, 1, 0, NULL);
    check_list(&found, 2, 3, (int[]){ 3, 0, 1 });
    check_list(&found, 3, 1, (int[]){ 2 });
    ss_arena_destroy(arena);
    sp_close(&y);
    ss_context_destroy(ctx);
}

/* contact k touches particles k and k+1 of a row of them; more contacts than a thread takes at a time */
TEST(many_contacts_are_listed_on_any_number_of_threads)
{
    enum { CONTACTS = 3000, PARTICLES = CONTACTS + 1 };
    static int number[PARTICLES], one[PARTICLES], row[CONTACTS + 1];
    static double mass[PARTICLES];
    ss_context *ctx = test_context();
    ss_problem p = ss_problem_make(2);
    for (int b = 0; b < PARTICLES; b++) {
        number[b] = b;
        one[b] = 1;
        mass[b] = 1;
    }
    ss_problem_set_blocks(
        &p, &(ss_blockdiag){ .blocks = PARTICLES, .n = PARTICLES, .offset = number, .size = one, .start = number, .x = mass });
    ss_csr_reset(&p.H, PARTICLES);
    for (int k = 0; k < CONTACTS; k++) {
        CHECK_OK(ctx, ss_csr_push_run(ctx, &p.H, k, 2, (double[]){ 1, -1 }));
        CHECK_OK(ctx, ss_csr_end_row(ctx, &p.H));
        row[k + 1] = k + 1;
    }
    p.nc = CONTACTS;
    p.row = row;
    for (int threads = 1; threads <= 3; threads++) {
        ss_arena *arena;
        ss_context_set_threads(ctx, threads);
        const ss_contact_blocks found = find(ctx, &p, &arena);
        for (int k = 0; k < CONTACTS; k++) {
            check_list(&found, k, 2, (int[]){ k, k + 1 });
        }
        ss_arena_destroy(arena);
    }
    ss_csr_free(ctx, &p.H);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_listed_once_each_in_the_order_in_which_rows_meet_them),
        cmocka_unit_test(many_contacts_are_listed_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
