/* cone_newton.c - the cone side of a primal-dual interior point method.
 *
 *   u_i in K_i*, r_i in K_i, u_i . r_i = 0     as cones that are their own duals:
 *     half line, circular cone       s = u,                    r = z
 *     polygon                        s_k = u_N + d_k . u_T,    r = sum z_k (1, d_k),   one half line per direction
 *     box |r| <= f                   s = (t - u, t + u),       r = z_2 - z_1,  z_1 + z_2 = f, one free t per contact:
 *                                    its row adds f |u| to the function that is minimised. r is kept
 *                                    beside z, whose difference has no digits left where f is 1e12 r
 * in short s = T u + t e and r = T' z. Newton's method for  lambda o lambda = mu e  in the scaled variables ds~ = W^-1 ds and
 * dz~ = W dz, with a proximal term delta in the impulses (s = T u + delta (z - z_now)), reads
 *     ds~ + dz~ = y := lambda \ (mu e - lambda o lambda - ds~' o dz~')         (' : of the predictor; 0 in the predictor itself)
 *     dz = g - (W^2 + delta)^-1 T du,     g = (W^2 + delta)^-1 (W y - p),      p = T u - s
 * so that dr = T' g - D du with D = T' (W^2 + delta)^-1 T, and the slacks are gone. delta bounds D where a contact sticks and
 * W^2 goes to zero; it leaves p = -delta dz after a full step, which vanishes with dz. The t of a box is eliminated on the spot.
 * Everything is done along the eigenvectors of W, so that nothing is lost where W has eigenvalues of 1e-10 and 1e10.
 *
 * Reference   Vandenberghe 2010 (see nt_scaling.c); delta: S. Pougkakiotis, J. Gondzio, Comput. Optim. Appl. 78 (2021) 307
 * Cost        linear in cones; no memory besides the arena                                            */
#include "solvers/cone_ipm/cone_newton.h"

#include "math/cones.h"

#include <math.h>

static const double GENEROUS = 1e15; /* units of impulse: a bound beyond that is none, and would cost all digits */

/* ---- laws as cones ---------------------------------------------------------------------------- */

static ss_cone_kind kind_of(const ss_problem *p, int k, bool moves)
{
    bool slides = p->mu[k] > 0;
    if (!moves || (p->law[k] == SS_LAW_BOUNDED && !slides)) {
        return SS_CONE_NONE;
    }
    return p->law[k] == SS_LAW_BOUNDED                           ? SS_CONE_BOX
           : p->law[k] == SS_LAW_ASSOCIATED_POLYHEDRAL && slides ? SS_CONE_POLYGON
                                                                 : SS_CONE_ONE;
}

static int cones_of(const ss_problem *p, int k, ss_cone_kind kind)
{
    return kind == SS_CONE_NONE ? 0 : kind == SS_CONE_ONE ? 1 : kind == SS_CONE_BOX ? 2 : p->dir[k + 1] - p->dir[k];
}

/* without friction a cone is a half line */
static int dim_of(const ss_problem *p, int k, ss_cone_kind kind)
{
    bool circular = kind == SS_CONE_ONE && p->law[k] == SS_LAW_ASSOCIATED && p->mu[k] > 0;
    return circular ? p->row[k + 1] - p->row[k] : 1;
}

static ss_status take(ss_arena *arena, int count, double **out) { return ss_arena_take(arena, (size_t)count, sizeof **out, out); }

