/* test_experiment.c - recipes: what the sweep puts where, what is measured, which verdict comes out. The scene is recipe.h's. */
#include "../base/failing.h"
#include "study/experiment.h"
#include "unit/study/recipe.h"

static json_t *result_of(const char *text, const ss_experiment_options *options)
{
    ss_context *ctx = test_context();
    char *json = NULL;
    CHECK_OK(ctx, ss_experiment_run(ctx, recipe_file(text), options, &json));
    json_t *value = json_loads(json, 0, NULL);
    ss_blob_free(ctx, json);
    ss_context_destroy(ctx);
    CHECK(value);
    return value;
}

/* `ours` of a row with this measure, in an experiment with these runs */
static double measured_with(const char *runs, const char *measure)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%s, \"missing\": \"all\", \"rows\": [ { \"label\": \"x\", \"value\": %s, \"published\": null } ]", runs, measure);
    json_t *value = result_of(text, NULL);
    const json_t *ours = json_object_get(json_array_get(json_object_get(value, "rows"), 0), "ours");
    double x = json_is_number(ours) ? json_number_value(ours) : NAN;
    json_decref(value);
    return x;
}

static double measured(const char *measure) { return measured_with(FLIGHT, measure); }

/* ---- measures ---------------------------------------------------------------------------------- */

TEST(series_have_final_extreme_and_mean_values)
{
    CHECK_NEAR(measured("{ \"run\": \"a\", \"final\": \"p.y\" }"), -1.125, 1e-14); /* -(1 + h) */
    CHECK_NEAR(measured("{ \"run\": \"a\", \"final\": \"p.y\", \"times\": \"2/3\" }"), -0.75, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"max\": \"p.x\" }"), 1, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"max\": \"p.x\", \"to\": \"1/3\" }"), 1.0 / 3, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"min\": \"p.x\", \"from\": 0.3 }"), 0.3, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"mean\": \"p.x\" }"), 0.5, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"mean\": \"p.x\", \"from\": 0.3, \"to\": 0.5 }"), 0.4, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"mean\": \"p.x\", \"from\": 0.3, \"to\": 0.3 }"), 0.3, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"at\": 0.3, \"of\": \"p.x\" }"), 0.3, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"final\": \"energy\" }"), 0.5 * (1 + 4) - 2 * 1.125, 1e-14);
}

TEST(levels_are_passed_for_the_first_and_for_the_last_time)
{
    CHECK_NEAR(measured("{ \"run\": \"a\", \"first\": \"p.x\", \"above\": 0.4 }"), 0.4, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"last\": \"p.x\", \"below\": 0.4 }"), 0.4, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"last\": \"p.x\", \"above\": 0.4 }"), 1, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"first\": \"p.x\", \"below\": 0.4, \"from\": 0.2 }"), 0.2, 1e-14);
    CHECK(isnan(measured("{ \"run\": \"a\", \"first\": \"p.x\", \"above\": 1.5 }")));
}

TEST(the_json_value_of_a_run_is_at_hand)
{
    CHECK_NEAR(measured("{ \"run\": \"a\", \"json\": \"/v/1\" }"), -2, 1e-14);
    CHECK_NEAR(measured("{ \"run\": \"a\", \"json\": \"/bodies/p/position/0\" }"), 1, 1e-14);
    CHECK(measured("{ \"run\": \"a\", \"json\": \"/certificate/last_certified\" }") == 1);
    CHECK(measured("{ \"run\": \"a\", \"count\": \"impact\" }") == 0);
    CHECK(isnan(measured("{ \"run\": \"a\", \"json\": \"/events/0/t\" }")));
    CHECK(isnan(measured("{ \"run\": \"a\", \"json\": \"/scheme\" }")));
}

