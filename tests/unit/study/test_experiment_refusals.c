/* test_experiment_refusals.c - recipes that are refused, each with the file, the place and the reason. */
#include "unit/study/recipe.h"

#define ONE_ROW(measure)                                                                                                         \
    "\"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", " measure " }, \"published\": 1, \"tolerance\": 1 } ]"

/* ---- bad recipes ------------------------------------------------------------------------------- */

#define ROW(value)   FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": " value ", \"published\": 1, \"tolerance\": 0.1 } ]"
#define SWEPT        "\"for\": { \"k\": [1, 2] }, \"runs\": [ { \"name\": \"h{k}\", \"scene\": \"flight.json\" } ], \"rows\": "
#define FIGURE(text) ROW("{ \"run\": \"a\", \"json\": \"/t\" }") ", \"figures\": [ " text " ]"

#define GOAL(text) FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": \"/t\" }, " text " } ]"

#define AXES   "\"x\": { \"label\": \"x\" }, \"y\": { \"label\": \"y\" }"
#define CURVES "\"curves\": [ { \"label\": \"l\", \"run\": \"a\", \"series\": \"p.x\" } ]"

TEST(bad_recipes_are_refused_with_file_and_place)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { FLIGHT, "rows: there are none" },
        { FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": \"/t\" }, \"published\": null } ]",
          "rows: none has a number to be held against, and \"missing\" does not say why" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"run\": \"h{k}\", \"json\": \"/t\" }, \"published\": [null, null], "
                "\"tolerance\": 1 } ]",
          "rows: none has a number to be held against" },
        { "\"rows\": 3", "rows: expected a list, got 3" },
        { "\"row\": []", "unknown key \"row\"; did you mean \"rows\"?" },
        { "\"note\": 3", "note: expected a text, got 3" },
        { "\"runs\": [ { \"name\": \"a\" } ]", "runs[0]: \"scene\" is missing" },
        { "\"runs\": [ { \"name\": \"a\", \"scene\": \"f\", \"stepp\": 1 } ]",
          "runs[0]: unknown key \"stepp\"; did you mean \"step\"?" },
        { "\"runs\": [ { \"name\": \"a\", \"scene\": \"f\", \"step\": \"x\" } ]", "runs[0].step" },
        { "\"runs\": [ { \"name\": \"a\", \"scene\": \"f\", \"set\": [] } ]", "runs[0].set: expected an object" },
        { "\"runs\": [ { \"name\": \"a\", \"scene\": \"f\" }, { \"name\": \"a\", \"scene\": \"f\" } ]",
          "runs[1]: a second run \"a\"" },
        { "\"for\": { \"k\": [1, 2] }, \"runs\": [ { \"name\": \"a\", \"scene\": \"{k}.json\" } ]",
          "is the variable of the sweep in its name?" },
        { "\"for\": 3", "for: expected one variable" },
        { "\"for\": { \"k\": [1], \"j\": [1] }", "for: expected one variable" },
        { "\"for\": { \"k\": [] }", "for.k: expected a list of values" },
        { "\"for\": { \"k\": [true] }", "for.k[0]: expected a number or a short text, got true" },
        { "\"for\": { \"k\": [1] }, \"runs\": [ { \"name\": \"{j}\", \"scene\": \"f\" } ]",
          "runs: \"{j}\": the sweep is over k" },
        { "\"runs\": [ { \"name\": \"{k}\", \"scene\": \"f\" } ]", "runs: \"{k}\": there is no sweep" },
        { ROW("3"), "rows[0].value: expected a measure" },
        { ROW("{ \"run\": \"a\" }"), "rows[0].value: expected a measure" },
        { ROW("{ \"run\": \"b\", \"json\": \"/t\" }"), "rows[0].value.run: unknown run \"b\"" },
        { ROW("{ \"json\": \"/t\" }"), "rows[0].value: \"run\" is missing" },
        { ROW("{ \"run\": \"a\", \"json\": \"t\" }"), "rows[0].value.json: expected a JSON pointer" },
        { ROW("{ \"run\": \"a\", \"json\": \"/t\", \"from\": 1 }"), "unknown key \"from\"" },
        { ROW("{ \"run\": \"a\", \"count\": \"impacts\" }"), "did you mean \"impact\"?" },
        { ROW("{ \"run\": \"a\", \"max\": \"p.x\", \"from\": \"t\" }"), "rows[0].value.from" },
        { ROW("{ \"run\": \"a\", \"first\": \"p.x\" }"), "either \"above\" or \"below\"" },
        { ROW("{ \"run\": \"a\", \"error\": \"x\", \"against\": \"a\", \"norm\": \"l1\" }"), "unknown quantity \"x\"" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"a\", \"norm\": \"l3\" }"), "unknown norm \"l3\"" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"c\", \"norm\": \"l1\" }"), "against: unknown run \"c\"" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"a\", \"norm\": \"l1\", \"components\": [1] }"),
          "components: expected a list of names" },
        { ROW("{ \"order\": { \"run\": \"a\", \"json\": \"/t\" }, \"over\": 1 }"), "\"order\" needs a sweep" },
        { ROW("{ \"minus\": [ 1 ] }"), "minus: expected a list of two" },
        { ROW("{ \"ratio\": [ 1, \"x\" ] }"), "rows[0].value.ratio" },
        { ROW("{ \"run\": \"a\", \"local_error\": \"q\", \"from\": 0 }"), "rows[0].value: \"step\" is missing" },
        { ROW("{ \"run\": \"a\", \"local_error\": \"q\", \"from\": -1, \"step\": 1 }"), "from: expected a time >= 0, got -1" },
        { ROW("{ \"run\": \"a\", \"local_error\": \"q\", \"from\": 0, \"step\": 0 }"), "step: expected a number > 0, got 0" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"order\": { \"run\": \"h{k}\", \"json\": \"/t\" }, \"over\": { \"run\": "
                "\"h3\", \"json\": \"/t\" } }, \"published\": 1, \"tolerance\": 1 } ]",
          "rows[0].value.over.run: unknown run \"h3\"" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"order\": { \"run\": \"h{k}\", \"json\": \"/t\" }, \"over\": { \"order\": { "
                "\"run\": \"h{k}\", \"json\": \"/t\" }, \"over\": 1 } }, \"published\": 1, \"tolerance\": 1 } ]",
          "\"order\" or \"number_of\" within \"over\"" },
        { FIGURE("{ " AXES
                 ", \"curves\": [ { \"label\": \"l\", \"x\": { \"run\": \"z\", \"json\": \"/t\" }, \"y\": { \"run\": \"a\", "
                 "\"json\": \"/t\" } } ] }"),
          "figures[0].curves[0].x.run: unknown run \"z\"" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"order\": { \"minus\": [ 1, { \"order\": { \"run\": \"h{k}\", \"json\": "
                "\"/t\" }, \"over\": \"{k}\" } ] }, \"over\": \"{k}\" }, \"published\": 1, \"tolerance\": 1 } ]",
          "rows[0].value: \"order\" or \"number_of\" within \"order\"" },
        { ROW("{ \"number_of\": { \"run\": \"a\", \"json\": \"/t\" }, \"at_least\": 1 }"), "\"number_of\" needs a sweep" },
        { ROW("{ \"number_of\": { \"run\": \"a\", \"json\": \"/t\" } }"), "either \"at_least\" or \"at_most\" is needed" },
        { ROW("{ \"number_of\": { \"run\": \"a\", \"json\": \"/t\" }, \"at_most\": \"x\" }"), "rows[0].value.at_most" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"number_of\": { \"order\": { \"run\": \"h{k}\", \"json\": \"/t\" }, "
                "\"over\": 1 }, \"at_most\": 1 }, \"at_least\": 1 } ]",
          "rows[0].value: \"order\" or \"number_of\" within \"number_of\"" },
        { FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": \"/t\" }, \"tolerance\": 1 } ]",
          "rows: none has a number to be held against" },
        { GOAL("\"expected\": 1"), "rows[0]: \"tolerance\" is missing" },
        { GOAL("\"published\": 1, \"expected\": 1, \"tolerance\": 1"),
          "rows[0]: both \"published\" and \"expected\": a row has one goal" },
        { GOAL("\"published\": null, \"at_most\": 1"), "rows[0]: both \"published\" and \"at_most\"" },
        { GOAL("\"at_least\": 1, \"tolerance\": 0.1"), "rows[0].tolerance: \"at_least\" has none" },
        { GOAL("\"at_most\": \"x\""), "rows[0].at_most" },
        { SWEPT
          "[ { \"label\": \"x\", \"value\": { \"run\": \"h{k}\", \"json\": \"/t\" }, \"expected\": [1], \"tolerance\": 1 } ]",
          "rows[0].expected: 1 numbers for the 2 values" },
        { FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": \"/t\" }, \"published\": 1 } ]",
          "rows[0]: \"tolerance\" is missing" },
        { FLIGHT ", \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": \"a\", \"json\": \"/t\" }, \"published\": 1, "
                 "\"tolerance\": -1 } ]",
          "tolerance: expected a number >= 0, got -1" },
        { SWEPT
          "[ { \"label\": \"x\", \"value\": { \"run\": \"h{k}\", \"json\": \"/t\" }, \"published\": [1], \"tolerance\": 1 } ]",
          "rows[0].published: 1 numbers for the 2 values" },
        { FIGURE("{ \"x\": { \"label\": \"x\" }, \"y\": { \"label\": \"y\" }, \"curves\": [] }"),
          "figures[0].curves: expected a list of curves" },
        { FIGURE("{ \"x\": { \"label\": \"x\", \"scale\": \"lin\" }, \"y\": { \"label\": \"y\" }, \"curves\": [] }"),
          "figures[0].x.scale: unknown word \"lin\"; did you mean \"linear\"?" },
        { FIGURE("{ \"x\": { \"label\": \"x\" }, \"y\": { \"label\": \"y\" }, \"curves\": [ { \"label\": \"l\", \"run\": \"z\", "
                 "\"series\": \"p.x\" } ] }"),
          "figures[0].curves[0]: unknown run \"z\"" },
        { FIGURE("{ \"x\": { \"label\": \"x\" }, \"y\": { \"label\": \"y\" }, \"slopes\": [1], \"curves\": [ { \"label\": \"l\", "
                 "\"run\": \"a\", \"series\": \"p.x\" } ] }"),
          "figures[0].slopes: expected a list of numbers, and two logarithmic axes" },
        { FIGURE("{ \"name\": \"../x\", \"x\": { \"label\": \"x\" }, \"y\": { \"label\": \"y\" }, \"curves\": [ { \"label\": "
                 "\"l\", \"run\": \"a\", \"series\": \"p.x\" } ] }"),
          "cannot be part of a file name" },
        { FIGURE("{ " AXES ", \"curves\": [ { \"label\": 5, \"x\": 1, \"y\": { \"run\": \"a\", \"json\": \"/t\" } } ] }"),
          "figures[0].curves[0].label: expected a text, got 5" },
        { FIGURE("{ \"name\": \"f\", " AXES ", " CURVES " }, { \"name\": \"f\", " AXES ", " CURVES " }"),
          "figures[1]: figures[0] has the name \"f\" too" },
        { FIGURE("{ \"name\": \"2\", " AXES ", " CURVES " }, { " AXES ", " CURVES " }"),
          "figures[1]: figures[0] has the name \"2\" too" },
        { SWEPT "[ { \"label\": \"x\", \"value\": { \"run\": \"h1\", \"json\": \"/t\" }, \"published\": 1, \"tolerance\": 1 } ],"
                "\"figures\": [ { " AXES ", \"curves\": [ { \"label\": \"c {k}\", \"x\": \"{k}\", \"y\": { \"run\": \"h{k}\", "
                "\"json\": \"/t\" } } ] } ]",
          "figures[0].curves[0].label: expected a text without the variable" },
    };
    ss_context *ctx = test_context();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char *text = NULL;
        CHECK_FAILS(ctx, ss_experiment_run(ctx, recipe_file(bad[k].text), NULL, &text), SS_ERR_INPUT, bad[k].message);
        CHECK(strstr(ss_last_error(ctx), "experiments/e.json: ") && !text);
    }
    ss_context_destroy(ctx);
}

