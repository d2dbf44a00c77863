/* pair_height_field.c - a rounded polytope X on a height field T.
 *
 * Every pair of features that can touch, each a smooth gap:
 *
 *     corner of X  on  face, ridge, peak of T        point-plane, point-line, point-point
 *     edge of X    on  ridge, peak of T              line-line, point-line
 *     face of X    on  peak of T                     point-plane
 *
 * A pair counts when the witness lies on both features and the normal belongs to both: n to T's (terrain.h), -n to X's. So
 * seams inside a patch give nothing, ridges and peaks give normals of their own range only, and a ball that rolls over a flat
 * field meets one plane with one identity. Corners are taken one by one: above the surface a corner is held against all faces
 * near it that it is above; below it, against those that are least deep (within a twentieth), or against the plane of the
 * face in its column. Edges and faces of X that lie flat keep their contacts while X rocks: the normal may leave theirs by a
 * sine of 0.05, and those of a ridge by half its sharpness.
 *
 * A body that rests on the ground and sticks out over its border, or over a cliff, has sides that are far behind the edge,
 * but they are no way out of anything. So an edge or a face of X is held against a ridge or a peak, overlapping, only if
 * that is the shortest way out up to a twentieth, among the axes of two convex pieces: not longer than X is deep below the
 * faces of T that meet there, nor than T's feature is deep in X below any face of X that may rest on it.
 *
 * Identity: features are numbered, faces of T by their patch; the number of the pair, feature of T times features of X plus
 * feature of X, is taken modulo 2^28. Two pairs have the same one only if they are 2^28 / features of X apart on T, which no
 * body spans.
 *
 * Cost: faces and edges under the corners, edges and vertices under X as a whole; those inside a patch cost next to nothing. */
#include "geom/pairs.h"
#include "geom/terrain.h"

static const double flat_play = 0.05, leeway = 1.05;

typedef struct meeting {
    const ss_shape *a, *b;
    const ss_polytope *p;
    const ss_terrain *t;
    ss_frame body[2]; /* about the origin of body a             */
    ss_frame rel;     /* X's shape -> T's shape                 */
    double margin, tol;
    ss_collector c;
} meeting;

/* ---- collecting ---------------------------------------------------------------------------- */

static bool place_taken(const meeting *m, ss_vec3 at)
{
    for (int k = 0; k < m->c.out->n; k++) {
        if (ss_norm(ss_sub(at, m->c.at[k])) <= 4 * m->tol) {
            return true;
        }
    }
    return false;
}

static bool code_taken(const meeting *m, uint32_t code)
{
    for (int k = 0; k < m->c.out->n; k++) {
        if (m->c.out->feature[k] == code) {
            return true;
        }
    }
    return false;
}

/* `second`: not if there is a gap at this place already */
static void offer(meeting *m, const ss_gap *gap, int on_x, int64_t on_t, bool second)
{
    const int64_t features = m->p->corners + m->p->edges + m->p->faces;
    const uint32_t number = (uint32_t)((on_t * features + on_x) & ((1 << 28) - 1));
    const int half[2] = { (int)(number >> 14), (int)(number & ((1 << 14) - 1)) };
    ss_gap_value value;
    ss_gap_measure(gap, &m->body[0], &m->body[1], &value);
    if (value.gap < m->margin && !code_taken(m, (uint32_t)gap->kind << 28 | number) && !(second && place_taken(m, value.point))) {
        ss_collect(&m->c, gap, &value, half);
    }
}

/* numbers of T's features: patches by one of their faces' plane, edges, vertices */
static int64_t number_patch(const meeting *m, int face) { return m->t->patch[face]; }

static int64_t number_edge(const meeting *m, int edge) { return (int64_t)ss_terrain_faces(m->t) + edge; }

static int64_t number_vertex(const meeting *m, int vertex)
{
    return (int64_t)ss_terrain_faces(m->t) + 3 * (int64_t)ss_terrain_vertices(m->t) + vertex;
}

/* ---- frames -------------------------------------------------------------------------------- */

static ss_vec3 x_point(const meeting *m, ss_vec3 x) { return ss_point_to_world(m->a->local, x); } /* X's shape -> body */

static ss_vec3 t_point(const meeting *m, ss_vec3 x) { return ss_point_to_world(m->b->local, x); }

