/* constant.c - a force and a torque that do not change.
 * The force acts at a point fixed in the body, force and torque are in world axes; class APPLIED. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODY,
    SS_FORCE_POINT,
    SS_PART_FIELD(ss_force_desc, "force", SS_FIELD_VECTOR, force, 0, "N, world"),
    SS_PART_FIELD(ss_force_desc, "torque", SS_FIELD_SPIN, torque, 0, "N m, world"),
    SS_FIELD_END,
};

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)s, (void)t;
    ss_load_add(force->force, force->torque, w[SS_FORCE_APPLIED]);
}

const ss_force_type ss_force_constant = {
    .info = { .name = "constant", .title = "constant force and torque", .reference = "", .dimensions = 4 | 8, .fields = fields },
    .eval = eval,
};
