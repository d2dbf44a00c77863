/* coupled.c - one cluster with springs or dampers, solved together with its joints.
 *
 *   K = ( A  -G' )     K (v, lam) = (b, c);   a redundant row i of G is replaced by  lam_i = 0
 *       ( G   0  )
 *
 * K is assembled by rows from the blocks of A.diagonal, the rows of A.sparse and the pieces of G. Every joint row stores its
 * diagonal, used only when the row is redundant, so that the pattern stays.
 * Factors     up to DENSE rows: a full LU, or Cholesky where K is symmetric; above it L D L' where K is symmetric (no joints),
 *             else LU with pivots chosen anew in every call: the bits do not depend on what was factorised before.
 *             Rows of the full LU are divided by their largest entry first: masses and joint rows have different units.
 * Cost        assembly: entries; then the factorisation. Memory when a size is new, besides that of KLU and MUMPS */
#include "problem/coupled.h"

#include "math/dense.h"
#include "math/matrix.h"
#include "math/sparse_ldl.h"
#include "math/sparse_lu.h"

#include <math.h>

enum { DENSE = 60 }; /* rows up to which a full matrix is quicker than its pattern */

/* numbers in the problem of what belongs to the cluster */
typedef struct member_list {
    int count, *item;
    int cap;
} member_list;

/* the factors of a small cluster */
typedef struct dense_factor {
    double *LU;    /* column-major; Cholesky where K is symmetric  */
    double *scale; /* what the rows were divided by                */
    int *pivots;
    int cap; /* of LU */
} dense_factor;

struct ss_coupled {
    ss_context *ctx;
    member_list velocities, joints;
    ss_csr K;
    bool symmetric;
    dense_factor dense;
    ss_sparse_ldl *ldl; /* made when first needed */
    ss_sparse_lu *lu;
    int *seen;           /* columns: where the row that is built has its entry */
    double *given, *off; /* copy of the right-hand side; its residual          */
    int n_cap;           /* of all vectors of velocities and joint rows        */
};

ss_status ss_coupled_create(ss_context *ctx, ss_coupled **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_dense_start();
    return SS_OK;
}

void ss_coupled_destroy(ss_coupled *x)
{
    if (!x) {
        return;
    }
    void *owned[] = {
        x->velocities.item, x->joints.item, x->dense.LU, x->dense.scale, x->dense.pivots, x->seen, x->given, x->off
    };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(x->ctx, owned[k]);
    }
    ss_csr_free(x->ctx, &x->K);
    ss_sparse_ldl_destroy(x->ldl);
    ss_sparse_lu_destroy(x->lu);
    ss_free(x->ctx, x);
}

static bool is_dense(const ss_coupled *x) { return x->K.m <= DENSE; }

/* ---- which velocities and joint rows -------------------------------------------------------------- */

static ss_status list_velocities(ss_coupled *x, const ss_problem *p, const ss_clusters *clusters, int cluster, int *local)
{
    const ss_blockdiag *B = &p->scale;
    SS_TRY(
        ss_reserve(x->ctx, &x->velocities.item, &x->velocities.cap, clusters->velocities[cluster], sizeof *x->velocities.item));
    x->velocities.count = 0;
    for (int k = clusters->list.first[cluster]; k < clusters->list.first[cluster + 1]; k++) {
        int b = clusters->list.item[k];
        for (int i = B->offset[b]; i < B->offset[b] + B->size[b]; i++) {
            local[i] = x->velocities.count;
            x->velocities.item[x->velocities.count++] = i;
        }
    }
    return SS_OK;
}

/* rows of G that touch the cluster, in the order in which its blocks meet them */
static ss_status list_joints(ss_coupled *x, const ss_problem *p, const ss_clusters *clusters, int cluster, const ss_gram *joints,
                             int *local)
{
    int *place = local + p->nv;
    x->joints.count = 0;
    for (int pass = 0; pass < 2; pass++) { /* the first pass marks the joint rows as not listed yet */
        for (int k = clusters->list.first[cluster]; k < clusters->list.first[cluster + 1]; k++) {
            int b = clusters->list.item[k];
            for (int e = joints->by_first[b]; e < joints->by_first[b + 1]; e++) {
                int row = joints->row[joints->by[e]];
                if (pass == 0) {
                    place[row] = -1;
                } else if (place[row] < 0) {
                    SS_TRY(ss_reserve(x->ctx, &x->joints.item, &x->joints.cap, x->joints.count + 1, sizeof *x->joints.item));
                    place[row] = x->velocities.count + x->joints.count;
                    x->joints.item[x->joints.count++] = row;
                }
            }
        }
    }
    return SS_OK;
}

