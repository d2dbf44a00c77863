/* cylinder.h - cylinders in the narrow phase: their features, and the gathering of gaps round a common normal.
 *
 * Features of a cylinder are numbered: ends 0 (below) and 1, side 2 (3: a line that crosses it the other way round), of rim
 * e the four points fixed in it 8 + 4 e + k and the places where something is nearest to it 16 + 4 e + k, a witness of the
 * whole shape 24. */
#ifndef SS_CYLINDER_H
#define SS_CYLINDER_H

#include "geom/polytope.h"

/* part of the tolerance on lengths to which distances are found; depths too, where flat pieces follow a curved shape */
#define SS_FINER 1e-4
#define SS_ROUGH 0.1

enum { SS_CYL_END = 0, SS_CYL_SIDE = 2, SS_CYL_POINT = 8, SS_CYL_RIM = 16, SS_CYL_WITNESS = 24 };

/* ---- pair functions, in the order of the pair table ---------------------------------------- */

/* a: point, sphere, capsule, box */
void ss_pair_convex_cylinder(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                             ss_manifold *out);
void ss_pair_cylinder_cylinder(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                               ss_manifold *out);
void ss_pair_cylinder_hull(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                           ss_manifold *out);
void ss_pair_cylinder_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out);

/* ---- gap_circle.c -------------------------------------------------------------------------- */

void ss_circle_plane_value(const ss_gap *gap, const ss_frame *A, const ss_frame *B, ss_gap_value *out);
double ss_circle_plane_curvature(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2],
                                 const ss_vec3 tB[2]);
ss_vec3 ss_circle_plane_point_rate(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2],
                                   const ss_vec3 tB[2]);

/* ---- cylinder_gaps.c: shapes placed about a common origin near both, world axes ------------- */

/* A straight piece of a shape, a flat one (a rectangle that bounds it), and a cylinder. */
typedef struct ss_line {
    ss_vec3 x, d; /* middle; unit */
    double half, radius;
} ss_line;
typedef struct ss_plane {
    ss_vec3 x, n, t; /* middle; unit, outwards; unit, within */
    double half[2], radius;
} ss_plane;
typedef struct ss_drum {
    ss_frame place;
    double R, L; /* radius, half height */
} ss_drum;

static inline ss_vec3 ss_drum_end(const ss_drum *c, int end) /* centre of an end */
{
    return ss_axpy(end ? c->L : -c->L, c->place.R.c[2], c->place.p);
}
static inline ss_vec3 ss_drum_out(const ss_drum *c, int end) { return ss_scale(end ? 1 : -1, c->place.R.c[2]); }
/* the part of d across the axis, by its components: exactly across, however short */
static inline ss_vec3 ss_drum_across(const ss_drum *c, ss_vec3 d)
{
    const ss_vec3 X = c->place.R.c[0], Y = c->place.R.c[1];
    return ss_add(ss_scale(ss_dot(d, X), X), ss_scale(ss_dot(d, Y), Y));
}
ss_drum ss_drum_of(const ss_shape *shape, const ss_frame *body);
ss_vec3 ss_drum_support(const void *drum, ss_vec3 d, int *name); /* as ss_convex wants it */

/* ---- window.c: the part of a huge body that a small one can meet ----------------------------- */

enum { SS_WINDOW_POINTS = 256 };
typedef struct ss_window {
    int points;
    ss_frame place;                  /* the shape's axes about the small body's middle       */
    ss_vec3 point[SS_WINDOW_POINTS]; /* in that frame                                         */
    int name[SS_WINDOW_POINTS];      /* a corner of the polytope near it                      */
} ss_window;
typedef struct ss_drum_window {
    const ss_drum *drum;
    ss_vec3 u, v;             /* radial, through the middle of the small body; across        */
    ss_vec3 at;               /* the point of the side beside that middle: origin of x, y, z */
    double lo, hi;            /* of z, along the axis                                        */
    double half, bottom, top; /* |y| <= half, bottom <= x <= top; x measured from the radius */
    bool round;               /* the whole circle                                            */
} ss_drum_window;

