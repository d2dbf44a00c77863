/* cone_start.c - interior points of the cones to start from.
 *
 *   cold        from a least-squares problem in which W = I: s = T u and z are as large as they come out, and both are moved
 *               inside, by the largest of them
 *   warm        from velocities and impulses that nearly obey the laws: s = T u, and z with T' z = r; both are moved inside by
 *               as much as they fail to, |z - P(z - s)|
 * A polygon's z is not unique: two neighbouring directions carry r_T, all directions the same part of what is left of r_N.
 * A box has z_1 + z_2 = f, which is kept; its s is chosen for s z to be what other cones have.
 *
 * Cost        linear in cones; a polygon directions^2                                                  */
#include "math/cones.h"
#include "math/worse.h"
#include "solvers/cone_ipm/cone_laws.h"

#include <math.h>

static const double HALF_WAY = 0.5; /* of a box: no point of it is deeper */

/* ---- impulses on cones --------------------------------------------------------------------------- */

/* the two directions, and their shares x, that make up r_T with the smallest sum */
static void find_pair(int rows, int count, const double *d, const double *r, int *pair, double *x)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            const double *e = d + 2 * i, *f = d + 2 * j;
            double det = rows == 3 ? e[0] * f[1] - e[1] * f[0] : e[0];
            double x_i = (rows == 3 ? r[1] * f[1] - r[2] * f[0] : r[1]) / det;
            double x_j = rows == 3 ? (e[0] * r[2] - e[1] * r[1]) / det : 0;
            if (x_i >= 0 && x_j >= 0 && x_i + x_j < least) { /* not if det is zero */
                least = x_i + x_j;
                pair[0] = i;
                pair[1] = j;
                x[0] = x_i;
                x[1] = x_j;
            }
        }
    }
}

/* z with sum z_k (1, d_k) = r: two directions for r_T, the remainder of r_N on all directions equally */
static void split(const ss_cone_newton *c, int k, const double *r, double *z)
{
    const ss_problem *p = c->problem;
    int count = p->dir[k + 1] - p->dir[k], pair[2] = { 0, 0 };
    double x[2] = { 0, 0 };
    find_pair(p->row[k + 1] - p->row[k], count, p->direction + 2 * p->dir[k], r, pair, x);
    for (int i = 0; i < count; i++) {
        z[3 * i] = (r[0] - x[0] - x[1]) / count;
    }
    z[3 * pair[0]] += x[0];
    z[3 * pair[1]] += x[1];
}

/* z of r */
static void impulses_on_cones(ss_cone_newton *c, int k, const double *r)
{
    double *z = c->dz + 3 * c->first[k];
    if (c->kind[k] == SS_CONE_POLYGON) {
        split(c, k, r, z);
    } else if (c->kind[k] == SS_CONE_BOX) {
        z[0] = -0.5 * r[0];
        z[3] = 0.5 * r[0];
    } else if (c->kind[k] == SS_CONE_ONE) {
        memcpy(z, r, (size_t)c->nt[c->first[k]].dim * sizeof *r);
    }
}

/* ---- interior points ------------------------------------------------------------------------------ */

/* x + a e, inside by `depth` at least */
static void move_inside(int dim, double depth, double *x) { x[0] += fmax(0, -ss_cone_margin(dim, x)) + depth; }

/* s and z of a box with r = z_2 - z_1: z_1 + z_2 = f, and s z as in other cones. Where f is generous s is then small, as if the
 * row stuck; u is left to p. Else t is above |u|. */
static void start_box(ss_cone_newton *c, int k, double depth, double u)
{
    const double *z_0 = c->dz + 3 * c->first[k];
    double f = c->box.bound[k], most = f - fmin(depth, HALF_WAY * f), inside = fmax(-most, fmin(most, z_0[3] - z_0[0]));
    c->box.held[k] = inside;
    c->box.top[k] = 0;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1, z = 0.5 * (f + sign * inside);
        double s = fmin(fabs(u) + depth + sign * u, depth * (depth + fabs(inside)) / z);
        ss_nt_start(&c->nt[c->first[k] + side], 1, &s, &z);
        c->box.top[k] += 0.5 * s;
    }
}

/* s in p and z in dz, as they are, become interior points */
static void start_inside(ss_cone_newton *c, double depth, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        if (c->kind[k] == SS_CONE_BOX) {
            start_box(c, k, depth, u[c->problem->row[k]]);
            continue;
        }
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            int dim = c->nt[j].dim;
            move_inside(dim, depth, c->p + 3 * j);
            move_inside(dim, depth, c->dz + 3 * j);
            ss_nt_start(&c->nt[j], dim, c->p + 3 * j, c->dz + 3 * j);
        }
    }
}

/* p = T u on all cones */
static void images(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            ss_cone_image(c, k, j, u + c->problem->row[k], c->p + 3 * j);
        }
    }
}

/* ---- starts ---------------------------------------------------------------------------------------- */

void ss_cone_newton_identity(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        c->box.top[k] = c->box.remainder[k] = 0; /* bounds do not count yet */
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double e[3] = { 1, 0, 0 };
            ss_nt_start(&c->nt[j], c->nt[j].dim, e, e);
            ss_cone_image(c, k, j, u + c->problem->row[k], c->p + 3 * j);
            memset(c->y + 3 * j, 0, 3 * sizeof *c->y);
        }
    }
}

void ss_cone_newton_start(ss_cone_newton *c, const double *u)
{
    double depth = 0;
    images(c, u);
    for (int j = 0; j < c->cones; j++) {
        for (int i = 0; i < c->nt[j].dim; i++) {
            depth = fmax(depth, fmax(fabs(c->p[3 * j + i]), fabs(c->dz[3 * j + i])));
        }
    }
    start_inside(c, depth > 0 ? depth : 1, u);
}

/* |z - P(z - s)|: how far s and z are from obeying the law */
static double failure(const ss_cone_newton *c, int k, double u, double r)
{
    double most = 0, f = c->box.bound[k];
    if (c->kind[k] == SS_CONE_BOX) {
        return fabs(r - fmax(-f, fmin(f, r - u)));
    }
    for (int j = c->first[k]; j < c->first[k + 1]; j++) {
        const double *s = c->p + 3 * j, *z = c->dz + 3 * j;
        double y[3] = { z[0] - s[0], z[1] - s[1], z[2] - s[2] }, square = 0;
        int dim = c->nt[j].dim;
        if (dim == 1) {
            y[0] = fmax(0, y[0]);
        } else {
            ss_cone_project_circular(dim, 1, y);
        }
        for (int i = 0; i < dim; i++) {
            square += (z[i] - y[i]) * (z[i] - y[i]);
        }
        most = ss_worse(most, sqrt(square));
    }
    return most;
}

bool ss_cone_newton_warm(ss_cone_newton *c, const double *u, const double *r, double least, double most)
{
    double depth = least;
    images(c, u);
    for (int k = 0; k < c->problem->nc; k++) {
        int row = c->problem->row[k];
        impulses_on_cones(c, k, r + row);
        depth = ss_worse(depth, failure(c, k, u[row], r[row]));
    }
    bool useful = depth <= most;
    if (useful) {
        start_inside(c, depth, u);
    }
    return useful;
}
