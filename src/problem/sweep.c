/* sweep.c - contacts one after the other.
 *
 *   visit i:  u_i = H_i v + w_i;  r_i <- solution of contact i alone;  v += Y_i' dr_i,  Y_i = H_i K^-1     (velocity form)
 *   visit i:  u_i = W_i r + q_i;  r_i <- solution of contact i alone                                       (row form)
 *
 * Velocity form: A block diagonal. K^-1 b is the v of (A v - G' lam = b, G v = 0): joints are eliminated, not swept. A
 * row of Y fills the articulation (blocks joined by joints) of its contact's blocks and nothing more, so that without
 * joints a visit touches two bodies and with a chain all its links: what a contact does to one end of the chain is felt at
 * the other in the same visit. Sweeping over joint rows instead would send it link by link, and need a number of sweeps
 * that grows with the square of the length.
 * Row form: the local form, by the rows of W; A sparse, W by a solve with K for every row, island by island.
 * Diagonal blocks with joints are H_i K^-1 A K^-1 H_j' = Y_i A Y_j', positive semidefinite whatever the round-off; rows
 * that the joints do not let move (IMMOBILE) are zero.
 *
 * Frozen: s_i of u^_i = u_i + s_i n is a number kept per contact and the law is u^_i in K*, which is convex.
 *
 * The order is that of sweep_order.c; contacts of one colour are visited at the same time, and the result does not depend
 * on the number of threads. Data of a contact lie together and in the order of the visits.
 * Cost        a pass: entries of H and Y (or of W); prepare: the same, with joints a solve with K for every row of a contact
 *             that touches an articulation                                                           */
#include "problem/sweep.h"

#include "base/parallel.h"
#include "math/csr.h"
#include "problem/contact_law.h"
#include "problem/delassus.h"
#include "problem/islands.h"
#include "problem/one_contact.h"
#include "problem/sweep_order.h"

#include <math.h>

static const double IMMOBILE = 1e-12; /* of |L^-1 h_i'|, as in delassus.c */

enum { GRAIN = 512 }; /* contacts that a thread takes at a time */

/* a dense piece of a contact's rows: columns offset .. offset+size-1 of block, numbers at `at`, rows x size */
typedef struct piece {
    int block, offset, size;
    size_t at;
} piece;

/* pieces of all contacts in the order of visits; those of position k are first[k] .. first[k+1]-1 */
typedef struct pieces {
    int *first;
    piece *list;
    double *x;
} pieces;

struct ss_sweep {
    ss_context *ctx;
    ss_arena *arena;
    const ss_problem *problem;
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_islands found;
    ss_sweep_order order;
    bool by_rows;

    ss_one_contact *contact; /* positions                                        */
    int *row;                /* positions: first row of the contact              */
    double *change;          /* positions: d |dr|^2 of the last visit            */
    double *slide;           /* positions: s while frozen, else 0                */
    double *size;            /* islands: largest |q_i|/sqrt(d_i)                 */
    int *first_row, *rows;   /* islands+1, rows: by island, in the order of visits */
    double *weight, *q;      /* rows: d, free velocity                           */

    /* velocity form */
    ss_gram gram; /* rows of H cut along the blocks of A */
    ss_articulations parts;
    ss_sweep_links links;
    pieces H, Y;
    double *v, *v_free, *v_last;
    ss_groups blocks; /* by island */

    /* row form */
    const ss_csr *W;
    ss_csr dense; /* W of a sparse A             */
    int *W_row;   /* positions: first row in W   */
};

