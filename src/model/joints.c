/* joints.c - all bilateral rows of a model: values, Jacobian, curvature, what they ask of accelerations, stiffness.
 *
 *   g(t, q) = 0,   G v + drive = target,   G v' + (d/dt)(G v + drive) = target'
 *
 * Rows        joint by joint: its own rows, then its motor row if the motor holds a speed without bound; then
 *             the constraints of user blocks in body order. A motor row has no position: its g is 0.
 * Frames      a joint speaks world twists; ss_row_push and ss_pattern_add turn them into velocities.
 * Driven      G v' + curvature + drive' = target': curvature keeps all world twists, drive' is row times the acceleration of
 *             the driven bodies, target' the derivative of the motor's speed.
 * Blocks      G comes from the callback straight into the matrix; its derivatives are central differences (rates.c).
 * Cost        linear in joints; nothing is allocated once the matrices have their size */
#include "model/assemble.h"
#include "model/primitives.h"
#include "model/rates.h"
#include <float.h>

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

/* one row of G; the body with the lower number first, so that columns are sorted */
static ss_status push_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, const ss_twist_row *row,
                          ss_csr *G, double *drive)
{
    int first = joint->body[0] < joint->body[1] ? 0 : 1;
    *drive = 0;
    for (int k = 0; k < 2; k++) {
        int b = k == 0 ? first : 1 - first;
        SS_TRY(ss_row_push(ctx, m, c, joint->body[b], row->lin[b], row->ang[b], G, drive));
    }
    return ss_csr_end_row(ctx, G);
}

