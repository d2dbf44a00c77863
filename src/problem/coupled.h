/* coupled.h - the momentum and joint equations of one cluster whose bodies springs or dampers couple, factorised. */
#ifndef SS_COUPLED_H
#define SS_COUPLED_H

#include "base/base.h"
#include "math/ldl.h"
#include "problem/clusters.h"
#include "problem/gram.h"
#include <slipstick/problem.h>

/* K = ( A  -G' ; G  0 ) over the velocities and the joint rows of one cluster. */
typedef struct ss_coupled ss_coupled;

ss_status ss_coupled_create(ss_context *ctx, ss_coupled **out);
void ss_coupled_destroy(ss_coupled *x);
/* joints: rows of G cut along the blocks of the scale; schur: a factor of G B^-1 G' that knows the redundant rows, whose
 * multipliers are 0. local[nv + nj] is scratch. SS_ERR_NUMERIC if K is singular. */
ss_status ss_coupled_factor(ss_coupled *x, const ss_problem *problem, const ss_clusters *clusters, int cluster,
                            const ss_gram *joints, const ss_ldl *schur, int *local);

int ss_coupled_velocities(const ss_coupled *x, const int **index); /* their numbers in the problem, in order */
int ss_coupled_joints(const ss_coupled *x, const int **row);       /* rows of G                                */
/* x[velocities + joints], in the order of these lists: (b, c) becomes (v, lam); one step of iterative refinement */
ss_status ss_coupled_solve(ss_coupled *k, double *x);

#endif
