/* rate.c - how fast the coordinate of a joint changes: its row times the velocities of the two points. */
#include "model/attachment.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_JOINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    out[0] = ss_model_joint_rate(at->m, at->c, at->v, o->joint);
}

const ss_output_type ss_output_rate = {
    .info = { .name = "rate", .title = "angular velocity or speed of a joint", .dimensions = 4 | 8, .fields = fields },
    .need = SS_OUTPUT_COORDINATE,
    .column = { { { "", "m/s" } }, { { "", "m/s" } } },
    .angular = "rad/s",
    .read = read,
};
