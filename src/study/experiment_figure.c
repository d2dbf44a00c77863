/* experiment_figure.c - the figures of an experiment as SVG, and the same points as CSV.
 *
 *   { "name", "title", "x": AXIS, "y": AXIS, "curves": [CURVE..], "slopes": [1, 2], "events": RUN }
 *   AXIS    { "label", "unit", "scale": "linear" | "log" }
 *   CURVE   { "label", "run", "series": "ball.y", "x": "t" }     a series of a run over time or over another series
 *           { "label", "x": "0.1/2^{k}", "y": MEASURE }          a point for every value of the sweep; x may be a measure too
 *           "draw": line, step or markers
 *
 * Files are FOLDER/PAPER-EXPERIMENT.svg and .csv; with more than one figure its name or number is added. The CSV has a line
 * for every point: label of the curve, x, y. */
#include "study/experiment.h"

#include "io/lines.h"
#include "io/writer.h"
#include <slipstick/plot.h>
#include <stdio.h>

enum { PATH_SIZE = 2048, NAME_SIZE = 64 };

/* ---- checks ------------------------------------------------------------------------------------ */

static const char *const scale_names[] = { "linear", "log", NULL };
static const char *const draw_names[] = { "line", "step", "markers", NULL };

/* index of the text at `key` among the names; 0 if it is not there */
static ss_status choose(ss_experiment *e, const json_t *object, const char *key, const char *const *names, int *out)
{
    const char *word;
    *out = 0;
    SS_TRY(ss_recipe_text(e, object, key, &word));
    if (!word) {
        return SS_OK;
    }
    for (; names[*out] && strcmp(names[*out], word) != 0; ++*out) {}
    if (!names[*out]) {
        ss_path_key(&e->place, key);
        return ss_reader_unknown(&e->place, "word", word, names);
    }
    return SS_OK;
}

static ss_status read_axis(ss_experiment *e, const json_t *figure, const char *key, ss_plot_axis *out)
{
    static const char *const keys[] = { "label", "unit", "scale", NULL };
    const json_t *axis = json_object_get(figure, key);
    int scale;
    size_t mark = ss_path_key(&e->place, key);
    SS_TRY(ss_recipe_keys(e, axis, 1, keys));
    SS_TRY(ss_recipe_text(e, axis, "label", &out->label));
    SS_TRY(ss_recipe_text(e, axis, "unit", &out->unit));
    SS_TRY(choose(e, axis, "scale", scale_names, &scale));
    out->scale = scale == 1 ? SS_PLOT_LOG : SS_PLOT_LINEAR;
    ss_path_back(&e->place, mark);
    return SS_OK;
}

static ss_status read_head(ss_experiment *e, const json_t *figure, ss_plot_options *out)
{
    *out = ss_plot_options_default();
    SS_TRY(ss_recipe_text(e, figure, "title", &out->title));
    SS_TRY(read_axis(e, figure, "x", &out->x));
    return read_axis(e, figure, "y", &out->y);
}

