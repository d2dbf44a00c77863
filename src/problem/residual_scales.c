/* residual_scales.c - the store of a context's certificates: who shares it, and how it is filled. */
#include "problem/residual_scales.h"

#include "math/array.h"
#include "math/worse.h"

#include <math.h>

static void destroy_scales(ss_residual_scales *s)
{
    ss_free(s->ctx, s->of_H);
    ss_free(s->ctx, s->of_G);
    ss_row_scales_free(s->ctx, &s->scales);
    ss_row_shares_free(s->ctx, &s->rows.contacts);
    ss_row_shares_free(s->ctx, &s->rows.joints);
    ss_block_factor_free(s->ctx, &s->factor);
    ss_arena_destroy(s->arena);
    ss_free(s->ctx, s);
}

/* the store of the context, made where there is none */
static ss_status share_scales(ss_context *ctx, ss_residual_scales **out)
{
    void **place = ss_context_shared(ctx);
    ss_residual_scales *s = *place;
    if (!s) {
        SS_TRY(ss_calloc(ctx, 1, sizeof *s, &s));
        s->ctx = ctx;
        ss_status status = ss_arena_create(ctx, 4096, &s->arena);
        if (status != SS_OK) {
            ss_free(ctx, s);
            return status;
        }
        *place = s;
    }
    s->users++;
    *out = s;
    return SS_OK;
}

ss_status ss_residual_create(ss_context *ctx, ss_residual_work **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = share_scales(ctx, &(*out)->scales);
    if (status != SS_OK) {
        ss_free(ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_residual_destroy(ss_residual_work *work)
{
    if (!work) {
        return;
    }
    ss_residual_scales *s = work->scales;
    if (--s->users == 0) {
        *ss_context_shared(work->ctx) = NULL;
        destroy_scales(s);
    }
    ss_free(work->ctx, work);
}

static ss_status factor_scales(ss_residual_scales *s, const ss_problem *p)
{
    SS_TRY(ss_block_factor_update(s->ctx, &s->factor, &p->scale));
    SS_TRY(ss_reserve(s->ctx, &s->of_H, &s->H_cap, p->H.m, sizeof *s->of_H));
    SS_TRY(ss_reserve(s->ctx, &s->of_G, &s->G_cap, p->G.m, sizeof *s->of_G));
    SS_TRY(ss_row_scales_update(s->ctx, &s->scales, &p->scale, s->factor.L));
    SS_TRY(ss_row_shares_reserve(s->ctx, &s->rows.contacts, &p->H));
    SS_TRY(ss_row_shares_reserve(s->ctx, &s->rows.joints, &p->G));
    ss_row_scales_of(&s->scales, &p->scale, s->factor.L, &p->H, s->of_H, &s->rows.contacts);
    ss_row_scales_of(&s->scales, &p->scale, s->factor.L, &p->G, s->of_G, &s->rows.joints);
    ss_row_shares_merge(&s->rows.contacts, p->nc, p->row);
    return SS_OK;
}

/* ---- what the candidate does not change ------------------------------------------------------------ */

double ss_residual_contact_scale(const ss_residual_scales *s, const ss_problem *p, int k)
{
    double trace = 0;
    for (int i = p->row[k]; i < p->row[k + 1]; i++) {
        if (!p->local) {
            trace += s->of_H[i];
            continue;
        }
        for (int e = p->W.p[i]; e < p->W.p[i + 1]; e++) {
            trace += p->W.i[e] == i ? p->W.x[e] : 0;
        }
    }
    return trace / (p->row[k + 1] - p->row[k]);
}

/* H_i v_free + w_i and H_i v_old of one row; v_old may be NULL */
static void row_before(const ss_csr *H, int i, const double *free, const double *old, double *q, double *before)
{
    double sum = 0, moved = 0;
    for (int e = H->p[i]; e < H->p[i + 1]; e++) {
        sum += H->x[e] * free[H->i[e]];
        moved += old ? H->x[e] * old[H->i[e]] : 0;
    }
    *q += sum;
    *before = moved;
}

/* the denominators of contacts, island by island, and |q| */
static void ground_contacts(ss_residual_scales *s, const ss_problem *p)
{
    ss_residual_ground *g = &s->ground;
    double square = 0;
    for (int k = 0; k < p->nc; k++) {
        const int first = p->row[k], rows = p->row[k + 1] - first;
        const double d = ss_residual_contact_scale(s, p, k), root = sqrt(d);
        double q[3], before[3] = { 0, 0, 0 };
        for (int i = 0; i < rows; i++) {
            q[i] = p->w[first + i];
            if (!p->local) {
                row_before(&p->H, first + i, g->free, p->v_old, &q[i], &before[i]);
            }
            square += q[i] * q[i];
        }
        if (d > 0) {
            double *own = &g->contact[s->islands.of_contact[k]];
            *own = ss_worse(*own, ss_array_length(rows, q) / root);
            *own = ss_worse(*own, ss_array_length(rows, before) / root);
        }
    }
    g->q = sqrt(square);
}

void ss_residual_raise(const ss_residual_scales *s, const ss_problem *p, const double *x, double *solved, double *square,
                       double *scale)
{
    const ss_blockdiag *M = &p->scale;
    memset(square, 0, (size_t)s->islands.count * sizeof *square);
    memcpy(solved, x, (size_t)p->nv * sizeof *solved);
    ss_blockdiag_solve(M, s->factor.L, solved);
    for (int b = 0; b < M->blocks; b++) {
        for (int i = M->offset[b]; i < M->offset[b] + M->size[b]; i++) {
            square[s->islands.of_block[b]] += x[i] * solved[i];
        }
    }
    for (int k = 0; k < s->islands.count; k++) {
        scale[k] = ss_worse(scale[k], sqrt(fmax(0, square[k])));
    }
}

static ss_status ground_momentum(ss_residual_scales *s, const ss_problem *p)
{
    double *x, *solved, *square;
    const ss_arena_mark mark = ss_arena_save(s->arena);
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)p->nv, sizeof *x, &x));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)p->nv, sizeof *solved, &solved));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->islands.count, sizeof *square, &square));
    ss_residual_raise(s, p, p->b, solved, square, s->ground.momentum);
    if (p->v_old) {
        ss_matrix_times(&p->A, p->v_old, x);
        ss_residual_raise(s, p, x, solved, square, s->ground.momentum);
    }
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

