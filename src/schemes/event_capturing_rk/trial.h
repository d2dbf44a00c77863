/* trial.h - a Runge-Kutta step over a phase of motion whose length is still to be found: its end as a function of the length,
 * and whether the contacts of the phase go on holding there.
 *
 * A trial is made for every step, of the step's arena. What it works with is the caller's. */
#ifndef SS_TRIAL_H
#define SS_TRIAL_H

#include "schemes/event_capturing_rk/modes.h"
#include "schemes/event_capturing_rk/stages.h"

/* Whether the contacts of the phase go on holding at the end of a trial. */
typedef struct ss_verdict {
    bool known;
    bool solved;    /* there are accelerations                                            */
    bool regular;   /* they are determined by the equations of the phase: a               */
    double release; /* fastest relative acceleration at which a contact comes off or begins to slip */
    double *a, *multiplier;
    bool *slides; /* contacts of the phase whose friction opposes their slip              */
} ss_verdict;

typedef struct ss_trial {
    /* given */
    ss_stepper *s;
    ss_stages *stages;
    ss_phase *phase;     /* is evaluated at the end of the trial                              */
    ss_modes *modes;     /* where judged: the contact problem of accelerations there          */
    const double *q, *v; /* the start                                                         */
    /* its end */
    double t;              /* of the start                                                    */
    double length;         /* < 0: nothing was tried                                          */
    bool found;            /* there is an end                                                 */
    double *q_end, *v_end; /* projected onto joints and closed contacts                       */
    double *v_raw;         /* not projected                                                   */
    ss_config end;
    ss_verdict verdict; /* on it                                                               */
} ss_trial;

/* A step begins; what is given has been set. */
ss_status ss_trial_begin(ss_trial *x);
/* The phase is a new one and begins at t: nothing has been tried. */
ss_status ss_trial_start(ss_trial *x, double t);
/* Try the length h. */
ss_status ss_trial_to(ss_trial *x, double h);
/* Try h, halved until there is an end; `least`: no more if below. */
ss_status ss_trial_within(ss_trial *x, double h, double least);
/* Find the verdict of the trial's end. */
ss_status ss_trial_judge(ss_trial *x);

#endif
