/* terrain.h - the surface of a height field: vertices on a grid, faces, and the ridges and peaks between them.
 *
 * 3D: vertex (i, j) lies at x = (i - (columns-1)/2) s, y = (j - (rows-1)/2) s; every cell is cut along the diagonal from
 * (i, j) to (i+1, j+1) into faces 2 cell and 2 cell + 1. 2D: one row, faces are the segments. Neighbouring faces that lie in
 * one plane are one patch: the seams inside it are nothing that a body could feel. What is below the surface, without end,
 * is solid; beyond the border there is nothing. All in the shape's frame. */
#ifndef SS_TERRAIN_H
#define SS_TERRAIN_H

#include "geom/geom.h"

typedef struct ss_terrain_plane {
    ss_vec3 x, n, t; /* middle of the rectangle that bounds the patch; normal, upwards; a direction within */
    double half[2];  /* half sides along t and n x t; 2D: the second is INFINITY                           */
} ss_terrain_plane;

typedef struct ss_terrain {
    int dimension, rows, columns, planes;
    double spacing, lowest, highest;
    const double *z;               /* rows x columns                 */
    const int *patch;              /* of faces: the plane it lies in */
    const ss_terrain_plane *plane; /* planes                         */
} ss_terrain;

ss_status ss_terrain_make(ss_context *ctx, int dimension, const ss_heights *heights, double spacing, ss_terrain **out);

/* ---- numbers: faces, then edges (3D, three of each vertex), then vertices -------------------- */

static inline int ss_terrain_per_cell(const ss_terrain *t) { return t->dimension - 1; } /* faces */
int ss_terrain_faces(const ss_terrain *t);
static inline int ss_terrain_vertices(const ss_terrain *t) { return t->rows * t->columns; }
ss_vec3 ss_terrain_vertex(const ss_terrain *t, int vertex);
int ss_terrain_corners(const ss_terrain *t, int face, ss_vec3 corner[3]); /* against the clock from above; 2D: two */
/* How far x is beyond the sides of a face, along it; <= 0: over it. */
double ss_terrain_beyond(const ss_terrain *t, int face, ss_vec3 x);

/* A convex edge between two faces, or on the border. */
typedef struct ss_ridge {
    ss_vec3 x, d; /* middle; unit                                                                    */
    double half;
    ss_vec3 into[2];  /* unit, from the edge into its faces, across the edge; on the border the second is down */
    ss_vec3 normal;   /* the middle of its normals                                                       */
    double sharpness; /* sine of the angle by which it is convex                                         */
    int faces;        /* two, on the border one                                                          */
    ss_vec3 face[2];  /* their normals                                                                   */
} ss_ridge;
/* Edge 3 vertex + k runs from the vertex along x (0), y (1) or the diagonal (2). False: it is flat, hollow or not there. */
bool ss_terrain_ridge(const ss_terrain *t, int edge, ss_ridge *out);
/* Sine by which u leaves the normals of a ridge; <= 0: it is one. */
double ss_ridge_off(const ss_ridge *ridge, ss_vec3 u);

/* A vertex that is not inside one patch. */
typedef struct ss_peak {
    ss_vec3 x;
    int n;
    ss_vec3 to[7]; /* unit, to the neighbours, and down */
    int faces;
    ss_vec3 face[6]; /* normals of the faces around that are the peak's as well */
} ss_peak;
bool ss_terrain_peak(const ss_terrain *t, int vertex, ss_peak *out);
double ss_peak_off(const ss_peak *peak, ss_vec3 u);           /* <= 0: u is one of its normals                   */
bool ss_peak_sharp(const ss_terrain *t, const ss_peak *peak); /* some plane touches the ground there and nowhere near */

/* Cells i0..i1, j0..j1 that a rectangle may touch; empty: i0 > i1. */
typedef struct ss_cells {
    int i0, i1, j0, j1;
} ss_cells;
ss_cells ss_terrain_cells(const ss_terrain *t, ss_vec3 lo, ss_vec3 hi);
int ss_terrain_face_below(const ss_terrain *t, ss_vec3 x); /* or above; -1: beyond the border */

/* a: point, sphere, capsule, box, polygon, hull; b: height_field */
void ss_pair_polytope_height_field(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                   ss_manifold *out);
void ss_pair_cylinder_height_field(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                   ss_manifold *out);

#endif
