/* resting.h - a body that rests on a half space, and slides or rolls along a line of it: what several solutions check. */
#ifndef SS_RESTING_H
#define SS_RESTING_H

#include "exact/exact.h"

typedef struct ss_resting {
    int body;
    ss_exact_floor floor;
    double height;    /* of the centre of mass above the plane            */
    double press;     /* normal acceleration that the plane carries, > 0  */
    double mu;        /* the same in all directions                       */
    ss_vec3 velocity; /* at t = 0, world                                  */
    ss_vec3 spin;     /* at t = 0, world                                  */
    ss_vec3 slope;    /* gravity along the plane                          */
} ss_resting;

/* The only body of the model, a particle or a rigid body that touches the only half space, does not move off it and is
 * pressed on it by gravity; no joints. Anything else is refused. */
ss_status ss_exact_find_resting(const ss_exact *x, ss_resting *out);

/* A unit vector along which `what` (of size `scale`: smaller parts are rounding) and the slope lie; refused if there is none.
 * Both zero: any direction of the plane. */
ss_status ss_exact_find_line(const ss_exact *x, const ss_resting *r, ss_vec3 what, double scale, ss_vec3 *along);

/* Does the body keep its orientation while friction up to `friction` (an acceleration) acts along the line? A particle does; a
 * rigid body must stand on corners that have the centre of pressure among them. */
ss_status ss_exact_check_upright(const ss_exact *x, const ss_resting *r, ss_vec3 along, double friction);

/* Move the body by `path` (from the first state that is in q) and set its linear velocity; rotations stay. */
void ss_exact_put(const ss_exact *x, const ss_resting *r, ss_vec3 path, ss_vec3 velocity, double *q, double *v);

#endif
