/* pair_cylinder.c - a cylinder against a rounded polytope (point, sphere, capsule, box, hull) and against a half space.
 *
 * The distance of the polytope's core from the cylinder, its normal n and its witnesses come from gjk.c. Then every pair of
 * features that may carry the contact is offered (cylinder_gaps.c takes those that are in contact and below the margin):
 *
 *     corner    against an end (point-plane), the side (point-line, radius R) or a rim (point-line, the tangent)
 *     edge      across the side (line-line) and against both rims (line-line, the tangent)
 *     face      that looks along n: against the rims
 *
 * A cylinder lying on a face has its two rims, one standing on it four points, one that juts out the places where the
 * face's edges pass under the rim, and so on. Only features within the margin of the cylinder's support plane across n are
 * looked at. Last, if none of these gaps is as near as the shapes are, the witnesses themselves.
 *
 * Symbols   n  in the code of one feature: from the cylinder to the polytope
 * Cost      gjk.c; corners + edges + faces, a Newton iteration for each edge near the contact. */
#include "base/tolerances.h"
#include "geom/cylinder.h"
#include "geom/gjk.h"
#include "geom/pairs.h"

static const double play = 0.05;   /* of normals and edges, as in gap.c                    */
static const double looking = 0.9; /* cosine from which on a face looks at the cylinder   */

typedef struct meeting {
    ss_gather g;
    const ss_polytope *p;
    ss_frame place; /* of the polytope */
    double radius;
    int owner; /* whose the cylinder is; the polytope is the other's */
    ss_drum c;
    ss_convex core, drum; /* both, or what can be met of the huge one (window.c)          */
    ss_vec3 seed;         /* witness on the cylinder                                       */
    double height;        /* features whose n . x is above this are too far                */
} meeting;

static ss_vec3 from_cylinder(const meeting *m) { return ss_scale(m->owner == 1 ? 1 : -1, m->g.n); }

static ss_vec3 corner(const meeting *m, int k) { return ss_point_to_world(m->place, m->p->corner[k]); }

static void features(const meeting *m, int cylinder, int polytope, int out[2])
{
    out[m->owner] = cylinder;
    out[1 - m->owner] = polytope;
}

/* ---- corners ------------------------------------------------------------------------------- */

static void offer_corner_end(meeting *m, int k, ss_vec3 x, int end)
{
    const ss_vec3 out = ss_drum_out(&m->c, end), centre = ss_drum_end(&m->c, end), from = ss_sub(x, centre);
    const ss_vec3 radial = ss_axpy(-ss_dot(from, out), out, from);
    const double r = ss_norm(radial), R = m->c.R;
    const ss_plane plane = { .x = centre, .n = out, .t = r > 0 ? ss_scale(1 / r, radial) : m->c.place.R.c[0], .half = { R, R } };
    int f[2];
    features(m, SS_CYL_END + end, k, f);
    ss_offer_point_plane(&m->g, 1 - m->owner, x, m->radius, &plane, f);
}

/* x beyond both the end and the side: the rim is nearest */
static void offer_corner_rim(meeting *m, int k, ss_vec3 x, int end, ss_vec3 u)
{
    const ss_line tangent = { .x = ss_axpy(m->c.R, u, ss_drum_end(&m->c, end)),
                              .d = ss_cross(m->c.place.R.c[2], u),
                              .half = 0.5 * m->c.R };
    int f[2];
    features(m, SS_CYL_RIM + 4 * end + 1, k, f);
    ss_offer_point_line(&m->g, 1 - m->owner, x, m->radius, &tangent, f);
}

/* A round corner larger than the cylinder is as a plane to it: points of the rims, fixed in the cylinder, are smooth where a
 * plane or line fixed in it would sweep past the far centre. */
static void offer_large_corner(meeting *m, int k, ss_vec3 x, ss_vec3 radial)
{
    for (int end = 0; end < 2; end++) {
        const ss_vec3 centre = ss_drum_end(&m->c, end);
        const bool looks = ss_dot(from_cylinder(m), ss_drum_out(&m->c, end)) > 0.7;
        int f[2];
        features(m, SS_CYL_RIM + 4 * end + 1, k, f);
        ss_offer_point_point(&m->g, m->owner, ss_axpy(m->c.R, radial, centre), 0, x, m->radius, f);
        for (int i = 0; looks && i < 4; i++) {
            const ss_vec3 p = ss_axpy(i < 2 ? m->c.R : -m->c.R, m->c.place.R.c[i % 2], centre);
            features(m, SS_CYL_POINT + 4 * end + i, k, f);
            ss_offer_point_point(&m->g, m->owner, p, 0, x, m->radius, f);
        }
    }
}

