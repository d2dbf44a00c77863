/* sparse_lu.h - LU of a square sparse matrix whose pattern stays while its numbers change; KLU or MUMPS by size. */
#ifndef SS_SPARSE_LU_H
#define SS_SPARSE_LU_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_sparse_lu ss_sparse_lu;

ss_status ss_sparse_lu_create(ss_context *ctx, ss_sparse_lu **out);
void ss_sparse_lu_destroy(ss_sparse_lu *f);
/* Factorise A (each entry once, columns of a row in any order); a pattern other than that of the last call is ordered first.
 * *regular is false if A is singular to the last bit; then there is nothing to solve with. */
ss_status ss_sparse_lu_factor(ss_sparse_lu *f, const ss_csr *A, bool *regular);
/* Choose pivots anew next time, for bits that do not depend on what was factorised before; the ordering stays. */
void ss_sparse_lu_forget(ss_sparse_lu *f);
ss_status ss_sparse_lu_solve(ss_sparse_lu *f, double *x); /* x <- A^-1 x */
/* The same, refined until A x - b is round-off of the terms of each row; A is what was factorised, scratch has 2 n. */
ss_status ss_sparse_lu_solve_refined(ss_sparse_lu *f, const ss_csr *A, double *x, double *scratch);
int ss_sparse_lu_analyses(const ss_sparse_lu *f); /* how often a new pattern was ordered */
int ss_sparse_lu_fill(const ss_sparse_lu *f);     /* entries of the factors of a small matrix; 0: there are none */

enum { SS_SPARSE_LU_LARGE = 1500 }; /* rows from which on MUMPS is quicker than KLU */

#endif
