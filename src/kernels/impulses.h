/* impulses.h - what the forces of a theta step add to the momentum, and how that depends on the velocity at its end. */
#ifndef SS_IMPULSES_H
#define SS_IMPULSES_H

#include "kernels/assembly.h"

/* A step of length h from (t, q, v). */
typedef struct ss_interval {
    double t, h, theta;
    bool ends; /* forces are those at either end, averaged; false: those at the average of the ends */
    const double *q, *v;
} ss_interval;

typedef struct ss_impulses ss_impulses;

ss_status ss_impulses_create(ss_context *ctx, const ss_model *m, ss_impulses **out);
void ss_impulses_destroy(ss_impulses *x);
/* A new step; forces are taken at its first point. Scratch comes from the arena of the step. */
ss_status ss_impulses_begin(ss_impulses *x, ss_stepper *s, const ss_interval *step);

/* Where forces are taken is told by 2 nv numbers, a point: the mean velocity that leads to the positions there, and the velocity
 * at the end of the step. The first point: nothing has moved yet, and v stays as it is. */
void ss_impulses_first(const ss_impulses *x, double *point);
void ss_impulses_reached(const ss_impulses *x, const double *v_end, double *point); /* that of a step which ends with v_end */
/* Take forces at a point of the caller's choice. */
ss_status ss_impulses_evaluate_at(ss_impulses *x, const double *point);

/* Write A and b of the momentum balance, linearised where forces were taken last: A stays block diagonal where no force depends
 * on position or velocity. The mass of `a` is that of its geometry. */
ss_status ss_impulses_linearise(ss_impulses *x, ss_assembly *a);
/* Take the impulses anew for the velocity v_end that solved the problem, at the point it has reached. *residual: what they differ
 * by from those of the problem, relative to the momenta of the step. */
ss_status ss_impulses_update(ss_impulses *x, const ss_assembly *a, const double *v_end, double *residual);
/* What that v_end differed by from the one of the point before, relative to the same momenta. */
double ss_impulses_shift(const ss_impulses *x);
/* By class, SS_FORCE_CLASSES x nv, at the velocity of the last update. */
const double *ss_impulses_by_class(const ss_impulses *x);
/* Report the segment that `a` and its solution are, with these impulses, and what the problem had beyond them as the scheme's
 * own. */
ss_status ss_impulses_report(const ss_impulses *x, ss_stepper *s, const ss_assembly *a, ss_segment segment);

#endif
