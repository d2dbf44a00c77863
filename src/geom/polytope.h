/* polytope.h - convex polytopes: corners, edges, faces, and who is next to whom.
 *
 * Point, sphere, capsule, box, polygon and hull are all a polytope, rounded by the shape's radius: a sphere has one corner,
 * a capsule in 3D two corners and an edge. In 2D there are no edges, each face is a side of the polygon: a polygon has n
 * corners and n faces, the core of a capsule is a polygon of two corners and two faces. Tables that do not depend on the
 * size (a box's edges and faces) are shared by all shapes of the kind.
 * Features are numbered corners first, then edges, then faces. All in the shape's frame. */
#ifndef SS_POLYTOPE_H
#define SS_POLYTOPE_H

#include "geom/geom.h"

/* A slot is one place in the list of a face's corners: corner i of the face, and the side from there to the next one.
 * In 2D a face has the two slots of its ends. */
typedef struct ss_polytope {
    int corners, edges, faces;
    const ss_vec3 *corner;
    const int (*edge)[2];      /* its two corners; running from the first to the second, edge_face[0] is on the left  */
    const int (*edge_face)[2]; /* the faces on its two sides, seen from outside; -1: none (capsule)                   */
    const ss_vec3 *normal;     /* of faces, outwards, unit                                                            */
    const double *offset;      /* of faces: normal . x = offset                                                       */
    const double *width;       /* of faces, 3D: the least distance of a side from the corner farthest from it, halved  */
    const int *face_start;     /* faces+1: face k has the slots face_start[k] .. face_start[k+1]-1, in order round the normal */
    const int *face_corner;    /* of slots                                                                            */
    const int *face_edge;      /* of slots, 3D: the edge from this corner to the next one of the face                 */
    const ss_vec3 *rim;        /* of slots: unit, in the face's plane, outwards across that side (2D: along the face)  */
    int axes;                  /* faces counted without their opposites                                               */
    const int (*axis)[2];      /* a face and the one with the opposite normal; -1: there is none                      */
    ss_vec3 middle;            /* a point inside                                                                      */
    double inner;              /* radius of a ball inside, near the largest                                           */
    double size;               /* the largest distance of a corner from the middle, 0 for a point                     */
} ss_polytope;

/* A rounded polytope somewhere: what the pair functions work on. Gaps refer to `shape`; where its polytope is not `p` (a
 * piece of a height field) they know the outline of a face only by its bounding rectangle. */
typedef struct ss_solid {
    const ss_polytope *p;
    const ss_shape *shape;
    double radius;
    ss_frame body;  /* body -> world                                            */
    ss_frame place; /* shape -> world: of two solids placed about an origin nearby */
} ss_solid;

ss_solid ss_solid_of(const ss_shape *shape, const ss_frame *body);

/* The gaps of two rounded polytopes that are below `margin`, or the nearest one; appended to `out`. */
void ss_pair_solids(const ss_solid *a, const ss_solid *b, double margin, ss_manifold *out);
/* How far apart: positive and at most the distance (the distance itself if either is rounded); else minus the overlap. */
double ss_solids_separation(const ss_solid *a, const ss_solid *b);

/* The corner farthest along d (shape frame), by index; the lowest index wins ties. */
int ss_polytope_support(const ss_polytope *p, ss_vec3 d);

#endif
