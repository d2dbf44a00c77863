/* field_read.c - JSON values into structs, one small function per kind of field.
 *
 * A table of ss_field says which key goes to which offset, of which kind, within which bounds. Numbers may
 * be strings with constant expressions ("2^-5", "sin(pi/3)"); fields that end in _T may depend on t and are
 * kept as text. NaN and infinity are refused wherever they come from. */
#include "io/json.h"

#include "base/options.h"
#include "math/expr.h"
#include <float.h>
#include <math.h>
#include <slipstick/io.h>
#include <stdio.h>

bool ss_field_applies(const ss_field *field, int dimension)
{
    return !((field->flags & SS_FIELD_ONLY_2D) && dimension != 2) && !((field->flags & SS_FIELD_ONLY_3D) && dimension != 3);
}

static bool has_range(const ss_field *f) { return f->min < f->max; }

/* ---- what a field wants, in words ------------------------------------------------------------- */

static void expected_number(const ss_field *f, const char *noun, char *text, size_t size)
{
    bool low = has_range(f) && isfinite(f->min), high = has_range(f) && isfinite(f->max), open = f->flags & SS_FIELD_OPEN_MIN;
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

/* in 2D and in 3D */
static const char *const wanted[][2] = {
    [SS_FIELD_BOOL] = { "true or false", "true or false" },
    [SS_FIELD_NAME] = { "a name in quotes", "a name in quotes" },
    [SS_FIELD_VECTOR] = { "a list of 2 numbers", "a list of 3 numbers" },
    [SS_FIELD_DIRECTION] = { "a list of 2 numbers, not all zero", "a list of 3 numbers, not all zero" },
    [SS_FIELD_SIZES] = { "a list of 2 numbers > 0", "a list of 3 numbers > 0" },
    [SS_FIELD_QUATERNION] = { "a list of 4 numbers (w x y z), not all zero", "a list of 4 numbers (w x y z), not all zero" },
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
    [SS_FIELD_MOTOR] = { "{\"speed\": .., \"max\": ..} or {\"force\": ..}", "{\"speed\": .., \"max\": ..} or {\"force\": ..}" },
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

/* ---- numbers and texts ------------------------------------------------------------------------ */

ss_status ss_number_parse(ss_context *ctx, const char *text, double *out)
{
    ss_expr *expr = NULL;
    SS_TRY(ss_expr_compile(ctx, text, &expr));
    bool constant = ss_expr_is_constant(expr);
    double value = constant ? ss_expr_eval(expr, 0) : NAN;
    ss_expr_destroy(ctx, expr);
    if (!constant) {
        return ss_fail(ctx, SS_ERR_INPUT, "\"%.60s\" depends on t", text);
    }
    if (!isfinite(value)) {
        return ss_fail(ctx, SS_ERR_INPUT, "\"%.60s\" is not finite", text);
    }
    *out = value;
    return SS_OK;
}

/* what is wrong with an expression, with the place before it */
static ss_status expression_status(ss_reader *r, const char *expected, ss_status status)
{
    return status == SS_ERR_INPUT ? ss_reader_fail(r, "expected %s: %.200s", expected, ss_last_error(r->ctx)) : status;
}

ss_status ss_number_read(ss_reader *r, const char *expected, const json_t *value, double *out)
{
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return SS_OK;
    }
    if (!json_is_string(value)) {
        return ss_reader_expected(r, expected, value);
    }
    const char *text;
    SS_TRY(ss_parameters_expand(r, json_string_value(value), &text));
    return expression_status(r, expected, ss_number_parse(r->ctx, text, out));
}

/* text of an expression in t; a number becomes its shortest exact text */
static ss_status read_expression(ss_reader *r, const char *expected, const json_t *value, const char **out)
{
    if (json_is_number(value)) {
        char *copy;
        enum { SIZE = 32 };
        SS_TRY(ss_arena_take(r->arena, SIZE, 1, &copy));
        snprintf(copy, SIZE, "%.17g", json_number_value(value));
        *out = copy;
        return SS_OK;
    }
    if (!json_is_string(value)) {
        return ss_reader_expected(r, expected, value);
    }
    ss_expr *expr = NULL;
    SS_TRY(ss_parameters_expand(r, json_string_value(value), out));
    SS_TRY(expression_status(r, expected, ss_expr_compile(r->ctx, *out, &expr)));
    ss_expr_destroy(r->ctx, expr);
    return SS_OK;
}

/* each element adds [i] to the path */
ss_status ss_numbers_read(ss_reader *r, const char *expected, const json_t *value, size_t count, double *out)
{
    if (!json_is_array(value) || json_array_size(value) != count) {
        return ss_reader_expected(r, expected, value);
    }
    for (size_t k = 0; k < count; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(ss_number_read(r, "a number", json_array_get(value, k), &out[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

static ss_status read_expressions(ss_reader *r, const char *expected, const json_t *value, size_t count, const char **out)
{
    if (!json_is_array(value) || json_array_size(value) != count) {
        return ss_reader_expected(r, expected, value);
    }
    for (size_t k = 0; k < count; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(read_expression(r, "a number or an expression in t", json_array_get(value, k), &out[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

/* length 1, unless it already is to round-off: what was written reads back with the same bits */
static bool normalise(double *x, int n)
{
    double s = 0;
    for (int k = 0; k < n; k++) {
        s += x[k] * x[k];
    }
    if (!(s > 0) || !isfinite(s)) {
        return false;
    }
    if (fabs(s - 1) > 4 * DBL_EPSILON) {
        for (int k = 0; k < n; k++) {
            x[k] /= sqrt(s);
        }
    }
    return true;
}

/* ---- one function per kind --------------------------------------------------------------------- */

typedef struct request {
    const ss_field *field;
    const json_t *value;
    const char *expected;
    size_t dim;
} request;

typedef ss_status (*reader_fn)(ss_reader *r, const request *q, void *out);

static ss_status read_number(ss_reader *r, const request *q, void *out)
{
    const ss_field *f = q->field;
    double x;
    SS_TRY(ss_number_read(r, q->expected, q->value, &x));
    if (has_range(f) && (x < f->min || x > f->max || ((f->flags & SS_FIELD_OPEN_MIN) && x <= f->min))) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    *(double *)out = x;
    return SS_OK;
}

static ss_status read_int(ss_reader *r, const request *q, void *out)
{
    double x;
    SS_TRY(read_number(r, q, &x));
    if (x != floor(x) || fabs(x) > 2147483647.0) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    *(int *)out = (int)x;
    return SS_OK;
}

static ss_status read_bool(ss_reader *r, const request *q, void *out)
{
    if (!json_is_boolean(q->value)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    *(bool *)out = json_is_true(q->value);
    return SS_OK;
}

/* a word, or a number that reads like one of the words ("variant": 2) */
static ss_status read_choice(ss_reader *r, const request *q, void *out)
{
    char number[32];
    snprintf(number, sizeof number, "%.15g", json_number_value(q->value));
    const char *word = json_is_number(q->value) ? number : json_string_value(q->value);
    int index = ss_choice_index(q->field->choices, word);
    if (index < 0) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    *(int *)out = index;
    return SS_OK;
}

static ss_status read_name(ss_reader *r, const request *q, void *out)
{
    if (!json_is_string(q->value) || json_string_length(q->value) == 0) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    *(const char **)out = json_string_value(q->value);
    return SS_OK;
}

static ss_status read_vector(ss_reader *r, const request *q, void *out)
{
    return ss_numbers_read(r, q->expected, q->value, q->dim, out);
}

static ss_status read_direction(ss_reader *r, const request *q, void *out)
{
    double x[3] = { 0, 0, 0 };
    SS_TRY(ss_numbers_read(r, q->expected, q->value, q->dim, x));
    if (!normalise(x, 3)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    memcpy(out, x, sizeof x);
    return SS_OK;
}

static ss_status read_sizes(ss_reader *r, const request *q, void *out)
{
    double *x = out;
    SS_TRY(ss_numbers_read(r, q->expected, q->value, q->dim, x));
    for (size_t k = 0; k < q->dim; k++) {
        if (!(x[k] > 0)) {
            return ss_reader_expected(r, q->expected, q->value);
        }
    }
    return SS_OK;
}

static ss_status read_quaternion(ss_reader *r, const request *q, void *out)
{
    SS_TRY(ss_numbers_read(r, q->expected, q->value, 4, out));
    return normalise(out, 4) ? SS_OK : ss_reader_expected(r, q->expected, q->value);
}

static ss_status read_spin(ss_reader *r, const request *q, void *out)
{
    double *x = out;
    return q->dim == 2 ? ss_number_read(r, q->expected, q->value, &x[2]) : ss_numbers_read(r, q->expected, q->value, 3, x);
}

/* moments are not negative; the products of inertia default to zero when only three are given */
static ss_status read_inertia(ss_reader *r, const request *q, void *out)
{
    double *x = out;
    size_t count = json_array_size(q->value) == 6 ? 6 : 3;
    if (q->dim == 2) {
        SS_TRY(ss_number_read(r, q->expected, q->value, &x[2]));
        return x[2] >= 0 ? SS_OK : ss_reader_expected(r, q->expected, q->value);
    }
    x[3] = x[4] = x[5] = 0;
    SS_TRY(ss_numbers_read(r, q->expected, q->value, count, x));
    return x[0] >= 0 && x[1] >= 0 && x[2] >= 0 ? SS_OK : ss_reader_expected(r, q->expected, q->value);
}

static ss_status read_range(ss_reader *r, const request *q, void *out)
{
    double *x = out;
    if (!json_is_array(q->value) || json_array_size(q->value) != 2) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    for (size_t k = 0; k < 2; k++) {
        const json_t *bound = json_array_get(q->value, k);
        size_t mark = ss_path_index(r, k);
        x[k] = k == 0 ? -INFINITY : INFINITY;
        if (!json_is_null(bound)) {
            SS_TRY(ss_number_read(r, "a number or null", bound, &x[k]));
        }
        ss_path_back(r, mark);
    }
    return x[0] < x[1] ? SS_OK : ss_reader_expected(r, q->expected, q->value);
}

static ss_status read_mu(ss_reader *r, const request *q, void *out)
{
    double *x = out;
    if (json_is_array(q->value) && q->dim == 3) {
        SS_TRY(ss_numbers_read(r, q->expected, q->value, 2, x));
    } else {
        SS_TRY(ss_number_read(r, q->expected, q->value, &x[0]));
        x[1] = x[0];
    }
    return x[0] >= 0 && x[1] >= 0 ? SS_OK : ss_reader_expected(r, q->expected, q->value);
}

static ss_status read_expr_t(ss_reader *r, const request *q, void *out) { return read_expression(r, q->expected, q->value, out); }

static ss_status read_vector_t(ss_reader *r, const request *q, void *out)
{
    return read_expressions(r, q->expected, q->value, q->dim, out);
}

static ss_status read_spin_t(ss_reader *r, const request *q, void *out)
{
    const char **x = out;
    return q->dim == 2 ? read_expression(r, q->expected, q->value, &x[2]) : read_expressions(r, q->expected, q->value, 3, x);
}

/* the name of the last node that is a body of its own */
static ss_status last_node(ss_reader *r, const ss_elements_desc *d, const char **out)
{
    const size_t size = strlen(d->name) + 16;
    char *text;
    SS_TRY(ss_arena_take(r->arena, size, 1, &text));
    snprintf(text, size, "%s.%d", d->name, d->divisions - (d->last ? 1 : 0));
    *out = text;
    return SS_OK;
}

/* the nearest name of a body, when the scene has none called `word` */
static ss_status unknown_body(ss_reader *r, const char *word)
{
    const char **names;
    int n = 0;
    SS_TRY(ss_arena_take(r->arena, (size_t)(r->scene->bodies + r->scene->meshes) + 2, sizeof *names, &names));
    for (int k = 0; k < r->scene->bodies; k++) {
        if (r->scene->body[k].name) {
            names[n++] = r->scene->body[k].name;
        }
    }
    for (int k = 0; k < r->scene->meshes; k++) {
        SS_TRY(last_node(r, &r->scene->mesh[k], &names[n++]));
    }
    names[n] = "world";
    return ss_reader_unknown(r, "body", word, names);
}

static ss_status read_body(ss_reader *r, const request *q, void *out)
{
    SS_TRY(read_name(r, q, out));
    const char *word = json_string_value(q->value);
    if (strcmp(word, "world") != 0 && !ss_scene_has_body(r->scene, word)) {
        return unknown_body(r, word);
    }
    return SS_OK;
}

/* two names, each read by `one` */
static ss_status read_two(ss_reader *r, const request *q, const char *expected, reader_fn one, const char **name)
{
    if (!json_is_array(q->value) || json_array_size(q->value) != 2) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    for (size_t k = 0; k < 2; k++) {
        const request item = { .field = q->field, .value = json_array_get(q->value, k), .expected = expected };
        size_t mark = ss_path_index(r, k);
        SS_TRY(one(r, &item, &name[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

static ss_status read_bodies(ss_reader *r, const request *q, void *out)
{
    return read_two(r, q, "the name of a body", read_body, out);
}

static ss_status read_names(ss_reader *r, const request *q, void *out)
{
    return read_two(r, q, "a name in quotes", read_name, out);
}

static ss_status read_anchors(ss_reader *r, const request *q, void *out)
{
    double(*point)[3] = out;
    if (!json_is_array(q->value) || json_array_size(q->value) != 2) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    for (size_t k = 0; k < 2; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(ss_numbers_read(r, q->dim == 2 ? "a list of 2 numbers" : "a list of 3 numbers", json_array_get(q->value, k),
                               q->dim, point[k]));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

/* rows of force (vectors) or torque (2D: numbers), as many as there are times; absent: zero */
static ss_status read_table_rows(ss_reader *r, const request *q, const char *key, bool spin, int rows, const double **out)
{
    const json_t *list = json_object_get(q->value, key);
    double *x;
    SS_TRY(ss_arena_take(r->arena, (size_t)rows * 3, sizeof *x, &x));
    *out = x;
    if (!list) {
        return SS_OK;
    }
    size_t mark = ss_path_key(r, key);
    if (!json_is_array(list) || json_array_size(list) != (size_t)rows) {
        return ss_reader_expected(r, "as many rows as there are times", list);
    }
    for (size_t k = 0; k < (size_t)rows; k++) {
        const ss_field row = { .type = spin ? SS_FIELD_SPIN : SS_FIELD_VECTOR };
        size_t inner = ss_path_index(r, k);
        SS_TRY(ss_field_read(r, &row, json_array_get(list, k), x + 3 * k));
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

static ss_status read_table_times(ss_reader *r, const json_t *list, int *rows, const double **out)
{
    size_t n = json_array_size(list), mark = ss_path_key(r, "t");
    double *t;
    if (n == 0 || n > 10000000) {
        return ss_reader_expected(r, "a list of at least 1 time", list);
    }
    SS_TRY(ss_arena_take(r->arena, n, sizeof *t, &t));
    SS_TRY(ss_numbers_read(r, "a list of times", list, n, t));
    for (size_t k = 1; k < n; k++) {
        if (!(t[k] > t[k - 1])) {
            return ss_reader_fail(r, "times must increase: t[%zu] = %.6g after %.6g", k, t[k], t[k - 1]);
        }
    }
    ss_path_back(r, mark);
    *rows = (int)n;
    *out = t;
    return SS_OK;
}

static ss_status read_table(ss_reader *r, const request *q, void *out)
{
    static const char *const keys[] = { "t", "force", "torque", NULL };
    ss_table *table = out;
    if (!json_is_object(q->value)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    SS_TRY(ss_reader_keys(r, q->value, keys));
    SS_TRY(read_table_times(r, json_object_get(q->value, "t"), &table->rows, &table->t));
    SS_TRY(read_table_rows(r, q, "force", false, table->rows, &table->force));
    return read_table_rows(r, q, "torque", true, table->rows, &table->torque);
}

static const ss_field motor_fields[] = {
    { .name = "speed", .type = SS_FIELD_EXPR_T, .offset = offsetof(ss_motor_desc, speed), .doc = "target rate" },
    { .name = "force", .type = SS_FIELD_EXPR_T, .offset = offsetof(ss_motor_desc, force), .doc = "force or torque" },
    { .name = "max",
      .type = SS_FIELD_NUMBER,
      .offset = offsetof(ss_motor_desc, max),
      .min = 0,
      .max = INFINITY,
      .flags = SS_FIELD_OPEN_MIN,
      .doc = "bound on the force that holds the speed" },
    SS_FIELD_END,
};

static ss_status read_motor(ss_reader *r, const request *q, void *out)
{
    const json_t *speed = json_object_get(q->value, "speed"), *force = json_object_get(q->value, "force");
    if (!json_is_object(q->value)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    SS_TRY(ss_fields_read(r, q->value, motor_fields, NULL, out));
    if ((speed != NULL) == (force != NULL)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    return SS_OK;
}

static ss_status read_points(ss_reader *r, const request *q, void *out) { return ss_points_read(r, q->expected, q->value, out); }

static ss_status read_heights(ss_reader *r, const request *q, void *out)
{
    return ss_heights_read(r, q->expected, q->value, out);
}

/* ---- fields and objects ------------------------------------------------------------------------ */

static const reader_fn reader_of[] = {
    [SS_FIELD_NUMBER] = read_number,
    [SS_FIELD_INT] = read_int,
    [SS_FIELD_BOOL] = read_bool,
    [SS_FIELD_CHOICE] = read_choice,
    [SS_FIELD_NAME] = read_name,
    [SS_FIELD_VECTOR] = read_vector,
    [SS_FIELD_DIRECTION] = read_direction,
    [SS_FIELD_SIZES] = read_sizes,
    [SS_FIELD_QUATERNION] = read_quaternion,
    [SS_FIELD_SPIN] = read_spin,
    [SS_FIELD_INERTIA] = read_inertia,
    [SS_FIELD_RANGE] = read_range,
    [SS_FIELD_MU] = read_mu,
    [SS_FIELD_EXPR_T] = read_expr_t,
    [SS_FIELD_VECTOR_T] = read_vector_t,
    [SS_FIELD_SPIN_T] = read_spin_t,
    [SS_FIELD_BODY] = read_body,
    [SS_FIELD_BODIES] = read_bodies,
    [SS_FIELD_ANCHORS] = read_anchors,
    [SS_FIELD_TABLE] = read_table,
    [SS_FIELD_MOTOR] = read_motor,
    [SS_FIELD_NAMES] = read_names,
    [SS_FIELD_POINTS] = read_points,
    [SS_FIELD_HEIGHTS] = read_heights,
};

ss_status ss_field_read(ss_reader *r, const ss_field *field, const json_t *value, void *out)
{
    char expected[256];
    ss_field_expected(field, r->dimension, expected, sizeof expected);
    const request q = { .field = field, .value = value, .expected = expected, .dim = (size_t)r->dimension };
    return reader_of[field->type](r, &q, (char *)out + field->offset);
}

/* keys that are neither fields of this dimension nor extra */
static ss_status check_keys(ss_reader *r, const json_t *object, const ss_field *fields, const char *const *extra)
{
    const char *names[SS_MAX_FIELDS + 1];
    int n = 0;
    for (int k = 0; extra && extra[k] && n < SS_MAX_FIELDS; k++) {
        names[n++] = extra[k];
    }
    for (int k = 0; fields[k].name && n < SS_MAX_FIELDS; k++) {
        if (ss_field_applies(&fields[k], r->dimension)) {
            names[n++] = fields[k].name;
        } else if (json_object_get(object, fields[k].name)) {
            return ss_reader_fail(r, "\"%s\" is for %s scenes only", fields[k].name, r->dimension == 2 ? "3D" : "2D");
        }
    }
    names[n] = NULL;
    return ss_reader_keys(r, object, names);
}

ss_status ss_fields_read(ss_reader *r, const json_t *object, const ss_field *fields, const char *const *extra, void *out)
{
    if (!json_is_object(object)) {
        return ss_reader_expected(r, "an object {..}", object);
    }
    SS_TRY(check_keys(r, object, fields, extra));
    for (int k = 0; fields[k].name; k++) {
        const json_t *value = json_object_get(object, fields[k].name);
        bool required = (fields[k].flags & SS_FIELD_REQUIRED) && ss_field_applies(&fields[k], r->dimension);
        if (!value && !required) {
            continue;
        }
        size_t mark = ss_path_key(r, fields[k].name);
        SS_TRY(ss_field_read(r, &fields[k], value, out));
        ss_path_back(r, mark);
    }
    return SS_OK;
}