static void offer_corner(meeting *m, int k)
{
    const ss_vec3 x = corner(m, k), from = ss_sub(x, m->c.place.p), Z = m->c.place.R.c[2];
    const double z = ss_dot(from, Z);
    const ss_vec3 radial = ss_axpy(-z, Z, from);
    const int end = ss_dot(from_cylinder(m), Z) >= 0;
    if (m->radius > m->c.R + m->c.L) {
        offer_large_corner(m, k, x, ss_unit(radial));
        return;
    }
    if (fabs(z) > m->c.L && ss_norm(radial) > m->c.R) {
        offer_corner_rim(m, k, x, z >= 0, ss_unit(radial));
        return;
    }
    const ss_line axis = { m->c.place.p, Z, m->c.L, m->c.R };
    int f[2];
    features(m, SS_CYL_SIDE, k, f);
    offer_corner_end(m, k, x, end);
    ss_offer_point_line(&m->g, 1 - m->owner, x, m->radius, &axis, f);
}

/* ---- edges --------------------------------------------------------------------------------- */

/* an edge or a face of the polytope, for the tests below */
typedef struct part {
    const meeting *m;
    int index;
} part;

static bool edge_allows(const void *data, ss_vec3 n)
{
    const part *e = data;
    return ss_edge_off(e->m->p, e->index, ss_scale(-1, ss_unrotate(e->m->place.R, n))) <= play;
}

static void offer_edge(meeting *m, int e)
{
    const ss_vec3 x = corner(m, m->p->edge[e][0]), y = corner(m, m->p->edge[e][1]), n = from_cylinder(m);
    if (fmin(ss_dot(n, x), ss_dot(n, y)) > m->height) {
        return;
    }
    const ss_line line = { ss_scale(0.5, ss_add(x, y)), ss_unit(ss_sub(y, x)), 0.5 * ss_norm(ss_sub(y, x)), m->radius };
    const part edge = { m, e };
    const int feature = ss_feature_edge(m->p, e);
    ss_offer_side_line(&m->g, m->owner, &m->c, &line, feature, edge_allows, &edge);
    for (int end = 0; end < 2; end++) {
        ss_offer_rim_line(&m->g, m->owner, &m->c, end, &line, feature, m->seed, edge_allows, &edge);
    }
}

/* ---- faces --------------------------------------------------------------------------------- */

static bool face_holds(const void *data, ss_vec3 x)
{
    const part *f = data;
    return ss_face_beyond(f->m->p, f->index, ss_point_to_body(f->m->place, x)) <= f->m->g.tol;
}

/* the rectangle along the face's first side that bounds it */
static ss_plane face_plane(const meeting *m, int face)
{
    const ss_polytope *p = m->p;
    const int start = p->face_start[face];
    const ss_vec3 n = p->normal[face], u = p->rim[start], t = ss_cross(n, u), first = p->corner[p->face_corner[start]];
    double lo[2] = { 0, 0 }, hi[2] = { 0, 0 };
    for (int s = start; s < p->face_start[face + 1]; s++) {
        const ss_vec3 x = ss_sub(p->corner[p->face_corner[s]], first);
        const double at[2] = { ss_dot(t, x), ss_dot(ss_cross(n, t), x) };
        for (int i = 0; i < 2; i++) {
            lo[i] = fmin(lo[i], at[i]);
            hi[i] = fmax(hi[i], at[i]);
        }
    }
    const ss_vec3 middle = ss_axpy(0.5 * (lo[0] + hi[0]), t, ss_axpy(0.5 * (lo[1] + hi[1]), ss_cross(n, t), first));
    return (ss_plane){ .x = ss_point_to_world(m->place, middle),
                       .n = ss_rotate(m->place.R, n),
                       .t = ss_rotate(m->place.R, t),
                       .half = { 0.5 * (hi[0] - lo[0]), 0.5 * (hi[1] - lo[1]) },
                       .radius = m->radius };
}

static void offer_face(meeting *m, int face)
{
    const part f = { m, face };
    const ss_plane plane = face_plane(m, face);
    ss_offer_rims_plane(&m->g, m->owner, &m->c, &plane, ss_feature_face(m->p, face), face_holds, &f);
}

/* ---- the pair ------------------------------------------------------------------------------ */

static ss_vec3 core_support(const void *data, ss_vec3 d, int *name)
{
    const meeting *m = data;
    *name = ss_polytope_support(m->p, ss_unrotate(m->place.R, d));
    return corner(m, *name);
}

/* The overlap along d, a unit vector from the cylinder to the polytope, if it is less than what is known. The witness is
 * the farthest point of the cylinder (`of_cylinder`) or that of the polytope. */
