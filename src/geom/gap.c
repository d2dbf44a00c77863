/* gap.c - a gap between two features as a function of the two poses: value, normal, second derivative, how its point moves.
 *
 * Symbols   A, B     the bodies of features a and b (exchanged if `swap`)
 *           D        x_a - x_b, taken as (p_A - p_B) + (R_A a - R_B b): no digits are lost far from the origin
 *           n        unit, from feature b to feature a
 *           l        direction of a line, world
 *
 *     point-plane   gap = n . D - ra - rb              n = R_B db
 *     point-point   gap = |D| - ra - rb                n = D / |D|
 *     point-line    gap = |P| - ra - rb                P = D - (D . l) l,  n = P / |P|
 *     line-line     gap = n . D - ra - rb              n = side (l_a x l_b) / |l_a x l_b|
 *
 * In each case the witness points lie on one line along n, so the rate of the gap is n . (v_A - v_B), both
 * taken at any point of that line; the point returned is the middle of the two witnesses. Where n is not
 * defined (coincident points, parallel lines) the fallback stored in the gap is used.
 *
 * Features in contact.  `outside` is the largest of: how far the witness is off the features (a face:
 * beyond its sides); for two edges of polytopes, the sine by which n leaves the normals of either edge beyond a play of 0.05,
 * times the shorter half length (then a vertex or another edge is nearer); and, where the gap claims a depth but the shapes are
 * apart by s, the smaller of the two. Witnesses on both features bound the separation s along every m: s(m) <= gap n . m, so a
 * depth can only be denied by an axis far from n. `excess` says how much deeper the gap is than 1.05 of the overlap. It is not
 * part of `outside`: a corner that has come in through one face within a step is soon nearer to another one, and the first gap is
 * still the one that closed. Features are grown by `rim` before the test.
 *
 * Second derivative with constant twists (v, w): a point fixed in the body at r = R a moves with
 * x' = v + w x r, x'' = w x (w x r); a direction with l' = w x l, l'' = w x (w x l).
 *
 * The point p that is returned, and its velocity p': the derivative, term by term, of
 *     point-plane   p = x_b + D - (n . D + ra - rb) n / 2
 *     point-point   p = x_b + (D + (rb - ra) n) / 2
 *     point-line    p = x_b + (D + (D . l) l + (rb - ra) n) / 2
 *     line-line     p = x_b + (D + s l_a + t l_b + (rb - ra) n) / 2      s, t: of the witnesses
 * A fallback for n stands still.
 * Cost: constant. */
#include "base/tolerances.h"
#include "geom/cylinder.h"
#include "geom/pairs.h"

/* sine of the angle by which the normal may leave those of an edge: faces that meet flat have crossings on the border */
static const double edge_play = 0.05;

/* a vector function of time and its first two derivatives */
typedef struct curve {
    ss_vec3 x, d, dd;
} curve;

static curve point_curve(const ss_frame *f, const ss_vec3 twist[2], ss_vec3 a)
{
    const ss_vec3 r = ss_rotate(f->R, a), spin = ss_cross(twist[1], r);
    return (curve){ r, ss_add(twist[0], spin), ss_cross(twist[1], spin) };
}

static curve direction_curve(const ss_frame *f, ss_vec3 w, ss_vec3 a)
{
    const ss_vec3 l = ss_rotate(f->R, a), d = ss_cross(w, l);
    return (curve){ l, d, ss_cross(w, d) };
}

static curve curve_sub(curve a, curve b) { return (curve){ ss_sub(a.x, b.x), ss_sub(a.d, b.d), ss_sub(a.dd, b.dd) }; }

static double dot_d(curve a, curve b) { return ss_dot(a.d, b.x) + ss_dot(a.x, b.d); }

static double dot_dd(curve a, curve b) { return ss_dot(a.dd, b.x) + 2 * ss_dot(a.d, b.d) + ss_dot(a.x, b.dd); }

