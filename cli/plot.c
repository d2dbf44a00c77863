/* plot.c - columns of results over each other, as SVG.
 *
 * Curves of one unit share the label of the axis; otherwise each says its unit in the legend. Several results are laid over
 * each other. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(plot_options, member), .argument = argument_,    \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("x", 0, CLI_TEXT, x, "NAME", "column along the horizontal axis (t)"),
    OPTION("y", 0, CLI_LIST, y, "NAME[,NAME..]",
           "columns to draw; the name of a body stands for its position; may be given again"),
    OPTION("output", 'o', CLI_TEXT, output, "FILE.svg", "file to write the plot to"),
    OPTION("from", 0, CLI_AMOUNT, from, "T", "leave out the states before T, s"),
    OPTION("to", 0, CLI_AMOUNT, to, "T", "leave out the states after T, s"),
    OPTION("events", 0, CLI_FLAG, events, NULL, "mark impacts and other events by thin lines (.h5 results)"),
    OPTION("step", 0, CLI_FLAG, step, NULL, "draw steps: every value holds until the next state"),
    OPTION("log-x", 0, CLI_FLAG, log_x, NULL, "logarithmic horizontal axis"),
    OPTION("log-y", 0, CLI_FLAG, log_y, NULL, "logarithmic vertical axis"),
    OPTION("title", 0, CLI_TEXT, title, "TEXT", "title above the plot (none)"),
    { .name = NULL },
};

/* ---- labels ------------------------------------------------------------------------------------ */

static bool units_agree(const plot_session *s)
{
    int k = 0;
    while (k < s->curves && strcmp(s->curve[k].unit, s->curve[0].unit) == 0) {
        k++;
    }
    return k == s->curves;
}

/* does an earlier curve have the name of this one? */
static bool is_repeated(const plot_session *s, int which)
{
    int k = 0;
    while (strcmp(s->curve[k].name, s->curve[which].name) != 0) {
        k++;
    }
    return k < which;
}

static int count_names(const plot_session *s)
{
    int names = 0;
    for (int k = 0; k < s->curves; k++) {
        names += !is_repeated(s, k);
    }
    return names;
}

/* what many curves of one unit show */
static const char *quantity(const char *unit)
{
    static const char *const table[][2] = {
        { "m", "position" }, { "m/s", "velocity" }, { "rad", "angle" }, { "rad/s", "angular velocity" }, { "J", "energy" },
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (strcmp(table[k][0], unit) == 0) {
            return table[k][1];
        }
    }
    return "";
}

/* "ball.x, ball.y", if these are few */
static void name_axis(const plot_session *s, char label[PLOT_LABEL])
{
    enum { FEW = 3, SHORT = 48 };
    size_t n = 0;
    for (int k = 0; k < s->curves && n < PLOT_LABEL; k++) {
        if (!is_repeated(s, k)) {
            n += (size_t)snprintf(label + n, PLOT_LABEL - n, "%s%s", n > 0 ? ", " : "", s->curve[k].name);
        }
    }
    int names = count_names(s);
    if (!units_agree(s)) {
        label[0] = '\0';
    } else if (names > 1 && (names > FEW || n > SHORT)) {
        snprintf(label, PLOT_LABEL, "%s", quantity(s->curve[0].unit));
    }
}

