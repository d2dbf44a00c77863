/* pair_cylinder_cylinder.c - two cylinders: the manifold of smooth gaps between their ends, sides and rims.
 *
 * Distance, normal n and witnesses come from gjk.c. Offered are, each cylinder in its turn:
 *
 *     side and side   two lines with radii, unless near parallel
 *     rim and side    the tangent or point of the rim nearest to the other's axis, a line with radius
 *     rim and end     the lowest points and the fixed points of the rim over the other's end
 *     rim and rim     the tangents at the witnesses and, of ends that look at each other, where the rims cross
 *
 * and at last, if nothing is as near as the shapes are, the witnesses (cylinder_gaps.c).
 *
 * Two rims.  The distance of p(alpha) and q(beta) on them is stationary where D = p - q is across both tangents,
 *
 *     D . p' = 0,  D . q' = 0         (Newton; started where the rims cross when they lie in one plane)
 *
 * and the gap of the two tangents, frozen, then has the exact rows.
 *
 * Which cylinder comes first is decided by their size, then by their places along a fixed direction: the same manifold, mirrored,
 * when the bodies are exchanged. Cost: gjk.c, at most 30 gaps and 15 Newton iterations. */
#include "base/tolerances.h"
#include "geom/cylinder.h"
#include "geom/gjk.h"
#include "geom/pairs.h"

static const double play = 0.05; /* of normals and rims, as in cylinder_gaps.c       */
static const double near_parallel = 0.02;
static const double regular = 1e-4; /* determinant of a Newton step, of its largest value */
static const double looking = 0.95; /* cosine between the axes of ends that look at each other */

typedef struct meeting {
    ss_gather g;
    int first; /* owner of the cylinder that comes first */
    ss_drum c[2];
    ss_vec3 witness[2];
} meeting;

static ss_vec3 outward(const meeting *m, int owner) { return ss_scale(owner == 1 ? 1 : -1, m->g.n); }

/* ---- sides --------------------------------------------------------------------------------- */

/* the side of a cylinder has every normal across its axis, and the gaps have no other */
static bool side_allows(const void *data, ss_vec3 n)
{
    (void)data;
    (void)n;
    return true;
}

/* Named after the side as well: once the axes have passed through each other it is another contact. */
static void offer_sides(meeting *m)
{
    const ss_line axis[2] = { { m->c[0].place.p, m->c[0].place.R.c[2], m->c[0].L, m->c[0].R },
                              { m->c[1].place.p, m->c[1].place.R.c[2], m->c[1].L, m->c[1].R } };
    const ss_vec3 cross = ss_cross(axis[0].d, axis[1].d);
    const int side = SS_CYL_SIDE + (ss_dot(cross, m->g.n) >= 0), f[2] = { side, side };
    if (ss_norm(cross) > near_parallel) {
        ss_offer_line_line(&m->g, &axis[0], &axis[1], f);
    }
}

static void offer_rims_side(meeting *m, int owner)
{
    const ss_drum *other = &m->c[1 - owner];
    const ss_line axis = { other->place.p, other->place.R.c[2], other->L, other->R };
    for (int end = 0; end < 2; end++) {
        ss_offer_rim_line(&m->g, owner, &m->c[owner], end, &axis, SS_CYL_SIDE, m->witness[owner], side_allows, NULL);
    }
}

/* ---- ends ---------------------------------------------------------------------------------- */

typedef struct disk {
    const meeting *m;
    int owner;
} disk;

static bool disk_holds(const void *data, ss_vec3 x)
{
    const disk *d = data;
    const ss_drum *c = &d->m->c[d->owner];
    return ss_norm(ss_cross(c->place.R.c[2], ss_sub(x, c->place.p))) <= c->R + d->m->g.tol;
}

static int facing_end(const meeting *m, int owner) { return ss_dot(outward(m, owner), m->c[owner].place.R.c[2]) >= 0; }

/* rims of `owner` over the end of the other */
static void offer_rims_end(meeting *m, int owner)
{
    const ss_drum *c = &m->c[1 - owner];
    const int end = facing_end(m, 1 - owner);
    const disk d = { m, 1 - owner };
    const ss_plane plane = { .x = ss_drum_end(c, end), .n = ss_drum_out(c, end), .t = c->place.R.c[0], .half = { c->R, c->R } };
    ss_offer_rims_plane(&m->g, owner, &m->c[owner], &plane, SS_CYL_END + end, disk_holds, &d);
}

