/* vec.h - vectors, rotations and quaternions by value; 2D lives in the plane z = 0 with rotations
 * about z. Quaternions are (w, x, y, z), unit, and turn body coordinates into world coordinates. */
#ifndef SS_VEC_H
#define SS_VEC_H

#include <math.h>

typedef struct ss_vec3 {
    double x, y, z;
} ss_vec3;
typedef struct ss_mat3 {
    ss_vec3 c[3];
} ss_mat3; /* columns */
typedef struct ss_quat {
    double w, x, y, z;
} ss_quat;
typedef struct ss_frame {
    ss_vec3 p;
    ss_mat3 R;
} ss_frame; /* body -> world: p + R x */

static inline ss_vec3 ss_v3(double x, double y, double z) { return (ss_vec3){ x, y, z }; }
static inline ss_vec3 ss_v3_from(const double *a) { return (ss_vec3){ a[0], a[1], a[2] }; }
static inline void ss_v3_to(ss_vec3 a, double *out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}
static inline ss_vec3 ss_add(ss_vec3 a, ss_vec3 b) { return ss_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline ss_vec3 ss_sub(ss_vec3 a, ss_vec3 b) { return ss_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline ss_vec3 ss_scale(double s, ss_vec3 a) { return ss_v3(s * a.x, s * a.y, s * a.z); }
static inline ss_vec3 ss_axpy(double s, ss_vec3 a, ss_vec3 b) { return ss_v3(s * a.x + b.x, s * a.y + b.y, s * a.z + b.z); }
static inline double ss_dot(ss_vec3 a, ss_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double ss_norm(ss_vec3 a) { return sqrt(ss_dot(a, a)); }
static inline ss_vec3 ss_cross(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* the zero vector stays zero */
static inline ss_vec3 ss_unit(ss_vec3 a)
{
    double n = ss_norm(a);
    return n > 0 ? ss_scale(1 / n, a) : a;
}

static inline ss_vec3 ss_rotate(ss_mat3 R, ss_vec3 a) /* R a */
{
    return ss_add(ss_scale(a.x, R.c[0]), ss_add(ss_scale(a.y, R.c[1]), ss_scale(a.z, R.c[2])));
}
static inline ss_vec3 ss_unrotate(ss_mat3 R, ss_vec3 a)
{
    return ss_v3(ss_dot(R.c[0], a), ss_dot(R.c[1], a), ss_dot(R.c[2], a));
} /* R' a */
static inline ss_mat3 ss_compose(ss_mat3 A, ss_mat3 B) /* A B */
{
    return (ss_mat3){ { ss_rotate(A, B.c[0]), ss_rotate(A, B.c[1]), ss_rotate(A, B.c[2]) } };
}
static inline ss_mat3 ss_uncompose(ss_mat3 A, ss_mat3 B) /* A' B */
{
    return (ss_mat3){ { ss_unrotate(A, B.c[0]), ss_unrotate(A, B.c[1]), ss_unrotate(A, B.c[2]) } };
}
static inline ss_mat3 ss_mat3_identity(void) { return (ss_mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }; }
static inline ss_mat3 ss_rotation_z(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (ss_mat3){ { { c, s, 0 }, { -s, c, 0 }, { 0, 0, 1 } } };
}
static inline ss_vec3 ss_point_to_world(ss_frame f, ss_vec3 a) { return ss_add(f.p, ss_rotate(f.R, a)); }
static inline ss_vec3 ss_point_to_body(ss_frame f, ss_vec3 a) { return ss_unrotate(f.R, ss_sub(a, f.p)); }
static inline ss_frame ss_frame_compose(ss_frame a, ss_frame b)
{
    return (ss_frame){ ss_point_to_world(a, b.p), ss_compose(a.R, b.R) };
}
static inline ss_frame ss_frame_identity(void) { return (ss_frame){ { 0, 0, 0 }, ss_mat3_identity() }; }

static inline ss_quat ss_quat_from(const double *a) { return (ss_quat){ a[0], a[1], a[2], a[3] }; }
static inline void ss_quat_to(ss_quat q, double *out)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}
static inline ss_quat ss_quat_product(ss_quat a, ss_quat b)
{
    return (ss_quat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}
static inline ss_quat ss_quat_conjugate(ss_quat a) { return (ss_quat){ a.w, -a.x, -a.y, -a.z }; }
static inline ss_quat ss_quat_unit(ss_quat a)
{
    double n = sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    return (ss_quat){ a.w / n, a.x / n, a.y / n, a.z / n };
}
/* rotation by the vector r: axis r/|r|, angle |r|; exact also for small r */
static inline ss_quat ss_quat_exp(ss_vec3 r)
{
    double a = 0.5 * ss_norm(r);
    double s = a < 1e-4 ? 0.5 * (1 - a * a / 6) : 0.5 * sin(a) / a;
    return (ss_quat){ cos(a), s * r.x, s * r.y, s * r.z };
}
/* rotation vector of q, angle in [0, pi] */
static inline ss_vec3 ss_quat_log(ss_quat q)
{
    if (q.w < 0) {
        q = (ss_quat){ -q.w, -q.x, -q.y, -q.z };
    }
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double f = s < 1e-8 ? 2 / q.w : 2 * atan2(s, q.w) / s;
    return ss_v3(f * q.x, f * q.y, f * q.z);
}
/* rotation vector of q nearest to `guess`: whole turns about its axis are added; q near 1: about that of the guess */
static inline ss_vec3 ss_quat_log_near(ss_quat q, ss_vec3 guess)
{
    const double turn = 2 * acos(-1);
    const ss_vec3 r = ss_quat_log(q);
    const double a = ss_norm(r), far = ss_norm(guess);
    if (far == 0) {
        return r;
    }
    const ss_vec3 axis = a < 1e-8 ? ss_scale(1 / far, guess) : ss_scale(1 / a, r);
    const double more = round((ss_dot(axis, guess) - a) / turn);
    return more == 0 ? r : ss_axpy(more * turn, axis, r);
}
static inline ss_mat3 ss_quat_matrix(ss_quat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (ss_mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y) },
                        { 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x) },
                        { 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y) } } };
}
/* of a rotation matrix, w >= 0; the largest of its four numbers is found from the diagonal, the others from it (Shepperd) */
static inline ss_quat ss_quat_of_matrix(ss_mat3 R)
{
    const double xx = R.c[0].x, yy = R.c[1].y, zz = R.c[2].z, trace = xx + yy + zz;
    const ss_vec3 turn = ss_v3(R.c[1].z - R.c[2].y, R.c[2].x - R.c[0].z, R.c[0].y - R.c[1].x);
    const ss_vec3 sums = ss_v3(R.c[1].z + R.c[2].y, R.c[2].x + R.c[0].z, R.c[0].y + R.c[1].x);
    ss_quat q;
    if (trace >= xx && trace >= yy && trace >= zz) {
        q = (ss_quat){ 1 + trace, turn.x, turn.y, turn.z };
    } else if (xx >= yy && xx >= zz) {
        q = (ss_quat){ turn.x, 1 + 2 * xx - trace, sums.z, sums.y };
    } else if (yy >= zz) {
        q = (ss_quat){ turn.y, sums.z, 1 + 2 * yy - trace, sums.x };
    } else {
        q = (ss_quat){ turn.z, sums.y, sums.x, 1 + 2 * zz - trace };
    }
    return ss_quat_unit(q.w < 0 ? (ss_quat){ -q.w, -q.x, -q.y, -q.z } : q);
}
static inline ss_quat ss_quat_axis(ss_vec3 axis, double angle) { return ss_quat_exp(ss_scale(angle, ss_unit(axis))); }

#endif
