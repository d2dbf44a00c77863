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
#include "base/tolerances.h"
#include "geom/meeting.h"

static const double GROUND = 1e-12; /* of the spacing: round-off of heights */

/* ---- collecting ---------------------------------------------------------------------------- */

static bool place_taken(const ss_meeting *m, ss_vec3 at)
{
    for (int k = 0; k < m->c.out->n; k++) {
        if (ss_norm(ss_sub(at, m->c.at[k])) <= 4 * m->tol) {
            return true;
        }
    }
    return false;
}

static bool code_taken(const ss_meeting *m, uint32_t code)
{
    for (int k = 0; k < m->c.out->n; k++) {
        if (m->c.out->feature[k] == code) {
            return true;
        }
    }
    return false;
}

void ss_meeting_offer(ss_meeting *m, const ss_gap *gap, int on_x, int64_t on_t, bool second)
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

/* cells within `reach` of a point */
static ss_cells cells_near(const ss_meeting *m, ss_vec3 x, double reach)
{
    const ss_vec3 r = { reach, reach, reach };
    return ss_terrain_cells(m->t, ss_sub(x, r), ss_add(x, r));
}

/* ---- corners of X -------------------------------------------------------------------------- */

static void offer_on_face(ss_meeting *m, int corner, int face, bool bounded)
{
    const ss_terrain_plane *plane = &m->t->plane[m->t->patch[face]];
    const ss_gap gap = {
        .kind = SS_GAP_POINT_PLANE,
        .a = ss_meeting_x_point(m, m->p->corner[corner]),
        .b = ss_meeting_t_point(m, plane->x),
        .db = ss_meeting_t_direction(m, plane->n),
        .tb = ss_meeting_t_direction(m, plane->t),
        .ra = m->a->radius,
        .eb = { bounded ? plane->half[0] + m->tol : INFINITY, bounded ? plane->half[1] + m->tol : INFINITY },
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, corner, ss_meeting_number_patch(m, face), false);
}

static double height(const ss_meeting *m, int face, ss_vec3 x)
{
    const ss_terrain_plane *plane = &m->t->plane[m->t->patch[face]];
    return ss_dot(plane->n, ss_sub(x, plane->x));
}

/* least depth below a face that has the corner under it; INFINITY: none */
static double least_depth(const ss_meeting *m, ss_cells c, ss_vec3 x)
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

static void corner_on_faces(ss_meeting *m, int corner, ss_cells c, ss_vec3 x, double deepest)
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

static void corner_on_ridge(ss_meeting *m, int corner, int edge, ss_vec3 x)
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
        .a = ss_meeting_x_point(m, m->p->corner[corner]),
        .b = ss_meeting_t_point(m, ridge.x),
        .db = ss_meeting_t_direction(m, ridge.d),
        .ra = m->a->radius,
        .eb = { ridge.half + m->tol, INFINITY },
        .fallback = ss_meeting_world(m, ridge.normal),
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, corner, ss_meeting_number_edge(m, edge), true);
}

static void corner_on_peak(ss_meeting *m, int corner, int vertex, ss_vec3 x)
{
    ss_peak peak;
    if (!ss_terrain_peak(m->t, vertex, &peak) || !ss_meeting_is_normal(m, &peak, ss_sub(x, peak.x))) {
        return;
    }
    const ss_gap gap = {
        .kind = SS_GAP_POINT_POINT,
        .a = ss_meeting_x_point(m, m->p->corner[corner]),
        .b = ss_meeting_t_point(m, peak.x),
        .ra = m->a->radius,
        .eb = { INFINITY, INFINITY },
        .fallback = ss_meeting_world(m, ss_unit(ss_sub(x, peak.x))),
        .rim = m->tol,
    };
    ss_meeting_offer(m, &gap, corner, ss_meeting_number_vertex(m, vertex), true);
}

/* the vertices of the cells, and the edges that start at them, where the corner can reach them */
static void corner_on_ridges_and_peaks(ss_meeting *m, int corner, ss_cells c, ss_vec3 x)
{
    for (int j = c.j0; j <= c.j1 + (m->t->dimension == 3); j++) {
        for (int i = c.i0; i <= c.i1 + 1; i++) {
            const int vertex = j * m->t->columns + i;
            const double beyond = ss_norm(ss_sub(x, ss_terrain_vertex(m->t, vertex))) - m->a->radius - fmax(0, m->margin);
            for (int k = 0; k < 3 && m->t->dimension == 3 && beyond <= ss_meeting_longest(m->t); k++) {
                corner_on_ridge(m, corner, 3 * vertex + k, x);
            }
            if (beyond <= 0) {
                corner_on_peak(m, corner, vertex, x);
            }
        }
    }
}

static void corner_on_ground(ss_meeting *m, int corner)
{
    const ss_vec3 x = ss_meeting_corner_of(m, corner);
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
    /* no face farther than the surface above or below it, and at most 4 spacings: as deep as a step may push a corner */
    const ss_cells near = cells_near(m, x, fmin(depth, 4 * m->t->spacing) + fmax(0, m->a->radius + m->margin));
    const double least = least_depth(m, near, x);
    if (isfinite(least)) {
        corner_on_faces(m, corner, near, x, SS_LEEWAY * least + m->tol);
    } else {
        offer_on_face(m, corner, below, false);
    }
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* cells under X as a whole */
static ss_cells cells_under(const ss_meeting *m)
{
    const double grown = m->a->radius + fmax(0, m->margin);
    ss_vec3 lo = ss_meeting_corner_of(m, 0), hi = lo;
    for (int k = 1; k < m->p->corners; k++) {
        const ss_vec3 x = ss_meeting_corner_of(m, k);
        lo = ss_v3(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = ss_v3(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    return ss_terrain_cells(m->t, ss_sub(lo, ss_v3(grown, grown, grown)), ss_add(hi, ss_v3(grown, grown, grown)));
}

static ss_meeting place(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                        ss_manifold *out)
{
    ss_meeting m = { .a = a, .b = b, .p = a->polytope, .t = b->terrain, .margin = margin, .c.out = out };
    m.body[0] = (ss_frame){ { 0, 0, 0 }, fa->R };
    m.body[1] = (ss_frame){ ss_sub(fb->p, fa->p), fb->R };
    const ss_frame x = ss_frame_compose(m.body[0], a->local), t = ss_frame_compose(m.body[1], b->local);
    for (int k = 0; k < 3; k++) {
        m.rel.R.c[k] = ss_unrotate(t.R, x.R.c[k]);
    }
    m.rel.p = ss_unrotate(t.R, ss_sub(x.p, t.p));
    m.tol = SS_TOL_SHAPE * (m.p->size + a->radius) + GROUND * m.t->spacing + SS_TOL_PLACE * ss_norm(m.rel.p);
    return m;
}

void ss_pair_polytope_height_field(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                   ss_manifold *out)
{
    ss_meeting m = place(a, fa, b, fb, margin, out);
    const ss_cells under = cells_under(&m);
    if (under.i0 > under.i1) {
        return;
    }
    for (int k = 0; k < m.p->corners; k++) {
        corner_on_ground(&m, k);
    }
    for (int j = under.j0; j <= under.j1 + (m.t->dimension == 3); j++) {
        for (int i = under.i0; i <= under.i1 + 1; i++) {
            ss_meeting_at_vertex(&m, j * m.t->columns + i);
        }
    }
}
