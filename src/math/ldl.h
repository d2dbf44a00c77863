/* ldl.h - sparse L D L' of a symmetric positive semidefinite matrix, up-looking, in AMD order. */
#ifndef SS_LDL_H
#define SS_LDL_H

#include "base/base.h"

typedef struct ss_ldl ss_ldl;

ss_status ss_ldl_create(ss_context *ctx, ss_ldl **out);
void ss_ldl_destroy(ss_ldl *f);
/* Order and count. p[n+1], i[]: pattern of the whole matrix (both triangles, diagonal included, columns of
 * a row in any order). Does nothing when the pattern is the one of the last call. */
ss_status ss_ldl_analyse(ss_ldl *f, int n, const int *p, const int *i);
/* Factorise the values x[] that belong to the pattern. A row with skip[] (NULL: none), or with a pivot
 * d_k <= eps * a_kk or nothing but rounding, is redundant: its unknown is kept at zero and its equation left out. eps = 0: the
 * matrix is definite, only pivots that are not positive make a row redundant. */
void ss_ldl_factor(ss_ldl *f, const double *x, double eps, const bool *skip);
void ss_ldl_solve(const ss_ldl *f, double *x); /* x <- A^-1 x */
int ss_ldl_redundant(const ss_ldl *f);
double ss_ldl_smallest_pivot(const ss_ldl *f); /* d_k / a_kk of the last factorisation, skipped rows left out; 1 without rows */
bool ss_ldl_is_redundant(const ss_ldl *f, int row);
int ss_ldl_entries(const ss_ldl *f);  /* below the diagonal of L */
int ss_ldl_analyses(const ss_ldl *f); /* how often a new pattern was ordered */

#endif
