/* cone_derivatives.c - projections on friction cones and Coulomb's own map, with their Jacobians.
 *
 *   cone, circular    inside: D = I; in the polar cone: D = 0;
 *                     else with e = y_T/|y_T|, g = (1, mu e), t = (y_N + mu|y_T|)/(1 + mu^2):
 *                     p = t g,   D = g g'/(1 + mu^2) + (t mu/|y_T|) (0, I - e e')
 *   cone, polygonal   p on a ray: D = p p'/|p|^2; inside a facet, with e = y - p: D = I - e e'/|e|^2
 *   Coulomb           y_N <= 0: p = 0, D = 0;
 *                     else p_N = y_N, and p_T is the projection of y_T on the set R C, R = mu p_N:
 *                     D_TT = d p_T/d y_T,   D_TN = mu d p_T/d R
 *   disc C            outside: p_T = R e, D_TT = (R/|y_T|) (I - e e'), d p_T/d R = e
 *   polygon C         at a corner R d_k: D_TT = 0, d p_T/d R = d_k;
 *                     on an edge with normal n: D_TT = I - n n', d p_T/d R = (n . p_T/R) n
 *
 * D of Coulomb's map is not symmetric: the normal impulse drives friction, friction does not drive the normal impulse.
 * The nearest point of a polygon is the nearest of all corners and all segments between two of them: each lies in it.
 *
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353, for Coulomb's map
 * Cost        at most directions^2 pairs, no memory                                                   */
#include "problem/cone_derivatives.h"
#include "base/tolerances.h"

#include "math/cones.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* D = factor I */
static void set_identity(int dim, double factor, double *D)
{
    for (int i = 0; i < dim * dim; i++) {
        D[i] = i % (dim + 1) == 0 ? factor : 0;
    }
}

static void copy(int dim, const double *y, double *p)
{
    for (int i = 0; i < dim; i++) {
        p[i] = y[i];
    }
}

/* D <- D + factor x x', on the components from `first` */
static void add_square(int dim, int first, double factor, const double *x, double *D)
{
    for (int i = first; i < dim; i++) {
        for (int j = first; j < dim; j++) {
            D[i * dim + j] += factor * x[i] * x[j];
        }
    }
}

static double tangential(int dim, const double *y) { return dim == 3 ? hypot(y[1], y[2]) : fabs(y[1]); }

/* ---- the cones -------------------------------------------------------------------------------- */

void ss_cone_map_circular(int dim, double mu, const double *y, double *p, double *D)
{
    double slip = tangential(dim, y), t = (y[0] + mu * slip) / (1 + mu * mu);
    bool inside = y[0] >= 0 && slip <= mu * y[0];
    copy(dim, y, p);
    ss_cone_project_circular(dim, mu, p);
    set_identity(dim, inside ? 1 : 0, D);
    if (inside || !(t > 0)) {
        return;
    }
    double g[3] = { 1, 0, 0 }, e[3] = { 0, 0, 0 }, bend = slip > 0 ? t * mu / slip : 0;
    for (int i = 1; i < dim; i++) {
        e[i] = slip > 0 ? y[i] / slip : 0;
        g[i] = mu * e[i];
        D[i * dim + i] = bend;
    }
    add_square(dim, 1, -bend, e, D);
    add_square(dim, 0, 1 / (1 + mu * mu), g, D);
}

/* is p a multiple of the ray (1, mu d)? */
static bool on_ray(double mu, const double *d, const double *p)
{
    double g[3] = { 1, mu * d[0], mu * d[1] };
    double cross[3] = { g[1] * p[2] - g[2] * p[1], g[2] * p[0] - g[0] * p[2], g[0] * p[1] - g[1] * p[0] };
    double sine2 = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
    double size2 = (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    return sine2 <= SS_TOL_DIRECTION * SS_TOL_DIRECTION * size2;
}

static bool on_some_ray(double mu, int directions, const double *d, const double *p)
{
    bool found = directions == 0 || mu == 0;
    for (int k = 0; k < directions && !found; k++) {
        found = on_ray(mu, d + 2 * k, p);
    }
    return found;
}

static double longest(int directions, const double *d)
{
    double most = 0;
    for (int k = 0; k < directions; k++) {
        most = fmax(most, fabs(d[2 * k]));
    }
    return most;
}

void ss_cone_map_polygonal(int dim, double mu, int directions, const double *d, const double *y, double *p, double *D)
{
    if (dim == 2) { /* |y_T| <= mu max|d| y_N */
        ss_cone_map_circular(2, mu * longest(directions, d), y, p, D);
        return;
    }
    copy(3, y, p);
    ss_cone_project_polygonal(3, mu, directions, d, p);
    double e[3] = { y[0] - p[0], y[1] - p[1], y[2] - p[2] };
    double out2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], size2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    set_identity(3, 0, D);
    if (out2 == 0) {
        set_identity(3, 1, D);
    } else if (size2 > 0 && on_some_ray(mu, directions, d, p)) {
        add_square(3, 0, 1 / size2, p, D);
    } else if (size2 > 0) {
        set_identity(3, 1, D);
        add_square(3, 0, -1 / out2, e, D);
    }
}

/* ---- Coulomb's map ---------------------------------------------------------------------------- */

