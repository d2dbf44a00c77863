/* galpha_inside.h - a step of the nonsmooth generalized-alpha method under way; for the files of this folder alone.
 *
 * Three schemes share it: galpha_ggl, the method of the paper, and galpha_index3 and galpha_modified, with which the paper
 * compares it.
 *
 * Symbols of the paper [BAC14]: q~ -> q_free, v~ -> v_free, dv~/dt -> rate, a -> mean, lam~ -> lam, U and W = v - v_free,
 * nu -> nu_joint, nu; Lambda -> lam_jump (joints), r (contacts); n -> start, n+1 -> end. */
#ifndef SS_GALPHA_INSIDE_H
#define SS_GALPHA_INSIDE_H

#include "kernels/passing.h"
#include "math/sparse_lu.h"
#include "model/assemble.h"
#include "problem/kkt.h"
#include "problem/residual.h"

enum { GALPHA_MONOLITHIC, GALPHA_SEQUENTIAL };
enum { GALPHA_AT_EITHER, GALPHA_AT_FREE, GALPHA_AT_START, GALPHA_AT_FORECAST, GALPHA_AT_END };

typedef struct galpha_params {
    double rho_inf;
    int newton, activate, iterations;
    bool restart;
    ss_cone_options cone;
} galpha_params;

/* What the schemes of this folder differ in. */
typedef struct galpha_kind {
    bool friction;   /* contacts may have it                                                                        */
    bool at_once;    /* Newton's method may go on everything at once (monolithic.c)                                 */
    bool velocities; /* joints and contacts are solved at velocity level, too; false: velocities follow from positions */
    bool implicit;   /* gaps are complementary to nu - h Lam [BAC14 eq. 25, 27], not to nu                          */
} galpha_kind;

/* [BAC14 eq. 31] */
typedef struct galpha_rule {
    double alpha_m, alpha_f, gamma, beta;
} galpha_rule;

/* Accelerations are kept apart by what causes them, for the ledger: the classes of forces, then the joints. */
enum { GALPHA_OF_JOINTS = SS_FORCE_CLASSES, GALPHA_KINDS };

/* What goes from step to step: views of the private state. */
typedef struct galpha_history {
    double *h;    /* length of the last substep, < 0: accelerations begin anew; 0: there was none */
    double *rate; /* GALPHA_KINDS x nv: accelerations where it ended        */
    double *mean; /* GALPHA_KINDS x nv: its pseudo-accelerations a          */
    double *lam;  /* nj: forces of the joints where it ended                */
} galpha_history;

/* Unknowns of a contact of the survey at velocity level: normal and tangents, rolling, spinning. */
enum { GALPHA_ROLLING = 3, GALPHA_SPINNING = 5, GALPHA_ROWS = 6 };

/* The unknowns of a substep: views of one vector. */
typedef struct galpha_unknowns {
    double *v_free;   /* nv                                                       */
    double *lam;      /* nj: smooth forces of the joints                          */
    double *U;        /* nv: displacement from q_free to q                        */
    double *nu_joint; /* nj: its multipliers                                      */
    double *nu;       /* one for each contact of the survey                       */
    double *v;        /* nv                                                       */
    double *lam_jump; /* nj: impulses of the joints besides h lam                 */
    double *r;        /* GALPHA_ROWS for each contact of the survey: its impulse and its moments (galpha_slot) */
    double *agreed;   /* as many: by what the solver has changed offsets that disagree by round-off (problem/sharing.h) */
} galpha_unknowns;

typedef struct galpha_start {
    double t, *q, *v;
    ss_config here;
    double *u;            /* normal velocity of each contact of the survey, driven bodies as at that instant */
    double *rate, *mean;  /* nv: sums over their kinds                                                       */
    double *mean_by_kind; /* GALPHA_KINDS x nv: those of the history, for the length of this substep         */
} galpha_start;