ss_status ss_sweep_create(ss_context *ctx, ss_sweep **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_arena_create(ctx, 1 << 14, &(*out)->arena);
    if (status == SS_OK) {
        status = ss_delassus_create(ctx, &(*out)->delassus);
    }
    if (status != SS_OK) {
        ss_sweep_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_sweep_destroy(ss_sweep *s)
{
    if (!s) {
        return;
    }
    ss_arena_destroy(s->arena);
    ss_delassus_destroy(s->delassus);
    ss_gram_free(s->ctx, &s->gram);
    ss_csr_free(s->ctx, &s->dense);
    ss_free(s->ctx, s);
}

static ss_status take_ints(ss_sweep *s, int n, int **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

static ss_status take_numbers(ss_sweep *s, int n, double **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

static int rows_of(const ss_sweep *s, int k) { return s->problem->row[s->order.contact[k] + 1] - s->row[k]; }

/* the first position of an island; of `islands`: the end */
static int position(const ss_sweep *s, int island) { return s->order.first[s->order.first_class[island]]; }

/* ---- velocity form: pieces -------------------------------------------------------------------- */

/* where the pieces lie */
static ss_status lay_out(ss_sweep *s, bool whole, pieces *out)
{
    const ss_problem *p = s->problem;
    int n = s->order.positions, total = 0, *block = s->links.list;
    size_t numbers = 0;
    SS_TRY(take_ints(s, n + 1, &out->first));
    memset(s->links.stamp, 0, (size_t)p->M.blocks * sizeof *s->links.stamp);
    for (int k = 0; k < n; k++) {
        total += ss_sweep_blocks(&s->links, p, s->order.contact[k], whole, k + 1);
    }
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)total, sizeof *out->list, &out->list));
    for (int k = 0; k < n; k++) {
        int count = ss_sweep_blocks(&s->links, p, s->order.contact[k], whole, n + k + 1);
        out->first[k + 1] = out->first[k] + count;
        for (int i = 0; i < count; i++) {
            int size = p->M.size[block[i]];
            out->list[out->first[k] + i] = (piece){ block[i], p->M.offset[block[i]], size, numbers };
            numbers += (size_t)(size * rows_of(s, k));
        }
    }
    return ss_arena_take_raw(s->arena, numbers, sizeof *out->x, &out->x);
}

/* the piece of position k in a block */
static const piece *piece_of(const pieces *p, int k, int block)
{
    int i = p->first[k];
    while (p->list[i].block != block) {
        i++;
    }
    return &p->list[i];
}

/* rows of the contact from gram.c: x or y = x A^-1 */
static void fill_plain(ss_sweep *s, int k, const pieces *to, const double *from)
{
    for (int i = 0; i < rows_of(s, k); i++) {
        for (int e = s->gram.first[s->row[k] + i]; e < s->gram.first[s->row[k] + i + 1]; e++) {
            const piece *at = piece_of(to, k, s->gram.block[e]);
            memcpy(to->x + at->at + i * at->size, from + s->gram.at[e], (size_t)at->size * sizeof *from);
        }
    }
}

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

/* W = H_i Y_i' without joints: the pieces are the same */
static void plain_block(const ss_sweep *s, int k, double *W)
{
    for (int e = s->H.first[k]; e < s->H.first[k + 1]; e++) {
        const piece *h = &s->H.list[e], *y = &s->Y.list[s->Y.first[k] + e - s->H.first[k]];
        add_products(rows_of(s, k), h->size, s->H.x + h->at, s->Y.x + y->at, W);
    }
}

/* y = L' x for a block, A = L L' */
static void half_energy(const ss_sweep *s, int block, const double *x, double *y)
{
    const ss_blockdiag *M = &s->problem->M;
    const double *L = ss_kkt_block_factor(s->kkt) + M->start[block];
    for (int j = 0, n = M->size[block]; j < n; j++) {
        y[j] = 0;
        for (int i = j; i < n; i++) {
            y[j] += L[i * n + j] * x[i];
        }
    }
}

/* W = Y_i A Y_i' */
static void jointed_block(const ss_sweep *s, int k, double *half, double *W)
{
    for (int e = s->Y.first[k]; e < s->Y.first[k + 1]; e++) {
        const piece *y = &s->Y.list[e];
        for (int i = 0; i < rows_of(s, k); i++) {
            half_energy(s, y->block, s->Y.x + y->at + i * y->size, half + i * y->size);
        }
        add_products(rows_of(s, k), y->size, half, half, W);
    }
}

/* rows that the joints do not let move push nothing */
static void clear_immobile(ss_sweep *s, int k, double *W)
{
    int rows = rows_of(s, k);
    for (int i = 0; i < rows; i++) {
        double loose = ss_gram_diagonal(&s->gram, &s->problem->M, s->row[k] + i);
        if (W[(rows + 1) * i] > IMMOBILE * IMMOBILE * loose) {
            continue;
        }
        for (int e = s->Y.first[k]; e < s->Y.first[k + 1]; e++) {
            const piece *y = &s->Y.list[e];
            memset(s->Y.x + y->at + i * y->size, 0, (size_t)y->size * sizeof(double));
        }
        for (int j = 0; j < rows; j++) {
            W[rows * i + j] = W[rows * j + i] = 0;
        }
    }
}

/* rows of Y by solves with K */
static ss_status fill_jointed(ss_sweep *s, int k, double *v, double *lam)
{
    const ss_csr *H = &s->problem->H;
    for (int i = 0; i < rows_of(s, k); i++) {
        memset(v, 0, (size_t)s->problem->nv * sizeof *v);
        for (int e = H->p[s->row[k] + i]; e < H->p[s->row[k] + i + 1]; e++) {
            v[H->i[e]] += H->x[e];
        }
        SS_TRY(ss_kkt_solve(s->kkt, v, NULL, v, lam));
        for (int e = s->Y.first[k]; e < s->Y.first[k + 1]; e++) {
            const piece *y = &s->Y.list[e];
            memcpy(s->Y.x + y->at + i * y->size, v + y->offset, (size_t)y->size * sizeof *v);
        }
    }
    return SS_OK;
}

static bool touches_joint(const ss_sweep *s, int k)
{
    const ss_gram *G = ss_kkt_joint_gram(s->kkt);
    for (int e = s->H.first[k]; e < s->H.first[k + 1]; e++) {
        int block = s->H.list[e].block;
        if (G->by_first[block + 1] > G->by_first[block]) {
            return true;
        }
    }
    return false;
}

static ss_status open_by_velocity(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    double *v, *lam, *half;
    SS_TRY(lay_out(s, false, &s->H));
    SS_TRY(lay_out(s, true, &s->Y));
    SS_TRY(take_numbers(s, p->nv, &v));
    SS_TRY(take_numbers(s, p->nj, &lam));
    SS_TRY(take_numbers(s, 3 * p->nv, &half));
    for (int k = 0; k < s->order.positions; k++) {
        double W[9] = { 0 };
        fill_plain(s, k, &s->H, s->gram.x);
        if (touches_joint(s, k)) {
            SS_TRY(fill_jointed(s, k, v, lam));
            jointed_block(s, k, half, W);
            clear_immobile(s, k, W);
        } else {
            fill_plain(s, k, &s->Y, s->gram.y);
            plain_block(s, k, W);
        }
        ss_one_contact_open(&s->contact[k], p, s->order.contact[k], W);
    }
    return SS_OK;
}

/* the velocity without contacts, and the blocks of each island */
static ss_status prepare_velocities(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    double *lam;
    SS_TRY(ss_gram_build(s->ctx, &s->gram, &p->M, ss_kkt_block_factor(s->kkt), &p->H));
    SS_TRY(ss_articulations_find(s->arena, ss_kkt_joint_gram(s->kkt), &s->parts));
    SS_TRY(ss_groups_make(s->arena, s->found.count, p->M.blocks, s->found.of_block, &s->blocks));
    s->links = (ss_sweep_links){ .contacts = &s->gram, .parts = &s->parts };
    SS_TRY(take_ints(s, p->M.blocks, &s->links.stamp));
    SS_TRY(take_ints(s, p->M.blocks, &s->links.list));
    SS_TRY(take_numbers(s, p->nv, &s->v));
    SS_TRY(take_numbers(s, p->nv, &s->v_free));
    SS_TRY(take_numbers(s, p->nv, &s->v_last));
    SS_TRY(take_numbers(s, p->nj, &lam));
    SS_TRY(ss_kkt_solve(s->kkt, p->b, p->c, s->v_free, lam));
    for (int i = 0; i < p->H.m; i++) {
        s->q[i] = p->w[i] + ss_csr_row_dot(&p->H, i, s->v_free);
    }
    return SS_OK;
}

/* ---- row form --------------------------------------------------------------------------------- */

/* the rows of W of one island, dense, in the order of visits */
static ss_status append_island(ss_sweep *s, int rows, const int *row)
{
    double *W, *q;
    SS_TRY(ss_arena_take(s->arena, (size_t)rows * (size_t)rows, sizeof *W, &W));
    SS_TRY(take_numbers(s, rows, &q));
    SS_TRY(ss_delassus_block(s->delassus, s->arena, rows, row, W, q));
    for (int i = 0; i < rows; i++) {
        s->q[row[i]] = q[i];
        for (int j = 0; j < rows; j++) {
            SS_TRY(ss_csr_push(s->ctx, &s->dense, row[j], W[(size_t)i + (size_t)rows * (size_t)j]));
        }
        SS_TRY(ss_csr_end_row(s->ctx, &s->dense));
    }
    return SS_OK;
}

static ss_status make_dense(ss_sweep *s)
{
    SS_TRY(ss_delassus_prepare(s->delassus, s->problem, s->kkt));
    ss_csr_reset(&s->dense, s->problem->H.m);
    for (int i = 0; i < s->order.islands; i++) {
        const int *row;
        int rows = ss_sweep_rows(s, i, &row);
        ss_arena_mark mark = ss_arena_save(s->arena);
        ss_status status = append_island(s, rows, row);
        ss_arena_release(s->arena, mark);
        SS_TRY(status);
    }
    s->W = &s->dense;
    return SS_OK;
}

static void own_block(const ss_sweep *s, int k, double *W)
{
    int rows = rows_of(s, k);
    for (int i = 0; i < rows; i++) {
        for (int e = s->W->p[s->W_row[k] + i]; e < s->W->p[s->W_row[k] + i + 1]; e++) {
            int j = s->W->i[e] - s->row[k];
            if (j >= 0 && j < rows) {
                W[rows * i + j] += s->W->x[e];
            }
        }
    }
}

static ss_status open_by_rows(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    bool local = p->kind == SS_A_NONE;
    SS_TRY(take_ints(s, s->order.positions, &s->W_row));
    for (int k = 0, rows = 0; k < s->order.positions; k++) {
        s->W_row[k] = local ? s->row[k] : rows;
        rows += rows_of(s, k);
    }
    if (local) {
        s->W = &p->W;
        memcpy(s->q, p->w, (size_t)p->W.m * sizeof *s->q);
    } else {
        SS_TRY(make_dense(s));
    }
    for (int k = 0; k < s->order.positions; k++) {
        double W[9] = { 0 };
        own_block(s, k, W);
        ss_one_contact_open(&s->contact[k], p, s->order.contact[k], W);
    }
    return SS_OK;
}

/* ---- prepare ---------------------------------------------------------------------------------- */

static ss_status list_rows(ss_sweep *s)
{
    int at = 0;
    SS_TRY(take_ints(s, s->order.positions, &s->row));
    SS_TRY(take_ints(s, s->problem->row[s->problem->nc], &s->rows));
    SS_TRY(take_ints(s, s->order.islands + 1, &s->first_row));
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = position(s, island); k < position(s, island + 1); k++) {
            s->row[k] = s->problem->row[s->order.contact[k]];
            for (int i = 0; i < rows_of(s, k); i++) {
                s->rows[at++] = s->row[k] + i;
            }
        }
        s->first_row[island + 1] = at;
    }
    return SS_OK;
}

