/* field_expected.c - what a field wants, in words, for messages: "a number > 0", "a list of 2 numbers". */
#include "io/json.h"

#include <math.h>
#include <stdio.h>

static void expected_number(const ss_field *f, const char *noun, char *text, size_t size)
{
    bool low = ss_field_has_range(f) && isfinite(f->min), high = ss_field_has_range(f) && isfinite(f->max),
         open = f->flags & SS_FIELD_OPEN_MIN;
    if (low && high) {
        snprintf(text, size, "%s in %s%.6g, %.6g]", noun, open ? "(" : "[", f->min, f->max);
    } else if (low) {
        snprintf(text, size, "%s %s %.6g", noun, open ? ">" : ">=", f->min);
    } else if (high) {
        snprintf(text, size, "%s <= %.6g", noun, f->max);
    } else {
        snprintf(text, size, "%s", noun);
    }
}

static void expected_choice(const ss_field *f, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "one of ");
    for (const char *c = f->choices; *c && used + 3 < size; c++) {
        if (*c == '|') {
            text[used++] = ',';
            text[used++] = ' ';
        } else {
            text[used++] = *c;
        }
    }
    text[used] = '\0';
}

#define ROTATION "a list of 4 numbers (w x y z), not all zero, or {\"axis\", \"angle\"}, {\"euler\"} or {\"matrix\"}"

#define MOTOR                                                                                                                    \
    "{\"speed\": .., \"damping\": .., \"max\": ..}, {\"force\": ..} or "                                                         \
    "{\"position\": .., \"stiffness\": .., \"damping\": .., \"max\": ..}"

/* in 2D and in 3D */
static const char *const wanted[][2] = {
    [SS_FIELD_BOOL] = { "true or false", "true or false" },
    [SS_FIELD_NAME] = { "a name in quotes", "a name in quotes" },
    [SS_FIELD_VECTOR] = { "a list of 2 numbers", "a list of 3 numbers" },
    [SS_FIELD_DIRECTION] = { "a list of 2 numbers, not all zero", "a list of 3 numbers, not all zero" },
    [SS_FIELD_SIZES] = { "a list of 2 numbers > 0", "a list of 3 numbers > 0" },
    [SS_FIELD_QUATERNION] = { ROTATION, ROTATION },
    [SS_FIELD_SPIN] = { "a number", "a list of 3 numbers" },
    [SS_FIELD_INERTIA] = { "a number >= 0", "a list of 3 numbers >= 0, or of 6 (xx yy zz xy xz yz)" },
    [SS_FIELD_RANGE] = { "[low, high] with low < high, null for no bound", "[low, high] with low < high, null for no bound" },
    [SS_FIELD_MU] = { "a number >= 0", "a number >= 0, or a list of 2 (along and across the grain)" },
    [SS_FIELD_EXPR_T] = { "a number or an expression in t", "a number or an expression in t" },
    [SS_FIELD_VECTOR_T] = { "a list of 2 numbers or expressions in t", "a list of 3 numbers or expressions in t" },
    [SS_FIELD_SPIN_T] = { "a number or an expression in t", "a list of 3 numbers or expressions in t" },
    [SS_FIELD_BODY] = { "the name of a body", "the name of a body" },
    [SS_FIELD_BODIES] = { "a list of 2 names", "a list of 2 names" },
    [SS_FIELD_NAMES] = { "a list of 2 names", "a list of 2 names" },
    [SS_FIELD_ANCHORS] = { "two points of 2 numbers", "two points of 3 numbers" },
    [SS_FIELD_TABLE] = { "{\"t\": [..], \"force\": [[x, y]..], \"torque\": [..]}",
                         "{\"t\": [..], \"force\": [[x, y, z]..], \"torque\": [[..]..]}" },
    [SS_FIELD_MOTOR] = { MOTOR, MOTOR },
    [SS_FIELD_POINTS] = { "a list of points of 2 numbers", "a list of points of 3 numbers" },
    [SS_FIELD_HEIGHTS] = { "a list of numbers", "a list of rows of numbers, all of one length" },
};

void ss_field_expected(const ss_field *f, int dimension, char *text, size_t size)
{
    if (f->type == SS_FIELD_NUMBER || f->type == SS_FIELD_INT) {
        expected_number(f, f->type == SS_FIELD_INT ? "an integer" : "a number", text, size);
    } else if (f->type == SS_FIELD_CHOICE) {
        expected_choice(f, text, size);
    } else {
        snprintf(text, size, "%s", wanted[f->type][dimension == 3]);
    }
}