/* name, file and unit, as far as they distinguish this curve from others and are not in the label of the axis */
static void name_curve(const plot_session *s, const plot_curve *c, char label[PLOT_LABEL])
{
    bool name = s->sources == 1 || count_names(s) > 1, file = s->sources > 1, unit = !units_agree(s) && *c->unit;
    snprintf(label, PLOT_LABEL, "%s%s%s%s%s%s", name ? c->name : "", unit ? " [" : "", unit ? c->unit : "", unit ? "]" : "",
             name && file ? ", " : "", file ? c->from->path : "");
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static int create_plot(plot_session *s)
{
    const plot_options *o = s->options;
    const plot_source *from = &s->source[0];
    char label[PLOT_LABEL] = "";
    ss_plot_options options = ss_plot_options_default();
    name_axis(s, label);
    options.title = o->title;
    options.x.label = ss_result_column_name(from->result, from->x);
    options.x.unit = ss_result_column_unit(from->result, from->x);
    options.x.scale = o->log_x ? SS_PLOT_LOG : SS_PLOT_LINEAR;
    options.y.label = label;
    options.y.unit = units_agree(s) ? s->curve[0].unit : NULL;
    options.y.scale = o->log_y ? SS_PLOT_LOG : SS_PLOT_LINEAR;
    ss_status status = ss_plot_create(s->ctx, &options, &s->plot);
    return status == SS_OK ? CLI_DONE : cli_report(s->ctx, status, NULL);
}

/* is there a point that can be drawn? */
static bool can_be_drawn(const plot_options *o, int n, const double *x, const double *y)
{
    int k = 0;
    while (k < n && !(isfinite(x[k]) && isfinite(y[k]) && (!o->log_x || x[k] > 0) && (!o->log_y || y[k] > 0))) {
        k++;
    }
    return k < n;
}

static int draw_curve(plot_session *s, const plot_curve *c)
{
    const plot_options *o = s->options;
    double *y;
    char label[PLOT_LABEL];
    int code = plot_read_column(s, c->from, c->column, &y);
    if (code == CLI_DONE && !can_be_drawn(o, c->from->n, c->from->at_x, y)) {
        cli_say("%s: %s over %s has no point that can be drawn: %s", c->from->path, c->name, o->x,
                o->log_x || o->log_y ? "a logarithmic axis takes numbers > 0" : "no number is finite");
        code = CLI_USAGE;
    }
    if (code == CLI_DONE) {
        name_curve(s, c, label);
        ss_plot_series series = { .label = s->curves > 1 || o->events ? label : NULL,
                                  .kind = o->step ? SS_PLOT_STEP : SS_PLOT_LINE,
                                  .n = c->from->n,
                                  .x = c->from->at_x,
                                  .y = y };
        ss_status status = ss_plot_add_series(s->plot, &series);
        code = status == SS_OK ? CLI_DONE : cli_report(s->ctx, status, NULL);
    }
    free(y);
    return code;
}

/* ---- events ------------------------------------------------------------------------------------ */

typedef struct event_list {
    int n;
    double *t;
    ss_event_kind *kind;
} event_list;

static int read_events(const plot_session *s, const plot_source *from, event_list *list)
{
    int64_t n = ss_result_events(from->result);
    if (!ss_result_scene(from->result)) {
        cli_say("%s: --events: a .csv result has no events; write an .h5 one", from->path);
        return CLI_USAGE;
    }
    list->n = n > INT32_MAX ? INT32_MAX : (int)n;
    list->t = calloc((size_t)list->n + 1, sizeof *list->t);
    list->kind = calloc((size_t)list->n + 1, sizeof *list->kind);
    if (!list->t || !list->kind) {
        return plot_no_memory();
    }
    ss_status status = ss_result_read_events(from->result, 0, list->n, list->t, list->kind);
    return status == SS_OK ? CLI_DONE : plot_bad_result(s, status, from->path);
}

/* those of one kind and in the window, in `at` */
static int add_kind(plot_session *s, const plot_source *from, const event_list *list, ss_event_kind kind, double *at)
{
    char label[PLOT_LABEL];
    int n = 0;
    for (int k = 0; k < list->n; k++) {
        if (list->kind[k] == kind && !plot_is_before(s->options, list->t[k]) && !plot_is_after(s->options, list->t[k])) {
            at[n++] = list->t[k];
        }
    }
    bool file = s->sources > 1;
    snprintf(label, sizeof label, "%s%s%s", ss_event_kind_name(kind), file ? ", " : "", file ? from->path : "");
    ss_status status = n > 0 ? ss_plot_add_events(s->plot, label, n, at) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(s->ctx, status, NULL);
}

static int draw_events(plot_session *s, const plot_source *from)
{
    event_list list = { 0 };
    int code = read_events(s, from, &list);
    double *at = calloc((size_t)list.n + 1, sizeof *at);
    code = code == CLI_DONE && !at ? plot_no_memory() : code;
    for (int kind = 0; kind <= SS_EVENT_LIMIT && code == CLI_DONE; kind++) {
        code = add_kind(s, from, &list, (ss_event_kind)kind, at);
    }
    free(at);
    free(list.t);
    free(list.kind);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------- */

static int draw(plot_session *s)
{
    int code = cli_can_write(s->options->output) ? CLI_DONE : CLI_USAGE;
    for (int k = 0; k < s->sources && code == CLI_DONE; k++) {
        code = plot_open_result(s, &s->source[k]);
        code = code == CLI_DONE ? plot_choose_columns(s, &s->source[k]) : code;
    }
    code = code == CLI_DONE ? create_plot(s) : code;
    for (int k = 0; k < s->curves && code == CLI_DONE; k++) {
        code = draw_curve(s, &s->curve[k]);
    }
    for (int k = 0; k < s->sources && s->options->events && code == CLI_DONE; k++) {
        code = draw_events(s, &s->source[k]);
    }
    ss_status status = code == CLI_DONE ? ss_plot_save(s->plot, s->options->output) : SS_OK;
    if (status != SS_OK) {
        return cli_report(s->ctx, status, s->options->output);
    }
    if (code == CLI_DONE) {
        printf("%s: a plot of %d curve%s; open it in a browser\n", s->options->output, s->curves, s->curves == 1 ? "" : "s");
    }
    return code;
}

static void release(plot_session *s)
{
    for (int k = 0; k < s->sources; k++) {
        ss_result_close(s->source[k].result);
        free(s->source[k].at_x);
    }
    ss_plot_destroy(s->plot);
}

static int refuse(const char *why)
{
    cli_say("slipstick plot: %s; usage: slipstick plot RESULT --x t --y NAME[,NAME..] -o FILE.svg", why);
    return CLI_USAGE;
}

static int check_options(const plot_session *s)
{
    const plot_options *o = s->options;
    if (s->sources == 0) {
        return refuse("no result given");
    }
    if (o->y.n == 0) {
        return refuse("no --y given");
    }
    if (!o->output) {
        return refuse("no -o given");
    }
    if (!cli_ends_with(o->output, ".svg")) {
        cli_say("%s: plots are written to .svg files", o->output);
        return CLI_USAGE;
    }
    if (o->events && strcmp(o->x, "t") != 0) {
        cli_say("--events: events are drawn over time; give --x t instead of --x %s", o->x);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    plot_options options = { .x = "t", .from = -INFINITY, .to = INFINITY };
    plot_session s = { .ctx = ctx, .options = &options };
    const char *word[PLOT_RESULTS] = { NULL };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_plot, argc, argv, &options, PLOT_RESULTS, word)) {
        while (s.sources < PLOT_RESULTS && word[s.sources]) {
            s.source[s.sources].path = word[s.sources];
            s.sources++;
        }
        code = check_options(&s);
        code = code == CLI_DONE ? draw(&s) : code;
    }
    release(&s);
    cli_list_free(&options.y);
    return code;
}

const cli_command cli_plot = {
    .name = "plot",
    .usage = "plot RESULT...",
    .doc = "plot columns of result files as SVG",
    .options = options_table,
    .run = run,
};
