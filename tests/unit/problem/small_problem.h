/* small_problem.h - one-step problems written down by hand: rows as plain arrays, blocks on the stack. */
#ifndef SS_SMALL_PROBLEM_H
#define SS_SMALL_PROBLEM_H

#include "base/base.h"
#include "math/matrix.h"
#include "test.h"

enum { SP_V = 24, SP_R = 36, SP_J = 12, SP_C = 16, SP_D = 128 };

typedef struct small_problem {
    ss_context *ctx;
    ss_problem p;
    int offset[SP_V], size[SP_V], start[SP_V];
    double M[SP_V * 6], S[SP_V * 6], b[SP_V], c[SP_J], w[SP_R], v_old[SP_V];
    int row[SP_C + 1], dir[SP_C + 1];
    unsigned law[SP_C];
    double mu[SP_C], direction[2 * SP_D];
    double v[SP_V], lam[SP_J], r[SP_R], u[SP_R];
    uint64_t basis[SP_C];
    ss_solution s;
} small_problem;

static inline void sp_open(small_problem *y, ss_context *ctx, int dimension)
{
    memset(y, 0, sizeof *y);
    y->ctx = ctx;
    y->p = ss_problem_make(dimension);
    y->p.b = y->b;
    y->p.c = y->c;
    y->p.w = y->w;
    y->p.v_old = y->v_old;
    y->p.row = y->row;
    y->p.law = y->law;
    y->p.mu = y->mu;
    y->p.dir = y->dir;
    y->p.direction = y->direction;
    ss_problem_set_blocks(&y->p, &(ss_blockdiag){ .offset = y->offset, .size = y->size, .start = y->start, .x = y->M });
    y->s = (ss_solution){ .v = y->v, .lam = y->lam, .r = y->r, .u = y->u, .basis = y->basis };
}

static inline void sp_close(small_problem *y)
{
    ss_csr *all[] = { &y->p.A.sparse, &y->p.G, &y->p.H, &y->p.W };
    for (int k = 0; k < 4; k++) {
        ss_csr_free(y->ctx, all[k]);
    }
}

/* append a block; `diagonal` only, or a full matrix by rows */
static inline void sp_block(small_problem *y, int size, const double *x, bool full)
{
    ss_blockdiag M = y->p.scale;
    int b = M.blocks++, at = b == 0 ? 0 : y->start[b - 1] + y->size[b - 1] * y->size[b - 1];
    y->offset[b] = M.n;
    y->size[b] = size;
    y->start[b] = at;
    for (int i = 0; i < size * size; i++) {
        y->M[at + i] = full ? x[i] : i % (size + 1) == 0 ? x[i / size] : 0;
    }
    M.n += size;
    ss_problem_set_blocks(&y->p, &M);
    y->p.G.n = y->p.H.n = y->p.A.sparse.n = M.n;
}

/* the scale gets numbers of its own: the blocks of A's symmetric part */
static inline void sp_scale_by_A(small_problem *y)
{
    const ss_csr *A = &y->p.A.sparse;
    memcpy(y->S, y->M, sizeof y->S);
    y->p.scale.x = y->S;
    for (int b = 0; b < y->p.scale.blocks; b++) {
        int first = y->offset[b], n = y->size[b];
        for (int i = 0; i < n; i++) {
            for (int e = A->p[first + i]; e < A->p[first + i + 1]; e++) {
                int j = A->i[e] - first;
                if (j >= 0 && j < n) {
                    y->S[y->start[b] + i * n + j] += 0.5 * A->x[e];
                    y->S[y->start[b] + j * n + i] += 0.5 * A->x[e];
                }
            }
        }
    }
}

/* append a dense row, zeros left out */
static inline void sp_row(small_problem *y, ss_csr *A, const double *x)
{
    for (int j = 0; j < A->n; j++) {
        if (x[j] != 0) {
            CHECK_OK(y->ctx, ss_csr_push(y->ctx, A, j, x[j]));
        }
    }
    CHECK_OK(y->ctx, ss_csr_end_row(y->ctx, A));
}

static inline void sp_joint(small_problem *y, const double *x, double c)
{
    y->c[y->p.nj++] = c;
    sp_row(y, &y->p.G, x);
}

/* append a contact: `rows` dense rows of nv numbers each; `n` directions (2 numbers each) */
static inline void sp_contact(small_problem *y, unsigned law, double mu, int rows, const double *x, int n, const double *d)
{
    int k = y->p.nc++;
    for (int i = 0; i < rows; i++) {
        sp_row(y, &y->p.H, x + i * y->p.nv);
    }
    y->row[k + 1] = y->row[k] + rows;
    y->law[k] = law;
    y->mu[k] = mu;
    y->dir[k + 1] = y->dir[k] + n;
    if (n > 0) {
        memcpy(y->direction + 2 * y->dir[k], d, sizeof(double) * 2 * (size_t)n);
    }
}

/* b = M (v + kick), and v_old = v */
static inline void sp_motion(small_problem *y, const double *v, const double *kick)
{
    double free[SP_V];
    for (int i = 0; i < y->p.nv; i++) {
        y->v_old[i] = v[i];
        free[i] = v[i] + (kick ? kick[i] : 0);
    }
    ss_blockdiag_times(&y->p.scale, free, y->b);
}

/* the same A as a sparse matrix, with `extra` added to entry (i, j) if i >= 0 */
static inline void sp_make_sparse(small_problem *y, bool symmetric, int i, int j, double extra)
{
    const ss_blockdiag *M = &y->p.scale;
    y->p.A.diagonal = (ss_blockdiag){ 0 };
    y->p.A.symmetric = symmetric;
    ss_csr_reset(&y->p.A.sparse, y->p.nv);
    for (int b = 0; b < M->blocks; b++) {
        for (int r = 0; r < M->size[b]; r++) {
            double row[SP_V] = { 0 };
            memcpy(row + M->offset[b], M->x + M->start[b] + r * M->size[b], sizeof(double) * (size_t)M->size[b]);
            if (i == M->offset[b] + r) {
                row[j] += extra;
            }
            sp_row(y, &y->p.A.sparse, row);
        }
    }
}

static const double sp_line[] = { 1, 0, -1, 0 };                /* 2D                    */
static const double sp_square[] = { 1, 0, 0, 1, -1, 0, 0, -1 }; /* 3D, four directions   */

#endif
