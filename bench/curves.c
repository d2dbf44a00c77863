/* curves.c - residual over time as CSV and SVG, and the tolerance at which another solver becomes the quickest.
 *
 * Between two tolerances the logarithm of the time is taken as linear in that of the tolerance. */
#include "curves.h"

#include "bench.h"

#include <slipstick/slipstick.h>

#include <math.h>

static void write_csv(const char *name, int n, const bench_curve *curve)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", bench_run.folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        bench_fatal("%s cannot be written", path);
    }
    fprintf(file, "solver,law,tolerance,seconds,certificate\n");
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < curve[k].n; i++) {
            fprintf(file, "%s,%s,%g,%.4g,%.3g\n", curve[k].solver, curve[k].law, curve[k].tolerance[i], curve[k].seconds[i],
                    curve[k].residual[i]);
        }
    }
    fclose(file);
}

static ss_status add_curve(ss_plot *plot, const bench_curve *curve)
{
    char label[64];
    snprintf(label, sizeof label, "%s, %s", curve->solver, curve->law);
    ss_plot_series series = { .label = label, .kind = SS_PLOT_LINE_MARKERS, .n = curve->n, .x = curve->seconds };
    series.y = curve->residual;
    return ss_plot_add_series(plot, &series);
}

static ss_status draw(ss_context *ctx, const char *path, const char *title, int n, const bench_curve *curve)
{
    ss_plot *plot = NULL;
    ss_plot_options options = ss_plot_options_default();
    options.title = title;
    options.x = (ss_plot_axis){ .label = "CPU time", .unit = "s", .scale = SS_PLOT_LOG };
    options.y = (ss_plot_axis){ .label = "certificate", .scale = SS_PLOT_LOG };
    ss_status status = ss_plot_create(ctx, &options, &plot);
    for (int k = 0; k < n && status == SS_OK; k++) {
        status = curve[k].n > 0 ? add_curve(plot, &curve[k]) : SS_OK;
    }
    status = status == SS_OK ? ss_plot_save(plot, path) : status;
    ss_plot_destroy(plot);
    return status;
}

static void write_svg(const char *name, const char *title, int n, const bench_curve *curve)
{
    char path[4096];
    ss_context *ctx = NULL;
    snprintf(path, sizeof path, "%s/%s.svg", bench_run.folder, name);
    if (ss_context_create(NULL, &ctx) != SS_OK || draw(ctx, path, title, n, curve) != SS_OK) {
        bench_fatal("%s: %s", path, ctx ? ss_last_error(ctx) : "out of memory");
    }
    ss_context_destroy(ctx);
}

/* ---- crossover ------------------------------------------------------------------------------------ */

/* the quickest at tolerance number i; NULL: none has met it */
static const bench_curve *quickest(int n, const bench_curve *curve, int i)
{
    const bench_curve *best = NULL;
    for (int k = 0; k < n; k++) {
        if (curve[k].convex && curve[k].n > i && (!best || curve[k].seconds[i] < best->seconds[i])) {
            best = &curve[k];
        }
    }
    return best;
}

/* where a and b take the same time between tolerances i - 1 and i; a is quicker at i - 1, b at i */
static double crossing(const bench_curve *a, const bench_curve *b, int i)
{
    double before = log(b->seconds[i - 1] / a->seconds[i - 1]), after = log(a->seconds[i] / b->seconds[i]);
    double part = before + after > 0 ? before / (before + after) : 0;
    return a->tolerance[i - 1] * pow(a->tolerance[i] / a->tolerance[i - 1], part);
}

static void say_crossovers(const char *title, int n, const bench_curve *curve)
{
    const bench_curve *last = NULL;
    printf("%s, quickest on the convex law:", title);
    for (int i = 0; i < BENCH_CURVE_POINTS; i++) {
        const bench_curve *now = quickest(n, curve, i);
        if (now && !last) {
            printf(" %s", now->solver);
        } else if (now && now != last && last->n > i) {
            printf(" down to %.1g, then %s", crossing(last, now, i), now->solver);
        } else if (now && now != last) {
            printf(" down to %g, then %s", last->tolerance[i - 1], now->solver);
        }
        last = now ? now : last;
    }
    printf("%s\n", last ? "" : " none");
}

void bench_curves_draw(const char *name, const char *title, int n, const bench_curve *curve)
{
    write_csv(name, n, curve);
    write_svg(name, title, n, curve);
}

void bench_curves_write(const char *name, const char *title, int n, const bench_curve *curve)
{
    bench_curves_draw(name, title, n, curve);
    say_crossovers(title, n, curve);
}
