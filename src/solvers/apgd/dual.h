/* dual.h - a problem with convex laws as a minimisation over impulses, in units of energy. */
#ifndef SS_DUAL_H
#define SS_DUAL_H

#include "base/base.h"
#include "problem/kkt.h"
#include <slipstick/problem.h>

/* With x_i = sqrt(d_i) r_i and g_i = u_i / sqrt(d_i), contact by contact, g = N x + p is the gradient of what the impulses of
 * convex laws minimise, joints eliminated. */
typedef struct ss_dual ss_dual;

ss_status ss_dual_create(ss_context *ctx, ss_dual **out);
void ss_dual_destroy(ss_dual *dual);
/* Take a problem; kkt has factorised it (local form: NULL). Both must live while gradients are asked for. */
ss_status ss_dual_prepare(ss_dual *dual, const ss_problem *problem, ss_kkt *kkt);

const double *ss_dual_roots(const ss_dual *dual); /* contacts: sqrt(d); 0: cannot move, must not be listed below */
/* y <- the nearest point of the set in which contact k has its x. */
void ss_dual_project(const ss_dual *dual, int k, double *y);
/* g of the listed contacts, in ascending order: all those of some islands. x and g are vectors of all rows; those of contacts
 * that are not listed must be finite in x and stay as they are in g. */
ss_status ss_dual_gradient(ss_dual *dual, int contacts, const int *contact, const double *x, double *g);

#endif
