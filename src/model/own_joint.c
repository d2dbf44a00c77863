/* own_joint.c - joints from outside the library: a program gives g and its rows J as functions of two points and axes.
 *
 *   J_i'            = K_i x',                        K_i = d(J' e_i)/dx,   x the 12 coordinates of the points (primitives.h)
 *   curvature_i     = x' . K_i x' + J_i . (a_0, 0, a_1, 0)                 x' their rates, a accelerations while twists stay
 *   stiffness       = sum of lam_i K_i
 *
 * Derivatives     that are not given, along a displacement y: fourth order, y scaled to a part d = eps^(1/5) of its unit,
 *                     J' ~ (8 (J(d) - J(-d)) - (J(2d) - J(-2d))) / 12 d
 *                 so that d^4/30 of the fifth derivative and the rounding 3 eps/d / 2 are 1e-14 and 5e-13. The unit of turns is
 *                 1, that of displacements the longest of the arms and the span of the points at the start
 * Coordinate      the angle about the axis or the way along it: in closed form, as of the joints of the library
 * Failure         functions of a joint type cannot fail: numbers become NAN, and who evaluates all joints asks
 *                 ss_own_joint_check
 * Cost            an evaluation of J is one call; without `stiffness` the curvature is 5 calls, the stiffness 48 */
#include "base/tolerances.h"
#include "model/attachment.h"
#include "model/fields.h"
#include "model/own.h"
#include "model/points.h"
#include "model/primitives.h"
#include <float.h>
#include <math.h>

enum { ROWS_MAX = 6, X = SS_POINT_COORDINATES };

typedef struct own_joint {
    ss_joint_type type;
    ss_field fields[SS_OWN_FIELDS];
} own_joint;

static void fill_nan(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = NAN;
    }
}

/* ---- calls ----------------------------------------------------------------------------------------------------- */

/* the points, with the axes of the joint in place of those of the bodies */
static ss_force_points points_of(const ss_joint *joint, int dimension, const ss_spot s[2])
{
    ss_mat3 B[2];
    ss_joint_bases(joint, s, B);
    const ss_spot resting[2] = { { .x = s[0].x, .R = B[0] }, { .x = s[1].x, .R = B[1] } };
    return ss_points_of(dimension, 0, resting, joint->number);
}

static void call(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, double *J)
{
    const ss_own_joint *own = joint->type->outside;
    const ss_force_points p = points_of(joint, dimension, s);
    memset(g, 0, (size_t)joint->rows * sizeof *g);
    memset(J, 0, (size_t)(X * joint->rows) * sizeof *J);
    if (own->eval(own->user, &p, g, J) != SS_OK) {
        fill_nan(joint->rows, g);
        fill_nan(X * joint->rows, J);
    }
}

/* K += what the program gives */
static void call_stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    const ss_own_joint *own = joint->type->outside;
    const ss_force_points p = points_of(joint, dimension, s);
    double given[X * X] = { 0 };
    if (own->stiffness(own->user, &p, lam, given) != SS_OK) {
        fill_nan(X * X, given);
    }
    for (int i = 0; i < X * X; i++) {
        K[i] += given[i];
    }
}

/* ---- differences -------------------------------------------------------------------------------------------------- */

/* dg[rows] and dJ[rows * X]: derivatives along y */
static void differences(const ss_joint *joint, int dimension, const ss_spot s[2], const double y[X], double *dg, double *dJ)
{
    static const double place[] = { -2, -1, 1, 2 }, weight[] = { 1, -8, 8, -1 };
    double size = 0, g[ROWS_MAX], J[ROWS_MAX * X];
    for (int j = 0; j < X; j++) {
        size = fmax(size, fabs(y[j]) / (ss_points_is_turn(j) ? 1 : joint->length));
    }
    const double d = pow(DBL_EPSILON, 0.2) / size;
    memset(dg, 0, (size_t)joint->rows * sizeof *dg);
    memset(dJ, 0, (size_t)(X * joint->rows) * sizeof *dJ);
    for (int side = 0; size > 0 && side < 4; side++) {
        double by[X];
        ss_spot moved[2];
        for (int j = 0; j < X; j++) {
            by[j] = place[side] * d * y[j];
        }
        ss_points_move(s, by, NULL, moved);
        call(joint, dimension, moved, g, J);
        for (int i = 0; i < joint->rows; i++) {
            dg[i] += weight[side] / (12 * d) * g[i];
        }
        for (int i = 0; i < X * joint->rows; i++) {
            dJ[i] += weight[side] / (12 * d) * J[i];
        }
    }
}

