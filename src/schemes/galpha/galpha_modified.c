/* galpha_modified.c - a negative example: the nonsmooth generalized-alpha method with another law of positions.
 *
 *     0 <= g_N(q')  _|_  nu - h Lam >= 0        in place of   0 <= g_N(q')  _|_  nu >= 0       [BAC14 eq. 25, 27 for eq. 28]
 *
 * and all else as in galpha_ggl. nu - h Lam stands for the multiplier mu of eq. 17a, which is zero in an exact solution; it is a
 * difference of two numbers of order h, and its sign is that of numerical errors. So a contact that should rest comes off and
 * closes in turn, for ever [BAC14 section 10.1, Figures 2 and 3].
 *
 * The scheme is there for that comparison. It has no friction, and no test holds it to anything but its chatter.
 * Cost   that of galpha_ggl with newton = sequential */
#include "schemes/galpha/galpha_inside.h"

static const ss_field fields[] = {
    SS_OPTION_NUMBER(galpha_params, rho_inf, 0.8, 0, 1, "spectral radius at infinite frequency"),
    SS_OPTION_CHOICE(galpha_params, activate, GALPHA_AT_FREE, "either|free|start|forecast|end",
                     "positions that tell which contacts are closed at velocity level, as in galpha_ggl"),
    SS_OPTION_INT(galpha_params, iterations, 30, 1, 1000, "most Newton iterations before the step is halved"),
    SS_FIELD_END,
};

static const galpha_kind modified = { .velocities = true, .implicit = true };

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state; /* zero: there is no past */
    return galpha_create(s, &modified, work);
}

const ss_scheme_type ss_scheme_galpha_modified = {
    .info = { .name = "galpha_modified",
              .title = "nonsmooth generalized-alpha, modified law of positions, which chatters",
              .reference = "BAC14",
              .order = { .smooth = 2, .impacts = 0.75, .norm = "l1", .overlap = 0 },
              .laws = SS_LAW_UNILATERAL | SS_LAW_BOUNDED | SS_LAW_NEWTON | SS_LAW_INELASTIC,
              .dimensions = 4 | 8,
              .demonstration = true,
              .fields = fields,
              .params_size = sizeof(galpha_params) },
    .scheme_state_size = galpha_state_size,
    .create = create,
    .destroy = galpha_destroy,
    .step = galpha_step,
};
