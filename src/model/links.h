/* links.h - what the forces share: pulls along the line between two points, and loads on one body. */
#ifndef SS_LINKS_H
#define SS_LINKS_H

#include "model/primitives.h"

/* spring: F = -k (|d| - L) n at point 1, the opposite at point 0; n = d/|d|, 0 where |d| = 0 */
void ss_spring_add(const ss_force *force, const ss_spot s[2], ss_wrench w[2]);
double ss_spring_energy(const ss_force *force, const ss_spot s[2]);
void ss_spring_jacobian(const ss_force *force, const ss_spot s[2], double *k_q);

/* damper: F = -c (n . d') n at point 1 */
void ss_damper_add(const ss_force *force, const ss_spot s[2], ss_wrench w[2]);
void ss_damper_jacobian(const ss_force *force, const ss_spot s[2], double *k_q, double *k_v);

/* load: the world force F at point 0 and the world torque T there; neither depends on where the point is */
static inline void ss_load_add(ss_vec3 F, ss_vec3 T, ss_wrench w[2])
{
    w[0].force = ss_add(w[0].force, F);
    w[0].torque = ss_add(w[0].torque, T);
}

#endif
