/* test_memory.c - arrays and arenas: sizes, growth, counting, and every request refused in turn. */
#include "base/base.h"
#include "unit/base/failing.h"

/* ---- arrays --------------------------------------------------------------------------------- */

TEST(calloc_gives_zeros_and_is_counted)
{
    ss_context *ctx = test_context();
    int *x = NULL;
    CHECK_OK(ctx, ss_calloc(ctx, 1000, sizeof *x, &x));
    for (int k = 0; k < 1000; k++) {
        CHECK(x[k] == 0);
    }
    CHECK(ss_context_allocations(ctx) == 1);
    ss_free(ctx, x);
    ss_free(ctx, NULL);
    CHECK(ss_context_allocations(ctx) == 1);
    ss_context_destroy(ctx);
}

TEST(calloc_of_nothing_is_null)
{
    ss_context *ctx = test_context();
    int local = 0, *x = &local;
    CHECK_OK(ctx, ss_calloc(ctx, 0, sizeof *x, &x));
    CHECK(x == NULL);
    CHECK(ss_context_allocations(ctx) == 0);
    ss_context_destroy(ctx);
}

TEST(calloc_refuses_a_product_that_overflows)
{
    ss_context *ctx = test_context();
    int local = 0, *x = &local;
    CHECK_FAILS(ctx, ss_calloc(ctx, SIZE_MAX / 2, 4, &x), SS_ERR_MEMORY, "more than can be addressed");
    CHECK(x == NULL);
    ss_context_destroy(ctx);
}

TEST(reserve_keeps_what_is_there_and_grows_by_half)
{
    ss_context *ctx = test_context();
    int *x = NULL, n = 0, capacity = 0;
    for (int k = 0; k < 100000; k++) {
        CHECK_OK(ctx, ss_reserve(ctx, &x, &capacity, n + 1, sizeof *x));
        x[n++] = k;
    }
    for (int k = 0; k < n; k++) {
        CHECK(x[k] == k);
    }
    CHECK(capacity < n + n / 2 + 8);
    CHECK(ss_context_allocations(ctx) < 30); /* log(1e5 / 8) / log(1.5) = 23.3 */
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_reserve(ctx, &x, &capacity, capacity, sizeof *x));
    CHECK_OK(ctx, ss_reserve(ctx, &x, &capacity, -1, sizeof *x));
    CHECK(ss_context_allocations(ctx) == before);
    ss_free(ctx, x);
    ss_context_destroy(ctx);
}

TEST(arrays_that_share_a_capacity_grow_alike_whatever_their_elements_are)
{
    ss_context *ctx = test_context();
    char *small = NULL;
    double(*large)[64] = NULL;
    int capacity = 0;
    for (int need = 1; need < 300000; need = capacity + 1) {
        int own = capacity, other = capacity;
        CHECK_OK(ctx, ss_reserve(ctx, &small, &own, need, sizeof *small));
        CHECK_OK(ctx, ss_reserve(ctx, &large, &other, need, sizeof *large));
        CHECK(own == other);
        capacity = own;
    }
    ss_free(ctx, small);
    ss_free(ctx, large);
    ss_context_destroy(ctx);
}

TEST(reserve_that_fails_leaves_the_array_as_it_was)
{
    failing_allocator memory = { .fail_at = 3 };
    ss_context *ctx = failing_context(&memory);
    int *x = NULL, capacity = 0;
    CHECK_OK(ctx, ss_reserve(ctx, &x, &capacity, 10, sizeof *x));
    x[9] = 42;
    int *old = x;
    CHECK_FAILS(ctx, ss_reserve(ctx, &x, &capacity, 11, sizeof *x), SS_ERR_MEMORY, "out of memory");
    CHECK(x == old && capacity == 10 && x[9] == 42);
    ss_free(ctx, x);
    ss_context_destroy(ctx);
}

TEST(reserve_survives_the_largest_int)
{
    ss_context *ctx = test_context();
    char *x = NULL;
    int capacity = INT32_MAX - 1; /* pretends; what counts is that the next capacity does not wrap */
    ss_status status = ss_reserve(ctx, &x, &capacity, INT32_MAX, 1);
    CHECK(status == SS_OK ? capacity == INT32_MAX : status == SS_ERR_MEMORY);
    ss_free(ctx, x);
    ss_context_destroy(ctx);
}

TEST(strdup_copies_and_keeps_null)
{
    ss_context *ctx = test_context();
    char word[] = "rod", *copy = NULL;
    CHECK_OK(ctx, ss_strdup(ctx, word, &copy));
    word[0] = 'x';
    assert_string_equal(copy, "rod");
    ss_free(ctx, copy);
    CHECK_OK(ctx, ss_strdup(ctx, NULL, &copy));
    CHECK(copy == NULL);
    CHECK_OK(ctx, ss_strdup(ctx, "", &copy));
    assert_string_equal(copy, "");
    ss_free(ctx, copy);
    ss_context_destroy(ctx);
}

/* ---- arena ---------------------------------------------------------------------------------- */

