/* kkt.c - the joints' saddle-point system.
 *
 *     A v - G' lam = b          block-diagonal A:   S = G A^-1 G',   S lam = c - G A^-1 b,
 *     G v          = c                              v = A^-1 (b + G' lam)
 *
 * Clusters (clusters.h) do not feel each other here. Those without springs and dampers have A = B, the block diagonal that the
 * problem carries as its scale, and are solved through S (schur.c) with one step of iterative refinement. A cluster with
 * couplings has a factorisation of its own (coupled.c) that takes the place of what B gives for it.
 * Symbols     L Cholesky factors of the blocks of B; gram: pieces of the rows of G
 * Cost        linear in the number of links for a chain or a tree; coupled clusters: see coupled.c; memory only when a
 *             pattern is new                                                                          */
#include "problem/kkt.h"

#include "base/parallel.h"
#include "math/matrix.h"
#include "problem/acting_rows.h"
#include "problem/coupled.h"
#include "problem/residual.h"
#include "problem/schur.h"

/* the clusters with springs or dampers */
typedef struct kkt_coupled {
    ss_coupled **one; /* the factorisation of each; beyond `count` those of earlier problems, kept for their memory */
    int *which;       /* clusters: its place in `one`                                                              */
    int count, cap;
} kkt_coupled;

enum { BODIES = 256, CONTACTS = 1024 }; /* of a range: base/parallel.h */

/* both sides of the system, as rows of momentum and of joints */
typedef struct kkt_rows {
    double *b, *c; /* nv, nj */
} kkt_rows;

struct ss_kkt {
    ss_context *ctx;
    const ss_problem *problem;
    ss_block_factor factor; /* Cholesky factors of the blocks of B */
    ss_schur schur;
    ss_arena *arena;      /* of the clusters        */
    ss_clusters clusters; /* count 0: not found yet */
    kkt_coupled coupled;
    kkt_rows given, rest; /* a copy of the right-hand side; its residual */
    int v_cap, j_cap;
    double *x;  /* nv + nj: a cluster's unknowns    */
    int *local; /* nv + nj: scratch of coupled.c    */
    int x_cap;
};

ss_status ss_kkt_create(ss_context *ctx, ss_kkt **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_schur_create(ctx, &(*out)->schur);
    status = status == SS_OK ? ss_arena_create(ctx, 1 << 10, &(*out)->arena) : status;
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
    for (int k = 0; k < kkt->coupled.cap; k++) {
        ss_coupled_destroy(kkt->coupled.one[k]);
    }
    void *owned[] = { kkt->coupled.one, kkt->given.b, kkt->given.c, kkt->rest.b, kkt->rest.c, kkt->x, kkt->local };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(kkt->ctx, owned[k]);
    }
    ss_schur_destroy(kkt->ctx, &kkt->schur);
    ss_block_factor_free(kkt->ctx, &kkt->factor);
    ss_arena_destroy(kkt->arena);
    ss_free(kkt->ctx, kkt);
}

/* ---- factorise -------------------------------------------------------------------------------- */

static ss_status reserve_vectors(ss_kkt *kkt, int nv, int nj)
{
    int cap = kkt->v_cap;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->given.b, &cap, nv, sizeof *kkt->given.b));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->rest.b, &kkt->v_cap, nv, sizeof *kkt->rest.b));
    cap = kkt->j_cap;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->given.c, &cap, nj, sizeof *kkt->given.c));
    SS_TRY(ss_reserve(kkt->ctx, &kkt->rest.c, &kkt->j_cap, nj, sizeof *kkt->rest.c));
    cap = kkt->x_cap;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->local, &cap, nv + nj, sizeof *kkt->local));
    return ss_reserve(kkt->ctx, &kkt->x, &kkt->x_cap, nv + nj, sizeof *kkt->x);
}

/* room for one more coupled cluster */
static ss_status next_coupled(ss_kkt *kkt, ss_coupled **out)
{
    int before = kkt->coupled.cap, k = kkt->coupled.count;
    SS_TRY(ss_reserve(kkt->ctx, &kkt->coupled.one, &kkt->coupled.cap, k + 1, sizeof *kkt->coupled.one));
    for (int i = before; i < kkt->coupled.cap; i++) {
        kkt->coupled.one[i] = NULL;
    }
    if (!kkt->coupled.one[k]) {
        SS_TRY(ss_coupled_create(kkt->ctx, &kkt->coupled.one[k]));
    }
    kkt->coupled.count = k + 1;
    *out = kkt->coupled.one[k];
    return SS_OK;
}

