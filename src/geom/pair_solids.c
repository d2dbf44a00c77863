/* pair_solids.c - two rounded polytopes, 2D and 3D: the manifold of smooth gaps between their features.
 *
 * Axes (solid_axes.c). The separating axis with the largest separation s of the cores rules (s < 0: least penetration).
 * Faces win over edges, and of two faces that are equally good the one whose outward normal lies more along a fixed
 * direction wins: a choice that neither rounding nor the numbering of the bodies can turn. Edges must be better than the
 * faces by a twentieth of their |separation| and 1e-6 of the size.
 *
 * Edges rule: one line-line gap. Faces rule, or the edges' normal is within 18 degrees of the ruling face F's, or nothing
 * was found: with F' the face of the other solid that looks at F most directly (the whole of a point or a capsule, which
 * have no faces), corners of F' and the farthest one over F, corners of F over F', then crossings of the rims of F and F' as
 * line-line gaps when they are not near parallel. A gap counts when its features are in contact (gap.c: witness on both up to
 * 1e-9 of the size, normal of two edges among the normals of both), it is below the margin, its normal is within 60 degrees of
 * the axis', and it is not deeper than 1.05 times the overlap: so no gap claims a penetration that the solids do not have. A gap
 * at the place of an earlier one is the same contact and is dropped: aligned boxes have one per corner.
 *
 * Apart, if no gap is as small as the separation, the gap of the nearest features is added: the least gap is the distance.
 * If a rounded solid is nearest with an edge or a corner, edges there that run parallel to one of the other solid touch
 * along their length: their ends are offered too (parallel capsules, a capsule along the edge of a box).
 * Overlapping and nothing found as deep: the edges' gap; at last the deepest corner against the unbounded plane of F. Solids that
 * touch, and have no gap below a margin of 0, are looked at with a larger one first.
 *
 * Solids that rest on each other need no axes of edges, and their manifold is that of all places nearby: solid_settled.c.
 *
 * Symbols   A, B  solids 0 and 1; n  normal of an axis
 * Cost      that of the axes, then corners and sides of two faces, and for solids apart solid_nearest.c. */
#include "geom/gap_search.h"

static const double SAME_STRIP = 4e-6; /* squared: twice a thousandth of the faces' width over the length of two edges     */
static const double BEYOND_END = 1e-6; /* of an edge: feet of a perpendicular so far beyond its end still count           */
static const double NEAR_FACE = 1e-4;  /* of the smaller size: a face so little apart or deep may rule alone               */

/* Its separation is the larger one of both faces, also where these are taken to be equal: of two boxes that touch with a corner
 * over an edge, tilted by less than that, one face says that they overlap, and the other that they do not. */
static ss_solid_axis ruling_face(ss_gap_search *c)
{
    const ss_vec3 fixed = { 0.3141592, 0.7182818, 0.6207310 };
    const ss_two_solids *two = c->two;
    const ss_solid_axis a = ss_solids_face_axis(two, 0), b = ss_solids_face_axis(two, 1);
    const bool tie = fabs(a.separation - b.separation) <= 1e3 * two->tol;
    const bool first = tie ? ss_dot(a.n, fixed) >= ss_dot(b.n, fixed) : a.separation > b.separation;
    ss_solid_axis ruling = first ? a : b;
    ss_search_note(c, a.play);
    ss_search_note(c, b.play);
    ss_search_note(c, fabs(a.separation - b.separation) - 1e3 * two->tol);
    ss_search_note_angle(c, tie ? ss_dot(a.n, fixed) - ss_dot(b.n, fixed) : INFINITY);
    ruling.separation = fmax(a.separation, b.separation);
    return ruling;
}

/* ---- collecting gaps ----------------------------------------------------------------------- */

/* certain: by how much of a distance the place is known, at least */
static bool taken(ss_gap_search *c, ss_vec3 at, double certain)
{
    double least = INFINITY;
    for (int k = c->before; k < c->into.out->n; k++) {
        const ss_vec3 apart = ss_sub(at, c->into.at[k]);
        const double square = ss_dot(apart, apart);
        least = square < least ? square : least;
    }
    ss_search_note(c, certain * (sqrt(least) - 4 * c->two->tol));
    return least <= 16 * c->two->tol * c->two->tol;
}

static ss_gap_value measure(const ss_gap_search *c, const ss_gap *gap)
{
    ss_gap_value value;
    ss_gap_measure(gap, &c->two->s[0].body, &c->two->s[1].body, &value);
    return value;
}

