/* revolute.c - a hinge: two points stay together and, in 3D, an axis fixed in both bodies stays common.
 *
 *   2D  g = d                                          2 rows
 *   3D  g = (d, B0_1 . B1_0, B0_2 . B1_0)              5 rows
 *   coordinate  start + atan2(B0_2 . B1_1, B0_1 . B1_1), `start` at t = 0. Which turn it is in: turns.c
 *
 * B0, B1: the joint's basis carried by each body, column 0 the axis, equal in the world at t = 0. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED | SS_FIELD_ONLY_3D, "axis of the hinge, in the frame of the first body"),
    SS_JOINT_ANGLE,
    SS_FIELD_END,
};

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension == 2 ? 2 : 5;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    ss_point_rows(s, dimension, g, row);
    if (dimension == 3) {
        ss_mat3 B[2];
        ss_joint_bases(joint, s, B);
        ss_axis_rows(B, g + 3, row + 3);
    }
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_point_curvature(s, dimension, out);
    if (dimension == 3) {
        ss_mat3 B[2];
        ss_joint_bases(joint, s, B);
        ss_axis_curvature(B, s, out + 3);
    }
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    if (dimension == 3) {
        ss_mat3 B[2];
        ss_joint_bases(joint, s, B);
        ss_axis_stiffness(B, lam + 3, K);
    }
}

const ss_joint_type ss_joint_revolute = {
    .info = { .name = "revolute",
              .title = "a hinge: common point and axis",
              .reference = "Haug89 ch. 9",
              .aliases = "hinge",
              .dimensions = 4 | 8,
              .fields = fields },
    .turns = 8,
    .prepare = ss_turn_prepare,
    .angular = true,
    .rows = rows,
    .row_name = { { "force_x", "force_y" }, { "force_x", "force_y", "force_z", "torque_1", "torque_2" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    SS_COORDINATE_ANGLE,
};
