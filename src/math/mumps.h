/* mumps.h - MUMPS for sparse matrices whose pattern stays while their numbers change. */
#ifndef SS_MUMPS_H
#define SS_MUMPS_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_mumps ss_mumps;

typedef enum ss_mumps_kind {
    SS_MUMPS_GENERAL,  /* L U, pivots chosen by size                    */
    SS_MUMPS_POSITIVE, /* L D L', pivots as they come: for positive definite matrices, both triangles given */
} ss_mumps_kind;

ss_status ss_mumps_create(ss_context *ctx, ss_mumps_kind kind, ss_mumps **out);
void ss_mumps_destroy(ss_mumps *f);
/* Order the pattern of A (each entry once). */
ss_status ss_mumps_analyse(ss_mumps *f, const ss_csr *A);
/* Factorise numbers that belong to that pattern. *regular is false if the matrix is singular to the last bit, if an entry is
 * not finite, or if it was declared positive definite and has a negative pivot. Running out of memory is SS_ERR_MEMORY. */
ss_status ss_mumps_factor(ss_mumps *f, const ss_csr *A, bool *regular);
ss_status ss_mumps_solve(ss_mumps *f, double *x); /* x <- A^-1 x */

#endif
