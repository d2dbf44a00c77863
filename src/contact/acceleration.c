/* acceleration.c - the part of a contact's acceleration that does not come from dv/dt.
 *
 *     u = H v + drive,   du/dt = H dv/dt + (dH/dt) v + drive'
 *
 * Shapes      u_N is the rate of the gap: its second derivative with constant twists is ss_gap_curvature. A tangent's
 *             t . (v_A + w_A x (p - x_A)) - t . (v_B + w_B x (p - x_B)) changes, with twists kept, by
 *                 t . (w_A x (p' - v_A) - w_B x (p' - v_B)),    p' the velocity of the contact point,
 *             and by t' . slip, which is 0 where the point does not slip.
 * Driven      a body that is driven adds row times acceleration.
 * Limit       +- the second derivative of the joint's coordinate, as for dry friction; for a motor, minus the time derivative of
 *             its set speed.
 * Moments     axis . (w_A - w_B) changes, with twists kept, by its axis: n' . w of spinning. The tangents turn about n with no
 *             effect on what is at rest, and out of the plane of contact by (t' . n) (n . w) = -(t . n') (n . w) of rolling, to
 *             which the former is left out as for shapes.
 * Facet       facet.c
 * Block       user block: d/dt (row . v + its time part) along q' = v, by differences of the callbacks (model/blocks.c).
 * Symbols     v_A velocity of the body's origin x_A, w_A angular velocity, world; t a tangent; p the contact point
 * Cost        constant; blocks 18 calls as a rule; nothing is allocated */
#include "contact/contact.h"
#include "contact/crossing.h"
#include "contact/facet.h"
#include "contact/moment.h"
#include "model/attachment.h"
#include "model/blocks.h"

/* ---- shapes -------------------------------------------------------------------------------- */

static void shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                   const double *v, int rows, double *out)
{
    const ss_frame *A = &c->frame[contact->at[0].body], *B = &c->frame[contact->at[1].body];
    ss_vec3 tA[2], tB[2], a = { 0, 0, 0 };
    ss_spot s[2];
    ss_contact_spots(c, contact, value->point, s);
    ss_model_twist(m, c, v, contact->at[0].body, tA);
    ss_model_twist(m, c, v, contact->at[1].body, tB);
    if (rows > 1) {
        const ss_vec3 rate = ss_gap_point_rate(&contact->gap, A, B, tA, tB);
        a = ss_sub(ss_cross(tA[1], ss_sub(rate, tA[0])), ss_cross(tB[1], ss_sub(rate, tB[0])));
    }
    for (int k = 0; k < rows; k++) {
        const ss_twist_row row = ss_contact_direction(value, k);
        out[k] = k == 0 ? ss_gap_curvature(&contact->gap, A, B, tA, tB) : ss_dot(row.lin[0], a);
        out[k] += ss_spots_drive_rate(c, s, &row);
    }
}

/* ---- limits and motors --------------------------------------------------------------------- */

/* second derivative of a joint's coordinate, without the term in dv/dt */
static double coordinate(const ss_model *m, const ss_config *c, int j, const double *v)
{
    const ss_joint *joint = &m->joint[j];
    ss_twist_row row;
    ss_spot s[2];
    ss_spots_moving(m, c, v, joint->at, s);
    joint->type->coordinate(joint, m->dimension, s, &row);
    return joint->type->coordinate_curvature(joint, m->dimension, s) + ss_spots_drive_rate(c, s, &row);
}

static double motor(const ss_model *m, const ss_config *c, int j, const double *v)
{
    double speed[3];
    ss_expr_jet(m->joint[j].motor.speed, c->t, speed);
    return coordinate(m, c, j, v) - speed[1];
}

/* ---- moments ------------------------------------------------------------------------------- */

static void moment(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                   const double *v, int rows, double *out)
{
    const ss_frame *A = &c->frame[contact->at[0].body], *B = &c->frame[contact->at[1].body];
    ss_vec3 tA[2], tB[2];
    ss_spot s[2];
    ss_contact_spots(c, contact, value->point, s);
    ss_model_twist(m, c, v, contact->at[0].body, tA);
    ss_model_twist(m, c, v, contact->at[1].body, tB);
    const ss_vec3 w = ss_sub(tA[1], tB[1]), turn = ss_gap_normal_rate(&contact->gap, A, B, tA, tB);
    for (int k = 0; k < rows; k++) {
        const ss_vec3 axis = ss_moment_axis(m, contact, value, k);
        const ss_twist_row row = { .ang = { axis, ss_scale(-1, axis) } };
        const bool spins = contact->id.kind == SS_CONTACT_SPINNING;
        const double turns = spins ? ss_dot(turn, w) : -ss_dot(axis, turn) * ss_dot(value->normal, w);
        out[k] = (m->dimension == 3 ? turns : 0) + ss_spots_drive_rate(c, s, &row);
    }
}

ss_status ss_contact_acceleration(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                                  const ss_contact_value *value, const double *v, int rows, double *out)
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
        out[0] = ss_contact_is_joint_friction(contact) ? coordinate(m, c, id->a, v) : motor(m, c, id->a, v);
        break;
    case SS_CONTACT_BLOCK:
        return ss_block_gap_rate(ctx, m, c, v, id->a, id->b, rows, out);
    case SS_CONTACT_FACET:
        ss_facet_acceleration(m, c, contact, value, v, rows, out);
        break;
    case SS_CONTACT_CROSSING:
        ss_crossing_acceleration(m, c, contact, value, v, rows, out);
        break;
    case SS_CONTACT_ROLLING:
    case SS_CONTACT_SPINNING:
        moment(m, c, contact, value, v, rows, out);
        break;
    }
    return SS_OK;
}
