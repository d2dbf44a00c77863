/* primitives.h - scalar functions of two spots that joints and forces are made of, with their gradient as a row, their second
 * derivative in time and the derivative of the gradient.
 *
 * Coordinates of a pair of spots: (lin0, ang0, lin1, ang1), 12 numbers: displacements of the points and world rotation vectors;
 * forces at the points and moments about them. */
#ifndef SS_PRIMITIVES_H
#define SS_PRIMITIVES_H

#include "model/model.h"

/* ---- 3 x 3 blocks of 12 x 12 matrices -------------------------------------------------------- */

enum { SS_LIN0, SS_ANG0, SS_LIN1, SS_ANG1 };

ss_mat3 ss_skew(ss_vec3 a);             /* S(a) b = a x b */
ss_mat3 ss_outer(ss_vec3 a, ss_vec3 b); /* a b'           */
ss_mat3 ss_lever(ss_vec3 a, ss_vec3 F); /* L th = (th x a) x F: how the moment a x F changes when its arm turns */
void ss_twist_block(double *K, int row, int column, double s, ss_mat3 A); /* block (row, column) of K += s A */

/* ---- the span between two points, d = x_1 - x_0 ------------------------------------------------- */

static inline ss_vec3 ss_span(const ss_spot s[2]) { return ss_sub(s[1].x, s[0].x); }
static inline ss_vec3 ss_span_rate(const ss_spot s[2]) { return ss_sub(s[1].v, s[0].v); }
static inline ss_vec3 ss_span_accel(const ss_spot s[2]) { return ss_sub(s[1].a, s[0].a); } /* while the twists stay */
/* d where two bodies have the frames f */
static inline ss_vec3 ss_span_between(const ss_attachment at[2], const ss_frame f[2])
{
    return ss_sub(ss_point_to_world(f[1], at[1].point), ss_point_to_world(f[0], at[0].point));
}
void ss_span_row(ss_vec3 n, ss_twist_row *row); /* n . d' for a fixed n  */
/* K += derivative of a force F at point 1 and -F at point 0, where dF = D d(d) */
void ss_span_stiffness(ss_mat3 D, double *K);

/* the three (2D: two) world components of d; their rows are constant */
void ss_point_rows(const ss_spot s[2], int dimension, double *g, ss_twist_row *row);
void ss_point_curvature(const ss_spot s[2], int dimension, double *out);

/* d . b with b fixed in body 0 */
double ss_along_row(const ss_spot s[2], ss_vec3 b, ss_twist_row *row);
double ss_along_curvature(const ss_spot s[2], ss_vec3 b);
void ss_along_stiffness(const ss_spot s[2], ss_vec3 b, double lam, double *K);

/* the components of d across an axis of body 0, column 0 of its basis B0: 1 row in 2D, 2 in 3D */
int ss_across_rows(const ss_spot s[2], const ss_mat3 *B0, int dimension, double *g, ss_twist_row *row);
int ss_across_curvature(const ss_spot s[2], const ss_mat3 *B0, int dimension, double *out);
int ss_across_stiffness(const ss_spot s[2], const ss_mat3 *B0, int dimension, const double *lam, double *K);

/* ---- rotations -------------------------------------------------------------------------------- */

/* b0 . b1, each fixed in its body */
double ss_cosine_row(ss_vec3 b0, ss_vec3 b1, ss_twist_row *row);
double ss_cosine_curvature(ss_vec3 b0, ss_vec3 b1, const ss_spot s[2]);
void ss_cosine_stiffness(ss_vec3 b0, ss_vec3 b1, double lam, double *K);

/* angle of e (fixed in body 1) in the plane of x and y (fixed in body 0): atan2(y . e, x . e) */
typedef struct ss_dial {
    ss_vec3 x, y, e;
} ss_dial;
double ss_angle_row(const ss_dial *dial, int dimension, ss_twist_row *row);
double ss_angle_curvature(const ss_dial *dial, int dimension, const ss_spot s[2]);
void ss_angle_stiffness(const ss_dial *dial, int dimension, double lam, double *K);

/* a common axis, column 0 of two bases, in 3D: 2 rows, B0_1 . B1_0 and B0_2 . B1_0. Their gradients are -B0_2 and B0_1 where
 * the axes agree: regular there and up to a right angle. */
enum { SS_AXIS_ROWS = 2 };
void ss_axis_rows(const ss_mat3 B[2], double *g, ss_twist_row *row);
void ss_axis_curvature(const ss_mat3 B[2], const ss_spot s[2], double *out);
void ss_axis_stiffness(const ss_mat3 B[2], const double *lam, double *K);
/* the angle of two bodies about such an axis */
ss_dial ss_axis_dial(const ss_mat3 B[2]);

/* no relative rotation of two bases: 1 row in 2D (the angle), 3 in 3D (cosines of crossed axes) */
int ss_lock_rows(const ss_mat3 B[2], int dimension, double *g, ss_twist_row *row);
int ss_lock_curvature(const ss_mat3 B[2], int dimension, const ss_spot s[2], double *out);
int ss_lock_stiffness(const ss_mat3 B[2], int dimension, const double *lam, double *K);

/* ---- what joint files use to prepare themselves ------------------------------------------------ */

void ss_joint_bases(const ss_joint *joint, const ss_spot s[2], ss_mat3 B[2]);  /* in the world */
ss_mat3 ss_basis_about(ss_vec3 axis, int dimension);                           /* right-handed, column 0 = axis */
void ss_joint_set_basis(ss_joint *joint, ss_mat3 basis0, const ss_frame f[2]); /* basis 1 follows, equal in the world */

/* The displacement along the axis, d . B0_0 - origin, as the coordinate of a joint; `start` at t = 0. */
ss_status ss_displacement_prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension,
                                  const ss_frame f[2], ss_joint *joint);
double ss_displacement(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row);
double ss_displacement_curvature(const ss_joint *joint, int dimension, const ss_spot s[2]);
void ss_displacement_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K);
#define SS_COORDINATE_DISPLACEMENT                                                                                               \
    .coordinate = ss_displacement, .coordinate_curvature = ss_displacement_curvature,                                            \
    .coordinate_stiffness = ss_displacement_stiffness

/* The angle about the axis, - origin, as the coordinate of a joint, in any turn; `start` at t = 0; in 2D the axis is z. */
ss_status ss_turn_prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                          ss_joint *joint);
double ss_turn(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row);
double ss_turn_curvature(const ss_joint *joint, int dimension, const ss_spot s[2]);
void ss_turn_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K);
#define SS_COORDINATE_ANGLE                                                                                                      \
    .coordinate = ss_turn, .coordinate_curvature = ss_turn_curvature, .coordinate_stiffness = ss_turn_stiffness

#endif
