/* gap_circle.c - the gap of a circle's lowest point above a plane.
 *
 *     gap = n . D - ra s - rb,     s = sqrt(1 - c^2),  c = n . l
 *
 * Symbols   D   from the plane's middle x_b to the circle's centre x_a;  ra  radius of the circle;  l  its axis
 *           n   normal of the plane;  u = (n - c l) / s, so that the lowest point is x_a - ra u
 *
 * The lowest point moves along the circle's tangent, which lies across n: the rate of the gap is n . (v_A - v_B) at that
 * point. Its second derivative is (n . D)'' - ra s'' with s'' = -c'^2 / s^3 - c c'' / s. A circle that lies flat (s = 0) has
 * no lowest point; its centre is taken. The point returned is x_b + L + (rb - n . L) n / 2 with L = D - ra u; its velocity is
 * the derivative, term by term. Cost: constant. */
#include "base/tolerances.h"
#include "geom/cylinder.h"

void ss_circle_plane_value(const ss_gap *gap, const ss_frame *A, const ss_frame *B, ss_gap_value *out)
{
    const ss_vec3 rb = ss_rotate(B->R, gap->b), n = ss_rotate(B->R, gap->db), t = ss_rotate(B->R, gap->tb);
    const ss_vec3 D = ss_add(ss_sub(A->p, B->p), ss_sub(ss_rotate(A->R, gap->a), rb)), l = ss_rotate(A->R, gap->da);
    const ss_vec3 across = ss_axpy(-ss_dot(n, l), l, n);
    const double s = ss_norm(across);
    const ss_vec3 low = s > SS_TOL_ROUND_OFF ? ss_axpy(-gap->ra / s, across, D) : D; /* from x_b */
    const double height = ss_dot(n, low);
    out->gap = height - gap->rb;
    out->normal = n;
    out->point = ss_add(ss_add(B->p, rb), ss_axpy(0.5 * (gap->rb - height), n, low));
    out->outside = fmax(fabs(ss_dot(t, low)) - gap->eb[0], fabs(ss_dot(ss_cross(n, t), low)) - gap->eb[1]);
}

/* a vector that turns with w: its value and first two derivatives */
typedef struct turning {
    ss_vec3 x, d, dd;
} turning;

static turning turn(const ss_frame *f, ss_vec3 w, ss_vec3 in_body)
{
    const ss_vec3 x = ss_rotate(f->R, in_body), d = ss_cross(w, x);
    return (turning){ x, d, ss_cross(w, d) };
}

static double dot_dd(turning a, turning b) { return ss_dot(a.dd, b.x) + 2 * ss_dot(a.d, b.d) + ss_dot(a.x, b.dd); }

/* from x_b to x_a */
static turning centre(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2], const ss_vec3 tB[2])
{
    const turning ra = turn(A, tA[1], gap->a), rb = turn(B, tB[1], gap->b);
    return (turning){ ss_add(ss_sub(A->p, B->p), ss_sub(ra.x, rb.x)), ss_add(ss_sub(tA[0], tB[0]), ss_sub(ra.d, rb.d)),
                      ss_sub(ra.dd, rb.dd) };
}

double ss_circle_plane_curvature(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2],
                                 const ss_vec3 tB[2])
{
    const turning n = turn(B, tB[1], gap->db), l = turn(A, tA[1], gap->da), D = centre(gap, A, B, tA, tB);
    const double c = ss_dot(n.x, l.x), c_d = ss_dot(n.d, l.x) + ss_dot(n.x, l.d), s = ss_norm(ss_cross(n.x, l.x));
    const double s_dd = s > SS_TOL_ROUND_OFF ? -(c_d * c_d) / (s * s * s) - c * dot_dd(n, l) / s : 0;
    return dot_dd(n, D) - gap->ra * s_dd;
}

/* L and L' */
static void lowest(const ss_gap *gap, turning n, turning l, turning D, ss_vec3 *low, ss_vec3 *low_d)
{
    const double c = ss_dot(n.x, l.x), c_d = ss_dot(n.d, l.x) + ss_dot(n.x, l.d);
    const ss_vec3 across = ss_axpy(-c, l.x, n.x), across_d = ss_axpy(-c_d, l.x, ss_axpy(-c, l.d, n.d));
    const double s = ss_norm(across);
    *low = D.x;
    *low_d = D.d;
    if (s > SS_TOL_ROUND_OFF) {
        const ss_vec3 u = ss_scale(1 / s, across);
        *low = ss_axpy(-gap->ra, u, D.x);
        *low_d = ss_axpy(-gap->ra / s, ss_axpy(-ss_dot(u, across_d), u, across_d), D.d);
    }
}

ss_vec3 ss_circle_plane_point_rate(const ss_gap *gap, const ss_frame *A, const ss_frame *B, const ss_vec3 tA[2],
                                   const ss_vec3 tB[2])
{
    const turning n = turn(B, tB[1], gap->db), l = turn(A, tA[1], gap->da);
    const ss_vec3 xb_d = ss_add(tB[0], ss_cross(tB[1], ss_rotate(B->R, gap->b)));
    ss_vec3 low, low_d;
    lowest(gap, n, l, centre(gap, A, B, tA, tB), &low, &low_d);
    const double half = 0.5 * (gap->rb - ss_dot(n.x, low)), half_d = -0.5 * (ss_dot(n.d, low) + ss_dot(n.x, low_d));
    return ss_add(ss_add(xb_d, low_d), ss_axpy(half, n.d, ss_scale(half_d, n.x)));
}