/* What the unknowns make of the end of the substep. */
typedef struct galpha_end {
    double *rate, *mean;    /* nv                                                                */
    double *way;            /* nv: from the start to q_free                                      */
    double *q_free, *q;     /* nq                                                                */
    ss_config free, at;     /* there                                                             */
    double *force, *total;  /* SS_FORCE_CLASSES x nv; nv                                         */
    double *gap_free, *gap; /* of each contact of the survey, at q_free and q                    */
    bool *counts;           /* of each contact of the survey: it has a gap, and lies on its features at q */
    bool *held;             /* of each contact of the survey: it counts wherever it goes in this substep */
    int *closings;          /* of each contact of the survey: how often it has closed while Newton's method iterates */
} galpha_end;

/* Second derivatives of joints and contacts, and transposed rows, for the matrix of everything (monolithic.c). */
typedef struct galpha_matrices {
    ss_pattern pattern;                      /* of what contacts couple                                 */
    ss_csr position_joints, velocity_joints; /* d(G' nu_J)/dq, d(G' Lam)/dq                             */
    ss_csr position_contacts;                /* d(H_N' nu)/dq */
    ss_csr velocity_contacts;                /* d(H' r)/dq                                              */
    ss_csr joint_rates, contact_rates;       /* d(G v')/dq, d(H v')/dq                                  */
    ss_csr normals, contacts;                /* H_N', H'                                                */
} galpha_matrices;

/* Newton's method on the substep. */
typedef struct galpha_newton {
    double position_tol; /* of the unit: gaps and joint errors below this are round-off      */
    double residual;     /* of the smooth motion at the point                         */
    double displaced;    /* of the balance of displacements there */
    double balance;      /* the largest but for gaps and joint errors                 */
    double reached;      /* residual where Newton's method has ended                  */
    int spent;           /* points measured for this substep */
    bool wedged;         /* the problem of positions has had no solution                     */
    bool relaxed;        /* that of velocities has had none                                  */
    bool rough;          /* a solution is not wanted to the last digit: what friction moves positions by is not known yet */
    bool at_once;        /* the guess led to the solution by Newton's method on everything at once */
    bool converged;
} galpha_newton;

typedef struct galpha {
    /* constant in a step */
    ss_context *ctx;
    const galpha_params *p;
    const galpha_kind *kind;
    galpha_rule rule;
    ss_vicinity *around;
    ss_assembly *position, *velocity; /* the problems of both levels, with rows at q             */
    ss_residual_work *certificate;
    ss_kkt *kkt;           /* of accelerations at the start; of rows that depend on others        */
    bool *left_out;        /* nj: joint rows that depend on others; NULL: joints have no loops   */
    bool *redundant;       /* nj: those of them that do wherever the joints are satisfied        */
    ss_block_factor inner; /* of the scale of both problems, which is M where everything has mass   */
    ss_row_scales scales;  /* of joint rows                                                      */
    ss_row_shares shares;
    ss_sparse_lu *lu;
    ss_csr k_q, k_v, K, R, T, S; /* derivatives of forces and joints; G'; the matrix              */
    galpha_matrices of;
    ss_contact_cache found; /* solutions of both problems so far                             */
    /* changes in a step */
    ss_stepper *s;
    double h;       /* length of the substep */
    double longest; /* the next one should not be longer: this one had to be made shorter */
    galpha_history history;
    galpha_start start;
    galpha_end end;
    ss_active gapped, active; /* contacts of the two problems */
    double *push;             /* nv: (h/2) H_T' r_T, what friction moves positions by            */
    galpha_newton newton;
    double *point; /* the unknowns                 */
    ss_met met;
    double *lack;    /* nv: galpha_displacement_lack */
    double *scratch; /* nv */
} galpha;

/* ---- galpha_ggl.c: what the entries of the registry are made of ------------------------------------------ */
ss_status galpha_create(ss_stepper *s, const galpha_kind *kind, void **work); /* there is no past: a private state of zeros */
void galpha_destroy(ss_context *ctx, void *work);
int galpha_state_size(const ss_model *m, const void *params);
ss_status galpha_step(ss_stepper *s, double h);

