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

/* A run: what it reads, what it writes, what it has seen. */
typedef struct run_state {
    ss_context *ctx;
    const run_options *options;
    const char *path; /* of the scene                       */
    cli_scene scene;
    ss_sim *sim;
    ss_writer **writer;
    int writers;
    double until;
    ss_record *record;
    double next_checkpoint;
    bool dumped;
    double started, shown; /* wall clock                         */
    bool progress;         /* show the line on the terminal      */
    const char *outcome;   /* done, interrupted, failed          */
    char error[1024];      /* "" if none                         */
} run_state;

double run_clock(void);
json_t *run_json(const run_state *run);
void run_print_summary(const run_state *run);
void run_say_warnings(const run_state *run); /* on stderr, one line each */
void run_show_progress(run_state *run, const ss_step_info *info);
void run_clear_progress(const run_state *run);

#endif
