/* solve_by.h - a problem solved by a solver of the registry, named. */
#ifndef SS_TEST_SOLVE_BY_H
#define SS_TEST_SOLVE_BY_H

#include "solvers/solver.h"
#include "test.h"

/* how many random systems: all of them when everything is tested */
static inline int systems(int quick, int full) { return test_repeats(full, quick, quick / 4); }

static inline ss_solver *create(ss_context *ctx, const char *name, double tol, int max_iter, const ss_setting *settings)
{
    ss_solver_options options = ss_solver_options_default();
    options.share = SS_SHARE_ANY; /* what the solver finds by itself */
    ss_solver *solver;
    options.name = name;
    options.tol = tol;
    options.max_iter = max_iter;
    options.settings = settings;
    CHECK_OK(ctx, ss_solver_create(ctx, &options, &solver));
    return solver;
}

static inline ss_solver_info solve(ss_context *ctx, ss_solver *solver, const ss_problem *p, ss_solution *s)
{
    ss_solver_info info;
    CHECK_OK(ctx, ss_solver_solve(solver, p, s, &info));
    return info;
}

static inline ss_solver_info solve_by(ss_context *ctx, const char *name, double tol, const ss_problem *p, ss_solution *s)
{
    ss_solver *solver = create(ctx, name, tol, 0, NULL);
    ss_solver_info info = solve(ctx, solver, p, s);
    ss_solver_destroy(solver);
    return info;
}

/* the largest part of a certificate */
static inline double worst_of(const ss_residual *r) { return fmax(r->contact, fmax(r->momentum, r->joint)); }

#endif
