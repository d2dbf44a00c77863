/* body_scales.c - how fast each body of a problem is, its balance of momentum, and what rounding leaves of its velocity.
 *
 * A body is a block b of B. Its velocities are measured by |v_b|^2 = v_b' B_b v_b, its impulses by |p_b|^2 = p_b' B_b^-1 p_b:
 * both are the root of twice a kinetic energy, so units and directions drop out.
 *
 *   V_b = max( |v_b|, |v_old,b|, |v_free,b|, |H_ib' r_i| of every bounded row i )
 *                                                      speed: zero only if nothing acts on the body and it stays at rest. A motor
 *                                                      at its bound acts like a force of b; its impulse cannot grow beyond it
 *   N_b = 64 eps ( |b_b| + |A||v|_b + sum_i |H_ib' r_i| + sum_j |G_jb' lam_j| )
 *                                                      rounding of its momentum, a sum of these terms, which may cancel
 *   min(N_b, SS_TOL_MOST_NOISE V_b)                    noise: what that makes of its velocity, as contacts and joints see it.
 *       Not more: the impulses of a problem without a solution grow until rounding could be anything.
 *   rho_b                                              A v - G' lam - H' r - b of the body
 * |H_ib' r_i| is bounded by sqrt(dim_i d_ib) |r_i| with the share d_ib = trace(H_ib B_b^-1 H_ib')/dim_i of the body in d_i.
 *
 * A body that a row moves less than SS_TOL_BESIDE times as fast as another body moves it is at rest beside that one: its
 * velocity is a sum in which the effects of neighbours cancel, and an error of a neighbour's velocity is not seen in V_b. It
 * takes the speed sqrt(d_ib) V_b of the fastest along the row, over sqrt(d_i); then so do its own neighbours. A body in a press,
 * or one ball of a row through which an impact passes, is measured that way if there is no gravity.
 *
 * Symbols     A, B, G, H, b, r, lam, d_i as in residual.c
 * Cost        linear in the entries                                                                  */
#include "problem/body_scales.h"

#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/array.h"
#include "math/worse.h"

#include <math.h>

static double product_of(const ss_blockdiag *B, int b, const double *x, const double *y)
{
    return ss_array_dot(B->size[b], x + B->offset[b], y + B->offset[b]);
}

/* |x_b| in the norm of B for y = B x, in that of B^-1 for y = B^-1 x */
static double norm_of(const ss_blockdiag *B, int b, const double *x, const double *y)
{
    const double square = product_of(B, b, x, y);
    return sqrt(square > 0 ? square : 0);
}

/* the velocities of blocks begin .. end-1: from the first to the one behind the last */
static int first_velocity(const ss_blockdiag *B, int block) { return block < B->blocks ? B->offset[block] : B->n; }

/* ---- products with A ------------------------------------------------------------------------------ */

/* Has A nothing but the blocks of B? */
static bool is_scale(const ss_problem *p) { return ss_matrix_is_block_diagonal(&p->A) && p->A.diagonal.x == p->scale.x; }

/* y = A v of a range of blocks, B v being known; where blocks are coupled it has been found before */
static void move_range(const ss_problem *p, int begin, int end, const double *v, const double *Bv, double *y)
{
    const int first = first_velocity(&p->scale, begin), n = first_velocity(&p->scale, end) - first;
    if (is_scale(p)) {
        memcpy(y + first, Bv + first, (size_t)n * sizeof *y);
    } else if (ss_matrix_is_block_diagonal(&p->A)) {
        const ss_blockdiag part = ss_blockdiag_part(&p->A.diagonal, begin, end);
        ss_blockdiag_times(&part, v, y);
    }
}

static void move_coupled(const ss_problem *p, const double *v, double *y)
{
    if (!ss_matrix_is_block_diagonal(&p->A)) {
        ss_matrix_times(&p->A, v, y);
    }
}

/* ---- what the problem alone says ---------------------------------------------------------------- */

typedef struct ground_job {
    const ss_bodies *of;
    double *product, *moved; /* nv: B v_old, A v_old */
    ss_body_ground *out;
} ground_job;

static double push_of(const ss_bodies *of, int b, double *x)
{
    return ss_row_scales_square(of->scale, &of->problem->scale, of->L, b, x + of->problem->scale.offset[b]);
}

