/* newton_matrix.c - Newton matrices of contact problems in velocity space.
 *
 *   K = A + sum_g J_g' D_g J_g
 *
 * Its size is that of the velocities, however many contacts there are, and redundant contacts do it no harm. Sparse: two
 * velocities meet in K if A or a group joins them; the pattern, and the place in K of each product of two columns of a
 * group, are made once for all factorisations of a problem; the LU is that of sparse_lu.c, the LDL' of a symmetric K
 * that of sparse_ldl.c, ordered anew when the pattern is.
 * Dense, for few velocities or full rows (local form): K by BLAS, LU or Cholesky by LAPACK.
 * Symbols     column: sorted columns of each group; X: the group's rows on these columns, dense; place: positions in K
 * Cost        sparse: assembly sum (columns of a group)^2, then the LU; dense: rows x n^2 + 2/3 n^3. Memory only when
 *             a size is new, besides that of the sparse LU                                            */
#include "problem/newton_matrix.h"

#include "math/csr.h"
#include "math/dense.h"
#include "math/sparse_ldl.h"
#include "math/sparse_lu.h"

#include <stdlib.h>

enum {
    DENSE_SIZE = 60,       /* up to here a full matrix is quicker than its pattern */
    DENSE_LIMIT = 6000,    /* a full matrix of this size still fits                */
    MOST_PLACES = 1 << 28, /* products of a sparse assembly                        */
};

struct ss_newton_matrix {
    ss_context *ctx;
    ss_arena *arena;
    const ss_problem *problem;
    ss_row_groups rows;
    int n;
    bool dense, symmetric;
    int *block_of;      /* the block of A.diagonal each velocity belongs to     */
    double *base;       /* A in the layout of K                                 */
    double *J, *DJ, *K; /* dense, column-major                                  */
    int *pivots;
    ss_csr S;         /* sparse: K by rows                                    */
    ss_sparse_lu *lu; /* one of the two                                       */
    ss_sparse_ldl *ldl;
    int *from, *column; /* groups+1; the columns of each group                  */
    int *x_from;        /* groups+1: X of each group                            */
    double *X;
    size_t *place_from; /* groups+1                                             */
    int *place;
    int *by_from, *by, *at; /* velocities+1: the groups that touch each, and as which of their columns */
    int *mark;              /* velocities: where a column of the row at hand is     */
};

