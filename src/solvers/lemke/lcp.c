/* lcp.c - from contacts to  w = M z + q,  0 <= z _|_ w >= 0.
 *
 * Polyhedral contact, z = (c_n, beta_1 .. beta_k, lambda), with r_N = c_n, r_T = sum beta_k d_k:
 *   u_N                      >= 0   _|_  c_n    >= 0        [AP97 (2.10)]
 *   lambda + d_k . u_T       >= 0   _|_  beta_k >= 0        [AP97 (2.11)]
 *   mu c_n - sum beta_k      >= 0   _|_  lambda >= 0        [AP97 (2.12)]
 * Unilateral contact, or mu = 0: c_n alone. Bounded row |r| <= m: beta+, beta-, lambda with r = beta+ - beta- and
 *   lambda + u >= 0,  lambda - u >= 0,  m - beta+ - beta- >= 0;   m = 0: nothing.
 * With u = W r + q [AP97 (A.4)] this is an LCP whose matrix is copositive.
 *
 * Scaling     z = D z', w' = D w:  D = 1/sqrt(d) for impulses and sqrt(d) for lambda, d the mean of the contact's W_ii.
 *             Impulses and velocities become roots of energies, M' has entries of order one: units drop out.
 *             A contact that cannot move (W_ii = 0) takes its scale from B alone.
 * Structure   M = D (N' W N + C) D: column a of N has the coefficients `along` of unknown a on the contact's rows, C
 *             the couplings of c_n, beta and lambda within a contact. A product takes W and N alone; M is
 *             written out, one column W N_b at a time, only when a path has to be walked.
 * Cost        building: W. A product: nonzeros of W in the columns with r_j != 0; writing M out n rows + n^2  */
#include "solvers/lemke/lcp.h"

#include "math/dense.h"

#include <math.h>

static bool has_friction(const ss_problem *p, int k) { return p->law[k] == SS_LAW_POLYHEDRAL && p->mu[k] > 0; }

static int unknowns_of(const ss_problem *p, int k)
{
    if (p->law[k] == SS_LAW_BOUNDED) {
        return p->mu[k] > 0 ? 3 : 0;
    }
    return has_friction(p, k) ? 2 + p->dir[k + 1] - p->dir[k] : 1;
}

ss_status ss_lcp_check(ss_context *ctx, const ss_problem *p)
{
    const unsigned taken = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_BOUNDED;
    for (int k = 0; k < p->nc; k++) {
        if (!(p->law[k] & taken)) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED, "contact %d has law %u, which is no linear complementarity problem", k,
                           p->law[k]);
        }
        int directions = p->law[k] == SS_LAW_POLYHEDRAL ? p->dir[k + 1] - p->dir[k] : 0;
        if (directions > SS_LCP_MAX_DIRECTIONS) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED, "contact %d has %d friction directions, at most %d are possible", k,
                           directions, SS_LCP_MAX_DIRECTIONS);
        }
    }
    return SS_OK;
}

/* ---- unknowns --------------------------------------------------------------------------------- */

static void list_contact(const ss_problem *p, int k, int row, ss_lcp *out)
{
    ss_lcp_unknown *z = out->unknown + out->n;
    int count = unknowns_of(p, k);
    bool bounded = p->law[k] == SS_LAW_BOUNDED;
    for (int i = 0; i < count; i++) {
        z[i] = (ss_lcp_unknown){ .contact = k, .row = row, .rows = 1, .bit = bounded ? i + 1 : i };
        if (i == 0 && !bounded) {
            z[i].kind = SS_LCP_NORMAL;
            z[i].along[0] = 1;
        } else if (i == count - 1) {
            z[i].kind = SS_LCP_SLIP;
            z[i].rows = 0;
        } else if (bounded) {
            z[i].kind = SS_LCP_FRICTION;
            z[i].along[0] = i == 0 ? 1 : -1;
        } else {
            const double *d = p->direction + 2 * (p->dir[k] + i - 1);
            z[i].kind = SS_LCP_FRICTION;
            z[i].row = row + 1;
            z[i].rows = p->dimension - 1;
            z[i].along[0] = d[0];
            z[i].along[1] = p->dimension == 3 ? d[1] : 0;
        }
    }
    out->n += count;
}

