/* geom.h - shapes, and the contact geometry of two shapes: a list of smooth gaps.
 *
 * A gap is a pair of features (vertex, edge line, face plane), each fixed in its body: a smooth
 * function of the two poses that can be evaluated at any pose near the one it was found at. It is
 * never a re-clipped point. All shapes are placed in their body by `local`. */
#ifndef SS_GEOM_H
#define SS_GEOM_H

#include "base/base.h"
#include "math/vec.h"
#include <slipstick/scene.h>

typedef enum ss_shape_kind {
#define SS_SHAPE(name) SS_SHAPE_##name,
#include "geom/shapes.def"
#undef SS_SHAPE
    SS_SHAPE_KINDS
} ss_shape_kind;

typedef struct ss_shape {
    ss_shape_kind kind;
    int dimension;
    ss_frame local; /* shape -> body                                             */
    double radius;  /* sphere                                                    */
    ss_vec3 half;   /* box: half side lengths                                    */
    ss_vec3 normal; /* half_space, body frame (local applied)                    */
    double offset;  /* half_space, body frame                                    */
    double length;  /* capsule, cylinder: half of it, along the last axis        */
    const struct ss_polytope
        *polytope;                    /* point, sphere, capsule, box, polygon, hull: corners, edges, faces; `radius` rounds it */
    const struct ss_terrain *terrain; /* height_field                                                                    */
    void *owned;                      /* memory of the two above; NULL: none; ss_shape_free                              */
} ss_shape;

void ss_shape_free(ss_context *ctx, ss_shape *shape);

typedef enum ss_gap_kind {
    SS_GAP_POINT_PLANE,  /* gap = n_b . (x_a - x_b) - ra - rb                         */
    SS_GAP_POINT_POINT,  /* gap = |x_a - x_b| - ra - rb                               */
    SS_GAP_POINT_LINE,   /* gap = distance of x_a from the line (x_b, d_b) - ra - rb  */
    SS_GAP_LINE_LINE,    /* gap = n . (x_a - x_b) - ra - rb, n = side * d_a x d_b / |d_a x d_b| */
    SS_GAP_CIRCLE_PLANE, /* gap = n_b . (x_a - x_b) - ra |n_b x d_a| - rb: a circle's lowest point, gap_circle.c */
} ss_gap_kind;

/* The shapes and features that a gap was made from. */
typedef struct ss_gap_origin {
    const ss_shape *shape[2]; /* of features a and b, which must outlive the gap; NULL: no check against shapes   */
    union {
        int edge[2]; /* with `shape`, LINE_LINE: the edges' numbers in their polytopes                  */
        int face;    /* with `shape`, POINT_PLANE: 1 + the number of the face; 0: the plane ends at eb only */
    };
} ss_gap_origin;

/* Feature a belongs to body a unless `swap`: then a and b change roles (plane on body a). The normal
 * that ss_gap_eval returns always points from body b to body a. There are several for every body of a pile, so they are small. */
typedef struct ss_gap {
    ss_gap_kind kind;
    bool swap;
    int8_t side;    /* LINE_LINE: +1 or -1                                               */
    ss_vec3 a, b;   /* points, each in the frame of its body; a plane's or line's middle  */
    ss_vec3 da, db; /* unit: line direction or plane normal, body frame                  */
    union {
        ss_vec3 tb;       /* planes: first in-plane direction, body frame                       */
        ss_vec3 fallback; /* others: world normal used where points coincide or lines are parallel */
    };
    double ra, rb;    /* radii of rounded features                                         */
    double ea, eb[2]; /* half lengths of the features: line a; line b or plane b; INFINITY: none */
    double rim;       /* length added to the half lengths, to allow for round-off             */
    ss_gap_origin from;
} ss_gap;

typedef struct ss_gap_value {
    double gap;
    ss_vec3 normal; /* world, from b to a                                        */
    ss_vec3 point;  /* world, midway between the witness points                  */
    double outside; /* > 0: the features are not in contact at this pose, by so much; <= 0: they are           */
    double excess;  /* > 0: the gap is so much deeper than the shapes overlap: do not take it for their depth  */
} ss_gap_value;

void ss_gap_eval(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, ss_gap_value *out);
/* Second derivative of the gap in time while both bodies keep their twist (world velocity v of the
 * body's origin and world angular velocity w):  d/dt (H_N) v  of that gap. */
