/* cylinder_gaps.c - smooth gaps of a cylinder's ends, side and rims, gathered round the common normal of a pair.
 *
 * What a cylinder can touch with, and what it becomes in a gap:
 *
 *     side                  a line (the axis) with the radius R
 *     end                   a plane
 *     rim against a plane   its lowest point: circle-plane; when the axis is within `flat` of the normal that point runs
 *                           round the rim at the least tilt, and the material point that is lowest now stands for it,
 *                           beside four material points a quarter turn apart: a cylinder that stands has these four
 *     rim against a line    its tangent at the point p(phi) nearest to the line, frozen, or that point; if the line runs along
 *                           the axis, a ball about the centre of the end, which rolls on the line as the cylinder does
 *
 * Tangents.  With p(phi) on the rim, p' its tangent and w the part of p - x across the line's direction d, the distance
 * |w| is stationary where
 *
 *     f(phi) = w . p' = 0,        f' = |p' - (p' . d) d|^2 + w . p''      (Newton; f' > 0: nearest)
 *
 * There w is across both p' and d: the common perpendicular of the line and the tangent. When the bodies move, phi moves,
 * but the gap is stationary in phi, so the frozen tangent gives the exact rows, through zero distance as well.
 *
 * Points.  The frozen point p has the exact rows as well. Where a line with the radius r, the side of another cylinder, is
 * touched, |w| = r and f'/R = R sin^2 + r n . u, sin being that of the angle between tangent and line, n the normal towards the
 * line. The nearest point moves along the rim by 1/f'; on the frozen tangent the second term is missing, and frozen it does not
 * move. So p is the better one where that term is the larger: on a tangent that is nearly along a thick side the point runs off
 * by many times R when the cylinder turns by a hundredth.
 *
 * Frozen witnesses.  The nearest points of two convex bodies, each fixed in its body and the first measured along the
 * normal fixed in the other body, have at that pose the value and the derivative of the bodies' distance (it is stationary
 * in the choice of points). This stands for whatever else may be nearest, so the least gap always is the distance.
 *
 * Symbols   X Y Z  axes of the cylinder;  R, L  radius and half height;  u  radial direction
 * Cost      constant for each gap offered. */
#include "base/tolerances.h"
#include "geom/cylinder.h"
#include "geom/pairs.h"

static const double flat = 0.02;          /* sine of the tilt below which the lowest rim point is frozen                  */
static const double near_parallel = 0.02; /* sine below which two lines have no usable crossing                          */
static const double play = 0.05;          /* sine by which a normal may leave those of an edge or rim, as in gap.c        */
static const double along_axis = 1e-8;    /* squared sine between a line and an axis that it runs along                   */
static const double bulge = 0.1;          /* of rounding: by which a ball may differ from the rim that it stands for          */
static const double round_line = 1e-6;    /* curvature, of the radius, below which a rim is round a line                 */
static const double more_depth = 1e-6;    /* of the depth, that a gap may claim beyond it                                */
static const double unsure = 1e-4;        /* of the depth, where its search has not converged                            */
static const double facing = 0.7;         /* cosine from which on an end looks at a plane                                 */

/* ---- cylinders ----------------------------------------------------------------------------- */

ss_drum ss_drum_of(const ss_shape *shape, const ss_frame *body)
{
    return (ss_drum){ ss_frame_compose(*body, shape->local), shape->radius, shape->length };
}

/* a - (a . d) d */
static ss_vec3 reject(ss_vec3 a, ss_vec3 d) { return ss_axpy(-ss_dot(a, d), d, a); }

ss_vec3 ss_drum_support(const void *drum, ss_vec3 d, int *name)
{
    const ss_drum *c = drum;
    *name = -1;
    return ss_axpy(c->R, ss_unit(ss_drum_across(c, d)), ss_drum_end(c, ss_dot(d, c->place.R.c[2]) >= 0));
}

static ss_vec3 rim_radial(const ss_drum *c, double phi)
{
    return ss_add(ss_scale(cos(phi), c->place.R.c[0]), ss_scale(sin(phi), c->place.R.c[1]));
}

