/* slide.c - a block that slides on a plane with dry friction, and stops.
 *
 *   u' = g sin(angle) - mu g cos(angle) sgn(u)      until u = 0; then it sticks if tan(angle) <= mu, else it slides down
 *
 * On a level floor in any direction, on a ramp along the slope.
 *
 * Reference   AP97; thrown with v on a level floor it stops after v / (mu g) seconds and v^2 / (2 mu g) metres */
#include "exact/sliding.h"

static ss_status create(ss_exact *x, void **data)
{
    if (x->model->forces > 0) {
        return ss_exact_refuse(x, "expected no force but gravity, found %d", x->model->forces);
    }
    return ss_sliding_create(x, NULL, data);
}

const ss_exact_type ss_exact_slide = {
    .info = { .name = "slide",
              .title = "block that slides on a plane with friction, and stops",
              .reference = "AP97",
              .laws = SS_LAW_COULOMB | SS_LAW_POLYHEDRAL, /* convex schemes lift what slides from the start */
              .dimensions = 4 | 8 },
    .create = create,
    .destroy = ss_sliding_destroy,
    .at = ss_sliding_at,
    .next_kink = ss_sliding_next_kink,
};
