/* run.c - run a scene: settings from the command line, results to files, a summary at the end.
 *
 * Scheme, solver, step and the like are put into the scene itself before it is checked, so that the scene kept
 * in a result file is the one that ran. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(run_options, member), .argument = argument_,     \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("scheme", 0, CLI_TEXT, scheme, "S", "time-stepping scheme; see slipstick list schemes"),
    OPTION("solver", 0, CLI_TEXT, solver, "S", "solver of the contact problems; see slipstick list solvers"),
    OPTION("step", 0, CLI_POSITIVE, step, "H", "length of a step, s; with --tol: length of the first step"),
    OPTION("tol", 0, CLI_POSITIVE, tol, "R", "tolerance on the local error of a step; step lengths are chosen to meet it"),
    OPTION("solver-tol", 0, CLI_POSITIVE, solver_tol, "R", "tolerance on the residuals of the contact problems"),
    OPTION("until", 0, CLI_POSITIVE, until, "T", "time at which the simulation ends, s"),
    OPTION("set", 0, CLI_SET, set, "PATH=VALUE", "change a value of the scene; may be given again"),
    OPTION("output", 'o', CLI_LIST, output, "FILE",
           "write results to a .csv, .h5, .hdf5 or .pvd (ParaView) file; may be given again"),
    OPTION("every", 0, CLI_POSITIVE, every, "DT", "simulated time between written states, s (default: every step)"),
    OPTION("precision", 0, CLI_TEXT, precision, "single|double", "of the numbers in .h5 files (double)"),
    OPTION("compress", 0, CLI_COUNT, compress, "N", "compress .h5 files: 1, quick, to 9, small"),
    OPTION("view", 0, CLI_FLAG, view, NULL, "also write a page that shows the first .h5 result, as slipstick view does"),
    OPTION("json", 0, CLI_FLAG, json, NULL, "print the result as one JSON value"),
    OPTION("quiet", 0, CLI_FLAG, quiet, NULL, "print no progress, no summary and no warnings"),
    OPTION("verbose", 'v', CLI_FLAG, verbose, NULL,
           "also print every event and every step that is not certified, as they happen"),
    OPTION("strict", 0, CLI_FLAG, strict, NULL, "stop at the first step that is not certified or whose error exceeds --tol"),
    OPTION("dump-step", 0, CLI_DUMP, dump, "N FILE.hdf5", "write the last contact problem of step N to a file (FCLIB format)"),
    OPTION("checkpoint", 0, CLI_TEXT, checkpoint, "FILE", "save the state at the end of the run and when it is interrupted"),
    OPTION("checkpoint-every", 0, CLI_POSITIVE, checkpoint_every, "DT",
           "with --checkpoint: also save every DT of simulated time, s"),
    OPTION("restart", 0, CLI_TEXT, restart, "FILE", "continue from a checkpoint of the same scene"),
    OPTION("allow-overlap", 0, CLI_FLAG, allow_overlap, NULL, "run even if bodies overlap at the start"),
    OPTION("assemble", 0, CLI_FLAG, assemble, NULL,
           "first close joints that do not fit by the least motion, start motors, and say what has moved"),
    OPTION("threads", 0, CLI_COUNT, threads, "N", "number of threads (1); the results do not depend on it"),
    { .name = NULL },
};

/* ---- settings into the scene ------------------------------------------------------------------- */

typedef struct settings {
    char text[8][256];
    int n;
    cli_list all; /* ours first, then the user's --set */
} settings;

static void set_text(settings *s, const char *key, const char *value)
{
    if (value) {
        snprintf(s->text[s->n], sizeof s->text[0], "%s=%s", key, value);
        cli_list_add(&s->all, s->text[s->n++]);
    }
}

static void set_number(settings *s, const char *key, double value)
{
    if (value > 0) {
        char number[40];
        snprintf(number, sizeof number, "%.17g", value);
        set_text(s, key, number);
    }
}

static void gather_settings(const run_options *o, settings *s)
{
    set_text(s, "scheme.name", o->scheme);
    set_text(s, "solver.name", o->solver);
    set_number(s, "time.step", o->step);
    set_number(s, "time.tol", o->tol);
    set_number(s, "time.until", o->until);
    set_number(s, "solver.tol", o->solver_tol);
    set_text(s, "results.precision", o->precision);
    set_number(s, "results.compress", o->compress);
    for (int k = 0; k < o->set.n; k++) {
        cli_list_add(&s->all, o->set.item[k]);
    }
}

/* ---- observer ---------------------------------------------------------------------------------- */

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    run_state *run = user;
    (void)sim;
    ss_record_step(run->record, info);
    ss_status status = run_write_step(run, info);
    run_say_step(run, info);
    run_show_progress(run, info);
    return status == SS_OK ? run_checkpoint_when_due(run, info->t) : status;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    run_state *run = user;
    run_say_event(run, event);
    ss_status status = run_write_event(run, event);
    return status == SS_OK ? ss_record_event(run->record, sim, event) : status;
}

/* the file ends up with the last problem of the step */
static ss_status on_problem(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution)
{
    run_state *run = user;
    (void)sim;
    return step == run->options->dump.step ? run_write_problem(run, problem, solution) : SS_OK;
}

/* ---- setting up -------------------------------------------------------------------------------- */

static int read_settings(run_state *run)
{
    const ss_scene_settings *s = ss_scene_get_settings(run->scene.scene);
    run->solver_tol = s->solver_tol;
    run->name = s->name ? strdup(s->name) : NULL;
    if (isnan(s->until)) {
        cli_say("%s: time.until: missing; give it in the scene or with --until T", run->path);
        return CLI_USAGE;
    }
    run->until = s->until;
    return CLI_DONE;
}