/* azimuth of a direction */
static double azimuth(const ss_drum *c, ss_vec3 d) { return atan2(ss_dot(d, c->place.R.c[1]), ss_dot(d, c->place.R.c[0])); }

/* ---- gathering ----------------------------------------------------------------------------- */

static bool is_taken(const ss_gather *g, ss_vec3 at)
{
    for (int k = 0; k < g->out->n; k++) {
        if (ss_norm(ss_sub(at, g->at[k])) <= 4 * g->tol) {
            return true;
        }
    }
    return false;
}

static void add(ss_gather *g, const ss_gap *gap, ss_vec3 at, const int feature[2])
{
    if (g->out->n < SS_MANIFOLD_MAX) {
        g->at[g->out->n] = at;
        ss_manifold_add(g->out, gap, feature[0], feature[1]);
    }
}

/* The depth of the shapes: no gap may claim more. While the cores of rounded shapes are apart every gap of theirs is real. */
static double deepest(const ss_gather *g) { return (1 + more_depth) * fmin(g->distance, -g->rounded) - 2 * g->tol; }

static void explore(ss_gather *g, const ss_gap_value *value)
{
    const double s = value->outside <= 0 ? g->separation(g->data, value->normal) : -INFINITY;
    if (s > g->distance) {
        g->distance = s;
        g->n = value->normal;
    }
}

/* one place is kept for the nearest */
static void offer(ss_gather *g, const ss_gap *gap, const int feature[2])
{
    ss_gap_value value;
    ss_gap_eval(gap, &g->body[0], &g->body[1], &value);
    if (g->exploring) {
        explore(g, &value);
        return;
    }
    const bool counts = value.outside <= 0 && value.gap < g->margin && ss_dot(value.normal, g->n) >= 0.5;
    if (counts && g->distance < 0 && g->separation) {
        g->distance = fmax(g->distance, g->separation(g->data, value.normal));
    }
    if (counts && value.gap >= deepest(g) && g->out->n < SS_MANIFOLD_MAX - 1 && !is_taken(g, value.point)) {
        add(g, gap, value.point, feature);
    }
}

static ss_vec3 in_body(const ss_gather *g, int owner, ss_vec3 x) { return ss_point_to_body(g->body[owner], x); }
static ss_vec3 turned(const ss_gather *g, int owner, ss_vec3 d) { return ss_unrotate(g->body[owner].R, d); }

static ss_gap plane_gap(const ss_gather *g, ss_gap_kind kind, int owner, ss_vec3 x, double radius, const ss_plane *plane)
{
    return (ss_gap){
        .kind = kind,
        .swap = owner == 1,
        .a = in_body(g, owner, x),
        .b = in_body(g, 1 - owner, plane->x),
        .db = turned(g, 1 - owner, plane->n),
        .tb = turned(g, 1 - owner, plane->t),
        .ra = radius,
        .rb = plane->radius,
        .eb = { plane->half[0] + g->tol, plane->half[1] + g->tol },
        .rim = g->tol,
    };
}

void ss_offer_point_plane(ss_gather *g, int owner, ss_vec3 x, double radius, const ss_plane *plane, const int feature[2])
{
    const ss_gap gap = plane_gap(g, SS_GAP_POINT_PLANE, owner, x, radius, plane);
    offer(g, &gap, feature);
}

void ss_offer_point_line(ss_gather *g, int owner, ss_vec3 x, double radius, const ss_line *line, const int feature[2])
{
    const ss_gap gap = {
        .kind = SS_GAP_POINT_LINE,
        .swap = owner == 1,
        .a = in_body(g, owner, x),
        .b = in_body(g, 1 - owner, line->x),
        .db = turned(g, 1 - owner, line->d),
        .ra = radius,
        .rb = line->radius,
        .eb = { line->half + g->tol, INFINITY },
        .fallback = ss_scale(owner == 0 ? 1 : -1, g->n),
        .rim = g->tol,
    };
    offer(g, &gap, feature);
}