static ss_arena *make_arena(ss_context *ctx, size_t bytes)
{
    ss_arena *arena = NULL;
    CHECK_OK(ctx, ss_arena_create(ctx, bytes, &arena));
    return arena;
}

TEST(arena_gives_zeroed_aligned_pieces_that_do_not_overlap)
{
    enum { PIECES = 200 };
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 256);
    unsigned char *piece[PIECES];
    uint64_t seed = 1;
    size_t size[PIECES];
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < PIECES; k++) {
            size[k] = (size_t)(ss_random_u64(&seed) % 1000);
            CHECK_OK(ctx, ss_arena_take(arena, size[k], 1, &piece[k]));
            CHECK((uintptr_t)piece[k] % 64 == 0);
            for (size_t i = 0; i < size[k]; i++) {
                CHECK(piece[k][i] == 0);
            }
            memset(piece[k], k + 1, size[k]);
        }
        for (int k = 0; k < PIECES; k++) {
            for (size_t i = 0; i < size[k]; i++) {
                CHECK(piece[k][i] == k + 1);
            }
        }
        ss_arena_reset(arena);
    }
    ss_arena_destroy(arena);
    ss_arena_destroy(NULL);
    ss_context_destroy(ctx);
}

TEST(arena_release_gives_back_what_came_after_the_mark)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 1 << 16);
    double *a = NULL, *b = NULL, *c = NULL;
    CHECK_OK(ctx, ss_arena_take(arena, 10, sizeof *a, &a));
    ss_arena_mark mark = ss_arena_save(arena);
    CHECK_OK(ctx, ss_arena_take(arena, 10, sizeof *b, &b));
    b[3] = 1;
    ss_arena_release(arena, mark);
    CHECK_OK(ctx, ss_arena_take(arena, 10, sizeof *c, &c));
    CHECK(c == b && c != a && c[3] == 0);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(a_raw_take_leaves_what_lies_there_and_overlaps_nothing)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 1 << 16);
    unsigned char *a = NULL, *b = NULL, *c = NULL;
    ss_arena_mark mark = ss_arena_save(arena);
    CHECK_OK(ctx, ss_arena_take_raw(arena, 100, 1, &a));
    memset(a, 7, 100);
    ss_arena_release(arena, mark);
    CHECK_OK(ctx, ss_arena_take_raw(arena, 100, 1, &b));
    CHECK(b == a && b[0] == 7 && b[99] == 7); /* the same place, untouched */
    CHECK_OK(ctx, ss_arena_take(arena, 100, 1, &c));
    memset(c, 9, 100);
    CHECK((uintptr_t)b % 64 == 0 && c >= b + 100 && b[99] == 7);
    ss_arena_release(arena, mark);
    CHECK_OK(ctx, ss_arena_take(arena, 100, 1, &c));
    CHECK(c == a && c[0] == 0 && c[99] == 0);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* a step's use of scratch: nested marks, sizes that overflow the first block */
static ss_status scratch_pattern(ss_arena *arena)
{
    double *x = NULL;
    SS_TRY(ss_arena_take(arena, 100, sizeof *x, &x));
    ss_arena_mark mark = ss_arena_save(arena);
    for (int k = 0; k < 5; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)(200 * (k + 1)), sizeof *x, &x));
        ss_arena_release(arena, mark);
    }
    for (int k = 0; k < 20; k++) {
        SS_TRY(ss_arena_take(arena, 333, sizeof *x, &x));
        x[332] = 1;
    }
    return SS_OK;
}

