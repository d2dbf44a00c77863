/* pair_box_box.c - two boxes, 2D and 3D: the manifold of smooth gaps between their features.
 *
 * Axes. Separating axes are the faces of both boxes and, in 3D, the nine products of edges; the one with
 * the largest separation s rules (s < 0: least penetration). Faces win over edges, and of two faces that
 * are equally good the one whose outward normal lies more along a fixed direction wins: a choice that
 * neither rounding nor the numbering of the bodies can turn. With s the face's separation an edge must be
 * better by |s|/20 + 1e-6 of the size.
 *
 * Face case. With the ruling face F and the face F' of the other box that looks at it most directly:
 * vertices of F' over F, vertices of F over F', then crossings of the rims of F and F' as line-line gaps
 * when they are not near parallel. A gap counts when its witness lies on both features (up to 1e-9 of the
 * size), it is below the margin, its normal is within 60 degrees of F's, and it is not deeper than s. A gap
 * at the place of an earlier one is the same contact and is dropped: aligned boxes have one per corner.
 * Edge case. One line-line gap.
 * Apart, the gap of the nearest features is added, so that the least gap is the distance. Overlapping and
 * nothing found: the deepest vertex against the unbounded plane of F.
 *
 * Symbols   A, B  boxes 0 and 1; n  outward normal of the ruling face; d  from the centre of one to the other
 * Cost      15 axes, at most 24 evaluations of gaps, and for boxes apart pair_box_nearest.c. */
#include "geom/pairs.h"

enum { FACE_EDGES = 4 };

typedef struct axis {
    double separation;
    ss_vec3 n;   /* world, from its owner (edges: from A) to the other */
    int owner;   /* face: 0 or 1                                        */
    int face;    /* number of the face                                  */
    int edge[2]; /* edges: of A and B                                   */
} axis;

/* ---- axes ---------------------------------------------------------------------------------- */

/* half the extent of a box along n */
static double reach(const ss_two_boxes *two, int which, ss_vec3 n)
{
    const ss_mat3 R = two->box[which].R;
    const ss_vec3 h = two->shape[which]->half;
    return fabs(ss_dot(n, R.c[0])) * h.x + fabs(ss_dot(n, R.c[1])) * h.y + fabs(ss_dot(n, R.c[2])) * h.z;
}

static axis best_face(const ss_two_boxes *two, int owner)
{
    const ss_vec3 d = ss_sub(two->box[1 - owner].p, two->box[owner].p);
    axis best = { .separation = -INFINITY, .owner = owner };
    for (int i = 0; i < two->shape[0]->dimension; i++) {
        const ss_vec3 c = two->box[owner].R.c[i];
        const double along = ss_dot(d, c), s = fabs(along) - ss_axis(two->shape[owner]->half, i) - reach(two, 1 - owner, c);
        if (s > best.separation + two->tol) {
            best.separation = s;
            best.n = along >= 0 ? c : ss_scale(-1, c);
            best.face = SS_BOX_FACE + 2 * i + (along >= 0);
        }
    }
    return best;
}

/* the vertex of a box that lies farthest along n, as bits */
static int support(const ss_two_boxes *two, int which, ss_vec3 n)
{
    const ss_mat3 R = two->box[which].R;
    return (ss_dot(n, R.c[0]) >= 0) | (ss_dot(n, R.c[1]) >= 0) << 1 | (ss_dot(n, R.c[2]) >= 0) << 2;
}

static axis best_edges(const ss_two_boxes *two)
{
    const ss_vec3 d = ss_sub(two->box[1].p, two->box[0].p);
    axis best = { .separation = -INFINITY };
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        ss_vec3 n = ss_cross(two->box[0].R.c[i], two->box[1].R.c[j]);
        const double sine = ss_norm(n);
        if (sine < 1e-6) {
            continue; /* parallel edges: the faces' axes suffice */
        }
        n = ss_scale((ss_dot(n, d) >= 0 ? 1 : -1) / sine, n);
        const double s = ss_dot(n, d) - reach(two, 0, n) - reach(two, 1, n);
        if (s > best.separation) {
            best = (axis){ .separation = s, .n = n };
            best.edge[0] = ss_box_edge(i, support(two, 0, n));
            best.edge[1] = ss_box_edge(j, support(two, 1, ss_scale(-1, n)));
        }
    }
    return best;
}

