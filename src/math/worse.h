/* worse.h - the larger of two errors. fmax and plain comparisons drop a NaN; this keeps it. */
#ifndef SS_WORSE_H
#define SS_WORSE_H

#include <math.h>

/* a NaN in either stays */
static inline double ss_worse(double a, double b) { return a >= b || isnan(a) ? a : b; }

#endif