static ss_vec3 t_direction(const meeting *m, ss_vec3 d) { return ss_rotate(m->b->local.R, d); }

static ss_vec3 world(const meeting *m, ss_vec3 d) { return ss_rotate(m->body[1].R, t_direction(m, d)); } /* from T's shape */

static ss_vec3 corner_of(const meeting *m, int k) { return ss_point_to_world(m->rel, m->p->corner[k]); } /* in T's shape */

/* cells within `reach` of a point */
static ss_cells cells_near(const meeting *m, ss_vec3 x, double reach)
{
    const ss_vec3 r = { reach, reach, reach };
    return ss_terrain_cells(m->t, ss_sub(x, r), ss_add(x, r));
}

/* ---- corners of X -------------------------------------------------------------------------- */

static void offer_on_face(meeting *m, int corner, int face, bool bounded)
{
    const ss_terrain_plane *plane = &m->t->plane[m->t->patch[face]];
    const ss_gap gap = {
        .kind = SS_GAP_POINT_PLANE,
        .a = x_point(m, m->p->corner[corner]),
        .b = t_point(m, plane->x),
        .db = t_direction(m, plane->n),
        .tb = t_direction(m, plane->t),
        .ra = m->a->radius,
        .eb = { bounded ? plane->half[0] + m->tol : INFINITY, bounded ? plane->half[1] + m->tol : INFINITY },
        .fallback = world(m, plane->n),
        .rim = m->tol,
    };
    offer(m, &gap, corner, number_patch(m, face), false);
}

static double height(const meeting *m, int face, ss_vec3 x)
{
    const ss_terrain_plane *plane = &m->t->plane[m->t->patch[face]];
    return ss_dot(plane->n, ss_sub(x, plane->x));
}

/* least depth below a face that has the corner under it; INFINITY: none */
static double least_depth(const meeting *m, ss_cells c, ss_vec3 x)
{
    double least = INFINITY;
    for (int j = c.j0; j <= c.j1; j++) {
        for (int i = c.i0; i <= c.i1; i++) {
            for (int k = 0; k < ss_terrain_per_cell(m->t); k++) {
                const int face = ss_terrain_per_cell(m->t) * (j * (m->t->columns - 1) + i) + k;
                const double h = height(m, face, x);
                if (h < 0 && -h < least && ss_terrain_beyond(m->t, face, x) <= m->tol) {
                    least = -h;
                }
            }
        }
    }
    return least;
}

static void corner_on_faces(meeting *m, int corner, ss_cells c, ss_vec3 x, double deepest)
{
    for (int j = c.j0; j <= c.j1; j++) {
        for (int i = c.i0; i <= c.i1; i++) {
            for (int k = 0; k < ss_terrain_per_cell(m->t); k++) {
                const int face = ss_terrain_per_cell(m->t) * (j * (m->t->columns - 1) + i) + k;
                const double h = height(m, face, x);
                if (h >= -deepest && h < m->margin + m->a->radius && ss_terrain_beyond(m->t, face, x) <= m->tol) {
                    offer_on_face(m, corner, face, true);
                }
            }
        }
    }
}

static void corner_on_ridge(meeting *m, int corner, int edge, ss_vec3 x)
{
    ss_ridge ridge;
    if (!ss_terrain_ridge(m->t, edge, &ridge)) {
        return;
    }
    const ss_vec3 from = ss_sub(x, ridge.x);
    const double along = ss_dot(from, ridge.d);
    const ss_vec3 u = ss_axpy(-along, ridge.d, from);
    if (fabs(along) > ridge.half + m->tol || ss_norm(u) <= m->tol || ss_ridge_off(&ridge, u) > m->tol) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_POINT_LINE,
        .a = x_point(m, m->p->corner[corner]),
        .b = t_point(m, ridge.x),
        .db = t_direction(m, ridge.d),
        .ra = m->a->radius,
        .eb = { ridge.half + m->tol, INFINITY },
        .fallback = world(m, ridge.normal),
        .rim = m->tol,
    };
    offer(m, &gap, corner, number_edge(m, edge), true);
}

/* is u, a length from the peak, one of its normals? */
static bool belongs_to(const meeting *m, const ss_peak *peak, ss_vec3 u)
{
    return ss_norm(u) > m->tol && ss_peak_off(peak, u) <= m->tol;
}

