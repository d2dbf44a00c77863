/* plot_columns.c - the results of a plot, and the columns of them that are drawn.
 *
 * A word of --y is the name of a column, or of a body: then all coordinates that say where it is. */
#include "plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_OFF 1e-9 /* of times, relative */

/* ---- results ----------------------------------------------------------------------------------- */

int plot_no_memory(void)
{
    cli_say("out of memory");
    return CLI_FAILED;
}

int plot_bad_result(const plot_session *s, ss_status status, const char *path)
{
    int code = cli_report(s->ctx, status, path);
    return status == SS_ERR_IO ? CLI_USAGE : code;
}

int plot_read_column(const plot_session *s, const plot_source *from, int column, double **out)
{
    *out = malloc((size_t)from->n * sizeof **out);
    if (!*out) {
        return plot_no_memory();
    }
    ss_status status = ss_result_read_column(from->result, column, from->first, from->n, *out);
    return status == SS_OK ? CLI_DONE : plot_bad_result(s, status, from->path);
}

bool plot_is_before(const plot_options *o, double t) { return t < o->from * (1 - ROUND_OFF); }

bool plot_is_after(const plot_options *o, double t) { return t > o->to * (1 + ROUND_OFF); }

static int choose_window(const plot_session *s, plot_source *from)
{
    double *t;
    int code = plot_read_column(s, from, 0, &t), first = 0, end = from->n;
    while (code == CLI_DONE && first < end && plot_is_before(s->options, t[first])) {
        first++;
    }
    while (code == CLI_DONE && first < end && plot_is_after(s->options, t[end - 1])) {
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

int plot_open_result(const plot_session *s, plot_source *from)
{
    if (!cli_ends_with(from->path, ".csv") && !cli_ends_with(from->path, ".h5") && !cli_ends_with(from->path, ".hdf5")) {
        cli_say("%s: expected a result (.csv, .h5 or .hdf5), as slipstick run SCENE -o FILE writes it", from->path);
        return CLI_USAGE;
    }
    ss_status status = ss_result_open(s->ctx, from->path, &from->result);
    if (status != SS_OK) {
        return plot_bad_result(s, status, from->path);
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

static int say_unknown(const plot_source *from, const char *option, const char *word)
{
    int bodies;
    char before[PLOT_LABEL];
    const char **names = list_names(from->result, &bodies);
    snprintf(before, sizeof before, "%s: %s", from->path, option);
    if (names) {
        cli_unknown(before, "column", word, names);
    }
    for (int k = 0; k < bodies; k++) {
        free((char *)names[k]);
    }
    free(names);
    return names ? CLI_USAGE : plot_no_memory();
}

static int add_curve(plot_session *s, const plot_source *from, int column)
{
    for (int k = 0; k < s->curves; k++) {
        if (s->curve[k].from == from && s->curve[k].column == column) {
            return CLI_DONE;
        }
    }
    if (s->curves == PLOT_CURVES) {
        cli_say("--y: more than %d curves in one plot", PLOT_CURVES);
        return CLI_USAGE;
    }
    s->curve[s->curves++] = (plot_curve){ .from = from,
                                          .column = column,
                                          .name = ss_result_column_name(from->result, column),
                                          .unit = ss_result_column_unit(from->result, column) };
    return CLI_DONE;
}

/* coordinates of a body: its lengths, or all if it has none; *found: how many */
static int add_body(plot_session *s, const plot_source *from, const char *body, bool lengths, int *found)
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

static int add_word(plot_session *s, const plot_source *from, const char *word)
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
static int add_words(plot_session *s, const plot_source *from, const char *list)
{
    int code = CLI_DONE;
    if (ss_result_find_column(from->result, list) >= 0) {
        return add_word(s, from, list);
    }
    for (const char *at = list; at && code == CLI_DONE; at = *at == ',' ? at + 1 : NULL) {
        size_t n = strcspn(at, ",");
        char *word = strndup(at, n);
        code = word ? add_word(s, from, word) : plot_no_memory();
        free(word);
        at += n;
    }
    return code;
}

int plot_choose_columns(plot_session *s, plot_source *from)
{
    const char *x = s->options->x;
    from->x = ss_result_find_column(from->result, x);
    if (from->x < 0) {
        return say_unknown(from, "--x", x);
    }
    int code = plot_read_column(s, from, from->x, &from->at_x);
    for (int k = 0; k < s->options->y.n && code == CLI_DONE; k++) {
        code = add_words(s, from, s->options->y.item[k]);
    }
    return code;
}
