/* epa.c - depth of the overlap of two convex bodies: a polytope that grows inside their difference.
 *
 * With M = A - B and h(n) its support function, the depth is the least h(n) over all unit n. A polytope inside M has
 * faces n_k . x = o_k with o_k <= h(n_k); the face of least offset o_k is pushed out to the support of M along n_k until
 * that is no farther than the tolerance: then
 *
 *     o_k  <=  depth  <=  h(n_k)  <=  o_k + tol .
 *
 * Once the origin is inside, the least offset can only grow. Faces that have become so narrow that rounding turns them break this
 * rule, and end the iteration with the best bounds so far.
 *
 * Offsets carry their sign, so the polytope need not hold the origin at the start: a face the origin is beyond is pushed
 * first. Faces without area keep the surface closed and are never chosen. An M thinner than the tolerance in some direction
 * (two needles, two plates) has no inside: that direction is the normal and the depth is at most its thickness.
 * In 2D the polytope is a polygon and a face one of its edges.
 *
 * Converges   for polytopes in finitely many steps; on curved parts the error falls with the square of the faces' size
 * Cost        faces squared at worst, at most MAX_POINTS supports; memory on the stack. */
#include "geom/gjk.h"

enum { MAX_POINTS = 260, MAX_FACES = 2 * MAX_POINTS };
static const double NO_AREA = 1e-13; /* sine between two edges of a face that has no normal               */
static const double FINER = 1e-3;    /* of the tolerance: a point so far above a face is not in its plane */

typedef struct face {
    int p[3];  /* anticlockwise seen from outside; 2D: two */
    ss_vec3 n; /* unit, outwards                           */
    double offset;
} face;

typedef struct edge {
    int p[2];
} edge;

typedef struct expansion {
    const ss_convex *a, *b;
    double tol;
    int dimension, points, faces, edges;
    ss_difference p[MAX_POINTS];
    face f[MAX_FACES];
    edge e[MAX_FACES]; /* rim of the hole that a new point leaves */
} expansion;

static ss_vec3 at(const expansion *x, int point) { return x->p[point].w; }

/* ---- the start ----------------------------------------------------------------------------- */

static ss_vec3 across(ss_vec3 n)
{
    const ss_vec3 axis = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? ss_v3(1, 0, 0)
                         : fabs(n.y) <= fabs(n.z)                         ? ss_v3(0, 1, 0)
                                                                          : ss_v3(0, 0, 1);
    return ss_unit(ss_cross(n, axis));
}

/* the farther of the supports along d and -d, measured from the first point along d */
static double reach(const expansion *x, ss_vec3 d, ss_difference *far)
{
    const ss_difference up = ss_difference_support(x->a, x->b, d), down = ss_difference_support(x->a, x->b, ss_scale(-1, d));
    const double high = ss_dot(d, ss_sub(up.w, at(x, 0))), low = -ss_dot(d, ss_sub(down.w, at(x, 0)));
    *far = high >= low ? up : down;
    return fmax(high, low);
}

/* the direction, of `count`, along which M reaches farthest from the first point: that point becomes the next one */
static double widest(expansion *x, int count, const ss_vec3 d[], ss_vec3 *direction)
{
    double best = -1;
    for (int k = 0; k < count; k++) {
        ss_difference far;
        const double r = reach(x, d[k], &far);
        if (r > best) {
            best = r;
            *direction = d[k];
            x->p[x->points] = far;
        }
    }
    return best;
}

/* a segment, a triangle, in 3D a tetrahedron of M; false: M is flat and `normal` is across it */
static bool start(expansion *x, ss_vec3 *normal)
{
    const ss_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    ss_vec3 d;
    x->p[0] = ss_difference_support(x->a, x->b, axes[0]);
    x->points = 1;
    *normal = axes[1];
    if (!(widest(x, x->dimension, axes, &d) > x->tol)) {
        return false;
    }
    x->points = 2;
    const ss_vec3 l = ss_unit(ss_sub(at(x, 1), at(x, 0)));
    const ss_vec3 u = x->dimension == 2 ? ss_v3(-l.y, l.x, 0) : across(l), flat[2] = { u, ss_cross(l, u) };
    if (!(widest(x, x->dimension - 1, flat, normal) > x->tol)) {
        return false;
    }
    x->points = 3;
    if (x->dimension == 3) {
        *normal = ss_unit(ss_cross(ss_sub(at(x, 1), at(x, 0)), ss_sub(at(x, 2), at(x, 0))));
        if (!(widest(x, 1, normal, &d) > x->tol)) {
            return false;
        }
        x->points = 4;
    }
    return true;
}