/* x = t against x = 2 t at the 9 times k / 8 */
TEST(runs_are_compared_in_every_norm)
{
    static const char runs[] = "\"runs\": [ { \"name\": \"a\", \"scene\": \"flight.json\" },"
                               " { \"name\": \"b\", \"scene\": \"flight.json\", \"set\": { \"bodies.p.velocity\": [2, 0] } } ]";
    const struct {
        const char *norm;
        double value;
    } norms[] = { { "final", 1 },    { "max", 1 }, { "l1", 36.0 / 64 }, { "l2", sqrt(204.0 / 512) }, { "sum2", sqrt(204.0) / 8 },
                  { "hausdorff", 1 } };
    for (int k = 0; k < 6; k++) {
        char text[256];
        snprintf(text, sizeof text, "{ \"run\": \"a\", \"error\": \"q\", \"against\": \"b\", \"norm\": \"%s\" }", norms[k].norm);
        CHECK_NEAR(measured_with(runs, text), norms[k].value, 1e-14);
        snprintf(text, sizeof text,
                 "{ \"run\": \"a\", \"error\": \"q\", \"against\": \"b\", \"norm\": \"%s\", \"components\": [\"p.y\"] }",
                 norms[k].norm);
        CHECK(measured_with(runs, text) == 0);
    }
    CHECK_NEAR(measured_with(runs, "{ \"run\": \"a\", \"error\": \"v\", \"against\": \"b\", \"norm\": \"max\" }"), 1, 1e-14);
}

TEST(a_finer_run_of_the_same_scene_is_a_reference)
{
    /* y = -(1 + h) at the end */
    CHECK_NEAR(measured("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"anitescu_potra@2^-5\", \"norm\": \"final\" }"),
               0.125 - 1.0 / 32, 1e-14);
}

/* a run with steps by tolerance against SCHEME@H, and against a run with that fixed step */
TEST(a_finer_run_of_a_run_with_a_tolerance_has_fixed_steps)
{
    static const char runs[] = "\"runs\": [ { \"name\": \"a\", \"scene\": \"flight.json\", \"tol\": 1e-2, \"step\": 0.3 },"
                               " { \"name\": \"b\", \"scene\": \"flight.json\", \"step\": \"2^-9\" } ]";
    double at =
        measured_with(runs, "{ \"run\": \"a\", \"error\": \"q\", \"against\": \"anitescu_potra@2^-9\", \"norm\": \"final\" }");
    double b = measured_with(runs, "{ \"run\": \"a\", \"error\": \"q\", \"against\": \"b\", \"norm\": \"final\" }");
    CHECK(at == b && b > 0);
}

TEST(an_order_is_fitted_over_the_sweep)
{
    static const char runs[] =
        "\"for\": { \"k\": [3, 4, 5] }, \"runs\": [ { \"name\": \"h{k}\", \"scene\": \"flight.json\", \"step\": \"2^-{k}\" } ]";
    CHECK_NEAR(measured_with(
                   runs, "{ \"order\": { \"minus\": [ { \"run\": \"h{k}\", \"final\": \"p.y\" }, -1 ] }, \"over\": \"2^-{k}\" }"),
               1, 1e-12);
    CHECK_NEAR(measured_with(runs, "{ \"order\": { \"run\": \"h{k}\", \"json\": \"/steps\" }, \"over\": \"2^-{k}\" }"), -1,
               1e-12);
    CHECK_NEAR(measured_with(runs, "{ \"order\": { \"minus\": [ { \"run\": \"h{k}\", \"final\": \"p.y\" }, -1 ] }, \"over\": { "
                                   "\"run\": \"h{k}\", \"json\": \"/steps\" } }"),
               -1, 1e-12);
}

/* x at the end is the speed: 1, 2, 3 */
TEST(values_of_the_sweep_are_counted)
{
    static const char runs[] =
        "\"for\": { \"k\": [1, 2, 3] }, \"runs\": [ { \"name\": \"v{k}\", \"scene\": \"flight.json\", \"set\": { "
        "\"bodies.p.velocity.0\": \"{k}\" } } ]";
    CHECK(measured_with(runs, "{ \"number_of\": { \"run\": \"v{k}\", \"final\": \"p.x\" }, \"at_least\": 1.5 }") == 2);
    CHECK(measured_with(runs, "{ \"number_of\": { \"run\": \"v{k}\", \"final\": \"p.x\" }, \"at_most\": 1.5 }") == 1);
    CHECK(measured_with(runs, "{ \"number_of\": { \"run\": \"v{k}\", \"json\": \"/v/0\" }, \"at_least\": \"4/2\", "
                              "\"times\": \"1/4\" }") == 0.5);
    CHECK(measured_with(runs, "{ \"number_of\": { \"run\": \"v{k}\", \"json\": \"/events/0/t\" }, \"at_most\": 9 }") == 0);
}

