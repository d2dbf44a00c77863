/* polytope.h - convex polytopes: corners, edges, faces, and who is next to whom.
 *
 * Point, sphere, capsule, box, polygon and hull are all a polytope, rounded by the shape's radius: a sphere has one corner,
 * a capsule two corners and an edge, a polygon (2D) n corners and n faces, each face an edge of the plane. Tables that do
 * not depend on the size (a box's edges and faces) are shared by all shapes of the kind.
 * Features are numbered corners first, then edges, then faces. All in the shape's frame. */
#ifndef SS_POLYTOPE_H
#define SS_POLYTOPE_H

#include "geom/geom.h"

typedef struct ss_polytope {
    int corners, edges, faces;
    const ss_vec3 *corner;
    const int (*edge)[2];      /* its two corners                                                       */
    const int (*edge_face)[2]; /* the faces on its two sides; -1: none (capsule)                        */
    const ss_vec3 *normal;     /* of faces, outwards, unit                                              */
    const double *offset;      /* of faces: normal . x = offset                                         */
    const int *face_start;     /* faces+1: face k has the corners face_corner[face_start[k] .. ], in order round the normal */
    const int *face_corner;
    const int *corner_start; /* corners+1: neighbours of corner k along edges are neighbour[corner_start[k] ..] */
    const int *neighbour;
} ss_polytope;

/* A rounded polytope somewhere: what the pair functions work on. The frames may be relative to any common origin. */
typedef struct ss_solid {
    const ss_polytope *p;
    const ss_shape *shape; /* whose it is                                   */
    double radius;
    ss_frame body;  /* body -> common                                */
    ss_frame place; /* shape -> common                               */
} ss_solid;

/* The corner farthest along d (shape frame), by index; the lowest index wins ties. */
int ss_polytope_support(const ss_polytope *p, ss_vec3 d);

#endif