static void corner_on_peak(meeting *m, int corner, int vertex, ss_vec3 x)
{
    ss_peak peak;
    if (!ss_terrain_peak(m->t, vertex, &peak) || !belongs_to(m, &peak, ss_sub(x, peak.x))) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_POINT_POINT,
        .a = x_point(m, m->p->corner[corner]),
        .b = t_point(m, peak.x),
        .ra = m->a->radius,
        .eb = { INFINITY, INFINITY },
        .fallback = world(m, ss_unit(ss_sub(x, peak.x))),
        .rim = m->tol,
    };
    offer(m, &gap, corner, number_vertex(m, vertex), true);
}

/* of the edges of T */
static double longest(const ss_terrain *t) { return 1.5 * t->spacing + t->highest - t->lowest; }

/* the vertices of the cells, and the edges that start at them, where the corner can reach them */
static void corner_on_ridges_and_peaks(meeting *m, int corner, ss_cells c, ss_vec3 x)
{
    for (int j = c.j0; j <= c.j1 + (m->t->dimension == 3); j++) {
        for (int i = c.i0; i <= c.i1 + 1; i++) {
            const int vertex = j * m->t->columns + i;
            const double beyond = ss_norm(ss_sub(x, ss_terrain_vertex(m->t, vertex))) - m->a->radius - fmax(0, m->margin);
            for (int k = 0; k < 3 && m->t->dimension == 3 && beyond <= longest(m->t); k++) {
                corner_on_ridge(m, corner, 3 * vertex + k, x);
            }
            if (beyond <= 0) {
                corner_on_peak(m, corner, vertex, x);
            }
        }
    }
}

static void corner_on_ground(meeting *m, int corner)
{
    const ss_vec3 x = corner_of(m, corner);
    const int below = ss_terrain_face_below(m->t, x);
    const double depth = below >= 0 ? -height(m, below, x) : -INFINITY;
    if (!(depth > 0)) {
        const ss_cells near = cells_near(m, x, fmax(0, m->a->radius + m->margin));
        if (near.i0 <= near.i1) {
            corner_on_faces(m, corner, near, x, 0);
            corner_on_ridges_and_peaks(m, corner, near, x);
        }
        return;
    }
    /* nothing farther than its own column's surface, and not beyond what a step may do to a corner */
    const ss_cells near = cells_near(m, x, fmin(depth, 4 * m->t->spacing) + fmax(0, m->a->radius + m->margin));
    const double least = least_depth(m, near, x);
    if (isfinite(least)) {
        corner_on_faces(m, corner, near, x, leeway * least + m->tol);
    } else {
        offer_on_face(m, corner, below, false);
    }
}

/* ---- edges and faces of X ------------------------------------------------------------------- */

/* sine by which u (T's frame, unit, from T to X) leaves the normals of an edge of X, as they are seen from it */
static double off_edge(const meeting *m, int edge, ss_vec3 u)
{
    return ss_edge_off(m->p, edge, ss_scale(-1, ss_unrotate(m->rel.R, u)));
}

typedef struct line {
    ss_vec3 x, d; /* in T's frame: middle, unit */
    double half;
} line;

static line edge_of(const meeting *m, int edge)
{
    const ss_vec3 v = ss_rotate(m->rel.R, ss_edge_vector(m->p, edge));
    const double length = ss_norm(v);
    return (line){ ss_axpy(0.5, v, corner_of(m, m->p->edge[edge][0])), ss_scale(1 / length, v), 0.5 * length };
}

/* how deep X is below the plane through x across n, both in T's frame */
static double depth_along(const meeting *m, ss_vec3 x, ss_vec3 n)
{
    const ss_vec3 down = ss_scale(-1, ss_unrotate(m->rel.R, n));
    return ss_dot(down, ss_sub(m->p->corner[ss_polytope_support(m->p, down)], ss_point_to_body(m->rel, x)));
}

/* is an overlap of `depth` more than X is deep below one of the faces of T that meet at x? */
static bool deeper_than_faces(const meeting *m, double depth, ss_vec3 x, int faces, const ss_vec3 *face)
{
    for (int k = 0; k < faces; k++) {
        if (depth > leeway * fmax(0, depth_along(m, x, face[k])) + m->tol) {
            return true;
        }
    }
    return false;
}

