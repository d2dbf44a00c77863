/* basis.h - a basis of the complementarity system  w - M z - c z0 = q  and its inverse, kept explicitly. */
#ifndef SS_BASIS_H
#define SS_BASIS_H

#include "base/base.h"

/* The columns of the inverse that are stored: those of the rows whose w is nonbasic. The others are unit vectors. */
typedef struct ss_basis_slots {
    int count;
    int *row, *of_row; /* n: slot -> row; row -> slot, -1: that column is a unit vector */
    double *R;         /* n x count                                                     */
} ss_basis_slots;

/* scratch of a solution and its refinement */
typedef struct ss_basis_refinement {
    double *part, *remainder, *fix; /* n */
} ss_basis_refinement;

/* scratch of an inverse that is computed afresh */
typedef struct ss_basis_afresh {
    double *F, *C, *work; /* n x slots, slots x slots, SS_DENSE_WORK n */
    int *pivots;
} ss_basis_afresh;

/* Variables: 0 .. n-1 are w, n .. 2n-1 are z, 2n is z0. A place is a position in the basis. */
typedef struct ss_basis {
    int n;
    const double *M; /* n x n, column-major                       */
    double *cover;   /* n: c                                      */
    int *var;        /* variable at each place                    */
    int *place;      /* 2n+1: place of a variable, -1: nonbasic   */
    ss_basis_slots slots;
    int pivoted; /* pivots since the inverse was computed afresh */
    ss_basis_refinement refinement;
    ss_basis_afresh afresh;
    double *f; /* n: scratch of an exchange */
} ss_basis;

ss_status ss_basis_take(ss_basis *b, ss_arena *arena, int n, const double *M); /* all memory; all w basic */
void ss_basis_all_w(ss_basis *b);
/* The complementary basis with z_i for basic_z[i] and w_i otherwise; false if singular. */
bool ss_basis_set(ss_basis *b, const bool *basic_z);
bool ss_basis_factor(ss_basis *b);                                  /* the inverse afresh; false if singular */
void ss_basis_column(const ss_basis *b, int variable, double *a);   /* of the system                        */
void ss_basis_times(const ss_basis *b, const double *x, double *y); /* y = B x                              */
/* x = B^-1 a, refined; returns the largest residual before refinement, relative to a. */
double ss_basis_solve(ss_basis *b, const double *a, double *x);
double ss_basis_inverse(const ss_basis *b, int place, int row); /* one entry of B^-1 */
/* Nothing blocks the entering variable, whose column is d = B^-1 a: z[n] grows by `ray` for every unit of it. */
void ss_basis_ray(const ss_basis *b, int entering, const double *d, double *ray);
/* Replace the variable at `place`; d = B^-1 times the entering column. */
void ss_basis_pivot(ss_basis *b, int place, int entering, const double *d);

#endif
