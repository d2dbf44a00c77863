/* simplices.c - triangles and tetrahedra among the forces of a model: from nodes to velocities and back.
 *
 * Nodes are particles, or points of a body that holds them; so an element has no torques, and its matrices are those of the
 * velocities of its free nodes. Elastic forces are of the class of springs, both parts of Rayleigh damping of that of dampers.
 * Cost   linear in the number of elements; nothing is allocated */
#include "model/simplices.h"
#include "math/dense.h"
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/simplex.h"

/* ---- nodes -------------------------------------------------------------------------------------------- */

static void find_places(const ss_config *c, const ss_simplex *e, ss_vec3 *x)
{
    for (int j = 0; j < e->nodes; j++) {
        x[j] = ss_point_to_world(c->frame[e->at[j].body], e->at[j].point);
    }
}

static ss_vec3 node_velocity(const ss_model *m, const ss_config *c, const double *v, const ss_attachment *at)
{
    if (!ss_model_is_dynamic(m, at->body)) {
        return ss_spot_in_frame(c->frame[at->body], at->point, c->drive + 2 * at->body).v;
    }
    const double *own = v ? v + m->body_v[at->body] : NULL;
    return own ? ss_v3(own[0], own[1], m->dimension == 3 ? own[2] : 0) : ss_v3(0, 0, 0);
}

static void find_velocities(const ss_model *m, const ss_config *c, const double *v, const ss_simplex *e, ss_vec3 *out)
{
    for (int j = 0; j < e->nodes; j++) {
        out[j] = node_velocity(m, c, v, &e->at[j]);
    }
}

static ss_simplex_strain strain_at(const ss_config *c, const ss_simplex *e)
{
    ss_vec3 x[SS_SIMPLEX_NODES];
    find_places(c, e, x);
    return ss_simplex_strain_at(e, x);
}

/* ---- forces and energy ---------------------------------------------------------------------------------- */

/* k += forces on the nodes that have velocities */
static void push_forces(const ss_model *m, const ss_simplex *e, const ss_vec3 *f, double *k)
{
    for (int j = 0; j < e->nodes; j++) {
        double x[3];
        ss_v3_to(f[j], x);
        for (int i = 0; i < ss_attachment_dofs(m, e->at[j].body); i++) {
            k[m->body_v[e->at[j].body] + i] += x[i];
        }
    }
}

void ss_simplices_add(const ss_model *m, const ss_config *c, const double *v, double *k)
{
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        const ss_simplex_strain s = strain_at(c, e);
        ss_vec3 elastic[SS_SIMPLEX_NODES] = { { 0, 0, 0 } }, damping[SS_SIMPLEX_NODES] = { { 0, 0, 0 } }, rate[SS_SIMPLEX_NODES];
        find_velocities(m, c, v, e, rate);
        ss_simplex_add_elastic(e, &s, elastic);
        ss_simplex_add_damping(e, &s, rate, damping);
        push_forces(m, e, elastic, k + SS_FORCE_SPRING * m->nv);
        push_forces(m, e, damping, k + SS_FORCE_DAMPER * m->nv);
    }
}

double ss_simplices_energy(const ss_model *m, const ss_config *c)
{
    double energy = 0;
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex_strain s = strain_at(c, &m->simplex[i]);
        energy += ss_simplex_energy(&m->simplex[i], &s);
    }
    return energy;
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* A += K, the rows and columns of nodes that have velocities */
static void scatter(const ss_model *m, const ss_simplex *e, const double *K, ss_csr *A)
{
    const int d = e->nodes - 1, n = ss_simplex_rows(e);
    for (int row = 0; row < n; row++) {
        const int body = e->at[row / d].body;
        for (int j = 0; j < e->nodes && ss_model_is_dynamic(m, body); j++) {
            if (ss_model_is_dynamic(m, e->at[j].body)) {
                double *x = ss_pattern_at(m, &m->force_pattern, A, body, e->at[j].body, row % d);
                for (int k = 0; k < d; k++) {
                    x[k] += K[row * n + j * d + k];
                }
            }
        }
    }
}

void ss_simplices_jacobian(const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q, ss_csr *k_v)
{
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        const ss_simplex_strain s = strain_at(c, e);
        double by_x[SS_SIMPLEX_ROWS * SS_SIMPLEX_ROWS] = { 0 }, by_v[SS_SIMPLEX_ROWS * SS_SIMPLEX_ROWS] = { 0 };
        ss_vec3 rate[SS_SIMPLEX_NODES];
        find_velocities(m, c, v, e, rate);
        ss_simplex_elastic_slope(e, &s, false, by_x);
        ss_simplex_damping_slope(e, &s, rate, by_x);
        ss_simplex_damping_rate_slope(e, &s, by_v);
        scatter(m, e, by_x, k_q);
        scatter(m, e, by_v, k_v);
    }
}

/* to the last bit */
static void scatter_symmetric(const ss_model *m, const ss_simplex *e, double *K, ss_csr *A)
{
    ss_dense_symmetrise(ss_simplex_rows(e), K);
    scatter(m, e, K, A);
}

void ss_simplices_definite(const ss_model *m, const ss_config *c, const double *v, double h, ss_csr *K, ss_csr *C)
{
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        double by_x[SS_SIMPLEX_ROWS * SS_SIMPLEX_ROWS] = { 0 }, by_v[SS_SIMPLEX_ROWS * SS_SIMPLEX_ROWS] = { 0 };
        ss_vec3 x[SS_SIMPLEX_NODES], rate[SS_SIMPLEX_NODES];
        find_places(c, e, x);
        find_velocities(m, c, v, e, rate);
        const ss_simplex_strain s = v ? ss_simplex_strain_later(e, x, rate, h) : ss_simplex_strain_at(e, x);
        ss_simplex_elastic_slope(e, &s, true, by_x);
        scatter_symmetric(m, e, by_x, K);
        if (C) {
            ss_simplex_damping_rate_slope(e, &s, by_v);
            scatter_symmetric(m, e, by_v, C);
        }
    }
}

/* ---- what others ask ---------------------------------------------------------------------------------------- */

ss_status ss_simplices_check(ss_context *ctx, const ss_model *m, const ss_config *c)
{
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex_strain s = strain_at(c, &m->simplex[i]);
        if (ss_simplex_is_inverted(&s)) {
            return ss_fail(ctx, SS_ERR_NUMERIC,
                           "elements.%.80s: element %d is inverted at t = %.9g: a node has passed through the face of the others",
                           m->simplex[i].law->owner, m->simplex[i].number, c->t);
        }
    }
    return SS_OK;
}

void ss_simplices_stress(const ss_simplex *e, const ss_vec3 *x, double sigma[6])
{
    const ss_simplex_strain s = ss_simplex_strain_at(e, x);
    const ss_mat3 T = ss_simplex_stress(e, &s);
    const double six[6] = { T.c[0].x, T.c[1].y, T.c[2].z, T.c[1].x, T.c[2].y, T.c[2].x };
    memcpy(sigma, six, sizeof six);
}

double ss_von_mises(const double s[6])
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

double ss_simplices_length(const ss_model *m)
{
    double length = 0;
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        for (int j = 0; j < e->nodes; j++) { /* the height over the face of the others is the inverse of the slope */
            length = fmax(length, 1 / ss_norm(e->slope[j]));
        }
    }
    return length;
}
