/* subproblem.h - the part of a one-step problem that some of its islands make, as a problem of its own. */
#ifndef SS_SUBPROBLEM_H
#define SS_SUBPROBLEM_H

#include "base/base.h"
#include "problem/groups.h"
#include "problem/islands.h"
#include <slipstick/problem.h>

/* What belongs to each island. The last group, number `islands`, has what no contact of an island moves: contacts and joint rows
 * that touch nothing, islands without contacts. */
typedef struct ss_island_members {
    int islands; /* those with contacts, which come first in ss_islands */
    ss_groups contacts, joints, blocks;
} ss_island_members;

typedef struct ss_subproblem {
    ss_problem problem;
    ss_solution solution;
    int velocities, rows;                                  /* of the part                                 */
    int *contact, *joint, *block, *velocity, *contact_row; /* numbers in the whole of what it is made of  */
} ss_subproblem;

/* All arrays live in the arena. */
ss_status ss_island_members_find(ss_arena *arena, const ss_problem *whole, const ss_islands *islands, ss_island_members *out);
/* The part that the `count` groups of `group` make. place: scratch of max(nv, rows) numbers. */
ss_status ss_subproblem_make(ss_arena *arena, const ss_problem *whole, const ss_island_members *members, int count,
                             const int *group, int *place, ss_subproblem *out);
/* The solution of the part from that of the whole, and back. */
void ss_subproblem_read(ss_subproblem *part, const ss_solution *whole);
void ss_subproblem_write(const ss_subproblem *part, ss_solution *whole);

#endif
