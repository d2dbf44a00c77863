/* sweep_packed.h - contacts between loose bodies, each in one record of numbers in the order of visits. */
#ifndef SS_SWEEP_PACKED_H
#define SS_SWEEP_PACKED_H

#include "base/base.h"
#include "problem/contact_blocks.h"
#include "problem/kkt.h"
#include "problem/one_contact.h"
#include "problem/sweep_order.h"
#include <slipstick/problem.h>

typedef enum ss_packed_kind {
    SS_PACKED_NOT,         /* visited in the general way                     */
    SS_PACKED_SPACE,       /* 3 rows, blocks of 6: rigid bodies in space     */
    SS_PACKED_PLANE,       /* 2 rows, blocks of 3: rigid bodies in the plane */
    SS_PACKED_FOUR,        /* as SPACE, one of SS_PACKED_LANES positions that follow each other and are visited at once */
    SS_PACKED_FOUR_SINGLE, /* as FOUR, its record in single precision */
} ss_packed_kind;

enum { SS_PACKED_LANES = 4 };

/* Where the record of a contact is, and what it acts on. Of a four records and impulses are interleaved: number by number, one of
 * each of its contacts, which have the same law. */
typedef struct ss_packed_place {
    size_t at;          /* first number of its record; of SS_PACKED_FOUR_SINGLE counted in floats */
    int a, b;           /* first velocities of its bodies, b < 0: only one                        */
    int r;              /* its first impulse among those of the island (sweep.h)                  */
    unsigned char kind; /* ss_packed_kind                                                         */
    unsigned char lane; /* of a four: which one                                                   */
    unsigned short law; /* SS_LAW_COULOMB or _ASSOCIATED; 0: one_contact.c solves it, as `one` of the sweep has it */
} ss_packed_place;

static inline bool ss_packed_is_four(const ss_packed_place *at) { return at->kind >= SS_PACKED_FOUR; }
static inline int ss_packed_stride(const ss_packed_place *at) { return ss_packed_is_four(at) ? SS_PACKED_LANES : 1; }

/* The contacts, by position in the order of visits. */
typedef struct ss_packed {
    ss_packed_place *place;
    double *x;
} ss_packed;

/* The parts of a record. X has `rows` rows, each with the numbers of the first body, then those of the second. */
enum { SS_PACKED_MU, SS_PACKED_D, SS_PACKED_Q, SS_PACKED_NUMBERS = 59 }; /* numbers: of a record in space */

/* n numbers of a record from number i on */
static inline void ss_packed_read(const ss_packed_place *at, const double *records, int i, int n, double *to)
{
    const size_t stride = (size_t)ss_packed_stride(at), begin = at->at + stride * (size_t)i;
    if (at->kind != SS_PACKED_FOUR_SINGLE) {
        for (int k = 0; k < n; k++) {
            to[k] = records[begin + stride * (size_t)k];
        }
        return;
    }
    for (int k = 0; k < n; k++) {
        float single;
        memcpy(&single, (const char *)records + (begin + stride * (size_t)k) * sizeof single, sizeof single);
        to[k] = single;
    }
}

static inline const double *ss_packed_q(const double *record) { return record + SS_PACKED_Q; }
static inline const double *ss_packed_X(const double *record, int rows) { return record + SS_PACKED_Q + rows; }
static inline const double *ss_packed_W(const double *record, int rows, int size)
{
    return record + SS_PACKED_Q + rows + 2 * rows * size;
}
static inline const double *ss_packed_inverse(const double *record, int rows, int size)
{
    return ss_packed_W(record, rows, size) + rows * rows;
}

/* What records are made from. */
typedef struct ss_packed_source {
    const ss_context *ctx;
    ss_arena *arena;
    const ss_problem *problem;
    const ss_clusters *clusters;
    const ss_contact_blocks *blocks;
    const double *L;   /* Cholesky factors of the blocks    */
    const double *q;   /* of all rows: free velocities      */
    const bool *apart; /* contacts that are not packed: moments, and hosts that these lift; NULL: none */
    const ss_sweep_order *order;
    bool single; /* fours in single precision will do */
} ss_packed_source;

/* Pack those of the wanted positions that can be; they are wanted no longer. Memory from the arena. */
ss_status ss_packed_make(const ss_packed_source *from, bool *wanted, ss_packed *out);
/* A packed contact on its own, as far as its record tells: all of it where the law of its place is not 0; else W. */
ss_one_contact ss_packed_one(const ss_packed_place *at, const double *records);
double ss_packed_mobility(const ss_packed_place *at, const double *records); /* its d */

#endif