/* Is it in contact, below the margin, not too deep, and does it point the way of the axis? */
static bool counts(ss_gap_search *c, const ss_gap_value *value)
{
    const bool below = value->gap < c->margin;
    const double along = ss_dot(value->normal, c->n);
    ss_search_note(c, value->outside);
    if (!(value->outside <= 0)) {
        return false;
    }
    ss_search_note_height(c, value->gap, below);
    ss_search_note(c, value->gap - c->floor);
    ss_search_note_angle(c, along - 0.5);
    return below && value->gap >= c->floor && along >= 0.5;
}

static void offer(ss_gap_search *c, const ss_gap *gap, const int feature[2])
{
    const ss_gap_value value = measure(c, gap);
    if (counts(c, &value) && !taken(c, value.point, 1)) {
        ss_collect(&c->into, gap, &value, feature);
    }
}

/* a corner of `owner` against a feature of the other solid */
static void offer_corner(ss_gap_search *c, int owner, int corner, int feature)
{
    const ss_gap gap = ss_gap_corner(c->two, owner, corner, feature);
    const int features[2] = { owner == 0 ? corner : feature, owner == 0 ? feature : corner };
    offer(c, &gap, features);
}

/* they may be near parallel: how they stay is not known */
static void offer_edges(ss_gap_search *c, int e, int f)
{
    c->scope.play = 0;
    ss_gap gap = ss_gap_edges(c->two, e, f);
    const ss_vec3 la = ss_rotate(c->two->s[0].body.R, gap.da), lb = ss_rotate(c->two->s[1].body.R, gap.db);
    const int features[2] = { ss_feature_edge(c->two->s[0].p, e), ss_feature_edge(c->two->s[1].p, f) };
    gap.side = ss_dot(ss_cross(la, lb), c->n) >= 0 ? 1 : -1;
    gap.fallback = c->n;
    offer(c, &gap, features);
}

/* ---- the face case ------------------------------------------------------------------------- */

/* What looks at the other solid: a face, or all of a solid without faces. Slots as in ss_polytope. */
typedef struct patch {
    int face; /* -1: none */
    int start, end;
} patch;

static patch face_patch(const ss_polytope *p, int face) { return (patch){ face, p->face_start[face], p->face_start[face + 1] }; }

/* the face of a solid that looks most against n */
static patch facing(ss_gap_search *c, const ss_solid *s, ss_vec3 n)
{
    const ss_vec3 in_shape = ss_unrotate(s->place.R, n);
    int best = -1;
    double least = INFINITY, next = INFINITY;
    for (int f = 0; f < s->p->faces; f++) {
        const double along = ss_dot(in_shape, s->p->normal[f]);
        if (along < least) {
            next = least;
            least = along;
            best = f;
        } else {
            next = along < next ? along : next;
        }
    }
    ss_search_note_angle(c, next - least);
    return best >= 0 ? face_patch(s->p, best) : (patch){ -1, 0, s->p->corners };
}

static int patch_corner(const ss_polytope *p, const patch *a, int slot) { return a->face < 0 ? slot : p->face_corner[slot]; }

/* Can the corner give nothing new? It is not over the face, of this normal in the world, or too far from it, or there is a gap
 * half way to it. */
static bool idle_corner(ss_gap_search *c, int owner, int corner, int face, ss_vec3 normal)
{
    const ss_solid *other = &c->two->s[1 - owner];
    const ss_vec3 x = ss_point_to_world(c->two->s[owner].place, c->two->s[owner].p->corner[corner]);
    const ss_vec3 in_other = ss_point_to_body(other->place, x);
    const double height = ss_dot(other->p->normal[face], in_other) - other->p->offset[face];
    const bool high = height > c->margin + c->two->radius + c->two->tol;
    ss_search_note_height(c, height - c->two->radius, !high);
    if (high) {
        return true;
    }
    const double beyond = ss_face_beyond(other->p, face, in_other), most = 4 * c->two->tol;
    ss_search_note(c, beyond - most);
    return beyond > most || (c->two->radius == 0 && taken(c, ss_axpy(-0.5 * height, normal, x), 1));
}

