/* cylindrical.c - a bush on a shaft: the second body slides along an axis of the first and turns about it.
 *
 *   3D  g = (d . B0_1, d . B0_2, B0_1 . B1_0, B0_2 . B1_0)              4 rows
 *   coordinate  start + d . B0_0 minus its value at t = 0: the displacement; the turn is free
 *
 * B0, B1: the joint's basis carried by each body, column 0 the axis, equal in the world at t = 0. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "axis of sliding and turning, in the frame of the first body"),
    SS_JOINT_DISPLACEMENT,
    SS_FIELD_END,
};

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension - 1 + SS_AXIS_ROWS;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_rows(s, &B[0], dimension, g, row);
    ss_axis_rows(B, g + across, row + across);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_curvature(s, &B[0], dimension, out);
    ss_axis_curvature(B, s, out + across);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_stiffness(s, &B[0], dimension, lam, K);
    ss_axis_stiffness(B, lam + across, K);
}

const ss_joint_type ss_joint_cylindrical = {
    .info = { .name = "cylindrical",
              .title = "a bush on a shaft: slides along an axis and turns about it",
              .reference = "Haug89 ch. 9",
              .dimensions = 8,
              .fields = fields },
    .turns = 8,
    .prepare = ss_displacement_prepare,
    .rows = rows,
    .row_name = { { NULL }, { "force_1", "force_2", "torque_1", "torque_2" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    SS_COORDINATE_DISPLACEMENT,
};
