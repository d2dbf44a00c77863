/* newton_matrix.c - Newton matrices of contact problems in velocity space.
 *
 *   K = A + sum_g J_g' D_g J_g + sum_gh J_g' E_gh J_h
 *
 * Its size is that of the velocities, however many contacts there are, and redundant contacts do it no harm. Sparse: two
 * velocities meet in K if A or a group joins them; the pattern, and the place in K of each product of two columns of a
 * group, are made once for all factorisations of a problem; the LU is that of sparse_lu.c, the LDL' of a symmetric K
 * that of sparse_ldl.c, ordered anew when the pattern is.
 * Dense, for few velocities or full rows (local form): K by BLAS, LU or Cholesky by LAPACK.
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

static const double FULL_ROWS = 0.2; /* fraction of nonzeros in J above which K is stored as a full matrix */

/* dense: everything column-major */
typedef struct full_matrix {
    double *J, *DJ; /* rows x n     */
    double *K;      /* n x n, or its factors */
    int *pivots;
} full_matrix;

/* sparse: K by rows and its factors, one of the two */
typedef struct sparse_matrix {
    ss_csr K;
    int *mark; /* velocities: where the row at hand has that column */
    ss_sparse_lu *lu;
    ss_sparse_ldl *ldl;
} sparse_matrix;

/* sparse: each group on the columns that it touches; every `from` has groups+1 numbers */
typedef struct group_columns {
    int *from, *column; /* the columns of each, in ascending order        */
    int *x_from;
    double *X; /* the rows of each on its columns, dense           */
    size_t *place_from;
    int *place;              /* where the product of two of its columns is in K */
    int *link_from;          /* the links of each                                             */
    size_t *link_place_from; /* links+1                                                       */
    int *link_place;         /* where the product of a column of g and one of h is in K       */
} group_columns;

/* sparse: which groups touch a velocity, and as which of their columns */
typedef struct touching_groups {
    int *from; /* velocities+1 */
    int *group, *as;
} touching_groups;

struct ss_newton_matrix {
    ss_context *ctx;
    ss_arena *arena;
    const ss_problem *problem;
    ss_row_groups rows;
    int n;
    bool dense, symmetric;
    int *block_of; /* the block of A.diagonal each velocity belongs to */
    double *base;  /* A in the layout of K                             */
    full_matrix full;
    sparse_matrix sparse;
    group_columns groups;
    touching_groups touching;
};

