/* csr.c - sparse matrices by rows, and block-diagonal matrices.
 *
 *   y = alpha A x + beta y,   y = alpha A' x + beta y,   T = A'
 *   M = diag(M_1 .. M_b),     M_k = L_k L_k'   (Cholesky; block layout of ss_blockdiag, row-major)
 *
 * A matrix is built row by row: entries are pushed into the row being built, which is row m; p[m+1] is
 * its running end, so p holds m+2 numbers while building. A reset keeps the memory.
 * Factors that are kept have beside them what they are factors of: only the lower triangle of a block decides its factor, and
 * there is room for it above the diagonal of L.
 * Symbols     p row starts, i columns, x values; L lower triangle of each block
 * Cost        products nnz; transpose nnz + rows + columns; Cholesky size^3/6 per block, a comparison where it is kept */
#include "math/csr.h"

#include <math.h>

/* room for the starts of `rows` finished rows and of the one being built */
static ss_status reserve_rows(ss_context *ctx, ss_csr *A, int rows)
{
    if (rows + 2 <= A->p_cap) {
        return SS_OK;
    }
    bool fresh = A->p_cap == 0;
    SS_TRY(ss_reserve(ctx, &A->p, &A->p_cap, rows + 2, sizeof *A->p));
    if (fresh) {
        A->p[0] = A->p[1] = 0;
    }
    return SS_OK;
}

void ss_csr_reset(ss_csr *A, int columns)
{
    A->m = 0;
    A->n = columns;
    if (A->p_cap > 0) {
        A->p[0] = A->p[1] = 0;
    }
}

static ss_status reserve_entries(ss_context *ctx, ss_csr *A, int count)
{
    if (count <= A->nz_cap) {
        return SS_OK;
    }
    int cap = A->nz_cap;
    SS_TRY(ss_reserve(ctx, &A->i, &cap, count, sizeof *A->i));
    cap = A->nz_cap;
    SS_TRY(ss_reserve(ctx, &A->x, &cap, count, sizeof *A->x));
    A->nz_cap = cap;
    return SS_OK;
}

ss_status ss_csr_reserve(ss_context *ctx, ss_csr *A, int rows, int entries)
{
    SS_TRY(reserve_rows(ctx, A, rows));
    return reserve_entries(ctx, A, entries);
}

ss_status ss_csr_push(ss_context *ctx, ss_csr *A, int column, double value)
{
    if (column < 0 || column >= A->n) {
        return ss_fail(ctx, SS_ERR_INPUT, "sparse row %d: column %d, expected 0 to %d", A->m, column, A->n - 1);
    }
    SS_TRY(reserve_rows(ctx, A, A->m));
    int end = A->p[A->m + 1];
    SS_TRY(reserve_entries(ctx, A, end + 1));
    A->i[end] = column;
    A->x[end] = value;
    A->p[A->m + 1] = end + 1;
    return SS_OK;
}

ss_status ss_csr_push_run(ss_context *ctx, ss_csr *A, int column, int n, const double *value)
{
    if (column < 0 || n < 0 || n > A->n - column) {
        return ss_fail(ctx, SS_ERR_INPUT, "sparse row %d: columns %d to %d, expected 0 to %d", A->m, column, column + n - 1,
                       A->n - 1);
    }
    SS_TRY(reserve_rows(ctx, A, A->m));
    int end = A->p[A->m + 1];
    SS_TRY(reserve_entries(ctx, A, end + n));
    for (int k = 0; k < n; k++) {
        A->i[end + k] = column + k;
        A->x[end + k] = value[k];
    }
    A->p[A->m + 1] = end + n;
    return SS_OK;
}

ss_status ss_csr_add(ss_context *ctx, ss_csr *A, int *seen, int column, double value)
{
    int begin = A->m > 0 ? A->p[A->m] : 0, at = seen[column];
    if (at >= begin) {
        A->x[at] += value;
        return SS_OK;
    }
    SS_TRY(ss_csr_push(ctx, A, column, value));
    seen[column] = A->p[A->m + 1] - 1;
    return SS_OK;
}

