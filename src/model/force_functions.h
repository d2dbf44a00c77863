/* force_functions.h - forces whose functions a program has given (force->functions is not NULL). */
#ifndef SS_FORCE_FUNCTIONS_H
#define SS_FORCE_FUNCTIONS_H

#include "model/model.h"

/* Where its work belongs: to the springs if it has a potential, else to the applied forces. */
ss_force_class ss_functions_class(const ss_force *force);
/* w[0], w[1] += its wrenches at the points */
ss_status ss_functions_wrench(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                              ss_wrench w[2]);
ss_status ss_functions_potential(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                                 double *energy);
/* 12 x 12, overwritten: their derivatives by displacements and by velocities of the points */
ss_status ss_functions_jacobian(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                                double *by_x, double *by_v);

#endif
