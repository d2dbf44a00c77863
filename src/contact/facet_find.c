/* facet_find.c - which corners of shapes are near which facets of solids.
 *
 * Boxes about corners and facets that overlap (broad_phase.c); of these, corners whose foot is on the facet and whose gap is
 * below the reach and above minus the depth of the facet's element. A corner that is behind a facet touches it only if there is
 * no other facet of that solid under its foot that it is less far behind, or in front of: else it has come through that one, or
 * is outside. Nodes of a solid do not touch its own facets.
 *
 * Cost   that of the broad phase over corners and facets; nothing is allocated once the largest set was seen */
#include "base/tolerances.h"
#include "contact/facet.h"

struct ss_facet_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box;     /* probes, then facets                                           */
    int *group;       /* of a solid all its nodes and facets; else those of each body   */
    ss_contact *near; /* of the corner at hand: with the facets that its box meets */
    ss_contact_value *value;
    int near_cap, value_cap;
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
        ss_free(f->ctx, f->near);
        ss_free(f->ctx, f->value);
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

static void empty_boxes(ss_facet_finder *f)
{
    for (int k = 0; k < f->model->probes + f->model->facets; k++) {
        f->box[k] = (ss_box3){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    }
}

/* let the boxes hold what is at c, too */
static void stretch_boxes(ss_facet_finder *f, const ss_config *c, double reach)
{
    const ss_model *m = f->model;
    for (int k = 0; k < m->probes; k++) {
        include(&f->box[k], ss_point_to_world(c->frame[m->shape_body[m->probe[k].shape]], m->probe[k].point),
                m->probe[k].radius + 0.5 * reach);
    }
    for (int k = 0; k < m->facets; k++) {
        const ss_facet *facet = &m->facet[k];
        for (int j = 0; j < m->dimension; j++) {
            include(&f->box[m->probes + k], ss_point_to_world(c->frame[facet->at[j].body], facet->at[j].point),
                    facet->depth + 0.5 * reach);
        }
    }
}

/* ---- contacts --------------------------------------------------------------------------------------------- */

static ss_contact contact_of(const ss_model *m, int probe, int facet, int side)
{
    const int shape = m->probe[probe].shape, other = m->facet[facet].shape;
    const ss_pair_law *law = ss_model_pair_law(m, shape, other);
    return (ss_contact){
        .id = { .kind = SS_CONTACT_FACET, .a = probe, .b = facet, .feature = (uint32_t)side },
        .at = { { .body = m->shape_body[shape] }, { .body = m->shape_body[other] } },
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .grain_body = -1,
    };
}

/* Neither holds the body of the corner a node of the facet, nor is it joined to one. */
static bool may_touch(const ss_model *m, int probe, int facet)
{
    const int body = m->shape_body[m->probe[probe].shape];
    bool may = true;
    for (int j = 0; j < m->dimension; j++) {
        const int node = m->facet[facet].at[j].body;
        may = may && node != body && (!ss_model_is_dynamic(m, node) || ss_model_bodies_may_touch(m, body, node));
    }
    return may;
}

/* Is the foot of the corner on a facet of the same solid that stands before contact k? Before a side: one that is nearer. Before
 * a facet that the corner is behind: one that it is less far behind, or in front of. */
static bool is_hidden(const ss_facet_finder *f, int k, int n)
{
    const ss_model *m = f->model;
    const int solid = m->facet[f->near[k].id.b].solid;
    const bool side = f->near[k].id.feature > 0;
    bool hidden = false;
    for (int i = 0; i < n && !hidden; i++) {
        const bool under = i != k && f->near[i].id.feature == 0 && f->value[i].outside <= SS_TOL_ON_SURFACE * m->length;
        const bool before = side ? f->value[i].gap <= f->value[k].gap : f->value[i].gap > f->value[k].gap;
        hidden = under && before && m->facet[f->near[i].id.b].solid == solid;
    }
    return hidden;
}

static bool is_touched(const ss_facet_finder *f, int k, int n, double reach)
{
    const ss_contact_value *value = &f->value[k];
    const bool side = f->near[k].id.feature > 0;
    if (!(value->gap < reach)) {
        return false;
    }
    if (value->gap >= 0 && !side) {
        return value->outside <= reach;
    }
    return value->outside <= 0 && value->gap > -f->model->facet[f->near[k].id.b].depth && !is_hidden(f, k, n);
}

/* contacts of a corner with the n facets of f->near */
static ss_status add_near(ss_facet_finder *f, int n, double reach, ss_contact_set *set)
{
    for (int k = 0; k < n; k++) {
        if (is_touched(f, k, n, reach)) {
            SS_PUSH(f->ctx, set->c, set->n, set->cap, f->near[k]);
        }
    }
    return SS_OK;
}

static bool same_place(const ss_attachment *a, const ss_attachment *b)
{
    return a->body == b->body && memcmp(&a->point, &b->point, sizeof a->point) == 0;
}

/* Is the side among the n: of the triangle on its other side, where it runs the other way? */
static bool is_listed(const ss_facet_finder *f, int facet, int side, int n)
{
    const ss_attachment *at = f->model->facet[facet].at, *from = &at[side - 1], *to = &at[side % 3];
    bool any = false;
    for (int i = 0; i < n && !any; i++) {
        const int other = (int)f->near[i].id.feature;
        const ss_attachment *its = f->model->facet[f->near[i].id.b].at;
        any = other > 0 && same_place(&its[other - 1], to) && same_place(&its[other % 3], from);
    }
    return any;
}

static ss_status add_candidate(ss_facet_finder *f, const ss_config *c, int probe, int facet, int side, int *n)
{
    SS_TRY(ss_reserve(f->ctx, &f->near, &f->near_cap, *n + 1, sizeof *f->near));
    SS_TRY(ss_reserve(f->ctx, &f->value, &f->value_cap, *n + 1, sizeof *f->value));
    f->near[*n] = contact_of(f->model, probe, facet, side);
    ss_facet_eval(f->model, c, &f->near[*n], &f->value[*n]);
    ++*n;
    return SS_OK;
}

/* f->near: what the corner of the first pair may touch; *used: how many pairs are its own */
static ss_status look_around(ss_facet_finder *f, const ss_config *c, const ss_index_pair *pairs, int count, int *used, int *n)
{
    const ss_model *m = f->model;
    *n = 0;
    for (*used = 0; *used < count && pairs[*used].a == pairs[0].a; ++*used) {
        const int facet = pairs[*used].b - m->probes;
        if (pairs[0].a >= m->probes || facet < 0 || !may_touch(m, pairs[0].a, facet)) {
            continue;
        }
        SS_TRY(add_candidate(f, c, pairs[0].a, facet, 0, n));
        const bool rounded = m->dimension == 3 && m->probe[pairs[0].a].radius > 0 && f->value[*n - 1].outside > 0;
        for (int side = 1; rounded && side <= 3; side++) {
            SS_TRY(is_listed(f, facet, side, *n) ? SS_OK : add_candidate(f, c, pairs[0].a, facet, side, n));
        }
    }
    return SS_OK;
}

ss_status ss_facets_find(ss_facet_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_index_pair *pairs;
    int count, used, n;
    empty_boxes(f);
    stretch_boxes(f, c, reach);
    SS_TRY(ss_broad_phase_pairs(f->broad, f->model->probes + f->model->facets, f->box, f->group, &pairs, &count));
    for (int k = 0; k < count; k += used) {
        SS_TRY(look_around(f, c, pairs + k, count - k, &used, &n));
        SS_TRY(add_near(f, n, reach, set));
    }
    return SS_OK;
}

ss_status ss_facets_passed(ss_facet_finder *f, const ss_config *from, const ss_config *to, bool *passed, ss_contact *first)
{
    const ss_model *m = f->model;
    const ss_index_pair *pairs;
    int count = 0;
    *passed = false;
    if (!ss_facets_move_far(m, from, to)) {
        return SS_OK;
    }
    empty_boxes(f);
    stretch_boxes(f, from, 0);
    stretch_boxes(f, to, 0);
    SS_TRY(ss_broad_phase_pairs(f->broad, m->probes + m->facets, f->box, f->group, &pairs, &count));
    for (int k = 0; k < count && !*passed; k++) {
        const int probe = pairs[k].a, facet = pairs[k].b - m->probes;
        if (probe < m->probes && facet >= 0 && may_touch(m, probe, facet)) {
            *first = contact_of(m, probe, facet, 0);
            *passed = ss_facet_was_passed(m, from, to, first);
        }
    }
    return SS_OK;
}