/* a - (a . l) l */
static curve curve_reject(curve a, curve l)
{
    const double s = ss_dot(a.x, l.x), d = dot_d(a, l), dd = dot_dd(a, l);
    return (curve){
        ss_axpy(-s, l.x, a.x),
        ss_axpy(-d, l.x, ss_axpy(-s, l.d, a.d)),
        ss_axpy(-dd, l.x, ss_axpy(-2 * d, l.d, ss_axpy(-s, l.dd, a.dd))),
    };
}

static curve curve_cross(curve a, curve b)
{
    return (curve){
        ss_cross(a.x, b.x),
        ss_add(ss_cross(a.d, b.x), ss_cross(a.x, b.d)),
        ss_add(ss_cross(a.dd, b.x), ss_axpy(2, ss_cross(a.d, b.d), ss_cross(a.x, b.dd))),
    };
}

/* second derivative of |a|; without direction the part along the fallback */
static double length_dd(curve a, ss_vec3 fallback)
{
    const double length = ss_norm(a.x);
    if (length <= 0) {
        return ss_dot(fallback, a.dd);
    }
    const ss_vec3 n = ss_scale(1 / length, a.x);
    const double along = ss_dot(n, a.d);
    return (ss_dot(a.d, a.d) - along * along) / length + ss_dot(n, a.dd);
}

/* a / |a|, |a| > 0 */
static curve curve_unit(curve a)
{
    const double m = ss_norm(a.x);
    const ss_vec3 n = ss_scale(1 / m, a.x);
    const double m_d = ss_dot(n, a.d), m_dd = length_dd(a, n);
    const ss_vec3 n_d = ss_scale(1 / m, ss_axpy(-m_d, n, a.d));
    return (curve){ n, n_d, ss_scale(1 / m, ss_axpy(-m_dd, n, ss_axpy(-2 * m_d, n_d, a.dd))) };
}

/* ---- value --------------------------------------------------------------------------------- */

/* The two features in the world: everything measured from x_b. */
typedef struct placed {
    const ss_gap *gap;
    ss_vec3 xb, D; /* x_b in the world; x_a - x_b */
    const ss_mat3 *RA, *RB;
} placed;

static placed place(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb)
{
    const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
    const ss_vec3 ra = ss_rotate(A->R, gap->a), rb = ss_rotate(B->R, gap->b);
    return (placed){ gap, ss_add(B->p, rb), ss_add(ss_sub(A->p, B->p), ss_sub(ra, rb)), &A->R, &B->R };
}

/* middle of the witnesses when that of a round feature a is x_b + foot + distance n - ra n, of b x_b + foot + rb n */
static void round_value(const placed *f, ss_vec3 foot, double distance, ss_vec3 n, ss_gap_value *out)
{
    const double ra = f->gap->ra, rb = f->gap->rb;
    out->gap = distance - ra - rb;
    out->normal = n;
    out->point = ss_add(f->xb, ss_axpy(0.5 * (distance - ra + rb), n, foot));
}

/* how far the point is beyond the sides of the face, if the plane is one's */
static double off_face(const placed *f)
{
    const ss_gap *gap = f->gap;
    if (!gap->from.shape[1] || gap->from.face == 0) {
        return -INFINITY;
    }
    const ss_vec3 in_shape = ss_point_to_body(gap->from.shape[1]->local, ss_add(gap->b, ss_unrotate(*f->RB, f->D)));
    return ss_face_beyond(gap->from.shape[1]->polytope, gap->from.face - 1, in_shape) - gap->rim;
}

/* how far the point is beyond the rectangle that bounds the plane, of normal n in the world, if one does */
static double off_rectangle(const placed *f, ss_vec3 n)
{
    const double *half = f->gap->eb;
    if (half[0] == INFINITY && half[1] == INFINITY) {
        return -INFINITY;
    }
    const ss_vec3 t = ss_rotate(*f->RB, f->gap->tb);
    return fmax(fabs(ss_dot(t, f->D)) - half[0], fabs(ss_dot(ss_cross(n, t), f->D)) - half[1]);
}

