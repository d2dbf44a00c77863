/* one_contact.c - one contact by cases.
 *
 *   u = W r + q,  g(e) = (1, mu e)
 *   take-off    r = 0          Coulomb: q_N >= 0          associated: q in K*
 *   stick       u = 0          r = -W^-1 q in K
 *   slip        r = t g(e), e a unit vector (circular: circle.c) or on the rim of the polygon (polygon.c), u_T against e
 *
 * If no case has a solution (W singular or not positive definite): r <- P_K(r - rho u^), rho cut back while the map does not
 * contract, a fixed number of times; the splitting goes on from there.
 * Solvable    for W positive definite always, in exactly one way if mu is not too large [AB08 ch. 13]
 * Cost        constant; polygons: directions^3 at worst                                              */
#include "problem/one_contact.h"
#include "base/tolerances.h"
#include "math/array.h"
#include "math/cones.h"
#include "problem/circle.h"
#include "problem/contact_law.h"
#include "problem/polygon.h"

#include <math.h>

/* ---- small things ----------------------------------------------------------------------------- */

static void times(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = ss_array_dot(n, A + n * i, x);
    }
}

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
            size = fabs(A[3 * i + j]) > size ? fabs(A[3 * i + j]) : size; /* as fmax, which is a call */
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
    } else if (c->law == SS_LAW_ROLLING) {
        c->direction = ss_law_axis(p, k);
    }
    if (ss_law_has_normal(c->law) && c->mu == 0) {
        c->law = SS_LAW_UNILATERAL;
    }
    for (int i = 0; i < c->rows; i++) {
        c->d += W[(c->rows + 1) * i] / c->rows;
    }
    memcpy(c->W, W, (size_t)(c->rows * c->rows) * sizeof *W);
    c->invertible = c->d > 0 && invert(c->rows, c->W, c->inverse);
}

/* ---- the cases -------------------------------------------------------------------------------- */

static ss_circle circle_of(const ss_one_contact *c) { return (ss_circle){ c->W, c->inverse, c->mu, is_associated(c) }; }

static ss_polygon polygon_of(const ss_one_contact *c)
{
    return (ss_polygon){ c->W, c->direction, c->mu, c->directions, is_associated(c) };
}

static bool takes_off(const ss_one_contact *c, const double *q)
{
    if (!is_polygon(c)) {
        const ss_circle circle = circle_of(c);
        return ss_circle_takes_off(&circle, c->rows, q);
    }
    return q[0] >= 0 && (!is_associated(c) || q[0] >= c->mu * ss_polygon_slip(3, c->directions, c->direction, q + 1));
}

static bool sticks(const ss_one_contact *c, const double *u, double *r)
{
    if (!is_polygon(c)) {
        const ss_circle circle = circle_of(c);
        return c->invertible && ss_circle_sticks(&circle, c->rows, u, r);
    }
    double trial[3];
    times(3, c->inverse, u, trial);
    for (int i = 0; i < 3; i++) {
        trial[i] = r[i] - trial[i];
    }
    if (!c->invertible || !(trial[0] >= 0 && ss_polygon_holds(c->directions, c->direction, trial + 1, c->mu * trial[0]))) {
        return false;
    }
    memcpy(r, trial, sizeof trial);
    return true;
}

static bool slips(const ss_one_contact *c, const double *q, const double *u, double *r)
{
    if (is_polygon(c)) {
        const ss_polygon polygon = polygon_of(c);
        return ss_polygon_slide(&polygon, q, u, r);
    }
    const ss_circle circle = circle_of(c);
    if (c->rows == 2) {
        return ss_circle_slip_in_plane(&circle, q, r);
    }
    return ss_circle_slip(&circle, q, u, r) || ss_circle_slip_anywhere(&circle, q, r);
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
    if (sticks(c, u, r) || slips(c, q, u, r)) {
        return true;
    }
    iterate(c, q, r);
    return false;
}
