/* impact.h - impact laws for a set of touching contacts at a fixed configuration. */
#ifndef SS_IMPACT_H
#define SS_IMPACT_H

#include "kernels/assembly.h"

typedef enum ss_restitution { SS_RESTITUTION_POISSON, SS_RESTITUTION_SIMPLIFIED, SS_RESTITUTION_NEWTON } ss_restitution;

/* A pair of materials that names its impact law must agree with the law that is going to be used. */
ss_status ss_impact_check(const ss_stepper *s, ss_restitution law);
/* The assembly holds the geometry of all touching contacts at c (ss_assembly_geometry with h = 0).
 * e[nc]: restitution of each; trigger: the contact that collides first. v[nv] goes from v- to v+.
 * Reports every solved phase as a jump, and one impact event. */
ss_status ss_impact(ss_stepper *s, ss_assembly *a, const ss_config *c, ss_restitution law, const double *e, int trigger,
                    double *v);

#endif
