/* acting_rows.h - which rows act on a body: contacts, or joint rows, listed by the blocks of a problem's scale. */
#ifndef SS_ACTING_ROWS_H
#define SS_ACTING_ROWS_H

#include "base/base.h"
#include "math/matrix.h"
#include "problem/groups.h"

/* Groups of rows (contacts; joint rows one by one), each with its blocks, and the same by block. */
typedef struct ss_acting_rows {
    ss_row_shares shares;
    double *root;     /* of every share: sqrt(x)                            */
    int *group;       /* of every share                                     */
    ss_groups blocks; /* of every block its shares, in the order of groups  */
} ss_acting_rows;

/* A matrix R of such rows, and what they act on. */
typedef struct ss_acting_matrix {
    const ss_acting_rows *rows;
    const ss_csr *R;
    const int *row; /* first row of every group, and the end of the last; NULL: each row is one */
    const ss_blockdiag *B;
} ss_acting_matrix;

/* root, group and blocks of rows of so many groups, whose shares are known, on so many blocks. The arrays live in the arena. */
ss_status ss_acting_rows_list(const ss_context *ctx, ss_arena *arena, int groups, int blocks, ss_acting_rows *rows);

/* Have all rows of a group entries in the same columns? False: they need not. */
static inline bool ss_acting_rows_are_alike(const ss_acting_rows *rows, int group)
{
    const int first = rows->shares.first[group];
    return first < rows->shares.first[group + 1] && rows->shares.at[first] >= 0;
}

/* y <- y + R' x, but only velocities of one block; the sum is that of ss_csr_transpose_times, to the bit */
void ss_acting_add(const ss_acting_matrix *m, int block, const double *x, double *y);
/* of all blocks, on the context's threads */
void ss_acting_add_all(const ss_context *ctx, const ss_acting_matrix *m, const double *x, double *y);

#endif
