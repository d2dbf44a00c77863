/* check.c - validation of a problem: sizes, patterns, finite numbers, laws.
 *
 * One pass over every array; the first error is reported with the value found and the value expected.
 * A direction set must hold -d with d to SS_TOL_DIRECTION, component by component, relative to the largest component.
 * Cost        linear in the data when directions go once around; else they are compared pairwise within a contact */
#include "base/base.h"
#include "base/parallel.h"
#include "base/tolerances.h"
#include "problem/contact_law.h"
#include <slipstick/problem.h>

#include <math.h>

/* Is any of n numbers not finite? Such a one times 0 is not a number; lanes, so that sums do not wait for each other. */
static bool has_infinite(int n, const double *x)
{
    enum { LANES = 4 };
    double none[LANES] = { 0, 0, 0, 0 };
    int e = 0;
    for (; e + LANES <= n; e += LANES) {
        for (int k = 0; k < LANES; k++) {
            none[k] += 0 * x[e + k];
        }
    }
    for (; e < n; e++) {
        none[0] += 0 * x[e];
    }
    return none[0] + none[1] + none[2] + none[3] != 0;
}

static ss_status check_numbers(ss_context *ctx, const char *what, int n, const double *x)
{
    if (n > 0 && !x) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: %s is missing, expected %d numbers", what, n);
    }
    const bool wrong = has_infinite(n, x);
    for (int k = 0; k < n && wrong; k++) {
        if (!isfinite(x[k])) {
            return ss_fail(ctx, SS_ERR_INPUT, "problem: %s[%d] is %g, expected a finite number", what, k, x[k]);
        }
    }
    return SS_OK;
}

/* ---- entries of a matrix, on the context's threads -------------------------------------------------- */

enum { PARTS = 32, MANY = 1 << 14 }; /* of a list of entries; entries of a list that is worth it */

typedef struct entries_job {
    const ss_csr *A;
    int entries, columns, parts;
    bool wrong[PARTS];
} entries_job;

static void look_at_parts(void *data, int begin, int end)
{
    entries_job *x = data;
    for (int k = begin; k < end; k++) {
        const int first = (int)((int64_t)x->entries * k / x->parts), last = (int)((int64_t)x->entries * (k + 1) / x->parts);
        int wrong = 0;
        for (int e = first; e < last; e++) {
            wrong |= (unsigned)x->A->i[e] >= (unsigned)x->columns;
        }
        x->wrong[k] = wrong || has_infinite(last - first, x->A->x + first);
    }
}

/* Has the matrix, whose rows are in order, an entry that it must not have? */
static bool has_wrong_entry(const ss_context *ctx, const ss_csr *A, int columns)
{
    const int entries = A->m > 0 ? A->p[A->m] : 0;
    entries_job x = { .A = A, .entries = entries, .columns = columns, .parts = entries > MANY ? PARTS : entries > 0 };
    bool wrong = false;
    ss_parallel_for(ctx, x.parts, 1, look_at_parts, &x);
    for (int k = 0; k < x.parts; k++) {
        wrong = wrong || x.wrong[k];
    }
    return wrong;
}

/* says which one */
static ss_status find_wrong_entry(ss_context *ctx, const char *what, const ss_csr *A, int columns)
{
    for (int i = 0; i < A->m; i++) {
        for (int e = A->p[i]; e < A->p[i + 1]; e++) {
            if (A->i[e] < 0 || A->i[e] >= columns || !isfinite(A->x[e])) {
                return ss_fail(ctx, SS_ERR_INPUT, "problem: row %d of %s has %g in column %d, expected finite, column 0 to %d", i,
                               what, A->x[e], A->i[e], columns - 1);
            }
        }
    }
    return SS_OK;
}

static ss_status check_csr(ss_context *ctx, const char *what, const ss_csr *A, int rows, int columns)
{
    if (A->m != rows || (rows > 0 && A->n != columns)) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: %s is %d x %d, expected %d x %d", what, A->m, A->n, rows, columns);
    }
    if (rows > 0 && A->p[0] != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: %s begins at entry %d, expected 0", what, A->p[0]);
    }
    for (int i = 0; i < rows; i++) {
        if (A->p[i + 1] < A->p[i]) {
            return ss_fail(ctx, SS_ERR_INPUT, "problem: row %d of %s ends before it begins", i, what);
        }
    }
    return has_wrong_entry(ctx, A, columns) ? find_wrong_entry(ctx, what, A, columns) : SS_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

typedef struct blocks_job {
    const ss_blockdiag *M;
    int parts;
    bool wrong[PARTS];
} blocks_job;

static void look_at_blocks(void *data, int begin, int end)
{
    blocks_job *x = data;
    const ss_blockdiag *M = x->M;
    for (int k = begin; k < end; k++) {
        const int first = (int)((int64_t)M->blocks * k / x->parts), last = (int)((int64_t)M->blocks * (k + 1) / x->parts);
        int wrong = 0;
        for (int b = first; b < last; b++) {
            for (int i = 0; i < M->size[b] * M->size[b]; i++) {
                wrong |= !isfinite(M->x[M->start[b] + i]);
            }
        }
        x->wrong[k] = wrong;
    }
}

