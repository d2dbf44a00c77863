/* sweep_packed.c - records of contacts between bodies that nothing ties.
 *
 *   A_b = L L' (blocks),  x = L' (v - v_free),  X_i = H_i L^-T:   u_i = q_i + X_i x,   x += X_i' dr_i,   W_ii = X_i X_i'
 *
 * In scaled velocities x one matrix says both what a contact sees and what its impulse does. A record holds, in the order in
 * which a visit needs them,
 *   mu, d | q | X: normal row, then tangential rows; each for the first body, then for the second | W | W^-1
 * which is 59 numbers for two rigid bodies in space. A visit reads its place and its record, and reads and writes two short
 * pieces of x: there are no pointers in the data and no lists within a contact. A contact that stays open reads the first 17
 * numbers. The contacts of one colour share no velocities: four of them that follow each other have their records interleaved,
 * and are visited at once (packed_lanes.h); the same arrays and the same visit can be given to a GPU, a lane for each contact.
 * Packed are contacts with friction of one or two rigid bodies, loose ones, which are nearly all there are; what is left is
 * visited in the general way (sweep_pieces.c), on the same velocities x.
 * Cost        entries of H; rows^2 size for W                                                        */
#include "problem/sweep_packed.h"

#include "base/parallel.h"
#include "math/array.h"
#include "math/csr.h"

enum { GRAIN = 512 }; /* contacts that a thread takes at a time */

static int contact_at(const ss_packed_source *s, int k) { return s->order->contact[k]; }

/* ---- which contacts --------------------------------------------------------------------------- */

static ss_packed_kind kind_of(int rows, int size)
{
    return rows == 3 && size == 6 ? SS_PACKED_SPACE : rows == 2 && size == 3 ? SS_PACKED_PLANE : SS_PACKED_NOT;
}

/* one or two loose blocks of one of the sizes */
static ss_packed_kind kind_at(const ss_packed_source *s, int k, int blocks, const int *block)
{
    const ss_problem *p = s->problem;
    const int contact = contact_at(s, k);
    ss_packed_kind kind = SS_PACKED_NOT;
    for (int i = 0; i < blocks; i++) {
        int cluster = s->clusters->of_block[block[i]];
        bool loose = !s->clusters->jointed[cluster] && !s->clusters->coupled[cluster] && !(s->apart && s->apart[contact]);
        kind = kind_of(p->row[contact + 1] - p->row[contact], p->scale.size[block[i]]);
        if (blocks > 2 || !loose || kind == SS_PACKED_NOT || p->scale.size[block[i]] != p->scale.size[block[0]]) {
            return SS_PACKED_NOT;
        }
    }
    return kind;
}

static size_t numbers(int rows, int size) { return (size_t)(SS_PACKED_Q + rows + 2 * rows * size + 2 * rows * rows); }

static size_t numbers_of(ss_packed_kind kind)
{
    return kind == SS_PACKED_SPACE ? numbers(3, 6) : kind == SS_PACKED_PLANE ? numbers(2, 3) : 0;
}

/* what is being made */
typedef struct packing {
    const ss_packed_source *from;
    bool *wanted;
    ss_packed *out;
} packing;

/* the kinds of some positions, and what each acts on */
static void choose_range(void *data, int begin, int end)
{
    const packing *m = data;
    const ss_packed_source *s = m->from;
    const int *offset = s->problem->scale.offset;
    for (int k = begin; k < end; k++) {
        const int contact = contact_at(s, k), *block = s->blocks->block + s->blocks->first[contact],
                  blocks = s->blocks->first[contact + 1] - s->blocks->first[contact];
        const ss_packed_kind kind = m->wanted[k] ? kind_at(s, k, blocks, block) : SS_PACKED_NOT;
        m->out->place[k] = (ss_packed_place){ .kind = (unsigned short)kind };
        if (kind != SS_PACKED_NOT) {
            m->out->place[k].a = offset[block[0]];
            m->out->place[k].b = blocks > 1 ? offset[block[1]] : -1;
            m->out->place[k].row = s->problem->row[contact];
            m->wanted[k] = false;
        }
    }
}

/* where the records lie, one after the other; returns the numbers of all */
static size_t lay_out(int positions, ss_packed_place *place)
{
    size_t numbers = 0;
    for (int k = 0; k < positions; k++) {
        place[k].at = numbers;
        numbers += numbers_of(place[k].kind);
    }
    return numbers;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* entries of a row wherever they are */
static void scatter_row(const ss_csr *H, int i, const ss_packed_place *at, int size, double *x)
{
    for (int e = H->p[i]; e < H->p[i + 1]; e++) {
        const int own = H->i[e] - at->a;
        x[own >= 0 && own < size ? own : size + H->i[e] - at->b] += H->x[e];
    }
}

/* X = H L^-T; a contact with one body has zeros for the second */
static inline void fill_rows(const ss_packed_source *s, const ss_packed_place *at, int first, int rows, int size, double *X)
{
    const ss_csr *H = &s->problem->H;
    const int *block = s->blocks->block + first, bodies = at->b >= 0 ? 2 : 1;
    const int *begin = s->blocks->at ? s->blocks->at + first : NULL;
    const bool plain = begin && begin[0] >= 0 && (bodies == 1 || begin[1] >= 0);
    memset(X, 0, (size_t)(2 * rows * size) * sizeof *X);
    for (int i = 0; i < rows; i++) {
        double *x = X + 2 * size * i;
        for (int body = 0; body < bodies && plain; body++) {
            const double *entry = H->x + H->p[at->row + i] + begin[body];
            for (int k = 0; k < size; k++) {
                x[size * body + k] += entry[k];
            }
        }
        if (!plain) {
            scatter_row(H, at->row + i, at, size, x);
        }
    }
    for (int body = 0; body < bodies; body++) {
        ss_block_half_solve(size, s->L + s->problem->scale.start[block[body]], rows, 2 * size, X + size * body);
    }
}

static void multiply_rows(int rows, int size, const double *X, double *W)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            W[rows * i + j] = W[rows * j + i] = ss_array_dot(2 * size, X + 2 * size * i, X + 2 * size * j);
        }
    }
}

