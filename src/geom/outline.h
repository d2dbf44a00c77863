/* outline.h - what the files of the shapes use to make their polytopes. */
#ifndef SS_OUTLINE_H
#define SS_OUTLINE_H

#include "geom/polytope.h"

/* a contact's identity has 14 bits for each of its features */
enum { SS_FEATURES_MAX = 1 << 14 };

/* A polytope by its corners and faces: face k has the corners face_corner[face_start[k] .. face_start[k+1]-1], in order
 * round its outward normal; in 2D its two ends, the solid on the left. */
typedef struct ss_outline {
    int dimension, corners, faces;
    const ss_vec3 *corner;
    const int *face_start, *face_corner;
} ss_outline;

extern const ss_polytope ss_polytope_point; /* one corner at the origin */

/* Sets shape->polytope and shape->owned; the outline is copied. */
ss_status ss_polytope_make(ss_context *ctx, const ss_outline *outline, const char *path, ss_shape *shape);

double ss_face_width(const ss_polytope *p, int face); /* p->width[face], of the rest of p */

/* for the tables of types */
ss_box3 ss_polytope_bounds(const ss_shape *shape, const ss_frame *placed);
double ss_polytope_radius(const ss_shape *shape);
double ss_polytope_thickness(const ss_shape *shape);      /* a good lower bound */
void ss_mass_shift(ss_mass_properties *mass, ss_vec3 by); /* the body as a whole moves by this */

#endif