TEST(differences_are_of_measures_and_numbers)
{
    CHECK_NEAR(measured("{ \"minus\": [ { \"run\": \"a\", \"final\": \"p.x\" }, { \"run\": \"a\", \"final\": \"p.y\" } ] }"),
               2.125, 1e-14);
    CHECK_NEAR(measured("{ \"minus\": [ \"1/3\", { \"run\": \"a\", \"final\": \"p.x\" } ], \"times\": 3 }"), -2, 1e-14);
}

TEST(ratios_are_of_measures_and_numbers)
{
    CHECK_NEAR(measured("{ \"ratio\": [ { \"run\": \"a\", \"final\": \"p.y\" }, { \"run\": \"a\", \"final\": \"p.x\" } ] }"),
               -1.125, 1e-14);
    CHECK_NEAR(measured("{ \"ratio\": [ 3, \"1/2\" ], \"times\": 2 }"), 12, 1e-14);
    CHECK(isnan(measured("{ \"ratio\": [ 3, 0 ] }")));
}

static double local_error(const char *scheme, const char *of, const char *from, const char *step)
{
    char runs[256], measure[256];
    snprintf(runs, sizeof runs, "\"runs\": [ { \"name\": \"b\", \"scene\": \"ball.json\", \"scheme\": \"%s\", \"tol\": 1e-3 } ]",
             scheme);
    snprintf(measure, sizeof measure, "{ \"run\": \"b\", \"local_error\": \"%s\", \"from\": \"%s\", \"step\": \"%s\" }", of, from,
             step);
    return measured_with(runs, measure);
}

/* Semi-implicit Euler falls h^2 too far in every step of h, with the right velocity; at t = 1 the ball leaves the floor. That
 * holds for steps of any length, whatever the run's own steps are. */
TEST(a_local_error_is_that_of_one_step_from_the_exact_solution)
{
    CHECK_NEAR(local_error("anitescu_potra", "ball.y", "0.25", "0.125"), 1.0 / 64, 1e-15);
    CHECK_NEAR(local_error("anitescu_potra", "ball.y", "1", "0.25"), 1.0 / 16, 1e-15);
    CHECK_NEAR(local_error("anitescu_potra", "q", "1.3", "2^-9"), 0x1p-18, 1e-15);
    CHECK_NEAR(local_error("anitescu_potra", "v", "1.3", "2^-9"), 0, 1e-15);
    CHECK_NEAR(local_error("anitescu_potra", "ball.x", "1.3", "2^-9"), 0, 0);
}

/* over the impact at t = 1, in the middle of the step: e_v = h f (1 - sigma - e sigma), e_q = -h^2 f (e/4 - 1/4) [Aca09 eq. 32]
 */
TEST(a_local_error_has_its_sign)
{
    CHECK_NEAR(local_error("moreau", "ball.vy", "1 - 0.125", "0.25"), -0.125, 1e-15);
    CHECK_NEAR(local_error("moreau", "v", "1 - 0.125", "0.25"), 0.125, 1e-15);
    CHECK_NEAR(local_error("moreau", "ball.y", "1 - 0.125", "0.25"), -1.0 / 64, 1e-15);
    CHECK_NEAR(local_error("moreau", "q", "1 - 0.125", "0.25"), 1.0 / 64, 1e-15);
}

/* ---- sweep ------------------------------------------------------------------------------------- */

TEST(the_sweep_fills_labels_runs_and_lists_of_numbers)
{
    json_t *value = result_of(
        "\"for\": { \"k\": [3, \"4\", 0.5] },"
        "\"runs\": [ { \"name\": \"run {k}\", \"scene\": \"flight.json\", \"step\": \"2^-{k}\", \"until\": \"2*2^-{k}\","
        "  \"set\": { \"bodies.p.velocity.0\": \"{k}\" } } ],"
        "\"rows\": [ { \"label\": \"{k}: of {k}\", \"value\": { \"run\": \"run {k}\", \"final\": \"p.x\" },"
        "  \"published\": [0.75, \"1/2\", null], \"tolerance\": 1e-14 },"
        " { \"label\": \"once\", \"value\": { \"run\": \"run 3\", \"json\": \"/steps\" }, \"published\": 2, \"tolerance\": 0 } ]",
        NULL);
    const json_t *rows = json_object_get(value, "rows");
    CHECK(json_array_size(rows) == 4);
    const char *const labels[] = { "3: of 3", "4: of 4", "0.5: of 0.5", "once" };
    for (size_t k = 0; k < 4; k++) {
        const json_t *row = json_array_get(rows, k);
        assert_string_equal(json_string_value(json_object_get(row, "label")), labels[k]);
        CHECK(json_is_true(json_object_get(row, "ok")));
    }
    CHECK(json_is_null(json_object_get(json_array_get(rows, 2), "published")));
    assert_string_equal(json_string_value(json_object_get(value, "verdict")), "reproduced");
    json_decref(value);
}

