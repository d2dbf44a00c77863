/* dual.c - the gradient of the dual problem, without its matrix.
 *
 *   min over r in K of  1/2 r' W r + q' r,   W = H K^-1 H',  q = H v_free + w      [delassus.c], u = W r + q its gradient
 *   x_i = sqrt(d_i) r_i,  g_i = u_i / sqrt(d_i),  d_i = trace(H_i B^-1 H_i')/dim_i as in residual.c
 *
 * One number per contact leaves its cone a cone; units drop out, and the diagonal blocks of N = D^-1/2 W D^-1/2 have a mean
 * eigenvalue of 1 (less where joints take mobility away). The joints are part of K: eliminated and not iterated on.
 *
 * Block-diagonal A = L L' without joints:  z = L^-1 (b + H' r),  u = H L^-T z + w, with the rows Z_i = H_i L^-T / sqrt(d_i)
 * stored contact by contact and block by block:  z = L^-1 b + Z' x,  g = Z z + w/sqrt(d). N = Z Z' by construction, and one
 * array is streamed through twice. Otherwise: H' r, a solve with K, H v. Local form: a product with W.
 *
 * Threads     contacts are independent in g = Z z; z is added up block by block, in the order of the contacts, which is the order
 *             of the loop over contacts that one thread does: the same bits
 * Cost        linear in the entries of H, and the solve with K                                       */
#include "solvers/apgd/dual.h"

#include "base/parallel.h"
#include "math/csr.h"
#include "math/matrix.h"
#include "problem/contact_law.h"
#include "problem/gram.h"

#include <math.h>

enum { GRAIN = 512 }; /* contacts or blocks for one thread at a time, about 10 microseconds */

/* Contact k has the parts first[k] .. first[k+1]-1, one for each block it touches; the rows of a part lie one after the other. */
typedef struct dual_parts {
    int count, *first;
    int *block, *owner, *at;
    double *Z;
    int *by_first, *by; /* parts of each block */
    double *z, *free;   /* nv: z; L^-1 b       */
} dual_parts;

struct ss_dual {
    ss_context *ctx;
    ss_arena *arena;
    const ss_problem *problem;
    ss_kkt *kkt;
    ss_gram gram;
    bool cut;     /* by parts, without K                 */
    double *root; /* contacts                            */
    dual_parts parts;
    double *r, *rhs, *v, *lam; /* otherwise */
};

