/* state.c - t, q, v, the scheme's private state and the contact cache: all that a step starts from. */
#include "base/parallel.h"
#include "sim/sim.h"

ss_status ss_state_create(const ss_sim *sim, ss_state *state)
{
    const ss_model *m = sim->model;
    state->cache.numbers = sim->scheme->contact_numbers;
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nq, sizeof(double), &state->q));
    SS_TRY(ss_calloc(sim->ctx, (size_t)m->nv, sizeof(double), &state->v));
    return ss_calloc(sim->ctx, (size_t)sim->scheme_state_size, sizeof(double), &state->scheme_state);
}

void ss_state_destroy(ss_context *ctx, ss_state *state)
{
    ss_free(ctx, state->q);
    ss_free(ctx, state->v);
    ss_free(ctx, state->scheme_state);
    ss_contact_cache_free(ctx, &state->cache);
}

ss_status ss_state_copy(const ss_sim *sim, const ss_state *from, ss_state *to)
{
    to->t = from->t;
    ss_parallel_copy(sim->ctx, (size_t)sim->model->nq * sizeof(double), from->q, to->q);
    ss_parallel_copy(sim->ctx, (size_t)sim->model->nv * sizeof(double), from->v, to->v);
    if (sim->scheme_state_size) {
        memcpy(to->scheme_state, from->scheme_state, (size_t)sim->scheme_state_size * sizeof(double));
    }
    return ss_contact_cache_copy(sim->ctx, &from->cache, &to->cache);
}

typedef struct exchanged {
    double *x, *y;
} exchanged;

static void exchange_range(void *data, int begin, int end)
{
    const exchanged *of = data;
    for (int i = begin; i < end; i++) {
        const double kept = of->x[i];
        of->x[i] = of->y[i];
        of->y[i] = kept;
    }
}

void ss_state_exchange(const ss_sim *sim, ss_state *a, ss_state *b)
{
    enum { GRAIN = 4096 };
    const ss_state first = *a, second = *b;
    ss_parallel_for(sim->ctx, sim->model->nq, GRAIN, exchange_range, &(exchanged){ first.q, second.q });
    ss_parallel_for(sim->ctx, sim->model->nv, GRAIN, exchange_range, &(exchanged){ first.v, second.v });
    *a = second;
    *b = first;
    a->q = first.q;
    a->v = first.v;
    b->q = second.q;
    b->v = second.v;
}

void ss_state_empty_arena(ss_sim *sim)
{
    ss_arena_reset(sim->arena);
    sim->scratch.touched[0] = sim->scratch.touched[1] = (ss_contact_set){ 0 };
}
