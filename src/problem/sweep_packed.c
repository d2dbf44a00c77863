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

#include "math/array.h"
#include "math/csr.h"

static int contact_at(const ss_packed_source *s, int k) { return s->order->contact[k]; }

/* ---- which contacts --------------------------------------------------------------------------- */

static ss_packed_kind kind_of(int rows, int size)
{
    return rows == 3 && size == 6 ? SS_PACKED_SPACE : rows == 2 && size == 3 ? SS_PACKED_PLANE : SS_PACKED_NOT;
}

/* one or two loose blocks of one of the sizes */
static ss_packed_kind kind_at(const ss_packed_source *s, int k, int blocks)
{
    const ss_problem *p = s->problem;
    const int contact = contact_at(s, k), *block = s->links->list;
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

static size_t choose(const ss_packed_source *s, bool *wanted, ss_packed *out)
{
    const ss_blockdiag *B = &s->problem->scale;
    size_t numbers = 0;
    memset(s->links->stamp, 0, (size_t)B->blocks * sizeof *s->links->stamp);
    for (int k = 0; k < s->order->positions; k++) {
        int blocks = wanted[k] ? ss_sweep_blocks(s->links, s->problem, contact_at(s, k), false, k + 1) : 0;
        ss_packed_kind kind = kind_at(s, k, blocks);
        out->place[k] = (ss_packed_place){ .kind = (unsigned short)kind };
        if (kind != SS_PACKED_NOT) {
            out->place[k].at = numbers;
            out->place[k].a = B->offset[s->links->list[0]];
            out->place[k].b = blocks > 1 ? B->offset[s->links->list[1]] : -1;
            out->place[k].row = s->problem->row[contact_at(s, k)];
            wanted[k] = false;
        }
        numbers += numbers_of(kind);
    }
    return numbers;
}

/* ---- records ---------------------------------------------------------------------------------- */

/* X = H L^-T */
static void fill_rows(const ss_packed_source *s, const ss_packed_place *at, int rows, int size, double *X)
{
    const ss_blockdiag *B = &s->problem->scale;
    const ss_gram *H = s->gram;
    memset(X, 0, (size_t)(2 * rows * size) * sizeof *X);
    for (int i = 0; i < rows; i++) {
        for (int e = H->first[at->row + i]; e < H->first[at->row + i + 1]; e++) {
            int block = H->block[e];
            double *x = X + 2 * size * i + (B->offset[block] == at->a ? 0 : size);
            memcpy(x, H->x + H->at[e], (size_t)size * sizeof *x);
            ss_block_half_solve(size, s->L + B->start[block], x);
        }
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

static void fill(const ss_packed_source *s, int k, ss_packed *p, int rows, int size, ss_one_contact *one)
{
    ss_packed_place *at = &p->place[k];
    double *record = p->x + at->at, *q = record + SS_PACKED_Q, *X = q + rows, *W = X + 2 * rows * size,
           *inverse = W + rows * rows;
    fill_rows(s, at, rows, size, X);
    multiply_rows(rows, size, X, W);
    ss_one_contact_open(one, s->problem, contact_at(s, k), W);
    memcpy(inverse, one->inverse, (size_t)(rows * rows) * sizeof *inverse);
    memcpy(q, s->q + at->row, (size_t)rows * sizeof *q);
    record[SS_PACKED_MU] = one->mu;
    record[SS_PACKED_D] = one->d > 0 ? one->d : 0;
    at->law = law_of(one);
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

/* contacts of a class that share nothing, by fours from its first one on */
static void interleave_classes(const ss_sweep_order *order, ss_packed *p)
{
    for (int class = 0; class < order->first_class[order->islands]; class ++) {
        const int end = order->first[class + 1];
        for (int k = order->first[class]; order->together[class] && k + SS_PACKED_LANES <= end; k += SS_PACKED_LANES) {
            if (are_alike(&p->place[k])) {
                interleave(&p->place[k], p->x);
            }
        }
    }
}

ss_status ss_packed_make(const ss_packed_source *s, bool *wanted, ss_one_contact *one, ss_packed *out)
{
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->order->positions, sizeof *out->place, &out->place));
    SS_TRY(ss_arena_take_raw(s->arena, choose(s, wanted, out), sizeof *out->x, &out->x));
    for (int k = 0; k < s->order->positions; k++) {
        if (out->place[k].kind == SS_PACKED_SPACE) {
            fill(s, k, out, 3, 6, &one[k]);
        } else if (out->place[k].kind == SS_PACKED_PLANE) {
            fill(s, k, out, 2, 3, &one[k]);
        }
    }
    interleave_classes(s->order, out);
    return SS_OK;
}
