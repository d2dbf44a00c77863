/* sweep.c - a scene over a grid of values: one row of a CSV file for each run.
 *
 * Grid      see sweep_grid.h
 * Order     rows are written in the order of the grid, whatever thread finishes first: the same bytes for any number of threads
 * Columns   those of the first row whose scene is valid; a row with another number of coordinates is refused
 * Resuming  rows that the file has already are kept, if header, values and fingerprint are those of this sweep
 * Fingerprint  a hash (FNV-1a) of the scene's text and of the options that change results; the last column of each row */
#include "cli.h"
#include "sweep_grid.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 256 };

typedef struct sweep_options {
    const char *scheme, *solver, *output;
    double step, tol, until; /* 0: not given */
    cli_list set;
    bool quiet;
    int threads; /* 0: as many as there are cores */
} sweep_options;

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(sweep_options, member), .argument = argument_,   \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("set", 0, CLI_SET, set, "PATH=A:B:N",
           "values to go through: N numbers from A to B; may be given again, for a grid; PATH=VALUE changes a value of all runs"),
    OPTION("output", 'o', CLI_TEXT, output, "FILE.csv", "the table; rows that it has already are not computed again"),
    OPTION("scheme", 0, CLI_TEXT, scheme, "S", "scheme (default: that of the scene)"),
    OPTION("solver", 0, CLI_TEXT, solver, "S", "solver (default: that of the scene)"),
    OPTION("step", 0, CLI_POSITIVE, step, "H", "length of a step, s"),
    OPTION("tol", 0, CLI_POSITIVE, tol, "R", "tolerance that chooses the step lengths"),
    OPTION("until", 0, CLI_POSITIVE, until, "T", "time at which the simulations end, s"),
    OPTION("threads", 0, CLI_COUNT, threads, "N", "number of runs at a time (all cores); the table does not depend on it"),
    OPTION("quiet", 0, CLI_FLAG, quiet, NULL, "do not say how many rows were written"),
    { .name = NULL },
};

typedef struct columns {
    int nq, nv;
    char inputs[24]; /* the fingerprint, as it ends a row */
} columns;

typedef struct sweep {
    const sweep_options *options;
    cli_source *source; /* with its text                    */
    sweep_grid grid;
    columns columns;
    FILE *file;
    const volatile int *interrupt;
    pthread_mutex_t lock; /* of what follows, and of messages */
    long next, written;   /* row to compute, row to write     */
    char **row;           /* those that wait for earlier ones */
    int code;
} sweep;

/* ---- fingerprint ---------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t h, const char *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        h = (h ^ (unsigned char)bytes[k]) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* with the zero at its end, which parts it from the next; NULL counts as empty */
static uint64_t hash_text(uint64_t h, const char *text) { return hash_bytes(h, text ? text : "", text ? strlen(text) + 1 : 1); }

static void make_fingerprint(sweep *s)
{
    const sweep_options *o = s->options;
    char numbers[128];
    snprintf(numbers, sizeof numbers, "%.17g %.17g %.17g", o->step, o->tol, o->until);
    uint64_t h = hash_bytes(UINT64_C(0xcbf29ce484222325), s->source->text, s->source->size);
    h = hash_text(hash_text(hash_text(h, o->scheme), o->solver), numbers);
    for (int k = 0; k < s->grid.fixed.n; k++) {
        h = hash_text(h, s->grid.fixed.item[k]);
    }
    snprintf(s->columns.inputs, sizeof s->columns.inputs, ",x%016llx\n", (unsigned long long)h);
}

/* ---- one run ------------------------------------------------------------------------------------------- */

static ss_status open_scene(const sweep *s, long row, ss_context *ctx, cli_scene *out)
{
    char word[AXES][2 * WORD];
    cli_list sets = { 0 };
    for (int k = 0; k < s->grid.fixed.n; k++) {
        cli_list_add(&sets, s->grid.fixed.item[k]);
    }
    for (int k = 0; k < s->grid.axes; k++) {
        snprintf(word[k], sizeof word[k], "%s=%.17g", s->grid.axis[k].path, sweep_value(&s->grid, k, row));
        cli_list_add(&sets, word[k]);
    }
    *out = (cli_scene){ 0 };
    ss_status status = ss_scene_parse(ctx, s->source->text, s->source->size, s->source->name, sets.n, sets.item, &out->scene);
    status = status == SS_OK ? ss_model_compile(ctx, out->scene, &out->model) : status;
    cli_list_free(&sets);
    return status;
}

