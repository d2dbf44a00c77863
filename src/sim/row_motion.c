/* row_motion.c - what the velocities at both ends of a segment do along the rows of its contacts.
 *
 *     U- = H v-,   U+ = H v+,   A = |H| |v- + v+|/2      row by row, without driven bodies
 *
 * Found once: the ledger takes works from them, impulse times (U- + U+)/2, and the audit takes approach and rebound.
 * Cost   one pass over H, on threads */
#include "base/parallel.h"
#include "sim/sim.h"
#include <math.h>

/* A segment whose rows are looked at. */
typedef struct rows_job {
    const ss_csr *H;
    const double *v[2];
    const ss_row_motion *out;
} rows_job;

static void find_range(void *data, int begin, int end)
{
    const rows_job *x = data;
    const ss_csr *H = x->H;
    for (int row = begin; row < end; row++) {
        double before = 0, after = 0, size = 0;
        for (int e = H->p[row]; e < H->p[row + 1]; e++) {
            const double first = H->x[e] * x->v[0][H->i[e]], last = H->x[e] * x->v[1][H->i[e]];
            before += first;
            after += last;
            size += fabs(first + last);
        }
        x->out->before[row] = before;
        x->out->after[row] = after;
        x->out->absolute[row] = 0.5 * size;
    }
}

ss_status ss_row_motion_find(ss_context *ctx, ss_arena *arena, const ss_segment *g, ss_row_motion *out)
{
    enum { GRAIN = 3072 };
    *out = (ss_row_motion){ 0 };
    if (g->problem && !g->stages.shown) {
        const ss_csr *H = &g->problem->H;
        SS_TRY(ss_arena_take_raw(arena, (size_t)H->m, sizeof *out->before, &out->before));
        SS_TRY(ss_arena_take_raw(arena, (size_t)H->m, sizeof *out->after, &out->after));
        SS_TRY(ss_arena_take_raw(arena, (size_t)H->m, sizeof *out->absolute, &out->absolute));
        ss_parallel_for(ctx, H->m, GRAIN, find_range, &(rows_job){ H, { g->from.v, g->to.v }, out });
    }
    return SS_OK;
}