ss_status ss_newton_matrix_create(ss_context *ctx, bool symmetric, ss_newton_matrix **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->symmetric = symmetric;
    ss_dense_start();
    ss_status status = ss_arena_create(ctx, 1 << 16, &(*out)->arena);
    if (status == SS_OK) {
        status = symmetric ? ss_sparse_ldl_create(ctx, &(*out)->sparse.ldl) : ss_sparse_lu_create(ctx, &(*out)->sparse.lu);
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
    ss_sparse_lu_destroy(m->sparse.lu);
    ss_sparse_ldl_destroy(m->sparse.ldl);
    ss_csr_free(m->ctx, &m->sparse.K);
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
    SS_TRY(ss_arena_take_raw(m->arena, n * n, sizeof *m->full.K, &m->full.K));
    SS_TRY(ss_arena_take(m->arena, rows * n, sizeof *m->full.J, &m->full.J));
    SS_TRY(ss_arena_take_raw(m->arena, rows * n, sizeof *m->full.DJ, &m->full.DJ));
    SS_TRY(ss_arena_take_raw(m->arena, n, sizeof *m->full.pivots, &m->full.pivots));
    for (int i = 0; i < PARTS * m->n; i++) {
        a_row row = part_of_A(m, i % PARTS, i / PARTS);
        for (int k = 0; k < row.count; k++) {
            m->base[(size_t)(i / PARTS) + n * (size_t)column_of(&row, k)] += row.x[k];
        }
    }
    for (int i = 0; i < J->m; i++) {
        for (int e = J->p[i]; e < J->p[i + 1]; e++) {
            m->full.J[(size_t)i + rows * (size_t)J->i[e]] += J->x[e];
        }
    }
    return SS_OK;
}

static int size_of(const ss_newton_matrix *m, int g) { return m->rows.first[g + 1] - m->rows.first[g]; }

/* y += E x of all links; x, y: rows */
static void add_links(const ss_newton_matrix *m, const double *D, const double *x, double *y)
{
    for (int l = 0; l < m->rows.links; l++) {
        const int g = m->rows.link[l][0], h = m->rows.link[l][1], width = size_of(m, h);
        const double *E = D + 9 * (m->rows.count + l);
        for (int a = 0; a < size_of(m, g); a++) {
            for (int b = 0; b < width; b++) {
                y[m->rows.first[g] + a] += E[a * width + b] * x[m->rows.first[h] + b];
            }
        }
    }
}

/* DJ = D J, then K = A + J' DJ */
static bool factor_dense(ss_newton_matrix *m, const double *D)
{
    int n = m->n, rows = m->rows.J->m;
    for (int j = 0; j < n; j++) {
        const double *x = m->full.J + (size_t)rows * (size_t)j;
        double *y = m->full.DJ + (size_t)rows * (size_t)j;
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
    for (int j = 0; j < n; j++) {
        const double *x = m->full.J + (size_t)rows * (size_t)j;
        add_links(m, D, x, m->full.DJ + (size_t)rows * (size_t)j);
    }
    memcpy(m->full.K, m->base, (size_t)n * (size_t)n * sizeof *m->full.K);
    ss_dense_transpose_product(n, n, rows, m->full.J, rows, m->full.DJ, rows, m->full.K, n);
    return m->symmetric ? ss_dense_cholesky(n, m->full.K, n) : ss_dense_lu(n, m->full.K, n, m->full.pivots);
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
    int begin = m->groups.from[g], width = m->groups.from[g + 1] - begin;
    for (int k = 0; k < width; k++) {
        m->sparse.mark[m->groups.column[begin + k]] = k;
    }
    double *X = m->groups.X + m->groups.x_from[g];
    for (int row = m->rows.first[g]; row < m->rows.first[g + 1]; row++, X += width) {
        for (int e = J->p[row]; e < J->p[row + 1]; e++) {
            X[m->sparse.mark[J->i[e]]] += J->x[e];
        }
    }
}

static ss_status cut_groups(ss_newton_matrix *m)
{
    const ss_csr *J = m->rows.J;
    int groups = m->rows.count, entries = J->m > 0 ? J->p[J->m] : 0;
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->groups.from, &m->groups.from));
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->groups.x_from, &m->groups.x_from));
    SS_TRY(ss_arena_take(m->arena, (size_t)groups + 1, sizeof *m->groups.place_from, &m->groups.place_from));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)entries, sizeof *m->groups.column, &m->groups.column));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)m->n, sizeof *m->sparse.mark, &m->sparse.mark));
    for (int g = 0; g < groups; g++) {
        int width = columns_of_group(m, g, m->groups.column + m->groups.from[g]);
        m->groups.from[g + 1] = m->groups.from[g] + width;
        m->groups.x_from[g + 1] = m->groups.x_from[g] + width * (m->rows.first[g + 1] - m->rows.first[g]);
        m->groups.place_from[g + 1] = m->groups.place_from[g] + (size_t)width * (size_t)width;
    }
    SS_TRY(ss_arena_take(m->arena, (size_t)m->groups.x_from[groups], sizeof *m->groups.X, &m->groups.X));
    for (int g = 0; g < groups; g++) {
        fill_group(m, g);
    }
    return SS_OK;
}

/* which groups touch a velocity, and as which of their columns */
static ss_status list_by_column(ss_newton_matrix *m)
{
    int total = m->groups.from[m->rows.count];
    SS_TRY(ss_arena_take(m->arena, (size_t)m->n + 2, sizeof *m->touching.from, &m->touching.from));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)total, sizeof *m->touching.group, &m->touching.group));
    SS_TRY(ss_arena_take_raw(m->arena, (size_t)total, sizeof *m->touching.as, &m->touching.as));
    for (int k = 0; k < total; k++) {
        m->touching.from[m->groups.column[k] + 2]++;
    }
    for (int i = 2; i <= m->n + 1; i++) {
        m->touching.from[i] += m->touching.from[i - 1];
    }
    for (int g = 0; g < m->rows.count; g++) {
        for (int k = m->groups.from[g]; k < m->groups.from[g + 1]; k++) {
            int next = m->touching.from[m->groups.column[k] + 1]++;
            m->touching.group[next] = g;
            m->touching.as[next] = k - m->groups.from[g];
        }
    }
    return SS_OK;
}

