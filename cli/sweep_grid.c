/* sweep_grid.c - the grid of a sweep from its --set options. */
#include "sweep_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Is the value meant as "A:B:N"? It is if a number comes before its first colon. */
static bool is_range(ss_context *ctx, const char *value)
{
    char word[WORD];
    double number;
    const char *colon = strchr(value, ':');
    if (!colon || colon - value >= WORD || strchr("[{\"", *value)) {
        return false;
    }
    snprintf(word, sizeof word, "%.*s", (int)(colon - value), value);
    return ss_number_parse(ctx, word, &number) == SS_OK;
}

/* "A:B:N"; false: it is not right */
static bool parse_range(ss_context *ctx, const char *value, sweep_axis *out)
{
    char word[WORD];
    double count;
    const char *first = strchr(value, ':'), *second = strchr(first + 1, ':');
    if (!second || strlen(value) >= sizeof word) {
        return false;
    }
    snprintf(word, sizeof word, "%s", value);
    word[first - value] = word[second - value] = '\0';
    if (ss_number_parse(ctx, word, &out->from) != SS_OK || ss_number_parse(ctx, word + (first - value) + 1, &out->to) != SS_OK ||
        ss_number_parse(ctx, second + 1, &count) != SS_OK || !(count >= 1 && count <= MOST_ROWS) || count != floor(count)) {
        return false;
    }
    out->count = (int)count;
    return isfinite(out->from) && isfinite(out->to);
}

/* "PATH=A:B:N" as one more axis; false: said why not */
static bool add_axis(ss_context *ctx, sweep_grid *g, const char *item, const char *value)
{
    const int length = (int)(value - 1 - item);
    sweep_axis *a = &g->axis[g->axes];
    if (g->axes == AXES) {
        cli_say("slipstick sweep: --set %.80s: expected at most %d ranges", item, AXES);
    } else if (length >= WORD) {
        cli_say("slipstick sweep: --set %.80s: the path of a range has at most %d characters", item, WORD - 1);
    } else if (!parse_range(ctx, value, a)) {
        cli_say("slipstick sweep: --set %.80s: expected a range A:B:N with numbers A, B and a whole number N from 1 to %d", item,
                MOST_ROWS);
    } else if (g->rows * a->count > MOST_ROWS) {
        cli_say("slipstick sweep: more than %d runs", MOST_ROWS);
    } else {
        snprintf(a->path, sizeof a->path, "%.*s", length, item);
        g->rows *= a->count;
        g->axes++;
        return true;
    }
    return false;
}

bool sweep_parse_grid(ss_context *ctx, const cli_list *sets, sweep_grid *g)
{
    g->rows = 1;
    for (int k = 0; k < sets->n; k++) {
        const char *item = sets->item[k], *equals = strchr(item, '=');
        if (!equals || !is_range(ctx, equals + 1)) {
            cli_list_add(&g->fixed, item);
        } else if (!add_axis(ctx, g, item, equals + 1)) {
            return false;
        }
    }
    if (g->axes == 0) {
        cli_say("slipstick sweep: no --set PATH=A:B:N with values to go through");
    }
    return g->axes > 0;
}

double sweep_value(const sweep_grid *g, int which, long row)
{
    for (int k = g->axes - 1; k > which; k--) {
        row /= g->axis[k].count;
    }
    const sweep_axis *a = &g->axis[which];
    const long i = row % a->count;
    return i == a->count - 1 && i > 0 ? a->to
                                      : a->from + (a->to - a->from) * (double)i / (double)(a->count > 1 ? a->count - 1 : 1);
}
