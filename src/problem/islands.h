/* islands.h - parts of a problem that do not feel each other. */
#ifndef SS_ISLANDS_H
#define SS_ISLANDS_H

#include "base/base.h"
#include "math/matrix.h"
#include <slipstick/problem.h>

/* Islands are numbered by the first contact, then the first joint row, then the first block they hold.
 * -1: the joint row or contact touches nothing. */
typedef struct ss_islands {
    int count;
    int *of_block, *of_joint, *of_contact;
} ss_islands;

/* The arrays live in the arena. Local form: contacts joined by the entries of W. */
ss_status ss_islands_find(ss_arena *arena, const ss_problem *problem, ss_islands *out);
/* The same where the shares of contacts are known, which say what they touch. */
ss_status ss_islands_find_by(ss_arena *arena, const ss_problem *problem, const ss_row_shares *contacts, ss_islands *out);

#endif
