/* cones.c - exact projections onto friction cones.
 *
 *   circular    K = { |y_T| <= mu y_N }
 *   polygonal   K = { y_T = sum beta_k d_k, beta >= 0, sum beta_k <= mu y_N } = cone of the rays g_k = (1, mu d_k)
 *
 * Circular: inside -> y; in the polar cone (mu |y_T| <= -y_N) -> 0; else onto the ray of y_T's direction:
 *   P = t (1, mu y_T/|y_T|),  t = (y_N + mu |y_T|) / (1 + mu^2).
 * Several parts, |y_i| <= mu_i y_N: the projection keeps their directions, cuts their lengths a_i to min(a_i, mu_i t), and
 *   t - y_N = sum_i mu_i max(0, a_i - mu_i t),  t >= 0:  the left side rises with t and the right side falls. Parts are cut in
 * the order of a_i/mu_i: with those cut that have a_i > mu_i t, t = (y_N + sum mu_i a_i) / (1 + sum mu_i^2). Polygonal: in 2D the
 * circular one with mu max|d|. In 3D a face of the cone is spanned by at most two rays: either y lies in K, which the gauge
 * decides, or P is the nearest of 0, the projections on single rays and the projections on the planes of two rays whose
 * coefficients are both positive. All of these lie in K, so the nearest one is the projection, whatever the order of the
 * directions, their lengths (elliptic friction) and their rank. Distances tell near candidates apart only to the root of the
 * round-off; there the condition g_k . (y - P) <= 0 for all k decides, which is linear in the error. A candidate that fulfils it
 * to the last digits ends the search: as a rule one of those next to y_T, which come first. Gauge: the polygon is symmetric,
 * hence the union of the triangles (0, d_i, d_j): the smallest a + b >= 0 with y_T = a d_i + b d_j over all pairs.
 *
 * Reference   [Ani06 (5.5)] for the cones; projections are elementary convex analysis
 * Cost        directions, or directions^2 / 2 pairs where none of the first candidates is it; no memory */
#include "math/cones.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static const double EXACT = 8 * DBL_EPSILON; /* of |y|: the round-off of a condition */

void ss_cone_project_slip(int dim, double mu, double slip, double *y)
{
    if (y[0] >= 0 && slip <= mu * y[0]) {
        return;
    }
    const double along = (y[0] + mu * slip) / (1 + mu * mu), t = along > 0 ? along : 0;
    double factor = t > 0 ? t * mu / slip : 0;
    y[0] = t;
    for (int k = 1; k < dim; k++) {
        y[k] *= factor;
    }
}

void ss_cone_project_circular(int dim, double mu, double *y)
{
    ss_cone_project_slip(dim, mu, dim == 3 ? hypot(y[1], y[2]) : fabs(y[1]), y);
}

void ss_disc_project(int dim, double radius, double *y)
{
    const double length = dim == 2 ? hypot(y[0], y[1]) : fabs(y[0]);
    for (int k = 0; k < dim && length > radius; k++) {
        y[k] *= radius / length;
    }
}

void ss_segment_project(double radius, const double *direction, double *y)
{
    const double along = fmax(-radius, fmin(radius, y[0] * direction[0] + y[1] * direction[1]));
    y[0] = along * direction[0];
    y[1] = along * direction[1];
}

/* t if the parts with a_i > mu_i low are cut */
static double cut_above(int parts, const double *mu, double y_N, const double *a, double low)
{
    double above = y_N, below = 1;
    for (int i = 0; i < parts; i++) {
        above += a[i] > mu[i] * low ? mu[i] * a[i] : 0;
        below += a[i] > mu[i] * low ? mu[i] * mu[i] : 0;
    }
    return fmax(0, above / below);
}

void ss_cone_project_lengths(int parts, const double *mu, double *y_N, double *length)
{
    double t = fmax(0, *y_N), last = -1;
    for (int k = 0; k <= parts && t != last; k++) { /* t rises, and every rise spares a part */
        last = t;
        t = fmax(t, cut_above(parts, mu, *y_N, length, t));
    }
    *y_N = t;
    for (int i = 0; i < parts; i++) {
        length[i] = fmin(length[i], mu[i] * t);
    }
}

