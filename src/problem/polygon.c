/* polygon.c - slip on a polygonal cone: the ray or the face on which the impulse lies is searched.
 *
 *   u = W r + q,  r on a ray g_k = (1, mu d_k), or on a face a g_i + b g_j. A ray takes one equation, a face two, linear:
 *     Coulomb     u_N = 0,           (d_i - d_j) . u_T = 0;  u_T . d_k least over k
 *     associated  (g_i + g_j).u = 0, (g_i - g_j) . u = 0;    g_k . u >= 0 for all k
 *
 * A candidate is judged by how far it violates its inequalities. One that violates them by round-off ends the search; else the
 * least violation of all counts. First come the candidates next to the friction at hand, then those next to the direction against
 * which the best of them slips, then all. From visit to visit the ray or face rarely changes: two or three candidates are then
 * tried instead of directions^2 / 2.
 * Cost        directions for each candidate                                                        */
#include "problem/polygon.h"

#include "base/tolerances.h"
#include "math/array.h"
#include "math/cones.h"

#include <math.h>
#include <string.h>

/* the best candidate so far: its impulse and velocity */
typedef struct search {
    const ss_polygon *c;
    const double *q;
    double violation, r[3], u[3];
} search;

static bool is_over(const search *s) { return s->violation <= SS_TOL_ROUND_OFF; }

static void times(const double *W, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = ss_array_dot(3, W + 3 * i, x);
    }
}

static void ray_of(const ss_polygon *c, int k, double *g)
{
    g[0] = 1;
    g[1] = c->mu * c->direction[2 * k];
    g[2] = c->mu * c->direction[2 * k + 1];
}

/* ---- candidates ------------------------------------------------------------------------------- */

/* how far u is from being allowed by the rays, relative to the numbers it is made of; `own` is a ray in use */
static double rays_violated(const ss_polygon *c, const double *u, const double *size, int own)
{
    const double mine = ss_array_dot(2, c->direction + 2 * own, u + 1);
    double least = INFINITY; /* along a direction */
    for (int k = 0; k < c->directions; k++) {
        const double along = c->direction[2 * k] * u[1] + c->direction[2 * k + 1] * u[2];
        least = along < least ? along : least;
    }
    const double worst = c->associated ? -(u[0] + c->mu * least) : mine - least;
    if (!(worst > 0)) {
        return 0;
    }
    const double slide = hypot(size[1], size[2]), scale = c->associated ? size[0] + c->mu * slide : slide;
    return worst / scale;
}

/* r = a g_i + b g_j as a candidate */
static void offer(search *s, int i, double a, int j, double b)
{
    const ss_polygon *c = s->c;
    double gi[3], gj[3], r[3], u[3], size[3];
    ray_of(c, i, gi);
    ray_of(c, j, gj);
    if (!(a + b >= 0) || !isfinite(a + b)) {
        return;
    }
    for (int m = 0; m < 3; m++) {
        r[m] = a * gi[m] + b * gj[m];
    }
    for (int m = 0; m < 3; m++) {
        u[m] = s->q[m] + ss_array_dot(3, c->W + 3 * m, r);
        size[m] = fmax(fabs(s->q[m]), fabs(u[m]));
    }
    double negative = fmax(0, -fmin(a, b)) / (fabs(a) + fabs(b));
    double violation = fmax(a + b > 0 ? negative : 0, rays_violated(c, u, size, a >= b ? i : j));
    if (violation < s->violation) {
        s->violation = violation;
        memcpy(s->r, r, sizeof r);
        memcpy(s->u, u, sizeof u);
    }
}

/* what u must be perpendicular to when r is on the ray g, or moves along it within a face */
static const double *test_of(const ss_polygon *c, const double *g)
{
    static const double normal[] = { 1, 0, 0 };
    return c->associated ? g : normal;
}

static void offer_ray(search *s, int i)
{
    double g[3], Wg[3];
    ray_of(s->c, i, g);
    times(s->c->W, g, Wg);
    const double *test = test_of(s->c, g);
    double D = ss_array_dot(3, test, Wg);
    if (D > 0) {
        offer(s, i, -ss_array_dot(3, test, s->q) / D, i, 0);
    }
}

/* a g_i + b g_j = (a+b) m + (a-b) h with the mean m and the half difference h: well conditioned also for opposite rays */
static void offer_face(search *s, int i, int j)
{
    double gi[3], gj[3], m[3], h[3], Wm[3], Wh[3];
    ray_of(s->c, i, gi);
    ray_of(s->c, j, gj);
    for (int k = 0; k < 3; k++) {
        m[k] = 0.5 * (gi[k] + gj[k]);
        h[k] = 0.5 * (gi[k] - gj[k]);
    }
    times(s->c->W, m, Wm);
    times(s->c->W, h, Wh);
    const double *test = test_of(s->c, m);
    double A[4] = { ss_array_dot(3, test, Wm), ss_array_dot(3, test, Wh), ss_array_dot(3, h, Wm), ss_array_dot(3, h, Wh) };
    double y[2] = { -ss_array_dot(3, test, s->q), -ss_array_dot(3, h, s->q) }, det = A[0] * A[3] - A[1] * A[2];
    double sum = (y[0] * A[3] - y[1] * A[1]) / det, difference = (A[0] * y[1] - A[2] * y[0]) / det;
    offer(s, i, 0.5 * (sum + difference), j, 0.5 * (sum - difference));
}

/* ---- which of them ---------------------------------------------------------------------------- */

/* the two rays next to a direction, and the face between them */
static void offer_beside(search *s, const double *y_T)
{
    int next[2];
    ss_polygon_neighbours(s->c->directions, s->c->direction, y_T, next);
    for (int side = 0; side < 2 && !is_over(s); side++) {
        if (next[side] >= 0) {
            offer_ray(s, next[side]);
        }
    }
    if (next[0] >= 0 && next[1] >= 0 && next[0] != next[1] && !is_over(s)) {
        offer_face(s, next[0], next[1]);
    }
}

static void offer_all(search *s)
{
    for (int i = 0; i < s->c->directions && !is_over(s); i++) {
        offer_ray(s, i);
    }
    for (int i = 0; i < s->c->directions && !is_over(s); i++) {
        for (int j = 0; j < i && !is_over(s); j++) {
            offer_face(s, i, j);
        }
    }
}

bool ss_polygon_slide(const ss_polygon *c, const double *q, double *r)
{
    const double allowed = 1e-9; /* a candidate at the border between two cases is as good as either */
    search s = { .c = c, .q = q, .violation = INFINITY, .u = { q[0], q[1], q[2] } };
    if (r[1] != 0 || r[2] != 0) {
        offer_beside(&s, r + 1);
    }
    if (!is_over(&s)) {
        offer_beside(&s, (const double[]){ -s.u[1], -s.u[2] });
    }
    if (!is_over(&s)) {
        offer_all(&s);
    }
    if (!(s.violation <= allowed)) {
        return false;
    }
    memcpy(r, s.r, sizeof s.r);
    return true;
}
