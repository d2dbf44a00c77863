/* opposed.h - a contact that the joints close: no impulse of it can change that. */
#ifndef SS_OPPOSED_H
#define SS_OPPOSED_H

#include "base/base.h"
#include "problem/kkt.h"

typedef struct ss_opposed ss_opposed;

ss_status ss_opposed_create(ss_context *ctx, ss_opposed **out);
void ss_opposed_destroy(ss_opposed *x);
/* The contact that joints violate most, -1: none. v[nv] are velocities of the size that matters. Factorises kkt. */
ss_status ss_opposed_find(ss_opposed *x, ss_kkt *kkt, const ss_problem *p, const double *v, int *contact);

#endif