ss_status ss_dual_create(ss_context *ctx, ss_dual **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_arena_create(ctx, 1 << 14, &(*out)->arena);
    if (status != SS_OK) {
        ss_dual_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_dual_destroy(ss_dual *dual)
{
    if (!dual) {
        return;
    }
    ss_arena_destroy(dual->arena);
    ss_gram_free(dual->ctx, &dual->gram);
    ss_free(dual->ctx, dual);
}

const double *ss_dual_roots(const ss_dual *dual) { return dual->root; }

/* ---- cut into parts --------------------------------------------------------------------------- */

/* the one of parts begin .. end-1 that is on block b; end if there is none */
static int find_part(const dual_parts *parts, int begin, int end, int b)
{
    int i = begin;
    while (i < end && parts->block[i] != b) {
        i++;
    }
    return i;
}

static void open_part(dual_parts *parts, int k, int b)
{
    parts->block[parts->count] = b;
    parts->owner[parts->count++] = k;
}

/* which blocks each contact touches, and where its numbers are; returns how many numbers */
static int lay_out(ss_dual *dual)
{
    const ss_problem *p = dual->problem;
    const ss_gram *g = &dual->gram;
    dual_parts *parts = &dual->parts;
    int end = 0;
    parts->count = 0;
    for (int k = 0; k < p->nc; k++) {
        parts->first[k] = parts->count;
        for (int piece = g->first[p->row[k]]; piece < g->first[p->row[k + 1]]; piece++) {
            if (find_part(parts, parts->first[k], parts->count, g->block[piece]) == parts->count) {
                open_part(parts, k, g->block[piece]);
            }
        }
        for (int i = parts->first[k]; i < parts->count; i++) {
            parts->at[i] = end;
            end += (p->row[k + 1] - p->row[k]) * p->scale.size[parts->block[i]];
        }
    }
    parts->first[p->nc] = parts->count;
    return end;
}

/* Z_k of every contact that can move */
static void fill(ss_dual *dual)
{
    const ss_problem *p = dual->problem;
    const ss_gram *g = &dual->gram;
    const dual_parts *parts = &dual->parts;
    const double *L = ss_kkt_block_factor(dual->kkt);
    for (int piece = 0, k = 0; piece < g->pieces; piece++) {
        for (; g->row[piece] >= p->row[k + 1]; k++) {}
        int b = g->block[piece], n = p->scale.size[b], part = find_part(parts, parts->first[k], parts->first[k + 1], b);
        double *z = parts->Z + parts->at[part] + (g->row[piece] - p->row[k]) * n;
        memcpy(z, g->x + g->at[piece], (size_t)n * sizeof *z);
        ss_block_half_solve(n, L + p->scale.start[b], 1, n, z);
        for (int j = 0; j < n; j++) {
            z[j] = dual->root[k] > 0 ? z[j] / dual->root[k] : 0;
        }
    }
}

static void list_by_block(const ss_problem *p, dual_parts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        parts->by_first[parts->block[i] + 1]++;
    }
    for (int b = 0; b < p->scale.blocks; b++) {
        parts->by_first[b + 1] += parts->by_first[b];
    }
    for (int i = parts->count - 1; i >= 0; i--) { /* from the end of each block; first[b+1] becomes first[b] and is put back */
        parts->by[--parts->by_first[parts->block[i] + 1]] = i;
    }
    for (int b = 0; b < p->scale.blocks; b++) {
        parts->by_first[b] = parts->by_first[b + 1];
    }
    parts->by_first[p->scale.blocks] = parts->count;
}

static ss_status take_parts(ss_dual *dual)
{
    const ss_problem *p = dual->problem;
    dual_parts *parts = &dual->parts;
    size_t pieces = (size_t)dual->gram.pieces;
    SS_TRY(ss_arena_take_raw(dual->arena, (size_t)p->nc + 1, sizeof(int), &parts->first));
    SS_TRY(ss_arena_take_raw(dual->arena, pieces, sizeof(int), &parts->block));
    SS_TRY(ss_arena_take_raw(dual->arena, pieces, sizeof(int), &parts->owner));
    SS_TRY(ss_arena_take_raw(dual->arena, pieces, sizeof(int), &parts->at));
    SS_TRY(ss_arena_take_raw(dual->arena, pieces, sizeof(int), &parts->by));
    SS_TRY(ss_arena_take(dual->arena, (size_t)p->scale.blocks + 1, sizeof(int), &parts->by_first));
    SS_TRY(ss_arena_take_raw(dual->arena, (size_t)p->nv, sizeof(double), &parts->z));
    return ss_arena_take_raw(dual->arena, (size_t)p->nv, sizeof(double), &parts->free);
}

static ss_status cut(ss_dual *dual)
{
    const ss_problem *p = dual->problem;
    SS_TRY(take_parts(dual));
    SS_TRY(ss_arena_take(dual->arena, (size_t)lay_out(dual), sizeof(double), &dual->parts.Z));
    fill(dual);
    list_by_block(p, &dual->parts);
    memcpy(dual->parts.free, p->b, (size_t)p->nv * sizeof(double));
    for (int b = 0; b < p->scale.blocks; b++) {
        ss_block_half_solve(p->scale.size[b], ss_kkt_block_factor(dual->kkt) + p->scale.start[b], 1, p->scale.size[b],
                            dual->parts.free + p->scale.offset[b]);
    }
    return SS_OK;
}

/* ---- prepare ---------------------------------------------------------------------------------- */

static double row_scale(const ss_dual *dual, int row)
{
    const ss_csr *W = &dual->problem->W;
    if (!dual->problem->local) {
        return ss_gram_diagonal(&dual->gram, &dual->problem->scale, row);
    }
    double diagonal = 0;
    for (int e = W->p[row]; e < W->p[row + 1]; e++) {
        diagonal += W->i[e] == row ? W->x[e] : 0;
    }
    return diagonal;
}

static ss_status take_roots(ss_dual *dual)
{
    const ss_problem *p = dual->problem;
    SS_TRY(ss_arena_take_raw(dual->arena, (size_t)p->nc, sizeof(double), &dual->root));
    for (int k = 0; k < p->nc; k++) {
        double trace = 0;
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            trace += row_scale(dual, i);
        }
        dual->root[k] = trace > 0 ? sqrt(trace / (p->row[k + 1] - p->row[k])) : 0;
    }
    return SS_OK;
}