static void find_ground(void *data, int begin, int end)
{
    const ground_job *x = data;
    const ss_problem *p = x->of->problem;
    const ss_blockdiag *B = &p->scale, part = ss_blockdiag_part(B, begin, end);
    const int first = first_velocity(B, begin), n = first_velocity(B, end) - first;
    memcpy(x->out->free + first, p->b + first, (size_t)n * sizeof *p->b);
    ss_blockdiag_solve(&part, x->of->L, x->out->free);
    if (p->v_old) {
        ss_blockdiag_times(&part, p->v_old, x->product);
        move_range(p, begin, end, p->v_old, x->product, x->moved);
    }
    for (int b = begin; b < end; b++) {
        const double impulse = norm_of(B, b, p->b, x->out->free); /* B^-1 b = v_free: |b_b| = |v_free,b| */
        x->out->impulse[b] = impulse;
        x->out->speed[b] = p->v_old ? ss_worse(impulse, norm_of(B, b, p->v_old, x->product)) : impulse;
        x->out->moved[b] = p->v_old ? sqrt(push_of(x->of, b, x->moved)) : 0;
    }
}

ss_status ss_body_ground_find(const ss_bodies *of, ss_body_ground *out)
{
    const ss_problem *p = of->problem;
    const size_t blocks = (size_t)p->scale.blocks, nv = (size_t)p->nv;
    ground_job job = { .of = of, .out = out };
    SS_TRY(ss_arena_take_raw(of->arena, nv, sizeof *out->free, &out->free));
    SS_TRY(ss_arena_take_raw(of->arena, blocks, sizeof *out->speed, &out->speed));
    SS_TRY(ss_arena_take_raw(of->arena, blocks, sizeof *out->impulse, &out->impulse));
    SS_TRY(ss_arena_take_raw(of->arena, blocks, sizeof *out->moved, &out->moved));
    const ss_arena_mark mark = ss_arena_save(of->arena);
    SS_TRY(ss_arena_take_raw(of->arena, nv, sizeof *job.product, &job.product));
    SS_TRY(ss_arena_take_raw(of->arena, nv, sizeof *job.moved, &job.moved));
    if (p->v_old) {
        move_coupled(p, p->v_old, job.moved);
    }
    ss_parallel_for(of->ctx, p->scale.blocks, SS_BODY_GRAIN, find_ground, &job);
    ss_arena_release(of->arena, mark);
    return SS_OK;
}

/* ---- speeds ------------------------------------------------------------------------------------ */

/* Is a body of this row, or of the rows of this contact, at rest beside the fastest one? root: of its share, and of all */
static bool is_beside(double root, double own, double fastest, double all)
{
    return own * root < SS_TOL_BESIDE * fastest && own < fastest / all;
}

/* the fastest body of a group of rows, and sqrt(d) */
static void find_fastest(const ss_acting_rows *rows, int group, const double *speed, double *fastest, double *root)
{
    double d = 0;
    *fastest = 0;
    for (int e = rows->shares.first[group]; e < rows->shares.first[group + 1]; e++) {
        *fastest = ss_worse(*fastest, speed[rows->shares.block[e]] * rows->root[e]);
        d += rows->shares.x[e];
    }
    *root = sqrt(d);
}

/* the bodies that are at rest beside the fastest one take its speed; was there any? */
static bool pass_speed(const ss_acting_rows *rows, int group, double *speed)
{
    double fastest, root;
    bool any = false;
    find_fastest(rows, group, speed, &fastest, &root);
    for (int e = rows->shares.first[group]; e < rows->shares.first[group + 1]; e++) {
        double *own = &speed[rows->shares.block[e]];
        if (is_beside(rows->root[e], *own, fastest, root)) {
            *own = fastest / root;
            any = true;
        }
    }
    return any;
}

/* Rows that are asked whether one of their bodies would take another's speed. */
typedef struct ask_job {
    const ss_acting_rows *rows;
    const double *speed;
    bool *any; /* groups / SS_CONTACT_GRAIN, rounded up: of every range */
} ask_job;

static void ask_rows(void *data, int begin, int end)
{
    const ask_job *x = data;
    const ss_row_shares *shares = &x->rows->shares;
    bool any = false;
    for (int g = begin; g < end && !any; g++) {
        double fastest, root;
        find_fastest(x->rows, g, x->speed, &fastest, &root);
        for (int e = shares->first[g]; e < shares->first[g + 1]; e++) {
            any = any || is_beside(x->rows->root[e], x->speed[shares->block[e]], fastest, root);
        }
    }
    x->any[begin / SS_CONTACT_GRAIN] = any;
}

