/* compare.c - the same scene by several schemes, side by side: options, the table, JSON. The comparison itself is ss_compare. */
#include "cli.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct compare_options {
    const char *schemes, *tols, *folder;
    double step, until;
    cli_list set;
    bool json;
} compare_options;

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(compare_options, member), .argument = argument_, \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("scheme", 0, CLI_TEXT, schemes, "S[,S..]", "schemes to compare; see slipstick list schemes"),
    OPTION("step", 0, CLI_POSITIVE, step, "H", "length of a step, s; with --tol: length of the first step"),
    OPTION("tol", 0, CLI_TEXT, tols, "R[,R..]",
           "tolerances that choose the step lengths; every scheme runs with each; A:B halves from A down to B"),
    OPTION("until", 0, CLI_POSITIVE, until, "T", "time at which the simulations end, s"),
    OPTION("set", 0, CLI_SET, set, "PATH=VALUE", "change a value of the scene; may be given again"),
    OPTION("output", 'o', CLI_TEXT, folder, "DIR",
           "folder for the results of every run, SCHEME.h5 and .csv (SCHEME@R with --tol), and figures"),
    OPTION("json", 0, CLI_FLAG, json, NULL, "print all runs as one JSON value"),
    { .name = NULL },
};

/* ---- the table --------------------------------------------------------------------------------- */

enum { LABELS = 24, WIDTH = 18 };

static const struct line {
    const char *label, *key, *inner;
} lines[] = {
    { "outcome", "outcome", NULL },
    { "time, s", "t", NULL },
    { "step, s", "step", NULL },
    { "tolerance", "tol", NULL },
    { "steps", "steps", NULL },
    { "steps rejected", "rejected", NULL },
    { "all steps at h_max", "all_steps_at_h_max", NULL },
    { "contact problems", "lcps", NULL },
    { "multiplier evaluations", "multiplier_evals", NULL },
    { "Newton iterations", "newton", NULL },
    { "wall time, s", "wall_s", NULL },
    { "events", "event_count", NULL },
    { "energy at the start, J", "energy", "initial" },
    { "energy at the end, J", "energy", "final" },
    { "largest gain in a step, J", "energy", "max_gain" },
    { "largest penetration, m", "max_penetration", NULL },
    { "largest joint error", "max_joint_error", NULL },
    { "largest residual", "max_residual", NULL },
    { "steps not certified", "unconverged_steps", NULL },
    { "|final q - first run's|", "difference", "q" },
    { "|final v - first run's|", "difference", "v" },
    { "largest |q - first run's|", "difference_over_time", "q" },
    { "  at time, s", "difference_over_time", "q_t" },
    { "largest |v - first run's|", "difference_over_time", "v" },
    { "  at time, s", "difference_over_time", "v_t" },
    { "|final q - run before's|", "change", "q" },
    { "|final v - run before's|", "change", "v" },
};

static void print_value(const json_t *value, int width)
{
    char text[64] = "-";
    if (json_is_string(value)) {
        snprintf(text, sizeof text, "%s", json_string_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, sizeof text, "%.9g", json_real_value(value));
    }
    printf(" %*s", width, text);
}

static int width_of(const ss_comparison *c, int k)
{
    int length = (int)strlen(ss_comparison_label(c, k));
    return length > WIDTH ? length : WIDTH;
}