/* functions of an entry, with its own `create` */
#define GALPHA_FUNCTIONS(create_)                                                                                                \
    .scheme_state_size = galpha_state_size, .create = create_, .destroy = galpha_destroy, .step = galpha_step

/* options that entries have in common */
#define GALPHA_RHO_INF                                                                                                           \
    SS_OPTION_NUMBER(                                                                                                            \
        galpha_params, rho_inf, 0.8, 0, 1,                                                                                       \
        "spectral radius at infinite frequency: 1 keeps the energy of all vibrations, 0 damps fast ones out in a step")
#define GALPHA_ACTIVATE(default_)                                                                                                \
    SS_OPTION_CHOICE(                                                                                                            \
        galpha_params, activate, default_, "either|free|start|forecast|end",                                                     \
        "positions that tell which contacts are closed at velocity level: free, those without contact; start; forecast, "        \
        "those that the old velocity leads to; end; either, free or end")
#define GALPHA_ITERATIONS                                                                                                        \
    SS_OPTION_INT(galpha_params, iterations, 30, 1, 1000, "most Newton iterations before the step is halved")

/* A substep that is longer than the one before by more than this begins with new accelerations (rule.c); one that follows a
 * substep that had to be made shorter is not. */
#define GALPHA_LONGER 2.0

/* ---- rule.c: the difference formulae ---------------------------------------------------------------- */
galpha_rule galpha_rule_of(double rho_inf);
int galpha_history_size(const ss_model *m);
galpha_history galpha_history_in(const ss_model *m, double *state);
/* Accelerations of the start, from the forces and joints there. */
ss_status galpha_history_begin(galpha *x);
/* Pseudo-accelerations of the start, for a substep of length x->h. */
void galpha_start_means(galpha *x);
/* By how much the velocity, and the acceleration, of the end change per displacement there [BAC14 eq. 52]. */
double galpha_velocity_per_way(const galpha *x);
double galpha_rate_per_way(const galpha *x);
/* Of v_free: the acceleration and pseudo-acceleration of the end, and the way there. */
void galpha_difference(galpha *x, const double *v_free);
/* v_free whose acceleration at the end is that of the start; or v where that would lead far, as stiff forces do, which turn round
 * within the step. */
void galpha_predict(const galpha *x, double *v_free);
/* h times the mean of pseudo-accelerations, of one kind, over the substep, from those of the acceleration `rate` at its end;
 * *mean: the pseudo-acceleration of the end. */
double galpha_gain(const galpha *x, double rate_before, double rate, double mean_before, double *mean);

/* ---- newton.c --------------------------------------------------------------------------------------- */
/* Solve a substep of length h, as far as that goes: x->newton.converged. */
ss_status galpha_solve(galpha *x, double h);

/* ---- point.c: the equations at a point -------------------------------------------------------------- */
int galpha_unknowns_count(const galpha *x);
galpha_unknowns galpha_unknowns_in(const galpha *x, double *vector);
/* Positions of the end, and which contacts belong to the two problems. */
ss_status galpha_place(galpha *x, const galpha_unknowns *z);
/* All that is needed to measure or improve a point; *residual: by how much it fails the equations. */
ss_status galpha_measure(void *user, const double *point, double *residual, uint64_t *branch);

/* ---- dependent.c: joint rows that are left out ----------------------------------------------------------- */
ss_status galpha_dependent_create(galpha *x, int nj);
/* Rows of redundant joints, those of a substep that begins; its accelerations are at hand. */
ss_status galpha_dependent_begin(galpha *x);
/* These alone are left out of the rows that are taken next. */
void galpha_dependent_recall(galpha *x);
/* Those, too, that depend on others at the rows of positions at hand. */
ss_status galpha_dependent_find(galpha *x);

