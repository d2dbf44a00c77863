/* drives.c - springs, dampers and servos that act on the coordinate x of a joint.
 *
 *     spring    f = -k (x - rest)                              class SPRING, energy k (x - rest)^2 / 2
 *     damper    f = -c x'                                      class DAMPER
 *     servo     f = kp (p(t) - x) + kd (p'(t) - x')            class APPLIED; holds a position
 *               f = kd (s(t) - x')                             holds a speed
 *               cut to |f| <= max where it has a limit
 *
 * The generalized force is f n, n the row of the coordinate (x' = n v). Angles are counted over any number of turns.
 *
 * Derivatives dk/dq = -k n n' - c n (dn/dq v)' + f dn/dq,   dk/dv = -c n n', with kp and kd of a servo in k and c unless it is
 *             at its limit, where its force is constant. So a servo is as implicit as a spring and a damper: with any scheme that
 *             takes these at the end of a step, no gain is too large for a step.
 * Definite    -k n n' and -c n n' alone: they are negative semidefinite, and f dn/dq acts with the value it has in k0.
 * Limit       the force is cut: it is exactly max in size wherever the law would be beyond. Schemes that iterate on forces solve
 *             for it. The linear model of an Euler step has each servo either linear or cut; after the step is solved, those
 *             whose law says otherwise at its end are changed, and it is solved again (ss_drives_settle). A stiff servo that
 *             would be at the other limit with the force of this one becomes linear first: mostly it is, in between.
 * Cost        linear in the joints; nothing is allocated */
#include "model/drives.h"
#include "math/dense.h"
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/primitives.h"
#include <math.h>

enum { N = 12 }; /* displacements of two points and turns of two frames */

/* A joint where it is: coordinate, rate, its row, and the forces that act. */
typedef struct drive {
    const ss_joint *joint;
    ss_spot s[2];
    ss_twist_row row;
    double x, rate;
    double force[SS_FORCE_CLASSES];
    double k, c;             /* slopes of the spring and the damper           */
    double servo_k, servo_c; /* of the servo, 0 where it is at its limit      */
} drive;

static double row_times(const ss_twist_row *row, const ss_spot s[2])
{
    double sum = 0;
    for (int b = 0; b < 2; b++) {
        sum += ss_dot(row->lin[b], s[b].v) + ss_dot(row->ang[b], s[b].w);
    }
    return sum;
}

/* ---- the law of a servo ---------------------------------------------------------------------------------- */

/* what it would do without a limit */
static double servo_law(const ss_motor *motor, double t, double x, double rate)
{
    double at[3] = { 0, 0, 0 };
    if (motor->position) {
        ss_expr_jet(motor->position, t, at);
        return motor->stiffness * (at[0] - x) + motor->damping * (at[1] - rate);
    }
    return motor->damping * (ss_expr_eval(motor->speed, t) - rate);
}

static bool is_beyond(const ss_motor *motor, double force) { return !(fabs(force) <= motor->max); }

/* ---- where a joint is ------------------------------------------------------------------------------------- */

static void act(const ss_model *m, const ss_config *c, const double *v, int j, drive *d)
{
    const ss_joint *joint = &m->joint[j];
    const ss_resistance *own = &joint->resistance;
    *d = (drive){ .joint = joint, .k = own->stiffness, .c = own->damping };
    ss_spots_moving(m, c, v, joint->at, d->s);
    d->x = ss_model_joint_coordinate(m, c, j, &d->row);
    d->rate = row_times(&d->row, d->s);
    d->force[SS_FORCE_SPRING] = -own->stiffness * (d->x - own->rest);
    d->force[SS_FORCE_DAMPER] = -own->damping * d->rate;
    if (ss_motor_is_servo(&joint->motor)) {
        const double f = servo_law(&joint->motor, c->t, d->x, d->rate);
        const bool cut = is_beyond(&joint->motor, f);
        d->force[SS_FORCE_APPLIED] = cut ? copysign(joint->motor.max, f) : f;
        d->servo_k = cut ? 0 : joint->motor.stiffness;
        d->servo_c = cut ? 0 : joint->motor.damping;
    }
}

bool ss_model_has_drives(const ss_model *m)
{
    bool any = false;
    for (int j = 0; j < m->joints; j++) {
        any = any || ss_joint_has_drive(&m->joint[j]);
    }
    return any;
}

/* ---- forces ------------------------------------------------------------------------------------------------ */

/* k += f n, by class */
static void push(const ss_model *m, const drive *d, double *k)
{
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        for (int b = 0; b < 2 && d->force[kind] != 0; b++) {
            const ss_wrench w = { ss_scale(d->force[kind], d->row.lin[b]), ss_scale(d->force[kind], d->row.ang[b]) };
            ss_spot_add_wrench(m, &d->s[b], &w, k + kind * m->nv);
        }
    }
}