/* For a body of radius `size` about x. False: the other one is not huge, take it whole. */
bool ss_window_polytope(ss_window *w, const ss_polytope *p, const ss_frame *place, ss_vec3 x, double size);
bool ss_window_drum(ss_drum_window *w, const ss_drum *c, ss_vec3 x, double size);
ss_vec3 ss_window_support(const void *window, ss_vec3 d, int *name); /* as ss_convex wants it */
ss_vec3 ss_drum_window_support(const void *drum_window, ss_vec3 d, int *name);

/* ---- cylinder_gaps.c: gathering -------------------------------------------------------------- */

/* Where the gaps of a pair are gathered. An owner is 0 or 1: body a or b of the manifold. */
typedef struct ss_gather {
    ss_frame body[2];
    ss_vec3 n;          /* from body 1 to body 0, world                                       */
    double distance;    /* of the shapes; < 0: minus the depth                                */
    double slack;       /* of the distance: a gap within it is the nearest */
    double rounded;     /* radius that rounds shapes whose cores are apart; 0: they are not */
    double margin, tol; /* gaps below the first count; lengths below the second are rounding */
    double reach;       /* features farther from each other than this have no gap that counts */
    ss_manifold *out;
    ss_vec3 at[SS_MANIFOLD_MAX];
    double (*separation)(const void *data, ss_vec3 n); /* of the shapes along n, from body 1 to body 0; NULL: not tried */
    const void *data;
    bool exploring; /* nothing is taken: n and the distance become those of the best normal offered */
} ss_gather;

/* What gjk.c says of the shapes, rounded by `radius`. Overlapping, the normal of every gap offered is tried as a way out: depths
 * that gjk.c could only bound become exact where features make them. */
void ss_gather_measured(ss_gather *g, ss_vec3 n, double distance, double radius, bool converged);
/* Each offers one gap; it is taken if its features are in contact, it is below the margin and not deeper than the shapes
 * overlap, its normal is within 60 degrees of n, and there is none at its place. `feature`: of owners 0 and 1. */
void ss_offer_point_plane(ss_gather *g, int owner, ss_vec3 x, double radius, const ss_plane *plane, const int feature[2]);
void ss_offer_point_line(ss_gather *g, int owner, ss_vec3 x, double radius, const ss_line *line, const int feature[2]);
void ss_offer_point_point(ss_gather *g, int owner, ss_vec3 x, double radius, ss_vec3 y, double other, const int feature[2]);
void ss_offer_line_line(ss_gather *g, const ss_line *line0, const ss_line *line1, const int feature[2]);

/* The rims of a cylinder (owner) against a plane: their lowest points, and the points fixed in an end that looks at it.
 * `holds`: is a point over the plane's outline? */
typedef bool (*ss_outline_test)(const void *data, ss_vec3 x);
void ss_offer_rims_plane(ss_gather *g, int owner, const ss_drum *c, const ss_plane *plane, int feature, ss_outline_test holds,
                         const void *data);
/* Is every point of the line out of reach of the ball about a rim? */
bool ss_rim_misses_line(const ss_gather *g, const ss_drum *c, int end, const ss_line *line);
/* The rim of an end against a line of the other shape, from the azimuth of `seed` and from the places where the line
 * passes over the rim. `allowed`: is n (from the rim) among the normals of the line's shape? */
typedef bool (*ss_normal_test)(const void *data, ss_vec3 n);
void ss_offer_rim_line(ss_gather *g, int owner, const ss_drum *c, int end, const ss_line *line, int feature, ss_vec3 seed,
                       ss_normal_test allowed, const void *data);
/* A line across the side of a cylinder. Named after the side as well: once line and axis have passed through each other it
 * is another contact. */
void ss_offer_side_line(ss_gather *g, int owner, const ss_drum *c, const ss_line *line, int feature, ss_normal_test allowed,
                        const void *data);
/* When nothing that was offered is as near as the shapes are: the witness x of owner `of` against the plane across n that is as
 * far from it as the shapes are, both frozen. */
void ss_gather_nearest(ss_gather *g, int of, ss_vec3 x, const int feature[2]);

#endif
