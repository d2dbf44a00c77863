/* error.h - how far a run is from a reference, or from another run, as one number. */
#ifndef SS_ERROR_H
#define SS_ERROR_H

#include "study/reference.h"

typedef struct ss_error_options {
    ss_quantity quantity;
    ss_norm_kind norm;
    bool unweighted;       /* l2: every step counts the same, whatever its length: the square root of the sum of squares */
    const bool *component; /* nq or nv: which ones; NULL: all */
    /* exactly one of these two is given; the reference is of the same quantity */
    ss_reference *reference;
    const ss_trajectory *other; /* a run from the same orientations, so that quaternions have the same signs in graphs */
} ss_error_options;

typedef struct ss_error {
    double value;
    double scale; /* what the norm of the reference itself would be, roughly: round-off is measured against it */
} ss_error;

ss_status ss_error_of(ss_context *ctx, const ss_error_options *options, const ss_trajectory *run, ss_error *out);

/* The least-squares line through points (log x, log y), updated point by point: means, and sums of products about the means. */
typedef struct ss_slope {
    double n, x, y, xx, xy;
} ss_slope;
void ss_slope_add(ss_slope *slope, double x, double y); /* x, y > 0; others are left out */
double ss_slope_of(const ss_slope *slope);              /* NAN: fewer than two different x */

#endif
