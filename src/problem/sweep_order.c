/* sweep_order.c - islands one by one, their contacts in the order of the problem or by colours.
 *
 * Greedy colouring in the order of the problem: a contact gets the first of 64 colours that none of its neighbours has.
 * Neighbours share a block that one of them writes to, or an entry of W on either side of the diagonal. Contacts that find
 * no colour come last, in a class that is visited one by one. Within a colour the order does not matter: contacts that
 * approach come first, so that those which are visited at once (packed_lanes.h) are mostly in the same case. The result depends
 * on the problem alone.
 *
 * A large island is cut into tiles, TILE contacts that follow each other in the problem, and each of them is coloured on its own:
 * its bodies stay in the cache while its colours are visited. Tiles get colours in the same way, their rounds.
 * Cost        linear in the pieces of H with their clusters, or in the entries of W                  */
#include "problem/sweep_order.h"

enum {
    COLOURS = 64,
    TILE = 2048, /* contacts                                       */
    WIDTH = 8,   /* tiles of a round, on average, or there are none */
};

static ss_status take(ss_arena *arena, int n, int **out) { return ss_arena_take(arena, (size_t)n, sizeof **out, out); }

static void meet(const ss_sweep_links *links, int block, int mark, int *n)
{
    if (links->stamp[block] != mark) {
        links->stamp[block] = mark;
        links->list[(*n)++] = block;
    }
}

/* of one block, or of two that differ: nearly all contacts */
static bool has_few(const ss_contact_blocks *own, int k)
{
    const int first = own->first[k], n = own->first[k + 1] - first;
    return n == 1 || (n == 2 && own->block[first] != own->block[first + 1]);
}

