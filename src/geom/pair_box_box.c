/* pair_box_box.c - two boxes, 2D and 3D: the manifold of smooth gaps between their features.
 *
 * Axes (box_axes.c). The separating axis with the largest separation s rules (s < 0: least penetration). Faces
 * win over edges, and of two faces that are equally good the one whose outward normal lies more along a fixed
 * direction wins: a choice that neither rounding nor the numbering of the bodies can turn. Edges must be better
 * than the faces by a twentieth of their |separation| and 1e-6 of the size.
 *
 * Edges rule: one line-line gap. Faces rule, or the edges' normal is within 18 degrees of the ruling face F's, or
 * nothing was found: with the face F' of the other box that looks at F most directly, vertices of F' over F,
 * vertices of F over F', then crossings of the rims of F and F' as line-line gaps when they are not near parallel.
 * A gap counts when its features are in contact (gap.c: witness on both up to 1e-9 of the size, normal of two edges
 * among the normals of both), it is below the margin, its normal is within 60 degrees of the axis', and it is not
 * deeper than 1.05 times the overlap of the boxes: so no gap claims a penetration that they do not have. A gap at
 * the place of an earlier one is the same contact and is dropped: aligned boxes have one per corner.
 *
 * Apart, the gap of the nearest features is added, so that the least gap is the distance. Overlapping and still
 * nothing found: the edges' gap; at last the deepest vertex against the unbounded plane of F.
 *
 * Symbols   A, B  boxes 0 and 1; n  normal of an axis
 * Cost      15 axes, at most 25 evaluations of gaps, and for boxes apart pair_box_nearest.c. */
#include "geom/pairs.h"

enum { FACE_EDGES = 4 };

static ss_box_axis ruling_face(const ss_two_boxes *two)
{
    const ss_vec3 fixed = { 0.3141592, 0.7182818, 0.6207310 };
    const ss_box_axis a = ss_boxes_face_axis(two, 0), b = ss_boxes_face_axis(two, 1);
    const double tie = 1e3 * two->tol;
    if (fabs(a.separation - b.separation) > tie) {
        return a.separation > b.separation ? a : b;
    }
    return ss_dot(a.n, fixed) >= ss_dot(b.n, fixed) ? a : b;
}

/* ---- collecting gaps ----------------------------------------------------------------------- */

typedef struct collector {
    const ss_two_boxes *two;
    double margin, floor;
    ss_vec3 n; /* from B to A */
    ss_manifold *out;
    ss_vec3 at[SS_MANIFOLD_MAX];
} collector;

static void add(collector *c, const ss_gap *gap, ss_vec3 at, const int feature[2])
{
    c->at[c->out->n] = at;
    ss_manifold_add(c->out, gap, feature[0], feature[1]);
}

static bool taken(const collector *c, ss_vec3 at)
{
    for (int k = 0; k < c->out->n; k++) {
        if (ss_norm(ss_sub(at, c->at[k])) <= 4 * c->two->tol) {
            return true;
        }
    }
    return c->out->n == SS_MANIFOLD_MAX;
}

static void offer(collector *c, const ss_gap *gap, const int feature[2])
{
    ss_gap_value value;
    ss_gap_eval(gap, &c->two->body[0], &c->two->body[1], &value);
    const bool counts = value.outside <= 0 && value.gap < c->margin && value.gap >= c->floor && ss_dot(value.normal, c->n) >= 0.5;
    if (counts && !taken(c, value.point)) {
        add(c, gap, value.point, feature);
    }
}

static ss_gap vertex_gap(const ss_two_boxes *two, int owner, int vertex, int face)
{
    const ss_shape *mine = two->shape[owner];
    ss_gap gap =
        ss_gap_point_box(mine, ss_box_vertex(mine, vertex), 0, two->shape[1 - owner], &two->body[1 - owner], face, two->tol);
    gap.swap = owner == 1;
    return gap;
}

/* ---- the face case ------------------------------------------------------------------------- */

/* the face of a box that looks most against n; it holds the vertex farthest against n */
static int facing(const ss_two_boxes *two, int which, ss_vec3 n)
{
    int best = SS_BOX_FACE;
    double least = INFINITY;
    for (int i = 0; i < two->shape[0]->dimension; i++) {
        const double along = ss_dot(n, two->box[which].R.c[i]);
        if (-fabs(along) < least) {
            least = -fabs(along);
            best = SS_BOX_FACE + 2 * i + (along < 0);
        }
    }
    return best;
}

static bool vertex_on_face(int vertex, int face)
{
    const int i = (face - SS_BOX_FACE) / 2, side = (face - SS_BOX_FACE) & 1;
    return (vertex >> i & 1) == side;
}

/* vertices of `owner`'s face over the other's face */
static void offer_vertices(collector *c, int owner, const int face[2])
{
    for (int v = 0; v < ss_box_vertices(c->two->shape[owner]); v++) {
        if (vertex_on_face(v, face[owner])) {
            const ss_gap gap = vertex_gap(c->two, owner, v, face[1 - owner]);
            const int feature[2] = { owner == 0 ? v : face[0], owner == 1 ? v : face[1] };
            offer(c, &gap, feature);
        }
    }
}

/* the four edges round a face */
static void face_edges(int face, int edge[FACE_EDGES])
{
    const int i = (face - SS_BOX_FACE) / 2;
    int n = 0;
    for (int step = 1; step <= 2; step++) {
        const int axis_j = (i + step) % 3;
        for (int v = 0; v < 8; v++) {
            if (vertex_on_face(v, face) && !(v >> axis_j & 1)) {
                edge[n++] = ss_box_edge(axis_j, v);
            }
        }
    }
}

