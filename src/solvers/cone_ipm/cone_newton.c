/* cone_newton.c - the cone side of a primal-dual interior point method.
 *
 * The laws are cones that are their own duals, s = T u + t e and r = T' z with s, z in a cone and s . z = 0 (cone_laws.c); t is
 * there for boxes alone. Newton's method for  lambda o lambda = mu e  in the scaled variables ds~ = W^-1 ds and dz~ = W dz, with
 * a proximal term delta in the impulses (s = T u + delta (z - z_now)), reads
 *     ds~ + dz~ = y := lambda \ (mu e - lambda o lambda - ds~' o dz~')    (' : of the predictor; 0 in the predictor itself)
 *     dz = g - (W^2 + delta)^-1 T du,     g = (W^2 + delta)^-1 (W y - p),     p = T u - s
 * so that dr = T' g - D du with D = T' (W^2 + delta)^-1 T, and the slacks are eliminated. delta bounds D
 * where a contact sticks and W^2 goes to zero; it leaves p = -delta dz after a full step, which vanishes with dz. The t of a box
 * is eliminated on the spot; its r is kept beside z, since z_2 - z_1 has no digits left where the bound f is 1e12 r. Everything
 * is done along the eigenvectors of W, so that nothing is lost where W has eigenvalues of 1e-10 and 1e10.
 *
 * Reference   Vandenberghe 2010 (see nt_scaling.c); delta: S. Pougkakiotis, J. Gondzio, Comput. Optim. Appl. 78 (2021) 307
 * Cost        linear in cones; no memory besides the arena                                            */
#include "math/cones.h"
#include "solvers/cone_ipm/cone_laws.h"

#include <math.h>

/* ---- along the eigenvectors of W ---------------------------------------------------------------- */

/* y = f(W) x with eigenvalues f */
static void spectral(const ss_nt *nt, const double *f, const double *x, double *y)
{
    ss_nt_to_axes(nt, x, y);
    for (int i = 0; i < nt->dim; i++) {
        y[i] *= f[i];
    }
    ss_nt_from_axes(nt, y, y);
}

/* 1 / (omega^2 + delta) */
static void softness(const ss_cone_newton *c, int j, double *f)
{
    ss_nt_eigenvalues(&c->nt[j], f);
    for (int i = 0; i < c->nt[j].dim; i++) {
        f[i] = 1 / (f[i] * f[i] + c->prox);
    }
}

/* ---- where it stands -------------------------------------------------------------------------- */

static void clear_rows(const ss_cone_newton *c, int k, double *r)
{
    for (int i = c->problem->row[k]; i < c->problem->row[k + 1]; i++) {
        r[i] = 0;
    }
}

void ss_cone_newton_residual(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        c->box.remainder[k] = c->box.bound[k];
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double s[3], z[3], *p = c->p + 3 * j;
            ss_nt_points(&c->nt[j], s, z);
            ss_cone_image(c, k, j, u + c->problem->row[k], p);
            for (int i = 0; i < c->nt[j].dim; i++) {
                p[i] -= s[i];
            }
            p[0] += c->kind[k] == SS_CONE_BOX ? c->box.top[k] : 0;
            c->box.remainder[k] -= z[0];
        }
    }
}

double ss_cone_newton_gap(const ss_cone_newton *c)
{
    double sum = 0;
    for (int j = 0; j < c->cones; j++) {
        for (int i = 0; i < c->nt[j].dim; i++) {
            sum += c->nt[j].lambda[i] * c->nt[j].lambda[i];
        }
    }
    return c->cones > 0 ? sum / c->cones : 0;
}

double ss_cone_newton_gap_at(const ss_cone_newton *c, double a)
{
    double sum = 0;
    for (int j = 0; j < c->cones; j++) {
        for (int i = 0; i < c->nt[j].dim; i++) {
            double l = c->nt[j].lambda[i];
            sum += (l + a * c->ds[3 * j + i]) * (l + a * c->dz[3 * j + i]);
        }
    }
    return c->cones > 0 ? sum / c->cones : 0;
}