static ss_status eval_joint(ss_context *ctx, const ss_model *m, const ss_config *c, int j, double *g, ss_csr *G, double *drive,
                            double *target)
{
    const ss_joint *joint = &m->joint[j];
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    ss_twist_row row[ROWS_MAX + 1];
    int at = joint->first_row, rows = joint->rows;
    joint->type->eval(joint, m->dimension, f, g + at, row);
    for (int k = 0; k < rows; k++) {
        SS_TRY(push_row(ctx, m, c, joint, &row[k], G, &drive[at + k]));
        target[at + k] = 0;
    }
    if (joint->motor_row) {
        joint->type->coordinate(joint, m->dimension, f, &row[rows]);
        SS_TRY(push_row(ctx, m, c, joint, &row[rows], G, &drive[at + rows]));
        g[at + rows] = 0;
        target[at + rows] = ss_expr_eval(joint->speed, c->t);
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
    block->constraint(block->user, c->t, c->q + m->body_q[body], g + at, G->x + G->p[at], drive + at);
    return SS_OK;
}

static int constraints_of(const ss_model *m, int body)
{
    return m->body_type[body] == SS_BODY_BLOCK ? m->body_callbacks[body]->constraints : 0;
}

ss_status ss_model_joints(ss_context *ctx, const ss_model *m, const ss_config *c, double *g, ss_csr *G, double *drive,
                          double *target)
{
    ss_csr_reset(G, m->nv);
    for (int j = 0; j < m->joints; j++) {
        SS_TRY(eval_joint(ctx, m, c, j, g, G, drive, target));
    }
    for (int b = 0; b < m->bodies; b++) {
        if (constraints_of(m, b) > 0) {
            SS_TRY(eval_block(ctx, m, c, b, G->m, g, G, drive, target));
        }
    }
    return SS_OK;
}

double ss_model_joint_coordinate(const ss_model *m, const ss_config *c, int j, ss_twist_row *row)
{
    const ss_joint *joint = &m->joint[j];
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    return joint->type->coordinate(joint, m->dimension, f, row);
}

/* ---- curvature ------------------------------------------------------------------------------------------- */

/* a block that moves with v from (t, q); scratch: z (n), g, g_t (rows), G (rows x n) */
typedef struct block_flow {
    const ss_block *block;
    double t;
    const double *q, *v;
    double *scratch;
} block_flow;

/* G v + g_t at time t + s and q + s v */
static void block_rate(const void *self, double s, double *out)
{
    const block_flow *x = self;
    int n = x->block->n, rows = x->block->constraints;
    double *z = x->scratch, *g = z + n, *g_t = g + rows, *G = g_t + rows;
    for (int j = 0; j < n; j++) {
        z[j] = x->q[j] + s * x->v[j];
    }
    x->block->constraint(x->block->user, x->t + s, z, g, G, g_t);
    for (int i = 0; i < rows; i++) {
        out[i] = g_t[i];
        for (int j = 0; j < n; j++) {
            out[i] += G[i * n + j] * x->v[j];
        }
    }
}

/* d/dt (G v + g_t) along q' = v */
static void block_curvature(const ss_block *block, double t, const double *q, const double *v, double *scratch, double *out)
{
    const block_flow flow = { block, t, q, v, scratch + SS_FLOW_WORK * block->constraints };
    ss_flow_rate(block_rate, &flow, block->constraints, ss_flow_speed(block->n, q, v), scratch, out);
}

void ss_model_joint_curvature(const ss_model *m, const ss_config *c, const double *v, double *out)
{
    int at = 0;
    for (int j = 0; j < m->joints; j++) {
        const ss_joint *joint = &m->joint[j];
        const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
        ss_vec3 tw[2][2];
        ss_model_twist(m, c, v, joint->body[0], tw[0]);
        ss_model_twist(m, c, v, joint->body[1], tw[1]);
        joint->type->curvature(joint, m->dimension, f, (const ss_vec3(*)[2])tw, out + at);
        at += joint->rows;
        if (joint->motor_row) {
            out[at++] = joint->type->coordinate_curvature(joint, m->dimension, f, (const ss_vec3(*)[2])tw);
        }
    }
    for (int b = 0; b < m->bodies; b++) {
        if (constraints_of(m, b) > 0) {
            block_curvature(m->body_callbacks[b], c->t, c->q + m->body_q[b], v + m->body_v[b], m->scratch, out + at);
            at += constraints_of(m, b);
        }
    }
}

/* ---- accelerations --------------------------------------------------------------------------------------- */

static double row_drive_rate(const ss_config *c, const ss_joint *joint, const ss_twist_row *row)
{
    return ss_row_drive_rate(c, joint->body[0], row->lin[0], row->ang[0]) +
           ss_row_drive_rate(c, joint->body[1], row->lin[1], row->ang[1]);
}

/* target' - drive' of the rows of a joint, added to out */
static void add_drive_rate(const ss_model *m, const ss_config *c, const ss_joint *joint, double *out)
{
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    ss_twist_row row[ROWS_MAX + 1];
    double g[ROWS_MAX], speed[3] = { 0, 0, 0 };
    joint->type->eval(joint, m->dimension, f, g, row);
    if (joint->motor_row) {
        joint->type->coordinate(joint, m->dimension, f, &row[joint->rows]);
        ss_expr_jet(joint->speed, c->t, speed);
        out[joint->rows] += speed[1];
    }
    for (int k = 0; k < joint->rows + joint->motor_row; k++) {
        out[k] -= row_drive_rate(c, joint, &row[k]);
    }
}

ss_status ss_model_joint_acceleration(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const double *v,
                                      double *out)
{
    (void)ctx, (void)arena; /* nothing is allocated, nothing fails */
    ss_model_joint_curvature(m, c, v, out);
    for (int i = 0; i < m->nj; i++) {
        out[i] = -out[i];
    }
    for (int j = 0; j < m->joints; j++) {
        add_drive_rate(m, c, &m->joint[j], out + m->joint[j].first_row);
    }
    return SS_OK;
}

/* ---- stiffness --------------------------------------------------------------------------------------------- */

/* moments of G' lam on the two bodies */
static void joint_torque(const ss_model *m, const ss_joint *joint, const ss_frame f[2], const double *lam, ss_vec3 torque[2])
{
    ss_twist_row row[ROWS_MAX + 1];
    double g[ROWS_MAX];
    joint->type->eval(joint, m->dimension, f, g, row);
    if (joint->motor_row) {
        joint->type->coordinate(joint, m->dimension, f, &row[joint->rows]);
    }
    torque[0] = torque[1] = ss_v3(0, 0, 0);
    for (int k = 0; k < joint->rows + joint->motor_row; k++) {
        torque[0] = ss_axpy(lam[k], row[k].ang[0], torque[0]);
        torque[1] = ss_axpy(lam[k], row[k].ang[1], torque[1]);
    }
}

static void add_joint_stiffness(const ss_model *m, const ss_config *c, const ss_joint *joint, const double *lam, ss_csr *A)
{
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    const ss_vec3 none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    double K[144] = { 0 };
    ss_vec3 torque[2];
    joint->type->stiffness(joint, m->dimension, f, lam, K);
    if (joint->motor_row) {
        joint->type->coordinate_stiffness(joint, m->dimension, f, lam[joint->rows], K);
    }
    joint_torque(m, joint, f, lam, torque);
    ss_turn_correction(torque, none, NULL, K);
    ss_pattern_add(m, &m->joint_pattern, c, joint->body, K, A);
}

/* out (n x n) = d(G' lam)/dq by central differences, column by column */
static void block_stiffness(const ss_block *block, double t, const double *q, const double *lam, double *scratch, double *out)
{
    int n = block->n, rows = block->constraints;
    double *z = scratch, *g = z + n, *g_t = g + rows, *G = g_t + rows;
    memcpy(z, q, (size_t)n * sizeof *z);
    for (int j = 0; j < n; j++) {
        double h = cbrt(DBL_EPSILON) * fmax(1, fabs(q[j]));
        for (int side = 1; side >= -1; side -= 2) {
            z[j] = q[j] + side * h;
            block->constraint(block->user, t, z, g, G, g_t);
            for (int i = 0; i < n * rows; i++) {
                out[i % n * n + j] += side * lam[i / n] * G[i] / (2 * h);
            }
        }
        z[j] = q[j];
    }
}

ss_status ss_model_joint_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const double *lam, ss_csr *K)
{
    SS_TRY(ss_pattern_clear(ctx, m, &m->joint_pattern, K));
    for (int j = 0; j < m->joints; j++) {
        add_joint_stiffness(m, c, &m->joint[j], lam + m->joint[j].first_row, K);
    }
    int at = m->nj;
    for (int b = m->bodies - 1; b >= 0; b--) {
        if (constraints_of(m, b) > 0) {
            at -= constraints_of(m, b);
            double *out = ss_pattern_at(m, &m->joint_pattern, K, b, b, 0);
            block_stiffness(m->body_callbacks[b], c->t, c->q + m->body_q[b], lam + at, m->scratch, out);
        }
    }
    return SS_OK;
}
