/* finder.c - all contacts near a configuration, in the order of their identities.
 *
 * Stages: boxes of all shapes grown by half the reach each; pairs that overlap (broad_phase.c), of which those of one body
 * and of two bodies that do not move freely are never listed; pairs that may touch (ss_model_may_touch); their gaps below
 * the reach (collide.c), with the law of the two materials. The box of a half space is infinite, so the distance of
 * the other shape's box from its plane is tested first.
 * Then both finite limits of every joint, every bounded motor, every gap of every user block: these are
 * few and always reported; facets of solids (facet_find.c) and edges that cross those of solids (crossing_find.c). Kinds come in
 * the order of ss_contact_kind, so the set is sorted as it is built.
 *
 * Cost   that of the broad phase plus one narrow phase per pair; takes no memory once the largest set was seen. */
#include "contact/contact.h"
#include "contact/crossing.h"
#include "contact/facet.h"
#include "contact/kept_pairs.h"

struct ss_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box; /* of every shape                                            */
    int *group;   /* of every shape: its body if that moves freely, else -1   */
    ss_manifold manifold;
    ss_facet_finder *facets;       /* NULL: there are none */
    ss_crossing_finder *crossings; /* likewise */
    ss_kept_pairs *kept;           /* of the last survey   */
    ss_contact_set last;           /* the last search with reach 0, and its configuration: the end of a step is searched twice */
    double last_t, *last_q;
};

static ss_status build(ss_context *ctx, ss_finder *f)
{
    const ss_model *m = f->model;
    SS_TRY(ss_broad_phase_create(ctx, &f->broad));
    SS_TRY(ss_kept_pairs_create(ctx, m, &f->kept));
    SS_TRY(ss_calloc(ctx, (size_t)m->shapes, sizeof *f->box, &f->box));
    SS_TRY(ss_calloc(ctx, (size_t)m->shapes, sizeof *f->group, &f->group));
    SS_TRY(ss_calloc(ctx, (size_t)m->nq, sizeof *f->last_q, &f->last_q));
    f->last_t = NAN;
    SS_TRY(m->facets > 0 ? ss_facet_finder_create(ctx, m, &f->facets) : SS_OK);
    SS_TRY(m->edges > 0 ? ss_crossing_finder_create(ctx, m, &f->crossings) : SS_OK);
    for (int s = 0; s < m->shapes; s++) {
        f->group[s] = ss_model_is_dynamic(m, m->shape_body[s]) ? m->shape_body[s] : -1;
    }
    return SS_OK;
}

