/* gjk.c - distance of two convex bodies: the iteration of Gilbert, Johnson and Keerthi.
 *
 * The distance of A and B is that of M = A - B from the origin. A simplex of at most four points of M is kept; with v
 * its point nearest to the origin, the support w of M along -v gives
 *
 *     v . w / |v|  <=  distance  <=  |v|
 *
 * so the iteration ends when the two differ by less than the tolerance, and w joins the simplex otherwise.
 *
 * Nearest point of a simplex.  Every face of it (at most 15) whose affine hull is nearest to the origin at a point inside
 * the face is a candidate, and the candidate of least norm wins. The norm compared is that of sum t_k w_k, which belongs
 * to M whatever rounding did to t: a needle-shaped simplex can slow progress, but v stays in M. Progress is
 * demanded at every step, so the iteration ends.
 *
 * Overlap (v = 0 up to the tolerance, or four points round the origin) is handed to epa.c, and so are curved bodies that
 * nearly touch when rounding allows no more progress: the normal of a face of a - b is better than that of a short v.
 * Reference   [GJK88]   E. Gilbert, D. Johnson, S. Keerthi, IEEE J. Robotics and Automation 4 (1988) 193-203
 * Converges   for polytopes in finitely many steps; linearly on curved parts
 * Cost        one support of each body and 15 small systems per step. */
#include "geom/gjk.h"
#include "base/tolerances.h"

enum { SIMPLEX = 4, MAX_STEPS = 200 };
static const double NO_AREA = 1e-26; /* squared sine of a triangle that is left to its edges                            */
static const double NEEDLE = 1e-10;  /* squared sine of one whose normal has lost its digits                             */
static const double LAST_DIGITS = 1e-15, STUCK = 1e-12; /* of the size: round-off, and where an iteration may get stuck */

typedef struct simplex {
    int n;
    ss_difference p[SIMPLEX];
    double t[SIMPLEX]; /* coordinates of the nearest point */
    ss_vec3 v;         /* the nearest point                */
} simplex;

ss_difference ss_difference_support(const ss_convex *a, const ss_convex *b, ss_vec3 d)
{
    ss_difference s;
    s.a = a->support(a->data, d, &s.name_a);
    s.b = b->support(b->data, ss_scale(-1, d), &s.name_b);
    s.w = ss_sub(s.a, s.b);
    return s;
}

/* ---- nearest point of a simplex ------------------------------------------------------------ */

/* Signed areas against the normal of the triangle; a flat one is left to its edges. */
static bool triangle_coordinates(ss_vec3 a, ss_vec3 b, ss_vec3 c, double t[])
{
    const ss_vec3 ab = ss_sub(b, a), ac = ss_sub(c, a), n = ss_cross(ab, ac);
    const double area2 = ss_dot(n, n);
    if (!(area2 > NO_AREA * ss_dot(ab, ab) * ss_dot(ac, ac))) {
        return false;
    }
    t[1] = ss_dot(n, ss_cross(c, a)) / area2;
    t[2] = ss_dot(n, ss_cross(a, b)) / area2;
    t[0] = 1 - t[1] - t[2];
    return true;
}

bool ss_simplex_coordinates(int count, const ss_vec3 *const w[], double t[])
{
    if (count == 1) {
        t[0] = 1;
        return true;
    }
    if (count == 2) {
        const ss_vec3 d = ss_sub(*w[1], *w[0]);
        const double length2 = ss_dot(d, d);
        t[1] = length2 > 0 ? -ss_dot(*w[0], d) / length2 : 0;
        t[0] = 1 - t[1];
        return length2 > 0;
    }
    return triangle_coordinates(*w[0], *w[1], *w[2], t);
}

/* is the origin inside the tetrahedron: on the inner side of every face, and not by rounding only */
static bool holds_origin(const simplex *s, double size)
{
    for (int k = 0; k < SIMPLEX; k++) {
        const ss_vec3 a = s->p[(k + 1) % 4].w, b = s->p[(k + 2) % 4].w, c = s->p[(k + 3) % 4].w;
        const ss_vec3 n = ss_cross(ss_sub(b, a), ss_sub(c, a));
        const double apex = ss_dot(n, ss_sub(s->p[k].w, a)), origin = -ss_dot(n, a);
        const double noise = SS_TOL_ROUND_OFF * size * ss_norm(n);
        if (!(apex * origin > 0 && fabs(apex) > noise && fabs(origin) > noise)) {
            return false;
        }
    }
    return true;
}

/* the face of s with the points of `mask`, if the origin projects into it */
static bool take_face(const simplex *s, int mask, simplex *face)
{
    const ss_vec3 *w[SIMPLEX];
    face->n = 0;
    for (int k = 0; k < s->n; k++) {
        if (mask >> k & 1) {
            face->p[face->n] = s->p[k];
            w[face->n++] = &s->p[k].w;
        }
    }
    if (face->n == SIMPLEX || !ss_simplex_coordinates(face->n, w, face->t)) {
        return false;
    }
    face->v = ss_v3(0, 0, 0);
    for (int k = 0; k < face->n; k++) {
        if (!(face->t[k] >= 0)) {
            return false;
        }
        face->v = ss_axpy(face->t[k], face->p[k].w, face->v);
    }
    return true;
}

