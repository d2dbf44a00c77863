/* solver.h - solvers inside the library; what a solver is stands in slipstick/extend.h. Adding one: a file src/solvers/<name>.c
 * that defines `const ss_solver_type ss_solver_<name>`, and a line in solvers.def. */
#ifndef SS_SOLVER_H
#define SS_SOLVER_H

#include "base/base.h"
#include "base/options.h"
#include <slipstick/extend.h>

/* How much a solver that can choose (auto) does for an answer; bits. 0: all it can. */
enum {
    SS_EFFORT_DECLINES = 1, /* the caller has something else to solve: where self-balanced impulses prove that no velocity obeys
                             * the associated laws, the outcome is `ray`, and no other solver is tried */
    SS_EFFORT_BRIEF = 2,    /* the slow solver of last resort is not tried */
    SS_EFFORT_STEP = 8,     /* the problem is one of many: of a step, which others follow */
    SS_EFFORT_UNSHARED = 4, /* any solution will do: loads that statics leaves open are not shared by the limit of compliance */
};

extern const ss_solver_type *const ss_solver_types[]; /* NULL-terminated, from solvers.def */

/* Can this type take the problem? (laws, form of A) */
bool ss_solver_takes(const ss_solver_type *type, const ss_problem *problem);
bool ss_solver_knows(const ss_solver *solver, unsigned law); /* does it take this law? */
const char *ss_solver_name(const ss_solver *solver);
void ss_solver_set_effort(ss_solver *solver, unsigned effort); /* SS_EFFORT_ bits, until they are set again (0) */

#endif