TEST(what_is_wrong_with_a_run_names_the_run)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "\"runs\": [ { \"name\": \"a\", \"scene\": \"none.json\" } ], \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": "
          "\"a\", \"json\": \"/t\" }, \"published\": 1, \"tolerance\": 1 } ]",
          "run \"a\": " },
        { ROW("{ \"run\": \"a\", \"final\": \"p.z\" }"), "rows[0]: run \"a\": unknown name \"p.z\"; did you mean \"p.x\"?" },
        { ROW("{ \"run\": \"a\", \"at\": 2, \"of\": \"p.x\" }"), "rows[0]: " },
        { ROW("{ \"run\": \"a\", \"max\": \"p.x\", \"from\": 0.5, \"to\": 0.25 }"), "from = 0.5 is after to = 0.25" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"a\", \"norm\": \"l1\", \"components\": [\"p.vx\"] }"),
          "no component \"p.vx\" in q" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"exact\", \"norm\": \"l1\" }"), "exact" },
        { ROW("{ \"run\": \"a\", \"local_error\": \"q\", \"from\": 0, \"step\": 1 }"), "exact" },
        { "\"runs\": [ { \"name\": \"b\", \"scene\": \"ball.json\" } ], \"rows\": [ { \"label\": \"x\", \"value\": { \"run\": "
          "\"b\", \"local_error\": \"ball.z\", \"from\": 0, \"step\": 1 }, \"published\": 1, \"tolerance\": 1 } ]",
          "expected q, v or a coordinate, got \"ball.z\"" },
        { "\"runs\": [ { \"name\": \"b\", \"scene\": \"ball.json\", \"scheme\": \"schatzman_paoli\" } ], \"rows\": [ { "
          "\"label\": "
          "\"x\", \"value\": { \"run\": \"b\", \"local_error\": \"q\", \"from\": 0, \"step\": 1 }, \"published\": 1, "
          "\"tolerance\": 1 } ]",
          "scheme schatzman_paoli keeps more than q and v" },
        { ROW("{ \"run\": \"a\", \"error\": \"q\", \"against\": \"eulr@0.1\", \"norm\": \"l1\" }"), "scheme" },
    };
    ss_context *ctx = test_context();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char *text = NULL;
        CHECK(ss_experiment_run(ctx, recipe_file(bad[k].text), NULL, &text) != SS_OK && !text);
        if (!strstr(ss_last_error(ctx), bad[k].message) || !strstr(ss_last_error(ctx), "e.json: ")) {
            fail_msg("\"%s\" is expected in \"%s\"", bad[k].message, ss_last_error(ctx));
        }
    }
    ss_context_destroy(ctx);
}

