/* compare_figure.c - figures of a comparison, from the result files of its runs: the energies over time, every coordinate
 * that changes in some run, unless the scene has many, and every output, likewise. */
#include "study/compare.h"

#include <math.h>
#include <slipstick/plot.h>
#include <stdio.h>

enum { MOST_COORDINATES = 12, MOST_OUTPUTS = 24 }; /* of a scene whose coordinates, whose outputs get figures */
enum { ENERGY = -1, OUTPUT = -2 };                 /* in place of the number of a coordinate                  */

/* all states of a run, as its file has them */
typedef struct states {
    ss_result *result;
    int n, nq;
    double *t, *q, *energy;
    double *output; /* the one that is drawn */
} states;

static ss_status read_states(const ss_comparison *c, const ss_compared *run, states *out)
{
    SS_TRY(ss_result_open(c->ctx, run->file[0], &out->result));
    int64_t n = ss_result_states(out->result);
    out->n = (int)n;
    out->nq = ss_result_nq(out->result);
    SS_TRY(ss_calloc(c->ctx, (size_t)n, sizeof *out->t, &out->t));
    SS_TRY(ss_calloc(c->ctx, (size_t)n * (size_t)out->nq, sizeof *out->q, &out->q));
    SS_TRY(ss_calloc(c->ctx, (size_t)n, sizeof *out->energy, &out->energy));
    SS_TRY(ss_calloc(c->ctx, (size_t)n, sizeof *out->output, &out->output));
    SS_TRY(ss_result_read(out->result, 0, n, out->t, NULL, out->q, NULL));
    return ss_result_read_column(out->result, ss_result_find_column(out->result, "energy"), 0, n, out->energy);
}

static void forget_states(ss_context *ctx, states *s)
{
    ss_free(ctx, s->t);
    ss_free(ctx, s->q);
    ss_free(ctx, s->energy);
    ss_free(ctx, s->output);
    ss_result_close(s->result);
}

/* by more than what rounding may leave of the largest coordinate */
static bool moves(const states *s, int coordinate)
{
    const double visible = 1e-12;
    double most = 0, moved = 0;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->nq; i++) {
        most = fmax(most, fabs(s->q[i]));
    }
    for (size_t i = (size_t)coordinate; i < (size_t)s->n * (size_t)s->nq; i += (size_t)s->nq) {
        moved = fmax(moved, fabs(s->q[i] - s->q[coordinate]));
    }
    return moved > visible * most;
}

/* FOLDER/compare.svg, or FOLDER/compare-NAME.svg; characters that no file name may hold are replaced */
static ss_status name_figure(const ss_comparison *c, const char *name, char **path)
{
    const char *folder = c->options->folder;
    size_t size = strlen(folder) + strlen(name) + 16;
    SS_TRY(ss_calloc(c->ctx, size, 1, path));
    int start = snprintf(*path, size, "%s/compare", folder);
    snprintf(*path + start, size - (size_t)start, "%s%s.svg", *name ? "-" : "", name);
    for (char *slash = *path + start; (slash = strchr(slash, '/')); *slash = '_') {}
    return SS_OK;
}

/* one curve per run over time */
static ss_status add_curves(const ss_comparison *c, const states *runs, int coordinate, ss_plot *plot)
{
    for (int k = 0; k < c->made; k++) {
        const states *s = &runs[k];
        const ss_plot_series series = { .label = c->run[k].label,
                                        .n = s->n,
                                        .x = s->t,
                                        .y = coordinate == ENERGY   ? s->energy
                                             : coordinate == OUTPUT ? s->output
                                                                    : s->q + coordinate,
                                        .y_stride = coordinate < 0 ? 1 : s->nq };
        SS_TRY(ss_plot_add_series(plot, &series));
    }
    return SS_OK;
}

static ss_status draw_figure(const ss_comparison *c, const states *runs, const char *name, int coordinate)
{
    ss_plot_options o = ss_plot_options_default();
    ss_plot *plot = NULL;
    char *path = NULL;
    o.title = json_string_value(json_object_get(c->run[0].result, "name"));
    o.x = (ss_plot_axis){ .label = "time", .unit = "s" };
    o.y = (ss_plot_axis){ .label = name,
                          .unit = ss_result_column_unit(runs[0].result, ss_result_find_column(runs[0].result, name)) };
    SS_TRY(name_figure(c, coordinate == ENERGY ? "" : name, &path));
    ss_status status = ss_plot_create(c->ctx, &o, &plot);
    status = status == SS_OK ? add_curves(c, runs, coordinate, plot) : status;
    status = status == SS_OK ? ss_plot_save(plot, path) : status;
    ss_plot_destroy(plot);
    ss_free(c->ctx, path);
    return status;
}

static ss_status draw_output(const ss_comparison *c, states *runs, const char *name)
{
    for (int k = 0; k < c->made; k++) {
        const ss_result *r = runs[k].result;
        SS_TRY(ss_result_read_column(r, ss_result_find_column(r, name), 0, runs[k].n, runs[k].output));
    }
    return draw_figure(c, runs, name, OUTPUT);
}

/* those that a run tells, by name */
static ss_status draw_outputs(const ss_comparison *c, states *runs)
{
    json_t *outputs = json_object_get(c->run[0].result, "outputs"), *last;
    const char *name;
    if (json_object_size(outputs) > MOST_OUTPUTS) {
        return SS_OK;
    }
    json_object_foreach(outputs, name, last) { SS_TRY(draw_output(c, runs, name)); }
    return SS_OK;
}

static ss_status draw_all(const ss_comparison *c, states *runs)
{
    for (int k = 0; k < c->made; k++) {
        SS_TRY(read_states(c, &c->run[k], &runs[k]));
    }
    SS_TRY(draw_figure(c, runs, "energy", ENERGY));
    SS_TRY(draw_outputs(c, runs));
    for (int i = 0; runs[0].nq <= MOST_COORDINATES && i < runs[0].nq; i++) {
        bool moved = false;
        for (int k = 0; k < c->made; k++) {
            moved = moved || moves(&runs[k], i);
        }
        SS_TRY(moved ? draw_figure(c, runs, ss_result_q_name(runs[0].result, i), i) : SS_OK);
    }
    return SS_OK;
}

ss_status ss_compare_draw(const ss_comparison *c)
{
    states *runs;
    SS_TRY(ss_calloc(c->ctx, (size_t)c->made, sizeof *runs, &runs));
    ss_status status = draw_all(c, runs);
    for (int k = 0; k < c->made; k++) {
        forget_states(c->ctx, &runs[k]);
    }
    ss_free(c->ctx, runs);
    return status;
}
