/* links.h - what the forces share: pulls along the line between two anchors, and loads on one body. */
#ifndef SS_LINKS_H
#define SS_LINKS_H

#include "model/primitives.h"

/* spring: F = -k (|d| - L) n on body 1, the opposite on body 0; n = d/|d|, 0 where |d| = 0 */
void ss_spring_add(const ss_force *force, const ss_frame f[2], ss_wrench w[2]);
double ss_spring_energy(const ss_force *force, const ss_frame f[2]);
void ss_spring_jacobian(const ss_force *force, const ss_frame f[2], double *k_q);

/* damper: F = -c (n . d') n on body 1 */
void ss_damper_add(const ss_force *force, const ss_frame f[2], const ss_vec3 tw[2][2], ss_wrench w[2]);
void ss_damper_jacobian(const ss_force *force, const ss_frame f[2], const ss_vec3 tw[2][2], double *k_q, double *k_v);

/* load: the world force F at anchor 0 of body 0 and the world torque T on it */
void ss_load_add(const ss_force *force, const ss_frame f[2], ss_vec3 F, ss_vec3 T, ss_wrench w[2]);
void ss_load_jacobian(const ss_force *force, const ss_frame f[2], ss_vec3 F, double *k_q);

#endif
