/* stick_slip.c - a block on a rough plane, pushed to and fro by a force that swings.
 *
 *   m u' = F sin(omega t + phase) + m g sin(angle) - mu N sgn(u),  N = m g cos(angle)      while it slips
 *   u = 0                                                          while the push is at most mu N
 *
 * The force is one "sinusoid" along the plane, through the centre of mass; F cos(omega t) has the phase pi/2.
 *
 * Reference   PAGT06 section 10.2 (m = 1, F = 8 cos t, mu = 0.8, g = 9.81) */
#include "base/tolerances.h"
#include "exact/resting.h"
#include "exact/sliding.h"

static ss_status check_no_torque(const ss_exact *x, const ss_force *force)
{
    const ss_model *m = x->model;
    ss_vec3 arm = ss_rotate(m->body_frame0[force->at[0].body].R, force->at[0].point);
    double torque = ss_norm(ss_add(ss_cross(arm, force->force), force->torque));
    if (m->body_type[force->at[0].body] == SS_BODY_RIGID && torque > SS_TOL_EXACT * ss_norm(force->force) * m->length) {
        return ss_exact_refuse(x, "expected a force through the centre of mass and no torque, got %g N m", torque);
    }
    return SS_OK;
}

static ss_status create(ss_exact *x, void **data)
{
    const ss_model *m = x->model;
    if (m->forces != 1 || strcmp(m->force->type->info.name, "sinusoid") != 0) {
        return ss_exact_refuse(x, "expected one force, a \"sinusoid\" (a cosine is one with the phase pi/2)");
    }
    SS_TRY(check_no_torque(x, m->force));
    return ss_sliding_create(x, m->force, data);
}

const ss_exact_type ss_exact_stick_slip = {
    .info = { .name = "stick_slip",
              .title = "block on a rough plane under a force that swings",
              .reference = "PAGT06 10.2",
              .laws = SS_LAW_COULOMB | SS_LAW_POLYHEDRAL, /* convex schemes lift what slides from the start */
              .dimensions = 4 | 8 },
    .create = create,
    .destroy = ss_sliding_destroy,
    .at = ss_sliding_at,
    .next_kink = ss_sliding_next_kink,
};
