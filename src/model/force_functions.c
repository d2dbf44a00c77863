/* force_functions.c - calls of the functions that a program gives to a force.
 *
 * A call that fails, or answers with a number that is not finite, ends what is being done: the message names the force, the
 * function and the time, and repeats what the function said through ss_context_fail.
 *
 * Derivatives that are not given are central differences in the 12 coordinates of the two points (primitives.h):
 *
 *     dw/dx_j ~ (w(x + d_j) - w(x - d_j)) / 2 d_j,     d_j = eps^(1/3) times what the coordinate is measured against:
 *
 *     displacement L, turn 1, velocity max(|v|, L/T), angular velocity max(|w|, 1/T);     L, T length and time of the model
 *
 * Cost   that of the functions: 48 wrenches for a Jacobian that is not given. Nothing is allocated. */
#include "model/force_functions.h"
#include <float.h>
#include <math.h>
#include <slipstick/drive.h>

enum { POINTS = 12 }; /* coordinates of two points */

ss_force_class ss_functions_class(const ss_force *force)
{
    return force->functions->potential ? SS_FORCE_SPRING : SS_FORCE_APPLIED;
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

static ss_force_points points_of(double t, const ss_spot s[2])
{
    ss_force_points p = { .t = t };
    for (int k = 0; k < 2; k++) {
        ss_v3_to(s[k].x, p.position[k]);
        ss_v3_to(s[k].v, p.velocity[k]);
        ss_v3_to(s[k].w, p.angular_velocity[k]);
        for (int j = 0; j < 3; j++) {
            double column[3];
            ss_v3_to(s[k].R.c[j], column);
            for (int i = 0; i < 3; i++) {
                p.rotation[k][3 * i + j] = column[i];
            }
        }
    }
    return p;
}

static ss_status failed(ss_context *ctx, const ss_model *m, const ss_force *force, const char *function, double t,
                        ss_status status)
{
    const char *name = m->force_name[force - m->force];
    if (*ss_last_error(ctx)) {
        return ss_fail_within(ctx, status, "force %.80s: its function `%s` failed at t = %.9g", name, function, t);
    }
    return ss_fail(ctx, status, "force %.80s: its function `%s` failed at t = %.9g: %s", name, function, t,
                   ss_status_text(status));
}

static ss_status check(ss_context *ctx, const ss_model *m, const ss_force *force, const char *function, double t, int n,
                       const double *x)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return ss_fail(ctx, SS_ERR_NUMERIC, "force %.80s: its function `%s` gave %g as number %d at t = %.9g",
                           m->force_name[force - m->force], function, x[i], i, t);
        }
    }
    return SS_OK;
}

static ss_status call_wrench(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                             double w[POINTS])
{
    const ss_force_points p = points_of(t, s);
    memset(w, 0, POINTS * sizeof *w);
    ss_error_clear(ctx);
    const ss_status status = force->functions->wrench(force->functions->user, &p, w);
    return status == SS_OK ? check(ctx, m, force, "wrench", t, POINTS, w) : failed(ctx, m, force, "wrench", t, status);
}

ss_status ss_functions_wrench(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                              ss_wrench w[2])
{
    double x[POINTS];
    SS_TRY(call_wrench(ctx, m, force, t, s, x));
    for (int k = 0; k < 2; k++) {
        w[k].force = ss_add(w[k].force, ss_v3_from(x + 6 * k));
        w[k].torque = ss_add(w[k].torque, ss_v3_from(x + 6 * k + 3));
    }
    return SS_OK;
}

ss_status ss_functions_potential(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                                 double *energy)
{
    const ss_force_points p = points_of(t, s);
    *energy = 0;
    if (!force->functions->potential) {
        return SS_OK;
    }
    ss_error_clear(ctx);
    const ss_status status = force->functions->potential(force->functions->user, &p, energy);
    return status == SS_OK ? check(ctx, m, force, "potential", t, 1, energy) : failed(ctx, m, force, "potential", t, status);
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* the points with coordinate j of their places, or of their velocities, changed by d */
static void shift(const ss_spot s[2], int j, bool velocity, double d, ss_spot out[2])
{
    const double unit[3] = { j % 3 == 0 ? d : 0, j % 3 == 1 ? d : 0, j % 3 == 2 ? d : 0 };
    const ss_vec3 by = ss_v3_from(unit);
    memcpy(out, s, 2 * sizeof *s);
    ss_spot *p = &out[j / 6];
    const bool turn = j % 6 >= 3;
    if (turn && !velocity) {
        p->R = ss_compose(ss_quat_matrix(ss_quat_exp(by)), p->R);
        return;
    }
    ss_vec3 *x = turn ? &p->w : velocity ? &p->v : &p->x;
    *x = ss_add(*x, by);
}

/* what coordinate j is measured against */
static double size_of(const ss_model *m, const ss_spot s[2], int j, bool velocity)
{
    const bool turn = j % 6 >= 3;
    const double unit = turn ? 1 : m->length;
    return velocity ? fmax(ss_norm(turn ? s[j / 6].w : s[j / 6].v), unit / m->time) : unit;
}

static ss_status differences(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                             bool velocity, double *K)
{
    for (int j = 0; j < POINTS; j++) {
        const double d = cbrt(DBL_EPSILON) * size_of(m, s, j, velocity);
        double w[2][POINTS];
        for (int side = 0; side < 2; side++) {
            ss_spot moved[2];
            shift(s, j, velocity, side ? d : -d, moved);
            SS_TRY(call_wrench(ctx, m, force, t, moved, w[side]));
        }
        for (int i = 0; i < POINTS; i++) {
            K[POINTS * i + j] = (w[1][i] - w[0][i]) / (2 * d);
        }
    }
    return SS_OK;
}

ss_status ss_functions_jacobian(ss_context *ctx, const ss_model *m, const ss_force *force, double t, const ss_spot s[2],
                                double *by_x, double *by_v)
{
    const ss_force_points p = points_of(t, s);
    if (!force->functions->jacobian) {
        SS_TRY(differences(ctx, m, force, t, s, false, by_x));
        return differences(ctx, m, force, t, s, true, by_v);
    }
    memset(by_x, 0, POINTS * POINTS * sizeof *by_x);
    memset(by_v, 0, POINTS * POINTS * sizeof *by_v);
    ss_error_clear(ctx);
    const ss_status status = force->functions->jacobian(force->functions->user, &p, by_x, by_v);
    if (status != SS_OK) {
        return failed(ctx, m, force, "jacobian", t, status);
    }
    SS_TRY(check(ctx, m, force, "jacobian", t, POINTS * POINTS, by_x));
    return check(ctx, m, force, "jacobian", t, POINTS * POINTS, by_v);
}
