/* extrapolation.h - one step of a small smooth system  y' = f(t, y)  to round-off, of any length up to the one that its
 * own error estimate allows. */
#ifndef SS_EXTRAPOLATION_H
#define SS_EXTRAPOLATION_H

#include "base/base.h"

enum { SS_ODE_MAX = 8 };

typedef struct ss_ode {
    int n;    /* <= SS_ODE_MAX                                            */
    int mode; /* handed to `rate`: which of the user's equations hold now */
    void (*rate)(const void *user, int mode, double t, const double *y, double *out);
    const void *user;
    double scale[SS_ODE_MAX]; /* errors are relative to these */
} ss_ode;

/* d = y(t + h) - y(t) for y(t) = y: accurate relative to d itself where h is short. Returns the estimated error relative
 * to the scale; INFINITY if anything was not finite. Takes at most 37 evaluations, far fewer where h is short. */
double ss_ode_step(const ss_ode *ode, double t, const double *y, double h, double *d);
/* The same with *h halved until the error is below 1e-15 of the scale, and such that t + *h is free of rounding. */
ss_status ss_ode_longest_step(ss_context *ctx, const ss_ode *ode, double t, const double *y, double *h, double *d);

#endif
