/* polygon.h - slip of one contact whose cone is a polygon in space. */
#ifndef SS_POLYGON_H
#define SS_POLYGON_H

#include <stdbool.h>

/* W is 3 x 3, by rows; the directions d_k are two numbers each. */
typedef struct ss_polygon {
    const double *W, *direction;
    double mu;
    int directions;
    bool associated;
} ss_polygon;

/* The impulse of slip for the free velocity q. In: the velocity u at hand, which says where the search begins. False if there is
 * none; r is then as it was. */
bool ss_polygon_slide(const ss_polygon *c, const double *q, const double *u, double *r);

#endif