TEST(a_scene_that_is_not_there_and_a_step_that_does_not_fit_are_bad_input)
{
    ss_context *ctx = test_context();
    char *text = NULL;
    CHECK_FAILS(
        ctx,
        ss_experiment_run(ctx,
                          recipe_file("\"runs\": [ { \"name\": \"a\", \"scene\": \"none.json\" } ], " ONE_ROW("\"final\": "
                                                                                                              "\"p.x\"")),
                          NULL, &text),
        SS_ERR_INPUT, "run \"a\": ");
    CHECK_FAILS(
        ctx,
        ss_experiment_run(ctx,
                          recipe_file("\"runs\": [ { \"name\": \"a\", \"scene\": \"flight.json\", \"step\": 0.3 } ], " ONE_ROW(
                              "\"final\": \"p.x\"")),
                          NULL, &text),
        SS_ERR_INPUT, "a step of 0.3 s does not divide the interval of 1 s");
    CHECK_FAILS(ctx,
                ss_experiment_run(ctx,
                                  recipe_file(FLIGHT ", " ONE_ROW("\"error\": \"q\", \"norm\": \"l1\", \"against\": "
                                                                  "\"anitescu_potra@0.3\"")),
                                  NULL, &text),
                SS_ERR_INPUT, "a step of 0.3 s does not divide the interval of 1 s");
    ss_context_destroy(ctx);
}

