/* run_files.c - the files that a run writes while it goes on: results, checkpoints, a contact problem.
 *
 * All of them are claimed before any of them is emptied, so that a second run that would write one of them is refused and touches
 * none, and closed after the last step. Results are to be on disk soon, however long the step is that is being computed. So a
 * thread looks at them ten times a second and writes what has waited for 0.3 s; in quick runs the writers do so themselves at the
 * end of a step, after 0.2 s, and the thread finds nothing. Writers have a context of their own, and a lock lets one function of
 * the writers (and of HDF5, which is not made for threads) run at a time. */
#include "run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double longest_wait = 0.3, look_every = 0.1; /* s */

/* ---- failures ---------------------------------------------------------------------------------- */

void run_note_failure(run_state *run, const ss_context *ctx, ss_status status)
{
    bool interrupted = status == SS_ERR_INTERRUPTED, worse = *run->error && run->code == CLI_INTERRUPTED && !interrupted;
    if (status == SS_OK || (*run->error && !worse)) {
        return;
    }
    run->code = interrupted ? CLI_INTERRUPTED : CLI_FAILED;
    run->outcome = interrupted ? "interrupted" : "failed";
    snprintf(run->error, sizeof run->error, "%s", ss_last_error(ctx));
}

/* a writer's error is in its own context, unless the simulation failed to tell it something */
static void note_writer(run_state *run, ss_status status)
{
    run_note_failure(run, *ss_last_error(run->files.ctx) ? run->files.ctx : run->ctx, status);
}

/* ---- the thread that flushes ------------------------------------------------------------------- */

static void flush_writers(run_files *f)
{
    for (int k = 0; k < f->writers; k++) {
        ss_status status = ss_writer_flush(f->writer[k], longest_wait);
        f->flusher.status = f->flusher.status == SS_OK ? status : f->flusher.status;
    }
}

static struct timespec soon(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += (long)(1e9 * look_every);
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* the lock is free while the thread waits */
static void *flush_on_time(void *user)
{
    run_files *f = user;
    pthread_mutex_lock(&f->flusher.lock);
    while (!f->flusher.stop) {
        const struct timespec at = soon();
        pthread_cond_timedwait(&f->flusher.wake, &f->flusher.lock, &at);
        flush_writers(f);
    }
    pthread_mutex_unlock(&f->flusher.lock);
    return NULL;
}

/* signals go to the main thread */
static int start_thread(run_files *f)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&f->flusher.thread, NULL, flush_on_time, f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void start_flusher(run_files *f)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&f->flusher.wake, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&f->flusher.lock, NULL);
    f->flusher.ready = true;
    int error = f->writers > 0 ? start_thread(f) : 0;
    f->flusher.runs = f->writers > 0 && error == 0;
    if (error) {
        cli_say("warning: no thread for the result files (%s): they are written between steps only", strerror(error));
    }
}

