/* solve_process.c - one solver in a process of its own.
 *
 * A solver cannot be stopped from outside: it has no clock and no flag. As a child process it can be ended by a time limit
 * or an interrupt at any moment, and if it dies the others still get their turn. The child sends a header, u and r through
 * a pipe; the parent waits for them, for the clock, or for a signal. */
#include "solve.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* what the child says first; u and r follow an answer */
typedef struct message {
    solve_end end;
    ss_solver_info info;
    double wall;
    char text[512];
} message;

int solve_rows(const ss_problem *problem) { return problem->nc > 0 ? problem->row[problem->nc] : 0; }

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the child --------------------------------------------------------------------------------- */

/* zeros for every unknown, in one allocation; false: no memory */
static bool make_solution(const ss_problem *p, ss_solution *s)
{
    size_t rows = (size_t)solve_rows(p), nv = (size_t)p->nv, nj = (size_t)p->nj;
    double *x = calloc(2 * rows + nv + nj + 1, sizeof *x);
    *s = (ss_solution){ .basis = calloc((size_t)p->nc + 1, sizeof *s->basis) };
    if (x) {
        s->u = x;
        s->r = x + rows;
        s->v = x + 2 * rows;
        s->lam = s->v + nv;
    }
    return x && s->basis;
}

static solve_end end_of(ss_status status)
{
    return status == SS_OK ? SOLVE_ANSWERED : status == SS_ERR_UNSUPPORTED ? SOLVE_NOT_APPLICABLE : SOLVE_FAILED;
}

static void send(int pipe, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(pipe, at, size);
        if (n <= 0 && errno != EINTR) {
            _exit(CLI_FAILED); /* nobody listens any more */
        }
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
}

/* in 2D Coulomb's cone is polyhedral: for a solver that supports only polyhedral cones the law is replaced by that */
static ss_status suit_the_law(const solve_task *task)
{
    unsigned takes = ss_registry_find(SS_SOLVERS, task->solver)->laws;
    bool coulomb = false;
    for (int k = 0; k < task->problem->nc; k++) {
        coulomb = coulomb || task->problem->law[k] == SS_LAW_COULOMB;
    }
    if (task->problem->dimension != 2 || !coulomb || (takes & SS_LAW_COULOMB) || !(takes & SS_LAW_POLYHEDRAL)) {
        return SS_OK;
    }
    return ss_problem_file_set_law(task->file, SS_LAW_POLYHEDRAL);
}

static void be_child(const solve_task *task, int pipe)
{
    message m = { .end = SOLVE_FAILED, .text = "out of memory" };
    ss_solver_options options = ss_solver_options_default();
    ss_solution solution;
    ss_solver *solver = NULL;
    options.name = task->solver;
    options.tol = task->tol;
    options.share = SS_SHARE_ANY; /* the answer is the solver's own */
    if (make_solution(task->problem, &solution)) {
        ss_status status = suit_the_law(task);
        status = status == SS_OK ? ss_solver_create(task->ctx, &options, &solver) : status;
        double start = clock_seconds();
        if (status == SS_OK) {
            status = ss_solver_solve(solver, task->problem, &solution, &m.info);
        }
        m.wall = clock_seconds() - start;
        m.end = end_of(status);
        snprintf(m.text, sizeof m.text, "%s", ss_last_error(task->ctx));
    }
    send(pipe, &m, sizeof m);
    if (m.end == SOLVE_ANSWERED) {
        size_t bytes = (size_t)solve_rows(task->problem) * sizeof(double);
        send(pipe, solution.u, bytes);
        send(pipe, solution.r, bytes);
    }
    _exit(CLI_DONE);
}

/* ---- the parent -------------------------------------------------------------------------------- */

/* wait until there is something to read, or say why not */
static solve_end wait_for(const solve_task *task, int pipe, double until)
{
    while (!*task->interrupted) {
        struct pollfd ready = { .fd = pipe, .events = POLLIN };
        double left = until - clock_seconds();
        if (!(left > 0)) {
            return SOLVE_TIMED_OUT;
        }
        int n = poll(&ready, 1, left < 0.2 ? (int)ceil(1000 * left) : 200);
        if (n > 0) {
            return SOLVE_ANSWERED;
        }
    }
    return SOLVE_INTERRUPTED;
}

static solve_end receive(const solve_task *task, int pipe, double until, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        solve_end end = wait_for(task, pipe, until);
        if (end != SOLVE_ANSWERED) {
            return end;
        }
        ssize_t n = read(pipe, at, size);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return *task->interrupted ? SOLVE_INTERRUPTED : SOLVE_CRASHED;
        }
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return SOLVE_ANSWERED;
}

static void listen_to(const solve_task *task, int pipe, solve_result *result)
{
    double until = task->limit > 0 ? clock_seconds() + task->limit : INFINITY;
    size_t rows = (size_t)solve_rows(task->problem), bytes = rows * sizeof(double);
    message m = { .end = SOLVE_CRASHED };
    result->end = receive(task, pipe, until, &m, sizeof m);
    if (result->end != SOLVE_ANSWERED) {
        return;
    }
    result->end = m.end;
    result->info = m.info;
    result->wall = m.wall;
    snprintf(result->text, sizeof result->text, "%s", m.text);
    result->u = calloc(rows + 1, sizeof *result->u);
    result->r = calloc(rows + 1, sizeof *result->r);
    if (m.end == SOLVE_ANSWERED && result->u && result->r) {
        solve_end end = receive(task, pipe, until, result->u, bytes);
        result->end = end == SOLVE_ANSWERED ? receive(task, pipe, until, result->r, bytes) : end;
    }
}

void solve_run(const solve_task *task, solve_result *result)
{
    int ends[2];
    *result = (solve_result){ .solver = task->solver, .end = SOLVE_FAILED };
    if (pipe(ends) != 0) {
        snprintf(result->text, sizeof result->text, "no pipe: %s", strerror(errno));
        return;
    }
    double start = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(task, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        snprintf(result->text, sizeof result->text, "no process: %s", strerror(errno));
    } else {
        listen_to(task, ends[0], result);
        kill(child, SIGKILL); /* it has ended already unless time is up */
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    close(ends[0]);
    result->wall = result->end == SOLVE_ANSWERED ? result->wall : clock_seconds() - start;
}

/* The HDF5 library breaks on some damaged files. A child finds out. */
bool solve_can_read(ss_context *ctx, const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        ss_problem_file *file = NULL;
        (void)ss_problem_read(ctx, path, &file);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child < 0 || WIFEXITED(status);
}
