/* drives.h - springs, dampers and servos that act on the coordinates of joints. */
#ifndef SS_DRIVES_H
#define SS_DRIVES_H

#include "model/model.h"

static inline bool ss_motor_is_servo(const ss_motor *motor) { return motor->stiffness > 0 || motor->damping > 0; }

/* Does a force act on its coordinate that depends on the coordinate or its rate? */
static inline bool ss_joint_has_drive(const ss_joint *joint)
{
    return joint->resistance.stiffness > 0 || joint->resistance.damping > 0 || ss_motor_is_servo(&joint->motor);
}

bool ss_model_has_drives(const ss_model *m);

/* k[class * nv + i] += all of them, with velocities v */
void ss_drives_add(const ss_model *m, const ss_config *c, const double *v, double *k);
double ss_drives_energy(const ss_model *m, const ss_config *c); /* of the springs */
/* k_q and k_v += their exact derivatives; pattern of the forces */
void ss_drives_jacobian(const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q, ss_csr *k_v);

/* ---- the linear model of stiff.h ---- */

/* Which servos are at their limit, by joint: 1, -1 the sign of the force; 0: they are not, or there is none. */
typedef signed char ss_cut;
/* Those that are, when all bodies have moved for h from c with velocities v. */
void ss_drives_settle(const ss_model *m, const ss_config *c, double h, const double *v, ss_cut *cut);
/* Are they these? */
bool ss_drives_are_settled(const ss_model *m, const ss_config *c, double h, const double *v, const ss_cut *cut);
/* k0 += the forces at rest, beside driven bodies that move; K, C += their derivatives without the turning of the rows, which are
 * negative semidefinite. k0, C NULL: not asked for. A servo at its limit is a constant force. */
void ss_drives_definite(const ss_model *m, const ss_config *c, const ss_cut *cut, double *k0, ss_csr *K, ss_csr *C);
/* p -= C dv of servos alone */
void ss_drives_spare(const ss_model *m, const ss_config *c, const ss_cut *cut, const double *dv, double *p);
/* Of the impulse h C v' + h^2 K v' that this model adds by class, that of servos belongs to the applied forces: it is moved there
 * from springs and dampers. */
void ss_drives_sort(const ss_model *m, const ss_config *c, const ss_cut *cut, double h, const double *v_end, double *by_class);
/* The force of the servo of a joint, 0 if it has none. */
double ss_servo_force(const ss_model *m, const ss_config *c, const double *v, int joint);

#endif
