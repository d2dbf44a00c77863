/* schur.h - the joints' own matrix S = G B^-1 G', its factors, and the joint rows that depend on others. */
#ifndef SS_SCHUR_H
#define SS_SCHUR_H

#include "base/base.h"
#include "math/ldl.h"
#include "problem/gram.h"
#include <slipstick/problem.h>

typedef struct ss_schur {
    ss_gram gram; /* rows of G cut along the blocks of B */
    ss_ldl *ldl;
    double redundant;            /* pivots below it, relative, are rows that depend on others */
    int *Sp, *Si, *place, *seen; /* pattern of S; where each product goes        */
    double *Sx;
    bool *skip;         /* redundant rows                               */
    bool pattern_known; /* of the gram as it is                         */
    bool doubtful;      /* S could not exclude redundant rows           */
    int Sp_cap, Si_cap, place_cap, Sx_cap;
} ss_schur;

ss_status ss_schur_create(ss_context *ctx, ss_schur *s);
void ss_schur_destroy(ss_context *ctx, ss_schur *s);
/* L: Cholesky factors of B. Memory only when a pattern is new. */
ss_status ss_schur_factor(ss_context *ctx, ss_schur *s, const ss_blockdiag *B, const double *L, const ss_csr *G);

#endif
