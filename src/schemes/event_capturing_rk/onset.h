/* onset.h - from a state to the phase of motion that begins there.
 *
 *     what touches and approaches collides                            impacts by Newton's law
 *     what is at rest in its normal is closed, motors always          {g = 0, u_N = 0}
 *     its contact mode: the old one if its forces obey the laws, else by the contact problem of accelerations    [Aca09 eq. 72]
 *
 * An onset is made for every step, of the step's arena. What it works with is the caller's. */
#ifndef SS_ONSET_H
#define SS_ONSET_H

#include "kernels/modes.h"
#include "kernels/vicinity.h"
#include "schemes/event_capturing_rk/phase.h"

/* How a contact of the survey stands when the phase begins. */
typedef enum ss_standing {
    SS_STANDS_APART,
    SS_STANDS_REBOUNDING, /* touches and goes away                              */
    SS_STANDS_LEAVING,    /* touches, at rest, and its acceleration lifts it    */
    SS_STANDS_CLOSED,
} ss_standing;

/* Contacts that an event was about. */
typedef struct ss_noted {
    ss_contact_id *id;
    int n;
} ss_noted;
typedef struct ss_event_notes {
    bool any;         /* there is an event                                                        */
    ss_noted lost;    /* contacts that have left their faces, even if round-off shows them closed */
    ss_noted stopped; /* contacts whose slip has come to rest                                     */
} ss_event_notes;

/* The choice of a contact mode for every closed contact: data of the problem that decides it, and its result. */
typedef struct ss_choice {
    bool solved;            /* there are accelerations                                             */
    bool persists;          /* everything goes on as before                                        */
    int *which;             /* contacts of the survey that the problem has                         */
    bool *slides;           /* the same: friction opposes their slip                               */
    double *a, *multiplier; /* of a phase that is tried                                            */
} ss_choice;

/* The contact modes of a phase. */
typedef struct ss_phase_modes {
    int n;
    ss_contact_id *id;
    ss_contact_mode *mode;
} ss_phase_modes;

typedef struct ss_onset {
    /* constant in a step */
    ss_stepper *s;
    ss_vicinity *around;
    ss_phase *phase;       /* becomes the phase that begins                                    */
    ss_modes *modes;       /* becomes the contact problem of accelerations                     */
    ss_assembly *touching; /* scratch                                                          */
    double accumulation;   /* of a contact's unit: flights after an impact that rise less are left out  */
    /* changes in a step */
    double *q, *v;       /* the state; impacts change v                                      */
    ss_event_notes last; /* of the event at which the phase begins */
    double t;
    ss_config here;
    ss_standing *stands; /* of the contacts of the survey                                      */
    double *pressed;     /* acceleration that forces and motors give to their mechanism; 0: no joint holds anything, or apart */
    int *in_phase;       /* their places in the phase, -1: none                                */
    double *rise;        /* rebounding: speed; leaving: half the acceleration                  */
    bool impacted;       /* something has collided                                             */
    double steady;       /* time in which slip that turns changes by a small part of itself    */
    ss_choice choice;
    ss_phase_modes before; /* of the phase before; n = -1: none was                                  */
} ss_onset;

static inline const ss_contact *ss_onset_contact(const ss_onset *x, int k) { return &x->around->near.c[k]; }
static inline double ss_onset_unit(const ss_onset *x, int k) { return ss_contact_unit(x->s->model, ss_onset_contact(x, k)); }
static inline bool ss_onset_is_motor(const ss_onset *x, int k) { return ss_onset_contact(x, k)->id.kind == SS_CONTACT_MOTOR; }

/* A step begins; what is given has been set. */
ss_status ss_onset_begin(ss_onset *x);
/* The phase that begins at t, when contacts are surveyed that may close within h. Reports impacts, accumulations, and what
 * sticks, slips or comes off unlike before. *found false: accelerations do not say what happens. */
ss_status ss_onset_find(ss_onset *x, double t, double h, bool *found);
/* Report an event of a contact, now. */
ss_status ss_onset_report(ss_onset *x, ss_event_kind kind, const ss_contact *contact);
/* Report what sticks, slips or comes off unlike before, and remember the phase. */
ss_status ss_onset_report_changes(ss_onset *x);
/* Speed of the fastest body, where a rate of turn counts as its speed at the distance of the model's length: the scale of the
 * round-off of speeds. */
double ss_onset_fastest(const ss_onset *x);

#endif
