/* moreau.c - Moreau's time stepping: contact at velocity level, impacts by Newton's law, no event is located.
 *
 * The scheme is that of theta.c [Aca09 eq. 16-18].
 *
 * Order   1 in l1 and about that in the Hausdorff distance of filled-in graphs, for positions and velocities, whatever the
 *         number of impacts in a step; none in the largest error of the velocity, which is O(1) beside an impact; 2 while
 *         motion is smooth. A contact that closes leaves an overlap of O(h) times its speed, and keeps it.
 * Cost    one problem per step where forces are linear */
#include "kernels/theta.h"

static ss_status step(ss_stepper *s, double h) { return ss_theta_step(s->work, s, h, NULL, NULL); }

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    ss_theta *x = NULL;
    (void)scheme_state;
    ss_status status = ss_theta_create(s, s->params, &x);
    *work = x;
    return status;
}

static void destroy(ss_context *ctx, void *work) { ss_theta_destroy(ctx, work); }

static ss_order order(const void *params) { return ss_theta_order(params, 1); }

const ss_scheme_type ss_scheme_moreau = {
    .info = { .name = "moreau",
              .title = "Moreau's time stepping with a theta method",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 1, .norm = "l1", .overlap = 1 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_POLYHEDRAL | SS_LAW_COULOMB | SS_LAW_BOUNDED | SS_LAW_ROLLING | SS_LAW_NEWTON |
                      SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .fields = ss_theta_fields,
              .params_size = sizeof(ss_theta_params) },
    .order = order,
    .contact_numbers = &ss_theta_numbers,
    .create = create,
    .destroy = destroy,
    .step = step,
};
