/* one_contact.c - one contact by cases.
 *
 *   u = W r + q,  g(e) = (1, mu e)
 *   take-off    r = 0          Coulomb: q_N >= 0          associated: q in K*
 *   stick       u = 0          r = -W^-1 q in K
 *   slip        r = t g(e), e a unit vector (circular) or on the rim of the polygon, u_T against e:
 *     Coulomb     u_N = 0        t = -q_N / n'W g          u_T = -s e,  s >= 0
 *     associated  g'u = 0        t = -g'q / g'W g          u_T = -s e,  u_N = mu s
 *
 * Circular, 3D: with D, N the denominator and numerator of t = -N/D and a x b = a_1 b_2 - a_2 b_1, the direction is a root of
 *   F(e) = D(e) (e x q_T) - N(e) (e x (W_TN + mu W_TT e)),
 * a trigonometric polynomial of degree 2 (Coulomb) or 3. Newton on the circle from the last direction of friction; if that
 * does not end in a solution, from points all around. Circular, 2D: e = +1, -1.
 * Polygon: r on a ray g_k, or on a face a g_i + b g_j. A ray takes one equation, a face two, linear:
 *   Coulomb     u_N = 0,          (d_i - d_j) . u_T = 0;  u_T . d_k least over k
 *   associated  (g_i + g_j).u = 0, (g_i - g_j) . u = 0;   g_k . u >= 0 for all k
 * The candidate that violates its inequalities least is taken; zero ends the search.
 * Stick is computed as r - W^-1 u from the current pair: errors of the inverse are corrected from sweep to sweep.
 *
 * If no case has a solution (W singular or not positive definite): r <- P_K(r - rho u^), rho cut back while the map does not
 * contract, a fixed number of times; the splitting goes on from there.
 * Solvable    for W positive definite always, in exactly one way if mu is not too large [AB08 ch. 13]
 * Cost        constant; polygons: directions^3 at worst                                              */
#include "problem/one_contact.h"
#include "base/tolerances.h"
#include "math/array.h"

#include "math/cones.h"
#include "problem/contact_law.h"

#include <math.h>

/* ---- small things ----------------------------------------------------------------------------- */

static void times(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = ss_array_dot(n, A + n * i, x);
    }
}

static double cross2(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

static bool is_associated(const ss_one_contact *c)
{
    return c->law == SS_LAW_ASSOCIATED || c->law == SS_LAW_ASSOCIATED_POLYHEDRAL;
}

static bool is_polygon(const ss_one_contact *c) { return c->law == SS_LAW_POLYHEDRAL || c->law == SS_LAW_ASSOCIATED_POLYHEDRAL; }

/* ---- opening ---------------------------------------------------------------------------------- */

/* by cofactors; false if the determinant is lost in round-off */
static bool invert3(const double *A, double *inverse)
{
    double size = 0;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[3 * j + i] = A[3 * i1 + j1] * A[3 * i2 + j2] - A[3 * i1 + j2] * A[3 * i2 + j1];
            size = fmax(size, fabs(A[3 * i + j]));
        }
    }
    double det = A[0] * inverse[0] + A[1] * inverse[3] + A[2] * inverse[6];
    for (int i = 0; i < 9; i++) {
        inverse[i] /= det;
    }
    return fabs(det) > SS_TOL_RANK * size * size * size;
}

static bool invert(int n, const double *A, double *inverse)
{
    if (n == 3) {
        return invert3(A, inverse);
    }
    if (n == 1) {
        inverse[0] = 1 / A[0];
        return A[0] > 0;
    }
    double det = A[0] * A[3] - A[1] * A[2], size = fmax(fabs(A[0]), fabs(A[3]));
    inverse[0] = A[3] / det;
    inverse[1] = -A[1] / det;
    inverse[2] = -A[2] / det;
    inverse[3] = A[0] / det;
    return fabs(det) > SS_TOL_RANK * size * size;
}

/* in the plane a polygon is an interval: circular friction with another mu */
static void flatten_polygon(ss_one_contact *c)
{
    double longest = 0;
    for (int k = 0; k < c->directions; k++) {
        longest = fmax(longest, fabs(c->direction[2 * k]));
    }
    c->mu *= longest;
    c->law = c->law == SS_LAW_POLYHEDRAL ? SS_LAW_COULOMB : SS_LAW_ASSOCIATED;
}

