/* fields_hash.c - one number for a struct that a field table describes: texts by content, padding left out. */
#include "base/options.h"
#include <slipstick/scene.h>

static uint64_t hash_texts(uint64_t h, int n, const char *const *text)
{
    for (int i = 0; i < n; i++) { /* a text that is not given differs from an empty one */
        h = text[i] ? ss_hash(h, text[i], strlen(text[i]) + 1) : ss_hash(h, "\1", 1);
    }
    return h;
}

static uint64_t hash_table(uint64_t h, const ss_table *t)
{
    size_t rows = (size_t)t->rows;
    h = ss_hash(h, &t->rows, sizeof t->rows);
    h = t->t ? ss_hash(h, t->t, rows * sizeof(double)) : h;
    h = t->force ? ss_hash(h, t->force, 3 * rows * sizeof(double)) : h;
    return t->torque ? ss_hash(h, t->torque, 3 * rows * sizeof(double)) : h;
}

static uint64_t hash_points(uint64_t h, const ss_points *points)
{
    h = ss_hash(h, &points->n, sizeof points->n);
    return points->x ? ss_hash(h, points->x, 3 * (size_t)points->n * sizeof(double)) : h;
}

static uint64_t hash_heights(uint64_t h, const ss_heights *field)
{
    h = ss_hash(ss_hash(h, &field->rows, sizeof field->rows), &field->columns, sizeof field->columns);
    return field->z ? ss_hash(h, field->z, (size_t)field->rows * (size_t)field->columns * sizeof(double)) : h;
}

static uint64_t hash_motor(uint64_t h, const ss_motor_desc *motor)
{
    const double numbers[] = { motor->max, motor->stiffness, motor->damping };
    h = hash_texts(hash_texts(hash_texts(h, 1, &motor->speed), 1, &motor->force), 1, &motor->position);
    return ss_hash(h, numbers, sizeof numbers);
}

static uint64_t hash_field(uint64_t h, const ss_field *f, const void *object)
{
    const void *at = (const char *)object + f->offset;
    switch (f->type) {
    case SS_FIELD_NUMBER:
        return ss_hash(h, at, sizeof(double));
    case SS_FIELD_INT:
    case SS_FIELD_CHOICE:
        return ss_hash(h, at, sizeof(int));
    case SS_FIELD_BOOL:
        return ss_hash(h, at, sizeof(bool));
    case SS_FIELD_NAME:
    case SS_FIELD_EXPR_T:
    case SS_FIELD_BODY:
        return hash_texts(h, 1, at);
    case SS_FIELD_NAMES:
    case SS_FIELD_BODIES:
        return hash_texts(h, 2, at);
    case SS_FIELD_VECTOR_T:
    case SS_FIELD_SPIN_T:
        return hash_texts(h, 3, at);
    case SS_FIELD_VECTOR:
    case SS_FIELD_DIRECTION:
    case SS_FIELD_SIZES:
    case SS_FIELD_SPIN:
        return ss_hash(h, at, 3 * sizeof(double));
    case SS_FIELD_QUATERNION:
        return ss_hash(h, at, 4 * sizeof(double));
    case SS_FIELD_INERTIA:
    case SS_FIELD_ANCHORS:
        return ss_hash(h, at, 6 * sizeof(double));
    case SS_FIELD_RANGE:
    case SS_FIELD_MU:
        return ss_hash(h, at, 2 * sizeof(double));
    case SS_FIELD_TABLE:
        return hash_table(h, at);
    case SS_FIELD_MOTOR:
        return hash_motor(h, at);
    case SS_FIELD_POINTS:
        return hash_points(h, at);
    case SS_FIELD_HEIGHTS:
        return hash_heights(h, at);
    }
    return h;
}

uint64_t ss_fields_hash(uint64_t seed, const ss_field *fields, const void *object)
{
    for (; fields && fields->name; fields++) {
        seed = hash_field(seed, fields, object);
    }
    return seed;
}
