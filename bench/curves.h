/* curves.h - how far solvers get in which time, on one problem. */
#ifndef BENCH_CURVES_H
#define BENCH_CURVES_H

#include <stdbool.h>

enum { BENCH_CURVE_POINTS = 16 };

typedef struct bench_curve {
    const char *solver, *law;
    bool convex; /* takes part in the crossover */
    int n;       /* tolerances that were met, from 0 on */
    double tolerance[BENCH_CURVE_POINTS], seconds[BENCH_CURVE_POINTS], residual[BENCH_CURVE_POINTS];
} bench_curve;

/* FOLDER/NAME.csv and .svg, residual over time; and on stdout where another solver of the convex law becomes the quickest. */
void bench_curves_write(const char *name, const char *title, int n, const bench_curve *curve);

/* FOLDER/NAME.csv and .svg, residual over time. */
void bench_curves_draw(const char *name, const char *title, int n, const bench_curve *curve);

#endif