/* a list in a list in a list .. as deep as jansson reads, as a setting and as a measure */
TEST(what_is_too_deep_or_has_too_many_values_is_refused)
{
    enum { DEEP = 2000 };
    static char open[16 * DEEP], shut[4 * DEEP], whole[24 * DEEP];
    ss_context *ctx = test_context();
    char *text = NULL, path[128];
    for (int k = 0; k < DEEP; k++) {
        memcpy(open + k, "[", 2);
        memcpy(shut + k, "]", 2);
    }
    snprintf(path, sizeof path, "%s/experiments/e.json", folder);
    snprintf(whole, sizeof whole,
             "{ \"experiment\": 1, \"title\": \"t\", \"for\": { \"k\": [1] }, \"runs\": [ { \"name\": \"{k}\", \"scene\": \"f\", "
             "\"set\": { \"x\": %s\"{k}\"%s } } ] }",
             open, shut);
    write_file("experiments/e.json", whole);
    CHECK_FAILS(ctx, ss_experiment_run(ctx, path, NULL, &text), SS_ERR_INPUT, "runs: lists and objects within each other");
    for (int k = 0; k < DEEP / 2; k++) {
        memcpy(open + 14 * k, "{ \"minus\": [1,", 15);
        memcpy(shut + 2 * k, "]}", 3);
    }
    snprintf(whole, sizeof whole, "{ \"experiment\": 1, \"title\": \"t\", \"rows\": [ { \"value\": %s1%s } ] }", open, shut);
    write_file("experiments/e.json", whole);
    CHECK_FAILS(ctx, ss_experiment_run(ctx, path, NULL, &text), SS_ERR_INPUT, "rows: lists and objects within each other");
    memset(shut, 0, sizeof shut);
    for (int k = 0; k < 1001; k++) {
        memcpy(shut + 2 * k, "1,", 3);
    }
    snprintf(whole, sizeof whole, "{ \"experiment\": 1, \"title\": \"t\", \"for\": { \"k\": [%s1] } }", shut);
    write_file("experiments/e.json", whole);
    CHECK_FAILS(ctx, ss_experiment_run(ctx, path, NULL, &text), SS_ERR_INPUT, "for.k: 1002 values, at most 1000");
    ss_context_destroy(ctx);
}

