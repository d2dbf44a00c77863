/* compile_masses.c - masses and inertias of the bodies, the mass matrix, and the initial q and v.
 *
 * A rigid body's mass and inertia are
 *   given                    both numbers;
 *   mass alone               the inertia is that of its shapes, scaled to the mass;
 *   density                  both from the shapes' volume (2D: area) and second moments.
 * Where shapes decide, their centre of mass must be the body's origin, within 1e-8 of their size: nothing is
 * shifted silently. Overlapping shapes of one body count twice.
 * A mass and an inertia may be 0, and so may moments about axes of the body frame; user blocks may have rows of zeros
 * (massless.c). Otherwise an inertia is positive definite and its principal moments obey the triangle inequality (a flat body,
 * where it is an equality, passes: SS_TOL_SCENE of the trace). Equivalent and free of eigenvalues: with s = tr(I)/2, the second
 * moments s 1 - I are positive semidefinite.                                                             */
#include "base/tolerances.h"
#include "model/compile.h"

#include "model/blocks.h"
#include "model/mass.h"

/* ---- from shapes ------------------------------------------------------------------------------------- */

static void sum_shapes(const ss_model *m, int b, ss_mass_properties *sum, double *radius)
{
    *sum = (ss_mass_properties){ 0 };
    *radius = 0;
    for (int k = m->shape_start[b]; k < m->shape_start[b + 1]; k++) {
        ss_mass_properties one = ss_shape_mass(&m->shape[k]);
        double r = ss_shape_radius(&m->shape[k]);
        sum->volume += one.volume;
        sum->centroid = ss_axpy(one.volume, one.centroid, sum->centroid);
        for (int i = 0; i < 6 && one.volume > 0; i++) {
            sum->inertia[i] += one.inertia[i];
        }
        *radius = one.volume > 0 && r > *radius ? r : *radius;
    }
    if (sum->volume > 0) {
        sum->centroid = ss_scale(1 / sum->volume, sum->centroid);
    }
}

/* mass and inertia from the shapes, with `density` or, if that is NAN, scaled to `mass` */
static ss_status from_shapes(ss_compiler *x, int b, const char *path, const ss_body_desc *d, double *mass, double inertia[6])
{
    ss_mass_properties sum;
    double radius;
    sum_shapes(x->m, b, &sum, &radius);
    const char *key = isnan(d->density) ? "inertia" : "density";
    if (!(sum.volume > 0)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.%s: no shape of the body has a volume to take it from; give mass and inertia",
                       path, key);
    }
    double density = isnan(d->density) ? d->mass / sum.volume : d->density;
    if (ss_norm(sum.centroid) > SS_TOL_SCENE * radius) {
        return ss_fail(
            x->ctx, SS_ERR_INPUT,
            "%s.%s: the shapes' centre of mass is at (%g, %g, %g), expected the body's origin; move the shapes by the opposite",
            path, key, sum.centroid.x, sum.centroid.y, sum.centroid.z);
    }
    *mass = density * sum.volume;
    if (!isfinite(*mass)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.density: the mass is not finite (density %g, volume %g)", path, density,
                       sum.volume);
    }
    for (int i = 0; i < 6; i++) {
        inertia[i] = density * sum.inertia[i];
    }
    return SS_OK;
}

/* ---- inertia ---------------------------------------------------------------------------------------------- */

static ss_mat3 symmetric(const double a[6])
{
    return (ss_mat3){ { { a[0], a[3], a[4] }, { a[3], a[1], a[5] }, { a[4], a[5], a[2] } } };
}

/* smallest pivot of A in L D L' without exchanges, the sign test for definiteness; relative to `scale` */
static double smallest_pivot(ss_mat3 A, double scale)
{
    double a = A.c[0].x, b = A.c[0].y, c = A.c[0].z, d = A.c[1].y, e = A.c[1].z, f = A.c[2].z;
    double least = a;
    if (a > 0) {
        d -= b * b / a;
        e -= b * c / a;
        f -= c * c / a;
        least = fmin(least, d);
    }
    if (a > 0 && d > 0) {
        least = fmin(least, f - e * e / d);
    }
    return least / scale;
}

/* The tensor with the trace in place of moments about axes of the frame that are 0, with products that are 0. */
static ss_mat3 without_zeros(const double a[6], double trace)
{
    static const int products[3][2] = { { 3, 4 }, { 3, 5 }, { 4, 5 } };
    double b[6];
    memcpy(b, a, sizeof b);
    for (int k = 0; k < 3; k++) {
        const bool zero = a[k] == 0 && a[products[k][0]] == 0 && a[products[k][1]] == 0;
        b[k] = zero ? trace : a[k];
    }
    return symmetric(b);
}

