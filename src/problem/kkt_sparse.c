/* kkt_sparse.c - saddle-point systems with a sparse A, symmetric or not.
 *
 *   K = ( A  -G' )     K (v, lam) = (b, c);   a redundant row i of G is replaced by  lam_i = 0
 *       ( G   0  )
 *
 * K is assembled by rows; rows of K are columns of K', so KLU factorises K' and klu_tsolve solves with K.
 * Every joint row stores its diagonal, used only when the row is redundant: the pattern stays.
 * Reference   T. A. Davis, E. Palamadai Natarajan, Algorithm 907 (KLU), ACM TOMS 37 (2010)
 * Cost        assembly nnz; then KLU. While the pattern stays klu_refactor reuses ordering and pivots and
 *             takes no memory; a pattern that is new, or pivots that have gone bad (the estimate of the
 *             condition falls by 1000), cost a klu_factor, which takes memory from malloc.             */
#include "problem/kkt_sparse.h"

#include "math/csr.h"
#include <klu.h>

struct ss_kkt_sparse {
    ss_context *ctx;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double rcond;         /* when the pivots were chosen          */
    ss_csr GT, K, before; /* before: pattern that was analysed    */
    int *seen;            /* place of a column in the current row */
    double *rhs, *residual;
    int n_cap;
};

ss_status ss_kkt_sparse_create(ss_context *ctx, ss_kkt_sparse **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    klu_defaults(&(*out)->common);
    return SS_OK;
}

void ss_kkt_sparse_destroy(ss_kkt_sparse *s)
{
    if (!s) {
        return;
    }
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    ss_csr_free(s->ctx, &s->GT);
    ss_csr_free(s->ctx, &s->K);
    ss_csr_free(s->ctx, &s->before);
    ss_free(s->ctx, s->seen);
    ss_free(s->ctx, s->rhs);
    ss_free(s->ctx, s->residual);
    ss_free(s->ctx, s);
}

static ss_status reserve(ss_kkt_sparse *s, int n)
{
    int cap = s->n_cap;
    SS_TRY(ss_reserve(s->ctx, &s->seen, &cap, n, sizeof *s->seen));
    cap = s->n_cap;
    SS_TRY(ss_reserve(s->ctx, &s->rhs, &cap, n, sizeof *s->rhs));
    return ss_reserve(s->ctx, &s->residual, &s->n_cap, n, sizeof *s->residual);
}

/* add to the row being built; entries of one column are merged, as KLU takes no duplicates */
static ss_status add(ss_kkt_sparse *s, int column, double value)
{
    ss_csr *K = &s->K;
    int begin = K->m > 0 ? K->p[K->m] : 0, at = s->seen[column];
    if (at >= begin) {
        K->x[at] += value;
        return SS_OK;
    }
    SS_TRY(ss_csr_push(s->ctx, K, column, value));
    s->seen[column] = K->p[K->m + 1] - 1;
    return SS_OK;
}

static ss_status add_row(ss_kkt_sparse *s, const ss_csr *A, int row, int shift, double factor)
{
    for (int e = A->p[row]; e < A->p[row + 1]; e++) {
        SS_TRY(add(s, A->i[e] + shift, factor * A->x[e]));
    }
    return SS_OK;
}

static ss_status assemble(ss_kkt_sparse *s, const ss_problem *p, const ss_ldl *joints)
{
    int nv = p->nv, nj = p->nj;
    SS_TRY(reserve(s, nv + nj));
    for (int k = 0; k < nv + nj; k++) {
        s->seen[k] = -1;
    }
    SS_TRY(ss_csr_transpose(s->ctx, &p->G, &s->GT));
    ss_csr_reset(&s->K, nv + nj);
    for (int i = 0; i < nv; i++) {
        SS_TRY(add_row(s, &p->A, i, 0, 1));
        if (nj > 0) {
            SS_TRY(add_row(s, &s->GT, i, nv, -1));
        }
        SS_TRY(ss_csr_end_row(s->ctx, &s->K));
    }
    for (int i = 0; i < nj; i++) {
        bool redundant = ss_ldl_is_redundant(joints, i);
        SS_TRY(add_row(s, &p->G, i, 0, redundant ? 0 : 1));
        SS_TRY(add(s, nv + i, redundant ? 1 : 0));
        SS_TRY(ss_csr_end_row(s->ctx, &s->K));
    }
    return SS_OK;
}

static bool same_pattern(const ss_csr *A, const ss_csr *B)
{
    return A->m == B->m && A->m > 0 && memcmp(A->p, B->p, (size_t)(A->m + 1) * sizeof *A->p) == 0 &&
           memcmp(A->i, B->i, (size_t)A->p[A->m] * sizeof *A->i) == 0;
}

static ss_status singular(ss_kkt_sparse *s)
{
    return ss_fail(s->ctx, SS_ERR_NUMERIC, "matrix of %d velocities and joint rows: singular at column %d (KLU status %d)",
                   s->K.m, s->common.singular_col, s->common.status);
}

/* new pivots; with a new pattern also a new ordering */
static ss_status factor_anew(ss_kkt_sparse *s, bool ordering)
{
    ss_csr *K = &s->K;
    klu_free_numeric(&s->numeric, &s->common);
    if (ordering) {
        klu_free_symbolic(&s->symbolic, &s->common);
        ss_csr_reset(&s->before, 0);
        s->symbolic = klu_analyze(K->m, K->p, K->i, &s->common);
        if (!s->symbolic) {
            return singular(s);
        }
        SS_TRY(ss_csr_copy(s->ctx, K, &s->before));
    }
    s->numeric = klu_factor(K->p, K->i, K->x, s->symbolic, &s->common);
    if (!s->numeric || s->common.status != KLU_OK) {
        return singular(s);
    }
    klu_rcond(s->symbolic, s->numeric, &s->common);
    s->rcond = s->common.rcond;
    return SS_OK;
}

ss_status ss_kkt_sparse_factor(ss_kkt_sparse *s, const ss_problem *problem, const ss_ldl *joints)
{
    const double decay = 1e-3;
    SS_TRY(assemble(s, problem, joints));
    if (s->K.m == 0) {
        return SS_OK;
    }
    bool same = s->symbolic && same_pattern(&s->K, &s->before);
    if (same && s->numeric && klu_refactor(s->K.p, s->K.i, s->K.x, s->symbolic, s->numeric, &s->common) &&
        klu_rcond(s->symbolic, s->numeric, &s->common) && s->common.rcond > decay * s->rcond) {
        return SS_OK;
    }
    return factor_anew(s, !same);
}

ss_status ss_kkt_sparse_solve(ss_kkt_sparse *s, double *x)
{
    int n = s->K.m;
    if (n == 0) {
        return SS_OK;
    }
    memcpy(s->rhs, x, (size_t)n * sizeof *x);
    bool done = klu_tsolve(s->symbolic, s->numeric, n, 1, x, &s->common);

    /* refine once:  x += K^-1 (rhs - K x) */
    memcpy(s->residual, s->rhs, (size_t)n * sizeof *x);
    ss_csr_times(&s->K, -1, x, 1, s->residual);
    done = done && klu_tsolve(s->symbolic, s->numeric, n, 1, s->residual, &s->common);
    for (int k = 0; k < n; k++) {
        x[k] += s->residual[k];
    }
    return done ? SS_OK
                : ss_fail(s->ctx, SS_ERR_NUMERIC, "solve with %d velocities and joint rows: KLU status %d", n, s->common.status);
}
