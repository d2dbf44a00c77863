/* momentum.c - sweeps with Nesterov's momentum.
 *
 *   y = r + beta (r - r'),  r' the result of the sweep before,  the next sweep starts from y
 *   beta = (t - 1)/t+,  t+ = (1 + sqrt(1 + 4 t^2))/2;  t = 1 again when the sweep turns back, (y - r).(r - r') > 0,
 *   or its square is more than `far` times that of the best one                                     [Nes83, OC15]
 * Products are weighted by d_i = trace(W_ii)/dim: sqrt(d) r has one unit for all contacts.
 *
 * Velocities go on with the impulses and are made afresh now and then, against round-off.
 * Cost        a sweep (sweep.c), and two loops over the rows                                         */
#include "problem/momentum.h"

#include "base/parallel.h"

#include <math.h>

static const double HALVED = 0.25; /* squares: a change halved is progress */
enum { GRAIN = 4096 };             /* rows that a thread takes at a time   */

/* ---- the island ------------------------------------------------------------------------------- */

ss_status ss_momentum_take(ss_momentum *m, ss_arena *arena, int islands, int rows)
{
    ss_momentum_rows *whole = &m->whole;
    double **all[] = { &whole->r, &whole->d, &whole->y, &whole->array[0], &whole->array[1] };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        SS_TRY(ss_arena_take_raw(arena, (size_t)rows, sizeof **all[k], all[k]));
    }
    return ss_arena_take_raw(arena, (size_t)(rows / GRAIN + islands + 1), sizeof *whole->range, &whole->range);
}

/* of an island with `first` rows before it, whose ranges follow those of the islands before it */
static ss_momentum_rows part_of(const ss_momentum_rows *whole, int island, ptrdiff_t first)
{
    return (ss_momentum_rows){ .r = whole->r + first,
                               .d = whole->d + first,
                               .y = whole->y + first,
                               .array = { whole->array[0] + first, whole->array[1] + first },
                               .range = whole->range + first / GRAIN + island };
}

static void copy(const ss_momentum *m, const double *from, double *to) { memcpy(to, from, (size_t)m->count * sizeof *to); }

void ss_momentum_open(ss_momentum *m, int island, const double *all)
{
    const int *row, *first;
    m->island = island;
    m->count = ss_sweep_rows(m->sweep, island, &row);
    ss_sweep_rows(m->sweep, 0, &first);
    m->rows = part_of(&m->whole, island, row - first);
    m->now = (ss_momentum_progress){ .error = INFINITY };
    ss_sweep_read(m->sweep, island, ss_sweep_weights(m->sweep), m->rows.d);
    ss_sweep_read(m->sweep, island, all, m->rows.r);
}

void ss_momentum_close(const ss_momentum *m, double *all) { ss_sweep_write(m->sweep, m->island, m->rows.r, all); }

/* ---- how it is going -------------------------------------------------------------------------- */

/* fresh velocities, no momentum */
void ss_momentum_start(ss_momentum *m)
{
    ss_sweep_start(m->sweep, m->island, m->rows.r);
    ss_sweep_extrapolate(m->sweep, m->island, 0);
    m->rows.last = m->rows.array[0];
    m->rows.good = NULL;
    copy(m, m->rows.r, m->rows.last);
    copy(m, m->rows.r, m->rows.y);
    m->now = (ss_momentum_progress){
        .t = 1, .least = INFINITY, .mark = INFINITY, .good = INFINITY, .error = INFINITY, .size = m->now.size
    };
}

/* how the last sweep went: is it the best so far, is there progress */
static void note(ss_momentum_progress *now, const ss_sweep_measure *seen)
{
    now->ahead = true;
    now->square = seen->square;
    now->size = seen->size;
    now->error = seen->size > 0 ? seen->change / seen->size : seen->change;
    now->idle++;
    now->best = seen->square < now->good;
    now->good = now->best ? seen->square : now->good;
    if (seen->square < HALVED * now->mark) {
        now->mark = seen->square;
        now->idle = 0;
    }
}

/* ---- momentum --------------------------------------------------------------------------------- */

