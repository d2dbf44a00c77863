/* newton_matrix.h - K = A + sum over groups of J_g' D_g J_g, assembled, factorised and solved again and again.
 *
 * A group is one to three rows of J (a contact, a joint row); D_g need not be symmetric, but may be said to be. Two groups may be
 * linked, by J_g' E J_h (a moment and the contact that bounds it). */
#ifndef SS_NEWTON_MATRIX_H
#define SS_NEWTON_MATRIX_H

#include "base/base.h"
#include <slipstick/problem.h>

typedef struct ss_newton_matrix ss_newton_matrix;

/* Rows of J by groups: group g has rows first[g] .. first[g+1]-1. */
typedef struct ss_row_groups {
    const ss_csr *J;
    int count;
    const int *first;
    int links;
    const int (*link)[2]; /* links: groups g, h of each, by g */
} ss_row_groups;

/* symmetric: A is symmetric, and every D is symmetric and positive semidefinite; half the work. */
ss_status ss_newton_matrix_create(ss_context *ctx, bool symmetric, ss_newton_matrix **out);
void ss_newton_matrix_destroy(ss_newton_matrix *m);
/* A of the problem (local form: the identity) and J; both must live, unchanged, as long as factorisations follow. */
ss_status ss_newton_matrix_prepare(ss_newton_matrix *m, const ss_problem *problem, const ss_row_groups *rows);
/* D: 9 numbers per group, then 9 per link, row-major rows x rows at their beginning. *regular is false if K is singular to the
 * last bit. */
ss_status ss_newton_matrix_factor(ss_newton_matrix *m, const double *D, bool *regular);
ss_status ss_newton_matrix_solve(ss_newton_matrix *m, double *x); /* x <- K^-1 x */

#endif
