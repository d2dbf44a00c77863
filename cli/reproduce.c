/* reproduce.c - the papers' tables and figures beside the published numbers: recipes papers/PAPER/experiments/NAME.json. */
#include "experiments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct reproduce_options {
    const char *folder;
    bool json;
} reproduce_options;

static const cli_option options_table[] = {
    { .name = "output",
      .letter = 'o',
      .kind = CLI_TEXT,
      .offset = offsetof(reproduce_options, folder),
      .argument = "DIR",
      .doc = "folder for the figures (SVG) and their data (CSV)" },
    { .name = "json",
      .kind = CLI_FLAG,
      .offset = offsetof(reproduce_options, json),
      .doc = "print the results as one JSON value" },
    { .name = NULL },
};

/* ---- which ones -------------------------------------------------------------------------------- */

static bool is_wanted(const char *name, const char *word)
{
    size_t n = word ? strlen(word) : 0;
    return !word || strcmp(name, word) == 0 || (strncmp(name, word, n) == 0 && name[n] == '/');
}

/* every paper, then every experiment */
static int unknown_experiment(const char *word, const cli_experiments *found)
{
    const char **names = calloc(2 * (size_t)found->n + 1, sizeof *names);
    char *papers = calloc((size_t)found->n + 1, CLI_EXPERIMENT_NAME);
    int n = 0;
    if (names && papers) {
        for (int k = 0; k < found->n; k++) {
            char *paper = papers + (size_t)n * CLI_EXPERIMENT_NAME;
            snprintf(paper, CLI_EXPERIMENT_NAME, "%.*s", (int)strcspn(found->item[k].name, "/"), found->item[k].name);
            if (n == 0 || strcmp(names[n - 1], paper) != 0) {
                names[n++] = paper;
            }
        }
        for (int k = 0; k < found->n; k++) {
            names[n++] = found->item[k].name;
        }
        cli_unknown("slipstick reproduce", strchr(word, '/') ? "experiment" : "paper", word, names);
    }
    free(papers);
    free(names);
    return CLI_USAGE;
}

/* ---- the table --------------------------------------------------------------------------------- */

static void print_number(const json_t *value, int width)
{
    if (json_is_number(value)) {
        printf("  %*.9g", width, json_number_value(value));
    } else {
        printf("  %*s", width, "-");
    }
}

static int label_width(const json_t *rows)
{
    size_t k, most = 5;
    json_t *row;
    json_array_foreach(rows, k, row)
    {
        size_t length = strlen(cli_experiment_text(row, "label"));
        most = length > most ? length : most;
    }
    return (int)most;
}

/* what rows are compared with: a column for each that some row has */
enum { GOALS = 4 };
static const char *const goal_key[GOALS] = { "published", "expected", "at_least", "at_most" };
static const char *const goal_title[GOALS] = { "published", "expected", "at least", "at most" };

static void find_columns(const json_t *rows, bool shown[GOALS])
{
    size_t k;
    json_t *row;
    for (int i = 0; i < GOALS; i++) {
        shown[i] = false;
        json_array_foreach(rows, k, row) { shown[i] = shown[i] || json_is_number(json_object_get(row, goal_key[i])); }
    }
}

static void print_heading(int width, const bool shown[GOALS])
{
    printf("  %-*s  %16s", width, "", "ours");
    for (int i = 0; i < GOALS; i++) {
        if (shown[i]) {
            printf("  %16s", goal_title[i]);
        }
    }
    printf("  %12s  %9s\n", "ratio", "tolerance");
}

static void print_row(const json_t *row, int width, const bool shown[GOALS])
{
    bool compared = false;
    printf("  %-*s", width, cli_experiment_text(row, "label"));
    print_number(json_object_get(row, "ours"), 16);
    for (int i = 0; i < GOALS; i++) {
        const json_t *goal = json_object_get(row, goal_key[i]);
        compared = compared || json_is_number(goal);
        if (shown[i]) {
            print_number(goal, 16);
        }
    }
    print_number(json_object_get(row, "ratio"), 12);
    print_number(json_object_get(row, "tolerance"), 9);
    const char *agrees = json_is_true(json_object_get(row, "ok")) ? "  ok" : "  differs";
    printf("%s\n", compared ? agrees : "");
}

