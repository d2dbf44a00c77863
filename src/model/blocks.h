/* blocks.h - user blocks: calls of their callbacks that say which one failed, and differences where they give no derivative.
 *
 * q, v: of the block alone. What a callback does not write is 0. */
#ifndef SS_BLOCKS_H
#define SS_BLOCKS_H

#include "model/model.h"

static inline bool ss_model_is_block(const ss_model *m, int body) { return m->body_type[body] == SS_BODY_BLOCK; }
/* class of a block's force */
static inline ss_force_class ss_block_class(const ss_model *m, int body)
{
    return m->body_callbacks[body]->potential ? SS_FORCE_SPRING : SS_FORCE_APPLIED;
}
int ss_block_constraints(const ss_model *m, int body);         /* 0 for other bodies */
int ss_block_gap_rows(const ss_model *m, const ss_block *b);   /* of each gap: its normal, and its tangents if it has friction */
size_t ss_block_scratch(const ss_model *m, const ss_block *b); /* numbers that the functions below ask of model->scratch */

ss_status ss_block_mass(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *M);
ss_status ss_block_force(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v, double *k);
ss_status ss_block_potential(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *energy);
/* k_q, k_v: n x n */
ss_status ss_block_jacobian(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v, double *k_q,
                            double *k_v);
ss_status ss_block_constraint(ss_context *ctx, const ss_model *m, int body, double t, const double *q, double *g, double *G,
                              double *g_t);
/* d/dt (G v + g_t) along q' = v */
ss_status ss_block_constraint_rate(ss_context *ctx, const ss_model *m, int body, double t, const double *q, const double *v,
                                   double *out);

/* Room for the gaps of a body in a configuration; none where it has no gaps. */
ss_status ss_block_gaps_take(ss_arena *arena, const ss_model *m, int body, ss_block_gaps *out);
/* All gaps of a block at c, evaluated when they are first asked for. */
ss_status ss_block_gaps_at(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const ss_block_gaps **out);
/* Row `row` of a gap, 0 the normal, then its tangents: numbers of the block's velocities, and the part that time alone makes. */
const double *ss_block_gap_row(const ss_model *m, const ss_block *b, const ss_block_gaps *gaps, int gap, int row, double *drive);
/* d/dt (row . v + its part of time) along q' = v, of the first `rows` rows of a gap */
ss_status ss_block_gap_rate(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, int body, int gap, int rows,
                            double *out);

/* K (n x n) += d(G' lam)/dq; d(rows' r)/dq of a gap */
ss_status ss_block_constraint_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, const double *lam,
                                        double *K);
ss_status ss_block_gap_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, int body, int gap, int rows,
                                 const double *r, double *K);

#endif
