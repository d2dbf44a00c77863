/* path.h - a smooth motion through a state with a given acceleration, for tests of what accelerations ask. */
#ifndef SS_TEST_PATH_H
#define SS_TEST_PATH_H

#include "model/model.h"
#include "test.h"

enum { PATH_MAX = 64 };

typedef struct path {
    const ss_model *m;
    double t, q[PATH_MAX], v[PATH_MAX], a[PATH_MAX];
} path;

/* angular velocity of exp(x), seen from the body, while x changes at the rate r; series for |x| < 0.1, next terms 1e-16:
 *     r - (1 - cos x)/x^2 x x r + (x - sin x)/x^3 x x (x x r) */
static inline ss_vec3 path_spin(ss_vec3 x, ss_vec3 r)
{
    const double s = ss_dot(x, x), one = 1.0 / 2 - s / 24 * (1 - s / 30 * (1 - s / 56)),
                 two = 1.0 / 6 - s / 120 * (1 - s / 42 * (1 - s / 72));
    const ss_vec3 side = ss_cross(x, r);
    CHECK(s < 0.01);
    return ss_axpy(two, ss_cross(x, side), ss_axpy(-one, side, r));
}

/* q(s) = q (+) x(s),  x = s v + s^2/2 a, and its velocity, for which dv/ds = a at s = 0 */
static inline void path_at(const path *p, double s, double *q, double *v)
{
    const ss_model *m = p->m;
    double x[PATH_MAX];
    CHECK(m->nq <= PATH_MAX);
    for (int i = 0; i < m->nv; i++) {
        x[i] = s * (p->v[i] + 0.5 * s * p->a[i]);
        v[i] = p->v[i] + s * p->a[i];
    }
    ss_model_retract(m, p->q, x, 1, q);
    for (int b = 0; b < m->bodies; b++) {
        if (m->dimension == 3 && m->body_type[b] == SS_BODY_RIGID) {
            int at = m->body_v[b] + 3;
            ss_v3_to(path_spin(ss_v3_from(x + at), ss_v3_from(v + at)), v + at);
        }
    }
}

/* the derivative at s = 0 of rows f(s): sixth order, weights of f(k h) and -f(-k h) */
enum { PATH_POINTS = 3 };
static const double path_step = 1.0 / 1024;
static const double path_weight[PATH_POINTS] = { 45 * 1024.0 / 60, -9 * 1024.0 / 60, 1024.0 / 60 };

#endif