void ss_drives_add(const ss_model *m, const ss_config *c, const double *v, double *k)
{
    for (int j = 0; j < m->joints; j++) {
        if (ss_joint_has_drive(&m->joint[j])) {
            drive d;
            act(m, c, v, j, &d);
            push(m, &d, k);
        }
    }
}

double ss_drives_energy(const ss_model *m, const ss_config *c)
{
    double sum = 0;
    for (int j = 0; j < m->joints; j++) {
        const ss_resistance *own = &m->joint[j].resistance;
        if (own->stiffness > 0) {
            ss_twist_row row;
            const double x = ss_model_joint_coordinate(m, c, j, &row) - own->rest;
            sum += 0.5 * own->stiffness * x * x;
        }
    }
    return sum;
}

double ss_servo_force(const ss_model *m, const ss_config *c, const double *v, int joint)
{
    drive d;
    act(m, c, v, joint, &d);
    return d.force[SS_FORCE_APPLIED];
}

/* ---- derivatives -------------------------------------------------------------------------------------------- */

static void flatten(const ss_twist_row *row, double out[N])
{
    for (int b = 0; b < 2; b++) {
        ss_v3_to(row->lin[b], out + 6 * b);
        ss_v3_to(row->ang[b], out + 6 * b + 3);
    }
}

/* A (N x N) = s n n' */
static void outer(double s, const double n[N], double *A)
{
    for (int i = 0; i < N * N; i++) {
        A[i] = s * n[i / N] * n[i % N];
    }
}

static void add_exact(const ss_model *m, const drive *d, ss_csr *k_q, ss_csr *k_v)
{
    const int body[2] = { d->joint->at[0].body, d->joint->at[1].body };
    const ss_twist_row twist = { { d->s[0].v, d->s[1].v }, { d->s[0].w, d->s[1].w } };
    const double f = d->force[SS_FORCE_SPRING] + d->force[SS_FORCE_DAMPER] + d->force[SS_FORCE_APPLIED];
    double n[N], v[N], slope[N * N] = { 0 }, by_x[N * N], by_v[N * N], own_q[N * N], own_v[N * N];
    ss_wrench w[2];
    flatten(&d->row, n);
    flatten(&twist, v);
    d->joint->type->coordinate_stiffness(d->joint, m->dimension, d->s, 1, slope);
    outer(-(d->k + d->servo_k), n, by_x);
    outer(-(d->c + d->servo_c), n, by_v);
    for (int i = 0; i < N * N; i++) {
        by_x[i] += f * slope[i];
    }
    for (int j = 0; j < N; j++) {
        double turned = 0; /* of the rate, as the row turns */
        for (int i = 0; i < N; i++) {
            turned += v[i] * slope[N * i + j];
        }
        for (int i = 0; i < N; i++) {
            by_x[N * i + j] -= (d->c + d->servo_c) * n[i] * turned;
        }
    }
    for (int b = 0; b < 2; b++) {
        w[b] = (ss_wrench){ ss_scale(f, d->row.lin[b]), ss_scale(f, d->row.ang[b]) };
    }
    ss_spots_derivative(m, d->s, w, by_x, by_v, own_q, own_v);
    ss_pattern_add(m, &m->force_pattern, body, own_q, k_q);
    ss_pattern_add(m, &m->force_pattern, body, own_v, k_v);
}

void ss_drives_jacobian(const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q, ss_csr *k_v)
{
    for (int j = 0; j < m->joints; j++) {
        if (ss_joint_has_drive(&m->joint[j])) {
            drive d;
            act(m, c, v, j, &d);
            add_exact(m, &d, k_q, k_v);
        }
    }
}

/* ---- the linear model ------------------------------------------------------------------------------------------ */

/* velocities of the two points where the bodies of the model have velocities v, or where they rest (NULL), and driven ones move
 */
