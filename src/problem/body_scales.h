/* body_scales.h - how fast each body of a problem is, and what rounding leaves of its velocity. */
#ifndef SS_BODY_SCALES_H
#define SS_BODY_SCALES_H

#include "base/base.h"
#include "problem/acting_rows.h"
#include <slipstick/problem.h>

/* Contacts and joint rows, by the bodies they act on. */
typedef struct ss_body_rows {
    ss_acting_rows contacts, joints;
} ss_body_rows;

/* A problem, and what is known of its bodies. */
typedef struct ss_bodies {
    ss_context *ctx; /* whose threads and arena are used */
    ss_arena *arena;
    const ss_problem *problem;
    const double *L;            /* Cholesky factors of problem->scale */
    const ss_row_scales *scale; /* of the same                        */
} ss_bodies;

/* A candidate solution. */
typedef struct ss_body_motion {
    const ss_bodies *of;
    const ss_solution *solution;
    const double *size; /* nc: |r_i| of every contact */
    const ss_body_rows *rows;
} ss_body_motion;

/* What the problem alone says, one number for each block of problem->scale. */
typedef struct ss_body_ground {
    double *free;    /* nv: v_free                                 */
    double *speed;   /* the larger of |v_free,b| and |v_old,b|     */
    double *impulse; /* |b_b|                                      */
    double *moved;   /* |A v_old|_b                                */
} ss_body_ground;

/* One number for each block of problem->scale, in the norm of B: the root of twice a kinetic energy. */
typedef struct ss_body_scales {
    double *speed;    /* V_b                                             */
    double *rounding; /* N_b, of the momentum                            */
    double *noise;    /* of the velocity                                 */
    double *error;    /* |rho_b|                                         */
    double *push[2];  /* |H' r|_b^2 of contacts, |G' lam|_b^2 of joints  */
    bool *infinite;   /* ranges of SS_BODY_GRAIN: v has a number that is */
} ss_body_scales;

/* The arrays live in the arena. */
ss_status ss_body_ground_find(const ss_bodies *of, ss_body_ground *out);
ss_status ss_body_scales_find(const ss_body_motion *m, const ss_body_ground *ground, ss_body_scales *out);

enum { SS_BODY_GRAIN = 256, SS_CONTACT_GRAIN = 1024 }; /* of loops over the bodies, the contacts of a problem: base/parallel.h */

#endif