/* (y - r) . (r - r') over some rows, in the metric of d: four sums, which do not wait for each other */
static void sum_range(void *data, int begin, int end)
{
    const ss_momentum *m = data;
    const double *r = m->rows.r, *y = m->rows.y, *last = m->rows.last, *d = m->rows.d;
    double sum[4] = { 0, 0, 0, 0 };
    int i = begin;
    for (; i + 4 <= end; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += d[i + k] * (y[i + k] - r[i + k]) * (r[i + k] - last[i + k]);
        }
    }
    for (; i < end; i++) {
        sum[0] += d[i] * (y[i] - r[i]) * (r[i] - last[i]);
    }
    m->rows.range[begin / GRAIN] = sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* is that positive over all rows? */
static bool turns_back(ss_momentum *m)
{
    double sum = 0;
    ss_parallel_for(m->ctx, m->count, GRAIN, sum_range, m);
    for (int i = 0; i * GRAIN < m->count; i++) {
        sum += m->rows.range[i];
    }
    return sum > 0;
}

static double next_beta(ss_momentum *m, double square)
{
    ss_momentum_progress *now = &m->now;
    if (turns_back(m) || square > m->far * now->least) {
        now->t = 1;
        now->least = square;
    }
    now->least = fmin(now->least, square);
    double next = 0.5 * (1 + sqrt(1 + 4 * now->t * now->t)), beta = (now->t - 1) / next;
    now->t = next;
    return beta;
}

/* velocities of r' and r from the impulses; both, since momentum would carry a jump of one of them on and on */
static void refresh(ss_momentum *m)
{
    ss_sweep_start(m->sweep, m->island, m->rows.last);
    ss_sweep_extrapolate(m->sweep, m->island, 0);
    ss_sweep_start(m->sweep, m->island, m->rows.r);
}

/* where this result is kept: it is r' of the next sweep, and replaces the good one only if it is better */
static double *keep(ss_momentum *m)
{
    ss_momentum_rows *rows = &m->rows;
    double *last = rows->last;
    if (m->now.best) {
        rows->good = last;
    } else if (rows->good == last) {
        last = last == rows->array[0] ? rows->array[1] : rows->array[0];
    }
    return last;
}

/* impulses that go on */
typedef struct going_on {
    const ss_momentum_rows *rows;
    double *result, beta;
} going_on;

static void extrapolate_range(void *data, int begin, int end)
{
    const going_on *g = data;
    const double *last = g->rows->last, beta = g->beta;
    double *result = g->result, *restrict r = g->rows->r, *restrict y = g->rows->y;
    for (int i = begin; i < end; i++) { /* result may be the same array as last */
        const double now = r[i], next = now + beta * (now - last[i]);
        result[i] = now;
        r[i] = y[i] = next;
    }
}

/* r and v go on by beta times what the sweep changed */
static void extrapolate(ss_momentum *m, double beta)
{
    enum { FRESH = 50 };
    if (++m->now.extrapolated % FRESH == 0) {
        refresh(m);
    }
    ss_sweep_extrapolate(m->sweep, m->island, beta);
    going_on all = { .rows = &m->rows, .result = keep(m), .beta = beta };
    ss_parallel_for(m->ctx, m->count, GRAIN, extrapolate_range, &all);
    m->rows.last = all.result;
}

void ss_momentum_iterate(ss_momentum *m, double tol, int *sweeps, int limit, int patience)
{
    bool going = true;
    while (going && *sweeps < limit && m->now.idle < patience && !ss_is_interrupted(m->ctx)) {
        if (m->now.ahead) {
            extrapolate(m, m->off ? 0 : next_beta(m, m->now.square));
        }
        const ss_sweep_measure seen = ss_sweep_pass(m->sweep, m->island, m->rows.r);
        ++*sweeps;
        note(&m->now, &seen);
        going = m->now.error > tol; /* a number */
    }
}

void ss_momentum_take_best(ss_momentum *m)
{
    if (m->rows.good && !m->now.best) {
        copy(m, m->rows.good, m->rows.r);
    }
}
