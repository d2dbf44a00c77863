/* kkt.c - the joints' saddle-point system.
 *
 *     A v - G' lam = b          block-diagonal A:   S = G A^-1 G',   S lam = c - G A^-1 b,
 *     G v          = c                              v = A^-1 (b + G' lam)
 *
 * S has an entry wherever two joint rows share a block: its pattern, and the place in S of each product of two
 * pieces, are made once per pattern; a refresh is one pass over the products. S is factorised by LDL'.
 * Redundant rows are a matter of geometry, not of masses: they are found on S^ = G B^^-1 G', B^ being B with each block
 * divided by its first diagonal entry (the mass of a body). A pivot below a tolerance times the diagonal it started
 * from marks a row that depends on others: it is left out, lam = 0. A pivot is the squared sine of the angle between
 * a row and the others, so the default finds rows that repeat others up to 3e-7; joints that have drifted apart by
 * more need a wider tolerance, or lock the mechanism. The squared sines in the two metrics differ at most by the ratio
 * of the largest mass to the smallest: when the pivots of S itself stay above the tolerance by that ratio (and SAFE), no
 * row can be redundant and S^ is not formed. A mechanism that once was in doubt is looked at with S^ first.
 * One step of iterative refinement follows each solve. A sparse A goes through kkt_sparse.c; S is then formed
 * with B, the block diagonal that the problem carries, only to find the redundant rows.
 * Symbols     L Cholesky factors of the blocks; gram: pieces of the rows of G
 * Cost        linear in the number of links for a chain or a tree; memory only when a pattern is new   */
#include "problem/kkt.h"

#include "math/csr.h"
#include "math/ldl.h"
#include "problem/kkt_sparse.h"

#include <math.h>

static const double REDUNDANT = 1e-13; /* well above the round-off of a pivot, a few 1e-16 */
static const double SINGULAR = 1e-15;  /* of the rows that are left: only round-off */
static const double SAFE = 10;         /* pivots of S this far from doubt settle it without S^ */

struct ss_kkt {
    ss_context *ctx;
    const ss_problem *problem;
    double redundant; /* pivots below it, relative, are rows that depend on others */
    bool block;       /* A is block diagonal                          */
    ss_gram gram;
    ss_block_factor factor;      /* Cholesky factors of the blocks               */
    int *Sp, *Si, *place, *seen; /* pattern of S; where each product goes        */
    double *Sx;
    bool pattern_known, *skip; /* skip: redundant rows                         */
    bool doubtful;             /* real masses alone did not tell last time     */
    ss_ldl *ldl;
    ss_kkt_sparse *sparse;       /* NULL until a sparse A comes                  */
    double *b, *c, *rb, *rc, *x; /* copies of the right-hand side, residuals     */
    int Sp_cap, Si_cap, place_cap, seen_cap, Sx_cap, v_cap, j_cap, x_cap, skip_cap;
};

ss_status ss_kkt_create(ss_context *ctx, ss_kkt **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->redundant = REDUNDANT;
    ss_status status = ss_ldl_create(ctx, &(*out)->ldl);
    if (status != SS_OK) {
        ss_kkt_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_kkt_destroy(ss_kkt *kkt)
{
    if (!kkt) {
        return;
    }
    void *owned[] = { kkt->Sp, kkt->Si, kkt->place, kkt->seen, kkt->Sx, kkt->b, kkt->c, kkt->rb, kkt->rc, kkt->x, kkt->skip };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(kkt->ctx, owned[k]);
    }
    ss_gram_free(kkt->ctx, &kkt->gram);
    ss_block_factor_free(kkt->ctx, &kkt->factor);
    ss_ldl_destroy(kkt->ldl);
    ss_kkt_sparse_destroy(kkt->sparse);
    ss_free(kkt->ctx, kkt);
}

/* ---- factorise -------------------------------------------------------------------------------- */

static ss_status reserve_vectors(ss_kkt *kkt, int nv, int nj)
{
    int cap = kkt->v_cap;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->b, &cap, nv, sizeof *kkt->b));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->rb, &kkt->v_cap, nv, sizeof *kkt->rb));
    cap = kkt->j_cap;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->c, &cap, nj, sizeof *kkt->c));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->rc, &kkt->j_cap, nj, sizeof *kkt->rc));
    return ss_reserve(kkt->ctx, &kkt->x, &kkt->x_cap, nv + nj, sizeof *kkt->x);
}

/* row i of S: one entry for each row that shares a block with it; place[] for each pair of pieces */
static ss_status pattern_row(ss_kkt *kkt, int i, int *pairs)
{
    const ss_gram *g = &kkt->gram;
    int end = kkt->Sp[i];
    for (int k = g->first[i]; k < g->first[i + 1]; k++) {
        int b = g->block[k], more = g->by_first[b + 1] - g->by_first[b];
        SS_TRY(ss_reserve(kkt->ctx, &kkt->Si, &kkt->Si_cap, end + more, sizeof *kkt->Si));
        SS_TRY(ss_reserve(kkt->ctx, &kkt->place, &kkt->place_cap, *pairs + more, sizeof *kkt->place));
        for (int t = g->by_first[b]; t < g->by_first[b + 1]; t++) {
            int j = g->row[g->by[t]];
            if (kkt->seen[j] < kkt->Sp[i]) {
                kkt->seen[j] = end;
                kkt->Si[end++] = j;
            }
            kkt->place[(*pairs)++] = kkt->seen[j];
        }
    }
    kkt->Sp[i + 1] = end;
    return SS_OK;
}

