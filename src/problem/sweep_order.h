/* sweep_order.h - in which order contacts are visited, and which of them at the same time. */
#ifndef SS_SWEEP_ORDER_H
#define SS_SWEEP_ORDER_H

#include "base/base.h"
#include "problem/clusters.h"
#include "problem/contact_blocks.h"
#include "problem/islands.h"
#include <slipstick/problem.h>

enum { SS_SWEEP_PIECE = 128 }; /* positions that are visited, and measured, together */

/* What tells which contacts must not be visited at the same time: blocks of A, or entries of W (contacts NULL). */
typedef struct ss_sweep_links {
    const ss_contact_blocks *contacts;
    const ss_clusters *clusters;
    bool alone;        /* each block is a cluster */
    int *stamp, *list; /* blocks: scratch of ss_sweep_blocks; no stamp may equal a mark that is still to come */
} ss_sweep_links;

/* Blocks that contact k touches, with their clusters if `whole`; each call with a new mark > 0. Returns their number,
 * the blocks are in links->list. */
int ss_sweep_blocks(const ss_sweep_links *links, int k, bool whole, int mark);

/* Positions are the places of contacts in the order. An island is visited round by round: the tiles of a round share nothing.
 * A tile is visited class by class; the contacts of a class that is `together` share nothing. Island i has the rounds
 * round[i] .. round[i+1]-1, round r the tiles tile[r] .. tile[r+1]-1, tile t the classes class_of[t] .. class_of[t+1]-1, and
 * class c the positions first[c] .. first[c+1]-1. Only a large island has more than one tile. */
typedef struct ss_sweep_order {
    int islands, positions;
    int *contact; /* positions */
    int *round, *tile, *class_of, *first;
    bool *together;
} ss_sweep_order;

/* the first class of an island; of the last island plus one: the end */
static inline int ss_sweep_class(const ss_sweep_order *order, int island)
{
    return order->class_of[order->tile[order->round[island]]];
}

/* Islands of more than colour_above contacts are coloured. In a colour, contacts that approach without impulses come first: q has
 * the velocities of all rows then, NULL: they are not known. */
ss_status ss_sweep_order_make(ss_arena *arena, const ss_problem *problem, const ss_islands *islands, const ss_sweep_links *links,
                              const double *q, int colour_above, ss_sweep_order *out);

#endif
