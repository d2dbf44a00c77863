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
    GALPHA_RHO_INF,
    GALPHA_ACTIVATE(GALPHA_AT_FREE),
    GALPHA_ITERATIONS,
    SS_FIELD_END,
};

static const galpha_kind modified = { .velocities = true, .implicit = true };

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    (void)scheme_state;
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
    GALPHA_FUNCTIONS(create),
};
