/* redundancy.h - joint rows that depend on other joint rows, found at positions where the joints are satisfied. */
#ifndef SS_REDUNDANCY_H
#define SS_REDUNDANCY_H

#include "kernels/assembly.h"

typedef struct ss_redundancy ss_redundancy;

ss_status ss_redundancy_create(ss_context *ctx, const ss_model *m, ss_redundancy **out);
void ss_redundancy_destroy(ss_redundancy *r);
/* Rows that depend on others at c, where the joints are satisfied. */
ss_status ss_redundancy_find(ss_redundancy *r, const ss_config *c);
/* The first redundant row whose demand contradicts those of the rows that it depends on, where they were found last; -1: none.
 * share[nj]: its direction is the sum of share[j] times that of row j. c has the drive of its instant. */
ss_status ss_redundancy_contradiction(ss_redundancy *r, double *share, int *row);
/* nj marks for ss_assembly.redundant; NULL if the joints have no loop. */
const bool *ss_redundancy_rows(const ss_redundancy *r);

#endif
