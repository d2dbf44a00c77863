/* fclib.c - a contact problem as an FCLIB file (the exchange format of frictional contact problems).
 *
 *     FCLIB global    M v = H r + G l + f,   u = H' v + w,   G' v + b = 0
 *     here            A v = H' r + G' lam + b,   u = H v + w,   G v = c
 *
 * so M = A, FCLIB's H and G are our transposes (our rows are its columns: stored by columns), f = b, FCLIB's
 * b = -c. FCLIB local: u = W r + q. Every contact there has `spacedim` rows N, T1, T2: contacts without
 * friction get mu = 0 and zero rows. Bounded rows (motors of limited force) have no place in the format and
 * are refused, and so are moments of rolling and spinning friction, for which the format has room in part. What FCLIB cannot say
 * is in the group /slipstick: the law and the polygon of each contact, how many rows it has, the form of A and its blocks (with
 * numbers of their own if A is not made of them), and the velocity that scales the certificate. */
#include "io/fclib.h"
#include "io/h5.h"
#include "math/matrix.h"

#include <slipstick/io.h>

typedef struct dump {
    ss_context *ctx;
    const char *path;
    const ss_claim *claim;
    const ss_problem *p;
    const ss_solution *s;
    int rows;       /* of the file: spacedim times contacts                    */
    int *from, *to; /* problem row of a file row (-1: a zero row), and inverse */
    hid_t file, root;
} dump;

/* ---- what cannot be written -------------------------------------------------------------------- */

static ss_status check_laws(ss_context *ctx, const ss_problem *p, const char *path)
{
    for (int k = 0; k < p->nc; k++) {
        int rows = p->row[k + 1] - p->row[k];
        if (p->law[k] == SS_LAW_BOUNDED) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s: contact %d is a motor of limited force, which FCLIB files cannot hold",
                           path, k);
        }
        if (p->law[k] == SS_LAW_ROLLING) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                           "%s: contact %d is a moment of rolling or spinning friction, which is not written", path, k);
        }
        if (rows != 1 && rows != p->dimension) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED, "%s: contact %d has %d rows, FCLIB files hold 1 or %d", path, k, rows,
                           p->dimension);
        }
    }
    return SS_OK;
}

/* ---- padding ----------------------------------------------------------------------------------- */

static ss_status number_rows(dump *d)
{
    const ss_problem *p = d->p;
    d->rows = p->dimension * p->nc;
    SS_TRY(ss_calloc(d->ctx, (size_t)d->rows + 1, sizeof *d->from, &d->from));
    SS_TRY(ss_calloc(d->ctx, (size_t)d->rows + 1, sizeof *d->to, &d->to));
    for (int k = 0; k < p->nc; k++) {
        for (int i = 0; i < p->dimension; i++) {
            int row = p->row[k] + i, there = p->dimension * k + i;
            d->from[there] = row < p->row[k + 1] ? row : -1;
            if (row < p->row[k + 1]) {
                d->to[row] = there;
            }
        }
    }
    return SS_OK;
}

/* rows (and columns, if both) in the file's numbering */
static ss_status pad_matrix(const dump *d, const ss_csr *A, bool both, ss_csr *out)
{
    ss_csr_reset(out, both ? d->rows : A->n);
    for (int k = 0; k < d->rows; k++) {
        int row = d->from[k];
        for (int e = row < 0 ? 0 : A->p[row]; row >= 0 && e < A->p[row + 1]; e++) {
            SS_TRY(ss_csr_push(d->ctx, out, both ? d->to[A->i[e]] : A->i[e], A->x[e]));
        }
        SS_TRY(ss_csr_end_row(d->ctx, out));
    }
    return SS_OK;
}

/* ---- pieces of the file ------------------------------------------------------------------------ */

static int write_int(hid_t parent, const char *name, int value)
{
    return ss_h5_write_array(parent, name, H5T_NATIVE_INT32, 1, &value);
}

/* by rows (nz = -2), or the transpose by columns (nz = -1): the same arrays */
static ss_status write_matrix(const dump *d, const char *name, const ss_csr *A, bool transposed)
{
    hid_t group = ss_h5_make_group(d->root, name);
    int entries = A->m > 0 ? A->p[A->m] : 0, zero = 0;
    int bad = group < 0 || write_int(group, "nzmax", entries) < 0 || write_int(group, "nz", transposed ? -1 : -2) < 0;
    bad = bad || write_int(group, "m", transposed ? A->n : A->m) < 0 || write_int(group, "n", transposed ? A->m : A->n) < 0;
    bad = bad || ss_h5_write_array(group, "p", H5T_NATIVE_INT32, (hsize_t)A->m + 1, A->m > 0 ? A->p : &zero) < 0;
    bad = bad || ss_h5_write_array(group, "i", H5T_NATIVE_INT32, (hsize_t)entries, A->i) < 0;
    bad = bad || ss_h5_write_array(group, "x", H5T_NATIVE_DOUBLE, (hsize_t)entries, A->x) < 0;
    return bad ? ss_h5_fail(d->ctx, d->path) : SS_OK;
}

