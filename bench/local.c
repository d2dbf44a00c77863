/* local.c - the local form u = W r + q of a block-diagonal problem, W = H M^-1 H', q = H M^-1 b + w. */
#include "local.h"

#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* inverse of a small symmetric positive definite block, by Gauss and Jordan */
static void invert(const double *block, int n, double *out)
{
    double a[BENCH_LARGEST_BLOCK * BENCH_LARGEST_BLOCK];
    memcpy(a, block, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n * n; i++) {
        out[i] = i % (n + 1) == 0;
    }
    for (int k = 0; k < n; k++) {
        double pivot = a[k * n + k];
        for (int j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
            out[k * n + j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i * n + k];
            for (int j = 0; j < n; j++) {
                a[i * n + j] -= f * a[k * n + j];
                out[i * n + j] -= f * out[k * n + j];
            }
        }
    }
}

typedef struct inverse_mass {
    double (*x)[BENCH_LARGEST_BLOCK * BENCH_LARGEST_BLOCK]; /* of each block */
    int *block;                                             /* of each velocity */
} inverse_mass;

static inverse_mass invert_mass(const ss_blockdiag *M)
{
    inverse_mass y = { bench_array((size_t)M->blocks, sizeof *y.x), bench_array((size_t)M->n, sizeof *y.block) };
    for (int k = 0; k < M->blocks; k++) {
        invert(M->x + M->start[k], M->size[k], y.x[k]);
        for (int i = 0; i < M->size[k]; i++) {
            y.block[M->offset[k] + i] = k;
        }
    }
    return y;
}

static ss_csr transpose(const ss_csr *a)
{
    ss_csr t = {
        .m = a->n, .n = a->m, .p = bench_array((size_t)a->n + 1, sizeof(int)), .i = bench_array((size_t)a->p[a->m], sizeof(int))
    };
    t.x = bench_array((size_t)a->p[a->m], sizeof(double));
    for (int k = 0; k < a->p[a->m]; k++) {
        t.p[a->i[k] + 1]++;
    }
    for (int k = 0; k < a->n; k++) {
        t.p[k + 1] += t.p[k];
    }
    int *next = bench_array((size_t)a->n, sizeof *next);
    memcpy(next, t.p, (size_t)a->n * sizeof *next);
    for (int row = 0; row < a->m; row++) {
        for (int k = a->p[row]; k < a->p[row + 1]; k++) {
            int at = next[a->i[k]]++;
            t.i[at] = row;
            t.x[at] = a->x[k];
        }
    }
    free(next);
    return t;
}

static void free_csr(ss_csr *a)
{
    free(a->p);
    free(a->i);
    free(a->x);
}

/* y += M^-1 (row of H), dense over the velocities; the touched velocities are noted */
static int row_times_inverse(const ss_problem *p, const inverse_mass *im, int row, double *y, int *touched)
{
    int n = 0;
    for (int k = p->H.p[row]; k < p->H.p[row + 1]; k++) {
        int column = p->H.i[k], b = im->block[column], size = p->scale.size[b], offset = p->scale.offset[b];
        for (int i = 0; i < size; i++) {
            if (y[offset + i] == 0) {
                touched[n++] = offset + i;
            }
            y[offset + i] += im->x[b][i * size + column - offset] * p->H.x[k];
        }
    }
    return n;
}

typedef struct sum_of_rows {
    double *value; /* dense */
    int *place, n; /* columns seen in this row */
    bool *seen;
} sum_of_rows;

static void append_row(ss_csr *W, sum_of_rows *s, int row)
{
    if (W->p[row] + s->n > W->nz_cap) {
        W->nz_cap = 2 * (W->p[row] + s->n);
        W->i = realloc(W->i, (size_t)W->nz_cap * sizeof *W->i);
        W->x = realloc(W->x, (size_t)W->nz_cap * sizeof *W->x);
        if (!W->i || !W->x) {
            bench_fatal("out of memory");
        }
    }
    for (int k = 0; k < s->n; k++) {
        W->i[W->p[row] + k] = s->place[k];
        W->x[W->p[row] + k] = s->value[s->place[k]];
        s->value[s->place[k]] = 0;
        s->seen[s->place[k]] = false;
    }
    W->p[row + 1] = W->p[row] + s->n;
    s->n = 0;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

ss_problem bench_local_form(const ss_problem *p)
{
    int nr = p->H.m;
    inverse_mass im = invert_mass(&p->scale);
    ss_csr T = transpose(&p->H), W = { .m = nr, .n = nr, .p = bench_array((size_t)nr + 1, sizeof(int)) };
    double *y = bench_array((size_t)p->nv, sizeof *y), *q = bench_array((size_t)nr, sizeof *q);
    int *touched = bench_array((size_t)(BENCH_LARGEST_BLOCK * p->H.p[nr]), sizeof *touched);
    sum_of_rows s = { bench_array((size_t)nr, sizeof *s.value), bench_array((size_t)nr, sizeof *s.place), 0,
                      bench_array((size_t)nr, sizeof *s.seen) };
    for (int row = 0; row < nr; row++) {
        int n = row_times_inverse(p, &im, row, y, touched);
        q[row] = p->w[row];
        for (int k = 0; k < n; k++) {
            int v = touched[k];
            q[row] += y[v] * p->b[v];
            for (int j = T.p[v]; j < T.p[v + 1] && y[v] != 0; j++) {
                if (!s.seen[T.i[j]]) {
                    s.seen[T.i[j]] = true;
                    s.place[s.n++] = T.i[j];
                }
                s.value[T.i[j]] += y[v] * T.x[j];
            }
            y[v] = 0;
        }
        qsort(s.place, (size_t)s.n, sizeof *s.place, by_value);
        append_row(&W, &s, row);
    }
    ss_problem local = ss_problem_make(p->dimension);
    local.local = true;
    local.nc = p->nc;
    local.W = W;
    local.w = q;
    local.row = p->row;
    local.law = p->law;
    local.mu = p->mu;
    void *parts[] = { im.x, im.block, y, touched, s.value, s.place, s.seen };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        free(parts[k]);
    }
    free_csr(&T);
    return local;
}

void bench_local_free(ss_problem *local)
{
    free_csr(&local->W);
    free(local->w);
}
