/* test_context.c - error texts, log, allocator hook, version. */
#include "base/base.h"
#include "unit/base/failing.h"

TEST(context_starts_without_error)
{
    ss_context *ctx = test_context();
    assert_string_equal(ss_last_error(ctx), "");
    assert_string_equal(ss_last_error(NULL), "");
    CHECK(ss_context_seed(ctx) == 1);
    ss_context_destroy(ctx);
    ss_context_destroy(NULL);
}

TEST(options_without_an_allocator_mean_malloc)
{
    ss_context_options options = { .seed = 7 };
    ss_context *ctx = NULL;
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    CHECK(ss_context_seed(ctx) == 7);
    double *x = NULL;
    CHECK_OK(ctx, ss_calloc(ctx, 3, sizeof *x, &x));
    ss_free(ctx, x);
    ss_context_destroy(ctx);
}

TEST(fail_keeps_the_text_and_returns_the_status)
{
    ss_context *ctx = test_context();
    CHECK_FAILS(ctx, ss_fail(ctx, SS_ERR_INPUT, "mass is %g, must be > 0", -1.0), SS_ERR_INPUT, "mass is -1, must be > 0");
    CHECK(ss_fail(NULL, SS_ERR_IO, "nowhere to write") == SS_ERR_IO);
    ss_context_destroy(ctx);
}

TEST(fail_within_puts_the_place_before_the_text)
{
    ss_context *ctx = test_context();
    ss_fail(ctx, SS_ERR_INPUT, "mass is -1");
    CHECK(ss_fail_within(ctx, SS_ERR_INPUT, "body %s", "ball") == SS_ERR_INPUT);
    assert_string_equal(ss_last_error(ctx), "body ball: mass is -1");
    ss_context_destroy(ctx);
}

TEST(fail_may_quote_the_text_that_it_replaces)
{
    ss_context *ctx = test_context();
    ss_fail(ctx, SS_ERR_INPUT, "inner");
    ss_fail(ctx, SS_ERR_INPUT, "outer (%s)", ss_last_error(ctx));
    assert_string_equal(ss_last_error(ctx), "outer (inner)");
    ss_context_destroy(ctx);
}

TEST(fail_cuts_a_text_that_is_too_long)
{
    ss_context *ctx = test_context();
    char *longer = malloc(1000001);
    memset(longer, 'x', 1000000);
    longer[1000000] = '\0';
    ss_fail(ctx, SS_ERR_INPUT, "%s", longer);
    size_t length = strlen(ss_last_error(ctx));
    CHECK(length > 500 && length < 1024);
    assert_string_equal(ss_last_error(ctx) + length - 4, "x...");
    for (int k = 0; k < 3; k++) {
        ss_fail_within(ctx, SS_ERR_INPUT, "%s", longer);
        CHECK(strlen(ss_last_error(ctx)) == length);
    }
    free(longer);
    ss_context_destroy(ctx);
}

TEST(fail_never_cuts_a_character_in_two)
{
    ss_context *ctx = test_context();
    char text[1600];
    for (int shift = 0; shift < 3; shift++) {
        memset(text, 'a', (size_t)shift);
        for (int k = 0; k < 500; k++) {
            memcpy(text + shift + 3 * k, "\xE2\x82\xAC", 4); /* the euro sign: three bytes */
        }
        ss_fail(ctx, SS_ERR_INPUT, "%s", text);
        size_t body = strlen(ss_last_error(ctx)) - strlen("...") - (size_t)shift;
        CHECK(body > 900 && body % 3 == 0);
    }
    ss_context_destroy(ctx);
}

TEST(fail_makes_one_line_of_many)
{
    ss_context *ctx = test_context();
    ss_fail(ctx, SS_ERR_INPUT, "name \"%s\"", "a\nb\tc\x7F");
    assert_string_equal(ss_last_error(ctx), "name \"a b c \"");
    ss_context_destroy(ctx);
}

TEST(every_status_has_its_own_text)
{
    for (int a = SS_OK; a <= SS_ERR_INTERRUPTED; a++) {
        for (int b = SS_OK; b < a; b++) {
            assert_string_not_equal(ss_status_text((ss_status)a), ss_status_text((ss_status)b));
        }
    }
    assert_string_equal(ss_status_text((ss_status)99), "unknown status");
}

static void remember(void *user, ss_log_level level, const char *message) { snprintf(user, 64, "%d:%s", (int)level, message); }

TEST(log_reaches_the_hook)
{
    char seen[64] = "";
    ss_context_options options = ss_context_options_default();
    options.log = remember;
    options.log_user = seen;
    ss_context *ctx = NULL;
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    ss_log(ctx, SS_LOG_WARNING, "step %d", 3);
    assert_string_equal(seen, "2:step 3");
    assert_string_equal(ss_last_error(ctx), "");
    ss_context_destroy(ctx);

    ctx = test_context();
    ss_log(ctx, SS_LOG_WARNING, "nobody listens");
    ss_context_destroy(ctx);
}

TEST(context_itself_comes_from_the_hook)
{
    failing_allocator memory = { .fail_at = 1 };
    CHECK(failing_context(&memory) == NULL);
    memory = (failing_allocator){ 0 };
    ss_context *ctx = failing_context(&memory);
    CHECK(memory.requests == 1 && memory.live == 1);
    CHECK(ss_context_allocations(ctx) == 0);
    ss_context_destroy(ctx);
    CHECK(memory.live == 0);
}

TEST(version_is_that_of_the_header)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", SS_VERSION_MAJOR, SS_VERSION_MINOR, SS_VERSION_PATCH);
    assert_string_equal(ss_version(), expected);
}

TEST(clock_does_not_go_back)
{
    double last = ss_clock_seconds();
    for (int k = 0; k < 1000; k++) {
        double now = ss_clock_seconds();
        CHECK(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_starts_without_error),
        cmocka_unit_test(options_without_an_allocator_mean_malloc),
        cmocka_unit_test(fail_keeps_the_text_and_returns_the_status),
        cmocka_unit_test(fail_within_puts_the_place_before_the_text),
        cmocka_unit_test(fail_may_quote_the_text_that_it_replaces),
        cmocka_unit_test(fail_cuts_a_text_that_is_too_long),
        cmocka_unit_test(fail_never_cuts_a_character_in_two),
        cmocka_unit_test(fail_makes_one_line_of_many),
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(log_reaches_the_hook),
        cmocka_unit_test(context_itself_comes_from_the_hook),
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(clock_does_not_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