void ss_one_contact_open(ss_one_contact *c, const ss_problem *p, int k, const double *W)
{
    *c = (ss_one_contact){ .law = p->law[k], .rows = p->row[k + 1] - p->row[k], .mu = p->mu[k] };
    if (is_polygon(c)) {
        c->directions = p->dir[k + 1] - p->dir[k];
        c->direction = p->direction + 2 * p->dir[k];
        if (c->rows == 2) {
            flatten_polygon(c);
        }
    }
    if (c->law != SS_LAW_BOUNDED && c->mu == 0) {
        c->law = SS_LAW_UNILATERAL;
    }
    for (int i = 0; i < c->rows; i++) {
        c->d += W[(c->rows + 1) * i] / c->rows;
    }
    memcpy(c->W, W, (size_t)(c->rows * c->rows) * sizeof *W);
    c->invertible = c->d > 0 && invert(c->rows, c->W, c->inverse);
}

/* ---- slip on a circle ------------------------------------------------------------------------- */

/* F at a direction e and its derivative as e turns; t, r = t g(e) and e . u_T there */
typedef struct slip {
    double F, slope, t, r[3], along; /* along: e . u_T */
} slip;

/* D and N of t = -N/D with their derivatives along f = de */
static void scale_of_ray(const ss_one_contact *c, const double *q, const double *g, const double *f, double *D, double *N)
{
    const double *W = c->W;
    double turn[3] = { 0, c->mu * f[0], c->mu * f[1] }, Wg[3], Wt[3];
    if (!is_associated(c)) {
        D[0] = ss_array_dot(3, W, g);
        D[1] = ss_array_dot(3, W, turn);
        N[0] = q[0];
        N[1] = 0;
        return;
    }
    times(3, W, g, Wg);
    times(3, W, turn, Wt);
    D[0] = ss_array_dot(3, g, Wg);
    D[1] = ss_array_dot(3, turn, Wg) + ss_array_dot(3, g, Wt);
    N[0] = ss_array_dot(3, g, q);
    N[1] = ss_array_dot(3, turn, q);
}

static slip try_direction(const ss_one_contact *c, const double *q, const double *e)
{
    const double *W = c->W, f[2] = { -e[1], e[0] }, g[3] = { 1, c->mu * e[0], c->mu * e[1] };
    double D[2], N[2];
    double p[2] = { ss_array_dot(3, W + 3, g), ss_array_dot(3, W + 6, g) };
    double dp[2] = { c->mu * (W[4] * f[0] + W[5] * f[1]), c->mu * (W[7] * f[0] + W[8] * f[1]) };
    double eq = cross2(e, q + 1), ep = cross2(e, p), fq = cross2(f, q + 1), fp = cross2(f, p) + cross2(e, dp);
    scale_of_ray(c, q, g, f, D, N);
    slip s = { .F = D[0] * eq - N[0] * ep, .slope = D[1] * eq + D[0] * fq - N[1] * ep - N[0] * fp };
    s.t = D[0] > 0 ? -N[0] / D[0] : -1;
    for (int i = 0; i < 3; i++) {
        s.r[i] = s.t * g[i];
    }
    s.along = e[0] * (q[1] + s.t * p[0]) + e[1] * (q[2] + s.t * p[1]);
    return s;
}

/* turn e by the angle with tangent x */
static void turn(double *e, double x)
{
    double c = 1 / sqrt(1 + x * x), e0 = e[0];
    e[0] = c * (e0 - x * e[1]);
    e[1] = c * (e[1] + x * e0);
}

static bool accept(const slip *s, double *r)
{
    if (!(s->t >= 0 && s->along <= 0)) {
        return false;
    }
    memcpy(r, s->r, sizeof s->r);
    return true;
}

/* Newton on the circle; quadratic, so a step below 1e-8 is the last but one */
static bool newton_slip(const ss_one_contact *c, const double *q, double *e, double *r)
{
    enum { STEPS = 12 };
    const double last_but_one = 1e-8, lost = 1e3; /* radians */
    for (int k = 0; k < STEPS; k++) {
        slip s = try_direction(c, q, e);
        double x = -s.F / s.slope;
        if (!(fabs(x) < lost)) {
            return false;
        }
        turn(e, x);
        if (fabs(x) < last_but_one) {
            s = try_direction(c, q, e);
            return accept(&s, r);
        }
    }
    return false;
}

/* Newton from all around */
static bool comb_slip(const ss_one_contact *c, const double *q, double *r)
{
    enum { STARTS = 48 };
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < STARTS; k++) {
        double angle = 2 * pi * k / STARTS, e[2] = { cos(angle), sin(angle) };
        if (newton_slip(c, q, e, r)) {
            return true;
        }
    }
    return false;
}

