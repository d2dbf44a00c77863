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

/* ---- scales of rows ----------------------------------------------------------------------------- */

/* |L^-1 x|^2 = x' B^-1 x of one block; x is overwritten */
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
    return sum;
}

static inline double diagonal_square(int n, const double *inverse, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i] * inverse[i];
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

double ss_row_scales_square(const ss_row_scales *w, const ss_blockdiag *B, const double *L, int b, double *x)
{
    const int n = B->size[b];
    const double *inverse = w->inverse + B->offset[b];
    if (n > 0 && *inverse > 0) {
        return n == 6 ? diagonal_square(6, inverse, x) : diagonal_square(n, inverse, x);
    }
    return take_square(n, L + B->start[b], x);
}

enum { SMALL = 16 }; /* rows of a block that fits on the stack */

/* Blocks that are looked at. */
typedef struct block_search {
    ss_row_scales *w;
    const ss_blockdiag *B;
    const double *L;
} block_search;

static void look_at_blocks(void *data, int begin, int end)
{
    const block_search *x = data;
    const ss_blockdiag *B = x->B;
    for (int b = begin; b < end; b++) {
        invert_diagonal(B->size[b], x->L + B->start[b], x->w->inverse + B->offset[b]);
        for (int k = B->offset[b]; k < B->offset[b] + B->size[b]; k++) {
            x->w->block[k] = b;
        }
    }
}

ss_status ss_row_scales_update(ss_context *ctx, ss_row_scales *w, const ss_blockdiag *B, const double *L)
{
    enum { GRAIN = 512 };
    block_search x = { w, B, L };
    int cap = w->n_cap;
    SS_TRY(ss_reserve(ctx, &w->inverse, &cap, B->n, sizeof *w->inverse));
    SS_TRY(ss_reserve(ctx, &w->block, &w->n_cap, B->n, sizeof *w->block));
    w->largest = 0;
    for (int b = 0; b < B->blocks; b++) {
        w->largest = B->size[b] > w->largest ? B->size[b] : w->largest;
    }
    ss_parallel_for(ctx, B->blocks, GRAIN, look_at_blocks, &x);
    return w->largest > SMALL ? ss_reserve(ctx, &w->part, &w->part_cap, w->largest, sizeof *w->part) : SS_OK;
}

/* What is asked for, and what it is found from. */
typedef struct share_search {
    const ss_row_scales *w;
    const ss_blockdiag *B;
    const double *L;
    const ss_csr *R;
    const int *row; /* NULL: every row is a group */
    double *out;
    ss_row_shares *shares;
} share_search;

static int first_row(const share_search *x, int group) { return x->row ? x->row[group] : group; }

static int block_at(const share_search *x, int e) { return x->w->block[x->R->i[e]]; }

/* Where the entries that begin at e leave their block, or go back in it: a run. */
static int end_of_run(const share_search *x, int e, int end)
{
    const int b = block_at(x, e), *i = x->R->i;
    for (e++; e < end && i[e] > i[e - 1] && block_at(x, e) == b; e++) {}
    return e;
}

/* Does an entry from `begin` on, before e, belong to the block of e? */
static bool occurs_before(const share_search *x, int begin, int e)
{
    const int b = block_at(x, e);
    int k = begin;
    while (k < e && block_at(x, k) != b) {
        k++;
    }
    return k < e;
}

/* has row i entries in the columns of the row before it? */
static bool repeats_row(const ss_csr *R, int i)
{
    const int n = R->p[i] - R->p[i - 1];
    return R->p[i + 1] - R->p[i] == n && memcmp(R->i + R->p[i - 1], R->i + R->p[i], (size_t)n * sizeof *R->i) == 0;
}

/* The entries of a block in every row of a group: `length` of them, from `at` behind the start of the row on. */
typedef struct run {
    int at, length, block;
} run;

enum { MOST_RUNS = 8 };

/* The runs of rows top .. bottom-1 that all have entries in the same columns, those of each block in one run, as contacts have;
 * 0: they are not like that. */
