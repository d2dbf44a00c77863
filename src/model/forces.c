/* forces.c - all forces of a model by class, their energy, and their derivatives.
 *
 *   k = gravity + springs + dampers + applied + gyroscopic         each kept apart, for the energy ledger
 *   gyroscopic (3D)  -w x (I w),  dk/dw = S(I w) - S(w) I          workless; body frame
 *   motor `force`    f(t) times the joint's coordinate row, class APPLIED
 *   joints           springs, dampers and servos on their coordinates: drives.c
 *   blocks           class SPRING if they have a potential, else APPLIED; forces of type "callback" likewise
 *
 * Symbols     w angular velocity in the body frame, I inertia, S(a) b = a x b
 * Jacobian    k_q is the derivative along a displacement of velocity kind at fixed v: k(q (+) x) - k(q) ~ k_q x;
 *             exact but for blocks without a jacobian (blocks.c).
 * Cost        linear in bodies and forces; nothing is allocated once the matrices have their size */
#include "base/parallel.h"
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/blocks.h"
#include "model/drives.h"
#include "model/force_functions.h"
#include "model/primitives.h"
#include "model/simplices.h"
#include "model/stiff.h"

#define SS_FORCE(name) extern const ss_force_type ss_force_##name;
#include "model/forces/forces.def"
#undef SS_FORCE

const ss_force_type *const ss_force_types[] = {
#define SS_FORCE(name) &ss_force_##name,
#include "model/forces/forces.def"
#undef SS_FORCE
    NULL,
};

/* ---- forces ------------------------------------------------------------------------------------------ */

enum { BODIES = 512 }; /* that one thread takes at a time */

typedef struct bodies_job {
    const ss_model *m;
    const double *v;
    double *k;
} bodies_job;

/* what gravity does to a body that is none of the user's; k: of its velocities */
static void put_weight(const ss_model *m, int body, double *k)
{
    const double g[3] = { m->gravity.x, m->gravity.y, m->gravity.z };
    for (int i = 0; i < m->dimension; i++) {
        k[i] = m->body_mass[body] * g[i];
    }
}

/* what gravity and spinning do to a body; no other forces yet */
static void set_body_forces(const bodies_job *x, int body)
{
    const ss_model *m = x->m;
    const int iv = m->body_v[body], size = iv < 0 ? 0 : m->mass.diagonal.size[m->body_block[body]];
    for (int kind = 0; kind < SS_FORCE_CLASSES && size > 0; kind++) {
        memset(x->k + kind * m->nv + iv, 0, (size_t)size * sizeof *x->k);
    }
    if (size == 0 || ss_model_is_block(m, body)) {
        return;
    }
    double *gyro = x->k + SS_FORCE_GYROSCOPIC * m->nv + iv;
    put_weight(m, body, x->k + SS_FORCE_GRAVITY * m->nv + iv);
    if (m->body_type[body] == SS_BODY_RIGID && m->dimension == 3) {
        ss_vec3 w = ss_v3_from(x->v + iv + 3);
        ss_v3_to(ss_cross(ss_rotate(m->body_inertia[body], w), w), gyro + 3);
    }
}

static void set_weights(void *data, int begin, int end)
{
    const bodies_job *x = data;
    for (int b = begin; b < end; b++) {
        const int iv = x->m->body_v[b], size = iv < 0 ? 0 : x->m->mass.diagonal.size[x->m->body_block[b]];
        if (size > 0) {
            memset(x->k + iv, 0, (size_t)size * sizeof *x->k);
            put_weight(x->m, b, x->k + iv);
        }
    }
}

void ss_model_weights(const ss_context *ctx, const ss_model *m, double *k)
{
    ss_parallel_for(ctx, m->bodies, BODIES, set_weights, &(bodies_job){ m, NULL, k });
}

static void set_bodies_forces(void *data, int begin, int end)
{
    for (int b = begin; b < end; b++) {
        set_body_forces(data, b);
    }
}

/* wrenches by class, overwritten */
static ss_status eval_force(ss_context *ctx, const ss_model *m, double t, const ss_force *force, const ss_spot s[2],
                            ss_wrench w[SS_FORCE_CLASSES][2])
{
    memset(w, 0, SS_FORCE_CLASSES * sizeof *w);
    if (force->functions) {
        return ss_functions_wrench(ctx, m, force, t, s, w[ss_functions_class(force)]);
    }
    force->type->eval(force, t, s, w);
    return SS_OK;
}

