/* flexible.c - bars and beams that strike a wall, and a block of tetrahedra on a clamped side: how the cost of a step grows
 * with the number of elements.
 *
 * A run is the first steps (steps.c): 10 for bars and beams, 3 for the block. The step of bars and beams is a little shorter
 * than the time of a wave from node to node, L/c, so that every mesh is resolved alike. The last column is the time of a step
 * over that with a tenth of the elements (10 where the cost is linear), for the block with an eighth of them: a factorisation of
 * a cube of N unknowns takes N^2 operations, so that the ratio approaches 64. */
#include "steps.h"

#include <math.h>

enum { STEPS = 10, SMALLEST = 100, SIZES = 3, BLOCK_STEPS = 3, LEAST_CELLS = 4 };

static const char *const columns[] = { "scene: scheme", "ms/step", "newton/step", "MiB", "uncertified", "ratio", NULL };
static const char *const schemes[] = { "moreau", "anitescu_convex", "trapezoidal", "galpha_ggl", "event_capturing_rk" };
enum { SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct kind {
    const char *title, *type;
    int dimension;
} kind;

/* 10 m long, c = 30 m/s, at the wall already */
static void write_scene(const kind *of, int divisions, char *text, size_t size)
{
    const char *const section[] = { "[10, 0.5]", "[10, 0.5, 0.4]" }, *const zero[] = { "0", "0, 0" };
    const int d = of->dimension - 2;
    snprintf(
        text, size,
        "{ \"slipstick\": 1, \"dimension\": %d, \"time\": { \"until\": 10, \"step\": 1 }, \"materials\": [ { \"name\": \"m\", "
        "\"mu\": 0, \"e\": 0 } ], \"elements\": [ { \"name\": \"x\", \"type\": \"%s\", \"size\": %s, \"divisions\": %d, "
        "\"E\": 900, \"density\": 1, \"velocity\": [-1, %s], \"contact\": \"ends\", \"material\": \"m\" } ], \"bodies\": [ { "
        "\"name\": \"wall\", \"type\": \"fixed\", \"shapes\": [ { \"type\": \"half_space\", \"normal\": [1, %s], "
        "\"material\": \"m\" } ] } ] }",
        of->dimension, of->type, section[d], divisions, zero[d], zero[d]);
}

static void time_sizes(bench_table *t, const kind *of, const char *scheme)
{
    bool going = true;
    double before = NAN;
    for (int n = SMALLEST, k = 0; k < SIZES; k++, n *= 10) {
        char text[1024], title[64];
        const double step = 0.3 / n; /* L/c = 0.33/n */
        write_scene(of, n, text, sizeof text);
        snprintf(title, sizeof title, "%s of %d: %s", of->title, n, scheme);
        const bench_measure m = bench_steps(
            &(bench_task){ .name = "flexible", .scheme = scheme, .solver = "auto", .step = step, .steps = STEPS, .text = text },
            &going);
        bench_put_row(t, title, &m, STEPS, &before);
    }
}

/* 0.2 m wide; clamped below, and pushed sideways by its weight */
static void write_block(int cells, char *text, size_t size)
{
    snprintf(text, size,
             "{ \"slipstick\": 1, \"dimension\": 3, \"gravity\": [1, 0, -9.81], \"time\": { \"until\": 10, \"step\": 1 }, "
             "\"elements\": [ { \"name\": \"x\", \"type\": \"tetrahedron\", \"size\": [0.2, 0.2, 0.2], \"divisions\": [%d, %d, "
             "%d], \"E\": 1e5, \"nu\": 0.3, \"density\": 1000, \"bottom\": \"world\", \"contact\": \"none\" } ] }",
             cells, cells, cells);
}

static void time_blocks(bench_table *t, const char *scheme)
{
    bool going = true;
    double before = NAN;
    for (int n = LEAST_CELLS, k = 0; k < SIZES; k++, n *= 2) {
        char text[1024], title[64];
        write_block(n, text, sizeof text);
        snprintf(title, sizeof title, "block of %d: %s", 5 * n * n * n, scheme);
        const bench_task task = {
            .name = "flexible", .scheme = scheme, .solver = "auto", .step = 2e-3, .steps = BLOCK_STEPS, .text = text
        };
        const bench_measure m = bench_steps(&task, &going);
        bench_put_row(t, title, &m, BLOCK_STEPS, &before);
    }
}

static void time_rows(void)
{
    static const kind kinds[] = { { "bar", "bar", 2 }, { "beam", "beam", 2 }, { "beam in space", "beam", 3 } };
    bench_table t = bench_table_open(&bench_run, "flexible", "Bars and beams that strike a wall, 10 steps of 0.9 L/c", columns);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t s = 0; s < SCHEMES; s++) {
            time_sizes(&t, &kinds[k], schemes[s]);
        }
    }
    bench_table_close(&t);
}

void bench_flexible(void)
{
    time_rows();
    bench_table t = bench_table_open(&bench_run, "flexible_block", "A block of tetrahedra, 3 steps", columns);
    for (size_t s = 0; s < SCHEMES; s++) {
        time_blocks(&t, schemes[s]);
    }
    bench_table_close(&t);
}
