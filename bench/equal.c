/* equal.c - every engine at the same accuracy: time of a step against the residual of its contact law.
 *
 * A wall that stands and a pile that has fallen for a while. Peers are given more and more iterations, ours a smaller and smaller
 * tolerance, until the residual of the last steps is that of our smallest tolerance or the time is up. All residuals are the
 * certificate: ours as reported, theirs by peer_residual.c. */
#include "bench.h"
#include "curves.h"

#include <math.h>

enum { STEPS = 10, MOST_ENGINES = 3 }; /* STEPS are measured, at the end */

typedef struct contest {
    const char *words, *name, *title;
    double h, tightest; /* the residual that all are to reach */
    int before;         /* steps before those that are measured */
} contest;

static double patience(void) { return bench_run.full ? 600 : 20; } /* CPU seconds of one run */

typedef struct finish {
    double seconds, residual; /* of a step: mean time, worst residual */
    int steps;                /* that were measured                   */
} finish;

/* Peers are timed in steps of their own and measured in those between: a residual costs more than their step. */
static finish measure_peer(const bench_engine *e, void *run, const bench_scene *s, double start)
{
    finish f = { .steps = 0 };
    for (; f.steps < STEPS && bench_seconds() - start < patience(); f.steps++) {
        double began = bench_seconds();
        e->step(run, s->h);
        f.seconds += bench_seconds() - began;
        f.residual = fmax(f.residual, bench_peer_residual(e, run, s));
    }
    return f;
}

static finish measure_ours(const bench_engine *e, void *run, const bench_scene *s, double start)
{
    finish f = { .steps = 0 };
    for (; f.steps < STEPS && bench_seconds() - start < patience(); f.steps++) {
        double began = bench_seconds();
        e->step(run, s->h);
        f.seconds += bench_seconds() - began;
        f.residual = fmax(f.residual, e->residual(run));
    }
    return f;
}

/* One run: with default effort up to the steps that are measured, which have the effort asked for; ours has its tolerance from
 * the start, since a tolerance cannot be changed on the way. */
static finish run_once(const bench_engine *e, const bench_scene *s, const contest *c, int iterations)
{
    void *run = e->create(s);
    double start = bench_seconds();
    int done = 0;
    while (done < c->before && bench_seconds() - start < patience() && e->step(run, s->h)) {
        done++;
    }
    finish f = { .steps = 0 };
    if (done == c->before && e->insight) {
        e->insight->set_iterations(run, iterations);
        f = measure_peer(e, run, s, start);
    } else if (done == c->before) {
        f = measure_ours(e, run, s, start);
    }
    f.seconds /= fmax(f.steps, 1);
    e->destroy(run);
    return f;
}

static void put_row(bench_table *t, const bench_engine *e, int iterations, double tol, const finish *f)
{
    bench_text(t, e->name);
    bench_number(t, e->insight ? (double)iterations : (double)NAN);
    bench_number(t, e->insight ? NAN : tol);
    bench_number(t, f->steps > 0 ? 1e3 * f->seconds : NAN);
    bench_number(t, f->steps > 0 ? f->residual : NAN);
    bench_put_end(t, f->steps, STEPS);
}

/* effort is multiplied until the goal is met, time is up, or a curve is full */
static void climb(bench_table *t, const bench_engine *e, bench_scene *s, const contest *c, bench_curve *curve)
{
    int iterations = e->insight ? e->insight->iterations : 0;
    double tol = 1e-4;
    *curve = (bench_curve){ .solver = e->name, .law = e->insight ? "its own friction" : "Coulomb" };
    for (bool going = true; going && curve->n < BENCH_CURVE_POINTS; iterations *= 5, tol *= 1e-2) {
        s->tol = tol;
        const finish f = run_once(e, s, c, iterations);
        put_row(t, e, iterations, tol, &f);
        going = f.steps == STEPS && f.residual > c->tightest;
        if (f.steps == STEPS) {
            curve->tolerance[curve->n] = e->insight ? iterations : tol;
            curve->seconds[curve->n] = f.seconds;
            curve->residual[curve->n++] = f.residual;
        }
    }
}

static void hold(const contest *c)
{
    static const char *const columns[] = { "engine", "iterations", "tolerance", "ms/step", "residual", "run", NULL };
    bench_scene s = bench_scene_make(c->words, c->name, c->h);
    bench_table t = bench_table_open(&bench_run, c->name, c->title, columns);
    bench_curve curve[MOST_ENGINES];
    int n = 0;
    for (const bench_engine *const *e = bench_engines(); *e; e++) {
        climb(&t, *e, &s, c, &curve[n++]);
    }
    bench_table_close(&t);
    char name[64];
    snprintf(name, sizeof name, "%s_curves", c->name);
    bench_curves_draw(name, c->title, n, curve);
    bench_scene_free(&s);
}

void bench_equal(void)
{
    const contest wall = { "wall --bodies 100", "equal_wall", "Wall of 10 x 10 boxes: time of a step and residual",
                           1.0 / 240,           1e-8,         240 },
                  pile = { "pile --bodies 200", "equal_pile", "Pile of 200 spheres after 1.5 s: time of a step and residual",
                           1.0 / 240,           1e-4,         360 };
    hold(&wall);
    hold(&pile);
}
