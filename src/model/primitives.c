/* primitives.c - distances, components, cosines and angles between two spots, and their derivatives.
 *
 *   d = x_1 - x_0,  d' = v_1 - v_0,  d'' = a_1 - a_0                 x, v, a of the two points
 *   d(b) = th x b                                                    under a world rotation th
 *
 * A force lam b at point 1 and its opposite at point 0 do not depend on the arms: attachment.c turns them into
 * forces on the bodies' velocities. (th x a) x F = (a F' - (a . F) 1) th, the matrix ss_lever.
 *
 * Reference   [Haug89] E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, ch. 9: joints
 *             from coincident points and dot products of body-fixed vectors
 * Symbols     S(a) b = a x b;  b, e: unit vectors fixed in a body, given in world components
 * Cost        a few dozen multiplications each; nothing is allocated
 * All derivatives are exact; the conformance tests compare them with differences. */
#include "model/primitives.h"

/* ---- blocks ------------------------------------------------------------------------------------ */

ss_mat3 ss_skew(ss_vec3 a) { return (ss_mat3){ { { 0, a.z, -a.y }, { -a.z, 0, a.x }, { a.y, -a.x, 0 } } }; }

ss_mat3 ss_outer(ss_vec3 a, ss_vec3 b) { return (ss_mat3){ { ss_scale(b.x, a), ss_scale(b.y, a), ss_scale(b.z, a) } }; }

ss_mat3 ss_lever(ss_vec3 a, ss_vec3 F)
{
    ss_mat3 L = ss_outer(a, F);
    double s = ss_dot(a, F);
    L.c[0].x -= s;
    L.c[1].y -= s;
    L.c[2].z -= s;
    return L;
}

void ss_twist_block(double *K, int row, int column, double s, ss_mat3 A)
{
    for (int j = 0; j < 3; j++) {
        double *k = K + 36 * row + 3 * column + j;
        k[0] += s * A.c[j].x;
        k[12] += s * A.c[j].y;
        k[24] += s * A.c[j].z;
    }
}

/* ---- span -------------------------------------------------------------------------------------- */

static ss_vec3 centripetal(ss_vec3 w, ss_vec3 a) { return ss_cross(w, ss_cross(w, a)); }

void ss_span_row(ss_vec3 n, ss_twist_row *row) { *row = (ss_twist_row){ .lin = { ss_scale(-1, n), n } }; }

void ss_span_stiffness(ss_mat3 D, double *K)
{
    ss_twist_block(K, SS_LIN0, SS_LIN0, 1, D);
    ss_twist_block(K, SS_LIN0, SS_LIN1, -1, D);
    ss_twist_block(K, SS_LIN1, SS_LIN0, -1, D);
    ss_twist_block(K, SS_LIN1, SS_LIN1, 1, D);
}

static ss_vec3 unit_axis(int k) { return ss_v3(k == 0, k == 1, k == 2); }

void ss_point_rows(const ss_spot s[2], int dimension, double *g, ss_twist_row *row)
{
    ss_vec3 d = ss_span(s);
    for (int k = 0; k < dimension; k++) {
        g[k] = ss_dot(unit_axis(k), d);
        ss_span_row(unit_axis(k), &row[k]);
    }
}

void ss_point_curvature(const ss_spot s[2], int dimension, double *out)
{
    ss_vec3 a = ss_span_accel(s);
    for (int k = 0; k < dimension; k++) {
        out[k] = ss_dot(unit_axis(k), a);
    }
}

/* ---- component along a direction of body 0 ------------------------------------------------------- */

double ss_along_row(const ss_spot s[2], ss_vec3 b, ss_twist_row *row)
{
    ss_vec3 d = ss_span(s);
    ss_span_row(b, row);
    row->ang[0] = ss_cross(b, d);
    return ss_dot(d, b);
}

double ss_along_curvature(const ss_spot s[2], ss_vec3 b)
{
    ss_vec3 w = s[0].w;
    double turning = 2 * ss_dot(ss_span_rate(s), ss_cross(w, b)) + ss_dot(ss_span(s), centripetal(w, b));
    return ss_dot(ss_span_accel(s), b) + turning;
}