static bool is_zero(const double a[6])
{
    bool zero = true;
    for (int k = 0; k < 6; k++) {
        zero = zero && a[k] == 0;
    }
    return zero;
}

static ss_status check_inertia(ss_context *ctx, const char *path, int dimension, const double a[6])
{
    double trace = a[0] + a[1] + a[2];
    if (dimension == 2) {
        return a[2] >= 0 && isfinite(a[2]) ? SS_OK
                                           : ss_fail(ctx, SS_ERR_INPUT, "%s.inertia: expected a number >= 0, got %g", path, a[2]);
    }
    if (is_zero(a)) {
        return SS_OK;
    }
    for (int k = 0; k < 6; k++) {
        if (!isfinite(a[k])) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s.inertia: expected 3 or 6 finite numbers, got %g", path, a[k]);
        }
    }
    if (!(trace > 0) || !(smallest_pivot(without_zeros(a, trace), trace) > 0)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s.inertia: expected a positive definite tensor, or moments of 0, got moments %g, %g, %g", path, a[0],
                       a[1], a[2]);
    }
    double s = 0.5 * trace + SS_TOL_SCENE * trace;
    const double second[6] = { s - a[0], s - a[1], s - a[2], -a[3], -a[4], -a[5] };
    if (!(smallest_pivot(symmetric(second), trace) >= 0)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.inertia: no body has moments %g, %g, %g: each is at most the sum of the other two",
                       path, a[0], a[1], a[2]);
    }
    return SS_OK;
}

static bool has_inertia(const ss_body_desc *d, int dimension)
{
    return dimension == 2 ? !isnan(d->inertia[2]) : !isnan(d->inertia[0]) || !isnan(d->inertia[1]) || !isnan(d->inertia[2]);
}

static ss_status compile_rigid(ss_compiler *x, int b, const char *path, const ss_body_desc *d)
{
    ss_model *m = x->m;
    double inertia[6], mass = d->mass;
    bool given = has_inertia(d, m->dimension);
    if (!isnan(d->density) && (!isnan(d->mass) || given)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.density: expected either density, or mass and inertia, got both", path);
    }
    if (isnan(d->density) && isnan(d->mass)) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.mass: missing, expected a number >= 0, or a density", path);
    }
    if (given) {
        for (int k = 0; k < 6; k++) { /* three moments may come without the products */
            inertia[k] = k >= 3 && isnan(d->inertia[k]) ? 0 : d->inertia[k];
        }
    } else {
        SS_TRY(from_shapes(x, b, path, d, &mass, inertia));
    }
    SS_TRY(check_inertia(x->ctx, path, m->dimension, inertia));
    m->body_mass[b] = mass;
    m->body_inertia[b] = m->dimension == 3 ? symmetric(inertia) : (ss_mat3){ .c[2].z = inertia[2] };
    return SS_OK;
}

/* ---- q0, v0, M ----------------------------------------------------------------------------------------------- */

static void set_initial(ss_model *m, int b, const ss_body_desc *d)
{
    double *q = m->q0 + m->body_q[b], *v = m->v0 + m->body_v[b];
    if (d->type == SS_BODY_BLOCK) {
        for (int k = 0; k < d->block->n; k++) {
            q[k] = d->block_q ? d->block_q[k] : 0;
            v[k] = d->block_v ? d->block_v[k] : 0;
        }
        return;
    }
    memcpy(q, d->position, (size_t)m->dimension * sizeof *q);
    memcpy(v, d->velocity, (size_t)m->dimension * sizeof *v);
    if (d->type == SS_BODY_RIGID && m->dimension == 2) {
        q[2] = d->angle;
        v[2] = d->angular_velocity[2];
    } else if (d->type == SS_BODY_RIGID) {
        ss_quat_to(m->body_quat0[b], q + 3);
        memcpy(v + 3, d->angular_velocity, 3 * sizeof *v);
    }
}