static double rate_with(const ss_model *m, const ss_config *c, const drive *d, const double *v, bool driven_too)
{
    ss_spot s[2];
    for (int b = 0; b < 2; b++) {
        const int body = d->joint->at[b].body;
        ss_vec3 twist[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
        if (ss_model_is_dynamic(m, body) ? v != NULL : driven_too) {
            ss_model_twist(m, c, v, body, twist);
        }
        s[b] = ss_spot_in_frame(c->frame[body], d->joint->at[b].point, twist);
    }
    return row_times(&d->row, s);
}

/* A joint whose own bodies rest, while driven ones move; its servo is cut as it is told. */
static void act_at_rest(const ss_model *m, const ss_config *c, int j, ss_cut cut, drive *d)
{
    const ss_joint *joint = &m->joint[j];
    const ss_motor *motor = &joint->motor;
    const ss_resistance *own = &joint->resistance;
    *d = (drive){ .joint = joint, .k = own->stiffness, .c = own->damping };
    ss_spots_at(c, joint->at, d->s);
    d->x = ss_model_joint_coordinate(m, c, j, &d->row);
    d->rate = rate_with(m, c, d, NULL, true);
    d->force[SS_FORCE_SPRING] = -own->stiffness * (d->x - own->rest);
    d->force[SS_FORCE_DAMPER] = -own->damping * d->rate;
    if (ss_motor_is_servo(motor)) {
        d->force[SS_FORCE_APPLIED] = cut != 0 ? cut * motor->max : servo_law(motor, c->t, d->x, d->rate);
        d->servo_k = cut != 0 ? 0 : motor->stiffness;
        d->servo_c = cut != 0 ? 0 : motor->damping;
    }
}

/* the limit that the servo of joint j, if it has one, is at when all bodies have moved for h from c with velocities v */
static ss_cut cut_at_end(const ss_model *m, const ss_config *c, int j, double h, const double *v)
{
    const ss_motor *motor = &m->joint[j].motor;
    drive d;
    if (!ss_motor_is_servo(motor) || !isfinite(motor->max)) {
        return 0;
    }
    act_at_rest(m, c, j, 0, &d);
    const double own = rate_with(m, c, &d, v, false);
    const double f = d.force[SS_FORCE_APPLIED] - (motor->damping + h * motor->stiffness) * own;
    return !is_beyond(motor, f) ? 0 : f > 0 ? 1 : -1;
}

void ss_drives_settle(const ss_model *m, const ss_config *c, double h, const double *v, ss_cut *cut)
{
    for (int j = 0; j < m->joints; j++) {
        const ss_cut now = cut_at_end(m, c, j, h, v);
        cut[j] = (ss_cut)(now * cut[j] < 0 ? 0 : now); /* the way from one limit to the other leads past neither */
    }
}

bool ss_drives_are_settled(const ss_model *m, const ss_config *c, double h, const double *v, const ss_cut *cut)
{
    bool all = true;
    for (int j = 0; j < m->joints && all; j++) {
        all = cut[j] == cut_at_end(m, c, j, h, v);
    }
    return all;
}

static void add_definite(const ss_model *m, const drive *d, ss_csr *K, ss_csr *C)
{
    static const ss_wrench none[2] = { 0 };
    const int body[2] = { d->joint->at[0].body, d->joint->at[1].body };
    const int size = ss_attachment_dofs(m, body[0]) + ss_attachment_dofs(m, body[1]);
    double n[N], by_x[N * N], by_v[N * N], own_q[N * N], own_v[N * N];
    flatten(&d->row, n);
    outer(-(d->k + d->servo_k), n, by_x);
    outer(-(d->c + d->servo_c), n, by_v);
    ss_spots_derivative(m, d->s, none, by_x, by_v, own_q, own_v);
    ss_dense_symmetrise(size, own_q); /* to the last bit */
    ss_pattern_add(m, &m->force_pattern, body, own_q, K);
    if (C) {
        ss_dense_symmetrise(size, own_v);
        ss_pattern_add(m, &m->force_pattern, body, own_v, C);
    }
}

void ss_drives_definite(const ss_model *m, const ss_config *c, const ss_cut *cut, double *k0, ss_csr *K, ss_csr *C)
{
    for (int j = 0; j < m->joints; j++) {
        if (ss_joint_has_drive(&m->joint[j])) {
            drive d;
            act_at_rest(m, c, j, cut[j], &d);
            add_definite(m, &d, K, C);
            if (k0) {
                push(m, &d, k0);
            }
        }
    }
}

void ss_drives_spare(const ss_model *m, const ss_config *c, const ss_cut *cut, const double *dv, double *p)
{
    for (int j = 0; j < m->joints; j++) {
        if (ss_motor_is_servo(&m->joint[j].motor)) {
            drive d;
            act_at_rest(m, c, j, cut[j], &d);
            const double f = d.servo_c * rate_with(m, c, &d, dv, false);
            for (int b = 0; b < 2; b++) {
                const ss_wrench w = { ss_scale(f, d.row.lin[b]), ss_scale(f, d.row.ang[b]) };
                ss_spot_add_wrench(m, &d.s[b], &w, p);
            }
        }
    }
}

void ss_drives_sort(const ss_model *m, const ss_config *c, const ss_cut *cut, double h, const double *v_end, double *by_class)
{
    for (int j = 0; j < m->joints; j++) {
        if (ss_motor_is_servo(&m->joint[j].motor)) {
            drive d;
            act_at_rest(m, c, j, cut[j], &d);
            const double rate = rate_with(m, c, &d, v_end, false);
            memset(d.force, 0, sizeof d.force);
            d.force[SS_FORCE_DAMPER] = h * d.servo_c * rate;
            d.force[SS_FORCE_SPRING] = h * h * d.servo_k * rate;
            d.force[SS_FORCE_APPLIED] = -d.force[SS_FORCE_DAMPER] - d.force[SS_FORCE_SPRING];
            push(m, &d, by_class);
        }
    }
}
