/* rack.c - a pinion on a rack: the displacement of a joint follows the angle of another one, over any number of turns.
 *
 *   g = displacement_2 - radius angle_1 - offset              1 row; offset = its value at t = 0
 *
 * The row and its derivatives are those of every coupling (couplings.c). */
#include "model/fields.h"
#include "model/model.h"

static const ss_field fields[] = {
    SS_JOINT_NAME,
    SS_JOINT_TYPE,
    SS_JOINT_JOINTS("a joint with an angle and one with a displacement"),
    SS_PART_NUMBER(ss_joint_desc, "radius", gearing.radius, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "displacement of the second joint over the angle of the first, m/rad; negative: the other way"),
    SS_JOINT_COLLIDE,
    SS_FIELD_END,
};

const ss_joint_type ss_joint_rack = {
    .info = { .name = "rack",
              .title = "a pinion on a rack: the displacement of a joint follows the angle of another",
              .reference = "textbook",
              .dimensions = 4 | 8,
              .fields = fields },
    .couples = true,
    .row_name = { { "force" }, { "force" } },
};
