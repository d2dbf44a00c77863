/* jump.h - a change of velocity that a scheme makes of its own accord, entered in the ledger. */
#ifndef SS_JUMP_H
#define SS_JUMP_H

#include "kernels/stepper.h"

/* Report that velocities change from v0 to v1 at (t, q), by an impulse M (v1 - v0) of the given kind. Nothing is reported where
 * they are the same. */
ss_status ss_jump_report(ss_stepper *s, ss_impulse kind, double t, const double *q, const double *v0, const double *v1);

#endif
