/* mumps.c - the multifrontal factorisations of MUMPS, with dense kernels in their fronts.
 *
 * MUMPS orders by approximate minimum fill: Debian's has no METIS, Scotch's ordering depends on what was ordered before
 * it in the same process, and PORD calls rand(); the same input must give the same bits. Of a symmetric matrix MUMPS wants one
 * triangle. It keeps things in static variables during a call: calls take turns, whatever context they come from.
 *
 * Reference   P. R. Amestoy, I. S. Duff, J. Koster, J.-Y. L'Excellent, SIAM J. Matrix Anal. Appl. 23 (2001) 15
 * Cost        memory of the context when a size is new; MUMPS takes its own in every call, from malloc   */
#include "math/mumps.h"

#include "base/parallel.h"
#include "math/dense.h"

#include <dmumps_c.h>
#include <math.h>

/* jobs, controls and errors of MUMPS by the numbers of its manual */
enum { JOB_START = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3, SEQUENTIAL = -987654 };
enum { MINIMUM_FILL = 2, SINGULAR = -10, TOO_LITTLE_ROOM = -9, TOO_LITTLE_ROOM_8 = -8 };
enum { NEGATIVE_PIVOTS = 12 }; /* of infog; symmetric matrices only */

struct ss_mumps {
    ss_context *ctx;
    ss_mumps_kind kind;
    DMUMPS_STRUC_C mumps;
    bool started;
    int entries;       /* that MUMPS is given              */
    int *from;         /* which of the matrix they are     */
    int *row, *column; /* counted from 1                   */
    double *x;
    int from_cap, row_cap, column_cap, x_cap;
};

static void call_mumps(void *data) { dmumps_c(data); }

static int call(ss_mumps *f, int job)
{
    f->mumps.job = job;
    ss_parallel_alone(call_mumps, &f->mumps);
    return f->mumps.infog[0];
}

static void set(ss_mumps *f, int control, int value) { f->mumps.icntl[control - 1] = value; }

ss_status ss_mumps_create(ss_context *ctx, ss_mumps_kind kind, ss_mumps **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->kind = kind;
    ss_dense_start();
    return SS_OK;
}

static void end(ss_mumps *f)
{
    if (f->started) {
        call(f, JOB_END);
        f->started = false;
    }
}

void ss_mumps_destroy(ss_mumps *f)
{
    if (!f) {
        return;
    }
    end(f);
    ss_free(f->ctx, f->from);
    ss_free(f->ctx, f->row);
    ss_free(f->ctx, f->column);
    ss_free(f->ctx, f->x);
    ss_free(f->ctx, f);
}

static ss_status failed(const ss_mumps *f, const char *what)
{
    const MUMPS_INT *info = f->mumps.infog;
    bool memory = info[0] == -5 || info[0] == -7 || info[0] == -13;
    return ss_fail(f->ctx, memory ? SS_ERR_MEMORY : SS_ERR_NUMERIC, "%s of a sparse matrix of %d rows: MUMPS returned %d, %d",
                   what, f->mumps.n, info[0], info[1]);
}

static ss_status start(ss_mumps *f)
{
    f->mumps = (DMUMPS_STRUC_C){ .par = 1, .sym = f->kind == SS_MUMPS_POSITIVE, .comm_fortran = SEQUENTIAL };
    if (call(f, JOB_START) < 0) {
        return failed(f, "start");
    }
    f->started = true;
    set(f, 1, -1); /* errors, warnings and figures: no output */
    set(f, 2, -1);
    set(f, 3, -1);
    set(f, 4, 0);
    set(f, 6, 0); /* rows stay: the diagonal is large */
    set(f, 7, MINIMUM_FILL);
    set(f, 8, 1);   /* rows and columns are scaled by the roots of the diagonal */
    set(f, 14, 50); /* room for pivots that come late, per cent */
    set(f, 28, 1);  /* a sequential ordering */
    return SS_OK;
}

static ss_status list_entries(ss_mumps *f, const ss_csr *A)
{
    int most = A->p[A->m];
    SS_TRY(ss_reserve(f->ctx, &f->from, &f->from_cap, most, sizeof *f->from));
    SS_TRY(ss_reserve(f->ctx, &f->row, &f->row_cap, most, sizeof *f->row));
    SS_TRY(ss_reserve(f->ctx, &f->column, &f->column_cap, most, sizeof *f->column));
    SS_TRY(ss_reserve(f->ctx, &f->x, &f->x_cap, most, sizeof *f->x));
    f->entries = 0;
    for (int i = 0; i < A->m; i++) {
        for (int e = A->p[i]; e < A->p[i + 1]; e++) {
            if (f->kind == SS_MUMPS_GENERAL || A->i[e] <= i) {
                f->from[f->entries] = e;
                f->row[f->entries] = i + 1;
                f->column[f->entries++] = A->i[e] + 1;
            }
        }
    }
    return SS_OK;
}

ss_status ss_mumps_analyse(ss_mumps *f, const ss_csr *A)
{
    end(f);
    SS_TRY(list_entries(f, A));
    SS_TRY(start(f));
    f->mumps.n = A->m;
    f->mumps.nnz = f->entries;
    f->mumps.irn = f->row;
    f->mumps.jcn = f->column;
    return call(f, JOB_ANALYSE) < 0 || f->mumps.infog[6] != MINIMUM_FILL ? failed(f, "ordering") : SS_OK;
}

/* copy the values of the entries; false if one is not finite, which MUMPS would not notice */
static bool read_numbers(ss_mumps *f, const ss_csr *A)
{
    bool finite = true;
    for (int k = 0; k < f->entries; k++) {
        f->x[k] = A->x[f->from[k]];
        finite = finite && isfinite(f->x[k]);
    }
    return finite;
}

/* late pivots may need more room than was foreseen */
ss_status ss_mumps_factor(ss_mumps *f, const ss_csr *A, bool *regular)
{
    const int most = 10000;
    *regular = false;
    if (!read_numbers(f, A)) {
        return SS_OK;
    }
    f->mumps.a = f->x;
    int code = call(f, JOB_FACTOR);
    while ((code == TOO_LITTLE_ROOM || code == TOO_LITTLE_ROOM_8) && f->mumps.icntl[13] < most) {
        set(f, 14, 2 * f->mumps.icntl[13]);
        code = call(f, JOB_FACTOR);
    }
    *regular = code >= 0 && (f->kind == SS_MUMPS_GENERAL || f->mumps.infog[NEGATIVE_PIVOTS - 1] == 0);
    return code >= 0 || code == SINGULAR ? SS_OK : failed(f, "factorisation");
}

ss_status ss_mumps_solve(ss_mumps *f, double *x)
{
    f->mumps.rhs = x;
    return call(f, JOB_SOLVE) < 0 ? failed(f, "solution") : SS_OK;
}
