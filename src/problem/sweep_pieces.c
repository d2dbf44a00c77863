/* sweep_pieces.c - H_i, Y_i = H_i K^-1 and W_ii of every contact.
 *
 * What the contact's bodies are tied by decides how:
 *   nothing     Y = H A^-1 block by block (gram.c),  W = H Y'
 *   joints      Y by a solve with K for each row,  W = Y A Y' (since K^-1 A K^-1 = K^-1), positive semidefinite whatever the
 *               round-off; rows that the joints do not let move (SS_TOL_IMMOBILE) are zero
 *   couplings   Y by a solve with the factors of the cluster,  W = H Y', made symmetric where A is
 * In the end both are written for the scaled velocities x = L' (v - v_free) of sweep_packed.c, A = L L' by blocks: H L^-T, Y L.
 * Cost        entries of H and Y; a solve for each row of a contact whose bodies are tied              */
#include "problem/sweep_pieces.h"
#include "base/tolerances.h"
#include "math/csr.h"
#include "math/dense.h"

static int contact_at(const ss_piece_source *s, int k) { return s->order->contact[k]; }

static int first_row(const ss_piece_source *s, int k) { return s->problem->row[contact_at(s, k)]; }

static int rows_at(const ss_piece_source *s, int k) { return s->problem->row[contact_at(s, k) + 1] - first_row(s, k); }

/* ---- where the pieces lie --------------------------------------------------------------------- */

static int blocks_at(const ss_piece_source *s, int k, bool whole, int mark)
{
    return s->wanted[k] ? ss_sweep_blocks(s->links, contact_at(s, k), whole, mark) : 0;
}

static ss_status lay_out(const ss_piece_source *s, bool whole, ss_pieces *out)
{
    const ss_blockdiag *B = &s->problem->scale;
    int n = s->order->positions, total = 0, *block = s->links->list;
    size_t numbers = 0;
    SS_TRY(ss_arena_take(s->arena, (size_t)n + 1, sizeof *out->first, &out->first));
    memset(s->links->stamp, 0, (size_t)B->blocks * sizeof *s->links->stamp);
    for (int k = 0; k < n; k++) {
        total += blocks_at(s, k, whole, k + 1);
    }
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)total, sizeof *out->list, &out->list));
    for (int k = 0; k < n; k++) {
        int count = blocks_at(s, k, whole, n + k + 1);
        out->first[k + 1] = out->first[k] + count;
        for (int i = 0; i < count; i++) {
            int size = B->size[block[i]];
            out->list[out->first[k] + i] = (ss_piece){ block[i], B->offset[block[i]], size, numbers };
            numbers += (size_t)(size * rows_at(s, k));
        }
    }
    return ss_arena_take_raw(s->arena, numbers, sizeof *out->x, &out->x);
}

