/* memory.c - what is remembered of contacts from step to step: entries sorted by identity.
 *
 * Finding is a binary search: log n. Copying reuses the memory of its target. */
#include "contact/contact.h"

const ss_memory_entry *ss_memory_find(const ss_memory *memory, const ss_contact_id *id)
{
    int lo = 0, hi = memory->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        const int order = ss_contact_id_compare(&memory->entry[mid].id, id);
        if (order == 0) {
            return &memory->entry[mid];
        }
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return NULL;
}

ss_status ss_memory_copy(ss_context *ctx, const ss_memory *from, ss_memory *to)
{
    SS_TRY(ss_reserve(ctx, &to->entry, &to->cap, from->n, sizeof *to->entry));
    if (from->n > 0 && from != to) {
        memcpy(to->entry, from->entry, (size_t)from->n * sizeof *to->entry);
    }
    to->n = from->n;
    return SS_OK;
}

void ss_memory_free(ss_context *ctx, ss_memory *memory)
{
    ss_free(ctx, memory->entry);
    *memory = (ss_memory){ 0 };
}
