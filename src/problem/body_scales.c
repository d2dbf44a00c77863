/* body_scales.c - how fast each body of a problem is, and what rounding leaves of its velocity.
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

#include "base/tolerances.h"
#include "math/array.h"
#include "math/worse.h"

#include <math.h>

void ss_block_norms(const ss_blockdiag *B, const double *x, const double *y, double *out)
{
    for (int b = 0; b < B->blocks; b++) {
        double square = 0;
        for (int i = B->offset[b]; i < B->offset[b] + B->size[b]; i++) {
            square += x[i] * y[i];
        }
        out[b] = sqrt(square > 0 ? square : 0);
    }
}

/* ---- speeds ------------------------------------------------------------------------------------ */

static void add_speed(const ss_blockdiag *B, const double *v, double *product, double *norm, double *speed)
{
    ss_blockdiag_times(B, v, product);
    ss_block_norms(B, v, product, norm);
    for (int b = 0; b < B->blocks; b++) {
        speed[b] = ss_worse(speed[b], norm[b]);
    }
}

/* what each bounded row does to its bodies */
static void add_bounded(const ss_body_motion *m, const ss_row_shares *rows, double *speed)
{
    const ss_problem *p = m->problem;
    for (int k = 0; k < p->nc; k++) {
        const double impulse = p->law[k] == SS_LAW_BOUNDED ? fabs(m->solution->r[p->row[k]]) : 0;
        for (int e = rows->first[k]; impulse > 0 && e < rows->first[k + 1]; e++) {
            double *own = &speed[rows->block[e]];
            *own = ss_worse(*own, sqrt(rows->x[e]) * impulse);
        }
    }
}

/* a row, or the rows of a contact: the bodies that are at rest beside the fastest one take its speed; was there any? */
static bool pass_speed(const ss_row_shares *rows, int group, double *speed)
{
    double fastest = 0, d = 0;
    bool any = false;
    for (int e = rows->first[group]; e < rows->first[group + 1]; e++) {
        fastest = ss_worse(fastest, speed[rows->block[e]] * sqrt(rows->x[e]));
        d += rows->x[e];
    }
    for (int e = rows->first[group]; e < rows->first[group + 1]; e++) {
        double *own = &speed[rows->block[e]];
        if (*own * sqrt(rows->x[e]) < SS_TOL_BESIDE * fastest && *own < fastest / sqrt(d)) {
            *own = fastest / sqrt(d);
            any = true;
        }
    }
    return any;
}

/* in both directions in turn, so that a chain of bodies needs few passes */
static void pass_speeds(const ss_problem *p, const ss_body_rows *rows, double *speed)
{
    enum { PASSES = 100 };
    bool any = true;
    for (int pass = 0; pass < PASSES && any; pass++) {
        any = false;
        for (int k = 0; k < p->nj; k++) {
            any = pass_speed(&rows->joints, pass % 2 == 0 ? k : p->nj - 1 - k, speed) || any;
        }
        for (int k = 0; k < p->nc; k++) {
            any = pass_speed(&rows->contacts, pass % 2 == 0 ? k : p->nc - 1 - k, speed) || any;
        }
    }
}

/* ---- rounding ---------------------------------------------------------------------------------- */

/* terms[b] += |S||v| of the sparse part of A, whose entries may cancel */
static void add_coupling(const ss_body_motion *m, double *sum, double *solved, double *norm, double *terms)
{
    const ss_problem *p = m->problem;
    const ss_csr *S = &p->A.sparse;
    for (int i = 0; i < S->m; i++) {
        sum[i] = 0;
        for (int e = S->p[i]; e < S->p[i + 1]; e++) {
            sum[i] += fabs(S->x[e] * m->solution->v[S->i[e]]);
        }
        solved[i] = sum[i];
    }
    ss_blockdiag_solve(&p->scale, m->L, solved);
    ss_block_norms(&p->scale, sum, solved, norm);
    for (int b = 0; b < p->scale.blocks; b++) {
        terms[b] += norm[b];
    }
}

/* terms[b] += |R_ib' x_i| of every group; row NULL: each row is one */
static void add_impulses(const ss_row_shares *rows, int groups, const int *row, const double *x, double *terms)
{
    for (int g = 0; g < groups; g++) {
        int first = row ? row[g] : g, n = row ? row[g + 1] - row[g] : 1;
        double size = sqrt(n) * ss_array_length(n, x + first);
        for (int e = rows->first[g]; e < rows->first[g + 1]; e++) {
            terms[rows->block[e]] += sqrt(rows->x[e]) * size;
        }
    }
}

ss_status ss_body_ground_find(ss_arena *arena, const ss_problem *p, const double *free, ss_body_ground *out)
{
    const ss_blockdiag *B = &p->scale;
    const size_t blocks = (size_t)B->blocks;
    double *product, *norm;
    SS_TRY(ss_arena_take_raw(arena, blocks, sizeof *out->speed, &out->speed));
    SS_TRY(ss_arena_take_raw(arena, blocks, sizeof *out->impulse, &out->impulse));
    const ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nv, sizeof *product, &product));
    SS_TRY(ss_arena_take_raw(arena, blocks, sizeof *norm, &norm));
    ss_block_norms(B, p->b, free, out->impulse); /* B^-1 b = v_free: |b_b| = |v_free,b| */
    memcpy(out->speed, out->impulse, blocks * sizeof *out->speed);
    if (p->v_old) {
        add_speed(B, p->v_old, product, norm, out->speed);
    }
    ss_arena_release(arena, mark);
    return SS_OK;
}

ss_status ss_body_scales_find(ss_arena *arena, const ss_body_motion *m, const ss_body_ground *ground, const ss_body_rows *rows,
                              ss_body_scales *out)
{
    const ss_problem *p = m->problem;
    const ss_blockdiag *B = &p->scale;
    double *product, *sum, *norm;
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nv, sizeof *product, &product));
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nv, sizeof *sum, &sum));
    SS_TRY(ss_arena_take_raw(arena, (size_t)B->blocks, sizeof *norm, &norm));
    SS_TRY(ss_arena_take_raw(arena, (size_t)B->blocks, sizeof *out->speed, &out->speed));
    SS_TRY(ss_arena_take_raw(arena, (size_t)B->blocks, sizeof *out->rounding, &out->rounding));
    SS_TRY(ss_arena_take_raw(arena, (size_t)B->blocks, sizeof *out->noise, &out->noise));

    memcpy(out->speed, ground->speed, (size_t)B->blocks * sizeof *out->speed);
    add_speed(B, m->solution->v, product, norm, out->speed);
    for (int b = 0; b < B->blocks; b++) {
        out->rounding[b] = ground->impulse[b] + norm[b];
    }
    add_bounded(m, &rows->contacts, out->speed);
    if (!ss_matrix_is_block_diagonal(&p->A)) {
        add_coupling(m, sum, product, norm, out->rounding);
    }
    add_impulses(&rows->contacts, p->nc, p->row, m->solution->r, out->rounding);
    add_impulses(&rows->joints, p->nj, NULL, m->solution->lam, out->rounding);
    pass_speeds(p, rows, out->speed);
    for (int b = 0; b < B->blocks; b++) {
        double rounding = SS_TOL_CANCELLED * out->rounding[b];
        out->rounding[b] = isfinite(rounding) ? rounding : 0; /* numbers that overflow excuse nothing */
        out->noise[b] = fmin(out->rounding[b], SS_TOL_MOST_NOISE * out->speed[b]);
    }
    return SS_OK;
}