ss_status ss_newton_matrix_create(ss_context *ctx, bool symmetric, ss_newton_matrix **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->symmetric = symmetric;
    ss_dense_start();
    ss_status status = ss_arena_create(ctx, 1 << 16, &(*out)->arena);
    if (status == SS_OK) {
        status = symmetric ? ss_sparse_ldl_create(ctx, &(*out)->ldl) : ss_sparse_lu_create(ctx, &(*out)->lu);
    }
    if (status != SS_OK) {
        ss_newton_matrix_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_newton_matrix_destroy(ss_newton_matrix *m)
{
    if (!m) {
        return;
    }
    ss_sparse_lu_destroy(m->lu);
    ss_sparse_ldl_destroy(m->ldl);
    ss_csr_free(m->ctx, &m->S);
    ss_arena_destroy(m->arena);
    ss_free(m->ctx, m);
}

/* ---- A, entry by entry ------------------------------------------------------------------------ */

/* columns and values of a part of row i of A, as a list */
typedef struct a_row {
    int count, first; /* columns first, first+1, .. or those of `column` */
    const int *column;
    const double *x;
} a_row;

static const double ONE = 1;

enum { PARTS = 2 }; /* the block of the diagonal, the sparse row; either may have no entries */

static a_row part_of_A(const ss_newton_matrix *m, int part, int i)
{
    const ss_problem *p = m->problem;
    const ss_csr *S = &p->A.sparse;
    const ss_blockdiag *D = &p->A.diagonal;
    if (p->local) {
        return (a_row){ .count = part == 0, .first = i, .x = &ONE };
    }
    if (part == 1) {
        return S->m > 0 ? (a_row){ .count = S->p[i + 1] - S->p[i], .column = S->i + S->p[i], .x = S->x + S->p[i] } : (a_row){ 0 };
    }
    if (D->blocks == 0) {
        return (a_row){ 0 };
    }
    int b = m->block_of[i], size = D->size[b];
    return (a_row){ .count = size, .first = D->offset[b], .x = D->x + D->start[b] + (i - D->offset[b]) * size };
}

static int column_of(const a_row *row, int k) { return row->column ? row->column[k] : row->first + k; }

static ss_status number_blocks(ss_newton_matrix *m)
{
    const ss_blockdiag *D = &m->problem->A.diagonal;
    SS_TRY(ss_arena_take(m->arena, (size_t)m->n, sizeof *m->block_of, &m->block_of));
    for (int b = 0; !m->problem->local && b < D->blocks; b++) {
        for (int k = 0; k < D->size[b]; k++) {
            m->block_of[D->offset[b] + k] = b;
        }
    }
    return SS_OK;
}

/* ---- dense ------------------------------------------------------------------------------------ */

static ss_status prepare_dense(ss_newton_matrix *m)
{
    const ss_csr *J = m->rows.J;
    size_t n = (size_t)m->n, rows = (size_t)J->m;
    SS_TRY(ss_arena_take(m->arena, n * n, sizeof *m->base, &m->base));
    SS_TRY(ss_arena_take_raw(m->arena, n * n, sizeof *m->K, &m->K));
    SS_TRY(ss_arena_take(m->arena, rows * n, sizeof *m->J, &m->J));
    SS_TRY(ss_arena_take_raw(m->arena, rows * n, sizeof *m->DJ, &m->DJ));
    SS_TRY(ss_arena_take_raw(m->arena, n, sizeof *m->pivots, &m->pivots));
    for (int i = 0; i < PARTS * m->n; i++) {
        a_row row = part_of_A(m, i % PARTS, i / PARTS);
        for (int k = 0; k < row.count; k++) {
            m->base[(size_t)(i / PARTS) + n * (size_t)column_of(&row, k)] += row.x[k];
        }
    }
    for (int i = 0; i < J->m; i++) {
        for (int e = J->p[i]; e < J->p[i + 1]; e++) {
            m->J[(size_t)i + rows * (size_t)J->i[e]] += J->x[e];
        }
    }
    return SS_OK;
}

/* DJ = D J, then K = A + J' DJ */
static bool factor_dense(ss_newton_matrix *m, const double *D)
{
    int n = m->n, rows = m->rows.J->m;
    for (int j = 0; j < n; j++) {
        const double *x = m->J + (size_t)rows * (size_t)j;
        double *y = m->DJ + (size_t)rows * (size_t)j;
        for (int g = 0; g < m->rows.count; g++) {
            int first = m->rows.first[g], size = m->rows.first[g + 1] - first;
            for (int a = 0; a < size; a++) {
                y[first + a] = 0;
                for (int b = 0; b < size; b++) {
                    y[first + a] += D[9 * g + a * size + b] * x[first + b];
                }
            }
        }
    }
    memcpy(m->K, m->base, (size_t)n * (size_t)n * sizeof *m->K);
    ss_dense_transpose_product(n, n, rows, m->J, rows, m->DJ, rows, m->K, n);
    return m->symmetric ? ss_dense_cholesky(n, m->K, n) : ss_dense_lu(n, m->K, n, m->pivots);
}

/* ---- sparse: groups --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* the columns of group g, each once and in order; returns how many */
static int columns_of_group(const ss_newton_matrix *m, int g, int *column)
{
    const ss_csr *J = m->rows.J;
    int begin = J->p[m->rows.first[g]], count = J->p[m->rows.first[g + 1]] - begin, unique = 0;
    memcpy(column, J->i + begin, (size_t)count * sizeof *column);
    qsort(column, (size_t)count, sizeof *column, compare);
    for (int k = 0; k < count; k++) {
        if (unique == 0 || column[k] != column[unique - 1]) {
            column[unique++] = column[k];
        }
    }
    return unique;
}

/* X: the rows of group g on its columns */
static void fill_group(ss_newton_matrix *m, int g)
{
    const ss_csr *J = m->rows.J;
    int begin = m->from[g], width = m->from[g + 1] - begin;
    for (int k = 0; k < width; k++) {
        m->mark[m->column[begin + k]] = k;
    }
    double *X = m->X + m->x_from[g];
    for (int row = m->rows.first[g]; row < m->rows.first[g + 1]; row++, X += width) {
        for (int e = J->p[row]; e < J->p[row + 1]; e++) {
            X[m->mark[J->i[e]]] += J->x[e];
        }
    }
}

static ss_status cut_groups(ss_newton_matrix *m)
{
    const ss_csr *J = m->rows.J;
    int groups = m->rows.count, entries = J->m > 0 ? J->p[J->m] : 0;
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->from, &m->from));
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->x_from, &m->x_from));
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->place_from, &m->place_from));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)entries, sizeof *m->column, &m->column));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)m->n, sizeof *m->mark, &m->mark));
    for (int g = 0; g < groups; g++) {
        int width = columns_of_group(m, g, m->column + m->from[g]);
        m->from[g + 1] = m->from[g] + width;
        m->x_from[g + 1] = m->x_from[g] + width * (m->rows.first[g + 1] - m->rows.first[g]);
        m->place_from[g + 1] = m->place_from[g] + (size_t)width * (size_t)width;
    }
    SS_TRY(ss_arena_take(m->arena, (size_t)m->x_from[groups], sizeof *m->X, &m->X));
    for (int g = 0; g < groups; g++) {
        fill_group(m, g);
    }
    return SS_OK;
}

