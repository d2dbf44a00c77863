/* extend.h - schemes and solvers from outside the library.
 *
 * What is added belongs to a context and is known to everything made with that context, by its name: ss_sim_options.scheme and
 * .solver, ss_solver_options.name. It is kept by pointer until the context is gone. Scene files name registered entries only.
 * Steps and problems of an outside scheme or solver are certified and entered in the ledger like those of any other. A force
 * from outside is one of type "callback" (drive.h), and coordinates of any kind are a block (scene.h). */
#ifndef SLIPSTICK_EXTEND_H
#define SLIPSTICK_EXTEND_H

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

#ifdef __cplusplus
}
#endif
#endif
