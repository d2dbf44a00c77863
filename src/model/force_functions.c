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
#include "model/points.h"
#include <float.h>
#include <math.h>

enum { POINTS = SS_POINT_COORDINATES };

ss_force_class ss_functions_class(const ss_force *force)
{
    return force->functions->potential ? SS_FORCE_SPRING : SS_FORCE_APPLIED;
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

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
    const ss_force_points p = ss_points_of(m->dimension, t, s, force->number);
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
    const ss_force_points p = ss_points_of(m->dimension, t, s, force->number);
    *energy = 0;
    if (!force->functions->potential) {
        return SS_OK;
    }
    ss_error_clear(ctx);
    const ss_status status = force->functions->potential(force->functions->user, &p, energy);
    return status == SS_OK ? check(ctx, m, force, "potential", t, 1, energy) : failed(ctx, m, force, "potential", t, status);
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* what coordinate j is measured against */
static double size_of(const ss_model *m, const ss_spot s[2], int j, bool velocity)
{
    const bool turn = ss_points_is_turn(j);
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
            double by[POINTS] = { 0 };
            ss_spot moved[2];
            by[j] = side ? d : -d;
            ss_points_move(s, velocity ? NULL : by, velocity ? by : NULL, moved);
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
    const ss_force_points p = ss_points_of(m->dimension, t, s, force->number);
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
