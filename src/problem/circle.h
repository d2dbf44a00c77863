/* circle.h - one contact with a circular cone by cases: take-off and stick inlined where contacts are visited, slip in circle.c.
 *
 *   u = W r + q,  g(e) = (1, mu e),  e a unit vector; in the plane e = +1, -1
 *   take-off    r = 0          Coulomb: q_N >= 0          associated: q_N >= mu |q_T|
 *   stick       u = 0          r = -W^-1 q in K, computed as r - W^-1 u from the pair at hand: errors of the inverse are
 *                              corrected from visit to visit
 *   slip        r = t g(e),  u_T against e                                                                       */
#ifndef SS_CIRCLE_H
#define SS_CIRCLE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* W and its inverse by rows, 3 x 3 in space, 2 x 2 in the plane. */
typedef struct ss_circle {
    const double *W, *inverse;
    double mu;
    bool associated;
} ss_circle;

/* The impulse of slip for the free velocity q. In: r, and the velocity u that goes with it, which say where the search begins.
 * False if it does not find one; r is then as it was. */
bool ss_circle_slip(const ss_circle *c, const double *q, const double *u, double *r);
bool ss_circle_slip_in_plane(const ss_circle *c, const double *q, double *r);
/* The same in space from directions all around. */
bool ss_circle_slip_anywhere(const ss_circle *c, const double *q, double *r);

/* |x_T|^2 */
static inline double ss_circle_square(int rows, const double *x) { return rows == 3 ? x[1] * x[1] + x[2] * x[2] : x[1] * x[1]; }

static inline bool ss_circle_takes_off(const ss_circle *c, int rows, const double *q)
{
    return q[0] >= 0 && (!c->associated || q[0] >= c->mu * sqrt(ss_circle_square(rows, q)));
}

static inline bool ss_circle_sticks(const ss_circle *c, int rows, const double *u, double *r)
{
    double trial[3] = { 0 };
    for (int i = 0; i < rows; i++) {
        double change = 0;
        for (int j = 0; j < rows; j++) {
            change += c->inverse[rows * i + j] * u[j];
        }
        trial[i] = r[i] - change;
    }
    double most = c->mu * trial[0];
    if (!(trial[0] >= 0 && ss_circle_square(rows, trial) <= most * most)) {
        return false;
    }
    memcpy(r, trial, (size_t)rows * sizeof *r);
    return true;
}

/* q_i of row i from a pair r, u */
static inline double ss_circle_free(const ss_circle *c, int rows, int i, const double *u, const double *r)
{
    double sum = u[i];
    for (int j = 0; j < rows; j++) {
        sum -= c->W[rows * i + j] * r[j];
    }
    return sum;
}

/* The whole of it. In: impulse r and the velocity u that goes with it; W is invertible. False if no case was found; r is then as
 * it was. What a case does not need is not computed. */
static inline bool ss_circle_solve(const ss_circle *c, int rows, const double *u, double *r)
{
    double q[3] = { ss_circle_free(c, rows, 0, u, r) };
    for (int i = 1; i < rows && c->associated; i++) {
        q[i] = ss_circle_free(c, rows, i, u, r);
    }
    if (ss_circle_takes_off(c, rows, q)) {
        memset(r, 0, (size_t)rows * sizeof *r);
        return true;
    }
    if (ss_circle_sticks(c, rows, u, r)) {
        return true;
    }
    for (int i = 1; i < rows; i++) {
        q[i] = ss_circle_free(c, rows, i, u, r);
    }
    return rows == 3 ? ss_circle_slip(c, q, u, r) : ss_circle_slip_in_plane(c, q, r);
}

#endif
