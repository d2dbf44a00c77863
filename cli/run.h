/* run.h - what the files of the run command share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

#include <jansson.h>
#include <pthread.h>

typedef struct run_options {
    const char *scheme, *solver, *checkpoint, *restart, *precision;
    double step, tol, solver_tol, until, every, checkpoint_every; /* 0: not given */
    cli_list set, output;
    cli_dump dump;
    bool json, quiet, strict, allow_overlap, assemble, view, verbose;
    int threads, compress;
} run_options;

/* The thread that writes what waits in memory while a step takes long. */
typedef struct run_flusher {
    pthread_t thread;
    pthread_mutex_t lock; /* whoever holds it may use the writers   */
    pthread_cond_t wake;
    bool ready, runs, stop;
    ss_status status; /* of the first flush that failed         */
} run_flusher;

/* Files that a run writes while it goes on. */
typedef struct run_files {
    ss_context *ctx; /* of the writers            */
    ss_writer **writer;
    int writers;
    ss_checkpoint *checkpoint; /* NULL: none                */
    double next_checkpoint;    /* simulated time            */
    ss_dump *dump;             /* NULL: none                */
    bool dumped;               /* the problem was written   */
    run_flusher flusher;
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
    cli_scene scene;  /* its scene is gone once the run has begun */
    char *name;       /* of the scene; NULL: none  */
    ss_sim *sim;
    double until, solver_tol;
    ss_record *record;
    run_files files;
    run_progress progress;
    const char *outcome; /* done, interrupted, failed */
    int code;            /* exit status for it        */
    char error[1024];    /* "" if none                */
} run_state;

/* run_files.c */
int run_open_files(run_state *run); /* exit status */
ss_status run_write_step(run_state *run, const ss_step_info *info);
ss_status run_write_event(run_state *run, const ss_event *event);
ss_status run_write_problem(run_state *run, const ss_problem *problem, const ss_solution *solution);
ss_status run_save_checkpoint(run_state *run);
ss_status run_checkpoint_when_due(run_state *run, double t);
void run_close_files(run_state *run);
/* Keep the first thing that went wrong, with its text in ctx; a failure also replaces an interrupt. */
void run_note_failure(run_state *run, const ss_context *ctx, ss_status status);

/* run_output.c */
double run_clock(void);
void run_say_error(const run_state *run); /* on stderr; after an interrupt also what was written */
json_t *run_json(const run_state *run);
void run_print_summary(const run_state *run);
void run_say_event(const run_state *run, const ss_event *event);   /* with -v: one line on stderr     */
void run_say_step(const run_state *run, const ss_step_info *info); /* the same, of a step that is not certified */
void run_say_warnings(const run_state *run);                       /* on stderr, one line each */
void run_show_progress(run_state *run, const ss_step_info *info);
void run_clear_progress(const run_state *run);

#endif