static ss_status reserve(ss_coupled *x)
{
    int n = x->velocities.count + x->joints.count, cap;
    double **numbers[] = { &x->dense.scale, &x->given, &x->off };
    int **whole[] = { &x->dense.pivots, &x->seen };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        cap = x->n_cap;
        SS_TRY(ss_reserve(x->ctx, numbers[k], &cap, n, sizeof **numbers[k]));
    }
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        cap = x->n_cap;
        SS_TRY(ss_reserve(x->ctx, whole[k], &cap, n, sizeof **whole[k]));
    }
    x->n_cap = n > x->n_cap ? cap : x->n_cap;
    if (n > DENSE) {
        return SS_OK;
    }
    /* how many entries are not zero may change from step to step */
    SS_TRY(ss_csr_reserve(x->ctx, &x->K, n, n * n));
    return ss_reserve(x->ctx, &x->dense.LU, &x->dense.cap, n * n, sizeof *x->dense.LU);
}

/* ---- K by rows ------------------------------------------------------------------------------------ */

/* add to the row being built; entries of one column are merged */
static ss_status add(ss_coupled *x, int column, double value) { return ss_csr_add(x->ctx, &x->K, x->seen, column, value); }

/* row i of A, and -G' */
static ss_status momentum_row(ss_coupled *x, const ss_problem *p, int block, int i, const ss_gram *joints, const int *local)
{
    const ss_blockdiag *D = &p->A.diagonal;
    const ss_csr *S = &p->A.sparse;
    int first = p->scale.offset[block], n = p->scale.size[block];
    for (int j = 0; D->blocks > 0 && j < n; j++) {
        SS_TRY(add(x, local[first + j], D->x[D->start[block] + (i - first) * n + j]));
    }
    for (int e = S->p[i]; e < S->p[i + 1]; e++) {
        if (S->x[e] != 0) { /* a stored zero may lead out of the cluster */
            SS_TRY(add(x, local[S->i[e]], S->x[e]));
        }
    }
    for (int e = joints->by_first[block]; e < joints->by_first[block + 1]; e++) {
        int piece = joints->by[e];
        SS_TRY(add(x, local[p->nv + joints->row[piece]], -joints->x[joints->at[piece] + i - first]));
    }
    return ss_csr_end_row(x->ctx, &x->K);
}

static ss_status joint_row(ss_coupled *x, const ss_problem *p, int k, const ss_gram *joints, const ss_ldl *schur,
                           const int *local)
{
    int row = x->joints.item[k];
    bool redundant = ss_ldl_is_redundant(schur, row);
    for (int piece = joints->first[row]; piece < joints->first[row + 1]; piece++) {
        int first = p->scale.offset[joints->block[piece]];
        for (int j = 0; j < p->scale.size[joints->block[piece]]; j++) {
            SS_TRY(add(x, local[first + j], redundant ? 0 : joints->x[joints->at[piece] + j]));
        }
    }
    SS_TRY(add(x, x->velocities.count + k, redundant ? 1 : 0));
    return ss_csr_end_row(x->ctx, &x->K);
}

static ss_status assemble(ss_coupled *x, const ss_problem *p, const ss_clusters *clusters, int cluster, const ss_gram *joints,
                          const ss_ldl *schur, const int *local)
{
    int n = x->velocities.count + x->joints.count;
    for (int k = 0; k < n; k++) {
        x->seen[k] = -1;
    }
    ss_csr_reset(&x->K, n);
    for (int k = clusters->list.first[cluster]; k < clusters->list.first[cluster + 1]; k++) {
        int b = clusters->list.item[k];
        for (int i = p->scale.offset[b]; i < p->scale.offset[b] + p->scale.size[b]; i++) {
            SS_TRY(momentum_row(x, p, b, i, joints, local));
        }
    }
    for (int k = 0; k < x->joints.count; k++) {
        SS_TRY(joint_row(x, p, k, joints, schur, local));
    }
    return SS_OK;
}

/* ---- factors --------------------------------------------------------------------------------------- */

