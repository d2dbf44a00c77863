/* run.h - what the files of the run command share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

#include <jansson.h>

typedef struct run_options {
    const char *scheme, *solver, *checkpoint, *restart;
    double step, tol, solver_tol, until, every, checkpoint_every; /* 0: not given */
    cli_list set, output;
    cli_dump dump;
    bool json, quiet, strict, allow_overlap;
    int threads;
} run_options;

/* Files that a run writes while it goes on. */
typedef struct run_files {
    ss_writer **writer;
    int writers;
    double next_checkpoint; /* simulated time             */
    bool dumped;            /* the problem was written    */
} run_files;

/* The progress line on the terminal. */
typedef struct run_progress {
    bool wanted;
    double started, shown; /* wall clock */
} run_progress;

/* A run: what it reads, what it writes, what it has seen. */
typedef struct run_state {
    ss_context *ctx;
    const run_options *options;
    const char *path; /* of the scene              */
    cli_scene scene;
    ss_sim *sim;
    double until;
    ss_record *record;
    run_files files;
    run_progress progress;
    const char *outcome; /* done, interrupted, failed */
    char error[1024];    /* "" if none                */
} run_state;

double run_clock(void);
json_t *run_json(const run_state *run);
void run_print_summary(const run_state *run);
void run_say_warnings(const run_state *run); /* on stderr, one line each */
void run_show_progress(run_state *run, const ss_step_info *info);
void run_clear_progress(const run_state *run);

#endif
