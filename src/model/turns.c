/* turns.c - the angle of a hinge over any number of turns.
 *
 * The frames of two bodies give their relative angle modulo a turn. A second number near it, known without gaps, says which turn
 * it is: the angle is the value modulo a turn that is nearest to
 *
 *     c + sum of +- s_k (a_k(t) - a_k(0)) - zero       a_k: angle of driven body k about its axis m_k
 *                                                      s_k = m_k . axis of the hinge: both are fixed in body k
 *     2D   c = angle_1 - angle_0, of the bodies that have velocities: q has their angles, which are never wrapped
 *     3D   c = a number of its own at the end of q, the turn counter: orientations do not know their turns
 *
 *     dc/dt = x_1 . w_1 - x_0 . w_0                    x_k, w_k: axis and angular velocity in the frame of body k
 *
 * Retraction  moves a counter by this rate, whatever the length of the step: more than half a turn in a step is counted.
 * Settling    at the end of every step the counter is set to the angle itself, so that what the retraction has left out (axes
 *             that parted within the step, corrections of positions) does not add up.
 * Cost        linear in the number of hinges; nothing is allocated */
#include "model/attachment.h"

enum { ANGLE_2D = 2 }; /* place of the angle among the coordinates of a rigid body in 2D */

static double sign_of(int end) { return end == 0 ? -1 : 1; }

static bool has_angle(const ss_model *m, int body) { return body < m->bodies && m->body_type[body] == SS_BODY_RIGID; }

/* c of the header */
static double counted(const ss_model *m, const ss_joint *joint, const double *q)
{
    double sum = 0;
    if (m->dimension == 3) {
        return q[joint->turns.counter];
    }
    for (int k = 0; k < 2; k++) {
        const int b = joint->at[k].body;
        sum += has_angle(m, b) ? sign_of(k) * q[m->body_q[b] + ANGLE_2D] : 0;
    }
    return sum;
}

static double driven(const ss_model *m, const ss_joint *joint, double t)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const int b = joint->at[k].body;
        if (b < m->bodies && m->body_type[b] == SS_BODY_DRIVEN) {
            const ss_vec3 axis = ss_rotate(m->body_frame0[b].R, joint->basis[k].c[0]);
            sum += sign_of(k) * ss_dot(axis, m->body_motion_axis[b]) * ss_model_driven_angle(m, b, t);
        }
    }
    return sum;
}

static double near_angle(const ss_model *m, const ss_joint *joint, double t, const double *q)
{
    return counted(m, joint, q) + driven(m, joint, t) - joint->turns.zero;
}

void ss_turns_start(const ss_model *m, double start, ss_joint *joint) { joint->turns.zero = counted(m, joint, m->q0) - start; }

double ss_turns_angle(const ss_model *m, const ss_joint *joint, double t, const double *q, double angle)
{
    const double turn = 2 * acos(-1);
    return angle + turn * round((near_angle(m, joint, t, q) - angle) / turn);
}

/* what one end of the hinge adds to the rate of its counter */
static double turn_of(const ss_model *m, const ss_joint *joint, int end, const double *v)
{
    const int b = joint->at[end].body;
    return has_angle(m, b) ? sign_of(end) * ss_dot(joint->basis[end].c[0], ss_v3_from(v + m->body_v[b] + 3)) : 0;
}

void ss_turns_retract(const ss_model *m, const double *q, const double *v, double h, double *out)
{
    for (int k = 0; k < m->counters; k++) {
        const ss_joint *joint = &m->joint[m->counter_joint[k]];
        const int i = joint->turns.counter;
        out[i] = q[i] + h * (turn_of(m, joint, 0, v) + turn_of(m, joint, 1, v));
    }
}

void ss_turns_settle(const ss_model *m, double t, double *q)
{
    for (int k = 0; k < m->counters; k++) {
        const ss_joint *joint = &m->joint[m->counter_joint[k]];
        ss_twist_row row;
        ss_spot s[2];
        for (int end = 0; end < 2; end++) {
            s[end] = ss_spot_in_frame(ss_model_frame(m, joint->at[end].body, t, q), joint->at[end].point, NULL);
        }
        const double angle = joint->type->coordinate(joint, m->dimension, s, &row);
        q[joint->turns.counter] += ss_turns_angle(m, joint, t, q, angle) - near_angle(m, joint, t, q);
    }
}