ss_status ss_force_add(ss_context *ctx, const ss_model *m, double t, const ss_force *force, const ss_spot s[2], double *k)
{
    ss_wrench w[SS_FORCE_CLASSES][2];
    SS_TRY(eval_force(ctx, m, t, force, s, w));
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        for (int b = 0; b < 2; b++) {
            ss_spot_add_wrench(m, &s[b], &w[kind][b], k + kind * m->nv);
        }
    }
    return SS_OK;
}

static ss_status add_force(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, const ss_force *force,
                           double *k)
{
    ss_spot s[2];
    ss_spots_moving(m, c, v, force->at, s);
    return ss_force_add(ctx, m, c->t, force, s, k);
}

/* the motor's wrenches at its two points */
static void motor_wrench(const ss_model *m, const ss_config *c, const ss_joint *joint, const ss_spot s[2], ss_wrench w[2])
{
    ss_twist_row row;
    double f = ss_expr_eval(joint->motor.force, c->t);
    joint->type->coordinate(joint, m->dimension, s, &row);
    for (int b = 0; b < 2; b++) {
        w[b] = (ss_wrench){ ss_scale(f, row.lin[b]), ss_scale(f, row.ang[b]) };
    }
}

static void add_motor(const ss_model *m, const ss_config *c, const ss_joint *joint, double *k)
{
    ss_spot s[2];
    ss_wrench w[2];
    ss_spots_at(c, joint->at, s);
    motor_wrench(m, c, joint, s, w);
    ss_spot_add_wrench(m, &s[0], &w[0], k + SS_FORCE_APPLIED * m->nv);
    ss_spot_add_wrench(m, &s[1], &w[1], k + SS_FORCE_APPLIED * m->nv);
}

/* all forces, or those that are not stiff */
static ss_status add_forces(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, bool stiff_too, double *k)
{
    ss_parallel_for(m->ctx, m->bodies, BODIES, set_bodies_forces, &(bodies_job){ m, v, k });
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_block(m, b) && ss_model_is_dynamic(m, b) && (stiff_too || !ss_block_is_stiff(m, b))) {
            const int iv = m->body_v[b], kind = (int)ss_block_class(m, b);
            SS_TRY(ss_block_force(ctx, m, b, c->t, c->q + m->body_q[b], v + iv, k + kind * m->nv + iv));
        }
    }
    for (int i = 0; i < m->forces; i++) {
        if (stiff_too || !ss_force_is_stiff(&m->force[i])) {
            SS_TRY(add_force(ctx, m, c, v, &m->force[i], k));
        }
    }
    if (stiff_too) {
        ss_simplices_add(m, c, v, k);
        ss_drives_add(m, c, v, k);
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].motor.force) {
            add_motor(m, c, &m->joint[j], k);
        }
    }
    return SS_OK;
}

ss_status ss_model_forces(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *k)
{
    return add_forces(ctx, m, c, v, true, k);
}

ss_status ss_model_other_forces(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *k)
{
    return add_forces(ctx, m, c, v, false, k);
}

static bool has_force_motor(const ss_model *m)
{
    bool any = false;
    for (int j = 0; !any && j < m->joints; j++) {
        any = m->joint[j].motor.force;
    }
    return any;
}

static bool has_block(const ss_model *m)
{
    bool any = false;
    for (int b = 0; !any && b < m->bodies; b++) {
        any = ss_model_is_block(m, b);
    }
    return any;
}

bool ss_model_has_other_classes(const ss_model *m)
{
    return m->forces > 0 || m->simplices > 0 || has_force_motor(m) || ss_model_has_drives(m) || has_block(m);
}

ss_status ss_model_potential(ss_context *ctx, const ss_model *m, const ss_config *c, double *energy)
{
    double sum = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_block(m, b)) {
            double own;
            SS_TRY(ss_block_potential(ctx, m, b, c->t, c->q + m->body_q[b], &own));
            sum += own;
        } else if (ss_model_is_dynamic(m, b)) {
            sum -= m->body_mass[b] * ss_dot(m->gravity, c->frame[b].p);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        const ss_force *force = &m->force[i];
        if (force->type->potential) {
            ss_spot s[2];
            ss_spots_at(c, force->at, s);
            sum += force->type->potential(force, s);
        } else if (force->functions) {
            ss_spot s[2];
            double own;
            ss_spots_at(c, force->at, s);
            SS_TRY(ss_functions_potential(ctx, m, force, c->t, s, &own));
            sum += own;
        }
    }
    *energy = sum + ss_simplices_energy(m, c) + ss_drives_energy(m, c);
    return SS_OK;
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

