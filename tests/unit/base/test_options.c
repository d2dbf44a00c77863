/* test_options.c - option structs by table: defaults, ranges, choices, names. */
#include "base/options.h"
#include "test.h"

typedef struct options {
    double relaxation, threshold, free_number, unknown;
    int directions, law;
    bool locate;
} options;

static const ss_field table[] = {
    SS_OPTION_NUMBER(options, relaxation, 1.5, 0, 2, "relaxation"),
    { .name = "threshold",
      .type = SS_FIELD_NUMBER,
      .offset = offsetof(options, threshold),
      .def = 0.1,
      .max = INFINITY,
      .flags = SS_FIELD_OPEN_MIN },
    SS_OPTION_NUMBER(options, free_number, -3, -INFINITY, INFINITY, "anything"),
    SS_OPTION_NUMBER(options, unknown, NAN, 0, 0, "no default, no range"),
    SS_OPTION_INT(options, directions, 8, 2, 64, "directions of the polygon"),
    SS_OPTION_CHOICE(options, law, 1, "poisson|simplified|newton|2", "impact law"),
    SS_OPTION_BOOL(options, locate, true, "find collision times"),
    { .name = "material", .type = SS_FIELD_NAME },
    SS_FIELD_END,
};

static ss_status set(ss_context *ctx, options *o, const char *key, double number, const char *text)
{
    ss_setting setting = { .key = key, .number = number, .text = text };
    return ss_fields_set(ctx, table, o, "solver pgs", &setting);
}

TEST(defaults_are_those_of_the_table)
{
    options o = { .relaxation = 7 };
    ss_fields_default(table, &o);
    CHECK(o.relaxation == 1.5 && o.threshold == 0.1 && o.free_number == -3 && isnan(o.unknown));
    CHECK(o.directions == 8 && o.law == 1 && o.locate);
    ss_fields_default(NULL, &o);
}

TEST(fields_are_set_by_name)
{
    ss_context *ctx = test_context();
    options o = { 0 };
    CHECK_OK(ctx, set(ctx, &o, "relaxation", 2, NULL));
    CHECK_OK(ctx, set(ctx, &o, "free_number", -1e300, NULL));
    CHECK_OK(ctx, set(ctx, &o, "unknown", -5, NULL));
    CHECK_OK(ctx, set(ctx, &o, "directions", 64, NULL));
    CHECK_OK(ctx, set(ctx, &o, "law", 0, "newton"));
    CHECK_OK(ctx, set(ctx, &o, "locate", 0, "true"));
    CHECK(o.relaxation == 2 && o.free_number == -1e300 && o.unknown == -5 && o.directions == 64 && o.law == 2 && o.locate);
    CHECK_OK(ctx, set(ctx, &o, "law", 2, NULL)); /* a choice may look like a number */
    CHECK_OK(ctx, set(ctx, &o, "locate", 0, NULL));
    CHECK(o.law == 3 && !o.locate);
    ss_context_destroy(ctx);
}

TEST(values_out_of_range_are_refused_and_nothing_changes)
{
    ss_context *ctx = test_context();
    options o, before;
    memset(&o, 0, sizeof o);
    before = o;
    CHECK_FAILS(ctx, set(ctx, &o, "relaxation", 2.5, NULL), SS_ERR_INPUT,
                "solver pgs: option \"relaxation\" is 2.5, expected a number >= 0 and <= 2");
    CHECK_FAILS(ctx, set(ctx, &o, "relaxation", -1, NULL), SS_ERR_INPUT, "is -1, expected");
    CHECK_FAILS(ctx, set(ctx, &o, "relaxation", NAN, NULL), SS_ERR_INPUT, "nan, expected");
    CHECK_FAILS(ctx, set(ctx, &o, "threshold", 0, NULL), SS_ERR_INPUT, "expected a number > 0");
    CHECK_FAILS(ctx, set(ctx, &o, "directions", 2.5, NULL), SS_ERR_INPUT, "expected a whole number >= 2 and <= 64");
    CHECK_FAILS(ctx, set(ctx, &o, "directions", 1e300, NULL), SS_ERR_INPUT, "expected a whole number");
    CHECK_FAILS(ctx, set(ctx, &o, "locate", 2, NULL), SS_ERR_INPUT, "is 2, expected true or false");
    CHECK(memcmp(&o, &before, sizeof o) == 0);
    ss_context_destroy(ctx);
}

