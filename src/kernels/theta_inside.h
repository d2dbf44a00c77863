/* theta_inside.h - a theta step under way; for theta.c and theta_contacts.c alone. */
#ifndef SS_THETA_INSIDE_H
#define SS_THETA_INSIDE_H

#include "kernels/passing.h"
#include "kernels/theta.h"
#include "problem/kkt.h"

enum { SS_THETA_AT_THETA, SS_THETA_AT_END };

/* Where a substep starts: the state being built. */
typedef struct ss_theta_start {
    double t, *q, *v;
    ss_config here;
    bool puts_back; /* positions where something overlaps are put back at the end */
} ss_theta_start;

/* Where it ends. */
typedef struct ss_theta_end {
    double *q, *v;
    bool joints_satisfied;
} ss_theta_end;

/* Contacts of the survey that were closed when the substep before ended, as lists of each body. */
typedef struct ss_theta_closed {
    int *first; /* bodies: a contact of the body; -1: none                                */
    int *next;  /* 2 n: of side i of contact k, at 2 k + i: the next one of that body     */
} ss_theta_closed;

/* Newton's method on the substep. */
typedef struct ss_theta_newton {
    double *point, *next; /* 2 nv: where forces are taken, and where the problem of that point leads to */
    int problems;         /* solved so far                          */
    bool relaxed;         /* one has had no solution: nothing is pushed back any more */
    double residual;
    ss_contact_cache found; /* the solution before the rows are moved */
} ss_theta_newton;

struct ss_theta {
    /* constant in a step */
    ss_context *ctx;
    const ss_theta_params *p;
    ss_vicinity *around;
    ss_assembly *a;      /* the problem of the substep               */
    ss_assembly *at_end; /* joints where it ends                     */
    ss_impulses *forces;
    ss_projection *joints;
    ss_kkt *tangents;
    /* changes in a step */
    ss_stepper *s; /* of the step under way */
    ss_active active;
    ss_theta_closed closed;
    ss_theta_start start;
    double h; /* length of the substep */
    ss_theta_end end;
    ss_theta_newton newton;
    ss_config there;         /* where rows are taken: at these positions, */
    double *q_rows, *v_mean; /* by this mean velocity */
};

/* theta_contacts.c: what is near at the start of a substep of length h at most; which of it takes part, for the h at hand */
ss_status ss_theta_survey(ss_theta *x, double h);
void ss_theta_forecast(ss_theta *x);
/* The gap of contact k of the survey that counts as closed. */
double ss_theta_touch(const ss_theta *x, int k);
/* Restitution of contact k of the survey; 0 if it would bounce for ever because positions are put back. */
double ss_theta_restitution(const ss_theta *x, int k);
/* Was contact k of the survey closed when the substep before ended? */
bool ss_theta_was_closed(const ss_theta *x, int k);
/* Acceleration of driven bodies along row `row` of contact k of the problem; 0 for joints and user blocks. */
double ss_theta_drive_rate(const ss_theta *x, int k, int row);
/* Remember impulses, and the gaps of the contacts that are closed now. */
ss_status ss_theta_remember(ss_theta *x);

#endif
