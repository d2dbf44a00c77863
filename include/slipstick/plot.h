/* plot.h - plots of functions and of convergence, as SVG.
 *
 *   ss_plot_create  with title and axes;  ss_plot_add_series, _events, _slope  as often as wanted;  ss_plot_save  or  _write
 *
 * Texts are UTF-8; what is no UTF-8 is shown as U+FFFD. Data and texts are copied. The bytes depend on the input only. */
#ifndef SLIPSTICK_PLOT_H
#define SLIPSTICK_PLOT_H

#include <slipstick/base.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_plot ss_plot;

typedef enum ss_plot_scale { SS_PLOT_LINEAR, SS_PLOT_LOG } ss_plot_scale;

typedef struct ss_plot_axis {
    const char *label;
    const char *unit; /* NULL or "": none is shown */
    ss_plot_scale scale;
    double min, max; /* both 0: all of the data; LOG: positive */
} ss_plot_axis;

typedef struct ss_plot_options {
    const char *title; /* may be NULL */
    ss_plot_axis x, y;
} ss_plot_options;

typedef enum ss_plot_kind {
    SS_PLOT_LINE,
    SS_PLOT_STEP,        /* y[k] from x[k] to x[k + 1], jumps drawn as verticals */
    SS_PLOT_STEP_GAPS,   /* the same, jumps left open                            */
    SS_PLOT_MARKERS,     /* a mark at each point                                 */
    SS_PLOT_LINE_MARKERS /* for few points, such as a table of errors            */
} ss_plot_kind;

/* Points (x[k], y[k]). NaN and Inf break a line; so do values <= 0 on a logarithmic axis. What is left out is counted in a
 * note under the plot. */
typedef struct ss_plot_series {
    const char *label; /* of the legend; NULL: no entry */
    ss_plot_kind kind;
    int n;
    const double *x, *y;
    int x_stride, y_stride; /* 0 means 1 */
} ss_plot_series;

SS_API ss_plot_options ss_plot_options_default(void); /* linear axes without texts */
SS_API ss_status ss_plot_create(ss_context *ctx, const ss_plot_options *options, ss_plot **out);
SS_API void ss_plot_destroy(ss_plot *plot); /* NULL is fine */

SS_API ss_status ss_plot_add_series(ss_plot *plot, const ss_plot_series *series);
/* Thin vertical lines at the given x; where there are too many for that, short marks at the edge. */
SS_API ss_status ss_plot_add_events(ss_plot *plot, const char *label, int n, const double *x);
/* A dashed line y ~ x^order under the data, labelled "order 2"; both axes must be logarithmic. */
SS_API ss_status ss_plot_add_slope(ss_plot *plot, double order);

/* To an open file (`name` is for messages) or to a path, which is emptied again if it cannot be written whole. */
SS_API ss_status ss_plot_write(const ss_plot *plot, FILE *file, const char *name);
SS_API ss_status ss_plot_save(const ss_plot *plot, const char *path);

#ifdef __cplusplus
}
#endif
#endif
