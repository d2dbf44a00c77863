/* paoli_inside.h - a step of Schatzman and Paoli's under way; for schatzman_paoli.c and paoli_newton.c. */
#ifndef SS_PAOLI_INSIDE_H
#define SS_PAOLI_INSIDE_H

#include "kernels/impulses.h"
#include "kernels/passing.h"
#include "kernels/projection.h"
#include "kernels/separation.h"
#include "math/newton.h"
#include "schemes/schatzman_paoli/joint_step.h"
#include "schemes/schatzman_paoli/reflection.h"

enum { RELAXED_NOTHING, RELAXED_CONTACTS, RELAXED_POSITIONS }; /* what of a problem was left out */

typedef struct paoli_params {
    double theta;
    ss_cone_options cone;
    int reflect, iterations;
} paoli_params;

/* Where a substep starts: the state being built. */
typedef struct paoli_start {
    double t, *q, *w;
    ss_blockdiag mass; /* M(t, q) */
    double *mass_room; /* for it, where it varies */
    ss_config here;
    double position_tol; /* SS_TOL_ROUND_OFF, or the rounding of positions where that is more */
} paoli_start;

/* Where the velocity looked at last leads to. */
typedef struct paoli_end {
    double *q;
    ss_config at;
    ss_csr G;           /* of the joints                     */
    double *g, *unused; /* nj, 2 nj              */
} paoli_end;

/* Newton's method on a substep. */
typedef struct paoli_newton {
    ss_newton_result result;
    double force_residual; /* of the forces: how far they are from those of the problem */
    double lenient;        /* the residual if joints may be off by as much as gaps        */
    int relaxed;           /* what was left out because positions have had no solution  */
    bool ends;             /* joints are linearised by their rows at the end            */
    bool gives_up;         /* positions are left out from the start                     */
    bool solved;           /* a problem has been, on this substep                       */
    bool fresh;            /* nothing has been looked at since                          */
    bool straight;         /* the velocity evaluated last is the solution of the last problem, evaluated for the first time */
} paoli_newton;

typedef struct paoli {
    /* constant in a step */
    ss_context *ctx;
    const paoli_params *p;
    ss_vicinity *around;
    ss_assembly *a; /* the problem of the substep                       */
    ss_assembly *b; /* that of the velocity at its end                  */
    ss_impulses *forces;
    ss_separation *apart;
    ss_projection *joints;
    ss_joint_step *towards_joints;
    ss_block_factor inner; /* of M at the start */
    /* changes in a step */
    ss_stepper *s;           /* of the step under way                            */
    ss_reflection gaps;      /* of the contacts near                             */
    ss_contact_cache latest; /* of contacts: where the next problem starts       */
    ss_increments past;
    paoli_start start;
    double h;    /* length of the substep                            */
    double pace; /* the next one is no longer; INFINITY unless joints have cut one */
    paoli_end end;
    paoli_newton newton;
    bool frees_rows; /* contacts that last have given up the rows of the start */
    double *given;   /* rows: -P1 of the impacts that this step ends     */
    int given_cap;
    double *q_middle, *w_fast; /* where forces begin; velocities for the survey    */
    ss_met met;                /* what the last attempt of this substep passed through */
} paoli;

/* times the round-off of positions: gaps are solved no better where masses differ by much; times the tolerance: residuals below
 * this may be round-off */
enum { PAOLI_GAPS = 100, PAOLI_STALL = 100 };

/* The time for which forces act in the substep. */
static inline double paoli_balanced_time(const paoli *x) { return ss_increments_balanced(&x->past, x->h); }

/* Newton's method from the velocity of the start; the outcome is in x->newton and x->a. */
ss_status paoli_iterate(paoli *x);

#endif
