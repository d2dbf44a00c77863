/* extend.h - schemes, solvers, joints, forces and shapes from outside the library.
 *
 * What is added belongs to a context and is known to everything made with that context, by its name: ss_sim_options.scheme and
 * .solver, ss_solver_options.name, the `type` of a part of a scene, in C and in scene files that are read with that context. It
 * is kept by pointer until the context is gone. Steps and problems are certified and entered in the ledger like those of any
 * other. A force that belongs to one simulation is of type "callback" (drive.h); coordinates of any kind are a block (scene.h).
 */
#ifndef SLIPSTICK_EXTEND_H
#define SLIPSTICK_EXTEND_H

#include <slipstick/drive.h>
#include <slipstick/problem.h>
#include <slipstick/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a solver ------------------------------------------------------------------------------------- */

typedef struct ss_solver_type {
    ss_entry info; /* laws: those it takes (all of them at once); needs: on A */
    /* *work is set as soon as there is something: who called destroys it, after a failure too. NULL: nothing to do. */
    ss_status (*create)(ss_context *ctx, const void *params, void **work);
    void (*destroy)(ss_context *ctx, void *work);
    /* Fills solution (v, lam, r, u, basis) and info's outcome and counts. info->residual.contact comes in as NaN: a solver
     * that has asked ss_problem_residual about exactly what it returns leaves the answer in info->residual; otherwise it
     * leaves the NaN, and the caller asks. The problem has at least one contact. */
    ss_status (*solve)(ss_context *ctx, void *work, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info);
    void (*set_effort)(void *work, unsigned effort); /* for solvers inside the library; NULL */
} ss_solver_type;
SS_API ss_status ss_context_add_solver(ss_context *ctx, const ss_solver_type *type);

/* A problem as u = W r + q, with the bodies and joints eliminated:  W = H K^-1 H',  K that of the joints' system. */
typedef struct ss_reduction ss_reduction;
SS_API ss_status ss_reduction_create(ss_context *ctx, ss_reduction **out);
SS_API void ss_reduction_destroy(ss_reduction *x); /* NULL is fine */
/* W (rows x rows, symmetric if A is; column-major) and q; valid until the next call, as long as the problem is. The memory grows
 * with the square of the rows. */
SS_API ss_status ss_reduction_take(ss_reduction *x, const ss_problem *problem, const double **W, const double **q);
/* v, lam and u of the problem taken last, for the r of the solution. */
SS_API ss_status ss_reduction_recover(ss_reduction *x, ss_solution *solution);

/* ---- a scheme ------------------------------------------------------------------------------------- */

/* A step under way. It begins in a state (t, q, v) and poses one contact problem, whose velocities it ends with. */
typedef struct ss_step ss_step;

typedef struct ss_own_scheme {
    ss_entry info; /* name, order, laws and dimensions count; options do not */
    void *user;
    /* a step of length h: it has to call ss_step_end */
    ss_status (*step)(void *user, ss_step *step, double h);
} ss_own_scheme;
SS_API ss_status ss_context_add_scheme(ss_context *ctx, const ss_own_scheme *scheme);

SS_API double ss_step_time(const ss_step *step); /* at its start */
SS_API const double *ss_step_q(const ss_step *step);
SS_API const double *ss_step_v(const ss_step *step);
/* Numbers of positions within a step: those of ss_model_nq, then a turn counter for each hinge in 3D; and of velocities. */
SS_API int ss_step_nq(const ss_step *step);
SS_API int ss_step_nv(const ss_step *step);
/* Positions that velocities v[nv] lead to from q[nq] in a time; quaternions stay unit. out may be q. */
SS_API void ss_step_move(const ss_step *step, const double *q, const double *v, double time, double *out);
/* Scratch memory, filled with zeros, until the step ends. */
SS_API ss_status ss_step_take(ss_step *step, size_t numbers, double **out);

/* Impulses of the step += weight times h times the forces at (t, q, v). */
SS_API ss_status ss_step_add_forces(ss_step *step, double weight, double t, const double *q, const double *v);
/* Pose the contact problem with the rows of (t, q): all joints, and the contacts whose gap there is below `reach`. `law` is that
 * of contacts with friction, one SS_LAW_ bit. A = M, b = M v + impulses, c and w what driven bodies and motors ask for. The
 * scheme may change b, c and w. gap: of each contact; g: errors of the joints' rows. */
