/* polygon.c - slip on a polygonal cone: the ray or the face on which the impulse lies is searched.
 *
 *   u = W r + q,  r on a ray g_k = (1, mu d_k), or on a face a g_i + b g_j. A ray takes one equation, a face two, linear:
 *     Coulomb     u_N = 0,           (d_i - d_j) . u_T = 0;  u_T . d_k least over k
 *     associated  (g_i + g_j).u = 0, (g_i - g_j) . u = 0;    g_k . u >= 0 for all k
 *
 * A candidate is judged by how far it violates its inequalities. One that violates them by round-off ends the search; else the
 * least violation of all counts. The search goes from ray to ray: first that against which the contact slides now, from each to
 * the one that its own velocity violates most, and to the face between both; then come all. From visit to visit the ray or face
 * rarely changes: one or two candidates are then tried instead of directions^2 / 2.
 * Cost        directions for each candidate                                                        */
#include "problem/polygon.h"

#include "base/tolerances.h"

#include <math.h>
#include <string.h>

/* the best candidate so far */
typedef struct search {
    const ss_polygon *c;
    const double *q;
    double violation, r[3];
    int next; /* the ray that the last candidate violates most */
} search;

static bool is_over(const search *s) { return s->violation <= SS_TOL_ROUND_OFF; }

static void times(const double *W, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
    }
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void ray_of(const ss_polygon *c, int k, double *g)
{
    g[0] = 1;
    g[1] = c->mu * c->direction[2 * k];
    g[2] = c->mu * c->direction[2 * k + 1];
}

/* ---- candidates ------------------------------------------------------------------------------- */

static double along(const ss_polygon *c, int k, const double *u)
{
    return c->direction[2 * k] * u[1] + c->direction[2 * k + 1] * u[2];
}

/* the direction d_k with the least u_T . d_k, against which the contact slides */
static int opposite(const ss_polygon *c, const double *u)
{
    double least = INFINITY;
    int found = 0;
    for (int k = 0; k < c->directions; k++) {
        const double x = along(c, k, u);
        found = x < least ? k : found;
        least = x < least ? x : least;
    }
    return found;
}

/* how far u is from being allowed by the ray `next`, relative to the numbers it is made of; `own` is a ray in use */
static double ray_violated(const search *s, const double *u, int own, int next)
{
    const ss_polygon *c = s->c;
    const double least = along(c, next, u), worst = c->associated ? -(u[0] + c->mu * least) : along(c, own, u) - least;
    if (!(worst > 0)) {
        return 0;
    }
    double size[3];
    for (int m = 0; m < 3; m++) {
        size[m] = fmax(fabs(s->q[m]), fabs(u[m]));
    }
    const double slide = hypot(size[1], size[2]), scale = c->associated ? size[0] + c->mu * slide : slide;
    return worst / scale;
}

/* the candidate r = a g_i + b g_j with its velocity u */
static void offer(search *s, int i, double a, int j, double b, const double *r, const double *u)
{
    s->next = opposite(s->c, u);
    const double negative = a < 0 || b < 0 ? -fmin(a, b) / (fabs(a) + fabs(b)) : 0;
    const double violation = fmax(negative, ray_violated(s, u, a >= b ? i : j, s->next));
    if (violation < s->violation) {
        s->violation = violation;
        memcpy(s->r, r, sizeof s->r);
    }
}

static bool is_impulse(double normal) { return normal >= 0 && isfinite(normal); }

/* what u must be perpendicular to when r is on the ray g, or moves along it within a face */
static const double *test_of(const ss_polygon *c, const double *g)
{
    static const double normal[] = { 1, 0, 0 };
    return c->associated ? g : normal;
}

static void offer_ray(search *s, int i)
{
    double g[3], Wg[3], r[3], u[3];
    ray_of(s->c, i, g);
    times(s->c->W, g, Wg);
    const double *test = test_of(s->c, g), D = dot(test, Wg), t = -dot(test, s->q) / D;
    if (!(D > 0) || !is_impulse(t)) {
        return;
    }
    for (int m = 0; m < 3; m++) {
        r[m] = t * g[m];
        u[m] = s->q[m] + t * Wg[m];
    }
    offer(s, i, t, i, 0, r, u);
}

/* a g_i + b g_j = (a+b) m + (a-b) h with the mean m and the half difference h: well conditioned also for opposite rays */
static void offer_face(search *s, int i, int j)
{
    double gi[3], gj[3], m[3], h[3], Wm[3], Wh[3], r[3], u[3];
    ray_of(s->c, i, gi);
    ray_of(s->c, j, gj);
    for (int k = 0; k < 3; k++) {
        m[k] = 0.5 * (gi[k] + gj[k]);
        h[k] = 0.5 * (gi[k] - gj[k]);
    }
    times(s->c->W, m, Wm);
    times(s->c->W, h, Wh);
    const double *test = test_of(s->c, m);
    const double A[4] = { dot(test, Wm), dot(test, Wh), dot(h, Wm), dot(h, Wh) }, det = A[0] * A[3] - A[1] * A[2];
    const double y[2] = { -dot(test, s->q), -dot(h, s->q) };
    const double sum = (y[0] * A[3] - y[1] * A[1]) / det, difference = (A[0] * y[1] - A[2] * y[0]) / det;
    const double a = 0.5 * (sum + difference), b = 0.5 * (sum - difference);
    if (!is_impulse(a + b)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        r[k] = a * gi[k] + b * gj[k];
        u[k] = s->q[k] + sum * Wm[k] + difference * Wh[k];
    }
    offer(s, i, a, j, b, r, u);
}

/* ---- which of them ---------------------------------------------------------------------------- */

/* The two directions with the largest d_k . r_T; of a regular polygon those next to r_T. */
static void nearest(const ss_polygon *c, const double *r, int *first, int *second)
{
    double most = -INFINITY, next = -INFINITY;
    *first = *second = 0;
    for (int k = 0; k < c->directions; k++) {
        const double x = along(c, k, r);
        const bool best = x > most, better = x > next;
        next = best ? most : better ? x : next;
        *second = best ? *first : better ? k : *second;
        most = best ? x : most;
        *first = best ? k : *first;
    }
}

/* the ray or face on which r lies, if one of the two nearest directions is its ray */
static void offer_own(search *s, const double *r)
{
    const double on_ray = 1e-12; /* sine of an angle: only the order in which candidates come depends on it */
    int i, j;
    nearest(s->c, r, &i, &j);
    const double *d = s->c->direction + 2 * i;
    if (fabs(d[0] * r[2] - d[1] * r[1]) <= on_ray * along(s->c, i, r)) {
        offer_ray(s, i);
    } else {
        offer_face(s, i, j);
    }
}

/* from ray k to those that are violated, and the faces on the way */
static void follow(search *s, int k)
{
    enum { TURNS = 3 };
    for (int turn = 0; turn < TURNS && !is_over(s); turn++) {
        s->next = k;
        offer_ray(s, k);
        const int next = s->next;
        if (is_over(s) || next == k) {
            return;
        }
        offer_face(s, k, next);
        k = next;
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

bool ss_polygon_slide(const ss_polygon *c, const double *q, const double *u, double *r)
{
    const double allowed = 1e-9; /* a candidate at the border between two cases is as good as either */
    search s = { .c = c, .q = q, .violation = INFINITY };
    if (r[1] != 0 || r[2] != 0) {
        offer_own(&s, r);
    }
    if (!is_over(&s)) {
        follow(&s, opposite(c, u));
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