/* corners of one patch over the other's face */
static void offer_corners(ss_gap_search *c, int owner, const patch at[2])
{
    const ss_solid *mine = &c->two->s[owner], *other = &c->two->s[1 - owner];
    const int face = at[1 - owner].face;
    if (face < 0) {
        return;
    }
    const int feature = ss_feature_face(other->p, face);
    const ss_vec3 normal = ss_rotate(other->place.R, other->p->normal[face]);
    ss_gap gap = ss_gap_corner(c->two, owner, patch_corner(mine->p, &at[owner], at[owner].start), feature);
    for (int k = at[owner].start; k < at[owner].end; k++) {
        const int corner = patch_corner(mine->p, &at[owner], k);
        if (!idle_corner(c, owner, corner, face, normal)) {
            ss_gap_exchange_corner(c->two, owner, corner, &gap);
            offer(c, &gap, (const int[]){ owner == 0 ? corner : feature, owner == 0 ? feature : corner });
        }
    }
}

/* the patch's edge number k; there are as many as slots, those of a solid without faces are all its edges */
static int patch_edge(const ss_polytope *p, const patch *a, int slot) { return a->face < 0 ? slot : p->face_edge[slot]; }
static int patch_edges_end(const ss_polytope *p, const patch *a) { return a->face < 0 ? p->edges : a->end; }

static double patch_width(const ss_polytope *p, const patch *a) { return a->face < 0 ? INFINITY : p->width[a->face]; }

/* an edge: where it starts, the vector along it, world, and the square of its length */
typedef struct side {
    ss_vec3 x, d;
    double square;
} side;

static inline side side_of(const ss_solid *s, int edge)
{
    const ss_vec3 d = ss_rotate(s->place.R, ss_edge_vector(s->p, edge));
    return (side){ ss_point_to_world(s->place, s->p->corner[s->p->edge[edge][0]]), d, ss_dot(d, d) };
}

/* Two patches whose rims may cross. */
typedef struct strips {
    double same;  /* squared sine, times the length of the longer edge, below which two edges bound the same strip: SAME_STRIP w^2
                     with w the lesser of the faces' widths */
    double slack; /* how far beyond an edge's ends, as a fraction of it, the foot of a perpendicular may be */
    double longest; /* no edge is longer */
} strips;

static inline double larger(double a, double b) { return a > b ? a : b; }

static strips strips_of(const ss_gap_search *c, const patch at[2])
{
    const double width = fmin(patch_width(c->two->s[0].p, &at[0]), patch_width(c->two->s[1].p, &at[1]));
    return (strips){ SAME_STRIP * width * width, BEYOND_END + 4 * c->two->tol / width,
                     2 * larger(c->two->s[0].p->size, c->two->s[1].p->size) };
}

/* Can two edges give nothing new? Lines that part by less than a thousandth of the faces' width over their length bound the
 * same strip; or their common perpendicular misses one of them, or there is a gap half way along it. Its feet, as fractions
 * of the edges, are s / square and t / square as in solid_nearest.c. */
static inline bool idle_sides(ss_gap_search *c, const side *e, const side *f, const strips *within)
{
    const ss_vec3 cross = ss_cross(e->d, f->d);
    const double aa = e->square, bb = f->square, square = ss_dot(cross, cross), same = within->same * (aa > bb ? aa : bb);
    ss_search_note_angle(c, (square - same) / (2 * aa * bb)); /* the difference of two sines is no less */
    if (!(square > same)) {
        return true;
    }
    const ss_vec3 D = ss_sub(e->x, f->x);
    const double ab = ss_dot(e->d, f->d), da = ss_dot(D, e->d), db = ss_dot(D, f->d), slack = within->slack * square;
    const double s = ab * db - bb * da, t = aa * db - ab * da;
    const double off = larger(larger(-slack - s, s - square - slack), larger(-slack - t, t - square - slack));
    ss_search_note(c, off / (4 * within->longest * (aa > bb ? aa : bb))); /* as a length, times sin^2 / 4 */
    if (s < -slack || t < -slack || s > square + slack || t > square + slack) {
        return true;
    }
    const ss_vec3 at = ss_scale(0.5, ss_add(ss_axpy(s / square, e->d, e->x), ss_axpy(t / square, f->d, f->x)));
    return c->two->radius == 0 && taken(c, at, square / (4 * aa * bb));
}

enum { SIDES = 16 }; /* first sides of a patch, that are placed once */

