/* open_islands.h - islands of a problem whose contact impulses statics may leave open. */
#ifndef SS_OPEN_ISLANDS_H
#define SS_OPEN_ISLANDS_H

#include "problem/islands.h"

/* taken[islands]: it has at most `most` contact rows, and either contacts that do not form a tree, or two contacts or more with
 * circular cones between bodies of very different mass. *some: there is one. The array lives in the arena. */
ss_status ss_open_islands(ss_arena *arena, const ss_problem *p, const ss_islands *islands, int most, bool **taken, bool *some);

#endif