static ss_status write_vector(const dump *d, hid_t parent, const char *name, int n, const double *x)
{
    return ss_h5_write_array(parent, name, H5T_NATIVE_DOUBLE, (hsize_t)n, x) < 0 ? ss_h5_fail(d->ctx, d->path) : SS_OK;
}

/* a vector over contact rows */
static ss_status write_padded(const dump *d, hid_t parent, const char *name, const double *x)
{
    double *y;
    SS_TRY(ss_calloc(d->ctx, (size_t)d->rows + 1, sizeof *y, &y));
    for (int k = 0; k < d->rows; k++) {
        y[k] = d->from[k] >= 0 ? x[d->from[k]] : 0;
    }
    ss_status status = write_vector(d, parent, name, d->rows, y);
    ss_free(d->ctx, y);
    return status;
}

/* FCLIB's b = -c */
static ss_status write_negated(const dump *d, hid_t parent, const char *name, int n, const double *x)
{
    double *y;
    SS_TRY(ss_calloc(d->ctx, (size_t)n + 1, sizeof *y, &y));
    for (int k = 0; k < n; k++) {
        y[k] = -x[k];
    }
    ss_status status = write_vector(d, parent, name, n, y);
    ss_free(d->ctx, y);
    return status;
}

/* contacts without friction slide freely whatever their mu says */
static ss_status write_mu(const dump *d, hid_t parent)
{
    double *mu;
    SS_TRY(ss_calloc(d->ctx, (size_t)d->p->nc + 1, sizeof *mu, &mu));
    for (int k = 0; k < d->p->nc; k++) {
        mu[k] = d->p->law[k] == SS_LAW_UNILATERAL ? 0 : d->p->mu[k];
    }
    ss_status status = write_vector(d, parent, "mu", d->p->nc, mu);
    ss_free(d->ctx, mu);
    return status;
}

/* ---- sections ---------------------------------------------------------------------------------- */

static ss_status write_info(const dump *d)
{
    hid_t info = ss_h5_make_group(d->root, "info");
    int bad = info < 0 || ss_h5_write_text(info, "title", "slipstick") < 0;
    bad = bad || ss_h5_write_text(info, "description", "one contact problem of a time step; laws in /slipstick") < 0;
    bad = bad || ss_h5_write_text(info, "math_info", "unknown") < 0 || write_int(d->root, "spacedim", d->p->dimension) < 0;
    return bad ? ss_h5_fail(d->ctx, d->path) : SS_OK;
}

static ss_status write_padded_matrix(const dump *d, const char *name, const ss_csr *A, bool both)
{
    ss_csr padded = { 0 };
    ss_status status = pad_matrix(d, A, both, &padded);
    if (status == SS_OK) {
        status = write_matrix(d, name, &padded, !both);
    }
    ss_csr_free(d->ctx, &padded);
    return status;
}

static ss_status write_mass(const dump *d)
{
    ss_csr M = { 0 };
    int *seen = NULL;
    ss_status status = ss_calloc(d->ctx, (size_t)d->p->nv, sizeof *seen, &seen);
    if (status == SS_OK) {
        status = ss_matrix_merge(d->ctx, &d->p->A, seen, &M);
    }
    if (status == SS_OK) {
        status = write_matrix(d, "M", &M, false);
    }
    ss_csr_free(d->ctx, &M);
    ss_free(d->ctx, seen);
    return status;
}

static ss_status write_global(const dump *d)
{
    const ss_problem *p = d->p;
    hid_t vectors = ss_h5_make_group(d->root, "vectors");
    SS_TRY(write_mass(d));
    SS_TRY(write_padded_matrix(d, "H", &p->H, false));
    SS_TRY(write_vector(d, vectors, "f", p->nv, p->b));
    SS_TRY(write_padded(d, vectors, "w", p->w));
    if (p->nj > 0) {
        SS_TRY(write_matrix(d, "G", &p->G, true));
        SS_TRY(write_negated(d, vectors, "b", p->nj, p->c));
    }
    return write_mu(d, vectors);
}

static ss_status write_local(const dump *d)
{
    hid_t vectors = ss_h5_make_group(d->root, "vectors");
    SS_TRY(write_padded_matrix(d, "W", &d->p->W, true));
    SS_TRY(write_padded(d, vectors, "q", d->p->w));
    return write_mu(d, vectors);
}

static ss_status write_solution(const dump *d)
{
    hid_t group = d->s ? ss_h5_make_group(d->file, "solution") : -1;
    if (!d->s) {
        return SS_OK;
    }
    if (!d->p->local) {
        SS_TRY(write_vector(d, group, "v", d->p->nv, d->s->v));
        SS_TRY(write_vector(d, group, "l", d->p->nj, d->s->lam));
    }
    SS_TRY(write_padded(d, group, "u", d->s->u));
    return write_padded(d, group, "r", d->s->r);
}

