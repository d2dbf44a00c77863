/* cylindrical.c - a bush on a shaft: the second body slides along an axis of the first and turns about it.
 *
 *   3D  g = (d . B0_1, d . B0_2, B0_1 . B1_0, B0_2 . B1_0)              4 rows
 *   coordinate  start + d . B0_0 minus its value at t = 0: the displacement; the turn is free
 *
 * B0, B1: the joint's basis carried by each body, column 0 the axis, equal in the world at t = 0. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_NAME,
    SS_JOINT_TYPE,
    SS_JOINT_BODIES,
    SS_JOINT_ANCHORS,
    SS_JOINT_AT,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "axis of sliding and turning, in the frame of the first body"),
    SS_JOINT_LIMITS("smallest and largest displacement, m; it begins at `start`"),
    SS_JOINT_RESTITUTION,
    SS_JOINT_START("displacement at t = 0, m"),
    SS_JOINT_MOTOR,
    SS_JOINT_RESISTANCE("N", "m"),
    SS_JOINT_COLLIDE,
    SS_FIELD_END,
};

static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)ctx, (void)path;
    ss_joint_set_basis(joint, ss_basis_about(ss_v3_from(desc->axis), dimension), f);
    ss_displacement_start(desc->start, f, joint);
    return SS_OK;
}

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
    .prepare = prepare,
    .rows = rows,
    .row_name = { { NULL }, { "force_1", "force_2", "torque_1", "torque_2" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    .coordinate = ss_displacement,
    .coordinate_curvature = ss_displacement_curvature,
    .coordinate_stiffness = ss_displacement_stiffness,
};
