/* springs.c - bodies coupled by springs and dampers, in contact: what the coupling costs.
 *
 * wall  With and without one damper of 1e-3 N s/m at the box in its middle. The motion is the same, and so should be the cost:
 *       A is M but for one block. The table has the ratios of time and memory.
 * net   All boxes are coupled: A is a sparse matrix of as many blocks as there are boxes and springs. The exponent p of
 *       cost per step = const boxes^p is fitted by least squares in the logarithms.
 * jelly 200 balls joined by 1000 springs of 1e6 N/m, whose vibrations no step resolves, fall on a floor: what a step of 1/100 s
 *       costs by three schemes, and whether the energy stays below that of the start.
 *
 * Every run is a process of its own: the first 5 steps of 1/240 s with `moreau`; of the jelly 20 steps, in which it falls and
 * strikes. Its time is the CPU time of the steps, the least of up to three runs; memory is the most that the process held. A run
 * has a limit on its CPU time. Once it is missed, larger scenes of the same kind are not tried. */
#include "bench.h"
#include "child.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 3 };
static const double enough = 5; /* CPU seconds of one case after which it is not repeated */

static int limit(void) { return bench_run.full ? 600 : 60; } /* CPU seconds of a run */

/* ---- one run --------------------------------------------------------------------------------------- */

typedef enum verdict { DONE, LATE, FAILED, SKIPPED } verdict;

typedef struct measure {
    verdict verdict;
    double seconds, megabytes;
    double contacts, problems, uncertified; /* most contacts of a step; contact problems and steps of the run */
    double energy;                          /* the most that it had, over that of the start */
} measure;

static const measure nothing = {
    .verdict = SKIPPED, .seconds = NAN, .megabytes = NAN, .contacts = NAN, .problems = NAN, .uncertified = NAN, .energy = NAN
};

typedef struct task {
    const char *scene, *scheme, *solver;
    double step; /* s */
    int steps;
} task;

/* the first steps of a wall or a net */
static const task start_of_motion = { .scheme = "moreau", .solver = "auto", .step = 1.0 / 240, .steps = 5 };

static ss_sim *open_sim(const task *t)
{
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_sim_options options = ss_sim_options_default();
    options.scheme = t->scheme;
    options.solver = t->solver;
    options.step = t->step;
    if (ss_context_create(NULL, &ctx) != SS_OK || ss_scene_read(ctx, t->scene, 0, NULL, &scene) != SS_OK ||
        ss_model_compile(ctx, scene, &model) != SS_OK || ss_sim_create(ctx, model, &options, &sim) != SS_OK) {
        bench_fatal("%s: %s", t->scene, ctx ? ss_last_error(ctx) : "out of memory");
    }
    return sim;
}

/* in the child, which frees nothing */
static void run_steps(const void *given, void *answer)
{
    measure *m = answer;
    const task *t = given;
    ss_sim *sim = open_sim(t);
    double start = bench_seconds();
    int steps = 0;
    while (steps < t->steps && ss_sim_step(sim, t->step) == SS_OK) {
        steps++;
    }
    const ss_summary *summary = ss_sim_summary(sim);
    m->seconds = bench_seconds() - start;
    m->verdict = steps == t->steps ? DONE : FAILED;
    m->contacts = summary->max_contacts;
    m->problems = (double)summary->lcps;
    m->uncertified = (double)summary->unconverged_steps;
    m->energy = summary->energy_max / summary->energy_initial;
}

static measure run_once(const task *t)
{
    measure m = nothing;
    double megabytes;
    bench_end end = bench_in_child(run_steps, t, limit(), sizeof m, &m, &megabytes);
    if (end != BENCH_ANSWERED) {
        m.verdict = end == BENCH_LATE ? LATE : FAILED;
    }
    m.megabytes = megabytes;
    return m;
}

/* the quickest of up to REPEATS runs */
static measure run_best(const task *t)
{
    measure best = run_once(t);
    double spent = best.seconds;
    for (int k = 1; k < REPEATS && best.verdict == DONE && spent < enough; k++) {
        measure again = run_once(t);
        spent += again.seconds;
        best = again.seconds < best.seconds ? again : best;
    }
    return best;
}

/* going: false once a scene of this kind was not done; then nothing is run */
static measure run_scene(const char *words, const char *name, task t, bool *going)
{
    measure m = nothing;
    if (*going) {
        char *scene = bench_scene_write(words, name);
        t.scene = scene;
        m = run_best(&t);
        free(scene);
    }
    *going = m.verdict == DONE;
    return m;
}

/* ---- tables ---------------------------------------------------------------------------------------- */

static double ms_per_step(const measure *m, int steps) { return 1e3 * m->seconds / steps; }

static void put_time(bench_table *t, const measure *m, int steps)
{
    char late[32];
    snprintf(late, sizeof late, "not in %d s", limit());
    const char *const words[] = { [LATE] = late, [FAILED] = "failed", [SKIPPED] = "not tried" };
    if (m->verdict == DONE) {
        bench_number(t, ms_per_step(m, steps));
    } else {
        bench_text(t, words[m->verdict]);
    }
}

/* ---- wall ------------------------------------------------------------------------------------------ */

static void compare_walls(bench_table *t, int boxes, const char *solver, bool going[2])
{
    char words[64], title[64];
    task run = start_of_motion;
    measure m[2];
    run.solver = solver;
    for (int dampers = 0; dampers < 2; dampers++) {
        snprintf(words, sizeof words, "wall --bodies %d --dampers %d", boxes, dampers);
        m[dampers] = run_scene(words, "springs_wall", run, &going[dampers]);
    }
    snprintf(title, sizeof title, "wall of %d: %s", boxes, solver);
    bench_text(t, title);
    bench_number(t, m[0].contacts);
    put_time(t, &m[0], run.steps);
    put_time(t, &m[1], run.steps);
    bench_number(t, m[1].seconds / m[0].seconds);
    bench_number(t, m[0].megabytes);
    bench_number(t, m[1].megabytes);
    bench_number(t, m[1].verdict == DONE ? m[1].megabytes / m[0].megabytes : (double)NAN);
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

static measure time_net(bench_table *t, int boxes, bool *going)
{
    char words[64], title[64];
    snprintf(words, sizeof words, "net --bodies %d", boxes);
    snprintf(title, sizeof title, "net of %d", boxes);
    measure m = run_scene(words, "springs_net", start_of_motion, going);
    bench_text(t, title);
    bench_number(t, m.contacts);
    put_time(t, &m, start_of_motion.steps);
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
        measure m = time_net(&t, sizes[k], &going);
        if (m.verdict == DONE) {
            boxes[n] = sizes[k];
            ms[n++] = ms_per_step(&m, start_of_motion.steps);
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
        const task run = { .scheme = schemes[k], .solver = "auto", .step = 0.01, .steps = 20 };
        bool going = true;
        measure m = run_scene("jelly", "springs_jelly", run, &going);
        bench_text(&t, schemes[k]);
        put_time(&t, &m, run.steps);
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
