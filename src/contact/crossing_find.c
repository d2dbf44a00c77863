/* crossing_find.c - which edges of solids cross which edges of shapes and of other solids.
 *
 * Boxes about edges that overlap (broad_phase.c); of these, edges whose feet lie on both of them, and whose common normal n looks
 * out of the second edge and into the first: between the normals of the two faces beside an edge,
 *
 *     (b_0 x n) . t > sin,  (n x b_1) . t > sin,  (b_0 x b_1) . t > sin         t along the edge, b_0 the face on its left
 *
 * and -n for the first edge. An edge that is flat or hollow has no such normals. Where n is as good as the normal of a face
 * (sin = SS_TOL_RIDGE), a corner or a node touches that face, and facet.c has the contact. Edges that overlap by more than half
 * the height of their elements are not touched any more.
 *
 * Cost   that of the broad phase over edges; nothing is allocated once the largest set was seen */
#include "base/tolerances.h"
#include "contact/crossing.h"

enum { RIGID = -1 }; /* edges of shapes: they touch solids only, never each other */

struct ss_crossing_finder {
    ss_context *ctx;
    const ss_model *model;
    ss_broad_phase *broad;
    ss_box3 *box;
    int *group; /* of a solid all its edges; RIGID: no edge of a solid */
};

static ss_status build(ss_crossing_finder *f)
{
    const ss_model *m = f->model;
    SS_TRY(ss_broad_phase_create(f->ctx, &f->broad));
    SS_TRY(ss_calloc(f->ctx, (size_t)m->edges, sizeof *f->box, &f->box));
    SS_TRY(ss_calloc(f->ctx, (size_t)m->edges, sizeof *f->group, &f->group));
    for (int k = 0; k < m->edges; k++) {
        f->group[k] = m->edge[k].solid >= 0 ? m->edge[k].solid : RIGID;
    }
    return SS_OK;
}

ss_status ss_crossing_finder_create(ss_context *ctx, const ss_model *m, ss_crossing_finder **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    const ss_status status = build(*out);
    if (status != SS_OK) {
        ss_crossing_finder_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_crossing_finder_destroy(ss_crossing_finder *f)
{
    if (f) {
        ss_broad_phase_destroy(f->broad);
        ss_free(f->ctx, f->box);
        ss_free(f->ctx, f->group);
        ss_free(f->ctx, f);
    }
}

/* ---- where edges are ---------------------------------------------------------------------------------------- */

static ss_vec3 end_of(const ss_config *c, const ss_edge *e, int k)
{
    return ss_point_to_world(c->frame[e->at[k].body], e->at[k].point);
}

static void place_boxes(ss_crossing_finder *f, const ss_config *c, double reach)
{
    for (int k = 0; k < f->model->edges; k++) {
        const ss_edge *e = &f->model->edge[k];
        const ss_vec3 a = end_of(c, e, 0), b = end_of(c, e, 1);
        const double margin = e->radius + 0.5 * reach + (e->solid >= 0 ? e->depth : 0);
        const ss_vec3 grow = ss_v3(margin, margin, margin);
        f->box[k].lo = ss_sub(ss_v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)), grow);
        f->box[k].hi = ss_add(ss_v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)), grow);
    }
}

static ss_vec3 facet_normal(const ss_model *m, const ss_config *c, int facet)
{
    ss_vec3 x[3];
    for (int j = 0; j < 3; j++) {
        const ss_attachment *at = &m->facet[facet].at[j];
        x[j] = ss_point_to_world(c->frame[at->body], at->point);
    }
    return ss_unit(ss_cross(ss_sub(x[1], x[0]), ss_sub(x[2], x[0])));
}

/* normals of the faces on the left and on the right; false: it has none, and looks everywhere */
static bool face_normals(const ss_model *m, const ss_config *c, const ss_edge *e, ss_vec3 b[2])
{
    for (int k = 0; k < 2; k++) {
        b[k] = e->solid >= 0 ? facet_normal(m, c, e->facet[k]) : ss_rotate(c->frame[e->at[0].body].R, e->normal[k]);
    }
    return ss_dot(b[0], b[0]) > 0;
}