/* one value of the sweep of a curve of points */
static ss_status check_point(ss_experiment *e, const json_t *curve)
{
    size_t mark = ss_path_key(&e->place, "x");
    SS_TRY(ss_operand_check(e, json_object_get(curve, "x")));
    ss_path_back(&e->place, mark);
    ss_path_key(&e->place, "y");
    SS_TRY(ss_measure_check(e, json_object_get(curve, "y")));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

static bool has_points(const json_t *curve) { return json_object_get(curve, "y") != NULL; }

static ss_status check_curve(ss_experiment *e, const json_t *curve)
{
    static const char *const points[] = { "label", "x", "y", "draw", NULL };
    static const char *const series[] = { "label", "run", "series", "x", "draw", NULL };
    static const char *const texts[] = { "run", "series" };
    const char *text;
    int draw;
    SS_TRY(ss_recipe_keys(e, curve, 3, has_points(curve) ? points : series));
    SS_TRY(choose(e, curve, "draw", draw_names, &draw));
    SS_TRY(ss_recipe_text(e, curve, "label", &text));
    if (has_points(curve)) {
        return check_point(e, curve);
    }
    for (int k = 0; k < 2; k++) {
        SS_TRY(ss_recipe_text(e, curve, texts[k], &text));
    }
    SS_TRY(ss_recipe_text(e, curve, "x", &text));
    return ss_runs_check(e, json_string_value(json_object_get(curve, "run")));
}

/* ---- for every curve and value ----------------------------------------------------------------- */

typedef ss_status (*curve_call)(ss_experiment *e, const json_t *curve, int k, void *user);

static ss_status each_value(ss_experiment *e, const json_t *curve, curve_call each, void *user)
{
    int n = ss_sweep_in(e, curve) ? ss_sweep_length(e) : 1;
    for (int k = 0; k < n; k++) {
        json_t *filled = ss_sweep_fill(e, curve, k);
        ss_status status = filled ? each(e, filled, k, user) : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a curve");
        json_decref(filled);
        SS_TRY(status);
    }
    return SS_OK;
}

static ss_status check_one(ss_experiment *e, const json_t *curve, int k, void *user)
{
    (void)k, (void)user;
    return check_curve(e, curve);
}

static ss_status each_curve(ss_experiment *e, const json_t *figure, ss_status (*each)(ss_experiment *, const json_t *, void *),
                            void *user)
{
    const json_t *curves = json_object_get(figure, "curves");
    json_t *curve;
    size_t k, mark = ss_path_key(&e->place, "curves");
    if (!json_is_array(curves) || json_array_size(curves) == 0) {
        return ss_reader_expected(&e->place, "a list of curves", curves);
    }
    json_array_foreach(curves, k, curve)
    {
        size_t at = ss_path_index(&e->place, k);
        SS_TRY(each(e, curve, user));
        ss_path_back(&e->place, at);
    }
    ss_path_back(&e->place, mark);
    return SS_OK;
}

/* a curve of points is one curve, whatever the value of the sweep: so is its label */
static ss_status check_values(ss_experiment *e, const json_t *curve, void *user)
{
    const json_t *label = json_object_get(curve, "label");
    if (has_points(curve) && ss_sweep_in(e, label)) {
        ss_path_key(&e->place, "label");
        return ss_reader_expected(&e->place, "a text without the variable of the sweep, for a curve over the sweep", label);
    }
    return each_value(e, curve, check_one, user);
}

static ss_status check_slopes(ss_experiment *e, const json_t *figure, const ss_plot_options *axes)
{
    const json_t *slopes = json_object_get(figure, "slopes");
    bool fine = !slopes || (json_is_array(slopes) && axes->x.scale == SS_PLOT_LOG && axes->y.scale == SS_PLOT_LOG);
    for (size_t k = 0; k < json_array_size(slopes); k++) {
        fine = fine && json_is_number(json_array_get(slopes, k));
    }
    ss_path_key(&e->place, "slopes");
    return fine ? SS_OK : ss_reader_expected(&e->place, "a list of numbers, and two logarithmic axes", slopes);
}

static bool is_file_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    return n < NAME_SIZE && text[n] == '\0';
}

/* what tells the files of the k-th figure from those of the others: its name, else its number */
static void figure_name(const json_t *figures, size_t k, char *out, size_t size)
{
    const char *name = json_string_value(json_object_get(json_array_get(figures, k), "name"));
    if (name) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, "%zu", k + 1);
    }
}

static size_t index_of(const json_t *figures, const json_t *figure)
{
    size_t k = 0;
    for (; json_array_get(figures, k) != figure; k++) {}
    return k;
}

static ss_status check_name(ss_experiment *e, const json_t *figure)
{
    const json_t *figures = json_object_get(e->recipe, "figures");
    size_t own = index_of(figures, figure);
    const char *name;
    char mine[NAME_SIZE], other[NAME_SIZE];
    SS_TRY(ss_recipe_text(e, figure, "name", &name));
    if (name && !is_file_name(name)) {
        return ss_reader_fail(&e->place, "\"%.60s\" cannot be part of a file name: letters, digits, _, - and . only", name);
    }
    figure_name(figures, own, mine, sizeof mine);
    for (size_t k = 0; k < own; k++) {
        figure_name(figures, k, other, sizeof other);
        if (strcmp(mine, other) == 0) {
            return ss_reader_fail(&e->place, "figures[%zu] has the name \"%s\" too", k, mine);
        }
    }
    return SS_OK;
}