void ss_cone_newton_impulse(const ss_cone_newton *c, double *r)
{
    for (int k = 0; k < c->problem->nc; k++) {
        clear_rows(c, k, r);
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double s[3], z[3];
            ss_nt_points(&c->nt[j], s, z);
            ss_cone_add_image_back(c, k, j, z, r + c->problem->row[k]);
        }
        if (c->kind[k] == SS_CONE_BOX) {
            r[c->problem->row[k]] = c->box.held[k];
        }
    }
}

/* |u| (f + r sign(u)) of a box; a generous f is not what its impulse could be, some times r or 1 */
static double box_slackness(double f, double u, double r) { return fabs(u) * fmin(fabs(f + (u < 0 ? -r : r)), 1 + 2 * fabs(r)); }

double ss_cone_newton_slackness(const ss_cone_newton *c, int k, const double *u, const double *r)
{
    double outside = 0, product = 0;
    if (c->kind[k] == SS_CONE_BOX) {
        return box_slackness(c->box.bound[k], u[0], r[0]);
    }
    for (int j = c->first[k]; j < c->first[k + 1]; j++) {
        double s[3];
        ss_cone_image(c, k, j, u, s);
        outside = fmax(outside, -ss_cone_margin(c->nt[j].dim, s));
    }
    for (int i = 0; i < c->problem->row[k + 1] - c->problem->row[k] && c->kind[k] != SS_CONE_NONE; i++) {
        product += u[i] * r[i];
    }
    return fabs(product) + outside * fabs(r[0]);
}

/* ---- Newton's method -------------------------------------------------------------------------- */

static void add_block(const ss_cone_newton *c, int k, int j, double *D)
{
    int rows = c->problem->row[k + 1] - c->problem->row[k];
    double f[3], T[3];
    softness(c, j, f);
    ss_cone_row(c, k, j, T);
    for (int b = 0; b < rows; b++) {
        double e[3] = { b == 0, b == 1, b == 2 }, column[3];
        if (c->nt[j].dim > 1) {
            spectral(&c->nt[j], f, e, column);
        }
        for (int a = 0; a < rows; a++) {
            D[a * rows + b] += c->nt[j].dim > 1 ? column[a] : T[a] * f[0] * T[b];
        }
    }
}

/* of the two sides of a box: with t eliminated its row has D = 4 / (1/d_1 + 1/d_2) */
static void box_softness(const ss_cone_newton *c, int k, double *d)
{
    softness(c, c->first[k], d);
    softness(c, c->first[k] + 1, d + 1);
}

void ss_cone_newton_blocks(const ss_cone_newton *c, double *D)
{
    for (int k = 0; k < c->problem->nc; k++) {
        double *own = D + 9 * k, d[2];
        memset(own, 0, 9 * sizeof *own);
        if (c->kind[k] == SS_CONE_BOX) {
            box_softness(c, k, d);
            own[0] = 4 / (1 / d[0] + 1 / d[1]);
            continue;
        }
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            add_block(c, k, j, own);
        }
    }
}

void ss_cone_newton_aim(ss_cone_newton *c, double mu, bool corrected)
{
    for (int j = 0; j < c->cones; j++) {
        const ss_nt *nt = &c->nt[j];
        double square[3], second[3] = { 0, 0, 0 }, *y = c->y + 3 * j;
        ss_nt_product(nt->dim, nt->lambda, nt->lambda, square);
        if (corrected) {
            ss_nt_product(nt->dim, c->ds + 3 * j, c->dz + 3 * j, second);
        }
        for (int i = 0; i < nt->dim; i++) {
            y[i] = (i == 0 ? mu : 0) - square[i] - second[i];
        }
        ss_nt_divide(nt, y, y);
    }
}

/* dt for du: dz_1 + dz_2 = remainder */
static double box_top(const ss_cone_newton *c, int k, double du)
{
    const double *g = c->g + 3 * c->first[k];
    double d[2];
    box_softness(c, k, d);
    return (g[0] + g[3] - c->box.remainder[k] - (d[1] - d[0]) * du) / (d[0] + d[1]);
}

