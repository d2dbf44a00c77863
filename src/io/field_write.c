/* field_write.c - structs into JSON values, the mirror of field_read.c.
 *
 * What was never given (NAN, a NULL text, an empty table) is left out; defaults are written. Numbers keep
 * 17 digits, so that reading gives the same bits. */
#include "io/json.h"

#include "base/options.h"
#include <math.h>
#include <stdio.h>

/* ---- values; NULL: out of memory --------------------------------------------------------------- */

static json_t *list_value(const double *x, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        if (json_array_append_new(list, json_real(x[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *texts_value(const char *const *text, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        if (json_array_append_new(list, json_string(text[k] ? text[k] : "0")) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *choice_value(const ss_field *f, int index)
{
    char text[64];
    ss_choice_text(f->choices, index, text, sizeof text);
    return json_string(text);
}

static json_t *range_value(const double *x)
{
    json_t *list = json_array();
    for (int k = 0; k < 2; k++) {
        if (json_array_append_new(list, isfinite(x[k]) ? json_real(x[k]) : json_null()) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *anchors_value(const double (*point)[3], int dimension)
{
    return json_pack("[o,o]", list_value(point[0], dimension), list_value(point[1], dimension));
}

static json_t *inertia_value(const double *x)
{
    bool diagonal = x[3] == 0 && x[4] == 0 && x[5] == 0;
    return list_value(x, diagonal ? 3 : 6);
}

/* rows of 3 numbers, or of the last one alone */
static json_t *rows_value(const double *x, int rows, bool last_only, int dimension)
{
    json_t *list = json_array();
    for (int k = 0; k < rows; k++) {
        json_t *row = last_only ? json_real(x[3 * k + 2]) : list_value(x + 3 * k, dimension);
        if (json_array_append_new(list, row) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *table_value(const ss_table *table, int dimension)
{
    return json_pack("{s:o, s:o, s:o}", "t", list_value(table->t, table->rows), "force",
                     rows_value(table->force, table->rows, false, dimension), "torque",
                     rows_value(table->torque, table->rows, dimension == 2, 3));
}

/* 2D: the heights themselves; 3D: row by row */
static json_t *heights_value(const ss_heights *heights, int dimension)
{
    if (dimension == 2) {
        return list_value(heights->z, heights->columns);
    }
    json_t *list = json_array();
    for (int k = 0; k < heights->rows; k++) {
        const double *row = heights->z + (size_t)k * (size_t)heights->columns;
        if (json_array_append_new(list, list_value(row, heights->columns)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *motor_value(const ss_motor_desc *motor)
{
    const struct {
        const char *key, *text;
    } target[] = { { "speed", motor->speed }, { "force", motor->force }, { "position", motor->position } };
    const struct {
        const char *key;
        double value, none;
    } number[] = { { "stiffness", motor->stiffness, 0 }, { "damping", motor->damping, 0 }, { "max", motor->max, INFINITY } };
    json_t *object = json_object();
    for (int k = 0; k < 3; k++) {
        if (target[k].text) {
            json_object_set_new(object, target[k].key, json_string(target[k].text));
        }
    }
    for (int k = 0; k < 3; k++) {
        if (number[k].value != number[k].none) {
            json_object_set_new(object, number[k].key, json_real(number[k].value));
        }
    }
    return object;
}

/* ---- fields ------------------------------------------------------------------------------------ */

static bool any_nan(const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        if (isnan(x[k])) {
            return true;
        }
    }
    return false;
}

/* kinds that hold numbers */
static json_t *numeric_value(const ss_field *f, int dimension, const double *x)
{
    switch (f->type) {
    case SS_FIELD_NUMBER:
        return json_real(x[0]);
    case SS_FIELD_QUATERNION:
        return list_value(x, 4);
    case SS_FIELD_SPIN:
        return dimension == 2 ? json_real(x[2]) : list_value(x, 3);
    case SS_FIELD_INERTIA:
        return dimension == 2 ? json_real(x[2]) : inertia_value(x);
    case SS_FIELD_RANGE:
        return range_value(x);
    case SS_FIELD_MU:
        return x[0] == x[1] ? json_real(x[0]) : list_value(x, 2);
    case SS_FIELD_ANCHORS:
        return anchors_value((const double(*)[3])(const void *)x, dimension);
    default:
        return list_value(x, dimension);
    }
}

/* kinds that hold something else */
static json_t *other_value(const ss_field *f, int dimension, const void *at)
{
    const char *const *text = at;
    switch (f->type) {
    case SS_FIELD_INT:
        return json_integer(*(const int *)at);
    case SS_FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case SS_FIELD_CHOICE:
        return choice_value(f, *(const int *)at);
    case SS_FIELD_VECTOR_T:
        return texts_value(text, dimension);
    case SS_FIELD_SPIN_T:
        return dimension == 2 ? json_string(text[2]) : texts_value(text, 3);
    case SS_FIELD_BODIES:
    case SS_FIELD_NAMES:
        return texts_value(text, 2);
    case SS_FIELD_TABLE:
        return table_value(at, dimension);
    case SS_FIELD_MOTOR:
        return motor_value(at);
    case SS_FIELD_POINTS:
        return rows_value(((const ss_points *)at)->x, ((const ss_points *)at)->n, false, dimension);
    case SS_FIELD_HEIGHTS:
        return heights_value(at, dimension);
    default:
        return json_string(*text);
    }
}

static bool is_numeric(ss_field_type type)
{
    switch (type) {
    case SS_FIELD_NUMBER:
    case SS_FIELD_VECTOR:
    case SS_FIELD_DIRECTION:
    case SS_FIELD_SIZES:
    case SS_FIELD_QUATERNION:
    case SS_FIELD_SPIN:
    case SS_FIELD_INERTIA:
    case SS_FIELD_RANGE:
    case SS_FIELD_MU:
    case SS_FIELD_ANCHORS:
        return true;
    default:
        return false;
    }
}

/* was the field given? NAN, or a range without finite bounds, means that it was not */
static bool is_given_number(const ss_field *f, int dimension, const double *x)
{
    switch (f->type) {
    case SS_FIELD_NUMBER:
        return isfinite(x[0]);
    case SS_FIELD_RANGE:
        return isfinite(x[0]) || isfinite(x[1]);
    case SS_FIELD_SPIN:
    case SS_FIELD_INERTIA:
        return dimension == 2 ? !isnan(x[2]) : !any_nan(x, 3);
    case SS_FIELD_QUATERNION:
        return !any_nan(x, 4);
    case SS_FIELD_MU:
        return !any_nan(x, 2);
    default:
        return !any_nan(x, dimension);
    }
}

static bool is_given(const ss_field *f, int dimension, const void *at)
{
    const char *const *text = at;
    const ss_motor_desc *motor = at;
    switch (f->type) {
    case SS_FIELD_INT:
    case SS_FIELD_BOOL:
    case SS_FIELD_CHOICE:
        return true;
    case SS_FIELD_VECTOR_T:
    case SS_FIELD_SPIN_T:
        return text[0] || text[1] || text[2];
    case SS_FIELD_TABLE:
        return ((const ss_table *)at)->rows > 0;
    case SS_FIELD_MOTOR:
        return motor->speed || motor->force || motor->position;
    case SS_FIELD_POINTS:
        return ((const ss_points *)at)->n > 0;
    case SS_FIELD_HEIGHTS:
        return ((const ss_heights *)at)->rows > 0;
    default:
        return is_numeric(f->type) ? is_given_number(f, dimension, at) : *text != NULL;
    }
}

ss_status ss_fields_write(ss_context *ctx, json_t *object, const ss_field *fields, int dimension, const void *from)
{
    for (const ss_field *f = fields; f && f->name; f++) {
        const void *at = (const char *)from + f->offset;
        if (!ss_field_applies(f, dimension) || !is_given(f, dimension, at)) {
            continue;
        }
        json_t *value = is_numeric(f->type) ? numeric_value(f, dimension, at) : other_value(f, dimension, at);
        if (json_object_set_new(object, f->name, value) != 0) {
            return ss_fail(ctx, SS_ERR_MEMORY, "out of memory while writing \"%s\"", f->name);
        }
    }
    return SS_OK;
}

ss_status ss_json_text(ss_context *ctx, json_t *value, size_t flags, char **text)
{
    char *dump = value ? json_dumps(value, flags | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    if (!dump) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory while writing JSON");
    }
    ss_status status = ss_strdup(ctx, dump, text);
    free(dump);
    return status;
}