/* d of every row, and the size of each island's free velocities */
static void find_scales(ss_sweep *s)
{
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = position(s, island); k < position(s, island + 1); k++) {
            double square = 0, d = fmax(0, s->contact[k].d);
            for (int i = s->row[k]; i < s->row[k] + s->contact[k].rows; i++) {
                s->weight[i] = d;
                square += s->q[i] * s->q[i];
            }
            s->size[island] = d > 0 ? fmax(s->size[island], sqrt(square / d)) : s->size[island];
        }
    }
}

static ss_status take_contacts(ss_sweep *s)
{
    int nr = s->problem->row[s->problem->nc], n = s->problem->nc;
    SS_TRY(take_numbers(s, nr, &s->weight));
    SS_TRY(take_numbers(s, nr, &s->q));
    SS_TRY(take_numbers(s, n, &s->size)); /* an island with contacts has at least one */
    SS_TRY(take_numbers(s, n, &s->change));
    SS_TRY(take_numbers(s, n, &s->slide));
    return ss_arena_take_raw(s->arena, (size_t)n, sizeof *s->contact, &s->contact);
}

ss_status ss_sweep_prepare(ss_sweep *s, const ss_problem *problem, ss_kkt *kkt, int colour_above)
{
    s->problem = problem;
    s->kkt = kkt;
    s->by_rows = problem->kind != SS_A_BLOCK_DIAGONAL;
    s->links = (ss_sweep_links){ 0 };
    ss_arena_reset(s->arena);
    SS_TRY(ss_islands_find(s->arena, problem, &s->found));
    SS_TRY(take_contacts(s));
    if (!s->by_rows) {
        SS_TRY(prepare_velocities(s));
    }
    SS_TRY(ss_sweep_order_make(s->arena, problem, &s->found, &s->links, colour_above, &s->order));
    SS_TRY(list_rows(s));
    SS_TRY(s->by_rows ? open_by_rows(s) : open_by_velocity(s));
    find_scales(s);
    return SS_OK;
}

