/* sparse_lu.c - the two LU factorisations of the library behind one door.
 *
 * Small matrices: KLU, simplicial; klu_refactor keeps ordering and pivots while the estimate of the condition stays within a
 * factor of 1000 of what it was when they were chosen. Rows of A are columns of A', so KLU factorises A' and klu_tsolve solves
 * with A. Large ones: MUMPS, multifrontal, with dense kernels in its fronts: at 6000 velocities of a pile ten times as quick.
 * MUMPS orders by approximate minimum fill: Debian's has no METIS, Scotch's ordering depends on what was ordered before
 * it in the same process, and PORD calls rand(); the same input must give the same bits.
 *
 * MUMPS keeps things in static variables during a call: calls take turns, whatever context they come from.
 * Reference   T. A. Davis, E. Palamadai Natarajan, Algorithm 907 (KLU), ACM TOMS 37 (2010); P. R. Amestoy, I. S. Duff,
 *             J. Koster, J.-Y. L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001) 15 (MUMPS)
 * Cost        Memory of the context when a size is new; besides it KLU takes memory for a new pattern or new pivots, and MUMPS
 *             in every call, both from malloc                                                        */
#include "math/sparse_lu.h"

#include "base/parallel.h"
#include "math/csr.h"
#include "math/dense.h"

#include <dmumps_c.h>
#include <klu.h>

/* jobs and controls of MUMPS by the numbers of its manual */
enum { JOB_START = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3, SEQUENTIAL = -987654 };
enum { MINIMUM_FILL = 2, SINGULAR = -10, TOO_LITTLE_ROOM = -9, TOO_LITTLE_ROOM_8 = -8 };

struct ss_sparse_lu {
    ss_context *ctx;
    ss_csr pattern; /* that was ordered; its numbers mean nothing */
    bool ordered, factored;
    int analyses;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double rcond;          /* when the pivots were chosen */
    DMUMPS_STRUC_C *mumps; /* made when first needed */
    bool started;
    int *row, *column; /* of each entry, from 1 */
    int row_cap, column_cap;
};

static bool is_large(const ss_sparse_lu *f) { return f->pattern.m >= SS_SPARSE_LU_LARGE; }

/* ---- MUMPS ------------------------------------------------------------------------------------ */

static void call_mumps(void *data) { dmumps_c(data); }

static int mumps(DMUMPS_STRUC_C *m, int job)
{
    m->job = job;
    ss_parallel_alone(call_mumps, m);
    return m->infog[0];
}

static void set(DMUMPS_STRUC_C *m, int control, int value) { m->icntl[control - 1] = value; }

static void end_mumps(ss_sparse_lu *f)
{
    if (f->started) {
        mumps(f->mumps, JOB_END);
        f->started = false;
    }
}

static ss_status mumps_failed(const ss_sparse_lu *f, const char *what)
{
    const MUMPS_INT *info = f->mumps->infog;
    return ss_fail(f->ctx, info[0] == -13 ? SS_ERR_MEMORY : SS_ERR_NUMERIC,
                   "%s of a sparse matrix of %d rows: MUMPS returned %d, %d", what, f->pattern.m, info[0], info[1]);
}

static ss_status start_mumps(ss_sparse_lu *f)
{
    if (!f->mumps) {
        SS_TRY(ss_calloc(f->ctx, 1, sizeof *f->mumps, &f->mumps));
    }
    DMUMPS_STRUC_C *m = f->mumps;
    *m = (DMUMPS_STRUC_C){ .par = 1, .sym = 0, .comm_fortran = SEQUENTIAL };
    if (mumps(m, JOB_START) < 0) {
        return mumps_failed(f, "start");
    }
    f->started = true;
    set(m, 1, -1); /* errors, warnings and figures: no output */
    set(m, 2, -1);
    set(m, 3, -1);
    set(m, 4, 0);
    set(m, 6, 0); /* rows stay: the diagonal is large */
    set(m, 7, MINIMUM_FILL);
    set(m, 8, 1);   /* rows and columns are scaled by the roots of the diagonal */
    set(m, 14, 50); /* room for pivots that come late, per cent */
    set(m, 28, 1);  /* a sequential ordering */
    return SS_OK;
}

