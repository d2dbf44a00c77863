/* block_gaps.h - all gaps of a user block at a configuration, in memory of fixed size.
 *
 * A block's callback fills all its gaps at once. Contacts are evaluated one by one and without an arena, so
 * a block may not ask for more than SS_BLOCK_SCRATCH numbers, gaps * (n + 2); ss_finder_create refuses it. */
#ifndef SS_BLOCK_GAPS_H
#define SS_BLOCK_GAPS_H

#include "model/model.h"

enum { SS_BLOCK_SCRATCH = 4096 };

typedef struct ss_block_gaps {
    const double *gap, *H, *gap_t; /* m, m x n row-major, m */
    double scratch[SS_BLOCK_SCRATCH];
} ss_block_gaps;

void ss_block_gaps_at(const ss_block *block, double t, const double *q, ss_block_gaps *out); /* q: of the block alone */
void ss_block_gaps_eval(const ss_model *m, const ss_config *c, int body, ss_block_gaps *out);

#endif
