/* apgd_inside.h - what the files of `apgd` share.
 *
 *   apgd.c        the solver: tolerances, certificates, which islands are open
 *   iteration.c   one iteration of all open islands
 *   dual.c        the dual problem: gradients and projections */
#ifndef SS_APGD_INSIDE_H
#define SS_APGD_INSIDE_H

#include "problem/residual.h"
#include "solvers/apgd/dual.h"

typedef struct apgd_params {
    int max_iterations, check;
} apgd_params;

typedef struct apgd_work {
    ss_context *ctx;
    const apgd_params *params;
    ss_arena *arena;
    ss_kkt *kkt;
    ss_dual *dual;
    ss_residual_work *residual;
} apgd_work;

/* impulses, and the gradient there */
typedef struct apgd_point {
    double *x, *g; /* rows */
} apgd_point;

typedef struct apgd_island {
    double L, t, beta;
    double square, bent, back;  /* s's, s'Ns, (y - x+).(x+ - x)                 */
    double length;              /* x+'x+                                        */
    double given;               /* part of the certificate's scale that is fixed */
    double number, scale, best; /* last natural map; best quotient so far       */
    int iterations;
    bool open, took, better; /* to be solved; x+ was taken; x is the best       */
} apgd_island;

typedef struct apgd_islands {
    int count;
    int *of_contact; /* contacts: the island of each */
    apgd_island *island;
} apgd_islands;

/* the contacts of open islands, in ascending order */
typedef struct apgd_open {
    int count, *contact;
} apgd_open;

/* what contacts are measured by */
typedef struct apgd_contacts {
    const double *root; /* contacts: sqrt(d); 0: cannot move        */
    double *floor;      /* contacts: round-off of the natural map   */
    double *v_free;     /* nv: B^-1 b                               */
} apgd_contacts;

/* one solve */
typedef struct apgd_run {
    apgd_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int limit, nr;
    apgd_contacts contacts;
    apgd_islands islands;
    apgd_open open;
    apgd_point at, y, next;
    double *best; /* rows: the x of an island's best quotient */
} apgd_run;

static inline apgd_island *apgd_island_of(const apgd_run *run, int contact)
{
    return &run->islands.island[run->islands.of_contact[contact]];
}

/* One iteration of every open island: a step from y, taken or not, and what comes of L and the momentum. */
ss_status ss_apgd_iteration(apgd_run *run);

#endif