static ss_status make_pattern(ss_kkt *kkt)
{
    int rows = kkt->gram.rows, pairs = 0;
    kkt->pattern_known = false;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->Sp, &kkt->Sp_cap, rows + 1, sizeof *kkt->Sp));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->seen, &kkt->seen_cap, rows, sizeof *kkt->seen));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->Si, &kkt->Si_cap, 1, sizeof *kkt->Si));
    kkt->Sp[0] = 0;
    for (int i = 0; i < rows; i++) {
        kkt->seen[i] = -1;
    }
    for (int i = 0; i < rows; i++) {
        SS_TRY(pattern_row(kkt, i, &pairs));
    }
    SS_TRY(ss_reserve(kkt->ctx, &kkt->skip, &kkt->skip_cap, rows, sizeof *kkt->skip));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->Sx, &kkt->Sx_cap, kkt->Sp[rows], sizeof *kkt->Sx));
    SS_TRY(ss_ldl_analyse(kkt->ldl, rows, kkt->Sp, kkt->Si));
    kkt->pattern_known = true;
    return SS_OK;
}

/* S = G B^-1 G' by its pairs of pieces, in the order in which pattern_row met them; unit: with B^ for B */
static void fill_schur(ss_kkt *kkt, bool unit)
{
    const ss_gram *g = &kkt->gram;
    const ss_blockdiag *M = &kkt->problem->M;
    int pair = 0;
    for (int e = 0; e < kkt->Sp[g->rows]; e++) {
        kkt->Sx[e] = 0;
    }
    for (int k = 0; k < g->pieces; k++) {
        int b = g->block[k];
        double mass = unit ? M->x[M->start[b]] : 1;
        for (int t = g->by_first[b]; t < g->by_first[b + 1]; t++) {
            kkt->Sx[kkt->place[pair++]] += mass * ss_gram_dot(g, M, k, g->y + g->at[g->by[t]]);
        }
    }
}

static void find_redundant(ss_kkt *kkt)
{
    fill_schur(kkt, true);
    ss_ldl_factor(kkt->ldl, kkt->Sx, kkt->redundant, NULL);
    for (int j = 0; j < kkt->gram.rows; j++) {
        kkt->skip[j] = ss_ldl_is_redundant(kkt->ldl, j);
    }
}

/* can S^ have a pivot below the tolerance? Not if those of S are above it by the ratio of the masses */
static bool is_doubtful(const ss_kkt *kkt)
{
    const ss_blockdiag *M = &kkt->problem->M;
    double least = INFINITY, most = 0;
    for (int k = 0; k < kkt->gram.pieces; k++) {
        double mass = M->x[M->start[kkt->gram.block[k]]];
        least = fmin(least, mass);
        most = fmax(most, mass);
    }
    return !(ss_ldl_smallest_pivot(kkt->ldl) * least > SAFE * kkt->redundant * most);
}

/* S with the real masses; S^ before it only where S leaves room for doubt */
static void factor_schur(ss_kkt *kkt)
{
    if (!kkt->doubtful) {
        fill_schur(kkt, false);
        ss_ldl_factor(kkt->ldl, kkt->Sx, SINGULAR, NULL);
        kkt->doubtful = kkt->gram.rows > 0 && is_doubtful(kkt);
        if (!kkt->doubtful) {
            return;
        }
    }
    find_redundant(kkt);
    fill_schur(kkt, false);
    ss_ldl_factor(kkt->ldl, kkt->Sx, SINGULAR, kkt->skip);
    kkt->doubtful = ss_ldl_redundant(kkt->ldl) > 0 || is_doubtful(kkt);
}

ss_status ss_kkt_factor(ss_kkt *kkt, const ss_problem *problem)
{
    kkt->problem = problem;
    kkt->block = problem->kind == SS_A_BLOCK_DIAGONAL;
    SS_TRY(reserve_vectors(kkt, problem->nv, problem->nj));
    SS_TRY(ss_block_factor_update(kkt->ctx, &kkt->factor, &problem->M));
    SS_TRY(ss_gram_build(kkt->ctx, &kkt->gram, &problem->M, kkt->factor.L, &problem->G));
    if (kkt->gram.changed || !kkt->pattern_known) {
        SS_TRY(make_pattern(kkt));
    }
    factor_schur(kkt);
    if (kkt->block) {
        return SS_OK;
    }
    if (!kkt->sparse) {
        SS_TRY(ss_kkt_sparse_create(kkt->ctx, &kkt->sparse));
    }
    return ss_kkt_sparse_factor(kkt->sparse, problem, kkt->ldl);
}