static ss_status list_unknowns(ss_arena *arena, const ss_problem *p, int contacts, const int *contact, ss_lcp *out)
{
    int n = 0, rows = 0;
    for (int i = 0; i < contacts; i++) {
        n += unknowns_of(p, contact[i]);
        rows += p->row[contact[i] + 1] - p->row[contact[i]];
    }
    *out = (ss_lcp){ .problem = p };
    SS_TRY(ss_arena_take_raw(arena, (size_t)n, sizeof *out->unknown, &out->unknown));
    SS_TRY(ss_arena_take_raw(arena, (size_t)rows, sizeof *out->row, &out->row));
    for (int i = 0; i < contacts; i++) {
        list_contact(p, contact[i], out->rows, out);
        for (int row = p->row[contact[i]]; row < p->row[contact[i] + 1]; row++) {
            out->row[out->rows++] = row;
        }
    }
    return SS_OK;
}

/* scale of each unknown from the diagonal of its contact's rows */
static void set_scales(const ss_problem *p, const ss_delassus *delassus, ss_lcp *lcp)
{
    double d = 1;
    for (int a = 0, before = -1, row = 0; a < lcp->n; a++) {
        ss_lcp_unknown *z = &lcp->unknown[a];
        if (z->contact != before) {
            before = z->contact;
            double own = 0, free = 0;
            while (lcp->row[row] != p->row[before]) {
                row++;
            }
            for (int i = p->row[before]; i < p->row[before + 1]; i++, row++) {
                own += lcp->W[(size_t)row * (size_t)(lcp->rows + 1)];
                free += ss_delassus_scale(delassus, i);
            }
            d = (own > 0 ? own : free) / (p->row[before + 1] - p->row[before]);
        }
        z->scale = z->kind == SS_LCP_SLIP ? sqrt(d) : 1 / sqrt(d);
    }
}

/* where W is not zero: contacts that share no body do not feel each other */
static void list_nonzeros(ss_lcp *lcp)
{
    int count = 0;
    for (int j = 0; j < lcp->rows; j++) {
        const double *column = lcp->W + (size_t)lcp->rows * (size_t)j;
        lcp->first[j] = count;
        for (int i = 0; i < lcp->rows; i++) {
            if (column[i] != 0) {
                lcp->entry[count++] = i;
            }
        }
    }
    lcp->first[lcp->rows] = count;
}

/* ---- matrix ----------------------------------------------------------------------------------- */

/* entry of C, scaled: the couplings of beta, c_n and lambda within a contact */
static double coupling(const ss_lcp *lcp, const ss_lcp_unknown *a, const ss_lcp_unknown *b)
{
    if (a->contact != b->contact || (a->kind == SS_LCP_SLIP) == (b->kind == SS_LCP_SLIP)) {
        return 0;
    }
    double both = a->scale * b->scale;
    if (b->kind == SS_LCP_SLIP) {
        return a->kind == SS_LCP_FRICTION ? both : 0;
    }
    return b->kind == SS_LCP_FRICTION ? -both : lcp->problem->mu[b->contact] * both;
}

/* W N_b on all rows, and a zero after the last */
static void push(const ss_lcp *lcp, const ss_lcp_unknown *b, double *t)
{
    memset(t, 0, (size_t)(lcp->rows + 1) * sizeof *t);
    for (int j = 0; j < b->rows; j++) {
        ss_dense_add(lcp->rows, b->along[j], lcp->W + (size_t)lcp->rows * (size_t)(b->row + j), t);
    }
}

/* what unknown a sees of the velocities t; a coefficient that is not used is zero */
static double see(const ss_lcp_unknown *a, const double *t)
{
    return a->scale * (a->along[0] * t[a->row] + a->along[1] * t[a->row + 1]);
}

