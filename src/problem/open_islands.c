/* open_islands.c - islands whose contact impulses statics may leave open, or leaves to be found to round-off.
 *
 * A body that one contact alone touches, and no joint, gives the rows of that contact columns of their own: if these are
 * independent, as those of every rigid body are, the rows depend on no others, and the contact may be left aside. Contacts are
 * peeled off like this as long as there are such bodies. If none is left (a tree: grains in flight, a chain of balls), statics
 * determines all impulses. A closed ring of contacts, a body on three legs, or a single contact on a body that joints hold may be
 * determined too: who asks will see by the rank of its rows. The normal and the tangent of a point on a hinged body are open:
 * both turn the body, and nothing else.
 *
 * Islands with moments of rolling friction are left out (docs/indeterminacy.md).
 * Cost        linear in the contacts for each pass over the islands that are small enough; a few passes as a rule */
#include "problem/open_islands.h"

#include "base/tolerances.h"
#include "math/dense.h"

#include <math.h>

static const double UNEVEN = 100; /* ratio of masses */

/* the contacts that touch a block, as long as they are not known to be independent */
typedef struct loose_ends {
    int *block_of; /* nv: block of a velocity                            */
    int *left;     /* blocks: contacts that touch it                     */
    bool *held;    /* blocks: by joints                                  */
} loose_ends;

/* the entry of row j in a column; rows of a contact have it at the same place as a rule */
static double entry_in(const ss_csr *H, int j, int place, int column)
{
    int f = H->p[j] + place;
    if (f >= H->p[j + 1] || H->i[f] != column) {
        for (f = H->p[j]; f < H->p[j + 1] && H->i[f] != column; f++) {}
    }
    return f < H->p[j + 1] ? H->x[f] : 0;
}

/* product of rows i and j of H on the velocities of block b, each divided by its mass */
static double product(const ss_problem *p, const loose_ends *x, int b, int i, int j)
{
    const ss_csr *H = &p->H;
    const double *mass = p->scale.x + p->scale.start[b];
    double sum = 0;
    for (int e = H->p[i]; e < H->p[i + 1]; e++) {
        const int column = H->i[e], own = (column - p->scale.offset[b]) * (p->scale.size[b] + 1);
        if (x->block_of[column] == b) {
            sum += H->x[e] * entry_in(H, j, e - H->p[i], column) / mass[own];
        }
    }
    return sum;
}

/* Is a symmetric matrix, its lower triangle by columns, so much its diagonal that its rank is full? Its least eigenvalue is at
 * least the least of a_ii - sum |a_ij| (Gershgorin), and so are the pivots of a Cholesky factorisation. */
static bool dominates(int n, const double *a)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        double rest = a[i + n * i];
        for (int j = 0; j < n; j++) {
            rest -= j == i ? 0 : fabs(a[i > j ? i + n * j : j + n * i]);
        }
        least = fmin(least, rest);
        most = fmax(most, a[i + n * i]);
    }
    return least > 2 * SS_TOL_REDUNDANT * most; /* twice: round-off */
}

/* Are the rows of contact k independent on block b alone? Those of a user block need not be. */
static bool is_independent(const ss_problem *p, const loose_ends *x, int k, int b)
{
    const int first = p->row[k], rows = p->row[k + 1] - first;
    double gram[9], work[6];
    int order[3];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            gram[i + rows * j] = product(p, x, b, first + i, first + j);
        }
    }
    return dominates(rows, gram) || ss_dense_cholesky_pivoted(rows, gram, rows, SS_TOL_REDUNDANT, order, work) == rows;
}

/* The block of entry *e of H, which becomes the first entry of the next block. */
static int next_block(const ss_problem *p, const loose_ends *x, int end, int *e)
{
    const int b = x->block_of[p->H.i[*e]];
    while (*e < end && x->block_of[p->H.i[*e]] == b) {
        (*e)++;
    }
    return b;
}

/* count contact k at its blocks: by +1 or -1; the normal row touches what the others touch */
static void touch(const ss_problem *p, loose_ends *x, int k, int by)
{
    const int end = p->H.p[p->row[k] + 1];
    for (int e = p->H.p[p->row[k]]; e < end;) {
        x->left[next_block(p, x, end, &e)] += by;
    }
}

/* Has contact k a block that nothing else touches, on which its rows are independent? */
static bool is_loose(const ss_problem *p, const loose_ends *x, int k)
{
    const int end = p->H.p[p->row[k] + 1];
    bool loose = false;
    for (int e = p->H.p[p->row[k]]; e < end && !loose;) {
        const int b = next_block(p, x, end, &e);
        loose = x->left[b] == 1 && !x->held[b] && is_independent(p, x, k, b);
    }
    return loose;
}

