/* slip_inside.h - one solve of slip_ipm, which slip_ipm.c and slip_step.c share; for these two files alone. */
#ifndef SS_SLIP_INSIDE_H
#define SS_SLIP_INSIDE_H

#include "problem/kkt.h"
#include "solvers/cone_ipm/ipm_inside.h"

typedef struct ss_slip_params {
    int max_steps;
} ss_slip_params;

/* what is kept from solve to solve */
typedef struct ss_slip_work {
    ss_context *ctx;
    const ss_slip_params *params;
    ss_ipm_params ipm;
    void *convex; /* an ss_ipm_work */
    ss_arena *arena;
    ss_residual_work *residual;
    ss_kkt *kkt;
} ss_slip_work;

/* Slips, by contact with friction. */
typedef struct ss_slip_state {
    double *s;    /* what the convex program has                       */
    double *slip; /* mu |u_T| of its solution                          */
    double size;  /* |F|                                               */
} ss_slip_state;

/* Newton's method for F at the last program: B = dF/ds, scaled by 1/sqrt(d), and its step for a given weight. */
typedef struct ss_slip_newton {
    double *B, *BB; /* count x count, column-major: B; B' B + weight, or its factor */
    double *BF;     /* B' F                                                        */
    double *ds;     /* the step, in the units of s                                 */
    double *g;      /* 2 per contact with friction: mu u_T/|u_T|                   */
    double *unit;   /* 1/sqrt(d) of each, the same in every program                */
} ss_slip_newton;

/* The convex program of a slip: its offsets follow from s. */
typedef struct ss_slip_program {
    ss_problem problem;
    ss_solution solution;
    ss_solver_info info;
} ss_slip_program;

/* one solve */
typedef struct ss_slip_run {
    ss_slip_work *work;
    const ss_problem *problem;
    ss_solution *solution; /* the best so far */
    ss_solver_info *info;
    double tol, best;
    int max_steps;
    int count, *contact; /* contacts with friction */
    ss_slip_program program;
    ss_slip_state at, from;
    ss_slip_newton newton;
    ss_ipm_run ipm;
} ss_slip_run;

ss_status ss_slip_derive(ss_slip_run *run); /* B and B' F of the last program, which run->at describes */
/* ds = -(B' B + weight)^-1 B' F; false if the matrix is singular, or the step not finite */
bool ss_slip_step(ss_slip_run *run, double weight);

#endif
