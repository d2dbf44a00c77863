/* ldl.c - sparse L D L' factorisation with redundant rows.
 *
 *   P A P' = L D L',   A symmetric positive semidefinite, L unit lower triangular
 *
 * Row k of L is found from the rows above it: solve L(1:k-1,1:k-1) y = A(1:k-1,k), then
 * l_ki = y_i / d_i and d_k = a_kk - sum l_ki y_i. The nonzeros of y are the nodes that the elimination
 * tree reaches from the entries of A(1:k-1,k).
 * A pivot d_k <= eps a_kk belongs to a row that depends on the rows before it: 1/d_k is replaced by 0, so
 * column k of L vanishes and the unknown k is exactly 0; a consistent system is still solved.
 *
 * Reference   T. A. Davis, Algorithm 849 (LDL), ACM TOMS 31 (2005); ordering: AMD of SuiteSparse
 * Symbols     parent elimination tree; Lp, Li, Lx columns of L; dinv 1/D; y, stack, mark scratch
 * Cost        analysis once per pattern; then flops of the sparse factor: linear for a chain
 * Memory      taken when a pattern is new; amd_order takes and frees its own scratch there           */
#include "math/ldl.h"

#include <amd.h>

struct ss_ldl {
    ss_context *ctx;
    int n, entries, redundant, analyses;
    double smallest;          /* pivot, relative to its diagonal */
    bool known;               /* Ap, Ai hold an analysed pattern */
    int *Ap, *Ai;             /* pattern as given                */
    int *perm, *inverse;      /* new -> old, old -> new          */
    int *parent, *Lp, *count; /* n, n+1, n                       */
    int *stack, *mark;        /* n, n                            */
    int *Li;
    double *Lx, *dinv, *y, *w; /* w: right-hand side in new order */
    int n_cap, Ap_cap, Ai_cap, L_cap;
};

ss_status ss_ldl_create(ss_context *ctx, ss_ldl **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    return SS_OK;
}

void ss_ldl_destroy(ss_ldl *f)
{
    if (!f) {
        return;
    }
    void *owned[] = { f->Ap,    f->Ai,   f->perm, f->inverse, f->parent, f->Lp, f->count,
                      f->stack, f->mark, f->Li,   f->Lx,      f->dinv,   f->y,  f->w };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(f->ctx, owned[k]);
    }
    ss_free(f->ctx, f);
}

/* all arrays of length n (+1) share one capacity */
static ss_status reserve_nodes(ss_ldl *f, int n)
{
    int **ints[] = { &f->perm, &f->inverse, &f->parent, &f->Lp, &f->count, &f->stack, &f->mark };
    double **doubles[] = { &f->dinv, &f->y, &f->w };
    int cap = f->n_cap;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        cap = f->n_cap;
        SS_TRY(ss_reserve(f->ctx, ints[k], &cap, n + 1, sizeof **ints[k]));
    }
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) {
        cap = f->n_cap;
        SS_TRY(ss_reserve(f->ctx, doubles[k], &cap, n + 1, sizeof **doubles[k]));
    }
    f->n_cap = cap;
    return SS_OK;
}

static bool same_pattern(const ss_ldl *f, int n, const int *p, const int *i)
{
    return f->known && f->n == n && memcmp(f->Ap, p, (size_t)(n + 1) * sizeof *p) == 0 &&
           memcmp(f->Ai, i, (size_t)p[n] * sizeof *i) == 0;
}

static ss_status keep_pattern(ss_ldl *f, int n, const int *p, const int *i)
{
    SS_TRY(ss_reserve(f->ctx, &f->Ap, &f->Ap_cap, n + 1, sizeof *f->Ap));
    SS_TRY(ss_reserve(f->ctx, &f->Ai, &f->Ai_cap, p[n] + 1, sizeof *f->Ai));
    memcpy(f->Ap, p, (size_t)(n + 1) * sizeof *p);
    memcpy(f->Ai, i, (size_t)p[n] * sizeof *i);
    f->n = n;
    return SS_OK;
}

/* elimination tree and column counts of L, in the new order */
static void count_columns(ss_ldl *f)
{
    for (int k = 0; k < f->n; k++) {
        f->parent[k] = -1;
        f->mark[k] = k;
        f->count[k] = 0;
        for (int e = f->Ap[f->perm[k]]; e < f->Ap[f->perm[k] + 1]; e++) {
            int i = f->inverse[f->Ai[e]];
            for (; i < k && f->mark[i] != k; i = f->parent[i]) {
                if (f->parent[i] < 0) {
                    f->parent[i] = k;
                }
                f->count[i]++; /* L(k,i) is nonzero */
                f->mark[i] = k;
            }
        }
    }
    f->Lp[0] = 0;
    for (int k = 0; k < f->n; k++) {
        f->Lp[k + 1] = f->Lp[k] + f->count[k];
    }
    f->entries = f->Lp[f->n];
}

