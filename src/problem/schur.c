/* schur.c - S = G B^-1 G', factorised, with the joint rows that depend on others left out.
 *
 * S has an entry wherever two joint rows share a block: its pattern, and the place in S of each product of two
 * pieces, are made once per pattern; a refresh is one pass over the products. S is factorised by LDL'.
 * Redundant rows are a matter of geometry, not of masses: they are found on S^ = G B^^-1 G', B^ being B with each block
 * divided by its first diagonal entry (the mass of a body). A pivot below a tolerance times the diagonal it started
 * from marks a row that depends on others: it is left out, lam = 0. A pivot is the squared sine of the angle between
 * a row and the others, so the default finds rows that repeat others up to 3e-7; joints that have drifted apart by
 * more need a wider tolerance, or lock the mechanism. The squared sines in the two metrics differ at most by the ratio
 * of the largest mass to the smallest: when the pivots of S itself stay above the tolerance by that ratio (and SAFE), no
 * row can be redundant and S^ is not formed. After a call in which S was not conclusive, the next call uses S^ first.
 * Symbols     gram: pieces of the rows of G; Sp, Si, Sx: S by rows
 * Cost        linear in the number of links for a chain or a tree; memory only when a pattern is new   */
#include "problem/schur.h"
#include "base/tolerances.h"

#include <math.h>

static const double SINGULAR = 1e-15; /* a pivot of the rows that are left: only round-off */
static const double SAFE = 10;        /* pivots of S this far from doubt settle it without S^ */

ss_status ss_schur_create(ss_context *ctx, ss_schur *s)
{
    *s = (ss_schur){ .redundant = SS_TOL_RANK };
    return ss_ldl_create(ctx, &s->ldl);
}

void ss_schur_destroy(ss_context *ctx, ss_schur *s)
{
    void *owned[] = { s->Sp, s->Si, s->place, s->seen, s->Sx, s->skip };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(ctx, owned[k]);
    }
    ss_gram_free(ctx, &s->gram);
    ss_ldl_destroy(s->ldl);
}

/* row i of S: one entry for each row that shares a block with it; place[] for each pair of pieces */
static ss_status pattern_row(ss_context *ctx, ss_schur *s, int i, int *pairs)
{
    const ss_gram *g = &s->gram;
    int end = s->Sp[i];
    for (int k = g->first[i]; k < g->first[i + 1]; k++) {
        int b = g->block[k], more = g->by_first[b + 1] - g->by_first[b];
        SS_TRY(ss_reserve(ctx, &s->Si, &s->Si_cap, end + more, sizeof *s->Si));
        SS_TRY(ss_reserve(ctx, &s->place, &s->place_cap, *pairs + more, sizeof *s->place));
        for (int t = g->by_first[b]; t < g->by_first[b + 1]; t++) {
            int j = g->row[g->by[t]];
            if (s->seen[j] < s->Sp[i]) {
                s->seen[j] = end;
                s->Si[end++] = j;
            }
            s->place[(*pairs)++] = s->seen[j];
        }
    }
    s->Sp[i + 1] = end;
    return SS_OK;
}

static ss_status make_pattern(ss_context *ctx, ss_schur *s)
{
    int rows = s->gram.rows, pairs = 0;
    s->pattern_known = false;
    int cap = s->Sp_cap;
    SS_TRY(ss_reserve(ctx, &s->seen, &cap, rows + 1, sizeof *s->seen));
    cap = s->Sp_cap;
    SS_TRY(ss_reserve(ctx, &s->skip, &cap, rows + 1, sizeof *s->skip));
    SS_TRY(ss_reserve(ctx, &s->Sp, &s->Sp_cap, rows + 1, sizeof *s->Sp));
    SS_TRY(ss_reserve(ctx, &s->Si, &s->Si_cap, 1, sizeof *s->Si));
    s->Sp[0] = 0;
    for (int i = 0; i < rows; i++) {
        s->seen[i] = -1;
    }
    for (int i = 0; i < rows; i++) {
        SS_TRY(pattern_row(ctx, s, i, &pairs));
    }
    SS_TRY(ss_reserve(ctx, &s->Sx, &s->Sx_cap, s->Sp[rows], sizeof *s->Sx));
    SS_TRY(ss_ldl_analyse(s->ldl, rows, s->Sp, s->Si));
    s->pattern_known = true;
    return SS_OK;
}

/* S = G B^-1 G' by its pairs of pieces, in the order in which pattern_row met them; unit: with B^ for B */
static void fill(ss_schur *s, const ss_blockdiag *M, bool unit)
{
    const ss_gram *g = &s->gram;
    int pair = 0;
    for (int e = 0; e < s->Sp[g->rows]; e++) {
        s->Sx[e] = 0;
    }
    for (int k = 0; k < g->pieces; k++) {
        int b = g->block[k];
        double mass = unit ? M->x[M->start[b]] : 1;
        for (int t = g->by_first[b]; t < g->by_first[b + 1]; t++) {
            s->Sx[s->place[pair++]] += mass * ss_gram_dot(g, M, k, g->y + g->at[g->by[t]]);
        }
    }
}

static void find_redundant(ss_schur *s, const ss_blockdiag *M)
{
    fill(s, M, true);
    ss_ldl_factor(s->ldl, s->Sx, s->redundant, NULL);
    for (int j = 0; j < s->gram.rows; j++) {
        s->skip[j] = ss_ldl_is_redundant(s->ldl, j);
    }
}

/* can S^ have a pivot below the tolerance? Not if those of S are above it by the ratio of the masses */
static bool is_doubtful(const ss_schur *s, const ss_blockdiag *M)
{
    double least = INFINITY, most = 0;
    for (int k = 0; k < s->gram.pieces; k++) {
        double mass = M->x[M->start[s->gram.block[k]]];
        least = fmin(least, mass);
        most = fmax(most, mass);
    }
    return !(ss_ldl_smallest_pivot(s->ldl) * least > SAFE * s->redundant * most);
}

/* factorise S with the real masses; S^ finds the redundant rows first where the pivots of S cannot exclude any */
static void factor(ss_schur *s, const ss_blockdiag *M)
{
    if (!s->doubtful) {
        fill(s, M, false);
        ss_ldl_factor(s->ldl, s->Sx, SINGULAR, NULL);
        s->doubtful = s->gram.rows > 0 && is_doubtful(s, M);
        if (!s->doubtful) {
            return;
        }
    }
    find_redundant(s, M);
    fill(s, M, false);
    ss_ldl_factor(s->ldl, s->Sx, SINGULAR, s->skip);
    s->doubtful = ss_ldl_redundant(s->ldl) > 0 || is_doubtful(s, M);
}

ss_status ss_schur_factor(ss_context *ctx, ss_schur *s, const ss_blockdiag *B, const double *L, const ss_csr *G)
{
    SS_TRY(ss_gram_build(ctx, &s->gram, B, L, G));
    if (s->gram.changed || !s->pattern_known) {
        SS_TRY(make_pattern(ctx, s));
    }
    factor(s, B);
    return SS_OK;
}
