/* solver.h - what a solver is. Adding one: a file src/solvers/<name>.c that defines
 * `const ss_solver_type ss_solver_<name>`, and a line in solvers.def. */
#ifndef SS_SOLVER_H
#define SS_SOLVER_H

#include "base/base.h"
#include "base/options.h"
#include <slipstick/problem.h>

/* How much a solver that can choose (auto) does for an answer; bits. 0: all it can. */
enum {
    SS_EFFORT_DECLINES = 1, /* the caller has something else to solve: where self-balanced impulses prove that no velocity obeys
                             * the associated laws, the outcome is `ray`, and no other solver is tried */
    SS_EFFORT_BRIEF = 2,    /* the slow solver of last resort is not tried */
    SS_EFFORT_UNSHARED = 4, /* any solution will do: loads that statics leaves open are not shared by the limit of compliance */
};

typedef struct ss_solver_type {
    ss_entry info; /* laws: those it takes (all of them at once); needs: on A */
    /* *work is set as soon as there is something: who called destroys it, after a failure too. */
    ss_status (*create)(ss_context *ctx, const void *params, void **work);
    void (*destroy)(ss_context *ctx, void *work);
    /* Fills solution (v, lam, r, u, basis) and info's outcome and counts. info->residual.contact comes in as NaN: a solver
     * that has asked ss_residual_compute about exactly what it returns leaves the answer in info->residual; otherwise it
     * leaves the NaN, and the caller asks. */
    ss_status (*solve)(ss_context *ctx, void *work, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info);
    void (*set_effort)(void *work, unsigned effort); /* of the solves that follow; NULL: there is no choice */
} ss_solver_type;

extern const ss_solver_type *const ss_solver_types[]; /* NULL-terminated, from solvers.def */

/* Can this type take the problem? (laws, form of A) */
bool ss_solver_takes(const ss_solver_type *type, const ss_problem *problem);
bool ss_solver_knows(const ss_solver *solver, unsigned law); /* does it take this law? */
const char *ss_solver_name(const ss_solver *solver);
void ss_solver_set_effort(ss_solver *solver, unsigned effort); /* SS_EFFORT_ bits, until they are set again (0) */

#endif