void ss_offer_point_point(ss_gather *g, int owner, ss_vec3 x, double radius, ss_vec3 y, double other, const int feature[2])
{
    const ss_gap gap = {
        .kind = SS_GAP_POINT_POINT,
        .swap = owner == 1,
        .a = in_body(g, owner, x),
        .b = in_body(g, 1 - owner, y),
        .ra = radius,
        .rb = other,
        .eb = { INFINITY, INFINITY },
        .fallback = ss_scale(owner == 0 ? 1 : -1, g->n),
        .rim = g->tol,
    };
    offer(g, &gap, feature);
}

void ss_offer_line_line(ss_gather *g, const ss_line *line0, const ss_line *line1, const int feature[2])
{
    const ss_gap gap = {
        .kind = SS_GAP_LINE_LINE,
        .a = in_body(g, 0, line0->x),
        .b = in_body(g, 1, line1->x),
        .da = turned(g, 0, line0->d),
        .db = turned(g, 1, line1->d),
        .ra = line0->radius,
        .rb = line1->radius,
        .ea = line0->half + g->tol,
        .eb = { line1->half + g->tol, INFINITY },
        .side = ss_dot(ss_cross(line0->d, line1->d), g->n) >= 0 ? 1 : -1,
        .fallback = g->n,
        .rim = g->tol,
    };
    offer(g, &gap, feature);
}

void ss_gather_measured(ss_gather *g, ss_vec3 n, double distance, double radius, bool converged)
{
    g->n = n;
    g->distance = distance;
    g->rounded = distance + radius > 0 ? radius : 0;
    g->slack = 0.5 * g->tol + (converged ? 0 : unsure * fmax(0, -distance));
    g->margin = fmax(g->margin, distance + g->tol);
    g->reach = fmax(g->margin, -distance);
}

/* out with what was taken before the depth was known better; the least of the others */
static double sift(ss_gather *g)
{
    ss_manifold *m = g->out;
    double least = INFINITY;
    int kept = 0;
    for (int k = 0; k < m->n; k++) {
        ss_gap_value value;
        ss_gap_eval(&m->gap[k], &g->body[0], &g->body[1], &value);
        if (value.gap >= deepest(g)) {
            least = fmin(least, value.gap);
            m->gap[kept] = m->gap[k];
            m->feature[kept++] = m->feature[k];
        }
    }
    m->n = kept;
    return least;
}

void ss_gather_nearest(ss_gather *g, int of, ss_vec3 x, const int feature[2])
{
    if (!(sift(g) <= g->distance + g->slack)) {
        const ss_vec3 n = ss_scale(of == 0 ? 1 : -1, g->n);
        const ss_plane plane = { .x = ss_axpy(-g->distance, n, x), .n = n, .t = ss_across(n), .half = { INFINITY, INFINITY } };
        const ss_gap gap = plane_gap(g, SS_GAP_POINT_PLANE, of, x, 0, &plane);
        add(g, &gap, x, feature);
    }
}

/* ---- rims and planes ----------------------------------------------------------------------- */

static void features(int owner, int mine, int other, int out[2])
{
    out[owner] = mine;
    out[1 - owner] = other;
}

/* s: sine of the angle between the axis and the plane's normal; down: along the end, to the lowest point */
static void offer_lowest(ss_gather *g, int owner, const ss_drum *c, int end, const ss_plane *plane, double s, ss_vec3 low,
                         int feature)
{
    int f[2];
    features(owner, SS_CYL_RIM + 4 * end, feature, f);
    if (s <= flat) {
        if (c->R * s > 0.1 * g->tol) {
            ss_offer_point_plane(g, owner, low, 0, plane, f);
        }
        return;
    }
    ss_gap gap = plane_gap(g, SS_GAP_CIRCLE_PLANE, owner, ss_drum_end(c, end), c->R, plane);
    gap.da = turned(g, owner, c->place.R.c[2]);
    offer(g, &gap, f);
}

