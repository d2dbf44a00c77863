/* phase.h - motion between two events: a set of closed contacts, each in its contact mode, and the accelerations and forces.
 *
 *     M dv/dt = k + G' lam + H' r                                                     [Aca09 eq. 71]
 *     G dv/dt = what the joints ask for
 *     a row of H that has a multiplier of its own:  H dv/dt + rate = 0
 *     a row that depends on others, of a contact that carries:  its share of the load (docs/indeterminacy.md)
 *     slip: r_T = -mu r_N s, likewise of moments, r_N that of their host;   a motor at its bound: r = -max s;
 *     everything else: r = 0
 *
 * The equations of an index-1 system, linear in (dv/dt, lam, r) where time, positions and velocities are given. */
#ifndef SS_PHASE_H
#define SS_PHASE_H

#include "base/tolerances.h"
#include "kernels/assembly.h"
#include "math/sparse_lu.h"
#include "problem/kkt.h"

/* Residuals below this may end an iteration where they fall no more: rounding. */
#define SS_PHASE_STALL (1e4 * SS_TOL_STAGES)

typedef enum ss_contact_mode {
    SS_MODE_NONE,   /* closed, but carries nothing                      */
    SS_MODE_NORMAL, /* no friction                                      */
    SS_MODE_STICK,
    SS_MODE_SLIP,
    SS_MODE_TRACK, /* a motor that keeps its speed                      */
    SS_MODE_FULL,  /* a motor at its bound                              */
} ss_contact_mode;

typedef struct ss_closed_contact {
    ss_contact contact;
    ss_contact_mode mode;
    double load;   /* r_N at the start of the phase: contacts with larger loads get their multipliers first */
    double keep;   /* gap that it keeps                                                                 */
    double sign;   /* 2D slip and full motors: of the velocity                                          */
    ss_vec3 along; /* 3D slip on two tangents: direction at the start, or in which it begins             */
    double speed;  /* of slip at the start; 0: it begins there                                          */
    double gain;   /* acceleration with which it begins                                                 */
    bool own[3];   /* rows that have a multiplier of their own                                          */
    double pivot;  /* slip: H_N K^-1 (H_N' - mu H_T' s), relative to H_N K^-1 H_N'; <= 0: Painleve       */
} ss_closed_contact;

/* Results of an evaluation besides M, G, H and gaps, which are in `at`. */
typedef struct ss_phase_point {
    ss_config c;
    const double *v;   /* nv: as given, kept by pointer                    */
    double *force;     /* classes x nv                                     */
    double *k;         /* nv: their sum                                    */
    double *rate;      /* nj + nr: right-hand sides of the rows            */
    double *direction; /* 3 per contact: slip on its tangents, of unit length; its speed in 3D, 0: at rest */
    ss_csr Gt, Ht;     /* transposed                                       */
    int rate_cap, direction_cap;
} ss_phase_point;

/* The linear systems that are solved there. */
typedef struct ss_phase_systems {
    ss_csr K;
    ss_sparse_lu *lu, *projector; /* of K: for accelerations, and with frictionless laws */
    ss_kkt *joints;
    double *x; /* 3 (nv + nj + nr): scratch */
    int x_cap;
} ss_phase_systems;

typedef struct ss_phase {
    ss_context *ctx;
    const ss_model *model;
    ss_friction friction;
    int n, cap;
    ss_closed_contact *closed; /* n: in the order of the problem, moments last and in that of their hosts */
    ss_contact_set set;        /* its contacts without moments, which follow from them */
    ss_csr share;    /* nr x nr: what the multipliers of a row that depends on others obey, share r = 0; empty: nothing */
    ss_assembly *at; /* M, G, H, gaps where it was evaluated last */
    ss_phase_point point;
    ss_phase_systems linear;
} ss_phase;

/* redundant: nj, joint rows to leave out; NULL: none */
ss_status ss_phase_create(ss_context *ctx, const ss_model *m, ss_friction friction, const bool *redundant, ss_phase **out);
void ss_phase_destroy(ss_phase *p);
/* A step begins: its arena gives the configuration. */
ss_status ss_phase_begin(ss_phase *p, ss_arena *arena);
/* Multipliers of an evaluation: joints, then the rows of the contacts. */
static inline int ss_phase_rows(const ss_phase *p) { return p->model->nj + p->at->problem.row[p->at->problem.nc]; }
/* Has the row no multiplier of its own, but a share of a load? */
static inline bool ss_phase_shares(const ss_phase *p, int row)
{
    return row < p->share.m && p->share.p[row + 1] > p->share.p[row];
}
/* The row of the normal force that bounds the friction of contact k, or its moment. */
static inline int ss_phase_normal(const ss_phase *p, int k)
{
    const ss_problem *problem = &p->at->problem;
    return problem->row[problem->law[k] == SS_LAW_ROLLING ? problem->host[k] : k];
}
static inline bool ss_phase_is_bound(const ss_phase *p) { return p->model->nj > 0 || p->n > 0; }

void ss_phase_clear(ss_phase *p);
ss_status ss_phase_add(ss_phase *p, const ss_closed_contact *closed);
/* The phase is complete: which rows get a multiplier of their own at (t, q, v), those of the largest loads first, none that
 * depends on others; how the others share the load; and the pivots of slip. */
ss_status ss_phase_close(ss_phase *p, ss_arena *arena, double t, const double *q, const double *v);
/* Geometry, forces and right-hand sides at (t, q, v). */
ss_status ss_phase_evaluate(ss_phase *p, double t, const double *q, const double *v);
/* dv/dt[nv] and multipliers[rows] there; *regular false: they are not determined. */
ss_status ss_phase_accelerate(ss_phase *p, double *a, double *multiplier, bool *regular);
/* The pivot of a slipping contact where the phase was evaluated last. */
ss_status ss_phase_pivot(ss_phase *p, ss_arena *arena, int contact, double *pivot);
/* Positions onto joints and closed contacts, velocities onto their tangents, both by the least change in the norm of M.
 * *satisfied false: none nearby. */
ss_status ss_phase_project(ss_phase *p, ss_stepper *s, double t, double *q, double *v, bool *satisfied);

/* R[nv + rows]: what dv/dt and multipliers lack of the equations; returned is its relative size. */
double ss_phase_residual(ss_phase *p, const double *a, const double *multiplier, double *R);

/* ---- parts of the equations, for whoever solves several at once ----------------------------------- */

/* Row i of -G' and -H', columns from `first` on; into the row of A being built. */
ss_status ss_phase_push_forces(const ss_phase *p, int i, int first, ss_csr *A);
/* Where the unknowns of an evaluation stand among others, and how its velocity depends on the accelerations of all: the stage j
 * has them in the columns from j stride on, v += weight[j] dv/dt_j. */
typedef struct ss_phase_columns {
    int v_first, first; /* of dv/dt and of the multipliers              */
    bool smooth;        /* no friction, as projections want it          */
    int stages, stride;
    const double *weight, *multiplier; /* NULL: velocities are given    */
} ss_phase_columns;
/* The rows of joints and contacts. */
ss_status ss_phase_push_laws(ss_phase *p, const ss_phase_columns *columns, ss_csr *A);

#endif
