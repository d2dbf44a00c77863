/* rates.h - derivatives in time of what only a callback knows. */
#ifndef SS_RATES_H
#define SS_RATES_H

#include "base/base.h"

/* f[n] at time t + s of a motion */
typedef ss_status ss_flow_function(const void *self, double s, double *f);

enum { SS_FLOW_WORK = 5 };
/* out[n] = df/ds at s = 0 by differences; speed > 0, 1/s: of the fastest coordinate, in its own size. work[SS_FLOW_WORK * n].
 * NaN where f is not finite about s = 0. Fails where the function does. */
ss_status ss_flow_rate(ss_flow_function *function, const void *self, int n, double speed, double *work, double *out);

#endif
