/* ldl.c - sparse L D L' factorisation with redundant rows.
 *
 *   P A P' = L D L',   A symmetric positive semidefinite, L unit lower triangular
 *
 * Row k of L is found from the rows above it: solve L(1:k-1,1:k-1) y = A(1:k-1,k), then
 * l_ki = y_i / d_i and d_k = a_kk - sum l_ki y_i. The nonzeros of y are the nodes that the elimination
 * tree reaches from the entries of A(1:k-1,k).
 * A pivot d_k <= eps a_kk belongs to a row that depends on the rows before it: 1/d_k is replaced by 0, so
 * column k of L vanishes and the unknown k is exactly 0; a consistent system is still solved.
 * So does a pivot that is nothing but rounding. Rounding of d_k is that of its terms, and the errors of the pivots before it,
 * which count l_ki^2 times: s_k = a_kk + sum l_ki^2 s_i; where d_k <= SS_TOL_PIVOT s_k nothing is left of it. After a row that
 * is nearly dependent, with a pivot of 1e-8, this is 1e-7 of the diagonal. With eps = 0 every pivot above zero counts: a matrix
 * that is definite by itself, of entries of any size.
 *
 * Reference   T. A. Davis, Algorithm 849 (LDL), ACM TOMS 31 (2005); ordering: AMD of SuiteSparse
 * Cost        analysis once per pattern; then flops of the sparse factor: linear for a chain
 * Memory      taken when a pattern is new; amd_order takes and frees its own scratch there           */
#include "math/ldl.h"

#include "base/tolerances.h"
#include "math/worse.h"

#include <amd.h>
#include <math.h>

/* the pattern of A as it was given */
typedef struct ldl_pattern {
    bool known; /* p and i hold a pattern that was analysed */
    int *p, *i; /* n+1, entries of A                        */
    int p_cap, i_cap;
} ldl_pattern;

/* the order of elimination */
typedef struct ldl_order {
    int *perm, *inverse; /* n: new -> old, old -> new               */
    int *parent;         /* n: elimination tree; -1: a root          */
} ldl_order;

/* L by columns below its diagonal, and D */
typedef struct ldl_factor {
    int entries;
    int *p, *count; /* n+1, n: where a column begins; entries of it so far */
    int *i;         /* entries: rows                                       */
    double *x;      /* entries                                             */
    double *dinv;   /* n: 1/D; 0: redundant                                */
    double *size;   /* n: s, the terms that a pivot is made of              */
    int cap;
} ldl_factor;

typedef struct ldl_scratch {
    int *stack, *mark; /* n                                     */
    double *y;         /* n: the row that is being eliminated   */
    double *w;         /* n: right-hand side in the new order   */
} ldl_scratch;

struct ss_ldl {
    ss_context *ctx;
    int n, n_cap;
    ldl_pattern pattern;
    ldl_order order;
    ldl_factor L;
    ldl_scratch scratch;
    int redundant, analyses;
    double smallest; /* pivot, relative to its diagonal */
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
    void *owned[] = { f->pattern.p, f->pattern.i, f->order.perm,    f->order.inverse, f->order.parent,
                      f->L.p,       f->L.count,   f->scratch.stack, f->scratch.mark,  f->L.i,
                      f->L.x,       f->L.dinv,    f->L.size,        f->scratch.y,     f->scratch.w };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(f->ctx, owned[k]);
    }
    ss_free(f->ctx, f);
}

/* all arrays of length n (+1) share one capacity */
static ss_status reserve_nodes(ss_ldl *f, int n)
{
    int **ints[] = { &f->order.perm, &f->order.inverse, &f->order.parent, &f->L.p,
                     &f->L.count,    &f->scratch.stack, &f->scratch.mark };
    double **doubles[] = { &f->L.dinv, &f->L.size, &f->scratch.y, &f->scratch.w };
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
    return f->pattern.known && f->n == n && memcmp(f->pattern.p, p, (size_t)(n + 1) * sizeof *p) == 0 &&
           memcmp(f->pattern.i, i, (size_t)p[n] * sizeof *i) == 0;
}

static ss_status keep_pattern(ss_ldl *f, int n, const int *p, const int *i)
{
    SS_TRY(ss_reserve(f->ctx, &f->pattern.p, &f->pattern.p_cap, n + 1, sizeof *f->pattern.p));
    SS_TRY(ss_reserve(f->ctx, &f->pattern.i, &f->pattern.i_cap, p[n] + 1, sizeof *f->pattern.i));
    memcpy(f->pattern.p, p, (size_t)(n + 1) * sizeof *p);
    memcpy(f->pattern.i, i, (size_t)p[n] * sizeof *i);
    f->n = n;
    return SS_OK;
}

/* elimination tree and column counts of L, in the new order */
static void count_columns(ss_ldl *f)
{
    for (int k = 0; k < f->n; k++) {
        f->order.parent[k] = -1;
        f->scratch.mark[k] = k;
        f->L.count[k] = 0;
        for (int e = f->pattern.p[f->order.perm[k]]; e < f->pattern.p[f->order.perm[k] + 1]; e++) {
            int i = f->order.inverse[f->pattern.i[e]];
            for (; i < k && f->scratch.mark[i] != k; i = f->order.parent[i]) {
                if (f->order.parent[i] < 0) {
                    f->order.parent[i] = k;
                }
                f->L.count[i]++; /* L(k,i) is nonzero */
                f->scratch.mark[i] = k;
            }
        }
    }
    f->L.p[0] = 0;
    for (int k = 0; k < f->n; k++) {
        f->L.p[k + 1] = f->L.p[k] + f->L.count[k];
    }
    f->L.entries = f->L.p[f->n];
}

