/* sparse_read.c - sparse matrices of FCLIB files.
 *
 *   nz = -2   by rows:     row k has entries p[k] .. p[k+1]-1, columns i, values x
 *   nz = -1   by columns:  column k has entries p[k] .. p[k+1]-1, rows i, values x
 *   nz >= 0   triplets:    entry k is in row i[k] and column p[k] (the comment in FCLIB's header says the reverse)
 *
 * The arrays may be longer than the entries in use (nzmax). What is not stored the way it is wanted is sorted by columns,
 * then by rows, keeping the order of equals: linear in entries, rows and columns. */
#include "io/sparse_read.h"

#include <stdio.h>

enum { NAME = 256 };

/* a matrix as the file has it */
typedef struct stored {
    int m, n, nz;
    int entries; /* in use                                 */
    int *p, *i;
    double *x;
} stored;

static void name_of(char *text, const char *group, const char *item) { snprintf(text, NAME, "%s/%s", group, item); }

/* ---- building ---------------------------------------------------------------------------------- */

/* order <- the entries sorted by key, equals in the order of `from` (NULL: 0, 1, 2, ..) */
static ss_status sort_by(ss_arena *arena, int keys, int entries, const int *key, const int *from, int *order)
{
    int *next;
    SS_TRY(ss_arena_take(arena, (size_t)keys + 1, sizeof *next, &next));
    for (int e = 0; e < entries; e++) {
        next[key[e] + 1]++;
    }
    for (int k = 0; k < keys; k++) {
        next[k + 1] += next[k];
    }
    for (int e = 0; e < entries; e++) {
        int entry = from ? from[e] : e;
        order[next[key[entry]]++] = entry;
    }
    return SS_OK;
}

ss_status ss_sparse_build(ss_arena *arena, int m, int n, int entries, const int *row, const int *column, const double *x,
                          ss_csr *out)
{
    int *by_column, *by_row, used = 0;
    *out = (ss_csr){ .m = m, .n = n };
    SS_TRY(ss_arena_take(arena, (size_t)entries, sizeof *by_column, &by_column));
    SS_TRY(ss_arena_take(arena, (size_t)entries, sizeof *by_row, &by_row));
    SS_TRY(ss_arena_take(arena, (size_t)m + 1, sizeof *out->p, &out->p));
    SS_TRY(ss_arena_take(arena, (size_t)entries, sizeof *out->i, &out->i));
    SS_TRY(ss_arena_take(arena, (size_t)entries, sizeof *out->x, &out->x));
    SS_TRY(sort_by(arena, n, entries, column, NULL, by_column));
    SS_TRY(sort_by(arena, m, entries, row, by_column, by_row));
    for (int e = 0; e < entries; e++) {
        int entry = by_row[e];
        bool same = e > 0 && row[by_row[e - 1]] == row[entry] && column[by_row[e - 1]] == column[entry];
        used += !same;
        out->i[used - 1] = column[entry];
        out->x[used - 1] = same ? out->x[used - 1] + x[entry] : x[entry];
        out->p[row[entry] + 1] = used;
    }
    for (int k = 0; k < m; k++) { /* rows without entries */
        out->p[k + 1] = out->p[k + 1] > out->p[k] ? out->p[k + 1] : out->p[k];
    }
    return SS_OK;
}

/* ---- what the file has ------------------------------------------------------------------------- */

static ss_status check_starts(const ss_h5_source *s, const char *name, int lines, int given, const stored *a)
{
    if (given != lines + 1) {
        return ss_h5_refuse(s, name, "has %d numbers, expected %d", given, lines + 1);
    }
    for (int k = 0; k <= lines; k++) {
        if (a->p[k] < (k > 0 ? a->p[k - 1] : 0) || (k == 0 && a->p[0] != 0)) {
            return ss_h5_refuse(s, name, "number %d is %d, expected 0 first and then no less than before", k, a->p[k]);
        }
    }
    return SS_OK;
}

