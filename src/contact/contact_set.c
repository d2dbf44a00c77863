/* contact_set.c - sets of contacts, sorted by identity: copied, and two of them made one.
 *
 * Cost   the contacts of both */
#include "contact/contact.h"

ss_status ss_contacts_copy(ss_context *ctx, const ss_contact_set *from, ss_contact_set *to)
{
    SS_TRY(ss_reserve(ctx, &to->c, &to->cap, from->n, sizeof *to->c));
    if (from->n > 0) {
        memcpy(to->c, from->c, (size_t)from->n * sizeof *to->c);
    }
    to->n = from->n;
    return SS_OK;
}

static int count_missing(const ss_contact_set *set, const ss_contact_set *other)
{
    int missing = 0;
    for (int i = 0, j = 0; j < other->n; j++) {
        while (i < set->n && ss_contact_id_compare(&set->c[i].id, &other->c[j].id) < 0) {
            i++;
        }
        missing += i == set->n || ss_contact_id_compare(&set->c[i].id, &other->c[j].id) != 0;
    }
    return missing;
}

ss_status ss_contacts_merge(ss_context *ctx, ss_contact_set *set, const ss_contact_set *other)
{
    const int missing = count_missing(set, other);
    SS_TRY(ss_reserve(ctx, &set->c, &set->cap, set->n + missing, sizeof *set->c));
    /* from the back, so that nothing is overwritten before it has moved */
    int i = set->n - 1, k = set->n + missing - 1;
    for (int j = other->n - 1; j >= 0;) {
        const int order = i < 0 ? -1 : ss_contact_id_compare(&set->c[i].id, &other->c[j].id);
        if (order > 0) {
            set->c[k--] = set->c[i--];
        } else if (order == 0) {
            set->c[i] = other->c[j--];
        } else {
            set->c[k--] = other->c[j--];
        }
    }
    set->n += missing;
    return SS_OK;
}

ss_status ss_contacts_keep(ss_arena *arena, ss_contact_set *set, int n)
{
    ss_contact *grown;
    const int more = set->cap + set->cap / 2, wanted = n > more ? n : more;
    if (n <= set->cap) {
        return SS_OK;
    }
    SS_TRY(ss_arena_keep(arena, (size_t)wanted, sizeof *grown, &grown));
    if (set->n > 0) {
        memcpy(grown, set->c, (size_t)set->n * sizeof *grown);
    }
    *set = (ss_contact_set){ .n = set->n, .cap = wanted, .c = grown };
    return SS_OK;
}

void ss_contacts_free(ss_context *ctx, ss_contact_set *set)
{
    ss_free(ctx, set->c);
    *set = (ss_contact_set){ 0 };
}