ss_status ss_cone_newton_prepare(ss_arena *arena, const ss_problem *p, const bool *moves, const double *bound, double prox,
                                 ss_cone_newton *c)
{
    *c = (ss_cone_newton){ .problem = p, .prox = prox };
    SS_TRY(ss_arena_take(arena, (size_t)p->nc + 1, sizeof *c->first, &c->first));
    SS_TRY(ss_arena_take(arena, (size_t)p->nc, sizeof *c->kind, &c->kind));
    SS_TRY(take(arena, p->nc, &c->bound));
    SS_TRY(take(arena, p->nc, &c->top));
    SS_TRY(take(arena, p->nc, &c->dtop));
    SS_TRY(take(arena, p->nc, &c->rest));
    SS_TRY(take(arena, p->nc, &c->held));
    for (int k = 0; k < p->nc; k++) {
        c->kind[k] = kind_of(p, k, moves[k]);
        c->bound[k] = fmin(bound[k], GENEROUS);
        c->first[k + 1] = c->first[k] + cones_of(p, k, c->kind[k]);
    }
    c->cones = c->first[p->nc];
    SS_TRY(ss_arena_take(arena, (size_t)c->cones, sizeof *c->nt, &c->nt));
    double **vectors[] = { &c->p, &c->y, &c->g, &c->ds, &c->dz };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        SS_TRY(take(arena, 3 * c->cones, vectors[i]));
    }
    for (int k = 0; k < p->nc; k++) {
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            c->nt[j].dim = dim_of(p, k, c->kind[k]);
        }
    }
    return SS_OK;
}

/* row of T for half line j of contact k */
static void row_of_T(const ss_cone_newton *c, int k, int j, double *row)
{
    int which = j - c->first[k];
    row[0] = 1;
    row[1] = row[2] = 0;
    if (c->kind[k] == SS_CONE_BOX) {
        row[0] = which == 0 ? -1 : 1;
    } else if (c->kind[k] == SS_CONE_POLYGON) {
        const double *d = c->problem->direction + 2 * (c->problem->dir[k] + which);
        row[1] = d[0];
        row[2] = d[1];
    }
}

/* x = T u on cone j of contact k; u: the rows of the contact */
static void image(const ss_cone_newton *c, int k, int j, const double *u, double *x)
{
    int rows = c->problem->row[k + 1] - c->problem->row[k];
    if (c->nt[j].dim > 1) {
        memcpy(x, u, (size_t)rows * sizeof *u);
        return;
    }
    double T[3];
    row_of_T(c, k, j, T);
    x[0] = T[0] * u[0];
    for (int i = 1; i < rows; i++) {
        x[0] += T[i] * u[i];
    }
}

/* r += T' x of cone j of contact k */
static void add_image_back(const ss_cone_newton *c, int k, int j, const double *x, double *r)
{
    int rows = c->problem->row[k + 1] - c->problem->row[k];
    double T[3];
    row_of_T(c, k, j, T);
    for (int i = 0; i < rows; i++) {
        r[i] += c->nt[j].dim > 1 ? x[i] : T[i] * x[0];
    }
}

static void clear_rows(const ss_cone_newton *c, int k, double *r)
{
    for (int i = c->problem->row[k]; i < c->problem->row[k + 1]; i++) {
        r[i] = 0;
    }
}

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

/* ---- the start -------------------------------------------------------------------------------- */

void ss_cone_newton_identity(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        c->top[k] = c->rest[k] = 0; /* bounds do not count yet */
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double e[3] = { 1, 0, 0 };
            ss_nt_start(&c->nt[j], c->nt[j].dim, e, e);
            image(c, k, j, u + c->problem->row[k], c->p + 3 * j);
            memset(c->y + 3 * j, 0, 3 * sizeof *c->y);
        }
    }
}

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

/* z with sum z_k (1, d_k) = r: two directions for r_T, the rest of r_N on all, d and -d alike */
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

/* x + a e, inside by `depth` at least */
static void move_inside(int dim, double depth, double *x) { x[0] += fmax(0, -ss_cone_margin(dim, x)) + depth; }

/* s and z of a box with r = z_2 - z_1: z_1 + z_2 = f, and s z as in other cones. Where f is generous s is then small, as if the
 * row stuck; u is left to p. Else t is above |u|. */
