/* csr.h - sparse matrices by rows (ss_csr of problem.h), built row by row, reused without freeing. */
#ifndef SS_CSR_H
#define SS_CSR_H

#include "base/base.h"
#include <slipstick/problem.h>

void ss_csr_reset(ss_csr *A, int columns);                                   /* zero rows; keeps its memory          */
ss_status ss_csr_reserve(ss_context *ctx, ss_csr *A, int rows, int entries); /* so many take no memory any more */
ss_status ss_csr_push(ss_context *ctx, ss_csr *A, int column, double value); /* into the row being built  */
/* n entries in columns that follow each other. */
ss_status ss_csr_push_run(ss_context *ctx, ss_csr *A, int column, int n, const double *value);
/* The same, added to an entry of that column which the row has already. seen[columns]: where the columns of the row are; -1
 * everywhere before the first row. */
ss_status ss_csr_add(ss_context *ctx, ss_csr *A, int *seen, int column, double value);
ss_status ss_csr_end_row(ss_context *ctx, ss_csr *A); /* finish the row being built           */
/* Append rows whose lengths are known: the next `rows` rows, of `length` entries each, are there; columns and values are to be
 * written from the returned place on. No row is being built. */
ss_status ss_csr_extend(ss_context *ctx, ss_csr *A, int rows, int length, int *place);
/* The same for rows of different lengths: the caller writes where they begin, too. */
ss_status ss_csr_extend_by(ss_context *ctx, ss_csr *A, int rows, int entries);
void ss_csr_free(ss_context *ctx, ss_csr *A);

/* y = alpha A x + beta y;  y = alpha A' x + beta y  (beta 0: y is overwritten, may hold anything) */
void ss_csr_times(const ss_csr *A, double alpha, const double *x, double beta, double *y);
void ss_csr_transpose_times(const ss_csr *A, double alpha, const double *x, double beta, double *y);
static inline double ss_csr_row_dot(const ss_csr *A, int row, const double *x)
{
    double s = 0;
    for (int k = A->p[row]; k < A->p[row + 1]; k++) {
        s += A->x[k] * x[A->i[k]];
    }
    return s;
}
ss_status ss_csr_copy(ss_context *ctx, const ss_csr *A, ss_csr *C); /* C = A */
bool ss_csr_same_pattern(const ss_csr *A, const ss_csr *B);         /* the same entries in the same places; false without rows */
/* T = A' (T is reset first) */
ss_status ss_csr_transpose(ss_context *ctx, const ss_csr *A, ss_csr *T);

/* Block-diagonal matrices (ss_blockdiag). */
/* Blocks begin .. end-1 alone, in place: products and solutions with them leave other numbers of a vector as they are. */
static inline ss_blockdiag ss_blockdiag_part(const ss_blockdiag *M, int begin, int end)
{
    ss_blockdiag part = *M;
    part.blocks = end - begin;
    part.offset += begin;
    part.size += begin;
    part.start += begin;
    return part;
}
int ss_blockdiag_numbers(const ss_blockdiag *M);                               /* so many numbers from x on hold all blocks */
void ss_blockdiag_times(const ss_blockdiag *M, const double *x, double *y);    /* y = M x            */
double ss_blockdiag_square(const ss_blockdiag *M, int block, const double *x); /* x . M x of one block */
ss_status ss_blockdiag_factor(ss_context *ctx, const ss_blockdiag *M,
                              double *L); /* Cholesky of each block, same layout; fails if not positive definite */
void ss_blockdiag_solve(const ss_blockdiag *M, const double *L, double *x); /* x <- M^-1 x        */
bool ss_block_is_diagonal(int n, const double *L);      /* that of a particle, or of a rigid body in its principal axes */
void ss_block_solve(int n, const double *L, double *x); /* one block of it    */
/* Halves of that, A = L L': x <- L^-1 x for some rows x of n numbers, `stride` apart;  y = L' x. */
void ss_block_half_solve(int n, const double *L, int rows, int stride, double *x);
void ss_block_half_times(int n, const double *L, const double *x, double *y);

/* Cholesky factors that are kept: a block whose numbers are those of last time is not factorised again. Where the matrix brings
 * its factors along, they are these, and nothing is stored. */
typedef struct ss_block_factor {
    const double *L;   /* layout of the matrix: its factors, the matrix's or ours                               */
    double *own;       /* ours; above the diagonal, transposed, what they are the factors of                    */
    double *diagonal;  /* rows of all blocks, one after the other: the diagonal of the same                     */
    int *size, *start; /* of the blocks seen last                                                               */
    int blocks, own_cap, rows_cap, blocks_cap;
} ss_block_factor;

ss_status ss_block_factor_update(ss_context *ctx, ss_block_factor *f, const ss_blockdiag *M); /* fails as ss_blockdiag_factor */
void ss_block_factor_free(ss_context *ctx, ss_block_factor *f);

#endif
