/* cost.c - what iterations on a problem cost.
 *
 * The unit of ss_cost_sweeps is the visit of a contact by Gauss-Seidel, about 1e-7 s. A Newton step in velocity space assembles
 * its matrix contact by contact, looks at every contact some times, and factorises. The operations of the factorisation:
 *   piles       14 n^2 for n velocities (measured from 1200 to 24 000 velocities of spheres and boxes in space); less for
 *               walls and chains
 *   local form  the matrix is full: 8/3 rows^3
 *
 * ss_cost_factor orders the bodies (AMD), which are joined by contacts, joints and couplings, and takes the operations that an
 * elimination in that order makes: those of one number per body, times the cube of the mean size of a body.
 *
 * Cost   ss_cost_sweeps: nothing. ss_cost_factor: that of an ordering of the bodies; AMD takes and frees its own scratch */
#include "problem/cost.h"

#include <amd.h>
#include <math.h>

static const double PILE = 14;       /* operations of a factorisation over n^2                        */
static const double PER_VISIT = 500; /* operations in the time of a visit                             */
static const double ASSEMBLY = 5;    /* visits in the time that a Newton step spends on every contact */

static double full_operations(double rows) { return 8.0 / 3 * rows * rows * rows; }

double ss_cost_sweeps(const ss_problem *p, double newton_steps)
{
    const double n = p->nv, contacts = fmax(p->nc, 1);
    const double factor = p->local ? full_operations(p->row[p->nc]) : PILE * n * n;
    return newton_steps * (ASSEMBLY + factor / PER_VISIT / contacts);
}

/* ---- from the sparsity ----------------------------------------------------------------------------- */

/* which bodies meet: pairs (column, row), once for every row of G and contact that joins them */
typedef struct body_graph {
    int blocks, *block_of;
    int *first, *other; /* by body; the first pass counts into first[body + 2], the second writes at first[body + 1] */
} body_graph;

/* Bodies of a row are joined one after the other: all pairs of two bodies, and some of more. */
static void join_row(body_graph *g, const ss_csr *R, int row, int body)
{
    for (int e = R->p[row]; e < R->p[row + 1]; e++) {
        const int next = g->block_of[R->i[e]];
        if (R->x[e] == 0 || next == body) {
            continue;
        }
        if (body >= 0 && g->other) {
            g->other[g->first[body + 1]++] = next;
        } else if (body >= 0) {
            g->first[body + 2]++;
        }
        body = next;
    }
}

static void join_all(body_graph *g, const ss_problem *p)
{
    for (int k = 0; k < p->nc; k++) { /* the normal row touches what the others touch */
        join_row(g, &p->H, p->row[k], -1);
    }
    for (int j = 0; j < p->nj; j++) {
        join_row(g, &p->G, j, -1);
    }
    for (int i = 0; i < p->A.sparse.m; i++) {
        join_row(g, &p->A.sparse, i, g->block_of[i]);
    }
}

static ss_status make_graph(ss_arena *arena, const ss_problem *p, body_graph *g)
{
    const ss_blockdiag *B = &p->scale;
    *g = (body_graph){ .blocks = B->blocks };
    SS_TRY(ss_arena_take(arena, (size_t)p->nv, sizeof *g->block_of, &g->block_of));
    SS_TRY(ss_arena_take(arena, (size_t)B->blocks + 2, sizeof *g->first, &g->first));
    for (int b = 0; b < B->blocks; b++) {
        for (int i = 0; i < B->size[b]; i++) {
            g->block_of[B->offset[b] + i] = b;
        }
    }
    join_all(g, p);
    for (int b = 2; b <= B->blocks + 1; b++) {
        g->first[b] += g->first[b - 1];
    }
    int *other;
    SS_TRY(ss_arena_take(arena, (size_t)g->first[B->blocks + 1], sizeof *other, &other));
    g->other = other;
    join_all(g, p);
    return SS_OK;
}

ss_status ss_cost_factor(ss_context *ctx, ss_arena *arena, const ss_problem *p, double *operations)
{
    body_graph g;
    int *order;
    double info[AMD_INFO];
    if (p->local) {
        *operations = full_operations(p->row[p->nc]);
        return SS_OK;
    }
    ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(make_graph(arena, p, &g));
    SS_TRY(ss_arena_take_raw(arena, (size_t)g.blocks, sizeof *order, &order));
    int status = g.blocks > 0 ? amd_order(g.blocks, g.first, g.other, order, NULL, info) : AMD_INVALID;
    ss_arena_release(arena, mark);
    if (status == AMD_OUT_OF_MEMORY) {
        return ss_fail(ctx, SS_ERR_MEMORY, "ordering of %d bodies: out of memory", g.blocks);
    }
    const double size = g.blocks > 0 ? (double)p->nv / g.blocks : 0;
    const bool known = status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
    *operations = known ? size * size * size * (g.blocks + 2 * info[AMD_NMULTSUBS_LDL]) : full_operations(p->nv);
    return SS_OK;
}
