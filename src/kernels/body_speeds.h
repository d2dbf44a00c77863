/* body_speeds.h - how fast the points of each body's shapes can be within a substep. */
#ifndef SS_BODY_SPEEDS_H
#define SS_BODY_SPEEDS_H

#include "kernels/free_motion.h"
#include "kernels/stepper.h"

/* Arrays have one number for each body, about the fastest point of its shapes, but for `rates`. */
typedef struct ss_body_speeds {
    ss_context *ctx;
    const ss_model *m;
    double *radius;       /* distance from the body's origin at most, 0: no shapes          */
    double *speed;        /* now                                                            */
    double *speed_before; /* at the start of the step                                       */
    double *gain;         /* free acceleration                                              */
    double *pull;         /* the same, for a body that whirls without the gyroscopic one     */
    const double *rates;  /* nv: free accelerations, or those given                         */
    double *steady;       /* nv: the same without the gyroscopic ones, if a body whirls     */
    bool *whirls;         /* does it turn by more than SS_TOL_WHIRL in two steps?           */
    ss_free_motion *free;
} ss_body_speeds;

ss_status ss_body_speeds_create(ss_context *ctx, const ss_model *m, ss_body_speeds **out);
void ss_body_speeds_destroy(ss_body_speeds *x);
/* For bodies that move with `velocity` from `here`; given[nv]: their accelerations, NULL: those by their forces alone. */
ss_status ss_body_speeds_find(ss_body_speeds *x, const ss_stepper *s, const ss_config *here, const double *velocity,
                              const double *given);
/* The angle by which the faster of the two bodies of a contact turns in h, with velocities v at `here`. */
double ss_body_speeds_turn(const ss_model *m, const ss_config *here, const double *v, const ss_contact *c, double h);
/* How far a point of each body comes in h at most: way[bodies]; returned is the largest. */
double ss_body_speeds_ways(const ss_body_speeds *x, double h, double *way);

#endif