int ss_sweep_islands(const ss_sweep *s) { return s->order.islands; }

int ss_sweep_rows(const ss_sweep *s, int island, const int **row)
{
    *row = s->rows + s->first_row[island];
    return s->first_row[island + 1] - s->first_row[island];
}

const double *ss_sweep_weights(const ss_sweep *s) { return s->weight; }

/* ---- visits ----------------------------------------------------------------------------------- */

/* u += X v for rows x size numbers; sizes known to the compiler in the common cases */
static inline void gather(int rows, int size, const double *X, const double *v, double *u)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < size; j++) {
            sum += X[i * size + j] * v[j];
        }
        u[i] += sum;
    }
}

/* v += X' r */
static inline void scatter(int rows, int size, const double *X, const double *r, double *v)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < size; j++) {
            v[j] += X[i * size + j] * r[i];
        }
    }
}

static void add_velocity(const ss_sweep *s, int k, int rows, double *u)
{
    for (int e = s->H.first[k]; e < s->H.first[k + 1]; e++) {
        const piece *p = &s->H.list[e];
        if (rows == 3 && p->size == 6) {
            gather(3, 6, s->H.x + p->at, s->v + p->offset, u);
        } else {
            gather(rows, p->size, s->H.x + p->at, s->v + p->offset, u);
        }
    }
}

