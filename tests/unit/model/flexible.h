/* flexible.h - flexible bodies alone in a scene, and their forces and stiffness as full matrices, for tests. */
#ifndef SS_TEST_FLEXIBLE_H
#define SS_TEST_FLEXIBLE_H

#include "build.h"

#include "math/csr.h"
#include "math/dense.h"
#include "math/matrix.h"
#include "model/elements.h"

enum { MOST = 300 }; /* velocities of a model here */

static inline ss_elements_desc elements(const char *type, int divisions)
{
    ss_elements_desc d = ss_elements_desc_default();
    d.name = "x";
    d.type = type;
    d.size[0] = 2;
    d.size[1] = 0.1;
    d.size[2] = 0; /* in 3D the test's own */
    d.divisions = divisions;
    d.E = 3000;
    d.nu = 0.3;
    d.density = 4;
    return d;
}

/* alone in a scene without gravity, with a driven body that has turned and moved */
static inline ss_status try_alone(ss_context *ctx, int dimension, const ss_elements_desc *d, ss_model **out)
{
    ss_scene_settings settings = ss_scene_settings_default();
    ss_body_desc piston = standing("piston", SS_BODY_DRIVEN);
    ss_scene *scene = NULL;
    settings.dimension = dimension;
    piston.motion[0] = "0.5*t - 1";
    piston.motion_angle = "1 + 2*t";
    CHECK_OK(ctx, ss_scene_create(ctx, &settings, &scene));
    add_body(scene, ctx, piston);
    CHECK_OK(ctx, ss_scene_add_elements(scene, d));
    ss_status status = ss_model_compile(ctx, scene, out);
    ss_scene_destroy(scene);
    return status;
}

static inline ss_model *alone(ss_context *ctx, int dimension, ss_elements_desc d)
{
    ss_model *m = NULL;
    CHECK_OK(ctx, try_alone(ctx, dimension, &d, &m));
    return m;
}

static inline void forces(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *k)
{
    place p = place_at(ctx, m, t, q);
    CHECK_OK(ctx, ss_model_forces(ctx, m, &p.c, v, k));
    leave(&p);
}

static inline double potential(ss_context *ctx, const ss_model *m, double t, const double *q)
{
    place p = place_at(ctx, m, t, q);
    double energy;
    CHECK_OK(ctx, ss_model_potential(ctx, m, &p.c, &energy));
    leave(&p);
    return energy;
}

static inline void total(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *sum)
{
    double k[SS_FORCE_CLASSES * MOST];
    forces(ctx, m, t, q, v, k);
    for (int i = 0; i < m->nv; i++) {
        sum[i] = 0;
        for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            sum[i] += k[kind * m->nv + i];
        }
    }
}

/* full matrices of dk/dq and dk/dv, row by row */
static inline void jacobians(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *k_q,
                             double *k_v)
{
    place p = place_at(ctx, m, t, q);
    ss_csr by[2] = { { 0 }, { 0 } };
    double *out[2] = { k_q, k_v };
    CHECK_OK(ctx, ss_model_force_jacobian(ctx, m, &p.c, v, &by[0], &by[1]));
    for (int which = 0; which < 2; which++) {
        memset(out[which], 0, (size_t)(m->nv * m->nv) * sizeof *k_q);
        for (int i = 0; i < m->nv; i++) {
            for (int e = by[which].p[i]; e < by[which].p[i + 1]; e++) {
                out[which][i * m->nv + by[which].i[e]] += by[which].x[e];
            }
        }
        ss_csr_free(ctx, &by[which]);
    }
    leave(&p);
}

/* eigenvalues of M^-1/2 (-k_q) M^-1/2 at the start, ascending; M is diagonal here */
static inline void squared_frequencies(ss_context *ctx, int dimension, ss_elements_desc d, double *values)
{
    ss_model *m = alone(ctx, dimension, d);
    const size_t n = (size_t)m->nv;
    double *K = test_malloc(sizeof *K * n * n), *C = test_malloc(sizeof *C * n * n), *ones = test_malloc(sizeof *ones * n);
    double *M = test_malloc(sizeof *M * n), *work = test_malloc(sizeof *work * SS_DENSE_WORK * n);
    for (size_t i = 0; i < n; i++) {
        ones[i] = 1;
    }
    ss_matrix_times(&m->mass, ones, M);
    jacobians(ctx, m, 0, m->q0, m->v0, K, C);
    for (size_t k = 0; k < n * n; k++) {
        K[k] *= -1 / sqrt(M[k / n] * M[k % n]);
    }
    CHECK(ss_dense_eigen(m->nv, K, m->nv, values, work));
    void *const scratch[] = { K, C, ones, M, work };
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++) {
        test_free(scratch[k]);
    }
    ss_model_destroy(m);
}

#endif
