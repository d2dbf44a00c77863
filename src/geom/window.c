/* window.c - what a small body sees of a huge one: the part of it within a window about the small body.
 *
 * An iteration on points (gjk.c, epa.c) has the rounding of its largest coordinates. Beside a body a million times its size a
 * small one would keep few digits; but the nearest point of the huge body, and the shortest way out of it, lie within
 *
 *     |distance of the small body's middle from the huge one|  +  radius of the small body
 *
 * of that middle. The huge body is cut to a window WIDE times as large: a convex body of the small one's size with the same
 * distance and depth.
 *
 * Polytope.  The corners of its part in a cube are what the cube leaves of its edges and what the polytope leaves of the
 * cube's edges: segments cut by half spaces.
 *
 * Cylinder.  The window is |y| <= w about the middle, and x >= its x - w, in axes with x through the middle, from the axis of
 * the cylinder outwards: cut off is either a flat top or the arc x = sqrt(R^2 - y^2), measured from R as
 * -y^2 / (R + sqrt(R^2 - y^2)). A window wider than the cylinder takes the whole circle; along the axis it is an interval.
 *
 * Points of a window are kept relative to one near the small body: about an origin there they have no rounding of the huge
 * body's coordinates.
 *
 * Cost   edges + 12 faces of a polytope; constant for a cylinder. */
#include "geom/cylinder.h"
#include "geom/pairs.h"

enum { WIDE = 4, HUGE_RATIO = 64 }; /* a body is cut when it is this many times larger than the window */

/* ---- polytope ------------------------------------------------------------------------------ */

/* A segment x + s d, lo <= s <= hi, being cut by half spaces n . x <= offset. */
typedef struct segment {
    ss_vec3 x, d;
    double lo, hi;
} segment;

static void cut(segment *s, ss_vec3 n, double offset)
{
    const double slope = ss_dot(n, s->d), room = offset - ss_dot(n, s->x);
    if (slope > 0) {
        s->hi = fmin(s->hi, room / slope);
    } else if (slope < 0) {
        s->lo = fmax(s->lo, room / slope);
    } else if (room < 0) {
        s->lo = INFINITY;
    }
}

/* false: no room */
static bool add_ends(ss_window *w, const segment *s, ss_vec3 middle, int name)
{
    if (!(s->lo <= s->hi)) {
        return true;
    }
    if (w->points + 2 > SS_WINDOW_POINTS) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        w->point[w->points] = ss_sub(ss_axpy(k == 0 ? s->lo : s->hi, s->d, s->x), middle);
        w->name[w->points++] = name;
    }
    return true;
}

/* what the cube about x leaves of the polytope's edges */
static bool add_edges(ss_window *w, const ss_polytope *p, ss_vec3 x, double half)
{
    const ss_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    bool room = true;
    for (int e = 0; e < p->edges && room; e++) {
        segment s = { p->corner[p->edge[e][0]], ss_edge_vector(p, e), 0, 1 };
        for (int i = 0; i < 3; i++) {
            cut(&s, axes[i], ss_dot(axes[i], x) + half);
            cut(&s, ss_scale(-1, axes[i]), half - ss_dot(axes[i], x));
        }
        room = add_ends(w, &s, x, p->edge[e][0]);
    }
    return room;
}

/* what the polytope leaves of the cube's edges */
static bool add_cube(ss_window *w, const ss_polytope *p, ss_vec3 x, double half)
{
    const ss_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    bool room = true;
    for (int k = 0; k < 12 && room && p->faces > 0; k++) {
        const ss_vec3 u = axes[k / 4], v = axes[(k / 4 + 1) % 3], t = axes[(k / 4 + 2) % 3];
        segment s = { ss_axpy(k & 1 ? half : -half, v, ss_axpy(k & 2 ? half : -half, t, x)), u, -half, half };
        for (int f = 0; f < p->faces; f++) {
            cut(&s, p->normal[f], p->offset[f]);
        }
        room = add_ends(w, &s, x, 0);
    }
    return room;
}