static ss_status find_clusters(ss_kkt *kkt)
{
    ss_arena_reset(kkt->arena);
    ss_status status = ss_clusters_find(kkt->arena, kkt->problem, &kkt->clusters);
    kkt->clusters.count = status == SS_OK ? kkt->clusters.count : 0; /* after a failure the list is incomplete: none */
    return status;
}

static ss_status factor_coupled(ss_kkt *kkt)
{
    SS_TRY(find_clusters(kkt));
    SS_TRY(ss_arena_take(kkt->arena, (size_t)kkt->clusters.count, sizeof *kkt->coupled.which, &kkt->coupled.which));
    for (int c = 0; c < kkt->clusters.count; c++) {
        ss_coupled *one;
        if (kkt->clusters.coupled[c]) {
            kkt->coupled.which[c] = kkt->coupled.count;
            SS_TRY(next_coupled(kkt, &one));
            SS_TRY(ss_coupled_factor(one, kkt->problem, &kkt->clusters, c, &kkt->schur.gram, kkt->schur.ldl, kkt->local));
        }
    }
    return SS_OK;
}

ss_status ss_kkt_factor(ss_kkt *kkt, const ss_problem *problem)
{
    kkt->problem = problem;
    kkt->coupled.count = 0;
    kkt->clusters.count = 0;
    SS_TRY(reserve_vectors(kkt, problem->nv, problem->nj));
    SS_TRY(ss_block_factor_update(kkt->ctx, &kkt->factor, &problem->scale));
    SS_TRY(ss_schur_factor(kkt->ctx, &kkt->schur, &problem->scale, kkt->factor.L, &problem->G));
    return ss_matrix_is_block_diagonal(&problem->A) ? SS_OK : factor_coupled(kkt);
}

/* ---- solve ------------------------------------------------------------------------------------ */

static void copy_or_zero(const ss_kkt *kkt, int n, const double *from, double *to)
{
    if (from && from != to) {
        ss_parallel_copy(kkt->ctx, (size_t)n * sizeof *to, from, to);
    }
    for (int k = 0; k < n && !from; k++) {
        to[k] = 0;
    }
}

/* v += A^-1 G' lam, by the pieces that are at hand */
static void add_reactions(const ss_kkt *kkt, const double *lam, double *v)
{
    const ss_gram *g = &kkt->schur.gram;
    const ss_blockdiag *M = &kkt->problem->scale;
    for (int k = 0; k < g->pieces; k++) {
        double l = lam[g->row[k]];
        const double *y = g->y + g->at[k];
        double *at = v + M->offset[g->block[k]];
        for (int i = 0; i < M->size[g->block[k]]; i++) {
            at[i] += l * y[i];
        }
    }
}

typedef struct solve_job {
    const ss_kkt *kkt;
    double *v;
} solve_job;

static void solve_range(void *data, int begin, int end)
{
    const solve_job *job = data;
    const ss_blockdiag part = ss_blockdiag_part(&job->kkt->problem->scale, begin, end);
    ss_blockdiag_solve(&part, job->kkt->factor.L, job->v);
}

/* v holds b, lam holds c; both are overwritten */
static void solve_block(const ss_kkt *kkt, double *v, double *lam)
{
    solve_job job = { kkt, v };
    ss_parallel_for(kkt->ctx, kkt->problem->scale.blocks, BODIES, solve_range, &job);
    if (kkt->problem->nj > 0) {
        ss_csr_times(&kkt->problem->G, -1, v, 1, lam);
        ss_ldl_solve(kkt->schur.ldl, lam);
        add_reactions(kkt, lam, v);
    }
}

/* rest.b = b - A v + G' lam,  rest.c = c - G v */
static void residuals(ss_kkt *kkt, const double *v, const double *lam)
{
    const ss_problem *p = kkt->problem;
    ss_blockdiag_times(&p->scale, v, kkt->rest.b);
    for (int i = 0; i < p->nv; i++) {
        kkt->rest.b[i] = kkt->given.b[i] - kkt->rest.b[i];
    }
    ss_csr_transpose_times(&p->G, 1, lam, 1, kkt->rest.b);
    copy_or_zero(kkt, p->nj, kkt->given.c, kkt->rest.c);
    ss_csr_times(&p->G, -1, v, 1, kkt->rest.c);
}

