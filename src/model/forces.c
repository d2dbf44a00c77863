/* forces.c - all forces of a model by class, their energy, and their derivatives.
 *
 *   k = gravity + springs + dampers + applied + gyroscopic         each kept apart, for the energy ledger
 *   gyroscopic (3D)  -w x (I w),  dk/dw = S(I w) - S(w) I          workless; body frame
 *   motor `force`    f(t) times the joint's coordinate row, class APPLIED
 *   blocks           class SPRING if they have a potential, else APPLIED
 *
 * Symbols     w angular velocity in the body frame, I inertia, S(a) b = a x b
 * Jacobian    k_q is the derivative along a displacement of velocity kind at fixed v: k(q (+) x) - k(q) ~ k_q x;
 *             exact but for blocks without a jacobian, where central differences with step eps^(1/3) stand in.
 * Cost        linear in bodies and forces; nothing is allocated once the matrices have their size */
#include "model/assemble.h"
#include "model/primitives.h"
#include <float.h>

#define SS_FORCE(name) extern const ss_force_type ss_force_##name;
#include "model/forces/forces.def"
#undef SS_FORCE

const ss_force_type *const ss_force_types[] = {
#define SS_FORCE(name) &ss_force_##name,
#include "model/forces/forces.def"
#undef SS_FORCE
    NULL,
};

/* frames and world twists of the two bodies of a part */
typedef struct couple {
    ss_frame f[2];
    ss_vec3 tw[2][2];
} couple;

static couple couple_at(const ss_model *m, const ss_config *c, const double *v, const int body[2])
{
    couple x;
    for (int b = 0; b < 2; b++) {
        x.f[b] = c->frame[body[b]];
        ss_model_twist(m, c, v, body[b], x.tw[b]);
    }
    return x;
}

/* ---- forces ------------------------------------------------------------------------------------------ */

/* k += the generalized force of a world wrench */
static void add_wrench(const ss_model *m, const ss_config *c, int body, const ss_wrench *w, double *k)
{
    if (!ss_model_is_dynamic(m, body)) {
        return;
    }
    double x[6];
    double *to = k + m->body_v[body];
    ss_v3_to(w->force, x);
    if (m->dimension == 2) {
        x[2] = w->torque.z;
    } else {
        ss_v3_to(ss_unrotate(c->frame[body].R, w->torque), x + 3);
    }
    for (int i = 0; i < m->mass.diagonal.size[m->body_block[body]]; i++) {
        to[i] += x[i];
    }
}

static void add_body_forces(const ss_model *m, const ss_config *c, const double *v, int body, double *k)
{
    int iv = m->body_v[body], iq = m->body_q[body];
    double *gravity = k + SS_FORCE_GRAVITY * m->nv + iv, *gyro = k + SS_FORCE_GYROSCOPIC * m->nv + iv;
    const ss_block *block = m->body_callbacks[body];
    if (m->body_type[body] == SS_BODY_BLOCK) {
        ss_force_class kind = block->potential ? SS_FORCE_SPRING : SS_FORCE_APPLIED;
        if (block->force) {
            block->force(block->user, c->t, c->q + iq, v + iv, k + (int)kind * m->nv + iv);
        }
        return;
    }
    const double g[3] = { m->gravity.x, m->gravity.y, m->gravity.z };
    for (int i = 0; i < m->dimension; i++) {
        gravity[i] = m->body_mass[body] * g[i];
    }
    if (m->body_type[body] == SS_BODY_RIGID && m->dimension == 3) {
        ss_vec3 w = ss_v3_from(v + iv + 3);
        ss_v3_to(ss_cross(ss_rotate(m->body_inertia[body], w), w), gyro + 3);
    }
}

static void add_force(const ss_model *m, const ss_config *c, const double *v, const ss_force *force, double *k)
{
    couple x = couple_at(m, c, v, force->body);
    ss_wrench w[SS_FORCE_CLASSES][2];
    memset(w, 0, sizeof w);
    force->type->eval(force, c->t, x.f, (const ss_vec3(*)[2])x.tw, w);
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        for (int b = 0; b < 2; b++) {
            add_wrench(m, c, force->body[b], &w[kind][b], k + kind * m->nv);
        }
    }
}

/* the motor's wrenches on its two bodies */
static void motor_wrench(const ss_model *m, const ss_config *c, int joint, ss_wrench w[2])
{
    ss_twist_row row;
    double f = ss_expr_eval(m->joint[joint].force, c->t);
    ss_model_joint_coordinate(m, c, joint, &row);
    for (int b = 0; b < 2; b++) {
        w[b] = (ss_wrench){ ss_scale(f, row.lin[b]), ss_scale(f, row.ang[b]) };
    }
}

void ss_model_forces(const ss_model *m, const ss_config *c, const double *v, double *k)
{
    memset(k, 0, SS_FORCE_CLASSES * (size_t)m->nv * sizeof *k);
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            add_body_forces(m, c, v, b, k);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        add_force(m, c, v, &m->force[i], k);
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].force) {
            ss_wrench w[2];
            motor_wrench(m, c, j, w);
            add_wrench(m, c, m->joint[j].body[0], &w[0], k + SS_FORCE_APPLIED * m->nv);
            add_wrench(m, c, m->joint[j].body[1], &w[1], k + SS_FORCE_APPLIED * m->nv);
        }
    }
}

