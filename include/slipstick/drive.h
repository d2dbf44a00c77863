/* drive.h - a simulation that another program drives: parts by name, inputs that change between steps, readings, a controller.
 *
 * Inputs are forces, motors, laws of contact and the state itself. They are set between steps and hold until they are set again;
 * checkpoints contain them. An input that changes is treated like a force that jumps in time at that moment: with a tolerance
 * (ss_sim_options.tol) the scheme starts anew there.
 *
 * A call that is refused changes nothing, and the simulation can be used on. One simulation is used by one thread at a time: a
 * call that steps it or changes it while another such call has not returned, be it on another thread or from within a callback,
 * is refused with SS_ERR_BUSY. The error text of the context then stays as it is, since it may belong to the other thread:
 * ss_status_text says what happened. Functions that only read may be called from callbacks. */
#ifndef SLIPSTICK_DRIVE_H
#define SLIPSTICK_DRIVE_H

#include <slipstick/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is a call that steps or changes it under way? If so, it may not be destroyed. */
SS_API bool ss_sim_is_busy(const ss_sim *sim);

/* ---- parts by name ------------------------------------------------------------------------------ */

/* The number of a part in scene order. An unknown name is SS_ERR_INPUT; the error text has the nearest one. The name of a number
 * that no part has is NULL. */
SS_API ss_status ss_model_find_body(ss_context *ctx, const ss_model *model, const char *name, int *index);
SS_API ss_status ss_model_find_joint(ss_context *ctx, const ss_model *model, const char *name, int *index);
SS_API ss_status ss_model_find_force(ss_context *ctx, const ss_model *model, const char *name, int *index);
SS_API ss_status ss_model_find_material(ss_context *ctx, const ss_model *model, const char *name, int *index);
SS_API int ss_model_force_count(const ss_model *model);
SS_API int ss_model_material_count(const ss_model *model);
SS_API const char *ss_model_force_name(const ss_model *model, int force); /* its number, where the scene gives none */
SS_API const char *ss_model_material_name(const ss_model *model, int material);

/* ---- inputs --------------------------------------------------------------------------------------- */

/* A force at the centre of mass of a body and a torque, N and N m, in world axes; NULL: zeros. It acts beside the forces of the
 * scene; its work is in the ledger's `applied`. In 2D force[2], torque[0] and torque[1] are 0. */
SS_API ss_status ss_sim_set_wrench(ss_sim *sim, int body, const double force[3], const double torque[3]);
/* What the motor of a joint holds: its speed (m/s or rad/s) or its force (N or N m), whichever the scene gives it. */
SS_API ss_status ss_sim_set_motor(ss_sim *sim, int joint, double value);
/* Force and torque of a force of type "constant"; NULL: zeros. */
SS_API ss_status ss_sim_set_force(ss_sim *sim, int force, const double value[3], const double torque[3]);
/* Friction and restitution of a pair of materials; NAN: as it is. Refused if the scheme does not support the law, or if the pair
 * has a grain. */
SS_API ss_status ss_sim_set_pair(ss_sim *sim, int material_a, int material_b, double mu, double e);
/* Positions q[ss_model_nq] and velocities v[ss_model_nv]; NULL: as they are. They move to the nearest ones, by mass, that satisfy
 * the joints. Quaternions get length 1; a hinge stays in the turn that is nearest to its angle before. Refused where the joints
 * cannot be closed nearby, or bodies overlap more than before (unless overlaps are allowed). All that the scheme, the warm starts
 * and step control remember of the past is forgotten; the reactions of the last step are zero. The time stays. */
SS_API ss_status ss_sim_set_state(ss_sim *sim, const double *q, const double *v);

/* ---- controller ----------------------------------------------------------------------------------- */

/* Called by ss_sim_advance and ss_sim_step at the times 0, period, 2 period, .., before the step that begins there; steps of
 * ss_sim_advance end at these times. It reads the state and sets inputs other than the state; they hold until it is called again.
 * period 0: before every step, for fixed steps only; otherwise longer than 1e-9 of the step. A status other than SS_OK ends the
 * call that steps, which returns it; the controller is then called again at the same time. */
typedef struct ss_controller {
    void *user;
    double period; /* s */
    ss_status (*update)(void *user, ss_sim *sim);
} ss_controller;
SS_API ss_status ss_sim_set_controller(ss_sim *sim, const ss_controller *controller); /* NULL: none */

/* ---- readings -------------------------------------------------------------------------------------- */

/* Coordinate of a joint (angle over any number of turns, displacement or distance) and its rate; either may be NULL. */
SS_API ss_status ss_sim_joint_motion(const ss_sim *sim, int joint, double *position, double *rate);
/* All that acted on a body in the last step: the change of its momentum, and of its angular momentum about its centre of mass,
 * over the length of the step. World axes; zeros before the first step. */
SS_API ss_status ss_sim_net_wrench(const ss_sim *sim, int body, double force[3], double torque[3]);

/* Contacts as arrays. The arrays belong to the simulation and are valid until the next call of the same function. */
typedef struct ss_contact_arrays {
    int n;
    const int *bodies;     /* 2 n: -1 is the world                                 */
    const double *gap;     /* n                                                    */
    const double *point;   /* 3 n: world                                           */
    const double *normal;  /* 3 n: from the second body to the first               */
    const double *tangent; /* 6 n: both tangents                                   */
    const double *force;   /* 3 n: mean over the last step, along normal and tangents */
} ss_contact_arrays;
/* Contacts of the last step: those that ss_sim_contact gives. */
SS_API ss_status ss_sim_contacts(const ss_sim *sim, ss_contact_arrays *out);
/* Contacts of shapes whose gap is below `reach` in the state as it is, and all limits of joints; without forces (zeros). */
SS_API ss_status ss_sim_gaps(const ss_sim *sim, double reach, ss_contact_arrays *out);

/* The equations of motion at q[nq], v[nv] and the time of the simulation, with its inputs; NULL: the state as it is.
 *
 *     M(q) dv/dt = k(q, v) + G(q)' lam + reactions of contacts,        G v = c
 */
SS_API ss_status ss_sim_mass_matrix(const ss_sim *sim, const double *q, double *M); /* nv x nv */
/* k: gravity, springs, dampers, wrenches, forces of motors, gyroscopic torques. The bias of robotics is -k. */
SS_API ss_status ss_sim_forces(const ss_sim *sim, const double *q, const double *v, double *k); /* nv */
/* Rows of all joints, in order of the joints, those of a joint as its reactions (ss_sim_joint_reaction) but for motors that have
 * a bound. */
SS_API int ss_sim_joint_row_count(const ss_sim *sim);
SS_API ss_status ss_sim_joint_jacobian(const ss_sim *sim, const double *q, double *G); /* rows x nv */
/* Velocity of a point fixed in a body, J v: its world axes are the rows 0, 1, 2, the angular velocity of the body the rows 3, 4,
 * 5. point: in the frame of the body. */
SS_API ss_status ss_sim_point_jacobian(const ss_sim *sim, int body, const double *q, const double point[3],
                                       double *J); /* 6 x nv */

#ifdef __cplusplus
}
#endif
#endif
