/* rigid.c - scenes in motion: the wall that should stand, the pile that should lie. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP     (1.0 / 240)
#define PATIENCE (bench_run.full ? 1200 : 90) /* seconds for one engine on one scene */

static const bench_engine *const engines[] = {
    &bench_slipstick,
#ifdef HAVE_ODE
    &bench_ode,
#endif
#ifdef HAVE_BULLET
    &bench_bullet,
#endif
};

static bool wanted(const bench_engine *e) { return !bench_run.engines[0] || strstr(bench_run.engines, e->name); }

const bench_engine *const *bench_engines(void)
{
    static const bench_engine *list[sizeof engines / sizeof *engines + 1];
    int n = 0;
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        if (wanted(engines[k])) {
            list[n++] = engines[k];
        }
    }
    list[n] = NULL;
    return list;
}

/* ---- measures ------------------------------------------------------------------------------------ */

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void all_states(const bench_engine *e, void *run, const bench_scene *s, double (*x)[3], double (*v)[3])
{
    for (int k = 0; k < s->bodies; k++) {
        e->state(run, k, x[k], v[k]);
    }
}

/* deepest overlap of spheres with each other and with the planes */
static double deepest(const bench_scene *s, double (*x)[3])
{
    double depth = 0;
    for (int i = 0; i < s->bodies; i++) {
        for (int j = 0; j < i; j++) {
            depth = fmax(depth, s->body[i].radius + s->body[j].radius - distance(x[i], x[j]));
        }
        for (int j = 0; j < s->planes; j++) {
            const double *n = s->plane[j].normal;
            depth = fmax(depth, s->body[i].radius + s->plane[j].offset - n[0] * x[i][0] - n[1] * x[i][1] - n[2] * x[i][2]);
        }
    }
    return depth;
}

/* ---- wall ---------------------------------------------------------------------------------------- */

static void time_wall(bench_table *t, const bench_engine *e, const bench_scene *s)
{
    int steps = 2400, top = s->bodies - 1, done = 0;
    double x[3], v[3], drift = 0, start, residual = 0;
    void *run = e->create(s);
    start = bench_seconds();
    while (done < steps && e->step(run, s->h)) {
        done++;
        if (e->residual) {
            residual = fmax(residual, e->residual(run));
        }
        if (bench_seconds() - start > PATIENCE) {
            break;
        }
    }
    double spent = bench_seconds() - start;
    e->state(run, top, x, v);
    drift = distance(x, s->body[top].position) / s->body[top].size[0];
    bench_text(t, e->name);
    bench_number(t, done * s->h);
    bench_number(t, e->contacts(run));
    bench_number(t, 1e3 * spent / done);
    bench_number(t, drift);
    bench_number(t, e->residual ? residual : bench_peer_residual(e, run, s));
    bench_put_end(t, done, steps);
    e->destroy(run);
}

void bench_wall(void)
{
    static const char *const columns[] = {
        "engine", "simulated s", "contacts", "ms/step", "drift of top", "residual", "run", NULL
    };
    bench_scene s = bench_scene_make("wall --bodies 100", "wall", STEP);
    bench_table t = bench_table_open(&bench_run, "wall", "Wall of 10 x 10 boxes, h = 1/240; drift in sides", columns);
    for (const bench_engine *const *e = bench_engines(); *e; e++) {
        time_wall(&t, *e, &s);
    }
    bench_table_close(&t);
    bench_scene_free(&s);
}

/* ---- pile ---------------------------------------------------------------------------------------- */

typedef struct rest {
    double seconds, mean, most, residual; /* of the steps at rest; accelerations in g */
    int steps;
} rest;

/* make the last steps and measure the velocity changes from one to the next */
static rest watch(const bench_engine *e, void *run, const bench_scene *s, int steps, double (*x)[3], double (*v)[3],
                  double (*old)[3])
{
    rest r = { .steps = 0 };
    for (; r.steps < steps; r.steps++) {
        double start = bench_seconds();
        memcpy(old, v, (size_t)s->bodies * sizeof *v);
        if (!e->step(run, s->h)) {
            break;
        }
        r.seconds += bench_seconds() - start;
        all_states(e, run, s, x, v);
        for (int k = 0; k < s->bodies; k++) {
            double a = distance(v[k], old[k]) / (s->gravity * s->h);
            r.mean += a / (steps * s->bodies);
            r.most = fmax(r.most, a);
        }
        r.residual = e->residual ? fmax(r.residual, e->residual(run)) : NAN;
    }
    r.residual = e->residual ? r.residual : bench_peer_residual(e, run, s);
    return r;
}

static void time_pile(bench_table *t, const bench_engine *e, const bench_scene *s, int settling)
{
    size_t n = (size_t)s->bodies;
    double(*x)[3] = calloc(3 * n, sizeof *x), (*v)[3] = x + n, (*old)[3] = v + n, start = bench_seconds();
    void *run = e->create(s);
    int done = 0;
    while (x && done < settling && bench_seconds() - start < PATIENCE && e->step(run, s->h)) {
        done++;
    }
    double falling = 1e3 * (bench_seconds() - start) / fmax(done, 1);
    all_states(e, run, s, x, v);
    rest r = watch(e, run, s, 60, x, v, old);
    bench_text(t, e->name);
    bench_number(t, s->bodies);
    bench_number(t, (done + r.steps) * s->h);
    bench_number(t, e->contacts(run));
    bench_number(t, falling);
    bench_number(t, 1e3 * r.seconds / fmax(r.steps, 1));
    bench_number(t, deepest(s, x) / s->body[0].radius);
    bench_number(t, r.mean);
    bench_number(t, r.most);
    bench_number(t, r.residual);
    bench_put_end(t, done, settling);
    e->destroy(run);
    free(x);
}

void bench_pile(void)
{
    static const char *const columns[] = { "engine",          "bodies",       "simulated s", "contacts",
                                           "ms/step falling", "ms/step rest", "overlap / r", "mean acc/g",
                                           "max acc/g",       "residual",     "run",         NULL };
    const int sizes[] = { 200, 1000, 4000 };
    bench_table t = bench_table_open(
        &bench_run, "pile", "Pile of spheres in a box, mu = .5, h = 1/240, after 3 s; run: steps before those at rest", columns);
    for (int k = 0; k < (bench_run.full ? 3 : 2); k++) {
        char words[64], name[32];
        snprintf(words, sizeof words, "pile --bodies %d", sizes[k]);
        snprintf(name, sizeof name, "pile%d", sizes[k]);
        bench_scene s = bench_scene_make(words, name, STEP);
        for (const bench_engine *const *e = bench_engines(); *e; e++) {
            time_pile(&t, *e, &s, 660);
        }
        bench_scene_free(&s);
    }
    bench_table_close(&t);
}
