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
 * Where little is asked for, fours are kept in single precision: a large pile is swept as fast as its records come from memory.
 * The impulses then solve a problem whose rows are off by 6e-8; velocities, impulses and all sums are double.
 * Packed are contacts with friction of one or two rigid bodies, loose ones, which are nearly all there are; what is left is
 * visited in the general way (sweep_pieces.c), on the same velocities x.
 * Cost        entries of H; rows^2 size for W                                                        */
#include "problem/sweep_packed.h"

#include "base/parallel.h"
#include "math/array.h"
#include "math/csr.h"

#include <math.h>

enum {
    GRAIN = 512, /* contacts that a thread takes at a time       */
    AHEAD = 8,   /* contacts after which those that are expected come */
};

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
        m->out->place[k] = (ss_packed_place){ .kind = (unsigned char)kind };
        if (kind != SS_PACKED_NOT) {
            m->out->place[k].a = offset[block[0]];
            m->out->place[k].b = blocks > 1 ? offset[block[1]] : -1;
            m->wanted[k] = false;
        }
    }
}

/* contacts in space, all with the same circular law */
static bool are_alike(const ss_packed_source *s, const ss_packed_place *place, int k)
{
    const unsigned law = s->problem->law[contact_at(s, k)];
    bool alike = law == SS_LAW_COULOMB || law == SS_LAW_ASSOCIATED;
    for (int l = 0; l < SS_PACKED_LANES; l++) {
        alike = alike && place[k + l].kind == SS_PACKED_SPACE && s->problem->law[contact_at(s, k + l)] == law;
    }
    return alike;
}

/* four records, interleaved; returns how many numbers they take */
static size_t lay_out_four(ss_packed_place *place, size_t begin, bool single)
{
    const size_t size = single ? sizeof(float) : sizeof(double), ratio = sizeof(double) / size;
    for (int l = 0; l < SS_PACKED_LANES; l++) {
        place[l].kind = single ? SS_PACKED_FOUR_SINGLE : SS_PACKED_FOUR;
        place[l].lane = (unsigned char)l;
        place[l].at = ratio * begin + (size_t)l;
    }
    return SS_PACKED_LANES * SS_PACKED_NUMBERS / ratio;
}

/* Where the records lie, one after the other; returns the numbers of all. Positions of a class that share nothing are taken by
 * fours from its first one on, so that ranges of visits that are a multiple of four do not cut them. */
static size_t lay_out(const ss_packed_source *s, bool single, ss_packed_place *place)
{
    const ss_sweep_order *order = s->order;
    size_t numbers = 0;
    for (int c = 0; c < ss_sweep_class(order, order->islands); c++) {
        const int begin = order->first[c], end = order->first[c + 1];
        for (int k = begin; k < end; k++) {
            const bool whole = order->together[c] && (k - begin) % SS_PACKED_LANES == 0 && k + SS_PACKED_LANES <= end;
            if (whole && are_alike(s, place, k)) {
                numbers += lay_out_four(place + k, numbers, single);
            } else if (!ss_packed_is_four(&place[k])) {
                place[k].at = numbers;
                numbers += numbers_of(place[k].kind);
            }
        }
    }
    return numbers;
}

/* ---- single precision ----------------------------------------------------------------------------- */

/* Is 0, or are squares and inverses of it far from the ends of single precision? */
static bool is_moderate(double x)
{
    const double most = 1e15;
    return x == 0 || (fabs(x) >= 1 / most && fabs(x) <= most);
}

