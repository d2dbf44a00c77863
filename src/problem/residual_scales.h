/* residual_scales.h - what a certificate needs of a problem, whatever the candidate: factors, scales of rows, islands, and the
 * denominators as far as the candidate does not raise them.
 *
 * There is one such store in a context for all users of residual.h: each would hold some kilobytes for every body. It is filled
 * for a problem with new numbers (digest.h) and found filled by all who ask about the same problem, as solvers and the driver do
 * in turn. */
#ifndef SS_RESIDUAL_SCALES_H
#define SS_RESIDUAL_SCALES_H

#include "math/matrix.h"
#include "problem/body_scales.h"
#include "problem/digest.h"
#include "problem/residual.h"

/* What a problem alone contributes to the denominators of residual.c; global form, but for q. */
typedef struct ss_residual_ground {
    double *contact;  /* islands: the largest |H_i v_free + w_i|/sqrt(d_i) and |H_i v_old|/sqrt(d_i) */
    double *momentum; /* islands: the larger of |b| and |A v_old|           */
    double q;         /* |H v_free + w| of all rows                         */
    ss_body_ground bodies;
} ss_residual_ground;

/* The candidate that was judged last, and its certificate. */
typedef struct ss_residual_verdict {
    bool is; /* false: none */
    ss_digest of;
    ss_residual found;
} ss_residual_verdict;

/* The problem that the store is filled for. */
typedef struct ss_residual_filling {
    bool is; /* false: none */
    uint64_t number;
    ss_digest of;
    ss_residual_verdict last; /* of its candidates */
} ss_residual_filling;

typedef struct ss_residual_scales {
    ss_context *ctx;
    ss_arena *arena;
    ss_block_factor factor; /* of B                                              */
    double *of_contact;     /* d_i: trace(H_i B^-1 H_i')/dim_i; local form: of the diagonal of W */
    double *of_joint;       /* d_j: G_j B^-1 G_j'                                */
    int contact_cap, joint_cap;
    ss_row_scales scales;
    ss_body_rows rows;  /* the same, by body                                 */
    ss_islands islands; /* of the problem                                    */
    ss_residual_ground ground;
    ss_arena_mark kept; /* what lies before it in the arena belongs to them   */
    int users;
    ss_residual_filling filling;
    ss_residual_held held;
} ss_residual_scales;

struct ss_residual_work {
    ss_context *ctx;
    ss_residual_scales *scales;
    uint64_t filling; /* number of the one with this user's last problem; 0: none */
};

/* of this problem, until another one is asked about */
ss_status ss_residual_scales_fill(ss_residual_work *work, const ss_problem *problem);
/* The same where it is known that the problem is that of this user's last call. */
ss_status ss_residual_scales_keep(ss_residual_work *work, const ss_problem *problem);

/* scale[island] = max(scale[island], |x|), |x|^2 the sum of the squares of its blocks; sum: islands numbers of scratch */
void ss_residual_raise(const ss_residual_scales *s, int blocks, const double *square, double *sum, double *scale);
/* What is known of the bodies of a problem. */
ss_bodies ss_residual_bodies(const ss_residual_scales *s, const ss_problem *p);

#endif
