/* finder.c - all contacts near a configuration, in the order of their identities.
 *
 * Stages: boxes of all shapes grown by half the reach each; pairs that overlap (broad_phase.c), of which those of one body
 * and of two bodies that do not move freely are never listed; pairs that may touch (ss_model_may_touch); their gaps below
 * the reach (collide.c), with the law of the two materials. The box of a half space ends at its plane only if that is across an
 * axis of the world, so the distance of the other shape's box from its plane is tested first.
 * Then both finite limits of every joint, every bounded motor, every gap of every user block: these are
 * few and always reported; facets of solids (facet_find.c) and edges that cross those of solids (crossing_find.c). Kinds come in
 * the order of ss_contact_kind, so the set is sorted as it is built.
 *
 * On several threads the contacts of many pairs are counted first and then written, in the same order: the same set. To find
 * those of a pair twice costs less than to keep them twice; what the first time has told is not asked again.
 *
 * Cost   that of the broad phase plus one narrow phase per pair, two on several threads; takes no memory once the largest set was
 *        seen. */
#include "base/parallel.h"
#include "contact/contact.h"
#include "contact/crossing.h"
#include "contact/facet.h"
#include "contact/kept_pairs.h"
#include "contact/known_gaps.h"
#include "contact/pair_contacts.h"

enum { GRAIN = 512 }; /* shapes, or pairs of them, that one thread takes at a time */

static const double ROUNDING = 1e-9; /* of the lengths that a distance is a sum of: more than round-off */

/* Of ranges of pairs: the number of their contacts, and where these go. */
typedef struct range_lists {
    int *count, count_cap, out_cap;
    ss_contact **out;
} range_lists;

/* The last search with reach 0, with values, and its configuration: the end of a step is searched twice. */
typedef struct last_search {
    ss_contact_set set;
    ss_contact_value *value;
    int value_cap;
    double t, *q;
} last_search;

struct ss_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box;      /* of every shape                                            */
    int *group;        /* of every shape: its body if that moves freely, else -1   */
    uint8_t *contacts; /* of every pair, where many are searched at once */
    int contacts_cap;
    ss_searched_pairs searched; /* by the last search with a reach, and the scope of what it has found */
    int scope_cap;
    range_lists range;
    ss_facet_finder *facets;       /* NULL: there are none */
    ss_crossing_finder *crossings; /* likewise */
    ss_kept_pairs *kept;           /* of the last survey   */
    ss_known_gaps *known;          /* by whoever has measured them */
    last_search last;
};

static ss_status build(ss_context *ctx, ss_finder *f)
{
    const ss_model *m = f->model;
    SS_TRY(ss_broad_phase_create(ctx, &f->broad));
    SS_TRY(ss_kept_pairs_create(ctx, m, &f->kept));
    SS_TRY(ss_known_gaps_create(ctx, m, &f->known));
    SS_TRY(ss_calloc(ctx, (size_t)m->shapes, sizeof *f->box, &f->box));
    SS_TRY(ss_calloc(ctx, (size_t)m->shapes, sizeof *f->group, &f->group));
    SS_TRY(ss_calloc(ctx, (size_t)m->nq, sizeof *f->last.q, &f->last.q));
    f->last.t = NAN;
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
        ss_known_gaps_destroy(f->known);
        ss_crossing_finder_destroy(f->crossings);
        ss_free(f->ctx, f->box);
        ss_free(f->ctx, f->group);
        ss_free(f->ctx, f->contacts);
        ss_free(f->ctx, f->searched.scope);
        ss_free(f->ctx, f->range.count);
        ss_free(f->ctx, f->range.out);
        ss_free(f->ctx, f->last.q);
        ss_free(f->ctx, f->last.value);
        ss_contacts_free(f->ctx, &f->last.set);
        ss_free(f->ctx, f);
    }
}

ss_known_gaps *ss_finder_gaps(ss_finder *f) { return f->known; }

const ss_known_gaps *ss_finder_known(const ss_finder *f, const ss_config *c)
{
    return ss_known_gaps_are_at(f->known, c) ? f->known : NULL;
}

/* ---- shapes -------------------------------------------------------------------------------- */

