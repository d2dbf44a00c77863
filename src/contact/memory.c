/* memory.c - what is remembered of contacts from step to step: for each level a list, sorted by identity.
 *
 * A scheme that solves problems at several levels in a step remembers each by itself. A contact is forgotten when no level
 * knows it any more. The numbers that the scheme declares belong to the contacts of one level.
 *
 * Cost   finding: log n; entering and copying: n. Lists grow and never shrink: a step takes no memory after the first ones. */
#include "contact/contact.h"
#include "math/worse.h"

/* place of a contact in a list; -1: it is not there */
static int place_of(const ss_memory_list *list, const ss_contact_id *id)
{
    int lo = 0, hi = list->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        const int order = ss_contact_id_compare(&list->entry[mid].id, id);
        if (order == 0) {
            return mid;
        }
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return -1;
}

const ss_memory_entry *ss_memory_find(const ss_memory *memory, ss_level level, const ss_contact_id *id)
{
    const int k = place_of(&memory->level[level], id);
    return k >= 0 ? &memory->level[level].entry[k] : NULL;
}

/* how many numbers an entry of this level has */
static size_t count_at(const ss_memory *memory, ss_level level)
{
    return memory->numbers && memory->numbers->level == level ? (size_t)memory->numbers->count : 0;
}

double *ss_memory_numbers(const ss_memory *memory, const ss_contact_id *id)
{
    const int k = memory->numbers ? place_of(&memory->level[memory->numbers->level], id) : -1;
    return k >= 0 ? memory->number + (size_t)k * (size_t)memory->numbers->count : NULL;
}

double ss_memory_normal(const ss_memory *memory, const ss_contact_id *id)
{
    double largest = -INFINITY;
    for (int level = 0; level < SS_LEVELS; level++) {
        const ss_memory_entry *entry = ss_memory_find(memory, (ss_level)level, id);
        largest = entry ? ss_worse(entry->normal, largest) : largest;
    }
    return largest == -INFINITY ? 0 : largest;
}

ss_status ss_memory_reserve(ss_context *ctx, ss_memory *memory, ss_level level, int n)
{
    ss_memory_list *list = &memory->level[level];
    SS_TRY(ss_reserve(ctx, &list->entry, &list->cap, n, sizeof *list->entry));
    return ss_reserve(ctx, &memory->number, &memory->number_cap, n * (int)count_at(memory, level), sizeof *memory->number);
}

/* ---- entering -------------------------------------------------------------------------------------- */

static void move_entry(ss_memory *memory, ss_level level, int from, int to)
{
    const size_t count = count_at(memory, level);
    memory->level[level].entry[to] = memory->level[level].entry[from];
    memmove(memory->number + (size_t)to * count, memory->number + (size_t)from * count, count * sizeof *memory->number);
}

/* Entries of contacts that are not among these n go; the others move together. */
static void drop_others(ss_memory *memory, ss_level level, int n, const ss_contact *contact)
{
    ss_memory_list *list = &memory->level[level];
    int kept = 0;
    for (int i = 0, k = 0; i < list->n; i++) {
        while (k < n && ss_contact_id_compare(&contact[k].id, &list->entry[i].id) < 0) {
            k++;
        }
        if (k < n && ss_contact_id_compare(&contact[k].id, &list->entry[i].id) == 0) {
            move_entry(memory, level, i, kept++);
        }
    }
    list->n = kept;
}

/* What is kept moves to where its contact stands among these n, from the back; new ones get zeros. */
static void make_places(ss_memory *memory, ss_level level, int n, const ss_contact *contact)
{
    const size_t count = count_at(memory, level);
    ss_memory_list *list = &memory->level[level];
    int left = list->n;
    for (int k = n - 1; k >= 0; k--) {
        if (left > 0 && ss_contact_id_compare(&list->entry[left - 1].id, &contact[k].id) == 0) {
            move_entry(memory, level, --left, k);
        } else {
            memset(memory->number + (size_t)k * count, 0, count * sizeof *memory->number);
        }
    }
}

ss_status ss_memory_enter(ss_context *ctx, ss_memory *memory, ss_level level, int n, const ss_contact *contact)
{
    ss_memory_list *list = &memory->level[level];
    SS_TRY(ss_memory_reserve(ctx, memory, level, n));
    if (count_at(memory, level) > 0) {
        drop_others(memory, level, n, contact);
        make_places(memory, level, n, contact);
    }
    for (int k = 0; k < n; k++) {
        list->entry[k] = (ss_memory_entry){ .id = contact[k].id };
    }
    list->n = n;
    return SS_OK;
}

void ss_memory_forget(ss_memory *memory, ss_level level) { memory->level[level].n = 0; }

ss_status ss_memory_hand_on(ss_context *ctx, ss_memory *memory, ss_level from, ss_level to)
{
    ss_memory_list *source = &memory->level[from], *target = &memory->level[to];
    const size_t n = (size_t)source->n, numbers = n * count_at(memory, to);
    SS_TRY(ss_memory_reserve(ctx, memory, to, source->n));
    if (n > 0) {
        memcpy(target->entry, source->entry, n * sizeof *source->entry);
    }
    if (numbers > 0) {
        memset(memory->number, 0, numbers * sizeof *memory->number);
    }
    target->n = source->n;
    source->n = 0;
    return SS_OK;
}

/* ---- whole memories -------------------------------------------------------------------------------- */

ss_status ss_memory_copy(ss_context *ctx, const ss_memory *from, ss_memory *to)
{
    to->numbers = from->numbers;
    for (int k = 0; k < SS_LEVELS; k++) {
        const ss_memory_list *list = &from->level[k];
        const size_t n = (size_t)list->n, numbers = n * count_at(from, (ss_level)k);
        SS_TRY(ss_memory_reserve(ctx, to, (ss_level)k, list->n));
        if (n > 0 && from != to) {
            memcpy(to->level[k].entry, list->entry, n * sizeof *list->entry);
        }
        if (numbers > 0 && from != to) {
            memcpy(to->number, from->number, numbers * sizeof *from->number);
        }
        to->level[k].n = list->n;
    }
    return SS_OK;
}

void ss_memory_free(ss_context *ctx, ss_memory *memory)
{
    for (int k = 0; k < SS_LEVELS; k++) {
        ss_free(ctx, memory->level[k].entry);
    }
    ss_free(ctx, memory->number);
    *memory = (ss_memory){ 0 };
}
