/* pair_simple.c - a sphere (or a point: radius zero) against a sphere, a half space and a box: one gap each;
 * a box against a half space: one gap per vertex.
 *
 *     sphere       the distance of the centres; coincident centres: the normal is the world's y axis
 *     half space   the centre against the plane
 *     box          the centre against the face, edge or vertex in whose Voronoi region it lies; a centre inside
 *                  the box against the face of least penetration. On the border of two regions both gaps have
 *                  the same value and normal, so nothing jumps when the feature changes outside the box.
 *                  A centre on an edge or vertex itself: the normal is the feature's outward diagonal.
 *
 * Cost: constant. */
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

/* any unit vector across n; the axis least along n is taken */
static ss_vec3 across(ss_vec3 n)
{
    const int axis = fabs(n.x) <= fabs(n.y) ? (fabs(n.x) <= fabs(n.z) ? 0 : 2) : (fabs(n.y) <= fabs(n.z) ? 1 : 2);
    return ss_unit(ss_cross(n, ss_axis_unit(axis, 1)));
}

/* a point of shape p against the plane of a half space, which has no rim */
static ss_gap point_half_space(const ss_shape *p, ss_vec3 x, double r, const ss_shape *half_space)
{
    return (ss_gap){
        .kind = SS_GAP_POINT_PLANE,
        .a = ss_point_to_world(p->local, x),
        .b = ss_scale(half_space->offset, half_space->normal),
        .db = half_space->normal,
        .tb = across(half_space->normal),
        .ra = r,
        .eb = { INFINITY, INFINITY },
    };
}

void ss_pair_sphere_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                               ss_manifold *out)
{
    (void)fa;
    (void)fb;
    (void)margin;
    const ss_gap gap = point_half_space(a, ss_v3(0, 0, 0), a->radius, b);
    ss_manifold_add(out, &gap, 0, 0);
}

void ss_pair_sphere_box(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                        ss_manifold *out)
{
    (void)margin;
    /* the centre as the box sees it, by differences of positions */
    const ss_vec3 from_body = ss_add(ss_sub(fa->p, fb->p), ss_rotate(fa->R, a->local.p));
    const ss_vec3 centre = ss_point_to_body(b->local, ss_unrotate(fb->R, from_body));
    const int feature = ss_box_nearest_feature(b, centre, 0);
    const ss_gap gap = ss_gap_point_box(a, ss_v3(0, 0, 0), a->radius, b, fb, feature, ss_box_rim(b));
    ss_manifold_add(out, &gap, 0, feature);
}

/* Every vertex of the box below the margin, each against the plane; else the lowest one. */
void ss_pair_box_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                            ss_manifold *out)
{
    int lowest = 0;
    double least = INFINITY;
    for (int v = 0; v < ss_box_vertices(a); v++) {
        const ss_gap gap = point_half_space(a, ss_box_vertex(a, v), 0, b);
        ss_gap_value value;
        ss_gap_eval(&gap, fa, fb, &value);
        if (value.gap < margin) {
            ss_manifold_add(out, &gap, v, 0);
        }
        if (value.gap < least) {
            least = value.gap;
            lowest = v;
        }
    }
    if (out->n == 0) {
        const ss_gap gap = point_half_space(a, ss_box_vertex(a, lowest), 0, b);
        ss_manifold_add(out, &gap, lowest, 0);
    }
}