static ss_status lay_out(ss_compiler *x)
{
    ss_model *m = x->m;
    size_t blocks = (size_t)m->mass.diagonal.blocks, scratch = 0;
    int *offset = NULL, *size = NULL, *start = NULL, entries = 0;
    SS_TRY(ss_calloc(x->ctx, blocks, sizeof *offset, &offset));
    m->mass.diagonal.offset = offset;
    SS_TRY(ss_calloc(x->ctx, blocks, sizeof *size, &size));
    m->mass.diagonal.size = size;
    SS_TRY(ss_calloc(x->ctx, blocks, sizeof *start, &start));
    m->mass.diagonal.start = start;
    m->mass.diagonal.n = m->nv;
    m->mass.symmetric = true;
    m->constant_mass = true;
    for (int b = 0; b < m->bodies; b++) {
        int k = m->body_block[b];
        const ss_block *block = m->body_callbacks[b];
        if (k < 0) {
            continue;
        }
        size[k] = block ? block->n : m->body_type[b] == SS_BODY_PARTICLE ? m->dimension : 3 * (m->dimension - 1);
        offset[k] = m->body_v[b];
        start[k] = entries;
        entries += size[k] * size[k];
        scratch = block && ss_block_scratch(m, block) > scratch ? ss_block_scratch(m, block) : scratch;
        m->has_gaps = m->has_gaps || (block && block->gaps > 0);
        m->constant_mass = m->constant_mass && (!block || block->constant_mass);
    }
    SS_TRY(ss_calloc(x->ctx, (size_t)entries, sizeof *m->mass.diagonal.x, &m->mass.diagonal.x));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nq, sizeof *m->q0, &m->q0));
    SS_TRY(ss_calloc(x->ctx, (size_t)m->nv, sizeof *m->v0, &m->v0));
    return ss_calloc(x->ctx, scratch, sizeof *m->scratch, &m->scratch);
}

/* B of a block whose mass matrix is A: 1 on the diagonal of rows of zeros */
static void fill_zero_rows(int n, const double *A, double *B)
{
    memcpy(B, A, (size_t)n * (size_t)n * sizeof *B);
    for (int i = 0; i < n; i++) {
        bool zero = true;
        for (int j = 0; j < n; j++) {
            zero = zero && A[i * n + j] == 0;
        }
        B[i * n + i] = zero ? 1 : B[i * n + i];
    }
}

/* a user's mass matrix: finite, symmetric, positive definite at the start, but for rows of zeros */
static ss_status check_block_mass(ss_compiler *x, int b, const char *path)
{
    const int n = x->m->body_callbacks[b]->n, zero = 0;
    double *A = x->m->mass.diagonal.x + x->m->mass.diagonal.start[x->m->body_block[b]];
    double *B = x->m->scratch;
    const ss_blockdiag one = { .blocks = 1, .n = n, .offset = &zero, .size = &n, .start = &zero, .x = B };
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double scale = fabs(A[i * n + i]) + fabs(A[j * n + j]);
            if (!isfinite(A[i * n + j]) || fabs(A[i * n + j] - A[j * n + i]) > SS_TOL_SYMMETRIC * scale) {
                return ss_fail(x->ctx, SS_ERR_INPUT,
                               "%s.block.mass: entry (%d, %d) is %g, (%d, %d) is %g; expected a symmetric matrix", path, i, j,
                               A[i * n + j], j, i, A[j * n + i]);
            }
        }
    }
    fill_zero_rows(n, A, B);
    if (ss_blockdiag_factor(x->ctx, &one, B) != SS_OK) {
        return ss_fail(x->ctx, SS_ERR_INPUT, "%s.block.mass: expected a positive definite matrix, but for rows of zeros", path);
    }
    return SS_OK;
}

ss_status ss_compile_masses(ss_compiler *x)
{
    ss_model *m = x->m;
    char path[SS_PATH_SIZE];
    SS_TRY(lay_out(x));
    for (int b = 0; b < m->bodies; b++) {
        const ss_body_desc *d = &x->scene->body[b];
        ss_part_path(path, sizeof path, "bodies", d->name, b);
        if (d->type == SS_BODY_RIGID) {
            SS_TRY(compile_rigid(x, b, path, d));
        } else if (d->type == SS_BODY_PARTICLE) {
            m->body_mass[b] = d->mass;
        }
        if (ss_model_is_dynamic(m, b)) {
            set_initial(m, b, d);
        }
    }
    SS_TRY(ss_mass_fill(x->ctx, m));
    for (int b = 0; b < m->bodies; b++) {
        ss_part_path(path, sizeof path, "bodies", x->scene->body[b].name, b);
        if (m->body_type[b] == SS_BODY_BLOCK) {
            SS_TRY(check_block_mass(x, b, path));
        }
    }
    return SS_OK;
}
