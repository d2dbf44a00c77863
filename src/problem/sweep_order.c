/* sweep_order.c - islands one by one, their contacts in the order of the problem or by colours.
 *
 * Greedy colouring in the order of the problem: a contact gets the first of 64 colours that none of its neighbours has.
 * Neighbours share a block that one of them writes to, or an entry of W on either side of the diagonal. Contacts that find
 * no colour come last, in a class that is visited one by one. Within a colour the order does not matter: contacts that
 * approach come first, so that those which are visited at once (packed_lanes.h) are mostly in the same case. The result depends
 * on the problem alone.
 * Cost        linear in the pieces of H with their clusters, or in the entries of W                  */
#include "problem/sweep_order.h"

enum { COLOURS = 64 };

static ss_status take(ss_arena *arena, int n, int **out) { return ss_arena_take(arena, (size_t)n, sizeof **out, out); }

static void meet(const ss_sweep_links *links, int block, int mark, int *n)
{
    if (links->stamp[block] != mark) {
        links->stamp[block] = mark;
        links->list[(*n)++] = block;
    }
}

int ss_sweep_blocks(const ss_sweep_links *links, int k, bool whole, int mark)
{
    const ss_contact_blocks *own = links->contacts;
    const ss_groups *parts = &links->clusters->list;
    int n = 0;
    for (int e = own->first[k]; e < own->first[k + 1]; e++) {
        int part = links->clusters->of_block[own->block[e]];
        if (!whole) {
            meet(links, own->block[e], mark, &n);
        }
        for (int i = parts->first[part]; whole && i < parts->first[part + 1]; i++) {
            meet(links, parts->item[i], mark, &n);
        }
    }
    return n;
}

/* ---- colours ---------------------------------------------------------------------------------- */

typedef struct palette {
    const ss_problem *problem;
    const ss_sweep_links *links;
    const double *q; /* velocities of all rows without impulses, or NULL */
    uint64_t *taken; /* colours, as bits: of a block's contacts; by W: of the neighbours met so far */
    int *of_row;     /* by W: contact of a row                                                      */
    int *colour;     /* of a contact; -1: not yet, COLOURS: none was left                           */
} palette;

static uint64_t bit(int colour) { return colour >= 0 && colour < COLOURS ? (uint64_t)1 << colour : 0; }

static int lowest_free(uint64_t taken)
{
    int c = 0;
    while (c < COLOURS && (taken & bit(c))) {
        c++;
    }
    return c;
}

static void colour_by_blocks(const palette *p, int k)
{
    uint64_t taken = 0;
    int n = ss_sweep_blocks(p->links, k, true, k + 1);
    for (int i = 0; i < n; i++) {
        taken |= p->taken[p->links->list[i]];
    }
    p->colour[k] = lowest_free(taken);
    for (int i = 0; i < n; i++) {
        p->taken[p->links->list[i]] |= bit(p->colour[k]);
    }
}

static void colour_by_entries(const palette *p, int k)
{
    const ss_csr *W = &p->problem->W;
    int begin = W->p[p->problem->row[k]], end = W->p[p->problem->row[k + 1]];
    uint64_t taken = p->taken[k];
    for (int e = begin; e < end; e++) {
        taken |= bit(p->colour[p->of_row[W->i[e]]]);
    }
    p->colour[k] = lowest_free(taken);
    for (int e = begin; e < end; e++) {
        p->taken[p->of_row[W->i[e]]] |= bit(p->colour[k]);
    }
}

static ss_status open_palette(ss_arena *arena, palette *p)
{
    const ss_problem *q = p->problem;
    int nodes = p->links->contacts ? q->scale.blocks : q->nc;
    SS_TRY(ss_arena_take(arena, (size_t)nodes, sizeof *p->taken, &p->taken));
    SS_TRY(take(arena, p->links->contacts ? 0 : q->row[q->nc], &p->of_row));
    SS_TRY(take(arena, q->nc, &p->colour));
    for (int k = 0; k < q->nc; k++) {
        p->colour[k] = -1;
        for (int i = q->row[k]; !p->links->contacts && i < q->row[k + 1]; i++) {
            p->of_row[i] = k;
        }
    }
    return SS_OK;
}

/* sort n contacts by colour, a class for each */
static ss_status colour_island(ss_arena *arena, const palette *p, int n, int *contact, ss_sweep_order *order, int *classes)
{
    int *colour, *old, done = order->first[*classes];
    ss_groups by;
    SS_TRY(take(arena, n, &colour));
    SS_TRY(take(arena, n, &old));
    memcpy(old, contact, (size_t)n * sizeof *old);
    for (int i = 0; i < n; i++) {
        if (p->links->contacts) {
            colour_by_blocks(p, old[i]);
        } else {
            colour_by_entries(p, old[i]);
        }
        colour[i] = 2 * p->colour[old[i]] + (p->q && p->q[p->problem->row[old[i]]] >= 0);
    }
    SS_TRY(ss_groups_make(arena, 2 * (COLOURS + 1), n, colour, &by));
    for (int i = 0; i < n; i++) {
        contact[i] = old[by.item[i]];
    }
    for (int c = 0; c <= COLOURS; c++) {
        if (by.first[2 * c + 2] > by.first[2 * c]) {
            order->together[*classes] = c < COLOURS;
            order->first[++*classes] = done + by.first[2 * c + 2];
        }
    }
    return SS_OK;
}

ss_status ss_sweep_order_make(ss_arena *arena, const ss_problem *problem, const ss_islands *islands, const ss_sweep_links *links,
                              const double *q, int colour_above, ss_sweep_order *out)
{
    ss_groups by;
    palette p = { .problem = problem, .links = links, .q = q };
    int classes = 0;
    *out = (ss_sweep_order){ 0 };
    for (int k = 0; k < problem->nc; k++) { /* islands with contacts have the smallest numbers */
        out->islands = islands->of_contact[k] >= out->islands ? islands->of_contact[k] + 1 : out->islands;
    }
    SS_TRY(ss_groups_make(arena, out->islands, problem->nc, islands->of_contact, &by));
    SS_TRY(take(arena, out->islands + 1, &out->first_class));
    SS_TRY(take(arena, problem->nc + 1, &out->first));
    SS_TRY(take(arena, problem->nc + 1, &out->together));
    SS_TRY(open_palette(arena, &p));
    out->contact = by.item;
    out->positions = by.first[out->islands];
    for (int i = 0; i < out->islands; i++) {
        int n = by.first[i + 1] - by.first[i];
        if (n > colour_above && !(problem->local && problem->host)) { /* W need not join a moment and its host */
            SS_TRY(colour_island(arena, &p, n, by.item + by.first[i], out, &classes));
        } else {
            out->first[++classes] = by.first[i + 1];
        }
        out->first_class[i + 1] = classes;
    }
    return SS_OK;
}
