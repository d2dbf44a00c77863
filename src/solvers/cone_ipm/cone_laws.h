/* cone_laws.h - the map T from the rows of a contact to its cones, and back; for cone_newton.c and cone_start.c. */
#ifndef SS_CONE_LAWS_H
#define SS_CONE_LAWS_H

#include "solvers/cone_ipm/cone_newton.h"

/* The row of T for half line j of contact k. */
void ss_cone_row(const ss_cone_newton *c, int k, int j, double *row);
/* x = T u and r += T' x of cone j of contact k; u, r: the rows of the contact. */
void ss_cone_image(const ss_cone_newton *c, int k, int j, const double *u, double *x);
void ss_cone_add_image_back(const ss_cone_newton *c, int k, int j, const double *x, double *r);

#endif
