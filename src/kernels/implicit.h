/* implicit.h - stiff forces of an Euler step, taken at its end: they make A = M - h C - h^2 K of its problem. */
#ifndef SS_IMPLICIT_H
#define SS_IMPLICIT_H

#include "kernels/assembly.h"

/* A step of length h from (t, q, v). */
typedef struct ss_implicit_step {
    double t, h;
    const double *q, *v;
} ss_implicit_step;

typedef struct ss_implicit ss_implicit;

ss_status ss_implicit_create(ss_context *ctx, const ss_model *m, ss_implicit **out);
void ss_implicit_destroy(ss_implicit *x);
/* Are there stiff forces? If not, there is nothing to do: what follows is not to be called. */
bool ss_implicit_has_any(const ss_implicit *x);
/* At the start of a step of the scheme: scratch comes from its arena. */
ss_status ss_implicit_begin(ss_implicit *x, ss_stepper *s);
/* Linearise the stiff forces at the start of an Euler step. */
ss_status ss_implicit_linearise(ss_implicit *x, const ss_implicit_step *step);
/* After a step that was linearised was solved: are those servos at their limits at its end with which it was solved? */
bool ss_implicit_is_settled(const ss_implicit *x, const double *v_end);
/* If not: linearise it anew, with those that are. */
ss_status ss_implicit_settle(ss_implicit *x, const double *v_end);
/* Impulses by class, SS_FORCE_CLASSES x nv: those of an end without velocity, which belong to b of the problem; and what the
 * velocity v_end adds. */
void ss_implicit_add_rest(const ss_implicit *x, double *by_class);
void ss_implicit_add_end(ss_implicit *x, const double *v_end, double *by_class);
/* A and scale of a problem. Both point into this object and are valid until the next call. */
ss_status ss_implicit_put(ss_implicit *x, ss_assembly *a);
/* Mean accelerations of all bodies over a step without joints and contacts, valid until the next step is linearised. */
ss_status ss_implicit_accelerations(ss_implicit *x, const ss_implicit_step *step, const double **out);

#endif