/* where to begin: the friction at hand, else against the sliding without friction */
static bool first_direction(const ss_one_contact *c, const double *q, const double *r, double *e)
{
    double t = -q[0] / c->W[0], free[2] = { -q[1] - t * c->W[3], -q[2] - t * c->W[6] };
    const double *from = r[1] != 0 || r[2] != 0 ? r + 1 : free;
    double size = hypot(from[0], from[1]);
    e[0] = from[0] / size;
    e[1] = from[1] / size;
    return size > 0 && isfinite(e[0] + e[1]);
}

static bool slip_circle(const ss_one_contact *c, const double *q, double *r)
{
    double e[2];
    return (first_direction(c, q, r, e) && newton_slip(c, q, e, r)) || comb_slip(c, q, r);
}

/* ---- slip in the plane ------------------------------------------------------------------------ */

static bool slip_plane(const ss_one_contact *c, const double *q, double *r)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        double g[2] = { 1, sign * c->mu }, Wg[2];
        times(2, c->W, g, Wg);
        double D = is_associated(c) ? ss_array_dot(2, g, Wg) : Wg[0], N = is_associated(c) ? ss_array_dot(2, g, q) : q[0],
               t = -N / D;
        if (D > 0 && t >= 0 && sign * (q[1] + t * Wg[1]) <= 0) {
            r[0] = t;
            r[1] = t * g[1];
            return true;
        }
    }
    return false;
}

/* ---- slip on a polygon ------------------------------------------------------------------------ */

typedef struct search {
    const ss_one_contact *c;
    const double *q;
    double violation, r[3];
} search;

static void ray_of(const ss_one_contact *c, int k, double *g)
{
    g[0] = 1;
    g[1] = c->mu * c->direction[2 * k];
    g[2] = c->mu * c->direction[2 * k + 1];
}

/* how far u is from being allowed by the rays, relative to the numbers it is made of; `own` is a ray in use */
static double rays_violated(const ss_one_contact *c, const double *u, const double *size, int own)
{
    double slide = hypot(size[1], size[2]), scale = is_associated(c) ? size[0] + c->mu * slide : slide;
    double worst = 0, mine = ss_array_dot(2, c->direction + 2 * own, u + 1);
    for (int k = 0; k < c->directions; k++) {
        const double *d = c->direction + 2 * k;
        double gap = is_associated(c) ? u[0] + c->mu * ss_array_dot(2, d, u + 1) : ss_array_dot(2, d, u + 1) - mine;
        worst = fmax(worst, -gap);
    }
    return worst > 0 ? worst / scale : 0;
}

/* r = a g_i + b g_j as a candidate */
static void offer(search *s, int i, double a, int j, double b)
{
    const ss_one_contact *c = s->c;
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
    }
}

/* what u must be perpendicular to when r is on the ray g, or moves along it within a face */
static const double *test_of(const ss_one_contact *c, const double *g)
{
    static const double normal[] = { 1, 0, 0 };
    return is_associated(c) ? g : normal;
}

static void offer_ray(search *s, int i)
{
    double g[3], Wg[3];
    ray_of(s->c, i, g);
    times(3, s->c->W, g, Wg);
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
    times(3, s->c->W, m, Wm);
    times(3, s->c->W, h, Wh);
    const double *test = test_of(s->c, m);
    double A[4] = { ss_array_dot(3, test, Wm), ss_array_dot(3, test, Wh), ss_array_dot(3, h, Wm), ss_array_dot(3, h, Wh) };
    double y[2] = { -ss_array_dot(3, test, s->q), -ss_array_dot(3, h, s->q) }, det = A[0] * A[3] - A[1] * A[2];
    double sum = (y[0] * A[3] - y[1] * A[1]) / det, difference = (A[0] * y[1] - A[2] * y[0]) / det;
    offer(s, i, 0.5 * (sum + difference), j, 0.5 * (sum - difference));
}

static bool slip_polygon(const ss_one_contact *c, const double *q, double *r)
{
    const double allowed = 1e-9; /* a candidate at the border between two cases is as good as either */
    search s = { .c = c, .q = q, .violation = INFINITY };
    for (int i = 0; i < c->directions && s.violation > 0; i++) {
        offer_ray(&s, i);
    }
    for (int i = 0; i < c->directions && s.violation > 0; i++) {
        for (int j = 0; j < i && s.violation > 0; j++) {
            offer_face(&s, i, j);
        }
    }
    if (!(s.violation <= allowed)) {
        return false;
    }
    memcpy(r, s.r, sizeof s.r);
    return true;
}