static int find_runs(const share_search *x, int top, int bottom, run *out)
{
    const ss_csr *R = x->R;
    const int begin = R->p[top], end = R->p[top + 1];
    int n = 0;
    for (int i = top + 1; i < bottom; i++) {
        if (!repeats_row(R, i)) {
            return 0;
        }
    }
    for (int e = begin, next; e < end; e = next) {
        next = end_of_run(x, e, end);
        if (n == MOST_RUNS || occurs_before(x, begin, e)) {
            return 0;
        }
        out[n++] = (run){ e - begin, next - e, block_at(x, e) };
    }
    return n;
}

static int count_slowly(const share_search *x, int top, int bottom)
{
    const ss_csr *R = x->R;
    int n = 0;
    for (int i = top; i < bottom; i++) {
        for (int e = R->p[i]; (i == top || !repeats_row(R, i)) && e < R->p[i + 1]; e = end_of_run(x, e, R->p[i + 1])) {
            n += !occurs_before(x, R->p[top], e);
        }
    }
    return n;
}

/* shares->first[g + 1]: the blocks of group g */
static void count_blocks(void *data, int begin, int end)
{
    const share_search *x = data;
    run runs[MOST_RUNS];
    for (int g = begin; g < end; g++) {
        const int top = first_row(x, g), bottom = first_row(x, g + 1), n = find_runs(x, top, bottom, runs);
        x->shares->first[g + 1] = n > 0 ? n : count_slowly(x, top, bottom);
    }
}

/* the share of block b in entries begin .. end-1 of a row, those of other blocks left out; entries of one column add up */
static double share_of_entries(const share_search *x, int begin, int end, int b)
{
    const int n = x->B->size[b], first = x->B->offset[b];
    double small[SMALL], *part = n > SMALL ? x->w->part : small;
    memset(part, 0, (size_t)n * sizeof *part);
    for (int e = begin; e < end; e++) {
        if (block_at(x, e) == b) {
            part[x->R->i[e] - first] += x->R->x[e];
        }
    }
    const double *inverse = x->w->inverse + first;
    return *inverse > 0 ? diagonal_square(n, inverse, part) : take_square(n, x->L + x->B->start[b], part);
}

/* the share of a block all of whose entries in a row are those of a run */
static double share_of_run(const share_search *x, int begin, int end)
{
    const int b = block_at(x, begin), n = x->B->size[b];
    const double *inverse = x->w->inverse + x->B->offset[b], *entry = x->R->x + begin;
    double sum = 0;
    if (!(*inverse > 0)) {
        return share_of_entries(x, begin, end, b);
    }
    if (end - begin == n) { /* all its columns, in their order */
        return n == 6 ? diagonal_square(6, inverse, entry) : diagonal_square(n, inverse, entry);
    }
    for (int e = begin; e < end; e++) {
        sum += x->R->x[e] * x->R->x[e] * x->w->inverse[x->R->i[e]];
    }
    return sum;
}

/* has every block of the row one run, as those of contacts have? */
static bool is_in_runs(const share_search *x, int begin, int end)
{
    bool single = true;
    for (int e = begin; e < end && single; e = end_of_run(x, e, end)) {
        single = !occurs_before(x, begin, e);
    }
    return single;
}

/* add a part to the share of a block in the group whose shares are first .. *n - 1 */
static void add_share(ss_row_shares *shares, int first, int *n, int block, double part)
{
    int k = first;
    while (k < *n && shares->block[k] != block) {
        k++;
    }
    shares->x[k] = k < *n ? shares->x[k] + part : part;
    shares->block[k] = block;
    shares->at[k] = -1;
    *n += k == *n;
}