/* ---- solve ------------------------------------------------------------------------------------ */

static void copy_or_zero(int n, const double *from, double *to)
{
    for (int k = 0; k < n; k++) {
        to[k] = from ? from[k] : 0;
    }
}

/* v += A^-1 G' lam, by the pieces that are at hand */
static void add_reactions(const ss_kkt *kkt, const double *lam, double *v)
{
    const ss_gram *g = &kkt->gram;
    const ss_blockdiag *M = &kkt->problem->M;
    for (int k = 0; k < g->pieces; k++) {
        double l = lam[g->row[k]];
        const double *y = g->y + g->at[k];
        double *at = v + M->offset[g->block[k]];
        for (int i = 0; i < M->size[g->block[k]]; i++) {
            at[i] += l * y[i];
        }
    }
}

/* v holds b, lam holds c; both are overwritten */
static void solve_block(const ss_kkt *kkt, double *v, double *lam)
{
    ss_blockdiag_solve(&kkt->problem->M, kkt->factor.L, v);
    if (kkt->problem->nj > 0) {
        ss_csr_times(&kkt->problem->G, -1, v, 1, lam);
        ss_ldl_solve(kkt->ldl, lam);
        add_reactions(kkt, lam, v);
    }
}

/* rb = b - A v + G' lam,  rc = c - G v */
static void residuals(ss_kkt *kkt, const double *v, const double *lam)
{
    const ss_problem *p = kkt->problem;
    ss_blockdiag_times(&p->M, v, kkt->rb);
    for (int i = 0; i < p->nv; i++) {
        kkt->rb[i] = kkt->b[i] - kkt->rb[i];
    }
    ss_csr_transpose_times(&p->G, 1, lam, 1, kkt->rb);
    copy_or_zero(p->nj, kkt->c, kkt->rc);
    ss_csr_times(&p->G, -1, v, 1, kkt->rc);
}

static void solve_block_refined(ss_kkt *kkt, double *v, double *lam)
{
    const ss_problem *p = kkt->problem;
    copy_or_zero(p->nv, kkt->b, v);
    if (p->nj == 0) {
        solve_block(kkt, v, NULL);
        return;
    }
    copy_or_zero(p->nj, kkt->c, lam);
    solve_block(kkt, v, lam);
    residuals(kkt, v, lam);
    solve_block(kkt, kkt->rb, kkt->rc);
    for (int i = 0; i < p->nv; i++) {
        v[i] += kkt->rb[i];
    }
    for (int i = 0; i < p->nj; i++) {
        lam[i] += kkt->rc[i];
    }
}

static ss_status solve_sparse(ss_kkt *kkt, double *v, double *lam)
{
    const ss_problem *p = kkt->problem;
    copy_or_zero(p->nv, kkt->b, kkt->x);
    for (int i = 0; i < p->nj; i++) {
        kkt->x[p->nv + i] = ss_ldl_is_redundant(kkt->ldl, i) ? 0 : kkt->c[i];
    }
    SS_TRY(ss_kkt_sparse_solve(kkt->sparse, kkt->x));
    copy_or_zero(p->nv, kkt->x, v);
    copy_or_zero(p->nj, kkt->x + p->nv, lam);
    return SS_OK;
}

ss_status ss_kkt_solve(ss_kkt *kkt, const double *b, const double *c, double *v, double *lam)
{
    copy_or_zero(kkt->problem->nv, b, kkt->b);
    copy_or_zero(kkt->problem->nj, c, kkt->c);
    if (!kkt->block) {
        return solve_sparse(kkt, v, lam);
    }
    solve_block_refined(kkt, v, lam);
    return SS_OK;
}

ss_status ss_kkt_recover(ss_kkt *kkt, const ss_problem *p, ss_solution *s)
{
    if (p->kind == SS_A_NONE) {
        ss_csr_times(&p->W, 1, s->r, 0, s->u);
    } else {
        copy_or_zero(p->nv, p->b, s->v);
        ss_csr_transpose_times(&p->H, 1, s->r, 1, s->v);
        SS_TRY(ss_kkt_solve(kkt, s->v, p->c, s->v, s->lam));
        ss_csr_times(&p->H, 1, s->v, 0, s->u);
    }
    for (int i = 0; i < p->row[p->nc]; i++) {
        s->u[i] += p->w[i];
    }
    return SS_OK;
}

/* ---- what others may look at ------------------------------------------------------------------ */

int ss_kkt_redundant(const ss_kkt *kkt) { return ss_ldl_redundant(kkt->ldl); }

bool ss_kkt_is_redundant(const ss_kkt *kkt, int row) { return ss_ldl_is_redundant(kkt->ldl, row); }

void ss_kkt_set_redundant(ss_kkt *kkt, double eps) { kkt->redundant = eps; }

const ss_gram *ss_kkt_joint_gram(const ss_kkt *kkt) { return &kkt->gram; }

const double *ss_kkt_block_factor(const ss_kkt *kkt) { return kkt->factor.L; }

int ss_kkt_schur_entries(const ss_kkt *kkt) { return ss_ldl_entries(kkt->ldl); }