/* In units of mass and length that are out of all proportion, records keep double precision. */
static bool fits_single(const ss_packed_source *s)
{
    const ss_blockdiag *B = &s->problem->scale;
    double most = 0;
    bool fits = s->single;
    for (int b = 0; b < B->blocks && fits; b++) {
        const double *L = s->L + B->start[b];
        for (int i = 0; i < B->size[b]; i++) {
            fits = fits && is_moderate(L[(B->size[b] + 1) * i]);
        }
    }
    for (int i = 0; i < s->problem->row[s->problem->nc] && fits; i++) {
        most = fmax(most, fabs(s->q[i]));
    }
    return fits && is_moderate(most);
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
static inline void fill_rows(const ss_packed_source *s, const ss_packed_place *at, int contact, int rows, int size, double *X)
{
    const ss_csr *H = &s->problem->H;
    const int first = s->blocks->first[contact], row = s->problem->row[contact];
    const int *block = s->blocks->block + first, bodies = at->b >= 0 ? 2 : 1;
    const int *begin = s->blocks->at ? s->blocks->at + first : NULL;
    const bool plain = begin && begin[0] >= 0 && (bodies == 1 || begin[1] >= 0);
    memset(X, 0, (size_t)(2 * rows * size) * sizeof *X);
    for (int i = 0; i < rows; i++) {
        double *x = X + 2 * size * i;
        for (int body = 0; body < bodies && plain; body++) {
            const double *entry = H->x + H->p[row + i] + begin[body];
            for (int k = 0; k < size; k++) {
                x[size * body + k] += entry[k];
            }
        }
        if (!plain) {
            scatter_row(H, row + i, at, size, x);
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

static void fill(const packing *m, int k, int rows, int size, double *record)
{
    const ss_packed_source *s = m->from;
    const int contact = contact_at(s, k);
    ss_packed_place *at = &m->out->place[k];
    ss_one_contact one;
    double *q = record + SS_PACKED_Q, *X = q + rows, *W = X + 2 * rows * size, *inverse = W + rows * rows;
    fill_rows(s, at, contact, rows, size, X);
    multiply_rows(rows, size, X, W);
    ss_one_contact_open(&one, s->problem, contact, W);
    memcpy(inverse, one.inverse, (size_t)(rows * rows) * sizeof *inverse);
    memcpy(q, s->q + s->problem->row[contact], (size_t)rows * sizeof *q);
    record[SS_PACKED_MU] = one.mu;
    record[SS_PACKED_D] = one.d > 0 ? one.d : 0;
    at->law = law_of(&one);
}

double ss_packed_mobility(const ss_packed_place *at, const double *records)
{
    double d;
    ss_packed_read(at, records, SS_PACKED_D, 1, &d);
    return d;
}

ss_one_contact ss_packed_one(const ss_packed_place *at, const double *records)
{
    const int rows = at->kind == SS_PACKED_PLANE ? 2 : 3, size = 3 * (rows - 1), W = SS_PACKED_Q + rows + 2 * rows * size;
    ss_one_contact one = { .rows = rows, .law = at->law, .invertible = at->law != 0 };
    ss_packed_read(at, records, SS_PACKED_MU, 1, &one.mu);
    ss_packed_read(at, records, SS_PACKED_D, 1, &one.d);
    ss_packed_read(at, records, W, rows * rows, one.W);
    ss_packed_read(at, records, W + rows * rows, rows * rows, one.inverse);
    return one;
}

/* ---- four at once ------------------------------------------------------------------------------- */

enum { LANES = SS_PACKED_LANES, NUMBERS = SS_PACKED_NUMBERS };

/* the records of a four, which begin at its first place */
static void interleave(const ss_packed_place *place, double four[LANES][NUMBERS], double *records)
{
    float single[LANES * NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        for (int l = 0; l < LANES; l++) {
            if (place->kind == SS_PACKED_FOUR) {
                records[place->at + (size_t)(LANES * i + l)] = four[l][i];
            } else {
                single[LANES * i + l] = (float)four[l][i];
            }
        }
    }
    if (place->kind == SS_PACKED_FOUR_SINGLE) {
        memcpy((char *)records + place->at * sizeof *single, single, sizeof single);
    }
}

/* If one of them has no visit of its own, none has: they have the same law. */
static void fill_four(const packing *m, int k)
{
    ss_packed_place *place = &m->out->place[k];
    double four[LANES][NUMBERS];
    bool alike = true;
    for (int l = 0; l < LANES; l++) {
        fill(m, k + l, 3, 6, four[l]);
        alike = alike && place[l].law == place->law;
    }
    for (int l = 0; l < LANES; l++) {
        place[l].law = alike ? place[l].law : 0;
    }
    interleave(place, four, m->out->x);
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* the rows of a contact that is filled soon, which lie anywhere: they come from memory meanwhile */
static void expect(const ss_packed_source *s, int k)
{
    enum { LINE = 8 }; /* numbers */
    const ss_csr *H = &s->problem->H;
    const int contact = contact_at(s, k), end = H->p[s->problem->row[contact + 1]];
    for (int e = H->p[s->problem->row[contact]]; e < end; e += LINE) {
        __builtin_prefetch(H->x + e);
    }
}

/* Fours that begin in a range belong to it. */
static void fill_range(void *data, int begin, int end)
{
    const packing *m = data;
    for (int k = begin; k < end; k++) {
        const ss_packed_place *at = &m->out->place[k];
        if (k + AHEAD < end) {
            expect(m->from, k + AHEAD);
        }
        if (ss_packed_is_four(at)) {
            if (at->lane == 0) {
                fill_four(m, k);
            }
        } else if (at->kind == SS_PACKED_SPACE) {
            fill(m, k, 3, 6, m->out->x + at->at);
        } else if (at->kind == SS_PACKED_PLANE) {
            fill(m, k, 2, 3, m->out->x + at->at);
        }
    }
}

ss_status ss_packed_make(const ss_packed_source *s, bool *wanted, ss_packed *out)
{
    const int positions = s->order->positions;
    packing m = { .from = s, .wanted = wanted, .out = out };
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)positions, sizeof *out->place, &out->place));
    ss_parallel_for(s->ctx, positions, GRAIN, choose_range, &m);
    SS_TRY(ss_arena_take_raw(s->arena, lay_out(s, fits_single(s), out->place), sizeof *out->x, &out->x));
    ss_parallel_for(s->ctx, positions, GRAIN, fill_range, &m);
    return SS_OK;
}
