/* springs.c - bodies coupled by springs and dampers, in contact: what the coupling costs.
 *
 * wall  With and without one damper of 1e-3 N s/m at the box in its middle. The motion is the same, and so should be the cost:
 *       A is M but for one block. The table has the ratios of time and memory.
 * net   All boxes are coupled: A is a sparse matrix of as many blocks as there are boxes and springs. The exponent p of
 *       cost per step = const boxes^p is fitted by least squares in the logarithms.
 * jelly 200 balls joined by 1000 springs of 1e6 N/m, whose vibrations no step resolves, fall on a floor: what a step of 1/100 s
 *       costs by three schemes, and whether the energy stays below that of the start.
 *
 * A run is the first 5 steps of 1/240 s with `moreau` (steps.c); of the jelly 20 steps, in which it falls and strikes. */
#include "steps.h"

#include <math.h>

static bench_measure run_scene(const char *words, const char *name, const char *solver, bool *going)
{
    return bench_steps(
        &(bench_task){ .words = words, .name = name, .scheme = "moreau", .solver = solver, .step = 1.0 / 240, .steps = 5 },
        going);
}

/* ---- wall ------------------------------------------------------------------------------------------ */

static void compare_walls(bench_table *t, int boxes, const char *solver, bool going[2])
{
    char words[64], title[64];
    bench_measure m[2];
    for (int dampers = 0; dampers < 2; dampers++) {
        snprintf(words, sizeof words, "wall --bodies %d --dampers %d", boxes, dampers);
        m[dampers] = run_scene(words, "springs_wall", solver, &going[dampers]);
    }
    snprintf(title, sizeof title, "wall of %d: %s", boxes, solver);
    bench_text(t, title);
    bench_number(t, m[0].contacts);
    bench_put_time(t, &m[0]);
    bench_put_time(t, &m[1]);
    bench_number(t, m[1].seconds / m[0].seconds);
    bench_number(t, m[0].megabytes);
    bench_number(t, m[1].megabytes);
    bench_number(t, m[1].verdict == BENCH_DONE ? m[1].megabytes / m[0].megabytes : (double)NAN);
    bench_number(t, m[0].uncertified);
    bench_number(t, m[1].uncertified);
}

static void time_walls(void)
{
    static const char *const columns[] = { "scene: solver", "contacts", "plain ms/step", "damper ms/step", "ratio", "plain MiB",
                                           "damper MiB",    "ratio",    "plain uncert.", "damper uncert.", NULL };
    static const char *const solvers[] = { "auto", "nsgs" };
    static const int sizes[] = { 30, 100, 300, 1000 };
    bench_table t =
        bench_table_open(&bench_run, "springs_wall", "Wall without and with one damper of 1e-3 N s/m, moreau, 5 steps", columns);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        bool going[2] = { true, true };
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            compare_walls(&t, sizes[k], solvers[s], going);
        }
    }
    bench_table_close(&t);
}

/* ---- net ------------------------------------------------------------------------------------------- */

/* slope of log y over log x, least squares */
static double exponent(int n, const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (int k = 0; k < n; k++) {
        mx += log(x[k]) / n;
        my += log(y[k]) / n;
    }
    for (int k = 0; k < n; k++) {
        xx += (log(x[k]) - mx) * (log(x[k]) - mx);
        xy += (log(x[k]) - mx) * (log(y[k]) - my);
    }
    return xy / xx;
}

/* fitted to nets of at least `large` boxes, where costs that do not grow with the net no longer matter */
static void say_exponent(int n, const double *boxes, const double *ms)
{
    const double large = 250;
    int first = 0;
    while (first < n - 2 && boxes[first] < large) {
        first++;
    }
    if (n - first >= 2) {
        printf("exponent of ms/step over boxes, from %.0f to %.0f boxes: %.2f\n", boxes[first], boxes[n - 1],
               exponent(n - first, boxes + first, ms + first));
    }
}

static bench_measure time_net(bench_table *t, int boxes, bool *going)
{
    char words[64], title[64];
    snprintf(words, sizeof words, "net --bodies %d", boxes);
    snprintf(title, sizeof title, "net of %d", boxes);
    bench_measure m = run_scene(words, "springs_net", "auto", going);
    bench_text(t, title);
    bench_number(t, m.contacts);
    bench_put_time(t, &m);
    bench_number(t, m.megabytes);
    bench_number(t, m.problems);
    bench_number(t, m.uncertified);
    return m;
}

static void time_nets(void)
{
    static const char *const columns[] = { "scene", "contacts", "ms/step", "MiB", "problems", "uncertified", NULL };
    static const int sizes[] = { 50, 100, 250, 500, 1000, 2000, 4000 };
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double boxes[SIZES], ms[SIZES];
    int n = 0;
    bool going = true;
    bench_table t = bench_table_open(&bench_run, "springs_net", "Net of boxes joined by springs, moreau, auto, 5 steps", columns);
    for (int k = 0; k < SIZES; k++) {
        bench_measure m = time_net(&t, sizes[k], &going);
        if (m.verdict == BENCH_DONE) {
            boxes[n] = sizes[k];
            ms[n++] = bench_ms_per_step(&m);
        }
    }
    say_exponent(n, boxes, ms);
    bench_table_close(&t);
}

/* ---- jelly ----------------------------------------------------------------------------------------- */

static void time_jelly(void)
{
    static const char *const columns[] = { "scheme", "ms/step", "problems", "uncertified", "most energy / first", NULL };
    static const char *const schemes[] = { "trapezoidal", "moreau", "event_capturing_rk" };
    bench_table t =
        bench_table_open(&bench_run, "springs_jelly", "200 balls, 1000 springs of 1e6 N/m, h = 1/100, 20 steps", columns);
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        bool going = true;
        bench_measure m = bench_steps(
            &(bench_task){
                .words = "jelly", .name = "springs_jelly", .scheme = schemes[k], .solver = "auto", .step = 0.01, .steps = 20 },
            &going);
        bench_text(&t, schemes[k]);
        bench_put_time(&t, &m);
        bench_number(&t, m.problems);
        bench_number(&t, m.uncertified);
        bench_number(&t, m.energy);
    }
    bench_table_close(&t);
}

void bench_springs(void)
{
    time_walls();
    time_nets();
    time_jelly();
}
