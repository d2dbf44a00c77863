/* position.c - where a point of a body is, in world axes. */
#include "model/attachment.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = { SS_OUTPUT_NAMES, SS_OUTPUT_BODY, SS_OUTPUT_POINT, SS_FIELD_END };

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    double x[3];
    ss_v3_to(ss_spot_at(at->c, &o->at[0]).x, x);
    memcpy(out, x, (size_t)at->m->dimension * sizeof *out);
}

const ss_output_type ss_output_position = {
    .info = { .name = "position", .title = "position of a point of a body", .dimensions = 4 | 8, .fields = fields },
    .column = { { { "x", "m" }, { "y", "m" } }, { { "x", "m" }, { "y", "m" }, { "z", "m" } } },
    .read = read,
};
