/* end_velocity.c - from the mean velocity w of a step to the velocity v at its end.
 *
 *     M (v - w) = h/2 F + G' mu + H' R,   G v = 0,   0 <= H v  _|_  R >= 0 where P > 0,  motors,   all at the end
 *
 * F is the mean force of the balance that gave w, R starts from the same part of its P: what rests is carried by that. The
 * gyroscopic impulse is that of a free body from w on, which keeps its energy (gyroscopic.c): the one of the balance belongs to a
 * body that has since turned away. */
#include "schemes/schatzman_paoli/end_velocity.h"
#include "kernels/free_motion.h"

static ss_status put_momentum(ss_assembly *a, ss_stepper *s, const ss_half_step *half, const double *w)
{
    const int nv = a->problem.nv;
    const double *turned = half->impulse + SS_FORCE_GYROSCOPIC * nv;
    double *turns;
    SS_TRY(ss_arena_take(s->arena, (size_t)nv, sizeof *turns, &turns));
    ss_model_gyroscopic_impulse(s->ctx, s->model, w, half->time, turns);
    ss_assembly_momentum(a, w, NULL);
    ss_forces_add(nv, half->part, half->impulse, a->problem.b);
    for (int i = 0; i < nv; i++) {
        a->problem.b[i] += turns[i] - half->part * turned[i];
    }
    return SS_OK;
}

static void put_guess(ss_assembly *a, const ss_half_step *half, const ss_contact_cache *cache)
{
    ss_assembly_recall(a, cache, SS_LEVEL_VELOCITY);
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        a->solution.r[i] *= half->part;
    }
}

ss_status ss_end_velocity(ss_assembly *a, ss_stepper *s, const ss_half_step *half, const double *w, double *v)
{
    SS_TRY(ss_assembly_geometry(a, half->end, half->contacts, half->n, half->which, half->friction, half->time));
    SS_TRY(put_momentum(a, s, half, w));
    put_guess(a, half, &s->next->cache);
    SS_TRY(ss_assembly_try_auxiliary(a, s, w));
    memcpy(v, ss_assembly_has_solution(a) ? a->solution.v : w, (size_t)s->model->nv * sizeof *v);
    return SS_OK;
}
