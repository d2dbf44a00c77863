/* callback.c - a force between two points whose functions a program gives while the simulation runs (ss_sim_set_functions).
 * The scene says where it acts. What is evaluated is in model/force_functions.c; without functions the force is zero. */
#include "model/fields.h"
#include "model/model.h"

static const ss_field fields[] = {
    SS_FORCE_NAME, SS_FORCE_TYPE, SS_FORCE_BODIES, SS_FORCE_ANCHORS, SS_FIELD_END,
};

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)force, (void)t, (void)s, (void)w;
}

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    (void)force, (void)t, (void)s, (void)k_q, (void)k_v;
}

const ss_force_type ss_force_callback = {
    .info = { .name = "callback",
              .title = "force that a program computes",
              .reference = "docs/control.md",
              .dimensions = 4 | 8,
              .fields = fields },
    .two_bodies = true,
    .by_program = true,
    .eval = eval,
    .jacobian = jacobian,
};
