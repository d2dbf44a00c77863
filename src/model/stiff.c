/* stiff.c - a linear model of the stiff forces whose matrices may stand on the left side of any step.
 *
 *     k(t, q (+) x, v') ~ k0 + K x + C v',     K and C symmetric, negative semidefinite
 *
 *     links    k0 = k(t, q, 0), which is exact since they are affine in v;   C = dk/dv;   K = dk/dq at rest
 *     blocks   k0 = k(t, q, v) - C v;   C = dk/dv at v;   K = dk/dq at v = 0;   forces of type "callback" likewise
 *     joints   as links: springs, dampers and servos on coordinates of joints (drives.c, which knows the definite part)
 *     solids   as links (triangles and tetrahedra, simplex.c, which knows the definite part of its derivative)
 *
 * so that M - h C - h^2 K is symmetric and positive definite for every h > 0. Of a derivative the symmetric part is taken, and of
 * that what has no positive eigenvalue, with rows and columns divided by a unit L (diagonal):
 *
 *     L^-1 K L^-1 = sum of l_i z_i z_i',     K <- K - sum over l_i > 0 of l_i (L z_i)(L z_i)'
 *
 *     links    1 for displacements of points, the model's length for turns;   blocks   the roots of the diagonal of M
 *
 * Links are taken apart before: what the wrench changes with the points, and what it does as the arms turn with their bodies. So
 * the large stiffness along a spring keeps its direction to the last digit, whatever is removed of the others. Neither units nor
 * axes matter, and since what K does not resist has l = 0, links keep the linear momentum of their bodies.
 * What is dropped acts with the value it has in k0: the sideways push of a compressed spring, what gyroscopic forces of a block
 * depend on, the turning of dampers (dk/dq is taken at rest). That is a change of O(h) in the force.
 *
 * Stretched The sideways stiffness of a spring is its tension over its length. The tension at the start may be far from that of
 *           the end: a mass that swings on a stiff spring leaves the circle by O(h^2) in every step, which the step undoes, but
 *           with the tension of that error the sideways stiffness would stop the swing. So K can be taken again with
 *           the length l + h n . d' that a link will have, d' by a velocity that the caller predicts.
 * Symbols   links are forces of types with a Jacobian; l, n length and direction of a link, d' the relative velocity of its ends;
 *           l_i eigenvalues, z_i unit eigenvectors
 * Cost      a Cholesky factorisation per derivative, of at most 12 rows for a link; an eigenvalue problem where that fails; two
 *           Jacobians per block. Nothing is allocated. */
#include "model/stiff.h"
#include "math/dense.h"
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/drives.h"
#include "model/force_functions.h"
#include "model/primitives.h"
#include "model/simplices.h"
#include <float.h>

enum { LINK = 2 * SS_SPOT_DOFS }; /* rows at two points, and the most velocities of two bodies */

struct ss_stiff {
    ss_context *ctx;
    const ss_model *m;
    double *unit;    /* size: L                                                    */
    int *row;        /* size: rows of a matrix that have entries                   */
    double *vectors; /* size x size: these rows over their units, then eigenvectors */
    double *trial;   /* size x size: factors of minus that matrix, where it has any */
    double *values;  /* size: eigenvalues                                          */
    double *work;    /* SS_DENSE_WORK x size                                       */
    double *unused;  /* size x size: a derivative that is not asked for            */
    double *rest;    /* size: zeros                                                */
    ss_cut *cut;     /* joints: which servos are at their limit                    */
};

/* ---- life ------------------------------------------------------------------------------------------- */

static size_t largest(const ss_model *m)
{
    int size = LINK;
    for (int b = 0; b < m->mass.diagonal.blocks; b++) {
        size = m->mass.diagonal.size[b] > size ? m->mass.diagonal.size[b] : size;
    }
    return (size_t)size;
}

static ss_status fill(ss_stiff *x)
{
    const size_t n = largest(x->m);
    double **arrays[] = { &x->unit, &x->vectors, &x->trial, &x->values, &x->work, &x->unused, &x->rest };
    const size_t count[] = { n, n * n, n * n, n, n * SS_DENSE_WORK, n * n, n };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        SS_TRY(ss_calloc(x->ctx, count[k], sizeof(double), arrays[k]));
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)x->m->joints, sizeof *x->cut, &x->cut));
    return ss_calloc(x->ctx, n, sizeof *x->row, &x->row);
}

