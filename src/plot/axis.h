/* axis.h - an axis of a plot: its range, its ticks and their labels, and where a value lies in pixels. */
#ifndef SS_PLOT_AXIS_H
#define SS_PLOT_AXIS_H

#include "base/base.h"

enum { SS_TICKS = 160 };

typedef struct ss_tick {
    double at;      /* in axis coordinates: the value, or its logarithm to base 10 */
    bool major;     /* with grid line                                              */
    char text[48];  /* "" : no label                                               */
    char power[16]; /* superscript after the text                                  */
} ss_tick;

typedef struct ss_axis {
    bool log;
    double low, high; /* range in axis coordinates     */
    double p0, p1;    /* their pixels                  */
    int ticks;
    ss_tick tick[SS_TICKS];
    ss_tick note;  /* the factor of all labels: text and power */
    char plus[64]; /* and what is to be added after that */
} ss_axis;

/* Can the value be shown on such an axis? */
bool ss_axis_takes(bool log, double value);
/* Set the range to [low, high] of the data (low > high: no data), widened by `margin` of its length; a range of no length is
 * widened around its value. */
void ss_axis_set_range(ss_axis *axis, bool log, double low, double high, double margin);
/* Choose about `wanted` labelled ticks for the range. */
void ss_axis_set_ticks(ss_axis *axis, int wanted);
/* Pixel of a value that the axis takes, or of an axis coordinate. */
double ss_axis_pixel(const ss_axis *axis, double value);
double ss_axis_pixel_at(const ss_axis *axis, double coordinate);

#endif