int ss_sweep_blocks(const ss_sweep_links *links, int k, bool whole, int mark)
{
    const ss_contact_blocks *own = links->contacts;
    const ss_groups *parts = &links->clusters->list;
    int n = 0;
    if ((links->alone || !whole) && has_few(own, k)) {
        for (int e = own->first[k]; e < own->first[k + 1]; e++) {
            links->list[n++] = own->block[e];
        }
        return n;
    }
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
    int *seen, tile; /* by blocks: the last tile that looked at taken; the tile of now              */
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

/* colours of the block that contacts of this tile have */
static uint64_t taken_here(const palette *p, int block)
{
    if (p->seen[block] != p->tile) {
        p->seen[block] = p->tile;
        p->taken[block] = 0;
    }
    return p->taken[block];
}

/* colours of the first n blocks of the list */
static uint64_t taken_by(const palette *p, int n)
{
    uint64_t taken = 0;
    for (int i = 0; i < n; i++) {
        taken |= taken_here(p, p->links->list[i]);
    }
    return taken;
}

static void take_colour(const palette *p, int n, int colour)
{
    for (int i = 0; i < n; i++) {
        p->taken[p->links->list[i]] |= bit(colour);
    }
}

static void colour_by_blocks(const palette *p, int k)
{
    const int n = ss_sweep_blocks(p->links, k, true, k + 1);
    p->colour[k] = lowest_free(taken_by(p, n));
    take_colour(p, n, p->colour[k]);
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
    SS_TRY(take(arena, p->links->contacts ? nodes : 0, &p->seen));
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

/* ---- the order -------------------------------------------------------------------------------- */

/* The order while it is made: counts of what is finished. */
typedef struct making {
    ss_arena *arena;
    palette palette;
    ss_sweep_order *out;
    int rounds, tiles, classes;
} making;

static void end_class(making *m, int end, bool together)
{
    m->out->together[m->classes] = together;
    m->out->first[++m->classes] = end;
}

static void end_tile(making *m) { m->out->class_of[++m->tiles] = m->classes; }

static void end_round(making *m) { m->out->tile[++m->rounds] = m->tiles; }

static int colour_of(const palette *p, int contact)
{
    if (p->links->contacts) {
        colour_by_blocks(p, contact);
    } else {
        colour_by_entries(p, contact);
    }
    return p->colour[contact];
}

/* A tile of n contacts, sorted by colour into `to`, a class for each colour. Those of a colour are kept in so many sections, one
 * behind the other in the problem; in each of them contacts that approach come first. */
static ss_status colour_tile(making *m, int n, int sections, const int *from, int *to)
{
    palette *p = &m->palette;
    const int done = m->out->first[m->classes], each = 2 * sections;
    int *group;
    ss_groups by;
    SS_TRY(take(m->arena, n, &group));
    p->tile++;
    for (int i = 0; i < n; i++) {
        const int section = (int)((int64_t)i * sections / n), open = p->q && p->q[p->problem->row[from[i]]] >= 0;
        group[i] = each * colour_of(p, from[i]) + 2 * section + open;
    }
    SS_TRY(ss_groups_make(m->arena, each * (COLOURS + 1), n, group, &by));
    for (int i = 0; i < n; i++) {
        to[i] = from[by.item[i]];
    }
    for (int c = 0; c <= COLOURS; c++) {
        if (by.first[each * (c + 1)] > by.first[each * c]) {
            end_class(m, done + by.first[each * (c + 1)], c < COLOURS);
        }
    }
    end_tile(m);
    return SS_OK;
}

/* ---- tiles -------------------------------------------------------------------------------------- */

static int tile_size(int n, int tile) { return TILE * (tile + 1) < n ? TILE : n - TILE * tile; }

/* The rounds of the tiles of n contacts, which are coloured as contacts are; COLOURS: none was left. Returns their number. */
static int find_rounds(making *m, int n, const int *contact, int *round)
{
    palette *p = &m->palette;
    const int nc = p->problem->nc;
    int rounds = 0;
    p->tile++;
    for (int t = 0; TILE * t < n; t++) {
        const int *own = contact + TILE * t, size = tile_size(n, t);
        uint64_t taken = 0;
        for (int i = 0; i < size; i++) {
            taken |= taken_by(p, ss_sweep_blocks(p->links, own[i], true, nc + 1 + own[i]));
        }
        round[t] = lowest_free(taken);
        for (int i = 0; i < size; i++) {
            take_colour(p, ss_sweep_blocks(p->links, own[i], true, 2 * nc + 1 + own[i]), round[t]);
        }
        rounds = round[t] >= rounds ? round[t] + 1 : rounds;
    }
    return rounds;
}

/* round by round */
static ss_status order_tiles(making *m, int n, const int *from, const ss_groups *tiles, int rounds, int *to)
{
    for (int r = 0; r < rounds; r++) {
        for (int i = tiles->first[r]; i < tiles->first[r + 1]; i++) {
            const int t = tiles->item[i], size = tile_size(n, t);
            SS_TRY(colour_tile(m, size, 1, from + TILE * t, to));
            to += size;
        }
        end_round(m);
    }
    return SS_OK;
}

/* ---- islands ------------------------------------------------------------------------------------ */

/* in one tile, whose colours are shared by all threads: each has sections of its own, the same ones in every colour */
static ss_status order_whole(making *m, int n, const int *from, int *to)
{
    SS_TRY(colour_tile(m, n, n > TILE ? n / TILE : 1, from, to));
    end_round(m);
    return SS_OK;
}

/* n contacts in tiles, if that leaves enough of them to visit at a time */
static ss_status order_coloured(making *m, int n, int *contact)
{
    const int count = (n + TILE - 1) / TILE;
    int *from, *round, rounds;
    ss_groups tiles;
    SS_TRY(take(m->arena, n, &from));
    memcpy(from, contact, (size_t)n * sizeof *from);
    if (!m->palette.links->contacts || count < WIDTH) {
        return order_whole(m, n, from, contact);
    }
    SS_TRY(take(m->arena, count, &round));
    rounds = find_rounds(m, n, from, round);
    if (rounds > COLOURS || rounds * WIDTH > count) {
        return order_whole(m, n, from, contact);
    }
    SS_TRY(ss_groups_make(m->arena, rounds, count, round, &tiles));
    return order_tiles(m, n, from, &tiles, rounds, contact);
}

static ss_status order_island(making *m, int n, int *contact, bool coloured)
{
    if (coloured) {
        const ss_arena_mark mark = ss_arena_save(m->arena);
        const ss_status status = order_coloured(m, n, contact);
        ss_arena_release(m->arena, mark);
        return status;
    }
    end_class(m, m->out->first[m->classes] + n, false);
    end_tile(m);
    end_round(m);
    return SS_OK;
}

static ss_status take_order(ss_arena *arena, int contacts, ss_sweep_order *out)
{
    const int tiles = contacts / TILE + out->islands + 1;
    SS_TRY(take(arena, out->islands + 1, &out->round));
    SS_TRY(take(arena, tiles, &out->tile));
    SS_TRY(take(arena, tiles, &out->class_of));
    SS_TRY(take(arena, contacts + 1, &out->first));
    return ss_arena_take(arena, (size_t)contacts + 1, sizeof *out->together, &out->together);
}

ss_status ss_sweep_order_make(ss_arena *arena, const ss_problem *problem, const ss_islands *islands, const ss_sweep_links *links,
                              const double *q, int colour_above, ss_sweep_order *out)
{
    ss_groups by;
    making m = { .arena = arena, .palette = { .problem = problem, .links = links, .q = q }, .out = out };
    *out = (ss_sweep_order){ 0 };
    for (int k = 0; k < problem->nc; k++) { /* islands with contacts have the smallest numbers */
        out->islands = islands->of_contact[k] >= out->islands ? islands->of_contact[k] + 1 : out->islands;
    }
    SS_TRY(ss_groups_make(arena, out->islands, problem->nc, islands->of_contact, &by));
    SS_TRY(take_order(arena, problem->nc, out));
    SS_TRY(open_palette(arena, &m.palette));
    out->contact = by.item;
    out->positions = by.first[out->islands];
    for (int i = 0; i < out->islands; i++) {
        const int n = by.first[i + 1] - by.first[i];
        const bool coloured = n > colour_above && !(problem->local && problem->host); /* W need not join a moment and its host */
        SS_TRY(order_island(&m, n, by.item + by.first[i], coloured));
        out->round[i + 1] = m.rounds;
    }
    return SS_OK;
}