/* ---- faces --------------------------------------------------------------------------------- */

/* the normal of a face from its corners; a face without area is never the nearest */
static void set_plane(const expansion *x, face *f)
{
    const ss_vec3 a = at(x, f->p[0]), ab = ss_sub(at(x, f->p[1]), a);
    const ss_vec3 ac = x->dimension == 2 ? ss_v3(0, 0, -1) : ss_sub(at(x, f->p[2]), a);
    const ss_vec3 n = x->dimension == 2 ? ss_v3(ab.y, -ab.x, 0) : ss_cross(ab, ac);
    const double size = ss_norm(n);
    const bool flat = !(size > NO_AREA * ss_norm(ab) * ss_norm(ac));
    f->n = flat ? ss_v3(0, 0, 0) : ss_scale(1 / size, n);
    f->offset = flat ? INFINITY : ss_dot(f->n, a);
}

static void add_face(expansion *x, int i, int j, int k)
{
    face *f = &x->f[x->faces++];
    *f = (face){ .p = { i, j, k } };
    set_plane(x, f);
}

static void first_faces(expansion *x)
{
    const ss_vec3 ab = ss_sub(at(x, 1), at(x, 0)), ac = ss_sub(at(x, 2), at(x, 0));
    if (x->dimension == 2) {
        const int turn = ab.x * ac.y - ab.y * ac.x > 0 ? 1 : 2; /* 0, turn, 2 turn (mod 3) run anticlockwise */
        for (int k = 0; k < 3; k++) {
            add_face(x, k * turn % 3, (k + 1) * turn % 3, 0);
        }
        return;
    }
    const bool right = ss_dot(ss_cross(ab, ac), ss_sub(at(x, 3), at(x, 0))) < 0; /* 3 is behind 0, 1, 2 */
    const int i = right ? 1 : 2, j = right ? 2 : 1;
    add_face(x, 0, i, j);
    add_face(x, 0, 3, i);
    add_face(x, i, 3, j);
    add_face(x, j, 3, 0);
}

static int nearest(const expansion *x)
{
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < x->faces; k++) {
        if (x->f[k].offset < least) {
            least = x->f[k].offset;
            best = k;
        }
    }
    return best;
}

/* an edge of a face that goes: met a second time, from the other side, it is inside the hole */
static void note_edge(expansion *x, int i, int j)
{
    for (int k = 0; k < x->edges; k++) {
        if (x->e[k].p[0] == j && x->e[k].p[1] == i) {
            x->e[k] = x->e[--x->edges];
            return;
        }
    }
    if (x->edges < MAX_FACES) {
        x->e[x->edges++] = (edge){ { i, j } };
    }
}

/* the faces that see point p go, face `chosen` among them */
static void open_hole(expansion *x, int p, int chosen)
{
    int kept = 0;
    x->edges = 0;
    for (int k = 0; k < x->faces; k++) {
        const face f = x->f[k];
        const bool seen = k == chosen || ss_dot(f.n, at(x, p)) > f.offset + FINER * x->tol;
        for (int c = 0; seen && c < 3; c++) {
            note_edge(x, f.p[c], f.p[(c + 1) % 3]);
        }
        if (!seen) {
            x->f[kept++] = f;
        }
    }
    x->faces = kept;
}

