/* contact_law.c - the cone and the slip term of each law; see residual.c for the equations. */
#include "problem/contact_law.h"

#include "math/array.h"
#include "math/cones.h"

#include <math.h>

double ss_law_size(const ss_problem *p, int k, const double *r)
{
    return p->law[k] == SS_LAW_ROLLING ? p->mu[k] * fmax(0, r[p->row[p->host[k]]]) : p->mu[k];
}

double ss_law_lift(const ss_problem *p, int k, const double *u)
{
    const bool associated =
        p->law[k] == SS_LAW_ROLLING && (p->law[p->host[k]] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL)) != 0;
    return associated ? p->mu[k] * ss_array_length(p->row[k + 1] - p->row[k], u + p->row[k]) : 0;
}

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
    case SS_LAW_ROLLING:
        if (directions > 0) {
            ss_segment_project(mu, direction, y);
        } else {
            ss_disc_project(rows, mu, y);
        }
        break;
    default:
        y[0] = fmax(0, y[0]);
    }
}

/* A contact as it stands in a problem, at some r and u. */
typedef struct stand {
    unsigned law;
    int rows, directions;
    double mu, slip;
    const double *direction, *r, *u;
} stand;

static bool is_round(const stand *x) { return x->rows == 3 && (x->law & (SS_LAW_COULOMB | SS_LAW_ASSOCIATED)); }

static stand stand_of(const ss_problem *p, int k, const double *all_r, const double *all_u)
{
    stand x = { .law = p->law[k],
                .rows = p->row[k + 1] - p->row[k],
                .directions = p->dir ? p->dir[k + 1] - p->dir[k] : 0,
                .mu = ss_law_size(p, k, all_r),
                .r = all_r + p->row[k],
                .u = all_u + p->row[k] };
    x.direction = x.directions > 0 ? p->direction + 2 * p->dir[k] : NULL;
    if (is_round(&x)) { /* those are many: no call of hypot */
        x.slip = x.law == SS_LAW_COULOMB ? x.mu * ss_length2(x.u[1], x.u[2]) : 0;
    } else {
        x.slip = ss_law_slip(x.law, x.rows, x.mu, x.directions, x.direction, x.u);
    }
    return x;
}

/* on K */
static void project(const stand *x, double *y)
{
    if (is_round(x)) {
        ss_cone_project_slip(3, x->mu, ss_length2(y[1], y[2]), y);
    } else {
        ss_law_project(x->law, x->rows, x->mu, x->directions, x->direction, y);
    }
}

/* |r - P_K(r - u^/d)|. A component that the projection leaves alone is u^/d itself: beside a large r it would be lost in the
 * difference of two of its size. */
static double natural_map(const stand *x, double d)
{
    const double *r = x->r;
    double y[3] = { 0, 0, 0 }, step[3], error[3];
    for (int i = 0; i < x->rows; i++) {
        step[i] = (x->u[i] + (i == 0 ? x->slip : 0)) / d;
        y[i] = r[i] - step[i];
    }
    project(x, y);
    for (int i = 0; i < x->rows; i++) {
        error[i] = y[i] == r[i] - step[i] ? step[i] : r[i] - y[i];
    }
    return ss_array_length(x->rows, error);
}

/* The same of a circular law in space: where r - u^/d lies in the cone, as where a contact sticks, the projection leaves it. */
static inline double round_map(const stand *x, double d)
{
    const double step[3] = { (x->u[0] + x->slip) / d, x->u[1] / d, x->u[2] / d }, normal = x->r[0] - step[0];
    const bool inside = normal >= 0 && ss_length2(x->r[1] - step[1], x->r[2] - step[2]) <= x->mu * normal;
    return inside ? sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) : natural_map(x, d);
}

double ss_law_natural_map(const ss_problem *p, int k, double d, const double *r, const double *u)
{
    const stand x = stand_of(p, k, r, u);
    return natural_map(&x, d);
}

void ss_law_natural_maps(const ss_problem *p, int k, int n, const double *d, const double *r, const double *u, double *out)
{
    const stand x = stand_of(p, k, r, u);
    for (int i = 0; i < n; i++) {
        out[i] = is_round(&x) ? round_map(&x, d[i]) : natural_map(&x, d[i]);
    }
}
