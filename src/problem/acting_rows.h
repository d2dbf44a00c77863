/* acting_rows.h - which rows act on a body: contacts, or joint rows, listed by the blocks of a problem's scale. */
#ifndef SS_ACTING_ROWS_H
#define SS_ACTING_ROWS_H

#include "base/base.h"
#include "math/matrix.h"
#include "problem/groups.h"

/* A share as its block sees it. Of a rigid group: where the entries of its first row begin in R, and the length of its rows;
 * of another one: entry -1 - share. */
typedef struct ss_acting_part {
    double root;
    int group, row; /* its first one */
    int entry, length;
} ss_acting_part;

/* Groups of rows (contacts; joint rows one by one), each with its blocks, and the same by block. */
typedef struct ss_acting_rows {
    ss_row_shares shares;
    double *root;         /* of every share: sqrt(x)                              */
    int *first;           /* of every block: its first part                       */
    ss_acting_part *part; /* the shares of each block, in the order of groups     */
    bool *rigid;          /* of every group: ss_acting_is_rigid                   */
} ss_acting_rows;

/* A matrix R of such rows, and what they act on. */
typedef struct ss_acting_matrix {
    const ss_acting_rows *rows;
    const ss_csr *R;
    const int *row; /* first row of every group, and the end of the last; NULL: each row is one */
    const ss_blockdiag *B;
} ss_acting_matrix;

/* root, first, part and rigid of m->rows, which are `rows`, so many groups whose shares are known. The arrays live in the
 * arena. */
ss_status ss_acting_rows_list(const ss_context *ctx, ss_arena *arena, int groups, const ss_acting_matrix *m,
                              ss_acting_rows *rows);

/* Is it a contact of rigid bodies: three rows, and in each of them all six columns of every body, in their order? */
bool ss_acting_is_rigid(const ss_acting_matrix *m, int group);

/* y <- y + R' x, but only velocities of one block; the sum is that of ss_csr_transpose_times, to the bit */
void ss_acting_add(const ss_acting_matrix *m, int block, const double *x, double *y);
/* of all blocks, on the context's threads */
void ss_acting_add_all(const ss_context *ctx, const ss_acting_matrix *m, const double *x, double *y);
/* out = R x of the rows of groups begin .. end-1, to the bit that of ss_csr_row_dot */
void ss_acting_times(const ss_acting_matrix *m, int begin, int end, const double *x, double *out);
/* the same but for round-off, and size = |R| |x| */
void ss_acting_times_sized(const ss_acting_matrix *m, int begin, int end, const double *x, double *out, double *size);

#endif