/* Does the model have the coordinates that the table has columns for? */
static ss_status check_columns(const sweep *s, ss_context *ctx, const ss_model *model)
{
    const columns *c = &s->columns;
    const int nq = ss_model_nq(model), nv = ss_model_nv(model);
    char text[256];
    if (nq == c->nq && nv == c->nv) {
        return SS_OK;
    }
    snprintf(text, sizeof text, "the scene has %d coordinates and %d velocities, the columns of the table are for %d and %d", nq,
             nv, c->nq, c->nv);
    return ss_context_fail(ctx, SS_ERR_INPUT, text);
}

static ss_status simulate(const sweep *s, ss_context *ctx, const cli_scene *scene, ss_sim **sim)
{
    const sweep_options *o = s->options;
    ss_sim_options options = ss_sim_options_default();
    options.scheme = o->scheme;
    options.solver = o->solver;
    options.step = o->step > 0 ? o->step : NAN;
    options.tol = o->tol > 0 ? o->tol : NAN;
    options.interrupt = s->interrupt;
    const double until = o->until > 0 ? o->until : ss_scene_get_settings(scene->scene)->until;
    if (isnan(until)) {
        return ss_context_fail(ctx, SS_ERR_INPUT, "time.until: missing; give the end of the simulation (--until)");
    }
    ss_status status = ss_sim_create(ctx, scene->model, &options, sim);
    return status == SS_OK ? ss_sim_advance(*sim, until) : status;
}

/* what the run was like, and its last state */
static void print_end(const sweep *s, const ss_sim *sim, FILE *out)
{
    const ss_summary *sum = ss_sim_summary(sim);
    fprintf(out, ",%.17g,%lld,%lld,%.17g,%.17g,%.17g,%.17g", ss_sim_time(sim), (long long)sum->steps,
            (long long)sum->unconverged_steps, sum->max_residual, sum->max_penetration, sum->max_joint_error, sum->energy_final);
    for (int k = 0; k < s->columns.nq; k++) {
        fprintf(out, ",%.17g", ss_sim_q(sim)[k]);
    }
    for (int k = 0; k < s->columns.nv; k++) {
        fprintf(out, ",%.17g", ss_sim_v(sim)[k]);
    }
}

/* the row as text; sim NULL: there is no run to tell of */
static void print_row(const sweep *s, long row, const char *outcome, const ss_sim *sim, FILE *out)
{
    for (int k = 0; k < s->grid.axes; k++) {
        fprintf(out, "%.17g,", sweep_value(&s->grid, k, row));
    }
    fputs(outcome, out);
    for (int k = 0; !sim && k < 7 + s->columns.nq + s->columns.nv; k++) {
        fputc(',', out);
    }
    if (sim) {
        print_end(s, sim, out);
    }
    fputs(s->columns.inputs, out);
}

