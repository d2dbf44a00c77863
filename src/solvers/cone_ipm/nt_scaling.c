/* nt_scaling.c - Nesterov-Todd scaling that stays accurate however near s and z come to the boundary.
 *
 *   K = { x : x_0 >= |x_1| },   W = P(w^1/2),   W^2 z = s,   lambda = W^-1 s = W z
 *
 * W of a second-order cone is beta times a boost (hyperbolic rotation) along a unit vector t: its eigenvectors are
 * (1, t)/sqrt 2, (1, -t)/sqrt 2 and (0, t'), t' normal to t, its eigenvalues beta times E, 1/E and 1, E = `stretch` >= 1.
 * Where a contact slides s and z are both on the boundary, E grows without limit, and x_0 - |x_1| of s and z is lost to
 * round-off. So s and z are never kept: (beta, E, t, lambda) are, and lambda stays well inside. With s = W s~, z = W^-1 z~
 * and V the scaling of s~ and z~, the new scaling is that of the point
 *     w+ = W v,      lambda+ = R' V z~,
 * where V W = R P(w+^1/2). R turns the tangential plane: it is the rotation that two boosts leave. In symmetric 2x2 matrices,
 * x <-> [x_0 + x_1, x_2; x_2, x_0 - x_1], a boost is X -> S X S, and R is twice the angle of the polar factor of S_v S_w:
 *     tan(angle) = k sin(phi) / (1 + k cos(phi)),  k = tanh(a/2) tanh(b/2)  for boosts of rapidities a, b at an angle phi.
 *
 * Reference   Y. E. Nesterov, M. J. Todd, Math. Oper. Res. 22 (1997) 1; L. Vandenberghe, The CVXOPT linear and quadratic
 *             cone program solvers (2010), section 4 (scaling kept instead of s and z)
 * Symbols     x = (x_0, x_1) with x_1 of dim - 1 numbers; e = (1, 0, 0); x o y = (x.y, x_0 y_1 + y_0 x_1)       */
#include "solvers/cone_ipm/nt_scaling.h"

#include "math/array.h"
#include <math.h>

static const double HALF_ROOT = 0.70710678118654752440; /* sqrt(1/2) */

static double tail(int dim, const double *x) { return dim == 1 ? 0 : dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]); }

double ss_cone_margin(int dim, const double *x) { return x[0] - tail(dim, x); }

/* x_0^2 - |x_1|^2 */
static double determinant(int dim, const double *x)
{
    double t = tail(dim, x);
    return (x[0] - t) * (x[0] + t);
}

/* ---- W ---------------------------------------------------------------------------------------- */

void ss_nt_eigenvalues(const ss_nt *nt, double *omega)
{
    omega[0] = nt->beta * nt->stretch;
    if (nt->dim > 1) {
        omega[1] = nt->beta / nt->stretch;
        omega[2] = nt->beta;
    }
}

void ss_nt_to_axes(const ss_nt *nt, const double *x, double *y)
{
    const double *t = nt->axis;
    if (nt->dim == 1) {
        y[0] = x[0];
        return;
    }
    double along = nt->dim == 2 ? t[0] * x[1] : t[0] * x[1] + t[1] * x[2], first = x[0];
    if (nt->dim == 3) {
        y[2] = t[0] * x[2] - t[1] * x[1];
    }
    y[0] = HALF_ROOT * (first + along);
    y[1] = HALF_ROOT * (first - along);
}

void ss_nt_from_axes(const ss_nt *nt, const double *x, double *y)
{
    const double *t = nt->axis;
    if (nt->dim == 1) {
        y[0] = x[0];
        return;
    }
    double first = HALF_ROOT * (x[0] + x[1]), along = HALF_ROOT * (x[0] - x[1]), across = nt->dim == 3 ? x[2] : 0;
    y[0] = first;
    y[1] = along * t[0] - across * t[1];
    if (nt->dim == 3) {
        y[2] = along * t[1] + across * t[0];
    }
}

/* y = W x, or W^-1 x */
static void scale(const ss_nt *nt, bool inverse, const double *x, double *y)
{
    double omega[3];
    ss_nt_eigenvalues(nt, omega);
    ss_nt_to_axes(nt, x, y);
    for (int i = 0; i < nt->dim; i++) {
        y[i] = inverse ? y[i] / omega[i] : y[i] * omega[i];
    }
    ss_nt_from_axes(nt, y, y);
}

void ss_nt_points(const ss_nt *nt, double *s, double *z)
{
    scale(nt, false, nt->lambda, s);
    scale(nt, true, nt->lambda, z);
}

/* beta (cosh, sinh t) has the boost with E = cosh + sinh; x_1 decides, x_0 follows from x_0^2 = 1 + |x_1|^2 */
static void set_boost(ss_nt *nt, const double *x)
{
    double size = tail(nt->dim, x);
    nt->stretch = size + sqrt(1 + size * size);
    nt->axis[0] = size > 0 ? x[1] / size : 1;
    nt->axis[1] = size > 0 && nt->dim == 3 ? x[2] / size : 0;
}

