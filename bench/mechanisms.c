/* mechanisms.c - chains and closed loops of N rods, without contact: how the cost of a step grows with N.
 *
 * chain     N rods that hang from a hinge, let go from the horizontal: 3 N velocities, 2 N joint rows, no loop
 * four_bar  loops in a row: 2 N + 1 rods, 6 N + 2 joint rows, N loops
 *
 * A run is the first 20 steps of 1/960 s (steps.c). The last column is the time of a step over that with a tenth of the rods: 10
 * where the cost is linear. */
#include "steps.h"

#include <math.h>

enum { STEPS = 20 };

typedef struct kind {
    const char *words, *name; /* of `generate`, without the size */
    int size;                 /* the smallest                */
} kind;

static void time_sizes(bench_table *t, const kind *of, const char *scheme)
{
    bool going = true;
    double before = NAN;
    for (int size = of->size, k = 0; k < 3; k++, size *= 10) {
        char words[64], title[64];
        snprintf(words, sizeof words, "%s %d", of->words, size);
        snprintf(title, sizeof title, "%s of %d: %s", of->name, size, scheme);
        const bench_measure m = bench_steps(
            &(bench_task){
                .words = words, .name = "mechanisms", .scheme = scheme, .solver = "auto", .step = 1.0 / 960, .steps = STEPS },
            &going);
        bench_put_row(t, title, &m, STEPS, &before);
    }
}

void bench_mechanisms(void)
{
    static const char *const columns[] = { "scene: scheme", "ms/step", "newton/step", "MiB", "uncertified", "ratio", NULL };
    static const char *const schemes[] = { "galpha_ggl", "moreau", "trapezoidal", "event_capturing_rk" };
    static const kind kinds[] = { { "chain --bodies", "chain", 10 }, { "four_bar --loops", "four_bar", 4 } };
    bench_table t = bench_table_open(&bench_run, "mechanisms", "Chains and loops of rods, 20 steps", columns);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
            time_sizes(&t, &kinds[k], schemes[s]);
        }
    }
    bench_table_close(&t);
}