static void point_plane(const placed *f, ss_gap_value *out)
{
    const ss_vec3 n = ss_rotate(*f->RB, f->gap->db);
    const double distance = ss_dot(n, f->D), off = off_rectangle(f, n), off_own = off_face(f);
    round_value(f, ss_axpy(-distance, n, f->D), distance, n, out);
    out->outside = off > off_own ? off : off_own;
}

static void point_point(const placed *f, ss_gap_value *out)
{
    const double distance = ss_norm(f->D);
    const ss_vec3 n = distance > 0 ? ss_scale(1 / distance, f->D) : f->gap->fallback;
    round_value(f, ss_v3(0, 0, 0), distance, n, out);
    out->outside = -INFINITY;
}

static void point_line(const placed *f, ss_gap_value *out)
{
    const ss_vec3 l = ss_rotate(*f->RB, f->gap->db);
    const double s = ss_dot(f->D, l);
    const ss_vec3 P = ss_axpy(-s, l, f->D);
    const double distance = ss_norm(P);
    const ss_vec3 n = distance > SS_TOL_ROUND_OFF * fabs(s) ? ss_scale(1 / distance, P) : f->gap->fallback;
    round_value(f, ss_scale(s, l), distance, n, out);
    out->outside = fabs(s) - f->gap->eb[0];
}

/* by how much n leaves the normals of the two edges beyond the play, as a length */
static double off_edges(const placed *f, ss_vec3 n)
{
    const ss_gap *gap = f->gap;
    if (!gap->from.shape[0]) {
        return -INFINITY;
    }
    const ss_vec3 in_a = ss_unrotate(gap->from.shape[0]->local.R, ss_unrotate(*f->RA, n));
    const ss_vec3 in_b = ss_unrotate(gap->from.shape[1]->local.R, ss_unrotate(*f->RB, n));
    const double off = fmax(ss_edge_off(gap->from.shape[0]->polytope, gap->from.edge[0], ss_scale(-1, in_a)),
                            ss_edge_off(gap->from.shape[1]->polytope, gap->from.edge[1], in_b));
    return (off - edge_play) * fmin(gap->ea, gap->eb[0]);
}

/* witnesses x_a + s l_a and x_b + t l_b:  [1 -c; -c 1] [s; t] = [-D . l_a; D . l_b],  c = l_a . l_b */
static void line_line(const placed *f, ss_gap_value *out)
{
    const ss_vec3 la = ss_rotate(*f->RA, f->gap->da), lb = ss_rotate(*f->RB, f->gap->db), cross = ss_cross(la, lb);
    const double c = ss_dot(la, lb), sine = ss_norm(cross), da = ss_dot(f->D, la), db = ss_dot(f->D, lb);
    double s = -0.5 * da, t = 0.5 * db;
    ss_vec3 n = f->gap->fallback;
    if (sine > SS_TOL_ROUND_OFF) {
        n = ss_scale(f->gap->side / sine, cross);
        s = (c * db - da) / (sine * sine);
        t = (db - c * da) / (sine * sine);
    }
    out->gap = ss_dot(n, f->D) - f->gap->ra - f->gap->rb;
    out->normal = n;
    const ss_vec3 middle = ss_scale(0.5, ss_add(ss_axpy(s, la, f->D), ss_scale(t, lb)));
    out->point = ss_add(f->xb, ss_axpy(0.5 * (f->gap->rb - f->gap->ra), n, middle));
    out->outside = fmax(fabs(s) - f->gap->ea, fabs(t) - f->gap->eb[0]);
    out->outside = fmax(out->outside, off_edges(f, n));
}

/* compare the depth of a gap < 0 with the overlap of the shapes */
static void compare(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, ss_gap_value *out)
{
    const double depth = -out->gap, rim = 2 * gap->rim;
    if (depth > rim) {
        const ss_solid a = ss_solid_of(gap->from.shape[0], gap->swap ? fb : fa),
                       b = ss_solid_of(gap->from.shape[1], gap->swap ? fa : fb);
        const double s = ss_solids_separation(&a, &b);
        out->outside = fmax(out->outside, fmin(depth, s) - rim);
        out->excess = fmax(0, depth + 1.05 * fmin(s, 0) - rim);
    }
}

