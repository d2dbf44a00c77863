/* test_parallel.c - loops on threads: every index once, the same ranges for any number of threads. */
#include "base/parallel.h"
#include "test.h"
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* ---- questions and copies ----------------------------------------------------------------------------- */

enum { ASKED = 5000, ASK_GRAIN = 64 };

static bool is_one(const void *data, int i)
{
    const double *x = data;
    return x[i] == 1;
}

static double largest(const void *data, int begin, int end)
{
    const double *x = data;
    double most = 0;
    for (int i = begin; i < end; i++) {
        most = x[i] > most || isnan(x[i]) ? x[i] : most;
    }
    return most;
}

TEST(one_index_that_says_yes_is_enough_wherever_it_is)
{
    double *x = calloc(ASKED, sizeof *x);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context *ctx = context_of(threads);
        CHECK(!ss_parallel_any(ctx, ASKED, ASK_GRAIN, is_one, x));
        CHECK(!ss_parallel_any(ctx, 0, ASK_GRAIN, is_one, x));
        for (int i = 0; i < ASKED; i += 499) {
            x[i] = 1;
            CHECK(ss_parallel_any(ctx, ASKED, ASK_GRAIN, is_one, x));
            CHECK(!ss_parallel_any(ctx, i, ASK_GRAIN, is_one, x));
            x[i] = 0;
        }
        ss_context_destroy(ctx);
    }
    free(x);
}

TEST(the_worst_of_all_ranges_is_found_and_what_is_no_number_is_worse)
{
    double *x = calloc(ASKED, sizeof *x);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context *ctx = context_of(threads);
        CHECK_NEAR(ss_parallel_worst(ctx, ASKED, ASK_GRAIN, largest, x), 0, 0);
        for (int i = 0; i < ASKED; i += 499) {
            x[0] = 2;
            x[i] = 3;
            CHECK_NEAR(ss_parallel_worst(ctx, ASKED, ASK_GRAIN, largest, x), 3, 0);
            x[i] = NAN;
            CHECK(isnan(ss_parallel_worst(ctx, ASKED, ASK_GRAIN, largest, x)));
            x[i] = 0;
        }
        x[0] = 0;
        ss_context_destroy(ctx);
    }
    free(x);
}

TEST(a_copy_has_all_bytes_and_no_more)
{
    enum { ROOM = 100000 };
    const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 3 * 16384, 99999 };
    unsigned char *from = malloc(ROOM), *to = malloc(ROOM);
    for (int i = 0; i < ROOM; i++) {
        from[i] = (unsigned char)(i % 251 + 1);
    }
    for (int threads = 1; threads <= 3; threads++) {
        ss_context *ctx = context_of(threads);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            memset(to, 0, ROOM);
            ss_parallel_copy(ctx, sizes[k], from, to);
            CHECK(memcmp(from, to, sizes[k]) == 0 && to[sizes[k]] == 0);
        }
        ss_context_destroy(ctx);
    }
    free(from);
    free(to);
}

/* ---- loops that meet ------------------------------------------------------------------------------- */

typedef struct nested {
    ss_context *ctx;
    tally *inner;
} nested;

static void loop_inside(void *data, int begin, int end)
{
    const nested *x = data;
    for (int i = begin; i < end; i++) {
        ss_parallel_for(x->ctx, 100, 7, count, &x->inner[i]);
    }
}

TEST(a_loop_within_a_loop_does_all_of_it)
{
    enum { LOOPS = 20 };
    ss_context *ctx = context_of(3);
    nested x = { ctx, calloc(LOOPS, sizeof *x.inner) };
    ss_parallel_for(ctx, LOOPS, 1, loop_inside, &x);
    for (int i = 0; i < LOOPS; i++) {
        for (int k = 0; k < 101; k++) {
            CHECK(x.inner[i].seen[k] == (k < 100));
        }
    }
    free(x.inner);
    ss_context_destroy(ctx);
}

static void add_up(void *data, int begin, int end)
{
    double *x = data;
    for (int i = begin; i < end; i++) {
        x[i] += i;
    }
}

/* What a loop has written is there for the next one, whoever wrote it: some that follow each other at once, some after a sleep.
 */
TEST(loops_that_follow_each_other_see_what_was_written_before)
{
    enum { N = 64 };
    const int loops = test_repeats(100000, 20000, 2000);
    const struct timespec nap = { .tv_nsec = 1000000 };
    double x[N] = { 0 };
    ss_context *ctx = context_of(2);
    for (int k = 0; k < loops; k++) {
        ss_parallel_for(ctx, N, 8, add_up, x);
        if (k % 1000 == 0) {
            nanosleep(&nap, NULL);
        }
    }
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(x[i], (double)i * loops, 0);
    }
    ss_context_destroy(ctx);
}

static void nap_and_add(void *data, int begin, int end)
{
    const struct timespec nap = { .tv_nsec = 1000000 };
    nanosleep(&nap, NULL);
    add_up(data, begin, end);
}

/* The other thread naps as well, so that the last call is still under way when there are none left to take. */
TEST(a_loop_returns_when_the_calls_of_all_threads_are_done)
{
    ss_context *ctx = context_of(2);
    for (int k = 0; k < 20; k++) {
        double x[9] = { 0 };
        ss_parallel_for(ctx, 9, 1, nap_and_add, x);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(x[i], i, 0);
        }
    }
    ss_context_destroy(ctx);
}

/* A child has the context of its parent, and none of its threads. */
TEST(a_process_that_was_forked_does_its_loops_alone_and_ends)
{
    double x[64] = { 0 };
    ss_context *ctx = context_of(2);
    ss_parallel_for(ctx, 64, 1, add_up, x);
    const pid_t child = fork();
    if (child == 0) {
        ss_parallel_for(ctx, 64, 1, add_up, x);
        ss_context_destroy(ctx);
        _exit(x[63] == 126 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
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
        cmocka_unit_test(one_index_that_says_yes_is_enough_wherever_it_is),
        cmocka_unit_test(the_worst_of_all_ranges_is_found_and_what_is_no_number_is_worse),
        cmocka_unit_test(a_copy_has_all_bytes_and_no_more),
        cmocka_unit_test(a_loop_within_a_loop_does_all_of_it),
        cmocka_unit_test(loops_that_follow_each_other_see_what_was_written_before),
        cmocka_unit_test(a_loop_returns_when_the_calls_of_all_threads_are_done),
        cmocka_unit_test(a_process_that_was_forked_does_its_loops_alone_and_ends),
        cmocka_unit_test(a_context_has_at_least_one_thread_and_not_more_than_make_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
