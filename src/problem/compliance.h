/* compliance.h - contact impulses as the limit of vanishing compliance, for one island by a direct method.
 *
 *     u = W r + q,   u_i + eps e_i r_i and r_i obey law_i,   eps -> 0                                    */
#ifndef SS_COMPLIANCE_H
#define SS_COMPLIANCE_H

#include "math/limit.h"
#include "problem/face.h"
#include <slipstick/problem.h>

/* An island: some contacts of a problem with their dense W. Contact i of it has the rows first[i] .. first[i+1]-1. */
typedef struct ss_compliant {
    const ss_problem *problem; /* for the laws                                   */
    int nc, n;                 /* contacts, rows                                 */
    const int *contact;        /* nc: their numbers in the problem               */
    const int *first;          /* nc+1                                           */
    const double *W;           /* n x n                                          */
    double *q;                 /* n; out: what rows that depend on each other agree upon */
    const double *d;           /* nc: trace of W_ii over its rows, > 0           */
    const double *e;           /* nc: share of the compliance, > 0               */
    const double *terms;       /* n: sizes of the terms of u, |H||v| + |w|               */
    double *r, *u;             /* n: in: a solution; out: the limit              */
    bool dependent;            /* out: rows of active contacts depend on each other */
} ss_compliant;

/* the linear equations of the faces at hand, scaled by sqrt(d) of each contact:  (B + eps C) x = g */
typedef struct ss_face_system {
    int n;           /* unknowns                             */
    int *owner;      /* n: contact                           */
    double *B, *C;   /* n x n                                */
    double *g, *x;   /* n                                    */
    double *WP, *Wc; /* rows x n; rows: W times constant impulses, and q */
} ss_face_system;

typedef struct ss_compliance_run {
    ss_compliant *c;
    ss_arena *arena;
    ss_face *face; /* nc */
    ss_face_system system;
    ss_limit limit;      /* the factors of the limit that was found */
    ss_arena_mark mark;  /* what follows in the arena is theirs      */
    double *next, *best; /* n: impulses of a trial                */
    double speed;        /* |q|/sqrt(d) and terms/sqrt(d), the largest of the island                     */
    double scale;        /* of sqrt(d)|r| and |u|/sqrt(d) in the island */
} ss_compliance_run;

/* What r and u of the island hold gives the scale of its errors. Memory from the arena, for as long as the run is used. */
ss_status ss_compliance_open(ss_compliance_run *run, ss_arena *arena, ss_compliant *c);
/* Take the state of each contact (open, stick, slip) from its velocity. *found: the limit on these states obeys the laws. */
ss_status ss_compliance_guess(ss_compliance_run *run, bool *found);
/* The solution for a small eps from the states that the impulses last[n] of the last step show, whatever r and u are; then the
 * limit on its states. *found: there is one near by. */
ss_status ss_compliance_recall(ss_compliance_run *run, const double *last, bool *found);
/* Follow the solution from a large eps to a small one, whatever r and u are; then the limit on the states found there. */
ss_status ss_compliance_follow(ss_context *ctx, ss_compliance_run *run, bool *found);
/* One step of iterative refinement of a limit that was found: c->u holds velocities of c->r that are more accurate than W r + q
 * (a heavy body on a light one). Changes c->r; returns by how much, of the scale. */
double ss_compliance_refine(ss_compliance_run *run);

#endif