/* Is there a number that is not finite? */
static bool has_wrong_number(const ss_context *ctx, const ss_blockdiag *M)
{
    blocks_job x = { .M = M, .parts = M->blocks > MANY / 36 ? PARTS : 1 };
    bool wrong = false;
    ss_parallel_for(ctx, x.parts, 1, look_at_blocks, &x);
    for (int k = 0; k < x.parts; k++) {
        wrong = wrong || x.wrong[k];
    }
    return wrong;
}

/* blocks follow each other and cover all velocities */
static ss_status check_blocks(ss_context *ctx, const char *what, const ss_blockdiag *M, int nv)
{
    int next = 0;
    for (int b = 0; b < M->blocks; b++) {
        if (M->offset[b] != next || M->size[b] < 0) {
            return ss_fail(ctx, SS_ERR_INPUT,
                           "problem: block %d of %s has offset %d and size %d, expected offset %d and size >= 0", b, what,
                           M->offset[b], M->size[b], next);
        }
        next += M->size[b];
    }
    const bool wrong = M->blocks > 0 && (!M->x || has_wrong_number(ctx, M));
    for (int b = 0; b < M->blocks && wrong; b++) { /* says which one */
        SS_TRY(check_numbers(ctx, what, M->size[b] * M->size[b], M->x + M->start[b]));
    }
    if (next != nv || M->n != nv) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: blocks of %s cover %d velocities (n = %d), expected %d", what, next, M->n,
                       nv);
    }
    return SS_OK;
}

static bool row_is_zero(const ss_csr *S, int i)
{
    bool zero = true;
    for (int e = S->m > 0 ? S->p[i] : 0; S->m > 0 && e < S->p[i + 1]; e++) {
        zero = zero && S->x[e] == 0;
    }
    return zero;
}

static bool same_numbers(int n, const double *a, const double *b)
{
    bool same = true;
    for (int i = 0; i < n && a != b; i++) {
        same = same && a[i] == b[i];
    }
    return same;
}

/* blocks of A are cut as those of the scale are */
static ss_status check_cut(ss_context *ctx, const ss_blockdiag *D, const ss_blockdiag *B)
{
    if (D->blocks > 0 && D->blocks != B->blocks) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: A has %d blocks, expected none or the %d of scale", D->blocks, B->blocks);
    }
    for (int b = 0; b < D->blocks; b++) {
        if (D->size[b] != B->size[b] || D->offset[b] != B->offset[b]) {
            return ss_fail(ctx, SS_ERR_INPUT, "problem: block %d of A has offset %d and size %d, that of scale %d and %d", b,
                           D->offset[b], D->size[b], B->offset[b], B->size[b]);
        }
    }
    return SS_OK;
}

/* a body without entries in A.sparse is solved with its block of the scale: that must equal its block of A */
static ss_status check_scale(ss_context *ctx, const ss_problem *p)
{
    const ss_blockdiag *D = &p->A.diagonal, *B = &p->scale;
    if (D->blocks == B->blocks && D->x == B->x && D->start == B->start) {
        return SS_OK; /* they are the same numbers */
    }
    for (int b = 0; b < B->blocks; b++) {
        int n = B->size[b];
        bool coupled = false;
        for (int i = 0; i < n; i++) {
            coupled = coupled || !row_is_zero(&p->A.sparse, B->offset[b] + i);
        }
        bool same = D->blocks > 0 && same_numbers(n * n, D->x + D->start[b], B->x + B->start[b]);
        if (!coupled && !same) {
            return ss_fail(ctx, SS_ERR_INPUT, "problem: block %d of scale is not that of A, although nothing couples it", b);
        }
    }
    return SS_OK;
}

static ss_status check_matrix(ss_context *ctx, const ss_problem *p)
{
    const ss_matrix *A = &p->A;
    SS_TRY(check_cut(ctx, &A->diagonal, &p->scale));
    if (A->diagonal.blocks > 0 && A->diagonal.x != p->scale.x) { /* else the numbers have been looked at */
        SS_TRY(check_blocks(ctx, "A", &A->diagonal, p->nv));
    }
    if (A->sparse.m > 0) {
        SS_TRY(check_csr(ctx, "A", &A->sparse, p->nv, p->nv));
    }
    return check_scale(ctx, p);
}

/* is there a direction opposite to the i-th? Sets that go once around have it half the set further on */
static bool has_opposite(const double *d, int count, int i, double tol)
{
    for (int step = 0; step < count; step++) {
        const double *e = d + 2 * ((i + count / 2 + step) % count);
        if (fabs(d[2 * i] + e[0]) <= tol && fabs(d[2 * i + 1] + e[1]) <= tol) {
            return true;
        }
    }
    return false;
}

