/* parallel.c - loops on the context's threads, by OpenMP; the only file that knows of it.
 *
 * Range k is k grain .. min(n, (k+1) grain) - 1 whatever the number of threads: a body sees the same ranges, only
 * their order in time differs. Ranges are handed out as threads become free, since others may use the machine.
 * Built without OpenMP the ranges run one after the other: same bits.
 * Cost        waking the threads takes a few microseconds: ranges should be worth more than that      */
#include "base/parallel.h"

#include "base/context.h"

typedef struct loop {
    int n, grain;
    void (*body)(void *data, int begin, int end);
    void *data;
} loop;

static void run_range(const loop *l, int k)
{
    int begin = k * l->grain;
    l->body(l->data, begin, l->n - begin < l->grain ? l->n : begin + l->grain);
}

static void run_alone(const loop *l, int ranges)
{
    for (int k = 0; k < ranges; k++) {
        run_range(l, k);
    }
}

#ifdef _OPENMP
static void run_together(const loop *l, int ranges, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int k = 0; k < ranges; k++) {
        run_range(l, k);
    }
}
#else
static void run_together(const loop *l, int ranges, int threads)
{
    (void)threads;
    run_alone(l, ranges);
}
#endif

void ss_parallel_for(const ss_context *ctx, int n, int grain, void (*body)(void *data, int begin, int end), void *data)
{
    loop l = { .n = n, .grain = grain > 1 ? grain : 1, .body = body, .data = data };
    int ranges = n > 0 ? (n - 1) / l.grain + 1 : 0, threads = ss_context_threads(ctx);
    threads = threads < ranges ? threads : ranges;
    if (threads > 1) {
        run_together(&l, ranges, threads);
    } else {
        run_alone(&l, ranges);
    }
}

void ss_parallel_alone(void (*body)(void *data), void *data)
{
#ifdef _OPENMP
#pragma omp critical(ss_parallel_alone)
#endif
    body(data);
}
