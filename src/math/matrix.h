/* matrix.h - square matrices made of diagonal blocks and a sparse part (ss_matrix of problem.h). */
#ifndef SS_MATRIX_H
#define SS_MATRIX_H

#include "base/base.h"
#include "math/csr.h"
#include <slipstick/problem.h>

/* No sparse part: bodies are coupled by nothing but joints and contacts. */
static inline bool ss_matrix_is_block_diagonal(const ss_matrix *A) { return A->sparse.m == 0; }
ss_matrix ss_matrix_of_blocks(const ss_blockdiag *M); /* a matrix that has these blocks alone */
int ss_matrix_rows(const ss_matrix *A);

void ss_matrix_times(const ss_matrix *A, const double *x, double *y); /* y = A x */
/* C = A by rows, entries of both parts in one column added. seen[n] is scratch. */
ss_status ss_matrix_merge(ss_context *ctx, const ss_matrix *A, int *seen, ss_csr *C);

/* Factors of a matrix, kept for as long as its numbers stay: Cholesky block by block, or a sparse factorisation of the whole. */
typedef struct ss_matrix_factor ss_matrix_factor;

ss_status ss_matrix_factor_create(ss_context *ctx, ss_matrix_factor **out);
void ss_matrix_factor_destroy(ss_matrix_factor *f);
/* SS_ERR_NUMERIC if A is singular, or was said to be positive definite and is not. A must live, unchanged, as long as solves
 * follow. */
ss_status ss_matrix_factor_update(ss_matrix_factor *f, const ss_matrix *A);
ss_status ss_matrix_factor_solve(ss_matrix_factor *f, double *x); /* x <- A^-1 x */

/* Scales of rows: R_i B^-1 R_i' for a block-diagonal B with Cholesky factors L. */
typedef struct ss_row_scales {
    double *inverse; /* n: 1 / B_ii of diagonal blocks, else 0            */
    double *part;    /* part of a row in a block, where blocks are large   */
    int *block;      /* n: block of a column                               */
    int largest;     /* size of a block                                    */
    int n_cap, part_cap;
} ss_row_scales;

/* Group g has the rows row[g] .. row[g+1]-1. */
typedef struct ss_share_groups {
    int n;
    const int *row;
} ss_share_groups;

/* Group g acts on block[e] with the share x[e], the mean of R_ib B_b^-1 R_ib' over its rows i, e = first[g] .. first[g+1]-1; each
 * block once, in the order of their first entries. */
typedef struct ss_row_shares {
    int *first, *block;
    int *at; /* of every share: how far behind the start of each row of the group the entries of the block begin, one for each of
              * its columns and in their order; -1: they are not known to be like that */
    double *x;
    int first_cap, cap;
} ss_row_shares;

ss_status ss_row_scales_update(ss_context *ctx, ss_row_scales *w, const ss_blockdiag *B, const double *L);
/* out[g]: the mean of R_i B^-1 R_i' over the rows of every group; entries of one column add up. shares: how much of it is due to
 * each block. groups NULL: every row is one. */
ss_status ss_row_scales_of(ss_context *ctx, const ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R,
                           const ss_share_groups *groups, double *out, ss_row_shares *shares);
/* x' B_b^-1 x, x the numbers of block b; they may be overwritten. */
double ss_row_scales_square(const ss_row_scales *w, const ss_blockdiag *B, const double *L, int b, double *x);
void ss_row_scales_free(ss_context *ctx, ss_row_scales *w);
void ss_row_shares_free(ss_context *ctx, ss_row_shares *shares);

/* The block of a row or column, by bisection. */
int ss_blockdiag_find(const ss_blockdiag *M, int column);

#endif
