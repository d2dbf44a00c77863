/* residual_scales.c - the store of a context's certificates: who shares it, and how it is filled. */
#include "problem/residual_scales.h"

#include "base/parallel.h"
#include "math/array.h"
#include "math/worse.h"

#include <math.h>

static void destroy_scales(ss_residual_scales *s)
{
    ss_free(s->ctx, s->of_contact);
    ss_free(s->ctx, s->of_joint);
    ss_row_scales_free(s->ctx, &s->scales);
    ss_row_shares_free(s->ctx, &s->rows.contacts.shares);
    ss_row_shares_free(s->ctx, &s->rows.joints.shares);
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
    const ss_share_groups contacts = { p->nc, p->row };
    ss_body_rows *rows = &s->rows;
    SS_TRY(ss_block_factor_update(s->ctx, &s->factor, &p->scale));
    SS_TRY(ss_row_scales_update(s->ctx, &s->scales, &p->scale, s->factor.L));
    SS_TRY(
        ss_row_scales_of(s->ctx, &s->scales, &p->scale, s->factor.L, &p->H, &contacts, s->of_contact, &s->rows.contacts.shares));
    SS_TRY(ss_row_scales_of(s->ctx, &s->scales, &p->scale, s->factor.L, &p->G, NULL, s->of_joint, &s->rows.joints.shares));
    const ss_acting_matrix by_contacts = { &rows->contacts, &p->H, p->row, &p->scale },
                           by_joints = { &rows->joints, &p->G, NULL, &p->scale };
    SS_TRY(ss_acting_rows_list(s->ctx, s->arena, p->nc, &by_contacts, &rows->contacts));
    return ss_acting_rows_list(s->ctx, s->arena, p->nj, &by_joints, &rows->joints);
}

/* d_i of the local form */
static void scale_locally(ss_residual_scales *s, const ss_problem *p)
{
    for (int k = 0; k < p->nc; k++) {
        double trace = 0;
        for (int i = p->row[k]; i < p->row[k + 1]; i++) {
            for (int e = p->W.p[i]; e < p->W.p[i + 1]; e++) {
                trace += p->W.i[e] == i ? p->W.x[e] : 0;
            }
        }
        s->of_contact[k] = trace / (p->row[k + 1] - p->row[k]);
    }
}

static ss_status find_scales(ss_residual_scales *s, const ss_problem *p)
{
    SS_TRY(ss_reserve(s->ctx, &s->of_contact, &s->contact_cap, p->nc, sizeof *s->of_contact));
    SS_TRY(ss_reserve(s->ctx, &s->of_joint, &s->joint_cap, p->nj, sizeof *s->of_joint));
    if (!p->local) {
        return factor_scales(s, p);
    }
    scale_locally(s, p);
    return SS_OK;
}

/* ---- what the candidate does not change ------------------------------------------------------------ */

typedef struct approach_job {
    const ss_residual_scales *s;
    const ss_problem *p;
    double *q;      /* rows: H_i v_free + w_i                                              */
    double *before; /* rows: H_i v_old; 0 without it                                       */
    double *ground; /* nc: the larger of |H_i v_free + w_i|/sqrt(d_i), |H_i v_old|/sqrt(d_i) */
} approach_job;

static void find_approaches(void *data, int begin, int end)
{
    const approach_job *x = data;
    const ss_problem *p = x->p;
    const ss_acting_matrix contacts = { &x->s->rows.contacts, &p->H, p->row, &p->scale };
    const int top = p->row[begin];
    const size_t size = (size_t)(p->row[end] - top) * sizeof *x->q;
    memset(x->q + top, 0, size);
    memset(x->before + top, 0, size);
    if (!p->local) {
        ss_acting_times(&contacts, begin, end, x->s->ground.bodies.free, x->q);
    }
    if (!p->local && p->v_old) {
        ss_acting_times(&contacts, begin, end, p->v_old, x->before);
    }
    for (int k = begin; k < end; k++) {
        const int first = p->row[k], rows = p->row[k + 1] - first;
        const double d = x->s->of_contact[k], root = sqrt(d);
        double *q = x->q + first;
        for (int i = 0; i < rows; i++) {
            q[i] += p->w[first + i];
        }
        x->ground[k] = d > 0 ? ss_worse(ss_array_length(rows, q) / root, ss_array_length(rows, x->before + first) / root) : 0;
    }
}

/* the denominators of contacts, island by island, and |q| */
static ss_status ground_contacts(ss_residual_scales *s, const ss_problem *p)
{
    const int rows = p->nc > 0 ? p->row[p->nc] : 0;
    approach_job job = { .s = s, .p = p };
    double square = 0;
    const ss_arena_mark mark = ss_arena_save(s->arena);
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)rows, sizeof *job.q, &job.q));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)rows, sizeof *job.before, &job.before));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)p->nc, sizeof *job.ground, &job.ground));
    ss_parallel_for(s->ctx, p->nc, SS_CONTACT_GRAIN, find_approaches, &job);
    for (int i = 0; i < rows; i++) {
        square += job.q[i] * job.q[i];
    }
    for (int k = 0; k < p->nc; k++) {
        if (s->of_contact[k] > 0) {
            double *own = &s->ground.contact[s->islands.of_contact[k]];
            *own = ss_worse(*own, job.ground[k]);
        }
    }
    s->ground.q = sqrt(square);
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

ss_bodies ss_residual_bodies(const ss_residual_scales *s, const ss_problem *p)
{
    return (ss_bodies){ s->ctx, s->arena, p, s->factor.L, &s->scales };
}