/* ---- verdicts ---------------------------------------------------------------------------------- */

/* of a row with this goal, which is held against 1 */
static void check_goal(const char *more, const char *goal, const char *verdict, bool ok)
{
    char text[1024];
    snprintf(text, sizeof text,
             FLIGHT "%s, \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"final\": \"p.x\" }, %s } ]", more, goal);
    json_t *value = result_of(text, NULL);
    const json_t *row = json_array_get(json_object_get(value, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(value, "verdict")), verdict);
    CHECK(json_is_true(json_object_get(row, "ok")) == ok);
    json_decref(value);
}

static void check_verdict(const char *more, const char *published, const char *tolerance, const char *verdict, bool ok)
{
    char goal[128];
    snprintf(goal, sizeof goal, "\"published\": %s, \"tolerance\": %s", published, tolerance);
    check_goal(more, goal, verdict, ok);
}

TEST(verdicts_follow_from_rows_corrections_and_missing_data)
{
    check_verdict("", "1.01", "0.01", "reproduced", true);
    check_verdict("", "1.01", "0.009", "differs", false);
    check_verdict("", "0", "1.5", "reproduced", true); /* absolute */
    check_verdict("", "0", "0.5", "differs", false);
    check_verdict(", \"correction\": \"mu\"", "1", "0.1", "reproduced with correction", true);
    check_verdict(", \"correction\": \"mu\"", "2", "0.1", "differs", false);
    check_verdict(", \"missing\": \"mass\"", "2", "0.1", "not reproducible (data missing)", false);
    check_verdict(", \"missing\": \"mass\"", "1", "0.1", "not reproducible (data missing)", true);
}

TEST(expected_numbers_are_held_against_as_published_ones_are)
{
    check_goal("", "\"expected\": 1.01, \"tolerance\": 0.01", "reproduced", true);
    check_goal("", "\"expected\": 1.01, \"tolerance\": 0.009", "differs", false);
    check_goal("", "\"expected\": 0, \"tolerance\": 1.5", "reproduced", true);
}

TEST(bounds_are_kept_or_not)
{
    check_goal("", "\"at_least\": 0.99", "reproduced", true);
    check_goal("", "\"at_least\": 1.01", "differs", false);
    check_goal("", "\"at_most\": 1.01", "reproduced", true);
    check_goal("", "\"at_most\": \"1 - 1/100\"", "differs", false);
}

static const json_t *row_of(const json_t *value, size_t k) { return json_array_get(json_object_get(value, "rows"), k); }

/* keys of all goals are there, numbers only where they are meant */
TEST(a_row_says_which_goal_it_has)
{
    static const char *const keys[] = { "published", "expected", "at_least", "at_most" };
    json_t *value =
        result_of(FLIGHT ", \"rows\": ["
                         "{ \"label\": \"p\", \"value\": { \"minus\": [ 1, 0 ] }, \"published\": 2, \"tolerance\": 9 },"
                         "{ \"label\": \"e\", \"value\": { \"minus\": [ 1, 0 ] }, \"expected\": 2, \"tolerance\": 9 },"
                         "{ \"label\": \"l\", \"value\": { \"minus\": [ 1, 0 ] }, \"at_least\": 2 },"
                         "{ \"label\": \"m\", \"value\": { \"minus\": [ 1, 0 ] }, \"at_most\": 2 },"
                         "{ \"label\": \"i\", \"value\": { \"minus\": [ 1, 0 ] } } ]",
                  NULL);
    for (size_t k = 0; k < 5; k++) {
        for (size_t i = 0; i < 4; i++) {
            const json_t *goal = json_object_get(row_of(value, k), keys[i]);
            CHECK(i == k ? json_number_value(goal) == 2 : json_is_null(goal));
        }
        CHECK(json_is_number(json_object_get(row_of(value, k), "ratio")) == (k < 2));
        CHECK(json_is_true(json_object_get(row_of(value, k), "ok")) == (k != 2));
    }
    json_decref(value);
}

