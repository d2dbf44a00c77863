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
} list_job;

static void list_groups(void *data, int begin, int end)
{
    const list_job *job = data;
    ss_acting_rows *rows = job->rows;
    for (int g = begin; g < end; g++) {
        for (int e = rows->shares.first[g]; e < rows->shares.first[g + 1]; e++) {
            rows->root[e] = sqrt(rows->shares.x[e]);
            rows->group[e] = g;
        }
        rows->rigid[g] = ss_acting_is_rigid(job->m, g);
    }
}

ss_status ss_acting_rows_list(const ss_context *ctx, ss_arena *arena, int groups, const ss_acting_matrix *m, ss_acting_rows *rows)
{
    enum { GRAIN = 1024 };
    const int n = rows->shares.first[groups];
    list_job job = { m, rows };
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *rows->root, &rows->root));
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *rows->group, &rows->group));
    SS_TRY(ss_arena_take_raw(arena, (size_t)groups, sizeof *rows->rigid, &rows->rigid));
    ss_parallel_for(ctx, groups, GRAIN, list_groups, &job);
    return ss_groups_make(arena, m->B->blocks, n, rows->shares.block, &rows->blocks);
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

/* the rows of one share */
static void add_share(const ss_acting_matrix *m, int share, int first, int n, const double *x, double *y)
{
    const ss_acting_rows *rows = m->rows;
    const int group = rows->group[share], begin = first_row(m, group), end = first_row(m, group + 1), at = rows->shares.at[share];
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

/* Of a rigid body: its six sums stay in registers, from one contact to the next. */
static void add_rigid(const ss_acting_matrix *m, int block, int first, const double *x, double *y)
{
    const ss_acting_rows *rows = m->rows;
    const int *p = m->R->p;
    double sum[6];
    memcpy(sum, y + first, sizeof sum);
    for (int k = rows->blocks.first[block], last = rows->blocks.first[block + 1]; k < last; k++) {
        const int e = rows->blocks.item[k], group = rows->group[e];
        if (rows->rigid[group]) {
            const int top = m->row[group];
            add_three(m->R->x + p[top] + rows->shares.at[e], p[top + 1] - p[top], x + top, sum);
        } else {
            memcpy(y + first, sum, sizeof sum);
            add_share(m, e, first, 6, x, y);
            memcpy(sum, y + first, sizeof sum);
        }
    }
    memcpy(y + first, sum, sizeof sum);
}

void ss_acting_add(const ss_acting_matrix *m, int block, const double *x, double *y)
{
    const ss_groups *of = &m->rows->blocks;
    const int first = m->B->offset[block], n = m->B->size[block];
    if (n == 6) {
        add_rigid(m, block, first, x, y);
        return;
    }
    for (int k = of->first[block]; k < of->first[block + 1]; k++) {
        add_share(m, of->item[k], first, n, x, y);
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
