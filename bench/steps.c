/* steps.c - the first steps of a scene, in a process of its own: time and memory.
 *
 * The time is the CPU time of the steps, the least of up to three runs; memory is the most that the process held. A run has a
 * limit on its CPU time; once it is missed, larger scenes of the same kind are not tried. */
#include "steps.h"

#include "child.h"

#include <slipstick/slipstick.h>

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 3, LARGE = 1 << 18 }; /* runs; bytes of an array that is mapped by itself, as the program does */
static const double enough = 5;        /* CPU seconds of one case after which it is not repeated */

static int limit(void) { return bench_run.full ? 600 : 60; } /* CPU seconds of a run */

static const bench_measure nothing = { .verdict = BENCH_SKIPPED,
                                       .seconds = NAN,
                                       .megabytes = NAN,
                                       .elapsed = NAN,
                                       .late = NAN,
                                       .bytes = NAN,
                                       .contacts = NAN,
                                       .problems = NAN,
                                       .newton = NAN,
                                       .uncertified = NAN,
                                       .energy = NAN,
                                       .residual = NAN };

/* what a child is given: the task, and its scene as a file; NULL: the text of the task */
typedef struct order {
    const bench_task *task;
    const char *scene;
} order;

static ss_status read_scene(ss_context *ctx, const order *o, ss_scene **out)
{
    const char *text = o->task->text;
    return text ? ss_scene_parse(ctx, text, strlen(text), o->task->name, 0, NULL, out)
                : ss_scene_read(ctx, o->scene, 0, NULL, out);
}

/* ---- memory of the library ------------------------------------------------------------------------ */

typedef struct counter {
    size_t now, most;
} counter;

/* malloc, realloc and free, counted */
static void *resize(void *user, void *p, size_t size)
{
    counter *c = user;
    c->now -= p ? malloc_usable_size(p) : 0;
    if (size == 0) {
        free(p);
        return NULL;
    }
    void *q = realloc(p, size);
    c->now += q || p ? malloc_usable_size(q ? q : p) : 0;
    c->most = c->now > c->most ? c->now : c->most;
    return q;
}

static ss_status open_context(int threads, counter *c, ss_context **out)
{
    ss_context_options options = ss_context_options_default();
    options.threads = threads;
    options.allocator = (ss_allocator){ resize, c };
    return ss_context_create(&options, out);
}

static ss_sim *open_sim(const order *o, counter *c)
{
    ss_context *ctx = NULL;
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_sim *sim = NULL;
    ss_sim_options options = ss_sim_options_default();
    options.scheme = o->task->scheme;
    options.solver = o->task->solver;
    options.step = o->task->step;
    options.solver_tol = o->task->tol > 0 ? o->task->tol : options.solver_tol;
    if (open_context(o->task->threads, c, &ctx) != SS_OK || read_scene(ctx, o, &scene) != SS_OK ||
        ss_model_compile(ctx, scene, &model) != SS_OK || ss_sim_create(ctx, model, &options, &sim) != SS_OK) {
        bench_fatal("%s: %s", o->task->name, ctx ? ss_last_error(ctx) : "out of memory");
    }
    return sim;
}

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* all steps of the task, as long as they succeed */
static void make_steps(ss_sim *sim, const bench_task *task, bench_measure *m)
{
    const int last = task->steps - (task->steps + 9) / 10;
    const double start = clock_now();
    double then = start;
    m->steps = 0;
    while (m->steps < task->steps && ss_sim_step(sim, task->step) == SS_OK) {
        m->steps++;
        then = m->steps == last ? clock_now() : then;
    }
    m->elapsed = clock_now() - start;
    m->late = (clock_now() - then) / (task->steps - last);
}

/* in the child, which frees nothing */
static void run_steps(const void *given, void *answer)
{
    const order *o = given;
    bench_measure *m = answer;
    counter memory = { 0, 0 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    ss_sim *sim = open_sim(o, &memory);
    const double start = bench_seconds();
    make_steps(sim, o->task, m);
    const ss_summary *summary = ss_sim_summary(sim);
    m->seconds = bench_seconds() - start;
    m->verdict = m->steps == o->task->steps ? BENCH_DONE : BENCH_FAILED;
    m->contacts = summary->max_contacts;
    m->bytes = (double)memory.most;
    m->problems = (double)summary->lcps;
    m->newton = (double)summary->newton;
    m->uncertified = (double)summary->unconverged_steps;
    m->energy = summary->energy_max / summary->energy_initial;
    m->residual = summary->max_residual;
}

static bench_measure run_once(const order *o)
{
    bench_measure m = nothing;
    double megabytes;
    bench_end end = bench_in_child(run_steps, o, o->task->limit > 0 ? o->task->limit : limit(), sizeof m, &m, &megabytes);
    if (end != BENCH_ANSWERED) {
        m.verdict = end == BENCH_LATE ? BENCH_TOO_LATE : BENCH_FAILED;
    }
    m.megabytes = megabytes;
    return m;
}

static bench_measure run_best(const order *o)
{
    bench_measure best = run_once(o);
    double spent = best.seconds;
    for (int k = 1; k < REPEATS && best.verdict == BENCH_DONE && spent < enough; k++) {
        bench_measure again = run_once(o);
        spent += again.seconds;
        best = again.elapsed < best.elapsed ? again : best;
    }
    return best;
}

bench_measure bench_steps(const bench_task *task, bool *going)
{
    bench_measure m = nothing;
    if (*going) {
        char *scene = task->text ? NULL : bench_scene_write(task->words, task->name);
        m = run_best(&(order){ task, scene });
        free(scene);
    }
    *going = m.verdict == BENCH_DONE;
    return m;
}

double bench_ms_per_step(const bench_measure *m) { return 1e3 * m->seconds / m->steps; }

void bench_put_time(bench_table *t, const bench_measure *m)
{
    char late[32];
    snprintf(late, sizeof late, "not in %d s", limit());
    const char *const words[] = { [BENCH_TOO_LATE] = late, [BENCH_FAILED] = "failed", [BENCH_SKIPPED] = "not tried" };
    if (m->verdict == BENCH_DONE) {
        bench_number(t, bench_ms_per_step(m));
    } else {
        bench_text(t, words[m->verdict]);
    }
}

void bench_put_row(bench_table *t, const char *title, const bench_measure *m, int steps, double *before)
{
    bench_text(t, title);
    bench_put_time(t, m);
    bench_number(t, m->newton / steps);
    bench_number(t, m->megabytes);
    bench_number(t, m->uncertified);
    bench_number(t, bench_ms_per_step(m) / *before);
    *before = bench_ms_per_step(m);
}