/* ---- the joint type ------------------------------------------------------------------------------------------------ */

static int rows(const ss_joint *joint, int dimension) { return joint->type->outside->rows[dimension - 2]; }

static void eval(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row)
{
    double J[ROWS_MAX * X];
    call(joint, dimension, s, g, J);
    for (int i = 0; i < joint->rows; i++) {
        const double *x = J + X * i;
        row[i] = (ss_twist_row){ { ss_v3_from(x), ss_v3_from(x + 6) }, { ss_v3_from(x + 3), ss_v3_from(x + 9) } };
    }
}

static void stiffness(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K)
{
    double dg[ROWS_MAX], dJ[ROWS_MAX * X];
    if (joint->type->outside->stiffness) {
        call_stiffness(joint, dimension, s, lam, K);
        return;
    }
    for (int j = 0; j < X; j++) {
        double y[X] = { 0 };
        y[j] = ss_points_have(dimension, j);
        differences(joint, dimension, s, y, dg, dJ);
        for (int i = 0; i < X * joint->rows; i++) {
            K[X * (i % X) + j] += lam[i / X] * dJ[i];
        }
    }
}

/* x . K_i x, of all rows */
static void bend(const ss_joint *joint, int dimension, const ss_spot s[2], const double x[X], double *out)
{
    double dg[ROWS_MAX], dJ[ROWS_MAX * X];
    memset(out, 0, (size_t)joint->rows * sizeof *out);
    if (!joint->type->outside->stiffness) {
        differences(joint, dimension, s, x, dg, dJ);
        for (int i = 0; i < X * joint->rows; i++) {
            out[i / X] += dJ[i] * x[i % X];
        }
        return;
    }
    for (int k = 0; k < joint->rows; k++) {
        double lam[ROWS_MAX] = { 0 }, K[X * X] = { 0 };
        lam[k] = 1;
        call_stiffness(joint, dimension, s, lam, K);
        for (int i = 0; i < X * X; i++) {
            out[k] += x[i / X] * K[i] * x[i % X];
        }
    }
}

static void curvature(const ss_joint *joint, int dimension, const ss_spot s[2], double *out)
{
    ss_twist_row row[ROWS_MAX];
    double rate[X], g[ROWS_MAX];
    for (int k = 0; k < 2; k++) {
        ss_v3_to(s[k].v, rate + 6 * k);
        ss_v3_to(s[k].w, rate + 6 * k + 3);
    }
    bend(joint, dimension, s, rate, out);
    eval(joint, dimension, s, g, row);
    for (int i = 0; i < joint->rows; i++) {
        out[i] += ss_dot(row[i].lin[0], s[0].a) + ss_dot(row[i].lin[1], s[1].a);
    }
}

ss_status ss_own_joint_check(ss_context *ctx, const ss_model *m, const ss_joint *joint, double t, int n, const double *x)
{
    const char *name = m->joint_name[joint - m->joint];
    for (int i = 0; joint->type->outside && i < n; i++) {
        if (!isfinite(x[i]) && *ss_last_error(ctx)) {
            return ss_fail_within(ctx, SS_ERR_NUMERIC, "joint %.80s: a function of its type %.80s failed at t = %.9g", name,
                                  joint->type->info.name, t);
        }
        if (!isfinite(x[i])) {
            return ss_fail(ctx, SS_ERR_NUMERIC,
                           "joint %.80s: a function of its type %.80s failed, or gave a number that is not finite, at t = %.9g",
                           name, joint->type->info.name, t);
        }
    }
    return SS_OK;
}

/* ---- do they fit each other? ------------------------------------------------------------------------------------------ */

/* Two rows of derivatives by the 12 coordinates, times `unit` of what they are derivatives of; where they differ most, -1: they
 * do not. */
static int find_misfit(double length, double unit, double size, const double given[X], const double found[X])
{
    int worst = -1;
    double most = 0;
    for (int j = 0; j < X; j++) {
        const double scale = unit * (ss_points_is_turn(j) ? 1 : length);
        size = fmax(size, scale * fmax(fabs(given[j]), fabs(found[j])));
    }
    for (int j = 0; j < X; j++) {
        const double off = unit * (ss_points_is_turn(j) ? 1 : length) * fabs(given[j] - found[j]);
        worst = !(off <= fmax(most, SS_OWN_MISFIT * size)) ? j : worst; /* a NaN does not fit */
        most = fmax(most, off);
    }
    return worst;
}

