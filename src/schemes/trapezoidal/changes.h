/* changes.h - where the motion within a substep changes without a collision: a slip ends or begins, a contact comes off. */
#ifndef SS_TRAPEZOIDAL_CHANGES_H
#define SS_TRAPEZOIDAL_CHANGES_H

#include "schemes/trapezoidal/substep.h"

/* How contact k of the problem that was solved last moves until the substep ends. */
ss_trap_mode ss_trap_mode_until_end(const ss_trap *x, int k);
/* *h, the length of the last ss_trap_go: until the first change within it, if there is any. */
ss_status ss_trap_find_change(ss_trap *x, double *h);
/* The same until the first slip turns to another corner of its friction polygon (corners.c). */
ss_status ss_trap_turn_slips(ss_trap *x, double *h);
/* Report contacts that have another mode in the problem that was solved last than in the substep before. */
ss_status ss_trap_report_modes(ss_trap *x);

#endif
