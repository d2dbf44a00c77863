/* kept_pairs.c - what a search has found of solids that rest on each other, for the next search nearby.
 *
 * A step searches where it begins and looks again where it has led. Two solids that rest on each other have hardly moved in
 * between, and their narrow phase costs far more than the evaluation of the gaps that it has found. So these are kept, with the
 * places of all bodies. A point of a body b has moved since by no more than
 *
 *     m_b = |p' - p| + r_b |R' - R|        p, R: origin and axes of the body
 *                                          r_b: radius of the ball about p that holds its shapes
 *
 * If m_a + m_b is below SS_TOL_ON_SURFACE of the smaller radius, it cannot be told whether points have come onto features or
 * left them, and the pair has the contacts that are kept. They are gaps between features, so their values are those of the new
 * place. A search of the next step may not ask in this way: a step depends on the state alone.
 *
 * It may ask whether the narrow phase would find the same features. That is so while points have moved to each other by less than
 * the play that it has told (geom.h): what it is answered is what it would find itself, to the bit. All points of both shapes lie
 * within D = |p_a - p_b| + r_a + r_b of either origin, so they move to each other by no more than D / min(r_a, r_b) (m_a + m_b).
 *
 * Cost   a copy of the contacts of resting solids and of the places of bodies; per pair that is asked for a search among them.
 * Pairs with fewer contacts than FEW (balls, corners) are not kept: to find them costs as little as to evaluate them. */
#include "contact/kept_pairs.h"
#include "base/parallel.h"
#include "base/tolerances.h"
#include <math.h>

enum { FEW = 3 };

/* contacts first .. first + count - 1 of the set */
typedef struct kept_pair {
    ss_index_pair shapes;
    int first, count;
    ss_manifold_scope scope;
} kept_pair;

struct ss_kept_pairs {
    ss_context *ctx;
    const ss_model *model;
    ss_frame *place; /* of every body when the contacts were found                  */
    double *radius;  /* of every body; infinite: it has a half space                */
    double *moved;   /* of every body, up to the configuration that was begun with  */
    ss_contact_set set;
    kept_pair *pair; /* in the order of their shapes */
    int pairs, pair_cap;
};

void ss_kept_pairs_destroy(ss_kept_pairs *k)
{
    if (k) {
        void *owned[] = { k->place, k->radius, k->moved, k->pair };
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            ss_free(k->ctx, owned[i]);
        }
        ss_contacts_free(k->ctx, &k->set);
        ss_free(k->ctx, k);
    }
}

static ss_status build(ss_kept_pairs *k)
{
    const ss_model *m = k->model;
    const size_t bodies = (size_t)m->bodies;
    SS_TRY(ss_calloc(k->ctx, bodies, sizeof *k->radius, &k->radius));
    SS_TRY(ss_calloc(k->ctx, bodies, sizeof *k->moved, &k->moved));
    for (int s = 0; s < m->shapes; s++) {
        double *radius = &k->radius[m->shape_body[s]];
        *radius = fmax(*radius, ss_shape_radius(&m->shape[s]));
    }
    return SS_OK;
}

