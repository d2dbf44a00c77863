/* names.c - lists of names, and tables that give every name a number.
 *
 * A table finds a name by open addressing: slot h(name), h(name) + 1, .. until the name or a free slot is met. At most half
 * of the slots are taken, so a search looks at two slots on average; the slots are doubled when more are needed. */
#include "io/names.h"

ss_status ss_name_list_add(ss_context *ctx, ss_name_list *list, const char *text)
{
    char *copy;
    SS_TRY(ss_strdup(ctx, text, &copy));
    ss_status status = ss_reserve(ctx, &list->text, &list->capacity, list->n + 1, sizeof *list->text);
    if (status != SS_OK) {
        ss_free(ctx, copy);
        return status;
    }
    list->text[list->n++] = copy;
    return SS_OK;
}

void ss_name_list_clear(ss_context *ctx, ss_name_list *list)
{
    for (int k = 0; k < list->n; k++) {
        ss_free(ctx, list->text[k]);
    }
    ss_free(ctx, list->text);
    *list = (ss_name_list){ 0 };
}

/* the slot that holds the name, or the free one where it belongs */
static int *find_slot(const ss_name_table *table, const char *name)
{
    uint64_t at = ss_hash(0, name, strlen(name));
    int *slot = &table->slot[at % (uint64_t)table->slots];
    while (*slot >= 0 && strcmp(table->list.text[*slot], name) != 0) {
        at++;
        slot = &table->slot[at % (uint64_t)table->slots];
    }
    return slot;
}

/* room for one more name with at most half of the slots taken */
static ss_status grow_slots(ss_context *ctx, ss_name_table *table)
{
    if (2 * (table->list.n + 1) <= table->slots) {
        return SS_OK;
    }
    int *slot, slots = table->slots > 0 ? 2 * table->slots : 64;
    SS_TRY(ss_calloc(ctx, (size_t)slots, sizeof *slot, &slot));
    memset(slot, -1, (size_t)slots * sizeof *slot);
    ss_free(ctx, table->slot);
    table->slot = slot;
    table->slots = slots;
    for (int k = 0; k < table->list.n; k++) {
        *find_slot(table, table->list.text[k]) = k;
    }
    return SS_OK;
}

ss_status ss_name_table_number(ss_context *ctx, ss_name_table *table, const char *name, int *number)
{
    SS_TRY(grow_slots(ctx, table));
    int *slot = find_slot(table, name);
    if (*slot < 0) {
        SS_TRY(ss_name_list_add(ctx, &table->list, name));
        *slot = table->list.n - 1;
    }
    *number = *slot;
    return SS_OK;
}

bool ss_name_table_has(const ss_name_table *table, const char *name) { return table->slots > 0 && *find_slot(table, name) >= 0; }

void ss_name_table_clear(ss_context *ctx, ss_name_table *table)
{
    ss_name_list_clear(ctx, &table->list);
    ss_free(ctx, table->slot);
    *table = (ss_name_table){ 0 };
}
