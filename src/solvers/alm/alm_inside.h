/* alm_inside.h - one solve of the proximal Newton method, which the files of this folder share; for these alone. */
#ifndef SS_ALM_INSIDE_H
#define SS_ALM_INSIDE_H

#include "math/matrix.h"
#include "problem/gram.h"
#include "problem/kkt.h"
#include "problem/newton_matrix.h"
#include "problem/residual.h"
#include "problem/sweep.h"
#include "solvers/alm/path_pieces.h"
#include "solvers/solver.h"

typedef struct ss_alm_params {
    int max_newton, inner, patience, sweeps, more_sweeps;
    double start, growth, limit;
} ss_alm_params;

/* what is kept from solve to solve */
typedef struct ss_alm_work {
    ss_context *ctx;
    const ss_alm_params *params;
    ss_arena *arena;
    ss_csr J;
    ss_gram gram;
    ss_block_factor factor; /* of B */
    ss_newton_matrix *matrix;
    ss_residual_work *residual;
    ss_kkt *kkt;
    ss_sweep *sweep;
} ss_alm_work;

/* the rows of J; constant in a solve. A group is a contact or a joint row. */
typedef struct ss_alm_rows {
    int n, nr, count, groups; /* velocities; contact rows; with joint rows; contacts and joint rows */
    int *first;               /* groups+1: rows of a group                                          */
    double *d;                /* groups: mobility; 0: touches nothing                               */
    double *offset;           /* rows: w, and -c of the joints                                      */
    int links, (*link)[2];    /* groups that moments join, by the first of both                     */
} ss_alm_rows;

/* the proximal problem at hand: F(v) = 0 for these k and r0 */
typedef struct ss_alm_prox {
    double k;
    double ended;              /* k at which the last drift ended; 0: none has               */
    bool drifts;               /* the residual stays the same, whatever k is                 */
    double *r0;                /* rows: proximal centre, which r(v) stays near              */
    double *w;                 /* rows: offsets, in local form with what J J' misses of W r0 */
    double *v0;                /* n: velocity where this k began                            */
    const ss_law_piece *piece; /* groups: the piece of its law that each is held on; NULL: that of its y */
} ss_alm_prox;

/* a velocity and what follows from it */
typedef struct ss_alm_point {
    double *v, *F, *r, *D; /* n, n, rows, 9 per group and 9 per link */
    double size;           /* |F|                     */
} ss_alm_point;

/* the iterate with the smallest residual so far */
typedef struct ss_alm_best {
    double residual; /* INFINITY: none yet */
    double *v, *r;
} ss_alm_best;

typedef struct ss_alm_scratch {
    double *x, *y; /* n    */
    double *u;     /* rows; impulses of an island while it is swept */
    double *wider; /* 2 for each contact, of moments: by how much it changes with its bound */
} ss_alm_scratch;

/* one solve */
typedef struct ss_alm_run {
    ss_alm_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info;
    double tol;
    int max_newton, newton; /* Newton steps: at most, so far   */
    bool potential;         /* every law has one               */
    ss_alm_rows rows;
    ss_alm_prox prox;
    ss_alm_point at, next; /* the iterate, and where a step would lead */
    double *step;          /* n                                        */
    ss_alm_best best;
    ss_alm_scratch scratch;
} ss_alm_run;

/* What every method on this problem begins and ends with (alm_setup.c). */
ss_status ss_alm_create(ss_context *ctx, const void *params, void **out);
void ss_alm_destroy(ss_context *ctx, void *data);
ss_status ss_alm_prepare(ss_alm_run *run);                 /* rows, memory and the pattern of the matrix          */
void ss_alm_read_impulses(ss_alm_run *run);                /* r0 <- the given impulses, or zero                   */
ss_status ss_alm_start_velocity(ss_alm_run *run);          /* at.v, and lam in r0, of the impulses r0 alone       */
void ss_alm_move_centre(ss_alm_run *run, const double *r); /* r0 <- r, and w with it                     */
/* the certificate of (v, r), kept if it is the best so far; of at, with its own v or that of the momentum equation */
ss_status ss_alm_offer(ss_alm_run *run, const double *v, const double *r, double *residual);
ss_status ss_alm_judge(ss_alm_run *run, double *residual);
void ss_alm_finish(ss_alm_run *run); /* the best iterate becomes the solution */

/* Which groups moments join, and their blocks, behind those of the groups, from u and D of these. */
ss_status ss_alm_find_links(ss_alm_run *run);
void ss_alm_put_links(const ss_alm_run *run, double *D);

void ss_alm_evaluate(const ss_alm_run *run, ss_alm_point *point); /* r, D and F = A v - b - J' r at point->v; u in scratch */
void ss_alm_swap_points(ss_alm_run *run);                         /* at and next */
void ss_alm_times_A(const ss_alm_run *run, const double *x, double *y);
/* Newton's method for the proximal problem, from run->at.v. *solved: F is small enough for r0 to move on; *steps: Newton steps
 * taken. */
ss_status ss_alm_newton(ss_alm_run *run, bool *solved, int *steps);

#endif
