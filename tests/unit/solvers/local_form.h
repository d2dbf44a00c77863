/* local_form.h - a packing as a problem in local form: u = W r + q. */
#ifndef SS_TEST_LOCAL_FORM_H
#define SS_TEST_LOCAL_FORM_H

#include "problem/delassus.h"
#include "unit/solvers/packing.h"

/* W and q of all contacts; freed by pk_local_free. The rest is the packing's own. */
static inline ss_problem pk_local(ss_context *ctx, const packing *k)
{
    int nr = 3 * k->p.nc, *row = pk_take((size_t)nr, sizeof *row);
    double *W = pk_take((size_t)nr * (size_t)nr, sizeof *W), *q = pk_take((size_t)nr, sizeof *q);
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_arena *arena;
    CHECK_OK(ctx, ss_kkt_create(ctx, &kkt));
    CHECK_OK(ctx, ss_delassus_create(ctx, &delassus));
    CHECK_OK(ctx, ss_arena_create(ctx, 4096, &arena));
    CHECK_OK(ctx, ss_kkt_factor(kkt, &k->p));
    CHECK_OK(ctx, ss_delassus_prepare(delassus, &k->p, kkt));
    for (int i = 0; i < nr; i++) {
        row[i] = i;
    }
    CHECK_OK(ctx, ss_delassus_submatrix(delassus, arena, nr, row, W, q));
    ss_problem local = k->p;
    local.local = true;
    local.nv = local.nj = 0;
    local.w = q;
    ss_csr_reset(&local.W, nr);
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nr; j++) {
            CHECK_OK(ctx, ss_csr_push(ctx, &local.W, j, W[i + nr * j]));
        }
        CHECK_OK(ctx, ss_csr_end_row(ctx, &local.W));
    }
    ss_kkt_destroy(kkt);
    ss_delassus_destroy(delassus);
    ss_arena_destroy(arena);
    free(row);
    free(W);
    return local;
}

static inline void pk_local_free(ss_context *ctx, ss_problem *local)
{
    ss_csr_free(ctx, &local->W);
    free(local->w);
}

#endif
