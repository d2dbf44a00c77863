/* rates.c - derivatives in time of what only a callback knows: central differences of sixth order.
 *
 *     D6 = (45 d_1 - 9 d_2 + d_3) / (60 s),   D4 = (8 d_1 - d_2) / (12 s),   d_k = f(k s) - f(-k s)
 *
 * Step        s = 2^-8, 2^-11, 2^-14, 2^-17 over the speed of the motion, as long as the bound |D6 - D4| + eps max |f| / s on the
 *             error falls by more than 8 in some row; each row keeps its best. From one step to the next rounding grows by 8
 *             and the error of D4 falls by 4096; that of D6 is far below it.
 * Error       f with derivatives of its own size: below 1e-12 of f; f = sin(1000 t): 1e-13 of f'
 * Cost        18 values of f as a rule, 24 at most; nothing is allocated */
#include "model/rates.h"

#include "math/worse.h"
#include <float.h>
#include <math.h>

/* d6[n] = D6 with step s and the bound on its error; f[n] and size[n], the largest |f|, are scratch */
static ss_status difference(ss_flow_function *function, const void *self, int n, double s, double *f, double *size, double *d6,
                            double *error)
{
    static const double value[4] = { 0, 45, -9, 1 }, apart[4] = { 0, 5, -4, 1 }; /* weights of D6 and of D6 - D4 */
    memset(size, 0, (size_t)n * sizeof *size);
    memset(d6, 0, (size_t)n * sizeof *d6);
    memset(error, 0, (size_t)n * sizeof *error);
    for (int k = 1; k <= 3; k++) {
        for (int side = -1; side <= 1; side += 2) {
            double scale = side / (60 * s);
            SS_TRY(function(self, side * k * s, f));
            for (int i = 0; i < n; i++) {
                d6[i] += scale * value[k] * f[i];
                error[i] += scale * apart[k] * f[i];
                size[i] = ss_worse(size[i], fabs(f[i]));
            }
        }
    }
    for (int i = 0; i < n; i++) {
        error[i] = fabs(error[i]) + DBL_EPSILON * size[i] / s;
    }
    return SS_OK;
}

ss_status ss_flow_rate(ss_flow_function *function, const void *self, int n, double speed, double *work, double *out)
{
    double *f = work, *size = f + n, *d6 = size + n, *error = d6 + n, *best = error + n, s = 1 / (256 * speed);
    for (int i = 0; i < n; i++) {
        best[i] = INFINITY;
        out[i] = NAN;
    }
    bool better = true;
    for (int level = 0; level < 4 && better; level++, s /= 8) {
        SS_TRY(difference(function, self, n, s, f, size, d6, error));
        better = false;
        for (int i = 0; i < n; i++) {
            better = better || isinf(best[i]);
            if (error[i] < best[i] / 8) {
                best[i] = error[i];
                out[i] = d6[i];
                better = true;
            }
        }
    }
    return SS_OK;
}