ss_status ss_ldl_analyse(ss_ldl *f, int n, const int *p, const int *i)
{
    if (same_pattern(f, n, p, i)) {
        return SS_OK;
    }
    f->pattern.known = false;
    SS_TRY(reserve_nodes(f, n));
    SS_TRY(keep_pattern(f, n, p, i));
    int status = n > 0 ? amd_order(n, f->pattern.p, f->pattern.i, f->order.perm, NULL, NULL) : AMD_OK;
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) {
        return ss_fail(f->ctx, status == AMD_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_ERR_INPUT,
                       "ordering of a sparse matrix of %d rows: AMD returned %d", n, status);
    }
    for (int k = 0; k < n; k++) {
        f->order.inverse[f->order.perm[k]] = k;
    }
    count_columns(f);
    int cap = f->L.cap;
    SS_TRY(ss_reserve(f->ctx, &f->L.i, &cap, f->L.entries, sizeof *f->L.i));
    SS_TRY(ss_reserve(f->ctx, &f->L.x, &f->L.cap, f->L.entries, sizeof *f->L.x));
    f->pattern.known = true;
    f->analyses++;
    return SS_OK;
}

/* scatter row k of A into y; returns where its pattern, in elimination order, begins on the stack */
static int scatter_row(ss_ldl *f, const double *x, int k, double *diagonal)
{
    int top = f->n;
    f->scratch.mark[k] = k;
    *diagonal = 0;
    for (int e = f->pattern.p[f->order.perm[k]]; e < f->pattern.p[f->order.perm[k] + 1]; e++) {
        int i = f->order.inverse[f->pattern.i[e]], length = 0;
        if (i == k) {
            *diagonal += x[e];
        } else if (i < k) {
            f->scratch.y[i] += x[e];
            for (; f->scratch.mark[i] != k; i = f->order.parent[i]) {
                f->scratch.stack[length++] = i;
                f->scratch.mark[i] = k;
            }
            while (length > 0) {
                f->scratch.stack[--top] = f->scratch.stack[--length];
            }
        }
    }
    return top;
}

/* row k of L and its pivot, by a sparse triangular solve */
static double eliminate_row(ss_ldl *f, int k, int top, double diagonal)
{
    double d = diagonal, size = diagonal;
    for (; top < f->n; top++) {
        int i = f->scratch.stack[top];
        double yi = f->scratch.y[i];
        f->scratch.y[i] = 0;
        int end = f->L.p[i] + f->L.count[i];
        for (int e = f->L.p[i]; e < end; e++) {
            f->scratch.y[f->L.i[e]] -= f->L.x[e] * yi;
        }
        double l = yi * f->L.dinv[i];
        d -= l * yi;
        size += l * l * f->L.size[i];
        f->L.i[end] = k;
        f->L.x[end] = l;
        f->L.count[i]++;
    }
    f->L.size[k] = size;
    return d;
}

/* What the pivot of row k has to exceed. */
static double least_pivot(const ss_ldl *f, int k, double eps, double diagonal)
{
    return eps > 0 ? fmax(eps * diagonal, SS_TOL_PIVOT * f->L.size[k]) : 0;
}

void ss_ldl_factor(ss_ldl *f, const double *x, double eps, const bool *skip)
{
    f->redundant = 0;
    f->smallest = 1;
    for (int k = 0; k < f->n; k++) {
        f->L.count[k] = 0;
        f->scratch.mark[k] = -1;
        f->scratch.y[k] = 0;
    }
    for (int k = 0; k < f->n; k++) {
        double diagonal;
        int top = scatter_row(f, x, k, &diagonal);
        double d = eliminate_row(f, k, top, diagonal);
        bool skipped = skip && skip[f->order.perm[k]], keep = d > least_pivot(f, k, eps, diagonal) && !skipped;
        double relative = diagonal > 0 ? d / diagonal : 0;
        f->smallest = skipped ? f->smallest : -ss_worse(-f->smallest, -relative); /* a NaN stays */
        f->L.dinv[k] = keep ? 1 / d : 0;
        f->redundant += !keep;
    }
}

void ss_ldl_solve(const ss_ldl *f, double *x)
{
    double *w = f->scratch.w;
    for (int k = 0; k < f->n; k++) {
        w[k] = x[f->order.perm[k]];
    }
    for (int k = 0; k < f->n; k++) {
        for (int e = f->L.p[k]; e < f->L.p[k + 1]; e++) {
            w[f->L.i[e]] -= f->L.x[e] * w[k];
        }
    }
    for (int k = f->n - 1; k >= 0; k--) {
        w[k] *= f->L.dinv[k];
        for (int e = f->L.p[k]; e < f->L.p[k + 1]; e++) {
            w[k] -= f->L.x[e] * w[f->L.i[e]];
        }
    }
    for (int k = 0; k < f->n; k++) {
        x[f->order.perm[k]] = w[k];
    }
}

int ss_ldl_redundant(const ss_ldl *f) { return f->redundant; }

double ss_ldl_smallest_pivot(const ss_ldl *f) { return f->smallest; }

bool ss_ldl_is_redundant(const ss_ldl *f, int row) { return f->L.dinv[f->order.inverse[row]] == 0; }

int ss_ldl_entries(const ss_ldl *f) { return f->L.entries; }

int ss_ldl_analyses(const ss_ldl *f) { return f->analyses; }
