/* distance.c - two points keep their distance L (a massless rod), or stay within limits (a rope, a strut).
 *
 *   g = (|d|^2 - L^2) / (2 L),   g' = d . d' / L,   g'' = (|d'|^2 + d . d'') / L
 *
 * The squared form of PAGT06 (section 10.1), divided by 2 L so that it is metres to first order; it has no
 * square root and is smooth at d = 0. The coordinate is the length |d| itself. With limits or a motor and no
 * length the bilateral row is absent. At |d| = 0 the coordinate's row is zero. */
#include "model/fields.h"
#include "model/primitives.h"

static const ss_field fields[] = {
    SS_JOINT_NAME,
    SS_JOINT_TYPE,
    SS_JOINT_BODIES,
    SS_JOINT_ANCHORS,
    SS_PART_NUMBER(ss_joint_desc, "length", length, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
                   "distance of the anchors, m; absent: the initial one"),
    SS_JOINT_LIMITS("shortest and longest distance, m, instead of a length"),
    SS_JOINT_RESTITUTION,
    SS_JOINT_MOTOR,
    SS_JOINT_COLLIDE,
    SS_FIELD_END,
};

/* bilateral if a length is given, or nothing else is */
static ss_status prepare(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint)
{
    (void)dimension;
    bool free = isfinite(desc->limits[0]) || isfinite(desc->limits[1]) || desc->motor.speed || desc->motor.force;
    if (free && !isnan(desc->length)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.length: a distance that is held cannot have limits or a motor too", path);
    }
    if (isfinite(desc->limits[1]) && desc->limits[1] < 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s.limits: a distance is never below 0, got the upper limit %g", path,
                       desc->limits[1]);
    }
    joint->length = free ? NAN : isnan(desc->length) ? ss_norm(ss_span_between(joint->at, f)) : desc->length;
    if (!free && !(joint->length > 0)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s.length: the anchors coincide; a distance joint needs a length > 0 (spherical holds points together)",
                       path);
    }
    return SS_OK;
}

static int rows(const ss_joint *joint, int dimension)
{
    (void)dimension;
    return isnan(joint->length) ? 0 : 1;
}

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    if (rows(joint, dimension) == 0) {
        return;
    }
    double L = joint->length;
    ss_vec3 d = ss_span(s);
    g[0] = (ss_dot(d, d) - L * L) / (2 * L);
    ss_span_row(ss_scale(1 / L, d), &row[0]);
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    if (rows(joint, dimension) == 0) {
        return;
    }
    ss_vec3 rate = ss_span_rate(s);
    out[0] = (ss_dot(rate, rate) + ss_dot(ss_span(s), ss_span_accel(s))) / joint->length;
}

/* F = (lam / L) d */
static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    (void)s;
    if (rows(joint, dimension) == 0) {
        return;
    }
    double tension = lam[0] / joint->length;
    ss_span_stiffness((ss_mat3){ { { tension, 0, 0 }, { 0, tension, 0 }, { 0, 0, tension } } }, K);
}

static double coordinate(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row)
{
    (void)joint, (void)dimension;
    ss_span_row(ss_unit(ss_span(s)), row);
    return ss_norm(ss_span(s));
}

/* |d|'' = n . d'' + (|d'|^2 - (n . d')^2) / |d| */
static double coordinate_curvature(const ss_joint *joint, int dimension, const ss_spot s[2])
{
    (void)joint, (void)dimension;
    double length = ss_norm(ss_span(s));
    if (length == 0) {
        return 0;
    }
    ss_vec3 n = ss_unit(ss_span(s)), rate = ss_span_rate(s);
    double along = ss_dot(n, rate);
    return ss_dot(n, ss_span_accel(s)) + (ss_dot(rate, rate) - along * along) / length;
}

/* F = lam n, dF = lam (1 - n n') / |d| */
static void coordinate_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K)
{
    (void)joint, (void)dimension;
    double length = ss_norm(ss_span(s));
    if (length == 0) {
        return;
    }
    ss_vec3 n = ss_unit(ss_span(s));
    double k = lam / length;
    ss_mat3 D = ss_outer(ss_scale(-k, n), n);
    D.c[0].x += k;
    D.c[1].y += k;
    D.c[2].z += k;
    ss_span_stiffness(D, K);
}

const ss_joint_type ss_joint_distance = {
    .info = { .name = "distance",
              .title = "two points keep their distance",
              .reference = "PAGT06 10.1",
              .dimensions = 4 | 8,
              .fields = fields },
    .prepare = prepare,
    .rows = rows,
    .row_name = { { "force" }, { "force" } },
    .eval = eval,
    .curvature = curvature,
    .stiffness = stiffness,
    .coordinate = coordinate,
    .coordinate_curvature = coordinate_curvature,
    .coordinate_stiffness = coordinate_stiffness,
};
