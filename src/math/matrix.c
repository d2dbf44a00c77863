/* matrix.c - a matrix of diagonal blocks D and a sparse part S.
 *
 *   A = D + S,   y = A x,   x <- A^-1 x,   scales R_i B^-1 R_i' of the rows of R (B block diagonal)
 *
 * Bodies that nothing couples have their blocks in D and no entry in S, so that a matrix costs what is coupled in it.
 * Factors     S absent: Cholesky of each block, only of those whose numbers have changed. Otherwise D + S is merged and
 *             factorised as a sparse matrix: L D L' where A is said to be symmetric, else LU with pivots chosen anew, so that
 *             the bits do not depend on what was factorised before.
 * Cost        products: entries; factors: see csr.c, sparse_ldl.c, sparse_lu.c; memory when a size is new */
#include "math/matrix.h"

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

ss_status ss_matrix_factor_solve(ss_matrix_factor *f, double *x)
{
    if (ss_matrix_is_block_diagonal(f->A)) {
        ss_blockdiag_solve(&f->A->diagonal, f->blocks.L, x);
        return SS_OK;
    }
    return f->A->symmetric ? ss_sparse_ldl_solve(f->ldl, x) : ss_sparse_lu_solve(f->lu, x);
}

/* ---- scales of rows ----------------------------------------------------------------------------- */

/* |L^-1 x|^2 = x' B^-1 x of one block; leaves x zero */
static double take_square(int n, const double *L, double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
        sum += x[i] * x[i];
    }
    memset(x, 0, (size_t)n * sizeof *x);
    return sum;
}

static double take_diagonal_square(int n, const double *inverse, double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i] * inverse[i];
        x[i] = 0;
    }
    return sum;
}

/* 1 / B_ii of a diagonal block, 0 of another */
static void invert_diagonal(int n, const double *L, double *inverse)
{
    bool diagonal = ss_block_is_diagonal(n, L);
    for (int i = 0; i < n; i++) {
        inverse[i] = diagonal ? 1 / (L[i * n + i] * L[i * n + i]) : 0;
    }
}

ss_status ss_row_scales_update(ss_context *ctx, ss_row_scales *w, const ss_blockdiag *B, const double *L)
{
    int cap = w->n_cap;
    SS_TRY(ss_reserve(ctx, &w->row, &cap, B->n, sizeof *w->row));
    cap = w->n_cap;
    SS_TRY(ss_reserve(ctx, &w->inverse, &cap, B->n, sizeof *w->inverse));
    SS_TRY(ss_reserve(ctx, &w->block, &w->n_cap, B->n, sizeof *w->block));
    SS_TRY(ss_reserve(ctx, &w->seen, &w->blocks_cap, B->blocks, sizeof *w->seen));
    for (int b = 0; b < B->blocks; b++) {
        invert_diagonal(B->size[b], L + B->start[b], w->inverse + B->offset[b]);
        for (int k = B->offset[b]; k < B->offset[b] + B->size[b]; k++) {
            w->block[k] = b;
            w->row[k] = 0;
        }
    }
    return SS_OK;
}

/* the share of block b in the row that w->row holds; leaves that part of it zero */
static double take_share(ss_row_scales *w, const ss_blockdiag *B, const double *L, int b)
{
    double *x = w->row + B->offset[b], *inverse = w->inverse + B->offset[b];
    return *inverse > 0 ? take_diagonal_square(B->size[b], inverse, x) : take_square(B->size[b], L + B->start[b], x);
}

/* Where the entries of row i that begin at e leave their block, or go back in it: a run. */
static int end_of_run(const ss_row_scales *w, const ss_csr *R, int e, int end)
{
    const int b = w->block[R->i[e]];
    for (e++; e < end && R->i[e] > R->i[e - 1] && w->block[R->i[e]] == b; e++) {}
    return e;
}

/* the share of block b, all of whose entries are those of a run */
static double share_of_run(ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R, int e, int end, int b)
{
    const double *inverse = w->inverse + B->offset[b];
    double sum = 0;
    if (!(*inverse > 0)) {
        for (; e < end; e++) {
            w->row[R->i[e]] = R->x[e];
        }
        return take_share(w, B, L, b);
    }
    for (; e < end; e++) {
        sum += R->x[e] * R->x[e] * w->inverse[R->i[e]];
    }
    return sum;
}

