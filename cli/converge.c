/* converge.c - errors and orders of schemes over a list of steps: a table, JSON, CSV, a plot. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct converge_options {
    const char *scheme, *steps, *tols, *norm, *quantity, *reference, *output, *plot;
    double until; /* 0: not given */
    cli_list set;
    bool json, quiet;
    int threads;
} converge_options;

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(converge_options, member),                       \
        .argument = argument_, .doc = text                                                                                       \
    }

static const cli_option options_table[] = {
    OPTION("scheme", 0, CLI_TEXT, scheme, "S[,S..]",
           "schemes to measure (default: that of the scene); see slipstick list schemes"),
    OPTION("steps", 0, CLI_TEXT, steps, "LIST", "step lengths, s: H1,H2,.. or A:B, which halves from A down to B (2^-5:2^-11)"),
    OPTION("tols", 0, CLI_TEXT, tols, "LIST",
           "tolerances instead of step lengths; the step length is then chosen by the tolerance"),
    OPTION("norm", 0, CLI_TEXT, norm, "NORM", "norm of the error: final, l1, l2, max or hausdorff (final)"),
    OPTION("quantity", 0, CLI_TEXT, quantity, "q|v", "error of the positions q or of the velocities v (q)"),
    OPTION("reference", 0, CLI_TEXT, reference, "REF",
           "reference solution: exact, a result file (.h5, .csv), or SCHEME@H (exact)"),
    OPTION("until", 0, CLI_POSITIVE, until, "T", "time at which the simulations end, s"),
    OPTION("set", 0, CLI_SET, set, "PATH=VALUE", "change a value of the scene; may be given again"),
    OPTION("output", 'o', CLI_TEXT, output, "FILE.csv", "write the table to a file"),
    OPTION("plot", 0, CLI_TEXT, plot, "FILE.svg", "plot the errors over the step lengths or tolerances"),
    OPTION("json", 0, CLI_FLAG, json, NULL, "print the result as one JSON value"),
    OPTION("quiet", 0, CLI_FLAG, quiet, NULL, "print no progress, no table and no warnings"),
    OPTION("threads", 0, CLI_COUNT, threads, "N", "number of threads (1); the results do not depend on it"),
    { .name = NULL },
};

/* ---- progress --------------------------------------------------------------------------------------------- */

static void show_progress(void *user, const char *what, double part)
{
    double *shown = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (t - *shown >= 0.1) {
        *shown = t;
        fprintf(stderr, "\r%3.0f %%   %s\033[K", 100 * part, what);
        fflush(stderr);
    }
}

/* ---- table ------------------------------------------------------------------------------------------------ */

/* a number, or a dash where there is none */
static void print_number(const char *format, int width, double x)
{
    char text[40] = "-";
    if (isfinite(x)) {
        snprintf(text, sizeof text, format, x);
    }
    printf(" %*s", width, text);
}

static void print_row(const ss_converge_row *r)
{
    printf("%13.7g %12.4e", r->value, r->error);
    print_number("%.3f", 9, r->ratio);
    print_number("%.3f", 7, r->order);
    printf(" %10lld %10lld %10lld %10.3g%s\n", (long long)r->multiplier_evals, (long long)r->newton, (long long)r->steps,
           r->wall_s, r->round_off ? "   round-off" : "");
}

static void print_scheme(const ss_convergence *c, const ss_converge_scheme *s)
{
    printf("\n%s\n%13s %12s %9s %7s %10s %10s %10s %10s\n", s->scheme, c->tolerances ? "tol" : "h [s]", "error", "ratio", "order",
           "mult.evals", "newton", "steps", "wall [s]");
    for (int k = 0; k < s->rows; k++) {
        print_row(&s->row[k]);
    }
    if (isfinite(s->order)) {
        printf("fitted order %.3f\n", s->order);
    } else {
        printf("no order can be fitted: fewer than two errors are above round-off\n");
    }
}

static void print_table(const ss_convergence *c)
{
    static const char *const norms[SS_NORMS] = { "error at the end", "L1 norm of the error", "L2 norm of the error",
                                                 "largest error", "Hausdorff distance of the graphs, with jumps filled in" };
    printf("%s, until t = %.9g s\n%s of %s [%s]; reference %s%s%s\n", c->title, c->until, norms[c->norm],
           ss_quantity_name(c->quantity), c->unit, c->reference, c->exact ? ": " : "", c->exact ? c->exact : "");
    for (int k = 0; k < c->schemes; k++) {
        print_scheme(c, &c->scheme[k]);
    }
}

static void say_warnings(const ss_convergence *c)
{
    for (int k = 0; k < c->schemes; k++) {
        for (int i = 0; i < c->scheme[k].rows; i++) {
            const ss_converge_row *r = &c->scheme[k].row[i];
            if (r->unconverged_steps > 0) {
                cli_say("warning: %s, %s = %.6g: %lld of %lld steps not certified", c->scheme[k].scheme,
                        c->tolerances ? "tol" : "h", r->value, (long long)r->unconverged_steps, (long long)r->steps);
            }
        }
    }
}