TEST(arena_takes_no_memory_once_it_has_seen_the_work)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 64);
    CHECK_OK(ctx, scratch_pattern(arena));
    ss_arena_reset(arena);
    uint64_t before = ss_context_allocations(ctx);
    for (int step = 0; step < 10; step++) {
        CHECK_OK(ctx, scratch_pattern(arena));
        ss_arena_reset(arena);
    }
    CHECK(ss_context_allocations(ctx) == before);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_keeps_what_is_kept_through_releases_until_a_reset)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 6400);
    unsigned char *kept, *other, *taken;
    for (int round = 0; round < 3; round++) {
        const ss_arena_mark mark = ss_arena_save(arena);
        CHECK_OK(ctx, ss_arena_take(arena, 640, 1, &taken));
        CHECK_OK(ctx, ss_arena_keep(arena, 3200, 1, &kept));
        memset(kept, 7, 3200);
        CHECK_OK(ctx, ss_arena_keep(arena, 64, 1, &other));
        memset(other, 8, 64);
        ss_arena_release(arena, mark);
        CHECK_OK(ctx, ss_arena_take(arena, 6000, 1, &taken)); /* does not fit beside what is kept, at first */
        CHECK_OK(ctx, ss_arena_take(arena, 200, 1, &taken));
        for (int i = 0; i < 3200; i++) {
            CHECK(kept[i] == 7 && other[i % 64] == 8);
        }
        CHECK(round == 0 || ss_arena_is_whole(arena)); /* one block has room for all of it */
        ss_arena_reset(arena);
    }
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_is_one_block_after_a_reset)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 64);
    char *x = NULL;
    for (int k = 0; k < 100; k++) {
        CHECK_OK(ctx, ss_arena_take(arena, 640, 1, &x));
    }
    ss_arena_reset(arena);
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, ss_arena_take(arena, 64000, 1, &x)); /* all that was live, in one piece */
    CHECK(ss_context_allocations(ctx) == before);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_finds_later_blocks_again_after_a_release)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 64);
    ss_arena_mark start = ss_arena_save(arena);
    char *x = NULL;
    CHECK_OK(ctx, ss_arena_take(arena, 10000, 1, &x));
    uint64_t before = ss_context_allocations(ctx);
    for (int k = 0; k < 10; k++) {
        ss_arena_release(arena, start);
        CHECK_OK(ctx, ss_arena_take(arena, 10000, 1, &x));
    }
    CHECK(ss_context_allocations(ctx) == before);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_gives_a_place_for_nothing)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 0);
    double *x = NULL;
    CHECK_OK(ctx, ss_arena_take(arena, 0, sizeof *x, &x));
    CHECK(x != NULL);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_refuses_sizes_that_overflow)
{
    ss_context *ctx = test_context();
    ss_arena *arena = NULL;
    CHECK_FAILS(ctx, ss_arena_create(ctx, SIZE_MAX, &arena), SS_ERR_MEMORY, "more than can be addressed");
    CHECK(arena == NULL);
    arena = make_arena(ctx, 64);
    double *x = NULL;
    CHECK_FAILS(ctx, ss_arena_take(arena, SIZE_MAX / 4, sizeof *x, &x), SS_ERR_MEMORY, "more than can be addressed");
    CHECK_OK(ctx, ss_arena_take(arena, 1, sizeof *x, &x));
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* a refusal inside the reset is not an error: the arena asks again at the next take */
TEST(arena_reset_that_is_refused_loses_nothing)
{
    failing_allocator memory = { 0 };
    ss_context *ctx = failing_context(&memory);
    ss_arena *arena = make_arena(ctx, 64);
    CHECK_OK(ctx, scratch_pattern(arena));
    memory.fail_at = memory.requests + 1;
    ss_arena_reset(arena);
    assert_string_equal(ss_last_error(ctx), "");
    CHECK_OK(ctx, scratch_pattern(arena));
    ss_arena_reset(arena);
    uint64_t before = ss_context_allocations(ctx);
    CHECK_OK(ctx, scratch_pattern(arena));
    CHECK(ss_context_allocations(ctx) == before);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
    CHECK(memory.live == 0);
}

/* ---- every request refused in turn ----------------------------------------------------------- */

static ss_status use_arena(ss_context *ctx)
{
    ss_arena *arena = NULL;
    SS_TRY(ss_arena_create(ctx, 64, &arena));
    ss_status status = scratch_pattern(arena);
    ss_arena_destroy(arena);
    return status;
}

static ss_status use_arrays(ss_context *ctx)
{
    char *text = NULL;
    int *list = NULL, capacity = 0;
    ss_status status = ss_strdup(ctx, "floor", &text);
    for (int n = 1; n < 100 && status == SS_OK; n++) {
        status = ss_reserve(ctx, &list, &capacity, n, sizeof *list);
    }
    ss_free(ctx, list);
    ss_free(ctx, text);
    return status;
}

TEST(every_refused_request_is_reported_and_nothing_leaks)
{
    CHECK(fail_at_every_request(use_arena) >= 4);
    CHECK(fail_at_every_request(use_arrays) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calloc_gives_zeros_and_is_counted),
        cmocka_unit_test(calloc_of_nothing_is_null),
        cmocka_unit_test(calloc_refuses_a_product_that_overflows),
        cmocka_unit_test(reserve_keeps_what_is_there_and_grows_by_half),
        cmocka_unit_test(arrays_that_share_a_capacity_grow_alike_whatever_their_elements_are),
        cmocka_unit_test(reserve_that_fails_leaves_the_array_as_it_was),
        cmocka_unit_test(reserve_survives_the_largest_int),
        cmocka_unit_test(strdup_copies_and_keeps_null),
        cmocka_unit_test(arena_gives_zeroed_aligned_pieces_that_do_not_overlap),
        cmocka_unit_test(arena_release_gives_back_what_came_after_the_mark),
        cmocka_unit_test(a_raw_take_leaves_what_lies_there_and_overlaps_nothing),
        cmocka_unit_test(arena_takes_no_memory_once_it_has_seen_the_work),
        cmocka_unit_test(arena_keeps_what_is_kept_through_releases_until_a_reset),
        cmocka_unit_test(arena_is_one_block_after_a_reset),
        cmocka_unit_test(arena_finds_later_blocks_again_after_a_release),
        cmocka_unit_test(arena_gives_a_place_for_nothing),
        cmocka_unit_test(arena_refuses_sizes_that_overflow),
        cmocka_unit_test(arena_reset_that_is_refused_loses_nothing),
        cmocka_unit_test(every_refused_request_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