static ss_status analyse_mumps(ss_sparse_lu *f)
{
    const ss_csr *P = &f->pattern;
    int entries = P->p[P->m];
    end_mumps(f);
    SS_TRY(ss_reserve(f->ctx, &f->row, &f->row_cap, entries, sizeof *f->row));
    SS_TRY(ss_reserve(f->ctx, &f->column, &f->column_cap, entries, sizeof *f->column));
    for (int i = 0; i < P->m; i++) {
        for (int e = P->p[i]; e < P->p[i + 1]; e++) {
            f->row[e] = i + 1;
            f->column[e] = P->i[e] + 1;
        }
    }
    SS_TRY(start_mumps(f));
    f->mumps->n = P->m;
    f->mumps->nnz = entries;
    f->mumps->irn = f->row;
    f->mumps->jcn = f->column;
    if (mumps(f->mumps, JOB_ANALYSE) < 0 || f->mumps->infog[6] != MINIMUM_FILL) {
        return mumps_failed(f, "ordering");
    }
    return SS_OK;
}

/* late pivots may need more room than was foreseen */
static ss_status factor_mumps(ss_sparse_lu *f, const ss_csr *A, bool *regular)
{
    const int most = 10000;
    DMUMPS_STRUC_C *m = f->mumps;
    m->a = A->x;
    int code = mumps(m, JOB_FACTOR);
    while ((code == TOO_LITTLE_ROOM || code == TOO_LITTLE_ROOM_8) && m->icntl[13] < most) {
        set(m, 14, 2 * m->icntl[13]);
        code = mumps(m, JOB_FACTOR);
    }
    *regular = code >= 0;
    return code >= 0 || code == SINGULAR ? SS_OK : mumps_failed(f, "LU");
}

static ss_status solve_mumps(ss_sparse_lu *f, double *x)
{
    f->mumps->rhs = x;
    return mumps(f->mumps, JOB_SOLVE) < 0 ? mumps_failed(f, "solution") : SS_OK;
}

/* ---- KLU -------------------------------------------------------------------------------------- */

static void end_klu(ss_sparse_lu *f)
{
    klu_free_numeric(&f->numeric, &f->common);
    klu_free_symbolic(&f->symbolic, &f->common);
}

static ss_status analyse_klu(ss_sparse_lu *f)
{
    ss_csr *P = &f->pattern;
    end_klu(f);
    f->symbolic = klu_analyze(P->m, P->p, P->i, &f->common);
    return f->symbolic ? SS_OK
                       : ss_fail(f->ctx, SS_ERR_MEMORY, "ordering of a sparse matrix of %d rows: KLU returned %d", P->m,
                                 f->common.status);
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
    end_mumps(f);
    ss_free(f->ctx, f->mumps);
    ss_csr_free(f->ctx, &f->pattern);
    ss_free(f->ctx, f->row);
    ss_free(f->ctx, f->column);
    ss_free(f->ctx, f);
}

static bool same_pattern(const ss_csr *A, const ss_csr *B)
{
    return A->m == B->m && A->m > 0 && memcmp(A->p, B->p, (size_t)(A->m + 1) * sizeof *A->p) == 0 &&
           memcmp(A->i, B->i, (size_t)A->p[A->m] * sizeof *A->i) == 0;
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
    if (!f->ordered || !same_pattern(A, &f->pattern)) {
        SS_TRY(analyse(f, A));
    }
    SS_TRY(is_large(f) ? factor_mumps(f, A, regular) : factor_klu(f, A, regular));
    f->factored = *regular;
    return SS_OK;
}

ss_status ss_sparse_lu_solve(ss_sparse_lu *f, double *x)
{
    if (!f->factored) {
        return ss_fail(f->ctx, SS_ERR_NUMERIC, "solution with a sparse matrix of %d rows that has no factors", f->pattern.m);
    }
    return is_large(f) ? solve_mumps(f, x) : solve_klu(f, x);
}

int ss_sparse_lu_analyses(const ss_sparse_lu *f) { return f->analyses; }
