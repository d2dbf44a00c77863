/* universal.c - a cross of two axes: two points stay together, and an axis of one body stays at a right angle to one of the
 * other.
 *
 *   3D  g = (d, B0_0 . B1_1)              4 rows
 *
 * B0, B1: the joint's basis carried by each body, equal in the world at t = 0; column 0 is the axis of the first body, column 1
 * that of the second. The cosine has the gradient B1_1 x B0_0, of length 1 wherever the joint is closed. Two turns are left, so
 * there is no coordinate: no limits, no motor. */
#include "base/tolerances.h"
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "axis that is fixed in the first body, in its frame"),
    SS_PART_FIELD(ss_joint_desc, "second_axis", SS_FIELD_DIRECTION, second_axis, SS_FIELD_REQUIRED,
                  "axis that is fixed in the second body, in the frame of the first one at t = 0; at a right angle to axis"),
    SS_JOINT_COLLIDE,
    SS_FIELD_END,
};

static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)dimension;
    const ss_vec3 a = ss_unit(ss_v3_from(desc->axis)), b = ss_unit(ss_v3_from(desc->second_axis));
    const double cosine = ss_dot(a, b);
    if (!(fabs(cosine) <= SS_TOL_SCENE)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.second_axis: expected a right angle to axis, got a cosine of %g", path, cosine);
    }
    const ss_vec3 across = ss_unit(ss_axpy(-cosine, a, b));
    ss_joint_set_basis(joint, (ss_mat3){ { a, across, ss_cross(a, across) } }, f);
    return SS_OK;
}

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension + 1;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_point_rows(s, dimension, g, row);
    g[dimension] = ss_cosine_row(B[0].c[0], B[1].c[1], &row[dimension]);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_point_curvature(s, dimension, out);
    out[dimension] = ss_cosine_curvature(B[0].c[0], B[1].c[1], s);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    ss_cosine_stiffness(B[0].c[0], B[1].c[1], lam[dimension], K);
}

const ss_joint_type ss_joint_universal = {
    .info = { .name = "universal",
              .title = "a cross of two axes: common point, two turns",
              .reference = "Haug89 ch. 9",
              .aliases = "cardan",
              .dimensions = 8,
              .fields = fields },
    .turns = 8,
    .prepare = prepare,
    .rows = rows,
    .row_name = { { NULL }, { "force_x", "force_y", "force_z", "torque" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
};
