/* residual_scales.c - the store of a context's certificates: who shares it, and how it is filled. */
#include "problem/residual_scales.h"

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
    s->filled_by = s->filled_by == work ? NULL : s->filled_by;
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

ss_status ss_residual_scales_fill(ss_residual_work *work, const ss_problem *problem)
{
    ss_residual_scales *s = work->scales;
    s->filled_by = NULL;
    ss_arena_reset(s->arena);
    SS_TRY(ss_islands_find(s->arena, problem, &s->islands));
    s->kept = ss_arena_save(s->arena);
    SS_TRY(problem->local ? SS_OK : factor_scales(s, problem));
    s->filled_by = work;
    return SS_OK;
}

ss_status ss_residual_islands(ss_residual_work *work, const ss_problem *problem, ss_islands *out)
{
    SS_TRY(work->scales->filled_by == work ? SS_OK : ss_residual_scales_fill(work, problem));
    *out = work->scales->islands;
    return SS_OK;
}