/* a checkpoint at the very end is fine: there is nothing left to do */
static int open_restart(run_state *run)
{
    const char *file = run->options->restart;
    ss_status status = file ? ss_checkpoint_read(run->sim, run->ctx, file) : SS_OK;
    if (status != SS_OK) {
        cli_report(run->ctx, status, file);
        return CLI_USAGE;
    }
    double t = ss_sim_time(run->sim);
    if (t > run->until + 1e-9 * ss_sim_step_size(run->sim)) {
        cli_say("%s: the checkpoint was saved at t = %.9g s, after the end time.until = %.9g s; give a later --until", file, t,
                run->until);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int open_sim(run_state *run)
{
    ss_sim_options options = ss_sim_options_default();
    options.allow_overlap = run->options->allow_overlap;
    options.strict = run->options->strict;
    options.interrupt = cli_catch_signals();
    ss_status status = ss_sim_create(run->ctx, run->scene.model, &options, &run->sim);
    if (status != SS_OK) {
        return cli_report(run->ctx, status, run->path);
    }
    return open_restart(run);
}

static int open_record(run_state *run)
{
    ss_status status = ss_record_create(run->ctx, run->sim, run->options->json, &run->record);
    return status == SS_OK ? CLI_DONE : cli_report(run->ctx, status, run->path);
}

static int open_run(run_state *run)
{
    const run_options *options = run->options;
    settings s = { .n = 0 };
    gather_settings(options, &s);
    int code = options->assemble ? cli_scene_assemble(run->ctx, run->path, &s.all, options->quiet, &run->scene)
                                 : cli_scene_open(run->ctx, run->path, &s.all, &run->scene);
    cli_list_free(&s.all);
    run->path = cli_scene_name(run->path);
    code = code == CLI_DONE ? read_settings(run) : code;
    code = code == CLI_DONE ? open_sim(run) : code;
    code = code == CLI_DONE ? open_record(run) : code;
    code = code == CLI_DONE ? run_open_files(run) : code;
    cli_scene_forget(&run->scene);
    run->progress.wanted = !options->quiet && isatty(STDERR_FILENO);
    return code;
}

/* ---- running ----------------------------------------------------------------------------------- */

static void advance(run_state *run)
{
    ss_observer observer = ss_observer_default();
    observer.user = run;
    observer.on_step = on_step;
    observer.on_event = on_event;
    if (run->options->dump.file) {
        observer.on_problem = on_problem;
    }
    ss_sim_observe(run->sim, &observer);
    run->outcome = "done";
    run->progress.started = run->progress.shown = run_clock();
    run_note_failure(run, run->ctx, ss_sim_advance(run->sim, run->until));
    run_clear_progress(run);
    run_note_failure(run, run->ctx, run_save_checkpoint(run));
    run_close_files(run);
}

static int finish(run_state *run)
{
    int code = run->code;
    if (*run->error) {
        run_say_error(run);
    } else if (run->options->dump.file && !run->files.dumped) {
        cli_say("%s: --dump-step: step %d was not reached or has no contact problem", run->path, run->options->dump.step);
        code = CLI_FAILED;
    }
    if (!run->options->quiet) {
        run_say_warnings(run);
    }
    if (run->options->json) {
        int printed = cli_print_json(run_json(run));
        return code != CLI_DONE ? code : printed;
    }
    if (!run->options->quiet) {
        run_print_summary(run);
    }
    return code;
}

static void close_run(run_state *run)
{
    run_close_files(run);
    ss_record_destroy(run->record);
    ss_sim_destroy(run->sim);
    cli_scene_close(&run->scene);
    free(run->name);
}

static int run_scene(ss_context *ctx, const char *path, const run_options *options)
{
    run_state run = { .ctx = ctx, .options = options, .path = path };
    int code = open_run(&run);
    if (code == CLI_DONE) {
        advance(&run);
        code = finish(&run);
    }
    close_run(&run);
    return code;
}

/* the first of -o that a page can show; NULL: none */
static const char *find_shown(const run_options *o)
{
    for (int k = 0; k < o->output.n; k++) {
        if (cli_ends_with(o->output.item[k], ".h5") || cli_ends_with(o->output.item[k], ".hdf5")) {
            return o->output.item[k];
        }
    }
    return NULL;
}

/* A run that was interrupted or failed is shown as far as it came. */
static int run_and_view(ss_context *ctx, const char *path, const run_options *options)
{
    const char *shown = find_shown(options);
    if (options->view && !shown) {
        cli_say("slipstick run: --view needs a result that it can show: add -o FILE.h5");
        return CLI_USAGE;
    }
    int code = run_scene(ctx, path, options);
    if (!options->view || code == CLI_USAGE) {
        return code;
    }
    int viewed = cli_view_result(ctx, shown, options->quiet || options->json);
    return code == CLI_DONE ? viewed : code;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    run_options options = { .threads = 1 };
    const char *path[1] = { NULL };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_run, argc, argv, &options, 1, path)) {
        ss_context_set_threads(ctx, options.threads);
        code = cli_given(&cli_run, "scene", path[0]) ? run_and_view(ctx, path[0], &options) : CLI_USAGE;
    }
    cli_list_free(&options.set);
    cli_list_free(&options.output);
    return code;
}

const cli_command cli_run = {
    .name = "run",
    .usage = "run SCENE",
    .doc = "simulate a scene",
    .options = options_table,
    .run = run,
};
