/* matrix.c - a matrix of diagonal blocks D and a sparse part S.
 *
 *   A = D + S,   y = A x,   x <- A^-1 x
 *
 * Bodies that nothing couples have their blocks in D and no entry in S, so that a matrix costs what is coupled in it.
 * Factors     S absent: Cholesky of each block, only of those whose numbers have changed. Otherwise D + S is merged and
 *             factorised as a sparse matrix: L D L' where A is said to be symmetric, else LU with pivots chosen anew, so that
 *             the bits do not depend on what was factorised before.
 * Cost        products: entries; factors: see csr.c, sparse_ldl.c, sparse_lu.c; memory when a size is new */
#include "math/matrix.h"
#include "base/parallel.h"

#include "math/sparse_ldl.h"
#include "math/sparse_lu.h"

ss_matrix ss_matrix_of_blocks(const ss_blockdiag *M) { return (ss_matrix){ .diagonal = *M, .symmetric = true }; }

int ss_matrix_rows(const ss_matrix *A) { return A->sparse.m > 0 ? A->sparse.m : A->diagonal.n; }

void ss_matrix_times(const ss_matrix *A, const double *x, double *y)
{
    if (A->diagonal.blocks > 0) {
        ss_blockdiag_times(&A->diagonal, x, y);
    }
    if (!ss_matrix_is_block_diagonal(A)) {
        ss_csr_times(&A->sparse, 1, x, A->diagonal.blocks > 0 ? 1 : 0, y);
    }
}

/* ---- both parts in one sparse matrix ------------------------------------------------------------ */

static ss_status merge_row(ss_context *ctx, const ss_matrix *A, int block, int row, int *seen, ss_csr *C)
{
    const ss_blockdiag *D = &A->diagonal;
    const ss_csr *S = &A->sparse;
    int n = block >= 0 ? D->size[block] : 0, first = block >= 0 ? D->offset[block] : 0;
    for (int j = 0; j < n; j++) {
        SS_TRY(ss_csr_add(ctx, C, seen, first + j, D->x[D->start[block] + (row - first) * n + j]));
    }
    for (int e = S->m > 0 ? S->p[row] : 0; S->m > 0 && e < S->p[row + 1]; e++) {
        SS_TRY(ss_csr_add(ctx, C, seen, S->i[e], S->x[e]));
    }
    return ss_csr_end_row(ctx, C);
}

ss_status ss_matrix_merge(ss_context *ctx, const ss_matrix *A, int *seen, ss_csr *C)
{
    const ss_blockdiag *D = &A->diagonal;
    int n = ss_matrix_rows(A), block = D->blocks > 0 ? 0 : -1;
    for (int i = 0; i < n; i++) {
        seen[i] = -1;
    }
    ss_csr_reset(C, n);
    for (int i = 0; i < n; i++) {
        while (block >= 0 && i >= D->offset[block] + D->size[block]) {
            block++;
        }
        SS_TRY(merge_row(ctx, A, block, i, seen, C));
    }
    return SS_OK;
}

/* ---- factors ------------------------------------------------------------------------------------ */

struct ss_matrix_factor {
    ss_context *ctx;
    const ss_matrix *A;
    ss_block_factor blocks;
    ss_csr sum; /* D + S */
    int *seen, seen_cap;
    ss_sparse_ldl *ldl; /* made when first needed */
    ss_sparse_lu *lu;
};

ss_status ss_matrix_factor_create(ss_context *ctx, ss_matrix_factor **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    return SS_OK;
}

void ss_matrix_factor_destroy(ss_matrix_factor *f)
{
    if (!f) {
        return;
    }
    ss_block_factor_free(f->ctx, &f->blocks);
    ss_csr_free(f->ctx, &f->sum);
    ss_free(f->ctx, f->seen);
    ss_sparse_ldl_destroy(f->ldl);
    ss_sparse_lu_destroy(f->lu);
    ss_free(f->ctx, f);
}

static ss_status factor_sum(ss_matrix_factor *f, bool *regular)
{
    const ss_matrix *A = f->A;
    SS_TRY(ss_reserve(f->ctx, &f->seen, &f->seen_cap, ss_matrix_rows(A), sizeof *f->seen));
    SS_TRY(ss_matrix_merge(f->ctx, A, f->seen, &f->sum));
    if (A->symmetric) {
        SS_TRY(f->ldl ? SS_OK : ss_sparse_ldl_create(f->ctx, &f->ldl));
        return ss_sparse_ldl_factor(f->ldl, &f->sum, regular);
    }
    SS_TRY(f->lu ? SS_OK : ss_sparse_lu_create(f->ctx, &f->lu));
    ss_sparse_lu_forget(f->lu);
    return ss_sparse_lu_factor(f->lu, &f->sum, regular);
}

ss_status ss_matrix_factor_update(ss_matrix_factor *f, const ss_matrix *A)
{
    bool regular;
    f->A = A;
    if (ss_matrix_is_block_diagonal(A)) {
        return ss_block_factor_update(f->ctx, &f->blocks, &A->diagonal);
    }
    SS_TRY(factor_sum(f, &regular));
    return regular ? SS_OK
                   : ss_fail(f->ctx, SS_ERR_NUMERIC, "sparse matrix of %d rows: %s", ss_matrix_rows(A),
                             A->symmetric ? "not positive definite" : "singular");
}

typedef struct solution_job {
    const ss_matrix_factor *f;
    double *x;
} solution_job;

static void solve_blocks(void *data, int begin, int end)
{
    const solution_job *job = data;
    const ss_blockdiag *D = &job->f->A->diagonal;
    for (int b = begin; b < end; b++) {
        ss_block_solve(D->size[b], job->f->blocks.L + D->start[b], job->x + D->offset[b]);
    }
}

ss_status ss_matrix_factor_solve(ss_matrix_factor *f, double *x)
{
    enum { GRAIN = 512 };
    if (ss_matrix_is_block_diagonal(f->A)) {
        ss_parallel_for(f->ctx, f->A->diagonal.blocks, GRAIN, solve_blocks, &(solution_job){ f, x });
        return SS_OK;
    }
    return f->A->symmetric ? ss_sparse_ldl_solve(f->ldl, x) : ss_sparse_lu_solve(f->lu, x);
}

int ss_blockdiag_find(const ss_blockdiag *M, int column)
{
    int low = 0, high = M->blocks - 1;
    while (low < high) {
        const int middle = high - (high - low) / 2;
        if (M->offset[middle] <= column) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