/* face k of X: its normal turned round, in T's frame; and how deep x, in T's frame, is below it */
static ss_vec3 way_out(const meeting *m, int k) { return ss_scale(-1, ss_rotate(m->rel.R, m->p->normal[k])); }

static double depth_in(const meeting *m, int k, ss_vec3 x)
{
    return m->p->offset[k] - ss_dot(m->p->normal[k], ss_point_to_body(m->rel, x));
}

static double play_of(const ss_ridge *ridge) { return fmin(flat_play, 0.5 * ridge->sharpness); }

static bool shortest_from_ridge(const meeting *m, double depth, const ss_ridge *ridge)
{
    if (depth <= m->tol) {
        return true;
    }
    for (int k = 0; k < m->p->faces; k++) {
        const ss_vec3 u = way_out(m, k);
        const double there = depth_in(m, k, ridge->x) + fabs(ss_dot(u, ridge->d)) * ridge->half;
        if (depth > leeway * fmax(0, there) + m->tol && ss_ridge_off(ridge, u) <= play_of(ridge)) {
            return false;
        }
    }
    return !deeper_than_faces(m, depth, ridge->x, ridge->faces, ridge->face);
}

static bool shortest_from_peak(const meeting *m, double depth, const ss_peak *peak)
{
    if (depth <= m->tol) {
        return true;
    }
    for (int k = 0; k < m->p->faces; k++) {
        if (depth > leeway * fmax(0, depth_in(m, k, peak->x)) + m->tol && ss_peak_off(peak, way_out(m, k)) <= flat_play) {
            return false;
        }
    }
    return !deeper_than_faces(m, depth, peak->x, peak->faces, peak->face);
}

static void edge_on_ridge(meeting *m, int edge, const line *l, int on_t, const ss_ridge *ridge)
{
    const ss_vec3 cross = ss_cross(l->d, ridge->d), D = ss_sub(l->x, ridge->x);
    const double sine = ss_norm(cross), c = ss_dot(l->d, ridge->d), da = ss_dot(D, l->d), db = ss_dot(D, ridge->d);
    if (sine < 1e-3) {
        return; /* along each other: their ends are found as corners */
    }
    const double side = ss_dot(cross, ridge->normal) >= 0 ? 1 : -1;
    const ss_vec3 n = ss_scale(side / sine, cross);
    const double s = (c * db - da) / (sine * sine), t = (db - c * da) / (sine * sine);
    const bool on_both = fabs(s) <= l->half + m->tol && fabs(t) <= ridge->half + m->tol;
    const double depth = -ss_dot(n, D);
    if (!on_both || ss_ridge_off(ridge, n) > play_of(ridge) || off_edge(m, edge, n) > flat_play || depth > m->p->size ||
        !shortest_from_ridge(m, depth, ridge)) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_LINE_LINE,
        .a = ss_point_to_world(m->a->local, ss_point_to_body(m->rel, l->x)),
        .da = ss_rotate(m->a->local.R, ss_unrotate(m->rel.R, l->d)),
        .b = t_point(m, ridge->x),
        .db = t_direction(m, ridge->d),
        .ra = m->a->radius,
        .ea = l->half + m->tol,
        .eb = { ridge->half + m->tol, INFINITY },
        .side = side,
        .fallback = world(m, n),
        .rim = m->tol,
    };
    offer(m, &gap, ss_feature_edge(m->p, edge), number_edge(m, on_t), true);
}

/* a point of T against a line of X: the point is feature a, so the gap is turned round */
static void edge_on_peak(meeting *m, int edge, const line *l, int vertex, const ss_peak *peak)
{
    const ss_vec3 from = ss_sub(peak->x, l->x);
    const double along = ss_dot(from, l->d);
    const ss_vec3 u = ss_axpy(along, l->d, ss_scale(-1, from));
    if (fabs(along) > l->half + m->tol || !belongs_to(m, peak, u) || off_edge(m, edge, ss_unit(u)) > 1e-9) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_POINT_LINE,
        .swap = true,
        .a = t_point(m, peak->x),
        .b = ss_point_to_world(m->a->local, ss_point_to_body(m->rel, l->x)),
        .db = ss_rotate(m->a->local.R, ss_unrotate(m->rel.R, l->d)),
        .rb = m->a->radius,
        .eb = { l->half + m->tol, INFINITY },
        .fallback = world(m, ss_scale(-1, ss_unit(u))),
        .rim = m->tol,
    };
    offer(m, &gap, ss_feature_edge(m->p, edge), number_vertex(m, vertex), true);
}