/* ---- two rims ------------------------------------------------------------------------------ */

typedef struct rim_point {
    ss_vec3 x, u, t; /* place, radial, tangent */
} rim_point;

static rim_point rim_at(const ss_drum *c, int end, double phi)
{
    const ss_vec3 u = ss_add(ss_scale(cos(phi), c->place.R.c[0]), ss_scale(sin(phi), c->place.R.c[1]));
    return (rim_point){ ss_axpy(c->R, u, ss_drum_end(c, end)), u, ss_cross(c->place.R.c[2], u) };
}

/* one Newton step of the two angles; their change, INFINITY if the tangents are too nearly parallel */
static double newton(const ss_drum *c, const rim_point p[2], double phi[2])
{
    const ss_vec3 D = ss_sub(p[0].x, p[1].x);
    const double R0 = c[0].R, R1 = c[1].R, b = -ss_dot(p[0].t, p[1].t) * R0 * R1;
    const double f0 = ss_dot(D, p[0].t) * R0, f1 = -ss_dot(D, p[1].t) * R1;
    const double a = R0 * (R0 - ss_dot(D, p[0].u)), d = R1 * (R1 + ss_dot(D, p[1].u)), det = a * d - b * b;
    if (!(det > regular * R0 * R0 * R1 * R1)) {
        return INFINITY;
    }
    const double s0 = (b * f1 - d * f0) / det, s1 = (b * f0 - a * f1) / det, step = fmax(fabs(s0), fabs(s1));
    const double scale = step > 0.3 ? 0.3 / step : 1;
    phi[0] += scale * s0;
    phi[1] += scale * s1;
    return step;
}

static bool is_rim_normal(const ss_drum *c, int end, const rim_point *p, ss_vec3 n)
{
    return ss_dot(n, p->u) >= -play && ss_dot(n, ss_drum_out(c, end)) >= -play;
}

/* the crossing of the rims of `end` near the angles phi */
static void offer_crossing(meeting *m, const int end[2], double phi[2], int slot)
{
    double step = INFINITY;
    for (int k = 0; k < 30; k++) {
        const rim_point p[2] = { rim_at(&m->c[0], end[0], phi[0]), rim_at(&m->c[1], end[1], phi[1]) };
        step = newton(m->c, p, phi);
        if (!(step > SS_TOL_ROUND_OFF) || isinf(step)) {
            break;
        }
    }
    const rim_point p[2] = { rim_at(&m->c[0], end[0], phi[0]), rim_at(&m->c[1], end[1], phi[1]) };
    const ss_vec3 cross = ss_cross(p[0].t, p[1].t), n = ss_unit(ss_dot(cross, m->g.n) >= 0 ? cross : ss_scale(-1, cross));
    const bool found = step < SS_TOL_SHAPE && ss_norm(cross) > near_parallel &&
                       is_rim_normal(&m->c[0], end[0], &p[0], ss_scale(-1, n)) && is_rim_normal(&m->c[1], end[1], &p[1], n);
    if (found) {
        const ss_line line[2] = { { p[0].x, p[0].t, 0.5 * m->c[0].R, 0 }, { p[1].x, p[1].t, 0.5 * m->c[1].R, 0 } };
        const int f[2] = { SS_CYL_RIM + 4 * end[0] + slot, SS_CYL_RIM + 4 * end[1] + slot };
        ss_offer_line_line(&m->g, &line[0], &line[1], f);
    }
}

static double azimuth(const ss_drum *c, ss_vec3 d) { return atan2(ss_dot(d, c->place.R.c[1]), ss_dot(d, c->place.R.c[0])); }

/* the rims near the witnesses */
static void offer_nearest_rims(meeting *m)
{
    const int end[2] = { facing_end(m, 0), facing_end(m, 1) };
    double phi[2];
    for (int k = 0; k < 2; k++) {
        phi[k] = azimuth(&m->c[k], ss_sub(m->witness[k], m->c[k].place.p));
    }
    offer_crossing(m, end, phi, 2);
}

/* Two circles in one plane, radii R0 and R1, centres d apart: they cross at a = (d^2 + R0^2 - R1^2) / (2 d) along the line
 * of centres and at +- sqrt(R0^2 - a^2) beside it. */
