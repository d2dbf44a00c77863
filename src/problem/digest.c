/* digest.c - 256 bits that tell one problem from another.
 *
 *   h <- (h xor x) P + y,   h <- h xor (h >> 29)         for every two words x, y of 64 bits, in four lanes in turn
 *
 * Each of these maps is one to one, in h, in x and in y: problems that differ in one word always have different digests, others
 * but for one case in 2^64 or fewer. Lengths come before arrays, so that no array can run on in the next one.
 *
 * Cost   a multiplication for two words; four do not wait for each other */
#include "problem/digest.h"

#include <string.h>

static const uint64_t PRIME = 0x9E3779B97F4A7C15u; /* odd: the golden ratio */

static uint64_t mix(uint64_t h, uint64_t x, uint64_t y)
{
    h = (h ^ x) * PRIME + y;
    return h ^ (h >> 29);
}

static uint64_t word(const unsigned char *at)
{
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

enum { PIECE = 64 }; /* bytes: two words for each lane */

/* lane by lane, so that they stay in registers */
static void add_pieces(ss_digest *d, const unsigned char *at, size_t count)
{
    uint64_t a = d->lane[0], b = d->lane[1], c = d->lane[2], e = d->lane[3];
    for (; count > 0; count--, at += PIECE) {
        a = mix(a, word(at), word(at + 32));
        b = mix(b, word(at + 8), word(at + 40));
        c = mix(c, word(at + 16), word(at + 48));
        e = mix(e, word(at + 24), word(at + 56));
    }
    *d = (ss_digest){ { a, b, c, e } };
}

static void add_bytes(ss_digest *d, const void *bytes, size_t size)
{
    unsigned char last[PIECE] = { 0 };
    const size_t whole = size / PIECE, rest = size % PIECE;
    add_pieces(d, bytes, whole);
    if (rest > 0) {
        memcpy(last, (const unsigned char *)bytes + whole * PIECE, rest);
        add_pieces(d, last, 1);
    }
}

static void add_ints(ss_digest *d, int n, const int *x)
{
    const int64_t length = x ? n : -1;
    add_bytes(d, &length, sizeof length);
    add_bytes(d, x, x ? (size_t)n * sizeof *x : 0);
}

static void add_numbers(ss_digest *d, int n, const double *x)
{
    const int64_t length = x ? n : -1;
    add_bytes(d, &length, sizeof length);
    add_bytes(d, x, x ? (size_t)n * sizeof *x : 0);
}

static void add_rows(ss_digest *d, const ss_csr *R)
{
    const int entries = R->m > 0 ? R->p[R->m] : 0;
    add_ints(d, R->m > 0 ? R->m + 1 : 0, R->p);
    add_ints(d, entries, R->i);
    add_numbers(d, entries, R->x);
}

static void add_blocks(ss_digest *d, const ss_blockdiag *M)
{
    add_ints(d, M->blocks, M->offset);
    add_ints(d, M->blocks, M->size);
    for (int b = 0; b < M->blocks; b++) {
        add_numbers(d, M->size[b] * M->size[b], M->x + M->start[b]);
    }
}

ss_digest ss_problem_digest(const ss_problem *p)
{
    ss_digest d = { { 1, 2, 3, 4 } };
    const int sizes[] = { p->local, p->nv, p->nj, p->nc }, rows = p->nc > 0 ? p->row[p->nc] : 0;
    add_bytes(&d, sizes, sizeof sizes);
    add_ints(&d, p->nc > 0 ? p->nc + 1 : 0, p->row);
    add_bytes(&d, p->law, (size_t)p->nc * sizeof *p->law);
    add_ints(&d, p->nc, p->host);
    add_numbers(&d, rows, p->w);
    if (p->local) {
        add_rows(&d, &p->W);
        return d;
    }
    add_blocks(&d, &p->scale);
    if (p->A.diagonal.x != p->scale.x) {
        add_blocks(&d, &p->A.diagonal);
    }
    add_rows(&d, &p->A.sparse);
    add_rows(&d, &p->G);
    add_rows(&d, &p->H);
    add_numbers(&d, p->nv, p->b);
    add_numbers(&d, p->nj, p->c);
    add_numbers(&d, p->nv, p->v_old);
    return d;
}

bool ss_digest_is(const ss_digest *a, const ss_digest *b) { return memcmp(a, b, sizeof *a) == 0; }
