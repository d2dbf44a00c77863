/* planar.c - two faces that stay together: a point of the second body stays in a plane of the first, and the normal is common.
 *
 *   3D  g = (d . B0_0, B0_1 . B1_0, B0_2 . B1_0)              3 rows
 *
 * B0, B1: the joint's basis carried by each body, column 0 the normal, equal in the world at t = 0. Three motions are left, two
 * displacements and a turn, so there is no coordinate: no limits, no motor. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_NAME,    SS_JOINT_TYPE, SS_JOINT_BODIES,
    SS_JOINT_ANCHORS, SS_JOINT_AT,   SS_JOINT_AXIS(SS_FIELD_REQUIRED, "normal of the plane, in the frame of the first body"),
    SS_JOINT_COLLIDE, SS_FIELD_END,
};

static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)ctx, (void)path;
    ss_joint_set_basis(joint, ss_basis_about(ss_v3_from(desc->axis), dimension), f);
    return SS_OK;
}

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint, (void)dimension;
    return 1 + SS_AXIS_ROWS;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    (void)dimension;
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    g[0] = ss_along_row(s, B[0].c[0], &row[0]);
    ss_axis_rows(B, g + 1, row + 1);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    (void)dimension;
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    out[0] = ss_along_curvature(s, B[0].c[0]);
    ss_axis_curvature(B, s, out + 1);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    (void)dimension;
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_along_stiffness(s, B[0].c[0], lam[0], K);
    ss_axis_stiffness(B, lam + 1, K);
}

const ss_joint_type ss_joint_planar = {
    .info = { .name = "planar",
              .title = "two faces stay together and slide on each other",
              .reference = "Haug89 ch. 9",
              .dimensions = 8,
              .fields = fields },
    .turns = 8,
    .prepare = prepare,
    .rows = rows,
    .row_name = { { NULL }, { "force", "torque_1", "torque_2" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
};
