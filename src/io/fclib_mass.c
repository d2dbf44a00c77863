/* fclib_mass.c - the matrix M of an FCLIB file as the A of a problem: its form, and the blocks that scale the certificate.
 *
 * The form of A: block-diagonal if M is symmetric and falls apart into blocks of at most LARGEST_BLOCK consecutive rows;
 * else symmetric or general, and the blocks that scale the certificate are those of spacedim rows (nodes), or single rows
 * if that does not divide. Symmetric means |M_ij - M_ji| <= SS_TOL_SYMMETRIC sqrt(|M_ii M_jj|). Our own files say which
 * form and which blocks it was. */
#include "io/fclib_mass.h"

#include "base/tolerances.h"
#include "io/fclib.h"
#include "io/sparse_read.h"
#include <limits.h>
#include <math.h>

enum { LARGEST_BLOCK = 64 };

/* ---- the form of A ----------------------------------------------------------------------------- */

static double diagonal(const ss_csr *A, int row)
{
    double sum = 0;
    for (int e = A->p[row]; e < A->p[row + 1]; e++) {
        sum += A->i[e] == row ? A->x[e] : 0;
    }
    return sum;
}

/* rows of A and of its transpose, both with increasing columns */
static bool same_row(const ss_csr *A, const ss_csr *T, const double *d, int row)
{
    int a = A->p[row], t = T->p[row];
    while (a < A->p[row + 1] || t < T->p[row + 1]) {
        int i = a < A->p[row + 1] ? A->i[a] : INT_MAX, j = t < T->p[row + 1] ? T->i[t] : INT_MAX, column = i < j ? i : j;
        double difference = (i == column ? A->x[a++] : 0) - (j == column ? T->x[t++] : 0);
        if (fabs(difference) > SS_TOL_SYMMETRIC * sqrt(d[row]) * sqrt(d[column])) {
            return false;
        }
    }
    return true;
}

static ss_status is_symmetric(ss_arena *arena, const ss_csr *A, bool *answer)
{
    int entries = A->p[A->m], *row;
    double *d;
    ss_csr sorted, transpose;
    SS_TRY(ss_arena_take(arena, (size_t)entries, sizeof *row, &row));
    SS_TRY(ss_arena_take(arena, (size_t)A->m, sizeof *d, &d));
    for (int k = 0; k < A->m; k++) {
        d[k] = fabs(diagonal(A, k));
        for (int e = A->p[k]; e < A->p[k + 1]; e++) {
            row[e] = k;
        }
    }
    SS_TRY(ss_sparse_build(arena, A->m, A->m, entries, row, A->i, A->x, &sorted));
    SS_TRY(ss_sparse_build(arena, A->m, A->m, entries, A->i, row, A->x, &transpose));
    *answer = true;
    for (int k = 0; k < A->m && *answer; k++) {
        *answer = same_row(&sorted, &transpose, d, k);
    }
    return SS_OK;
}

/* the finest blocks of consecutive rows that no entry of a symmetric matrix leaves; the largest size */
static int find_blocks(const ss_csr *A, int *size, int *blocks)
{
    int begin = 0, reach = 0, largest = 0;
    *blocks = 0;
    for (int row = 0; row < A->m; row++) {
        reach = row > reach ? row : reach;
        for (int e = A->p[row]; e < A->p[row + 1]; e++) {
            reach = A->x[e] != 0 && A->i[e] > reach ? A->i[e] : reach;
        }
        if (reach == row) {
            size[(*blocks)++] = row + 1 - begin;
            largest = row + 1 - begin > largest ? row + 1 - begin : largest;
            begin = row + 1;
        }
    }
    return largest;
}

static void equal_blocks(int n, int each, int *size, int *blocks)
{
    each = each > 0 && n % each == 0 ? each : 1;
    *blocks = n / each;
    for (int k = 0; k < *blocks; k++) {
        size[k] = each;
    }
}

/* form of A and sizes of the blocks, from the matrix alone */
static ss_status choose_form(const ss_fclib_mass *x, const ss_csr *A, ss_fclib_form *form, int *size, int *blocks)
{
    bool symmetric;
    SS_TRY(is_symmetric(x->source->arena, A, &symmetric));
    *form = symmetric ? SS_FCLIB_SYMMETRIC : SS_FCLIB_GENERAL;
    if (symmetric && find_blocks(A, size, blocks) <= LARGEST_BLOCK && A->m <= INT_MAX / LARGEST_BLOCK) {
        *form = SS_FCLIB_BLOCKS;
    } else {
        equal_blocks(A->m, x->p->dimension, size, blocks);
    }
    return SS_OK;
}