static void solve_block_refined(ss_kkt *kkt, double *v, double *lam)
{
    const ss_problem *p = kkt->problem;
    copy_or_zero(kkt, p->nv, kkt->given.b, v);
    if (p->nj == 0) {
        solve_block(kkt, v, NULL);
        return;
    }
    copy_or_zero(kkt, p->nj, kkt->given.c, lam);
    solve_block(kkt, v, lam);
    residuals(kkt, v, lam);
    solve_block(kkt, kkt->rest.b, kkt->rest.c);
    for (int i = 0; i < p->nv; i++) {
        v[i] += kkt->rest.b[i];
    }
    for (int i = 0; i < p->nj; i++) {
        lam[i] += kkt->rest.c[i];
    }
}

/* v and lam of a coupled cluster, from its part of b and c */
static ss_status solve_coupled(ss_kkt *kkt, ss_coupled *one, double *v, double *lam)
{
    const int *index, *row;
    int nv = ss_coupled_velocities(one, &index), nj = ss_coupled_joints(one, &row);
    for (int i = 0; i < nv; i++) {
        kkt->x[i] = kkt->given.b[index[i]];
    }
    for (int i = 0; i < nj; i++) {
        kkt->x[nv + i] = kkt->given.c[row[i]];
    }
    SS_TRY(ss_coupled_solve(one, kkt->x));
    for (int i = 0; i < nv; i++) {
        v[index[i]] = kkt->x[i];
    }
    for (int i = 0; i < nj; i++) {
        lam[row[i]] = kkt->x[nv + i];
    }
    return SS_OK;
}

ss_status ss_kkt_solve(ss_kkt *kkt, const double *b, const double *c, double *v, double *lam)
{
    copy_or_zero(kkt, kkt->problem->nv, b, kkt->given.b);
    copy_or_zero(kkt, kkt->problem->nj, c, kkt->given.c);
    solve_block_refined(kkt, v, lam);
    for (int k = 0; k < kkt->coupled.count; k++) {
        SS_TRY(solve_coupled(kkt, kkt->coupled.one[k], v, lam));
    }
    return SS_OK;
}

typedef struct velocity_job {
    const ss_csr *R;
    const double *x, *w;
    double *u;
    const ss_acting_matrix *contacts; /* NULL: what they act on is not known */
    const int *row;                   /* first row of every contact          */
} velocity_job;

/* of some contacts */
static void find_velocities(void *data, int begin, int end)
{
    const velocity_job *job = data;
    if (job->contacts) {
        ss_acting_times(job->contacts, begin, end, job->x, job->u);
    }
    for (int i = job->row[begin]; i < job->row[end]; i++) {
        job->u[i] = (job->contacts ? job->u[i] : ss_csr_row_dot(job->R, i, job->x)) + job->w[i];
    }
}

ss_status ss_kkt_recover(ss_kkt *kkt, const ss_problem *p, ss_solution *s)
{
    const ss_acting_rows *rows = p->local ? NULL : ss_residual_held_contacts(kkt->ctx, p);
    const ss_acting_matrix contacts = { rows, &p->H, p->row, &p->scale };
    velocity_job job = { p->local ? &p->W : &p->H, p->local ? s->r : s->v, p->w, s->u, rows ? &contacts : NULL, p->row };
    if (!p->local) {
        copy_or_zero(kkt, p->nv, p->b, s->v);
        if (rows) {
            ss_acting_add_all(kkt->ctx, &contacts, s->r, s->v);
        } else {
            ss_csr_transpose_times(&p->H, 1, s->r, 1, s->v);
        }
        SS_TRY(ss_kkt_solve(kkt, s->v, p->c, s->v, s->lam));
    }
    ss_parallel_for(kkt->ctx, p->nc, CONTACTS, find_velocities, &job);
    return SS_OK;
}

/* ---- response to one row ----------------------------------------------------------------------- */

static bool touches_jointed(const ss_kkt *kkt, const ss_gram *gram, int i)
{
    const ss_clusters *c = &kkt->clusters;
    bool found = false;
    for (int e = gram->first[i]; e < gram->first[i + 1]; e++) {
        int cluster = c->of_block[gram->block[e]];
        found = found || (c->jointed[cluster] && !c->coupled[cluster]);
    }
    return found;
}

