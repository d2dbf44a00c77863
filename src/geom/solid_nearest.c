/* solid_nearest.c - the nearest features of two solids whose cores do not overlap.
 *
 * The distance of two convex polytopes is attained by a corner and a feature of the other one, or in 3D by two edges that
 * cross in their interiors. On a tie a corner wins, and among features the face. All of them are tried for small ones. For
 * larger ones GJK first gives the direction n from B to A of the shortest way; only corners within 1e-6 of the size of the
 * farthest along n, and edges between such corners, can be nearest. The answer is proved: along its own normal the solids
 * are apart by its distance. Otherwise all are tried after all.
 * Cost: features of one times corners of the other, and the product of the edges; with GJK about their sum. */
#include "geom/gjk.h"
#include "geom/pairs.h"

static const double FINER = 1e-3;  /* of the tolerance: distances that differ by less are the same             */
static const double CLEARLY = 1e3; /* tolerances: from this distance on its direction leaves out other features */
static const double LEEWAY = 1e-6; /* of the size, for what that direction leaves out                           */

/* what is looked at, and the best so far */
typedef struct search {
    const ss_two_solids *two;
    ss_vec3 n[2];    /* shape frames: towards the other solid   */
    double least[2]; /* corners whose n . x is below are left out */
    ss_nearest_features best;
} search;

static bool looked_at(const search *s, int which, int corner)
{
    return ss_dot(s->n[which], s->two->s[which].p->corner[corner]) >= s->least[which];
}

static void try_corners(search *s, int owner)
{
    const ss_solid *mine = &s->two->s[owner], *other = &s->two->s[1 - owner];
    for (int v = 0; v < mine->p->corners; v++) {
        if (!looked_at(s, owner, v)) {
            continue;
        }
        const ss_vec3 x = ss_point_to_world(mine->place, mine->p->corner[v]);
        double distance;
        const int feature = ss_polytope_nearest(other->p, ss_point_to_body(other->place, x), s->two->tol, &distance);
        if (distance < s->best.distance) {
            s->best.distance = distance;
            s->best.owner = owner;
            s->best.feature[owner] = v;
            s->best.feature[1 - owner] = feature;
        }
    }
}

static bool edge_looked_at(const search *s, int which, int edge)
{
    const int *end = s->two->s[which].p->edge[edge];
    return looked_at(s, which, end[0]) && looked_at(s, which, end[1]);
}

/* edges e of solid 0 and f of solid 1, if their common perpendicular meets both inside:
 * [1 -c; -c 1] [s; t] = [-D . l_a; D . l_b] in units of the lengths, as in gap.c */
static void try_edges(search *w, int e, int f)
{
    const ss_solid *A = &w->two->s[0], *B = &w->two->s[1];
    const ss_vec3 a = ss_rotate(A->place.R, ss_edge_vector(A->p, e)), b = ss_rotate(B->place.R, ss_edge_vector(B->p, f));
    const ss_vec3 cross = ss_cross(a, b);
    const double aa = ss_dot(a, a), bb = ss_dot(b, b), ab = ss_dot(a, b), square = ss_dot(cross, cross);
    if (!(square > SS_PARALLEL * aa * bb)) {
        return;
    }
    const ss_vec3 xa = ss_point_to_world(A->place, A->p->corner[A->p->edge[e][0]]);
    const ss_vec3 D = ss_sub(xa, ss_point_to_world(B->place, B->p->corner[B->p->edge[f][0]]));
    const double da = ss_dot(D, a), db = ss_dot(D, b), height = ss_dot(cross, D), distance = fabs(height) / sqrt(square);
    const double s = ab * db - bb * da, t = aa * db - ab * da; /* times square: 0 .. 1 on the edges */
    const bool inside = s >= 0 && s <= square && t >= 0 && t <= square;
    if (inside && distance < w->best.distance - FINER * w->two->tol) {
        w->best = (ss_nearest_features){ distance, -1, { e, f }, height >= 0 ? 1 : -1 };
    }
}

static void look(search *s)
{
    s->best = (ss_nearest_features){ .distance = INFINITY };
    try_corners(s, 0);
    try_corners(s, 1);
    for (int e = 0; e < s->two->s[0].p->edges; e++) {
        for (int f = 0; f < s->two->s[1].p->edges && edge_looked_at(s, 0, e); f++) {
            if (edge_looked_at(s, 1, f)) {
                try_edges(s, e, f);
            }
        }
    }
    if (s->best.owner < 0) {
        s->best.feature[0] = ss_feature_edge(s->two->s[0].p, s->best.feature[0]);
        s->best.feature[1] = ss_feature_edge(s->two->s[1].p, s->best.feature[1]);
    }
}

static ss_vec3 support(const void *data, ss_vec3 d, int *name)
{
    const ss_solid *s = data;
    *name = ss_polytope_support(s->p, ss_unrotate(s->place.R, d));
    return ss_point_to_world(s->place, s->p->corner[*name]);
}

/* leave out what GJK's direction excludes; false: it has no direction */
static bool narrow(search *s)
{
    const ss_two_solids *two = s->two;
    const ss_convex a = { support, &two->s[0], two->dimension }, b = { support, &two->s[1], two->dimension };
    const ss_nearest found = ss_gjk_nearest(&a, &b, FINER * two->tol);
    if (!found.converged || !(found.distance > CLEARLY * two->tol)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const ss_polytope *p = two->s[i].p;
        s->n[i] = ss_scale(i == 0 ? -1 : 1, ss_unrotate(two->s[i].place.R, found.normal));
        s->least[i] = ss_dot(s->n[i], p->corner[ss_polytope_support(p, s->n[i])]) - LEEWAY * p->size;
    }
    return true;
}

ss_gap ss_gap_nearest(const ss_two_solids *two, const ss_nearest_features *nearest)
{
    if (nearest->owner >= 0) {
        return ss_gap_corner(two, nearest->owner, nearest->feature[nearest->owner], nearest->feature[1 - nearest->owner]);
    }
    ss_gap gap = ss_gap_edges(two, nearest->feature[0] - two->s[0].p->corners, nearest->feature[1] - two->s[1].p->corners);
    gap.side = nearest->side;
    gap.fallback = ss_v3(0, 1, 0);
    return gap;
}

/* no two points are nearer: n separates the cores by the distance, up to rounding */
static bool proved(const search *s)
{
    const ss_two_solids *two = s->two;
    const ss_gap gap = ss_gap_nearest(two, &s->best);
    ss_gap_value value;
    ss_gap_measure(&gap, &two->s[0].body, &two->s[1].body, &value);
    int name;
    const ss_vec3 a = support(&two->s[0], ss_scale(-1, value.normal), &name), b = support(&two->s[1], value.normal, &name);
    return ss_dot(value.normal, ss_sub(a, b)) >= s->best.distance - 10 * two->tol;
}

ss_nearest_features ss_solids_nearest(const ss_two_solids *two)
{
    enum { SMALL = 16 }; /* products of corners up to which trying all is quicker */
    search s = { .two = two };
    if (two->s[0].p->corners * two->s[1].p->corners > SMALL && narrow(&s)) {
        look(&s);
        if (proved(&s)) {
            return s.best;
        }
    }
    s.least[0] = s.least[1] = -INFINITY;
    look(&s);
    return s.best;
}
