/* assemble.c - from pairs of bodies in world twist coordinates to sparse matrices in velocities.
 *
 * A body's generalized force is (F, R' T), its velocities (lin, w) with ang = R w, a displacement x of
 * velocity kind turns it by th = R x_ang. So with K = d(F, T)/d(u, th) at fixed world twists
 *
 *   d(R' T) = R' (dT - th x T) = R' (dT + S(T) th)           the wrench stays in the world, the body turns
 *   d(ang)  = th x ang = -S(ang) th                          body rates are kept, the world twist turns
 *
 * and the blocks are pushed through R' from the left and R from the right. In 2D both corrections vanish.
 *
 * Pattern     which bodies a body's rows touch is known when the model is compiled: a matrix is cleared to it
 *             and added to in place, so that its structure never changes and entries are never doubled.
 * Cost        linear in the number of entries; a neighbour is found by bisection */
#include "model/assemble.h"

#include "model/primitives.h"
#include <stdlib.h>

/* ---- pattern ------------------------------------------------------------------------------------- */

static int compare_pairs(const void *x, const void *y)
{
    const ss_index_pair *p = x, *q = y;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

/* all ordered pairs of dynamic bodies that meet, each body with itself, sorted, once */
static int collect(const ss_model *m, int pairs, const ss_index_pair *pair, ss_index_pair *all)
{
    int n = 0, kept = 0;
    for (int b = 0; b < m->bodies; b++) {
        if (ss_model_is_dynamic(m, b)) {
            all[n++] = (ss_index_pair){ b, b };
        }
    }
    for (int k = 0; k < pairs; k++) {
        if (ss_model_is_dynamic(m, pair[k].a) && ss_model_is_dynamic(m, pair[k].b)) {
            all[n++] = pair[k];
            all[n++] = (ss_index_pair){ pair[k].b, pair[k].a };
        }
    }
    if (n > 0) {
        qsort(all, (size_t)n, sizeof *all, compare_pairs);
    }
    for (int k = 0; k < n; k++) {
        if (k == 0 || compare_pairs(&all[k], &all[kept - 1]) != 0) {
            all[kept++] = all[k];
        }
    }
    return kept;
}

static void fill(const ss_model *m, int n, const ss_index_pair *all, ss_pattern *out)
{
    int k = 0;
    for (int b = 0; b < m->bodies; b++) {
        int column = 0;
        out->start[b] = k;
        for (; k < n && all[k].a == b; k++) {
            out->neighbour[k] = all[k].b;
            out->column[k] = column;
            column += m->mass.diagonal.size[m->body_block[all[k].b]];
        }
    }
    out->start[m->bodies] = k;
}

ss_status ss_pattern_build(ss_context *ctx, const ss_model *m, int pairs, const ss_index_pair *pair, ss_pattern *out)
{
    ss_index_pair *all = NULL;
    SS_TRY(ss_calloc(ctx, (size_t)m->bodies + 2 * (size_t)pairs, sizeof *all, &all));
    int n = collect(m, pairs, pair, all);
    ss_status status = ss_calloc(ctx, (size_t)m->bodies + 1, sizeof *out->start, &out->start);
    if (status == SS_OK) {
        status = ss_calloc(ctx, (size_t)n, sizeof *out->neighbour, &out->neighbour);
    }
    if (status == SS_OK) {
        status = ss_calloc(ctx, (size_t)n, sizeof *out->column, &out->column);
    }
    if (status == SS_OK) {
        fill(m, n, all, out);
    }
    ss_free(ctx, all);
    return status;
}

void ss_pattern_free(ss_context *ctx, ss_pattern *pattern)
{
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

/* where a body's velocities sit among (lin, ang) */
static const int *places(const ss_model *m)
{
    static const int plane[3] = { 0, 1, 5 }, space[6] = { 0, 1, 2, 3, 4, 5 };
    return m->dimension == 2 ? plane : space;
}

/* angular rows through R', angular columns through R; in 2D the z axis stays */
static void to_body_frames(const ss_model *m, const ss_config *c, const int body[2], const double *K, double *out)
{
    memcpy(out, K, 144 * sizeof *out);
    if (m->dimension == 2) {
        return;
    }
    for (int b = 0; b < 2; b++) {
        ss_mat3 R = c->frame[body[b]].R;
        int at = 6 * b + 3;
        for (int k = 0; k < 12; k++) {
            double *column = out + 12 * at + k;
            ss_vec3 x = ss_unrotate(R, ss_v3(column[0], column[12], column[24]));
            column[0] = x.x;
            column[12] = x.y;
            column[24] = x.z;
        }
        for (int k = 0; k < 12; k++) {
            double *row = out + 12 * k + at;
            ss_v3_to(ss_unrotate(R, ss_v3_from(row)), row);
        }
    }
}

void ss_pattern_add(const ss_model *m, const ss_pattern *pattern, const ss_config *c, const int body[2], const double *K,
                    ss_csr *A)
{
    double k[144];
    const int *place = places(m);
    to_body_frames(m, c, body, K, k);
    for (int a = 0; a < 2; a++) {
        int rows = ss_model_is_dynamic(m, body[a]) ? m->mass.diagonal.size[m->body_block[body[a]]] : 0;
        for (int b = 0; b < 2; b++) {
            int columns = ss_model_is_dynamic(m, body[b]) ? m->mass.diagonal.size[m->body_block[body[b]]] : 0;
            for (int i = 0; i < rows && columns > 0; i++) {
                double *x = ss_pattern_at(m, pattern, A, body[a], body[b], i);
                for (int j = 0; j < columns; j++) {
                    x[j] += k[12 * (6 * a + place[i]) + 6 * b + place[j]];
                }
            }
        }
    }
}

void ss_turn_correction(const ss_vec3 torque[2], const ss_vec3 omega[2], const double *k_v, double *K)
{
    for (int b = 0; b < 2; b++) {
        ss_twist_block(K, 2 * b + 1, 2 * b + 1, 1, ss_skew(torque[b]));
        for (int i = 0; i < 12 && k_v; i++) {
            /* row (x' ang part) times -S(omega): -(x' S(omega)) = (omega x x)' */
            ss_vec3 x = ss_v3_from(k_v + 12 * i + 6 * b + 3), y = ss_cross(omega[b], x);
            double *k = K + 12 * i + 6 * b + 3;
            k[0] += y.x;
            k[1] += y.y;
            k[2] += y.z;
        }
    }
}