ss_status ss_kept_pairs_create(ss_context *ctx, const ss_model *m, ss_kept_pairs **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    (*out)->model = m;
    const ss_status status = build(*out);
    if (status != SS_OK) {
        ss_kept_pairs_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- keeping ---------------------------------------------------------------------------------- */

/* Does contact k belong to the pair of shapes of another one? */
static bool is_of_pair(const ss_contact_set *found, int first, int k)
{
    const ss_contact_id *x = &found->c[first].id, *y = &found->c[k].id;
    return y->kind == SS_CONTACT_SHAPES && y->a == x->a && y->b == x->b;
}

/* contacts from `first` on that belong to one pair of shapes; 0: those that are left are not of shapes */
static int count_of_pair(const ss_contact_set *found, int first)
{
    int n = 0;
    while (first + n < found->n && is_of_pair(found, first, first + n)) {
        n++;
    }
    return n;
}

/* Do contact k and those behind it, FEW together, belong to one pair of shapes? */
static bool has_many(const void *data, int k)
{
    const ss_contact_set *found = data;
    return k + FEW <= found->n && is_of_pair(found, k, k) && is_of_pair(found, k, k + FEW - 1);
}

static ss_status keep_pair(ss_kept_pairs *k, const ss_contact *contact, int count, const ss_manifold_scope *scope)
{
    const kept_pair pair = { { contact->id.a, contact->id.b }, k->set.n, count, *scope };
    SS_PUSH(k->ctx, k->pair, k->pairs, k->pair_cap, pair);
    SS_TRY(ss_reserve(k->ctx, &k->set.c, &k->set.cap, k->set.n + count, sizeof *k->set.c));
    memcpy(k->set.c + k->set.n, contact, (size_t)count * sizeof *contact);
    k->set.n += count;
    return SS_OK;
}

ss_status ss_kept_pairs_keep(ss_kept_pairs *k, const ss_config *c, const ss_contact_set *found, const ss_searched_pairs *searched)
{
    enum { GRAIN = 1024 };
    const ss_index_pair *pair = searched->pair;
    k->set.n = k->pairs = 0;
    if (!ss_parallel_any(k->ctx, found->n, GRAIN, has_many, found)) {
        return SS_OK;
    }
    for (int first = 0, n = count_of_pair(found, 0); n > 0; n = count_of_pair(found, first)) {
        const ss_contact_id *id = &found->c[first].id;
        while (pair->a != id->a || pair->b != id->b) {
            pair++;
        }
        SS_TRY(n >= FEW ? keep_pair(k, &found->c[first], n, &searched->scope[pair - searched->pair]) : SS_OK);
        first += n;
    }
    if (k->pairs > 0) {
        SS_TRY(k->place ? SS_OK : ss_calloc(k->ctx, (size_t)k->model->bodies, sizeof *k->place, &k->place));
        memcpy(k->place, c->frame, (size_t)k->model->bodies * sizeof *k->place);
    }
    return SS_OK;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static double squared(ss_vec3 x) { return ss_dot(x, x); }

/* the most that a point within `radius` of the origin moves between two places; NaN: more than anything */
static double motion(const ss_frame *from, const ss_frame *to, double radius)
{
    double turn = 0;
    for (int i = 0; i < 3; i++) {
        turn += squared(ss_sub(to->R.c[i], from->R.c[i]));
    }
    return ss_norm(ss_sub(to->p, from->p)) + (turn > 0 ? radius * sqrt(turn) : 0);
}

void ss_kept_pairs_begin(ss_kept_pairs *k, const ss_config *c)
{
    for (int b = 0; k->pairs > 0 && b < k->model->bodies; b++) {
        k->moved[b] = motion(&k->place[b], &c->frame[b], k->radius[b]);
    }
}

static bool comes_before(ss_index_pair x, ss_index_pair y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

static bool is_still(const ss_kept_pairs *k, ss_index_pair pair)
{
    const int a = k->model->shape_body[pair.a], b = k->model->shape_body[pair.b];
    return k->moved[a] + k->moved[b] <= SS_TOL_ON_SURFACE * fmin(k->radius[a], k->radius[b]);
}

/* NULL: it is not kept */
static const kept_pair *find(const ss_kept_pairs *k, ss_index_pair pair)
{
    int lo = 0, hi = k->pairs;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        const bool before = comes_before(k->pair[mid].shapes, pair);
        lo = before ? mid + 1 : lo;
        hi = before ? hi : mid;
    }
    return lo < k->pairs && !comes_before(pair, k->pair[lo].shapes) ? &k->pair[lo] : NULL;
}

int ss_kept_pairs_ask(const ss_kept_pairs *k, ss_index_pair pair, const ss_contact **contact)
{
    const kept_pair *kept = find(k, pair);
    if (!kept || !is_still(k, pair)) {
        return 0;
    }
    *contact = k->set.c + kept->first;
    return kept->count;
}

/* the most that points of these shapes have moved to each other */
static double motion_of_pair(const ss_kept_pairs *k, const ss_config *c, ss_index_pair pair)
{
    const int a = k->model->shape_body[pair.a], b = k->model->shape_body[pair.b];
    const double far = ss_norm(ss_sub(c->frame[a].p, c->frame[b].p)) + k->radius[a] + k->radius[b];
    return far / fmin(k->radius[a], k->radius[b]) * (k->moved[a] + k->moved[b]);
}

int ss_kept_pairs_last(const ss_kept_pairs *k, const ss_config *c, ss_index_pair pair, double margin, const ss_contact **contact,
                       ss_manifold_scope *scope)
{
    const kept_pair *kept = find(k, pair);
    if (!kept || !(kept->scope.play > 0) || !(kept->scope.above < margin && margin < kept->scope.below)) {
        return 0;
    }
    const double moved = motion_of_pair(k, c, pair);
    if (!(moved < kept->scope.play)) {
        return 0;
    }
    *scope = kept->scope;
    scope->play -= moved;
    *contact = k->set.c + kept->first;
    return kept->count;
}

int ss_kept_pairs_number(const ss_kept_pairs *k, const ss_contact *contact) { return (int)(contact - k->set.c); }