/* A search for contacts of shapes under way. */
typedef struct search {
    ss_finder *f;
    const ss_config *c;
    double reach;       /* below which gaps are asked for                   */
    const double *half; /* of every body its part of that; NULL: half of it */
    const ss_index_pair *pair;
    int *count;                 /* of each range: its contacts           */
    ss_contact **out;           /* of each range: where its contacts go */
    const ss_known_gaps *known; /* NULL: at this place none is           */
} search;

/* what a shape adds to the reach of its pairs */
static double reach_of(const search *x, int shape) { return x->half ? x->half[x->f->model->shape_body[shape]] : 0.5 * x->reach; }

static double reach_of_pair(const search *x, ss_index_pair pair) { return reach_of(x, pair.a) + reach_of(x, pair.b); }

/* Of a half space: it ends at its plane, or somewhat beyond for round-off, if that is across an axis. */
static ss_box3 half_space_box(const ss_shape *shape, const ss_frame *body)
{
    const ss_vec3 n = ss_rotate(body->R, shape->normal);
    const double end = shape->offset + ss_dot(n, body->p) + ROUNDING * (fabs(shape->offset) + ss_norm(body->p));
    double lo[3] = { -INFINITY, -INFINITY, -INFINITY }, hi[3] = { INFINITY, INFINITY, INFINITY }, along[3];
    ss_v3_to(n, along);
    for (int i = 0; i < 3; i++) {
        if (along[(i + 1) % 3] == 0 && along[(i + 2) % 3] == 0) {
            *(along[i] > 0 ? &hi[i] : &lo[i]) = along[i] > 0 ? end : -end;
        }
    }
    return (ss_box3){ ss_v3_from(lo), ss_v3_from(hi) };
}

static ss_box3 box_of(const ss_shape *shape, const ss_frame *body)
{
    return shape->kind == SS_SHAPE_half_space ? half_space_box(shape, body) : ss_shape_bounds(shape, body);
}

static void place_range(void *data, int begin, int end)
{
    const search *x = data;
    const ss_model *m = x->f->model;
    for (int s = begin; s < end; s++) {
        const double more = reach_of(x, s);
        const ss_vec3 grow = ss_v3(more, more, more);
        const ss_box3 box = box_of(&m->shape[s], &x->c->frame[m->shape_body[s]]);
        x->f->box[s] = (ss_box3){ ss_sub(box.lo, grow), ss_add(box.hi, grow) };
    }
}

/* Is a box, already grown by its part of the reach, farther than the rest of it from the plane of a half space? */
static bool clear_of(const ss_shape *half_space, const ss_frame *body, const ss_box3 *box, double rest)
{
    const ss_vec3 n = ss_rotate(body->R, half_space->normal);
    const ss_vec3 lowest = { n.x > 0 ? box->lo.x : box->hi.x, n.y > 0 ? box->lo.y : box->hi.y, n.z > 0 ? box->lo.z : box->hi.z };
    const ss_vec3 from = ss_sub(lowest, body->p);
    const double rounding = ROUNDING * (fabs(lowest.x) + fabs(lowest.y) + fabs(lowest.z) + ss_norm(body->p));
    return ss_dot(n, from) - half_space->offset > rest + rounding;
}

static bool far_apart(const search *x, ss_index_pair pair)
{
    const ss_finder *f = x->f;
    const ss_model *m = f->model;
    const int plane = m->shape[pair.a].kind == SS_SHAPE_half_space ? pair.a : pair.b, other = pair.a + pair.b - plane;
    return m->shape[plane].kind == SS_SHAPE_half_space &&
           clear_of(&m->shape[plane], &x->c->frame[m->shape_body[plane]], &f->box[other], reach_of(x, plane));
}

/* the value of a contact of shapes, measured unless it is known; *guess: of ss_known_gaps_find */
static void measure(const search *x, const ss_contact *contact, int *guess, ss_contact_value *out)
{
    const ss_contact_value *known = x->known ? ss_known_gaps_find(x->known, contact, guess) : NULL;
    if (known) {
        *out = *known;
    } else {
        ss_contact_measure_shapes(x->c, contact, out);
    }
}