typedef struct trial {
    ss_compiler *x;
    const ss_joint *joint;
    const char *path;
    ss_spot s[2];
    double J[ROWS_MAX * X], dg[X][ROWS_MAX], dJ[X][ROWS_MAX * X];
} trial;

static ss_status misfit(const trial *t, const char *function, int row, int j, double given, double found)
{
    static const char *const words[X] = { "x of the first point",         "y of the first point",
                                          "z of the first point",         "a turn of the first about x",
                                          "a turn of the first about y",  "a turn of the first about z",
                                          "x of the second point",        "y of the second point",
                                          "z of the second point",        "a turn of the second about x",
                                          "a turn of the second about y", "a turn of the second about z" };
    return ss_fail(t->x->ctx, SS_ERR_INPUT,
                   "%s: `%s` of joint type %.80s does not fit: row %d changes with %s by %g, differences say %g", t->path,
                   function, t->joint->type->info.name, row, words[j], given, found);
}

static ss_status verify_rows(const trial *t)
{
    for (int i = 0; i < t->joint->rows; i++) {
        double found[X] = { 0 };
        for (int j = 0; j < X; j++) {
            found[j] = ss_points_have(t->x->m->dimension, j) ? t->dg[j][i] : t->J[X * i + j];
        }
        const int worst = find_misfit(t->joint->length, 1, 0, t->J + X * i, found);
        if (worst >= 0) {
            return misfit(t, "eval", i, worst, t->J[X * i + worst], found[worst]);
        }
    }
    return SS_OK;
}

static ss_status verify_stiffness(const trial *t)
{
    const int dimension = t->x->m->dimension;
    for (int k = 0; t->joint->type->outside->stiffness && k < X * t->joint->rows; k++) {
        double lam[ROWS_MAX] = { 0 }, K[X * X] = { 0 }, found[X];
        const int i = k % X;
        lam[k / X] = 1;
        call_stiffness(t->joint, dimension, t->s, lam, K);
        for (int j = 0; j < X; j++) {
            const bool both = ss_points_have(dimension, i) && ss_points_have(dimension, j);
            found[j] = both ? t->dJ[j][k] : K[X * i + j];
        }
        const double unit = ss_points_is_turn(i) ? 1 : t->joint->length;
        const int worst = find_misfit(t->joint->length, unit, unit * fabs(t->J[k]), K + X * i, found);
        if (worst >= 0) {
            return misfit(t, "stiffness", k / X, worst, K[X * i + worst], found[worst]);
        }
    }
    return SS_OK;
}

/* its points at the start */
static void start_of(const ss_model *m, const ss_joint *joint, ss_spot s[2])
{
    for (int k = 0; k < 2; k++) {
        const int b = joint->at[k].body;
        s[k] = ss_spot_in_frame(b < m->bodies ? m->body_frame0[b] : ss_frame_identity(), joint->at[k].point, NULL);
    }
}

/* what displacements of its points are measured against: the longest of its arms and its span, if there are any */
static double length_of(const ss_model *m, const ss_joint *joint, const ss_spot s[2])
{
    double own = ss_norm(ss_span(s));
    for (int k = 0; k < 2; k++) {
        own = fmax(own, ss_model_is_dynamic(m, joint->at[k].body) ? ss_norm(s[k].arm) : 0);
    }
    return own > SS_TOL_SCENE * m->length ? fmin(own, m->length) : m->length;
}

/* near the start, where no symmetry hides anything; also the unit of its differences, which is known now */
ss_status ss_own_joint_verify(ss_compiler *x, int j, const char *path)
{
    ss_model *m = x->m;
    ss_joint *joint = &m->joint[j];
    double g[ROWS_MAX], away[X];
    ss_spot start[2];
    trial t = { .x = x, .joint = joint, .path = path };
    start_of(m, joint, start);
    joint->length = length_of(m, joint, start);
    ss_points_somewhere(m->dimension, joint->length, 0.01, away);
    ss_points_move(start, away, NULL, t.s);
    ss_error_clear(x->ctx);
    call(joint, m->dimension, t.s, g, t.J);
    SS_TRY(ss_own_joint_check(x->ctx, m, joint, 0, joint->rows, g));
    SS_TRY(ss_own_joint_check(x->ctx, m, joint, 0, X * joint->rows, t.J));
    for (int c = 0; c < X; c++) {
        double y[X] = { 0 };
        y[c] = 1;
        differences(joint, m->dimension, t.s, y, t.dg[c], t.dJ[c]);
    }
    SS_TRY(verify_rows(&t));
    return verify_stiffness(&t);
}

