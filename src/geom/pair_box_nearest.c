/* pair_box_nearest.c - the nearest features of two boxes that do not overlap.
 *
 * The distance of two convex polyhedra is attained by a vertex and a feature of the other (every vertex
 * against the box by clamping, feature by Voronoi region), or in 3D by two edges that cross in their
 * interiors. On a tie a vertex wins, and among features the face (coordinates beyond a side by rounding
 * only do not count as beyond). Cost: 8 + 8 clampings, 144 pairs of lines; only done for boxes apart. */
#include "geom/pairs.h"

typedef struct nearest {
    double distance;
    int owner;      /* vertex: of which box; -1: two edges */
    int feature[2]; /* of box 0 and box 1 */
    double side;    /* two edges: sign of the normal */
} nearest;

static ss_vec3 clamp_to(const ss_shape *box, ss_vec3 p)
{
    const ss_vec3 h = box->half;
    return ss_v3(fmin(fmax(p.x, -h.x), h.x), fmin(fmax(p.y, -h.y), h.y), fmin(fmax(p.z, -h.z), h.z));
}

static void try_vertices(const ss_two_boxes *two, int owner, nearest *best)
{
    const ss_shape *mine = two->shape[owner], *other = two->shape[1 - owner];
    for (int v = 0; v < ss_box_vertices(mine); v++) {
        const ss_vec3 x = ss_point_to_world(two->box[owner], ss_box_vertex(mine, v));
        const ss_vec3 p = ss_point_to_body(two->box[1 - owner], x);
        const double distance = ss_norm(ss_sub(p, clamp_to(other, p)));
        if (distance < best->distance) {
            best->distance = distance;
            best->owner = owner;
            best->feature[owner] = v;
            best->feature[1 - owner] = ss_box_nearest_feature(other, p, two->tol);
        }
    }
}

/* edges e of box 0 and f of box 1, if their common perpendicular meets both inside */
static void try_edges(const ss_two_boxes *two, int e, int f, nearest *best)
{
    const int i = ss_box_edge_axis(e), j = ss_box_edge_axis(f);
    const ss_vec3 la = two->box[0].R.c[i], lb = two->box[1].R.c[j], cross = ss_cross(la, lb);
    const double sine2 = ss_dot(cross, cross);
    if (sine2 < 1e-12) {
        return;
    }
    const ss_vec3 xa = ss_point_to_world(two->box[0], ss_box_edge_middle(two->shape[0], e));
    const ss_vec3 D = ss_sub(xa, ss_point_to_world(two->box[1], ss_box_edge_middle(two->shape[1], f)));
    const double c = ss_dot(la, lb), da = ss_dot(D, la), db = ss_dot(D, lb), height = ss_dot(cross, D);
    const double distance = fabs(height) / sqrt(sine2);
    const bool inside = fabs(c * db - da) <= ss_axis(two->shape[0]->half, i) * sine2 &&
                        fabs(db - c * da) <= ss_axis(two->shape[1]->half, j) * sine2;
    if (inside && distance < best->distance - 1e-3 * two->tol) {
        *best = (nearest){ distance, -1, { e, f }, height >= 0 ? 1 : -1 };
    }
}

static ss_gap make_gap(const ss_two_boxes *two, const nearest *best)
{
    if (best->owner < 0) {
        ss_gap gap = ss_gap_edge_edge(two->shape[0], best->feature[0], two->shape[1], best->feature[1], two->tol);
        gap.side = best->side;
        return gap;
    }
    const int owner = best->owner, other = 1 - owner;
    const ss_shape *mine = two->shape[owner];
    ss_gap gap = ss_gap_point_box(mine, ss_box_vertex(mine, best->feature[owner]), 0, two->shape[other], &two->body[other],
                                  best->feature[other], two->tol);
    gap.swap = owner == 1;
    return gap;
}

void ss_boxes_nearest(const ss_two_boxes *two, ss_gap *gap, int feature[2])
{
    nearest best = { .distance = INFINITY };
    try_vertices(two, 0, &best);
    try_vertices(two, 1, &best);
    if (two->shape[0]->dimension == 3) {
        for (int e = SS_BOX_EDGE; e < SS_BOX_FACE; e++) {
            for (int f = SS_BOX_EDGE; f < SS_BOX_FACE; f++) {
                try_edges(two, e, f, &best);
            }
        }
    }
    *gap = make_gap(two, &best);
    feature[0] = best.feature[0];
    feature[1] = best.feature[1];
}