static void print_table(const ss_comparison *c, const json_t *runs, const char *path)
{
    const char *name = json_string_value(json_object_get(json_array_get(runs, 0), "name"));
    printf("%s\n%-*s", name ? name : path, LABELS + 2, "");
    for (int k = 0; k < ss_comparison_runs(c); k++) {
        printf(" %*s", width_of(c, k), ss_comparison_label(c, k));
    }
    printf("\n");
    for (size_t row = 0; row < sizeof lines / sizeof lines[0]; row++) {
        printf("%-*s", LABELS + 2, lines[row].label);
        for (int k = 0; k < ss_comparison_runs(c); k++) {
            const json_t *value = json_object_get(json_array_get(runs, (size_t)k), lines[row].key);
            print_value(lines[row].inner ? json_object_get(value, lines[row].inner) : value, width_of(c, k));
        }
        printf("\n");
    }
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* why a run has not come to its end; CLI_FAILED if one has not */
static int say_errors(const ss_comparison *c, const json_t *runs, const char *path)
{
    int code = CLI_DONE;
    for (int k = 0; k < ss_comparison_runs(c); k++) {
        const json_t *made = json_array_get(runs, (size_t)k);
        const char *error = json_string_value(json_object_get(made, "error"));
        if (error) {
            const char *outcome = json_string_value(json_object_get(made, "outcome"));
            cli_say("%s: %s: %s", path, ss_comparison_label(c, k), error);
            code = strcmp(outcome, "interrupted") == 0 ? CLI_INTERRUPTED : CLI_FAILED;
        }
    }
    return code;
}

static void say_warnings(const ss_comparison *c, const json_t *runs)
{
    for (int k = 0; k < ss_comparison_runs(c); k++) {
        size_t w;
        json_t *text;
        json_array_foreach(json_object_get(json_array_get(runs, (size_t)k), "warnings"), w, text)
        {
            cli_say("warning: %s: %s", ss_comparison_label(c, k), json_string_value(text));
        }
    }
}

/* one line on a terminal */
static void show_progress(void *user, const char *what, double part)
{
    (void)user;
    fprintf(stderr, "\r%3.0f %%   %s\033[K", 100 * part, what);
    fflush(stderr);
}

/* ---- command ----------------------------------------------------------------------------------- */

static int show(ss_context *ctx, const ss_comparison *c, const char *path, bool json)
{
    char *text;
    ss_status status = ss_comparison_to_json(c, &text);
    if (status != SS_OK) {
        return cli_report(ctx, status, path);
    }
    json_t *value = json_loads(text, 0, NULL);
    const json_t *runs = json_object_get(value, "runs");
    ss_blob_free(ctx, text);
    int code = say_errors(c, runs, path), printed = CLI_DONE;
    say_warnings(c, runs);
    if (json) {
        printed = cli_print_json(json_incref(value));
    } else {
        print_table(c, runs, path);
    }
    json_decref(value);
    return code != CLI_DONE ? code : printed;
}

static int compare(ss_context *ctx, const ss_compare_options *options, bool json)
{
    ss_comparison *c;
    ss_status status = ss_compare(ctx, options, &c);
    if (options->base.watch.progress) {
        fprintf(stderr, "\r\033[K");
    }
    int code = status == SS_OK ? CLI_DONE : cli_report(ctx, status, c ? options->folder : options->base.scene);
    if (c) {
        int shown = show(ctx, c, options->base.scene, json);
        code = code != CLI_DONE ? code : shown;
    }
    ss_comparison_destroy(c);
    return code;
}

static int read_options(ss_context *ctx, const compare_options *o, char **letters, cli_list *schemes, double **tol, int *tols)
{
    if (!o->schemes) {
        cli_say("slipstick compare: no schemes given; use --scheme S[,S..]; slipstick list schemes names them");
        return CLI_USAGE;
    }
    if (!cli_take_schemes(&cli_compare, o->schemes, letters, schemes)) {
        return CLI_USAGE;
    }
    ss_status status = o->tols ? ss_list_parse(ctx, o->tols, tols, tol) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(ctx, status, "--tol");
}

static int compare_scene(ss_context *ctx, const char *path, const compare_options *o)
{
    ss_compare_options options = ss_compare_options_default();
    char *letters = NULL;
    cli_list schemes = { 0 };
    double *tol = NULL;
    cli_source source = { 0 };
    int code = read_options(ctx, o, &letters, &schemes, &tol, &options.tols);
    code = code == CLI_DONE && !cli_can_write_into(o->folder) ? CLI_USAGE : code;
    code = code == CLI_DONE ? cli_source_open(path, &source) : code;
    if (code == CLI_DONE) {
        cli_source_give(&source, &options.base);
        options.base.sets = o->set.n;
        options.base.set = o->set.item;
        options.base.step = o->step > 0 ? o->step : NAN;
        options.base.until = o->until > 0 ? o->until : NAN;
        options.base.watch.interrupt = cli_catch_signals();
        options.base.watch.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
        options.schemes = schemes.n;
        options.scheme = schemes.item;
        options.tol = tol;
        options.folder = o->folder;
        code = compare(ctx, &options, o->json);
    }
    cli_source_close(&source);
    ss_blob_free(ctx, tol);
    cli_list_free(&schemes);
    free(letters);
    return code;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    compare_options options = { 0 };
    const char *path[1] = { NULL };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_compare, argc, argv, &options, 1, path)) {
        code = cli_given(&cli_compare, "scene", path[0]) ? compare_scene(ctx, path[0], &options) : CLI_USAGE;
    }
    cli_list_free(&options.set);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .usage = "compare SCENE",
    .doc = "run a scene with several schemes and compare the results",
    .options = options_table,
    .run = run,
};
