/* sparse_lu.c - one interface to the two LU factorisations of the library.
 *
 * Small matrices: KLU, simplicial; klu_refactor keeps ordering and pivots while the estimate of the condition stays within a
 * factor of 1000 of what it was when they were chosen. Rows of A are columns of A', so KLU factorises A' and klu_tsolve solves
 * with A. Large ones: MUMPS (mumps.c), at 6000 velocities of a pile ten times as quick.
 *
 * Ordering    AMD, where the pattern is symmetric and every diagonal entry is there. Where pivots leave the diagonal, as those of
 *             multipliers do, an ordering of A + A' is worthless: stages of 100 hinged rods then have twelve times the entries.
 *             COLAMD bounds the fill for all choices of pivots.
 *
 * Refined     Old pivots, and KLU's preference for the diagonal, may let entries grow by 1000 in an elimination, and errors with
 *             them. Where a row of A x - b is more than round-off of its terms, x <- x - A^-1 (A x - b), twice at most.
 *
 * Reference   T. A. Davis, E. Palamadai Natarajan, Algorithm 907 (KLU), ACM TOMS 37 (2010);
 *             R. D. Skeel, Math. Comp. 35 (1980): one refinement makes the errors of all rows small beside their own terms
 * Cost        Memory of the context when a size is new; besides it KLU takes memory for a new pattern or new pivots, and MUMPS
 *             in every call, both from malloc                                                        */
#include "math/sparse_lu.h"

#include "base/tolerances.h"
#include "math/csr.h"
#include "math/dense.h"
#include "math/mumps.h"
#include "math/worse.h"

#include <klu.h>

struct ss_sparse_lu {
    ss_context *ctx;
    ss_csr pattern; /* that was ordered; its numbers mean nothing */
    bool ordered, factored;
    int analyses;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double rcond;    /* when the pivots were chosen */
    ss_mumps *mumps; /* made when first needed */
};

static bool is_large(const ss_sparse_lu *f) { return f->pattern.m >= SS_SPARSE_LU_LARGE; }

/* ---- KLU -------------------------------------------------------------------------------------- */

static void end_klu(ss_sparse_lu *f)
{
    klu_free_numeric(&f->numeric, &f->common);
    klu_free_symbolic(&f->symbolic, &f->common);
}

static ss_status order_klu(ss_sparse_lu *f, int ordering)
{
    ss_csr *P = &f->pattern;
    end_klu(f);
    f->common.ordering = ordering;
    f->symbolic = klu_analyze(P->m, P->p, P->i, &f->common);
    return f->symbolic ? SS_OK
                       : ss_fail(f->ctx, SS_ERR_MEMORY, "ordering of a sparse matrix of %d rows: KLU returned %d", P->m,
                                 f->common.status);
}

static bool has_whole_diagonal(const ss_csr *A)
{
    int found = 0;
    for (int i = 0; i < A->m; i++) {
        for (int k = A->p[i]; k < A->p[i + 1]; k++) {
            found += A->i[k] == i;
        }
    }
    return found == A->m;
}

static ss_status analyse_klu(ss_sparse_lu *f)
{
    enum { AMD, COLAMD };
    const bool whole = has_whole_diagonal(&f->pattern);
    SS_TRY(order_klu(f, whole ? AMD : COLAMD));
    return whole && f->symbolic->symmetry < 1 ? order_klu(f, COLAMD) : SS_OK;
}

static ss_status factor_klu(ss_sparse_lu *f, const ss_csr *A, bool *regular)
{
    const double decay = 1e-3; /* pivots that made the estimate of the condition this much worse are chosen anew */
    *regular = f->numeric && klu_refactor(A->p, A->i, A->x, f->symbolic, f->numeric, &f->common) &&
               klu_rcond(f->symbolic, f->numeric, &f->common) && f->common.rcond > decay * f->rcond;
    if (*regular) {
        return SS_OK;
    }
    klu_free_numeric(&f->numeric, &f->common);
    f->numeric = klu_factor(A->p, A->i, A->x, f->symbolic, &f->common);
    *regular = f->numeric && f->common.status == KLU_OK;
    if (*regular) {
        klu_rcond(f->symbolic, f->numeric, &f->common);
        f->rcond = f->common.rcond;
    }
    return f->common.status == KLU_OUT_OF_MEMORY ? ss_fail(f->ctx, SS_ERR_MEMORY, "LU of a sparse matrix of %d rows", A->m)
                                                 : SS_OK;
}

