/* damper.c - a linear damper between two anchors: F = -c (n . d') n.
 * Equations and derivatives in links.c; class DAMPER. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODIES,
    SS_FORCE_ANCHORS,
    SS_PART_NUMBER(ss_force_desc, "damping", damping, NAN, 0, INFINITY, SS_FIELD_REQUIRED, "N s/m"),
    SS_FIELD_END,
};

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)t;
    ss_damper_add(force, s, w[SS_FORCE_DAMPER]);
}

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    (void)t;
    ss_damper_jacobian(force, s, k_q, k_v);
}

const ss_force_type ss_force_damper = {
    .info = { .name = "damper",
              .title = "linear damper between two points",
              .reference = "PAGT06 10.3",
              .dimensions = 4 | 8,
              .fields = fields },
    .two_bodies = true,
    .eval = eval,
    .jacobian = jacobian,
};
