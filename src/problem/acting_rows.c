/* acting_rows.c - products R' x, body by body: threads that look at different bodies write different numbers.
 *
 * A body takes its rows in their order, and the entries of a row in theirs: each number is the same sum as in a loop over rows.
 * Cost   entries of the rows, once for every body that they act on */
#include "problem/acting_rows.h"

#include "base/parallel.h"

#include <math.h>

static int first_row(const ss_acting_matrix *m, int group) { return m->row ? m->row[group] : group; }

/* ---- lists ------------------------------------------------------------------------------------------- */

typedef struct list_job {
    const ss_acting_matrix *m;
    ss_acting_rows *rows;
    int *group; /* of every share */
    ss_groups by_block;
} list_job;

static void list_groups(void *data, int begin, int end)
{
    const list_job *job = data;
    ss_acting_rows *rows = job->rows;
    for (int g = begin; g < end; g++) {
        for (int e = rows->shares.first[g]; e < rows->shares.first[g + 1]; e++) {
            rows->root[e] = sqrt(rows->shares.x[e]);
            job->group[e] = g;
        }
        rows->rigid[g] = ss_acting_is_rigid(job->m, g);
    }
}

static ss_acting_part part_of(const list_job *job, int share)
{
    const ss_acting_rows *rows = job->rows;
    const int *p = job->m->R->p, group = job->group[share], row = first_row(job->m, group);
    const bool rigid = rows->rigid[group];
    return (ss_acting_part){ .root = rows->root[share],
                             .group = group,
                             .row = row,
                             .entry = rigid ? p[row] + rows->shares.at[share] : -1 - share,
                             .length = rigid ? p[row + 1] - p[row] : 0 };
}

static void list_parts(void *data, int begin, int end)
{
    const list_job *job = data;
    for (int k = begin; k < end; k++) {
        job->rows->part[k] = part_of(job, job->by_block.item[k]);
    }
}

static ss_status list_by_block(const ss_context *ctx, ss_arena *arena, int groups, list_job *job)
{
    enum { GRAIN = 1024 };
    ss_acting_rows *rows = job->rows;
    const int n = rows->shares.first[groups], blocks = job->m->B->blocks;
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *job->group, &job->group));
    ss_parallel_for(ctx, groups, GRAIN, list_groups, job);
    SS_TRY(ss_groups_make(arena, blocks, n, rows->shares.block, &job->by_block));
    memcpy(rows->first, job->by_block.first, ((size_t)blocks + 1) * sizeof *rows->first);
    ss_parallel_for(ctx, n, GRAIN, list_parts, job);
    return SS_OK;
}

ss_status ss_acting_rows_list(const ss_context *ctx, ss_arena *arena, int groups, const ss_acting_matrix *m, ss_acting_rows *rows)
{
    const size_t n = (size_t)rows->shares.first[groups];
    list_job job = { .m = m, .rows = rows };
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *rows->root, &rows->root));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *rows->part, &rows->part));
    SS_TRY(ss_arena_take_raw(arena, (size_t)m->B->blocks + 1, sizeof *rows->first, &rows->first));
    SS_TRY(ss_arena_take_raw(arena, (size_t)groups, sizeof *rows->rigid, &rows->rigid));
    const ss_arena_mark mark = ss_arena_save(arena);
    const ss_status status = list_by_block(ctx, arena, groups, &job);
    ss_arena_release(arena, mark);
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------- */

/* entries of row i in columns first .. end-1 */
static void add_row(const ss_csr *R, int i, int first, int end, double x, double *y)
{
    for (int e = R->p[i]; e < R->p[i + 1]; e++) {
        const int column = R->i[e];
        if (column >= first && column < end) {
            y[column] += x * R->x[e];
        }
    }
}

/* y += x_i times n entries that begin `at` behind the start of row i, for rows i */
static inline void add_runs(const ss_csr *R, int begin, int end, int at, int n, const double *x, double *y)
{
    for (int i = begin; i < end; i++) {
        const double *entry = R->x + R->p[i] + at;
        for (int k = 0; k < n; k++) {
            y[k] += x[i] * entry[k];
        }
    }
}

/* the rows of a part that is not rigid */
static void add_part(const ss_acting_matrix *m, const ss_acting_part *part, int first, int n, const double *x, double *y)
{
    const int begin = part->row, end = first_row(m, part->group + 1), at = m->rows->shares.at[-1 - part->entry];
    if (at >= 0) {
        add_runs(m->R, begin, end, at, n, x, y + first);
    }
    for (int i = begin; i < end && at < 0; i++) {
        add_row(m->R, i, first, first + n, x[i], y);
    }
}

/* sum += the part of a rigid body in a contact that is rigid: its three rows, of the same length, one behind the other */
static inline void add_three(const double *entry, int length, const double *x, double *sum)
{
    for (int i = 0; i < 3; i++, entry += length) {
        for (int k = 0; k < 6; k++) {
            sum[k] += x[i] * entry[k];
        }
    }
}

/* what a rigid part that is met soon needs: it lies anywhere, and comes from memory while others are added up */
static inline void expect(const ss_acting_matrix *m, const ss_acting_part *part, const double *x)
{
    for (int i = 0; i < 3 && part->entry >= 0; i++) {
        const double *entry = m->R->x + part->entry + part->length * i;
        __builtin_prefetch(entry);
        __builtin_prefetch(entry + 5);
    }
    __builtin_prefetch(x + part->row);
}

/* Of a rigid body: its six sums stay in registers, from one contact to the next. */
static void add_rigid(const ss_acting_matrix *m, int block, int first, const double *x, double *y)
{
    enum { AHEAD = 12 };
    const ss_acting_rows *rows = m->rows;
    const int parts = rows->first[m->B->blocks];
    double sum[6];
    memcpy(sum, y + first, sizeof sum);
    for (int k = rows->first[block]; k < rows->first[block + 1]; k++) {
        const ss_acting_part *part = &rows->part[k];
        expect(m, &rows->part[k + AHEAD < parts ? k + AHEAD : k], x);
        if (part->entry >= 0) {
            add_three(m->R->x + part->entry, part->length, x + part->row, sum);
        } else {
            memcpy(y + first, sum, sizeof sum);
            add_part(m, part, first, 6, x, y);
            memcpy(sum, y + first, sizeof sum);
        }
    }
    memcpy(y + first, sum, sizeof sum);
}

void ss_acting_add(const ss_acting_matrix *m, int block, const double *x, double *y)
{
    const ss_acting_rows *rows = m->rows;
    const int first = m->B->offset[block], n = m->B->size[block];
    if (n == 6) {
        add_rigid(m, block, first, x, y);
        return;
    }
    for (int k = rows->first[block]; k < rows->first[block + 1]; k++) {
        add_part(m, &rows->part[k], first, n, x, y);
    }
}

typedef struct sum_job {
    const ss_acting_matrix *m;
    const double *x;
    double *y;
} sum_job;

static void add_blocks(void *data, int begin, int end)
{
    const sum_job *job = data;
    for (int b = begin; b < end; b++) {
        ss_acting_add(job->m, b, job->x, job->y);
    }
}

void ss_acting_add_all(const ss_context *ctx, const ss_acting_matrix *m, const double *x, double *y)
{
    enum { GRAIN = 256 };
    sum_job job = { m, x, y };
    ss_parallel_for(ctx, m->B->blocks, GRAIN, add_blocks, &job);
}
