/* finder.c - all contacts near a configuration, in the order of their identities.
 *
 * Stages: boxes of all shapes grown by half the reach each; pairs that overlap (broad_phase.c); pairs that
 * may touch (ss_model_may_touch); their gaps below the reach (collide.c), with the law of the two materials.
 * Then both finite limits of every joint, every bounded motor, every gap of every user block: these are
 * few and always reported. Kinds come in the order of ss_contact_kind, so the set is sorted as it is built.
 *
 * Cost   that of the broad phase plus one narrow phase per pair; takes no memory once the largest set was seen. */
#include "contact/block_gaps.h"
#include "contact/contact.h"

struct ss_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box; /* of every shape */
    ss_manifold manifold;
};

static ss_status check_blocks(ss_context *ctx, const ss_model *m)
{
    for (int body = 0; body < m->bodies; body++) {
        const ss_block *block = m->body_type[body] == SS_BODY_BLOCK ? m->body_callbacks[body] : NULL;
        if (block && block->gaps > 0 && block->gaps > SS_BLOCK_SCRATCH / (block->n + 2)) {
            return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                           "block \"%s\": %d gaps of %d coordinates, at most %d numbers gaps * (coordinates + 2)",
                           m->body_name[body], block->gaps, block->n, (int)SS_BLOCK_SCRATCH);
        }
    }
    return SS_OK;
}

static ss_status build(ss_context *ctx, ss_finder *f)
{
    SS_TRY(check_blocks(ctx, f->model));
    SS_TRY(ss_broad_phase_create(ctx, &f->broad));
    return ss_calloc(ctx, (size_t)f->model->shapes, sizeof *f->box, &f->box);
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
        ss_free(f->ctx, f->box);
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

/* gaps in the order of their features: insertion, as there are few */
static void sort_manifold(ss_manifold *m)
{
    for (int i = 1; i < m->n; i++) {
        const ss_gap gap = m->gap[i];
        const uint32_t feature = m->feature[i];
        int j = i;
        for (; j > 0 && m->feature[j - 1] > feature; j--) {
            m->gap[j] = m->gap[j - 1];
            m->feature[j] = m->feature[j - 1];
        }
        m->gap[j] = gap;
        m->feature[j] = feature;
    }
}

static ss_contact pair_contact(const ss_model *m, ss_index_pair pair)
{
    const ss_pair_law *law = ss_model_pair_law(m, pair.a, pair.b);
    ss_contact contact = {
        .id = { .kind = SS_CONTACT_SHAPES, .a = pair.a, .b = pair.b },
        .body = { m->shape_body[pair.a], m->shape_body[pair.b] },
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .impact = law->impact,
        .grain_body = -1,
    };
    if (law->mu[0] != law->mu[1]) {
        contact.grain = law->grain;
        contact.grain_body = contact.body[m->shape_material[pair.a] == law->grain_of ? 0 : 1];
    }
    return contact;
}

static ss_status find_pair(ss_finder *f, const ss_config *c, ss_index_pair pair, double reach, ss_contact_set *set)
{
    const ss_model *m = f->model;
    ss_contact contact = pair_contact(m, pair);
    const ss_frame *fa = &c->frame[contact.body[0]], *fb = &c->frame[contact.body[1]];
    ss_collide(&m->shape[pair.a], fa, &m->shape[pair.b], fb, reach, &f->manifold);
    sort_manifold(&f->manifold);
    for (int k = 0; k < f->manifold.n; k++) {
        ss_gap_value value;
        ss_gap_eval(&f->manifold.gap[k], fa, fb, &value);
        if (value.gap < reach) {
            contact.gap = f->manifold.gap[k];
            contact.id.feature = f->manifold.feature[k];
            SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
        }
    }
    return SS_OK;
}

static ss_status find_shapes(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_index_pair *pairs;
    int count;
    place_boxes(f, c, reach);
    SS_TRY(ss_broad_phase_pairs(f->broad, f->model->shapes, f->box, &pairs, &count));
    for (int k = 0; k < count; k++) {
        if (ss_model_may_touch(f->model, pairs[k].a, pairs[k].b)) {
            SS_TRY(find_pair(f, c, pairs[k], reach, set));
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
        .body = { j->body[0], j->body[1] },
        .grain_body = -1,
    };
}

static ss_status find_limits(ss_finder *f, ss_contact_set *set)
{
    for (int j = 0; j < f->model->joints; j++) {
        for (int side = 0; side < 2; side++) {
            const ss_joint *joint = &f->model->joint[j];
            if (joint->type->coordinate && isfinite(joint->limits[side])) {
                const ss_contact contact = joint_contact(f->model, SS_CONTACT_LIMIT, j, side);
                SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
            }
        }
    }
    return SS_OK;
}

/* mu[0] holds the bound on the motor's force */
static ss_status find_motors(ss_finder *f, ss_contact_set *set)
{
    for (int j = 0; j < f->model->joints; j++) {
        if (f->model->joint[j].motor_bounded) {
            ss_contact contact = joint_contact(f->model, SS_CONTACT_MOTOR, j, 0);
            contact.mu[0] = contact.mu[1] = f->model->joint[j].max;
            SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
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
                .body = { body, m->bodies },
                .e = block->e,
                .grain_body = -1,
            };
            SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
        }
    }
    return SS_OK;
}

ss_status ss_finder_find(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    set->n = 0;
    SS_TRY(find_shapes(f, c, reach, set));
    SS_TRY(find_limits(f, set));
    SS_TRY(find_motors(f, set));
    return find_block_gaps(f, set);
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
            j--;
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