/* ---- sparse: the pattern ---------------------------------------------------------------------- */

/* position of a column in the row being built; it is added if it is new */
static ss_status position(ss_newton_matrix *m, int column, int begin, int *out)
{
    if (m->sparse.mark[column] < begin) {
        SS_TRY(ss_csr_push(m->ctx, &m->sparse.K, column, 0));
        m->sparse.mark[column] = m->sparse.K.p[m->sparse.K.m + 1] - 1;
    }
    *out = m->sparse.mark[column];
    return SS_OK;
}

/* the products of column `as` of group g with those of the groups that it is linked to */
static ss_status place_links(ss_newton_matrix *m, int g, int as, int begin)
{
    for (int l = m->groups.link_from[g]; l < m->groups.link_from[g + 1]; l++) {
        const int h = m->rows.link[l][1], first = m->groups.from[h], width = m->groups.from[h + 1] - first;
        int *place = m->groups.link_place + m->groups.link_place_from[l] + (size_t)as * (size_t)width;
        for (int c = 0; c < width; c++) {
            SS_TRY(position(m, m->groups.column[first + c], begin, &place[c]));
        }
    }
    return SS_OK;
}

/* row i of K: A's part goes into x and stays there as the base, the groups' part into place */
static ss_status pattern_row(ss_newton_matrix *m, int i)
{
    int begin = m->sparse.K.m > 0 ? m->sparse.K.p[m->sparse.K.m] : 0, at;
    for (int part = 0; part < PARTS; part++) {
        a_row row = part_of_A(m, part, i);
        for (int k = 0; k < row.count; k++) {
            SS_TRY(position(m, column_of(&row, k), begin, &at));
            m->sparse.K.x[at] += row.x[k];
        }
    }
    for (int k = m->touching.from[i]; k < m->touching.from[i + 1]; k++) {
        int g = m->touching.group[k], width = m->groups.from[g + 1] - m->groups.from[g];
        int *place = m->groups.place + m->groups.place_from[g] + (size_t)m->touching.as[k] * (size_t)width;
        for (int c = 0; c < width; c++) {
            SS_TRY(position(m, m->groups.column[m->groups.from[g] + c], begin, &place[c]));
        }
        SS_TRY(place_links(m, g, m->touching.as[k], begin));
    }
    return ss_csr_end_row(m->ctx, &m->sparse.K);
}

/* which links each group has, and room for their products */
static ss_status cut_links(ss_newton_matrix *m)
{
    const int links = m->rows.links;
    SS_TRY(ss_arena_take(m->arena, (size_t)m->rows.count + 1, sizeof *m->groups.link_from, &m->groups.link_from));
    SS_TRY(ss_arena_take(m->arena, (size_t)links + 1, sizeof *m->groups.link_place_from, &m->groups.link_place_from));
    for (int l = 0; l < links; l++) {
        const int g = m->rows.link[l][0], h = m->rows.link[l][1];
        const size_t wide = (size_t)(m->groups.from[g + 1] - m->groups.from[g]),
                     across = (size_t)(m->groups.from[h + 1] - m->groups.from[h]);
        m->groups.link_from[g + 1] = l + 1;
        m->groups.link_place_from[l + 1] = m->groups.link_place_from[l] + wide * across;
    }
    for (int g = 0; g < m->rows.count; g++) { /* groups without links end where those before them do */
        m->groups.link_from[g + 1] = m->groups.link_from[g + 1] > 0 ? m->groups.link_from[g + 1] : m->groups.link_from[g];
    }
    return ss_arena_take_raw(m->arena, m->groups.link_place_from[links], sizeof *m->groups.link_place, &m->groups.link_place);
}

