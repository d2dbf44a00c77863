/* reduce.c - leaves out contacts of a face whose load other contacts of that face can carry.
 *
 * Two flat faces that meet have a contact at every corner of their common area, all with one normal and one law. Their
 * forces are not unique, and four corners (two in 2D) that span the area carry as much. Among the contacts of a pair of
 * shapes whose normals are within a thousandth of a radian of each other, with x the witness points, across the normal,
 *
 *     x0   the deepest; of those within 1e-6 lengths of the deepest, the one farthest from their middle
 *     x1   the farthest from x0
 *     x2   the farthest from the line x0 x1                       (3D)
 *     x3   the one that adds the largest triangle outside x0 x1 x2 (3D)
 *
 * are kept, x2 and x3 only if they are off the others by 1e-6 of |x1 - x0|. What is kept are corners of the convex hull,
 * and they include the deepest, so a gap that is left out is not deeper than what is kept by more than 1e-6 lengths.
 * The gap is linear along a face: one that is left out inside the kept ones cannot get deeper than they are; one outside
 * can, when the body tilts, and then it becomes the deepest itself.
 *
 * Distances of contacts with an impulse in the cache count 1.1 times, so that rounding does not change the choice from step to
 * step; ties fall to the lowest identity. Cost: linear in the contacts; takes no memory. */
#include "base/tolerances.h"
#include "contact/contact.h"

static const double one_normal = 1 - 0.5 * SS_TOL_ONE_FACE; /* cosine between the normals of one face          */
static const double as_deep = SS_TOL_ONE_FACE;              /* gaps that differ by less, in lengths, are equal */
static const double off_the_others = SS_TOL_ONE_FACE;       /* relative to the span of the kept ones           */
static const double favour_of_memory = 1.1;

typedef struct candidate {
    ss_vec3 x, normal; /* x: from the first body                */
    double gap, favour;
    bool sorted, kept; /* belongs to a face already; stays      */
} candidate;

/* contacts of one face, by their numbers among the candidates of the pair */
typedef struct face {
    const candidate *of;
    int n, which[SS_MANIFOLD_MAX];
    ss_vec3 normal;
} face;

static ss_vec3 across(const face *f, ss_vec3 d) { return ss_axpy(-ss_dot(d, f->normal), f->normal, d); }

static ss_vec3 place(const face *f, int k) { return f->of[f->which[k]].x; }

/* twice the area of a triangle, positive if it turns with the normal */
static double turn(const face *f, ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return ss_dot(f->normal, ss_cross(ss_sub(b, a), ss_sub(c, a)));
}

/* ---- the choice, one after the other: indices into the face, -1: none ---------------------- */

static int deepest(const face *f, double length)
{
    double least = INFINITY, best = -1;
    ss_vec3 middle = { 0, 0, 0 };
    int chosen = 0;
    for (int k = 0; k < f->n; k++) {
        least = fmin(least, f->of[f->which[k]].gap);
        middle = ss_axpy(1.0 / f->n, place(f, k), middle);
    }
    for (int k = 0; k < f->n; k++) {
        const candidate *c = &f->of[f->which[k]];
        const double off = c->favour * ss_norm(across(f, ss_sub(c->x, middle)));
        if (c->gap <= least + as_deep * length && off > best) {
            best = off;
            chosen = k;
        }
    }
    return chosen;
}

static int farthest(const face *f, ss_vec3 x0)
{
    double best = 0;
    int chosen = -1;
    for (int k = 0; k < f->n; k++) {
        const double off = f->of[f->which[k]].favour * ss_norm(across(f, ss_sub(place(f, k), x0)));
        if (off > best) {
            best = off;
            chosen = k;
        }
    }
    return chosen;
}

/* the corner that adds the largest triangle to the right of any side of the polygon x0 .. x(sides - 1), which turns with
 * the normal; a polygon of two corners has a side on either side */
static int outermost(const face *f, const ss_vec3 *x, int sides)
{
    double best = 0;
    int chosen = -1;
    for (int k = 0; k < f->n; k++) {
        for (int i = 0; i < sides; i++) {
            const ss_vec3 a = x[i], b = x[(i + 1) % sides];
            const double area = -turn(f, a, b, place(f, k)), span = ss_norm(ss_sub(b, a));
            const double favoured = f->of[f->which[k]].favour * area;
            if (area > off_the_others * span * span && favoured > best) {
                best = favoured;
                chosen = k;
            }
        }
    }
    return chosen;
}