ss_status ss_ldl_analyse(ss_ldl *f, int n, const int *p, const int *i)
{
    if (same_pattern(f, n, p, i)) {
        return SS_OK;
    }
    f->known = false;
    SS_TRY(reserve_nodes(f, n));
    SS_TRY(keep_pattern(f, n, p, i));
    int status = n > 0 ? amd_order(n, f->Ap, f->Ai, f->perm, NULL, NULL) : AMD_OK;
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) {
        return ss_fail(f->ctx, status == AMD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_INPUT,
                       "ordering of a sparse matrix of %d rows: AMD returned %d", n, status);
    }
    for (int k = 0; k < n; k++) {
        f->inverse[f->perm[k]] = k;
    }
    count_columns(f);
    int cap = f->L_cap;
    SS_TRY(ss_reserve(f->ctx, &f->Li, &cap, f->entries, sizeof *f->Li));
    SS_TRY(ss_reserve(f->ctx, &f->Lx, &f->L_cap, f->entries, sizeof *f->Lx));
    f->known = true;
    f->analyses++;
    return SS_OK;
}

/* scatter row k of A into y; returns where its pattern, in elimination order, begins on the stack */
static int scatter_row(ss_ldl *f, const double *x, int k, double *diagonal)
{
    int top = f->n;
    f->mark[k] = k;
    *diagonal = 0;
    for (int e = f->Ap[f->perm[k]]; e < f->Ap[f->perm[k] + 1]; e++) {
        int i = f->inverse[f->Ai[e]], length = 0;
        if (i == k) {
            *diagonal += x[e];
        } else if (i < k) {
            f->y[i] += x[e];
            for (; f->mark[i] != k; i = f->parent[i]) {
                f->stack[length++] = i;
                f->mark[i] = k;
            }
            while (length > 0) {
                f->stack[--top] = f->stack[--length];
            }
        }
    }
    return top;
}

/* row k of L and its pivot, by a sparse triangular solve */
static double eliminate_row(ss_ldl *f, int k, int top, double diagonal)
{
    double d = diagonal;
    for (; top < f->n; top++) {
        int i = f->stack[top];
        double yi = f->y[i];
        f->y[i] = 0;
        int end = f->Lp[i] + f->count[i];
        for (int e = f->Lp[i]; e < end; e++) {
            f->y[f->Li[e]] -= f->Lx[e] * yi;
        }
        double l = yi * f->dinv[i];
        d -= l * yi;
        f->Li[end] = k;
        f->Lx[end] = l;
        f->count[i]++;
    }
    return d;
}

void ss_ldl_factor(ss_ldl *f, const double *x, double eps, const bool *skip)
{
    f->redundant = 0;
    f->smallest = 1;
    for (int k = 0; k < f->n; k++) {
        f->count[k] = 0;
        f->mark[k] = -1;
        f->y[k] = 0;
    }
    for (int k = 0; k < f->n; k++) {
        double diagonal;
        int top = scatter_row(f, x, k, &diagonal);
        double d = eliminate_row(f, k, top, diagonal);
        bool skipped = skip && skip[f->perm[k]], keep = d > eps * diagonal && !skipped;
        double relative = diagonal > 0 ? d / diagonal : 0;
        f->smallest = skipped || relative >= f->smallest ? f->smallest : relative; /* NaN is kept */
        f->dinv[k] = keep ? 1 / d : 0;
        f->redundant += !keep;
    }
}

void ss_ldl_solve(const ss_ldl *f, double *x)
{
    double *w = f->w;
    for (int k = 0; k < f->n; k++) {
        w[k] = x[f->perm[k]];
    }
    for (int k = 0; k < f->n; k++) {
        for (int e = f->Lp[k]; e < f->Lp[k + 1]; e++) {
            w[f->Li[e]] -= f->Lx[e] * w[k];
        }
    }
    for (int k = f->n - 1; k >= 0; k--) {
        w[k] *= f->dinv[k];
        for (int e = f->Lp[k]; e < f->Lp[k + 1]; e++) {
            w[k] -= f->Lx[e] * w[f->Li[e]];
        }
    }
    for (int k = 0; k < f->n; k++) {
        x[f->perm[k]] = w[k];
    }
}

int ss_ldl_redundant(const ss_ldl *f) { return f->redundant; }

double ss_ldl_smallest_pivot(const ss_ldl *f) { return f->smallest; }

bool ss_ldl_is_redundant(const ss_ldl *f, int row) { return f->dinv[f->inverse[row]] == 0; }

int ss_ldl_entries(const ss_ldl *f) { return f->entries; }

int ss_ldl_analyses(const ss_ldl *f) { return f->analyses; }