void ss_residual_raise(const ss_residual_scales *s, int blocks, const double *square, double *sum, double *scale)
{
    memset(sum, 0, (size_t)s->islands.count * sizeof *sum);
    for (int b = 0; b < blocks; b++) {
        sum[s->islands.of_block[b]] += square[b];
    }
    for (int k = 0; k < s->islands.count; k++) {
        scale[k] = ss_worse(scale[k], sqrt(sum[k]));
    }
}

/* what the bodies say of momentum, island by island */
static ss_status ground_momentum(ss_residual_scales *s, const ss_problem *p)
{
    const int blocks = p->scale.blocks;
    const ss_arena_mark mark = ss_arena_save(s->arena);
    const double *norm[] = { s->ground.bodies.impulse, s->ground.bodies.moved };
    double *square, *sum;
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)blocks, sizeof *square, &square));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->islands.count, sizeof *sum, &sum));
    for (int k = 0; k < 2; k++) {
        for (int b = 0; b < blocks; b++) {
            square[b] = norm[k][b] * norm[k][b];
        }
        ss_residual_raise(s, blocks, square, sum, s->ground.momentum);
    }
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

static ss_status ground(ss_residual_scales *s, const ss_problem *p)
{
    ss_residual_ground *g = &s->ground;
    const ss_bodies bodies = ss_residual_bodies(s, p);
    *g = (ss_residual_ground){ 0 };
    SS_TRY(ss_arena_take(s->arena, (size_t)s->islands.count, sizeof *g->contact, &g->contact));
    if (!p->local) {
        SS_TRY(ss_arena_take(s->arena, (size_t)s->islands.count, sizeof *g->momentum, &g->momentum));
        SS_TRY(ss_body_ground_find(&bodies, &g->bodies));
        SS_TRY(ground_momentum(s, p));
    }
    return ground_contacts(s, p);
}

/* ---- the store --------------------------------------------------------------------------------------- */

/* Is the store filled for this problem, which has not changed since? */
static bool is_held(const ss_residual_scales *s, const ss_problem *problem)
{
    return s->filling.is && s->held.problem == problem && s->held.filling == s->filling.number;
}

static void note_filling(ss_residual_work *work, const ss_problem *problem)
{
    ss_residual_scales *s = work->scales;
    work->filling = s->filling.number;
    s->held.filling = s->held.problem == problem ? s->filling.number : s->held.filling;
}

ss_residual_held ss_residual_hold(ss_residual_work *work, const ss_problem *problem)
{
    const ss_residual_held before = work->scales->held;
    work->scales->held = (ss_residual_held){ .problem = problem };
    return before;
}

void ss_residual_let_go(ss_residual_work *work, ss_residual_held before) { work->scales->held = before; }

const ss_acting_rows *ss_residual_held_contacts(ss_context *ctx, const ss_problem *problem)
{
    const ss_residual_scales *s = *ss_context_shared(ctx);
    return s && !problem->local && is_held(s, problem) ? &s->rows.contacts : NULL;
}

bool ss_residual_held_islands(ss_context *ctx, const ss_problem *problem, ss_islands *out)
{
    const ss_residual_scales *s = *ss_context_shared(ctx);
    const bool held = s && is_held(s, problem);
    *out = held ? s->islands : (ss_islands){ 0 };
    return held;
}

/* bytes that the certificate of a candidate needs: its arrays in residual.c and body_scales.c */
static size_t room_of(const ss_residual_scales *s, const ss_problem *p)
{
    const size_t nr = p->nc > 0 ? (size_t)p->row[p->nc] : 0, nc = (size_t)p->nc, arrays = 40, alignment = 64;
    const size_t contacts = 3 * nr + 7 * nc, bodies = p->local ? 0 : 7 * (size_t)p->scale.blocks + 2 * (size_t)p->nv;
    return (contacts + bodies + 4 * (size_t)s->islands.count) * sizeof(double) + arrays * alignment;
}

/* room for so many bytes behind what is kept */
static ss_status make_room(ss_residual_scales *s, size_t bytes)
{
    void *room;
    ss_arena_release(s->arena, s->kept);
    SS_TRY(ss_arena_take_raw(s->arena, bytes, 1, &room));
    ss_arena_release(s->arena, s->kept);
    return SS_OK;
}

static ss_status fill(ss_residual_scales *s, const ss_problem *problem)
{
    SS_TRY(ss_arena_settle(s->arena));
    SS_TRY(find_scales(s, problem));
    SS_TRY(ss_islands_find_by(s->arena, problem, &s->rows.contacts.shares, &s->islands));
    SS_TRY(ground(s, problem));
    s->kept = ss_arena_save(s->arena);
    return make_room(s, room_of(s, problem));
}

/* Where memory was short, it is filled once more in one block that is larger than it need be: a pile whose contacts become more
 * from step to step is filled once in most of them, and the next problem of this size takes no memory. */
static ss_status fill_whole(ss_residual_scales *s, const ss_problem *problem)
{
    SS_TRY(fill(s, problem));
    if (ss_arena_is_whole(s->arena)) {
        return SS_OK;
    }
    SS_TRY(make_room(s, room_of(s, problem) / 4 * 5));
    return fill(s, problem);
}

ss_status ss_residual_scales_fill(ss_residual_work *work, const ss_problem *problem)
{
    ss_residual_scales *s = work->scales;
    if (is_held(s, problem)) {
        work->filling = s->filling.number;
        return SS_OK;
    }
    const ss_digest of = ss_problem_digest(s->ctx, problem);
    if (s->filling.is && ss_digest_is(&of, &s->filling.of)) {
        note_filling(work, problem);
        return problem->local ? SS_OK : ss_block_factor_update(s->ctx, &s->factor, &problem->scale); /* they may be its own */
    }
    s->filling.is = s->filling.last.is = false;
    s->filling.number++;
    SS_TRY(fill_whole(s, problem));
    s->filling.of = of;
    s->filling.is = true;
    note_filling(work, problem);
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
