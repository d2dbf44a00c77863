/* plot.c - a plot as it is put together, and how it gets to a file. */
#include "plot/inside.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

/* ---- putting together -------------------------------------------------------------------------- */

ss_plot_options ss_plot_options_default(void) { return (ss_plot_options){ 0 }; }

static ss_status check_axis(ss_context *ctx, const ss_plot_axis *axis, const char *name)
{
    bool given = axis->min != 0 || axis->max != 0, log = axis->scale == SS_PLOT_LOG;
    if (given && !(axis->min < axis->max && ss_axis_takes(log, axis->min) && ss_axis_takes(log, axis->max))) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s axis: the range [%g, %g] is not valid, expected two %snumbers in increasing order",
                       name, axis->min, axis->max, log ? "positive " : "");
    }
    return SS_OK;
}

/* "label [unit]"; neither: NULL */
static ss_status join_label(ss_context *ctx, const ss_plot_axis *axis, char **out)
{
    const char *label = axis->label ? axis->label : "", *unit = axis->unit ? axis->unit : "";
    size_t size = strlen(label) + strlen(unit) + 4;
    *out = NULL;
    if (!label[0] && !unit[0]) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(ctx, size, 1, out));
    snprintf(*out, size, "%s%s%s%s%s", label, label[0] && unit[0] ? " " : "", unit[0] ? "[" : "", unit, unit[0] ? "]" : "");
    return SS_OK;
}

static ss_status copy_texts(ss_plot *plot, const ss_plot_options *options)
{
    SS_TRY(ss_strdup(plot->ctx, options->title, &plot->title));
    SS_TRY(join_label(plot->ctx, &options->x, &plot->x_label));
    return join_label(plot->ctx, &options->y, &plot->y_label);
}

ss_status ss_plot_create(ss_context *ctx, const ss_plot_options *options, ss_plot **out)
{
    ss_plot *plot;
    *out = NULL;
    SS_TRY(check_axis(ctx, &options->x, "x"));
    SS_TRY(check_axis(ctx, &options->y, "y"));
    SS_TRY(ss_calloc(ctx, 1, sizeof *plot, &plot));
    *plot = (ss_plot){ .ctx = ctx, .x = options->x, .y = options->y };
    ss_status status = copy_texts(plot, options);
    if (status != SS_OK) {
        ss_plot_destroy(plot);
        return status;
    }
    *out = plot;
    return SS_OK;
}

void ss_plot_destroy(ss_plot *plot)
{
    if (!plot) {
        return;
    }
    for (int k = 0; k < plot->curves; k++) {
        ss_free(plot->ctx, plot->curve[k].label);
        ss_free(plot->ctx, plot->curve[k].point);
    }
    for (int k = 0; k < plot->event_groups; k++) {
        ss_free(plot->ctx, plot->events[k].label);
        ss_free(plot->ctx, plot->events[k].x);
    }
    ss_free(plot->ctx, plot->curve);
    ss_free(plot->ctx, plot->events);
    ss_free(plot->ctx, plot->slope);
    ss_free(plot->ctx, plot->title);
    ss_free(plot->ctx, plot->x_label);
    ss_free(plot->ctx, plot->y_label);
    ss_free(plot->ctx, plot);
}

/* what is in the list is freed with the plot, so it goes there before it is filled */
ss_status ss_plot_add_series(ss_plot *plot, const ss_plot_series *series)
{
    size_t dx = series->x_stride > 0 ? (size_t)series->x_stride : 1, dy = series->y_stride > 0 ? (size_t)series->y_stride : 1;
    if (series->n < 0) {
        return ss_fail(plot->ctx, SS_ERR_INPUT, "series %s: expected a number of points >= 0, got %d",
                       series->label ? series->label : "", series->n);
    }
    SS_PUSH(plot->ctx, plot->curve, plot->curves, plot->curves_capacity, (ss_plot_curve){ .kind = series->kind });
    ss_plot_curve *curve = &plot->curve[plot->curves - 1];
    SS_TRY(ss_strdup(plot->ctx, series->label, &curve->label));
    SS_TRY(ss_calloc(plot->ctx, (size_t)series->n, sizeof *curve->point, &curve->point));
    curve->n = series->n;
    for (int k = 0; k < series->n; k++) {
        curve->point[k] = (ss_plot_point){ series->x[(size_t)k * dx], series->y[(size_t)k * dy] };
    }
    return SS_OK;
}

ss_status ss_plot_add_events(ss_plot *plot, const char *label, int n, const double *x)
{
    if (n < 0) {
        return ss_fail(plot->ctx, SS_ERR_INPUT, "events %s: expected a number of events >= 0, got %d", label ? label : "", n);
    }
    SS_PUSH(plot->ctx, plot->events, plot->event_groups, plot->events_capacity, (ss_plot_events){ 0 });
    ss_plot_events *events = &plot->events[plot->event_groups - 1];
    SS_TRY(ss_strdup(plot->ctx, label, &events->label));
    SS_TRY(ss_calloc(plot->ctx, (size_t)n, sizeof *events->x, &events->x));
    events->n = n;
    if (n > 0) {
        memcpy(events->x, x, (size_t)n * sizeof *x);
    }
    return SS_OK;
}

ss_status ss_plot_add_slope(ss_plot *plot, double order)
{
    if (plot->x.scale != SS_PLOT_LOG || plot->y.scale != SS_PLOT_LOG) {
        return ss_fail(plot->ctx, SS_ERR_INPUT, "slope of order %g: both axes must be logarithmic", order);
    }
    if (!(fabs(order) <= 100)) {
        return ss_fail(plot->ctx, SS_ERR_INPUT, "slope of order %g: expected an order of at most 100", order);
    }
    SS_PUSH(plot->ctx, plot->slope, plot->slopes, plot->slopes_capacity, order);
    return SS_OK;
}

/* ---- to a file --------------------------------------------------------------------------------- */

static ss_status make_text(const ss_plot *plot, ss_svg *svg)
{
    ss_layout *layout;
    SS_TRY(ss_calloc(plot->ctx, 1, sizeof *layout, &layout));
    ss_status status = ss_layout_make(plot, layout);
    status = status == SS_OK ? ss_plot_draw(plot, layout, svg) : status;
    ss_free(plot->ctx, layout);
    return status;
}

ss_status ss_plot_write(const ss_plot *plot, FILE *file, const char *name)
{
    ss_svg svg = { .ctx = plot->ctx };
    ss_status status = make_text(plot, &svg);
    if (status == SS_OK) {
        errno = 0;
        bool written = fwrite(svg.text, 1, (size_t)svg.used, file) == (size_t)svg.used && fflush(file) == 0;
        status = written ? SS_OK : ss_fail(plot->ctx, SS_ERR_IO, "%s: cannot be written: %s", name, strerror(errno));
    }
    ss_free(plot->ctx, svg.text);
    return status;
}

ss_status ss_plot_save(const ss_plot *plot, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return ss_fail(plot->ctx, SS_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    setvbuf(file, NULL, _IONBF, 0); /* nothing is left for fclose to write */
    ss_status status = ss_plot_write(plot, file, path);
    if (status != SS_OK && ftruncate(fileno(file), 0) != 0) {
        ss_log(plot->ctx, SS_LOG_WARNING, "%s: the plot could not be written, an incomplete file remains", path);
    }
    errno = 0;
    if (fclose(file) != 0 && status == SS_OK) {
        status = ss_fail(plot->ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    return status;
}