/* y = a di + b dj; false if they span no angle that holds y */
static bool split(const double *di, const double *dj, const double *y, double *sum)
{
    double det = di[0] * dj[1] - di[1] * dj[0];
    double a = (y[0] * dj[1] - y[1] * dj[0]) / det, b = (di[0] * y[1] - di[1] * y[0]) / det;
    *sum = a + b;
    return det != 0 && a >= 0 && b >= 0;
}

/* no other direction is beyond the line through di and dj: then no other pair has a smaller sum */
static bool is_edge(int directions, const double *d, const double *di, const double *dj)
{
    double n[2] = { dj[1] - di[1], di[0] - dj[0] }, offset = n[0] * di[0] + n[1] * di[1];
    for (int k = 0; k < directions; k++) {
        if ((n[0] * d[2 * k] + n[1] * d[2 * k + 1] - offset) * offset > 0) {
            return false;
        }
    }
    return true;
}

void ss_polygon_neighbours(int directions, const double *d, const double *y, int next[2])
{
    double best[2][2] = { { 0, 0 }, { 0, 0 } };
    next[0] = next[1] = -1;
    for (int k = 0; k < directions; k++) {
        const double *dk = d + 2 * k;
        const int side = y[0] * dk[1] - y[1] * dk[0] >= 0;
        const double turn = dk[0] * best[side][1] - dk[1] * best[side][0]; /* from dk to the best one */
        if (next[side] < 0 || (side ? turn > 0 : turn < 0)) {
            next[side] = k;
            best[side][0] = dk[0];
            best[side][1] = dk[1];
        }
    }
}

double ss_polygon_gauge(int directions, const double *d, const double *y_T)
{
    if (y_T[0] == 0 && y_T[1] == 0) {
        return 0;
    }
    int next[2];
    double best = INFINITY, sum;
    ss_polygon_neighbours(directions, d, y_T, next);
    if (next[0] >= 0 && next[1] >= 0 && split(d + 2 * next[0], d + 2 * next[1], y_T, &sum) &&
        is_edge(directions, d, d + 2 * next[0], d + 2 * next[1])) {
        return sum;
    }
    for (int i = 0; i < directions; i++) {
        const double *di = d + 2 * i;
        /* along a single direction, exactly */
        if (di[0] * y_T[1] == di[1] * y_T[0] && di[0] * y_T[0] + di[1] * y_T[1] > 0) {
            best = fmin(best, hypot(y_T[0], y_T[1]) / hypot(di[0], di[1]));
        }
        for (int j = 0; j < i; j++) {
            best = split(di, d + 2 * j, y_T, &sum) ? fmin(best, sum) : best;
        }
    }
    return best;
}

/* n . y_T = sum beta_k n . d_k <= gauge max_k n . d_k: with n = y_T, is the gauge above `radius`, beyond round-off? */
static bool is_beyond(int directions, const double *d, const double *y_T, double radius)
{
    double reach = 0;
    for (int k = 0; k < directions; k++) {
        const double x = d[2 * k] * y_T[0] + d[2 * k + 1] * y_T[1];
        reach = x > reach ? x : reach;
    }
    return y_T[0] * y_T[0] + y_T[1] * y_T[1] > (1 + EXACT) * radius * reach;
}

/* y_T = a d_0 + b d_q; the set holds -d with d, so |a| + |b| bounds the gauge from above; else a bound from below, or the exact
 * gauge */
bool ss_polygon_holds(int directions, const double *d, const double *y_T, double radius)
{
    const double *p = d, *q = d + 2 * (directions / 4);
    double det = p[0] * q[1] - p[1] * q[0];
    double sum = fabs(y_T[0] * q[1] - y_T[1] * q[0]) + fabs(p[0] * y_T[1] - p[1] * y_T[0]);
    if (det != 0 && sum <= radius * fabs(det)) {
        return true;
    }
    return !is_beyond(directions, d, y_T, radius) && ss_polygon_gauge(directions, d, y_T) <= radius;
}

double ss_polygon_slip(int dim, int directions, const double *d, const double *u_T)
{
    double slip = 0; /* the set is symmetric: never negative */
    for (int k = 0; k < directions; k++) {
        slip = fmax(slip, -d[2 * k] * u_T[0] - (dim == 3 ? d[2 * k + 1] * u_T[1] : 0));
    }
    return slip;
}