/* ---- adding one --------------------------------------------------------------------------------------------------------- */

static const ss_field plain_fields[] = { SS_JOINT_PLACE, SS_JOINT_COLLIDE, SS_FIELD_END };
static const ss_field angle_fields[] = {
    SS_JOINT_PLACE, SS_JOINT_AXIS(SS_FIELD_REQUIRED | SS_FIELD_ONLY_3D, "axis of its angle, in the frame of the first body"),
    SS_JOINT_ANGLE, SS_FIELD_END
};
static const ss_field slide_fields[] = {
    SS_JOINT_PLACE, SS_JOINT_AXIS(SS_FIELD_REQUIRED, "axis that it slides along, in the frame of the first body"),
    SS_JOINT_DISPLACEMENT, SS_FIELD_END
};

static ss_status check_given(ss_context *ctx, const ss_own_joint *own)
{
    const char *name = own->info.name ? own->info.name : "";
    if (!own->eval) {
        return ss_fail(ctx, SS_ERR_INPUT, "joint %.80s: it needs a function `eval`", name);
    }
    if (!(own->info.dimensions & (4 | 8))) {
        return ss_fail(ctx, SS_ERR_INPUT, "joint %.80s: info.dimensions says neither 2D (4) nor 3D (8)", name);
    }
    for (int d = 2; d <= 3; d++) {
        const int n = own->rows[d - 2];
        if (own->info.dimensions & (1u << d) && !(n >= 1 && n <= ROWS_MAX)) {
            return ss_fail(ctx, SS_ERR_INPUT, "joint %.80s: it has %d rows in %dD, expected 1 to %d", name, n, d, ROWS_MAX);
        }
        for (int k = 0; own->info.dimensions & (1u << d) && k < n; k++) {
            if (!own->row_name[d - 2][k]) {
                return ss_fail(ctx, SS_ERR_INPUT, "joint %.80s: row %d has no name in %dD", name, k, d);
            }
        }
    }
    return SS_OK;
}

static ss_joint_type type_of(const ss_own_joint *own)
{
    ss_joint_type plain = { .info = own->info,
                            .outside = own,
                            .turns = own->turns,
                            .rows = rows,
                            .eval = eval,
                            .curvature = curvature,
                            .stiffness = stiffness },
                  turning = { SS_COORDINATE_ANGLE }, sliding = { SS_COORDINATE_DISPLACEMENT };
    const ss_joint_type *with = own->coordinate == SS_OWN_ANGLE ? &turning : &sliding;
    memcpy(plain.row_name, own->row_name, sizeof plain.row_name);
    if (own->coordinate != SS_OWN_NONE) {
        plain.angular = own->coordinate == SS_OWN_ANGLE;
        plain.prepare = plain.angular ? ss_turn_prepare : ss_displacement_prepare;
        plain.coordinate = with->coordinate;
        plain.coordinate_curvature = with->coordinate_curvature;
        plain.coordinate_stiffness = with->coordinate_stiffness;
    }
    return plain;
}

ss_status ss_context_add_joint(ss_context *ctx, const ss_own_joint *own)
{
    const ss_field *const common[] = { plain_fields, angle_fields, slide_fields };
    own_joint *x = NULL;
    SS_TRY(check_given(ctx, own));
    if (!(own->coordinate >= SS_OWN_NONE && own->coordinate <= SS_OWN_DISPLACEMENT)) {
        return ss_fail(ctx, SS_ERR_INPUT, "joint %.80s: there is no coordinate %d", own->info.name ? own->info.name : "",
                       (int)own->coordinate);
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    x->type = type_of(own);
    x->type.info.fields = x->fields;
    const ss_status status =
        ss_own_fields(ctx, "joint", &own->info, common[own->coordinate], offsetof(ss_joint_desc, number), x->fields);
    if (status != SS_OK) {
        ss_free(ctx, x);
        return status;
    }
    return ss_own_add(ctx, SS_JOINTS, &x->type.info);
}
