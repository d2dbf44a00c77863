/* basis.c - basis inverse for complementary pivoting.
 *
 *   columns of the system  ( I  -M  -c ) (w, z, z0) = q;   B the basic ones, by place;   B^-1 explicit
 *
 * Where w_j is basic, column j of B^-1 is a unit vector and is not stored: only the columns of the rows whose w
 * is nonbasic are ("slots"), so the work per pivot is n times the number of basic z. An exchange at place r with
 * d = B^-1 a multiplies B^-1 by an elementary matrix: a rank-one update of the stored columns.
 * Afresh: with the rows P of the slots and the basic z, z0 (as many), C = B restricted to both is inverted
 * by LU, and each basic w_i follows from its own row: w_i = q_i - B_i C^-1 q_P.
 * Reference   [CPS92 ch. 4.4]; revised simplex practice
 * Cost        solve and pivot n s, afresh n s^2 + s^3, with s slots                                  */
#include "solvers/lemke/basis.h"

#include "math/dense.h"

#include <math.h>

static const double GOOD = 1e-12; /* relative remainder from which one more refinement reaches round-off */

enum { REFINEMENTS = 3 }; /* at most */

static double *column(double *A, int ld, int k) { return A + (size_t)ld * (size_t)k; }

static const double *matrix_column(const ss_basis *b, int k) { return b->M + (size_t)b->n * (size_t)k; }

ss_status ss_basis_take(ss_basis *b, ss_arena *arena, int n, const double *M)
{
    double **vectors[] = { &b->cover, &b->refinement.part, &b->refinement.remainder, &b->refinement.fix, &b->f };
    double **squares[] = { &b->slots.R, &b->afresh.F, &b->afresh.C };
    int **ints[] = { &b->var, &b->slots.row, &b->slots.of_row, &b->afresh.pivots };
    *b = (ss_basis){ .n = n, .M = M };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof(double), vectors[k]));
    }
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof(int), ints[k]));
    }
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)n * (size_t)n, sizeof(double), squares[k]));
    }
    SS_TRY(ss_arena_take_raw(arena, (size_t)n * SS_DENSE_WORK, sizeof(double), &b->afresh.work));
    SS_TRY(ss_arena_take_raw(arena, 2 * (size_t)n + 1, sizeof(int), &b->place));
    ss_basis_all_w(b);
    return SS_OK;
}

void ss_basis_all_w(ss_basis *b)
{
    b->slots.count = b->pivoted = 0;
    b->place[2 * b->n] = -1;
    for (int k = 0; k < b->n; k++) {
        b->var[k] = b->place[k] = k;
        b->place[b->n + k] = -1;
        b->slots.of_row[k] = -1;
    }
}

bool ss_basis_set(ss_basis *b, const bool *basic_z)
{
    ss_basis_all_w(b);
    for (int k = 0; k < b->n; k++) {
        if (basic_z[k]) {
            b->var[k] = b->n + k;
            b->place[b->n + k] = k;
            b->place[k] = -1;
            b->slots.of_row[k] = b->slots.count;
            b->slots.row[b->slots.count++] = k;
        }
    }
    return ss_basis_factor(b);
}

void ss_basis_column(const ss_basis *b, int variable, double *a)
{
    int n = b->n;
    for (int i = 0; i < n; i++) {
        a[i] = variable < n ? 0 : variable < 2 * n ? -matrix_column(b, variable - n)[i] : -b->cover[i];
    }
    if (variable < n) {
        a[variable] = 1;
    }
}

/* ---- afresh ----------------------------------------------------------------------------------- */

/* F: the columns of the basic z and z0, in the order of their places; C: the slots' rows of F */
static void gather(ss_basis *b)
{
    int s = 0;
    for (int p = 0; p < b->n; p++) {
        if (b->var[p] < b->n) {
            continue;
        }
        double *f = column(b->afresh.F, b->n, s);
        ss_basis_column(b, b->var[p], f);
        for (int k = 0; k < b->slots.count; k++) {
            column(b->afresh.C, b->slots.count, s)[k] = f[b->slots.row[k]];
        }
        s++;
    }
}

/* rows of C^-1 to the places of z and z0; rows of -F C^-1, which stand in R, to the places of w */
static void scatter(ss_basis *b)
{
    for (int k = 0; k < b->slots.count; k++) {
        double *r = column(b->slots.R, b->n, k);
        const double *c = column(b->afresh.C, b->slots.count, k);
        memcpy(b->f, r, (size_t)b->n * sizeof *r);
        for (int p = 0, s = 0; p < b->n; p++) {
            r[p] = b->var[p] < b->n ? b->f[b->var[p]] : c[s++];
        }
    }
}

