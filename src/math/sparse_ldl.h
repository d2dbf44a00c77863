/* sparse_ldl.h - L D L' of a sparse positive definite matrix whose pattern stays while its numbers change; simplicial or
 * multifrontal (MUMPS) by size. */
#ifndef SS_SPARSE_LDL_H
#define SS_SPARSE_LDL_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_sparse_ldl ss_sparse_ldl;

ss_status ss_sparse_ldl_create(ss_context *ctx, ss_sparse_ldl **out);
void ss_sparse_ldl_destroy(ss_sparse_ldl *f);
/* Factorise A (both triangles, each entry once, columns of a row in any order); a pattern other than that of the last call is
 * ordered first. *regular is false if a pivot is not positive; then there is nothing to solve with. Running out of memory is
 * SS_ERR_MEMORY. */
ss_status ss_sparse_ldl_factor(ss_sparse_ldl *f, const ss_csr *A, bool *regular);
/* x <- A^-1 x. SS_ERR_NUMERIC if there are no factors, or the solution is not finite. */
ss_status ss_sparse_ldl_solve(ss_sparse_ldl *f, double *x);
int ss_sparse_ldl_analyses(const ss_sparse_ldl *f); /* how often a new pattern was ordered */

enum { SS_SPARSE_LDL_LARGE = 1000 }; /* rows from which on MUMPS is quicker */

#endif
