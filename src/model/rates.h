/* rates.h - what the rows of joints and contacts have in common when they are differentiated once more in time. */
#ifndef SS_RATES_H
#define SS_RATES_H

#include "model/model.h"

/* what a row takes from the acceleration of a driven body; 0 for every other body */
static inline double ss_row_drive_rate(const ss_config *c, int body, ss_vec3 lin, ss_vec3 ang)
{
    return ss_dot(lin, c->drive_rate[2 * body]) + ss_dot(ang, c->drive_rate[2 * body + 1]);
}

/* f[n] at time t + s of a motion */
typedef void ss_flow_function(const void *self, double s, double *f);

enum { SS_FLOW_WORK = 4 };
/* out[n] = df/ds at s = 0 by differences; speed >= 1/s: of the fastest coordinate, in its own size. work[SS_FLOW_WORK * n].
 * NaN where f is not finite about s = 0. */
void ss_flow_rate(ss_flow_function *function, const void *self, int n, double speed, double *work, double *out);
/* the largest |v| / max(1, |q|), at least 1 */
double ss_flow_speed(int n, const double *q, const double *v);

#endif
