/* reactions.c - the contacts that have acted in a step, sorted by identity, and their impulses.
 *
 * The list of the step under way lies in the arena of the step, with the contacts as they were last. When the step is accepted it
 * moves to the memory that the list of the last step has: two lists with their values would be a part of a kilobyte for every
 * body of a pile. With step control a list waits for the other half of its trial: each account has memory of its own.
 * Cost   of a segment whose contacts are those of the step, in their order: one pass, on threads; a search for every other one */
#include "base/parallel.h"
#include "sim/sim.h"

enum { GRAIN = 512 }; /* contacts of a range */

/* place of the contact in the sorted list, or the one where it would be inserted */
static int place_of(const ss_reactions *x, const ss_contact_id *id, bool *there)
{
    int low = 0, high = x->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ss_contact_id_compare(&x->contact[middle].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *there = low < x->n && ss_contact_id_compare(&x->contact[low].id, id) == 0;
    return low;
}

/* The same, where contacts are asked about in their order: it is `next`, as a rule. */
static int next_place(const ss_reactions *x, const ss_contact_id *id, int next, bool *there)
{
    *there = next < x->n && ss_contact_id_compare(&x->contact[next].id, id) == 0;
    const bool last = next == x->n && (next == 0 || ss_contact_id_compare(&x->contact[next - 1].id, id) < 0);
    return *there || last ? next : place_of(x, id, there);
}

/* the list, with what it has, into room for n in the arena */
static ss_status move_list(ss_arena *arena, ss_reactions *x, int n)
{
    ss_reacted *grown;
    SS_TRY(ss_arena_keep(arena, (size_t)n, sizeof *grown, &grown));
    if (x->n > 0) {
        memcpy(grown, x->contact, (size_t)x->n * sizeof *grown);
    }
    x->contact = grown;
    return SS_OK;
}

/* Room where lists are that outlive the arena of their step: with step control those of the accounts, each its own; without it
 * there is one, of the last step. */
static ss_status reserve_lasting(ss_sim *sim, int n)
{
    for (int i = 0; i < SS_ACCOUNTS && sim->control.tol > 0; i++) {
        ss_reactions *x = &sim->accounts[i].reactions;
        SS_TRY(ss_reserve(sim->ctx, &x->contact, &x->cap, n, sizeof *x->contact));
    }
    ss_sim_scratch *scratch = &sim->scratch;
    if (sim->control.tol > 0 || n <= scratch->accepted_cap) {
        return SS_OK;
    }
    SS_TRY(ss_reserve(sim->ctx, &scratch->accepted, &scratch->accepted_cap, n, sizeof *scratch->accepted));
    sim->last->reactions.contact = scratch->accepted; /* it may have moved */
    return SS_OK;
}

/* Room for n contacts of the step under way. */
static ss_status reserve_contacts(ss_sim *sim, ss_reactions *x, int n)
{
    ss_contact_set *full = x->full;
    const bool lasts = full == &sim->scratch.touched[0];
    const int before = full->cap;
    SS_TRY(lasts ? reserve_lasting(sim, n) : SS_OK);
    SS_TRY(ss_contacts_keep(sim->arena, full, n));
    return full->cap == before || x->cap > 0 ? SS_OK : move_list(sim->arena, x, full->cap);
}

void ss_account_keep(ss_account *a)
{
    ss_reactions *x = &a->reactions;
    ss_sim_scratch *scratch = &a->sim->scratch;
    if (x->n > 0 && x->cap == 0) {
        ss_parallel_copy(a->sim->ctx, (size_t)x->n * sizeof *x->contact, x->contact, scratch->accepted);
        x->contact = scratch->accepted;
    }
}

static ss_status open_place(ss_sim *sim, ss_reactions *x, int at)
{
    const int n = x->n;
    const size_t behind = (size_t)(n - at);
    SS_TRY(reserve_contacts(sim, x, n + 1));
    memmove(x->full->c + at + 1, x->full->c + at, behind * sizeof *x->full->c);
    memmove(x->contact + at + 1, x->contact + at, behind * sizeof *x->contact);
    x->contact[at] = (ss_reacted){ .impulse = { 0, 0, 0 } };
    x->n = x->full->n = n + 1;
    return SS_OK;
}

/* its features as they were last */
static void note_contact(ss_reactions *x, int at, const ss_contact *contact)
{
    x->full->c[at] = *contact;
    x->contact[at].id = contact->id;
    x->contact[at].bodies[0] = contact->at[0].body;
    x->contact[at].bodies[1] = contact->at[1].body;
}

static double shown_weight(const ss_segment *g) { return g->stages.shown ? g->to.t - g->from.t : ss_segment_weight(g); }

/* contact k of the segment is the one at this place of the list */
static void add_contact(ss_reactions *x, int at, const ss_segment *g, int k)
{
    const ss_problem *p = g->problem;
    note_contact(x, at, g->contacts->c[k]);
    for (int row = p->row[k]; row < p->row[k + 1]; row++) {
        x->contact[at].impulse[row - p->row[k]] +=
            shown_weight(g) * (g->solution->r[row] + (g->parts.r_given ? g->parts.r_given[row] : 0));
    }
}

/* The contacts of a segment become the list. */
typedef struct listing {
    ss_reactions *x;
    const ss_segment *g;
    bool *sorted; /* of every range: do they come in the order of their ids, the one before the range included? */
} listing;

static void list_range(void *data, int begin, int end)
{
    const listing *of = data;
    const ss_contact *const *c = of->g->contacts->c;
    bool sorted = true;
    for (int k = begin; k < end; k++) {
        sorted = sorted && (k == 0 || ss_contact_id_compare(&c[k - 1]->id, &c[k]->id) < 0);
        of->x->contact[k] = (ss_reacted){ .impulse = { 0, 0, 0 } };
        add_contact(of->x, k, of->g, k);
    }
    of->sorted[begin / GRAIN] = sorted;
}

/* The first contacts of a step, which has room for them; *done: false if they are not sorted, and the list is left empty. */
static ss_status list_contacts(ss_sim *sim, ss_reactions *x, const ss_segment *g, bool *done)
{
    const int n = g->contacts->n, ranges = (n + GRAIN - 1) / GRAIN;
    const ss_arena_mark mark = ss_arena_save(sim->arena);
    listing of = { .x = x, .g = g };
    SS_TRY(ss_arena_take_raw(sim->arena, (size_t)ranges, sizeof *of.sorted, &of.sorted));
    ss_parallel_for(sim->ctx, n, GRAIN, list_range, &of);
    *done = true;
    for (int k = 0; k < ranges; k++) {
        *done = *done && of.sorted[k];
    }
    x->n = x->full->n = *done ? n : 0;
    ss_arena_release(sim->arena, mark);
    return SS_OK;
}

ss_status ss_reactions_add(ss_sim *sim, ss_reactions *x, const ss_segment *g)
{
    bool done = !g->contacts;
    SS_TRY(g->contacts ? reserve_contacts(sim, x, g->contacts->n) : SS_OK);
    SS_TRY(!done && x->n == 0 ? list_contacts(sim, x, g, &done) : SS_OK);
    for (int k = 0, next = 0; !done && k < g->contacts->n; k++) {
        bool there = false;
        const int at = next_place(x, &g->contacts->c[k]->id, next, &there);
        SS_TRY(there ? SS_OK : open_place(sim, x, at));
        add_contact(x, at, g, k);
        next = at + 1;
    }
    for (int i = 0; i < g->problem->nj; i++) {
        x->joint[i] += shown_weight(g) * g->solution->lam[i];
    }
    return SS_OK;
}

void ss_reactions_free(ss_context *ctx, ss_reactions *x)
{
    ss_free(ctx, x->cap > 0 ? x->contact : NULL);
    ss_free(ctx, x->joint);
    ss_free(ctx, x->displacing);
}

double ss_account_normal_impulse(const ss_account *account, const ss_contact_id *id)
{
    bool there = false;
    int at = place_of(&account->reactions, id, &there);
    return there ? account->reactions.contact[at].impulse[0] : 0;
}

bool ss_account_has_impulses(const ss_account *account)
{
    const ss_reactions *x = &account->reactions;
    bool any = false;
    for (int i = 0; !any && i < 3 * x->n; i++) {
        any = x->contact[i / 3].impulse[i % 3] != 0;
    }
    return any;
}
