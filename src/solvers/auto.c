/* auto.c - the first registered solver that takes the problem.
 *
 * In the order of solvers.def, with each solver's own default options. What a solver takes (laws, form of A) is its
 * registry entry's word. A solver is created when it is first needed and kept.
 * Cost        that of the solver chosen                                                              */
#include "solvers/solver.h"

enum { AUTO_MAX = 32 };

typedef struct auto_work {
    ss_context *ctx;
    void *work[AUTO_MAX], *params[AUTO_MAX];
} auto_work;

static const ss_field fields[] = { SS_FIELD_END };

extern const ss_solver_type ss_solver_auto; /* below */

static ss_status create(ss_context *ctx, const void *params, void **out)
{
    auto_work *work;
    (void)params;
    SS_TRY(ss_calloc(ctx, 1, sizeof *work, &work));
    work->ctx = ctx;
    *out = work;
    return SS_OK;
}

static void destroy(ss_context *ctx, void *data)
{
    auto_work *work = data;
    for (int k = 0; work && k < AUTO_MAX && ss_solver_types[k]; k++) {
        if (work->work[k]) {
            ss_solver_types[k]->destroy(ctx, work->work[k]);
        }
        ss_free(ctx, work->params[k]);
    }
    ss_free(ctx, work);
}

static int choose(const ss_problem *problem)
{
    for (int k = 0; k < AUTO_MAX && ss_solver_types[k]; k++) {
        if (ss_solver_types[k] != &ss_solver_auto && ss_solver_takes(ss_solver_types[k], problem)) {
            return k;
        }
    }
    return -1;
}

static ss_status refuse(ss_context *ctx, const ss_problem *problem)
{
    static const char *const form[] = { "block-diagonal", "sparse symmetric", "sparse general", "local" };
    unsigned laws = 0;
    char text[128];
    for (int k = 0; k < problem->nc; k++) {
        laws |= problem->law[k];
    }
    ss_law_names(laws, text, sizeof text);
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "solver auto: no solver takes contact laws %s with a %s matrix", text,
                   form[problem->kind]);
}

static ss_status make(auto_work *work, int k)
{
    const ss_solver_type *type = ss_solver_types[k];
    if (work->work[k]) {
        return SS_OK;
    }
    if (!work->params[k]) {
        SS_TRY(ss_calloc(work->ctx, 1, type->info.params_size, &work->params[k]));
        ss_fields_default(type->info.fields, work->params[k]);
    }
    return type->create(work->ctx, work->params[k], &work->work[k]);
}

static ss_status solve(ss_context *ctx, void *data, const ss_problem *problem, double tol, int max_iter, ss_solution *solution,
                       ss_solver_info *info)
{
    auto_work *work = data;
    int k = choose(problem);
    if (k < 0) {
        return refuse(ctx, problem);
    }
    SS_TRY(make(work, k));
    return ss_solver_types[k]->solve(ctx, work->work[k], problem, tol, max_iter, solution, info);
}

const ss_solver_type ss_solver_auto = {
    .info = { .name = "auto",
              .title = "the first solver that takes the problem",
              .kind = "choice",
              .laws = SS_LAW_UNILATERAL | SS_LAW_COULOMB | SS_LAW_POLYHEDRAL | SS_LAW_ASSOCIATED | SS_LAW_BOUNDED |
                      SS_LAW_ASSOCIATED_POLYHEDRAL,
              .dimensions = 4 | 8,
              .fields = fields },
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