SS_API ss_status ss_step_pose(ss_step *step, double t, const double *q, double reach, unsigned law, ss_problem **problem,
                              const double **gap, const double **g);
/* w += gap/h along normals: contacts that are open may close within the step, overlaps are undone. The ledger has their work in
 * the entry `stabilisation`. */
SS_API ss_status ss_step_close_gaps(ss_step *step);
/* Solve it by the solver of the simulation; SS_ERR_NUMERIC if there is no solution to go on with. */
SS_API ss_status ss_step_solve(ss_step *step, const ss_solution **solution);
/* The step ends h later at these positions, with the velocities of the solution. */
SS_API ss_status ss_step_end(ss_step *step, const double *q);

/* ---- joints, forces, shapes ------------------------------------------------------------------------- */

/* info.fields of these: keys of its own, at most SS_OWN_NUMBERS, all of them numbers (def, min, max, flags, doc; min = max = 0:
 * no range). Their offsets are not looked at: key i is number[i] of the part's description, and of what its functions get.
 * Functions are pure functions of what they are given, and smooth. A status other than SS_OK, or a number that is not finite,
 * ends the step with an error that names the part; the simulation stays in the state before the step. Derivatives are compared
 * with differences once, when a scene is compiled, to 1e-5: a part whose functions do not fit each other is refused. */

typedef enum ss_own_coordinate { SS_OWN_NONE, SS_OWN_ANGLE, SS_OWN_DISPLACEMENT } ss_own_coordinate;

/* A joint between two bodies: rows g = 0. Its scene keys are name, type, bodies, anchors, at and collide. With a coordinate,
 * which is the angle about its axis or the way along it, it has the keys of a hinge, or a slider, too: axis (an angle in 2D: z),
 * limits, restitution, start, motor, stiffness, rest, damping, friction.
 *
 * Its functions see the two points, and in `rotation` the axes of the joint as each body carries them, equal in the world at
 * t = 0: the first is `axis`; of a joint without coordinate they are those of the first body. Velocities and t are 0. Rows and
 * derivatives are by 12 coordinates: displacement of the first point in the world, small turn of the first axes about the
 * world's, displacement and turn of the second. In 2D only x, y and the turn about z count. */
typedef struct ss_own_joint {
    ss_entry info; /* name, title, dimensions, fields */
    void *user;
    int rows[2];                /* in 2D, in 3D: 1 to 6; 0 in a dimension that it does not exist in                       */
    const char *row_name[2][6]; /* what the reactions on the second body are: "force_x", "torque_1", ..                   */
    unsigned turns;             /* bit 2, bit 3: in 2D, in 3D (4 | 8) its bodies have to turn: particles are refused      */
    ss_own_coordinate coordinate;
    /* g[rows], in metres or radians, and J[rows * 12], row by row; zeros if not written */
    ss_status (*eval)(void *user, const ss_force_points *at, double *g, double *J);
    /* K[12 * 12], row-major: derivative of J' lam. NULL: differences of J of fourth order, right to about 1e-12 */
    ss_status (*stiffness)(void *user, const ss_force_points *at, const double *lam, double *K);
} ss_own_joint;
SS_API ss_status ss_context_add_joint(ss_context *ctx, const ss_own_joint *joint);

/* A force between two points. Its scene keys are name, type, bodies and anchors. */
typedef struct ss_own_force {
    ss_entry info; /* name, title, dimensions, fields */
    ss_force_functions functions;
} ss_own_force;
SS_API ss_status ss_context_add_force(ss_context *ctx, const ss_own_force *force);

/* A shape, made of shapes of the library: one, or several side by side, which need not be convex together. A scene that it is
 * added to has those in its place, so that all that knows them touches it, weighs it and shows it; where parts overlap, a density
 * counts twice. Its keys are type, material, position, angle and orientation. */
typedef struct ss_own_shape {
    ss_entry info; /* name, title, dimensions, fields */
    void *user;
    /* Its part 0, 1, ..: out comes from ss_shape_desc_default, and goes with the type, place and numbers of that part in the
     * frame of the shape; type NULL: there are no more parts. Points are copied when it returns. The material is that of the
     * shape. */
    ss_status (*describe)(void *user, int dimension, const double *number, int part, ss_shape_desc *out);
} ss_own_shape;
SS_API ss_status ss_context_add_shape(ss_context *ctx, const ss_own_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