/* y_N <= 0: nothing; else the normal part, and true */
static bool map_normal(int dim, const double *y, double *p, double *D)
{
    for (int i = 0; i < dim; i++) {
        p[i] = 0;
    }
    set_identity(dim, 0, D);
    if (!(y[0] > 0)) {
        return false;
    }
    p[0] = y[0];
    D[0] = 1;
    return true;
}

/* inside the disc or polygon: p_T = y_T */
static void map_stick(int dim, const double *y, double *p, double *D)
{
    for (int i = 1; i < dim; i++) {
        p[i] = y[i];
        D[i * dim + i] = 1;
    }
}

void ss_friction_map_circular(int dim, double mu, const double *y, double *p, double *D)
{
    if (!map_normal(dim, y, p, D)) {
        return;
    }
    double slip = tangential(dim, y), radius = mu * y[0], bend = radius / slip;
    if (slip <= radius) {
        map_stick(dim, y, p, D);
        return;
    }
    double e[3] = { 0, 0, 0 };
    for (int i = 1; i < dim; i++) {
        e[i] = y[i] / slip;
        p[i] = radius * e[i];
        D[i * dim] = mu * e[i];
        D[i * dim + i] = bend;
    }
    add_square(dim, 1, -bend, e, D);
}

/* p <- the point of the segment a b nearest to y, if nearer than p; *corner: `end` if that point is a, -1 if it is inside */
static void offer_segment(const double *y, const double *a, const double *b, double *p, double *distance2, int *corner, int end)
{
    double ab[2] = { b[0] - a[0], b[1] - a[1] }, size2 = ab[0] * ab[0] + ab[1] * ab[1];
    double t = size2 > 0 ? ((y[0] - a[0]) * ab[0] + (y[1] - a[1]) * ab[1]) / size2 : 0;
    t = fmax(0, t);
    if (t >= 1) { /* b is nearest: it is offered as the first end of another segment */
        return;
    }
    double x[2] = { a[0] + t * ab[0], a[1] + t * ab[1] };
    double e2 = (y[0] - x[0]) * (y[0] - x[0]) + (y[1] - x[1]) * (y[1] - x[1]);
    if (e2 < *distance2) {
        *distance2 = e2;
        p[0] = x[0];
        p[1] = x[1];
        *corner = t > 0 ? -1 : end;
    }
}

/* (y - p) . (d_k - p) <= 0 for all k, to round-off: no point of the polygon is nearer to y than p */
static bool is_nearest(int directions, const double *d, const double *y, const double *p)
{
    const double e[2] = { y[0] - p[0], y[1] - p[1] }, reach = e[0] * p[0] + e[1] * p[1];
    const double rounding = 8 * DBL_EPSILON * (fabs(e[0] * p[0]) + fabs(e[1] * p[1]));
    for (int k = 0; k < directions; k++) {
        if (e[0] * d[2 * k] + e[1] * d[2 * k + 1] > reach + rounding) {
            return false;
        }
    }
    return true;
}

/* the point of the edge between the directions next to y; false: none, or others are nearer */
static bool find_beside(int directions, const double *d, const double *y, double *p, int *corner)
{
    int next[2];
    double distance2 = INFINITY;
    ss_polygon_neighbours(directions, d, y, next);
    if (next[0] < 0 || next[1] < 0) {
        return false;
    }
    offer_segment(y, d + 2 * next[0], d + 2 * next[1], p, &distance2, corner, next[0]);
    offer_segment(y, d + 2 * next[1], d + 2 * next[0], p, &distance2, corner, next[1]);
    return distance2 < INFINITY && is_nearest(directions, d, y, p);
}

/* the point of the polygon nearest to y, both in units of R; the corner it is, -1: on an edge */
static int nearest_of_polygon(int directions, const double *d, const double *y, double *p)
{
    double distance2 = INFINITY;
    int corner = -1;
    if (find_beside(directions, d, y, p, &corner)) {
        return corner;
    }
    corner = -1;
    for (int i = 0; i < directions; i++) {
        for (int j = 0; j < directions; j++) {
            offer_segment(y, d + 2 * i, d + 2 * j, p, &distance2, &corner, i);
        }
    }
    return corner;
}

void ss_friction_map_polygonal(int dim, double mu, int directions, const double *d, const double *y, double *p, double *D)
{
    if (dim == 2) {
        ss_friction_map_circular(2, mu * longest(directions, d), y, p, D);
        return;
    }
    double radius = mu * y[0];
    if (!map_normal(3, y, p, D) || !(radius > 0) || directions == 0) {
        return;
    }
    if (ss_polygon_holds(directions, d, y + 1, radius)) {
        map_stick(3, y, p, D);
        return;
    }
    double scaled[2] = { y[1] / radius, y[2] / radius }, q[2] = { 0, 0 };
    int corner = nearest_of_polygon(directions, d, scaled, q);
    double n[3] = { 0, scaled[0] - q[0], scaled[1] - q[1] }, out = hypot(n[1], n[2]), reach = 0;
    for (int i = 1; i < 3; i++) {
        p[i] = radius * q[i - 1];
        n[i] = out > 0 ? n[i] / out : 0;
        reach += n[i] * q[i - 1];
        D[3 * i + i] = corner < 0 ? 1 : 0;
    }
    if (corner < 0) {
        add_square(3, 1, -1, n, D);
    }
    for (int i = 1; i < 3; i++) {
        D[3 * i] = mu * (corner < 0 ? reach * n[i] : q[i - 1]);
    }
}
