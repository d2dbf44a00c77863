/* round_off.h - how far forces are known: those of stiff parts are differences of positions, which are rounded. */
#ifndef SS_ROUND_OFF_H
#define SS_ROUND_OFF_H

#include "model/model.h"

/* sqrt(n . M^-1 n), n[nv] the round-off of the forces at c; 0 where no force depends on positions, and in models with user blocks
 */
double ss_model_round_off(const ss_model *m, const ss_config *c);
/* J: the round-off of the potential energy at c; with user blocks that of gravity, and of its own size */
double ss_model_energy_round_off(const ss_model *m, const ss_config *c, double potential);
/* off/scale; where off is not above `noise`, which nothing can improve, at most tol */
static inline double ss_residual_beyond(double off, double noise, double scale, double tol)
{
    const double residual = off > 0 ? off / scale : off;
    return off <= noise && residual > tol ? tol : residual;
}

#endif