static void offer_crossings(ss_gap_search *c, int owner, const patch at[2])
{
    const ss_solid *mine = &c->two->s[owner], *other = &c->two->s[1 - owner];
    const strips within = strips_of(c, at);
    const int first = at[1 - owner].start, end = patch_edges_end(other->p, &at[1 - owner]);
    side known[SIDES];
    for (int j = first; j < end && j < first + SIDES; j++) {
        known[j - first] = side_of(other, patch_edge(other->p, &at[1 - owner], j));
    }
    for (int i = at[owner].start; i < patch_edges_end(mine->p, &at[owner]); i++) {
        const int m = patch_edge(mine->p, &at[owner], i);
        const side e = side_of(mine, m);
        for (int j = first; j < end; j++) {
            const int o = patch_edge(other->p, &at[1 - owner], j);
            side beyond;
            if (j >= first + SIDES) {
                beyond = side_of(other, o);
            }
            if (!idle_sides(c, &e, j < first + SIDES ? &known[j - first] : &beyond, &within)) {
                offer_edges(c, owner == 0 ? m : o, owner == 0 ? o : m);
            }
        }
    }
}

static bool is_in_patch(const ss_polytope *p, const patch *a, int corner)
{
    int k = a->start;
    while (k < a->end && patch_corner(p, a, k) != corner) {
        k++;
    }
    return k < a->end;
}

/* the corner farthest into the ruling face, if it is none of the patch: a hull's facing face may lie beside it */
static void offer_farthest(ss_gap_search *c, const ss_solid_axis *ruling, const patch *other)
{
    const ss_solid *s = &c->two->s[1 - ruling->owner];
    const ss_vec3 into = ss_unrotate(s->place.R, ss_scale(-1, ruling->n));
    const int v = ss_polytope_support(s->p, into);
    double inside = -INFINITY, beside = -INFINITY; /* corners of the patch, and others */
    for (int k = 0; k < s->p->corners; k++) {
        double *most = is_in_patch(s->p, other, k) ? &inside : &beside;
        *most = larger(*most, ss_dot(into, s->p->corner[k]));
    }
    ss_search_note(c, inside - beside);
    if (is_in_patch(s->p, other, v)) {
        return;
    }
    c->scope.play = 0;
    offer_corner(c, 1 - ruling->owner, v, ss_feature_face(c->two->s[ruling->owner].p, ruling->face));
}

static void collect_faces(ss_gap_search *c, const ss_solid_axis *ruling)
{
    const int owner = ruling->owner, other = 1 - owner;
    patch at[2];
    c->n = owner == 1 ? ruling->n : ss_scale(-1, ruling->n);
    at[owner] = face_patch(c->two->s[owner].p, ruling->face);
    at[other] = facing(c, &c->two->s[other], ruling->n);
    offer_corners(c, other, at);
    offer_farthest(c, ruling, &at[other]);
    offer_corners(c, owner, at);
    if (c->two->dimension == 3) {
        offer_crossings(c, owner, at);
    }
}

/* ---- the others ---------------------------------------------------------------------------- */

static void collect_edges(ss_gap_search *c, const ss_solid_axis *edges)
{
    c->n = ss_scale(-1, edges->n);
    offer_edges(c, edges->edge[0], edges->edge[1]);
}

/* is the edge the feature itself, or does it end at the corner that is? */
static bool edge_at(const ss_polytope *p, int edge, int feature)
{
    return feature == ss_feature_edge(p, edge) || feature == p->edge[edge][0] || feature == p->edge[edge][1];
}

static void offer_ends(ss_gap_search *c, int owner, int mine, int other)
{
    const int *end = c->two->s[owner].p->edge[mine], feature = ss_feature_edge(c->two->s[1 - owner].p, other);
    offer_corner(c, owner, end[0], feature);
    offer_corner(c, owner, end[1], feature);
}

/* edges at the nearest features that are parallel within 0.1 rad touch along their length */
static void collect_parallel(ss_gap_search *c, const int feature[2])
{
    const ss_solid *A = &c->two->s[0], *B = &c->two->s[1];
    for (int e = 0; e < A->p->edges; e++) {
        const ss_vec3 a = ss_unit(ss_rotate(A->place.R, ss_edge_vector(A->p, e)));
        for (int f = 0; f < B->p->edges && edge_at(A->p, e, feature[0]); f++) {
            const ss_vec3 b = ss_unit(ss_rotate(B->place.R, ss_edge_vector(B->p, f)));
            if (edge_at(B->p, f, feature[1]) && ss_norm(ss_cross(a, b)) < 0.1) {
                offer_ends(c, 0, e, f);
                offer_ends(c, 1, f, e);
            }
        }
    }
}

static void collect_nearest(ss_gap_search *c)
{
    const ss_nearest_features nearest = ss_solids_nearest(c->two);
    const ss_gap gap = ss_gap_nearest(c->two, &nearest);
    const ss_gap_value value = measure(c, &gap);
    if (ss_search_found(c) == 0 || (value.gap < c->margin && !taken(c, value.point, 1))) {
        ss_collect(&c->into, &gap, &value, nearest.feature);
    }
    if (c->two->radius > 0 && c->two->dimension == 3 && gap.kind != SS_GAP_POINT_PLANE) {
        c->n = value.normal;
        collect_parallel(c, nearest.feature);
    }
}

