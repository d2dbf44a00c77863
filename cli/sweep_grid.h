/* sweep_grid.h - the grid of a sweep: every --set PATH=A:B:N is an axis of N values from A to B; the last axis changes fastest.
 */
#ifndef SWEEP_GRID_H
#define SWEEP_GRID_H

#include "cli.h"

enum { AXES = 8, WORD = 512, MOST_ROWS = 10000000 };

typedef struct sweep_axis {
    char path[WORD];
    double from, to;
    int count;
} sweep_axis;

typedef struct sweep_grid {
    cli_list fixed; /* settings of all runs; free it */
    sweep_axis axis[AXES];
    int axes;
    long rows;
} sweep_grid;

/* The settings as a grid; false: said why they are none. */
bool sweep_parse_grid(ss_context *ctx, const cli_list *sets, sweep_grid *g);
/* the value of axis `which` in a row, counted from 0 */
double sweep_value(const sweep_grid *g, int which, long row);

#endif