static int print_json(ss_context *ctx, const ss_convergence *c)
{
    char *text;
    ss_status status = ss_convergence_to_json(c, &text);
    if (status != SS_OK) {
        return cli_report(ctx, status, NULL);
    }
    cli_print_json_text(text);
    ss_blob_free(ctx, text);
    return CLI_DONE;
}

/* all that was asked for, as far as the study has come */
static int show(ss_context *ctx, const converge_options *o, const ss_convergence *c)
{
    int code = CLI_DONE;
    if (o->output && ss_convergence_write_csv(c, o->output) != SS_OK) {
        code = cli_report(ctx, SS_ERR_IO, o->output);
    }
    if (o->plot && ss_convergence_plot(c, o->plot) != SS_OK) {
        code = cli_report(ctx, SS_ERR_IO, o->plot);
    }
    if (!o->quiet) {
        say_warnings(c);
    }
    if (o->json) {
        int printed = print_json(ctx, c);
        return code != CLI_DONE ? code : printed;
    }
    if (!o->quiet) {
        print_table(c);
    }
    return code;
}

/* ---- settings ---------------------------------------------------------------------------------------------- */

static bool has_ending(const char *option, const char *file, const char *ending)
{
    bool good = !file || cli_ends_with(file, ending);
    if (!good) {
        cli_say("slipstick converge: --%s: expected a file name that ends in %s, got \"%.80s\"", option, ending, file);
    }
    return good;
}

static int read_words(ss_context *ctx, const converge_options *o, ss_converge_options *out, double **values)
{
    if (!o->steps == !o->tols) {
        cli_say("slipstick converge: give either --steps LIST or --tols LIST%s", o->steps ? ", not both" : "");
        return CLI_USAGE;
    }
    const char *option = o->steps ? "--steps" : "--tols";
    ss_status status = ss_list_parse(ctx, o->steps ? o->steps : o->tols, &out->values, values);
    if (status != SS_OK) {
        return cli_report(ctx, status, option);
    }
    out->value = *values;
    out->tolerances = !o->steps;
    status = o->norm ? ss_norm_parse(ctx, o->norm, &out->norm) : SS_OK;
    if (status != SS_OK) {
        return cli_report(ctx, status, "--norm");
    }
    status = o->quantity ? ss_quantity_parse(ctx, o->quantity, &out->quantity) : SS_OK;
    if (status != SS_OK) {
        return cli_report(ctx, status, "--quantity");
    }
    if (!has_ending("output", o->output, ".csv") || !has_ending("plot", o->plot, ".svg")) {
        return CLI_USAGE;
    }
    return cli_can_write(o->output) && cli_can_write(o->plot) ? CLI_DONE : CLI_USAGE;
}

/* ---- command ----------------------------------------------------------------------------------------------- */

static int study(ss_context *ctx, const converge_options *o, const ss_converge_options *options)
{
    ss_convergence *result;
    ss_status status = ss_converge(ctx, options, &result);
    int code = CLI_DONE;
    if (options->base.watch.progress) {
        fprintf(stderr, "\r\033[K");
    }
    if (status != SS_OK) {
        code = cli_report(ctx, status, options->base.scene);
        code = status == SS_ERR_IO && !result ? CLI_USAGE : code;
    }
    if (result) {
        int shown = show(ctx, o, result);
        code = code == CLI_DONE ? shown : code;
    }
    ss_convergence_destroy(result);
    return code;
}

static int converge(ss_context *ctx, const char *path, const converge_options *o)
{
    ss_converge_options options = ss_converge_options_default();
    double *values = NULL, shown = 0;
    char *letters = NULL;
    cli_list schemes = { 0 };
    cli_source source = { 0 };
    options.reference = o->reference;
    options.base.sets = o->set.n;
    options.base.set = o->set.item;
    options.base.until = o->until > 0 ? o->until : NAN;
    options.base.watch.interrupt = cli_catch_signals();
    options.base.watch.progress = !o->quiet && isatty(STDERR_FILENO) ? show_progress : NULL;
    options.base.watch.user = &shown;
    int code = cli_take_schemes(&cli_converge, o->scheme, &letters, &schemes) ? read_words(ctx, o, &options, &values) : CLI_USAGE;
    code = code == CLI_DONE ? cli_source_open(path, &source) : code;
    if (code == CLI_DONE) {
        cli_source_give(&source, &options.base);
        options.schemes = schemes.n;
        options.scheme = schemes.item;
        code = study(ctx, o, &options);
    }
    cli_source_close(&source);
    ss_blob_free(ctx, values);
    cli_list_free(&schemes);
    free(letters);
    return code;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    converge_options options = { .threads = 1 };
    const char *path[1] = { NULL };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_converge, argc, argv, &options, 1, path)) {
        ss_context_set_threads(ctx, options.threads);
        code = cli_given(&cli_converge, "scene", path[0]) ? converge(ctx, path[0], &options) : CLI_USAGE;
    }
    cli_list_free(&options.set);
    return code;
}

const cli_command cli_converge = {
    .name = "converge",
    .usage = "converge SCENE",
    .doc = "measure the errors and convergence orders of schemes for a list of step lengths or tolerances",
    .options = options_table,
    .run = run,
};