ss_status ss_csr_end_row(ss_context *ctx, ss_csr *A)
{
    SS_TRY(reserve_rows(ctx, A, A->m + 1));
    A->m++;
    A->p[A->m + 1] = A->p[A->m];
    return SS_OK;
}

ss_status ss_csr_extend(ss_context *ctx, ss_csr *A, int rows, int length, int *place)
{
    const int first = A->m;
    SS_TRY(ss_csr_extend_by(ctx, A, rows, rows * length));
    *place = A->p[first];
    for (int k = 1; k < rows; k++) {
        A->p[first + k] = *place + k * length;
    }
    return SS_OK;
}

ss_status ss_csr_extend_by(ss_context *ctx, ss_csr *A, int rows, int entries)
{
    SS_TRY(reserve_rows(ctx, A, A->m + rows));
    const int end = A->p[A->m] + entries;
    SS_TRY(reserve_entries(ctx, A, end));
    A->m += rows;
    A->p[A->m] = A->p[A->m + 1] = end;
    return SS_OK;
}

void ss_csr_free(ss_context *ctx, ss_csr *A)
{
    ss_free(ctx, A->p);
    ss_free(ctx, A->i);
    ss_free(ctx, A->x);
    *A = (ss_csr){ 0 };
}

/* y <- beta y; beta 0 overwrites whatever is there, NaN too */
static void scale(int n, double beta, double *y)
{
    for (int k = 0; k < n; k++) {
        y[k] = beta == 0 ? 0 : beta * y[k];
    }
}

void ss_csr_times(const ss_csr *A, double alpha, const double *x, double beta, double *y)
{
    scale(A->m, beta, y);
    for (int k = 0; k < A->m; k++) {
        y[k] += alpha * ss_csr_row_dot(A, k, x);
    }
}

void ss_csr_transpose_times(const ss_csr *A, double alpha, const double *x, double beta, double *y)
{
    scale(A->n, beta, y);
    for (int row = 0; row < A->m; row++) {
        double a = alpha * x[row];
        for (int k = A->p[row]; k < A->p[row + 1]; k++) {
            y[A->i[k]] += a * A->x[k];
        }
    }
}

ss_status ss_csr_copy(ss_context *ctx, const ss_csr *A, ss_csr *C)
{
    int nz = A->m > 0 ? A->p[A->m] : 0;
    ss_csr_reset(C, A->n);
    SS_TRY(reserve_rows(ctx, C, A->m));
    SS_TRY(reserve_entries(ctx, C, nz));
    if (A->m > 0) {
        memcpy(C->p, A->p, (size_t)(A->m + 1) * sizeof *A->p);
        memcpy(C->i, A->i, (size_t)nz * sizeof *A->i);
        memcpy(C->x, A->x, (size_t)nz * sizeof *A->x);
    }
    C->m = A->m;
    C->p[C->m + 1] = nz;
    return SS_OK;
}

bool ss_csr_same_pattern(const ss_csr *A, const ss_csr *B)
{
    return A->m == B->m && A->m > 0 && memcmp(A->p, B->p, (size_t)(A->m + 1) * sizeof *A->p) == 0 &&
           memcmp(A->i, B->i, (size_t)A->p[A->m] * sizeof *A->i) == 0;
}

ss_status ss_csr_transpose(ss_context *ctx, const ss_csr *A, ss_csr *T)
{
    int nz = A->m > 0 ? A->p[A->m] : 0;
    ss_csr_reset(T, A->m);
    SS_TRY(reserve_rows(ctx, T, A->n + 1));
    SS_TRY(reserve_entries(ctx, T, nz));

    /* count into p[column+2], so that p[column+1] can serve as the place to write next */
    memset(T->p, 0, (size_t)(A->n + 2) * sizeof *T->p);
    for (int k = 0; k < nz; k++) {
        T->p[A->i[k] + 2]++;
    }
    for (int k = 2; k <= A->n + 1; k++) {
        T->p[k] += T->p[k - 1];
    }
    for (int row = 0; row < A->m; row++) {
        for (int k = A->p[row]; k < A->p[row + 1]; k++) {
            int at = T->p[A->i[k] + 1]++;
            T->i[at] = row;
            T->x[at] = A->x[k];
        }
    }
    T->m = A->n; /* and p[m+1] = nz, ready for another row */
    return SS_OK;
}

