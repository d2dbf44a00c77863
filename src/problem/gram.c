/* gram.c - rows of a sparse matrix cut into dense pieces along the blocks of a block-diagonal B.
 *
 *   R_i = sum of pieces x_ib,   y_ib = B_b^-1 x_ib,   (R B^-1 Q')_ij = sum over shared blocks b of x_ib . y_jb
 *
 * This is how the joints' matrix G B^-1 G', the contacts' matrix H B^-1 H' and the scale of each row are
 * formed without a dense vector. `changed` tells whether rows touch the same blocks as in the build before, so
 * that whoever made a pattern from them can keep it.
 * Symbols     L Cholesky factor of B (same layout as ss_blockdiag)
 * Cost        nnz(R) + pieces * size^2; duplicates in a row add up; a stored zero counts as touching,
 *             so that the pattern does not change when an entry passes through zero                  */
#include "problem/gram.h"

#include "math/csr.h"

void ss_gram_free(ss_context *ctx, ss_gram *g)
{
    void *owned[] = { g->first, g->row, g->block, g->at, g->x, g->y, g->by_first, g->by, g->cut.block_of, g->cut.seen };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(ctx, owned[k]);
    }
    *g = (ss_gram){ 0 };
}

/* several arrays of ints that share one capacity */
static ss_status reserve_together(ss_context *ctx, int **arrays[], int count, int *capacity, int need)
{
    int cap = *capacity;
    for (int k = 0; k < count; k++) {
        cap = *capacity;
        SS_TRY(ss_reserve(ctx, arrays[k], &cap, need, sizeof **arrays[k]));
    }
    *capacity = cap;
    return SS_OK;
}

static ss_status map_columns(ss_context *ctx, ss_gram *g, const ss_blockdiag *M)
{
    SS_TRY(reserve_together(ctx, (int **[]){ &g->cut.block_of }, 1, &g->cap.columns, M->n));
    SS_TRY(reserve_together(ctx, (int **[]){ &g->by_first, &g->cut.seen }, 2, &g->cap.blocks, M->blocks + 1));
    for (int b = 0; b < M->blocks; b++) {
        g->cut.seen[b] = -1;
        for (int k = 0; k < M->size[b]; k++) {
            g->cut.block_of[M->offset[b] + k] = b;
        }
    }
    return SS_OK;
}

static ss_status reserve_piece(ss_context *ctx, ss_gram *g, int pieces, int entries)
{
    int cap = g->cap.entries;
    SS_TRY(reserve_together(ctx, (int **[]){ &g->row, &g->block, &g->at, &g->by }, 4, &g->cap.pieces, pieces));
    SS_TRY(ss_reserve(ctx, &g->x, &cap, entries, sizeof *g->x));
    return ss_reserve(ctx, &g->y, &g->cap.entries, entries, sizeof *g->y);
}

/* open a piece for block b in row i, zeroed; the pattern is compared with what stood there before */
static ss_status open_piece(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, int i, int b, int *piece)
{
    int k = *piece = g->first[i + 1]++;
    bool fresh = k >= g->cap.pieces || k >= g->pieces;
    const int at = k == 0 ? 0 : g->at[k - 1] + M->size[g->block[k - 1]];
    if (k >= g->cap.pieces || at + M->size[b] > g->cap.entries) {
        SS_TRY(reserve_piece(ctx, g, k + 1, at + M->size[b]));
    }
    g->changed = g->changed || fresh || g->block[k] != b || g->row[k] != i || g->at[k] != at;
    g->row[k] = i;
    g->block[k] = b;
    g->at[k] = at;
    g->cut.seen[b] = k;
    memset(g->x + at, 0, (size_t)M->size[b] * sizeof *g->x);
    return SS_OK;
}

static ss_status cut_row(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const ss_csr *R, int i)
{
    for (int e = R->p[i]; e < R->p[i + 1]; e++) {
        int b = g->cut.block_of[R->i[e]], k = g->cut.seen[b];
        if (k < g->first[i]) {
            SS_TRY(open_piece(ctx, g, M, i, b, &k));
        }
        g->x[g->at[k] + R->i[e] - M->offset[b]] += R->x[e];
    }
    return SS_OK;
}

/* y = B^-1 x, piece by piece */
static void solve_pieces(ss_gram *g, const ss_blockdiag *M, const double *L)
{
    for (int k = 0; k < g->pieces; k++) {
        int b = g->block[k];
        memcpy(g->y + g->at[k], g->x + g->at[k], (size_t)M->size[b] * sizeof *g->y);
        ss_block_solve(M->size[b], L + M->start[b], g->y + g->at[k]);
    }
}

/* the pieces of each block, in the order of the rows */
static void list_by_block(ss_gram *g)
{
    memset(g->by_first, 0, (size_t)(g->blocks + 1) * sizeof *g->by_first);
    for (int k = 0; k < g->pieces; k++) {
        g->by_first[g->block[k] + 1]++;
    }
    for (int b = 0; b < g->blocks; b++) {
        g->by_first[b + 1] += g->by_first[b];
        g->cut.seen[b] = g->by_first[b];
    }
    for (int k = 0; k < g->pieces; k++) {
        g->by[g->cut.seen[g->block[k]]++] = k;
    }
}

/* wanted NULL: all rows */
static ss_status cut_rows(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const ss_csr *R, const bool *wanted)
{
    SS_TRY(reserve_together(ctx, (int **[]){ &g->first }, 1, &g->cap.rows, R->m + 1));
    SS_TRY(map_columns(ctx, g, M));
    g->first[0] = 0;
    for (int i = 0; i < R->m; i++) {
        g->first[i + 1] = g->first[i];
        SS_TRY(!wanted || wanted[i] ? cut_row(ctx, g, M, R, i) : SS_OK);
    }
    return SS_OK;
}

ss_status ss_gram_build_some(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const double *L, const ss_csr *R,
                             const bool *wanted)
{
    int pieces_before = g->pieces;
    g->changed = g->rows != R->m || g->blocks != M->blocks;
    ss_status status = cut_rows(ctx, g, M, R, wanted);
    if (status != SS_OK) { /* the arrays may be half written: the next build must count as a new pattern */
        g->rows = -1;
        return status;
    }
    g->rows = R->m;
    g->blocks = M->blocks;
    g->pieces = g->first[R->m];
    g->changed = g->changed || g->pieces != pieces_before;
    solve_pieces(g, M, L);
    list_by_block(g);
    return SS_OK;
}

ss_status ss_gram_build(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const double *L, const ss_csr *R)
{
    return ss_gram_build_some(ctx, g, M, L, R, NULL);
}

double ss_gram_dot(const ss_gram *g, const ss_blockdiag *M, int piece, const double *y)
{
    const double *x = g->x + g->at[piece];
    double s = 0;
    for (int k = 0; k < M->size[g->block[piece]]; k++) {
        s += x[k] * y[k];
    }
    return s;
}

double ss_gram_diagonal(const ss_gram *g, const ss_blockdiag *M, int row)
{
    double s = 0;
    for (int k = g->first[row]; k < g->first[row + 1]; k++) {
        s += ss_gram_dot(g, M, k, g->y + g->at[k]);
    }
    return s;
}