static ss_status ground(ss_residual_scales *s, const ss_problem *p)
{
    ss_residual_ground *g = &s->ground;
    *g = (ss_residual_ground){ 0 };
    SS_TRY(ss_arena_take(s->arena, (size_t)s->islands.count, sizeof *g->contact, &g->contact));
    if (!p->local) {
        SS_TRY(ss_arena_take(s->arena, (size_t)s->islands.count, sizeof *g->momentum, &g->momentum));
        SS_TRY(ss_arena_take_raw(s->arena, (size_t)p->nv, sizeof *g->free, &g->free));
        memcpy(g->free, p->b, (size_t)p->nv * sizeof *g->free);
        ss_blockdiag_solve(&p->scale, s->factor.L, g->free);
        SS_TRY(ss_body_ground_find(s->arena, p, g->free, &g->bodies));
        SS_TRY(ground_momentum(s, p));
    }
    ground_contacts(s, p);
    return SS_OK;
}

/* ---- the store --------------------------------------------------------------------------------------- */

ss_status ss_residual_scales_fill(ss_residual_work *work, const ss_problem *problem)
{
    ss_residual_scales *s = work->scales;
    const ss_digest of = ss_problem_digest(problem);
    if (s->filling.is && ss_digest_is(&of, &s->filling.of) && ss_arena_is_whole(s->arena)) { /* else in one block, at last */
        work->filling = s->filling.number;
        return SS_OK;
    }
    s->filling.is = false;
    work->filling = ++s->filling.number;
    SS_TRY(ss_arena_settle(s->arena));
    SS_TRY(ss_islands_find(s->arena, problem, &s->islands));
    SS_TRY(problem->local ? SS_OK : factor_scales(s, problem));
    SS_TRY(ground(s, problem));
    s->kept = ss_arena_save(s->arena);
    s->filling.of = of;
    s->filling.is = true;
    return SS_OK;
}

ss_status ss_residual_scales_keep(ss_residual_work *work, const ss_problem *problem)
{
    const ss_residual_filling *f = &work->scales->filling;
    return f->is && f->number == work->filling ? SS_OK : ss_residual_scales_fill(work, problem);
}

ss_status ss_residual_find_islands(ss_residual_work *work, const ss_problem *problem, ss_islands *out)
{
    SS_TRY(ss_residual_scales_fill(work, problem));
    *out = work->scales->islands;
    return SS_OK;
}

ss_status ss_residual_islands(ss_residual_work *work, const ss_problem *problem, ss_islands *out)
{
    SS_TRY(ss_residual_scales_keep(work, problem));
    *out = work->scales->islands;
    return SS_OK;
}