static void offer_crossings(meeting *m)
{
    const int one = m->first, two = 1 - one, end[2] = { facing_end(m, 0), facing_end(m, 1) };
    const ss_drum *c = m->c;
    const ss_vec3 axis = c[one].place.R.c[2], from = ss_sub(ss_drum_end(&c[two], end[two]), ss_drum_end(&c[one], end[one]));
    const ss_vec3 between = ss_axpy(-ss_dot(from, axis), axis, from);
    const double d = ss_norm(between), a = (d * d + c[one].R * c[one].R - c[two].R * c[two].R) / (2 * d);
    if (fabs(ss_dot(axis, c[two].place.R.c[2])) < looking || !(fabs(a) < c[one].R)) {
        return;
    }
    const ss_vec3 e = ss_scale(1 / d, between);
    const ss_vec3 beside = ss_scale(sqrt(c[one].R * c[one].R - a * a), ss_cross(outward(m, one), e));
    for (int slot = 0; slot < 2; slot++) {
        const ss_vec3 x = ss_axpy(slot ? 1 : -1, beside, ss_scale(a, e)); /* from the first centre */
        double phi[2];
        phi[one] = azimuth(&c[one], x);
        phi[two] = azimuth(&c[two], ss_sub(x, between));
        offer_crossing(m, end, phi, slot);
    }
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* which cylinder comes first, whatever the order of the bodies */
static int first_owner(const ss_shape *a, const ss_shape *b, ss_vec3 from_a_to_b)
{
    const ss_vec3 fixed = { 0.3141592, 0.7182818, 0.6207310 };
    if (a->radius != b->radius) {
        return a->radius < b->radius;
    }
    if (a->length != b->length) {
        return a->length < b->length;
    }
    return ss_dot(from_a_to_b, fixed) < 0;
}

static double separation(const void *data, ss_vec3 n)
{
    const meeting *m = data;
    int name;
    return ss_dot(n, ss_sub(ss_drum_support(&m->c[0], ss_scale(-1, n), &name), ss_drum_support(&m->c[1], n, &name)));
}

/* the cylinder of `owner`, cut to a window if it is huge beside the other one */
static ss_convex visible_part(const meeting *m, int owner, ss_drum_window *window)
{
    const ss_drum *c = &m->c[owner], *other = &m->c[1 - owner];
    if (ss_window_drum(window, c, other->place.p, hypot(other->R, other->L))) {
        return (ss_convex){ ss_drum_window_support, window, 3 };
    }
    return (ss_convex){ ss_drum_support, c, 3 };
}

static void measure(meeting *m)
{
    const int first = m->first;
    ss_drum_window window[2];
    const ss_convex one = visible_part(m, first, &window[0]), two = visible_part(m, 1 - first, &window[1]);
    const ss_nearest near = ss_gjk_nearest_curved(&one, &two, SS_FINER * m->g.tol, SS_ROUGH * m->g.tol);
    ss_gather_measured(&m->g, ss_scale(first == 0 ? 1 : -1, near.normal), near.distance, 0, near.converged);
    m->g.separation = separation;
    m->g.data = m;
    m->witness[first] = near.a;
    m->witness[1 - first] = near.b;
}

/* both placed about the origin of the first one's body */
void ss_pair_cylinder_cylinder(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                               ss_manifold *out)
{
    const double size = fmin(hypot(a->radius, a->length), hypot(b->radius, b->length));
    const int first = first_owner(a, b, ss_sub(fb->p, fa->p)), second = 1 - first;
    const ss_frame *body[2] = { fa, fb };
    meeting m = { .g = { .margin = margin, .out = out }, .first = first };
    m.g.tol = SS_TOL_SHAPE * size + SS_TOL_PLACE * (ss_norm(fa->p) + ss_norm(fb->p));
    m.g.body[first] = (ss_frame){ { 0, 0, 0 }, body[first]->R };
    m.g.body[second] = (ss_frame){ ss_sub(body[second]->p, body[first]->p), body[second]->R };
    m.c[0] = ss_drum_of(a, &m.g.body[0]);
    m.c[1] = ss_drum_of(b, &m.g.body[1]);
    measure(&m);

    offer_rims_end(&m, first);
    offer_rims_end(&m, second);
    offer_crossings(&m);
    offer_nearest_rims(&m);
    offer_sides(&m);
    offer_rims_side(&m, first);
    offer_rims_side(&m, second);
    const int witness[2] = { SS_CYL_WITNESS, SS_CYL_WITNESS };
    ss_gather_nearest(&m.g, first, m.witness[first], witness);
}