static ss_status solve_klu(ss_sparse_lu *f, double *x)
{
    return klu_tsolve(f->symbolic, f->numeric, f->pattern.m, 1, x, &f->common)
               ? SS_OK
               : ss_fail(f->ctx, SS_ERR_NUMERIC, "solution with a sparse matrix of %d rows: KLU returned %d", f->pattern.m,
                         f->common.status);
}

/* ---- the door --------------------------------------------------------------------------------- */

ss_status ss_sparse_lu_create(ss_context *ctx, ss_sparse_lu **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    klu_defaults(&(*out)->common);
    (*out)->common.btf = 0; /* our patterns are symmetric: parts that do not feel each other are found by the ordering as well */
    ss_dense_start();
    return SS_OK;
}

void ss_sparse_lu_destroy(ss_sparse_lu *f)
{
    if (!f) {
        return;
    }
    end_klu(f);
    ss_mumps_destroy(f->mumps);
    ss_csr_free(f->ctx, &f->pattern);
    ss_free(f->ctx, f);
}

static ss_status analyse_mumps(ss_sparse_lu *f)
{
    if (!f->mumps) {
        SS_TRY(ss_mumps_create(f->ctx, SS_MUMPS_GENERAL, &f->mumps));
    }
    return ss_mumps_analyse(f->mumps, &f->pattern);
}

static ss_status analyse(ss_sparse_lu *f, const ss_csr *A)
{
    f->ordered = false;
    SS_TRY(ss_csr_copy(f->ctx, A, &f->pattern));
    SS_TRY(is_large(f) ? analyse_mumps(f) : analyse_klu(f));
    f->analyses++;
    f->ordered = true;
    return SS_OK;
}

ss_status ss_sparse_lu_factor(ss_sparse_lu *f, const ss_csr *A, bool *regular)
{
    f->factored = false;
    if (!f->ordered || !ss_csr_same_pattern(A, &f->pattern)) {
        SS_TRY(analyse(f, A));
    }
    SS_TRY(is_large(f) ? ss_mumps_factor(f->mumps, A, regular) : factor_klu(f, A, regular));
    f->factored = *regular;
    return SS_OK;
}

void ss_sparse_lu_forget(ss_sparse_lu *f)
{
    f->factored = false;
    klu_free_numeric(&f->numeric, &f->common);
}

ss_status ss_sparse_lu_solve(ss_sparse_lu *f, double *x)
{
    if (!f->factored) {
        return ss_fail(f->ctx, SS_ERR_NUMERIC, "solution with a sparse matrix of %d rows that has no factors", f->pattern.m);
    }
    return is_large(f) ? ss_mumps_solve(f->mumps, x) : solve_klu(f, x);
}

/* lack = b - A x; returned is its largest entry beside the terms of its row */
static double remainder_of(const ss_csr *A, const double *b, const double *x, double *lack)
{
    double worst = 0;
    for (int i = 0; i < A->m; i++) {
        double size = fabs(b[i]);
        lack[i] = b[i] - ss_csr_row_dot(A, i, x);
        for (int k = A->p[i]; k < A->p[i + 1]; k++) {
            size += fabs(A->x[k] * x[A->i[k]]);
        }
        worst = ss_worse(worst, lack[i] != 0 ? fabs(lack[i]) / size : 0);
    }
    return worst;
}

ss_status ss_sparse_lu_solve_refined(ss_sparse_lu *f, const ss_csr *A, double *x, double *scratch)
{
    enum { REFINEMENTS = 2 };
    const int n = A->m;
    double *b = scratch, *lack = scratch + n;
    memcpy(b, x, (size_t)n * sizeof *b);
    SS_TRY(ss_sparse_lu_solve(f, x));
    for (int k = 0; k < REFINEMENTS && remainder_of(A, b, x, lack) > SS_TOL_ROUND_OFF; k++) {
        SS_TRY(ss_sparse_lu_solve(f, lack));
        ss_dense_add(n, 1, lack, x);
    }
    return SS_OK;
}

int ss_sparse_lu_analyses(const ss_sparse_lu *f) { return f->analyses; }

int ss_sparse_lu_fill(const ss_sparse_lu *f) { return f->numeric ? f->numeric->lnz + f->numeric->unz : 0; }
