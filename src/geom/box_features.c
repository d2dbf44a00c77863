/* box_features.c - vertices, edges and faces of a box, and gaps of points and edges against them.
 *
 * A point against a face is point-plane, against an edge point-line, against a vertex point-point; two
 * edges are line-line. Points and directions are moved from the shapes' frames to their bodies' frames.
 * Voronoi regions: with c the point clamped to the box, the axes on which the point differs from c name
 * the feature: none inside, 1 a face, 2 an edge (2D: a vertex), 3 a vertex. Cost: constant. */
#include "geom/pairs.h"

ss_vec3 ss_axis_unit(int axis, double length)
{
    return ss_v3(axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0);
}

ss_vec3 ss_box_vertex(const ss_shape *box, int vertex)
{
    const ss_vec3 h = box->half;
    return ss_v3(vertex & 1 ? h.x : -h.x, vertex & 2 ? h.y : -h.y, vertex & 4 ? h.z : -h.z);
}

/* the two axes after `axis`, in cyclic order */
static int next_axis(int axis, int steps) { return (axis + steps) % 3; }

int ss_box_edge(int axis, int vertex)
{
    return SS_BOX_EDGE + 4 * axis + (vertex >> next_axis(axis, 1) & 1) + 2 * (vertex >> next_axis(axis, 2) & 1);
}

ss_vec3 ss_box_edge_middle(const ss_shape *box, int edge)
{
    const int axis = ss_box_edge_axis(edge), bits = (edge - SS_BOX_EDGE) & 3, j = next_axis(axis, 1), k = next_axis(axis, 2);
    const double hj = ss_axis(box->half, j), hk = ss_axis(box->half, k);
    return ss_add(ss_axis_unit(j, bits & 1 ? hj : -hj), ss_axis_unit(k, bits & 2 ? hk : -hk));
}

double ss_box_edge_off(int edge, ss_vec3 n)
{
    const int axis = ss_box_edge_axis(edge), bits = (edge - SS_BOX_EDGE) & 3;
    const double along_j = ss_axis(n, next_axis(axis, 1)), along_k = ss_axis(n, next_axis(axis, 2));
    return fmax(bits & 1 ? -along_j : along_j, bits & 2 ? -along_k : along_k);
}

double ss_box_rim(const ss_shape *box) { return 1e-9 * fmax(box->half.x, fmax(box->half.y, box->half.z)); }

static int least_penetration(const ss_shape *box, ss_vec3 p)
{
    int best = 0;
    double depth = INFINITY;
    for (int i = 0; i < box->dimension; i++) {
        const double d = ss_axis(box->half, i) - fabs(ss_axis(p, i));
        if (d < depth) {
            depth = d;
            best = i;
        }
    }
    return SS_BOX_FACE + 2 * best + (ss_axis(p, best) >= 0);
}

int ss_box_nearest_feature(const ss_shape *box, ss_vec3 p, double slack)
{
    int beyond = 0, last = 0, along = 0, side = 0;
    for (int i = 0; i < box->dimension; i++) {
        side |= (ss_axis(p, i) >= 0) << i;
        if (fabs(ss_axis(p, i)) > ss_axis(box->half, i) + slack) {
            beyond++;
            last = i;
        } else {
            along = i;
        }
    }
    if (beyond == 0) {
        return least_penetration(box, p);
    }
    if (beyond == box->dimension) {
        return side;
    }
    return beyond == 1 ? SS_BOX_FACE + 2 * last + (side >> last & 1) : ss_box_edge(along, side);
}

/* the plane of a face, its middle and extents, in the frame of the box's body */
static void set_face(const ss_shape *box, int face, double rim, ss_gap *gap)
{
    const int axis = (face - SS_BOX_FACE) / 2, j = box->dimension == 2 ? 1 - axis : next_axis(axis, 1), k = next_axis(axis, 2);
    const double side = (face - SS_BOX_FACE) & 1 ? 1 : -1;
    gap->kind = SS_GAP_POINT_PLANE;
    gap->b = ss_point_to_world(box->local, ss_axis_unit(axis, side * ss_axis(box->half, axis)));
    gap->db = ss_scale(side, box->local.R.c[axis]);
    gap->tb = box->local.R.c[j];
    gap->eb[0] = ss_axis(box->half, j) + rim;
    gap->eb[1] = box->dimension == 2 ? INFINITY : ss_axis(box->half, k) + rim;
    gap->fallback = gap->db;
}

static void set_edge(const ss_shape *box, int edge, double rim, ss_gap *gap)
{
    const int axis = ss_box_edge_axis(edge);
    const ss_vec3 middle = ss_box_edge_middle(box, edge);
    gap->kind = SS_GAP_POINT_LINE;
    gap->b = ss_point_to_world(box->local, middle);
    gap->db = box->local.R.c[axis];
    gap->eb[0] = ss_axis(box->half, axis) + rim;
    gap->fallback = ss_rotate(box->local.R, ss_unit(middle));
}

static void set_vertex(const ss_shape *box, int vertex, ss_gap *gap)
{
    const ss_vec3 x = ss_box_vertex(box, vertex);
    gap->kind = SS_GAP_POINT_POINT;
    gap->b = ss_point_to_world(box->local, x);
    gap->fallback = ss_rotate(box->local.R, ss_unit(x));
}

ss_gap ss_gap_point_box(const ss_shape *p, ss_vec3 x, double r, const ss_shape *box, const ss_frame *box_body, int feature,
                        double rim)
{
    ss_gap gap = { .a = ss_point_to_world(p->local, x), .ra = r, .eb = { INFINITY, INFINITY }, .of = { p, box }, .rim = rim };
    if (feature >= SS_BOX_FACE) {
        set_face(box, feature, rim, &gap);
    } else if (feature >= SS_BOX_EDGE) {
        set_edge(box, feature, rim, &gap);
    } else {
        set_vertex(box, feature, &gap);
    }
    gap.fallback = ss_rotate(box_body->R, gap.fallback);
    return gap;
}

ss_gap ss_gap_edge_edge(const ss_shape *a, int edge_a, const ss_shape *b, int edge_b, double rim)
{
    const int i = ss_box_edge_axis(edge_a), j = ss_box_edge_axis(edge_b);
    return (ss_gap){
        .kind = SS_GAP_LINE_LINE,
        .a = ss_point_to_world(a->local, ss_box_edge_middle(a, edge_a)),
        .b = ss_point_to_world(b->local, ss_box_edge_middle(b, edge_b)),
        .da = a->local.R.c[i],
        .db = b->local.R.c[j],
        .ea = ss_axis(a->half, i) + rim,
        .eb = { ss_axis(b->half, j) + rim, INFINITY },
        .side = 1,
        .of = { a, b },
        .edge = { edge_a, edge_b },
        .rim = rim,
    };
}