/* the same as our own files have them */
static ss_status read_own_form(const ss_fclib_mass *x, ss_fclib_form *form, int **size, int *blocks)
{
    const ss_h5_source *s = x->source;
    int kind, rows = 0, numbers = 0;
    SS_TRY(ss_h5_read_whole(s, "slipstick/kind", &kind));
    if (kind < 0 || kind > SS_FCLIB_GENERAL) {
        return ss_h5_refuse(s, "slipstick/kind", "is %d, expected 0 to %d", kind, SS_FCLIB_GENERAL);
    }
    *form = (ss_fclib_form)kind;
    SS_TRY(ss_h5_read_wholes(s, "slipstick/block", blocks, size));
    for (int k = 0; k < *blocks; k++) {
        int n = (*size)[k];
        if (n < 0 || n > x->p->nv - rows || (n > 0 && n > (INT_MAX - numbers) / n) ||
            (uint64_t)(numbers + n * n) * sizeof(double) > s->most) {
            return ss_h5_refuse(s, "slipstick/block", "block %d has %d rows, expected blocks of %d rows together", k, n,
                                x->p->nv);
        }
        rows += n;
        numbers += n * n;
    }
    return rows == x->p->nv ? SS_OK : ss_h5_refuse(s, "slipstick/block", "covers %d rows, expected %d", rows, x->p->nv);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static ss_status lay_out(const ss_fclib_mass *x, const int *size, int blocks, int **block_of, int *numbers)
{
    ss_arena *arena = x->source->arena;
    int *offset, *start, row = 0;
    *numbers = 0;
    SS_TRY(ss_arena_take(arena, (size_t)blocks, sizeof *offset, &offset));
    SS_TRY(ss_arena_take(arena, (size_t)blocks, sizeof *start, &start));
    SS_TRY(ss_arena_take(arena, (size_t)x->p->nv, sizeof **block_of, block_of));
    for (int k = 0; k < blocks; k++) {
        offset[k] = row;
        start[k] = *numbers;
        for (int i = 0; i < size[k]; i++) {
            (*block_of)[row++] = k;
        }
        *numbers += size[k] * size[k];
    }
    x->p->scale = (ss_blockdiag){ .blocks = blocks, .n = x->p->nv, .offset = offset, .size = size, .start = start };
    return SS_OK;
}

static double *place(const ss_blockdiag *M, int block, int row, int column)
{
    int at = M->offset[block];
    return &M->x[M->start[block] + (row - at) * M->size[block] + column - at];
}

/* M itself, or the blocks of its symmetric part */
static ss_status fill_blocks(const ss_fclib_mass *x, const ss_csr *A, bool whole, const int *block_of)
{
    const ss_blockdiag *M = &x->p->scale;
    for (int row = 0; row < A->m; row++) {
        for (int e = A->p[row]; e < A->p[row + 1]; e++) {
            int block = block_of[row], column = A->i[e];
            if (block_of[column] != block) {
                if (whole && A->x[e] != 0) {
                    return ss_h5_refuse(x->source, "slipstick/block", "entry %d, %d of M lies outside the blocks", row, column);
                }
            } else if (whole) {
                *place(M, block, row, column) += A->x[e];
            } else {
                *place(M, block, row, column) += 0.5 * A->x[e];
                *place(M, block, column, row) += 0.5 * A->x[e];
            }
        }
    }
    return SS_OK;
}

ss_status ss_fclib_read_mass(const ss_fclib_mass *x)
{
    ss_problem *p = x->p;
    ss_csr A;
    ss_fclib_form form = SS_FCLIB_GENERAL;
    int *size, *block_of, blocks, numbers;
    SS_TRY(ss_sparse_read(x->source, x->name, false, p->nv, p->nv, &A));
    SS_TRY(ss_arena_take(x->source->arena, (size_t)p->nv, sizeof *size, &size));
    if (x->own && ss_h5_exists(x->source, "slipstick/block")) {
        SS_TRY(read_own_form(x, &form, &size, &blocks));
    } else {
        SS_TRY(choose_form(x, &A, &form, size, &blocks));
    }
    SS_TRY(lay_out(x, size, blocks, &block_of, &numbers));
    p->A.symmetric = form != SS_FCLIB_GENERAL;
    if (form != SS_FCLIB_BLOCKS) {
        p->A.sparse = A;
    }
    if (form != SS_FCLIB_BLOCKS && x->own && ss_h5_exists(x->source, "slipstick/scale")) {
        return ss_h5_read_n_numbers(x->source, "slipstick/scale", numbers, &p->scale.x);
    }
    SS_TRY(ss_arena_take(x->source->arena, (size_t)numbers, sizeof *p->scale.x, &p->scale.x));
    SS_TRY(fill_blocks(x, &A, form == SS_FCLIB_BLOCKS, block_of));
    p->A.diagonal = form == SS_FCLIB_BLOCKS ? p->scale : p->A.diagonal;
    return SS_OK;
}