/* ---- block-diagonal matrices ------------------------------------------------------------------ */

/* The sizes of bodies, 6 and 3, are written out where blocks are many: their loops are unrolled then. */

static inline void block_times(int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) {
            s += a[i * n + j] * x[j];
        }
        y[i] = s;
    }
}

int ss_blockdiag_numbers(const ss_blockdiag *M)
{
    int most = 0;
    for (int b = 0; b < M->blocks; b++) {
        const int end = M->start[b] + M->size[b] * M->size[b];
        most = end > most ? end : most;
    }
    return most;
}

void ss_blockdiag_times(const ss_blockdiag *M, const double *x, double *y)
{
    for (int b = 0; b < M->blocks; b++) {
        const int n = M->size[b], at = M->offset[b];
        const double *a = M->x + M->start[b];
        if (n == 6) {
            block_times(6, a, x + at, y + at);
        } else if (n == 3) {
            block_times(3, a, x + at, y + at);
        } else {
            block_times(n, a, x + at, y + at);
        }
    }
}

double ss_blockdiag_square(const ss_blockdiag *M, int block, const double *x)
{
    const double *m = M->x + M->start[block], *u = x + M->offset[block];
    const int n = M->size[block];
    double sum = 0;
    for (int i = 0; i < n * n; i++) {
        sum += u[i / n] * m[i] * u[i % n];
    }
    return sum;
}

/* L <- Cholesky factor of one n x n block; the row that fails, or -1 */
static int cholesky(int n, const double *a, double *L)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = a[i * n + j];
            for (int k = 0; k < j; k++) {
                s -= L[i * n + k] * L[j * n + k];
            }
            if (i == j && !(s > 0 && isfinite(s))) {
                return i;
            }
            L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
        }
    }
    return -1;
}

static ss_status factor_block(ss_context *ctx, const ss_blockdiag *M, int b, double *L)
{
    int n = M->size[b], row = cholesky(n, M->x + M->start[b], L + M->start[b]);
    if (row >= 0) {
        return ss_fail(ctx, SS_ERR_NUMERIC, "block %d of the mass matrix (%d x %d): not positive definite at row %d, diagonal %g",
                       b, n, n, row, M->x[M->start[b] + row * n + row]);
    }
    return SS_OK;
}

ss_status ss_blockdiag_factor(ss_context *ctx, const ss_blockdiag *M, double *L)
{
    for (int b = 0; b < M->blocks; b++) {
        SS_TRY(factor_block(ctx, M, b, L));
    }
    return SS_OK;
}

void ss_blockdiag_solve(const ss_blockdiag *M, const double *L, double *x)
{
    for (int b = 0; b < M->blocks; b++) {
        ss_block_solve(M->size[b], L + M->start[b], x + M->offset[b]);
    }
}

static inline bool is_diagonal(int n, const double *L)
{
    int others = 0; /* entries off the diagonal: none waits for another */
    for (int i = 1; i < n; i++) {
        for (int k = 0; k < i; k++) {
            others |= L[i * n + k] != 0;
        }
    }
    return !others;
}

bool ss_block_is_diagonal(int n, const double *L) { return is_diagonal(n, L); }

static inline void half_solve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

