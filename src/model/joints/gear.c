/* gear.c - two wheels in mesh: the angles of two joints keep a ratio, over any number of turns.
 *
 *   g = angle_2 - ratio angle_1 - offset              1 row; offset = its value at t = 0
 *
 * The row and its derivatives are those of every coupling (couplings.c). Wheels that mesh turn in opposite ways: with radii r_1
 * and r_2 the ratio is -r_1/r_2; for a belt or a wheel within a ring it is positive. */
#include "model/fields.h"
#include "model/model.h"

static const ss_field fields[] = {
    SS_JOINT_NAME,
    SS_JOINT_TYPE,
    SS_JOINT_JOINTS("the two joints, each with an angle"),
    SS_PART_NUMBER(ss_joint_desc, "ratio", gearing.ratio, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "turn of the second joint over that of the first; negative: they turn in opposite ways"),
    SS_JOINT_COLLIDE,
    SS_FIELD_END,
};

const ss_joint_type ss_joint_gear = {
    .info = { .name = "gear",
              .title = "two wheels in mesh: the angles of two joints keep a ratio",
              .reference = "textbook",
              .dimensions = 4 | 8,
              .fields = fields },
    .couples = true,
    .row_name = { { "torque" }, { "torque" } },
};
