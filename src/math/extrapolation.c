/* extrapolation.c - Gragg's midpoint rule, extrapolated (Gragg, Bulirsch, Stoer), in increments.
 *
 *   z_0 = 0,  z_1 = h f(t, y),  z_{m+1} = z_{m-1} + 2 h f(t + m h, y + z_m),  z_n with n h = H even in h
 *   T_{j0} = z_n with n = 2 (j + 1),  T_{jk} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1}) / ((n_j / n_{j-k})^2 - 1)
 *
 * T_{jj} has order 2 (j + 1): 12 with the six rows used here. The error that is returned is |T_jj - T_{j,j-1}|, which
 * is that of the second best value; the best one is better by several digits where the step is accepted.
 *
 * Increments, not states, are extrapolated: the weights of the last row add up to about 20 in modulus, and multiply the
 * rounding of z (small with H) rather than that of y. More rows make longer steps and worse rounding: over 628 radians of
 * an oscillator the error is 2e-13 with six rows and 1e-12 with eight. Once the estimate is below the rounding of y no
 * row is added, and when rounding makes it grow again the best row so far is kept.
 *
 * Reference  [HNW93 section II.9]: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I
 * Cost       1 + sum (n_j - 1) evaluations: 37 for all rows, 10 for the first three */
#include "math/extrapolation.h"
#include <math.h>

enum { ROWS = 6, FIRST_TEST = 2 };
static const double negligible = 0x1p-56; /* of the scale: a quarter of the rounding of a number of that size */
static const double accepted = 1e-15;     /* of the scale, for the second best value */

/* z = y(t + H) - y by `steps` (even) midpoint steps; f0 = f(t, y) */
static void midpoint(const ss_ode *ode, double t, const double *y, const double *f0, double H, int steps, double *z)
{
    double h = H / steps, before[SS_ODE_MAX] = { 0 }, at[SS_ODE_MAX], f[SS_ODE_MAX];
    for (int i = 0; i < ode->n; i++) {
        z[i] = h * f0[i];
    }
    for (int m = 1; m < steps; m++) {
        for (int i = 0; i < ode->n; i++) {
            at[i] = y[i] + z[i];
        }
        ode->rate(ode->user, ode->mode, t + m * h, at, f);
        for (int i = 0; i < ode->n; i++) {
            double next = before[i] + 2 * h * f[i];
            before[i] = z[i];
            z[i] = next;
        }
    }
}

/* Row j of the table from row j - 1 (in place, T[k] is column k) and z; returns |T_jj - T_{j,j-1}| over the scale. */
static double add_row(const ss_ode *ode, int j, const double *z, double T[ROWS][SS_ODE_MAX])
{
    double error = 0;
    for (int i = 0; i < ode->n; i++) {
        double value = z[i], last = value;
        for (int k = 1; k <= j; k++) {
            double ratio = (j + 1.0) / (j + 1 - k), above = T[k - 1][i];
            T[k - 1][i] = last = value;
            value += (value - above) / (ratio * ratio - 1);
        }
        T[j][i] = value;
        double change = fabs(value - last);
        if (!isfinite(change)) {
            return INFINITY;
        }
        error = change > 0 ? fmax(error, change / ode->scale[i]) : error;
    }
    return error;
}

double ss_ode_step(const ss_ode *ode, double t, const double *y, double h, double *d)
{
    double f0[SS_ODE_MAX], z[SS_ODE_MAX], T[ROWS][SS_ODE_MAX], best = INFINITY;
    size_t size = (size_t)ode->n * sizeof *d;
    memset(d, 0, size);
    ode->rate(ode->user, ode->mode, t, y, f0);
    for (int j = 0; j < ROWS && best > negligible; j++) {
        midpoint(ode, t, y, f0, h, 2 * (j + 1), z);
        double error = add_row(ode, j, z, T);
        if (j >= FIRST_TEST && error < best) {
            best = error;
            memcpy(d, T[j], size);
        }
    }
    return best;
}

ss_status ss_ode_longest_step(ss_context *ctx, const ss_ode *ode, double t, const double *y, double *h, double *d)
{
    for (int halvings = 0; halvings < 60; halvings++, *h *= 0.5) {
        *h = (t + *h) - t; /* or the rounding of t would add up to an error of the phase */
        if (*h != 0 && ss_ode_step(ode, t, y, *h, d) <= accepted) {
            return SS_OK;
        }
    }
    return ss_fail(ctx, SS_ERR_NUMERIC, "no step after t = %g, however short, has an error below %g", t, accepted);
}