/* a block meets only itself, so its rows are one dense n x n piece of the matrix */
static ss_status add_block(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, int body, ss_csr *k_q,
                           ss_csr *k_v)
{
    double *out_q = ss_pattern_at(m, &m->force_pattern, k_q, body, body, 0);
    double *out_v = ss_pattern_at(m, &m->force_pattern, k_v, body, body, 0);
    return ss_block_jacobian(ctx, m, body, c->t, c->q + m->body_q[body], v + m->body_v[body], out_q, out_v);
}

/* wrenches of all classes */
static ss_status sum_wrenches(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                              ss_wrench sum[2])
{
    ss_wrench w[SS_FORCE_CLASSES][2];
    SS_TRY(eval_force(ctx, m, t, force, s, w));
    memset(sum, 0, 2 * sizeof *sum);
    for (int i = 0; i < 2 * SS_FORCE_CLASSES; i++) {
        const ss_wrench *part = &w[i / 2][i % 2];
        sum[i % 2] = (ss_wrench){ ss_add(sum[i % 2].force, part->force), ss_add(sum[i % 2].torque, part->torque) };
    }
    return SS_OK;
}

ss_status ss_force_at_points(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                             ss_wrench w[2], double *by_x, double *by_v)
{
    SS_TRY(sum_wrenches(ctx, m, force, t, s, w));
    if (force->functions) {
        return ss_functions_jacobian(ctx, m, force, t, s, by_x, by_v);
    }
    memset(by_x, 0, 144 * sizeof *by_x);
    memset(by_v, 0, 144 * sizeof *by_v);
    if (force->type->jacobian) {
        force->type->jacobian(force, t, s, by_x, by_v);
    }
    return SS_OK;
}

static ss_status add_force_jacobian(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v,
                                    const ss_force *force, ss_csr *k_q, ss_csr *k_v)
{
    double by_x[144], by_v[144], own_q[144], own_v[144];
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_moving(m, c, v, force->at, s);
    const int body[2] = { s[0].body, s[1].body };
    SS_TRY(ss_force_at_points(ctx, m, force, c->t, s, w, by_x, by_v));
    ss_spots_derivative(m, s, w, by_x, by_v, own_q, own_v);
    ss_pattern_add(m, &m->force_pattern, body, own_q, k_q);
    ss_pattern_add(m, &m->force_pattern, body, own_v, k_v);
    return SS_OK;
}

static void add_motor_jacobian(const ss_model *m, const ss_config *c, const ss_joint *joint, ss_csr *k_q)
{
    double K[144] = { 0 }, own[144];
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    const int body[2] = { s[0].body, s[1].body };
    motor_wrench(m, c, joint, s, w);
    joint->type->coordinate_stiffness(joint, m->dimension, s, ss_expr_eval(joint->motor.force, c->t), K);
    ss_spots_derivative(m, s, w, K, NULL, own, NULL);
    ss_pattern_add(m, &m->force_pattern, body, own, k_q);
}

ss_status ss_model_force_jacobian(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q,
                                  ss_csr *k_v)
{
    SS_TRY(ss_pattern_clear(ctx, m, &m->force_pattern, k_q));
    SS_TRY(ss_pattern_clear(ctx, m, &m->force_pattern, k_v));
    for (int b = 0; b < m->bodies; b++) {
        if (m->body_type[b] == SS_BODY_BLOCK) {
            SS_TRY(add_block(ctx, m, c, v, b, k_q, k_v));
        } else if (m->body_type[b] == SS_BODY_RIGID && m->dimension == 3) {
            add_gyroscopic(m, v, b, k_v);
        }
    }
    for (int i = 0; i < m->forces; i++) {
        SS_TRY(add_force_jacobian(ctx, m, c, v, &m->force[i], k_q, k_v));
    }
    ss_simplices_jacobian(m, c, v, k_q, k_v);
    ss_drives_jacobian(m, c, v, k_q, k_v);
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].motor.force) {
            add_motor_jacobian(m, c, &m->joint[j], k_q);
        }
    }
    return SS_OK;
}
