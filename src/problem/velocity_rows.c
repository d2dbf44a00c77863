/* velocity_rows.c - J of u = J v + w.
 *
 * Global form: the rows of the contacts, then those of the joints. Local form u = W r + q: with A = I and a J such that
 * J J' = (W + W')/2 it becomes a global one; J(p, :) is the lower trapezoid of a pivoted Cholesky, its width the rank.
 * Cost        local form: rows^2 rank, and rows^2 numbers of scratch                                  */
#include "problem/velocity_rows.h"
#include "base/tolerances.h"

#include "math/csr.h"
#include "math/dense.h"

static ss_status append_rows(ss_context *ctx, const ss_csr *R, ss_csr *J)
{
    for (int i = 0; i < R->m; i++) {
        for (int e = R->p[i]; e < R->p[i + 1]; e++) {
            SS_TRY(ss_csr_push(ctx, J, R->i[e], R->x[e]));
        }
        SS_TRY(ss_csr_end_row(ctx, J));
    }
    return SS_OK;
}

/* (W + W')/2, column-major */
static void symmetric_part(const ss_csr *W, size_t n, double *S)
{
    for (int i = 0; i < W->m; i++) {
        for (int e = W->p[i]; e < W->p[i + 1]; e++) {
            S[(size_t)i + n * (size_t)W->i[e]] += 0.5 * W->x[e];
            S[(size_t)W->i[e] + n * (size_t)i] += 0.5 * W->x[e];
        }
    }
}

/* row order[i] of J is row i of the trapezoid L */
static ss_status unpivot(ss_context *ctx, int n, int rank, const double *L, const int *order, int *where, ss_csr *J)
{
    for (int i = 0; i < n && rank > 0; i++) {
        where[order[i]] = i;
    }
    ss_csr_reset(J, rank);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < rank && j <= where[i]; j++) {
            SS_TRY(ss_csr_push(ctx, J, j, L[(size_t)where[i] + (size_t)n * (size_t)j]));
        }
        SS_TRY(ss_csr_end_row(ctx, J));
    }
    return SS_OK;
}

static ss_status factor_rows(ss_context *ctx, ss_arena *arena, const ss_csr *W, ss_csr *J)
{
    size_t n = (size_t)W->m;
    double *S, *scratch;
    int *order, *where;
    SS_TRY(ss_arena_take(arena, n * n, sizeof *S, &S));
    SS_TRY(ss_arena_take_raw(arena, 2 * n, sizeof *scratch, &scratch));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *order, &order));
    SS_TRY(ss_arena_take_raw(arena, n, sizeof *where, &where));
    symmetric_part(W, n, S);
    int rank = ss_dense_cholesky_pivoted(W->m, S, W->m, SS_TOL_RANK, order, scratch);
    return unpivot(ctx, W->m, rank, S, order, where, J);
}

ss_status ss_velocity_rows(ss_context *ctx, ss_arena *arena, const ss_problem *p, ss_csr *J)
{
    if (p->local) {
        ss_arena_mark mark = ss_arena_save(arena);
        ss_status status = factor_rows(ctx, arena, &p->W, J);
        ss_arena_release(arena, mark);
        return status;
    }
    ss_csr_reset(J, p->nv);
    SS_TRY(append_rows(ctx, &p->H, J));
    return append_rows(ctx, &p->G, J);
}