static void start_box(ss_cone_newton *c, int k, double depth, double u)
{
    const double *z_0 = c->dz + 3 * c->first[k];
    double f = c->bound[k], most = f - fmin(depth, 0.5 * f), inside = fmax(-most, fmin(most, z_0[3] - z_0[0]));
    c->held[k] = inside;
    c->top[k] = 0;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1, z = 0.5 * (f + sign * inside);
        double s = fmin(fabs(u) + depth + sign * u, depth * (depth + fabs(inside)) / z);
        ss_nt_start(&c->nt[c->first[k] + side], 1, &s, &z);
        c->top[k] += 0.5 * s;
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

static void images(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            image(c, k, j, u + c->problem->row[k], c->p + 3 * j);
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
    double most = 0, f = c->bound[k];
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
        most = fmax(most, sqrt(square));
    }
    return most;
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

bool ss_cone_newton_warm(ss_cone_newton *c, const double *u, const double *r, double least, double most)
{
    double depth = least;
    images(c, u);
    for (int k = 0; k < c->problem->nc; k++) {
        int row = c->problem->row[k];
        impulses_on_cones(c, k, r + row);
        depth = fmax(depth, failure(c, k, u[row], r[row]));
    }
    bool useful = depth <= most;
    if (useful) {
        start_inside(c, depth, u);
    }
    return useful;
}

/* ---- where it stands -------------------------------------------------------------------------- */

void ss_cone_newton_residual(ss_cone_newton *c, const double *u)
{
    for (int k = 0; k < c->problem->nc; k++) {
        c->rest[k] = c->bound[k];
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double s[3], z[3], *p = c->p + 3 * j;
            ss_nt_points(&c->nt[j], s, z);
            image(c, k, j, u + c->problem->row[k], p);
            for (int i = 0; i < c->nt[j].dim; i++) {
                p[i] -= s[i];
            }
            p[0] += c->kind[k] == SS_CONE_BOX ? c->top[k] : 0;
            c->rest[k] -= z[0];
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
            add_image_back(c, k, j, z, r + c->problem->row[k]);
        }
        if (c->kind[k] == SS_CONE_BOX) {
            r[c->problem->row[k]] = c->held[k];
        }
    }
}

/* |u| (f + r sign(u)) of a box; a generous f is not what its impulse could be, some times r or 1 */
static double box_slackness(double f, double u, double r) { return fabs(u) * fmin(fabs(f + (u < 0 ? -r : r)), 1 + 2 * fabs(r)); }

double ss_cone_newton_slackness(const ss_cone_newton *c, int k, const double *u, const double *r)
{
    double outside = 0, product = 0;
    if (c->kind[k] == SS_CONE_BOX) {
        return box_slackness(c->bound[k], u[0], r[0]);
    }
    for (int j = c->first[k]; j < c->first[k + 1]; j++) {
        double s[3];
        image(c, k, j, u, s);
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
    row_of_T(c, k, j, T);
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

/* dt for du: dz_1 + dz_2 = rest */
static double box_top(const ss_cone_newton *c, int k, double du)
{
    const double *g = c->g + 3 * c->first[k];
    double d[2];
    box_softness(c, k, d);
    return (g[0] + g[3] - c->rest[k] - (d[1] - d[0]) * du) / (d[0] + d[1]);
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
            add_image_back(c, k, j, g, own);
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
        c->dtop[k] = c->kind[k] == SS_CONE_BOX ? box_top(c, k, own[0]) : 0;
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            double Tdu[3];
            image(c, k, j, own, Tdu);
            Tdu[0] += c->dtop[k];
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
            add_image_back(c, k, j, dz, r + c->problem->row[k]);
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
        c->top[k] += a * c->dtop[k];
        c->held[k] += c->kind[k] == SS_CONE_BOX ? box_change(c, k, a) : 0;
    }
    for (int j = 0; j < c->cones; j++) {
        ss_nt_advance(&c->nt[j], a, c->ds + 3 * j, c->dz + 3 * j);
    }
    return true;
}
