/* hermite.c - the cubic that joins two states of a step.
 *
 * In the tangent space at q0:  x(s) = h10 h v0 + h01 d + h11 h v1,  d = q1 (-) q0,  of rotations the one nearest to
 * h (v0 + v1)/2, which may be more than half a turn,  with the Hermite
 * polynomials of sigma = s/h; the position is q0 (+) x(s), the velocity x'(s). Third order between the
 * ends; exact for straight and parabolic paths. [PAGT06 eq. 7.2 uses it on the gap.] */
#include "events/events.h"

void ss_hermite(const ss_model *m, const double *q0, const double *v0, const double *q1, const double *v1, double h, double s,
                double *scratch, double *q, double *v)
{
    double *d = scratch, *x = scratch + m->nv;
    double z = s / h;
    double h10 = z * (1 - z) * (1 - z), h01 = z * z * (3 - 2 * z), h11 = z * z * (z - 1);
    double d10 = (1 - z) * (1 - 3 * z), d01 = 6 * z * (1 - z) / h, d11 = z * (3 * z - 2);
    for (int i = 0; i < m->nv; i++) {
        x[i] = 0.5 * h * (v0[i] + v1[i]);
    }
    ss_model_difference_near(m, q0, q1, x, d);
    for (int i = 0; i < m->nv; i++) {
        x[i] = h10 * h * v0[i] + h01 * d[i] + h11 * h * v1[i];
        v[i] = d10 * v0[i] + d01 * d[i] + d11 * v1[i];
    }
    ss_model_retract(m, q0, x, 1, q);
}