/* ---- the cases -------------------------------------------------------------------------------- */

static bool takes_off(const ss_one_contact *c, const double *q)
{
    if (!is_associated(c)) {
        return q[0] >= 0;
    }
    if (c->law == SS_LAW_ASSOCIATED) {
        return q[0] >= c->mu * (c->rows == 3 ? hypot(q[1], q[2]) : fabs(q[1]));
    }
    return q[0] >= c->mu * ss_polygon_slip(3, c->directions, c->direction, q + 1);
}

static bool in_cone(const ss_one_contact *c, const double *r)
{
    if (is_polygon(c)) {
        return r[0] >= 0 && ss_polygon_holds(c->directions, c->direction, r + 1, c->mu * r[0]);
    }
    double friction = c->rows == 3 ? sqrt(r[1] * r[1] + r[2] * r[2]) : fabs(r[1]);
    return r[0] >= 0 && friction <= c->mu * r[0];
}

static bool sticks(const ss_one_contact *c, const double *u, double *r)
{
    double change[3], trial[3];
    if (!c->invertible) {
        return false;
    }
    times(c->rows, c->inverse, u, change);
    for (int i = 0; i < c->rows; i++) {
        trial[i] = r[i] - change[i];
    }
    if (!in_cone(c, trial)) {
        return false;
    }
    memcpy(r, trial, (size_t)c->rows * sizeof *r);
    return true;
}

static bool slips(const ss_one_contact *c, const double *q, double *r)
{
    return c->rows == 2 ? slip_plane(c, q, r) : is_polygon(c) ? slip_polygon(c, q, r) : slip_circle(c, q, r);
}

/* ---- last resort ------------------------------------------------------------------------------ */

/* y = P_K(r - rho u^), u = W r + q */
static void natural_step(const ss_one_contact *c, const double *q, const double *r, double rho, double *y)
{
    double u[3];
    times(c->rows, c->W, r, u);
    for (int i = 0; i < c->rows; i++) {
        u[i] += q[i];
    }
    double slide = ss_law_slip(c->law, c->rows, c->mu, c->directions, c->direction, u);
    for (int i = 0; i < c->rows; i++) {
        y[i] = r[i] - rho * (u[i] + (i == 0 ? slide : 0));
    }
    ss_law_project(c->law, c->rows, c->mu, c->directions, c->direction, y);
}

static double distance(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(s);
}

static void iterate(const ss_one_contact *c, const double *q, double *r)
{
    enum { STEPS = 60 };
    double rho = 1 / c->d, y[3], z[3], moved = INFINITY;
    for (int k = 0; k < STEPS && moved > 0; k++) {
        natural_step(c, q, r, rho, y);
        natural_step(c, q, y, rho, z);
        moved = distance(c->rows, y, r);
        if (distance(c->rows, z, y) > moved) { /* not a contraction: shorter steps */
            rho *= 0.5;
            continue;
        }
        memcpy(r, z, (size_t)c->rows * sizeof *r);
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* one row that matters: an impulse in an interval, no friction */
static void solve_row(const ss_one_contact *c, const double *u, double *r)
{
    bool bounded = c->law == SS_LAW_BOUNDED;
    double x = c->W[0] > 0 ? r[0] - u[0] / c->W[0] : 0;
    for (int i = 1; i < c->rows; i++) { /* remove the friction of the guess, and its effect on u_N */
        x += c->W[0] > 0 ? c->W[i] * r[i] / c->W[0] : 0;
        r[i] = 0;
    }
    r[0] = bounded ? fmax(-c->mu, fmin(c->mu, x)) : fmax(0, x);
}

bool ss_one_contact_solve(const ss_one_contact *c, const double *u, double *r)
{
    if (!(c->d > 0)) {
        memset(r, 0, (size_t)c->rows * sizeof *r);
        return true;
    }
    if (c->law == SS_LAW_UNILATERAL || c->law == SS_LAW_BOUNDED) {
        solve_row(c, u, r);
        return true;
    }
    double q[3];
    for (int i = 0; i < c->rows; i++) {
        q[i] = u[i] - ss_array_dot(c->rows, c->W + c->rows * i, r);
    }
    if (takes_off(c, q)) {
        memset(r, 0, (size_t)c->rows * sizeof *r);
        return true;
    }
    if (sticks(c, u, r) || slips(c, q, r)) {
        return true;
    }
    iterate(c, q, r);
    return false;
}