static ss_status check_figure(ss_experiment *e, const json_t *figure)
{
    static const char *const keys[] = { "x", "y", "curves", "name", "title", "slopes", "events", NULL };
    const char *events;
    ss_plot_options axes;
    SS_TRY(ss_recipe_keys(e, figure, 3, keys));
    SS_TRY(read_head(e, figure, &axes));
    SS_TRY(each_curve(e, figure, check_values, NULL));
    SS_TRY(check_name(e, figure));
    SS_TRY(ss_recipe_text(e, figure, "events", &events));
    SS_TRY(events ? ss_runs_check(e, events) : SS_OK);
    size_t mark = e->place.length;
    SS_TRY(check_slopes(e, figure, &axes));
    ss_path_back(&e->place, mark);
    return SS_OK;
}

static ss_status each_figure(ss_experiment *e, ss_status (*each)(ss_experiment *, const json_t *))
{
    const json_t *figures = json_object_get(e->recipe, "figures");
    json_t *figure;
    size_t k, mark = ss_path_key(&e->place, "figures");
    if (figures && !json_is_array(figures)) {
        return ss_reader_expected(&e->place, "a list", figures);
    }
    json_array_foreach(figures, k, figure)
    {
        size_t at = ss_path_index(&e->place, k);
        SS_TRY(each(e, figure));
        ss_path_back(&e->place, at);
    }
    ss_path_back(&e->place, mark);
    return SS_OK;
}

ss_status ss_figures_check(ss_experiment *e) { return each_figure(e, check_figure); }

/* ---- drawing ----------------------------------------------------------------------------------- */

typedef struct page {
    ss_plot *plot;
    ss_lines csv;
    double *x, *y; /* points of a curve over the sweep */
    int n;
} page;

static ss_status add_curve(page *p, const json_t *curve, ss_plot_series *s)
{
    const char *draw = json_string_value(json_object_get(curve, "draw"));
    s->label = json_string_value(json_object_get(curve, "label"));
    s->kind = !draw                          ? s->kind
              : strcmp(draw, "step") == 0    ? SS_PLOT_STEP
              : strcmp(draw, "markers") == 0 ? SS_PLOT_MARKERS
                                             : SS_PLOT_LINE;
    for (int k = 0; k < s->n; k++) {
        SS_TRY(ss_lines_put_quoted(&p->csv, s->label));
        SS_TRY(ss_lines_print(&p->csv, ",%.17g,%.17g\n", s->x[(size_t)k * (size_t)s->x_stride],
                              s->y[(size_t)k * (size_t)s->y_stride]));
    }
    return ss_plot_add_series(p->plot, s);
}

static ss_status draw_series(ss_experiment *e, const json_t *curve, int k, void *user)
{
    const json_t *x = json_object_get(curve, "x");
    const ss_made *run;
    ss_graph over, series;
    (void)k;
    SS_TRY(ss_runs_get(e, json_string_value(json_object_get(curve, "run")), &run));
    ss_status status = ss_trajectory_series(run->trajectory, x ? json_string_value(x) : "t", &over);
    status = status == SS_OK ? ss_trajectory_series(run->trajectory, json_string_value(json_object_get(curve, "series")), &series)
                             : status;
    if (status != SS_OK) {
        ss_fail_within(e->ctx, status, "run \"%s\"", run->name);
        return ss_recipe_blame(e, status);
    }
    return add_curve(user, curve,
                     &(ss_plot_series){ .kind = SS_PLOT_LINE,
                                        .n = series.n,
                                        .x = over.x,
                                        .y = series.x,
                                        .x_stride = over.stride,
                                        .y_stride = series.stride });
}

static ss_status take_point(ss_experiment *e, const json_t *curve, int k, void *user)
{
    page *p = user;
    SS_TRY(ss_operand_value(e, json_object_get(curve, "x"), &p->x[k]));
    SS_TRY(ss_measure_value(e, json_object_get(curve, "y"), &p->y[k]));
    p->n = k + 1;
    return SS_OK;
}

static ss_status draw_points(ss_experiment *e, const json_t *curve, page *p)
{
    p->n = 0;
    SS_TRY(each_value(e, curve, take_point, p));
    return add_curve(
        p, curve,
        &(ss_plot_series){ .kind = SS_PLOT_LINE_MARKERS, .n = p->n, .x = p->x, .y = p->y, .x_stride = 1, .y_stride = 1 });
}

static ss_status draw_curve(ss_experiment *e, const json_t *curve, void *user)
{
    return has_points(curve) ? draw_points(e, curve, user) : each_value(e, curve, draw_series, user);
}

