/* impact_energy.h - do impacts of a substep create energy because rows turn within it? */
#ifndef SS_IMPACT_ENERGY_H
#define SS_IMPACT_ENERGY_H

#include "kernels/passing.h"

/* A substep whose problem of velocities has just been solved. */
typedef struct ss_struck {
    const ss_stepper *s;
    const ss_assembly *a; /* the problem and its solution                     */
    const ss_vicinity *around;
    const int *which;      /* its contacts among those of the survey          */
    const ss_config *here; /* the start                                       */
    const double *v;       /* nv: velocities there                            */
    double h;
    bool resting; /* contacts that rest are asked, too, where their shapes move far: not with rows of the end, along which the
                     velocity before always leaves a body that turns */
} ss_struck;

/* allowed: part of an approach speed by which rows that turn may change it; whirling: only contacts of bodies that turn too far
 * within the substep are asked. */
ss_status ss_impacts_create_energy(const ss_struck *x, double allowed, bool whirling, bool *any);

#endif
