/* cache.c - what is remembered of contacts from step to step: for each level a list, sorted by identity.
 *
 * A scheme that solves problems at several levels in a step has a separate list for each. A contact is forgotten when it is
 * in none of the lists. The numbers that the scheme declares belong to the contacts of one level.
 *
 * Cost   finding: log n; entering and copying: n. Lists grow and never shrink: a step takes no memory after the first ones. */
#include "base/parallel.h"
#include "contact/contact.h"
#include "math/worse.h"

enum { GRAIN = 1024 }; /* contacts that a thread takes at a time */

static inline bool is_same(const ss_contact_id *x, const ss_contact_id *y)
{
    return x->feature == y->feature && x->b == y->b && x->a == y->a && x->kind == y->kind;
}

/* place of a contact in a list; -1: it is not there */
static int place_of(const ss_contact_cache_list *list, const ss_contact_id *id)
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

const ss_cached_contact *ss_contact_cache_find(const ss_contact_cache *cache, ss_level level, const ss_contact_id *id)
{
    const int k = place_of(&cache->level[level], id);
    return k >= 0 ? &cache->level[level].entry[k] : NULL;
}

/* how many numbers an entry of this level has */
static size_t count_at(const ss_contact_cache *cache, ss_level level)
{
    return cache->numbers && cache->numbers->level == level ? (size_t)cache->numbers->count : 0;
}

double *ss_contact_cache_numbers(const ss_contact_cache *cache, const ss_contact_id *id)
{
    const int k = cache->numbers ? place_of(&cache->level[cache->numbers->level], id) : -1;
    return k >= 0 ? cache->number + (size_t)k * (size_t)cache->numbers->count : NULL;
}

double ss_contact_cache_normal_near(const ss_contact_cache *cache, const ss_contact_id *id, int guess)
{
    double largest = -INFINITY;
    for (int level = 0; level < SS_LEVELS; level++) {
        const ss_contact_cache_list *list = &cache->level[level];
        const bool there = guess < list->n && is_same(&list->entry[guess].id, id);
        const int k = there ? guess : place_of(list, id);
        largest = k >= 0 ? ss_worse(list->entry[k].normal, largest) : largest;
    }
    return largest == -INFINITY ? 0 : largest;
}

double ss_contact_cache_normal(const ss_contact_cache *cache, const ss_contact_id *id)
{
    return ss_contact_cache_normal_near(cache, id, 0);
}

ss_status ss_contact_cache_reserve(ss_context *ctx, ss_contact_cache *cache, ss_level level, int n)
{
    ss_contact_cache_list *list = &cache->level[level];
    SS_TRY(ss_reserve(ctx, &list->entry, &list->cap, n, sizeof *list->entry));
    return ss_reserve(ctx, &cache->number, &cache->number_cap, n * (int)count_at(cache, level), sizeof *cache->number);
}

/* ---- entering -------------------------------------------------------------------------------------- */

static void move_entry(ss_contact_cache *cache, ss_level level, int from, int to)
{
    const size_t count = count_at(cache, level);
    cache->level[level].entry[to] = cache->level[level].entry[from];
    memmove(cache->number + (size_t)to * count, cache->number + (size_t)from * count, count * sizeof *cache->number);
}

/* Entries of contacts that are not among these n go; the others move together. */
static void drop_others(ss_contact_cache *cache, ss_level level, int n, const ss_contact *const *contact)
{
    ss_contact_cache_list *list = &cache->level[level];
    int kept = 0;
    for (int i = 0, k = 0; i < list->n; i++) {
        while (k < n && ss_contact_id_compare(&contact[k]->id, &list->entry[i].id) < 0) {
            k++;
        }
        if (k < n && ss_contact_id_compare(&contact[k]->id, &list->entry[i].id) == 0) {
            move_entry(cache, level, i, kept++);
        }
    }
    list->n = kept;
}

/* Move every entry that is kept to the index of its contact among these n, starting from the back; new contacts get zeros. */
static void make_places(ss_contact_cache *cache, ss_level level, int n, const ss_contact *const *contact)
{
    const size_t count = count_at(cache, level);
    ss_contact_cache_list *list = &cache->level[level];
    int left = list->n;
    for (int k = n - 1; k >= 0; k--) {
        if (left > 0 && ss_contact_id_compare(&list->entry[left - 1].id, &contact[k]->id) == 0) {
            move_entry(cache, level, --left, k);
        } else {
            memset(cache->number + (size_t)k * count, 0, count * sizeof *cache->number);
        }
    }
}

typedef struct entering {
    ss_cached_contact *entry;
    const ss_contact *const *contact;
} entering;

static void enter_range(void *data, int begin, int end)
{
    const entering *x = data;
    for (int k = begin; k < end; k++) {
        x->entry[k] = (ss_cached_contact){ .id = x->contact[k]->id };
    }
}

ss_status ss_contact_cache_enter(ss_context *ctx, ss_contact_cache *cache, ss_level level, int n,
                                 const ss_contact *const *contact)
{
    ss_contact_cache_list *list = &cache->level[level];
    SS_TRY(ss_contact_cache_reserve(ctx, cache, level, n));
    if (count_at(cache, level) > 0) {
        drop_others(cache, level, n, contact);
        make_places(cache, level, n, contact);
    }
    list->n = n;
    ss_parallel_for(ctx, n, GRAIN, enter_range, &(entering){ list->entry, contact });
    return SS_OK;
}

void ss_contact_cache_forget(ss_contact_cache *cache, ss_level level) { cache->level[level].n = 0; }

ss_status ss_contact_cache_hand_on(ss_context *ctx, ss_contact_cache *cache, ss_level from, ss_level to)
{
    ss_contact_cache_list *source = &cache->level[from], *target = &cache->level[to];
    const size_t n = (size_t)source->n, numbers = n * count_at(cache, to);
    SS_TRY(ss_contact_cache_reserve(ctx, cache, to, source->n));
    if (n > 0) {
        memcpy(target->entry, source->entry, n * sizeof *source->entry);
    }
    if (numbers > 0) {
        memset(cache->number, 0, numbers * sizeof *cache->number);
    }
    target->n = source->n;
    source->n = 0;
    return SS_OK;
}

/* ---- whole caches ---------------------------------------------------------------------------------- */

ss_status ss_contact_cache_copy(ss_context *ctx, const ss_contact_cache *from, ss_contact_cache *to)
{
    to->numbers = from->numbers;
    for (int k = 0; k < SS_LEVELS; k++) {
        const ss_contact_cache_list *list = &from->level[k];
        const size_t n = (size_t)list->n, numbers = n * count_at(from, (ss_level)k);
        SS_TRY(ss_contact_cache_reserve(ctx, to, (ss_level)k, list->n));
        if (n > 0 && from != to) {
            ss_parallel_copy(ctx, n * sizeof *list->entry, list->entry, to->level[k].entry);
        }
        if (numbers > 0 && from != to) {
            memcpy(to->number, from->number, numbers * sizeof *from->number);
        }
        to->level[k].n = list->n;
    }
    return SS_OK;
}

void ss_contact_cache_free(ss_context *ctx, ss_contact_cache *cache)
{
    for (int k = 0; k < SS_LEVELS; k++) {
        ss_free(ctx, cache->level[k].entry);
    }
    ss_free(ctx, cache->number);
    *cache = (ss_contact_cache){ 0 };
}
