/* solid_features.c - corners, edges and faces of a polytope, and gaps of corners and edges against them.
 *
 * A corner against a face is point-plane, against an edge point-line, against a corner point-point; two edges are
 * line-line. Points and directions are moved from the shapes' frames to their bodies' frames.
 *
 * Nearest feature of x: a point above a face, within its sides, is nearest to that face; else the nearest of all edges
 * that have it between their ends and of all corners. Cost: the number of features. */
#include "geom/pairs.h"

/* ---- features ------------------------------------------------------------------------------ */

double ss_edge_off(const ss_polytope *p, int edge, ss_vec3 n)
{
    if (p->faces == 0) {
        return -INFINITY;
    }
    const ss_vec3 d = ss_unit(ss_edge_vector(p, edge));
    const ss_vec3 in0 = ss_cross(p->normal[p->edge_face[edge][0]], d), in1 = ss_cross(d, p->normal[p->edge_face[edge][1]]);
    return fmax(ss_dot(n, in0), ss_dot(n, in1));
}

/* the face above which x lies, or the one of least penetration; -1: neither */
static int nearest_face(const ss_polytope *p, ss_vec3 x, double slack, double *distance)
{
    int deepest = -1;
    double most = -INFINITY;
    for (int f = 0; f < p->faces; f++) {
        const double height = ss_dot(p->normal[f], x) - p->offset[f];
        if (height > 0 && ss_face_beyond(p, f, x) <= slack) {
            *distance = height;
            return f;
        }
        if (height > most) {
            most = height;
            deepest = f;
        }
    }
    if (deepest < 0 || most > 0 || ss_face_beyond(p, deepest, x) > slack) {
        return -1;
    }
    *distance = most;
    return deepest;
}

int ss_polytope_nearest(const ss_polytope *p, ss_vec3 x, double slack, double *distance)
{
    const int face = nearest_face(p, x, slack, distance);
    if (face >= 0) {
        return ss_feature_face(p, face);
    }
    int best = 0;
    *distance = INFINITY;
    for (int e = 0; e < p->edges; e++) {
        const ss_vec3 d = ss_edge_vector(p, e), r = ss_sub(x, p->corner[p->edge[e][0]]);
        const double length = ss_norm(d), along = ss_dot(r, d) / length;
        const double off = ss_norm(ss_axpy(-along / length, d, r));
        if (along >= -slack && along <= length + slack && off < *distance) {
            *distance = off;
            best = ss_feature_edge(p, e);
        }
    }
    for (int k = 0; k < p->corners; k++) {
        const double off = ss_norm(ss_sub(x, p->corner[k]));
        if (off < *distance) {
            *distance = off;
            best = k;
        }
    }
    return best;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

ss_vec3 ss_across(ss_vec3 n)
{
    const ss_vec3 x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 };
    const bool x_least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z), y_less = fabs(n.y) <= fabs(n.z);
    return ss_unit(ss_cross(n, x_least ? x : y_less ? y : z));
}

/* can the shapes be asked again when the gap is evaluated later? */
static bool lasting(const ss_two_solids *two)
{
    return two->s[0].p == two->s[0].shape->polytope && two->s[1].p == two->s[1].shape->polytope;
}

/* bounding rectangle of a face: its middle x (shape frame), half sides along t and n x t */
static void bound_face(const ss_polytope *p, int face, ss_vec3 t, ss_vec3 *x, double e[2])
{
    const ss_vec3 n = p->normal[face], axis[2] = { t, ss_cross(n, t) };
    *x = ss_scale(p->offset[face], n);
    for (int i = 0; i < 2; i++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int k = p->face_start[face]; k < p->face_start[face + 1]; k++) {
            const double along = ss_dot(axis[i], p->corner[p->face_corner[k]]);
            lo = fmin(lo, along);
            hi = fmax(hi, along);
        }
        *x = ss_axpy(0.5 * (lo + hi), axis[i], *x);
        e[i] = 0.5 * (hi - lo);
    }
}