static double largest_of_row(const ss_csr *K, int i)
{
    double most = 0;
    for (int e = K->p[i]; e < K->p[i + 1]; e++) {
        most = fmax(most, fabs(K->x[e]));
    }
    return most > 0 ? most : 1;
}

static bool factor_dense(ss_coupled *x)
{
    const ss_csr *K = &x->K;
    size_t n = (size_t)K->m;
    memset(x->dense.LU, 0, n * n * sizeof *x->dense.LU);
    for (int i = 0; i < K->m; i++) {
        x->dense.scale[i] = x->symmetric ? 1 : largest_of_row(K, i);
        for (int e = K->p[i]; e < K->p[i + 1]; e++) {
            x->dense.LU[(size_t)i + n * (size_t)K->i[e]] = K->x[e] / x->dense.scale[i];
        }
    }
    return x->symmetric ? ss_dense_cholesky(K->m, x->dense.LU, K->m) : ss_dense_lu(K->m, x->dense.LU, K->m, x->dense.pivots);
}

static ss_status factor_sparse(ss_coupled *x, bool *regular)
{
    if (x->symmetric) {
        SS_TRY(x->ldl ? SS_OK : ss_sparse_ldl_create(x->ctx, &x->ldl));
        return ss_sparse_ldl_factor(x->ldl, &x->K, regular);
    }
    SS_TRY(x->lu ? SS_OK : ss_sparse_lu_create(x->ctx, &x->lu));
    ss_sparse_lu_forget(x->lu);
    return ss_sparse_lu_factor(x->lu, &x->K, regular);
}

ss_status ss_coupled_factor(ss_coupled *x, const ss_problem *p, const ss_clusters *clusters, int cluster, const ss_gram *joints,
                            const ss_ldl *schur, int *local)
{
    bool regular = false;
    SS_TRY(list_velocities(x, p, clusters, cluster, local));
    SS_TRY(list_joints(x, p, clusters, cluster, joints, local));
    SS_TRY(reserve(x));
    SS_TRY(assemble(x, p, clusters, cluster, joints, schur, local));
    x->symmetric = p->A.symmetric && x->joints.count == 0;
    if (is_dense(x)) {
        regular = factor_dense(x);
    } else {
        SS_TRY(factor_sparse(x, &regular));
    }
    return regular ? SS_OK
                   : ss_fail(x->ctx, SS_ERR_NUMERIC, "matrix of %d coupled velocities and %d joint rows: %s", x->velocities.count,
                             x->joints.count, x->symmetric ? "not positive definite" : "singular");
}

int ss_coupled_velocities(const ss_coupled *x, const int **index)
{
    *index = x->velocities.item;
    return x->velocities.count;
}

int ss_coupled_joints(const ss_coupled *x, const int **row)
{
    *row = x->joints.item;
    return x->joints.count;
}

/* ---- solve ----------------------------------------------------------------------------------------- */

static ss_status solve_once(ss_coupled *x, double *b)
{
    int n = x->K.m;
    if (!is_dense(x)) {
        return x->symmetric ? ss_sparse_ldl_solve(x->ldl, b) : ss_sparse_lu_solve(x->lu, b);
    }
    if (x->symmetric) {
        ss_dense_cholesky_solve(n, x->dense.LU, n, b);
        return SS_OK;
    }
    for (int i = 0; i < n; i++) {
        b[i] /= x->dense.scale[i];
    }
    ss_dense_lu_solve(n, x->dense.LU, n, x->dense.pivots, b);
    return SS_OK;
}

ss_status ss_coupled_solve(ss_coupled *k, double *x)
{
    int n = k->K.m;
    for (int i = 0; i < k->joints.count; i++) { /* a redundant row says lam = 0 */
        int row = k->velocities.count + i;
        x[row] = k->K.x[k->K.p[row + 1] - 1] != 0 ? 0 : x[row];
    }
    memcpy(k->given, x, (size_t)n * sizeof *x);
    SS_TRY(solve_once(k, x));
    memcpy(k->off, k->given, (size_t)n * sizeof *x);
    ss_csr_times(&k->K, -1, x, 1, k->off); /* x += K^-1 (b - K x) */
    SS_TRY(solve_once(k, k->off));
    for (int i = 0; i < n; i++) {
        x[i] += k->off[i];
    }
    return SS_OK;
}
