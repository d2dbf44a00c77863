/* circle.c - slip on a circular cone.
 *
 *   u = W r + q,  r = t g(e),  g(e) = (1, mu e)
 *     Coulomb     u_N = 0        t = -q_N / n'W g          u_T = -s e,  s >= 0
 *     associated  g'u = 0        t = -g'q / g'W g          u_T = -s e,  u_N = mu s
 *
 * In space: with D, N the denominator and numerator of t = -N/D and a x b = a_1 b_2 - a_2 b_1, the direction is a root of
 *   F(e) = D(e) (e x q_T) - N(e) (e x p),  p = W_TN + mu W_TT e,
 * a trigonometric polynomial of degree 2 (Coulomb) or 3. Newton on the circle. It begins where a step of projected friction
 * leads to from the pair at hand,
 *   e = direction of  b r_T - u_T,  b the mean of the diagonal of W_TT,
 * which is the root itself where W_NT = 0 and W_TT = b I (balls).
 * In the plane: e = +1, -1.
 * Cost        constant: one or two steps of Newton as a rule                                          */
#include "problem/circle.h"

#include "math/array.h"

#include <float.h>

static double cross2(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

/* ---- a direction ------------------------------------------------------------------------------ */

/* r = t g(e) */
typedef struct ray {
    double g[3], p[2], D, N, t;
} ray;

static inline double row_times(const double *W, const double *g) { return W[0] * g[0] + W[1] * g[1] + W[2] * g[2]; }

static inline ray ray_along(const ss_circle *c, bool associated, const double *q, const double *e)
{
    const double *W = c->W;
    ray y = { .g = { 1, c->mu * e[0], c->mu * e[1] } };
    double Wg = row_times(W, y.g);
    y.p[0] = row_times(W + 3, y.g);
    y.p[1] = row_times(W + 6, y.g);
    y.D = associated ? Wg + y.g[1] * y.p[0] + y.g[2] * y.p[1] : Wg;
    y.N = associated ? row_times(q, y.g) : q[0];
    y.t = y.D > 0 ? -y.N / y.D : -1;
    return y;
}

/* the step of Newton's method for F, the tangent of the angle by which e is to turn */
static inline double newton_step(const ss_circle *c, bool associated, const double *q, const double *e, const ray *y)
{
    const double *W = c->W, f[2] = { -e[1], e[0] }, turn[3] = { 0, c->mu * f[0], c->mu * f[1] };
    double Wt[3] = { row_times(W, turn), row_times(W + 3, turn), row_times(W + 6, turn) };
    double dD = Wt[0], dN = 0;
    if (associated) {
        dD += turn[1] * y->p[0] + turn[2] * y->p[1] + y->g[1] * Wt[1] + y->g[2] * Wt[2];
        dN = row_times(q, turn);
    }
    double eq = cross2(e, q + 1), ep = cross2(e, y->p), fq = cross2(f, q + 1), fp = cross2(f, y->p) + cross2(e, Wt + 1);
    return -(y->D * eq - y->N * ep) / (dD * eq + y->D * fq - dN * ep - y->N * fp);
}

/* e . u_T <= 0: friction is against the slip */
static inline bool accept(const ray *y, const double *q, const double *e, double *r)
{
    double along = e[0] * (q[1] + y->t * y->p[0]) + e[1] * (q[2] + y->t * y->p[1]);
    if (!(y->t >= 0 && along <= 0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        r[i] = y->t * y->g[i];
    }
    return true;
}

/* ---- Newton on the circle --------------------------------------------------------------------- */

/* turn e by the angle with tangent x; the cosine by its series where that is exact */
static inline void turn_by(double *e, double x)
{
    const double small = 1e-3; /* the next term is x^6 5/16 */
    double y = x * x, c = fabs(x) < small ? 1 - y * (0.5 - 0.375 * y) : 1 / sqrt(1 + y), e0 = e[0];
    e[0] = c * (e0 - x * e[1]);
    e[1] = c * (e[1] + x * e0);
}

/* quadratic, so a step below 1e-8 is the last; one in round-off is not made */
static inline bool newton(const ss_circle *c, bool associated, const double *q, double *e, double *r)
{
    enum { STEPS = 12 };
    const double last = 1e-8, none = 4 * DBL_EPSILON, lost = 1e3; /* radians */
    for (int k = 0; k < STEPS; k++) {
        ray y = ray_along(c, associated, q, e);
        double x = newton_step(c, associated, q, e, &y);
        if (fabs(x) < none) {
            return accept(&y, q, e, r);
        }
        if (!(fabs(x) < lost)) {
            return false;
        }
        turn_by(e, x);
        if (fabs(x) < last) {
            y = ray_along(c, associated, q, e);
            return accept(&y, q, e, r);
        }
    }
    return false;
}

/* ---- where to begin --------------------------------------------------------------------------- */

static inline bool first_direction(const ss_circle *c, const double *u, const double *r, double *e)
{
    double b = 0.5 * (c->W[4] + c->W[8]), x = b * r[1] - u[1], y = b * r[2] - u[2], size = 1 / sqrt(x * x + y * y);
    e[0] = size * x;
    e[1] = size * y;
    return isfinite(e[0] + e[1]);
}

bool ss_circle_slip(const ss_circle *c, const double *q, const double *u, double *r)
{
    double e[2];
    if (!first_direction(c, u, r, e)) {
        return false;
    }
    return c->associated ? newton(c, true, q, e, r) : newton(c, false, q, e, r);
}

bool ss_circle_slip_anywhere(const ss_circle *c, const double *q, double *r)
{
    enum { STARTS = 48 };
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < STARTS; k++) {
        double angle = 2 * pi * k / STARTS, e[2] = { cos(angle), sin(angle) };
        if (newton(c, c->associated, q, e, r)) {
            return true;
        }
    }
    return false;
}

/* ---- in the plane ----------------------------------------------------------------------------- */

bool ss_circle_slip_in_plane(const ss_circle *c, const double *q, double *r)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        double g[2] = { 1, sign * c->mu }, Wg[2] = { ss_array_dot(2, c->W, g), ss_array_dot(2, c->W + 2, g) };
        double D = c->associated ? ss_array_dot(2, g, Wg) : Wg[0], N = c->associated ? ss_array_dot(2, g, q) : q[0], t = -N / D;
        if (D > 0 && t >= 0 && sign * (q[1] + t * Wg[1]) <= 0) {
            r[0] = t;
            r[1] = t * g[1];
            return true;
        }
    }
    return false;
}
