/* check.c - a part of a scene against its field table, whoever filled it in.
 *
 * Readers of files check what they read; a scene may also come from C. So every part is compared with the same
 * table once more before it is compiled: missing, NaN, infinite, out of range, components that the
 * dimension does not have. Messages name the part by its path: "bodies.ball.mass: expected a number > 0, got -1". */
#include "model/fields.h"
#include <math.h>
#include <stdio.h>

void ss_part_path(char *path, size_t size, const char *list, const char *name, int index)
{
    if (name && *name) {
        snprintf(path, size, "%s.%.80s", list, name);
    } else {
        snprintf(path, size, "%s.%d", list, index);
    }
}

/* what is being looked at */
typedef struct item {
    ss_context *ctx;
    const ss_field *field;
    const char *path;
    int dimension;
} item;

static ss_status wrong(const item *x, const char *expected, double got)
{
    if (isnan(got) && (x->field->flags & SS_FIELD_REQUIRED)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: missing, expected %s", x->path, x->field->name, expected);
    }
    return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: expected %s, got %g", x->path, x->field->name, expected, got);
}

static void range_text(const ss_field *f, char *text, size_t size)
{
    bool low = isfinite(f->min), high = isfinite(f->max), open = f->flags & SS_FIELD_OPEN_MIN;
    if (low && high) {
        snprintf(text, size, "a number in %c%g, %g]", open ? '(' : '[', f->min, f->max);
    } else if (low) {
        snprintf(text, size, "a number %s %g", open ? ">" : ">=", f->min);
    } else {
        snprintf(text, size, high ? "a number <= %g" : "a finite number", f->max);
    }
}

static ss_status check_number(const item *x, double value)
{
    const ss_field *f = x->field;
    char expected[96];
    bool optional = isnan(f->def) && !(f->flags & SS_FIELD_REQUIRED);
    bool above = (f->flags & SS_FIELD_OPEN_MIN) ? value > f->min : value >= f->min;
    if ((isnan(value) && optional) || (isfinite(value) && above && value <= f->max)) {
        return SS_OK;
    }
    range_text(f, expected, sizeof expected);
    return wrong(x, expected, value);
}

/* `count` finite numbers; in 2D what is beyond them must be zero */
static ss_status check_vector(const item *x, const double *value, bool optional)
{
    if (optional && isnan(value[0]) && isnan(value[1])) {
        return SS_OK;
    }
    for (int k = 0; k < x->dimension; k++) {
        if (!isfinite(value[k])) {
            return wrong(x, x->dimension == 2 ? "2 finite numbers" : "3 finite numbers", value[k]);
        }
    }
    return x->dimension == 2 && !isnan(value[2]) && value[2] != 0 ? wrong(x, "no third component in 2D", value[2]) : SS_OK;
}

static ss_status check_direction(const item *x, const double *value)
{
    double sum = 0;
    for (int k = 0; k < x->dimension; k++) {
        sum += value[k] * value[k];
    }
    if (isfinite(sum) && sum > 0) {
        return check_vector(x, value, false);
    }
    return wrong(x, x->dimension == 2 ? "2 numbers, not all zero" : "3 numbers, not all zero", sum);
}

static ss_status check_sizes(const item *x, const double *value)
{
    if (!(x->field->flags & SS_FIELD_REQUIRED) && isnan(value[0])) {
        return SS_OK;
    }
    for (int k = 0; k < x->dimension; k++) {
        if (!(value[k] > 0 && isfinite(value[k]))) {
            return wrong(x, x->dimension == 2 ? "2 numbers > 0" : "3 numbers > 0", value[k]);
        }
    }
    return SS_OK;
}

static ss_status check_quaternion(const item *x, const double *value)
{
    double sum = value[0] * value[0] + value[1] * value[1] + value[2] * value[2] + value[3] * value[3];
    return isfinite(sum) && sum > 0 ? SS_OK : wrong(x, "4 numbers w x y z, not all zero", sum);
}

static ss_status check_spin(const item *x, const double *value)
{
    for (int k = 0; k < 3; k++) {
        if (!isfinite(value[k])) {
            return wrong(x, x->dimension == 2 ? "a finite number" : "3 finite numbers", value[k]);
        }
        if (x->dimension == 2 && k < 2 && value[k] != 0) {
            return wrong(x, "a turn about z only in 2D", value[k]);
        }
    }
    return SS_OK;
}

