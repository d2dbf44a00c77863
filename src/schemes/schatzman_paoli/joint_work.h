/* joint_work.h - joints that work because a step is too long for them. */
#ifndef SS_JOINT_WORK_H
#define SS_JOINT_WORK_H

#include "kernels/assembly.h"

/* A substep from the velocity w of the last one, to the solution of its problem `a`. */
typedef struct ss_joint_motion {
    const ss_model *model;
    const ss_assembly *a;
    const ss_blockdiag *mass; /* at its start                */
    const double *factor;     /* its Cholesky factor         */
    const double *w;
    const double *impulse; /* classes x nv: of the forces  */
    double h;
} ss_joint_motion;

/* Do the joints of some bodies give or take more than SS_TOL_BOUNCE of the energies at hand? These are the kinetic energies
 * before and after, and that of the impulses of the forces. */
ss_status ss_joint_work_look(const ss_joint_motion *x, ss_arena *arena, bool *found);

#endif
