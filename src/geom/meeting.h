/* meeting.h - inside of a polytope X on a height field T (pair_height_field.c, pair_height_field_edges.c): the two shapes, their
 * frames, numbers of features, and how gaps are offered. */
#ifndef SS_MEETING_H
#define SS_MEETING_H

#include "geom/pairs.h"
#include "geom/terrain.h"

/* sine by which a normal may leave those of a flat edge or face; how much longer than the shortest a way out may be */
#define SS_FLAT_PLAY 0.05
#define SS_LEEWAY    1.05

typedef struct ss_meeting {
    const ss_shape *a, *b;
    const ss_polytope *p;
    const ss_terrain *t;
    ss_frame body[2]; /* about the origin of body a             */
    ss_frame rel;     /* X's shape -> T's shape                 */
    double margin, tol;
    ss_collector c;
} ss_meeting;

/* A gap between feature `on_x` of X and feature `on_t` of T, taken if it is below the margin and not there yet; `second`: not
 * if there is a gap at this place already. */
void ss_meeting_offer(ss_meeting *m, const ss_gap *gap, int on_x, int64_t on_t, bool second);
/* Gaps of the edges and faces of X with the ridges and the peak at a vertex of T. */
void ss_meeting_at_vertex(ss_meeting *m, int vertex);

/* ---- numbers of T's features: patches by the plane of a face, edges, vertices ------------------ */

static inline int64_t ss_meeting_number_patch(const ss_meeting *m, int face) { return m->t->patch[face]; }
static inline int64_t ss_meeting_number_edge(const ss_meeting *m, int edge) { return (int64_t)ss_terrain_faces(m->t) + edge; }
static inline int64_t ss_meeting_number_vertex(const ss_meeting *m, int vertex)
{
    return (int64_t)ss_terrain_faces(m->t) + 3 * (int64_t)ss_terrain_vertices(m->t) + vertex;
}

/* ---- frames -------------------------------------------------------------------------------- */

/* a point of X's shape in its body */
static inline ss_vec3 ss_meeting_x_point(const ss_meeting *m, ss_vec3 x) { return ss_point_to_world(m->a->local, x); }
/* a point and a direction of T's shape in its body */
static inline ss_vec3 ss_meeting_t_point(const ss_meeting *m, ss_vec3 x) { return ss_point_to_world(m->b->local, x); }
static inline ss_vec3 ss_meeting_t_direction(const ss_meeting *m, ss_vec3 d) { return ss_rotate(m->b->local.R, d); }
/* a direction of T's shape in the world */
static inline ss_vec3 ss_meeting_world(const ss_meeting *m, ss_vec3 d)
{
    return ss_rotate(m->body[1].R, ss_meeting_t_direction(m, d));
}
/* a corner of X in T's shape */
static inline ss_vec3 ss_meeting_corner_of(const ss_meeting *m, int k) { return ss_point_to_world(m->rel, m->p->corner[k]); }

/* ---- features of T --------------------------------------------------------------------------- */

/* Is u, a length from the peak, one of its normals? */
static inline bool ss_meeting_is_normal(const ss_meeting *m, const ss_peak *peak, ss_vec3 u)
{
    return ss_norm(u) > m->tol && ss_peak_off(peak, u) <= m->tol;
}
/* No edge of T is longer. */
static inline double ss_meeting_longest(const ss_terrain *t) { return 1.5 * t->spacing + t->highest - t->lowest; }

#endif
