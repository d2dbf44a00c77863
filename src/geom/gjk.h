/* gjk.h - distance of two convex bodies known by their support functions, and the penetration of two that overlap. */
#ifndef SS_GJK_H
#define SS_GJK_H

#include "math/vec.h"
#include <stdbool.h>

/* The point of a convex body farthest along d, with a number that names it (a corner; -1 on curved parts). */
typedef struct ss_convex {
    ss_vec3 (*support)(const void *data, ss_vec3 d, int *name);
    const void *data;
    int dimension; /* 2: z is 0 throughout */
} ss_convex;

typedef struct ss_nearest {
    double distance; /* >= 0 apart; < 0: minus the depth of the overlap                                        */
    ss_vec3 normal;  /* unit, from b to a                                                                      */
    ss_vec3 a, b;    /* witness points; a - b = distance * normal                                              */
    int points;      /* corners of the simplex that holds the witnesses, 1 to 3 (2D: 2)                        */
    int name_a[3], name_b[3];
    bool converged; /* false: apart, the distance is the least found; overlapping, the depth is at least so much */
} ss_nearest;

/* Distance and depth to `tol` (a length; what is below rounding is raised to it); the two bodies are compared about a common
 * origin near both. Bodies nearer than `tol` are treated as overlapping: their normal is that of a touching face. */
ss_nearest ss_gjk_nearest(const ss_convex *a, const ss_convex *b, double tol);
/* The same for curved bodies: the depth to `rough` only, as faces on a curved part become too narrow for much better than
 * 1e-10 of its size. */
ss_nearest ss_gjk_nearest_curved(const ss_convex *a, const ss_convex *b, double tol, double rough);

/* ---- between gjk.c and epa.c --------------------------------------------------------------- */

/* Out of an overlap the shortest way, to `tol`. `touching` has the witnesses of a common point, which stay when the
 * difference of the bodies is flat and so has no inside. */
ss_nearest ss_epa_nearest(const ss_convex *a, const ss_convex *b, double tol, const ss_nearest *touching);

/* A point of a - b with its parents and their names; the support of a - b along d. */
typedef struct ss_difference {
    ss_vec3 w, a, b;
    int name_a, name_b;
} ss_difference;
ss_difference ss_difference_support(const ss_convex *a, const ss_convex *b, ss_vec3 d);

/* Barycentric coordinates of the projection of the origin on the affine hull of count (1 to 3) points, t[k] summing to
 * one; false if the points have no hull of that dimension. */
bool ss_simplex_coordinates(int count, const ss_vec3 *const w[], double t[]);

#endif
