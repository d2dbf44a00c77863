/* island_queue.h - islands of a problem cut out some at a time, each time as a problem of their own. */
#ifndef SS_ISLAND_QUEUE_H
#define SS_ISLAND_QUEUE_H

#include "problem/subproblem.h"

typedef struct ss_island_queue {
    const ss_problem *whole;
    const bool *taken; /* islands: is it wanted?              */
    ss_island_members members;
    int next;   /* the island to look at next          */
    int *place; /* scratch of ss_subproblem_make       */
} ss_island_queue;

/* Some of the islands that are taken; island i of it has the contacts first[i] .. first[i+1]-1 of the part. */
typedef struct ss_island_part {
    const ss_problem *whole;
    ss_subproblem part;
    int count, *first;
    int *number; /* count: that of the island in the whole */
} ss_island_part;

/* All arrays live in the arena; `taken` must live as long as the queue. */
ss_status ss_island_queue_open(ss_arena *arena, const ss_problem *whole, const ss_islands *islands, const bool *taken,
                               ss_island_queue *out);
/* The next islands, until they have `rows` contact rows or more, with their part of the solution. None: there are no more. */
ss_status ss_island_queue_cut(ss_island_queue *queue, ss_arena *arena, int rows, const ss_solution *solution,
                              ss_island_part *out);
/* Solution and offsets w of the part go back into the whole. Have offsets changed? */
bool ss_island_part_put_back(const ss_island_part *part, ss_solution *solution);

#endif
