/* ipm_inside.h - one solve of the interior point method, in the scaled quantities of row_units.h; for cone_ipm alone.
 *
 *   cone_ipm.c         the solver and its iteration
 *   ipm_point.c        the equations at a point
 *   ipm_step.c         Newton's method: one step along the central path
 *   ipm_start.c        where the iteration begins
 *   ipm_verdict.c      how good a point is
 *   ipm_infeasible.c   the proof that nothing obeys the constraints
 *   slip_ipm.c         Coulomb's law: Newton's method for the slip around all of this */
#ifndef SS_IPM_INSIDE_H
#define SS_IPM_INSIDE_H

#include "math/matrix.h"
#include "problem/gram.h"
#include "problem/newton_matrix.h"
#include "problem/residual.h"
#include "solvers/cone_ipm/cone_newton.h"
#include "solvers/cone_ipm/row_units.h"
#include "solvers/solver.h"

typedef struct ss_ipm_params {
    int max_iterations;
    double prox;
} ss_ipm_params;

/* what is kept from solve to solve */
typedef struct ss_ipm_work {
    ss_context *ctx;
    const ss_ipm_params *params;
    ss_arena *arena;
    ss_csr J;
    ss_gram gram;
    ss_block_factor factor; /* of B */
    ss_newton_matrix *matrix;
    ss_residual_work *residual;
} ss_ipm_work;

/* a point, and the equations there */
typedef struct ss_ipm_point {
    double *v, *r; /* n, rows                                                                    */
    double *w;     /* rows: offsets, in local form with what J J' misses of W r                  */
    double *u;     /* rows: J v + w                                                              */
    double *F;     /* n: b + J' r - A v                                                          */
} ss_ipm_point;

/* a step from there */
typedef struct ss_ipm_step {
    double *dv, *dr, *du;
    double *D;      /* 9 per group: -dr/du                                */
    double *growth; /* rows: that of r in the last step, as far as it is in K */
} ss_ipm_step;

/* figures by island: of a ray (impulses in K that might prove something), and of the point */
typedef struct ss_ipm_islands {
    double *value, *offsets; /* -w . r of the ray, and the sum of its terms without their signs */
    double *size, *terms;    /* |J' r| of the ray, and the sum of the |J_g' r_g|                */
    double *share;           /* the largest share of a contact in `value`                      */
    int *blame;              /* that contact; -1: none                                          */
    double *speed;           /* |v|                                                             */
    double *gap;             /* what the point lacks of complementarity                        */
} ss_ipm_islands;

/* what is proved of each island so far */
typedef struct ss_ipm_proof {
    bool *found;   /* a ray of this iterate proves it infeasible */
    int *shown;    /* iterations in a row that did               */
    int *culprit;  /* the contact to blame in the last proof     */
    bool doubtful; /* an island is proved infeasible, by one iterate only */
} ss_ipm_proof;

/* the best iterate so far */
typedef struct ss_ipm_best {
    double merit, gap; /* the smaller the better; merit INFINITY: there is none */
    bool granted;      /* it has both certificate and gap */
    double *v, *r;
} ss_ipm_best;

/* least figures of all iterates: certificate, gap, and what a ray that refutes an island lacks of a proof */
typedef struct ss_ipm_progress {
    double residual, gap, ray;
} ss_ipm_progress;

typedef struct ss_ipm_scratch {
    double *x, *y; /* n    */
    double *e;     /* rows */
} ss_ipm_scratch;

/* one solve; the caller fills the first six */
typedef struct ss_ipm_run {
    ss_ipm_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_iter;
    ss_row_units units;
    ss_cone_newton cones;
    ss_ipm_point at;
    ss_ipm_step step;
    ss_ipm_islands islands;
    ss_ipm_proof proof;
    ss_ipm_progress least;
    ss_ipm_best best;
    ss_ipm_scratch scratch;
} ss_ipm_run;

/* ---- the whole */

ss_status ss_ipm_create(ss_context *ctx, const void *params, void **out); /* an ss_ipm_work */
void ss_ipm_destroy(ss_context *ctx, void *data);
/* Solve; what is in the run stays until the next call. */
ss_status ss_ipm_solve(ss_ipm_run *run);

/* ---- the equations at a point */

void ss_ipm_times_A(const ss_ipm_run *run, const double *x, double *y);
void ss_ipm_times_J(const ss_ipm_run *run, const double *v, double *u);      /* u = f J v   */
void ss_ipm_add_impulses(const ss_ipm_run *run, const double *r, double *x); /* x += J' f r */
/* norm[island] = sqrt(x . y), and sqrt(x' B^-1 x) */
void ss_ipm_norms(const ss_ipm_run *run, const double *x, const double *y, double *norm);
void ss_ipm_momentum_norms(const ss_ipm_run *run, const double *x, double *norm);
void ss_ipm_update_offsets(ss_ipm_run *run); /* w, with the r at hand; in local form only, elsewhere it is constant */
void ss_ipm_balance(ss_ipm_run *run);        /* u and F of v, r and w                                              */
void ss_ipm_evaluate(ss_ipm_run *run);       /* all that follows from v, lam and the points of the cones           */

/* ---- one step */

/* The D of the contacts in run->step.D in the units of the problem, and that of the joints filled in. */
void ss_ipm_scale_blocks(ss_ipm_run *run);
ss_status ss_ipm_factorise(ss_ipm_run *run);    /* A + J' D J with them                                             */
ss_status ss_ipm_respond(ss_ipm_run *run);      /* dv, and dr of the joints, where the contacts change by dr - D du */
ss_status ss_ipm_direction(ss_ipm_run *run);    /* dv, dlam, ds and dz for the aim that the cones have              */
void ss_ipm_move(ss_ipm_run *run, double a);    /* v and lam, by a times the step                                   */
ss_status ss_ipm_step_forward(ss_ipm_run *run); /* predictor, corrector, and as far as the cones allow              */

/* ---- start, verdict, proof */

ss_status ss_ipm_start(ss_ipm_run *run);
void ss_ipm_write(const ss_ipm_run *run, const double *v, const double *r); /* as the solution */
ss_status ss_ipm_judge(ss_ipm_run *run);                                    /* the point; it is kept if it is the best */
ss_outcome ss_ipm_verdict(const ss_ipm_run *run); /* of the best iterate, where no better one is to be had */
/* Does the ray prove, for some island, that every v which obeys its constraints is more than `times` as large as run->at.v? */
bool ss_ipm_ray_refutes(ss_ipm_run *run, const double *ray, double times);
/* Is an island infeasible? *worst: the contact to blame. */
bool ss_ipm_look_for_proof(ss_ipm_run *run, int *worst);

#endif