bool ss_model_has_stiff(const ss_model *m)
{
    bool any = m->simplices > 0 || ss_model_has_drives(m);
    for (int i = 0; i < m->forces; i++) {
        any = any || ss_force_is_stiff(&m->force[i]);
    }
    for (int b = 0; b < m->bodies; b++) {
        any = any || ss_block_is_stiff(m, b);
    }
    return any;
}

ss_status ss_stiff_create(ss_context *ctx, const ss_model *m, ss_stiff **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->m = m;
    ss_status status = fill(*out);
    if (status != SS_OK) {
        ss_stiff_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_stiff_destroy(ss_stiff *x)
{
    if (x) {
        void *owned[] = { x->unit, x->row, x->vectors, x->trial, x->values, x->work, x->unused, x->rest, x->cut };
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
            ss_free(x->ctx, owned[k]);
        }
        ss_free(x->ctx, x);
    }
}

/* ---- the definite part ------------------------------------------------------------------------------- */

/* x->row: the rows of a symmetric k that have entries; their number is returned */
static int list_rows(ss_stiff *x, int n, const double *k)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool zero = true;
        for (int j = 0; j < n; j++) {
            zero = zero && k[i * n + j] == 0;
        }
        if (!zero) {
            x->row[count++] = i;
        }
    }
    return count;
}

/* Has Z (n x n) no positive eigenvalue but for round-off? This is quicker than to find them, and the usual case. */
static bool is_definite(ss_stiff *x, int n, const double *Z)
{
    double size = 0;
    for (int i = 0; i < n * n; i++) {
        size += fabs(Z[i]);
    }
    for (int i = 0; i < n * n; i++) {
        x->trial[i] = (i % (n + 1) == 0 ? DBL_EPSILON * size : 0) - Z[i];
    }
    return isfinite(size) && ss_dense_cholesky(n, x->trial, n);
}

/* k -= l (L z)(L z)' in the listed rows, the same bits above and below the diagonal */
static void remove_direction(ss_stiff *x, int rows, double l, double *z, int n, double *k)
{
    for (int a = 0; a < rows; a++) {
        z[a] *= sqrt(l) * x->unit[x->row[a]];
    }
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < rows; b++) {
            k[x->row[a] * n + x->row[b]] -= z[a] * z[b];
        }
    }
}

/* k (n x n) <- its symmetric part without positive eigenvalues, over x->unit */
static ss_status keep_definite(ss_stiff *x, int n, double *k)
{
    double *Z = x->vectors;
    ss_dense_symmetrise(n, k);
    const int rows = list_rows(x, n, k);
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < rows; b++) {
            Z[a * rows + b] = k[x->row[a] * n + x->row[b]] / (x->unit[x->row[a]] * x->unit[x->row[b]]);
        }
    }
    if (is_definite(x, rows, Z)) {
        return SS_OK;
    }
    if (!ss_dense_eigen(rows, Z, rows, x->values, x->work)) {
        return ss_fail(x->ctx, SS_ERR_NUMERIC, "the derivative of a force is not finite");
    }
    for (int i = 0; i < rows; i++) {
        if (x->values[i] > 0) {
            remove_direction(x, rows, x->values[i], Z + i * rows, n, k);
        }
    }
    return SS_OK;
}

/* ---- links -------------------------------------------------------------------------------------------- */

/* of both points */
static void set_units(ss_stiff *x, double turns)
{
    for (int i = 0; i < LINK; i++) {
        x->unit[i] = i % SS_SPOT_DOFS < 3 ? 1 : turns;
    }
}

/* Own velocities are 0, those of driven bodies are not. */
static void rest_beside_drives(const ss_model *m, const ss_config *c, const ss_attachment at[2], ss_spot s[2])
{
    for (int k = 0; k < 2; k++) {
        const int body = at[k].body;
        s[k] = ss_spot_in_frame(c->frame[body], at[k].point, ss_model_is_dynamic(m, body) ? NULL : c->drive + 2 * body);
        s[k].body = body;
    }
}