/* those of the contacts, which are kept ones, that are below the reach, likewise */
static int put_below(const search *x, int count, const ss_contact *contact, ss_contact *out)
{
    int guess = ss_kept_pairs_number(x->f->kept, contact), n = 0;
    for (int k = 0; k < count; k++) {
        const ss_contact *here = &contact[k];
        ss_contact_value value;
        measure(x, here, &guess, &value);
        if (value.gap < x->reach) {
            if (out) {
                out[n] = *here;
            }
            n++;
        }
    }
    return n;
}

static int find_pair(const search *x, ss_index_pair pair, bool sure, ss_contact *out, ss_manifold_scope *scope)
{
    return ss_pair_contacts_find(x->f->model, x->c, pair, reach_of_pair(x, pair), sure, out, scope);
}

/* what is below a reach of a pair that may touch, and its scope */
static int search_near(const search *x, int number, bool sure, ss_contact *out)
{
    const ss_index_pair pair = x->pair[number];
    const ss_contact *known;
    ss_manifold_scope *scope = &x->f->searched.scope[number];
    const int count = ss_kept_pairs_last(x->f->kept, x->c, pair, reach_of_pair(x, pair), &known, scope);
    if (count > 0 && out) {
        ss_pair_contacts_again(x->f->model, x->c, pair, count, known, out);
    }
    return count > 0 ? count : find_pair(x, pair, sure, out, scope);
}

/* as find_pair for any pair of the broad phase; what the last survey has found, if the pair is still where it was */
static int search_pair(const search *x, int number, bool sure, ss_contact *out)
{
    const ss_index_pair pair = x->pair[number];
    const ss_contact *known;
    if (!sure && (far_apart(x, pair) || !ss_model_may_touch(x->f->model, pair.a, pair.b))) {
        return 0;
    }
    if (x->reach != 0) {
        return search_near(x, number, sure, out);
    }
    const int count = ss_kept_pairs_ask(x->f->kept, pair, &known);
    return count > 0 ? put_below(x, count, known, out) : find_pair(x, pair, sure, out, NULL);
}

/* one pair after the other */
static ss_status search_alone(const search *x, int pairs, ss_contact_set *set)
{
    for (int k = 0; k < pairs; k++) {
        SS_TRY(ss_reserve(x->f->ctx, &set->c, &set->cap, set->n + SS_MANIFOLD_MAX, sizeof *set->c));
        set->n += search_pair(x, k, false, set->c + set->n);
    }
    return SS_OK;
}

static void count_range(void *data, int begin, int end)
{
    const search *x = data;
    int sum = 0;
    for (int k = begin; k < end; k++) {
        x->f->contacts[k] = (uint8_t)search_pair(x, k, false, NULL);
        sum += x->f->contacts[k];
    }
    x->count[begin / GRAIN] = sum;
}

static void write_range(void *data, int begin, int end)
{
    const search *x = data;
    ss_contact *out = x->out[begin / GRAIN];
    for (int k = begin; k < end; k++) {
        if (x->f->contacts[k] > 0) {
            out += search_pair(x, k, true, out);
        }
    }
}

/* Many pairs on several threads: contacts are counted first, so that all know where theirs go. */
static ss_status search_together(search *x, int pairs, ss_contact_set *set)
{
    ss_finder *f = x->f;
    const int ranges = (pairs - 1) / GRAIN + 1;
    int total = 0;
    SS_TRY(ss_reserve(f->ctx, &f->contacts, &f->contacts_cap, pairs, sizeof *f->contacts));
    SS_TRY(ss_reserve(f->ctx, &f->range.count, &f->range.count_cap, ranges, sizeof *f->range.count));
    SS_TRY(ss_reserve(f->ctx, &f->range.out, &f->range.out_cap, ranges, sizeof *f->range.out));
    x->count = f->range.count;
    x->out = f->range.out;
    ss_parallel_for(f->ctx, pairs, GRAIN, count_range, x);
    for (int i = 0; i < ranges; i++) {
        total += x->count[i];
    }
    SS_TRY(ss_reserve(f->ctx, &set->c, &set->cap, set->n + total, sizeof *set->c));
    for (int i = 0; i < ranges; i++) {
        x->out[i] = set->c + set->n;
        set->n += x->count[i];
    }
    ss_parallel_for(f->ctx, pairs, GRAIN, write_range, x);
    return SS_OK;
}

