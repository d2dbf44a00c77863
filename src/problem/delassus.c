/* delassus.c - the matrix that maps contact impulses to contact velocities.
 *
 *   u = W r + q,  W = H K^-1 H',  q = H v_free + w,   K^-1 b = the v of (A v - G' lam = b, G v = 0),  v_free: with G v = c
 *
 * Rows whose bodies nothing ties together:  W_ij = h_i A^-1 h_j' from the pieces of gram.c.
 * Rows of bodies that joints tie together:  v_i = K^-1 h_i', and since K^-1 A K^-1 = K^-1
 *   W_ij = v_i' A v_j = y_i . y_j,   q_i = y_i . y_b + h_i v_c + w_i,   y = L' v,  A = L L',  v_b = K^-1 b,  v_c = K^-1 (0, c).
 * In this form W is positive semidefinite and q - h v_c - w lies in its range by construction, however many motions the joints
 * prevent: a system that [AP97 Theorem 2.2] calls solvable stays so in floating point. A row that the joints do not let move has
 * |y_i| at round-off: below SS_TOL_IMMOBILE it is set to zero, so that noise is no pivot.
 * Rows of clusters with couplings: one solve with K for each row (made symmetric where A is). Local form: entries of the given W.
 * Reference   [AP97 (A.4)]
 * Cost        without joints: rows times rows that share a block; with joints: a solve per row, and rows^2 times
 *             the velocities of the blocks involved; coupled: a solve with K per row                 */
#include "problem/delassus.h"
#include "base/tolerances.h"

#include "math/dense.h"
#include "math/matrix.h"

#include <math.h>

/* what ties a body to others before contacts do */
typedef enum tie { LOOSE, JOINTED, COUPLED } tie;

/* the motion without contact impulses, nv numbers each */
typedef struct free_motion {
    double *v_c;    /* by the joints' right-hand side c alone  */
    double *y_b;    /* L' K^-1 b, by b alone                   */
    double *v_free; /* by both; only if something is coupled   */
} free_motion;

struct ss_delassus {
    ss_context *ctx;
    const ss_problem *problem;
    ss_kkt *kkt;
    ss_gram H;     /* global forms: rows of H in pieces           */
    int *local;    /* all rows: number in the block asked for, -1 */
    double *scale; /* all rows: H_i B^-1 H_i'; local form: W_ii   */
    int row_cap;
    tie *tied; /* blocks: what they are tied by */
    int tied_cap;
    free_motion free;
    double *v, *lam; /* nv, nj: scratch of a solve */
    int v_cap, lam_cap;
};

ss_status ss_delassus_create(ss_context *ctx, ss_delassus **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    return SS_OK;
}

void ss_delassus_destroy(ss_delassus *w)
{
    if (!w) {
        return;
    }
    void *owned[] = { w->local, w->tied, w->scale, w->v, w->lam, w->free.v_c, w->free.y_b, w->free.v_free };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) {
        ss_free(w->ctx, owned[k]);
    }
    ss_gram_free(w->ctx, &w->H);
    ss_free(w->ctx, w);
}

/* ---- prepare ---------------------------------------------------------------------------------- */

static ss_status reserve(ss_delassus *w)
{
    const ss_problem *p = w->problem;
    int nr = p->nc > 0 ? p->row[p->nc] : 0;
    int cap = w->row_cap;
    SS_TRY(ss_reserve(w->ctx, &w->local, &cap, nr, sizeof *w->local));
    SS_TRY(ss_reserve(w->ctx, &w->scale, &w->row_cap, nr, sizeof *w->scale));
    SS_TRY(ss_reserve(w->ctx, &w->tied, &w->tied_cap, p->scale.blocks, sizeof *w->tied));
    SS_TRY(ss_reserve(w->ctx, &w->lam, &w->lam_cap, p->nj, sizeof *w->lam));
    double **of_v[] = { &w->v, &w->free.v_c, &w->free.y_b, &w->free.v_free };
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; k++) {
        cap = w->v_cap;
        SS_TRY(ss_reserve(w->ctx, of_v[k], &cap, p->nv, sizeof **of_v[k]));
    }
    w->v_cap = cap;
    for (int i = 0; i < nr; i++) {
        w->local[i] = -1;
    }
    return SS_OK;
}

static ss_status mark_ties(ss_delassus *w)
{
    const ss_gram *G = ss_kkt_joint_gram(w->kkt);
    const ss_clusters *clusters = NULL;
    bool coupled = !ss_matrix_is_block_diagonal(&w->problem->A);
    if (coupled) {
        SS_TRY(ss_kkt_clusters(w->kkt, &clusters));
    }
    for (int b = 0; b < w->problem->scale.blocks; b++) {
        bool joint = G->by_first[b + 1] > G->by_first[b];
        w->tied[b] = coupled && clusters->coupled[clusters->of_block[b]] ? COUPLED : joint ? JOINTED : LOOSE;
    }
    return SS_OK;
}