/* As long as no row passes any speed on, all see the same speeds, in whatever order they are asked. */
static ss_status find_any(const ss_bodies *of, const ss_acting_rows *rows, int groups, const double *speed, bool *any)
{
    const int ranges = (groups + SS_CONTACT_GRAIN - 1) / SS_CONTACT_GRAIN;
    ask_job job = { .rows = rows, .speed = speed };
    SS_TRY(ss_arena_take(of->arena, (size_t)ranges, sizeof *job.any, &job.any));
    ss_parallel_for(of->ctx, groups, SS_CONTACT_GRAIN, ask_rows, &job);
    for (int k = 0; k < ranges; k++) {
        *any = *any || job.any[k];
    }
    return SS_OK;
}

/* in both directions in turn, so that a chain of bodies needs few passes */
static ss_status pass_speeds(const ss_body_motion *m, double *speed)
{
    enum { PASSES = 100 };
    const ss_problem *p = m->of->problem;
    bool any = false;
    SS_TRY(find_any(m->of, &m->rows->joints, p->nj, speed, &any));
    SS_TRY(find_any(m->of, &m->rows->contacts, p->nc, speed, &any));
    for (int pass = 0; pass < PASSES && any; pass++) {
        any = false;
        for (int k = 0; k < p->nj; k++) {
            any = pass_speed(&m->rows->joints, pass % 2 == 0 ? k : p->nj - 1 - k, speed) || any;
        }
        for (int k = 0; k < p->nc; k++) {
            any = pass_speed(&m->rows->contacts, pass % 2 == 0 ? k : p->nc - 1 - k, speed) || any;
        }
    }
    return SS_OK;
}

/* ---- speeds, momentum and its terms, body by body ------------------------------------------------- */

/* terms[b] += |S||v| of the sparse part of A, whose entries may cancel; sum: nv, scratch */
static void add_coupling(const ss_body_motion *m, double *sum, double *terms)
{
    const ss_problem *p = m->of->problem;
    const ss_csr *S = &p->A.sparse;
    for (int i = 0; i < S->m; i++) {
        sum[i] = 0;
        for (int e = S->p[i]; e < S->p[i + 1]; e++) {
            sum[i] += fabs(S->x[e] * m->solution->v[S->i[e]]);
        }
    }
    for (int b = 0; b < p->scale.blocks; b++) {
        terms[b] += sqrt(push_of(m->of, b, sum));
    }
}

typedef struct body_job {
    const ss_body_motion *m;
    const ss_body_ground *ground;
    double *x;   /* nv: scratch                                      */
    double *rho; /* nv: the remainder, as far as it has been added up */
    ss_body_scales *out;
} body_job;

/* speed by the motion itself, |b_b| + |A_b v_b|, rho = A v - b */
static void start_bodies(const body_job *x, int begin, int end)
{
    const ss_problem *p = x->m->of->problem;
    const ss_blockdiag *B = &p->scale, part = ss_blockdiag_part(B, begin, end);
    const double *v = x->m->solution->v;
    int infinite = 0;
    ss_blockdiag_times(&part, v, x->x);
    for (int b = begin; b < end; b++) {
        const double norm = norm_of(B, b, v, x->x);
        x->out->speed[b] = ss_worse(x->ground->speed[b], norm);
        x->out->rounding[b] = x->ground->impulse[b] + norm;
    }
    move_range(p, begin, end, v, x->x, x->rho);
    for (int i = first_velocity(B, begin); i < first_velocity(B, end); i++) {
        x->rho[i] -= p->b[i];
        infinite |= !isfinite(v[i]);
    }
    x->out->infinite[begin / SS_BODY_GRAIN] = infinite;
}

/* What rows do to some bodies is subtracted from rho; push[b]: the square of that. */
static void subtract_rows(const body_job *x, const ss_acting_matrix *by, const double *impulse, int begin, int end, double *push)
{
    const ss_blockdiag *B = by->B;
    const int first = first_velocity(B, begin), last = first_velocity(B, end);
    memset(x->x + first, 0, (size_t)(last - first) * sizeof *x->x);
    for (int b = begin; b < end; b++) {
        ss_acting_add(by, b, impulse, x->x);
    }
    for (int i = first; i < last; i++) {
        x->rho[i] -= x->x[i];
    }
    for (int b = begin; b < end; b++) {
        push[b] = push_of(x->m->of, b, x->x);
    }
}