static void exchange(ss_vec3 *a, ss_vec3 *b)
{
    const ss_vec3 kept = *a;
    *a = *b;
    *b = kept;
}

static void keep(const face *f, int k, candidate *all, ss_vec3 *x)
{
    all[f->which[k]].kept = true;
    *x = place(f, k);
}

static void reduce_face(const face *f, int dimension, double length, candidate *all)
{
    ss_vec3 x[4];
    keep(f, deepest(f, length), all, &x[0]);
    const int second = farthest(f, x[0]);
    if (second < 0) {
        return;
    }
    keep(f, second, all, &x[1]);
    const int third = dimension == 3 ? outermost(f, x, 2) : -1;
    if (third < 0) {
        return;
    }
    keep(f, third, all, &x[2]);
    if (turn(f, x[0], x[1], x[2]) < 0) {
        exchange(&x[1], &x[2]);
    }
    const int fourth = outermost(f, x, 3);
    if (fourth >= 0) {
        keep(f, fourth, all, &x[3]);
    }
}

/* ---- the pairs ----------------------------------------------------------------------------- */

/* a contact whose witness is off its features, or without a normal, belongs to no face and is kept */
static candidate look_at(const ss_model *m, const ss_config *c, const ss_contact_cache *cache, const ss_contact *contact)
{
    ss_contact_value value;
    ss_contact_eval_shapes(m, c, contact, &value);
    const bool stays = !(ss_dot(value.normal, value.normal) > 0.5 && value.outside <= 0);
    return (candidate){
        .x = value.point,
        .normal = value.normal,
        .gap = value.gap,
        .favour = cache && ss_contact_cache_normal(cache, &contact->id) > 0 ? favour_of_memory : 1,
        .sorted = stays,
        .kept = stays,
    };
}

/* the face that candidate `first` belongs to; its members are marked */
static face gather(candidate *all, int first, int n)
{
    face f = { .of = all, .normal = all[first].normal };
    for (int k = first; k < n; k++) {
        if (!all[k].sorted && ss_dot(all[k].normal, f.normal) >= one_normal) {
            all[k].sorted = true;
            f.which[f.n++] = k;
        }
    }
    return f;
}

/* keep_it[k]: does contact k of a pair stay? */
static void reduce_pair(const ss_model *m, const ss_config *c, const ss_contact_cache *cache, int n, const ss_contact *contact,
                        bool *keep_it)
{
    candidate all[SS_MANIFOLD_MAX];
    for (int k = 0; k < n; k++) {
        all[k] = look_at(m, c, cache, &contact[k]);
        all[k].x = ss_sub(all[k].x, c->frame[contact[0].at[0].body].p); /* no digits are lost far from the origin */
    }
    for (int k = 0; k < n; k++) {
        if (!all[k].sorted) {
            const face f = gather(all, k, n);
            reduce_face(&f, m->dimension, m->length, all);
        }
        keep_it[k] = all[k].kept;
    }
}

/* how many contacts from `first` on are of one pair of shapes */
static int pair_length(const ss_contact_set *set, int first)
{
    const ss_contact_id *x = &set->c[first].id;
    int n = 1;
    while (n < SS_MANIFOLD_MAX && first + n < set->n && x->kind == SS_CONTACT_SHAPES) {
        const ss_contact_id *y = &set->c[first + n].id;
        if (y->kind != x->kind || y->a != x->a || y->b != x->b) {
            break;
        }
        n++;
    }
    return n;
}

int ss_contacts_reduce(const ss_model *m, const ss_config *c, const ss_contact_cache *cache, ss_contact_set *set)
{
    const int found = set->n;
    int kept = 0;
    for (int first = 0, n = 0; first < found; first += n) {
        bool keep_it[SS_MANIFOLD_MAX] = { true };
        n = pair_length(set, first);
        if (n > 1) {
            reduce_pair(m, c, cache, n, &set->c[first], keep_it);
        }
        for (int k = 0; k < n; k++) {
            if (keep_it[k]) {
                set->c[kept++] = set->c[first + k];
            }
        }
    }
    set->n = kept;
    return found - kept;
}
