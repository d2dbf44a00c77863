/* events.h - the first zero of several functions along a step.
 *
 * A function is armed when it is above its tolerance at the start; an event is its first fall to zero.
 * Functions that start at or below zero are not armed, so that an event is not detected a second time from its own zero.
 * Functions that vanish within `tie` of the first one are reported with it. Below `floor` nothing is
 * located. The functions are evaluated through one callback, on whatever path the caller has: the
 * scheme's own step as a function of its length, or an interpolant. */
#ifndef SS_EVENTS_H
#define SS_EVENTS_H

#include "model/model.h"

/* g[k] of function which[k] at s; may be called in any order of s */
typedef ss_status (*ss_event_eval)(void *user, double s, int count, const int *which, double *g);

typedef struct ss_event_search {
    ss_event_eval eval;
    void *user;
    int count;           /* functions                                                  */
    const double *start; /* count: values at s = 0                                     */
    const double *armed; /* count: a function is armed when start > armed (>= 0)       */
    double length;       /* search in (0, length]                                      */
    double tol;          /* on s                                                       */
    double tie;          /* functions within `tie` of the first zero are simultaneous   */
    double floor;        /* length <= floor: no event                                  */
    double accept;       /* a root is taken where |g| <= accept, or the bracket is below tol */
} ss_event_search;

typedef struct ss_event_found {
    bool found;
    double s;   /* where the first function vanishes: |g| <= accept, or just past the root */
    int count;  /* simultaneous functions                                     */
    int *which; /* in increasing order, `count` of them; from the arena       */
    int evaluations;
} ss_event_found;

ss_status ss_events_first(ss_arena *arena, const ss_event_search *search, ss_event_found *out);

/* Root of a continuous f with f(a) > 0 >= f(b): where |f| <= accept, or the end with f <= 0 of a bracket below tol. */
typedef ss_status (*ss_root_eval)(void *user, double s, double *f);
ss_status ss_root_bracketed(ss_root_eval eval, void *user, double a, double fa, double b, double fb, double tol, double accept,
                            double *root, int *evaluations);

/* Cubic Hermite path from (q0, v0) to (q1, v1) over h: position and velocity at s in [0, h]; rotations
 * follow the curve in the tangent space at q0. */
void ss_hermite(const ss_model *m, const double *q0, const double *v0, const double *q1, const double *v1, double h, double s,
                double *scratch /* 2 nv */, double *q, double *v);

#endif