/* four points of the rim, fixed in the cylinder */
static void offer_fixed(ss_gather *g, int owner, const ss_drum *c, int end, const ss_plane *plane, int feature,
                        ss_outline_test holds, const void *data)
{
    for (int k = 0; k < 4; k++) {
        const ss_vec3 x = ss_axpy(k < 2 ? c->R : -c->R, c->place.R.c[k % 2], ss_drum_end(c, end));
        if (holds(data, x)) {
            int f[2];
            features(owner, SS_CYL_POINT + 4 * end + k, feature, f);
            ss_offer_point_plane(g, owner, x, 0, plane, f);
        }
    }
}

void ss_offer_rims_plane(ss_gather *g, int owner, const ss_drum *c, const ss_plane *plane, int feature, ss_outline_test holds,
                         const void *data)
{
    const ss_vec3 up = ss_drum_across(c, plane->n);
    const double s = ss_norm(up);
    for (int end = 0; end < 2; end++) {
        const ss_vec3 low = ss_axpy(-c->R, ss_unit(up), ss_drum_end(c, end));
        if (-ss_dot(plane->n, ss_drum_out(c, end)) > facing) {
            offer_fixed(g, owner, c, end, plane, feature, holds, data);
        }
        if (holds(data, low)) {
            offer_lowest(g, owner, c, end, plane, s, low, feature);
        }
    }
}

/* ---- rims, sides and lines ----------------------------------------------------------------- */

/* Newton from `phi` to the point of the rim nearest to a line; false: none near, or the rim is round the line */
static bool approach(const ss_drum *c, int end, const ss_line *line, double *phi)
{
    const ss_vec3 centre = ss_drum_end(c, end);
    double step = INFINITY, bend = 0;
    for (int k = 0; k < 40 && fabs(step) > SS_TOL_ROUND_OFF; k++) {
        const ss_vec3 u = rim_radial(c, *phi), tangent = ss_cross(c->place.R.c[2], u);
        const ss_vec3 w = reject(ss_sub(ss_axpy(c->R, u, centre), line->x), line->d), across = reject(tangent, line->d);
        const double steep = c->R * ss_dot(across, across);
        bend = steep - ss_dot(w, u);
        const double slope = ss_dot(w, tangent), by = bend > 0.1 * steep ? bend : fmax(steep, fabs(bend));
        step = by > 0 ? -slope / by : 0;
        *phi += fmax(-0.3, fmin(0.3, step));
    }
    return fabs(step) < SS_TOL_SHAPE && bend > round_line * c->R;
}

/* the point of the rim that is nearest to the line, or the tangent there, if the normal is one of the rim */
static void offer_tangent(ss_gather *g, int owner, const ss_drum *c, int end, const ss_line *line, int feature, double phi,
                          ss_normal_test allowed, const void *data)
{
    if (!approach(c, end, line, &phi)) {
        return;
    }
    const ss_vec3 u = rim_radial(c, phi), p = ss_axpy(c->R, u, ss_drum_end(c, end));
    const ss_line tangent = { .x = p, .d = ss_cross(c->place.R.c[2], u), .half = 0.5 * c->R };
    const ss_vec3 cross = ss_cross(tangent.d, line->d);
    const double sine = ss_norm(cross), outward = ss_dot(cross, g->n) * (owner == 1 ? 1 : -1);
    const ss_vec3 n = ss_scale((outward >= 0 ? 1 : -1) / sine, cross); /* from the rim to the line */
    const bool is_rim_normal = ss_dot(n, u) >= -play && ss_dot(n, ss_drum_out(c, end)) >= -play;
    const double off = fmin(line->radius, ss_dot(n, ss_sub(line->x, p))); /* from the line; 0 for an edge, which it may cross */
    int f[2];
    features(owner, SS_CYL_RIM + 4 * end + 2 + (ss_dot(u, line->d) >= 0), feature, f);
    if (!(sine > near_parallel && is_rim_normal && allowed(data, n))) {
        return;
    }
    if (off * ss_dot(n, u) > c->R * sine * sine) {
        ss_offer_point_line(g, owner, p, 0, line, f);
    } else {
        ss_offer_line_line(g, owner == 0 ? &tangent : line, owner == 0 ? line : &tangent, f);
    }
}