/* Row i as one run for each block, as those of contacts are: shares go to place n and behind. False: a block has several. */
static bool sum_runs(ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R, int i, double *out,
                     ss_row_shares *shares, int *n)
{
    const int before = *n;
    *out = 0;
    for (int e = R->p[i]; e < R->p[i + 1];) {
        const int b = w->block[R->i[e]], end = end_of_run(w, R, e, R->p[i + 1]);
        if (w->seen[b] == i) {
            *n = before;
            return false;
        }
        w->seen[b] = i;
        const double share = share_of_run(w, B, L, R, e, end, b);
        *out += share;
        shares->block[*n] = b;
        shares->x[(*n)++] = share;
        e = end;
    }
    return true;
}

/* Row i whatever its order: its entries are added up first. Blocks come in the order of their first entries. */
static void sum_entries(ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R, int i, double *out,
                        ss_row_shares *shares, int *n)
{
    *out = 0;
    for (int e = R->p[i]; e < R->p[i + 1]; e++) {
        w->row[R->i[e]] += R->x[e];
        w->seen[w->block[R->i[e]]] = -1;
    }
    for (int e = R->p[i]; e < R->p[i + 1]; e++) {
        const int b = w->block[R->i[e]];
        if (w->seen[b] != i) {
            w->seen[b] = i;
            const double share = take_share(w, B, L, b);
            *out += share;
            shares->block[*n] = b;
            shares->x[(*n)++] = share;
        }
    }
}

void ss_row_scales_of(ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R, double *out,
                      ss_row_shares *shares)
{
    int n = 0;
    for (int b = 0; b < B->blocks; b++) {
        w->seen[b] = -1;
    }
    for (int i = 0; i < R->m; i++) {
        shares->first[i] = n;
        if (!sum_runs(w, B, L, R, i, &out[i], shares, &n)) {
            sum_entries(w, B, L, R, i, &out[i], shares, &n);
        }
    }
    shares->first[R->m] = n;
}

void ss_row_scales_free(ss_context *ctx, ss_row_scales *w)
{
    ss_free(ctx, w->row);
    ss_free(ctx, w->inverse);
    ss_free(ctx, w->block);
    ss_free(ctx, w->seen);
    *w = (ss_row_scales){ 0 };
}

/* ---- shares of blocks --------------------------------------------------------------------------- */

ss_status ss_row_shares_reserve(ss_context *ctx, ss_row_shares *shares, const ss_csr *R)
{
    int entries = R->m > 0 ? R->p[R->m] : 0, cap = shares->cap;
    SS_TRY(ss_reserve(ctx, &shares->first, &shares->first_cap, R->m + 1, sizeof *shares->first));
    SS_TRY(ss_reserve(ctx, &shares->block, &cap, entries, sizeof *shares->block));
    return ss_reserve(ctx, &shares->x, &shares->cap, entries, sizeof *shares->x);
}

/* the place of a block in begin .. end-1, or end */
static int place_of_block(const ss_row_shares *shares, int begin, int end, int block)
{
    int k = begin;
    while (k < end && shares->block[k] != block) {
        k++;
    }
    return k;
}

/* in place: a group never needs more room than its rows */
void ss_row_shares_merge(ss_row_shares *shares, int groups, const int *row)
{
    int n = 0, e = 0;
    for (int g = 0; g < groups; g++) {
        int begin = n, end = shares->first[row[g + 1]], rows = row[g + 1] - row[g];
        for (; e < end; e++) {
            double share = shares->x[e] / rows;
            int block = shares->block[e], k = place_of_block(shares, begin, n, block);
            shares->x[k] = k < n ? shares->x[k] + share : share;
            shares->block[k] = block;
            n += k == n;
        }
        shares->first[g] = begin;
    }
    shares->first[groups] = n;
}

void ss_row_shares_free(ss_context *ctx, ss_row_shares *shares)
{
    ss_free(ctx, shares->first);
    ss_free(ctx, shares->block);
    ss_free(ctx, shares->x);
    *shares = (ss_row_shares){ 0 };
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