static ss_status check_indices(const ss_h5_source *s, const char *group, const char *item, int n, const int *index, int below)
{
    char name[NAME];
    name_of(name, group, item);
    for (int k = 0; k < n; k++) {
        if (index[k] < 0 || index[k] >= below) {
            return ss_h5_refuse(s, name, "number %d is %d, expected 0 to %d", k, index[k], below - 1);
        }
    }
    return SS_OK;
}

static ss_status check_enough(const ss_h5_source *s, const char *group, const char *item, int given, int entries)
{
    char name[NAME];
    name_of(name, group, item);
    return given >= entries ? SS_OK : ss_h5_refuse(s, name, "has %d numbers, expected at least %d", given, entries);
}

static ss_status check_stored(const ss_h5_source *s, const char *group, const int given[3], stored *a)
{
    char name[NAME];
    int lines = a->nz == -1 ? a->n : a->m, below = a->nz == -1 ? a->m : a->n;
    name_of(name, group, "p");
    if (a->nz < 0) {
        SS_TRY(check_starts(s, name, lines, given[0], a));
        a->entries = a->p[lines];
    } else {
        a->entries = a->nz;
        SS_TRY(check_enough(s, group, "p", given[0], a->entries));
        SS_TRY(check_indices(s, group, "p", a->entries, a->p, a->n));
        below = a->m;
    }
    SS_TRY(check_enough(s, group, "i", given[1], a->entries));
    SS_TRY(check_enough(s, group, "x", given[2], a->entries));
    return check_indices(s, group, "i", a->entries, a->i, below);
}

static ss_status read_stored(const ss_h5_source *s, const char *group, stored *a)
{
    struct {
        const char *name;
        int *out;
    } size[] = { { "m", &a->m }, { "n", &a->n }, { "nz", &a->nz } };
    char name[NAME];
    int given[3];
    for (int k = 0; k < 3; k++) {
        name_of(name, group, size[k].name);
        SS_TRY(ss_h5_read_whole(s, name, size[k].out));
        if (*size[k].out < (k == 2 ? -2 : 0)) {
            return ss_h5_refuse(s, name, "is %d, expected %s", *size[k].out, k == 2 ? "-2, -1 or entries >= 0" : "a size >= 0");
        }
    }
    name_of(name, group, "p");
    SS_TRY(ss_h5_read_wholes(s, name, &given[0], &a->p));
    name_of(name, group, "i");
    SS_TRY(ss_h5_read_wholes(s, name, &given[1], &a->i));
    name_of(name, group, "x");
    SS_TRY(ss_h5_read_numbers(s, name, &given[2], &a->x));
    return check_stored(s, group, given, a);
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* the line of every entry of a matrix stored by lines */
static ss_status expand(ss_arena *arena, const stored *a, int lines, int **line)
{
    SS_TRY(ss_arena_take(arena, (size_t)a->entries, sizeof **line, line));
    for (int k = 0; k < lines; k++) {
        for (int e = a->p[k]; e < a->p[k + 1]; e++) {
            (*line)[e] = k;
        }
    }
    return SS_OK;
}

ss_status ss_sparse_read(const ss_h5_source *s, const char *name, bool transposed, int m, int n, ss_csr *out)
{
    stored a = { 0 };
    int *row = NULL, *column = NULL;
    SS_TRY(read_stored(s, name, &a));
    int rows = transposed ? a.n : a.m, columns = transposed ? a.m : a.n;
    if (rows != m || columns != n) {
        return ss_h5_refuse(s, name, "is %d x %d, expected %d x %d", a.m, a.n, transposed ? n : m, transposed ? m : n);
    }
    if (a.nz == (transposed ? -1 : -2)) {
        *out = (ss_csr){ .m = m, .n = n, .p = a.p, .i = a.i, .x = a.x };
        return SS_OK;
    }
    if (a.nz >= 0) {
        row = a.i;
        column = a.p;
    } else {
        SS_TRY(expand(s->arena, &a, a.nz == -1 ? a.n : a.m, a.nz == -1 ? &column : &row));
        *(a.nz == -1 ? &row : &column) = a.i;
    }
    return ss_sparse_build(s->arena, m, n, a.entries, transposed ? column : row, transposed ? row : column, a.x, out);
}
