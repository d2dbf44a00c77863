/* ball_study.h - studies of convergence of the ball of ball_scene.h, which falls and bounces in closed form. */
#ifndef SS_TEST_BALL_STUDY_H
#define SS_TEST_BALL_STUDY_H

#include "unit/study/ball_scene.h"

static const double steps[3] = { 0.125, 0.0625, 0.03125 };

static inline ss_converge_options ball_options(double until, ss_norm_kind norm, ss_quantity quantity)
{
    ss_converge_options o = ss_converge_options_default();
    o.values = 3;
    o.value = steps;
    o.norm = norm;
    o.quantity = quantity;
    o.base.scene = ball_scene();
    o.base.until = until;
    return o;
}

static inline ss_convergence *measure(ss_context *ctx, const ss_converge_options *o)
{
    ss_convergence *c = NULL;
    CHECK_OK(ctx, ss_converge(ctx, o, &c));
    CHECK(c->schemes == 1 && c->scheme[0].rows == o->values);
    return c;
}

/* ---- errors ------------------------------------------------------------------------------------------ */

/* of e_n = t_n h over n = 0 .. T/h with weights h */
static inline double closed_form(ss_norm_kind norm, double h, double until)
{
    double n = round(until / h);
    switch (norm) {
    case SS_NORM_L1:
        return h * h * h * n * (n + 1) / 2;
    case SS_NORM_L2:
        return h * h * sqrt(h * n * (n + 1) * (2 * n + 1) / 6);
    default:
        return until * h;
    }
}

#endif
