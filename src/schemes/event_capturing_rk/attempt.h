/* attempt.h - a Runge-Kutta step over a phase of motion whose length is still to be found: its end as a function of the length,
 * and whether the contacts of the phase keep their contact modes there.
 *
 * An attempt is made for every step, of the step's arena. What it works with is the caller's. */
#ifndef SS_TRIAL_H
#define SS_TRIAL_H

#include "kernels/modes.h"
#include "schemes/event_capturing_rk/stages.h"

/* Whether the contacts of the phase keep their contact modes at the end of an attempt. */
typedef struct ss_verdict {
    bool known;
    bool solved;    /* there are accelerations                                            */
    bool regular;   /* the equations of the phase determine them: they are in `a`         */
    double release; /* fastest relative acceleration at which a contact comes off or begins to slip */
    double *a, *multiplier;
    bool *slides; /* contacts of the phase whose friction opposes their slip              */
} ss_verdict;

typedef struct ss_attempt {
    /* given */
    ss_stepper *s;
    ss_stages *stages;
    ss_phase *phase;     /* is evaluated at the end of the attempt                              */
    ss_modes *modes;     /* where judged: the contact problem of accelerations there          */
    const double *q, *v; /* the start                                                         */
    double least;        /* where longer ones have no end, lengths down to this are tried      */
    /* its end */
    double t;              /* of the start                                                    */
    double length;         /* < 0: nothing was tried                                          */
    bool found;            /* there is an end                                                 */
    double *q_end, *v_end; /* projected onto joints and closed contacts                       */
    double *v_raw;         /* not projected                                                   */
    ss_config end;
    ss_verdict verdict; /* on it                                                               */
} ss_attempt;

/* A step begins; what is given has been set. */
ss_status ss_attempt_begin(ss_attempt *x);
/* The phase is a new one and begins at t: nothing has been tried. */
ss_status ss_attempt_start(ss_attempt *x, double t);
/* Try the length h. */
ss_status ss_attempt_to(ss_attempt *x, double h);
/* Try the length h, then h/2, h/4, .. until there is an end, or a length below the least has failed. */
ss_status ss_attempt_within(ss_attempt *x, double h);
/* Find the verdict of the attempt's end. */
ss_status ss_attempt_judge(ss_attempt *x);

#endif
