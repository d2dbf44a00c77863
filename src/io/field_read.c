/* field_read.c - JSON values into structs, one small function per kind of field.
 *
 * A table of ss_field says which key goes to which offset, of which kind, within which bounds. What counts as a number
 * is in number_read.c; fields that end in _T may depend on t and are kept as text. */
#include "io/authoring.h"

#include "base/options.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

bool ss_field_applies(const ss_field *field, int dimension)
{
    return !((field->flags & SS_FIELD_ONLY_2D) && dimension != 2) && !((field->flags & SS_FIELD_ONLY_3D) && dimension != 3);
}

bool ss_field_has_range(const ss_field *f) { return f->min < f->max; }

bool ss_normalise(double *x, int n)
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
    if (ss_field_has_range(f) && (x < f->min || x > f->max || ((f->flags & SS_FIELD_OPEN_MIN) && x <= f->min))) {
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
    return ss_text_expand(r, json_string_value(q->value), out);
}

static ss_status read_vector(ss_reader *r, const request *q, void *out)
{
    return ss_numbers_read(r, q->expected, q->value, q->dim, out);
}

static ss_status read_direction(ss_reader *r, const request *q, void *out)
{
    double x[3] = { 0, 0, 0 };
    SS_TRY(ss_numbers_read(r, q->expected, q->value, q->dim, x));
    if (!ss_normalise(x, 3)) {
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
    ss_rotation rotation;
    SS_TRY(ss_rotation_read(r, q->expected, q->value, &rotation));
    ss_quat_to(rotation.q, out);
    return SS_OK;
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

static ss_status read_expr_t(ss_reader *r, const request *q, void *out)
{
    return ss_expression_read(r, q->expected, q->value, out);
}

static ss_status read_vector_t(ss_reader *r, const request *q, void *out)
{
    return ss_expressions_read(r, q->expected, q->value, q->dim, out);
}

static ss_status read_spin_t(ss_reader *r, const request *q, void *out)
{
    const char **x = out;
    return q->dim == 2 ? ss_expression_read(r, q->expected, q->value, &x[2])
                       : ss_expressions_read(r, q->expected, q->value, 3, x);
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

/* a body that was read, or a node of a flexible body */
static bool has_body(const ss_reader *r, const char *name)
{
    return ss_name_table_has(&r->bodies, name) || (r->scene->meshes > 0 && ss_scene_has_body(r->scene, name));
}

static ss_status read_body(ss_reader *r, const request *q, void *out)
{
    const char **name = out;
    SS_TRY(read_name(r, q, name));
    if (strcmp(*name, "world") == 0) {
        return SS_OK;
    }
    SS_TRY(ss_scope_find(r, *name, has_body, name));
    return has_body(r, *name) ? SS_OK : unknown_body(r, *name);
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
    { .name = "position", .type = SS_FIELD_EXPR_T, .offset = offsetof(ss_motor_desc, position), .doc = "target of a servo" },
    { .name = "stiffness",
      .type = SS_FIELD_NUMBER,
      .offset = offsetof(ss_motor_desc, stiffness),
      .min = 0,
      .max = INFINITY,
      .doc = "force per distance from the position" },
    { .name = "damping",
      .type = SS_FIELD_NUMBER,
      .offset = offsetof(ss_motor_desc, damping),
      .min = 0,
      .max = INFINITY,
      .doc = "force per distance from the speed" },
    { .name = "max",
      .type = SS_FIELD_NUMBER,
      .offset = offsetof(ss_motor_desc, max),
      .min = 0,
      .max = INFINITY,
      .flags = SS_FIELD_OPEN_MIN,
      .doc = "bound on the force that holds the speed or the position" },
    SS_FIELD_END,
};

static ss_status read_motor(ss_reader *r, const request *q, void *out)
{
    static const char *const targets[] = { "speed", "force", "position" };
    int count = 0;
    if (!json_is_object(q->value)) {
        return ss_reader_expected(r, q->expected, q->value);
    }
    SS_TRY(ss_fields_read(r, q->value, motor_fields, NULL, out));
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        count += json_object_get(q->value, targets[k]) != NULL;
    }
    return count == 1 ? SS_OK : ss_reader_expected(r, q->expected, q->value);
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

/* keys that are neither fields of this dimension nor extra; items of lists may be replicated */
static ss_status check_keys(ss_reader *r, const char *kind, const json_t *object, const ss_field *fields,
                            const char *const *extra)
{
    const char *names[SS_MAX_FIELDS + 1];
    int n = 0;
    if (kind) {
        names[n++] = "replicate";
    }
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

/* the path of a key, which says where its value comes from */
static size_t enter_key(ss_reader *r, const json_t *object, const json_t *value, const char *key)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s", key, value && !json_object_get(object, key) ? " (from defaults)" : "");
    return ss_path_key(r, text);
}

ss_status ss_item_read(ss_reader *r, const char *kind, const json_t *item, const ss_field *fields, const char *const *extra,
                       void *out)
{
    if (!json_is_object(item)) {
        return ss_reader_expected(r, "an object {..}", item);
    }
    SS_TRY(check_keys(r, kind, item, fields, extra));
    for (const ss_field *f = fields; f->name; f++) {
        const bool applies = ss_field_applies(f, r->dimension);
        const json_t *value = applies ? ss_item_value(r, kind, item, f->name) : NULL;
        if (!value && !(applies && (f->flags & SS_FIELD_REQUIRED))) {
            continue;
        }
        size_t mark = enter_key(r, item, value, f->name);
        SS_TRY(ss_field_read(r, f, value, out));
        ss_path_back(r, mark);
    }
    return SS_OK;
}

ss_status ss_fields_read(ss_reader *r, const json_t *object, const ss_field *fields, const char *const *extra, void *out)
{
    return ss_item_read(r, NULL, object, fields, extra, out);
}
