/* kkt.h - the joints' saddle-point system, factorised once and solved for many right-hand sides.
 *
 *     A v - G' lam = b
 *     G v          = c
 *
 * Bodies that only joints tie together: A by its blocks, then S = G A^-1 G' by a sparse LDL' in AMD order (linear cost for
 * chains). Clusters that springs or dampers couple: a factorisation each. Redundant rows of G are found in either case (a
 * pivot of G B^-1 G', masses divided out, that vanishes relative to its start), get lam = 0, and are counted. */
#ifndef SS_KKT_H
#define SS_KKT_H

#include "base/base.h"
#include "problem/clusters.h"
#include "problem/gram.h"
#include <slipstick/problem.h>

typedef struct ss_kkt ss_kkt;

ss_status ss_kkt_create(ss_context *ctx, ss_kkt **out);
void ss_kkt_destroy(ss_kkt *kkt);
/* SS_ERR_NUMERIC if A is singular. The symbolic analysis is reused while the pattern stays. The problem
 * must live, unchanged in A and G, as long as solves follow. */
ss_status ss_kkt_factor(ss_kkt *kkt, const ss_problem *problem);
/* b, c NULL: zero. v[nv], lam[nj] out; b may be v, c may be lam. */
ss_status ss_kkt_solve(ss_kkt *kkt, const double *b, const double *c, double *v, double *lam);
/* v, lam and u that belong to the r of a solution; in local form u alone, and kkt is not used. */
ss_status ss_kkt_recover(ss_kkt *kkt, const ss_problem *problem, ss_solution *solution);
int ss_kkt_redundant(const ss_kkt *kkt);
bool ss_kkt_is_redundant(const ss_kkt *kkt, int row); /* of G */
/* Pivots below eps times their start are redundant (1e-13, the round-off of rows that depend on each other). */
void ss_kkt_set_redundant(ss_kkt *kkt, double eps);

/* The clusters: independent of each other but for contacts; valid until the next factorisation. */
ss_status ss_kkt_clusters(ss_kkt *kkt, const ss_clusters **out);
/* v = K^-1 R_i', what an impulse along row i of R does, where gram holds the rows of R cut along the blocks of the scale. The
 * blocks of the clusters that the row touches are written; others stay, or are zero where a joint is met. */
ss_status ss_kkt_response(ss_kkt *kkt, const ss_gram *gram, int i, double *v);
/* Parts of the block-diagonal form, for whoever assembles H K^-1 H' without dense vectors. */
const ss_gram *ss_kkt_joint_gram(const ss_kkt *kkt);  /* rows of G cut along the blocks of B */
const double *ss_kkt_block_factor(const ss_kkt *kkt); /* Cholesky factors of the blocks of B */
int ss_kkt_schur_entries(const ss_kkt *kkt);          /* nonzeros below the diagonal of its factor */

#endif
