/* attempt.c - a Runge-Kutta step of a length still to be found.
 *
 *   end(h)    stages over h, then positions and velocities projected onto joints and closed contacts  [Aca09 eq. 71-73]
 *   verdict   accelerations and forces there: those of the phase if they obey all laws; else the contact problem of
 *             accelerations says how fast a contact comes off or begins to slip                            [eq. 72]
 *
 * Where contacts share a load in a way that statics does not determine (a box on its corners) one distribution of forces
 * may break a law that another one keeps. The contact problem has the last word, not one distribution. */
#include "schemes/event_capturing_rk/attempt.h"
#include "math/worse.h"
#include <math.h>

ss_status ss_attempt_begin(ss_attempt *x)
{
    const ss_model *m = x->s->model;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nq, sizeof *x->q_end, &x->q_end));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->v_end, &x->v_end));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->v_raw, &x->v_raw));
    SS_TRY(ss_arena_take(x->s->arena, (size_t)m->nv, sizeof *x->verdict.a, &x->verdict.a));
    return ss_config_take(x->s->arena, m, &x->end);
}

ss_status ss_attempt_start(ss_attempt *x, double t)
{
    size_t n = (size_t)x->phase->n;
    x->t = t;
    x->length = -1;
    x->found = x->verdict.known = false;
    SS_TRY(ss_arena_take(x->s->arena, n, sizeof *x->verdict.slides, &x->verdict.slides));
    return ss_arena_take(x->s->arena, 3 * n + (size_t)x->s->model->nj, sizeof *x->verdict.multiplier, &x->verdict.multiplier);
}

ss_status ss_attempt_to(ss_attempt *x, double h)
{
    const ss_model *m = x->s->model;
    double t = x->t + h;
    if (x->length == h) {
        return SS_OK;
    }
    x->length = h;
    x->verdict.known = false;
    SS_TRY(ss_stages_step(x->stages, x->s, x->t, x->q, x->v, h, x->q_end, x->v_end, &x->found));
    if (x->found) {
        memcpy(x->v_raw, x->v_end, (size_t)m->nv * sizeof *x->v_raw);
        SS_TRY(ss_phase_project(x->phase, x->s, t, x->q_end, x->v_end, &x->found));
    }
    for (int i = 0; x->found && i < m->nv; i++) {
        x->found = isfinite(x->v_end[i]);
    }
    if (!x->found) {
        return SS_OK;
    }
    ss_config_set(m, t, x->q_end, &x->end);
    return ss_phase_evaluate(x->phase, t, x->q_end, x->v_end);
}

ss_status ss_attempt_within(ss_attempt *x, double h)
{
    do {
        SS_TRY(ss_attempt_to(x, h));
        h *= 0.5;
    } while (!x->found && x->length >= x->least);
    return SS_OK;
}

/* Pose the contact problem of accelerations at the end: slip goes where the phase has it. */
static ss_status pose(ss_attempt *x)
{
    const ss_phase *phase = x->phase;
    SS_TRY(ss_modes_pose(x->modes, x->t + x->length, x->q_end, x->v_end, &phase->set, phase->set.n, NULL));
    for (int i = 0; i < phase->n; i++) {
        x->verdict.slides[i] = phase->closed[i].mode == SS_MODE_SLIP || phase->closed[i].mode == SS_MODE_FULL;
        if (x->verdict.slides[i]) {
            ss_modes_direct(x->modes, i, phase->point.direction + 3 * i);
        }
    }
    return SS_OK;
}

static double release_of(const ss_attempt *x, int i)
{
    if (x->phase->closed[i].mode == SS_MODE_NONE) {
        return 0;
    }
    return ss_worse(ss_modes_lift(x->modes, i), x->verdict.slides[i] ? 0 : ss_modes_creep(x->modes, i));
}

ss_status ss_attempt_judge(ss_attempt *x)
{
    if (x->verdict.known) {
        return SS_OK;
    }
    x->verdict.known = x->verdict.solved = true;
    x->verdict.release = 0;
    SS_TRY(pose(x));
    SS_TRY(ss_phase_accelerate(x->phase, x->verdict.a, x->verdict.multiplier, &x->verdict.regular));
    if (x->verdict.regular && ss_modes_adopt(x->modes, x->verdict.slides, x->verdict.a, x->verdict.multiplier)) {
        return SS_OK;
    }
    SS_TRY(ss_modes_solve(x->modes, x->s, x->verdict.slides, &x->verdict.solved));
    for (int i = 0; x->verdict.solved && i < x->phase->n; i++) {
        x->verdict.release = ss_worse(x->verdict.release, release_of(x, i));
    }
    return SS_OK;
}