static axis ruling_face(const ss_two_boxes *two)
{
    const ss_vec3 fixed = { 0.3141592, 0.7182818, 0.6207310 };
    const axis a = best_face(two, 0), b = best_face(two, 1);
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

static void collect_faces(collector *c, const axis *ruling)
{
    const int owner = ruling->owner, other = 1 - owner;
    int face[2];
    face[owner] = ruling->face;
    face[other] = facing(c->two, other, ruling->n);
    offer_vertices(c, other, face);
    offer_vertices(c, owner, face);
    if (c->two->shape[0]->dimension == 3) {
        offer_crossings(c, owner, face);
    }
}

/* ---- the others ---------------------------------------------------------------------------- */

static void collect_edges(collector *c, const axis *edges)
{
    ss_gap gap = ss_gap_edge_edge(c->two->shape[0], edges->edge[0], c->two->shape[1], edges->edge[1], c->two->tol);
    const ss_vec3 la = ss_rotate(c->two->body[0].R, gap.da), lb = ss_rotate(c->two->body[1].R, gap.db);
    gap.side = ss_dot(ss_cross(la, lb), edges->n) <= 0 ? 1 : -1;
    gap.fallback = ss_scale(-1, edges->n);
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

static void collect_deepest(collector *c, const axis *ruling)
{
    const int owner = 1 - ruling->owner,
              v = support(c->two, owner, ss_scale(-1, ruling->n)) & (ss_box_vertices(c->two->shape[0]) - 1);
    ss_gap gap = vertex_gap(c->two, owner, v, ruling->face);
    gap.eb[0] = gap.eb[1] = INFINITY;
    const int feature[2] = { owner == 0 ? v : ruling->face, owner == 1 ? v : ruling->face };
    add(c, &gap, c->two->box[0].p, feature);
}

/* ---- the pair ------------------------------------------------------------------------------ */

static ss_two_boxes place(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb)
{
    const double far = ss_norm(fa->p) + ss_norm(fb->p);
    ss_two_boxes two = { .shape = { a, b } };
    two.body[0] = (ss_frame){ ss_v3(0, 0, 0), fa->R };
    two.body[1] = (ss_frame){ ss_sub(fb->p, fa->p), fb->R };
    two.box[0] = ss_frame_compose(two.body[0], a->local);
    two.box[1] = ss_frame_compose(two.body[1], b->local);
    two.tol = fmin(ss_box_rim(a), ss_box_rim(b)) + 4e-15 * far;
    return two;
}

static void start(collector *c, const axis *ruling)
{
    c->floor = ruling->separation - 1e3 * c->two->tol;
    c->n = ruling->owner == 1 ? ruling->n : ss_scale(-1, ruling->n);
}

void ss_pair_box_box(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                     ss_manifold *out)
{
    const ss_two_boxes two = place(a, fa, b, fb);
    const axis face = ruling_face(&two), edges = a->dimension == 3 ? best_edges(&two) : (axis){ .separation = -INFINITY };
    const double least = face.separation + 0.05 * fabs(face.separation) + 1e3 * two.tol;
    collector c = { .two = &two, .margin = margin, .out = out };

    if (edges.separation > least) {
        start(&c, &edges);
        collect_edges(&c, &edges);
    }
    if (out->n == 0) {
        start(&c, &face);
        collect_faces(&c, &face);
    }
    const double separation = fmax(face.separation, edges.separation);
    if (separation > two.tol || (out->n == 0 && separation > 0)) {
        collect_nearest(&c);
    }
    if (out->n == 0) {
        collect_deepest(&c, &face);
    }
}
