/* law_map.h - the impulse that a contact law makes of r - rho u, with its derivative. */
#ifndef SS_LAW_MAP_H
#define SS_LAW_MAP_H

#include "base/base.h"
#include <slipstick/problem.h>

/* Impulse r and D = dr/dy of contact k (a joint row: k < 0) at y; D row-major, rows of the contact squared. r obeys the law with
 * u if r = map(r - rho u) for any rho > 0. */
void ss_law_map(const ss_problem *problem, int k, const double *y, double *r, double *D);
/* The same for a moment of rolling friction, of one or two rows, whose bound is known: the nearest point of a disc; with an axis
 * (ss_law_axis) of its diameter along that. */
void ss_moment_map(int rows, double bound, const double *axis, const double *y, double *r, double *D);
/* Has the law of every contact a potential, D being symmetric? */
bool ss_law_map_has_potential(const ss_problem *problem);

#endif
