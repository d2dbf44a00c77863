/* substep.h - a substep of the trapezoidal scheme: the contact problem over its length, and the path that its solution is. */
#ifndef SS_TRAPEZOIDAL_SUBSTEP_H
#define SS_TRAPEZOIDAL_SUBSTEP_H

#include "kernels/modes.h"
#include "kernels/passing.h"
#include "kernels/projection.h"
#include "kernels/vicinity.h"
#include "problem/kkt.h"
#include "schemes/trapezoidal/forces.h"

/* Numbers kept with every contact from substep to substep. */
enum {
    SS_TRAP_HELD_GAP, /* bound on the gap that it may have while it presses; 0: it does not press            */
    SS_TRAP_MODE,     /* an ss_trap_mode                                                                     */
    SS_TRAP_DUE,      /* 1: its mode may be another one in the next substep; 0: a change will be located     */
    SS_TRAP_LOAD,     /* mean normal force                                                                   */
    SS_TRAP_SLACK,    /* mean of what friction leaves of its bound, a force                                  */
    SS_TRAP_SPAN,     /* time over which these are means; 0: there are none                                  */
    SS_TRAP_NUMBERS
};
extern const ss_contact_numbers ss_trap_numbers;

/* How a contact of the problem moves, by its velocities: which impulses they come from does not matter. */
typedef enum ss_trap_mode { SS_TRAP_UNKNOWN, SS_TRAP_OPENS, SS_TRAP_SLIPS, SS_TRAP_STICKS } ss_trap_mode;

typedef struct ss_trap_params {
    int variant, averaged, detect, project, jacobian;
    ss_cone_options cone;
    int restitution, max_events;
    double threshold;
} ss_trap_params;

enum { SS_TRAP_ON, SS_TRAP_OFF };                                             /* of averaged and detect */
enum { SS_TRAP_PROJECT_AUTO, SS_TRAP_PROJECT_NEVER, SS_TRAP_PROJECT_ALWAYS }; /* of project           */

/* Where a substep starts: the state being built. */
typedef struct ss_trap_start {
    double t, *q, *v;
    ss_config here;
} ss_trap_start;

/* The problem that was solved last. */
typedef struct ss_trap_solved {
    double h;     /* its length; 0: there is none             */
    int contacts; /* how many were active                     */
    double *v;    /* nv: its velocity                         */
    double *dv;   /* nv: by how much that is another than at the start */
    double *turn; /* nr: half a substep's change of the velocity of a row that does not come from that of v */
    bool *leaves; /* nc: it did not press before, and separated at the start */
    bool relaxed; /* it had no solution as it was posed       */
    bool whirls;  /* bodies turn by so much that velocities do not change evenly: its inside is not its path */
    bool stiff;   /* it, or one before it from the same start, has vibrations that its length does not resolve */
} ss_trap_solved;

/* A point of its path. */
typedef struct ss_trap_end {
    double length, *q, *v;
    double *v_mean; /* nv: that leads there */
    bool joints_satisfied;
} ss_trap_end;

/* The joints where a substep ends: positions are projected onto them, velocities onto their tangents. */
typedef struct ss_trap_joints {
    ss_projection *projection;
    bool project; /* in this step */
    ss_assembly *rows;
    ss_kkt *tangents;
} ss_trap_joints;

/* Where slip begins or ends, or a contact comes off (changes.c). */
typedef struct ss_trap_change {
    ss_modes *modes;    /* contact problem of accelerations                                     */
    int located;        /* changes located in this step                                         */
    int64_t iterations; /* of solvers in this step                                            */
    double at;          /* length after which the motion of the substep changes; 0: none is known */
    int jumps;          /* contact of the problem whose slip ends at once, however short the substep; -1: none */
    const bool *stops;  /* contacts of the problem that slip until the substep ends, and no longer; NULL: none */
} ss_trap_change;

typedef struct ss_trap {
    ss_context *ctx;
    const ss_trap_params *p;
    ss_stepper *s; /* of the step under way                           */
    ss_vicinity *around;
    ss_active active;
    ss_assembly *a; /* the problem of the substep                */
    ss_trap_forces *forces;
    ss_trap_joints joints;
    ss_trap_start start;
    ss_trap_solved solved;
    ss_trap_end end;
    ss_config there; /* where gaps were looked at last, or rows taken */
    double *q_rows;  /* nq: positions of the rows                     */
    ss_trap_change change;
    int stops; /* how often something that approaches slowly has been stopped where the substep starts */
} ss_trap;

ss_status ss_trap_create(ss_stepper *s, ss_trap **out);
void ss_trap_destroy(ss_context *ctx, ss_trap *x);
/* At the start of a step: its state is s->next. Arrays come from the arena of the step. */
ss_status ss_trap_begin(ss_trap *x, ss_stepper *s);
/* What may close within h; nothing is active, nothing is solved. */
ss_status ss_trap_survey(ss_trap *x, double h);
/* Does contact k of the survey, which touches and approaches, have to be stopped before the substep? One that presses has not. */
bool ss_trap_has_to_stop(const ss_trap *x, int k);
/* Does a contact move with this normal speed by more in a step than what counts as closed? */
bool ss_trap_moves(const ss_trap *x, const ss_contact *c, double speed);
/* Is contact k of the survey one that presses, whatever gap it has? */
bool ss_trap_holds(const ss_trap *x, int k);
/* x->end <- where the active contacts lead to after h: the end of the problem over h, or a point of the path of a longer one
 * that was solved with the same contacts. */
ss_status ss_trap_go(ss_trap *x, double h);
/* Solve the problem over h, whatever has been solved before. */
ss_status ss_trap_solve(ss_trap *x, double h);
/* The end of the last ss_trap_go is what happened: report it, and make it the start of what follows. */
ss_status ss_trap_accept(ss_trap *x);
/* What has been solved is of no use any more: contacts or the start have changed. */
void ss_trap_forget_solved(ss_trap *x);
/* The contact of the survey that contact k of the problem is, or is a moment of. */
int ss_trap_near(const ss_trap *x, int k);
/* Does contact k of the problem, or the host of a moment, have an impulse along its normal? */
bool ss_trap_presses(const ss_trap *x, int k);
/* Friction of contact k of the problem, or its moment, and the bound of that, both impulses. */
double ss_trap_friction(const ss_trap *x, int k);
double ss_trap_bound(const ss_trap *x, int k);
/* Numbers of contact k of the problem as the last substep has left them; NULL: it had none. */
const double *ss_trap_remembered(const ss_trap *x, int k);
/* Configuration of the end. */
void ss_trap_go_there(ss_trap *x);

#endif