ss_status ss_finder_create(ss_context *ctx, const ss_model *m, ss_finder **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    const ss_status status = build(ctx, *out);
    if (status != SS_OK) {
        ss_finder_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_finder_destroy(ss_finder *f)
{
    if (f) {
        ss_broad_phase_destroy(f->broad);
        ss_facet_finder_destroy(f->facets);
        ss_kept_pairs_destroy(f->kept);
        ss_crossing_finder_destroy(f->crossings);
        ss_free(f->ctx, f->box);
        ss_free(f->ctx, f->group);
        ss_free(f->ctx, f->last_q);
        ss_contacts_free(f->ctx, &f->last);
        ss_free(f->ctx, f);
    }
}

/* ---- shapes -------------------------------------------------------------------------------- */

static void place_boxes(ss_finder *f, const ss_config *c, double reach)
{
    const ss_model *m = f->model;
    const ss_vec3 grow = ss_v3(0.5 * reach, 0.5 * reach, 0.5 * reach);
    for (int s = 0; s < m->shapes; s++) {
        const ss_box3 box = ss_shape_bounds(&m->shape[s], &c->frame[m->shape_body[s]]);
        f->box[s] = (ss_box3){ ss_sub(box.lo, grow), ss_add(box.hi, grow) };
    }
}

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
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .arm = { law->arm[0], law->arm[1] },
        .impact = law->impact,
        .grain_body = -1,
    };
    if (law->mu[0] != law->mu[1]) {
        contact.grain = law->grain;
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

static ss_status find_pair(ss_finder *f, const ss_config *c, ss_index_pair pair, double reach, ss_contact_set *set)
{
    const ss_model *m = f->model;
    const ss_frame *fa = &c->frame[m->shape_body[pair.a]], *fb = &c->frame[m->shape_body[pair.b]];
    const ss_manifold *found = &f->manifold;
    ss_collide(&m->shape[pair.a], fa, &m->shape[pair.b], fb, reach, &f->manifold);
    if (nothing_near(found, fa, fb, reach)) {
        return SS_OK;
    }
    int order[SS_MANIFOLD_MAX];
    sort_features(found, order);
    const ss_contact contact = pair_contact(m, pair);
    SS_TRY(ss_reserve(f->ctx, &set->c, &set->cap, set->n + found->n, sizeof *set->c));
    for (int k = 0; k < found->n; k++) {
        ss_contact *added = &set->c[set->n++];
        *added = contact;
        added->gap = found->gap[order[k]];
        added->id.feature = found->feature[order[k]];
    }
    return SS_OK;
}

/* Is a box, already grown by half the reach, farther than the other half from the plane of a half space? */
static bool clear_of(const ss_shape *half_space, const ss_frame *body, const ss_box3 *box, double reach)
{
    const ss_vec3 n = ss_rotate(body->R, half_space->normal);
    const ss_vec3 lowest = { n.x > 0 ? box->lo.x : box->hi.x, n.y > 0 ? box->lo.y : box->hi.y, n.z > 0 ? box->lo.z : box->hi.z };
    const ss_vec3 from = ss_sub(lowest, body->p);
    const double rounding = 1e-9 * (fabs(lowest.x) + fabs(lowest.y) + fabs(lowest.z) + ss_norm(body->p));
    return ss_dot(n, from) - half_space->offset > 0.5 * reach + rounding;
}

static bool far_apart(const ss_finder *f, const ss_config *c, ss_index_pair pair, double reach)
{
    const ss_model *m = f->model;
    const int plane = m->shape[pair.a].kind == SS_SHAPE_half_space ? pair.a : pair.b, other = pair.a + pair.b - plane;
    return m->shape[plane].kind == SS_SHAPE_half_space &&
           clear_of(&m->shape[plane], &c->frame[m->shape_body[plane]], &f->box[other], reach);
}

/* those of the contacts that are below the reach */
static ss_status put_below(ss_finder *f, const ss_config *c, int count, const ss_contact *contact, double reach,
                           ss_contact_set *set)
{
    SS_TRY(ss_reserve(f->ctx, &set->c, &set->cap, set->n + count, sizeof *set->c));
    for (int k = 0; k < count; k++) {
        const ss_contact *here = &contact[k];
        ss_gap_value value;
        ss_gap_eval(&here->gap, &c->frame[here->at[0].body], &c->frame[here->at[1].body], &value);
        if (value.gap < reach) {
            set->c[set->n++] = *here;
        }
    }
    return SS_OK;
}

/* as find_pair, or what the last survey has found, if the pair is still where it was */
static ss_status find_pair_again(ss_finder *f, const ss_config *c, ss_index_pair pair, double reach, ss_contact_set *set)
{
    const ss_contact *known;
    const int count = reach == 0 ? ss_kept_pairs_ask(f->kept, pair, &known) : 0;
    return count > 0 ? put_below(f, c, count, known, reach, set) : find_pair(f, c, pair, reach, set);
}

static ss_status find_shapes(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_index_pair *pairs;
    int count;
    place_boxes(f, c, reach);
    ss_kept_pairs_begin(f->kept, c);
    SS_TRY(ss_broad_phase_pairs(f->broad, f->model->shapes, f->box, f->group, &pairs, &count));
    for (int k = 0; k < count; k++) {
        if (!far_apart(f, c, pairs[k], reach) && ss_model_may_touch(f->model, pairs[k].a, pairs[k].b)) {
            SS_TRY(find_pair_again(f, c, pairs[k], reach, set));
        }
    }
    return SS_OK;
}

/* ---- joints and blocks --------------------------------------------------------------------- */

static ss_contact joint_contact(const ss_model *m, ss_contact_kind kind, int joint, int side)
{
    const ss_joint *j = &m->joint[joint];
    return (ss_contact){
        .id = { .kind = (int32_t)kind, .a = joint, .b = side },
        .at = { j->at[0], j->at[1] },
        .grain_body = -1,
    };
}

static ss_status find_limits(ss_finder *f, ss_contact_set *set)
{
    for (int j = 0; j < f->model->joints; j++) {
        for (int side = 0; side < 2; side++) {
            const ss_joint *joint = &f->model->joint[j];
            if (joint->type->coordinate && isfinite(joint->limits[side])) {
                ss_contact contact = joint_contact(f->model, SS_CONTACT_LIMIT, j, side);
                contact.e = joint->e;
                SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
            }
        }
    }
    return SS_OK;
}

/* motors that have a bound, and dry friction of joints */
static ss_status find_bounded(ss_finder *f, ss_contact_set *set)
{
    for (int j = 0; j < f->model->joints; j++) {
        const ss_joint *joint = &f->model->joint[j];
        const double bound[2] = {
            [SS_BOUNDED_MOTOR] = joint->motor.bounded ? joint->motor.max : 0, [SS_BOUNDED_FRICTION] = joint->resistance.friction
        };
        for (int kind = 0; kind < 2; kind++) {
            ss_contact contact = joint_contact(f->model, SS_CONTACT_MOTOR, j, kind);
            contact.mu[0] = contact.mu[1] = bound[kind];
            if (bound[kind] > 0) {
                SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
            }
        }
    }
    return SS_OK;
}

static ss_status find_block_gaps(ss_finder *f, ss_contact_set *set)
{
    const ss_model *m = f->model;
    for (int body = 0; body < m->bodies; body++) {
        const ss_block *block = m->body_type[body] == SS_BODY_BLOCK ? m->body_callbacks[body] : NULL;
        for (int k = 0; block && k < block->gaps; k++) {
            const ss_contact contact = {
                .id = { .kind = SS_CONTACT_BLOCK, .a = body, .b = k },
                .at = { { .body = body }, { .body = m->bodies } },
                .mu = { block->mu, block->mu },
                .e = block->e,
                .grain_body = -1,
            };
            SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
        }
    }
    return SS_OK;
}

static ss_status find_all(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    set->n = 0;
    SS_TRY(find_shapes(f, c, reach, set));
    SS_TRY(find_limits(f, set));
    SS_TRY(find_bounded(f, set));
    SS_TRY(find_block_gaps(f, set));
    SS_TRY(f->facets ? ss_facets_find(f->facets, c, reach, set) : SS_OK);
    return f->crossings ? ss_crossings_find(f->crossings, c, reach, set) : SS_OK;
}

static ss_status copy_set(ss_context *ctx, const ss_contact_set *from, ss_contact_set *to)
{
    SS_TRY(ss_reserve(ctx, &to->c, &to->cap, from->n, sizeof *to->c));
    if (from->n > 0) {
        memcpy(to->c, from->c, (size_t)from->n * sizeof *to->c);
    }
    to->n = from->n;
    return SS_OK;
}

ss_status ss_finder_find(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    size_t size = (size_t)f->model->nq * sizeof *f->last_q;
    if (reach != 0) {
        return find_all(f, c, reach, set);
    }
    if (c->t == f->last_t && (size == 0 || memcmp(c->q, f->last_q, size) == 0)) {
        return copy_set(f->ctx, &f->last, set);
    }
    f->last_t = NAN; /* not valid until the search has succeeded */
    SS_TRY(find_all(f, c, reach, set));
    SS_TRY(copy_set(f->ctx, set, &f->last));
    if (size > 0) {
        memcpy(f->last_q, c->q, size);
    }
    f->last_t = c->t;
    return SS_OK;
}

ss_status ss_finder_survey(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    SS_TRY(find_all(f, c, reach, set));
    return ss_kept_pairs_keep(f->kept, c, set);
}

ss_status ss_finder_passed(ss_finder *f, const ss_config *from, const ss_config *to, bool *passed, ss_contact *first)
{
    *passed = false;
    return f->facets ? ss_facets_passed(f->facets, from, to, passed, first) : SS_OK;
}

/* ---- sets ---------------------------------------------------------------------------------- */

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

void ss_contacts_free(ss_context *ctx, ss_contact_set *set)
{
    ss_free(ctx, set->c);
    *set = (ss_contact_set){ 0 };
}