typedef struct nearest {
    double mu, distance2, violation, p[3];
    int directions;
    const double *d, *y;
} nearest;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void ray_of(double mu, const double *d, double *g)
{
    g[0] = 1;
    g[1] = mu * d[0];
    g[2] = mu * d[1];
}

/* largest g_k . e / |g_k|; at the projection none is positive */
static double violation(const nearest *best, const double *e)
{
    double worst = 0, g[3];
    for (int k = 0; k < best->directions; k++) {
        ray_of(best->mu, best->d + 2 * k, g);
        const double along = dot(g, e);
        worst = along > 0 ? fmax(worst, along / sqrt(dot(g, g))) : worst;
    }
    return worst;
}

static void offer(nearest *best, double x, double y, double z)
{
    const double tie = 1e-10; /* relative; far above the round-off of a squared distance */
    double e[3] = { best->y[0] - x, best->y[1] - y, best->y[2] - z };
    double distance2 = dot(e, e);
    if (distance2 > best->distance2 * (1 + tie)) {
        return;
    }
    double worst = violation(best, e);
    if (distance2 < best->distance2 * (1 - tie) || worst < best->violation) {
        best->distance2 = distance2;
        best->violation = worst;
        best->p[0] = x;
        best->p[1] = y;
        best->p[2] = z;
    }
}

static void offer_ray(nearest *best, const double *g)
{
    double t = dot(g, best->y) / dot(g, g);
    if (t > 0) {
        offer(best, t * g[0], t * g[1], t * g[2]);
    }
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* the face spanned by g and f: coefficients of y's projection on their plane, kept if both are positive;
 * cross products, since g and f are nearly parallel when mu is small */
static void offer_face(nearest *best, const double *g, const double *f)
{
    double normal[3], yf[3], gy[3];
    cross(g, f, normal);
    cross(best->y, f, yf);
    cross(g, best->y, gy);
    double area2 = dot(normal, normal);
    double a = dot(yf, normal) / area2, b = dot(gy, normal) / area2;
    if (area2 > 0 && a > 0 && b > 0) {
        offer(best, a * g[0] + b * f[0], a * g[1] + b * f[1], a * g[2] + b * f[2]);
    }
}

/* the two rays next to y_T, and the face between them */
static void offer_beside(nearest *best)
{
    int next[2];
    double g[3], f[3];
    ss_polygon_neighbours(best->directions, best->d, best->y + 1, next);
    if (next[0] >= 0 && next[1] >= 0) {
        ray_of(best->mu, best->d + 2 * next[0], g);
        ray_of(best->mu, best->d + 2 * next[1], f);
        offer_ray(best, g);
        offer_ray(best, f);
        offer_face(best, g, f);
    }
}

static void offer_all(nearest *best)
{
    offer_ray(best, (double[]){ 1, 0, 0 }); /* no direction at all */
    for (int i = 0; i < best->directions; i++) {
        double g[3], f[3];
        ray_of(best->mu, best->d + 2 * i, g);
        offer_ray(best, g);
        for (int j = 0; j < i; j++) {
            ray_of(best->mu, best->d + 2 * j, f);
            offer_face(best, g, f);
        }
    }
}

/* Every candidate lies in K and is perpendicular to y - P: one that also violates no condition is the projection. */
static bool is_found(const nearest *best) { return best->violation <= EXACT * sqrt(dot(best->y, best->y)); }

static void project_3d(double mu, int directions, const double *d, double *y)
{
    if (y[0] >= 0 && ss_polygon_holds(directions, d, y + 1, mu * y[0])) {
        return;
    }
    nearest best = { .mu = mu, .directions = directions, .d = d, .y = y, .distance2 = dot(y, y) };
    best.violation = violation(&best, y);
    if (!is_found(&best)) {
        offer_beside(&best);
    }
    if (!is_found(&best)) {
        offer_all(&best);
    }
    for (int k = 0; k < 3; k++) {
        y[k] = best.p[k];
    }
}

void ss_cone_project_polygonal(int dim, double mu, int directions, const double *d, double *y)
{
    if (dim == 3) {
        project_3d(mu, directions, d, y);
        return;
    }
    double longest = 0; /* in the plane the cone is |y_T| <= mu max|d| y_N */
    for (int k = 0; k < directions; k++) {
        longest = fmax(longest, fabs(d[2 * k]));
    }
    ss_cone_project_circular(2, mu * longest, y);
}