static void apply(const ss_sweep *s, int k, int rows, const double *dr)
{
    for (int e = s->Y.first[k]; e < s->Y.first[k + 1]; e++) {
        const piece *p = &s->Y.list[e];
        if (rows == 3 && p->size == 6) {
            scatter(3, 6, s->Y.x + p->at, dr, s->v + p->offset);
        } else {
            scatter(rows, p->size, s->Y.x + p->at, dr, s->v + p->offset);
        }
    }
}

static void contact_velocity(const ss_sweep *s, int k, int rows, const double *r, double *u)
{
    for (int i = 0; i < rows; i++) {
        u[i] = s->by_rows ? s->q[s->row[k] + i] + ss_csr_row_dot(s->W, s->W_row[k] + i, r) : s->problem->w[s->row[k] + i];
    }
    if (!s->by_rows) {
        add_velocity(s, k, rows, u);
    }
}

static void visit(const ss_sweep *s, int k, double *r)
{
    const ss_one_contact *c = &s->contact[k];
    double u[3], dr[3], *mine = r + s->row[k], square = 0;
    contact_velocity(s, k, c->rows, r, u);
    u[0] += s->slide[k];
    memcpy(dr, mine, (size_t)c->rows * sizeof *dr);
    ss_one_contact_solve(c, u, mine);
    for (int i = 0; i < c->rows; i++) {
        dr[i] = mine[i] - dr[i];
        square += dr[i] * dr[i];
    }
    s->change[k] = c->d > 0 ? c->d * square : 0;
    if (!s->by_rows && square != 0) {
        apply(s, k, c->rows, dr);
    }
}

/* positions of one class, which share nothing */
typedef struct class_visit {
    const ss_sweep *s;
    int first;
    double *r;
} class_visit;

static void visit_range(void *data, int begin, int end)
{
    const class_visit *c = data;
    for (int k = begin; k < end; k++) {
        visit(c->s, c->first + k, c->r);
    }
}