/* smaller half side of a face */
static double face_width(const ss_shape *box, int face)
{
    const int i = (face - SS_BOX_FACE) / 2;
    return fmin(ss_axis(box->half, (i + 1) % 3), ss_axis(box->half, (i + 2) % 3));
}

static void offer_crossing(collector *c, int e, int f, double width)
{
    const ss_two_boxes *two = c->two;
    const ss_vec3 cross = ss_cross(two->box[0].R.c[ss_box_edge_axis(e)], two->box[1].R.c[ss_box_edge_axis(f)]);
    ss_gap gap = ss_gap_edge_edge(two->shape[0], e, two->shape[1], f, two->tol);
    /* lines that part by less than a thousandth of the width over their length bound the same strip */
    if (ss_norm(cross) * fmin(gap.ea, gap.eb[0]) > 1e-3 * width) {
        const int feature[2] = { e, f };
        gap.side = ss_dot(cross, c->n) >= 0 ? 1 : -1;
        gap.fallback = c->n;
        offer(c, &gap, feature);
    }
}

static void offer_crossings(collector *c, int owner, const int face[2])
{
    const double width = fmin(face_width(c->two->shape[0], face[0]), face_width(c->two->shape[1], face[1]));
    int mine[FACE_EDGES], other[FACE_EDGES];
    face_edges(face[owner], mine);
    face_edges(face[1 - owner], other);
    for (int i = 0; i < FACE_EDGES; i++) {
        for (int j = 0; j < FACE_EDGES; j++) {
            offer_crossing(c, owner == 0 ? mine[i] : other[j], owner == 0 ? other[j] : mine[i], width);
        }
    }
}

static void collect_faces(collector *c, const ss_box_axis *ruling)
{
    const int owner = ruling->owner, other = 1 - owner;
    int face[2];
    c->n = owner == 1 ? ruling->n : ss_scale(-1, ruling->n);
    face[owner] = ruling->face;
    face[other] = facing(c->two, other, ruling->n);
    offer_vertices(c, other, face);
    offer_vertices(c, owner, face);
    if (c->two->shape[0]->dimension == 3) {
        offer_crossings(c, owner, face);
    }
}

/* ---- the others ---------------------------------------------------------------------------- */

static void collect_edges(collector *c, const ss_box_axis *edges)
{
    ss_gap gap = ss_gap_edge_edge(c->two->shape[0], edges->edge[0], c->two->shape[1], edges->edge[1], c->two->tol);
    const ss_vec3 la = ss_rotate(c->two->body[0].R, gap.da), lb = ss_rotate(c->two->body[1].R, gap.db);
    c->n = ss_scale(-1, edges->n);
    gap.side = ss_dot(ss_cross(la, lb), c->n) >= 0 ? 1 : -1;
    gap.fallback = c->n;
    offer(c, &gap, edges->edge);
}

static void collect_nearest(collector *c)
{
    ss_gap gap;
    ss_gap_value value;
    int feature[2];
    ss_boxes_nearest(c->two, &gap, feature);
    ss_gap_eval(&gap, &c->two->body[0], &c->two->body[1], &value);
    if (c->out->n == 0 || (value.gap < c->margin && !taken(c, value.point))) {
        add(c, &gap, value.point, feature);
    }
}

static void collect_deepest(collector *c, const ss_box_axis *ruling)
{
    const int owner = 1 - ruling->owner,
              v = ss_boxes_support(c->two, owner, ss_scale(-1, ruling->n)) & (ss_box_vertices(c->two->shape[0]) - 1);
    ss_gap gap = vertex_gap(c->two, owner, v, ruling->face);
    gap.eb[0] = gap.eb[1] = INFINITY;
    const int feature[2] = { owner == 0 ? v : ruling->face, owner == 1 ? v : ruling->face };
    add(c, &gap, c->two->box[0].p, feature);
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* faces that look at each other, tilted a little: the boxes also lean on the other corners of their common area */
static bool is_flat(const ss_box_axis *face, const ss_box_axis *edges)
{
    const double along = ss_dot(face->n, edges->n); /* both from A to B when A owns the face */
    return (face->owner == 0 ? along : -along) > 0.95;
}

void ss_pair_box_box(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                     ss_manifold *out)
{
    const ss_two_boxes two = ss_boxes_place(a, fa, b, fb);
    const ss_box_axis face = ruling_face(&two), edges = ss_boxes_edge_axis(&two);
    const double separation = fmax(face.separation, edges.separation);
    const bool edges_rule = edges.separation > face.separation + 0.05 * fabs(edges.separation) + 1e3 * two.tol;
    collector c = { .two = &two, .margin = margin, .floor = 1.05 * fmin(separation, 0) - 2 * two.tol, .out = out };

    if (edges_rule) {
        collect_edges(&c, &edges);
    }
    if (out->n == 0 || is_flat(&face, &edges)) {
        collect_faces(&c, &face);
    }
    if (out->n == 0 && !edges_rule && isfinite(edges.separation)) {
        collect_edges(&c, &edges);
    }
    if (separation > two.tol || (out->n == 0 && separation > 0)) {
        collect_nearest(&c);
    }
    if (out->n == 0) {
        collect_deepest(&c, &face);
    }
}
