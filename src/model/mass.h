/* mass.h - writing the constant mass matrix of a model that is being compiled. */
#ifndef SS_MASS_H
#define SS_MASS_H

#include "model/model.h"

ss_status ss_mass_fill(ss_context *ctx, const ss_model *m); /* m->mass.x, from masses and inertias; zero before */
/* Blocks that are alike share one place, where the matrix is constant and no velocity is without mass. */
ss_status ss_mass_share(ss_context *ctx, ss_model *m);
ss_status ss_mass_factor(ss_context *ctx, ss_model *m); /* its Cholesky factors, where it is constant and definite */

#endif