/* the face of s that holds its point nearest to the origin; fewer points win ties */
static simplex nearest_face(const simplex *s)
{
    static const int masks[] = { 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14 };
    simplex best = { .n = 0 }, face = { .n = 0 };
    double least = INFINITY;
    for (int k = 0; k < (int)(sizeof masks / sizeof *masks); k++) {
        if (masks[k] < 1 << s->n && take_face(s, masks[k], &face) && ss_dot(face.v, face.v) < least) {
            best = face;
            least = ss_dot(face.v, face.v);
        }
    }
    return best;
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* Unit vector from the origin to the simplex: of a triangle its own normal, which keeps its digits when v loses them; of a
 * needle that is worth nothing. */
static ss_vec3 simplex_normal(const simplex *s, int dimension)
{
    if (s->n == 3 && dimension == 3) {
        const ss_vec3 ab = ss_sub(s->p[1].w, s->p[0].w), ac = ss_sub(s->p[2].w, s->p[0].w), n = ss_cross(ab, ac);
        if (ss_dot(n, n) > NEEDLE * ss_dot(ab, ab) * ss_dot(ac, ac)) {
            return ss_unit(ss_dot(n, s->v) >= 0 ? n : ss_scale(-1, n));
        }
    }
    return ss_unit(s->v);
}

static ss_nearest answer(const simplex *s, int dimension, bool converged)
{
    ss_nearest out = {
        .distance = ss_norm(s->v), .normal = simplex_normal(s, dimension), .points = s->n, .converged = converged
    };
    for (int k = 0; k < s->n; k++) {
        out.a = ss_axpy(s->t[k], s->p[k].a, out.a);
        out.b = ss_axpy(s->t[k], s->p[k].b, out.b);
        out.name_a[k] = s->p[k].name_a;
        out.name_b[k] = s->p[k].name_b;
    }
    return out;
}

/* the bodies share a point, up to the tolerance; s holds it */
static ss_nearest overlap(const ss_convex *a, const ss_convex *b, double tol, const simplex *s)
{
    const simplex common = nearest_face(s);
    const ss_nearest touching = answer(&common, a->dimension, true);
    return ss_epa_nearest(a, b, tol, &touching);
}

static bool is_among(const simplex *s, ss_vec3 w)
{
    for (int k = 0; k < s->n; k++) {
        if (s->p[k].w.x == w.x && s->p[k].w.y == w.y && s->p[k].w.z == w.z) {
            return true;
        }
    }
    return false;
}

/* rounding of w is that of the points it is the difference of */
static double magnitude(const ss_difference *w) { return ss_norm(w->a) + ss_norm(w->b); }

ss_nearest ss_gjk_nearest_curved(const ss_convex *a, const ss_convex *b, double tol, double rough)
{
    simplex s = { .n = 1, .p = { ss_difference_support(a, b, ss_v3(1, 0, 0)) } };
    s = nearest_face(&s);
    double size = magnitude(&s.p[0]);
    for (int step = 0; step < MAX_STEPS && s.n > 0; step++) {
        const double distance = ss_norm(s.v), rounding = fmax(tol, LAST_DIGITS * size);
        if (distance <= rounding) {
            return overlap(a, b, fmax(rounding, rough), &s);
        }
        const ss_difference w = ss_difference_support(a, b, ss_scale(-1 / distance, s.v));
        size = fmax(size, magnitude(&w));
        if (distance - ss_dot(s.v, w.w) / distance <= rounding || is_among(&s, w.w)) {
            return answer(&s, a->dimension, true);
        }
        s.p[s.n++] = w;
        if (s.n == SIMPLEX && holds_origin(&s, size)) {
            return overlap(a, b, fmax(rounding, rough), &s);
        }
        const simplex next = nearest_face(&s);
        if (next.n == 0 || ss_norm(next.v) >= distance) { /* rounding: this is as near as it gets */
            const bool done = distance - ss_dot(s.v, w.w) / distance <= fmax(rounding, STUCK * size);
            s.n--;
            return done || distance > 1e3 * fmax(rounding, rough) ? answer(&s, a->dimension, done)
                                                                  : overlap(a, b, fmax(rounding, rough), &s);
        }
        s = next;
    }
    return s.n > 0 ? answer(&s, a->dimension, false) : (ss_nearest){ .normal = { 0, 1, 0 }, .points = 1 };
}

ss_nearest ss_gjk_nearest(const ss_convex *a, const ss_convex *b, double tol) { return ss_gjk_nearest_curved(a, b, tol, tol); }