ss_status ss_dual_prepare(ss_dual *dual, const ss_problem *problem, ss_kkt *kkt)
{
    dual->problem = problem;
    dual->kkt = kkt;
    dual->cut = !problem->local && ss_matrix_is_block_diagonal(&problem->A) && problem->nj == 0;
    ss_arena_reset(dual->arena);
    if (kkt) {
        SS_TRY(ss_gram_build(dual->ctx, &dual->gram, &problem->scale, ss_kkt_block_factor(kkt), &problem->H));
    }
    SS_TRY(take_roots(dual));
    if (dual->cut) {
        return cut(dual);
    }
    SS_TRY(ss_arena_take(dual->arena, (size_t)problem->row[problem->nc], sizeof(double), &dual->r));
    SS_TRY(ss_arena_take_raw(dual->arena, (size_t)problem->nv, sizeof(double), &dual->rhs));
    SS_TRY(ss_arena_take_raw(dual->arena, (size_t)problem->nv, sizeof(double), &dual->v));
    return ss_arena_take_raw(dual->arena, (size_t)problem->nj, sizeof(double), &dual->lam);
}

void ss_dual_project(const ss_dual *dual, int k, double *y)
{
    const ss_problem *p = dual->problem;
    bool polygonal = p->law[k] & (SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL);
    int directions = polygonal ? p->dir[k + 1] - p->dir[k] : 0;
    double mu = p->law[k] == SS_LAW_BOUNDED ? p->mu[k] * dual->root[k] : p->mu[k];
    ss_law_project(p->law[k], p->row[k + 1] - p->row[k], mu, directions, polygonal ? p->direction + 2 * p->dir[k] : NULL, y);
}

/* ---- the gradient by parts -------------------------------------------------------------------- */

typedef struct dual_job {
    const ss_dual *dual;
    const int *contact;
    const double *x;
    double *g;
} dual_job;

/* z += Z' x of one part */
static inline void push_rows(int rows, int n, const double *restrict Z, const double *restrict x, double *restrict z)
{
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (int i = 0; i < rows; i++) {
            s += Z[i * n + j] * x[i];
        }
        z[j] += s;
    }
}

/* g += Z z of one part */
static inline void pull_rows(int rows, int n, const double *restrict Z, const double *restrict z, double *restrict g)
{
    for (int i = 0; i < rows; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) {
            s += Z[i * n + j] * z[j];
        }
        g[i] += s;
    }
}

/* the usual sizes are constants to the compiler */
static void push(const dual_job *job, int part)
{
    const ss_problem *p = job->dual->problem;
    const dual_parts *parts = &job->dual->parts;
    int b = parts->block[part], n = p->scale.size[b], first = p->row[parts->owner[part]];
    int rows = p->row[parts->owner[part] + 1] - first;
    const double *Z = parts->Z + parts->at[part], *x = job->x + first;
    double *z = parts->z + p->scale.offset[b];
    if (rows == 3 && n == 6) {
        push_rows(3, 6, Z, x, z);
    } else if (rows == 2 && n == 3) {
        push_rows(2, 3, Z, x, z);
    } else {
        push_rows(rows, n, Z, x, z);
    }
}