TEST(a_row_says_ours_published_and_their_ratio)
{
    json_t *value = result_of(FLIGHT ", \"note\": \"n\", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": "
                                     "\"/t\" }, \"published\": 4, \"tolerance\": 1 },"
                                     " { \"label\": \"none\", \"value\": { \"run\": \"a\", \"json\": \"/events/0/t\" }, "
                                     "\"published\": 4, \"tolerance\": 1 } ]",
                              NULL);
    const json_t *rows = json_object_get(value, "rows"), *row = json_array_get(rows, 0), *none = json_array_get(rows, 1);
    CHECK(json_number_value(json_object_get(row, "ours")) == 1 && json_number_value(json_object_get(row, "published")) == 4);
    CHECK(json_number_value(json_object_get(row, "ratio")) == 0.25 && json_number_value(json_object_get(row, "tolerance")) == 1);
    CHECK(json_is_null(json_object_get(none, "ours")) && json_is_false(json_object_get(none, "ok")));
    assert_string_equal(json_string_value(json_object_get(value, "note")), "n");
    CHECK(strncmp(json_string_value(json_object_get(value, "experiment")), "slipstick-paper-", 16) == 0);
    CHECK(strstr(json_string_value(json_object_get(value, "experiment")), "/e"));
    json_decref(value);
}

/* ---- figures ----------------------------------------------------------------------------------- */

