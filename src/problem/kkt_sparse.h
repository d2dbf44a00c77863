/* kkt_sparse.h - the saddle-point matrix as one unsymmetric sparse matrix, factorised by KLU. */
#ifndef SS_KKT_SPARSE_H
#define SS_KKT_SPARSE_H

#include "base/base.h"
#include "math/ldl.h"
#include <slipstick/problem.h>

typedef struct ss_kkt_sparse ss_kkt_sparse;

ss_status ss_kkt_sparse_create(ss_context *ctx, ss_kkt_sparse **out);
void ss_kkt_sparse_destroy(ss_kkt_sparse *s);
/* joints: the factor of G B^-1 G', which knows the redundant rows */
ss_status ss_kkt_sparse_factor(ss_kkt_sparse *s, const ss_problem *problem, const ss_ldl *joints);
/* x[nv+nj] holds (b, c) and becomes (v, lam); one step of iterative refinement */
ss_status ss_kkt_sparse_solve(ss_kkt_sparse *s, double *x);

#endif
