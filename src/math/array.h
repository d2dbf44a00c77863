/* array.h - products of short arrays; long ones: math/dense.h. */
#ifndef SS_ARRAY_H
#define SS_ARRAY_H

#include <math.h>

static inline double ss_array_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static inline double ss_array_length(int n, const double *x) { return sqrt(ss_array_dot(n, x, x)); }

/* hypot(x, y), which is asked itself only where squares could overflow or lose digits, or are no numbers. */
static inline double ss_length2(double x, double y)
{
    const double square = x * x + y * y;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

#endif