/* Does n point out of the edge, between the faces beside it? */
static bool looks_along(const ss_config *c, const ss_edge *e, const ss_vec3 b[2], ss_vec3 n)
{
    const ss_vec3 t = ss_unit(ss_sub(end_of(c, e, 1), end_of(c, e, 0)));
    return ss_dot(ss_cross(b[0], b[1]), t) > SS_TOL_RIDGE && ss_dot(ss_cross(b[0], n), t) > SS_TOL_RIDGE &&
           ss_dot(ss_cross(n, b[1]), t) > SS_TOL_RIDGE;
}

/* ---- contacts ------------------------------------------------------------------------------------------------ */

/* Bodies that carry the edges may touch, and one of them moves freely. */
static bool may_touch(const ss_model *m, const ss_edge *a, const ss_edge *b)
{
    bool may = true, any = false;
    for (int k = 0; k < 4; k++) {
        const int first = a->at[k / 2].body, second = b->at[k % 2].body;
        const bool free[2] = { ss_model_is_dynamic(m, first), ss_model_is_dynamic(m, second) };
        may = may && first != second && (!(free[0] && free[1]) || ss_model_bodies_may_touch(m, first, second));
        any = any || free[0] || free[1];
    }
    return may && any;
}

static ss_contact contact_of(const ss_model *m, int a, int b)
{
    const int shape = m->edge[a].shape, other = m->edge[b].shape;
    const ss_pair_law *law = ss_model_pair_law(m, shape, other);
    return (ss_contact){
        .id = { .kind = SS_CONTACT_CROSSING, .a = a, .b = b },
        .at = { { .body = m->shape_body[shape] }, { .body = m->shape_body[other] } },
        .mu = { law->mu[0], law->mu[1] },
        .e = law->e,
        .grain_body = -1,
    };
}

/* the sign of the normal that looks out of the second edge and into the first; false: neither does */
static bool choose_side(const ss_model *m, const ss_config *c, ss_contact *contact, ss_contact_value *value)
{
    const ss_edge *edge[2] = { &m->edge[contact->id.a], &m->edge[contact->id.b] };
    ss_vec3 b[2][2];
    const bool faced[2] = { face_normals(m, c, edge[0], b[0]), face_normals(m, c, edge[1], b[1]) };
    for (uint32_t side = 0; side < 2; side++) {
        contact->id.feature = side;
        ss_crossing_eval(m, c, contact, value);
        if ((!faced[0] || looks_along(c, edge[0], b[0], ss_scale(-1, value->normal))) &&
            (!faced[1] || looks_along(c, edge[1], b[1], value->normal))) {
            return true;
        }
    }
    return false;
}

static bool is_touched(const ss_model *m, const ss_contact_id *id, const ss_contact_value *value, double reach)
{
    const double depth = fmin(m->edge[id->a].depth, m->edge[id->b].depth);
    return value->gap < reach && (value->gap >= 0 ? value->outside <= reach : value->outside <= 0 && value->gap > -depth);
}

static ss_status try_pair(ss_crossing_finder *f, const ss_config *c, ss_index_pair pair, double reach, ss_contact_set *set)
{
    const ss_model *m = f->model;
    ss_contact_value value;
    if (!may_touch(m, &m->edge[pair.a], &m->edge[pair.b])) {
        return SS_OK;
    }
    ss_contact contact = contact_of(m, pair.a, pair.b);
    if (choose_side(m, c, &contact, &value) && is_touched(m, &contact.id, &value, reach)) {
        SS_PUSH(f->ctx, set->c, set->n, set->cap, contact);
    }
    return SS_OK;
}

ss_status ss_crossings_find(ss_crossing_finder *f, const ss_config *c, double reach, ss_contact_set *set)
{
    const ss_index_pair *pairs;
    int count;
    place_boxes(f, c, reach);
    SS_TRY(ss_broad_phase_pairs(f->broad, f->model->edges, f->box, f->group, &pairs, &count));
    for (int k = 0; k < count; k++) {
        SS_TRY(try_pair(f, c, pairs[k], reach, set));
    }
    return SS_OK;
}