void ss_gap_measure(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, ss_gap_value *out)
{
    const placed f = place(gap, fa, fb);
    switch (gap->kind) {
    case SS_GAP_POINT_PLANE:
        point_plane(&f, out);
        break;
    case SS_GAP_POINT_POINT:
        point_point(&f, out);
        break;
    case SS_GAP_POINT_LINE:
        point_line(&f, out);
        break;
    case SS_GAP_LINE_LINE:
        line_line(&f, out);
        break;
    case SS_GAP_CIRCLE_PLANE:
        ss_circle_plane_value(gap, gap->swap ? fb : fa, gap->swap ? fa : fb, out);
        break;
    }
    out->excess = 0;
    if (gap->swap) {
        out->normal = ss_scale(-1, out->normal);
    }
}

void ss_gap_eval(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, ss_gap_value *out)
{
    ss_gap_measure(gap, fa, fb, out);
    if (gap->from.shape[0]) {
        compare(gap, fa, fb, out);
    }
}

/* ---- in motion ----------------------------------------------------------------------------- */

/* The two features while the bodies move. */
typedef struct moving {
    ss_vec3 xb_d;
    curve D, la, lb;
} moving;

static moving move(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2], const ss_vec3 tB[2])
{
    const curve b = point_curve(B, tB, gap->b);
    moving f = { .xb_d = b.d,
                 .D = curve_sub(point_curve(A, tA, gap->a), b),
                 .la = direction_curve(A, tA[1], gap->da),
                 .lb = direction_curve(B, tB[1], gap->db) };
    f.D.x = ss_add(f.D.x, ss_sub(A->p, B->p));
    return f;
}

double ss_gap_curvature(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                        const ss_vec3 twist_b[2])
{
    const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
    const ss_vec3 *tA = gap->swap ? twist_b : twist_a, *tB = gap->swap ? twist_a : twist_b;
    const moving f = move(gap, A, B, tA, tB);

    switch (gap->kind) {
    case SS_GAP_POINT_PLANE:
        return dot_dd(f.lb, f.D);
    case SS_GAP_POINT_POINT:
        return length_dd(f.D, gap->fallback);
    case SS_GAP_POINT_LINE:
        return length_dd(curve_reject(f.D, f.lb), gap->fallback);
    case SS_GAP_LINE_LINE: {
        const curve cross = curve_cross(f.la, f.lb);
        return ss_norm(cross.x) > SS_TOL_ROUND_OFF ? gap->side * dot_dd(curve_unit(cross), f.D) : ss_dot(gap->fallback, f.D.dd);
    }
    case SS_GAP_CIRCLE_PLANE:
        return ss_circle_plane_curvature(gap, A, B, tA, tB);
    }
    return 0;
}

/* rate of a / |a|; zero where |a| is no more than `none` and the fallback stands in */
static ss_vec3 unit_rate(curve a, double none) { return ss_norm(a.x) > none ? curve_unit(a).d : ss_v3(0, 0, 0); }

/* rate of n, from feature b to feature a */
static ss_vec3 normal_rate(const ss_gap *gap, const moving *f)
{
    switch (gap->kind) {
    case SS_GAP_POINT_POINT:
        return unit_rate(f->D, 0);
    case SS_GAP_POINT_LINE:
        return unit_rate(curve_reject(f->D, f->lb), SS_TOL_ROUND_OFF * fabs(ss_dot(f->D.x, f->lb.x)));
    case SS_GAP_LINE_LINE:
        return ss_scale(gap->side, unit_rate(curve_cross(f->la, f->lb), SS_TOL_ROUND_OFF));
    case SS_GAP_POINT_PLANE:
    case SS_GAP_CIRCLE_PLANE:
        break;
    }
    return f->lb.d;
}