static void collect_deepest(ss_gap_search *c, const ss_solid_axis *ruling)
{
    const ss_solid *mine = &c->two->s[1 - ruling->owner];
    const int owner = 1 - ruling->owner, v = ss_polytope_support(mine->p, ss_unrotate(mine->place.R, ss_scale(-1, ruling->n)));
    const int face = ss_feature_face(c->two->s[ruling->owner].p, ruling->face);
    ss_gap gap = ss_gap_corner(c->two, owner, v, face);
    gap.eb[0] = gap.eb[1] = INFINITY;
    gap.from.face = 0;
    const int feature[2] = { owner == 0 ? v : face, owner == 1 ? v : face };
    const ss_gap_value value = measure(c, &gap);
    ss_collect(&c->into, &gap, &value, feature);
}

/* ---- the pair ------------------------------------------------------------------------------ */

/* faces that look at each other, tilted a little: the solids also lean on the other corners of their common area */
static bool is_flat(const ss_solid_axis *face, const ss_solid_axis *edges)
{
    const double along = ss_dot(face->n, edges->n); /* both from A to B when A owns the face */
    return (face->owner == 0 ? along : -along) > 0.95;
}

static void collect_along_axes(ss_gap_search *c)
{
    const ss_two_solids *two = c->two;
    const ss_solid_axis face = ruling_face(c);
    const double near = NEAR_FACE * fmin(two->s[0].p->size, two->s[1].p->size);
    c->floor = 1.05 * fmin(face.separation, 0) - two->radius - 2 * two->tol;
    ss_search_note(c, fabs(face.separation) - near);
    if (two->dimension == 3 && fabs(face.separation) < near) {
        collect_faces(c, &face);
        if (ss_search_is_settled(c, face.separation)) {
            ss_search_set_scope(c);
            return;
        }
        c->into.out->n = c->before;
    }
    c->scope.play = 0;
    const ss_solid_axis edges = ss_solids_edge_axis(two);
    const double separation = fmax(face.separation, edges.separation);
    const bool edges_rule = edges.separation > face.separation + 0.05 * fabs(edges.separation) + 1e3 * two->tol;
    c->floor = 1.05 * fmin(separation, 0) - two->radius - 2 * two->tol;

    if (edges_rule) {
        collect_edges(c, &edges);
    }
    if (ss_search_found(c) == 0 || is_flat(&face, &edges)) {
        collect_faces(c, &face);
    }
    if (!edges_rule && ss_search_is_wanting(c, separation) && isfinite(edges.separation)) {
        collect_edges(c, &edges);
    }
    if (separation > (ss_search_found(c) > 0 ? two->tol : 0) && ss_search_is_wanting(c, separation)) {
        collect_nearest(c);
    }
    if (ss_search_found(c) == 0) { /* they are not nearer than the margin, or by rounding */
        c->margin = fmax(c->margin, separation - two->radius + 4 * two->tol);
        collect_faces(c, &face);
    }
    if (ss_search_found(c) == 0 || (separation <= 0 && ss_search_is_wanting(c, separation))) {
        collect_deepest(c, &face);
    }
}

/* the scope is that of the gaps of this pair alone */
static ss_manifold_scope find(const ss_solid *a, const ss_solid *b, double margin, ss_manifold *out)
{
    const ss_two_solids two = ss_solids_place(a, b);
    ss_gap_search c = { .two = &two, .margin = margin, .into = { .out = out }, .before = out->n };
    c.scope = (ss_manifold_scope){ .play = INFINITY, .above = -INFINITY, .below = INFINITY };
    if (two.s[0].p->faces + two.s[1].p->faces > 0) {
        collect_along_axes(&c);
    } else {
        c.floor = -two.radius - 2 * two.tol;
        collect_nearest(&c);
        c.scope.play = 0;
    }
    return c.scope;
}

void ss_pair_solids(const ss_solid *a, const ss_solid *b, double margin, ss_manifold *out) { (void)find(a, b, margin, out); }

void ss_pair_polytopes(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin,
                       ss_manifold *out)
{
    const ss_solid sa = ss_solid_of(a, fa), sb = ss_solid_of(b, fb);
    out->scope = find(&sa, &sb, margin, out);
}
