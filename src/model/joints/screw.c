/* screw.c - a nut on a thread: the second body turns about an axis of the first and moves along it by the pitch in every turn.
 *
 *   3D  g = (d . B0_1, d . B0_2, B0_1 . B1_0, B0_2 . B1_0, d . B0_0 - offset - ratio angle)              5 rows
 *   ratio = pitch / (2 pi),   offset = d . B0_0 at t = 0
 *   coordinate  start + angle, `start` at t = 0; angle = atan2(B0_2 . B1_1, B0_1 . B1_1)
 *
 * Which turn the angle of the last row is in is added by joints.c (`winds`, turns.c). A positive pitch is a right-hand thread.
 * B0, B1: the joint's basis carried by each body, column 0 the axis, equal in the world at t = 0. */
#include "model/fields.h"
#include "model/primitives.h"

enum { THREAD = 4 }; /* the row of the thread */

static const ss_field fields[] = {
    SS_JOINT_PLACE,
    SS_JOINT_AXIS(SS_FIELD_REQUIRED, "axis of the thread, in the frame of the first body"),
    SS_PART_NUMBER(ss_joint_desc, "pitch", gearing.pitch, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "way along the axis in one turn, m; negative: a left-hand thread"),
    SS_JOINT_ANGLE,
    SS_FIELD_END,
};

static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)ctx, (void)path;
    ss_joint_set_basis(joint, ss_basis_about(ss_v3_from(desc->axis), dimension), f);
    joint->origin = -desc->start;
    joint->gearing.ratio = desc->gearing.pitch / (2 * acos(-1));
    joint->gearing.offset = ss_dot(ss_span_between(joint->at, f), ss_rotate(f[0].R, joint->basis[0].c[0]));
    return SS_OK;
}

static int rows(const ss_joint *joint, int dimension)
{
    (void)joint, (void)dimension;
    return THREAD + 1;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    const double ratio = joint->gearing.ratio;
    ss_twist_row turn;
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const ss_dial dial = ss_axis_dial(B);
    const int across = ss_across_rows(s, &B[0], dimension, g, row);
    ss_axis_rows(B, g + across, row + across);
    const double along = ss_along_row(s, B[0].c[0], &row[THREAD]);
    g[THREAD] = along - joint->gearing.offset - ratio * ss_angle_row(&dial, dimension, &turn);
    for (int b = 0; b < 2; b++) {
        row[THREAD].ang[b] = ss_axpy(-ratio, turn.ang[b], row[THREAD].ang[b]);
    }
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const ss_dial dial = ss_axis_dial(B);
    const int across = ss_across_curvature(s, &B[0], dimension, out);
    ss_axis_curvature(B, s, out + across);
    out[THREAD] = ss_along_curvature(s, B[0].c[0]) - joint->gearing.ratio * ss_angle_curvature(&dial, dimension, s);
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const ss_dial dial = ss_axis_dial(B);
    const int across = ss_across_stiffness(s, &B[0], dimension, lam, K);
    ss_axis_stiffness(B, lam + across, K);
    ss_along_stiffness(s, B[0].c[0], lam[THREAD], K);
    ss_angle_stiffness(&dial, dimension, -joint->gearing.ratio * lam[THREAD], K);
}

const ss_joint_type ss_joint_screw = {
    .info = { .name = "screw",
              .title = "a nut on a thread: turns about an axis and moves along it",
              .reference = "Haug89 ch. 9",
              .aliases = "helical",
              .dimensions = 8,
              .fields = fields },
    .angular = true,
    .winds = true,
    .turns = 8,
    .prepare = prepare,
    .rows = rows,
    .row_name = { { NULL }, { "force_1", "force_2", "torque_1", "torque_2", "force" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    SS_COORDINATE_ANGLE,
};
