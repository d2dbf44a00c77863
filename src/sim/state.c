/* state.c - t, q, v, the scheme's private block and the remembered contacts: all that a step starts from. */
#include "sim/sim.h"

ss_status ss_state_create(const ss_sim *sim, ss_state *state)
{
    const ss_model *m = sim->model;
    state->memory.numbers = sim->scheme->contact_numbers;
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nq, sizeof(double), &state->q));
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nv, sizeof(double), &state->v));
    return ss_calloc(sim->ctx, (size_t)sim->block_size, sizeof(double), &state->block);
}

void ss_state_destroy(ss_context *ctx, ss_state *state)
{
    ss_free(ctx, state->q);
    ss_free(ctx, state->v);
    ss_free(ctx, state->block);
    ss_memory_free(ctx, &state->memory);
}

ss_status ss_state_copy(const ss_sim *sim, const ss_state *from, ss_state *to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)sim->model->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)sim->model->nv * sizeof(double));
    if (sim->block_size) {
        memcpy(to->block, from->block, (size_t)sim->block_size * sizeof(double));
    }
    return ss_memory_copy(sim->ctx, &from->memory, &to->memory);
}
