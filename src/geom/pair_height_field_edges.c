/* pair_height_field_edges.c - edges and faces of a polytope X on the ridges and peaks of a height field T.
 *
 *     edge of X    on  ridge, peak of T              line-line, point-line
 *     face of X    on  peak of T                     point-plane
 *
 * An overlap counts only if it is the shortest way out up to a twentieth, among the axes of two convex pieces: not longer than X
 * is deep below the faces of T that meet there, nor than T's feature is deep in X below any face of X that may rest on it.
 * pair_height_field.c says why.
 *
 * Cost: the edges of X times the ridges near it, its edges and faces times the peaks. */
#include "base/tolerances.h"
#include "geom/meeting.h"

static const double near_parallel = 1e-3; /* sine */

/* sine by which u (T's frame, unit, from T to X) leaves the normals of an edge of X, as they are seen from it */
static double off_edge(const ss_meeting *m, int edge, ss_vec3 u)
{
    return ss_edge_off(m->p, edge, ss_scale(-1, ss_unrotate(m->rel.R, u)));
}

typedef struct line {
    ss_vec3 x, d; /* in T's frame: middle, unit */
    double half;
} line;

static line edge_of(const ss_meeting *m, int edge)
{
    const ss_vec3 v = ss_rotate(m->rel.R, ss_edge_vector(m->p, edge));
    const double length = ss_norm(v);
    return (line){ ss_axpy(0.5, v, ss_meeting_corner_of(m, m->p->edge[edge][0])), ss_scale(1 / length, v), 0.5 * length };
}

/* how deep X is below the plane through x across n, both in T's frame */
static double depth_along(const ss_meeting *m, ss_vec3 x, ss_vec3 n)
{
    const ss_vec3 down = ss_scale(-1, ss_unrotate(m->rel.R, n));
    return ss_dot(down, ss_sub(m->p->corner[ss_polytope_support(m->p, down)], ss_point_to_body(m->rel, x)));
}

/* is an overlap of `depth` more than X is deep below one of the faces of T that meet at x? */
static bool deeper_than_faces(const ss_meeting *m, double depth, ss_vec3 x, int faces, const ss_vec3 *face)
{
    for (int k = 0; k < faces; k++) {
        if (depth > SS_LEEWAY * fmax(0, depth_along(m, x, face[k])) + m->tol) {
            return true;
        }
    }
    return false;
}

/* face k of X: its normal turned round, in T's frame; and how deep x, in T's frame, is below it */
static ss_vec3 way_out(const ss_meeting *m, int k) { return ss_scale(-1, ss_rotate(m->rel.R, m->p->normal[k])); }

static double depth_in(const ss_meeting *m, int k, ss_vec3 x)
{
    return m->p->offset[k] - ss_dot(m->p->normal[k], ss_point_to_body(m->rel, x));
}

static double play_of(const ss_ridge *ridge) { return fmin(SS_FLAT_PLAY, 0.5 * ridge->sharpness); }

static bool shortest_from_ridge(const ss_meeting *m, double depth, const ss_ridge *ridge)
{
    if (depth <= m->tol) {
        return true;
    }
    for (int k = 0; k < m->p->faces; k++) {
        const ss_vec3 u = way_out(m, k);
        const double there = depth_in(m, k, ridge->x) + fabs(ss_dot(u, ridge->d)) * ridge->half;
        if (depth > SS_LEEWAY * fmax(0, there) + m->tol && ss_ridge_off(ridge, u) <= play_of(ridge)) {
            return false;
        }
    }
    return !deeper_than_faces(m, depth, ridge->x, ridge->faces, ridge->face);
}

static bool shortest_from_peak(const ss_meeting *m, double depth, const ss_peak *peak)
{
    if (depth <= m->tol) {
        return true;
    }
    for (int k = 0; k < m->p->faces; k++) {
        if (depth > SS_LEEWAY * fmax(0, depth_in(m, k, peak->x)) + m->tol && ss_peak_off(peak, way_out(m, k)) <= SS_FLAT_PLAY) {
            return false;
        }
    }
    return !deeper_than_faces(m, depth, peak->x, peak->faces, peak->face);
}

