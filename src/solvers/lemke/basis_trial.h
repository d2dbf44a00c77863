/* basis_trial.h - is a complementary basis the solution of  w = M z + q,  0 <= z _|_ w >= 0 ?  One linear solve, refined. */
#ifndef SS_BASIS_TRIAL_H
#define SS_BASIS_TRIAL_H

#include "base/base.h"

/* M by what it does: whoever knows its structure need not write it out before the path asks for it. */
typedef struct ss_pivot_matrix {
    int n;
    const void *data;
    void (*add_times)(const void *data, const double *z, long double *w);     /* w += M z                              */
    void (*gather)(const void *data, int count, const int *index, double *A); /* A = M[index, index], column-major      */
    void (*dense)(const void *data, double *M);                               /* all of M, column-major                */
} ss_pivot_matrix;

typedef struct ss_basis_trial {
    const ss_pivot_matrix *M;
    const double *q; /* n                                                          */
    double *z, *w;   /* n: values of the basis tried last                          */
    double error;    /* |min(z, w)|                                                */
    double size;     /* largest |z|                                                */
    int factorisations;
    double *a, *LU; /* scratch */
    long double *sum;
    int *index, *pivots;
} ss_basis_trial;

/* z[n] is the caller's; everything else comes from the arena. */
ss_status ss_basis_trial_take(ss_basis_trial *t, ss_arena *arena, const ss_pivot_matrix *M, const double *q, double *z);
/* Solve w_a = 0 for the basic z_a, the others exactly 0; false if singular. */
bool ss_basis_trial_solve(ss_basis_trial *t, const bool *basic);

#endif
