/* motor.c - force or torque of the motor of a joint on its second body.
 *
 *   it holds a speed        the impulse of its row over the step, divided by h
 *   servo, given force      what it gives in the state: no output of a step */
#include "model/drives.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_JOINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    const ss_joint *joint = &at->m->joint[o->joint];
    const ss_motor *motor = &joint->motor;
    if (ss_motor_is_servo(motor)) {
        out[0] = ss_servo_force(at->m, at->c, at->v, o->joint);
    } else if (motor->force) {
        out[0] = ss_expr_eval(motor->force, at->c->t);
    } else {
        out[0] = (motor->row ? at->lam[joint->first_row + joint->rows] : at->bounded[o->joint]) / at->h;
    }
}

const ss_output_type ss_output_motor = {
    .info = { .name = "motor", .title = "force or torque of the motor of a joint", .dimensions = 4 | 8, .fields = fields },
    .of_step = true,
    .need = SS_OUTPUT_MOTOR,
    .column = { { { "", "N" } }, { { "", "N" } } },
    .angular = "N m",
    .read = read,
};
