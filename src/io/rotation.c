/* rotation.c - an orientation in 3D as a scene may write it: four ways to say one rotation R, which turns coordinates of what
 * is placed (a body, a shape, a group) into those of what it is placed in.
 *
 *   [w, x, y, z]                              a quaternion of any length but 0
 *   {"axis": n, "angle": a}                   R = c 1 + s [n]x + (1 - c) n n',  c = cos a, s = sin a, n of any length but 0
 *   {"euler": [a, b, c], "order": "xyz"}      R = R_x(a) R_y(b) R_z(c): turns about its own axes, one after the other, each
 *                                             about an axis that the turns before have turned
 *   {"matrix": [[..], [..], [..]]}            R itself, row by row: its columns are the axes of what is placed
 *
 * The quaternion and the matrix are made side by side from sines and cosines, so that a turn about an axis of coordinates is
 * exact where the others are 0. */
#include "io/authoring.h"

#include "base/tolerances.h"

enum { AXES = 3 };

static ss_vec3 axis_vector(int axis) { return ss_v3(axis == 0, axis == 1, axis == 2); }

/* by the angle about the unit vector n */
static ss_rotation turn_about(ss_vec3 n, double angle)
{
    const double c = cos(angle), s = sin(angle), k = 1 - c, half = sin(0.5 * angle);
    return (ss_rotation){ .q = { cos(0.5 * angle), half * n.x, half * n.y, half * n.z },
                          .R = { { { c + k * n.x * n.x, k * n.x * n.y + s * n.z, k * n.x * n.z - s * n.y },
                                   { k * n.x * n.y - s * n.z, c + k * n.y * n.y, k * n.y * n.z + s * n.x },
                                   { k * n.x * n.z + s * n.y, k * n.y * n.z - s * n.x, c + k * n.z * n.z } } } };
}

ss_rotation ss_rotation_identity(void) { return (ss_rotation){ .q = { 1, 0, 0, 0 }, .R = ss_mat3_identity() }; }

ss_rotation ss_rotation_about_z(double angle) { return turn_about(axis_vector(2), angle); }

ss_rotation ss_rotation_compose(const ss_rotation *a, const ss_rotation *b)
{
    double q[4];
    ss_quat_to(ss_quat_product(a->q, b->q), q);
    ss_normalise(q, 4);
    return (ss_rotation){ .q = ss_quat_from(q), .R = ss_compose(a->R, b->R) };
}

/* ---- one function for each way --------------------------------------------------------------------------- */

static ss_status read_quaternion(ss_reader *r, const char *expected, const json_t *value, ss_rotation *out)
{
    double q[4];
    SS_TRY(ss_numbers_read(r, expected, value, 4, q));
    if (!ss_normalise(q, 4)) {
        return ss_reader_expected(r, expected, value);
    }
    out->q = ss_quat_from(q);
    out->R = ss_quat_matrix(out->q);
    return SS_OK;
}

static ss_status read_axis_angle(ss_reader *r, const json_t *value, ss_rotation *out)
{
    static const char *const keys[] = { "axis", "angle", NULL };
    const json_t *axis = json_object_get(value, "axis");
    double n[AXES], angle;
    SS_TRY(ss_reader_keys(r, value, keys));
    size_t mark = ss_path_key(r, "axis");
    SS_TRY(ss_numbers_read(r, "a list of 3 numbers, not all zero", axis, AXES, n));
    if (!ss_normalise(n, AXES)) {
        return ss_reader_expected(r, "a list of 3 numbers, not all zero", axis);
    }
    ss_path_back(r, mark);
    mark = ss_path_key(r, "angle");
    SS_TRY(ss_number_read(r, "a number", json_object_get(value, "angle"), &angle));
    ss_path_back(r, mark);
    *out = turn_about(ss_v3_from(n), angle);
    return SS_OK;
}

