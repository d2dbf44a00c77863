/* reduction.c - a problem as u = W r + q for solvers from outside the library, which do not see bodies.
 *
 * Cost   a factorisation of the joints' system and a solve for each row; W is dense */
#include "problem/delassus.h"
#include "problem/kkt.h"
#include <slipstick/extend.h>

struct ss_reduction {
    ss_context *ctx;
    ss_arena *arena;
    ss_kkt *kkt;
    ss_delassus *delassus;
    const ss_problem *problem; /* taken last */
    double *W, *q;
    int *row;
    int W_cap, q_cap, row_cap;
};

static ss_status build(ss_reduction *x)
{
    SS_TRY(ss_arena_create(x->ctx, 1 << 12, &x->arena));
    SS_TRY(ss_kkt_create(x->ctx, &x->kkt));
    return ss_delassus_create(x->ctx, &x->delassus);
}

ss_status ss_reduction_create(ss_context *ctx, ss_reduction **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    const ss_status status = build(*out);
    if (status != SS_OK) {
        ss_reduction_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_reduction_destroy(ss_reduction *x)
{
    if (x) {
        ss_arena_destroy(x->arena);
        ss_kkt_destroy(x->kkt);
        ss_delassus_destroy(x->delassus);
        ss_free(x->ctx, x->W);
        ss_free(x->ctx, x->q);
        ss_free(x->ctx, x->row);
        ss_free(x->ctx, x);
    }
}

/* rows x rows numbers; a number of them that no int holds is refused */
static ss_status make_room(ss_reduction *x, int rows)
{
    enum { MOST = 40000 };
    if (rows > MOST) {
        return ss_fail(x->ctx, SS_ERR_UNSUPPORTED, "reduction: %d rows are too many for a dense matrix, at most %d", rows, MOST);
    }
    SS_TRY(ss_reserve(x->ctx, &x->W, &x->W_cap, rows * rows, sizeof *x->W));
    SS_TRY(ss_reserve(x->ctx, &x->q, &x->q_cap, rows, sizeof *x->q));
    return ss_reserve(x->ctx, &x->row, &x->row_cap, rows, sizeof *x->row);
}

ss_status ss_reduction_take(ss_reduction *x, const ss_problem *problem, const double **W, const double **q)
{
    const int rows = problem->nc > 0 ? problem->row[problem->nc] : 0;
    SS_TRY(make_room(x, rows));
    SS_TRY(problem->local ? SS_OK : ss_kkt_factor(x->kkt, problem));
    SS_TRY(ss_delassus_prepare(x->delassus, problem, problem->local ? NULL : x->kkt));
    for (int i = 0; i < rows; i++) {
        x->row[i] = i;
    }
    const ss_arena_mark mark = ss_arena_save(x->arena);
    const ss_status status = ss_delassus_submatrix(x->delassus, x->arena, rows, x->row, x->W, x->q);
    ss_arena_release(x->arena, mark);
    x->problem = problem;
    *W = x->W;
    *q = x->q;
    return status;
}

ss_status ss_reduction_recover(ss_reduction *x, ss_solution *solution) { return ss_kkt_recover(x->kkt, x->problem, solution); }
