/* inside.h - inside of ss_plot; only src/plot looks in here. */
#ifndef SS_PLOT_INSIDE_H
#define SS_PLOT_INSIDE_H

#include "plot/axis.h"
#include "plot/svg.h"
#include <slipstick/plot.h>

enum { SS_PLOT_WIDTH = 640, SS_PLOT_HEIGHT = 420, SS_PLOT_FONT = 11, SS_PLOT_LEGEND_ROW = 17 };

typedef struct ss_plot_point {
    double x, y;
} ss_plot_point;

typedef struct ss_plot_curve {
    ss_plot_kind kind;
    char *label; /* NULL: not in the legend */
    int n;
    ss_plot_point *point;
} ss_plot_curve;

typedef struct ss_plot_events {
    char *label;
    int n;
    double *x;
} ss_plot_events;

struct ss_plot {
    ss_context *ctx;
    char *title, *x_label, *y_label; /* labels with units */
    ss_plot_axis x, y;               /* scale and range only */
    ss_plot_curve *curve;
    ss_plot_events *events;
    double *slope;
    int curves, curves_capacity, event_groups, events_capacity, slopes, slopes_capacity;
};

/* ---- trace.c ----------------------------------------------------------------------------------- */

typedef struct ss_box {
    double left, top, right, bottom;
} ss_box;

/* Receives a polyline in pixels: a move, or a line from the last point. */
typedef struct ss_pen {
    void (*go)(void *user, double x, double y, bool draw);
    void *user;
} ss_pen;

bool ss_plot_has_line(ss_plot_kind kind);
bool ss_plot_has_markers(ss_plot_kind kind);
bool ss_plot_shows(const ss_axis *x, const ss_axis *y, ss_plot_point p);
/* Cut the line from a to b to the box; false if nothing is left. */
bool ss_box_cut(const ss_box *box, ss_plot_point *a, ss_plot_point *b);
/* Draw the line of a curve: thinned out to what can be seen, cut to the box. */
void ss_trace_line(const ss_plot_curve *curve, const ss_axis *x, const ss_axis *y, const ss_box *box, const ss_pen *pen);

/* ---- layout.c ---------------------------------------------------------------------------------- */

typedef struct ss_layout {
    ss_box area; /* inside of the axes */
    ss_axis x, y;
    int entries; /* of the legend; 0: none */
    ss_box legend;
    int not_finite, not_positive; /* points left out */
} ss_layout;

/* The k-th reference slope as drawn, in pixels, and where its label starts; false: out of sight. */
bool ss_layout_slope(const ss_plot *plot, const ss_layout *layout, int k, ss_plot_point *a, ss_plot_point *b,
                     ss_plot_point *label);
ss_status ss_layout_make(const ss_plot *plot, ss_layout *layout);

/* ---- draw.c ------------------------------------------------------------------------------------ */

ss_status ss_plot_draw(const ss_plot *plot, const ss_layout *layout, ss_svg *svg);

#endif
