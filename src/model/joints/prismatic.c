/* prismatic.c - a slider: no relative rotation, and the anchors part only along an axis fixed in body 0.
 *
 *   2D  g = (d . B0_1, angle)                                              2 rows
 *   3D  g = (d . B0_1, d . B0_2, B0_0 . B1_1, B0_1 . B1_2, B0_2 . B1_0)    5 rows
 *   coordinate  start + d . B0_0 minus its value at t = 0
 *
 * B0, B1: the joint's basis carried by each body, column 0 the axis, equal in the world at t = 0. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "direction of sliding, in the frame of the first body"),
    SS_JOINT_DISPLACEMENT,
    SS_FIELD_END,
};

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension == 2 ? 2 : 5;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_rows(s, &B[0], dimension, g, row);
    ss_lock_rows(B, dimension, g + across, row + across);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_curvature(s, &B[0], dimension, out);
    ss_lock_curvature(B, dimension, s, out + across);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const int across = ss_across_stiffness(s, &B[0], dimension, lam, K);
    ss_lock_stiffness(B, dimension, lam + across, K);
}

const ss_joint_type ss_joint_prismatic = {
    .info = { .name = "prismatic",
              .title = "a slider along an axis",
              .reference = "Haug89 ch. 9",
              .dimensions = 4 | 8,
              .fields = fields },
    .turns = 4 | 8,
    .prepare = ss_displacement_prepare,
    .rows = rows,
    .row_name = { { "force", "torque" }, { "force_1", "force_2", "torque_1", "torque_2", "torque_3" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    SS_COORDINATE_DISPLACEMENT,
};
