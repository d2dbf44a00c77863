/* pairs.h - inside the narrow phase: the pair functions, and what they share. */
#ifndef SS_PAIRS_H
#define SS_PAIRS_H

#include "geom/polytope.h"

#define SS_PARALLEL 1e-12 /* squared sine below which two edges have no common perpendicular of use: faces decide there */

/* Fills `out` for shapes whose kinds are in the order of the pair table. */
typedef void (*ss_pair_function)(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out);

/* point and sphere */
void ss_pair_sphere_sphere(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                           ss_manifold *out);
/* point, sphere, capsule, box, polygon and hull */
void ss_pair_polytopes(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                       ss_manifold *out);
void ss_pair_polytope_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out);

/* ---- collecting gaps ----------------------------------------------------------------------- */

void ss_manifold_add(ss_manifold *out, const ss_gap *gap, int feature_a, int feature_b); /* full: ignored */

/* A manifold being filled, with the values of its gaps: when it is full, one of the two places nearest to each other goes.
 * The deepest and those at the far ends stay. */
typedef struct ss_collector {
    ss_manifold *out;
    ss_vec3 at[SS_MANIFOLD_MAX];
    double gap[SS_MANIFOLD_MAX];
} ss_collector;
void ss_collect(ss_collector *c, const ss_gap *gap, const ss_gap_value *value, const int feature[2]);

/* A gap's value from its two features alone: `outside` and `excess` without what the shapes as a whole say. */
void ss_gap_measure(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, ss_gap_value *out);
ss_vec3 ss_across(ss_vec3 n); /* a unit vector at right angles to n */

/* ---- features of a polytope ---------------------------------------------------------------- */

static inline int ss_feature_edge(const ss_polytope *p, int edge) { return p->corners + edge; }
static inline int ss_feature_face(const ss_polytope *p, int face) { return p->corners + p->edges + face; }
static inline ss_vec3 ss_edge_vector(const ss_polytope *p, int edge)
{
    return ss_sub(p->corner[p->edge[edge][1]], p->corner[p->edge[edge][0]]);
}

/* The feature of p nearest to x (shape frame), and its distance; a feature counts as below x when x is beyond its ends by at
 * most `slack`. Inside: the face of least penetration, the first one winning ties, and minus its depth. */
int ss_polytope_nearest(const ss_polytope *p, ss_vec3 x, double slack, double *distance);
/* How far x (shape frame) is beyond the sides of a face, along it; <= 0: over it. */
static inline double ss_face_beyond(const ss_polytope *p, int face, ss_vec3 x)
{
    double most = -INFINITY;
    for (int i = p->face_start[face]; i < p->face_start[face + 1]; i++) {
        const double beyond = ss_dot(p->rim[i], ss_sub(x, p->corner[p->face_corner[i]]));
        most = beyond > most ? beyond : most;
    }
    return most;
}
/* Sine of the angle by which n (shape frame, unit, across the edge) lies outside the normals of an edge; <= 0: within. */
double ss_edge_off(const ss_polytope *p, int edge, ss_vec3 n);

/* ---- two solids ---------------------------------------------------------------------------- */

/* Both solids placed about the origin of body a, world axes: exact wherever the bodies are. */
typedef struct ss_two_solids {
    ss_solid s[2];
    int dimension;
    double tol;    /* lengths below this are rounding */
    double radius; /* sum of the radii                */
} ss_two_solids;
ss_two_solids ss_solids_place(const ss_solid *a, const ss_solid *b);
double ss_solids_rounding(const ss_solid *a, const ss_solid *b); /* its tol */

/* A corner of solid `owner` against a feature of the other one, and two edges. Gaps against the same feature differ by their
 * corner alone: that of one may be exchanged. */
ss_gap ss_gap_corner(const ss_two_solids *two, int owner, int corner, int feature);
static inline void ss_gap_exchange_corner(const ss_two_solids *two, int owner, int corner, ss_gap *gap)
{
    gap->a = ss_point_to_world(two->s[owner].shape->local, two->s[owner].p->corner[corner]);
}
ss_gap ss_gap_edges(const ss_two_solids *two, int edge_a, int edge_b);

/* A direction in which the cores of two solids may be separated, and the features that it belongs to. */
typedef struct ss_solid_axis {
    double separation; /* < 0: overlap in this direction; radii do not count   */
    ss_vec3 n;         /* world, from its owner (edges: from A) to the other   */
    int owner;         /* face: 0 or 1                                          */
    int face;          /* number of the face                                    */
    int edge[2];       /* edges: of A and B                                     */
    double play;       /* face: by how much it is the best one; another one would be, if this were 0 */
} ss_solid_axis;
ss_solid_axis ss_solids_face_axis(const ss_two_solids *two, int owner); /* the best of one's faces; none: -INFINITY   */
ss_solid_axis ss_solids_edge_axis(const ss_two_solids *two);            /* of two edges; 2D, or none: -INFINITY       */
double ss_two_separation(const ss_two_solids *two);                     /* ss_solids_separation                       */

/* The nearest features of two solids whose cores do not overlap. */
typedef struct ss_nearest_features {
    double distance; /* of the cores                           */
    int owner;       /* corner: of which solid; -1: two edges  */
    int feature[2];
    int8_t side; /* two edges: sign of the normal          */
} ss_nearest_features;
ss_nearest_features ss_solids_nearest(const ss_two_solids *two);
ss_gap ss_gap_nearest(const ss_two_solids *two, const ss_nearest_features *nearest);

#endif
