/* one_moment.c - the moment of rolling or spinning friction at one contact, its bound known.
 *
 *   u = W r + q,   |r| <= b,   u = 0 inside,  u = -s r with s >= 0 where |r| = b
 *   inside      r = -W^-1 q
 *   on the rim  (W + s) r = -q,  |r(s)| = b: |r(s)| falls with s, and 1/|r(s)| is nearly a straight line in s. So Newton's
 *               method on 1/b - 1/|r(s)| rises to the root, from s = 0
 * One row, or two that act along an axis e alone (r = t e, e'We t + e'q = e'u): the nearest point of [-b, b].
 *
 * Reference   J. J. More, D. C. Sorensen, SIAM J. Sci. Stat. Comput. 4 (1983) 553, the subproblem of trust regions
 * Cost        constant                                                                               */
#include "math/cones.h"
#include "problem/one_contact.h"

#include <math.h>

static const double NEAR = 1e-6; /* | |r| - b | / b of a rim that has been found: far more than round-off leaves */

/* x = (W + s)^-1 y of two rows */
static void solve_shifted(const double *W, double s, const double *y, double *x)
{
    const double a = W[0] + s, d = W[3] + s, det = a * d - W[1] * W[2];
    const double first = (d * y[0] - W[1] * y[1]) / det, second = (a * y[1] - W[2] * y[0]) / det;
    x[0] = first;
    x[1] = second;
}

/* one Newton step on 1/b - 1/|r(s)|; returns | |r| - b | / b before it */
static double step_to_rim(const double *W, const double *minus_q, double b, double *s, double *r)
{
    double slope[2]; /* -dr/ds */
    solve_shifted(W, *s, minus_q, r);
    solve_shifted(W, *s, r, slope);
    const double length = hypot(r[0], r[1]), off = length / b - 1;
    *s += off * length * length / (r[0] * slope[0] + r[1] * slope[1]);
    return fabs(off);
}

/* s rises as long as round-off lets it. False: no s was found, W being neither symmetric nor positive definite. */
static bool find_rim(const double *W, const double *minus_q, double b, double *r)
{
    enum { STEPS = 40 };
    double s = 0, last = -1, off = 1, trial[2] = { 0, 0 };
    for (int k = 0; k < STEPS && s > last; k++) {
        last = s;
        off = step_to_rim(W, minus_q, b, &s, trial);
    }
    if (!(off <= NEAR)) {
        return false;
    }
    r[0] = trial[0];
    r[1] = trial[1];
    ss_disc_project(2, b, r); /* not beyond it by round-off */
    return true;
}

/* r along the axis e: e'u = 0, or |r| = b */
static void solve_along(const ss_one_contact *c, double b, const double *u, double *r)
{
    const double *e = c->direction, *W = c->W;
    const double w = e[0] * (W[0] * e[0] + W[1] * e[1]) + e[1] * (W[2] * e[0] + W[3] * e[1]);
    const double t = r[0] * e[0] + r[1] * e[1], step = w > 0 ? (u[0] * e[0] + u[1] * e[1]) / w : 0;
    const double along = fmax(-b, fmin(b, t - step));
    r[0] = along * e[0];
    r[1] = along * e[1];
}

bool ss_one_moment_solve(const ss_one_contact *c, double b, const double *u, double *r)
{
    double minus_q[2], trial[2];
    if (!(c->d > 0) || !(b > 0)) {
        memset(r, 0, (size_t)c->rows * sizeof *r);
        return true;
    }
    if (c->rows == 1) {
        r[0] = fmax(-b, fmin(b, r[0] - u[0] / c->W[0]));
        return true;
    }
    if (c->direction) {
        solve_along(c, b, u, r);
        return true;
    }
    for (int i = 0; i < 2; i++) {
        minus_q[i] = c->W[2 * i] * r[0] + c->W[2 * i + 1] * r[1] - u[i];
    }
    solve_shifted(c->W, 0, minus_q, trial);
    if (c->invertible && hypot(trial[0], trial[1]) <= b) {
        r[0] = trial[0];
        r[1] = trial[1];
        return true;
    }
    if (find_rim(c->W, minus_q, b, r)) {
        return true;
    }
    r[0] -= u[0] / c->d; /* a step of the natural map: the splitting goes on from there */
    r[1] -= u[1] / c->d;
    ss_disc_project(2, b, r);
    return false;
}
