/* over_floor.h - a body that does not turn, over one half space: its motion split along the normal and along the floor. */
#ifndef SS_OVER_FLOOR_H
#define SS_OVER_FLOOR_H

#include "exact/exact.h"

typedef struct ss_over_floor {
    int body;
    ss_vec3 normal;
    double gap, speed; /* gap and its rate at t = 0                */
    ss_vec3 slip;      /* velocity along the floor at t = 0        */
    double pull;       /* of gravity into the floor, m/s^2         */
    ss_vec3 drift;     /* of gravity along the floor, m/s^2        */
    double mu, e;
} ss_over_floor;

/* The model's only body, a point or a sphere without spin, and its floor; joints are refused, and so is a number of
 * forces other than `forces`. Directions and gaps that are zero up to round-off are set to zero. */
ss_status ss_over_floor_take(const ss_exact *x, int forces, ss_over_floor *out);
/* As before, with no force but gravity, which pulls into the floor. */
ss_status ss_over_floor_take_falling(const ss_exact *x, ss_over_floor *out);
/* Write a state: the gap and its rate, the way made along the floor and its rate. q and v hold the first state. */
void ss_over_floor_put(const ss_exact *x, const ss_over_floor *o, double gap, double speed, ss_vec3 way, ss_vec3 slip, double *q,
                       double *v);

/* The fall until the floor is reached:  y = y0 + w0 t - a t^2 / 2. */
typedef struct ss_fall {
    double gap, speed, pull; /* y0, w0, a > 0                            */
    double end;              /* when y = 0                               */
    double hit;              /* speed there, >= 0                        */
} ss_fall;
ss_fall ss_fall_from(const ss_over_floor *o);
void ss_fall_at(const ss_fall *f, double t, double *y, double *w); /* 0 <= t <= end; exact at both ends */

#endif