/* ---- levels.c: the problems of positions and velocities ---------------------------------------------- */
/* Rows at the end. */
ss_status galpha_rows_position(galpha *x);
ss_status galpha_rows_velocity(galpha *x);
/* Where the impulse of contact k of the problem of velocities stands among the unknowns r: moments are with their hosts. */
int galpha_slot(const galpha *x, int k);
/* The first row of contact k whose impulse moves positions by h/2 of it: friction, moments, and motors of limited force. */
int galpha_first_push(const ss_problem *v, int k);
/* x->push from the impulses of friction, with the rows of velocities at hand. */
void galpha_find_push(galpha *x, const galpha_unknowns *z);
/* v = v_free + W, where W follows from U, and no joint or contact is solved at velocity level. */
void galpha_follow_positions(const galpha *x, galpha_unknowns *z);
/* Right sides; shift: displacement that the smooth motion adds before the problem is solved, NULL: none. */
ss_status galpha_pose_position(galpha *x, const galpha_unknowns *z, const double *shift);
ss_status galpha_pose_velocity(galpha *x, const galpha_unknowns *z);
/* The offsets of velocities, after that, as the solution has them. */
void galpha_agree_velocity(galpha *x, const galpha_unknowns *z);
/* The unknowns as solutions of the two problems; and back. */
void galpha_fill_position(galpha *x, const galpha_unknowns *z);
void galpha_fill_velocity(galpha *x, const galpha_unknowns *z);
/* G' nu_J + H_N' nu + b - M U, b that of the problem of positions, after galpha_fill_position. */
const double *galpha_displacement_lack(const galpha *x, const galpha_unknowns *z);
ss_status galpha_solve_position(galpha *x, galpha_unknowns *z);
ss_status galpha_solve_velocity(galpha *x, galpha_unknowns *z);

/* Is row i of the joints without a multiplier of its own in the smooth motion? */
static inline bool galpha_leaves_out(const galpha *x, int i)
{
    return !x->kind->velocities || (x->position->redundant && x->position->redundant[i]);
}

/* ---- smooth.c --------------------------------------------------------------------------------------- */
/* Momentum that the smooth motion lacks at the point: out[nv] = h f + h G' lam - M h rate. */
void galpha_smooth_lack(const galpha *x, const galpha_unknowns *z, double *out);
/* Derivatives of the forces, and of the rows of the joints with lam and v~, at the point: k_q, k_v, K, R, and T = G'. */
ss_status galpha_smooth_derivatives(galpha *x, const galpha_unknowns *z);
/* Newton's step for v_free and lam with contacts as they are; *found false: the matrix is singular. */
ss_status galpha_smooth_improve(galpha *x, const galpha_unknowns *z, galpha_unknowns *to, bool *found);

/* One Newton iteration of either method, by a function that knows the unknowns. It may be interrupted. */
typedef ss_status galpha_method(galpha *x, const galpha_unknowns *from, galpha_unknowns *to, bool *found);
ss_status galpha_improve_by(galpha *x, galpha_method *method, const double *point, double *target, bool *found);

/* ---- sequential.c: Algorithm 1 ---------------------------------------------------------------------- */
ss_status galpha_improve_sequential(void *user, const double *point, double *target, bool *found);

/* ---- monolithic.c: the semi-smooth Newton method ------------------------------------------------------ */
/* Has an island more rows of contacts and joints, those of the problem of velocities at hand, than velocities? */
ss_status galpha_is_overdetermined(galpha *x, bool *out);
ss_status galpha_improve_monolithic(void *user, const double *point, double *target, bool *found);

/* ---- account.c: what is reported ---------------------------------------------------------------------- */
/* Report the substep whose unknowns are the point, and remember it. */
ss_status galpha_report(galpha *x);

/* of n numbers; there may be none, and no memory for them */
static inline void galpha_copy(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static inline void galpha_clear(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = 0;
    }
}

#endif