double ss_gap_curvature(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                        const ss_vec3 twist_b[2]);

/* Velocity of the point that ss_gap_eval returns, with these twists. */
ss_vec3 ss_gap_point_rate(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                          const ss_vec3 twist_b[2]);

/* Rate of the normal that ss_gap_eval returns, with these twists. */
ss_vec3 ss_gap_normal_rate(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                           const ss_vec3 twist_b[2]);

enum { SS_MANIFOLD_MAX = 32 };

/* How long a search finds the same features, in the same order. */
typedef struct ss_manifold_scope {
    double play;         /* points of the shapes may move, to each other, by less than this in all; 0: not known */
    double above, below; /* and the margin may be anything between these                                         */
} ss_manifold_scope;

typedef struct ss_manifold {
    int n;
    ss_manifold_scope scope;
    ss_gap gap[SS_MANIFOLD_MAX];
    uint32_t feature[SS_MANIFOLD_MAX]; /* identity within the pair of shapes; the same while the features are */
} ss_manifold;

/* Gaps between shapes a and b that are below `margin` (or the nearest one). fa, fb: body frames. */
void ss_collide(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin, ss_manifold *out);
/* Where the scope of a manifold has not been left, its gaps are those that ss_collide would find, with this `rim`. */
double ss_collide_rim(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb);
/* Is there an entry in the pair table? (point-point, half_space-half_space: no) */
bool ss_can_collide(ss_shape_kind a, ss_shape_kind b);

/* beside.c: how far two shapes are apart, both in the body frames `from` and, up to `slack`, in `to`, along the normal of a face
 * of either that is not along n; the largest of all faces. -INFINITY: they have no faces, or are neither polytopes nor cylinders.
 */
double ss_shapes_apart_beside(const ss_shape *const shape[2], const ss_frame *const from[2], const ss_frame *const to[2],
                              ss_vec3 n, double slack);

typedef struct ss_box3 {
    ss_vec3 lo, hi;
} ss_box3;
ss_box3 ss_shape_bounds(const ss_shape *shape, const ss_frame *body); /* infinite sides for half_space */
double ss_shape_radius(const ss_shape *shape);    /* of the ball about the body's origin that holds it; INFINITY for half_space */
double ss_shape_thickness(const ss_shape *shape); /* radius of the largest ball inside; 0 for point, INFINITY for half_space */

/* Volume (2D area), centroid and second moments about the body's origin (xx yy zz xy xz yz of the
 * inertia tensor per unit density), all in the body frame. point and half_space have none. */
typedef struct ss_mass_properties {
    double volume;
    ss_vec3 centroid;
    double inertia[6];
} ss_mass_properties;
ss_mass_properties ss_shape_mass(const ss_shape *shape);

/* Registry entries of the shapes, their JSON fields (offsets into ss_shape_desc), and compilation. */
typedef struct ss_shape_type {
    ss_entry info;
    /* kind, dimension and local are set already; an error's text starts with `path`, the shape's place in the scene */
    ss_status (*compile)(ss_context *ctx, const ss_shape_desc *desc, const char *path, ss_shape *shape);
    ss_box3 (*bounds)(const ss_shape *shape, const ss_frame *placed); /* placed: shape -> world */
    double (*radius)(const ss_shape *shape);
    double (*thickness)(const ss_shape *shape);
    ss_mass_properties (*mass)(const ss_shape *shape); /* NULL: none */
} ss_shape_type;
extern const ss_shape_type *const ss_shape_types[SS_SHAPE_KINDS + 1]; /* NULL-terminated */

/* Pairs of boxes that overlap or touch, sorted (a < b, by a then b). Boxes of one group (fixed bodies; shapes of one body)
 * are never a pair; group NULL: each box is its own, and INT32_MIN is no group. More than 2^26 pairs: SS_ERR_MEMORY. */
typedef struct ss_broad_phase ss_broad_phase;
typedef struct ss_index_pair {
    int a, b;
} ss_index_pair;
ss_status ss_broad_phase_create(ss_context *ctx, ss_broad_phase **out);
void ss_broad_phase_destroy(ss_broad_phase *bp);
ss_status ss_broad_phase_pairs(ss_broad_phase *bp, int n, const ss_box3 *boxes, const int *group, const ss_index_pair **pairs,
                               int *count);
int64_t ss_broad_phase_comparisons(const ss_broad_phase *bp); /* of boxes, in the last call */

#endif
