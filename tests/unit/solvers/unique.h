/* unique.h - velocities that are unique, found twice, and how far apart they may be. */
#ifndef SS_TEST_UNIQUE_H
#define SS_TEST_UNIQUE_H

#include "unit/solvers/solve_by.h"

static inline double distance(int n, const double *a, const double *b)
{
    double off = 0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
    }
    return off;
}

/* tol 1e-12 times the stretch between impulses and velocities in nearly dependent contacts. One system in a thousand is jammed so
 * that the stretch is larger, or that one of the two methods does not get to the end. */
static const double SAME = 1e-8;

#endif
