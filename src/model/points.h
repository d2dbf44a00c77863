/* points.h - two points as functions of a program see them, and small displacements of them. */
#ifndef SS_POINTS_H
#define SS_POINTS_H

#include "model/model.h"
#include <slipstick/drive.h>

/* Coordinates of a pair of spots (primitives.h): lin0 ang0 lin1 ang1. */
enum { SS_POINT_COORDINATES = 12 };

ss_force_points ss_points_of(int dimension, double t, const ss_spot s[2], const double *number);
/* The spots displaced and turned by x, and with velocities changed by v; either may be NULL: by nothing. */
void ss_points_move(const ss_spot s[2], const double *x, const double *v, ss_spot out[2]);
/* Does coordinate j exist in this dimension? */
bool ss_points_have(int dimension, int j);
/* Is coordinate j a turn? */
static inline bool ss_points_is_turn(int j) { return j % 6 >= 3; }
/* Displacements and turns that no symmetry of a start hides: `part` of a length, and of a radian. */
void ss_points_somewhere(int dimension, double length, double part, double x[SS_POINT_COORDINATES]);

#endif
