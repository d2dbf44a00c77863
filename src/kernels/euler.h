/* euler.h - one linearly implicit Euler step with a given set of contacts: the piece that schemes of order one share.
 *
 *     M (v' - v) = h k + G' lam + H' r,   G v' = 0,   u = H v' + Phi/h obeys the law of friction,   q' = q (+) h v'
 *     k: springs, dampers and other stiff forces at the end of the step (implicit.h), the others where the options say
 *
 * A step of a scheme is one or more substeps of these: survey what is near, choose the active contacts, step, accept. */
#ifndef SS_EULER_H
#define SS_EULER_H

#include "base/tolerances.h"
#include "kernels/implicit.h"
#include "kernels/passing.h"
#include "kernels/projection.h"
#include "kernels/vicinity.h"

typedef struct ss_euler_options {
    ss_friction friction;
    bool ahead;       /* rows and gaps are taken at q (+) h v; false: at q                                   */
    bool force_ahead; /* forces are taken there too; false: at q. Only with `ahead`                          */
    bool implicit;    /* stiff forces are taken at the end of the step, linearised; false: as all others     */
    bool old_moves;   /* q' = q (+) h v instead of h v'                                                       */
    bool stabilise;   /* gaps in the offsets, joints projected                                                */
    int iterations;   /* most times that stabilised geometry is taken                                         */
    bool insist;      /* a stabilised problem without a solution is a fault of the step, to be reported       */
    double threshold; /* m/s: as in ss_vicinity_survey                                                        */
    /* changes laws and offsets of the problem before it is solved; NULL: nothing to do. It may be called several times. */
    void (*adjust)(void *user, ss_assembly *a);
    void *user;
} ss_euler_options;

/* Where a substep starts: the state being built. */
typedef struct ss_euler_start {
    double t, *q, *v;
    ss_config here;
} ss_euler_start;

/* Where rows were taken in the last Euler step. */
typedef struct ss_euler_guess {
    const double *q, *v;     /* the end as predicted, by that velocity       */
    bool ahead;              /* false: the start itself, by no velocity; v is NULL */
    double *room_q, *room_v; /* NULL: nothing has been predicted in this step */
} ss_euler_guess;

/* Where it has led. */
typedef struct ss_euler_end {
    double *q, *v;
    bool joints_satisfied;
    bool servos_settled; /* those are at their limits that were when it was solved */
    bool fits;           /* ss_euler_is_off was asked there, with SS_TOL_FITS, and said no */
    double overlap;      /* what it has found: the deepest, of the unit                    */
} ss_euler_end;

/* Stabilised problems of this substep that have no solution. */
typedef struct ss_euler_fault {
    bool unsolvable; /* there has been one                                                    */
    bool infeasible; /* and the last Euler step was solved without its gaps: to be reported   */
    bool blames;     /* a contact is to blame                                                 */
    ss_contact blamed;
} ss_euler_fault;

/* Forces of the last Euler step. */
typedef struct ss_euler_forces {
    ss_implicit *stiff; /* those taken at the end of the step                                  */
    double *impulse;    /* of all forces, by class: SS_FORCE_CLASSES x nv, or 2 x nv */
    bool all_classes;   /* false: gravity and gyroscopic forces alone act, and have places */
} ss_euler_forces;

typedef struct ss_euler {
    ss_context *ctx;
    ss_stepper *s; /* of the step under way */
    ss_euler_options o;
    ss_vicinity *around; /* what may close within the substep                                     */
    ss_active active;    /* contacts of `around` in the problem                                   */
    ss_assembly *a;      /* the problem of the last Euler step                                    */
    ss_projection *joints;
    ss_contact_cache latest; /* of this substep: the last solution, where the next one starts           */
    ss_euler_start start;
    ss_euler_guess guess;
    ss_euler_end end;
    ss_euler_fault fault;
    ss_config there; /* where rows were last taken, or gaps looked at                           */
    ss_euler_forces forces;
    double nonlinear; /* residual of an iteration of the scheme around this step; 0: there is none */
} ss_euler;

ss_status ss_euler_create(ss_context *ctx, const ss_model *m, ss_euler **out);
void ss_euler_destroy(ss_context *ctx, ss_euler *x);
/* At the start of a step: its state is s->next. Arrays come from the arena of the step. */
ss_status ss_euler_begin(ss_euler *x, ss_stepper *s, const ss_euler_options *options);
/* A new substep begins: the faults of the last one are cleared, and the contact cache is copied from the state. */
ss_status ss_euler_new_substep(ss_euler *x);
/* What is near; nothing is active. */
ss_status ss_euler_survey(ss_euler *x, double h);
/* A gap below this is what tolerance and round-off leave: the contact touches, and nothing is pushed back. So a stack at rest
 * poses the same problem in every step, and a wedged body does not make the problem infeasible by round-off. */
double ss_euler_touch_tolerance(const ss_euler *x, int k);
/* Step over h: the end is in x->end; with `stabilise`, rows and gaps are evaluated again at that end, at most `iterations`
 * times, while a contact overlaps there by more than a millionth of its unit. */
ss_status ss_euler_step(ss_euler *x, double h);
/* Can geometry be improved over such a substep, and do contacts overlap at its end by more than `allowed` (relative to their
 * units), than the solver's tolerance lets them, and than at the start? */
bool ss_euler_can_improve(const ss_euler *x, double h);
ss_status ss_euler_is_off(ss_euler *x, double h, double allowed, bool *off);
/* Does a body of the last Euler step turn so far within h that a contact of it creates energy, or comes back after a bounce? */
bool ss_euler_turns_too_far(const ss_euler *x, double h);
/* Tolerances for a contact of this unit: lengths that are not undone; the most of an overlap that a step undoes. */
static inline double ss_euler_dead_zone(const ss_euler *x, double unit) { return ss_stepper_touch(x->s) * unit; }
static inline double ss_euler_push_limit(double unit) { return SS_TOL_PUSH * unit; }
/* Does the last Euler step, over h, pass through something? */
ss_status ss_euler_passes(ss_euler *x, double h, ss_met *met);
/* Report the last Euler step and make its end the start of what follows. */
ss_status ss_euler_accept(ss_euler *x, double h);

#endif