bool ss_basis_factor(ss_basis *b)
{
    b->pivoted = 0;
    gather(b);
    if (!ss_dense_lu(b->slots.count, b->afresh.C, b->slots.count, b->afresh.pivots) ||
        !ss_dense_lu_inverse(b->slots.count, b->afresh.C, b->slots.count, b->afresh.pivots, b->afresh.work)) {
        return false;
    }
    ss_dense_product(b->n, b->slots.count, b->slots.count, -1, b->afresh.F, b->n, b->afresh.C, b->slots.count, 0, b->slots.R,
                     b->n);
    scatter(b);
    return true;
}

/* ---- use -------------------------------------------------------------------------------------- */

void ss_basis_times(const ss_basis *b, const double *x, double *y)
{
    int n = b->n;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int p = 0; p < n; p++) {
        if (b->var[p] < n) {
            y[b->var[p]] += x[p];
        } else if (x[p] != 0) {
            ss_dense_add(n, -x[p], b->var[p] < 2 * n ? matrix_column(b, b->var[p] - n) : b->cover, y);
        }
    }
}

/* x = B^-1 a with the inverse as it is */
static void solve_once(ss_basis *b, const double *a, double *x)
{
    for (int p = 0; p < b->n; p++) {
        x[p] = b->var[p] < b->n ? a[b->var[p]] : 0;
    }
    for (int k = 0; k < b->slots.count; k++) {
        b->refinement.part[k] = a[b->slots.row[k]];
    }
    ss_dense_times(b->n, b->slots.count, 1, b->slots.R, b->n, b->refinement.part, x);
}

/* remainder = a - B x; the largest of it */
static double remainder_of(ss_basis *b, const double *a, const double *x)
{
    double off = 0;
    ss_basis_times(b, x, b->refinement.remainder);
    for (int i = 0; i < b->n; i++) {
        b->refinement.remainder[i] = a[i] - b->refinement.remainder[i];
        off = fmax(off, fabs(b->refinement.remainder[i]));
    }
    return off;
}

double ss_basis_solve(ss_basis *b, const double *a, double *x)
{
    double size = 0, first = 0;
    for (int i = 0; i < b->n; i++) {
        size = fmax(size, fabs(a[i]));
    }
    solve_once(b, a, x);
    for (int round = 0; round < REFINEMENTS; round++) {
        double off = remainder_of(b, a, x);
        first = round == 0 ? off : first;
        solve_once(b, b->refinement.remainder, b->refinement.fix);
        for (int i = 0; i < b->n; i++) {
            x[i] += b->refinement.fix[i];
        }
        if (off <= GOOD * size) {
            break;
        }
    }
    return size > 0 ? first / size : 0;
}

double ss_basis_inverse(const ss_basis *b, int place, int row)
{
    int slot = b->slots.of_row[row];
    return slot >= 0 ? b->slots.R[(size_t)slot * (size_t)b->n + (size_t)place] : b->place[row] == place;
}

/* ---- exchange --------------------------------------------------------------------------------- */

/* the column of a w that leaves was a unit vector: store it */
static void open_slot(ss_basis *b, int row, int place)
{
    double *r = column(b->slots.R, b->n, b->slots.count);
    memset(r, 0, (size_t)b->n * sizeof *r);
    r[place] = 1;
    b->slots.of_row[row] = b->slots.count;
    b->slots.row[b->slots.count++] = row;
}

/* the column of a w that entered is a unit vector again: the last slot takes its place */
static void close_slot(ss_basis *b, int row)
{
    int slot = b->slots.of_row[row], last = --b->slots.count;
    if (slot != last) {
        memcpy(column(b->slots.R, b->n, slot), column(b->slots.R, b->n, last), (size_t)b->n * sizeof *b->slots.R);
        b->slots.row[slot] = b->slots.row[last];
        b->slots.of_row[b->slots.row[slot]] = slot;
    }
    b->slots.of_row[row] = -1;
}

void ss_basis_ray(const ss_basis *b, int entering, const double *d, double *ray)
{
    for (int k = 0; k < b->n; k++) {
        int place = b->place[b->n + k];
        ray[k] = place >= 0 ? fmax(0, -d[place]) : b->n + k == entering ? 1 : 0;
    }
}

void ss_basis_pivot(ss_basis *b, int place, int entering, const double *d)
{
    int leaving = b->var[place];
    if (leaving < b->n) {
        open_slot(b, leaving, place);
    }

    /* R <- R - d f',  f = row `place` of R over the pivot; that row itself becomes f */
    for (int k = 0; k < b->slots.count; k++) {
        b->f[k] = column(b->slots.R, b->n, k)[place] / d[place];
    }
    ss_dense_rank_one(b->n, b->slots.count, -1, d, b->f, b->slots.R, b->n);
    for (int k = 0; k < b->slots.count; k++) {
        column(b->slots.R, b->n, k)[place] = b->f[k];
    }
    b->place[leaving] = -1;
    b->var[place] = entering;
    b->place[entering] = place;
    if (entering < b->n) {
        close_slot(b, entering);
    }
    b->pivoted++;
}
