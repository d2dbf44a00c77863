/* options.c - option structs described by field tables: defaults, and setting a field by name.
 *
 * An option is a NUMBER, INT, BOOL or CHOICE; the other field types describe parts of a scene and are
 * read elsewhere. A range with min = max = 0 is no range. Texts of numbers are not read here: whoever
 * reads scenes or command lines has the expression parser. */
#include "base/options.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* ---- choices: "a|b|c" ----------------------------------------------------------------------- */

/* The item after this one; NULL after the last. */
static const char *next_choice(const char *item)
{
    const char *bar = strchr(item, '|');
    return bar ? bar + 1 : NULL;
}

int ss_choice_index(const char *choices, const char *word)
{
    int index = 0;
    for (const char *item = choices; word && item; item = next_choice(item)) {
        size_t length = strcspn(item, "|");
        if (length == strlen(word) && memcmp(item, word, length) == 0) {
            return index;
        }
        index++;
    }
    return -1;
}

void ss_choice_text(const char *choices, int index, char *text, size_t size)
{
    const char *item = index >= 0 ? choices : NULL;
    for (int k = 0; k < index && item; k++) {
        item = next_choice(item);
    }
    snprintf(text, size, "%.*s", item ? (int)strcspn(item, "|") : 0, item ? item : "");
}

bool ss_entry_answers(const ss_entry *entry, const char *name)
{
    return name && (strcmp(entry->name, name) == 0 || ss_choice_index(entry->aliases, name) >= 0);
}

/* ---- fields --------------------------------------------------------------------------------- */

static void store(const ss_field *field, void *object, double value)
{
    unsigned char *at = (unsigned char *)object + field->offset;
    if (field->type == SS_FIELD_NUMBER) {
        memcpy(at, &value, sizeof value);
    } else if (field->type == SS_FIELD_BOOL) {
        bool truth = value != 0;
        memcpy(at, &truth, sizeof truth);
    } else if (field->type == SS_FIELD_INT || field->type == SS_FIELD_CHOICE) {
        int whole = (int)value;
        memcpy(at, &whole, sizeof whole);
    }
}

void ss_fields_default(const ss_field *fields, void *object)
{
    for (const ss_field *field = fields; field && field->name; field++) {
        store(field, object, field->def);
    }
}

static ss_status unknown_field(ss_context *ctx, const ss_field *fields, const char *what, const char *key)
{
    enum { MOST = 64 };
    const char *names[MOST + 1];
    int n = 0;
    for (const ss_field *field = fields; field && field->name && n < MOST; field++) {
        names[n++] = field->name;
    }
    names[n] = NULL;
    const char *near = ss_nearest_name(key, names);
    if (near) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: unknown option \"%s\"; did you mean \"%s\"?", what, key, near);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: unknown option \"%s\"%s", what, key, n == 0 ? "; it has none" : "");
}

/* `expected` completes the sentence "expected ..." */
static ss_status refuse(ss_context *ctx, const ss_field *field, const char *what, const ss_setting *given, const char *expected)
{
    if (given->text) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: option \"%s\" is \"%s\", expected %s", what, field->name, given->text, expected);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: option \"%s\" is %.17g, expected %s", what, field->name, given->number, expected);
}

static bool in_range(const ss_field *field, double value)
{
    bool bounded = field->min != 0 || field->max != 0;
    bool low = field->flags & SS_FIELD_OPEN_MIN ? value <= field->min : value < field->min;
    return !bounded || !(low || value > field->max);
}

/* what a NUMBER or INT field takes: "a whole number > 0 and <= 2" */
static void describe_range(const ss_field *field, char *text, size_t size)
{
    const char *noun = field->type == SS_FIELD_INT ? "a whole number" : "a number";
    const char *above = field->flags & SS_FIELD_OPEN_MIN ? ">" : ">=";
    bool bounded = field->min != 0 || field->max != 0;
    bool low = bounded && isfinite(field->min), high = bounded && isfinite(field->max);
    if (low && high) {
        snprintf(text, size, "%s %s %g and <= %g", noun, above, field->min, field->max);
    } else if (low) {
        snprintf(text, size, "%s %s %g", noun, above, field->min);
    } else if (high) {
        snprintf(text, size, "%s <= %g", noun, field->max);
    } else {
        snprintf(text, size, "%s", noun);
    }
}

static ss_status set_number(ss_context *ctx, const ss_field *field, void *object, const char *what, const ss_setting *given)
{
    double value = given->number;
    bool whole = field->type != SS_FIELD_INT || (value == floor(value) && value >= INT_MIN && value <= INT_MAX);
    if (given->text || isnan(value) || !whole || !in_range(field, value)) {
        char expected[128];
        describe_range(field, expected, sizeof expected);
        return refuse(ctx, field, what, given, expected);
    }
    store(field, object, value);
    return SS_OK;
}

static ss_status set_bool(ss_context *ctx, const ss_field *field, void *object, const char *what, const ss_setting *given)
{
    int value = given->text ? ss_choice_index("false|true", given->text) : given->number == 1 ? 1 : given->number == 0 ? 0 : -1;
    if (value < 0) {
        return refuse(ctx, field, what, given, "true or false");
    }
    store(field, object, value);
    return SS_OK;
}

static ss_status set_choice(ss_context *ctx, const ss_field *field, void *object, const char *what, const ss_setting *given)
{
    char number[32], expected[512];
    snprintf(number, sizeof number, "%.15g", given->number);
    int index = ss_choice_index(field->choices, given->text ? given->text : number);
    if (index < 0) {
        snprintf(expected, sizeof expected, "one of %s", field->choices);
        return refuse(ctx, field, what, given, expected);
    }
    store(field, object, index);
    return SS_OK;
}

ss_status ss_fields_set(ss_context *ctx, const ss_field *fields, void *object, const char *what, const ss_setting *setting)
{
    const ss_field *field = fields;
    while (field && field->name && strcmp(field->name, setting->key) != 0) {
        field++;
    }
    if (!field || !field->name) {
        return unknown_field(ctx, fields, what, setting->key);
    }
    switch (field->type) {
    case SS_FIELD_NUMBER:
    case SS_FIELD_INT:
        return set_number(ctx, field, object, what, setting);
    case SS_FIELD_BOOL:
        return set_bool(ctx, field, object, what, setting);
    case SS_FIELD_CHOICE:
        return set_choice(ctx, field, object, what, setting);
    default:
        return ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s: option \"%s\" is neither a number, a truth value nor a choice", what,
                       field->name);
    }
}
