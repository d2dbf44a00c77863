/* sparse_ldl.c - one interface to the two factorisations of positive definite matrices.
 *
 * Small matrices: ldl.c, simplicial in AMD order. Large ones: MUMPS, half the work of its LU. Neither looks for pivots: with a
 * positive definite matrix none is needed, whatever the scales of its rows.
 *
 * Reference   see ldl.c and mumps.c
 * Cost        memory of the context when a size is new; AMD takes its own for a new pattern, MUMPS in every call  */
#include "math/sparse_ldl.h"

#include "math/csr.h"
#include "math/ldl.h"
#include "math/mumps.h"

#include <math.h>

struct ss_sparse_ldl {
    ss_context *ctx;
    ss_csr pattern; /* that was ordered; its numbers mean nothing */
    bool ordered, factored;
    int analyses;
    ss_ldl *small;
    ss_mumps *large; /* made when first needed */
};

ss_status ss_sparse_ldl_create(ss_context *ctx, ss_sparse_ldl **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_ldl_create(ctx, &(*out)->small);
    if (status != SS_OK) {
        ss_sparse_ldl_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_sparse_ldl_destroy(ss_sparse_ldl *f)
{
    if (!f) {
        return;
    }
    ss_ldl_destroy(f->small);
    ss_mumps_destroy(f->large);
    ss_csr_free(f->ctx, &f->pattern);
    ss_free(f->ctx, f);
}

static bool is_large(const ss_sparse_ldl *f) { return f->pattern.m >= SS_SPARSE_LDL_LARGE; }

static ss_status analyse(ss_sparse_ldl *f, const ss_csr *A)
{
    f->ordered = false;
    SS_TRY(ss_csr_copy(f->ctx, A, &f->pattern));
    if (is_large(f) && !f->large) {
        SS_TRY(ss_mumps_create(f->ctx, SS_MUMPS_POSITIVE, &f->large));
    }
    SS_TRY(is_large(f) ? ss_mumps_analyse(f->large, A) : ss_ldl_analyse(f->small, A->m, A->p, A->i));
    f->analyses++;
    f->ordered = true;
    return SS_OK;
}

ss_status ss_sparse_ldl_factor(ss_sparse_ldl *f, const ss_csr *A, bool *regular)
{
    f->factored = false;
    if (!f->ordered || !ss_csr_same_pattern(A, &f->pattern)) {
        SS_TRY(analyse(f, A));
    }
    if (is_large(f)) {
        SS_TRY(ss_mumps_factor(f->large, A, regular));
    } else {
        ss_ldl_factor(f->small, A->x, 0, NULL);
        *regular = ss_ldl_smallest_pivot(f->small) > 0; /* not if it is NaN */
    }
    f->factored = *regular;
    return SS_OK;
}

ss_status ss_sparse_ldl_solve(ss_sparse_ldl *f, double *x)
{
    if (!f->factored) {
        return ss_fail(f->ctx, SS_ERR_NUMERIC, "solution with a sparse matrix of %d rows that has no factors", f->pattern.m);
    }
    if (is_large(f)) {
        SS_TRY(ss_mumps_solve(f->large, x));
    } else {
        ss_ldl_solve(f->small, x);
    }
    for (int i = 0; i < f->pattern.m; i++) {
        if (!isfinite(x[i])) {
            return ss_fail(f->ctx, SS_ERR_NUMERIC, "solution with a sparse matrix of %d rows: row %d is not finite", f->pattern.m,
                           i);
        }
    }
    return SS_OK;
}

int ss_sparse_ldl_analyses(const ss_sparse_ldl *f) { return f->analyses; }
