/* test_parallel.c - loops on threads: every index once, the same ranges for any number of threads. */
#include "base/parallel.h"
#include "test.h"

enum { MOST = 100000 };

typedef struct tally {
    int seen[MOST], begin[MOST], end[MOST], grain;
} tally;

static void count(void *data, int begin, int end)
{
    tally *t = data;
    for (int i = begin; i < end; i++) {
        t->seen[i]++;
        t->begin[i] = begin;
        t->end[i] = end;
    }
}

static ss_context *context_of(int threads)
{
    ss_context_options options = ss_context_options_default();
    ss_context *ctx;
    options.threads = threads;
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    return ctx;
}

TEST(every_index_is_visited_once_in_ranges_that_do_not_depend_on_the_threads)
{
    const int sizes[] = { 0, 1, 7, 8, 9, 1000, 99999 }, threads[] = { -3, 0, 1, 2, 5 };
    tally *t = calloc(1, sizeof *t);
    for (size_t m = 0; m < sizeof threads / sizeof *threads; m++) {
        ss_context *ctx = context_of(threads[m]);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            memset(t, 0, sizeof *t);
            ss_parallel_for(ctx, sizes[k], 8, count, t);
            for (int i = 0; i < MOST; i++) {
                int last = i / 8 * 8 + 8;
                CHECK(t->seen[i] == (i < sizes[k]));
                CHECK(i >= sizes[k] || (t->begin[i] == i / 8 * 8 && t->end[i] == (last < sizes[k] ? last : sizes[k])));
            }
        }
        ss_context_destroy(ctx);
    }
    free(t);
}

TEST(a_grain_below_one_is_one_and_large_numbers_do_not_overflow)
{
    ss_context *ctx = context_of(2);
    tally *t = calloc(1, sizeof *t);
    ss_parallel_for(ctx, 5, 0, count, t);
    CHECK(t->end[4] == 5 && t->begin[4] == 4);
    ss_parallel_for(ctx, 5, INT32_MAX, count, t);
    CHECK(t->seen[0] == 2 && t->begin[4] == 0 && t->end[0] == 5);
    free(t);
    ss_context_destroy(ctx);
}

TEST(a_context_has_at_least_one_thread_and_not_more_than_make_sense)
{
    ss_context *ctx = test_context();
    CHECK(ss_context_threads(ctx) == 1);
    ss_context_set_threads(ctx, 3);
    CHECK(ss_context_threads(ctx) == 3);
    ss_context_set_threads(ctx, 0);
    CHECK(ss_context_threads(ctx) == 1);
    ss_context_set_threads(ctx, INT32_MAX);
    CHECK(ss_context_threads(ctx) == 256);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_visited_once_in_ranges_that_do_not_depend_on_the_threads),
        cmocka_unit_test(a_grain_below_one_is_one_and_large_numbers_do_not_overflow),
        cmocka_unit_test(a_context_has_at_least_one_thread_and_not_more_than_make_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