static void write_dense(const void *data, double *M)
{
    const ss_lcp *lcp = data;
    for (int b = 0; b < lcp->n; b++) {
        const ss_lcp_unknown *zb = &lcp->unknown[b];
        double *column = M + (size_t)lcp->n * (size_t)b;
        push(lcp, zb, lcp->pushed);
        for (int a = 0; a < lcp->n; a++) {
            column[a] = see(&lcp->unknown[a], lcp->pushed) * zb->scale;
        }
        for (int a = b; a >= 0 && lcp->unknown[a].contact == zb->contact; a--) {
            column[a] += coupling(lcp, &lcp->unknown[a], zb);
        }
        for (int a = b + 1; a < lcp->n && lcp->unknown[a].contact == zb->contact; a++) {
            column[a] += coupling(lcp, &lcp->unknown[a], zb);
        }
    }
}

static void gather(const void *data, int count, const int *index, double *A)
{
    const ss_lcp *lcp = data;
    for (int j = 0; j < count; j++) {
        const ss_lcp_unknown *b = &lcp->unknown[index[j]];
        push(lcp, b, lcp->pushed);
        for (int i = 0; i < count; i++) {
            const ss_lcp_unknown *a = &lcp->unknown[index[i]];
            *A++ = see(a, lcp->pushed) * b->scale + coupling(lcp, a, b);
        }
    }
}

/* ---- products --------------------------------------------------------------------------------- */

/* r = N D z, summed in long double */
static void impulses(const ss_lcp *lcp, const double *z, long double *r)
{
    for (int i = 0; i < lcp->rows; i++) {
        r[i] = 0;
    }
    for (int a = 0; a < lcp->n; a++) {
        const ss_lcp_unknown *x = &lcp->unknown[a];
        for (int i = 0; i < x->rows && z[a] != 0; i++) {
            r[x->row + i] += (long double)(x->along[i] * x->scale) * z[a];
        }
    }
}

/* u = W r */
static void velocities(const ss_lcp *lcp, const long double *r, long double *u)
{
    for (int i = 0; i < lcp->rows; i++) {
        u[i] = 0;
    }
    for (int j = 0; j < lcp->rows; j++) {
        const double *column = lcp->W + (size_t)lcp->rows * (size_t)j;
        for (int e = lcp->first[j]; e < lcp->first[j + 1] && r[j] != 0; e++) {
            u[lcp->entry[e]] += column[lcp->entry[e]] * r[j];
        }
    }
}

/* w += D C D z for the contact whose lambda is unknown a */
static void add_couplings(const ss_lcp *lcp, int a, const double *z, long double *w)
{
    const ss_lcp_unknown *slip = &lcp->unknown[a];
    for (int b = a - 1; b >= 0 && lcp->unknown[b].contact == slip->contact; b--) {
        w[a] += (long double)coupling(lcp, slip, &lcp->unknown[b]) * z[b];
        w[b] += (long double)coupling(lcp, &lcp->unknown[b], slip) * z[a];
    }
}

static void add_times(const void *data, const double *z, long double *w)
{
    const ss_lcp *lcp = data;
    impulses(lcp, z, lcp->r);
    velocities(lcp, lcp->r, lcp->u);
    for (int a = 0; a < lcp->n; a++) {
        const ss_lcp_unknown *x = &lcp->unknown[a];
        for (int i = 0; i < x->rows; i++) {
            w[a] += (long double)(x->along[i] * x->scale) * lcp->u[x->row + i];
        }
        if (x->kind == SS_LCP_SLIP) {
            add_couplings(lcp, a, z, w);
        }
    }
}

ss_pivot_matrix ss_lcp_matrix(const ss_lcp *lcp)
{
    return (ss_pivot_matrix){ .n = lcp->n, .data = lcp, .add_times = add_times, .gather = gather, .dense = write_dense };
}

/* ---- the whole -------------------------------------------------------------------------------- */

static double constant_of(const ss_lcp *lcp, int a)
{
    const ss_lcp_unknown *z = &lcp->unknown[a];
    const ss_problem *p = lcp->problem;
    double s = z->kind == SS_LCP_SLIP && p->law[z->contact] == SS_LAW_BOUNDED ? p->mu[z->contact] : 0;
    for (int i = 0; i < z->rows; i++) {
        s += z->along[i] * lcp->w[z->row + i];
    }
    return z->scale * s;
}

