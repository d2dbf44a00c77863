/* point_on_line.c - a pin in a slot, a bead on a straight wire: a point of the second body stays on a line fixed in the first.
 *
 *   2D  g = d . B0_1                          1 row
 *   3D  g = (d . B0_1, d . B0_2)              2 rows
 *   coordinate  start + d . B0_0 minus its value at t = 0
 *
 * B0: the joint's basis carried by the first body, column 0 the line. The bodies turn freely against each other; either may be a
 * particle. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "direction of the line, in the frame of the first body"),
    SS_JOINT_DISPLACEMENT,
    SS_FIELD_END,
};

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension - 1;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    const ss_mat3 B0 = ss_compose(s[0].R, joint->basis[0]);
    ss_across_rows(s, &B0, dimension, g, row);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    const ss_mat3 B0 = ss_compose(s[0].R, joint->basis[0]);
    ss_across_curvature(s, &B0, dimension, out);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    const ss_mat3 B0 = ss_compose(s[0].R, joint->basis[0]);
    ss_across_stiffness(s, &B0, dimension, lam, K);
}

const ss_joint_type ss_joint_point_on_line = {
    .info = { .name = "point_on_line",
              .title = "a pin in a slot: a point stays on a line",
              .reference = "Haug89 ch. 9",
              .aliases = "slot",
              .dimensions = 4 | 8,
              .fields = fields },
    .prepare = ss_displacement_prepare,
    .rows = rows,
    .row_name = { { "force" }, { "force_1", "force_2" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    SS_COORDINATE_DISPLACEMENT,
};
