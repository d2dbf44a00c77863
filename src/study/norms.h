/* norms.h - the error of one scalar component of a trajectory against a reference. */
#ifndef SS_NORMS_H
#define SS_NORMS_H

#include "base/base.h"

/* One scalar over time: n points (t[k], x[k * stride]), times not decreasing. Between two points it is linear; points at
 * the same time are a jump, in their order. */
typedef struct ss_graph {
    int n;
    const double *t;
    const double *x;
    int stride; /* of x: 1 for an array of its own, the row length for a column of a table */
} ss_graph;

typedef struct ss_error_norms {
    double final; /* |e| at the last time                          */
    double l1;    /* sum of w |e|                 [Aca09 eq. 21]    */
    double l2;    /* square root of the sum of w e^2                */
    double max;   /* largest |e|                                    */
    double t_max; /* the first time it is reached                   */
} ss_error_norms;

/* n >= 1 points, a stride, finite numbers, times in order; `what` opens the message: "reference". */
ss_status ss_graph_check(ss_context *ctx, const ss_graph *graph, const char *what);

/* x[i] = value of the graph at t[i], after the jump if there is one; t in any order. Times outside the graph are refused,
 * but for 1e-9 of its length, which is the round-off of adding up steps. */
ss_status ss_graph_sample(ss_context *ctx, const ss_graph *graph, int n, const double *t, double *x);

/* Norms of e = x - reference over the times of `graph`; reference[i * reference_stride] belongs to point i. */
ss_status ss_error_norms_of(ss_context *ctx, const ss_graph *graph, const double *reference, int reference_stride,
                            ss_error_norms *out);

#endif