/* the blocks that scale the certificate, one behind the other */
static ss_status write_scale(const dump *d, hid_t group)
{
    const ss_blockdiag *M = &d->p->scale;
    double *x;
    int numbers = 0;
    for (int b = 0; b < M->blocks; b++) {
        numbers += M->size[b] * M->size[b];
    }
    SS_TRY(ss_calloc(d->ctx, (size_t)numbers + 1, sizeof *x, &x));
    for (int b = 0, at = 0; b < M->blocks; b++) {
        const int n = M->size[b] * M->size[b];
        memcpy(x + at, M->x + M->start[b], (size_t)n * sizeof *x);
        at += n;
    }
    ss_status status = write_vector(d, group, "scale", numbers, x);
    ss_free(d->ctx, x);
    return status;
}

/* sizes of the blocks, and those that scale the certificate if A is something else */
static ss_status write_blocks(const dump *d, hid_t group)
{
    const ss_blockdiag *M = &d->p->scale;
    if (d->p->local) {
        return SS_OK;
    }
    if (ss_h5_write_array(group, "block", H5T_NATIVE_INT32, (hsize_t)M->blocks, M->size) < 0) {
        return ss_h5_fail(d->ctx, d->path);
    }
    return ss_matrix_is_block_diagonal(&d->p->A) ? SS_OK : write_scale(d, group);
}

/* the number that our own files have for the form of A */
static ss_fclib_form form_of(const ss_problem *p)
{
    return p->local                             ? SS_FCLIB_LOCAL
           : ss_matrix_is_block_diagonal(&p->A) ? SS_FCLIB_BLOCKS
           : p->A.symmetric                     ? SS_FCLIB_SYMMETRIC
                                                : SS_FCLIB_GENERAL;
}

static ss_status write_own(const dump *d)
{
    const ss_problem *p = d->p;
    hid_t group = ss_h5_make_group(d->file, "slipstick");
    hsize_t contacts = (hsize_t)p->nc;
    int bad = group < 0 || ss_h5_attribute_int(group, "version", 1) < 0 || write_int(group, "kind", (int)form_of(p)) < 0;
    bad = bad || ss_h5_write_array(group, "law", H5T_NATIVE_UINT32, contacts, p->law) < 0;
    bad = bad || ss_h5_write_array(group, "row", H5T_NATIVE_INT32, contacts > 0 ? contacts + 1 : 0, p->row) < 0;
    bad = bad || (p->dir && ss_h5_write_array(group, "dir", H5T_NATIVE_INT32, contacts > 0 ? contacts + 1 : 0, p->dir) < 0);
    int directions = p->dir && p->nc > 0 ? p->dir[p->nc] : 0;
    bad = bad || ss_h5_write_array(group, "direction", H5T_NATIVE_DOUBLE, 2 * (hsize_t)directions, p->direction) < 0;
    bad = bad || (p->v_old && ss_h5_write_array(group, "v_old", H5T_NATIVE_DOUBLE, (hsize_t)p->nv, p->v_old) < 0);
    return bad ? ss_h5_fail(d->ctx, d->path) : write_blocks(d, group);
}

/* bytes of everything that will be written, at most */
static size_t size_of(const dump *d)
{
    enum { EMPTY = 1 << 16, ENTRY = 16 };
    const ss_problem *p = d->p;
    const ss_csr *matrix[] = { &p->A.sparse, &p->G, &p->H, &p->W };
    size_t numbers = 8 * (size_t)(p->nv + p->nj + d->rows + p->nc);
    for (int k = 0; k < 4; k++) {
        numbers += matrix[k]->m > 0 ? (size_t)(matrix[k]->m + matrix[k]->p[matrix[k]->m]) : 0;
    }
    for (int k = 0; k < p->scale.blocks; k++) {
        numbers += (size_t)(p->scale.size[k] * p->scale.size[k]);
    }
    numbers += p->dir && p->nc > 0 ? 2 * (size_t)p->dir[p->nc] : 0;
    return EMPTY + ENTRY * numbers;
}

static ss_status write_all(dump *d)
{
    bool local = d->p->local;
    SS_TRY(number_rows(d));
    SS_TRY(ss_h5_create(d->ctx, d->path, d->claim, size_of(d), &d->file));
    d->root = ss_h5_make_group(d->file, local ? "fclib_local" : "fclib_global");
    if (d->root < 0) {
        return ss_h5_fail(d->ctx, d->path);
    }
    SS_TRY(write_info(d));
    SS_TRY(local ? write_local(d) : write_global(d));
    SS_TRY(write_solution(d));
    return write_own(d);
}

ss_status ss_fclib_write(ss_context *ctx, const char *path, const ss_claim *claim, const ss_problem *problem,
                         const ss_solution *solution)
{
    dump d = { .ctx = ctx, .path = path, .claim = claim, .p = problem, .s = solution };
    SS_TRY(check_laws(ctx, problem, path));
    ss_h5_quiet quiet = ss_h5_silence();
    ss_status status = write_all(&d);
    if (d.file > 0 && ss_h5_finish(d.file, path) < 0 && status == SS_OK) {
        status = ss_h5_fail(ctx, path);
    }
    ss_h5_restore(quiet);
    ss_free(ctx, d.from);
    ss_free(ctx, d.to);
    return status;
}
