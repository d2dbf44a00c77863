/* hybrid.h - motion that is smooth between events: y' = f(t, y) while guards g_k(y) >= 0, and a jump where one falls to
 * zero. Kept as knots, from each of which one step reaches any time before the next. Asking adds knots: one thread at a
 * time. */
#ifndef SS_HYBRID_H
#define SS_HYBRID_H

#include "math/extrapolation.h"

typedef enum ss_knot_kind {
    SS_KNOT_SMOOTH,
    SS_KNOT_JUMP, /* the state jumps here   */
    SS_KNOT_KINK, /* its rate does          */
} ss_knot_kind;

enum { SS_MODE_REST = -1 }; /* y stays as it is from here on */

typedef struct ss_knot {
    double t, y[SS_ODE_MAX];
    int mode;      /* of the equations from here on          */
    unsigned zero; /* guards that are zero here, by bits     */
    ss_knot_kind kind;
} ss_knot;

typedef struct ss_guard_value {
    double start;  /* g(y)                                       */
    double change; /* g(y + d) - g(y), written without cancellation */
    double rate;   /* dg/dt at y + d                             */
} ss_guard_value;

typedef struct ss_hybrid {
    /* given by the user */
    ss_ode ode;
    double longest; /* no step is longer: guards are looked at four times a step */
    double touch;   /* a guard within this of zero at the start is zero           */
    int guards;
    bool (*guard)(const void *user, int mode, int k, const double *y, const double *d,
                  ss_guard_value *out); /* false: not watched */
    /* Guard k is zero at the knot, which comes as SS_KNOT_JUMP: set what follows (y, mode, kind). If it
     * moves t on, what follows holds from the event itself and the knot of that kind lies at the later time. */
    void (*jump)(const void *user, int k, ss_knot *knot);
    /* made here */
    ss_knot *knot;
    int knots, capacity;
    double h;
    bool failed; /* ss_hybrid_next could not go on */
} ss_hybrid;

ss_status ss_hybrid_start(ss_context *ctx, ss_hybrid *motion, int mode, const double *y);
void ss_hybrid_free(ss_context *ctx, ss_hybrid *motion);
/* State at t >= 0 (side < 0: before what happens at t); knots are added up to t. y[n]; *mode may be NULL. */
ss_status ss_hybrid_at(ss_context *ctx, ss_hybrid *motion, double t, int side, double *y, int *mode);
/* First event of a kind after t; INFINITY if there is none up to the horizon, or if the motion could not be continued: the
 * next ss_hybrid_at then fails. */
double ss_hybrid_next(ss_context *ctx, ss_hybrid *motion, ss_knot_kind kind, double t, double horizon);

#endif