/* Derivatives of a link whose points are at s, at rest: what is definite of them. C NULL: only K. */
static ss_status add_derivatives(ss_stiff *x, double t, const ss_force *force, const ss_spot s[2], ss_csr *K, ss_csr *C)
{
    const ss_model *m = x->m;
    const int body[2] = { force->at[0].body, force->at[1].body };
    const int n = ss_attachment_dofs(m, body[0]) + ss_attachment_dofs(m, body[1]);
    static const double none[LINK * LINK] = { 0 };
    static const ss_wrench no_wrench[2] = { 0 };
    double by_x[LINK * LINK], by_v[LINK * LINK], own_q[LINK * LINK], own_v[LINK * LINK];
    ss_wrench w[2];
    SS_TRY(ss_force_at_points(x->ctx, m, force, t, s, w, by_x, by_v));
    set_units(x, m->length);
    SS_TRY(keep_definite(x, LINK, by_x));
    SS_TRY(C ? keep_definite(x, LINK, by_v) : SS_OK);
    ss_spots_derivative(m, s, no_wrench, by_x, by_v, own_q, own_v);
    ss_dense_symmetrise(n, own_q); /* to the last bit */
    ss_pattern_add(m, &m->force_pattern, body, own_q, K);
    if (C) {
        ss_dense_symmetrise(n, own_v);
        ss_pattern_add(m, &m->force_pattern, body, own_v, C);
    }
    ss_spots_derivative(m, s, w, none, NULL, own_q, NULL); /* the arms turn, the wrenches stay */
    set_units(x, 1);
    SS_TRY(keep_definite(x, n, own_q));
    ss_pattern_add(m, &m->force_pattern, body, own_q, K);
    return SS_OK;
}

static ss_status add_link(ss_stiff *x, const ss_config *c, const ss_force *force, double *k0, ss_csr *K, ss_csr *C)
{
    ss_spot s[2];
    rest_beside_drives(x->m, c, force->at, s);
    SS_TRY(ss_force_add(x->ctx, x->m, c->t, force, s, k0));
    ss_spots_at(c, force->at, s);
    return add_derivatives(x, c->t, force, s, K, C);
}

/* k -= C v of the bodies of a force, C over the velocities of both */
static void subtract_product(const ss_model *m, const int body[2], int n, const double *C, const double *v, double *k)
{
    const int first = ss_attachment_dofs(m, body[0]);
    double both[LINK];
    for (int i = 0; i < n; i++) {
        both[i] = v[i < first ? m->body_v[body[0]] + i : m->body_v[body[1]] + i - first];
    }
    for (int i = 0; i < n; i++) {
        k[i < first ? m->body_v[body[0]] + i : m->body_v[body[1]] + i - first] -= ss_dense_dot(n, C + i * n, both);
    }
}

/* A force that a program computes need not be affine in the velocities: it is linearised at v. */
static ss_status add_functions(ss_stiff *x, const ss_config *c, const double *v, const ss_force *force, double *k0, ss_csr *K,
                               ss_csr *C)
{
    const ss_model *m = x->m;
    const ss_attachment *at = force->at;
    const int body[2] = { at[0].body, at[1].body }, n = ss_attachment_dofs(m, body[0]) + ss_attachment_dofs(m, body[1]);
    double by_x[LINK * LINK], by_v[LINK * LINK], own_q[LINK * LINK], own_v[LINK * LINK];
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_moving(m, c, v, at, s);
    SS_TRY(ss_force_add(x->ctx, m, c->t, force, s, k0));
    SS_TRY(ss_force_at_points(x->ctx, m, force, c->t, s, w, by_x, by_v));
    set_units(x, m->length);
    SS_TRY(keep_definite(x, LINK, by_v));
    ss_spots_derivative(m, s, w, by_x, by_v, own_q, own_v);
    ss_dense_symmetrise(n, own_v);
    ss_pattern_add(m, &m->force_pattern, body, own_v, C);
    subtract_product(m, body, n, own_v, v, k0 + SS_FORCE_DAMPER * m->nv); /* where C v' is entered, too: C (v' - v) */
    ss_spots_at(c, at, s);
    return add_derivatives(x, c->t, force, s, K, NULL);
}