/* the scaling point of s and z, for points well inside */
void ss_nt_start(ss_nt *nt, int dim, const double *s, const double *z)
{
    *nt = (ss_nt){ .dim = dim, .stretch = 1, .axis = { 1, 0 } };
    if (dim == 1) {
        nt->beta = sqrt(s[0] / z[0]);
        nt->lambda[0] = sqrt(s[0] * z[0]);
        return;
    }
    double a = sqrt(determinant(dim, s)), b = sqrt(determinant(dim, z)), w[3];
    double gamma = sqrt(0.5 * (1 + ss_array_dot(dim, s, z) / (a * b)));
    for (int i = 0; i < dim; i++) {
        w[i] = (s[i] / a + (i == 0 ? z[i] : -z[i]) / b) / (2 * gamma);
    }
    nt->beta = sqrt(a / b);
    set_boost(nt, w);
    scale(nt, false, z, nt->lambda);
}

/* ---- a step ----------------------------------------------------------------------------------- */

/* turn x_1 by the rotation that the boost of v after that of w leaves, backwards */
static void turn_back(const ss_nt *v, const ss_nt *w, double *x)
{
    double k = (v->stretch - 1) / (v->stretch + 1) * (w->stretch - 1) / (w->stretch + 1);
    double c = v->axis[0] * w->axis[0] + v->axis[1] * w->axis[1], s = v->axis[0] * w->axis[1] - v->axis[1] * w->axis[0];
    double p = 1 + k * c, q = k * s, size = p * p + q * q; /* (p, q): half the angle */
    double cosine = (p * p - q * q) / size, sine = 2 * p * q / size, x1 = x[1], x2 = x[2];
    x[1] = cosine * x1 - sine * x2;
    x[2] = sine * x1 + cosine * x2;
}

/* x = lambda + a d; false if it is not interior */
static bool shifted(const ss_nt *nt, double a, const double *d, double *x)
{
    for (int i = 0; i < nt->dim; i++) {
        x[i] = nt->lambda[i] + a * d[i];
    }
    return ss_cone_margin(nt->dim, x) > 0 && isfinite(x[0]);
}

bool ss_nt_admits(const ss_nt *nt, double a, const double *ds, const double *dz)
{
    double x[3] = { 0 };
    return shifted(nt, a, ds, x) && shifted(nt, a, dz, x);
}

bool ss_nt_advance(ss_nt *nt, double a, const double *ds, const double *dz)
{
    int dim = nt->dim;
    double s[3] = { 0 }, z[3] = { 0 }, w[3];
    if (!(shifted(nt, a, ds, s) && shifted(nt, a, dz, z))) {
        return false;
    }
    ss_nt v, old = *nt;
    ss_nt_start(&v, dim, s, z);
    if (dim == 1) {
        nt->beta *= v.beta;
        nt->lambda[0] = v.lambda[0];
        return true;
    }
    /* w+ = W v with beta left out: v as a point is (cosh, sinh t) */
    double size = 0.5 * (v.stretch - 1 / v.stretch),
           point[3] = { 0.5 * (v.stretch + 1 / v.stretch), size * v.axis[0], size * v.axis[1] };
    old.beta = 1;
    scale(&old, false, point, w);
    set_boost(nt, w);
    nt->beta *= v.beta;
    for (int i = 0; i < dim; i++) {
        nt->lambda[i] = v.lambda[i];
    }
    if (dim == 3) {
        turn_back(&v, &old, nt->lambda);
    }
    return true;
}

/* ---- Jordan algebra --------------------------------------------------------------------------- */

void ss_nt_product(int dim, const double *x, const double *y, double *xy)
{
    double first = ss_array_dot(dim, x, y);
    for (int i = 1; i < dim; i++) {
        xy[i] = x[0] * y[i] + y[0] * x[i];
    }
    xy[0] = first;
}

void ss_nt_divide(const ss_nt *nt, const double *y, double *x)
{
    const double *l = nt->lambda;
    if (nt->dim == 1) {
        x[0] = y[0] / l[0];
        return;
    }
    double first = (2 * l[0] * y[0] - ss_array_dot(nt->dim, l, y)) / determinant(nt->dim, l);
    for (int i = 1; i < nt->dim; i++) {
        x[i] = (y[i] - first * l[i]) / l[0];
    }
    x[0] = first;
}

/* the smallest positive root of det(lambda + a d) = c + 2 b a + q a^2, without differences of like numbers: for b > 0 (then
 * q < 0) it is the one that does not cancel in the other form */
double ss_nt_reach(const ss_nt *nt, const double *d, double most)
{
    const double *l = nt->lambda;
    if (nt->dim == 1) {
        return d[0] < 0 ? fmin(most, -l[0] / d[0]) : most;
    }
    double c = determinant(nt->dim, l), b = 2 * l[0] * d[0] - ss_array_dot(nt->dim, l, d), q = determinant(nt->dim, d);
    double inside = b * b - c * q;
    if (b >= 0 && q >= 0) {
        return most;
    }
    if (inside < 0) { /* q > 0: no root, and b < 0 would leave through the tip only */
        return d[0] < 0 ? fmin(most, -l[0] / d[0]) : most;
    }
    return fmin(most, b > 0 ? (b + sqrt(inside)) / -q : c / (-b + sqrt(inside)));
}
