/* auto_inside.h - what the files of `auto` share.
 *
 *   auto.c       the solver: islands are sorted by their chains, parts are solved, answers are put together
 *   chains.c     the chains of solvers, and which of them an island gets
 *   descent.c    one problem down one chain */
#ifndef SS_AUTO_INSIDE_H
#define SS_AUTO_INSIDE_H

#include "problem/residual.h"
#include "solvers/auto/chains.h"
#include "solvers/solver.h"

enum { SS_AUTO_SOLVERS = 32 }; /* of the registry, at most */

/* what is kept from solve to solve */
typedef struct ss_auto_work {
    ss_context *ctx;
    ss_arena *arena;
    ss_residual_work *residual;
    unsigned effort;                                       /* SS_EFFORT_ bits                               */
    void *work[SS_AUTO_SOLVERS], *params[SS_AUTO_SOLVERS]; /* of ss_solver_types[k]; made when first needed */
} ss_auto_work;

/* one problem on its way down a chain; the caller fills the first block */
typedef struct ss_auto_descent {
    ss_auto_work *work;
    const ss_problem *problem;
    ss_solution *solution;
    ss_solver_info *info; /* counts are added to it */
    double tol;
    int max_iter;
    bool given;        /* a warm start      */
    int asked;         /* solvers so far    */
    int last;          /* of these: the place of the last one in the registry */
    bool weighed;      /* whether there is a solution: not again */
    double operations; /* of a factorisation; 0: not known yet */
    ss_status failure; /* of the last that could not answer    */
    ss_solution best;  /* copy, made before a step down       */
    ss_solver_info best_info;
} ss_auto_descent;

/* how it ended */
typedef struct ss_auto_end {
    bool granted; /* the certificate is within the tolerance                                        */
    bool settled; /* it is known that nothing better is to be had: no solution, or wrong velocities */
} ss_auto_end;

int ss_auto_find(const char *solver); /* its place in the registry, -1 if it is not there */
/* Down the chain, from its link number `first` on, until the end. SS_ERR_NUMERIC and others if nobody had an answer. */
ss_status ss_auto_descend(ss_auto_descent *d, const ss_auto_link *chain, int first, ss_auto_end *end);
/* One link alone. */
ss_status ss_auto_try(ss_auto_descent *d, const ss_auto_link *how, ss_auto_end *end);
/* The solution at hand is what a solver has left, and its certificate is not granted: the chain goes on from there. */
ss_status ss_auto_resume(ss_auto_descent *d, const char *solver, const ss_residual *residual);
void ss_auto_drop(ss_auto_work *work, int k); /* give the memory of solver k back */

#endif
