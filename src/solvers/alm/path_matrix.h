/* path_matrix.h - K = A + J' D J again and again where D of few groups differs from the one that was factorised last. */
#ifndef SS_PATH_MATRIX_H
#define SS_PATH_MATRIX_H

#include "problem/newton_matrix.h"

enum { SS_PATH_COLUMNS = 200 }; /* most rows of groups whose D differs */

typedef struct ss_path_matrix {
    ss_newton_matrix *factors; /* of K0, with the D of `base`          */
    const ss_csr *J;
    const int *first;            /* groups+1: their rows                 */
    int n, groups;               /* of K, of D                           */
    double *base;                /* 9 per group                          */
    int listed, columns;         /* groups that differ, and their rows   */
    int *group, *column;         /* groups: those listed; first column of a group, -1: not listed */
    double *C;                   /* n x columns: K0^-1 J_c'              */
    double *S;                   /* columns x columns: J_c C             */
    double *T;                   /* the factors of 1 + E S, E = D - base */
    double *E;                   /* 9 for each listed                    */
    int pivots[SS_PATH_COLUMNS]; /* of T                                 */
} ss_path_matrix;

ss_status ss_path_matrix_take(ss_path_matrix *m, ss_arena *arena); /* memory; the first five members are given */
/* D of K; afresh: K is factorised in any case. *factorised counts; *regular: false if K is singular to the last bit. */
ss_status ss_path_matrix_set(ss_path_matrix *m, const double *D, bool afresh, int *factorised, bool *regular);
/* x <- K^-1 x, up to what groups that are not listed have changed */
ss_status ss_path_matrix_solve(ss_path_matrix *m, double *x);

#endif