static void visit_class(const ss_sweep *s, int class, double *r)
{
    int begin = s->order.first[class], count = s->order.first[class + 1] - begin;
    class_visit all = { .s = s, .first = begin, .r = r };
    if (s->order.together[class]) {
        ss_parallel_for(s->ctx, count, GRAIN, visit_range, &all);
    } else {
        visit_range(&all, 0, count);
    }
}

/* x <- max(x, value); unlike fmax, NaN stays */
static void raise_to(double *x, double value) { *x = *x >= value || isnan(*x) ? *x : value; }

static ss_sweep_measure measure(const ss_sweep *s, int island, const double *r)
{
    ss_sweep_measure m = { .size = s->size[island] * s->size[island] };
    for (int k = position(s, island); k < position(s, island + 1); k++) {
        double square = 0;
        for (int i = s->row[k]; i < s->row[k] + s->contact[k].rows; i++) {
            square += r[i] * r[i];
        }
        m.square += s->change[k];
        raise_to(&m.change, s->change[k]);
        raise_to(&m.size, s->weight[s->row[k]] * square);
    }
    m.change = sqrt(m.change);
    m.size = sqrt(m.size);
    return m;
}

ss_sweep_measure ss_sweep_pass(ss_sweep *s, int island, double *r)
{
    for (int c = s->order.first_class[island]; c < s->order.first_class[island + 1]; c++) {
        visit_class(s, c, r);
    }
    return measure(s, island, r);
}

/* ---- velocities of an island ------------------------------------------------------------------ */

/* v = v_free + Y' r over the island's blocks */
void ss_sweep_start(ss_sweep *s, int island, const double *r)
{
    const ss_blockdiag *M = &s->problem->M;
    if (s->by_rows) {
        return;
    }
    for (int i = s->blocks.first[island]; i < s->blocks.first[island + 1]; i++) {
        int at = M->offset[s->blocks.item[i]];
        memcpy(s->v + at, s->v_free + at, (size_t)M->size[s->blocks.item[i]] * sizeof *s->v);
    }
    for (int k = position(s, island); k < position(s, island + 1); k++) {
        apply(s, k, s->contact[k].rows, r + s->row[k]);
    }
}

void ss_sweep_extrapolate(ss_sweep *s, int island, double beta)
{
    const ss_blockdiag *M = &s->problem->M;
    for (int i = s->by_rows ? 0 : s->blocks.first[island]; !s->by_rows && i < s->blocks.first[island + 1]; i++) {
        int block = s->blocks.item[i];
        for (int j = M->offset[block]; j < M->offset[block] + M->size[block]; j++) {
            double now = s->v[j];
            s->v[j] += beta * (now - s->v_last[j]);
            s->v_last[j] = now;
        }
    }
}

/* ---- frozen slip ------------------------------------------------------------------------------ */

/* does the contact's s depend on its velocity? (whatever law it has at the moment) */
static bool has_slide(const ss_sweep *s, int k)
{
    const ss_one_contact *c = &s->contact[k];
    return s->problem->law[s->order.contact[k]] & (SS_LAW_COULOMB | SS_LAW_POLYHEDRAL) && c->law != SS_LAW_UNILATERAL && c->d > 0;
}

static void set_associated(ss_one_contact *c, bool associated)
{
    bool circular = c->law == SS_LAW_COULOMB || c->law == SS_LAW_ASSOCIATED;
    if (associated) {
        c->law = circular ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL;
    } else {
        c->law = circular ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL;
    }
}

double ss_sweep_freeze(ss_sweep *s, int island, double part, const double *r)
{
    double worst = 0;
    for (int k = position(s, island); k < position(s, island + 1); k++) {
        ss_one_contact *c = &s->contact[k];
        double u[3];
        if (!has_slide(s, k)) {
            continue;
        }
        contact_velocity(s, k, c->rows, r, u);
        set_associated(c, false);
        double more = ss_law_slip(c->law, c->rows, c->mu, c->directions, c->direction, u) - s->slide[k];
        set_associated(c, true);
        s->slide[k] += part * more;
        raise_to(&worst, fabs(more) / sqrt(c->d));
    }
    return worst;
}
