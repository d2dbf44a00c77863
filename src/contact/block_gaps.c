/* block_gaps.c - calls the gap callback of a user block: gap(t, q), H = dgap/dq, dgap/dt at fixed q. */
#include "contact/block_gaps.h"

void ss_block_gaps_at(const ss_block *block, double t, const double *q, ss_block_gaps *out)
{
    double *gap = out->scratch, *gap_t = gap + block->gaps, *H = gap_t + block->gaps;
    memset(out->scratch, 0, (size_t)block->gaps * ((size_t)block->n + 2) * sizeof *out->scratch);
    block->gap(block->user, t, q, gap, H, gap_t);
    out->gap = gap;
    out->gap_t = gap_t;
    out->H = H;
}

void ss_block_gaps_eval(const ss_model *m, const ss_config *c, int body, ss_block_gaps *out)
{
    ss_block_gaps_at(m->body_callbacks[body], c->t, c->q + m->body_q[body], out);
}
