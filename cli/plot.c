/* plot.c - columns of results over each other, as SVG.
 *
 *   words of --y -> columns -> curves (states in the window, x and y) -> ss_plot
 *
 * A word is the name of a column, or of a body: then all coordinates that say where it is. Curves of one unit share the label
 * of the axis; otherwise each says its unit in the legend. Several results are laid over each other. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_RESULTS = 16, MOST_CURVES = 20, LABEL = 256 };
#define ROUND_OFF 1e-9 /* of times, relative */

typedef struct plot_options {
    const char *x, *output, *title;
    cli_list y;
    double from, to;
    bool events, step, log_x, log_y;
} plot_options;

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

/* a result and the states of it that are drawn */
typedef struct source {
    const char *path;
    ss_result *result;
    int64_t first;
    int n;
    int x;        /* column      */
    double *at_x; /* n numbers   */
} source;

typedef struct curve {
    const source *from;
    int column;
    const char *name, *unit;
} curve;

typedef struct session {
    ss_context *ctx;
    const plot_options *options;
    source source[MOST_RESULTS];
    int sources;
    curve curve[MOST_CURVES];
    int curves;
    ss_plot *plot;
} session;

/* ---- results ----------------------------------------------------------------------------------- */

static int no_memory(void)
{
    cli_say("out of memory");
    return CLI_FAILED;
}

/* what cannot be read is bad input, whatever the reason */
static int bad_result(const session *s, ss_status status, const char *path)
{
    int code = cli_report(s->ctx, status, path);
    return status == SS_ERR_IO ? CLI_USAGE : code;
}

static int read_column(const session *s, const source *from, int column, double **out)
{
    *out = malloc((size_t)from->n * sizeof **out);
    if (!*out) {
        return no_memory();
    }
    ss_status status = ss_result_read_column(from->result, column, from->first, from->n, *out);
    return status == SS_OK ? CLI_DONE : bad_result(s, status, from->path);
}

/* outside of --from and --to, by more than the round-off of adding up steps; a time that is NaN is inside */
static bool is_before(const plot_options *o, double t) { return t < o->from * (1 - ROUND_OFF); }

static bool is_after(const plot_options *o, double t) { return t > o->to * (1 + ROUND_OFF); }

static int choose_window(const session *s, source *from)
{
    double *t;
    int code = read_column(s, from, 0, &t), first = 0, end = from->n;
    while (code == CLI_DONE && first < end && is_before(s->options, t[first])) {
        first++;
    }
    while (code == CLI_DONE && first < end && is_after(s->options, t[end - 1])) {
        end--;
    }
    if (code == CLI_DONE && first == end) {
        cli_say("%s: no state is in the range of --from and --to; the times are %.9g to %.9g s", from->path, t[0],
                t[from->n - 1]);
        code = CLI_USAGE;
    }
    from->first = first;
    from->n = end - first;
    free(t);
    return code;
}

static int open_result(const session *s, source *from)
{
    if (!cli_ends_with(from->path, ".csv") && !cli_ends_with(from->path, ".h5") && !cli_ends_with(from->path, ".hdf5")) {
        cli_say("%s: expected a result (.csv, .h5 or .hdf5), as slipstick run SCENE -o FILE writes it", from->path);
        return CLI_USAGE;
    }
    ss_status status = ss_result_open(s->ctx, from->path, &from->result);
    if (status != SS_OK) {
        return bad_result(s, status, from->path);
    }
    int64_t states = ss_result_states(from->result);
    if (states == 0 || states > INT32_MAX) {
        cli_say("%s: %s", from->path, states ? "too many states for a plot" : "no states: there is nothing to draw");
        return CLI_USAGE;
    }
    from->n = (int)states;
    return choose_window(s, from);
}

/* ---- names ------------------------------------------------------------------------------------- */

/* "ball" of "ball.x"; the length, 0: no body */
static size_t body_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static bool is_of_body(const char *name, const char *body)
{
    size_t n = strlen(body);
    return body_length(name) == n && strncmp(name, body, n) == 0;
}