/* the points of a link at rest, the second one moved along the link by what both ends move apart in h */
static void stretch(const ss_model *m, const ss_config *c, const double *v, double h, const ss_attachment at[2], ss_spot s[2])
{
    ss_spot moving[2];
    ss_spots_moving(m, c, v, at, moving);
    ss_spots_at(c, at, s);
    const ss_vec3 d = ss_span(s), n = ss_unit(d);
    const double by = h * ss_dot(n, ss_span_rate(moving));
    if (ss_norm(d) + by > 0) { /* else the ends would pass each other */
        s[1].x = ss_axpy(by, n, s[1].x);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

static void set_block_units(ss_stiff *x, int body, int n)
{
    const double *M = x->m->mass.diagonal.x + x->m->mass.diagonal.start[x->m->body_block[body]];
    for (int i = 0; i < n; i++) {
        x->unit[i] = sqrt(M[i * (n + 1)]);
    }
}

static ss_status add_block(ss_stiff *x, const ss_config *c, const double *v, int body, double *k0, ss_csr *K, ss_csr *C)
{
    const ss_model *m = x->m;
    const double *q = c->q + m->body_q[body];
    const int first = m->body_v[body], n = ss_attachment_dofs(m, body);
    double *own_q = ss_pattern_at(m, &m->force_pattern, K, body, body, 0);
    double *own_v = ss_pattern_at(m, &m->force_pattern, C, body, body, 0);
    double *force = k0 + (int)ss_block_class(m, body) * m->nv + first;
    set_block_units(x, body, n);
    SS_TRY(ss_block_jacobian(x->ctx, m, body, c->t, q, v + first, x->unused, own_v));
    SS_TRY(ss_block_jacobian(x->ctx, m, body, c->t, q, x->rest, own_q, x->unused));
    SS_TRY(keep_definite(x, n, own_q));
    SS_TRY(keep_definite(x, n, own_v));
    SS_TRY(ss_block_force(x->ctx, m, body, c->t, q, v + first, force));
    for (int i = 0; i < n; i++) {
        force[i] -= ss_dense_dot(n, own_v + i * n, v + first);
    }
    return SS_OK;
}

/* ---- servos ------------------------------------------------------------------------------------------- */

void ss_stiff_settle(ss_stiff *x, const ss_config *c, double h, const double *v) { ss_drives_settle(x->m, c, h, v, x->cut); }

bool ss_stiff_is_settled(const ss_stiff *x, const ss_config *c, double h, const double *v)
{
    return ss_drives_are_settled(x->m, c, h, v, x->cut);
}

void ss_stiff_spare(const ss_stiff *x, const ss_config *c, const double *dv, double *p)
{
    ss_drives_spare(x->m, c, x->cut, dv, p);
}

void ss_stiff_sort(const ss_stiff *x, const ss_config *c, double h, const double *v_end, double *by_class)
{
    ss_drives_sort(x->m, c, x->cut, h, v_end, by_class);
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

ss_status ss_stiff_take(ss_stiff *x, const ss_config *c, const double *v, double *k0, ss_csr *K, ss_csr *C)
{
    const ss_model *m = x->m;
    memset(k0, 0, SS_FORCE_CLASSES * (size_t)m->nv * sizeof *k0);
    SS_TRY(ss_pattern_clear(x->ctx, m, &m->force_pattern, K));
    SS_TRY(ss_pattern_clear(x->ctx, m, &m->force_pattern, C));
    for (int b = 0; b < m->bodies; b++) {
        if (ss_block_is_stiff(m, b)) {
            SS_TRY(add_block(x, c, v, b, k0, K, C));
        }
    }
    for (int i = 0; i < m->forces; i++) {
        if (ss_force_is_stiff(&m->force[i])) {
            const ss_force *force = &m->force[i];
            SS_TRY(force->functions ? add_functions(x, c, v, force, k0, K, C) : add_link(x, c, force, k0, K, C));
        }
    }
    ss_simplices_add(m, c, NULL, k0);
    ss_simplices_definite(m, c, NULL, 0, K, C);
    ss_drives_definite(m, c, x->cut, k0, K, C);
    return SS_OK;
}

ss_status ss_stiff_stretch(ss_stiff *x, const ss_config *c, const double *v, double h, ss_csr *K)
{
    const ss_model *m = x->m;
    for (int b = 0; b < m->bodies; b++) {
        const int first = m->body_v[b], rows = ss_block_is_stiff(m, b) ? 0 : ss_attachment_dofs(m, b);
        if (rows > 0) { /* blocks have no links */
            memset(K->x + K->p[first], 0, (size_t)(K->p[first + rows] - K->p[first]) * sizeof *K->x);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        if (ss_force_is_stiff(&m->force[i])) {
            ss_spot s[2];
            stretch(m, c, v, h, m->force[i].at, s);
            SS_TRY(add_derivatives(x, c->t, &m->force[i], s, K, NULL));
        }
    }
    ss_simplices_definite(m, c, v, h, K, NULL);
    ss_drives_definite(m, c, x->cut, NULL, K, NULL);
    return SS_OK;
}