static ss_status draw_events(ss_experiment *e, const char *name, page *p)
{
    const ss_made *run;
    double *t;
    SS_TRY(ss_runs_get(e, name, &run));
    const json_t *events = json_object_get(run->result, "events");
    size_t n = json_array_size(events);
    SS_TRY(ss_calloc(e->ctx, n, sizeof *t, &t));
    for (size_t k = 0; k < n; k++) {
        t[k] = json_number_value(json_object_get(json_array_get(events, k), "t"));
    }
    ss_status status = n > 0 ? ss_plot_add_events(p->plot, "events", (int)n, t) : SS_OK;
    ss_free(e->ctx, t);
    return status;
}

static ss_status draw_all(ss_experiment *e, const json_t *figure, page *p)
{
    const json_t *slopes = json_object_get(figure, "slopes");
    const char *events = json_string_value(json_object_get(figure, "events"));
    SS_TRY(each_curve(e, figure, draw_curve, p));
    for (size_t k = 0; k < json_array_size(slopes); k++) {
        SS_TRY(ss_plot_add_slope(p->plot, json_number_value(json_array_get(slopes, k))));
    }
    return events ? draw_events(e, events, p) : SS_OK;
}

/* ---- files ------------------------------------------------------------------------------------- */

/* FOLDER/PAPER-EXPERIMENT[-NAME], without the ending */
static void file_base(const ss_experiment *e, const json_t *figure, char *out, size_t size)
{
    const json_t *figures = json_object_get(e->recipe, "figures");
    char name[NAME_SIZE];
    int length = snprintf(out, size, "%s/%s", e->options->folder, e->name);
    for (char *c = out + strlen(e->options->folder) + 1; *c; c++) {
        *c = *c == '/' ? '-' : *c;
    }
    if (json_array_size(figures) > 1) {
        figure_name(figures, index_of(figures, figure), name, sizeof name);
        snprintf(out + length, size - (size_t)length, "-%s", name);
    }
}

static ss_status note_file(ss_experiment *e, const char *path)
{
    return json_array_append_new(e->files, json_string(path)) == 0 ? SS_OK
                                                                   : ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory for a name");
}

/* The points go to the file as the curves are drawn; a figure that could not be drawn leaves none. */
static ss_status draw_points_to(ss_experiment *e, const json_t *figure, page *p, const char *csv)
{
    SS_TRY(ss_lines_open(e->ctx, csv, &p->csv));
    ss_status status = ss_lines_put(&p->csv, "curve,x,y\n");
    status = status == SS_OK ? draw_all(e, figure, p) : status;
    ss_status closed = ss_lines_close(&p->csv, status != SS_OK);
    status = status == SS_OK ? closed : status;
    if (status != SS_OK) {
        remove(csv);
    }
    return status;
}

static ss_status draw_to(ss_experiment *e, const json_t *figure, page *p, const char *svg, const char *csv)
{
    SS_TRY(draw_points_to(e, figure, p, csv));
    SS_TRY(ss_plot_save(p->plot, svg));
    SS_TRY(note_file(e, svg));
    return note_file(e, csv);
}

static ss_status draw_figure(ss_experiment *e, const json_t *figure)
{
    char base[PATH_SIZE], svg[PATH_SIZE + 8], csv[PATH_SIZE + 8];
    page p = { .n = 0 };
    ss_plot_options options;
    file_base(e, figure, base, sizeof base);
    snprintf(svg, sizeof svg, "%s.svg", base);
    snprintf(csv, sizeof csv, "%s.csv", base);
    SS_TRY(read_head(e, figure, &options));
    SS_TRY(ss_calloc(e->ctx, 2 * (size_t)ss_sweep_length(e), sizeof *p.x, &p.x));
    p.y = p.x + ss_sweep_length(e);
    ss_status status = ss_plot_create(e->ctx, &options, &p.plot);
    status = status == SS_OK ? draw_to(e, figure, &p, svg, csv) : status;
    ss_plot_destroy(p.plot);
    ss_free(e->ctx, p.x);
    return status;
}

ss_status ss_figures_draw(ss_experiment *e)
{
    if (!e->options->folder || json_array_size(json_object_get(e->recipe, "figures")) == 0) {
        return SS_OK;
    }
    if (strlen(e->options->folder) + strlen(e->name) + 80 > PATH_SIZE) {
        return ss_fail(e->ctx, SS_ERR_INPUT, "%.60s...: a path of %zu characters is too long", e->options->folder,
                       strlen(e->options->folder));
    }
    SS_TRY(ss_folder_make(e->ctx, e->options->folder));
    return each_figure(e, draw_figure);
}
