/* sweep.c - a scene over a grid of values: one row of a CSV file for each run.
 *
 * Grid      every --set PATH=A:B:N is an axis of N values from A to B; the last axis changes fastest
 * Order     rows are written in the order of the grid, whatever thread finishes first: the same bytes for any number of threads
 * Resuming  rows that the file has already are kept, if their header and values are those of this grid */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AXES = 8, WORD = 512, MOST_ROWS = 10000000, THREADS = 256 };

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

typedef struct axis {
    char path[WORD];
    double from, to;
    int count;
} axis;

typedef struct sweep {
    const sweep_options *options;
    const char *scene;
    cli_list fixed; /* settings of all runs            */
    axis axis[AXES];
    int axes, numbers; /* numbers: of q and v             */
    long rows;
    FILE *file;
    const volatile int *interrupt;
    pthread_mutex_t lock; /* of what follows                 */
    long next, written;   /* row to compute, row to write     */
    char **row;           /* those that wait for earlier ones */
    int code;
} sweep;

/* ---- the grid ------------------------------------------------------------------------------------------ */

/* "A:B:N"; false: it is none */
static bool parse_axis(ss_context *ctx, const char *path, size_t length, const char *value, axis *out)
{
    char word[WORD];
    double count;
    const char *first = strchr(value, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    if (!second || length >= sizeof out->path || strlen(value) >= sizeof word || strchr("[{\"", *value)) {
        return false;
    }
    snprintf(word, sizeof word, "%s", value);
    word[first - value] = word[second - value] = '\0';
    if (ss_number_parse(ctx, word, &out->from) != SS_OK || ss_number_parse(ctx, word + (first - value) + 1, &out->to) != SS_OK ||
        ss_number_parse(ctx, second + 1, &count) != SS_OK || !(count >= 1 && count <= MOST_ROWS) || count != floor(count)) {
        return false;
    }
    snprintf(out->path, sizeof out->path, "%.*s", (int)length, path);
    out->count = (int)count;
    return true;
}

static bool parse_grid(ss_context *ctx, sweep *s)
{
    s->rows = 1;
    for (int k = 0; k < s->options->set.n; k++) {
        const char *item = s->options->set.item[k], *equals = strchr(item, '=');
        if (!equals || s->axes == AXES || !parse_axis(ctx, item, (size_t)(equals - item), equals + 1, &s->axis[s->axes])) {
            cli_list_add(&s->fixed, item);
            continue;
        }
        s->rows *= s->axis[s->axes++].count;
        if (s->rows > MOST_ROWS) {
            cli_say("slipstick sweep: more than %d runs", MOST_ROWS);
            return false;
        }
    }
    if (s->axes == 0) {
        cli_say("slipstick sweep: no --set PATH=A:B:N with values to go through");
    }
    return s->axes > 0;
}

static double value_at(const sweep *s, int which, long row)
{
    for (int k = s->axes - 1; k > which; k--) {
        row /= s->axis[k].count;
    }
    const axis *a = &s->axis[which];
    const long i = row % a->count;
    return i == a->count - 1 && i > 0 ? a->to
                                      : a->from + (a->to - a->from) * (double)i / (double)(a->count > 1 ? a->count - 1 : 1);
}

/* ---- one run ------------------------------------------------------------------------------------------- */

static ss_status open_scene(const sweep *s, long row, ss_context *ctx, cli_scene *out)
{
    char word[AXES][2 * WORD], found[CLI_PATH];
    cli_list sets = { 0 };
    for (int k = 0; k < s->fixed.n; k++) {
        cli_list_add(&sets, s->fixed.item[k]);
    }
    for (int k = 0; k < s->axes; k++) {
        snprintf(word[k], sizeof word[k], "%s=%.17g", s->axis[k].path, value_at(s, k, row));
        cli_list_add(&sets, word[k]);
    }
    *out = (cli_scene){ 0 };
    ss_status status = ss_scene_read(ctx, cli_find_data(s->scene, found), sets.n, sets.item, &out->scene);
    status = status == SS_OK ? ss_model_compile(ctx, out->scene, &out->model) : status;
    cli_list_free(&sets);
    return status;
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

/* the row as text; sim NULL: there is no run to tell of */
static void print_row(const sweep *s, long row, const char *outcome, const ss_sim *sim, FILE *out)
{
    for (int k = 0; k < s->axes; k++) {
        fprintf(out, "%.17g,", value_at(s, k, row));
    }
    fputs(outcome, out);
    if (!sim) {
        for (int k = 0; k < 7 + s->numbers; k++) {
            fputc(',', out);
        }
        fputc('\n', out);
        return;
    }
    const ss_summary *sum = ss_sim_summary(sim);
    const ss_model *m = ss_sim_model(sim);
    fprintf(out, ",%.17g,%lld,%lld,%.17g,%.17g,%.17g,%.17g", ss_sim_time(sim), (long long)sum->steps,
            (long long)sum->unconverged_steps, sum->max_residual, sum->max_penetration, sum->max_joint_error, sum->energy_final);
    for (int k = 0; k < s->numbers; k++) {
        const int nq = ss_model_nq(m);
        fprintf(out, ",%.17g", k < nq ? ss_sim_q(sim)[k] : ss_sim_v(sim)[k - nq]);
    }
    fputc('\n', out);
}

/* NULL: out of memory, or interrupted */
static char *make_row(const sweep *s, long row)
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
    const bool refused = status != SS_OK;
    status = refused ? status : simulate(s, ctx, &scene, &sim);
    FILE *out = status == SS_ERR_INTERRUPTED ? NULL : open_memstream(&text, &size);
    if (out) {
        print_row(s, row,
                  status == SS_OK   ? "done"
                  : refused || !sim ? "refused"
                                    : "failed",
                  status == SS_OK || sim ? sim : NULL, out);
        fclose(out);
    }
    if (out && status != SS_OK) {
        cli_say("row %ld: %s", row + 1, ss_last_error(ctx));
    }
    ss_sim_destroy(sim);
    cli_scene_close(&scene);
    ss_context_destroy(ctx);
    return text;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* the names of the columns, from the scene of the first row; the exit status */
static int make_header(ss_context *ctx, sweep *s, char **text)
{
    cli_scene scene;
    size_t size = 0;
    const ss_status status = open_scene(s, 0, ctx, &scene);
    if (status != SS_OK) {
        cli_scene_close(&scene);
        return cli_report(ctx, status, s->scene);
    }
    const int nq = ss_model_nq(scene.model);
    s->numbers = nq + ss_model_nv(scene.model);
    FILE *out = open_memstream(text, &size);
    for (int k = 0; out && k < s->axes; k++) {
        fprintf(out, "%s,", s->axis[k].path);
    }
    if (out) {
        fputs("outcome,t,steps,unconverged_steps,max_residual,max_penetration,max_joint_error,energy_final", out);
    }
    for (int k = 0; out && k < s->numbers; k++) {
        char name[256];
        ss_model_coordinate_name(scene.model, k >= nq, k < nq ? k : k - nq, name, sizeof name);
        fprintf(out, ",%s", name);
    }
    if (out) {
        fputc('\n', out);
        fclose(out);
    }
    cli_scene_close(&scene);
    return out ? CLI_DONE : CLI_FAILED;
}

/* Is this the start of row `row` of the grid? */
static bool belongs(const sweep *s, long row, const char *line)
{
    char start[AXES * 32] = "";
    for (int k = 0; k < s->axes; k++) {
        const size_t used = strlen(start);
        snprintf(start + used, sizeof start - used, "%.17g,", value_at(s, k, row));
    }
    return row < s->rows && strncmp(line, start, strlen(start)) == 0;
}

/* Rows that are there stay; a row that was cut off is computed again. The exit status. */
static int resume(sweep *s, const char *header)
{
    char *line = NULL;
    size_t size = 0;
    long end = 0, row = -1; /* -1: the header */
    ssize_t length;
    bool same = true;
    while (same && (length = getline(&line, &size, s->file)) > 0 && line[length - 1] == '\n') {
        same = row < 0 ? strcmp(line, header) == 0 : belongs(s, row, line);
        row++;
        end = ftell(s->file);
    }
    free(line);
    if (!same) {
        cli_say("%s: it holds another table; remove it or give another name", s->options->output);
        return CLI_USAGE;
    }
    s->next = s->written = row > 0 ? row : 0;
    const bool good = ftruncate(fileno(s->file), end) == 0 && fseek(s->file, end, SEEK_SET) == 0;
    if (good && row < 0) {
        fputs(header, s->file);
    }
    return good ? CLI_DONE : CLI_FAILED;
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

/* rows that all earlier ones have come before */
static void write_ready(sweep *s)
{
    for (; s->written < s->rows && s->row[s->written]; s->written++) {
        fputs(s->row[s->written], s->file);
        free(s->row[s->written]);
        s->row[s->written] = NULL;
    }
    fflush(s->file);
}

static void *work(void *user)
{
    sweep *s = user;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        const long row = s->code == CLI_DONE && !*s->interrupt && s->next < s->rows ? s->next++ : -1;
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
    const long cores = s->options->threads > 0 ? s->options->threads : sysconf(_SC_NPROCESSORS_ONLN), left = s->rows - s->next;
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

static int fill_table(sweep *s, const char *header)
{
    s->file = fopen(s->options->output, "a+");
    s->row = calloc((size_t)s->rows, sizeof *s->row);
    if (!s->file || !s->row) {
        cli_say("%s: cannot be opened: %s", s->options->output, strerror(errno));
        return CLI_USAGE;
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
        printf("%s: %ld of %ld rows, %ld of them from before\n", s->options->output, s->written, s->rows, kept);
    }
    return s->code;
}

/* ---- command ------------------------------------------------------------------------------------------ */

static void close_sweep(sweep *s)
{
    if (s->file && fclose(s->file) != 0 && s->code == CLI_DONE) {
        cli_say("%s: cannot be written: %s", s->options->output, strerror(errno));
        s->code = CLI_FAILED;
    }
    for (long k = 0; s->row && k < s->rows; k++) {
        free(s->row[k]);
    }
    free(s->row);
    cli_list_free(&s->fixed);
    pthread_mutex_destroy(&s->lock);
}

static int run(ss_context *ctx, int argc, char **argv)
{
    sweep_options o = { .scheme = NULL };
    sweep s = { .options = &o, .code = CLI_USAGE };
    char *header = NULL;
    const char *word[1] = { NULL };
    pthread_mutex_init(&s.lock, NULL);
    if (cli_parse(ctx, &cli_sweep, argc, argv, &o, 1, word) && cli_given(&cli_sweep, "scene", word[0]) &&
        cli_given(&cli_sweep, "table (-o FILE.csv)", o.output) && parse_grid(ctx, &s)) {
        s.scene = word[0];
        s.code = make_header(ctx, &s, &header);
        s.code = s.code == CLI_DONE ? fill_table(&s, header) : s.code;
    }
    close_sweep(&s);
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