/* what a contact does to a body that it acts on, by the root of its share */
static void add_contact(const body_job *x, int k, double root, double *speed, double *terms)
{
    const ss_problem *p = x->m->of->problem;
    const double impulse = p->law[k] == SS_LAW_BOUNDED ? fabs(x->m->solution->r[p->row[k]]) : 0;
    *speed = impulse > 0 ? ss_worse(*speed, root * impulse) : *speed;
    *terms += root * (sqrt(p->row[k + 1] - p->row[k]) * x->m->size[k]);
}

/* |R_ib' x_i| of every contact and joint row, in their order */
static void add_impulses(const body_job *x, int b)
{
    const ss_acting_rows *c = &x->m->rows->contacts, *j = &x->m->rows->joints;
    double speed = x->out->speed[b], terms = x->out->rounding[b];
    for (int k = c->first[b]; k < c->first[b + 1]; k++) {
        add_contact(x, c->part[k].group, c->part[k].root, &speed, &terms);
    }
    for (int k = j->first[b]; k < j->first[b + 1]; k++) {
        terms += j->part[k].root * fabs(x->m->solution->lam[j->part[k].group]);
    }
    x->out->speed[b] = speed;
    x->out->rounding[b] = terms;
}

/* all of some bodies, so few that what one loop has written is at hand in the next */
static void weigh_bodies(void *data, int begin, int end)
{
    const body_job *x = data;
    const ss_problem *p = x->m->of->problem;
    const ss_acting_matrix contacts = { &x->m->rows->contacts, &p->H, p->row, &p->scale },
                           joints = { &x->m->rows->joints, &p->G, NULL, &p->scale };
    start_bodies(x, begin, end);
    subtract_rows(x, &contacts, x->m->solution->r, begin, end, x->out->push[0]);
    if (p->nj > 0) {
        subtract_rows(x, &joints, x->m->solution->lam, begin, end, x->out->push[1]);
    }
    for (int b = begin; b < end; b++) {
        add_impulses(x, b);
        x->out->error[b] = sqrt(push_of(x->m->of, b, x->rho));
    }
}

static void close_bodies(void *data, int begin, int end)
{
    const body_job *x = data;
    for (int b = begin; b < end; b++) {
        const double rounding = SS_TOL_CANCELLED * x->out->rounding[b], most = SS_TOL_MOST_NOISE * x->out->speed[b];
        x->out->rounding[b] = isfinite(rounding) ? rounding : 0; /* numbers that overflow excuse nothing */
        x->out->noise[b] = x->out->rounding[b] < most ? x->out->rounding[b] : most;
    }
}

static ss_status take_scales(const ss_bodies *of, ss_body_scales *out)
{
    const size_t blocks = (size_t)of->problem->scale.blocks;
    double **all[] = { &out->speed, &out->rounding, &out->noise, &out->error, &out->push[0], &out->push[1] };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const bool some = k < 5 || of->problem->nj > 0;
        SS_TRY(ss_arena_take_raw(of->arena, some ? blocks : 0, sizeof **all[k], all[k]));
    }
    return ss_arena_take(of->arena, blocks / SS_BODY_GRAIN + 1, sizeof *out->infinite, &out->infinite);
}

ss_status ss_body_scales_find(const ss_body_motion *m, const ss_body_ground *ground, ss_body_scales *out)
{
    const ss_bodies *of = m->of;
    const ss_problem *p = of->problem;
    body_job job = { .m = m, .ground = ground, .out = out };
    SS_TRY(take_scales(of, out));
    const ss_arena_mark mark = ss_arena_save(of->arena);
    SS_TRY(ss_arena_take_raw(of->arena, (size_t)p->nv, sizeof *job.x, &job.x));
    SS_TRY(ss_arena_take_raw(of->arena, (size_t)p->nv, sizeof *job.rho, &job.rho));
    move_coupled(p, m->solution->v, job.rho);
    ss_parallel_for(of->ctx, p->scale.blocks, SS_BODY_GRAIN, weigh_bodies, &job);
    if (!ss_matrix_is_block_diagonal(&p->A)) {
        add_coupling(m, job.x, out->rounding);
    }
    SS_TRY(pass_speeds(m, out->speed));
    ss_parallel_for(of->ctx, p->scale.blocks, SS_BODY_GRAIN, close_bodies, &job);
    ss_arena_release(of->arena, mark);
    return SS_OK;
}
