/* jump.c - a change of velocity that does not come from a contact problem:  p = M(t, q) (v1 - v0). */
#include "kernels/jump.h"

ss_status ss_jump_report(ss_stepper *s, ss_impulse kind, double t, const double *q, const double *v0, const double *v1)
{
    const ss_model *m = s->model;
    ss_matrix M = m->mass;
    double *change, *impulse, *room;
    if (memcmp(v0, v1, (size_t)m->nv * sizeof *v0) == 0) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(s->arena, ss_model_mass_room(m), sizeof *room, &room));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *change, &change));
    SS_TRY(ss_arena_take(s->arena, (size_t)m->nv, sizeof *impulse, &impulse));
    SS_TRY(ss_model_mass_at(s->ctx, m, t, q, room, &M.diagonal));
    for (int i = 0; i < m->nv; i++) {
        change[i] = v1[i] - v0[i];
    }
    ss_matrix_times(&M, change, impulse);
    ss_segment jump = { .from = { .t = t, .q = q, .v = v0 }, .to = { .t = t, .q = q, .v = v1 }, .mass = &M };
    jump.impulse[kind] = impulse;
    return s->report->segment(s->report, &jump);
}