/* names to choose from: every body, which is freed with the list, then every column; NULL: no memory */
static const char **list_names(const ss_result *result, int *bodies)
{
    int columns = ss_result_columns(result), nq = ss_result_nq(result), n = 0;
    const char **names = calloc((size_t)(columns + nq + 1), sizeof *names);
    for (int k = 0; names && k < nq; k++) {
        const char *name = ss_result_q_name(result, k);
        bool known = n > 0 && is_of_body(name, names[n - 1]);
        names[n] = known ? NULL : strndup(name, body_length(name));
        n += names[n] != NULL;
    }
    *bodies = n;
    for (int k = 0; names && k < columns; k++) {
        names[n++] = ss_result_column_name(result, k);
    }
    return names;
}

static int say_unknown(const source *from, const char *option, const char *word)
{
    int bodies;
    char before[LABEL];
    const char **names = list_names(from->result, &bodies);
    snprintf(before, sizeof before, "%s: %s", from->path, option);
    if (names) {
        cli_unknown(before, "column", word, names);
    }
    for (int k = 0; k < bodies; k++) {
        free((char *)names[k]);
    }
    free(names);
    return names ? CLI_USAGE : no_memory();
}

static int add_curve(session *s, const source *from, int column)
{
    for (int k = 0; k < s->curves; k++) {
        if (s->curve[k].from == from && s->curve[k].column == column) {
            return CLI_DONE;
        }
    }
    if (s->curves == MOST_CURVES) {
        cli_say("--y: more than %d curves in one plot", MOST_CURVES);
        return CLI_USAGE;
    }
    s->curve[s->curves++] = (curve){ .from = from,
                                     .column = column,
                                     .name = ss_result_column_name(from->result, column),
                                     .unit = ss_result_column_unit(from->result, column) };
    return CLI_DONE;
}

/* coordinates of a body: its lengths, or all if it has none; *found: how many */
static int add_body(session *s, const source *from, const char *body, bool lengths, int *found)
{
    int code = CLI_DONE;
    for (int k = 0; k < ss_result_nq(from->result) && code == CLI_DONE; k++) {
        bool wanted = !lengths || strcmp(ss_result_column_unit(from->result, 1 + k), "m") == 0;
        if (wanted && is_of_body(ss_result_q_name(from->result, k), body)) {
            code = add_curve(s, from, 1 + k);
            ++*found;
        }
    }
    return code;
}

static int add_word(session *s, const source *from, const char *word)
{
    int column = ss_result_find_column(from->result, word), found = 0;
    if (column >= 0) {
        return add_curve(s, from, column);
    }
    int code = add_body(s, from, word, true, &found);
    if (code == CLI_DONE && found == 0) {
        code = add_body(s, from, word, false, &found);
    }
    if (code == CLI_DONE && found == 0) {
        code = say_unknown(from, "--y", word);
    }
    return code;
}

/* words between commas, unless the whole is a name: a name may hold commas */
static int add_words(session *s, const source *from, const char *list)
{
    int code = CLI_DONE;
    if (ss_result_find_column(from->result, list) >= 0) {
        return add_word(s, from, list);
    }
    for (const char *at = list; at && code == CLI_DONE; at = *at == ',' ? at + 1 : NULL) {
        size_t n = strcspn(at, ",");
        char *word = strndup(at, n);
        code = word ? add_word(s, from, word) : no_memory();
        free(word);
        at += n;
    }
    return code;
}

static int choose_columns(session *s, source *from)
{
    const char *x = s->options->x;
    from->x = ss_result_find_column(from->result, x);
    if (from->x < 0) {
        return say_unknown(from, "--x", x);
    }
    int code = read_column(s, from, from->x, &from->at_x);
    for (int k = 0; k < s->options->y.n && code == CLI_DONE; k++) {
        code = add_words(s, from, s->options->y.item[k]);
    }
    return code;
}

/* ---- labels ------------------------------------------------------------------------------------ */

static bool units_agree(const session *s)
{
    int k = 0;
    while (k < s->curves && strcmp(s->curve[k].unit, s->curve[0].unit) == 0) {
        k++;
    }
    return k == s->curves;
}

/* does an earlier curve have the name of this one? */
static bool is_repeated(const session *s, int which)
{
    int k = 0;
    while (strcmp(s->curve[k].name, s->curve[which].name) != 0) {
        k++;
    }
    return k < which;
}