static void stop_flusher(run_files *f)
{
    if (f->flusher.runs) {
        pthread_mutex_lock(&f->flusher.lock);
        f->flusher.stop = true;
        pthread_cond_signal(&f->flusher.wake);
        pthread_mutex_unlock(&f->flusher.lock);
        pthread_join(f->flusher.thread, NULL);
        f->flusher.runs = false;
    }
    if (f->flusher.ready) {
        pthread_cond_destroy(&f->flusher.wake);
        pthread_mutex_destroy(&f->flusher.lock);
        f->flusher.ready = false;
    }
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* the first multiple of --checkpoint-every after t */
static double next_multiple(const run_state *run, double t)
{
    double every = run->options->checkpoint_every;
    return every > 0 ? every * (floor(t / every + 1e-9) + 1) : INFINITY;
}

static int open_checkpoint(run_state *run)
{
    const char *file = run->options->checkpoint;
    if (!file && run->options->checkpoint_every > 0) {
        cli_say("--checkpoint-every: no file to save to; add --checkpoint FILE");
        return CLI_USAGE;
    }
    if (!cli_can_write(file)) {
        return CLI_USAGE;
    }
    run->files.next_checkpoint = next_multiple(run, ss_sim_time(run->sim));
    ss_status status = file ? ss_checkpoint_open(run->ctx, file, &run->files.checkpoint) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(run->ctx, status, file);
}

static int open_dump(run_state *run)
{
    const char *file = run->options->dump.file;
    if (!cli_can_write(file)) {
        return CLI_USAGE;
    }
    ss_status status = file ? ss_dump_open(run->ctx, file, &run->files.dump) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(run->ctx, status, file);
}

static int claim_writers(run_state *run)
{
    const cli_list *files = &run->options->output;
    run_files *f = &run->files;
    f->writer = calloc((size_t)files->n + 1, sizeof *f->writer);
    if (!f->writer || !cli_make_context(&f->ctx)) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (int k = 0; k < files->n; k++) {
        if (!cli_can_write(files->item[k])) {
            return CLI_USAGE;
        }
        ss_status status = ss_writer_claim(f->ctx, files->item[k], run->options->every, &f->writer[k]);
        if (status != SS_OK) {
            return cli_report(f->ctx, status, files->item[k]);
        }
        f->writers++;
    }
    return CLI_DONE;
}

static int begin_writers(run_state *run)
{
    run_files *f = &run->files;
    for (int k = 0; k < f->writers; k++) {
        ss_status status = ss_writer_begin(f->writer[k], run->scene.scene, run->sim);
        if (status != SS_OK) {
            return cli_report(f->ctx, status, run->options->output.item[k]);
        }
    }
    start_flusher(f);
    return CLI_DONE;
}

int run_open_files(run_state *run)
{
    int code = open_checkpoint(run);
    code = code == CLI_DONE ? open_dump(run) : code;
    code = code == CLI_DONE ? claim_writers(run) : code;
    return code == CLI_DONE ? begin_writers(run) : code;
}

/* ---- writing ----------------------------------------------------------------------------------- */

ss_status run_write_step(run_state *run, const ss_step_info *info)
{
    run_files *f = &run->files;
    pthread_mutex_lock(&f->flusher.lock);
    ss_status status = f->flusher.status;
    for (int k = 0; k < f->writers && status == SS_OK; k++) {
        status = ss_writer_step(f->writer[k], run->sim, info);
    }
    note_writer(run, status);
    pthread_mutex_unlock(&f->flusher.lock);
    return status;
}

ss_status run_write_event(run_state *run, const ss_event *event)
{
    run_files *f = &run->files;
    ss_status status = SS_OK;
    pthread_mutex_lock(&f->flusher.lock);
    for (int k = 0; k < f->writers && status == SS_OK; k++) {
        status = ss_writer_event(f->writer[k], run->sim, event);
    }
    note_writer(run, status);
    pthread_mutex_unlock(&f->flusher.lock);
    return status;
}

ss_status run_write_problem(run_state *run, const ss_problem *problem, const ss_solution *solution)
{
    pthread_mutex_lock(&run->files.flusher.lock);
    ss_status status = ss_dump_write(run->files.dump, problem, solution);
    pthread_mutex_unlock(&run->files.flusher.lock);
    run->files.dumped = status == SS_OK;
    return status;
}

ss_status run_save_checkpoint(run_state *run)
{
    return run->files.checkpoint ? ss_checkpoint_save(run->files.checkpoint, run->sim) : SS_OK;
}

ss_status run_checkpoint_when_due(run_state *run, double t)
{
    if (t < run->files.next_checkpoint * (1 - 1e-12)) {
        return SS_OK;
    }
    run->files.next_checkpoint = next_multiple(run, t);
    return run_save_checkpoint(run);
}

/* ---- closing ----------------------------------------------------------------------------------- */

void run_close_files(run_state *run)
{
    run_files *f = &run->files;
    stop_flusher(f);
    for (int k = 0; k < f->writers; k++) {
        note_writer(run, ss_writer_close(f->writer[k]));
    }
    free(f->writer);
    ss_checkpoint_close(f->checkpoint);
    ss_dump_close(f->dump);
    ss_context_destroy(f->ctx);
    *f = (run_files){ .dumped = f->dumped };
}