void ss_cone_newton_force(ss_cone_newton *c, double *dr)
{
    for (int k = 0; k < c->problem->nc; k++) {
        double *own = dr + c->problem->row[k];
        clear_rows(c, k, dr);
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            const ss_nt *nt = &c->nt[j];
            double omega[3], f[3], y[3], p[3], *g = c->g + 3 * j;
            ss_nt_eigenvalues(nt, omega);
            softness(c, j, f);
            ss_nt_to_axes(nt, c->y + 3 * j, y);
            ss_nt_to_axes(nt, c->p + 3 * j, p);
            for (int i = 0; i < nt->dim; i++) {
                g[i] = f[i] * (omega[i] * y[i] - p[i]);
            }
            ss_nt_from_axes(nt, g, g);
            ss_cone_add_image_back(c, k, j, g, own);
        }
        if (c->kind[k] == SS_CONE_BOX) {
            double d[2];
            box_softness(c, k, d);
            own[0] -= (d[1] - d[0]) * box_top(c, k, 0);
        }
    }
}

/* ds~ and dz~ of cone j for its own T du */
static void direct_cone(ss_cone_newton *c, int j, const double *Tdu)
{
    const ss_nt *nt = &c->nt[j];
    double omega[3], f[3], y[3], q[3], *dz = c->dz + 3 * j;
    ss_nt_eigenvalues(nt, omega);
    softness(c, j, f);
    for (int i = 0; i < nt->dim; i++) {
        q[i] = c->p[3 * j + i] + Tdu[i];
    }
    ss_nt_to_axes(nt, q, q);
    ss_nt_to_axes(nt, c->y + 3 * j, y);
    for (int i = 0; i < nt->dim; i++) {
        dz[i] = omega[i] * f[i] * (omega[i] * y[i] - q[i]);
    }
    ss_nt_from_axes(nt, dz, dz);
    for (int i = 0; i < nt->dim; i++) {
        c->ds[3 * j + i] = c->y[3 * j + i] - dz[i];
    }
}

void ss_cone_newton_direct(ss_cone_newton *c, const double *du)
{
    for (int k = 0; k < c->problem->nc; k++) {
        const double *own = du + c->problem->row[k];
        c->box.dtop[k] = c->kind[k] == SS_CONE_BOX ? box_top(c, k, own[0]) : 0;
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double Tdu[3];
            ss_cone_image(c, k, j, own, Tdu);
            Tdu[0] += c->box.dtop[k];
            direct_cone(c, j, Tdu);
        }
    }
}

double ss_cone_newton_reach(const ss_cone_newton *c, double most)
{
    for (int j = 0; j < c->cones; j++) {
        most = ss_nt_reach(&c->nt[j], c->ds + 3 * j, most);
        most = ss_nt_reach(&c->nt[j], c->dz + 3 * j, most);
    }
    return most;
}

void ss_cone_newton_growth(const ss_cone_newton *c, double *r)
{
    for (int k = 0; k < c->problem->nc; k++) {
        clear_rows(c, k, r);
        for (int j = c->first[k]; j < c->first[k + 1] && c->kind[k] != SS_CONE_BOX; j++) {
            const ss_nt *nt = &c->nt[j];
            double f[3], dz[3];
            ss_nt_eigenvalues(nt, f);
            for (int i = 0; i < nt->dim; i++) {
                f[i] = 1 / f[i];
            }
            spectral(nt, f, c->dz + 3 * j, dz);
            if (nt->dim == 1) {
                dz[0] = fmax(0, dz[0]);
            } else {
                ss_cone_project_circular(nt->dim, 1, dz);
            }
            ss_cone_add_image_back(c, k, j, dz, r + c->problem->row[k]);
        }
    }
}

/* a dr of a box */
static double box_change(const ss_cone_newton *c, int k, double a)
{
    int j = c->first[k];
    return a * (c->dz[3 * j + 3] / c->nt[j + 1].beta - c->dz[3 * j] / c->nt[j].beta);
}

bool ss_cone_newton_advance(ss_cone_newton *c, double a)
{
    for (int j = 0; j < c->cones; j++) {
        if (!ss_nt_admits(&c->nt[j], a, c->ds + 3 * j, c->dz + 3 * j)) {
            return false;
        }
    }
    for (int k = 0; k < c->problem->nc; k++) {
        c->box.top[k] += a * c->box.dtop[k];
        c->box.held[k] += c->kind[k] == SS_CONE_BOX ? box_change(c, k, a) : 0;
    }
    for (int j = 0; j < c->cones; j++) {
        ss_nt_advance(&c->nt[j], a, c->ds + 3 * j, c->dz + 3 * j);
    }
    return true;
}
