/* contact_blocks.h - the blocks of the scale that each contact of a problem touches. */
#ifndef SS_CONTACT_BLOCKS_H
#define SS_CONTACT_BLOCKS_H

#include "base/base.h"
#include <slipstick/problem.h>

/* Contact k touches block[first[k]] .. block[first[k+1]-1], each once, in the order in which its rows meet them. Stored zeros
 * count as touching. */
typedef struct ss_contact_blocks {
    const int *first; /* nc+1 */
    const int *block;
    const int *at; /* of every block: where its entries begin in each row (ss_row_shares), -1: anywhere; NULL: it is not known */
} ss_contact_blocks;

/* Of a problem in global form: as the certificate has found them, where it has looked at a problem that is held (residual.h).
 * Memory from the arena. */
ss_status ss_contact_blocks_of(ss_context *ctx, ss_arena *arena, const ss_problem *problem, ss_contact_blocks *out);
/* The same, by the problem alone. */
ss_status ss_contact_blocks_find(const ss_context *ctx, ss_arena *arena, const ss_problem *problem, ss_contact_blocks *out);

#endif