static int count_names(const session *s)
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
static void name_axis(const session *s, char label[LABEL])
{
    enum { FEW = 3, SHORT = 48 };
    size_t n = 0;
    for (int k = 0; k < s->curves && n < LABEL; k++) {
        if (!is_repeated(s, k)) {
            n += (size_t)snprintf(label + n, LABEL - n, "%s%s", n > 0 ? ", " : "", s->curve[k].name);
        }
    }
    int names = count_names(s);
    if (!units_agree(s)) {
        label[0] = '\0';
    } else if (names > 1 && (names > FEW || n > SHORT)) {
        snprintf(label, LABEL, "%s", quantity(s->curve[0].unit));
    }
}

/* name, file, unit: what tells this curve from the others and is not at the axis */
static void name_curve(const session *s, const curve *c, char label[LABEL])
{
    bool name = s->sources == 1 || count_names(s) > 1, file = s->sources > 1, unit = !units_agree(s) && *c->unit;
    snprintf(label, LABEL, "%s%s%s%s%s%s", name ? c->name : "", unit ? " [" : "", unit ? c->unit : "", unit ? "]" : "",
             name && file ? ", " : "", file ? c->from->path : "");
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static int create_plot(session *s)
{
    const plot_options *o = s->options;
    const source *from = &s->source[0];
    char label[LABEL] = "";
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

static int draw_curve(session *s, const curve *c)
{
    const plot_options *o = s->options;
    double *y;
    char label[LABEL];
    int code = read_column(s, c->from, c->column, &y);
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

static int read_events(const session *s, const source *from, event_list *list)
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
        return no_memory();
    }
    ss_status status = ss_result_read_events(from->result, 0, list->n, list->t, list->kind);
    return status == SS_OK ? CLI_DONE : bad_result(s, status, from->path);
}

/* those of one kind and in the window, in `at` */
static int add_kind(session *s, const source *from, const event_list *list, ss_event_kind kind, double *at)
{
    char label[LABEL];
    int n = 0;
    for (int k = 0; k < list->n; k++) {
        if (list->kind[k] == kind && !is_before(s->options, list->t[k]) && !is_after(s->options, list->t[k])) {
            at[n++] = list->t[k];
        }
    }
    bool file = s->sources > 1;
    snprintf(label, sizeof label, "%s%s%s", ss_event_kind_name(kind), file ? ", " : "", file ? from->path : "");
    ss_status status = n > 0 ? ss_plot_add_events(s->plot, label, n, at) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(s->ctx, status, NULL);
}

static int draw_events(session *s, const source *from)
{
    event_list list = { 0 };
    int code = read_events(s, from, &list);
    double *at = calloc((size_t)list.n + 1, sizeof *at);
    code = code == CLI_DONE && !at ? no_memory() : code;
    for (int kind = 0; kind <= SS_EVENT_LIMIT && code == CLI_DONE; kind++) {
        code = add_kind(s, from, &list, (ss_event_kind)kind, at);
    }
    free(at);
    free(list.t);
    free(list.kind);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------- */

static int draw(session *s)
{
    int code = CLI_DONE;
    for (int k = 0; k < s->sources && code == CLI_DONE; k++) {
        code = open_result(s, &s->source[k]);
        code = code == CLI_DONE ? choose_columns(s, &s->source[k]) : code;
    }
    code = code == CLI_DONE ? create_plot(s) : code;
    for (int k = 0; k < s->curves && code == CLI_DONE; k++) {
        code = draw_curve(s, &s->curve[k]);
    }
    for (int k = 0; k < s->sources && s->options->events && code == CLI_DONE; k++) {
        code = draw_events(s, &s->source[k]);
    }
    ss_status status = code == CLI_DONE ? ss_plot_save(s->plot, s->options->output) : SS_OK;
    return status == SS_OK ? code : cli_report(s->ctx, status, s->options->output);
}

static void release(session *s)
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

static int check_options(const session *s)
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
    session s = { .ctx = ctx, .options = &options };
    const char *word[MOST_RESULTS] = { NULL };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_plot, argc, argv, &options, MOST_RESULTS, word)) {
        while (s.sources < MOST_RESULTS && word[s.sources]) {
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
