/* separation.h - positions are put where nothing overlaps; velocities stay. */
#ifndef SS_SEPARATION_H
#define SS_SEPARATION_H

#include "kernels/vicinity.h"

typedef struct ss_separation ss_separation;

/* What is to be put apart. */
typedef struct ss_overlapping_state {
    double t;
    double *q;       /* nq, in/out                                                   */
    const double *v; /* nv: for the report                                           */
    double touch;    /* an overlap below this, relative to its unit, is none         */
    double e;        /* contacts of more restitution are left alone; 1: none are     */
} ss_overlapping_state;

ss_status ss_separation_create(ss_context *ctx, const ss_model *m, ss_separation **out);
void ss_separation_destroy(ss_context *ctx, ss_separation *x);
/* Does the start of this survey overlap? */
bool ss_separation_is_due(const ss_overlapping_state *what, const ss_model *m, const ss_vicinity *around);
/* Where nothing overlaps, nothing is done. Otherwise q moves, and the last problem is reported. An overlap that no
 * displacement removes stays, and the step has the remark SS_REMARK_OVERLAP. */
ss_status ss_separation_apply(ss_separation *x, ss_stepper *s, const ss_overlapping_state *what);

#endif