static void pull(const dual_job *job, int part)
{
    const ss_problem *p = job->dual->problem;
    const dual_parts *parts = &job->dual->parts;
    int b = parts->block[part], n = p->scale.size[b], first = p->row[parts->owner[part]];
    int rows = p->row[parts->owner[part] + 1] - first;
    const double *Z = parts->Z + parts->at[part], *z = parts->z + p->scale.offset[b];
    if (rows == 3 && n == 6) {
        pull_rows(3, 6, Z, z, job->g + first);
    } else if (rows == 2 && n == 3) {
        pull_rows(2, 3, Z, z, job->g + first);
    } else {
        pull_rows(rows, n, Z, z, job->g + first);
    }
}

static void push_contacts(const dual_job *job, int contacts)
{
    const dual_parts *parts = &job->dual->parts;
    for (int e = 0; e < contacts; e++) {
        for (int i = parts->first[job->contact[e]]; i < parts->first[job->contact[e] + 1]; i++) {
            push(job, i);
        }
    }
}

static void push_blocks(void *data, int begin, int end)
{
    const dual_job *job = data;
    const dual_parts *parts = &job->dual->parts;
    for (int b = begin; b < end; b++) {
        for (int i = parts->by_first[b]; i < parts->by_first[b + 1]; i++) {
            push(job, parts->by[i]);
        }
    }
}

static void pull_contacts(void *data, int begin, int end)
{
    const dual_job *job = data;
    const ss_problem *p = job->dual->problem;
    const dual_parts *parts = &job->dual->parts;
    for (int e = begin; e < end; e++) {
        int k = job->contact[e];
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            job->g[i] = p->w[i] / job->dual->root[k];
        }
        for (int i = parts->first[k]; i < parts->first[k + 1]; i++) {
            pull(job, i);
        }
    }
}

static void gradient_by_parts(dual_job *job, int contacts)
{
    const ss_dual *dual = job->dual;
    const ss_problem *p = dual->problem;
    memcpy(dual->parts.z, dual->parts.free, (size_t)p->nv * sizeof(double));
    if (contacts > GRAIN && ss_context_threads(dual->ctx) > 1) {
        ss_parallel_for(dual->ctx, p->scale.blocks, GRAIN / 2, push_blocks, job);
    } else {
        push_contacts(job, contacts);
    }
    ss_parallel_for(dual->ctx, contacts, GRAIN, pull_contacts, job);
}

/* ---- the gradient by K or W ------------------------------------------------------------------- */

static ss_status gradient_by_rows(const dual_job *job, int contacts)
{
    const ss_dual *dual = job->dual;
    const ss_problem *p = dual->problem;
    bool local = p->local;
    for (int e = 0; e < contacts; e++) {
        for (int i = p->row[job->contact[e]]; i < p->row[job->contact[e] + 1]; i++) {
            dual->r[i] = job->x[i] / dual->root[job->contact[e]];
        }
    }
    if (!local) {
        memcpy(dual->rhs, p->b, (size_t)p->nv * sizeof(double));
        ss_csr_transpose_times(&p->H, 1, dual->r, 1, dual->rhs);
        SS_TRY(ss_kkt_solve(dual->kkt, dual->rhs, p->c, dual->v, dual->lam));
    }
    for (int e = 0; e < contacts; e++) {
        int k = job->contact[e];
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            double u = local ? ss_csr_row_dot(&p->W, i, dual->r) : ss_csr_row_dot(&p->H, i, dual->v);
            job->g[i] = (u + p->w[i]) / dual->root[k];
        }
    }
    return SS_OK;
}

ss_status ss_dual_gradient(ss_dual *dual, int contacts, const int *contact, const double *x, double *g)
{
    dual_job job = { .dual = dual, .contact = contact, .x = x, .g = g };
    if (!dual->cut) {
        return gradient_by_rows(&job, contacts);
    }
    gradient_by_parts(&job, contacts);
    return SS_OK;
}