/* the circular laws have a visit of their own where W can be inverted */
static unsigned short law_of(const ss_one_contact *one)
{
    bool circular = one->law == SS_LAW_COULOMB || one->law == SS_LAW_ASSOCIATED;
    return (unsigned short)(circular && one->invertible ? one->law : 0);
}

static void fill(const packing *m, int k, int rows, int size)
{
    const ss_packed_source *s = m->from;
    ss_packed_place *at = &m->out->place[k];
    ss_one_contact one;
    double *record = m->out->x + at->at, *q = record + SS_PACKED_Q, *X = q + rows, *W = X + 2 * rows * size,
           *inverse = W + rows * rows;
    fill_rows(s, at, s->blocks->first[contact_at(s, k)], rows, size, X);
    multiply_rows(rows, size, X, W);
    ss_one_contact_open(&one, s->problem, contact_at(s, k), W);
    memcpy(inverse, one.inverse, (size_t)(rows * rows) * sizeof *inverse);
    memcpy(q, s->q + at->row, (size_t)rows * sizeof *q);
    record[SS_PACKED_MU] = one.mu;
    record[SS_PACKED_D] = one.d > 0 ? one.d : 0;
    at->law = law_of(&one);
}

double ss_packed_mobility(const ss_packed_place *at, const double *records)
{
    return records[at->at + SS_PACKED_D * (size_t)ss_packed_stride(at)];
}

ss_one_contact ss_packed_one(const ss_packed_place *at, const double *records)
{
    const int rows = at->kind == SS_PACKED_PLANE ? 2 : 3, size = 3 * (rows - 1), stride = ss_packed_stride(at);
    const double *record = records + at->at, *W = record + (SS_PACKED_Q + rows + 2 * rows * size) * stride;
    ss_one_contact one = { .rows = rows, .law = at->law, .invertible = at->law != 0 };
    one.mu = record[SS_PACKED_MU * stride];
    one.d = ss_packed_mobility(at, records);
    for (int i = 0; i < rows * rows; i++) {
        one.W[i] = W[i * stride];
        one.inverse[i] = W[(rows * rows + i) * stride];
    }
    return one;
}

/* ---- four at once ------------------------------------------------------------------------------- */

/* contacts in space with the same circular law */
static bool are_alike(const ss_packed_place *place)
{
    bool alike = place->law != 0;
    for (int l = 0; l < SS_PACKED_LANES; l++) {
        alike = alike && place[l].kind == SS_PACKED_SPACE && place[l].law == place->law;
    }
    return alike;
}

static void interleave(ss_packed_place *place, double *records)
{
    enum { LANES = SS_PACKED_LANES, NUMBERS = SS_PACKED_NUMBERS };
    double copy[LANES * NUMBERS];
    const size_t begin = place->at;
    memcpy(copy, records + begin, sizeof copy);
    for (int l = 0; l < LANES; l++) {
        place[l].kind = SS_PACKED_FOUR;
        place[l].at = begin + (size_t)l;
        for (int i = 0; i < NUMBERS; i++) {
            records[begin + (size_t)(LANES * i + l)] = copy[NUMBERS * l + i];
        }
    }
}

static void fill_one(const packing *m, int k)
{
    if (m->out->place[k].kind == SS_PACKED_SPACE) {
        fill(m, k, 3, 6);
    } else if (m->out->place[k].kind == SS_PACKED_PLANE) {
        fill(m, k, 2, 3);
    }
}

static void fill_four(const packing *m, int k)
{
    for (int l = 0; l < SS_PACKED_LANES; l++) {
        fill_one(m, k + l);
    }
    if (are_alike(&m->out->place[k])) {
        interleave(&m->out->place[k], m->out->x);
    }
}

/* ---- all of them -------------------------------------------------------------------------------- */

static int class_of(const ss_sweep_order *order, int k)
{
    int low = 0, high = order->first_class[order->islands];
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        low = order->first[middle] <= k ? middle : low;
        high = order->first[middle] <= k ? high : middle;
    }
    return low;
}

/* Contacts of a class that share nothing are filled by fours, from its first one on. Four that begin in a range belong to it. */
static void fill_range(void *data, int begin, int end)
{
    const packing *m = data;
    const ss_sweep_order *order = m->from->order;
    int class = class_of(order, begin), k = begin;
    while (k < end) {
        while (order->first[class + 1] <= k) {
            class ++;
        }
        const int past = (k - order->first[class]) % SS_PACKED_LANES;
        const bool four = order->together[class] && k - past + SS_PACKED_LANES <= order->first[class + 1];
        if (!four) {
            fill_one(m, k);
        } else if (past == 0) {
            fill_four(m, k);
        }
        k += four ? SS_PACKED_LANES - past : 1;
    }
}

ss_status ss_packed_make(const ss_packed_source *s, bool *wanted, ss_packed *out)
{
    const int positions = s->order->positions;
    packing m = { .from = s, .wanted = wanted, .out = out };
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)positions, sizeof *out->place, &out->place));
    ss_parallel_for(s->ctx, positions, GRAIN, choose_range, &m);
    SS_TRY(ss_arena_take_raw(s->arena, lay_out(positions, out->place), sizeof *out->x, &out->x));
    ss_parallel_for(s->ctx, positions, GRAIN, fill_range, &m);
    return SS_OK;
}
