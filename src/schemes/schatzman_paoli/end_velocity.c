/* end_velocity.c - from the mean velocity w of a step to the velocity v at its end.
 *
 *     M (v - w) = h/2 F + G' mu + H' R,   G v = 0,   0 <= H v  _|_  R >= 0 where P > 0,  motors,   all at the end
 *
 * F is the mean force of the balance that gave w, R starts from the same part of its P: what rests is carried by that. */
#include "schemes/schatzman_paoli/end_velocity.h"

static void put_momentum(ss_assembly *a, const ss_half_step *half, const double *w)
{
    ss_problem *p = &a->problem;
    ss_assembly_momentum(a, w, NULL);
    for (int i = 0; i < p->nv * SS_FORCE_CLASSES; i++) {
        p->b[i % p->nv] += half->part * half->impulse[i];
    }
}

static void put_guess(ss_assembly *a, const ss_half_step *half, const ss_memory *memory)
{
    ss_assembly_recall(a, memory);
    for (int i = 0; i < a->problem.row[a->problem.nc]; i++) {
        a->solution.r[i] *= half->part;
    }
}

ss_status ss_end_velocity(ss_assembly *a, ss_stepper *s, const ss_half_step *half, const double *w, double *v)
{
    SS_TRY(ss_assembly_geometry(a, half->end, half->contacts, half->n, half->which, half->friction, half->time));
    put_momentum(a, half, w);
    put_guess(a, half, &s->next->memory);
    SS_TRY(ss_assembly_solve_part(a, s, w));
    memcpy(v, ss_assembly_has_solution(a) ? a->solution.v : w, (size_t)s->model->nv * sizeof *v);
    return SS_OK;
}

ss_status ss_end_velocity_report(ss_stepper *s, double t, const double *q, const double *from, const double *to)
{
    const ss_model *m = s->model;
    ss_blockdiag mass = m->mass;
    double *change, *impulse;
    SS_TRY(ss_arena_take(s->arena, ss_model_mass_size(m), sizeof(double), &mass.x));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *change, &change));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *impulse, &impulse));
    SS_TRY(ss_model_mass(s->ctx, m, t, q, mass.x));
    for (int i = 0; i < m->nv; i++) {
        change[i] = to[i] - from[i];
    }
    ss_blockdiag_times(&mass, change, impulse);
    ss_segment jump = { .t0 = t,
                        .t1 = t,
                        .level = SS_LEVEL_VELOCITY,
                        .q0 = q,
                        .v0 = from,
                        .q1 = q,
                        .v1 = to,
                        .mass = &mass,
                        .impulse[SS_IMPULSE_SCHEME] = impulse };
    return s->report->segment(s->report, &jump);
}
