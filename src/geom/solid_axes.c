/* solid_axes.c - two solids placed together, their separating axes, and how far apart they are.
 *
 * Along a unit vector m from A to B the cores are apart by
 *
 *     s(m) = min over B of m . x  -  max over A of m . x
 *
 * and the largest s over the normals of the faces and, in 3D, the products of edges is their separation: positive if and
 * only if they are apart, and then at most the distance; otherwise minus the depth, the shortest way out [separating axis
 * theorem]. Two edges make an axis only where they make a face of the Minkowski difference: the arcs of their normals, one
 * of them mirrored, cross on the unit sphere [Gre13]. With d an edge from its first corner, n_0 and n_1 its faces' normals
 * (d along n_0 x n_1), the arcs cross when
 *
 *     (n_0B . d_A)(n_1B . d_A) < 0,   (n_0A . d_B)(n_1A . d_B) < 0,   (n_0B . d_A)(n_1A . d_B) < 0;
 *
 * an edge without faces (capsule) has a whole circle of normals, and its condition falls away. Then s is the distance of
 * the two lines, no support is needed. Products within 1e-6 of parallel are left out: there the faces decide, up to 1e-6
 * of the size.
 *
 * Reference   [Gre13]  D. Gregorius, The separating axis test between convex polyhedra, GDC 2013
 * Cost        faces times corners of the other one, both ways; four products per pair of edges. */
#include "base/tolerances.h"
#include "geom/pairs.h"

static double rounding_length(const ss_solid *s) { return SS_TOL_SHAPE * (s->p->size + s->radius); }

double ss_solids_rounding(const ss_solid *a, const ss_solid *b)
{
    const double ta = rounding_length(a), tb = rounding_length(b),
                 far = ss_norm(a->body.p) + ss_norm(b->body.p) + a->p->size + b->p->size;
    return (ta > 0 && tb > 0 ? fmin(ta, tb) : fmax(ta, tb)) + SS_TOL_PLACE * far;
}

ss_two_solids ss_solids_place(const ss_solid *a, const ss_solid *b)
{
    ss_two_solids two = { .s = { *a, *b }, .dimension = a->shape->dimension, .radius = a->radius + b->radius };
    two.s[0].body.p = ss_v3(0, 0, 0);
    two.s[1].body.p = ss_sub(b->body.p, a->body.p);
    for (int i = 0; i < 2; i++) {
        two.s[i].place = ss_frame_compose(two.s[i].body, two.s[i].shape->local);
    }
    two.tol = ss_solids_rounding(a, b);
    return two;
}

/* ---- faces --------------------------------------------------------------------------------- */

/* the other solid's frame as seen from the owner's */
static ss_frame seen_from(const ss_two_solids *two, int owner)
{
    const ss_frame *mine = &two->s[owner].place, *other = &two->s[1 - owner].place;
    ss_frame f = { ss_point_to_body(*mine, other->p), ss_mat3_identity() };
    for (int i = 0; i < 3; i++) {
        f.R.c[i] = ss_unrotate(mine->R, other->R.c[i]);
    }
    return f;
}

/* extent of p along n */
static void range(const ss_polytope *p, ss_vec3 n, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int k = 0; k < p->corners; k++) {
        const double along = ss_dot(n, p->corner[k]);
        *lo = along < *lo ? along : *lo;
        *hi = along > *hi ? along : *hi;
    }
}

static inline double larger(double a, double b) { return a > b ? a : b; }

ss_solid_axis ss_solids_face_axis(const ss_two_solids *two, int owner)
{
    const ss_polytope *mine = two->s[owner].p, *other = two->s[1 - owner].p;
    const ss_frame f = seen_from(two, owner);
    ss_solid_axis best = { .separation = -INFINITY, .owner = owner };
    double before = -INFINITY, since = -INFINITY; /* the largest of those before the best one, and behind it */
    for (int k = 0; k < mine->axes; k++) {
        const ss_vec3 n = mine->normal[mine->axis[k][0]];
        const double base = ss_dot(n, f.p);
        double lo, hi;
        range(other, ss_unrotate(f.R, n), &lo, &hi);
        for (int i = 0; i < 2 && mine->axis[k][i] >= 0; i++) {
            const int face = mine->axis[k][i];
            const double s = (i == 0 ? base + lo : -base - hi) - mine->offset[face];
            if (s > best.separation + two->tol) {
                before = larger(before, larger(since, best.separation));
                since = -INFINITY;
                best.separation = s;
                best.face = face;
            } else {
                since = larger(since, s);
            }
        }
    }
    best.play = fmax(0, fmin(best.separation - before - two->tol, best.separation + two->tol - since));
    if (mine->faces > 0) {
        best.n = ss_rotate(two->s[owner].place.R, mine->normal[best.face]);
    }
    return best;
}

