/* assemble.c - small dense matrices of a few bodies into sparse matrices of all velocities.
 *
 * Pattern     which bodies a body's rows touch is known when the model is compiled, or the contacts are: a matrix is cleared to
 *             it and added to in place, so that its structure never changes and entries are never doubled.
 * Cost        linear in the number of entries; a neighbour is found by bisection */
#include "model/assemble.h"

#include "model/attachment.h"
#include <stdlib.h>

/* ---- pattern ------------------------------------------------------------------------------------- */

static int compare_pairs(const void *x, const void *y)
{
    const ss_index_pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

ss_status ss_pattern_start(ss_context *ctx, const ss_model *m, int most, ss_pattern *out)
{
    const int need = m->bodies + 2 * most;
    int cap = out->pair_cap;
    SS_TRY(ss_reserve(ctx, &out->start, &out->body_cap, m->bodies + 1, sizeof *out->start));
    SS_TRY(ss_reserve(ctx, &out->neighbour, &cap, need, sizeof *out->neighbour));
    cap = out->pair_cap;
    SS_TRY(ss_reserve(ctx, &out->column, &cap, need, sizeof *out->column));
    SS_TRY(ss_reserve(ctx, &out->pair, &out->pair_cap, need, sizeof *out->pair));
    out->pairs = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            out->pair[out->pairs++] = (ss_index_pair){ b, b };
        }
    }
    return SS_OK;
}

void ss_pattern_pair(const ss_model *m, int a, int b, ss_pattern *out)
{
    if (ss_model_is_dynamic(m, a) && ss_model_is_dynamic(m, b)) {
        out->pair[out->pairs++] = (ss_index_pair){ a, b };
        out->pair[out->pairs++] = (ss_index_pair){ b, a };
    }
}

/* each pair once */
static void sort_pairs(ss_pattern *p)
{
    int kept = 0;
    if (p->pairs > 0) {
        qsort(p->pair, (size_t)p->pairs, sizeof *p->pair, compare_pairs);
    }
    for (int k = 0; k < p->pairs; k++) {
        if (k == 0 || compare_pairs(&p->pair[k], &p->pair[kept - 1]) != 0) {
            p->pair[kept++] = p->pair[k];
        }
    }
    p->pairs = kept;
}

void ss_pattern_finish(const ss_model *m, ss_pattern *out)
{
    int k = 0;
    sort_pairs(out);
    for (int b = 0; b < m->bodies; b++) {
        int column = 0;
        out->start[b] = k;
        for (; k < out->pairs && out->pair[k].a == b; k++) {
            out->neighbour[k] = out->pair[k].b;
            out->column[k] = column;
            column += ss_attachment_dofs(m, out->pair[k].b);
        }
    }
    out->start[m->bodies] = k;
}

void ss_pattern_free(ss_context *ctx, ss_pattern *pattern)
{
    ss_free(ctx, pattern->pair);
    ss_free(ctx, pattern->start);
    ss_free(ctx, pattern->neighbour);
    ss_free(ctx, pattern->column);
    *pattern = (ss_pattern){ 0 };
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static ss_status clear_row(ss_context *ctx, const ss_model *m, const ss_pattern *pattern, int body, ss_csr *A)
{
    for (int k = pattern->start[body]; k < pattern->start[body + 1]; k++) {
        int other = pattern->neighbour[k];
        for (int j = 0; j < m->mass.diagonal.size[m->body_block[other]]; j++) {
            SS_TRY(ss_csr_push(ctx, A, m->body_v[other] + j, 0));
        }
    }
    return ss_csr_end_row(ctx, A);
}

ss_status ss_pattern_clear(ss_context *ctx, const ss_model *m, const ss_pattern *pattern, ss_csr *A)
{
    ss_csr_reset(A, m->nv);
    for (int b = 0; b < m->bodies; b++) {
        int size = ss_model_is_dynamic(m, b) ? m->mass.diagonal.size[m->body_block[b]] : 0;
        for (int i = 0; i < size; i++) {
            SS_TRY(clear_row(ctx, m, pattern, b, A));
        }
    }
    return SS_OK;
}

double *ss_pattern_at(const ss_model *m, const ss_pattern *pattern, ss_csr *A, int a, int b, int row)
{
    int lo = pattern->start[a], hi = pattern->start[a + 1];
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (pattern->neighbour[mid] <= b) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return A->x + A->p[m->body_v[a] + row] + pattern->column[lo];
}

void ss_pattern_add(const ss_model *m, const ss_pattern *pattern, const int body[2], const double *K, ss_csr *A)
{
    const int size[2] = { ss_attachment_dofs(m, body[0]), ss_attachment_dofs(m, body[1]) }, first[2] = { 0, size[0] };
    const int n = size[0] + size[1];
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            for (int i = 0; i < size[a] && size[b] > 0; i++) {
                double *x = ss_pattern_at(m, pattern, A, body[a], body[b], i);
                for (int j = 0; j < size[b]; j++) {
                    x[j] += K[(first[a] + i) * n + first[b] + j];
                }
            }
        }
    }
}

ss_status ss_pattern_push_row(ss_context *ctx, const ss_model *m, const int body[2], const double *K, const double *v, ss_csr *A)
{
    const int size[2] = { ss_attachment_dofs(m, body[0]), ss_attachment_dofs(m, body[1]) }, n = size[0] + size[1];
    for (int b = 0, column = 0; b < 2; b++) {
        for (int j = 0; j < size[b]; j++, column++) {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += K[i * n + column] * v[i < size[0] ? m->body_v[body[0]] + i : m->body_v[body[1]] + i - size[0]];
            }
            SS_TRY(ss_csr_push(ctx, A, m->body_v[body[b]] + j, sum));
        }
    }
    return ss_csr_end_row(ctx, A);
}
