/* contact_law.c - the cone and the slip term of each law; see residual.c for the equations. */
#include "problem/contact_law.h"

#include "math/cones.h"

#include <math.h>
#include <slipstick/registry.h>

double ss_law_slip(unsigned law, int rows, double mu, int directions, const double *direction, const double *u)
{
    switch (law) {
    case SS_LAW_COULOMB:
        return mu * (rows == 3 ? hypot(u[1], u[2]) : fabs(u[1]));
    case SS_LAW_POLYHEDRAL:
        return mu * ss_polygon_slip(rows, directions, direction, u + 1);
    default:
        return 0;
    }
}

void ss_law_project(unsigned law, int rows, double mu, int directions, const double *direction, double *y)
{
    switch (law) {
    case SS_LAW_COULOMB:
    case SS_LAW_ASSOCIATED:
        ss_cone_project_circular(rows, mu, y);
        break;
    case SS_LAW_POLYHEDRAL:
    case SS_LAW_ASSOCIATED_POLYHEDRAL:
        ss_cone_project_polygonal(rows, mu, directions, direction, y);
        break;
    case SS_LAW_BOUNDED:
        y[0] = fmax(-mu, fmin(mu, y[0]));
        break;
    default:
        y[0] = fmax(0, y[0]);
    }
}