static ss_status take_vectors(ss_arena *arena, ss_lcp *out)
{
    size_t rows = (size_t)out->rows;
    SS_TRY(ss_arena_take_raw(arena, rows * rows, sizeof *out->W, &out->W));
    SS_TRY(ss_arena_take_raw(arena, rows * rows, sizeof *out->entry, &out->entry));
    SS_TRY(ss_arena_take_raw(arena, rows + 1, sizeof *out->first, &out->first));
    SS_TRY(ss_arena_take_raw(arena, rows, sizeof *out->w, &out->w));
    SS_TRY(ss_arena_take_raw(arena, rows, sizeof *out->given, &out->given));
    SS_TRY(ss_arena_take_raw(arena, rows, sizeof *out->r, &out->r));
    SS_TRY(ss_arena_take_raw(arena, rows, sizeof *out->u, &out->u));
    SS_TRY(ss_arena_take_raw(arena, rows + 1, sizeof *out->pushed, &out->pushed));
    return ss_arena_take_raw(arena, (size_t)out->n, sizeof *out->q, &out->q);
}

ss_status ss_lcp_build(ss_arena *arena, const ss_problem *p, ss_delassus *delassus, int contacts, const int *contact, ss_lcp *out)
{
    SS_TRY(list_unknowns(arena, p, contacts, contact, out));
    SS_TRY(take_vectors(arena, out));
    ss_arena_mark mark = ss_arena_save(arena);
    ss_status status = ss_delassus_submatrix(delassus, arena, out->rows, out->row, out->W, out->given);
    ss_arena_release(arena, mark);
    SS_TRY(status);
    list_nonzeros(out);
    set_scales(p, delassus, out);
    ss_lcp_shift(out, NULL);
    return SS_OK;
}

void ss_lcp_shift(ss_lcp *lcp, const double *shift)
{
    for (int i = 0; i < lcp->rows; i++) {
        lcp->w[i] = lcp->given[i] + (shift ? shift[lcp->row[i]] : 0);
    }
    for (int a = 0; a < lcp->n; a++) {
        lcp->q[a] = constant_of(lcp, a);
    }
}

/* ---- back ------------------------------------------------------------------------------------- */

void ss_lcp_impulses(const ss_lcp *lcp, const double *z, double *r, double *u)
{
    for (int i = 0; i < lcp->rows; i++) {
        r[lcp->row[i]] = 0;
        u[lcp->row[i]] = lcp->w[i];
    }
    for (int a = 0; a < lcp->n; a++) {
        const ss_lcp_unknown *x = &lcp->unknown[a];
        for (int i = 0; i < x->rows; i++) {
            r[lcp->row[x->row + i]] += x->along[i] * x->scale * z[a];
        }
    }
    for (int j = 0; j < lcp->rows; j++) {
        const double *column = lcp->W + (size_t)lcp->rows * (size_t)j;
        for (int e = lcp->first[j]; e < lcp->first[j + 1] && r[lcp->row[j]] != 0; e++) {
            u[lcp->row[lcp->entry[e]]] += column[lcp->entry[e]] * r[lcp->row[j]];
        }
    }
}

void ss_lcp_basis_read(const ss_lcp *lcp, const uint64_t *basis, bool *basic)
{
    for (int a = 0; a < lcp->n; a++) {
        basic[a] = basis[lcp->unknown[a].contact] >> lcp->unknown[a].bit & 1;
    }
}

void ss_lcp_basis_write(const ss_lcp *lcp, const bool *basic, uint64_t *basis)
{
    for (int a = 0; a < lcp->n; a++) {
        const ss_lcp_unknown *x = &lcp->unknown[a];
        bool first = a == 0 || lcp->unknown[a - 1].contact != x->contact;
        basis[x->contact] = (first ? SS_LCP_BASIS_KNOWN : basis[x->contact]) | (uint64_t)basic[a] << x->bit;
    }
}
