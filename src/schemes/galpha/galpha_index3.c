/* galpha_index3.c - a negative example: the smooth generalized-alpha method, joints and contacts at position level alone.
 *
 *     M w' = f(t', q', v') + G' lam + H_N' lam_N,   g(q') = 0,   0 <= g_N(q')  _|_  lam_N >= 0            [BAC14 eq. 51]
 *     q', v' from w and w' by the formulae of generalized-alpha                                          [BAC14 eq. 52]
 *
 * There is no impact law: a velocity jumps by what brings the gap to zero within a step, whatever that is, and impacts make
 * energy [BAC14 section 10.1, Figure 2]. The scheme is there for that comparison; restitution is not looked at, and no test holds
 * it to anything but its growth of energy.
 *
 * With U = q' - q~, q~ being where forces alone lead to, eq. 52 is
 *     M U = G' nu_J + H_N' nu,   v' = v~ + gamma/(beta h) U,   lam = (1 - alpha_m)/((1 - alpha_f) beta h^2) nu
 * so a substep is the smooth motion without joints and the problem of positions of galpha_ggl, by which velocities follow.
 * Refused   motors that hold a speed, which have no position to be asked for
 * Cost      one linear system and one contact problem per iteration */
#include "schemes/galpha/galpha_inside.h"

static const ss_field fields[] = {
    GALPHA_RHO_INF,
    GALPHA_ITERATIONS,
    SS_FIELD_END,
};

static const galpha_kind index3 = { .velocities = false };

static ss_status create(ss_stepper *s, void **work, double *scheme_state)
{
    const ss_model *m = s->model;
    (void)scheme_state;
    for (int j = 0; j < m->joints; j++) {
        const bool motor = m->joint[j].motor.row || m->joint[j].motor.bounded;
        if (motor || m->joint[j].resistance.friction > 0) {
            return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                           "scheme.name: galpha_index3 asks for positions alone, and the %s of joint %s %s",
                           motor ? "motor" : "dry friction", m->joint_name[j], motor ? "holds a speed" : "acts on a speed");
        }
    }
    return galpha_create(s, &index3, work);
}

const ss_scheme_type ss_scheme_galpha_index3 = {
    .info = { .name = "galpha_index3",
              .title = "smooth generalized-alpha, positions alone, whose impacts make energy",
              .reference = "BAC14",
              .order = { .smooth = 2, .impacts = 0, .norm = "l1", .overlap = 0 },
              .laws = SS_LAW_UNILATERAL,
              .dimensions = 4 | 8,
              .demonstration = true,
              .fields = fields,
              .params_size = sizeof(galpha_params) },
    GALPHA_FUNCTIONS(create),
};
