/* plot.h - what the files of the plot command share: results, the columns of them that are drawn, labels.
 *
 *   words of --y -> columns (plot_columns.c) -> curves (states in the window, x and y) -> ss_plot (plot.c) */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"

enum { PLOT_RESULTS = 16, PLOT_CURVES = 20, PLOT_LABEL = 256 };

typedef struct plot_options {
    const char *x, *output, *title;
    cli_list y;
    double from, to;
    bool events, step, log_x, log_y;
} plot_options;

/* a result and the states of it that are drawn */
typedef struct plot_source {
    const char *path;
    ss_result *result;
    int64_t first;
    int n;
    int x;        /* column      */
    double *at_x; /* n numbers   */
} plot_source;

typedef struct plot_curve {
    const plot_source *from;
    int column;
    const char *name, *unit;
} plot_curve;

typedef struct plot_session {
    ss_context *ctx;
    const plot_options *options;
    plot_source source[PLOT_RESULTS];
    int sources;
    plot_curve curve[PLOT_CURVES];
    int curves;
    ss_plot *plot;
} plot_session;

/* Open a result and choose its states in the window of --from and --to; anything but CLI_DONE: said why. */
int plot_open_result(const plot_session *s, plot_source *from);
/* The column of --x, and a curve for every column that the words of --y name. */
int plot_choose_columns(plot_session *s, plot_source *from);
/* The numbers of a column in the window, to be freed. */
int plot_read_column(const plot_session *s, const plot_source *from, int column, double **out);
/* Is a time outside of --from and --to, by more than the round-off of adding up steps? One that is NaN is inside. */
bool plot_is_before(const plot_options *o, double t);
bool plot_is_after(const plot_options *o, double t);

int plot_no_memory(void); /* says so; CLI_FAILED */
/* Says why a result cannot be read; that is bad input, whatever the reason. */
int plot_bad_result(const plot_session *s, ss_status status, const char *path);

#endif
