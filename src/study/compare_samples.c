/* compare_samples.c - the largest difference of two runs over the time that both have made.
 *
 *     max over samples t_k and coordinates i of |q_i(t_k) - q_i(t_k) of the first run|,  likewise v
 *
 * Samples are ends of steps of the first run. The other run is evaluated there by its dense output; where the steps of both end
 * at the same times, these are the states themselves. When the memory for samples is full every second one is dropped, and from
 * then on one of twice as many steps is kept. Of the quaternions q and -q the nearer one is compared. Cost: for each sample a
 * state, and dense output once for each run. */
#include "study/compare_samples.h"

#include "base/tolerances.h"
#include "math/worse.h"
#include "study/reference.h"

#include <math.h>

/* ---- samples of the first run ------------------------------------------------------------------ */

ss_status ss_samples_begin(ss_context *ctx, int nq, int nv, size_t bytes, ss_samples *out)
{
    enum { LEAST = 16, MOST = 1 << 20 };
    const size_t row = ((size_t)nq + (size_t)nv + 1) * sizeof(double), fit = bytes / row;
    *out = (ss_samples){ .ctx = ctx, .nq = nq, .nv = nv, .stride = 1 };
    out->most = fit < LEAST ? LEAST : fit > MOST ? MOST : (int)fit;
    SS_TRY(ss_calloc(ctx, (size_t)out->most, sizeof *out->t, &out->t));
    SS_TRY(ss_calloc(ctx, (size_t)out->most * (size_t)nq, sizeof *out->q, &out->q));
    return ss_calloc(ctx, (size_t)out->most * (size_t)nv, sizeof *out->v, &out->v);
}

static void copy_row(const ss_samples *s, int to, double t, const double *q, const double *v)
{
    s->t[to] = t;
    memmove(s->q + (size_t)to * (size_t)s->nq, q, (size_t)s->nq * sizeof *q);
    memmove(s->v + (size_t)to * (size_t)s->nv, v, (size_t)s->nv * sizeof *v);
}

/* the 2nd, 4th, .. stay: those whose number is a multiple of twice the stride */
static void drop_half(ss_samples *s)
{
    for (int k = 1; k < s->n; k += 2) {
        copy_row(s, k / 2, s->t[k], s->q + (size_t)k * (size_t)s->nq, s->v + (size_t)k * (size_t)s->nv);
    }
    s->n /= 2;
    s->stride *= 2;
}

void ss_samples_add(ss_samples *s, double t, const double *q, const double *v)
{
    s->seen++;
    if (s->n == s->most) {
        drop_half(s);
    }
    if (s->seen % s->stride == 0) {
        copy_row(s, s->n++, t, q, v);
    }
}

void ss_samples_clear(ss_samples *s)
{
    if (s->ctx) {
        ss_free(s->ctx, s->t);
        ss_free(s->ctx, s->q);
        ss_free(s->ctx, s->v);
    }
    *s = (ss_samples){ .ctx = NULL };
}

/* ---- another run ------------------------------------------------------------------------------- */

ss_status ss_apart_begin(const ss_samples *s, ss_apart *out)
{
    *out = (ss_apart){ .next = 0 };
    SS_TRY(ss_calloc(s->ctx, (size_t)s->nq, sizeof *out->own_q, &out->own_q));
    return ss_calloc(s->ctx, (size_t)s->nv, sizeof *out->own_v, &out->own_v);
}

static void note_largest(int n, const double *a, const double *b, double t, double *most, double *when)
{
    for (int k = 0; k < n; k++) {
        const double apart = fabs(a[k] - b[k]), worse = ss_worse(*most, apart);
        *when = worse == *most ? *when : t;
        *most = worse;
    }
}

static ss_status compare_sample(const ss_samples *s, const ss_trajectory *shape, const ss_sim *sim, double now, ss_apart *a)
{
    const double t = s->t[a->next], *q = s->q + (size_t)a->next * (size_t)s->nq, *v = s->v + (size_t)a->next * (size_t)s->nv;
    SS_TRY(ss_sim_at(sim, fmin(t, now), a->own_q, a->own_v));
    ss_straighten(shape, q, 1, a->own_q);
    note_largest(s->nq, q, a->own_q, t, &a->q, &a->q_t);
    note_largest(s->nv, v, a->own_v, t, &a->v, &a->v_t);
    return SS_OK;
}

ss_status ss_apart_step(const ss_samples *s, const ss_trajectory *shape, const ss_sim *sim, ss_apart *a)
{
    const double now = ss_sim_time(sim), reach = now + SS_TOL_TIME * ss_sim_last_step(sim)->h;
    for (; a->next < s->n && s->t[a->next] <= reach; a->next++) {
        SS_TRY(compare_sample(s, shape, sim, now, a));
    }
    return SS_OK;
}

void ss_apart_end(ss_context *ctx, ss_apart *a)
{
    ss_free(ctx, a->own_q);
    ss_free(ctx, a->own_v);
    a->own_q = a->own_v = NULL;
}