/* by the solution of the whole system */
static ss_status respond_as_whole(ss_kkt *kkt, const ss_gram *gram, int i, double *v)
{
    const ss_blockdiag *B = &kkt->problem->scale;
    memset(v, 0, (size_t)B->n * sizeof *v);
    for (int e = gram->first[i]; e < gram->first[i + 1]; e++) {
        memcpy(v + B->offset[gram->block[e]], gram->x + gram->at[e], (size_t)B->size[gram->block[e]] * sizeof *v);
    }
    return ss_kkt_solve(kkt, v, NULL, v, kkt->rest.c);
}

/* the part of the row that lies in one coupled cluster */
static ss_status respond_coupled(ss_kkt *kkt, const ss_gram *gram, int i, int cluster, double *v)
{
    const ss_blockdiag *B = &kkt->problem->scale;
    ss_coupled *one = kkt->coupled.one[kkt->coupled.which[cluster]];
    const int *index, *row;
    int nv = ss_coupled_velocities(one, &index), nj = ss_coupled_joints(one, &row);
    for (int k = 0; k < nv; k++) {
        v[index[k]] = 0;
    }
    for (int e = gram->first[i]; e < gram->first[i + 1]; e++) {
        if (kkt->clusters.of_block[gram->block[e]] == cluster) {
            memcpy(v + B->offset[gram->block[e]], gram->x + gram->at[e], (size_t)B->size[gram->block[e]] * sizeof *v);
        }
    }
    for (int k = 0; k < nv + nj; k++) {
        kkt->x[k] = k < nv ? v[index[k]] : 0;
    }
    SS_TRY(ss_coupled_solve(one, kkt->x));
    for (int k = 0; k < nv; k++) {
        v[index[k]] = kkt->x[k];
    }
    return SS_OK;
}

/* has an earlier piece of the row met the coupled cluster of piece e? */
static bool is_met_before(const ss_clusters *clusters, const ss_gram *gram, int i, int e)
{
    int cluster = clusters->of_block[gram->block[e]];
    bool met = false;
    for (int k = gram->first[i]; clusters->coupled[cluster] && k < e; k++) {
        met = met || clusters->of_block[gram->block[k]] == cluster;
    }
    return met;
}

ss_status ss_kkt_response(ss_kkt *kkt, const ss_gram *gram, int i, double *v)
{
    const ss_blockdiag *B = &kkt->problem->scale;
    const ss_clusters *clusters;
    SS_TRY(ss_kkt_clusters(kkt, &clusters));
    if (touches_jointed(kkt, gram, i)) {
        return respond_as_whole(kkt, gram, i, v);
    }
    for (int e = gram->first[i]; e < gram->first[i + 1]; e++) {
        int b = gram->block[e], cluster = clusters->of_block[b];
        if (is_met_before(clusters, gram, i, e)) {
            continue;
        }
        if (clusters->coupled[cluster]) {
            SS_TRY(respond_coupled(kkt, gram, i, cluster, v));
        } else {
            memcpy(v + B->offset[b], gram->y + gram->at[e], (size_t)B->size[b] * sizeof *v);
        }
    }
    return SS_OK;
}

/* ---- what others may look at ------------------------------------------------------------------ */

int ss_kkt_redundant(const ss_kkt *kkt) { return ss_ldl_redundant(kkt->schur.ldl); }

bool ss_kkt_is_redundant(const ss_kkt *kkt, int row) { return ss_ldl_is_redundant(kkt->schur.ldl, row); }

void ss_kkt_set_redundant(ss_kkt *kkt, double eps) { kkt->schur.redundant = eps; }

ss_status ss_kkt_clusters(ss_kkt *kkt, const ss_clusters **out)
{
    *out = &kkt->clusters;
    return kkt->clusters.count > 0 ? SS_OK : find_clusters(kkt);
}

const ss_gram *ss_kkt_joint_gram(const ss_kkt *kkt) { return &kkt->schur.gram; }

const double *ss_kkt_block_factor(const ss_kkt *kkt) { return kkt->factor.L; }

int ss_kkt_schur_entries(const ss_kkt *kkt) { return ss_ldl_entries(kkt->schur.ldl); }
