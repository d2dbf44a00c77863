/* gjk.h - distance of two convex bodies known by their support functions, and the penetration of two that overlap. */
#ifndef SS_GJK_H
#define SS_GJK_H

#include "math/vec.h"

/* The point of a convex body farthest along d, with a number that names it (a corner; -1 on curved parts). */
typedef struct ss_convex {
    ss_vec3 (*support)(const void *data, ss_vec3 d, int *name);
    const void *data;
    int dimension; /* 2: z is 0 throughout */
} ss_convex;

typedef struct ss_nearest {
    double distance; /* >= 0 apart; < 0: minus the depth of the overlap          */
    ss_vec3 normal;  /* unit, from b to a                                        */
    ss_vec3 a, b;    /* witness points; a - b = distance * normal                */
    int points;      /* apart: corners of the final simplex, 1 to 3              */
    int name_a[4], name_b[4];
    bool converged; /* false: distance is the best found within the iterations  */
} ss_nearest;

/* Distance to `tol` (a length); the two bodies are compared about a common origin near both. */
ss_nearest ss_gjk_nearest(const ss_convex *a, const ss_convex *b, double tol);

#endif
