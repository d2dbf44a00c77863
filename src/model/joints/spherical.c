/* spherical.c - two points stay together; the bodies turn freely about them.
 *
 *   g = (p_1 + R_1 a_1) - (p_0 + R_0 a_0), in world components: 2 rows in 2D, 3 in 3D
 *
 * In 2D this is the revolute joint without a coordinate: no limits, no motor. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_NAME, SS_JOINT_TYPE, SS_JOINT_BODIES, SS_JOINT_ANCHORS, SS_JOINT_AT, SS_JOINT_COLLIDE, SS_FIELD_END,
};

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint;
    return dimension;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    (void)joint;
    ss_point_rows(s, dimension, g, row);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    (void)joint;
    ss_point_curvature(s, dimension, out);
}

const ss_joint_type ss_joint_spherical = {
    .info = { .name = "spherical",
              .title = "two points coincide",
              .reference = "Haug89 ch. 9",
              .aliases = "ball",
              .dimensions = 4 | 8,
              .fields = fields },
    .rows = rows,
    .row_name = { { "force_x", "force_y" }, { "force_x", "force_y", "force_z" } },
    .eval = eval,
    .curvature = curvature,
};