void ss_along_stiffness(const ss_spot s[2], ss_vec3 b, double lam, double *K)
{
    ss_mat3 Sb = ss_skew(b);
    /* forces lam b and -lam b: b turns with body 0 */
    ss_twist_block(K, SS_LIN1, SS_ANG0, -lam, Sb);
    ss_twist_block(K, SS_LIN0, SS_ANG0, lam, Sb);
    /* moment lam b x d on body 0 */
    ss_twist_block(K, SS_ANG0, SS_LIN0, -lam, Sb);
    ss_twist_block(K, SS_ANG0, SS_LIN1, lam, Sb);
    ss_twist_block(K, SS_ANG0, SS_ANG0, lam, ss_lever(b, ss_span(s)));
}

int ss_across_rows(const ss_spot s[2], const ss_mat3 *B0, int dimension, double *g, ss_twist_row *row)
{
    for (int k = 0; k < dimension - 1; k++) {
        g[k] = ss_along_row(s, B0->c[k + 1], &row[k]);
    }
    return dimension - 1;
}

int ss_across_curvature(const ss_spot s[2], const ss_mat3 *B0, int dimension, double *out)
{
    for (int k = 0; k < dimension - 1; k++) {
        out[k] = ss_along_curvature(s, B0->c[k + 1]);
    }
    return dimension - 1;
}

int ss_across_stiffness(const ss_spot s[2], const ss_mat3 *B0, int dimension, const double *lam, double *K)
{
    for (int k = 0; k < dimension - 1; k++) {
        ss_along_stiffness(s, B0->c[k + 1], lam[k], K);
    }
    return dimension - 1;
}

/* ---- cosine of two directions -------------------------------------------------------------------- */

double ss_cosine_row(ss_vec3 b0, ss_vec3 b1, ss_twist_row *row)
{
    ss_vec3 n = ss_cross(b1, b0);
    *row = (ss_twist_row){ .ang = { ss_scale(-1, n), n } };
    return ss_dot(b0, b1);
}

double ss_cosine_curvature(ss_vec3 b0, ss_vec3 b1, const ss_spot s[2])
{
    ss_vec3 w0 = s[0].w, w1 = s[1].w;
    double ends = ss_dot(centripetal(w0, b0), b1) + ss_dot(b0, centripetal(w1, b1));
    return ends + 2 * ss_dot(ss_cross(w0, b0), ss_cross(w1, b1));
}

void ss_cosine_stiffness(ss_vec3 b0, ss_vec3 b1, double lam, double *K)
{
    /* moment n = b1 x b0 on body 1: dn = (th1 x b1) x b0 - (th0 x b0) x b1 */
    ss_mat3 by1 = ss_lever(b1, b0), by0 = ss_lever(b0, b1);
    ss_twist_block(K, SS_ANG1, SS_ANG1, lam, by1);
    ss_twist_block(K, SS_ANG1, SS_ANG0, -lam, by0);
    ss_twist_block(K, SS_ANG0, SS_ANG1, -lam, by1);
    ss_twist_block(K, SS_ANG0, SS_ANG0, lam, by0);
}

/* ---- angle ---------------------------------------------------------------------------------------- */

/* x = x . e, y = y . e, their gradients, and r2 = x^2 + y^2 */
typedef struct polar {
    double x, y, r2;
    ss_twist_row gx, gy;
} polar;

static polar polar_of(const ss_dial *dial)
{
    polar p;
    p.x = ss_cosine_row(dial->x, dial->e, &p.gx);
    p.y = ss_cosine_row(dial->y, dial->e, &p.gy);
    p.r2 = p.x * p.x + p.y * p.y;
    return p;
}

/* (x gy - y gx) / r2, on body 1; body 0 has the opposite */
static ss_vec3 angle_gradient(const polar *p)
{
    return ss_scale(1 / p->r2, ss_sub(ss_scale(p->x, p->gy.ang[1]), ss_scale(p->y, p->gx.ang[1])));
}

double ss_angle_row(const ss_dial *dial, int dimension, ss_twist_row *row)
{
    polar p = polar_of(dial);
    ss_vec3 n = dimension == 2 ? ss_v3(0, 0, 1) : angle_gradient(&p);
    *row = (ss_twist_row){ .ang = { ss_scale(-1, n), n } };
    return atan2(p.y, p.x);
}

