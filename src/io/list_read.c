/* list_read.c - the fields of a shape that are lists of any length: points, and heights over a grid. */
#include "io/json.h"

#include <stdio.h>

enum { MOST = 10000000 }; /* points or heights of one shape */

ss_status ss_points_read(ss_reader *r, const char *expected, const json_t *value, ss_points *out)
{
    size_t n = json_array_size(value), dim = (size_t)r->dimension;
    double *x;
    if (n == 0 || n > MOST) {
        return ss_reader_expected(r, expected, value);
    }
    SS_TRY(ss_arena_take(r->arena, n, 3 * sizeof *x, &x));
    for (size_t k = 0; k < n; k++) {
        size_t mark = ss_path_index(r, k);
        const char *point = dim == 2 ? "a point of 2 numbers" : "a point of 3 numbers";
        SS_TRY(ss_numbers_read(r, point, json_array_get(value, k), dim, x + 3 * k));
        ss_path_back(r, mark);
    }
    *out = (ss_points){ (int)n, x };
    return SS_OK;
}

/* one row as long as the first */
static ss_status read_row(ss_reader *r, const json_t *row, size_t columns, double *z)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a row of %zu numbers, as the first one", columns);
    return ss_numbers_read(r, expected, row, columns, z);
}

static ss_status read_grid(ss_reader *r, const char *expected, const json_t *value, ss_heights *out)
{
    size_t rows = json_array_size(value), columns = json_array_size(json_array_get(value, 0));
    double *z;
    if (rows == 0 || columns == 0 || rows > MOST / columns) {
        return ss_reader_expected(r, expected, value);
    }
    SS_TRY(ss_arena_take(r->arena, rows * columns, sizeof *z, &z));
    for (size_t k = 0; k < rows; k++) {
        size_t mark = ss_path_index(r, k);
        SS_TRY(read_row(r, json_array_get(value, k), columns, z + k * columns));
        ss_path_back(r, mark);
    }
    *out = (ss_heights){ (int)rows, (int)columns, z };
    return SS_OK;
}

ss_status ss_heights_read(ss_reader *r, const char *expected, const json_t *value, ss_heights *out)
{
    size_t n = json_array_size(value);
    double *z;
    if (r->dimension == 3) {
        return read_grid(r, expected, value, out);
    }
    if (n == 0 || n > MOST) {
        return ss_reader_expected(r, expected, value);
    }
    SS_TRY(ss_arena_take(r->arena, n, sizeof *z, &z));
    SS_TRY(ss_numbers_read(r, expected, value, n, z));
    *out = (ss_heights){ 1, (int)n, z };
    return SS_OK;
}