static ss_status prepare_sparse(ss_newton_matrix *m)
{
    SS_TRY(cut_groups(m));
    SS_TRY(cut_links(m));
    SS_TRY(list_by_column(m));
    size_t places = m->groups.place_from[m->rows.count];
    if (places > MOST_PLACES) {
        return ss_fail(m->ctx, SS_ERR_UNSUPPORTED, "contact rows make %zu products of two velocities, limit %d", places,
                       MOST_PLACES);
    }
    SS_TRY(ss_arena_take_raw(m->arena, places, sizeof *m->groups.place, &m->groups.place));
    for (int i = 0; i < m->n; i++) {
        m->sparse.mark[i] = -1;
    }
    ss_csr_reset(&m->sparse.K, m->n);
    for (int i = 0; i < m->n; i++) {
        SS_TRY(pattern_row(m, i));
    }
    size_t entries = (size_t)m->sparse.K.p[m->n];
    SS_TRY(ss_arena_take_raw(m->arena, entries, sizeof *m->base, &m->base));
    memcpy(m->base, m->sparse.K.x, entries * sizeof *m->base);
    return SS_OK;
}

/* ---- sparse: numbers -------------------------------------------------------------------------- */

/* the rows of a group on its columns */
typedef struct group_rows {
    int rows, width;
    const double *X;
} group_rows;

static group_rows rows_of(const ss_newton_matrix *m, int g)
{
    return (group_rows){ size_of(m, g), m->groups.from[g + 1] - m->groups.from[g], m->groups.X + m->groups.x_from[g] };
}

/* a row of K at its places: += left Y, Y of `rows` rows */
static inline void add_row(int rows, int width, const double *left, const double *Y, const int *place, double *K)
{
    for (int j = 0; j < width; j++) {
        double sum = K[place[j]];
        for (int b = 0; b < rows; b++) {
            sum += left[b] * Y[b * width + j];
        }
        K[place[j]] = sum;
    }
}

/* K <- K + X_g' E X_h at the places of these products */
static void add_product(const group_rows *g, const double *E, const group_rows *h, const int *place, double *K)
{
    for (int i = 0; i < g->width; i++, place += h->width) {
        double left[3] = { 0, 0, 0 }; /* row i of X_g' E */
        for (int a = 0; a < g->rows; a++) {
            for (int b = 0; b < h->rows; b++) {
                left[b] += g->X[a * g->width + i] * E[a * h->rows + b];
            }
        }
        if (left[0] == 0 && left[1] == 0 && left[2] == 0) {
            continue;
        }
        if (h->rows == 3) { /* a loop of known length */
            add_row(3, h->width, left, h->X, place, K);
        } else {
            add_row(h->rows, h->width, left, h->X, place, K);
        }
    }
}

static ss_status factor_sparse(ss_newton_matrix *m, const double *D, bool *regular)
{
    ss_csr *S = &m->sparse.K;
    memcpy(S->x, m->base, (size_t)S->p[S->m] * sizeof *S->x);
    for (int g = 0; g < m->rows.count; g++) {
        const group_rows own = rows_of(m, g);
        add_product(&own, D + 9 * g, &own, m->groups.place + m->groups.place_from[g], S->x);
    }
    for (int l = 0; l < m->rows.links; l++) {
        const group_rows first = rows_of(m, m->rows.link[l][0]), second = rows_of(m, m->rows.link[l][1]);
        const int *place = m->groups.link_place + m->groups.link_place_from[l];
        add_product(&first, D + 9 * (m->rows.count + l), &second, place, S->x);
    }
    return m->symmetric ? ss_sparse_ldl_factor(m->sparse.ldl, S, regular) : ss_sparse_lu_factor(m->sparse.lu, S, regular);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static bool is_dense(const ss_newton_matrix *m)
{
    const ss_csr *J = m->rows.J;
    double entries = J->m > 0 ? J->p[J->m] : 0, all = (double)J->m * m->n;
    return m->n <= DENSE_SIZE || (m->n <= DENSE_LIMIT && entries > FULL_ROWS * all);
}

ss_status ss_newton_matrix_prepare(ss_newton_matrix *m, const ss_problem *problem, const ss_row_groups *rows)
{
    m->problem = problem;
    if (!m->symmetric) {
        ss_sparse_lu_forget(m->sparse.lu); /* pivots of an earlier problem would show in the bits */
    }
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
        return m->symmetric ? ss_sparse_ldl_solve(m->sparse.ldl, x) : ss_sparse_lu_solve(m->sparse.lu, x);
    }
    if (m->symmetric) {
        ss_dense_cholesky_solve(m->n, m->full.K, m->n, x);
    } else {
        ss_dense_lu_solve(m->n, m->full.K, m->n, m->full.pivots, x);
    }
    return SS_OK;
}
