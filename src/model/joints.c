/* joints.c - all bilateral rows of a model: values, Jacobian, curvature, what they ask of accelerations, stiffness, gradient of
 * the rates.
 *
 *   g(t, q) = 0,   G v + drive = target,   G v' + (d/dt)(G v + drive) = target'
 *
 * Rows        joint by joint: its own rows, then its motor row if the motor holds a speed without bound; then
 *             the constraints of user blocks in body order. A motor row has no position: its g is 0.
 * Attachments a joint speaks of two points and their world twists; attachment.c turns that into velocities.
 * Turns       the thread of a screw has its angle in g, over any number of turns (turns.c).
 * Couplings   gears and racks have one row of up to four bodies: couplings.c.
 * Driven      G v' + curvature + drive' = target': curvature keeps all world twists, drive' is row times the acceleration of
 *             the driven bodies, target' the derivative of the motor's speed.
 * Gradient    row i of d(G v)/dq is v' d(G' e_i)/dq: one stiffness for each row.
 * Outside     functions of joints that a program has added may fail: what they lead to is looked at (own_joint.c).
 * Blocks      G comes from the callback straight into the matrix; its derivatives: blocks.c.
 * Cost        linear in joints; nothing is allocated once the matrices have their size */
#include "model/assemble.h"
#include "model/attachment.h"
#include "model/blocks.h"
#include "model/couplings.h"
#include "model/own.h"
#include "model/points.h"

#define SS_JOINT(name) extern const ss_joint_type ss_joint_##name;
#include "model/joints/joints.def"
#undef SS_JOINT

const ss_joint_type *const ss_joint_types[] = {
#define SS_JOINT(name) &ss_joint_##name,
#include "model/joints/joints.def"
#undef SS_JOINT
    NULL,
};

enum { ROWS_MAX = 6 };

/* ---- values and rows --------------------------------------------------------------------------------- */

/* g, the rows and the motor's row of a joint; how many rows */
static int rows_of(const ss_model *m, const ss_joint *joint, const ss_spot s[2], double *g, ss_twist_row *row)
{
    joint->type->eval(joint, m->dimension, s, g, row);
    if (joint->motor.row) {
        joint->type->coordinate(joint, m->dimension, s, &row[joint->rows]);
    }
    return joint->rows + joint->motor.row;
}

/* what functions from outside say from now on is theirs */
static void forget_errors(ss_context *ctx, const ss_joint *joint)
{
    if (joint->type->outside) {
        ss_error_clear(ctx);
    }
}

/* the turns that the type has left out of the angle in its last row */
static double missing_turns(const ss_model *m, const ss_config *c, const ss_joint *joint, const ss_spot s[2])
{
    ss_twist_row row;
    const double angle = joint->type->coordinate(joint, m->dimension, s, &row);
    return ss_turns_angle(m, joint, c->t, c->q, angle) - angle;
}

static ss_status eval_joint(ss_context *ctx, const ss_model *m, const ss_config *c, int j, double *g, ss_csr *G, double *drive,
                            double *target)
{
    const ss_joint *joint = &m->joint[j];
    int at = joint->first_row;
    ss_twist_row row[ROWS_MAX + 1];
    ss_spot s[2];
    if (joint->type->couples) {
        target[at] = 0;
        return ss_coupling_eval(ctx, m, c, joint, &g[at], G, &drive[at]);
    }
    ss_spots_at(c, joint->at, s);
    forget_errors(ctx, joint);
    int rows = rows_of(m, joint, s, g + at, row);
    SS_TRY(ss_own_joint_check(ctx, m, joint, c->t, joint->rows, g + at));
    SS_TRY(ss_own_joint_check(ctx, m, joint, c->t, SS_POINT_COORDINATES * joint->rows, &row[0].lin[0].x));
    if (joint->type->winds) {
        g[at + joint->rows - 1] -= joint->gearing.ratio * missing_turns(m, c, joint, s);
    }
    for (int k = 0; k < rows; k++) {
        SS_TRY(ss_spots_push(ctx, m, c, s, &row[k], G, &drive[at + k]));
        target[at + k] = 0;
    }
    if (joint->motor.row) {
        g[at + joint->rows] = 0;
        target[at + joint->rows] = ss_expr_eval(joint->motor.speed, c->t);
    }
    return SS_OK;
}

/* rows of zeros first, then the callback writes its dense G over them */
static ss_status eval_block(ss_context *ctx, const ss_model *m, const ss_config *c, int body, int at, double *g, ss_csr *G,
                            double *drive, double *target)
{
    const ss_block *block = m->body_callbacks[body];
    for (int i = 0; i < block->constraints; i++) {
        for (int j = 0; j < block->n; j++) {
            SS_TRY(ss_csr_push(ctx, G, m->body_v[body] + j, 0));
        }
        SS_TRY(ss_csr_end_row(ctx, G));
        target[at + i] = 0;
    }
    return ss_block_constraint(ctx, m, body, c->t, c->q + m->body_q[body], g + at, G->x + G->p[at], drive + at);
}

