/* body_scales.h - how fast each body of a problem is, and what rounding leaves of its velocity. */
#ifndef SS_BODY_SCALES_H
#define SS_BODY_SCALES_H

#include "base/base.h"
#include "math/matrix.h"
#include <slipstick/problem.h>

/* Contacts and joint rows, by the bodies they act on. */
typedef struct ss_body_rows {
    ss_row_shares contacts, joints;
} ss_body_rows;

/* A candidate solution, and what it is compared with. */
typedef struct ss_body_motion {
    const ss_problem *problem;
    const ss_solution *solution;
    const double *L; /* Cholesky factors of problem->scale */
} ss_body_motion;

/* What the problem alone says, one number for each block of problem->scale. */
typedef struct ss_body_ground {
    double *speed;   /* the larger of |v_free,b| and |v_old,b| */
    double *impulse; /* |b_b|                                  */
} ss_body_ground;

/* One number for each block of problem->scale, in the norm of B: the root of twice a kinetic energy. */
typedef struct ss_body_scales {
    double *speed;    /* V_b                  */
    double *rounding; /* N_b, of the momentum */
    double *noise;    /* of the velocity      */
} ss_body_scales;

/* free: nv, v_free. The arrays live in the arena. */
ss_status ss_body_ground_find(ss_arena *arena, const ss_problem *p, const double *free, ss_body_ground *out);
ss_status ss_body_scales_find(ss_arena *arena, const ss_body_motion *m, const ss_body_ground *ground, const ss_body_rows *rows,
                              ss_body_scales *out);

/* out[b] = sqrt(x_b . y_b) of every block; |x| in the norm of B for y = B x, in that of B^-1 for y = B^-1 x */
void ss_block_norms(const ss_blockdiag *B, const double *x, const double *y, double *out);

#endif