static void face_on_peak(meeting *m, int face, int vertex, const ss_peak *peak)
{
    const ss_vec3 x = ss_point_to_body(m->rel, peak->x), n = m->p->normal[face];
    const double depth = depth_in(m, face, peak->x);
    if (ss_peak_off(peak, way_out(m, face)) > flat_play || ss_face_beyond(m->p, face, x) > m->tol || depth > m->p->size ||
        !shortest_from_peak(m, depth, peak)) {
        return;
    }
    const int first = m->p->face_start[face];
    const ss_vec3 t = m->p->rim[first];
    const ss_gap gap = {
        .kind = SS_GAP_POINT_PLANE,
        .swap = true,
        .a = t_point(m, peak->x),
        .b = x_point(m, ss_axpy(depth, n, x)),
        .db = ss_rotate(m->a->local.R, n),
        .tb = ss_rotate(m->a->local.R, t),
        .rb = m->a->radius,
        .eb = { INFINITY, INFINITY },
        .fallback = ss_rotate(m->body[0].R, ss_rotate(m->a->local.R, n)),
        .rim = m->tol,
    };
    offer(m, &gap, ss_feature_face(m->p, face), number_vertex(m, vertex), true);
}

static void ridge_under(meeting *m, int on_t)
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

static void peak_under(meeting *m, int vertex)
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

/* cells under X as a whole */
static ss_cells cells_under(const meeting *m)
{
    const double grown = m->a->radius + fmax(0, m->margin);
    ss_vec3 lo = corner_of(m, 0), hi = lo;
    for (int k = 1; k < m->p->corners; k++) {
        const ss_vec3 x = corner_of(m, k);
        lo = ss_v3(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = ss_v3(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    return ss_terrain_cells(m->t, ss_sub(lo, ss_v3(grown, grown, grown)), ss_add(hi, ss_v3(grown, grown, grown)));
}

/* can X reach a feature that starts at a vertex and is at most `length` long? */
static bool reaches(const meeting *m, int vertex, double length)
{
    const ss_vec3 middle = ss_point_to_world(m->rel, m->p->middle);
    return ss_norm(ss_sub(ss_terrain_vertex(m->t, vertex), middle)) <= m->p->size + m->a->radius + fmax(0, m->margin) + length;
}

static void vertex_under(meeting *m, int vertex)
{
    if (reaches(m, vertex, longest(m->t))) {
        for (int k = 0; k < 3 && m->t->dimension == 3; k++) {
            ridge_under(m, 3 * vertex + k);
        }
    }
    if (reaches(m, vertex, 0)) {
        peak_under(m, vertex);
    }
}

/* ---- the pair ------------------------------------------------------------------------------ */

static meeting place(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                     ss_manifold *out)
{
    meeting m = { .a = a, .b = b, .p = a->polytope, .t = b->terrain, .margin = margin, .c.out = out };
    m.body[0] = (ss_frame){ { 0, 0, 0 }, fa->R };
    m.body[1] = (ss_frame){ ss_sub(fb->p, fa->p), fb->R };
    const ss_frame x = ss_frame_compose(m.body[0], a->local), t = ss_frame_compose(m.body[1], b->local);
    for (int k = 0; k < 3; k++) {
        m.rel.R.c[k] = ss_unrotate(t.R, x.R.c[k]);
    }
    m.rel.p = ss_unrotate(t.R, ss_sub(x.p, t.p));
    m.tol = 1e-9 * (m.p->size + a->radius) + 1e-12 * m.t->spacing + 1e-15 * ss_norm(m.rel.p);
    return m;
}

void ss_pair_polytope_height_field(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                   ss_manifold *out)
{
    meeting m = place(a, fa, b, fb, margin, out);
    const ss_cells under = cells_under(&m);
    if (under.i0 > under.i1) {
        return;
    }
    for (int k = 0; k < m.p->corners; k++) {
        corner_on_ground(&m, k);
    }
    for (int j = under.j0; j <= under.j1 + (m.t->dimension == 3); j++) {
        for (int i = under.i0; i <= under.i1 + 1; i++) {
            vertex_under(&m, j * m.t->columns + i);
        }
    }
}
