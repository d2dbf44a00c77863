/* residual_scales.h - what a certificate needs of a problem, whatever the candidate: factors, scales of rows, islands.
 *
 * There is one such store in a context, which all users of residual.h fill in turn. A user who is not the last one to have filled
 * it fills it again, from the same problem and so with the same bits: certificates of several solvers, and the driver's, are
 * hardly ever wanted for the same problem at the same time, and each would hold some kilobytes for every body. */
#ifndef SS_RESIDUAL_SCALES_H
#define SS_RESIDUAL_SCALES_H

#include "math/matrix.h"
#include "problem/body_scales.h"
#include "problem/residual.h"

typedef struct ss_residual_scales {
    ss_context *ctx;
    ss_arena *arena;
    ss_block_factor factor; /* of B                                              */
    double *of_H, *of_G;    /* R_i B^-1 R_i' of the rows of H and G              */
    int H_cap, G_cap;
    ss_row_scales scales;
    ss_body_rows rows;  /* the same, by body                                 */
    ss_islands islands; /* of the problem                                    */
    ss_arena_mark kept; /* what lies before it in the arena belongs to them   */
    int users;
    const ss_residual_work *filled_by; /* NULL: not filled */
} ss_residual_scales;

struct ss_residual_work {
    ss_context *ctx;
    ss_residual_scales *scales;
};

/* of this problem, and belonging to `work` until another user fills them */
ss_status ss_residual_scales_fill(ss_residual_work *work, const ss_problem *problem);

#endif
