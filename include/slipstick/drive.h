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
SS_API ss_status ss_model_find_output(ss_context *ctx, const ss_model *model, const char *name, int *index); /* of its column */
SS_API int ss_model_force_count(const ss_model *model);
SS_API int ss_model_material_count(const ss_model *model);
SS_API const char *ss_model_force_name(const ss_model *model, int force); /* its number, where the scene gives none */
SS_API const char *ss_model_material_name(const ss_model *model, int material);

/* ---- inputs --------------------------------------------------------------------------------------- */

/* A force at the centre of mass of a body and a torque, N and N m, in world axes; NULL: zeros. It acts beside the forces of the
 * scene; its work is in the ledger's `applied`. In 2D force[2], torque[0] and torque[1] are 0. */
SS_API ss_status ss_sim_set_wrench(ss_sim *sim, int body, const double force[3], const double torque[3]);
/* What the motor of a joint holds: its speed (m/s or rad/s), its force (N or N m) or its position (m or rad), whichever the scene
 * gives it. */
SS_API ss_status ss_sim_set_motor(ss_sim *sim, int joint, double value);
/* Force and torque of a force of type "constant"; NULL: zeros. */
SS_API ss_status ss_sim_set_force(ss_sim *sim, int force, const double value[3], const double torque[3]);
/* Friction and restitution of a pair of materials; NAN: as it is. Refused if the scheme does not support the law, or if the pair
 * has a grain. */
SS_API ss_status ss_sim_set_pair(ss_sim *sim, int material_a, int material_b, double mu, double e);
/* Rolling and spinning friction of a pair of materials, m; NAN: as it is. Refused likewise. */
SS_API ss_status ss_sim_set_pair_moments(ss_sim *sim, int material_a, int material_b, double rolling, double spinning);
/* The motion of a driven body from now on: a straight line from where it is, and a turn about its axis (motion_axis of the scene;
 * z in 2D) at a constant rate, until it is set again. It replaces the motion of the scene. A place that the body is not at is a
 * jump and refused, as in scenes: to get somewhere in the time T, give the velocity (there - here)/T. */
typedef struct ss_motion {
    double position[3]; /* m, world                                  */
    double angle;       /* rad, by which it has turned since t = 0   */
    double velocity[3]; /* m/s                                       */
    double rate;        /* rad/s                                     */
} ss_motion;
SS_API ss_status ss_sim_motion(const ss_sim *sim, int body, ss_motion *out); /* as it is now */
SS_API ss_status ss_sim_set_motion(ss_sim *sim, int body, const ss_motion *motion);
/* Other numbers while it runs: those of a model of the same scene in which only these differ: gravity; numbers, functions and
 * tables of forces; targets, gains and bounds of motors; limits of joints and their restitution; their springs, dampers and
 * friction, as long as there are some; motions of driven bodies, which may not jump now, nor begin elsewhere where joints hold
 * them; friction and restitution. So a parameter of a scene is given another value: read the scene again with
 * "parameters.NAME=VALUE" set, compile it, and hand the model over. Inputs that were set stay on top. Both this model and the
 * first one must outlive the simulation, models handed over in between need not. A checkpoint needs the same numbers to be
 * restored. Refused, and nothing is changed, where anything else differs (masses, shapes, places of joints, the state at the
 * start), or the scheme does not support a law. */
SS_API ss_status ss_sim_set_numbers(ss_sim *sim, const ss_model *model);
/* Positions q[ss_model_nq] and velocities v[ss_model_nv]; NULL: as they are. They move to the nearest ones, by mass, that satisfy
 * the joints. Quaternions get length 1; a hinge stays in the turn that is nearest to its angle before. Refused where the joints
 * cannot be closed nearby, or bodies overlap more than before (unless overlaps are allowed). All that the scheme, the warm starts
 * and step control remember of the past is forgotten; the reactions of the last step are zero. The time stays. */
SS_API ss_status ss_sim_set_state(ss_sim *sim, const double *q, const double *v);

/* ---- forces that the program computes --------------------------------------------------------------- */

/* The two points of a force and their bodies, in world axes; [0]: of the first body, [1]: of the second. */
typedef struct ss_force_points {
    double t;                      /* s                                                          */
    double position[2][3];         /* m                                                          */
    double rotation[2][9];         /* row-major: from the axes of the body to those of the world */
    double velocity[2][3];         /* m/s                                                        */
    double angular_velocity[2][3]; /* rad/s                                                      */
    int dimension;                 /* 2 or 3                                                     */
    const double *number;          /* of the keys of a type that was added (extend.h); else NULL */
} ss_force_points;

/* What a force of type "callback" does. The scene gives it bodies and anchors, the program these functions. They are called at
 * every evaluation of the forces: several times in a step, also for steps that are not kept. So they must be pure functions of
 * the points: what they answer may depend on nothing that they, or anything else within a step, have changed. They may call what
 * only reads a simulation. They must be smooth, in time too; where they jump, set them again, or use several.
 *
 * A status other than SS_OK, or a number that is not finite, ends the step with an error that names the force and repeats what
 * was said by ss_context_fail; the simulation stays in the state before the step and can be used on. A checkpoint says which
 * forces have functions, and not which: they have to be set before it is restored. */
typedef struct ss_force_functions {
    void *user;
    /* w: force on the first body at its point, torque about that point; then those on the second; zeros if not written */
    ss_status (*wrench)(void *user, const ss_force_points *at, double w[12]);
    /* its energy, if it is the slope of one and nothing more: its work is then that of a spring. NULL: it is an applied force */
    ss_status (*potential)(void *user, const ss_force_points *at, double *energy);
    /* derivatives of w, 12 x 12 row-major, by displacements and small turns of the points in the same order, and by their
     * velocities and angular velocities; NULL: differences */
    ss_status (*jacobian)(void *user, const ss_force_points *at, double by_x[144], double by_v[144]);
} ss_force_functions;
/* A copy is kept. NULL: no functions; a step is refused as long as a force of type "callback" has none. */
SS_API ss_status ss_sim_set_functions(ss_sim *sim, int force, const ss_force_functions *functions);

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

/* Friction and restitution of a pair of materials as they are now. */
SS_API ss_status ss_sim_pair(const ss_sim *sim, int material_a, int material_b, double *mu, double *e);
/* Its rolling and spinning friction, m. */
SS_API ss_status ss_sim_pair_moments(const ss_sim *sim, int material_a, int material_b, double *rolling, double *spinning);
/* Pose of any body now, driven ones where their motions have brought them; orientation w x y z, angle in 2D. */
SS_API ss_status ss_sim_body_pose(const ss_sim *sim, int body, double position[3], double orientation[4], double *angle);
/* What all contacts of shapes of body b on body a did in the last step, mean over it: a force and its torque about the centre of
 * mass of a (the origin of its frame), world axes; b -1: all bodies and the world. */
SS_API ss_status ss_sim_contact_wrench(const ss_sim *sim, int a, int b, double force[3], double torque[3]);

/* The column `output` of the outputs (ss_model_find_output), or all of them. Outputs of the state are those of the state as it
 * is; outputs of a step (reaction, accelerometer, force_plate) are those of the last step, 0 before the first one, and a
 * checkpoint holds them. */
SS_API ss_status ss_sim_output(const ss_sim *sim, int output, double *value);
SS_API ss_status ss_sim_outputs(const ss_sim *sim, double *values); /* ss_model_output_count */

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
