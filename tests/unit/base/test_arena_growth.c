/* test_arena_growth.c - how much an arena takes when it is full and when it is emptied, and that it keeps what it has. */
#include "base/base.h"
#include "test.h"

#include <stdlib.h>

static ss_arena *make_arena(ss_context *ctx, size_t bytes)
{
    ss_arena *arena = NULL;
    CHECK_OK(ctx, ss_arena_create(ctx, bytes, &arena));
    return arena;
}

static ss_context *context_with(void *(*resize)(void *user, void *p, size_t size), void *user)
{
    ss_context_options options = ss_context_options_default();
    ss_context *ctx = NULL;
    options.allocator = (ss_allocator){ resize, user };
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    return ctx;
}

/* bytes that were asked for, given back ones included */
static void *count_bytes(void *user, void *p, size_t size)
{
    *(size_t *)user += size;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

/* bytes that an arena of this size takes when it is full */
static size_t growth_of(size_t full)
{
    size_t bytes = 0;
    ss_context *ctx = context_with(count_bytes, &bytes);
    ss_arena *arena = make_arena(ctx, full);
    char *x = NULL;
    CHECK_OK(ctx, ss_arena_take_raw(arena, full, 1, &x));
    bytes = 0;
    CHECK_OK(ctx, ss_arena_take_raw(arena, 64, 1, &x));
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
    return bytes;
}

TEST(arena_that_is_full_grows_by_half_and_a_large_one_by_an_eighth)
{
    enum { SMALL = 1 << 19, LARGE = 1 << 23 };
    const size_t small = growth_of(SMALL), large = growth_of(LARGE);
    CHECK(small >= SMALL / 2 && small < SMALL / 2 + 4096);
    CHECK(large >= LARGE / 8 && large < LARGE / 8 + 4096);
}

TEST(arena_after_a_reset_has_room_for_an_eighth_more_than_was_used_at_once)
{
    size_t bytes = 0;
    ss_context *ctx = context_with(count_bytes, &bytes);
    ss_arena *arena = make_arena(ctx, 6400);
    char *x = NULL;
    CHECK_OK(ctx, ss_arena_take(arena, 640, 1, &x));
    CHECK_OK(ctx, ss_arena_take(arena, 64000, 1, &x)); /* does not fit behind the first */
    bytes = 0;
    ss_arena_reset(arena);
    CHECK(bytes >= 64640 + 8080 && bytes < 64640 + 8080 + 640);
    CHECK_OK(ctx, ss_arena_take(arena, 640, 1, &x));
    CHECK_OK(ctx, ss_arena_take(arena, 64000, 1, &x));
    CHECK(ss_arena_is_whole(arena));
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

/* what the last call that took memory was given */
typedef struct last_call {
    bool grew;
    size_t size;
} last_call;

static void *note_call(void *user, void *p, size_t size)
{
    if (size == 0) {
        free(p);
        return NULL;
    }
    *(last_call *)user = (last_call){ p != NULL, size };
    return realloc(p, size);
}

/* pages that have been touched stay where they are */
TEST(arena_that_has_grown_is_resized_not_made_anew)
{
    last_call last = { 0 };
    ss_context *ctx = context_with(note_call, &last);
    ss_arena *arena = make_arena(ctx, 64000);
    char *x = NULL;
    for (int k = 0; k < 3; k++) { /* three blocks */
        CHECK_OK(ctx, ss_arena_take(arena, 50000, 1, &x));
        CHECK(k == 0 || !last.grew);
    }
    ss_arena_reset(arena);
    CHECK(last.grew && last.size >= 150000);
    CHECK(ss_arena_is_whole(arena));
    last.size = 0;
    CHECK_OK(ctx, ss_arena_take(arena, 150000, 1, &x));
    memset(x, 1, 150000);
    CHECK(last.size == 0 && (uintptr_t)x % 64 == 0);
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

TEST(arena_that_needs_a_little_more_each_time_takes_memory_now_and_then)
{
    ss_context *ctx = test_context();
    ss_arena *arena = make_arena(ctx, 64);
    char *x = NULL;
    uint64_t before = ss_context_allocations(ctx);
    for (int k = 0; k < 100; k++) { /* from 64000 to 128000 bytes */
        CHECK_OK(ctx, ss_arena_take(arena, (size_t)(64000 + 640 * k), 1, &x));
        ss_arena_reset(arena);
    }
    CHECK(ss_context_allocations(ctx) - before <=
          20); /* log 2 / log 9/8 = 6 times a block behind, then one in the place of both */
    ss_arena_destroy(arena);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_that_is_full_grows_by_half_and_a_large_one_by_an_eighth),
        cmocka_unit_test(arena_after_a_reset_has_room_for_an_eighth_more_than_was_used_at_once),
        cmocka_unit_test(arena_that_has_grown_is_resized_not_made_anew),
        cmocka_unit_test(arena_that_needs_a_little_more_each_time_takes_memory_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
