/* assembly_recall.c - what an assembly takes from the cache of contacts, and what it leaves there.
 *
 * Contacts and entries of the cache are sorted by identity: the entry of a contact is as a rule next to that of the contact
 * before it, and is looked for there first. Cost        linear in the contacts; a bisection for those that are new */
#include "base/parallel.h"
#include "kernels/assembly.h"

enum { GRAIN = 1024, PARTS = 32 }; /* contacts that one thread takes at a time; parts of those that are recalled */

/* Impulse of a contact as it is remembered: of shapes in the world, else row by row. */
static void put_impulse(const ss_contact *contact, const ss_contact_value *value, int rows, const double *r, double *impulse)
{
    if (contact->id.kind != SS_CONTACT_SHAPES) {
        memcpy(impulse, r, (size_t)rows * sizeof *r);
        return;
    }
    ss_vec3 p = ss_scale(r[0], value->normal);
    for (int i = 1; i < rows; i++) {
        p = ss_axpy(r[i], value->tangent[i - 1], p);
    }
    ss_v3_to(p, impulse);
}

/* its rows from that */
static void take_impulse(const ss_contact *contact, const ss_contact_value *value, int rows, const double *impulse, double *r)
{
    const ss_vec3 p = ss_v3_from(impulse);
    for (int i = 0; i < rows; i++) {
        const ss_vec3 axis = i == 0 ? value->normal : value->tangent[i - 1];
        r[i] = contact->id.kind == SS_CONTACT_SHAPES ? ss_dot(p, axis) : impulse[i];
    }
}

/* The entry of a contact. Both lists are sorted: it is mostly at *at, behind that of the contact before, or next to it. */
static const ss_cached_contact *find_entry(const ss_contact_cache *cache, ss_level level, const ss_contact_id *id, int *at)
{
    const ss_contact_cache_list *list = &cache->level[level];
    const ss_cached_contact *found = NULL;
    for (int k = *at; k < list->n && k < *at + 2 && !found; k++) {
        found = ss_contact_id_compare(&list->entry[k].id, id) == 0 ? &list->entry[k] : NULL;
    }
    found = found ? found : ss_contact_cache_find(cache, level, id);
    *at = found ? (int)(found - list->entry) + 1 : *at;
    return found;
}

/* Contacts that are recalled, in so many parts. */
typedef struct recall_job {
    ss_assembly *a;
    const ss_contact_cache *cache;
    ss_level level;
    int parts;
    bool found[PARTS];
} recall_job;

static void recall_parts(void *data, int begin, int end)
{
    recall_job *x = data;
    ss_assembly *a = x->a;
    const ss_problem *p = &a->problem;
    int at = 0;
    for (int part = begin; part < end; part++) {
        const int first = (int)((int64_t)p->nc * part / x->parts), last = (int)((int64_t)p->nc * (part + 1) / x->parts);
        for (int k = first; k < last; k++) {
            const ss_contact *contact = a->contacts.c[k];
            const ss_cached_contact *entry = find_entry(x->cache, x->level, &contact->id, &at);
            if (entry) {
                take_impulse(contact, a->value[k], p->row[k + 1] - p->row[k], entry->impulse, a->solution.r + p->row[k]);
                a->solution.basis[k] = entry->basis;
                x->found[part] = true;
            }
        }
    }
}

void ss_assembly_recall(ss_assembly *a, const ss_contact_cache *cache, ss_level level)
{
    recall_job x = { .a = a, .cache = cache, .level = level, .parts = a->problem.nc > GRAIN ? PARTS : 1 };
    ss_parallel_for(a->ctx, x.parts, 1, recall_parts, &x);
    for (int part = 0; part < x.parts; part++) {
        a->solution.warm = a->solution.warm || x.found[part];
    }
}

/* Entries of contacts that are remembered. */
typedef struct remember_job {
    const ss_assembly *a;
    ss_cached_contact *entry;
} remember_job;

static void remember_range(void *data, int begin, int end)
{
    const remember_job *x = data;
    const ss_assembly *a = x->a;
    const int *row = a->problem.row;
    for (int k = begin; k < end; k++) {
        const double *r = a->solution.r + row[k];
        put_impulse(a->contacts.c[k], a->value[k], row[k + 1] - row[k], r, x->entry[k].impulse);
        x->entry[k].normal = r[0];
        x->entry[k].basis = a->solution.basis[k];
    }
}

ss_status ss_assembly_remember(const ss_assembly *a, ss_contact_cache *cache, ss_level level)
{
    const ss_problem *p = &a->problem;
    SS_TRY(ss_contact_cache_enter(a->ctx, cache, level, p->nc, a->contacts.c));
    remember_job x = { a, cache->level[level].entry };
    ss_parallel_for(a->ctx, p->nc, GRAIN, remember_range, &x);
    return SS_OK;
}