static void try_axis(const meeting *m, ss_vec3 d, bool of_cylinder, ss_nearest *near)
{
    const ss_difference far = ss_difference_support(&m->core, &m->drum, ss_scale(-1, d));
    const ss_vec3 x = far.a, y = far.b;
    const double s = ss_dot(d, far.w);
    if (s > near->distance && ss_dot(d, d) > 0.5) { /* a zero vector is no direction */
        *near = (ss_nearest){ .distance = s,
                              .normal = d,
                              .a = of_cylinder ? ss_axpy(s, d, y) : x,
                              .b = of_cylinder ? y : ss_axpy(-s, d, x),
                              .points = 1,
                              .name_a = { far.name_a },
                              .converged = true };
    }
}

/* the normals of faces and ends */
static void try_flat_parts(const meeting *m, ss_nearest *near)
{
    for (int f = 0; f < m->p->faces; f++) {
        try_axis(m, ss_scale(-1, ss_rotate(m->place.R, m->p->normal[f])), true, near);
    }
    for (int end = 0; end < 2; end++) {
        try_axis(m, ss_drum_out(&m->c, end), false, near);
    }
}

/* a direction across the axis, outwards at x */
static ss_vec3 radial_at(const meeting *m, ss_vec3 x)
{
    const ss_vec3 from = ss_sub(x, m->c.place.p), Z = m->c.place.R.c[2];
    return ss_unit(ss_axpy(-ss_dot(from, Z), Z, from));
}

/* against the side: the corner that is deepest, and the edges that end there */
static void try_side(const meeting *m, ss_nearest *near)
{
    for (int k = 0; k < 4; k++) {
        int deepest;
        const ss_vec3 x = core_support(m, ss_scale(-1, near->normal), &deepest);
        try_axis(m, radial_at(m, x), false, near);
        for (int e = 0; e < m->p->edges; e++) {
            if (m->p->edge[e][0] == deepest || m->p->edge[e][1] == deepest) {
                const ss_vec3 d = ss_unit(ss_cross(ss_rotate(m->place.R, ss_edge_vector(m->p, e)), m->c.place.R.c[2]));
                try_axis(m, ss_dot(d, near->normal) >= 0 ? d : ss_scale(-1, d), false, near);
            }
        }
    }
}

/* Distance of the core (a) from the cylinder (b). Overlapping, directions that are
 * exact are tried by themselves: they do not depend on how well a polytope of points follows a cylinder a million times larger or
 * smaller. */
static ss_nearest nearest(const meeting *m)
{
    ss_nearest near = ss_gjk_nearest_curved(&m->core, &m->drum, SS_FINER * m->g.tol, SS_ROUGH * m->g.tol);
    if (near.distance < 0) {
        try_flat_parts(m, &near);
        try_side(m, &near);
    }
    return near;
}

static double separation(const void *data, ss_vec3 n)
{
    const meeting *m = data;
    const ss_vec3 d = ss_scale(m->owner == 1 ? 1 : -1, n); /* from the cylinder */
    return ss_dot(d, ss_difference_support(&m->core, &m->drum, ss_scale(-1, d)).w) - m->radius;
}

/* take over what is known of the shapes */
static void set_measure(meeting *m, const ss_nearest *near)
{
    int name;
    ss_gather_measured(&m->g, ss_scale(m->owner == 1 ? 1 : -1, near->normal), near->distance - m->radius, m->radius,
                       near->converged);
    m->g.separation = separation;
    m->g.data = m;
    m->seed = near->b;
    m->height = ss_dot(near->normal, ss_drum_support(&m->c, near->normal, &name)) + m->g.margin + m->radius;
}

/* the witnesses on the surfaces; named after the lowest corner that holds the polytope's */
static void offer_witness(meeting *m, const ss_nearest *near)
{
    int low = near->name_a[0], f[2];
    for (int k = 1; k < near->points; k++) {
        low = near->name_a[k] < low ? near->name_a[k] : low;
    }
    features(m, SS_CYL_WITNESS, low, f);
    ss_gather_nearest(&m->g, m->owner, near->b, f);
}

static void offer_features(meeting *m)
{
    const ss_vec3 n = from_cylinder(m);
    for (int f = 0; f < m->p->faces; f++) {
        if (-ss_dot(n, ss_rotate(m->place.R, m->p->normal[f])) > looking) {
            offer_face(m, f);
        }
    }
    for (int k = 0; k < m->p->corners; k++) {
        if (ss_dot(n, corner(m, k)) <= m->height) {
            offer_corner(m, k);
        }
    }
    for (int e = 0; e < m->p->edges; e++) {
        offer_edge(m, e);
    }
}

/* Where the depth did not converge the normals of the features that gjk.c led to are better: of those the one that separates
 * most. The witnesses become the farthest point of the cylinder and its mirror. */
