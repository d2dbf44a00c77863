/* island_queue.c - islands cut out in the order of their numbers.
 *
 * Memory of a part is bounded by the rows that are asked for, and the largest island, however many islands there are.
 * Cost        linear in the entries of the parts, and in the contacts, joints and blocks of the whole once */
#include "problem/island_queue.h"

ss_status ss_island_queue_open(ss_arena *arena, const ss_problem *p, const ss_islands *islands, const bool *taken,
                               ss_island_queue *out)
{
    const int rows = p->row[p->nc], numbers = p->local || rows > p->nv ? rows : p->nv;
    *out = (ss_island_queue){ .whole = p, .taken = taken };
    SS_TRY(ss_island_members_find(arena, p, islands, &out->members));
    return ss_arena_take(arena, (size_t)numbers, sizeof *out->place, &out->place);
}

static int count_rows(const ss_island_queue *q, int island)
{
    const ss_groups *contacts = &q->members.contacts;
    int rows = 0;
    for (int i = contacts->first[island]; i < contacts->first[island + 1]; i++) {
        rows += q->whole->row[contacts->item[i] + 1] - q->whole->row[contacts->item[i]];
    }
    return rows;
}

ss_status ss_island_queue_cut(ss_island_queue *q, ss_arena *arena, int most, const ss_solution *s, ss_island_part *out)
{
    const ss_groups *contacts = &q->members.contacts;
    *out = (ss_island_part){ .whole = q->whole };
    SS_TRY(ss_arena_take_raw(arena, (size_t)most, sizeof *out->number, &out->number)); /* every island has a row at least */
    SS_TRY(ss_arena_take(arena, (size_t)most + 1, sizeof *out->first, &out->first));
    for (int rows = 0; q->next < q->members.islands && rows < most; q->next++) {
        if (q->taken[q->next]) {
            rows += count_rows(q, q->next);
            out->first[out->count + 1] = out->first[out->count] + contacts->first[q->next + 1] - contacts->first[q->next];
            out->number[out->count++] = q->next;
        }
    }
    SS_TRY(ss_subproblem_make(arena, q->whole, &q->members, out->count, out->number, q->place, &out->part));
    ss_subproblem_read(&out->part, s);
    return SS_OK;
}

bool ss_island_part_put_back(const ss_island_part *t, ss_solution *s)
{
    bool moved = false;
    ss_subproblem_write(&t->part, s);
    for (int i = 0; i < t->part.rows; i++) {
        double *w = &t->whole->w[t->part.contact_row[i]];
        moved = moved || *w != t->part.problem.w[i];
        *w = t->part.problem.w[i];
    }
    return moved;
}