/* y = L' v block by block; returns |y|^2 */
static double half_energy(const ss_delassus *w, const double *v, double *y)
{
    const ss_blockdiag *M = &w->problem->scale;
    const double *L = ss_kkt_block_factor(w->kkt);
    double square = 0;
    for (int b = 0; b < M->blocks; b++) {
        int n = M->size[b], at = M->offset[b];
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int i = j; i < n; i++) {
                s += L[M->start[b] + i * n + j] * v[at + i];
            }
            y[at + j] = s;
            square += s * s;
        }
    }
    return square;
}

static ss_status prepare_global(ss_delassus *w)
{
    const ss_problem *p = w->problem;
    SS_TRY(ss_gram_build(w->ctx, &w->H, &p->scale, ss_kkt_block_factor(w->kkt), &p->H));
    for (int i = 0; i < p->H.m; i++) {
        w->scale[i] = ss_gram_diagonal(&w->H, &p->scale, i);
    }
    SS_TRY(mark_ties(w));
    if (!ss_matrix_is_block_diagonal(&p->A)) {
        SS_TRY(ss_kkt_solve(w->kkt, p->b, p->c, w->free.v_free, w->lam));
    }
    SS_TRY(ss_kkt_solve(w->kkt, p->b, NULL, w->v, w->lam));
    half_energy(w, w->v, w->free.y_b);
    return ss_kkt_solve(w->kkt, NULL, p->c, w->free.v_c, w->lam);
}

static void prepare_local(ss_delassus *w)
{
    const ss_csr *W = &w->problem->W;
    for (int i = 0; i < W->m; i++) {
        w->scale[i] = 0;
        for (int e = W->p[i]; e < W->p[i + 1]; e++) {
            w->scale[i] += W->i[e] == i ? W->x[e] : 0;
        }
    }
}

ss_status ss_delassus_prepare(ss_delassus *w, const ss_problem *problem, ss_kkt *kkt)
{
    w->problem = problem;
    w->kkt = kkt;
    SS_TRY(reserve(w));
    if (!problem->local) {
        return prepare_global(w);
    }
    prepare_local(w);
    return SS_OK;
}

double ss_delassus_scale(const ss_delassus *w, int row) { return w->scale[row]; }

static void clear(int rows, double *W) { memset(W, 0, (size_t)rows * (size_t)rows * sizeof *W); }

/* ---- without joints: pieces ------------------------------------------------------------------- */

/* below the diagonal and on it: column k of W, the column of row i; then the same numbers as row k */
static void column_of_pieces(const ss_delassus *w, int i, int k, int rows, double *W)
{
    const ss_gram *H = &w->H;
    double *column = W + (size_t)rows * (size_t)k;
    for (int pass = 0; pass < 2; pass++) {
        for (int own = H->first[i]; own < H->first[i + 1]; own++) {
            int b = H->block[own];
            for (int e = H->by_first[b]; e < H->by_first[b + 1]; e++) {
                int piece = H->by[e], at = w->local[H->row[piece]];
                if (at >= k && pass == 0) {
                    column[at] += ss_gram_dot(H, &w->problem->scale, piece, H->y + H->at[own]);
                } else if (at > k) {
                    W[(size_t)k + (size_t)rows * (size_t)at] = column[at];
                }
            }
        }
    }
}

/* h_i A^-1 b */
static double free_velocity(const ss_delassus *w, int i)
{
    const ss_gram *H = &w->H;
    const ss_blockdiag *M = &w->problem->scale;
    double s = 0;
    for (int k = H->first[i]; k < H->first[i + 1]; k++) {
        for (int e = 0; e < M->size[H->block[k]]; e++) {
            s += H->y[H->at[k] + e] * w->problem->b[M->offset[H->block[k]] + e];
        }
    }
    return s;
}

static void block_of_pieces(ss_delassus *w, int rows, const int *row, double *W, double *q)
{
    clear(rows, W);
    for (int k = 0; k < rows; k++) {
        column_of_pieces(w, row[k], k, rows, W);
        q[k] = free_velocity(w, row[k]) + w->problem->w[row[k]];
    }
}

/* ---- with joints: y_i = L' v_i ---------------------------------------------------------------- */

/* v <- h_i' */
static void scatter_row(ss_delassus *w, int i)
{
    const ss_csr *H = &w->problem->H;
    for (int k = 0; k < w->problem->nv; k++) {
        w->v[k] = 0;
    }
    for (int e = H->p[i]; e < H->p[i + 1]; e++) {
        w->v[H->i[e]] += H->x[e];
    }
}

static ss_status block_of_products(ss_delassus *w, ss_arena *arena, int rows, const int *row, double *W, double *q)
{
    const ss_problem *p = w->problem;
    double *Y;
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nv * (size_t)rows, sizeof *Y, &Y));
    for (int k = 0; k < rows; k++) {
        double *y = Y + (size_t)p->nv * (size_t)k;
        scatter_row(w, row[k]);
        SS_TRY(ss_kkt_solve(w->kkt, w->v, NULL, w->v, w->lam));
        bool stuck = half_energy(w, w->v, y) <= SS_TOL_IMMOBILE * SS_TOL_IMMOBILE * w->scale[row[k]];
        q[k] = p->w[row[k]] + ss_csr_row_dot(&p->H, row[k], w->free.v_c);
        for (int i = 0; i < p->nv; i++) {
            y[i] = stuck ? 0 : y[i];
            q[k] += y[i] * w->free.y_b[i];
        }
    }
    ss_dense_gram(p->nv, rows, Y, p->nv, W, rows);
    return SS_OK;
}