ss_status ss_model_joints(ss_context *ctx, const ss_model *m, const ss_config *c, double *g, ss_csr *G, double *drive,
                          double *target)
{
    ss_csr_reset(G, m->nv);
    for (int j = 0; j < m->joints; j++) {
        SS_TRY(eval_joint(ctx, m, c, j, g, G, drive, target));
    }
    for (int b = 0; b < m->bodies; b++) {
        if (ss_block_constraints(m, b) > 0) {
            SS_TRY(eval_block(ctx, m, c, b, G->m, g, G, drive, target));
        }
    }
    return SS_OK;
}

double ss_model_joint_coordinate(const ss_model *m, const ss_config *c, int j, ss_twist_row *row)
{
    const ss_joint *joint = &m->joint[j];
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    const double x = joint->type->coordinate(joint, m->dimension, s, row);
    return joint->type->angular ? ss_turns_angle(m, joint, c->t, c->q, x) : x;
}

double ss_model_joint_rate(const ss_model *m, const ss_config *c, const double *v, int j)
{
    const ss_joint *joint = &m->joint[j];
    ss_twist_row row;
    ss_spot s[2];
    ss_spots_moving(m, c, v, joint->at, s);
    joint->type->coordinate(joint, m->dimension, s, &row);
    double rate = 0;
    for (int k = 0; k < 2; k++) {
        rate += ss_dot(row.lin[k], s[k].v) + ss_dot(row.ang[k], s[k].w);
    }
    return rate;
}

ss_wrench ss_model_joint_wrench(const ss_model *m, const ss_config *c, int j, const double *lam)
{
    const ss_joint *joint = &m->joint[j];
    ss_wrench w = { { 0, 0, 0 }, { 0, 0, 0 } };
    ss_twist_row row[ROWS_MAX];
    double g[ROWS_MAX];
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    joint->type->eval(joint, m->dimension, s, g, row);
    for (int k = 0; k < joint->rows; k++) {
        w.force = ss_axpy(lam[k], row[k].lin[1], w.force);
        w.torque = ss_axpy(lam[k], row[k].ang[1], w.torque);
    }
    return w;
}

/* ---- curvature ------------------------------------------------------------------------------------------- */

static void curvature_of(const ss_model *m, const ss_config *c, const double *v, const ss_joint *joint, double *out)
{
    ss_spot s[2];
    if (joint->type->couples) {
        out[0] = ss_coupling_curvature(m, c, v, joint);
        return;
    }
    ss_spots_moving(m, c, v, joint->at, s);
    joint->type->curvature(joint, m->dimension, s, out);
    if (joint->motor.row) {
        out[joint->rows] = joint->type->coordinate_curvature(joint, m->dimension, s);
    }
}

ss_status ss_model_joint_curvature(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *out)
{
    int at = 0;
    for (int j = 0; j < m->joints; j++) {
        forget_errors(ctx, &m->joint[j]);
        curvature_of(m, c, v, &m->joint[j], out + at);
        SS_TRY(ss_own_joint_check(ctx, m, &m->joint[j], c->t, m->joint[j].rows, out + at));
        at += m->joint[j].rows + m->joint[j].motor.row;
    }
    for (int b = 0; b < m->bodies; b++) {
        if (ss_block_constraints(m, b) > 0) {
            SS_TRY(ss_block_constraint_rate(ctx, m, b, c->t, c->q + m->body_q[b], v + m->body_v[b], out + at));
            at += ss_block_constraints(m, b);
        }
    }
    return SS_OK;
}

/* ---- accelerations --------------------------------------------------------------------------------------- */

/* target' - drive' of the rows of a joint, added to out */
static void add_drive_rate(const ss_model *m, const ss_config *c, const ss_joint *joint, double *out)
{
    ss_twist_row row[ROWS_MAX + 1];
    double g[ROWS_MAX], speed[3] = { 0, 0, 0 };
    ss_spot s[2];
    if (joint->type->couples) {
        out[0] -= ss_coupling_drive_rate(m, c, joint);
        return;
    }
    ss_spots_at(c, joint->at, s);
    int rows = rows_of(m, joint, s, g, row);
    if (joint->motor.row) {
        ss_expr_jet(joint->motor.speed, c->t, speed);
        out[joint->rows] += speed[1];
    }
    for (int k = 0; k < rows; k++) {
        out[k] -= ss_spots_drive_rate(c, s, &row[k]);
    }
}

ss_status ss_model_joint_acceleration(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *out)
{
    SS_TRY(ss_model_joint_curvature(ctx, m, c, v, out));
    for (int i = 0; i < m->nj; i++) {
        out[i] = -out[i];
    }
    for (int j = 0; j < m->joints; j++) {
        add_drive_rate(m, c, &m->joint[j], out + m->joint[j].first_row);
    }
    return SS_OK;
}

/* ---- stiffness --------------------------------------------------------------------------------------------- */

