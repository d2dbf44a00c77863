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

#include "base/parallel.h"
#include "base/tolerances.h"
#include "math/dense.h"
#include "problem/contact_blocks.h"

#include <math.h>

static const double UNEVEN = 100; /* ratio of masses */

/* the contacts that touch a block, as long as they are not known to be independent */
typedef struct loose_ends {
    const ss_problem *problem;
    ss_contact_blocks blocks; /* of every contact                       */
    int *left;                /* blocks: contacts that touch it         */
    bool *held;               /* blocks: by joints                      */
    bool *asked, *loose;      /* contacts: of now; as they were at first */
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

/* product of rows i and j of H on the velocities of block b, each divided by its mass; at: where its entries begin in a row, -1:
 * they are not side by side */
static double product(const ss_problem *p, int b, int at, int i, int j)
{
    const ss_csr *H = &p->H;
    const int first = p->scale.offset[b], size = p->scale.size[b], begin = H->p[i] + (at > 0 ? at : 0);
    const int end = at >= 0 ? begin + size : H->p[i + 1];
    const double *mass = p->scale.x + p->scale.start[b];
    double sum = 0;
    for (int e = begin; e < end; e++) {
        const int own = H->i[e] - first;
        if (own >= 0 && own < size) {
            sum += H->x[e] * entry_in(H, j, e - H->p[i], H->i[e]) / mass[own * (size + 1)];
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

/* Are the rows of contact k independent on its block number e alone? Those of a user block need not be. */
static bool is_independent(const loose_ends *x, int k, int e)
{
    const ss_problem *p = x->problem;
    const int first = p->row[k], rows = p->row[k + 1] - first, at = x->blocks.at ? x->blocks.at[e] : -1;
    double gram[9], work[6];
    int order[3];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            gram[i + rows * j] = product(p, x->blocks.block[e], at, first + i, first + j);
        }
    }
    return dominates(rows, gram) || ss_dense_cholesky_pivoted(rows, gram, rows, SS_TOL_REDUNDANT, order, work) == rows;
}

/* count contact k at its blocks: by +1 or -1 */
static void touch(const loose_ends *x, int k, int by)
{
    for (int e = x->blocks.first[k]; e < x->blocks.first[k + 1]; e++) {
        x->left[x->blocks.block[e]] += by;
    }
}

/* Has contact k a block that nothing else touches, on which its rows are independent? */
static bool is_loose(const loose_ends *x, int k)
{
    bool loose = false;
    for (int e = x->blocks.first[k]; e < x->blocks.first[k + 1] && !loose; e++) {
        const int b = x->blocks.block[e];
        loose = x->left[b] == 1 && !x->held[b] && is_independent(x, k, e);
    }
    return loose;
}

static void find_loose(void *data, int begin, int end)
{
    const loose_ends *x = data;
    for (int k = begin; k < end; k++) {
        x->loose[k] = x->asked[k] && is_loose(x, k);
    }
}

/* the contacts asked for at their blocks, and which of them are loose before any is taken away */
static ss_status open_ends(ss_context *ctx, ss_arena *arena, loose_ends *x)
{
    enum { GRAIN = 512 };
    const ss_problem *p = x->problem;
    SS_TRY(ss_contact_blocks_of(ctx, arena, p, &x->blocks));
    SS_TRY(ss_arena_take(arena, (size_t)p->scale.blocks, sizeof *x->left, &x->left));
    SS_TRY(ss_arena_take(arena, (size_t)p->scale.blocks, sizeof *x->held, &x->held));
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nc, sizeof *x->loose, &x->loose));
    for (int e = 0; p->nj > 0 && e < p->G.p[p->nj]; e++) {
        x->held[ss_blockdiag_find(&p->scale, p->G.i[e])] = true;
    }
    for (int k = 0; k < p->nc; k++) {
        if (x->asked[k]) {
            touch(x, k, 1);
        }
    }
    ss_parallel_for(ctx, p->nc, GRAIN, find_loose, x);
    return SS_OK;
}

/* Take contacts away from those asked for that alone touch a body. */
static ss_status peel(ss_context *ctx, ss_arena *arena, const ss_problem *p, bool *asked)
{
    loose_ends x = { .problem = p, .asked = asked };
    int *contact, left = 0; /* those still asked for */
    SS_TRY(open_ends(ctx, arena, &x));
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nc, sizeof *contact, &contact));
    for (int k = 0; k < p->nc; k++) {
        contact[left] = k;
        left += asked[k];
    }
    for (int before = left + 1; left < before;) {
        before = left;
        left = 0;
        for (int i = 0; i < before; i++) {
            const int k = contact[i];
            asked[k] = !x.loose[k] && !is_loose(&x, k);
            if (!asked[k]) {
                touch(&x, k, -1);
            }
            contact[left] = k;
            left += asked[k];
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

ss_status ss_open_islands(ss_context *ctx, ss_arena *arena, const ss_problem *p, const ss_islands *islands, int most,
                          ss_open *out)
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
    SS_TRY(p->local ? SS_OK : peel(ctx, arena, p, asked));
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