/* which groups touch a velocity, and as which of their columns */
static ss_status list_by_column(ss_newton_matrix *m)
{
    int total = m->from[m->rows.count];
    SS_TRY(ss_arena_take(m->arena, (size_t)m->n + 2, sizeof *m->by_from, &m->by_from));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)total, sizeof *m->by, &m->by));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)total, sizeof *m->at, &m->at));
    for (int k = 0; k < total; k++) {
        m->by_from[m->column[k] + 2]++;
    }
    for (int i = 2; i <= m->n + 1; i++) {
        m->by_from[i] += m->by_from[i - 1];
    }
    for (int g = 0; g < m->rows.count; g++) {
        for (int k = m->from[g]; k < m->from[g + 1]; k++) {
            int next = m->by_from[m->column[k] + 1]++;
            m->by[next] = g;
            m->at[next] = k - m->from[g];
        }
    }
    return SS_OK;
}

/* ---- sparse: the pattern ---------------------------------------------------------------------- */

/* position of a column in the row being built; it is added if it is new */
static ss_status position(ss_newton_matrix *m, int column, int begin, int *out)
{
    if (m->mark[column] < begin) {
        SS_TRY(ss_csr_push(m->ctx, &m->S, column, 0));
        m->mark[column] = m->S.p[m->S.m + 1] - 1;
    }
    *out = m->mark[column];
    return SS_OK;
}

/* row i of K: A's part goes into x and stays there as the base, the groups' part into place */
static ss_status pattern_row(ss_newton_matrix *m, int i)
{
    int begin = m->S.m > 0 ? m->S.p[m->S.m] : 0, at;
    for (int part = 0; part < PARTS; part++) {
        a_row row = part_of_A(m, part, i);
        for (int k = 0; k < row.count; k++) {
            SS_TRY(position(m, column_of(&row, k), begin, &at));
            m->S.x[at] += row.x[k];
        }
    }
    for (int k = m->by_from[i]; k < m->by_from[i + 1]; k++) {
        int g = m->by[k], width = m->from[g + 1] - m->from[g];
        int *place = m->place + m->place_from[g] + (size_t)m->at[k] * (size_t)width;
        for (int c = 0; c < width; c++) {
            SS_TRY(position(m, m->column[m->from[g] + c], begin, &place[c]));
        }
    }
    return ss_csr_end_row(m->ctx, &m->S);
}