double ss_angle_curvature(const ss_dial *dial, int dimension, const ss_spot s[2])
{
    if (dimension == 2) {
        return 0;
    }
    polar p = polar_of(dial);
    ss_vec3 w = ss_sub(s[1].w, s[0].w);
    double xt = ss_dot(p.gx.ang[1], w), yt = ss_dot(p.gy.ang[1], w);
    double xtt = ss_cosine_curvature(dial->x, dial->e, s), ytt = ss_cosine_curvature(dial->y, dial->e, s);
    double rate = (p.x * yt - p.y * xt) / p.r2;
    return (p.x * ytt - p.y * xtt) / p.r2 - 2 * (p.x * xt + p.y * yt) / p.r2 * rate;
}

void ss_angle_stiffness(const ss_dial *dial, int dimension, double lam, double *K)
{
    if (dimension == 2) {
        return;
    }
    polar p = polar_of(dial);
    ss_cosine_stiffness(dial->y, dial->e, lam * p.x / p.r2, K);
    ss_cosine_stiffness(dial->x, dial->e, -lam * p.y / p.r2, K);
    /* gy gx' - gx gy' - 2 grad (x gx + y gy)', all over r2; every gradient is (-n, n) on the two bodies */
    ss_vec3 gx = p.gx.ang[1], gy = p.gy.ang[1];
    ss_vec3 radial = ss_add(ss_scale(2 * p.x, gx), ss_scale(2 * p.y, gy));
    ss_mat3 parts[3] = { ss_outer(gy, gx), ss_outer(ss_scale(-1, gx), gy), ss_outer(ss_scale(-1, angle_gradient(&p)), radial) };
    for (int k = 0; k < 3; k++) {
        ss_twist_block(K, SS_ANG1, SS_ANG1, lam / p.r2, parts[k]);
        ss_twist_block(K, SS_ANG0, SS_ANG0, lam / p.r2, parts[k]);
        ss_twist_block(K, SS_ANG1, SS_ANG0, -lam / p.r2, parts[k]);
        ss_twist_block(K, SS_ANG0, SS_ANG1, -lam / p.r2, parts[k]);
    }
}

/* ---- common axis -------------------------------------------------------------------------------------- */

void ss_axis_rows(const ss_mat3 B[2], double *g, ss_twist_row *row)
{
    for (int k = 0; k < SS_AXIS_ROWS; k++) {
        g[k] = ss_cosine_row(B[0].c[k + 1], B[1].c[0], &row[k]);
    }
}

void ss_axis_curvature(const ss_mat3 B[2], const ss_spot s[2], double *out)
{
    for (int k = 0; k < SS_AXIS_ROWS; k++) {
        out[k] = ss_cosine_curvature(B[0].c[k + 1], B[1].c[0], s);
    }
}

void ss_axis_stiffness(const ss_mat3 B[2], const double *lam, double *K)
{
    for (int k = 0; k < SS_AXIS_ROWS; k++) {
        ss_cosine_stiffness(B[0].c[k + 1], B[1].c[0], lam[k], K);
    }
}

ss_dial ss_axis_dial(const ss_mat3 B[2]) { return (ss_dial){ B[0].c[1], B[0].c[2], B[1].c[1] }; }

/* ---- no relative rotation -------------------------------------------------------------------------- */

/* 2D: both bases have two columns in the plane; the third is dropped by taking those with the smaller z */
static ss_dial plane_dial(const ss_mat3 B[2])
{
    int i = fabs(B[0].c[0].z) > 0.5 ? 1 : 0;
    ss_vec3 x = B[0].c[i], e = B[1].c[i];
    return (ss_dial){ x, ss_v3(-x.y, x.x, 0), e };
}

int ss_lock_rows(const ss_mat3 B[2], int dimension, double *g, ss_twist_row *row)
{
    if (dimension == 2) {
        ss_dial dial = plane_dial(B);
        g[0] = ss_angle_row(&dial, 2, &row[0]);
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        g[k] = ss_cosine_row(B[0].c[k], B[1].c[(k + 1) % 3], &row[k]);
    }
    return 3;
}

