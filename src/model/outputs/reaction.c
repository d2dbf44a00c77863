/* reaction.c - what a joint does to its second body: the force, and the torque about its anchor there, in world axes. Impulses of
 * the whole step, impacts included, divided by h; the joint's directions are those at the end of the step. */
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_JOINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    const ss_wrench w = ss_model_joint_wrench(at->m, at->c, o->joint, at->lam + at->m->joint[o->joint].first_row);
    const ss_vec3 force = ss_scale(1 / at->h, w.force), torque = ss_scale(1 / at->h, w.torque);
    if (at->m->dimension == 2) {
        out[0] = force.x;
        out[1] = force.y;
        out[2] = torque.z;
    } else {
        ss_v3_to(force, out);
        ss_v3_to(torque, out + 3);
    }
}

const ss_output_type ss_output_reaction = {
    .info = { .name = "reaction",
              .title = "force and torque of a joint on its second body",
              .dimensions = 4 | 8,
              .fields = fields },
    .of_step = true,
    .need = SS_OUTPUT_WRENCH,
    .column = { { { "force_x", "N" }, { "force_y", "N" }, { "torque", "N m" } },
                { { "force_x", "N" },
                  { "force_y", "N" },
                  { "force_z", "N" },
                  { "torque_x", "N m" },
                  { "torque_y", "N m" },
                  { "torque_z", "N m" } } },
    .read = read,
};
