/* coulomb.h - slip along a line under dry friction, in closed form.
 *
 *   u' = pull + swing sin(omega t + phase) - grip sgn(u)                while u != 0
 *   u  = 0                                                              while |pull + swing sin(..)| <= grip
 *   y' = u,  y(0) = 0,  u(0) = speed                                    accelerations in m/s^2 */
#ifndef SS_COULOMB_H
#define SS_COULOMB_H

#include "base/base.h"

typedef struct ss_coulomb_phase {
    double t, y, u; /* at its beginning; t = INFINITY: it never comes */
    int side;       /* of the slip: 1, -1; 0: stuck                   */
} ss_coulomb_phase;

typedef struct ss_coulomb {
    double pull, swing, omega, phase, grip, speed; /* grip >= 0 */
    ss_coulomb_phase *list;                        /* the first phases */
    int count, capacity;
} ss_coulomb;

/* Compute and store the phases up to `until` (NAN: only the first), after the numbers have been set. Refused if there are
 * more than 100000. */
ss_status ss_coulomb_prepare(ss_context *ctx, double until, ss_coulomb *c);
void ss_coulomb_free(ss_context *ctx, ss_coulomb *c);

/* y and u at t >= 0, also after `until`, as long as no more than 100000 phases lie in between. */
ss_status ss_coulomb_at(ss_context *ctx, const ss_coulomb *c, double t, double *y, double *u);
/* The first time > t at which slip begins, ends or turns; INFINITY: none. */
double ss_coulomb_next(const ss_coulomb *c, double t);

#endif
