/* test.h - what every test includes: cmocka, and checks that say what they compare. */
#ifndef SS_TEST_H
#define SS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <slipstick/slipstick.h>

/* TEST(lemke_reports_ray_on_infeasible_lcp) { ... }   and in main: RUN(lemke_reports_..., ...) */
#define TEST(name) static void name(void **test_state __attribute__((unused)))

/* SLIPSTICK_TEST_ONLY=name runs one test of a program alone; it may hold * and ? */
__attribute__((constructor)) static void take_filter(void) { cmocka_set_test_filter(getenv("SLIPSTICK_TEST_ONLY")); }

#define CHECK(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fail_msg("%s is false", #condition);                                                                                 \
        }                                                                                                                        \
    } while (0)

/* |a - b| <= tol; NaN fails */
#define CHECK_NEAR(a, b, tol)                                                                                                    \
    do {                                                                                                                         \
        double check_a_ = (a), check_b_ = (b), check_tol_ = (tol);                                                               \
        if (!(fabs(check_a_ - check_b_) <= check_tol_)) {                                                                        \
            fail_msg("%s = %.17g, %s = %.17g: differ by %.3g, allowed %.3g", #a, check_a_, #b, check_b_,                         \
                     fabs(check_a_ - check_b_), check_tol_);                                                                     \
        }                                                                                                                        \
    } while (0)

/* the call succeeds; prints the context's error otherwise */
#define CHECK_OK(ctx, call)                                                                                                      \
    do {                                                                                                                         \
        ss_status check_status_ = (call);                                                                                        \
        if (check_status_ != SS_OK) {                                                                                            \
            fail_msg("%s: %s: %s", #call, ss_status_text(check_status_), ss_last_error(ctx));                                    \
        }                                                                                                                        \
    } while (0)

/* the call fails with this status and its message contains the text */
#define CHECK_FAILS(ctx, call, status, text)                                                                                     \
    do {                                                                                                                         \
        ss_status check_status_ = (call);                                                                                        \
        if (check_status_ != (status) || !strstr(ss_last_error(ctx), (text))) {                                                  \
            fail_msg("%s: expected %s with \"%s\", got %s with \"%s\"", #call, ss_status_text(status), (text),                   \
                     ss_status_text(check_status_), ss_last_error(ctx));                                                         \
        }                                                                                                                        \
    } while (0)

static inline bool test_flag(const char *name)
{
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

/* How much of a random or long test is run: all of it with SLIPSTICK_FULL=1, else a part; under the sanitizers
 * (SLIPSTICK_SANITIZED=1), where everything takes ten times longer, as much as takes every path of the code. */
static inline int test_repeats(int full, int quick, int sanitized)
{
    return test_flag("SLIPSTICK_SANITIZED") ? sanitized : test_flag("SLIPSTICK_FULL") ? full : quick;
}

/* Schemes that are held to what their entries say: demonstrations, which come last in the registry, are not. */
static inline int tested_schemes(void)
{
    int n = 0;
    while (n < ss_registry_count(SS_SCHEMES) && !ss_registry_entry(SS_SCHEMES, n)->demonstration) {
        n++;
    }
    return n;
}

static inline ss_context *test_context(void)
{
    ss_context *ctx = NULL;
    if (ss_context_create(NULL, &ctx) != SS_OK) {
        fail_msg("no context");
    }
    return ctx;
}

#endif