static void read_back(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    CHECK(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(figures_are_written_as_svg_and_csv)
{
    static char text[1 << 17];
    char out[128];
    snprintf(out, sizeof out, "%s/out", folder);
    json_t *value = result_of(
        "\"for\": { \"k\": [1, 2] }, \"runs\": [ { \"name\": \"h{k}\", \"scene\": \"flight.json\", \"step\": \"2^-{k}\" } ],"
        "\"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"h1\", \"json\": \"/t\" }, \"published\": 1, \"tolerance\": 0 } "
        "],"
        "\"figures\": [ { \"x\": { \"label\": \"t\", \"unit\": \"s\" }, \"y\": { \"label\": \"y\" }, \"events\": \"h1\","
        "    \"curves\": [ { \"label\": \"run \\\"{k}\\\"\", \"run\": \"h{k}\", \"series\": \"p.x\" } ] },"
        "  { \"name\": \"error\", \"x\": { \"label\": \"h\", \"scale\": \"log\" }, \"y\": { \"label\": \"e\", \"scale\": \"log\" "
        "}, \"slopes\": [1],"
        "    \"curves\": [ { \"label\": \"e\", \"x\": \"2^-{k}\", \"y\": { \"minus\": [ -1, { \"run\": \"h{k}\", \"final\": "
        "\"p.y\" } ] } }, { \"label\": \"work\", \"x\": { \"run\": \"h{k}\", \"json\": \"/steps\" }, \"y\": { \"minus\": [ -1, { "
        "\"run\": \"h{k}\", \"final\": \"p.y\" } ] } } ] } ]",
        &(ss_experiment_options){ .folder = out });
    const json_t *files = json_object_get(value, "files");
    CHECK(json_array_size(files) == 4);
    CHECK(strstr(json_string_value(json_array_get(files, 0)), "-e-1.svg"));
    read_back(json_string_value(json_array_get(files, 0)), text, sizeof text);
    CHECK(strstr(text, "<svg") && strstr(text, "</svg>"));
    read_back(json_string_value(json_array_get(files, 1)), text, sizeof text);
    assert_string_equal(text, "curve,x,y\n\"run \"\"1\"\"\",0,0\n\"run \"\"1\"\"\",0.5,0.5\n\"run \"\"1\"\"\",1,1\n"
                              "\"run \"\"2\"\"\",0,0\n\"run \"\"2\"\"\",0.25,0.25\n\"run \"\"2\"\"\",0.5,0.5\n\"run "
                              "\"\"2\"\"\",0.75,0.75\n\"run \"\"2\"\"\",1,1\n");
    CHECK(strstr(json_string_value(json_array_get(files, 3)), "-e-error.csv"));
    read_back(json_string_value(json_array_get(files, 3)), text, sizeof text);
    assert_string_equal(text, "curve,x,y\n\"e\",0.5,0.5\n\"e\",0.25,0.25\n\"work\",2,0.5\n\"work\",4,0.25\n");
    json_decref(value);
}

/* ---- bad recipes ------------------------------------------------------------------------------- */

/* a run with more events than are kept, as its JSON value tells it */
TEST(events_that_were_not_kept_are_not_counted)
{
    ss_context *ctx = test_context();
    ss_made run = { .name = "a", .recipe = json_pack("{s:s}", "name", "a") };
    ss_experiment e = { .ctx = ctx, .place = { .ctx = ctx, .label = "e.json" }, .run = &run, .runs = 1 };
    json_t *measure = json_pack("{s:s, s:s}", "run", "a", "count", "impact");
    double count;
    run.result = json_pack("{s:[{s:s}, {s:s}], s:i}", "events", "kind", "impact", "kind", "stick", "events_left_out", 0);
    CHECK_OK(ctx, ss_measure_value(&e, measure, &count));
    CHECK(count == 1);
    json_object_set_new(run.result, "events_left_out", json_integer(3));
    CHECK_FAILS(ctx, ss_measure_value(&e, measure, &count), SS_ERR_UNSUPPORTED, "run \"a\": 3 events were not kept");
    json_decref(measure);
    json_decref(run.result);
    json_decref(run.recipe);
    ss_context_destroy(ctx);
}

static ss_status run_small(ss_context *ctx)
{
    static const char recipe[] =
        "\"runs\": [ { \"name\": \"a\", \"scene\": \"flight.json\", \"until\": 0.25, \"set\": { \"bodies.p.mass\": 2 } },"
        " { \"name\": \"b\", \"scene\": \"ball.json\" } ],"
        "\"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"error\": \"q\", \"against\": \"anitescu_potra@2^-4\","
        " \"norm\": \"l1\" }, \"published\": 1, \"tolerance\": 1 },"
        " { \"label\": \"y\", \"value\": { \"run\": \"b\", \"local_error\": \"ball.y\", \"from\": 0.5, \"step\": 0.25 } } ]";
    char *text = NULL;
    ss_status status = ss_experiment_run(ctx, recipe_file(recipe), NULL, &text);
    CHECK((status == SS_OK) == (text != NULL));
    ss_blob_free(ctx, text);
    return status;
}

TEST(every_refusal_of_memory_is_noticed_and_everything_given_back) { CHECK(fail_at_every_request(run_small) > 50); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_have_final_extreme_and_mean_values),
        cmocka_unit_test(levels_are_passed_for_the_first_and_for_the_last_time),
        cmocka_unit_test(the_json_value_of_a_run_is_at_hand),
        cmocka_unit_test(runs_are_compared_in_every_norm),
        cmocka_unit_test(a_finer_run_of_the_same_scene_is_a_reference),
        cmocka_unit_test(a_finer_run_of_a_run_with_a_tolerance_has_fixed_steps),
        cmocka_unit_test(an_order_is_fitted_over_the_sweep),
        cmocka_unit_test(values_of_the_sweep_are_counted),
        cmocka_unit_test(differences_are_of_measures_and_numbers),
        cmocka_unit_test(ratios_are_of_measures_and_numbers),
        cmocka_unit_test(a_local_error_is_that_of_one_step_from_the_exact_solution),
        cmocka_unit_test(a_local_error_has_its_sign),
        cmocka_unit_test(the_sweep_fills_labels_runs_and_lists_of_numbers),
        cmocka_unit_test(verdicts_follow_from_rows_corrections_and_missing_data),
        cmocka_unit_test(expected_numbers_are_held_against_as_published_ones_are),
        cmocka_unit_test(bounds_are_kept_or_not),
        cmocka_unit_test(a_row_says_which_goal_it_has),
        cmocka_unit_test(a_row_says_ours_published_and_their_ratio),
        cmocka_unit_test(figures_are_written_as_svg_and_csv),
        cmocka_unit_test(events_that_were_not_kept_are_not_counted),
        cmocka_unit_test(every_refusal_of_memory_is_noticed_and_everything_given_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