int ss_lock_curvature(const ss_mat3 B[2], int dimension, const ss_spot s[2], double *out)
{
    if (dimension == 2) {
        out[0] = 0;
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = ss_cosine_curvature(B[0].c[k], B[1].c[(k + 1) % 3], s);
    }
    return 3;
}

int ss_lock_stiffness(const ss_mat3 B[2], int dimension, const double *lam, double *K)
{
    if (dimension == 2) {
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        ss_cosine_stiffness(B[0].c[k], B[1].c[(k + 1) % 3], lam[k], K);
    }
    return 3;
}

/* ---- bases ------------------------------------------------------------------------------------------ */

void ss_joint_bases(const ss_joint *joint, const ss_spot s[2], ss_mat3 B[2])
{
    B[0] = ss_compose(s[0].R, joint->basis[0]);
    B[1] = ss_compose(s[1].R, joint->basis[1]);
}

ss_mat3 ss_basis_about(ss_vec3 axis, int dimension)
{
    ss_vec3 a = ss_unit(axis);
    if (dimension == 2) {
        return (ss_mat3){ { a, ss_v3(-a.y, a.x, 0), ss_v3(0, 0, 1) } };
    }
    /* cross with the coordinate axis that is furthest from a */
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    ss_vec3 e = x <= y && x <= z ? unit_axis(0) : y <= z ? unit_axis(1) : unit_axis(2);
    ss_vec3 b = ss_unit(ss_cross(a, e));
    return (ss_mat3){ { a, b, ss_cross(a, b) } };
}

void ss_joint_set_basis(ss_joint *joint, ss_mat3 basis0, const ss_frame f[2])
{
    ss_mat3 world = ss_compose(f[0].R, basis0);
    joint->basis[0] = basis0;
    for (int k = 0; k < 3; k++) {
        joint->basis[1].c[k] = ss_unrotate(f[1].R, world.c[k]);
    }
}

/* ---- coordinates of joints --------------------------------------------------------------------------- */

static ss_vec3 axis_of(const ss_joint *joint, const ss_spot s[2]) { return ss_rotate(s[0].R, joint->basis[0].c[0]); }

ss_status ss_displacement_prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension,
                                  const ss_frame f[2], ss_joint *joint)
{
    (void)ctx, (void)path;
    ss_joint_set_basis(joint, ss_basis_about(ss_v3_from(desc->axis), dimension), f);
    joint->origin = ss_dot(ss_span_between(joint->at, f), ss_rotate(f[0].R, joint->basis[0].c[0])) - desc->start;
    return SS_OK;
}

double ss_displacement(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row)
{
    (void)dimension;
    return ss_along_row(s, axis_of(joint, s), row) - joint->origin;
}

double ss_displacement_curvature(const ss_joint *joint, int dimension, const ss_spot s[2])
{
    (void)dimension;
    return ss_along_curvature(s, axis_of(joint, s));
}

void ss_displacement_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K)
{
    (void)dimension;
    ss_along_stiffness(s, axis_of(joint, s), lam, K);
}

static ss_dial dial_of(const ss_joint *joint, const ss_spot s[2])
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    return ss_axis_dial(B);
}

ss_status ss_turn_prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                          ss_joint *joint)
{
    const ss_vec3 axis = dimension == 2 ? ss_v3(0, 0, 1) : ss_v3_from(desc->axis);
    (void)ctx, (void)path;
    ss_joint_set_basis(joint, ss_basis_about(axis, 3), f);
    joint->origin = -desc->start;
    return SS_OK;
}

double ss_turn(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row)
{
    const ss_dial dial = dial_of(joint, s);
    return ss_angle_row(&dial, dimension, row) - joint->origin;
}

double ss_turn_curvature(const ss_joint *joint, int dimension, const ss_spot s[2])
{
    const ss_dial dial = dial_of(joint, s);
    return ss_angle_curvature(&dial, dimension, s);
}

void ss_turn_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K)
{
    const ss_dial dial = dial_of(joint, s);
    ss_angle_stiffness(&dial, dimension, lam, K);
}
