/* solve.h - what the files of the solve command share. */
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "cli.h"

/* How a solver's turn ended, beside the outcomes of problem.h. */
typedef enum solve_end {
    SOLVE_ANSWERED,       /* info and solution are there            */
    SOLVE_NOT_APPLICABLE, /* it does not take such a problem: text  */
    SOLVE_FAILED,         /* the call failed: text                  */
    SOLVE_TIMED_OUT,
    SOLVE_INTERRUPTED,
    SOLVE_CRASHED, /* the process ended without an answer    */
} solve_end;

typedef struct solve_result {
    const char *solver;
    solve_end end;
    ss_solver_info info;
    double wall; /* s, of the solver alone               */
    char text[512];
    double *u, *r; /* rows each, owned; NULL: none         */
} solve_result;

typedef struct solve_task {
    ss_context *ctx;
    ss_problem_file *file;
    const ss_problem *problem; /* of the file */
    const char *solver;
    double tol, limit;               /* limit: s; 0: none              */
    const volatile int *interrupted; /* set by a signal                */
} solve_task;

int solve_rows(const ss_problem *problem);
/* One solver in a process of its own. */
void solve_run(const solve_task *task, solve_result *result);

/* Does reading the file end, well or not, without a crash of the library that reads it? */
bool solve_can_read(ss_context *ctx, const char *path);

#endif