double ss_model_potential(const ss_model *m, const ss_config *c)
{
    double sum = 0;
    for (int b = 0; b < m->bodies; b++) {
        const ss_block *block = m->body_callbacks[b];
        if (m->body_type[b] == SS_BODY_BLOCK) {
            sum += block->potential ? block->potential(block->user, c->t, c->q + m->body_q[b]) : 0;
        } else if (ss_model_is_dynamic(m, b)) {
            sum -= m->body_mass[b] * ss_dot(m->gravity, c->frame[b].p);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        const ss_force *force = &m->force[i];
        if (force->type->potential) {
            const ss_frame f[2] = { c->frame[force->body[0]], c->frame[force->body[1]] };
            sum += force->type->potential(force, f);
        }
    }
    return sum;
}

/* ---- Jacobian ------------------------------------------------------------------------------------------ */

static void add_gyroscopic(const ss_model *m, const double *v, int body, ss_csr *k_v)
{
    ss_vec3 w = ss_v3_from(v + m->body_v[body] + 3);
    ss_mat3 I = m->body_inertia[body];
    ss_mat3 A = ss_skew(ss_rotate(I, w)), B = ss_compose(ss_skew(w), I);
    for (int j = 0; j < 3; j++) {
        double x[3];
        ss_v3_to(ss_sub(A.c[j], B.c[j]), x);
        for (int i = 0; i < 3; i++) {
            ss_pattern_at(m, &m->force_pattern, k_v, body, body, 3 + i)[3 + j] += x[i];
        }
    }
}

/* d k / d x by central differences, x being q or v of the block; z is a copy of x that is moved */
static void difference_block(const ss_block *block, double t, const double *q, const double *v, const double *x, double *z,
                             double *out)
{
    int n = block->n;
    double *plus = z + n, *minus = z + 2 * n;
    memcpy(z, x, (size_t)n * sizeof *z);
    for (int j = 0; j < n; j++) {
        double h = cbrt(DBL_EPSILON) * fmax(1, fabs(x[j]));
        z[j] = x[j] + h;
        block->force(block->user, t, x == q ? z : q, x == v ? z : v, plus);
        z[j] = x[j] - h;
        block->force(block->user, t, x == q ? z : q, x == v ? z : v, minus);
        z[j] = x[j];
        for (int i = 0; i < n; i++) {
            out[i * n + j] = (plus[i] - minus[i]) / (2 * h);
        }
    }
}

/* a block meets only itself, so its rows are one dense n x n piece of the matrix */
static void add_block(const ss_model *m, const ss_config *c, const double *v, int body, ss_csr *k_q, ss_csr *k_v)
{
    const ss_block *block = m->body_callbacks[body];
    const double *q = c->q + m->body_q[body], *rate = v + m->body_v[body];
    double *out_q = ss_pattern_at(m, &m->force_pattern, k_q, body, body, 0);
    double *out_v = ss_pattern_at(m, &m->force_pattern, k_v, body, body, 0);
    if (block->jacobian) {
        block->jacobian(block->user, c->t, q, rate, out_q, out_v);
    } else if (block->force) {
        difference_block(block, c->t, q, rate, q, m->scratch, out_q);
        difference_block(block, c->t, q, rate, rate, m->scratch, out_v);
    }
}

static void add_force_jacobian(const ss_model *m, const ss_config *c, const double *v, const ss_force *force, ss_csr *k_q,
                               ss_csr *k_v)
{
    couple x = couple_at(m, c, v, force->body);
    const ss_vec3(*tw)[2] = (const ss_vec3(*)[2])x.tw;
    ss_wrench w[SS_FORCE_CLASSES][2];
    double by_q[144] = { 0 }, by_v[144] = { 0 };
    memset(w, 0, sizeof w);
    force->type->eval(force, c->t, x.f, tw, w);
    force->type->jacobian(force, c->t, x.f, tw, by_q, by_v);

    ss_vec3 torque[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    const ss_vec3 omega[2] = { x.tw[0][1], x.tw[1][1] };
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        torque[0] = ss_add(torque[0], w[kind][0].torque);
        torque[1] = ss_add(torque[1], w[kind][1].torque);
    }
    ss_turn_correction(torque, omega, by_v, by_q);
    ss_pattern_add(m, &m->force_pattern, c, force->body, by_q, k_q);
    ss_pattern_add(m, &m->force_pattern, c, force->body, by_v, k_v);
}

static void add_motor_jacobian(const ss_model *m, const ss_config *c, int j, ss_csr *k_q)
{
    const ss_joint *joint = &m->joint[j];
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    double K[144] = { 0 };
    ss_wrench w[2];
    motor_wrench(m, c, j, w);
    joint->type->coordinate_stiffness(joint, m->dimension, f, ss_expr_eval(joint->force, c->t), K);
    const ss_vec3 torque[2] = { w[0].torque, w[1].torque }, none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    ss_turn_correction(torque, none, NULL, K);
    ss_pattern_add(m, &m->force_pattern, c, joint->body, K, k_q);
}

ss_status ss_model_force_jacobian(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q,
                                  ss_csr *k_v)
{
    SS_TRY(ss_pattern_clear(ctx, m, &m->force_pattern, k_q));
    SS_TRY(ss_pattern_clear(ctx, m, &m->force_pattern, k_v));
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_BLOCK) {
            add_block(m, c, v, b, k_q, k_v);
        } else if (m->body_type[b] == SS_BODY_RIGID && m->dimension == 3) {
            add_gyroscopic(m, v, b, k_v);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        add_force_jacobian(m, c, v, &m->force[i], k_q, k_v);
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].force) {
            add_motor_jacobian(m, c, j, k_q);
        }
    }
    return SS_OK;
}