static ss_status check_range(const item *x, const double *value)
{
    if (!(value[0] < value[1]) || value[0] == INFINITY || value[1] == -INFINITY) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: expected [lo, hi] with lo < hi, got [%g, %g]", x->path, x->field->name,
                       value[0], value[1]);
    }
    return SS_OK;
}

static ss_status check_mu(const item *x, const double *value)
{
    for (int k = 0; k < 2; k++) {
        if (isnan(value[0]) != isnan(value[1]) || (!isnan(value[k]) && !(value[k] >= 0 && isfinite(value[k])))) {
            return wrong(x, "numbers >= 0", value[k]);
        }
    }
    if (x->dimension == 2 && !isnan(value[0]) && value[0] != value[1]) {
        return wrong(x, "one number: friction across the grain exists in 3D only", value[1]);
    }
    return SS_OK;
}

static ss_status check_choice(const item *x, int value)
{
    int count = 1;
    for (const char *c = x->field->choices; *c; c++) {
        count += *c == '|';
    }
    if (value < 0 || value >= count) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: expected one of %s, got number %d", x->path, x->field->name,
                       x->field->choices, value);
    }
    return SS_OK;
}

/* a list of `count` finite numbers that must not be empty; in 2D every third component is zero when there are points */
static ss_status check_list(const item *x, const char *expected, bool given, size_t count, const double *value, bool points)
{
    if (!given) {
        return wrong(x, expected, NAN);
    }
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(value[k])) {
            return wrong(x, "finite numbers", value[k]);
        }
        if (points && x->dimension == 2 && k % 3 == 2 && value[k] != 0) {
            return wrong(x, "no third component in 2D", value[k]);
        }
    }
    return SS_OK;
}

static ss_status check_points(const item *x, const ss_points *points)
{
    return check_list(x, "a list of points", points->n > 0 && points->x, 3 * (size_t)points->n, points->x, true);
}

static ss_status check_heights(const item *x, const ss_heights *heights)
{
    bool given = heights->rows > 0 && heights->columns > 0 && heights->z;
    if (given && x->dimension == 2 && heights->rows != 1) {
        return wrong(x, "one row of heights in 2D", heights->rows);
    }
    return check_list(x, "heights", given, (size_t)heights->rows * (size_t)heights->columns, heights->z, false);
}

static ss_status check_field(const item *x, const char *at)
{
    const double *number = (const double *)(const void *)at;
    switch (x->field->type) {
    case SS_FIELD_NUMBER:
        return check_number(x, *number);
    case SS_FIELD_CHOICE:
        return check_choice(x, *(const int *)(const void *)at);
    case SS_FIELD_VECTOR:
        return check_vector(x, number, isnan(x->field->def));
    case SS_FIELD_DIRECTION:
        return check_direction(x, number);
    case SS_FIELD_SIZES:
        return check_sizes(x, number);
    case SS_FIELD_QUATERNION:
        return check_quaternion(x, number);
    case SS_FIELD_SPIN:
        return check_spin(x, number);
    case SS_FIELD_RANGE:
        return check_range(x, number);
    case SS_FIELD_MU:
        return check_mu(x, number);
    case SS_FIELD_ANCHORS:
        SS_TRY(check_vector(x, number, false));
        return check_vector(x, number + 3, false);
    case SS_FIELD_POINTS:
        return check_points(x, (const ss_points *)(const void *)at);
    case SS_FIELD_HEIGHTS:
        return check_heights(x, (const ss_heights *)(const void *)at);
    default:
        return SS_OK; /* names, expressions and tables are looked at where they are compiled */
    }
}

ss_status ss_part_check(ss_context *ctx, const ss_field *fields, const void *part, int dimension, const char *path)
{
    for (const ss_field *f = fields; f->name; f++) {
        bool absent = (f->flags & (dimension == 2 ? SS_FIELD_ONLY_3D : SS_FIELD_ONLY_2D)) != 0;
        const item x = { ctx, f, path, dimension };
        if (!absent) {
            SS_TRY(check_field(&x, (const char *)part + f->offset));
        }
    }
    return SS_OK;
}