static void improve(meeting *m, ss_nearest *near)
{
    int name;
    m->g.distance = separation(m, m->g.n);
    m->g.exploring = true;
    offer_features(m);
    m->g.exploring = false;
    const ss_vec3 n = from_cylinder(m);
    if (ss_norm(ss_sub(n, near->normal)) > 0) { /* a better one */
        near->normal = n;
        near->distance = m->g.distance + m->radius;
        near->b = m->drum.support(m->drum.data, n, &name);
        near->a = ss_axpy(near->distance, n, near->b);
    }
    set_measure(m, near);
}

static void collect(meeting *m)
{
    ss_nearest near = nearest(m);
    set_measure(m, &near);
    if (!near.converged && near.distance < 0) {
        improve(m, &near);
    }
    offer_features(m);
    offer_witness(m, &near);
}

/* lengths below this are rounding, for shapes of the two sizes so far from the origin */
static double rounding(double size0, double size1, const ss_frame *f0, const ss_frame *f1)
{
    return SS_TOL_SHAPE * fmin(size0, size1) + SS_TOL_PLACE * (ss_norm(f0->p) + ss_norm(f1->p));
}

/* the polytope `a` and the cylinder, whose owner is given, about the origin of the smaller one's body */
static void meet(const ss_solid *a, const ss_shape *cylinder, const ss_frame *fc, int owner, double margin, ss_manifold *out)
{
    const double core = a->p->size + a->radius, size = hypot(cylinder->radius, cylinder->length);
    const ss_vec3 origin = core < size ? a->body.p : fc->p;
    const ss_frame mine = { ss_sub(fc->p, origin), fc->R }, other = { ss_sub(a->body.p, origin), a->body.R };
    meeting m = { .p = a->p, .radius = a->radius, .owner = owner, .c = ss_drum_of(cylinder, &mine) };
    m.place = ss_frame_compose(other, a->shape->local);
    m.g.body[owner] = mine;
    m.g.body[1 - owner] = other;
    m.g.margin = margin;
    m.g.tol = rounding(core > 0 ? core : size, size, &a->body, fc);
    m.g.out = out;
    ss_window part_of_core;
    ss_drum_window part_of_drum;
    m.core = (ss_convex){ core_support, &m, 3 };
    m.drum = (ss_convex){ ss_drum_support, &m.c, 3 };
    if (ss_window_polytope(&part_of_core, m.p, &m.place, m.c.place.p, size)) {
        m.core = (ss_convex){ ss_window_support, &part_of_core, 3 };
    } else if (ss_window_drum(&part_of_drum, &m.c, ss_point_to_world(m.place, m.p->middle), m.p->size)) {
        m.drum = (ss_convex){ ss_drum_window_support, &part_of_drum, 3 };
    }
    collect(&m);
}

void ss_pair_convex_cylinder(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                             ss_manifold *out)
{
    const ss_solid solid = ss_solid_of(a, fa);
    meet(&solid, b, fb, 1, margin, out);
}

void ss_pair_cylinder_hull(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                           ss_manifold *out)
{
    const ss_solid solid = ss_solid_of(b, fb);
    meet(&solid, a, fa, 0, margin, out);
}

/* ---- half space ---------------------------------------------------------------------------- */

static bool everywhere(const void *data, ss_vec3 x)
{
    (void)data;
    (void)x;
    return true;
}

/* there is no other way out of a half space */
static double straight(const void *data, ss_vec3 n)
{
    (void)n;
    return *(const double *)data;
}

/* the rims' lowest points, and the four fixed points of an end that looks at the plane */
void ss_pair_cylinder_half_space(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                                 ss_manifold *out)
{
    const double size = hypot(a->radius, a->length);
    ss_gather g = { .body = { { { 0, 0, 0 }, fa->R }, { ss_sub(fb->p, fa->p), fb->R } },
                    .margin = margin,
                    .tol = rounding(size, size, fa, fb),
                    .out = out };
    const ss_drum c = ss_drum_of(a, &g.body[0]);
    const ss_vec3 n = ss_rotate(fb->R, b->normal), foot = ss_point_to_world(g.body[1], ss_scale(b->offset, b->normal));
    const ss_plane plane = { .x = foot, .n = n, .t = ss_across(n), .half = { INFINITY, INFINITY } };
    int name;
    const ss_vec3 lowest = ss_drum_support(&c, ss_scale(-1, n), &name);
    const int witness[2] = { SS_CYL_WITNESS, 0 };
    const double height = ss_dot(n, ss_sub(lowest, foot));
    g.separation = straight;
    g.data = &height;
    ss_gather_measured(&g, n, height, 0, true);
    ss_offer_rims_plane(&g, 0, &c, &plane, 0, everywhere, NULL);
    ss_gather_nearest(&g, 0, lowest, witness);
}
