/* bounded.c - H' r of the rows whose impulse is bounded on both sides. Cost: linear in their entries. */
#include "problem/bounded.h"

#include <slipstick/registry.h>

void ss_bounded_add(const ss_problem *p, double weight, const double *r, double *momentum)
{
    for (int k = 0; k < p->nc; k++) {
        const int row = p->row[k];
        if (p->law[k] == SS_LAW_BOUNDED) {
            for (int e = p->H.p[row]; e < p->H.p[row + 1]; e++) {
                momentum[p->H.i[e]] += weight * p->H.x[e] * r[row];
            }
        }
    }
}
