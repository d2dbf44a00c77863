/* pair_contacts.c - the contacts of two shapes: what the narrow phase finds, with the law of their materials.
 *
 * Cost   one narrow phase */
#include "contact/pair_contacts.h"

/* order[]: the gaps by their features; insertion, as there are few */
static void sort_features(const ss_manifold *m, int order[SS_MANIFOLD_MAX])
{
    for (int i = 0; i < m->n; i++) {
        int j = i;
        for (; j > 0 && m->feature[order[j - 1]] > m->feature[i]; j--) {
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

static ss_contact pair_contact(const ss_model *m, ss_index_pair pair)
{
    const ss_pair_law *law = ss_model_pair_law(m, pair.a, pair.b);
    ss_contact contact = {
        .id = { .kind = SS_CONTACT_SHAPES, .a = pair.a, .b = pair.b },
        .at = { { .body = m->shape_body[pair.a] }, { .body = m->shape_body[pair.b] } },
        .law = law,
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .grain_body = -1,
    };
    if (law->mu[0] != law->mu[1]) {
        contact.grain_body = contact.at[m->shape_material[pair.a] == law->grain_of ? 0 : 1].body;
    }
    return contact;
}

/* a manifold of one gap may be the nearest one, beyond the reach */
static bool nothing_near(const ss_manifold *m, const ss_frame *fa, const ss_frame *fb, double reach)
{
    if (m->n != 1) {
        return m->n == 0;
    }
    ss_gap_value value;
    ss_gap_eval(&m->gap[0], fa, fb, &value);
    return !(value.gap < reach);
}

/* contact number k of a pair, as it is now, with a gap that has been found */
static void put_gap(const ss_contact *contact, const ss_gap *gap, uint32_t feature, ss_contact *out)
{
    *out = *contact;
    out->gap = *gap;
    out->id.feature = feature;
}

int ss_pair_contacts_find(const ss_model *m, const ss_config *c, ss_index_pair pair, double reach, bool sure, ss_contact *out,
                          ss_manifold_scope *scope)
{
    const ss_frame *fa = &c->frame[m->shape_body[pair.a]], *fb = &c->frame[m->shape_body[pair.b]];
    ss_manifold found;
    ss_collide(&m->shape[pair.a], fa, &m->shape[pair.b], fb, reach, &found);
    if (scope) {
        *scope = found.scope;
    }
    if (!sure && nothing_near(&found, fa, fb, reach)) {
        return 0;
    }
    if (out) {
        int order[SS_MANIFOLD_MAX];
        const ss_contact contact = pair_contact(m, pair);
        sort_features(&found, order);
        for (int k = 0; k < found.n; k++) {
            put_gap(&contact, &found.gap[order[k]], found.feature[order[k]], &out[k]);
        }
    }
    return found.n;
}

void ss_pair_contacts_again(const ss_model *m, const ss_config *c, ss_index_pair pair, int count, const ss_contact *known,
                            ss_contact *out)
{
    const ss_contact contact = pair_contact(m, pair);
    const double rim =
        ss_collide_rim(&m->shape[pair.a], &c->frame[m->shape_body[pair.a]], &m->shape[pair.b], &c->frame[m->shape_body[pair.b]]);
    for (int k = 0; k < count; k++) {
        put_gap(&contact, &known[k].gap, known[k].id.feature, &out[k]);
        out[k].gap.rim = rim;
    }
}