static ss_status take_ends(ss_arena *arena, const ss_problem *p, const bool *asked, loose_ends *x)
{
    SS_TRY(ss_arena_take(arena, (size_t)p->nv, sizeof *x->block_of, &x->block_of));
    SS_TRY(ss_arena_take(arena, (size_t)p->scale.blocks, sizeof *x->left, &x->left));
    SS_TRY(ss_arena_take(arena, (size_t)p->scale.blocks, sizeof *x->held, &x->held));
    for (int b = 0; b < p->scale.blocks; b++) {
        for (int i = 0; i < p->scale.size[b]; i++) {
            x->block_of[p->scale.offset[b] + i] = b;
        }
    }
    for (int e = 0; p->nj > 0 && e < p->G.p[p->nj]; e++) {
        x->held[x->block_of[p->G.i[e]]] = true;
    }
    for (int k = 0; k < p->nc; k++) {
        if (asked[k]) {
            touch(p, x, k, 1);
        }
    }
    return SS_OK;
}

/* Take contacts away from those asked for that alone touch a body. */
static ss_status peel(ss_arena *arena, const ss_problem *p, bool *asked)
{
    loose_ends x = { 0 };
    SS_TRY(take_ends(arena, p, asked, &x));
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < p->nc; k++) {
            if (asked[k] && is_loose(p, &x, k)) {
                touch(p, &x, k, -1);
                asked[k] = false;
                again = true;
            }
        }
    }
    return SS_OK;
}

/* Bodies of very different mass on circular cones, for which there is no pivoting: residuals beside the largest forces say little
 * of the small ones. *uneven: of the island, the largest mass over the smallest is UNEVEN or more. */
static ss_status find_uneven(ss_arena *arena, const ss_problem *p, const ss_islands *islands, bool **uneven)
{
    double *least, *most;
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof *least, &least));
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof *most, &most));
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof **uneven, uneven));
    for (int b = 0; !p->local && b < p->scale.blocks; b++) {
        const int own = islands->of_block[b];
        const double mass = p->scale.x[p->scale.start[b]];
        least[own] = most[own] == 0 ? mass : fmin(least[own], mass);
        most[own] = fmax(most[own], mass);
    }
    for (int k = 0; k < p->nc; k++) {
        const int own = islands->of_contact[k];
        if (own >= 0 && p->law[k] & (SS_LAW_COULOMB | SS_LAW_ASSOCIATED)) {
            (*uneven)[own] = most[own] >= UNEVEN * least[own];
        }
    }
    return SS_OK;
}

/* contacts and contact rows of every island */
static ss_status count(ss_arena *arena, const ss_problem *p, const ss_islands *islands, int **nc, int **n)
{
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof **n, n));
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof **nc, nc));
    for (int k = 0; k < p->nc; k++) {
        const int own = islands->of_contact[k];
        if (own >= 0) {
            (*nc)[own]++;
            (*n)[own] += p->row[k + 1] - p->row[k];
        }
    }
    return SS_OK;
}

/* The limit is not known for moments that the normal impulse of another contact bounds. */
static void leave_moments(const ss_problem *p, const ss_islands *islands, bool *taken)
{
    for (int k = 0; k < p->nc; k++) {
        if (p->law[k] == SS_LAW_ROLLING && islands->of_contact[k] >= 0) {
            taken[islands->of_contact[k]] = false;
        }
    }
}

ss_status ss_open_islands(ss_arena *arena, const ss_problem *p, const ss_islands *islands, int most, ss_open *out)
{
    int *n, *nc;
    bool *asked, small = false;
    *out = (ss_open){ 0 };
    SS_TRY(count(arena, p, islands, &nc, &n));
    SS_TRY(ss_arena_take(arena, (size_t)p->nc, sizeof *asked, &asked));
    for (int k = 0; k < p->nc; k++) {
        const int own = islands->of_contact[k];
        asked[k] = own >= 0 && n[own] <= most;
        small = small || asked[k];
    }
    if (!small) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(arena, (size_t)islands->count, sizeof *out->taken, &out->taken));
    SS_TRY(find_uneven(arena, p, islands, &out->uneven));
    SS_TRY(p->local ? SS_OK : peel(arena, p, asked));
    for (int k = 0; k < p->nc; k++) { /* still asked: it does not hang at the end of a tree */
        const int own = islands->of_contact[k];
        const bool pair = own >= 0 && nc[own] >= 2 && n[own] <= most, open = asked[k] || (pair && out->uneven[own]);
        out->taken[own >= 0 ? own : 0] |= open;
    }
    leave_moments(p, islands, out->taken);
    for (int i = 0; i < islands->count; i++) {
        out->some = out->some || out->taken[i];
    }
    return SS_OK;
}
