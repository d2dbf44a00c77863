/* steps.h - the first steps of a scene, in a process of its own: time and memory. */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include "bench.h"

typedef enum bench_verdict { BENCH_DONE, BENCH_TOO_LATE, BENCH_FAILED, BENCH_SKIPPED } bench_verdict;

typedef struct bench_task {
    const char *words, *name; /* of `slipstick generate`, and of the file */
    const char *scheme, *solver;
    double step; /* s */
    int steps;
    const char *text; /* of the scene; NULL: generated */
    int limit;        /* CPU seconds of a run; 0: 60, with BENCH=full 600 */
    double tol;       /* of the solver; 0: the scene's */
    int threads;      /* 0: one */
} bench_task;

typedef struct bench_measure {
    bench_verdict verdict;
    int steps;
    double seconds, megabytes;
    double elapsed, late; /* by the clock: all steps; one of the last tenth of them */
    double bytes;         /* the most that the library held; megabytes: the most that the process held */
    double contacts, problems, newton,
        uncertified; /* most contacts of a step; contact problems, iterations and steps of the run */
    double energy;   /* the most that it had, over that of the start */
    double residual; /* the largest of a contact problem */
} bench_measure;

/* The quickest of up to three runs; nothing is run if *going is false, which it is once a scene was not done. */
bench_measure bench_steps(const bench_task *task, bool *going);
double bench_ms_per_step(const bench_measure *m);
/* The time as a cell of a table, or why there is none. */
void bench_put_time(bench_table *t, const bench_measure *m);
/* A row: title, time, Newton iterations a step, memory, steps that are not certified, and the time over *before, which it
 * becomes. */
void bench_put_row(bench_table *t, const char *title, const bench_measure *m, int steps, double *before);

#endif