static void edge_on_ridge(ss_meeting *m, int edge, const line *l, int on_t, const ss_ridge *ridge)
{
    const ss_vec3 cross = ss_cross(l->d, ridge->d), D = ss_sub(l->x, ridge->x);
    const double sine = ss_norm(cross), c = ss_dot(l->d, ridge->d), da = ss_dot(D, l->d), db = ss_dot(D, ridge->d);
    if (sine < near_parallel) {
        return; /* along each other: their ends are found as corners */
    }
    const int8_t side = ss_dot(cross, ridge->normal) >= 0 ? 1 : -1;
    const ss_vec3 n = ss_scale(side / sine, cross);
    const double s = (c * db - da) / (sine * sine), t = (db - c * da) / (sine * sine);
    const bool on_both = fabs(s) <= l->half + m->tol && fabs(t) <= ridge->half + m->tol;
    const double depth = -ss_dot(n, D);
    if (!on_both || ss_ridge_off(ridge, n) > play_of(ridge) || off_edge(m, edge, n) > SS_FLAT_PLAY || depth > m->p->size ||
        !shortest_from_ridge(m, depth, ridge)) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_LINE_LINE,
        .a = ss_point_to_world(m->a->local, ss_point_to_body(m->rel, l->x)),
        .da = ss_rotate(m->a->local.R, ss_unrotate(m->rel.R, l->d)),
        .b = ss_meeting_t_point(m, ridge->x),
        .db = ss_meeting_t_direction(m, ridge->d),
        .ra = m->a->radius,
        .ea = l->half + m->tol,
        .eb = { ridge->half + m->tol, INFINITY },
        .side = side,
        .fallback = ss_meeting_world(m, n),
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, ss_feature_edge(m->p, edge), ss_meeting_number_edge(m, on_t), true);
}

/* a point of T against a line of X: the point is feature a, so the gap is turned round */
static void edge_on_peak(ss_meeting *m, int edge, const line *l, int vertex, const ss_peak *peak)
{
    const ss_vec3 from = ss_sub(peak->x, l->x);
    const double along = ss_dot(from, l->d);
    const ss_vec3 u = ss_axpy(along, l->d, ss_scale(-1, from));
    if (fabs(along) > l->half + m->tol || !ss_meeting_is_normal(m, peak, u) || off_edge(m, edge, ss_unit(u)) > SS_TOL_SHAPE) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_POINT_LINE,
        .swap = true,
        .a = ss_meeting_t_point(m, peak->x),
        .b = ss_point_to_world(m->a->local, ss_point_to_body(m->rel, l->x)),
        .db = ss_rotate(m->a->local.R, ss_unrotate(m->rel.R, l->d)),
        .rb = m->a->radius,
        .eb = { l->half + m->tol, INFINITY },
        .fallback = ss_meeting_world(m, ss_scale(-1, ss_unit(u))),
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, ss_feature_edge(m->p, edge), ss_meeting_number_vertex(m, vertex), true);
}

static void face_on_peak(ss_meeting *m, int face, int vertex, const ss_peak *peak)
{
    const ss_vec3 x = ss_point_to_body(m->rel, peak->x), n = m->p->normal[face];
    const double depth = depth_in(m, face, peak->x);
    if (ss_peak_off(peak, way_out(m, face)) > SS_FLAT_PLAY || ss_face_beyond(m->p, face, x) > m->tol || depth > m->p->size ||
        !shortest_from_peak(m, depth, peak)) {
        return;
    }
    const int first = m->p->face_start[face];
    const ss_vec3 t = m->p->rim[first];
    const ss_gap gap = {
        .kind = SS_GAP_POINT_PLANE,
        .swap = true,
        .a = ss_meeting_t_point(m, peak->x),
        .b = ss_meeting_x_point(m, ss_axpy(depth, n, x)),
        .db = ss_rotate(m->a->local.R, n),
        .tb = ss_rotate(m->a->local.R, t),
        .rb = m->a->radius,
        .eb = { INFINITY, INFINITY },
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, ss_feature_face(m->p, face), ss_meeting_number_vertex(m, vertex), true);
}

static void ridge_under(ss_meeting *m, int on_t)
{
    ss_ridge ridge;
    if (m->p->edges == 0 || !ss_terrain_ridge(m->t, on_t, &ridge)) {
        return;
    }
    for (int e = 0; e < m->p->edges; e++) {
        const line l = edge_of(m, e);
        edge_on_ridge(m, e, &l, on_t, &ridge);
    }
}

static void peak_under(ss_meeting *m, int vertex)
{
    ss_peak peak;
    if (m->p->edges + m->p->faces == 0 || !ss_terrain_peak(m->t, vertex, &peak) || !ss_peak_sharp(m->t, &peak)) {
        return;
    }
    for (int f = 0; f < m->p->faces; f++) {
        face_on_peak(m, f, vertex, &peak);
    }
    for (int e = 0; e < m->p->edges; e++) {
        const line l = edge_of(m, e);
        edge_on_peak(m, e, &l, vertex, &peak);
    }
}

/* can X reach a feature that starts at a vertex and is at most `length` long? */
static bool reaches(const ss_meeting *m, int vertex, double length)
{
    const ss_vec3 middle = ss_point_to_world(m->rel, m->p->middle);
    return ss_norm(ss_sub(ss_terrain_vertex(m->t, vertex), middle)) <= m->p->size + m->a->radius + fmax(0, m->margin) + length;
}

void ss_meeting_at_vertex(ss_meeting *m, int vertex)
{
    if (reaches(m, vertex, ss_meeting_longest(m->t))) {
        for (int k = 0; k < 3 && m->t->dimension == 3; k++) {
            ridge_under(m, 3 * vertex + k);
        }
    }
    if (reaches(m, vertex, 0)) {
        peak_under(m, vertex);
    }
}