/* G' lam at the two points */
static void pull_of(const ss_model *m, const ss_joint *joint, const ss_spot s[2], const double *lam, ss_wrench w[2])
{
    ss_twist_row row[ROWS_MAX + 1];
    double g[ROWS_MAX];
    int rows = rows_of(m, joint, s, g, row);
    w[0] = w[1] = (ss_wrench){ { 0, 0, 0 }, { 0, 0, 0 } };
    for (int k = 0; k < rows; k++) {
        for (int b = 0; b < 2; b++) {
            w[b].force = ss_axpy(lam[k], row[k].lin[b], w[b].force);
            w[b].torque = ss_axpy(lam[k], row[k].ang[b], w[b].torque);
        }
    }
}

/* d(G' lam)/dq of one joint, of the velocities of its two bodies */
static ss_status stiffness_of(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, const double *lam,
                              double own[144])
{
    double K[144] = { 0 };
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_at(c, joint->at, s);
    forget_errors(ctx, joint);
    pull_of(m, joint, s, lam, w);
    if (joint->type->stiffness) {
        joint->type->stiffness(joint, m->dimension, s, lam, K);
    }
    if (joint->motor.row) {
        joint->type->coordinate_stiffness(joint, m->dimension, s, lam[joint->rows], K);
    }
    SS_TRY(ss_own_joint_check(ctx, m, joint, c->t, 144, K));
    ss_spots_derivative(m, s, w, K, NULL, own, NULL);
    return SS_OK;
}

static ss_status add_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, const double *lam,
                               ss_csr *K)
{
    const int body[2] = { joint->at[0].body, joint->at[1].body };
    double own[144];
    if (joint->type->couples) {
        ss_coupling_stiffness(m, c, joint, lam[0], K);
        return SS_OK;
    }
    SS_TRY(stiffness_of(ctx, m, c, joint, lam, own));
    ss_pattern_add(m, &m->joint_pattern, body, own, K);
    return SS_OK;
}

ss_status ss_model_joint_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const double *lam, ss_csr *K)
{
    SS_TRY(ss_pattern_clear(ctx, m, &m->joint_pattern, K));
    for (int j = 0; j < m->joints; j++) {
        SS_TRY(add_stiffness(ctx, m, c, &m->joint[j], lam + m->joint[j].first_row, K));
    }
    int at = m->nj;
    for (int b = m->bodies - 1; b >= 0; b--) {
        if (ss_block_constraints(m, b) > 0) {
            at -= ss_block_constraints(m, b);
            double *out = ss_pattern_at(m, &m->joint_pattern, K, b, b, 0);
            SS_TRY(ss_block_constraint_stiffness(ctx, m, c, b, lam + at, out));
        }
    }
    return SS_OK;
}

/* ---- derivative of the rates ------------------------------------------------------------------------------- */

static ss_status push_joint_gradient(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint,
                                     const double *v, ss_csr *R)
{
    const int body[2] = { joint->at[0].body, joint->at[1].body };
    if (joint->type->couples) {
        return ss_coupling_gradient(ctx, m, c, joint, v, R);
    }
    for (int k = 0; k < joint->rows + joint->motor.row; k++) {
        double lam[ROWS_MAX + 1] = { 0 }, own[144];
        lam[k] = 1;
        SS_TRY(stiffness_of(ctx, m, c, joint, lam, own));
        SS_TRY(ss_pattern_push_row(ctx, m, body, own, v, R));
    }
    return SS_OK;
}

static ss_status push_block_gradient(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, int body,
                                     const double *v, ss_csr *R)
{
    const int n = m->body_callbacks[body]->n, rows = ss_block_constraints(m, body), both[2] = { body, m->bodies };
    double *K, *lam;
    SS_TRY(ss_arena_take(arena, (size_t)rows, sizeof *lam, &lam));
    for (int k = 0; k < rows; k++) {
        SS_TRY(ss_arena_take(arena, (size_t)n * (size_t)n, sizeof *K, &K));
        lam[k] = 1;
        SS_TRY(ss_block_constraint_stiffness(ctx, m, c, body, lam, K));
        SS_TRY(ss_pattern_push_row(ctx, m, both, K, v, R));
        lam[k] = 0;
    }
    return SS_OK;
}

static ss_status push_gradients(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const double *v,
                                ss_csr *R)
{
    for (int j = 0; j < m->joints; j++) {
        SS_TRY(push_joint_gradient(ctx, m, c, &m->joint[j], v, R));
    }
    for (int b = 0; b < m->bodies; b++) {
        SS_TRY(ss_block_constraints(m, b) > 0 ? push_block_gradient(ctx, arena, m, c, b, v, R) : SS_OK);
    }
    return SS_OK;
}

ss_status ss_model_joint_gradient(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const double *v,
                                  ss_csr *R)
{
    const ss_arena_mark mark = ss_arena_save(arena);
    ss_csr_reset(R, m->nv);
    const ss_status status = push_gradients(ctx, arena, m, c, v, R);
    ss_arena_release(arena, mark);
    return status;
}
