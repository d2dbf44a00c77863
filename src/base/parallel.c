/* parallel.c - loops on the context's threads.
 *
 * Range k is k grain .. min(n, (k+1) grain) - 1 whatever the number of threads: a body sees the same ranges, only
 * their order in time differs. Ranges are handed out as threads become free, since others may use the machine (team.c).
 * Cost        waking the threads takes a few microseconds: ranges should be worth more than that      */
#include "base/parallel.h"

#include "base/context.h"
#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct loop {
    int n, grain;
    void (*body)(void *data, int begin, int end);
    void *data;
} loop;

static void run_range(const void *data, int k)
{
    const loop *l = data;
    int begin = k * l->grain;
    l->body(l->data, begin, l->n - begin < l->grain ? l->n : begin + l->grain);
}

void ss_parallel_for(const ss_context *ctx, int n, int grain, void (*body)(void *data, int begin, int end), void *data)
{
    const loop l = { .n = n, .grain = grain > 1 ? grain : 1, .body = body, .data = data };
    const int ranges = n > 0 ? (n - 1) / l.grain + 1 : 0;
    ss_team_run(ctx->team, ss_context_threads(ctx), ranges, run_range, &l);
}

/* ---- questions ------------------------------------------------------------------------------------- */

typedef struct asking {
    bool (*is)(const void *data, int k);
    const void *data;
    atomic_bool found;
} asking;

static void ask_range(void *data, int begin, int end)
{
    asking *x = data;
    int k = atomic_load_explicit(&x->found, memory_order_relaxed) ? end : begin;
    while (k < end && !x->is(x->data, k)) {
        k++;
    }
    if (k < end) {
        atomic_store(&x->found, true);
    }
}

bool ss_parallel_any(const ss_context *ctx, int n, int grain, bool (*is)(const void *data, int k), const void *data)
{
    asking x = { is, data, false };
    ss_parallel_for(ctx, n, grain, ask_range, &x);
    return x.found;
}

typedef struct comparing {
    double (*of)(const void *data, int begin, int end);
    const void *data;
    _Atomic double worst;
} comparing;

/* as in math/worse.h, which is above this layer */
static double worse(double a, double b) { return a >= b || a != a ? a : b; }

static void compare_range(void *data, int begin, int end)
{
    comparing *x = data;
    const double own = x->of(x->data, begin, end);
    double worst = atomic_load(&x->worst);
    while (!atomic_compare_exchange_weak(&x->worst, &worst, worse(worst, own))) {}
}

double ss_parallel_worst(const ss_context *ctx, int n, int grain, double (*of)(const void *data, int begin, int end),
                         const void *data)
{
    comparing x = { of, data, 0 };
    ss_parallel_for(ctx, n, grain, compare_range, &x);
    return x.worst;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

typedef struct copying {
    size_t bytes;
    const char *from;
    char *to;
} copying;

enum { COPIED = 1 << 14 }; /* bytes that are copied at a time */

static void copy_pieces(void *data, int begin, int end)
{
    const copying *x = data;
    const size_t first = (size_t)begin * COPIED, last = (size_t)end * COPIED;
    memcpy(x->to + first, x->from + first, (last < x->bytes ? last : x->bytes) - first);
}

void ss_parallel_copy(const ss_context *ctx, size_t bytes, const void *from, void *to)
{
    copying x = { bytes, from, to };
    ss_parallel_for(ctx, (int)((bytes + COPIED - 1) / COPIED), 1, copy_pieces, &x);
}

/* ---- alone ------------------------------------------------------------------------------------------- */

void ss_parallel_alone(void (*body)(void *data), void *data)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the process has one, as it has the other library's variables */
    pthread_mutex_lock(&lock);
    body(data);
    pthread_mutex_unlock(&lock);
}
