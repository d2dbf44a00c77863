/* known_gaps.c - gaps of solids where they were measured last, for whoever asks for them at the same place.
 *
 * Where a step ends, the gaps of its contacts are asked for three times: does it fit, does anything overlap, what is to be shown.
 * Features of solids cost some 400 instructions each time, so they are kept with all that they depend on: the frames of all
 * bodies, and of every contact its bodies and its gap, number by number. What differs in any of these is not known.
 *
 * Cost   a copy of the contacts and of the frames; asking: a comparison, and a search among them where the guess was wrong */
#include "contact/known_gaps.h"
#include "base/parallel.h"
#include <stddef.h>

enum { GRAIN = 512 }; /* contacts that one thread takes at a time */

struct ss_known_gaps {
    ss_context *ctx;
    const ss_model *model;
    ss_frame *place; /* of every body */
    int n, contact_cap, value_cap;
    ss_contact *contact; /* sorted by id */
    ss_contact_value *value;
};

void ss_known_gaps_destroy(ss_known_gaps *k)
{
    if (k) {
        ss_free(k->ctx, k->place);
        ss_free(k->ctx, k->contact);
        ss_free(k->ctx, k->value);
        ss_free(k->ctx, k);
    }
}

ss_status ss_known_gaps_create(ss_context *ctx, const ss_model *m, ss_known_gaps **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    return SS_OK;
}

/* ---- measuring ---------------------------------------------------------------------------------- */

typedef struct measuring {
    ss_known_gaps *k;
    const ss_config *c;
    const ss_contact_set *set;
    const int *which;
    ss_contact_value *value;
} measuring;

static void measure_range(void *data, int begin, int end)
{
    const measuring *x = data;
    for (int i = begin; i < end; i++) {
        const ss_contact *contact = &x->set->c[x->which[i]];
        ss_contact_measure_shapes(x->c, contact, &x->value[i]);
        if (x->k->n > 0) {
            x->k->contact[i] = *contact;
            x->k->value[i] = x->value[i];
        }
    }
}

static bool is_of_solids(const void *data, int i)
{
    const measuring *x = data;
    return x->set->c[x->which[i]].gap.from.shape[0] != NULL;
}

static ss_status make_room(ss_known_gaps *k, int n)
{
    SS_TRY(k->place ? SS_OK : ss_calloc(k->ctx, (size_t)k->model->bodies, sizeof *k->place, &k->place));
    SS_TRY(ss_reserve(k->ctx, &k->contact, &k->contact_cap, n, sizeof *k->contact));
    return ss_reserve(k->ctx, &k->value, &k->value_cap, n, sizeof *k->value);
}

ss_status ss_known_gaps_measure(ss_known_gaps *k, const ss_config *c, const ss_contact_set *set, int n, const int *which,
                                ss_contact_value *value)
{
    measuring x = { k, c, set, which, value };
    const bool kept = ss_parallel_any(k->ctx, n, GRAIN, is_of_solids, &x);
    k->n = 0;
    SS_TRY(kept ? make_room(k, n) : SS_OK);
    k->n = kept ? n : 0;
    ss_parallel_for(k->ctx, n, GRAIN, measure_range, &x);
    if (kept) {
        memcpy(k->place, c->frame, (size_t)k->model->bodies * sizeof *k->place);
    }
    return SS_OK;
}

/* ---- asking -------------------------------------------------------------------------------------- */

bool ss_known_gaps_are_at(const ss_known_gaps *k, const ss_config *c)
{
    return k->n > 0 && memcmp(k->place, c->frame, (size_t)k->model->bodies * sizeof *k->place) == 0;
}

/* Are all numbers of two gaps the same? Those from `a` on follow each other without a hole. */
static bool is_same_gap(const ss_gap *x, const ss_gap *y)
{
    const ss_gap_origin *p = &x->from, *q = &y->from;
    const size_t first = offsetof(ss_gap, a), numbers = offsetof(ss_gap, from) - first;
    return x->kind == y->kind && x->swap == y->swap && memcmp((const char *)x + first, (const char *)y + first, numbers) == 0 &&
           p->shape[0] == q->shape[0] && p->shape[1] == q->shape[1] && p->edge[0] == q->edge[0] && p->edge[1] == q->edge[1] &&
           p->face == q->face;
}

static inline bool is_same_id(const ss_contact_id *x, const ss_contact_id *y)
{
    return x->feature == y->feature && x->b == y->b && x->a == y->a && x->kind == y->kind;
}

/* Has the contact at this place, with the same identity, the same bodies and the same gap? */
static bool is_same(const ss_contact *x, const ss_contact *y)
{
    return x->at[0].body == y->at[0].body && x->at[1].body == y->at[1].body && is_same_gap(&x->gap, &y->gap);
}

/* place of a contact with this identity; n: none */
static int place_of(const ss_known_gaps *k, const ss_contact_id *id)
{
    int lo = 0, hi = k->n;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        const bool before = ss_contact_id_compare(&k->contact[mid].id, id) < 0;
        lo = before ? mid + 1 : lo;
        hi = before ? hi : mid;
    }
    return lo < k->n && is_same_id(&k->contact[lo].id, id) ? lo : k->n;
}

const ss_contact_value *ss_known_gaps_find(const ss_known_gaps *k, const ss_contact *contact, int *guess)
{
    enum { NEAR = 4 };
    int at = *guess;
    while (at < k->n && at < *guess + NEAR && !is_same_id(&k->contact[at].id, &contact->id)) {
        at++;
    }
    at = at < k->n && at < *guess + NEAR ? at : place_of(k, &contact->id);
    *guess = at < k->n ? at + 1 : *guess;
    return at < k->n && is_same(&k->contact[at], contact) ? &k->value[at] : NULL;
}
