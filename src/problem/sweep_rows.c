/* sweep_rows.c - the row form of sweep.c: u_i = W_i r + q_i, for problems in local form and for islands whose W is smaller than
 * their Y. W of such an island is a full matrix; its rows lie in the order of visits. Cost: entries of W. */
#include "math/csr.h"
#include "problem/sweep_inside.h"

/* the rows of W of one island, dense, in the order of visits */
static ss_status append_island(ss_sweep *s, int rows, const int *row)
{
    double *W, *q;
    SS_TRY(ss_arena_take(s->arena, (size_t)rows * (size_t)rows, sizeof *W, &W));
    SS_TRY(ss_arena_take(s->arena, (size_t)rows, sizeof *q, &q));
    SS_TRY(ss_delassus_submatrix(s->delassus, s->arena, rows, row, W, q));
    for (int i = 0; i < rows; i++) {
        s->q[row[i]] = q[i];
        for (int j = 0; j < rows; j++) {
            SS_TRY(ss_csr_push(s->ctx, &s->by_rows.dense, row[j], W[(size_t)i + (size_t)rows * (size_t)j]));
        }
        SS_TRY(ss_csr_end_row(s->ctx, &s->by_rows.dense));
    }
    return SS_OK;
}

/* W of the islands that have couplings and few rows */
static ss_status make_dense(ss_sweep *s)
{
    bool prepared = false;
    ss_csr_reset(&s->by_rows.dense, s->problem->H.m);
    for (int island = 0; island < s->order.islands; island++) {
        const int *row;
        int rows = ss_sweep_rows(s, island, &row), at = s->by_rows.dense.m;
        if (s->islands.form[island] != SS_SWEEP_ROWS) {
            continue;
        }
        SS_TRY(prepared ? SS_OK : ss_delassus_prepare(s->delassus, s->problem, s->kkt));
        prepared = true;
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            s->by_rows.first[k] = at;
            at += ss_sweep_rows_at(s, k);
        }
        ss_arena_mark mark = ss_arena_save(s->arena);
        ss_status status = append_island(s, rows, row);
        ss_arena_release(s->arena, mark);
        SS_TRY(status);
    }
    s->by_rows.W = &s->by_rows.dense;
    return SS_OK;
}

static void own_block(const ss_sweep *s, int k, double *W)
{
    int rows = ss_sweep_rows_at(s, k), first = s->by_rows.first[k];
    for (int i = 0; i < rows; i++) {
        for (int e = s->by_rows.W->p[first + i]; e < s->by_rows.W->p[first + i + 1]; e++) {
            int j = s->by_rows.W->i[e] - s->contacts.row[k];
            if (j >= 0 && j < rows) {
                W[rows * i + j] += s->by_rows.W->x[e];
            }
        }
    }
}

ss_status ss_sweep_open_rows(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    SS_TRY(ss_arena_take(s->arena, (size_t)s->order.positions, sizeof *s->by_rows.first, &s->by_rows.first));
    SS_TRY(ss_arena_take(s->arena, (size_t)p->row[p->nc], sizeof *s->by_rows.r, &s->by_rows.r));
    if (p->local) {
        memcpy(s->by_rows.first, s->contacts.row, (size_t)s->order.positions * sizeof *s->by_rows.first);
        memcpy(s->q, p->w, (size_t)p->W.m * sizeof *s->q);
        s->by_rows.W = &p->W;
    } else {
        SS_TRY(make_dense(s));
    }
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island);
             s->islands.form[island] == SS_SWEEP_ROWS && k < ss_sweep_position(s, island + 1); k++) {
            double W[9] = { 0 };
            own_block(s, k, W);
            ss_sweep_open(s, k, W);
        }
    }
    return SS_OK;
}
