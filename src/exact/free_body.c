/* free_body.c - a rigid body that turns without moment; its centre of mass falls (3D).
 *
 *   I w' = (I w) x w,   Q' = Q (0, w) / 2,   x = x_0 + v_0 t + g t^2 / 2      w in the body frame, Q body to world
 *
 * Any inertia tensor, so that the axes of the body need not be the principal ones. The rotation is integrated by
 * extrapolation (math/hybrid.h); the quaternion is scaled to unit length in the answer. |I w| in the world and the energy
 * are constant, which the integration does not enforce.
 *
 * Accuracy   1e-12 over a hundred radians; near the axis of the middle moment, where the rotation is unstable, rounding
 *            errors grow like exp(|w| t), as for any method
 * Reference  [PAGT06 section 9] for the equations */
#include "exact/exact.h"
#include "math/hybrid.h"

typedef struct free_body {
    ss_mat3 inertia, inverse;
    ss_hybrid motion; /* y = (w, Q) */
} free_body;

static void rate(const void *user, int mode, double t, const double *y, double *out)
{
    const free_body *b = user;
    ss_vec3 w = ss_v3_from(y);
    (void)mode;
    (void)t;
    ss_v3_to(ss_rotate(b->inverse, ss_cross(ss_rotate(b->inertia, w), w)), out);
    ss_quat_to(ss_quat_product(ss_quat_from(y + 3), (ss_quat){ 0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z }), out + 3);
}

/* of a symmetric matrix, by its cofactors */
static ss_mat3 inverse_of(ss_mat3 A)
{
    ss_mat3 C = { { ss_cross(A.c[1], A.c[2]), ss_cross(A.c[2], A.c[0]), ss_cross(A.c[0], A.c[1]) } };
    double det = ss_dot(A.c[0], C.c[0]);
    for (int k = 0; k < 3; k++) {
        C.c[k] = ss_scale(1 / det, C.c[k]);
    }
    return C;
}

static ss_status create(ss_exact *x, void **data)
{
    const ss_model *m = x->model;
    free_body *b;
    int body;
    SS_TRY(ss_exact_only_body(x, &body));
    if (m->bodies != 1 || m->body_type[body] != SS_BODY_RIGID || m->joints > 0 || m->forces > 0) {
        return ss_exact_refuse(x, "expected one rigid body and nothing else: no other bodies, joints or forces");
    }
    SS_TRY(ss_calloc(x->ctx, 1, sizeof *b, &b));
    *data = b;
    b->inertia = m->body_inertia[body];
    b->inverse = inverse_of(b->inertia);
    double y[7], speed = ss_norm(ss_v3_from(m->v0 + 3)), scale = speed > 0 ? speed : 1;
    memcpy(y, m->v0 + 3, 3 * sizeof *y);
    memcpy(y + 3, m->q0 + 3, 4 * sizeof *y);
    b->motion.ode = (ss_ode){ .n = 7, .rate = rate, .user = b, .scale = { scale, scale, scale, 1, 1, 1, 1 } };
    b->motion.longest = 0.25 / scale;
    return ss_hybrid_start(x->ctx, &b->motion, speed > 0 ? 0 : SS_MODE_REST, y);
}

static void destroy(ss_context *ctx, void *data) { ss_hybrid_free(ctx, &((free_body *)data)->motion); }

static ss_status at(const ss_exact *x, double t, int side, double *q, double *v)
{
    const ss_model *m = x->model;
    free_body *b = x->data;
    double y[7];
    SS_TRY(ss_hybrid_at(x->ctx, &b->motion, t, side, y, NULL));
    ss_vec3 mean = ss_axpy(0.5 * t, m->gravity, ss_v3_from(v));
    ss_v3_to(ss_axpy(t, mean, ss_v3_from(q)), q);
    ss_v3_to(ss_axpy(t, m->gravity, ss_v3_from(v)), v);
    memcpy(v + 3, y, 3 * sizeof *y);
    ss_quat_to(ss_quat_unit(ss_quat_from(y + 3)), q + 3);
    return SS_OK;
}

const ss_exact_type ss_exact_free_body = {
    .info = { .name = "free_body", .title = "rigid body that turns freely and falls", .reference = "PAGT06 9", .dimensions = 8 },
    .create = create,
    .destroy = destroy,
    .at = at,
};