/* row i of a group of so many rows; returns R_i B^-1 R_i' */
static double add_row(const share_search *x, int i, int rows, int first, int *n)
{
    const int begin = x->R->p[i], end = x->R->p[i + 1];
    const bool in_runs = is_in_runs(x, begin, end);
    double sum = 0;
    for (int e = begin, next; e < end; e = next) {
        next = end_of_run(x, e, end);
        if (in_runs || !occurs_before(x, begin, e)) {
            const int b = block_at(x, e);
            const double share = in_runs ? share_of_run(x, e, next) : share_of_entries(x, begin, end, b);
            sum += share;
            add_share(x->shares, first, n, b, share / rows);
        }
    }
    return sum;
}

/* Shares of a group of any rows; returns the sum of R_i B^-1 R_i'. */
static double share_rows(const share_search *x, int g)
{
    const int top = first_row(x, g), bottom = first_row(x, g + 1);
    int n = x->shares->first[g];
    double trace = 0;
    for (int i = top; i < bottom; i++) {
        trace += add_row(x, i, bottom - top, x->shares->first[g], &n);
    }
    return trace;
}

/* The same of one that has n runs. */
static double share_runs(const share_search *x, int g, int n, const run *runs)
{
    const int top = first_row(x, g), bottom = first_row(x, g + 1), first = x->shares->first[g];
    double trace = 0, *share = x->shares->x + first;
    for (int k = 0; k < n; k++) {
        x->shares->block[first + k] = runs[k].block;
        x->shares->at[first + k] = runs[k].length == x->B->size[runs[k].block] ? runs[k].at : -1;
        share[k] = 0;
    }
    for (int i = top; i < bottom; i++) {
        for (int k = 0; k < n; k++) {
            const int begin = x->R->p[i] + runs[k].at;
            const double part = share_of_run(x, begin, begin + runs[k].length);
            trace += part;
            share[k] += part / (bottom - top);
        }
    }
    return trace;
}

static void find_shares(void *data, int begin, int end)
{
    const share_search *x = data;
    run runs[MOST_RUNS];
    for (int g = begin; g < end; g++) {
        const int top = first_row(x, g), bottom = first_row(x, g + 1), n = find_runs(x, top, bottom, runs);
        x->out[g] = (n > 0 ? share_runs(x, g, n, runs) : share_rows(x, g)) / (bottom - top);
    }
}

/* Blocks that do not fit on the stack have one place for all: they are looked at on one thread. */
ss_status ss_row_scales_of(ss_context *ctx, const ss_row_scales *w, const ss_blockdiag *B, const double *L, const ss_csr *R,
                           const ss_share_groups *groups, double *out, ss_row_shares *shares)
{
    enum { GRAIN = 1024 };
    const int n = groups ? groups->n : R->m, grain = w->largest > SMALL ? n : GRAIN;
    share_search x = { w, B, L, R, groups ? groups->row : NULL, out, shares };
    SS_TRY(ss_reserve(ctx, &shares->first, &shares->first_cap, n + 1, sizeof *shares->first));
    shares->first[0] = 0;
    ss_parallel_for(ctx, n, grain, count_blocks, &x);
    for (int g = 0; g < n; g++) {
        shares->first[g + 1] += shares->first[g];
    }
    int cap = shares->cap;
    SS_TRY(ss_reserve(ctx, &shares->block, &cap, shares->first[n], sizeof *shares->block));
    cap = shares->cap;
    SS_TRY(ss_reserve(ctx, &shares->at, &cap, shares->first[n], sizeof *shares->at));
    SS_TRY(ss_reserve(ctx, &shares->x, &shares->cap, shares->first[n], sizeof *shares->x));
    ss_parallel_for(ctx, n, grain, find_shares, &x);
    return SS_OK;
}

void ss_row_scales_free(ss_context *ctx, ss_row_scales *w)
{
    ss_free(ctx, w->part);
    ss_free(ctx, w->inverse);
    ss_free(ctx, w->block);
    *w = (ss_row_scales){ 0 };
}

void ss_row_shares_free(ss_context *ctx, ss_row_shares *shares)
{
    ss_free(ctx, shares->first);
    ss_free(ctx, shares->block);
    ss_free(ctx, shares->at);
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