static ss_status check_directions(ss_context *ctx, const ss_problem *p, int k)
{
    int first = p->dir[k], count = p->dir[k + 1] - first;
    const double *d = p->direction + 2 * first;
    double longest = 0;
    SS_TRY(check_numbers(ctx, "direction", 2 * count, d));
    for (int i = 0; i < 2 * count; i++) {
        longest = fmax(longest, fabs(d[i]));
    }
    for (int i = 0; i < count; i++) {
        if (!has_opposite(d, count, i, SS_TOL_DIRECTION * longest)) {
            return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has direction (%g, %g) but not its opposite", k, d[2 * i],
                           d[2 * i + 1]);
        }
    }
    if (count == 0 && p->mu[k] > 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has no direction, expected at least 2 for mu %g", k, p->mu[k]);
    }
    return SS_OK;
}

/* a moment has no directions, or two, d and -d, of length 1 */
static ss_status check_axis(ss_context *ctx, const ss_problem *p, int k)
{
    const int count = p->dir ? p->dir[k + 1] - p->dir[k] : 0;
    if (count == 0) {
        return SS_OK;
    }
    const double length = hypot(p->direction[2 * p->dir[k]], p->direction[2 * p->dir[k] + 1]);
    if (count != 2 || p->row[k + 1] - p->row[k] != 2 || !(fabs(length - 1) <= SS_TOL_DIRECTION)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "problem: contact %d, a moment, has %d directions, the first of length %g; expected none, or d and -d of "
                       "length 1 for two rows",
                       k, count, length);
    }
    return check_directions(ctx, p, k);
}

/* an earlier contact whose first row is a normal */
static ss_status check_host(ss_context *ctx, const ss_problem *p, int k)
{
    const int host = p->host ? p->host[k] : -1, rows = p->row[k + 1] - p->row[k];
    if (rows < 1 || rows >= p->dimension) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has %d rows, expected 1 to %d for its law", k, rows,
                       p->dimension - 1);
    }
    SS_TRY(check_axis(ctx, p, k));
    if (host < 0 || host >= k || !ss_law_has_normal(p->law[host])) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has host %d, expected an earlier contact that has a normal", k,
                       host);
    }
    return SS_OK;
}

static ss_status check_contact(ss_context *ctx, const ss_problem *p, int k)
{
    unsigned law = p->law[k], one_row = SS_LAW_UNILATERAL | SS_LAW_BOUNDED;
    unsigned polygonal = SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL;
    unsigned all = one_row | polygonal | SS_LAW_COULOMB | SS_LAW_ASSOCIATED | SS_LAW_ROLLING;
    int rows = p->row[k + 1] - p->row[k];
    if (law == 0 || (law & (law - 1)) != 0 || (law & ~all) != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has law %u, expected one law", k, law);
    }
    int expected = law & one_row ? 1 : p->dimension;
    if (rows != expected && law != SS_LAW_ROLLING) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has %d rows, expected %d for its law", k, rows, expected);
    }
    if (!(law & SS_LAW_UNILATERAL) && !(p->mu[k] >= 0 && isfinite(p->mu[k]))) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: contact %d has mu %g, expected a number >= 0", k, p->mu[k]);
    }
    return law & polygonal ? check_directions(ctx, p, k) : law == SS_LAW_ROLLING ? check_host(ctx, p, k) : SS_OK;
}

static ss_status check_contacts(ss_context *ctx, const ss_problem *p)
{
    if (p->nc > 0 && p->row[0] != 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: the first contact begins at row %d, expected 0", p->row[0]);
    }
    for (int k = 0; k < p->nc; k++) {
        SS_TRY(check_contact(ctx, p, k));
    }
    return check_numbers(ctx, "w", p->nc > 0 ? p->row[p->nc] : 0, p->w);
}

ss_problem ss_problem_make(int dimension) { return (ss_problem){ .size = sizeof(ss_problem), .dimension = dimension }; }

void ss_problem_set_blocks(ss_problem *p, const ss_blockdiag *M)
{
    p->nv = M->n;
    p->A.diagonal = p->scale = *M;
    p->A.sparse.m = 0; /* its memory stays */
    p->A.symmetric = true;
}

ss_status ss_problem_check(ss_context *ctx, const ss_problem *p)
{
    if (p->size != sizeof *p) {
        return ss_fail(ctx, SS_ERR_INPUT, "problem: made for another version of the library; begin with ss_problem_make");
    }
    if (p->nv < 0 || p->nj < 0 || p->nc < 0 || (p->dimension != 2 && p->dimension != 3)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "problem: %d velocities, %d joint rows, %d contacts, dimension %d; expected sizes >= 0 and 2 or 3", p->nv,
                       p->nj, p->nc, p->dimension);
    }
    SS_TRY(check_contacts(ctx, p));
    int nr = p->nc > 0 ? p->row[p->nc] : 0;
    if (p->local) {
        return check_csr(ctx, "W", &p->W, nr, nr);
    }
    SS_TRY(check_blocks(ctx, "scale", &p->scale, p->nv));
    SS_TRY(check_matrix(ctx, p));
    SS_TRY(check_csr(ctx, "G", &p->G, p->nj, p->nv));
    SS_TRY(check_csr(ctx, "H", &p->H, nr, p->nv));
    SS_TRY(check_numbers(ctx, "b", p->nv, p->b));
    SS_TRY(check_numbers(ctx, "c", p->nj, p->c));
    return p->v_old ? check_numbers(ctx, "v_old", p->nv, p->v_old) : SS_OK;
}
