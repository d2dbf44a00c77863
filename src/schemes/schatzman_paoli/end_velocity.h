/* end_velocity.h - the velocity at the end of a step whose own velocity is the mean one. */
#ifndef SS_END_VELOCITY_H
#define SS_END_VELOCITY_H

#include "kernels/assembly.h"

/* What the second half of a step does to the velocity. */
typedef struct ss_half_step {
    const ss_config *end;           /* where it ends, its drive that of the instant          */
    const ss_contact_set *contacts; /* which[0..n-1] of them are pressed, or motors           */
    const int *which;
    int n;
    ss_friction friction;
    double time;           /* half of the step                                       */
    const double *impulse; /* classes x nv: impulses by class of the last momentum balance; the cached r belongs to it, too */
    double part;           /* fraction of these impulses that acts within `time`     */
} ss_half_step;

/* v from the mean velocity w; w itself where there is no solution. */
ss_status ss_end_velocity(ss_assembly *a, ss_stepper *s, const ss_half_step *half, const double *w, double *v);

#endif
