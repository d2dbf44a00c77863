/* sinusoid.c - F sin(omega t + phase), T sin(omega t + phase).
 * The force acts at a point fixed in the body, force and torque are in world axes; class APPLIED. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODY,
    SS_FORCE_POINT,
    SS_PART_FIELD(ss_force_desc, "force", SS_FIELD_VECTOR, force, 0, "amplitude, N, world"),
    SS_PART_FIELD(ss_force_desc, "torque", SS_FIELD_SPIN, torque, 0, "amplitude, N m, world"),
    SS_PART_NUMBER(ss_force_desc, "omega", omega, NAN, -INFINITY, INFINITY, SS_FIELD_REQUIRED, "rad/s"),
    SS_PART_NUMBER(ss_force_desc, "phase", phase, 0, -INFINITY, INFINITY, 0, "rad"),
    SS_FIELD_END,
};

static ss_vec3 swing(const ss_force *force, double t, ss_vec3 amplitude)
{
    return ss_scale(sin(force->omega * t + force->phase), amplitude);
}

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)s;
    ss_load_add(swing(force, t, force->force), swing(force, t, force->torque), w[SS_FORCE_APPLIED]);
}

const ss_force_type ss_force_sinusoid = {
    .info = { .name = "sinusoid",
              .title = "force and torque times sin(omega t + phase)",
              .reference = "",
              .dimensions = 4 | 8,
              .fields = fields },
    .eval = eval,
};
