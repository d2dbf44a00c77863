/* moreau_projected.c - Moreau's time stepping, whose positions are put back where nothing overlaps.
 *
 *     M (v' - v) = h F + G' lam + H' P,   0 <= U' + e U  _|_  P >= 0       as in moreau.c             [Aca09 eq. 19a, c, d]
 *     q' = q (+) h v_th (+) dq,   M dq = H' tau + G' mu                    by separation.c            [Aca09 eq. 19b]
 *     0 <= g(q')  _|_  tau >= 0,   joints are satisfied                                               [Aca09 eq. 19e]
 *
 * Deviations   dq is the smallest displacement by mass; the paper's q' = .. + G tau has no unit of mass in it.
 *              tau is found after P, not together with it: velocities do not depend on tau within the step.
 *              e = 0 for approaches that would repeat themselves for ever (theta_contacts.c).
 *              Where positions have no solution (a body wedged in), the overlap stays and is reported as such.
 * Order        as moreau.c, but no overlap is left; velocities through an accumulation of impacts h log(1/h) (docs/moreau.md)
 * Cost         a search for overlaps per step; one or two problems more in steps that end with one */
#include "kernels/separation.h"
#include "kernels/theta.h"

typedef struct projected_work {
    ss_theta *theta;
    ss_separation *apart;
} projected_work;

static ss_status correct(void *user, ss_stepper *s, double t, double *q, const double *v)
{
    projected_work *w = user;
    const ss_overlapping_state what = { .t = t, .q = q, .v = v, .touch = ss_stepper_touch(s), .e = 1 };
    return ss_separation_apply(w->apart, s, &what);
}

static ss_status step(ss_stepper *s, double h)
{
    projected_work *w = s->work;
    return ss_theta_step(w->theta, s, h, correct, w);
}

static void destroy(ss_context *ctx, void *work)
{
    projected_work *w = work;
    if (w) {
        ss_theta_destroy(ctx, w->theta);
        ss_separation_destroy(ctx, w->apart);
        ss_free(ctx, w);
    }
}

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    projected_work *w;
    (void)scheme_state;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    SS_TRY(ss_theta_create(s, s->params, &w->theta));
    return ss_separation_create(s->ctx, s->model, &w->apart);
}

static ss_order order(const void *params) { return ss_theta_order(params, 0); }

const ss_scheme_type ss_scheme_moreau_projected = {
    .info = { .name = "moreau_projected",
              .title = "Moreau's time stepping, positions projected",
              .reference = "Aca09",
              .order = { .smooth = 2, .impacts = 1, .norm = "l1", .overlap = 0 },
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