/* rate of the plane's p - x_b, in which n = lb */
static ss_vec3 point_plane_rate(const moving *f, double radii)
{
    const double height = ss_dot(f->lb.x, f->D.x) + radii, height_d = dot_d(f->lb, f->D);
    return ss_axpy(-0.5 * height_d, f->lb.x, ss_axpy(-0.5 * height, f->lb.d, f->D.d));
}

/* rate of (D . l) l */
static ss_vec3 foot_rate(const moving *f)
{
    return ss_axpy(ss_dot(f->D.x, f->lb.x), f->lb.d, ss_scale(dot_d(f->D, f->lb), f->lb.x));
}

/* rate of s l_a + t l_b; from (1 - c^2) s = c (D . l_b) - D . l_a and (1 - c^2) t = D . l_b - c (D . l_a) */
static ss_vec3 witness_rate(const moving *f, curve cross)
{
    const double c = ss_dot(f->la.x, f->lb.x), c_d = dot_d(f->la, f->lb), square = ss_dot(cross.x, cross.x);
    const double da = ss_dot(f->D.x, f->la.x), db = ss_dot(f->D.x, f->lb.x), da_d = dot_d(f->D, f->la), db_d = dot_d(f->D, f->lb);
    double s = -0.5 * da, t = 0.5 * db, s_d = -0.5 * da_d, t_d = 0.5 * db_d;
    if (sqrt(square) > SS_TOL_ROUND_OFF) {
        s = (c * db - da) / square;
        t = (db - c * da) / square;
        s_d = (c_d * db + c * db_d - da_d + 2 * c * c_d * s) / square;
        t_d = (db_d - c_d * da - c * da_d + 2 * c * c_d * t) / square;
    }
    const ss_vec3 along_a = ss_axpy(s, f->la.d, ss_scale(s_d, f->la.x)), along_b = ss_axpy(t, f->lb.d, ss_scale(t_d, f->lb.x));
    return ss_add(along_a, along_b);
}

/* rate of x_b + (D + e + (rb - ra) n) / 2 */
static ss_vec3 middle_rate(const ss_gap *gap, const moving *f, ss_vec3 e_d, ss_vec3 n_d)
{
    return ss_axpy(0.5, ss_add(ss_add(f->D.d, e_d), ss_scale(gap->rb - gap->ra, n_d)), f->xb_d);
}

ss_vec3 ss_gap_point_rate(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                          const ss_vec3 twist_b[2])
{
    const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
    const ss_vec3 *tA = gap->swap ? twist_b : twist_a, *tB = gap->swap ? twist_a : twist_b;
    const moving f = move(gap, A, B, tA, tB);

    switch (gap->kind) {
    case SS_GAP_POINT_PLANE:
        return ss_add(f.xb_d, point_plane_rate(&f, gap->ra - gap->rb));
    case SS_GAP_POINT_POINT:
        return middle_rate(gap, &f, ss_v3(0, 0, 0), normal_rate(gap, &f));
    case SS_GAP_POINT_LINE:
        return middle_rate(gap, &f, foot_rate(&f), normal_rate(gap, &f));
    case SS_GAP_LINE_LINE: {
        const curve cross = curve_cross(f.la, f.lb);
        return middle_rate(gap, &f, witness_rate(&f, cross), normal_rate(gap, &f));
    }
    case SS_GAP_CIRCLE_PLANE:
        return ss_circle_plane_point_rate(gap, A, B, tA, tB);
    }
    return ss_v3(0, 0, 0);
}

ss_vec3 ss_gap_normal_rate(const ss_gap *gap, const ss_frame *fa, const ss_frame *fb, const ss_vec3 twist_a[2],
                           const ss_vec3 twist_b[2])
{
    const ss_frame *A = gap->swap ? fb : fa, *B = gap->swap ? fa : fb;
    const ss_vec3 *tA = gap->swap ? twist_b : twist_a, *tB = gap->swap ? twist_a : twist_b;
    const moving f = move(gap, A, B, tA, tB);
    return ss_scale(gap->swap ? -1 : 1, normal_rate(gap, &f));
}
