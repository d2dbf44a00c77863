/* test_compare.c - one scene by several schemes: labels, differences of the final states, bad input, interrupts.
 *
 * The ball of ball_scene.h before its first impact: semi-implicit Euler with step h ends at 1 - T (T + h), so that the final
 * heights of two runs with steps h and k differ by T |h - k|, and the velocities by nothing. */
#include "unit/study/ball_scene.h"

#include <jansson.h>

static ss_compare_options ball_options(int schemes, const char *const *scheme)
{
    ss_compare_options o = ss_compare_options_default();
    o.schemes = schemes;
    o.scheme = scheme;
    o.base.scene = ball_scene();
    o.base.until = 0.75;
    return o;
}

static json_t *runs_of(ss_context *ctx, const ss_comparison *c)
{
    char *text = NULL;
    CHECK_OK(ctx, ss_comparison_to_json(c, &text));
    json_t *value = json_loads(text, 0, NULL), *runs = json_incref(json_object_get(value, "runs"));
    json_decref(value);
    ss_blob_free(ctx, text);
    CHECK((int)json_array_size(runs) == ss_comparison_runs(c));
    return runs;
}

/* a number of run k: runs[k].key.inner */
static double number(const json_t *runs, int k, const char *key, const char *inner)
{
    const json_t *value = json_object_get(json_object_get(json_array_get(runs, (size_t)k), key), inner);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

TEST(labels_name_the_scheme_and_count_repetitions)
{
    static const char *const schemes[] = { "anitescu_potra", "moreau", "anitescu_potra" };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(3, schemes);
    ss_comparison *c = NULL;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    assert_string_equal(ss_comparison_label(c, 0), "anitescu_potra");
    assert_string_equal(ss_comparison_label(c, 1), "moreau");
    assert_string_equal(ss_comparison_label(c, 2), "anitescu_potra-2");
    CHECK(!ss_comparison_label(c, 3) && !ss_comparison_label(c, -1));
    json_t *runs = runs_of(ctx, c);
    CHECK(number(runs, 2, "difference", "q") == 0 && number(runs, 2, "difference", "v") == 0); /* the same run again */
    json_decref(runs);
    ss_comparison_destroy(c);
    ss_context_destroy(ctx);
}

/* moreau with theta = 1/2 is exact before the impact, where Euler is off by T h = 0.75 / 8 */
TEST(the_difference_is_that_of_the_final_states)
{
    static const char *const schemes[] = { "anitescu_potra", "moreau" };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(2, schemes);
    ss_comparison *c = NULL;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    json_t *runs = runs_of(ctx, c);
    CHECK(number(runs, 0, "difference", "q") == 0);
    CHECK_NEAR(number(runs, 1, "difference", "q"), 0.75 / 8, 1e-14); /* round-off of 6 steps of 1 m */
    CHECK_NEAR(number(runs, 1, "difference", "v"), 0, 1e-14);
    CHECK(isnan(number(runs, 1, "change", "q"))); /* that is for tolerances */
    json_decref(runs);
    ss_comparison_destroy(c);
    ss_context_destroy(ctx);
}

/* ball_scene_text and a file that does not exist: the text counts, and the whole of it */
TEST(a_scene_may_be_given_as_text)
{
    static const char *const schemes[] = { "anitescu_potra", "moreau" };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(2, schemes);
    ss_comparison *c = NULL;
    o.base.scene = "a text";
    o.base.text = ball_scene_text;
    o.base.size = sizeof ball_scene_text - 1;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    json_t *runs = runs_of(ctx, c);
    CHECK_NEAR(number(runs, 1, "difference", "q"), 0.75 / 8, 1e-14); /* as above */
    assert_string_equal(json_string_value(json_object_get(json_array_get(runs, 1), "scene")), "a text");
    json_decref(runs);
    ss_comparison_destroy(c);
    o.base.size /= 2;
    CHECK_FAILS(ctx, ss_compare(ctx, &o, &c), SS_ERR_INPUT, "a text");
    ss_context_destroy(ctx);
}

TEST(settings_win_over_the_step_as_in_run)
{
    static const char *const schemes[] = { "anitescu_potra" }, *const set[] = { "time.step=0.25" };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(1, schemes);
    ss_comparison *c = NULL;
    o.base.step = 0.0625;
    o.base.sets = 1;
    o.base.set = set;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    json_t *runs = runs_of(ctx, c);
    CHECK(json_integer_value(json_object_get(json_array_get(runs, 0), "steps")) == 3);
    json_decref(runs);
    ss_comparison_destroy(c);
    ss_context_destroy(ctx);
}

TEST(every_scheme_runs_with_every_tolerance_and_changes_are_from_one_to_the_next)
{
    static const char *const schemes[] = { "anitescu_potra", "moreau" };
    static const double tol[] = { 1e-2, 1e-3 };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(2, schemes);
    ss_comparison *c = NULL;
    o.tols = 2;
    o.tol = tol;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    CHECK(ss_comparison_runs(c) == 4);
    assert_string_equal(ss_comparison_label(c, 1), "anitescu_potra@0.001");
    json_t *runs = runs_of(ctx, c);
    for (int k = 0; k < 4; k++) {
        const json_t *run = json_array_get(runs, (size_t)k);
        CHECK((json_object_get(run, "change") != NULL) == (k % 2 == 1));
        CHECK(json_is_boolean(json_object_get(run, "all_steps_at_h_max")));
    }
    CHECK(number(runs, 1, "change", "q") == number(runs, 1, "difference", "q"));
    json_decref(runs);
    ss_comparison_destroy(c);
    ss_context_destroy(ctx);
}

TEST(bad_input_is_refused_before_anything_runs)
{
    static const char *const schemes[] = { "anitescu_potra", "anitescu_ptra" };
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(2, schemes);
    ss_comparison *c = NULL;
    o.folder = "/tmp/slipstick-no-such-comparison";
    CHECK_FAILS(ctx, ss_compare(ctx, &o, &c), SS_ERR_INPUT, "anitescu_ptra");
    CHECK(!c && access(o.folder, F_OK) != 0);
    o.schemes = 0;
    CHECK_FAILS(ctx, ss_compare(ctx, &o, &c), SS_ERR_INPUT, "the list of schemes is empty");
    o.schemes = 1;
    o.base.scene = "/tmp/slipstick-no-such-scene.json";
    CHECK_FAILS(ctx, ss_compare(ctx, &o, &c), SS_ERR_INPUT, "cannot be opened");
    ss_context_destroy(ctx);
}

TEST(an_interrupt_leaves_the_runs_that_were_made)
{
    static const char *const schemes[] = { "anitescu_potra", "moreau" };
    static const volatile int now = 1;
    ss_context *ctx = test_context();
    ss_compare_options o = ball_options(2, schemes);
    ss_comparison *c = NULL;
    o.base.watch.interrupt = &now;
    CHECK_OK(ctx, ss_compare(ctx, &o, &c));
    json_t *runs = runs_of(ctx, c);
    CHECK(ss_comparison_runs(c) == 1 && isnan(number(runs, 0, "difference", "q")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(runs, 0), "outcome")), "interrupted");
    json_decref(runs);
    ss_comparison_destroy(c);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_name_the_scheme_and_count_repetitions),
        cmocka_unit_test(the_difference_is_that_of_the_final_states),
        cmocka_unit_test(a_scene_may_be_given_as_text),
        cmocka_unit_test(settings_win_over_the_step_as_in_run),
        cmocka_unit_test(every_scheme_runs_with_every_tolerance_and_changes_are_from_one_to_the_next),
        cmocka_unit_test(bad_input_is_refused_before_anything_runs),
        cmocka_unit_test(an_interrupt_leaves_the_runs_that_were_made),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ball_scene_remove();
    return failed;
}
