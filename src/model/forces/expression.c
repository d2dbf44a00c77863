/* expression.c - force and torque given as expressions in t.
 * The force acts at a point fixed in the body, force and torque are in world axes; class APPLIED. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODY,
    SS_FORCE_POINT,
    SS_PART_FIELD(ss_force_desc, "force", SS_FIELD_VECTOR_T, force_t, 0, "N, world"),
    SS_PART_FIELD(ss_force_desc, "torque", SS_FIELD_SPIN_T, torque_t, 0, "N m, world"),
    SS_FIELD_END,
};

static double value(const ss_expr *expr, double t) { return expr ? ss_expr_eval(expr, t) : 0; }

static ss_vec3 values(ss_expr *const expr[3], double t) { return ss_v3(value(expr[0], t), value(expr[1], t), value(expr[2], t)); }

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)s;
    ss_load_add(values(force->force_t, t), values(force->torque_t, t), w[SS_FORCE_APPLIED]);
}

const ss_force_type ss_force_expression = {
    .info = { .name = "expression",
              .title = "force and torque as expressions in t",
              .reference = "",
              .dimensions = 4 | 8,
              .fields = fields },
    .eval = eval,
};