static void set_face(const ss_two_solids *two, int which, int face, ss_gap *gap)
{
    const ss_solid *s = &two->s[which];
    const ss_vec3 side = s->p->rim[s->p->face_start[face]];
    const bool flat = two->dimension == 2;
    ss_vec3 middle = s->p->corner[s->p->face_corner[s->p->face_start[face]]];
    gap->kind = SS_GAP_POINT_PLANE;
    gap->db = ss_rotate(s->shape->local.R, s->p->normal[face]);
    gap->tb = ss_rotate(s->shape->local.R, side);
    if (lasting(two)) {
        gap->from.face = 1 + face;
    } else {
        bound_face(s->p, face, side, &middle, gap->eb);
        gap->eb[0] += two->tol;
        gap->eb[1] = flat ? INFINITY : gap->eb[1] + two->tol;
    }
    gap->b = ss_point_to_world(s->shape->local, middle);
}

/* middle, direction and half length of an edge, in the frame of its body */
static double place_edge(const ss_solid *s, int edge, ss_vec3 *x, ss_vec3 *d)
{
    const ss_vec3 v = ss_edge_vector(s->p, edge);
    const double length = ss_norm(v);
    *x = ss_point_to_world(s->shape->local, ss_axpy(0.5, v, s->p->corner[s->p->edge[edge][0]]));
    *d = ss_rotate(s->shape->local.R, ss_scale(1 / length, v));
    return 0.5 * length;
}

static void set_edge(const ss_two_solids *two, int which, int edge, ss_gap *gap)
{
    const ss_solid *s = &two->s[which];
    const int *face = s->p->edge_face[edge];
    gap->kind = SS_GAP_POINT_LINE;
    gap->eb[0] = place_edge(s, edge, &gap->b, &gap->db) + two->tol;
    gap->fallback = s->p->faces == 0
                        ? ss_across(gap->db)
                        : ss_rotate(s->shape->local.R, ss_unit(ss_add(s->p->normal[face[0]], s->p->normal[face[1]])));
}

static void set_corner(const ss_two_solids *two, int which, int corner, ss_gap *gap)
{
    const ss_solid *s = &two->s[which];
    const ss_vec3 x = s->p->corner[corner], out = ss_sub(x, s->p->middle);
    gap->kind = SS_GAP_POINT_POINT;
    gap->b = ss_point_to_world(s->shape->local, x);
    gap->fallback = s->p->size > 0 ? ss_rotate(s->shape->local.R, ss_unit(out)) : ss_v3(0, 1, 0);
}

ss_gap ss_gap_corner(const ss_two_solids *two, int owner, int corner, int feature)
{
    const ss_solid *mine = &two->s[owner], *other = &two->s[1 - owner];
    const int face = feature - ss_feature_face(other->p, 0), edge = feature - ss_feature_edge(other->p, 0);
    ss_gap gap = { .ra = mine->radius, .rb = other->radius, .eb = { INFINITY, INFINITY }, .swap = owner == 1, .rim = two->tol };
    ss_gap_exchange_corner(two, owner, corner, &gap);
    if (face >= 0) {
        set_face(two, 1 - owner, face, &gap);
    } else if (edge >= 0) {
        set_edge(two, 1 - owner, edge, &gap);
    } else {
        set_corner(two, 1 - owner, feature, &gap);
    }
    if (gap.kind != SS_GAP_POINT_PLANE) {
        gap.fallback = ss_rotate(other->body.R, gap.fallback);
    }
    if (lasting(two) && mine->p->faces + other->p->faces > 0) {
        gap.from.shape[0] = mine->shape;
        gap.from.shape[1] = other->shape;
    }
    return gap;
}

ss_gap ss_gap_edges(const ss_two_solids *two, int edge_a, int edge_b)
{
    ss_gap gap = { .kind = SS_GAP_LINE_LINE,
                   .ra = two->s[0].radius,
                   .rb = two->s[1].radius,
                   .eb = { 0, INFINITY },
                   .side = 1,
                   .from.edge = { edge_a, edge_b },
                   .rim = two->tol };
    gap.ea = place_edge(&two->s[0], edge_a, &gap.a, &gap.da) + two->tol;
    gap.eb[0] = place_edge(&two->s[1], edge_b, &gap.b, &gap.db) + two->tol;
    if (lasting(two)) {
        gap.from.shape[0] = two->s[0].shape;
        gap.from.shape[1] = two->s[1].shape;
    }
    return gap;
}
