/* contact_blocks.c - from the entries of H to the blocks of each contact.
 *
 * A pass that counts, sums of the counts, a pass that writes: contacts do not wait for each other.
 * Cost        entries of H; a contact that touches m blocks with n entries: m n at most              */
#include "problem/contact_blocks.h"

#include "base/parallel.h"
#include "problem/acting_rows.h"
#include "problem/residual.h"

enum { GRAIN = 512 }; /* contacts that a thread takes at a time */

typedef struct finding {
    const ss_problem *problem;
    int *block_of; /* velocities: the block of each */
    int *first, *block;
} finding;

/* Is the block of entry e met for the first time in rows whose entries begin at `begin`? */
static bool is_new(const finding *f, int begin, int e)
{
    const int *column = f->problem->H.i, block = f->block_of[column[e]];
    int i = e > begin && f->block_of[column[e - 1]] == block ? e - 1 : begin; /* most entries lie beside one of their block */
    while (i < e && f->block_of[column[i]] != block) {
        i++;
    }
    return i == e;
}

/* the blocks of contact k into `list`, if it is not NULL; their number */
static int list_blocks(const finding *f, int k, int *list)
{
    const ss_problem *p = f->problem;
    const int begin = p->H.p[p->row[k]], end = p->H.p[p->row[k + 1]];
    int n = 0;
    for (int e = begin; e < end; e++) {
        if (is_new(f, begin, e)) {
            if (list) {
                list[n] = f->block_of[p->H.i[e]];
            }
            n++;
        }
    }
    return n;
}

static void count(void *data, int begin, int end)
{
    const finding *f = data;
    for (int k = begin; k < end; k++) {
        f->first[k + 1] = list_blocks(f, k, NULL);
    }
}

static void write(void *data, int begin, int end)
{
    const finding *f = data;
    for (int k = begin; k < end; k++) {
        list_blocks(f, k, f->block + f->first[k]);
    }
}

ss_status ss_contact_blocks_find(const ss_context *ctx, ss_arena *arena, const ss_problem *p, ss_contact_blocks *out)
{
    finding f = { .problem = p };
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nv, sizeof *f.block_of, &f.block_of));
    SS_TRY(ss_arena_take_raw(arena, (size_t)p->nc + 1, sizeof *f.first, &f.first));
    for (int b = 0; b < p->scale.blocks; b++) {
        for (int i = 0; i < p->scale.size[b]; i++) {
            f.block_of[p->scale.offset[b] + i] = b;
        }
    }
    f.first[0] = 0;
    ss_parallel_for(ctx, p->nc, GRAIN, count, &f);
    for (int k = 0; k < p->nc; k++) {
        f.first[k + 1] += f.first[k];
    }
    SS_TRY(ss_arena_take_raw(arena, (size_t)f.first[p->nc], sizeof *f.block, &f.block));
    ss_parallel_for(ctx, p->nc, GRAIN, write, &f);
    *out = (ss_contact_blocks){ f.first, f.block, NULL };
    return SS_OK;
}

ss_status ss_contact_blocks_of(ss_context *ctx, ss_arena *arena, const ss_problem *p, ss_contact_blocks *out)
{
    const ss_acting_rows *rows = ss_residual_held_contacts(ctx, p);
    if (rows) {
        *out = (ss_contact_blocks){ rows->shares.first, rows->shares.block, rows->shares.at };
        return SS_OK;
    }
    return ss_contact_blocks_find(ctx, arena, p, out);
}
