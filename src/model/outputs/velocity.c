/* velocity.c - how a point of a body moves, in world axes. */
#include "model/attachment.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_BODY, SS_OUTPUT_POINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    double v[3];
    ss_spot s[2];
    ss_spots_moving(at->m, at->c, at->v, o->at, s);
    ss_v3_to(s[0].v, v);
    memcpy(out, v, (size_t)at->m->dimension * sizeof *out);
}

const ss_output_type ss_output_velocity = {
    .info = { .name = "velocity", .title = "velocity of a point of a body", .dimensions = 4 | 8, .fields = fields },
    .column = { { { "vx", "m/s" }, { "vy", "m/s" } }, { { "vx", "m/s" }, { "vy", "m/s" }, { "vz", "m/s" } } },
    .read = read,
};
