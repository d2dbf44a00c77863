/* law_map.c - contact laws as fixed points r = map(r - rho u).
 *
 *   unilateral              max(0, y)
 *   Coulomb, polyhedral     r_N = max(0, y_N); r_T is the point nearest to y_T of the disc or polygon of size mu r_N
 *   associated              the projection on the cone, circular or polygonal
 *   bounded                 the nearest point of [-mu, mu]
 *   rolling                 the nearest point of the disc of radius b:  y, or b e with e = y/|y|,  D = b/|y| (1 - e e');
 *                           with an axis, of its diameter along that
 *   joint row               y
 *
 * All but Coulomb's are projections, gradients of a convex function. Coulomb's has no potential: the normal impulse drives
 * friction and not the reverse.
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353                     */
#include "problem/law_map.h"

#include "problem/cone_derivatives.h"

#include <math.h>

static void map_interval(double low, double high, double y, double *r, double *D)
{
    *r = fmax(low, fmin(high, y));
    *D = y > low && y < high ? 1 : 0;
}

void ss_law_map(const ss_problem *p, int k, const double *y, double *r, double *D)
{
    unsigned law = k >= 0 ? p->law[k] : 0;
    bool polygonal = law & (SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED_POLYHEDRAL);
    int dim = p->dimension, directions = polygonal ? p->dir[k + 1] - p->dir[k] : 0;
    const double *d = polygonal ? p->direction + 2 * p->dir[k] : NULL;
    switch (law) {
    case SS_LAW_COULOMB:
        ss_friction_map_circular(dim, p->mu[k], y, r, D);
        break;
    case SS_LAW_POLYHEDRAL:
        ss_friction_map_polygonal(dim, p->mu[k], directions, d, y, r, D);
        break;
    case SS_LAW_ASSOCIATED:
        ss_cone_map_circular(dim, p->mu[k], y, r, D);
        break;
    case SS_LAW_ASSOCIATED_POLYHEDRAL:
        ss_cone_map_polygonal(dim, p->mu[k], directions, d, y, r, D);
        break;
    case SS_LAW_BOUNDED:
        map_interval(-p->mu[k], p->mu[k], y[0], r, D);
        break;
    case SS_LAW_UNILATERAL:
        map_interval(0, INFINITY, y[0], r, D);
        break;
    default: /* a joint row */
        r[0] = y[0];
        D[0] = 1;
    }
}

/* r = t e with t the nearest number of [-bound, bound] to e . y,  D = e e' inside, else 0 */
static void map_along(double bound, const double *e, const double *y, double *r, double *D)
{
    const double along = y[0] * e[0] + y[1] * e[1];
    double t, inside;
    map_interval(-bound, bound, along, &t, &inside);
    for (int i = 0; i < 2; i++) {
        r[i] = t * e[i];
        D[2 * i] = inside * e[i] * e[0];
        D[2 * i + 1] = inside * e[i] * e[1];
    }
}

void ss_moment_map(int rows, double bound, const double *axis, const double *y, double *r, double *D)
{
    if (axis) {
        map_along(bound, axis, y, r, D);
        return;
    }
    const double length = rows == 2 ? hypot(y[0], y[1]) : fabs(y[0]);
    const bool inside = length <= bound;
    for (int i = 0; i < rows; i++) {
        r[i] = inside ? y[i] : bound * y[i] / length;
        for (int j = 0; j < rows; j++) {
            const double along = inside ? 0 : y[i] * y[j] / (length * length);
            D[rows * i + j] = (inside ? 1 : bound / length) * ((i == j) - along);
        }
    }
}

bool ss_law_map_has_potential(const ss_problem *p)
{
    bool coulomb = false;
    for (int k = 0; k < p->nc; k++) {
        coulomb = coulomb || ((p->law[k] & (SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ROLLING)) && p->mu[k] > 0);
    }
    return !coulomb;
}
