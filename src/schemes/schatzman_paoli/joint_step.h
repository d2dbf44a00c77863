/* joint_step.h - Newton's step of a substep whose joints hold at its end while their impulses act at its start. */
#ifndef SS_JOINT_STEP_H
#define SS_JOINT_STEP_H

#include "kernels/assembly.h"

typedef struct ss_joint_step ss_joint_step;

/* A substep of velocity w0 over h that did not close its joints. */
typedef struct ss_joint_ends {
    const ss_assembly *start; /* the problem, complete but for c of the joints; its guess r says which contacts are pressed, and
                                 which of them slip */
    const double *w0;
    double h;
    const ss_csr *G;     /* rows of the joints where w0 leads to, ..   */
    const double *g;     /* .. and their errors                        */
    const bool *by_rate; /* nj: motors, of which c is known            */
} ss_joint_ends;

ss_status ss_joint_step_create(ss_context *ctx, const ss_model *m, ss_joint_step **out);
void ss_joint_step_destroy(ss_joint_step *x); /* NULL is fine */
/* *w[nv]: a velocity that closes the joints to first order and solves the rest of the problem, if contacts do what the guess
 * says; it stays until the next call. NULL: there is none. */
ss_status ss_joint_step_find(ss_joint_step *x, const ss_joint_ends *ends, const double **w);

#endif