/* "xyz": the numbers 0, 1, 2 of the axes, no two neighbours alike */
static ss_status read_order(ss_reader *r, const json_t *value, int axis[AXES])
{
    const char *word = value ? json_string_value(value) : "xyz";
    bool good = word && strlen(word) == AXES && strspn(word, "xyz") == AXES && word[0] != word[1] && word[1] != word[2];
    size_t mark = ss_path_key(r, "order");
    if (!good) {
        return ss_reader_expected(r, "three axes such as \"xyz\", \"zyx\" or \"zxz\", no two neighbours alike", value);
    }
    ss_path_back(r, mark);
    for (int k = 0; k < AXES; k++) {
        axis[k] = word[k] - 'x';
    }
    return SS_OK;
}

static ss_status read_euler(ss_reader *r, const json_t *value, ss_rotation *out)
{
    static const char *const keys[] = { "euler", "order", NULL };
    double angle[AXES];
    int axis[AXES];
    SS_TRY(ss_reader_keys(r, value, keys));
    size_t mark = ss_path_key(r, "euler");
    SS_TRY(ss_numbers_read(r, "a list of 3 angles", json_object_get(value, "euler"), AXES, angle));
    ss_path_back(r, mark);
    SS_TRY(read_order(r, json_object_get(value, "order"), axis));
    *out = ss_rotation_identity();
    for (int k = 0; k < AXES; k++) {
        const ss_rotation turn = turn_about(axis_vector(axis[k]), angle[k]);
        *out = ss_rotation_compose(out, &turn);
    }
    return SS_OK;
}

/* its columns are perpendicular unit vectors that make a right-handed frame */
static bool is_rotation(ss_mat3 R)
{
    double worst = fabs(ss_dot(ss_cross(R.c[0], R.c[1]), R.c[2]) - 1);
    for (int i = 0; i < AXES; i++) {
        for (int j = i; j < AXES; j++) {
            const double error = fabs(ss_dot(R.c[i], R.c[j]) - (i == j));
            worst = error > worst ? error : worst;
        }
    }
    return worst <= SS_TOL_ROTATION;
}

static ss_status read_matrix(ss_reader *r, const json_t *value, ss_rotation *out)
{
    static const char *const keys[] = { "matrix", NULL };
    static const char expected[] = "3 rows of 3 numbers";
    const json_t *rows = json_object_get(value, "matrix");
    double x[AXES][AXES];
    SS_TRY(ss_reader_keys(r, value, keys));
    size_t mark = ss_path_key(r, "matrix");
    if (!json_is_array(rows) || json_array_size(rows) != AXES) {
        return ss_reader_expected(r, expected, rows);
    }
    for (size_t k = 0; k < AXES; k++) {
        size_t inner = ss_path_index(r, k);
        SS_TRY(ss_numbers_read(r, "a row of 3 numbers", json_array_get(rows, k), AXES, x[k]));
        ss_path_back(r, inner);
    }
    for (int k = 0; k < AXES; k++) {
        out->R.c[k] = ss_v3(x[0][k], x[1][k], x[2][k]);
    }
    if (!is_rotation(out->R)) {
        return ss_reader_fail(r, "not a rotation: its columns must be perpendicular unit vectors, right-handed, to %g",
                              SS_TOL_ROTATION);
    }
    ss_path_back(r, mark);
    out->q = ss_quat_of_matrix(out->R);
    out->R = ss_quat_matrix(out->q); /* the digits that were left out are made up for */
    return SS_OK;
}

ss_status ss_rotation_read(ss_reader *r, const char *expected, const json_t *value, ss_rotation *out)
{
    if (json_is_array(value)) {
        return read_quaternion(r, expected, value, out);
    }
    if (json_object_get(value, "axis") || json_object_get(value, "angle")) {
        return read_axis_angle(r, value, out);
    }
    if (json_object_get(value, "euler")) {
        return read_euler(r, value, out);
    }
    return json_object_get(value, "matrix") ? read_matrix(r, value, out) : ss_reader_expected(r, expected, value);
}