TEST(a_figure_that_fails_leaves_no_file)
{
    ss_context *ctx = test_context();
    char out[128], csv[256], *text = NULL;
    snprintf(out, sizeof out, "%s/broken", folder);
    snprintf(csv, sizeof csv, "%s/%s-e.csv", out, strrchr(folder, '/') + 1);
    CHECK_FAILS(ctx,
                ss_experiment_run(ctx,
                                  recipe_file(FIGURE("{ " AXES ", \"curves\": [ { \"label\": \"l\", \"run\": \"a\", \"series\": "
                                                     "\"p.x\" }, { \"label\": \"l\", \"run\": \"a\", "
                                                     "\"series\": \"p.z\" } ] }")),
                                  &(ss_experiment_options){ .folder = out }, &text),
                SS_ERR_INPUT, "unknown name \"p.z\"");
    CHECK(access(out, F_OK) == 0 && access(csv, F_OK) != 0);
    ss_context_destroy(ctx);
}

TEST(files_that_are_absent_or_not_json_are_refused)
{
    ss_context *ctx = test_context();
    char *text = NULL, path[128];
    CHECK_FAILS(ctx, ss_experiment_run(ctx, "/tmp/no/such/recipe.json", NULL, &text), SS_ERR_IO, "/tmp/no/such/recipe.json: ");
    CHECK_FAILS(ctx, ss_experiment_run(ctx, recipe_file("oh"), NULL, &text), SS_ERR_INPUT, "not JSON");
    write_file("experiments/e.json", "{ \"experiment\": 2, \"title\": \"x\" }");
    snprintf(path, sizeof path, "%s/experiments/e.json", folder);
    CHECK_FAILS(ctx, ss_experiment_run(ctx, path, NULL, &text), SS_ERR_INPUT,
                "experiment: expected 1, the version of the format, got 2");
    write_file("experiments/e.json", "[]");
    CHECK_FAILS(ctx, ss_experiment_run(ctx, path, NULL, &text), SS_ERR_INPUT, "expected an object, got []");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_recipes_are_refused_with_file_and_place),
        cmocka_unit_test(what_is_wrong_with_a_run_names_the_run),
        cmocka_unit_test(a_scene_that_is_not_there_and_a_step_that_does_not_fit_are_bad_input),
        cmocka_unit_test(what_is_too_deep_or_has_too_many_values_is_refused),
        cmocka_unit_test(a_figure_that_fails_leaves_no_file),
        cmocka_unit_test(files_that_are_absent_or_not_json_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