/* false: no room */
static bool add_point(expansion *x, ss_difference w, int chosen)
{
    const int p = x->points++;
    x->p[p] = w;
    if (x->dimension == 2) {
        const face old = x->f[chosen];
        x->f[chosen] = x->f[--x->faces];
        add_face(x, old.p[0], p, 0);
        add_face(x, p, old.p[1], 0);
        return true;
    }
    open_hole(x, p, chosen);
    for (int k = 0; k < x->edges; k++) {
        if (x->faces == MAX_FACES) {
            return false;
        }
        add_face(x, x->e[k].p[0], x->e[k].p[1], p);
    }
    return true;
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* Barycentric coordinates of the origin in a face; returns the least of them, negative if it projects outside. */
static double coordinates(const expansion *x, const face *f, double t[])
{
    const ss_vec3 *w[3];
    for (int k = 0; k < x->dimension; k++) {
        w[k] = &x->p[f->p[k]].w;
    }
    if (!isfinite(f->offset) || !ss_simplex_coordinates(x->dimension, w, t)) {
        return -INFINITY;
    }
    return fmin(t[0], fmin(t[1], t[x->dimension - 1]));
}

/* A flat side of M may be several faces of the polytope, and the face that was best may have been split since: of those
 * not farther than `high` the one the origin projects into. */
static face holding_face(const expansion *x, const face *f, double high)
{
    double t[3];
    face best = *f;
    double most = coordinates(x, f, t);
    for (int k = 0; k < x->faces && most < 0; k++) {
        if (x->f[k].offset <= high + x->tol && ss_dot(x->f[k].n, f->n) > 0.99) {
            const double least = coordinates(x, &x->f[k], t);
            best = least > most ? x->f[k] : best;
            most = fmax(most, least);
        }
    }
    return best;
}

/* coordinates back into the face: what is outside by rounding goes to the border */
static void clamp(int count, double t[])
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        t[k] = fmax(t[k], 0);
        sum += t[k];
    }
    for (int k = 0; k < count; k++) {
        t[k] /= sum;
    }
}

/* n is the outward normal of a - b: to part the bodies, a moves along -n */
static ss_nearest answer(const expansion *x, const face *near, double high, bool converged)
{
    const face f = holding_face(x, near, high);
    ss_nearest out = { .distance = -high, .normal = ss_scale(-1, f.n), .points = x->dimension, .converged = converged };
    double t[3] = { 1, 0, 0 };
    coordinates(x, &f, t);
    clamp(x->dimension, t);
    for (int k = 0; k < x->dimension; k++) {
        const ss_difference *p = &x->p[f.p[k]];
        out.a = ss_axpy(t[k], p->a, out.a);
        out.b = ss_axpy(t[k], p->b, out.b);
        out.name_a[k] = p->name_a;
        out.name_b[k] = p->name_b;
    }
    return out;
}

/* M has no inside: out of it along whichever side of `normal` is nearer */
static ss_nearest flat_answer(const expansion *x, ss_vec3 normal, const ss_nearest *touching)
{
    const ss_difference up = ss_difference_support(x->a, x->b, normal);
    const ss_difference down = ss_difference_support(x->a, x->b, ss_scale(-1, normal));
    const double high = ss_dot(normal, up.w), low = -ss_dot(normal, down.w);
    ss_nearest out = *touching;
    out.distance = -fmin(high, low);
    out.normal = high <= low ? ss_scale(-1, normal) : normal;
    return out;
}

ss_nearest ss_epa_nearest(const ss_convex *a, const ss_convex *b, double tol, const ss_nearest *touching)
{
    expansion x = { .a = a, .b = b, .tol = tol, .dimension = a->dimension };
    face best = { .p = { 0 } };
    double low = -INFINITY, high = INFINITY; /* bounds of the depth; best has h(n) = high */
    ss_vec3 normal;
    if (!start(&x, &normal)) {
        return flat_answer(&x, normal, touching);
    }
    first_faces(&x);
    for (bool room = true; room;) {
        const int k = nearest(&x);
        if (k < 0 || (low > 0 && x.f[k].offset < low - tol)) { /* rounding has made a fold: what is known stays */
            break;
        }
        const ss_difference w = ss_difference_support(a, b, x.f[k].n);
        low = fmax(low, x.f[k].offset);
        if (ss_dot(x.f[k].n, w.w) < high) {
            high = ss_dot(x.f[k].n, w.w);
            best = x.f[k];
        }
        room = high - low > tol && x.points < MAX_POINTS && add_point(&x, w, k);
    }
    return isfinite(high) ? answer(&x, &best, high, high - low <= tol) : flat_answer(&x, normal, touching);
}
