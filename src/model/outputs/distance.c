/* distance.c - how far two points of bodies are apart. */
#include "model/attachment.h"
#include "model/fields.h"
#include "model/outputs.h"

static const ss_field fields[] = {
    SS_OUTPUT_NAMES,
    SS_PART_FIELD(ss_output_desc, "bodies", SS_FIELD_BODIES, bodies, SS_FIELD_REQUIRED,
                  "the two bodies; \"world\" is the fixed frame"),
    SS_PART_FIELD(ss_output_desc, "anchors", SS_FIELD_ANCHORS, anchors, 0, "a point of each body, in its frame (m)"),
    SS_FIELD_END,
};

static void read(const ss_output *o, const ss_instant *at, double *out)
{
    ss_spot s[2];
    ss_spots_at(at->c, o->at, s);
    out[0] = ss_norm(ss_sub(s[1].x, s[0].x));
}

const ss_output_type ss_output_distance = {
    .info = { .name = "distance", .title = "distance between points of two bodies", .dimensions = 4 | 8, .fields = fields },
    .column = { { { "", "m" } }, { { "", "m" } } },
    .read = read,
};