static void print_rows(const json_t *rows)
{
    int width = label_width(rows);
    bool shown[GOALS];
    size_t k;
    json_t *row;
    find_columns(rows, shown);
    if (json_array_size(rows) > 0) {
        print_heading(width, shown);
    }
    json_array_foreach(rows, k, row) { print_row(row, width, shown); }
}

static void print_texts(const json_t *value)
{
    static const char *const keys[] = { "note", "correction", "missing" };
    size_t k;
    json_t *file;
    for (int i = 0; i < 3; i++) {
        if (*cli_experiment_text(value, keys[i])) {
            printf("  %s: %s\n", keys[i], cli_experiment_text(value, keys[i]));
        }
    }
    json_array_foreach(json_object_get(value, "files"), k, file) { printf("  %s\n", json_string_value(file)); }
}

static void print_experiment(const json_t *value)
{
    const char *reference = cli_experiment_text(value, "reference");
    printf("%s: %s%s%s%s\n", cli_experiment_text(value, "experiment"), cli_experiment_text(value, "title"),
           *reference ? "  [" : "", reference, *reference ? "]" : "");
    print_rows(json_object_get(value, "rows"));
    printf("  %s\n", cli_experiment_text(value, "verdict"));
    print_texts(value);
    printf("\n");
}

/* ---- command ----------------------------------------------------------------------------------- */

/* one line on a terminal */
static void show_progress(void *user, const char *what, double part)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%s: %s %.0f %%\033[K", (const char *)user, what, 100 * part);
        fflush(stderr);
    }
}

/* NULL: said why */
static json_t *run_one(ss_context *ctx, const cli_experiment *experiment, const reproduce_options *options, int *code)
{
    ss_experiment_options o = ss_experiment_options_default();
    o.folder = options->folder;
    o.watch.interrupt = cli_catch_signals();
    o.watch.progress = show_progress;
    o.watch.user = (void *)experiment->name;
    char *text = NULL;
    ss_status status = ss_experiment_run(ctx, experiment->path, &o, &text);
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
    if (status != SS_OK) {
        *code = cli_report(ctx, status, experiment->path);
        return NULL;
    }
    json_t *value = json_loads(text, 0, NULL);
    ss_blob_free(ctx, text);
    return value;
}

/* an experiment that cannot run does not keep the others from running */
static int reproduce(ss_context *ctx, const char *word, const reproduce_options *options)
{
    cli_experiments found = cli_experiments_find();
    json_t *list = json_array();
    int code = CLI_DONE, wanted = 0;
    for (int k = 0; k < found.n && !*cli_catch_signals(); k++) {
        if (!is_wanted(found.item[k].name, word)) {
            continue;
        }
        wanted++;
        json_t *value = run_one(ctx, &found.item[k], options, &code);
        if (value && !options->json) {
            print_experiment(value);
        }
        json_array_append_new(list, value);
    }
    if (found.n == 0) {
        cli_say("slipstick reproduce: no file papers/PAPER/experiments/NAME.json in this folder");
        code = CLI_USAGE;
    } else if (wanted == 0) {
        code = unknown_experiment(word, &found);
    }
    if (*cli_catch_signals()) {
        code = CLI_INTERRUPTED;
    }
    if (options->json && wanted > 0) {
        int printed = cli_print_json(json_incref(list));
        code = code != CLI_DONE ? code : printed;
    }
    json_decref(list);
    cli_experiments_free(&found);
    return code;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    reproduce_options options = { .folder = NULL };
    const char *word[1] = { NULL };
    const bool ready = cli_parse(ctx, &cli_reproduce, argc, argv, &options, 1, word) && cli_can_write_into(options.folder);
    return ready ? reproduce(ctx, word[0], &options) : CLI_USAGE;
}

const cli_command cli_reproduce = {
    .name = "reproduce",
    .usage = "reproduce [PAPER[/EXPERIMENT]]",
    .doc = "compute the tables and figures of the papers and compare them with the published numbers",
    .options = options_table,
    .run = run,
};