/* the piece of position k in a block */
static const ss_piece *piece_of(const ss_pieces *p, int k, int block)
{
    int i = p->first[k];
    while (p->list[i].block != block) {
        i++;
    }
    return &p->list[i];
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* rows of the contact from gram.c: x or y = x B^-1 */
static void fill_from_gram(const ss_piece_source *s, int k, const ss_pieces *to, const double *from)
{
    for (int i = 0; i < rows_at(s, k); i++) {
        for (int e = s->gram->first[first_row(s, k) + i]; e < s->gram->first[first_row(s, k) + i + 1]; e++) {
            const ss_piece *at = piece_of(to, k, s->gram->block[e]);
            memcpy(to->x + at->at + i * at->size, from + s->gram->at[e], (size_t)at->size * sizeof *from);
        }
    }
}

/* rows that touch less than the contact does have zeros there */
static void clear(const ss_piece_source *s, int k, const ss_pieces *p)
{
    for (int e = p->first[k]; e < p->first[k + 1]; e++) {
        memset(p->x + p->list[e].at, 0, (size_t)(p->list[e].size * rows_at(s, k)) * sizeof *p->x);
    }
}

/* rows of Y by solves with K */
static ss_status fill_by_solves(const ss_piece_source *s, int k, const ss_pieces *Y, double *v)
{
    for (int i = 0; i < rows_at(s, k); i++) {
        for (int e = Y->first[k]; e < Y->first[k + 1]; e++) {
            memset(v + Y->list[e].offset, 0, (size_t)Y->list[e].size * sizeof *v);
        }
        SS_TRY(ss_kkt_response(s->kkt, s->gram, first_row(s, k) + i, v));
        for (int e = Y->first[k]; e < Y->first[k + 1]; e++) {
            const ss_piece *y = &Y->list[e];
            memcpy(Y->x + y->at + i * y->size, v + y->offset, (size_t)y->size * sizeof *v);
        }
    }
    return SS_OK;
}

/* ---- the contact's own block -------------------------------------------------------------------- */

/* W += X Y', both rows x size */
static void add_products(int rows, int size, const double *X, const double *Y, double *W)
{
    for (int i = 0; i < rows * rows; i++) {
        const double *x = X + i / rows * size, *y = Y + i % rows * size;
        for (int m = 0; m < size; m++) {
            W[i] += x[m] * y[m];
        }
    }
}

/* W = H_i Y_i' */
static void block_of_rows(const ss_piece_source *s, int k, const ss_pieces *H, const ss_pieces *Y, double *W)
{
    for (int e = H->first[k]; e < H->first[k + 1]; e++) {
        const ss_piece *h = &H->list[e], *y = piece_of(Y, k, h->block);
        add_products(rows_at(s, k), h->size, H->x + h->at, Y->x + y->at, W);
    }
}

static const double *factor_of(const ss_piece_source *s, int block)
{
    return ss_kkt_block_factor(s->kkt) + s->problem->scale.start[block];
}

/* W = Y_i A Y_i' */
static void block_of_energies(const ss_piece_source *s, int k, const ss_pieces *Y, double *half, double *W)
{
    for (int e = Y->first[k]; e < Y->first[k + 1]; e++) {
        const ss_piece *y = &Y->list[e];
        for (int i = 0; i < rows_at(s, k); i++) {
            ss_block_half_times(y->size, factor_of(s, y->block), Y->x + y->at + i * y->size, half + i * y->size);
        }
        add_products(rows_at(s, k), y->size, half, half, W);
    }
}

/* a row that the joints keep from moving has W_ii at most `part` of its value without joints: it is set to zero */
static void clear_immobile(const ss_piece_source *s, int k, const ss_pieces *Y, double part, double *W)
{
    int rows = rows_at(s, k);
    for (int i = 0; i < rows; i++) {
        double loose = ss_gram_diagonal(s->gram, &s->problem->scale, first_row(s, k) + i);
        if (!(W[(rows + 1) * i] <= part * loose)) { /* a NaN is not to be lost here */
            continue;
        }
        for (int e = Y->first[k]; e < Y->first[k + 1]; e++) {
            const ss_piece *y = &Y->list[e];
            memset(Y->x + y->at + i * y->size, 0, (size_t)y->size * sizeof(double));
        }
        for (int j = 0; j < rows; j++) {
            W[rows * i + j] = W[rows * j + i] = 0;
        }
    }
}

/* ---- one contact -------------------------------------------------------------------------------- */

/* by what are the bodies of a contact tied? */
static void ties_at(const ss_piece_source *s, int k, const ss_pieces *H, bool *jointed, bool *coupled)
{
    *jointed = *coupled = false;
    for (int e = H->first[k]; e < H->first[k + 1]; e++) {
        int cluster = s->clusters->of_block[H->list[e].block];
        *jointed = *jointed || s->clusters->jointed[cluster];
        *coupled = *coupled || s->clusters->coupled[cluster];
    }
}

static ss_status cut_contact(const ss_piece_source *s, int k, const ss_pieces *H, const ss_pieces *Y, double *v, double *half,
                             double *W)
{
    bool jointed, coupled;
    ties_at(s, k, H, &jointed, &coupled);
    clear(s, k, H);
    fill_from_gram(s, k, H, s->gram->x);
    if (!jointed && !coupled) {
        clear(s, k, Y);
        fill_from_gram(s, k, Y, s->gram->y);
        block_of_rows(s, k, H, Y, W);
        return SS_OK;
    }
    SS_TRY(fill_by_solves(s, k, Y, v));
    if (!coupled) {
        block_of_energies(s, k, Y, half, W);
        clear_immobile(s, k, Y, SS_TOL_IMMOBILE * SS_TOL_IMMOBILE, W); /* squares of velocities that are round-off */
        return SS_OK;
    }
    block_of_rows(s, k, H, Y, W);
    if (s->problem->A.symmetric) {
        ss_dense_symmetrise(rows_at(s, k), W);
    }
    if (jointed) {
        clear_immobile(s, k, Y, SS_TOL_CANCELLED, W); /* the sum that W_ii is has cancelled */
    }
    return SS_OK;
}

/* for scaled velocities L' (v - v_free): H L^-T, Y L */
static void scale_contact(const ss_piece_source *s, int k, const ss_pieces *H, const ss_pieces *Y, double *scratch)
{
    for (int e = H->first[k]; e < H->first[k + 1]; e++) {
        const ss_piece *h = &H->list[e];
        ss_block_half_solve(h->size, factor_of(s, h->block), rows_at(s, k), h->size, H->x + h->at);
    }
    for (int e = Y->first[k]; e < Y->first[k + 1]; e++) {
        const ss_piece *y = &Y->list[e];
        for (int i = 0; i < rows_at(s, k); i++) {
            double *row = Y->x + y->at + i * y->size;
            ss_block_half_times(y->size, factor_of(s, y->block), row, scratch);
            memcpy(row, scratch, (size_t)y->size * sizeof *row);
        }
    }
}

ss_status ss_pieces_cut(const ss_piece_source *s, ss_pieces *H, ss_pieces *Y, ss_one_contact *one)
{
    size_t nv = (size_t)s->problem->nv;
    double *v, *half;
    SS_TRY(lay_out(s, false, H));
    SS_TRY(lay_out(s, true, Y));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof *v, &v));
    SS_TRY(ss_arena_take(s->arena, 3 * nv, sizeof *half, &half));
    for (int k = 0; k < s->order->positions; k++) {
        if (s->wanted[k]) {
            double W[9] = { 0 };
            SS_TRY(cut_contact(s, k, H, Y, v, half, W));
            scale_contact(s, k, H, Y, half);
            ss_one_contact_open(&one[s->number[k]], s->problem, contact_at(s, k), W);
        }
    }
    return SS_OK;
}