static ss_status prepare_sparse(ss_newton_matrix *m)
{
    SS_TRY(cut_groups(m));
    SS_TRY(list_by_column(m));
    size_t places = m->place_from[m->rows.count];
    if (places > MOST_PLACES) {
        return ss_fail(m->ctx, SS_ERR_UNSUPPORTED, "contact rows make %zu products of two velocities, limit %d", places,
                       MOST_PLACES);
    }
    SS_TRY(ss_arena_take_raw(m->arena, places, sizeof *m->place, &m->place));
    for (int i = 0; i < m->n; i++) {
        m->mark[i] = -1;
    }
    ss_csr_reset(&m->S, m->n);
    for (int i = 0; i < m->n; i++) {
        SS_TRY(pattern_row(m, i));
    }
    size_t entries = (size_t)m->S.p[m->n];
    SS_TRY(ss_arena_take_raw(m->arena, entries, sizeof *m->base, &m->base));
    memcpy(m->base, m->S.x, entries * sizeof *m->base);
    return SS_OK;
}

/* ---- sparse: numbers -------------------------------------------------------------------------- */

/* K <- K + X' D X */
static void add_group(ss_newton_matrix *m, int g, const double *D)
{
    int width = m->from[g + 1] - m->from[g], size = m->rows.first[g + 1] - m->rows.first[g];
    const double *X = m->X + m->x_from[g];
    const int *place = m->place + m->place_from[g];
    for (int i = 0; i < width; i++, place += width) {
        double left[3] = { 0, 0, 0 }; /* row i of X' D */
        for (int a = 0; a < size; a++) {
            for (int b = 0; b < size; b++) {
                left[b] += X[a * width + i] * D[a * size + b];
            }
        }
        for (int b = 0; b < size; b++) {
            for (int j = 0; j < width && left[b] != 0; j++) {
                m->S.x[place[j]] += left[b] * X[b * width + j];
            }
        }
    }
}

static ss_status factor_sparse(ss_newton_matrix *m, const double *D, bool *regular)
{
    ss_csr *S = &m->S;
    memcpy(S->x, m->base, (size_t)S->p[S->m] * sizeof *S->x);
    for (int g = 0; g < m->rows.count; g++) {
        add_group(m, g, D + 9 * g);
    }
    return m->symmetric ? ss_sparse_ldl_factor(m->ldl, S, regular) : ss_sparse_lu_factor(m->lu, S, regular);
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* full rows make a full matrix */
static bool is_dense(const ss_newton_matrix *m)
{
    const ss_csr *J = m->rows.J;
    double entries = J->m > 0 ? J->p[J->m] : 0, all = (double)J->m * m->n;
    return m->n <= DENSE_SIZE || (m->n <= DENSE_LIMIT && entries > 0.2 * all);
}

ss_status ss_newton_matrix_prepare(ss_newton_matrix *m, const ss_problem *problem, const ss_row_groups *rows)
{
    m->problem = problem;
    m->rows = *rows;
    m->n = rows->J->n;
    m->dense = is_dense(m);
    ss_arena_reset(m->arena);
    SS_TRY(number_blocks(m));
    return m->dense ? prepare_dense(m) : prepare_sparse(m);
}

ss_status ss_newton_matrix_factor(ss_newton_matrix *m, const double *D, bool *regular)
{
    if (!m->dense) {
        return factor_sparse(m, D, regular);
    }
    *regular = factor_dense(m, D);
    return SS_OK;
}

ss_status ss_newton_matrix_solve(ss_newton_matrix *m, double *x)
{
    if (!m->dense) {
        return m->symmetric ? ss_sparse_ldl_solve(m->ldl, x) : ss_sparse_lu_solve(m->lu, x);
    }
    if (m->symmetric) {
        ss_dense_cholesky_solve(m->n, m->K, m->n, x);
    } else {
        ss_dense_lu_solve(m->n, m->K, m->n, m->pivots, x);
    }
    return SS_OK;
}
