/* newton.h - Newton's method for F(x) = 0, smooth or semi-smooth, damped where it would cycle.
 *
 * The user says how far x is off (`measure`) and where a model of F at x would lead (`improve`): a linear system, then
 * ss_newton_sparse does it with a factorisation whose symbolic part is kept; or a contact problem with the rows of x, whose
 * cones stay as they are (Newton's method for generalised equations, Josephy). */
#ifndef SS_NEWTON_H
#define SS_NEWTON_H

#include "base/base.h"
#include "math/csr.h"

typedef struct ss_newton_problem {
    int n;
    void *user;
    /* *residual: the size of F at x, relative, >= 0 (NaN: x is not admissible). *branch tells apart the pieces of a semi-smooth
     * F: the same number for the same active set; 0 where F is smooth. */
    ss_status (*measure)(void *user, const double *x, double *residual, uint64_t *branch);
    /* target[n]: the zero of the model of F at x, which is where `measure` was called last. *found false: there is none. */
    ss_status (*improve)(void *user, const double *x, double *target, bool *found);
    /* Called when a step has gained less than a factor of 4: was the model one of an earlier x? Then the next one will be new.
     * NULL: models are always new. */
    bool (*renew)(void *user);
} ss_newton_problem;

typedef struct ss_newton_options {
    double tol;     /* on `residual`                                                             */
    double stall;   /* below this an iteration that does not improve x ends as converged, at round-off; 0: never */
    int iterations; /* at most                                                              */
} ss_newton_options;

typedef struct ss_newton_result {
    bool converged;
    double residual; /* at the x that is returned, the best one seen                    */
    int iterations;  /* steps taken: 0 if the start was good enough                     */
    int damped;      /* of them, those that were shorter than the model asked for       */
    int measured;    /* calls of `measure`                                              */
} ss_newton_result;

/* x[n] from its start to the best point found, which is where `measure` was called last; scratch from the arena, released
 * again. That it did not converge is a result, no error. */
ss_status ss_newton(ss_arena *arena, const ss_newton_problem *problem, const ss_newton_options *options, double *x,
                    ss_newton_result *result);

/* ---- with a sparse Jacobian ----------------------------------------------------------------------- */

typedef struct ss_newton_system {
    int n;
    void *user;
    /* F[n] at x, its size relative to that of its terms, and the branch as above */
    ss_status (*residual)(void *user, const double *x, double *F, double *residual, uint64_t *branch);
    /* an element of the generalised Jacobian at x, where `residual` was called last; its pattern may stay the same */
    ss_status (*jacobian)(void *user, const double *x, ss_csr *J);
    bool keep; /* simplified Newton: one factorisation as long as each iteration gains a factor of 4 */
} ss_newton_system;

typedef struct ss_newton_work ss_newton_work; /* the matrix and its factorisation, from call to call */
ss_status ss_newton_work_create(ss_context *ctx, ss_newton_work **out);
void ss_newton_work_destroy(ss_newton_work *work);
/* A singular Jacobian ends the iteration (converged false). Numbers do not depend on earlier calls; the ordering of a pattern
 * seen before is kept. */
ss_status ss_newton_sparse(ss_newton_work *work, ss_arena *arena, const ss_newton_system *system,
                           const ss_newton_options *options, double *x, ss_newton_result *result);
int ss_newton_factorisations(const ss_newton_work *work); /* since it was created */

#endif
