/* pairs.h - inside the narrow phase: the pair functions, the features of a box, and the makers of gaps.
 *
 * Features of a box are numbered: vertices 0-7 (bit i: positive side of axis i), edges 8-19 (8 + 4 axis +
 * the sides of the two other axes), faces 20-25 (20 + 2 axis + side). In 2D only axes 0 and 1 count. The
 * single feature of a point, a sphere or a half space is 0. */
#ifndef SS_PAIRS_H
#define SS_PAIRS_H

#include "geom/geom.h"

/* Fills `out` for shapes whose kinds are in the order of the pair table. */
typedef void (*ss_pair_function)(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out);

void ss_pair_sphere_sphere(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                           ss_manifold *out);
void ss_pair_sphere_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                               ss_manifold *out);
void ss_pair_sphere_box(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                        ss_manifold *out);
void ss_pair_box_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                            ss_manifold *out);
void ss_pair_box_box(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                     ss_manifold *out);

/* ---- features of a box --------------------------------------------------------------------- */

enum { SS_BOX_EDGE = 8, SS_BOX_FACE = 20 };

static inline double ss_axis(ss_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
static inline int ss_box_vertices(const ss_shape *box) { return 1 << box->dimension; }
ss_vec3 ss_axis_unit(int axis, double length);             /* length times the unit vector of an axis */
ss_vec3 ss_box_vertex(const ss_shape *box, int vertex);    /* shape frame */
ss_vec3 ss_box_edge_middle(const ss_shape *box, int edge); /* shape frame; the edge runs along ss_box_edge_axis */
static inline int ss_box_edge_axis(int edge) { return (edge - SS_BOX_EDGE) / 4; }
int ss_box_edge(int axis, int vertex); /* the edge along `axis` that ends at a vertex */
/* Sine of the angle by which n (shape frame, unit, across the edge) lies outside the normals of an edge; <= 0: within. */
double ss_box_edge_off(int edge, ss_vec3 n);

/* Feature of the box nearest to p (shape frame), by Voronoi region; a coordinate counts as beyond a side
 * when it is so by more than `slack`. Inside: the face of least penetration, the first axis winning ties. */
int ss_box_nearest_feature(const ss_shape *box, ss_vec3 p, double slack);

/* ---- makers of gaps ------------------------------------------------------------------------ */

/* Extents of features are grown by this much, so that a witness on the rim counts as inside. */
double ss_box_rim(const ss_shape *box);

/* Point `x` (shape frame of p, radius r) against a feature of a box; the shapes' places go into the body frames. */
ss_gap ss_gap_point_box(const ss_shape *p, ss_vec3 x, double r, const ss_shape *box, const ss_frame *box_body, int feature,
                        double rim);
ss_gap ss_gap_edge_edge(const ss_shape *a, int edge_a, const ss_shape *b, int edge_b, double rim);

void ss_manifold_add(ss_manifold *out, const ss_gap *gap, int feature_a, int feature_b); /* full: ignored */

/* ---- two boxes ----------------------------------------------------------------------------- */

/* Both boxes placed about the origin of body a, world axes: exact wherever the bodies are. */
typedef struct ss_two_boxes {
    const ss_shape *shape[2];
    ss_frame body[2], box[2];
    double tol; /* lengths below this are rounding                     */
} ss_two_boxes;
ss_two_boxes ss_boxes_place(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb);

/* A direction in which two boxes may be separated, and the features that it belongs to. */
typedef struct ss_box_axis {
    double separation; /* < 0: overlap in this direction                    */
    ss_vec3 n;         /* world, from its owner (edges: from A) to the other */
    int owner;         /* face: 0 or 1                                        */
    int face;          /* number of the face                                  */
    int edge[2];       /* edges: of A and B                                   */
} ss_box_axis;
ss_box_axis ss_boxes_face_axis(const ss_two_boxes *two, int owner);  /* the best of one box's faces            */
ss_box_axis ss_boxes_edge_axis(const ss_two_boxes *two);             /* of the nine; 2D: separation -INFINITY  */
int ss_boxes_support(const ss_two_boxes *two, int which, ss_vec3 n); /* the vertex farthest along n, as bits */

/* How far a (box, sphere or point) is from a box, in the frames of their bodies: positive if apart, and then at
 * most the distance; negative: minus the depth of their overlap. */
double ss_separation_from_box(const ss_shape *a, const ss_frame *fa, const ss_shape *box, const ss_frame *fb);

/* The gap of the nearest features of two boxes that are apart, and its features. */
void ss_boxes_nearest(const ss_two_boxes *two, ss_gap *gap, int feature[2]);

#endif
