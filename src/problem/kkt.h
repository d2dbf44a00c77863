/* kkt.h - the joints' saddle-point system, factorised once and solved for many right-hand sides.
 *
 *     A v - G' lam = b
 *     G v          = c
 *
 * A block diagonal: A by its blocks, then S = G A^-1 G' by a sparse LDL' in AMD order (linear cost for
 * chains). A sparse: KLU on the whole matrix. Redundant rows of G are found in either case (a pivot of
 * S, or of G B^-1 G', that vanishes relative to its start), get lam = 0, and are counted. */
#ifndef SS_KKT_H
#define SS_KKT_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_kkt ss_kkt;

ss_status ss_kkt_create(ss_context *ctx, ss_kkt **out);
void ss_kkt_destroy(ss_kkt *kkt);
/* SS_ERR_NUMERIC if A is singular. The symbolic analysis is reused while the pattern stays. */
ss_status ss_kkt_factor(ss_kkt *kkt, const ss_problem *problem);
/* b, c NULL: zero. v[nv], lam[nj] out; b may be v, c may be lam. */
ss_status ss_kkt_solve(ss_kkt *kkt, const double *b, const double *c, double *v, double *lam);
int ss_kkt_redundant(const ss_kkt *kkt);

#endif
