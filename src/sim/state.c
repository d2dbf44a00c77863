/* state.c - t, q, v, the scheme's private block and the remembered contacts: all that a step starts from. */
#include "sim/sim.h"

ss_status ss_state_create(ss_context *ctx, const ss_model *m, int block_size, ss_state *state)
{
    SS_TRY(ss_calloc(ctx, (size_t)m->nq, sizeof(double), &state->q));
    SS_TRY(ss_calloc(ctx, (size_t)m->nv, sizeof(double), &state->v));
    return ss_calloc(ctx, (size_t)block_size, sizeof(double), &state->block);
}

void ss_state_destroy(ss_context *ctx, ss_state *state)
{
    ss_free(ctx, state->q);
    ss_free(ctx, state->v);
    ss_free(ctx, state->block);
    ss_memory_free(ctx, &state->memory);
}

ss_status ss_state_copy(ss_context *ctx, const ss_model *m, int block_size, const ss_state *from, ss_state *to)
{
    to->t = from->t;
    to->h_next = from->h_next;
    memcpy(to->q, from->q, (size_t)m->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)m->nv * sizeof(double));
    if (block_size) {
        memcpy(to->block, from->block, (size_t)block_size * sizeof(double));
    }
    return ss_memory_copy(ctx, &from->memory, &to->memory);
}
