/* acceleration.c - the part of a contact's acceleration that does not come from dv/dt.
 *
 *     u = H v + drive,   du/dt = H dv/dt + (dH/dt) v + drive'
 *
 * Shapes      u_N is the rate of the gap: its second derivative with constant twists is ss_gap_curvature. A tangent's
 *             t . (v_A + w_A x (p - x_A)) - t . (v_B + w_B x (p - x_B)) changes, with twists kept, by
 *                 t . (w_A x (p' - v_A) - w_B x (p' - v_B)),    p' the velocity of the contact point,
 *             and by t' . slip, which is 0 where the point does not slip.
 * Driven      a body that is driven adds row times acceleration.
 * Limit       +- the second derivative of the joint's coordinate; a motor's also less that of its speed in time.
 * Block       d/dt (H v + gap_t) along q' = v, by differences of the callback (model/rates.c).
 * Symbols     v_A velocity of the body's origin x_A, w_A angular velocity, world; t a tangent; p the contact point
 * Cost        constant; blocks as in contact.c, 18 calls as a rule; nothing is allocated */
#include "contact/block_gaps.h"
#include "contact/contact.h"
#include "model/rates.h"

/* ---- shapes -------------------------------------------------------------------------------- */

/* what driven bodies add to the acceleration of body 0 against body 1 at a point, along d */
static double driven(const ss_config *c, const int body[2], ss_vec3 point, ss_vec3 d)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const ss_vec3 lin = k == 0 ? d : ss_scale(-1, d);
        const ss_vec3 arm = ss_sub(point, c->frame[body[k]].p);
        sum += ss_row_drive_rate(c, body[k], lin, ss_cross(arm, lin));
    }
    return sum;
}

static void shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                   const double *v, int rows, double *out)
{
    const ss_frame *A = &c->frame[contact->body[0]], *B = &c->frame[contact->body[1]];
    ss_vec3 tA[2], tB[2];
    ss_model_twist(m, c, v, contact->body[0], tA);
    ss_model_twist(m, c, v, contact->body[1], tB);
    out[0] = ss_gap_curvature(&contact->gap, A, B, tA, tB) + driven(c, contact->body, value->point, value->normal);
    if (rows > 1) {
        const ss_vec3 rate = ss_gap_point_rate(&contact->gap, A, B, tA, tB);
        const ss_vec3 a = ss_cross(tA[1], ss_sub(rate, tA[0])), b = ss_cross(tB[1], ss_sub(rate, tB[0]));
        for (int k = 1; k < rows; k++) {
            const ss_vec3 t = value->tangent[k - 1];
            out[k] = ss_dot(t, ss_sub(a, b)) + driven(c, contact->body, value->point, t);
        }
    }
}

/* ---- limits and motors --------------------------------------------------------------------- */

/* second derivative of a joint's coordinate, but for dv/dt */
static double coordinate(const ss_model *m, const ss_config *c, int j, const double *v)
{
    const ss_joint *joint = &m->joint[j];
    const ss_frame f[2] = { c->frame[joint->body[0]], c->frame[joint->body[1]] };
    ss_vec3 tw[2][2];
    ss_twist_row row;
    ss_model_twist(m, c, v, joint->body[0], tw[0]);
    ss_model_twist(m, c, v, joint->body[1], tw[1]);
    ss_model_joint_coordinate(m, c, j, &row);
    double sum = joint->type->coordinate_curvature(joint, m->dimension, f, (const ss_vec3(*)[2])tw);
    for (int k = 0; k < 2; k++) {
        sum += ss_row_drive_rate(c, joint->body[k], row.lin[k], row.ang[k]);
    }
    return sum;
}

static double motor(const ss_model *m, const ss_config *c, int j, const double *v)
{
    double speed[3];
    ss_expr_jet(m->joint[j].speed, c->t, speed);
    return coordinate(m, c, j, v) - speed[1];
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* one gap of a block that moves with v from (t, q) */
typedef struct gap_flow {
    const ss_block *block;
    double t;
    const double *q, *v;
    double *z; /* n, scratch */
    int row;
} gap_flow;

/* H v + gap_t at time t + s and q + s v */
static void gap_rate(const void *self, double s, double *out)
{
    const gap_flow *x = self;
    const int n = x->block->n;
    ss_block_gaps gaps;
    for (int j = 0; j < n; j++) {
        x->z[j] = x->q[j] + s * x->v[j];
    }
    ss_block_gaps_at(x->block, x->t + s, x->z, &gaps);
    out[0] = gaps.gap_t[x->row];
    for (int j = 0; j < n; j++) {
        out[0] += gaps.H[x->row * n + j] * x->v[j];
    }
}

static double block(const ss_model *m, const ss_config *c, const ss_contact_id *id, const double *v)
{
    const int body = id->a;
    double z[SS_BLOCK_SCRATCH], work[SS_FLOW_WORK], out;
    const gap_flow flow = { m->body_callbacks[body], c->t, c->q + m->body_q[body], v + m->body_v[body], z, id->b };
    ss_flow_rate(gap_rate, &flow, 1, ss_flow_speed(flow.block->n, flow.q, flow.v), work, &out);
    return out;
}

void ss_contact_acceleration(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                             const double *v, int rows, double *out)
{
    const ss_contact_id *id = &contact->id;
    switch ((ss_contact_kind)id->kind) {
    case SS_CONTACT_SHAPES:
        shapes(m, c, contact, value, v, rows, out);
        break;
    case SS_CONTACT_LIMIT:
        out[0] = (id->b == 0 ? 1 : -1) * coordinate(m, c, id->a, v);
        break;
    case SS_CONTACT_MOTOR:
        out[0] = motor(m, c, id->a, v);
        break;
    case SS_CONTACT_BLOCK:
        out[0] = block(m, c, id, v);
        break;
    }
}