/* azimuths of the rim's points over which the line passes, or of the point nearest to it: how many */
static int passages(const ss_drum *c, int end, const ss_line *line, double phi[2])
{
    const ss_vec3 Z = c->place.R.c[2], from = ss_sub(line->x, ss_drum_end(c, end)), along = reject(line->d, Z);
    const double q = ss_dot(along, along);
    if (q < along_axis) { /* the line runs along the axis: it meets the plane of the end at one point */
        phi[0] = azimuth(c, ss_axpy(-ss_dot(from, Z) / ss_dot(line->d, Z), line->d, from));
        return 1;
    }
    const ss_vec3 flat_from = reject(from, Z), foot = ss_axpy(-ss_dot(flat_from, along) / q, along, flat_from);
    const double chord = c->R * c->R - ss_dot(foot, foot);
    if (chord <= 0) {
        phi[0] = azimuth(c, foot);
        return 1;
    }
    phi[0] = azimuth(c, ss_axpy(-sqrt(chord / q), along, foot));
    phi[1] = azimuth(c, ss_axpy(sqrt(chord / q), along, foot));
    return 2;
}

/* Does the line run along the axis to within rounding? Then the rim is offered as a ball, which at a tilt a is larger than the
 * rim by R a^2/2. A tangent would be fixed in the cylinder, which would roll on it as a polygon does. */
static bool offer_ball(ss_gather *g, int owner, const ss_drum *c, int end, const ss_line *line, int feature,
                       ss_normal_test allowed, const void *data)
{
    const ss_vec3 tilt = ss_cross(line->d, c->place.R.c[2]), centre = ss_drum_end(c, end);
    const ss_vec3 to_line = reject(ss_sub(line->x, centre), line->d);
    const bool along = 0.5 * c->R * ss_dot(tilt, tilt) <= bulge * g->tol && ss_norm(to_line) > g->tol;
    if (along && allowed(data, ss_unit(to_line))) {
        int f[2];
        features(owner, SS_CYL_RIM + 4 * end + 2, feature, f);
        ss_offer_point_line(g, owner, centre, c->R, line, f);
    }
    return along;
}

bool ss_rim_misses_line(const ss_gather *g, const ss_drum *c, int end, const ss_line *line)
{
    const ss_vec3 from = ss_sub(ss_drum_end(c, end), line->x);
    const double along = fmax(-line->half, fmin(line->half, ss_dot(from, line->d)));
    return ss_norm(ss_axpy(-along, line->d, from)) > c->R + line->radius + g->reach + g->tol;
}

void ss_offer_rim_line(ss_gather *g, int owner, const ss_drum *c, int end, const ss_line *line, int feature, ss_vec3 seed,
                       ss_normal_test allowed, const void *data)
{
    double phi[3];
    if (ss_rim_misses_line(g, c, end, line) || offer_ball(g, owner, c, end, line, feature, allowed, data)) {
        return;
    }
    const int n = passages(c, end, line, phi);
    phi[n] = azimuth(c, ss_sub(seed, c->place.p));
    for (int k = 0; k <= n; k++) {
        offer_tangent(g, owner, c, end, line, feature, phi[k], allowed, data);
    }
}

void ss_offer_side_line(ss_gather *g, int owner, const ss_drum *c, const ss_line *line, int feature, ss_normal_test allowed,
                        const void *data)
{
    const ss_line axis = { c->place.p, c->place.R.c[2], c->L, c->R };
    const ss_vec3 cross = ss_cross(axis.d, line->d);
    const double sine = ss_norm(cross), outward = ss_dot(cross, g->n) * (owner == 1 ? 1 : -1);
    if (sine > near_parallel && allowed(data, ss_scale((outward >= 0 ? 1 : -1) / sine, cross))) {
        int f[2];
        features(owner, SS_CYL_SIDE + (outward >= 0), feature, f);
        ss_offer_line_line(g, owner == 0 ? &axis : line, owner == 0 ? line : &axis, f);
    }
}
