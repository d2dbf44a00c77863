/* driven_jumps.c - driven bodies whose prescribed motion jumps.
 *
 * A body that is at x before the time t and elsewhere after it has no velocity there: what lies in between would be passed
 * through, or pushed with a speed that depends on the length of the step. Such a motion is refused. Jumps are where expressions
 * have kinks (floor, sign, step, ..): the values just before and at that time are compared.
 *
 * Cost   a search for kinks in the expressions of driven bodies; nothing where these have none */
#include "base/tolerances.h"
#include "model/model.h"
#include <math.h>

/* A jump between the last number before t and t; false: none until `until`. */
static bool find_jump(const ss_expr *x, double unit, double from, double until, double *t, double *jump)
{
    if (!x || ss_expr_is_constant(x)) {
        return false;
    }
    for (*t = ss_expr_next_kink(x, from, until); isfinite(*t); *t = ss_expr_next_kink(x, *t, until)) {
        *jump = ss_expr_eval(x, *t) - ss_expr_eval(x, nextafter(*t, -INFINITY));
        if (fabs(*jump) > SS_TOL_UNSEEN * unit) {
            return true;
        }
    }
    return false;
}

ss_status ss_model_check_driven(ss_context *ctx, const ss_model *m, double from, double until)
{
    static const char *const names[] = { "position x", "position y", "position z", "angle" };
    for (int b = 0; b < m->bodies; b++) {
        for (int k = 0; k < 4 && m->body_type[b] == SS_BODY_DRIVEN; k++) {
            const ss_expr *x = k < 3 ? m->body_motion[b][k] : m->body_motion_angle[b];
            double t, jump;
            if (find_jump(x, k < 3 ? m->length : 1, from, until, &t, &jump)) {
                return ss_fail(
                    ctx, SS_ERR_INPUT,
                    "driven body %s: %s jumps by %.9g %s at t = %.9g s; a prescribed motion must be continuous, as what "
                    "lies in between would be passed through",
                    m->body_name[b], names[k], jump, k < 3 ? "m" : "rad", t);
            }
        }
    }
    return SS_OK;
}
