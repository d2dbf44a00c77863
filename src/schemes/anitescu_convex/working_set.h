/* working_set.h - which contacts of the survey the convex program of a step has. */
#ifndef SS_WORKING_SET_H
#define SS_WORKING_SET_H

#include "kernels/euler.h"

typedef struct ss_working_set {
    ss_euler *euler; /* its list of active contacts is the set        */
    ss_csr *rows;    /* scratch                                       */
    double epsilon;  /* contacts with a larger gap are left out       */
} ss_working_set;

/* Those that the program of a step of length h begins with. */
ss_status ss_working_set_begin(const ss_working_set *w, double h);
/* Add those that the last solution violates, and those that overlap at its end, which is put into euler->there. *more: there are
 * any. */
ss_status ss_working_set_add(const ss_working_set *w, double h, bool *more);

#endif