static ss_status find_shapes(ss_finder *f, const ss_config *c, double reach, const double *half, ss_contact_set *set)
{
    search x = { .f = f, .c = c, .reach = reach, .half = half, .known = ss_finder_known(f, c) };
    int pairs;
    ss_parallel_for(f->ctx, f->model->shapes, GRAIN, place_range, &x);
    ss_kept_pairs_begin(f->kept, c);
    SS_TRY(ss_broad_phase_pairs(f->broad, f->model->shapes, f->box, f->group, &x.pair, &pairs));
    if (reach != 0) {
        f->searched.pair = x.pair;
        SS_TRY(ss_reserve(f->ctx, &f->searched.scope, &f->scope_cap, pairs, sizeof *f->searched.scope));
    }
    const bool many = pairs > GRAIN && ss_context_threads(f->ctx) > 1;
    return many ? search_together(&x, pairs, set) : search_alone(&x, pairs, set);
}

/* ---- joints and blocks --------------------------------------------------------------------- */

static ss_contact joint_contact(const ss_model *m, ss_contact_kind kind, int joint, int side)
{
    const ss_joint *j = &m->joint[joint];
    return (ss_contact){
        .id = { .kind = (int32_t)kind, .a = joint, .b = side },
        .at = { { .body = j->at[0].body }, { .body = j->at[1].body } },
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

static ss_status find_all(ss_finder *f, const ss_config *c, double reach, const double *half, ss_contact_set *set)
{
    set->n = 0;
    SS_TRY(find_shapes(f, c, reach, half, set));
    SS_TRY(find_limits(f, set));
    SS_TRY(find_bounded(f, set));
    SS_TRY(find_block_gaps(f, set));
    SS_TRY(f->facets ? ss_facets_find(f->facets, c, reach, set) : SS_OK);
    return f->crossings ? ss_crossings_find(f->crossings, c, reach, set) : SS_OK;
}

static void measure_range(void *data, int begin, int end)
{
    const search *x = data;
    int guess = begin;
    for (int k = begin; k < end; k++) {
        const ss_contact *contact = &x->f->last.set.c[k];
        if (contact->id.kind == SS_CONTACT_SHAPES) {
            measure(x, contact, &guess, &x->f->last.value[k]);
        }
    }
}

/* f->last at c, with values */
static ss_status search_overlaps(ss_finder *f, const ss_config *c)
{
    search x = { .f = f, .c = c, .known = ss_finder_known(f, c) };
    SS_TRY(find_all(f, c, 0, NULL, &f->last.set));
    SS_TRY(ss_reserve(f->ctx, &f->last.value, &f->last.value_cap, f->last.set.n, sizeof *f->last.value));
    f->last.set.value = f->last.value;
    ss_parallel_for(f->ctx, f->last.set.n, GRAIN, measure_range, &x);
    return SS_OK;
}

ss_status ss_finder_overlaps(ss_finder *f, const ss_config *c, const ss_contact_set **set)
{
    const size_t size = (size_t)f->model->nq * sizeof *f->last.q;
    *set = &f->last.set;
    if (c->t == f->last.t && (size == 0 || memcmp(c->q, f->last.q, size) == 0)) {
        return SS_OK;
    }
    f->last.t = NAN; /* not valid until the search has succeeded */
    SS_TRY(search_overlaps(f, c));
    if (size > 0) {
        memcpy(f->last.q, c->q, size);
    }
    f->last.t = c->t;
    return SS_OK;
}

ss_status ss_finder_find(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_contact_set *found;
    if (reach != 0) {
        return find_all(f, c, reach, NULL, set);
    }
    SS_TRY(ss_finder_overlaps(f, c, &found));
    return ss_contacts_copy(f->ctx, found, set);
}

ss_status ss_finder_survey(ss_finder *f, const ss_config *c, double reach, const double *half, ss_contact_set *set)
{
    SS_TRY(find_all(f, c, reach, half, set));
    return ss_kept_pairs_keep(f->kept, c, set, &f->searched);
}

ss_status ss_finder_passed(ss_finder *f, const ss_config *from, const ss_config *to, bool *passed, ss_contact *first)
{
    *passed = false;
    return f->facets ? ss_facets_passed(f->facets, from, to, passed, first) : SS_OK;
}
