/* digest.c - 256 bits that tell one problem, or one candidate for its solution, from another.
 *
 *   h <- (h xor x) P + y,   h <- h xor (h >> 29)         for every two words x, y of 64 bits, in four lanes in turn
 *
 * Each of these maps is one to one, in h, in x and in y: problems that differ in one word always have different digests, others
 * but for one case in 2^64 or fewer. Lengths come before arrays, so that no array can run on in the next one. A long array is cut
 * into parts, each with a digest of its own; these are words of the digest of the problem.
 *
 * Cost   a multiplication for two words; four do not wait for each other */
#include "problem/digest.h"

#include "base/parallel.h"

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

enum { PARTS = 32, LONG = 1 << 17 }; /* of an array; bytes */

typedef struct parts_job {
    const unsigned char *bytes;
    size_t size, part;
    ss_digest of[PARTS];
} parts_job;

static void digest_parts(void *data, int begin, int end)
{
    parts_job *job = data;
    for (int k = begin; k < end; k++) {
        const size_t from = (size_t)k * job->part, left = job->size > from ? job->size - from : 0;
        job->of[k] = (ss_digest){ { 1, 2, 3, 4 } };
        add_bytes(&job->of[k], job->bytes + (left > 0 ? from : 0), left < job->part ? left : job->part);
    }
}

/* a digest under way */
typedef struct digester {
    const ss_context *ctx;
    ss_digest d;
} digester;

static void add_array(digester *to, const void *bytes, size_t size)
{
    if (size < LONG) {
        add_bytes(&to->d, bytes, size);
        return;
    }
    parts_job job = { .bytes = bytes, .size = size, .part = (size / PARTS / PIECE + 1) * PIECE };
    ss_parallel_for(to->ctx, PARTS, 1, digest_parts, &job);
    add_bytes(&to->d, job.of, sizeof job.of);
}

static void add_ints(digester *to, int n, const int *x)
{
    const int64_t length = x ? n : -1;
    add_bytes(&to->d, &length, sizeof length);
    add_array(to, x, x ? (size_t)n * sizeof *x : 0);
}

static void add_numbers(digester *to, int n, const double *x)
{
    const int64_t length = x ? n : -1;
    add_bytes(&to->d, &length, sizeof length);
    add_array(to, x, x ? (size_t)n * sizeof *x : 0);
}

static void add_rows(digester *to, const ss_csr *R)
{
    const int entries = R->m > 0 ? R->p[R->m] : 0;
    add_ints(to, R->m > 0 ? R->m + 1 : 0, R->p);
    add_ints(to, entries, R->i);
    add_numbers(to, entries, R->x);
}

/* Has block b the place of the one before it? */
static bool is_shared(const ss_blockdiag *M, int b) { return M->start[b] == M->start[b - 1] && M->size[b] == M->size[b - 1]; }

/* Where the blocks from b on end that lie one behind the other in memory, or in the place of the one before, and the numbers they
 * have. */
static int end_of_blocks(const ss_blockdiag *M, int b, int *numbers)
{
    const int start = M->start[b];
    *numbers = 0;
    for (; b < M->blocks; b++) {
        if (M->start[b] == start + *numbers) {
            *numbers += M->size[b] * M->size[b];
        } else if (!is_shared(M, b)) {
            break;
        }
    }
    return b;
}

static void add_blocks(digester *to, const ss_blockdiag *M)
{
    add_ints(to, M->blocks, M->offset);
    add_ints(to, M->blocks, M->size);
    add_ints(to, M->blocks, M->start);
    for (int b = 0, next, numbers; b < M->blocks; b = next) {
        next = end_of_blocks(M, b, &numbers);
        add_numbers(to, numbers, M->x + M->start[b]);
    }
}

ss_digest ss_problem_digest(const ss_context *ctx, const ss_problem *p)
{
    digester to = { ctx, { { 1, 2, 3, 4 } } };
    const int sizes[] = { p->local, p->nv, p->nj, p->nc }, rows = p->nc > 0 ? p->row[p->nc] : 0;
    add_bytes(&to.d, sizes, sizeof sizes);
    add_ints(&to, p->nc > 0 ? p->nc + 1 : 0, p->row);
    add_array(&to, p->law, (size_t)p->nc * sizeof *p->law);
    add_ints(&to, p->nc, p->host);
    add_numbers(&to, rows, p->w);
    if (p->local) {
        add_rows(&to, &p->W);
        return to.d;
    }
    add_blocks(&to, &p->scale);
    if (p->A.diagonal.x != p->scale.x) {
        add_blocks(&to, &p->A.diagonal);
    }
    add_rows(&to, &p->A.sparse);
    add_rows(&to, &p->G);
    add_rows(&to, &p->H);
    add_numbers(&to, p->nv, p->b);
    add_numbers(&to, p->nj, p->c);
    add_numbers(&to, p->nv, p->v_old);
    return to.d;
}

/* u is no part of it: a certificate makes its own */
ss_digest ss_candidate_digest(const ss_context *ctx, const ss_problem *p, const ss_solution *s)
{
    digester to = { ctx, { { 1, 2, 3, 4 } } };
    const int rows = p->nc > 0 ? p->row[p->nc] : 0, directions = p->nc > 0 && p->dir ? p->dir[p->nc] : 0;
    add_bytes(&to.d, &p->dimension, sizeof p->dimension);
    add_numbers(&to, p->nc, p->mu);
    add_ints(&to, p->nc > 0 ? p->nc + 1 : 0, p->dir);
    add_numbers(&to, 2 * directions, p->direction);
    add_numbers(&to, rows, s->r);
    if (!p->local) {
        add_numbers(&to, p->nv, s->v);
        add_numbers(&to, p->nj, s->lam);
    }
    return to.d;
}

bool ss_digest_is(const ss_digest *a, const ss_digest *b) { return memcmp(a, b, sizeof *a) == 0; }
