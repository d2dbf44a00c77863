/* theta.h - Moreau's time stepping with a theta method: what `moreau` and `moreau_projected` share. */
#ifndef SS_THETA_H
#define SS_THETA_H

#include "kernels/impulses.h"
#include "kernels/projection.h"
#include "kernels/vicinity.h"

typedef struct ss_theta_params {
    double theta, gamma;
    ss_cone_options cone;
    int at, average, rows, iterations;
    bool project;
} ss_theta_params;

extern const ss_field ss_theta_fields[];
/* Numbers kept with every contact in the contact cache. A scheme that uses this kernel declares them as its `contact_numbers`. */
extern const ss_contact_numbers ss_theta_numbers;

typedef struct ss_theta ss_theta;

/* Moves the positions q[nq] at the end of a substep, at time t with velocities v; reports what it solves. */
typedef ss_status ss_theta_correct(void *user, ss_stepper *s, double t, double *q, const double *v);

/* Refuses what ss_friction_check refuses. Impacts: Newton's law, whatever a pair asks for. */
ss_status ss_theta_create(ss_stepper *s, const ss_theta_params *params, ss_theta **out);
void ss_theta_destroy(ss_context *ctx, ss_theta *x);
/* A step over h; correct NULL: positions stay where the velocities take them. */
ss_status ss_theta_step(ss_theta *x, ss_stepper *s, double h, ss_theta_correct *correct, void *user);
/* Advance s->next, whose q and v are those of time t, by h: a substep of another scheme's step. */
ss_status ss_theta_continue(ss_theta *x, ss_stepper *s, double t, double h, ss_theta_correct *correct, void *user);
/* What a scheme that leaves overlaps of this order in h has with these options. */
ss_order ss_theta_order(const ss_theta_params *params, double overlap);

#endif