bool ss_window_polytope(ss_window *w, const ss_polytope *p, const ss_frame *place, ss_vec3 x, double size)
{
    const ss_vec3 in_shape = ss_point_to_body(*place, x);
    if (!(WIDE * HUGE_RATIO * size < p->size)) {
        return false;
    }
    double distance;
    ss_polytope_nearest(p, in_shape, 0, &distance);
    const double half = WIDE * (fabs(distance) + size);
    w->points = 0;
    w->place = (ss_frame){ x, place->R };
    return HUGE_RATIO * half < p->size && add_edges(w, p, in_shape, half) && add_cube(w, p, in_shape, half) && w->points > 0;
}

ss_vec3 ss_window_support(const void *window, ss_vec3 d, int *name)
{
    const ss_window *w = window;
    const ss_vec3 in_shape = ss_unrotate(w->place.R, d);
    int best = 0;
    for (int k = 1; k < w->points; k++) {
        best = ss_dot(in_shape, ss_sub(w->point[k], w->point[best])) > 0 ? k : best;
    }
    *name = w->name[best];
    return ss_point_to_world(w->place, w->point[best]);
}

/* ---- cylinder ------------------------------------------------------------------------------ */

bool ss_window_drum(ss_drum_window *w, const ss_drum *c, ss_vec3 x, double size)
{
    const ss_vec3 from = ss_sub(x, c->place.p), Z = c->place.R.c[2];
    const ss_vec3 radial = ss_drum_across(c, from);
    const double z = ss_dot(from, Z), r = ss_norm(radial), beyond = r - c->R, above = fabs(z) - c->L;
    const double distance = fmax(beyond, above) > 0 ? hypot(fmax(beyond, 0), fmax(above, 0)) : -fmax(beyond, above);
    const double half = WIDE * (distance + size), whole = hypot(c->R, c->L);
    w->u = r > 0 ? ss_scale(1 / r, radial) : c->place.R.c[0];
    w->v = ss_cross(Z, w->u);
    w->drum = c;
    w->at = ss_axpy(c->R, w->u, ss_axpy(z, Z, c->place.p));
    w->lo = fmax(-c->L - z, -half);
    w->hi = fmin(c->L - z, half);
    w->half = half;
    w->round = 4 * half > c->R;
    w->bottom = beyond - half;
    w->top = beyond + half;
    return HUGE_RATIO * half < whole;
}

/* how far the circle at y is short of R */
static double sagitta(double R, double y) { return y * y / (R + sqrt(R * R - y * y)); }

/* the farthest point of the cross section along (dx, dy), x measured from R */
static void section_support(const ss_drum_window *w, double dx, double dy, double *x, double *y)
{
    const double R = w->drum->R, end = dy >= 0 ? w->half : -w->half;
    const bool flat = w->top <= -sagitta(R, w->half);
    *y = end;
    *x = w->bottom;
    if (dx > 0 && flat) {
        *x = w->top;
    } else if (dx > 0) {
        const double on_arc = R * dy / hypot(dx, dy);
        *y = fabs(on_arc) < w->half ? on_arc : end;
        *x = -sagitta(R, *y);
    }
}

ss_vec3 ss_drum_window_support(const void *window, ss_vec3 d, int *name)
{
    const ss_drum_window *w = window;
    const ss_drum *c = w->drum;
    const double dx = ss_dot(d, w->u), dy = ss_dot(d, w->v), across = hypot(dx, dy);
    double x = 0, y = 0;
    if (w->round && across > 0) {
        x = c->R * (dx / across - 1);
        y = c->R * dy / across;
    } else if (!w->round) {
        section_support(w, dx, dy, &x, &y);
    }
    *name = -1;
    const double z = ss_dot(d, c->place.R.c[2]) >= 0 ? w->hi : w->lo;
    return ss_add(w->at, ss_axpy(x, w->u, ss_axpy(y, w->v, ss_scale(z, c->place.R.c[2]))));
}
