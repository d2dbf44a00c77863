/* spring_damper.c - a spring and a damper in parallel between two anchors:
 * F = -k (|d| - L) n - c (n . d') n. Equations and derivatives in links.c; the two parts keep their classes. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODIES,
    SS_FORCE_ANCHORS,
    SS_PART_NUMBER(ss_force_desc, "stiffness", stiffness, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED,
                   "N/m; negative: it drives its ends away from the rest length, and runs warn of it"),
    SS_PART_NUMBER(ss_force_desc, "damping", damping, NAN, 0, INFINITY, SS_FIELD_REQUIRED, "N s/m"),
    SS_PART_NUMBER(ss_force_desc, "length", length, NAN, 0, INFINITY, 0, "rest length, m; absent: the initial distance"),
    SS_FIELD_END,
};

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)t;
    ss_spring_add(force, s, w[SS_FORCE_SPRING]);
    ss_damper_add(force, s, w[SS_FORCE_DAMPER]);
}

static void jacobian(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v)
{
    (void)t;
    ss_spring_jacobian(force, s, k_q);
    ss_damper_jacobian(force, s, k_q, k_v);
}

const ss_force_type ss_force_spring_damper = {
    .info = { .name = "spring_damper",
              .title = "spring and damper in parallel",
              .reference = "PAGT06 10.3",
              .dimensions = 4 | 8,
              .fields = fields },
    .two_bodies = true,
    .eval = eval,
    .potential = ss_spring_energy,
    .jacobian = jacobian,
};
