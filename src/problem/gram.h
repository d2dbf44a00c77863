/* gram.h - products R B^-1 R' of sparse rows with a block-diagonal matrix in between, block by block. */
#ifndef SS_GRAM_H
#define SS_GRAM_H

#include "base/base.h"
#include <slipstick/problem.h>

/* for how many there is room */
typedef struct ss_gram_capacity {
    int rows, columns, blocks, pieces, entries;
} ss_gram_capacity;

/* what cutting a row needs to know */
typedef struct ss_gram_cut {
    int *block_of; /* columns: the block of each            */
    int *seen;     /* blocks: their piece of the row at hand */
} ss_gram_cut;

/* Rows of R cut into dense pieces, one for each block a row touches. Piece k belongs to row[k] and
 * block[k]; x + at[k] is the piece of R, y + at[k] the same piece of R B^-1. */
typedef struct ss_gram {
    int rows, pieces, blocks;
    int *first;            /* rows+1: pieces of row i are first[i] .. first[i+1]-1 */
    int *row, *block, *at; /* pieces                                               */
    double *x, *y;         /* entries                                              */
    int *by_first, *by;    /* blocks+1, pieces: the pieces of each block, by row   */
    bool changed;          /* the last build found another pattern than the one before */
    ss_gram_cut cut;
    ss_gram_capacity cap;
} ss_gram;

/* Cut R; L is the Cholesky factor of M. Takes memory only when something grew. */
ss_status ss_gram_build(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const double *L, const ss_csr *R);
/* The same for some rows; the others have no pieces. */
ss_status ss_gram_build_some(ss_context *ctx, ss_gram *g, const ss_blockdiag *M, const double *L, const ss_csr *R,
                             const bool *wanted);
void ss_gram_free(ss_context *ctx, ss_gram *g);
double ss_gram_dot(const ss_gram *g, const ss_blockdiag *M, int piece, const double *y); /* x of a piece times y */
double ss_gram_diagonal(const ss_gram *g, const ss_blockdiag *M, int row);               /* R_i B^-1 R_i'        */

#endif
