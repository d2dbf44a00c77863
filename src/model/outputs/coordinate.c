/* coordinate.c - the coordinate of a joint: an angle over any number of turns, a displacement or a length. */
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_JOINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    ss_twist_row row;
    out[0] = ss_model_joint_coordinate(at->m, at->c, o->joint, &row);
}

const ss_output_type ss_output_coordinate = {
    .info = { .name = "coordinate", .title = "angle or position of a joint", .dimensions = 4 | 8, .fields = fields },
    .need = SS_OUTPUT_COORDINATE,
    .column = { { { "", "m" } }, { { "", "m" } } },
    .angular = "rad",
    .read = read,
};