TEST(wrong_types_are_refused)
{
    ss_context *ctx = test_context();
    options o = { 0 };
    CHECK_FAILS(ctx, set(ctx, &o, "relaxation", 0, "much"), SS_ERR_INPUT, "is \"much\", expected a number");
    CHECK_FAILS(ctx, set(ctx, &o, "law", 0, "poison"), SS_ERR_INPUT, "expected one of poisson|simplified|newton|2");
    CHECK_FAILS(ctx, set(ctx, &o, "law", 1, NULL), SS_ERR_INPUT, "is 1, expected one of");
    CHECK_FAILS(ctx, set(ctx, &o, "locate", 0, "yes"), SS_ERR_INPUT, "expected true or false");
    CHECK_FAILS(ctx, set(ctx, &o, "material", 0, "steel"), SS_ERR_UNSUPPORTED, "material");
    ss_context_destroy(ctx);
}

TEST(unknown_names_are_refused_with_the_nearest)
{
    ss_context *ctx = test_context();
    options o = { 0 };
    CHECK_FAILS(ctx, set(ctx, &o, "relaxtion", 1, NULL), SS_ERR_INPUT,
                "unknown option \"relaxtion\"; did you mean \"relaxation\"?");
    CHECK_FAILS(ctx, set(ctx, &o, "colour", 1, NULL), SS_ERR_INPUT, "unknown option \"colour\"");
    ss_setting setting = { .key = "tol", .number = 1 };
    CHECK_FAILS(ctx, ss_fields_set(ctx, NULL, &o, "solver auto", &setting), SS_ERR_INPUT, "it has none");
    ss_context_destroy(ctx);
}

TEST(choices_are_found_whole)
{
    CHECK(ss_choice_index("poisson|simplified", "poisson") == 0);
    CHECK(ss_choice_index("poisson|simplified", "simplified") == 1);
    CHECK(ss_choice_index("poisson|simplified", "simple") == -1);
    CHECK(ss_choice_index("poisson|simplified", "poisson|simplified") == -1);
    CHECK(ss_choice_index("poisson", "") == -1);
    CHECK(ss_choice_index(NULL, "poisson") == -1);
    CHECK(ss_choice_index("poisson", NULL) == -1);
}

TEST(choice_text_is_the_inverse_of_choice_index)
{
    const char *choices = "poisson|simplified|newton";
    char text[16], little[4];
    for (int k = 0; k < 3; k++) {
        ss_choice_text(choices, k, text, sizeof text);
        CHECK(ss_choice_index(choices, text) == k);
    }
    ss_choice_text(choices, 3, text, sizeof text);
    assert_string_equal(text, "");
    ss_choice_text(choices, -1, text, sizeof text);
    assert_string_equal(text, "");
    ss_choice_text(choices, 0, little, sizeof little);
    assert_string_equal(little, "poi");
}

TEST(entries_answer_to_name_and_aliases)
{
    const ss_entry joint = { .name = "spherical", .aliases = "ball|socket" }, plain = { .name = "distance" };
    CHECK(ss_entry_answers(&joint, "spherical") && ss_entry_answers(&joint, "ball") && ss_entry_answers(&joint, "socket"));
    CHECK(!ss_entry_answers(&joint, "hinge") && !ss_entry_answers(&joint, NULL));
    CHECK(ss_entry_answers(&plain, "distance") && !ss_entry_answers(&plain, "ball"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(fields_are_set_by_name),
        cmocka_unit_test(values_out_of_range_are_refused_and_nothing_changes),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
        cmocka_unit_test(choices_are_found_whole),
        cmocka_unit_test(choice_text_is_the_inverse_of_choice_index),
        cmocka_unit_test(entries_answer_to_name_and_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
