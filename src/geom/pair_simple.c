/* pair_simple.c - two spheres (a point is a sphere of radius zero): one gap, the distance of the centres; coincident centres
 * take the world's y axis as the normal. A polytope against a half space: one gap per corner. Cost: the corners. */
#include "geom/pairs.h"

void ss_pair_sphere_sphere(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                           ss_manifold *out)
{
    (void)fa;
    (void)fb;
    (void)margin;
    const ss_gap gap = {
        .kind = SS_GAP_POINT_POINT,
        .a = a->local.p,
        .b = b->local.p,
        .ra = a->radius,
        .rb = b->radius,
        .eb = { INFINITY, INFINITY },
        .fallback = { 0, 1, 0 },
    };
    ss_manifold_add(out, &gap, 0, 0);
}

/* a corner against the plane of a half space, which has no rim */
static ss_gap corner_half_space(const ss_shape *s, int corner, const ss_shape *half_space)
{
    return (ss_gap){
        .kind = SS_GAP_POINT_PLANE,
        .a = ss_point_to_world(s->local, s->polytope->corner[corner]),
        .b = ss_scale(half_space->offset, half_space->normal),
        .db = half_space->normal,
        .tb = ss_across(half_space->normal),
        .ra = s->radius,
        .eb = { INFINITY, INFINITY },
    };
}

/* Every corner below the margin, each against the plane; else the lowest one. */
void ss_pair_polytope_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out)
{
    ss_collector c = { .out = out };
    ss_gap_value value, lowest = { .gap = INFINITY };
    int feature[2] = { 0, 0 }, lowest_corner = 0;
    for (int v = 0; v < a->polytope->corners; v++) {
        const ss_gap gap = corner_half_space(a, v, b);
        ss_gap_measure(&gap, fa, fb, &value);
        feature[0] = v;
        if (value.gap < margin) {
            ss_collect(&c, &gap, &value, feature);
        }
        if (value.gap < lowest.gap) {
            lowest = value;
            lowest_corner = v;
        }
    }
    if (out->n == 0) {
        const ss_gap gap = corner_half_space(a, lowest_corner, b);
        ss_manifold_add(out, &gap, lowest_corner, 0);
    }
}
