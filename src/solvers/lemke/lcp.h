/* lcp.h - contacts with polygonal friction as a linear complementarity problem, scaled. */
#ifndef SS_LCP_H
#define SS_LCP_H

#include "base/base.h"
#include "problem/delassus.h"
#include "solvers/lemke/basis_trial.h"
#include <slipstick/problem.h>

enum { SS_LCP_MAX_DIRECTIONS = 60 };           /* a basis has one bit for each unknown of a contact */
#define SS_LCP_BASIS_KNOWN (UINT64_C(1) << 63) /* in ss_solution.basis */

typedef enum ss_lcp_kind { SS_LCP_NORMAL, SS_LCP_FRICTION, SS_LCP_SLIP } ss_lcp_kind;

/* One unknown: c_n, a beta, or lambda. It acts on rows `row`, `row`+1 with coefficients `along`. */
typedef struct ss_lcp_unknown {
    ss_lcp_kind kind;
    int contact, bit; /* bit in the contact's basis */
    int row, rows;    /* into ss_lcp.row            */
    double along[2];
    double scale; /* z = scale * scaled z       */
} ss_lcp_unknown;

typedef struct ss_lcp {
    const ss_problem *problem;
    int n, rows; /* unknowns; contact rows involved               */
    int *row;    /* row numbers in the problem                    */
    ss_lcp_unknown *unknown;
    double *W, *w;      /* rows x rows, column-major, and rows: u = W r + w, in units */
    int *first, *entry; /* rows+1, and the rows of the nonzeros of each column of W */
    double *given;      /* rows: w without the shift                     */
    double *q;          /* scaled: D q                                   */
    long double *r, *u; /* rows: scratch of the products                 */
    double *pushed;     /* rows+1: scratch of the columns                */
} ss_lcp;

/* Does the reduction cover every contact? Names the first that it does not. */
ss_status ss_lcp_check(ss_context *ctx, const ss_problem *problem);
/* The LCP of the listed contacts, without a shift. Memory from the arena. */
ss_status ss_lcp_build(ss_arena *arena, const ss_problem *problem, ss_delassus *delassus, int contacts, const int *contact,
                       ss_lcp *out);
/* w = H v_free + offset + shift; shift[]: for all rows of the problem; NULL: zero. W and M stay as they are. */
void ss_lcp_shift(ss_lcp *lcp, const double *shift);
/* The scaled matrix D M D, by its structure. The lcp must live as long as it is used. */
ss_pivot_matrix ss_lcp_matrix(const ss_lcp *lcp);
/* Scaled z -> r of the listed contacts (others untouched), and u = W r + w of the same rows. */
void ss_lcp_impulses(const ss_lcp *lcp, const double *z, double *r, double *u);
void ss_lcp_basis_read(const ss_lcp *lcp, const uint64_t *basis, bool *basic);
void ss_lcp_basis_write(const ss_lcp *lcp, const bool *basic, uint64_t *basis);

#endif
