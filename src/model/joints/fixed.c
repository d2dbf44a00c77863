/* fixed.c - a weld: two bodies keep the relative pose they start with.
 *
 *   2D  g = (d, angle)                                                3 rows
 *   3D  g = (d, B0_0 . B1_1, B0_1 . B1_2, B0_2 . B1_0)                6 rows
 *
 * The anchors are one world point at t = 0: `at`, else the origin of the second body (of the first if the
 * second is the world). It is where the reaction is measured. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_NAME, SS_JOINT_TYPE, SS_JOINT_BODIES, SS_JOINT_AT, SS_JOINT_COLLIDE, SS_FIELD_END,
};

static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)ctx, (void)path, (void)dimension;
    if (isnan(desc->at[0])) {
        ss_vec3 at = strcmp(desc->bodies[1], "world") == 0 ? f[0].p : f[1].p;
        joint->at[0].point = ss_point_to_body(f[0], at);
        joint->at[1].point = ss_point_to_body(f[1], at);
    }
    return SS_OK;
}

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension == 2 ? 3 : 6;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_point_rows(s, dimension, g, row);
    ss_lock_rows(B, dimension, g + dimension, row + dimension);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_point_curvature(s, dimension, out);
    ss_lock_curvature(B, dimension, s, out + dimension);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_lock_stiffness(B, dimension, lam + dimension, K);
}

const ss_joint_type ss_joint_fixed = {
    .info = { .name = "fixed",
              .title = "a weld",
              .reference = "Haug89 ch. 9",
              .aliases = "weld",
              .dimensions = 4 | 8,
              .fields = fields },
    .turns = 4 | 8,
    .prepare = prepare,
    .rows = rows,
    .row_name = { { "force_x", "force_y", "torque" }, { "force_x", "force_y", "force_z", "torque_1", "torque_2", "torque_3" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
};
