/* scale.c - how time and memory of a step grow with the number of bodies: piles of spheres of one depth, 1e3 to 1e6 of them.
 *
 * The box is as wide as the square root of the number of spheres, so all piles are equally deep. They are followed while they
 * fall and until they rest on the floor, each in a process of its own, by one thread and by two, with a tolerance of 1e-3. Times
 * are those of the clock, of all steps and of the last tenth of them, in which the pile rests. Bytes are those that the library
 * holds at most, without what reading the scene file takes. The next pile is not tried where ten times the memory of the last one
 * is more than half of the machine's. STEPS and BODIES in the environment say how many steps are made, and which pile is the
 * largest. */
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 100, LIMIT = 4 * 3600 }; /* CPU seconds */
static const double WIDTH = 0.1;        /* m, of the box, over the root of the number of spheres of radius 0.1 m */
static const double TOLERANCE = 1e-3;

/* a number > 0 from the environment, or what is taken without it */
static int number_from(const char *name, int otherwise)
{
    const char *text = getenv(name);
    const int given = text ? atoi(text) : 0;
    return given > 0 ? given : otherwise;
}

static double memory_of_machine(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

static void put_row(bench_table *t, double bodies, int threads, const bench_measure *m)
{
    bench_number(t, bodies);
    bench_number(t, threads);
    bench_number(t, m->contacts);
    bench_put_time(t, m);
    bench_number(t, 1e3 * m->elapsed / m->steps);
    bench_number(t, 1e9 * m->elapsed / m->steps / bodies);
    bench_number(t, 1e9 * m->late / bodies);
    bench_number(t, m->bytes / bodies);
    bench_number(t, m->megabytes);
    bench_number(t, m->residual);
    bench_number(t, 1 - m->uncertified / m->steps);
}

static bench_measure run_size(int bodies, int threads, bool *going)
{
    char words[96], name[32];
    snprintf(words, sizeof words, "pile --bodies %d --width %.6g", bodies, WIDTH * sqrt(bodies));
    snprintf(name, sizeof name, "scale%d", bodies);
    const bench_task task = { .words = words,
                              .name = name,
                              .scheme = "anitescu_convex",
                              .step = 1.0 / 240,
                              .tol = TOLERANCE,
                              .steps = number_from("STEPS", STEPS),
                              .limit = LIMIT,
                              .threads = threads };
    return bench_steps(&task, going);
}

/* by one thread and by two, which is returned */
static bench_measure put_size(bench_table *t, int bodies, bool *going)
{
    const bench_measure alone = run_size(bodies, 1, going), both = run_size(bodies, 2, going);
    put_row(t, bodies, 1, &alone);
    put_row(t, bodies, 2, &both);
    return both;
}

void bench_scale(void)
{
    static const char *const columns[] = { "bodies",     "threads",        "contacts", "CPU ms/step", "ms/step",   "ns per body",
                                           "ns at rest", "bytes per body", "MiB",      "residual",    "certified", NULL };
    const int sizes[] = { 1000, 10000, 100000, 1000000 };
    const int largest = number_from("BODIES", sizes[sizeof sizes / sizeof *sizes - 1]);
    bench_table t = bench_table_open(&bench_run, "scale", "Piles of one depth, the first steps of 1/240 s", columns);
    bool going = true;
    for (size_t k = 0; going && k < sizeof sizes / sizeof *sizes && sizes[k] <= largest; k++) {
        const bench_measure m = put_size(&t, sizes[k], &going);
        if (going && k + 1 < sizeof sizes / sizeof *sizes && sizes[k + 1] <= largest &&
            10 * 1048576 * m.megabytes > 0.5 * memory_of_machine()) {
            printf("%d bodies are not tried: they would take about %.1f GiB, more than half of the memory\n", sizes[k + 1],
                   10 * m.megabytes / 1024);
            going = false;
        }
    }
    bench_table_close(&t);
}