static inline void block_solve(int n, const double *L, double *x)
{
    if (is_diagonal(n, L)) {
        for (int i = 0; i < n; i++) {
            x[i] /= L[i * n + i] * L[i * n + i];
        }
        return;
    }
    half_solve(n, L, x);
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= L[k * n + i] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

void ss_block_solve(int n, const double *L, double *x)
{
    if (n == 6) {
        block_solve(6, L, x);
    } else if (n == 3) {
        block_solve(3, L, x);
    } else {
        block_solve(n, L, x);
    }
}

static inline void half_solve_rows(int n, const double *restrict L, int rows, int stride, double *restrict x)
{
    if (is_diagonal(n, L)) {
        for (int k = 0; k < rows; k++, x += stride) {
            for (int i = 0; i < n; i++) {
                x[i] /= L[i * n + i];
            }
        }
        return;
    }
    for (int k = 0; k < rows; k++, x += stride) {
        half_solve(n, L, x);
    }
}

void ss_block_half_solve(int n, const double *L, int rows, int stride, double *x)
{
    if (n == 6) {
        half_solve_rows(6, L, rows, stride, x);
    } else if (n == 3) {
        half_solve_rows(3, L, rows, stride, x);
    } else {
        half_solve_rows(n, L, rows, stride, x);
    }
}

void ss_block_half_times(int n, const double *L, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        for (int i = j; i < n; i++) {
            y[j] += L[i * n + j] * x[i];
        }
    }
}

/* ---- factors that are kept -------------------------------------------------------------------- */

static ss_status reserve_factor(ss_context *ctx, ss_block_factor *f, const ss_blockdiag *M)
{
    const int length = ss_blockdiag_numbers(M);
    int rows = 0, cap = f->blocks_cap;
    for (int b = 0; b < M->blocks; b++) {
        rows += M->size[b];
    }
    SS_TRY(ss_reserve(ctx, &f->size, &cap, M->blocks, sizeof *f->size));
    SS_TRY(ss_reserve(ctx, &f->start, &f->blocks_cap, M->blocks, sizeof *f->start));
    SS_TRY(ss_reserve(ctx, &f->own, &f->own_cap, length, sizeof *f->own));
    return ss_reserve(ctx, &f->diagonal, &f->rows_cap, rows, sizeof *f->diagonal);
}

static bool same_layout(const ss_block_factor *f, const ss_blockdiag *M)
{
    size_t bytes = (size_t)M->blocks * sizeof *f->size;
    return f->blocks == M->blocks &&
           (bytes == 0 || (memcmp(f->size, M->size, bytes) == 0 && memcmp(f->start, M->start, bytes) == 0));
}

/* Is L, with what was kept beside it, the factor of this block? */
static inline bool is_kept(int n, const double *a, const double *L, const double *diagonal)
{
    bool same = true;
    for (int i = 0; i < n; i++) {
        same &= diagonal[i] == a[i * n + i];
        for (int j = 0; j < i; j++) {
            same &= L[j * n + i] == a[i * n + j];
        }
    }
    return same;
}

static bool is_factor(int n, const double *a, const double *L, const double *diagonal)
{
    return n == 6 ? is_kept(6, a, L, diagonal) : n == 3 ? is_kept(3, a, L, diagonal) : is_kept(n, a, L, diagonal);
}

static void keep_block(int n, const double *a, double *L, double *diagonal)
{
    for (int i = 0; i < n; i++) {
        diagonal[i] = a[i * n + i];
        for (int j = 0; j < i; j++) {
            L[j * n + i] = a[i * n + j];
        }
    }
}

ss_status ss_block_factor_update(ss_context *ctx, ss_block_factor *f, const ss_blockdiag *M)
{
    if (M->factor) {
        f->L = M->factor;
        return SS_OK;
    }
    bool same = same_layout(f, M);
    double *diagonal;
    f->blocks = -1; /* nothing is known until all of it is done */
    SS_TRY(reserve_factor(ctx, f, M));
    diagonal = f->diagonal;
    for (int b = 0; b < M->blocks; b++) {
        const int at = M->start[b], n = M->size[b];
        if (!same || !is_factor(n, M->x + at, f->own + at, diagonal)) {
            SS_TRY(factor_block(ctx, M, b, f->own));
            keep_block(n, M->x + at, f->own + at, diagonal);
        }
        f->size[b] = n;
        f->start[b] = at;
        diagonal += n;
    }
    f->blocks = M->blocks;
    f->L = f->own;
    return SS_OK;
}

void ss_block_factor_free(ss_context *ctx, ss_block_factor *f)
{
    ss_free(ctx, f->own);
    ss_free(ctx, f->diagonal);
    ss_free(ctx, f->size);
    ss_free(ctx, f->start);
    *f = (ss_block_factor){ 0 };
}