/* ---- edges --------------------------------------------------------------------------------- */

enum { TABLE = 64 };

/* an edge of A in the frame of B */
typedef struct moved_edge {
    bool bare; /* without faces */
    ss_vec3 x, d, n0, n1;
    double along[TABLE]; /* normals of B's first faces along d: each is asked for by many edges */
} moved_edge;

static void move_edge(const ss_polytope *p, int edge, const ss_frame *f, const ss_polytope *B, moved_edge *e)
{
    e->bare = p->faces == 0;
    e->x = ss_point_to_world(*f, p->corner[p->edge[edge][0]]);
    e->d = ss_rotate(f->R, ss_edge_vector(p, edge));
    if (!e->bare) {
        e->n0 = ss_rotate(f->R, p->normal[p->edge_face[edge][0]]);
        e->n1 = ss_rotate(f->R, p->normal[p->edge_face[edge][1]]);
    }
    for (int k = 0; k < B->faces && k < TABLE; k++) {
        e->along[k] = ss_dot(B->normal[k], e->d);
    }
}

static double along(const moved_edge *e, const ss_polytope *B, int face)
{
    return face < TABLE ? e->along[face] : ss_dot(B->normal[face], e->d);
}

/* do the arcs of normals of e and of edge f of B cross? */
static bool arcs_cross(const moved_edge *e, const ss_polytope *B, int f)
{
    double u0 = 1, v1 = -1;
    if (B->faces > 0) {
        u0 = along(e, B, B->edge_face[f][0]);
        if (!(u0 * along(e, B, B->edge_face[f][1]) < 0)) {
            return false;
        }
    }
    if (!e->bare) {
        const ss_vec3 d = ss_edge_vector(B, f);
        v1 = ss_dot(e->n1, d);
        if (!(v1 * ss_dot(e->n0, d) < 0)) {
            return false;
        }
    }
    return e->bare || B->faces == 0 || u0 * v1 < 0;
}

/* out of A, into B: n is along d_A x d_B; y lies on edge f of B */
static bool looks_at(const moved_edge *e, const ss_polytope *B, int f, ss_vec3 n, ss_vec3 y)
{
    if (!e->bare) {
        return ss_dot(n, ss_add(e->n0, e->n1)) > 0;
    }
    if (B->faces > 0) {
        return ss_dot(n, ss_add(B->normal[B->edge_face[f][0]], B->normal[B->edge_face[f][1]])) < 0;
    }
    return ss_dot(n, ss_sub(y, e->x)) >= 0;
}

/* is this axis better? */
static bool try_edge(const moved_edge *e, const ss_polytope *B, int f, double *best, ss_vec3 *normal)
{
    const ss_vec3 y = B->corner[B->edge[f][0]], d = ss_edge_vector(B, f);
    ss_vec3 n = ss_cross(e->d, d);
    const double square = ss_dot(n, n);
    if (!(square > SS_PARALLEL * ss_dot(e->d, e->d) * ss_dot(d, d))) {
        return false;
    }
    n = ss_scale((looks_at(e, B, f, n, y) ? 1 : -1) / sqrt(square), n);
    const double s = ss_dot(n, ss_sub(y, e->x));
    if (!(s > *best)) {
        return false;
    }
    *best = s;
    *normal = n;
    return true;
}

ss_solid_axis ss_solids_edge_axis(const ss_two_solids *two)
{
    const ss_polytope *A = two->s[0].p, *B = two->s[1].p;
    const ss_frame f = seen_from(two, 1);
    ss_solid_axis best = { .separation = -INFINITY };
    moved_edge e;
    for (int i = 0; i < A->edges && B->edges > 0; i++) {
        move_edge(A, i, &f, B, &e);
        for (int j = 0; j < B->edges; j++) {
            if (arcs_cross(&e, B, j) && try_edge(&e, B, j, &best.separation, &best.n)) {
                best.edge[0] = i;
                best.edge[1] = j;
            }
        }
    }
    best.n = ss_rotate(two->s[1].place.R, best.n);
    return best;
}

/* ---- how far apart -------------------------------------------------------------------------- */

double ss_two_separation(const ss_two_solids *two)
{
    const double faces = fmax(ss_solids_face_axis(two, 0).separation, ss_solids_face_axis(two, 1).separation);
    const double cores = fmax(faces, ss_solids_edge_axis(two).separation);
    const bool bare = two->s[0].p->faces + two->s[1].p->faces == 0;
    if (bare || (two->radius > 0 && cores > 0)) {
        return ss_solids_nearest(two).distance - two->radius;
    }
    return cores - two->radius;
}

double ss_solids_separation(const ss_solid *a, const ss_solid *b)
{
    const ss_two_solids two = ss_solids_place(a, b);
    return ss_two_separation(&two);
}