/* ---- couplings, local form --------------------------------------------------------------------- */

/* v is zero again on the clusters that row i touches */
static ss_status forget_response(ss_delassus *w, int i)
{
    const ss_blockdiag *B = &w->problem->scale;
    const ss_clusters *clusters;
    SS_TRY(ss_kkt_clusters(w->kkt, &clusters));
    for (int e = w->H.first[i]; e < w->H.first[i + 1]; e++) {
        int c = clusters->of_block[w->H.block[e]];
        for (int k = clusters->list.first[c]; k < clusters->list.first[c + 1]; k++) {
            memset(w->v + B->offset[clusters->list.item[k]], 0, (size_t)B->size[clusters->list.item[k]] * sizeof *w->v);
        }
    }
    return SS_OK;
}

/* does a joint tie a body that row i touches? */
static ss_status find_jointed(ss_delassus *w, int i, bool *jointed)
{
    const ss_clusters *clusters;
    SS_TRY(ss_kkt_clusters(w->kkt, &clusters));
    *jointed = false;
    for (int e = w->H.first[i]; e < w->H.first[i + 1]; e++) {
        *jointed = *jointed || clusters->jointed[clusters->of_block[w->H.block[e]]];
    }
    return SS_OK;
}

/* a row that joints do not let move has W_kk at round-off: noise that must be no pivot */
static ss_status clear_immobile(ss_delassus *w, int rows, const int *row, double *W)
{
    for (int k = 0; k < rows; k++) {
        bool jointed;
        SS_TRY(find_jointed(w, row[k], &jointed));
        double own = W[(size_t)k + (size_t)rows * (size_t)k];
        for (int i = 0; jointed && own <= SS_TOL_CANCELLED * w->scale[row[k]] && i < rows; i++) {
            W[(size_t)i + (size_t)rows * (size_t)k] = W[(size_t)k + (size_t)rows * (size_t)i] = 0;
        }
    }
    return SS_OK;
}

static ss_status block_of_responses(ss_delassus *w, int rows, const int *row, double *W, double *q)
{
    const ss_problem *p = w->problem;
    memset(w->v, 0, (size_t)p->nv * sizeof *w->v);
    for (int k = 0; k < rows; k++) {
        SS_TRY(ss_kkt_response(w->kkt, &w->H, row[k], w->v));
        for (int i = 0; i < rows; i++) {
            W[(size_t)i + (size_t)rows * (size_t)k] = ss_csr_row_dot(&p->H, row[i], w->v);
        }
        q[k] = ss_csr_row_dot(&p->H, row[k], w->free.v_free) + p->w[row[k]];
        SS_TRY(forget_response(w, row[k]));
    }
    if (p->A.symmetric) {
        ss_dense_symmetrise(rows, W);
    }
    return clear_immobile(w, rows, row, W);
}

static void block_of_entries(const ss_delassus *w, int rows, const int *row, double *W, double *q)
{
    const ss_csr *given = &w->problem->W;
    clear(rows, W);
    for (int k = 0; k < rows; k++) {
        q[k] = w->problem->w[row[k]];
        for (int e = given->p[row[k]]; e < given->p[row[k] + 1]; e++) {
            int at = w->local[given->i[e]];
            if (at >= 0) {
                W[(size_t)k + (size_t)rows * (size_t)at] += given->x[e];
            }
        }
    }
}

/* ---- the block -------------------------------------------------------------------------------- */

/* the strongest kind of coupling among the bodies that the rows touch */
static tie strongest_tie(const ss_delassus *w, int rows, const int *row)
{
    const ss_gram *H = &w->H;
    tie most = LOOSE;
    for (int k = 0; k < rows; k++) {
        for (int e = H->first[row[k]]; e < H->first[row[k] + 1]; e++) {
            most = w->tied[H->block[e]] > most ? w->tied[H->block[e]] : most;
        }
    }
    return most;
}

static ss_status fill(ss_delassus *w, ss_arena *arena, int rows, const int *row, double *W, double *q)
{
    if (w->problem->local) {
        block_of_entries(w, rows, row, W, q);
        return SS_OK;
    }
    switch (strongest_tie(w, rows, row)) {
    case COUPLED:
        return block_of_responses(w, rows, row, W, q);
    case JOINTED:
        return block_of_products(w, arena, rows, row, W, q);
    case LOOSE:
        block_of_pieces(w, rows, row, W, q);
    }
    return SS_OK;
}

ss_status ss_delassus_submatrix(ss_delassus *w, ss_arena *arena, int rows, const int *row, double *W, double *q)
{
    for (int k = 0; k < rows; k++) {
        w->local[row[k]] = k;
    }
    ss_status status = fill(w, arena, rows, row, W, q);
    for (int k = 0; k < rows; k++) {
        w->local[row[k]] = -1;
    }
    return status;
}