/* NULL: out of memory, or interrupted */
static char *make_row(sweep *s, long row)
{
    ss_context *ctx = NULL;
    cli_scene scene = { 0 };
    ss_sim *sim = NULL;
    char *text = NULL;
    size_t size = 0;
    if (ss_context_create(NULL, &ctx) != SS_OK) {
        return NULL;
    }
    ss_status status = open_scene(s, row, ctx, &scene);
    status = status == SS_OK ? check_columns(s, ctx, scene.model) : status;
    status = status == SS_OK ? simulate(s, ctx, &scene, &sim) : status;
    FILE *out = status == SS_ERR_INTERRUPTED ? NULL : open_memstream(&text, &size);
    if (out) {
        print_row(s, row, status == SS_OK ? "done" : sim ? "failed" : "refused", sim, out);
        fclose(out);
    }
    if (out && status != SS_OK) {
        pthread_mutex_lock(&s->lock);
        cli_say("row %ld: %s", row + 1, ss_last_error(ctx));
        pthread_mutex_unlock(&s->lock);
    }
    ss_sim_destroy(sim);
    cli_scene_close(&scene);
    ss_context_destroy(ctx);
    return text;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static void print_header(const sweep *s, const ss_model *model, FILE *out)
{
    const int nq = s->columns.nq, nv = s->columns.nv;
    for (int k = 0; k < s->grid.axes; k++) {
        fprintf(out, "%s,", s->grid.axis[k].path);
    }
    fputs("outcome,t,steps,unconverged_steps,max_residual,max_penetration,max_joint_error,energy_final", out);
    for (int k = 0; k < nq + nv; k++) {
        char name[256];
        ss_model_coordinate_name(model, k >= nq, k < nq ? k : k - nq, name, sizeof name);
        fprintf(out, ",%s", name);
    }
    fputs(",inputs\n", out);
}

/* the scene of the first row that has a valid one; if none has, the error is that of the first row */
static ss_status open_first(ss_context *ctx, const sweep *s, cli_scene *scene)
{
    ss_status status = SS_ERR_INPUT;
    for (long row = 0; row < s->grid.rows && status != SS_OK; row++) {
        status = open_scene(s, row, ctx, scene);
        if (status != SS_OK) {
            cli_scene_close(scene);
        }
    }
    return status == SS_OK ? SS_OK : open_scene(s, 0, ctx, scene);
}

/* the names of the columns; the exit status */
static int make_header(ss_context *ctx, sweep *s, char **text)
{
    cli_scene scene;
    size_t size = 0;
    const ss_status status = open_first(ctx, s, &scene);
    FILE *out = status == SS_OK ? open_memstream(text, &size) : NULL;
    if (out) {
        s->columns.nq = ss_model_nq(scene.model);
        s->columns.nv = ss_model_nv(scene.model);
        print_header(s, scene.model, out);
        fclose(out);
    }
    cli_scene_close(&scene);
    return status != SS_OK ? cli_report(ctx, status, s->source->name) : out ? CLI_DONE : CLI_FAILED;
}

static int say_unwritten(const sweep *s)
{
    cli_say("%s: cannot be written: %s", s->options->output, strerror(errno));
    return CLI_FAILED;
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Is this line of the file row `row` (-1: the header), or if it was cut off, its beginning? */
static bool belongs(const sweep *s, const char *header, long row, const char *line, bool whole)
{
    char start[AXES * 32] = "";
    for (int k = 0; row >= 0 && k < s->grid.axes; k++) {
        const size_t used = strlen(start);
        snprintf(start + used, sizeof start - used, "%.17g,", sweep_value(&s->grid, k, row));
    }
    const char *expected = row < 0 ? header : start;
    return row < s->grid.rows && (starts_with(line, expected) || (!whole && starts_with(expected, line)));
}

/* The rows that are there: their number (-1: not even a header), and where the last ends. The exit status. */
static int read_rows(const sweep *s, const char *header, long *rows, long *end)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool same = true, whole = true, foreign = false;
    *rows = -1;
    *end = 0;
    while (same && !foreign && whole && (length = getline(&line, &size, s->file)) > 0) {
        whole = line[length - 1] == '\n';
        same = belongs(s, header, *rows, line, whole);
        foreign = same && whole && *rows >= 0 && !ends_with(line, s->columns.inputs);
        if (whole) {
            ++*rows;
            *end = ftell(s->file);
        }
    }
    free(line);
    if (!same) {
        cli_say("%s: it holds another table; remove it or give another name", s->options->output);
    } else if (foreign) {
        cli_say("%s: its rows are of another scene or of other options; remove it or give another name", s->options->output);
    }
    return same && !foreign ? CLI_DONE : CLI_USAGE;
}

/* Rows that are there stay; a row that was cut off is computed again. The exit status. */
static int resume(sweep *s, const char *header)
{
    long rows, end;
    const int code = read_rows(s, header, &rows, &end);
    if (code != CLI_DONE) {
        return code;
    }
    if (ftruncate(fileno(s->file), end) != 0 || fseek(s->file, end, SEEK_SET) != 0) {
        return say_unwritten(s);
    }
    s->next = s->written = rows > 0 ? rows : 0;
    return rows >= 0 || (fputs(header, s->file) >= 0 && fflush(s->file) == 0) ? CLI_DONE : say_unwritten(s);
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

/* rows that all earlier ones have come before */
static void write_ready(sweep *s)
{
    for (; s->written < s->grid.rows && s->row[s->written]; s->written++) {
        fputs(s->row[s->written], s->file);
        free(s->row[s->written]);
        s->row[s->written] = NULL;
    }
    if (fflush(s->file) != 0 && s->code == CLI_DONE) {
        s->code = say_unwritten(s);
    }
}

static void *work(void *user)
{
    sweep *s = user;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        const long row = s->code == CLI_DONE && !*s->interrupt && s->next < s->grid.rows ? s->next++ : -1;
        pthread_mutex_unlock(&s->lock);
        if (row < 0) {
            return NULL;
        }
        char *text = make_row(s, row);
        pthread_mutex_lock(&s->lock);
        s->row[row] = text;
        s->code = text || *s->interrupt ? s->code : CLI_FAILED;
        write_ready(s);
        pthread_mutex_unlock(&s->lock);
    }
}

static void work_together(sweep *s)
{
    pthread_t thread[THREADS];
    const long cores = s->options->threads > 0 ? s->options->threads : sysconf(_SC_NPROCESSORS_ONLN),
               left = s->grid.rows - s->next;
    const int wanted = (int)(cores < 1 ? 1 : cores > THREADS ? THREADS : cores < left ? cores : left);
    int n = 0;
    while (n + 1 < wanted && pthread_create(&thread[n], NULL, work, s) == 0) {
        n++;
    }
    work(s);
    for (int k = 0; k < n; k++) {
        pthread_join(thread[k], NULL);
    }
}

/* The exit status. Only a regular file can be read again and cut, which resuming needs. */
static int open_table(sweep *s)
{
    struct stat about;
    s->file = fopen(s->options->output, "a+");
    if (!s->file || fstat(fileno(s->file), &about) != 0) {
        cli_say("%s: cannot be opened: %s", s->options->output, strerror(errno));
        return CLI_USAGE;
    }
    if (!S_ISREG(about.st_mode)) {
        cli_say("%s: expected a regular file for the table, which can be read again", s->options->output);
        return CLI_USAGE;
    }
    s->row = calloc((size_t)s->grid.rows, sizeof *s->row);
    return s->row ? CLI_DONE : CLI_FAILED;
}

static int fill_table(sweep *s, const char *header)
{
    const int opened = open_table(s);
    if (opened != CLI_DONE) {
        return opened;
    }
    rewind(s->file);
    s->code = resume(s, header);
    const long kept = s->written;
    if (s->code == CLI_DONE) {
        s->interrupt = cli_catch_signals();
        work_together(s);
        s->code = *s->interrupt ? CLI_INTERRUPTED : s->code;
    }
    if (s->code != CLI_USAGE && !s->options->quiet) {
        printf("%s: %ld of %ld rows, %ld of them from before\n", s->options->output, s->written, s->grid.rows, kept);
    }
    return s->code;
}

/* ---- command ------------------------------------------------------------------------------------------ */

static void close_sweep(sweep *s)
{
    if (s->file && fclose(s->file) != 0 && s->code == CLI_DONE) {
        s->code = say_unwritten(s);
    }
    for (long k = 0; s->row && k < s->grid.rows; k++) {
        free(s->row[k]);
    }
    free(s->row);
    cli_list_free(&s->grid.fixed);
    pthread_mutex_destroy(&s->lock);
}

static int run(ss_context *ctx, int argc, char **argv)
{
    sweep_options o = { .scheme = NULL };
    cli_source source = { 0 };
    sweep s = { .options = &o, .source = &source, .code = CLI_USAGE };
    char *header = NULL;
    const char *word[1] = { NULL };
    pthread_mutex_init(&s.lock, NULL);
    if (cli_parse(ctx, &cli_sweep, argc, argv, &o, 1, word) && cli_given(&cli_sweep, "scene", word[0]) &&
        cli_given(&cli_sweep, "table (-o FILE.csv)", o.output) && sweep_parse_grid(ctx, &o.set, &s.grid)) {
        s.code = cli_source_load(word[0], &source);
        s.code = s.code == CLI_DONE ? make_header(ctx, &s, &header) : s.code;
    }
    if (s.code == CLI_DONE) {
        make_fingerprint(&s);
        s.code = fill_table(&s, header);
    }
    close_sweep(&s);
    cli_source_close(&source);
    free(header);
    cli_list_free(&o.set);
    return s.code;
}

const cli_command cli_sweep = {
    .name = "sweep",
    .usage = "sweep SCENE --set PATH=A:B:N -o FILE.csv",
    .doc = "run a scene over a grid of values and write a table",
    .options = options_table,
    .run = run,
};
