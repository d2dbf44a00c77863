/* facet_find.c - which corners of shapes are near which facets of solids.
 *
 * Boxes about corners and facets that overlap (broad_phase.c); of these, corners whose foot is on the facet and whose gap is
 * below the reach and above minus the depth of the facet's element. Of the facets of one solid that a corner is behind, only the
 * one that it is least behind is touched: the others are sides that it has not come through. Nodes of a solid do not touch its
 * own facets. Cost   that of the broad phase over corners and facets; nothing is allocated once the largest set was seen */
#include "contact/facet.h"

struct ss_facet_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box; /* probes, then facets                                           */
    int *group;   /* of a solid all its nodes and facets; else those of each body   */
};

static ss_status build(ss_facet_finder *f)
{
    const ss_model *m = f->model;
    const size_t count = (size_t)m->probes + (size_t)m->facets;
    SS_TRY(ss_broad_phase_create(f->ctx, &f->broad));
    SS_TRY(ss_calloc(f->ctx, count, sizeof *f->box, &f->box));
    SS_TRY(ss_calloc(f->ctx, count, sizeof *f->group, &f->group));
    for (int k = 0; k < m->probes; k++) {
        const ss_probe *probe = &m->probe[k];
        f->group[k] = probe->solid >= 0 ? m->bodies + probe->solid : m->shape_body[probe->shape];
    }
    for (int k = 0; k < m->facets; k++) {
        f->group[m->probes + k] = m->bodies + m->facet[k].solid;
    }
    return SS_OK;
}

ss_status ss_facet_finder_create(ss_context *ctx, const ss_model *m, ss_facet_finder **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    const ss_status status = build(*out);
    if (status != SS_OK) {
        ss_facet_finder_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_facet_finder_destroy(ss_facet_finder *f)
{
    if (f) {
        ss_broad_phase_destroy(f->broad);
        ss_free(f->ctx, f->box);
        ss_free(f->ctx, f->group);
        ss_free(f->ctx, f);
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------ */

static void include(ss_box3 *box, ss_vec3 x, double margin)
{
    const ss_vec3 grow = ss_v3(margin, margin, margin), lo = ss_sub(x, grow), hi = ss_add(x, grow);
    box->lo = ss_v3(fmin(box->lo.x, lo.x), fmin(box->lo.y, lo.y), fmin(box->lo.z, lo.z));
    box->hi = ss_v3(fmax(box->hi.x, hi.x), fmax(box->hi.y, hi.y), fmax(box->hi.z, hi.z));
}

static void place_boxes(ss_facet_finder *f, const ss_config *c, double reach)
{
    const ss_model *m = f->model;
    const ss_box3 empty = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int k = 0; k < m->probes; k++) {
        f->box[k] = empty;
        include(&f->box[k], ss_point_to_world(c->frame[m->shape_body[m->probe[k].shape]], m->probe[k].point),
                m->probe[k].radius + 0.5 * reach);
    }
    for (int k = 0; k < m->facets; k++) {
        const ss_facet *facet = &m->facet[k];
        f->box[m->probes + k] = empty;
        for (int j = 0; j < m->dimension; j++) {
            include(&f->box[m->probes + k], ss_point_to_world(c->frame[facet->at[j].body], facet->at[j].point),
                    facet->depth + 0.5 * reach);
        }
    }
}

/* ---- contacts --------------------------------------------------------------------------------------------- */

static ss_contact contact_of(const ss_model *m, int probe, int facet)
{
    const int shape = m->probe[probe].shape, other = m->facet[facet].shape;
    const ss_pair_law *law = ss_model_pair_law(m, shape, other);
    return (ss_contact){
        .id = { .kind = SS_CONTACT_FACET, .a = probe, .b = facet },
        .at = { { .body = m->shape_body[shape] }, { .body = m->shape_body[other] } },
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .impact = law->impact,
        .grain_body = -1,
    };
}

/* The contact of the same corner and solid, among those from `first` on, that the corner is behind; -1: none. */
static int find_rival(const ss_model *m, const ss_config *c, const ss_contact *contact, int first, const ss_contact_set *set,
                      double *gap)
{
    for (int k = first; k < set->n; k++) {
        ss_contact_value value;
        ss_facet_eval(m, c, &set->c[k], &value);
        if (m->facet[set->c[k].id.b].solid == m->facet[contact->id.b].solid && value.gap < 0) {
            *gap = value.gap;
            return k;
        }
    }
    return -1;
}

static void remove_contact(ss_contact_set *set, int k)
{
    memmove(&set->c[k], &set->c[k + 1], (size_t)(set->n - k - 1) * sizeof *set->c);
    set->n--;
}

/* first: where the contacts of this corner begin */
static ss_status add_pair(ss_facet_finder *f, const ss_config *c, int probe, int facet, double reach, int first,
                          ss_contact_set *set)
{
    const ss_model *m = f->model;
    const ss_contact contact = contact_of(m, probe, facet);
    ss_contact_value value;
    double gap;
    ss_facet_eval(m, c, &contact, &value);
    if (!(value.gap < reach && value.gap > -m->facet[facet].depth && value.outside <= (value.gap < 0 ? 0 : reach))) {
        return SS_OK;
    }
    const int rival = value.gap < 0 ? find_rival(m, c, &contact, first, set, &gap) : -1;
    if (rival >= 0 && gap >= value.gap) {
        return SS_OK;
    }
    if (rival >= 0) {
        remove_contact(set, rival);
    }
    SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
    return SS_OK;
}

ss_status ss_facets_find(ss_facet_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_model *m = f->model;
    const ss_index_pair *pairs;
    const int first = set->n;
    int count;
    place_boxes(f, c, reach);
    SS_TRY(ss_broad_phase_pairs(f->broad, m->probes + m->facets, f->box, f->group, &pairs, &count));
    for (int k = 0, start = first; k < count; k++) {
        const int facet = pairs[k].b - m->probes;
        start = k > 0 && pairs[k].a != pairs[k - 1].a ? set->n : start;
        if (pairs[k].a < m->probes && facet >= 0 && ss_model_may_touch(m, m->probe[pairs[k].a].shape, m->facet[facet].shape)) {
            SS_TRY(add_pair(f, c, pairs[k].a, facet, reach, start, set));
        }
    }
    return SS_OK;
}
