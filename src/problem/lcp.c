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
 * Symbols     unknown: along = coefficients of r on the contact's rows
 * Cost        n * rows + n^2                                                                         */
#include "problem/lcp.h"

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
    *out = (ss_lcp){ 0 };
    SS_TRY(ss_arena_take(arena, (size_t)n, sizeof *out->unknown, &out->unknown));
    SS_TRY(ss_arena_take(arena, (size_t)rows, sizeof *out->row, &out->row));
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

/* ---- matrix ----------------------------------------------------------------------------------- */

/* column b of M: the velocities that a unit of unknown b causes, seen by every unknown */
static void fill_column(ss_lcp *lcp, int b)
{
    const ss_lcp_unknown *zb = &lcp->unknown[b];
    double *column = lcp->M + (size_t)lcp->n * (size_t)b;
    for (int a = 0; a < lcp->n; a++) {
        const ss_lcp_unknown *za = &lcp->unknown[a];
        double s = 0;
        for (int j = 0; j < zb->rows; j++) {
            const double *w = lcp->W + (size_t)lcp->rows * (size_t)(zb->row + j);
            for (int i = 0; i < za->rows; i++) {
                s += za->along[i] * w[za->row + i] * zb->along[j];
            }
        }
        column[a] = za->scale * s * zb->scale;
    }
}

/* the couplings of beta, c_n and lambda within a contact */
static void couple(const ss_problem *p, ss_lcp *lcp, int a)
{
    int n = lcp->n;
    const ss_lcp_unknown *slip = &lcp->unknown[a];
    for (int b = a - 1; b >= 0 && lcp->unknown[b].contact == slip->contact; b--) {
        const ss_lcp_unknown *z = &lcp->unknown[b];
        double both = z->scale * slip->scale;
        if (z->kind == SS_LCP_FRICTION) {
            lcp->M[(size_t)b + (size_t)n * (size_t)a] = both;
            lcp->M[(size_t)a + (size_t)n * (size_t)b] = -both;
        } else {
            lcp->M[(size_t)a + (size_t)n * (size_t)b] = p->mu[z->contact] * both;
        }
    }
}

static double constant_of(const ss_problem *p, const ss_lcp *lcp, int a)
{
    const ss_lcp_unknown *z = &lcp->unknown[a];
    double s = z->kind == SS_LCP_SLIP && p->law[z->contact] == SS_LAW_BOUNDED ? p->mu[z->contact] : 0;
    for (int i = 0; i < z->rows; i++) {
        s += z->along[i] * lcp->w[z->row + i];
    }
    return z->scale * s;
}

ss_status ss_lcp_build(ss_arena *arena, const ss_problem *p, ss_delassus *delassus, const double *shift, int contacts,
                       const int *contact, ss_lcp *out)
{
    SS_TRY(list_unknowns(arena, p, contacts, contact, out));
    SS_TRY(ss_arena_take(arena, (size_t)out->rows * (size_t)out->rows, sizeof *out->W, &out->W));
    SS_TRY(ss_arena_take(arena, (size_t)out->rows, sizeof *out->w, &out->w));
    SS_TRY(ss_arena_take(arena, (size_t)out->n * (size_t)out->n, sizeof *out->M, &out->M));
    SS_TRY(ss_arena_take(arena, (size_t)out->n, sizeof *out->q, &out->q));
    SS_TRY(ss_delassus_block(delassus, arena, out->rows, out->row, out->W, out->w));
    for (int i = 0; i < out->rows; i++) {
        out->w[i] += shift[out->row[i]];
    }
    set_scales(p, delassus, out);
    for (int a = 0; a < out->n; a++) {
        fill_column(out, a);
    }
    for (int a = 0; a < out->n; a++) {
        if (out->unknown[a].kind == SS_LCP_SLIP) {
            couple(p, out, a);
        }
        out->q[a] = constant_of(p, out, a);
    }
    return SS_OK;
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
        for (int i = 0; i < lcp->rows; i++) {
            u[lcp->row[i]] += lcp->W[(size_t)i + (size_t)lcp->rows * (size_t)j] * r[lcp->row[j]];
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
