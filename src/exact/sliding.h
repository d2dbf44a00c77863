/* sliding.h - a block that moves along a line of a rough plane and does not turn: what slide and stick_slip share. */
#ifndef SS_SLIDING_H
#define SS_SLIDING_H

#include "exact/exact.h"

/* Functions of an ss_exact_type. `swing`: a sinusoid that pushes the body at its centre; NULL: gravity alone. */
ss_status ss_sliding_create(const ss_exact *x, const ss_force *swing, void **data);
void ss_sliding_destroy(ss_context *ctx, void *data);
ss_status ss_sliding_at(const ss_exact *x, double t, int side, double *q, double *v);
double ss_sliding_next_kink(const ss_exact *x, double t);

#endif
